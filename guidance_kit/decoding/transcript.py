"""Incremental detokenizer of one row: bytes in, characters out, with detection of stop strings."""

from __future__ import annotations

import codecs
from collections.abc import Sequence

__all__ = ["Transcript"]


class Transcript:
    """Collect the bytes of tokens, release text that is certain, and end at a stop string.

    Stop strings are matched byte by byte: the first completed one counts (the longest of those completed by the same
    byte), and the text ends before it. So the text does not depend on its tokenization. Bytes that are not UTF-8, as at
    the end of a text that was cut short, become U+FFFD.

    Args:
        stops: stop strings in UTF-8, none of them empty.
    """

    __slots__ = ("_decoder", "_released", "_stops", "is_stopped", "raw")

    def __init__(self, stops: Sequence[bytes] = ()) -> None:
        self.raw = bytearray()
        self.is_stopped = False
        self._stops = stops
        self._released = 0
        self._decoder: codecs.IncrementalDecoder | None = None  # of a row that is not read while it grows

    def fork(self) -> Transcript:
        """Independent copy."""
        other = Transcript(self._stops)
        other.raw = self.raw[:]
        other.is_stopped = self.is_stopped
        other._released = self._released
        if self._decoder is not None:
            other._decoder = _decoder()
            other._decoder.setstate(self._decoder.getstate())
        return other

    def append(self, piece: bytes) -> None:
        """Add the bytes of a token; `is_stopped` says whether a stop string was completed, which is cut off."""
        before = len(self.raw)
        self.raw += piece
        found = None
        for stop in self._stops:
            start = self.raw.find(stop, max(0, before - len(stop) + 1))
            if start >= 0 and (found is None or (start + len(stop), start) < found):
                found = start + len(stop), start
        if found is not None:
            del self.raw[found[1] :]
            self.is_stopped = True

    def release(self) -> str:
        """New certain text since the last call, without an incomplete character or a prefix of a stop string."""
        return self._decode(len(self.raw) - self._held(), is_final=False)

    def release_rest(self) -> str:
        """Rest of the text. No token can be appended after it."""
        return self._decode(len(self.raw), is_final=True)

    @property
    def text(self) -> str:
        """The whole text: all released pieces joined."""
        return self.raw.decode("utf-8", "replace")

    def _decode(self, end: int, *, is_final: bool) -> str:
        piece = bytes(self.raw[self._released : end])
        self._released = end
        if self._decoder is None:
            self._decoder = _decoder()
        return self._decoder.decode(piece, is_final)

    def _held(self) -> int:
        """Length of the longest suffix of the text that is a proper prefix of a stop string."""
        if self.is_stopped:
            return 0
        longest = 0
        for stop in self._stops:
            for length in range(min(len(stop) - 1, len(self.raw)), longest, -1):
                if self.raw.endswith(stop[:length]):
                    longest = length
                    break
        return longest


def _decoder() -> codecs.IncrementalDecoder:
    return codecs.getincrementaldecoder("utf-8")("replace")
