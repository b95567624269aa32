"""Architectures: the answers of each are those of a text that is read alone; the page says how."""

from __future__ import annotations

import pytest
import torch
import transformers
from architectures import FAMILIES, has_siblings, small_config, small_model, support, wrapped
from marks import slow

from guidance_kit.errors import ContextLengthError, ModelError
from guidance_kit.models.architectures import CACHES, SIBLINGS
from guidance_kit.models.forward import Forward
from guidance_kit.models.kv_cache import KVCache
from guidance_kit.models.prefix_classifier import PrefixClassifier
from guidance_kit.models.trial import exact_cache
from guidance_kit.models.weights import Weights
from tests.small_models import recomputed
from tools.document_architectures import BEGIN, END, PAGE, table


@pytest.mark.slow
def test_the_page_is_what_architectures_do():
    found = {family: support(family) for family in sorted(FAMILIES)}
    assert {name: kind for name, (kind, _) in found.items() if kind in ("any", "forward", "none")} == CACHES
    if f"transformers {transformers.__version__}:" in (page := PAGE.read_text("utf-8")):
        assert page.partition(BEGIN)[2].partition(END)[0].strip() == table(found).strip()


@pytest.mark.slow
def test_siblings_are_exact_where_they_are_not_refused():
    assert {name for name, kind in CACHES.items() if kind == "any" and has_siblings(name)} == SIBLINGS


@pytest.mark.parametrize("family", ["axk1", "bert", "gpt2", "llama", "mistral", "opt", "qwen3"])
def test_siblings_of_common_architectures(family):
    assert has_siblings(family)
    assert family in SIBLINGS


def classifier(family: str, **settings) -> transformers.PreTrainedModel:
    torch.manual_seed(0)
    config = small_config(family, num_labels=3, **settings)
    return transformers.AutoModelForSequenceClassification.from_config(config).float().eval()


def test_a_classifier_with_a_mask_of_its_own_is_refused():
    """GPT-Neo adds a local mask to the given one, for which siblings stand one behind the other."""
    assert not has_siblings("gpt_neo")
    with pytest.raises(ModelError, match=r"GPTNeoForSequenceClassification.*a mask of its own.*SequenceClassifier"):
        PrefixClassifier(classifier("gpt_neo"))
    cache = KVCache(Forward(small_model("gpt_neo")))
    cache.logits([[5, 6, 7]])
    with pytest.raises(ValueError, match="does not keep siblings apart"):
        cache.siblings(torch.tensor([[8, 9]]))


def test_a_classifier_whose_settings_exclude_siblings_is_refused():
    """ALiBi biases are made from a mask of padding, so that Falcon with them takes no other mask."""
    PrefixClassifier(classifier("falcon"))
    with pytest.raises(ModelError, match=r"FalconForSequenceClassification.*SequenceClassifier"):
        PrefixClassifier(classifier("falcon", alibi=True))


def test_other_classes_of_a_compared_architecture_are_tried():
    """With a head for masked tokens, ELECTRA reads a text in both directions."""
    assert CACHES["electra"] == "any"
    weights = transformers.ElectraForMaskedLM(small_config("electra", is_decoder=False)).eval()
    with torch.no_grad():
        for parameter in weights.parameters():
            if parameter.ndim > 1:
                parameter.normal_(0, 0.2)
    with pytest.raises(ModelError, match="is not causal"):
        exact_cache(Forward(weights))


@pytest.mark.parametrize("family", ["minimax_m3_vl_text", *slow("axk2", "deepseek_v32", "deepseek_v4", "glm_moe_dsa")])
def test_sparse_attention_is_exact_beyond_what_it_selects(family):
    """These models select 6 tokens, or 2 blocks of 4; the texts have up to 60."""
    assert support(family) == (CACHES[family], "")


def test_doge_is_refused_texts_in_which_it_is_not_causal():
    weights = small_model("doge", keep_window_size=6)
    model = wrapped(weights)
    assert model.context_length == 6
    text = [[5, 6, 7, 8, 9, 10]]
    assert (model.logits(text, 6) - recomputed(model, text, 6)).abs().max() <= 1e-5
    with pytest.raises(ContextLengthError):
        model.logits([[5, 6, 7, 8, 9, 10, 11]])


@pytest.mark.parametrize(
    ("family", "kind"), [("lfm2", "forward"), ("gemma3", "any"), *slow(("llama4", "any"), ("zamba", "forward"))]
)
def test_layers_of_every_kind_are_built(family, kind):
    assert support(family) == (kind, "")
    kinds = set(getattr(small_config(family).get_text_config(decoder=True), "layer_types", ()))
    assert len(kinds) == 2


@pytest.mark.parametrize("family", ["roberta", *slow("xlm-roberta", "camembert", "data2vec-text", "xmod")])
def test_positions_begin_behind_that_of_padding(family):
    assert support(family) == ("any", "")


def test_the_longest_prompt_of_a_roberta_runs():
    model = wrapped(small_model("roberta"))
    assert model.context_length == 160 - 2  # positions 0 and 1 are not those of tokens
    longest = [[2 + place % 250 for place in range(158)]]
    difference = (model.logits(longest) - recomputed(model, longest)).abs().max()
    assert difference <= 1e-4 * recomputed(model, longest).std()
    with pytest.raises(ContextLengthError):
        model.logits([longest[0] + [5]])


@pytest.mark.parametrize("family", ["zamba2", *slow("nemotron_h")])
def test_states_whose_time_steps_are_clamped_only_in_whole_texts_are_not_used(family):
    assert support(family) == ("none", "")


def test_models_that_padding_disturbs_are_read_without_it():
    """The text decoder of GIT attends to padding; Moshi's own cache is no continuation of a text."""
    assert support("git")[0] in ("forward", "none")


@pytest.mark.parametrize(("family", "said"), [("xlnet", "XLNetLMHeadModel is not causal"), ("xlm", "is not causal")])
def test_models_that_look_ahead_are_refused(family, said):
    with pytest.raises(ModelError, match=said):
        wrapped(small_model(family)).logits([[5, 6, 7]])


def test_an_encoder_that_was_not_made_a_decoder_is_refused():
    weights = small_model("bert")
    weights.config.is_decoder = False
    rebuilt = type(weights)(weights.config).eval()
    with torch.no_grad():
        for parameter in rebuilt.parameters():
            if parameter.ndim > 1:
                parameter.normal_(0, 0.2)
    with pytest.raises(ModelError, match="is_decoder"):
        Weights(rebuilt).logits([[5, 6, 7]])


def test_a_model_with_a_cache_of_its_own_is_computed_from_the_start(recwarn):
    model = wrapped(small_model("minimax"))
    assert model.weights.cache_kind == "none"
    assert any("does not continue exactly" in str(warning.message) for warning in recwarn)
