"""Equivalence of the states of a deterministic automaton."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import chain
from random import Random
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from guidance_kit.grammars.regular.partition import bits_of

__all__ = ["equivalent_by_hashes", "equivalent_by_order", "equivalent_states", "refined"]

Label = TypeVar("Label", bound=Hashable)

_MOST_ROUNDS = 300
"""Rounds of hashing before an automaton is left to `equivalent_states`; each distinguishes states by a longer text, and
takes a hundredth of the time of that."""

_ROUNDS_PER_LOOK = 4
"""Share of the rounds so far after which it is looked at whether more states are distinguished."""

_SHIFT, _FACTOR = np.uint64(32), np.uint64(0x9E3779B97F4A7C15)


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


def equivalent_by_order(edges: Sequence[Sequence[tuple[int, int]]], endings: Sequence[Hashable]) -> list[int] | None:
    """`equivalent_states` of masks of classes of characters, each state behind those that it leads to.

    Then it is equivalent to one that ends and goes on alike, or to a next state whose own edges it goes on like.

    Args:
        edges: of each state, as disjoint masks of classes with their targets.
        endings: of each state.
    Returns:
        None if a state leads back to itself through others.
    """
    before: list[list[int]] = [[] for _ in edges]
    waiting = [0] * len(edges)
    for state, steps in enumerate(edges):
        for _, target in steps:
            if target != state:
                before[target].append(state)
                waiting[state] += 1
    block = [0] * len(edges)
    known: dict[Hashable, int] = {}
    classes: list[tuple[Hashable, dict[int, int]]] = []  # ending, and masks by next class, the same one included
    ready = [state for state, count in enumerate(waiting) if not count]
    for state in ready:  # grows meanwhile
        ending, own = endings[state], 0
        masks: dict[int, int] = {}
        for mask, target in edges[state]:
            if target == state:
                own |= mask
            else:
                number = block[target]
                masks[number] = masks.get(number, 0) | mask
        for number in masks:
            if classes[number] == (ending, masks | {number: masks[number] | own}):
                break
        else:
            number = known.setdefault((ending, own, frozenset(masks.items())), len(classes))
            if number == len(classes):
                classes.append((ending, masks | {number: own} if own else masks))
        block[state] = number
        for source in before[state]:
            waiting[source] -= 1
            if not waiting[source]:
                ready.append(source)
    return block if len(ready) == len(edges) else None


def equivalent_by_hashes(edges: Sequence[Sequence[tuple[int, int]]], endings: Sequence[int]) -> list[int] | None:
    """`equivalent_states` of masks of classes of characters, by hashes; None if it takes many rounds.

    In a round the hash of a state takes up those of its targets, each as often as there are weights of classes in its
    mask: so the hash depends on the targets of classes, not on how these are grouped. States of a class are compared at
    last, and a hash that two different ones share gives None.

    Args:
        edges: of each state, as disjoint masks of classes with their targets.
        endings: of each state, numbers that are not negative.
    """
    sources = np.zeros(len(edges) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, edges), np.int64, len(edges)), out=sources[1:])
    flat = [*chain.from_iterable(edges)]
    targets = np.array([target for _, target in flat], np.int64)
    masks = [mask for mask, _ in flat]
    weight_of = _weights({*masks})
    weights = np.array([weight_of[mask] for mask in masks], np.uint64)
    sums = np.zeros(len(flat) + 1, np.uint64)
    hashes = _mixed(np.array(endings, np.uint64) + _FACTOR)
    begins, ends = sources[:-1], sources[1:]
    count, rounds = len(set(endings)), 0
    while rounds < _MOST_ROUNDS:
        more = 1 + rounds // _ROUNDS_PER_LOOK
        for _ in range(more):
            np.cumsum(weights * hashes.take(targets), out=sums[1:])
            hashes = _mixed(hashes + (sums.take(ends) - sums.take(begins)))
        rounds += more
        ordered = np.sort(hashes)
        before, count = count, 1 + np.count_nonzero(ordered[1:] != ordered[:-1])
        if count == before:
            break
    else:
        return None
    blocks = np.unique(hashes, return_inverse=True)[1]
    found = blocks.tolist()
    return found if _is_stable(edges, endings, found, np.bincount(blocks).tolist()) else None


def _weights(masks: Iterable[int]) -> dict[int, int]:
    """Sums of pseudorandom 64-bit weights of the bits of masks."""
    weights: list[int] = []
    random = Random(0)
    found: dict[int, int] = {}
    for mask in masks:
        while len(weights) < mask.bit_length():
            weights.append(random.getrandbits(64))
        found[mask] = sum(weights[bit] for bit in bits_of(mask)) % 2**64
    return found


def _mixed(hashes: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Hashes whose bits depend on all bits of given ones."""
    hashes = (hashes ^ hashes >> _SHIFT) * _FACTOR
    return (hashes ^ hashes >> _SHIFT) * _FACTOR


def _is_stable(
    edges: Sequence[Sequence[tuple[int, int]]], endings: Sequence[int], block: list[int], sizes: list[int]
) -> bool:
    """Test whether states of the same block, of which the sizes are given, end and go on alike."""
    seen: dict[int, tuple[int, dict[int, int]]] = {}
    for state, number in enumerate(block):
        if sizes[number] > 1:
            masks: dict[int, int] = {}
            for mask, target in edges[state]:
                masks[block[target]] = masks.get(block[target], 0) | mask
            signature = endings[state], masks
            if seen.setdefault(number, signature) != signature:
                return False
    return True


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
