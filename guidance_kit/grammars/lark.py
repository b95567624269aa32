"""Grammars in Lark's notation, read by lark itself."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from copy import copy
from pathlib import Path
from typing import Literal, TypeVar

from lark import Lark, Token
from lark.exceptions import LarkError, UnexpectedInput
from lark.grammar import Rule as Production
from lark.lexer import BasicLexer, Lexer, PatternStr, TerminalDef, UnlessCallback

from guidance_kit.errors import GrammarError, LimitError, PatternError, UnsupportedFeature
from guidance_kit.grammars.context_free import Choice, Grammar, Node, Rule, Sequence, Terminal
from guidance_kit.grammars.context_free.first_match import longest_texts, texts_of_all_lengths
from guidance_kit.grammars.context_free.guest import Guest
from guidance_kit.grammars.context_free.lalr import LexedGrammar, ParseTable
from guidance_kit.grammars.context_free.lexeme import Lexeme
from guidance_kit.grammars.context_free.places import Places
from guidance_kit.grammars.context_free.scanner import Scanner
from guidance_kit.grammars.context_free.tree import rules_in
from guidance_kit.grammars.lark_tokens import read_tokens
from guidance_kit.grammars.regular.charset import CharSet
from guidance_kit.grammars.regular.parse import MALFORMED, read_tree

__all__ = ["parser_of", "read_lark", "read_lexed"]

_Kind = TypeVar("_Kind")

MAX_NESTING = 100
"""Groups within groups that lark surely takes; only named in errors."""


def read_lark(
    text: str,
    *,
    start: str = "start",
    lexer: Literal["dynamic_complete", "dynamic"] = "dynamic_complete",
    path: Path | None = None,
    folders: Iterable[Path] = (),
    guests: Iterable[Guest] = (),
) -> Grammar:
    """The grammar whose texts lark's Earley parser accepts.

    Args:
        text: the grammar.
        start: the rule that the whole text must match.
        lexer: of lark.
        path: where the grammar was read; `%import .name` looks beside it.
        folders: where `%import` looks for other grammars; then lark looks among its own.
        guests: what declared terminals stand for.
    Raises:
        GrammarError: malformed; something is used that is not defined.
        UnsupportedFeature: a terminal is declared and not defined, or cannot be enforced exactly.
        LimitError: a terminal is too large.
    """
    lark = _loaded(text, start, path, folders, parser="earley", lexer=lexer)
    terminals = {terminal.name: terminal for terminal in lark.terminals}
    rules = _reachable(lark.rules, start)
    named = {guest.name: guest for guest in guests}
    for name, (written, tokens) in read_tokens(text, str(path or "")).named.items():
        named[name] = Guest(written, lambda network, tokens=tokens: network.tokens(tokens))
    for name in named.keys() & terminals.keys():
        raise GrammarError(f"the terminal {name!r} is defined in the grammar and given, too", path=str(path or ""))
    _refuse_declared(rules, terminals.keys() | named.keys(), "a pattern, or a constraint by rules=")
    used = {str(symbol.name) for ways in rules.values() for way in ways for symbol in way.expansion if symbol.is_term}
    used -= named.keys()
    _check_ignored(lark, {name: guest.name for name, guest in named.items()}, str(path or ""))
    texts_of = texts_of_all_lengths if lexer == "dynamic_complete" else longest_texts
    tree: dict[str, Node] = {name: Choice(tuple(_sequence(way, named) for way in ways)) for name, ways in rules.items()}
    known = {guest.name for guest in named.values()}
    tree |= {called: Sequence(()) for node in list(tree.values()) for called in rules_in(node) if called in known}
    return Grammar(
        start=start,
        rules=tree,
        terminals={name: _lexeme(texts_of, terminals[name]) for name in sorted(used)},
        ignored=tuple(_lexeme(longest_texts, terminals[name]) for name in lark.ignore_tokens),
        tries_all_lengths=lexer == "dynamic_complete",
        unused=(
            *_unused(lark, rules),
            *(name for name in known - tree.keys() if re.search(rf"(?m)^\s*%declare\b.*\b{re.escape(name)}\b", text)),
        ),
    ).with_guests(named.values())


def read_lexed(
    text: str, *, start: str = "start", path: Path | None = None, folders: Iterable[Path] = ()
) -> LexedGrammar:
    """The grammar whose texts lark's LALR parser accepts with its contextual lexer.

    Args and raises: see `read_lark`; GrammarError also where lark cannot make a parser.
    """
    lark = _loaded(text, start, path, folders, parser="lalr", lexer=_NoLexer)
    rules = _reachable(lark.rules, start)
    terminals = {terminal.name: terminal for terminal in lark.terminals}
    _refuse_declared(rules, terminals, "a pattern")
    _check_ignored(lark, {}, str(path or ""))
    for terminal in lark.terminals:
        if terminal.pattern.min_width == 0:
            raise _without_width(terminal.name, terminal.pattern.to_regexp(), str(path or ""))
    numbers = {production: number for number, production in enumerate(lark.rules)}
    conf = lark.parse_interactive().parser_state.parse_conf
    shifts: dict[int, dict[str, int]] = {}
    ends: dict[int, dict[str, int]] = {}
    for state, actions in conf.parse_table.states.items():
        shifts[state], ends[state] = {}, {}
        for name, (_, what) in actions.items():
            if isinstance(what, Production):
                ends[state][str(name)] = numbers[what]
            else:
                shifts[state][str(name)] = what
    table = ParseTable(
        productions=tuple(
            (str(production.origin.name), tuple(str(symbol.name) for symbol in production.expansion))
            for production in lark.rules
        ),
        shifts=shifts,
        ends=ends,
        start=conf.start_state,
        root=start,
    )

    def lexer_of(names: Iterable[str]) -> BasicLexer:
        options = copy(lark.lexer_conf)
        options.terminals = [terminals[name] for name in names]
        options.skip_validation = True
        return BasicLexer(options)

    def scanner_of(names: frozenset[str]) -> Scanner:
        lexer = lexer_of(names)
        order = tuple(terminal.name for terminal in lexer.scanner.terminals)
        keywords = {
            name: tuple(terminal.name for terminal in callback.scanner.terminals)
            for name, callback in lexer.callback.items()
            if isinstance(callback, UnlessCallback)
        }
        return Scanner(order=order, keywords=keywords)

    order = [terminal.name for terminal in lexer_of(terminals).terminals]
    patterns = [(name, terminals[name].pattern) for name in order]  # a str, or not: that decides which is a key word
    return LexedGrammar.of(
        table,
        {name: _read(_places, terminals[name]) for name in order},
        frozenset(lark.ignore_tokens),
        scanner_of,
        unused=_unused(lark, rules),
        fingerprint=hash(
            (table.productions, *(rule.options.priority for rule in lark.rules), *patterns, *lark.ignore_tokens)
        ),
    )


def parser_of(text: str, *, start: str, lexer: str, path: Path | None, folders: Iterable[Path]) -> Lark:
    """lark's parser of the same texts: an LALR parser for "longest", else one that gives all ways of reading a text."""
    if lexer == "longest":
        return _loaded(text, start, path, folders, parser="lalr", lexer="contextual")
    return _loaded(text, start, path, folders, parser="earley", lexer=lexer, ambiguity="forest")


