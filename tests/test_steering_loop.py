"""Formulas in the generation loop: draws, batches, constraints, forced tokens, log-probabilities; and Bayes' rule.

The twin of a formula over Markov chains of order 2 is a chain of order 2 itself. Whatever the loop does, it does the
same for both.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
import torch
from loop_runs import GREEDY, NETWORKS, complete, run
from marks import thinned
from networks import words_of
from steered_models import ANTI, BASE, EXPERT, MODELS, OTHER, anti, base, expert, logs, other, softmax, truncated
from toy_models import ABC, SPECIAL, A, B, Counting, matcher_of, speakable

from guidance_kit.decoding.sampling import Sampling
from guidance_kit.decoding.tabular import TabularModel
from guidance_kit.errors import OptionError
from guidance_kit.fsm import bitmask
from guidance_kit.guides.penalties import Penalties
from guidance_kit.steering import named
from guidance_kit.steering.ensemble import Ensemble
from guidance_kit.steering.formula import Formula, maximum
from guidance_kit.steering.schedules import (
    along_the_text,
    decay,
    entropy_gate,
    first_tokens,
    kl_budget,
    ramp,
)  # fmt: skip

PROMPTS = [[A], [B, B], [A, SPECIAL, A], [B]]


def proxy(prefix):
    return logs(BASE)(prefix) + 1.5 * (logs(EXPERT)(prefix) - logs(ANTI)(prefix))


def union(prefix):
    return np.maximum(logs(BASE)(prefix), logs(EXPERT)(prefix)) - 0.5 * logs(OTHER)(prefix)


TWINS = {
    "proxy": (base + 1.5 * (expert - anti), proxy),
    "union": (maximum(base, expert) - 0.5 * other, union),
}


def tabulated(values) -> TabularModel:
    """The chain with these log-probabilities."""
    table = np.zeros(BASE.table.shape)
    for context in product(range(ABC.rows + 1), repeat=2):
        prefix = [token for token in context if token < ABC.rows]
        if context[0] == ABC.rows or len(prefix) == 2:  # before the start there is nothing but what is before the start
            table[context] = values(prefix)
    return TabularModel(ABC, table)


SAMPLINGS = [Sampling(temperature=0, seed=4), Sampling(seed=5), Sampling(seed=6, temperature=0.7, top_k=4, top_p=0.9)]


@pytest.mark.parametrize("network", [None, *thinned(NETWORKS, 2)])
@pytest.mark.parametrize("name", TWINS)
def test_the_loop_does_what_it_does_for_one_model(name, network):
    formula, values = TWINS[name]
    for sampling, count in product(SAMPLINGS, (None, 2)):
        options = {"sampling": sampling, "max_tokens": 6, "logprobs": count, "stop": ("bab",)}
        made = None if network is None else NETWORKS[network]()
        found = complete(Ensemble(formula), PROMPTS * 5, network=made, **options)
        expected = complete(tabulated(values), PROMPTS * 5, network=made, **options)
        for one, two in zip(found, expected, strict=True):
            assert (one.tokens, one.text, one.finish_reason, one.seed) == (
                two.tokens, two.text, two.finish_reason, two.seed,
            )  # fmt: skip
            for record, twin in zip(one.logprobs or (), two.logprobs or (), strict=True):
                assert record.guided_logprob == pytest.approx(twin.guided_logprob, abs=1e-5)
                assert record.removed_mass == pytest.approx(twin.removed_mass, abs=1e-5)


@pytest.mark.parametrize("network", [None, *NETWORKS])
def test_a_batch_is_its_rows(network):
    """Formulas with prompts of their own and changing weights too; and streamed pieces add up (`run` sees to it)."""
    formula = base + decay(2) * (expert.given(lambda prompt: [B, *prompt]) - anti) + first_tokens(1) * other
    made = None if network is None else NETWORKS[network]()
    seeds = list(range(20))
    whole, _ = run(Ensemble(formula), PROMPTS * 5, network=made, seeds=seeds, max_tokens=6)
    for prompt, seed, one in zip(PROMPTS * 5, seeds, whole, strict=True):
        assert complete(Ensemble(formula), [prompt], network=made, seeds=[seed], max_tokens=6)[0].tokens == one.tokens


def test_forced_tokens_are_not_asked_for():
    counting = [Counting(model) for model in MODELS[:2]]
    for model, name in zip(counting, ("one", "two"), strict=True):
        model.name, model.vocabulary = name, ABC
    formula = sum(map(Formula.of, counting))
    network = words_of([b"bbabbb", b"bbbaaaa"])
    (one,) = complete(Ensemble(formula), [[A]], network=network, sampling=GREEDY)
    assert [model.prefixes for model in counting] == [[(A, B, B)]] * 2
    assert len(one.tokens) >= 6


# Distributions that depend on the place in the text, against exact enumeration


def steps(prompt, tokens):
    """Log-probabilities of all four models."""
    return [logs(model)([*prompt, *tokens]) for model in MODELS]


def weighted(weight):
    """The twin of `base + weight * (expert - anti)`."""

    def following(prompt, tokens):
        first, second, third, _ = steps(prompt, tokens)
        return first + weight(prompt, tokens) * (second - third)

    return following


def entropy(prompt, tokens):
    chances = BASE.probabilities([*prompt, *tokens])
    return float(-(chances * np.log(chances)).sum())


def own_prompts(prompt, tokens):
    first = logs(BASE)([*prompt, *tokens])
    return first + 0.8 * (logs(EXPERT)([B, A, *tokens]) - logs(ANTI)([*prompt, A, *tokens]))


def classified(scale):
    """The twin of `gedi` with two classes."""

    def following(prompt, tokens):
        scores = []
        for model, prior in ((EXPERT, 0.4), (ANTI, 0.6)):
            passed = sum(logs(model)([*prompt, *tokens[:place]])[token] for place, token in enumerate(tokens))
            scores.append(math.log(prior) + scale(len(tokens)) * (passed + logs(model)([*prompt, *tokens])))
        return logs(BASE)([*prompt, *tokens]) + 2.5 * (scores[0] - np.logaddexp(*scores))

    return following


CHANGING = {
    "first tokens": (base + first_tokens(2) * (expert - anti), weighted(lambda _, tokens: len(tokens) < 2)),
    "decay": (base + decay(1.5) * (expert - anti), weighted(lambda _, tokens: 0.5 ** (len(tokens) / 1.5))),
    "ramp": (
        base + ramp(2, start=2, end=-1) * (expert - anti),
        weighted(lambda _, tokens: 2 - 1.5 * min(len(tokens), 2)),
    ),
    "any": (
        base + 2 * along_the_text(lambda place: place % 2) * (expert - anti),
        weighted(lambda _, tokens: 2 * (len(tokens) % 2)),
    ),
    "gate": (base + entropy_gate(1.3) * (expert - anti), weighted(lambda *place: entropy(*place) >= 1.3)),
    "product": (
        base + decay(2) * entropy_gate(1.3) * (expert - anti),
        weighted(lambda prompt, tokens: 0.5 ** (len(tokens) / 2) * (entropy(prompt, tokens) >= 1.3)),
    ),
    "own prompts": (
        base + 0.8 * (expert.given(lambda _: [B, A]) - anti.given(lambda prompt: [*prompt, A])),
        own_prompts,
    ),
    "gedi": (
        named.gedi(base, expert, anti, omega=2.5, priors=[0.4, 0.6], is_averaged=False),
        classified(lambda _: 1),
    ),
    "gedi, averaged": (
        named.gedi(base, expert, anti, omega=2.5, priors=[0.4, 0.6]),
        classified(lambda length: 1 / (length + 1)),
    ),
}


@pytest.mark.parametrize("network", [None, "finite"])
@pytest.mark.parametrize("name", CHANGING)
def test_texts_have_the_exact_probability(name, network):
    formula, values = CHANGING[name]
    made = None if network is None else NETWORKS[network]()
    completions = complete(
        Ensemble(formula), PROMPTS * 6, network=made, sampling=Sampling(seed=2), max_tokens=5, logprobs=0
    )
    for prompt, completion in zip(PROMPTS * 6, completions, strict=True):
        matcher = None if made is None else matcher_of(NETWORKS["finite"]())
        for place, (token, record) in enumerate(zip(completion.tokens, completion.logprobs or (), strict=True)):
            chances = softmax(values(prompt, completion.tokens[:place]))
            allowed = speakable(ABC) if matcher is None else bitmask.unpack(matcher.allowed(), ABC.rows)
            expected = chances[token] / chances[allowed].sum()
            assert record.guided_logprob == pytest.approx(math.log(expected), abs=2e-6)
            if matcher is not None:
                matcher.advance(token)


@pytest.mark.parametrize("network", [None, *NETWORKS])
def test_truncation_looks_at_what_the_constraint_leaves(network):
    """The base filter of DExperts, among the tokens that are allowed: so there is always one left."""
    formula = named.dexperts(base, expert, anti, alpha=1.2, top_p=0.5)
    made = None if network is None else NETWORKS[network]()
    completions = complete(
        Ensemble(formula), PROMPTS * 6, network=made, sampling=Sampling(seed=2), max_tokens=5, logprobs=0
    )
    for prompt, completion in zip(PROMPTS * 6, completions, strict=True):
        matcher = None if network is None else matcher_of(NETWORKS[network]())
        for place, (token, record) in enumerate(zip(completion.tokens, completion.logprobs or (), strict=True)):
            first, second, third, _ = steps(prompt, completion.tokens[:place])
            allowed = speakable(ABC) if matcher is None else bitmask.unpack(matcher.allowed(), ABC.rows)
            kept = truncated(np.where(allowed, first, -np.inf), top_p=0.5)
            chances = softmax(kept + 1.2 * (second - third))
            assert record.guided_logprob == pytest.approx(math.log(chances[token]), abs=2e-6)
            free = softmax(truncated(first, top_p=0.5) + 1.2 * (second - third))
            assert record.removed_mass == pytest.approx(free[~allowed].sum(), abs=1e-6)
            assert math.exp(record.terms[1].logprob) == pytest.approx(softmax(truncated(first, top_p=0.5))[token])
            if matcher is not None:
                matcher.advance(token)


def test_gedi_with_exact_classes_is_the_conditional_model():
    """Bayes: a mixture of two models, steered by the exact posterior, is the first of them; to 1e-10."""
    priors = [0.3, 0.7]

    class Mixture(TabularModel):
        """What comes next if a class was drawn once, before the first generated token."""

        def logits(self, prefixes, positions=1, *, starts=(), allowed=None):
            block = []
            for prefix, start in zip(prefixes, starts, strict=True):
                weights = np.array(priors)
                rows = []
                for end in range(start, len(prefix) + 1):
                    each = np.stack([model.probabilities(prefix[:end]) for model in (EXPERT, ANTI)])
                    rows.append(np.log(weights @ each))
                    if end < len(prefix):
                        weights = weights * each[:, prefix[end]] / (weights @ each[:, prefix[end]])
                block.append(rows[-positions:])
            return torch.tensor(np.array(block))

    mixture = Formula.of(Mixture(ABC, BASE.table, name="mixture"))
    ensemble = Ensemble(named.gedi(mixture, expert, anti, omega=1.0, priors=priors, is_averaged=False))
    rng = np.random.Generator(np.random.PCG64(1))
    for _ in range(40):
        prompts = [rng.integers(0, ABC.rows, size=rng.integers(1, 4)).tolist() for _ in range(3)]
        length = int(rng.integers(0, 8))
        prefixes = [[*prompt, *rng.integers(0, ABC.rows, size=length).tolist()] for prompt in prompts]
        found = ensemble.logits(prefixes, starts=[len(prompt) for prompt in prompts]).softmax(-1)[:, 0].numpy()
        np.testing.assert_allclose(found, [EXPERT.probabilities(prefix) for prefix in prefixes], atol=1e-10)


# Budgets


def divergence(after: np.ndarray, before: np.ndarray) -> float:
    """KL(after || before), nats."""
    kept = after > 0
    return float((after[kept] * np.log(after[kept] / before[kept])).sum())


@pytest.mark.parametrize("nats", [0.0, 1e-4, 0.05, 0.5, 5.0])
def test_a_budget_is_used_and_never_exceeded(nats):
    prefixes = [[first, second] for first in range(ABC.rows) for second in range(ABC.rows)]
    formula = base + kl_budget(nats, at_most=2.0) * (expert - anti)
    found = Ensemble(formula).logits(prefixes).softmax(-1)[:, 0].numpy()
    full = 0
    for prefix, row in zip(prefixes, found, strict=True):
        before = BASE.probabilities(prefix)
        assert divergence(row, before) <= nats + 1e-12
        whole = softmax(np.log(before) + 2.0 * (logs(EXPERT)(prefix) - logs(ANTI)(prefix)))
        if divergence(whole, before) <= nats:
            full += 1
            np.testing.assert_allclose(row, whole, atol=1e-12)
        else:
            assert divergence(row, before) >= nats * (1 - 2e-6) - 1e-12
            # It moves in the right direction: the log-ratio to the base is a multiple of the terms'.
            moved = np.log(row) - np.log(before)
            direction = logs(EXPERT)(prefix) - logs(ANTI)(prefix)
            moved, direction = moved - moved.mean(), direction - direction.mean()
            multiple = (moved @ direction) / (direction @ direction)
            assert -1e-12 <= multiple < 2
            np.testing.assert_allclose(moved, multiple * direction, atol=1e-9)
    assert (full == 0) == (nats < 0.1)  # both cases come up
    assert (full == len(prefixes)) == (nats > 1)


def test_a_budget_is_relative_to_the_other_terms():
    formula = base + expert + kl_budget(0.1) * (other - anti)
    row = Ensemble(formula).logits([[A]]).softmax(-1)[0, 0].numpy()
    without = softmax(logs(BASE)([A]) + logs(EXPERT)([A]))
    assert divergence(row, without) == pytest.approx(0.1, rel=1e-5)
    with pytest.raises(OptionError, match="there are none"):
        Ensemble(kl_budget(0.1) * base).logits([[A]])


# Attribution


def test_each_term_is_accounted_for():
    formula = base.keep(top_k=6) + 2.0 * expert - first_tokens(1) * anti
    completions = complete(Ensemble(formula), PROMPTS * 4, sampling=Sampling(seed=3), max_tokens=3, logprobs=2)
    seen = 0
    for prompt, completion in zip(PROMPTS * 4, completions, strict=True):
        for place, (token, record) in enumerate(zip(completion.tokens, completion.logprobs or (), strict=True)):
            first, second, third, _ = steps(prompt, completion.tokens[:place])
            early = place < 1
            partial = [first, truncated(first, top_k=6)]
            partial.append(partial[-1] + 2 * second)
            partial.append(partial[-1] - third * early)
            own = [first[token], first[token], second[token], third[token] if early else None]
            names = ["base", "(base).keep(top_k=6)", "2 * expert", "-1 * first_tokens(1) * anti"]
            assert [term.term for term in record.terms] == names
            assert [term.weight for term in record.terms] == [1.0, 1.0, 2.0, -1.0 * early]
            for term, values, alone in zip(record.terms, partial, own, strict=True):
                chances = softmax(values)
                assert term.logprob == pytest.approx(math.log(chances[token]), abs=1e-9)
                assert term.divergence == pytest.approx(divergence(chances, softmax(first)), abs=1e-9)
                assert term.own_logprob == (None if alone is None else pytest.approx(alone, abs=1e-9))
            assert record.logprob == pytest.approx(first[token], abs=1e-9)
            kept = truncated(np.where(speakable(ABC), first, -np.inf), top_k=6)
            guided = softmax(kept + 2 * second - third * early)
            assert record.guided_logprob == pytest.approx(math.log(guided[token]), abs=1e-5)
            assert record.divergence == pytest.approx(divergence(guided, softmax(first)), abs=1e-5)
            assert [other.token for other in record.top] == np.argsort(-first)[:2].tolist()
            seen += 1
    assert seen > 30


def test_records_know_where_the_zero_of_logits_is():
    """A penalty that depends on it draws the same with records and without, and they tell the mass that was removed."""
    options = {"guides": [Penalties(repetition=1.7)], "sampling": Sampling(seed=3), "max_tokens": 6}
    for formula in (base + 0.8 * (expert - anti), base.given(lambda prompt: [B, *prompt]), maximum(base, expert)):
        plain = complete(Ensemble(formula), PROMPTS * 4, **options)
        recorded = complete(Ensemble(formula), PROMPTS * 4, **options, logprobs=0)
        assert [one.tokens for one in recorded] == [one.tokens for one in plain]
        for prompt, one in zip(PROMPTS * 4, recorded, strict=True):
            for place, record in enumerate(one.logprobs or ()):
                passed = [*prompt, *one.tokens[:place]]
                penalised = Ensemble(formula).logits([passed], starts=[len(prompt)])[0, 0].numpy()
                seen = np.isin(np.arange(ABC.rows), passed)
                penalised[seen] *= np.where(penalised[seen] > 0, 1 / 1.7, 1.7)
                removed = softmax(penalised)[~speakable(ABC)].sum()
                assert record.removed_mass == pytest.approx(removed, abs=1e-6)


def test_a_budget_shows_the_weight_it_found():
    formula = base + kl_budget(0.05, at_most=3.0) * (expert - anti)
    (one,) = complete(Ensemble(formula), [[A]], sampling=GREEDY, max_tokens=4, logprobs=0)
    for record in one.logprobs or ():
        _, plus, minus = record.terms
        assert 0 < plus.weight == -minus.weight < 3.0
        assert minus.divergence == pytest.approx(0.05, rel=1e-5)


def test_one_model_has_the_base_alone():
    for formula in (base, base + 0.0 * expert):
        whole, (partial_sum,) = Ensemble(formula).partial_sums([[A]])
        assert partial_sum.term == "base"
        assert torch.equal(partial_sum.logits, whole)
        assert torch.equal(partial_sum.logits, Ensemble(base).logits([[A]]))
