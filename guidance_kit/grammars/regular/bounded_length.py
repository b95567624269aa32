"""Expressions with a maximal length, as expressions whose characters are counted.

A conjunction of a pattern and a maximal length has as many derivatives as pairs of a derivative of the pattern and a
length. They need not be told apart: a prefix can be completed if its characters and the least number of further ones
are within the maximum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from guidance_kit.fsm.caches import BoundedCache, caches
from guidance_kit.fsm.network import UNBOUNDED
from guidance_kit.grammars.regular.charset import ALL, CharSet
from guidance_kit.grammars.regular.derivative import Derivatives
from guidance_kit.grammars.regular.expression import (
    ANYTHING,
    EPSILON,
    NOTHING,
    Alternation,
    Characters,
    Complement,
    Concatenation,
    Deferred,
    Expression,
    Intersection,
    Lookahead,
    Repetition,
    alternate,
    characters,
    concatenate,
    intersect,
    length,
    length_bounds,
    repeat,
)
from guidance_kit.grammars.regular.liveness import Liveness
from guidance_kit.grammars.regular.minimal_automaton import MinimalAutomaton, minimal_automaton
from guidance_kit.grammars.regular.position_sets import END, position_sets

__all__ = ["BoundedLength", "CountedLanguage", "as_counted", "counted_language", "outside_of_bounds"]


class BoundedLength(NamedTuple):
    """Texts of an expression with at most `maximum` characters.

    Attributes:
        expression: all its derivatives have texts, and `Liveness.least` is the length of a shortest one.
        slack: characters that suffice to complete any text after its first character, that one included.
    """

    expression: Expression
    maximum: int
    slack: int


def as_counted(expression: Expression) -> BoundedLength | None:
    """A plain expression with a maximal length as a counted one, if possible.

    With a minimal length too, it is possible if each text that is too short can be extended by any number of
    characters.
    """
    if not isinstance(expression, Intersection) or len(expression.parts) != 2:
        return None
    for pattern, bounds in (expression.parts, expression.parts[::-1]):
        minimum, maximum = length_bounds(bounds) or (0, UNBOUNDED)
        if pattern.is_plain and maximum != UNBOUNDED:
            if pattern.least >= minimum:
                return BoundedLength(pattern, maximum, 1 + _most_left(pattern))
            if _is_padded(pattern):
                limited = intersect(pattern, length(minimum, UNBOUNDED))
                return BoundedLength(limited, maximum, 1 + max(minimum - 1, _most_left(pattern)))
    return None


def _most_left(expression: Expression) -> int:
    """Number of characters that suffice to complete any nonempty prefix of a text of a plain expression."""
    if isinstance(expression, Concatenation):
        rest = most = 0
        for part in reversed(expression.parts):
            most = max(most, _most_left(part) + rest)
            rest += part.least
        return most
    if isinstance(expression, Alternation):
        return max(map(_most_left, expression.parts))
    if isinstance(expression, Deferred):
        return expression.left
    if isinstance(expression, Repetition):
        return _most_left(expression.body) + max(0, expression.minimum - 1) * expression.body.least
    return 0


def _is_padded(expression: Expression) -> bool:
    """Test whether, for any prefix, each text with it can be extended by one character behind the prefix.

    For a plain expression that is so if all its texts end in a character that may be repeated.
    """
    if isinstance(expression, Concatenation):
        return _is_padded(expression.parts[-1])
    if isinstance(expression, Alternation):
        return all(map(_is_padded, expression.parts))
    if isinstance(expression, Repetition):
        if isinstance(expression.body, Characters):
            return expression.maximum == UNBOUNDED
        return expression.minimum > 0 and _is_padded(expression.body)
    return False


class CountedLanguage(NamedTuple):
    """Automaton of texts with at most `maximum` characters, whose states know nothing of that bound.

    Attributes:
        root: start state, a number.
        end: a state without steps; -1 if there is none.
        steps: disjoint sets of characters that may follow a state, each with the state after it.
        is_final: tells whether a text may end in a state.
        least: number of characters of a shortest text from a state.
        maximum: greatest number of characters.
        slack: as of `BoundedLength`.
    """

    root: int
    end: int
    steps: Callable[[int], Iterable[tuple[CharSet, int]]]
    is_final: Callable[[int], bool]
    least: Callable[[int], int]
    maximum: int
    slack: int


class _Searched(NamedTuple):
    """Automaton of a conjunction without its maximal length, if that has few states, and the maximum.

    Texts of fewer than `minimum` characters are among those of the automaton, and do not count. If it has any, it is
    padded.
    """

    automaton: MinimalAutomaton | None
    minimum: int = 0
    maximum: int = 0

    @property
    def size(self) -> int:
        """Approximate memory, in bytes."""
        edges = 0 if self.automaton is None else sum(map(len, self.automaton.edges))
        return 100 * (1 + edges)


_AUTOMATA: BoundedCache[Expression, _Searched] = caches.register(
    "bounded languages", BoundedCache(256, 8 * 2**20, lambda found: found.size, has_fixed_sizes=True)
)


def counted_language(expression: Expression) -> CountedLanguage | None:
    """Automaton of an expression with a maximal length that is counted, if possible.

    That is so for many plain expressions, and for others that have few states without it.
    """
    bounded = as_counted(expression)
    if bounded is not None:
        return _counted(bounded)
    automaton, minimum, maximum = _AUTOMATA.get(expression, lambda: _searched(expression))
    return None if automaton is None else _of_length_from(automaton, minimum, maximum)


def _of_length_from(automaton: MinimalAutomaton, minimum: int, maximum: int) -> CountedLanguage:
    """Automaton of the texts with at least so many characters, as `_Searched` has them.

    A state is one of the automaton with the number of characters that were read; that is the minimum where none of
    the texts that follow is too short. As the automaton is padded, a text of each length follows that is neither less
    than the least one nor too short.
    """
    layers = minimum + 1
    known, final = automaton.least, automaton.is_final

    def steps(place: int) -> Iterator[tuple[CharSet, int]]:
        state, count = divmod(place, layers)
        following = min(count + 1, minimum)
        for charset, target in automaton.steps(state):
            total = following + known[target]
            if count == minimum or total <= maximum:
                yield charset, target * layers + (following if total < minimum else minimum)

    def is_final(place: int) -> bool:
        state, count = divmod(place, layers)
        return count == minimum and final[state]

    def least(place: int) -> int:
        state, count = divmod(place, layers)
        return max(known[state], minimum - count)

    slack = 1 + max(minimum - 1, *known)
    return CountedLanguage(automaton.root * layers, -1, steps, is_final, least, maximum, slack)


def _counted(bounded: BoundedLength) -> CountedLanguage:
    """Automaton of sets of positions, or of derivatives where those are many or the expression is not plain."""
    positions = position_sets(bounded.expression, minimal_automaton) if bounded.expression.is_plain else None
    if positions is not None:
        charset = positions.letters.charset

        def steps(state: int) -> Iterator[tuple[CharSet, int]]:
            return ((charset(mask), target) for mask, target in positions.steps(state))

        return CountedLanguage(
            positions.root, END, steps, positions.is_final, positions.distance, bounded.maximum, bounded.slack
        )
    derivatives = Derivatives(bounded.expression)
    nodes, least = derivatives.nodes, Liveness(derivatives).least

    def derived(node: int) -> Iterator[tuple[CharSet, int]]:
        return ((nodes.partition.charset(mask), target) for mask, target in derivatives.steps(node))

    return CountedLanguage(
        derivatives.root, nodes.epsilon, derived, nodes.accepts_end, least, bounded.maximum, bounded.slack
    )


def outside_of_bounds(expression: Expression) -> Expression | None:
    """A plain expression of the same texts, if they are all but those of a set whose number of turns is counted.

    Other sets may come before: `(?!x[a-z]{2,99}$).*` has the texts with another first character, and behind an `x`
    those of one letter or none, of a hundred or more, or with another character.
    """
    body = expression.body if isinstance(expression, Complement) else expression
    *before, last = body.parts if isinstance(body, Concatenation) else (body,)
    if body is expression or not isinstance(last, Repetition) or last.maximum == UNBOUNDED or not last.is_counted:
        return None
    turn = last.body
    if not isinstance(turn, Characters):
        return None
    more = concatenate([repeat(turn, last.maximum + 1, last.maximum + 1), ANYTHING])
    other = concatenate([repeat(turn, 0, UNBOUNDED), characters(~turn.charset), ANYTHING])
    found = alternate([repeat(turn, 0, last.minimum - 1) if last.minimum > 0 else NOTHING, more, other])
    for part in reversed(before):
        if not isinstance(part, Characters):
            return None
        other = concatenate([characters(~part.charset), ANYTHING])
        found = alternate([EPSILON, other, concatenate([part, found])])
    return found


def _searched(expression: Expression) -> _Searched:
    parts, minimum, maximum = _conditions(expression)
    if maximum == UNBOUNDED or maximum < 2 or not parts:  # of one character nothing need be counted
        return _Searched(None)
    automaton = minimal_automaton(intersect(*(_without_implied_bounds(part, maximum) for part in parts)))
    if automaton is not None and not automaton.is_padded:
        automaton, minimum = automaton.of_length_from(minimum, maximum), 0
    if automaton is None or automaton.root < 0 or minimum > maximum:
        return _Searched(None)
    least = automaton.least[automaton.root]
    return _Searched(automaton, minimum if minimum > least else 0, maximum)


def _conditions(expression: Expression) -> tuple[list[Expression], int, int]:
    """An expression as a conjunction: parts, and the interval of the lengths that others demand.

    Conditions on the rest at the very start of a text are parts of their own. `[a-z]{2,9}` is `[a-z]*` and a length.
    """
    parts: list[Expression] = []
    least, most = 0, UNBOUNDED
    todo = [expression]
    while todo:
        part = todo.pop()
        if isinstance(part, Intersection):
            todo += part.parts
        elif isinstance(part, Concatenation) and isinstance(part.parts[0], Lookahead):
            todo += (part.parts[0].rest, concatenate(part.parts[1:]))
        elif (charset := _only_set(part)) is not None:
            least, most = max(least, part.least), _lesser(most, part.most)
            if charset != ALL:
                parts.append(repeat(characters(charset), 0, UNBOUNDED))
        else:
            parts.append(part)
    return parts, least, most


def _only_set(expression: Expression) -> CharSet | None:
    """The set, if texts are sequences of characters of one set of which only the number is limited."""
    if isinstance(expression, Characters):
        return expression.charset
    if isinstance(expression, Repetition):
        return expression.body.charset if isinstance(expression.body, Characters) else None
    if not isinstance(expression, Concatenation):
        return None
    found = {_only_set(part) for part in expression.parts}
    return found.pop() if len(found) == 1 else None


def _lesser(a: int, b: int) -> int:
    """The lesser of two maxima."""
    return max(a, b) if UNBOUNDED in (a, b) else min(a, b)


def _without_implied_bounds(expression: Expression, maximum: int) -> Expression:
    """Expression with the same texts of at most `maximum` characters; greatest numbers of turns that follow are gone.

    In 255 characters `(?:[a-z]{1,63}\\.){1,127}[a-z]` is `(?:[a-z]{1,63}\\.)+[a-z]`.
    """
    if not isinstance(expression, Concatenation):
        return expression
    freed = [
        repeat(part.body, part.minimum, UNBOUNDED)
        if isinstance(part, Repetition)
        and part.maximum != UNBOUNDED
        and expression.least - part.least + (part.maximum + 1) * part.body.least > maximum
        else part
        for part in expression.parts
    ]
    return concatenate(freed)
