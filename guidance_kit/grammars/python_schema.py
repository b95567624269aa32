"""JSON Schemas of Python types that describe exactly what pydantic's validator accepts; other types are refused."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from enum import Enum
from typing import Any, cast
from zoneinfo import available_timezones

from pydantic.errors import PydanticInvalidForJsonSchema
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import PydanticOmit, SchemaValidator, core_schema, to_jsonable_python

from guidance_kit.grammars import python_scalars as scalars
from guidance_kit.grammars import python_strings as strings
from guidance_kit.grammars.python_functions import (
    FORMATS,
    KNOWN,
    LENGTHS,
    PATH_FORMATS,
    is_of_pydantic,
    name_of,
    refusal_of,
)
from guidance_kit.grammars.python_refusals import is_refused, is_unreadable, refused, unreadable

__all__ = ["ExactSchema"]

_SCALARS = {"type": ["string", "number", "boolean", "null"]}


_PASSED_OVER = ({"type": "string"}, *({"type": "string", "format": name} for name in PATH_FORMATS))
"""Schemas given by classes of pydantic in place of their functions."""


class ExactSchema(GenerateJsonSchema):
    """pydantic's generator of JSON Schemas, corrected where its schema differs from its validator.

    Each method returns the schema of one kind of pydantic's core schema. Where there is no exact one it returns a
    refusal, which `first_refusal` finds.

    Attributes:
        validators: names of the user's validation functions, in the order of the fields.
    """

    ignored_warning_kinds = frozenset({"skipped-choice", "non-serializable-default"})  # pyright: ignore

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.validators: dict[str, None] = {}
        self._referred: dict[str, Any] = {}

    def generate_inner(self, schema: Any) -> JsonSchemaValue:
        """Replace formats that only pydantic knows by their patterns."""
        result = super().generate_inner(schema)
        unknown = scalars.unknown_constraint(schema)
        if unknown is not None:
            return refused(f"{unknown} of a {schema['type']}", hint="leave it to a validator")
        if result in _PASSED_OVER and schema["type"].startswith("function"):
            refusal = refusal_of(schema["function"]["function"])  # which the class's own schema has passed over
            return result if refusal is None else refused(refusal[0], hint=refusal[1])
        if result.get("format") in FORMATS and is_of_pydantic(schema) and not is_refused(result):
            return {**_without_format(result), **_of_format(result["format"])}
        return result

    def handle_invalid_for_json_schema(self, schema: Any, error_info: str) -> JsonSchemaValue:
        """Refuse a type without JSON texts; a union drops it."""
        return unreadable(_name_of_kind(schema))

    def is_subclass_schema(self, schema: Any) -> JsonSchemaValue:
        """As `handle_invalid_for_json_schema`."""
        return unreadable(f"a class that is a kind of {schema['cls'].__name__}")

    def union_schema(self, schema: Any) -> JsonSchemaValue:
        """Drop members without JSON texts."""
        found: list[JsonSchemaValue] = []
        for choice in _choices(schema):
            try:
                found.append(self.generate_inner(choice))
            except (PydanticOmit, PydanticInvalidForJsonSchema):
                continue
        return self.get_flattened_anyof([one for one in found if not is_unreadable(one)] or found)

    def nullable_schema(self, schema: Any) -> JsonSchemaValue:
        """As `union_schema`."""
        result = super().nullable_schema(schema)
        return {"type": "null"} if any(map(is_unreadable, result.get("anyOf", ()))) else result

    def tagged_union_schema(self, schema: Any) -> JsonSchemaValue:
        """Require the discriminator, though it may have a default outside the union."""
        choices: list[JsonSchemaValue] = []
        for choice in schema["choices"].values():
            found = self.generate_inner(choice)
            if found not in choices:
                choices.append(found)
        discriminator = schema["discriminator"]
        if callable(discriminator):
            self._note(discriminator)
            return self.get_flattened_anyof(choices)
        paths = [[discriminator]] if isinstance(discriminator, str) else discriminator
        paths = [[path] if isinstance(path, str) else path for path in paths]
        names = [path[0] for path in paths if len(path) == 1]
        if not names:
            return refused("a discriminator that is a path", hint="let it be a field of the models themselves")
        return {"anyOf": [{"allOf": [choice], "required": [self._written(names, choice)]} for choice in choices]}

    def _written(self, names: list[str], model: JsonSchemaValue) -> str:
        """The one of the names of a field that a model writes."""
        try:
            properties = self.resolve_ref_schema(model).get("properties", {})
        except (KeyError, RuntimeError):  # a model within itself, which is not finished
            properties = {}
        return next((name for name in names if name in properties), names[-1])

    def definitions_schema(self, schema: Any) -> JsonSchemaValue:
        """Store the targets of references, for keys."""
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
        """Refuse fields with an alias path alone; exclude other names of a field from additional keys."""
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
        """Refuse a variable number of items before others."""
        if schema.get("variadic_item_index", len(schema["items_schema"]) - 1) < len(schema["items_schema"]) - 1:
            return refused("a tuple with items of any number before others", hint="let these come last")
        return super().tuple_schema(schema)

    def set_schema(self, schema: Any) -> JsonSchemaValue:
        """Accept equal items: the validator drops them, which matters only for a least number of items."""
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
        """Test whether different JSON values stand for different items."""
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
        """Test whether a string is stripped or its case is changed."""
        names = ("strip_whitespace", "to_lower", "to_upper")
        return any(schema.get(name, self._config.config_dict.get(f"str_{name}")) for name in names)

    def dict_schema(self, schema: Any) -> JsonSchemaValue:
        """Describe the keys that the validator accepts, for keys of all types."""
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
            return scalars.within_bounds(
                {"type": "string", "pattern": strings.INTEGER}, schema, "keys that are bounded integers"
            )
        if kind == "bool":
            return {"enum": ["true", "false"]}
        if kind == "float":
            is_bounded = scalars.is_bounded(schema) or schema.get("allow_inf_nan") is not None
            return (
                refused("keys that are bounded numbers", hint=_KEYS)
                if is_bounded
                else scalars.string(strings.FLOAT_KEY)
            )
        if kind in ("enum", "literal"):
            return self._listed_keys(schema)
        if kind == "union":
            ways = [self._keys(choice) for choice in _choices(schema)]
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
            if not scalars.reads(validator, {key: 0}):
                return refused(f"the key {member!r}", hint=f"pydantic does not read {key!r} back as it; {_KEYS}")
        return {"enum": list(keys)}

    def literal_schema(self, schema: Any) -> JsonSchemaValue:
        """Refuse values that pydantic writes and does not read."""
        return scalars.unreadable_member(schema, schema["expected"]) or super().literal_schema(schema)

    def enum_schema(self, schema: Any) -> JsonSchemaValue:
        """As `literal_schema`."""
        return scalars.unreadable_member(schema, schema["members"]) or super().enum_schema(schema)

    def str_schema(self, schema: Any) -> JsonSchemaValue:
        """Translate the pattern, and exclude spaces that the validator strips before it counts."""
        result = super().str_schema({name: value for name, value in schema.items() if name != "pattern"})  # pyright: ignore
        return scalars.text(result, schema, self._config.config_dict)

    def bytes_schema(self, schema: Any) -> JsonSchemaValue:
        """Describe the spelling of bytes; lengths in UTF-8 have no schema."""
        how = self._config.config_dict.get("val_json_bytes", "utf8")
        patterns = {"utf8": None, "hex": strings.HEX_BYTES, "base64": strings.BASE64URL}
        if schema.get("min_length") or schema.get("max_length") is not None:
            return refused("bytes with a length", hint="let it be a str, whose characters are counted")
        return {"type": "string"} if patterns[how] is None else scalars.string(patterns[how])

    def float_schema(self, schema: Any) -> JsonSchemaValue:
        """Describe strict bounds for the double to which a number is rounded."""
        return scalars.doubles(super().float_schema(schema))

    def decimal_schema(self, schema: Any) -> JsonSchemaValue:
        """Write decimals as pydantic does, as strings: numbers are rounded to doubles before they are decimals."""
        return scalars.decimal(schema, self._config.config_dict)

    def fraction_schema(self, schema: Any) -> JsonSchemaValue:
        """Write fractions as `str` does."""
        if scalars.is_bounded(schema):
            return refused("a Fraction with bounds", hint="a Decimal may have bounds")
        return scalars.string(strings.FRACTION)

    def complex_schema(self, schema: Any) -> JsonSchemaValue:
        """Write complex numbers as pydantic does."""
        return scalars.string(strings.COMPLEX)

    def date_schema(self, schema: Any) -> JsonSchemaValue:
        """Describe bounds as patterns of digits."""
        return scalars.date(schema)

    def datetime_schema(self, schema: Any) -> JsonSchemaValue:
        """Accept times without an offset, which the format date-time excludes."""
        return scalars.moment(schema, strings.datetime_pattern)

    def time_schema(self, schema: Any) -> JsonSchemaValue:
        """As `datetime_schema`."""
        return scalars.moment(schema, strings.time_pattern)

    def timedelta_schema(self, schema: Any) -> JsonSchemaValue:
        """As `datetime_schema`: signs and fractions of seconds are none of the format duration."""
        if scalars.is_bounded(schema):
            return refused("a timedelta with bounds", hint="write a number of seconds, with bounds, instead")
        return scalars.string(strings.DURATION)

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
        result = scalars.string(pattern)
        self.update_with_validations(result, schema, self.ValidationsMapping.string)
        return result

    def chain_schema(self, schema: Any) -> JsonSchemaValue:
        """Schema of the first step, if the others are functions."""
        for step in schema["steps"][1:]:
            if step["type"] == "is-instance" and step["cls"] is Hashable:
                return dict(_SCALARS)
            if not step["type"].startswith("function"):
                return refused("a type that is validated in steps", hint="write the first step, and validators")
            self._note(step["function"]["function"])
        return super().chain_schema(schema)

    def function_before_schema(self, schema: Any) -> JsonSchemaValue:
        """Note functions of the user; refuse those of pydantic with conditions that no schema has."""
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
        """Schema of the function of a core schema; None where its inner schema has it."""
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


def _choices(schema: Any) -> list[Any]:
    """Choices of a union, without their labels."""
    return [choice[0] if isinstance(choice, tuple) else choice for choice in schema["choices"]]


def _closed(schema: JsonSchemaValue) -> JsonSchemaValue:
    if "properties" in schema:
        schema.setdefault("additionalProperties", False)
    return schema


def _without_format(schema: JsonSchemaValue) -> JsonSchemaValue:
    return {name: value for name, value in schema.items() if name not in ("format", "anyOf")}


def _of_format(name: str) -> JsonSchemaValue:
    """Meaning of a format of pydantic."""
    if name == "zoneinfo":
        zones = sorted(available_timezones())
        return {"enum": zones} if zones else refused("a ZoneInfo", hint="this machine knows no time zones")
    found = FORMATS[name]
    return scalars.string(found) if isinstance(found, str) else refused(found[0], hint=found[1])


def _name_of_kind(schema: Any) -> str:
    found = schema.get("cls")
    return getattr(found, "__name__", None) or schema["type"]


def _is_secret_text(schema: Any) -> bool:
    """Test whether a core schema is that of a `SecretStr`, whose characters pydantic counts."""
    inner = schema.get("lax_schema", {}).get("json_schema", {})
    return inner.get("type") == "function-after" and inner["schema"]["type"] == "str"
