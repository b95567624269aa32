"""Samplers against float64 numpy and against transformers; draws against their distribution."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np
import pytest
import torch
from marks import slow
from statistics_of_samples import chi_square

from guidance_kit.decoding.draw import Uniforms, _find_in_exact, _find_in_rounded, choose, greedy
from guidance_kit.decoding.entropy_temperature import DynamicTemperature, EntropyTemperature
from guidance_kit.decoding.sampling import TIE, TRUNCATIONS, Sampling, row_seeds, shape
from guidance_kit.decoding.truncation import (
    keep_epsilon,
    keep_eta,
    keep_min_p,
    keep_top_a,
    keep_top_k,
    keep_top_n_sigma,
    keep_top_p,
    keep_typical,
)
from guidance_kit.errors import OptionError


def random_logits(seed: int, batch: int = 4, rows: int = 300, *, forbidden: float = 0.0) -> torch.Tensor:
    """Normal logits of several sharpnesses; with `forbidden`, that share of each row is -inf, never all of it."""
    generator = torch.Generator().manual_seed(seed)
    scale = torch.tensor([0.3, 1.0, 3.0, 8.0]).repeat(batch // 4 + 1)[:batch, None]
    logits = torch.randn(batch, rows, generator=generator) * scale
    is_forbidden = torch.rand(batch, rows, generator=generator) < forbidden
    is_forbidden[:, seed % rows] = False
    return logits.masked_fill(is_forbidden, -torch.inf)


# The oracles: one row, float64, as the definitions read. They return the set of rows that stay.


def softmax64(row: np.ndarray) -> np.ndarray:
    weights = np.exp(row - row.max())
    return weights / weights.sum()


def top_k_oracle(row: np.ndarray, k: int) -> set[int]:
    kth = sorted(row, reverse=True)[min(k, len(row)) - 1]
    return {i for i, value in enumerate(row) if value >= kth and value > -np.inf}


def top_p_oracle(row: np.ndarray, p: float) -> set[int]:
    probabilities = softmax64(row)
    total = 0.0
    for i in sorted(range(len(row)), key=lambda i: -probabilities[i]):
        total += probabilities[i]
        if total >= p - TIE * p * (1 - p):
            break
    return {j for j in range(len(row)) if probabilities[j] >= probabilities[i] and probabilities[j] > 0}


def min_p_oracle(row: np.ndarray, p: float) -> set[int]:
    probabilities = softmax64(row)
    return {i for i, q in enumerate(probabilities) if q >= p * (1 - TIE) * probabilities.max() and q > 0}


def entropy64(probabilities: np.ndarray) -> float:
    left = probabilities[probabilities > 0]
    return float(-(left * np.log(left)).sum())


def top_n_sigma_oracle(row: np.ndarray, n: float) -> set[int]:
    allowed = row[row > -np.inf]
    return {i for i, value in enumerate(row) if value >= allowed.max() - n * allowed.std() - TIE * (1 + n)}


def top_a_oracle(row: np.ndarray, a: float) -> set[int]:
    probabilities = softmax64(row)
    return {i for i, q in enumerate(probabilities) if q >= a * (1 - TIE) * probabilities.max() ** 2 and q > 0}


def typical_oracle(row: np.ndarray, p: float) -> set[int]:
    probabilities = softmax64(row)
    with np.errstate(divide="ignore"):
        distance = np.abs(-np.log(probabilities) - entropy64(probabilities))
    total = 0.0
    for i in np.argsort(distance, kind="stable"):
        total += probabilities[i]
        if total >= p - TIE * p * (1 - p):
            break
    return {j for j in range(len(row)) if distance[j] <= distance[i] + TIE and probabilities[j] > 0}


def least_oracle(row: np.ndarray, least: float) -> set[int]:
    probabilities = softmax64(row)
    least = min(least, probabilities.max())
    return {i for i, q in enumerate(probabilities) if q >= least * (1 - TIE) and q > 0}


def epsilon_oracle(row: np.ndarray, epsilon: float) -> set[int]:
    return least_oracle(row, epsilon)


def eta_oracle(row: np.ndarray, epsilon: float) -> set[int]:
    return least_oracle(row, min(epsilon, epsilon**0.5 * np.exp(-entropy64(softmax64(row)))))


def kept(row: torch.Tensor) -> set[int]:
    return set(torch.nonzero(row > -torch.inf).flatten().tolist())


SHAPERS = [
    (keep_top_k, top_k_oracle, [1, 2, 5, 50, 300, 1000]),
    (keep_top_p, top_p_oracle, [1e-6, 0.1, 0.5, 0.9, 0.99, 0.9999]),
    (keep_min_p, min_p_oracle, [1e-4, 0.01, 0.1, 0.5, 0.999, 1.0]),
    (keep_top_n_sigma, top_n_sigma_oracle, [1e-3, 0.5, 1.0, 2.0, 10.0]),
    (keep_top_a, top_a_oracle, [1e-4, 0.01, 0.2, 0.9, 1.0]),
    (keep_typical, typical_oracle, [1e-6, 0.1, 0.5, 0.9, 0.99]),
    (keep_epsilon, epsilon_oracle, [1e-6, 1e-3, 0.02, 0.5, 0.99]),
    (keep_eta, eta_oracle, [1e-6, 1e-3, 0.02, 0.5, 0.99]),
]


ORDER = list(TRUNCATIONS)
SHAPERS_IN_ORDER = sorted(SHAPERS, key=lambda shaper: list(TRUNCATIONS.values()).index(shaper[0]))


@pytest.mark.parametrize("seeds", [3, *slow(10)])
@pytest.mark.parametrize("forbidden", [0.0, *slow(0.6), 0.99])
@pytest.mark.parametrize(
    ("function", "oracle", "parameters"), SHAPERS, ids=lambda value: getattr(value, "__name__", "")
)
def test_truncation_is_its_definition(function, oracle, parameters, forbidden, seeds):
    for seed in range(seeds):
        logits = random_logits(seed, forbidden=forbidden)
        before = logits.clone()
        for parameter in parameters:
            result = function(logits, parameter)
            for row, out in zip(logits, result, strict=True):
                stays = kept(out)
                assert stays == oracle(row.double().numpy(), parameter)
                assert stays, "nothing is left"
                assert torch.equal(out[list(stays)], row[list(stays)])
        assert torch.equal(logits, before)


def test_top_p_looks_beyond_the_head():
    """Flat distributions need more than the 256 likeliest rows."""
    logits = torch.randn(2, 5000, generator=torch.Generator().manual_seed(0)) * 0.1
    for p in (0.2, 0.9, 0.999):
        for row, out in zip(logits, keep_top_p(logits, p), strict=True):
            assert len(kept(out) ^ top_p_oracle(row.double().numpy(), p)) <= 1  # float32 at the very boundary


def warpers():
    """Ours beside those of transformers, which share the definitions but for ties."""
    logits_process = pytest.importorskip("transformers.generation.logits_process")
    return [
        (lambda x: keep_top_k(x, 7), logits_process.TopKLogitsWarper(7)),
        (lambda x: keep_top_p(x, 0.8), logits_process.TopPLogitsWarper(0.8)),
        (lambda x: keep_top_p(x, 0.3), logits_process.TopPLogitsWarper(0.3)),
        (lambda x: keep_min_p(x, 0.05), logits_process.MinPLogitsWarper(0.05)),
        (lambda x: keep_typical(x, 0.2), logits_process.TypicalLogitsWarper(0.2)),
        (lambda x: keep_typical(x, 0.9), logits_process.TypicalLogitsWarper(0.9)),
        (lambda x: keep_epsilon(x, 0.02), logits_process.EpsilonLogitsWarper(0.02)),
        (lambda x: keep_eta(x, 0.02), logits_process.EtaLogitsWarper(0.02)),
    ]


def test_transformers_agrees():
    for seed in range(50):
        logits = random_logits(seed, batch=8, forbidden=0.3 * (seed % 3))
        for ours, theirs in warpers():
            assert torch.equal(ours(logits), theirs(None, logits.clone()))


def test_the_order_is_that_of_transformers():
    logits_process = pytest.importorskip("transformers.generation.logits_process")
    chain = [
        logits_process.TemperatureLogitsWarper(0.7),
        logits_process.TopKLogitsWarper(20),
        logits_process.TopPLogitsWarper(0.9),
        logits_process.MinPLogitsWarper(0.02),
        logits_process.TypicalLogitsWarper(0.95),
        logits_process.EpsilonLogitsWarper(0.03),
        logits_process.EtaLogitsWarper(0.06),
    ]
    options = {"top_k": 20, "top_p": 0.9, "min_p": 0.02, "typical_p": 0.95, "epsilon_cutoff": 0.03, "eta_cutoff": 0.06}
    for seed in range(30):
        logits = random_logits(seed)
        theirs = logits.clone()
        for warper in chain:
            theirs = warper(None, theirs)
        ours = shape(logits, Sampling(temperature=0.7, **options))
        torch.testing.assert_close(ours.softmax(-1), theirs.softmax(-1))
        assert torch.equal(ours > -torch.inf, theirs > -torch.inf)


@pytest.mark.parametrize("seed", range(20))
def test_rounding_decides_nothing_at_a_boundary(seed):
    """Probabilities that reach `top_p` or `min_p` exactly do so on every processor."""
    exact = torch.tensor([[0.5, 0.25, 0.125, 0.125]], dtype=torch.float64).log()
    noise = torch.randn(exact.shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    logits = (exact + 5.3 + 1e-6 * noise).float()
    assert kept(keep_top_p(logits, 0.5)[0]) == {0}
    assert kept(keep_top_p(logits, 0.75)[0]) == {0, 1}
    assert kept(keep_min_p(logits, 0.5)[0]) == {0, 1}
    assert kept(keep_min_p(logits, 0.25)[0]) == {0, 1, 2, 3}


@pytest.mark.parametrize("seed", range(20))
def test_rounding_decides_nothing_about_a_typical_set(seed):
    """H is 1.75 bits: the surprises 1, 2, 3, 3 are off by 0.75, 0.25, 1.25, 1.25; then four that are equally near."""
    noise = 1e-6 * torch.randn(1, 4, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    logits = (torch.tensor([[0.5, 0.25, 0.125, 0.125]], dtype=torch.float64).log() + 5.3 + noise).float()
    for p, stays in ((0.2, {1}), (0.25, {1}), (0.5, {0, 1}), (0.75, {0, 1}), (0.8, {0, 1, 2, 3})):
        assert kept(keep_typical(logits, p)[0]) == stays
    assert kept(keep_typical(noise.float(), 0.3)[0]) == {0, 1, 2, 3}
    assert kept(keep_epsilon(logits, 0.25)[0]) == {0, 1}
    assert kept(keep_epsilon(noise.float(), 0.9)[0]) == {0, 1, 2, 3}
    assert kept(keep_top_a(logits, 0.5)[0]) == {0, 1, 2, 3}
    assert kept(keep_eta(noise.float(), 0.5)[0]) == {0, 1, 2, 3}
    halves = torch.tensor([[1.0, 1.0, -1.0, -1.0]]) + noise.float()  # a standard deviation of 1
    assert kept(keep_top_n_sigma(halves, 2.0)[0]) == {0, 1, 2, 3}
    assert kept(keep_top_n_sigma(halves, 1.9)[0]) == {0, 1}


def test_a_truncation_keeps_whatever_the_order_of_the_tokens():
    for seed in range(10):
        logits = (random_logits(seed) * 4).round() / 4  # with many ties
        order = torch.randperm(logits.shape[-1], generator=torch.Generator().manual_seed(seed))
        for function, _, parameters in SHAPERS:
            assert torch.equal(function(logits, parameters[2])[:, order], function(logits[:, order], parameters[2]))


def test_typical_sampling_may_remove_the_most_likely_token():
    """And a threshold on logits would not: the negative control of the new kind of truncation."""
    logits = torch.tensor([[0.5, 0.25, 0.125, 0.125]]).log()
    left = keep_typical(logits, 0.2)[0]
    assert kept(left) == {1} != kept(keep_top_p(logits, 0.2)[0])


def test_every_truncation_is_a_field_in_its_order():
    names = [name for name in Sampling.__dataclass_fields__ if name not in ("temperature", "truncation", "seed")]
    assert list(TRUNCATIONS) == names
    assert set(TRUNCATIONS.values()) == {function for function, _, _ in SHAPERS}


@dataclass(frozen=True)
class AllButTheMostLikely:
    """Truncation that is no threshold from below."""

    def keep(self, logits):
        return (logits < logits.amax(-1, keepdim=True)) | ((logits > -torch.inf).sum(-1, keepdim=True) == 1)


def test_a_truncation_of_ones_own_keeps_any_set_and_comes_last():
    logits = torch.tensor([[0.5, 0.25, 0.125, 0.125], [1.0, 0.0, 0.0, 0.0]]).log()
    left = shape(logits, Sampling(truncation=AllButTheMostLikely()))
    assert [kept(row) for row in left] == [{1, 2, 3}, {0}]
    left = shape(logits, Sampling(top_p=0.75, truncation=AllButTheMostLikely()))
    assert [kept(row) for row in left] == [{1}, {0}]
    unlike = shape(logits, Sampling(top_p=0.75))
    assert [kept(row) for row in unlike] == [{0, 1}, {0}]


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (lambda logits: logits > 1e9, "keeps none of the possible tokens"),
        (lambda logits: logits, "returned torch.float32 (1, 4); it returns bool (1, 4)"),
        (lambda logits: (logits > -1)[0], "returned torch.bool (4,)"),
        (lambda logits: [True] * 4, "returned [True, True, True, True]"),
    ],
)
def test_a_truncation_that_keeps_no_set_is_refused(returned, message):
    class Wrong:
        def keep(self, logits):
            return returned(logits)

    with pytest.raises(OptionError, match=re.escape(message)):
        shape(torch.zeros(1, 4), Sampling(truncation=Wrong()))
    for value in (Wrong, 3):
        with pytest.raises(OptionError, match="truncation must be an object with a method keep"):
            Sampling(truncation=value)


def test_truncations_are_applied_in_order():
    """Each to what is left by those before."""
    for seed in range(20):
        logits = random_logits(seed, forbidden=0.2)
        chosen = {name: parameters[2] for name, (_, _, parameters) in zip(ORDER, SHAPERS_IN_ORDER, strict=True)}
        found = shape(logits, Sampling(**chosen))
        for row, out in zip(logits.double().numpy(), found, strict=True):
            for _, oracle, parameters in SHAPERS_IN_ORDER:
                left = oracle(row, parameters[2])
                row = np.array([value if i in left else -np.inf for i, value in enumerate(row)])
            assert kept(out) == left


RULES = [DynamicTemperature(0.2, 1.8), DynamicTemperature(0.0, 3.0, exponent=2.0), EntropyTemperature(0.9, theta=0.5)]


def temperature64(rule: object, row: np.ndarray) -> float:
    """The definitions: llama.cpp's dynamic temperature, and equation 3 of EDT."""
    entropy = entropy64(softmax64(row))
    if isinstance(rule, EntropyTemperature):
        return rule.greatest * rule.base ** (rule.theta / max(entropy, 1e-12))
    most = np.log((row > -np.inf).sum())
    return rule.least + (rule.greatest - rule.least) * (entropy / most if most else 0.0) ** rule.exponent


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_temperatures_by_entropy(rule):
    for seed in range(10):
        logits = random_logits(seed, forbidden=0.3 * (seed % 3))
        shaped = shape(logits, Sampling(temperature=rule)).softmax(-1).double().numpy()
        for row, probabilities in zip(logits.double().numpy(), shaped, strict=True):
            expected = softmax64((row - row.max()) / max(temperature64(rule, row), 1e-30))
            np.testing.assert_allclose(probabilities, expected, rtol=1e-4, atol=1e-6)
            wrong = softmax64((row - row.max()) / max(temperature64(rule, row), 1e-30) * 1.02)
            assert np.abs(wrong - expected).max() < 1e-3 or np.abs(probabilities - wrong).max() > 1e-4
    one = torch.full((1, 9), -torch.inf)
    one[0, 4] = 2.0
    assert choose(shape(one, Sampling(temperature=rule)), [0.5])[0] == [4]
    assert not Sampling(temperature=rule).is_greedy


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: DynamicTemperature(-1, 1), "least of a DynamicTemperature must be"),
        (lambda: DynamicTemperature(2, 1), "least is 2, more than greatest, 1"),
        (lambda: DynamicTemperature(1, 2, exponent=0), "exponent must be"),
        (lambda: EntropyTemperature(0), "greatest must be"),
        (lambda: EntropyTemperature(1, theta=-1), "theta must be"),
        (lambda: EntropyTemperature(1, base=1), "base must be"),
        (lambda: Sampling(temperature=DynamicTemperature), "temperature must be"),
    ],
)
def test_temperature_rules_out_of_range_are_named(make, named):
    with pytest.raises(OptionError, match=named):
        make()


