"""Speculation draws from the law without a draft: enumeration, acceptance, and drafts that break the contract."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from loop_runs import NETWORKS, complete
from marks import slow
from statistics_of_samples import chi_square
from steered_models import BASE, OTHER, anti, base, expert, other
from toy_models import AB, ABC, A, B, matcher_of

from guidance_kit.decoding.draft_length import expected_tokens
from guidance_kit.decoding.drafts.draft import Proposal
from guidance_kit.decoding.drafts.model_draft import ModelDraft
from guidance_kit.decoding.padding_rows import padding_rows
from guidance_kit.decoding.sampling import Sampling, shape
from guidance_kit.decoding.tabular import TabularModel
from guidance_kit.guides.constraint import ConstraintGuide
from guidance_kit.steering.drafts import DraftBinding
from guidance_kit.steering.ensemble import Ensemble
from guidance_kit.steering.formula import Formula
from guidance_kit.steering.named import contrastive

COUNT = 800
LENGTH = 5
PROMPTS = [[A], [B, AB]]

TARGETS: dict[str, Formula] = {
    "model": base,
    "formula": base + 0.7 * (expert - anti),
    "truncating": contrastive(base, expert, beta=0.3, plausibility=0.4),
}


def draft_of(given, target: Formula = base, ahead: int | None = 3):
    return DraftBinding(target, ABC, PROMPTS, PROMPTS, ahead).bind(given)


def distribution_of(target: Formula):
    return target.source or Ensemble(target)


def law(target: Formula, prompt, *, network=None, sampling=None, stop: bytes = b"", length: int = LENGTH):
    """Exact distribution of the token sequences: the steps of the loop, one prefix at a time, in float64."""
    distribution = distribution_of(target)
    constraint = None if network is None else ConstraintGuide(matcher_of(network))

    def following(tokens: tuple[int, ...]) -> np.ndarray:
        nothing = np.zeros(ABC.rows)
        if stop and stop in ABC.text_of(tokens):
            return nothing
        matchers = () if constraint is None else constraint.advance(constraint.start([prompt]), [tokens])
        if constraint is not None and constraint.is_over(matchers)[0]:
            return nothing

        def masked(logits: torch.Tensor) -> torch.Tensor:
            if constraint is None:
                return logits.index_fill(-1, padding_rows(ABC), -torch.inf)
            return constraint.adjust(logits, matchers)

        logits = distribution.logits(
            [[*prompt, *tokens]],
            starts=[len(prompt)],
            allowed=lambda device: (masked(torch.zeros(1, ABC.rows)) == 0)[:, None],
        )[:, -1]
        return shape(masked(logits.float()), sampling or Sampling()).double().softmax(-1)[0].numpy()

    return BASE.sequences(prompt, length, following)


def samples(target: Formula, draft, prompt, *, network=None, sampling=None, count: int = COUNT, ahead=3, **options):
    return complete(
        distribution_of(target),
        [prompt] * count,
        network=network,
        sampling=sampling or Sampling(seed=1),
        max_tokens=LENGTH,
        draft=draft,
        ahead=ahead,
        **options,
    )


def accepted(texts) -> float:
    found = [one.speculation for one in texts]
    good, bad = sum(one.accepted for one in found), sum(one.rejected for one in found)
    return good / (good + bad)


DRAFTS = {
    "model": other,
    "formula": expert + 0.5 * other,
    "chain": [other, expert],
    "expert": "expert",
}
SHAPES = {
    "plain": Sampling(seed=1),
    "truncated": Sampling(temperature=0.7, top_p=0.8, seed=2),
    "hot": Sampling(temperature=1.6, top_k=3, seed=3),
}
CASES = [
    ("formula", "expert", "counted", "hot", b""),
    ("truncating", "model", None, "hot", b"bb"),
]
ALL = [
    (target, draft, network, shaped, stop)
    for target in TARGETS
    for draft in DRAFTS
    for network in (None, *NETWORKS)
    for shaped in SHAPES
    for stop in (b"", b"ba")
    if draft != "expert" or target == "formula"
]


@pytest.mark.parametrize(
    "case", [*CASES, *[pytest.param(case, marks=pytest.mark.slow) for case in ALL if case not in CASES]], ids=str
)
def test_the_law_of_texts_is_that_without_a_draft(case):
    target, given, network, shaped, stop = case
    formula, sampling = TARGETS[target], SHAPES[shaped]
    make = NETWORKS[network] if network else lambda: None
    draft = draft_of(DRAFTS[given], formula)
    options = {"stop": (stop.decode(),)} if stop else {}
    texts = samples(formula, draft, [B, AB], network=make(), sampling=sampling, **options)
    expected = law(formula, [B, AB], network=make(), sampling=sampling, stop=stop)
    statistic, limit = chi_square([one.tokens for one in texts], expected)
    assert statistic < limit
    assert sum(one.speculation.accepted + one.speculation.rejected for one in texts) > COUNT / 4


@pytest.mark.slow
def test_acceptance_is_one_less_total_variation():
    """A block of one token from one prefix: the share of accepted first tokens is the overlap of both laws."""
    p, q = (law(formula, [A], length=1) for formula in (base, other))
    overlap = sum(min(p.get(tokens, 0.0), probability) for tokens, probability in q.items())
    texts = complete(BASE, [[A]] * 3000, sampling=Sampling(seed=4), max_tokens=2, draft=draft_of(other), ahead=1)
    first = [one.speculation for one in texts]
    share = sum(min(1, one.accepted) if not one.rejected else 0 for one in first) / len(first)
    assert share == pytest.approx(overlap, abs=5 * (0.25 / 3000) ** 0.5)


@pytest.mark.slow
def test_the_tokens_of_a_block_follow_the_formula():
    """With an acceptance that does not depend on the prefix; blocks that the end of the text cuts do not count."""
    table = np.full((ABC.rows,), -np.inf)
    table[[A, B]] = np.log([0.3, 0.7])
    target = TabularModel(ABC, table)
    table[[A, B]] = np.log([0.6, 0.4])
    draft = TabularModel(ABC, table, name="draft")
    rate, ahead = 0.7, 4
    texts = complete(
        target, [[A]] * 40, sampling=Sampling(seed=5), max_tokens=300, draft=ModelDraft(draft), ahead=ahead
    )
    blocks = sum(one.speculation.blocks for one in texts)
    assert all(len(one.tokens) == 300 == one.speculation.tokens for one in texts)
    assert 40 * 300 / blocks == pytest.approx(expected_tokens(rate, ahead), rel=0.03)
    assert accepted(texts) == pytest.approx(rate, abs=0.02)


class Broken(ModelDraft):
    """A draft that breaks the contract: its logits are not those that its tokens were drawn from."""

    def propose(self, walk, counts):
        made = super().propose(walk, counts)
        return [
            one if one.logits is None else Proposal(tokens=one.tokens, logits=one.logits / 3, draft=self.name)
            for one in made
        ]


class Censored(ModelDraft):
    """A draft that drops tokens by what they are."""

    def propose(self, walk, counts):
        made = super().propose(walk, counts)
        kept = [one.tokens.index(B) if B in one.tokens else len(one.tokens) for one in made]
        return [
            Proposal(tokens=one.tokens[:end], logits=None if one.logits is None else one.logits[:end])
            for one, end in zip(made, kept, strict=True)
        ]


class Unmasked(ModelDraft):
    """A draft without the mask of the target."""

    def propose(self, walk, counts):
        free = walk.fork()
        free._constraint = None
        return super().propose(free, counts)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Broken, Censored])
def test_a_draft_that_breaks_the_contract_is_noticed(kind):
    texts = samples(base, kind(OTHER, "other"), [B, AB], count=2400)
    statistic, limit = chi_square([one.tokens for one in texts], law(base, [B, AB]))
    assert statistic > limit


def test_a_residual_of_unshaped_probabilities_is_noticed(monkeypatch):
    from guidance_kit.decoding.drafts import verification

    monkeypatch.setattr(verification, "residual", lambda target, draft: target)
    texts = samples(base, draft_of(other), [B, AB])
    statistic, limit = chi_square([one.tokens for one in texts], law(base, [B, AB]))
    assert statistic > limit


@pytest.mark.slow
def test_a_mask_on_the_target_alone_is_exact_and_slower():
    network = NETWORKS["unbounded"]
    rates = []
    for kind in (ModelDraft, Unmasked):
        texts = samples(base, kind(OTHER, "other"), [B, AB], network=network())
        statistic, limit = chi_square([one.tokens for one in texts], law(base, [B, AB], network=network()))
        assert statistic < limit
        rates.append(accepted(texts))
    assert rates[1] < rates[0] - 0.03


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("given", ["expert", "chain", *slow("model", "formula")])
def test_greedy_texts_are_those_without_a_draft(target, given):
    if given == "expert" and target != "formula":
        pytest.skip("there is no expert")
    formula = TARGETS[target]
    prompts = [[A], [B, AB], [A, B, AB, A], [AB]]
    for network in (None, *NETWORKS.values()):
        for ahead in (0, 1, 4, None):
            expected = complete(
                distribution_of(formula),
                prompts,
                network=network and network(),
                sampling=Sampling(temperature=0, seed=0),
                max_tokens=12,
            )
            found = complete(
                distribution_of(formula),
                prompts,
                network=network and network(),
                sampling=Sampling(temperature=0, seed=0),
                max_tokens=12,
                draft=draft_of(DRAFTS[given], formula, ahead),
                ahead=ahead,
            )
            assert found == expected
