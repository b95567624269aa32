"""Common prefix of values: the part on which the completions of a text agree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from guidance_kit.grammars.tagged import Tagged

__all__ = ["common_items", "common_prefix"]


def common_prefix(one: Any, other: Any) -> Any:
    """The longest value of which both values are continuations; None if there is none.

    >>> common_prefix({"a": "sun", "b": 1}, {"a": "sum"})
    {'a': 'su'}
    """
    if type(one) is not type(other):
        return None
    if one == other:
        return one
    if isinstance(one, str):
        pairs = enumerate(zip(one, other, strict=False))
        return one[: next((k for k, (a, b) in pairs if a != b), min(len(one), len(other)))]
    if isinstance(one, Tagged):
        return Tagged(one.name, common_prefix(one.value, other.value)) if one.name == other.name else None
    if isinstance(one, list | tuple):
        return type(one)(common_items(cast("Sequence[Any]", one), other))
    if isinstance(one, dict):
        items = common_items([*cast("dict[str, Any]", one).items()], [*other.items()])
        return dict(item for item in items if len(item) == 2)  # a key without a value is none
    return None


def common_items(one: Sequence[Any], other: Sequence[Any]) -> list[Any]:
    """Equal items of two sequences up to the first that differ, and the common prefix of these."""
    found: list[Any] = []
    for a, b in zip(one, other, strict=False):
        shared = common_prefix(a, b)
        if shared is not None or a is b:
            found.append(shared)
        if a != b or type(a) is not type(b):
            break
    return found
