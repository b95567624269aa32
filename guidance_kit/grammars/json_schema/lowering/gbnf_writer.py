"""A JSON Schema as a grammar in GBNF, the notation of llama.cpp.

Objects, arrays and unions become rules. Strings, numbers and keys under conditions become their automata, one rule a
state, each of which reads a character and goes on with another rule. llama.cpp has no `\\d`, refuses left recursion and
repetitions of more than 2,000, and reads groups within each other recursively: here classes are ranges, repetitions are
split, and no group has another one inside.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

from guidance_kit.errors import ConstraintError, UnsatisfiableError, UnsupportedFeature
from guidance_kit.grammars.json_schema.constraint import json_schema
from guidance_kit.grammars.json_schema.lowering.gbnf_keys import other_keys
from guidance_kit.grammars.json_schema.lowering.gbnf_notation import FIXED, char_class, quoted, rule_names
from guidance_kit.grammars.json_schema.lowering.references import referred
from guidance_kit.grammars.json_schema.lowering.rewriting import Change
from guidance_kit.grammars.random_walk import index_over_bytes
from guidance_kit.grammars.regular.character_edges import CharacterEdges
from guidance_kit.grammars.regular.charset import CharSet

__all__ = ["MOST_REPETITIONS", "GbnfWriter"]

MOST_REPETITIONS = 1_000
"""Greatest bound of a repetition that is written; greater ones are split. llama.cpp refuses those above 2,000."""

MOST_STATES = 400
"""States of the automaton of a string or number; one with more loses conditions."""

_TYPES = ("null", "boolean", "number", "string", "array", "object")
_CONDITIONS = {
    "string": ("minLength", "maxLength", "pattern", "format"),
    "number": ("multipleOf", "exclusiveMinimum", "exclusiveMaximum", "minimum", "maximum"),
}
"""Keywords of a type in the order in which they are given up."""


class GbnfWriter:
    """Writer of one schema, in the keywords of the target "gbnf".

    Args:
        schema: the schema. References lead to its own parts.
        title: name of the target, for changes.

    Attributes:
        schema: the schema without what could not be written.
        changes: conditions that could not be written, each with the schema before and after.
    """

    def __init__(self, schema: dict[str, Any], title: str) -> None:
        self.schema = cast("dict[str, Any]", json.loads(json.dumps(schema)))
        self.changes: list[Change] = []
        self._title = title
        self._rules: dict[str, str] = {}
        self._by_text: dict[str, str] = {}
        self._by_reference: dict[str, str] = {}
        self._by_schema: dict[str, str | None] = {}
        self._open: list[str] = []

    def text(self) -> str:
        """The grammar.

        Raises:
            UnsupportedFeature: a part refers to itself without any text between.
            UnsatisfiableError: the schema has no instance.
        """
        try:
            root = self._value(self.schema, "")
        except _NeverError:
            raise UnsatisfiableError("the schema has no instance, so there is no grammar of its instances") from None
        self._rules["root"] = f"ws {root} ws"
        used = self._reached("root")
        lines = [f"{name} ::= {body}" for name, body in self._rules.items() if name in used and name != "root"]
        fixed = [f"{name} ::= {body}" for name, body in FIXED.items() if name in used]
        return "\n".join([f"root ::= {self._rules['root']}", *lines, *fixed]) + "\n"

    def _reached(self, start: str) -> set[str]:
        known = {**FIXED, **self._rules}
        found, todo = {start}, [start]
        while todo:
            for word in rule_names(known[todo.pop()]):
                if word in known and word not in found:
                    found.add(word)
                    todo.append(word)
        return found

    def _rule(self, body: str, hint: str = "r") -> str:
        """Name of the rule with a body, a new one if none has it."""
        if body in self._by_text:
            return self._by_text[body]
        name = f"{hint}{len(self._rules)}"
        self._rules[name] = body
        self._by_text[body] = name
        return name

    def _value(self, schema: Any, pointer: str) -> str:
        """Name of the rule of the values of a schema."""
        if schema is True or schema == {}:
            return "value"
        if schema is False or schema == {"not": {}}:
            raise _NeverError
        if "$ref" in schema:
            return self._reference(schema["$ref"])
        if "enum" in schema or "const" in schema:
            values = schema["enum"] if "enum" in schema else [schema["const"]]
            kept = [value for value in values if self._is_instance(schema, value)]
            if not kept:
                raise _NeverError
            return self._rule(" | ".join(quoted(json.dumps(value, ensure_ascii=False)) for value in kept), "enum")
        if "anyOf" in schema:
            return self._union(
                (lambda way=way, number=number: self._value(way, f"{pointer}/anyOf/{number}"))
                for number, way in enumerate(schema["anyOf"])
            )
        given = schema.get("type", list(_TYPES))
        types = [given] if isinstance(given, str) else given
        return self._union((lambda kind=kind: self._typed(kind, schema, pointer)) for kind in types)

    def _union(self, ways: Iterable[Callable[[], str]]) -> str:
        """Name of a rule of alternatives; those without texts are left out."""
        names: list[str] = []
        for way in ways:
            try:
                names.append(way())
            except _NeverError:
                continue
        if not names:
            raise _NeverError
        unique = list(dict.fromkeys(names))
        return unique[0] if len(unique) == 1 else self._rule(" | ".join(unique), "any")

    def _is_instance(self, schema: Mapping[str, Any], value: Any) -> bool:
        """Test a value of an enumeration against the conditions beside it."""
        from guidance_kit.grammars.json_schema.documents.drafts import DEFAULT_DRAFT
        from guidance_kit.grammars.json_schema.inclusion.judge import InstanceJudge

        others = {name: one for name, one in schema.items() if name not in ("$defs", "definitions")}
        return InstanceJudge(others, DEFAULT_DRAFT, None, "assert").accepts(json.dumps(value)) is not False

    def _reference(self, reference: str) -> str:
        if reference in self._by_reference:
            return self._by_reference[reference]
        if reference in self._open:
            raise UnsupportedFeature(f"{reference}, which refers to itself without any text between", where=reference)
        target = referred(self.schema, reference)
        if self._is_recursive(target, reference):
            name = f"ref{len(self._by_reference)}"
            self._by_reference[reference] = name
            self._rules[name] = "null"  # until it is known
            try:
                self._rules[name] = self._value(target, reference[1:])
            except _NeverError:
                del self._by_reference[reference]
                raise
            return name
        self._open.append(reference)
        self._by_reference[reference] = self._value(target, reference[1:])
        self._open.pop()
        return self._by_reference[reference]

    def _is_recursive(self, target: Any, reference: str) -> bool:
        """Test whether a schema leads back to a reference through an object or array; else it has to be open."""
        seen: set[tuple[str, bool]] = set()

        def leads(part: Any, is_inside: bool) -> bool:
            if isinstance(part, list):
                return any(leads(one, is_inside) for one in part)
            if not isinstance(part, dict):
                return False
            given = part.get("$ref")
            if given == reference:
                return is_inside
            if isinstance(given, str) and (given, is_inside) not in seen:
                seen.add((given, is_inside))
                if leads(referred(self.schema, given), is_inside):
                    return True
            return any(
                leads(one, is_inside or keyword in ("properties", "items", "prefixItems", "additionalProperties"))
                for keyword, one in part.items()
                if keyword not in ("$defs", "definitions", "enum", "const", "$ref")
            )

        return leads(target, False)

    def _typed(self, kind: str, schema: dict[str, Any], pointer: str) -> str:
        if kind in ("null", "boolean"):
            return kind
        if kind in ("integer", "number"):
            return self._scalar(kind, "number", schema, pointer)
        if kind == "string":
            bounds = {name: schema[name] for name in ("minLength", "maxLength") if name in schema}
            if bounds and "pattern" not in schema and "format" not in schema:
                if bounds.get("maxLength", math.inf) < bounds.get("minLength", 0):
                    raise _NeverError
                chars = self._repeated("char", bounds.get("minLength", 0), bounds.get("maxLength"))
                return self._rule(f'"\\"" {chars} "\\""', "text")
            return self._scalar(kind, kind, schema, pointer)
        return self._array(schema, pointer) if kind == "array" else self._object(schema, pointer)

    def _scalar(self, kind: str, family: str, schema: dict[str, Any], pointer: str) -> str:
        """Rule of a string or number under conditions; those that cannot be written are given up one by one."""
        while True:
            conditions = {name: schema[name] for name in _CONDITIONS[family] if name in schema}
            if not conditions:
                return kind
            name = self._automaton({"type": kind, **conditions})
            if name is not None:
                return name
            before = dict(schema)
            given_up = next(iter(conditions))
            del schema[given_up]
            reason = f"{self._title}: {given_up} takes too many rules here"
            self.changes.append(Change(pointer, given_up, reason, before, dict(schema)))

    def _automaton(self, schema: dict[str, Any]) -> str | None:
        """First rule of the automaton of a schema, written once; see `_written`."""
        key = json.dumps(schema, sort_keys=True)
        if key not in self._by_schema:
            self._by_schema[key] = self._written(schema)
        return self._by_schema[key]

    def _written(self, schema: dict[str, Any]) -> str | None:
        """First rule of the automaton of a schema without white space; None if it has too many states.

        Raises:
            _NeverError: it has no instance.
        """
        try:
            automaton = index_over_bytes(json_schema(schema)).automaton
            numbers = {automaton.start: 0}
            todo = [automaton.start]
            edges: dict[int, dict[int, CharSet]] = {}
            found = CharacterEdges(automaton)
            for config in todo:
                edges[config] = found.of(config)
                for target in edges[config]:
                    if target not in numbers:
                        numbers[target] = len(numbers)
                        todo.append(target)
                if len(numbers) > MOST_STATES:
                    return None
        except UnsatisfiableError:
            raise _NeverError from None
        except ConstraintError:
            return None
        first = len(self._rules)
        names = {config: f"s{first}-{number}" for config, number in numbers.items()}
        is_last = {config: automaton.is_complete(config) and not edges[config] for config in numbers}
        for config in numbers:
            ways = [
                char_class(characters) + ("" if is_last[target] else f" {names[target]}")
                for target, characters in edges[config].items()
            ]
            if automaton.is_complete(config):
                ways.append('""')
            if not is_last[config]:
                self._rules[names[config]] = " | ".join(ways)
        return names[automaton.start]

    def _array(self, schema: dict[str, Any], pointer: str) -> str:
        first = schema.get("prefixItems", [])
        least, most = schema.get("minItems", 0), schema.get("maxItems")
        names: list[str] = []
        is_closed = False
        for number, one in enumerate(first):
            try:
                names.append(self._value(one, f"{pointer}/prefixItems/{number}"))
            except _NeverError:
                is_closed = True  # no array reaches this item
                break
        rest: str | None = None
        if not is_closed:
            try:
                rest = self._value(schema.get("items", True), f"{pointer}/items")
            except _NeverError:
                rest = None
        if rest is None:
            most = min(len(names), len(names) if most is None else most)
        if most is not None and least > most:
            raise _NeverError
        if most is not None:
            names = names[:most]
        tail = ""
        if rest is not None and (most is None or most > len(names)):
            wanted = max(0, least - len(names)), None if most is None else most - len(names)
            if not names:
                more = self._rule(f'"," ws {rest} ws', "more")
                repeated = self._repeated(more, max(0, wanted[0] - 1), None if wanted[1] is None else wanted[1] - 1)
                items = self._rule(f"{rest} ws {repeated}", "items")
                return self._rule(f'"[" ws {items}{"" if least else "?"} "]"', "array")
            tail = self._repeated(self._rule(f'"," ws {rest} ws', "more"), *wanted)
        body = tail
        for place in range(len(names) - 1, -1, -1):
            comma = '"," ws ' if place else ""
            item = f"{comma}{names[place]} ws {body}".strip()
            body = item if place < least else self._rule(item, "item") + "?"
        return self._rule(f'"[" ws {body} "]"', "array")

    def _object(self, schema: dict[str, Any], pointer: str) -> str:
        required = set(schema.get("required", []))
        declared: dict[str, Any] = dict(schema.get("properties", {}))
        others = schema.get("additionalProperties", True)
        for key in schema.get("required", []):
            declared.setdefault(key, others)
        members: list[tuple[str, bool]] = []
        for key, one in declared.items():
            place = f"{pointer}/properties/{key.replace('~', '~0').replace('/', '~1')}"
            try:
                value = self._value(one, place)
            except _NeverError:
                if key in required:
                    raise
                continue
            name = quoted(json.dumps(key, ensure_ascii=False))
            members.append((self._rule(f'{name} ws ":" ws {value} ws', "member"), key in required))
        extra = self._other_member(list(declared), others, f"{pointer}/additionalProperties")
        # Rules of what may follow when something, or nothing, was written before it.
        more = "" if extra is None else self._rule(f'"," ws {extra}', "more") + "*"
        first = "" if extra is None else self._rule(f"{extra} {more}", "members") + "?"
        for member, is_required in reversed(members):
            after = f'"," ws {member} {more}'.strip()
            alone = f"{member} {more}".strip()
            if is_required:
                first, more = alone, self._short(after)
            else:
                first = self._rule(f"{alone} | {first or chr(34) * 2}", "members")
                follows = f'"," ws {member}'
                more = self._short(f"{self._rule(follows, 'more')}? {more}".strip())
        return self._rule(f'"{{" ws {first} "}}"'.replace("  ", " "), "object")

    def _short(self, body: str) -> str:
        """A body, or the name of a rule with it if it is long."""
        return body if len(body) < 60 else self._rule(body, "rest")

    def _other_member(self, names: list[str], schema: Any, pointer: str) -> str | None:
        """Rule of a member that is not declared; None if there is none."""
        try:
            value = self._value(schema, pointer)
        except _NeverError:
            return None
        key = other_keys(names, self._rule) if names else "string"
        return self._rule(f'{key} ws ":" ws {value} ws', "member")

    def _repeated(self, name: str, least: int, most: int | None) -> str:
        """Repetition of a rule, with bounds that llama.cpp takes."""
        if most is None:
            return f"{self._times(name, least)} {name}*".strip()
        if least == most:
            return self._times(name, least)
        return f"{self._times(name, least)} {self._at_most(name, most - least)}".strip()

    def _times(self, name: str, count: int) -> str:
        """Exactly so many times."""
        if count <= MOST_REPETITIONS:
            return "" if count == 0 else name if count == 1 else f"{name}{{{count}}}"
        many, rest = divmod(count, MOST_REPETITIONS)
        block = self._rule(f"{name}{{{MOST_REPETITIONS}}}", "many")
        return f"{self._times(block, many)} {self._times(name, rest)}".strip()

    def _at_most(self, name: str, count: int) -> str:
        """At most so many times."""
        if count <= MOST_REPETITIONS:
            return "" if count == 0 else f"{name}?" if count == 1 else f"{name}{{0,{count}}}"
        many, rest = divmod(count, MOST_REPETITIONS)
        block = self._rule(f"{name}{{0,{MOST_REPETITIONS}}}", "many")
        return f"{self._times(block, many)} {self._at_most(name, rest)}".strip()


class _NeverError(Exception):
    """A part has no instance."""
