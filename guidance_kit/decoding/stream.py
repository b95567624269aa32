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
    """

    def __init__(self, pieces: Iterator[Piece], parse: Callable[[str], Any] | None) -> None:
        self._pieces = pieces
        self._parse = parse
        self._completion: Completion | None = None

    def __next__(self) -> str:
        for piece in self._pieces:
            if piece.completion is not None:
                self._completion = replace(piece.completion, parse=self._parse)
            if piece.text:
                return piece.text
        raise StopIteration

    @property
    def completion(self) -> Completion:
        """The whole text.

        Raises:
            ValueError: while there are pieces to come.
        """
        if self._completion is None:
            raise ValueError("the stream has not ended yet; iterate over it first")
        return self._completion
