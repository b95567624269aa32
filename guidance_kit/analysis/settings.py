"""Settings of a sampler, inferred from its texts and the logits of its model."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from guidance_kit.analysis.sampler_likelihood import (
    TRUNCATION_NAMES,
    DrawnTokens,
    Fit,
    fit_at,
    fit_temperature,
    golden_section,
)
from guidance_kit.decoding.completion import Completion
from guidance_kit.decoding.padding_rows import padding_rows
from guidance_kit.decoding.sampling import require_integer
from guidance_kit.errors import OptionError, UndecidableError
from guidance_kit.model import Model
from guidance_kit.prompt import Prompt

__all__ = ["Estimate", "InferredSettings", "infer_settings", "infer_settings_of_draws"]

_LEAST_TOKENS = 50
_NEEDED_GAIN = 7.0
"""Nats of log-likelihood that a setting must add, about ln 1000: it is reported if the texts would be that improbable
without it."""

_LIKELY = math.log(20)
"""Nats within which two explanations cannot be told apart, and within which an interval lies."""

_PENALTY_RANGES: Mapping[str, tuple[float, float]] = {
    "presence": (-3.0, 3.0),
    "frequency": (-3.0, 3.0),
    "repetition": (0.5, 2.0),
}
_SEARCHED = 400
"""Number of tokens on which penalties are searched before they are fitted to all."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Estimate of a setting with an interval of the values under which the texts are at least 1/20 as likely."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.4g} ({self.low:.4g} to {self.high:.4g})"


@dataclass(frozen=True, slots=True, kw_only=True)
class InferredSettings:
    """Settings under which texts are most likely.

    Attributes:
        temperature: 0 where every token was the most likely one.
        truncations: those that the texts show, by the name of their option.
        penalties: those that the texts show, by the name of the argument of `Penalties`.
        alternatives: other sets of truncations that explain the texts nearly as well; empty where there are none.
        tokens: number of tokens read.
        log_likelihood: of the tokens, nats.
    """

    temperature: Estimate
    truncations: Mapping[str, Estimate]
    penalties: Mapping[str, Estimate]
    alternatives: tuple[Mapping[str, float], ...]
    tokens: int
    log_likelihood: float

    @property
    def options(self) -> dict[str, Any]:
        """Options of `generate` with the estimates: `model.generate(prompt, **inferred.options)`; without penalties.

        Raises:
            OptionError: several sets of truncations explain the texts.
        """
        if self.alternatives:
            other = " or ".join(_written(one) for one in self.alternatives)
            chosen = _written({name: one.value for name, one in self.truncations.items()})
            raise OptionError(
                f"{chosen} cannot be told apart from {other} by these {self.tokens} tokens; take more texts, after "
                "prompts with other entropies"
            )
        found: dict[str, Any] = {"temperature": self.temperature.value}
        found |= {name: one.value for name, one in self.truncations.items()}
        if "top_k" in found:
            found["top_k"] = int(found["top_k"])
        return found


def infer_settings(
    texts: Iterable[tuple[Prompt, Sequence[int] | Completion]],
    model: Model,
    *,
    penalties: bool = True,
    min_tokens: int = 0,
) -> InferredSettings:
    """Infer temperature, top-k, top-p, min-p and penalties of a sampler from its texts, by maximum likelihood.

    A truncation shows by the tokens that never occur: its estimate is the tightest value under which all tokens are
    possible. A setting is reported if the texts would be a thousand times less likely without it.

    Args:
        texts: prompts, each with the tokens that the sampler generated after it, without tokens that were forced.
        model: model of the sampler.
        penalties: search for presence, frequency and repetition penalties, see `Penalties`.
        min_tokens: tokens of each text before which the sampler could not end it.
    Raises:
        UndecidableError: fewer than 50 tokens.
        OptionError: a text that is no pair of a prompt and tokens; a token that has probability 0 under the model.
        GuidanceKitError: as `Model.generate` for the prompts.
    Source: Ippolito et al. 2023, Reverse-Engineering Decoding Strategies Given Blackbox Access; with logits the
        estimates are those of maximum likelihood.
    """
    logits: list[np.ndarray] = []
    tokens: list[int] = []
    histories: list[tuple[frozenset[int], Counter[int]]] = []
    require_integer("min_tokens", min_tokens, least=0)
    padding, ends = padding_rows(model.vocabulary).numpy(), sorted(model.vocabulary.eos)
    for number, pair in enumerate(texts):
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise OptionError(f"text {number} is no pair of a prompt and the tokens after it")
        prompt, text = pair
        own = list(text.tokens) if isinstance(text, Completion) else list(text)
        if isinstance(text, str) or not own:
            raise OptionError(f"text {number} has no tokens after its prompt")
        distribution, before = model.distribution_after(prompt)
        block = distribution.logits([[*before, *own[:-1]]], len(own), starts=[len(before)])
        rows = block[0].double().cpu().numpy().copy()
        rows[:, padding] = -math.inf
        rows[:min_tokens, ends] = -math.inf
        logits.append(rows)
        tokens += own
        histories += [(frozenset(before), Counter(own[:place])) for place in range(len(own))]
    if len(tokens) < _LEAST_TOKENS:
        raise UndecidableError(scored=len(tokens), tokens=len(tokens), needed=_LEAST_TOKENS, significance=1e-3)
    return _inferred(np.concatenate(logits), tokens, histories if penalties else None)


