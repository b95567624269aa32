"""`oneOf` over objects whose tag may be absent: verdicts, and the work before the first token."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import jsonschema
import pytest
from marks import slow

import guidance_kit as gk
from guidance_kit.errors import LimitError
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.grammars.json_schema.facts.satisfaction import PlanState
from guidance_kit.grammars.json_schema.facts.schema_facts import SchemaFacts
from guidance_kit.grammars.json_schema.normal_forms import expansion
from guidance_kit.grammars.json_schema.normal_forms.exclusive_branches import ExclusiveBranches
from guidance_kit.grammars.json_schema.normal_forms.records import Objects
from guidance_kit.grammars.json_schema.objects.live_plan import LivePlan
from guidance_kit.grammars.json_schema.objects.services import ServiceTable
from guidance_kit.grammars.json_schema.objects.witness_plan import WitnessPlan


def coordinates(depth: int) -> dict[str, Any]:
    """Schema of numbers nested in arrays."""
    schema: dict[str, Any] = {"type": "number"}
    for _ in range(depth):
        schema = {"type": "array", "items": schema}
    return schema


def geometries(count: int, *, is_closed: bool = False) -> dict[str, Any]:
    """Schema of one of several objects as in GeoJSON, each with an optional tag."""
    branches = [
        {
            "type": "object",
            "properties": {
                "type": {"enum": [f"T{number}"]},
                "coordinates": coordinates(number % 3 + 1),
                "box": {"type": "array", "minItems": 2, "items": {"type": "number"}},
            },
            **({"additionalProperties": False} if is_closed else {}),
        }
        for number in range(count)
    ]
    return {"oneOf": branches}


def drawn_objects() -> Iterator[dict[str, Any]]:
    """Objects with each property absent, of a right kind for some branch, or wrong."""
    absent = object()
    tags = [absent, "T0", "T1", "T3", "T9", 1]
    nested = [absent, [], [1], [[]], [[1]], [[[1]]], [[], [1]], [[1], 1], "x"]
    for tag, value, box, more in product(tags, nested, [absent, [1], [1, 2], [1, "x"]], [absent, 1]):
        fields = {"type": tag, "coordinates": value, "box": box, "more": more}
        yield {key: field for key, field in fields.items() if field is not absent}


def accepts(automaton: Automaton, value: Any) -> bool:
    """Test whether the JSON text of a value is a text of the constraint."""
    text = json.dumps(value).encode()
    path = automaton.advance(automaton.start, text)
    return len(path) == len(text) and automaton.is_complete(int(path[-1]))


@pytest.mark.parametrize("order", ["declared", "any"])
@pytest.mark.parametrize("is_closed", [False, True])
@pytest.mark.parametrize("required", [[], *slow(["type"]), ["coordinates"]])
@pytest.mark.parametrize("count", [2, *slow(4)])
def test_texts_are_those_of_the_schema(count: int, required: list[str], is_closed: bool, order: Any) -> None:
    schema = {**geometries(count, is_closed=is_closed), "required": required}
    automaton = Automaton(gk.json_schema(schema, order=order).network())
    is_valid = jsonschema.Draft202012Validator(schema).is_valid
    verdicts = []
    for value in drawn_objects():
        verdicts.append(is_valid(value))
        assert accepts(automaton, value) == verdicts[-1], value
    assert any(verdicts)
    assert not all(verdicts)


@pytest.mark.parametrize(
    ("items", "contains"),
    [
        ({"type": "array", "items": {"type": "number"}}, {"not": {"type": "number"}}),
        ({"type": "string"}, {"type": "number"}),
        ({"enum": [1, 2, "x"]}, {"type": "number"}),
        ({}, {"type": "null"}),
        (False, {"type": "null"}),
    ],
)
def test_counts_that_all_items_fulfil_or_none(items: Any, contains: Any) -> None:
    schema = {
        "type": "array",
        "allOf": [{"items": items}, {"contains": contains}, {"not": {"items": {"type": "boolean"}}}],
    }
    is_valid = jsonschema.Draft202012Validator(schema).is_valid
    values = [list(found) for length in range(4) for found in product([1, "x", [1], [], None, True], repeat=length)]
    valid = [value for value in values if is_valid(value)]
    if not valid:
        with pytest.raises(gk.UnsatisfiableError):
            gk.json_schema(schema)
        return
    automaton = Automaton(gk.json_schema(schema).network())
    for value in values:
        assert accepts(automaton, value) == is_valid(value), value


def work_before_the_first_token(schema: Any, monkeypatch: pytest.MonkeyPatch) -> int:
    """Conjunctions of shapes and steps of plans while a schema is compiled and its first rule is built."""
    count = 0

    def counted(function: Any) -> Any:
        def call(*arguments: Any, **options: Any) -> Any:
            nonlocal count
            count += 1
            return function(*arguments, **options)

        return call

    with monkeypatch.context() as patched:
        patched.setattr(expansion, "conjoin", counted(expansion.conjoin))
        patched.setattr(WitnessPlan, "_services", counted(WitnessPlan._services))  # pyright: ignore[reportPrivateUsage]
        patched.setattr(SchemaFacts, "is_satisfiable", counted(SchemaFacts.is_satisfiable))
        gk.json_schema(schema).network().ensure_built(0)
    return count


def test_work_before_the_first_token_grows_with_pairs_of_branches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without conditions dropped early, two more branches cost six times the work: 24,892 steps for eight."""
    work = {count: work_before_the_first_token(geometries(count), monkeypatch) for count in (4, 8)}
    assert work[8] <= 2_000
    assert work[8] <= 8 * work[4]


