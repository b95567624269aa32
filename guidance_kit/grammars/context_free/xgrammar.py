"""XGrammar's EBNF: GBNF with macros and options of rules.

Source: XGrammar 0.2.8, "EBNF Grammar", https://xgrammar.mlc.ai/docs/defining_structures/ebnf_grammar.html.
"""

from __future__ import annotations

import re
from collections.abc import Sequence as Items
from dataclasses import replace

from guidance_kit.grammars.context_free.embedded_constraint import EmbeddedConstraint
from guidance_kit.grammars.context_free.source import MOST_DIGITS, GrammarScanner
from guidance_kit.grammars.context_free.tree import Choice, Grammar, Node, RuleReference, RuleSettings, Sequence
from guidance_kit.grammars.context_free.xgrammar_macros import MACROS, MacroArguments, RuleName
from guidance_kit.grammars.context_free.xgrammar_terminals import ending_from, lexeme_of_rule, terminal
from guidance_kit.grammars.regular.charset import CharSet

__all__ = ["is_xgrammar", "read_xgrammar"]

_SPACE = re.compile(r"(?:\s|#[^\n]*)*")
_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.-]*")
_HEADER = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.-]*\s*(?:\[[^\]\n]*\]\s*)?::=")
_ESCAPE = re.compile(
    r"\\(?:x([0-9a-fA-F]+)|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([tnrbfave0\\\"'/?]))",
)
_ESCAPE_IN_CLASS = re.compile(
    r"\\(?:x([0-9a-fA-F]+)|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([tnrbfave0\\\"'/?^$.*+()\[\]{}|-]))",
)
_BOUNDS = re.compile(r"\{\s*(\d+)\s*(?:(,)\s*(?:-1|(\d+))?\s*)?\}")
_OPTION = re.compile(r'([a-z_]+)\s*(?:=\s*(-?[0-9.]+|"(?:\\.|[^"\\\n])*"))?')
_NUMBER = re.compile(r"[0-9]+")

_SETTINGS = ("max_tokens", "temperature")
"""Options for the generation of a rule."""

_CAPTURES = ("capture", "stop_capture", "capture_hidden_suffix_bytes", "capture_hidden_stop_bytes")
"""Options that concern captures alone."""

_OPTIONS = "|".join((*_SETTINGS, *_CAPTURES, "lazy", "max_chars"))

_OWN = re.compile(
    rf"""\#[^\n]*|"(?:\\.|[^"\\\n])*"|\[(?:\\.|[^\]\\\n])*\](?!\s*::=)
    |(?P<own>\b(?P<macro>{"|".join(MACROS)})\s*\(|\(=|\[\s*(?:{_OPTIONS})\b[^\]\n]*\]\s*::=)""",
    re.VERBOSE,
)
"""Comments, texts and classes, which say nothing; and constructs of XGrammar alone."""


def is_xgrammar(text: str) -> bool:
    """Test whether a grammar has macros, options of rules or lookaheads, which GBNF lacks."""
    return any(
        found["own"] and not (found["macro"] and re.search(rf"\b{found['macro']}\s*::=", text))
        for found in _OWN.finditer(text)
    )


def read_xgrammar(
    text: str, *, start: str = "root", path: str = "", embedded: Items[EmbeddedConstraint] = ()
) -> Grammar:
    """The grammar of a text in XGrammar's EBNF.

    Args:
        text: the grammar.
        start: the rule of whole texts.
        path: its file, for messages.
        embedded: constraints for undefined names.
    Raises:
        GrammarError: malformed; a rule is undefined, or defined twice.
        UnsupportedFeature: a macro that cannot be enforced exactly.
        LimitError: groups are nested too deep, or a terminal is too large.
    """
    source = GrammarScanner(text, path)
    reader = _XgrammarReader(source)
    source.match(_SPACE)
    while not source.is_at_end:
        reader.rule()
    for name, (place, most) in reader.ends.items():
        lexeme = lexeme_of_rule(name, source, place)
        source.rules[name] = terminal(source, ending_from(lexeme, most), name)
    found = source.grammar(start, embedded)
    return replace(found, regions={name: reader.regions[name] for name in reader.regions.keys() & found.rules.keys()})


