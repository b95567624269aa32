"""Tables of LALR(1) parsers.

Item sets and sets of terminals are integers, as bit sets. A rule that may begin in a state is a *transition* of the
state by that rule; the terminals that may follow it are found by propagation along the relations of DeRemer and
Pennello, and those before which a production is reduced are the union over the transitions that it may end.

On a conflict the parser shifts rather than reduces, and prefers the reduction of the highest priority, as lark's does.

Source: DeRemer and Pennello, "Efficient computation of LALR(1) look-ahead sets", 1982.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import NamedTuple, TypeVar

from guidance_kit.grammars.regular.partition import bits_of

__all__ = ["END", "Begin", "ParseTable", "Part", "Production", "ReduceConflict", "Transitions"]

END = "$END"
"""The terminal at the end of the text."""

Production = tuple[str, tuple[str, ...]]
"""A rule and its symbols."""

Begin = tuple[int, str]
"""A state, and a rule that may begin there."""

Part = tuple[str, int]
"""A terminal or rule, and the state in which it is read."""

_Key = TypeVar("_Key", bound=Hashable)


class ReduceConflict(ValueError):
    """Several productions of equal priority may be reduced before a terminal.

    Attributes:
        conflicts: (terminal, the productions), for each state with such a conflict.
    """

    def __init__(self, conflicts: Sequence[tuple[str, Sequence[Production]]]) -> None:
        super().__init__("reduce/reduce conflict")
        self.conflicts = conflicts


@dataclass(frozen=True)
class ParseTable:
    """Table of an LALR(1) parser.

    Attributes:
        transitions: of its states by rules, with the terminals that may follow.
        ends: for each state, the terminals (a mask) before which each production is reduced, by its number.
    """

    transitions: Transitions
    ends: Sequence[Mapping[int, int]]

    @classmethod
    def of(cls, productions: Sequence[Production], priorities: Sequence[int], root: str) -> ParseTable:
        """Table of a grammar whose rules are all defined.

        Args:
            productions: without duplicates.
            priorities: of the productions, for reductions.
            root: the rule of whole texts.
        Raises:
            ReduceConflict: priorities do not decide which production to reduce.
        """
        transitions = Transitions(productions, _shifts(productions, root), root)
        behind = [0] * len(transitions.rests)  # terminals before which each is reduced
        for begin, following in transitions.following.items():
            for way in transitions.ways[begin]:
                behind[way] |= following
        ends: list[dict[int, int]] = [{} for _ in transitions.shifts]
        for rest, following in zip(transitions.rests, behind, strict=True):
            ends[rest.last][rest.production] = ends[rest.last].get(rest.production, 0) | following
        conflicts = [
            (name, [productions[number] for number in numbers])
            for found, shifted in zip(ends, transitions.shifted, strict=True)
            for mask, numbers in _decided(found, priorities, shifted)
            for name in transitions.names(mask)
        ]
        if conflicts:
            raise ReduceConflict(conflicts)
        return cls(transitions, ends)

    def expected(self, state: int) -> frozenset[str]:
        """Terminals with an action in a state."""
        mask = self.transitions.shifted[state]
        for ended in self.ends[state].values():
            mask |= ended
        return self.transitions.names(mask)

    def lost(self, begin: Begin, way: int) -> frozenset[str]:
        """Terminals that may follow a rule, before which the parser does not reduce at the end of a way."""
        rest = self.transitions.rests[way]
        return self.transitions.names(self.transitions.following[begin] & ~self.ends[rest.last][rest.production])


class Rest(NamedTuple):
    """A production from the state behind its first symbol on; of an empty production, from its state on.

    Attributes:
        production: its number.
        parts: its other symbols.
        last: state at its end.
    """

    production: int
    parts: tuple[Part, ...]
    last: int


class Transitions:
    """Transitions of the states of a parser by rules, equivalent ones as one.

    Transitions by a rule are equivalent if the same states are behind all symbols with which the rule may begin: then
    the parser passes through the same states. An empty production ends in the state where it begins, so a rule that may
    begin with one has no equivalent transitions.

    Attributes:
        productions: (rule, its symbols).
        shifts: for each state, symbol -> next state; state 0 is the start.
        root: the rule of whole texts.
        rules: numbers of the productions of each rule.
        rests: what follows the first symbols of productions; most of it many transitions have in common.
        ways: for the first transition of each class the numbers of its rests, one for each production.
        shifted: for each state the terminals (a mask) that are shifted.
    """

    def __init__(self, productions: Sequence[Production], shifts: Sequence[Mapping[str, int]], root: str) -> None:
        self.productions = productions
        self.shifts = shifts
        self.root = root
        self.rules = _numbers_of(productions)
        self._terminals = [END]
        self._bits = {END: 1}
        for _, parts in productions:
            for symbol in parts:
                if symbol not in self.rules and symbol not in self._bits:
                    self._bits[symbol] = 1 << len(self._terminals)
                    self._terminals.append(symbol)
        bits = self._bits
        self.shifted = [sum([bits[symbol] for symbol in steps if symbol in bits]) for steps in shifts]
        self._names: dict[int, frozenset[str]] = {}
        self._readers: dict[str, Callable[[Mapping[str, int]], Hashable] | None] = {}
        self._first_of: dict[Begin, Begin] = {}
        self._classes: dict[tuple[str, Hashable], Begin] = {}
        self.rests: list[Rest] = []
        self.ways: dict[Begin, tuple[int, ...]] = {}
        known: dict[tuple[int, int], int] = {}
        todo = [self.alike(0, root)]
        for begin in todo:  # grows meanwhile
            if begin in self.ways:
                continue
            start, rule = begin
            ways: list[int] = []
            for number in self.rules[rule]:
                first = self.first(start, number)
                state = start if first is None else shifts[start][first[0]]
                if first is not None and first[0] in self.rules:
                    todo.append(self.alike(start, first[0]))
                way = known.get((number, state))
                if way is None:
                    way = known[number, state] = len(self.rests)
                    self.rests.append(self._rest(number, state))
                    todo += [
                        self.alike(state, symbol) for symbol, state in self.rests[way].parts if symbol in self.rules
                    ]
                ways.append(way)
            self.ways[begin] = tuple(ways)

    def alike(self, state: int, rule: str) -> Begin:
        """The first transition of the class of one."""
        begin = state, rule
        found = self._first_of.get(begin)
        if found is None:
            if rule not in self._readers:
                self._readers[rule] = self._reader(rule)
            reader = self._readers[rule]
            steps = state if reader is None else reader(self.shifts[state])
            found = self._first_of[begin] = self._classes.setdefault((rule, steps), begin)
        return found

    def _reader(self, rule: str) -> Callable[[Mapping[str, int]], Hashable] | None:
        """Function to the states behind all symbols with which a rule may begin; None if it may begin with none."""
        symbols: set[str] = set()
        todo = {rule}
        while todo:
            firsts: set[str] = set()
            for name in todo:
                for number in self.rules[name]:
                    parts = self.productions[number][1]
                    if not parts:
                        return None
                    firsts.add(parts[0])
            todo = self.rules.keys() & firsts - symbols
            symbols |= firsts
        return itemgetter(*sorted(symbols))

    def first(self, state: int, production: int) -> Part | None:
        """First symbol of a production that begins in a state; None if it has none."""
        parts = self.productions[production][1]
        return (parts[0], state) if parts else None

    def _rest(self, number: int, state: int) -> Rest:
        parts: list[Part] = []
        for symbol in self.productions[number][1][1:]:
            parts.append((symbol, state))
            state = self.shifts[state][symbol]
        return Rest(number, tuple(parts), state)

    def names(self, mask: int) -> frozenset[str]:
        """Names of the terminals of a mask."""
        if mask not in self._names:
            self._names[mask] = frozenset([self._terminals[bit] for bit in bits_of(mask)])
        return self._names[mask]

    @cached_property
    def following(self) -> dict[Begin, int]:
        """The terminals (a mask) that may follow the transitions of each class."""
        empty = _nullable(self.productions)
        reads = dict(enumerate(self.shifted))  # terminals before which only empty rules are read from a state on
        _pass_on(reads, self._before_empty(empty))
        found = dict.fromkeys(self.ways, 0)
        for (state, rule), begin in self._first_of.items():
            found[begin] |= reads[self.shifts[state][rule]]
        found[0, self.root] |= self._bits[END]
        last: dict[Begin, list[Begin]] = {begin: [] for begin in self.ways}  # rules that end where another one does
        ending: list[list[Begin]] = []
        can_be_empty: list[bool] = []
        for rest in self.rests:
            count = next((k for k, (symbol, _) in enumerate(reversed(rest.parts)) if symbol not in empty), None)
            can_be_empty.append(count is None)
            tail = rest.parts if count is None else rest.parts[len(rest.parts) - 1 - count :]
            ending.append([self.alike(state, symbol) for symbol, state in tail if symbol in self.rules])
        for begin, ways in self.ways.items():
            for way in ways:
                last[begin] += ending[way]
                first = self.first(begin[0], self.rests[way].production) if can_be_empty[way] else None
                if first is not None and first[0] in self.rules:
                    last[begin].append(self.alike(begin[0], first[0]))
        _pass_on(found, last)
        return found

    def _before_empty(self, empty: AbstractSet[str]) -> dict[int, list[int]]:
        """States from which a rule with the empty text leads to each state."""
        before: dict[int, list[int]] = {state: [] for state in range(len(self.shifts))}
        for state, steps in enumerate(self.shifts) if empty else ():
            for symbol in empty & steps.keys():
                before[steps[symbol]].append(state)
        return before


def _numbers_of(productions: Iterable[Production]) -> dict[str, list[int]]:
    """Numbers of the productions of each rule."""
    rules: dict[str, list[int]] = {}
    for number, (rule, _) in enumerate(productions):
        rules.setdefault(rule, []).append(number)
    return rules


def _shifts(productions: Sequence[Production], root: str) -> list[dict[str, int]]:
    """Next states of the states of an LR(0) automaton, by symbol; state 0 is the start.

    An item is the number of a production times a width, plus the number of symbols read. A state is the set of its
    kernel items; states in which the same rules may begin share the kernels that are reached in these.
    """
    rules = _numbers_of(productions)
    starts = _Starts(productions, rules)
    width = max(len(parts) for _, parts in productions) + 2
    sides = [parts for _, parts in productions] + [(root,)]
    first = frozenset((len(productions) * width,))
    numbers = {first: 0}
    todo = [first]
    shifts: list[dict[str, int]] = []
    for kernel in todo:  # grows meanwhile
        read: dict[str, list[int]] = {}
        begun = 0
        for item in kernel:
            parts, place = sides[item // width], item % width
            if place < len(parts):
                read.setdefault(parts[place], []).append(item + 1)
                begun |= starts.below(parts[place])
        following = starts.kernels(begun, width)
        reached = following | {symbol: following.get(symbol, _NONE).union(items) for symbol, items in read.items()}
        steps: dict[str, int] = {}
        for symbol, items in reached.items():
            number = numbers.get(items)
            if number is None:
                number = numbers[items] = len(todo)
                todo.append(items)
            steps[symbol] = number
        shifts.append(steps)
    return shifts


_NONE: frozenset[int] = frozenset()


class _Starts:
    """Rules that may begin where another one does, as bit sets, and the items behind their first symbols."""

    def __init__(self, productions: Sequence[Production], rules: Mapping[str, Sequence[int]]) -> None:
        self._firsts = {
            rule: [(productions[number][1][0], number) for number in numbers if productions[number][1]]
            for rule, numbers in rules.items()
        }
        self._rules = list(rules)
        self._bits = {rule: 1 << place for place, rule in enumerate(rules)}
        self._below: dict[str, int] = {}
        self._kernels: dict[int, dict[str, frozenset[int]]] = {}

    def below(self, symbol: str) -> int:
        """The rules (a mask) that may begin where a symbol does, itself included; none for a terminal."""
        if symbol not in self._below:
            found = self._bits.get(symbol, 0)
            todo = [symbol] if found else []
            for rule in todo:  # grows meanwhile
                for first, _ in self._firsts[rule]:
                    bit = self._bits.get(first, 0)
                    if bit & ~found:
                        found |= bit | self._below.get(first, 0)
                        if first not in self._below:
                            todo.append(first)
            self._below[symbol] = found
        return self._below[symbol]

    def kernels(self, begun: int, width: int) -> dict[str, frozenset[int]]:
        """Items behind the first symbols of some rules (a mask), by symbol."""
        found = self._kernels.get(begun)
        if found is None:
            items: dict[str, list[int]] = {}
            for bit in bits_of(begun):
                for first, number in self._firsts[self._rules[bit]]:
                    items.setdefault(first, []).append(number * width + 1)
            found = self._kernels[begun] = {first: frozenset(behind) for first, behind in items.items()}
        return found


def _decided(found: dict[int, int], priorities: Sequence[int], shifted: int) -> list[tuple[int, list[int]]]:
    """Resolve the conflicts of one state.

    Args:
        found: number of a production -> terminals (a mask) that may follow it; the lost ones are removed.
        priorities: of all productions.
        shifted: terminals (a mask) that are shifted.
    Returns:
        Terminals (a mask) that priorities do not decide, with the numbers of the productions before them.
    """
    conflicts: list[tuple[int, list[int]]] = []
    if len(found) > 1:
        whole = dict(found)
        taken = 0
        for priority in sorted({priorities[number] for number in found}, reverse=True):
            once = twice = 0
            for number in (number for number in whole if priorities[number] == priority):
                twice |= once & whole[number]
                once |= whole[number]
                found[number] &= ~taken
            for bit in bits_of(twice & ~taken):
                conflicts.append((1 << bit, [number for number, mask in whole.items() if mask >> bit & 1]))
            taken |= once
    for number in found:
        found[number] &= ~shifted
    return conflicts


def _nullable(productions: Sequence[Production]) -> set[str]:
    """The rules with the empty text."""
    left = [len(parts) for _, parts in productions]
    users: dict[str, list[int]] = {}
    for number, (_, parts) in enumerate(productions):
        for symbol in parts:
            users.setdefault(symbol, []).append(number)
    found = {rule for rule, parts in productions if not parts}
    todo = list(found)
    while todo:
        for number in users.get(todo.pop(), ()):
            left[number] -= 1
            rule = productions[number][0]
            if not left[number] and rule not in found:
                found.add(rule)
                todo.append(rule)
    return found


def _pass_on(found: dict[_Key, int], to: Mapping[_Key, Iterable[_Key]]) -> None:
    """Propagate masks along a relation, up to a fixed point."""
    todo = deque(key for key, mask in found.items() if mask and to[key])
    waiting = set(todo)
    while todo:
        key = todo.popleft()
        waiting.discard(key)
        for other in to[key]:
            if found[key] & ~found[other]:
                found[other] |= found[key]
                if other not in waiting:
                    waiting.add(other)
                    todo.append(other)
