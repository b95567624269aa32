"""Parser of llguidance's dialect.

Source: llguidance 1.8, "Syntax of LLGuidance Grammars",
https://github.com/guidance-ai/llguidance/blob/main/docs/syntax.md.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any, NoReturn

from guidance_kit.errors import LimitError, UnsupportedFeature
from guidance_kit.fsm.network import UNBOUNDED
from guidance_kit.grammars.context_free.source import GrammarScanner
from guidance_kit.grammars.context_free.token_notation import token_set
from guidance_kit.grammars.llguidance.excerpts import chunks_of
from guidance_kit.grammars.llguidance.parameters import read_condition, read_parameter
from guidance_kit.grammars.llguidance.shared_terminals import SHARED
from guidance_kit.grammars.llguidance.syntax import (
    Alternatives,
    Attributes,
    CharacterRange,
    ConditionalAlternative,
    Definition,
    GrammarDocument,
    GrammarUse,
    InlineGrammar,
    InlineSchema,
    Item,
    Literal,
    NameUse,
    Negation,
    Pattern,
    TokenUse,
    Turns,
)
from guidance_kit.grammars.regular.charset import is_spellable

__all__ = ["read_document"]

_SPACE = re.compile(r"(?:[ \t]+|(?://|\#)[^\n]*)*")
_LINES = re.compile(r"(?:\s+|(?://|\#)[^\n]*)*")
_NEXT_ALTERNATIVE = re.compile(r"(?:\s+|(?://|\#)[^\n]*)*\|(?!\|)")
_END_OF_SEQUENCE = re.compile(r"(?=[\r\n|&)\]}]|->|%if\b)")
_RULE = re.compile(r"[!?]*([_?]?[a-z][_a-z0-9-]*)")
_TERMINAL = re.compile(r"_?[A-Z][_A-Z0-9-]*")
_STRING = re.compile(r'"(?:\\(?:["\\/bfnrt]|u[a-fA-F0-9]{4}|x[a-fA-F0-9]{2})|[^"\\\x00-\x1f\x7f])*"')
_PATTERN = re.compile(r"/((?:\\.|[^/\\\n])+)/([imslux]*)", re.DOTALL)
_TOKEN = re.compile(r"<[^<>\s]+>")
_NUMBER = re.compile(r"[0-9]+")
_DECIMAL = re.compile(r"[0-9]+(?:\.[0-9]*)?")
_BOUNDS = re.compile(r"\{[ \t]*(\d*)[ \t]*(,?)[ \t]*(\d*)[ \t]*\}|~[ \t]*(\d+)(?:[ \t]*(\.\.)[ \t]*(\d+))?")
_REFERENCE = re.compile(r"@([A-Za-z0-9_-]+)")
_IMPORT = re.compile(r"[A-Za-z_][\w.]*")
_OPTIONS = ("no_forcing", "allow_invalid_utf8", "allow_initial_skip", "ignore_once")


def read_document(text: str, path: str = "") -> GrammarDocument:
    """The grammar of a text.

    Args:
        text: the grammar.
        path: its file, for messages.
    Raises:
        GrammarError: malformed, or a name is defined twice.
        UnsupportedFeature: templates, priorities, files, and whatever else llguidance refuses, too.
        LimitError: groups are nested too deep.
    """
    return _Reader(GrammarScanner(text, path)).document("")


class _Reader:
    """Recursive descent over the text of a grammar."""

    def __init__(self, source: GrammarScanner) -> None:
        self.source = source

    def document(self, end: str) -> GrammarDocument:
        """Definitions and statements up to `end`."""
        source, document = self.source, GrammarDocument()
        source.match(_LINES)
        while not (source.is_at_end or (end and source.next == end)):
            place = source.place
            if source.next == "%":
                self._statement(document)
            else:
                definition = self._definition()
                if definition.name in document.definitions:
                    raise source.error(f"{definition.name!r} is defined twice", place)
                document.definitions[definition.name] = definition
            source.match(_SPACE)
            if not source.is_at_end and source.next not in f"\r\n{end}":
                raise source.error("expected the end of the line")
            source.match(_LINES)
        if end:
            source.expect(end, "a closing brace")
        return document

    def _statement(self, document: GrammarDocument) -> None:
        source = self.source
        if source.take("%ignore"):
            source.match(_SPACE)
            document.ignored.append(self._expansion())
        elif source.take("%import"):
            self._import(document)
        elif source.take("%llguidance"):
            place = source.place
            options = self._json()
            if not isinstance(options, dict) or not all(isinstance(value, bool) for value in options.values()):
                raise source.error("%llguidance takes an object with options that are true or false", place)
            for name in options:
                if name not in _OPTIONS:
                    raise source.error(f"%llguidance has no option {name!r}", place)
            if options.get("allow_invalid_utf8"):
                self._refuse("allow_invalid_utf8", "leave it out: texts are UTF-8", place)
            document.options.update(options)
        elif source.next == "%":
            self._refuse(
                source.text[source.place :].split(None, 1)[0],
                "llguidance refuses it, too; write @name, and give rules={name: ...}",
                source.place,
            )

    def _import(self, document: GrammarDocument) -> None:
        source = self.source
        source.match(_SPACE)
        place = source.place
        path = source.match(_IMPORT)
        module, _, name = (path[0] if path else "").rpartition(".")
        names = {name: name}
        source.match(_SPACE)
        if source.take("("):
            module, names = f"{module}.{name}".strip("."), {}
            while not source.take(")"):
                source.match(_LINES)
                listed = self._terminal_name()
                names[listed] = listed
                source.match(_LINES)
                source.take(",")
        elif source.take("->"):
            source.match(_SPACE)
            names = {name: self._terminal_name()}
        if module != "common":
            self._refuse("%import of files", "write the rules into the grammar, or use dialect='lark'", place)
        for name, alias in names.items():
            if name not in SHARED:
                raise source.error(f"common has no terminal {name!r}", place)
            if alias in document.definitions:
                raise source.error(f"{alias!r} is defined twice", place)
            way = ConditionalAlternative(((Pattern(SHARED[name], "", place),),), None, place)
            document.definitions[alias] = Definition(alias, place, Alternatives((way,)))

    def _definition(self) -> Definition:
        source = self.source
        place = source.place
        name, is_rule = self._rule_or_terminal("expected a rule, a terminal, or a statement")
        is_parametric = is_rule and source.take("::")
        if is_parametric:
            source.match(_SPACE)
            source.expect("_", "the parameter _")
        source.match(_SPACE)
        attributes = Attributes()
        if source.next == "{":
            self._refuse("a template", "write its rules out, or use dialect='lark'", source.place)
        if source.next == ".":
            self._refuse("a priority", "leave it out: all parses count", source.place)
        if is_rule and source.take("["):
            attributes = self._attributes(name)
        source.match(_SPACE)
        if is_parametric and (attributes != Attributes()):
            self._refuse("an attribute of a rule with a parameter", "give it to a rule without one", place)
        source.expect(":", f"a colon after {name!r}")
        source.match(_SPACE)
        return Definition(name, place, self._expansion(), is_parametric, attributes)

    def _attributes(self, name: str) -> Attributes:
        source, found = self.source, Attributes()
        while not source.take("]"):
            source.match(_SPACE)
            place = source.place
            key = source.match(_RULE)
            word = "" if key is None else key[0]
            source.match(_SPACE)
            if word == "lazy":
                found.is_lazy = True
            elif word == "capture":
                if source.take("="):
                    source.match(_SPACE)
                    self._text()
            elif word in ("stop", "suffix", "stop_capture", "max_tokens", "temperature"):
                source.expect("=", f"= after {word}")
                source.match(_SPACE)
                if word == "stop_capture":
                    self._text()
                elif word in ("stop", "suffix"):
                    if found.end is not None:
                        raise source.error(f"{name!r} has several ends", place)
                    found.end = self._value()
                else:
                    number = source.match(_NUMBER if word == "max_tokens" else _DECIMAL)
                    if number is None:
                        raise source.error("expected a number")
                    if word == "max_tokens":
                        found.max_tokens = int(number[0])
                    else:
                        found.temperature = float(number[0])
            else:
                raise source.error(f"rules have no attribute {word!r}", place)
            source.match(_SPACE)
            if not source.take(",") and source.next != "]":
                raise source.error("expected a comma, or ]")
        return found

    def _expansion(self) -> Alternatives:
        source = self.source
        source.opened()
        ways = [self._alternative()]
        while source.match(_NEXT_ALTERNATIVE):
            source.match(_SPACE)
            ways.append(self._alternative())
        source.depth -= 1
        return Alternatives(tuple(ways))

    def _alternative(self) -> ConditionalAlternative:
        source = self.source
        place, conjuncts = source.place, [self._sequence()]
        while source.take("&"):
            source.match(_SPACE)
            conjuncts.append(self._sequence())
        condition = None
        if source.take("->"):
            source.match(_SPACE)
            if source.match(_RULE) is None:
                raise source.error("expected the name of an alias")
            source.match(_SPACE)
        if source.take("%if"):
            condition = read_condition(source)
            source.match(_SPACE)
        return ConditionalAlternative(tuple(conjuncts), condition, place)

    def _sequence(self) -> tuple[Item, ...]:
        source, items = self.source, list[Item]()
        while not (
            source.is_at_end or source.next in "\r\n|&)]}" or source.text.startswith(("->", "%if"), source.place)
        ):
            items.append(self._repeated(self._atom()))
            source.match(_SPACE)
        return tuple(items)

    def _repeated(self, item: Item) -> Item:
        source = self.source
        source.match(_SPACE)
        place = source.place
        if (turns := source.operator()) is not None:
            return Turns(item, *turns, place)
        bounds = source.match(_BOUNDS)
        if bounds is None:
            if source.next == "{":
                raise source.error("expected {m}, {m,}, {,n} or {m,n}")
            return item
        low, high = (bounds[4], bounds[6] if bounds[5] else bounds[4]) if bounds[4] else (bounds[1], bounds[3])
        if not bounds[4] and not bounds[2]:
            if not low:
                raise source.error("expected {m}, {m,}, {,n} or {m,n}", place)
            high = low
        if max(len(low), len(high or "")) > 9:
            raise LimitError("max_turns", 10**9 - 1, where="a repetition in a grammar")
        least, most = int(low or 0), int(high) if high else UNBOUNDED
        if 0 <= most < least:
            raise source.error(f"a repetition between {least} and {most} times", place)
        return Turns(item, least, most, place)

    def _atom(self) -> Item:
        source = self.source
        place = source.place
        if source.take("~"):
            source.match(_SPACE)
            return Negation(self._atom(), place)
        if source.take("("):
            return self._group(")", "a closing parenthesis")
        if source.take("["):
            return Turns(self._group("]", "a closing bracket"), 0, 1, place)
        return self._value()

    def _group(self, end: str, named: str) -> Alternatives:
        source = self.source
        source.match(_LINES)
        inner = self._expansion()
        source.match(_LINES)
        source.expect(end, named)
        return inner

    def _value(self) -> Item:
        source = self.source
        place = source.place
        if source.next == '"':
            text = self._text()
            if source.take(".."):
                return self._range(text, self._text(), place)
            return Literal(text, ignores_case=source.take("i"))
        if source.next == "/":
            found = source.match(_PATTERN)
            if found is None:
                raise source.error("the pattern has no end")
            if "l" in found[2]:
                raise source.error("the flag l depends on the machine", found.start(2))
            return Pattern(found[1], found[2].replace("u", ""), place)
        if source.next == "<":
            found = source.match(_TOKEN)
            if found is None:
                raise source.error("expected a token, as <[5]> or <|name|>")
            tokens = token_set(found[0], lambda message, offset: source.error(message, place + offset))
            return TokenUse(found[0], tokens, place)
        if reference := source.match(_REFERENCE):
            return GrammarUse(reference[1], place)
        if source.take("%json"):
            return InlineSchema(self._json(), place)
        if source.take("%regex"):
            return chunks_of(self._json(), lambda message: source.error(message, place))
        if source.take("%lark"):
            source.match(_SPACE)
            source.expect("{", "a grammar in braces")
            source.opened()
            inner = self.document("}")
            source.depth -= 1
            return InlineGrammar(inner, place)
        return self._name()

    def _name(self) -> NameUse:
        source = self.source
        place = source.place
        name, _ = self._rule_or_terminal("expected a rule, a terminal, a text or a pattern")
        if source.take("::"):
            parameter, needs_parameter = read_parameter(source)
            return NameUse(name, place, parameter, needs_parameter)
        if re.compile(r"\{[ \t]*[^\s\d,}]").match(source.text, source.place):
            self._refuse("a template", "write its rules out, or use dialect='lark'", place)
        return NameUse(name, place)

    def _rule_or_terminal(self, expected: str) -> tuple[str, bool]:
        """Name of a rule or a terminal, and whether it is that of a rule.

        Args:
            expected: message of the error if there is none.
        """
        found = self.source.match(_TERMINAL) or self.source.match(_RULE)
        if found is None:
            raise self.source.error(expected)
        is_rule = found.re is _RULE
        return (found[1].lstrip("?") if is_rule else found[0]), is_rule

    def _terminal_name(self) -> str:
        found = self.source.match(_TERMINAL)
        if found is None:
            raise self.source.error("expected the name of a terminal")
        return found[0]

    def _range(self, first: str, last: str, place: int) -> CharacterRange:
        for text in (first, last):
            if len(text) != 1:
                raise self.source.error(f"a range is between single characters, which {text!r} is not", place)
        if last < first:
            raise self.source.error(f"a range from {first!r} to {last!r}", place)
        return CharacterRange(first, last)

    def _text(self) -> str:
        """A text between quotes, with the escapes of JSON and `\\xHH`."""
        source = self.source
        found = source.match(_STRING)
        if found is None:
            raise source.error("expected a text in quotes, with the escapes of JSON or \\xHH")
        text = json.loads(re.sub(r"(\\.)", lambda escape: "\\u00" if escape[0] == "\\x" else escape[0], found[0]))
        if not is_spellable(text):
            raise source.error("a surrogate is no character", found.start())
        return text

    def _json(self) -> Any:
        source = self.source
        source.match(_LINES)
        try:
            value, source.place = json.JSONDecoder().raw_decode(source.text, source.place)
        except RecursionError:
            raise LimitError("max_nesting", 300, where="JSON in a grammar") from None
        except json.JSONDecodeError as error:
            raise source.error(f"the JSON is malformed: {error.msg}", error.pos) from None
        except ValueError:
            limit = sys.get_int_max_str_digits()
            raise LimitError("max_digits", limit, where="a number in a grammar") from None
        return value

    def _refuse(self, feature: str, hint: str, place: int) -> NoReturn:
        raise UnsupportedFeature(feature, where=self.source.where(place), hint=hint)
