"""Lowering of a JSON Schema to the subset that another engine or service enforces, with what is lost."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from guidance_kit.errors import ConstraintError, MatchError, OptionError
from guidance_kit.grammars.comparison import Comparison, Counterexample, compare
from guidance_kit.grammars.json_schema import json_schema

if TYPE_CHECKING:
    from guidance_kit.grammars.json_schema.lowering.completion import CompletedSchema
    from guidance_kit.grammars.json_schema.lowering.rewriting import Change
    from guidance_kit.grammars.json_schema.lowering.targets import Target

__all__ = ["LoweredSchema", "Residue", "lower"]

_MOST_COMPARED = 60
"""Changes whose effect is decided; further ones are listed without an instance."""

_STEPS = 5_000
"""Steps of each proof about a change."""

_VALUE = "value"
"""Property around a root that is no object, for targets that want one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Residue:
    """Difference between a schema and its lowered form, at one place.

    Args:
        pointer: JSON pointer of the place in the schema, with the keywords of draft 2020-12.
        keyword: it is about.
        reason: in words.
        let_through: a value at that place that the target writes and the schema refuses; None if there is none, or
            none is known.
        never_written: a value at that place that the schema takes and the target never writes; None likewise.
        doubt: why it is not known whether the difference has an effect, as "gave up after 5,000 steps"; else empty.
    """

    pointer: str
    keyword: str
    reason: str
    let_through: Counterexample | None = None
    never_written: Counterexample | None = None
    doubt: str = ""

    @property
    def is_certain(self) -> bool:
        """True if the difference has an effect, false if that is not known."""
        return not self.doubt

    def __str__(self) -> str:
        parts = [f"{self.pointer or 'the root'}: {self.reason}"]
        if self.let_through is not None:
            parts.append(f"lets {self.let_through.text} through")
        if self.never_written is not None:
            parts.append(f"never writes {self.never_written.text}")
        return "; ".join([*parts, *([f"whether that matters is not known: {self.doubt}"] if self.doubt else [])])


@dataclass(frozen=True, kw_only=True)
class LoweredSchema:
    """A schema in the subset of a target, and the validator that closes the gap.

    Args:
        target: name of the target.
        schema: for the target.
        residue: what is lost, place by place; empty if the two are equivalent.
        notes: what the target asks for beyond keywords: limits that the schema exceeds, a wrapped root.
        grammar: grammar of the schema in GBNF, for a target that reads grammars; None for others.
    """

    target: str
    schema: dict[str, Any]
    residue: tuple[Residue, ...]
    notes: tuple[str, ...] = ()
    original: Any = field(repr=False)
    completed: CompletedSchema | None = field(repr=False, compare=False)
    is_wrapped: bool = False
    grammar: str | None = None

    @property
    def is_equivalent(self) -> bool:
        """True if nothing is lost."""
        return not self.residue

    def restore(self, value: Any) -> Any:
        """Value of the original schema for one of the lowered schema.

        A root that was wrapped is unwrapped, and properties that are null because they are absent are removed.
        """
        if self.completed is not None:
            value = self.completed.restored(value)
        return value[_VALUE] if self.is_wrapped else value

    def parse(self, text: str) -> Any:
        """Restored value of a JSON text of the target, if the original schema takes it.

        Raises:
            MatchError: it is no JSON, or the original schema refuses it, as the target did not enforce all.
        """
        try:
            value = self.restore(json.loads(text))
        except (ValueError, KeyError, TypeError) as error:
            raise MatchError(f"the text is none of the lowered schema: {error}") from error
        if not self._judge(value):
            raise MatchError(
                f"the schema refuses {json.dumps(value, ensure_ascii=False)[:200]}, which the target wrote"
            )
        return value

    def as_dict(self) -> dict[str, Any]:
        """Everything as a dictionary of JSON types."""
        return {
            "target": self.target,
            "schema": self.schema,
            **({} if self.grammar is None else {"grammar": self.grammar}),
            "equivalent": self.is_equivalent,
            "residue": [
                {
                    "pointer": one.pointer,
                    "keyword": one.keyword,
                    "reason": one.reason,
                    "let_through": None if one.let_through is None else one.let_through.value,
                    "never_written": None if one.never_written is None else one.never_written.value,
                    "certain": one.is_certain,
                    "doubt": one.doubt,
                }
                for one in self.residue
            ],
            "notes": list(self.notes),
        }

    @cached_property
    def _judge(self) -> Any:
        from guidance_kit.grammars.json_schema.documents.drafts import DEFAULT_DRAFT
        from guidance_kit.grammars.json_schema.inclusion.judge import InstanceJudge
        from guidance_kit.grammars.json_schema.inclusion.schema_pair import compact

        judge = InstanceJudge(self.original, DEFAULT_DRAFT, None, "assert")
        return lambda value: judge.accepts(compact(value)) is True


