"""Records: a schema drawn for a text, and the record that is right under it.

What the text does not say is null where the schema allows null, else left out where the schema does not require it; a
schema never requires what the text does not say.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

from tools.support_world.fields import Field, Kind
from tools.support_world.wording import Draft

__all__ = ["draw_schema", "known_facts", "label_schema", "usual_schema"]

_ABSENT = object()


def known_facts(draft: Draft) -> dict[str, Any]:
    """Everything that the text says or means: slot to JSON value."""
    facts: dict[str, Any] = {}
    for slot, mention in draft.mentions.items():
        if slot not in draft.said:
            continue
        facts["items" if slot == "list" else slot] = mention.value
        facts.update(mention.implied if slot in ("amount", "total", "items", "list") else {})
    facts.update({slot: value for slot, value in draft.labels.items() if value is not None})
    return facts


def draw_schema(
    random: Random, kind: Kind, facts: dict[str, Any], *, fields: tuple[str, ...] = ()
) -> tuple[dict, dict]:
    """Draw a schema for a text of a kind, and write its record.

    Args:
        random: source of randomness.
        kind: what may be asked.
        facts: what the text says, from `known_facts`.
        fields: names that must be asked, none by default.
    Returns:
        JSON Schema (an object, closed) and the record that is right under it.
    """
    chosen = _choose(random, kind.fields, facts, number=random.choice((2, 3, 4, 5, 6, 6, 7, 8, 10, 13)), fixed=fields)
    if random.random() < 0.5:
        random.shuffle(chosen)
    schema, record = _object(random, chosen, facts)
    if random.random() < 0.7:
        schema = {"title": random.choice(kind.titles), **schema}
    return schema, record


def usual_schema(random: Random, kind: Kind, facts: dict[str, Any]) -> tuple[dict, dict]:
    """The usual schema of a kind, or a part of it, and the record of a text: all fields are required.

    Only what is always there, or is there now, may be asked without leave to answer null.
    """
    by_name = {field.names[0]: field for field in kind.fields}
    names = list(kind.usual)
    if random.random() < 0.4:
        names = [name for name in names if random.random() < 0.6] or names
    properties: dict[str, Any] = {}
    record: dict[str, Any] = {}
    for name in names:
        of = by_name[name]
        value = _value(of, facts)
        inner = dict(of.schema)
        if of.formats:
            inner["format"] = of.formats[0]
        if of.parts:
            inner["items"] = _usual_row(of)
            if value is not _ABSENT:
                value = [{part.names[0]: row.get(part.slot) for part in of.parts} for row in value]
        is_said = value is not _ABSENT and value is not None
        record[name] = value if is_said else None
        properties[name] = inner if is_said and random.random() < 0.4 else _nullable(random, inner)
    schema = {"type": "object", "properties": properties, "required": names, "additionalProperties": False}
    return ({"title": kind.titles[0], **schema} if random.random() < 0.7 else schema), record


def label_schema(random: Random, kind: Kind, facts: dict[str, Any]) -> tuple[dict, dict]:
    """A schema that asks for labels of a text alone, and its record.

    Half are parts of the usual schema of the kind, where that asks for labels, in its order and with all values of
    each; the others ask for one to three labels as drawn schemas do. The currency counts as a label there.
    """
    fields = [of for of in kind.fields if of.slot and ("enum" in of.schema or of.schema.get("type") == "boolean")]
    usual = [of for of in fields if of.names[0] in kind.usual and of.slot != "currency"]
    if usual and random.random() < 0.5:
        names = tuple(of.names[0] for of in usual if random.random() < 0.7) or (usual[0].names[0],)
        return usual_schema(random, replace(kind, usual=names), facts)
    some = random.sample(fields, min(random.randint(1, 3), len(fields)))
    schema, record = _object(random, [(random.choice(of.names), of) for of in some], facts)
    return ({"title": random.choice(kind.titles), **schema} if random.random() < 0.7 else schema), record


def _usual_row(of: Field) -> dict[str, Any]:
    """Schema of the objects in an array: its last part may be null."""
    properties: dict[str, Any] = {}
    for part in of.parts:
        inner = {**part.schema, **({"format": part.formats[0]} if part.formats else {})}
        properties[part.names[0]] = {"anyOf": [inner, {"type": "null"}]} if part is of.parts[-1] else inner
    return {
        "type": "object", "properties": properties, "required": list(properties), "additionalProperties": False,
    }  # fmt: skip


def _choose(
    random: Random, fields: tuple[Field, ...], facts: dict[str, Any], *, number: int, fixed: tuple[str, ...]
) -> list[tuple[str, Field]]:
    """Choose fields and names for them, the ones with an answer more often, no name twice."""
    weighted = sorted(
        fields, key=lambda f: random.random() ** (1.0 if _value(f, facts) is _ABSENT else 0.33), reverse=True
    )
    taken: dict[str, Field] = {}
    for candidate in weighted[:number] + [f for f in weighted[number:] if f.names[0] in fixed]:
        name = candidate.names[0] if random.random() < 0.55 else random.choice(candidate.names)
        taken.setdefault(name, candidate)
    return [(name, taken[name]) for f in fields for name in taken if taken[name] is f]


def _value(of: Field, facts: dict[str, Any]) -> Any:
    """The field's value, or `_ABSENT`; a group is there when one of its parts is."""
    if of.slot:
        return facts.get(of.slot, _ABSENT)
    return {} if any(_value(part, facts) is not _ABSENT for part in of.parts) else _ABSENT


