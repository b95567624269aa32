"""Lowering of expressions with derivatives: automata as network rules, built on first use.

Where the characters of a bounded text can be counted (see `bounded_length`), that is done in the stack frame
(`Network.counted`), and the states are the derivatives of the pattern alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from functools import cached_property

from guidance_kit.errors import LimitError, UnsatisfiableError
from guidance_kit.fsm.network import Network, Work
from guidance_kit.grammars.regular.bounded_length import CountedLanguage, counted_language, outside_of_bounds
from guidance_kit.grammars.regular.derivative import Derivatives
from guidance_kit.grammars.regular.encoding import Encoding, SharedPaths
from guidance_kit.grammars.regular.expression import Expression
from guidance_kit.grammars.regular.liveness import Liveness
from guidance_kit.grammars.regular.lower import declare_plain
from guidance_kit.grammars.regular.minimal_automaton import minimal_automaton
from guidance_kit.grammars.regular.nodes import WHERE
from guidance_kit.grammars.regular.position_sets import END, PositionSets
from guidance_kit.grammars.regular.product_automaton import ProductAutomaton, is_plain_combination, product_automaton

__all__ = ["declare_derived"]

_EAGER = 4
"""States that are built at once with a rule."""

_EAGER_POSITIONS = 32
"""The same of states of a nondeterministic automaton, at first: four times as many whenever they do not suffice."""

_MOST_EAGER_POSITIONS = 256
"""Greatest number of these."""

_EAGER_IN_CONSTANTS = 500
"""The same in a rule that is kept for other networks, which is possible if all its states are there."""

_MOST_STEPS = 2_000
"""Steps of a product that are taken to find a text that follows a state, before derivatives are; 5 milliseconds."""

_END_STATE = ~0
"""The state of sets of positions that have the empty text alone."""


def declare_derived(
    network: Network, expression: Expression, encoding: Encoding, *, name: str = "", searched: Liveness | None = None
) -> int:
    """Declare a rule with the texts of an expression; its derivatives are built on first use.

    Args:
        searched: derivatives of the expression that were searched for a text, for this rule alone to go on with.
    Returns:
        The number of the rule.
    Raises:
        UnsatisfiableError: there is no such text.
        LimitError: the search for one takes too long.
    """
    outside = outside_of_bounds(expression)
    if outside is not None:
        return declare_plain(network, outside, encoding, name=name)
    counted = counted_language(expression)
    if counted is not None:
        if counted.least(counted.root) > counted.maximum:
            raise UnsatisfiableError("no text matches", where=name)
        writer = _CountingWriter(counted, network, encoding, name)
        root = counted.root
        return network.counted(
            lambda: writer.build(root), counted.maximum, counted.slack, nullable=counted.is_final(root), name=name
        )
    product = product_automaton(expression, minimal_automaton) if is_plain_combination(expression) else None
    if product is not None and not product.has_counter:
        writer = _ProductWriter(product, expression, network, encoding, name)
        if not writer.is_live(product.root):
            raise UnsatisfiableError("no text matches", where=name)
        return writer.rule(product.root)
    liveness = searched or Liveness(Derivatives(expression))
    root = liveness.derivatives.root
    if not liveness.is_live(root):
        raise UnsatisfiableError("no text matches", where=name)
    return _DerivativeWriter(liveness, network, encoding, name).rule(root)


class _AutomatonWriter(ABC):
    """Writer of one automaton, whose states are numbers, into one network in one encoding."""

    def __init__(self, network: Network, encoding: Encoding, name: str) -> None:
        self.network = network
        self.encoding = encoding
        self.name = name
        self._paths = SharedPaths(network, encoding)
        self._end = -1
        self._rules: dict[int, int] = {}
        self._states: dict[int, int] = {}  # of the network, of states that have all their edges
        self._fresh: dict[int, int] = {}  # the same of states that are being made
        self._todo: deque[int] = deque()
        self._eager = [0, 0]  # how many more nonnegative and negative states are to be made now
        self._eager_positions = _MOST_EAGER_POSITIONS if network.is_constant else _EAGER_POSITIONS
        self._stubs: dict[int, int] = {}  # states of the network that lead to the rule of a state

    @abstractmethod
    def _is_final(self, state: int) -> bool:
        """Test whether a text may end in a state."""

    @abstractmethod
    def _add_steps(self, source: int, state: int) -> None:
        """Add paths from `source` that read the characters that can follow a state."""

    def _is_free(self, _state: int) -> bool:
        """Test for states from which all texts of the slice can be read; one may be missed."""
        return False

    def rule(self, state: int, *, is_free: bool = False) -> int:
        """The rule of a state, declared; `is_free` promises what that of `Network.rule` does."""
        number = self._rules.get(state)
        if number is None:
            nullable = self._is_final(state)
            number = self.network.rule(lambda: self.build(state), nullable=nullable, is_free=is_free, name=self.name)
            self._rules[state] = number
        return number

    def build(self, state: int) -> int:
        """The network's state of a state, made together with those of some that follow."""
        if state not in self._states:
            self._fresh = {state: self.network.state()}
            eager = _EAGER_IN_CONSTANTS if self.network.is_constant else _EAGER
            self._eager = [eager - 1, self._eager_positions]
            self._todo = deque([state])
            while self._todo:
                here = self._todo.popleft()
                if self._is_final(here):
                    self.network.final(self._fresh[here])
                self._add_steps(self._fresh[here], here)
            self._states |= self._fresh
            if self._eager[True] == 0:
                self._eager_positions = min(4 * self._eager_positions, _MOST_EAGER_POSITIONS)
        return self._states[state]

    def _known_place(self, state: int) -> int:
        """Network state of a state; -1 if there is none yet."""
        return self._fresh.get(state, self._states.get(state, -1))

    def _new_place(self, state: int) -> int:
        """A network state to be made now, or one that leads to the rule of a state."""
        if self._eager[state < 0] == 0:
            return self._stub(state)
        self._eager[state < 0] -= 1
        place = self._fresh[state] = self.network.state()
        self._todo.append(state)
        return place

    def _stub(self, state: int) -> int:
        stub = self._stubs.get(state, -1)
        if stub < 0:
            is_free = self.encoding.writes_slice and self._is_free(state)
            rule, stub = self.rule(state, is_free=is_free), self.network.state()
            self.network.jump(stub, rule)
            self._stubs[state] = stub
        return stub

    def _the_end(self) -> int:
        """Final state without edges."""
        if self._end < 0:
            end = self.network.state()
            self.network.final(end)
            self._end = end
        return self._end


