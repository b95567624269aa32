"""Names and items of a text that may not come twice in their objects and arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["ITEM", "KEY", "Written"]


class Written(NamedTuple):
    """Names and items that have ended at `fresh` edges, as their trackers keep them; None where there are none.

    Args:
        keys: see `KeyTracker`.
        items: see `ItemTracker`.
    """

    keys: Any = None
    items: Any = None


KEY, ITEM = range(2)
"""Kinds of `fresh` edges: places in `Written`."""
