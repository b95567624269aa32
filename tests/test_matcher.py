"""Matchers: rollback, fork, drafts and batches against replay; what is forced, refused, or cannot be spelled."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from networks import random_network, regex_network, words_of
from vocabularies import EOS, SPECIAL, random_vocabulary

from guidance_kit.errors import MatchError, OptionError, UnspellableError
from guidance_kit.fsm import bitmask
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.fsm.limits import Limits
from guidance_kit.fsm.mask_batch import fill_masks
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.token_index import TokenIndex
from guidance_kit.vocabulary import Vocabulary


class MatcherMachine(RuleBasedStateMachine):
    """Random scripts of advance, rollback and fork; every matcher must equal a fresh one that replays its tokens."""

    @initialize(seed=st.integers(0, 40))
    def begin(self, seed):
        self.index = TokenIndex(Automaton(random_network(seed)), random_vocabulary(seed))
        self.pairs = [(Matcher(self.index), [])]

    @rule(which=st.integers(0, 9), choice=st.integers(0, 10_000))
    def advance(self, which, choice):
        matcher, tokens = self.pairs[which % len(self.pairs)]
        allowed = matcher.allowed_tokens()
        if len(allowed):
            token = int(allowed[choice % len(allowed)])
            assert matcher.can_advance(token)
            matcher.advance(token)
            tokens.append(token)

    @rule(which=st.integers(0, 9), token=st.integers(-2, 120))
    def refuse(self, which, token):
        matcher, _ = self.pairs[which % len(self.pairs)]
        if token not in matcher.allowed_tokens():
            assert not matcher.can_advance(token)
            before = len(matcher)
            with pytest.raises(MatchError):
                matcher.advance(token)
            assert len(matcher) == before

    @rule(which=st.integers(0, 9), steps=st.integers(0, 4))
    def rollback(self, which, steps):
        matcher, tokens = self.pairs[which % len(self.pairs)]
        steps = min(steps, len(tokens))
        matcher.rollback(steps)
        del tokens[len(tokens) - steps :]

    @precondition(lambda self: len(self.pairs) < 5)
    @rule(which=st.integers(0, 9))
    def fork(self, which):
        matcher, tokens = self.pairs[which % len(self.pairs)]
        self.pairs.append((matcher.fork(), list(tokens)))

    @rule()
    def compare(self):
        for matcher, tokens in self.pairs:
            fresh = Matcher(self.index)
            fresh.advance_all(tokens)
            np.testing.assert_array_equal(matcher.allowed(), fresh.allowed())
            assert (matcher.is_complete, matcher.is_finished) == (fresh.is_complete, fresh.is_finished)
            assert matcher.is_over == (matcher.is_complete and set(matcher.allowed_tokens()) <= {EOS})


TestMatcherMachine = MatcherMachine.TestCase
TestMatcherMachine.settings = settings(
    max_examples=settings.default.max_examples // 2, stateful_step_count=30, deadline=None
)


def walked(index: TokenIndex, rng: random.Random) -> tuple[Matcher, list[int]]:
    """A matcher at some place of some text, which may be over, and the tokens up to there."""
    matcher, tokens = Matcher(index), []
    for _ in range(rng.randint(0, 12)):
        if not matcher.is_finished:
            tokens.append(rng.choice(matcher.allowed_tokens().tolist()))
            matcher.advance(tokens[-1])
    return matcher, tokens


def replayed(index: TokenIndex, tokens: list[int]) -> Matcher:
    matcher = Matcher(index)
    matcher.advance_all(tokens)
    return matcher


@pytest.mark.parametrize("workers", [0, 3])
def test_masks_of_many_texts_are_those_of_each(workers):
    vocabulary = random_vocabulary(7, b'abc{}[]", :')
    patterns = ["[abc]{2,5}", "(a|b)*c", r'"[^"]*"', "a{0,300}b?", "x?a", *(f"[abc{{]{{{n},9}}" for n in range(7))]
    rng = random.Random(5)
    indexes, twins = ([TokenIndex.build(regex_network(p), vocabulary) for p in patterns] for _ in range(2))
    with ThreadPoolExecutor(workers or 1) as pool:
        for _ in range(20):
            places = [(which, *walked(indexes[which], rng)) for which in rng.choices(range(len(indexes)), k=17)]
            matchers = [matcher if rng.random() < 0.9 else None for _, matcher, _ in places]
            if rng.random() < 0.5:
                rng.choice(indexes).forget()
            masks = np.full((17, indexes[0].words), -1, dtype=np.int32)
            fill_masks(matchers, masks, threads=pool if workers else None)
            for matcher, (which, _, tokens), mask in zip(matchers, places, masks, strict=True):
                expected = 0 if matcher is None else replayed(twins[which], tokens).allowed()
                np.testing.assert_array_equal(mask, expected)


def test_masks_of_many_texts_go_to_their_rows():
    vocabulary, rng = random_vocabulary(7), random.Random(6)
    indexes = [TokenIndex.build(regex_network(p), vocabulary) for p in ("[abc]{2,5}", "(a|b)*c")]
    for _ in range(20):
        matchers = [walked(rng.choice(indexes), rng)[0] for _ in range(5)]
        rows = rng.sample(range(9), k=5)
        masks = np.full((9, indexes[0].words), -1, dtype=np.int32)
        assert fill_masks(matchers, masks, rows=rows) == {}
        for row in range(9):
            expected = matchers[rows.index(row)].allowed() if row in rows else -1
            np.testing.assert_array_equal(masks[row], expected)
    with pytest.raises(ValueError, match="rows from 0 to 9 do not fit"):
        fill_masks(matchers[:2], masks, rows=[0, 9])
    with pytest.raises(ValueError, match="5 matchers do not fit"):
        fill_masks(matchers, masks, rows=[0, 1])


@pytest.mark.parametrize("workers", [0, 2])
def test_a_text_at_a_limit_spoils_no_other(workers):
    vocabulary = random_vocabulary(3, b"abcdefgh")
    good = TokenIndex.build(regex_network("[a-h]*"), vocabulary)
    bad = TokenIndex.build(regex_network("(?:a|b[a-h]{3}){0,300}c"), vocabulary, limits=Limits(max_configurations=4))
    matchers = [Matcher(good), Matcher(bad), None, Matcher(good)]
    masks = np.full((4, good.words), -1, dtype=np.int32)
    with ThreadPoolExecutor(workers or 1) as pool:
        failed = fill_masks(matchers, masks, threads=pool if workers else None)
    assert list(failed) == [1]
    assert failed[1].limit == "max_configurations"
    assert not masks[1].any()
    assert not masks[2].any()
    for row in (0, 3):
        np.testing.assert_array_equal(masks[row], Matcher(good).allowed())


@pytest.mark.parametrize("pattern", ["(a|b)*c?", "[abc]{2,5}", "a{0,3}"])
def test_own_ends_of_sequence_are_those_of_a_vocabulary_with_them(pattern):
    """Every mask, step and end, alone and in a batch, for ends that replace, add to and equal the vocabulary's."""
    rng, base = random.Random(1), random_vocabulary(4)
    shared = TokenIndex.build(regex_network(pattern), base)
    unused = len(base)
    for eos in [(SPECIAL,), (EOS, SPECIAL), (EOS,), (SPECIAL, unused), ()]:
        own = Vocabulary(token_bytes=base.token_bytes, special=base.special | {*eos}, eos=eos, rows=base.rows)
        twins = TokenIndex.build(regex_network(pattern), own)
        assert Matcher(shared, eos=eos).eos == eos
        for _ in range(15):
            matcher, twin = Matcher(shared, eos=eos), Matcher(twins)
            while True:
                masks = np.empty((1, shared.words), dtype=np.int32)
                fill_masks([matcher], masks)
                for mask in (matcher.allowed(), masks[0]):
                    np.testing.assert_array_equal(mask, twin.allowed())
                assert [matcher.can_advance(t) for t in range(base.rows)] == [
                    twin.can_advance(t) for t in range(base.rows)
                ]
                assert matcher.is_over == twin.is_over
                if matcher.is_finished or not len(matcher.allowed_tokens()):
                    break
                token = rng.choice(matcher.allowed_tokens().tolist())
                assert matcher.try_advance(token)
                assert twin.try_advance(token)
            assert matcher.fork().eos == matcher.eos


