"""`Digits`: of what a schema allows exactly the texts whose numbers are plain decimals with so many digits."""

from __future__ import annotations

import json
import random
import re
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from json_texts import Judge, judge, walk

from guidance_kit.errors import OptionError, UnsatisfiableError, UnsupportedFeature
from guidance_kit.grammars.json_schema import Digits, json_schema

NUMBERS = [-11, -3, -1, 0, 1, 2, 3, 7, 10, 12, 99, 100, -0.5, 0.5, 1.5, 2.25, 9.99, 0.001]
TEXTS = [
    f"{sign}{whole}{fraction}"
    for sign, whole, fraction in product(
        ("", "-"),
        ("0", "1", "2", "3", "7", "9", "10", "11", "12", "13", "14", "99", "100", "101"),
        ("", ".0", ".1", ".5", ".9", ".00", ".01", ".25", ".50", ".99", ".001", ".999", ".5000"),
    )
] + ["1e1", "1.5e0", "1.0e2", "5e-1"]


def form(digits: Digits) -> re.Pattern[str]:
    """The numbers in the form that is asked for."""
    whole = "" if digits.whole is None else digits.whole - 1
    fraction = "" if digits.fraction is None else digits.fraction
    point = rf"(?:\.[0-9]{{1,{fraction}}})?" if digits.fraction != 0 else ""
    return re.compile(rf"-?(?:0|[1-9][0-9]{{0,{whole}}}){point}")


def random_numbers(chance: random.Random, depth: int = 2) -> Any:
    """A schema of numbers."""
    kind = chance.randrange(10 if depth else 4)
    if kind == 0:
        return {"enum": [*chance.sample(NUMBERS, chance.randrange(1, 5)), "x"]}
    if kind == 1:
        return {"type": chance.choice(["number", "integer", ["number", "null"]])}
    if kind < 7:
        schema: dict[str, Any] = {"type": chance.choice(["number", "number", "integer"])}
        bounds = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
        for keyword in chance.sample(bounds, chance.randrange(3)):
            schema[keyword] = chance.choice(NUMBERS)
        if chance.random() < 0.4:
            schema["multipleOf"] = chance.choice([1, 2, 3, 7, 0.5, 0.25, 0.1, 0.001])
        return schema
    if kind == 7:
        return {"not": random_numbers(chance, depth - 1)}
    keyword = "anyOf" if kind == 8 else "oneOf"
    return {keyword: [random_numbers(chance, depth - 1) for _ in range(2)]}


def judge_if_any(schema: Any, digits: Digits) -> Judge | None:
    try:
        return judge(schema, digits=digits)
    except UnsatisfiableError:
        return None


def compare(seed: int, schemas: int) -> int:
    """Compare with the same schema without `Digits` on each of TEXTS; return how many judgements that were."""
    chance = random.Random(seed)
    judged = 0
    for _ in range(schemas):
        schema = {"allOf": [random_numbers(chance), {"type": "number"}]}
        digits = Digits(chance.choice([None, 1, 2, 3]), chance.choice([None, 0, 1, 2, 3]))
        try:
            free = judge(schema)
        except UnsatisfiableError:
            with pytest.raises(UnsatisfiableError):
                json_schema(schema, digits=digits)
            continue
        expected = [text for text in TEXTS if form(digits).fullmatch(text) and free.accepts(text)]
        found = judge_if_any(schema, digits)
        if found is None:
            assert not expected, f"{schema} {digits}"
            continue
        assert [text for text in TEXTS if found.accepts(text)] == expected, f"{schema} {digits}"
        judged += len(TEXTS)
        for _ in range(3):
            text = walk(found.automaton, chance, patience=10).decode()
            assert form(digits).fullmatch(text), f"{schema} {digits} lets through {text}"
            assert free.accepts(text), f"{schema} {digits} lets through {text}"
    return judged


def test_the_texts_are_those_of_the_schema_in_this_form():
    assert compare(0, schemas=60) > 10_000


@pytest.mark.slow
def test_the_texts_of_many_schemas_are_those_in_this_form():
    assert compare(1, schemas=400) > 60_000


@pytest.mark.parametrize(
    ("schema", "digits", "accepted", "rejected"),
    [
        ({}, Digits(2, 1), ["12", "-1.5", '{"a": [0.1]}', '"1.234"'], ["123", "1.25", "1e1", "[0.25", '{"a": 100']),
        ({"type": "number"}, Digits(), ["1" * 50 + "." + "2" * 50], ["1e1", "1.5e3"]),
        ({"type": "integer"}, Digits(fraction=2), ["7", "1234567"], ["7.0"]),
        ({"const": 5}, Digits(fraction=0), ["5"], ["5.0"]),
        ({"const": 5}, Digits(1, 1), ["5", "5.0"], ["5.00"]),
        ({"enum": [1, 2.5, 100, 1e30]}, Digits(2, 1), ["1", "1.0", "2.5"], ["100", "1e+30", "2.50"]),
        ({"type": "number", "not": {"type": "integer"}}, Digits(1, 9), ["1.5", "0.000000001"], ["1", "1.0", "12.5"]),
        ({"minimum": 0.994, "maximum": 1}, Digits(1, 2), ["1", "1.0", "1.00"], ["0.994", "0.99", "1.000"]),
        ({"minimum": 9.5}, Digits(1, 1), ["9.5", "9.9"], ["10", "9.4", "9.55"]),
        ({"type": "array", "items": {"type": "number", "minimum": 9}, "uniqueItems": True, "minItems": 3}, Digits(1, 1),
         ["[9, 9.5, 9.9]"], ["[9, 9.0", "[9.55"]),
    ],
)  # fmt: skip
def test_texts(schema, digits, accepted, rejected):
    found = judge(schema, digits=digits, whitespace="json")
    for text in accepted:
        assert found.accepts(text), text
    for text in rejected:
        assert not found.accepts(text), text


