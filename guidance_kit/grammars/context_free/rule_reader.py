"""Certain captures of the rules of a grammar in a text that is still being written.

All ways of reading the text are followed at once, as Earley (1970) does it: a rule that begins at a place is one
*call*, however many rules want it there, and how far it has got is a *stage*. Each stage knows what has been matched in
its call in whatever way it was reached. What is certain of the whole text is what all stages have in common that can go
on, with what has been matched in the calls around them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from guidance_kit.errors import MatchError
from guidance_kit.grammars.context_free.lexeme import Lexeme
from guidance_kit.grammars.context_free.readings import Readings, plain_name
from guidance_kit.grammars.context_free.weaving import IGNORED, Key

__all__ = ["RuleReader"]

_Spans = tuple[Any, ...]
"""Captures: (name, begin, end), or pairs of such, or nothing."""

_Matched = frozenset[tuple[str, int, int]]


@dataclass(eq=False, slots=True)
class _Call:
    """A rule that begins at a place.

    Attributes:
        key: the rule.
        name: under which it is asked for, if it is.
        place: where it begins, or what is ignored before it.
        callers: the stages that are reached behind it, each with what was matched before it there.
        empty: what was matched if it has read nothing, by the stages at its end.
    """

    key: Key
    name: str | None
    place: int
    callers: dict[_Stage, _Spans] = field(default_factory=dict)
    empty: dict[tuple[int, int], _Spans] = field(default_factory=dict)


class _Stage(NamedTuple):
    """Progress of a call: its state, begin of its first terminal and end of its last one, -1 without any."""

    call: _Call
    state: int
    begin: int
    end: int


class _Open(NamedTuple):
    """A terminal, or something ignored, that is being read: from where, and the stage that is reached behind it."""

    lexeme: Lexeme
    state: int
    begin: int
    stage: _Stage


class RuleReader:
    """Reads a text, piece by piece.

    Args:
        readings: how texts are read.
        names: of the rules and terminals that are asked for.
    """

    def __init__(self, readings: Readings, names: Iterable[str]) -> None:
        self._readings = readings
        self._names = list(names)
        self._wanted = set(self._names)
        self._text = ""
        self._calls: dict[Key, _Call] = {}
        self._root = self._call(readings.root)
        self._open: dict[_Open, _Spans] = {}
        self._stages: dict[_Stage, _Spans] = {}
        self._follow([(_Stage(self._root, 0, -1, -1), ())])

    def read(self, piece: str) -> None:
        """Read on.

        Raises:
            MatchError: no text of the grammar begins so.
        """
        after = self._readings.after
        for character in piece:
            self._text += character
            place = len(self._text)
            ended: list[tuple[_Stage, _Spans]] = []
            left: dict[_Open, _Spans] = {}
            for (lexeme, state, begin, stage), spans in self._open.items():
                following = after(lexeme, state, character)
                if following < 0:
                    continue
                if lexeme.edges[following]:
                    here = _Open(lexeme, following, begin, stage)
                    left[here] = _shared(left[here], spans) if here in left else spans
                if lexeme.endings[following] is None:
                    continue
                if stage.call.key[0] != IGNORED:
                    stage = stage._replace(begin=begin if stage.begin < 0 else stage.begin, end=place)
                ended.append((stage, spans))
            self._open = left
            self._calls = {}
            self._follow(ended)
            if not self._open and not self._is_complete:
                raise MatchError(f"no text of the grammar begins with {self._text[:200]!r}")

    def captures(self, *, is_whole: bool = False) -> dict[str, tuple[str, ...]]:
        """For each name the texts that something it matches surely begins with, in the order in which they begin.

        Args:
            is_whole: whether the text ends here.
        Raises:
            MatchError: it ends, and is none of the grammar.
        """
        place = len(self._text)
        states = self._readings.states(self._root.key)
        ways = [
            frozenset(_listed(spans))
            for stage, spans in self._stages.items()
            if stage.call is self._root and states[stage.state].is_final
        ]
        if is_whole and not ways:
            raise MatchError(f"the text {self._text[:200]!r} does not match the grammar")
        if not is_whole:
            contexts = _Contexts()
            ways += [
                contexts.around(stage, spans, begin if begin < place and stage.call.key[0] != IGNORED else -1, place)
                for (_, _, begin, stage), spans in self._open.items()
            ]
        found: dict[str, list[str]] = {name: [] for name in self._names}
        for name, begin, end in sorted(_in_common(ways), key=lambda span: (span[1], -span[2])):
            found[name].append(self._text[begin:end])
        return {name: tuple(texts) for name, texts in found.items()}

    @property
    def _is_complete(self) -> bool:
        """True if the text may end here."""
        states = self._readings.states(self._root.key)
        return any(stage.call is self._root and states[stage.state].is_final for stage in self._stages)

    def _call(self, key: Key) -> _Call:
        name = plain_name(key[0])
        return _Call(key, name if name in self._wanted else None, len(self._text))

    def _follow(self, stages: Iterable[tuple[_Stage, _Spans]]) -> None:
        """Find all stages that are reached at this place, and what may be read next."""
        found: dict[_Stage, _Spans] = {}
        todo: list[_Stage] = []

        def reach(stage: _Stage, spans: _Spans) -> None:
            known = found.get(stage)
            if known is None:
                found[stage] = spans
                todo.append(stage)
            else:
                shared = _shared(known, spans)
                if shared is not known:
                    found[stage] = shared
                    todo.append(stage)

        for stage, spans in stages:
            reach(stage, spans)
        while todo:
            stage = todo.pop()
            call, number, begin, end = stage
            spans, state = found[stage], self._readings.states(call.key)[number]
            for target in state.skips:
                reach(stage._replace(state=target), spans)
            for key, target in state.calls:
                called = self._calls.get(key)
                if called is None:
                    called = self._calls[key] = self._call(key)
                    reach(_Stage(called, 0, -1, -1), ())
                caller = stage._replace(state=target)
                known = called.callers.get(caller)
                before = called.callers[caller] = spans if known is None else _shared(known, spans)
                for (first, last), inside in called.empty.items():
                    reach(_behind(caller, first, last), _joined(before, inside))
            if state.is_final:
                inside = _joined(spans, (call.name, begin, end)) if call.name is not None and begin >= 0 else spans
                if call.place == len(self._text):
                    known = call.empty.get((begin, end))
                    call.empty[begin, end] = inside if known is None else _shared(known, inside)
                for caller, before in list(call.callers.items()):
                    reach(_behind(caller, begin, end), _joined(before, inside))
        self._stages = found
        place = len(self._text)
        for stage, spans in found.items():
            for lexeme, target in self._readings.states(stage.call.key)[stage.state].lexemes:
                here = _Open(lexeme, 0, place, stage._replace(state=target))
                self._open[here] = _shared(self._open[here], spans) if here in self._open else spans


def _behind(caller: _Stage, begin: int, end: int) -> _Stage:
    """The stage behind something whose first terminal begins, and whose last one ends, at some places."""
    return caller._replace(
        begin=begin if caller.begin < 0 else caller.begin,
        end=caller.end if end < 0 else end,
    )


class _Contexts:
    """Captures in calls, and around them."""

    def __init__(self) -> None:
        self._known: dict[tuple[_Call, int, int], _Matched] = {}

    def around(self, stage: _Stage, spans: _Spans, begin: int, place: int) -> _Matched:
        """Captures where a stage is reached next.

        Args:
            stage: behind what is read next.
            spans: what has been matched in its call.
            begin: where the terminal begins that is being read; -1 if there is none.
            place: the end of the text.
        """
        first = stage.begin if stage.begin >= 0 or begin < 0 else begin
        last = place if begin >= 0 else stage.end
        start = stage.call, first, last
        self._find(start)
        return self._known[start].union(_listed(spans))

    def _find(self, start: tuple[_Call, int, int]) -> None:
        """Captures around a call, given possible begins of its first terminal and ends of its last one."""
        ways: dict[tuple[_Call, int, int], list[tuple[_Spans, tuple[_Call, int, int]]]] = {}
        todo = [start]
        for here in todo:  # grows meanwhile
            if here in ways or here in self._known:
                continue
            call, begin, end = here
            ways[here] = []
            for caller, spans in call.callers.items():
                there = caller.call, begin if caller.begin < 0 else caller.begin, caller.end if end < 0 else end
                ways[here].append((spans, there))
                todo.append(there)
        own = {
            here: frozenset([(call.name, begin, end)] if call.name is not None and begin >= 0 else [])
            for here in ways
            for call, begin, end in [here]
        }
        found: dict[tuple[_Call, int, int], _Matched] = {}
        is_stable = False
        while not is_stable:  # a rule that begins with itself is around itself, which adds nothing
            is_stable = True
            for here in reversed(ways):
                sets = [
                    matched.union(_listed(spans))
                    for spans, there in ways[here]
                    if (matched := self._known.get(there, found.get(there))) is not None
                ]
                if sets or not ways[here]:
                    around = own[here] | (frozenset.intersection(*sets) if sets else frozenset())
                    if found.get(here) != around:
                        found[here] = around
                        is_stable = False
        self._known |= found


def _in_common(ways: list[_Matched]) -> Iterator[tuple[str, int, int]]:
    """Captures common to all readings: of those with the same begin the longest in each, the next, and so on."""
    core = frozenset.intersection(*ways) if ways else frozenset()
    others = [way - core for way in ways]
    doubtful = {(name, begin) for way in others for name, begin, _ in way}
    ends: dict[tuple[str, int], list[int]] = {key: [] for key in doubtful}
    for name, begin, end in core:
        if (name, begin) in doubtful:
            ends[name, begin].append(end)
        else:
            yield name, begin, end
    for key in doubtful:
        listed = [
            sorted([*ends[key], *(end for name, begin, end in way if (name, begin) == key)], reverse=True)
            for way in others
        ]
        for each in zip(*listed, strict=False):
            yield *key, min(each)


def _joined(one: _Spans, other: _Spans) -> _Spans:
    return (one, other) if one and other else one or other


def _shared(one: _Spans, other: _Spans) -> _Spans:
    """Common part of both; `one` itself if that is all of it."""
    if one is other or not one:
        return one
    first, second = frozenset(_listed(one)), frozenset(_listed(other))
    if first <= second:
        return one
    shared: _Spans = ()
    for span in first & second:
        shared = _joined(shared, span)
    return shared


def _listed(spans: _Spans) -> Iterator[tuple[str, int, int]]:
    todo: list[Any] = [spans]
    while todo:
        here = todo.pop()
        if here and isinstance(here[0], str):
            yield here
        else:
            todo += here
