"""Model: generate, stream, extract and classify, under constraints and with formulas."""

from __future__ import annotations

import asyncio
import json
import math
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar, Unpack, cast, overload

import numpy as np

from guidance_kit.decoding.batch_results import completions_of, samples_of, values_of
from guidance_kit.decoding.batching import generate_in_batches
from guidance_kit.decoding.classification import (
    Classification,
    ClassifyOptions,
    DecisionRule,
    LabelClassifier,
    described_labels,
)
from guidance_kit.decoding.completion import Completion
from guidance_kit.decoding.distribution import Distribution
from guidance_kit.decoding.field_confidence import GivenText, RecordConfidence
from guidance_kit.decoding.field_limit import record_options, require_records
from guidance_kit.decoding.generation import check_prompts, generate, walk_of
from guidance_kit.decoding.label_paths import score_label_paths
from guidance_kit.decoding.label_scores import score_labels
from guidance_kit.decoding.label_trie import LabelTrie
from guidance_kit.decoding.options import GenerateOptions, Options
from guidance_kit.decoding.row import Piece
from guidance_kit.decoding.sampling import require_integer
from guidance_kit.decoding.scoring import TextScore, score_texts
from guidance_kit.decoding.stream import Stream, require_pieces
from guidance_kit.errors import ConstraintError, ModelError, OptionError
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.grammars.argument import ConstraintArgument, constraint_of, constraints_of
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.json_schema import MAX_RECORD_DIGITS, json_schema
from guidance_kit.guides.constraint import ConstraintGuide
from guidance_kit.guides.guide import Guide, guides_of
from guidance_kit.guides.logit_bias import LogitBias, mapping
from guidance_kit.models import loading
from guidance_kit.models.prompts import classification_prompt, extraction_prompt, label_text
from guidance_kit.models.transformers_model import TransformersModel
from guidance_kit.models.wrapping import is_loaded, wrap
from guidance_kit.prompt import Conversation, Prompt, is_conversation, read_prompt, read_prompts, read_texts
from guidance_kit.steering.drafts import DraftBinding, Share
from guidance_kit.steering.ensemble import Ensemble
from guidance_kit.steering.formula import Formula, Operand
from guidance_kit.text_model import TextModel
from guidance_kit.thinking import AnswerOptions, Think, ThoughtStream, answer_seed, think_of
from guidance_kit.vocabulary import Vocabulary

if TYPE_CHECKING:
    from transformers import PreTrainedModel

    from guidance_kit.async_model import AsyncModel
    from guidance_kit.confidence import Confidence, Extraction
    from guidance_kit.decoding.async_stream import AsyncStream

__all__ = ["Model", "load"]

T = TypeVar("T")


