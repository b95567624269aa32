"""Sampling that keeps the model's proportions, against the exact distribution given the constraint, by enumeration."""

from __future__ import annotations

import copy
import math
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np
import pytest
import torch
from loop_runs import MODEL, run
from marks import slow
from statistics_of_samples import chi_square
from steered_models import base, expert
from steered_models import probabilities as probabilities_of_formula
from toy_models import AB, ABC, EOS, A, B, constrained, speakable

from guidance_kit.decoding.asap import Asap
from guidance_kit.decoding.batching import generate_in_batches
from guidance_kit.decoding.completion import Completion
from guidance_kit.decoding.expected_futures import AsapMemory, AsapSample
from guidance_kit.decoding.importance import Importance
from guidance_kit.decoding.options import Options
from guidance_kit.decoding.sampling import Sampling
from guidance_kit.errors import OptionError
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.grammars.regex import regex
from guidance_kit.guides.constraint import ConstraintGuide
from guidance_kit.guides.logit_bias import LogitBias
from guidance_kit.steering.ensemble import Ensemble

FORMULA = 0.5 * base + 0.8 * expert
BIAS = LogitBias({(B,): 0.7, (A, B): -1.0})


@dataclass(frozen=True)
class Case:
    """A constraint and all that the target depends on."""

    pattern: str
    prompt: tuple[int, ...] = (A,)
    max_tokens: int = 6
    sampling: Sampling = field(default_factory=lambda: Sampling(seed=1))
    guides: tuple = ()
    is_formula: bool = False
    model: object = field(default=MODEL, repr=False)

    @property
    def distribution(self):
        return Ensemble(FORMULA) if self.is_formula else self.model

    def matcher(self) -> Matcher:
        return Matcher(regex(self.pattern).compile(ABC))


CASES = {
    "words": Case("ab|abb|b|bbbbb"),
    "loop": Case("(ab)+", max_tokens=5),
    "free": Case("(a|b){2,4}", prompt=(B, AB)),
    "may be empty": Case("a*b?", max_tokens=5),
    "cut": Case("(a|b)*ab", max_tokens=3),
    "temperature": Case("ab|abb|b|bbbbb", sampling=Sampling(seed=1, temperature=1.7)),
    "top-k": Case("(a|b)+", max_tokens=5, sampling=Sampling(seed=1, top_k=4)),
    "top-p, min-p": Case("(a|b)+", max_tokens=5, sampling=Sampling(seed=1, top_p=0.95, min_p=0.05, temperature=1.3)),
    "guide": Case("ab|abb|b|bbbbb", guides=(BIAS,)),
    "formula": Case("ab|abb|b|bbbbb", is_formula=True),
}


def shaped(probabilities: np.ndarray, sampling: Sampling) -> np.ndarray:
    """Temperature, top-k, top-p and min-p in float64, without ties."""
    with np.errstate(divide="ignore"):
        weights = np.exp(np.log(probabilities) / sampling.temperature)
    order = np.argsort(-weights)
    kept = order[: sampling.top_k]
    if sampling.top_p is not None:
        sums = (weights[kept] / weights[kept].sum()).cumsum()
        kept = kept[: int((sums < sampling.top_p).sum()) + 1]
    if sampling.min_p is not None:
        kept = kept[weights[kept] >= sampling.min_p * weights[kept[0]]]
    left = np.zeros_like(weights)
    left[kept] = weights[kept]
    return left / left.sum()


def free(case: Case, tokens: tuple[int, ...]) -> np.ndarray:
    """What follows without the constraint: float64, (rows,)."""
    prefix = [*case.prompt, *tokens]
    if case.is_formula:
        probabilities = probabilities_of_formula(FORMULA, [prefix], starts=[len(case.prompt)])[0, -1]
    else:
        probabilities = MODEL.probabilities(prefix)
    if case.guides:
        biased = probabilities * np.exp(0.7 * (np.arange(ABC.rows) == B))
        if prefix[-1] == A:
            biased[B] *= math.exp(-1)
        probabilities = biased
    return shaped(probabilities * speakable(ABC), case.sampling)


@cache
def satisfying(name: str) -> dict[tuple[int, ...], float]:
    """The probability of every text without the constraint that satisfies it: those that `re` accepts."""
    case = CASES[name]
    everything = MODEL.sequences(case.prompt, case.max_tokens, lambda tokens: free(case, tokens))
    assert sum(everything.values()) == pytest.approx(1)
    return {
        tokens: probability
        for tokens, probability in everything.items()
        if tokens[-1] == EOS
        and not set(tokens[:-1]) - {A, B, AB}
        and re.fullmatch(case.pattern, ABC.text_of(tokens).decode())
    }


def target(name: str) -> dict[tuple[int, ...], float]:
    """The exact distribution given the constraint."""
    total = sum(satisfying(name).values())
    return {tokens: probability / total for tokens, probability in satisfying(name).items()}


def distance(one: dict, other: dict) -> float:
    """Half the sum of the absolute differences."""
    return sum(abs(one.get(tokens, 0) - other.get(tokens, 0)) for tokens in one.keys() | other.keys()) / 2


