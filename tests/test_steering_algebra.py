"""Formulas over models whose exact distributions are known: every identity of the algebra, to rounding of float64."""

from __future__ import annotations

import random

import numpy as np
import pytest
from steered_models import (
    ANTI,
    BASE,
    EXPERT,
    MODELS,
    OTHER,
    PREFIXES,
    anti,
    base,
    expert,
    logs,
    other,
    probabilities,
    random_formula,
    softmax,
    truncated,
)  # fmt: skip
from toy_models import ABC, EOS, SPECIAL, Counting

from guidance_kit.decoding.tabular import TabularModel
from guidance_kit.steering import named
from guidance_kit.steering.ensemble import Ensemble
from guidance_kit.steering.formula import Formula, maximum, minimum
from guidance_kit.steering.schedules import kl_budget

ALPHAS = [0.0, 0.3, 1.0, 2.5, -0.5]


def exact(values, prefixes=PREFIXES) -> np.ndarray:
    """The softmax of a function of the prefix: (batch, 1, rows)."""
    return np.stack([softmax(values(prefix)) for prefix in prefixes])[:, None]


def same(actual: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_the_softmax_of_the_sum_is_the_product_of_powers(alpha):
    for prefix, row in zip(PREFIXES, probabilities(base + alpha * (expert - anti)), strict=True):
        ratio = EXPERT.probabilities(prefix) / ANTI.probabilities(prefix)
        product = BASE.probabilities(prefix) * ratio**alpha
        same(row[0], product / product.sum())


def test_a_weight_of_0_leaves_the_base_and_asks_no_other_model():
    counting = Counting(EXPERT)
    counting.name, counting.vocabulary = "expert", ABC
    formula = base + 0.0 * (Formula.of(counting) - anti)
    same(probabilities(formula), exact(logs(BASE)))
    assert counting.batches == []


@pytest.mark.parametrize("alpha", ALPHAS)
def test_an_expert_that_equals_the_anti_expert_changes_nothing(alpha):
    same(probabilities(base + alpha * (expert - expert)), exact(logs(BASE)))
    twin = Formula.of(TabularModel(ABC, EXPERT.table))
    same(probabilities(base + alpha * (expert - twin)), exact(logs(BASE)))


def test_a_base_that_equals_the_anti_expert_gives_the_expert():
    same(probabilities(base + 1.0 * (expert - base)), exact(logs(EXPERT)))
    same(probabilities(anti + (expert - Formula.of(TabularModel(ABC, ANTI.table)))), exact(logs(EXPERT)))


@pytest.mark.parametrize(
    "make",
    [
        lambda a, b, c: a + 0.7 * (b - c),
        lambda a, b, c: maximum(a, b) - 0.2 * c,
        lambda a, b, c: minimum(a, b, c),
        lambda a, b, c: a.keep(top_p=0.9) + 2.0 * (b - c),
        lambda a, b, c: (a + b).with_special_tokens_of(c),
        lambda a, b, c: named.contrastive(a, b) + c,
        lambda a, b, c: a + (b - c).normalised(),
        lambda a, b, c: a + kl_budget(0.2) * (b - c),
    ],
)
def test_a_constant_added_to_logits_changes_nothing(make):
    def shifted(by: float) -> list[Formula]:
        return [Formula.of(TabularModel(ABC, model.table + by * place)) for place, model in enumerate(MODELS[:3], 1)]

    np.testing.assert_allclose(probabilities(make(*shifted(100.0))), probabilities(make(*shifted(0.0))), rtol=1e-11)


def test_nothing_is_divided_by_a_sum_of_coefficients():
    same(probabilities(base + expert), exact(lambda prefix: logs(BASE)(prefix) + logs(EXPERT)(prefix)))
    same(probabilities((base + expert) / 2), exact(lambda prefix: (logs(BASE)(prefix) + logs(EXPERT)(prefix)) / 2))
    same(probabilities(2 * base), exact(lambda prefix: 2 * logs(BASE)(prefix)))


def test_random_formulas():
    """400 formulas of up to four levels against their slow twins."""
    rng = random.Random(0)
    for _ in range(400):
        formula, values = random_formula(rng, 4)
        with np.errstate(invalid="ignore", divide="ignore"):
            expected = exact(values)
        np.testing.assert_allclose(probabilities(formula), expected, rtol=1e-10, atol=1e-14, err_msg=str(formula))


def test_operators_keep_their_laws():
    same(probabilities(base + expert - anti), probabilities(base - anti + expert))
    same(probabilities(-(anti - base)), probabilities(base - anti))
    same(probabilities(sum([base, expert, anti])), probabilities(base + expert + anti))
    same(probabilities(maximum(base, expert)), probabilities(maximum(expert, base)))
    same(probabilities(minimum(base, base)), probabilities(base))
    same(probabilities(0.5 * (base + 2 * (expert - anti))), probabilities(base / 2 + expert - anti))


# Blocks, batches


@pytest.mark.parametrize("formula", [base + (expert - anti), maximum(base, expert).keep(top_k=3), other], ids=str)
def test_blocks_are_steps(formula):
    prefixes = [prefix * 2 for prefix in PREFIXES]
    block = probabilities(formula, prefixes, 2)
    for back in range(2):
        shorter = [prefix[: len(prefix) - back] for prefix in prefixes]
        same(block[:, -1 - back], probabilities(formula, shorter)[:, 0])


def test_a_batch_is_its_rows():
    formula = named.dexperts(base, expert, anti)
    whole = probabilities(formula)
    for place, prefix in enumerate(PREFIXES):
        same(whole[[place]], probabilities(formula, [prefix]))


def test_each_model_is_asked_once():
    counting = [Counting(model) for model in MODELS[:3]]
    for model, name in zip(counting, "abc", strict=True):
        model.name, model.vocabulary = name, ABC
    a, b, c = map(Formula.of, counting)
    Ensemble(maximum(a, b) + a - 0.5 * (b - c).normalised() + a.keep(top_k=2)).logits(PREFIXES)
    assert [model.batches for model in counting] == [[len(PREFIXES)]] * 3


# Named formulas, against direct computation


def test_dexperts_filters_the_base_before_steering():
    def values(prefix):
        return truncated(logs(BASE)(prefix), top_p=0.7) + 2.0 * (logs(EXPERT)(prefix) - logs(ANTI)(prefix))

    same(probabilities(named.dexperts(base, expert, anti, top_p=0.7)), exact(values))
    # The kept set is the nucleus of the base, not of the result.
    for prefix, row in zip(PREFIXES, probabilities(named.dexperts(base, expert, anti, top_p=0.7)), strict=True):
        assert ((row[0] > 0) == np.isfinite(truncated(logs(BASE)(prefix), top_p=0.7))).all()


def test_dexperts_without_an_expert_takes_the_base_for_it():
    same(probabilities(named.dexperts(base, None, anti)), probabilities(named.dexperts(base, base, anti)))


def test_dexperts_without_filter_is_proxy_tuning():
    steered = probabilities(named.dexperts(base, expert, anti, alpha=1.3, top_p=None))
    same(steered, probabilities(named.proxy_tuning(base, expert, anti, alpha=1.3)))


def test_contrastive():
    def values(prefix):
        return truncated(logs(EXPERT)(prefix), min_p=0.2) * 1.5 - 0.5 * logs(OTHER)(prefix)

    same(probabilities(named.contrastive(expert, other, plausibility=0.2)), exact(values))


def test_emulated_fine_tuning_adds_rewards():
    def values(prefix):
        first, second = logs(EXPERT)(prefix) - logs(ANTI)(prefix), logs(OTHER)(prefix) - logs(ANTI)(prefix)
        return logs(BASE)(prefix) + 0.25 * first + 0.75 * second

    formula = named.emulated_fine_tuning(base, (expert, anti), (other, anti), weights=[0.25, 0.75])
    same(probabilities(formula), exact(values))
    single = named.emulated_fine_tuning(base, (expert, anti))
    same(probabilities(single), probabilities(named.proxy_tuning(base, expert, anti)))


def test_classifier_free_and_context_aware():
    negative, context = [2, 3], [4, 3]
    starts = [len(prompt) for prompt in PREFIXES]
    prefixes = [[*prompt, 2, 4] for prompt in PREFIXES]
    guided = named.classifier_free(base, lambda prompt: negative, scale=1.7)
    focused = named.context_aware(base, lambda prompt: [*context, *prompt], alpha=0.6)
    bare = named.classifier_free(base, scale=1.7)
    for place, prefix in enumerate(prefixes):
        conditional, log = logs(BASE)(prefix), logs(BASE)
        without = log([*negative, 2, 4])
        same(probabilities(guided, prefixes, 1, starts)[place, 0], softmax(without + 1.7 * (conditional - without)))
        last = log([prefix[starts[place] - 1], 2, 4])
        same(probabilities(bare, prefixes, 1, starts)[place, 0], softmax(last + 1.7 * (conditional - last)))
        within = log([*context, *prefix])
        same(probabilities(focused, prefixes, 1, starts)[place, 0], softmax(1.6 * within - 0.6 * conditional))
    same(probabilities(named.classifier_free(base, scale=1.0), prefixes, 1, starts), probabilities(base, prefixes))


# Special tokens


def test_special_tokens_of_another_model():
    formula = (base + 2 * (expert - anti)).with_special_tokens_of(other)
    specials = [EOS, SPECIAL]
    steered = probabilities(base + 2 * (expert - anti))
    found = probabilities(formula)
    for place, prefix in enumerate(PREFIXES):
        judge = OTHER.probabilities(prefix)
        same(found[place, 0, specials], judge[specials])
        rest = np.delete(steered[place, 0], specials)
        same(np.delete(found[place, 0], specials), rest / rest.sum() * (1 - judge[specials].sum()))
    same(probabilities(other.with_special_tokens_of(other)), probabilities(other))
