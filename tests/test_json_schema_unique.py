"""`uniqueItems`: no two items are equal, as JSON Schema compares values, and no text runs into a dead end."""

from __future__ import annotations

import gc
import json
import random
from fractions import Fraction
from itertools import product
from typing import Any

import jsonschema
import pytest
from json_texts import Judge, judge, shuffled, walk
from marks import slow

from guidance_kit.errors import LimitError, UnsatisfiableError, UnsupportedFeature
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.token_index import TokenIndex
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.grammars.json_schema.arrays import distinct_plan
from guidance_kit.grammars.json_schema.documents.document import Location
from guidance_kit.grammars.regular.listing import listing
from guidance_kit.grammars.regular.parse import parse
from guidance_kit.vocabulary import Vocabulary


def unique(items: Any, **others: Any) -> dict[str, Any]:
    return {"type": "array", "uniqueItems": True, "items": items, **others}


BOOLEAN = {"type": "boolean"}


@pytest.mark.parametrize(
    ("schema", "accepted", "rejected"),
    [
        (
            unique({"enum": ["a", "b", 1, True, None]}),
            ["[]", '["a"]', '["b","a",true,1,null]', r'["\u0061","b"]', '[1,"a"]'],
            ['["a","a"]', r'["a","\u0061"]', "[1,1.0]", '["a","b",1,true,null,', '["a",]'],
        ),
        (unique(BOOLEAN, minItems=2), ["[true,false]"], ["[true]", "[true,true]", "[]", "[true,false,"]),
        (unique({"type": "integer", "minimum": 1, "maximum": 30}), ["[1,30,2]"], ["[1,2,1]", "[31]"]),
        (unique({"type": "string", "pattern": "^[ab]{1,2}$"}), ['["a","ab","b","bb"]'], ['["a","b","a"]']),
        (
            unique({"type": "array", "items": BOOLEAN, "maxItems": 2}),
            ["[[],[true],[true,false],[false,true]]"],
            ["[[],[]]", "[[true,false],[true,false]]"],
        ),
        (
            unique({"enum": [{"a": 1, "b": [2]}, {"a": 1}]}),
            ['[{"a":1},{"a":1,"b":[2]}]'],
            ['[{"a":1},{"a":1}]', '[{"a":1,"b":[2]},{"a":1,"b":[2.0]}]'],
        ),
        (
            unique({"properties": {"a": BOOLEAN}, "additionalProperties": False, "type": "object"}),
            ['[{},{"a":true},{"a":false}]'],
            ["[{},{}]", '[{"a":true},{"a":true}]', '[{},{"a":true},{"a":false},'],
        ),
        # the first item must leave a value for the second
        (unique(False, prefixItems=[{"enum": [1, 2]}, {"const": 1}], minItems=2), ["[2,1]"], ["[1,", "[2]"]),
        (unique(False, prefixItems=[{"enum": [1, 2]}, {"const": 1}]), ["[2,1]", "[1]", "[2]", "[]"], ["[1,", "[2,2"]),
        # more values than can be listed
        (
            unique({"type": "string"}),
            ["[]", '["b","a"]', r'["\u0061","b"]', '["a","ab",""]', r'["\\","\"","\\\""]'],
            ['["a","a"]', r'["a","\u0061"]', '["b","a","b"]', r'["\"a","x","\"a"]', r'["\\","x","\u005c"]'],
        ),
        (unique({"type": "integer"}), ["[1,2,12]", "[0,-1]"], ["[1,2,1]", "[0,0]", "[12,12]"]),
        (unique({"type": "number"}), ["[1,2,12]", "[1.5,1]"], ["[1,2,1.0]", "[0,0.0]", "[1.5,1.50]", "[100,1e2]"]),
        (unique({"type": "string", "maxLength": 2, "pattern": "^a"}), ['["a","ab"]'], ['["a","a"]', '["ab","a","ab"]']),
        (
            unique({}),
            ['[1,"1",true,[1],{"a":1},{"a":[1]},[[1]]]', "[[1],[2],[1,2]]", '[{"a":1},{"b":1}]', "[0,false,null]"],
            ["[[1],[1.0]]", '[{"a":1,"b":2},{"b":2,"a":1}]', "[[[1],2],[[1],2]]", '[{"a":1},{"a":1}]', "[1,true,1]"],
        ),
        (
            unique({"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}),
            ['[{"id":"a"},{"id":"b"},{"id":"a","x":1},{"id":"b","x":1}]'],
            ['[{"id":"a"},{"id":"b"},{"id":"a"}]', '[{"id":"a","x":1},{"x":1,"id":"a"}]'],
        ),
        (unique({}, prefixItems=[{}, {"const": 1}], minItems=2), ["[2,1]", '["x",1,3]'], ["[1,", '["x",1,1]', '["x"]']),
        # items that cannot be equal
        (unique(False, prefixItems=[{"type": "string"}, {"type": "integer"}]), ['["a",1]', "[]"], ["[1]", '["a","a"]']),
        ({"uniqueItems": True, "maxItems": 1}, ["[1]", "3"], ["[1,"]),
        ({"uniqueItems": False}, ["[1,1]"], ["[1,]"]),
    ],
)
def test_texts(schema, accepted, rejected):
    judged = judge(schema, whitespace="compact", order="any")
    for text in accepted:
        assert judged.accepts(text), text
    for text in rejected:
        assert not judged.accepts(text) if text.endswith("]") else judged.reads(text) < len(text), text


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        (unique({"type": "string"}, minItems=9), json.dumps(list("abcdefghi"))),
        (unique({"type": "array"}, minItems=4), "[[], [1], [2], [[]]]"),
        (unique({"type": "integer"}, prefixItems=[{"type": "array"}], minItems=6), "[[], 1, 2, 3, 4, 5]"),
        (unique({"type": ["array", "integer"]}, minItems=6), "[[], [1], 1, 2, 3, 4]"),
    ],
)
def test_as_many_as_must_be_written_can_be(schema, text, monkeypatch):
    monkeypatch.setattr(distinct_plan, "MAX_VALUES", 10)
    assert judge(schema, whitespace="json", escapes="minimal").accepts(text)


