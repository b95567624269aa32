"""Options of the loop, and what it refuses: logits that are no numbers, prompts that are none, wrong options."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
import torch
from loop_runs import GREEDY, MODEL, Note, complete
from networks import repeated
from toy_models import AB, ABC, A, B, Counting

from guidance_kit.decoding.generation import generate
from guidance_kit.decoding.options import Options
from guidance_kit.decoding.sampling import Sampling
from guidance_kit.decoding.tabular import TabularModel
from guidance_kit.errors import ConstraintError, ModelError, OptionError, VocabularyError
from guidance_kit.guides.guide import Stage
from guidance_kit.vocabulary import Vocabulary


class Broken(TabularModel):
    """A model that is right until a given prefix length."""

    value = float("nan")

    def row(self, prefix):
        return MODEL.row(prefix) if len(prefix) < 4 else np.full(ABC.rows, self.value)


@pytest.mark.parametrize("sampling", [GREEDY, Sampling(seed=0), Sampling(seed=0, temperature=0.7, top_k=2, top_p=0.5)])
@pytest.mark.parametrize("network", [None, repeated(b"ab", 30, 40)])
def test_nan_is_an_error_that_names_the_step(sampling, network):
    model = Broken(ABC, MODEL.table)
    with pytest.raises(ModelError, match=r"NaN at step 2 \(prompt 1, after 1 tokens\)"):
        complete(model, [[A], [A, B, B]], network=network or repeated(b"ab", 30, 40), sampling=sampling)


@pytest.mark.parametrize("sampling", [GREEDY, Sampling(seed=0)])
def test_infinite_logits_are_an_error(sampling):
    class Infinite(Broken):
        value = float("-inf")

    with pytest.raises(ModelError, match="infinite logits at step 1 "):
        complete(Infinite(ABC, MODEL.table), [[A] * 4], sampling=sampling)


@pytest.mark.parametrize("sampling", [GREEDY, Sampling(seed=0), Sampling(seed=0, top_p=0.5)])
def test_when_nothing_is_left_it_is_said(sampling):
    @dataclass(frozen=True)
    class Ban(Note):
        def adjust(self, logits, state):
            return logits.index_fill(-1, torch.tensor([A, B, AB]), -torch.inf)

    with pytest.raises(ConstraintError, match="no token is left at step 1 "):
        complete(MODEL, [[A]], network=repeated(b"ab", 2), guides=[Ban(Stage.BIAS, [])], sampling=sampling)


def test_an_empty_prompt_is_refused():
    with pytest.raises(ModelError, match="prompt 1 is empty"):
        complete(MODEL, [[A], []])


@pytest.mark.parametrize("token", [-1, ABC.rows])
def test_a_prompt_of_other_tokens_is_refused(token):
    with pytest.raises(VocabularyError, match="prompt 1 has tokens"):
        complete(MODEL, [[A], [A, token]])


def test_another_vocabulary_is_refused():
    with pytest.raises(VocabularyError, match="256"):
        generate(MODEL, Vocabulary.from_bytes(eos=10), [[A]])


def test_refusals_come_before_any_computation():
    counting = Counting(TabularModel(ABC, MODEL.table, context_length=3))
    for prompts in ([[A], []], [[A], [A, B, A]]):
        with pytest.raises(ModelError):
            generate(counting, ABC, prompts)
    assert counting.batches == []


def test_options_from_keywords():
    options = Options.from_keywords({"max_tokens": 7, "stop": "x", "temperature": 0.5, "seed": 3})
    assert options == Options(max_tokens=7, stop=("x",), sampling=Sampling(temperature=0.5, seed=3))
    assert Options.from_keywords({"stop": ["a", "b"]}).stop == ("a", "b")
    assert Options.from_keywords({"stop": None}).stop == ()


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"max_token": 5}, "unknown option 'max_token'; did you mean 'max_tokens'?"),
        ({"temprature": 5}, "did you mean 'temperature'?"),
        ({"sampling": GREEDY}, "unknown option 'sampling'"),
        ({"max_tokens": 0}, "max_tokens must be an integer, at least 1"),
        ({"max_tokens": 2.5}, "max_tokens"),
        ({"stop": ""}, "stop"),
        ({"stop": ["a", 3]}, "stop"),
        ({"stop": 3}, "stop"),
        ({"stop": ["a", "\udce9"]}, "stop has a lone surrogate"),
        ({"logprobs": -1}, "logprobs"),
        ({"logprobs": True}, "logprobs"),
        ({"top_p": "x"}, "top_p"),
    ],
)
def test_wrong_options_are_named(keywords, message):
    with pytest.raises(OptionError) as caught:
        Options.from_keywords(keywords)
    assert message in str(caught.value)
