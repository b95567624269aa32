"""Lists of grammars in JSON, as llguidance's interface takes them: `{"grammars": [...]}`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from guidance_kit.errors import GrammarError

__all__ = ["ListedGrammar", "listed_grammars"]


@dataclass(frozen=True, slots=True)
class ListedGrammar:
    """A grammar of a list: a text, or a schema if that is None."""

    text: str | None
    schema: Any = None


def listed_grammars(text: str, path: str) -> dict[str, ListedGrammar]:
    """The grammars of a list by name, the first, which whole texts belong to, under "".

    Raises:
        GrammarError: it is malformed.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise GrammarError(f"the list of grammars is no JSON: {error}", path=path) from None
    listed = value.get("grammars") if isinstance(value, dict) else None
    if not isinstance(listed, list) or not listed or set(value) - {"grammars", "max_tokens"}:
        raise GrammarError('a list of grammars is an object {"grammars": [...]}', path=path)
    found: dict[str, ListedGrammar] = {}
    for number, one in enumerate(listed):
        place = f"grammars[{number}]"
        if not isinstance(one, dict) or len(one.keys() & {"lark_grammar", "json_schema"}) != 1:
            raise GrammarError(f"{place} has no lark_grammar and no json_schema, or both", path=path)
        if unknown := one.keys() - {"lark_grammar", "json_schema", "name"}:
            raise GrammarError(f"{place} has an unknown field {min(unknown)!r}", path=path)
        source, name = one.get("lark_grammar"), one.get("name")
        if not isinstance(source, str | None) or not isinstance(name, str | None):
            raise GrammarError(f"lark_grammar and name of {place} are texts", path=path)
        grammar = ListedGrammar(source, one.get("json_schema"))
        for key in ([""] if number == 0 else []) + ([name] if name else []):
            if key in found:
                raise GrammarError(f"two grammars are called {key!r}", path=path)
            found[key] = grammar
    return found
