"""What texts stand for, and what two values have in common while they are still being written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

__all__ = ["Tagged", "in_common", "listed_in_common"]


@dataclass(frozen=True, slots=True)
class Tagged:
    """A region of a text that a tag opened.

    Attributes:
        name: of the tag.
        value: what stands between its beginning and its end: for a JSON Schema the parsed JSON, for a type an instance,
            else the text.
    """

    name: str
    value: Any


def in_common(one: Any, other: Any) -> Any:
    """The longest value from which both of two values can come about by writing on; None if there is none.

    >>> in_common({"a": "sun", "b": 1}, {"a": "sum"})
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
        return Tagged(one.name, in_common(one.value, other.value)) if one.name == other.name else None
    if isinstance(one, list | tuple):
        return type(one)(listed_in_common(cast("Sequence[Any]", one), other))
    if isinstance(one, dict):
        items = listed_in_common([*cast("dict[str, Any]", one).items()], [*other.items()])
        return dict(item for item in items if len(item) == 2)  # a key without a value is none
    return None


def listed_in_common(one: Sequence[Any], other: Sequence[Any]) -> list[Any]:
    """The same of the values in two lists: those that are equal, and what the first that differ have in common."""
    found: list[Any] = []
    for a, b in zip(one, other, strict=False):
        shared = in_common(a, b)
        if shared is not None or a is b:
            found.append(shared)
        if a != b or type(a) is not type(b):
            break
    return found
