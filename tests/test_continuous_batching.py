"""Continuous batching of transformers: texts equal to those of one call each, with constraints of their own."""

from __future__ import annotations

import pytest
from encoder_decoder_models import small
from small_models import small_llama
from transformers import ContinuousBatchingConfig, GenerationConfig

import guidance_kit as gk
from guidance_kit.errors import OptionError
from guidance_kit.integrations.continuous_batching import guided_batch
from guidance_kit.models import TransformersModel

PROMPTS = ["the cat", "a", "the mat on the cat", "hello"]
CONSTRAINTS = [gk.regex("(cat|mat|hat)( (cat|mat|hat))*"), gk.regex("[0-9]{3,12}"), gk.choice(["yes", "no"])]


def settings(model: gk.Model, blocks: int = 64) -> dict:
    """Greedy texts, with so many blocks of 16 tokens for all requests together."""
    return {
        "generation_config": GenerationConfig(
            do_sample=False, eos_token_id=list(model.vocabulary.eos), pad_token_id=0, max_new_tokens=16
        ),
        "continuous_batching_config": ContinuousBatchingConfig(
            page_size=16, num_blocks=blocks, max_batch_tokens=64, use_async_batching=False, use_cuda_graph=False,
            allow_block_sharing=False,
        ),
    }  # fmt: skip


def batch(model: gk.Model, prompts, constraint=None, *, blocks: int = 64, **options) -> list[list[int]]:
    found = guided_batch(
        model, prompts, constraint, max_new_tokens=16, timeout=60, **settings(model, blocks), **options
    )
    return [[token for token in tokens if token not in model.vocabulary.eos] for tokens in found]


def alone(model: gk.Model, prompt, constraint, **options) -> list[int]:
    tokens = model.generate(prompt, constraint, temperature=0, max_tokens=16, **options).tokens
    return [token for token in tokens if token not in model.vocabulary.eos]


def test_texts_are_those_of_one_call_each():
    """Beside biases."""
    model, plain = gk.Model(small_llama()), gk.Model(small_llama())
    bias = plain.logit_bias({"cat": 1.0, " hat": -2.0})
    prompts, constraints = PROMPTS[:3], CONSTRAINTS[:3]
    found = batch(model, prompts, constraints, guides=[bias])
    assert found == [alone(plain, *pair, guides=[bias]) for pair in zip(prompts, constraints, strict=True)]
    free = batch(gk.Model(small_llama()), PROMPTS)
    assert free == [alone(plain, prompt, None) for prompt in PROMPTS]
    assert free[:3] != found  # the constraint acts


@pytest.mark.slow
def test_formulas_and_few_blocks():
    """Another model beside the engine's; and few blocks for many requests."""
    plain, other = gk.Model(small_llama()), gk.Model(tuned())
    expected = [alone(plain + 0.5 * other, prompt, CONSTRAINTS[0]) for prompt in PROMPTS]
    assert batch(gk.Model(small_llama()) + 0.5 * other, PROMPTS, CONSTRAINTS[0]) == expected
    many = PROMPTS * 3
    found = batch(gk.Model(small_llama()), many, CONSTRAINTS[1], blocks=6)
    assert found == [alone(plain, prompt, CONSTRAINTS[1]) for prompt in many]


def tuned() -> TransformersModel:
    """Model with other weights and the same tokens."""
    made = small_llama()
    for parameter in made.model.parameters():
        parameter.data = parameter.data.flip(0)
    return made


def test_refusals():
    model = gk.Model(small_llama())
    for refused, message in (
        (gk.Model(small("T5")), "has an encoder"),
        (model + 0.5 * model.given("not: "), "cannot be a term with another prompt"),
    ):
        with pytest.raises(OptionError, match=message):
            guided_batch(refused, ["a"], max_new_tokens=2)
    with pytest.raises(OptionError, match="use_async_batching=False"):
        guided_batch(
            model, ["a"], max_new_tokens=2, continuous_batching_config=ContinuousBatchingConfig(use_async_batching=True)
        )
