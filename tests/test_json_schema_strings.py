"""Strings: escapes, lengths in code points, patterns and formats."""

from __future__ import annotations

import base64
import binascii
import datetime
import ipaddress
import itertools
import json
import random
import re
import uuid
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from json_texts import Judge, judge, walk
from marks import slow

from guidance_kit.errors import SchemaError, UnsatisfiableError, UnsupportedFeature
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.network import Network
from guidance_kit.fsm.opcodes import FINAL
from guidance_kit.fsm.token_index import TokenIndex
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.grammars.json_schema.formats.table import FORMATS
from guidance_kit.grammars.json_schema.strings.spellings import SHORT, escape_edges
from guidance_kit.grammars.json_schema.strings.spelt_characters import spellings as character_spellings
from guidance_kit.grammars.regular.charset import ALL, CharSet
from guidance_kit.vocabulary import Vocabulary

ANY_STRING = {"type": "string"}
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
SURROGATES = range(0xD800, 0xE000)


def spellings(code: int) -> list[str]:
    """All ways to write one character between the quotes of a JSON string, without every mix of cases."""
    units = [code] if code < 0x10000 else [0xD800 + (code - 0x10000 >> 10), 0xDC00 + (code & 0x3FF)]
    short = {0x22: '\\"', 0x5C: "\\\\", 0x2F: "\\/", 8: "\\b", 12: "\\f", 10: "\\n", 13: "\\r", 9: "\\t"}
    ways = ["".join(f"\\u{unit:04x}" for unit in units), "".join(f"\\u{unit:04X}" for unit in units)]
    if code in short:
        ways.append(short[code])
    if code >= 0x20 and code not in (0x22, 0x5C):
        ways.append(chr(code))
    return ways


def sample_codes(step: int = 997) -> list[int]:
    """All of ASCII, both ends of everything, and every `step`-th other code point."""
    edges = [0x7F, 0x80, 0x7FF, 0x800, 0xFFF, 0x1000, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x103FF, 0x10400, 0x10FFFF]
    codes = {*range(0x100), *edges, *range(0x100, 0x110000, step)}
    return sorted(codes.difference(SURROGATES))


def test_every_spelling_of_a_character_is_accepted_and_is_one_character():
    for name, strings in [("any", judge(ANY_STRING)), ("one", judge({"minLength": 1, "maxLength": 1}))]:
        for code in sample_codes():
            for way in spellings(code):
                assert strings.accepts(f'"{way}"'), (name, way)
    one = judge({"type": "string", "maxLength": 1})
    for code in sample_codes(step=9973):
        for way in spellings(code):
            assert not one.accepts(f'"{way}a"'), way


@pytest.mark.slow
def test_every_code_point_has_all_its_spellings():
    strings = judge({"type": "string", "minLength": 1, "maxLength": 1})
    for code in itertools.chain(range(0xD800), range(0xE000, 0x110000)):
        for way in spellings(code):
            assert strings.accepts(f'"{way}"'), way


def test_every_spelling_of_a_character_in_a_listed_text_is_accepted():
    for code in sample_codes(step=9973):
        listed = judge({"enum": [f"a{chr(code)}b", "x", f"{chr(code)}y"]})
        for way in spellings(code):
            assert listed.accepts(f'"a{way}b"'), way
            assert listed.accepts(f'"{way}y"'), way
            assert not listed.accepts(f'"a{way}"'), way
        assert listed.accepts('"x"'), code


def escapes(network: Network, start: int) -> set[str]:
    """All texts of the states of a small automaton without cycles."""
    texts: set[str] = set()
    todo = [(start, "")]
    while todo:
        state, text = todo.pop()
        for op, target, _ in network.edges[state]:
            if op == FINAL:
                texts.add(text)
            else:
                todo += ((target, text + chr(byte)) for byte in range(op & 255, (op >> 8) + 1))
    return texts


