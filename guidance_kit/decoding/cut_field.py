"""The field of a record at which its text was cut short."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["CutField", "cut_at", "cut_field"]

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\],:]', re.DOTALL)

_Path = list[str | int | None]
"""Of the open arrays and objects: an index, a key, or None where a key is due."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CutField:
    """Field of a record that took more tokens than a field may have.

    Attributes:
        pointer: JSON pointer (RFC 6901) of the field, "" for the root.
        limit: number of tokens that a field may have.
    """

    pointer: str
    limit: int


def cut_at(text: str) -> tuple[str, int]:
    """The value in which a JSON text ends that is not whole.

    Returns:
        Its JSON pointer, "" for the root, and the number of its characters up to the end.

    >>> cut_at('{"name": "Mirela", "items": [{"price": 1}, {"price": 0000')
    ('/items/1/price', 4)
    """
    path, begin = _open(text)
    return _pointer(path), len(text[begin:].lstrip())


def cut_field(text: str) -> str:
    """JSON pointer of the field in which a JSON text ends that is not whole; of an array without objects it is one.

    >>> cut_field('{"items": [{"sizes": [[1, 2], [3, 4')
    '/items/0/sizes'
    """
    path, _ = _open(text)
    while path and isinstance(path[-1], int):
        path.pop()
    return _pointer(path)


def _open(text: str) -> tuple[_Path, int]:
    """The path of the value in which a JSON text ends, and where it begins."""
    path: _Path = []
    begin = 0
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign in ("{", "["):
            path.append(None if sign == "{" else 0)
            begin = token.end()
        elif sign in ("}", "]"):
            path = path[:-1]
        elif sign == "," and path:
            last = path[-1]
            path[-1] = last + 1 if isinstance(last, int) else None
            begin = token.end()
        elif sign == ":":
            begin = token.end()
        elif path and path[-1] is None and (key := _key(sign)) is not None:
            path[-1], begin = key, token.end()
    return path, begin


def _pointer(path: Sequence[str | int | None]) -> str:
    steps = (str(step).replace("~", "~0").replace("/", "~1") for step in path if step is not None)
    return "".join(f"/{step}" for step in steps)


def _key(spelled: str) -> str | None:
    """The key that a string of JSON is; None if it is not whole."""
    try:
        return json.loads(spelled, strict=False)
    except ValueError:
        return None
