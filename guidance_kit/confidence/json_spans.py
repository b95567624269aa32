"""Places of the values in a JSON text, in bytes."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterator
from decimal import Decimal
from typing import Any, NamedTuple

__all__ = ["FieldSpan", "field_spans", "value_end", "value_key"]

_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_WORD = re.compile(rb"[^\s,:\[\]{}\"]+")
_SPACE = re.compile(rb"[ \t\r\n]*")


class FieldSpan(NamedTuple):
    """Place of a string, number, boolean or null: its JSON pointer and the bytes `begin` to `end` of the text."""

    pointer: str
    begin: int
    end: int


def field_spans(text: bytes) -> list[FieldSpan]:
    """Places of all values in a valid JSON text that are neither objects nor arrays, in their order.

    >>> field_spans(b'{"a": [1, "x"], "b/c": null}')  # doctest: +NORMALIZE_WHITESPACE
    [FieldSpan(pointer='/a/0', begin=7, end=8), FieldSpan(pointer='/a/1', begin=10, end=13),
     FieldSpan(pointer='/b~1c', begin=23, end=27)]
    """
    return list(_spans(text, _after_space(text, 0), ""))


def value_end(text: bytes, begin: int, *, is_whole: bool = False) -> int | None:
    """End of the JSON value that begins at a place of a valid prefix of a JSON text; None where it is still open.

    A number is open as long as another digit could follow.

    Args:
        is_whole: nothing follows the text.

    >>> value_end(b'"a", 1', 0), value_end(b"12", 0), value_end(b"12,", 0), value_end(b"12", 0, is_whole=True)
    (3, None, 2, 2)
    """
    if begin >= len(text):
        return None
    first = text[begin : begin + 1]
    if first == b'"':
        match = _STRING.match(text, begin)
        return None if match is None else match.end()
    if first in b"{[":
        return _container_end(text, begin)
    match = _WORD.match(text, begin)
    if match is None:
        return None
    word, end = match[0], match.end()
    is_decided = word in (b"true", b"false", b"null") or end < len(text) or is_whole
    return end if is_decided else None


def value_key(text: bytes) -> Hashable:
    """Key of the JSON value that a text spells: equal for two texts of the same value, as JSON Schema compares them.

    >>> value_key(b"1.0") == value_key(b"1") == value_key(b"10e-1"), value_key(b"true") == value_key(b"1")
    (True, False)
    """
    return _key(json.loads(text, parse_float=Decimal, parse_int=Decimal))


def _key(value: Any) -> Hashable:
    if isinstance(value, dict):
        return "object", frozenset((name, _key(one)) for name, one in value.items())
    if isinstance(value, list):
        return "array", tuple(_key(one) for one in value)
    if isinstance(value, Decimal):
        return "number", value
    return type(value).__name__, value


def _after_space(text: bytes, at: int) -> int:
    found = _SPACE.match(text, at)
    return at if found is None else found.end()


def _spans(text: bytes, begin: int, pointer: str) -> Iterator[FieldSpan]:
    if text[begin : begin + 1] not in (b"{", b"["):
        end = value_end(text, begin, is_whole=True)
        assert end is not None
        yield FieldSpan(pointer, begin, end)
        return
    is_object = text[begin : begin + 1] == b"{"
    at, place = _after_space(text, begin + 1), 0
    while text[at : at + 1] not in (b"}", b"]"):
        step = str(place)
        if is_object:
            end = value_end(text, at)
            assert end is not None
            step = json.loads(text[at:end]).replace("~", "~0").replace("/", "~1")
            at = _after_space(text, _after_space(text, end) + 1)
        yield from _spans(text, at, f"{pointer}/{step}")
        end = value_end(text, at, is_whole=True)
        assert end is not None
        at, place = _after_space(text, end), place + 1
        if text[at : at + 1] == b",":
            at = _after_space(text, at + 1)


def _container_end(text: bytes, begin: int) -> int | None:
    depth, at = 0, begin
    while at < len(text):
        sign = text[at : at + 1]
        if sign == b'"':
            match = _STRING.match(text, at)
            if match is None:
                return None
            at = match.end()
            continue
        depth += (sign in b"{[") - (sign in b"}]")
        at += 1
        if not depth:
            return at
    return None
