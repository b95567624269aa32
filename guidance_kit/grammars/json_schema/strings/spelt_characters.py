"""Spellings of one character in a JSON string, whatever `escapes` a constraint has."""

from __future__ import annotations

from functools import lru_cache
from itertools import product

__all__ = ["spellings"]

_SHORT = {"\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t", '"': '"', "\\": "\\", "/": "/"}


@lru_cache(maxsize=4096)
def spellings(character: str) -> tuple[bytes, ...]:
    """Spellings of a character in a JSON string, the unescaped one first."""
    ways = [character.encode()] if character >= " " and character not in '"\\' else []
    if character in _SHORT:
        ways.append(f"\\{_SHORT[character]}".encode())
    units = character.encode("utf-16-be").hex()
    digits = [(digit,) if digit.isdigit() else (digit, digit.upper()) for digit in units]
    for spelt in map("".join, product(*digits)):
        ways.append("".join(f"\\u{spelt[place : place + 4]}" for place in range(0, len(spelt), 4)).encode())
    return tuple(ways)
