"""Terminals of Lark's notation: their patterns and names, as lark makes them."""

from __future__ import annotations

from collections.abc import Mapping

from lark.exceptions import GrammarError as LarkGrammarError
from lark.lexer import Pattern, PatternRE, PatternStr, TerminalDef
from lark.load_grammar import eval_escaping
from lark.utils import is_id_continue, is_id_start

from guidance_kit.fsm.network import UNBOUNDED
from guidance_kit.grammars.context_free.tree import Choice, EbnfRepetition, Node, Sequence, Terminal

__all__ = ["LarkTerminals"]

_TURNS = {(0, 1): "?", (0, UNBOUNDED): "*", (1, UNBOUNDED): "+"}

_SIGNS = ".,:;+-*/\\|?!@#$%^&_<>=\"'`~(){}[]\n\t "

_SIGN_NAMES = (
    "DOT COMMA COLON SEMICOLON PLUS MINUS STAR SLASH BACKSLASH VBAR QMARK BANG AT HASH DOLLAR PERCENT CIRCUMFLEX "
    "AMPERSAND UNDERSCORE LESSTHAN MORETHAN EQUAL DBLQUOTE QUOTE BACKQUOTE TILDE LPAR RPAR LBRACE RBRACE LSQB RSQB "
    "NEWLINE TAB SPACE"
)

_NAMES = {**dict(zip(_SIGNS, _SIGN_NAMES.split(), strict=True)), "\r\n": "CRLF"}
"""Names of terminals that are written in rules."""


class LarkTerminals:
    """Terminals of a grammar.

    Args:
        bodies: of the defined terminals; None of a declared one. A literal is a terminal of its spelling.
        priorities: of terminals that have one.
        imported: terminals of other grammars.
    Raises:
        LarkGrammarError: one is malformed.

    Attributes:
        found: all but declared ones, those of literals in rules behind the others.
    """

    def __init__(
        self, bodies: Mapping[str, Node | None], priorities: Mapping[str, int], imported: list[TerminalDef]
    ) -> None:
        self._bodies = bodies
        self._patterns: dict[str, Pattern | None] = {one.name: one.pattern for one in imported}
        self.found = list(imported)
        for name, body in bodies.items():
            if body is not None:
                self.found.append(TerminalDef(name, self._pattern_of(name), priorities.get(name, 0)))
        self._names = {one.pattern: one.name for one in self.found}
        self._taken = set(bodies).union(self._patterns)
        self._unnamed = 0

    def name_of(self, literal: str) -> str:
        """Name of the terminal of a literal in a rule."""
        pattern = _literal(literal)
        found = self._names.get(pattern)
        if found is None:
            found = self._new_name(pattern)
            self._taken.add(found)
            self._names[pattern] = found
            self.found.append(TerminalDef(found, pattern))
        return found

    def _new_name(self, pattern: Pattern) -> str:
        text = pattern.value if isinstance(pattern, PatternStr) else ""
        name = _NAMES.get(text)
        if name is None and text and is_id_continue(text) and is_id_start(text[0]):
            name = text.upper()
        if name is None or name in self._taken:
            name = f"__ANON_{self._unnamed}"
            self._unnamed += 1
        return name

    def _pattern_of(self, name: str) -> Pattern:
        """Pattern of a terminal, or of a literal."""
        if name[0] in '"/':
            return _literal(name)
        if name not in self._patterns:
            body = self._bodies.get(name)
            if body is None or body == Sequence(()):
                raise LarkGrammarError(f"the terminal {name} has no pattern")
            self._patterns[name] = None
            self._patterns[name] = self._pattern(body)
        found = self._patterns[name]
        if found is None:
            raise LarkGrammarError(f"the terminal {name} contains itself")
        return found

    def _pattern(self, body: Node) -> Pattern:
        if isinstance(body, Terminal):
            return self._pattern_of(body.name)
        if isinstance(body, Sequence):
            if not body.parts:
                return PatternStr("")
            return PatternRE("".join(self._pattern(part).to_regexp() for part in body.parts))
        if isinstance(body, Choice):
            ways = sorted(map(self._pattern, body.ways), key=_longest_first)
            return PatternRE(f"(?:{'|'.join(way.to_regexp() for way in ways)})")
        if isinstance(body, EbnfRepetition):
            inner = self._pattern(body.body)
            return PatternRE(f"(?:{inner.to_regexp()}){_TURNS[body.minimum, body.maximum]}", inner.flags)
        raise LarkGrammarError("a terminal contains a rule")


def _longest_first(way: Pattern) -> tuple[int, int, int]:
    """Order of alternatives, so that `re` finds the longest."""
    return -way.max_width, -way.min_width, -len(way.value)


def _literal(spelling: str) -> Pattern:
    """Pattern of a text, of a pattern, or of the range between two texts on two lines."""
    first, _, last = spelling.partition("\n") if spelling[0] == '"' else (spelling, "", "")
    if last:
        if len(eval_escaping(first[1:-1])) != 1 or len(eval_escaping(last[1:-1])) != 1:
            raise LarkGrammarError("a range is between two characters")
        return PatternRE(f"[{first[1:-1]}-{last[1:-1]}]")
    end = spelling.rfind(spelling[0])
    flags, written = spelling[end + 1 :], spelling[1:end]
    if "\n" in written and "x" not in flags:
        raise LarkGrammarError("a line ends within a pattern")
    value = written if written.isprintable() and "\\" not in written else eval_escaping(written)
    if not value:
        raise LarkGrammarError("a literal is empty")
    if spelling[0] == '"':
        return PatternStr(value.replace("\\\\", "\\"), flags, raw=spelling)
    return PatternRE(value, flags, raw=spelling)
