"""The model on which decoders are tested, itself against direct computation."""

from __future__ import annotations

import numpy as np
import pytest
from toy_models import ABC, EOS, A, B

from guidance_kit.decoding.tabular import TabularModel


@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_logits_are_those_of_the_last_tokens(order):
    model = TabularModel.random(ABC, order=order, seed=order)
    prefixes = [[A, B, A, A], [B, B], [A, A, B]]
    block = model.logits(prefixes, 2)
    assert block.shape == (3, 2, ABC.rows)
    for prefix, answers in zip(prefixes, block, strict=True):
        for back, answer in enumerate([prefix[:-1], prefix]):
            padded = [ABC.rows] * 4 + answer
            index = tuple(padded[len(padded) - order :])
            np.testing.assert_allclose(answers[back], model.table[index], rtol=1e-6)


def test_sequences_sum_to_one_and_multiply():
    model = TabularModel.random(ABC, order=2, seed=3)
    sequences = model.sequences([B], 3)
    assert sum(sequences.values()) == pytest.approx(1, abs=1e-12)
    assert all(len(tokens) == 3 or tokens[-1] == EOS for tokens in sequences)
    product = model.probabilities([B])[A] * model.probabilities([B, A])[B] * model.probabilities([B, A, B])[A]
    assert sequences[A, B, A] == pytest.approx(product)
    assert len(sequences) == 1 + 6 + 36 * 7


def test_a_table_of_another_shape_is_refused():
    with pytest.raises(ValueError, match="7 rows"):
        TabularModel(ABC, np.zeros((7, 7)))
