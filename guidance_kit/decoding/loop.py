"""Generation loop, for batches and for streams: one token a row and step.

The logits of a step pass six stages, always in this order:

    1. base         the distribution's own logits (a model, or a formula of models and classifiers)
    2. biases       guides of Stage.BIAS: logit bias, penalties
    3. mask         the constraint; padding rows are always forbidden
    4. sampling     temperature, then truncation: top-k, top-p, min-p
    5. watermark    guides of Stage.WATERMARK; forbidden tokens stay forbidden
    6. sample       greedy, or one random number a row

Truncation comes after the mask: before it, it could remove every allowed token. For the same reason a formula that
truncates one of its models, or classifies its most likely tokens (1), considers only allowed tokens.

A row that ends is dropped and costs nothing more. If nothing can follow, it ends without a pass of the model. Forced
tokens, the only ones allowed, are taken without a pass too, equally many in all rows, unless a guide may forbid one of
them or the distribution may give it probability 0; the next pass then covers several new tokens at once. (Rows that run
ahead on their own would cost more: the model would compute a block as wide as the longest run for every row.)
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import torch
from torch import Tensor

from guidance_kit.decoding.attribution import records
from guidance_kit.decoding.completion import Completion, FinishReason, TokenLogprob
from guidance_kit.decoding.cut_field import CutField, cut_field
from guidance_kit.decoding.distribution import Decomposable, Distribution, PartialSum, has_full_support
from guidance_kit.decoding.field_limit import FieldCounter
from guidance_kit.decoding.options import Options
from guidance_kit.decoding.padding_rows import padding_rows
from guidance_kit.decoding.sampling import Uniforms, choose, greedy, row_seeds, shape
from guidance_kit.decoding.transcript import Transcript
from guidance_kit.errors import (
    ConstraintError,
    ContextLengthError,
    FormulaError,
    ModelError,
    OptionError,
    VocabularyError,
)
from guidance_kit.guides.constraint import ConstraintGuide
from guidance_kit.guides.guide import Guide, Stage, always_may_forbid, in_order, may_forbid
from guidance_kit.vocabulary import Vocabulary

__all__ = ["Piece", "Pipeline", "check_prompts", "generate", "raise_no_token", "room_for", "with_token_budgets"]


@dataclass(frozen=True, slots=True)
class Piece:
    """Piece of the text of one row.

    Attributes:
        row: index of the prompt in the batch.
        text: new text, in whole characters and without any part of a stop string. The pieces of a row join to the text
            of its completion.
        completion: the completion, with the last piece of the row; else None.
        error: the error, with the last piece of a row that failed while the others continue; else None.
    """

    row: int
    text: str
    completion: Completion | None = None
    error: ConstraintError | None = None


def generate(
    distribution: Distribution,
    vocabulary: Vocabulary,
    prompts: Sequence[Sequence[int]],
    *,
    options: Options | None = None,
    constraint: ConstraintGuide | None = None,
    guides: Sequence[Guide[Any]] = (),
    seeds: Sequence[int] | None = None,
    numbers: Sequence[int] | None = None,
) -> Iterator[Piece]:
    """Generate one text a prompt, all in one batch.

    Args:
        distribution: next-token distribution; computed for running rows only.
        vocabulary: vocabulary of the distribution.
        prompts: token ids, none of them empty.
        constraint: constraint of the texts.
        guides: further guides; applied in the order of their stages, those of one stage as given.
        seeds: one a prompt; by default `row_seeds` of the options' seed.
        numbers: numbers of the prompts in error messages; by default 0, 1, 2, ...
    Yields:
        A piece whenever a row has new text, and one at its end, in the order in which rows end.
    Raises:
        ContextLengthError: a prompt leaves no room for a token; raised before the model runs.
        ModelError: an empty prompt; the distribution returned NaN or +inf (the message has the step).
        FormulaError: a formula gives no distribution (the message has the term, a note the step and the prompt).
        VocabularyError: distribution and vocabulary differ in their number of rows.
        ConstraintError: every allowed token has probability 0, which the constraint alone never causes (the message
            has the step).
        BudgetError: with `complete`, the constraint needs more tokens than fit; raised before the model runs.
        OptionError: the options have an alignment, see `decoding.batching.generate_in_batches`; an invalid guide.
    """
    options = options or Options()
    if options.alignment is not None:
        raise OptionError("texts that are aligned with the model have no pieces: generate gives the whole of them")
    if distribution.rows != vocabulary.rows:
        raise VocabularyError(f"{vocabulary.rows} rows in the vocabulary, {distribution.rows} in the distribution")
    numbers = range(len(prompts)) if numbers is None else numbers
    check_prompts(distribution, prompts, numbers)
    if seeds is None:
        seeds = row_seeds(options.sampling.seed, len(prompts))
    constraint = with_token_budgets(constraint, distribution, prompts, options)
    rows = [
        _Row(place, number, prompt, seed, room_for(distribution, prompt, options.max_tokens), vocabulary, options)
        for place, (number, prompt, seed) in enumerate(zip(numbers, prompts, seeds, strict=True))
    ]
    return _run(distribution, rows, options, Pipeline(vocabulary, prompts, constraint, guides))


def check_prompts(
    distribution: Distribution, prompts: Sequence[Sequence[int]], numbers: Sequence[int] | None = None
) -> None:
    """Validate prompts: not empty, within the rows of the model, and with room for a token in its context.

    Raises:
        ModelError: an empty prompt.
        VocabularyError: a token id outside the rows of the model.
        ContextLengthError: a prompt that fills the context; a note has its number.
    """
    for number, prompt in zip(range(len(prompts)) if numbers is None else numbers, prompts, strict=True):
        if not prompt:
            raise ModelError(f"prompt {number} is empty; a model needs at least one token to go on from")
        if min(prompt) < 0 or max(prompt) >= distribution.rows:
            raise VocabularyError(f"prompt {number} has tokens that are not in the {distribution.rows} of the model")
        try:
            room = distribution.room(prompt)
            if room is not None and room <= 0:
                raise ContextLengthError(tokens=len(prompt) + 1, context_length=len(prompt) + room)
        except ContextLengthError as error:
            error.add_note(f"at prompt {number} it reads {error.tokens - 1} tokens, and one more must fit")
            raise


def with_token_budgets(
    constraint: ConstraintGuide | None,
    distribution: Distribution,
    prompts: Sequence[Sequence[int]],
    options: Options,
) -> ConstraintGuide | None:
    """Constraint with a token budget for each prompt, if the options ask for complete texts; else the constraint.

    Raises:
        BudgetError: the budget of a prompt does not suffice; a note has the number of the prompt.
    """
    if constraint is None or not options.complete:
        return constraint
    return constraint.within([room_for(distribution, prompt, options.max_tokens) for prompt in prompts])


_FAR = 4096
"""Maximum number of tokens forced at once by a row without a token limit."""


class _Row:
    """Running text of one prompt."""

    __slots__ = (
        "field", "number", "place", "prefix", "prompt_tokens", "reason", "records", "room", "seed", "transcript",
        "uniforms", "vocabulary",
    )  # fmt: skip

    def __init__(
        self,
        place: int,
        number: int,
        prompt: Sequence[int],
        seed: int,
        room: int | None,
        vocabulary: Vocabulary,
        options: Options,
    ) -> None:
        self.place = place
        self.number = number
        self.prefix = list(prompt)
        self.prompt_tokens = len(prompt)
        self.room = room
        self.seed = seed
        self.vocabulary = vocabulary
        self.uniforms = Uniforms(seed)
        self.transcript = Transcript(tuple(stop.encode() for stop in options.stop))
        self.field = None if options.max_field_tokens is None else FieldCounter(options.max_field_tokens)
        self.records: list[TokenLogprob] = []
        self.reason: FinishReason | None = None

    @property
    def length(self) -> int:
        """Number of generated tokens."""
        return len(self.prefix) - self.prompt_tokens

    def take(self, token: int, piece: bytes, *, is_end: bool) -> None:
        """Append a token and its bytes, and note an end of the text.

        Args:
            is_end: the token is the end-of-sequence token, and adds no text.
        """
        self.prefix.append(token)
        if is_end:
            self.reason = "complete"
            return
        self.transcript.append(piece)
        if self.transcript.is_stopped:
            self.reason = "stop"
        elif self.field is not None and self.field.take(piece):
            self.reason = "field"

    @property
    def left(self) -> int:
        """Number of tokens that may still follow."""
        if self.reason is not None:
            return 0
        return _FAR if self.room is None else self.room - self.length

    def settle(self, *, is_over: bool) -> None:
        """End the text if nothing can follow or the token limit is reached."""
        if self.reason is None:
            if is_over:
                self.reason = "complete"
            elif self.left <= 0:
                self.reason = "length"

    def piece(self, *, has_logprobs: bool) -> Piece | None:
        """Piece with the new text, or with the completion at the end; None if there is neither."""
        if self.reason is None:
            text = self.transcript.release()
            return Piece(self.place, text) if text else None
        text, field = self.transcript.text, self.field if self.reason == "field" else None
        completion = Completion(
            text=text,
            tokens=tuple(self.prefix[self.prompt_tokens :]),
            finish_reason=self.reason,
            prompt_tokens=self.prompt_tokens,
            seed=self.seed,
            logprobs=tuple(self.records) if has_logprobs else None,
            cut_field=CutField(pointer=cut_field(text), limit=field.limit) if field is not None else None,
            vocabulary=self.vocabulary,
        )
        return Piece(self.place, self.transcript.release_rest(), completion)


class Pipeline:
    """Guides of one batch in the order of their stages, with their states."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        prompts: Sequence[Sequence[int]],
        constraint: ConstraintGuide | None,
        guides: Sequence[Guide[Any]],
    ) -> None:
        self._constraint = constraint
        self._vocabulary = vocabulary
        self._matchers = () if constraint is None else constraint.start(prompts)
        self._guides = in_order(guides)
        self._states = [guide.start(prompts) for guide in self._guides]
        self._never_forced = constraint is None or any(map(always_may_forbid, self._guides))
        self._early = sum(guide.stage < Stage.WATERMARK for guide in self._guides)
        self._padding = padding_rows(vocabulary) if constraint is None else None

    def steer(self, logits: Tensor) -> Tensor:
        """Stage 2; and 3, for guides that mask."""
        for guide, state in zip(self._guides[: self._early], self._states, strict=False):
            logits = guide.adjust(logits, state)
        return logits

    def mask(self, logits: Tensor) -> Tensor:
        """Stage 3."""
        if self._constraint is not None:
            return self._constraint.adjust(logits, self._matchers)
        if self._padding is not None and len(self._padding):
            self._padding = self._padding.to(logits.device)
            return logits.index_fill(-1, self._padding, -torch.inf)
        return logits

    def watermark(self, logits: Tensor) -> Tensor:
        """Stage 5."""
        marked = logits
        for guide, state in zip(self._guides[self._early :], self._states[self._early :], strict=True):
            marked = guide.adjust(marked, state)
        return logits if marked is logits else marked.masked_fill(logits == -torch.inf, -torch.inf)

    def advance(self, tokens: Sequence[Sequence[int]]) -> None:
        """Advance the states by the tokens of each row."""
        if self._constraint is not None:
            self._matchers = self._constraint.advance(self._matchers, tokens)
        for number, guide in enumerate(self._guides):
            self._states[number] = guide.advance(self._states[number], tokens)

    def select(self, rows: Sequence[int]) -> None:
        """Keep the given rows, in that order."""
        if self._constraint is not None:
            self._matchers = self._constraint.select(self._matchers, rows)
        for number, guide in enumerate(self._guides):
            self._states[number] = guide.select(self._states[number], rows)

    def forced(self, limit: int) -> list[list[int]]:
        """Forced tokens, equally many in each row; no lists if a row has none, or a guide may forbid one of them."""
        if self._constraint is None or self._never_forced:
            return []
        tokens = self._constraint.forced(self._matchers, limit)
        guides = zip(self._guides, self._states, strict=True)
        return [] if tokens and any(may_forbid(guide, state, tokens) for guide, state in guides) else tokens

    def is_restricted(self, row: int) -> bool:
        """Test for a row in which the token budget has forbidden an otherwise allowed token."""
        return self._constraint is not None and self._constraint.is_restricted(self._matchers, row)

    def piece(self, token: int) -> bytes:
        """Bytes that a token adds to the text; under a constraint special tokens add their names."""
        return self._vocabulary.text_of([token]) if self._constraint is None else self._vocabulary.shown(token)

    def are_ends(self, tokens: Sequence[int]) -> list[bool]:
        """Test, for each row, for a last token that ended the text."""
        if self._constraint is None:
            return [token in self._vocabulary.eos for token in tokens]
        return self._constraint.is_finished(self._matchers)

    def is_over(self) -> list[bool]:
        """Test, for each row, for a text that nothing can follow; an empty list without a constraint."""
        return [] if self._constraint is None else self._constraint.is_over(self._matchers)

    def situations(self) -> list[tuple[int, int, int]]:
        """Automaton state of each row, see `Matcher.situation`."""
        return [matcher.situation for matcher in self._matchers]


