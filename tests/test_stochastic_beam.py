"""Sampling without replacement against its exact law, by enumeration."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from loop_runs import MODEL
from marks import slow
from ranked_texts import all_texts, matcher_of, ranked
from statistics_of_samples import chi_square
from toy_models import A, B

from guidance_kit.decoding.options import Options
from guidance_kit.decoding.sampling import Sampling
from guidance_kit.decoding.stochastic_beam import StochasticBeam, gumbels_below, horvitz_thompson
from guidance_kit.errors import OptionError

PATTERN = "ab|abb|b|bbbbb"
DRAWN = {"sampling": Sampling(seed=3), "max_tokens": 7}


def local_law() -> dict[tuple[int, ...], float]:
    """Probability of each sequence, renormalised at each step over what the constraint allows."""
    found: dict[tuple[int, ...], float] = {}
    for tokens in all_texts(PATTERN, [A], 7):
        prefix, chance, matcher = [A], 1.0, matcher_of(PATTERN)
        for token in tokens:
            weights = MODEL.probabilities(prefix)
            chance *= weights[token] / sum(weights[other] for other in matcher.allowed_tokens())
            matcher.advance(token)
            prefix.append(token)
        found[tokens] = chance
    return found


def pairs_law(law: dict[tuple[int, ...], float]) -> dict[tuple, float]:
    """Ordered pairs without replacement: p_i p_j / (1 - p_i)."""
    return {
        (one, other): chance * law[other] / (1 - chance) for one, chance in law.items() for other in law if other != one
    }


def test_the_exact_law_of_pairs_by_hand():
    """p = (.5, .3, .2): a negative control of the oracle itself."""
    law = pairs_law({(0,): 0.5, (1,): 0.3, (2,): 0.2})
    assert [round(law[pair], 4) for pair in law] == [0.3, 0.2, 0.2143, 0.0857, 0.125, 0.075]


@cache
def thousand_pairs() -> list:
    """Two texts of each of 1,000 prompts, which are equal but for their seeds."""
    return ranked(StochasticBeam(2), PATTERN, [[A]] * 1000, 2, **DRAWN)


def test_ordered_pairs_have_the_law_of_sampling_without_replacement():
    """A law with replacement is rejected, see `chi_square` for the tolerance."""
    law = local_law()
    assert sum(law.values()) == pytest.approx(1)
    pairs = [(first.tokens, second.tokens) for first, second in thousand_pairs()]
    statistic, limit = chi_square(pairs, pairs_law(law))
    assert statistic < limit
    wrong = {pair: law[pair[0]] * law[pair[1]] for pair in pairs_law(law)}
    total = sum(wrong.values())
    statistic, limit = chi_square(pairs, {pair: chance / total for pair, chance in wrong.items()})
    assert statistic > limit


@pytest.mark.parametrize("function", [*slow(lambda one: 1.0), lambda one: len(one.tokens)], ids=["mass", "length"])
def test_estimates_are_unbiased(function):
    """The mean of the estimates lies within 5 standard errors: a deviation of probability below 1e-6.

    A sum without inclusion probabilities does not.
    """
    scores = all_texts(PATTERN, [A], 7)
    weights = [1.0 if function(thousand_pairs()[0][0]) == 1 else len(tokens) for tokens in scores]
    exact = sum(math.exp(score) * weight for score, weight in zip(scores.values(), weights, strict=True))
    found = np.array([horvitz_thompson(texts, function) for texts in thousand_pairs()])
    assert abs(found.mean() - exact) < 5 * found.std() / math.sqrt(len(found))
    plain = [sum(math.exp(one.ranking.log_probability) * function(one) for one in texts) for texts in thousand_pairs()]
    assert abs(np.mean(plain) - exact) > 5 * np.std(plain) / math.sqrt(len(plain))


def test_all_texts_of_a_small_language_are_included_with_certainty():
    (texts,) = ranked(StochasticBeam(50), PATTERN, [[A]], 50, **DRAWN)
    scores = all_texts(PATTERN, [A], 7)
    assert {one.tokens for one in texts} == set(scores)
    assert {one.ranking.inclusion for one in texts} == {1.0}
    assert horvitz_thompson(texts, lambda one: 1.0) == pytest.approx(sum(map(math.exp, scores.values())), rel=1e-5)
    for one in texts:
        assert one.ranking.log_probability == pytest.approx(scores[one.tokens], abs=1e-5)


def test_conditioned_gumbels_have_the_maximum():
    random = np.random.Generator(np.random.PCG64(1))
    for _ in range(20):
        found = gumbels_below(np.log([0.5, 0.3, 0.2]), -0.7, random)
        assert found.max() == pytest.approx(-0.7)


def test_a_batch_gives_what_its_prompts_give_alone():
    together = ranked(StochasticBeam(2), "(a|b){2,4}", [[A], [B]], 2, **DRAWN)
    for prompt, texts in zip([[A], [B]], together, strict=True):
        sampling = Sampling(seed=texts[0].seed)
        (alone,) = ranked(StochasticBeam(2), "(a|b){2,4}", [prompt], 2, sampling=sampling, max_tokens=7)
        assert [one.tokens for one in alone] == [one.tokens for one in texts]


def test_options_out_of_range_are_refused():
    with pytest.raises(OptionError, match="k must be an integer"):
        StochasticBeam(0)
    with pytest.raises(OptionError, match="needs a temperature above 0"):
        Options(decoder=StochasticBeam(), sampling=Sampling(temperature=0))
    with pytest.raises(OptionError, match="inclusion probabilities come from"):
        horvitz_thompson(ranked(StochasticBeam(2), None, [[A]], 1, **DRAWN)[0][:0] or [_plain()], lambda one: 1.0)


def _plain():
    from guidance_kit.decoding.sample import Sample

    return ranked(Sample(), None, [[A]], 1, **DRAWN)[0][0]
