"""The value of a JSON text that is still being written."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["partial_json"]

_STRING = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)', re.DOTALL)
"""String, complete or unfinished."""

_NUMBER = re.compile(r"(?<![\w.+-])-?(?:\d[\d.eE+-]*)?\Z")
"""Unfinished number at the end of a text: `12` may become `120`."""

_LITERALS = ("true", "false", "null")


def partial_json(text: str, is_whole: bool = False) -> Any:
    r"""Value of a prefix of a JSON text, as far as every completion agrees.

    Strings under way are there as far as their characters are written; keys come with their values; what else is not
    whole (a number that may have more digits, a literal, half of an escape) is left out.

    Args:
        text: a beginning of a JSON text.
        is_whole: whether it is the whole one.
    Returns:
        The value; None where there is nothing yet.
    Raises:
        ValueError: the text is no such beginning, or nested more than 200 deep.

    >>> partial_json('{"name": "Ann L", "ids": [12, 3')
    {'name': 'Ann L', 'ids': [12]}
    >>> [partial_json(text) for text in ('"caf\\u00', "[tru", '{"na', "12")]
    ['caf', [], {}, None]
    """
    from pydantic_core import from_json  # which takes longer to import than schemas without types take to compile

    if is_whole:
        return from_json(text)
    number = _NUMBER.search(_STRING.sub("", text))
    begun = text[: len(text) - len(number[0] if number else "")]
    if any(literal != begun.strip() and literal.startswith(begun.strip()) for literal in _LITERALS):
        return None
    return from_json(begun, allow_partial="trailing-strings")
