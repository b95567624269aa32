"""Character classes, letter case and UTF-8: over all characters there are."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
import regex as regex_package
from marks import slow, thinned
from networks import regex_network
from oracles import Interpreter

from guidance_kit.errors import PatternError, UnsatisfiableError
from guidance_kit.grammars.regular import CharSet
from guidance_kit.grammars.regular.charset import ALL, digits, property_set, spaces, words
from guidance_kit.grammars.regular.parse import parse

POINTS = np.concatenate([np.arange(0xD800), np.arange(0xE000, 0x110000)])
TEXT = POINTS.astype("<u4").tobytes().decode("utf-32-le")
"""All scalar values in order."""

CASED = "".join(
    character
    for character in TEXT[:0x20000]
    if character != character.lower() or character != character.upper() or character != character.casefold()
)
"""All characters that have another case of any kind."""


def members(pattern: str, flags: int = 0, text: str = TEXT) -> list[str]:
    """The characters of `text` that `re` matches with a pattern for one character."""
    return [character for match in re.finditer(f"(?:{pattern})+", text, flags) for character in match[0]]


def set_of(pattern: str, flags: int = 0) -> CharSet:
    """Our set for a pattern for one character."""
    expression = parse(pattern, flags)
    return getattr(expression, "charset", CharSet(()))


def as_mask(charset: CharSet) -> np.ndarray:
    """bool, (0x110000,)."""
    mask = np.zeros(0x110001, dtype=np.int8)
    mask[list(charset.bounds[::2])] += 1
    mask[list(charset.bounds[1::2])] -= 1
    return np.cumsum(mask)[:0x110000].astype(bool)


def mask_of_re(pattern: str, flags: int = 0) -> np.ndarray:
    mask = np.zeros(0x110000, dtype=bool)
    for match in re.finditer(f"(?:{pattern})+", TEXT, flags):
        mask[POINTS[match.start() : match.end()]] = True
    return mask


CLASSES = [
    ".", r"\w", r"\W", r"\d", r"\D", r"\s", r"\S", r"[^\W\d_]", r"[\w\s]", r"[^\w\s]", "[a-z]", "[^a-z]", r"[^\"\\]",
    "a", "é", "[^é]", "😀", "[à-ÿ]", "[a-\U0010ffff]", "[\x80-\ud7ff]", "[\ue000-\uffff]", "[\U00010000-\U0010ffff]",
    r"[\s\S]", "[\ud000-\ue100]", "[\x7f\x80\u07ff\u0800\uffff\U00010000]",
]  # fmt: skip


@pytest.mark.parametrize("flags", [0, re.IGNORECASE, *slow(re.ASCII, re.DOTALL, re.IGNORECASE | re.ASCII)])
@pytest.mark.parametrize("pattern", CLASSES)
def test_classes_as_re(pattern, flags):
    assert np.array_equal(as_mask(set_of(pattern, flags)), mask_of_re(pattern, flags))


@pytest.mark.parametrize("found", [words, digits, spaces])
def test_the_planes_left_out_have_no_such_characters(found):
    pattern = {words: r"\w", digits: r"\d", spaces: r"\s"}[found]
    assert np.array_equal(as_mask(found()), mask_of_re(pattern))


@pytest.mark.parametrize("name", ["L", "Lu", "Nd", "Zs", "Script=Greek", "Han", "Alphabetic", "Cn", "IsCyrillic"])
def test_properties_as_the_regex_package(name):
    for ignore_case in (False, True):
        flags = regex_package.IGNORECASE if ignore_case else 0
        wanted = np.zeros(0x110000, dtype=bool)
        for match in regex_package.finditer(rf"\p{{{name}}}+", TEXT, flags):
            wanted[POINTS[match.start() : match.end()]] = True
        assert np.array_equal(as_mask(property_set(name, ignore_case=ignore_case)), wanted)


@pytest.mark.slow
@pytest.mark.parametrize("flags", [re.IGNORECASE, re.IGNORECASE | re.ASCII])
def test_every_cased_literal_as_re(flags):
    text = CASED + "".join(map(chr, range(128)))
    for character in text:
        found = set_of(re.escape(character), flags)
        wanted = {match[0] for match in re.finditer(re.escape(character), text, flags)}
        assert {other for other in text if ord(other) in found} == wanted, character
        assert len(found) == len(wanted), character


def random_class(rng: random.Random) -> str:
    """A class with characters, ranges and categories, many of them of letters with odd cases."""
    special = "kKſsSıiIİßẞµμΣσςǅǆΆΐ\u0345\u212a\u212b\u2126\U00010400\U00010428\U0001e921\U0001e943éÉ_-9"

    def point() -> str:
        where = rng.random()
        if where < 0.4:
            return rng.choice(special)
        return rng.choice(CASED) if where < 0.8 else rng.choice(TEXT[: rng.choice([256, 0x3000, 0x20000])])

    parts = []
    for _ in range(rng.randint(1, 4)):
        kind = rng.random()
        if kind < 0.5:
            parts.append(re.escape(point()))
        elif kind < 0.8:
            parts.append("-".join(re.escape(end) for end in sorted([point(), point()])))
        else:
            parts.append(rng.choice([r"\w", r"\W", r"\d", r"\D", r"\s"]))
    return f"[{rng.choice(['', '', '^'])}{''.join(parts)}]"


def check_random_classes(seeds: range) -> None:
    text = TEXT[: 0x20000 - 0x800] + "".join(map(chr, range(0x10FF00, 0x110000)))
    points = np.array([ord(character) for character in text])
    for seed in seeds:
        rng = random.Random(seed)
        pattern = random_class(rng)
        flags = re.IGNORECASE | rng.choice([0, 0, re.ASCII])
        wanted = np.zeros(0x110000, dtype=bool)
        for match in re.finditer(f"(?:{pattern})+", text, flags):
            wanted[points[match.start() : match.end()]] = True
        found = as_mask(set_of(pattern, flags))
        assert np.array_equal(found[points], wanted[points]), (seed, pattern, flags)


@pytest.mark.parametrize("count", [40, *slow(120)])
def test_classes_under_ignorecase_as_re(count):
    check_random_classes(range(count))


@pytest.mark.slow
def test_many_classes_under_ignorecase_as_re():
    check_random_classes(range(1000, 2500))


@pytest.mark.parametrize(
    ("pattern", "text"),
    [("k", "kK\u212a"), ("ſ", "sSſ"), ("s", "sSſ"), ("i", "iIİı"), ("ß", "ßẞ"), ("µ", "µμΜ"), ("σ", "σςΣ")],
)
def test_letters_with_more_than_two_cases(pattern, text):
    assert set(members(pattern, re.IGNORECASE)) == set(text)
    assert set_of(pattern, re.IGNORECASE) == CharSet.characters(text)


def test_sets():
    rng = random.Random(3)
    edges = [0, 0x41, 0x7F, 0x80, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF]
    points = sorted({point + step for point in edges for step in (-1, 0, 1)} - {-1, 0x110000, 0xD800, 0xDFFF})

    def some() -> CharSet:
        bounds = sorted(rng.choice(edges) for _ in range(2 * rng.randint(0, 3)))
        return CharSet.of(zip(bounds[::2], bounds[1::2], strict=True))

    def members_of(charset: CharSet) -> set[int]:
        return {point for point in points if point in charset}

    assert 0xD800 not in ALL
    assert 0xDFFF not in ALL
    for _ in range(2000):
        a, b = some(), some()
        x, y = members_of(a), members_of(b)
        for found, wanted in [(a | b, x | y), (a & b, x & y), (a - b, x - y), (~a, set(points) - x)]:
            assert members_of(found) == wanted
            assert found == CharSet.of(found.ranges)
            assert hash(found) == hash(CharSet.of(found.ranges))
            assert found <= ALL
        assert len(a) + len(~a) == len(ALL) == 1_112_064
        assert (a <= b) == (not (a - b))
        assert members_of(a.beyond_ascii) == {point for point in x if point > 0x7F}


def table_of(pattern: str, flags: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """The deterministic automaton of a pattern: int (states, 256), 0 being dead and 1 the start; bool (states,)."""
    interpreter = Interpreter(regex_network(pattern, flags))
    numbers = {frozenset(): 0, interpreter.start: 1}
    rows = [np.zeros(256, dtype=np.int64)]
    todo = [interpreter.start]
    while todo:
        items = todo.pop(0)
        row = np.zeros(256, dtype=np.int64)
        live = {byte for state, _ in items - {None} for op, _, _ in interpreter.network.edges[state] if op >= 0
                for byte in range(op & 255, (op >> 8) + 1)}  # fmt: skip
        for byte in live:
            reached = interpreter.step(items, byte)
            if reached not in numbers:
                numbers[reached] = len(numbers)
                todo.append(reached)
            row[byte] = numbers[reached]
        rows.append(row)
    return np.array(rows), np.array([None in items for items in numbers])


def utf8(points: np.ndarray) -> np.ndarray:
    """uint8, (n, 4): the UTF-8 of code points of the same length, left-aligned."""
    text = points.astype("<u4").tobytes().decode("utf-32-le").encode()
    width = len(text) // len(points)
    return np.frombuffer(text, dtype=np.uint8).reshape(len(points), width)


@pytest.mark.parametrize("flags", [0, *slow(re.ASCII)])
@pytest.mark.parametrize("pattern", thinned(CLASSES, 2))
def test_utf8_of_every_character_and_nothing_else(pattern, flags):
    """All members are accepted, and as many byte sequences as there are members: so no others, of whatever length."""
    wanted = mask_of_re(pattern, flags)
    table, accepting = table_of(pattern, flags)
    for first, last in [(0, 0x7F), (0x80, 0x7FF), (0x800, 0xD7FF), (0xE000, 0xFFFF), (0x10000, 0x10FFFF)]:
        points = np.arange(first, last + 1)
        state = np.ones(len(points), dtype=np.int64)
        for column in utf8(points).T:
            state = table[state, column]
        assert np.array_equal(accepting[state], wanted[points])
    ways = np.zeros(len(table), dtype=np.int64)
    ways[1] = 1
    accepted = 0
    for _ in range(len(table)):  # longer texts would go round a loop, of which there is none
        after = np.zeros(len(table), dtype=np.int64)
        np.add.at(after, table.ravel(), np.repeat(ways, 256))
        after[0] = 0
        ways = after
        accepted += int(ways[accepting].sum())
    assert not ways.any()
    assert accepted == wanted.sum()


def test_invalid_utf8_is_rejected():
    table, accepting = table_of(r"[\s\S]")
    one, two, three = table[1], table[table[1]], table[table[table[1]]]
    valid = [0, 0, 0]
    for point in POINTS[POINTS < 0x10000]:
        valid[len(chr(point).encode()) - 1] += 1
    assert [int(accepting[reached].sum()) for reached in (one, two, three)] == valid
    for text in [
        b"\xc0\x80",
        b"\xc1\xbf",
        b"\xe0\x9f\xbf",
        b"\xed\xa0\x80",
        b"\xf0\x8f\xbf\xbf",
        b"\xf4\x90\x80\x80",
        b"\xff",
    ]:
        state = 1
        for byte in text:
            state = table[state, byte]
        assert state == 0, text


@pytest.mark.parametrize("pattern", ["\ud800", r"\ud800", "[\ud800-\udfff]", r"a\ud83d\ude00"])
def test_surrogates_match_nothing(pattern):
    with pytest.raises(UnsatisfiableError):
        regex_network(pattern)


def test_unknown_property():
    with pytest.raises(PatternError) as caught:
        regex_network(r"ab\p{Nonsense}")
    assert caught.value.position == 2
