"""Exact search for the most likely texts, against enumeration, and over many names."""

from __future__ import annotations

import numpy as np
import pytest
from loop_runs import MODEL
from ranked_texts import all_texts, best_of_all, ranked
from small_models import small_llama
from toy_models import A, B, Counting

import guidance_kit as gk
from guidance_kit.decoding.beam import Beam
from guidance_kit.decoding.most_likely import MostLikely
from guidance_kit.errors import BatchError, ConstraintError, OptionError

PROMPTS = [[A], [B, A]]


@pytest.mark.parametrize("pattern", [None, "(a|b){2,4}", "ab|abb|b|bbbbb", "a*b?"])
def test_the_texts_are_the_most_likely_of_all(pattern):
    for prompt, completions in zip(PROMPTS, ranked(MostLikely(5), pattern, PROMPTS, 5), strict=True):
        wanted = best_of_all(all_texts(pattern, prompt, 5))[:5]
        assert [one.text for one in completions] == [text for text, _ in wanted]
        assert np.allclose([one.ranking.score for one in completions], [score for _, score in wanted], atol=1e-5)
        assert all(one.ranking.is_proven for one in completions)


def test_only_prefixes_that_may_be_better_are_computed():
    few = Counting(MODEL)
    ranked(MostLikely(1), "(a|b)*", [[A]], 1, model=few, max_tokens=12)
    assert sum(few.batches) < 200 < 2**12


def test_names_out_of_many_as_a_wide_beam_finds_them():
    model = gk.Model(small_llama())
    names = gk.choice([f"{first}{second}{number}" for first in "abcde" for second in "xyz" for number in range(70)])
    found = model.generate("see ", names, n=3, decoder=MostLikely(3), max_tokens=8)
    wide = model.generate("see ", names, n=3, decoder=Beam(3000), max_tokens=8)
    assert [one.text for one in found] == [one.text for one in wide]
    assert all(one.ranking.is_proven for one in found)
    narrow = model.generate("see ", names, n=1, decoder=Beam(1), max_tokens=8)[0]
    assert narrow.ranking.score <= found[0].ranking.score + 1e-5


def test_a_prompt_beyond_the_limit_fails_alone():
    model = gk.Model(small_llama())
    with pytest.raises(ConstraintError, match="raise max_prefixes"):
        model.generate("x", gk.regex("[a-z]{6,9}"), decoder=MostLikely(2, max_prefixes=20))
    with pytest.raises(BatchError) as caught:
        model.generate(["x", "x"], [gk.regex("[a-z]{6,9}"), gk.choice(["no"])], decoder=MostLikely(1, max_prefixes=20))
    assert list(caught.value.errors) == [0]
    assert caught.value.results[1].text == "no"


def test_settings_out_of_range_are_refused():
    with pytest.raises(OptionError, match="k must be an integer"):
        MostLikely(0)
    with pytest.raises(OptionError, match="max_prefixes must be an integer"):
        MostLikely(1, max_prefixes=0)
