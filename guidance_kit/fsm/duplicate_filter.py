"""Removal of tokens from a mask that would repeat a name or an item."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from guidance_kit.fsm.duplicate_item_filter import DuplicateItemFilter
from guidance_kit.fsm.duplicate_key_filter import DuplicateKeyFilter
from guidance_kit.fsm.written import Written

__all__ = ["DuplicateFilter"]


class DuplicateFilter:
    """Filter of masks for tokens that would repeat a name or an item, for networks with an `ItemTracker`.

    Args:
        keys: filter of names; None if the network has no `KeyTracker`.
        items: filter of items.

    Attributes:
        are_in_tokens: whether masks may have too many tokens before a name or an item has ended.
    """

    are_in_tokens = True

    def __init__(self, keys: DuplicateKeyFilter | None, items: DuplicateItemFilter) -> None:
        self._keys = keys
        self._items = items

    def matter(self, written: Written | None, left: int | None) -> bool:
        """True: a first item may be whole within a token, and repeated there."""
        return True

    def exclude(
        self, config: int, left: int | None, text: Callable[[], bytes], written: Written | None, mask: np.ndarray
    ) -> list[int]:
        """Forbid the tokens within which a name or an item ends that is not new, or after which no new one can follow.

        Args:
            left: how many tokens may still be taken, None for any number.
            text: gives the whole text that leads to `config`.
            written: names and items that it has.
            mask: of `config` and `left`; int32, (words,), changed in place.
        Returns:
            The tokens that were forbidden.
        """
        excluded: list[int] = []
        if self._keys is not None and self._keys.matter(written, left):
            excluded += self._keys.exclude(config, left, text, written, mask)
        return excluded + self._items.exclude(config, text, written, mask)

    def suffices(self, config: int, left: int | None, text: Callable[[], bytes], written: Written | None) -> bool:
        """Test whether a text whose configuration leaves it ways to be completed has one with new names and items.

        Args:
            left: how many tokens may be taken, None for any number; they suffice if names do not matter.
        """
        if self._keys is not None and not self._keys.suffices(config, left, text, written):
            return False
        return self._items.suffices(config, text, written)
