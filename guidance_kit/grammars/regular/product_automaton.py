"""Deterministic automata of conjunctions, alternatives and complements of expressions: products, built lazily.

A state has one state of each of these expressions (see `position_sets`). It is dead as soon as the states of some of
them show it, and those that no longer matter are forgotten, so that states without a difference to be seen are one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from heapq import heappop, heappush

from guidance_kit.fsm.network import Work
from guidance_kit.grammars.regular.charset import typical
from guidance_kit.grammars.regular.expression import (
    EPSILON,
    NOTHING,
    Alternation,
    Complement,
    Concatenation,
    Expression,
    Intersection,
    Lookahead,
    concatenate,
)
from guidance_kit.grammars.regular.nodes import WHERE
from guidance_kit.grammars.regular.partition import Partition, bits_of
from guidance_kit.grammars.regular.position_sets import DEAD, EVERYTHING, Determinise, PositionSets, position_sets

__all__ = ["ProductAutomaton", "is_plain_combination", "product_automaton"]

_SIMPLE, _NOT, _AND, _OR = range(4)

_FALSE, _OPEN, _TRUE = -1, 0, 1
"""Knowledge that states show: no text follows, some text may, or any does."""

_POSITIONS_PER_STEP = 16
"""Positions of a set that are looked at in the time of a step of the product."""

_CLASSES_PER_PART = 4
"""Classes of characters, per part of a combination, up to which one after the other is faster than splitting them."""

_LONGEST_WITNESS = 250
"""Characters of the texts that are tried."""

_Formula = tuple[int, tuple["_Formula", ...], int]
"""Kind, parts, and of a simple one its number."""


class ProductAutomaton:
    """Automaton of a combination of simple expressions. States are numbers.

    Args:
        formula: the combination.
        parts: automata of the plain expressions.

    Attributes:
        root: start state.
        work: bound on the steps to be taken; None: there is none.
    """

    def __init__(self, formula: _Formula, parts: Sequence[PositionSets]) -> None:
        self.work: Work | None = None
        self._formula = formula
        self._parts = parts
        self._classes: list[dict[int, int]] = [{} for _ in parts]  # of masks of letters of each part
        self._part_steps: list[dict[int, list[tuple[int, int]]]] = [{} for _ in parts]
        self._rows: list[dict[int, tuple[tuple[int, ...], int]]] = [{} for _ in parts]
        self._steps: dict[int, list[tuple[int, int]]] = {}
        self._live: dict[int, bool] = {}
        self._final: dict[int, bool] = {}
        self._decisive: dict[int, int] = {}
        self._is_flat = self._find_decisive(formula)
        states = [part.root for part in parts]
        self._shown(formula, states)
        self.root = 0
        self._states = [tuple(states)]
        self._numbers = {self._states[0]: 0}
        self._origins = [(-1, 0)]  # of each state, one before it and the classes that lead here
        self._plain: dict[int, tuple[tuple[PositionSets, int], ...]] = {}

    @cached_property
    def partition(self) -> Partition:
        """Classes of the characters that some expression tells apart."""
        return Partition({charset for part in self._parts for charset in part.letters.masks})

    @property
    def has_counter(self) -> bool:
        """Test for repetitions whose turns a network counts."""
        return any(part.has_counter for part in self._parts)

    @property
    def states(self) -> int:
        """Number of states so far."""
        return len(self._states)

    def steps(self, state: int) -> list[tuple[int, int]]:
        """States by disjoint sets of characters that may follow: (mask of classes, state), without the plainly dead."""
        found = self._steps.get(state)
        if found is not None:
            return found
        groups = (self._by_class if self._has_few_classes else self._by_splitting)(self._states[state])
        if self.work is not None:
            self.work.spend(len(groups), WHERE)
        numbers, targets = self._numbers, dict[int, int]()
        for following, mask in groups.items():
            target = numbers.get(following)
            if target is None:
                target = self._number(following, state, mask)
            if target >= 0:
                targets[target] = targets.get(target, 0) | mask
        found = self._steps[state] = [(mask, target) for target, mask in targets.items()]
        return found

    def _number(self, following: tuple[int, ...], state: int, mask: int) -> int:
        """State that has some states of the parts, which are met for the first time; -1 if that is plainly dead.

        Args:
            following: states of the parts.
            state, mask: the state before, and the classes (a mask) that lead here.
        """
        number, kept = -1, [*following]
        if self._is_flat or self._shown(self._formula, kept) != _FALSE:
            number = self._numbers.setdefault(tuple(kept), len(self._states))
            if number == len(self._states):
                self._states.append(tuple(kept))
                self._origins.append((state, mask))
        self._numbers[following] = number
        return number

    def _by_splitting(self, states: tuple[int, ...]) -> dict[tuple[int, ...], int]:
        """States of the parts after a character, each with the classes (a mask) that lead there: part by part."""
        groups: list[tuple[int, tuple[int, ...]]] = [(self._everything, ())]
        for number, one in enumerate(states):
            if one in (DEAD, EVERYTHING):
                groups = [(mask, (*before, one)) for mask, before in groups]
            else:
                steps = self._steps_of(number, one)
                groups = [
                    (both, (*before, target))
                    for mask, before in groups
                    for part, target in steps
                    if (both := mask & part)
                ]
        found: dict[tuple[int, ...], int] = {}
        for mask, following in groups:
            found[following] = found.get(following, 0) | mask
        return found

    def _by_class(self, states: tuple[int, ...]) -> dict[tuple[int, ...], int]:
        """The same, class by class: faster for few."""
        rows: list[tuple[int, ...]] = []
        left = self._everything
        for number, one in enumerate(states):
            row, classes = self._rows[number].get(one) or self._row(number, one)
            rows.append(row)
            left &= classes
        found: dict[tuple[int, ...], int] = {}
        for bit, following in zip(self._bits, zip(*rows, strict=True), strict=True):
            if left & bit:
                found[following] = found.get(following, 0) | bit
        return found

    def _row(self, number: int, state: int) -> tuple[tuple[int, ...], int]:
        """State of a part after each class, and the classes (a mask) that do not decide against the combination."""
        after = [DEAD] * self._parts[number].letters.count
        for mask, target in self._counted_steps_of(number, state):
            for letter in bits_of(mask):
                after[letter] = target
        row = tuple([after[letter] for letter in self._letter_of_class[number]])
        decisive = self._decisive.get(number)
        found = row, sum([bit for bit, target in zip(self._bits, row, strict=True) if target != decisive])
        self._rows[number][state] = found
        return found

    def is_final(self, state: int) -> bool:
        """Test whether a text may end in a state."""
        known = self._final.get(state)
        if known is None:
            states = self._states[state]
            if self._is_flat:
                known = all(
                    part.is_final(states[number]) == (self._decisive[number] == DEAD)
                    for number, part in enumerate(self._parts)
                )
            else:
                known = self._accepts(self._formula, states)
            self._final[state] = known
        return known

    def text(self, state: int) -> str:
        """A text that leads to a state."""
        found: list[str] = []
        while state != self.root:
            state, mask = self._origins[state]
            found.append(typical(self.partition.charset(mask)))
        return "".join(reversed(found))

    def plain_parts(self, state: int) -> tuple[tuple[PositionSets, int], ...]:
        """Expressions, with a state of each, of which any one's texts are those that may follow a state.

        None, if what follows is a conjunction or a complement, or anything.
        """
        found = self._plain.get(state)
        if found is None:
            states = [*self._states[state]]
            if self._is_flat:
                open_ = [number for number, one in enumerate(states) if one not in (DEAD, EVERYTHING)]
                numbers = open_ if len(open_) == 1 and self._decisive[open_[0]] == DEAD else []
            else:
                is_open = self._shown(self._formula, states) == _OPEN
                numbers = self._alternatives(self._formula, states) if is_open else ()
            found = self._plain[state] = tuple((self._parts[number], states[number]) for number in numbers)
        return found

    def _alternatives(self, formula: _Formula, states: list[int]) -> tuple[int, ...]:
        """Numbers of the simple expressions of which an open formula is an alternative; none if it is not."""
        kind, parts, number = formula
        if kind in (_SIMPLE, _NOT):
            return (number,) if kind == _SIMPLE else ()
        found = [self._alternatives(part, states) for part in parts if self._shown(part, states) == _OPEN]
        is_alternative = all(found) if kind == _OR else len(found) == 1
        return sum(found, ()) if is_alternative else ()

    def has_witness(self) -> bool:
        """Test whether a shortest text of one expression, not a long one, belongs to the combination."""
        return any(
            part.distance(part.root) <= _LONGEST_WITNESS and self._contains(self._formula, part.shortest())
            for part in self._parts
            if part.root != DEAD
        )

    def _contains(self, formula: _Formula, text: str) -> bool:
        kind, parts, number = formula
        if kind == _SIMPLE:
            return self._parts[number].contains(text)
        if kind == _NOT:
            return not self._contains(parts[0], text)
        found = (self._contains(part, text) for part in parts)
        return all(found) if kind == _AND else any(found)

    def is_free(self, state: int) -> bool:
        """Test, without a search, that each text of the slice's characters leads from a state to one that is live.

        After any of them one character ends all parts that never read it, as those without `.*` in them, and in others,
        as in all texts but some, any text may follow it. What is in a loop for all characters stays there. If the
        formula then holds by itself, or by any one of the latter alone, a text is left. A state of which that is true
        may be missed.
        """
        states: list[int] = []
        for number, one in enumerate(self._states[state]):
            after = self._after_closing(number, one)
            if after is None:
                return False
            states.append(after)
        shown = self._shown(self._formula, states)
        return shown == _TRUE or (shown == _OPEN and bool(self._alternatives(self._formula, states)))

    def is_free_part(self, part: PositionSets, state: int) -> bool:
        """The same for a state of a part by itself."""
        return self._after_closing(self._parts.index(part), state) not in (DEAD, None)

    def _after_closing(self, number: int, state: int) -> int | None:
        """State of a part after any text and a character that few parts read; None if it is not known."""
        after, loop = self._closing[number]
        return state if state in (DEAD, EVERYTHING) or state & loop else after

    @cached_property
    def _closing(self) -> list[tuple[int | None, int]]:
        """Of each part, the state after that character, if always the same, and the positions that it stays in."""
        left = self._everything
        for number, part in enumerate(self._parts):
            left = left & ~self._classes_of(number, part.read_letters) or left
        point = self.partition.charset(left & -left).bounds[0]
        return [
            (EVERYTHING if part.opens(point) else None if part.reads(point) else DEAD, part.loops(point))
            for part in self._parts
        ]

    def is_live(self, state: int) -> bool:
        """Test whether some text follows a state.

        Raises:
            LimitError: `work` does not suffice.
        """
        known = self._live.get(state)
        if known is not None:
            return known
        origin = {state: -1}
        todo = [(0, 0, state)]
        here = state if self.is_surely_live(state) else -1
        while todo and here < 0:
            place = heappop(todo)[2]
            if place in self._live:
                continue
            for _, target in self.steps(place):
                if target not in origin:
                    origin[target] = place
                    if self.is_surely_live(target):
                        here = target
                        break
                    heappush(todo, (self._distance(self._formula, self._states[target]), -len(origin), target))
        if here < 0:
            self._live.update(dict.fromkeys(origin, False))
            return False
        while here >= 0:
            self._live[here] = True
            here = origin[here]
        return True

    def is_surely_live(self, state: int) -> bool:
        """Quick test for a text that follows a state."""
        return self._live.get(state) or self.is_final(state) or bool(self.plain_parts(state))

    def _find_decisive(self, formula: _Formula, decisive: int = DEAD) -> bool:
        """Find the state of each part, as far as it has one, that makes the whole formula false.

        Returns:
            Whether nothing else does, since `formula` is a conjunction of parts and complements of parts.
        """
        kind, parts, number = formula
        if kind == _SIMPLE:
            self._decisive[number] = decisive
        elif kind == _NOT and parts[0][0] == _SIMPLE:
            self._find_decisive(parts[0], EVERYTHING)
        else:
            found = [self._find_decisive(part) for part in parts] if kind == _AND else [False]
            return all(found)
        return True

    @cached_property
    def _everything(self) -> int:
        return (1 << self.partition.count) - 1

    @cached_property
    def _bits(self) -> list[int]:
        """Masks of the classes, one by one."""
        return [1 << number for number in range(self.partition.count)]

    @cached_property
    def _has_few_classes(self) -> bool:
        return self.partition.count <= _CLASSES_PER_PART * len(self._parts)

    @cached_property
    def _letter_of_class(self) -> list[list[int]]:
        """Of each part, the letter that each class of the product belongs to."""
        points = [self.partition.charset(bit).bounds[0] for bit in self._bits]
        return [[part.letters.class_of(point) or 0 for point in points] for part in self._parts]

    @cached_property
    def _letters(self) -> list[list[int]]:
        """Of each part, the classes of the product that each of its letters is made of, as masks."""
        found = [[0] * part.letters.count for part in self._parts]
        for masks, letters in zip(found, self._letter_of_class, strict=True):
            for bit, letter in zip(self._bits, letters, strict=True):
                masks[letter] |= bit
        return found

    def _steps_of(self, number: int, state: int) -> list[tuple[int, int]]:
        """Steps of a part, by classes of the product, but for those that decide against the combination."""
        known = self._part_steps[number].get(state)
        if known is None:
            steps = self._counted_steps_of(number, state)
            known = [(self._classes_of(number, mask), target) for mask, target in steps]
            left = self._everything
            for classes, _ in known:
                left ^= classes
            if left:
                known.append((left, DEAD))
            decisive = self._decisive.get(number)
            known = [(classes, target) for classes, target in known if target != decisive]
            self._part_steps[number][state] = known
        return known

    def _counted_steps_of(self, number: int, state: int) -> list[tuple[int, int]]:
        """Steps of a part, by its own letters."""
        steps = self._parts[number].steps(state)
        if self.work is not None:
            self.work.spend(state.bit_count() * len(steps) // _POSITIONS_PER_STEP, WHERE)
        return steps

    def _classes_of(self, number: int, mask: int) -> int:
        """Classes of the product in a mask of letters of a part."""
        known = self._classes[number].get(mask)
        if known is None:
            letters, known = self._letters[number], 0
            others = (1 << len(letters)) - 1 & ~mask
            is_most = mask.bit_count() > others.bit_count()
            for letter in bits_of(others if is_most else mask):
                known |= letters[letter]
            known = self._classes[number][mask] = self._everything ^ known if is_most else known
        return known

    def _shown(self, formula: _Formula, states: list[int]) -> int:
        """Find what the states show about a formula. Those that do not matter become `DEAD` in place."""
        kind, parts, number = formula
        if kind == _SIMPLE:
            return _FALSE if states[number] == DEAD else _TRUE if states[number] == EVERYTHING else _OPEN
        if kind == _NOT:
            return -self._shown(parts[0], states)
        decisive = _FALSE if kind == _AND else _TRUE
        result = -decisive
        for place, part in enumerate(parts):
            shown = self._shown(part, states)
            if shown == decisive:
                for other in (*parts[:place], *parts[place + 1 :]):
                    _forget(other, states)
                return decisive
            if shown == _OPEN:
                result = _OPEN
        return result

    def _accepts(self, formula: _Formula, states: Sequence[int]) -> bool:
        kind, parts, number = formula
        if kind == _SIMPLE:
            return self._parts[number].is_final(states[number])
        if kind == _NOT:
            return not self._accepts(parts[0], states)
        found = (self._accepts(part, states) for part in parts)
        return all(found) if kind == _AND else any(found)

    def _distance(self, formula: _Formula, states: Sequence[int]) -> int:
        """Estimated number of characters to the end of a text."""
        kind, parts, number = formula
        if kind == _SIMPLE:
            return 0 if states[number] == DEAD else self._parts[number].distance(states[number])
        if kind == _NOT:
            return 0
        found = (self._distance(part, states) for part in parts)
        return sum(found) if kind == _AND else min(found)


def _forget(formula: _Formula, states: list[int]) -> None:
    """Make the states of all simple expressions of a formula `DEAD`."""
    kind, parts, number = formula
    if kind == _SIMPLE:
        states[number] = DEAD
    for part in parts:
        _forget(part, states)


def product_automaton(expression: Expression, determinise: Determinise) -> ProductAutomaton | None:
    """Automaton of an expression; None if it has lookarounds that `position_sets` does not know, or large parts.

    Args:
        expression: the expression.
        determinise: as of `PositionSets`.
    """
    parts: list[PositionSets] = []
    formula = _formula(expression, parts, determinise)
    return None if formula is None else ProductAutomaton(formula, parts)


def is_plain_combination(expression: Expression) -> bool:
    """Test whether an expression combines plain ones alone."""
    kind, ways = _split(expression)
    return expression.is_plain if kind == _SIMPLE else all(map(is_plain_combination, ways))


def _formula(expression: Expression, parts: list[PositionSets], determinise: Determinise) -> _Formula | None:
    """The formula of an expression; adds the automata of the simple expressions in it to `parts`."""
    kind, ways = _split(expression)
    if kind == _SIMPLE:
        automaton = None if expression is NOTHING else position_sets(expression, determinise)
        if automaton is None:
            return None
        parts.append(automaton)
        return kind, (), len(parts) - 1
    formulas: list[_Formula] = []
    for way in ways:
        formula = _formula(way, parts, determinise)
        if formula is None:
            return None
        formulas.append(formula)
    return kind, tuple(formulas), -1


def _split(expression: Expression) -> tuple[int, Sequence[Expression]]:
    """Kind and parts of an expression that is a combination of others."""
    if isinstance(expression, Complement):
        return _NOT, (expression.body,)
    if isinstance(expression, Intersection):
        return _AND, expression.parts
    if isinstance(expression, Alternation) and expression.is_whole:
        return _OR, expression.parts
    head = expression.parts[0] if isinstance(expression, Concatenation) else expression
    if isinstance(head, Lookahead):  # it speaks of the whole text
        rest = concatenate(expression.parts[1:]) if isinstance(expression, Concatenation) else EPSILON
        return _AND, (head.rest, rest)
    return _SIMPLE, ()
