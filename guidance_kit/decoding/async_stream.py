"""Asynchronous stream of one text: its pieces, with partial values and captures, while it is generated."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from typing import Any, Literal, Protocol

from guidance_kit.decoding.completion import Completion
from guidance_kit.decoding.row import Piece
from guidance_kit.decoding.stream import PrefixParser, Stream

__all__ = ["AsyncStream", "AsyncThoughts", "RunningCall"]


class RunningCall(Protocol):
    """Pieces of a running text, as they arrive."""

    async def next_piece(self) -> Piece:
        """Wait for a piece.

        Raises:
            Exception: the error that ended the text.
        """
        ...

    def cancel(self) -> None:
        """End the text; may be called from any thread, and after its end."""
        ...


class AsyncThoughts(Protocol):
    """Thoughts before a text, as they are written."""

    @property
    def text(self) -> str:
        """Thoughts so far."""
        ...

    async def next(self) -> str | None:
        """Wait for a piece; None at the end."""
        ...

    def joined(self, answer: Completion) -> Completion:
        """Completion of the text with its thoughts."""
        ...

    async def aclose(self) -> None:
        """End the thoughts."""
        ...


class _Arrived(Iterator[Piece]):
    """Pieces that have arrived; an iterator that goes on after it has stopped, once there are others.

    Attributes:
        pieces: pieces that are not read yet.
        is_over: the last piece has been read.
    """

    def __init__(self) -> None:
        self.pieces: deque[Piece] = deque()
        self.is_over = False

    def __next__(self) -> Piece:
        if not self.pieces:
            raise StopIteration
        piece = self.pieces.popleft()
        self.is_over = piece.completion is not None
        return piece


class AsyncStream(AsyncIterator[str]):
    """Asynchronous iterator over the pieces of one text, see `Model.astream`.

    The text runs from the first `anext` on. It ends, and frees its row, when the stream is closed (`async with stream`,
    or `aclose`), dropped, or a task that waits for a piece is cancelled.

    Args:
        start: starts the text; returns it with its constraint, None without one.
        thoughts: thoughts before the text, which are written before it is started.
    Attributes:
        channel: "thoughts" or "answer": that of the last piece.
    """

    def __init__(
        self,
        start: Callable[[], Awaitable[tuple[RunningCall, PrefixParser | None]]],
        thoughts: AsyncThoughts | None = None,
    ) -> None:
        self._start = start
        self._thoughts = thoughts
        self.channel: Literal["thoughts", "answer"] = "answer"
        self._call: RunningCall | None = None
        self._arrived = _Arrived()
        self._stream = Stream(self._arrived)
        self._is_closed = False

    async def __anext__(self) -> str:
        try:
            text = None if self._is_closed else await self._next()
        except BaseException:  # cancellation among them
            await self.aclose()
            raise
        if text is None:
            raise StopAsyncIteration
        return text

    async def _next(self) -> str | None:
        """Next piece; None at the end."""
        thought = None if self._thoughts is None or self._call is not None else await self._thoughts.next()
        self.channel = "answer" if thought is None else "thoughts"
        if thought is not None:
            return thought
        if self._call is None:
            self._call, constraint = await self._start()
            weakref.finalize(self, self._call.cancel)
            self._stream = Stream(self._arrived, constraint)
        while True:
            text = next(self._stream, None)
            if text is not None or self._arrived.is_over:
                return text
            self._arrived.pieces.append(await self._call.next_piece())

    async def aclose(self) -> None:
        """End the text; what was read of it stays."""
        self._is_closed = True
        if self._thoughts is not None:
            await self._thoughts.aclose()
        if self._call is not None:
            self._call.cancel()

    async def __aenter__(self) -> AsyncStream:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.aclose()

    @property
    def text(self) -> str:
        """Text so far: all pieces of the answer joined."""
        return self._stream.text

    @property
    def thoughts(self) -> str:
        """Thoughts so far; empty without any."""
        return "" if self._thoughts is None else self._thoughts.text

    @property
    def partial(self) -> Any:
        """Partial value of the text so far, see `Stream.partial`."""
        return self._stream.partial

    def partial_captures(self, names: Iterable[str] | None = None) -> dict[str, Any]:
        """Certain matches of groups or rules in the text so far, see `Stream.partial_captures`."""
        return self._stream.partial_captures(names)

    @property
    def completion(self) -> Completion:
        """Completion of the whole text.

        Raises:
            ValueError: the stream has not ended.
        """
        found = self._stream.completion
        return found if self._thoughts is None else self._thoughts.joined(found)
