"""Exit statuses of the command."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["Exit"]


class Exit(IntEnum):
    """Exit statuses."""

    DONE = 0
    FAILED = 1
    """Some documents have no record; a constraint cannot be used; a text was cut short, or is not marked."""
    USAGE = 2
    """An option or a schema is wrong; nothing was done."""
    STOPPED = 3
    """It could not go on: the model cannot be loaded, the disk is full, ..."""
    INTERRUPTED = 130
