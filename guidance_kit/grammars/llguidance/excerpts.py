"""Excerpts in llguidance's dialect: `%regex` with the chunks of a text."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from guidance_kit.grammars.llguidance.syntax import Excerpts

__all__ = ["chunks_of"]

_FIELDS = ("substring_chunks", "substring_words", "substring_chars")


def chunks_of(value: Any, wrong: Callable[[str], Exception]) -> Excerpts:
    """The chunks that `%regex` names.

    Args:
        value: the JSON behind `%regex`.
        wrong: function from a message to an error.
    """
    if not isinstance(value, dict) or len(value) != 1 or (name := next(iter(value))) not in _FIELDS:
        raise wrong(f"%regex takes an object with one field, which is one of {', '.join(_FIELDS)}")
    found = value[name]
    is_right = isinstance(found, str) if name != "substring_chunks" else isinstance(found, list)
    if not is_right or not all(isinstance(chunk, str) for chunk in found):
        raise wrong(f"{name} takes {'a list of texts' if name == 'substring_chunks' else 'a text'}")
    if name == "substring_words":
        found = ["".join(group) for _, group in itertools.groupby(found, _kind)]
    return Excerpts(tuple(chunk for chunk in found if chunk))


def _kind(character: str) -> str:
    """Kind of a character: words are runs of one kind."""
    return "space" if character.isspace() else "word" if character.isalnum() or character == "_" else "other"
