"""Every byte that can be read leads on: masks rely on it where tokens end, and make no step there."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest
from grammars import random_grammar, random_lexed_grammar
from marks import slow
from networks import regex_network
from patterns import random_pattern
from schemas import whole_schema
from vocabularies import gpt2_like_vocabulary

import guidance_kit as gk
from guidance_kit.errors import GuidanceKitError
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.network import Network
from guidance_kit.fsm.token_index import TokenIndex

WALKS, STEPS = 6, 24


def dead_bytes(network: Network, rng: random.Random) -> tuple[int, list[tuple[bytes, int]]]:
    """Number of bytes looked at along random texts, and those that lead nowhere, each with the text before it."""
    automaton = Automaton(network)
    looked, dead = 0, []
    for _ in range(WALKS):
        config, text = automaton.start, b""
        for _ in range(STEPS):
            live = np.flatnonzero(automaton.live_bytes(config)).tolist()
            ends = [int(path[-1]) if len(path := automaton.advance(config, bytes([byte]))) else 0 for byte in live]
            looked += len(live)
            dead += [(text, byte) for byte, end in zip(live, ends, strict=True) if not end]
            if not any(ends):
                break
            printable = [k for k, byte in enumerate(live) if ends[k] and 0x20 <= byte < 0x7F]
            k = rng.choice(printable or [k for k, end in enumerate(ends) if end])
            config, text = ends[k], text + bytes([live[k]])
    return looked, dead


def of_schema(rng: random.Random) -> Network:
    return gk.json_schema(whole_schema(rng), order=rng.choice(["declared", "any"])).network()


def of_counted_strings(rng: random.Random) -> Network:
    least = rng.randint(0, 3)
    bounds = {"minLength": least, "maxLength": least + rng.randint(0, 4)}
    pattern = rng.choice(["^(ab|c)*d?$", "^[a-c]+(-[a-c]{2,5}){0,3}$", "b", "^(a{2,9}b)+$", "^é*[^a]a*$"])
    schema = {"type": "string", "pattern": pattern, **bounds}
    return gk.json_schema(rng.choice([schema, {"type": "object", "patternProperties": {pattern: schema}}])).network()


def of_keys_in_any_order(rng: random.Random) -> Network:
    names = ["a", "ab", "abc", "b", "", "é"][: rng.randint(1, 6)]
    schema = {"properties": {name: {"enum": ["x", "xy", 1]} for name in names}, "required": names[::2]}
    return gk.json_schema({"type": "object", "additionalProperties": False, **schema}, order="any").network()


def of_pattern(rng: random.Random) -> Network:
    return gk.regex(random_pattern(rng)).network()


def of_grammar(rng: random.Random) -> Network:
    if rng.random() < 0.5:
        return gk.grammar(random_grammar(rng), lexer="dynamic_complete").network()
    return gk.grammar(random_lexed_grammar(rng), lexer="longest").network()


@pytest.mark.parametrize("make", [of_schema, of_counted_strings, of_keys_in_any_order, of_pattern, of_grammar])
@pytest.mark.parametrize("seed", [0, *slow(*range(1, 20))])
def test_every_byte_leads_on(make: Callable[[random.Random], Network], seed):
    rng = random.Random(seed)
    looked = networks = 0
    while networks < 4 or looked <= 200:
        try:
            network = make(rng)
        except GuidanceKitError:  # nothing satisfies it, or it is refused
            continue
        more, dead = dead_bytes(network, rng)
        assert not dead
        looked, networks = looked + more, networks + 1


def test_a_byte_that_leads_nowhere_is_found():
    network = Network()
    start, there, end = network.states(3)
    network.byte(start, 97, 98, end)
    network.byte(start, 99, 99, there)
    network.final(end)
    network.root = network.rule(lambda: start, nullable=False)
    assert dead_bytes(network, random.Random(0))[1][0] == (b"", 99)


def test_a_mask_makes_no_configurations_behind_its_tokens():
    """All tokens of several bytes are listed; they end in as many places, none of which is needed."""
    vocabulary = gpt2_like_vocabulary()
    texts = [text for text in vocabulary.token_bytes if len(text) > 1 and text.isascii()]
    network = regex_network("|".join("".join(f"\\x{byte:02x}" for byte in text) + "!" for text in texts))
    matcher = Matcher(TokenIndex.build(network, vocabulary))
    found = matcher.allowed_tokens()
    assert len(found) > len(texts)
    begun = {text[:length] for text in vocabulary.token_bytes for length in range(len(text))}
    within = {text[:length] for text in texts for length in range(len(text) + 1)} & begun
    assert matcher.index.automaton.statistics()["configurations"] <= len(within) + 1
