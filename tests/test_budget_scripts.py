"""Budgets in random scripts: matchers against fresh ones that replay the script, and masks against their definition."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from networks import random_network
from vocabularies import EOS, random_vocabulary

from guidance_kit.errors import BudgetError, MatchError
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.token_index import TokenIndex

Operation = int | bytes | tuple[int | None]
"""A token, a text that is not made of tokens, or a budget."""


def replayed(index: TokenIndex, script: list[Operation]) -> tuple[Matcher, bool]:
    """A fresh matcher that did a whole script, and whether a budget forbids a token, or did where one was taken."""
    matcher, was_restricted = Matcher(index), False
    for operation in script:
        if isinstance(operation, tuple):
            matcher = matcher.within(*operation)
        elif isinstance(operation, bytes):
            matcher.advance_bytes(operation)
        else:
            was_restricted |= forbids(matcher)
            matcher.advance(operation)
    return matcher, was_restricted or forbids(matcher)


def left_after(script: list[Operation]) -> int | None:
    """The tokens of the last budget that were not taken."""
    left = None
    for operation in script:
        if isinstance(operation, tuple):
            (left,) = operation
        elif isinstance(operation, int) and left is not None:
            left -= 1
    return left


def allowed_within(matcher: Matcher) -> set[int]:
    """The tokens that the constraint allows and after which the tokens that are left complete the text."""
    free, left = matcher.within(None), matcher.tokens_left
    tokens = free.allowed_tokens().tolist()
    if left is None:
        return set(tokens)
    found = set()
    for token, after in zip(tokens, free.follow(tokens, [-1] * len(tokens)), strict=True):
        if after.min_tokens_to_complete() < left:
            found.add(token)
    return found


def forbids(matcher: Matcher) -> bool:
    """Whether the budget forbids a token here, besides the end."""
    return bool(set(matcher.within(None).allowed_tokens()) - set(matcher.allowed_tokens()) - {EOS})


class BudgetMachine(RuleBasedStateMachine):
    """Random scripts of tokens, texts, budgets, rollback and fork, for several matchers over one index."""

    @initialize(seed=st.integers(0, 40), more=st.integers(0, 6))
    def begin(self, seed, more):
        index, self.twin = (TokenIndex(Automaton(random_network(seed)), random_vocabulary(seed)) for _ in range(2))
        start = Matcher(index)
        tokens = start.min_tokens_to_complete() + more
        self.pairs: list[tuple[Matcher, list[Operation]]] = [(start.within(tokens), [(tokens,)])]

    @rule(which=st.integers(0, 9), choice=st.integers(0, 10_000))
    def advance(self, which, choice):
        matcher, script = self.pairs[which % len(self.pairs)]
        allowed = matcher.allowed_tokens().tolist()
        if allowed:
            script.append(allowed[choice % len(allowed)])
            matcher.advance(script[-1])

    @rule(which=st.integers(0, 9), token=st.integers(-2, 120))
    def refuse(self, which, token):
        matcher, _ = self.pairs[which % len(self.pairs)]
        if token not in matcher.allowed_tokens():
            with pytest.raises(MatchError):
                matcher.advance(token)

    @rule(which=st.integers(0, 9), text=st.lists(st.sampled_from(b"abc"), max_size=3).map(bytes))
    def read(self, which, text):
        """It is refused exactly if no budget would let it through, or the tokens that are left do not complete it."""
        matcher, script = self.pairs[which % len(self.pairs)]
        free = matcher.within(None)
        try:
            free.advance_bytes(text)
        except MatchError:
            suffices = False
        else:
            suffices = matcher.tokens_left is None or free.min_tokens_to_complete() <= matcher.tokens_left
        if suffices:
            matcher.advance_bytes(text)
            script.append(text)
        else:
            with pytest.raises(MatchError):
                matcher.advance_bytes(text)

    @rule(which=st.integers(0, 9), more=st.none() | st.integers(-2, 4))
    def limit(self, which, more):
        matcher, script = self.pairs[which % len(self.pairs)]
        needed = matcher.min_tokens_to_complete()
        tokens = None if more is None else needed + more
        if more is not None and more < 0:
            with pytest.raises(BudgetError):
                matcher.within(tokens)
        else:
            script.append((tokens,))
            self.pairs[which % len(self.pairs)] = matcher.within(tokens), script

    @rule(which=st.integers(0, 9), steps=st.integers(0, 4))
    def rollback(self, which, steps):
        """A step is taken back with the budgets after it."""
        matcher, script = self.pairs[which % len(self.pairs)]
        steps = min(steps, len(matcher))
        matcher.rollback(steps)
        while steps:
            steps -= not isinstance(script.pop(), tuple)

    @precondition(lambda self: len(self.pairs) < 3)
    @rule(which=st.integers(0, 9))
    def fork(self, which):
        matcher, script = self.pairs[which % len(self.pairs)]
        self.pairs.append((matcher.fork(), list(script)))

    @invariant()
    def they_agree(self):
        for matcher, script in self.pairs:
            fresh, is_restricted = replayed(self.twin, script)
            allowed = matcher.allowed_tokens().tolist()
            assert allowed == fresh.allowed_tokens().tolist() == sorted(allowed_within(matcher))
            assert allowed or matcher.is_finished or matcher.tokens_left == 0
            assert (matcher.is_complete, matcher.is_finished) == (fresh.is_complete, fresh.is_finished)
            assert matcher.tokens_left == fresh.tokens_left == left_after(script)
            assert len(matcher) == len(fresh) == sum(not isinstance(operation, tuple) for operation in script)
            assert matcher.min_tokens_to_complete() == fresh.min_tokens_to_complete()
            assert matcher.is_restricted == is_restricted
            assert matcher.is_over == (matcher.is_complete and set(allowed) <= {EOS})


TestBudgetMachine = BudgetMachine.TestCase
TestBudgetMachine.settings = settings(max_examples=settings.default.max_examples // 2, stateful_step_count=20)
