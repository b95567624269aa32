"""`explain`: a constraint in English and as a picture, with examples and near misses, as one page."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from guidance_kit.errors import ConstraintError, OptionError
from guidance_kit.grammars.argument import ConstraintArgument, constraint_of
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.reports.near_misses import NearMiss, near_misses
from guidance_kit.reports.pattern_words import (
    diagram_svg,
    expression_words,
    literal_of,
    rule_words,
    with_literals,
)
from guidance_kit.reports.schema_words import FieldRow, SchemaWords

__all__ = ["Explanation", "RuleWords", "explain"]

_EXAMPLES = 4

_LONGEST_SHOWN = 240
"""Characters of a near miss that are shown."""

_LONGEST_EXAMPLE = 400
"""Bytes of an example, if there are so short ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleWords:
    """Rule of a grammar, or a whole regular expression, in words.

    Args:
        name: name of the rule; "" for a regular expression.
        words: what it stands for.
        diagram: syntax diagram as SVG; "" without the package that draws it.
    """

    name: str
    words: str
    diagram: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """A constraint in English, with examples and near misses.

    Args:
        title: title of a schema, else the kind of the constraint.
        summary: what the texts are, in one sentence.
        description: text of the author of a schema.
        fields: fields of a schema.
        rules: rules of a grammar, or the regular expression.
        examples: valid texts.
        near_misses: invalid texts that differ little from valid ones.
        source: the constraint as it was given.
    """

    title: str
    summary: str
    description: str = ""
    fields: tuple[FieldRow, ...] = ()
    rules: tuple[RuleWords, ...] = ()
    examples: tuple[str, ...] = ()
    near_misses: tuple[NearMiss, ...] = ()
    source: str = ""

    def __str__(self) -> str:
        lines = [f"{self.title}: {self.summary}"]
        for row in self.fields:
            lines.append(f"{'  ' * (row.depth + 1)}{row.name} ({row.presence}): {row.phrase}")
        lines += [f"  {rule.name or 'pattern'}: {rule.words}" for rule in self.rules if rule.name]
        lines += [f"valid: {text}" for text in self.examples]
        lines += [f"invalid: {_shortened(one.text)} ({one.change}): {one.reason}" for one in self.near_misses]
        return "\n".join(lines)

    def to_html(self) -> str:
        """The page, one HTML file without external resources, to be written in UTF-8."""
        parts = [
            _paragraph(self.description, "described"),
            _section("Fields", _boxes(self.fields)),
            _section("Picture" if self.title == "regex" else "Rules", "".join(map(_rule, self.rules))),
            _section("Examples", "".join(f"<pre>{escape(text)}</pre>" for text in self.examples)),
            _section("Near misses", _misses(self.near_misses)),
            _section("Source", f"<details><summary>show</summary><pre>{escape(self.source)}</pre></details>"),
        ]
        style = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
        body = "\n".join(part for part in parts if part)
        return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(self.title)}</title>
