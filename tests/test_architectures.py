"""Architectures: the answers of each are those of a text that is read alone; the page says how."""

from __future__ import annotations

import pytest
import torch
import transformers
from architectures import FAMILIES, small_model, support

from guidance_kit.errors import ContextLengthError, ModelError
from guidance_kit.models import LanguageModel
from guidance_kit.models.architectures import EXACT
from guidance_kit.models.weights import Weights
from guidance_kit.vocabulary import Vocabulary
from tests.small_models import recomputed
from tools.document_architectures import BEGIN, END, PAGE, table


def wrapped(family: str) -> LanguageModel:
    return LanguageModel(small_model(family), vocabulary=Vocabulary.from_bytes(rows=260, eos=257))


@pytest.mark.slow
def test_the_page_is_what_architectures_do():
    """Those in the list are not tried first, as in use; a wrong entry gives wrong answers here."""
    found = {family: support(family) for family in sorted(FAMILIES)}
    assert {family for family, (kind, _) in found.items() if kind == "any"} == EXACT
    if f"transformers {transformers.__version__}:" in (page := PAGE.read_text("utf-8")):
        assert page.partition(BEGIN)[2].partition(END)[0].strip() == table(found).strip()


@pytest.mark.parametrize("family", ["roberta", "xlm-roberta", "camembert", "data2vec-text", "xmod"])
def test_positions_begin_behind_that_of_padding(family):
    assert support(family) == ("any", "")


def test_the_longest_prompt_of_a_roberta_runs():
    model = wrapped("roberta")
    assert model.context_length == 160 - 2  # positions 0 and 1 are not those of tokens
    longest = [[2 + place % 250 for place in range(158)]]
    difference = (model.logits(longest) - recomputed(model, longest)).abs().max()
    assert difference <= 1e-4 * recomputed(model, longest).std()
    with pytest.raises(ContextLengthError):
        model.logits([longest[0] + [5]])


@pytest.mark.parametrize("family", ["nemotron_h", "zamba2"])
def test_states_whose_time_steps_are_clamped_only_in_whole_texts_are_not_used(family):
    assert support(family) == ("none", "")


def test_models_that_padding_disturbs_are_read_without_it():
    """The text decoder of GIT attends to padding; Moshi's own cache is no continuation of a text."""
    assert support("git")[0] in ("forward", "none")


@pytest.mark.parametrize(("family", "said"), [("xlnet", "XLNetLMHeadModel is not causal"), ("xlm", "is not causal")])
def test_models_that_look_ahead_are_refused(family, said):
    with pytest.raises(ModelError, match=said):
        wrapped(family).logits([[5, 6, 7]])


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
    model = wrapped("minimax")
    assert model.weights.cache_kind == "none"
    assert any("does not continue exactly" in str(warning.message) for warning in recwarn)
