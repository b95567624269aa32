"""Items that may not come twice, as those of an array: what a network has to be told by who knows its texts."""

from __future__ import annotations

from typing import Any, Protocol

__all__ = ["ItemTracker", "Items", "Levels"]

Items = Any
"""Items of a text as a tracker keeps them; None where none has ended at a `fresh` edge yet."""

Levels = Any
"""Open arrays whose next item may still be equal to an earlier one; hashable, and false if there are none."""


class ItemTracker(Protocol):
    """Items that a text has. An *old* item is one that the item that is being read may not be equal to."""

    def enter(self, written: Items, text: bytes) -> Items | None:
        """Items after a text that ends with one; None if that item is not new.

        Args:
            written: what was known before the item.
        """
        ...

    def levels(self, written: Items, text: bytes) -> Levels:
        """Open arrays at the end of a text, whose next items may be equal to earlier ones."""
        ...

    def read(self, levels: Levels, byte: int) -> Levels | None:
        """The same after one more byte; None if an item ends that is not new."""
        ...

    def are_endless(self, levels: Levels) -> bool:
        """Test whether the text ends within items that can always be prolonged until they are new."""
        ...

    def are_endless_strings(self, levels: Levels) -> bool:
        """Test whether the text ends within strings, and all strings can be prolonged until they are new."""
        ...

    @property
    def has_endless_strings(self) -> bool:
        """True if all strings can be prolonged until they are new."""
        ...

    def following(self, levels: Levels) -> set[int]:
        """Bytes after which there may be any of the open arrays left."""
        ...

    def may_run_out(self, written: Items) -> bool:
        """Test whether there may be no new item that begins with some quote, brace or bracket."""
        ...
