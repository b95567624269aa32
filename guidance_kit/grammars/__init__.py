"""Surface syntax (regex, JSON Schema, grammars, choices, Python types) turned into networks of `fsm`.

The constructors are `constraint.regex`, `constraint.choice`, `grammar.grammar`, `json_schema.json_schema`, and those of
constraints that are made of others, in `composition`, `text`, `tags`, `tool_calls` and `structural_tag`. Most of their
names are those of modules here, so the package itself does not export them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from guidance_kit.grammars.constraint import Constraint
    from guidance_kit.grammars.json_schema import Indent

__all__ = ["Constraint", "Indent"]

_HOMES = {"Constraint": "constraint", "Indent": "json_schema"}


def __getattr__(name: str) -> Any:
    """Load a front end when it is first asked for."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{home}"), name)
