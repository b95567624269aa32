"""Regular expressions and rules of grammars in English and as syntax diagrams (railroad diagrams)."""

from __future__ import annotations

import io
from collections.abc import Mapping
from collections.abc import Sequence as Parts
from typing import Any

from guidance_kit.errors import OptionError
from guidance_kit.fsm.network import UNBOUNDED
from guidance_kit.grammars.context_free.lexeme import Lexeme
from guidance_kit.grammars.context_free.tree import (
    Choice,
    EbnfRepetition,
    Node,
    RuleReference,
    Sequence,
    Terminal,
    Unless,
)
from guidance_kit.grammars.regular.charset import CharSet
from guidance_kit.grammars.regular.expression import (
    Alternation,
    Characters,
    Complement,
    Concatenation,
    Deferred,
    Expression,
    Intersection,
    Lookahead,
    Lookbehind,
    Repetition,
)
from guidance_kit.reports.automaton_graph import label_of

__all__ = ["diagram_svg", "expression_words", "literal_of", "rule_words", "with_literals"]

_LONGEST_LITERAL = 64
"""Characters of a terminal that is shown by its text."""

_DEEP = 12
"""Nesting from which a part is only named."""


def expression_words(expression: Expression, depth: int = 0) -> str:
    """A regular expression as a phrase.

    >>> from guidance_kit.grammars.regular.parse import parse
    >>> expression_words(parse("(yes|no)!?", 0))
    'one of ("yes", "no"), then optionally "!"'
    """
    if depth > _DEEP:
        return "…"
    if isinstance(expression, Characters):
        return _characters(expression.charset)
    if isinstance(expression, Concatenation):
        return ", then ".join(_runs(expression.parts, depth))
    if isinstance(expression, Alternation):
        ways = [expression_words(part, depth + 1) for part in expression.parts]
        return _one_of([way or "nothing" for way in ways])
    if isinstance(expression, Repetition):
        return _times(expression.minimum, expression.maximum, expression_words(expression.body, depth + 1))
    if isinstance(expression, Intersection):
        return "what is all of (" + "; ".join(expression_words(part, depth + 1) for part in expression.parts) + ")"
    if isinstance(expression, Complement):
        return f"anything but ({expression_words(expression.body, depth + 1)})"
    if isinstance(expression, Lookahead):
        return f"(here {expression_words(expression.rest, depth + 1)} must follow)"
    if isinstance(expression, Lookbehind):
        told = "must not stand before" if expression.is_negated else "must stand before"
        return f"(here {expression_words(expression.past, depth + 1)} {told})"
    return expression_words(expression.body, depth + 1) if isinstance(expression, Deferred) else ""


def rule_words(node: Node, depth: int = 0) -> str:
    """The body of a rule as a phrase.

    >>> rule_words(Sequence((RuleReference("term"), EbnfRepetition(Terminal("PLUS"), 0, 1))))
    'term, then optionally PLUS'
    """
    if depth > _DEEP:
        return "…"
    if isinstance(node, RuleReference | Terminal):
        return node.name
    if isinstance(node, Sequence):
        return ", then ".join(rule_words(part, depth + 1) for part in node.parts) or "nothing"
    if isinstance(node, Choice):
        return _one_of([rule_words(way, depth + 1) for way in node.ways])
    if isinstance(node, EbnfRepetition):
        return _times(node.minimum, node.maximum, rule_words(node.body, depth + 1))
    return f"(here none of {', '.join(sorted(node.names))} may follow)"


def diagram_svg(part: Expression | Node) -> str:
    """Syntax diagram as an SVG element.

    Raises:
        OptionError: the package railroad-diagrams is not installed.
    """
    try:
        import railroad
    except ImportError:
        raise OptionError("syntax diagrams need railroad-diagrams: pip install 'guidance-kit[draw]'") from None
    drawn = _Drawer(railroad).item(part, 0)
    written = io.StringIO()
    railroad.Diagram(drawn).writeSvg(written.write)
    return written.getvalue()


def literal_of(lexeme: Lexeme) -> str | None:
    """Only text of a terminal; None of one with several, or with none.

    >>> literal_of(Lexeme.of_literal([CharSet.single(ord(sign)) for sign in "if"]))
    'if'
    """
    state, text = 0, ""
    while len(text) <= _LONGEST_LITERAL:
        edges = list(lexeme.edges[state]) if state < len(lexeme.edges) else []
        if not edges:
            return text if text and lexeme.endings[state] is not None else None
        characters, state_after = edges[0]
        if len(edges) > 1 or len(characters) != 1 or lexeme.endings[state] is not None:
            return None
        text += chr(characters.bounds[0])
        state = state_after
    return None


def with_literals(node: Node, literals: Mapping[str, str]) -> Node:
    """Body of a rule with terminals of one text named by that text, in quotes.

    >>> with_literals(Sequence((Terminal("PLUS"), RuleReference("sum"))), {"PLUS": "+"}).parts[0]
    Terminal(name='"+"')
    """
    if isinstance(node, Terminal) and node.name in literals:
        return Terminal(f'"{literals[node.name]}"')
    if isinstance(node, Sequence):
        return Sequence(tuple(with_literals(part, literals) for part in node.parts))
    if isinstance(node, Choice):
        return Choice(tuple(with_literals(way, literals) for way in node.ways))
    if isinstance(node, EbnfRepetition):
        return EbnfRepetition(with_literals(node.body, literals), node.minimum, node.maximum)
    return node