class _DerivativeWriter(_AutomatonWriter):
    """Writer of the automaton of derivatives of an expression; derivatives without conditions become plain rules."""

    def __init__(self, liveness: Liveness, network: Network, encoding: Encoding, name: str) -> None:
        super().__init__(network, encoding, name)
        self._derivatives = liveness.derivatives
        self._liveness = liveness
        self._nodes = liveness.derivatives.nodes

    def build(self, state: int) -> int:
        self._derivatives.work = self.network.work
        return super().build(state)

    def _is_final(self, state: int) -> bool:
        return self._nodes.accepts_end(state)

    def _add_steps(self, source: int, state: int) -> None:
        for mask, following in self._derivatives.steps(state):
            if self._liveness.is_live(following):
                self._paths.add(source, self._nodes.partition.charset(mask), self._place(following))

    def _place(self, node: int) -> int:
        """Network state from which the texts of a node are read."""
        place = self._known_place(node)
        if place >= 0:
            return place
        if node == self._nodes.epsilon:
            return self._the_end()
        if not self._nodes.is_plain[node]:
            return self._new_place(node)
        if node not in self._rules:
            expression = self._nodes.expression(node)
            self._rules[node] = declare_plain(self.network, expression, self.encoding, name=self.name)
        return self._stub(node)