def draw(case: Case, decoder, count: int, **options) -> list[Completion]:
    """So many completions of one prompt, of independent seeds."""
    found = generate_in_batches(
        case.distribution,
        ABC,
        [case.prompt] * count,
        batch_size=100_000,
        options=Options(decoder=decoder, sampling=case.sampling, max_tokens=case.max_tokens, **options),
        constraint=ConstraintGuide(case.matcher()),
        guides=case.guides,
    )
    return [completion for _, completion in sorted(found)]


def local(name: str) -> dict[tuple[int, ...], float]:
    """The distribution that the mask brings about, token by token, with the end of the sequence written."""
    case = CASES[name]
    found = constrained(MODEL, case.matcher(), case.prompt, case.max_tokens)
    return {tokens if tokens[-1] == EOS else (*tokens, EOS): chance for tokens, chance in found.items()}


def test_masking_token_by_token_is_not_the_target():
    assert distance(local("words"), target("words")) > 0.2


LONG = ["loop", "free", "may be empty", "temperature", "top-k", "formula"]
"""Cases of many texts or of several models."""

DECODERS = {
    "systematic": Importance(particles=8, resample_below=0.9),
    "residual": Importance(particles=8, resample_below=0.9, resampling="residual"),
    "always": Importance(particles=8, resample_below=1),
    "never": Importance(particles=8, resample_below=0),
}


@pytest.mark.parametrize(
    ("name", "decoder"),
    [
        *((name, "systematic") for name in CASES if name not in LONG),
        *slow(*((name, "systematic") for name in LONG)),
        ("free", "residual"),
        *slow(("free", "always"), ("free", "never")),
    ],
)
def test_weights_are_unbiased(name, decoder):
    """The weight of every text, unnormalised, is its probability on average: exactly, for any number of particles.

    Texts that came up too seldom for their mean to be nearly normal are left out. All means are within 5 standard
    errors: of the some 150 compared, one would not be in 10,000 such tests.
    """
    count = 300
    found = draw(CASES[name], DECODERS[decoder], count)
    sums: dict[tuple[int, ...], list[float]] = {}
    seen: Counter[tuple[int, ...]] = Counter()
    for completion in found:
        of_run: Counter[tuple[int, ...]] = Counter()
        for candidate in completion.aligned.candidates:
            of_run[candidate.tokens] += candidate.weight * completion.aligned.probability
        seen.update(of_run.keys())
        for tokens, weight in of_run.items():
            sums.setdefault(tokens, []).append(weight)
    expected = satisfying(name)
    assert set(sums) <= set(expected)
    compared = 0
    for tokens, values in [*sums.items(), (None, [completion.aligned.probability for completion in found])]:
        estimates = np.array([*values, *[0.0] * (count - len(values))])
        wanted = sum(expected.values()) if tokens is None else expected[tokens]
        if tokens is None or seen[tokens] >= 30:
            assert estimates.mean() == pytest.approx(wanted, abs=5 * estimates.std() / count**0.5 + 1e-6)
            compared += 1
    assert compared >= 3


@pytest.mark.parametrize("count", [500, *slow(2000)])
def test_one_particle_is_the_mask_token_by_token(count):
    for decoder in (Importance(particles=1), Asap(samples=1)):
        tokens = [completion.tokens for completion in draw(CASES["words"], decoder, count)]
        statistic, limit = chi_square(tokens, local("words"))
        assert statistic < limit


