"""Generation of a text unit by unit: each region of a sequence under its own budget and sampling settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from guidance_kit.decoding.completion import Completion
from guidance_kit.decoding.options import Options
from guidance_kit.decoding.sample import Sample
from guidance_kit.errors import OptionError
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.region import Unit, units_of

__all__ = ["UnitText", "unit_options"]


@dataclass(slots=True)
class UnitText:
    """Text that grows unit by unit.

    Args:
        constraint: constraint of the whole text.
        prompt: token ids of the prompt.
        seed: seed of the whole text.
        units: units of the constraint.
        found: completions of the units so far.
    """

    constraint: Constraint
    prompt: Sequence[int]
    seed: int
    units: tuple[Unit, ...] = field(init=False)
    found: list[Completion] = field(default_factory=list[Completion])

    def __post_init__(self) -> None:
        self.units = units_of(self.constraint)

    @property
    def unit(self) -> Unit | None:
        """Next unit; None after the last one, and if a unit was cut."""
        is_cut = bool(self.found) and self.found[-1].finish_reason not in ("complete", "budget")
        return None if is_cut or len(self.found) == len(self.units) else self.units[len(self.found)]

    @property
    def prefix(self) -> list[int]:
        """Token ids of the prompt and of the units so far."""
        return [*self.prompt, *(token for one in self.found for token in one.tokens)]

    @property
    def unit_seed(self) -> int:
        """Seed of the next unit; draws of units are independent."""
        place = len(self.found)
        if not place:
            return self.seed
        return int(np.random.SeedSequence(self.seed, spawn_key=(0x5245, place)).generate_state(1, np.uint64)[0]) >> 1

    def add(self, completion: Completion) -> None:
        """Append a unit, without the end-of-sequence token that ends it, unless it is the last one."""
        vocabulary = completion.vocabulary
        ends = () if vocabulary is None else vocabulary.eos
        if len(self.found) + 1 < len(self.units) and completion.tokens[-1:] and completion.tokens[-1] in ends:
            records = completion.logprobs
            completion = replace(
                completion, tokens=completion.tokens[:-1], logprobs=None if records is None else records[:-1]
            )
        self.found.append(completion)

    def completion(self) -> Completion:
        """The whole text."""
        first, last = self.found[0], self.found[-1]
        is_shortened = last.finish_reason == "complete" and any(one.finish_reason == "budget" for one in self.found)
        records = [one.logprobs for one in self.found]
        return replace(
            last,
            text="".join(one.text for one in self.found),
            tokens=tuple(token for one in self.found for token in one.tokens),
            finish_reason="budget" if is_shortened else last.finish_reason,
            prompt_tokens=first.prompt_tokens,
            seed=self.seed,
            logprobs=None if first.logprobs is None else tuple(record for some in records for record in some or ()),
            constraint=self.constraint,
            prefix=first.prefix,
        )


def unit_options(options: Options, unit: Unit) -> Options:
    """Options of a unit of a call.

    Raises:
        OptionError: a setting of the region is out of range; an option of the call that holds for a text as a whole.
    """
    if not isinstance(options.decoder, Sample):
        raise OptionError(
            f"regions are drawn token by token, which decoder={type(options.decoder).__name__} does not do"
        )
    for name in ("draft", "watermark", "max_field_tokens", "stop", "min_tokens"):
        if getattr(options, name) not in (None, (), 0):
            raise OptionError(f"{name} holds for a text as a whole, which regions do not make; leave one of them out")
    sampling = replace(options.sampling, **unit.sampling)
    if unit.max_tokens is None:
        return replace(options, sampling=sampling)
    return replace(options, sampling=sampling, max_tokens=unit.max_tokens, complete=True)