def nested(counts: tuple[int, ...]) -> dict[str, Any]:
    """Schema of one of several closed objects with an optional tag, every second with others in it."""
    if not counts:
        return {"type": "integer"}
    branches: list[dict[str, Any]] = []
    for number in range(counts[0]):
        tag = {"kind": {"const": f"k{number}"}}
        if number % 2:
            branches.append({"type": "object", "properties": {**tag, f"own{number}": {}, "shared": {"type": "string"}}})
        else:
            properties = {**tag, "shared": {"type": "integer"}, "inner": nested(counts[1:])}
            required = {"required": ["inner"], "additionalProperties": False}
            branches.append({"type": "object", "properties": properties, **required})
    return {"oneOf": branches}


def calls(monkeypatch: pytest.MonkeyPatch, functions: list[tuple[type, str]], make: Callable[[], Any]) -> Counter[str]:
    """Numbers of calls of functions while something is made."""
    found: Counter[str] = Counter()

    def counted(name: str, function: Any) -> Any:
        def call(*arguments: Any) -> Any:
            found[name] += 1
            return function(*arguments)

        return call

    with monkeypatch.context() as patched:
        for owner, name in functions:
            patched.setattr(owner, name, counted(name, getattr(owner, name)))
        make()
    return found


def test_a_schema_with_too_many_alternatives_is_refused_after_few_products(monkeypatch: pytest.MonkeyPatch) -> None:
    """All products of a value were made to see whether there is one, and all pairs of alternatives were compared:
    17,734 products and 530,252 comparisons."""

    def refused() -> None:
        with pytest.raises(LimitError, match="max_alternatives=256"):
            gk.json_schema(nested((3, 3, 3, 3)))

    work = calls(monkeypatch, [(Objects, "conjoin"), (Objects, "implies")], refused)
    assert 0 < work["conjoin"] <= 8_000
    assert work["implies"] <= 1_000


