"""`json_schema`: the constraint of the JSON texts that satisfy a schema or a Python type."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, is_dataclass
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any, get_args

from guidance_kit.errors import LimitError, OptionError, SchemaError
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.constraint import Constraint, Origin
from guidance_kit.grammars.json_schema.compiled import CompiledSchema, check_kind
from guidance_kit.grammars.json_schema.documents.document import escape_pointer
from guidance_kit.grammars.json_schema.formats.table import FormatMode
from guidance_kit.grammars.json_schema.keywords.readers import MAX_DIGITS
from guidance_kit.grammars.json_schema.layout import Layout, Whitespace, layout_of
from guidance_kit.grammars.json_schema.numbers.digits import Digits
from guidance_kit.grammars.json_schema.objects.members import Order
from guidance_kit.grammars.json_schema.partial import partial_json
from guidance_kit.grammars.json_schema.report import Report
from guidance_kit.grammars.json_schema.strings.encoding import ENCODINGS, Escapes, JsonString
from guidance_kit.grammars.language import Language
from guidance_kit.grammars.regular.charset import is_spellable

if TYPE_CHECKING:
    from referencing import Registry

__all__ = ["json_schema"]

_FORMAT_MODES = get_args(FormatMode)
_ORDERS = ("declared", "any")

MOST_COUNTED_DIGITS = 1_000

MAX_SCHEMA_DEPTH = 300
"""Nesting that Python's JSON parser and writer surely take; only named in errors."""


def json_schema(
    schema: Any,
    *,
    whitespace: Whitespace = "flexible",
    escapes: Escapes = "minimal",
    formats: FormatMode = "assert",
    order: Order = "declared",
    digits: Digits | None = None,
    max_digits: int | None = None,
    excerpts_of: str | None = None,
    registry: Registry | None = None,
) -> Constraint:
    """JSON texts of the values that satisfy a JSON Schema, all of them and no others.

    Nothing stands before or after the value. Integers are written as digits alone (not 1.0 or 1e2).

    Args:
        schema: a JSON Schema as an object (dict), boolean or JSON text; or a Python type: a Pydantic model, dataclass,
            TypedDict or any annotation that pydantic understands. With a type, `Constraint.parse` returns a validated
            instance; keys that the instance would ignore are not written (`extra="allow"` in the type lets them be).
            Or a function: then the object of its arguments, which `parse` returns as a dict, defaults filled in.
        whitespace: between the tokens of the JSON text: "flexible": nothing, a space, or a line break with up to 40
            spaces or tabs; "compact": nothing; "json": as `json.dumps` writes; `Indent(n)`: as
            `json.dumps(indent=n)` writes; `Separators(item, key, indent)`: as `json.dumps(separators=(item, key),
            indent=indent)` writes; "any": without limit; `BoundedWhitespace(most)`: any mix of up to `most` characters.
        escapes: in strings and keys: "minimal": only where necessary, as `json.dumps(ensure_ascii=False)` writes;
            "ascii": all beyond ASCII too, as `json.dumps` writes; "all": every spelling that JSON has.
        formats: "assert": `format` is enforced where it is known; what is written is valid, but of `hostname`,
            `idn-hostname` and `regex` not all is written (docs/json_schema.md says what); "recall": also what of these
            can be told by looking back at the text: masks within them take longer, and there are no budgets;
            "annotate": it says nothing about values.
        order: of the properties: "declared": as the schema declares them, then the others; "any": as the writer likes.
        digits: of numbers: `Digits(whole, fraction)`: plain decimals with at most so many digits before and after the
            point; None: of any length, or with an exponent.
        max_digits: of a number before the point, and after it, unless a bound or multiple in the schema has more, 1 to
            1,000; None: any number of them. No number is lost that a double can be; see docs/json_schema.md.
        excerpts_of: a text: where a schema's `type` asks for strings, and no pattern, format or enumeration says which,
            they are excerpts of it: runs of its words, or empty. White space between words may be written as one space.
            None: any strings.
        registry: a `referencing.Registry` with the other documents that the schema refers to; nothing is ever fetched.
    Raises:
        SchemaError: the schema is malformed.
        UnsupportedFeature: a keyword of it cannot be enforced exactly; nothing is ever dropped silently.
        UnsatisfiableError: no value satisfies it.
        LimitError: it is too deep or too involved.
        OptionError: an unknown value of an option.

    >>> json_schema({"type": "array", "items": {"type": "integer"}}, whitespace="compact").parse("[1,2]")
    [1, 2]
    """
    layout = layout_of(whitespace)
    encoding = ENCODINGS.get(escapes) if isinstance(escapes, str) else None
    if encoding is None:
        raise OptionError.unknown(str(escapes), ENCODINGS, "escapes")
    _check_options(formats, order, digits, max_digits, excerpts_of)
    given = schema
    _refuse_value(schema)
    to_value, validators = json.loads, ()
    if isinstance(schema, str):
        schema = _read(schema)
    elif not isinstance(schema, dict | bool):
        from guidance_kit.grammars.python_type import PythonType  # brings pydantic

        python_type = PythonType(schema)
        schema, to_value, validators = python_type.schema(), python_type.validate, python_type.validators
    check_kind(schema)
    compiled = CompiledSchema(
        schema,
        registry=registry,
        formats=formats,
        excerpts_of=excerpts_of,
        order=order,
        digits=digits,
        max_digits=max_digits,
    )
    options = tuple(
        (name, value)
        for name, value, usual in (
            ("whitespace", whitespace, "flexible"),
            ("escapes", escapes, "minimal"),
            ("formats", formats, "assert"),
            ("order", order, "declared"),
            ("digits", digits, None),
            ("max_digits", max_digits, None),
            ("excerpts_of", excerpts_of, None),
        )
        if value != usual
    )
    return Constraint(
        kind="json_schema",
        source=_written(schema),
        options=(*options, *((f"document {name}", _written(used)) for name, used in compiled.document.used.items())),
        language=_JsonLanguage(
            compiled=compiled,
            layout=layout,
            encoding=encoding,
            read=to_value,
            restricted_to=lambda text: json_schema(
                given, **{**dict(options), "excerpts_of": text, "registry": registry}
            ),
            options=tuple(f"{name}={_shown(value)}" for name, value in options),
            validators=validators,
        ),
        origin=_origin(given, compiled.document.used, dict(options)),
    )


