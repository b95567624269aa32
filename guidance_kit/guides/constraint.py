"""Constraint guide: forbid every token after which the text cannot be completed."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Literal

import numpy as np
from torch import Tensor

from guidance_kit.errors import BudgetError
from guidance_kit.fsm import bitmask
from guidance_kit.fsm.mask_batch import fill_masks
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.guides.apply_mask import forbid
from guidance_kit.guides.guide import Stage
from guidance_kit.guides.mask_pool import pool_for

__all__ = ["ConstraintGuide", "ConstraintState"]

ConstraintState = tuple[Matcher, ...]
"""One matcher a row. A matcher in a state is never advanced: `advance` forks it, in constant time, so old states stay
valid."""


class ConstraintGuide:
    """Mask the tokens that a constraint does not allow.

    Args:
        matchers: initial states of the texts: one matcher for all rows, or one a prompt. They are copied.
    """

    stage = Stage.MASK

    def __init__(self, matchers: Matcher | Sequence[Matcher]) -> None:
        self._shared = matchers.fork() if isinstance(matchers, Matcher) else None
        self._own = () if isinstance(matchers, Matcher) else tuple(matcher.fork() for matcher in matchers)

    def start(self, prompts: Sequence[Sequence[int]]) -> ConstraintState:
        """See `Guide.start`.

        Raises:
            ValueError: there is one matcher a prompt, and another number of prompts.
        """
        if self._shared is not None:
            return (self._shared,) * len(prompts)
        if len(self._own) != len(prompts):
            raise ValueError(f"{len(self._own)} constraints for {len(prompts)} prompts")
        return self._own

    def adjust(self, logits: Tensor, state: ConstraintState) -> Tensor:
        """See `Guide.adjust`: -inf for every token that the constraint does not allow, and for padding rows."""
        if logits.device.type != "cpu":
            return pool_for(logits).forbid(logits, state)
        if len(state) == 1:
            return forbid(logits, state[0].allowed()[None])
        mask = bitmask.allocate(len(state), logits.shape[1])
        for error in fill_masks(state, mask).values():
            raise error
        return forbid(logits, mask)

    def completion_weights(
        self, state: ConstraintState, measure: Literal["count", "mass"], rows: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Ln of the measure of the completions of each text, and after each next token; see `fsm.CompletionWeights`.

        Args:
            rows: number of rows of the logits.
        Returns:
            Float64, (batch,), and float64, (batch, rows), -inf for tokens that are not allowed.
        Raises:
            UnsupportedFeature: the completions cannot be counted.
        """
        here = np.empty(len(state))
        after = np.full((len(state), rows), -np.inf)
        for row, matcher in enumerate(state):
            here[row], tokens, after[row, tokens] = matcher.completion_weights(measure)
        return here, after

    def advance(self, state: ConstraintState, tokens: Sequence[Sequence[int]]) -> ConstraintState:
        """See `Guide.advance`.

        Raises:
            MatchError: a token is not allowed.
        """
        following: list[Matcher] = []
        for matcher, taken in zip(state, tokens, strict=True):
            if taken:
                matcher = matcher.fork()
                matcher.advance_all(taken)
            following.append(matcher)
        return tuple(following)

    def select(self, state: ConstraintState, rows: Sequence[int]) -> ConstraintState:
        """See `Guide.select`."""
        return tuple(state[row] for row in rows)

    def join(self, states: Sequence[ConstraintState]) -> ConstraintState:
        """See `Guide.join`."""
        return tuple(itertools.chain.from_iterable(states))

    def of_prompts(self, rows: Sequence[int]) -> ConstraintGuide:
        """Guide for a subset of the prompts."""
        return self if self._shared is not None else ConstraintGuide([self._own[row] for row in rows])

    def within(self, room: Sequence[int | None]) -> ConstraintGuide:
        """Guide that completes each text within a token budget, see `Matcher.within`.

        Args:
            room: budget of each prompt in tokens; None for no limit.
        Raises:
            ValueError: there is one matcher a prompt, and another number of prompts.
            BudgetError: a budget does not suffice; a note has the number of the prompt if there are several.
        """
        limited: list[Matcher] = []
        for number, (matcher, tokens) in enumerate(zip(self.start([()] * len(room)), room, strict=True)):
            try:
                limited.append(matcher.within(tokens))
            except BudgetError as error:
                if len(room) > 1:
                    error.add_note(f"prompt {number}")
                raise
        return ConstraintGuide(limited)

    def is_restricted(self, state: ConstraintState, row: int) -> bool:
        """Test for a row in which the token budget has forbidden an otherwise allowed token."""
        return state[row].is_restricted

    def is_finished(self, state: ConstraintState) -> list[bool]:
        """Test, for each row, for an end by an end-of-sequence token."""
        return [matcher.is_finished for matcher in state]

    def small_masks(self, state: ConstraintState, most: int) -> list[bytes | None]:
        """Mask of each row that allows at most so many tokens, packed; None for another row."""
        masks = [matcher.allowed() for matcher in state]
        return [None if int(bitmask.count(mask)) > most else mask.tobytes() for mask in masks]

    def is_over(self, state: ConstraintState) -> list[bool]:
        """Test, for each row, for a text that nothing can follow, see `Matcher.is_over`."""
        return [matcher.is_over for matcher in state]

    def allowed_proposals(self, state: ConstraintState, proposals: Sequence[Sequence[int]]) -> list[Sequence[int]]:
        """Proposed tokens of each row before the first that is not allowed, or after which nothing can follow."""
        found: list[Sequence[int]] = []
        for matcher, tokens in zip(state, proposals, strict=True):
            after = matcher.follow(tokens)
            ends = (place for place, one in enumerate(after) if one is None or one.is_over)
            found.append(tokens[: next(ends, len(tokens))])
        return found

    def forced(self, state: ConstraintState, limit: int) -> list[list[int]]:
        """Forced tokens: next tokens that are the only ones allowed, equally many in every row.

        Args:
            limit: maximum number of tokens.
        Returns:
            Lists of equal length, one a row; no lists if the next token of some row is not forced. Equal lengths keep
            the block of a model pass equally wide in all rows.
        """
        found: list[list[int]] = []
        for matcher in state:
            tokens = _forced(matcher, limit)
            if not tokens:
                return []
            limit = len(tokens)
            found.append(tokens)
        return [tokens[:limit] for tokens in found]


def _forced(matcher: Matcher, limit: int) -> list[int]:
    """Forced tokens of one row."""
    tokens: list[int] = []
    while len(tokens) < limit and not matcher.is_finished:
        token = _only(matcher.allowed())
        if token is None or token in matcher.index.vocabulary.eos:
            break
        if not tokens:
            matcher = matcher.fork()
        tokens.append(token)
        matcher.advance(token)
    return tokens


def _only(mask: np.ndarray) -> int | None:
    """Only token that a mask allows, None if it allows several or none."""
    if np.count_nonzero(mask) != 1:
        return None
    word = int(mask.nonzero()[0][0])
    bits = int(mask[word]) & 0xFFFFFFFF
    return None if bits & (bits - 1) else word * 32 + bits.bit_length() - 1