def lower(schema: Any, target: str) -> LoweredSchema:
    """Lower a JSON Schema to the subset that a target enforces.

    Keywords are expressed by others where that is exact: constants as enumerations, lengths as patterns, `allOf`
    merged. What cannot be expressed is left out or narrowed, and is in the residue with an instance, unless `compare`
    shows that it has no effect.

    Args:
        schema: a JSON Schema (dict or bool) or a Python type.
        target: name of an engine or service: "openai", "gemini", "anthropic", "bedrock", "llguidance", "xgrammar",
            "outlines", or "gbnf" for a grammar of llama.cpp. Where the documentation of one does not say that a keyword
            is enforced, it counts as not.
    Raises:
        OptionError: an unknown target; no schema.
        SchemaError, UnsupportedFeature: the schema is malformed or refers outside; it refers to itself, the target has
            no such references, and it has no instance of three levels.

    >>> lowered = lower({"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}}, "anthropic")
    >>> str(lowered.residue[1])
    '/properties/n: Claude API, structured outputs: minimum is not enforced; lets 0 through'
    """
    from guidance_kit.grammars.json_schema.documents.drafts import DEFAULT_DRAFT
    from guidance_kit.grammars.json_schema.inclusion.schema_pair import draft_of_schema
    from guidance_kit.grammars.json_schema.lowering.completion import CompletedSchema
    from guidance_kit.grammars.json_schema.lowering.rewriting import Change, Rewriter, modernised
    from guidance_kit.grammars.json_schema.lowering.targets import TARGETS
    from guidance_kit.grammars.json_schema.lowering.unrolling import LEVELS, unrolled

    if target not in TARGETS:
        raise OptionError.unknown(target, TARGETS, "target")
    rules = TARGETS[target]
    if isinstance(schema, bool):
        schema = {} if schema else {"not": {}}
    elif not isinstance(schema, Mapping):
        schema = json.loads(cast(str, json_schema(schema).source))
    whole = modernised(dict(schema), draft_of_schema(schema).number)
    whole["$schema"] = DEFAULT_DRAFT.uri
    written_out = None if rules.has_recursion else unrolled(whole)
    rewriter = Rewriter(rules, whole if written_out is None else written_out)
    plain = rewriter.rewritten()
    is_wrapped = rules.has_object_root and plain.get("type") != "object"
    if is_wrapped:
        plain = _wrapped(plain)
    completed = CompletedSchema(plain) if rules.is_complete else None
    source = whole if written_out is None else written_out
    definitions = {name: source[name] for name in ("$defs", "definitions") if name in source}
    residue = [*_residue(rewriter.changes, definitions)]
    if written_out is not None:
        reason = f"{rules.title}: references may not lead back, so the schema is written out {LEVELS} levels deep"
        result = compare(whole, written_out, steps=_STEPS)
        residue.insert(0, _residue_of(Change("", "$ref", reason, whole, written_out), result))
    if completed is not None:
        residue += (
            Residue(
                pointer=pointer,
                keyword="required",
                reason=f"{rules.title}: all properties are required, and {key!r} may be null already",
                doubt="the schema may refuse such a null",
            )
            for pointer, key in completed.nullable
        )
    final = plain if completed is None else completed.schema
    grammar = None
    if rules.is_grammar:
        from guidance_kit.grammars.json_schema.lowering.gbnf_writer import GbnfWriter

        writer = GbnfWriter(final, rules.title)
        grammar, final = writer.text(), writer.schema
        residue += _residue(writer.changes, definitions)
    notes = [*_limits(rules, final)]
    if is_wrapped:
        notes.append(f"the root is the property {_VALUE!r} of an object, as {rules.title} wants an object")
    return LoweredSchema(
        target=target,
        schema=final,
        residue=tuple(residue),
        notes=tuple(notes),
        original=whole,
        completed=completed,
        is_wrapped=is_wrapped,
        grammar=grammar,
    )


