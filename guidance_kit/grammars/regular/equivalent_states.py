"""Equivalence of the states of a deterministic automaton."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

__all__ = ["equivalent_states", "refined"]

Label = TypeVar("Label", bound=Hashable)


def equivalent_states(
    edges: Sequence[Sequence[tuple[Label, int]]],
    endings: Sequence[Hashable],
    union: Callable[[Iterable[Label]], Label],
) -> list[int]:
    """Number of the equivalence class of each state.

    Partition refinement by the predecessors of blocks (Hopcroft 1971). Of the parts of a split block the largest need
    not split others again, as the predecessors of the whole are known: so each edge is processed a logarithmic number
    of times.

    Args:
        edges: of each state, as disjoint sets of characters with their targets.
        endings: of each state; states with different ones are not equivalent.
        union: of sets of characters.
    """
    before: list[list[tuple[int, Label]]] = [[] for _ in edges]
    for state, steps in enumerate(edges):
        for label, target in steps:
            before[target].append((state, label))
    numbers: dict[Hashable, int] = {}
    block = [numbers.setdefault(ending, len(numbers)) for ending in endings]
    members: list[set[int]] = [set() for _ in numbers]
    for state, number in enumerate(block):
        members[number].add(state)
    todo = set(range(len(members)))
    while todo:
        into: dict[int, list[Label]] = {}
        for target in members[todo.pop()]:
            for state, label in before[target]:
                into.setdefault(state, []).append(label)
        parts: dict[int, dict[Label, set[int]]] = {}
        for state, labels in into.items():
            label = labels[0] if len(labels) == 1 else union(labels)
            parts.setdefault(block[state], {}).setdefault(label, set()).add(state)
        for number, found in parts.items():
            if len(found) == 1 and len(members[number]) == sum(map(len, found.values())):
                continue  # all of the block go on alike
            for piece in _all_but_largest(list(found.values()), members[number]):
                members[number] -= piece
                for state in piece:
                    block[state] = len(members)
                todo.add(len(members))
                members.append(piece)
    return block


def refined(classes: Iterable[Sequence[int]], targets: Sequence[Sequence[int]]) -> list[int]:
    """Coarsest refinement of a partition in which the states of a class lead to the same classes (Moore 1956).

    For small automata it is faster than `equivalent_states`.

    Args:
        classes: the states of each class.
        targets: next states of each state; states of a class have as many, in the same order. A state alone in its
            class needs none.
    Returns:
        Number of the class of each state.
    """
    block = [0] * len(targets)
    todo: list[Sequence[int]] = []
    count = 0
    for members in classes:
        for state in members:
            block[state] = count
        count += 1
        if len(members) > 1:
            todo.append(members)
    is_stable = False
    while not is_stable:
        is_stable = True
        left: list[Sequence[int]] = []
        for members in todo:
            parts: dict[Hashable, list[int]] = {}
            for state in members:
                parts.setdefault(tuple([block[target] for target in targets[state]]), []).append(state)
            if len(parts) > 1:
                is_stable = False
                for part in parts.values():
                    for state in part:
                        block[state] = count
                    count += 1
            left += [part for part in parts.values() if len(part) > 1]
        todo = left
    return block


def _all_but_largest(parts: list[set[int]], whole: set[int]) -> list[set[int]]:
    """Disjoint parts of a set and its rest, without the largest of these and without empty ones."""
    left = len(whole) - sum(map(len, parts))
    largest = max(parts, key=len)
    if left >= len(largest):
        return parts
    others = [part for part in parts if part is not largest]
    return [*others, whole.difference(*parts)] if left else others
