"""Keys of the open objects of a JSON text, read from its end, so that no key is repeated."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING

from guidance_kit.errors import LimitError
from guidance_kit.grammars.json_schema.objects.key_tokens import KeyTokens, split
from guidance_kit.grammars.json_schema.objects.members import MAX_LISTED_KEYS
from guidance_kit.grammars.json_schema.objects.sorted_keys import FirstKeys, SortedKeys
from guidance_kit.grammars.json_schema.strings.last_value import beginning_of, opening_quote
from guidance_kit.grammars.json_schema.strings.spelt_characters import spellings
from guidance_kit.grammars.regular.beginnings import Beginning, Beginnings
from guidance_kit.grammars.regular.charset import ALL
from guidance_kit.grammars.regular.expression import Expression, Intersection
from guidance_kit.grammars.regular.language_automaton import language_automaton
from guidance_kit.grammars.regular.listing import listing

if TYPE_CHECKING:
    from guidance_kit.fsm.key_tracker import Prefixes
    from guidance_kit.fsm.token_trie import TokenTrie

__all__ = ["ObjectKeyTracker", "WrittenKey"]

MAX_KEYS = 1_000
"""Keys of a finite language that are not counted; an object with conditions on all its keys has fewer, if it is one."""

_NO_TOKENS: tuple[int, ...] = ()

_BLANK, _BRACE, _COMMA = b" \t\r\n", b"{", 0x2C

_STRING, _BLANKS = rb'"(?:[^"\\]|\\.)*"', rb"[ \t\r\n]*"
_VALUE = rb"(?:" + _STRING + rb"|[^\"\\\[\]{},: \t\r\n]+)"
_NEXT = re.compile(_BLANKS.join((rb"", rb":", _VALUE, rb",", rb"")), re.DOTALL)
"""Text between two keys of an object if the first has a scalar value."""

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
        judged: number of languages for which `exhausted` is known.
        exhausted: least length of a prefix with which no other key of one of these languages begins than those of the
            object up to this one; more than its own length if there is none. With longer ones none begins either.
        last_exhausted: the last key of the text before this one that has such prefixes.
    """

    __slots__ = (
        "__weakref__", "_in_tokens", "_sorted", "before", "count", "earlier", "end", "exhausted", "judged", "key",
        "last_exhausted",
    )  # fmt: skip

    def __init__(self, key: str, end: int, before: WrittenKey | None, earlier: WrittenKey | None) -> None:
        self.key = key
        self.end = end
        self.before = before
        self.count = 1 if before is None else 1 + before.count
        self.earlier = earlier
        self.judged = 0
        self.exhausted = len(key) + 1
        self.last_exhausted: WrittenKey | None = None
        self._in_tokens: tuple[KeyTokens, frozenset[str]] | None = None
        self._sorted: SortedKeys[WrittenKey] | None = None

    def of_object(self) -> Iterator[WrittenKey]:
        """Keys of the same object up to this one, the last one first."""
        written: WrittenKey | None = self
        while written is not None:
            yield written
            written = written.before

    @property
    def siblings(self) -> FirstKeys[WrittenKey]:
        """Keys of the same object up to this one, each of which is sorted in once along a text."""
        if self._sorted is None:
            fresh: list[WrittenKey] = []
            found = SortedKeys[WrittenKey]()
            for one in self.of_object():
                if one._sorted is not None:
                    found = one._sorted
                    break
                fresh.append(one)
            for one in reversed(fresh):
                if not found.append(one.count, one.key, one):  # another text went on
                    found = FirstKeys(found, one.count - 1).copied()
                    found.append(one.count, one.key, one)
                one._sorted = found
            self._sorted = found
        return FirstKeys(self._sorted, self.count)

    def of_text(self) -> Iterator[WrittenKey]:
        """All keys of the text up to this one, the last one first."""
        written: WrittenKey | None = self
        while written is not None:
            yield written
            written = written.earlier

    def of_exhausted(self) -> Iterator[WrittenKey]:
        """Keys of the text up to this one that have exhausted prefixes, the last one first."""
        written = self if self.has_exhausted else self.last_exhausted
        while written is not None:
            yield written
            written = written.last_exhausted

    @property
    def has_exhausted(self) -> bool:
        """True if it has exhausted prefixes."""
        return self.exhausted <= len(self.key)

    def exhausted_in(self, language: Beginnings) -> int:
        """See `exhausted`, for one language. It has as many texts with such a prefix as there are keys with it."""
        size = len(self.key)
        try:
            if self._is_plainly_prolonged(language):
                return size + 1
            automaton = language_automaton(language.expression)
            if not automaton.contains(self.key):
                return size + 1
            counts = automaton.counts_along(self.key, 1 << self.count.bit_length())  # more than there are keys
        except LimitError:
            return 0  # unknown: let all prefixes be searched
        for number in counts:
            if number > self.count:
                break
            alike = (one.key for one in self.of_object() if one.key.startswith(self.key[:size]))
            if number > sum(map(automaton.contains, alike)):
                break
            size -= 1
        return size + 1

    def _is_plainly_prolonged(self, language: Beginnings) -> bool:
        """Quick test whether a language lacks the key, or more of its texts begin with it than there are keys.

        Raises:
            LimitError: that takes too many derivatives.
        """
        parts = language.parts if isinstance(language.expression, Intersection) else (language,)
        free, others = ALL, list[tuple[Beginnings, Beginning]]()
        for part in parts:
            found = part.of(self.key)
            if found.is_member is False:
                return True
            if found.inside:
                free &= found.inside
            else:
                others.append((part, found))
        if not free or len(others) > 1:
            return False
        if not others:  # behind one more character anything may follow
            return True
        part, found = others[0]
        if found.has_more(self.count, free):
            return True
        free -= found.outside
        if not free or len(parts) == 1:
            return False
        longer = self.key + chr(free.bounds[0])
        counts = language_automaton(part.expression).counts_along(longer, 1 << self.count.bit_length())
        return counts[0] > self.count

    def in_tokens(self, tokens: KeyTokens) -> frozenset[str]:
        """Keys of the text that some token contains as a whole."""
        if self._in_tokens is not None and self._in_tokens[0] is tokens:
            return self._in_tokens[1]
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
        self._beginnings: list[Beginnings] = []  # of the first kinds
        self._most = MAX_KEYS
        self._limited = 0
        self._found: tuple[WrittenKey, bytes, WrittenKey | None] | None = None
        self._opened: tuple[tuple[WrittenKey, KeyTokens, Prefixes, int], frozenset[int]] | None = None

    def enter(self, written: WrittenKey | None, text: bytes) -> WrittenKey | None:
        """See `KeyTracker.enter`."""
        opening = opening_quote(text, len(text) - 1)
        key = json.loads(text[opening:])
        before = self._known_before(written, text, opening)  # for tokens that end a key, tried where it has begun
        if before is not None and key in before.siblings:
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

    def is_open(self, written: WrittenKey, text: bytes, prefixes: Prefixes) -> bool:
        """See `KeyTracker.is_open`."""
        rests, cut = self._rests(written, text, prefixes)
        begun = 1 if cut else 0  # a character
        return any(least <= begun for _, least in rests)

    def candidates(
        self, written: WrittenKey | None, text: Callable[[], bytes], trie: TokenTrie, *, is_inside: bool
    ) -> tuple[tuple[int, ...], Collection[int]]:
        """See `KeyTracker.candidates`."""
        tokens = KeyTokens.of(trie)
        if written is None:
            return _NO_TOKENS, tokens.with_two
        others: Collection[int] = tokens.with_two
        if keys := written.in_tokens(tokens):
            others = tokens.with_whole(keys)
        if not is_inside:
            return _NO_TOKENS, others
        before, begun, cut = self._begun(written, text())
        return (_NO_TOKENS if before is None else tokens.closing(before.siblings, begun, cut)), others

    def openings(
        self,
        written: WrittenKey | None,
        text: Callable[[], bytes],
        trie: TokenTrie,
        prefixes: Prefixes,
        *,
        is_inside: bool,
    ) -> Collection[int]:
        """See `KeyTracker.openings`."""
        tokens = KeyTokens.of(trie)
        if written is None:
            return tokens.beyond
        self._judge(written)
        asked = written, tokens, prefixes, written.judged
        if self._opened is None or self._opened[0] != asked:  # each mask until the next key asks for the same
            if prefixes == "any":
                keys = {(one.key, 0) for one in written.of_text()}
            else:
                keys = {(one.key, one.exhausted) for one in written.of_exhausted()}
            self._opened = asked, tokens.crossing | tokens.opening(keys)
        opening = self._opened[1]
        within = tokens.within(*self._rests(written, text(), prefixes)) if is_inside else None
        return opening | within if within else opening

    def are_followed_in_tokens(self, trie: TokenTrie) -> bool:
        """See `KeyTracker.are_followed_in_tokens`."""
        return KeyTokens.of(trie).are_followed

    def separators(self, trie: TokenTrie) -> tuple[Collection[int], Collection[int]]:
        """See `KeyTracker.separators`."""
        return KeyTokens.of(trie).separators(trie)

    def _judge(self, written: WrittenKey) -> None:
        """Find the exhausted prefixes of the keys of a text in the languages that were not known the last time."""
        kinds = len(self.kinds)
        if written.judged == kinds:
            return
        fresh: list[WrittenKey] = []
        self._beginnings += map(Beginnings, self.kinds[len(self._beginnings) :])
        for one in written.of_text():
            if one.judged == kinds:
                break
            fresh.append(one)
        for one in reversed(fresh):
            found = (one.exhausted_in(kind) for kind in self._beginnings[one.judged : kinds])
            one.exhausted = min(one.exhausted, *found)
            earlier = one.earlier
            one.last_exhausted = earlier if earlier is None or earlier.has_exhausted else earlier.last_exhausted
            one.judged = kinds

    def _rests(self, written: WrittenKey, text: bytes, prefixes: Prefixes) -> tuple[list[tuple[str, int]], bytes]:
        """Remainders of the keys of the current object that the unfinished key at the end of a text may repeat.

        Returns:
            The rests from the first character on that is not whole, each with the least length of its `prefixes`, which
            may be negative; and what is there of that character already.
        """
        before, begun, cut = self._begun(written, text)
        if before is None:
            return [], b""
        self._judge(written)
        size = len(begun)
        rests = [
            (key[size:], 0 if prefixes == "any" else one.exhausted - size)
            for key, one in before.siblings.beginning_with(begun)
        ]
        if cut:
            rests = [one for one in rests if one[0] and any(way.startswith(cut) for way in spellings(one[0][0]))]
        return rests, cut

    def _begun(self, written: WrittenKey, text: bytes) -> tuple[WrittenKey | None, str, bytes]:
        """The key before an unfinished one in its object; whole characters of that one, and the bytes of the next."""
        opening = opening_quote(text, len(text))
        before = self._known_before(written, text, opening)
        self._found = written, text[written.end : opening], before  # each mask within the key asks for the same
        return before, *split(text[opening + 1 :])

    def _known_before(self, written: WrittenKey | None, text: bytes, opening: int) -> WrittenKey | None:
        """`_before`, as it was found last if that was for the same quote."""
        found = self._found
        if found is not None and found[0] is written and found[1] == text[found[0].end : opening]:
            return found[2]
        return _before(written, text, opening)


def _before(written: WrittenKey | None, text: bytes, opening: int) -> WrittenKey | None:
    """Last key of the object with the key that begins at `opening`."""
    if written is not None and _NEXT.fullmatch(text, written.end, opening):
        return written
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