def _run(distribution: Distribution, rows: list[_Row], options: Options, pipeline: Pipeline) -> Iterator[Piece]:
    """The loop itself."""
    sampling, count = options.sampling, options.logprobs
    # With log-probabilities every token goes through the distribution, which alone knows them.
    has_forced = count is None and has_full_support(distribution)
    step = 0
    while rows:
        for row, is_over in zip(rows, pipeline.is_over() or [False] * len(rows), strict=True):
            row.settle(is_over=is_over)
        for place, row in enumerate(rows):
            if row.reason == "complete" and pipeline.is_restricted(place):
                row.reason = "budget"
        for row in rows:
            piece = row.piece(has_logprobs=count is not None)
            if piece is not None:
                yield piece
        running = [place for place, row in enumerate(rows) if row.reason is None]
        if len(running) < len(rows):
            rows = [rows[place] for place in running]
            if not rows:
                return
            pipeline.select(running)
        if has_forced and _take_forced(rows, pipeline):
            continue
        step += 1
        with torch.inference_mode():
            base, partial_sums = _next_logits(distribution, rows, step, pipeline, is_decomposed=count is not None)
            steered = pipeline.steer(base)
            masked = pipeline.mask(steered)
            if sampling.is_greedy:
                tokens, checks = greedy(pipeline.watermark(masked))
            else:
                shaped = pipeline.watermark(shape(masked, sampling))
                tokens, checks = choose(shaped, [row.uniforms[row.length] for row in rows])
            for place, check in enumerate(checks):
                if not check > -math.inf:  # NaN compares false
                    row = rows[place]
                    where = f"step {step} (prompt {row.number}, after {row.length} tokens)"
                    raise_no_token(base[place], masked[place], pipeline.mask(base)[place], where)
            if count is not None:
                free, left = steered, masked
                if partial_sums[-1].logits is not base:  # which may have been truncated among what the mask leaves
                    free = pipeline.steer(partial_sums[-1].logits.float())
                    left = pipeline.mask(free)
                found = records(partial_sums, free, left, masked, tokens, count)
                for row, record in zip(rows, found, strict=True):
                    row.records.append(record)
        pipeline.advance([[token] for token in tokens])
        for row, token, is_end in zip(rows, tokens, pipeline.are_ends(tokens), strict=True):
            row.take(token, pipeline.piece(token), is_end=is_end)


