"""Productive rules, found in time proportional to the size of the grammar."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from typing import Protocol, TypeVar

__all__ = ["RuleAutomaton", "finishable"]

_Key = TypeVar("_Key", bound=Hashable)
_Symbol = TypeVar("_Symbol")
_Read = TypeVar("_Read", covariant=True)


class RuleAutomaton(Protocol[_Read]):
    """An automaton over symbols that starts in state 0."""

    @property
    def finals(self) -> Collection[int]:
        """The states in which it may end."""
        ...

    def steps(self, state: int) -> Iterable[tuple[_Read, int]]:
        """Of a state, (symbol, next state)."""
        ...


def finishable(rules: Mapping[_Key, RuleAutomaton[_Symbol]], passes: Callable[[_Symbol], bool | _Key]) -> set[_Key]:
    """The rules that lead from their start to an end.

    Args:
        rules: by name.
        passes: for a symbol, whether one gets past it, or the rule that must be finished for that.
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
            if needed is True or needed in found:
                todo.append((key, target))
            elif needed is not False:
                waiting.setdefault(needed, []).append((key, target))
    return found