class _XgrammarReader:
    """Recursive descent over the text of a grammar.

    Attributes:
        regions: settings of rules.
        ends: for rules that end as soon as they can after some characters, the place and the number; 0 of lazy ones.
    """

    def __init__(self, source: GrammarScanner) -> None:
        self.source = source
        self.ends: dict[str, tuple[int, int]] = {}
        self.regions: dict[str, RuleSettings] = {}

    def rule(self) -> None:
        source = self.source
        place = source.place
        name = source.rule_name(_NAME)
        source.match(_SPACE)
        if source.take("["):
            self._options(name, place)
        source.expect("::=", f"::= after the name {name!r}")
        source.match(_SPACE)
        body = self._choice()
        if source.take("(="):  # a hint for caches of XGrammar: it is not enforced there
            source.opened()
            source.match(_SPACE)
            self._choice()
            source.expect(")", "a closing parenthesis")
            source.depth -= 1
            source.match(_SPACE)
        source.define(name, place, body)
        if not source.is_at_end and _HEADER.match(source.text, source.place) is None:
            raise source.error("expected an element, or the name of the next rule and ::=")

    def _options(self, name: str, place: int) -> None:
        source, settings = self.source, dict[str, int | float]()
        while True:
            source.match(_SPACE)
            here = source.place
            option = source.match(_OPTION)
            key = "" if option is None else option[1]
            if key in _SETTINGS:
                if option is None or not re.fullmatch(r"[0-9]+(?:\.[0-9]+)?", option[2] or ""):
                    raise source.error(f"{key} takes a number", here)
                settings[key] = self._setting(key, option[2], here)
            elif key in ("lazy", "max_chars"):
                if name in self.ends:
                    raise source.error(f"the rule {name!r} has lazy and max_chars, or one of them twice", here)
                if key == "max_chars" and (option is None or not (option[2] or "").isdigit()):
                    raise source.error("max_chars takes a number", here)
                self.ends[name] = place, int(option[2]) if option is not None and key == "max_chars" else 0
            elif key not in _CAPTURES:
                raise source.error(f"rules have no option {key!r}", here)
            source.match(_SPACE)
            if source.take("]"):
                break
            source.expect(",", "a comma, or ]")
        source.match(_SPACE)
        if settings:
            self.regions[name] = RuleSettings(settings, source.where(place))

    def _setting(self, key: str, written: str, place: int) -> int | float:
        """Value of an option for the generation of a rule."""
        if key == "temperature":
            return float(written)
        if not written.isdigit() or len(written) > MOST_DIGITS or int(written) == 0:
            raise self.source.error(f"{key} takes a whole number from 1 on", place)
        return int(written)

    def _choice(self) -> Node:
        ways = [self._sequence()]
        while self.source.take("|"):
            self.source.match(_SPACE)
            ways.append(self._sequence())
        return ways[0] if len(ways) == 1 else Choice(tuple(ways))

    def _sequence(self) -> Node:
        source, parts = self.source, list[Node]()
        while not (source.is_at_end or source.next in "|)" or source.text.startswith("(=", source.place)):
            if _HEADER.match(source.text, source.place) is not None:
                break
            parts.append(self._repeated(self._element()))
        return Sequence(tuple(parts))

    def _repeated(self, part: Node) -> Node:
        source = self.source
        source.match(_SPACE)
        found = source.with_operator(part, _BOUNDS)
        source.match(_SPACE)
        return part if found is None else found

    def _element(self) -> Node:
        source = self.source
        place = source.place
        if source.next == '"':
            text = self._text()
            return source.literal(list(map(CharSet.single, map(ord, text))), source.text[place : source.place])
        if source.next == "[":
            found = source.characters(lambda: source.character(_ESCAPE_IN_CLASS), "\r\n")
            shown = source.text[place : source.place]
            return source.literal([found], shown) if found else Choice(())
        if source.take("("):
            with source.group(_SPACE):
                return self._choice()
        name = source.match(_NAME)
        if name is None:
            raise source.error("expected an element")
        if name[0] in MACROS and source.text[source.place : source.place + 1] == "(":
            source.place += 1
            return MACROS[name[0]](source, place, self._arguments(name[0], place))
        source.use(name[0], place)
        return RuleReference(name[0])

    def _arguments(self, macro: str, place: int) -> MacroArguments:
        source = self.source
        found = MacroArguments(macro, place)
        source.match(_SPACE)
        while not source.take(")"):
            key = re.compile(r"([a-z_]+)\s*=\s*").match(source.text, source.place)
            if key is not None:
                source.place = key.end()
                found.named[key[1]] = self._value()
            else:
                found.positional.append(self._value())
            source.match(_SPACE)
            if not source.take(",") and source.next != ")":
                raise source.error("expected a comma, or )")
            source.match(_SPACE)
        return found

    def _value(self) -> object:
        source = self.source
        place = source.place
        if source.next == '"':
            return self._text()
        if number := source.match(_NUMBER):
            if len(number[0]) > MOST_DIGITS:
                raise source.error(f"a number of more than {MOST_DIGITS} digits", place)
            return int(number[0])
        if source.take("("):
            source.opened()
            source.match(_SPACE)
            items: list[object] = []
            while not source.take(")"):
                items.append(self._value())
                source.match(_SPACE)
                if not source.take(",") and source.next != ")":
                    raise source.error("expected a comma, or )")
                source.match(_SPACE)
            source.depth -= 1
            return tuple(items)
        name = source.match(_NAME)
        if name is None:
            raise source.error("expected a text, a number, true, false, a rule, or some of these in parentheses")
        if name[0] in ("true", "false"):
            return name[0] == "true"
        source.use(name[0], place)
        return RuleName(name[0])

    def _text(self) -> str:
        """A text between quotes."""
        return self.source.quoted(lambda: self.source.character(_ESCAPE))
