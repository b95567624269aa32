"""Tokens of a vocabulary that begin or end keys of JSON objects."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from guidance_kit.fsm.token_texts import SortedTexts, TokenTexts
from guidance_kit.grammars.json_schema.objects.sorted_keys import FirstKeys
from guidance_kit.grammars.json_schema.strings.spelt_characters import spellings

if TYPE_CHECKING:
    from guidance_kit.fsm.token_trie import TokenTrie

__all__ = ["KeyTokens", "split"]

_TWO = re.compile(rb'"[ \t\r\n]*:.*,[ \t\r\n]*".*"', re.DOTALL)
"""Text of a token with the ends of two keys."""

_FIRST = re.compile(rb'(?<![^{, \t\r\n])"')
"""Opening quote of a key."""

_ANOTHER = re.compile(rb'"[ \t\r\n]*:.*,[ \t\r\n]*\Z', re.DOTALL)
"""Text of a token before a key, if one ends in it that may be of the same object."""

_SEPARATOR = re.compile(rb'(?:.*".*|[][{}:,0-9.eE+truefalsn \t\r\n-]*),[ \t\r\n]*', re.DOTALL)
"""Text of a token that may end a string, a number, `true`, `false`, `null`, an array or an object, and a comma."""

_CLOSER = re.compile(rb'(?:[^"\\]|\\.)*"', re.DOTALL)
"""Rest of a key and its closing quote, at the start of a token."""

_KEY = re.compile(rb'((?:[^"\\]|\\.)*)"(?=[: \t\r\n]|\Z)', re.DOTALL)
_BEGUN = re.compile(rb'(?:[^"\\]|\\.)*\\?\Z', re.DOTALL)
"""Key after its opening quote in a token: whole, or a prefix."""

_WHOLE = re.compile(rb'(?:[^"\\]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*')
_HIGH_SURROGATE = re.compile(rb"(?<!\\)(?:\\\\)*(\\u[dD][89abAB][0-9a-fA-F]{2})\Z")

_MOST_KNOWN = 1_024
"""Greatest number of cached answers for sets of key remainders."""

_QUOTE, _BACKSLASH = b'"', b"\\"
_COMMA = 0x2C
_BLANKS = np.frombuffer(b" \t\r\n", dtype=np.uint8)


def split(raw: bytes) -> tuple[str, bytes]:
    """Whole characters at the start of a JSON string, and the bytes of the incomplete next one.

    Args:
        raw: what stands behind the first quote, up to anywhere before the last one.
    """
    match = _WHOLE.match(raw)
    assert match is not None
    end = match.end()
    if end == len(raw) and raw.isascii() and _BACKSLASH not in raw:
        return raw.decode(), b""
    if surrogate := _HIGH_SURROGATE.search(raw, 0, end):
        end = surrogate.start(1)
    for length in range(1, min(end, 3) + 1):
        byte = raw[end - length]
        if byte < 0x80:
            break
        if byte >= 0xC0:
            end -= length if length < (2 if byte < 0xE0 else 3 if byte < 0xF0 else 4) else 0
            break
    return json.loads(_QUOTE + raw[:end] + _QUOTE), raw[end:]


class KeyTokens:
    """Tokens in which keys begin or end, indexed once for each vocabulary.

    Attributes:
        with_two: the tokens in which two keys of one object may end.
        whole: the tokens in which a key begins and ends, by the key.
        crossing: the tokens in which a key ends and another one of the same object begins, which does not end.
        beyond: those of them in which the other one has characters.
        are_followed: whether there are tokens with the end of a key and the comma before another one.
    """

    def __init__(self, trie: TokenTrie) -> None:
        self._every = TokenTexts(trie)
        self._quoted = SortedTexts.containing(trie, _QUOTE[0])
        with_two: set[int] = set()
        self.whole: dict[str, list[int]] = {}
        crossing: set[int] = set()
        self._begun: list[tuple[str, bytes, int]] = []
        for spelt, token in self._quoted.pairs:
            if _TWO.search(spelt):
                with_two.add(token)
            for first in _FIRST.finditer(spelt):
                rest = spelt[first.end() :]
                try:
                    if key := _KEY.match(rest):
                        self.whole.setdefault(json.loads(_QUOTE + key[0]), []).append(token)
                    elif _BEGUN.match(rest):
                        self._begun.append((*split(rest), token))
                        if _ANOTHER.search(spelt, 0, first.start()):
                            crossing.add(token)
                except ValueError:  # no key
                    continue
        self.with_two = frozenset(with_two)
        self.crossing = frozenset(crossing)
        self.are_followed = bool(crossing) or any(_ANOTHER.search(spelt) for spelt, _ in self._quoted.pairs)
        self.beyond = frozenset(token for begun, cut, token in self._begun if token in crossing and (begun or cut))
        self._longest = max((len(begun) for begun, *_ in self._begun), default=0)
        self._with_whole: dict[frozenset[str], frozenset[int]] = {}
        self._within: dict[tuple[frozenset[tuple[str, int]], bytes], set[int]] = {}
        self._texts = trie.texts
        self._separators: tuple[tuple[int, ...], tuple[int, ...]] | None = None
        self._closers: dict[str, list[int]] = {}  # tokens with the last characters of a key and its closing quote
        for spelt, token in self._quoted.pairs:
            if closer := _CLOSER.match(spelt):
                with suppress(ValueError):  # a character that is not whole, or cannot be in a string
                    self._closers.setdefault(json.loads(_QUOTE + closer[0]), []).append(token)

    def separators(self, trie: TokenTrie) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Tokens of blanks, and those that may end with a comma between properties, or within a key after that.

        Args:
            trie: that of the vocabulary.
        """
        if self._separators is None:
            offsets, text = trie.arrays.offsets, trie.arrays.text
            blanks = np.concatenate([[0], np.cumsum(np.isin(text, _BLANKS))])
            lengths = np.diff(offsets)
            is_blank = (lengths > 0) & (np.diff(blanks[offsets]) == lengths)
            commas = SortedTexts.containing(trie, _COMMA).pairs
            others = (token for spelt, token in commas if _SEPARATOR.fullmatch(spelt))
            self._separators = tuple(np.flatnonzero(is_blank).tolist()), (*others, *sorted(self.crossing))
        return self._separators

    @classmethod
    def of(cls, trie: TokenTrie) -> KeyTokens:
        """Index of a vocabulary, cached."""
        found = _KNOWN.get(trie)
        if found is None:
            found = _KNOWN[trie] = cls(trie)
        return found

    def opening(self, keys: Iterable[tuple[str, int]]) -> set[int]:
        """Tokens that open a key and end in a prefix of one of some keys, or within the last character of a prefix.

        Args:
            keys: each with the least length of its prefixes.
        """
        prefixes = {key[:size] for key, least in keys for size in range(least, min(len(key), self._longest + 1) + 1)}
        if not prefixes:
            return set()
        shorter = {prefix[:-1] for prefix in prefixes if prefix}
        return {token for begun, cut, token in self._begun if begun in prefixes or (cut and begun in shorter)}

    def with_whole(self, keys: frozenset[str]) -> frozenset[int]:
        """Tokens with one of `keys` as a whole, and those in `with_two`."""
        known = self._with_whole.get(keys)
        if known is None:
            if len(self._with_whole) >= _MOST_KNOWN:
                self._with_whole.clear()
            known = self._with_whole[keys] = self.with_two.union(*(self.whole[key] for key in keys))
        return known

    def closing(self, keys: FirstKeys[Any], begun: str, cut: bytes) -> tuple[int, ...]:
        """Tokens that end a key that has begun, so that it is one of `keys`, in the order of their texts.

        Those in `with_two` are left out.

        Args:
            begun: the whole characters of the key.
            cut: what was already written of the next one.
        """
        closers = self._closers
        if cut:
            rests = [key[len(begun) :] for key, _ in keys.beginning_with(begun)]
            ways = self._walk(self._quoted, rests, cut)
            prefixes = {prefix + _QUOTE for prefix, _, left in ways if prefix and "" in left}
            found = list(itertools.chain.from_iterable(map(self._quoted.beginning_with, sorted(prefixes))))
        elif keys.most_beginning_with(begun) > len(closers):
            found = [token for rest, tokens in closers.items() if begun + rest in keys for token in tokens]
        else:
            rests = (key[len(begun) :] for key, _ in keys.beginning_with(begun))
            found = [token for rest in rests for token in closers.get(rest, ())]
        texts = self._texts
        return tuple(sorted((token for token in found if token not in self.with_two), key=texts.__getitem__))

    def within(self, rests: Iterable[tuple[str, int]], begun: bytes) -> set[int]:
        """Tokens that spell a nonempty prefix of a remainder, or one up to within its last character.

        Args:
            rests: remainders, each with the least length of its prefixes.
            begun: as in `closing`.
        """
        asked = frozenset(one for one in rests if one[1] <= len(one[0])), begun
        if asked in self._within:
            return self._within[asked]
        found: set[int] = set()
        prefixes = {rest[:size] for rest, least in asked[0] for size in range(max(least, 1), len(rest) + 1)}
        for prefix, spelt, left in self._walk(self._every, [rest for rest, _ in asked[0]], begun):
            cut = begun if not prefix else b""
            for character in {rest[0] for rest in left if rest}:
                if spelt + character in prefixes:
                    for way in spellings(character):
                        if way.startswith(cut):
                            longer = prefix + way[len(cut) :]
                            for length in range(len(prefix) + 1, len(longer) + 1):
                                found.update(self._every.equal_to(longer[:length]))
        if len(self._within) >= _MOST_KNOWN:
            self._within.clear()
        self._within[asked] = found
        return found

    def _walk(
        self, texts: SortedTexts | TokenTexts, rests: Sequence[str], begun: bytes
    ) -> Iterator[tuple[bytes, str, list[str]]]:
        """Prefixes of token texts that spell prefixes of remainders, each with these prefixes, and the rest of them."""
        todo = [(b"", "", list(rests))]
        while todo:
            prefix, spelt, left = todo.pop()
            yield prefix, spelt, left
            cut = begun if not prefix else b""
            tails: dict[str, list[str]] = {}
            for rest in left:
                if rest:
                    tails.setdefault(rest[0], []).append(rest[1:])
            has_escapes = bool(cut) or texts.has_beginning(prefix + _BACKSLASH)
            for character, after in tails.items():
                for way in spellings(character):
                    if (has_escapes or way[:1] != _BACKSLASH) and way.startswith(cut):
                        longer = prefix + way[len(cut) :]
                        if texts.has_beginning(longer):
                            todo.append((longer, spelt + character, after))


_KNOWN: WeakKeyDictionary[TokenTrie, KeyTokens] = WeakKeyDictionary()
