"""The contract of guides, checked for each of them; and what the constraint allows."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
import torch
from networks import repeated, words_of
from toy_models import AB, ABC, EOS, A, B, matcher_of

from guidance_kit.errors import MatchError, OptionError
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.guides.constraint import ConstraintGuide
from guidance_kit.guides.dry import Dry
from guidance_kit.guides.guide import Guide, Stage
from guidance_kit.guides.logit_bias import LogitBias
from guidance_kit.guides.mask_pool import pool_for
from guidance_kit.guides.minimum_length import MinimumLength
from guidance_kit.guides.no_repeat_ngrams import NoRepeatNgrams
from guidance_kit.guides.penalties import Penalties


@dataclass(frozen=True)
class Repetition:
    """A guide with a state of its own: lower the logits of tokens that were taken, once for each time."""

    stage = Stage.BIAS
    penalty: float = 1.0

    def start(self, prompts: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
        return ((),) * len(prompts)

    def adjust(self, logits: torch.Tensor, state: tuple[tuple[int, ...], ...]) -> torch.Tensor:
        lowered = logits.clone()
        for row, taken in enumerate(state):
            for token in taken:
                lowered[row, token] -= self.penalty
        return lowered

    def advance(self, state, tokens):
        return tuple((*taken, *new) for taken, new in zip(state, tokens, strict=True))

    def select(self, state, rows):
        return tuple(state[row] for row in rows)

    def join(self, states):
        return tuple(row for state in states for row in state)


class ConstraintOnADevice(ConstraintGuide):
    """Adjusts as on a GPU."""

    def adjust(self, logits: torch.Tensor, state: tuple[Matcher, ...]) -> torch.Tensor:
        return pool_for(logits).forbid(logits, state)


GUIDES = [
    pytest.param(lambda: ConstraintGuide(matcher_of(repeated(b"ab", 2, 4))), id="constraint"),
    pytest.param(lambda: ConstraintGuide([matcher_of(repeated(b"ab", 2, 4))] * 3), id="constraints, one a row"),
    pytest.param(lambda: ConstraintOnADevice([matcher_of(repeated(b"ab", 2, 4))] * 3), id="constraints on a device"),
    pytest.param(lambda: LogitBias({(A,): 1.5, (A, B): -2.0, (B, AB, A): 3.0}), id="logit bias"),
    pytest.param(lambda: Penalties(presence=0.5, frequency=0.3, repetition=1.2), id="penalties"),
    pytest.param(lambda: NoRepeatNgrams(2), id="no-repeat 2-grams"),
    pytest.param(lambda: NoRepeatNgrams(1), id="no-repeat 1-grams"),
    pytest.param(lambda: Dry(allowed_length=1, breakers={AB}), id="dry"),
    pytest.param(lambda: MinimumLength(2, (EOS,)), id="minimum length"),
    pytest.param(Repetition, id="a guide of the tests"),
]

PROMPTS = [[A], [B, B], [A, B]]
STEPS = [[[A], [B], [AB]], [[B], [], [A, B]], [[A, B], [A], []]]


def logits(seed: int, batch: int = 3) -> torch.Tensor:
    return torch.randn(batch, ABC.rows, generator=torch.Generator().manual_seed(seed))


def states(guide: Guide) -> list:
    """The states along STEPS."""
    found = [guide.start(PROMPTS)]
    for step in STEPS:
        found.append(guide.advance(found[-1], step))
    return found


@pytest.mark.parametrize("make", GUIDES)
class TestContract:
    def test_adjust_is_pure(self, make):
        guide = make()
        for number, state in enumerate(states(guide)):
            given = logits(number)
            before = given.clone()
            first = guide.adjust(given, state)
            assert torch.equal(given, before)
            assert first is not given or torch.equal(first, before)
            assert first.shape == given.shape
            assert first.dtype == given.dtype
            assert torch.equal(first, guide.adjust(given, state))

    def test_old_states_stay_valid(self, make):
        guide = make()
        passed = states(guide)
        early = [guide.adjust(logits(9), state) for state in passed]
        for _ in range(2):
            for state, step in zip(passed[:-1], STEPS, strict=True):
                guide.advance(state, step)
                guide.select(state, [2, 0])
            assert all(map(torch.equal, early, [guide.adjust(logits(9), state) for state in passed]))

    def test_select_takes_rows(self, make):
        guide = make()
        for state in states(guide):
            for rows in ([0, 1, 2], [2, 0], [1], [1, 1, 0, 2], []):
                chosen = guide.select(state, rows)
                given = logits(5)[rows]
                if rows:
                    assert torch.equal(guide.adjust(given, chosen), guide.adjust(logits(5), state)[rows])

    def test_join_makes_one_batch_of_several(self, make):
        guide = make()
        for state in states(guide):
            parts = [guide.select(state, [row]) for row in (2, 0, 0)] + [guide.select(state, [1, 2])]
            joined = guide.join(parts)
            rows = [2, 0, 0, 1, 2]
            assert torch.equal(guide.adjust(logits(5)[rows], joined), guide.adjust(logits(5), state)[rows])

    def test_rows_do_not_know_each_other(self, make):
        guide = make()
        for row in range(3):
            alone = guide.select(guide.start(PROMPTS), [row])
            for step, state in zip([None, *STEPS], states(guide), strict=True):
                if step is not None:
                    alone = guide.advance(alone, [step[row]])
                assert torch.equal(guide.adjust(logits(4)[[row]], alone)[0], guide.adjust(logits(4), state)[row])

    def test_several_tokens_at_once_are_the_same(self, make):
        guide = make()
        start = guide.start(PROMPTS)
        joined = [[token for step in STEPS for token in step[row]] for row in range(3)]
        assert torch.equal(
            guide.adjust(logits(3), guide.advance(start, joined)), guide.adjust(logits(3), states(guide)[-1])
        )

    def test_states_can_be_copied(self, make):
        guide = make()
        for state in states(guide):
            assert torch.equal(guide.adjust(logits(1), copy.copy(state)), guide.adjust(logits(1), state))

    def test_it_names_its_stage(self, make):
        assert make().stage in Stage


def test_a_constraint_forbids_what_the_matcher_forbids():
    guide = ConstraintGuide(matcher_of(words_of([b"ab", b"abb", b"b"])))
    state = guide.start([[A]])
    for token, allowed in [(None, {A, B, AB}), (A, {B}), (B, {B, EOS}), (EOS, set())]:
        if token is not None:
            state = guide.advance(state, [[token]])
        adjusted = guide.adjust(logits(0, 1), state)[0]
        assert set(torch.nonzero(adjusted > -torch.inf).flatten().tolist()) == allowed


def test_a_forbidden_token_is_refused_and_changes_nothing():
    guide = ConstraintGuide(matcher_of(words_of([b"ab"])))
    state = guide.start([[A], [A]])
    with pytest.raises(MatchError):
        guide.advance(state, [[A], [A, A]])
    assert torch.equal(guide.adjust(logits(0, 2), state), guide.adjust(logits(0, 2), guide.start([[A], [A]])))


def test_the_callers_matcher_is_not_shared():
    matcher = matcher_of(words_of([b"ab"]))
    guide = ConstraintGuide(matcher)
    matcher.advance(A)
    assert guide.start([[A]])[0].can_advance(A)


def test_one_constraint_a_prompt():
    guide = ConstraintGuide([matcher_of(words_of([b"a"])), matcher_of(words_of([b"b"]))])
    adjusted = guide.adjust(logits(0, 2), guide.start([[A], [A]])) > -torch.inf
    assert adjusted.nonzero().tolist() == [[0, A], [1, B]]
    with pytest.raises(ValueError, match="2 constraints for 1 prompts"):
        guide.start([[A]])


def test_forced_tokens_are_those_without_alternative():
    guide = ConstraintGuide(matcher_of(words_of([b"bbab", b"bbbaaaa"])))  # "ab" can be spelled in two ways
    state = guide.start([[A]] * 2)
    assert guide.forced(state, 9) == [[B, B]] * 2
    assert guide.forced(state, 1) == [[B]] * 2
    assert guide.forced(guide.advance(state, [[B], []]), 9) == [[B]] * 2  # as many as are certain in both
    assert guide.forced(guide.advance(state, [[B, B], []]), 9) == []
    state = guide.advance(state, [[B, B, B], [B, B, A, B]])
    assert guide.is_over(state) == [False, True]
    assert guide.forced(state, 9) == []
    assert guide.forced(guide.select(state, [0]), 9) == [[A, A, A, A]]
    state = guide.advance(state, [[A, A, A, A], [EOS]])
    assert guide.is_over(state) == [True, True]
    assert guide.forced(state, 9) == []
    assert guide.forced((), 9) == []


def test_what_may_end_and_may_go_on_is_not_over():
    guide = ConstraintGuide(matcher_of(words_of([b"b", b"bb"])))
    state = guide.advance(guide.start([[A]]), [[B]])
    assert guide.is_over(state) == [False]
    assert guide.forced(state, 9) == []


@pytest.mark.parametrize("number", [1e31, -1e308, 10**400, math.inf, math.nan])
def test_penalties_that_overflow_are_refused(number):
    for options in ({"presence": number}, {"frequency": number}, {"repetition": number}, {"repetition": 1e-7}):
        with pytest.raises(OptionError, match="must be"):
            Penalties(**options)
