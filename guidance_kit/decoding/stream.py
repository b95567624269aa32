"""The pieces of one text while it is generated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, Protocol

from guidance_kit.decoding.completion import Completion
from guidance_kit.decoding.loop import Piece
from guidance_kit.errors import OptionError

__all__ = ["PrefixParser", "Stream"]


class PrefixParser(Protocol):
    """What texts that are being written stand for; `Constraint` is one."""

    def partial(self, text: str, *, is_whole: bool = False) -> Any:
        """What a beginning of a text, or the whole one, has of the value."""
        ...

    def capture_reader(self, names: Iterable[str] | None = None) -> Any:
        """What reads a text piece by piece (`read`), and says what groups or rules match in it (`captures`)."""
        ...


class Stream(Iterator[str]):
    """The pieces of one text, as they are generated.

    Args:
        pieces: of one row, from the loop.
        parse: what turns the whole text into a value.
        beginnings: what its beginnings stand for; None if they stand for themselves.
    """

    def __init__(
        self,
        pieces: Iterator[Piece],
        parse: Callable[[str], Any] | None,
        prefix_parser: PrefixParser | None = None,
    ) -> None:
        self._pieces = pieces
        self._parse = parse
        self._prefix_parser = prefix_parser
        self._readers: dict[tuple[str, ...] | None, tuple[Any, int]] = {}
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
        if self._prefix_parser is None:
            return self._text
        return self._prefix_parser.partial(self._text, is_whole=self._is_whole)

    def partial_captures(self, names: Iterable[str] | None = None) -> dict[str, Any]:
        """What groups or rules have matched so far, as far as that is certain; see `Constraint.partial_captures`.

        Only what has come since the last time is read. Of a text that is complete it is what `Constraint.captures`
        returns, or, if it can be read in several ways, what these have in common.

        Raises:
            OptionError: there is no constraint; no group or rule has such a name; other constraints have neither.
            UnsupportedFeature: the constraint cannot be followed so; see `Constraint.partial_captures`.
        """
        if self._prefix_parser is None:
            raise OptionError("without a constraint there are no captures")
        key = None if names is None else tuple(names)
        reader, read = self._readers.get(key, (None, 0))
        if reader is None:
            reader = self._prefix_parser.capture_reader(key)
        reader.read(self._text[read:])
        self._readers[key] = reader, len(self._text)
        return reader.captures(is_whole=self._is_whole)

    @property
    def _is_whole(self) -> bool:
        """Whether the text has ended, and was not cut."""
        return self._completion is not None and self._completion.finish_reason in ("complete", "budget")

    @property
    def completion(self) -> Completion:
        """The whole text.

        Raises:
            ValueError: while there are pieces to come.
        """
        if self._completion is None:
            raise ValueError("the stream has not ended yet; iterate over it first")
        return self._completion
