"""Choice that was left to a model at each token of a text: by the constraint, and by its own law."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from guidance_kit.analysis.token_scores import choices_weight
from guidance_kit.decoding.padding_rows import padding_rows
from guidance_kit.decoding.sampling import Sampling, shape
from guidance_kit.decoding.watermark import Watermark
from guidance_kit.errors import ContextLengthError, MatchError
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.guides.constraint import ConstraintGuide
from guidance_kit.model import Model
from guidance_kit.prompt import Prompt
from guidance_kit.vocabulary import Vocabulary

__all__ = ["RemainingChoice", "remaining_choice"]

_BLOCK = 64
"""Number of positions whose logits are held at once."""


@dataclass(frozen=True, slots=True)
class RemainingChoice:
    """Choice left at each token of a text.

    Attributes:
        is_forced: no other token was possible.
        weights: weight of each token in a test, 1 without a model.
        is_plain: there is no model, so that all weights are 1.
    """

    is_forced: tuple[bool, ...]
    weights: tuple[int, ...]
    is_plain: bool


def remaining_choice(
    tokens: Sequence[int],
    watermark: Watermark,
    vocabulary: Vocabulary,
    model: Model | None,
    constraint: Constraint | None,
    prompt: Prompt | None,
    sampling: Sampling,
) -> RemainingChoice:
    """Replay the constraint on a text, and weight its tokens by the law of a model.

    Raises:
        MatchError: the constraint does not allow the text.
        ContextLengthError: prompt and text do not fit into the context of the model.
    """
    matchers = None if constraint is None else _replayed(constraint, vocabulary, tokens)
    if model is None:
        forced = [len(matcher.allowed_tokens()) == 1 for matcher in matchers or ()] or [False] * len(tokens)
        return RemainingChoice(tuple(forced), (1,) * len(tokens), is_plain=True)
    forced, weights = list[bool](), list[int]()
    for logits, start in _blocks(tokens, model, prompt):
        if matchers is not None:
            states = tuple(matchers[start : start + len(logits)])
            logits = ConstraintGuide(states).adjust(logits, states)
        else:
            logits = logits.index_fill(-1, padding_rows(vocabulary).to(logits.device), -torch.inf)
        shaped = logits if sampling.is_greedy else shape(logits, sampling)
        forced += ((shaped > -torch.inf).sum(-1) == 1).tolist()
        weights += choices_weight(watermark, shaped.double().softmax(-1))
    return RemainingChoice(tuple(forced), tuple(weights), is_plain=False)


def _replayed(constraint: Constraint, vocabulary: Vocabulary, tokens: Sequence[int]) -> list[Matcher]:
    """Matcher before each token.

    Raises:
        MatchError: a token is not allowed.
    """
    begin = Matcher(constraint.compile(vocabulary))
    found: list[Matcher] = [begin]
    for place, after in enumerate(begin.follow(tokens)):
        if after is None:
            raise MatchError(
                f"the constraint does not allow token {place} of the text ({vocabulary.shown(tokens[place])!r}): it "
                "was generated under another constraint, or changed; detect it without one"
            )
        found.append(after)
    return found[: len(tokens)]


def _blocks(tokens: Sequence[int], model: Model, prompt: Prompt | None) -> Iterator[tuple[Tensor, int]]:
    """Logits before each token in blocks of positions: float32, (count, rows), nats; and the first position.

    Without a prompt, and without a beginning-of-sequence token, those of the first token are all 0.
    """
    start_token = model.language_model.start_token
    is_bare = prompt is None and start_token is None
    given = [start_token] if prompt is None and start_token is not None else prompt
    first = list(tokens[:1]) if is_bare else given
    if first is None or not tokens:
        return
    distribution, before = model.distribution_after(first)
    if is_bare:
        yield torch.zeros(1, distribution.rows), 0
    room = distribution.room(before)
    rest = list(tokens[int(is_bare) :])
    if room is not None and len(rest) - 1 > room:
        raise ContextLengthError(tokens=len(before) + len(rest) - 1, context_length=len(before) + room)
    for start in range(0, len(rest), _BLOCK):
        stop = min(len(rest), start + _BLOCK)
        prefix = [*before, *rest[: stop - 1]]
        logits = distribution.logits([prefix], stop - start, starts=[len(before)])
        yield logits[0].float(), start + is_bare
