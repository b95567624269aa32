"""Comparison of an item that is being written with complete items, byte by byte and as JSON values.

Keys may come in another order, characters may be escaped, and numbers may have another form. An item differs from most
others within a few bytes, so that hardly any are left to be compared with.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from guidance_kit.errors import LimitError
from guidance_kit.grammars.json_schema.strings.spelt_characters import spellings

__all__ = ["BLANK", "MAX_DEPTH", "OLD", "Decimal", "EarlierItems", "ItemComparison", "Phase", "Value", "value_of"]

Value = tuple[str, Any]
"""Hashable JSON value: its type, and a content that equal values share."""

BLANK = b" \t\r\n"

MAX_DIGITS = 4_000
"""Digits of an exponent that Python surely takes; only named in errors."""

MAX_DEPTH = 300
"""Nesting that Python's JSON parser surely takes; only named in errors."""

OLD = "old"
"""Result of a comparison: the item has ended, and is equal to an earlier one."""

_SAME = "same"
"""Kept for a byte after which all is as before, so that nothing refers to itself."""

_NUMBER = b"-0123456789.eE"
_WORDS: dict[bytes, Value] = {b"true": ("boolean", True), b"false": ("boolean", False), b"null": ("null", None)}
_FIRST = {
    "string": b'"', "number": b"-0123456789", "array": b"[", "object": b"{", "boolean": b"tf", "null": b"n",
}  # fmt: skip
"""Bytes with which the values of a type begin."""

_PARTS = re.compile(r"(-?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d*))?")


class Decimal(NamedTuple):
    """Number in normal form: significant digits without zeros around them, and the power of ten of the last one.

    0 has no digits.
    """

    is_negative: bool
    digits: str
    exponent: int

    @classmethod
    def of(cls, text: str) -> Decimal:
        """Normal form of a JSON number.

        Raises:
            LimitError: its exponent has too many digits.
        """
        sign, whole, fraction, exponent = _parts(text)
        digits = (whole + fraction).lstrip("0")
        short = digits.rstrip("0")
        if not short:
            return cls(False, "", 0)
        try:
            power = int(exponent or 0)
        except ValueError:
            raise LimitError("max_digits", MAX_DIGITS, where="the exponent of a number under uniqueItems") from None
        return cls(bool(sign), short, power - len(fraction) + len(digits) - len(short))


def value_of(text: bytes) -> Value:
    """Hashable form of a JSON text; equal for values that JSON Schema holds to be equal.

    Raises:
        LimitError: it is nested too deeply, or the exponent of a number has too many digits.
    """
    try:
        return _frozen(json.loads(text, parse_int=Decimal.of, parse_float=Decimal.of))
    except RecursionError:
        raise LimitError("max_depth", MAX_DEPTH, where="uniqueItems") from None


def _frozen(value: Any) -> Value:
    match value:
        case Decimal():
            return "number", value
        case None:
            return "null", None
        case bool():
            return "boolean", value
        case str():
            return "string", value
        case list():
            return "array", tuple(map(_frozen, value))
        case _:
            return "object", frozenset((key, _frozen(inner)) for key, inner in value.items())


class Phase:
    """Place in the text of an item; see `ItemComparison`."""

    VALUE = "value"
    FIRST_VALUE = "first value"
    KEY = "key"
    FIRST_KEY = "first key"
    COLON = "colon"
    AFTER = "after a member or an item"
    STRING = "string"
    NUMBER = "number"
    WORD = "word"


_Chain = tuple[Value, ...]
"""Path into a complete item: the values around the place that is being written, the innermost one last."""

_Option = tuple[str, _Chain]
"""String that may be written, and the path behind it."""


