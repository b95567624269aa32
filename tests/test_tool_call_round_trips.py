"""Tool calls are written and read by one format: calls, texts and prefixes, in every style."""

from __future__ import annotations

import json
import random
from types import SimpleNamespace
from typing import Any

import pytest
from drawn_calls import draw_calls, draw_tools
from marks import slow

import guidance_kit as gk
from guidance_kit.grammars.tool_formats import TOOL_FORMATS

NOTATIONS = [
    "hermes", "qwen3_coder", "deepseek_v3_2", "kimi_k3", "gemma4", "llama4_pythonic", "minimax_m3", "cohere", "harmony"
]  # fmt: skip
"""A style of each notation."""

READ, WRITTEN = (
    [style if style in NOTATIONS[phase::2] else slow(style)[0] for style in TOOL_FORMATS] for phase in (0, 1)
)
"""All styles for each test; of every second notation, in turn, one with the quick ones."""


def continues(before: Any, after: Any) -> bool:
    """Test whether a value is a continuation of an earlier one."""
    if isinstance(before, str) and isinstance(after, str):
        return after.startswith(before)
    if isinstance(before, gk.Tagged) and isinstance(after, gk.Tagged):
        return before.name == after.name and (before.value is None or continues(before.value, after.value))
    if isinstance(before, dict) and isinstance(after, dict):
        return continues(list(before), list(after)[: len(before)]) and continues(
            list(before.values()), list(after.values())[: len(before)]
        )
    if isinstance(before, list) and isinstance(after, list):
        pairs = list(zip(before, after, strict=False))
        return len(before) <= len(after) and all(
            one == other or (place == len(before) - 1 and continues(one, other))
            for place, (one, other) in enumerate(pairs)
        )
    return before == after


def most_calls(style: str) -> int:
    return TOOL_FORMATS[style].most or 3


@pytest.mark.parametrize("seed", [0, *slow(*range(1, 12))])
@pytest.mark.parametrize("style", WRITTEN)
def test_what_is_written_is_read(style, seed):
    """Calls and free text come back as they were, and each prefix has a prefix of them."""
    rng = random.Random(seed)
    tools = draw_tools(rng, 2)
    alone = gk.tool_calls(tools, style, free_text=False)
    free = gk.tool_calls(tools, style)
    for most in range(1, min(2, most_calls(style)) + 1):
        calls = draw_calls(rng, tools, most)
        assert alone.parse(alone.write(calls)) == calls
        pieces = calls
        if TOOL_FORMATS[style].trigger:
            pieces = ["Well: ", *calls]
        elif TOOL_FORMATS[style].thoughts is not None:
            pieces = [gk.Tagged(TOOL_FORMATS[style].thoughts.name, "Hm."), *calls]
        text = free.write(pieces)
        whole = free.parse(text)
        assert whole == pieces
        before: list[Any] = []
        for length in sorted(rng.sample(range(len(text)), min(4, len(text)))):
            after = free.partial(text[:length])
            assert continues(before, after)
            assert continues(after, whole), text[:length]
            before = after


@pytest.mark.parametrize("seed", [0, *slow(*range(1, 12))])
@pytest.mark.parametrize("style", READ)
def test_what_is_read_is_written(style, seed):
    """Texts drawn from the grammar, not by the writer, are calls whose text is one of them again."""
    tools = draw_tools(random.Random(seed), 2)
    constraint = gk.tool_calls(tools, style, minimum=1, free_text=seed % 2 == 1)
    for text in constraint.sample(2, seed=seed):
        pieces = constraint.parse(text)
        assert constraint.parse(constraint.write(pieces)) == pieces


def weather(city: str, days: int = 1):
    """Never called here."""
    raise AssertionError(city, days)


