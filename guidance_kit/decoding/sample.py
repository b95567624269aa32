"""Sampling: one text a prompt, token by token, and greedy decoding as its limit at temperature 0."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from guidance_kit.decoding.row import Piece
from guidance_kit.decoding.walk import Walk

if TYPE_CHECKING:
    from guidance_kit.decoding.options import Options

__all__ = ["Sample"]


@dataclass(frozen=True, slots=True)
class Sample:
    """Draw each token from the distribution of the next one, renormalised over what the constraint allows.

    A row that ends is dropped and costs nothing more. If nothing can follow, it ends without a pass of the model.
    Forced tokens, the only ones allowed, are taken without a pass too, equally many in all rows, unless a guide may
    forbid one of them or the distribution may give it probability 0; the next pass then covers several new tokens at
    once. (Rows that run ahead on their own would cost more: the model would compute a block as wide as the longest run
    for every row.)
    """

    takes_drafts: ClassVar[bool] = True
    is_incremental: ClassVar[bool] = True

    @property
    def rows_per_prompt(self) -> int:
        """See `Decoder`."""
        return 1

    def check(self, options: Options) -> None:
        """See `Decoder.check`: all options are possible."""

    def decode(self, walk: Walk, options: Options) -> Iterator[Piece]:
        """See `Decoder.decode`. Pieces come whenever a row has new text."""
        has_logprobs = options.logprobs is not None
        # With log-probabilities every token goes through the distribution, which alone knows them.
        has_forced = not has_logprobs and walk.has_full_support
        while walk.rows:
            walk.settle()
            for row in walk.rows:
                piece = row.piece(walk.vocabulary, has_logprobs=has_logprobs)
                if piece is not None:
                    yield piece
            walk.keep([row for row in walk.rows if row.is_running])
            if walk.rows and not (has_forced and walk.take_forced()):
                walk.take(walk.draw(logprobs=options.logprobs))