class ItemComparison(NamedTuple):
    """Comparison of the beginning of an item with complete items; a value.

    Attributes:
        phase: place in the text.
        kinds: "array" or "object" for each open container in the item, with the number of whole items or members.
        chains: paths into the complete items that are equal so far.
        options: within a string, those that it may become.
        place: within a string, number of whole characters.
        is_key: whether the string is a key.
        said: bytes of a number or word; within a string, of an incomplete character.
    """

    phase: str
    kinds: tuple[tuple[str, int], ...]
    chains: tuple[_Chain, ...]
    options: tuple[_Option, ...] = ()
    place: int = 0
    is_key: bool = False
    said: bytes = b""

    @classmethod
    def of(cls, items: Iterable[Value]) -> ItemComparison | None:
        """Comparison before the first byte, white space included; None without items."""
        return _some(cls(Phase.VALUE, (), tuple((item,) for item in items)))

    @property
    def is_string(self) -> bool:
        """True if the item is a string that has begun."""
        return self.phase == Phase.STRING and not self.kinds

    @property
    def is_number(self) -> bool:
        """True if the item is a number that more digits make another one: neither 0, nor with an exponent."""
        if self.phase != Phase.NUMBER or self.kinds or b"e" in self.said.lower():
            return False
        return b"." in self.said or not self.said.lstrip(b"-").startswith(b"0")

    def following(self) -> set[int]:
        """Bytes after which something may still be equal, and maybe others."""
        match self.phase:
            case Phase.STRING:
                return self._string_bytes()
            case Phase.NUMBER:
                return set(_NUMBER + b"+,]}" + BLANK)
            case Phase.WORD:
                return {word[len(self.said)] for word in _WORDS if word.startswith(self.said) and word != self.said}
            case Phase.COLON:
                return set(b":" + BLANK)
            case Phase.AFTER:
                return set(b",]}" + BLANK)
            case Phase.KEY | Phase.FIRST_KEY:
                return set(b'"}' + BLANK)
            case Phase.VALUE:
                return set(BLANK).union(*(_FIRST[chain[-1][0]] for chain in self.chains))
        return set(b'"[{tfn]-0123456789' + BLANK)

    def _string_bytes(self) -> set[int]:
        found: set[int] = set()
        for text, _ in self.options:
            if len(text) == self.place:
                found.add(0x22)
            else:
                cut = len(self.said)
                found.update(way[cut] for way in spellings(text[self.place]) if way.startswith(self.said))
        return found

    def read(self, byte: int) -> ItemComparison | str | None:
        """Comparison after one more byte of the JSON text; None if nothing is equal any more, OLD if the item is."""
        phase = self.phase
        if phase == Phase.STRING:
            return self._read_string(byte)
        if phase == Phase.NUMBER:
            return self._read_number(byte)
        if phase == Phase.WORD:
            return self._longer_word(byte)
        if byte in BLANK:
            return self
        if phase == Phase.COLON:
            return self._replace(phase=Phase.VALUE) if byte == 0x3A else None
        if phase == Phase.AFTER:
            return self._read_after(byte)
        if phase in (Phase.KEY, Phase.FIRST_KEY):
            if byte == 0x22:
                options = ((key, (*chain, inner)) for chain in self.chains for key, inner in chain[-1][1])
                return _some_string(self._replace(options=tuple(options), chains=(), is_key=True))
            return self._close("object", 0) if byte == 0x7D and phase == Phase.FIRST_KEY else None
        if phase == Phase.FIRST_VALUE:
            if byte == 0x5D:
                return self._close("array", 0)
            first = tuple((*chain, chain[-1][1][0]) for chain in self.chains if chain[-1][1])
            return self._replace(chains=first)._begin(byte)
        return self._begin(byte)

    def _begin(self, byte: int) -> ItemComparison | str | None:
        """Read the first byte of a value; the chains end with those that it may be."""
        if byte == 0x22:
            options = tuple((chain[-1][1], chain) for chain in self._of_kind("string"))
            return _some_string(self._replace(options=options, chains=(), is_key=False))
        if byte in b"[{":
            kind, phase = ("array", Phase.FIRST_VALUE) if byte == 0x5B else ("object", Phase.FIRST_KEY)
            return _some(self._replace(phase=phase, kinds=(*self.kinds, (kind, 0)), chains=self._of_kind(kind)))
        if byte in b"-0123456789":
            return self._replace(phase=Phase.NUMBER, chains=self._of_kind("number"), said=b"")._longer_number(byte)
        chains = (*self._of_kind("boolean"), *self._of_kind("null"))
        return self._replace(phase=Phase.WORD, chains=chains, said=b"")._longer_word(byte)

    def _of_kind(self, kind: str) -> tuple[_Chain, ...]:
        return tuple(chain for chain in self.chains if chain[-1][0] == kind)

    def _read_string(self, byte: int) -> ItemComparison | str | None:
        if byte == 0x22 and not self.said:
            chains = tuple(chain for text, chain in self.options if len(text) == self.place)
            after = self._replace(options=(), chains=chains)
            if self.is_key:
                return _some(after._replace(phase=Phase.COLON))
            return after._end()
        said = self.said + bytes([byte])
        begun: dict[str, list[_Option]] = {}
        for option in self.options:
            if len(option[0]) > self.place:
                begun.setdefault(option[0][self.place], []).append(option)
        left: list[_Option] = []
        for character, options in begun.items():
            ways = spellings(character)
            if said in ways:  # no spelling of a character is the beginning of one of another character
                return self._replace(options=tuple(options), place=self.place + 1, said=b"")
            if any(way.startswith(said) for way in ways):
                left += options
        return self._replace(options=tuple(left), said=said) if left else None

    def _read_number(self, byte: int) -> ItemComparison | str | None:
        if byte in _NUMBER or byte == 0x2B:
            return self._longer_number(byte)
        return _then(self._replace(chains=self._equal_numbers())._end(), byte)

    def _longer_number(self, byte: int) -> ItemComparison | None:
        said = (self.said + bytes([byte])).decode()
        parts = _parts(said)
        chains = tuple(chain for chain in self.chains if _may_become(parts, chain[-1][1]))
        if byte == 0x30 and len(said) > 1:
            most = max((len(chain[-1][1].digits) + abs(chain[-1][1].exponent) for chain in chains), default=0)
            said = _shortened(said, most)
        return _some(self._replace(chains=chains, said=said.encode()))

    def _equal_numbers(self) -> tuple[_Chain, ...]:
        text = self.said.decode()
        if not text[-1].isdigit():
            return ()
        number = Decimal.of(text)
        return tuple(chain for chain in self.chains if chain[-1][1] == number)

    def _longer_word(self, byte: int) -> ItemComparison | str | None:
        said = self.said + bytes([byte])
        if said in _WORDS:
            return self._replace(chains=tuple(chain for chain in self.chains if chain[-1] == _WORDS[said]))._end()
        words = [value for word, value in _WORDS.items() if word.startswith(said)]
        return _some(self._replace(chains=tuple(chain for chain in self.chains if chain[-1] in words), said=said))

    def _read_after(self, byte: int) -> ItemComparison | str | None:
        kind, count = self.kinds[-1]
        if byte != 0x2C:
            return self._close(kind, count) if byte == (0x5D if kind == "array" else 0x7D) else None
        longer = tuple(chain for chain in self.chains if len(chain[-1][1]) > count)
        if kind == "object":
            return _some(self._replace(phase=Phase.KEY, chains=longer))
        chains = tuple((*chain, chain[-1][1][count]) for chain in longer)
        return _some(self._replace(phase=Phase.VALUE, chains=chains))

    def _close(self, kind: str, count: int) -> ItemComparison | str | None:
        """Close the innermost container, which has `count` items or members."""
        if self.kinds[-1][0] != kind:
            return None
        chains = tuple(chain for chain in self.chains if len(chain[-1][1]) == count)
        return self._replace(kinds=self.kinds[:-1], chains=chains)._end()

    def _end(self) -> ItemComparison | str | None:
        """End a value that is equal to the last ones of the chains."""
        if not self.chains:
            return None
        if not self.kinds:
            return OLD
        kind, count = self.kinds[-1]
        chains = tuple(chain[:-1] for chain in self.chains)
        kinds = (*self.kinds[:-1], (kind, count + 1))
        return ItemComparison(Phase.AFTER, kinds, chains)


