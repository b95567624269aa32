"""Guide protocol: a function from logits to logits, with a state that is a value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from guidance_kit.errors import OptionError

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["GREATEST", "Guide", "Stage", "always_may_forbid", "guides_of", "in_order", "may_forbid"]

State = TypeVar("State")

GREATEST = 1e30
"""Maximum size of a penalty in nats, and of a weight in a formula: far below the overflow of float32."""


class Stage(IntEnum):
    """Stage of a guide in a step. The loop applies guides by stage, whatever order they are given in.

    Between MASK and WATERMARK the sampler applies temperature and truncation: truncating before the mask could remove
    every allowed token. After truncation no guide may raise a forbidden token.
    """

    BIAS = 1
    MASK = 2
    WATERMARK = 3


class Guide(Protocol[State]):
    """Adjust the logits of a batch of rows, one row a text.

    Contract, checked for every guide in tests/test_guides.py:

    * A state is a value. `advance`, `select` and `join` return a new one; the old one stays valid and unchanged, so
      that a decoder can roll back, branch or repeat.
    * `adjust` changes neither its logits nor the state, and returns the shape of its logits.
    * Rows are independent: a batch gives the results of its rows alone.

    A guide may have a further method, `may_forbid(state, tokens) -> bool`: a test for tokens that could be forbidden,
    whatever the logits are, when each row takes its `tokens` one after the other as by `advance`. Forced tokens are
    then taken without running the model if no guide may forbid them. Without the method each of them costs a step.
    """

    stage: Stage

    def start(self, prompts: Sequence[Sequence[int]]) -> State:
        """Initial state of rows without generated tokens.

        Args:
            prompts: token ids of each row.
        """
        ...

    def adjust(self, logits: Tensor, state: State) -> Tensor:
        """Adjusted logits of the next token.

        Args:
            logits: float32, (batch, rows), nats, unnormalised; not changed.
        Returns:
            float32, (batch, rows); -inf forbids a token.
        """
        ...

    def advance(self, state: State, tokens: Sequence[Sequence[int]]) -> State:
        """State after each row took its `tokens`: none, one or several."""
        ...

    def select(self, state: State, rows: Sequence[int]) -> State:
        """State of a batch made of `rows` of this one, in that order, with repetitions or without some."""
        ...

    def join(self, states: Sequence[State]) -> State:
        """State of a batch made of the rows of several, one or more, in that order."""
        ...


def always_may_forbid(guide: Guide[Any]) -> bool:
    """Test for a guide without `may_forbid`, which may forbid any token."""
    return not hasattr(guide, "may_forbid")


def may_forbid(guide: Guide[Any], state: Any, tokens: Sequence[Sequence[int]]) -> bool:
    """Test for a guide that may forbid one of the tokens that the rows are to take; see `Guide`."""
    return always_may_forbid(guide) or bool(getattr(guide, "may_forbid")(state, tokens))  # noqa: B009


def guides_of(given: object) -> tuple[Guide[Any], ...]:
    """Guides of an argument, in the order given.

    Args:
        given: a guide, or an iterable of guides.
    Raises:
        OptionError: the argument is neither.
    """
    guides: tuple[Any, ...] | None = None
    if isinstance(given, Iterable) and not isinstance(given, type):
        guides = tuple(cast("Iterable[Any]", given))
    elif given is not None:
        guides = (given,)
    if guides is None or not all(_is_guide(one) for one in guides):
        raise OptionError(f"guides are what logit_bias() and Penalties() return and their like, not {given!r}")
    return guides


def in_order(guides: Guide[Any] | Iterable[Guide[Any]]) -> list[Guide[Any]]:
    """Guides sorted by stage, those of one stage as given.

    Raises:
        OptionError: the argument is neither a guide nor an iterable of guides.
    """
    return sorted(guides_of(guides), key=lambda guide: guide.stage)


def _is_guide(one: object) -> bool:
    """Test for an instance with a stage; the class of a guide is no guide."""
    return isinstance(getattr(one, "stage", None), Stage) and not isinstance(one, type)