def test_what_values_do_for_conditions_is_found_once_in_a_document(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of the 573 combinations of branches asked for itself: 829 times."""
    schema = nested((4, 3, 3))
    work = calls(monkeypatch, [(ServiceTable, "_find")], lambda: gk.json_schema(schema).network())
    assert 0 < work["_find"] <= 320


@pytest.mark.parametrize(
    ("branches", "compared"),
    [
        ([{"const": f"w{number}", "title": str(number)} for number in range(500)], 0),
        ([{"enum": [number, f"w{number}", None][:2]} for number in range(500)], 0),
        ([*({"const": number} for number in range(200)), {"type": "string"}], 200),
        ([{"properties": {"tag": {"const": f"t{n}"}}, "required": ["tag"], "type": "object"} for n in range(100)], 0),
        ([{"const": number % 250} for number in range(500)], 250),
    ],
)
def test_branches_with_lists_of_values_are_compared_by_value(
    branches: list[dict[str, Any]], compared: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = 0
    decide = ExclusiveBranches._are_disjoint

    def counted(*arguments: Any) -> bool:
        nonlocal count
        count += 1
        return decide(*arguments)

    monkeypatch.setattr(ExclusiveBranches, "_are_disjoint", counted)
    try:
        gk.json_schema({"oneOf": branches})
    except gk.UnsatisfiableError:
        assert compared == 250  # each value is of two branches
    assert count == compared


@pytest.mark.parametrize(
    "branches",
    [
        [{"enum": [1, 2]}, {"enum": [2, 3]}, {"enum": [True, "1"]}, {"const": 1.0}],
        [{"const": None}, {"type": ["null", "boolean"]}, {"const": False}],
        [{"required": ["tag"], "properties": {"tag": {"enum": tags}}} for tags in ([1, 2], [2, "x"], ["y"])],
        [{"required": ["a", "tag"], "properties": {"tag": {"const": 1}}}, {"required": ["tag"]}, {"const": {"tag": 1}}],
    ],
)
def test_values_of_several_branches_are_refused(branches: list[dict[str, Any]]) -> None:
    schema = {"oneOf": branches}
    automaton = Automaton(gk.json_schema(schema, order="any").network())
    judge = jsonschema.Draft202012Validator(schema)
    scalars = [None, True, False, 1, 2, 3, "1", "x", "y", "z"]
    values = [*scalars, {}, {"a": 1}, *({"tag": tag} for tag in scalars), *({"a": 0, "tag": tag} for tag in scalars)]
    for value in values:
        assert accepts(automaton, value) == judge.is_valid(value), value


def steps_of_plans(count: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """States of plans that are looked at for objects with exactly one of some keys, along one text."""
    looked_at = 0
    steps = WitnessPlan.steps

    def counted(*arguments: Any) -> Any:
        nonlocal looked_at
        looked_at += 1
        return steps(*arguments)

    value = {"type": "string", "minLength": 1}
    branches = [{"properties": {f"k{n}": value}, "required": [f"k{n}"]} for n in range(count)]
    schema = {"oneOf": branches, "properties": {f"k{n}": value for n in range(count)}, "additionalProperties": False}
    with monkeypatch.context() as patch:
        patch.setattr(WitnessPlan, "steps", counted)
        automaton = Automaton(gk.json_schema(schema, order="any").network())
        assert accepts(automaton, {"k1": "x"})
        assert not accepts(automaton, {"k1": "x", "k2": "y"})
        assert not accepts(automaton, {})
    return looked_at


def test_keys_that_need_not_come_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """With all keys looked at from each state it is 550 and 4,200 states."""
    few, many = steps_of_plans(10, monkeypatch), steps_of_plans(20, monkeypatch)
    assert many <= 4.5 * few
    assert many <= 1_000


def exactly_one_key(count: int) -> dict[str, Any]:
    """Schema of objects with exactly one of some keys with a right value."""
    branches = [{"properties": {f"k{n}": {"type": "boolean"}}, "required": [f"k{n}"]} for n in range(count)]
    return {"oneOf": branches, "properties": {f"k{n}": {} for n in range(count)}, "additionalProperties": False}


def test_next_keys_are_written_when_a_text_gets_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """One value tells the branches apart: with the next keys of all of them at once it is 132 transitions."""
    count, transitions = 12, 0
    choices = LivePlan.choices

    def counted(*arguments: Any) -> Iterator[Any]:
        nonlocal transitions
        for step in choices(*arguments):
            transitions += 1
            yield step

    monkeypatch.setattr(LivePlan, "choices", counted)
    automaton = Automaton(gk.json_schema(exactly_one_key(count), order="any").network())
    automaton.advance(automaton.start, b'{"k0')
    before = transitions
    automaton.advance(automaton.start, b'{"k0":1')
    assert transitions - before <= 2 * count
    automaton.advance(automaton.start, b'{"k0":1,"k')
    assert transitions - before > 4 * count


def test_last_chances_of_free_keys_are_seen_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong value must come for each other key that is there, so a transition with a right one is not looked at."""
    asked = 0
    is_satisfiable = SchemaFacts.is_satisfiable

    def counted(facts: SchemaFacts, goal: Any) -> bool:
        nonlocal asked
        asked += isinstance(goal, PlanState)
        return is_satisfiable(facts, goal)

    schema = exactly_one_key(4)
    monkeypatch.setattr(SchemaFacts, "is_satisfiable", counted)
    automaton = Automaton(gk.json_schema(schema, order="any").network())
    is_valid = jsonschema.Draft202012Validator(schema).is_valid
    verdicts = []
    for values in product([None, True, 1], repeat=4):
        for turn in (1, -1):
            value = {f"k{n}": value for n, value in [*enumerate(values)][::turn] if value is not None}
            verdicts.append(is_valid(value))
            assert accepts(automaton, value) == verdicts[-1], value
    assert any(verdicts)
    assert not all(verdicts)
    assert asked <= 16, "36 without"
