"""States by prefix, in whatever order an engine asks for rows: as by a walk from the prompt."""

from __future__ import annotations

import random

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from loop_runs import NETWORKS
from test_guides import Repetition
from toy_models import AB, ABC, EOS, A, B, matcher_of

from guidance_kit.guides.constraint import ConstraintGuide
from guidance_kit.guides.logit_bias import LogitBias
from guidance_kit.guides.penalties import Penalties
from guidance_kit.integrations.prefix_states import PrefixStates, RowStates

PROMPTS = {"one": [A], "two": [B, AB], "three": [A, B, A]}
GUIDES = [LogitBias({(A,): 0.5, (A, B): -1.0}), Penalties(presence=0.4, repetition=1.2), Repetition()]
LOGITS = torch.randn(64, ABC.rows, generator=torch.Generator().manual_seed(1))


def opened(network: str | None = "unbounded", capacity: int = 4096) -> PrefixStates:
    states = PrefixStates(GUIDES, capacity=capacity)
    for key, prompt in PROMPTS.items():
        states.open(key, prompt, matcher_of(NETWORKS[network]()) if network else None)
    return states


def check(found: RowStates, rows: list[tuple[str, tuple[int, ...]]], network: str | None) -> None:
    """Compare with the states of a walk from each prompt."""
    forbidden = []
    for row, (key, tokens) in enumerate(rows):
        for guide, state in zip(GUIDES, found.guides, strict=True):
            alone = guide.advance(guide.start([PROMPTS[key]]), [tokens])
            expected = guide.adjust(LOGITS[[row]], alone)
            assert torch.equal(guide.adjust(LOGITS[: len(rows)], state)[[row]], expected)
        if network is None:
            continue
        matcher = matcher_of(NETWORKS[network]())
        for token in tokens:
            if not matcher.can_advance(token):
                forbidden.append(row)
                break
            matcher.advance(token)
        if row not in forbidden:
            assert np.array_equal(found.matchers[row].allowed(), matcher.allowed())
    assert found.forbidden == forbidden
    assert len(found.matchers) == (len(rows) if network else 0)


@given(st.randoms(use_true_random=False), st.sampled_from([None, *NETWORKS]), st.sampled_from([1, 3, 10, 4096]))
@settings(max_examples=settings.default.max_examples // 5)
def test_rows_in_any_order(rng: random.Random, network, capacity):
    """Rows go on, go back, branch, change places, end, come back, and take tokens that are forbidden."""
    states = opened(network, capacity)
    rows = [(key, ()) for key in PROMPTS]
    for _ in range(12):
        following = []
        for key, tokens in rng.choices(rows, k=rng.randint(0, 6)):
            kept = tokens[: rng.randint(0, len(tokens))] if rng.random() < 0.3 else tokens
            following.append((key, (*kept, *rng.choices([A, B, AB, EOS], [5, 5, 3, 1], k=rng.choice([0, 1, 1, 1, 3])))))
        if rng.random() < 0.2:
            key = rng.choice(list(PROMPTS))
            states.open(key, PROMPTS[key], matcher_of(NETWORKS[network]()) if network else None)
        check(states.at(following), following, network)
        assert states.statistics()["prefixes"] <= max(capacity, len(following))
        rows = following + [(key, ()) for key in PROMPTS]


def test_a_row_costs_only_its_new_tokens():
    """Steps, reordered beams and a rollback of speculation advance by what nobody has seen."""
    states = opened()
    text = (A, B, A, B, A, B, A, B)
    for end in range(len(text) + 1):
        states.at([("one", text[:end]), ("three", text[:end])])
    assert states.statistics() == {"prompts": 3, "prefixes": 16, "found": 2, "advanced": 16}
    states.at([("three", text), ("one", text[:5]), ("one", text[:5])])  # changed places; went back; branched
    assert states.statistics()["advanced"] == 16
    states.at([("one", (*text[:4], AB, A))])
    assert states.statistics()["advanced"] == 18
    states.at([("two", text)])  # a row that never saw its parent
    assert states.statistics()["advanced"] == 18 + 8


def test_what_was_not_asked_for_is_forgotten():
    states = opened(capacity=4)
    text = (A, B) * 10
    for end in range(len(text) + 1):
        states.at([("one", text[:end])])
    assert states.statistics()["prefixes"] == 4
    assert states.statistics()["advanced"] == 20
    states.at([("one", text[:19])])
    assert states.statistics()["advanced"] == 20
    states.at([("one", text[:5])])  # forgotten: from the prompt
    assert states.statistics()["advanced"] == 25


def test_more_rows_than_the_capacity_are_kept_from_step_to_step():
    states = opened(network=None, capacity=2)
    rows = [("one", (token,)) for token in (A, B, AB)]
    for length in range(1, 6):
        states.at([(key, tokens * length) for key, tokens in rows])
    assert states.statistics()["advanced"] == 15


def test_prompts_are_opened_and_closed():
    states = opened()
    states.at([("one", (A,)), ("two", (B,))])
    states.close("one")
    assert states.statistics()["prompts"] == 2
    assert states.statistics()["prefixes"] == 1
    with pytest.raises(KeyError):
        states.at([("one", (A,))])
    states.close("never")
    states.open("one", [B], matcher_of(NETWORKS["finite"]()))
    assert states.at([("one", ())]).matchers[0].can_advance(B)
    with pytest.raises(ValueError, match="at least 1, not 0"):
        PrefixStates([], capacity=0)


def test_the_matcher_that_was_given_stays_where_it_is():
    matcher = matcher_of(NETWORKS["unbounded"]())
    states = PrefixStates([])
    states.open(1, [A], matcher)
    states.at([(1, (A, B))])
    assert len(matcher) == 0
    assert len(states.at([(1, (A, B))]).matchers[0]) == 2


def test_the_masks_are_those_of_the_constraint_guide():
    states = opened()
    rows = [("one", (A,)), ("two", ()), ("three", (A, B))]
    guide = ConstraintGuide(matcher_of(NETWORKS["unbounded"]()))
    state = guide.advance(guide.start(list(PROMPTS.values())), [tokens for _, tokens in rows])
    found = states.at(rows).matchers
    assert torch.equal(guide.adjust(LOGITS[:3], found), guide.adjust(LOGITS[:3], state))
