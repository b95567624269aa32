"""Exact search for the most likely texts, against enumeration, and over many names."""

from __future__ import annotations

import numpy as np
import pytest
from loop_runs import MODEL
from ranked_texts import all_texts, best_of_all, ranked
from small_models import small_llama
from toy_models import A, B, Counting

import guidance_kit as gk
from guidance_kit.decoding.batching import generate_in_batches
from guidance_kit.decoding.beam import Beam
from guidance_kit.decoding.most_likely import MostLikely
from guidance_kit.decoding.options import Options
from guidance_kit.decoding.sampling import Sampling
from guidance_kit.decoding.tabular import TabularModel
from guidance_kit.errors import BatchError, ConstraintError, OptionError
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.grammars.choice import choice
from guidance_kit.guides.constraint import ConstraintGuide
from guidance_kit.vocabulary import Vocabulary

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


@pytest.mark.slow
def test_the_best_of_100_000_names_are_found_by_few_prefixes():
    """All names are scored for comparison; the search reads the logits after fewer prefixes than one name in ten has.

    A beam of 100 reads fewer, and proves nothing.
    """
    letters = "abcdefghijklmnopqrstuvwxyz "
    vocabulary = Vocabulary(
        token_bytes=(b"", *(letter.encode() for letter in letters)), special=frozenset({0}), eos=(0,), rows=28
    )
    random = np.random.Generator(np.random.PCG64(0))
    names: dict[str, list[int]] = {}
    while len(names) < 100_000:
        tokens = random.integers(1, 28, size=random.integers(4, 12)).tolist()
        names["".join(letters[token - 1] for token in tokens)] = tokens
    model = TabularModel.random(vocabulary, order=2, seed=1, scale=3)
    logs = model.table - np.logaddexp.reduce(model.table, axis=-1, keepdims=True)
    scores = {name: logs[[28, 1, *tokens[:-1]], [1, *tokens], [*tokens, 0]].sum() for name, tokens in names.items()}
    wanted = sorted(scores.items(), key=lambda pair: -pair[1])[:10]
    constraint = ConstraintGuide(Matcher(choice(list(names)).compile(vocabulary)))

    def search(decoder):
        counting = Counting(model)
        options = Options(decoder=decoder, sampling=Sampling(temperature=0), max_tokens=20)
        pairs = generate_in_batches(
            counting, vocabulary, [[1]], batch_size=256, options=options, samples=10, constraint=constraint
        )
        return [one for _, one in sorted(pairs)], sum(counting.batches)

    found, prefixes = search(MostLikely(10))
    assert [one.text for one in found] == [name for name, _ in wanted]
    assert [one.ranking.score for one in found] == pytest.approx([score for _, score in wanted], abs=1e-4)
    assert all(one.ranking.is_proven for one in found)
    assert prefixes < 10_000
    near, fewer = search(Beam(100))
    assert fewer < prefixes
    assert near[0].ranking.score <= found[0].ranking.score + 1e-5
    assert not all(one.ranking.is_proven for one in near)


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
