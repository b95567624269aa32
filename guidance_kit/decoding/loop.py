"""THE generation loop: the one place in which tokens are drawn one after the other, for batches and for streams.

What happens to the logits in one step, in this order whatever is used:

    1. base         the distribution's own logits (a model, or several composed, classifiers among them)
    2. biases       guides of Stage.BIAS: logit bias, penalties
    3. mask         the constraint; rows that stand for no token are always forbidden
    4. sampling     temperature, then truncation: top-k, top-p, min-p
    5. watermark    guides of Stage.WATERMARK; what is forbidden stays so
    6. sample       greedy, or one random number a row

Truncation comes after the mask: before it, it could remove every token that the constraint allows. For the same reason
a formula that truncates one of its models, or asks a classifier about the likeliest tokens (1), looks only at those
that the mask leaves.

A row that ends is dropped and costs nothing more. Where nothing can follow, it ends without a question. Tokens that
are the only ones allowed are taken without a question too, equally many in all rows, unless a guide may forbid one of
them or the distribution may give it probability 0; the next question then spans several new tokens at once. (To let
each row run ahead on its own costs more than it saves: the model would compute a block as wide as the longest run for
every row.)
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
from guidance_kit.decoding.sampling import Uniforms, choose, greedy, row_seeds, shape
from guidance_kit.decoding.silent_rows import silent_rows
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

__all__ = ["Piece", "Pipeline", "check_prompts", "fit", "generate", "raise_no_token", "room_for"]


@dataclass(frozen=True, slots=True)
class Piece:
    """New text of one row.

    Attributes:
        row: place of the prompt in the batch.
        text: what is new; whole characters, and never a part of a stop string. The pieces of a row add up to the text
            of its completion.
        completion: the whole, with the last piece of the row, else None.
        error: why there is none, with the last piece of a row that failed while the others go on.
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
    """Generate one text a prompt, all at once, token by token.

    Args:
        distribution: what comes next; asked for no more than the rows that still run.
        vocabulary: the tokens of the distribution.
        prompts: token ids, each of them at least one.
        constraint: what the texts must satisfy.
        guides: further guides; applied in the order of their stages, those of one stage as given.
        seeds: one a prompt; by default `row_seeds` of the options' seed.
        numbers: what errors call the prompts; by default 0, 1, 2, ...
    Yields:
        A piece whenever a row has new text, and one at its end, in the order in which rows end.
    Raises:
        ContextLengthError: a prompt leaves no room for a token; before anything is computed.
        ModelError: an empty prompt; the distribution returned NaN, naming the step.
        FormulaError: a formula gives no distribution, naming the term; a note has the step and the prompt.
        VocabularyError: the distribution has another number of rows than the vocabulary.
        ConstraintError: no token is left, which the constraint alone never causes: naming the step.
        BudgetError: with `complete`, the constraint needs more tokens than there is room for; before anything is
            computed.
        OptionError: the options have an alignment, see `decoding.batching.generate_in_batches`; what is no guide.
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
    constraint = fit(constraint, distribution, prompts, options)
    rows = [
        _Row(place, number, prompt, seed, room_for(distribution, prompt, options.max_tokens), vocabulary, options)
        for place, (number, prompt, seed) in enumerate(zip(numbers, prompts, seeds, strict=True))
    ]
    return _run(distribution, rows, options, Pipeline(vocabulary, prompts, constraint, guides))


def check_prompts(
    distribution: Distribution, prompts: Sequence[Sequence[int]], numbers: Sequence[int] | None = None
) -> None:
    """See that every prompt has a token, and leaves room for one.

    Raises:
        ModelError: an empty prompt.
        VocabularyError: a prompt with tokens that the model does not have.
        ContextLengthError: a prompt that fills the context; a note names the prompt.
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


def fit(
    constraint: ConstraintGuide | None,
    distribution: Distribution,
    prompts: Sequence[Sequence[int]],
    options: Options,
) -> ConstraintGuide | None:
    """The constraint that completes each text in the room that it has, if that is asked for.

    Raises:
        BudgetError: if it needs more; a note says which of several prompts.
    """
    if constraint is None or not options.complete:
        return constraint
    return constraint.within([room_for(distribution, prompt, options.max_tokens) for prompt in prompts])


_FAR = 4096
"""So many tokens at once, where there is no limit."""


