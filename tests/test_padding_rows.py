"""Rows of logits that stand for no token take no place in a truncation, whoever asks; against float64 numpy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from marks import thinned
from toy_models import speakable

from guidance_kit.decoding.asap import Asap
from guidance_kit.decoding.batching import generate_in_batches
from guidance_kit.decoding.importance import Importance
from guidance_kit.decoding.label_scores import score_labels
from guidance_kit.decoding.label_trie import LabelTrie
from guidance_kit.decoding.options import Options
from guidance_kit.decoding.sampling import Sampling
from guidance_kit.decoding.tabular import TabularModel
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.grammars.regex import regex
from guidance_kit.guides.constraint import ConstraintGuide
from guidance_kit.steering.ensemble import Ensemble
from guidance_kit.steering.formula import Formula
from guidance_kit.vocabulary import Vocabulary

END, A, B = range(3)
PADDED = Vocabulary(token_bytes=(b"", b"a", b"b"), special=frozenset({END}), eos=(END,), rows=5)
"""An end of sequence, two texts, and two rows of padding."""

MODEL = TabularModel(PADDED, np.log([0.02, 0.30, 0.20, 0.24, 0.24]))
LIMITS = [{"top_k": 1}, {"top_k": 2}, {"top_k": 3}, {"top_p": 0.55}, {"top_p": 0.9}, {"min_p": 0.5}, {"min_p": 0.05}]


def chances(model: TabularModel, prefix, *, top_k=None, top_p=None, min_p=None) -> np.ndarray:
    """What is left of the tokens of a model after truncation: float64, (rows,); without ties."""
    found = model.probabilities(prefix) * speakable(PADDED)
    found /= found.sum()
    order = np.argsort(-found)
    count = 3 if top_k is None else top_k
    if top_p is not None:
        count = int((found[order].cumsum() < top_p).sum()) + 1
    kept = [token for token in order[:count] if min_p is None or found[token] >= min_p * found.max()]
    left = np.zeros_like(found)
    left[kept] = found[kept]
    return left / left.sum()


def aligned(distribution, pattern: str, decoder, seed: int = 0):
    guide = ConstraintGuide(Matcher(regex(pattern).compile(PADDED)))
    options = Options(decoder=decoder, sampling=Sampling(seed=seed), max_tokens=4)
    pairs = generate_in_batches(distribution, PADDED, [[A]], batch_size=64, options=options, constraint=guide)
    return next(pairs)[1].aligned


@pytest.mark.parametrize("decoder", [Importance(particles=4), Asap(samples=4)])
def test_an_aligned_text_of_one_token(decoder):
    """P("b", end) = .20 / .52 * .02 / .52: all three tokens are kept."""
    found = aligned(Ensemble(Formula.of(MODEL).keep(top_k=3)), "b", decoder)
    assert found.probability == pytest.approx(0.2 * 0.02 / 0.52**2, rel=1e-6)


def random_model(seed: int) -> TabularModel:
    table = np.random.default_rng(seed).normal(size=(PADDED.rows + 1, PADDED.rows))
    table[:, 3:] += 2.0
    return TabularModel(PADDED, table)


@pytest.mark.parametrize("limits", thinned(LIMITS, 4), ids=str)
def test_upper_bounds_hold_and_estimates_are_unbiased(limits):
    """Of texts of up to three letters, by enumeration."""
    compared = 0
    for seed in range(3):
        model = random_model(seed)
        texts = model.sequences([A], 4, lambda tokens, m=model: chances(m, [A, *tokens], **limits))
        true = sum(chance for tokens, chance in texts.items() if tokens[-1] == END and set(tokens[:-1]) == {B})
        if true == 0:
            continue
        compared += 1
        ensemble = Ensemble(Formula.of(model).keep(**limits))
        for draw in range(3):
            found = aligned(ensemble, "b{1,3}", Asap(samples=6), draw)
            assert found.upper_bound >= math.log(true) - 1e-6
        found = aligned(ensemble, "b{1,3}", Asap(samples=60))
        assert found.upper_bound == pytest.approx(math.log(true), abs=1e-6)
    assert compared or limits == {"top_k": 1}


@pytest.mark.parametrize("limits", LIMITS, ids=str)
def test_label_scores(limits):
    labels = [(A,), (A, B), (B, B, A), (B,)]
    for seed in range(6):
        model = random_model(seed)
        ensemble = Ensemble(Formula.of(model).keep(**limits))
        found = np.exp(score_labels(ensemble, PADDED, [[B]], LabelTrie(labels), end="eos")[0])
        expected = [
            np.prod([chances(model, [B, *label[:end]], **limits)[(*label, END)[end]] for end in range(len(label) + 1)])
            for label in labels
        ]
        np.testing.assert_allclose(found, expected, atol=1e-10)
