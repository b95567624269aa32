"""Lark's notation of grammars, parsed by lark itself."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Container, Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, TypeVar

from lark import Lark
from lark.exceptions import GrammarError as LarkGrammarError
from lark.exceptions import LarkError, UnexpectedInput
from lark.grammar import NonTerminal
from lark.lexer import PatternStr, TerminalDef
from lark.load_grammar import load_grammar

from guidance_kit.errors import GrammarError, GuidanceKitError, LimitError, PatternError, UnsupportedFeature
from guidance_kit.grammars.context_free import Choice, Grammar, Node, RuleReference, Sequence, Terminal
from guidance_kit.grammars.context_free.embedded_constraint import EmbeddedConstraint
from guidance_kit.grammars.context_free.first_match import longest_texts, texts_of_all_lengths
from guidance_kit.grammars.context_free.lalr import LexedGrammar
from guidance_kit.grammars.context_free.lalr_table import ParseTable, ReduceConflict
from guidance_kit.grammars.context_free.lexeme import Lexeme
from guidance_kit.grammars.context_free.pattern_nfa import MAX_PLACES, PatternNfa
from guidance_kit.grammars.context_free.productions import productions_of
from guidance_kit.grammars.context_free.tree import reachable_rules, rules_in, terminals_in, with_terminals
from guidance_kit.grammars.lark_errors import conflicting, declared_in_terminal, explained, located, without_width
from guidance_kit.grammars.lark_reader import LarkGrammar, read_plain
from guidance_kit.grammars.lark_scanners import LarkScanners, by_priority
from guidance_kit.grammars.lark_tokens import LarkTokens, read_tokens
from guidance_kit.grammars.regular.charset import CharSet
from guidance_kit.grammars.regular.expression import MAX_TURNS
from guidance_kit.grammars.regular.parse import MALFORMED, read_tree

__all__ = ["parser_of", "read_lark", "read_lexed"]

_Kind = TypeVar("_Kind")

_NESTED = "groups in a grammar"

MAX_NESTING = 100
"""Nested groups that lark can parse, and for captures rules in last position of each other; named in errors."""


def read_lark(
    text: str,
    *,
    start: str = "start",
    lexer: Literal["dynamic_complete", "dynamic"] = "dynamic_complete",
    path: Path | None = None,
    folders: Iterable[Path] = (),
    embedded: Iterable[EmbeddedConstraint] = (),
) -> Grammar:
    """The grammar whose texts lark's Earley parser accepts.

    Args:
        text: the grammar.
        start: the rule of whole texts.
        lexer: of lark.
        path: file of the grammar; `%import .name` is relative to it.
        folders: folders of grammars for `%import`, searched before those of lark.
        embedded: constraints for declared terminals.
    Raises:
        GrammarError: malformed; an undefined name is used.
        UnsupportedFeature: a terminal is declared and not defined, or cannot be enforced exactly.
        LimitError: a terminal is too large.
    """
    loaded = _loaded(text, start, path, folders)
    terminals = {terminal.name: terminal for terminal in loaded.terminals}
    named = _without_patterns(text, str(path or ""), embedded, terminals, loaded)
    used = loaded.used - named.keys()
    texts_of = texts_of_all_lengths if lexer == "dynamic_complete" else longest_texts
    rules = dict(loaded.rules)
    if named:
        called: dict[str, Node] = {name: RuleReference(constraint.name) for name, constraint in named.items()}
        rules = {name: with_terminals(node, called) for name, node in rules.items()}
    known = {constraint.name for constraint in named.values()}
    if known:
        rules |= {name: Sequence(()) for node in list(rules.values()) for name in rules_in(node) if name in known}
    return Grammar(
        start=start,
        rules=rules,
        terminals={name: _lexeme(texts_of, terminals[name]) for name in sorted(used)},
        ignored=tuple(_lexeme(longest_texts, terminals[name]) for name in loaded.ignored),
        tries_all_lengths=lexer == "dynamic_complete",
        unused=_unused(loaded, text, known - rules.keys()),
        patterns=_patterns(terminals[name] for name in sorted({*used, *loaded.ignored})),
    ).with_embedded(named.values())


def read_lexed(
    text: str,
    *,
    start: str = "start",
    path: Path | None = None,
    folders: Iterable[Path] = (),
    embedded: Iterable[EmbeddedConstraint] = (),
) -> LexedGrammar:
    """The grammar whose texts lark's LALR parser accepts with its contextual lexer.

    Args and raises: see `read_lark`; GrammarError also where lark cannot make a parser, UnsupportedFeature also where
    an embedded constraint has the empty text.
    """
    loaded = _loaded(text, start, path, folders)
    terminals = {terminal.name: terminal for terminal in loaded.terminals}
    named = _without_patterns(text, str(path or ""), embedded, terminals, loaded)
    productions = [
        (rule, tuple([named[part].name if part in named else part for part in parts]))
        for rule, parts in productions_of(loaded.rules)
    ]
    used = [constraint for constraint in named.values() if any(constraint.name in parts for _, parts in productions)]
    for constraint in used:
        if constraint.is_nullable:
            raise UnsupportedFeature(
                "a constraint with the empty text",
                where=f"the rule {constraint.name} of a grammar with lexer='longest'",
                hint=f"leave the empty text out of it, and write {constraint.name}?",
            )
    priorities = [loaded.priorities.get(rule, 0) for rule, _ in productions]
    try:
        table = ParseTable.of(tuple(productions), priorities, start)
    except ReduceConflict as error:
        raise conflicting(error, text, str(path or "")) from None
    ordered = by_priority(loaded.terminals)
    nfas = _nfas_of(ordered)
    patterns = [(one.name, one.pattern) for one in ordered]  # a str, or not: that makes a keyword
    return LexedGrammar.of(
        table,
        nfas,
        frozenset(loaded.ignored),
        LarkScanners(ordered),
        unused=_unused(loaded, text, {one.name for one in named.values()}.difference(one.name for one in used)),
        fingerprint=hash((table.transitions.productions, *priorities, *patterns, *loaded.ignored)),
        patterns=_patterns(loaded.terminals),
        embedded=used,
    )


def _without_patterns(
    text: str,
    path: str,
    embedded: Iterable[EmbeddedConstraint],
    terminals: Container[str],
    loaded: LarkGrammar,
) -> dict[str, EmbeddedConstraint]:
    """Embedded constraints and tokens by the names of the terminals that stand for them.

    Raises:
        GrammarError: one has a pattern too, or is ignored.
        UnsupportedFeature: another terminal is declared and not defined.
    """
    named = {constraint.name: constraint for constraint in embedded}
    for name, (written, tokens) in read_tokens(text, path).named.items():
        named[name] = EmbeddedConstraint.of_tokens(written, tokens)
    for name in filter(terminals.__contains__, named):
        raise GrammarError(f"the terminal {name!r} is defined in the grammar and given, too", path=path)
    if not all(name in terminals or name in named for name in loaded.used):  # as those that lark's `Indenter` makes
        used = ((rule, name) for rule, node in loaded.rules.items() for name in terminals_in(node))
        rule, name = next((rule, name) for rule, name in used if name not in terminals and name not in named)
        raise UnsupportedFeature(
            f"%declare {name}",
            where=f"the rule {rule}",
            hint="in lark a program makes such a terminal, as the Indenter does; give it a pattern, or a "
            "constraint by rules=",
        )
    for name in (name for name in loaded.ignored if name not in terminals):
        shown = named[name].name if name in named else name
        raise GrammarError(f"%ignore takes what has a pattern, which {shown} has not", path=path)
    return named


def parser_of(text: str, *, start: str, lexer: str, path: Path | None, folders: Iterable[Path]) -> Lark:
    """lark's parser of a grammar: an LALR parser for "longest", else an Earley parser with all derivations."""
    if lexer == "longest":
        return _parser(text, start, path, folders, parser="lalr", lexer="contextual")
    return _parser(text, start, path, folders, parser="earley", lexer=lexer, ambiguity="forest")


