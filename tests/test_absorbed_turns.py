"""Repetitions before anything: of several places in one, that with the most turns has all texts of the others."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
from marks import slow
from oracles import Interpreter, brute_force
from vocabularies import random_vocabulary

from guidance_kit.errors import UnspellableError
from guidance_kit.fsm import bitmask
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.fsm.network import Network
from guidance_kit.fsm.token_index import TokenIndex
from guidance_kit.grammars.json_schema.strings.encoding import ENCODINGS
from guidance_kit.grammars.regular import declare, parse_search
from guidance_kit.grammars.regular.encoding import UTF8, Encoding

PATTERNS = [
    "[ab]{70}",
    "a{70,90}",
    "(?:ab|a){33}",
    "(?:aé?){34,}",
    "b[ab]{69}",
    "(?:(?:ab?){2,3}c){16}",
    "(?:[ab]{20}c){4}",
    "a{70}|b{70}",
    "(?:a{70}|c)b",
    "^(?:a|bc){36}",
    "^(?:(?:ab){36}(?s:.*)c){2}",
]


def network_of(pattern: str, encoding: Encoding = UTF8) -> Network:
    network = Network()
    network.root = declare(network, parse_search(pattern), encoding)
    return network


def text_of(rng: random.Random) -> str:
    """Long runs of what the patterns have, so that many end just before or behind a bound."""
    pieces = ["a", "b", "ab", "aé", "bc", "ababc", "ab" * 10 + "c", "ab" * 36 + "c", "c"]
    return "".join(rng.choice(pieces) * rng.choice([1, 2, 3, 34, 36, 69, 70]) for _ in range(rng.randint(1, 4)))


@pytest.mark.parametrize("pattern", PATTERNS)
def test_they_accept_what_re_finds(pattern):
    automaton, compiled, rng = Automaton(network_of(pattern)), re.compile(pattern), random.Random(pattern)
    found = 0
    for _ in range(300):
        text = text_of(rng)
        path = automaton.advance(automaton.start, text.encode())
        matches = compiled.search(text) is not None
        assert (len(path) == len(text.encode()) and automaton.is_complete(int(path[-1]))) == matches, text
        found += matches
    assert 10 < found < 300


@pytest.mark.parametrize("encoding", [UTF8, *slow(ENCODINGS["all"])], ids=["utf8", "json"])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_their_masks_are_those_of_all_places(pattern, encoding):
    rng = random.Random(pattern)
    for vocabulary in (random_vocabulary(1, b"abc\xc3\xa9"), random_vocabulary(2, b'abc"\\u0061')):
        try:
            index = TokenIndex.build(network_of(pattern, encoding), vocabulary)
        except UnspellableError:
            continue
        twin = Interpreter(index.automaton.network)
        for _ in range(3):
            config, items = index.automaton.start, twin.start
            for byte in text_of(rng).encode()[:180]:
                path = index.automaton.advance(config, bytes([byte]))
                items = twin.step(items, byte)
                assert bool(len(path)) == bool(items)
                if not len(path):
                    break
                config = int(path[0])
                if rng.random() < 0.05:
                    allowed = bitmask.unpack(index.mask(config), vocabulary.rows)
                    np.testing.assert_array_equal(allowed, brute_force(vocabulary, twin, items))


def test_few_places_are_kept():
    automaton = Automaton(network_of("[a-z]{162}"))
    path = automaton.advance(automaton.start, b"abcdefgh" * 20)
    first, end = automaton.arena.configs[int(path[-1]), :2]
    assert len(path) == 160
    assert end - first <= 12  # it would be one for each character read
