"""Generation of many prompts in batches, with smaller batches when memory runs out."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import torch

from guidance_kit.decoding.completion import Completion, Evaluator
from guidance_kit.decoding.decoder import texts_per_prompt
from guidance_kit.decoding.distribution import Distribution
from guidance_kit.decoding.generation import check_decoder, check_prompts, generate, with_token_budgets
from guidance_kit.decoding.options import Options
from guidance_kit.decoding.sampling import row_seeds
from guidance_kit.errors import BatchError, ConstraintError, ModelError, OptionError
from guidance_kit.guides.constraint import ConstraintGuide
from guidance_kit.guides.guide import Guide
from guidance_kit.vocabulary import Vocabulary

__all__ = ["generate_in_batches", "halved_batch_size", "is_out_of_memory", "require_samples", "too_large"]


def generate_in_batches(
    distribution: Distribution,
    vocabulary: Vocabulary,
    prompts: Sequence[Sequence[int]],
    *,
    batch_size: int,
    options: Options,
    samples: int = 1,
    constraint: ConstraintGuide | None = None,
    guides: Sequence[Guide[Any]] = (),
    evaluators: Sequence[Evaluator | None] = (),
    seeds: Sequence[int] | None = None,
) -> Iterator[tuple[int, Completion]]:
    """Generate texts for each prompt, at most `batch_size` rows at a time.

    The texts do not depend on `batch_size`: each has a seed of its own. When memory runs out, unfinished texts are
    retried in batches of half the size, with a warning. When a text fails, bisection of its batch finds it, and the
    unfinished texts are retried without it.

    Args:
        batch_size: number of rows, at least 1; a decoder may take several for a prompt, see `Decoder.rows_per_prompt`.
        samples: number of texts a prompt, at least 1: independent ones, or the best of a decoder that ranks texts.
        evaluators: as in `decoding.generation.generate`.
        seeds: of each text; by default `row_seeds` of the options' seed.
    Yields:
        The number of a text and its completion, in the order of completion: text i of prompt p is p * samples + i. A
        decoder that ranks texts may find fewer of them.
    Raises:
        As `decoding.generation.generate` for a single text, and for all errors found before the model runs. If one of
            several texts fails while it is generated, even for lack of memory for it alone: BatchError by number of the
            text, after the last text. OptionError: a decoder of constrained texts without a constraint; several samples
            of a prompt at temperature 0; more texts than the decoder ranks.
    """
    runs = _runs(options, samples)
    check_decoder(options, is_constrained=constraint is not None)
    check_prompts(distribution, prompts)
    constraint = with_token_budgets(constraint, distribution, prompts, options)
    if seeds is None:
        seeds = row_seeds(options.sampling.seed, len(prompts), runs)
    batch_size = max(1, batch_size // options.decoder.rows_per_prompt)
    done: dict[int, Completion] = {}
    finished: set[int] = set()
    failed: dict[int, Exception] = {}
    groups = [list(range(len(seeds)))] if prompts else []
    size = batch_size
    while groups:
        group = groups.pop()
        rows, later = group[:size], group[size:]
        numbers = [row // runs for row in rows]
        failure = None
        try:
            for piece in generate(
                distribution,
                vocabulary,
                [prompts[number] for number in numbers],
                options=options,
                constraint=None if constraint is None else constraint.of_prompts(numbers),
                guides=guides,
                seeds=[seeds[row] for row in rows],
                numbers=numbers,
                evaluators=[evaluators[number] for number in numbers] if evaluators else (),
            ):
                row = rows[piece.row]
                if piece.error is not None:
                    failed[row] = piece.error
                if piece.completion is not None:
                    finished.add(row)
                    found = dict(
                        enumerate([piece.completion, *piece.others][: samples // runs], row * (samples // runs))
                    )
                    done |= found
                    yield from found.items()
        except (ConstraintError, ModelError, MemoryError, RuntimeError) as error:
            if not isinstance(error, ConstraintError | ModelError) and not is_out_of_memory(error):
                raise
            failure = error.with_traceback(None)  # whose frames keep their tensors alive
        waiting = [row for row in rows if row not in finished and row not in failed]
        if failure is None:  # outside of the handler, for the same reason
            groups.append(later)
        elif is_out_of_memory(failure) and len(rows) > 1:
            size = halved_batch_size(len(rows), failure)
            groups.append(waiting + later)
        elif len(waiting) == 1:
            failed[waiting[0]] = too_large(failure) if is_out_of_memory(failure) else failure
            size = batch_size  # which may be right for the others
            groups.append(later)
        else:
            middle = len(waiting) // 2
            groups += [later, waiting[middle:], waiting[:middle]]
        groups = [group for group in groups if group]
    if failed:
        first = failed[min(failed)]
        if len(seeds) == 1:
            raise first
        texts = samples // runs
        errors = {row * texts + place: error for row, error in failed.items() for place in range(texts)}
        raise BatchError(errors, [done.get(text) for text in range(len(seeds) * texts)]) from first


def _runs(options: Options, samples: int) -> int:
    """Number of runs of the decoder for `samples` texts of a prompt: one for each, or one for all that it ranks.

    Raises:
        OptionError: there are fewer texts.
    """
    most = texts_per_prompt(options.decoder)
    if most is None:
        require_samples(samples, options)
        return samples
    if samples > most:
        name = type(options.decoder).__name__.lower()
        raise OptionError(f"n={samples} texts of a prompt, and decoder={name!r} ranks {most} of them; let it rank more")
    return 1


def require_samples(samples: int, options: Options) -> None:
    """Check that several texts of a prompt can differ.

    Raises:
        OptionError: several samples at temperature 0.
    """
    if samples > 1 and options.sampling.is_greedy:
        raise OptionError(
            f"n={samples} texts of a prompt are all the same at temperature 0; set a temperature above it"
        )


def is_out_of_memory(error: Exception) -> bool:
    """Test for an allocation failure. On the CPU torch has no exception class of its own for it."""
    return isinstance(error, MemoryError | torch.OutOfMemoryError) or "DefaultCPUAllocator" in str(error)


def halved_batch_size(count: int, failure: Exception) -> int:
    """Half of a batch size of at least 2 with which memory ran out, with a warning."""
    warnings.warn(f"out of memory with {count} texts at once; going on with {count // 2}", RuntimeWarning, stacklevel=3)
    if torch.cuda.is_initialized():
        torch.cuda.empty_cache()
    return count // 2


def too_large(failure: Exception) -> ModelError:
    """The error of a text for which there is too little memory even if it is alone."""
    error = ModelError(
        "out of memory, even with one text at a time; shorten it, lower max_tokens, or take a smaller "
        f"model or dtype ({str(failure).partition(chr(10))[0] or type(failure).__name__})"
    )
    error.__cause__ = failure
    return error
