"""Generation: completions of prompts, whole or piece by piece."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Unpack, overload

from guidance_kit.decoding.batch_results import completions_of, samples_of
from guidance_kit.decoding.batching import generate_in_batches
from guidance_kit.decoding.completion import Completion
from guidance_kit.decoding.generation import check_prompts, generate
from guidance_kit.decoding.options import Options
from guidance_kit.decoding.row import Piece
from guidance_kit.decoding.sampling import require_integer, row_seeds
from guidance_kit.decoding.stream import Stream, require_pieces
from guidance_kit.errors import OptionError
from guidance_kit.grammars.argument import ConstraintArgument, constraints_of
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.region import has_regions, require_no_regions
from guidance_kit.guides.guide import Guide, guides_of
from guidance_kit.prompt import Conversation, Prompt, is_conversation, read_prompt, read_prompts
from guidance_kit.steering.drafts import DraftBinding, Share
from guidance_kit.tasks.prompted import PromptedModel
from guidance_kit.tasks.regions import UnitText, unit_options
from guidance_kit.thinking import AnswerOptions, Think, ThoughtStream, answer_seed, think_of

__all__ = ["GeneratingModel"]


class GeneratingModel(PromptedModel):
    """Model that continues prompts."""

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
                A sequence with regions is generated unit by unit, see `region`; `max_tokens` and `complete` hold for
                each unit without a budget of its own.
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
        if _in_regions(held, think):
            pairs = self._units(several, held, chosen, **asked)
        elif think is None:
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
        if _in_regions(held, think):
            text = self._unit_texts([prompt], held, chosen, samples=1)[0]
            return Stream(self._unit_pieces(text, chosen, guides_of(guides)), text.constraint)
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

    def _unit_texts(
        self,
        prompts: Sequence[Prompt],
        constraint: Constraint | list[Constraint] | None,
        options: Options,
        samples: int,
    ) -> list[UnitText]:
        """Texts with regions, before their first units."""
        assert constraint is not None
        each = constraint if isinstance(constraint, list) else [constraint] * len(prompts)
        tokens = [self._tokens(prompt) for prompt in prompts]
        seeds = row_seeds(options.sampling.seed, len(prompts), samples)
        texts = [
            UnitText(each[number // samples], tokens[number // samples], seed) for number, seed in enumerate(seeds)
        ]
        for text in texts:
            for unit in text.units:
                unit_options(options, unit)
        return texts

    def _units(
        self,
        prompts: Sequence[Prompt],
        constraint: Constraint | list[Constraint] | None,
        options: Options,
        *,
        samples: int,
        guides: Sequence[Guide[Any]],
        batch_size: int,
    ) -> Iterator[tuple[int, Completion]]:
        """Numbers of texts and their completions, generated unit by unit; those with equal settings in one batch.

        Raises:
            BatchError: a unit of one of several texts fails; then there are no texts.
        """
        texts = self._unit_texts(prompts, constraint, options, samples)
        while groups := _by_settings(texts, options):
            for settings, some in groups:
                found = self._pairs(
                    [text.prefix for text in some],
                    [text.unit.constraint for text in some if text.unit is not None],
                    settings,
                    samples=1,
                    guides=guides,
                    batch_size=batch_size,
                    seeds=[text.unit_seed for text in some],
                )
                for text, completion in zip(some, completions_of(found, len(some)), strict=True):
                    text.add(completion)
        yield from ((number, text.completion()) for number, text in enumerate(texts))

    def _unit_pieces(self, text: UnitText, options: Options, guides: Sequence[Guide[Any]]) -> Iterator[Piece]:
        """Pieces of a text with regions."""
        while text.unit is not None:
            settings = unit_options(options, text.unit)
            settings = replace(settings, sampling=replace(settings.sampling, seed=text.unit_seed))
            found, _ = self._pieces(text.prefix, text.unit.constraint, settings, guides)
            for piece in found:
                if piece.completion is None:
                    yield piece
                    continue
                text.add(piece.completion)
                yield replace(piece, completion=None if text.unit is not None else text.completion())

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


def _in_regions(constraint: Constraint | list[Constraint] | None, think: Think | None) -> bool:
    """Test for a constraint with regions.

    Raises:
        OptionError: it is that of an answer after thoughts.
    """
    several = constraint if isinstance(constraint, list) else [constraint]
    found = [one for one in several if one is not None and has_regions(one)]
    if think is not None:
        for one in found:
            require_no_regions(one)
    return bool(found)


def _by_settings(texts: Sequence[UnitText], options: Options) -> list[tuple[Options, list[UnitText]]]:
    """Texts that have a next unit, in groups whose units have equal settings."""
    groups: list[tuple[Options, list[UnitText]]] = []
    for text in texts:
        if text.unit is None:
            continue
        settings = unit_options(options, text.unit)
        same = next((some for other, some in groups if other == settings), None)
        if same is None:
            groups.append((settings, [text]))
        else:
            same.append(text)
    return groups