WRITTEN = {
    "llama4_pythonic": r'[weather(city="a\"b\n\x00\\", days=2), weather(city="")]',
    "deepseek_v3_2": (
        '<｜DSML｜function_calls>\n<｜DSML｜invoke name="weather">\n'
        '<｜DSML｜parameter name="city" string="true">a"b\n\0\\</｜DSML｜parameter>\n'
        '<｜DSML｜parameter name="days" string="false">2</｜DSML｜parameter>\n</｜DSML｜invoke>\n'
        '<｜DSML｜invoke name="weather">\n<｜DSML｜parameter name="city" string="true"></｜DSML｜parameter>\n'
        "</｜DSML｜invoke>\n</｜DSML｜function_calls>"
    ),
    "kimi_k3": (
        '<|close|>response<|sep|><|open|>tools<|sep|><|open|>call tool="weather" index="1"<|sep|>'
        '<|open|>argument key="city" type="string"<|sep|>a"b\n\0\\<|close|>argument<|sep|>'
        '<|open|>argument key="days" type="number"<|sep|>2<|close|>argument<|sep|><|close|>call<|sep|>'
        '<|open|>call tool="weather" index="2"<|sep|><|open|>argument key="city" type="string"<|sep|>'
        "<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|><|close|>message<|sep|>"
    ),
    "minimax_m2": (
        '<minimax:tool_call>\n<invoke name="weather">\n<parameter name="city">a"b\n\0\\</parameter>\n'
        '<parameter name="days">2</parameter>\n</invoke>\n<invoke name="weather">\n'
        '<parameter name="city"></parameter>\n</invoke>\n</minimax:tool_call>'
    ),
    "gemma4": (
        '<|tool_call>call:weather{city:<|"|>a"b\n\0\\<|"|>,days:2}<tool_call|>'
        '<|tool_call>call:weather{city:<|"|><|"|>}<tool_call|>'
    ),
    "cohere": (
        '<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "weather", "parameters": '
        '{"city": "a\\"b\\n\\u0000\\\\", "days": 2}},\n'
        '    {"tool_call_id": "1", "tool_name": "weather", "parameters": {"city": ""}}\n]<|END_ACTION|>'
    ),
    "exaone4": (
        '<tool_call>{"name": "weather", "arguments": {"city": "a\\"b\\n\\u0000\\\\", "days": 2}}</tool_call>\n'
        '<tool_call>{"name": "weather", "arguments": {"city": ""}}</tool_call>'
    ),
}
"""What the models' templates write; see the sources of the formats."""


@pytest.mark.parametrize("style", WRITTEN)
def test_texts_of_templates(style):
    calls = [gk.Tagged("weather", {"city": 'a"b\n\0\\', "days": 2}), gk.Tagged("weather", {"city": ""})]
    constraint = gk.tool_calls([weather], style, free_text=False)
    assert constraint.write(calls) == WRITTEN[style]
    calls[1] = gk.Tagged("weather", {"city": "", "days": 1})
    assert constraint.parse(WRITTEN[style]) == calls


def test_answers_without_calls():
    plain = {style: gk.tool_calls([weather], style) for style in ("kimi_k3", "llama4_pythonic", "cohere")}
    assert plain["kimi_k3"].parse("Hi <b><|close|>response<|sep|><|close|>message<|sep|>") == ["Hi <b>"]
    assert plain["kimi_k3"].write(["Hi"]) == "Hi<|close|>response<|sep|><|close|>message<|sep|>"
    assert plain["llama4_pythonic"].parse("It [may] rain") == ["It [may] rain"]
    with pytest.raises(gk.MatchError):
        plain["llama4_pythonic"].parse("[may] rain")
    answer = gk.Tagged("response", "It rains.")
    assert plain["cohere"].parse("<|START_RESPONSE|>It rains.<|END_RESPONSE|>") == [answer]
    assert plain["cohere"].write([answer]) == "<|START_RESPONSE|>It rains.<|END_RESPONSE|>"


