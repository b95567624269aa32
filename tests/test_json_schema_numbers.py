"""Numbers: bounds, multiples and lists of values against exact fractions."""

from __future__ import annotations

import itertools
import json
import math
from decimal import Decimal
from fractions import Fraction

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from json_texts import judge
from marks import thinned

from guidance_kit.errors import SchemaError, UnsatisfiableError, UnsupportedFeature
from guidance_kit.grammars.json_schema import Digits, json_schema
from guidance_kit.grammars.json_schema.numbers.intervals import DecimalInterval

WHOLE = [str(n) for n in range(131)] + ["999", "1000", "1001", "99999", "123456789012345678901234567890"]
FRACTIONS = ["", ".0", ".00", ".5", ".50", ".05", ".9", ".25", ".125", ".12", ".13", ".1249999", ".1250001", ".999999"]
PLAIN = [sign + whole + fraction for sign in ("", "-") for whole in WHOLE for fraction in FRACTIONS]
MANTISSAS = ["1", "9", "1.0", "1.2", "1.25", "1.250", "1.249", "9.999", "5", "2.5"]
ZEROS = ["0", "0.0", "0.00"]
EXPONENTS = ["e0", "E+1", "e-1", "e2", "e-2", "e02", "e-007", "e+3", "e30", "e-30", "E300", "e-300"]
SCIENTIFIC = [sign + m + e for sign in ("", "-") for m, e in itertools.product(MANTISSAS + ZEROS, EXPONENTS)]
MALFORMED = [
    "",
    "-",
    "+1",
    "01",
    "-01",
    "00",
    ".5",
    "1.",
    "1.e5",
    "1e",
    "1e+",
    "0x1",
    "1 ",
    " 1",
    "NaN",
    "Infinity",
    "--1",
]

BOUND_KEYWORDS = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
BOUNDS = [
    {"minimum": 0},
    {"maximum": 0},
    {"exclusiveMinimum": 0},
    {"exclusiveMaximum": 0},
    {"minimum": -7, "maximum": 104},
    {"exclusiveMinimum": -7, "exclusiveMaximum": 104},
    {"minimum": 9, "maximum": 11},
    {"minimum": 99.5, "maximum": 100.5},
    {"minimum": -0.125, "maximum": 0.125},
    {"exclusiveMinimum": 0.12, "exclusiveMaximum": 0.13},
    {"minimum": 0.05},
    {"maximum": -0.05},
    {"minimum": 1.25, "maximum": 1.25},
    {"minimum": 12, "exclusiveMaximum": 1250},
    {"exclusiveMinimum": 1.249, "maximum": 125},
    {"minimum": 1e-30, "maximum": 1e30},
    {"minimum": 1e300},
    {"maximum": -1e-300},
    {"minimum": 123456789012345678901234567890},
    {"maximum": 123456789012345678901234567889},
    {"minimum": 5, "exclusiveMinimum": 5, "maximum": 6, "exclusiveMaximum": 7},
    {"multipleOf": 7},
    {"multipleOf": 7, "minimum": -20, "exclusiveMaximum": 100},
    {"multipleOf": 0.25},
    {"multipleOf": 0.05, "minimum": 0.07, "maximum": 100},
    {"multipleOf": 2.5, "minimum": -11},
    {"multipleOf": 1},
    {"multipleOf": 0.001},
]


def fits(value: Fraction, schema: dict) -> bool:
    """Test whether a number keeps to the keywords, by exact arithmetic."""
    bound = {keyword: Fraction(repr(number)) for keyword, number in schema.items() if keyword != "type"}
    return (
        value >= bound.get("minimum", value)
        and value <= bound.get("maximum", value)
        and ("exclusiveMinimum" not in bound or value > bound["exclusiveMinimum"])
        and ("exclusiveMaximum" not in bound or value < bound["exclusiveMaximum"])
        and ("multipleOf" not in bound or value % bound["multipleOf"] == 0)
    )


@pytest.mark.parametrize("schema", thinned(BOUNDS, 6), ids=json.dumps)
def test_bounds_of_numbers_are_exact(schema):
    numbers = judge({"type": "number", **schema})
    for text in PLAIN:
        assert numbers.accepts(text) == fits(Fraction(text), schema), text
    for text in SCIENTIFIC:
        assert numbers.accepts(text) == (fits(Fraction(text), schema) and "multipleOf" not in schema), text
    for text in MALFORMED:
        assert not numbers.accepts(text), text