class _NoLexer(Lexer):
    """A lexer that finds nothing, so that lark makes a parser and no lexer."""

    def __init__(self, conf: object) -> None:
        pass

    def lex(self, lexer_state: object, parser_state: object) -> Iterator[Token]:
        return iter(())


def _places(pattern: str) -> Places:
    return read_tree(pattern, 0, Places)


def _loaded(
    text: str,
    start: str,
    path: Path | None,
    folders: Iterable[Path],
    *,
    parser: str,
    lexer: str | type[Lexer],
    ambiguity: str = "auto",
) -> Lark:
    wrong = re.search(r"(?m)^[ \t]*%declare\b[^\n/]*?\b([a-z]\w*)", text)
    if wrong is not None:
        line, column = _place(text, wrong.start(1))
        message = f"%declare takes terminals, whose names are in upper case; {wrong[1]!r} is none"
        raise GrammarError(message, source=text, line=line, column=column, path=str(path or ""))
    tokens = read_tokens(text, str(path or ""))
    if tokens.named and parser == "lalr":
        raise UnsupportedFeature(
            f"the token {next(iter(tokens.named.values()))[0]}",
            where="a grammar with lexer='longest'",
            hint="take another lexer",
        )
    try:
        return Lark(
            tokens.text,
            parser=parser,
            lexer=lexer,
            ambiguity=ambiguity,
            start=start,
            regex=True,  # so that lark lets \p{...} pass
            source_path=None if path is None else str(path),
            import_paths=[str(folder) for folder in folders],
        )
    except UnexpectedInput as error:
        raise GrammarError(
            "unexpected input", source=text, line=error.line, column=error.column, path=str(path or "")
        ) from None
    except RecursionError:
        raise LimitError("max_nesting", MAX_NESTING, where="groups in a grammar") from None
    except AssertionError:  # which is how lark says it
        declared = [*_declared(text), *(written for written, _ in tokens.named.values())]
        raise _declared_in_terminal(text, declared, str(path or "")) from None
    except (LarkError, OSError, *MALFORMED) as error:
        raise _explained(error, tokens.told(str(error).strip()), text, start, str(path or "")) from None


