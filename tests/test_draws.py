"""The contract of draws, checked for each of them; and a draw with a state and a history through the public API."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
import torch
from loop_runs import MODEL, complete
from small_models import small_llama
from statistics_of_samples import chi_square
from toy_models import ABC, A, B, unconstrained

import guidance_kit as gk
from guidance_kit.decoding.draw import Draw, Drawn, Greedy, InverseTransform
from guidance_kit.decoding.marked_draw import MarkedDraw
from guidance_kit.decoding.mirostat import Mirostat, MirostatV1, zipf_exponents, zipf_ranks
from guidance_kit.decoding.options import Options
from guidance_kit.decoding.sampling import Sampling
from guidance_kit.decoding.watermark import Watermark
from guidance_kit.errors import OptionError


@dataclass(frozen=True)
class Unrepeated:
    """A draw that knows the history: the most likely token that is not the last one."""

    def start(self, seed: int) -> None:
        return None

    def draw(self, logits, states, prefixes, starts) -> Drawn:
        lowered = logits.clone()
        for row, prefix in zip(lowered, prefixes, strict=True):
            if bool((row > -torch.inf).sum() > 1):
                row[prefix[-1]] = -torch.inf
        return Greedy().draw(lowered, states, prefixes, starts)


DRAWS = [
    Greedy(), InverseTransform(), Mirostat(1.0, 0.2), Mirostat(0.1, 1.0, measure="kept"), MirostatV1(1.0, 0.2),
    MirostatV1(2.0, head=3, measure="kept"), Unrepeated(),
    MarkedDraw(Watermark(b"key of the tests", "green", width=0), InverseTransform()),
    MarkedDraw(Watermark([b"key of the tests", b"another of them."], "gumbel", width=1), InverseTransform()),
    MarkedDraw(Watermark(b"key of the tests", "tournament", width=1), InverseTransform()),
]  # fmt: skip
PREFIXES = [[A], [B, B], [A, B, A]]
STARTS = [1, 1, 2]


def logits(seed: int) -> torch.Tensor:
    return torch.randn(3, ABC.rows, generator=torch.Generator().manual_seed(seed)).index_fill(
        -1, torch.tensor([1, 5]), -torch.inf
    )


@pytest.mark.parametrize("draw", DRAWS, ids=lambda draw: type(draw).__name__)
class TestContract:
    def test_states_are_values(self, draw: Draw):
        states = [draw.start(seed) for seed in (1, 2, 3)]
        first = draw.draw(logits(0), states, PREFIXES, STARTS)
        draw.draw(logits(1), first.states, PREFIXES, STARTS)
        again = draw.draw(logits(0), states, PREFIXES, STARTS)
        assert again.tokens == first.tokens
        assert again.checks == first.checks

    def test_rows_do_not_know_each_other(self, draw: Draw):
        states = [draw.start(seed) for seed in (1, 2, 3)]
        together = draw.draw(logits(0), states, PREFIXES, STARTS)
        for row in range(3):
            alone = draw.draw(logits(0)[[row]], [states[row]], [PREFIXES[row]], [STARTS[row]])
            assert alone.tokens == [together.tokens[row]]

    def test_logits_stay_and_forbidden_tokens_are_not_drawn(self, draw: Draw):
        for seed in range(50):
            given = logits(seed)
            before = given.clone()
            states = [draw.start(seed + row) for row in range(3)]
            found = draw.draw(given, states, PREFIXES, STARTS)
            assert torch.equal(given, before)
            assert all(row[token] > -torch.inf for row, token in zip(given, found.tokens, strict=True))
            assert all(check > -math.inf for check in found.checks)

    def test_a_row_without_a_token_is_told(self, draw: Draw):
        states = [draw.start(seed) for seed in (1, 2)]
        given = torch.stack([torch.full((ABC.rows,), torch.nan), torch.full((ABC.rows,), -torch.inf)])
        checks = draw.draw(given, states, PREFIXES[:2], STARTS[:2]).checks
        assert not any(check > -math.inf for check in checks)


def test_the_default_is_inverse_transform_sampling_and_greedy_at_temperature_0():
    for sampling, draw in ((Sampling(seed=5), InverseTransform()), (Sampling(seed=5), None)):
        found = complete(MODEL, [[A], [B, A]] * 5, sampling=sampling, max_tokens=6, draw=draw)
        assert found == complete(MODEL, [[A], [B, A]] * 5, sampling=sampling, max_tokens=6)
    with pytest.raises(OptionError, match="a draw needs a temperature above 0"):
        Options(sampling=Sampling(temperature=0), draw=Mirostat())


def test_a_draw_that_cuts_nothing_leaves_the_distribution_as_it_is():
    draw = Mirostat(surprise=1000)
    samples = [c.tokens for c in complete(MODEL, [[A]] * 3000, sampling=Sampling(seed=1), max_tokens=2, draw=draw)]
    statistic, limit = chi_square(samples, unconstrained(MODEL, [A], 2))
    assert statistic < limit


def test_the_history_is_that_of_the_row():
    for completion in complete(MODEL, [[A], [B]], sampling=Sampling(seed=1), max_tokens=12, draw=Unrepeated()):
        assert all(one != next_one for one, next_one in zip(completion.tokens, completion.tokens[1:], strict=False))


def test_a_draw_of_ones_own_through_the_public_api():
    """With a constraint, in batches of any size, as a stream; and its surprise comes to what it aims at."""
    model = gk.Model(small_llama())
    constraint = gk.regex("[a-z ]{20,40}")
    prompts = ["the cat", "a", "so it is"]
    options = {"seed": 3, "draw": gk.Mirostat(surprise=2.0), "max_tokens": 40}
    together = model.generate(prompts, constraint, **options)
    assert together == model.generate(prompts, constraint, batch_size=1, **options)
    assert [one.text for one in together] != [one.text for one in model.generate(prompts, constraint, seed=3)]
    assert "".join(model.stream(prompts[0], constraint, **options)) == together[0].text
    (text,) = model.generate(prompts[:1], constraint, logprobs=0, **options)
    surprises = [-one.guided_logprob / math.log(2) for one in text.logprobs]
    assert sum(surprises) / len(surprises) == pytest.approx(2.0, abs=0.5)


def mirostat_oracle(row: np.ndarray, mu: float, draw: Mirostat | MirostatV1) -> np.ndarray:
    """Probabilities of the next token in float64, from the papers' formulas and the source of llama.cpp."""
    with np.errstate(divide="ignore", invalid="ignore"):
        p = np.exp(row - row.max()) / np.exp(row - row.max()).sum()
        order = np.argsort(-p, kind="stable")
        if isinstance(draw, Mirostat):
            left = [i for i in order if -np.log2(p[i]) <= mu] or [order[0]]
        else:
            top = p[order][: min(draw.head, (p > 0).sum())]
            t = np.log([(i + 2) / (i + 1) for i in range(len(top) - 1)])
            b = np.log(top[:-1] / top[1:])
            s = (t * b).sum() / (t * t).sum()
            n = (p > 0).sum()
            k = ((s - 1) * 2**mu / (1 - n ** (1 - s))) ** (1 / s)
            left = order[: max(1, int(min(k, n)))]
        kept = np.zeros_like(p)
        kept[left] = p[left]
    return kept / kept.sum()