def test_masks_with_own_ends_of_sequence_have_keys_of_their_own():
    index = TokenIndex.build(regex_network("a*"), random_vocabulary(4))
    keys = [Matcher(index, eos=eos).mask_key for eos in [(EOS,), (SPECIAL,), (EOS, SPECIAL), (SPECIAL, EOS)]]
    assert keys[0] == Matcher(index).mask_key
    assert keys[2] == keys[3]
    assert len(set(keys)) == 3
    assert [Matcher(index, eos=[SPECIAL]).canonical_mask_key() for _ in range(2)] == [keys[1]] * 2


def test_an_end_of_sequence_spells_no_text():
    vocabulary = random_vocabulary(4)
    index = TokenIndex.build(regex_network("a*"), vocabulary)
    with pytest.raises(OptionError, match="end-of-sequence id 3 spells text, b'a'; make a Vocabulary"):
        Matcher(index, eos=[EOS, 3])
    with pytest.raises(OptionError, match="outside the"):
        Matcher(index, eos=[vocabulary.rows])


def test_a_refused_token_changes_nothing():
    matcher = Matcher(TokenIndex.build(regex_network("ab"), random_vocabulary(4)))
    before = matcher.allowed().tolist()
    for token in (EOS, SPECIAL, -1, 10**6):
        assert not matcher.try_advance(token)
    assert (len(matcher), matcher.allowed().tolist()) == (0, before)


