"""Metaschemas, and vocabularies of them, to which every schema may refer."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from guidance_kit.grammars.json_schema.documents.drafts import DRAFTS, SchemaDraft

__all__ = ["metaschema"]

_LAST_OF_ONE_FILE = 7
"""Number of the last draft whose metaschema refers to no vocabularies."""


def metaschema(address: str) -> Any:
    """The metaschema or vocabulary at an address without a fragment; None if there is none."""
    draft = next((draft for draft in DRAFTS if draft.uri == address and draft.number <= _LAST_OF_ONE_FILE), None)
    found = None if draft is None else _read(draft)
    return _registered(address) if found is None else found


def _read(draft: SchemaDraft) -> Any:
    """Metaschema in its file: the package that brings it takes longer to import than all schemas do that refer to it.

    Returns:
        None if the file is not where it is looked for.
    """
    package = find_spec("jsonschema_specifications")
    if package is None or package.origin is None:
        return None
    path = Path(package.origin).parent / "schemas" / f"draft{draft.name}" / "metaschema.json"
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        return None
    return found if found.get(draft.id_keyword) == f"{draft.uri}#" else None


def _registered(address: str) -> Any:
    """The same, from the package itself."""
    from jsonschema_specifications import REGISTRY  # imported late: few need it

    known = next((name for name in (address, f"{address}#") if name in REGISTRY), None)
    return None if known is None else REGISTRY.contents(known)
