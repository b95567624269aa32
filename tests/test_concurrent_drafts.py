"""Drafts in concurrent calls: texts are those of `generate`, and calls with the same draft share its passes."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from marks import slow, thinned
from small_models import small_llama
from test_speculation_models import PROMPTS, WORDS, noisy

import guidance_kit as gk
from guidance_kit.decoding.speculation import Speculation
from guidance_kit.errors import OptionError


@pytest.fixture(scope="module")
def family() -> tuple[gk.Model, gk.Model, gk.Model]:
    llama = small_llama()
    return gk.Model(llama), gk.Model(noisy(llama, 0.1)), gk.Model(noisy(llama, 0.3))


def calls_of(model: gk.Model, patched: pytest.MonkeyPatch) -> list[int]:
    """Record the number of rows of each call of a model."""
    calls: list[int] = []
    source: Any = model.language_model
    asked = source.logits

    def logits(prefixes: Any, *arguments: Any, **options: Any) -> Any:
        calls.append(len(prefixes))
        return asked(prefixes, *arguments, **options)

    patched.setattr(source, "logits", logits)
    return calls


def together(model: gk.Model, **options: Any) -> list[gk.Completion]:
    """Texts of concurrent calls."""

    async def main() -> list[gk.Completion]:
        calls = [model.agenerate(prompt, WORDS, seed=seed, **options) for seed, prompt in enumerate(PROMPTS)]
        return await asyncio.gather(*calls)  # pyright: ignore[reportReturnType]

    return asyncio.run(main())


DRAFTS = {
    "a model": lambda big, tuned, untuned: tuned,
    "the expert": lambda big, tuned, untuned: "expert",
    "a formula": lambda big, tuned, untuned: tuned + 0.2 * untuned,
    "a prompt of its own": lambda big, tuned, untuned: tuned.given(lambda prompt: [*prompt, 32]),
    "a chain": lambda big, tuned, untuned: [untuned, tuned],
    "a sequence": lambda big, tuned, untuned: gk.DraftSequence((gk.ForcedTokens(), gk.PromptLookup(), tuned)),
    "a tree": lambda big, tuned, untuned: gk.ModelTree(tuned, branches=(2, 1)),
    "a lookahead tree": lambda big, tuned, untuned: gk.LookaheadTree(window=2),
}


@pytest.mark.parametrize("kind", thinned(DRAFTS, 3))
@pytest.mark.parametrize("temperature", [*slow(0), 1])
def test_texts_are_those_of_generate(family, kind, temperature):
    big, tuned, untuned = family
    model = big + 0.8 * (tuned - untuned)
    options = {"draft": DRAFTS[kind](*family), "ahead": 3, "max_tokens": 14, "temperature": temperature}
    alone = [model.generate(prompt, WORDS, seed=seed, **options) for seed, prompt in enumerate(PROMPTS)]
    found = together(model, **options)
    assert [one.tokens for one in found] == [one.tokens for one in alone]
    assert [_counts(one.speculation) for one in found] == [_counts(one.speculation) for one in alone]


def _counts(speculation: Speculation | None) -> Any:
    assert speculation is not None
    return speculation.blocks, speculation.tokens, speculation.drafts


def test_calls_share_the_passes_of_a_draft(family, monkeypatch):
    big, tuned, _ = family
    targets, drafts = calls_of(big, monkeypatch), calls_of(tuned, monkeypatch)
    texts = together(big, draft=tuned, ahead=3, max_tokens=13, temperature=0)
    blocks = [one.speculation.blocks for one in texts if one.speculation]
    assert len(targets) <= max(blocks) + len(PROMPTS)  # a call may come after others began, but none goes alone
    assert len(drafts) <= 3 * len(targets)
    assert max(drafts) == max(targets) == len(PROMPTS)


def test_the_expert_runs_once(family, monkeypatch):
    """The target takes the logits of its term from the draft, those of all calls."""
    big, tuned, untuned = family
    calls = calls_of(tuned, monkeypatch)
    texts = together(big + 0.8 * (tuned - untuned), draft="expert", ahead=3, max_tokens=13, temperature=0)
    blocks = max(one.speculation.blocks for one in texts if one.speculation)
    assert len(calls) <= 4 * blocks  # three proposed tokens, and the logits after the last one


def test_calls_with_different_drafts_and_without(family):
    big, tuned, untuned = family
    drafts: list[Any] = [{"draft": tuned, "ahead": 2}, {"draft": [untuned, tuned], "ahead": 3}, {}]
    options: Any = {"max_tokens": 12, "temperature": 0}
    alone = [big.generate(prompt, WORDS, **one, **options) for prompt, one in zip(PROMPTS, drafts, strict=True)]

    async def main() -> list[Any]:
        pairs = zip(PROMPTS, drafts, strict=True)
        return await asyncio.gather(*(big.agenerate(prompt, WORDS, **one, **options) for prompt, one in pairs))

    assert [one.tokens for one in asyncio.run(main())] == [one.tokens for one in alone]


def test_samples_of_a_call_have_drafts_of_their_own(family):
    big, tuned, untuned = family
    options: Any = {"draft": [untuned, tuned], "ahead": 2, "seed": 1, "max_tokens": 8}
    expected = big.generate(PROMPTS[0], n=3, **options)
    assert [one.tokens for one in asyncio.run(big.agenerate(PROMPTS[0], n=3, **options))] == [
        one.tokens for one in expected
    ]


def test_a_draft_that_fails_ends_its_text_alone(family, monkeypatch):
    big, tuned, untuned = family

    def failing(prefixes: Any, *arguments: Any, **options: Any) -> Any:
        raise RuntimeError("the draft is gone")

    source: Any = untuned.language_model
    monkeypatch.setattr(source, "logits", failing)

    async def main() -> list[Any]:
        calls = [big.agenerate(PROMPTS[0], draft=draft, ahead=2, max_tokens=6, seed=1) for draft in (tuned, untuned)]
        return await asyncio.gather(*calls, return_exceptions=True)

    whole, error = asyncio.run(main())
    assert whole.tokens == big.generate(PROMPTS[0], draft=tuned, ahead=2, max_tokens=6, seed=1).tokens
    assert isinstance(error, RuntimeError)


def test_heads_are_refused():
    model, heads = gk.load(), gk.DraftHeads.load("support-2m")
    for draft in (gk.HeadTree(heads), gk.DraftSequence((gk.PromptLookup(), gk.HeadTree(heads)))):
        with pytest.raises(OptionError, match="heads reads hidden states, which concurrent calls do not share"):
            asyncio.run(model.agenerate("x", draft=draft))
