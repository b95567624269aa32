"""Budgets where short names are used up: what they allow can be completed, and with bytes as tokens all that can be."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import pytest
from marks import slow

import guidance_kit as gk

ONE = {"const": 1}
SCHEMAS: dict[str, dict[str, Any]] = {
    "pattern": {"patternProperties": {"^[ab]+$": ONE}, "additionalProperties": False},
    "few": {"patternProperties": {"^(a|b|ab)$": ONE}, "additionalProperties": False},
    "any key": {"additionalProperties": ONE, "propertyNames": {"pattern": "^[ab]*$"}},
    "declared": {
        "properties": {"a": ONE, "aa": ONE},
        "patternProperties": {"^a*b$": ONE},
        "additionalProperties": False,
    },
    "nested": {"patternProperties": {"^[ab]+$": {"anyOf": [ONE, {"$ref": "#"}]}}, "additionalProperties": False},
    "array": {"patternProperties": {"^[ab]+$": {"items": {"const": "a,"}}}, "additionalProperties": False},
}
BYTES = gk.Vocabulary.from_bytes()
PIECES = [
    '{"',
    '",',
    '":1',
    ',"',
    ',"a',
    "1,",
    '":1,"',
    'a"',
    'b":',
    "},",
    "[]",
    '"a,"',
    "1}",
    '":1}',
    ", ",
    "  ",
    '":1,',
]
MERGED = gk.Vocabulary(
    token_bytes=(*(bytes((byte,)) for byte in range(256)), b"", *map(str.encode, PIECES)),
    special=frozenset({256}),
    eos=(256,),
    rows=257 + len(PIECES),
)


INDEXES: dict[tuple[str, str, str, str], Any] = {}


def matcher_of(name: str, order: str, kind: str, whitespace: Any = "flexible") -> gk.Matcher:
    """At the beginning of a text."""
    key = name, order, kind, whitespace
    if key not in INDEXES:
        constraint = gk.json_schema({"type": "object", **SCHEMAS[name]}, order=order, whitespace=whitespace)
        INDEXES[key] = constraint.compile(BYTES if kind == "bytes" else MERGED)
    return gk.Matcher(INDEXES[key])


def completes(matcher: gk.Matcher, text: bytes, left: int, usual: range, known: dict[tuple[bytes, int], bool]) -> bool:
    """Test whether so many bytes of some can complete a text, by trying all."""
    if matcher.is_complete:
        return True
    if left == 0:
        return False
    key = text, left
    if key not in known:
        known[key] = False
        for token in matcher.allowed_tokens().tolist():
            after = matcher.fork()
            if token in usual and after.try_advance(token):
                known[key] |= completes(after, text + bytes((token,)), left - 1, usual, known)
    return known[key]


def chosen(texts: dict[int, bytes], rng: random.Random) -> int:
    """A token, commas before ends before blanks."""
    weights = [20 if b"," in text else 1 if text.isspace() or not text else 4 for text in texts.values()]
    return rng.choices([*texts], weights)[0]


def texts_of(tokens: Iterable[int], vocabulary: gk.Vocabulary) -> dict[int, bytes]:
    """Texts of some tokens, empty for the end of a sequence."""
    return {token: b"" if token in vocabulary.eos else vocabulary.token_bytes[token] for token in tokens}


@pytest.mark.parametrize("order", ["declared", "any"])
@pytest.mark.parametrize("name", SCHEMAS)
@pytest.mark.parametrize("seeds", [range(25), *slow(range(25, 500))])
def test_no_budget_ends_in_front_of_a_name(name, order, seeds):
    commas = 0
    for seed in seeds:
        rng = random.Random(seed)
        for kind, vocabulary in (("bytes", BYTES), ("merged", MERGED)):
            matcher = matcher_of(name, order, kind, rng.choice(["flexible", "json"]))
            matcher = matcher.within(rng.randint(matcher.min_tokens_to_complete() or 0, 45))
            text = b""
            while not matcher.is_finished:
                texts = texts_of(matcher.allowed_tokens().tolist(), vocabulary)
                if not texts:
                    assert matcher.is_complete, (seed, kind, text)
                    break
                token = chosen(texts, rng)
                matcher.advance(token)
                text += texts[token]
            commas += text.count(b",")
    assert commas > len(seeds)


@pytest.mark.parametrize("order", ["declared", "any"])
@pytest.mark.parametrize("name", ["pattern", "few", "any key", "declared"])
@pytest.mark.parametrize("whitespace", ["flexible", "json"])
def test_bytes_are_allowed_that_can_be_completed(name, order, whitespace):
    rng = random.Random(name + order)
    usual = range(0x20 if whitespace == "json" else 0x21, 256)  # without blanks that are no help
    known: dict[tuple[bytes, int], bool] = {}
    for _ in range(2):
        matcher, text = matcher_of(name, order, "bytes", whitespace), b""
        while len(text) < 40 and not matcher.is_complete:
            tokens = [token for token in matcher.allowed_tokens().tolist() if token in usual]
            least = matcher.min_tokens_to_complete()
            assert least is not None
            for left in range(1, 9):
                wanted = set()
                for token in tokens:
                    after, read = matcher.fork(), text + bytes((token,))
                    if after.try_advance(token) and completes(after, read, left - 1, usual, known):
                        wanted.add(token)
                if left < least:
                    with pytest.raises(gk.BudgetError, match=f"it takes {least} tokens"):
                        matcher.within(left)
                    assert not wanted
                    continue
                allowed = matcher.within(left).allowed_tokens().tolist()
                assert {token for token in allowed if token in usual} == wanted, (text, left)
                assert wanted
            token = chosen(texts_of(tokens, BYTES), rng)
            matcher.advance(token)
            text += bytes((token,))