def test_ties_at_the_boundary_all_stay():
    logits = torch.tensor([[2.0, 1.0, 1.0, 1.0, 0.0]])
    assert kept(keep_top_k(logits, 2)[0]) == {0, 1, 2, 3}
    assert kept(keep_top_p(logits, 0.6)[0]) == {0, 1, 2, 3}
    assert kept(keep_min_p(logits, float(np.exp(-1)) * (1 - 1e-6))[0]) == {0, 1, 2, 3}


def test_one_allowed_token_survives_everything():
    logits = torch.full((1, 100), -torch.inf)
    logits[0, 42] = -300.0
    out = shape(logits, Sampling(temperature=0.01, top_k=1, top_p=1e-9, min_p=1.0))
    assert kept(out[0]) == {42}
    assert choose(out, [0.999])[0] == [42]


@pytest.mark.parametrize("temperature", [1e-30, 1e-3, 0.5, 1.0, 2.0, 1e6])
def test_temperature(temperature):
    logits = random_logits(3, forbidden=0.2)
    shaped = shape(logits, Sampling(temperature=temperature)).softmax(-1).double().numpy()
    for row, probabilities in zip(logits.double().numpy(), shaped, strict=True):
        expected = softmax64((row - row.max()) / temperature)
        np.testing.assert_allclose(probabilities, expected, rtol=2e-5, atol=1e-7)


