"""Texts by the first occurrence of certain strings, as Aho-Corasick automata.

The states are the prefixes of the strings: after a text, the longest prefix that is a suffix of the text. So there are
at most as many states as characters in the strings, and a state has edges of its own only for characters that extend a
prefix. Derivatives of the same languages are sets of prefixes, which cost their size at each character.

Source: Aho and Corasick, "Efficient string matching", Communications of the ACM 18, 1975.
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
"""States that are built at once with a rule."""


def declare_ending(
    network: Network, ends: Iterable[str], stops: Iterable[str], encoding: Encoding = UTF8, *, name: str = ""
) -> int:
    """Declare the rule of the texts that end with one of several strings and contain none of others before.

    Args:
        ends: not empty, nor is any of them.
        stops: none is empty. Where one is complete, the text ends, and a string of `ends` is complete there, too.
    Returns:
        The number of the rule.
    Raises:
        UnsatisfiableError: there is no such text, as each of `ends` contains another string.
    """
    ends = tuple(ends)
    found = _Occurrences({*ends, *stops})
    closing = found.states_with(ends)
    if all(found.is_interrupted(end) for end in ends):
        raise UnsatisfiableError("no text matches", where=name)
    return _OccurrenceWriter(found, closing, network, encoding, name).rule(0)


def declare_without(network: Network, stops: Iterable[str], encoding: Encoding = UTF8, *, name: str = "") -> int:
    """Declare the rule of the texts that contain none of several strings; none of them is empty."""
    return _OccurrenceWriter(_Occurrences(stops), None, network, encoding, name).rule(0)


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


class _OccurrenceWriter:
    """Writer of an automaton into a network; states are built on first use.

    Args:
        closing: final states; None: all states in which no string is complete.
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
        """Rule of the texts from a state."""
        number = self._rules.get(state)
        if number is None:
            is_nullable = self._closing is None
            number = self._network.rule(lambda: self._build(state), nullable=is_nullable, name=self._name)
            self._rules[state] = number
        return number

    def _build(self, state: int) -> int:
        """State of the network for a state, built together with following ones."""
        if state not in self._states:
            fresh = {state: self._network.state()}
            todo = deque([state])
            while todo:
                self._write(todo.popleft(), fresh, todo)
            self._states |= fresh
        return self._states[state]

    def _write(self, state: int, fresh: dict[int, int], todo: deque[int]) -> None:
        """Write the edges of a state of a rule, and enqueue their targets."""
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
        """State of the network for a state: one to be written now, or one that jumps to its rule."""
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
        """Final state of the network."""
        if self._end < 0:
            self._end = self._network.state()
            self._network.final(self._end)
        return self._end
