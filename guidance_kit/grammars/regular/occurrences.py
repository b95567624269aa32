"""Texts by the first place at which some strings stand in them, as automata of Aho and Corasick.

The states are the beginnings of the strings: a text is in that of the longest one with which it ends. So they are no
more than the strings have characters, and a state has an edge of its own only for characters that lead on in a string.
Derivatives of the same languages are sets of beginnings, which cost their size at each character.
(A. V. Aho and M. J. Corasick, Commun. ACM 18, 1975.)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from guidance_kit.errors import UnsatisfiableError
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.regular.charset import ALL, CharSet
from guidance_kit.grammars.regular.encoding import UTF8, Encoding

__all__ = ["declare_ending", "declare_without"]

_AT_ONCE = 16
"""States that are written when a rule is built."""


def declare_ending(
    network: Network, ends: Iterable[str], stops: Iterable[str], encoding: Encoding = UTF8, *, name: str = ""
) -> int:
    """Declare a rule with the texts that end with one of some strings, none of others being complete before.

    Args:
        ends: not empty, nor is any of them.
        stops: none is empty. Where one is complete, the text ends with a string of `ends` that is complete there, too.
    Returns:
        The number of the rule.
    Raises:
        UnsatisfiableError: there is no such text, as within each of `ends` another string is complete.
    """
    ends = tuple(ends)
    found = _Occurrences({*ends, *stops})
    closing = found.states_with(ends)
    if all(found.is_interrupted(end) for end in ends):
        raise UnsatisfiableError("no text matches", where=name)
    return _Writer(found, closing, network, encoding, name).rule(0)


def declare_without(network: Network, stops: Iterable[str], encoding: Encoding = UTF8, *, name: str = "") -> int:
    """Declare a rule with the texts in which none of some strings stands; none of them is empty."""
    return _Writer(_Occurrences(stops), None, network, encoding, name).rule(0)


class _Occurrences:
    """The automaton that finds some strings.

    Attributes:
        is_hit: of each state, whether one of the strings is complete; state 0 is the start.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._children: list[dict[str, int]] = [{}]
        self._shorter = [0]  # the state of the longest beginning of a string with which one ends, other than itself
        self.is_hit = [False]
        for word in words:
            self.is_hit[self._added(word)] = True
        todo = deque(self._children[0].values())
        while todo:
            state = todo.popleft()
            for letter, longer in self._children[state].items():
                shorter = self._shorter[state]
                while shorter and letter not in self._children[shorter]:
                    shorter = self._shorter[shorter]
                self._shorter[longer] = self._children[shorter].get(letter, 0)
                self.is_hit[longer] |= self.is_hit[self._shorter[longer]]
                todo.append(longer)
        self._steps: dict[int, dict[str, int]] = {0: self._children[0]}

    def _added(self, word: str) -> int:
        state = 0
        for letter in word:
            following = self._children[state].get(letter)
            if following is None:
                following = self._children[state][letter] = len(self._children)
                self._children.append({})
                self._shorter.append(0)
                self.is_hit.append(False)
            state = following
        return state

    def steps(self, state: int) -> dict[str, int]:
        """The states to which characters lead; all others lead to the start."""
        path = []
        while state not in self._steps:
            path.append(state)
            state = self._shorter[state]
        steps = self._steps[state]
        for longer in reversed(path):
            steps = self._steps[longer] = {**steps, **self._children[longer]}
        return steps

    def states_with(self, words: Iterable[str]) -> set[int]:
        """The states in which one of some of the strings is complete."""
        own = {self._added(word) for word in words}
        found: set[int] = set()
        for state in self._in_order():
            if state in own or self._shorter[state] in found:
                found.add(state)
        return found

    def _in_order(self) -> list[int]:
        """The states, shorter beginnings first."""
        states = [0]
        for state in states:  # grows meanwhile
            states += self._children[state].values()
        return states

    def is_interrupted(self, word: str) -> bool:
        """Test for a string of the set that ends inside `word`, before its last letter."""
        state = 0
        for letter in word[:-1]:
            state = self._children[state][letter]
            if self.is_hit[state]:
                return True
        return False


class _Writer:
    """Writes an automaton into a network; states are built where texts lead to them.

    Args:
        closing: the states in which a text ends; None if it may end in all states in which no string is complete.
    """

    def __init__(
        self, found: _Occurrences, closing: set[int] | None, network: Network, encoding: Encoding, name: str
    ) -> None:
        self._found = found
        self._closing = closing
        self._network = network
        self._encoding = encoding
        self._name = name
        self._rules: dict[int, int] = {}
        self._states: dict[int, int] = {}
        self._stubs: dict[int, int] = {}
        self._end = -1

    def rule(self, state: int) -> int:
        """The rule of what can be read from a state, declared."""
        number = self._rules.get(state)
        if number is None:
            is_nullable = self._closing is None
            number = self._network.rule(lambda: self._build(state), nullable=is_nullable, name=self._name)
            self._rules[state] = number
        return number

    def _build(self, state: int) -> int:
        """The state of the network for a state, made together with those of some that follow."""
        if state not in self._states:
            fresh = {state: self._network.state()}
            todo = deque([state])
            while todo:
                self._write(todo.popleft(), fresh, todo)
            self._states |= fresh
        return self._states[state]

    def _write(self, state: int, fresh: dict[int, int], todo: deque[int]) -> None:
        """Write the edges of one of the states of a rule, and plan others that they lead to."""
        network, source = self._network, fresh[state]
        if self._closing is None:
            network.final(source)
        steps = self._found.steps(state)
        letters: dict[int, list[str]] = {}
        for letter, following in steps.items():
            letters.setdefault(following, []).append(letter)
        chars = {following: CharSet.characters(those) for following, those in letters.items()}
        chars[0] = ALL - CharSet.characters(steps)
        for following, those in chars.items():
            if self._closing is not None and following in self._closing:
                self._encoding.add(network, source, those, self._the_end())
            elif not self._found.is_hit[following]:
                self._encoding.add(network, source, those, self._place(following, fresh, todo))

    def _place(self, state: int, fresh: dict[int, int], todo: deque[int]) -> int:
        """The state of the network for a state: one to be written now, or one that leads to its rule."""
        place = fresh.get(state, self._states.get(state, -1))
        if place < 0 and len(fresh) < _AT_ONCE:
            place = fresh[state] = self._network.state()
            todo.append(state)
        elif place < 0:
            place = self._stubs.get(state, -1)
            if place < 0:
                place = self._stubs[state] = self._network.state()
                self._network.jump(place, self.rule(state))
        return place

    def _the_end(self) -> int:
        """The state of the network where a text ends."""
        if self._end < 0:
            self._end = self._network.state()
            self._network.final(self._end)
        return self._end
