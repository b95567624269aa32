"""Strings of Python types: each pattern against pydantic's validators, over many strings."""

from __future__ import annotations

import datetime
import itertools
import json
import re
from decimal import Decimal
from typing import Annotated

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from marks import slow
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from guidance_kit.errors import GuidanceKitError, UnsupportedFeature
from guidance_kit.grammars import python_strings as strings
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.grammars.json_schema.strings.languages import is_member, pattern_expression
from guidance_kit.grammars.python_patterns import PatternRefusal, ecma_pattern

PLAIN = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?")
SHORT_DECIMALS = [
    text
    for length in range(1, 7)
    for text in map("".join, itertools.product("-.019", repeat=length))
    if PLAIN.fullmatch(text)
]


def takes(adapter: TypeAdapter, value: object) -> bool:
    try:
        adapter.validate_python(value)
    except ValidationError:
        return False
    return True


def check_decimals(bounds: dict, texts: list[str]) -> None:
    """Compare the pattern of a Decimal with its validator."""
    annotation = Annotated[Decimal, Field(**bounds)]
    schema = json_schema(annotation)
    adapter = TypeAdapter(annotation)
    pattern = re.compile(_as_python(_pattern_of(schema.source)))
    wrong = [text for text in texts if bool(pattern.search(text)) != takes(adapter, text)]
    assert not wrong, (bounds, wrong[:5])


def _pattern_of(source: str) -> str:
    schema = json.loads(source)
    return "".join(f"(?={one['pattern'][:-1]}\\Z)" for one in (schema, *schema.get("allOf", ())))


def _as_python(pattern: str) -> str:
    return pattern.replace("$)", "\\Z)")


DIGITS = [
    {"max_digits": 1}, {"max_digits": 3}, {"decimal_places": 0}, {"decimal_places": 2},
    {"max_digits": 3, "decimal_places": 1}, {"max_digits": 2, "decimal_places": 2},
    {"max_digits": 1, "decimal_places": 3}, {"max_digits": 4, "decimal_places": 0},
]  # fmt: skip


@pytest.mark.parametrize("bounds", DIGITS, ids=str)
def test_digits_of_decimals_are_counted_as_pydantic_does(bounds):
    check_decimals(bounds, SHORT_DECIMALS)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["ge", "gt", "le", "lt"]),
    st.decimals(min_value=-120, max_value=120, places=2).map(lambda bound: bound.normalize()),
)
def test_bounds_of_decimals(name, bound):
    near = [bound + step for step in map(Decimal, ("-1", "-0.1", "-0.01", "0", "0.001", "0.01", "1", "-20"))]
    texts = [*SHORT_DECIMALS[::40], *(f"{one:f}" for one in near), *(f"{one:f}0" for one in near if "." in f"{one:f}")]
    check_decimals({name: bound}, texts)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(["ge", "gt", "le", "lt"]), st.dates(), st.lists(st.dates(), min_size=20, max_size=20))
def test_bounds_of_dates(name, bound, others):
    is_lower, is_strict = name in ("ge", "gt"), name in ("gt", "lt")
    pattern = re.compile(strings.date_bound(bound, is_lower=is_lower, is_strict=is_strict))
    adapter = TypeAdapter(Annotated[datetime.date, Field(**{name: bound})])
    near = [bound + datetime.timedelta(days) for days in (-1, 0, 1) if datetime.date.min < bound < datetime.date.max]
    for day in (bound, *near, *others):
        assert bool(pattern.search(day.isoformat())) == takes(adapter, day), day


@settings(max_examples=200, deadline=None)
@given(st.timedeltas())
def test_durations(duration):
    text = TypeAdapter(datetime.timedelta).dump_json(duration).decode().strip('"')
    is_written = bool(re.search(strings.DURATION, text))
    assert is_written or abs(duration).days >= 2_700_000 * 365


@settings(max_examples=300, deadline=None)
@given(st.complex_numbers(allow_nan=True, allow_infinity=True))
def test_complex_numbers(number):
    text = TypeAdapter(complex).dump_json(number).decode().strip('"')
    assert re.search(strings.COMPLEX, text), text