@pytest.mark.parametrize("schema", thinned(BOUNDS, 5), ids=json.dumps)
def test_bounds_of_integers_are_exact(schema):
    try:
        integers = judge({"type": "integer", **schema})
    except UnsatisfiableError:
        assert not any(fits(Fraction(text), schema) for text in PLAIN if Fraction(text).denominator == 1)
        return
    for number in [*range(-1300, 1300), 10**29, 10**30, -(10**30), 123456789012345678901234567890]:
        assert integers.accepts(str(number)) == fits(Fraction(number), schema), number
    for text in ["-0", "1.0", "1e2", *MALFORMED]:
        assert not integers.accepts(text), text


def test_numbers_without_bounds_are_json_numbers():
    numbers = judge({"type": "number"})
    for text in [*PLAIN, *SCIENTIFIC, "-0", "-0.0", "0e0", "12.5E+07", "120e-3", "1e308", "1e+308", "1e-323"]:
        assert numbers.accepts(text), text
    for text in MALFORMED:
        assert not numbers.accepts(text), text


@pytest.mark.parametrize(
    "text", ["1e309", "-2E+308", "1e400", "1e-324", "2.4e-324", "1.7976931348623159e308", "12e307", "12345678901e300"]
)
def test_no_exponent_leaves_the_range_of_doubles(text):
    assert not judge({"type": "number"}).accepts(text)
    assert not judge({"type": "number", "minimum": -1e300}).accepts(text)


def test_other_forms_have_exponents_as_long_as_they_are_finite():
    numbers = judge({"type": "number"})
    for count, zeros in itertools.product(range(1, 25), ("", ".0")):
        whole = "9" * count + zeros
        for exponent in (-300, 0, 300 - count, 308 - count):
            is_accepted = count <= 20 or exponent <= 0
            assert numbers.accepts(f"{whole}e{exponent}") == is_accepted, (count, exponent)
        assert not numbers.accepts(f"{whole}e{309 - count}"), count
    assert numbers.accepts("0.99e308")


def spellings(value: float) -> list[str]:
    """Spellings of a double by writers of JSON: Python, JavaScript, Java, C."""
    shown = json.dumps(value)
    mantissa, _, exponent = f"{value:.16e}".partition("e")
    sign, digits = ("-", mantissa[1:]) if mantissa.startswith("-") else ("", mantissa)
    short = digits.rstrip("0").removesuffix(".")
    return [
        shown,
        shown.replace("e", "E"),
        f"{value:.16e}",
        f"{sign}{short}e{int(exponent)}",
        f"{sign}{short}E{int(exponent):+}",
        f"{sign}{short}{'' if '.' in short else '.0'}E{int(exponent)}",
    ]


DOUBLES = st.floats(allow_nan=False, allow_infinity=False)
EXTREMES = [1.7976931348623157e308, 1.5e308, 5e-324, 2.2250738585072014e-308, -1e-323, 1e22, 1e16, 1e-5, 0.0, -0.0]


@pytest.fixture(scope="module")
def any_number():
    return judge({"type": "number"})


@given(DOUBLES)
def test_every_double_can_be_written(any_number, value):
    for text in spellings(value):
        assert any_number.accepts(text), text


def test_the_greatest_and_the_least_double_can_be_written(any_number):
    for value, sign in itertools.product(EXTREMES, (1, -1)):
        for text in spellings(sign * value):
            assert any_number.accepts(text), text
        bounds = {"minimum": sign * value, "maximum": sign * value}
        assert judge({"type": "number", **bounds}).accepts(json.dumps(sign * value)), bounds


@given(
    st.lists(DOUBLES, min_size=1, max_size=3), st.sets(st.sampled_from(sorted(BOUND_KEYWORDS)), min_size=1), st.data()
)
def test_every_double_within_bounds_can_be_written(values, keywords, data):
    """Near the bounds, too: values and bounds are drawn from the same few doubles and their neighbours."""
    near = [near for value in values for near in (value, math.nextafter(value, 0), -value, math.nextafter(value, 9))]
    schema = {keyword: data.draw(st.sampled_from(near)) for keyword in sorted(keywords)}
    try:
        numbers = judge({"type": "number", **schema})
    except UnsatisfiableError:
        assert not any(fits(Fraction(json.dumps(value)), schema) for value in near)
        return
    for value in near:
        for text in spellings(value):
            is_valid = fits(Fraction(text), schema)
            assert numbers.accepts(text) == is_valid, (schema, text)
            if text == json.dumps(value):
                assert jsonschema.Draft202012Validator(schema).is_valid(value) == is_valid, (schema, text)


