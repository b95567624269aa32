"""Stochastic beam search: texts drawn without replacement, with the probabilities of their inclusion."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from guidance_kit.decoding.beam import MOST_BEAMS
from guidance_kit.decoding.completion import Completion
from guidance_kit.decoding.extensions import renormalised
from guidance_kit.decoding.kept_places import continued, in_kept_places
from guidance_kit.decoding.ranked_texts import check_drawn_texts, completion_of, no_text
from guidance_kit.decoding.ranking import Ranking
from guidance_kit.decoding.row import Piece, Row
from guidance_kit.decoding.sampling import require_integer
from guidance_kit.decoding.walk import Walk
from guidance_kit.errors import OptionError

if TYPE_CHECKING:
    from guidance_kit.decoding.options import Options
    from guidance_kit.vocabulary import Vocabulary

__all__ = ["StochasticBeam", "gumbels_below", "horvitz_thompson"]


@dataclass(frozen=True, slots=True)
class StochasticBeam:
    """Sampling of k texts without replacement, by the Gumbel-top-k trick on the tree of prefixes.

    Texts are drawn one by one in proportion to their probability among those not drawn yet, where the probability is
    the product of the steps renormalised over the allowed tokens, as with `"importance"`. The unit is a sequence of
    tokens: a text in two tokenizations may come twice. A text that was cut at `max_tokens` counts as one.

    `Ranking.inclusion` is the probability that a text is among the k given the threshold, the (k+1)-th greatest
    perturbed log-probability; `horvitz_thompson` makes unbiased estimates of it. `Ranking.score` is the perturbed
    log-probability, and `Ranking.log_probability` that under the formula, without renormalisation.

    Args:
        k: number of texts, from 1 to `MOST_BEAMS`; `n=k` returns all of them. Fewer exist under some constraints.
    Raises:
        OptionError: a value is out of range.
    Source:
        Kool, van Hoof and Welling 2019, Stochastic Beams and Where to Find Them, algorithm 1 and section 4.2; the
        perturbed log-probability of the root is drawn, as the estimator asks.
    """

    k: int = 4

    def __post_init__(self) -> None:
        require_integer("k", self.k, least=1, most=MOST_BEAMS)

    @property
    def rows_per_prompt(self) -> int:
        """See `Decoder`."""
        return self.k + 1

    @property
    def texts_per_prompt(self) -> int:
        """See `Decoder`."""
        return self.k

    def check(self, options: Options) -> None:
        """See `Decoder.check`."""
        check_drawn_texts(options)

    def decode(self, walk: Walk, options: Options) -> Iterator[Piece]:
        """See `Decoder.decode`. The prefixes of all prompts are one batch.

        Yields:
            One piece a prompt, the text that was drawn first with the others; or a ConstraintError if truncation
            removes every text.
        """
        draws = [_Draws(row, self.k) for row in walk.rows]
        while draws:
            walk.keep([prefix.row for one in draws for prefix in one.running])
            scores = walk.log_probabilities()
            local = renormalised(scores).cpu().numpy()
            free = scores.cpu().numpy()
            first = 0
            for one in draws:
                count = len(one.running)
                one.extend(free[first : first + count], local[first : first + count], first)
                first += count
            children = [prefix for one in draws for prefix in one.running]
            if children:
                walk.keep([prefix.row for prefix in children])
                walk.take([[prefix.token] for prefix in children])
                walk.settle(needs_end=True)
            for one in draws:
                one.finish_step()
                if not one.running:
                    yield one.piece(walk.vocabulary)
            draws = [one for one in draws if one.running]


@dataclass(frozen=True, slots=True)
class _Prefix:
    """Prefix or text with ln of its probability.

    Attributes:
        token: token that it takes next.
        log_probability: under the formula, not renormalised by masks.
        local: renormalised.
        perturbed: greatest perturbed log-probability of the texts with this prefix.
    """

    row: Row
    token: int
    log_probability: float
    local: float
    perturbed: float


class _Draws:
    """Prefixes with the greatest perturbed log-probabilities of one prompt, and the texts among them."""

    def __init__(self, row: Row, k: int) -> None:
        self._root, self._k = row, k
        self._random = np.random.Generator(np.random.PCG64(row.seed))
        self._texts: list[_Prefix] = []
        self.running = [_Prefix(row, -1, 0.0, 0.0, float(self._random.gumbel()))]

    def extend(self, free: np.ndarray, local: np.ndarray, first: int) -> None:
        """Replace the running prefixes by the extensions that are among the k + 1 greatest, texts included.

        Args:
            free, local: float64, (prefixes, rows), nats: log-probabilities of the next tokens.
            first: index of the first of the prefixes in the walk.
        """
        found = list(self._texts)
        for prefix, own_free, own_local in zip(self.running, free, local, strict=True):
            tokens = np.flatnonzero(own_local > -math.inf)
            if not len(tokens):  # truncation left none: a text of probability 0
                prefix.row.reason = "length"
                found.append(replace(prefix, log_probability=-math.inf))
                continue
            locals_ = prefix.local + own_local[tokens]
            perturbed = gumbels_below(locals_, prefix.perturbed, self._random)
            for place in np.argsort(-perturbed, kind="stable")[: self._k + 1]:
                token = int(tokens[place])
                total = prefix.log_probability + float(own_free[token])
                found.append(_Prefix(prefix.row, token, total, float(locals_[place]), float(perturbed[place])))
        found.sort(key=lambda one: -one.perturbed)
        kept = found[: self._k + 1]
        self._texts = [one for one in kept if not one.row.is_running]
        running = [one for one in kept if one.row.is_running]
        running = [running[number] for number in in_kept_places([one.row for one in running], first)]
        rows = continued([one.row for one in running])
        self.running = [replace(one, row=row) for one, row in zip(running, rows, strict=True)]

    def finish_step(self) -> None:
        """Collect the texts that ended."""
        self._texts += [prefix for prefix in self.running if not prefix.row.is_running]
        self.running = [prefix for prefix in self.running if prefix.row.is_running]

    def piece(self, vocabulary: Vocabulary) -> Piece:
        """Texts in the order in which they were drawn."""
        drawn = sorted(self._texts, key=lambda one: -one.perturbed)
        threshold = drawn[self._k].perturbed if len(drawn) > self._k else -math.inf
        possible = [one for one in drawn[: self._k] if one.log_probability > -math.inf]
        texts: Sequence[Completion] = [
            replace(
                completion_of(one.row, vocabulary),
                ranking=Ranking(
                    rank=rank,
                    score=one.perturbed,
                    log_probability=one.log_probability,
                    inclusion=-math.expm1(-math.exp(min(one.local - threshold, 700.0))),
                ),
            )
            for rank, one in enumerate(possible)
        ]
        return (
            Piece(self._root.place, texts[0].text, texts[0], others=tuple(texts[1:])) if texts else no_text(self._root)
        )


def gumbels_below(log_probabilities: np.ndarray, greatest: float, random: np.random.Generator) -> np.ndarray:
    """Gumbel variables with given locations, conditioned on their maximum.

    Args:
        log_probabilities: float64, (N,): the locations.
        greatest: the maximum.
    Returns:
        Float64, (N,).
    Source:
        Kool, van Hoof and Welling 2019, appendix B.3, numerically stable form.
    """
    free = log_probabilities + random.gumbel(size=len(log_probabilities))
    top = free.max()
    with np.errstate(divide="ignore"):
        v = greatest - free + np.log1p(-np.exp(free - top))
    return greatest - np.maximum(v, 0) - np.log1p(np.exp(-np.abs(v)))


def horvitz_thompson(completions: Sequence[Completion], function: Callable[[Completion], float]) -> float:
    """Unbiased estimate of the sum of p(text) f(text) over all texts, from the texts of `StochasticBeam`.

    p is the probability under the formula. With f = 1 it estimates the probability of the constraint (texts that were
    cut count, unless f is 0 for them); divided by that estimate it is a consistent one of the mean of f given the
    constraint.

    Args:
        completions: all k texts of one prompt (`n=k`).
        function: f, from a completion to a number.
    Raises:
        OptionError: a text is not of `StochasticBeam`.
    Source:
        Horvitz and Thompson 1952, A Generalization of Sampling Without Replacement From a Finite Universe; Kool et al.
        2019, equation 13.
    """
    total = 0.0
    for completion in completions:
        ranking = completion.ranking
        if ranking is None or ranking.inclusion is None or ranking.log_probability is None:
            raise OptionError("inclusion probabilities come from decoder=StochasticBeam(k) with n=k")
        total += math.exp(ranking.log_probability) / ranking.inclusion * function(completion)
    return total
