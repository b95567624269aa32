"""Validation functions of pydantic's own types: those with an exact schema, and those without."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from guidance_kit.grammars import python_strings as strings

__all__ = ["FORMATS", "KNOWN", "LENGTHS", "PATH_FORMATS", "is_of_pydantic", "name_of", "refusal_of"]

FORMATS: Mapping[str, str | tuple[str, str]] = {
    "ipv4network": strings.IPV4_NETWORK,
    "ipv4interface": strings.IPV4_INTERFACE,
    "ipv6interface": strings.IPV6_INTERFACE,
    "ipvanyaddress": strings.IP_ADDRESS,
    "ipvanyinterface": strings.IP_INTERFACE,
    "fraction": strings.FRACTION,
    "base64url": strings.BASE64URL,
    "zoneinfo": "",
    "ipv6network": ("an IPv6Network", "an IPv6Interface has no condition on its last bits"),
    "ipvanynetwork": ("an IPvAnyNetwork", "an IPv4Network or an IPvAnyInterface can be enforced"),
    "regex": ("a Pattern of Python", "take a str, and compile it in a validator"),
    "color": ("a Color", 'take a str with the pattern "^#[0-9a-f]{6}$"'),
}
"""Formats that only pydantic knows -> pattern; or the name of the type and an alternative."""

PATH_FORMATS = ("path", "file-path", "directory-path")

_PLACES = "take a Path, and look in a validator whether it is there"
_REFUSALS: Mapping[str, tuple[str, str]] = {
    "PathType.validate_file": ("a FilePath", _PLACES),
    "PathType.validate_directory": ("a DirectoryPath", _PLACES),
    "PathType.validate_new": ("a NewPath", _PLACES),
    "PathType.validate_socket": ("a SocketPath", _PLACES),
    "import_string": ("an ImportString", "take a str, and import it in a validator"),
    "EncodedStr.decode_str": ("an encoded str", "Base64Bytes can be enforced"),
    "PaymentCardNumber.validate": (
        "a PaymentCardNumber",
        "take a str with a pattern, and check its digits in a validator",
    ),
    "NameEmail._validate": ("a NameEmail", "take an EmailStr, and a str for the name"),
}

KNOWN: Mapping[str, Mapping[str, Any]] = {
    "pydantic.types.SecretStr": {},
    "pydantic.types.SecretBytes": {},
    "pydantic.types.Secret.__get_pydantic_core_schema__.<locals>.<lambda>": {},
    "pydantic.types.EncodedBytes.decode": {},
    "pydantic.types.ByteSize._validate": {"type": "integer", "minimum": 0},
    "pydantic.networks.EmailStr._validate": {"type": "string", "pattern": strings.EMAIL},
    "pydantic.networks._BaseUrl.__get_pydantic_core_schema__.<locals>.wrap_val": {},
    "pydantic.networks._BaseMultiHostUrl.__get_pydantic_core_schema__.<locals>.wrap_val": {},
    "pydantic._internal._generate_schema.GenerateSchema._path_schema.<locals>.path_validator": {},
    "pydantic._internal._validators.defaultdict_validator": {},
    "pydantic._internal._validators.sequence_validator": {},
    "operator.attrgetter": {},
}
"""Function -> schema of the values that it accepts; {} if the inner schema and the format are exact."""

LENGTHS = ("pydantic._internal._validators.min_length_validator", "pydantic._internal._validators.max_length_validator")
"""Functions that check lengths."""

_OF_PYDANTIC = (
    "pydantic.types",
    "pydantic.networks",
    "pydantic.color",
    "pydantic._internal._validators",
    "pydantic._internal._generate_schema",
)


def name_of(function: Any) -> str:
    """The module and qualified name of a function."""
    while isinstance(function, functools.partial):
        function = function.func
    if not hasattr(function, "__qualname__"):
        function = type(function)
    return f"{function.__module__}.{function.__qualname__}"


def is_of_pydantic(schema: Mapping[str, Any]) -> bool:
    """Test whether a core schema is a function of pydantic itself."""
    schema = schema.get("lax_schema", schema)
    return schema["type"].startswith("function") and name_of(schema["function"]["function"]).startswith(_OF_PYDANTIC)


def refusal_of(function: Any) -> tuple[str, str] | None:
    """Name of the condition that a function of pydantic checks, and an alternative; None for functions of the user."""
    name = name_of(function)
    if name in KNOWN:
        return None
    found = next((refusal for end, refusal in _REFUSALS.items() if name.endswith(f".{end}")), None)
    if found is not None or not name.startswith(_OF_PYDANTIC):
        return found
    return f"a condition of pydantic ({name.rpartition('.')[2]})", "leave it to a validator"
