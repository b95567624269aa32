"""Smaller models of the same weights: early layers, and a cache of bounded size, against plain forward passes."""

from __future__ import annotations

import contextlib

import pytest
import torch
from architectures import small_model, wrapped
from marks import slow
from random_questions import script
from small_models import ATTENTION, FORWARD_ONLY, random_model, small_llama

import guidance_kit as gk
from guidance_kit.errors import ModelError, OptionError
from guidance_kit.models.architectures import CACHES
from guidance_kit.models.early_layers import early_layers
from guidance_kit.models.forward import Forward
from guidance_kit.models.sink_cache import MARGIN, Bounds, SinkCache

LLAMA = random_model("Llama")
TEXT = [3 + 7 * place % 250 for place in range(24)]
LAST_NORM = {"GPT-2": "transformer.ln_f", "Mamba": "backbone.norm_f", "OPT": "model.decoder.final_layer_norm"}


def early_logits(model, layers: list, norm, count: int, text: list[int]):
    """Logits of the output of a layer of the whole model through its norm and head."""
    found = []
    hook = layers[count - 1].register_forward_hook(lambda _module, _args, output: found.append(output))
    with torch.inference_mode():
        model(input_ids=torch.tensor([text]), use_cache=False)
        hook.remove()
        states = found[0] if isinstance(found[0], torch.Tensor) else found[0][0]
        return model.get_output_embeddings()(norm(states))[0]


@pytest.mark.parametrize("name", ["Llama", "GPT-2", "Qwen 3", "Mistral", "GPT-OSS", "OPT", "Mamba"])
def test_early_layers_are_the_output_of_a_layer_through_norm_and_head(name):
    whole = random_model(name)
    path = LAST_NORM.get(name, "model.norm")
    body = whole.model.get_submodule(path.rpartition(".")[0])
    layers = body.h if name == "GPT-2" else body.layers
    before = whole.logits([TEXT]).clone()
    for count in range(1, len(layers)):
        early = whole.early_layers(count)
        expected = early_logits(whole.model, list(layers), whole.model.get_submodule(path), count, TEXT)
        torch.testing.assert_close(early.logits([TEXT], 20)[0], expected[4:], atol=2e-4, rtol=2e-4)
        for prefixes, positions in script(seed=1, questions=4):
            texts = [[3 + token % 250 for token in prefix] for prefix in prefixes]
            for row, one in zip(early.logits(texts, positions), texts, strict=True):
                expected = early_logits(whole.model, list(layers), whole.model.get_submodule(path), count, one)
                torch.testing.assert_close(row, expected[-positions:], atol=2e-4, rtol=2e-4)
        assert {weight.data_ptr() for weight in early.model.parameters()} <= {
            weight.data_ptr() for weight in whole.model.parameters()
        }
        assert early.model.config.get_text_config(decoder=True).num_hidden_layers == count
    assert torch.equal(whole.logits([TEXT[:-1], TEXT])[1:], before) or torch.allclose(
        whole.logits([TEXT]), before, atol=1e-5
    )
    assert whole.model.config.num_hidden_layers == len(layers)


def test_early_layers_are_a_model_like_any_other():
    model = gk.Model(LLAMA)
    early = model.early_layers(2)
    assert repr(early).startswith("Model(the first 2 layers of")
    assert early.generate("the", gk.regex("[a-z]{3}"), seed=1).finish_reason == "complete"
    steered = model + 0.5 * (model - early)
    expected = 1.5 * LLAMA.logits([TEXT])[0, -1].log_softmax(-1) - 0.5 * early.language_model.logits([TEXT])[
        0, -1
    ].log_softmax(-1)
    found = steered._ensemble.logits([TEXT])[0, -1]
    torch.testing.assert_close(found.log_softmax(-1), expected.log_softmax(-1), atol=1e-4, rtol=0)


@pytest.mark.slow
def test_most_architectures_have_early_layers():
    """A count of 1 runs no more than the first layer, and is causal."""
    found = []
    for family in sorted(CACHES):
        with contextlib.suppress(ModelError):
            found.append(wrapped(early_layers(Forward(small_model(family)), 1)))
    assert len(found) >= 150
    for model in found:
        assert model.logits([TEXT[:9]]).isfinite().all()