def units(character: str) -> list[str]:
    """Code units of a character, as they are written after backslashes."""
    digits = character.encode("utf-16-be").hex()
    return [f"u{digits[place : place + 4]}" for place in range(0, len(digits), 4)]


CHARACTERS = st.characters(exclude_categories=["Cs"]) | st.characters(max_codepoint=0x101) | st.sampled_from('"/\\\b\t')


@given(st.sets(CHARACTERS, min_size=1, max_size=8), st.booleans())
def test_escapes_of_a_set_are_those_of_its_characters(characters, every):
    """After the backslash: in all ways that JSON has, or in the one of `json.dumps`, which escapes no `/`."""
    network = Network()
    edges, size = escape_edges(CharSet.characters(characters), every=every)
    network.states(size)
    network.flat.frombytes(edges.tobytes())
    short = {character for character in characters if ord(character) in SHORT}
    if every:
        wanted = {SHORT[ord(character)].decode() for character in short}
        wanted |= {way[1:].decode() for one in characters for way in character_spellings(one) if way[1:2] == b"u"}
    else:
        wanted = {json.dumps(one)[2:-1] for one in short - {"/"}}
        wanted |= {"".join(f"\\{unit}" for unit in units(one))[1:] for one in characters - short}
    assert escapes(network, 0) == wanted


@pytest.mark.parametrize("gap", [(), (0x41, 0x41), (0xFF, 0x101), (0x100, 0x100), (0xFF, 0xFF), (0x4E00, 0x1F600)])
def test_escapes_of_a_large_set(gap):
    charset = ALL - CharSet.of([gap] if gap else [])
    network = Network()
    edges, size = escape_edges(charset, every=True)
    network.states(size)
    network.flat.frombytes(edges.tobytes())
    ends: dict[int, set[int]] = {}
    for code in sample_codes():
        for way in spellings(code):
            if way[0] != "\\":
                continue
            states = {0}
            for byte in way[1:].encode():
                edges_here = [edge for state in states for edge in network.edges[state]]
                states = {to for op, to, _ in edges_here if op >= 0 and op & 255 <= byte <= op >> 8}
            ends.setdefault(code, set()).add(1 in states)
    assert ends == {code: {code in charset} for code in ends}


def test_what_is_no_spelling_is_rejected():
    strings = judge(ANY_STRING)
    for code in range(0x20):
        assert not strings.accepts(b'"' + bytes([code]) + b'"')
    for unit in (0xD800, 0xDBFF, 0xDC00, 0xDFFF):
        for text in (f"\\u{unit:x}", f"\\u{unit:X}a", f"\\u{unit:x}\\n", f"\\u{unit:x}\\ud800"):
            assert not strings.accepts(f'"{text}"'), text
    for text in ["\\", "\\a", "\\x41", "\\u12", "\\u12g4", "\\U00000041", "\\N", "\\'", "\\0"]:
        assert not strings.accepts(f'"{text}"'), text
    for raw in [b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82"]:
        assert not strings.accepts(b'"' + raw + b'"')


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | TEXTS,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    )
)
def test_texts_are_by_default_those_of_json_dumps_without_ascii(value):
    """Of a value that is listed, or described, exactly one spelling."""
    usual = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    described = (
        {"properties": dict.fromkeys(value, True), "minProperties": len(value)} if isinstance(value, dict) else {}
    )
    for schema in ({"const": value}, {"enum": [value, "an\\other"]}, described):
        constraint = Judge(json_schema(schema, whitespace="compact", order="any"))
        assert constraint.accepts(usual), usual
        for place, character in enumerate(usual):
            if character.isalpha() and '"' in usual[:place] and '"' in usual[place:] and usual[place - 1] != "\\":
                escaped = f"{usual[:place]}\\u{ord(character):04x}{usual[place + 1 :]}"
                assert not constraint.accepts(escaped), escaped