class _Row:
    """One running text."""

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
        """Number of tokens generated."""
        return len(self.prefix) - self.prompt_tokens

    def take(self, token: int, piece: bytes, *, is_end: bool) -> None:
        """Add a token, and what it adds to the text, unless it ends it."""
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
        """Number of tokens that it may still take."""
        if self.reason is not None:
            return 0
        return _FAR if self.room is None else self.room - self.length

    def settle(self, *, is_over: bool) -> None:
        """End the text if nothing can follow or there is no room."""
        if self.reason is None:
            if is_over:
                self.reason = "complete"
            elif self.left <= 0:
                self.reason = "length"

    def piece(self, *, has_logprobs: bool) -> Piece | None:
        """What is new, if anything is."""
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
    """The guides of one batch in the order of their stages, with their states."""

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
        self._silent = silent_rows(vocabulary) if constraint is None else None

    def steer(self, logits: Tensor) -> Tensor:
        """Stage 2; and 3, for guides that mask."""
        for guide, state in zip(self._guides[: self._early], self._states, strict=False):
            logits = guide.adjust(logits, state)
        return logits

    def mask(self, logits: Tensor) -> Tensor:
        """Stage 3."""
        if self._constraint is not None:
            return self._constraint.adjust(logits, self._matchers)
        if self._silent is not None and len(self._silent):
            self._silent = self._silent.to(logits.device)
            return logits.index_fill(-1, self._silent, -torch.inf)
        return logits

    def watermark(self, logits: Tensor) -> Tensor:
        """Stage 5."""
        marked = logits
        for guide, state in zip(self._guides[self._early :], self._states[self._early :], strict=True):
            marked = guide.adjust(marked, state)
        return logits if marked is logits else marked.masked_fill(logits == -torch.inf, -torch.inf)

    def advance(self, tokens: Sequence[Sequence[int]]) -> None:
        """Each row takes its tokens."""
        if self._constraint is not None:
            self._matchers = self._constraint.advance(self._matchers, tokens)
        for number, guide in enumerate(self._guides):
            self._states[number] = guide.advance(self._states[number], tokens)

    def select(self, rows: Sequence[int]) -> None:
        """Drop the other rows."""
        if self._constraint is not None:
            self._matchers = self._constraint.select(self._matchers, rows)
        for number, guide in enumerate(self._guides):
            self._states[number] = guide.select(self._states[number], rows)

    def forced(self, limit: int) -> list[list[int]]:
        """The tokens without alternative, equally many in each row; nothing where one may be forbidden, or is none."""
        if self._constraint is None or self._never_forced:
            return []
        tokens = self._constraint.forced(self._matchers, limit)
        guides = zip(self._guides, self._states, strict=True)
        return [] if tokens and any(may_forbid(guide, state, tokens) for guide, state in guides) else tokens

    def is_restricted(self, row: int) -> bool:
        """Whether the constraint forbade tokens of a row to complete it in time."""
        return self._constraint is not None and self._constraint.is_restricted(self._matchers, row)

    def piece(self, token: int) -> bytes:
        """What a token adds to the text; special ones that the constraint names show their names."""
        return self._vocabulary.text_of([token]) if self._constraint is None else self._vocabulary.shown(token)

    def are_ends(self, tokens: Sequence[int]) -> list[bool]:
        """For each row whether the token that it took last ended the text."""
        if self._constraint is None:
            return [token in self._vocabulary.eos for token in tokens]
        return self._constraint.is_finished(self._matchers)

    def is_over(self) -> list[bool]:
        """For each row whether nothing can follow; nothing at all without a constraint."""
        return [] if self._constraint is None else self._constraint.is_over(self._matchers)

    def situations(self) -> list[tuple[int, int, int]]:
        """For each row where it stands in its constraint, see `Matcher.situation`."""
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
    """The logits of the next token, float32 (batch, rows); and, if wanted, how they came about."""
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
    """Let the rows take the tokens without alternative, each up to its end; return whether there were any."""
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
    """Say why no token could be taken.

    Args:
        base: what the model gave for a row: float, (rows,), nats.
        masked: what guides and the constraint left of it.
        allowed: what the constraint alone leaves of it.
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
    """The greatest number of tokens that can be generated, None if there is no limit."""
    left = distribution.room(prompt)
    return left if max_tokens is None else max_tokens if left is None else min(max_tokens, left)