def _residue(changes: list[Change], definitions: dict[str, Any]) -> list[Residue]:
    """Changes that have an effect, with instances."""
    from guidance_kit.grammars.json_schema.lowering.references import needed_definitions

    found: list[Residue] = []
    known: dict[str, Comparison | str] = {}
    for change in changes:
        text = json.dumps([change.before, change.after], sort_keys=True)
        if text not in known and len(known) < _MOST_COMPARED:
            try:
                needed = needed_definitions(definitions, change.before, change.after)
                known[text] = compare({**change.before, **needed}, {**change.after, **needed}, steps=_STEPS)
            except ConstraintError as error:
                known[text] = str(error)
        result = known.get(text, f"gave up after {_MOST_COMPARED} comparisons")
        if isinstance(result, str) or not result.is_equal:
            found.append(_residue_of(change, result))
    return found


def _residue_of(change: Change, result: Comparison | str) -> Residue:
    """Residue of a change, from the comparison of the schema before with that after it, or the reason for none."""
    if isinstance(result, str):
        return Residue(pointer=change.pointer, keyword=change.keyword, reason=change.reason, doubt=result)
    doubts = dict.fromkeys(one.reason for one in (result.left_in_right, result.right_in_left) if one.reason)
    return Residue(
        pointer=change.pointer,
        keyword=change.keyword,
        reason=change.reason,
        let_through=result.right_in_left.counterexample,
        never_written=result.left_in_right.counterexample,
        doubt="" if result.is_equal is False else "; ".join(doubts),
    )


def _wrapped(schema: dict[str, Any]) -> dict[str, Any]:
    """An object with a schema for its only property; references to the root lead there."""
    definitions = {name: schema[name] for name in ("$defs", "definitions") if name in schema}
    inner = {keyword: value for keyword, value in schema.items() if keyword not in definitions}
    wrapped = {
        "type": "object",
        "properties": {_VALUE: inner},
        "required": [_VALUE],
        "additionalProperties": False,
        **definitions,
    }
    return _redirected(wrapped)


def _redirected(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_redirected(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    copy = {key: _redirected(value) for key, value in schema.items()}
    reference = copy.get("$ref")
    if isinstance(reference, str) and not reference.startswith(("#/$defs/", "#/definitions/")):
        copy["$ref"] = f"#/properties/{_VALUE}{reference[1:]}"
    return copy


def _limits(rules: Target, schema: dict[str, Any]) -> list[str]:
    """Limits of a target that a schema exceeds."""
    properties, values, depth = _sizes(schema, 0)
    counted = (
        ("declared properties", properties, rules.most_properties),
        ("members of enumerations", values, rules.most_values),
        ("objects within each other", depth, rules.most_depth),
    )
    return [
        f"{rules.title} takes at most {most:,} {what}, and the schema has {count:,}"
        for what, count, most in counted
        if most is not None and count > most
    ]


def _sizes(schema: Any, depth: int) -> tuple[int, int, int]:
    """Declared properties, members of enumerations, and depth of objects."""
    if isinstance(schema, list):
        parts = [_sizes(part, depth) for part in schema]
        return sum(part[0] for part in parts), sum(part[1] for part in parts), max((p[2] for p in parts), default=depth)
    if not isinstance(schema, dict):
        return 0, 0, depth
    declared = schema.get("properties")
    is_object = isinstance(declared, dict)
    parts = [_sizes(value, depth + is_object) for key, value in schema.items() if key != "enum"]
    enumeration = schema.get("enum")
    return (
        sum(part[0] for part in parts) + (len(declared) if isinstance(declared, dict) else 0),
        sum(part[1] for part in parts) + (len(enumeration) if isinstance(enumeration, list) else 0),
        max([depth + is_object, *(part[2] for part in parts)]),
    )