def _next_logits(
    distribution: Distribution, rows: Sequence[_Row], step: int, pipeline: Pipeline, *, is_decomposed: bool
) -> tuple[Tensor, list[PartialSum]]:
    """Logits of the next token, float32, (batch, rows), and, if `is_decomposed`, their partial sums."""
    prefixes, starts = [row.prefix for row in rows], [row.prompt_tokens for row in rows]

    def allowed(device: torch.device) -> Tensor:
        return (pipeline.mask(torch.zeros(len(rows), distribution.rows, device=device)) == 0)[:, None]

    try:
        if is_decomposed and isinstance(distribution, Decomposable):
            logits, partial_sums = distribution.partial_sums(prefixes, starts=starts, allowed=allowed)
            return logits.float(), partial_sums
        logits = distribution.logits(prefixes, starts=starts, allowed=allowed)[:, -1].float()
    except FormulaError as error:
        error.add_note(f"step {step}, prompt {rows[error.row].number}")
        raise
    weight = logits.new_ones(len(rows))
    return logits, [PartialSum(term="", weight=weight, own=logits, logits=logits)] if is_decomposed else []


def _take_forced(rows: list[_Row], pipeline: Pipeline) -> bool:
    """Append the forced tokens to each row up to its end; return whether there were any."""
    forced = pipeline.forced(min(row.left for row in rows))
    for row, tokens in zip(rows, forced, strict=False):
        for token in tokens:
            row.take(token, pipeline.piece(token), is_end=False)
            if row.reason is not None:
                break
    if forced:
        pipeline.advance(forced)
    return bool(forced)


