"""Guides in the generation of transformers: a constraint, biases and penalties as one of its logits processors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import torch
from torch import Tensor
from transformers import LogitsProcessor

from guidance_kit.decoding.loop import silent_rows
from guidance_kit.errors import ConstraintError, MatchError, ModelError, OptionError, VocabularyError
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.guides.constraint import ConstraintGuide
from guidance_kit.guides.guide import Guide, Stage
from guidance_kit.vocabulary import Vocabulary

__all__ = ["GuideProcessor"]

_Place = tuple[int, tuple[int, ...]]
"""The number of a prompt, and what was generated after it, up to the end of the sequence."""


class GuideProcessor(LogitsProcessor):
    """Steer `generate` of any causal language model of transformers by guides, and hold it to a constraint.

        inputs = tokenizer(["Is it late? ", "Is it early? "], return_tensors="pt", padding=True)
        processor = GuideProcessor(inputs, vocabulary, constraint=gk.choice(["yes", "no"]))
        model.generate(**inputs, logits_processor=[processor], max_new_tokens=8)

    What it does depends on the tokens so far alone; what it keeps is a cache of that. So rows may be reordered
    (beams), repeated (`num_return_sequences`) or taken back (assisted generation), and it may be used again for the
    same prompts. Guides act in the order of their stages, then the constraint; temperature and truncation come after
    it, as `generate` has its own processors in that order. Penalties look at log-probabilities, not logits, under
    beams, whose scores these are.

    A text that satisfies the constraint and cannot go on is ended by an end-of-sequence token. One that is cut by
    `max_new_tokens` may not satisfy it.

    Args:
        inputs: what `generate` gets: a mapping with `input_ids` and `attention_mask`, or the ids alone, int64,
            (batch, length). Prompts are padded on the left.
        vocabulary: the tokens of the model, `Vocabulary.from_tokenizer(tokenizer, rows=...)`.
        constraint: what texts must satisfy: one for all prompts, or one for each.
        guides: further guides.
    Raises:
        OptionError: prompts that are not padded on the left; a guide that marks, which has no place before the
            sampler; another number of constraints than of prompts.
        ConstraintError: a constraint that cannot be used with this vocabulary.
    """

    def __init__(
        self,
        inputs: Mapping[str, Tensor] | Tensor,
        vocabulary: Vocabulary,
        *,
        constraint: Constraint | Sequence[Constraint] | None = None,
        guides: Sequence[Guide[Any]] = (),
    ) -> None:
        self._given, self._prompts = _prompts(inputs)
        self._vocabulary = vocabulary
        self._guides = sorted(guides, key=lambda guide: guide.stage)
        if any(guide.stage > Stage.MASK for guide in self._guides):
            raise OptionError("a watermark comes after truncation, a logits processor before it; use our `generate`")
        self._constraint = _guide(constraint, vocabulary, len(self._prompts))
        self._silent = silent_rows(vocabulary)
        self._known: dict[_Place, int] = {}
        self._states: list[Any] = []
        self._matchers: tuple[Matcher, ...] = ()

    @torch.inference_mode()
    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The guided scores.

        Args:
            input_ids: int64, (rows, length): prompts, each in as many rows, with what was generated.
            scores: float, (rows, vocabulary), nats.
        Raises:
            ModelError: rows that do not begin with the prompts.
            VocabularyError: scores for another number of tokens than the vocabulary has.
            MatchError: a row has a token that the constraint forbids.
            ConstraintError: the guides forbid all that the constraint allows.
        """
        if scores.shape[1] != self._vocabulary.rows:
            raise VocabularyError(f"{self._vocabulary.rows} rows in the vocabulary, {scores.shape[1]} in the scores")
        places = self._places(input_ids)
        copies = len(places) // len(self._prompts)
        dead = self._go_to(places)
        if dead and copies == 1:
            raise MatchError(
                f"prompt {places[dead[0]][0]} went on with a token that the constraint forbids: another processor, or "
                "a setting of `generate` such as forced_eos_token_id, undid the mask"
            )
        guided = scores.float()
        for guide, state in zip(self._guides, self._states, strict=True):
            guided = guide.adjust(guided, state)
        if self._constraint is None:
            guided = guided.index_fill(-1, self._silent.to(guided.device), -torch.inf)
        else:
            guided = self._constraint.adjust(guided, self._matchers)
        is_left = (guided.amax(-1) > -torch.inf).tolist()
        for row, (number, tokens) in enumerate(places):
            if row in dead:  # beams keep rows of probability 0 where there are not enough others
                guided[row] = -torch.inf
            elif tokens and tokens[-1] in self._vocabulary.eos:
                guided[row] = -torch.inf
                guided[row, tokens[-1]] = 0.0
            elif not is_left[row]:
                raise ConstraintError(
                    f"no token is left after prompt {number} and {len(tokens)} tokens: the guides forbid all that the "
                    "constraint allows"
                )
        return guided.to(scores.dtype)

    def _places(self, input_ids: Tensor) -> list[_Place]:
        """Where each row has got to."""
        rows, (count, width) = input_ids.tolist(), self._given.shape
        copies = len(rows) // count
        prompts = self._given.tolist()
        if len(rows) != copies * count or any(row[:width] != prompts[r // copies] for r, row in enumerate(rows)):
            raise ModelError(
                f"the {len(rows)} rows of `generate` do not begin with the {count} prompts that the processor was made "
                "for; make one with the very inputs of the call"
            )
        return [(r // copies, self._up_to_the_end(row[width:])) for r, row in enumerate(rows)]

    def _up_to_the_end(self, tokens: list[int]) -> tuple[int, ...]:
        ends = [place for place, token in enumerate(tokens) if token in self._vocabulary.eos]
        return tuple(tokens[: ends[0] + 1] if ends else tokens)

    def _go_to(self, places: list[_Place]) -> list[int]:
        """Bring all states to some places; return the rows that the constraint does not allow to be there.

        They go on from where they were in the last call if every row does, else from the prompts.
        """
        parents = [self._parent(place) for place in places]
        if any(parent is None for parent in parents):
            self._known = {(number, ()): number for number in range(len(self._prompts))}
            self._states = [guide.start(self._prompts) for guide in self._guides]
            self._matchers = () if self._constraint is None else self._constraint.start(self._prompts)
            parents = [(number, ()) for number, _ in places]
        rows = [self._known[cast(_Place, parent)] for parent in parents]
        new = [tokens[len(cast(_Place, parent)[1]) :] for (_, tokens), parent in zip(places, parents, strict=True)]
        self._states = [
            guide.advance(guide.select(state, rows), new)
            for guide, state in zip(self._guides, self._states, strict=True)
        ]
        dead: list[int] = []
        if self._constraint is not None:
            followed = [_followed(self._matchers[row], tokens) for row, tokens in zip(rows, new, strict=True)]
            dead = [row for row, matcher in enumerate(followed) if matcher is None]
            self._matchers = tuple(
                self._matchers[rows[row]] if matcher is None else matcher for row, matcher in enumerate(followed)
            )
        self._known = {place: row for row, place in enumerate(places) if row not in dead}
        return dead

    def _parent(self, place: _Place) -> _Place | None:
        """The place in the last call from which one goes on: itself, or one token before it."""
        number, tokens = place
        return next((one for one in (place, (number, tokens[:-1])) if one in self._known), None)


def _followed(matcher: Matcher, tokens: Sequence[int]) -> Matcher | None:
    """Where tokens lead, None if the constraint forbids them."""
    if not tokens:
        return matcher
    matcher = matcher.fork()
    for token in tokens:
        if not matcher.can_advance(token):
            return None
        matcher.advance(token)
    return matcher


def _prompts(inputs: Mapping[str, Tensor] | Tensor) -> tuple[Tensor, list[list[int]]]:
    """The ids of the prompts with their padding, and without."""
    ids = inputs if isinstance(inputs, Tensor) else inputs["input_ids"]
    mask = None if isinstance(inputs, Tensor) else inputs.get("attention_mask")
    mask = torch.ones_like(ids) if mask is None else mask
    if bool((mask[:, 1:] < mask[:, :-1]).any()):
        raise OptionError('prompts are padded on the left to be continued: tokenizer.padding_side = "left"')
    rows = zip(ids.tolist(), mask.sum(-1).tolist(), strict=True)
    return ids.cpu(), [row[len(row) - length :] for row, length in rows]


def _guide(
    constraint: Constraint | Sequence[Constraint] | None, vocabulary: Vocabulary, prompts: int
) -> ConstraintGuide | None:
    """The guide of a constraint."""
    if constraint is None:
        return None
    if isinstance(constraint, Constraint):
        return ConstraintGuide(Matcher(constraint.compile(vocabulary)))
    if len(constraint) != prompts:
        raise OptionError(f"{len(constraint)} constraints for {prompts} prompts")
    return ConstraintGuide([Matcher(one.compile(vocabulary)) for one in constraint])
