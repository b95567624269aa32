"""Productive rules of a grammar, in linear time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from typing import Protocol, TypeVar

__all__ = ["RuleAutomaton", "productive"]

_Key = TypeVar("_Key", bound=Hashable)
_Symbol = TypeVar("_Symbol")
_Read = TypeVar("_Read", covariant=True)


class RuleAutomaton(Protocol[_Read]):
    """Automaton of a rule over symbols; state 0 is the start."""

    @property
    def finals(self) -> Collection[int]:
        """Final states."""
        ...

    def steps(self, state: int) -> Iterable[tuple[_Read, int]]:
        """Edges of a state: (symbol, next state)."""
        ...


def productive(rules: Mapping[_Key, RuleAutomaton[_Symbol]], passes: Callable[[_Symbol], bool | _Key]) -> set[_Key]:
    """Rules that derive some text.

    Args:
        rules: by name.
        passes: for a symbol whether it has a text, or the rule on which that depends.
    """
    found: set[_Key] = set()
    seen: dict[_Key, set[int]] = {key: set() for key in rules}
    waiting: dict[_Key, list[tuple[_Key, int]]] = {}
    todo = [(key, 0) for key in rules]
    while todo:
        key, state = todo.pop()
        if key in found or state in seen[key]:
            continue
        seen[key].add(state)
        if state in rules[key].finals:
            found.add(key)
            todo += waiting.pop(key, ())
            continue
        for symbol, target in rules[key].steps(state):
            needed = passes(symbol)
            if needed is False:  # which equals the number 0
                continue
            if needed is True or needed in found:
                todo.append((key, target))
            else:
                waiting.setdefault(needed, []).append((key, target))
    return found
