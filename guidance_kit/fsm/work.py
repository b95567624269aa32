"""Work that front ends do while a mask is made, counted so that it ends."""

from __future__ import annotations

from guidance_kit.errors import LimitError

__all__ = ["Work"]


class Work:
    """A number of steps that may still be taken.

    Args:
        limit: that number, `Limits.max_work`.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.left = limit

    def spend(self, steps: int, where: str) -> None:
        """Take some steps.

        Raises:
            LimitError: fewer are left; says `where`.
        """
        self.left -= steps
        if self.left < 0:
            raise LimitError("max_work", self.limit, where=where, is_adjustable=True)
