"""Schemas unlike those of training: the same texts and facts under other keys, labels, formats, nesting and order."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from guidance_kit.evaluation.sets import Wanted

__all__ = ["SYNONYMS", "VARIANTS", "Variant", "branch"]

SYNONYMS: Mapping[str, str] = {
    "intent": "reason_for_contact", "name": "written_by", "order_id": "purchase_reference", "product": "goods",
    "amount": "sum_of_money", "currency": "money_code", "date": "day_mentioned", "email": "electronic_mail",
    "phone": "call_back_on", "urgency": "how_pressing", "tone": "manners", "items": "basket", "quantity": "pieces",
    "price": "unit_cost", "street": "road", "postal_code": "area_code", "city": "municipality",
    "delivery_date": "needed_by", "payment_method": "settled_with", "express": "in_a_hurry", "topic": "discussed",
    "location": "held_in", "attendees": "people_present", "action_items": "to_do", "owner": "in_charge", "task": "job",
    "due": "wanted_by", "next_meeting": "meets_again",
}  # fmt: skip
"""Property names of the bundled records, and synonyms that no bundled model was trained on."""

_Schema = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """Change of a schema, with the same change of its instances, applied to each subschema from the leaves upwards.

    Args:
        schema: function from a subschema to the changed one.
        value: function from an instance and its unchanged subschema to the changed instance.
    """

    schema: Callable[[_Schema], _Schema]
    value: Callable[[Any, _Schema], Any] = lambda value, schema: value

    def __call__(self, one: Wanted) -> Wanted:
        """Text with the changed schema and reference record."""
        return replace(one, schema=self._schema(one.schema), record=self._value(one.record, one.schema))

    def _schema(self, schema: _Schema) -> _Schema:
        inner = dict(schema)
        if "properties" in schema:
            inner["properties"] = {name: self._schema(of) for name, of in schema["properties"].items()}
        if "items" in schema:
            inner["items"] = self._schema(schema["items"])
        if "anyOf" in schema:
            inner["anyOf"] = [self._schema(of) for of in schema["anyOf"]]
        return self.schema(inner)

    def _value(self, value: Any, schema: _Schema) -> Any:
        of = branch(value, schema)
        if isinstance(value, dict):
            value = {name: self._value(inner, of["properties"][name]) for name, inner in value.items()}
        elif isinstance(value, list):
            value = [self._value(inner, of["items"]) for inner in value]
        return self.value(value, of)


def branch(value: Any, schema: _Schema) -> _Schema:
    """Subschema of a nullable `anyOf` for an instance: its branch for null, or the other one."""
    for of in schema.get("anyOf", ()):
        if (of.get("type") == "null") == (value is None):
            return of
    return schema


def _renamed(schema: _Schema) -> _Schema:
    if "properties" not in schema:
        return schema
    properties = {SYNONYMS.get(name, name): of for name, of in schema["properties"].items()}
    return schema | {"properties": properties, "required": [SYNONYMS.get(name, name) for name in schema["required"]]}


def _renamed_value(value: Any, schema: _Schema) -> Any:
    if not isinstance(value, dict):
        return value
    return {SYNONYMS.get(name, name): inner for name, inner in value.items()}


def _reversed(schema: _Schema) -> _Schema:
    if "properties" not in schema:
        return schema
    return schema | {"properties": dict(reversed(schema["properties"].items()))}


def _label(label: str) -> str:
    """Label in capitals, with spaces.

    >>> _label("order_status")
    'ORDER STATUS'
    """
    return label.replace("_", " ").upper()


def _labelled(schema: _Schema) -> _Schema:
    return schema | {"enum": [_label(label) for label in schema["enum"]]} if "enum" in schema else schema


def _dated(schema: _Schema) -> _Schema:
    if schema.get("format") != "date":
        return schema
    return {"type": schema["type"], "pattern": r"^[0-9]{2}\.[0-9]{2}\.[0-9]{4}$"}


def _dated_value(value: Any, schema: _Schema) -> Any:
    if schema.get("format") != "date" or not isinstance(value, str):
        return value
    return ".".join(reversed(re.split("-", value)))


def _halves(names: list[str]) -> dict[str, list[str]]:
    middle = len(names) // 2
    return {"first": names[:middle], "second": names[middle:]}


def _nested(schema: _Schema) -> _Schema:
    """Object with the properties of an object in two objects; unchanged with fewer than two properties."""
    properties: _Schema = schema.get("properties", {})
    if len(properties) < 2:
        return schema
    halves = {
        half: schema | {"properties": {name: properties[name] for name in names}, "required": names}
        for half, names in _halves(list(properties)).items()
    }
    for half in halves.values():
        half.pop("title", None)
    return schema | {"properties": halves, "required": list(halves)}


def _nested_value(value: Any, schema: _Schema) -> Any:
    properties: _Schema = schema.get("properties", {})
    if len(properties) < 2 or not isinstance(value, dict):
        return value
    return {half: {name: value[name] for name in names} for half, names in _halves(list(properties)).items()}


VARIANTS: Mapping[str, Variant] = {
    "other keys": Variant(schema=_renamed, value=_renamed_value),
    "reversed order": Variant(schema=_reversed),
    "other labels": Variant(
        schema=_labelled, value=lambda value, schema: _label(value) if value in schema.get("enum", ()) else value
    ),
    "other date format": Variant(schema=_dated, value=_dated_value),
    "nested": Variant(schema=_nested, value=_nested_value),
}
"""Variants of the schemas of `sets.tickets`, whose properties are all required, by name."""
