"""The field of a record at which its text was cut short."""

from __future__ import annotations

import json
import re

__all__ = ["cut_field"]

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\],:]', re.DOTALL)


def cut_field(text: str) -> tuple[str, int]:
    """The value in which a JSON text ends that is not whole.

    Returns:
        Its JSON pointer, "" for the root, and the number of its characters up to the end.

    >>> cut_field('{"name": "Mirela", "items": [{"price": 1}, {"price": 0000')
    ('/items/1/price', 4)
    """
    path: list[str | int | None] = []  # of the open arrays and objects: an index, a key, or None where a key is due
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
    steps = (str(step).replace("~", "~0").replace("/", "~1") for step in path if step is not None)
    return "".join(f"/{step}" for step in steps), len(text[begin:].lstrip())


def _key(spelled: str) -> str | None:
    """The key that a string of JSON is; None if it is not whole."""
    try:
        return json.loads(spelled, strict=False)
    except ValueError:
        return None