def _check_options(formats: Any, order: Any, digits: Any, max_digits: Any, excerpts_of: Any) -> None:
    """Raise OptionError for an unknown value."""
    if formats not in _FORMAT_MODES:
        raise OptionError.unknown(str(formats), _FORMAT_MODES, "formats")
    if order not in _ORDERS:
        raise OptionError.unknown(str(order), _ORDERS, "order")
    if digits is not None and not isinstance(digits, Digits):
        raise OptionError(f"digits is a Digits(whole, fraction) or None, not {digits!r}")
    if max_digits is not None and not (type(max_digits) is int and 1 <= max_digits <= MOST_COUNTED_DIGITS):
        raise OptionError(f"max_digits is a number from 1 to {MOST_COUNTED_DIGITS} or None, not {max_digits!r}")
    if excerpts_of is not None and not isinstance(excerpts_of, str):
        raise OptionError(f"excerpts_of is a text (str) or None, not a {type(excerpts_of).__name__}")


@dataclass(frozen=True, kw_only=True)
class _JsonLanguage(Language):
    """JSON texts of the instances of a schema.

    Attributes:
        compiled: the schema.
        layout, encoding: whitespace between tokens, and spelling of strings.
        read: parser of a whole text: that of JSON, or the validator of a Python type.
        restricted_to: the same constraint with strings restricted to excerpts of a text.
        options: those that are not the default, in words.
        validators: see `Report`.
    """

    compiled: CompiledSchema
    layout: Layout
    encoding: JsonString
    read: Callable[[str], Any]
    restricted_to: Callable[[str], Constraint]
    options: tuple[str, ...]
    validators: tuple[str, ...]
    has_values = True

    def declare(self, network: Network) -> int:
        return self.compiled.declare(network, self.layout, self.encoding)

    def to_value(self, text: str) -> Any:
        return self.read(text)

    def to_partial_value(self, text: str, is_whole: bool) -> Any:
        return partial_json(text, is_whole)

    def excerpt(self, text: str) -> Constraint:
        return self.restricted_to(text)

    def report(self) -> Report:
        return self._report

    @cached_property
    def _report(self) -> Report:
        return self.compiled.report(self.layout, self.encoding, self.options, self.validators)