def infer_settings_of_draws(probabilities: np.ndarray, tokens: Sequence[int]) -> InferredSettings:
    """Infer temperature and truncations from draws of known distributions, without logits.

    A prompt may fix the distribution of an answer, as that of a fair die of twenty sides: it needs no model.

    Args:
        probabilities: float, (count, rows): distribution before temperature and truncation, for each draw.
        tokens: drawn tokens.
    Raises:
        UndecidableError: fewer than 50 draws.
        OptionError: another number of draws than of distributions; a draw of probability 0.
    """
    given = np.asarray(probabilities, dtype=np.float64)
    if given.ndim != 2 or len(given) != len(tokens):
        raise OptionError(f"probabilities of the shape {given.shape} for {len(tokens)} draws")
    if len(tokens) < _LEAST_TOKENS:
        raise UndecidableError(scored=len(tokens), tokens=len(tokens), needed=_LEAST_TOKENS, significance=1e-3)
    with np.errstate(divide="ignore"):
        return _inferred(np.log(given), tokens, None)


def _inferred(
    logits: np.ndarray, tokens: Sequence[int], histories: Sequence[tuple[frozenset[int], Counter[int]]] | None
) -> InferredSettings:
    """Settings of most likelihood; penalties are searched where there are histories."""
    own = logits[np.arange(len(tokens)), np.asarray(tokens)]
    if not np.isfinite(own).all():
        place = int(np.flatnonzero(~np.isfinite(own))[0])
        raise OptionError(f"token {tokens[place]} at place {place} has probability 0: the texts are of another model")
    drawn = DrawnTokens.of(logits, tokens)
    names, fit, alternatives = _selected(drawn)
    values: dict[str, float] = {}
    for _ in range(len(_PENALTY_RANGES) if histories is not None else 0):
        found = _best_penalty(logits, tokens, histories or [], values, names)
        if found is None:
            break
        changed = values | {found[0]: found[1]}
        other = DrawnTokens.of(_penalised(logits, histories or [], changed), tokens)
        selected = _selected(other)
        if selected[1].log_likelihood < fit.log_likelihood + _NEEDED_GAIN:
            break
        values, drawn, (names, fit, alternatives) = changed, other, selected
    is_greedy = bool((drawn.ranks == 0).all())
    temperature = _interval(
        lambda value: fit_at(drawn, value, names).log_likelihood, fit.temperature, fit.log_likelihood, 0.01, 10.0
    )
    if is_greedy and fit_at(drawn, 1.0, ()).log_likelihood < -_NEEDED_GAIN:
        temperature, names, alternatives = Estimate(0.0, 0.0, temperature.high), (), ()
    return InferredSettings(
        temperature=temperature,
        truncations={name: _truncation_interval(drawn, fit, names, name) for name in names},
        penalties={
            name: _penalty_interval(logits, tokens, histories or [], values, name, names, fit) for name in values
        },
        alternatives=alternatives,
        tokens=len(tokens),
        log_likelihood=fit.log_likelihood,
    )


def _selected(drawn: DrawnTokens) -> tuple[tuple[str, ...], Fit, tuple[Mapping[str, float], ...]]:
    """Truncations whose gain is needed, with their fit, and others that explain the tokens nearly as well."""
    sets = [one for size in range(4) for one in itertools.combinations(TRUNCATION_NAMES, size)]
    fits = {names: fit_temperature(drawn, names) for names in sets}
    scores = {names: fit.log_likelihood - _NEEDED_GAIN * len(names) for names, fit in fits.items()}
    best = max(sets, key=lambda names: scores[names])
    near = [
        fits[names].bounds
        for names in sets
        if names != best and len(names) == len(best) and scores[names] > scores[best] - _LIKELY
    ]
    return best, fits[best], tuple(near)


def _penalised(
    logits: np.ndarray, histories: Sequence[tuple[frozenset[int], Counter[int]]], values: Mapping[str, float]
) -> np.ndarray:
    """Logits after penalties, as `Penalties` applies them."""
    changed = logits.copy()
    repetition = values.get("repetition", 1.0)
    for row, (prompt, counts) in zip(changed, histories, strict=True):
        seen = np.array(sorted(prompt | counts.keys()), dtype=np.int64)
        if repetition != 1:
            row[seen] = np.where(row[seen] > 0, row[seen] / repetition, row[seen] * repetition)
        if counts:
            own = np.array(list(counts), dtype=np.int64)
            times = np.array(list(counts.values()), dtype=np.float64)
            row[own] -= values.get("presence", 0.0) + values.get("frequency", 0.0) * times
    return changed