def _nfas_of(terminals: Iterable[TerminalDef]) -> dict[str, PatternNfa | str]:
    """The NFA of each terminal that a lexer finds; of one that is written as a text, that.

    Raises:
        LimitError: they are too many for any lexer.
    """
    places: dict[str, PatternNfa | str] = {}
    count = 0
    for terminal in terminals:
        pattern = terminal.pattern
        if isinstance(pattern, PatternStr) and not pattern.flags:
            places[terminal.name] = pattern.value
            count += len(pattern.value) + 1
        else:
            found = places[terminal.name] = _read(lambda pattern: read_tree(pattern, 0, PatternNfa), terminal)
            count += len(found.states)
        if count > MAX_PLACES:
            raise LimitError("max_places", MAX_PLACES, where=f"the terminals of a grammar, at {terminal.name}")
    return places


def _patterns(terminals: Iterable[TerminalDef]) -> dict[str, str]:
    """The patterns of terminals that are written as such."""
    return {one.name: one.pattern.to_regexp() for one in terminals if not isinstance(one.pattern, PatternStr)}


def _loaded(text: str, start: str, path: Path | None, folders: Iterable[Path]) -> LarkGrammar:
    """The grammar of a text."""
    shown, folders = str(path or ""), tuple(folders)
    tokens = _checked_tokens(text, shown)
    with _explaining(text, tokens, start, shown):
        found = read_plain(tokens.text, start, folders) or _loaded_by_lark(tokens.text, start, path, folders)
        _check_widths(found.terminals, shown)
    return found


