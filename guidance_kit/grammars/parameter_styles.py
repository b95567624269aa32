"""`styled_object`: the notations in which XGrammar's structural tags write an object, beside JSON.

Source: XGrammar 0.2.8, `style` of `JSONSchemaFormat` in python/xgrammar/structural_tag.py. White space may stand beside
the members, and around values that are not any string.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.json_schema import BoundedWhitespace
from guidance_kit.grammars.regex import regex
from guidance_kit.grammars.tool_arguments import GAP, TaggedArguments
from guidance_kit.grammars.tool_formats import TOOL_FORMATS, dsml_arguments
from guidance_kit.grammars.tool_values import DelimitedString, NestedArguments

__all__ = ["STYLES", "styled_object"]

STYLES: Mapping[str, TaggedArguments | NestedArguments] = {
    "qwen_xml": TaggedArguments(before=("<parameter=%s>",), after=("</parameter>",)),
    "minimax_xml": TaggedArguments(before=('<parameter name="%s">',), after=("</parameter>",)),
    "glm_xml": TaggedArguments(before=("<arg_key>%s</arg_key>", GAP, "<arg_value>"), after=("</arg_value>",)),
    "deepseek_xml": dsml_arguments("parameter"),
    "deepseek_v4_1_xml": dsml_arguments(" parameter"),
    "kimi_k3_xml": cast(TaggedArguments, TOOL_FORMATS["kimi_k3"].arguments),
    "cohere_xml": NestedArguments(
        argument=(('<cofl:value name="%s" type="%t">', GAP), (GAP, "</cofl:value>")),
        member=(('<cofl:value name="%s" type="%t">', GAP), (GAP, "</cofl:value>")),
        item=(('<cofl:value type="%t">', GAP), (GAP, "</cofl:value>")),
        separator="",
        objects=("", ""),
        arrays=("", ""),
        string=DelimitedString("", stop="</cofl:value>"),
        name='[^"]*',
        kinds={
            "raw": ("string",),
            "json": ("number", "integer", "boolean", "null"),
            "dict": ("object",),
            "list": ("array",),
        },
    ),
    "minimax_m3_xml": cast(NestedArguments, TOOL_FORMATS["minimax_m3"].arguments),
}
"""Notations by their names there."""


def styled_object(schema: Constraint, style: str, most: int | None, where: str) -> Constraint:
    """Objects of a JSON Schema in a notation of XGrammar's structural tags.

    Args:
        schema: the schema.
        style: one of `STYLES`.
        most: characters of white space in one place; None: any number, and within JSON as in `schema`.
        where: the place, for messages.
    Raises:
        UnsupportedFeature: the notation cannot write the values of the schema exactly.
    """
    space = regex(r"[ \t\n\r]*" if most is None else rf"[ \t\n\r]{{0,{most}}}")
    syntax = replace(STYLES[style], space=space)
    if isinstance(syntax, TaggedArguments) and most is not None:
        syntax = replace(syntax, whitespace=BoundedWhitespace(most))
    return replace(syntax.constraint(schema, where), origin=(styled_object, (schema, style, most, where), {}))
