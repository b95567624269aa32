"""Rows that a search goes on with: in an order in which few of them move, and forked only where they branch."""

from __future__ import annotations

from collections.abc import Sequence

from guidance_kit.decoding.row import Row

__all__ = ["continued", "in_kept_places"]


def in_kept_places(parents: Sequence[Row], first: int) -> list[int]:
    """Order of extensions of neighbouring rows in which the first extension of each row takes its place.

    A cache of keys and values then copies the other extensions alone.

    Args:
        parents: row of each extension, of the rows `first`, `first + 1`, ... of a walk.
        first: index of the first of those rows.
    Returns:
        Numbers of the extensions in their new order.
    """
    order: list[int | None] = [None] * len(parents)
    others: list[int] = []
    for number, parent in enumerate(parents):
        place = parent.index - first
        if place < len(order) and order[place] is None:
            order[place] = number
        else:
            others.append(number)
    rest = iter(others)
    return [next(rest) if number is None else number for number in order]


def continued(parents: Sequence[Row]) -> list[Row]:
    """Row of each extension: a row itself for its first extension, and forks for the others."""
    seen: set[int] = set()
    rows: list[Row] = []
    for parent in parents:
        rows.append(parent.fork() if parent.index in seen else parent)
        seen.add(parent.index)
    return rows