def test_longer_bounds_of_decimals_are_refused():
    with pytest.raises(UnsupportedFeature, match="long bound"):
        json_schema(Annotated[Decimal, Field(lt=Decimal("1E+1000"))])


PATTERNS = [
    "a", "^a$", r"\d+", r"^\D$", r"^\w\W$", r"^\s\S$", r"^.$", "^[^a]$", r"^[\w-]+$", r"^[\d\s]$", r"^[^\W\d_]$",
    r"\ba\b",
    r"^(?P<year>\d{4})-(?:0[1-9]|1[0-2])$", r"\A-?\d+(\.\d{2})?\Z", r"\A-?\d+(\.\d{2})?\z", "a|b$", "^(a|b){2,3}?$",
    r"^\p{Lu}\pL*$", r"^\x41\x{42}?$", r"^é+\é?$", r"^[]a]$", r"^a{2}$", r"\.\-\/", r"^[\.\-a]$", "", r"\t|\n",
]  # fmt: skip
CHARACTERS = "aAbBzéÉ_٣3 -./]\t\n\r\x1c\x85\u2028\ufeff\u200d"


@pytest.mark.parametrize("first", ["a٣-", *slow("é ")])
@pytest.mark.parametrize("engine", ["rust-regex", "python-re"])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_patterns_mean_what_the_engine_of_pydantic_means(pattern, engine, first):
    annotation = Annotated[str, Field(pattern=pattern)]
    config = ConfigDict(regex_engine=engine)
    try:
        adapter = TypeAdapter(annotation, config=config)
        adapter.validate_python("a")
    except ValidationError:
        pass
    except Exception:  # the engine does not know the syntax
        pytest.skip("not of this engine")
    try:
        expression = pattern_expression(ecma_pattern(pattern, engine))
    except PatternRefusal:
        assert engine == "python-re"
        assert r"\p" in pattern or r"\x{" in pattern
        return
    texts = [
        *CHARACTERS,
        *map("".join, itertools.product(first, CHARACTERS)),
        "",
        "2024-05",
        "-12.50",
        "aba",
        "12.5\n",
    ]
    wrong = [text for text in texts if is_member(text, expression) != takes(adapter, text)]
    assert not wrong, wrong


@pytest.mark.parametrize(
    "pattern", ["(?i)a", "(?s).", "(?x) a", "[a-z&&[^b]]", "[[:alpha:]]", r"\<a", r"(?i:a)b", r"a{,2}"]
)
def test_other_syntax_is_refused(pattern):
    with pytest.raises(PatternRefusal):
        ecma_pattern(pattern, "rust-regex")


ADDRESSES = ["a@example.org", "a.b+c@sub.example.co.uk", "x_y@a-b.de", "!#$%&'*+-/=?^_`{|}~@example.com"]
NO_ADDRESSES = [
    "a@b", "a@example.test", "a@x.localhost", ".a@example.org", "a..b@example.org", "a@-b.org", "a@b-.org",
    f"{'a' * 65}@example.org", "a b@example.org", '"a"@example.org', "a@[1.2.3.4]", "a@ab--c.org",
]  # fmt: skip


def test_addresses_of_mail():
    pattern = re.compile(strings.EMAIL)
    assert all(map(pattern.search, ADDRESSES))
    assert not any(map(pattern.search, NO_ADDRESSES))


def test_addresses_of_mail_are_those_of_the_package():
    pytest.importorskip("email_validator")
    from pydantic import EmailStr

    adapter = TypeAdapter(EmailStr)
    assert all(takes(adapter, address) for address in ADDRESSES)
    for text in json_schema(EmailStr).sample(40, seed=1):
        adapter.validate_json(text)


def test_a_type_that_needs_a_package_says_which():
    try:
        import email_validator  # noqa: F401
    except ImportError:
        from pydantic import EmailStr

        with pytest.raises(GuidanceKitError, match="email-validator"):
            json_schema(EmailStr)
