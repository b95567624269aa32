"""Template of a rule: its states, written once, to be copied for each condition that may be pending behind it."""

from __future__ import annotations

from array import array

from guidance_kit.fsm.kernels.columns import FLAT, width
from guidance_kit.fsm.network import Network
from guidance_kit.fsm.opcodes import CALL
from guidance_kit.grammars.context_free.condition_product import ProductRule
from guidance_kit.grammars.context_free.lexeme import Lexeme

__all__ = ["Pieces", "RuleTemplate"]

Pieces = tuple[tuple[Lexeme, int], ...]
"""Terminals, each with the state of a rule behind it."""

_WIDTH = width(FLAT)


class _Copy:
    """States that have been copied for a condition behind the rule.

    Attributes:
        is_used: for each state of the rule whether the rule can end from there under the condition.
        numbers: for each state of the draft its number in the network; -1 of one that is not used.
        edges, alike: sizes of what has been copied of `Network.flat` and `Network.alike`.
    """

    __slots__ = ("alike", "edges", "is_used", "numbers")

    def __init__(self) -> None:
        self.is_used: list[bool] = []
        self.numbers: list[int] = []
        self.edges = self.alike = 0


class RuleTemplate:
    """States of a rule under all conditions, in a network of its own: the draft. It grows with its start states.

    Rules behind which other conditions are pending differ in their final states, and in those that lead to no end.
    What they read and call is the same: the calls in the draft are of rules of the network that it is copied into.

    Attributes:
        rule: the automaton of the rule.
        draft: the states, without final ones.
        states: number in the draft of each state of the rule.
        starts: state of the rule at its start, by the condition before it.
        first: for terminals that have been written, their first edges as in `Network.flat`, and promises about slices.
    """

    def __init__(self) -> None:
        self.rule = ProductRule()
        self.draft = Network()
        self.states: list[int] = []
        self.starts: dict[int, int] = {}
        self.first: dict[Pieces, tuple[array[int], list[int]]] = {}
        self._leads_to = array("i")  # of each state of the draft, the next state of the rule
        self._copies: dict[int, _Copy] = {}

    def add_states(self) -> range:
        """Add those states of the rule to the draft that are new, without edges; return them."""
        first, count = len(self.states), len(self.rule.edges)
        self.states += self.draft.states(count - first)
        self._leads_to.extend(range(first, count))
        return range(first, count)

    def note(self, state: int) -> None:
        """Note that the states that were written into the draft last lead to a state of the rule."""
        self._leads_to.extend([state] * (self.draft.size - len(self._leads_to)))

    def copied(self, network: Network, behind: int) -> list[int]:
        """Copy what was written since the last time for a condition behind the rule.

        Returns:
            For each state of the draft its number in the network.
        """
        copy = self._copies.get(behind)
        if copy is None:
            copy = self._copies[behind] = _Copy()
        numbers = copy.numbers
        if len(numbers) == self.draft.size:
            return numbers
        first = len(copy.is_used)
        is_used = copy.is_used + [bool(exits >> behind & 1) for exits in self.rule.exits[first:]]
        are_used = [is_used[state] for state in self._leads_to[len(numbers) :]]
        following = network.states(sum(are_used)).start
        for one in are_used:
            numbers.append(following if one else -1)
            following += one
        copy.is_used = is_used
        edges: list[int] = []
        for source, op, target, after in zip(*[iter(self.draft.flat[copy.edges :])] * _WIDTH, strict=True):
            if op == CALL:
                following = after = numbers[after]
            else:  # a byte, or nothing
                following = target = numbers[target]
            if following >= 0 and numbers[source] >= 0:
                edges += numbers[source], op, target, after
        network.flat.extend(edges)
        for state, end in enumerate(self.rule.ends[first:], first):
            if end == behind:
                network.final(numbers[self.states[state]])
        told = iter(self.draft.alike[copy.alike :])
        for state, slices in zip(told, told, strict=True):
            if numbers[state] >= 0:
                network.treats_alike(numbers[state], slices)
        copy.edges, copy.alike = len(self.draft.flat), len(self.draft.alike)
        return numbers
