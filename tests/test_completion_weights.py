"""Measures of completions against enumeration, and proposals weighted by them."""

from __future__ import annotations

import itertools
import math
import re

import numpy as np
import pytest
from small_models import small_llama
from statistics_of_samples import chi_square
from toy_models import ABC, EOS, A, B

import guidance_kit as gk
from guidance_kit.decoding.batching import generate_in_batches
from guidance_kit.decoding.options import Options
from guidance_kit.decoding.particles import Particles
from guidance_kit.decoding.sampling import Sampling
from guidance_kit.decoding.tabular import TabularModel
from guidance_kit.errors import OptionError, UnsupportedFeature
from guidance_kit.fsm import completion_weights
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.grammars.regex import regex
from guidance_kit.guides.constraint import ConstraintGuide
from guidance_kit.vocabulary import Vocabulary

FINITE = ["(a|b){2,4}", "ab|abb|b|bbbbb", "a{3,7}b", "(ab?){1,3}|bb"]
LONGEST = 10
"""Bytes of the longest text that is enumerated; a longer one has a mass below 1e-27."""


def completions(pattern: str, prefix: str) -> list[str]:
    """Completions of a prefix."""
    texts = ("".join(letters) for size in range(LONGEST) for letters in itertools.product("ab", repeat=size))
    return [text for text in texts if re.fullmatch(pattern, prefix + text)]


def measured(measure: str, found: list[str]) -> float:
    return len(found) if measure == "count" else sum(0.5 * 512.0 ** -len(text) for text in found)


@pytest.mark.parametrize(
    ("pattern", "measure"),
    [*itertools.product(FINITE, ["count", "mass"]), ("a*b?", "mass"), ("(ab|b)*a", "mass")],
)
def test_measures_are_those_of_enumeration(pattern, measure):
    matcher, prefix = Matcher(regex(pattern).compile(ABC)), ""
    for step in range(3):
        here, tokens, after = matcher.completion_weights(measure)
        assert math.exp(here) == pytest.approx(measured(measure, completions(pattern, prefix)), rel=1e-9)
        for token, weight in zip(tokens.tolist(), after.tolist(), strict=True):
            if token == EOS:
                assert weight == 0
                continue
            longer = prefix + ABC.text_of([token]).decode()
            assert math.exp(weight) == pytest.approx(measured(measure, completions(pattern, longer)), rel=1e-9)
        following = [token for token in tokens.tolist() if token != EOS]
        if not following:
            break
        matcher.advance(following[step % len(following)])
        prefix += ABC.text_of(following[step % len(following) :][:1]).decode()


def test_long_and_many_texts_do_not_overflow():
    vocabulary = ABC
    here, _, _ = Matcher(regex("[ab]{1100}").compile(vocabulary)).completion_weights("count")
    assert here == pytest.approx(1100 * math.log(2))
    here, _, _ = Matcher(regex("[ab]{1100}").compile(vocabulary)).completion_weights("mass")
    assert here == pytest.approx(1100 * math.log(2 / 512) - math.log(2))


LETTERS = Vocabulary(token_bytes=(b"", b"a", b"b", b"c"), special=frozenset({0}), eos=(0,), rows=4)
UNEVEN = "aaaa|b[abc]{3}|caab"
"""One text begins with a, 27 with b, one with c."""


def drawn(model: TabularModel, pattern: str, decoder, count: int):
    options = Options(decoder=decoder, sampling=Sampling(seed=3), max_tokens=8)
    guide = ConstraintGuide(Matcher(regex(pattern).compile(LETTERS)))
    pairs = generate_in_batches(model, LETTERS, [[1]] * count, batch_size=100_000, options=options, constraint=guide)
    return [one for _, one in sorted(pairs)]


def test_masks_weighted_by_number_draw_evenly_from_a_model_that_knows_nothing():
    """Each text with the same probability; masks alone begin a third of the texts with a: the negative control."""
    even = TabularModel(LETTERS, np.zeros((5, 4)))
    texts = completions_of_letters()
    law = dict.fromkeys(texts, 1 / len(texts))
    found = [one.text for one in drawn(even, UNEVEN, Particles(1, proposal="count"), 600)]
    statistic, limit = chi_square(found, law)
    assert statistic < limit
    masked = [one.text for one in drawn(even, UNEVEN, Particles(1), 600)]
    statistic, limit = chi_square(masked, law)
    assert statistic > limit


def completions_of_letters() -> list[str]:
    texts = ("".join(letters) for size in range(5) for letters in itertools.product("abc", repeat=size))
    return [text for text in texts if re.fullmatch(UNEVEN, text)]


@pytest.mark.slow
def test_fewer_particles_are_lost_where_prefixes_have_few_completions():
    """The effective size of 32 particles that are never resampled; both estimates are near the exact one."""
    model = TabularModel.random(LETTERS, order=1, scale=0.3, seed=4)
    sizes, estimates = {}, {}
    for proposal in ("mask", "count"):
        found = drawn(model, UNEVEN, Particles(32, proposal=proposal, resample_below=0), 40)
        sizes[proposal] = np.mean([one.aligned.effective_size for one in found])
        estimates[proposal] = np.array([one.aligned.probability for one in found])
    assert sizes["count"] > 1.5 * sizes["mask"]
    exact = sum(
        chance
        for tokens, chance in model.sequences([1], 8).items()
        if tokens[-1] == 0 and re.fullmatch(UNEVEN, LETTERS.text_of(tokens).decode())
    )
    for values in estimates.values():
        assert abs(values.mean() - exact) < 5 * values.std() / len(values) ** 0.5
    assert estimates["count"].std() < estimates["mask"].std()


def test_what_cannot_be_counted_is_refused_by_name(monkeypatch):
    def first(constraint, measure, vocabulary=ABC):
        return Matcher(constraint.compile(vocabulary)).completion_weights(measure)

    with pytest.raises(UnsupportedFeature, match=r'endless texts.*take "mass"'):
        first(regex("a*b"), "count")
    recursive = gk.grammar('start: "a" start "b" | "b"\n')
    monkeypatch.setattr(completion_weights, "MOST_CONFIGURATIONS", 500)
    with pytest.raises(UnsupportedFeature, match="more than 500 configurations, as by recursion"):
        first(recursive, "mass")
    with pytest.raises(OptionError, match="draws texts given a constraint, and there is no constraint"):
        next(
            generate_in_batches(
                TabularModel.random(ABC),
                ABC,
                [[A, B]],
                batch_size=8,
                options=Options(decoder=Particles(2, proposal="mass")),
            )
        )


def test_records_are_counted():
    """Three values and two, in either order of the keys."""
    schema = {
        "type": "object",
        "properties": {"a": {"enum": [1, 2, 3]}, "b": {"type": "boolean"}},
        "required": ["a", "b"],
    }
    constraint = gk.json_schema(schema | {"additionalProperties": False}, whitespace="compact")
    here, _, _ = Matcher(constraint.compile(gk.Model(small_llama()).vocabulary)).completion_weights("count")
    assert math.exp(here) == pytest.approx(12)