class _ProductWriter(_AutomatonWriter):
    """Writer of a product of sets of positions.

    Where plain expressions are left of which any one suffices, their sets of positions are states, negative ones, of a
    nondeterministic automaton, which is far smaller.
    """

    def __init__(
        self, product: ProductAutomaton, expression: Expression, network: Network, encoding: Encoding, name: str
    ) -> None:
        super().__init__(network, encoding, name)
        self._product = product
        self._expression = expression
        self._numbers: dict[tuple[tuple[PositionSets, int], ...], int] = {}  # of sets of positions
        self._alone: dict[PositionSets, dict[int, int]] = {}  # the same of one set, by its automaton
        self._positions: list[tuple[tuple[PositionSets, int], ...]] = [()]  # the same, in that order
        self._live: dict[int, bool] = {}
        self._needed: dict[int, int | None] = {}  # of states of the product, that which is written; None: it is dead

    def build(self, state: int) -> int:
        self._product.work = self.network.work
        return super().build(state)

    def is_live(self, state: int) -> bool:
        """Test whether some text follows a state."""
        found = self._live.get(state)
        if found is None:
            found = self._live[state] = self._product.is_surely_live(state) or self._has_text(state)
        return found

    def _has_text(self, state: int) -> bool:
        """`is_live` by a search."""
        product, outer = self._product, self._product.work
        product.work = work = Work(_MOST_STEPS)
        try:
            return product.is_live(state)
        except LimitError:
            self._derivatives.work = outer
            return self._liveness.is_live(self._derivatives.path(product.text(state))[-1])
        finally:
            product.work = outer
            if outer is not None:
                outer.spend(min(work.limit - work.left, _MOST_STEPS), WHERE)

    @cached_property
    def _derivatives(self) -> Derivatives:
        return Derivatives(self._expression)

    @cached_property
    def _liveness(self) -> Liveness:
        return Liveness(self._derivatives)

    def _is_final(self, state: int) -> bool:
        if state >= 0:
            return self._product.is_final(state)
        return any(part.is_final(positions) for part, positions in self._positions[~state])

    def _is_free(self, state: int) -> bool:
        if state >= 0:
            return self._product.is_free(state)
        return any(self._product.is_free_part(part, positions) for part, positions in self._positions[~state])

    def _add_steps(self, source: int, state: int) -> None:
        if state < 0:
            for part, positions in self._positions[~state]:
                charset, numbers = part.letters.charset, self._alone.setdefault(part, {})
                for mask, following in part.ways(positions):
                    number = numbers.get(following)
                    if number is None:
                        number = numbers[following] = self._number(((part, following),))
                    self._paths.add(source, charset(mask), self._place(number))
            return
        charset, needed = self._product.partition.charset, self._needed
        for mask, following in self._product.steps(state):
            if following not in needed:
                needed[following] = self._written_for(following)
            written = needed[following]
            if written is not None:
                self._paths.add(source, charset(mask), self._place(written))

    def _written_for(self, state: int) -> int | None:
        """State to be written where the texts of a state of the product follow; None if there are none."""
        plain = self._product.plain_parts(state)
        if plain:
            return self._number(plain)
        return state if self.is_live(state) else None

    def _place(self, state: int) -> int:
        """Network state from which the texts of a state are read."""
        place = self._known_place(state)
        return place if place >= 0 else self._the_end() if state == _END_STATE else self._new_place(state)

    def _number(self, sets: tuple[tuple[PositionSets, int], ...]) -> int:
        """The state of sets of positions of expressions."""
        if all(positions == END for _, positions in sets):
            return _END_STATE
        number = self._numbers.get(sets)
        if number is None:
            number = self._numbers[sets] = ~len(self._positions)
            self._positions.append(sets)
        return number


class _CountingWriter(_AutomatonWriter):
    """Writer of a counted rule, in which each character is a turn."""

    def __init__(self, counted: CountedLanguage, network: Network, encoding: Encoding, name: str) -> None:
        super().__init__(network, encoding, name)
        self._counted = counted
        self._turns: dict[int, int] = {}  # network states that end a turn and go on at a state

    def build(self, state: int) -> int:
        try:
            return super().build(state)
        except BaseException:
            self._turns.clear()  # they may lead to states that will not be finished
            raise

    def _is_final(self, state: int) -> bool:
        return self._counted.is_final(state)

    def _add_steps(self, source: int, state: int) -> None:
        gates: dict[int, int] = {}  # network states where so many more characters are within the maximum
        for charset, following in self._counted.steps(state):
            needed = 1 + self._counted.least(following)
            gate = gates.get(needed, -1)
            if gate < 0:
                gate = gates[needed] = self.network.state()
                self.network.within(source, needed, gate)
            self._paths.add(gate, charset, self._turn(following))

    def _turn(self, state: int) -> int:
        turn = self._turns.get(state, -1)
        if turn < 0:
            place = self._known_place(state)
            if place < 0:
                place = self._the_end() if state == self._counted.end else self._new_place(state)
            turn = self.network.state()
            self.network.turn(turn, place)
            self._turns[state] = turn
        return turn
