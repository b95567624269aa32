"""Arguments of tools as one JSON object, or one by one, each in a tag of its own, with strings unquoted."""

from __future__ import annotations

import json
import re
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from guidance_kit.errors import UnsatisfiableError, UnsupportedFeature
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.choice import Part, choice
from guidance_kit.grammars.composition import optional, sequence
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.json_schema import Whitespace, json_schema
from guidance_kit.grammars.language import Language
from guidance_kit.grammars.regex import regex
from guidance_kit.grammars.tag import held_back, silent, spelled
from guidance_kit.grammars.text import text

__all__ = [
    "ANNOTATIONS",
    "GAP",
    "ArgumentSyntax",
    "JsonArguments",
    "TaggedArguments",
    "as_schema",
    "declared_arguments",
    "dereferenced",
    "listed_values",
    "only",
    "resolved",
    "type_of",
]

ANNOTATIONS = frozenset(
    {"$comment", "$defs", "default", "definitions", "deprecated", "description", "examples", "title"}
)
"""Keywords that say nothing about values."""

_OF_OBJECTS = {"type", "properties", "required", "additionalProperties"}
_OF_TEXTS = {"type", "minLength", "maxLength"}

_NULL = "null"
"""Spelling of null where a string is allowed, too."""


GAP = regex(r"[ \t\n\r]*")
"""Place of white space in a tag."""


class ArgumentSyntax(Protocol):
    """Notation of the arguments of a call: the texts, their values, and the text of given values.

    Implementations are frozen values and derive from this class.
    """

    @abstractmethod
    def constraint(self, arguments: Constraint, tool: str) -> Constraint:
        """Constraint of the arguments of a tool, whose value is that of `arguments`.

        Args:
            arguments: JSON Schema of the arguments, or the Python type or function that declares them.
            tool: name of the tool, for messages.
        Raises:
            UnsupportedFeature: the notation cannot write the values of the schema exactly.
        """
        ...

    @abstractmethod
    def text(self, arguments: Mapping[str, Any]) -> str:
        """Text of arguments, given as JSON values in the order in which they are written."""
        ...

    def arranged(self, names: Iterable[str]) -> list[str]:
        """Names of arguments, or keys of an object, in the order in which they are written."""
        return list(names)


