"""The pieces of one text while it is generated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from guidance_kit.decoding.completion import Completion
from guidance_kit.decoding.loop import Piece

__all__ = ["Stream"]


class Stream(Iterator[str]):
    """The pieces of one text, as they are generated.

    Args:
        pieces: of one row, from the loop.
        parse: what turns the whole text into a value.
        partial: what turns its beginning into what there is of the value; None for the text itself.
    """

    def __init__(
        self,
        pieces: Iterator[Piece],
        parse: Callable[[str], Any] | None,
        partial: Callable[[str], Any] | None = None,
    ) -> None:
        self._pieces = pieces
        self._parse = parse
        self._partial = partial or str
        self._completion: Completion | None = None
        self._text = ""

    def __next__(self) -> str:
        for piece in self._pieces:
            if piece.completion is not None:
                self._completion = replace(piece.completion, parse=self._parse)
            if piece.text:
                self._text += piece.text
                return piece.text
        raise StopIteration

    @property
    def text(self) -> str:
        """All pieces so far."""
        return self._text

    @property
    def partial(self) -> Any:
        """What the text so far stands for under its constraint, as far as that is certain; see `Constraint.partial`."""
        return self._partial(self._text)

    @property
    def completion(self) -> Completion:
        """The whole text.

        Raises:
            ValueError: while there are pieces to come.
        """
        if self._completion is None:
            raise ValueError("the stream has not ended yet; iterate over it first")
        return self._completion