def test_what_is_known_about_texts_goes_with_the_network():
    constraint = json_schema(unique({"type": "string"}), whitespace="json", escapes="minimal")

    def write_and_forget(text: str) -> int:
        assert Judge(constraint).accepts(text)
        gc.collect()
        return sum(type(one) is Location for one in gc.get_objects())

    assert write_and_forget('["a", "b", "c", "d", "e", "f"]') == write_and_forget('["g", "h", "i", "j", "k", "l"]')


def test_too_few_values_are_told():
    with pytest.raises(UnsatisfiableError, match="uniqueItems"):
        json_schema(unique(BOOLEAN, minItems=3))
    with pytest.raises(UnsatisfiableError):
        json_schema(unique(False, prefixItems=[{"const": 1}, {"const": 1.0}], minItems=2))


@pytest.mark.parametrize(
    "schema",
    [
        {"not": {"uniqueItems": True}},
        unique({"enum": [1, 2]}, contains={"const": 1}),
        {"allOf": [unique({"enum": [1, 2]}), {"contains": {"const": 1}}]},
        unique({"type": "array", "items": {"const": 1}, "minItems": 1001, "maxItems": 1001}, minItems=2),
        unique({"type": "string"}, minItems=1000),
        unique({"type": "string"}, minItems=10**9),
        {"contains": unique({"enum": [1, 2]}), "maxContains": 1, "items": {"type": "array"}},
    ],
)
def test_what_is_refused(schema):
    with pytest.raises(UnsupportedFeature, match="uniqueItems"):
        json_schema(schema)


def test_a_billion_items_that_cannot_differ_are_told_at_once():
    with pytest.raises(UnsatisfiableError):
        json_schema(unique({"enum": [1, 2]}, type="array", minItems=10**9))
    with pytest.raises(UnsupportedFeature, match="uniqueItems"):
        json_schema(unique({"type": "array"}, prefixItems=[{"enum": [1]}], minItems=10**9))


SCALARS = [None, True, False, 0, 1, -1, 1.5, "", "a", "b", "1"]


def random_items(chance: random.Random, depth: int = 1) -> Any:
    kind = chance.randrange(10 if depth else 6)
    if kind == 0:
        return {"enum": chance.sample(SCALARS, chance.randrange(1, 5))}
    if kind == 1:
        return {"type": "integer", "minimum": 0, "maximum": chance.randrange(3)}
    if kind == 2:
        return {"type": ["boolean", "null"]}
    if kind == 3:
        return {"type": "string", "pattern": "^[ab]?$"}
    if kind == 4:
        return chance.choice([{"type": "string"}, {"type": "number"}, {"type": ["integer", "null"]}])
    if kind == 5:
        return chance.choice(
            [{"type": "string", "pattern": "^a"}, {"minimum": 1, "type": "number"}, {"not": {"const": 1}}]
        )
    if kind == 6:
        return {}
    if kind == 7:
        return {"type": "array", "items": random_items(chance, 0), "maxItems": chance.randrange(1, 3)}
    if kind == 8:
        properties = {key: random_items(chance, 0) for key in chance.sample("ab", chance.randrange(1, 3))}
        return {"type": "object", "properties": properties, "additionalProperties": False, "required": ["a"]}
    return {"anyOf": [random_items(chance, 0), random_items(chance, 0)]}


