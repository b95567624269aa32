"""Number of proposed tokens by measured times, with a clock that calls move: batches, trees, drafts that never pay."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from marks import slow, thinned
from test_drafts import Ticks, chosen
from toy_models import AB, ABC, A, B

import guidance_kit as gk
from guidance_kit.decoding.draft_length import DraftLength, expected_tokens
from guidance_kit.decoding.drafts.draft import Draft
from guidance_kit.decoding.drafts.model_draft import ModelDraft
from guidance_kit.decoding.drafts.model_tree import BoundModelTree
from guidance_kit.decoding.draw import InverseTransform
from guidance_kit.decoding.row import Row
from guidance_kit.decoding.sampling import Sampling
from guidance_kit.decoding.speculation import Speculator
from guidance_kit.decoding.tabular import TabularModel
from guidance_kit.decoding.walk import Walk

TOKENS = 96


class Timed:
    """A model whose calls take time: one for itself, more for each further position, and for rows that move.

    Rows move in the caches of a model where they took different numbers of tokens before the call.
    """

    has_full_support = False

    def __init__(self, inner: TabularModel, clock: Ticks, *, call: float, position: float, move: float) -> None:
        self.inner, self.clock = inner, clock
        self.call, self.position, self.move = call, position, move
        self.rows, self.room = inner.rows, inner.room
        self._lengths: list[int] = []

    def logits(self, prefixes, positions=1, **options):
        lengths = [len(prefix) for prefix in prefixes]
        is_same = len(lengths) == len(self._lengths)
        grown = {one - other for one, other in zip(lengths, self._lengths, strict=True)} if is_same else set()
        self._lengths = lengths
        self.clock.now += self.call + self.position * (positions - 1) + self.move * (len(grown) > 1)
        return self.inner.logits(prefixes, positions, **options)


def table(first: float) -> TabularModel:
    """Model that gives the first of three tokens a probability, and the others the rest of it."""
    logits = np.full((ABC.rows + 1, ABC.rows), -np.inf)
    with np.errstate(divide="ignore"):
        logits[:, [A, B, AB]] = np.log([first, (1 - first) / 2, (1 - first) / 2])
    return TabularModel(ABC, logits)


def pair(acceptance: float) -> tuple[TabularModel, TabularModel]:
    """Target and draft with an acceptance: one less total variation."""
    first = min(1 / 3, acceptance)
    return table(first), table(1 + first - acceptance)


def seconds(
    acceptance: float, rows: int, *, ahead: int | None = None, position: float = 0.02, move: float = 0.4, draft=None
) -> tuple[float, list[Row]]:
    """Time of a batch, and its rows; with `ahead=0` that without a draft."""
    clock = Ticks()
    target, proposer = pair(acceptance)
    own = ModelDraft(Timed(proposer, clock, call=0.1, position=0.0, move=0.0))  # pyright: ignore[reportArgumentType]
    bound: Draft = own if draft is None else draft(own)
    walk = Walk(
        Timed(target, clock, call=1.0, position=position, move=move),  # pyright: ignore[reportArgumentType]
        ABC,
        [Row(place, place, [A], seed=place + 7, room=TOKENS) for place in range(rows)],
        sampling=Sampling(),
        draw=InverseTransform(),
        constraint=None,
        guides=(),
        speculator=Speculator(bound, ahead, clock=clock),
    )
    running = list(walk.rows)
    while walk.rows:
        walk.take(walk.draw())
        walk.settle()
        walk.keep([row for row in walk.rows if row.is_running])
    return clock.now, running


@pytest.mark.parametrize(("acceptance", "rows"), thinned(product([0.6, 0.2, 0.37, 0.0, 0.8, 0.9], [1, 8]), 12))
def test_a_batch_is_nearly_as_fast_as_with_the_best_number(acceptance, rows):
    """And never much slower than without a draft, whatever rows of different lengths cost."""
    times = {ahead: seconds(acceptance, rows, ahead=ahead)[0] for ahead in (0, 1, 2, 3, 4, 6, 8)}
    found, texts = seconds(acceptance, rows)
    assert all(row.length == TOKENS for row in texts)
    assert times[0] == pytest.approx(TOKENS)
    assert found <= 1.05 * times[0]
    assert found <= 1.2 * min(times.values())


def test_moved_rows_are_no_cost_of_a_single_step():
    """A step that follows a block of proposals is slower where rows moved; without a draft nothing would."""
    length = DraftLength()
    note = {"proposed": 0, "draft_seconds": 0.0, "accepted": 0, "rejected": 0}
    length.note(width=1, target_seconds=1.0, **note)
    length.note(width=1, target_seconds=3.0, is_moved=True, **note)
    assert length.step_seconds == length.call_seconds(1) == 1.0
    length.note(width=5, target_seconds=1.2, **note)
    assert length.call_seconds(5) == pytest.approx(3.2)
    length.note(width=5, target_seconds=2.4, is_moved=True, **note)
    assert length.call_seconds(5) == pytest.approx(2.4)
    assert length.call_seconds(4) == pytest.approx(2.4 - 0.05)


def test_several_rows_start_without_proposals():
    length = DraftLength()
    assert length.choose(8) == 0
    length.note(width=1, proposed=0, draft_seconds=0.0, target_seconds=1.0, accepted=0, rejected=0)
    assert length.choose(8) > 0
    assert DraftLength().choose(1) > 0


@pytest.mark.parametrize("acceptance", [0.3, 0.6, 0.9])
@pytest.mark.parametrize("slope", [0.01, 0.1, 0.4])
def test_the_depth_of_trees_is_nearly_the_best(acceptance, slope):
    """A tree of g tokens in depth has 3 g nodes, all of which the target computes."""

    def costs(width: int) -> float:
        return 1 + slope * 3 * (width - 1)

    best = min((costs(g + 1) + 0.1 * g) / expected_tokens(acceptance, g) for g in range(6))
    length = DraftLength(lambda ahead: 3 * ahead, 5)
    counts, found = chosen(length, costs, draft=0.1, acceptance=acceptance, blocks=400, nodes=3)
    assert found <= 1.12 * best
    assert max(counts) <= 5


@pytest.mark.parametrize("position", [0.0, *slow(0.05), 1.0])
def test_trees_of_a_walk_are_as_deep_as_pays(position):
    def tree(draft: ModelDraft) -> BoundModelTree:
        return BoundModelTree(draft, (2, 2, 1))

    options = {"rows": 2, "move": 0.0, "position": position, "draft": tree}
    times = {ahead: seconds(0.6, ahead=ahead, **options)[0] for ahead in range(4)}
    found, _ = seconds(0.6, **options)
    assert found <= 1.2 * min(times.values())
    assert found <= 1.06 * times[0]
    best = min(times, key=times.__getitem__)
    assert (best == 0) == (position == 1.0)


def test_a_call_without_times_given_measures_them():
    text = gk.Model(table(0.5)).generate([A], draft=gk.Model(table(0.4)), max_tokens=30, seed=1)
    assert text.speculation.seconds_saved is not None
