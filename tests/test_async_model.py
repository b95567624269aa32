"""Asynchronous calls: texts are those of `generate`, rows join and leave, cancellation, errors and bounds."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from pydantic import BaseModel

import guidance_kit as gk
from guidance_kit.decoding import continuous_batch
from guidance_kit.guides.guide import Stage

PROMPTS = ["Dear ", "Customer: ", "I paid ", "A", "My name is "]
DIGITS = gk.regex("[0-9]{5,9}")


class Item(BaseModel):
    name: str
    count: int


@pytest.fixture(scope="module")
def model() -> gk.Model:
    return gk.load("small-tuned")


def run(main: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    """Run in an event loop of its own; no worker thread is left afterwards."""
    found = asyncio.run(main())
    for thread in threading.enumerate():
        if thread.name == "guidance_kit batch":
            thread.join(10)
            assert not thread.is_alive()
    return found


def calls_of(model: gk.Model, patched: pytest.MonkeyPatch) -> list[list[int]]:
    """Record the lengths of the prefixes of each call of the model."""
    calls: list[list[int]] = []
    language_model: Any = model.language_model
    asked = language_model.logits

    def logits(prefixes: Any, *arguments: Any, **options: Any) -> Any:
        calls.append([len(prefix) for prefix in prefixes])
        return asked(prefixes, *arguments, **options)

    patched.setattr(language_model, "logits", logits)
    return calls


MIXED: list[tuple[str, Any, dict[str, Any]]] = [
    ("Dear ", None, {"seed": 1}),
    ("An item: ", Item, {"seed": 2, "complete": True, "temperature": 0.8}),
    ("Call ", DIGITS, {"seed": 3, "top_k": 20, "logprobs": 2}),
    ("Call ", DIGITS, {"temperature": 0}),
    ("A date: ", gk.regex("202[0-9]-01-01"), {"seed": 4, "decoder": "importance"}),
    ("I ", None, {"seed": 5, "top_p": 0.8, "stop": "e", "guides": gk.Penalties(presence=1.0)}),
]
"""Calls with different constraints, guides, decoders and options."""


def test_texts_are_those_of_generate(model, monkeypatch):
    alone = [model.generate(prompt, one, max_tokens=24, **options) for prompt, one, options in MIXED]
    calls = calls_of(model, monkeypatch)

    async def main() -> list[gk.Completion]:
        return await asyncio.gather(
            *(model.agenerate(prompt, one, max_tokens=24, **options) for prompt, one, options in MIXED)
        )

    together = run(main)
    assert [one.text for one in together] == [one.text for one in alone]
    assert [one.tokens for one in together] == [one.tokens for one in alone]
    assert [one.finish_reason for one in together] == [one.finish_reason for one in alone]
    assert together[1].value == alone[1].value
    for ours, theirs in zip(together[2].logprobs, alone[2].logprobs, strict=True):
        assert ours.guided_logprob == pytest.approx(theirs.guided_logprob, abs=1e-4)
    assert max(map(len, calls)) > len(MIXED)  # one call for all, the particles of one of them among them


def test_a_formula_with_contexts_and_samples(model):
    base = gk.load("base-small")
    formula = base.given("Customer: {}\nAgent: ".format) + 0.5 * (model.given(gk.as_chat()) - base)
    prompts = ["My kettle is broken.", "I was charged twice.", "Hello"]
    alone = [formula.generate(prompt, seed=number, max_tokens=12) for number, prompt in enumerate(prompts)]
    recorded = formula.generate(prompts[0], seed=9, max_tokens=8, logprobs=1)
    several = formula.generate(prompts[1], n=3, seed=7, max_tokens=8)

    async def main() -> Any:
        texts = [formula.agenerate(prompt, seed=number, max_tokens=12) for number, prompt in enumerate(prompts)]
        return await asyncio.gather(
            formula.agenerate(prompts[0], seed=9, max_tokens=8, logprobs=1),
            formula.agenerate(prompts[1], n=3, seed=7, max_tokens=8),
            *texts,
        )

    first, samples, *texts = run(main)
    assert [one.tokens for one in texts] == [one.tokens for one in alone]
    assert [one.tokens for one in samples] == [one.tokens for one in several]
    assert first.tokens == recorded.tokens
    for ours, theirs in zip(first.logprobs, recorded.logprobs, strict=True):
        assert [term.term for term in ours.terms] == [term.term for term in theirs.terms]
        assert ours.divergence == pytest.approx(theirs.divergence, abs=1e-4)


def test_rows_join_and_leave_a_running_batch(model, monkeypatch):
    calls = calls_of(model, monkeypatch)

    async def main() -> None:
        stream = model.astream("Dear ", gk.regex("[a-z ]{60}"), seed=1)
        await anext(stream)
        assert {len(one) for one in calls} == {1}
        await model.agenerate("Call ", DIGITS, seed=2)
        async for _ in stream:
            pass
        assert stream.text == stream.completion.text == model.generate("Dear ", gk.regex("[a-z ]{60}"), seed=1).text

    run(main)
    widths = [len(one) for one in calls]
    assert 2 in widths  # the second joined while the first was running
    assert widths.index(2) > 0


def test_streams_have_partial_values(model):
    async def main() -> gk.AsyncStream:
        stream = model.astream("An item: ", Item, seed=3, max_tokens=60, complete=True)
        values = [stream.partial async for _ in stream]
        assert any(isinstance(value, dict) and "count" not in value for value in values)
        assert stream.partial == values[-1] == stream.completion.value.model_dump()
        with pytest.raises(StopAsyncIteration):
            await anext(stream)
        return stream

    assert run(main).completion.value == model.generate("An item: ", Item, seed=3, max_tokens=60, complete=True).value


@pytest.mark.parametrize("how", ["cancel", "close", "drop"])
def test_cancellation_frees_the_row(model, how):
    async def main() -> None:
        async with gk.AsyncModel(model, max_rows=1) as served:
            endless = gk.regex("[a-z ]{500}")
            stream = served.stream("Dear ", endless, seed=1, max_tokens=500)
            await anext(stream)
            task = asyncio.create_task(served.generate("Call ", DIGITS, seed=2))
            if how == "cancel":
                reader = asyncio.create_task(_read(stream))
                await asyncio.sleep(0)
                reader.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await reader
            elif how == "close":
                await stream.aclose()
            else:
                del stream
                gc.collect()
            assert (await task).text == model.generate("Call ", DIGITS, seed=2).text  # in the only row
            if how != "drop":
                with pytest.raises(ValueError, match="has not ended"):
                    _ = stream.completion

    run(main)


async def _read(stream: gk.AsyncStream) -> None:
    async for _ in stream:
        pass


class Failing:
    """Guide that fails after some tokens."""

    stage = Stage.BIAS

    def start(self, prompts):
        return [0] * len(prompts)

    def adjust(self, logits, state):
        if any(count >= 3 for count in state):
            raise ValueError("a fault of one call")
        return logits

    def advance(self, state, tokens):
        return [count + len(new) for count, new in zip(state, tokens, strict=True)]

    def select(self, state, rows):
        return [state[row] for row in rows]

    def join(self, states):
        return [count for state in states for count in state]


def test_an_error_of_one_call_does_not_harm_others(model):
    alone = [model.generate(prompt, seed=1, max_tokens=12).tokens for prompt in PROMPTS]

    async def main() -> Any:
        return await asyncio.gather(
            *(model.agenerate(prompt, seed=1, max_tokens=12) for prompt in PROMPTS),
            model.agenerate("A", guides=Failing(), seed=1, min_tokens=5, max_tokens=12),
            model.agenerate("A" * 5000, max_tokens=12),
            model.agenerate("A", max_token=3),
            model.agenerate("A", n=2, temperature=0),
            return_exceptions=True,
        )

    *texts, failed, long, unknown, same = run(main)
    assert [one.tokens for one in texts] == alone
    assert isinstance(failed, ValueError)
    assert str(failed) == "a fault of one call"
    assert isinstance(long, gk.ContextLengthError)
    assert isinstance(unknown, gk.OptionError)
    assert "max_tokens" in str(unknown)
    assert isinstance(same, gk.OptionError)


def test_a_failing_pass_is_repeated_without_the_text_that_causes_it(model, monkeypatch):
    alone = [model.generate(prompt, seed=1, max_tokens=8).tokens for prompt in PROMPTS]
    bad = model._tokens("Bad")
    language_model: Any = model.language_model
    asked = language_model.logits

    def logits(prefixes: Any, *arguments: Any, **options: Any) -> Any:
        if any(prefix[: len(bad)] == bad and len(prefix) > len(bad) + 2 for prefix in prefixes):
            raise gk.ModelError("a prefix that the model cannot take")
        return asked(prefixes, *arguments, **options)

    monkeypatch.setattr(language_model, "logits", logits)

    async def main() -> Any:
        texts = [model.agenerate(prompt, seed=1, max_tokens=8) for prompt in PROMPTS]
        return await asyncio.gather(model.agenerate("Bad", max_tokens=8, seed=1), *texts, return_exceptions=True)

    failed, *texts = run(main)
    assert isinstance(failed, gk.ModelError)
    assert [one.tokens for one in texts] == alone


def test_out_of_memory_lets_the_last_texts_wait(model, monkeypatch):
    alone = [model.generate(prompt, seed=1, max_tokens=8).tokens for prompt in PROMPTS]
    language_model: Any = model.language_model
    asked = language_model.logits

    def logits(prefixes: Any, *arguments: Any, **options: Any) -> Any:
        if len(prefixes) > 2:
            raise MemoryError
        return asked(prefixes, *arguments, **options)

    monkeypatch.setattr(language_model, "logits", logits)

    async def main() -> Any:
        return await asyncio.gather(*(model.agenerate(prompt, seed=1, max_tokens=8) for prompt in PROMPTS))

    with pytest.warns(RuntimeWarning, match="out of memory"):
        assert [one.tokens for one in run(main)] == alone


def test_bounds(model, monkeypatch):
    calls = calls_of(model, monkeypatch)

    async def main() -> None:
        async with gk.AsyncModel(model, max_rows=2, max_calls=3) as served:
            tasks = [asyncio.create_task(served.generate(prompt, max_tokens=6, seed=1)) for prompt in PROMPTS]
            await asyncio.sleep(0)
            assert served.is_full
            running = asyncio.create_task(served.generate("Dear ", max_tokens=6, seed=1))
            assert len(await asyncio.gather(*tasks, running)) == len(PROMPTS) + 1
            assert not served.is_full

    run(main)
    assert max(map(len, calls)) == 2


def test_the_end_of_a_context(model):
    async def main() -> None:
        async with gk.AsyncModel(model) as served:
            task = asyncio.create_task(served.generate("Call ", DIGITS, seed=2))
            await asyncio.sleep(0.05)
        assert task.done() or (await task).text  # finished, not cut off
        with pytest.raises(gk.ModelError, match="its context has ended"):
            await served.generate("Call ", DIGITS)
        with pytest.raises(KeyError):
            async with gk.AsyncModel(model) as served:
                stream = served.stream("Dear ", gk.regex("[a-z ]{500}"), seed=1, max_tokens=500)
                await anext(stream)
                raise KeyError

    run(main)


def test_the_batch_needs_a_text_to_wait_in(model):
    waiting = continuous_batch.awaiting(model.language_model)
    assert waiting.rows == model.language_model.rows
    assert waiting.room([1, 2]) == model.language_model.room([1, 2])
    with pytest.raises(AssertionError, match="outside of a continuous batch"):
        waiting.logits([[1]])
