"""Optional properties as required ones that may be null, and values without these nulls."""

from __future__ import annotations

from typing import Any

from guidance_kit.grammars.json_schema.documents.document import escape_pointer
from guidance_kit.grammars.json_schema.documents.drafts import DEFAULT_DRAFT
from guidance_kit.grammars.json_schema.inclusion.judge import InstanceJudge
from guidance_kit.grammars.json_schema.inclusion.schema_pair import compact

__all__ = ["CompletedSchema"]


class CompletedSchema:
    """Schema whose objects have all their declared properties, for targets without optional ones.

    Args:
        plain: a lowered schema with optional properties.

    Attributes:
        schema: the same with all of them required; the optional ones may be null.
        nullable: optional properties that the plain schema already lets be null, as (JSON pointer of the object, key):
            objects without these cannot be expressed.
    """

    def __init__(self, plain: dict[str, Any]) -> None:
        self._definitions = {name: plain[name] for name in ("$defs", "definitions") if name in plain}
        self._optional: dict[str, frozenset[str]] = {}
        self.nullable: list[tuple[str, str]] = []
        self.schema: dict[str, Any] = self._completed(plain, "")

    def restored(self, value: Any) -> Any:
        """A value of the completed schema without the properties that are null because they are absent."""
        return self._walked(value, self.schema, "")

    def _completed(self, schema: Any, pointer: str) -> Any:
        if not isinstance(schema, dict):
            return schema
        copy = dict(schema)
        for keyword, value in schema.items():
            here = f"{pointer}/{keyword}"
            if keyword in ("properties", "$defs", "definitions"):
                copy[keyword] = {
                    key: self._completed(inner, f"{here}/{escape_pointer(key)}") for key, inner in value.items()
                }
            elif keyword in ("anyOf", "allOf", "prefixItems"):
                copy[keyword] = [self._completed(inner, f"{here}/{index}") for index, inner in enumerate(value)]
            elif keyword == "items":
                copy[keyword] = self._completed(value, here)
        properties = schema.get("properties")
        if properties:
            self._require_all(schema, copy, pointer)
        return copy

    def _require_all(self, schema: dict[str, Any], copy: dict[str, Any], pointer: str) -> None:
        required = schema.get("required", [])
        optional = [key for key in schema["properties"] if key not in required]
        dropped: set[str] = set()
        for key in optional:
            if self._takes_null(schema["properties"][key]):
                self.nullable.append((pointer, key))
            else:
                dropped.add(key)
                copy["properties"][key] = _or_null(copy["properties"][key])
        copy["required"] = [*schema["properties"]]
        if dropped:
            self._optional[pointer] = frozenset(dropped)

    def _takes_null(self, schema: Any) -> bool:
        judge = InstanceJudge(self._whole(schema), DEFAULT_DRAFT, None, "annotate")
        return judge.accepts("null") is True

    def _whole(self, schema: Any) -> Any:
        return {**schema, **self._definitions} if isinstance(schema, dict) else schema

    def _walked(self, value: Any, schema: Any, pointer: str) -> Any:
        if not isinstance(schema, dict) or not isinstance(value, dict | list):
            return value
        if "$ref" in schema:
            place = schema["$ref"].removeprefix("#")
            return self._walked(value, self._at(place), place)
        for index, way in enumerate(schema.get("anyOf", ())):
            definitions = {name: self.schema[name] for name in self._definitions}
            judge = InstanceJudge({**way, **definitions}, DEFAULT_DRAFT, None, "annotate")
            if judge.accepts(compact(value)):
                value = self._walked(value, way, f"{pointer}/anyOf/{index}")
                break
        if isinstance(value, list):
            first = schema.get("prefixItems", [])
            return [
                self._walked(item, first[index], f"{pointer}/prefixItems/{index}")
                if index < len(first)
                else self._walked(item, schema.get("items", {}), f"{pointer}/items")
                for index, item in enumerate(value)
            ]
        absent, declared = self._optional.get(pointer, frozenset()), schema.get("properties", {})
        return {
            key: self._walked(inner, declared.get(key), f"{pointer}/properties/{escape_pointer(key)}")
            for key, inner in value.items()
            if not (inner is None and key in absent)
        }

    def _at(self, place: str) -> Any:
        here: Any = self.schema
        for step in place.split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            here = here[int(name)] if isinstance(here, list) else here[name]
        return here


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema that also takes null."""
    kind = schema.get("type")
    if isinstance(kind, str) and not schema.keys() & {"enum", "const", "anyOf", "allOf", "$ref"}:
        return {**schema, "type": [kind, "null"]}
    return {"anyOf": [schema, {"type": "null"}]}