@given(DOUBLES, st.sampled_from([1, 2, 0.5, 0.01, 7, 250]), st.sampled_from([None, 0, -3.5]))
def test_every_double_that_is_a_multiple_can_be_written_plainly(value, multiple, minimum):
    schema = {"multipleOf": multiple, **({} if minimum is None else {"minimum": minimum})}
    numbers = judge({"type": "number", **schema})
    exact = Decimal(json.dumps(value))
    for candidate in (exact, exact - exact % Decimal(str(multiple)) if abs(exact) < 10**20 else exact):
        text = f"{candidate:f}"
        assert numbers.accepts(text) == fits(Fraction(candidate), schema), text
    assert json_schema({"type": "number", **schema}).report.narrowed == {"multipleOf": ("",)}


@given(DOUBLES, st.sampled_from([Digits(), Digits(3), Digits(None, 2), Digits(20, 7)]))
def test_every_double_with_few_digits_can_be_written(value, digits):
    text = f"{Decimal(json.dumps(value)):f}"
    whole, _, fraction = text.lstrip("-").partition(".")
    fits_digits = len(whole) <= (digits.whole or 400) and len(fraction) <= (
        400 if digits.fraction is None else digits.fraction
    )
    assert judge({"type": "number", "minimum": -1e300}, digits=digits).accepts(text) == (
        fits_digits and value >= -1e300
    )


def test_draft_4_has_boolean_exclusive_bounds():
    schema = {
        "$schema": "http://json-schema.org/draft-04/schema#",
        "minimum": 3,
        "exclusiveMinimum": True,
        "maximum": 5,
    }
    numbers = judge({**schema, "type": "integer"})
    assert [n for n in range(10) if numbers.accepts(str(n))] == [4, 5]


@pytest.mark.parametrize(
    ("schema", "accepted", "rejected"),
    [
        ({"const": 1}, ["1", "1.0"], ["1.5", "true", "10", "-1"]),
        ({"const": 1.0}, ["1", "1.0"], ["true", "1.1"]),
        ({"const": -2.5}, ["-2.5"], ["2.5", "-2.50"]),
        ({"enum": [0, 10, 100, 0.5]}, ["0", "10", "100", "0.5"], ["1", "1000", "0.05", "-0"]),
        ({"enum": [1, 2, 3], "minimum": 2}, ["2", "3"], ["1"]),
        ({"enum": [1, 2.5], "type": "integer"}, ["1"], ["1.0", "2.5"]),
        ({"const": 1e-07}, ["1e-07", "0.0000001"], ["1e-7", "0.000001"]),
        ({"const": 10**400}, ["1" + 400 * "0"], ["1e400", "1e+400"]),
        ({"const": 1e100}, ["1e+100", "1e100", "1" + 100 * "0"], ["1e10"]),
        ({"enum": [1, 2, 4, 6, 7], "multipleOf": 2}, ["2", "4", "6"], ["1", "7"]),
        ({"type": "integer", "multipleOf": 0.5, "minimum": 1, "maximum": 3}, ["1", "2", "3"], ["1.5", "0"]),
        (
            {"multipleOf": 6, "allOf": [{"multipleOf": 4}], "type": "integer", "minimum": 1},
            ["12", "24"],
            ["4", "6", "0"],
        ),
    ],
)
def test_lists_and_multiples(schema, accepted, rejected):
    numbers = judge(schema)
    for text in accepted:
        assert numbers.accepts(text), text
    for text in rejected:
        assert not numbers.accepts(text), text


STEPS = st.sampled_from([0.04, 0.25, 0.5, 1.5, 2, 3, 8, 11, 12, 25, 33])


