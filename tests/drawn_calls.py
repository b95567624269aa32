"""Random tools and calls of them, with strings that look like markup. Tests only."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import guidance_kit as gk

PIECES = (
    *"aZ 0_-.,:;=&%#'\"\\/<>{}[]()|`~^$\t\n\ré",
    "Oslo", "北京", "😀", "null", "true", "</", "/>", "<|", "|>", "{}", "[]", "&quot;", "<a>",
    '\\"', "\\n", ", ",
)  # fmt: skip

UNWRITABLE = {"gemma4": ('<|"|>',)}
"""Strings that a value of a style cannot contain, as they end it."""

NAMES = ("city", "days", "Note", "limit_2", "x", "tags", "where", "exact", "B")


def draw_string(rng: random.Random) -> str:
    """String of up to 12 pieces of text."""
    return "".join(rng.choice(PIECES) for _ in range(rng.choice((0, 1, 2, 3, 5, 12))))


def draw_schema(rng: random.Random, depth: int = 2) -> dict[str, Any]:
    """Schema of a value: a scalar, a list of strings, or arrays and objects of such."""
    kinds = ["string", "string", "integer", "number", "boolean", "enum"] + ["array", "object"] * (depth > 0)
    kind = rng.choice(kinds)
    if kind == "enum":
        return {"type": "string", "enum": ["fast", "deep", "a b"]}
    if kind == "array":
        return {"type": "array", "items": draw_schema(rng, depth - 1)}
    return draw_object(rng, depth - 1) if kind == "object" else {"type": kind}


def draw_object(rng: random.Random, depth: int = 2, least: int = 1) -> dict[str, Any]:
    """Schema of an object with up to four declared members."""
    names = rng.sample(NAMES, rng.randint(least, 4))
    return {
        "type": "object",
        "properties": {name: draw_schema(rng, depth) for name in names},
        "required": [name for name in names if rng.random() < 0.7],
        "additionalProperties": False,
    }


def draw_tools(rng: random.Random, count: int = 3) -> list[dict[str, Any]]:
    """Descriptions of tools in the format of chat APIs."""
    names = rng.sample(["weather", "search_all", "now", "getUser", "f2"], count)
    return [{"type": "function", "function": {"name": name, "parameters": draw_object(rng, least=0)}} for name in names]


def draw_value(rng: random.Random, schema: dict[str, Any], forbidden: Sequence[str] = ()) -> Any:
    """Instance of a schema that `draw_schema` made, without strings that contain a forbidden one."""
    if "enum" in schema:
        return rng.choice(schema["enum"])
    match schema["type"]:
        case "string":
            drawn = draw_string(rng)
            while any(one in drawn for one in forbidden):
                drawn = draw_string(rng)
            return drawn
        case "integer":
            return rng.choice((0, 1, -7, 12345678901234567890))
        case "number":
            return rng.choice((0, 2.5, -1e-7, 1e22, 3))
        case "boolean":
            return rng.random() < 0.5
        case "array":
            return [draw_value(rng, schema["items"], forbidden) for _ in range(rng.randint(0, 3))]
        case _:
            return {
                name: draw_value(rng, one, forbidden)
                for name, one in schema["properties"].items()
                if name in schema["required"] or rng.random() < 0.5
            }


def draw_calls(
    rng: random.Random, tools: list[dict[str, Any]], most: int, forbidden: Sequence[str] = ()
) -> list[gk.Tagged]:
    """Calls of some of the tools, at least one."""
    chosen = [rng.choice(tools)["function"] for _ in range(rng.randint(1, most))]
    return [gk.Tagged(one["name"], draw_value(rng, one["parameters"], forbidden)) for one in chosen]