class EarlierItems:
    """Earlier items of an array that are equal so far to the one that is being written.

    What is found for a byte is kept. The items before the last one are kept apart: behind another item, only what
    differs by that one is found anew.

    Args:
        older: the same without the last of these items; None if there are no others.
        last: comparison with the last of them.
    """

    __slots__ = ("_after", "_following", "last", "older")

    def __init__(self, older: EarlierItems | None, last: ItemComparison) -> None:
        self.older = older
        self.last = last
        self._after: dict[int, EarlierItems | str | None] = {}
        self._following: frozenset[int] | None = None

    def following(self) -> frozenset[int]:
        """Bytes after which something may still be equal, and maybe others."""
        todo: list[EarlierItems] = []
        node: EarlierItems | None = self
        while node is not None and node._following is None:
            todo.append(node)
            node = node.older
        found = frozenset[int]() if node is None or node._following is None else node._following
        for node in reversed(todo):
            found = node._following = found | node.last.following()
        return found

    def read(self, byte: int) -> EarlierItems | str | None:
        """The items that are equal after one more byte; None if there are none, OLD if the item has ended as one."""
        todo: list[EarlierItems] = []
        node: EarlierItems | None = self
        while node is not None and byte not in node._after:
            todo.append(node)
            node = node.older
        found = None if node is None else node._known(byte)
        for node in reversed(todo):
            found = node._joined(found, node.last.read(byte))
            node._after[byte] = _SAME if found is node else found
        return found

    def _known(self, byte: int) -> EarlierItems | str | None:
        after = self._after[byte]
        return self if after is _SAME else after

    def _joined(self, older: EarlierItems | str | None, last: ItemComparison | str | None) -> EarlierItems | str | None:
        if isinstance(older, str) or isinstance(last, str):
            return OLD
        if last is None:
            return older
        return self if older is self.older and last == self.last else EarlierItems(older, last)


