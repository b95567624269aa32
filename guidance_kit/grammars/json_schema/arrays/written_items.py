"""Items of the open arrays with `uniqueItems` of a JSON text, so that no item is repeated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from guidance_kit.grammars.json_schema.arrays.equal_items import (
    BLANK,
    OLD,
    EarlierItems,
    ItemComparison,
    Value,
    value_of,
)
from guidance_kit.grammars.json_schema.facts.values import MAX_VALUES
from guidance_kit.grammars.json_schema.strings.last_value import beginning_of

__all__ = ["ArrayItemTracker", "Levels", "WrittenItem"]

_COMMA = 0x2C
_NUMBER = b"+-0123456789.eE"


_AT_ONCE = 64
"""Items of an array that are looked through one by one; those before them are in a set."""


class WrittenItem:
    """Item in a text, linked to the items before it.

    Attributes:
        begin, end: where it begins and ends in the text, in bytes.
        value: what it is.
        number: its text if it is a number, which further digits make another one; else empty.
        before: the one before it in the same array.
        count: how many there are in the same array, with this one.
        most: the greatest number of items of an array up to here.
        earlier: the one before it in the text, in this array or another one.
        around: the levels of the open arrays around its own.
        items: the items of the array up to this one, to be compared with the next one.
    """

    __slots__ = ("_values", "around", "before", "begin", "count", "earlier", "end", "items", "most", "number", "value")

    def __init__(
        self,
        value: Value,
        begin: int,
        text: bytes,
        before: WrittenItem | None,
        earlier: WrittenItem | None,
        around: Levels,
    ) -> None:
        self.value = value
        self.begin = begin
        self.end = len(text)
        self.number = text[begin:] if value[0] == "number" else b""
        self.before = before
        self.count = 1 if before is None else 1 + before.count
        self.most = self.count if earlier is None else max(self.count, earlier.most)
        self.earlier = earlier
        self.around = around
        self._values = frozenset(self._of_array()) if self.count % _AT_ONCE == 0 else None
        comparison = ItemComparison.of([value])
        assert comparison is not None
        self.items = EarlierItems(None if before is None else before.items, comparison)

    @property
    def levels(self) -> Levels:
        """Levels of the open arrays behind it, its own the last."""
        return *self.around, _Level(self)

    def has(self, value: Value) -> bool:
        """Test whether a value is among the items of the same array up to this one."""
        item: WrittenItem | None = self
        while item is not None:
            if item._values is not None:
                return value in item._values
            if item.value == value:
                return True
            item = item.before
        return False

    def _of_array(self) -> Iterator[Value]:
        item: WrittenItem | None = self
        while item is not None:
            yield item.value
            item = item.before


class _Level(NamedTuple):
    """An open array with `uniqueItems` that has items.

    Attributes:
        last: the last whole item that the one being written is compared with.
        comparison: of the item that follows; None before the comma.
    """

    last: WrittenItem
    comparison: EarlierItems | None = None

    def following(self) -> frozenset[int]:
        """Bytes after which an item may be equal to an earlier one, and maybe others."""
        if self.comparison is not None:
            return self.comparison.following()
        return frozenset(b"," + BLANK + (_NUMBER if self.last.number else b""))

    def read(self, byte: int) -> _Level | str | None:
        """The level after one more byte; None if the next item is new or the array has ended, OLD if it is not new."""
        comparison = self.comparison
        if comparison is None:
            if byte in BLANK:
                return self
            if byte == _COMMA:
                return self._replace(comparison=self.last.items)
            if not (self.last.number and byte in _NUMBER) or self.last.before is None:
                return None
            after: EarlierItems | str | None = self.last.before.items
            for one in self.last.number + bytes([byte]):
                if not isinstance(after, EarlierItems):
                    return None
                after = after.read(one)
            return self._after(self.last.before, after)
        return self._after(self.last, comparison.read(byte))

    @staticmethod
    def _after(last: WrittenItem, comparison: EarlierItems | str | None) -> _Level | str | None:
        return _Level(last, comparison) if isinstance(comparison, EarlierItems) else comparison


Levels = tuple[_Level, ...]
"""The open arrays whose next items may be equal to earlier ones, from the outermost on; a value."""


class ArrayItemTracker:
    """See `fsm.item_tracker.ItemTracker`: items are equal if they are as JSON values.

    What there is to be found stands behind the beginning of an array, so a JSON text may be a part of another text.

    Attributes:
        has_few: whether some items have few values of one type; set while rules are written.
        has_containers: whether some items are arrays or objects; likewise.
        has_short_strings, has_short_numbers: whether some items are strings, or numbers, of bounded length; likewise.
    """

    def __init__(self) -> None:
        self.has_few = self.has_containers = self.has_short_strings = self.has_short_numbers = False

    def enter(self, written: WrittenItem | None, text: bytes) -> WrittenItem | None:
        """See `fsm.item_tracker.ItemTracker.enter`."""
        begin = beginning_of(text, len(text))
        if written is not None and written.begin == begin:  # a number has become longer
            written = written.earlier
        before = _before(written, text, begin)
        value = value_of(text[begin:])
        if before is not None and before.has(value):
            return None
        around = () if written is None else tuple(level for level in written.levels if level.last is not before)
        if written is not None and around:
            around = _read(around, text[written.end :])
        return WrittenItem(value, begin, text, before, written, around)

    def levels(self, written: WrittenItem | None, text: bytes) -> Levels:
        """See `fsm.item_tracker.ItemTracker.levels`."""
        return () if written is None else _read(written.levels, text[written.end :])

    def read(self, levels: Levels, byte: int) -> Levels | None:
        """See `fsm.item_tracker.ItemTracker.read`."""
        found: list[_Level] = []
        for level in levels:
            after = level.read(byte)
            if after is OLD:
                return None
            if isinstance(after, _Level):
                found.append(after)
        return tuple(found)

    def may_run_out(self, written: WrittenItem | None) -> bool:
        """See `fsm.item_tracker.ItemTracker.may_run_out`."""
        is_long = written is not None and written.most + 2 >= MAX_VALUES
        return self.has_few or (is_long and (self.has_containers or self.has_short_strings or self.has_short_numbers))

    def are_endless(self, levels: Levels) -> bool:
        """See `fsm.item_tracker.ItemTracker.are_endless`; true within strings and numbers without conditions."""
        return all(level.comparison is not None and self._is_endless(level.comparison.last) for level in levels)

    @property
    def has_endless_strings(self) -> bool:
        """See `fsm.item_tracker.ItemTracker.has_endless_strings`."""
        return not self.has_short_strings

    def are_endless_strings(self, levels: Levels) -> bool:
        """See `fsm.item_tracker.ItemTracker.are_endless_strings`."""
        if self.has_short_strings:
            return False
        return all(level.comparison is not None and level.comparison.last.is_string for level in levels)

    def _is_endless(self, item: ItemComparison) -> bool:
        return (item.is_string and not self.has_short_strings) or (item.is_number and not self.has_short_numbers)

    def following(self, levels: Levels) -> set[int]:
        """See `fsm.item_tracker.ItemTracker.following`."""
        return set[int]().union(*(level.following() for level in levels))


def _read(levels: Levels, text: bytes) -> Levels:
    """Read a part of a text whose items are all new."""
    for byte in text:
        if not levels:
            break
        after = (level.read(byte) for level in levels)
        levels = tuple(level for level in after if isinstance(level, _Level))
    return levels


def _before(written: WrittenItem | None, text: bytes, begin: int) -> WrittenItem | None:
    """Last item before the one that begins at `begin`, in the same array."""
    end = len(text[:begin].rstrip(BLANK))
    if written is None or text[end - 1] != _COMMA:
        return None
    end = len(text[: end - 1].rstrip(BLANK))
    while written is not None and written.end > end:
        written = written.earlier
    return written if written is not None and written.end == end else None
