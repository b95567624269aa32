"""Texts without some strings, or up to the first of them, against their definition."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass

import pytest
from marks import slow
from vocabularies import special_vocabulary, texts_of

import guidance_kit as gk
from guidance_kit.errors import UnsatisfiableError
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.language import Language
from guidance_kit.grammars.regular import occurrences
from guidance_kit.grammars.regular.occurrences import declare_ending

TEXTS = ["".join(letters) for size in range(7) for letters in itertools.product("abé", repeat=size)]


def ends_with_the_first(text: str, ends: set[str], stops: set[str]) -> bool:
    is_first = not any(text[:size].endswith(stop) for size in range(len(text)) for stop in stops | ends)
    return is_first and any(text.endswith(end) for end in ends)


def drawn_words(rng: random.Random) -> set[str]:
    return {"".join(rng.choices("abbé", k=rng.randint(1, 4))) for _ in range(rng.randint(1, 4))}


@dataclass(frozen=True)
class Ending(Language):
    """Texts that end with the first of some strings."""

    ends: set[str]
    stops: set[str]

    def declare(self, network: Network) -> int:
        return declare_ending(network, self.ends, self.stops)


@pytest.mark.parametrize("at_once", [1, *slow(16, 2)])
def test_drawn_strings(monkeypatch, at_once):
    monkeypatch.setattr(occurrences, "_AT_ONCE", at_once)
    rng = random.Random(1)
    refused = 0
    for _ in range(12):
        ends, stops = drawn_words(rng), drawn_words(rng)
        expected = {text for text in TEXTS if ends_with_the_first(text, ends, ends)}
        assert texts_of(gk.text(until=ends), TEXTS) == expected
        assert texts_of(gk.text(without=stops), TEXTS) == {t for t in TEXTS if not any(stop in t for stop in stops)}
        expected = {text for text in TEXTS if ends_with_the_first(text, ends, stops)}

        if expected:
            ending = Constraint(kind="ending", source=(repr(ends), repr(stops)), language=Ending(ends, stops))
            assert texts_of(ending, TEXTS) == expected
        else:
            refused += 1
            with pytest.raises(UnsatisfiableError):
                Ending(ends, stops).declare(Network())
    assert refused


def test_lengths_and_other_strings_go_on_meaning_the_same():
    rng = random.Random(9)
    for _ in range(8):
        ends = drawn_words(rng)
        expected = {text for text in TEXTS if ends_with_the_first(text, ends, ends)}
        assert texts_of(gk.text(until=ends, max_length=6), TEXTS) == expected


@pytest.mark.parametrize("period", ["a", "ab", "abcdefgh"])
def test_of_a_long_string_only_what_texts_reach_is_written(period):
    """Derivatives are sets of the beginnings that a text may have begun, half as many as it has characters."""
    stop = (period * 5000)[:5000]
    matcher = Matcher(gk.text(until=stop).compile(special_vocabulary()))
    matcher.allowed_tokens()
    network = matcher.index.automaton.network
    first = network.size
    assert first < 500
    matcher.advance_bytes(stop[:1000].encode())
    assert 1000 < network.size < 6 * 1000
    matcher.advance_bytes(stop[1000:].encode())
    assert matcher.is_complete
