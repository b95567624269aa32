"""Encoder-decoder models: the texts of `generate`, logits without a cache, and each feature or its refusal."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from architectures import support
from encoder_decoder_models import BEGIN, END, PAD, ROWS, generated, small
from marks import slow
from small_models import byte_tokenizer, recomputed
from transformers import LlamaConfig, LlamaForCausalLM

import guidance_kit as gk
from guidance_kit.errors import ContextLengthError, ModelError, OptionError
from guidance_kit.integrations.transformers import GuideProcessor, guided_generate
from guidance_kit.models import TransformersModel
from guidance_kit.models.architectures import CACHES

PROMPTS = ["say it", "what was the colour of the sky on that day?", "x"]
BOTH = ["T5", "BART"]
ALL = [*BOTH, *slow("mT5", "UMT5", "Pegasus", "Marian", "mBART")]
WORDS = gk.regex("(cat|mat|hat)( (cat|mat|hat))*")


def up_to_the_end(tokens) -> list[int]:
    return list(tokens[: tokens.index(END)]) if END in tokens else list(tokens)


@pytest.mark.parametrize("name", ALL)
def test_greedy_texts_are_those_of_transformers(name):
    model = gk.Model(small(name))
    together = model.generate(PROMPTS, temperature=0, max_tokens=24)
    assert [up_to_the_end(one.tokens) for one in together] == generated(model.language_model, PROMPTS, 24)
    alone = [model.generate(prompt, temperature=0, max_tokens=24) for prompt in PROMPTS]
    assert [one.tokens for one in alone] == [one.tokens for one in together]
    assert len({token for one in together for token in one.tokens}) > 1  # or equality says little


@pytest.mark.parametrize("name", ["BART", *slow("T5", "mT5", "UMT5", "Pegasus", "Marian", "mBART")])
def test_beams_are_those_of_transformers(name):
    model = small(name)
    (found,) = gk.Model(model).generate(PROMPTS[:1], gk.regex("[ -~]*"), decoder=gk.Beam(4), max_tokens=12)
    processor = GuideProcessor(
        model.tokenizer(PROMPTS[:1], return_tensors="pt"),
        model.vocabulary,
        constraint=gk.regex("[ -~]*"),
        decoder_start=model.decoder_start,
    )
    (expected,) = generated(
        model, PROMPTS[:1], 12, num_beams=4, length_penalty=0.0, logits_processor=[processor], early_stopping="never"
    )
    assert up_to_the_end(found.tokens) == expected


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["T5ForConditionalGeneration", "BartForConditionalGeneration"])
def test_logits_are_those_of_a_model_without_a_cache(kind):
    """Ragged batches, blocks, branches and shorter prefixes after two sources."""
    assert support(kind) == (CACHES[kind], "")


@pytest.mark.parametrize("name", BOTH)
def test_constrained_texts_are_those_of_transformers_with_our_processor(name):
    """One constraint a prompt, beside biases; the prompts are padded on the right."""
    model = small(name)
    ours = gk.Model(model)
    case = {"constraint": [WORDS, gk.regex("[0-9]{3,5}"), gk.choice(["yes", "no"])]}
    bias = ours.logit_bias({"c": 1.0, "hat": -2.0})
    expected = ours.generate(PROMPTS, case["constraint"], guides=[bias], temperature=0, max_tokens=16)
    inputs = model.tokenizer(PROMPTS, return_tensors="pt", padding=True)
    processor = GuideProcessor(inputs, model.vocabulary, guides=[bias], decoder_start=model.decoder_start, **case)
    for _ in range(2):  # and may be used again
        found = generated(model, PROMPTS, 16, logits_processor=[processor])
        assert found == [up_to_the_end(one.tokens) for one in expected]
    wrong = GuideProcessor(inputs, model.vocabulary, decoder_start=[BEGIN], **case)
    with pytest.raises(ModelError, match="do not begin with"):
        generated(model, PROMPTS, 16, logits_processor=[wrong])


@pytest.mark.parametrize("name", ["T5", *slow("BART")])
def test_formulas_are_sums_of_log_probabilities(name):
    """Proxy-tuning and DExperts under a constraint; each step against float64."""
    base, tuned, untuned = (small(name, seed) for seed in (0, 1, 2))
    formula = gk.Model(base) + 0.7 * (gk.Model(tuned) - gk.Model(untuned))
    distribution, prompt = formula.distribution_after(PROMPTS[0])
    prefixes = [[*prompt, 65, 66, 67], [*prompt, 70]]
    found = distribution.logits(prefixes, 2, starts=[len(prompt)] * 2).double().log_softmax(-1)
    parts = [np.array(recomputed(one, prefixes, 2).double().log_softmax(-1)) for one in (base, tuned, untuned)]
    summed = parts[0] + 0.7 * (parts[1] - parts[2])
    expected = summed - np.log(np.exp(summed).sum(-1, keepdims=True))
    assert np.abs(np.array(found) - expected).max() < 1e-4
    assert np.abs(np.array(found) - parts[0]).max() > 0.1
    (text,) = formula.generate(PROMPTS[:1], WORDS, temperature=0, max_tokens=11)
    inputs = base.tokenizer(PROMPTS[:1], return_tensors="pt")
    (expected,) = generated(
        base, PROMPTS[:1], 11, logits_processor=[GuideProcessor(inputs, formula=formula, constraint=WORDS)]
    )
    assert up_to_the_end(text.tokens) == expected


def test_formulas_with_a_causal_model_need_its_prompt():
    """A causal model of the same vocabulary reads the prompt by its own tokenizer."""
    model, causal = gk.Model(small("T5")), gk.Model(same_vocabulary())
    with pytest.raises(OptionError, match=r"encoder.*given\("):
        (model + 0.5 * causal).generate("ab", max_tokens=2)
    with pytest.raises(OptionError, match=r"encoder.*given\("):
        (causal + 0.5 * model).generate("ab", max_tokens=2)
    formula = model + 0.5 * causal.given(lambda prompt: prompt)
    distribution, prompt = formula.distribution_after("ab")
    found = distribution.logits([[*prompt, 65]], starts=[len(prompt)]).double().log_softmax(-1)
    first = recomputed(model.language_model, [[*prompt, 65]]).double().log_softmax(-1)
    second = recomputed(causal.language_model, [[*causal.language_model.encode("ab"), 65]]).double().log_softmax(-1)
    assert torch.allclose(found, (first + 0.5 * second).log_softmax(-1), atol=1e-4)


def same_vocabulary() -> TransformersModel:
    """Causal model with the tokens of the encoder-decoder models."""
    torch.manual_seed(3)
    config = LlamaConfig(
        vocab_size=ROWS, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4,
        bos_token_id=BEGIN, eos_token_id=END, pad_token_id=PAD, initializer_range=0.3,
    )  # fmt: skip
    return TransformersModel(LlamaForCausalLM(config).eval(), byte_tokenizer())


@pytest.mark.parametrize("name", BOTH)
def test_scores_and_labels_by_enumeration(name):
    """The probability of a label is that of all its texts, by logits without a cache."""
    model = small(name)
    ours = gk.Model(model)
    labels = ["yes", "no", "not at all"]
    prompt = model.prompt_tokens(model.encode("is it?"))

    def log_probability(text: str) -> float:
        tokens = [*prompt, *model.spell(text), END]
        rows = recomputed(model, [tokens[:-1]], len(text) + 1)[0].double().log_softmax(-1)
        return float(sum(row[token] for row, token in zip(rows, tokens[len(prompt) :], strict=True)))

    expected = [log_probability(label) for label in labels]
    scores = ours.score(labels, "is it?", end=True)
    assert [one.log_probability for one in scores] == pytest.approx(expected, abs=1e-4)
    found = ours.classify("is it?", labels, prompt=str, end="eos")
    shares = np.exp(expected) / np.exp(expected).sum()
    scored = {one.label: one.probability for one in found.scores}
    assert [scored[label] for label in labels] == pytest.approx(list(shares), abs=1e-4)


def test_a_source_is_encoded_once(monkeypatch):
    """By all rows, steps, beams and branches; what a batch no longer needs is let go of beyond a bound."""
    model = small("T5")
    encoder, sizes = model.model.get_encoder(), []
    original = type(encoder).forward

    def counted(self, input_ids=None, **options):
        if self is encoder:
            sizes.append(tuple(input_ids.shape))
        return original(self, input_ids, **options)

    monkeypatch.setattr(type(encoder), "forward", counted)
    ours = gk.Model(model)
    ours.generate(PROMPTS, max_tokens=8, temperature=0)
    assert sum(rows for rows, _ in sizes) == 3
    ours.generate(PROMPTS[:1], decoder=gk.Beam(3), max_tokens=8)
    ours.score(["a", "b"], PROMPTS[1])
    assert sum(rows for rows, _ in sizes) == 3
    held = model.bytes
    assert held > 0
    model.clear()
    assert model.bytes == 0
    monkeypatch.setattr("guidance_kit.models.source_encoder.KEPT_BYTES", held // 4)
    for number in range(12):
        ours.generate(f"another prompt, number {number}", max_tokens=2, temperature=0)
    assert model.bytes < held


@pytest.mark.parametrize("name", ["T5", *slow("BART")])
def test_samples_do_not_depend_on_the_batch(name):
    model = gk.Model(small(name))
    together = model.generate(PROMPTS, WORDS, max_tokens=24, seed=5, complete=True)
    for number, prompt in enumerate(PROMPTS):
        alone = model.generate(prompt, WORDS, max_tokens=24, seed=together[number].seed, complete=True)
        assert alone.tokens == together[number].tokens
    assert len({one.text for one in together}) > 1


def test_drafts_do_not_change_texts():
    model = gk.Model(small("T5"))
    plain = model.generate(PROMPTS, WORDS, max_tokens=24, temperature=0)
    for draft in (gk.Model(small("T5", 1)), gk.PromptLookup()):
        drafted = model.generate(PROMPTS, WORDS, max_tokens=24, temperature=0, draft=draft)
        assert [one.tokens for one in drafted] == [one.tokens for one in plain]


def test_prompts():
    """Source, the decoder's first tokens, and nothing twice."""
    t5, bart = small("T5"), small("BART")
    assert t5.encode("a") == t5.spell("a")
    assert bart.encode("a") == [BEGIN, *t5.spell("a")]
    assert t5.prompt_tokens([97]) == t5.prompt_tokens([97, PAD]) == [97, PAD]
    assert t5.prompt_tokens([97, END]) == [97, END, PAD]
    assert t5.prompt_tokens([]) == t5.prompt_tokens([PAD]) == [END, PAD]
    assert t5.prompt_tokens([97, PAD, 98]) == [97, PAD, 98]  # a text that has begun
    assert bart.prompt_tokens([BEGIN, 97]) == bart.prompt_tokens([BEGIN, 97, END]) == [BEGIN, 97, END, BEGIN]
    assert same_vocabulary().prompt_tokens([97]) == [97]
    for prefix in ([97, PAD], [97, END, PAD]):  # one and the same source
        assert torch.equal(t5.logits([prefix]), t5.logits([[97, END, PAD]]))
    assert gk.Model(t5).generate("", max_tokens=3, temperature=0).tokens
    ids = t5.tokenizer("say it")["input_ids"]
    by_text, by_ids = (gk.Model(t5).generate(one, max_tokens=8, temperature=0) for one in ("say it", ids))
    assert by_text.tokens == by_ids.tokens


