"""Log-probabilities of given texts under a model, its guides and a constraint."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from guidance_kit.decoding.completion import Completion
from guidance_kit.decoding.walk import Walk

__all__ = ["TextScore", "score_completions", "score_texts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextScore:
    """Log-probabilities of the tokens of a text, at temperature 1 without truncation.

    Attributes:
        tokens: its tokens. An end-of-sequence token stands for all of them.
        logprobs: of each token under the formula with the guides, nats; not renormalised by the constraint.
        log_kept: ln of the probability that the mask leaves at each step, nats; 0 without a constraint, -inf after a
            token that the constraint forbids.
        is_allowed: for each token, whether the constraint allows it after the tokens before it.
        is_greedy: for each token, whether it is the most likely one under the formula with the guides.
    """

    tokens: tuple[int, ...]
    logprobs: tuple[float, ...]
    log_kept: tuple[float, ...]
    is_allowed: tuple[bool, ...]
    is_greedy: tuple[bool, ...]

    @property
    def log_probability(self) -> float:
        """Log-probability of the text under the formula, nats; the score of `Beam`."""
        return sum(self.logprobs)

    @property
    def guided_log_probability(self) -> float:
        """Log-probability with which the text is drawn under the constraint, renormalised at each step, nats."""
        return self.log_probability - sum(self.log_kept) if all(self.is_allowed) else -math.inf

    @property
    def perplexity(self) -> float:
        """Exponential of the mean negative log-probability of a token; NaN of no token."""
        return math.exp(-self.log_probability / len(self.tokens)) if self.tokens else math.nan


def score_texts(walk: Walk, texts: Sequence[Sequence[int]]) -> list[TextScore]:
    """Score one text after each prompt. The walk stays as it is.

    Args:
        walk: one row a prompt, without generated tokens.
        texts: tokens of the texts, which the constraint need not allow.
    Raises:
        ModelError, FormulaError: as `Walk.draw`.
    """
    if not walk.has_room(max(map(len, texts))):
        return [_score_alone(walk, place, tokens) for place, tokens in enumerate(texts)]
    found = zip(texts, walk.log_probabilities_along(texts), strict=True)
    return [_score(tokens, *logs, walk.vocabulary.eos) for tokens, logs in found]


def score_completions(walk: Walk, place: int, completions: Sequence[Completion]) -> list[TextScore]:
    """Score finished texts after one prompt, the end of each text included.

    Args:
        walk: one row a prompt, without generated tokens.
        place: index of the prompt in the batch.
    """
    eos = walk.vocabulary.eos
    texts: list[list[int]] = []
    for completion in completions:
        is_whole = completion.finish_reason in ("complete", "budget")
        has_end = bool(set(completion.tokens[-1:]) & set(eos))
        texts.append([*completion.tokens, *(eos[:1] if is_whole and not has_end else ())])
    walk = walk.fork()
    row = next(row for row in walk.rows if row.place == place)
    walk.keep([row, *(row.fork() for _ in texts[1:])])
    return score_texts(walk, texts)


def _score_alone(walk: Walk, place: int, tokens: Sequence[int]) -> TextScore:
    """Score of one text, in a call of its own, since the longest text does not fit behind every prompt."""
    walk = walk.fork()
    walk.keep([walk.rows[place]])
    return next(_score(tokens, *logs, walk.vocabulary.eos) for logs in walk.log_probabilities_along([tokens]))


def _score(tokens: Sequence[int], free: Tensor, masked: Tensor, eos: Sequence[int]) -> TextScore:
    """Score of a text.

    Args:
        free, masked: see `Walk.log_probabilities_along`.
    """
    places = list(range(len(tokens)))
    own = free[places, list(tokens)].tolist()
    ends = free[:, list(eos)].logsumexp(-1).tolist() if set(eos) & set(tokens) else own
    most_likely = free.argmax(-1).tolist()
    is_constrained = masked is not free
    return TextScore(
        tokens=tuple(tokens),
        logprobs=tuple(ends[place] if tokens[place] in eos else own[place] for place in places),
        log_kept=tuple(min(0.0, kept) if is_constrained else 0.0 for kept in masked.logsumexp(-1).tolist()),
        is_allowed=tuple(value > -math.inf for value in masked[places, list(tokens)].tolist()),
        is_greedy=tuple(
            best == token or (best in eos and token in eos) for best, token in zip(most_likely, tokens, strict=True)
        ),
    )