@pytest.mark.slow
def test_particles_come_to_the_target():
    """The expected shares of the texts approach the target; the text that is taken has those shares.

    4,800 particles for each N, so that shares are uncertain by about 0.02.
    """
    case = CASES["words"]
    off = {}
    for particles in (1, 4, 64):
        found = draw(case, Importance(particles=particles), 4800 // particles)
        shares: Counter[tuple[int, ...]] = Counter()
        for completion in found:
            for candidate in completion.aligned.candidates:
                shares[candidate.tokens] += candidate.weight / len(found)
        off[particles] = distance(shares, target("words"))
    assert off[1] == pytest.approx(distance(local("words"), target("words")), abs=0.02)
    assert off[1] > off[4] + 0.05 > off[64] + 0.1
    assert off[64] < 0.03


@pytest.mark.parametrize("count", [30, *slow(200)])
@pytest.mark.parametrize("decoder", [Importance(particles=64), Asap(samples=24)])
def test_the_text_that_is_taken_is_from_the_target(decoder, count):
    """With 64 particles the bias is less than 3 %, see above, which 200 texts do not show."""
    found = draw(CASES["words"], decoder, count)
    statistic, limit = chi_square([completion.tokens for completion in found], target("words"))
    assert statistic < limit
    assert {completion.finish_reason for completion in found} == {"complete"}
    assert all(completion.value == completion.text for completion in found)


def next_sample(case: Case, memory: AsapMemory) -> dict[tuple[int, ...], tuple[float, float]]:
    """The next sample exactly, by enumeration: probability and weight of each text; () for those that do not end."""
    (root,) = memory._roots.values()
    found: dict[tuple[int, ...], tuple[float, float]] = {(): (0.0, 0.0)}

    def extend(tokens: tuple[int, ...], chance: float, so_far: AsapSample) -> None:
        if tokens and tokens[-1] == EOS:
            found[tokens] = chance, math.exp(so_far.log_weight)
            return
        matcher = case.matcher()
        matcher.advance_all(tokens)
        allowed = torch.full((ABC.rows,), -torch.inf, dtype=torch.float64)
        left = torch.tensor(matcher.allowed_tokens())
        allowed[left] = torch.tensor(free(case, tokens)).log()[left]
        weights = so_far.weighted(allowed)
        if len(tokens) == case.max_tokens or weights.max() == -torch.inf:
            found[()] = found[()][0] + chance, 0.0
            return
        for token in (weights > -torch.inf).nonzero()[:, 0].tolist():
            after = AsapSample(path=[copy.deepcopy(so_far.path[-1])], log_weight=so_far.log_weight)
            after.take(token, allowed, weights)
            extend((*tokens, token), chance * float(weights.softmax(-1)[token]), after)

    extend((), 1.0, AsapSample(path=[copy.deepcopy(root)]))
    return found


@pytest.mark.parametrize("name", ["words", *slow("cut", "top-k")])
def test_asap_comes_to_the_target(name):
    case = CASES[name]
    memory = AsapMemory()
    off, bounds = [], []
    for samples in (1, 9, 90, 400):
        (completion,) = draw(case, Asap(samples=samples, memory=memory), 1)
        sample = next_sample(case, memory)
        off.append(distance({tokens: chance for tokens, (chance, _) in sample.items()}, target(name)))
        assert sum(chance for chance, _ in sample.values()) == pytest.approx(1)
        for tokens, probability in satisfying(name).items():  # so weights are unbiased, whatever was learnt
            assert math.prod(sample[tokens]) == pytest.approx(probability, rel=1e-5)
        bounds.append(math.exp(completion.aligned.upper_bound))
    total = sum(satisfying(name).values())
    assert off[-1] < 0.04
    assert off[-1] < off[0] / 4
    assert bounds == sorted(bounds, reverse=True)
    assert total - 1e-6 <= bounds[-1] == pytest.approx(total, rel=0.05)


def test_the_memory_is_what_one_call_would_have_learnt():
    case, memory = CASES["free"], AsapMemory()
    twice = [
        draw(replace(case, sampling=Sampling(seed=seed)), Asap(samples=20, memory=memory), 1)[0] for seed in (1, 2)
    ]
    assert twice[1].aligned.upper_bound < twice[0].aligned.upper_bound
    size = len(memory)
    drawn = [candidate.tokens for one in twice for candidate in one.aligned.candidates]
    assert size == 1 + len({tokens[:length] for tokens in drawn for length in range(1, len(tokens) + 1)})
    draw(CASES["temperature"], Asap(samples=1, memory=memory), 1)  # has a trie of its own
    assert len(memory) > size
    assert draw(case, Asap(samples=20), 1) == draw(case, Asap(samples=20, memory=AsapMemory()), 1)


def test_a_memory_of_another_model_is_refused():
    memory = AsapMemory()
    draw(CASES["words"], Asap(memory=memory), 1)
    with pytest.raises(OptionError, match="comes from another model, or other guides: the mask keeps 0"):
        draw(Case("ab|abb|b|bbbbb", guides=(LogitBias({(B,): -5.0, (A,): -5.0, (AB,): -5.0}),)), Asap(memory=memory), 1)


def test_bounds_hold_where_probabilities_underflow():
    """A text of 150 tokens, each of probability e^-9: the bound is computed in logarithms."""
    draw_one = AsapMemory().draw("key")
    allowed = torch.full((ABC.rows,), -torch.inf, dtype=torch.float64)
    allowed[A] = -9.0
    for _ in range(150):
        weighted = draw_one.weighted(allowed)
        draw_one.take(A, allowed, weighted)
    draw_one.end(is_complete=True)
    assert draw_one.log_bound == pytest.approx(-1350)
    assert draw_one.log_weight == pytest.approx(-1350)


def test_the_log_weight_of_a_text_is_its_importance_weight():
    """Drawn token by token with weights exp(log_weight), texts stand for the model's: here without the end of the
    sequence where nothing else can follow, so that the sum of the weights is the mass of their tokens."""
    found = run(MODEL, [[A]] * 3, network=None, logprobs=0)[0]
    assert all(completion.log_weight <= 0 for completion in found)
    matcher = CASES["words"].matcher()
    drawn = constrained(MODEL, matcher, [A], 6)
    guide = ConstraintGuide(matcher)
    options = Options(sampling=Sampling(seed=2), logprobs=0)
    for _, completion in generate_in_batches(MODEL, ABC, [[A]] * 50, batch_size=50, options=options, constraint=guide):
        chance = 1.0
        for place, token in enumerate(completion.tokens):
            chance *= MODEL.probabilities([A, *completion.tokens[:place]])[token]
        assert completion.log_weight == pytest.approx(math.log(chance / drawn[completion.tokens]), abs=1e-5)