def test_greedy_takes_the_lowest_of_equals():
    logits = torch.tensor([[0.0, 3.0, 3.0], [-torch.inf, -1.0, -1.0], [5.0, 5.0, 5.0]])
    assert greedy(logits) == ([1, 1, 0], [3.0, -1.0, 5.0])


def test_nan_and_nothing_are_seen():
    logits = torch.tensor([[0.0, float("nan"), 1.0], [-torch.inf] * 3, [0.0, 1.0, 2.0]])
    for checks in (greedy(logits)[1], choose(logits, [0.5] * 3)[1]):
        assert [check > -np.inf for check in checks] == [False, False, True]
    shaped = shape(logits, Sampling(temperature=0.5, top_k=2, top_p=0.9, min_p=0.1))
    assert [check > -np.inf for check in choose(shaped, [0.5] * 3)[1]] == [False, False, True]


def test_draws_have_the_distribution():
    row = random_logits(1, rows=40, forbidden=0.3)[1:2]
    expected = dict(enumerate(softmax64(row[0].double().numpy())))
    uniforms = np.random.Generator(np.random.PCG64(5)).random(20_000).tolist()
    tokens, _ = choose(row.expand(len(uniforms), -1), uniforms)
    statistic, limit = chi_square(tokens, expected)
    assert statistic < limit
    # Negative control: the same draws against a temperature of 1.1.
    wrong = dict(enumerate(softmax64(row[0].double().numpy() / 1.1)))
    assert chi_square(tokens, wrong)[0] > chi_square(tokens, wrong)[1]


