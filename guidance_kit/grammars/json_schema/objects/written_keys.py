"""Keys of the open objects of a JSON text, read from its end, so that no key is repeated."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING

from guidance_kit.errors import LimitError
from guidance_kit.grammars.json_schema.objects.key_tokens import KeyTokens, spellings, split
from guidance_kit.grammars.json_schema.objects.members import MAX_LISTED_KEYS
from guidance_kit.grammars.json_schema.strings.last_value import beginning_of, opening_quote
from guidance_kit.grammars.regular.expression import Expression
from guidance_kit.grammars.regular.listing import listing
from guidance_kit.grammars.regular.liveness import is_endless

if TYPE_CHECKING:
    from guidance_kit.fsm.token_trie import TokenTrie

__all__ = ["ObjectKeyTracker", "WrittenKey"]

MAX_KEYS = 1_000
"""Keys of a finite language that are not counted; an object with conditions on all its keys has fewer, if it is one."""

_NONE = frozenset[int]()

_BLANK, _BRACE, _COMMA = b" \t\r\n", b"{", 0x2C

_STRING, _BLANKS = rb'"(?:[^"\\]|\\.)*"', rb"[ \t\r\n]*"
_VALUE = rb"(?:" + _STRING + rb"|[^\"\\\[\]{},: \t\r\n]+)"
_FLAT = re.compile(_BLANKS + rb"(?:" + _BLANKS.join((_STRING, rb":", _VALUE, rb",", rb"")) + rb")*", re.DOTALL)
"""Members with scalar values. If only such are between a brace and the quote of a key, the brace opens the object of
the key: inside a string, the number of quotes after it would be odd."""


class WrittenKey:
    """Undeclared key in a text, linked to the keys before it.

    Attributes:
        key: what it is.
        end: number of bytes of the text up to its last quote.
        before: the one before it in the same object.
        count: how many there are in the same object, with this one.
        earlier: the one before it in the text.
    """

    __slots__ = ("_in_tokens", "before", "count", "earlier", "end", "key")

    def __init__(self, key: str, end: int, before: WrittenKey | None, earlier: WrittenKey | None) -> None:
        self.key = key
        self.end = end
        self.before = before
        self.count = 1 if before is None else 1 + before.count
        self.earlier = earlier
        self._in_tokens: tuple[KeyTokens, frozenset[str]] | None = None

    def of_object(self) -> Iterator[str]:
        """Keys of the same object up to this one."""
        written: WrittenKey | None = self
        while written is not None:
            yield written.key
            written = written.before

    def of_text(self) -> Iterator[WrittenKey]:
        """All keys of the text up to this one, the last one first."""
        written: WrittenKey | None = self
        while written is not None:
            yield written
            written = written.earlier

    def in_tokens(self, tokens: KeyTokens) -> frozenset[str]:
        """Keys of the text that some token contains as a whole."""
        fresh: list[WrittenKey] = []
        found = frozenset[str]()
        for written in self.of_text():
            if written._in_tokens is not None and written._in_tokens[0] is tokens:
                found = written._in_tokens[1]
                break
            fresh.append(written)
        for written in reversed(fresh):
            if written.key in tokens.whole:
                found |= {written.key}
            written._in_tokens = tokens, found
        return found


class ObjectKeyTracker:
    """See `fsm.key_tracker.KeyTracker`: names are the keys of objects; they are equal if they are as strings.

    What there is to be found stands behind the beginning of an object, so a JSON text may be a part of another text.

    Attributes:
        kinds: languages of keys that have conditions.
        limits: those of them that may be all that an object can have, and are finite but not listed.
    """

    def __init__(self) -> None:
        self.kinds: list[Expression] = []
        self.limits: list[Expression] = []
        self._judged, self._may_run_out = 0, False
        self._most = MAX_KEYS
        self._limited = 0
        self._found: tuple[WrittenKey, bytes, WrittenKey | None] | None = None
        self._opened: tuple[WrittenKey, KeyTokens, set[int]] | None = None

    def enter(self, written: WrittenKey | None, text: bytes) -> WrittenKey | None:
        """See `KeyTracker.enter`."""
        opening = opening_quote(text, len(text) - 1)
        key = json.loads(text[opening:])
        before = _before(written, text, opening)
        if before is not None and key in before.of_object():
            return None
        found = WrittenKey(key, len(text), before, written)
        if found.count >= MAX_LISTED_KEYS and self.limits and found.count >= self._most_keys():
            raise LimitError("max_keys", self._most - 1, where="an object with conditions on its keys")
        return found

    def _most_keys(self) -> int:
        """Number of keys in an object from which on none may be left."""
        while self._limited < len(self.limits):
            keys = listing(self.limits[self._limited], MAX_KEYS)
            self._most = min(self._most, MAX_KEYS if keys is None else len(keys))
            self._limited += 1
        return self._most

    def may_run_out(self) -> bool:
        """See `KeyTracker.may_run_out`; False if every prefix of a key has unboundedly long continuations."""
        while self._judged < len(self.kinds):
            self._may_run_out = self._may_run_out or not is_endless(self.kinds[self._judged])
            self._judged += 1
        return self._may_run_out

    def is_open(self, written: WrittenKey, text: bytes) -> bool:
        """See `KeyTracker.is_open`."""
        return bool(self._rests(written, text)[0])

    def suspects(
        self, written: WrittenKey | None, text: Callable[[], bytes], trie: TokenTrie, *, is_inside: bool
    ) -> tuple[frozenset[int], Collection[int]]:
        """See `KeyTracker.suspects`."""
        tokens = KeyTokens.of(trie)
        if written is None:
            return _NONE, tokens.with_two
        others: Collection[int] = tokens.with_two
        if keys := written.in_tokens(tokens):
            others = tokens.with_whole(keys)
        closing = tokens.closing(*self._rests(written, text())) if is_inside else _NONE
        return closing, others

    def openings(self, written: WrittenKey, text: Callable[[], bytes], trie: TokenTrie, *, is_inside: bool) -> set[int]:
        """See `KeyTracker.openings`."""
        tokens = KeyTokens.of(trie)
        known = self._opened  # each mask until the next key asks for the same
        if known is None or known[0] is not written or known[1] is not tokens:
            opening = tokens.opening({one.key for one in written.of_text()})
            known = self._opened = written, tokens, opening
        return known[2] | tokens.within(*self._rests(written, text())) if is_inside else known[2]

    def _rests(self, written: WrittenKey, text: bytes) -> tuple[list[str], bytes]:
        """Remainders of the keys of the current object that the unfinished key at the end of a text may repeat.

        Returns:
            The rests from the first character on that is not whole, and what is there of that already.
        """
        opening = opening_quote(text, len(text))
        between = text[written.end : opening]
        found = self._found  # each mask within a key asks for the same
        if found is None or found[0] is not written or found[1] != between:
            found = self._found = written, between, _before(written, text, opening)
        before = found[2]
        if before is None:
            return [], b""
        begun, rest = split(text[opening + 1 :])
        rests = [key[len(begun) :] for key in before.of_object() if key.startswith(begun)]
        if rest:
            rests = [key for key in rests if key and any(way.startswith(rest) for way in spellings(key[0]))]
        return rests, rest


def _before(written: WrittenKey | None, text: bytes, opening: int) -> WrittenKey | None:
    """Last key of the object with the key that begins at `opening`."""
    brace = text.rfind(_BRACE, 0, opening)
    if written is None or _FLAT.fullmatch(text, brace + 1, opening):
        return written if written is not None and written.end > brace else None
    end = opening
    while written is not None:
        end = _without_blanks(text, end) - 1
        if text[end] != _COMMA:
            return None
        value = beginning_of(text, _without_blanks(text, end))
        end = _without_blanks(text, _without_blanks(text, value) - 1)
        while written is not None and written.end > end:
            written = written.earlier
        if written is not None and written.end == end:
            return written
        end = opening_quote(text, end - 1)
    return None


def _without_blanks(text: bytes, end: int) -> int:
    """Index of the first byte of the white space that ends at `end`."""
    while text[end - 1] in _BLANK:
        end -= 1
    return end