def _loaded_by_lark(text: str, start: str, path: Path | None, folders: Iterable[Path]) -> LarkGrammar:
    """The grammar as loaded by lark.

    No parser is constructed: for an Earley parser lark lists, for each rule, all rules that it can begin with; for an
    LALR parser it computes a table and lexers.
    """
    loaded, _ = load_grammar(text, "<string>" if path is None else str(path), [str(each) for each in folders], False)
    terminals, productions, ignored = loaded.compile([start], set())
    ways: dict[str, list[Node]] = {}
    priorities: dict[str, int] = {}
    for production in productions:
        name = str(production.origin.name)
        symbols = ((Terminal if symbol.is_term else RuleReference)(str(symbol.name)) for symbol in production.expansion)
        ways.setdefault(name, []).append(Sequence(tuple(symbols)))
        priorities[name] = production.options.priority or 0
    rules = {name: Choice(tuple(each)) for name, each in ways.items()}
    for name in (start, *(called for node in rules.values() for called in rules_in(node))):
        if name not in rules:
            raise LarkGrammarError(f"Using an undefined rule: {NonTerminal(name)}")  # as lark's parsers do
    reachable = reachable_rules(rules, start)
    return LarkGrammar(
        rules=reachable,
        defined=tuple(str(name) for name, parameters, *_ in loaded.rule_defs if not parameters),
        priorities=priorities,
        used={name for node in reachable.values() for name in terminals_in(node)},
        terminals=terminals,
        ignored=ignored,
    )


def _parser(
    text: str,
    start: str,
    path: Path | None,
    folders: Iterable[Path],
    *,
    parser: str,
    lexer: str,
    ambiguity: str = "auto",
) -> Lark:
    tokens = _checked_tokens(text, str(path or ""))
    nested = _NESTED if parser == "earley" else f"{_NESTED}, or rules that end with each other for lexer='longest'"
    with _explaining(text, tokens, start, str(path or ""), nested):
        made = Lark(
            tokens.text,
            parser=parser,
            lexer=lexer,
            ambiguity=ambiguity,
            start=start,
            regex=True,  # so that lark lets \p{...} pass
            source_path=None if path is None else str(path),
            import_paths=[str(folder) for folder in folders],
        )
        _check_widths(made.terminals, str(path or ""))
    return made


def _check_widths(terminals: Iterable[TerminalDef], path: str) -> None:
    for terminal in terminals:
        if terminal.pattern.min_width == 0:
            raise without_width(terminal.name, terminal.pattern.to_regexp(), path)


def _checked_tokens(text: str, path: str) -> LarkTokens:
    """The grammar with terminals in place of tokens; refuses declarations of anything but terminals."""
    wrong = re.search(r"(?m)^[ \t]*%declare\b[^\n/]*?\b([a-z]\w*)", text)
    if wrong is not None:
        message = f"%declare takes terminals, whose names are in upper case; {wrong[1]!r} is none"
        raise located(text, wrong.start(1), message, path)
    return read_tokens(text, path)


@contextmanager
def _explaining(text: str, tokens: LarkTokens, start: str, path: str, nested: str = _NESTED) -> Generator[None]:
    """Context that raises errors of this package in place of lark's.

    Args:
        nested: name of the construct that may be nested too deep.
    """
    try:
        yield
    except UnexpectedInput as error:
        raise GrammarError("unexpected input", source=text, line=error.line, column=error.column, path=path) from None
    except RecursionError:
        raise LimitError("max_nesting", MAX_NESTING, where=nested) from None
    except OverflowError:
        raise LimitError("max_turns", MAX_TURNS, where="a repetition in a pattern of a grammar") from None
    except GuidanceKitError:
        raise
    except AssertionError:  # which is how lark says it
        declared = [*_declared(text), *(written for written, _ in tokens.named.values())]
        raise declared_in_terminal(text, declared, path) from None
    except (LarkError, OSError, ValueError, *MALFORMED) as error:
        if "integer string conversion" in str(error):
            raise LimitError("max_digits", sys.get_int_max_str_digits(), where="a number in a grammar") from None
        raise explained(error, tokens.told(str(error).strip()), text, start, path) from None


def _unused(loaded: LarkGrammar, text: str, others: set[str]) -> tuple[str, ...]:
    """The rules that are defined and not used, templates aside, and declared ones among other unused constraints."""
    defined = (name for name in loaded.defined if name not in loaded.rules)
    return (*defined, *sorted(others.intersection(_declared(text))))


def _lexeme(texts_of: Callable[[str], Lexeme], terminal: TerminalDef) -> Lexeme:
    """The texts of a terminal; of one that is written as a text, just that one."""
    pattern = terminal.pattern
    if isinstance(pattern, PatternStr) and not pattern.flags:
        return Lexeme.of_literal(list(map(CharSet.single, map(ord, pattern.value))))
    return _read(texts_of, terminal)


def _read(read: Callable[[str], _Kind], terminal: TerminalDef) -> _Kind:
    """Result of `read` for the pattern of a terminal."""
    pattern = terminal.pattern.to_regexp()
    try:
        return read(pattern)
    except UnsupportedFeature as error:
        raise UnsupportedFeature(error.feature, where=f"terminal {terminal.name}: {pattern}", hint=error.hint) from None
    except PatternError as error:
        raise GrammarError(f"terminal {terminal.name}: {error}") from None


def _declared(text: str) -> list[str]:
    """The names that a grammar declares."""
    return [name for names in re.findall(r"(?m)^[ \t]*%declare\b([^\n/#]*)", text) for name in names.split()]