def test_early_layers_that_cannot_be_are_refused_by_name():
    model = gk.Model(LLAMA)
    for count in (0, 3, -1, True, 1.5):
        with pytest.raises(OptionError, match="early layers are a number from 1 to 2 of a model of 3 layers"):
            model.early_layers(count)
    with pytest.raises(OptionError, match="a single model of transformers"):
        (2.0 * model).early_layers(1)
    with pytest.raises(ModelError, match="Gemma3nForCausalLM does not run with its first 2 layers alone"):
        wrapped(small_model("gemma3n_text")).early_layers(2)
    with pytest.raises(ModelError, match="has no single list of its 16 layers"):
        wrapped(small_model("hrm_text")).early_layers(2)
    adapted = small_llama()
    adapted.adapter = "some"
    for made in (lambda: adapted.early_layers(1), lambda: adapted.bounded_cache(window=8)):
        with pytest.raises(ModelError, match="has an adapter"):
            made()


def bounded(model, text: list[int], sinks: int, window: int):
    """Logits of every position by one forward pass whose mask has the sinks and the window."""
    place = torch.arange(len(text))
    seen = (place <= place[:, None]) & ((place > place[:, None] - window) | (place < sinks))
    mask = torch.zeros(seen.shape).masked_fill(~seen, torch.finfo(torch.float32).min)[None, None]
    with torch.inference_mode():
        return model(
            input_ids=torch.tensor([text]), attention_mask=mask, position_ids=place[None], use_cache=False
        ).logits[0]


@pytest.mark.parametrize("name", ["Llama", "GPT-2", *slow("Qwen 3", "Qwen 2")])
@pytest.mark.parametrize(("sinks", "window"), [(2, 5), (0, 1), *slow((4, 9))])
def test_a_bounded_cache_gives_the_logits_of_its_mask(name, sinks, window, monkeypatch):
    monkeypatch.setattr("guidance_kit.models.sink_cache.MARGIN", 3)
    monkeypatch.setattr("guidance_kit.models.sink_cache.LONGEST", 7)
    whole = random_model(name)
    model = whole.bounded_cache(sinks=sinks, window=window)
    for prefixes, positions in script(seed=2, questions=15):
        texts = [[3 + token % 250 for token in prefix] for prefix in prefixes]
        for row, text in zip(model.logits(texts, positions), texts, strict=True):
            expected = bounded(whole.model, text, sinks, window)[-positions:]
            torch.testing.assert_close(row, expected, atol=3e-4, rtol=3e-4)
    if window == 5:  # the oracle can fail: another window has other logits
        assert (model.logits([TEXT])[0, -1] - bounded(whole.model, TEXT, sinks, 6)[-1]).abs().max() > 1e-2


def test_a_bounded_cache_is_exact_up_to_its_window_and_stays_small():
    model = LLAMA.bounded_cache(sinks=4, window=24)
    torch.testing.assert_close(model.logits([TEXT], 24), LLAMA.logits([TEXT], 24), atol=1e-4, rtol=1e-4)
    text = TEXT * 6
    model.logits([text[:30]])
    held = model.bytes
    for length in range(31, len(text)):
        model.logits([text[:length]])
    assert model.bytes == held
    cache = SinkCache(LLAMA.weights.forward, Bounds(4, 24))
    cache.logits([text[:100]])
    assert cache._groups[0].first == [100 - (23 + MARGIN)]


def test_a_bounded_cache_generates_and_is_a_term_of_a_formula():
    model = gk.Model(LLAMA)
    small = model.bounded_cache(window=8)
    assert "with 4 sinks and the last 8 tokens" in repr(small)
    texts = small.generate(["the cat sat", "a"], gk.regex("[a-z ]{20}"), seed=3, n=2)
    alone = small.generate("the cat sat", gk.regex("[a-z ]{20}"), seed=3)
    assert texts[0][0].text == alone.text
    assert (model + (model - small)).generate("the", max_tokens=12, seed=1).tokens


def test_bounded_caches_that_cannot_be_are_refused_by_name():
    model = gk.Model(LLAMA)
    for options in ({"window": 0}, {"window": 8, "sinks": -1}, {"window": True}, {"window": 2.5}):
        with pytest.raises(OptionError, match=r"(window|sinks) must be an integer, at least \d, not"):
            model.bounded_cache(**options)
    with pytest.raises(OptionError, match="a single model of transformers"):
        (2.0 * model).bounded_cache(window=8)
    for name in ("Mistral", "Mamba", "Phi 3, LongRoPE"):
        assert name in ATTENTION | FORWARD_ONLY
        with pytest.raises(ModelError, match="cannot have a bounded cache"):
            random_model(name).bounded_cache(window=8)
    with pytest.raises(ModelError, match="GPTNeoForCausalLM cannot have a bounded cache"):
        wrapped(small_model("gpt_neo")).bounded_cache(window=8)
