"""Probabilities of labels over all tokenisations against the enumeration of every text of a small model."""

from __future__ import annotations

import random

import numpy as np
import pytest
from marks import slow
from test_label_scores import following
from toy_models import ABC, EOS, SPECIAL, A, B

import guidance_kit as gk
from guidance_kit.decoding.label_paths import score_label_paths
from guidance_kit.decoding.label_scores import score_labels
from guidance_kit.decoding.label_trie import LabelTrie
from guidance_kit.decoding.tabular import TabularModel

MODEL = TabularModel.random(ABC, order=2, seed=11)
WORDS = ["a", "b", "ab", "ba", "aab", "abb", "bab", "aba"]


def brute_force(prompt, labels, end) -> np.ndarray:
    """Probabilities of labels, from those of all texts of a few tokens, whatever their tokens are."""
    sums = dict.fromkeys(labels, 0.0)
    longest = max(map(len, labels)) + 1
    for tokens, probability in MODEL.sequences(
        prompt, longest, lambda tokens: following(MODEL, prompt, tokens)
    ).items():
        text = "".join("" if token in (EOS, SPECIAL) else ABC.token_bytes[token].decode() for token in tokens)
        if end == "eos":
            if tokens[-1] == EOS and SPECIAL not in tokens and text in sums:
                sums[text] += probability
            continue
        if SPECIAL in tokens:
            tokens = tokens[: tokens.index(SPECIAL)]
            text = ABC.text_of(tokens).decode()
        begun = [label for label in labels if text.startswith(label)]
        if begun:
            sums[max(begun, key=len)] += probability
    return np.array([sums[label] for label in labels])


@pytest.mark.parametrize("end", ["any", "eos"])
@pytest.mark.parametrize("seed", [*range(3), *slow(*range(3, 25))])
def test_all_tokenisations_equal_brute_force(seed, end):
    rng = random.Random(seed)
    labels = rng.sample(WORDS, rng.randint(1, 5))
    prompts = [rng.choices([SPECIAL, A, B], k=rng.randint(1, 3)) for _ in range(2)]
    found = score_label_paths(MODEL, ABC, prompts, labels, end=end, batch_size=3)
    for prompt, scores in zip(prompts, found, strict=True):
        np.testing.assert_allclose(np.exp(scores), brute_force(prompt, labels, end), rtol=0, atol=1e-8)


def test_one_tokenisation_has_less():
    """Negative control: the sum over usual tokens is another number where a label has several tokenisations."""
    usual = score_labels(MODEL, ABC, [[A]], LabelTrie([[4, B], [B, B]]), end="eos")[0]
    every = score_label_paths(MODEL, ABC, [[A]], ["abb", "bb"], end="eos")[0]
    assert usual[0] < every[0] - 0.01
    assert usual[1] == pytest.approx(every[1])


def test_classify_sums_tokenisations_as_an_option():
    model = gk.load()
    labels = ["late_delivery", "praise", "late"]
    usual = model.classify("Where is my parcel?", labels)
    every = model.classify("Where is my parcel?", labels, tokenizations="all")
    assert every.mass > usual.mass - 1e-5
    assert {one.label for one in every.scores} == set(labels)
    logs = {one.label: one.logprob for one in usual.scores}
    assert any(abs(one.logprob - logs[one.label]) > 0.01 for one in every.scores)
    assert all(one.logprob >= logs[one.label] - 1e-4 for one in every.scores if one.label != "late")
    with pytest.raises(gk.OptionError, match="usual"):
        model.classify("Hm.", labels, tokenizations="any")