def test_draws_are_the_inverse_of_the_distribution_function():
    for seed in range(20):
        logits = random_logits(seed, forbidden=0.5)
        uniforms = np.random.Generator(np.random.PCG64(seed)).random(4).tolist()
        tokens, _ = choose(logits, uniforms)
        for row, token, uniform in zip(logits.double().numpy(), tokens, uniforms, strict=True):
            sums = np.cumsum(softmax64(row))
            before = sums[token - 1] if token else 0.0
            assert before - 1e-6 <= uniform <= sums[token] + 1e-6
            assert row[token] > -np.inf


@pytest.mark.parametrize("uniform", [0.0, 5e-324, 0.5, 1 - 2**-53])
def test_the_ends_of_the_unit_interval_draw_what_is_allowed(uniform):
    for seed in range(20):
        logits = random_logits(seed, forbidden=0.95)
        for row, token in zip(logits, choose(logits, [uniform] * len(logits))[0], strict=True):
            assert row[token] > -torch.inf


def test_a_row_is_drawn_alike_in_any_batch():
    logits = random_logits(9, batch=33, rows=1000)
    uniforms = [Uniforms(seed)[0] for seed in range(33)]
    together = choose(logits, uniforms)[0]
    assert together == [choose(logits[i : i + 1], uniforms[i : i + 1])[0][0] for i in range(33)]