def test_contexts_of_encoder_and_decoder():
    bart = small("BART", max_position_embeddings=20)
    model = gk.Model(bart)
    assert bart.room(bart.prompt_tokens([97] * 15)) == 18
    assert len(model.generate("a" * 15, gk.regex("[ab]*"), max_tokens=50, temperature=0, min_tokens=18).tokens) == 18
    with pytest.raises(ContextLengthError):
        model.generate("a" * 19, max_tokens=2)
    assert small("T5").context_length is None


def test_refusals():
    model = small("T5")
    ours = gk.Model(model)
    with pytest.raises(ModelError, match="no token 258, with which the decoder begins"):
        model.logits([[97, 98]])
    with pytest.raises(ModelError, match="3 positions asked for, but a prefix has 2 tokens"):
        model.logits([[97, PAD, 98]], 3)
    for derive in (
        lambda: ours.early_exit([1]),
        lambda: ours.early_layers(1),
        lambda: ours.bounded_cache(window=4),
        lambda: ours.generate("a", decoder=gk.ContrastiveSearch(), max_tokens=2),
    ):
        with pytest.raises(ModelError, match="is an encoder-decoder model"):
            derive()
    inputs = model.tokenizer(["a"], return_tensors="pt")
    with pytest.raises(OptionError, match="guided_generate is for causal models, and a T5ForConditionalGeneration"):
        model.model.generate(**inputs, custom_generate=guided_generate, formula=ours)
    start = model.model.generation_config
    start.decoder_start_token_id = start.bos_token_id = model.model.config.bos_token_id = None
    model.model.config.decoder_start_token_id = None
    with pytest.raises(ModelError, match="has no decoder_start_token_id"):
        TransformersModel(model.model, model.tokenizer)
