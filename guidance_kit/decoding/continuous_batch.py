"""Continuous batching: texts that join and leave at the steps of a running batch, with one call of the model a step.

Each text has a decoder and a walk of its own, in a coroutine (greenlet): where its walk reads logits, the text waits. A
step joins what all texts wait for into one call of the distribution, which is a pure function of the prefixes, and
resumes each text with its part. So every decoder, draw, guide and option works here as it does alone, and texts with
different ones share the passes of the model. Texts that wait for a draft come first, those with the same draft in one
call, and the others wait meanwhile, so that all texts verify their proposals in one pass of the model.

Source: Yu et al. 2022, Orca, section 3.1, iteration-level scheduling.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from greenlet import GreenletExit, getcurrent, greenlet
from torch import Tensor

from guidance_kit.decoding.batching import halved_batch_size, is_out_of_memory, too_large
from guidance_kit.decoding.distribution import Allowed, Decomposable, Distribution, PartialSum, has_full_support
from guidance_kit.decoding.row import Piece
from guidance_kit.prompt import Prompt

__all__ = ["BatchedText", "ContinuousBatch", "awaiting"]

Bind = Callable[[Sequence[Prompt], Sequence[Sequence[int]]], Distribution]
"""Distribution for given prompts and their tokens, see `Ensemble.bound_to`."""

Answer = Tensor | tuple[Tensor, list[PartialSum]]


@dataclass(frozen=True, slots=True)
class _Question:
    """Arguments of a call of a distribution; `is_decomposed` for `partial_sums`.

    Attributes:
        draft: binding of the draft that is to answer; None for the distribution of the batch.
    """

    prefixes: Sequence[Sequence[int]]
    positions: int
    starts: Sequence[int]
    allowed: Allowed | None
    known: Mapping[Any, Tensor] = field(default_factory=dict[Any, Tensor])
    is_decomposed: bool = False
    draft: Bind | None = None

    @property
    def shortest(self) -> int:
        """Length of the shortest prefix."""
        return min(map(len, self.prefixes))


class _Awaiting:
    """Distribution of a text in a continuous batch: its logits come with those of the others."""

    def __init__(self, distribution: Distribution, draft: Bind | None) -> None:
        self._distribution = distribution
        self._draft = draft
        self.has_full_support = has_full_support(distribution)

    @property
    def rows(self) -> int:
        """See `Distribution`."""
        return self._distribution.rows

    def room(self, prompt: Sequence[int]) -> int | None:
        """See `Distribution`."""
        return self._distribution.room(prompt)

    def logits(
        self,
        prefixes: Sequence[Sequence[int]],
        positions: int = 1,
        *,
        starts: Sequence[int] = (),
        allowed: Allowed | None = None,
        known: Mapping[Any, Tensor] | None = None,
    ) -> Tensor:
        """See `Distribution`, and `Ensemble.logits` for what is known."""
        return _wait(_Question(prefixes, positions, starts, allowed, known or {}, draft=self._draft))


class _AwaitingDecomposable(_Awaiting):
    """The same for a distribution that has partial sums."""

    def partial_sums(
        self,
        prefixes: Sequence[Sequence[int]],
        positions: int = 1,
        *,
        starts: Sequence[int] = (),
        allowed: Allowed | None = None,
        known: Mapping[Any, Tensor] | None = None,
    ) -> tuple[Tensor, list[PartialSum]]:
        """See `Decomposable`."""
        question = _Question(prefixes, positions, starts, allowed, known or {}, is_decomposed=True, draft=self._draft)
        return _wait(question)


def awaiting(distribution: Distribution, draft: Bind | None = None) -> Distribution:
    """Distribution to decode with in a `ContinuousBatch`, in place of the given one.

    Args:
        draft: for the distribution of a draft: its binding, equal for all texts that may share its passes. None for the
            distribution of the batch.
    """
    return (_AwaitingDecomposable if isinstance(distribution, Decomposable) else _Awaiting)(distribution, draft)


def _wait(question: _Question) -> Any:
    """Wait in the coroutine of a text for the answer of its batch."""
    batch = getcurrent().parent
    assert batch is not None, "outside of a continuous batch"
    return batch.switch(question)


class BatchedText:
    """One text of a continuous batch: a decoder, running or waiting for logits.

    Args:
        pieces: pieces of one prompt, by `decoding.generation.generate` over an `awaiting` distribution.
        prompt, tokens: the prompt as given, and its token ids.
        rows: number of rows that the decoder takes, see `Decoder.rows_per_prompt`.
        on_piece: called with each piece; the last one has the completion or the error.
        on_error: called with the error that ended the text.
    Attributes:
        question: the logits that it waits for; None before its first step and after its end.
    """

    __slots__ = ("_coroutine", "_on_error", "_on_piece", "_pieces", "prompt", "question", "rows", "tokens")

    def __init__(
        self,
        pieces: Iterator[Piece],
        prompt: Prompt,
        tokens: Sequence[int],
        *,
        rows: int,
        on_piece: Callable[[Piece], None],
        on_error: Callable[[Exception], None],
    ) -> None:
        self.prompt = prompt
        self.tokens = tokens
        self.rows = rows
        self.question: _Question | None = None
        self._pieces = pieces
        self._on_piece = on_piece
        self._on_error = on_error
        self._coroutine: greenlet | None = None

    def resume(self, answer: Answer | Exception | None) -> None:
        """Go on until the next question, or to the end.

        Args:
            answer: of the last question; an error is raised in the text. None to start.
        """
        if self._coroutine is None:
            self._coroutine = greenlet(self._run)
        self.question = None
        coroutine = self._coroutine
        try:
            found = coroutine.throw(answer) if isinstance(answer, Exception) else coroutine.switch(*_given(answer))
        except Exception as error:  # of any kind: it ends this text, and not the others
            self._on_error(error)
            return
        if not coroutine.dead:
            assert isinstance(found, _Question)
            self.question = found

    def cancel(self) -> None:
        """End without further pieces."""
        self.question = None
        if self._coroutine is not None and not self._coroutine.dead:
            self._coroutine.throw(GreenletExit)

    @property
    def is_running(self) -> bool:
        """Test for a text that waits for logits."""
        return self.question is not None

    @property
    def draft(self) -> Bind | None:
        """Binding of the draft that it waits for; None if it waits for the distribution of the batch."""
        return None if self.question is None else self.question.draft

    def _run(self) -> None:
        for piece in self._pieces:
            self._on_piece(piece)


def _given(answer: Answer | None) -> tuple[Answer, ...]:
    """Arguments of a switch: none to start a coroutine."""
    return () if answer is None else (answer,)


class ContinuousBatch:
    """Running texts that share the passes of a model. All methods are called from one thread.

    When memory runs out, the texts that came last wait until others have ended. When a call of the distribution fails,
    it is repeated for halves of the texts, so that the error reaches only the text that causes it.

    Args:
        bind: distribution for the prompts of the running texts.
        max_rows: number of rows that run at once; a text that takes more runs alone.
    Attributes:
        texts: texts that run or wait for memory, in the order of their coming.
    """

    def __init__(self, bind: Bind, *, max_rows: int) -> None:
        self.texts: list[BatchedText] = []
        self._bind = bind
        self._bound: dict[Bind, tuple[list[BatchedText], Distribution]] = {}
        self._max_rows = max_rows
        self._limit = max_rows

    @property
    def rows(self) -> int:
        """Number of rows of all texts."""
        return sum(text.rows for text in self.texts)

    def has_room(self, rows: int) -> bool:
        """Test for room for a text that takes `rows` rows."""
        return not self.texts or self.rows + rows <= self._limit

    @torch.inference_mode()
    def add(self, text: BatchedText) -> None:
        """Let a text join at the next step."""
        text.resume(None)
        if text.is_running:
            self.texts.append(text)

    @torch.inference_mode()
    def cancel(self, text: BatchedText) -> None:
        """Let a text leave; its rows are free for others."""
        text.cancel()
        self.texts = [other for other in self.texts if other is not text]

    @torch.inference_mode()
    def step(self) -> None:
        """Answer what the texts wait for, with one call of a distribution, and let each go on."""
        ends = itertools.accumulate(text.rows for text in self.texts)
        texts = [text for text, end in zip(self.texts, ends, strict=True) if end <= self._limit] or self.texts[:1]
        draft = next((text.draft for text in texts if text.draft is not None), None)
        texts = [text for text in texts if text.draft == draft]
        for text, answer in zip(texts, self._answers(texts), strict=False):
            text.resume(answer)
        self.texts = [text for text in self.texts if text.is_running]
        if not self.texts:
            self._limit, self._bound = self._max_rows, {}

    def _answers(self, texts: list[BatchedText]) -> list[Answer | Exception]:
        """Answers, or errors, of the texts; of the first ones alone if memory runs out."""
        if not texts:
            return []
        try:
            return self._joined(texts)
        except Exception as error:  # of any kind: it is the error of some of the texts, not of the others
            failure = error.with_traceback(None)  # whose frames keep their tensors alive
        if len(texts) == 1:
            return [too_large(failure) if is_out_of_memory(failure) else failure]
        if is_out_of_memory(failure):
            first = texts[: halved_batch_size(len(texts), failure)]
            self._limit = sum(text.rows for text in first)
            return self._answers(first)
        middle = len(texts) // 2
        return [*self._answers(texts[:middle]), *self._answers(texts[middle:])]

    def _joined(self, texts: list[BatchedText]) -> list[Answer | Exception]:
        """Answers of the texts by one call, if their questions can be joined, else by one for each kind."""
        questions = [text.question for text in texts if text.question is not None]
        width = max(question.positions for question in questions)
        is_decomposed = any(question.is_decomposed for question in questions)
        if width > min(question.shortest for question in questions):
            answers: dict[int, Answer | Exception] = {}
            for count in dict.fromkeys(question.positions for question in questions):
                places = [place for place, question in enumerate(questions) if question.positions == count]
                answers.update(zip(places, self._joined([texts[place] for place in places]), strict=True))
            return [answers[place] for place in range(len(texts))]
        distribution = self._distribution_of(texts)
        prefixes = [prefix for question in questions for prefix in question.prefixes]
        starts = [start for question in questions for start in question.starts]
        allowed = _allowed(questions, width, distribution.rows)
        ends = list(itertools.accumulate(len(question.prefixes) for question in questions))
        parts = [slice(end - len(one.prefixes), end) for end, one in zip(ends, questions, strict=True)]
        options: dict[str, Any] = {"starts": starts, "allowed": allowed}
        known = _known(questions, width)
        if known:
            options["known"] = known
        if is_decomposed:
            assert isinstance(distribution, Decomposable)
            logits, sums = distribution.partial_sums(prefixes, width, **options)
        else:
            logits, sums = distribution.logits(prefixes, width, **options), []
        blocks = [(part, slice(width - one.positions, width)) for part, one in zip(parts, questions, strict=True)]
        return [
            (logits[block], [partial_sum.at(block) for partial_sum in sums])
            if question.is_decomposed
            else logits[block]
            for block, question in zip(blocks, questions, strict=True)
        ]

    def _distribution_of(self, texts: list[BatchedText]) -> Distribution:
        """Distribution that they wait for, bound to the prompts of the texts."""
        bind = texts[0].draft or self._bind
        known = self._bound.get(bind)
        if known is None or known[0] != texts:
            known = list(texts), bind([one.prompt for one in texts], [one.tokens for one in texts])
            self._bound[bind] = known
        return known[1]


def _known(questions: Sequence[_Question], width: int) -> dict[Any, Tensor]:
    """Logits that the texts know of the same terms, at all positions: (batch, width, rows), by term."""
    terms = questions[0].known.keys()
    if any(question.known.keys() != terms for question in questions):
        return {}
    return {
        term: torch.cat([
            torch.nn.functional.pad(question.known[term], (0, 0, width - question.positions, 0))
            for question in questions
        ])
        for term in terms
    }  # fmt: skip


def _allowed(questions: Sequence[_Question], width: int, rows: int) -> Allowed | None:
    """Allowed tokens of joined questions; None if none restricts them."""
    if all(question.allowed is None for question in questions):
        return None

    def allowed(device: torch.device) -> Tensor:
        blocks = torch.ones(
            sum(len(question.prefixes) for question in questions), width, rows, dtype=torch.bool, device=device
        )
        first = 0
        for question in questions:
            last = first + len(question.prefixes)
            if question.allowed is not None:
                blocks[first:last, width - question.positions :] = question.allowed(device)
            first = last
        return blocks

    return allowed