def _refuse_declared(rules: Mapping[str, Iterable[Production]], terminals: Container[str], missing: str) -> None:
    """Refuse terminals that only a program makes, as lark's `Indenter` makes those of indentation."""
    for name, ways in rules.items():
        for way in ways:
            for symbol in way.expansion:
                if symbol.is_term and symbol.name not in terminals:
                    raise UnsupportedFeature(
                        f"%declare {symbol.name}",
                        where=f"the rule {name}",
                        hint=f"in lark a program makes such a terminal, as the Indenter does; give it {missing}",
                    )


def _check_ignored(lark: Lark, shown: Mapping[str, str], path: str) -> None:
    """Refuse to ignore what is declared; `shown` says how the grammar writes some of it."""
    for name in set(lark.ignore_tokens) - {terminal.name for terminal in lark.terminals}:
        raise GrammarError(f"%ignore takes what has a pattern, which {shown.get(name, name)} has not", path=path)


def _unused(lark: Lark, rules: Container[str]) -> tuple[str, ...]:
    """The rules that are defined and not used; templates aside."""
    return tuple(str(name) for name, parameters, *_ in lark.grammar.rule_defs if not parameters and name not in rules)


def _reachable(productions: Iterable[Production], start: str) -> dict[str, list[Production]]:
    """The productions of the rules that are used, by rule."""
    ways: dict[str, list[Production]] = {}
    for production in productions:
        ways.setdefault(str(production.origin.name), []).append(production)
    found = {start: ways[start]}
    todo = [start]
    for name in todo:  # grows meanwhile
        for way in found[name]:
            for symbol in way.expansion:
                called = str(symbol.name)
                if not symbol.is_term and called not in found:
                    found[called] = ways[called]
                    todo.append(called)
    return found


def _sequence(production: Production, guests: Mapping[str, Guest]) -> Sequence:
    return Sequence(
        tuple(
            Terminal(str(symbol.name))
            if symbol.is_term and symbol.name not in guests
            else Rule(guests[symbol.name].name if symbol.is_term else str(symbol.name))
            for symbol in production.expansion
        )
    )


def _lexeme(texts_of: Callable[[str], Lexeme], terminal: TerminalDef) -> Lexeme:
    """The texts of a terminal; of one that is written as a text, just that one."""
    pattern = terminal.pattern
    if isinstance(pattern, PatternStr) and not pattern.flags:
        return Lexeme.of_literal([CharSet.single(ord(character)) for character in pattern.value])
    return _read(texts_of, terminal)


def _read(read: Callable[[str], _Kind], terminal: TerminalDef) -> _Kind:
    """What `read` makes of the pattern of a terminal."""
    pattern = terminal.pattern.to_regexp()
    try:
        return read(pattern)
    except UnsupportedFeature as error:
        raise UnsupportedFeature(error.feature, where=f"terminal {terminal.name}: {pattern}", hint=error.hint) from None
    except PatternError as error:
        raise GrammarError(f"terminal {terminal.name}: {error}") from None


def _explained(error: Exception, message: str, text: str, start: str, path: str) -> GrammarError:
    """What lark says of a grammar, with the place where that can be told."""
    escape = _ECMA_ESCAPE.search(text) if "unicodeescape" in message else None
    if escape is not None:
        point = escape[1] or "1F600"
        hint = f"write \\U{point.zfill(8)}" if len(point) <= 6 else "write \\U and eight digits"
        return _at(text, escape.start(), f"{escape[0]} is no escape of Python's re; {hint}", path)
    if isinstance(error, OSError):
        return GrammarError(f"%import: there is no grammar {error.filename or message}", path=path)
    if isinstance(error, MALFORMED):
        return _at(text, _in_pattern(error, text), f"a pattern is malformed: {message}", path)
    width = re.search(r"zero-width regexps\", TerminalDef\('(\w+)', (.*)\)\)$", message)
    if width is not None:
        return _without_width(width[1], width[2], path)
    if start not in _defined(text) and repr(start) in message:
        return GrammarError(f"the start rule {start!r} is not defined{_nearest(start, text)}", path=path)
    if message.startswith("Reduce/Reduce collision"):
        return _collision(message, text, path)
    place = re.search(r"\s*,? at line (\d+),? column (\d+)(?: in ([^\s:]+))?", message)
    if place is not None:
        # of an imported grammar the line is another one
        context = message[place.end() :].strip(" :\n").split("\n")[0].strip()
        line, column = int(place[1]), int(place[2])
        is_here = line <= text.count("\n") + 1 and context in text.split("\n")[line - 1]
        what = message[: place.start()]
        return GrammarError(
            what[:1].lower() + what[1:],
            source=text if is_here else "",
            line=line,
            column=column,
            path=path if is_here else place[3] or path,
        )
    undefined = re.match(
        r"(?:Rule|Terminal|Template) '?([\w{}]+)'? used but not defined|Terminal used but .*: (\w+)", message
    )
    if undefined is not None:
        name = undefined[1] or undefined[2]
        used = re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", text)
        line, column = (None, None) if used is None else _place(text, used.start())
        return GrammarError(
            f"{name!r} is used but not defined{_nearest(name, text)}", source=text, line=line, column=column, path=path
        )
    named = _NAMED.search(message)
    uses = list(re.finditer(rf"(?<![\w.]){named[1]}(?!\w)", text)) if named is not None else []
    is_last = any(words in message for words in ("more than once", "arguments", "inside terminals"))
    return _at(text, uses[-is_last].start() if uses else None, message[:1].lower() + message[1:], path)


