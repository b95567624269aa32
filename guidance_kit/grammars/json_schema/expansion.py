"""From schemas to shapes: what each keyword says about each type."""

from __future__ import annotations

import math
import threading
from decimal import Decimal
from fractions import Fraction
from typing import Any

from guidance_kit.errors import LimitError, SchemaError
from guidance_kit.grammars.json_schema.document import Document, Location, Node
from guidance_kit.grammars.json_schema.formats import FORMATS
from guidance_kit.grammars.json_schema.keywords import TYPES, keywords_of
from guidance_kit.grammars.json_schema.languages import is_spellable
from guidance_kit.grammars.json_schema.shapes import (
    ANY,
    ANY_ARRAY,
    ANY_NUMBER,
    ANY_OBJECT,
    ANY_STRING,
    NOTHING,
    Arrays,
    Layer,
    Number,
    Numbers,
    Objects,
    Shape,
    Strings,
    conjoin,
    unite,
)

__all__ = ["MAX_REFERENCES", "Expansion", "check_value", "exact_number", "local_shape"]

MAX_REFERENCES = 150
"""How many schemas may hold for one value through one another: $ref, allOf, anyOf, oneOf."""

_NUMBER_KEYWORDS = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})
_STRING_KEYWORDS = frozenset({"minLength", "maxLength", "pattern", "format"})
_ARRAY_KEYWORDS = frozenset({"items", "prefixItems", "additionalItems", "minItems", "maxItems"})
_OBJECT_KEYWORDS = frozenset(
    {
        "properties",
        "required",
        "additionalProperties",
        "patternProperties",
        "propertyNames",
        "minProperties",
        "maxProperties",
    }
)
_APPLICATORS = frozenset({"$ref", "allOf", "anyOf", "oneOf", "enum", "const"})


