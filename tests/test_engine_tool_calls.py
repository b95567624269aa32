"""Drawn tool calls of every style are read by its public parser as they were written.

Needs vLLM 0.32 and cohere-melody; `make test-engines`.
"""

from __future__ import annotations

import os
import random

import pytest
from drawn_calls import draw_calls, draw_tools

import guidance_kit as gk
from guidance_kit.grammars.tool_formats import TOOL_FORMATS

pytestmark = [pytest.mark.engines, pytest.mark.timeout(900)]

pytest.importorskip("vllm", reason="needs vLLM: make test-engines")

from public_parsers import FORBIDDEN, PARSERS, read_calls  # noqa: E402

CALLS = 1_000
"""Calls of each style."""


def test_every_style_has_a_parser():
    assert [*PARSERS] == [*TOOL_FORMATS]


@pytest.mark.parametrize("style", TOOL_FORMATS)
def test_calls_are_read_alike(style):
    if style == "cohere":
        pytest.importorskip("cohere_melody")
    if style == "harmony" and "GUIDANCE_KIT_DATA" not in os.environ:
        pytest.skip("needs GUIDANCE_KIT_DATA, the tokens of harmony")
    rng, count = random.Random(1), 0
    while count < CALLS:
        tools = draw_tools(rng)
        constraint = gk.tool_calls(tools, style, free_text=False)
        for _ in range(25):
            calls = draw_calls(rng, tools, TOOL_FORMATS[style].most or 3, FORBIDDEN.get(style, ()))
            text = constraint.write(calls)
            assert constraint.parse(text) == calls
            if any(text.count(one) > 1 for one in FORBIDDEN.get(style, ())):
                continue  # an array, which has it too
            assert read_calls(style, text, tools) == [(one.name, one.value) for one in calls], text
            count += len(calls)


def test_another_call_is_noticed():
    """The comparison fails for a text that says something else."""
    tools = draw_tools(random.Random(2))
    for style in ("hermes", "gemma4", "deepseek_v4"):
        constraint = gk.tool_calls(tools, style, free_text=False)
        one, other = (draw_calls(random.Random(seed), tools, 1) for seed in (3, 4))
        assert one != other
        assert read_calls(style, constraint.write(one), tools) != [(call.name, call.value) for call in other]
