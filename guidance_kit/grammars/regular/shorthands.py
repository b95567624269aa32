r"""Shorthands of a pattern, `\d`, `\w` and `\s`, that match characters beyond ASCII."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from guidance_kit.grammars.regular import charset
from guidance_kit.grammars.regular.parse import TreeReader, combined_flags, read_tree

__all__ = ["PatternReport", "Shorthand", "wide_shorthands"]


class Shorthand(NamedTuple):
    """A shorthand in a pattern.

    Attributes:
        name: its spelling.
        beyond_ascii: number of characters beyond ASCII that it matches.
        ascii: a class of the others.
    """

    name: str
    beyond_ascii: int
    ascii: str

    def __str__(self) -> str:
        kind = _KINDS[self.name]
        return (
            f"{self.name} also matches {self.beyond_ascii:,} {kind} beyond ASCII; write {self.ascii} for those of "
            "ASCII alone"
        )


_KINDS = {r"\d": "digits of other scripts", r"\w": "letters, digits and marks of other scripts", r"\s": "blanks"}

_NAMES = {
    "CATEGORY_DIGIT": (r"\d", "[0-9]", charset.digits),
    "CATEGORY_WORD": (r"\w", "[A-Za-z0-9_]", charset.words),
    "CATEGORY_SPACE": (r"\s", r"[ \t\n\r\f\v]", charset.spaces),
}


class PatternReport:
    """Remarks on a valid pattern of `re`, computed on access.

    Args:
        pattern, flags: the pattern.
    """

    def __init__(self, pattern: str, flags: int) -> None:
        self._pattern, self._flags = pattern, flags

    @property
    def shorthands(self) -> tuple[Shorthand, ...]:
        r"""Shorthands that match characters beyond ASCII, each once; none with `re.ASCII`."""
        return wide_shorthands(self._pattern, self._flags)


def wide_shorthands(pattern: str, flags: int = 0) -> tuple[Shorthand, ...]:
    r"""The shorthands `\d`, `\w` and `\s` of a pattern, each once, unless they are restricted to ASCII.

    Negated ones, and those in negated classes or negative lookarounds, are left out, as they exclude characters.

    Raises what `parse` raises.
    """

    def read(_: TreeReader, tree: Any, all_flags: int) -> frozenset[str]:
        return frozenset(_wide(tree, all_flags))

    found = read_tree(pattern, flags, read)
    return tuple(
        Shorthand(name, len(members().beyond_ascii), ascii_class)
        for key, (name, ascii_class, members) in _NAMES.items()
        if key in found
    )


def _wide(tree: Iterable[tuple[Any, Any]], flags: int) -> Iterator[str]:
    """The categories in a parse tree of `re`, without those of ASCII."""
    todo: list[tuple[Any, int]] = [(tree, flags)]
    while todo:
        nodes, here = todo.pop()
        for kind, value in nodes:
            name = str(kind)
            if name == "IN":
                if str(value[0][0]) != "NEGATE" and here & re.UNICODE:
                    yield from (str(one) for inner, one in value if str(inner) == "CATEGORY" and str(one) in _NAMES)
            elif name == "SUBPATTERN":
                _, added, removed, body = value
                todo.append((body, combined_flags(here, added, removed)))
            elif name == "BRANCH":
                todo += [(body, here) for body in value[1]]
            elif name == "ASSERT":
                todo.append((value[1], here))
            elif name == "ATOMIC_GROUP":
                todo.append((value, here))
            elif name.endswith("_REPEAT"):
                todo.append((value[2], here))