def test_types_that_tags_tell_apart():
    """A tag with the type of its value takes unions, as a bare one does not."""
    schema = {"type": "object", "properties": {"x": {"type": ["string", "integer", "null"]}, "y": {}}}
    tool = {"name": "f", "parameters": schema}
    for style in ("kimi_k3", "deepseek_v3_2"):
        constraint = gk.tool_calls([tool], style)
        for value in ({"x": "1"}, {"x": 1}, {"x": None, "y": "null"}, {"y": [True, "null"]}, {"y": {}}):
            assert constraint.parse(constraint.write([gk.Tagged("f", value)])) == [gk.Tagged("f", value)]
        with pytest.raises(gk.MatchError):
            constraint.write([gk.Tagged("f", {"x": 1.5})])
    for style in ("minimax_m2", "minimax_m3"):
        with pytest.raises(gk.UnsupportedFeature):
            gk.tool_calls([tool], style)


def test_values_beyond_the_schema_are_not_written():
    constraint = gk.tool_calls([weather], "gemma4")
    for wrong in ({"days": 1}, {"city": 5}, {"city": "a", "other": 1}, {"city": 'a<|"|>'}):
        with pytest.raises(gk.MatchError):
            constraint.write([gk.Tagged("weather", wrong)])
    for wrong in ([5], [gk.Tagged("now", {})], [gk.Tagged("weather", "Oslo")], 5):
        with pytest.raises(gk.OptionError):
            constraint.write(wrong)
    with pytest.raises(gk.OptionError, match="not written"):
        gk.regex("a").write("a")


NESTED = {
    "recursive": ({"$ref": "#/$defs/Node"}, "a reference to itself"),
    "pattern": ({"type": "string", "pattern": "a"}, "'pattern'"),
    "open object": ({"type": "object"}, "an object without declared names"),
    "any": ({}, "a value without a declared type"),
}


@pytest.mark.parametrize("case", NESTED)
@pytest.mark.parametrize("style", ["gemma4", "llama4_pythonic", "minimax_m3"])
def test_schemas_that_nested_notations_refuse(style, case):
    inner, said = NESTED[case]
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}, "additionalProperties": False}
    schema = {"type": "object", "properties": {"x": inner}, "$defs": {"Node": node}}
    with pytest.raises(gk.UnsupportedFeature, match=said) as caught:
        gk.tool_calls([{"name": "f", "parameters": schema}], style)
    assert "x in the arguments of f" in str(caught.value)


def test_names_that_a_format_cannot_write():
    tool = {"name": "get-user", "parameters": {"type": "object", "properties": {}}}
    with pytest.raises(gk.UnsupportedFeature, match="'get-user'"):
        gk.tool_calls([tool], "llama4_pythonic")
    keyword = {"name": "f", "parameters": {"type": "object", "properties": {"from": {"type": "string"}}}}
    with pytest.raises(gk.UnsupportedFeature, match="'from'"):
        gk.tool_calls([keyword], "llama4_pythonic")
    assert gk.tool_calls([keyword], "gemma4")


SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}

SERVERS = [
    SimpleNamespace(tools=[SimpleNamespace(name="weather", description="Say it.", **{key: SCHEMA})])
    for key in ("inputSchema", "input_schema")  # attributes of the MCP SDK up to 1.x, and from 2.0 on
]


def test_tools_of_an_mcp_server():
    call = gk.Tagged("weather", {"city": "Oslo"})
    listed = [[{"name": "weather", key: SCHEMA}] for key in ("parameters", "inputSchema", "input_schema")]
    as_json = {"tools": listed[1], "nextCursor": None}
    for tools in (*SERVERS, *(server.tools for server in SERVERS), as_json, *listed):
        constraint = gk.tool_calls(tools, "hermes")
        assert constraint.parse(constraint.write([call])) == [call]
        with pytest.raises(gk.MatchError):
            constraint.write([gk.Tagged("weather", {})])
    assert json.dumps(constraint.parse("Hi")) == '["Hi"]'
