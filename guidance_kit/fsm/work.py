"""Work that front ends do while a mask is made or a budget is computed, counted so that it ends."""

from __future__ import annotations

from guidance_kit.errors import LimitError

__all__ = ["Work"]


class Work:
    """A number of steps that may still be taken for one mask, one token read or one budget.

    Args:
        limit: that number.
        reason: why all of it is done at once, for error messages.
        name: of the limit; "max_work" is a field of `Limits`, others are fixed.
    """

    def __init__(self, limit: int, *, reason: str = "", name: str = "max_work") -> None:
        self.limit = limit
        self.left = limit
        self._reason = reason
        self._name = name

    def renew(self) -> None:
        """Begin anew, with the whole number."""
        self.left = self.limit

    def spend(self, steps: int, where: str) -> None:
        """Take some steps.

        Raises:
            LimitError: fewer are left; says `where`.
        """
        self.left -= steps
        if self.left < 0:
            is_adjustable = self._name == "max_work"
            raise LimitError(self._name, self.limit, where=where + self._reason, is_adjustable=is_adjustable)
