"""Pattern as an NFA with prioritised transitions, in the order in which `re` tries them.

Source: Cox, "Regular Expression Matching: the Virtual Machine Approach", 2009.
"""

from __future__ import annotations

import re
import re._constants as op  # pyright: ignore[reportMissingImports]
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

from guidance_kit.errors import LimitError, UnsupportedFeature
from guidance_kit.fsm.network import UNBOUNDED
from guidance_kit.grammars.regular import charset
from guidance_kit.grammars.regular.charset import ALL, CharSet
from guidance_kit.grammars.regular.parse import TreeReader, combined_flags, turns

__all__ = ["MATCH", "Lookaround", "NfaState", "PatternNfa"]

MAX_PLACES = 50_000
"""States of one pattern, its repetitions written out."""


class Lookaround(NamedTuple):
    """A lookaround: its body, which starts in state `start`, must match (or must not) ahead or behind."""

    start: int
    is_ahead: bool
    is_negated: bool
    width: int = 1


class NfaState(NamedTuple):
    """A state of the NFA of a pattern.

    Attributes:
        targets: next states, by priority.
        chars: the state reads one of these characters; None for an epsilon state.
        lookarounds: conditions of the state, all of which must hold.
        end, before: of a state at which a nullable turn of a repetition starts: the state behind the repetition, and
            the start of the turn before (-1 for the first). `re` tries no other turn after an empty one. -1 for other
            states.
        mark: 2 g at the start of group g, 2 g + 1 at its end; -1 for other states.
    """

    targets: tuple[int, ...] = ()
    chars: CharSet | None = None
    lookarounds: tuple[Lookaround, ...] = ()
    end: int = -1
    before: int = -1
    mark: int = -1


MATCH = 0
"""State at which a pattern, or the body of a lookaround, has matched."""


class PatternNfa:
    """NFA of a pattern, constructed from its end.

    Args:
        reader, tree, flags: of the pattern, see `read_tree`.
        marked: numbers of the groups whose starts and ends get states with marks.

    Attributes:
        states: all states by number; 0 is `MATCH`.
        start: number of the start state.
    """

    def __init__(self, reader: TreeReader, tree: Any, flags: int, marked: AbstractSet[int] = frozenset()) -> None:
        self._reader = reader
        self._marked = marked
        self.states: list[NfaState] = [NfaState()]
        self.start = self._sequence(tree, flags, MATCH)

    @property
    def charsets(self) -> set[CharSet]:
        """All sets of characters that states read."""
        return {state.chars for state in self.states if state.chars is not None}

    @property
    def path(self) -> list[CharSet] | None:
        """The sets of characters that it reads one after the other, if it is as simple as that."""
        found: list[CharSet] = []
        number = self.start
        while number != MATCH:
            state = self.states[number]
            if state.chars is None:
                return None
            found.append(state.chars)
            number = state.targets[0]
        return found

    def _add(self, state: NfaState) -> int:
        if len(self.states) >= MAX_PLACES:
            raise LimitError("max_places", MAX_PLACES, where="a terminal with its repetitions written out")
        self.states.append(state)
        return len(self.states) - 1

    def _sequence(self, tree: Any, flags: int, target: int) -> int:
        for kind, value in reversed(list(tree)):
            target = self._node(kind, value, flags, target)
        return target

    def _node(self, kind: Any, value: Any, flags: int, target: int) -> int:
        chars = self._reader.charset(kind, value, flags)
        if chars is not None:
            return self._add(NfaState((target,), chars=chars))
        if kind is op.SUBPATTERN:
            group, added, removed, body = value
            if group not in self._marked:
                return self._sequence(body, combined_flags(flags, added, removed), target)
            end = self._add(NfaState((target,), mark=2 * group + 1))
            start = self._sequence(body, combined_flags(flags, added, removed), end)
            return self._add(NfaState((start,), mark=2 * group))
        if kind is op.BRANCH:
            return self._add(NfaState(tuple(self._sequence(branch, flags, target) for branch in value[1])))
        if kind in (op.MAX_REPEAT, op.MIN_REPEAT):
            return self._repetition(value, flags, target, is_greedy=kind is op.MAX_REPEAT)
        if kind is op.AT:
            return self._at(value, flags, target)
        if kind in (op.ASSERT, op.ASSERT_NOT):
            direction, body = value
            start = self._sequence(body, flags, MATCH)
            look = Lookaround(start, direction > 0, kind is op.ASSERT_NOT, int(body.getwidth()[1]))
            return self._add(NfaState((target,), lookarounds=(look,)))
        if kind is op.FAILURE:
            return self._add(NfaState())
        raise UnsupportedFeature(
            f"{str(kind).lower().replace('_', ' ')} in a terminal", where=repr(self._reader.written.origin)
        )

    def _repetition(self, value: Any, flags: int, target: int, *, is_greedy: bool) -> int:
        minimum, maximum = turns(value)
        end = target if value[2].getwidth()[0] == 0 else -1
        following = target
        if maximum == UNBOUNDED:
            following = self._add(NfaState())
            turn = self._sequence(value[2], flags, following)
            self.states[following] = NfaState(
                (turn, target) if is_greedy else (target, turn), end=end, before=following
            )
        for _ in range(maximum - minimum):
            turn = self._sequence(value[2], flags, following)
            head = self._add(NfaState((turn, target) if is_greedy else (target, turn), end=end))
            if following != target:
                self.states[following] = self.states[following]._replace(before=head)
            following = head
        for _ in range(minimum):
            following = self._sequence(value[2], flags, following)
        return following

    def _at(self, value: Any, flags: int, target: int) -> int:
        r"""State with the lookarounds of ^, $, \A, \Z, \b or \B."""
        newline = CharSet.single(0x0A)
        if value is op.AT_BEGINNING and flags & re.MULTILINE:
            targets = [(self._near(~newline, is_ahead=False, is_negated=True),)]
        elif value in (op.AT_BEGINNING, op.AT_BEGINNING_STRING):
            targets = [(self._near(ALL, is_ahead=False, is_negated=True),)]
        elif value is op.AT_END and flags & re.MULTILINE:
            targets = [(self._near(~newline, is_ahead=True, is_negated=True),)]
        elif value is op.AT_END:
            more = self._add(NfaState((self._add(NfaState((MATCH,), chars=ALL)),), chars=newline))
            other = self._add(NfaState((MATCH,), chars=~newline))
            targets = [(Lookaround(self._add(NfaState((more, other))), is_ahead=True, is_negated=True, width=2),)]
        elif value is op.AT_END_STRING:
            targets = [(self._near(ALL, is_ahead=True, is_negated=True),)]
        else:
            word = charset.words() if flags & re.UNICODE else charset.ASCII_WORD
            targets = [
                (
                    self._near(word, is_ahead=False, is_negated=not is_behind),
                    self._near(word, is_ahead=True, is_negated=is_behind == (value is op.AT_BOUNDARY)),
                )
                for is_behind in (True, False)
            ]
        return self._add(
            NfaState(tuple(self._add(NfaState((target,), lookarounds=lookarounds)) for lookarounds in targets))
        )

    def _near(self, chars: CharSet, *, is_ahead: bool, is_negated: bool) -> Lookaround:
        return Lookaround(self._add(NfaState((MATCH,), chars=chars)), is_ahead, is_negated)
