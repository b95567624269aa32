"""Captures of the rules of a grammar in a prefix of a text, by an Earley parser.

All derivations are followed at once. A rule that starts at a position is one *call*, however many rules predict it
there; its progress is a *stage* (an Earley item). Each stage has the captures common to all derivations that reach it.
Certain captures of the text are those common to all stages that can continue, with those of the calls around them.

Source: Earley, "An efficient context-free parsing algorithm", 1970.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from guidance_kit.errors import MatchError
from guidance_kit.grammars.context_free.condition_product import IGNORED, Key
from guidance_kit.grammars.context_free.earley_grammar import EarleyGrammar, plain_name
from guidance_kit.grammars.context_free.lexeme import Lexeme

__all__ = ["EarleyReader"]

_Spans = tuple[Any, ...]
"""Captures: (name, begin, end), or pairs of such, or nothing."""

_Matched = frozenset[tuple[str, int, int]]


@dataclass(eq=False, slots=True)
class _Call:
    """A rule that starts at a position.

    Attributes:
        key: the rule.
        name: its name, if its captures are wanted.
        place: start of the rule, or of the ignored text before it, in characters.
        callers: stages behind it, each with the captures before it there.
        empty: captures if it is empty, by its final stages.
    """

    key: Key
    name: str | None
    place: int
    callers: dict[_Stage, _Spans] = field(default_factory=dict)
    empty: dict[tuple[int, int], _Spans] = field(default_factory=dict)


class _Stage(NamedTuple):
    """Progress of a call: its state, start of its first terminal and end of its last one, -1 without any."""

    call: _Call
    state: int
    begin: int
    end: int


class _Open(NamedTuple):
    """An unfinished terminal, or ignored text: its state and start, and the stage behind it."""

    lexeme: Lexeme
    state: int
    begin: int
    stage: _Stage


class EarleyReader:
    """Incremental reader of the captures of rules; see `CaptureReader`.

    Args:
        grammar: the rules.
        names: rules and terminals whose captures are wanted.
    """

    def __init__(self, grammar: EarleyGrammar, names: Iterable[str]) -> None:
        self._grammar = grammar
        self._names = list(names)
        self._wanted = set(self._names)
        self._text = ""
        self._calls: dict[Key, _Call] = {}
        self._root = self._call(grammar.root)
        self._open: dict[_Open, _Spans] = {}
        self._stages: dict[_Stage, _Spans] = {}
        self._follow([(_Stage(self._root, 0, -1, -1), ())])

    def read(self, piece: str) -> None:
        """Read the next piece of the text.

        Raises:
            MatchError: no text of the grammar has this prefix.
        """
        after = self._grammar.after
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
        """For each name the certain captures, or prefixes of these, in the order of their starts.

        Args:
            is_whole: whether the text ends here.
        Raises:
            MatchError: it ends, and is none of the grammar.
        """
        place = len(self._text)
        states = self._grammar.states(self._root.key)
        derivations = [
            frozenset(_listed(spans))
            for stage, spans in self._stages.items()
            if stage.call is self._root and states[stage.state].is_final
        ]
        if is_whole and not derivations:
            raise MatchError(f"the text {self._text[:200]!r} does not match the grammar")
        if not is_whole:
            contexts = _Contexts()
            derivations += [
                contexts.around(stage, spans, begin if begin < place and stage.call.key[0] != IGNORED else -1, place)
                for (_, _, begin, stage), spans in self._open.items()
            ]
        found: dict[str, list[str]] = {name: [] for name in self._names}
        for name, begin, end in sorted(_common_captures(derivations), key=lambda span: (span[1], -span[2])):
            found[name].append(self._text[begin:end])
        return {name: tuple(texts) for name, texts in found.items()}

    @property
    def _is_complete(self) -> bool:
        """True if the text may end here."""
        states = self._grammar.states(self._root.key)
        return any(stage.call is self._root and states[stage.state].is_final for stage in self._stages)

    def _call(self, key: Key) -> _Call:
        name = plain_name(key[0])
        return _Call(key, name if name in self._wanted else None, len(self._text))

    def _follow(self, stages: Iterable[tuple[_Stage, _Spans]]) -> None:
        """Predict and complete: find all stages at this position, and the terminals that may follow."""
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
            spans, state = found[stage], self._grammar.states(call.key)[number]
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
            for lexeme, target in self._grammar.states(stage.call.key)[stage.state].lexemes:
                here = _Open(lexeme, 0, place, stage._replace(state=target))
                self._open[here] = _shared(self._open[here], spans) if here in self._open else spans


def _behind(caller: _Stage, begin: int, end: int) -> _Stage:
    """Stage behind a symbol, given the start of its first terminal and the end of its last one."""
    return caller._replace(
        begin=begin if caller.begin < 0 else caller.begin,
        end=caller.end if end < 0 else end,
    )


class _Contexts:
    """Captures in calls, and around them."""

    def __init__(self) -> None:
        self._known: dict[tuple[_Call, int, int], _Matched] = {}

    def around(self, stage: _Stage, spans: _Spans, begin: int, place: int) -> _Matched:
        """Captures of the text if a stage is reached next.

        Args:
            stage: stage behind the unfinished terminal.
            spans: captures in its call.
            begin: start of the unfinished terminal; -1 if there is none.
            place: end of the text.
        """
        first = stage.begin if stage.begin >= 0 or begin < 0 else begin
        last = place if begin >= 0 else stage.end
        start = stage.call, first, last
        self._find(start)
        return self._known[start].union(_listed(spans))

    def _find(self, start: tuple[_Call, int, int]) -> None:
        """Captures around a call, given possible begins of its first terminal and ends of its last one."""
        derivations: dict[tuple[_Call, int, int], list[tuple[_Spans, tuple[_Call, int, int]]]] = {}
        todo = [start]
        for here in todo:  # grows meanwhile
            if here in derivations or here in self._known:
                continue
            call, begin, end = here
            derivations[here] = []
            for caller, spans in call.callers.items():
                there = caller.call, begin if caller.begin < 0 else caller.begin, caller.end if end < 0 else end
                derivations[here].append((spans, there))
                todo.append(there)
        own = {
            here: frozenset([(call.name, begin, end)] if call.name is not None and begin >= 0 else [])
            for here in derivations
            for call, begin, end in [here]
        }
        found: dict[tuple[_Call, int, int], _Matched] = {}
        is_stable = False
        while not is_stable:  # a rule that begins with itself is around itself, which adds nothing
            is_stable = True
            for here in reversed(derivations):
                sets = [
                    matched.union(_listed(spans))
                    for spans, there in derivations[here]
                    if (matched := self._known.get(there, found.get(there))) is not None
                ]
                if sets or not derivations[here]:
                    around = own[here] | (frozenset.intersection(*sets) if sets else frozenset())
                    if found.get(here) != around:
                        found[here] = around
                        is_stable = False
        self._known |= found


def _common_captures(derivations: list[_Matched]) -> Iterator[tuple[str, int, int]]:
    """Captures common to all derivations: of those with the same start the longest in each, the next, and so on."""
    core = frozenset.intersection(*derivations) if derivations else frozenset()
    others = [derivation - core for derivation in derivations]
    doubtful = {(name, begin) for derivation in others for name, begin, _ in derivation}
    ends: dict[tuple[str, int], list[int]] = {key: [] for key in doubtful}
    for name, begin, end in core:
        if (name, begin) in doubtful:
            ends[name, begin].append(end)
        else:
            yield name, begin, end
    for key in doubtful:
        listed = [
            sorted([*ends[key], *(end for name, begin, end in derivation if (name, begin) == key)], reverse=True)
            for derivation in others
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
