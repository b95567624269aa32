"""Arguments of tools in nested notations other than JSON: Python literals, Gemma's quotes, elements of XML.

A notation is data. The constraint of a schema is a composition of the parts that the notation names, so the texts and
their values come from the same parts, as does the text of given values.
"""

from __future__ import annotations

import json
import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, cast

from guidance_kit.errors import UnsupportedFeature
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.choice import Part, choice
from guidance_kit.grammars.composition import optional, repeat, sequence
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.grammars.language import Language
from guidance_kit.grammars.regex import regex
from guidance_kit.grammars.special_token import special_token
from guidance_kit.grammars.tag import held_back, spelled
from guidance_kit.grammars.tagged import Tagged
from guidance_kit.grammars.text import text
from guidance_kit.grammars.tool_arguments import (
    GAP,
    ArgumentSyntax,
    as_schema,
    declared_arguments,
    dereferenced,
    listed_values,
    only,
    type_of,
)

__all__ = ["DelimitedString", "NestedArguments", "PythonString", "StringSyntax"]

_OF_OBJECTS = {"type", "properties", "required", "additionalProperties"}
_OF_ARRAYS = {"type", "items", "minItems", "maxItems"}
_OF_STRINGS = {"type", "minLength", "maxLength"}
_SCALARS = ("integer", "number")


_Around = tuple[tuple[Part, ...], tuple[Part, ...]]
"""Parts before and behind a value."""


class StringSyntax(Protocol):
    """Notation of strings; implementations are frozen values and derive from this class."""

    @abstractmethod
    def constraint(self, least: int, most: int | None) -> Constraint:
        """Strings of `least` to `most` characters."""
        ...

    @abstractmethod
    def write(self, value: str) -> str:
        """Text of a string."""
        ...

    @abstractmethod
    def read(self, text: str, is_whole: bool) -> str | None:
        """String of a text, or the certain part of it of a prefix; None where it has not begun."""
        ...


@dataclass(frozen=True, slots=True)
class DelimitedString(StringSyntax):
    """A string as it is between two equal special tokens, whose name it does not contain.

    Attributes:
        delimiter: name of the special token; "" for a string that ends where `stop` begins.
        stop: further text that it does not contain.
    """

    delimiter: str
    stop: str = ""

    def constraint(self, least: int, most: int | None) -> Constraint:
        content = text(without=self.delimiter or self.stop, min_length=least, max_length=most)
        mark = [special_token(self.delimiter, or_text=True)] if self.delimiter else []
        return sequence(*mark, content, *mark)

    def write(self, value: str) -> str:
        return f"{self.delimiter}{value}{self.delimiter}"

    def read(self, text: str, is_whole: bool) -> str | None:
        if len(text) < len(self.delimiter):
            return None
        content = text[len(self.delimiter) :]
        if is_whole:
            return content.removesuffix(self.delimiter)
        return held_back(content.removesuffix(self.delimiter), [self.delimiter or self.stop])


_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_ESCAPES |= {chr(code): f"\\x{code:02x}" for code in range(0x20) if chr(code) not in _ESCAPES}
_PLAIN = {written: character for character, written in _ESCAPES.items()}
_ESCAPED = re.compile(r"\\(?:x[0-9a-f]{2}|[^x])")
_UNITS = re.compile(r'(?:[^"\\]|\\x[0-9a-f]{2}|\\[^x])*')