def _best_penalty(
    logits: np.ndarray,
    tokens: Sequence[int],
    histories: Sequence[tuple[frozenset[int], Counter[int]]],
    values: Mapping[str, float],
    names: Sequence[str],
) -> tuple[str, float] | None:
    """Further penalty that makes some of the tokens most likely, with its value; None if all are there."""
    step = max(1, len(tokens) // _SEARCHED)
    few = logits[::step], tokens[::step], histories[::step]
    found: dict[str, tuple[float, float]] = {}
    for name, (low, high) in _PENALTY_RANGES.items():
        if name not in values:
            best = golden_section(lambda value, name=name: _likelihood(*few, {**values, name: value}), low, high, 12)
            found[name] = _likelihood(*few, {**values, name: best}), best
    if not found:
        return None
    name = max(found, key=lambda one: found[one][0])
    low, high = _PENALTY_RANGES[name]
    width = (high - low) / 8
    value = found[name][1]
    refined = golden_section(
        lambda one: _likelihood(logits, tokens, histories, {**values, name: one}, names),
        value - width,
        value + width,
        14,
    )
    return name, refined


def _likelihood(
    logits: np.ndarray,
    tokens: Sequence[int],
    histories: Sequence[tuple[frozenset[int], Counter[int]]],
    values: Mapping[str, float],
    names: Sequence[str] = (),
) -> float:
    """Log-likelihood of the tokens with penalties, at the best temperature."""
    return fit_temperature(DrawnTokens.of(_penalised(logits, histories, values), tokens), names).log_likelihood


def _truncation_interval(drawn: DrawnTokens, fit: Fit, names: Sequence[str], name: str) -> Estimate:
    """Interval of a truncation: from its tightest value to the loosest that is likely."""
    value = float(fit.bounds[name])

    def likelihood(other: float) -> float:
        return fit_temperature(drawn, names, {name: other}, near=fit.temperature).log_likelihood

    if name == "top_k":
        rows, most = drawn.logits.shape[1], int(value)
        while most < rows and likelihood(most + 1) > fit.log_likelihood - _LIKELY:
            most += 1
        return Estimate(value, value, most)
    loosest = 1.0 if name == "top_p" else 0.0
    slack = 1e-4 * min(value, 1 - value) if 0 < value < 1 else 0.0
    near, far = value, loosest
    if likelihood(loosest) > fit.log_likelihood - _LIKELY:
        near = loosest
    else:
        for _ in range(14):
            middle = (near + far) / 2
            is_likely = likelihood(middle) > fit.log_likelihood - _LIKELY
            near, far = (middle, far) if is_likely else (near, middle)
    tight = _tightest(likelihood, value, 1 - loosest, fit.log_likelihood, slack)
    return Estimate(value, min(tight, near), max(tight, near))


def _penalty_interval(
    logits: np.ndarray,
    tokens: Sequence[int],
    histories: Sequence[tuple[frozenset[int], Counter[int]]],
    values: Mapping[str, float],
    name: str,
    names: Sequence[str],
    fit: Fit,
) -> Estimate:
    low, high = _PENALTY_RANGES[name]
    return _interval(
        lambda value: _likelihood(logits, tokens, histories, {**values, name: value}, names),
        values[name],
        fit.log_likelihood,
        low,
        high,
        steps=8,
    )


def _interval(
    likelihood: Callable[[float], float], value: float, greatest: float, low: float, high: float, steps: int = 20
) -> Estimate:
    """Interval in which the log-likelihood is within `_LIKELY` of its greatest value, by bisection."""
    ends: list[float] = []
    for end in (low, high):
        near, far = value, end
        for _ in range(steps):
            middle = (near + far) / 2
            near, far = (middle, far) if likelihood(middle) > greatest - _LIKELY else (near, middle)
        ends.append(near)
    return Estimate(value, ends[0], ends[1])


def _tightest(
    likelihood: Callable[[float], float], value: float, impossible: float, greatest: float, slack: float
) -> float:
    """Tightest value of a truncation that some other temperature makes likely, by bisection."""
    near, far = value, impossible
    for _ in range(14):
        if abs(far - near) <= slack:
            break
        middle = (near + far) / 2
        near, far = (middle, far) if likelihood(middle) > greatest - _LIKELY else (near, middle)
    return near


def _written(values: Mapping[str, float]) -> str:
    """Settings in words."""
    return ", ".join(f"{name}={value:.4g}" for name, value in values.items()) or "no truncation"