class Model(Operand):
    """Language model for constrained generation, or a formula over several models, see `steering.formula.Operand`.

    `big + 1.0 * (tuned - untuned)` of three models is a model too.

    Args:
        language_model: the model with its tokenizer and cache; see `guidance_kit.models`. For a formula its base, whose
            tokenizer encodes the prompts.
        formula: formula over language models; by default the model alone.
    """

    def __init__(self, language_model: TextModel, formula: Formula | None = None) -> None:
        self.language_model = language_model
        self._formula = Formula.of(language_model) if formula is None else formula
        self._asynchronous: tuple[weakref.ref[asyncio.AbstractEventLoop], AsyncModel] | None = None

    @property
    def formula(self) -> Formula:
        """Formula of the model; for a single model that model alone."""
        return self._formula

    def _with(self, formula: Formula) -> Self:
        return type(self)(cast(TextModel, formula.base.source), formula)

    def __repr__(self) -> str:
        return f"Model({self._formula})"

    @cached_property
    def _ensemble(self) -> Ensemble | None:
        """Distribution of the formula; None for a single model."""
        return None if self._formula.source is self.language_model else Ensemble(self._formula)

    def with_adapter(self, source: str | Path) -> Self:
        """Model with a LoRA adapter, which shares the weights of this one. This model stays unchanged.

        In a formula, `base + 1.5 * (base.with_adapter("polite") - base)`, models that share weights are rows of one
        forward pass; see `TransformersModel.with_adapter` for the exceptions.

        Args:
            source: a folder, or a name on the model hub, with an adapter in the format of peft.
        Raises:
            OptionError: this is a formula, adapters are added to its models; the model is of another backend.
            ModelError: peft is not installed; there is no such adapter, or its shapes do not match; this model has an
                adapter already.
        """
        if self._ensemble is not None:
            raise OptionError(f"an adapter is put on a single model, not on {self.formula}")
        if not isinstance(self.language_model, TransformersModel):
            raise OptionError(f"adapters are for models of transformers, and {self.language_model.name} is none")
        return type(self)(self.language_model.with_adapter(source))

    def early_exit(self, layers: Sequence[int]) -> Self:
        """Model with the logits of its early layers, for `dola`; see `TransformersModel.early_exit`.

        Raises:
            OptionError: this is a formula; the model is of another backend; a layer that it does not have.
            ModelError: the model has an adapter, or no output embeddings.
        """
        return type(self)(self._single("early layers are read of").early_exit(layers))

    def early_layers(self, count: int) -> Self:
        """First layers of the model with its norm and head, a smaller model; see `TransformersModel.early_layers`.

        Raises:
            OptionError: this is a formula; the model is of another backend; a count out of range.
            ModelError: the model has an adapter; its first layers do not run alone.
        """
        return type(self)(self._single("early layers are read of").early_layers(count))

    def bounded_cache(self, *, sinks: int = 4, window: int) -> Self:
        """Model over attention sinks and a recent window, approximate; see `TransformersModel.bounded_cache`.

        Args:
            sinks: number of first tokens of a text that a token attends to, at least 0.
            window: number of last tokens that it attends to, at least 1.
        Raises:
            OptionError: this is a formula; the model is of another backend; a number out of range.
            ModelError: the model has an adapter, or layers without full attention.
        """
        return type(self)(self._single("a bounded cache is for").bounded_cache(sinks=sinks, window=window))

    def _single(self, purpose: str) -> TransformersModel:
        """Model of transformers, of which there is no formula."""
        if self._ensemble is not None or not isinstance(self.language_model, TransformersModel):
            raise OptionError(f"{purpose} a single model of transformers, not {self.formula}")
        return self.language_model

    @property
    def vocabulary(self) -> Vocabulary:
        """Vocabulary of the model, for a formula the joint vocabulary of its models.

        Raises:
            VocabularyError: two models have different tokens; names the first of them.
        """
        return self.language_model.vocabulary if self._ensemble is None else self._ensemble.vocabulary

    @overload
    def generate(
        self,
        prompts: str | Sequence[int] | Conversation,
        constraint: ConstraintArgument | None = None,
        *,
        n: None = None,
        guides: Guide[Any] | Iterable[Guide[Any]] = (),
        batch_size: int = 32,
        **options: Unpack[AnswerOptions],
    ) -> Completion: ...
    @overload
    def generate(
        self,
        prompts: str | Sequence[int] | Conversation,
        constraint: ConstraintArgument | None = None,
        *,
        n: int,
        guides: Guide[Any] | Iterable[Guide[Any]] = (),
        batch_size: int = 32,
        **options: Unpack[AnswerOptions],
    ) -> list[Completion]: ...
    @overload
    def generate(
        self,
        prompts: Iterable[Prompt],
        constraint: ConstraintArgument | Iterable[ConstraintArgument] | None = None,
        *,
        n: None = None,
        guides: Guide[Any] | Iterable[Guide[Any]] = (),
        batch_size: int = 32,
        **options: Unpack[AnswerOptions],
    ) -> list[Completion]: ...
    @overload
    def generate(
        self,
        prompts: Iterable[Prompt],
        constraint: ConstraintArgument | Iterable[ConstraintArgument] | None = None,
        *,
        n: int,
        guides: Guide[Any] | Iterable[Guide[Any]] = (),
        batch_size: int = 32,
        **options: Unpack[AnswerOptions],
    ) -> list[list[Completion]]: ...
    def generate(
        self,
        prompts: Prompt | Iterable[Prompt],
        constraint: ConstraintArgument | Iterable[ConstraintArgument] | None = None,
        *,
        n: int | None = None,
        guides: Guide[Any] | Iterable[Guide[Any]] = (),
        batch_size: int = 32,
        **options: Unpack[AnswerOptions],
    ) -> Completion | list[Completion] | list[list[Completion]]:
        """Continue one prompt, or each of several, once or with several samples.

        Args:
            prompts: a text, token ids, or a conversation, `[{"role": "user", "content": "..."}]`; or several of these,
                in a list or any other iterable, or token ids as an array or tensor of integers, one row a prompt. Texts
                are encoded as the tokenizer does, with the special tokens that it adds at the start of a sequence;
                conversations as the model's chat template writes them.
            constraint: constraint of the texts, one for all prompts or a list with one a prompt: a `Constraint`, or an
                unambiguous stand-in, as a Pydantic model or a compiled pattern; see `grammars.argument.constraint_of`.
                A text that is cut short by `max_tokens` may not satisfy it, and has the finish reason "length". With
                `complete=True` it is completed instead, with the finish reason "budget".
            n: number of independent samples of each prompt; the first is the text generated without `n`. The prompt is
                computed once.
            guides: a further guide, or several, applied in the order of their stages; see `guidance_kit.decoding.walk`.
            batch_size: number of texts that run at once; reduced, with a warning, if memory runs out.
            options: see `GenerateOptions`, and for `think` and `sketch`, which let the model think before its answer,
                `AnswerOptions`; for `decoder` see `decoding.decoder`.
        Returns:
            A completion for one prompt, a list of them in the order of the prompts for a list. With `n` a list of
            completions in place of each.
        Raises:
            OptionError: an invalid prompt, as bytes; an unknown option (the message has the nearest one); a value out
                of range; options that exclude each other, as several samples and temperature 0, or think and sketch.
            ConstraintError: the constraint cannot be used with this vocabulary, or, with `complete=True`, takes more
                tokens than there is room for; before the model runs. With weighted texts: truncation left no token.
            ContextLengthError: a prompt does not fit; before the model runs.
            ModelError: an empty prompt for a model without a beginning-of-sequence token, a conversation for one
                without a chat template, NaN from the model, or too little memory for one prompt alone.
            VocabularyError: the models of a formula have different tokens; before any of them runs.
            FormulaError: the formula gives no distribution; names the term, the step and the prompt.
            BatchError: one of several texts fails while the model runs; it has the completions of the others.
        """
        think, others = think_of(options)
        chosen = Options.from_keywords(others)
        require_integer("batch_size", batch_size, least=1)
        if n is not None:
            require_integer("n", n, least=1)
        samples = 1 if n is None else n
        several, is_single = read_prompts(prompts)
        held = constraints_of(constraint, len(several))
        asked = {"samples": samples, "guides": guides_of(guides), "batch_size": batch_size}
        if think is None:
            pairs = self._pairs(several, held, chosen, **asked)
        else:
            pairs = self._answers(several, held, chosen, think, **asked)
        if n is not None and not is_single:
            return samples_of(pairs, len(several), n)
        completions = completions_of(pairs, len(several) * samples)
        return completions[0] if is_single and n is None else completions

    def stream(
        self,
        prompt: Prompt,
        constraint: ConstraintArgument | None = None,
        *,
        guides: Guide[Any] | Iterable[Guide[Any]] = (),
        **options: Unpack[AnswerOptions],
    ) -> Stream:
        """Continue one prompt, piece by piece.

        The pieces join to exactly the text that `generate` returns for the same seed. Each consists of whole
        characters, without any part of a stop string.

        Args:
            prompt, constraint, guides, options: as in `generate`.
        Returns:
            An iterator of pieces; after the last one its `completion` has the whole text. With `think` or `sketch` the
            pieces of the thoughts come first: `stream.channel` tells which they are.
        Raises:
            GuidanceKitError: as `generate`; at once, unless the model has to run.
        """
        think, others = think_of(options)
        chosen = Options.from_keywords(others)
        require_pieces(chosen)
        prompt = read_prompt(prompt)
        held = constraints_of(constraint, 1)
        if think is None:
            pieces, evaluator = self._pieces(prompt, held, chosen, guides_of(guides))
            return Stream(pieces, evaluator)
        plan = think.plan(self.language_model, prompt)
        first = Options.from_keywords(think.keywords(chosen))
        inner, _ = self._pieces(plan.prompt, plan.constraint, first, guides_of(guides))
        thoughts = ThoughtStream(Stream(inner), plan.end)

        def answer() -> Iterator[Piece]:
            before = thoughts.completion
            settings = replace(chosen, sampling=replace(chosen.sampling, seed=answer_seed(before.seed)))
            found, _ = self._pieces(plan.after(before), held, settings, guides_of(guides))
            for piece in found:
                whole = piece.completion
                yield piece if whole is None else replace(piece, completion=think.joined(before, whole, plan))

        return Stream(answer(), held[0] if isinstance(held, list) else held, thoughts)

    def _pieces(
        self,
        prompt: Prompt,
        constraint: Constraint | list[Constraint] | None,
        options: Options,
        guides: Sequence[Guide[Any]],
    ) -> tuple[Iterator[Piece], Constraint | None]:
        """Pieces of the continuation of one prompt, and its constraint."""
        guide, each = self._compile(constraint, 1, options)
        tokens = [self._tokens(prompt)]
        distribution = self._distribution([prompt], tokens)
        check_prompts(distribution, tokens)
        pieces = generate(
            distribution,
            self.vocabulary,
            tokens,
            options=self._with_draft(options, [prompt], tokens),
            constraint=guide,
            guides=guides,
            evaluators=each,
        )
        return pieces, each[0]

    def _pairs(
        self,
        prompts: Sequence[Prompt],
        constraint: Constraint | list[Constraint] | None,
        options: Options,
        *,
        samples: int,
        guides: Sequence[Guide[Any]],
        batch_size: int,
        seeds: Sequence[int] | None = None,
    ) -> Iterator[tuple[int, Completion]]:
        """Numbers of texts and their completions; see `generate_in_batches`."""
        guide, each = self._compile(constraint, len(prompts), options)
        tokens = [self._tokens(prompt) for prompt in prompts]
        return generate_in_batches(
            self._distribution(prompts, tokens),
            self.vocabulary,
            tokens,
            batch_size=batch_size,
            options=self._with_draft(options, prompts, tokens),
            samples=samples,
            constraint=guide,
            guides=guides,
            evaluators=each,
            seeds=seeds,
        )

    def _answers(
        self,
        prompts: Sequence[Prompt],
        constraint: Constraint | list[Constraint] | None,
        options: Options,
        think: Think,
        *,
        samples: int,
        guides: Sequence[Guide[Any]],
        batch_size: int,
    ) -> Iterator[tuple[int, Completion]]:
        """Numbers of texts and their completions, each behind thoughts of its own.

        Raises:
            BatchError: thoughts of one of several texts fail; then there are no answers.
        """
        plans = [think.plan(self.language_model, prompt) for prompt in prompts]
        limits = [plan.constraint for plan in plans if plan.constraint is not None]
        first = Options.from_keywords(think.keywords(options))
        asked = {"guides": guides, "batch_size": batch_size}
        found = self._pairs([plan.prompt for plan in plans], limits or None, first, samples=samples, **asked)
        thoughts = completions_of(found, len(prompts) * samples)
        places = [number // samples for number in range(len(thoughts))]
        behind = [plans[place].after(before) for place, before in zip(places, thoughts, strict=True)]
        each = [constraint[place] for place in places] if isinstance(constraint, list) else constraint
        seeds = [answer_seed(before.seed) for before in thoughts]
        for number, answer in self._pairs(behind, each, options, samples=1, seeds=seeds, **asked):
            yield number, think.joined(thoughts[number], answer, plans[places[number]])

    async def agenerate(
        self,
        prompt: Prompt,
        constraint: ConstraintArgument | None = None,
        *,
        n: int | None = None,
        guides: Guide[Any] | Iterable[Guide[Any]] = (),
        **options: Unpack[GenerateOptions],
    ) -> Completion | list[Completion]:
        """Continue one prompt without blocking the event loop; concurrent calls run in one batch.

        The text is that of `generate` for the same seed. See `AsyncModel`, which has bounds and a clean end.

        Args:
            prompt, constraint, n, guides, options: as in `generate`.
        Returns:
            A completion; with `n` a list of them.
        Raises:
            GuidanceKitError: as `AsyncModel.generate`.
        """
        return await self._in_loop().generate(prompt, constraint, n=n, guides=guides, **options)  # pyright: ignore[reportCallIssue, reportArgumentType, reportUnknownVariableType]

    def astream(
        self,
        prompt: Prompt,
        constraint: ConstraintArgument | None = None,
        *,
        guides: Guide[Any] | Iterable[Guide[Any]] = (),
        **options: Unpack[GenerateOptions],
    ) -> AsyncStream:
        """Continue one prompt, piece by piece: `async for piece in model.astream(...)`; see `AsyncModel.stream`.

        Args:
            prompt, constraint, guides, options: as in `generate`.
        """
        return self._in_loop().stream(prompt, constraint, guides=guides, **options)

    def _in_loop(self) -> AsyncModel:
        """Asynchronous calls of the running event loop, with the default bounds."""
        from guidance_kit.async_model import AsyncModel  # which many programs never need

        loop = asyncio.get_running_loop()
        if self._asynchronous is None or self._asynchronous[0]() is not loop:
            self._asynchronous = weakref.ref(loop), AsyncModel(self)
        return self._asynchronous[1]

    @overload
    def score(
        self,
        texts: str | Sequence[int],
        prompts: Prompt = "",
        constraint: ConstraintArgument | None = None,
        *,
        guides: Guide[Any] | Iterable[Guide[Any]] = (),
        end: bool = False,
        batch_size: int = 32,
    ) -> TextScore: ...
    @overload
    def score(
        self,
        texts: Iterable[str | Sequence[int]],
        prompts: Prompt | Iterable[Prompt] = "",
        constraint: ConstraintArgument | Iterable[ConstraintArgument] | None = None,
        *,
        guides: Guide[Any] | Iterable[Guide[Any]] = (),
        end: bool = False,
        batch_size: int = 32,
    ) -> list[TextScore]: ...
    def score(
        self,
        texts: str | Sequence[int] | Iterable[str | Sequence[int]],
        prompts: Prompt | Iterable[Prompt] = "",
        constraint: ConstraintArgument | Iterable[ConstraintArgument] | None = None,
        *,
        guides: Guide[Any] | Iterable[Guide[Any]] = (),
        end: bool = False,
        batch_size: int = 32,
    ) -> TextScore | list[TextScore]:
        """Log-probabilities of given texts after prompts, at temperature 1 without truncation.

        Args:
            texts: a text, or token ids; or several. A text has the tokens by which the tokenizer encodes it in the
                middle of another one: other tokenizations of it have probabilities of their own.
            prompts: one prompt for all texts, or a list with one a text; as in `generate`.
            constraint, guides: as in `generate`. The constraint need not allow the texts.
            end: score the end of the sequence after each text too, so that the probability is that of the whole text.
            batch_size: number of texts that run at once.
        Raises:
            OptionError: an invalid text or prompt; another number of prompts than of texts.
            UnspellableError: the vocabulary cannot spell a text.
            ContextLengthError: a prompt with its text does not fit; before the model runs.
            GuidanceKitError: as `generate`.
        """
        require_integer("batch_size", batch_size, least=1)
        several, is_single = read_prompts(texts)
        given, is_one = read_prompts(prompts)
        if is_one:
            given = given * len(several)
        if len(given) != len(several):
            raise OptionError(f"{len(given)} prompts for {len(several)} texts")
        tokens = [self._spelt(text) + ([self.vocabulary.eos[0]] if end else []) for text in several]
        starts = [self._tokens(prompt) for prompt in given]
        guide, _ = self._compile(constraints_of(constraint, len(several)), len(several), Options())
        distribution = self._distribution(given, starts)
        check_prompts(distribution, starts)
        found: list[TextScore] = []
        for first in range(0, len(several), batch_size):
            part = slice(first, first + batch_size)
            numbers = range(len(several))[part]
            walk = walk_of(
                distribution,
                self.vocabulary,
                starts[part],
                constraint=None if guide is None else guide.of_prompts(numbers),
                guides=guides_of(guides),
                numbers=numbers,
            )
            found += score_texts(walk, tokens[part])
        return found[0] if is_single else found

    def perplexity(self, texts: str | Iterable[str | Sequence[int]], prompts: Prompt | Iterable[Prompt] = "") -> float:
        """Perplexity of one text, or of several together: exp of the mean negative log-probability of a token.

        Args:
            texts, prompts: as in `score`.
        Raises:
            GuidanceKitError: as `score`.
        """
        scores = self.score(texts, prompts)
        several = [scores] if isinstance(scores, TextScore) else scores
        count = sum(len(one.tokens) for one in several)
        if not count:
            raise OptionError("the texts have no tokens, so no perplexity")
        return math.exp(-sum(one.log_probability for one in several) / count)

    def _spelt(self, text: Prompt) -> list[int]:
        """Token ids of a text that is scored."""
        if is_conversation(text):
            raise OptionError("a scored text is a text or token ids, not a conversation")
        return self.language_model.spell(text) if isinstance(text, str) else list(cast("Sequence[int]", text))

    @overload
    def extract(
        self,
        texts: str,
        schema: type[T],
        *,
        confidence: Literal[True] | GivenText | Confidence,
        excerpts: bool = False,
        batch_size: int = 32,
        **options: Unpack[AnswerOptions],
    ) -> Extraction[T]: ...
    @overload
    def extract(
        self,
        texts: Iterable[str],
        schema: type[T],
        *,
        confidence: Literal[True] | GivenText | Confidence,
        excerpts: bool = False,
        batch_size: int = 32,
        **options: Unpack[AnswerOptions],
    ) -> list[Extraction[T]]: ...
    @overload
    def extract(
        self,
        texts: str,
        schema: type[T],
        *,
        excerpts: bool = False,
        batch_size: int = 32,
        **options: Unpack[AnswerOptions],
    ) -> T: ...
    @overload
    def extract(
        self,
        texts: Iterable[str],
        schema: type[T],
        *,
        excerpts: bool = False,
        batch_size: int = 32,
        **options: Unpack[AnswerOptions],
    ) -> list[T]: ...
    @overload
    def extract(
        self,
        texts: str | Iterable[str],
        schema: Any,
        *,
        confidence: bool | GivenText | Confidence = False,
        excerpts: bool = False,
        batch_size: int = 32,
        **options: Unpack[AnswerOptions],
    ) -> Any: ...
    def extract(
        self,
        texts: str | Iterable[str],
        schema: Any,
        *,
        confidence: bool | GivenText | Confidence = False,
        excerpts: bool = False,
        batch_size: int = 32,
        **options: Unpack[AnswerOptions],
    ) -> Any:
        """Read a record out of a text, or out of each of several.

        Args:
            texts: one text, or several, in a list or any other iterable.
            schema: schema of the record: a Pydantic model, dataclass, TypedDict or annotated type, a JSON Schema (a
                dict), or a `Constraint` from `json_schema`. Unless it is a constraint, numbers have at most 40 digits
                before the point and 40 after it, if the schema needs no more: see `max_digits` there.
            confidence: True, "before", "record" or `Confidence`: return each record with the probability of the value
                of each field; see `confidence`.
            excerpts: extractive mode: free strings must be spans of the text, so names and addresses, but no summaries;
                see `json_schema`.
            options: as in `generate`; by default decoding is greedy (`temperature=0`), a record may fill the context,
                and a field of it has at most 1,024 tokens (`max_field_tokens`, without default beside `complete` and
                `decoder`), so that a value that repeats itself ends the record there. `think` and `sketch` let the
                model think before each record.
        Returns:
            For a type a validated instance of it, for a JSON Schema the parsed JSON; with `confidence` an `Extraction`
            that has it as its `value`. A list of them for a list.
        Raises:
            IncompleteError: a record was cut short, by the length limit or in a field with too many tokens (named).
            MatchError: a record violates a condition of the type that its schema cannot express; `__cause__` is
                pydantic's error.
            BatchError: one of several texts fails, for these reasons or those of `generate`; it has the error of each,
                and the values of the others.
            GuidanceKitError: as `generate`.
        """
        constraint = _record(schema)
        filled = cast(GenerateOptions, record_options(options))
        several, is_single = read_texts(texts)
        written = self.extraction_prompt if think_of(options)[0] is None else self.thinking_prompt
        prompts: list[Prompt] = [written(text, constraint) for text in several]
        constraints = _excerpts(constraint, several) if excerpts else constraint
        read = self._reader(confidence, batch_size)
        values = values_of(lambda: self.generate(prompts, constraints, batch_size=batch_size, **filled), read)
        return values[0] if is_single else values

    def confidence(
        self, completion: Completion, given: Literal[True] | GivenText | Confidence = True, *, batch_size: int = 32
    ) -> RecordConfidence:
        """Confidence in each field of a record: the probability of its value among those that the constraint allows.

        It is the probability under the formula, without guides and before masks, given the tokens before the field.
        Where the values are finite, it is exact: each is summed over all spellings and tokenisations that the
        constraint allows. See docs/confidence.md.

        Args:
            completion: a record of this model, under a type or a constraint of `json_schema`.
            given: "before" or True for the probability given the text before the field, "record" to weigh the rest of
                the record too, or all settings.
            batch_size: number of sequences that run at once.
        Raises:
            OptionError: the text is no record of a schema; an invalid setting.
            IncompleteError: the record was cut short.
            ModelError, FormulaError: as `generate`.
        """
        from guidance_kit.confidence import Confidence, ConfidenceEstimator, confidence_of  # which is rarely needed

        require_integer("batch_size", batch_size, least=1)
        settings = confidence_of(given) or Confidence()
        distribution = self._distribution([completion.prefix], [completion.prefix])
        spell = self.language_model.spell
        estimator = ConfidenceEstimator(distribution, self.vocabulary, spell, settings, batch_size=batch_size)
        return estimator.estimate(completion)

    def _reader(self, given: bool | GivenText | Confidence, batch_size: int) -> Callable[[Completion], Any]:
        """Function from a completion to the value that `extract` returns for it."""
        if given is False:
            return lambda completion: completion.value
        from guidance_kit.confidence import Extraction, confidence_of

        settings = confidence_of(given)

        def read(completion: Completion) -> Extraction[Any]:
            value = completion.value
            found = self.confidence(completion, settings or True, batch_size=batch_size)
            return Extraction(value=value, completion=replace(completion, confidence=found), confidence=found)

        return read

    @overload
    def classify(
        self,
        texts: str,
        labels: Sequence[str] | Mapping[str, str],
        *,
        prompt: Callable[[str], Prompt] | None = None,
        batch_size: int = 32,
        **options: Unpack[ClassifyOptions],
    ) -> Classification: ...
    @overload
    def classify(
        self,
        texts: Iterable[str],
        labels: Sequence[str] | Mapping[str, str],
        *,
        prompt: Callable[[str], Prompt] | None = None,
        batch_size: int = 32,
        **options: Unpack[ClassifyOptions],
    ) -> list[Classification]: ...
    def classify(
        self,
        texts: str | Iterable[str],
        labels: Sequence[str] | Mapping[str, str],
        *,
        prompt: Callable[[str], Prompt] | None = None,
        batch_size: int = 32,
        **options: Unpack[ClassifyOptions],
    ) -> Classification | list[Classification]:
        """Classify a text, or each of several, with exact label probabilities.

        The probability of a label is that of its tokens after the prompt, renormalised over the labels; see
        `decoding.label_scores.score_labels` for labels that are prefixes of others.

        Args:
            texts: one text, or several, in a list or any other iterable.
            labels: the labels; as a mapping, with descriptions for the prompt.
            prompt: function from a text to the prompt that the label follows, a text or token ids; by default
                `classification_prompt`. Labels are encoded exactly as given, with a leading space if they need one.
            batch_size: number of sequences that run at once, one for each branch of the label trie and text. Reduced,
                with a warning, if memory runs out.
            options: see `decoding.classification.DecisionRule`.
        Returns:
            A classification for one text, a list of them for a list.
        Raises:
            OptionError: no labels, an empty one, two equal ones; an unknown option (the message has the nearest one); a
                value out of range; batch calibration of one text; a `prompt` that is no function.
            UnspellableError: the vocabulary cannot spell a label; a note names it.
            ContextLengthError: a prompt leaves no room for the longest label; before the model runs.
            ModelError: NaN from the model; no label is possible after a text; too little memory for one text alone.
            VocabularyError, FormulaError: as `generate`.
            BatchError: one of several texts fails while the model runs; it has the classifications of the others.
        """
        classifier = self.classifier(labels, prompt=prompt, batch_size=batch_size, **options)
        several, is_single = read_texts(texts)
        return classifier(several)[0] if is_single else classifier(several)

    def classifier(
        self,
        labels: Sequence[str] | Mapping[str, str],
        *,
        prompt: Callable[[str], Prompt] | None = None,
        batch_size: int = 32,
        **options: Unpack[ClassifyOptions],
    ) -> LabelClassifier:
        """Classifier behind `classify`, for repeated calls: the prior of the labels is computed once.

        Args:
            labels, prompt, batch_size, options: as in `classify`.
        Raises:
            OptionError, UnspellableError: errors in labels and options, as in `classify`.
        """
        rule = DecisionRule.from_keywords(options)
        require_integer("batch_size", batch_size, least=1)
        described = described_labels(labels)
        if prompt is not None and not callable(prompt):
            raise OptionError(
                f"prompt is a function from a text to a prompt, such as '... {{}} ...'.format, not {prompt!r}"
            )
        style = self.language_model.prompt_style
        written = [label_text(label, style) if prompt is None else label for label in described]
        trie = LabelTrie([self.language_model.spell(label) for label in written])

        def logprobs(texts: Sequence[str]) -> np.ndarray:
            prompts: list[Prompt] = [
                self.classification_prompt(text, described)
                if prompt is None
                else read_prompt(prompt(text), f"the prompt of text {number}")
                for number, text in enumerate(texts)
            ]
            tokens = [self._tokens(one) for one in prompts]
            asked = (self._distribution(prompts, tokens), self.vocabulary, tokens)
            if rule.tokenizations == "all":
                return score_label_paths(*asked, written, end=rule.end, batch_size=batch_size)
            return score_labels(*asked, trie, end=rule.end, batch_size=batch_size)

        return LabelClassifier(list(described), logprobs, rule)

    @overload
    def chat(
        self,
        messages: Conversation,
        constraint: ConstraintArgument | None = None,
        *,
        n: None = None,
        guides: Guide[Any] | Iterable[Guide[Any]] = (),
        **options: Unpack[AnswerOptions],
    ) -> Completion: ...
    @overload
    def chat(
        self,
        messages: Conversation,
        constraint: ConstraintArgument | None = None,
        *,
        n: int,
        guides: Guide[Any] | Iterable[Guide[Any]] = (),
        **options: Unpack[AnswerOptions],
    ) -> list[Completion]: ...
    def chat(
        self,
        messages: Conversation,
        constraint: ConstraintArgument | None = None,
        *,
        n: int | None = None,
        guides: Guide[Any] | Iterable[Guide[Any]] = (),
        **options: Unpack[AnswerOptions],
    ) -> Completion | list[Completion]:
        """Answer one conversation in the model's chat template; `generate` takes several.

        Args:
            messages: `{"role": "user", "content": "..."}` and so on.
            constraint: constraint of the answer.
            n, options: as in `generate`.
        Raises:
            OptionError: `messages` is no list of messages.
            ModelError: the tokenizer has no chat template.
            GuidanceKitError: as `generate`.
        """
        conversation = read_prompt(messages, "the conversation")
        if not is_conversation(conversation):
            raise OptionError(
                'chat takes messages, [{"role": "user", "content": "..."}]; generate takes texts and token ids'
            )
        answers = self.generate(conversation, constraint, n=1 if n is None else n, guides=guides, **options)
        return answers[0] if n is None else answers

    def min_tokens_to_complete(self, constraint: ConstraintArgument) -> int | None:
        """Least `max_tokens` with which `complete=True` completes a text; see `Matcher.min_tokens_to_complete`.

        Raises:
            ConstraintError: the constraint cannot be used with this vocabulary.
        """
        return self._matcher(constraint_of(constraint)).min_tokens_to_complete()

    def logit_bias(self, biases: Mapping[str | int | tuple[int, ...], float]) -> LogitBias:
        """Guide that adds a bias to tokens, or to the last tokens of token sequences.

        Args:
            biases: from texts, names of special tokens, token ids or sequences of these to nats; -inf forbids. A text
                is encoded as in the middle of another one: "word" and " word" differ, and a text of several tokens is a
                sequence; see `LogitBias`.
        Raises:
            OptionError: no mapping; an invalid key, as an empty text; a bias that is no number, or too large for
                float32.
            UnspellableError: the vocabulary cannot spell a text; a note names it.
        """
        special = {name: token for token, name in self.vocabulary.special_names.items()}

        def tokens(key: str | int | tuple[int, ...]) -> int | tuple[int, ...]:
            if isinstance(key, str):
                return (special[key],) if key in special else tuple(self.language_model.spell(key))
            return key

        return LogitBias({tokens(key): bias for key, bias in mapping(biases, "biases").items()})

    def extraction_prompt(self, text: str, schema: Any) -> list[int]:
        """Prompt for the record of `text`: token ids.

        Args:
            schema: as in `extract`.
        """
        return self._instruct(self._record_text(text, _record(schema)))

    def _record_text(self, text: str, constraint: Constraint) -> str:
        schema = json.loads(cast(str, constraint.source))
        return extraction_prompt(_text(text), schema, self.language_model.prompt_style)

    def thinking_prompt(self, text: str, schema: Any) -> Prompt:
        """Prompt for thoughts and the record of `text`: a conversation, if the model has a template for it.

        Args:
            schema: as in `extract`.
        """
        written = self._record_text(text, _record(schema))
        model = self.language_model
        if model.prompt_style == "instruction" and model.has_chat_template:
            return [{"role": "user", "content": written}]
        return self._instruct(written)

    def classification_prompt(self, text: str, labels: Sequence[str] | Mapping[str, str]) -> list[int]:
        """Prompt for the label of `text`: token ids.

        Args:
            labels: as in `classify`.
        Raises:
            OptionError: no labels, an empty one, two equal ones.
        """
        return self._instruct(
            classification_prompt(_text(text), described_labels(labels), self.language_model.prompt_style)
        )

    def _instruct(self, written: str) -> list[int]:
        """Token ids of a prompt written by the library, in the chat template of an instruction model."""
        if self.language_model.prompt_style != "instruction":
            return self.language_model.encode(written, with_special_tokens=False)
        if self.language_model.has_chat_template:
            return self.language_model.chat([{"role": "user", "content": written}])
        return self.language_model.encode(written)

    def distribution_after(self, prompt: Prompt) -> tuple[Distribution, list[int]]:
        """Next-token distribution of the model for texts after a prompt, and the tokens of the prompt.

        Raises:
            ModelError: an empty prompt for a model without a beginning-of-sequence token.
            VocabularyError: the models of a formula have different tokens.
        """
        read = read_prompt(prompt)
        tokens = self._tokens(read)
        return self._distribution([read], [tokens]), tokens

    def _distribution(self, prompts: Sequence[Prompt], tokens: Sequence[Sequence[int]]) -> Distribution:
        """Next-token distribution of the model for a batch of prompts."""
        return self.language_model if self._ensemble is None else self._ensemble.bound_to(prompts, tokens)

    def _with_draft(
        self,
        options: Options,
        prompts: Sequence[Prompt],
        tokens: Sequence[Sequence[int]],
        share: Share | None = None,
    ) -> Options:
        """Options with their draft bound to the model and the prompts; see `DraftBinding`."""
        if options.draft is None:
            return options
        binding = DraftBinding(self.formula, self.vocabulary, prompts, tokens, options.ahead, share)
        return replace(options, draft=binding.bind(options.draft))

    def _tokens(self, prompt: Prompt) -> list[int]:
        """Token ids of a prompt; for an empty text the beginning-of-sequence token, if the model has one."""
        if is_conversation(prompt):
            return self.language_model.chat(prompt)
        if not isinstance(prompt, str):
            return list(cast("Sequence[int]", prompt))
        tokens = self.language_model.encode(prompt)
        if tokens:
            return tokens
        start = self.language_model.start_token
        if start is None:
            raise ModelError("the prompt is empty, and the model has no beginning-of-sequence token to go on from")
        return [start]

    def _compile(
        self, constraint: Constraint | list[Constraint] | None, count: int, options: Options
    ) -> tuple[ConstraintGuide | None, list[Constraint | None]]:
        """Constraint guide, and the constraint of each text."""
        several = [constraint] if isinstance(constraint, Constraint) else constraint
        kinds = None if several is None else [one.kind for one in several]
        require_records(options.max_field_tokens, kinds)
        if constraint is None:
            return None, [None] * count
        if isinstance(constraint, Constraint):
            return ConstraintGuide(self._matcher(constraint)), [constraint] * count
        return ConstraintGuide([self._matcher(one) for one in constraint]), list(constraint)

    def _matcher(self, constraint: Constraint) -> Matcher:
        return Matcher(constraint.compile(self.vocabulary))


def _text(given: object) -> str:
    """Validate a single text."""
    texts, is_single = read_texts(given)
    if not is_single:
        raise OptionError(f"a prompt is written for one text (str), not for a list of {len(texts)}")
    return texts[0]


def _excerpts(constraint: Constraint, texts: Sequence[str]) -> list[Constraint]:
    """Extractive constraint of each text: free strings of its record are spans of the text.

    Raises:
        ConstraintError: a text is too short for the schema; a note has its number.
    """
    found: list[Constraint] = []
    for number, text in enumerate(texts):
        try:
            found.append(constraint.excerpts_of(text))
        except ConstraintError as error:
            error.add_note(f"of text {number}")
            raise
    return found


def _record(schema: Any) -> Constraint:
    """Constraint of a record, from a schema, a type or a constraint."""
    if schema is None:
        raise OptionError("a record is described by json_schema(), a type or a JSON Schema, not by None")
    if not isinstance(schema, Constraint):
        return json_schema(schema, max_digits=MAX_RECORD_DIGITS)
    if schema.kind != "json_schema":
        raise OptionError(f"a record is described by json_schema() or a type, not by {schema.kind}()")
    return schema


def load(name: str | Path | Model | TransformersModel | PreTrainedModel | None = None, **options: Any) -> Model:
    """Load a model to generate with.

    Args:
        name: a name on the model hub, or a folder; None for the bundled model, which needs no network. Or a loaded
            model of transformers, with the tokenizer of its folder or name unless `tokenizer=` gives another; or a
            `TransformersModel`, or a `Model`.
        options: as in `guidance_kit.models.loading.load`: device, dtype, device_map, adapter, ...
    Raises:
        ModelError: the model cannot be loaded, or has no tokenizer.
        OptionError: an unknown option (the message has the nearest one); an option for loading beside a loaded model.
    """
    if isinstance(name, Model):
        if options:
            raise OptionError(f"{', '.join(options)}: for loading, and the model is loaded already")
        return name
    if is_loaded(name):
        return Model(wrap(name, **options))
    if name is not None and not isinstance(name, str | Path):
        raise OptionError(f"a model is loaded by its name or folder, or is one of transformers, not {name!r}")
    return Model(loading.load(name, **options))