def test_both_ways_to_find_a_token_agree():
    for seed in range(20):
        probabilities = random_logits(seed, forbidden=0.5).softmax(-1)
        sums = probabilities.cumsum(-1, dtype=torch.float64)
        uniform = torch.rand(4, 1, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
        exact, rounded = (find(probabilities, sums, uniform)[0] for find in (_find_in_exact, _find_in_rounded))
        assert torch.equal(exact, rounded)


@pytest.mark.parametrize("uniform", [0.0, 0.3, 0.7, 1 - 2**-53])
def test_rounded_sums_never_draw_what_is_forbidden(uniform):
    """A parallel scan does not add term by term; here its rounding is exaggerated."""
    for seed in range(20):
        probabilities = random_logits(seed, forbidden=0.9).softmax(-1)
        noise = torch.randn(probabilities.shape, generator=torch.Generator().manual_seed(seed)) * 1e-3
        sums = probabilities.cumsum(-1, dtype=torch.float64) + noise.abs()
        tokens, _ = _find_in_rounded(probabilities, sums, torch.full((4, 1), uniform, dtype=torch.float64))
        assert (probabilities.gather(-1, tokens) > 0).all()


@pytest.mark.gpu
def test_a_gpu_draws_the_same():
    logits = random_logits(0, batch=64, rows=5000, forbidden=0.3)
    uniforms = [Uniforms(seed)[0] for seed in range(64)]
    assert choose(logits.cuda(), uniforms)[0] == choose(logits, uniforms)[0]
    for function, _, parameters in SHAPERS:
        for parameter in parameters[1:4]:
            assert torch.equal(function(logits.cuda(), parameter).cpu(), function(logits, parameter))


def test_uniforms_are_a_function_of_seed_and_position():
    forward, backward = Uniforms(7), Uniforms(7)
    numbers = [forward[i] for i in range(200)]
    assert [backward[i] for i in reversed(range(200))] == numbers[::-1]
    assert len(set(numbers)) == 200
    assert all(0 <= number < 1 for number in numbers)
    assert [Uniforms(8)[i] for i in range(3)] != numbers[:3]


def test_row_seeds():
    assert row_seeds(5, 0) == []
    assert row_seeds(5, 1) == [5]
    assert row_seeds(5, 4)[:2] == row_seeds(5, 2)
    seeds = [seed for first in range(50) for seed in row_seeds(first, 50)]
    assert len(set(seeds)) == 2500
    assert all(0 <= seed < 2**63 for seed in seeds)
    assert row_seeds(None, 2) != row_seeds(None, 2)


def test_seeds_of_several_samples():
    """More samples, or more prompts, leave the seeds of the others as they are."""
    seeds = np.array(row_seeds(5, 4, samples=3)).reshape(4, 3)
    assert seeds[:, 0].tolist() == row_seeds(5, 4)
    assert (seeds[:2] == np.array(row_seeds(5, 2, samples=3)).reshape(2, 3)).all()
    assert (seeds == np.array(row_seeds(5, 4, samples=8)).reshape(4, 8)[:, :3]).all()
    assert len({*seeds.flat}) == 12


@pytest.mark.parametrize(
    "wrong",
    [
        {"temperature": -1}, {"temperature": float("nan")}, {"temperature": float("inf")}, {"temperature": "hot"},
        {"temperature": True}, {"top_k": 0}, {"top_k": 1.5}, {"top_p": 0}, {"top_p": 1.1}, {"min_p": -0.1},
        {"min_p": 2}, {"seed": -1}, {"seed": 0.5}, {"temperature": None}, {"top_n_sigma": 0}, {"top_n_sigma": math.inf},
        {"top_a": -0.1}, {"top_a": "x"}, {"typical_p": 0}, {"typical_p": 1.1}, {"epsilon_cutoff": 0},
        {"epsilon_cutoff": 1}, {"eta_cutoff": 1.5}, {"eta_cutoff": True},
    ],
)  # fmt: skip
def test_values_out_of_range_are_named(wrong):
    with pytest.raises(OptionError, match=next(iter(wrong))):
        Sampling(**wrong)


@pytest.mark.parametrize("temperature", [5e-324, 1e-320, 1e-38, 1e-30])
def test_a_tiny_temperature_is_the_limit(temperature):
    """The likeliest tokens, in equal shares."""
    logits = torch.tensor([[1.0, 3.0, 3.0, 2.999, -torch.inf]])
    shares = shape(logits, Sampling(temperature=temperature)).softmax(-1)
    assert shares.tolist() == [[0.0, 0.5, 0.5, 0.0, 0.0]]
    assert choose(shape(logits, Sampling(temperature=temperature)), [0.7])[0] == [2]


@pytest.mark.parametrize("temperature", [1e38, 1e300])
def test_a_huge_temperature_is_the_limit(temperature):
    """All tokens that are allowed, in equal shares."""
    logits = torch.tensor([[1.0, 3.0, -30.0, 2.999, -torch.inf]])
    assert shape(logits, Sampling(temperature=temperature)).softmax(-1).tolist() == [[0.25] * 4 + [0.0]]


@pytest.mark.parametrize(
    "options",
    [{"temperature": 10**400}, {"min_p": 10**400}, {"top_p": -(10**400)}, {"seed": -(10**5000)}, {"top_k": -(10**400)}],
    ids=lambda options: next(iter(options)),
)
def test_numbers_beyond_floats_are_refused_by_name(options):
    with pytest.raises(OptionError, match=f"{next(iter(options))} must be .* not an integer of .* bits"):
        Sampling(**options)