def test_the_default_spells_what_it_shows():
    for schema in (
        {"const": 'é"\n\x7f\u2028/\U0001f600'},
        {"properties": {"\x01ü": {"enum": ["\t"]}}, "required": ["\x01ü"]},
    ):
        constraint = json_schema(schema, whitespace="compact")
        shortest = constraint.report.shortest
        assert shortest.text == json.dumps(shortest.value, ensure_ascii=False, separators=(",", ":"))
        assert Judge(constraint).accepts(shortest.text)
        assert constraint == json_schema(schema, whitespace="compact", escapes="minimal")


def test_keys_are_forced_as_a_whole():
    schema = {
        "type": "object",
        "properties": {"name": {"const": "Ann"}},
        "required": ["name"],
        "additionalProperties": False,
    }
    index = TokenIndex.build(json_schema(schema, whitespace="compact").network(), Vocabulary.from_bytes())
    assert Matcher(index).forced_text() == b'{"name":"Ann"}'


def test_minimal_escapes_are_those_of_json_dumps():
    strings = judge(ANY_STRING, escapes="minimal")
    for code in sample_codes():
        usual = json.dumps(chr(code), ensure_ascii=False)
        assert strings.accepts(usual), usual
        for way in spellings(code):
            assert strings.accepts(f'"{way}"') == (f'"{way}"' == usual), way
    keys = judge({"properties": {'é"\n': {}}, "additionalProperties": False}, escapes="minimal")
    assert keys.accepts('{"é\\"\\n":1}')
    assert not keys.accepts('{"\\u00e9\\"\\n":1}')


def test_ascii_escapes_are_those_of_json_dumps_without_options():
    strings, others = judge(ANY_STRING, escapes="ascii"), judge({"type": "string", "minLength": 1}, escapes="ascii")
    for code in sample_codes():
        usual = json.dumps(chr(code))
        for way in spellings(code):
            assert strings.accepts(f'"{way}"') == others.accepts(f'"{way}"') == (f'"{way}"' == usual), way
        assert strings.accepts(usual), usual
    keys = judge({"properties": {'é"\n': {}, "ab": False}}, escapes="ascii")
    for key in ('é"\n', "a", "abc", "ü", "\U0001f600"):
        assert keys.accepts(json.dumps({key: 1}, separators=(",", ":"))), key
    assert not keys.accepts('{"é\\"\\n":1}')
    assert not keys.accepts('{"ab":1}')
    chance = random.Random(37)
    for constraint in (strings, keys, judge({"enum": ["ä", "äö", 1]}, escapes="ascii")):
        for _ in range(30):
            text = walk(constraint.automaton, chance).decode("ascii")
            assert json.dumps(json.loads(text), separators=(",", ":")) == text or "e" in text.lower()


@pytest.mark.parametrize(("least", "most"), [(0, 0), (0, 1), (1, 1), (2, 5), (3, None), (0, 70), (65, 200), (40, 40)])
def test_lengths_count_code_points(least, most):
    schema = {"type": "string", "minLength": least} | ({} if most is None else {"maxLength": most})
    strings = judge(schema)
    pieces = ["a", "é", "\U0001f600", "\\n", "\\u00e9", "\\ud83d\\ude00", "\\uD83D\\uDE00", "\\/"]
    for length in {0, 1, 2, 3, 5, 6, least - 1, least, least + 1, (most or 0), (most or 0) + 1, 64, 65}:
        text = "".join(pieces[k % len(pieces)] for k in range(max(length, 0)))
        fits = least <= max(length, 0) and (most is None or length <= most)
        assert strings.accepts(f'"{text}"') == fits, length


def test_long_lengths_are_counted_not_unrolled():
    constraint = json_schema({"type": "string", "minLength": 50_000, "maxLength": 100_000})
    network = constraint.network()
    strings = Judge(constraint)
    assert strings.accepts('"' + 50_000 * "é" + '"')
    assert strings.accepts('"' + 100_000 * "a" + '"')
    assert not strings.accepts('"' + 49_999 * "a" + '"')
    assert not strings.accepts('"' + 100_001 * "a" + '"')
    assert network.size < 1000


