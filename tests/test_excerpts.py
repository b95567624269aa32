"""Excerpts: strings that are runs of the words of a text, by themselves and in JSON Schemas."""

from __future__ import annotations

import random
import re
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from json_texts import Judge, dumps, judge, walk
from marks import slow
from pydantic import BaseModel, Field
from schemas import random_value, whole_schema

from guidance_kit.errors import OptionError, SchemaError, UnsatisfiableError, UnsupportedFeature
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.grammars.regex import regex
from guidance_kit.grammars.regular.excerpts import excerpts
from guidance_kit.grammars.regular.expression import Deferred, Expression
from guidance_kit.grammars.regular.listing import listing
from tests.vocabularies import gpt2_like_vocabulary

WORD = re.compile(r"[東京]|[^\W東京]+|[^\w\s]")
"""What a word is, for the letters of these tests."""


def all_excerpts(text: str) -> set[str]:
    """All excerpts of a text, by trying all runs of words and all ways to write the white space."""
    words = list(WORD.finditer(text))
    found = {""}
    for first, word in enumerate(words):
        runs = {word[0]}
        found |= runs
        for before, after in zip(words[first:], words[first + 1 :], strict=False):
            gap = text[before.end() : after.start()]
            runs = {run + space + after[0] for run in runs for space in ({gap, " "} if gap else {""})}
            found |= runs
    return found


def parts_of(expression: Expression) -> list[Deferred]:
    """All deferred parts of an expression."""
    todo, seen, found = [expression], set(), []
    while todo:
        here: Any = todo.pop()
        if id(here) not in seen:
            seen.add(id(here))
            todo += getattr(here, "parts", ())
            if isinstance(here, Deferred):
                found.append(here)
                todo.append(here.body)
    return found


@given(st.text("ab 東京,.\n\té", max_size=9))
def test_excerpts_are_all_runs_of_words_and_nothing_else(text):
    expression = excerpts(text)
    found = listing(expression, 5000)
    assert found is not None
    assert set(found) == all_excerpts(text)
    for part in parts_of(expression):
        assert part.least == part.body.least > 0


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("Ann Lee's\n +49 170", ["Ann", "Lee's\n +49", "Lee's +49 170", "s"], ["An", "Lee's  +49", "9 170", " "]),
        ("cafe\u0301 x", ["cafe\u0301"], ["cafe"]),  # a mark belongs to its letter
        ("東京タワー สวัสดี", ["東", "京タ", "สวั", "タワー ส"], ["ส\u0e27"]),
        ("서울 시", ["서울"], ["서"]),  # Korean has spaces
        ("a\ud800b \ud800", ["a", "a b"], ["a\ud800b"]),  # a lone surrogate has no UTF-8
        ("", [""], [" ", "a"]),
    ],
)
def test_words_are_those_of_the_script(text, inside, outside):
    judged = judge({"type": "string"}, excerpts_of=text)
    assert [one for one in inside if not judged.accepts(dumps(one))] == []
    assert [one for one in outside if judged.accepts(dumps(one))] == []


def listed(schema: Any, text: str) -> Any:
    """A schema without `not` and the like, with the excerpts written out where strings must be some."""
    if isinstance(schema, list):
        return [listed(one, text) for one in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: value if key in ("enum", "const") else listed(value, text) for key, value in schema.items()}
    types = schema.get("type", ())
    types = [types] if isinstance(types, str) else list(types)
    if "string" not in types or not {"enum", "const", "pattern"}.isdisjoint(schema) or schema.get("format") == "date":
        return inner
    others = [{**inner, "type": kind} for kind in types if kind != "string"]
    return {"anyOf": [{**inner, "type": "string", "enum": sorted(all_excerpts(text))}, *others]}


def positive_schema(chance: random.Random, depth: int = 2) -> Any:
    """A schema in which nothing is negated, and no two schemas speak of one string."""
    kind = chance.randrange(10 if depth else 6)
    if kind < 3:
        schema: dict[str, Any] = {"type": chance.choice(["string", ["string", "null"], ["integer", "string"]])}
        if chance.random() < 0.5:
            schema |= {"minLength": chance.randrange(4)}
        if chance.random() < 0.5:
            schema |= {"maxLength": chance.randrange(3, 8)}
        return schema
    if kind == 3:
        return chance.choice([{"type": "integer"}, {"enum": ["b", "x y", 1]}, {"const": "ab ab"}, True])
    if kind == 4:
        return {"type": "string", "pattern": chance.choice(["^a", "x", "b$"])}
    if kind == 5:
        return {"type": "string", "format": chance.choice(["date", "phone"]), "maxLength": 12}
    if kind == 6:
        return {"anyOf": [positive_schema(chance, depth - 1) for _ in range(2)]}
    if kind == 7:
        return {"type": "array", "items": positive_schema(chance, depth - 1), "maxItems": 3}
    properties = {key: positive_schema(chance, depth - 1) for key in ("a", "b", "ab")}
    required = [key for key in properties if chance.random() < 0.7]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def random_text(chance: random.Random) -> str:
    return "".join(chance.choices("ab  \n,é東", k=chance.randrange(12)))


@pytest.mark.parametrize("seed", [0, *slow(1, 2, 3)])
def test_strings_are_excerpts_exactly_where_the_schema_says_no_more(seed):
    chance = random.Random(seed)
    walks = 0
    for _ in range(12):
        schema, text = positive_schema(chance), random_text(chance)
        try:
            found = judge(schema, excerpts_of=text, whitespace="json", escapes="minimal")
        except UnsatisfiableError:
            with pytest.raises(UnsatisfiableError):
                judge(listed(schema, text))
            continue
        slow = judge(listed(schema, text), whitespace="json", escapes="minimal")
        for _ in range(4):
            for one, other in ((found, slow), (slow, found)):
                walked = walk(one.automaton, chance)
                assert other.accepts(walked), f"{schema} of {text!r}: {walked!r}"
                walks += 1
    assert walks > 40