def raise_no_token(base: Tensor, masked: Tensor, allowed: Tensor, where: str) -> NoReturn:
    """Raise the error of a row without a possible token.

    Args:
        base: logits of the model: float, (rows,), nats.
        masked: `base` after the guides and the mask.
        allowed: `base` after the mask alone.
        where: position for the message.
    Raises:
        ModelError: the model returned NaN or infinities; a guide returned NaN.
        ConstraintError: all allowed tokens have probability 0, by the model or by the guides.
    """
    if bool(base.isnan().any()):
        raise ModelError(f"the model returned NaN at {where}; half precision may overflow, try a wider dtype")
    if bool(base.isposinf().any()) or bool((base == -torch.inf).all()):
        raise ModelError(f"the model returned infinite logits at {where}")
    if bool(masked.isnan().any()):
        raise ModelError(f"a guide returned NaN at {where}")
    if bool((allowed == -torch.inf).all()):
        raise ConstraintError(
            f"no token is left at {where}: the model, or the formula, gives probability 0 to all that is allowed"
        )
    raise ConstraintError(f"no token is left at {where}: the guides forbid all that the constraint allows")


def room_for(distribution: Distribution, prompt: Sequence[int], max_tokens: int | None) -> int | None:
    """Maximum number of tokens that can be generated, by the context and `max_tokens`; None without a limit."""
    left = distribution.room(prompt)
    return left if max_tokens is None else max_tokens if left is None else min(max_tokens, left)
