"""JSON Schemas of Python types that take what pydantic's validator takes, and refuse by name what they cannot say."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Hashable, Iterable
from decimal import Decimal
from enum import Enum
from typing import Any, cast
from zoneinfo import available_timezones

from pydantic.errors import PydanticInvalidForJsonSchema
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import PydanticOmit, SchemaValidator, ValidationError, core_schema, to_jsonable_python

from guidance_kit.grammars import python_strings as strings
from guidance_kit.grammars.python_functions import FORMATS, KNOWN, LENGTHS, name_of, refusal_of
from guidance_kit.grammars.python_patterns import PatternRefusal, ecma_pattern
from guidance_kit.grammars.python_refusals import is_refused, is_unreadable, refused, unreadable

__all__ = ["ExactSchema"]

_SCALARS = {"type": ["string", "number", "boolean", "null"]}
_BOUNDS = {"ge": (True, False), "gt": (True, True), "le": (False, False), "lt": (False, True)}
"""Constraint -> is it a lower one, is it strict."""

_SPACES = "\\t-\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000"
_STRIPPED = rf"^(?:[^{_SPACES}](?:[\s\S]*[^{_SPACES}])?)?$"


class ExactSchema(GenerateJsonSchema):
    """pydantic's generator, corrected where its schema does not say what its validator takes.

    Each method makes the schema of one kind of pydantic's core schema. Where none is exact it puts a refusal, which
    `first_refusal` finds.

    Attributes:
        validators: names of the functions of the user that refuse what they like, in the order of the fields.
    """

    ignored_warning_kinds = frozenset({"skipped-choice", "non-serializable-default"})  # pyright: ignore

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.validators: dict[str, None] = {}
        self._referred: dict[str, Any] = {}

    def generate_inner(self, schema: Any) -> JsonSchemaValue:
        """Replace the formats that only pydantic knows by what they mean."""
        result = super().generate_inner(schema)
        if result == {"type": "string"} and schema["type"] in ("function-plain", "function-before"):
            refusal = refusal_of(schema["function"]["function"])  # which the class's own schema has passed over
            return result if refusal is None else refused(refusal[0], hint=refusal[1])
        if schema.get("type") != "str" and result.get("format") in FORMATS and not is_refused(result):
            return {**_without_format(result), **_of_format(result["format"])}
        return result

    def handle_invalid_for_json_schema(self, schema: Any, error_info: str) -> JsonSchemaValue:
        """Refuse what no JSON text stands for; a union leaves it out."""
        return unreadable(_name_of_kind(schema))

    def is_subclass_schema(self, schema: Any) -> JsonSchemaValue:
        """As `handle_invalid_for_json_schema`."""
        return unreadable(f"a class that is a kind of {schema['cls'].__name__}")

    def union_schema(self, schema: Any) -> JsonSchemaValue:
        """Leave out what no JSON text stands for."""
        found: list[JsonSchemaValue] = []
        for choice in core_schema.iter_union_choices(schema):
            try:
                found.append(self.generate_inner(choice))
            except (PydanticOmit, PydanticInvalidForJsonSchema):
                continue
        return self.get_union_of_schemas([one for one in found if not is_unreadable(one)] or found)

    def nullable_schema(self, schema: Any) -> JsonSchemaValue:
        """As `union_schema`."""
        result = super().nullable_schema(schema)
        return {"type": "null"} if any(map(is_unreadable, result.get("anyOf", ()))) else result

    def tagged_union_schema(self, schema: Any) -> JsonSchemaValue:
        """Ask for the key that tells the choices apart, though it may have a default where it stands alone."""
        choices: list[JsonSchemaValue] = []
        for choice in schema["choices"].values():
            found = self.generate_inner(choice)
            if found not in choices:
                choices.append(found)
        discriminator = schema["discriminator"]
        if callable(discriminator):
            self._note(discriminator)
            return self.get_union_of_schemas(choices)
        paths = [[discriminator]] if isinstance(discriminator, str) else discriminator
        names = [
            path if isinstance(path, str) else path[0] for path in paths if isinstance(path, str) or len(path) == 1
        ]
        if not names:
            return refused("a discriminator that is a path", hint="let it be a field of the models themselves")
        return {"anyOf": [{"allOf": [choice], "required": names[:1]} for choice in choices]}

    def definitions_schema(self, schema: Any) -> JsonSchemaValue:
        """Remember what references mean, for keys."""
        self._referred.update((definition["ref"], definition) for definition in schema["definitions"])
        return super().definitions_schema(schema)

    def model_schema(self, schema: Any) -> JsonSchemaValue:
        """Leave out keys that the validator would ignore."""
        return _closed(super().model_schema(schema))

    def dataclass_schema(self, schema: Any) -> JsonSchemaValue:
        """As `model_schema`."""
        return _closed(super().dataclass_schema(schema))

    def typed_dict_schema(self, schema: Any) -> JsonSchemaValue:
        """As `model_schema`."""
        return _closed(self._with_aliases(super().typed_dict_schema(schema), schema["fields"].items()))

    def model_fields_schema(self, schema: Any) -> JsonSchemaValue:
        """Refuse keys that only a path leads to, and conditions on keys beside the fields."""
        result = self._with_aliases(super().model_fields_schema(schema), schema["fields"].items())
        keys = self._keys(schema["extras_keys_schema"]) if "extras_keys_schema" in schema else None
        if keys is not None:
            declared = [{"enum": list(result.get("properties", {}))}] if result.get("properties") else []
            result["propertyNames"] = keys if is_refused(keys) else {"anyOf": [*declared, keys]}
        return result

    def dataclass_args_schema(self, schema: Any) -> JsonSchemaValue:
        """Leave out fields that are no arguments."""
        fields = [field for field in schema["fields"] if field.get("init", True)]
        result = super().dataclass_args_schema(cast(Any, {**schema, "fields": fields}))
        return self._with_aliases(result, ((field["name"], field) for field in fields))

    def _with_aliases(self, result: JsonSchemaValue, fields: Iterable[tuple[str, Any]]) -> JsonSchemaValue:
        """Refuse fields that only a path leads to; let no other name of a field be taken for a key without a field."""
        others: list[str] = []
        for name, field in fields:
            alias = field.get("validation_alias", name)
            paths = [[alias]] if isinstance(alias, str) else alias if isinstance(alias[0], list) else [alias]
            names = [path[0] for path in paths if len(path) == 1]
            if not names:
                result["properties"][name] = refused("an alias that is a path", hint="let a key of its own be an alias")
            others += [*names, *([name] if self._takes_names() else [])]
        if self._config.extra == "allow":
            for name in others:
                result["properties"].setdefault(name, False)
        return result

    def _takes_names(self) -> bool:
        options = self._config.config_dict
        return bool(options.get("populate_by_name") or options.get("validate_by_name"))

    def tuple_schema(self, schema: Any) -> JsonSchemaValue:
        """Refuse items of any number before others."""
        if schema.get("variadic_item_index", len(schema["items_schema"]) - 1) < len(schema["items_schema"]) - 1:
            return refused("a tuple with items of any number before others", hint="let these come last")
        return super().tuple_schema(schema)

    def set_schema(self, schema: Any) -> JsonSchemaValue:
        """Let equal items pass: the validator drops them, which matters only if a least number is asked for."""
        result = super().set_schema(schema)
        if result.get("minItems", 0) < 2:
            result.pop("uniqueItems", None)
        elif not self._has_one_spelling(schema.get("items_schema")):
            return refused("a least number of items that can be equal in different spellings", hint=_SPELLINGS)
        return result

    def frozenset_schema(self, schema: Any) -> JsonSchemaValue:
        """As `set_schema`."""
        return self.set_schema(schema)

    def _has_one_spelling(self, schema: Any) -> bool:
        """Whether different JSON values stand for different items."""
        while schema and schema["type"] in ("nullable", "definition-ref"):
            schema = schema.get("schema") or self._referred.get(schema.get("schema_ref", ""))
        if not schema:
            return False
        if schema["type"] in ("literal", "enum"):
            members = schema.get("expected") or schema["members"]
            return all(isinstance(one.value if isinstance(one, Enum) else one, str) for one in members)
        if schema["type"] == "tuple":
            return all(map(self._has_one_spelling, schema["items_schema"]))
        return schema["type"] in ("int", "bool", "date") or (schema["type"] == "str" and not self._changes(schema))

    def _changes(self, schema: Any) -> bool:
        """Whether a string is stripped or its case is changed."""
        names = ("strip_whitespace", "to_lower", "to_upper")
        return any(schema.get(name, self._config.config_dict.get(f"str_{name}")) for name in names)

    def dict_schema(self, schema: Any) -> JsonSchemaValue:
        """Say which keys the validator takes, for keys of all types."""
        values = self.generate_inner(schema["values_schema"]) if "values_schema" in schema else {}
        result: JsonSchemaValue = {"type": "object", "additionalProperties": values or True}
        keys = self._keys(schema["keys_schema"]) if "keys_schema" in schema else None
        if keys is not None:
            result["propertyNames"] = keys
        self.update_with_validations(result, schema, self.ValidationsMapping.object)
        if (
            result.get("minProperties", 0) > 1
            and keys is not None
            and not self._has_one_spelling(schema["keys_schema"])
        ):
            result["propertyNames"] = refused(
                "a least number of keys that can be equal in different spellings", hint=_SPELLINGS
            )
        return result

    def frozendict_schema(self, schema: Any) -> JsonSchemaValue:
        """As `dict_schema`."""
        return self.dict_schema(schema)

    def ordered_dict_schema(self, schema: Any) -> JsonSchemaValue:
        """As `dict_schema`."""
        return self.dict_schema(schema)

    def counter_schema(self, schema: Any) -> JsonSchemaValue:
        """As `dict_schema`."""
        return self.dict_schema(schema)

    def _keys(self, schema: Any) -> JsonSchemaValue | None:
        """The keys that a validator takes; None for all."""
        kind = schema["type"]
        if kind == "definition-ref" and schema["schema_ref"] in self._referred:
            return self._keys(self._referred[schema["schema_ref"]])
        if kind == "any":
            return None
        if kind == "int":
            return _bounded({"type": "string", "pattern": strings.INTEGER}, schema, "keys that are bounded integers")
        if kind == "bool":
            return {"enum": ["true", "false"]}
        if kind == "float":
            is_bounded = not schema.keys().isdisjoint({*_BOUNDS, "multiple_of", "allow_inf_nan"})
            return refused("keys that are bounded numbers", hint=_KEYS) if is_bounded else _string(strings.FLOAT_KEY)
        if kind in ("enum", "literal"):
            return self._listed_keys(schema)
        if kind == "union":
            ways = [self._keys(choice) for choice in core_schema.iter_union_choices(schema)]
            return None if None in ways else {"anyOf": ways}
        found = self.generate_inner(schema)
        if is_refused(found) or found.get("type") == "string":
            return None if found.keys() <= {"type", "title"} else found
        if "schema" in schema:  # of a function, say
            return self._keys(schema["schema"])
        return refused(f"keys that are of the type {_name_of_kind(schema)}", hint=_KEYS)

    def _listed_keys(self, schema: Any) -> JsonSchemaValue:
        validator = SchemaValidator(core_schema.dict_schema(schema))
        keys = {
            to_jsonable_python(next(iter(to_jsonable_python({member: 0}, fallback=str)))): member
            for member in schema.get("expected") or schema["members"]
        }
        for key, member in keys.items():
            if not _reads(validator, {key: 0}):
                return refused(f"the key {member!r}", hint=f"pydantic does not read {key!r} back as it; {_KEYS}")
        return {"enum": list(keys)}

    def literal_schema(self, schema: Any) -> JsonSchemaValue:
        """Refuse values that pydantic writes and does not read."""
        return _readable(schema, schema["expected"]) or super().literal_schema(schema)

    def enum_schema(self, schema: Any) -> JsonSchemaValue:
        """As `literal_schema`."""
        return _readable(schema, schema["members"]) or super().enum_schema(schema)

    def str_schema(self, schema: Any) -> JsonSchemaValue:
        """Read the pattern as the validator does, and write no space that it would cut off before it counts."""
        pattern = schema.get("pattern")
        result = super().str_schema({name: value for name, value in schema.items() if name != "pattern"})  # pyright: ignore
        options = self._config.config_dict
        conditions = []
        if pattern is not None:
            engine = schema.get("regex_engine") or options.get("regex_engine", "rust-regex")
            if isinstance(pattern, re.Pattern):
                if pattern.flags & ~re.UNICODE:
                    return refused("a pattern with flags", hint=_FLAGS)
                engine, pattern = "python-re", pattern.pattern
            try:
                conditions.append(ecma_pattern(pattern, engine))
            except PatternRefusal as refusal:
                return refused(str(refusal), hint=_FLAGS)
        if schema.get("strip_whitespace", options.get("str_strip_whitespace")):
            conditions.append(_STRIPPED)
        return _with_patterns(result, conditions)

    def bytes_schema(self, schema: Any) -> JsonSchemaValue:
        """Say how bytes are spelt; there is no length where that is in UTF-8."""
        how = self._config.config_dict.get("val_json_bytes", "utf8")
        patterns = {"utf8": None, "hex": strings.HEX_BYTES, "base64": strings.BASE64URL}
        if schema.get("min_length") or schema.get("max_length") is not None:
            return refused("bytes with a length", hint="let it be a str, whose characters are counted")
        return {"type": "string"} if patterns[how] is None else _string(patterns[how])

    def float_schema(self, schema: Any) -> JsonSchemaValue:
        """Say that strict bounds hold for the double to which a number is rounded."""
        result = super().float_schema(schema)
        for name, other, towards in (("exclusiveMinimum", "minimum", 1), ("exclusiveMaximum", "maximum", -1)):
            bound = result.get(name)
            if isinstance(bound, int | float):
                del result[name]
                nearest = _next_double(float(bound), towards)
                kept = result.get(other)
                result[other] = nearest if kept is None else max(kept * towards, nearest * towards) * towards
        return result

    def decimal_schema(self, schema: Any) -> JsonSchemaValue:
        """Write decimals as pydantic does, as strings: numbers are rounded to doubles before they are decimals."""
        allows_all = schema.get("allow_inf_nan", self._config.config_dict.get("allow_inf_nan"))
        if schema.get("multiple_of") is not None:
            return refused("multiple_of of a Decimal", hint="decimal_places says how fine it is")
        digits, places = schema.get("max_digits"), schema.get("decimal_places")
        if digits is not None or places is not None:
            result = _string(strings.decimal_digits_pattern(digits, places))
        elif schema.keys() & _BOUNDS.keys():
            result = _string(strings.PLAIN_DECIMAL)
        else:
            special = "NaN|-?Infinity"
            result = _string(f"{strings.DECIMAL}|^(?:{special})$" if allows_all else strings.DECIMAL)
        return _bounded(result, schema, "a Decimal with a long bound")

    def fraction_schema(self, schema: Any) -> JsonSchemaValue:
        """Write fractions as `str` does."""
        if schema.keys() & _BOUNDS.keys():
            return refused("a Fraction with bounds", hint="a Decimal may have bounds")
        return _string(strings.FRACTION)

    def complex_schema(self, schema: Any) -> JsonSchemaValue:
        """Write complex numbers as pydantic does."""
        return _string(strings.COMPLEX)

    def date_schema(self, schema: Any) -> JsonSchemaValue:
        """Say the bounds, which are patterns of digits."""
        if schema.get("now_op"):
            return _refused_by_clock(schema)
        bounds = [
            strings.date_bound(schema[name], is_lower=is_lower, is_strict=is_strict)
            for name, (is_lower, is_strict) in _BOUNDS.items()
            if schema.get(name) is not None
        ]
        return _with_patterns({"type": "string", "format": "date"}, bounds)

    def datetime_schema(self, schema: Any) -> JsonSchemaValue:
        """Take what pydantic writes: times without an offset too, which the format date-time has none of."""
        return _moment(schema, strings.datetime_pattern)

    def time_schema(self, schema: Any) -> JsonSchemaValue:
        """As `datetime_schema`."""
        return _moment(schema, strings.time_pattern)

    def timedelta_schema(self, schema: Any) -> JsonSchemaValue:
        """As `datetime_schema`: signs and fractions of seconds are none of the format duration."""
        if schema.keys() & _BOUNDS.keys():
            return refused("a timedelta with bounds", hint="write a number of seconds, with bounds, instead")
        return _string(strings.DURATION)

    def json_schema(self, schema: Any) -> JsonSchemaValue:
        """Refuse JSON within strings."""
        return refused("Json, which is a JSON text within a string", hint="write the type that the text stands for")

    def url_schema(self, schema: Any) -> JsonSchemaValue:
        """Write the schemes and hosts that the parser takes as a pattern."""
        return self._url(schema, has_several_hosts=False)

    def multi_host_url_schema(self, schema: Any) -> JsonSchemaValue:
        """As `url_schema`."""
        return self._url(schema, has_several_hosts=True)

    def _url(self, schema: Any, *, has_several_hosts: bool) -> JsonSchemaValue:
        pattern = strings.url_pattern(
            schema.get("allowed_schemes"),
            needs_host=bool(
                schema.get("host_required") or (schema.get("default_port") and not schema.get("default_host"))
            ),
            has_several_hosts=has_several_hosts,
        )
        result = _string(pattern)
        self.update_with_validations(result, schema, self.ValidationsMapping.string)
        return result

    def chain_schema(self, schema: Any) -> JsonSchemaValue:
        """Say the first step, if the others are functions."""
        for step in schema["steps"][1:]:
            if step["type"] == "is-instance" and step["cls"] is Hashable:
                return dict(_SCALARS)
            if not step["type"].startswith("function"):
                return refused("a type that is validated in steps", hint="write the first step, and validators")
            self._note(step["function"]["function"])
        return super().chain_schema(schema)

    def function_before_schema(self, schema: Any) -> JsonSchemaValue:
        """Note functions of the user; refuse those of pydantic that say more than a schema can."""
        return self._of_function(schema) or super().function_before_schema(schema)

    def function_after_schema(self, schema: Any) -> JsonSchemaValue:
        """As `function_before_schema`."""
        return self._of_function(schema) or super().function_after_schema(schema)

    def function_wrap_schema(self, schema: Any) -> JsonSchemaValue:
        """As `function_before_schema`."""
        return self._of_function(schema) or super().function_wrap_schema(schema)

    def function_plain_schema(self, schema: Any) -> JsonSchemaValue:
        """As `function_before_schema`."""
        return self._of_function(schema) or super().function_plain_schema(schema)

    def _of_function(self, schema: Any) -> JsonSchemaValue | None:
        """What the function of a schema says by itself; None where its inner schema says it."""
        function = schema["function"]["function"]
        name = name_of(function)
        if name in KNOWN:
            return dict(KNOWN[name]) if KNOWN[name] else None
        if name in LENGTHS and _is_secret_text(schema["schema"]):
            return None
        refusal = refusal_of(function)
        if refusal is not None:
            return refused(refusal[0], hint=refusal[1])
        self._note(function)
        return None

    def _note(self, function: Any) -> None:
        self.validators[name_of(function)] = None


_SPELLINGS = "leave the least number to a validator, or let the items be str, int or date"
_KEYS = "a JSON object has strings for keys: write str, or a list of pairs"
_FLAGS = r"write it without: [Aa] instead of (?i)a, and the like"


def _string(pattern: str) -> JsonSchemaValue:
    return {"type": "string", "pattern": pattern}


def _with_patterns(schema: JsonSchemaValue, patterns: list[str]) -> JsonSchemaValue:
    """A schema of strings with more patterns."""
    patterns = [*([schema["pattern"]] if "pattern" in schema else []), *patterns]
    if len(patterns) < 2:
        return {**schema, "pattern": patterns[0]} if patterns else schema
    return {**schema, "pattern": patterns[0], "allOf": [{"pattern": pattern} for pattern in patterns[1:]]}


def _bounded(strings_of: JsonSchemaValue, schema: Any, part: str) -> JsonSchemaValue:
    """Strings of decimals within the bounds of a core schema."""
    if schema.get("multiple_of") is not None:
        return refused(part, hint=_KEYS)
    patterns = []
    for name, (is_lower, is_strict) in _BOUNDS.items():
        bound = schema.get(name)
        if bound is None or not Decimal(bound).is_finite():
            continue
        try:
            patterns.append(strings.decimal_bound(Decimal(bound), is_lower=is_lower, is_strict=is_strict))
        except ValueError:
            return refused(part, hint=f"its digits are at most {strings.MAX_BOUND_DIGITS}")
    return _with_patterns(strings_of, patterns)


def _moment(schema: Any, pattern: Any) -> JsonSchemaValue:
    """A datetime or a time of day."""
    if schema.get("now_op"):
        return _refused_by_clock(schema)
    kind, zone = schema["type"], schema.get("tz_constraint")
    if schema.keys() & _BOUNDS.keys():
        return refused(f"a {kind} with bounds", hint="a date may have bounds; leave those of times to a validator")
    if isinstance(zone, int):
        return refused(f"a {kind} with one offset", hint="take any offset, and convert it")
    return _string(pattern(zone))


def _refused_by_clock(schema: Any) -> JsonSchemaValue:
    kind, side = schema["type"], schema["now_op"]
    return refused(
        f"a {kind} in the {side}", hint=f"it depends on the clock: take any {kind}, and check it in a validator"
    )


def _readable(schema: Any, members: Iterable[Any]) -> JsonSchemaValue | None:
    """A refusal, if there is a member that its validator does not read from the JSON that stands for it."""
    validator = SchemaValidator({name: value for name, value in schema.items() if name != "ref"})  # pyright: ignore
    for member in members:
        try:
            value = to_jsonable_python(member.value if isinstance(member, Enum) else member)
        except ValueError:
            return refused(f"the member {member!r}", hint="no JSON value stands for it")
        if not _reads(validator, value):
            return refused(
                f"the member {member!r}", hint="pydantic does not read it from JSON: write a str, or a StrEnum"
            )
    return None


def _reads(validator: SchemaValidator, value: Any) -> bool:
    try:
        validator.validate_json(json.dumps(value))
    except ValidationError:
        return False
    return True


def _is_secret_text(schema: Any) -> bool:
    """Whether a core schema is that of a `SecretStr`, of which pydantic counts the characters."""
    inner = schema.get("lax_schema", {}).get("json_schema", {})
    return inner.get("type") == "function-after" and inner["schema"]["type"] == "str"


def _next_double(value: float, towards: int) -> float:
    return math.nextafter(value, towards * math.inf)


def _closed(schema: JsonSchemaValue) -> JsonSchemaValue:
    if "properties" in schema:
        schema.setdefault("additionalProperties", False)
    return schema


def _without_format(schema: JsonSchemaValue) -> JsonSchemaValue:
    return {name: value for name, value in schema.items() if name not in ("format", "anyOf")}


def _of_format(name: str) -> JsonSchemaValue:
    """What a format of pydantic means."""
    if name == "zoneinfo":
        zones = sorted(available_timezones())
        return {"enum": zones} if zones else refused("a ZoneInfo", hint="this machine knows no time zones")
    found = FORMATS[name]
    return _string(found) if isinstance(found, str) else refused(found[0], hint=found[1])


def _name_of_kind(schema: Any) -> str:
    found = schema.get("cls")
    return getattr(found, "__name__", None) or schema["type"]
