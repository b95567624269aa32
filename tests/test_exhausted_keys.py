"""Keys of languages with few texts behind some prefix: masks against enumeration, and the search that they cost."""

from __future__ import annotations

import random
import re
from itertools import product

import pytest
from marks import slow, thinned

from guidance_kit.errors import LimitError
from guidance_kit.fsm import duplicate_key_filter
from guidance_kit.fsm.duplicate_key_filter import DuplicateKeyFilter
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.token_index import TokenIndex
from guidance_kit.grammars.json_schema import Digits, json_schema
from guidance_kit.grammars.json_schema.objects.written_keys import ObjectKeyTracker
from guidance_kit.grammars.regular import parse_search
from guidance_kit.grammars.regular.language_automaton import LanguageAutomaton
from guidance_kit.vocabulary import Vocabulary

LETTERS = "abcdx"
LONGEST = 40
LANGUAGES = [
    "a|b|ca|cb|d+",
    "aa|ab|ba|c*d",
    "[ab]{1,2}|x+",
    "(a|b)?c|d*x",
    "(aa)*b|a",
    "(?!a)[a-d]{1,2}|x*a",
    r"(?=ab?$|d+$)[ad][\s\S]*",
]
PIECES = [
    '"a', '"b', '":', '":1', '":1,', '":1,"', 'a":1,"', 'a":1,"a', 'b":1,"b', '"a":1,"a', '"b":1,"c', "aa", 'ab":1',
    "ca", 'cb":1,"c', ',"', ',"a', ',"d', "dd", 'x":1}', "xx", '1,"x', '{"a":1,"a', '{"', '{"b', "\\u0061",
    '"aa":1,"ab":1',
]  # fmt: skip


def vocabulary() -> Vocabulary:
    """All bytes, and pieces in which keys begin and end, also one after the other."""
    texts = [*(bytes([byte]) for byte in range(256)), *(piece.encode() for piece in PIECES)]
    return Vocabulary(token_bytes=(b"", *texts), special=frozenset({0}), eos=(0,), rows=len(texts) + 1)


def keys_of(pattern: str) -> set[str]:
    """Keys of a language up to a length that no text of the tests reaches."""
    by_size = ("".join(letters) for size in range(5) for letters in product(LETTERS, repeat=size))
    long = (letter * size + last for letter in LETTERS for size in range(4, LONGEST) for last in ("", *LETTERS))
    return {key for key in (*by_size, *long) if re.fullmatch(pattern, key)}


def is_possible(text: str, keys: set[str]) -> bool:
    """Test whether a text is the beginning of a compact object whose keys are distinct and have the value 1."""
    if text in ("{", "{}"):
        return True
    *whole, last = text.removeprefix("{").split(",")
    found = [re.fullmatch('"([a-z]*)":1', member) for member in whole]
    partial = re.fullmatch(r'(?:"([a-z]*)("(?::(?:1\}?)?)?)?)?', last)
    if not text.startswith("{") or partial is None or not all(found):
        return False
    old = [match[1] for match in found if match]
    begun, closed = partial[1] or "", partial[2]
    if closed:
        return len({*old, begun}) == len(old) + 1 and {*old, begun} <= keys
    return len(set(old)) == len(old) and set(old) <= keys and any(key.startswith(begun) for key in keys.difference(old))


@pytest.mark.parametrize("declared", [["a", "ab"], *slow([])])
@pytest.mark.parametrize("pattern", thinned(LANGUAGES, 2))
def test_tokens_are_allowed_that_leave_a_new_key(pattern, declared):
    schema = {
        "type": "object",
        "properties": {key: {"const": 1} for key in declared},
        "patternProperties": {f"^({pattern})$": {"const": 1}},
        "additionalProperties": False,
    }
    constraint = json_schema(schema, order="any", whitespace="compact", escapes="minimal", digits=Digits(1, 0))
    words = vocabulary()
    index, keys, chance = (
        TokenIndex.build(constraint.network(), words),
        keys_of(pattern) | set(declared),
        random.Random(3),
    )
    refused = 0
    for _ in range(12):
        matcher, text = Matcher(index), ""
        while len(text) < 30 and not matcher.is_finished:
            spelt = {token: text + words.token_bytes[token].decode("latin-1") for token in range(1, len(words))}
            expected = {token for token, after in spelt.items() if is_possible(after, keys)}
            assert set(matcher.allowed_tokens().tolist()) - {0} == expected, text
            assert all(matcher.can_advance(token) == (token in expected) for token in spelt), text
            refused += len(spelt) - len(expected)
            token = chance.choice(sorted(token for token in expected if "}" not in spelt[token]) or [0])
            matcher.advance(token)
            text = spelt.get(token, text)
    assert refused