@pytest.mark.parametrize("measure", ["all", "kept"])
@pytest.mark.parametrize("kind", [Mirostat, MirostatV1])
def test_mirostat_is_its_definition(kind, measure):
    """Step by step: the tokens that may be drawn, their shares, and how mu moves."""
    draw = kind(3.0, 0.1, measure=measure)
    generator = torch.Generator().manual_seed(0)
    for scale in (0.5, 1.0, 3.0):
        rows = torch.randn(40, 300, generator=generator) * scale
        rows[:, ::7] = -torch.inf
        state = draw.start(1)
        assert state.mu == 6
        for length, row in enumerate(rows):
            expected = mirostat_oracle(row.double().numpy(), state.mu, draw)
            uniform = state.uniforms[length]
            found = draw.draw(row[None], [state], [[0, *[0] * length]], [1])
            (token,), (after,) = found.tokens, found.states
            sums = np.cumsum(expected)
            assert sums[token] - expected[token] - 1e-5 <= uniform <= sums[token] + 1e-5
            p = row.double().softmax(-1).numpy() if measure == "all" else expected
            assert after.mu == pytest.approx(state.mu - 0.1 * (-np.log2(p[token]) - 3.0), abs=1e-4)
            state = after


def test_the_documented_step_of_mirostat():
    """tau 3, eta 0.1, mu 6: a token of probability 1/16 has a surprise of 4 bits and lowers mu to 5.9."""
    logits = torch.zeros(1, 16)
    draw = Mirostat(3.0, 0.1)
    assert draw.draw(logits, [draw.start(0)], [[0]], [1]).states[0].mu == pytest.approx(5.9)


def test_zipf_ranks():
    """Probabilities i^-s give s; k is the formula with the exponent 1/s, and not the one of the erratum."""
    for s in (0.7, 1.3):
        p = np.arange(1, 5001.0) ** -s
        assert zipf_exponents(torch.tensor(np.log(p / p.sum()))[None], 100).item() == pytest.approx(s)
        for mu in (4.0, 7.0):
            inner = (s - 1) * 2**mu / (1 - 5000 ** (1 - s))
            assert zipf_ranks(s, 5000, mu) == max(1, int(inner ** (1 / s)))
            assert zipf_ranks(s, 5000, mu) != max(1, int(inner ** (1 / (s - 1))))
    assert zipf_ranks(0.0, 9, 2.0) == 9
    assert zipf_ranks(1.0, 1, 2.0) == 1
    assert zipf_ranks(2.0, 9, 900.0) == 9
    assert zipf_ranks(1.0 + 1e-12, 5000, 6.0) == zipf_ranks(1.0, 5000, 6.0)
    assert zipf_ranks(1.5, 100, -20.0) == 1


@pytest.mark.parametrize("kind", [Mirostat, MirostatV1])
def test_mirostat_out_of_range_is_named(kind):
    for wrong in ({"surprise": 0}, {"surprise": math.inf}, {"rate": 0}, {"rate": 1.5}, {"measure": "some"}):
        with pytest.raises(OptionError, match=next(iter(wrong))):
            kind(**wrong)
    assert kind.depends_on_history
    with pytest.raises(OptionError, match="head"):
        MirostatV1(head=1)
