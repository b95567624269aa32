"""Deterministic automata of expressions, built as far as they are asked for: sets of positions.

A position is one occurrence of a set of characters in the expression; a state is the set of those that may be read
next. Sets are bits of an int, so that a step takes a few operations whatever the size of the expression. Derivatives
are more general: here expressions are plain, but for conditions on the rest of the text, of which the positions are
the edges of a minimal automaton.

Source: Glushkov, "The abstract theory of automata", 1961; Berry and Sethi, "From regular expressions to deterministic
automata", 1986.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Protocol

from guidance_kit.fsm.caches import BoundedCache, caches
from guidance_kit.fsm.network import UNBOUNDED
from guidance_kit.grammars.regular.charset import ALL, CharSet, typical
from guidance_kit.grammars.regular.encoding import SLICE_CHARACTERS
from guidance_kit.grammars.regular.expression import (
    ANYTHING,
    EPSILON,
    Alternation,
    Characters,
    Complement,
    Concatenation,
    Expression,
    Intersection,
    Lookahead,
    Repetition,
    concatenate,
    intersect,
)
from guidance_kit.grammars.regular.partition import Partition, bits_of

__all__ = ["DEAD", "END", "EVERYTHING", "PositionSets", "position_sets"]

DEAD = 0
"""State without texts."""

EVERYTHING = -1
"""State of all texts: a set with all bits."""

END = 1
"""State of the empty text, and the bit of the end of a text in others."""

_MOST_POSITIONS = 1_000
"""Positions beyond which an expression, repetitions written out, has no such automaton."""

_MOST_LOOKED_AT = 20_000
"""Positions in the sets of an expression beyond which it has no such automaton; a few milliseconds."""

_LETTERS_PER_POSITION = 8
"""Letters that are looked at in the time of a position of a state."""

_MOST_STATES = 20_000
"""States from which on an automaton is replaced by a new one."""


class _NoneError(Exception):
    """An expression has too many positions, or conditions or parts that have none."""


class Minimal(Protocol):
    """Minimal automaton, as `MinimalAutomaton` is."""

    root: int
    is_final: list[bool]
    least: list[int]

    def steps(self, state: int, /) -> Sequence[tuple[CharSet, int]]:
        """Disjoint sets of characters that may follow a state, each with the state after it."""
        ...


Determinise = Callable[[Expression], Minimal | None]
"""Minimal automaton of an expression; None if that is large."""


class PositionSets:
    """Automaton of an expression. States are ints; several threads may use it.

    Args:
        expression: the expression.
        determinise: finds automata of what follows conditions in it.

    Attributes:
        root: start state.
        letters: classes of the characters that the expression tells apart.
        has_counter: whether it has repetitions whose turns a network counts, more than one.
    """

    def __init__(self, expression: Expression, determinise: Determinise) -> None:
        self._determinise = determinise
        self._following = [0]  # of each position, which may be read after it; 0 is the end of the text
        self._least = [0]  # of each position, characters of a shortest rest that begins with it
        self._looked_at = 0  # positions, to find those numbers
        self._rests: dict[int, int] = {}  # of sets of positions, characters of a shortest rest that begins with one
        self._known: dict[CharSet, dict[int, int]] = {}  # positions by charset and those that follow
        self._readers: dict[CharSet, int] = {}  # the positions of each set of characters; of others than these at first
        self._free = 0  # positions of any character, after which any text may follow
        self.has_counter = False
        self._optional: list[int] = []  # positions of one repeated set, of which each may be the last
        self._any_optional = 0  # all of them
        self.root = self._reduced(self._first(expression, END))
        for charset, known in self._known.items():
            self._readers[charset] = self._readers.get(charset, 0) | sum(known.values())
        self._known.clear()
        self.letters = Partition(self._readers)
        everything = (1 << self.letters.count) - 1
        self._of_letter = self._find_positions(everything)
        self._steps: dict[int, list[tuple[int, int]]] = {EVERYTHING: [(everything, EVERYTHING)], DEAD: []}
        self._distances: dict[int, int] = {}

    def _find_positions(self, everything: int) -> list[int]:
        """The positions that read each letter. Each has one set, of which the letters within or without are few."""
        found, wide = [0] * self.letters.count, 0
        for charset, positions in self._readers.items():
            letters = self.letters.masks[charset]
            if 2 * letters.bit_count() > self.letters.count:
                letters, wide = letters ^ everything, wide | positions
            for letter in bits_of(letters):
                found[letter] |= positions
        return [positions ^ wide for positions in found] if wide else found

    @property
    def size(self) -> int:
        """Approximate memory, in bytes."""
        return (len(self._following) + 8 * len(self._steps)) * (64 + len(self._following) // 8)

    @property
    def is_spent(self) -> bool:
        """Test for so many known states that a new automaton is to take its place."""
        return len(self._steps) > _MOST_STATES

    def steps(self, state: int) -> list[tuple[int, int]]:
        """States by disjoint sets of characters that may follow: (mask of letters, state)."""
        found = self._steps.get(state)
        if found is not None:
            return found
        positions = state & ~END
        is_small = positions.bit_count() * _LETTERS_PER_POSITION < self.letters.count
        masks = self._letters_by_positions(positions) if is_small else self._letters_by_sets(positions)
        targets: dict[int, int] = {}
        for read, mask in masks.items():
            target = self._after(read)
            targets[target] = targets.get(target, 0) | mask
        found = self._steps[state] = [(mask, target) for target, mask in targets.items()]
        return found

    def _letters_by_sets(self, positions: int) -> dict[int, int]:
        """Masks of the letters that the same of some positions read, by these: letter by letter."""
        masks: dict[int, int] = {}
        for letter, readers in enumerate(self._of_letter):
            read = positions & readers
            if read:
                masks[read] = masks.get(read, 0) | 1 << letter
        return masks

    def _letters_by_positions(self, positions: int) -> dict[int, int]:
        """The same, position by position: faster for few."""
        masks = {0: (1 << self.letters.count) - 1}
        for position in bits_of(positions):
            letters = self._letters_of[position]
            for read, mask in list(masks.items()):
                if both := mask & letters:
                    masks[read] = mask ^ both
                    masks[read | 1 << position] = both
        return {read: mask for read, mask in masks.items() if read and mask}

    def ways(self, state: int) -> list[tuple[int, int]]:
        """Steps of a nondeterministic automaton, whose states are far fewer: masks of letters may overlap."""
        if state == EVERYTHING:
            return self.steps(state)
        targets: dict[int, int] = {}
        for position in bits_of(state & ~END):
            following = self._following[position]
            targets[following] = targets.get(following, 0) | self._letters_of[position]
        return [(mask, self._reduced(following)) for following, mask in targets.items()]

    @cached_property
    def _letters_of(self) -> list[int]:
        """Of each position, the mask of the letters that are read there."""
        found = [0] * len(self._following)
        for charset, positions in self._readers.items():
            for position in bits_of(positions):
                found[position] = self.letters.masks[charset]
        return found

    def is_final(self, state: int) -> bool:
        """Test whether a text may end in a state."""
        return bool(state & END)

    def distance(self, state: int) -> int:
        """Number of characters of a shortest text from a state that is not dead."""
        if state & END:
            return 0
        found = self._distances.get(state)
        if found is None:
            found = self._distances[state] = min(self._least[position] for position in bits_of(state))
        return found

    @cached_property
    def read_letters(self) -> int:
        """Mask of the letters that are read at some position."""
        return sum(1 << letter for letter, positions in enumerate(self._of_letter) if positions)

    def reads(self, point: int) -> bool:
        """Test whether a character is read at some position."""
        return bool(self.read_letters >> (self.letters.class_of(point) or 0) & 1)

    def opens(self, point: int) -> bool:
        """Test whether any text may follow a character, whatever has been read before it, as in all texts but some."""
        return bool(self._opened >> (self.letters.class_of(point) or 0) & 1)

    @cached_property
    def _opened(self) -> int:
        """Letters behind which any text may follow from each state, if each reads all letters; else none.

        A state is the start, or has what follows some position.
        """
        everything = (1 << self.letters.count) - 1
        endless = END | self._free
        found = everything if self._free else 0
        for state in {self.root, *self._following[1:]} - {endless, EVERYTHING}:
            read = opened = 0
            for position in bits_of(state & ~END):
                read |= self._letters_of[position]
                if self._following[position] & endless == endless:
                    opened |= self._letters_of[position]
            if read != everything or not found:
                return 0
            found &= opened
        return found

    def loops(self, point: int) -> int:
        """Positions that read each character of the slice of text, and `point`, over and over."""
        found = 0
        for charset, positions in self._readers.items():
            if point in charset and charset >= SLICE_CHARACTERS:
                found |= sum(
                    1 << position for position in bits_of(positions) if self._following[position] >> position & 1
                )
        return found

    def contains(self, text: str) -> bool:
        """Test whether a text belongs to the expression."""
        state = self.root
        for character in text:
            letter = self.letters.class_of(ord(character))
            if state == EVERYTHING or letter is None:
                break
            state = self._after(state & self._of_letter[letter])
        else:
            return self.is_final(state)
        return state == EVERYTHING

    def shortest(self) -> str:
        """A shortest text; the language has one."""
        text: list[str] = []
        state = self.root
        while not self.is_final(state):
            position = min(bits_of(state), key=self._least.__getitem__)
            text.append(typical(next(charset for charset, some in self._readers.items() if some >> position & 1)))
            state = self._following[position]
        return "".join(text)

    def _after(self, read: int) -> int:
        """State after one of some positions has been read."""
        following = 0
        for position in bits_of(read):
            following |= self._following[position]
        return self._reduced(following)

    def _reduced(self, positions: int) -> int:
        """State of a set of positions, without those that add no text."""
        if positions & self._free and positions & END:
            return EVERYTHING
        for group in self._optional if positions & self._any_optional else ():
            among = positions & group
            if among & (among - 1):
                positions ^= among ^ (1 << (among.bit_length() - 1))  # the rest of the first turn has all others
        return positions

    def _first(self, expression: Expression, following: int) -> int:
        """Positions that may be read first where `expression` stands before the positions `following`."""
        if expression is ANYTHING and following == END:
            if not self._free:
                self._free = self._new_reader(ALL, END)
                self._following[-1] = END | self._free
            return END | self._free
        if isinstance(expression, Characters):
            return self._position(expression.charset, following)
        if isinstance(expression, Concatenation):
            parts = expression.parts
            for place, part in enumerate(() if expression.is_plain else parts):
                if isinstance(part, Lookahead):
                    rest = intersect(part.rest, concatenate(parts[place + 1 :]))
                    following = self._first_of_rest(rest, following)
                    parts = parts[:place]
                    break
            for part in reversed(parts):
                if following == DEAD:
                    break
                if isinstance(part, Characters):
                    following = self._position(part.charset, following)
                else:
                    following = self._first(part, following)
            return following
        if isinstance(expression, Alternation):
            found = 0
            for part in expression.parts:
                found |= self._first(part, following)
            return found
        if isinstance(expression, Repetition):
            return self._first_of_turns(expression, following)
        if expression is EPSILON:
            return following
        raise _NoneError

    def _first_of_turns(self, repetition: Repetition, following: int) -> int:
        """`_first` of a repetition."""
        body, minimum, maximum = repetition.body, repetition.minimum, repetition.maximum
        self.has_counter |= repetition.is_counted and max(minimum, maximum) > 1
        if max(minimum, maximum) > _MOST_POSITIONS or not body.is_plain:
            raise _NoneError
        if maximum == UNBOUNDED:
            begin = len(self._following)
            loop = self._new_position(following)  # stands for what begins the next turn until that is known
            first = self._first(body, following | loop) & ~loop
            for position in range(begin + 1, len(self._following)):
                if self._following[position] & loop:
                    self._following[position] = self._following[position] & ~loop | first
            if isinstance(body, Characters) and body.charset == ALL and following & END:
                self._free |= first
            found = first | following if minimum == 0 else first
            minimum -= 1
        else:
            found = following
            begin = len(self._following)
            for turn in range(maximum - minimum):
                found = self._first(body, found) | following
                if turn == 0 and maximum * (len(self._following) - begin) > _MOST_POSITIONS:
                    raise _NoneError
            if isinstance(body, Characters) and maximum - minimum > 1:
                self._optional.append((1 << len(self._following)) - (1 << begin))
                self._any_optional |= self._optional[-1]
        for _ in range(minimum):
            found = self._first(body, found)
        return found

    def _first_of_rest(self, rest: Expression, following: int) -> int:
        """Positions that may be read first where only `rest` is left of the text."""
        is_alone = following == END and not _looks_behind(rest)
        automaton = self._determinise(rest) if is_alone else None
        if automaton is None:
            raise _NoneError
        if automaton.root < 0:
            return DEAD
        firsts = [END if is_final else 0 for is_final in automaton.is_final]
        targets: list[tuple[int, int]] = []
        for state in range(len(firsts)):
            for charset, target in automaton.steps(state):
                targets.append((len(self._following), target))
                bit = self._new_reader(charset, END)
                firsts[state] |= bit
                if target == state and charset == ALL:
                    self._free |= bit
        for position, target in targets:
            self._following[position] = firsts[target]
            self._least[position] = automaton.least[target] + 1
        return firsts[automaton.root]

    def _position(self, charset: CharSet, following: int) -> int:
        """A position, as a bit; the same for the same."""
        known = self._known.get(charset)
        if known is None:
            known = self._known[charset] = {}
        bit = known.get(following, 0)
        if not bit:
            bit = known[following] = self._new_position(following)
        return bit

    def _new_reader(self, charset: CharSet, following: int) -> int:
        """A new position, as a bit, that is not the same for the same."""
        bit = self._new_position(following)
        self._readers[charset] = self._readers.get(charset, 0) | bit
        return bit

    def _new_position(self, following: int) -> int:
        """A new position, as a bit, of no set of characters yet."""
        number = len(self._following)
        if number > _MOST_POSITIONS:
            raise _NoneError
        self._following.append(following)
        is_one = following & (following - 1) == 0
        least = self._least[following.bit_length() - 1] if is_one else self._rests.get(following)
        if least is None:
            self._looked_at += following.bit_count()
            if self._looked_at > _MOST_LOOKED_AT:
                raise _NoneError
            least = self._rests[following] = min(self._least[position] for position in bits_of(following))
        self._least.append(least + 1)
        return 1 << number


def _looks_behind(expression: Expression) -> bool:
    """Test whether an expression depends on the text before it."""
    if expression.is_plain:
        return False
    if isinstance(expression, Concatenation | Alternation | Intersection):
        return any(map(_looks_behind, expression.parts))
    if isinstance(expression, Repetition | Complement):
        return _looks_behind(expression.body)
    return _looks_behind(expression.rest) if isinstance(expression, Lookahead) else True


class _Found:
    """The automaton of an expression, or None."""

    __slots__ = ("automaton",)

    def __init__(self, expression: Expression, determinise: Determinise) -> None:
        try:
            self.automaton = PositionSets(expression, determinise)
        except _NoneError:
            self.automaton = None


_AUTOMATA: BoundedCache[Expression, _Found] = caches.register(
    "position sets",
    BoundedCache(
        512,
        8 * 2**20,
        lambda found: 100 if found.automaton is None else found.automaton.size,
        lambda found: found.automaton is not None and found.automaton.is_spent,
    ),
)


def position_sets(expression: Expression, determinise: Determinise) -> PositionSets | None:
    """Automaton of an expression other than NOTHING, kept for its next use; None if it is large.

    Args:
        expression: the expression.
        determinise: as of `PositionSets`.
    """
    return _AUTOMATA.get(expression, lambda: _Found(expression, determinise)).automaton
