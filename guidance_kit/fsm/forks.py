"""Locks in forked processes: one that another thread of the parent held would never be released."""

from __future__ import annotations

import os
from collections.abc import Callable

__all__ = ["in_child"]


def in_child(renew: Callable[[], None]) -> None:
    """Have `renew` called in every process that is forked from this one."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=renew)
