"""Tool calls without free text: texts that consist of calls, in all formats."""

from __future__ import annotations

import pytest
from marks import thinned

import guidance_kit as gk
from guidance_kit.grammars.tool_formats import TOOL_FORMATS


def weather(city: str, days: int = 1):
    """Say how the weather will be."""


def matches(constraint: gk.Constraint, text: str) -> bool:
    """Test for a text of a constraint."""
    try:
        constraint.parse(text)
    except gk.MatchError:
        return False
    return True


@pytest.mark.parametrize("style", thinned(TOOL_FORMATS, 6))
def test_texts_are_calls(style):
    free = gk.tool_calls([weather], style, minimum=1)
    alone = gk.tool_calls([weather], style, free_text=False)
    for text in alone.sample(4, seed=1, max_length=300):
        calls = [one for one in alone.parse(text) if isinstance(one.value, dict)]
        assert calls
        assert all(one.name == "weather" for one in calls)
        assert matches(free, text)
        if TOOL_FORMATS[style].trigger:
            assert not matches(alone, f"Wait. {text}")
            assert matches(free, f"Wait. {text}")
    assert not matches(alone, "")
    assert not matches(alone, "Wait.")


def test_several_calls():
    call = '<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
    alone = gk.tool_calls([weather], "hermes", maximum=2, free_text=False)
    assert len(alone.parse(f"{call}\n{call}")) == 2
    assert not matches(alone, f"{call}\n{call}\n{call}")
    assert not matches(alone, f"{call}{call}")
