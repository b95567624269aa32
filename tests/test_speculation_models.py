"""Speculation through the public API: real architectures, bundled models, log-probabilities, and refusals."""

from __future__ import annotations

import copy

import pytest
import torch
from marks import slow
from small_models import ATTENTION, FORWARD_ONLY, random_model, small_llama
from toy_models import ABC

import guidance_kit as gk
from guidance_kit.decoding.tabular import TabularModel
from guidance_kit.errors import OptionError, VocabularyError
from guidance_kit.models import TransformersModel

PROMPTS = [list(b"the cat sat"), list(b"so"), list(b"a longer prompt than these")]
WORDS = gk.regex("[a-z ]{5,30}")


def noisy(model: TransformersModel, scale: float = 0.05) -> TransformersModel:
    """A copy with disturbed weights, which often agrees."""
    weights = copy.deepcopy(model.model)
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in weights.parameters():
            parameter += scale * parameter.std() * torch.randn(parameter.shape, generator=generator)
    return TransformersModel(weights, model.tokenizer, vocabulary=model.vocabulary, name="noisy")


@pytest.mark.parametrize("name", ["Mamba", *slow(*ATTENTION, *(name for name in FORWARD_ONLY if name != "Mamba"))])
def test_greedy_texts_of_real_architectures_are_those_without_a_draft(name):
    target = random_model(name)
    model, draft = gk.Model(target), gk.Model(noisy(target, 0.4 if name in FORWARD_ONLY else 0.1))
    for constraint in (None, WORDS):
        options = {"temperature": 0, "max_tokens": 24, "seed": 0}
        expected = model.generate(PROMPTS, constraint, **options)
        found = model.generate(PROMPTS, constraint, draft=draft, ahead=3, **options)
        assert [one.tokens for one in found] == [one.tokens for one in expected]
        assert sum(one.speculation.accepted for one in found) > 0


@pytest.fixture(scope="module")
def family() -> tuple[gk.Model, gk.Model, gk.Model]:
    llama = small_llama()
    return gk.Model(llama), gk.Model(noisy(llama, 0.1)), gk.Model(noisy(llama, 0.3))


def test_a_text_depends_on_its_seed_alone(family):
    """With a number of proposed tokens that is given: whatever the batch, and as a stream."""
    big, tuned, untuned = family
    model = big + 0.8 * (tuned - untuned)
    options = {"draft": "expert", "ahead": 3, "seed": 4, "max_tokens": 20}
    together = model.generate(PROMPTS, WORDS, **options)
    assert together == model.generate(PROMPTS, WORDS, batch_size=1, **options)
    assert "".join(model.stream(PROMPTS[0], WORDS, **options)) == together[0].text
    assert sum(one.speculation.accepted for one in together) > 5


def test_log_probabilities_are_those_of_single_steps(family):
    big, tuned, untuned = family
    model = big + 0.8 * (tuned - untuned)
    options = {"temperature": 0, "seed": 0, "max_tokens": 20, "logprobs": 3}
    expected = model.generate(PROMPTS, WORDS, **options)
    found = model.generate(PROMPTS, WORDS, draft="expert", ahead=4, **options)
    for one, other in zip(found, expected, strict=True):
        assert one.tokens == other.tokens
        assert one.speculation.tokens_per_call > 1
        for record, twin in zip(one.logprobs, other.logprobs, strict=True):
            assert record.token == twin.token
            assert record.logprob == pytest.approx(twin.logprob, abs=1e-4)
            assert record.guided_logprob == pytest.approx(twin.guided_logprob, abs=1e-4)
            assert [term.logprob for term in record.terms] == pytest.approx(
                [term.logprob for term in twin.terms], abs=1e-4
            )


def test_the_expert_runs_once(family, monkeypatch):
    """The target takes the logits of its term from the draft."""
    big, tuned, untuned = family
    calls = {"tuned": [], "untuned": []}
    for name, model in (("tuned", tuned), ("untuned", untuned)):
        logits = model.language_model.logits

        def counted(prefixes, positions=1, *, name=name, logits=logits, **options):
            calls[name].append(positions)
            return logits(prefixes, positions, **options)

        monkeypatch.setattr(model.language_model, "logits", counted)
    model = big + 0.8 * (tuned - untuned)
    (text,) = model.generate(PROMPTS[:1], draft="expert", ahead=3, temperature=0, max_tokens=21)
    assert set(calls["tuned"]) == {1}
    assert len(calls["untuned"]) == text.speculation.blocks
    assert max(calls["untuned"]) == 4


