"""Adaptive sampling with approximate expected futures: ASAp."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import torch

from guidance_kit.decoding.draw import Uniforms, choose
from guidance_kit.decoding.expected_futures import AsapMemory, AsapSample
from guidance_kit.decoding.row import Piece, Row
from guidance_kit.decoding.sampling import require_integer, row_seeds
from guidance_kit.decoding.walk import Walk
from guidance_kit.decoding.weighted_rows import MOST_TEXTS, check_weighted, choose_sample, take_possible
from guidance_kit.errors import OptionError

if TYPE_CHECKING:
    from guidance_kit.decoding.options import Options

__all__ = ["Asap"]


@dataclass(frozen=True, slots=True)
class Asap:
    """Adaptive sampling with approximate expected futures: each sample improves the proposal of the next ones.

    One of the samples that ended is chosen, in proportion to their weights: exact in the limit of many samples; a
    single sample is masked sampling, as `Sample`.

    Args:
        samples: number of texts drawn for a prompt, from 1 to `MOST_TEXTS`.
        memory: learnt bounds to use and extend, shared by calls; None starts afresh in each call.
    Raises:
        OptionError: a value is out of range.
    Source:
        Park et al. 2024, Grammar-Aligned Decoding, algorithm 1 (adaptive sampling with approximate expected futures).
        There the last sample is the result. Here one is chosen by importance weight, which needs far fewer samples. A
        text that does not end within `max_tokens` has the expected future 0.
    """

    needs_constraint: ClassVar[bool] = True

    samples: int = 10
    memory: AsapMemory | None = None

    def __post_init__(self) -> None:
        require_integer("samples", self.samples, least=1, most=MOST_TEXTS)
        if self.memory is not None and not isinstance(self.memory, AsapMemory):
            raise OptionError(f"memory must be an AsapMemory, not {self.memory!r}")

    @property
    def rows_per_prompt(self) -> int:
        """See `Decoder`."""
        return 1

    def check(self, options: Options) -> None:
        """See `Decoder.check`."""
        check_weighted(options)

    def decode(self, walk: Walk, options: Options) -> Iterator[Piece]:
        """See `Decoder.decode`. The samples of a prompt are drawn one after the other.

        Yields:
            One piece a prompt, the whole of its text; or a ConstraintError if truncation removes every allowed token in
            all samples of the prompt.
        Raises:
            OptionError: the memory comes from another model.
        """
        prompts = [_Samples(row, self) for row in walk.rows]
        sampling = replace(options.sampling, seed=None)
        for number in range(self.samples):
            running = walk.fork()
            for row, key in zip(running.rows, running.mask_keys(), strict=True):
                prompts[row.place].begin(row, number, (key, sampling))
            while running.rows:
                rows, allowed = running.rows, running.log_probabilities()
                pairs = zip(rows, allowed, strict=True)
                weighted = torch.stack([prompts[row.place].sample.weighted(one) for row, one in pairs])
                tokens, _ = choose(weighted, [row.draw_state[row.length] for row in rows])
                greatest = weighted.amax(-1).tolist()
                for row, most, token, one, other in zip(rows, greatest, tokens, allowed, weighted, strict=True):
                    if most > -math.inf:
                        prompts[row.place].sample.take(token, one, other)
                    else:
                        row.log_weight = -math.inf
                take_possible(running, tokens)
                for row in rows:
                    row.settle(is_over=False)
                    if not row.is_running:
                        prompts[row.place].end(row)
                running.keep([row for row in running.rows if row.is_running])
        for samples in prompts:
            yield choose_sample(
                samples.rows, samples.uniform, vocabulary=walk.vocabulary, upper_bound=samples.sample.log_bound
            )


class _Samples:
    """Samples of one prompt, and what they have taught."""

    def __init__(self, row: Row, how: Asap) -> None:
        chance, *self._seeds = row_seeds(row.seed, how.samples + 1)
        self.uniform = Uniforms(chance)[0]
        self.rows: list[Row] = []
        self._memory = AsapMemory() if how.memory is None else how.memory

    def begin(self, row: Row, number: int, key: Hashable) -> None:
        """Start a sample.

        Args:
            key: all that the probabilities of its tokens depend on, besides the prompt, the room, the model and the
                guides.
        """
        row.draw_state = Uniforms(self._seeds[number])
        self.sample: AsapSample = self._memory.draw((tuple(row.prefix), row.room, key))

    def end(self, row: Row) -> None:
        """Record a finished sample and update the bounds."""
        self.sample.end(is_complete=row.reason == "complete")
        if row.log_weight > -math.inf:
            row.log_weight = self.sample.log_weight
        self.rows.append(row)
