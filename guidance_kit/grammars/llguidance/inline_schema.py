"""JSON Schemas within grammars of llguidance's dialect, with its extension `x-guidance`.

Source: llguidance 1.8, `JsonCompileOptions` in parser/src/json/compiler.rs.
"""

from __future__ import annotations

from typing import Any

from guidance_kit.errors import UnsupportedFeature
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.json_schema import Separators, json_schema

__all__ = ["schema_constraint"]

_ESCAPES = 'nrbtf\\"u'


def schema_constraint(schema: Any, where: str) -> Constraint:
    """The JSON texts of a schema, spelt as llguidance has it: white space of any length, escapes where necessary.

    Args:
        schema: JSON behind `%json`, or of a list of grammars; its `x-guidance` may say otherwise.
        where: its place, for messages.
    Raises:
        SchemaError: it is malformed.
        UnsupportedFeature: an option of `x-guidance` without an equivalent.
    """
    options = schema.get("x-guidance", {}) if isinstance(schema, dict) else {}
    if not isinstance(options, dict):
        options = {"": options}
    if options:
        schema = {name: value for name, value in schema.items() if name != "x-guidance"}
    whitespace, escapes = "any", "minimal"
    item, key = options.get("item_separator", ","), options.get("key_separator", ":")
    if options.get("whitespace_flexible") is False:
        whitespace = Separators(item, key)
    for name, value in options.items():
        if name == "json_allow_general_unicode_escapes" and isinstance(value, bool):
            escapes = "all" if value else "minimal"
        elif not (
            (name in ("coerce_one_of", "lenient", "whitespace_flexible") and isinstance(value, bool))
            or (name in ("item_separator", "key_separator") and whitespace != "any")
            or (name == "json_allowed_escapes" and value == _ESCAPES)
        ):
            raise UnsupportedFeature(
                f"{name!r} of x-guidance with {value!r}", where=where, hint="leave it out, or give the schema by rules="
            )
    return json_schema(schema, whitespace=whitespace, escapes=escapes)
