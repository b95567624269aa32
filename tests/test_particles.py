"""Particles, adaptive rejection and CARS against enumeration: laws, normalising constants, and what goes wrong."""

from __future__ import annotations

import math
import re
from collections import Counter
from functools import cache

import numpy as np
import pytest
import torch
from marks import slow, thinned
from small_models import small_llama
from statistics_of_samples import chi_square
from toy_models import ABC, EOS, A, unconstrained

import guidance_kit as gk
from guidance_kit.decoding.adaptive_rejection import draw_accepted
from guidance_kit.decoding.batching import generate_in_batches
from guidance_kit.decoding.cars import Cars
from guidance_kit.decoding.expected_futures import AsapMemory
from guidance_kit.decoding.options import Options
from guidance_kit.decoding.particles import Particles
from guidance_kit.decoding.potential import CachedPotential, partial_text
from guidance_kit.decoding.sample import Sample
from guidance_kit.decoding.sampling import Sampling
from guidance_kit.decoding.tabular import TabularModel
from guidance_kit.errors import BatchError, ConstraintError, OptionError, PotentialError
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.grammars.regex import regex
from guidance_kit.guides.constraint import ConstraintGuide

MODEL = TabularModel.random(ABC, order=2, scale=0.7, seed=2)


def no_double_b(texts: list[str]) -> list[bool]:
    return ["bb" not in text for text in texts]


def favour_a(texts: list[str]) -> list[float]:
    return [0.9 * text.count("a") - 0.4 * len(text) for text in texts]


def ends_in_a(texts: list[str]) -> list[bool]:
    return [text.endswith("a") for text in texts]


MOST = {"(a|b){2,4}": 5, None: 3}
"""Maximum number of tokens under each constraint."""


@cache
def masses(pattern: str | None, potential, final=None) -> dict[tuple[int, ...], float]:
    """Probability times potential of every text, by enumeration."""
    found = {}
    for tokens, chance in unconstrained(MODEL, [A], MOST[pattern]).items():
        text = ABC.text_of(tokens).decode()
        is_end = tokens[-1] == EOS
        if pattern is not None and not (is_end and set(tokens[:-1]) <= {2, 3, 4} and re.fullmatch(pattern, text)):
            continue
        last = final if final is not None and is_end else potential
        (value,) = last([text])
        if isinstance(value, bool):
            prefixes = [ABC.text_of(tokens[:end]).decode() for end in range(1, len(tokens) + 1 - is_end)]
            value = 0.0 if value and all(potential(prefixes)) else -math.inf
        if value > -math.inf:
            found[tokens] = chance * math.exp(value)
    return found


def draw(pattern: str | None, decoder, count: int, seed: int = 1):
    """Completions of one prompt, of independent seeds."""
    found = generate_in_batches(
        MODEL,
        ABC,
        [[A]] * count,
        batch_size=100_000,
        options=Options(decoder=decoder, sampling=Sampling(seed=seed), max_tokens=MOST[pattern]),
        constraint=None if pattern is None else ConstraintGuide(Matcher(regex(pattern).compile(ABC))),
    )
    return [completion for _, completion in sorted(found)]


def runs(pattern: str | None, decoder, count: int):
    """Completions of the runs in which a particle was left; the others have the weight 0."""
    try:
        return draw(pattern, decoder, count)
    except BatchError as error:
        failed, left = error.errors.values(), [one for one in error.results if one is not None]
    assert all("texts came to where" in str(one) for one in failed)
    return left


def deviations(found, expected: dict, count: int) -> list[float]:
    """Standard errors by which the mean weight of each text, and of all, is off its mass; rare texts left out."""
    sums: dict[tuple[int, ...] | None, list[float]] = {}
    for completion in found:
        of_run: Counter[tuple[int, ...] | None] = Counter({None: completion.aligned.probability})
        for candidate in completion.aligned.candidates:
            of_run[candidate.tokens] += candidate.weight * completion.aligned.probability
        for tokens, weight in of_run.items():
            sums.setdefault(tokens, []).append(weight)
    off = []
    for tokens, values in sums.items():
        if tokens is not None and len(values) < 20:
            continue
        wanted = sum(expected.values()) if tokens is None else expected.get(tokens, 0.0)
        estimates = np.array([*values, *[0.0] * (count - len(values))])
        off.append(abs(estimates.mean() - wanted) / (estimates.std() / count**0.5 + 1e-6))
    return off


