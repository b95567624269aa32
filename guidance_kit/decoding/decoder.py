"""Decoder protocol: from the prompts of a batch to their texts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from guidance_kit.decoding.row import Piece
from guidance_kit.decoding.walk import Walk

if TYPE_CHECKING:
    from guidance_kit.decoding.options import Options

__all__ = ["Decoder", "is_incremental", "needs_constraint", "takes_drafts", "texts_per_prompt"]


class Decoder(Protocol):
    """Decoding method, a frozen value with its settings: sampling, importance sampling, beam search.

    Attributes:
        rows_per_prompt: number of rows of a batch that one prompt takes.

    A decoder that is defined for constrained texts only declares `needs_constraint = True`. One that yields the text of
    a prompt piece by piece, so that `Model.stream` can show it, declares `is_incremental = True`.

    A decoder that ranks several texts of a prompt declares by an attribute `texts_per_prompt` how many it yields at
    most: the best as `Piece.completion`, then `Piece.others`. `n=` asks such a decoder for the n best of one run, and
    any other one for n runs with seeds of their own.

    A decoder that takes tokens by `Walk.draw` alone, of which a row may get several at once, declares by an attribute
    `takes_drafts = True` that a draft may propose them.
    """

    @property
    def rows_per_prompt(self) -> int: ...

    def check(self, options: Options) -> None:
        """Check options that exclude the decoder.

        Raises:
            OptionError: an option that the decoder would ignore or break; names both.
        """
        ...

    def decode(self, walk: Walk, options: Options) -> Iterator[Piece]:
        """Generate one text a prompt.

        Args:
            walk: one row a prompt, none of them empty or without room for a token.
            options: all options of the call.
        Yields:
            Pieces of the prompts, in any order; the last of each has its completion, or the error of that prompt.
        Raises:
            GuidanceKitError: an error of the whole batch.
        """
        ...


def needs_constraint(decoder: Decoder) -> bool:
    """Test for a decoder of constrained texts only."""
    return bool(getattr(decoder, "needs_constraint", False))


def is_incremental(decoder: Decoder) -> bool:
    """Test for a decoder that yields a text piece by piece."""
    return bool(getattr(decoder, "is_incremental", False))


def texts_per_prompt(decoder: Decoder) -> int | None:
    """Maximum number of texts that a decoder ranks for a prompt; None for one that gives one text a run."""
    return getattr(decoder, "texts_per_prompt", None)


def takes_drafts(decoder: Decoder) -> bool:
    """Test for a decoder whose tokens a draft may propose."""
    return bool(getattr(decoder, "takes_drafts", False))