@pytest.fixture
def searched(monkeypatch):
    """Work of the filter: tokens tried, and masks made for the search of a new key."""
    found = {"tokens": 0, "masks": 0}
    members, goes_on = duplicate_key_filter.members, DuplicateKeyFilter._goes_on

    def counting(mask, tokens):
        tried = members(mask, tokens)
        found["tokens"] += len(tried)
        return tried

    def searching(self, *args):
        found["masks"] += 1
        return goes_on(self, *args)

    monkeypatch.setattr(duplicate_key_filter, "members", counting)
    monkeypatch.setattr(DuplicateKeyFilter, "_goes_on", searching)
    return found


def masks(matcher: Matcher, text: bytes) -> None:
    """Make the mask before each byte."""
    for byte in text:
        assert byte in matcher.allowed_tokens()
        matcher.advance(byte)


@pytest.mark.parametrize("pattern", ["^[a-z0-9]{1,30}$", "^[0-9.]+x$", "^([a-z]+\\d{3}|.*)$", "_id$"])
def test_nothing_is_searched_where_a_prefix_has_more_texts_than_there_are_keys(searched, pattern):
    schema = {"type": "object", "patternProperties": {pattern: {"const": 1}}, "additionalProperties": False}
    matcher = Matcher(TokenIndex.build(json_schema(schema, whitespace="compact").network(), Vocabulary.from_bytes()))
    candidates = [f"{number}x" for number in range(10, 40)] if pattern != "_id$" else [f"{n}_id" for n in range(30)]
    masks(matcher, b"{" + b",".join(f'"{key}":1'.encode() for key in candidates) + b',"' + candidates[0][:-1].encode())
    assert searched == {"tokens": 0, "masks": 0}


def test_only_the_token_is_searched_with_which_a_prefix_has_no_new_key(searched):
    schema = {"type": "object", "patternProperties": {"^[0-9.]+x$": {"const": 1}}, "additionalProperties": False}
    constraint = json_schema(schema, whitespace="compact", escapes="minimal")
    matcher = Matcher(TokenIndex.build(constraint.network(), Vocabulary.from_bytes()))
    masks(matcher, b'{"12x":1,"1.5x":1,"12')
    assert searched == {"tokens": 0, "masks": 0}
    assert ord("x") not in matcher.allowed_tokens()
    assert searched == {"tokens": 1, "masks": 1}
    matcher.advance(ord("0"))
    masks(matcher, b"x")
    assert searched == {"tokens": 1, "masks": 1}


def test_prefixes_are_exhausted_as_soon_as_all_their_keys_are_written():
    tracker = ObjectKeyTracker()
    written, text, found = None, "{", []
    tracker.kinds.append(parse_search("^([ab]{2}|c.*)$", dialect="ecma"))
    for key in ("ab", "ca", "ba", "aa", "c", "bb"):
        text += f'"{key}"'
        written = tracker.enter(written, text.encode())
        text += ":1,"
        assert written is not None
        assert not tracker.is_open(written, text.encode() + b'"c', "exhausted")
        found.append((written.key, written.exhausted))
    assert found == [("ab", 2), ("ca", 3), ("ba", 2), ("aa", 1), ("c", 2), ("bb", 1)]
    assert [one.key for one in written.of_exhausted()] == ["bb", "aa", "ba", "ab"]
    for begun, is_open in [(b"", False), (b"a", True), (b"b", True), (b"ab", True), (b"c", False), (b"\\u006", True)]:
        assert tracker.is_open(written, text.encode() + b'"' + begun, "exhausted") is is_open, begun
        assert tracker.is_open(written, text.encode() + b'"' + begun, "any")
    tracker.kinds.append(parse_search("^(ca|[^c].*)$", dialect="ecma"))  # a rule written later
    assert tracker.is_open(written, text.encode() + b'"c', "exhausted")
    assert [one.key for one in written.of_exhausted()] == ["bb", "aa", "ba", "ca", "ab"]


def test_languages_that_are_too_large_to_be_counted_are_searched(monkeypatch):
    def fail(self, text, most):
        raise LimitError("max_search", 1)

    monkeypatch.setattr(LanguageAutomaton, "counts_along", fail)
    tracker = ObjectKeyTracker()
    tracker.kinds.append(parse_search("^[ab]{2}$", dialect="ecma"))
    written = tracker.enter(None, b'{"ab"')
    assert written is not None
    assert tracker.is_open(written, b'{"ab":1,"', "exhausted")
