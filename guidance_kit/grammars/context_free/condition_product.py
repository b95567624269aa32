"""Product of the diagrams of a grammar with conditions on the following text, ignored terminals included.

The next terminal may depend on the last one: certain characters must not follow a name, and the last terminal
determines the lexer for the next one. So each state of a diagram is paired with each *condition* that may be pending
there. A rule starts under one condition and leaves another: a rule of the network is a rule of the grammar with two
conditions, as in the intersection of a grammar and an automaton. In most grammars without a lexer only ignored
terminals have conditions, which end before the next rule; then each rule has one copy.

Ignored text precedes terminals, so a call in last position stays there.

What leads from a place of a rule to others is found when it is asked for, for a text reaches few of them.

Source: Bar-Hillel, Perles and Shamir, "On formal properties of simple phrase structure grammars", 1961.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from guidance_kit.errors import LimitError, UnsupportedFeature
from guidance_kit.grammars.context_free.diagram import CountedCall, Diagram, Symbol
from guidance_kit.grammars.context_free.lexeme import Lexeme
from guidance_kit.grammars.context_free.tree import Terminal, Unless

__all__ = ["IGNORED", "Call", "ConditionProduct", "Conditions", "Key", "Piece", "Place", "Repeated", "start_of"]

MAX_PLACES = 500_000
"""Pairs of a state of a diagram and a condition."""

IGNORED = "%ignore"
"""Name of the rule of ignored text."""

_ROOT = ""

_BEGUN, _READ, _READ_MORE = 0, 1, 2
"""States of the rules of ignored text and of whole texts: at the start; behind the text; and behind ignored text."""

Key = tuple[str, int, int]
"""A rule with the pending conditions before and behind it."""


@dataclass(frozen=True, slots=True)
class Repeated:
    """A rule between `minimum`, at least 1, and `maximum` times."""

    key: Key
    minimum: int
    maximum: int


Piece = Lexeme | tuple[int, tuple[int, ...]]
"""Texts of a terminal: their automaton, or the start and end states of a larger one; see `Conditions.lexeme`."""

Call = Key | Repeated | None
"""A called rule; None reads nothing."""


class Conditions(Protocol):
    """Conditions on the following text, by number; 0 at the start of the text."""

    def terminal(self, name: str, pending: int) -> Sequence[tuple[Piece, int]]:
        """Texts of a terminal that may follow, without ignored text before them, each with the condition behind it."""
        ...

    def ignored(self, pending: int) -> Sequence[tuple[Piece, int]]:
        """Texts of ignored terminals that may follow, each with the condition behind it."""
        ...

    def lexeme(self, piece: Piece) -> Lexeme:
        """Automaton of some texts of a terminal, made when it is first needed."""
        ...

    def unless(self, names: frozenset[str], pending: int) -> int:
        """The pending condition with further terminals excluded next."""
        ...

    def may_end(self, pending: int) -> bool:
        """Test whether the text may end."""
        ...


class Place(NamedTuple):
    """A state of a rule under conditions.

    Attributes:
        rule: its name.
        state: state of the diagram of the rule.
        pending: the condition that is pending there.
        behind: the condition that is pending behind the rule.
        is_unread: whether ignored text has been read, so that only terminals may follow.
    """

    rule: str
    state: int
    pending: int
    behind: int
    is_unread: bool = False


_Node = tuple[str, int, int]
"""A rule, a state of its diagram, and the pending condition; a text of the rule begins in state 0."""

_Exit = tuple[int, bool]
"""The pending condition at the end of a rule, and whether nothing is read up to there."""


class _CallSite(NamedTuple):
    """A call of a rule: where it is, and the state of the diagram behind it."""

    node: _Node
    target: int
    is_counted: bool


class ConditionProduct:
    """Product of the rules of a grammar with conditions; reachable pairs are found once, from the start rule.

    Args:
        start: the rule of whole texts.
        diagrams: of the rules.
        conditions: conditions on the following text.
    Raises:
        UnsupportedFeature: a counted repetition changes the condition.
        LimitError: there are too many pairs of states and conditions.

    Attributes:
        root: the rule of whole texts, with ignored text behind it.
        has_texts: whether there is a text.
    """

    def __init__(self, start: str, diagrams: Mapping[str, Diagram[Symbol]], conditions: Conditions) -> None:
        self._start = start
        self._diagrams = diagrams
        self._conditions = conditions
        self._ignorable: dict[int, list[int]] = {}
        self._behind: dict[tuple[str, int], tuple[int, ...]] = {}
        self._exits: dict[_Node, dict[_Exit, None]] = {}
        self._before: dict[_Node, dict[tuple[_Node, bool], None]] = {}
        self._callers: dict[_Node, list[_CallSite]] = {}
        self._todo: list[_Node] = []
        self._left: list[tuple[_Node, _Exit]] = []
        self._calls: dict[_Node, list[tuple[Call, _Node]]] = {}
        self._terminals: dict[_Node, list[tuple[Piece, _Node]]] = {}
        self._follow()
        self.root: Key = (_ROOT, 0, 0)
        self.has_texts = not self.is_end(start_of(self.root))

    @property
    def count(self) -> int:
        """Number of pairs of a state and a condition."""
        return len(self._exits)

    def _follow(self) -> None:
        """Find all nodes, and the exits of each: those of the nodes behind it."""
        self._visit((self._start, 0, 0))
        while self._todo or self._left:
            if self._left:
                node, (there, is_empty) = self._left.pop()
                for before, reads_nothing in self._before[node]:
                    self._leave(before, (there, is_empty and reads_nothing))
                for caller in list(self._callers.get(node, ())):
                    self._return(node[0], node[2], (there, is_empty), caller)
            else:
                self._expand(self._todo.pop())

    def _expand(self, node: _Node) -> None:
        name, state, pending = node
        diagram = self._diagrams[name]
        if state in diagram.finals:
            self._leave(node, (pending, True))
        for symbol, target in diagram.edges[state].items():
            if isinstance(symbol, Terminal):
                for after in self._behind_terminal(symbol.name, pending):
                    self._link(node, (name, target, after), reads_nothing=False)
            elif isinstance(symbol, Unless):
                after = self._conditions.unless(symbol.names, pending)
                self._link(node, (name, target, after), reads_nothing=True)
            else:
                called = symbol.name, 0, pending
                caller = _CallSite(node, target, isinstance(symbol, CountedCall))
                self._visit(called)
                self._callers.setdefault(called, []).append(caller)
                for there in list(self._exits[called]):
                    self._return(symbol.name, pending, there, caller)

    def _visit(self, node: _Node) -> None:
        if node not in self._exits:
            if len(self._exits) >= MAX_PLACES:
                raise LimitError("max_places", MAX_PLACES, where="what may follow what in a grammar")
            self._exits[node], self._before[node] = {}, {}
            self._todo.append(node)

    def _link(self, node: _Node, following: _Node, *, reads_nothing: bool) -> None:
        """Note that a node follows another one."""
        self._visit(following)
        link = node, reads_nothing
        if link not in self._before[following]:
            self._before[following][link] = None
            for there, is_empty in list(self._exits[following]):
                self._leave(node, (there, is_empty and reads_nothing))

    def _leave(self, node: _Node, there: _Exit) -> None:
        if there not in self._exits[node]:
            self._exits[node][there] = None
            self._left.append((node, there))

    def _return(self, name: str, pending: int, there: _Exit, caller: _CallSite) -> None:
        """Go on behind a call of a rule."""
        after, is_empty = there
        if caller.is_counted and is_empty:
            raise UnsupportedFeature(
                "a counted repetition of what may be empty",
                where=f"the rule {name}",
                hint="leave the empty text out of it, and count from 0",
            )
        if caller.is_counted and after != pending:
            raise UnsupportedFeature("a counted repetition of terminals that look ahead", where=f"the rule {name}")
        self._link(caller.node, (caller.node[0], caller.target, after), reads_nothing=is_empty)

    def _behind_terminal(self, name: str, pending: int) -> tuple[int, ...]:
        """Conditions that may be pending behind a terminal, with ignored text before it or without."""
        found = self._behind.get((name, pending))
        if found is None:
            conditions = pending, *self._after_ignored(pending)
            behind = (after for one in conditions for _, after in self._conditions.terminal(name, one))
            found = self._behind[name, pending] = tuple(dict.fromkeys(behind))
        return found

    def _after_ignored(self, pending: int) -> list[int]:
        """Conditions that may be pending behind one or more ignored terminals."""
        found = self._ignorable.get(pending)
        if found is None:
            found = list(dict.fromkeys(after for _, after in self._conditions.ignored(pending)))
            for condition in found:  # grows meanwhile
                found += [after for _, after in self._conditions.ignored(condition) if after not in found]
            found = self._ignorable[pending] = list(dict.fromkeys(found))
        return found

    def is_nullable(self, place: Place) -> bool:
        """Test whether a rule may end without reading anything from a place on."""
        name, state, pending, behind, is_unread = place
        if name == _ROOT and state == _BEGUN:
            exits = self._exits[self._start, 0, 0]
            return any(is_empty and self._conditions.may_end(after) for after, is_empty in exits)
        if name in (_ROOT, IGNORED):
            return self.is_final(place)
        return not is_unread and (behind, True) in self._exits[name, state, pending]

    def is_final(self, place: Place) -> bool:
        """Test whether a rule may end at a place."""
        name, state, pending, behind, is_unread = place
        if name == _ROOT:
            return state != _BEGUN and self._conditions.may_end(pending)
        if name == IGNORED:
            return state != _BEGUN and pending == behind
        return not is_unread and pending == behind and state in self._diagrams[name].finals

    def is_end(self, place: Place) -> bool:
        """Test whether nothing can be read from a place on."""
        name, state, pending, behind, is_unread = place
        if name in (_ROOT, IGNORED):
            return not self.terminals(place) and not self.calls(place)
        return not is_unread and (behind, False) not in self._exits[name, state, pending]

    def terminals(self, place: Place) -> list[tuple[Piece, Place]]:
        """Texts of terminals that lead from a place to others, from which the rule can end."""
        name, state, pending, behind, _ = place
        if name == _ROOT:
            return []
        if name == IGNORED:
            return [
                (piece, Place(IGNORED, _READ, after, behind))
                for piece, after in self._conditions.ignored(pending)
                if after == behind or behind in self._after_ignored(after)
            ]
        edges = self._terminals_at((name, state, pending))
        return [(piece, Place(*node, behind)) for piece, node in edges if self._leads_to(node, behind)]

    def calls(self, place: Place) -> list[tuple[Call, Place]]:
        """Rules that lead from a place to others, from which the rule can end."""
        name, state, pending, behind, is_unread = place
        if name == _ROOT:
            return self._calls_of_root(place)
        if name == IGNORED or is_unread:
            return []
        node = name, state, pending
        edges = self._calls.get(node)
        if edges is None:
            edges = self._calls[node] = self._calls_at(node)
        found = [(call, Place(*node, behind)) for call, node in edges if self._leads_to(node, behind)]
        if any(isinstance(symbol, Terminal) for symbol in self._diagrams[name].edges[state]):
            for condition in self._after_ignored(pending):
                if any(self._leads_to(other, behind) for _, other in self._terminals_at((name, state, condition))):
                    unread = Place(name, state, condition, behind, is_unread=True)
                    found.append(((IGNORED, pending, condition), unread))
        return found

    def _leads_to(self, node: _Node, behind: int) -> bool:
        """Test whether a rule can end from a node on with a condition pending behind it."""
        exits = self._exits[node]
        return (behind, False) in exits or (behind, True) in exits

    def _terminals_at(self, node: _Node) -> list[tuple[Piece, _Node]]:
        """Texts of terminals that lead from a state under a condition to others."""
        found = self._terminals.get(node)
        if found is None:
            name, state, pending = node
            found = self._terminals[node] = [
                (piece, (name, target, after))
                for symbol, target in self._diagrams[name].edges[state].items()
                if isinstance(symbol, Terminal)
                for piece, after in self._conditions.terminal(symbol.name, pending)
            ]
        return found

    def _calls_at(self, node: _Node) -> list[tuple[Call, _Node]]:
        """Rules that lead from a node to others."""
        name, state, pending = node
        found: list[tuple[Call, _Node]] = []
        for symbol, target in self._diagrams[name].edges[state].items():
            if isinstance(symbol, Unless):
                found.append((None, (name, target, self._conditions.unless(symbol.names, pending))))
            elif not isinstance(symbol, Terminal):
                for after in self._left_by(symbol.name, pending):
                    key = symbol.name, pending, after
                    is_counted = isinstance(symbol, CountedCall)
                    call = Repeated(key, symbol.minimum, symbol.maximum) if is_counted else key
                    found.append((call, (name, target, after)))
        return found

    def _calls_of_root(self, place: Place) -> list[tuple[Call, Place]]:
        """The start rule, or ignored text behind it."""
        _, state, pending, _, _ = place
        if state == _BEGUN:
            read = (Place(_ROOT, _READ, behind, 0) for behind in self._left_by(self._start, 0))
            return [
                ((self._start, 0, each.pending), each)
                for each in read
                if self.is_final(each) or self._calls_of_root(each)
            ]
        last = self._after_ignored(pending) if state == _READ else ()
        return [
            ((IGNORED, pending, each), Place(_ROOT, _READ_MORE, each, 0))
            for each in last
            if self._conditions.may_end(each)
        ]

    def _left_by(self, name: str, before: int) -> list[int]:
        """Conditions that may be pending behind a rule."""
        return list(dict.fromkeys(after for after, _ in self._exits[name, 0, before]))

    def lexeme(self, piece: Piece) -> Lexeme:
        """Automaton of some texts of a terminal."""
        return self._conditions.lexeme(piece)


def start_of(key: Key) -> Place:
    """Place at which a rule begins."""
    name, before, behind = key
    return Place(name, 0, before, behind)