PATTERNS = [
    ("^[a-z]+$", ["abc", "z"], ["", "Abc", "abc1", "abc\n"]),
    ("b", ["b", "abc", "aab"], ["", "ac"]),
    ("^a", ["a", "ab"], ["ba", ""]),
    ("a$", ["a", "ba"], ["ab"]),
    ("^\\d{3}-\\d{4}$", ["555-1234"], ["555-123", "x555-1234"]),
    ('"', ['a"b'], ["ab"]),
    ("\\\\", ["a\\b"], ["ab"]),
    ("/", ["a/b"], ["ab"]),
    ("^.$", ["a", "\U0001f600", '"', "\\"], ["", "ab", "\n"]),
    ("^(foo|bar)+$", ["foo", "foobar"], ["", "fo"]),
    ("^(?!foo)", ["bar", ""], ["foo", "foobar"]),
    ("^\\S(.*\\S)?$", ["a", "a b"], ["", " a", "a "]),
]


@pytest.mark.parametrize(("pattern", "accepted", "rejected"), PATTERNS)
def test_patterns_are_searched_in_the_unescaped_string(pattern, accepted, rejected):
    strings = judge({"type": "string", "pattern": pattern})
    for text in accepted:
        assert re.search(pattern, text)
        for ascii_only in (True, False):
            assert strings.accepts(json.dumps(text, ensure_ascii=ascii_only)), text
        assert strings.accepts('"' + "".join(spellings(ord(character))[0] for character in text) + '"'), text
    for text in rejected:
        assert not strings.accepts(json.dumps(text)), text


def test_patterns_lengths_formats_and_lists_hold_together():
    strings = judge({"pattern": "^[a-z]+$", "minLength": 2, "maxLength": 3, "allOf": [{"pattern": "b"}]})
    assert [text for text in ("b", "ab", "abc", "abcd", "aa", "B1") if strings.accepts(f'"{text}"')] == ["ab", "abc"]
    dates = judge({"type": "string", "format": "date", "pattern": "-02-29$", "maxLength": 10})
    assert dates.accepts('"2024-02-29"')
    assert not dates.accepts('"2023-02-29"')
    listed = judge({"enum": ["a", "bb", "b3", "cccc", 7], "pattern": "^[a-z]+$", "maxLength": 3, "type": "string"})
    assert [t for t in ('"a"', '"bb"', '"b3"', '"cccc"', "7") if listed.accepts(t)] == ['"a"', '"bb"']


def test_patterns_of_other_types_do_not_matter():
    values = judge({"pattern": "^a"})
    assert values.accepts("7")
    assert values.accepts('"a"')
    assert not values.accepts('"b"')


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "string", "minLength": 5, "maxLength": 3}, ["minLength 5", "maxLength 3"]),
        ({"type": "string", "pattern": "^aaaa$", "maxLength": 3}, ["pattern", "maxLength 3"]),
        ({"type": "string", "pattern": "^a", "allOf": [{"pattern": "^b"}]}, ['pattern "^a"', 'pattern "^b"']),
        ({"enum": ["a", "b"], "minLength": 2}, ["enum", "minLength 2"]),
        ({"type": "string", "format": "date", "pattern": "02-30"}, ["format", "pattern"]),
    ],
)
def test_contradictions_are_named(schema, words):
    with pytest.raises(UnsatisfiableError) as caught:
        json_schema({"type": "object", "properties": {"x": schema}, "required": ["x"]})
    assert caught.value.where == "/properties/x"
    for word in words:
        assert word in str(caught.value)


def test_bad_patterns_are_refused_with_their_place():
    with pytest.raises(SchemaError) as malformed:
        json_schema({"properties": {"a/b": {"pattern": "(a"}}})
    assert malformed.value.pointer == "/properties/a~1b/pattern"
    with pytest.raises(UnsupportedFeature) as irregular:
        json_schema({"properties": {"x": {"pattern": "^(a|b)\\1$"}}})
    assert irregular.value.where.startswith("/properties/x/pattern")