@given(
    multiple=st.none() | STEPS,
    unless=st.lists(STEPS, max_size=2),
    low=st.none() | st.integers(-2000, 2000),
    width=st.none() | st.integers(0, 3000),
    values=st.lists(st.integers(-40_000, 40_000), min_size=30, max_size=30),
)
def test_multiples_that_are_wanted_and_not(multiple, unless, low, width, values):
    schema = {"type": "number", "allOf": [{"not": {"multipleOf": step}} for step in unless] or [{}]}
    schema |= {} if multiple is None else {"multipleOf": multiple}
    schema |= {} if low is None else {"minimum": low}
    schema |= {} if width is None else {"maximum": (low or 0) + width}

    def is_right(value: Fraction) -> bool:
        plain = {key: number for key, number in schema.items() if key != "allOf"}
        return fits(value, plain) and not any(fits(value, {"multipleOf": step}) for step in unless)

    wanted = [(value, divisor) for value in values for divisor in (1, 25, 100)]
    try:
        numbers = judge(schema)
    except UnsatisfiableError:
        assert not any(is_right(Fraction(value, divisor)) for value, divisor in wanted)
        return
    except UnsupportedFeature:
        return
    for value, divisor in wanted:
        text = f"{Decimal(value) / divisor:f}"
        assert numbers.accepts(text) == is_right(Fraction(value, divisor)), text


def test_remainders_are_explored_together(monkeypatch):
    """One call of `ways` for each of 24,024 remainders took 15 s."""
    calls = []
    ways = DecimalInterval.ways
    monkeypatch.setattr(DecimalInterval, "ways", lambda self, state: calls.append(state) or ways(self, state))
    schema = {"multipleOf": 33, "allOf": [{"not": {"multipleOf": step}} for step in (8, 91)]}
    network = json_schema(schema).network()
    network.ensure_built(network.root)
    while any(rule.start < 0 for rule in network.rules):
        for number in range(len(network.rules)):
            network.ensure_built(number)
    assert 24_000 < network.size < 26_000  # with a minus and without
    assert len(calls) < 50


def test_the_states_of_an_interval_grow_with_the_digits_of_its_bounds():
    """For each digit there are at most five states, and three where the other bound has no more digits."""

    def states(schema: dict) -> int:
        network = json_schema(schema).network()
        network.ensure_built(network.root)
        return network.size

    sizes = [states({"type": "integer", "minimum": 5 * 10**n, "maximum": 6 * 10 ** (2 * n)}) for n in (10, 20, 40)]
    assert sizes[1] - sizes[0] <= 5 * 10 + 3 * 10
    assert sizes[2] - sizes[1] <= 5 * 20 + 3 * 20


def test_an_interval_around_zero_is_written_once_for_both_signs():
    networks = [json_schema({"type": "number", "minimum": least, "maximum": 90}).network() for least in (0, -90)]
    for network in networks:
        network.ensure_built(network.root)
    assert networks[1].size <= networks[0].size + 2


def test_schemas_as_text_keep_all_their_digits():
    numbers = judge('{"type": "number", "minimum": 0.1000000000000000000001, "maximum": 0.1000000000000000000003}')
    assert numbers.accepts("0.1000000000000000000002")
    assert not numbers.accepts("0.1")
    assert judge({"const": Decimal("0.10000000000000000000000000001")}).accepts("0.10000000000000000000000000001")


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "integer", "minimum": 3, "maximum": 2}, ["minimum 3", "maximum 2"]),
        ({"type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 2}, ["integer", "exclusiveMinimum", "2"]),
        ({"type": "number", "multipleOf": 5, "minimum": 1, "maximum": 4}, ["multipleOf 5", "minimum 1", "maximum 4"]),
        ({"type": "number", "exclusiveMinimum": 1, "maximum": 1}, ["exclusiveMinimum 1", "maximum 1"]),
        ({"enum": [1, 2], "minimum": 3}, ["enum [1, 2]", "minimum 3"]),
    ],
)
def test_contradictions_are_named(schema, words):
    with pytest.raises(UnsatisfiableError) as caught:
        json_schema(schema)
    for word in words:
        assert word in str(caught.value)


def test_what_is_no_number_or_too_large_is_refused():
    with pytest.raises(UnsupportedFeature, match="multipleOf 1234567") as caught:
        json_schema({"properties": {"a": {"type": "integer", "multipleOf": 1234567}}})
    assert caught.value.where == "/properties/a/multipleOf"
    with pytest.raises(SchemaError, match="not a JSON number"):
        json_schema({"type": "number", "minimum": float("nan")})
    with pytest.raises(SchemaError, match="multipleOf"):
        json_schema({"multipleOf": 0})


def test_integers_that_are_not_written_as_such_are_reported():
    schema = {"properties": {"n": {"type": ["integer", "null"]}, "x": {"type": ["integer", "number"]}}}
    assert json_schema(schema).report.narrowed == {"integer": ("/properties/n",)}
    assert json_schema({"$schema": "http://json-schema.org/draft-04/schema#", "type": "integer"}).report.narrowed == {}
