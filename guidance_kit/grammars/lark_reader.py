"""Reader of Lark's notation without `~`, templates, imported rules, `%override` and `%extend`.

lark's own loader, which takes ten times as long, reads all other grammars, and says what is wrong with one. What is
read here has the texts that it has for lark, and the same terminals under the same names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import TypeVar

from lark.exceptions import GrammarError as LarkGrammarError
from lark.lexer import PatternRE, TerminalDef
from lark.load_grammar import TERMINALS, stdlib_loader

from guidance_kit.fsm.network import UNBOUNDED
from guidance_kit.grammars.context_free.productions import ways_of
from guidance_kit.grammars.context_free.tree import (
    Choice,
    EbnfRepetition,
    Node,
    RuleReference,
    Sequence,
    Terminal,
    with_terminals,
)
from guidance_kit.grammars.lark_scanners import by_priority
from guidance_kit.grammars.lark_terminals import LarkTerminals
from guidance_kit.grammars.regular.parse import MALFORMED

__all__ = ["LarkGrammar", "read_plain"]

_MOST_NESTED = 40
"""Groups within groups that are read here."""

_FIRST = ("RULE", "TERMINAL", "STRING", "REGEXP", "_LPAR", "_LBRA")
"""Tokens with which a symbol or a group begins."""

_TURNS = {"?": (0, 1), "*": (0, UNBOUNDED), "+": (1, UNBOUNDED)}

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class LarkGrammar:
    """A grammar in Lark's notation.

    Attributes:
        rules: the used rules.
        defined: names of all rules.
        priorities: of rules that have one.
        used: names of the terminals in the rules.
        terminals: those used, and ignored ones.
        ignored: names of ignored terminals.
    """

    rules: Mapping[str, Node]
    defined: tuple[str, ...]
    priorities: Mapping[str, int]
    used: AbstractSet[str]
    terminals: list[TerminalDef]
    ignored: list[str]


def read_plain(text: str, start: str, folders: Iterable[Path]) -> LarkGrammar | None:
    """The grammar of a text.

    Args:
        text: the grammar.
        start: the rule of whole texts.
        folders: folders of grammars that are searched before lark's own.
    Returns:
        None if lark's loader must read it, or say what is wrong with it.
    """
    try:
        return _PlainReader(text).grammar(start, folders)
    except (_NotPlain, LarkGrammarError, *MALFORMED):
        return None


class _NotPlain(ValueError):
    """A text that is not read here."""


@cache
def _tokens() -> re.Pattern[str]:
    """Tokens of the notation, in the order in which lark's lexer tries them."""
    ordered = by_priority(TerminalDef(name, PatternRE(value)) for name, value in TERMINALS.items())
    return re.compile("|".join(f"(?P<{one.name}>{one.pattern.value})" for one in ordered))


@cache
def _library(name: str) -> Mapping[str, TerminalDef]:
    """Terminals of a grammar that comes with lark."""
    try:
        _, text = stdlib_loader(None, f"{name}.lark")
    except OSError:
        raise _NotPlain from None
    return _PlainReader(text).terminals()


