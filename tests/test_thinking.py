"""Thoughts and sketches before an answer: one sequence, two budgets, two constraints, and draws of their own."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import guidance_kit as gk
from guidance_kit.decoding.tabular import TabularModel
from guidance_kit.models.chat import reasoning_tags
from guidance_kit.thinking import answer_seed

NAMES = {256: "<|end|>", 257: "<|im_end|>"}
"""Special tokens: one that may end thoughts, and the end of the sequence."""

VOCABULARY = gk.Vocabulary(
    token_bytes=tuple([bytes([byte]) for byte in range(256)] + [b"", b""]),
    special=frozenset(NAMES),
    eos=(257,),
    rows=258,
    special_names=NAMES,
)


class Bytes(TabularModel):
    """Bytes of which each is as likely as any other, but for those with a weight."""

    prompt_style = "instruction"
    start_token = 32

    def __init__(self, weights: Mapping[int, float], tags: tuple[str, str, str] | None = None) -> None:
        logits = np.zeros((VOCABULARY.rows + 1, VOCABULARY.rows))
        for token, weight in weights.items():
            logits[:, token] = weight
        super().__init__(VOCABULARY, logits, name="bytes")
        self.reasoning_tags = tags
        self.has_chat_template = True
        self.chats: list[tuple[list[Any], dict[str, Any]]] = []

    def encode(self, text: str, *, with_special_tokens: bool = True) -> list[int]:
        for token, name in NAMES.items():
            if name in text:
                before, _, after = text.partition(name)
                return [*before.encode(), token, *self.encode(after)]
        return list(text.encode())

    def spell(self, text: str) -> list[int]:
        return list(text.encode())

    def chat(self, messages: Sequence[Mapping[str, Any]], **template_options: Any) -> list[int]:
        self.chats.append((list(messages), template_options))
        opened = "<think>\n" if template_options.get("enable_thinking") else ""
        said = "".join(f"<{one['role']}>{one['content']}" for one in messages)
        return self.encode(f"{said}<assistant>{opened}")


def prompts_of(model: gk.Model, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Texts of the prompts from now on."""
    seen: list[str] = []
    plain = model._compile

    def compiled(*arguments: Any) -> Any:
        return plain(*arguments)

    tokens = model._tokens

    def noted(prompt: Any) -> list[int]:
        found = tokens(prompt)
        seen.append(b"".join(VOCABULARY.shown(one) for one in found).decode(errors="replace"))
        return found

    monkeypatch.setattr(model, "_compile", compiled)
    monkeypatch.setattr(model, "_tokens", noted)
    return seen


DIGITS = gk.regex("[0-9]{3}")
LETTERS = gk.regex("[a-z]{2,4}")


def test_an_answer_is_the_one_after_prompt_thoughts_and_tag(monkeypatch):
    """Oracle: two calls, the second with the prompt that the first made."""
    model = gk.Model(Bytes({}))
    seen = prompts_of(model, monkeypatch)
    found = model.generate("Q: ", DIGITS, think=LETTERS, seed=5, max_tokens=3)
    assert seen == ["Q: <think>\n", f"Q: <think>\n{found.thoughts.text}</think>\n\n"]
    assert 2 <= len(found.thoughts.text) <= 4
    assert found.thoughts.value == found.thoughts.text
    twin = model.generate(seen[1], DIGITS, seed=answer_seed(5), max_tokens=3)
    assert (found.text, found.tokens) == (twin.text, twin.tokens)
    assert (found.seed, found.prompt_tokens) == (5, len(seen[0]))


def test_the_budget_ends_the_thoughts_and_not_the_answer(monkeypatch):
    model = gk.Model(Bytes({}))
    seen = prompts_of(model, monkeypatch)
    cut = model.generate("Q", DIGITS, think=4, seed=1)
    assert (cut.thoughts.finish_reason, len(cut.thoughts.tokens)) == ("length", 4)
    assert (cut.finish_reason, len(cut.text)) == ("complete", 3)
    assert seen[1].endswith("</think>\n\n")
    assert cut.value.isdigit()
    fits = model.generate("Q", DIGITS, think=gk.Think(constraint=gk.regex("[a-z]*"), tokens=10), seed=1)
    assert fits.thoughts.finish_reason in ("complete", "budget")
    assert len(fits.thoughts.tokens) <= 10


