"""Masks that are kept: shared by counters far from their bounds, forgotten when memory is short."""

from __future__ import annotations

import random

import numpy as np
import pytest
from networks import regex_network
from vocabularies import EOS, gpt2_like_vocabulary, random_vocabulary

from guidance_kit.fsm import bitmask, mask_store
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.fsm.limits import Limits
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.network import UNBOUNDED, Network
from guidance_kit.fsm.token_index import TokenIndex


@pytest.mark.parametrize("bounds", [(0, 500), (30, 500), (40, UNBOUNDED), (120, 120), (60, 70)])
@pytest.mark.parametrize("words", [(b"a", b"b", b"c"), (b"ab", b"c"), (b"a", b"aa", b"bc")])
def test_far_counters_share_their_masks(bounds, words):
    """Masks under a horizon against those without one: a repetition in a repetition, followed by a letter."""
    vocabulary = random_vocabulary(3, b"abc(.)")

    def network() -> Network:
        network = Network()

        def turn(end: int) -> int:
            start = network.state()
            for word in words:
                network.literal(start, word, end)
            return start

        def group(end: int) -> int:
            start, inside, after = network.states(3)
            network.byte(start, 40, 40, inside)
            network.call(inside, inner, after)
            network.byte(after, 41, 41, end)
            return start

        inner = network.repeat(turn, *bounds)
        network.root = network.repeat(group, 1, 300)
        return network

    def follow(index: TokenIndex, seed: int) -> list[np.ndarray]:
        rng, matcher, masks = random.Random(seed), Matcher(index), []
        for _ in range(100):
            masks.append(matcher.allowed())
            tokens = [token for token in matcher.allowed_tokens().tolist() if token != EOS]
            closing = [token for token in tokens if b")" in vocabulary.token_bytes[token]]
            matcher.advance(rng.choice(closing if closing and rng.random() < 0.3 else tokens))
        return masks

    plain = TokenIndex(Automaton(network()), vocabulary)
    index = TokenIndex.build(network(), vocabulary)
    for seed in range(5):
        for one, other in zip(follow(plain, seed), follow(index, seed), strict=True):
            np.testing.assert_array_equal(one, other)
    assert index.statistics()["misses"] < plain.statistics()["misses"] / 2


def test_masks_are_forgotten_when_memory_is_short():
    vocabulary = gpt2_like_vocabulary()
    indexes = [TokenIndex.build(regex_network(f"{k}[a-z]{{50}}"), vocabulary) for k in range(10)]
    size = 4 * mask_store.BLOCK * (indexes[0].words + 1)
    words = [
        (token, len(text))
        for token, text in enumerate(vocabulary.token_bytes)
        if text.isascii() and text.isalpha() and text.islower()
    ]
    before = mask_store.memory_for_masks()
    try:
        mask_store.memory_for_masks(8 * size)
        for _ in range(2):
            for k, index in enumerate(indexes):
                matcher = Matcher(index)
                matcher.advance_bytes(b"%d" % k)
                for left in range(50, 20, -1):
                    expected = [token for token, length in words if length <= left]
                    assert matcher.allowed_tokens().tolist() == expected
                    matcher.advance_bytes(b"a")
                assert sum(other.statistics()["bytes"] for other in indexes) <= 8 * size
        assert sum(index.statistics()["forgotten"] for index in indexes) > 100
        with pytest.raises(ValueError, match="-1 bytes"):
            mask_store.memory_for_masks(-1)
    finally:
        mask_store.memory_for_masks(before)


def test_an_index_begins_anew_when_its_own_memory_is_full():
    vocabulary = gpt2_like_vocabulary()
    index = TokenIndex.build(regex_network("[a-z]{60}"), vocabulary, limits=Limits(mask_cache_bytes=1))
    twin = TokenIndex.build(regex_network("[a-z]{60}"), vocabulary)
    one, other = Matcher(index), Matcher(twin)
    for _ in range(60):
        np.testing.assert_array_equal(one.allowed(), other.allowed())
        one.advance_bytes(b"x")
        other.advance_bytes(b"x")
    assert index.statistics()["masks"] < mask_store.BLOCK
    assert index.statistics()["forgotten"] > 30
    assert twin.statistics()["forgotten"] == 0


def test_masks_that_are_found_as_fast_as_copied_are_kept_when_they_come_for_the_third_time():
    vocabulary = gpt2_like_vocabulary()
    index = TokenIndex.build(regex_network("[a-z]{60}x|1"), vocabulary)
    cheap = int(index.automaton.advance(index.automaton.start, b"a" * 60)[-1])
    masks = [index.mask(config).copy() for config in [cheap] * 3]
    statistics = index.statistics()
    assert (statistics["misses"], statistics["masks"]) == (3, 1)
    masks.append(index.mask(cheap))
    assert index.statistics() == statistics
    for mask in masks:
        assert [vocabulary.token_bytes[token] for token in bitmask.tokens_of(mask)] == [b"x"]
    index.mask(index.automaton.start)
    assert index.statistics()["masks"] == 2  # at once: many tokens were looked at