WEIGHTED = {
    "predicate": ("(a|b){2,4}", Particles(6, potential=no_double_b, resample_below=0.9), no_double_b, None),
    "score": ("(a|b){2,4}", Particles(6, potential=favour_a, resample_below=1), favour_a, None),
    "no constraint": (None, Particles(6, potential=favour_a), favour_a, None),
    "final": ("(a|b){2,4}", Particles(6, potential=no_double_b, final=ends_in_a), no_double_b, ends_in_a),
    "count": ("(a|b){2,4}", Particles(6, potential=favour_a, proposal="count", resample_below=0.9), favour_a, None),
    "mass, final": (
        "(a|b){2,4}", Particles(16, potential=no_double_b, final=ends_in_a, proposal="mass"), no_double_b, ends_in_a,
    ),
    "rejection": ("(a|b){2,4}", Particles(4, potential=no_double_b, proposal="rejection"), no_double_b, None),
    "rejection, bounded": (
        None, Particles(4, potential=no_double_b, proposal="rejection", max_rejections=1), no_double_b, None,
    ),
    "rejection, final": (
        "(a|b){2,4}", Particles(4, potential=no_double_b, final=ends_in_a, proposal="rejection"), no_double_b,
        ends_in_a,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", thinned(WEIGHTED, 3))
def test_weights_are_unbiased(name):
    """For any number of particles: all means are within 5 standard errors, and not those of another target.

    Some 15 means are compared in each case: one would be off by as much in 100,000 such tests.
    """
    pattern, decoder, potential, final = WEIGHTED[name]
    count = 200
    found = runs(pattern, decoder, count)
    expected = masses(pattern, potential, final)
    off = deviations(found, expected, count)
    assert len(off) >= 4
    assert max(off) < 5
    wrong = masses(pattern, lambda texts: [True] * len(texts))  # the potential left out: the negative control
    assert max(deviations(found, wrong, count)) > 5
    assert all({candidate.tokens for candidate in one.aligned.candidates} <= set(expected) for one in found)


def normalised(weights: dict) -> dict:
    return {tokens: weight / sum(weights.values()) for tokens, weight in weights.items()}


@pytest.mark.parametrize(
    "decoder",
    [
        Particles(64, potential=no_double_b),
        *slow(Particles(48, potential=no_double_b, proposal="rejection")),
        *slow(Cars(predicate=no_double_b, at_once=3)),
    ],
    ids=lambda decoder: type(decoder).__name__,
)
def test_the_text_that_is_taken_is_from_the_target(decoder):
    """With 64 particles the bias is some per cent, which 60 texts do not show; CARS has none."""
    count = 400 if isinstance(decoder, Cars) else 60
    target = normalised(masses("(a|b){2,4}", no_double_b))
    tokens = [one.tokens for one in draw("(a|b){2,4}", decoder, count)]
    statistic, limit = chi_square(tokens, target)
    assert statistic < limit


def test_masks_alone_are_not_the_target():
    """The negative control of the test above: masked sampling, of whose texts those with "bb" are thrown away."""
    target = normalised(masses("(a|b){2,4}", no_double_b))
    found = draw("(a|b){2,4}", Sample(), 600)
    tokens = [one.tokens if one.tokens[-1] == EOS else (*one.tokens, EOS) for one in found]
    statistic, limit = chi_square([one for one in tokens if one in target], target)
    assert statistic > limit


def test_cars_is_exact_in_every_attempt_and_with_what_was_learnt():
    """One prompt after the other with one memory: exact from the first, and accepted ever sooner."""
    memory = AsapMemory()
    target = normalised(masses("(a|b){2,4}", no_double_b))
    found = [
        draw("(a|b){2,4}", Cars(predicate=no_double_b, memory=memory, at_once=2), 1, seed=seed)[0]
        for seed in range(300)
    ]
    statistic, limit = chi_square([one.tokens for one in found], target)
    assert statistic < limit
    total = sum(masses("(a|b){2,4}", no_double_b).values())
    bounds = [one.aligned.upper_bound for one in found]
    assert bounds == sorted(bounds, reverse=True)
    assert total - 1e-6 <= math.exp(bounds[-1]) < total * 1.05
    assert found[0].aligned.effective_size == 1


@pytest.mark.slow
def test_the_estimate_of_cars_is_unbiased():
    """The mean weight of the first round, for the probability of valid texts: within 5 standard errors."""
    found = draw("(a|b){2,4}", Cars(predicate=no_double_b, at_once=4), 300)
    values = np.array([one.aligned.probability for one in found])
    total = sum(masses("(a|b){2,4}", no_double_b).values())
    assert values.mean() == pytest.approx(total, abs=5 * values.std() / len(values) ** 0.5)
    assert abs(values.mean() - sum(masses("(a|b){2,4}", lambda texts: [True] * len(texts)).values())) > 0.01


def test_cars_without_an_accepted_text_says_so_and_others_go_on():
    decoder = Cars(predicate=lambda texts: [False] * len(texts), attempts=6, at_once=4)
    with pytest.raises(BatchError) as caught:
        draw("(a|b){2,4}", decoder, 2)
    assert all("none of 6 attempts was accepted" in str(error) for error in caught.value.errors.values())
    with pytest.raises(ConstraintError, match="texts a probability of at most"):
        draw("(a|b){2,4}", decoder, 1)


# Adaptive rejection

LAW = np.array([0.3, 0.05, 0.25, 0.1, 0.2])
GOOD = [1, 3, 4]


@pytest.mark.parametrize("most", [None, *slow(1, 2)])
def test_adaptive_rejection_is_the_exact_mask_and_its_mass(most):
    """Tokens by chi-square; the mean estimate, alone and for each token, within 5 standard errors.

    As no mass is left for other tokens, the law is not normalised: the masses sum to 0.9.
    """
    count = 4000
    logprobs = torch.tensor(LAW).log().expand(count, -1)
    rejections: Counter[int] = Counter()

    def accepts(pairs):
        rejections.update(row for row, token in pairs if token not in GOOD)
        return [token in GOOD for _, token in pairs]

    found = draw_accepted(logprobs, accepts, range(count), max_rejections=most)
    for token in (*GOOD, None):
        weights = np.array([math.exp(mass) if token in (None, drawn) else 0.0 for drawn, mass in found])
        wanted = LAW[GOOD].sum() if token is None else LAW[token]
        assert weights.mean() == pytest.approx(wanted, abs=5 * weights.std() / count**0.5)
        assert weights.std() > 0
    drawn = [token for token, mass in found if mass > -math.inf]
    statistic, limit = chi_square(drawn, {token: LAW[token] / LAW[GOOD].sum() for token in GOOD})
    assert statistic < limit
    if most is None:
        # Negative control: l_0 / (m + 1), which is right for draws with replacement alone.
        wrong = np.array([LAW.sum() / (1 + rejections[row]) for row in range(count)])
        assert abs(wrong.mean() - LAW[GOOD].sum()) > 5 * wrong.std() / count**0.5
        assert len(drawn) == count


def test_adaptive_rejection_evaluates_drawn_tokens_alone():
    """A predicate that holds for nearly all of 50,000 tokens is evaluated on few; one that holds for none, on all."""
    logprobs = torch.zeros(4, 50_000, dtype=torch.float64).log_softmax(-1)
    asked: list[tuple[int, int]] = []

    def mostly(pairs):
        asked.extend(pairs)
        return [token % 10 != 0 for _, token in pairs]

    found = draw_accepted(logprobs, mostly, range(4))
    assert len(asked) < 40
    assert len(set(asked)) == len(asked)
    assert all(token % 10 for token, _ in found)
    few = torch.full((1, 50), -torch.inf, dtype=torch.float64)
    few[0, :5] = -1.0
    asked.clear()
    ((_, mass),) = draw_accepted(few, lambda pairs: [asked.append(pair) is not None for pair in pairs], [1])
    assert mass == -math.inf
    assert sorted(asked) == [(0, token) for token in range(5)]
    assert draw_accepted(torch.full((1, 9), -torch.inf), mostly, [1])[0][1] == -math.inf


# Potentials


def test_each_text_is_evaluated_once_and_new_ones_together():
    calls: list[list[str]] = []

    def potential(texts):
        calls.append(texts)
        return [len(text) for text in texts]

    cached = CachedPotential(potential, "potential")
    assert cached.values(["a", "bb", "a"]) == [1.0, 2.0, 1.0]
    assert cached.values(["bb", "ccc"]) == [2.0, 3.0]
    assert calls == [["a", "bb"], ["ccc"]]
    assert cached.evaluated == 3
    assert CachedPotential(lambda texts: np.array([True, False]), "p").values(["a", "b"]) == [0.0, -math.inf]
    assert CachedPotential(lambda texts: torch.tensor([0.5]), "p").values(["a"]) == [0.5]


def test_partial_texts_are_whole_characters():
    vocabulary = gk.Vocabulary.from_bytes()
    tokens = list("né".encode())
    assert partial_text(vocabulary, tokens[:2]) == "n"
    assert partial_text(vocabulary, tokens[:2], is_end=True) == "n�"
    assert partial_text(vocabulary, tokens) == "né"


def raising(texts):
    if any("bb" in text for text in texts):
        raise KeyError("no such score")
    return [True] * len(texts)


FAILING = {
    "raises": (raising, r"potential raised KeyError on '\w*bb\w*': 'no such score'"),
    "not a number": (lambda texts: [math.nan if "bb" in text else 0.0 for text in texts], "potential returned nan for"),
    "infinite": (lambda texts: [math.inf if "bb" in text else 0.0 for text in texts], "potential returned inf for"),
    "a text": (lambda texts: ["x" if "bb" in text else 0.0 for text in texts], "potential returned 'x' for"),
    "another number": (
        lambda texts: [0.0] * (len(texts) + any("bb" in text for text in texts)), "returned 2 values for 1 texts",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAILING)
def test_a_potential_that_fails_is_named_and_loses_no_other_text(name):
    potential, message = FAILING[name]
    with pytest.raises(BatchError) as caught:
        draw("(a|b){2,4}", Particles(2, potential=potential), 20)
    errors, results = caught.value.errors, caught.value.results
    assert 0 < len(errors) < 20
    assert {number for number, one in enumerate(results) if one is None} == set(errors)
    for error in errors.values():
        assert isinstance(error, PotentialError)
        assert re.search(message, str(error))
        assert "bb" in error.text


def test_rejection_and_cars_need_a_predicate():
    for decoder in (Particles(2, potential=favour_a, proposal="rejection"), Cars(predicate=favour_a)):
        with pytest.raises(PotentialError, match="rejection needs a predicate, True or False"):
            draw("(a|b){2,4}", decoder, 1)


def test_an_error_teaches_the_memory_nothing():
    memory = AsapMemory()
    with pytest.raises(PotentialError):
        draw("(a|b){2,4}", Cars(predicate=favour_a, memory=memory), 1)
    (root,) = memory._roots.values()
    assert root.bound == 0.0


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: Particles(0), "particles must be"),
        (lambda: Particles(2.5), "particles must be"),
        (lambda: Particles(potential=3), "potential must be a function"),
        (lambda: Particles(final="x"), "final must be a function"),
        (lambda: Particles(proposal="reject"), "did you mean 'rejection'"),
        (lambda: Particles(proposal="rejection"), "needs a potential"),
        (lambda: Particles(potential=len, max_rejections=3), "max_rejections is for"),
        (lambda: Particles(potential=len, proposal="rejection", max_rejections=0), "max_rejections must be"),
        (lambda: Particles(resample_below=2), "resample_below must be"),
        (lambda: Cars(attempts=0), "attempts must be"),
        (lambda: Cars(attempts=3, at_once=4), "at_once must be"),
        (lambda: Cars(predicate=1), "predicate must be a function"),
        (lambda: Cars(memory={}), "memory must be"),
        (lambda: Options(decoder=Particles(), sampling=Sampling(temperature=0)), "needs a temperature above 0"),
        (lambda: Options(decoder=Cars(), stop=("x",)), "stop and decoder='cars' exclude each other"),
    ],
)
def test_bad_settings_are_named(make, named):
    with pytest.raises(OptionError, match=named):
        make()