def test_draws_of_thoughts_and_answers_are_independent():
    """Chi-square over four cells, 3 degrees of freedom: 16.3 has a p-value of 0.001. With one seed for both the cells
    are but two, which the last line shows."""
    model = gk.Model(Bytes({}))
    bit = gk.regex("[01]")
    prompts, count = ["Q"] * 400, 400
    found = model.generate(prompts, bit, think=bit, seed=3, max_tokens=1, batch_size=400)
    cells = Counter((one.thoughts.text, one.text) for one in found)
    expected = count / 4
    assert sum((cells[cell] - expected) ** 2 / expected for cell in itertools.product("01", repeat=2)) < 16.3
    assert [one.text for one in model.generate(prompts[:8], bit, seed=3)] == [one.thoughts.text for one in found[:8]]


def test_texts_do_not_depend_on_the_batch_and_repeat_by_their_seed():
    model = gk.Model(Bytes({}))
    found = model.generate(["A", "BB", "C"], [DIGITS, LETTERS, DIGITS], think=LETTERS, seed=9, n=2)
    small = model.generate(["A", "BB", "C"], [DIGITS, LETTERS, DIGITS], think=LETTERS, seed=9, n=2, batch_size=1)
    assert found == small
    assert len({one.thoughts.text for row in found for one in row}) > 3
    last = found[2][1]
    assert model.generate("C", DIGITS, think=LETTERS, seed=last.seed) == last


def test_settings_of_each_part():
    """Greedy for the answer, drawn thoughts; and the other way round."""
    model = gk.Model(Bytes({ord("7"): 3.0, ord("q"): 3.0}))
    several = model.generate("Q", DIGITS, think=LETTERS, seed=1, n=8, temperature=0)
    assert {one.text for one in several} == {"777"}
    assert len({one.thoughts.text for one in several}) > 1
    cold = gk.Think(constraint=LETTERS, options={"temperature": 0})
    drawn = [model.generate("Q", DIGITS, think=cold, seed=seed) for seed in range(8)]
    assert {one.thoughts.text[:2] for one in drawn} == {"qq"}
    assert len({one.text for one in drawn}) > 1


@pytest.mark.parametrize("options", [{"think": LETTERS}, {"think": 5}, {"sketch": 6}])
def test_a_stream_has_two_channels(options):
    model = gk.Model(Bytes({}))
    whole = model.generate("Q", DIGITS, seed=2, logprobs=0, **options)
    stream = model.stream("Q", DIGITS, seed=2, logprobs=0, **options)
    channels: dict[str, str] = {"thoughts": "", "answer": ""}
    for piece in stream:
        assert stream.channel == "thoughts" or channels["thoughts"] == whole.thoughts.text
        channels[stream.channel] += piece
        assert (stream.thoughts, stream.text) == (channels["thoughts"], channels["answer"])
    assert channels == {"thoughts": whole.thoughts.text, "answer": whole.text}
    assert stream.completion == whole
    assert stream.partial == whole.value


@pytest.mark.parametrize("options", [{"think": LETTERS}, {"think": 5}, {"sketch": 6}])
def test_concurrent_calls_think_as_plain_ones(options):
    model = gk.Model(Bytes({}))
    alone = model.generate("Q", DIGITS, seed=2, logprobs=0, **options)
    several = model.generate("Q", DIGITS, seed=3, n=3, **options)

    async def main():
        async with gk.AsyncModel(model) as concurrent:
            stream = concurrent.stream("Q", DIGITS, seed=2, logprobs=0, **options)
            channels = {"thoughts": "", "answer": ""}
            assert stream.thoughts == ""
            async for piece in stream:
                channels[stream.channel] += piece
                assert (stream.thoughts, stream.text) == (channels["thoughts"], channels["answer"])
            assert channels == {"thoughts": alone.thoughts.text, "answer": alone.text}
            one, many = await asyncio.gather(
                concurrent.generate("Q", DIGITS, seed=2, logprobs=0, **options),
                concurrent.generate("Q", DIGITS, seed=3, n=3, **options),
            )
            return stream.completion, one, many

    streamed, one, many = asyncio.run(main())
    assert streamed == one == alone
    assert many == several
    assert streamed.thoughts is not None


def test_the_tags_of_the_chat_template(monkeypatch):
    backend = Bytes({}, ("<think>\n", "</think>", "\n\n"))
    model = gk.Model(backend)
    seen = prompts_of(model, monkeypatch)
    messages = [{"role": "user", "content": "Hi"}]
    found = model.generate(messages, DIGITS, think=LETTERS, seed=1)
    assert backend.chats == [(messages, {"enable_thinking": True})]
    opened = "<user>Hi<assistant><think>\n"  # by the template, so not once more
    assert seen == [opened, f"{opened}{found.thoughts.text}</think>\n\n"]


