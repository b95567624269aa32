"""Arguments of tools written one by one, each in a tag of its own, with strings unquoted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from guidance_kit.errors import UnsupportedFeature
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.choice import choice
from guidance_kit.grammars.composition import optional, sequence
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.grammars.language import Language
from guidance_kit.grammars.tag import held_back
from guidance_kit.grammars.text import text

__all__ = ["tagged_arguments"]

_SAYS_NOTHING = {"$comment", "$defs", "default", "definitions", "deprecated", "description", "examples", "title"}
_OF_OBJECTS = {"type", "properties", "required", "additionalProperties"}
_OF_TEXTS = {"type", "minLength", "maxLength"}

_NULL = "null"
"""Spelling of null where a string is allowed, too."""


def tagged_arguments(arguments: Constraint, name: str, before: str, after: str) -> Constraint:
    """Arguments of a tool in the order of their declaration; optional ones may be missing.

    A string is written as it is, up to the tag that ends it; any other value as JSON. `parse` returns the value of
    `arguments`.

    Args:
        arguments: the JSON Schema of the arguments.
        name: of the tool, for messages.
        before: text before a value, with "%s" for the name of the argument.
        after: text behind it, a tag with line breaks around it.
    Raises:
        UnsupportedFeature: a keyword of the schema cannot be enforced on unquoted strings.
    """
    schema = json.loads(str(arguments.source))
    if not isinstance(schema, dict) or schema.get("type", "object") != "object":
        raise UnsupportedFeature("arguments that are no object", where=f"the tool {name}")
    _only(schema, _OF_OBJECTS, f"the arguments of {name}")
    if isinstance(schema.get("additionalProperties"), dict):
        raise UnsupportedFeature("arguments without declared names", where=f"the tool {name}")
    if missing := set(schema.get("required", ())) - set(schema.get("properties", ())):
        raise UnsupportedFeature(f"{min(missing)}, which is required and not declared", where=f"the tool {name}")
    definitions = {key: schema[key] for key in ("$defs", "definitions") if key in schema}
    parts: list[Constraint] = []
    for key, value in schema.get("properties", {}).items():
        part = _argument(key, value, definitions, before.replace("%s", key), after, f"{key}, an argument of {name}")
        parts.append(part if key in schema.get("required", ()) else optional(part))
    inner = sequence(*parts)

    return replace(inner, language=_Arguments(inner, arguments))


@dataclass(frozen=True, slots=True)
class _Arguments(Language):
    """Arguments one by one.

    Attributes:
        pairs: the texts, a sequence of arguments, whose value is a tuple of those of `_Argument`.
        arguments: the JSON Schema of all arguments.
    """

    pairs: Constraint
    arguments: Constraint
    has_values = True

    def declare(self, network: Network) -> int:
        return self.pairs.language.declare(network)

    def to_value(self, text: str) -> Any:
        found = self.pairs.value_of(text) if self.pairs.has_values else ()
        members = (f"{json.dumps(key)}: {value}" for key, value in filter(None, found))
        return self.arguments.value_of("{" + ", ".join(members) + "}")

    def to_partial_value(self, text: str, is_whole: bool) -> dict[str, Any]:
        return dict(filter(None, self.pairs.partial_value_of(text, is_whole))) if self.pairs.has_values else {}


def _argument(key: str, schema: Any, definitions: Mapping[str, Any], before: str, after: str, where: str) -> Constraint:
    """One argument, see `_pair`."""
    described = _resolved(schema, definitions)
    kinds = [_resolved(kind, definitions) for kind in described.get("anyOf", _by_type(described))]
    texts = [kind for kind in kinds if _may_be_text(kind)]
    if not texts:
        value = json_schema({**schema, **definitions} if isinstance(schema, dict) else schema)
        return _pair(key, sequence(before, value, after), before, after, value)
    if "anyOf" in described:
        _only(described, {"anyOf"}, where)
    is_plain = texts[0].keys() & {"type", "enum", "const"} and not isinstance(texts[0].get("type"), list)
    if len(texts) > 1 or not is_plain or any(kind.get("type") != "null" for kind in kinds if kind is not texts[0]):
        raise UnsupportedFeature("a text or a value of another type", where=where, hint="a text stands as it is")
    enum = texts[0].get("enum", [texts[0]["const"]] if "const" in texts[0] else None)
    may_be_null = len(kinds) > 1
    if enum is None:
        _only(texts[0], _OF_TEXTS, where)
        bounds = {"min_length": texts[0].get("minLength", 0), "max_length": texts[0].get("maxLength")}
        value = text(without=after.strip(), **bounds)
    else:
        _only(texts[0], {"type", "enum", "const"}, where)
        if not all(isinstance(one, str) and after.strip() not in one for one in enum):
            raise UnsupportedFeature("values of which not all are plain texts", where=where)
        value = choice(enum)
    whole = sequence(before, choice([value, _NULL]) if may_be_null else value, after)
    return _pair(key, whole, before, after, None, null=_NULL if may_be_null else None)


def _pair(
    key: str, whole: Constraint, before: str, after: str, value: Constraint | None, *, null: str | None = None
) -> Constraint:
    """Constraint of an argument, whose value is a pair of its name and its value; in `to_value` that is JSON.

    Args:
        value: constraint of a value written as JSON; None for a string.
        null: the string that stands for null.
    """

    return replace(whole, language=_Argument(whole, key, before, after, value is not None, null))


@dataclass(frozen=True, slots=True)
class _Argument(Language):
    """An argument in its tag.

    Attributes:
        whole: the texts.
        key: name of the argument.
        before, after: the tag.
        is_json: whether the value is written as JSON, not as a string.
        null: the string that stands for null, if there is one.
    """

    whole: Constraint
    key: str
    before: str
    after: str
    is_json: bool
    null: str | None
    has_values = True

    def declare(self, network: Network) -> int:
        return self.whole.language.declare(network)

    def to_value(self, text: str) -> tuple[str, str]:
        value = text.removeprefix(self.before).removesuffix(self.after)
        return self.key, value if self.is_json or value == self.null else json.dumps(value)

    def to_partial_value(self, text: str, is_whole: bool) -> tuple[str, Any] | None:
        if is_whole:
            return self.key, json.loads(self.to_value(text)[1])
        if len(text) <= len(self.before):
            return None
        if not self.is_json:
            value = held_back(text[len(self.before) :], [self.after])
            return None if self.null is not None and self.null.startswith(value) else (self.key, value)
        found = self.whole.partial_value_of(text)
        return (self.key, found[1]) if len(found) > 1 else None


def _resolved(schema: Any, definitions: Mapping[str, Any]) -> dict[str, Any]:
    """The target of a reference without other keywords than annotations; any other schema as it is."""
    if not isinstance(schema, dict):
        return {}
    reference = schema.get("$ref")
    for group, members in definitions.items():
        for name, target in members.items():
            if reference == f"#/{group}/{name}" and not schema.keys() - _SAYS_NOTHING - {"$ref"}:
                return _resolved(target, {group: {key: one for key, one in members.items() if key != name}})
    return schema


def _by_type(schema: Mapping[str, Any]) -> list[Any]:
    """The schema once for each of its types."""
    kinds = schema.get("type")
    return [{**schema, "type": kind} for kind in kinds] if isinstance(kinds, list) else [schema]


def _may_be_text(schema: Mapping[str, Any]) -> bool:
    """Test whether a schema may allow a string; False only if its type, enum or const excludes them."""
    kinds = schema.get("type")
    if isinstance(kinds, str | list):
        return "string" in kinds if isinstance(kinds, list) else kinds == "string"
    listed = schema.get("enum", [schema["const"]] if "const" in schema else None)
    return listed is None or any(isinstance(one, str) for one in listed)


def _only(schema: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    for keyword in schema:
        if keyword not in known and keyword not in _SAYS_NOTHING:
            raise UnsupportedFeature(f"the keyword {keyword!r}", where=where, hint="texts here are not written as JSON")