def test_masks_of_many_texts_that_do_not_fit():
    index = TokenIndex.build(regex_network("a*"), random_vocabulary(1))
    with pytest.raises(ValueError, match="2 matchers do not fit"):
        fill_masks([Matcher(index), None], bitmask.allocate(3, index.vocabulary.rows))
    with pytest.raises(ValueError, match="words do not fit the vocabulary"):
        fill_masks([Matcher(index)], bitmask.allocate(1, index.vocabulary.rows + 32))


def test_drafts_lead_where_their_tokens_do():
    vocabulary, rng = random_vocabulary(2), random.Random(3)
    index = TokenIndex.build(regex_network("(ab|ba|c){1,4}"), vocabulary)
    refused = 0
    for _ in range(60):
        matcher, before = walked(index, rng)
        count = rng.randint(0, 8)
        tokens = [rng.choice(range(len(vocabulary) + 1)) for _ in range(count)]
        parents = [rng.randint(-1, number - 1) for number in range(count)] if rng.random() < 0.7 else None
        found = matcher.follow(tokens, parents)
        assert len(matcher) == len(before)
        for number, after in enumerate(found):
            path, place = [], number
            while place >= 0:
                path.insert(0, tokens[place])
                place = place - 1 if parents is None else parents[place]
            try:
                replay = replayed(index, before + path)
            except MatchError:
                assert after is None
                refused += 1
                continue
            assert after is not None
            assert len(after) == len(replay)
            np.testing.assert_array_equal(after.allowed(), replay.allowed())
    assert 50 < refused < 230
    with pytest.raises(ValueError, match="parent of token 1 is 1"):
        matcher.follow([3, 3], [-1, 1])


def test_forced_text_and_tokens():
    matcher = Matcher(TokenIndex.build(words_of([b"hello world", b"hello there"]), Vocabulary.from_bytes()))
    assert matcher.forced_text() == b"hello "
    assert matcher.forced_tokens() == list(b"hello ")
    matcher.advance_bytes(b"hello t")
    assert matcher.forced_text() == b"here"
    assert matcher.forced_tokens() == [*b"here", 256]
    matcher.advance_all([*b"here", 256])
    assert matcher.is_finished
    assert matcher.forced_text() == b""
    assert matcher.forced_tokens() == []


def test_advance_all_is_all_or_nothing():
    matcher = Matcher(TokenIndex.build(words_of([b"abc"]), Vocabulary.from_bytes()))
    with pytest.raises(MatchError, match="not allowed here"):
        matcher.advance_all(b"abx")
    assert len(matcher) == 0
    with pytest.raises(MatchError, match="byte 2"):
        matcher.advance_bytes(b"abx")
    with pytest.raises(MatchError, match="not complete"):
        matcher.advance(256)
    with pytest.raises(ValueError, match="cannot take back"):
        matcher.rollback(1)


def letters_vocabulary(*texts: str) -> Vocabulary:
    return Vocabulary(
        token_bytes=(b"", *(text.encode() for text in texts)), special=frozenset({0}), eos=(0,), rows=len(texts) + 1
    )


def test_what_cannot_be_spelled_is_never_begun():
    # "ax" is open at first, but x has no token; nor has the second byte of é, except as part of the whole letter
    vocabulary = letters_vocabulary("a", "b", "é", "ab", "aé")
    index = TokenIndex.build(words_of([b"ax", "aé".encode(), b"bb", "ßa".encode()]), vocabulary)
    matcher = Matcher(index)
    assert matcher.allowed_tokens().tolist() == [1, 2, 5]
    matcher.advance(1)
    assert matcher.allowed_tokens().tolist() == [3]


@pytest.mark.parametrize(
    ("longer", "is_over"), [("ab", False), ("aé", False), ("aß", True), ("ax", True), ("aéx", True)]
)
def test_a_text_is_over_if_no_token_can_follow(longer, is_over):
    index = TokenIndex.build(words_of([b"a", longer.encode()]), letters_vocabulary("a", "b", "é", "aß"))
    matcher = Matcher(index)
    assert not matcher.is_over
    matcher.advance(1)
    assert matcher.is_over == is_over == (matcher.allowed_tokens().tolist() == [0])


def test_a_constraint_that_cannot_be_spelled_names_the_characters():
    with pytest.raises(UnspellableError) as caught:
        TokenIndex.build(words_of([b'{"a": 1}', "[ß]".encode()]), letters_vocabulary("a", "1", " ", ":", "[", "]"))
    assert caught.value.characters == ('"', "{", "}", "ß")