def test_special_tokens_as_tags(monkeypatch):
    backend = Bytes({256: 4.0}, ("", "<|end|>", "<|end|>="))
    model = gk.Model(backend)
    seen = prompts_of(model, monkeypatch)
    found = model.generate([{"role": "user", "content": "Hi"}], DIGITS, think=True, seed=1)
    assert found.thoughts.finish_reason == "complete"
    assert found.thoughts.tokens[-1] == 256
    assert not found.thoughts.text.endswith("<|end|>")
    assert seen[1].endswith("<|end|><|end|>=")
    assert seen[1].count("<|end|>") == 2


def test_a_model_without_tags_is_asked():
    backend = Bytes({})
    gk.Model(backend).generate([{"role": "user", "content": "Hi"}], DIGITS, think=LETTERS, seed=1)
    ((asked, options),) = backend.chats
    assert asked[0]["content"].startswith("Hi\n\nFirst think step by step")
    assert options == {}


def test_a_sketch_is_read_by_the_answer(monkeypatch):
    backend = Bytes({})
    model = gk.Model(backend)
    found = model.generate([{"role": "user", "content": "Hi"}], DIGITS, sketch=6, seed=1)
    first, second = (messages for messages, _ in backend.chats)
    assert [one["role"] for one in second] == ["user", "assistant", "user"]
    assert second[:2] == [*first, {"role": "assistant", "content": found.thoughts.text}]
    seen = prompts_of(model, monkeypatch)
    found = model.generate("Q", DIGITS, sketch=gk.Think(is_sketch=True, tokens=6, between=" = "), seed=1)
    assert seen == ["Q", f"Q{found.thoughts.text} = "]


def test_a_tag_may_be_of_special_tokens_and_text(monkeypatch):
    model = gk.Model(Bytes({256: 9.0, ord("x"): 8.0}))
    seen = prompts_of(model, monkeypatch)
    think = gk.Think(begin="<|end|>b<|end|>", end="<|end|>x<|end|>", between="", tokens=400)
    found = model.generate("Q", DIGITS, think=think, seed=1)
    thoughts = found.thoughts
    assert thoughts.finish_reason == "complete"
    assert thoughts.tokens[-3:] == (256, ord("x"), 256)
    assert "<|end|>" not in thoughts.text
    assert seen == ["Q<|end|>b<|end|>", f"Q<|end|>b<|end|>{thoughts.text}<|end|>x<|end|>"]
    cut = model.generate("Q", DIGITS, think=replace(think, tokens=1), seed=3)
    assert seen[-1].endswith("<|end|>x<|end|>")
    assert cut.value


def test_records_after_thoughts():
    schema = {"type": "object", "properties": {"n": {"enum": [1, 2]}}, "required": ["n"], "additionalProperties": False}
    backend = Bytes({}, ("<think>\n", "</think>", "\n\n"))
    model = gk.Model(backend)
    values = model.extract(["one", "two"], schema, think=LETTERS, seed=1)
    assert all(value in ({"n": 1}, {"n": 2}) for value in values)
    assert all(options == {"enable_thinking": True} for _, options in backend.chats)
    assert "one" in backend.chats[0][0][0]["content"]


TEMPLATES = [
    ("{{ '<think>' }}", "</think>"),
    ("<|channel>thought", "<channel|>"),
    ("<|channel|>analysis <think>", "<|end|>"),
    ("{{- open_tag('think' if thinking else 'response') -}}", "<|close|>think<|sep|>"),
    ("[THINK]", "[/THINK]"),
    ("{{ messages }}", None),
    (None, None),
]


@pytest.mark.parametrize(("template", "end"), TEMPLATES)
def test_tags_are_those_of_the_template(template, end):
    tags = reasoning_tags(template)
    assert (None if tags is None else tags[1]) == end


REFUSED = [
    ({"think": True, "sketch": True}, "exclude each other"),
    ({"think": "yes"}, "think is True"),
    ({"sketch": LETTERS}, "sketch is True"),
    ({"think": 0}, "max_tokens"),
    ({"think": gk.Think(is_sketch=True)}, "think is True"),
]


@pytest.mark.parametrize(("options", "said"), REFUSED)
def test_bad_options_are_refused(options, said):
    model = gk.Model(Bytes({}))
    for call in (model.generate, model.stream):
        with pytest.raises(gk.OptionError, match=said):
            call("Q", DIGITS, **options)


def test_bad_settings_are_refused():
    for settings in (
        {"tokens": 0},
        {"options": {"seed": 1}},
        {"options": {"temprature": 1}},
        {"end": ""},
        {"constraint": "a"},
        {"is_sketch": True, "constraint": LETTERS},
    ):
        with pytest.raises(gk.OptionError):
            gk.Think(**settings)