<style>{style}</style>
</head>
<body>
<main>
<h1>{escape(self.title)}</h1>
<p class="summary">{escape(self.summary)}</p>
{body}
</main>
</body>
</html>
"""


def explain(constraint: ConstraintArgument | Any, *, seed: int = 0) -> Explanation:
    """Explain a constraint: in English, as a picture, with valid texts and near misses.

    Args:
        constraint: a schema (dict), a type, a compiled pattern or a `Constraint`; see
            `grammars.argument.constraint_of`.
        seed: seed of the examples.
    Raises:
        OptionError: it determines no constraint.
        ConstraintError: as the constraint's constructor.

    >>> explanation = explain({"type": "integer", "minimum": 1, "maximum": 5})
    >>> explanation.summary
    'A whole number from 1 to 5.'
    """
    held = constraint_of(constraint)
    examples = _examples(held, seed)
    misses = tuple(near_misses(held, examples))
    shown = tuple(map(_one_line, examples)) if held.kind == "json_schema" else tuple(examples)
    common = {"examples": shown, "near_misses": misses}
    if held.kind == "json_schema":
        return _of_schema(json.loads(str(held.source)), common)
    if held.kind == "regex" and held.language.has_captures:  # in the syntax of Python's re
        return _of_pattern(held, common)
    if held.kind == "grammar":
        return _of_grammar(held, common)
    return Explanation(title=held.kind, summary=f"Texts of {held.kind}().", source=str(held.source), **common)


def _examples(constraint: Constraint, seed: int) -> list[str]:
    """A few valid texts of several lengths, short ones first; none where none can be drawn."""
    for most in (_LONGEST_EXAMPLE, None):
        with contextlib.suppress(ConstraintError, OptionError):
            found = sorted(constraint.sample(3 * _EXAMPLES, seed=seed, max_length=most), key=len)
            if found:
                return found[:: max(1, len(found) // _EXAMPLES)][:_EXAMPLES]
    return []


def _one_line(text: str) -> str:
    from guidance_kit.extraction.entry import one_line

    return one_line(text)


def _of_schema(schema: Any, common: dict[str, Any]) -> Explanation:
    words = SchemaWords(schema)
    target, passed = words.resolved(schema)
    given: Mapping[str, Any] = target if isinstance(target, Mapping) else {}
    return Explanation(
        title=str(given.get("title", "JSON Schema")),
        summary=_sentence(words.phrase(target, above=passed)),
        description=str(given.get("description", "")),
        fields=tuple(words.rows()),
        source=json.dumps(schema, ensure_ascii=False, indent=2),
        **common,
    )


def _of_pattern(constraint: Constraint, common: dict[str, Any]) -> Explanation:
    expression = getattr(constraint.language, "expression")  # noqa: B009
    words = expression_words(expression)
    rule = RuleWords(name="", words=words, diagram=_diagram(expression))
    return Explanation(title="regex", summary=_sentence(words), rules=(rule,), source=str(constraint.source), **common)


def _of_grammar(constraint: Constraint, common: dict[str, Any]) -> Explanation:
    read = getattr(constraint.language, "reading").grammar  # noqa: B009
    grammar = getattr(read, "grammar", read)
    names = [grammar.start, *(name for name in grammar.rules if name != grammar.start)]
    literals = {name: text for name, lexeme in grammar.terminals.items() if (text := literal_of(lexeme)) is not None}
    rules: list[RuleWords] = []
    for name in names:
        body = with_literals(grammar.rules[name], literals)
        rules.append(RuleWords(name=name, words=rule_words(body), diagram=_diagram(body)))
    patterns = [
        RuleWords(name=name, words=f"{'ignored, ' * name.startswith('__IGNORE')}/{text}/")
        for name, text in sorted(grammar.patterns.items())
        if name not in literals
    ]
    return Explanation(
        title="grammar",
        summary=_sentence(f"texts of the rule {grammar.start}: {rules[0].words}"),
        rules=(*rules, *patterns),
        source=str(constraint.source),
        **common,
    )


def _diagram(part: Any) -> str:
    with contextlib.suppress(OptionError):
        return diagram_svg(part)
    return ""


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}… ({len(text):,} characters)"


def _sentence(phrase: str) -> str:
    return f"{phrase[:1].upper()}{phrase[1:]}."


def _paragraph(text: str, look: str) -> str:
    return f'<p class="{look}">{escape(text)}</p>' if text else ""


def _section(title: str, content: str) -> str:
    return f"<section>\n<h2>{title}</h2>\n{content}\n</section>" if content else ""


def _boxes(fields: tuple[FieldRow, ...]) -> str:
    """Fields as nested boxes."""
    parts: list[str] = []
    depth = -1
    for row in fields:
        while depth >= row.depth:
            parts.append("</div>")
            depth -= 1
        depth = row.depth
        look = "required" if row.presence == "required" else "optional"
        parts.append(
            f'<div class="box"><p><b>{escape(row.name)}</b> <span class="{look}">{row.presence}</span></p>'
            f"<p>{escape(row.phrase)}</p>"
            f"{_paragraph(row.description, 'described')}"
        )
    return "\n".join([*parts, "</div>" * (depth + 1)])


def _rule(rule: RuleWords) -> str:
    name = f"<p><b>{escape(rule.name)}</b></p>" if rule.name else ""
    picture = f'<div class="diagram">{_safe(rule.diagram)}</div>' if rule.diagram else ""
    words = f"<p>{escape(rule.words)}</p>" if rule.name else ""  # else they are the summary
    return f'<div class="rule">{name}{words}{picture}</div>'


def _safe(svg: str) -> str:
    """SVG without a style of its own, which the page has."""
    return re.sub(r"(?s)<style>.*?</style>", "", svg)


def _misses(found: tuple[NearMiss, ...]) -> str:
    """Table of the near misses."""
    rows = "".join(
        f"<tr><td><code>{escape(_shortened(one.text))}</code></td><td>{escape(one.change)}</td><td>{escape(one.reason)}</td></tr>"
        for one in found
    )
    heads = "<thead><tr><th>text</th><th>difference</th><th>why not</th></tr></thead>"
    return f"<table>{heads}<tbody>{rows}</tbody></table>" if rows else ""