@dataclass(frozen=True, slots=True)
class JsonArguments(ArgumentSyntax):
    """One JSON object."""

    def constraint(self, arguments: Constraint, tool: str) -> Constraint:
        return arguments

    def text(self, arguments: Mapping[str, Any]) -> str:
        return json.dumps(arguments, ensure_ascii=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaggedArguments(ArgumentSyntax):
    """Arguments in the order of their declaration, each in a tag; optional ones may be missing.

    A string is written as it is, up to the end of its tag; any other value as JSON.

    Attributes:
        before: parts before a value; texts have "%s" for the name of the argument, and "%t" for its kind.
        after: parts behind it, of which the first ends a string.
        kinds: for each kind that "%t" writes, the JSON types of it; empty for tags that do not tell the type. Then a
            string cannot be told from another value, and the string "null" stands for null where both are allowed.
        escapes: replacements in the name of an argument.
        space: white space that may stand beside arguments, around values that are not any string, and in place of
            `GAP`: a regular expression.
        whitespace: white space within values that are JSON.
    """

    before: tuple[Part, ...]
    after: tuple[Part, ...]
    kinds: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    escapes: tuple[tuple[str, str], ...] = ()
    space: Constraint | None = None
    whitespace: Whitespace = "flexible"

    @property
    def stop(self) -> str:
        """String that ends a string value, which therefore does not contain it."""
        return spelled(self.after).strip()

    def constraint(self, arguments: Constraint, tool: str) -> Constraint:
        properties, required, definitions = declared_arguments(as_schema(arguments), tool)
        parts: list[Constraint] = []
        for key, value in properties.items():
            part = self._argument(key, value, definitions, f"{key}, an argument of {tool}")
            parts.append(part if key in required else optional(part))
        inner = sequence(*map(silent, self._space()), *parts)
        return replace(inner, language=_Arguments(inner, arguments))

    def text(self, arguments: Mapping[str, Any]) -> str:
        written: list[str] = []
        for key, value in arguments.items():
            said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            before = (part for part in self._begin(key, self._kind_of(value)) if part is not self.space)
            written.append(spelled(before) + said + spelled(self.after))
        return "".join(written)

    def _argument(self, key: str, schema: Any, definitions: Mapping[str, Any], where: str) -> Constraint:
        """One argument, whose value is a pair of its name and its value; in `to_value` that is JSON."""
        described = resolved(schema, definitions)
        kinds = [resolved(kind, definitions) for kind in described.get("anyOf", _by_type(described))]
        texts = [kind for kind in kinds if _may_be_text(kind)]
        if not texts and not self.kinds:
            return self._pair(key, "", self._json({**schema, **definitions} if isinstance(schema, dict) else schema))
        if texts and "anyOf" in described:
            only(described, {"anyOf"}, where)
        if not self.kinds:
            return self._untyped(key, kinds, texts, where)
        branches: list[Constraint] = []
        for kind, types in self.kinds.items():
            if "string" in types:
                branches += [self._pair(key, kind, self._string(one, where)) for one in texts]
                continue
            of_kind: dict[str, Any] = {"allOf": [schema], "type": list(types), **definitions}
            try:
                branches.append(self._pair(key, kind, self._json(of_kind)))
            except UnsatisfiableError:
                continue
        return branches[0] if len(branches) == 1 else choice(branches)

    def _untyped(self, key: str, kinds: list[dict[str, Any]], texts: list[dict[str, Any]], where: str) -> Constraint:
        """An argument that may be a string, in a tag that does not tell the type."""
        is_plain = texts[0].keys() & {"type", "enum", "const"} and not isinstance(texts[0].get("type"), list)
        if len(texts) > 1 or not is_plain or any(kind.get("type") != "null" for kind in kinds if kind is not texts[0]):
            raise UnsupportedFeature(
                "a text or a value of another type", where=where, hint="a text stands as it is; declare one type"
            )
        if not all(isinstance(one, str) for one in listed_values(texts[0]) or ()):
            raise UnsupportedFeature("values of which not all are plain texts", where=where)
        value = self._string(texts[0], where)
        if len(kinds) > 1:
            return self._pair(key, "", choice([value, _NULL]), null=_NULL)
        return self._pair(key, "", value)

    def _string(self, schema: Mapping[str, Any], where: str) -> Constraint:
        """Strings of a schema, as they are."""
        listed = listed_values(schema)
        if listed is None:
            only(schema, _OF_TEXTS, where)
            bounds = {"min_length": schema.get("minLength", 0), "max_length": schema.get("maxLength")}
            return text(without=self.stop, **bounds)
        only(schema, {"type", "enum", "const"}, where)
        strings = [one for one in listed if isinstance(one, str)]
        if any(self.stop in one for one in strings):
            raise UnsupportedFeature(f"a text with {self.stop!r}", where=where)
        if self.space is not None and any(one != one.strip() for one in strings):
            raise UnsupportedFeature("a text that begins or ends with white space", where=where)
        return choice(strings)

    def _json(self, schema: Any) -> Constraint:
        """Values of a schema that are written as JSON."""
        return json_schema(schema, whitespace=self.whitespace)

    def _pair(self, key: str, kind: str, value: Constraint, *, null: str | None = None) -> Constraint:
        is_any_text = value.kind == "text" or null is not None
        around = () if is_any_text else self._space()
        before = *self._begin(key, kind), *around
        whole = sequence(*before, value, *around, *self.after, *self._space())
        form = "json" if value.kind == "json_schema" else "text" if is_any_text else "listed"
        opening = re.compile("".join(map(_pattern, before)))
        return replace(whole, language=_Argument(whole, key, opening, spelled(self.after), len(before), form, null))

    def _space(self) -> tuple[Constraint, ...]:
        return () if self.space is None else (self.space,)

    def _begin(self, key: str, kind: str) -> tuple[Part, ...]:
        for old, new in self.escapes:
            key = key.replace(old, new)
        return tuple(
            part.replace("%s", key).replace("%t", kind) if isinstance(part, str) else part
            for one in self.before
            for part in (self._space() if one is GAP else (one,))
        )

    def _kind_of(self, value: Any) -> str:
        """Kind that the tag of a value writes."""
        return next((kind for kind, types in self.kinds.items() if type_of(value) in types), "")


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


@dataclass(frozen=True, slots=True)
class _Argument(Language):
    """An argument in its tag.

    Attributes:
        whole: the texts.
        key: name of the argument.
        opening: pattern of what stands before the value.
        after: end of the tag.
        place: number of the parts before the value.
        form: JSON, any string as it is, or a listed string, which white space may surround.
        null: the string that stands for null, if there is one.
    """

    whole: Constraint
    key: str
    opening: re.Pattern[str]
    after: str
    place: int
    form: Literal["json", "text", "listed"]
    null: str | None
    has_values = True

    def declare(self, network: Network) -> int:
        return self.whole.language.declare(network)

    def to_value(self, text: str) -> tuple[str, str]:
        opened = self.opening.match(text)
        assert opened is not None
        value = text[opened.end() : text.rindex(self.after)]
        if self.form == "json" or value == self.null:
            return self.key, value
        return self.key, json.dumps(value.strip() if self.form == "listed" else value)

    def to_partial_value(self, text: str, is_whole: bool) -> tuple[str, Any] | None:
        if is_whole:
            return self.key, json.loads(self.to_value(text)[1])
        opened = self.opening.match(text)
        if opened is None or len(text) == opened.end():
            return None
        if self.form != "json":
            value, end, _ = text[opened.end() :].partition(self.after)
            value = value if end else held_back(value, [self.after])
            value = value.rstrip() if self.form == "listed" else value
            return None if not end and self.null is not None and self.null.startswith(value) else (self.key, value)
        found = self.whole.partial_value_of(text)
        return (self.key, found[self.place]) if len(found) > self.place else None


def _pattern(part: Part) -> str:
    """Pattern of a text, a special token or white space."""
    if isinstance(part, str):
        return re.escape(part)
    return str(part.source) if part.kind == "regex" else re.escape(str(part.source))


def as_schema(arguments: Constraint) -> Any:
    """JSON Schema of the arguments of a tool, as data."""
    return json.loads(str(arguments.source))


def declared_arguments(schema: Any, tool: str) -> tuple[dict[str, Any], set[str], dict[str, Any]]:
    """Properties of an object of arguments, the names of the required ones, and the definitions that they refer to.

    Raises:
        UnsupportedFeature: this is no object with declared names alone; names the tool.
    """
    if not isinstance(schema, dict) or schema.get("type", "object") != "object":
        hint = "declare an object with properties"
        raise UnsupportedFeature("arguments that are no object", where=f"the arguments of {tool}", hint=hint)
    only(schema, _OF_OBJECTS, f"the arguments of {tool}")
    if isinstance(schema.get("additionalProperties"), dict):
        raise UnsupportedFeature("arguments without declared names", where=f"the arguments of {tool}")
    required = set(schema.get("required", ()))
    if missing := required - set(schema.get("properties", ())):
        raise UnsupportedFeature(
            f"{min(missing)}, which is required and not declared", where=f"the arguments of {tool}"
        )
    definitions = {key: schema[key] for key in ("$defs", "definitions") if key in schema}
    return schema.get("properties", {}), required, definitions


def resolved(schema: Any, definitions: Mapping[str, Any]) -> dict[str, Any]:
    """The target of a reference without other keywords than annotations; any other schema as it is."""
    return dereferenced(schema, definitions)[0]


def dereferenced(schema: Any, definitions: Mapping[str, Any]) -> tuple[dict[str, Any], Mapping[str, Any]]:
    """The target of a reference, see `resolved`, and the definitions that are not on the way to it."""
    if not isinstance(schema, dict):
        return {}, definitions
    reference = schema.get("$ref")
    for group, members in definitions.items():
        for name, target in members.items():
            if reference == f"#/{group}/{name}" and not schema.keys() - ANNOTATIONS - {"$ref"}:
                others = {key: one for key, one in members.items() if key != name}
                return dereferenced(target, {**definitions, group: others})
    return schema, definitions


def only(schema: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    """Refuse a schema with a keyword that is neither known nor an annotation.

    Raises:
        UnsupportedFeature: names the keyword and the place.
    """
    for keyword in schema:
        if keyword not in known and keyword not in ANNOTATIONS:
            raise UnsupportedFeature(
                f"the keyword {keyword!r}",
                where=where,
                hint="values here are not written as JSON; leave it out, or list the values by enum",
            )


def _by_type(schema: Mapping[str, Any]) -> list[Any]:
    """The schema once for each of its types."""
    kinds = schema.get("type")
    return [{**schema, "type": kind} for kind in kinds] if isinstance(kinds, list) else [schema]


def listed_values(schema: Mapping[str, Any]) -> list[Any] | None:
    """Values that a schema lists; None if it lists none."""
    return schema.get("enum", [schema["const"]] if "const" in schema else None)


def _may_be_text(schema: Mapping[str, Any]) -> bool:
    """Test whether a schema may allow a string; False only if its type, enum or const excludes them."""
    kinds = schema.get("type")
    if isinstance(kinds, str | list):
        return "string" in kinds if isinstance(kinds, list) else kinds == "string"
    listed = listed_values(schema)
    return listed is None or any(isinstance(one, str) for one in listed)


def type_of(value: Any) -> str:
    """JSON type of a value; integers are numbers."""
    if value is None:
        return "null"
    names = {bool: "boolean", int: "number", float: "number", str: "string", dict: "object", list: "array"}
    return names.get(type(value), "object")
