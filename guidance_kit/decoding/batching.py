"""Many prompts through the loop, some at a time; fewer where the memory does not suffice."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import torch

from guidance_kit.decoding.completion import Completion
from guidance_kit.decoding.distribution import Distribution
from guidance_kit.decoding.loop import check_prompts, fit, generate
from guidance_kit.decoding.options import Options
from guidance_kit.decoding.sampling import row_seeds
from guidance_kit.errors import ModelError
from guidance_kit.guides.constraint import ConstraintGuide
from guidance_kit.guides.guide import Guide
from guidance_kit.vocabulary import Vocabulary

__all__ = ["fewer", "generate_in_batches", "is_out_of_memory"]


def generate_in_batches(
    distribution: Distribution,
    vocabulary: Vocabulary,
    prompts: Sequence[Sequence[int]],
    *,
    batch_size: int,
    options: Options,
    constraint: ConstraintGuide | None = None,
    guides: Sequence[Guide[Any]] = (),
) -> Iterator[tuple[int, Completion]]:
    """Generate one text a prompt, at most `batch_size` at a time.

    The texts do not depend on `batch_size`: each prompt has a seed of its own. When memory runs out, the prompts that
    are not done are tried again in batches of half the size, and a warning says so.

    Args:
        batch_size: at least 1.
    Yields:
        The number of a prompt and its completion, as they get done.
    Raises:
        As `decoding.loop.generate`; and ModelError, if the memory does not suffice for one prompt alone.
    """
    check_prompts(distribution, prompts)
    constraint = fit(constraint, distribution, prompts, options)
    seeds = row_seeds(options.sampling.seed, len(prompts))
    waiting = list(range(len(prompts)))
    while waiting:
        rows = waiting[:batch_size]
        done: set[int] = set()
        failure = None
        try:
            for piece in generate(
                distribution,
                vocabulary,
                [prompts[row] for row in rows],
                options=options,
                constraint=None if constraint is None else constraint.of_prompts(rows),
                guides=guides,
                seeds=[seeds[row] for row in rows],
                numbers=rows,
            ):
                if piece.completion is not None:
                    done.add(piece.row)
                    yield piece.row, piece.completion
        except (MemoryError, RuntimeError) as error:
            if not is_out_of_memory(error):
                raise
            failure = error.with_traceback(None)  # whose frames keep their tensors alive
        if failure is not None:  # outside of the handler, for the same reason
            batch_size = fewer(len(rows), failure)
        waiting = [row for row in waiting if row not in done]


def is_out_of_memory(error: Exception) -> bool:
    """Whether an allocator gave up. On the CPU torch has no class of its own for that."""
    return isinstance(error, MemoryError | torch.OutOfMemoryError) or "DefaultCPUAllocator" in str(error)


def fewer(count: int, failure: Exception) -> int:
    """How many texts to go on with after the memory ran out with `count` at once; a warning says so.

    Raises:
        ModelError: there was only one.
    """
    if count == 1:
        raise ModelError(
            "out of memory, even with one text at a time; shorten it, lower max_tokens, or take a smaller "
            f"model or dtype ({str(failure).partition(chr(10))[0] or type(failure).__name__})"
        ) from failure
    warnings.warn(f"out of memory with {count} texts at once; going on with {count // 2}", RuntimeWarning, stacklevel=3)
    if torch.cuda.is_initialized():
        torch.cuda.empty_cache()
    return count // 2
