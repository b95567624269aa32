"""A model backend in one file: a table of bigrams over bytes, through the public API."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

import guidance_kit as gk
from guidance_kit.decoding.tabular import TabularModel
from guidance_kit.errors import ModelError, OptionError, UnspellableError
from guidance_kit.text_model import TextModel

BYTES = gk.Vocabulary.from_bytes()


class Bigrams(TabularModel):
    """Next bytes by how often they follow the last one in a text."""

    prompt_style = "instruction"
    has_chat_template = False
    start_token = 32

    def __init__(self, text: str, name: str) -> None:
        counts = np.full((BYTES.rows + 1, BYTES.rows), 1e-3)
        data = text.encode()
        for before, after in itertools.pairwise(data):
            counts[before, after] += 1
        counts[data[-1], BYTES.eos[0]] += 1
        super().__init__(BYTES, np.log(counts), name=name)

    def encode(self, text: str, *, with_special_tokens: bool = True) -> list[int]:
        return list(text.encode())

    def spell(self, text: str) -> list[int]:
        if "\udcff" in text:
            raise UnspellableError(["\udcff"])
        return list(text.encode())

    def chat(self, messages: Sequence[Mapping[str, Any]], **template_options: Any) -> list[int]:
        raise ModelError("there is no chat template")


def model_of(text: str, name: str = "bigrams") -> gk.Model:
    backend: TextModel = Bigrams(text, name)
    return gk.Model(backend)


CATS = model_of("the cat sat on the mat and the cat ate ")
DOGS = model_of("a dog did dig in a bog and a dog hid ", "dogs")


def test_it_generates_under_a_constraint_and_as_a_stream():
    completions = CATS.generate(["the ", "on "], gk.regex("[a-z ]{5,20}"), seed=1, max_tokens=20, n=2)
    assert [len(row) for row in completions] == [2, 2]
    assert all(5 <= len(one.text) <= 20 for row in completions for one in row)
    stream = CATS.stream("the ", gk.regex("[a-z ]{5,20}"), seed=1, max_tokens=20)
    assert "".join(stream) == completions[0][0].text
    assert CATS.generate("", seed=1, max_tokens=3).prompt_tokens == 1  # the start token


def test_it_extracts_and_classifies():
    schema = {"type": "object", "properties": {"n": {"enum": [1, 2]}}, "required": ["n"], "additionalProperties": False}
    record = CATS.extract("the cat sat", gk.json_schema(schema, whitespace="compact"))
    assert record in ({"n": 1}, {"n": 2})
    found = CATS.classify("the cat", ["at", "zz"], prompt="about {} c".format)
    assert found.label == "at"
    assert found.probability > 0.99


@pytest.mark.parametrize("decoder", ["importance", "asap"])
def test_every_decoder_runs_on_it(decoder):
    completion = CATS.generate("th", gk.choice(["e cat", "xyz"]), decoder=decoder, seed=1)
    assert completion.text == "e cat"


def test_formulas_are_made_of_it():
    """Proxy-tuning: what makes dogs of cats, by the difference of the two."""
    steered = CATS + 1.0 * (DOGS - CATS)
    constraint = gk.regex("[a-z ]{12}")
    plain, twin = (model.generate("a d", constraint, seed=4, logprobs=0) for model in (DOGS, steered))
    assert plain.text == twin.text
    assert plain.log_weight == pytest.approx(twin.log_weight, abs=1e-4)
    biased = CATS.generate("the ", gk.regex("[a-z]"), guides=CATS.logit_bias({"q": 50.0}), temperature=0)
    assert biased.text == "q"


def test_what_it_lacks_is_said():
    with pytest.raises(ModelError, match="there is no chat template"):
        CATS.generate([{"role": "user", "content": "x"}])
    with pytest.raises(OptionError, match="adapters are for models of transformers, and bigrams is none"):
        CATS.with_adapter("polite")
