"""Tabular models to make formulas of, and the slow twin of their evaluation: numpy, token by token. Tests only."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import numpy as np
from toy_models import AB, ABC, A, B, speakable

from guidance_kit.decoding.tabular import TabularModel
from guidance_kit.steering.ensemble import Ensemble
from guidance_kit.steering.formula import Formula, maximum, minimum

NAMES = ("base", "expert", "anti", "other")
BASE, EXPERT, ANTI, OTHER = MODELS = [
    TabularModel(ABC, TabularModel.random(ABC, order=2, seed=seed).table, name=name)
    for seed, name in enumerate(NAMES, 1)
]
base, expert, anti, other = map(Formula.of, MODELS)

PREFIXES = [[A], [B, AB], [A, B, AB, A], [AB, A, A]]

Prefix = Sequence[int]
Values = Callable[[Prefix], np.ndarray]
"""Log-probabilities of the token after a prefix, normalised or not: float64, (rows,)."""


def probabilities(formula: Formula, prefixes=PREFIXES, positions: int = 1, starts=()) -> np.ndarray:
    """What a formula gives: float64, (batch, positions, rows)."""
    logits = Ensemble(formula).logits(prefixes, positions, starts=starts)
    return logits.double().softmax(-1).numpy()


def softmax(values: np.ndarray) -> np.ndarray:
    """Of logarithms: probabilities."""
    weights = np.exp(values - values.max())
    return weights / weights.sum()


def logs(model: TabularModel) -> Values:
    """Log-probabilities of a model."""
    return lambda prefix: np.log(model.probabilities(prefix))


def truncated(values: np.ndarray, *, top_k=None, top_p=None, min_p=None) -> np.ndarray:
    """-inf for what is not kept, padding among it; without ties."""
    values = np.where(speakable(ABC), values, -np.inf)
    chances = softmax(values)
    order = np.argsort(-chances)
    kept = order
    if top_k is not None:
        kept = kept[:top_k]
    if top_p is not None:
        renormalised = chances[kept] / chances[kept].sum()
        kept = kept[: int((renormalised.cumsum() < top_p).sum()) + 1]
    if min_p is not None:
        kept = kept[chances[kept] >= min_p * chances[kept[0]]]
    result = np.full_like(values, -np.inf)
    result[kept] = values[kept]
    return result


def random_formula(rng: random.Random, depth: int) -> tuple[Formula, Values]:
    """A formula and its slow twin. Only what multiplies by positive numbers is ever truncated."""
    kind = rng.choice(["model"] * 2 + ["sum", "sum", "max", "min", "normalised", "keep"]) if depth else "model"
    if kind == "model":
        model = rng.choice(MODELS)
        return Formula.of(model), logs(model)
    first, one = random_formula(rng, depth - 1)
    if kind == "normalised":
        return first.normalised(), lambda prefix: np.log(softmax(one(prefix)))
    if kind == "keep":
        limits = rng.choice([{"top_k": 4}, {"top_p": 0.95}, {"min_p": 0.02}, {"top_k": 6, "min_p": 0.01}])
        return first.keep(**limits), lambda prefix: truncated(one(prefix), **limits)
    second, two = random_formula(rng, 0 if kind == "sum" else depth - 1)
    if kind == "sum":
        weight = rng.choice([0.5, 1.0, -0.7, 2.0, 0.0])
        if rng.random() < 0.5:
            return first + weight * second, lambda prefix: one(prefix) + weight * two(prefix)
        return first / 2 - weight * second, lambda prefix: one(prefix) / 2 - weight * two(prefix)
    if kind == "max":
        return maximum(first, second), lambda prefix: np.maximum(one(prefix), two(prefix))
    return minimum(first, second), lambda prefix: np.minimum(one(prefix), two(prefix))
