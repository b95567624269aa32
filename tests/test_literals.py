"""Walks through keys and listed strings, which make no configurations, beside those that do."""

from __future__ import annotations

import random

import numpy as np
import pytest
from marks import slow
from networks import words_of
from oracles import Interpreter, brute_force

from guidance_kit.fsm import bitmask
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.fsm.kernels.columns import STATE
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.network import Network
from guidance_kit.fsm.token_index import TokenIndex
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.vocabulary import Vocabulary


def vocabulary_of(tokens: list[str]) -> Vocabulary:
    """All single bytes, some tokens, and an end."""
    count = 256 + len(tokens)
    spelt = tuple([bytes([byte]) for byte in range(256)] + [token.encode() for token in tokens] + [b""])
    return Vocabulary(token_bytes=spelt, special=frozenset({count}), eos=(count,), rows=count + 1)


def drawn_texts(chance: random.Random, count: int, alphabet: str = "abé") -> list[str]:
    return sorted({"".join(chance.choices(alphabet, k=chance.randrange(1, 7))) for _ in range(count)})


@pytest.mark.parametrize("seed", [*range(4), *slow(*range(4, 12))])
def test_masks_of_texts_that_share_states_or_do_not(seed):
    """`words_of` has a way for each text, so that a byte may lead to several states."""
    chance = random.Random(seed)
    texts = [text.encode() for text in drawn_texts(chance, 12)]
    vocabulary = vocabulary_of(drawn_texts(chance, 60))
    network = words_of(texts)
    index, twin = TokenIndex(Automaton(network), vocabulary), Interpreter(network)
    for text in texts:
        items = twin.start
        matcher = Matcher(index)
        for byte in text:
            expected = brute_force(vocabulary, twin, items)
            assert np.array_equal(bitmask.unpack(matcher.allowed(), vocabulary.rows), expected)
            matcher.advance(byte)
            items = twin.step(items, byte)


def without_literals(network: Network, vocabulary: Vocabulary) -> TokenIndex:
    """An index that makes a configuration for each byte; all of its rules are built first."""
    number = 0
    while number < len(network.rules):  # building a rule may declare others
        network.ensure_built(number)
        number += 1
    index = TokenIndex.build(network, vocabulary)
    index.automaton.arena.states[:, STATE.literal] = 0
    return index


@pytest.mark.parametrize("seed", range(20))
def test_keys_in_any_order_have_the_masks_of_configurations(seed):
    chance = random.Random(seed)
    keys = drawn_texts(chance, 9)
    pieces = [*drawn_texts(chance, 60), *(f'{key}":' for key in keys[:4]), 'b":1', '1,"a', '","ab', '{"a', '{"b']
    vocabulary = vocabulary_of(sorted({*pieces}))
    schema = {
        "properties": {key: {"enum": [1, 12, "ab"]} for key in keys},
        "required": keys[::2],
        "additionalProperties": False,
    }
    constraint = json_schema({"type": "object", **schema}, order="any", whitespace="compact", escapes="all")
    matchers = [
        Matcher(TokenIndex.build(constraint.network(), vocabulary)),
        Matcher(without_literals(constraint.network(), vocabulary)),
    ]
    made = []
    for matcher in matchers:
        choose = random.Random(seed)
        masks = []
        for _ in range(40):
            masks.append(matcher.allowed())
            if matcher.is_complete:
                break
            matcher.advance(choose.choice(bitmask.tokens_of(masks[-1]).tolist()))
        made.append((masks, matcher.index.automaton.statistics()["configurations"]))
    (masks, few), (others, many) = made
    assert len(masks) == len(others)
    assert all(map(np.array_equal, masks, others))
    assert few < many


@pytest.mark.parametrize("count", [40, 400])
def test_a_mask_behind_a_quote_makes_no_configurations(count):
    """However many keys are left."""
    keys = [f"key{number}_{number * number}" for number in range(count)]
    vocabulary = vocabulary_of(["key", *(key[:4] for key in keys[:10]), *keys])
    schema = {"properties": {key: {"type": "integer"} for key in keys}, "additionalProperties": False}
    index = TokenIndex.build(
        json_schema({"type": "object", **schema}, order="any", whitespace="compact").network(), vocabulary
    )
    matcher = Matcher(index)
    matcher.advance_bytes(b'{"key3_9":1,"')
    before = index.automaton.statistics()
    assert len(bitmask.tokens_of(matcher.allowed())) >= count  # "k", "key", beginnings, and all keys but the third
    assert index.automaton.statistics() == before