# Formats --------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def judge_of_format():
    return {name: judge({"type": "string", "format": name}) for name in FORMATS}


NOT_IN_SUITE = {"byte", "base64", "decimal", *(f"uuid{version}" for version in range(1, 9))}


@pytest.mark.parametrize("name", [name for name in FORMATS if name not in NOT_IN_SUITE])
def test_formats_agree_with_the_official_suite(name, judge_of_format, shared_data: Path):
    file = shared_data / "json-schema-test-suite/tests/draft2020-12/optional/format" / f"{name}.json"
    cases = [case for group in json.loads(file.read_text()) for case in group["tests"] if isinstance(case["data"], str)]
    assert cases
    for case in cases:
        for ascii_only in (False, True):
            accepted = judge_of_format[name].accepts(json.dumps(case["data"], ensure_ascii=ascii_only))
            if accepted != case["valid"]:
                assert not accepted, case
                assert "xn--" in case["data"], case


def test_dates_are_those_of_the_calendar(judge_of_format):
    years = [1, 4, 99, 100, 400, 1600, 1700, 1899, 1900, 1999, 2000, 2023, 2024, 2100, 2400, 9999]
    dates = judge_of_format["date"]
    for year, month, day in itertools.product(years, range(14), range(33)):
        try:
            datetime.date(year, month, day)
            exists = True
        except ValueError:
            exists = False
        assert dates.accepts(f'"{year:04}-{month:02}-{day:02}"') == exists


def is_leap_second(hour: int, minute: int, offset: str) -> bool:
    """Test whether it is 23:59 in UTC at a local time."""
    ahead = 0 if offset in "zZ" else int(offset[0] + "1") * (60 * int(offset[1:3]) + int(offset[4:]))
    return (60 * hour + minute - ahead) % 1440 == 1439


@pytest.mark.parametrize("step", [7, *slow(1)])
def test_leap_seconds_stand_where_it_is_one_minute_to_midnight_in_utc(judge_of_format, step):
    chance = random.Random(11)
    times = judge_of_format["time"]
    for hour, minute in itertools.product(range(24), range(59 % step, 60, step)):
        offsets = ["Z", "z", *(f"{sign}{chance.randrange(24):02}:{chance.randrange(60):02}" for sign in "+-")]
        offsets += [f"+{(hour + (minute == 59)) % 24:02}:{(minute + 1) % 60:02}", f"-{23 - hour:02}:{59 - minute:02}"]
        for offset in offsets:
            fits = is_leap_second(hour, minute, offset)
            fraction = chance.choice(["", ".5", ".000123"])
            assert times.accepts(f'"{hour:02}:{minute:02}:60{fraction}{offset}"') == fits, (hour, minute, offset)
            assert times.accepts(f'"{hour:02}:{minute:02}:59{fraction}{offset}"')
    assert not any(map(times.accepts, ('"23:59:61Z"', '"24:59:60+01:00"', '"23:59:60"', '"23:59:60.Z"')))
    moments = judge_of_format["date-time"]
    assert moments.accepts('"1998-12-31T15:59:60.123-08:00"')
    assert not moments.accepts('"1998-12-31T15:59:60.123-07:00"')


def test_leap_seconds_hold_with_other_conditions():
    limited = judge({"format": "time", "minLength": 12, "maxLength": 14, "pattern": "^0|Z$"})
    for text in ("23:59:60.123Z", "00:29:60+00:30", "00:00:00.0000Z"):
        assert limited.accepts(f'"{text}"'), text
    for text in ("23:59:60Z", "22:59:60.123Z", "00:29:60+00:31", "15:59:60-08:00", "00:29:60.5+00:30"):
        assert not limited.accepts(f'"{text}"'), text
    others = judge({"not": {"format": "time"}, "type": "string"})
    assert others.accepts('"23:58:60Z"')
    assert not others.accepts('"23:59:60Z"')


