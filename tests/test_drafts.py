"""Drafts: their contract, lookups against naive ones, and the choice of the number of proposed tokens."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
import torch
from loop_runs import MODEL, NETWORKS, complete
from statistics_of_samples import chi_square
from steered_models import OTHER, base, other
from test_speculation import draft_of, law
from test_walk import Counted, walk_of
from toy_models import AB, ABC, A, B

import guidance_kit as gk
from guidance_kit.decoding.draft_length import DraftLength, expected_tokens
from guidance_kit.decoding.drafts.datastore import Datastore
from guidance_kit.decoding.drafts.draft_sequence import DraftSequence
from guidance_kit.decoding.drafts.forced_tokens import ForcedTokens
from guidance_kit.decoding.drafts.model_draft import ModelDraft
from guidance_kit.decoding.drafts.prompt_lookup import PromptLookup, continuation
from guidance_kit.decoding.draw import Greedy, InverseTransform
from guidance_kit.decoding.sampling import Sampling
from guidance_kit.decoding.speculation import Speculator
from guidance_kit.decoding.tabular import TabularModel
from guidance_kit.errors import OptionError

CORPUS = [[A, B, AB, A, B], [B, AB, A, B, B, A], [AB, AB, A]]
DRAFTS = {
    "model": lambda: ModelDraft(OTHER, "other"),
    "chain": lambda: draft_of([base, other]),
    "lookup": lambda: PromptLookup(shortest=1),
    "forced": ForcedTokens,
    "text lookup": lambda: gk.TextLookup(branches=1).bound(None),
    "datastore": lambda: Datastore(CORPUS, shortest=1),
    "sequence": lambda: draft_of(DraftSequence((ForcedTokens(), PromptLookup(), other))),
}


@pytest.mark.parametrize("name", DRAFTS)
@pytest.mark.parametrize("network", [None, *NETWORKS])
@pytest.mark.parametrize("draw", [Greedy(), InverseTransform()])
def test_contract(name, network, draw):
    """Rows and states stay, proposals are short enough and come again, and drawn tokens have a possible law."""
    draft = DRAFTS[name]()
    sampling = Sampling(temperature=0) if draw == Greedy() else Sampling(top_k=3)
    walk = walk_of(MODEL, draw=draw, network=network and NETWORKS[network](), sampling=sampling)
    draft.check(walk.rows)
    for _ in range(4):
        rows = [(row.index, list(row.prefix), row.length, row.reason, row.draw_state) for row in walk.rows]
        for counts in ([3, 0, 1], [5, 5, 5]):
            counts = counts[: len(rows)]
            first, second = draft.propose(walk, counts), draft.propose(walk, counts)
            assert [list(one.tokens) for one in first] == [list(one.tokens) for one in second]
            assert len(first) == len(counts)
            for proposal, count in zip(first, counts, strict=True):
                assert len(proposal.tokens) <= count
                if proposal.logits is not None:
                    assert isinstance(draw, InverseTransform)
                    assert proposal.logits.shape == (len(proposal.tokens), ABC.rows)
                    for token, logits in zip(proposal.tokens, proposal.logits, strict=True):
                        assert logits[token] > -torch.inf
                        assert (logits > -torch.inf).sum() <= 3
        assert rows == [(row.index, list(row.prefix), row.length, row.reason, row.draw_state) for row in walk.rows]
        walk.take(walk.draw())
        walk.settle()
        walk.keep([row for row in walk.rows if row.is_running])
        if not walk.rows:
            break


@pytest.mark.parametrize("name", ["lookup", "forced", "datastore"])
@pytest.mark.parametrize("network", [None, *NETWORKS])
def test_drafts_without_a_law_change_no_text(name, network):
    prompts = [[A, B, AB, A], [B, AB, A, B, AB], [A, A]]
    for ahead in (2, None):
        options = {"sampling": Sampling(seed=3, top_k=4), "max_tokens": 14, "logprobs": 1}
        network_of = NETWORKS[network] if network else lambda: None
        expected = complete(MODEL, prompts, network=network_of(), **options)
        found = complete(MODEL, prompts, network=network_of(), draft=DRAFTS[name](), ahead=ahead, **options)
        assert [one.tokens for one in found] == [one.tokens for one in expected]
        assert [one.logprobs for one in found] == [one.logprobs for one in expected]


def test_a_sequence_of_drafts_keeps_the_law():
    draft = draft_of(DraftSequence((PromptLookup(shortest=1), other)))
    texts = complete(MODEL_OF_BASE, [[B, AB]] * 800, sampling=Sampling(seed=1), max_tokens=5, draft=draft, ahead=3)
    statistic, limit = chi_square([one.tokens for one in texts], law(base, [B, AB]))
    assert statistic < limit
    names = {name for one in texts for name in one.speculation.drafts}
    assert names == {"lookup", "other"}


MODEL_OF_BASE = base.source


def test_forced_tokens_are_always_accepted():
    counted = Counted(MODEL)
    counted.vocabulary = counted.inner.vocabulary
    texts = complete(
        counted, [[A], [B]], network=NETWORKS["counted"](), sampling=Sampling(seed=1), max_tokens=9, logprobs=0,
        draft=ForcedTokens(), ahead=8,
    )  # fmt: skip
    assert all(one.speculation.rejected == 0 for one in texts)
    assert counted.calls <= max(len(one.tokens) for one in texts)


def naive_continuation(tokens: list[int], count: int, longest: int, shortest: int) -> list[int]:
    for length in range(min(longest, len(tokens) - 1), shortest - 1, -1):
        for first in range(len(tokens) - length - 1, -1, -1):
            if tokens[first : first + length] == tokens[-length:]:
                known = list(tokens)
                for place in range(first + length, first + length + count):
                    known.append(known[place])
                return known[len(tokens) :]
    return []


def test_lookups_are_the_naive_ones():
    rng = random.Random(0)
    for _ in range(400):
        numbers = rng.choice([[0, 1], [1, 256, 65536, 2**24], list(range(9))])
        tokens = rng.choices(numbers, k=rng.randint(1, 30))
        count, shortest = rng.randint(1, 5), rng.randint(1, 3)
        longest = shortest + rng.randint(0, 3)
        assert continuation(tokens, count, longest, shortest) == naive_continuation(tokens, count, longest, shortest)


def naive_retrieval(corpus, prefix, count, longest, shortest) -> list[int]:
    for length in range(min(longest, len(prefix)), shortest - 1, -1):
        ngram = prefix[len(prefix) - length :]
        rests = [
            text[first + length :]
            for text in corpus
            for first in range(len(text) - length + 1)
            if text[first : first + length] == ngram
        ]
        found: list[int] = []
        while len(found) < count:
            agreeing = [rest for rest in rests if rest[: len(found)] == found and len(rest) > len(found)]
            following = Counter(rest[len(found)] for rest in agreeing)
            if not following:
                break
            found.append(min(following, key=lambda token: (-following[token], token)))
        if found:
            return found
    return []


def test_a_datastore_finds_the_most_frequent_continuation():
    rng = random.Random(1)
    for _ in range(60):
        corpus = [rng.choices(range(4), k=rng.randint(0, 12)) for _ in range(rng.randint(1, 6))] + [[1, 2]]
        longest = rng.randint(2, 6)
        datastore = Datastore(corpus, longest=longest, shortest=1)
        for _ in range(8):
            prefix = rng.choices(range(5), k=rng.randint(1, 8))
            assert datastore.continuation(prefix, 4) == naive_retrieval(corpus, prefix, 4, longest, 1)


def test_bad_drafts_are_named():
    for wrong in ({"shortest": 0}, {"longest": 1, "shortest": 2}, {"longest": 1.5}):
        with pytest.raises(OptionError, match=r"shortest|longest"):
            PromptLookup(**wrong)
        with pytest.raises(OptionError, match=r"shortest|longest"):
            Datastore([[1]], **wrong)
    with pytest.raises(OptionError, match="there are none"):
        Datastore([[], []])
    with pytest.raises(OptionError, match="at least one of them"):
        DraftSequence(())
    with pytest.raises(OptionError, match="only the first may run no model, and lookup runs none"):
        draft_of([other, PromptLookup()])


def chosen(
    length: DraftLength, costs, *, draft: float, acceptance: float, blocks: int, nodes: int = 1
) -> tuple[list[int], float]:
    """Numbers of proposed tokens, and the time of a token, in a simulation with given times.

    Args:
        nodes: number of nodes of a tree for each token of its depth.
    """
    rng = random.Random(0)
    counts, seconds, tokens = [], 0.0, 0
    for _ in range(blocks):
        ahead = length.choose()
        accepted = next((k for k in range(ahead) if rng.random() >= acceptance), ahead)
        rejected = int(accepted < ahead)
        length.note(
            width=nodes * ahead + 1, proposed=ahead, draft_seconds=ahead * draft, target_seconds=costs(ahead + 1),
            accepted=accepted, rejected=rejected,
        )  # fmt: skip
        counts.append(ahead)
        seconds += ahead * draft + costs(ahead + 1)
        tokens += accepted + 1
    return counts, seconds / tokens


@pytest.mark.parametrize("acceptance", [0.3, 0.6, 0.8, 0.9])
@pytest.mark.parametrize("slope", [0.0, 0.05, 0.3])
def test_the_length_of_drafts_is_nearly_the_best(acceptance, slope):
    def costs(width: int) -> float:
        return 1 + slope * (width - 1)

    best = min((costs(g + 1) + 0.1 * g) / expected_tokens(acceptance, g) for g in range(17))
    counts, seconds = chosen(DraftLength(), costs, draft=0.1, acceptance=acceptance, blocks=600)
    assert seconds <= 1.12 * best
    assert max(counts) <= 16


def test_a_draft_that_never_pays_is_hardly_asked():
    counts, seconds = chosen(DraftLength(), lambda width: 1 + 0.2 * width, draft=0.1, acceptance=0.0, blocks=256)
    assert seconds <= 1.05 * 1.2
    assert sum(count > 0 for count in counts) >= 2
    assert sum(count > 0 for count in counts[100:]) >= 1


class Ticks:
    """A clock by which a call takes as long as its positions and proposals."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_time_saved_is_that_of_single_steps():
    clock = Ticks()

    class Timed(Counted):
        def logits(self, prefixes, positions=1, **options):
            clock.now += 10 + positions
            return super().logits(prefixes, positions, **options)

    table = np.full((ABC.rows + 1, ABC.rows), -9.0)
    table[A, B] = table[B, A] = table[AB, A] = 0.0  # a, b, a, b, ...
    speculator = Speculator(PromptLookup(shortest=1), clock=clock)
    walk = walk_of(Timed(TabularModel(ABC, table)), draw=Greedy(), sampling=Sampling(temperature=0), room=40)
    walk._speculator = speculator
    rows = list(walk.rows)
    while walk.rows:
        walk.take(walk.draw())
        walk.settle()
        walk.keep([row for row in walk.rows if row.is_running])
    assert speculator.length.step_seconds == 11
    blocks = rows[0].speculation.blocks
    assert blocks < 14
    assert all(row.speculation.tokens == row.length == 40 for row in rows)
    for row in rows:  # from the first block after that for one token on
        assert 11 * 30 - 27 * blocks < row.speculation.seconds_saved < 11 * 40 - 11 * (blocks - 3)


def test_records_with_excerpts_are_looked_up():
    model = gk.load()
    text = "Order 48213 of Maria Delgado, a blue kettle, arrived broken on 12 May in Lyon."
    schema = {"type": "object", "properties": {"name": {"type": "string"}, "item": {"type": "string"}}}
    expected = model.extract(text, schema, excerpts=True, max_tokens=60)
    for draft in ("lookup", gk.DraftSequence((gk.ForcedTokens(), gk.PromptLookup()))):
        assert model.extract(text, schema, excerpts=True, draft=draft, max_tokens=60) == expected
