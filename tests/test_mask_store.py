"""Masks that are kept: shared by counters far from their bounds, forgotten when memory is short."""

from __future__ import annotations

import random

import numpy as np
import pytest
from networks import regex_network
from oracles import Interpreter, brute_force
from vocabularies import EOS, gpt2_like_vocabulary, random_vocabulary

from guidance_kit.fsm import arenas, bitmask, mask_store
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.fsm.kernels import codes, handles
from guidance_kit.fsm.kernels.codes import BLOCK
from guidance_kit.fsm.kernels.columns import KEPT, USED
from guidance_kit.fsm.limits import Limits
from guidance_kit.fsm.mask_batch import fill_masks
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.network import UNBOUNDED, Network
from guidance_kit.fsm.token_index import TokenIndex
from guidance_kit.vocabulary import Vocabulary


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


def letters_and_pairs() -> Vocabulary:
    """More small letters, and pairs of them, than a mask that is kept as a list has tokens."""
    letters = [bytes([byte]) for byte in range(97, 123)]
    texts = [*letters, *(one + other for one in letters for other in letters), *(b"%d" % k for k in range(10))]
    assert len(texts) > codes.MOST_NOTED
    return Vocabulary(token_bytes=(b"", *texts), special=frozenset({0}), eos=(0,), rows=len(texts) + 1)


def test_masks_are_forgotten_when_memory_is_short():
    vocabulary = letters_and_pairs()
    indexes = [TokenIndex.build(regex_network(f"{k}[a-z]{{50}}"), vocabulary) for k in range(10)]
    size = 4 * BLOCK * indexes[0].words
    words = [(token, len(text)) for token, text in enumerate(vocabulary.token_bytes) if text.isalpha()]
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
                assert sum(block.nbytes for other in indexes for block in other.blocks) <= 8 * size
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
    assert index.statistics()["masks"] < 40
    assert index.statistics()["forgotten"] > 20
    assert twin.statistics()["forgotten"] == 0


def test_lists_of_masks_are_kept_in_memory_that_goes_from_one_automaton_to_the_next(monkeypatch):
    monkeypatch.setattr(arenas, "_SPARE", {})
    vocabulary = gpt2_like_vocabulary()

    def masks(pattern: str) -> list[bytes]:
        """Masks within a text of letters, the first of which are asked for twice."""
        matcher = Matcher(TokenIndex.build(regex_network(pattern), vocabulary))
        found = []
        for _ in range(20):
            found.append(matcher.allowed().tobytes())
            matcher.advance_bytes(b"a")
        again = Matcher(matcher.index)
        assert [again.allowed().tobytes() for _ in range(2)] == [found[0]] * 2
        places.append(matcher.index._cache.lists.__array_interface__["data"][0])
        return found

    places: list[int] = []
    patterns = "[a-z]{40}", "[a-f]{30}"
    alone = []
    for pattern in patterns:
        arenas._SPARE.clear()
        alone.append(masks(pattern))
    assert [masks(pattern) for pattern in patterns] == alone
    assert len(set(places[1:])) == 1


def test_of_two_indexes_of_an_automaton_each_has_its_masks():
    automaton, vocabulary = Automaton(regex_network("[a-z]{40}")), gpt2_like_vocabulary()
    indexes = [TokenIndex(automaton, vocabulary) for _ in range(2)]
    assert indexes[0].mask(automaton.start).any()
    for index in (*indexes, *indexes):
        np.testing.assert_array_equal(index.mask(automaton.start), indexes[0].mask(automaton.start))
    assert not np.shares_memory(indexes[0]._cache.lists, indexes[1]._cache.lists)


def test_a_mask_is_not_sought_again_when_a_block_for_it_is_made(monkeypatch):
    index = TokenIndex.build(regex_network("[a-z]{50}"), letters_and_pairs())
    ways, make_room = [], TokenIndex._make_room

    def noting(self):
        ways.append(int(self.automaton.arena.used[USED.way]))
        make_room(self)

    monkeypatch.setattr(TokenIndex, "_make_room", noting)
    mask = index.mask(index.automaton.start)
    assert ways == [codes.FOUND]
    np.testing.assert_array_equal(index.mask(index.automaton.start), mask)
    assert len(bitmask.members(mask, range(index.trie.arrays.bases.shape[1] * 32))) == 26 + 26 * 26
    assert ways == [codes.FOUND]


def test_masks_are_the_same_when_they_come_again():
    """Masks with few tokens beyond a base, which are kept as lists, and others, which are kept as they are."""
    vocabulary = gpt2_like_vocabulary()
    network = regex_network('[a-z]{60}x|[^ß]+0|"([^"\\n]|é)*"')
    index, twin = TokenIndex.build(network, vocabulary), Interpreter(network)
    automaton = index.automaton
    texts = [b"", b"a", b"ab" * 30, b" ", b'"', b'"x0', b'"\xc3', b"\n0"]
    configs = [int(automaton.advance(automaton.start, text)[-1]) if text else automaton.start for text in texts]
    masks = [index.mask(config) for config in configs]
    for text, mask in zip(texts, masks, strict=True):
        np.testing.assert_array_equal(mask, bitmask.pack(brute_force(vocabulary, twin, twin.run(text))))
    statistics = index.statistics()
    assert statistics["masks"] == statistics["misses"] == len(texts)
    lists = int(index._cache.used[KEPT.lists])
    assert 0 < lists < len(texts)
    for config, mask in zip(configs, masks, strict=True):
        np.testing.assert_array_equal(index.mask(config), mask)
    assert index.statistics() == statistics
    matchers = [Matcher(index) for _ in texts]
    for matcher, text in zip(matchers, texts, strict=True):
        matcher.advance_bytes(text)
    out = np.empty((len(texts), index.words), dtype=np.int32)
    fill_masks(matchers, out)
    np.testing.assert_array_equal(out, masks)


@pytest.mark.parametrize("pattern", ['[a-z]{60}x|[^ß]+0|"([^"\\n]|é)*"', r'"(?:[^"\\]|\\["n])*"', "[^a]*a"])
def test_masks_are_the_same_however_little_room_there_is_for_their_tokens(pattern):
    vocabulary = gpt2_like_vocabulary()
    index, twin = (TokenIndex.build(regex_network(pattern), vocabulary) for _ in range(2))
    small = {"noted": np.empty(1, dtype=np.int32)}
    index.automaton.arena = index.automaton.arena._replace(**small)
    index.automaton.handle = handles.handle_of(index.automaton.arena, index.automaton.handle, small)
    was_full = False
    for text in (b"", b"a", b'"', b'"x0', b'"\xc3', b"\n0"):
        path = index.automaton.advance(index.automaton.start, text)
        if len(path) == len(text):
            config = int(path[-1]) if text else index.automaton.start
            expected = twin.mask(int(twin.automaton.advance(twin.automaton.start, text)[-1]) if text else config)
            np.testing.assert_array_equal(index.mask(config), expected)
            was_full |= bool(index.automaton.arena.used[USED.unlisted]) or len(index.automaton.arena.noted) > 1
            np.testing.assert_array_equal(index.mask(config), expected)
    assert was_full
