"""Generation: prompts to texts, by the decoder of the options, for batches and for streams."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from guidance_kit.decoding.completion import Evaluator
from guidance_kit.decoding.decoder import needs_constraint
from guidance_kit.decoding.distribution import Distribution
from guidance_kit.decoding.drafts.draft import is_draft
from guidance_kit.decoding.draw import Draw, Greedy, InverseTransform
from guidance_kit.decoding.marked_draw import MarkedDraw
from guidance_kit.decoding.options import Options
from guidance_kit.decoding.row import Piece, Row
from guidance_kit.decoding.sampling import Sampling, row_seeds
from guidance_kit.decoding.speculation import Speculator
from guidance_kit.decoding.walk import Walk
from guidance_kit.errors import ContextLengthError, ModelError, OptionError, VocabularyError
from guidance_kit.guides.constraint import ConstraintGuide
from guidance_kit.guides.guide import Guide
from guidance_kit.guides.minimum_length import MinimumLength
from guidance_kit.vocabulary import Vocabulary

__all__ = ["check_decoder", "check_prompts", "generate", "room_for", "walk_of", "with_token_budgets"]


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
    evaluators: Sequence[Evaluator | None] = (),
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
        evaluators: constraint of each prompt, which gives the values of its texts; by default none has one.
    Yields:
        Pieces of the prompts, see `Decoder.decode`.
    Raises:
        ContextLengthError: a prompt leaves no room for a token; raised before the model runs.
        ModelError: an empty prompt; the distribution returned NaN or +inf (the message has the step).
        FormulaError: a formula gives no distribution (the message has the term, a note the step and the prompt).
        VocabularyError: distribution and vocabulary differ in their number of rows; a watermark for another vocabulary.
        ConstraintError: every allowed token has probability 0, which the constraint alone never causes (the message
            has the step).
        BudgetError: with `complete`, the constraint needs more tokens than fit; raised before the model runs.
        OptionError: a decoder of constrained texts without a constraint; an invalid guide; a draft that is not bound
            to the model, or has too little room.
    """
    options = options or Options()
    check_decoder(options, is_constrained=constraint is not None)
    if distribution.rows != vocabulary.rows:
        raise VocabularyError(f"{vocabulary.rows} rows in the vocabulary, {distribution.rows} in the distribution")
    numbers = range(len(prompts)) if numbers is None else numbers
    check_prompts(distribution, prompts, numbers)
    if seeds is None:
        seeds = row_seeds(options.sampling.seed, len(prompts))
    constraint = with_token_budgets(constraint, distribution, prompts, options)
    if options.min_tokens:
        guides = [*guides, MinimumLength(options.min_tokens, vocabulary.eos)]
    rows = [
        Row(
            place,
            number,
            prompt,
            seed=seed,
            room=room_for(distribution, prompt, options.max_tokens),
            stop=options.stop,
            max_field_tokens=options.max_field_tokens,
            evaluator=evaluator,
        )
        for place, (number, prompt, seed, evaluator) in enumerate(
            zip(numbers, prompts, seeds, evaluators or [None] * len(prompts), strict=True)
        )
    ]
    speculator = None
    if options.draft is not None:
        if not is_draft(options.draft):
            raise OptionError(f"the draft {options.draft!r} is not bound to the model; Model.generate binds it")
        speculator = Speculator(options.draft, options.ahead)
        speculator.check(rows)
    walk = Walk(
        distribution,
        vocabulary,
        rows,
        sampling=options.sampling,
        draw=_draw_of(options, vocabulary),
        constraint=constraint,
        guides=guides,
        speculator=speculator,
    )
    return options.decoder.decode(walk, options)


def _draw_of(options: Options, vocabulary: Vocabulary) -> Draw:
    """Draw of the options.

    Raises:
        VocabularyError: the watermark is for another vocabulary.
    """
    plain = options.draw or (Greedy() if options.sampling.is_greedy else InverseTransform())
    if options.watermark is None:
        return plain
    options.watermark.check_vocabulary(vocabulary)
    return MarkedDraw(options.watermark, plain)


def walk_of(
    distribution: Distribution,
    vocabulary: Vocabulary,
    prompts: Sequence[Sequence[int]],
    *,
    constraint: ConstraintGuide | None,
    guides: Sequence[Guide[Any]],
    numbers: Sequence[int],
) -> Walk:
    """Walk over prompts that draws nothing, for texts that are given.

    Args:
        distribution, vocabulary, prompts, constraint, guides, numbers: as in `generate`.
    """
    pairs = zip(numbers, prompts, strict=True)
    rows = [Row(place, number, prompt, seed=0, room=None) for place, (number, prompt) in enumerate(pairs)]
    greedy = Sampling(temperature=0)
    return Walk(distribution, vocabulary, rows, sampling=greedy, draw=Greedy(), constraint=constraint, guides=guides)


def check_decoder(options: Options, *, is_constrained: bool) -> None:
    """Check that a decoder of constrained texts has a constraint.

    Raises:
        OptionError: it has none.
    """
    if needs_constraint(options.decoder) and not is_constrained:
        name = type(options.decoder).__name__.lower()
        raise OptionError(f"decoder={name!r} draws texts given a constraint, and there is no constraint")


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


def room_for(distribution: Distribution, prompt: Sequence[int], max_tokens: int | None) -> int | None:
    """Maximum number of tokens that can be generated, by the context and `max_tokens`; None without a limit."""
    left = distribution.room(prompt)
    return left if max_tokens is None else max_tokens if left is None else min(max_tokens, left)
