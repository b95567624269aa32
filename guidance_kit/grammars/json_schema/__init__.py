"""JSON Schema as a constraint: every generated text is a valid instance."""

from __future__ import annotations

from guidance_kit.grammars.json_schema.constraint import json_schema
from guidance_kit.grammars.json_schema.layout import BoundedWhitespace, Indent, Separators, Whitespace
from guidance_kit.grammars.json_schema.numbers.digits import MAX_RECORD_DIGITS, Digits
from guidance_kit.grammars.json_schema.report import Instance, Report
from guidance_kit.grammars.json_schema.strings.encoding import Escapes

__all__ = [
    "MAX_RECORD_DIGITS",
    "BoundedWhitespace",
    "Digits",
    "Escapes",
    "Indent",
    "Instance",
    "Report",
    "Separators",
    "Whitespace",
    "json_schema",
]