def _object(random: Random, chosen: list[tuple[str, Field]], facts: dict[str, Any]) -> tuple[dict, dict]:
    properties: dict[str, Any] = {}
    required: list[str] = []
    record: dict[str, Any] = {}
    for name, of in chosen:
        value = _value(of, facts)
        inner, answer = _field(random, of, facts, value)
        absent = value is _ABSENT or value is None
        form = random.choices(("required", "nullable", "optional"), (0 if absent else 0.45, 0.35, 0.2))[0]
        properties[name] = _nullable(random, inner) if form == "nullable" else inner
        if form == "required" or (form == "nullable" and random.random() < 0.5):
            required.append(name)
        if not absent:
            record[name] = answer
        elif form == "nullable":
            record[name] = None
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return schema, record


def _nullable(random: Random, schema: dict[str, Any]) -> dict[str, Any]:
    if set(schema) == {"type"} and random.random() < 0.5:
        return {"type": [schema["type"], "null"]}
    return {"anyOf": [schema, {"type": "null"}]}


def _field(random: Random, of: Field, facts: dict[str, Any], value: Any) -> tuple[dict, Any]:
    """Schema and answer of one field; the answer counts only where the value is there."""
    schema = dict(of.schema)
    if "enum" in schema:
        schema["enum"] = _some(random, schema["enum"], value)
    if of.formats and random.random() < 0.5:
        schema["format"] = random.choice(of.formats)
    if not of.parts:
        return schema, value
    if schema["type"] == "object":
        inner, answer = _object(random, _parts(random, of), facts)
        return inner, answer
    rows = value if isinstance(value, list) else []
    chosen = _parts(random, of)
    filled = {part.slot: all(row.get(part.slot) is not None for row in rows) for part in of.parts}
    forms = {
        name: random.choices(("required", "nullable", "optional"), (0.5 if filled[part.slot] else 0, 0.3, 0.2))[0]
        for name, part in chosen
    }
    properties = {}
    for name, part in chosen:
        inner, _ = _field(random, part, {}, _ABSENT)
        properties[name] = _nullable(random, inner) if forms[name] == "nullable" else inner
    schema["items"] = {
        "type": "object",
        "properties": properties,
        "required": [name for name, _ in chosen if forms[name] == "required"],
        "additionalProperties": False,
    }
    answer = [
        {
            name: row.get(part.slot)
            for name, part in chosen
            if row.get(part.slot) is not None or forms[name] == "nullable"
        }
        for row in rows
    ]
    return schema, answer


def _parts(random: Random, of: Field) -> list[tuple[str, Field]]:
    """All or most parts of a group, under names of their own."""
    parts = list(of.parts)
    if random.random() < 0.3:
        parts = random.sample(parts, random.randint(1, len(parts)))
        parts.sort(key=of.parts.index)
    if random.random() < 0.2:
        random.shuffle(parts)
    names: dict[str, Field] = {}
    for part in parts:
        names.setdefault(part.names[0] if random.random() < 0.6 else random.choice(part.names), part)
    return list(names.items())


def _some(random: Random, values: list[str], answer: Any) -> list[str]:
    """A part of an enum that holds the answer; in a sixth of the schemas, all of it."""
    if len(values) <= 5 or random.random() < 0.15:
        return list(values)
    kept = set(random.sample(values, random.randint(2, 7)))
    if isinstance(answer, str):
        kept.add(answer)
    return [value for value in values if value in kept]
