"""The contract of draws, checked for each of them; and a draw with a state and a history through the public API."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
import torch
from loop_runs import MODEL, complete
from small_models import small_llama
from statistics_of_samples import chi_square
from toy_models import ABC, A, B, unconstrained

import guidance_kit as gk
from guidance_kit.decoding.draw import Draw, Drawn, Greedy, InverseTransform, Uniforms, choose
from guidance_kit.decoding.options import Options
from guidance_kit.decoding.sampling import Sampling
from guidance_kit.errors import OptionError


@dataclass(frozen=True)
class Mirostat:
    """Mirostat 2.0 of Basu et al. 2021: tokens with a surprise above mu are left out, and mu follows the surprises."""

    surprise: float = 1.0
    rate: float = 0.2

    def start(self, seed: int) -> tuple[Uniforms, float]:
        return Uniforms(seed), 2 * self.surprise

    def draw(
        self,
        logits: torch.Tensor,
        states: Sequence[tuple[Uniforms, float]],
        prefixes: Sequence[Sequence[int]],
        starts: Sequence[int],
    ) -> Drawn:
        surprises = -logits.double().log_softmax(-1) / math.log(2)
        greatest = torch.tensor([mu for _, mu in states], dtype=torch.float64)[:, None]
        greatest = torch.maximum(greatest, surprises.amin(-1, keepdim=True))
        positions = [len(prefix) - start for prefix, start in zip(prefixes, starts, strict=True)]
        numbers = [uniforms[position] for (uniforms, _), position in zip(states, positions, strict=True)]
        tokens, checks = choose(logits.masked_fill(surprises > greatest, -torch.inf), numbers)
        states = [
            (uniforms, mu - self.rate * (float(row[token]) - self.surprise) if check > -math.inf else mu)
            for (uniforms, mu), row, token, check in zip(states, surprises, tokens, checks, strict=True)
        ]
        return Drawn(tokens, checks, states)


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


DRAWS = [Greedy(), InverseTransform(), Mirostat(), Unrepeated()]
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
    draw = Mirostat(surprise=1e6)
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
    options = {"seed": 3, "draw": Mirostat(surprise=2.0), "max_tokens": 40}
    together = model.generate(prompts, constraint, **options)
    assert together == model.generate(prompts, constraint, batch_size=1, **options)
    assert [one.text for one in together] != [one.text for one in model.generate(prompts, constraint, seed=3)]
    assert "".join(model.stream(prompts[0], constraint, **options)) == together[0].text
    (text,) = model.generate(prompts[:1], constraint, logprobs=0, **options)
    surprises = [-one.guided_logprob / math.log(2) for one in text.logprobs]
    assert sum(surprises) / len(surprises) == pytest.approx(2.0, abs=0.5)
