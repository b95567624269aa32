"""Targets of lowering: the keywords that each enforces, by its own documentation."""

from __future__ import annotations

from dataclasses import dataclass, replace

__all__ = ["TARGETS", "Target"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Subset of JSON Schema that an engine or service enforces.

    Args:
        title: its name in words.
        source: address of the documentation or source code.
        read: day on which that was read, ISO 8601; of the services, excerpts and summaries.
        keywords: keywords that it enforces. `allOf` is merged for targets whose objects are closed, whatever they say.
        formats: values of `format` that it enforces.
        is_closed: whether objects with properties have these alone, so that `additionalProperties` is `false`.
        has_maps: whether objects without declared properties may have any, `additionalProperties` for their values.
        is_complete: whether all declared properties are required.
        is_typed: whether each schema names a type, or values.
        has_object_root: whether the root is an object, and no union.
        has_recursion: whether references may lead back.
        has_scalar_values: whether `enum` and `const` have scalars only.
        has_siblings: whether keywords beside `anyOf` and `$ref` hold.
        is_grammar: whether it reads a grammar in GBNF, not a schema.
        most_least_items: greatest `minItems` that it enforces; None for any.
        most_depth, most_properties, most_values: objects within each other, declared properties, members of
            enumerations in a whole schema; None for any number.
    """

    title: str
    source: str
    read: str
    keywords: frozenset[str]
    formats: frozenset[str] = frozenset()
    is_closed: bool = False
    has_maps: bool = True
    is_complete: bool = False
    is_typed: bool = False
    has_object_root: bool = False
    has_recursion: bool = True
    has_scalar_values: bool = False
    has_siblings: bool = True
    is_grammar: bool = False
    most_least_items: int | None = None
    most_depth: int | None = None
    most_properties: int | None = None
    most_values: int | None = None


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CORE = _words("type enum properties required additionalProperties items anyOf $ref $defs definitions")
_BOUNDS = _words("minimum maximum exclusiveMinimum exclusiveMaximum")
_NAMED = _words("date-time time date duration email hostname ipv4 ipv6 uuid")

_ANTHROPIC = Target(
    title="Claude API, structured outputs",
    source="https://platform.claude.com/docs/en/build-with-claude/structured-outputs; "
    "https://repo.hex.pm/docs/lang_schema-0.7.1.tar.gz, LangSchema.Converter.Anthropic",
    read="2026-11-26",
    keywords=_CORE | _words("const pattern format minItems"),
    formats=_NAMED | {"uri"},
    is_closed=True,
    has_maps=False,
    is_typed=True,
    has_recursion=False,
    has_scalar_values=True,
    most_least_items=1,
)

TARGETS: dict[str, Target] = {
    "openai": Target(
        title="OpenAI, structured outputs",
        source="https://platform.openai.com/docs/guides/structured-outputs; "
        "https://jsonschemaprofiles.unitvectorylabs.com/schemas/openai",
        read="2026-11-26",
        keywords=_CORE | _BOUNDS | _words("const pattern format multipleOf minItems maxItems"),
        formats=_NAMED,
        is_closed=True,
        has_maps=False,
        is_complete=True,
        is_typed=True,
        has_object_root=True,
        most_depth=10,
        most_properties=5_000,
        most_values=1_000,
    ),
    "gemini": Target(
        title="Gemini API, structured output",
        source="https://ai.google.dev/gemini-api/docs/structured-output; "
        "https://jsonschemaprofiles.unitvectorylabs.com/schemas/gemini",
        read="2026-11-26",
        keywords=_CORE | _words("minimum maximum format prefixItems minItems maxItems"),
        formats=_words("date-time"),
        is_typed=True,
        has_scalar_values=True,
    ),
    "anthropic": _ANTHROPIC,
    "bedrock": replace(
        _ANTHROPIC,
        title="Amazon Bedrock, structured outputs",
        source="https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html",
    ),
    "llguidance": Target(
        title="llguidance",
        source="https://github.com/guidance-ai/llguidance/blob/main/docs/json_schema.md",
        read="2026-11-25",
        keywords=_CORE
        | _BOUNDS
        | _words("const allOf pattern format minLength maxLength multipleOf prefixItems minItems maxItems"),
        formats=_NAMED | {"uri"},
    ),
    "xgrammar": Target(
        title="XGrammar",
        source="https://github.com/mlc-ai/xgrammar, docs, Supported JSON Schema",
        read="2026-11-25",
        keywords=_CORE | _BOUNDS | _words("const pattern format minLength maxLength prefixItems minItems maxItems"),
        formats=_NAMED | _words("uri uri-reference uri-template json-pointer relative-json-pointer"),
        has_siblings=False,
    ),
    "outlines": Target(
        title="outlines-core",
        source="https://github.com/dottxt-ai/outlines-core/blob/main/src/json_schema/parsing.rs",
        read="2026-11-25",
        keywords=_CORE | _words("const format minLength maxLength prefixItems minItems maxItems"),
        formats=_words("date-time date time uuid"),
        is_closed=True,
        is_typed=True,
        has_recursion=False,
        has_scalar_values=True,
        has_siblings=False,
    ),
    "gbnf": Target(
        title="llama.cpp, GBNF",
        source="https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md; src/llama-grammar.cpp",
        read="2026-11-25",
        keywords=_CORE
        | _BOUNDS
        | _words("const pattern format minLength maxLength multipleOf prefixItems minItems maxItems"),
        formats=_NAMED | {"uri"},
        has_scalar_values=True,
        has_siblings=False,
        is_grammar=True,
    ),
}
"""Target by name. Where its documentation does not say that a keyword is enforced, it counts as not enforced."""
