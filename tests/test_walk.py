"""Blocks of positions: proposed tokens change the number of calls of the distribution, and never a text."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
import torch
from loop_runs import MODEL, NETWORKS
from marks import slow
from steered_models import anti, base, expert
from test_draws import Mirostat
from test_guides import GUIDES
from toy_models import AB, ABC, EOS, A, B, matcher_of

from guidance_kit.decoding.drafts.draft import Proposal
from guidance_kit.decoding.draw import Draw, Greedy, InverseTransform
from guidance_kit.decoding.row import Row
from guidance_kit.decoding.sampling import Sampling
from guidance_kit.decoding.speculation import Speculator
from guidance_kit.decoding.walk import Walk
from guidance_kit.guides.constraint import ConstraintGuide
from guidance_kit.guides.logit_bias import LogitBias
from guidance_kit.guides.penalties import Penalties
from guidance_kit.steering.ensemble import Ensemble
from guidance_kit.steering.named import contrastive

PROMPTS = [[A, A, A, A], [B, AB, A, B], [A, B, AB, A]]


class Counted:
    """A distribution that counts its calls."""

    def __init__(self, inner) -> None:
        self.inner, self.rows, self.room = inner, inner.rows, inner.room
        self.has_full_support = inner.has_full_support
        self.calls = 0

    def logits(self, *given, **options):
        self.calls += 1
        return self.inner.logits(*given, **options)


class Guesses:
    """A draft of tokens that are a function of the rows."""

    name = "guesses"

    def __init__(self, tokens_of) -> None:
        self.tokens_of = tokens_of

    def check(self, rows) -> None:
        pass

    def propose(self, walk: Walk, counts: Sequence[int]) -> list[Proposal]:
        guessed = zip(self.tokens_of(walk.rows), counts, strict=True)
        return [Proposal(tokens=tokens[:count], draft=self.name) for tokens, count in guessed]


def walk_of(
    distribution, tokens_of=None, *, draw: Draw, network=None, guides=(), sampling=None, room: int | None = 9
) -> Walk:
    rows = [Row(place, place, prompt, seed=place + 10, room=room) for place, prompt in enumerate(PROMPTS)]
    return Walk(
        distribution,
        ABC,
        rows,
        sampling=sampling or Sampling(),
        draw=draw,
        constraint=None if network is None else ConstraintGuide(matcher_of(network)),
        guides=guides,
        speculator=None if tokens_of is None else Speculator(Guesses(tokens_of), 5),
    )


def texts(walk: Walk) -> dict[int, tuple[tuple[int, ...], str]]:
    """Tokens and reasons of the rows."""
    found = {}
    while walk.rows:
        walk.settle()
        found.update({row.place: (row.tokens, row.reason) for row in walk.rows if not row.is_running})
        walk.keep([row for row in walk.rows if row.is_running])
        if walk.rows:
            walk.take(walk.draw())
    return found


DISTRIBUTIONS = {
    "model": lambda: MODEL,
    "formula": lambda: Ensemble(base + 0.7 * (expert - anti)),
    "truncating formula": lambda: Ensemble(contrastive(base, expert, beta=0.3, plausibility=0.4)),
}
DRAWS = {
    "greedy": (Greedy(), Sampling(temperature=0)),
    "inverse transform": (InverseTransform(), Sampling(top_k=4, temperature=1.3)),
    "with a state": (Mirostat(surprise=0.8), Sampling()),
}
STEERED = (LogitBias({(A,): 0.5, (A, B): -1.0}), Penalties(presence=0.4, repetition=1.2))


@pytest.mark.parametrize("times", [1, *slow(6)])
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
@pytest.mark.parametrize("draws", DRAWS)
@pytest.mark.parametrize("network", [None, *NETWORKS])
def test_proposals_change_no_text(distribution, draws, network, times):
    draw, sampling = DRAWS[draws]
    given = DISTRIBUTIONS[distribution]()
    make = NETWORKS[network] if network else lambda: None
    rng = random.Random(f"{distribution} {draws} {network}")

    def walk(tokens_of=None) -> Walk:
        return walk_of(given, tokens_of, draw=draw, network=make(), guides=STEERED, sampling=sampling)

    def guesses(rows: Sequence[Row]) -> list[list[int]]:
        return [rng.choices([EOS, A, B, AB], [1, 4, 4, 4], k=rng.randint(0, 4)) for _ in rows]

    expected = texts(walk())
    assert len(expected) == len(PROMPTS)
    for _ in range(times):
        assert texts(walk(guesses)) == expected


@pytest.mark.parametrize("draws", DRAWS)
def test_right_proposals_save_calls(draws):
    """What was generated before is proposed, three tokens at once: a call gives four, or the rest."""
    draw, sampling = DRAWS[draws]
    first, second = Counted(MODEL), Counted(MODEL)
    expected = texts(walk_of(first, draw=draw, sampling=sampling))

    def known(rows: Sequence[Row]) -> list[Sequence[int]]:
        return [expected[row.place][0][row.length : row.length + 3] for row in rows]

    assert texts(walk_of(second, known, draw=draw, sampling=sampling)) == expected
    longest = max(len(tokens) for tokens, _ in expected.values())
    assert first.calls == longest
    assert second.calls == -(-longest // 4)


@pytest.mark.parametrize("make", GUIDES)
def test_a_block_is_the_loop_position_by_position(make):
    """Positions of a block are rows of a batch: selected, advanced, adjusted at once."""
    guide = make()
    prompts = [[A], [B, B], [A, B]]
    blocks = [[A, B], [AB], []]
    state = guide.start(prompts)
    places = [row for row, tokens in enumerate(blocks) for _ in range(len(tokens) + 1)]
    before = [tokens[:end] for tokens in blocks for end in range(len(tokens) + 1)]
    logits = torch.randn(len(places), ABC.rows, generator=torch.Generator().manual_seed(3))
    together = guide.adjust(logits, guide.advance(guide.select(state, places), before))
    for number, (place, tokens) in enumerate(zip(places, before, strict=True)):
        alone = guide.select(state, [place])
        for token in tokens:
            alone = guide.advance(alone, [[token]])
        assert torch.equal(together[number], guide.adjust(logits[[number]], alone)[0])


def test_a_fork_goes_its_own_way():
    walk = walk_of(MODEL, draw=InverseTransform(), network=NETWORKS["unbounded"](), guides=STEERED)
    walk.take(walk.draw())
    fork = walk.fork()
    kept = [(row.tokens, row.is_running) for row in walk.rows]
    after = texts(fork)
    assert [(row.tokens, row.is_running) for row in walk.rows] == kept
    assert texts(walk) == after


def test_rows_that_are_kept_twice_are_copies():
    walk = walk_of(MODEL, draw=InverseTransform(), guides=STEERED)
    walk.take(walk.draw())
    walk.keep([walk.rows[1], walk.rows[1].fork(), walk.rows[0]])
    assert [row.index for row in walk.rows] == [0, 1, 2]
    assert [row.place for row in walk.rows] == [1, 1, 0]
    first, second, _ = walk.draw()
    assert first == second  # of one seed
    walk.take([[A], [B], [A]])
    assert walk.rows[0].tokens[-1] != walk.rows[1].tokens[-1]


def test_no_proposal_goes_beyond_the_limit_of_a_row():
    found = texts(walk_of(MODEL, lambda rows: [[A, B, A, B, A]] * len(rows), draw=Greedy(), room=3))
    assert all(len(tokens) <= 3 for tokens, _ in found.values())
