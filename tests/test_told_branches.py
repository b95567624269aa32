"""Chains of `if` and `then` whose conditions list the strings of one property: verdicts, and the work for them."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

import guidance_kit as gk
from guidance_kit.errors import UnsatisfiableError
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.grammars.json_schema.documents.document import Node, SchemaDocument
from guidance_kit.grammars.json_schema.normal_forms.plain_lists import PlainLists
from guidance_kit.grammars.json_schema.normal_forms.records import Objects

TAGS = ["x", "y", "z"]

listing = st.one_of(
    st.lists(st.sampled_from([*TAGS, 1, None]), min_size=1, max_size=3, unique=True).map(lambda tags: {"enum": tags}),
    st.lists(st.sampled_from(TAGS), min_size=1, max_size=2, unique=True).map(lambda tags: {"enum": tags}),
    st.sampled_from(TAGS).map(lambda tag: {"const": tag}),
    st.sampled_from([{"type": "string"}, {"minLength": 1}, {"type": ["string", "null"]}, {"pattern": "^x$"}]),
)
narrower = st.sampled_from([{}, {"type": "string"}, {"maxLength": 0}, {"pattern": "^[xy]$"}, {"title": "a tag"}])
tag = st.builds(lambda left, right: {**right, **left}, listing, narrower)


def about(value: Any, kind: str) -> dict[str, Any]:
    """Schema that asks for a property by its name, a pattern, or as any other."""
    if kind == "pattern":
        return {"patternProperties": {"^tag": value}}
    return {"additionalProperties": value} if kind == "additional" else {"properties": {"tag": value}}


condition = st.builds(
    lambda value, more: {"properties": {"tag": value}, **more},
    tag,
    st.sampled_from(["", "required"]).map(lambda keyword: {keyword: ["tag"]} if keyword else {}),
)
result = st.sampled_from(
    [
        {"required": ["a"]},
        {"properties": {"a": {"type": "integer"}}, "additionalProperties": False},
        {"properties": {"a": False}},
        {"properties": {"tag": {"type": "string"}, "a": {"enum": ["x", 1]}}, "required": ["tag", "a"]},
        {"properties": {"a": {"enum": ["x"]}}, "required": ["a"]},
    ]
)
clause = st.one_of(
    st.builds(lambda holds, then: {"if": holds, "then": then}, condition, result),
    st.builds(lambda holds, then, fails: {"if": holds, "then": then, "else": fails}, condition, result, result),
    st.builds(lambda one, other: {"anyOf": [one, other]}, condition, result),
    condition.map(lambda holds: {"not": holds}),
)
schemas = st.builds(
    lambda clauses, own: {"type": "object", **own, "allOf": clauses},
    st.lists(clause, min_size=2, max_size=4),
    st.one_of(
        st.just({}),
        st.builds(about, tag, st.sampled_from(["name", "pattern", "additional"])),
        tag.map(lambda value: {"required": ["tag"], **about(value, "pattern")}),
    ),
)


def accepts(automaton: Automaton, value: Any) -> bool:
    """Test whether the JSON text of a value is a text of the constraint."""
    text = json.dumps(value).encode()
    path = automaton.advance(automaton.start, text)
    return len(path) == len(text) and automaton.is_complete(int(path[-1]))


def check_texts(schema: dict[str, Any]) -> None:
    """Compare verdicts on small objects with those of jsonschema."""
    absent = object()
    drawn = product([absent, *TAGS, "", 1], [absent, "x", 1])
    values = [dict(zip(("tag", "a"), fields, strict=True)) for fields in drawn]
    values = [{key: field for key, field in value.items() if field is not absent} for value in values]
    is_valid = jsonschema.Draft202012Validator(schema).is_valid
    try:
        automaton = Automaton(gk.json_schema(schema, order="any").network())
    except UnsatisfiableError:
        assert not any(map(is_valid, values))
        return
    for value in values:
        assert accepts(automaton, value) == is_valid(value), value


@given(schemas)
def test_texts_are_those_of_the_schema(schema: dict[str, Any]) -> None:
    check_texts(schema)


@pytest.mark.parametrize("tag", [{"enum": ["x"]}, {"enum": ["x"], "maxLength": 0}, {"enum": ["x", "z"]}])
@pytest.mark.parametrize("required", [[], ["tag"]])
@pytest.mark.parametrize(
    "test",
    [
        {"properties": {"tag": {"enum": ["x", "y"]}}},
        {"properties": {"tag": {"enum": ["x", "y"]}, "a": {"type": "integer"}}},
        {"properties": {"tag": {"enum": ["x", "y"], "pattern": "y"}}},
        {"properties": {"tag": {"enum": ["x", "y"]}}, "maxProperties": 1},
        {"properties": {"tag": {"enum": ["x", "y"]}}, "minProperties": 2},
    ],
)
def test_a_property_that_is_told_has_all_other_conditions(
    tag: dict[str, Any], required: list[str], test: dict[str, Any]
) -> None:
    first = {"properties": {"tag": tag}, "required": required}
    second = {"properties": {"tag": {"enum": ["y"]}, "a": False}}
    other = {"properties": {"a": {"const": 1}}, "required": ["a"]}
    branches = [[first, second], [{**test, "required": ["tag"]}, other]]
    check_texts({"type": "object", "allOf": [{"anyOf": one} for one in branches]})


@given(st.lists(st.tuples(tag, st.booleans()), min_size=1, max_size=4), st.sets(st.sampled_from([*TAGS, "", "xy"])))
def test_lists_are_bounds_of_what_schemas_allow(parts: list[tuple[dict[str, Any], bool]], values: set[str]) -> None:
    document = SchemaDocument({"allOf": [schema for schema, _ in parts]})
    node: Node = ()
    for schema, is_denied in parts:
        one = document.node(document.root, schema, "allOf")
        node += document.negation(one) if is_denied else one

    def allows(value: Any) -> bool:
        return all(jsonschema.Draft202012Validator(schema).is_valid(value) != is_denied for schema, is_denied in parts)

    lists, chosen = PlainLists(), frozenset(values)
    listed = lists.of(node)
    stock = [*TAGS, "", "xy", 1, None, 2, [], {}]
    assert listed is None or all(type(value) is str and value in listed for value in stock if allows(value))
    assert {value for value in chosen if allows(value)} <= lists.narrowed(chosen, node) <= chosen
    assert not lists.allows(chosen, node) or all(map(allows, chosen))


def test_what_a_list_tells() -> None:
    document = SchemaDocument({"enum": ["x", "y"], "type": "string"})
    (node, denial) = ((document.root,), document.negation((document.root,)))
    lists = PlainLists()
    assert lists.of(node) == {"x", "y"}
    assert lists.of(denial) is None
    assert lists.of(node + denial) == set()
    assert lists.allows(frozenset("x"), node)
    assert lists.allows(frozenset("z"), denial)
    assert not lists.allows(frozenset("xz"), node)
    shorter = document.below(document.root, {"enum": ["x"], "maxLength": 0})
    assert not lists.allows(frozenset("x"), (shorter,))


def chain(count: int) -> dict[str, Any]:
    """Schema of an object with so many kinds, each with properties of its own."""
    tags = [f"t{number}" for number in range(count)]
    kinds = [
        {
            "if": {"properties": {"type": {"enum": [one]}}},
            "then": {
                "properties": {"type": {"type": "string"}, "name": {}, f"own_{one}": {}},
                "required": ["type", f"own_{one}"],
                "additionalProperties": False,
            },
        }
        for one in tags
    ]
    return {"type": "object", "properties": {"name": {}, "type": {"enum": tags}}, "allOf": kinds}


def conjunctions(schema: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> int:
    """Number of records of objects that are conjoined until a schema is compiled."""
    count = 0
    conjoin = Objects.conjoin

    def counted(*arguments: Any) -> Any:
        nonlocal count
        count += 1
        return conjoin(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(Objects, "conjoin", counted)
        assert gk.json_schema(schema, order="any").network().root >= 0
    return count


def test_work_of_a_chain_grows_with_its_length(monkeypatch: pytest.MonkeyPatch) -> None:
    """With all products of kinds that exclude each other it is 263 and 923 conjunctions."""
    few, many = (conjunctions(chain(count), monkeypatch) for count in (10, 20))
    assert 0 < many <= 2.2 * few