_ECMA_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*\\u\{([0-9a-fA-F]*)\}?")
"""A character by its number as ECMA-262 writes it."""

_NAMED = re.compile(r"(?i:nonterminal\(|terminals? |terminal\(|rule |used for )\{?'?([a-zA-Z_]\w*)")
"""The rule or terminal that lark speaks of."""


def _in_pattern(error: Exception, text: str) -> int | None:
    """The place in a grammar of what is wrong in a pattern, if it is written there just as it is read."""
    pattern, place = getattr(error, "pattern", None), getattr(error, "pos", None)
    if not isinstance(pattern, str) or not isinstance(place, int):
        return None
    flags = re.match(r"\(\?[a-z]+:", pattern)  # which lark puts around it
    for written, before in ((pattern, 0), (pattern[flags.end() : -1], flags.end()) if flags else (pattern, 0)):
        begin = text.find(f"/{written}/")
        if begin >= 0:
            return begin + 1 + min(place - before, len(written))
    return None


def _at(text: str, place: int | None, message: str, path: str) -> GrammarError:
    """What is wrong at a character of a grammar, None if it is not known at which."""
    if place is None:
        return GrammarError(message, path=path)
    line, column = _place(text, place)
    return GrammarError(message, source=text, line=line, column=column, path=path)


def _collision(message: str, text: str, path: str) -> GrammarError:
    """Rules between which an LALR parser cannot decide, as lark says it, at the place of the first in the grammar."""
    parts = [part.split("\n\t- ") for part in message.split("\n\n")]
    shown = "; ".join(f"{head.rstrip()} {', '.join(sorted(rules))}" for head, *rules in parts)
    places = (
        re.search(rf"(?m)^[ \t]*[?!]*{re.escape(name)}\b(?:\.-?\d+)?\s*:", text)
        for name in re.findall(r"- <(\w+) : ", message)
    )
    place = min((found.start() for found in places if found is not None), default=None)
    line, column = (None, None) if place is None else _place(text, place)
    hint = "; a rule of a higher priority goes first, and lexers other than 'longest' need no decision"
    return GrammarError(
        shown[:1].lower() + shown[1:] + hint, source="" if line is None else text, line=line, column=column, path=path
    )


def _declared(text: str) -> list[str]:
    """The names that a grammar declares."""
    return [name for names in re.findall(r"(?m)^[ \t]*%declare\b([^\n/#]*)", text) for name in names.split()]


def _declared_in_terminal(text: str, names: Iterable[str], path: str) -> GrammarError:
    """A terminal is made of one that is declared, or of a token, at the place of the first such one in the grammar."""
    either = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    for terminal in re.finditer(r"(?m)^[ \t]*_*[A-Z]\w*(?:\.-?\d+)?[ \t]*:(?:[^\n]|\n\s*\|)*", text):
        found = re.compile(rf"(?<!\w)(?:{either})(?!\w)").search(
            text, text.index(":", terminal.start()), terminal.end()
        )
        if either and found:
            line, column = _place(text, found.start())
            message = f"{found[0]} cannot be a part of a terminal, since it has no pattern; let a rule be made of them"
            return GrammarError(message, source=text, line=line, column=column, path=path)
    return GrammarError("a terminal is made of one that is declared and has no pattern", path=path)


def _without_width(name: str, pattern: str, path: str) -> GrammarError:
    return GrammarError(f"terminal {name} has the empty text, which no terminal may have: {pattern}", path=path)


def _defined(text: str) -> list[str]:
    """The names that a grammar defines itself, roughly."""
    return re.findall(r"(?m)^\s*(?:%(?:override|extend)\s+)?[?!]*(\w+)(?:\{[^}]*\})?(?:\.-?\d+)?\s*:", text)


def _nearest(name: str, text: str) -> str:
    near = difflib.get_close_matches(name, _defined(text), n=1, cutoff=0.5)
    return f"; did you mean {near[0]!r}?" if near else ""


def _place(text: str, index: int) -> tuple[int, int]:
    """Line and column of a character, from 1."""
    return text.count("\n", 0, index) + 1, index - (text.rfind("\n", 0, index) + 1) + 1