def test_ip_addresses_are_those_of_the_standard_library(judge_of_format):
    chance = random.Random(5)
    for name, kind in [("ipv4", ipaddress.IPv4Address), ("ipv6", ipaddress.IPv6Address)]:
        for _ in range(3000):
            stock = (
                ["0", "1", "255", "256", "01", "."]
                if name == "ipv4"
                else ["0", "ab", "FFFF", "12345", ":", "::", "1.2.3.4"]
            )
            text = "".join(chance.choice(stock) for _ in range(chance.randrange(3, 16)))
            if name == "ipv6" and chance.random() < 0.7:
                groups = ["0", "ab", "FFFF"]
                text = ":".join(chance.choice([*groups, ""]) for _ in range(chance.randrange(2, 10)))
            try:
                kind(text)
                exists = True
            except ValueError:
                exists = False
            assert judge_of_format[name].accepts(f'"{text}"') == exists, text


@pytest.mark.parametrize("count", [10, *slow(100)])
def test_texts_of_formats_are_read_by_others(judge_of_format, count):
    chance = random.Random(7)
    readers = {
        "date": datetime.date.fromisoformat,
        "uuid": uuid.UUID,
        "ipv4": ipaddress.IPv4Address,
        "ipv6": ipaddress.IPv6Address,
        "time": lambda text: datetime.time.fromisoformat(text[:8].replace(":60", ":59")),
        "date-time": lambda text: datetime.datetime.fromisoformat(text.upper()[:19].replace(":60", ":59")),
        "byte": lambda text: base64.b64decode(text, validate=True),
    }
    for name, reader in readers.items():
        for _ in range(count):
            reader(json.loads(walk(judge_of_format[name].automaton, chance)))


def test_base64_is_what_the_standard_library_writes(judge_of_format):
    chance = random.Random(3)
    for _ in range(200):
        text = base64.b64encode(chance.randbytes(chance.randrange(9))).decode()
        assert judge_of_format["base64"].accepts(f'"{text}"')
        left, right = chance.randrange(len(text) + 1), chance.randrange(len(text) + 1)
        changed = text[:left] + chance.choice("AB=-") + text[right:]
        try:
            is_written = base64.b64encode(base64.b64decode(changed, validate=True)).decode() == changed
        except binascii.Error:
            is_written = False
        assert judge_of_format["base64"].accepts(f'"{changed}"') == is_written, changed


def test_number_formats_are_intervals():
    for name, lower, upper in (("int32", -(2**31), 2**31 - 1), ("int64", -(2**63), 2**63 - 1)):
        numbers = judge({"format": name})
        assert all(map(numbers.accepts, (str(lower), str(upper), "0", '"x"')))
        assert not any(map(numbers.accepts, (str(lower - 1), str(upper + 1), "0.5")))
    singles = judge({"format": "float", "type": "number"})
    assert all(map(singles.accepts, ("0.5", "3.4028235e38", "-3.4028235e38")))
    assert not any(map(singles.accepts, ("3.4028236e38", "-1e39", "1e300")))
    assert judge({"format": "double", "type": "number"}).accepts("1e300")
    assert judge({"not": {"format": "int32"}}).accepts("2147483648")


def test_decimals_are_numbers_without_exponent(judge_of_format):
    chance = random.Random(13)
    shape = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?", re.ASCII)
    for _ in range(500):
        text = "".join(chance.choice("-0019.e+") for _ in range(chance.randrange(7)))
        assert judge_of_format["decimal"].accepts(f'"{text}"') == bool(shape.fullmatch(text)), text
    assert judge({"format": "decimal", "type": "number"}).accepts("1.5e3")


def test_unknown_formats_are_annotations_and_reported():
    constraint = json_schema({"properties": {"a": {"type": "string", "format": "colour"}, "b": {"format": "date"}}})
    assert constraint.report.unknown_formats == {"colour": ("/properties/a",)}
    assert constraint.report.enforced["format"] == 1
    assert json_schema({"format": "colour"}).report.enforced == {}
    assert Judge(constraint).accepts('{"a":"anything"}')