@pytest.mark.parametrize("kinds", ["lookup, untuned, expert", *slow("untuned, tuned", "untuned, expert")])
def test_drafts_of_a_chain_are_terms_of_the_target(family, kinds):
    big, tuned, untuned = family
    models = {"tuned": tuned, "untuned": untuned}
    model = big + 0.8 * (tuned - untuned)
    options = {"temperature": 0, "max_tokens": 14}
    expected = model.generate(PROMPTS, WORDS, **options)
    draft = [models.get(kind, kind) for kind in kinds.split(", ")]
    found = model.generate(PROMPTS, WORDS, draft=draft, ahead=3, **options)
    assert [one.tokens for one in found] == [one.tokens for one in expected]


def test_decoders_that_draw_token_by_token_take_drafts(family):
    big, tuned, _ = family
    for decoder in (gk.BestOf(3), gk.MBR(3, utility=lambda one, other: float(one == other))):
        (text,) = big.generate(PROMPTS[:1], WORDS, decoder=decoder, draft=tuned, ahead=2, seed=1, max_tokens=10)
        assert text.text


def test_samples_of_a_prompt_differ(family):
    big, tuned, _ = family
    texts = big.generate(PROMPTS[0], n=6, draft=tuned, ahead=3, seed=1, max_tokens=8, temperature=2.0)
    assert len({one.tokens for one in texts}) == 6


def test_mirostat_is_the_text_without_a_draft(family):
    """Proposals of a draw with a history are compared with what the target draws in its state."""
    big, tuned, _ = family
    options = {"draw": gk.Mirostat(surprise=2.0), "seed": 3, "max_tokens": 30}
    expected = big.generate(PROMPTS, WORDS, **options)
    found = big.generate(PROMPTS, WORDS, draft=tuned, ahead=3, **options)
    assert found == expected
    assert sum(one.speculation.accepted for one in found) > 10


def test_refusals(family):
    big, tuned, _ = family
    with pytest.raises(OptionError, match="ahead must be an integer, at least 0"):
        big.generate("x", draft=tuned, ahead=-1)
    with pytest.raises(OptionError, match="ahead is for a draft"):
        big.generate("x", ahead=3)
    with pytest.raises(OptionError, match="unknown draft 'exprt'"):
        big.generate("x", draft="exprt")
    with pytest.raises(OptionError, match="has no positive term beside its base"):
        big.generate("x", draft="expert")
    with pytest.raises(OptionError, match="a draft is a model, a formula"):
        big.generate("x", draft=7)
    with pytest.raises(OptionError, match="decoder='beam' does not"):
        big.generate("x", draft=tuned, decoder=gk.Beam(2))
    with pytest.raises(VocabularyError, match="the tokens of LlamaForCausalLM and table differ: token 2"):
        big.generate("x", draft=gk.Model(TabularModel.random(ABC)))
    far = noisy(small_llama())
    far.model.to("meta")
    with pytest.raises(OptionError, match="the draft noisy is on meta, and LlamaForCausalLM on cpu; move one"):
        big.generate("x", draft=gk.Model(far))
    short = noisy(small_llama())
    short.context_length = 16
    with pytest.raises(
        OptionError,
        match="the draft noisy has a context of 16 tokens, too short for the text of 41 tokens after prompt 0; lower",
    ):
        big.generate(PROMPTS[:1], draft=gk.Model(short), max_tokens=30)
    assert big.generate(PROMPTS[0], draft=gk.Model(short), max_tokens=5).tokens


@pytest.mark.parametrize("kind", ["tournament", *slow("green", "gumbel")])
def test_a_watermarked_text_is_the_one_without_a_draft(family, kind):
    big, tuned, _ = family
    options = {"watermark": gk.Watermark(b"0123456789abcdef", kind), "seed": 3, "max_tokens": 30}
    expected = big.generate(PROMPTS, WORDS, **options)
    found = big.generate(PROMPTS, WORDS, draft=tuned, ahead=3, **options)
    assert found == expected
    assert sum(one.speculation.accepted for one in found) > 10