@dataclass(frozen=True, slots=True)
class PythonString(StringSyntax):
    """A Python string in double quotes, with escapes of control characters, quotes and backslashes alone."""

    def constraint(self, least: int, most: int | None) -> Constraint:
        turns = f"{{{least},{'' if most is None else most}}}"
        return regex(rf'"(?:[^"\\\x00-\x1f]|\\["\\nrt]|\\x(?:0[0-8bcef]|1[0-9a-f])){turns}"')

    def write(self, value: str) -> str:
        return '"' + "".join(_ESCAPES.get(character, character) for character in value) + '"'

    def read(self, text: str, is_whole: bool) -> str | None:
        if not text:
            return None
        units = _UNITS.match(text, 1)
        assert units is not None
        return _ESCAPED.sub(lambda found: _PLAIN[found[0]], units[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class NestedArguments(ArgumentSyntax):
    """Arguments in a notation of nested values, in the order of their declaration; optional ones may be missing.

    Attributes:
        argument: parts before and behind the value of an argument; texts have "%s" for its name.
        member: the same for a member of an object within it.
        item: the same for an item of an array.
        separator: text between arguments, members and items.
        objects, arrays: texts around the members of an object, and the items of an array.
        constants: spellings of true, false and null.
        string: notation of strings.
        kinds: for each kind that "%t" writes before a value, the JSON types of it; empty for parts that do not tell it.
        space: white space that may stand beside arguments and members, and in place of `GAP`, where the value is not
            any string; a regular expression.
        name: pattern of the names that an argument or a member may have.
        is_sorted: names are sorted, without regard to case, as the filter `dictsort` of Jinja does.
    """

    argument: _Around
    member: _Around
    item: _Around = ((), ())
    separator: str
    objects: tuple[str, str]
    arrays: tuple[str, str]
    constants: tuple[str, str, str] = ("true", "false", "null")
    string: StringSyntax
    name: str
    is_sorted: bool = False
    kinds: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    space: Constraint | None = None

    def constraint(self, arguments: Constraint, tool: str) -> Constraint:
        properties, required, definitions = declared_arguments(as_schema(arguments), tool)
        where = f"the arguments of {tool}"
        inner = self._members(properties, required, definitions, self.argument, ("", ""), where)
        return replace(inner, language=_Checked(inner, arguments))

    def text(self, arguments: Mapping[str, Any]) -> str:
        return self.separator.join(self._written(self.argument, key, value) for key, value in arguments.items())

    def arranged(self, names: Iterable[str]) -> list[str]:
        return sorted(names, key=str.lower) if self.is_sorted else list(names)

    def _written(self, around: _Around, key: str, value: Any) -> str:
        """Text of a value between its parts."""
        kind = next((kind for kind, types in self.kinds.items() if type_of(value) in types), "")
        before, after = (_named(side, key, kind, ()) for side in around)
        return spelled(before) + self._value_text(value) + spelled(after)

    def _value_text(self, value: Any) -> str:
        if isinstance(value, str):
            return self.string.write(value)
        if value is None or isinstance(value, bool):
            return self.constants[2 if value is None else int(not value)]
        if isinstance(value, Mapping):
            members = cast("Mapping[str, Any]", value).items()
            return self.separator.join(self._written(self.member, key, one) for key, one in members).join(self.objects)
        if isinstance(value, list | tuple):
            items = cast("Sequence[Any]", value)
            return self.separator.join(self._written(self.item, "", one) for one in items).join(self.arrays)
        return json.dumps(value)

    def _value(self, schema: Any, definitions: Mapping[str, Any], where: str) -> Constraint:
        """Values of a schema; the value of a text is the JSON value.

        Raises:
            UnsupportedFeature: a keyword, a type or a union that the notation cannot write exactly.
        """
        described, definitions = dereferenced(schema, definitions)
        if "$ref" in described:
            raise UnsupportedFeature("a reference to itself, or with other keywords", where=where)
        if "anyOf" in described:
            only(described, {"anyOf"}, where)
            return self._union([self._value(one, definitions, where) for one in described["anyOf"]], where)
        if (listed := listed_values(described)) is not None:
            only(described, {"type", "enum", "const"}, where)
            return self._listed(listed, where)
        kind = described.get("type")
        if isinstance(kind, list):
            return self._union([self._value({**described, "type": one}, definitions, where) for one in kind], where)
        if kind == "object":
            only(described, _OF_OBJECTS, where)
            properties, required = described.get("properties", {}), set(described.get("required", ()))
            is_open = described.get("additionalProperties", True) is not False and not properties
            if is_open or required - set(properties) or isinstance(described.get("additionalProperties"), dict):
                raise UnsupportedFeature("an object without declared names", where=where)
            return self._members(properties, required, definitions, self.member, self.objects, where)
        if kind == "array" and "items" in described:
            only(described, _OF_ARRAYS, where)
            least, most = described.get("minItems", 0), described.get("maxItems")
            return self._items(self._entry("", described["items"], definitions, self.item, where), least, most)
        if kind == "string":
            only(described, _OF_STRINGS, where)
            whole = self.string.constraint(described.get("minLength", 0), described.get("maxLength"))
            return replace(whole, language=_String(whole, self.string))
        if kind in ("boolean", "null"):
            only(described, {"type"}, where)
            return self._listed([None] if kind == "null" else [True, False], where)
        if kind in _SCALARS:
            return json_schema(described)
        raise UnsupportedFeature("a value without a declared type", where=where)

    def _union(self, branches: list[Constraint], where: str) -> Constraint:
        """Values of several constraints, which their texts tell apart."""
        if isinstance(self.string, DelimitedString) and not self.string.delimiter and len(branches) > 1:
            raise UnsupportedFeature("a value of several types", where=where, hint="strings are written without quotes")
        return choice(branches)

    def _branches(self, schema: Any, definitions: Mapping[str, Any]) -> Iterator[Any]:
        """The schema once for each kind of its values, in parts that tell the kind."""
        described, _ = dereferenced(schema, definitions)
        kinds = described.get("type")
        if not self.kinds:
            yield schema
        elif "anyOf" in described:
            for one in described["anyOf"]:
                yield from self._branches(one, definitions)
        elif (listed := listed_values(described)) is not None:
            for types in self.kinds.values():
                alike = [one for one in listed if type_of(one) in types]
                if alike:
                    yield {**described, "enum": alike, "type": types[0]}
        elif isinstance(kinds, list):
            yield from ({**described, "type": kind} for kind in kinds)
        else:
            yield schema

    def _entry(self, key: str, schema: Any, definitions: Mapping[str, Any], around: _Around, where: str) -> Constraint:
        """A member or an item, whose value is `Tagged` with its name."""
        ways: list[Constraint] = []
        for branch in self._branches(schema, definitions):
            value = self._value(branch, definitions, where)
            type_ = dereferenced(branch, definitions)[0].get("type")
            kind = next((kind for kind, types in self.kinds.items() if type_ in types), "")
            gap = () if self.space is None or isinstance(value.language, _String) else (self.space,)
            before, after = (_named(side, key, kind, gap) for side in around)
            whole = sequence(*before, value, *after)
            ways.append(replace(whole, language=_Entry(whole, key, len(before))))
        return ways[0] if len(ways) == 1 else choice(ways)

    def _listed(self, values: Sequence[Any], where: str) -> Constraint:
        texts = {self._value_text(value): value for value in values}
        if len(texts) < len(values):
            raise UnsupportedFeature("values with the same text", where=where)
        whole = choice(texts)
        return replace(whole, language=_Listed(whole, tuple(texts.items())))

    def _members(
        self,
        properties: Mapping[str, Any],
        required: set[str],
        definitions: Mapping[str, Any],
        around: _Around,
        ends: tuple[str, str],
        where: str,
    ) -> Constraint:
        """Members of an object, whose value is a dict."""
        gap = () if self.space is None else (self.space,)
        members: list[tuple[Constraint, bool]] = []
        for key in self.arranged(properties):
            if not re.fullmatch(self.name, key):
                raise UnsupportedFeature(f"the name {key!r}", where=where, hint=f"names match {self.name}")
            member = self._entry(key, properties[key], definitions, around, f"{key} in {where}")
            members.append((sequence(member, *gap) if gap else member, key in required))
        branches: list[Constraint] = []
        for first, (member, is_needed) in enumerate(members):
            rest = [(sequence(self.separator, one), is_one) for one, is_one in members[first + 1 :]]
            branches.append(sequence(member, *(one if is_one else optional(one) for one, is_one in rest)))
            if is_needed:
                break
        else:
            branches.append(sequence(""))
        inner = branches[0] if len(branches) == 1 else choice(branches)
        whole = sequence(ends[0], *gap, inner, ends[1])
        return replace(whole, language=_Collected(whole, is_object=True))

    def _items(self, item: Constraint, least: int, most: int | None) -> Constraint:
        """Items of an array, whose value is a list."""
        others = sequence(self.separator, item)
        inner = sequence("")
        if most is None or most > 0:
            more = [repeat(others, max(0, least - 1), None if most is None else most - 1)] if most != 1 else []
            inner = sequence(item, *more)
            inner = inner if least else optional(inner)
        whole = sequence(self.arrays[0], inner, self.arrays[1])
        return replace(whole, language=_Collected(whole, is_object=False))


def _named(parts: Iterable[Part], key: str, kind: str, gap: tuple[Constraint, ...]) -> list[Part]:
    """Parts of a name and a kind, with white space in place of `GAP`."""
    found: list[Part] = []
    for part in parts:
        if part is GAP:
            found += gap
        else:
            found.append(part.replace("%s", key).replace("%t", kind) if isinstance(part, str) else part)
    return found


@dataclass(frozen=True, slots=True)
class _Entry(Language):
    """A value between its parts; `place` is the number of those before it."""

    whole: Constraint
    key: str
    place: int
    has_values = True

    def declare(self, network: Network) -> int:
        return self.whole.language.declare(network)

    def to_value(self, text: str) -> Tagged:
        return Tagged(self.key, self.whole.value_of(text)[self.place])

    def to_partial_value(self, text: str, is_whole: bool) -> Tagged | None:
        found = self.whole.partial_value_of(text, is_whole)
        return Tagged(self.key, found[self.place]) if len(found) > self.place else None


@dataclass(frozen=True, slots=True)
class _Collected(Language):
    """Members of an object as a dict, or items of an array as a list."""

    whole: Constraint
    is_object: bool
    has_values = True

    def declare(self, network: Network) -> int:
        return self.whole.language.declare(network)

    def to_value(self, text: str) -> Any:
        return self._collect(self.whole.value_of(text)) if self.whole.has_values else self._collect(())

    def to_partial_value(self, text: str, is_whole: bool) -> Any:
        return self._collect(self.whole.partial_value_of(text, is_whole) if self.whole.has_values else ())

    def _collect(self, value: Any) -> Any:
        entries = list(_entries(value))
        return {one.name: one.value for one in entries} if self.is_object else [one.value for one in entries]


def _entries(value: Any) -> Iterator[Tagged]:
    """Entries in the nested value of a composition."""
    if isinstance(value, Tagged):
        yield value
    elif isinstance(value, list | tuple):
        for part in cast("Iterable[Any]", value):
            yield from _entries(part)


@dataclass(frozen=True, slots=True)
class _String(Language):
    """Strings in a notation."""

    whole: Constraint
    syntax: StringSyntax
    has_values = True

    def declare(self, network: Network) -> int:
        return self.whole.language.declare(network)

    def to_value(self, text: str) -> str | None:
        return self.syntax.read(text, True)

    def to_partial_value(self, text: str, is_whole: bool) -> str | None:
        return self.syntax.read(text, is_whole)


@dataclass(frozen=True, slots=True)
class _Listed(Language):
    """Listed values with their texts; a prefix has none."""

    whole: Constraint
    texts: tuple[tuple[str, Any], ...]
    has_values = True

    def declare(self, network: Network) -> int:
        return self.whole.language.declare(network)

    def to_value(self, text: str) -> Any:
        return dict(self.texts)[text]

    def to_partial_value(self, text: str, is_whole: bool) -> Any:
        return self.to_value(text) if is_whole else None


@dataclass(frozen=True, slots=True)
class _Checked(Language):
    """Arguments of a tool, whose value is that of the schema, type or function that declares them."""

    whole: Constraint
    arguments: Constraint
    has_values = True

    def declare(self, network: Network) -> int:
        return self.whole.language.declare(network)

    def to_value(self, text: str) -> Any:
        return self.arguments.value_of(json.dumps(self.whole.value_of(text), ensure_ascii=False))

    def to_partial_value(self, text: str, is_whole: bool) -> Any:
        return self.whole.partial_value_of(text, is_whole)