class Expansion:
    """The shapes of the schemas in a document, each worked out once, when somebody asks."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._shapes: dict[Location, Shape] = {}
        self._joined: dict[Node, Shape] = {}
        self._open: list[Location] = []
        self._lock = threading.RLock()

    def shape(self, node: Node) -> Shape:
        """What all schemas of a node allow together.

        Raises:
            SchemaError: if a reference leads nowhere, or back to itself without any progress in the value.
            LimitError: if more than MAX_REFERENCES schemas are entangled.
        """
        if not node:
            return ANY
        if len(node) == 1:
            return self._shapes.get(node[0]) or self._locked(node[0])
        shape = self._joined.get(node)
        if shape is None:
            shape = ANY
            for location in node:
                shape = conjoin(shape, self._shapes.get(location) or self._locked(location))
            self._joined[node] = shape
        return shape

    def _locked(self, location: Location) -> Shape:
        """As `_of`, from outside: networks in several threads may share what is known here."""
        with self._lock:
            return self._of(location)

    def _of(self, location: Location) -> Shape:
        shape = self._shapes.get(location)
        if shape is None:
            if location in self._open:
                raise SchemaError("a reference that leads back to itself", pointer=location.pointer)
            if len(self._open) >= MAX_REFERENCES:
                raise LimitError("max_references", MAX_REFERENCES, where=location.pointer)
            self._open.append(location)
            try:
                shape = self._expand(location)
            finally:
                self._open.pop()
            self._shapes[location] = shape
        return shape

    def _expand(self, location: Location) -> Shape:
        schema = location.schema
        if not isinstance(schema, dict):
            return ANY if schema else NOTHING
        if "$ref" in schema and location.draft.ref_overrides:
            return self._of(self.document.resolve(location, schema["$ref"]))
        if not (_APPLICATORS.isdisjoint(schema) or len(schema) == 1):
            return self._conjunction(location)
        for keyword in schema:
            if keyword in _APPLICATORS:
                return self._applied(location, keyword)
        return local_shape(self.document, location)

    def _conjunction(self, location: Location) -> Shape:
        """The shape of a schema with several things to say; its own properties come where they stand."""
        schema = location.schema
        known = keywords_of(location.draft)
        shape, is_local_done = ANY, False
        for keyword in schema:
            if keyword not in known:
                continue
            if keyword in _APPLICATORS:
                shape = conjoin(shape, self._applied(location, keyword))
            elif not is_local_done and (keyword in _OBJECT_KEYWORDS or keyword == "type"):
                is_local_done = True
                shape = conjoin(shape, local_shape(self.document, location))
        return shape if is_local_done else conjoin(shape, local_shape(self.document, location))

    def _applied(self, location: Location, keyword: str) -> Shape:
        """What one keyword says that speaks of other schemas or whole values."""
        document, value = self.document, location.schema[keyword]
        if keyword not in keywords_of(location.draft):
            return ANY
        if keyword == "$ref":
            return self._of(document.resolve(location, value))
        if keyword == "const":
            return self._enumeration(location, [value], "const")
        if keyword == "enum":
            return self._enumeration(location, value, "enum")
        branches = [document.node(location, branch, keyword, index) for index, branch in enumerate(value)]
        if keyword == "allOf":
            shape = ANY
            for branch in branches:
                shape = conjoin(shape, self.shape(branch))
            return shape
        return unite([self.shape(branch) for branch in branches])

    def _enumeration(self, location: Location, values: list[Any], keyword: str) -> Shape:
        """The shape of a list of JSON values."""
        strings: list[str] = []
        numbers: list[Number] = []
        booleans: list[bool] = []
        arrays: list[Arrays] = []
        objects: list[Objects] = []
        has_null = False
        constant = self.document.constant
        for index, value in enumerate(values):
            step = (keyword, index) if keyword == "enum" else (keyword,)
            match value:
                case str():
                    if is_spellable(value):
                        strings.append(value)
                case bool():
                    booleans.append(value)
                case None:
                    has_null = True
                case int() | float() | Decimal():
                    numbers.append(exact_number(value, location, *step))
                case list() | tuple():
                    prefix = tuple(constant(location, item, *step, i) for i, item in enumerate(value))
                    arrays.append(Arrays(prefix, (self.document.nothing,), len(prefix), len(prefix)))
                case dict():
                    properties = {key: constant(location, item, *step, key) for key, item in value.items()}
                    layer = Layer(properties, additional=(self.document.nothing,))
                    objects.append(Objects((layer,), tuple(properties)))
                case _:
                    raise SchemaError(f"{value!r} is not a JSON value", pointer=location.pointer)
        return Shape(
            (None,) if has_null else (),
            tuple(value for value in (False, True) if value in booleans),
            (Numbers(values=tuple(dict.fromkeys(numbers))),) if numbers else (),
            (Strings(values=tuple(dict.fromkeys(strings))),) if strings else (),
            tuple(arrays),
            tuple(objects),
        )


def local_shape(document: Document, location: Location) -> Shape:
    """What a schema says by itself, without the schemas that it refers to and without enumerations."""
    schema, known = location.schema, keywords_of(location.draft)
    named = schema.get("type", TYPES)
    types = (named,) if isinstance(named, str) else named
    keywords = schema.keys()
    numbers = strings = arrays = objects = None
    if "number" in types or "integer" in types:
        numbers: Numbers | None = ANY_NUMBER
        if "number" not in types:
            numbers = ONLY_INTEGERS
        if not _NUMBER_KEYWORDS.isdisjoint(keywords):
            numbers = numbers.conjoin(_numbers(location))
    if "string" in types:
        strings: Strings | None = ANY_STRING
        if not _STRING_KEYWORDS.isdisjoint(keywords):
            strings = _strings(schema)
    if "array" in types:
        arrays: Arrays | None = ANY_ARRAY
        if not _ARRAY_KEYWORDS.isdisjoint(keywords):
            arrays = _arrays(document, location)
    if "object" in types:
        objects: Objects | None = ANY_OBJECT
        if not _OBJECT_KEYWORDS.isdisjoint(keywords):
            objects = _objects(document, location, "propertyNames" in known)
    return Shape(
        (None,) if "null" in types else (),
        (False, True) if "boolean" in types else (),
        (numbers,) if numbers is not None else (),
        (strings,) if strings is not None else (),
        (arrays,) if arrays is not None else (),
        (objects,) if objects is not None else (),
    )


ONLY_INTEGERS = Numbers(is_integer=True)


def exact_number(value: float | Decimal, location: Location, *step: str | int) -> Number:
    """The number that a JSON text with this value shows; a float stands for its shortest decimal.

    Raises:
        SchemaError: for infinities and NaN.
    """
    if isinstance(value, int):
        return value
    if not math.isfinite(value):
        raise SchemaError(f"{value!r} is not a JSON number", pointer=location.pointer)
    exact = Fraction(repr(value) if isinstance(value, float) else value)
    return exact.numerator if exact.denominator == 1 else exact


def check_value(value: Any, location: Location, *step: str | int) -> None:
    """Look whether a value is one of JSON, all through.

    Raises:
        SchemaError: if it is not; say, a set or NaN.
    """
    todo = [value]
    while todo:
        here = todo.pop()
        if isinstance(here, dict):
            todo += here.values()
            if not all(isinstance(key, str) for key in here):
                raise SchemaError(f"{here!r} has a key that is no string", pointer=location.pointer)
        elif isinstance(here, list | tuple):
            todo += here
        elif isinstance(here, float | Decimal):
            exact_number(here, location, *step)
        elif not isinstance(here, str | int | None):
            raise SchemaError(f"{here!r} is not a JSON value", pointer=location.pointer)


def _numbers(location: Location) -> Numbers:
    schema, is_old = location.schema, location.draft.number == 4

    def bound(keyword: str) -> Number | None:
        value = schema.get(keyword)
        return None if value is None else exact_number(value, location, keyword)

    multiple = bound("multipleOf")
    lower, upper = bound("minimum"), bound("maximum")
    if is_old:
        below, above = schema.get("exclusiveMinimum") is True, schema.get("exclusiveMaximum") is True
        return Numbers(lower, upper, below and lower is not None, above and upper is not None, multiple=multiple)
    open_lower, open_upper = bound("exclusiveMinimum"), bound("exclusiveMaximum")
    below = open_lower is not None and (lower is None or open_lower >= lower)
    above = open_upper is not None and (upper is None or open_upper <= upper)
    return Numbers(open_lower if below else lower, open_upper if above else upper, below, above, multiple=multiple)


def _strings(schema: dict[str, Any]) -> Strings | None:
    conditions: list[tuple[str, str]] = []
    if "pattern" in schema:
        conditions.append(("pattern", schema["pattern"]))
    if schema.get("format") in FORMATS:
        conditions.append(("format", schema["format"]))
    return Strings(_count(schema, "minLength") or 0, _count(schema, "maxLength"), tuple(conditions)).reduced()


def _arrays(document: Document, location: Location) -> Arrays | None:
    schema = location.schema
    minimum, maximum = _count(schema, "minItems") or 0, _count(schema, "maxItems")
    first, others = ("prefixItems", "items") if location.draft.number >= 9 else ("items", "additionalItems")
    prefix: list[Any] | None = schema.get(first)
    if location.draft.number < 9 and not isinstance(prefix, list):
        items = document.node(location, schema.get("items", True), "items")
        return Arrays((), items, minimum, maximum).reduced()
    nodes = tuple(document.node(location, item, first, index) for index, item in enumerate(prefix or ()))
    return Arrays(nodes, document.node(location, schema.get(others, True), others), minimum, maximum).reduced()


def _objects(document: Document, location: Location, knows_names: bool) -> Objects | None:
    schema = location.schema
    node = document.node
    properties = {key: node(location, value, "properties", key) for key, value in schema.get("properties", {}).items()}
    patterns = tuple(
        (pattern, node(location, value, "patternProperties", pattern))
        for pattern, value in schema.get("patternProperties", {}).items()
    )
    additional = node(location, schema.get("additionalProperties", True), "additionalProperties")
    names = node(location, schema.get("propertyNames", True), "propertyNames") if knows_names else ()
    has_layer = properties or patterns or additional or names
    return Objects(
        (Layer(properties, patterns, additional, names),) if has_layer else (),
        tuple(schema.get("required", ())),
        _count(schema, "minProperties") or 0,
        _count(schema, "maxProperties"),
    ).reduced()


def _count(schema: dict[str, Any], keyword: str) -> int | None:
    value = schema.get(keyword)
    return None if value is None else int(value)