def _some(comparison: ItemComparison) -> ItemComparison | None:
    return comparison if comparison.chains else None


def _some_string(comparison: ItemComparison) -> ItemComparison | None:
    return comparison._replace(phase=Phase.STRING, place=0, said=b"") if comparison.options else None


def _then(comparison: ItemComparison | str | None, byte: int) -> ItemComparison | str | None:
    """Read a byte behind a number."""
    return comparison.read(byte) if isinstance(comparison, ItemComparison) else comparison


def _parts(text: str) -> tuple[str, str, str, str | None]:
    """Sign, digits before and after the point, and exponent, None without one, of the beginning of a JSON number."""
    match = _PARTS.match(text)
    assert match is not None
    sign, whole, fraction, exponent = match.groups()
    return sign, whole, fraction or "", exponent


def _may_become(parts: tuple[str, str, str, str | None], number: Decimal) -> bool:
    """Test whether the beginning of a JSON number may become a number, with any exponent; true for some others.

    Args:
        parts: of the beginning, see `_parts`.
    """
    sign, whole, fraction, exponent = parts
    if number.digits and bool(sign) != number.is_negative:
        return False
    digits = (whole + fraction).lstrip("0")
    short = digits.rstrip("0")
    if exponent is None:
        return number.digits.startswith(digits) or short == number.digits
    if short != number.digits:
        return False
    if not short or not exponent:
        return True
    needed = number.exponent + len(fraction) - len(digits) + len(short)
    said = exponent.lstrip("+-").lstrip("0")
    is_negative = exponent.startswith("-")
    return not said if needed == 0 else str(abs(needed)).startswith(said) and is_negative == (needed < 0)


def _shortened(text: str, zeros: int) -> str:
    """The beginning of a number without zeros that make no difference, so that few remain to be told apart.

    Args:
        zeros: number of zeros at the end of a fraction after which no other digit may follow.
    """
    mark = max(text.find("e"), text.find("E"))
    if mark < 0:
        cut = len(text.rstrip("0"))
        return text[: cut + zeros + 1] if "." in text[:cut] else text
    mantissa, exponent = text[: mark + 1], text[mark + 1 :]
    sign = exponent[:1] if exponent[:1] in ("+", "-") else ""
    digits = exponent[len(sign) :]
    if digits and not Decimal.of(text[:mark]).digits:
        return f"{mantissa}{sign}0"
    return f"{mantissa}{sign}{digits.lstrip('0') or digits[:1]}"
