"""State of a request to vLLM, and the masks of a batch of them.

vLLM calls these methods between the steps of its engine, and an exception that left one would end the engine for all
its requests: it is logged, and the request alone fails.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar, cast

import numpy as np
from torch import Tensor

from guidance_kit.fsm.mask_batch import fill_masks, helping_threads
from guidance_kit.fsm.matcher import Matcher

__all__ = ["MaskRow", "MatcherGrammar", "draft_rows", "fill_rows"]

_LOG = logging.getLogger("guidance_kit.vllm")

_Method = TypeVar("_Method", bound=Callable[..., Any])

MaskRow = tuple["MatcherGrammar", Matcher] | None
"""Mask of a batch: that of a request in a state; None allows everything."""


def _nothing() -> None:
    """Result of a method that returns None."""


def _safely(result: Callable[[], object]) -> Callable[[_Method], _Method]:
    """Decorate a method of a grammar: an exception is logged, the request fails, and the method returns `result()`."""

    def decorate(method: _Method) -> _Method:
        @functools.wraps(method)
        def safe(self: MatcherGrammar, *arguments: Any) -> Any:
            try:
                return method(self, *arguments)
            except Exception as error:  # of any kind: the engine must go on
                self.fail(error)
                return result()

        return cast(_Method, safe)

    return decorate


class MatcherGrammar:
    """State of one request, with the methods of vLLM's `StructuredOutputGrammar`.

    A request fails where a limit of its constraint is reached: its masks then allow its ends of sequence alone, and no
    token is accepted, upon which vLLM finishes it with the reason "error".

    Args:
        matcher: at the start of the text.
    """

    def __init__(self, matcher: Matcher) -> None:
        self.matcher = matcher
        self.error: Exception | None = None

    def fail(self, error: Exception) -> None:
        """Let the request fail."""
        if self.error is None:
            self.error = error
            _LOG.error("a request fails: %s", error, exc_info=error)

    @_safely(bool)
    def accept_tokens(self, request_id: str, tokens: Sequence[int]) -> bool:
        """Take tokens; those after the end of the sequence, which `ignore_eos` brings, are ignored.

        Returns:
            False if the constraint forbids one, or the request has failed.
        """
        for token in tokens:
            if self.matcher.is_finished:
                return True
            if self.error is not None or not self.matcher.try_advance(int(token)):
                return False
        return self.error is None

    @_safely(_nothing)
    def after(self, matcher: Matcher, token: int) -> Matcher | None:
        """State after a drafted token; None if it is not allowed."""
        following = matcher.fork()
        return following if self.error is None and following.try_advance(int(token)) else None

    @_safely(list)
    def validate_tokens(self, tokens: Sequence[int]) -> list[int]:
        """Longest allowed beginning of drafted tokens, up to an end of the sequence; the state stays."""
        probe = self.matcher.fork()
        allowed: list[int] = []
        for token in tokens:
            if self.error is not None or probe.is_finished or not probe.try_advance(int(token)):
                break
            allowed.append(token)
        return allowed

    @_safely(_nothing)
    def rollback(self, num_tokens: int) -> None:
        """Take back the last tokens that were accepted."""
        self.matcher.rollback(num_tokens)

    def fill_bitmask(self, bitmask: Tensor, batch_index: int) -> None:
        """Write the mask of the next token into a row of int32 (rows, words), on the CPU."""
        fill_rows([(self, self.matcher)], bitmask.numpy()[batch_index : batch_index + 1])

    def is_terminated(self) -> bool:
        """Test whether the end of the sequence was accepted."""
        return self.matcher.is_finished

    @_safely(_nothing)
    def reset(self) -> None:
        """Go back to the start of the text."""
        self.matcher.rollback(len(self.matcher))

    @_safely(str)
    def jump_forward_string(self) -> str:
        """Text that must come next; without an incomplete character at its end."""
        return self.matcher.forced_text().decode(errors="ignore")


def fill_rows(rows: Sequence[MaskRow], masks: np.ndarray) -> None:
    """Write the masks of a batch, those that are known in one copy.

    Args:
        rows: as many as masks.
        masks: int32, (rows, words), contiguous.
    """
    filled = [row for row, place in enumerate(rows) if place is not None]
    masks[[row for row, place in enumerate(rows) if place is None]] = -1
    places = [place for place in rows if place is not None]
    matchers = [matcher for _, matcher in places]
    try:
        failed: dict[int, Exception] = {**fill_masks(matchers, masks, rows=filled, threads=helping_threads())}
    except Exception:  # not the row's fault that comes first: find it
        failed = {}
        for number, (row, (_, matcher)) in enumerate(zip(filled, places, strict=True)):
            try:
                matcher.allowed(out=masks[row])
            except Exception as error:
                failed[number] = error
    for number, error in failed.items():
        places[number][0].fail(error)
    for row, (grammar, matcher) in zip(filled, places, strict=True):
        if grammar.error is not None:
            masks[row] = 0
            _set(masks[row], matcher.eos)


def _set(mask: np.ndarray, tokens: Iterable[int]) -> None:
    for token in tokens:
        mask[token >> 5] |= np.int32(1) << np.int32(token & 31)


def draft_rows(
    grammar: MatcherGrammar, drafted: Sequence[int], *, grammar_start: int, constraint_start: int, has_bonus: bool
) -> list[MaskRow]:
    """Masks of a request in one step: before each drafted token, and after them.

    Args:
        grammar: the request; not changed.
        drafted: tokens; -1 and what follows is padding.
        grammar_start, constraint_start: number of the first token that the grammar reads, and of the first mask; before
            them the model reasons.
        has_bonus: whether a token follows the drafted ones.
    Returns:
        len(drafted) + has_bonus rows. Those before `constraint_start`, after the end of the sequence and after padding
        allow everything; those after a draft that is forbidden repeat the mask that forbids it.
    """
    matcher: Matcher = grammar.matcher
    is_refused = is_padding = False
    rows: list[MaskRow] = []
    for number in range(len(drafted) + has_bonus):
        if is_refused:
            rows.append(rows[-1])
            continue
        is_masked = not is_padding and number >= constraint_start and not matcher.is_finished
        rows.append((grammar, matcher) if is_masked else None)
        if number == len(drafted) or is_padding:
            continue
        if drafted[number] == -1:
            is_padding = True
        elif number >= grammar_start:
            following = grammar.after(matcher, drafted[number])
            is_refused = following is None
            matcher = following or matcher
    return rows
