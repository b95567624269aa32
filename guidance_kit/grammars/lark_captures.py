"""Captures of the rules of a grammar in Lark's notation in a whole text, which lark parses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import product
from typing import Any, NamedTuple

from lark import Lark, Token
from lark.exceptions import UnexpectedInput
from lark.parsers.earley_forest import SymbolNode

from guidance_kit.errors import MatchError, OptionError, UnsupportedFeature

__all__ = ["captures_of_rules", "named"]

_MOST_DERIVATIONS = 100
"""Derivations of a span that are kept apart."""


class _Derivation(NamedTuple):
    """One derivation of a span.

    Attributes:
        begin: start of its first token, -1 without tokens.
        end: end of its last one.
        spans: captures: (name, begin, end), or pairs of such, or nothing.
    """

    begin: int
    end: int
    spans: tuple[Any, ...]


_NOTHING = _Derivation(-1, -1, ())


def captures_of_rules(lark: Lark, text: str, names: Iterable[str] | None) -> dict[str, tuple[str, ...]]:
    """Captures of rules and terminals.

    Args:
        lark: parser of the grammar: LALR, or Earley with a forest.
        text: the text.
        names: of rules and terminals; None for all rules that have a name in the grammar.
    Returns:
        For each name its texts that are not empty, in the order of their starts, outer ones first.
    Raises:
        MatchError: the text is not one of the grammar.
        OptionError: there is no such rule or terminal.
        UnsupportedFeature: derivations of the text differ in these.
    """
    wanted = named(lark, names)
    try:
        read = _read_by_lalr if lark.options.parser == "lalr" else _read_by_earley
        derivations = read(lark, text, frozenset(wanted))
    except UnexpectedInput:
        raise MatchError(f"the text {text[:200]!r} does not match the grammar") from None
    spans, *others = {frozenset(_listed(derivation.spans)) for derivation in derivations}
    for other in others:
        raise _ambiguous(min(spans ^ other, key=lambda span: span[1:]), text)
    found: dict[str, list[str]] = {name: [] for name in wanted}
    for name, begin, end in sorted(spans, key=lambda span: (span[1], -span[2])):
        found[name].append(text[begin:end])
    return {name: tuple(texts) for name, texts in found.items()}


def named(lark: Lark, names: Iterable[str] | None) -> list[str]:
    """Names of rules and terminals; None for all rules that have a name in the grammar.

    Raises:
        OptionError: there is no such rule or terminal.
    """
    rules = sorted({str(rule.origin.name) for rule in lark.rules if not _is_anonymous(rule.origin.name)})
    terminals = [terminal.name for terminal in lark.terminals if not _is_anonymous(terminal.name)]
    wanted = rules if names is None else list(names)
    for name in wanted:
        if name not in rules and name not in terminals:
            raise OptionError.unknown(name, [*rules, *terminals], "rule")
    return wanted


def _is_anonymous(name: str) -> bool:
    """Test whether lark made a rule or terminal for a part of one."""
    return name.startswith("__") or "{" in name


def _ambiguous(span: tuple[str, int, int] | None, text: str) -> UnsupportedFeature:
    where = "the grammar"
    if span is not None:
        name, begin, end = span
        where = f"the rule {name}, of which {text[begin:end][:80]!r} may be one"
    hint = "name other rules, or change the grammar"
    return UnsupportedFeature("captures in a text that can be read in several ways", where=where, hint=hint)


def _listed(spans: tuple[Any, ...]) -> Iterator[tuple[str, int, int]]:
    todo = [spans]
    while todo:
        here = todo.pop()
        if here and isinstance(here[0], str):
            yield here  # pyright: ignore[reportReturnType]
        else:
            todo += here


def _joined(one: _Derivation, other: _Derivation) -> _Derivation:
    """One behind the other."""
    spans = (one.spans, other.spans) if one.spans and other.spans else one.spans or other.spans
    return _Derivation(one.begin if one.begin >= 0 else other.begin, other.end if other.end >= 0 else one.end, spans)


def _called(name: str, derivation: _Derivation, wanted: frozenset[str]) -> _Derivation:
    """Derivation of a rule or terminal."""
    if name not in wanted or derivation.begin < 0:
        return derivation
    span = name, derivation.begin, derivation.end
    return derivation._replace(spans=(span, derivation.spans) if derivation.spans else span)


def _read_by_lalr(lark: Lark, text: str, wanted: frozenset[str]) -> list[_Derivation]:
    """The only derivation of a text."""

    def ended(rule: Any, parts: list[Any]) -> _Derivation:
        whole = _NOTHING
        for part in parts:
            whole = _joined(whole, _of_token(part, wanted) if isinstance(part, Token) else part)
        return _called(str(rule.origin.name), whole, wanted)

    parser = lark.parse_interactive(text)
    callbacks: Any = {rule: partial(ended, rule) for rule in lark.rules}
    parser.parser_state.parse_conf.callbacks = callbacks
    parser.exhaust_lexer()
    return [parser.feed_eof()]


def _of_token(token: Token, wanted: frozenset[str]) -> _Derivation:
    begin = token.start_pos or 0
    return _called(token.type, _Derivation(begin, begin + len(token), ()), wanted)


def _read_by_earley(lark: Lark, text: str, wanted: frozenset[str]) -> list[_Derivation]:
    """All derivations of a text that differ in captures."""
    try:
        root: Any = lark.parse(text)
    except RuntimeError as error:
        if "multiple start symbol items" in str(error):  # what is ignored at the end may belong to the text
            raise _ambiguous(None, text) from None
        raise
    found: dict[Any, list[_Derivation]] = {}
    for node, ways in _from_leaves(root):
        derivations: list[_Derivation] = []
        for way in ways:
            parts = [part for part in (way.left, way.right) if part is not None]
            if any(isinstance(part, SymbolNode) and part not in found for part in parts):
                raise _ambiguous(None, text)  # it leads back to itself
            known = [
                found[part] if isinstance(part, SymbolNode) else [_of_token(part.token, wanted)]  # pyright: ignore
                for part in parts
            ]
            for pieces in product(*known):
                whole = _NOTHING
                for piece in pieces:
                    whole = _joined(whole, piece)
                derivations.append(whole if node.is_intermediate else _called(str(node.s.name), whole, wanted))
        found[node] = _different(derivations)
        if len(found[node]) > _MOST_DERIVATIONS:
            raise _ambiguous(None, text)
    return found[root]


def _different(derivations: list[_Derivation]) -> list[_Derivation]:
    if len(derivations) == 1:
        return derivations
    known = {
        (derivation.begin, derivation.end, frozenset(_listed(derivation.spans))): derivation
        for derivation in derivations
    }
    return list(known.values())


def _from_leaves(root: Any) -> Iterator[tuple[Any, list[Any]]]:
    """Nodes of a parse forest in postorder, each with its packed nodes."""
    seen: set[Any] = set()
    todo: list[tuple[Any, list[Any] | None]] = [(root, None)]
    while todo:
        node, ways = todo.pop()
        if ways is not None:
            yield node, ways
        elif node not in seen:
            seen.add(node)
            ways = node.children
            todo.append((node, ways))
            todo += [(part, None) for way in ways for part in (way.left, way.right) if isinstance(part, SymbolNode)]