@pytest.mark.parametrize("seed", range(3))
def test_excerpts_never_let_through_what_the_schema_forbids(seed):
    chance = random.Random(seed)
    accepted = 0
    for _ in range(25):
        schema, text = whole_schema(chance), random_text(chance)
        try:
            constraint = json_schema(schema, excerpts_of=text, whitespace="json", escapes="minimal")
        except (SchemaError, UnsatisfiableError, UnsupportedFeature):
            continue
        bound, free = Judge(constraint), judge(schema, whitespace="json", escapes="minimal")
        if bound.automaton.network.has_recalls or free.automaton.network.has_recalls:
            continue  # these would have to be told what came before
        for _ in range(3):
            text = walk(bound.automaton, chance)
            assert free.accepts(text), f"{schema}: {text!r}"
            accepted += 1
        for value in (random_value(chance) for _ in range(10)):
            assert free.accepts_value(value) or not bound.accepts_value(value)
    assert accepted > 15


def test_masks_are_those_of_trying_all_tokens():
    vocabulary = gpt2_like_vocabulary()
    text = 'gh "ab" 漢字, 1234éж:\nabc'
    schema = {"type": "array", "items": {"type": "string", "maxLength": 9}, "minItems": 1}
    matcher = Matcher(json_schema(schema, excerpts_of=text).compile(vocabulary))
    chance = random.Random(2)
    for _ in range(60):
        if matcher.is_finished:
            break
        allowed = set(matcher.allowed_tokens().tolist())
        assert allowed == {token for token in range(len(vocabulary.token_bytes)) if matcher.can_advance(token)}
        matcher.advance(chance.choice(sorted(allowed)))


def test_what_enumerations_formats_keys_and_negations_say_has_nothing_to_do_with_the_text():
    schema = {
        "type": "object",
        "properties": {
            "kind": {"allOf": [{"type": "string"}, {"enum": ["refund", "praise"]}]},
            "due": {"type": "string", "format": "date"},
            "any": {},
            "no": {"not": {"type": "string"}},
        },
        "propertyNames": {"type": "string"},
        "patternProperties": {"^x-": {"type": "string"}},
        "additionalProperties": False,
    }
    judged = judge(schema, excerpts_of="Ann Lee")
    for value in ({"kind": "refund"}, {"due": "2024-02-29"}, {"any": "thing"}, {"no": 1}, {"x-new": "Lee"}):
        assert judged.accepts_value(value), value
    for value in ({"kind": "Ann"}, {"due": "Ann"}, {"no": "Bob"}, {"no": "Ann"}, {"x-new": "Bob"}):
        assert not judged.accepts_value(value), value


def test_annotated_formats_are_no_excerpts_either():
    schema = {"type": "string", "format": "date"}
    assert judge(schema, excerpts_of="Ann", formats="annotate").accepts('"2024"')


def test_items_that_differ_are_excerpts_that_differ():
    judged = judge({"type": "array", "items": {"type": "string"}, "uniqueItems": True}, excerpts_of="a b")
    assert judged.accepts('["a","b","a b",""]')
    assert not judged.accepts('["a","a"]')
    assert not judged.accepts('["a","b","a b","",""]')


def test_lengths_that_no_excerpt_has_are_a_clash():
    with pytest.raises(UnsatisfiableError):
        json_schema({"type": "string", "minLength": 9}, excerpts_of="Ann Lee")
    assert json_schema({"type": ["string", "null"], "minLength": 9}, excerpts_of="Ann Lee").sample(5) == ["null"]


class Person(BaseModel):
    name: Annotated[str, Field(max_length=30)]
    city: str | None


def test_a_constraint_is_bound_to_one_text_after_the_other():
    constraint = json_schema(Person, whitespace="compact", escapes="minimal")
    one, other = (constraint.excerpts_of(text) for text in ("Ann, Rome", "Bob"))
    assert one == json_schema(Person, whitespace="compact", escapes="minimal", excerpts_of="Ann, Rome") != other
    assert one.source == constraint.source
    assert one.parse('{"name":"Ann","city":"Rome"}') == Person(name="Ann", city="Rome")
    texts = {f'{{"name":"{name}","city":{city}}}' for name in ("", "Bob") for city in ("null", '""', '"Bob"')}
    assert len(texts.intersection(other.sample(20, seed=0))) >= 4
    judged = Judge(other)
    assert all(map(judged.accepts, texts))
    assert not judged.accepts('{"name":"Ann","city":null}')
    assert other.excerpts_of("Ann, Rome") == one


def test_the_report_names_the_text_in_short():
    report = json_schema({"type": "string"}, excerpts_of="word " * 100).report
    (option,) = report.options
    assert option.startswith("excerpts_of=word word")
    assert len(option) < 80
    assert report.shortest.value == ""


def test_what_has_no_strings_has_no_excerpts():
    with pytest.raises(OptionError, match=r"json_schema\(\), not of regex\(\)"):
        regex("a").excerpts_of("a")
    with pytest.raises(OptionError, match="excerpts_of is a text"):
        json_schema({"type": "string"}, excerpts_of=b"a")  # pyright: ignore[reportArgumentType]
