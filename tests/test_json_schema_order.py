"""`order="any"`: properties come in every order, each declared one at most once, and the counts are right."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from itertools import permutations
from typing import Any

import jsonschema
import pytest
from json_texts import Judge, dumps, judge, shuffled, walk
from marks import slow
from schemas import random_value, whole_schema

from guidance_kit.errors import OptionError, SchemaError, UnsatisfiableError, UnsupportedFeature
from guidance_kit.grammars.json_schema import json_schema

NUMBER = {"type": "integer"}


@pytest.mark.parametrize(
    ("schema", "accepted", "rejected"),
    [
        (
            {"properties": {"a": NUMBER, "b": NUMBER}, "required": ["a"], "additionalProperties": False},
            ['{"a":1}', '{"a":1,"b":2}', '{"b":2,"a":1}'],
            ["{}", '{"b":2}', '{"a":1,"a":1}', '{"b":1,"a":1,"b":1}', r'{"a":1,"\u0061":1}', '{"a":1,"c":1}'],
        ),
        (
            {"properties": {"a": NUMBER}, "required": ["a", "z"], "additionalProperties": {"type": "null"}},
            ['{"z":null,"a":1}', '{"x":null,"a":1,"y":null,"z":null}'],
            ['{"x":null,"a":1,"y":null}', '{"z":null,"a":null}', '{"z":null,"z":null,"a":1}'],
        ),
        (
            {"properties": {"a": {}, "b": {}, "c": {}}, "additionalProperties": False, "minProperties": 2},
            ['{"c":1,"a":1}', '{"b":1,"c":1,"a":1}'],
            ['{"c":1}', '{"c":1,"c":1}'],
        ),
        (
            {"properties": {"a": {}, "b": {}}, "maxProperties": 2, "required": ["a"]},
            ['{"a":1}', '{"x":1,"a":1}', '{"b":1,"a":1}'],
            ['{"x":1,"b":1}', '{"b":1,"x":1}', '{"x":1,"b":1,"a":1}'],
        ),
        (
            {"properties": {"a": {}, "b": {}}, "dependentRequired": {"a": ["b"]}, "additionalProperties": False},
            ["{}", '{"b":1}', '{"b":1,"a":1}', '{"a":1,"b":1}'],
            ['{"a":1}'],
        ),
        (
            {
                "properties": {"b": {}},
                "if": {"properties": {"kind": {"const": 1}}, "required": ["kind"]},
                "then": {"required": ["b"]},
                "else": {"properties": {"b": False}},
            },
            ['{"b":0,"kind":1}', '{"kind":1,"x":0,"b":0}', '{"kind":2,"x":0}', "{}"],
            ['{"b":0,"kind":2}', '{"b":0}', '{"kind":1}'],
        ),
        (
            {
                "anyOf": [{"properties": {"a": NUMBER}, "required": ["a"]}, {"properties": {"b": NUMBER}}],
                "unevaluatedProperties": False,
            },
            ['{"b":1,"a":1}', '{"a":1,"b":1}', '{"a":1}', "{}"],
            ['{"c":1}', '{"b":1,"c":1,"a":1}'],
        ),
    ],
)
def test_texts(schema, accepted, rejected):
    judged = judge(schema, order="any", whitespace="compact")
    for text in accepted:
        assert judged.accepts(text), text
    for text in rejected:
        assert not judged.accepts(text), text


def test_every_order_of_the_keys():
    properties = dict.fromkeys("abcde", NUMBER)
    for extra in ({}, {"maxProperties": 5, "minProperties": 5}, {"not": {"properties": {"c": {"const": 0}}}}):
        schema = {"properties": properties, "required": ["c"], "additionalProperties": False, **extra}
        judged = judge(schema, order="any", whitespace="json")
        for keys in permutations("abcde"):
            assert judged.accepts(dumps(dict.fromkeys(keys, 7)))


def test_what_is_written_is_what_a_text_takes():
    keys = [f"key{number}" for number in range(60)]
    judged = judge({"properties": dict.fromkeys(keys, NUMBER)}, order="any")
    random.Random(0).shuffle(keys)
    assert judged.accepts(dumps(dict.fromkeys(keys, 1)))
    assert not judged.accepts(dumps(dict.fromkeys(keys, 1))[:-1] + f', "{keys[7]}": 1}}')
    assert judged.automaton.statistics()["rules"] < 60 * 60


def random_count(chance: random.Random) -> dict[str, Any]:
    """A schema that asks for several properties out of few possible ones."""
    names = chance.choice(
        [{"enum": chance.sample("abcde", 4)}, {"pattern": "^[a-d]$"}, {"maxLength": 1, "pattern": "[ace]"}]
    )
    schema = {"type": "object", "propertyNames": names, "minProperties": chance.randrange(2, 5)}
    if chance.random() < 0.5:
        schema["properties"] = {key: chance.choice([{}, NUMBER, False]) for key in chance.sample("abcdef", 2)}
    if chance.random() < 0.4:
        schema["required"] = chance.sample("abc", chance.randrange(1, 3))
    if chance.random() < 0.4:
        schema["patternProperties"] = {"^[bcd]": chance.choice([{"type": "string"}, {"minimum": 1}])}
    if chance.random() < 0.3:
        schema["maxProperties"] = chance.randrange(3, 5)
    if chance.random() < 0.3:
        schema["not"] = chance.choice([{"required": ["a", "d"]}, {"additionalProperties": NUMBER}])
    return schema


@pytest.mark.parametrize("count", [25, *slow(60)])
def test_several_out_of_few_keys(count):
    """With each order all values that are valid can be written, and no others; undeclared keys in any order."""
    chance = random.Random(0)
    judged = 0
    for _ in range(count):
        schema = random_count(chance)
        validator = jsonschema.Draft202012Validator(schema)
        keys = [chance.sample("abcdef", chance.randrange(6)) for _ in range(25)]
        values = [{key: chance.choice([0, 1, "x"]) for key in some} for some in keys]
        try:
            judges = [judge(schema, order=order, whitespace="json") for order in ("declared", "any")]
        except UnsatisfiableError:
            assert not any(map(validator.is_valid, values)), schema
            continue
        for value in values:
            is_valid = validator.is_valid(value)
            assert judges[0].accepts_value(value) == is_valid, f"{schema} {value}"
            assert judges[1].accepts(dumps(value)) == is_valid, f"{schema} {value}"
            judged += 1
        for judged_here in judges:
            assert validator.is_valid(json.loads(walk(judged_here.automaton, chance))), schema
    assert judged > 13 * count


def test_listed_keys_come_in_any_order():
    judged = judge({"propertyNames": {"pattern": "^[a-i]$"}, "minProperties": 7}, whitespace="json")
    for keys in ("abcdefg", "gfedcbai", "ihgfedcba"):
        assert judged.accepts(dumps(dict.fromkeys(keys, 7)))
    assert not judged.accepts(dumps(dict.fromkeys("abcdef", 7)))
    assert not judged.accepts('{"a": 1, "a": 2, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1}')


def test_the_order_is_an_option():
    schema = {"properties": {"a": {}}}
    assert json_schema(schema, order="any") != json_schema(schema)
    assert json_schema(schema, order="any").report.options == ("order=any",)
    with pytest.raises(OptionError, match="declared"):
        json_schema(schema, order="declare")  # pyright: ignore


def compare(seed: int, schemas: int, values: int) -> tuple[int, int]:
    """Compare judgements with `jsonschema`; return how many schemas were compiled, and how many texts judged."""
    chance = random.Random(seed)
    compiled = judged = 0
    for _ in range(schemas):
        schema = whole_schema(chance)
        samples = [random_value(chance) for _ in range(values)]
        validator = jsonschema.Draft202012Validator(json.loads(json.dumps(schema), parse_float=Fraction))
        try:
            judge = Judge(json_schema(schema, order="any"))
        except (UnsupportedFeature, SchemaError):
            continue
        except UnsatisfiableError:
            assert not any(map(validator.is_valid, samples)), json.dumps(schema)
            continue
        compiled += 1
        for value in samples:
            is_valid = validator.is_valid(value)
            for _ in range(3 if isinstance(value, dict | list) else 1):
                text = dumps(shuffled(value, chance))
                assert judge.accepts(text) == is_valid, f"{json.dumps(schema)} {text} is {is_valid}"
                judged += 1
        for _ in range(2):
            text = walk(judge.automaton, chance)
            assert validator.is_valid(json.loads(text, parse_float=Fraction)), f"{json.dumps(schema)}: {text!r}"
    return compiled, judged


@pytest.mark.parametrize("schemas", [80, *slow(200)])
def test_texts_are_accepted_exactly_if_valid(schemas):
    compiled, judged = compare(0, schemas=schemas, values=20)
    assert compiled > schemas // 2
    assert judged > 15 * schemas


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 5))
def test_texts_are_accepted_exactly_if_valid_at_length(seed):
    compiled, _ = compare(seed, schemas=700, values=25)
    assert compiled > 400
