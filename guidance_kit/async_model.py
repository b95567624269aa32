"""Asynchronous calls of a model that share a continuous batch."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack, overload

from guidance_kit.decoding.async_stream import AsyncStream
from guidance_kit.decoding.batch_worker import BatchWorker
from guidance_kit.decoding.batching import require_samples
from guidance_kit.decoding.completion import Completion
from guidance_kit.decoding.continuous_batch import BatchedText, ContinuousBatch, awaiting
from guidance_kit.decoding.decoder import texts_per_prompt
from guidance_kit.decoding.drafts.draft import reads_states
from guidance_kit.decoding.generation import check_prompts, generate
from guidance_kit.decoding.options import Options
from guidance_kit.decoding.row import Piece
from guidance_kit.decoding.sampling import require_integer, row_seeds
from guidance_kit.decoding.stream import require_pieces
from guidance_kit.errors import BatchError, ModelError, OptionError
from guidance_kit.grammars.argument import ConstraintArgument, constraints_of
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.guides.guide import Guide, guides_of
from guidance_kit.prompt import Conversation, Prompt, read_prompt
from guidance_kit.thinking import AnswerOptions, AsyncThoughtStream, Think, ThoughtPlan, answer_seed, think_of

if TYPE_CHECKING:
    from guidance_kit.model import Model

__all__ = ["AsyncModel"]


class AsyncModel:
    """Model for concurrent calls in one event loop: they run in one batch, which texts join and leave at each step.

    Constraints are compiled and prompts encoded in threads of the loop's executor, so that running texts go on
    meanwhile; everything else of all texts runs in one worker thread. A text is the one that `Model.generate` returns
    for the same seed, whatever runs beside it.

    Use it as a context (`async with`): at its end no call is taken any more, and the running ones are finished, or
    cancelled if the context ends by an exception.

    Args:
        model: a model, or a formula over several.
        max_rows: number of texts that run at once, at least 1; further ones wait for a row, first come, first served.
        max_calls: number of calls that run, or wait for a row, at once, at least 1; further ones wait before anything
            is prepared for them. See `is_full`.
    Raises:
        OptionError: a value out of range.
    """

    def __init__(self, model: Model, *, max_rows: int = 32, max_calls: int = 1024) -> None:
        require_integer("max_rows", max_rows, least=1)
        require_integer("max_calls", max_calls, least=1)
        self.model = model
        self._worker = BatchWorker(ContinuousBatch(model._distribution, max_rows=max_rows))
        self._places = asyncio.Semaphore(max_calls)
        self._encoding = threading.Lock()
        self._calls: set[ConcurrentCall] = set()
        self._is_closed = False

    @property
    def is_full(self) -> bool:
        """Test for `max_calls` calls that run or wait; a server may refuse a request then instead of keeping it."""
        return self._places.locked()

    @overload
    async def generate(
        self,
        prompt: str | Conversation | list[int],
        constraint: ConstraintArgument | None = None,
        *,
        n: None = None,
        guides: Guide[Any] | Iterable[Guide[Any]] = (),
        **options: Unpack[AnswerOptions],
    ) -> Completion: ...
    @overload
    async def generate(
        self,
        prompt: str | Conversation | list[int],
        constraint: ConstraintArgument | None = None,
        *,
        n: int,
        guides: Guide[Any] | Iterable[Guide[Any]] = (),
        **options: Unpack[AnswerOptions],
    ) -> list[Completion]: ...
    async def generate(
        self,
        prompt: Prompt,
        constraint: ConstraintArgument | None = None,
        *,
        n: int | None = None,
        guides: Guide[Any] | Iterable[Guide[Any]] = (),
        **options: Unpack[AnswerOptions],
    ) -> Completion | list[Completion]:
        """Continue one prompt; `asyncio.gather` of several calls continues several.

        A cancelled call frees its rows before the next step of the batch.

        Args:
            prompt: a text, token ids or a conversation.
            constraint, n, guides, options: as in `Model.generate`.
        Returns:
            A completion; with `n` a list of them.
        Raises:
            GuidanceKitError: as `Model.generate` for one prompt. With `n` a BatchError, by number of the text, if one
                fails while the model runs.
            ModelError: the model is closed.
        """
        think, others = think_of(options)
        if think is not None:
            return await self._thought(think, prompt, constraint, n, guides, others)
        call = await self._start(prompt, constraint, n, guides, others)
        completions: dict[int, Completion] = {}
        errors: dict[int, Exception] = {}
        try:
            while len(completions) + len(errors) < call.count:
                number, arrived = await call.next()
                if isinstance(arrived, Exception):
                    errors[number] = arrived
                elif arrived.completion is not None:
                    completions[number] = arrived.completion
        finally:
            call.cancel()  # which does nothing after the end
        if n is None:
            if errors:
                raise errors[0]
            return completions[0]
        if errors:
            first = errors[min(errors)]
            raise BatchError(errors, [completions.get(number) for number in range(n)]) from first
        return [completions[number] for number in range(n)]

    def stream(
        self,
        prompt: Prompt,
        constraint: ConstraintArgument | None = None,
        *,
        guides: Guide[Any] | Iterable[Guide[Any]] = (),
        **options: Unpack[AnswerOptions],
    ) -> AsyncStream:
        """Continue one prompt, piece by piece; the pieces are those of `Model.stream`.

        Args:
            prompt, constraint, guides, options: as in `generate`.
        Returns:
            An asynchronous iterator of pieces; see `AsyncStream`. All errors come with its first piece or later. With
            `think` or `sketch` the pieces of the thoughts come first: `stream.channel` tells which they are.
        """
        think, others = think_of(options)
        if think is not None:
            return self._stream_behind(think, prompt, constraint, guides, others)

        async def start() -> tuple[ConcurrentCall, Constraint | None]:
            call = await self._start(prompt, constraint, None, guides, others, is_stream=True)
            return call, call.constraint

        return AsyncStream(start)

    async def _thought(
        self,
        think: Think,
        prompt: Prompt,
        constraint: ConstraintArgument | None,
        n: int | None,
        guides: Guide[Any] | Iterable[Guide[Any]],
        options: dict[str, Any],
    ) -> Completion | list[Completion]:
        """Completions, each behind thoughts of its own."""
        plan = await self._plan(think, prompt)
        keywords = think.keywords(Options.from_keywords(options))
        ask: Any = self.generate  # whose overloads tell apart one text from several
        found = await ask(plan.prompt, plan.constraint, n=n, guides=guides, **keywords)
        thoughts: list[Completion] = [found] if n is None else found

        async def answer(before: Completion) -> Completion:
            settings = {**options, "seed": answer_seed(before.seed)}
            found = await ask(plan.after(before), constraint, guides=guides, **settings)
            return think.joined(before, found, plan)

        answers = await asyncio.gather(*map(answer, thoughts))
        return answers[0] if n is None else list(answers)

    def _stream_behind(
        self,
        think: Think,
        prompt: Prompt,
        constraint: ConstraintArgument | None,
        guides: Guide[Any] | Iterable[Guide[Any]],
        options: dict[str, Any],
    ) -> AsyncStream:
        """Stream of thoughts and the text behind them."""

        async def begin() -> tuple[AsyncStream, ThoughtPlan]:
            plan = await self._plan(think, prompt)
            keywords: Any = think.keywords(Options.from_keywords(options))
            return self.stream(plan.prompt, plan.constraint, guides=guides, **keywords), plan

        thoughts = AsyncThoughtStream(think, begin)

        async def start() -> tuple[ConcurrentCall, Constraint | None]:
            tokens, seed = thoughts.before_answer()
            settings: Any = {**options, "seed": seed}
            call = await self._start(tokens, constraint, None, guides, settings, is_stream=True)
            return call, call.constraint

        return AsyncStream(start, thoughts)

    async def _plan(self, think: Think, prompt: Prompt) -> ThoughtPlan:
        """Prompt and constraint of thoughts, encoded outside of the event loop."""

        def plan() -> ThoughtPlan:
            with self._encoding:
                return think.plan(self.model.language_model, read_prompt(prompt))

        return await asyncio.to_thread(plan)

    async def aclose(self) -> None:
        """Take no further call, and wait until the running ones have ended."""
        self._is_closed = True
        while self._calls:
            await asyncio.gather(*(call.ended.wait() for call in self._calls))

    async def __aenter__(self) -> AsyncModel:
        return self

    async def __aexit__(self, kind: object, *error: object) -> None:
        if kind is not None:
            for call in list(self._calls):
                call.cancel()
        await self.aclose()

    async def _start(
        self,
        prompt: Prompt,
        constraint: ConstraintArgument | None,
        n: int | None,
        guides: Guide[Any] | Iterable[Guide[Any]],
        options: Mapping[str, Any],
        *,
        is_stream: bool = False,
    ) -> ConcurrentCall:
        """Prepare the texts of a call and submit them."""
        self._require_open()
        await self._places.acquire()
        try:
            self._require_open()
            chosen = Options.from_keywords(options)
            if is_stream:
                require_pieces(chosen)
            prepared = await asyncio.to_thread(self._prepare, prompt, constraint, n, guides_of(guides), chosen)
            self._require_open()
        except BaseException:  # cancellation among them
            self._places.release()
            raise
        call = ConcurrentCall(prepared, self._worker, self._forget, has_all_pieces=is_stream)
        self._calls.add(call)
        call.submit()
        return call

    def _prepare(
        self,
        prompt: Prompt,
        constraint: ConstraintArgument | None,
        n: int | None,
        guides: Sequence[Guide[Any]],
        options: Options,
    ) -> _Prepared:
        """Encode the prompt and compile the constraint, and check all that is known before the model runs."""
        if n is not None:
            require_integer("n", n, least=1)
        model, samples = self.model, n or 1
        require_samples(samples, options)
        if samples > 1 and texts_per_prompt(options.decoder) is not None:
            name = type(options.decoder).__name__.lower()
            raise OptionError(f"n={samples} texts of one run of decoder={name!r} are what Model.generate gives")
        prompt = read_prompt(prompt)
        guide, each = model._compile(constraints_of(constraint, 1), 1, options)
        with self._encoding:  # tokenizers change their settings while they encode
            tokens = model._tokens(prompt)
        distribution = model._distribution([prompt], [tokens])
        check_prompts(distribution, [tokens])
        drafted = [model._with_draft(options, [prompt], [tokens], awaiting) for _ in range(samples)]
        if options.draft is not None and reads_states(drafted[0].draft):
            raise OptionError(
                f"the draft {drafted[0].draft.name} reads hidden states, which concurrent calls do not share; use "
                "Model.generate, or another draft"
            )
        pieces = [
            generate(
                awaiting(distribution),
                model.vocabulary,
                [tokens],
                options=own,
                constraint=guide,
                guides=guides,
                seeds=[seed],
                evaluators=each,
            )
            for own, seed in zip(drafted, row_seeds(options.sampling.seed, 1, samples), strict=True)
        ]
        return _Prepared(pieces, prompt, tokens, options.decoder.rows_per_prompt, each[0])

    def _require_open(self) -> None:
        if self._is_closed:
            raise ModelError("the model takes no calls any more: its context has ended")

    def _forget(self, call: ConcurrentCall) -> None:
        """Give the place of a call that has ended to another."""
        self._calls.discard(call)
        self._places.release()


@dataclass(frozen=True, slots=True)
class _Prepared:
    """Texts of one call before they run.

    Attributes:
        pieces: pieces of each text.
        prompt, tokens: the prompt as given, and its token ids.
        rows: number of rows of each text.
        constraint: of the texts; None without one.
    """

    pieces: list[Iterator[Piece]]
    prompt: Prompt
    tokens: list[int]
    rows: int
    constraint: Constraint | None


class ConcurrentCall:
    """Texts of one call, with what has arrived of them in the event loop.

    Args:
        prepared: the texts.
        worker: the worker that runs them.
        forget: called in the event loop at the end.
        has_all_pieces: pieces arrive one by one; else the last one of a text alone, which has its completion.
    Attributes:
        count: number of texts.
        constraint: their constraint, None without one.
        ended: set when every text has ended or was cancelled.
    """

    def __init__(
        self,
        prepared: _Prepared,
        worker: BatchWorker,
        forget: Callable[[ConcurrentCall], None],
        *,
        has_all_pieces: bool,
    ) -> None:
        self.count = self._left = len(prepared.pieces)
        self.constraint = prepared.constraint
        self.ended = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._arrived: asyncio.Queue[tuple[int, Piece | Exception]] = asyncio.Queue()
        self._worker = worker
        self._forget = forget
        self._has_all_pieces = has_all_pieces
        self._texts = [
            BatchedText(
                pieces,
                prepared.prompt,
                prepared.tokens,
                rows=prepared.rows,
                on_piece=partial(self._receive, number),
                on_error=partial(self._in_loop, self._take, number),
            )
            for number, pieces in enumerate(prepared.pieces)
        ]

    def submit(self) -> None:
        """Let the texts join the batch."""
        for text in self._texts:
            self._worker.submit(text)

    async def next(self) -> tuple[int, Piece | Exception]:
        """Wait for a piece, or the error, of one of the texts, with its number."""
        return await self._arrived.get()

    async def next_piece(self) -> Piece:
        """See `RunningCall`."""
        _, arrived = await self.next()
        if isinstance(arrived, Exception):
            raise arrived
        return arrived

    def cancel(self) -> None:
        """See `RunningCall`."""
        if not self.ended.is_set():
            for text in self._texts:
                self._worker.cancel(text)
            self._in_loop(self._end)

    def _receive(self, number: int, piece: Piece) -> None:
        """Take a piece in the worker thread."""
        if piece.error is not None:
            self._in_loop(self._take, number, piece.error)
        elif self._has_all_pieces or piece.completion is not None:
            self._in_loop(self._take, number, piece)

    def _in_loop(self, function: Callable[..., None], *arguments: Any) -> None:
        """Call a function in the event loop; if that is closed, nobody reads the texts any more."""
        try:
            self._loop.call_soon_threadsafe(function, *arguments)
        except RuntimeError:
            for text in self._texts:
                self._worker.cancel(text)

    def _take(self, number: int, arrived: Piece | Exception) -> None:
        """Take a piece or an error in the event loop."""
        self._arrived.put_nowait((number, arrived))
        if isinstance(arrived, Exception) or arrived.completion is not None:
            self._left -= 1
            if not self._left:
                self._end()

    def _end(self) -> None:
        if not self.ended.is_set():
            self.ended.set()
            self._forget(self)
