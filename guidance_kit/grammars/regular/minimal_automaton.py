"""Minimal automata of expressions with few derivatives."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import or_
from typing import Protocol

from guidance_kit.errors import LimitError
from guidance_kit.fsm.network import Work
from guidance_kit.grammars.regular.charset import CharSet
from guidance_kit.grammars.regular.derivative import Derivatives
from guidance_kit.grammars.regular.equivalent_states import equivalent_by_hashes, equivalent_states
from guidance_kit.grammars.regular.expression import Expression
from guidance_kit.grammars.regular.partition import Partition
from guidance_kit.grammars.regular.product_automaton import product_automaton

__all__ = ["MinimalAutomaton", "minimal_automaton"]

_MOST_WORK = 50_000
"""Derivatives that are taken before an expression is said to have many, each counted by its parts; 50 milliseconds."""

_MOST_STEPS = 20_000
"""Steps of a product before it is said to have many states; 50 milliseconds."""

_MOST_STATES = 10_000
"""States that are made before a minimal length is said to need many."""

_LEAST_HASHED = 60
"""States from which on hashes find equivalent ones faster than refinement of blocks does."""

Edges = Sequence[Sequence[tuple[int, int]]]
"""Of each state disjoint masks of classes of characters, each with the state that they lead to."""


class MinimalAutomaton:
    """Deterministic automaton with the fewest states, without dead ones. States are numbers.

    Args:
        partition: classes of characters.
        edges: of an automaton for the same language, which begins in state 0.
        is_final: of each of its states.

    Attributes:
        root: start state; -1 if the language is empty.
        edges: of each state.
        is_final: of each state, whether a text may end there.
        least: of each state, the number of characters of a shortest text from there.
    """

    def __init__(self, partition: Partition, edges: Edges, is_final: Sequence[bool]) -> None:
        distances = _distances(edges, is_final)
        live = [state for state in range(len(edges)) if state in distances]
        numbers = {state: number for number, state in enumerate(live)}
        kept = edges
        if len(live) < len(edges):
            kept = [[(mask, numbers[target]) for mask, target in edges[state] if target in numbers] for state in live]
        endings = [distances[state] for state in live]
        blocks = equivalent_by_hashes(kept, endings) if len(live) >= _LEAST_HASHED else None
        if blocks is None:
            blocks = equivalent_states(kept, endings, _union)
        first = dict(zip(reversed(blocks), range(len(live) - 1, -1, -1), strict=True))
        members = [first[block] for block in range(len(first))]
        self._partition = partition
        self.root = blocks[0] if 0 in numbers else -1
        self.is_final = [not endings[member] for member in members]
        self.least = [endings[member] for member in members]
        self.edges: list[list[tuple[int, int]]] = []
        for member in members:
            masks: dict[int, int] = {}
            for mask, target in kept[member]:
                masks[blocks[target]] = masks.get(blocks[target], 0) | mask
            self.edges.append([(mask, target) for target, mask in masks.items()])

    def steps(self, state: int) -> list[tuple[CharSet, int]]:
        """Disjoint sets of characters that may follow a state, each with the state after it."""
        return [(self._partition.charset(mask), target) for mask, target in self.edges[state]]

    @property
    def is_padded(self) -> bool:
        """True if each text can be extended by a character: so texts of any length above its own begin as it does."""
        final = self.is_final
        return all(
            any(final[target] for _, target in edges)
            for edges, may_end in zip(self.edges, final, strict=True)
            if may_end
        )

    def of_length_from(self, minimum: int, maximum: int) -> MinimalAutomaton | None:
        """Automaton of the texts with at least so many characters; None if it has many states.

        Args:
            maximum: states from which only longer texts follow may be left out.
        """
        if self.root < 0 or self.least[self.root] >= minimum:
            return self
        numbers = {(self.root, 0): 0}
        edges: list[list[tuple[int, int]]] = []
        for state, count in (order := [*numbers]):  # grows meanwhile
            found: list[tuple[int, int]] = []
            following = min(count + 1, minimum)
            for mask, target in self.edges[state]:
                if following + self.least[target] > maximum:
                    continue
                place = target, following
                number = numbers.get(place)
                if number is None:
                    number = numbers[place] = len(order)
                    order.append(place)
                found.append((mask, number))
            edges.append(found)
            if len(order) > _MOST_STATES:
                return None
        is_final = [count == minimum and self.is_final[state] for state, count in order]
        return MinimalAutomaton(self._partition, edges, is_final)


class _Automaton(Protocol):
    """Lazy automaton, as `Derivatives` and `ProductAutomaton` are."""

    root: int
    work: Work | None

    def steps(self, state: int, /) -> Sequence[tuple[int, int]]:
        """Disjoint masks of classes of characters, each with the state that they lead to."""
        ...

    def is_final(self, state: int, /) -> bool:
        """Test whether a text may end in a state."""
        ...


def minimal_automaton(
    expression: Expression, most_steps: int = _MOST_STEPS, most_work: int = _MOST_WORK
) -> MinimalAutomaton | None:
    """Minimal automaton of an expression; None if that has many states.

    Args:
        expression: the expression.
        most_steps: steps of a product that are taken.
        most_work: derivatives that are taken if there is no product, or a large one; each is counted by its parts.
    """
    product = product_automaton(expression, minimal_automaton)
    found = None if product is None else _automaton_of(product, product.partition, Work(most_steps))
    if found is None:
        derivatives = Derivatives(expression)
        found = _automaton_of(derivatives, derivatives.partition, Work(most_work))
    return found


def _automaton_of(automaton: _Automaton, partition: Partition, work: Work) -> MinimalAutomaton | None:
    """Minimal automaton of a lazy one; None if `work` does not suffice for all states of that."""
    numbers = {automaton.root: 0}
    edges: list[list[tuple[int, int]]] = []
    automaton.work = work
    try:
        for state in (order := [*numbers]):  # grows meanwhile
            edges.append([])
            for mask, following in automaton.steps(state):
                if following not in numbers:
                    numbers[following] = len(order)
                    order.append(following)
                edges[-1].append((mask, numbers[following]))
    except LimitError:
        return None
    finally:
        automaton.work = None
    return MinimalAutomaton(partition, edges, [*map(automaton.is_final, order)])


def _distances(edges: Edges, is_final: Sequence[bool]) -> dict[int, int]:
    """Numbers of characters from each live state to the end of a shortest text."""
    before: list[list[int]] = [[] for _ in edges]
    for state, steps in enumerate(edges):
        for _, target in steps:
            before[target].append(state)
    ends = [state for state, may_end in enumerate(is_final) if may_end]
    distances = dict.fromkeys(ends, 0)
    for state in ends:  # grows meanwhile
        for earlier in before[state]:
            if earlier not in distances:
                distances[earlier] = distances[state] + 1
                ends.append(earlier)
    return distances


def _union(masks: Iterable[int]) -> int:
    return reduce(or_, masks)