def random_unique(chance: random.Random) -> dict[str, Any]:
    schema = unique(chance.choice([False, random_items(chance)]))
    if chance.random() < 0.5:
        schema["prefixItems"] = [random_items(chance) for _ in range(chance.randrange(1, 4))]
    if chance.random() < 0.5:
        schema["minItems"] = chance.randrange(4)
    return schema


def random_array(chance: random.Random) -> list[Any]:
    values = [*SCALARS[:9], [], ["a"], [1, 0], {"a": 0}, {"a": 1, "b": 0}, {"b": 0}]
    return [chance.choice(values) for _ in range(chance.randrange(5))]


def compare(seed: int, schemas: int, arrays: int) -> int:
    """Compare judgements with `jsonschema`, on random arrays and on what the schema lets through; return how many."""
    chance = random.Random(seed)
    judged = 0
    for _ in range(schemas):
        schema = random_unique(chance)
        validator = jsonschema.Draft202012Validator(schema)
        try:
            found = judge(schema, order="any")
        except UnsupportedFeature as error:
            if "different arrays" not in error.feature:
                raise
            continue
        except UnsatisfiableError:
            assert not any(validator.is_valid(random_array(chance)) for _ in range(arrays)), schema
            continue
        samples = [random_array(chance) for _ in range(arrays)]
        for _ in range(10):
            try:
                value = json.loads(walk(found.automaton, chance, patience=150), parse_float=Fraction)
            except LimitError as error:
                if error.limit != "max_distinct_arrays":
                    raise
                continue
            assert validator.is_valid(value), f"{schema} lets through {value}"
            samples += [value, value + value[:1], value[::-1]]
        for value in samples:
            text = json.dumps(shuffled(value, chance), default=float)
            value = json.loads(text, parse_float=Fraction)
            try:
                is_accepted = found.accepts(text)
            except LimitError as error:
                if error.limit != "max_distinct_arrays":
                    raise
                continue
            assert is_accepted == validator.is_valid(value), f"{schema} {text}"
            judged += 1
    return judged


@pytest.mark.parametrize("schemas", [4, *slow(60)])
def test_texts_are_accepted_exactly_if_valid(schemas):
    assert compare(0, schemas=schemas, arrays=40) > 30 * schemas


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 3))
def test_texts_are_accepted_exactly_if_valid_at_length(seed):
    assert compare(seed, schemas=120, arrays=50) > 3_000


@pytest.mark.parametrize("pattern", ["", "a?b?", "[ab]{0,3}", "x(1|2)y|x1", "(?=a).{2}(?<=b)", "(?!a)[a-c]"])
def test_the_texts_of_small_languages(pattern):
    expression = parse(pattern)
    found = listing(expression, 20)
    assert found is not None
    assert len(found) == len(set(found))
    candidates = ["".join(text) for length in range(4) for text in product("abcxy12", repeat=length)]
    assert set(found) == {text for text in candidates if accepts(pattern, text)}


def accepts(pattern: str, text: str) -> bool:
    import re

    return re.fullmatch(pattern, text) is not None


@pytest.mark.parametrize("pattern", ["a*", ".", "[ab]{5}", "a|b*c"])
def test_languages_that_are_too_large(pattern):
    assert listing(parse(pattern), 20) is None


def test_many_items_of_many_values_are_not_gone_through_set_by_set():
    """50 of 60: neither masks nor reports count the sets; each value comes once, and the last ones are still there."""
    values = [f"value{n}" for n in range(60)]
    schema = {"type": "array", "items": {"enum": values}, "uniqueItems": True, "minItems": 50}
    constraint = json_schema(schema, whitespace="json")
    assert constraint.report.shortest is None
    matcher = Matcher(TokenIndex.build(constraint.network(), Vocabulary.from_bytes()))
    assert not matcher.can_be_bounded
    with pytest.raises(UnsupportedFeature, match="too many sets"):
        matcher.min_tokens_to_complete()
    text = json.dumps(values)
    places = {len(json.dumps(values[:count])) - 1: count for count in range(1, 60)}
    for place, byte in enumerate(text.encode()):
        allowed = bytes(matcher.allowed_tokens().tolist())
        assert byte in allowed
        if place in places:
            assert (ord("]") in allowed) == (places[place] >= 50)
        matcher.advance(byte)
    assert matcher.is_complete
    assert not Judge(constraint).accepts(json.dumps([*values[:50], values[3]]))
    assert json_schema({**schema, "items": {"enum": values[:10]}, "minItems": 9}).report.shortest is not None
