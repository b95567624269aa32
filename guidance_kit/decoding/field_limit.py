"""Token limit for each field of a record: it stops a value that repeats itself long before `max_tokens`."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any

from guidance_kit.errors import OptionError

__all__ = ["MAX_FIELD_TOKENS", "FieldCounter", "record_options", "require_records"]

MAX_FIELD_TOKENS = 1024
"""Most tokens of a field in `extract`, unless the caller says otherwise: about 4,000 characters of English."""

_QUOTE, _ESCAPE, _COMMA = b'"\\,'
_OPENING, _CLOSING = b"{[", b"}]"
_OBJECT, _OBJECT_END = b"{}"


class FieldCounter:
    """Token counter of the current field of a growing JSON text.

    A field is a member of an object, key and value, up to the first object inside it: a string, a number, or an array
    without objects. A text outside any object is one field. So each object of a long list has fields of its own.

    Args:
        limit: maximum number of tokens of a field.
    """

    __slots__ = ("_is_escaped", "_is_string", "_open", "_tokens", "limit")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._tokens = 0
        self._open = bytearray()  # of the open arrays and objects: their brackets
        self._is_string = False
        self._is_escaped = False

    def fork(self) -> FieldCounter:
        """Independent copy."""
        other = copy.copy(self)
        other._open = self._open[:]
        return other

    def take(self, piece: bytes) -> bool:
        """Add the bytes of a token; return whether its field has more tokens than the limit now."""
        for byte in piece:
            if self._is_escaped:
                self._is_escaped = False
            elif byte == _QUOTE:
                self._is_string = not self._is_string
            elif self._is_string:
                self._is_escaped = byte == _ESCAPE
            elif byte in _OPENING:
                self._open.append(byte)
            elif byte in _CLOSING:
                del self._open[-1:]
            is_in_object = self._open.endswith(b"{")
            if not self._is_string and (byte in (_OBJECT, _OBJECT_END) or (byte == _COMMA and is_in_object)):
                self._tokens = 0
        self._tokens += 1
        return self._tokens > self.limit


def record_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of `generate` for records: the most likely tokens, as much room as there is, and a limit for each field.

    The limit has no default beside `complete`, which promises a record, and beside a `decoder` that compares texts.
    """
    decoder = options.get("decoder", "sample")
    has_limit = not options.get("complete") and (decoder == "sample" or getattr(decoder, "is_incremental", False))
    defaults = {"temperature": 0.0, "max_tokens": None, "max_field_tokens": MAX_FIELD_TOKENS if has_limit else None}
    return {**defaults, **options}


def require_records(limit: int | None, kinds: Iterable[str] | None) -> None:
    """See that texts whose fields are limited have fields.

    Args:
        limit: `Options.max_field_tokens`.
        kinds: of the constraints; None if there is no constraint.
    Raises:
        OptionError: they are no JSON.
    """
    if limit is None:
        return
    if kinds is None:
        raise OptionError("max_field_tokens limits the fields of records, and there is no constraint that has any")
    for kind in kinds:
        if kind != "json_schema":
            raise OptionError(f"max_field_tokens limits the fields of json_schema() and of types, not of {kind}()")
