"""Stream of one text: its pieces, with partial values and captures, while it is generated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal, Protocol

from guidance_kit.decoding.completion import Completion, Evaluator
from guidance_kit.decoding.decoder import is_incremental
from guidance_kit.decoding.options import Options
from guidance_kit.decoding.row import Piece
from guidance_kit.errors import OptionError

__all__ = ["PrefixParser", "Stream", "Thoughts", "require_pieces"]


class PrefixParser(Evaluator, Protocol):
    """Parser of prefixes of a text; `Constraint` is one."""

    def evaluate_prefix(self, text: str, *, is_whole: bool = False) -> Any:
        """Partial value of a prefix, or of the whole text; see `Constraint.partial`."""
        ...

    def capture_reader(self, names: Iterable[str] | None = None) -> Any:
        """Incremental reader: `read` takes pieces of the text, `captures` returns the matches of groups or rules."""
        ...


class Thoughts(Iterator[str], Protocol):
    """Pieces of the thoughts before a text."""

    @property
    def text(self) -> str:
        """Thoughts so far."""
        ...


class Stream(Iterator[str]):
    """Iterator over the pieces of one text, and of the thoughts before it.

    Args:
        pieces: pieces of one row, from the loop.
        constraint: constraint of the text, if there is one.
        thoughts: thoughts before the text; they are read to their end before the first of `pieces` is computed.
    Attributes:
        channel: "thoughts" or "answer": that of the last piece.
    """

    def __init__(
        self,
        pieces: Iterator[Piece],
        constraint: PrefixParser | None = None,
        thoughts: Thoughts | None = None,
    ) -> None:
        self._thoughts = thoughts
        self.channel: Literal["thoughts", "answer"] = "answer"
        self._pieces = pieces
        self._constraint = constraint
        self._readers: dict[tuple[str, ...] | None, tuple[Any, int]] = {}
        self._completion: Completion | None = None
        self._text = ""

    def __next__(self) -> str:
        thought = None if self._thoughts is None else next(self._thoughts, None)
        self.channel = "answer" if thought is None else "thoughts"
        if thought is not None:
            return thought
        for piece in self._pieces:
            if piece.completion is not None:
                self._completion = piece.completion
            if piece.text:
                self._text += piece.text
                return piece.text
        raise StopIteration

    @property
    def text(self) -> str:
        """Text so far: all pieces of the answer joined."""
        return self._text

    @property
    def thoughts(self) -> str:
        """Thoughts so far; empty without any."""
        return "" if self._thoughts is None else self._thoughts.text

    @property
    def partial(self) -> Any:
        """Partial value of the text so far, without a constraint the text itself; see `Constraint.partial`."""
        if self._constraint is None:
            return self._text
        return self._constraint.evaluate_prefix(self._text, is_whole=self._is_whole)

    def partial_captures(self, names: Iterable[str] | None = None) -> dict[str, Any]:
        """Certain matches of groups or rules in the text so far; see `Constraint.partial_captures`.

        Each call parses only the text since the last one. For a complete text the result is that of
        `Constraint.captures`, or, if the text is ambiguous, the matches common to all parses.

        Raises:
            OptionError: there is no constraint, or it has no group or rule of such a name.
            UnsupportedFeature: the constraint has no incremental parser; see `Constraint.partial_captures`.
        """
        if self._constraint is None:
            raise OptionError("without a constraint there are no captures")
        key = None if names is None else tuple(names)
        reader, read = self._readers.get(key, (None, 0))
        if reader is None:
            reader = self._constraint.capture_reader(key)
        reader.read(self._text[read:])
        self._readers[key] = reader, len(self._text)
        return reader.captures(is_whole=self._is_whole)

    @property
    def _is_whole(self) -> bool:
        """Test for a text that has ended and was not cut short."""
        return self._completion is not None and self._completion.finish_reason in ("complete", "budget")

    @property
    def completion(self) -> Completion:
        """Completion of the whole text.

        Raises:
            ValueError: the stream has not ended.
        """
        if self._completion is None:
            raise ValueError("the stream has not ended yet; iterate over it first")
        return self._completion


def require_pieces(options: Options) -> None:
    """Check for a decoder that yields texts piece by piece.

    Raises:
        OptionError: it has no pieces.
    """
    if not is_incremental(options.decoder):
        name = type(options.decoder).__name__.lower()
        raise OptionError(f"decoder={name!r} has no pieces: generate gives the whole text")
