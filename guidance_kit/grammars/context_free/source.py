"""Cursor over the text of a grammar, shared by the parsers of the notations."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Generator
from collections.abc import Sequence as Items
from contextlib import contextmanager

from guidance_kit.errors import GrammarError, LimitError
from guidance_kit.fsm.network import UNBOUNDED
from guidance_kit.grammars.context_free.embedded_constraint import EmbeddedConstraint
from guidance_kit.grammars.context_free.lexeme import Lexeme
from guidance_kit.grammars.context_free.tree import (
    EbnfRepetition,
    Grammar,
    Node,
    RuleReference,
    Sequence,
    Terminal,
    reachable_rules,
    terminals_in,
)
from guidance_kit.grammars.regular.charset import CharSet

__all__ = ["MAX_NESTING", "MOST_DIGITS", "GrammarScanner"]

MOST_DIGITS = 9
"""Greatest number of digits of a number in a grammar."""

_OPERATORS = {"*": (0, UNBOUNDED), "+": (1, UNBOUNDED), "?": (0, 1)}
_PLAIN = re.compile(r'[^"\\\r\n]+')
_CONTROL = {"0": 0x00, "a": 0x07, "b": 0x08, "t": 0x09, "n": 0x0A, "v": 0x0B, "f": 0x0C, "r": 0x0D, "e": 0x1B}

MAX_NESTING = 200
"""Groups within groups."""


class GrammarScanner:
    """A text with a position, and the rules and terminals read so far.

    Args:
        text: the grammar.
        path: its file, for messages.

    Attributes:
        place: index of the next character.
        rules: rules read so far.
        terminals: terminals read so far, by their spelling.
        depth: number of open groups.
    """

    def __init__(self, text: str, path: str) -> None:
        self.text = text
        self.path = path
        self.place = 0
        self.rules: dict[str, Node] = {}
        self.terminals: dict[str, Lexeme] = {}
        self.depth = 0
        self._used: dict[str, int] = {}
        self._embedded: dict[str, EmbeddedConstraint] = {}

    @property
    def is_at_end(self) -> bool:
        """True if everything was read."""
        return self.place >= len(self.text)

    @property
    def next(self) -> str:
        """The next character, "" at the end."""
        return self.text[self.place : self.place + 1]

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Read a text of a pattern if it comes next."""
        found = pattern.match(self.text, self.place)
        if found is not None:
            self.place = found.end()
        return found

    def take(self, text: str) -> bool:
        """Read `text` if it comes next."""
        if not self.text.startswith(text, self.place):
            return False
        self.place += len(text)
        return True

    def expect(self, text: str, what: str) -> None:
        """Read `text`.

        Raises:
            GrammarError: something else comes next.
        """
        if not self.take(text):
            raise self.error(f"expected {what}")

    def error(self, message: str, place: int | None = None) -> GrammarError:
        """Error at a place, by default the current one."""
        place = self.place if place is None else place
        line, column = self._position(place)
        return GrammarError(message, source=self.text, line=line, column=column, path=self.path)

    def where(self, place: int) -> str:
        """Line and column of a place, in words."""
        return "line {}, column {}".format(*self._position(place))

    def opened(self) -> None:
        """Note that a group was opened."""
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise LimitError("max_nesting", MAX_NESTING, where="groups in a grammar")

    def define(self, name: str, place: int, node: Node) -> None:
        """Add a rule.

        Raises:
            GrammarError: there is one of that name.
        """
        if name in self.rules:
            raise self.error(f"the rule {name!r} is defined twice", place)
        self.rules[name] = node

    def use(self, name: str, place: int) -> None:
        """Note the use of a rule."""
        self._used.setdefault(name, place)

    def embed(self, constraint: EmbeddedConstraint, place: int) -> Node:
        """Embed another constraint in a rule, under a name that no rule can have."""
        self._embedded[constraint.name] = constraint
        self.use(constraint.name, place)
        return RuleReference(constraint.name)

    def literal(self, sets: Items[CharSet], shown: str) -> Node:
        """One character of each of some sets."""
        if not sets:
            return Sequence(())
        self.terminals.setdefault(shown, Lexeme.of_literal(sets))
        return Terminal(shown)

    def grammar(self, start: str, embedded: Items[EmbeddedConstraint] = ()) -> Grammar:
        """Grammar that was read.

        Args:
            start: the rule that the whole text must match.
            embedded: constraints for undefined names.
        Raises:
            GrammarError: a rule is used that is not defined, or both defined and embedded.
        """
        embedded = [*embedded, *self._embedded.values()]
        for constraint in embedded:
            if constraint.name in self.rules:
                raise GrammarError(
                    f"the rule {constraint.name!r} is defined in the grammar and given, too", path=self.path
                )
            if constraint.name in self._used:
                self.rules[constraint.name] = Sequence(())
        for name, place in self._used.items():
            if name not in self.rules:
                raise self.error(f"{name!r} is used but not defined{self._nearest(name)}", place)
        if start not in self.rules:
            raise GrammarError(f"the start rule {start!r} is not defined{self._nearest(start)}", path=self.path)
        reachable = reachable_rules(self.rules, start)
        used = {name: self.terminals[name] for node in reachable.values() for name in terminals_in(node)}
        unused = tuple(name for name in self.rules if name not in reachable)
        return Grammar(start=start, rules=reachable, terminals=used, unused=unused).with_embedded(embedded)

    def rule_name(self, names: re.Pattern[str]) -> str:
        """Name of a rule that is defined.

        Args:
            names: pattern.
        """
        name = self.match(names)
        if name is None:
            raise self.error("expected the name of a rule")
        return name[0]

    @contextmanager
    def group(self, spaces: re.Pattern[str]) -> Generator[None]:
        """Context of what stands in parentheses, the first of which was read.

        Args:
            spaces: pattern of what may follow the first parenthesis.
        """
        self.opened()
        self.match(spaces)
        yield
        self.expect(")", "a closing parenthesis")
        self.depth -= 1

    def quoted(self, character: Callable[[], int]) -> str:
        """Text between double quotes, on one line.

        Args:
            character: reads a character, which may be escaped.
        """
        place = self.place
        self.expect('"', "a text in quotes")
        points: list[int] = []
        while not self.take('"'):
            if self.is_at_end or self.next in "\r\n":
                raise self.error("the text has no end", place)
            plain = self.match(_PLAIN)
            points += [character()] if plain is None else map(ord, plain[0])
        return "".join(map(chr, points))

    def characters(self, character: Callable[[], int], barred: str) -> CharSet:
        """Class of characters in brackets.

        Args:
            character: reads a character, which may be escaped.
            barred: characters that cannot be in it.
        """
        place = self.place
        self.expect("[", "a class of characters")
        is_negated = self.take("^")
        ranges: list[tuple[int, int]] = []
        while not self.take("]"):
            if self.is_at_end or self.next in barred:
                raise self.error("the class has no end", place)
            first = last = character()
            if self.next == "-" and self.text[self.place + 1 : self.place + 2] not in ("]", ""):
                self.take("-")
                last = character()
                if last < first:
                    raise self.error(f"a range from {chr(first)!r} to {chr(last)!r}")
            ranges.append((first, last))
        found = CharSet.of(ranges)
        return ~found if is_negated else found

    def character(self, escapes: re.Pattern[str] | None = None) -> int:
        """Code point of the next character.

        Args:
            escapes: pattern of escapes, whose first three groups are hexadecimal digits and whose fourth is a letter.
        """
        if escapes is None or self.next != "\\":
            self.place += 1
            return ord(self.text[self.place - 1])
        found = self.match(escapes)
        if found is None:
            raise self.error("unknown escape")
        digits = found[1] or found[2] or found[3]
        if digits:
            return self.point(digits, found.start())
        return _CONTROL.get(found[4], ord(found[4]))

    def point(self, digits: str, place: int) -> int:
        """Code point of hexadecimal digits, which stand at a place."""
        point = int(digits[:9], 16)
        if point > 0x10FFFF or 0xD800 <= point < 0xE000:
            raise self.error(f"U+{point:X} is no character", place)
        return point

    def operator(self) -> tuple[int, int] | None:
        """Least and greatest number of turns of the operator `*`, `+` or `?`, if one comes next."""
        found = _OPERATORS.get(self.next)
        self.place += found is not None
        return found

    def repeated(self, body: Node, minimum: int, maximum: int) -> Node:
        """A body some times.

        Raises:
            GrammarError: the numbers make no sense.
        """
        if 0 <= maximum < minimum:
            raise self.error(f"a repetition between {minimum} and {maximum} times")
        return Sequence(()) if maximum == 0 else EbnfRepetition(body, minimum, maximum)

    def with_operator(self, part: Node, bounds: re.Pattern[str]) -> Node | None:
        """A part with the repetition operator behind it, of GBNF's kind; None if there is none.

        Args:
            bounds: pattern of `{m}`, `{m,}` and `{m,n}`, whose groups are m, the comma, and n.
        Raises:
            GrammarError: a brace does not open a repetition; the numbers make no sense.
            LimitError: a number has too many digits.
        """
        if (turns := self.operator()) is not None:
            return self.repeated(part, *turns)
        if self.next != "{":
            return None
        found = self.match(bounds)
        if found is None:
            raise self.error("expected {m}, {m,} or {m,n}")
        if max(len(found[1]), len(found[3] or "")) > MOST_DIGITS:
            raise LimitError("max_turns", 10**MOST_DIGITS - 1, where="a repetition in a grammar")
        least = int(found[1])
        return self.repeated(part, least, int(found[3]) if found[3] else UNBOUNDED if found[2] else least)

    def _position(self, place: int) -> tuple[int, int]:
        return self.text.count("\n", 0, place) + 1, place - self.text.rfind("\n", 0, place)

    def _nearest(self, name: str) -> str:
        near = difflib.get_close_matches(name, self.rules, n=1, cutoff=0.5)
        return f"; did you mean {near[0]!r}?" if near else ""