class _PlainReader:
    """Tokens of a grammar, with a place in them, and the definitions read so far.

    A literal is read as a terminal of its spelling, which for a range has two lines.
    """

    def __init__(self, text: str) -> None:
        self._kinds: list[str | None] = []
        self._texts: list[str] = []
        end = 0
        for found in _tokens().finditer(f"{text}\n"):
            if found.start() != end:
                raise _NotPlain
            end = found.end()
            if found.lastgroup not in ("WS", "COMMENT", "BACKSLASH"):
                self._kinds.append(found.lastgroup)
                self._texts.append(found[0])
        if end != len(text) + 1:
            raise _NotPlain
        self._kinds.append(None)
        self._place = 0
        self._nested = 0
        self._rules: dict[str, Node] = {}
        self._terminals: dict[str, Node | None] = {}
        self._priorities: dict[str, int] = {}
        self._ignored: list[str] = []
        self._imports: dict[str, dict[str, str]] = {}  # names in this grammar, by those in another one
        self._checked: set[str | None] = set()  # rules with aliases or [...], of which lark takes no equal alternatives
        self._literals: dict[str, list[tuple[int, str]]] = {}  # of each rule: depth in lark's tree, spelling
        self._symbols: dict[str, dict[str, None]] = {}  # other symbols of each rule, in order
        while self._kinds[self._place] is not None:
            self._statement()

    def terminals(self) -> Mapping[str, TerminalDef]:
        """All terminals of a grammar of nothing else."""
        if self._rules or self._imports:
            raise _NotPlain
        return {one.name: one for one in LarkTerminals(self._terminals, self._priorities, []).found}

    def grammar(self, start: str, folders: Iterable[Path]) -> LarkGrammar:
        """The grammar with a start rule."""
        terminals = LarkTerminals(self._terminals, self._priorities, self._imported(folders))
        known = {*self._rules, *self._terminals, *(one.name for one in terminals.found)}
        rules: dict[str, Node] = {}
        literals: dict[str, dict[str, Terminal]] = {}
        for name, node in self._rules.items():
            ordered = sorted(self._literals[name], key=itemgetter(0), reverse=True)
            literals[name] = {spelling: Terminal(terminals.name_of(spelling)) for _, spelling in ordered}
            if not known.issuperset(self._symbols[name]):
                raise _NotPlain
            rules[name] = with_terminals(node, literals[name])
            if name in self._checked and _has_equal_ways(rules[name]):
                raise _NotPlain
        if start not in rules or not known.issuperset(self._ignored):
            raise _NotPlain
        reachable = {start: rules[start]}
        used: set[str] = set()
        for name in (todo := [start]):  # grows meanwhile
            used |= {one.name for one in literals[name].values()}
            for called in self._symbols[name]:
                if called not in rules:
                    used.add(called)
                elif called not in reachable:
                    reachable[called] = rules[called]
                    todo.append(called)
        return LarkGrammar(
            rules=reachable,
            defined=tuple(rules),
            priorities=self._priorities,
            used=used,
            terminals=[one for one in terminals.found if one.name in used or one.name in self._ignored],
            ignored=self._ignored,
        )

    def _imported(self, folders: Iterable[Path]) -> list[TerminalDef]:
        """Imported terminals, under their names in this grammar."""
        found: list[TerminalDef] = []
        for library, names in self._imports.items():
            defined = {} if any((folder / f"{library}.lark").exists() for folder in folders) else _library(library)
            if not defined.keys() >= names.keys():
                raise _NotPlain
            found += [
                TerminalDef(names[name], one.pattern, one.priority) for name, one in defined.items() if name in names
            ]
        if len({*self._terminals, *(one.name for one in found)}) < len(self._terminals) + len(found):
            raise _NotPlain
        return found

    def _take(self, *kinds: str) -> str:
        """Read a token of one of some kinds."""
        if self._kinds[self._place] not in kinds:
            raise _NotPlain
        self._place += 1
        return self._texts[self._place - 1]

    def _takes(self, kind: str) -> bool:
        """Read a token if it is of a kind."""
        is_next = self._kinds[self._place] == kind
        self._place += is_next
        return is_next

    def _define(self, name: str, definitions: dict[str, _Value], value: _Value) -> None:
        if name in definitions:
            raise _NotPlain
        definitions[name] = value

    def _statement(self) -> None:
        if self._takes("_IGNORE"):
            node = self._expansions(None, 0)
            if isinstance(node, Terminal) and node.name[0] not in '"/':
                self._ignored.append(node.name)
            else:
                self._ignored.append(f"__IGNORE_{len(self._ignored)}")
                self._terminals[self._ignored[-1]] = node
        elif self._takes("_DECLARE"):
            while self._kinds[self._place] != "_NL":
                self._define(self._take("TERMINAL"), self._terminals, None)
        elif self._takes("_IMPORT"):
            self._import()
        elif self._kinds[self._place] == "TERMINAL":
            name = self._header("TERMINAL")
            self._define(name, self._terminals, self._expansions(None, 0))
        elif self._kinds[self._place] != "_NL":
            is_inlined = self._takes("RULE_MODIFIERS") and "?" in self._texts[self._place - 1]
            name = self._header("RULE")
            if is_inlined and name[0] == "_":
                raise _NotPlain
            self._define(name, self._literals, [])
            self._symbols[name] = {}
            self._rules[name] = self._expansions(name, 0)
        self._take("_NL")

    def _import(self) -> None:
        names = self._imports.setdefault(self._take("RULE", "TERMINAL"), {})
        if self._takes("_DOT"):
            name = self._take("TERMINAL")
            self._define(name, names, self._take("TERMINAL") if self._takes("_TO") else name)
            return
        self._take("_LPAR")
        is_last = False
        while not is_last:
            name = self._take("TERMINAL")
            self._define(name, names, name)
            is_last = self._take("_COMMA", "_RPAR") == ")"

    def _header(self, kind: str) -> str:
        """Name of a definition, up to the colon."""
        name = self._take(kind)
        if self._takes("_DOT"):
            self._priorities[name] = int(self._take("NUMBER"))
        self._take("_COLON")
        return name

    def _expansions(self, rule: str | None, depth: int) -> Node:
        """Alternatives of a rule, or of a terminal, at a depth of lark's tree."""
        self._nested += 1
        if self._nested > _MOST_NESTED:
            raise _NotPlain
        ways = [self._expansion(rule, depth + 1)]
        while self._kinds[self._place] in ("_OR", "_NL_OR"):
            self._place += 1
            ways.append(self._expansion(rule, depth + 1))
        self._nested -= 1
        return ways[0] if len(ways) == 1 else Choice(tuple(ways))

    def _expansion(self, rule: str | None, depth: int) -> Node:
        """One alternative."""
        first = self._count(rule)
        parts: list[Node] = []
        while self._kinds[self._place] in _FIRST:
            parts.append(self._item(rule, depth + 1))
        if self._takes("_TO"):
            if rule is None or rule[0] == "_" or depth != 1:
                raise _NotPlain
            self._take("RULE")
            self._deepen(rule, first)
            self._checked.add(rule)
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def _item(self, rule: str | None, depth: int) -> Node:
        """A symbol or a group, with the operator behind it."""
        first = self._count(rule)
        kind, text = self._kinds[self._place], self._texts[self._place]
        self._place += 1
        if kind == "_LPAR":
            node = self._expansions(rule, depth)
            self._take("_RPAR")
        elif kind == "_LBRA":
            node = EbnfRepetition(self._expansions(rule, depth + 1), 0, 1)
            self._take("_RBRA")
            self._checked.add(rule)
        else:
            if kind == "STRING" and self._takes("_DOTDOT"):
                text = f"{text}\n{self._take('STRING')}"
            node = RuleReference(text) if kind == "RULE" else Terminal(text)
            if rule is not None:
                if kind in ("RULE", "TERMINAL"):
                    self._symbols[rule][text] = None
                else:
                    self._literals[rule].append((depth, text))
        if self._takes("OP"):
            node = EbnfRepetition(node, *_TURNS[self._texts[self._place - 1]])
            self._deepen(rule, first)
        return node

    def _count(self, rule: str | None) -> int:
        """Number of literals of a rule so far."""
        return 0 if rule is None else len(self._literals[rule])

    def _deepen(self, rule: str | None, first: int) -> None:
        """Note that the last literals of a rule are deeper in lark's tree by one."""
        if rule is not None:
            found = self._literals[rule]
            found[first:] = [(depth + 1, spelling) for depth, spelling in found[first:]]


def _has_equal_ways(node: Node) -> bool:
    """Test whether a node, or one that is repeated in it, has a sequence of symbols twice."""
    todo = [node]
    for each in todo:  # grows meanwhile
        ways = ways_of(each)
        if len({*ways}) < len(ways):
            return True
        todo += {part.body for way in ways for part in way if isinstance(part, EbnfRepetition)}
    return False