# Through the front door


@pytest.mark.parametrize(
    "decoder",
    [
        gk.Particles(8, potential=lambda texts: ["e" not in text for text in texts]),
        gk.Particles(4, potential=lambda texts: ["e" not in text for text in texts], proposal="rejection"),
        *slow(gk.Cars(predicate=lambda texts: ["e" not in text for text in texts], at_once=4)),
    ],
    ids=["mask", "rejection", "cars"],
)
def test_the_front_door(decoder):
    model = gk.Model(small_llama())
    prompts = ["the cat", "so it is"]
    options = {"decoder": decoder, "seed": 4, "max_tokens": 10}
    for constraint in (gk.regex("[a-g ]{3,6}"), None):
        if constraint is None and isinstance(decoder, gk.Cars):
            continue  # whose every attempt may hold an e somewhere in 10 free tokens
        together = model.generate(prompts, constraint, **options)
        assert all("e" not in one.text for one in together)
        apart = model.generate(prompts, constraint, batch_size=1, **options)
        assert [one.tokens for one in together] == [one.tokens for one in apart]
        for prompt, one in zip(prompts, together, strict=True):
            alone = model.generate(prompt, constraint, **{**options, "seed": one.seed})
            assert alone.tokens == one.tokens
            assert math.isfinite(one.aligned.log_probability)
        assert len(model.generate(prompts[0], constraint, n=2, **options)) == 2
    formula = 1.5 * model - 0.5 * model.given("Say: ")
    assert "e" not in formula.generate("so", gk.regex("[a-g]{2}"), guides=gk.NoRepeatNgrams(1), **options).text
    with pytest.raises(OptionError, match="has no pieces"):
        model.stream("x", gk.regex("a"), decoder=decoder)
    if isinstance(decoder, gk.Particles):
        assert model.generate("x", max_tokens=3, decoder=gk.Particles(2), seed=1).aligned.probability == pytest.approx(
            1
        )
    else:
        with pytest.raises(OptionError, match="decoder='cars' draws texts given a constraint"):
            model.generate("x", decoder=gk.Cars())
