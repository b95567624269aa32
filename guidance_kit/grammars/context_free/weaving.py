"""What may not follow what, and what is ignored, woven into the diagrams of a grammar.

Behind some terminals, and behind what is ignored, certain characters must not follow (`first_match`). So every state
of a diagram is taken once for each such *condition* that may be pending there, and a rule is read under one condition
and leaves another one: a rule of the network is a rule of the grammar with two conditions. In nearly all grammars only
what is ignored has conditions, which are over before the next rule, and then there is one rule for each.

What is ignored stands before terminals, not behind them: so a rule that ends with a call still ends with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from guidance_kit.errors import UnsupportedFeature
from guidance_kit.grammars.context_free.diagram import Diagram
from guidance_kit.grammars.context_free.lexeme import Lexeme
from guidance_kit.grammars.context_free.tree import Grammar, Rule, Terminal
from guidance_kit.grammars.regular.charset import NONE, CharSet

__all__ = ["Key", "Repeated", "Woven", "weave"]

_IGNORED = "%ignore"
"""The name of the rule of what is ignored."""

_ROOT = ""

Key = tuple[str, int, int]
"""A rule with the condition that is pending before it, and the one behind it."""


@dataclass(frozen=True, slots=True)
class Repeated:
    """A rule between `minimum`, at least 1, and `maximum` times."""

    key: Key
    minimum: int
    maximum: int


WovenSymbol = Key | Repeated | Lexeme


@dataclass(frozen=True, slots=True)
class _Condition:
    """What must not follow.

    Attributes:
        never: characters.
        longer: texts, which go on from here; None if there are none that do not begin with one of `never`.
    """

    never: CharSet
    longer: Lexeme | None = None


_FREE = _Condition(NONE)


class Woven:
    """One rule.

    Attributes:
        edges: of each state, (symbol, next state); state 0 is the start.
        finals: the states in which it may end.
    """

    def __init__(self) -> None:
        self.edges: list[list[tuple[WovenSymbol, int]]] = []
        self.finals: set[int] = set()

    def state(self) -> int:
        """Add a state."""
        self.edges.append([])
        return len(self.edges) - 1


def weave(grammar: Grammar, diagrams: Mapping[str, Diagram]) -> tuple[dict[Key, Woven], Key]:
    """All rules that have texts and can be reached, and the one that the whole text must match.

    Raises:
        UnsupportedFeature: what must not follow something depends on more than the next character.
    """
    weaver = _Weaver(grammar, diagrams)
    root = weaver.root()
    todo, rules = [root], dict[Key, Woven]()
    while todo:
        key = todo.pop()
        if key not in rules:
            rules[key] = weaver.rule(key)
            todo += _called(rules[key])
    return _productive(rules, root), root


class _Weaver:
    def __init__(self, grammar: Grammar, diagrams: Mapping[str, Diagram]) -> None:
        self.grammar = grammar
        self.diagrams = diagrams
        self.conditions = [_FREE]
        self._numbers = {_FREE: 0}
        self._pieces: dict[tuple[Lexeme, int, bool], list[tuple[Lexeme, int]]] = {}
        used = {
            symbol.name for diagram in diagrams.values() for symbol in diagram.symbols if isinstance(symbol, Terminal)
        }
        self.behind_terminals = sorted(
            {0, *(end for name in sorted(used) for _, end in self.pieces(grammar.terminals[name], 0))}
        )
        self.behind_ignored = self._ignored_ends()

    def root(self) -> Key:
        return (_ROOT, 0, 0)

    def rule(self, key: Key) -> Woven:
        name, before, behind = key
        if name == _ROOT:
            return self._root()
        if name == _IGNORED:
            return self._ignored(before, behind)
        return self._rule(self.diagrams[name], before, behind)

    def _root(self) -> Woven:
        """The start rule, and what is ignored behind it."""
        woven = Woven()
        start = woven.state()
        for behind in self.behind_terminals:
            end = woven.state()
            woven.finals.add(end)
            woven.edges[start].append(((self.grammar.start, 0, behind), end))
            for last in self.behind_ignored:
                final = woven.state()
                woven.finals.add(final)
                woven.edges[end].append(((_IGNORED, behind, last), final))
        return woven

    def _ignored(self, before: int, behind: int) -> Woven:
        woven = Woven()
        start = woven.state()
        places = {condition: woven.state() for condition in self.behind_ignored}
        for source, pending in [(start, before), *((place, condition) for condition, place in places.items())]:
            for lexeme in self.grammar.ignored:
                for piece, after in self.pieces(lexeme, pending, is_ignored=True):
                    woven.edges[source].append((piece, places[after]))
        woven.finals.add(places[behind])
        return woven

    def _rule(self, diagram: Diagram, before: int, behind: int) -> Woven:
        woven = Woven()
        places = {(0, before): woven.state()}
        todo = [(0, before)]

        def place(state: int, pending: int) -> int:
            if (state, pending) not in places:
                places[state, pending] = woven.state()
                todo.append((state, pending))
            return places[state, pending]

        for state, pending in todo:  # grows meanwhile
            here = places[state, pending]
            if state in diagram.finals and pending == behind:
                woven.finals.add(here)
            after_ignored: dict[int, int] = {}
            for symbol, target in diagram.edges[state].items():
                if isinstance(symbol, Terminal):
                    lexeme = self.grammar.terminals[symbol.name]
                    for source, condition in self._begins(woven, here, pending, after_ignored):
                        for piece, after in self.pieces(lexeme, condition):
                            assert after in self.behind_terminals
                            woven.edges[source].append((piece, place(target, after)))
                    continue
                for after in {pending, *self.behind_terminals}:
                    key = (symbol.name, pending, after)
                    if isinstance(symbol, Rule):
                        woven.edges[here].append((key, place(target, after)))
                    elif len(self.behind_terminals) > 1:
                        raise UnsupportedFeature(
                            "a counted repetition of terminals that look ahead", where=f"the rule {symbol.name}"
                        )
                    else:
                        repeated = Repeated(key, symbol.minimum, symbol.maximum)
                        woven.edges[here].append((repeated, place(target, after)))
        return woven

    def _begins(
        self, woven: Woven, here: int, pending: int, after_ignored: dict[int, int]
    ) -> Iterator[tuple[int, int]]:
        """The states, with what is pending there, from which a terminal may be read at a state."""
        yield here, pending
        for condition in self.behind_ignored:
            if condition not in after_ignored:
                after_ignored[condition] = woven.state()
                woven.edges[here].append(((_IGNORED, pending, condition), after_ignored[condition]))
            yield after_ignored[condition], condition

    def pieces(self, lexeme: Lexeme, pending: int, *, is_ignored: bool = False) -> list[tuple[Lexeme, int]]:
        """The texts of a lexeme that may follow, apart by the condition that they leave."""
        key = (lexeme, pending, is_ignored)
        if key not in self._pieces:
            if lexeme.guest is not None:
                self.grammar.guests[lexeme.guest].check(self.conditions[pending].never, self.conditions[pending].longer)
            kept = self._restricted(lexeme, self.conditions[pending])
            ends: dict[int, list[int]] = {}
            for state, ending in enumerate(kept.endings):
                if ending is not None:
                    is_longest = is_ignored or not self.grammar.tries_all_lengths
                    condition = _condition(kept, state, ending) if is_longest else _Condition(ending)
                    number = self._numbers.setdefault(condition, len(self.conditions))
                    if number == len(self.conditions):
                        self.conditions.append(condition)
                    ends.setdefault(number, []).append(state)
            self._pieces[key] = [(kept.ending_at(states), number) for number, states in ends.items()]
        return self._pieces[key]

    def _ignored_ends(self) -> list[int]:
        """The conditions that can be pending behind what is ignored."""
        found: list[int] = []
        todo = list(self.behind_terminals)
        for pending in todo:  # grows meanwhile
            for lexeme in self.grammar.ignored:
                for _, after in self.pieces(lexeme, pending, is_ignored=True):
                    if after not in found:
                        found.append(after)
                        if after not in todo:
                            todo.append(after)
        return found

    @staticmethod
    def _restricted(lexeme: Lexeme, condition: _Condition) -> Lexeme:
        kept = lexeme.without_first(condition.never)
        if condition.longer is None or kept.is_empty:
            return kept
        doubtful = kept.first & condition.longer.first
        if not doubtful:
            return kept
        if not _always_begins_with(kept, doubtful, condition.longer):
            raise UnsupportedFeature(
                "a terminal, or something ignored, that may go on through what follows it",
                where=f"where {chr(doubtful.bounds[0])!r} follows",
                hint="let it read all characters of a kind",
            )
        return kept.without_first(doubtful)


def _condition(lexeme: Lexeme, state: int, never: CharSet) -> _Condition:
    """What must not follow a text that is taken whole and ends in a state."""
    rest = lexeme.from_state(state).without_first(never)
    return _Condition(never, rest if rest.first else None)


def _always_begins_with(lexeme: Lexeme, first: CharSet, other: Lexeme) -> bool:
    """Whether every text that begins with one of some characters begins with a text of another lexeme."""
    todo = [(a, b) for chars, a in lexeme.edges[0] for others, b in other.edges[0] if chars & others & first]
    seen = set(todo)
    while todo:
        a, b = todo.pop()
        if other.endings[b] is not None:
            continue
        if lexeme.endings[a] is not None:
            return False
        for chars, target in lexeme.edges[a]:
            left = chars
            for others, following in other.edges[b]:
                left -= others
                if chars & others and (target, following) not in seen:
                    seen.add((target, following))
                    todo.append((target, following))
            if left:
                return False
    return True


def _called(woven: Woven) -> Iterator[Key]:
    for steps in woven.edges:
        for symbol, _ in steps:
            if isinstance(symbol, Repeated):
                yield symbol.key
            elif not isinstance(symbol, Lexeme):
                yield symbol


def _productive(rules: dict[Key, Woven], root: Key) -> dict[Key, Woven]:
    """What is left of rules without those that have no text, and the states from which none can be finished."""
    usable: set[Key] = set()
    alive: dict[Key, set[int]] = {}
    changed = True
    while changed:
        changed = False
        for key, woven in rules.items():
            now = _alive(woven, usable)
            if len(now) > len(alive.get(key, ())):
                alive[key] = now
                changed = True
                if 0 in now:
                    usable.add(key)
    reached, todo, kept = {root}, [root], dict[Key, Woven]()
    while todo:
        key = todo.pop()
        if key not in usable:
            continue
        woven = kept[key] = Woven()
        woven.finals = rules[key].finals
        woven.edges = [
            [(symbol, target) for symbol, target in steps if target in alive[key] and _is_usable(symbol, usable)]
            for steps in rules[key].edges
        ]
        for called in _called(woven):
            if called not in reached:
                reached.add(called)
                todo.append(called)
    return kept


def _is_usable(symbol: WovenSymbol, usable: set[Key]) -> bool:
    if isinstance(symbol, Lexeme):
        return not symbol.is_empty
    return (symbol.key if isinstance(symbol, Repeated) else symbol) in usable


def _alive(woven: Woven, usable: set[Key]) -> set[int]:
    before: dict[int, list[int]] = {}
    for state, steps in enumerate(woven.edges):
        for symbol, target in steps:
            if _is_usable(symbol, usable):
                before.setdefault(target, []).append(state)
    todo = list(woven.finals)
    alive = set(todo)
    while todo:
        for state in before.get(todo.pop(), ()):
            if state not in alive:
                alive.add(state)
                todo.append(state)
    return alive
