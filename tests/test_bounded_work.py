"""What hostile constraints may cost, counted in steps: never in seconds."""

from __future__ import annotations

import random

import pytest
from vocabularies import gpt2_like_vocabulary

import guidance_kit as gk
from guidance_kit.errors import LimitError
from guidance_kit.fsm import work
from guidance_kit.fsm.limits import Limits
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.grammars.context_free import lexeme
from guidance_kit.grammars.context_free.lexeme import Lexeme
from guidance_kit.grammars.regular import parse
from guidance_kit.grammars.regular.charset import NONE, CharSet, union
from guidance_kit.grammars.regular.derivative import Derivatives
from guidance_kit.grammars.regular.liveness import Liveness


def lookaheads(count: int) -> str:
    """A pattern of so many conditions, each with two letters of its own; their situations multiply."""
    return "".join(f"(?=.*{chr(97 + k)}.*{chr(98 + k)})" for k in range(count)) + ".*"


def test_a_text_of_many_lookaheads_is_found_along_one_path():
    derivatives = Derivatives(parse(lookaheads(20)))
    derivatives.work = work.Work(20_000)  # there are 3 ** 20 situations
    assert Liveness(derivatives).is_live(derivatives.root)


def test_many_lookaheads_reach_a_named_limit():
    matcher = Matcher(gk.regex(lookaheads(20)).compile(gpt2_like_vocabulary(), limits=Limits(max_work=20_000)))
    with pytest.raises(LimitError, match=r"max_work=20000 reached \(at a pattern with lookarounds.*Limits\(max_work="):
        matcher.allowed_tokens()


def test_work_is_counted_for_each_mask(monkeypatch):
    """What a long text needs altogether is not bounded: a limit that suffices for each of its masks suffices."""
    spent: list[work.Work] = []

    class Recorded(work.Work):
        def __init__(self, limit):
            super().__init__(limit)
            spent.append(self)

    monkeypatch.setattr("guidance_kit.fsm.token_index.Work", Recorded)

    def steps(limit: int) -> list[int]:
        spent.clear()
        constraint = gk.regex(lookaheads(6))
        matcher = Matcher(constraint.compile(gpt2_like_vocabulary(), limits=Limits(max_work=limit)))
        for letter in b"abcdefg":
            matcher.allowed_tokens()
            matcher.advance_bytes(bytes([letter]))
        return [each.limit - each.left for each in spent]

    found = steps(10**9)
    assert sum(found) > max(found) > 0
    assert steps(max(found)) == found


def of_moore(edges, endings):
    """Blocks of equivalent states, refined until nothing changes."""
    keys = list(endings)
    count = 0
    while True:
        numbers: dict = {}
        block = [numbers.setdefault(key, len(numbers)) for key in keys]
        if len(numbers) == count:
            return block
        count = len(numbers)
        keys = []
        for state, steps in enumerate(edges):
            into: dict = {}
            for chars, target in steps:
                into.setdefault(block[target], []).append(chars)
            keys.append((block[state], frozenset((target, union(sets)) for target, sets in into.items())))


def in_order(block):
    numbers: dict = {}
    return [numbers.setdefault(each, len(numbers)) for each in block]


def test_equal_states_are_found_as_by_refining_all_blocks():
    rng = random.Random(0)
    for _ in range(3000):
        size = rng.randint(1, 9)
        edges = []
        for _ in range(size):
            letters = rng.sample(range(97, 101), rng.randint(0, 4))
            edges.append([(CharSet.single(letter), rng.randrange(size)) for letter in letters])
        endings = [rng.choice([None, None, NONE, CharSet.single(120)]) for _ in range(size)]
        assert in_order(lexeme._blocks(edges, endings)) == of_moore(edges, endings)


@pytest.mark.parametrize("period", ["a", "ab", "abcdefgh"])
def test_periodic_texts_are_made_small_in_steps_that_grow_with_their_length(monkeypatch, period):
    counted = [0]

    def counting(sets):
        counted[0] += 1
        return union(sets)

    monkeypatch.setattr(lexeme, "union", counting)
    size = 1600
    text = (period * size)[:size]
    edges = [[(CharSet.single(ord(letter)), k + 1)] for k, letter in enumerate(text)] + [[]]
    made = Lexeme.smallest(edges, [None] * size + [NONE])
    assert made == Lexeme.of_literal([CharSet.single(ord(letter)) for letter in text])
    assert counted[0] < 11 * size  # log2(1600) = 10.6; 1.3 million if all blocks are refined each time


def test_texts_of_a_million_characters_are_not_drawn():
    with pytest.raises(LimitError, match="a shortest text of 1000000 bytes"):
        gk.regex("a{1000000}").sample(1)
    with pytest.raises(gk.OptionError, match="1000000 bytes, more than max_length=100"):
        gk.regex("a{1000000}").sample(1, max_length=100)
    assert gk.regex("a{1000}").sample(1) == ["a" * 1000]