def _origin(schema: Any, used: dict[str, Any], options: dict[str, Any]) -> Origin:
    """Function and arguments that rebuild a constraint from a pickle; of a registry only the documents in use."""
    return (_with_documents, (schema, dict(used), options), {}) if used else (json_schema, (schema,), options)


def _with_documents(schema: Any, documents: dict[str, Any], options: dict[str, Any]) -> Constraint:
    """The constraint of a schema that refers to other documents."""
    from referencing import Registry, Resource

    resources = [(address, Resource.opaque(contents)) for address, contents in documents.items()]
    registry: Registry[Any] = Registry().with_resources(resources)
    return json_schema(schema, **options, registry=registry)


def _refuse_value(schema: object) -> None:
    """Refuse values in place of a schema or type.

    Raises:
        OptionError: it is one.
    """
    is_value = isinstance(schema, bytes | bytearray | list | tuple | set | frozenset | re.Pattern | Constraint) or (
        isinstance(schema, int | float) and not isinstance(schema, bool)
    )
    is_instance = not isinstance(schema, type) and (is_dataclass(schema) or hasattr(schema, "model_json_schema"))
    if is_value or is_instance:
        hint = f"; give the class {type(schema).__name__}" if is_instance and not is_value else ""
        raise OptionError(
            f"a schema is a JSON Schema (a dict, or its text) or a Python type, not {schema!r:.60} "
            f"({type(schema).__name__}){hint}"
        )


def _shown(value: object) -> str:
    """An option in a report: a long text is cut short."""
    text = str(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _read(text: str) -> Any:
    try:
        return json.loads(text, parse_float=Decimal, parse_int=_integer)
    except json.JSONDecodeError as error:
        raise SchemaError(f"the schema is not JSON: {error}", pointer="") from None
    except RecursionError:
        raise LimitError("max_schema_depth", MAX_SCHEMA_DEPTH) from None


def _integer(text: str) -> int | Decimal:
    """Integer of a schema; one with too many digits is left to `exact_number`, whose error has its position."""
    return int(text) if len(text) <= MAX_DIGITS else Decimal(text)


def _check_integers(schema: Any) -> None:
    """Refuse integers that cannot be written out, also where the schema does not look at them.

    Raises:
        LimitError: naming the place of one.
    """
    todo, seen = [(schema, "")], set[int]()
    while todo:
        value, pointer = todo.pop()
        if isinstance(value, int) and abs(value) >= 10**MAX_DIGITS:
            raise LimitError("max_digits", MAX_DIGITS, where=pointer)
        if isinstance(value, dict | list | tuple) and id(value) not in seen:
            seen.add(id(value))
            pairs = value.items() if isinstance(value, dict) else enumerate(value)
            todo += [(inner, f"{pointer}/{escape_pointer(str(key))}") for key, inner in pairs]


def _written(schema: Any) -> str:
    try:
        text = json.dumps(schema, ensure_ascii=False, default=str)
        return text if is_spellable(text) else json.dumps(schema, default=str)
    except RecursionError:
        raise LimitError("max_schema_depth", MAX_SCHEMA_DEPTH) from None
    except ValueError:
        _check_integers(schema)
        raise SchemaError("a part of the schema contains itself; use $ref for that", pointer="") from None
