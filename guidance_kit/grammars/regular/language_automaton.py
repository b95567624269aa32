"""Automata of languages about which several questions are asked, shared by the constraints of a process."""

from __future__ import annotations

from itertools import product

from guidance_kit.fsm.caches import BoundedCache, ForkSafeLock, caches, in_child
from guidance_kit.fsm.network import Work
from guidance_kit.grammars.regular.charset import CharSet
from guidance_kit.grammars.regular.derivative import Derivatives
from guidance_kit.grammars.regular.expression import Expression, intersect
from guidance_kit.grammars.regular.liveness import Liveness
from guidance_kit.grammars.regular.minimal_automaton import MinimalAutomaton, minimal_automaton
from guidance_kit.grammars.regular.text_counts import TextCounts

__all__ = ["LanguageAutomaton", "are_disjoint", "language_automaton"]

_MOST_PAIRS = 200
"""Pairs of states searched by `are_disjoint` before a conjunction is made."""

_MOST_DERIVATIVES = 5_000
"""Derivatives that are taken before a language is said to have many, each counted by its parts; 5 milliseconds."""

_MOST_STEPS = 2_000
"""Steps of a product after which the derivatives are taken; 5 milliseconds."""

_BYTES_PER_STATE = 1_000
"""Approximate memory of a state with its derivatives."""

_MOST_STATES = 50_000
"""States from which on an automaton is replaced by a new one."""


class LanguageAutomaton:
    """Automaton of an expression, built as far as it is asked for. It may be used by several threads."""

    def __init__(self, expression: Expression) -> None:
        self._lock = ForkSafeLock()
        self._expression = expression
        self._derivatives = Derivatives(expression)
        self._counts = TextCounts(self._derivatives, Liveness(self._derivatives))
        self._minimal: tuple[MinimalAutomaton | None] | None = None

    @property
    def root(self) -> int:
        """Start state."""
        return self._derivatives.root

    @property
    def states(self) -> int:
        """Number of states so far."""
        return self._derivatives.size

    def contains(self, text: str) -> bool:
        """Test whether a text belongs to the language, in steps that grow with its length."""
        with self._lock:
            return self._derivatives.contains(text)

    def has_more(self, number: int, work: Work | None = None) -> bool:
        """Test whether there are more texts than `number`, within a budget of derivatives if `work` is given.

        Raises:
            LimitError: the search takes too many derivatives.
        """
        with self._lock:
            self._derivatives.work = work
            try:
                return self._counts.up_to(self.root, number + 1) > number
            finally:
                self._derivatives.work = None

    def minimal(self) -> MinimalAutomaton | None:
        """The minimal automaton; None if the language has many derivatives."""
        with self._lock:
            if self._minimal is None:
                self._minimal = (minimal_automaton(self._expression, _MOST_STEPS, _MOST_DERIVATIVES),)
            return self._minimal[0]

    def steps(self, state: int) -> list[tuple[CharSet, int]]:
        """Disjoint sets of characters, each with the state that they lead to; dead ones may be among them."""
        with self._lock:
            charset = self._derivatives.nodes.partition.charset
            return [(charset(mask), following) for mask, following in self._derivatives.steps(state)]

    def is_final(self, state: int) -> bool:
        """Test whether a text may end in a state."""
        with self._lock:
            return self._derivatives.nodes.accepts_end(state)

    def counts_along(self, text: str, most: int) -> list[int]:
        """See `TextCounts.along`."""
        with self._lock:
            return self._counts.along(text, most)


_AUTOMATA: BoundedCache[Expression, LanguageAutomaton] = caches.register(
    "languages",
    BoundedCache(
        512, 16 * 2**20, lambda found: found.states * _BYTES_PER_STATE, lambda found: found.states > _MOST_STATES
    ),
)
in_child(_AUTOMATA.clear)  # another thread of the parent may have been at work on one


def language_automaton(expression: Expression) -> LanguageAutomaton:
    """Automaton of an expression; the most recently used ones are kept, by the identity of expressions."""
    return _AUTOMATA.get(expression, lambda: LanguageAutomaton(expression))


def are_disjoint(first: Expression, second: Expression, work: Work | None = None) -> bool:
    """Test whether no text belongs to both of two expressions, within a budget of derivatives if `work` is given.

    A few pairs of states of the two automata mostly decide; else the conjunction is searched, in a better order.

    Raises:
        LimitError: the search takes too many derivatives.
    """
    one, other = language_automaton(first), language_automaton(second)
    todo = [(one.root, other.root)]
    seen = set(todo)
    while todo and len(seen) <= _MOST_PAIRS:
        here, there = todo.pop()
        if one.is_final(here) and other.is_final(there):
            return False
        ways = product(one.steps(here), other.steps(there))
        following = {(a, b) for (left, a), (right, b) in ways if left & right}
        todo += following - seen
        seen |= following
    return not todo or not LanguageAutomaton(intersect(first, second)).has_more(0, work)