@pytest.mark.parametrize(
    ("schema", "digits"),
    [
        ({"type": "number", "minimum": 0.001, "maximum": 0.009}, Digits(fraction=2)),
        ({"type": "integer", "minimum": 100}, Digits(whole=2)),
        ({"const": 0.25}, Digits(fraction=1)),
        ({"type": "array", "minItems": 1, "items": {"enum": [1000]}}, Digits(whole=3)),
        ({"type": "array", "items": {"type": "number"}, "uniqueItems": True, "minItems": 20}, Digits(1, 0)),
        ({"oneOf": [{"type": "number"}, {"type": "number", "multipleOf": 0.1}]}, Digits(fraction=1)),
    ],
)
def test_what_cannot_be_written_is_told_at_once(schema, digits):
    assert json_schema(schema)
    with pytest.raises(UnsatisfiableError) as caught:
        json_schema(schema, digits=digits)
    assert str(digits) in str(caught.value)


def test_parts_that_cannot_be_written_are_left_out_and_reported():
    schema = {"properties": {"a": {"minimum": 100, "type": "number"}, "b": {}}, "additionalProperties": False}
    constraint = json_schema(schema, digits=Digits(2), whitespace="compact")
    found = Judge(constraint)
    assert found.accepts('{"b":1}')
    assert found.reads('{"a":100}') < 3
    assert list(constraint.report.impossible) == ["/properties/a"]
    assert "digits=Digits(whole=2, fraction=None)" in constraint.report.options
    assert json.loads(constraint.report.shortest.text) == constraint.report.shortest.value


def test_too_many_states_are_refused_by_name():
    schema = {"type": "number", "not": {"multipleOf": 997}}
    assert judge(schema, digits=Digits(4, 2)).accepts("996.99")
    with pytest.raises(UnsupportedFeature, match="multipleOf 997"):
        json_schema(schema, digits=Digits(40, 2))


def test_digits_are_checked():
    for whole, fraction in ((0, 1), (41, 1), (1, -1), (1, 41), (1.0, 1), (True, 1), ("1", 1)):
        with pytest.raises(OptionError, match="Digits"):
            Digits(whole, fraction)
    with pytest.raises(OptionError, match="digits"):
        json_schema({}, digits=3)
    assert json_schema({}, digits=Digits(3)) == json_schema({}, digits=Digits(3)) != json_schema({}, digits=Digits(4))


DOUBLES = st.floats(allow_nan=False, allow_infinity=False)


@given(DOUBLES, st.sampled_from([{}, {"minimum": 0}, {"exclusiveMaximum": 12.5}, {"minimum": 1e300}]))
def test_counted_digits_leave_every_double(value, bounds):
    counted, free = (judge({"type": "number", **bounds}, max_digits=most) for most in (40, None))
    for text in (json.dumps(value), f"{value:.16e}" if value else "0"):
        assert counted.accepts(text) == free.accepts(text), text


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "number"},
        {"type": "integer"},
        {"type": "number", "minimum": 0},
        {"type": "number", "minimum": -3, "exclusiveMaximum": 0.5},
        {"type": "number", "multipleOf": 0.25},
        {"type": "integer", "not": {"multipleOf": 3}},
    ],
)
def test_counted_digits_are_at_most_so_many(schema):
    counted, free = judge(schema, max_digits=5), judge(schema)
    for sign, whole, fraction in product(("", "-"), range(8), range(8)):
        for digit in "013":
            text = sign + (digit * whole or "0") + ("." + digit * fraction if fraction else "")
            is_short = whole <= 5 and fraction <= 5
            assert counted.accepts(text) == (is_short and free.accepts(text)), text
    for text in ("0." + 50 * "0", "1" + 50 * "0", "1." + 50 * "0" + "e1", "1e" + 50 * "0" + "1", "0" * 50):
        assert counted.reads(text) < 20, text


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"type": "integer", "minimum": 10**30}, "1" + 30 * "0"),
        ({"type": "number", "exclusiveMinimum": 0.1, "exclusiveMaximum": 0.1000001}, "0.10000005"),
        ({"type": "number", "multipleOf": 1e-8, "minimum": 1e-8, "maximum": 1e-8}, "0.00000001"),
        ({"enum": [123456789, 0.12345678]}, "123456789"),
    ],
)
def test_counted_digits_leave_what_a_schema_needs(schema, text):
    assert judge(schema, max_digits=2).accepts(text)
    assert json_schema(schema, max_digits=2).report.options == ("max_digits=2",)


@pytest.mark.parametrize("most", [0, -1, True, 2.0, "4", 1001])
def test_counts_of_digits_are_checked(most):
    with pytest.raises(OptionError, match="max_digits"):
        json_schema(True, max_digits=most)
