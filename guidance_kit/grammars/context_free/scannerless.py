"""Conditions on following text in scannerless grammars, where a terminal is tried wherever a rule has it.

Behind some terminals, and behind ignored text, certain characters must not follow (`first_match`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from guidance_kit.errors import UnsupportedFeature
from guidance_kit.grammars.context_free.condition_product import Piece
from guidance_kit.grammars.context_free.lexeme import Lexeme
from guidance_kit.grammars.context_free.tree import Grammar
from guidance_kit.grammars.regular.charset import NONE, CharSet

__all__ = ["Scannerless"]


@dataclass(frozen=True, slots=True)
class _LookaheadCondition:
    """Condition on the following text.

    Attributes:
        never: excluded next characters.
        longer: excluded longer texts; None if all of them begin with one of `never`.
    """

    never: CharSet
    longer: Lexeme | None = None


_FREE = _LookaheadCondition(NONE)


class Scannerless:
    """The conditions of a grammar without a lexer. See `condition_product.Conditions`."""

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self._conditions = [_FREE]
        self._numbers = {_FREE: 0}
        self._read: dict[tuple[str, int], list[tuple[Lexeme, int]]] = {}
        self._skipped: dict[int, list[tuple[Lexeme, int]]] = {}  # ignored text

    @property
    def states(self) -> int:
        """Number of states of all terminals."""
        return sum(len(lexeme.edges) for lexeme in (*self._grammar.terminals.values(), *self._grammar.ignored))

    def terminal(self, name: str, pending: int) -> Sequence[tuple[Lexeme, int]]:
        """See `Conditions`."""
        found = self._read.get((name, pending))
        if found is None:
            is_longest = not self._grammar.tries_all_lengths
            lexeme = self._grammar.terminals[name]
            found = self._read[name, pending] = self._apart(lexeme, pending, is_longest=is_longest)
        return found

    def ignored(self, pending: int) -> Sequence[tuple[Lexeme, int]]:
        """See `Conditions`."""
        found = self._skipped.get(pending)
        if found is None:
            parts = (self._apart(lexeme, pending, is_longest=True) for lexeme in self._grammar.ignored)
            found = self._skipped[pending] = list(chain.from_iterable(parts))
        return found

    def lexeme(self, piece: Piece) -> Lexeme:
        """See `Conditions`."""
        assert isinstance(piece, Lexeme)
        return piece

    def unless(self, names: frozenset[str], pending: int) -> int:
        """See `Conditions`."""
        raise AssertionError("without a lexer no rule says what must not come next")

    def may_end(self, pending: int) -> bool:
        """See `Conditions`."""
        return True

    def _apart(self, lexeme: Lexeme, pending: int, *, is_longest: bool) -> list[tuple[Lexeme, int]]:
        """The texts of a lexeme that may follow, apart by the condition that they leave."""
        before = self._conditions[pending]
        if lexeme.embedded is not None:
            self._grammar.embedded[lexeme.embedded].check(before.never, before.longer)
        kept = _restricted(lexeme, before)
        ends: dict[int, list[int]] = {}
        for state, ending in enumerate(kept.endings):
            if ending is not None:
                condition = _condition(kept, state, ending) if is_longest else _LookaheadCondition(ending)
                number = self._numbers.setdefault(condition, len(self._conditions))
                if number == len(self._conditions):
                    self._conditions.append(condition)
                ends.setdefault(number, []).append(state)
        if len(ends) == 1:
            return [(kept, number) for number in ends]
        return [(kept.ending_at(states), number) for number, states in ends.items()]


def _restricted(lexeme: Lexeme, condition: _LookaheadCondition) -> Lexeme:
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


def _condition(lexeme: Lexeme, state: int, never: CharSet) -> _LookaheadCondition:
    """Condition on the text after one that is taken whole and ends in a state."""
    if all(chars <= never for chars, _ in lexeme.edges[state]):  # as of most names
        return _LookaheadCondition(never, None)
    rest = lexeme.from_state(state).without_first(never)
    return _LookaheadCondition(never, rest if rest.first else None)


def _always_begins_with(lexeme: Lexeme, first: CharSet, other: Lexeme) -> bool:
    """Test whether every text that begins with one of some characters begins with a text of another lexeme."""
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
