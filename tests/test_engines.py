"""Engines of a job's model: their options, and what is refused before a model is loaded."""

from __future__ import annotations

import sys

import pytest
from command_line import run

import guidance_kit as gk
from guidance_kit.errors import OptionError
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.integrations.engines import load_on
from guidance_kit.integrations.vllm.named_matchers import named_matcher, naming

VLLM = ["--engine", "vllm"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--engine-options", "{}"], "--engine-options needs --engine vllm"),
        ([*VLLM, "--engine-options", "3"], "--engine-options is an object of JSON, not 3"),
        ([*VLLM, "--engine-options", "{x"], "--engine-options is no JSON: Expecting property name"),
        ([*VLLM, "--draft", "lookup"], "--engine vllm does not have --draft"),
        ([*VLLM, "--min-confidence", "0.5", "--unsure", "u.jsonl"], "--engine vllm does not have --min-confidence"),
        ([*VLLM, "--think", "5"], "--engine vllm does not have --think"),
        ([*VLLM, "--device", "cpu"], "--engine vllm does not have --device"),
    ],
)
def test_options_that_an_engine_does_not_have_end_the_command_before_a_line(inbox, arguments, said):
    result = run("extract", "-s", "ticket.json", "messages", *arguments)
    assert result.exit_code == 2
    assert said in result.stderr
    assert not result.stdout


@pytest.mark.parametrize("command", [["extract", "-s", "ticket.json"], ["classify", "-l", "a", "-l", "b"]])
def test_without_vllm_it_says_what_to_install(inbox, monkeypatch, command):
    monkeypatch.setitem(sys.modules, "vllm", None)
    monkeypatch.delitem(sys.modules, "guidance_kit.integrations.vllm.engine_model", raising=False)
    result = run(*command, "messages", *VLLM)
    assert result.exit_code == 2
    assert "needs vLLM 0.32 here: pip install 'guidance-kit[vllm]'" in result.stderr


def test_loading_on_an_engine():
    assert isinstance(load_on("transformers", None, {}, dtype="float32"), gk.Model)
    with pytest.raises(OptionError, match="engine_options are for engine='vllm': max_model_len"):
        load_on("transformers", None, {"max_model_len": 1})
    with pytest.raises(OptionError, match="engine='vllm' does not have adapter"):
        load_on("vllm", None, {}, dtype=None, adapter="x")
    with pytest.raises(OptionError, match="did you mean 'vllm'"):
        load_on("vlm", None, {})  # pyright: ignore[reportArgumentType]


def test_a_matcher_has_its_name_as_long_as_the_context_lasts():
    matcher = Matcher(gk.regex("ab*").compile(gk.load().vocabulary))
    with naming([matcher, None, matcher]) as names:
        assert names[1] is None
        assert len({*names}) == 3
        found = named_matcher(str(names[0]))
        assert found is not None
        found.advance_all(gk.load().language_model.spell("abb"))
        again = named_matcher(str(names[2]))
        assert again is not None
        assert (len(matcher), len(again)) == (0, 0)
        assert named_matcher('start: "a"') is None
    assert named_matcher(str(names[0])) is None
