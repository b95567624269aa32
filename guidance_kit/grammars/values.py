"""Values of texts, and the common part of two values that are still being written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from guidance_kit.errors import GuidanceKitError, MatchError

__all__ = ["Tagged", "in_common", "listed_in_common", "read_value", "shortened"]

T = TypeVar("T")


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


def read_value(kind: str, text: str, read: Callable[[], T]) -> T:
    """The value of a text, or of a prefix of one.

    Args:
        kind: of the constraint of the text.
        text: the text.
        read: makes the value.
    Raises:
        MatchError: `read` fails, as the text is malformed, nested too deep, or refused by a Python type.
    """
    try:
        return read()
    except GuidanceKitError:
        raise
    except RecursionError as error:
        raise MatchError(
            f"the text {shortened(text)} of the {kind} is nested too deep for a value; bound the nesting in the "
            "constraint"
        ) from error
    except ValueError as error:
        raise MatchError(f"the text {shortened(text)} of the {kind} has no value: {error}") from error


def shortened(text: str, length: int = 40) -> str:
    """A text in quotes as an error shows it."""
    return repr(text if len(text) <= length else text[: length - 1] + "…")