class _Drawer:
    """Items of a syntax diagram.

    Args:
        railroad: the package.
    """

    def __init__(self, railroad: Any) -> None:
        self._railroad = railroad

    def item(self, part: Expression | Node, depth: int) -> Any:
        """Item of an expression or a node."""
        kit = self._railroad
        if depth > _DEEP:
            return kit.Comment("…")
        if isinstance(part, Characters):
            single = _single(part)
            return kit.Terminal(_characters(part.charset) if single is None else _visible(single))
        if isinstance(part, RuleReference):
            return kit.NonTerminal(part.name)
        if isinstance(part, Terminal):
            return kit.Terminal(_visible(part.name))
        if isinstance(part, Concatenation):
            return self._sequence(part.parts, depth)
        if isinstance(part, Sequence):
            return kit.Sequence(*(self.item(one, depth + 1) for one in part.parts)) if part.parts else kit.Skip()
        if isinstance(part, Alternation | Choice):
            ways = part.parts if isinstance(part, Alternation) else part.ways
            return kit.Choice(0, *(self.item(way, depth + 1) for way in ways))
        if isinstance(part, Repetition | EbnfRepetition):
            return self._repetition(self.item(part.body, depth + 1), part.minimum, part.maximum)
        if isinstance(part, Deferred):
            return self.item(part.body, depth + 1)
        if isinstance(part, Unless):
            return kit.Comment(rule_words(part))
        words = expression_words(part)
        return kit.NonTerminal(words if len(words) <= 60 else words[:59] + "…") if words else kit.Skip()

    def _sequence(self, parts: Parts[Expression], depth: int) -> Any:
        """Parts one after the other, runs of single characters as one terminal."""
        kit = self._railroad
        items: list[Any] = []
        word = ""
        for part in parts:
            single = _single(part)
            if single is not None:
                word += single
                continue
            items += [kit.Terminal(_visible(word))] if word else []
            word = ""
            items.append(self.item(part, depth + 1))
        return kit.Sequence(*items, *([kit.Terminal(_visible(word))] if word else []))

    def _repetition(self, body: Any, minimum: int, maximum: int) -> Any:
        kit = self._railroad
        if (minimum, maximum) == (0, 1):
            return kit.Optional(body)
        if (minimum, maximum) == (0, UNBOUNDED):
            return kit.ZeroOrMore(body)
        if (minimum, maximum) == (1, UNBOUNDED):
            return kit.OneOrMore(body)
        note = kit.Comment(_counted(minimum, maximum))
        return kit.OneOrMore(body, note) if minimum else kit.Optional(kit.OneOrMore(body, note))


def _runs(parts: Parts[Expression], depth: int) -> list[str]:
    """Phrases of parts, with runs of single characters as one text."""
    found: list[str] = []
    word = ""
    for part in parts:
        single = _single(part)
        if single is not None:
            word += single
            continue
        found += [f'"{word}"'] if word else []
        word = ""
        found.append(expression_words(part, depth + 1))
    return [one for one in [*found, *([f'"{word}"'] if word else [])] if one]


def _single(part: Expression) -> str | None:
    """Only character of a part that is one character; None of others."""
    is_single = isinstance(part, Characters) and len(part.charset) == 1
    return chr(part.charset.bounds[0]) if is_single else None  # pyright: ignore[reportAttributeAccessIssue, reportUnknownArgumentType]


def _one_of(ways: Parts[str]) -> str:
    """Alternatives in words."""
    if len(ways) == 1:
        return ways[0]
    between = "; " if any(", " in way for way in ways) else ", "
    return f"one of ({between.join(ways)})"


def _visible(text: str) -> str:
    """Text with marks for white space at its ends, and for line ends."""
    marked = text.replace("\n", "⏎").replace("\t", "⇥")
    inner = marked.strip(" ")
    return (
        marked
        if marked == inner
        else "␣" * (len(marked) - len(marked.lstrip(" ")))
        + inner
        + ("␣" * (len(marked) - len(marked.rstrip(" "))) if inner else "")
    )


def _characters(charset: CharSet) -> str:
    if len(charset) == 1:
        return f'"{chr(charset.bounds[0])}"'
    label = label_of(charset)
    named = {"\\d": "a digit", "\\w": "a letter, digit or _", "\\s": "white space", "0–9": "a digit 0–9"}
    return named.get(label, "any character" if label == "any" else f"one of {label}")


def _counted(minimum: int, maximum: int) -> str:
    if maximum == UNBOUNDED:
        return f"{minimum:,} times or more"
    return f"{minimum:,} times" if minimum == maximum else f"{minimum:,} to {maximum:,} times"


def _times(minimum: int, maximum: int, body: str) -> str:
    """A repetition as a phrase."""
    grouped = f"({body})" if ", then " in body else body
    if (minimum, maximum) == (0, 1):
        return f"optionally {grouped}"
    if (minimum, maximum) == (0, UNBOUNDED):
        return f"{grouped} any number of times"
    if (minimum, maximum) == (1, UNBOUNDED):
        return f"{grouped} once or more"
    return f"{grouped} {_counted(minimum, maximum)}"
