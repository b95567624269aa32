"""What a guide is: logits -> logits, with a state that is a value."""

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
"""Most nats of a penalty, and greatest weight of a formula: far from where sums overflow in float32."""


class Stage(IntEnum):
    """Where a guide acts in a step; the loop applies guides in this order, whatever order they are given in.

    Between MASK and WATERMARK the sampler applies temperature and truncation: truncating before the mask could remove
    every token that the constraint allows. After TRUNCATION nothing may raise a token that was forbidden before.
    """

    BIAS = 1
    MASK = 2
    WATERMARK = 3


class Guide(Protocol[State]):
    """Adjust the logits of a batch of rows, one row a text.

    Contract, checked for every guide in tests/test_guides.py:

    * A state is a value. `advance` and `select` return a new one; the old one stays valid and means the same as
      before, so that a decoder can go back, branch or repeat.
    * `adjust` changes neither its logits nor the state, and returns the shape that it was given.
    * Rows do not know each other: a batch gives what its rows give alone.

    A guide may have a further method, `may_forbid(state, tokens) -> bool`: whether any of the tokens, taken by each row
    one after the other as by `advance`, can be forbidden, whatever the logits are. Tokens that a constraint leaves as
    the only ones are then taken without running the model where no guide forbids them. Without it each of them costs
    a step, because it may be forbidden.
    """

    stage: Stage

    def start(self, prompts: Sequence[Sequence[int]]) -> State:
        """The state of rows in which nothing has been generated yet.

        Args:
            prompts: token ids of each row.
        """
        ...

    def adjust(self, logits: Tensor, state: State) -> Tensor:
        """The guided logits of the next token.

        Args:
            logits: float32, (batch, rows), nats, unnormalised; not changed.
        Returns:
            float32, (batch, rows); -inf forbids a token.
        """
        ...

    def advance(self, state: State, tokens: Sequence[Sequence[int]]) -> State:
        """The state after each row took the tokens in `tokens`: none, one or several, row by row."""
        ...

    def select(self, state: State, rows: Sequence[int]) -> State:
        """The state of a batch made of `rows` of this one: in that order, with repetitions or without some."""
        ...


def always_may_forbid(guide: Guide[Any]) -> bool:
    """Whether a guide has no method that says which tokens it cannot forbid."""
    return not hasattr(guide, "may_forbid")


def may_forbid(guide: Guide[Any], state: Any, tokens: Sequence[Sequence[int]]) -> bool:
    """Whether a guide may forbid one of the tokens that rows are to take; see `Guide`."""
    return always_may_forbid(guide) or bool(getattr(guide, "may_forbid")(state, tokens))  # noqa: B009


def guides_of(given: object) -> tuple[Guide[Any], ...]:
    """The guides that an argument stands for, as given.

    Args:
        given: a guide, or an iterable of guides.
    Raises:
        OptionError: something else.
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
    """Guides in the order of their stages, those of one stage as given.

    Raises:
        OptionError: there is something else than guides.
    """
    return sorted(guides_of(guides), key=lambda guide: guide.stage)


def _is_guide(one: object) -> bool:
    """Whether it has a stage and steers logits; the class of a guide does not."""
    return isinstance(getattr(one, "stage", None), Stage) and not isinstance(one, type)
