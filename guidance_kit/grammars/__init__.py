"""Surface syntax (regex, JSON Schema, choices, Python types) turned into networks of `fsm`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from guidance_kit.grammars.constraint import Constraint, choice, regex
    from guidance_kit.grammars.json_schema import Indent, json_schema

__all__ = ["Constraint", "Indent", "choice", "json_schema", "regex"]

_HOMES = {
    "Constraint": "constraint",
    "choice": "constraint",
    "regex": "constraint",
    "Indent": "json_schema",
    "json_schema": "json_schema",
}


def __getattr__(name: str) -> Any:
    """Load a front end when it is first asked for."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{home}"), name)
