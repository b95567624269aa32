"""One question to a formula: what its models say about some prefixes, each asked once and only if it is needed."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from guidance_kit.decoding.distribution import Allowed
from guidance_kit.decoding.silent_rows import silent_rows
from guidance_kit.errors import ModelError
from guidance_kit.steering.agreement import joint_vocabulary
from guidance_kit.steering.history import History
from guidance_kit.steering.sharing import asked, in_common
from guidance_kit.steering.term_prompts import TermPrompts

if TYPE_CHECKING:
    from guidance_kit.steering.atoms import Read, Source
    from guidance_kit.steering.formula import Formula

__all__ = ["Plan", "Question"]


class Plan:
    """Which models a formula needs, and with which prompts.

    Attributes:
        formula: the formula.
        groups: for each model the terms that are asked with it, as rows of one batch: those in which it stands with
            several prompts, and those of other models that share its weights. The cache keeps them all.
        early: the models that are asked before all others: where models are on a CPU and on other devices, those on the
            others that are needed in any case. A pass on a GPU is only put in its queue, so both work at a time.
        scored: the terms of which it matters what they gave to all that was generated so far.
        vocabulary: the tokens of the formula.
        width: number of rows that all models have; those beyond are padding.
    """

    def __init__(self, formula: Formula) -> None:
        self.formula = formula
        sharing: dict[object, list[Read]] = {}
        for read in formula.reads:
            sharing.setdefault(in_common(read.source), []).append(read)
        self.groups: dict[Source, list[Read]] = {read.source: reads for reads in sharing.values() for read in reads}
        sources = list(dict.fromkeys(read.source for read in formula.reads))
        self.vocabulary = joint_vocabulary([(source.name, source.vocabulary) for source in sources])
        self.early = _early([formula.base, *formula.certain])
        self.scored = frozenset(read for atom in formula.atoms for read in atom.scored)
        self.width = min(source.rows for source in sources)
        silent = silent_rows(self.vocabulary)
        silent = silent[silent < self.width]
        is_token = torch.ones(self.width, dtype=torch.bool).index_fill(0, silent, False)
        self._tokens = is_token if len(silent) else None
        self._special = torch.tensor(sorted(token for token in self.vocabulary.special if token < self.width)).long()

    def special(self, device: torch.device) -> Tensor:
        """The special tokens: int64, (count,)."""
        self._special = self._special.to(device)
        return self._special

    def tokens(self, device: torch.device) -> Tensor | None:
        """The rows that stand for a token: bool, (width,); None for all."""
        self._tokens = None if self._tokens is None else self._tokens.to(device)
        return self._tokens


def _early(reads: Sequence[Read]) -> tuple[Source, ...]:
    """See `Plan.early`; of some reads."""
    devices = {read.source: torch.device(getattr(read.source, "device", "cpu")) for read in reads}
    others = tuple(source for source, device in devices.items() if device.type != "cpu")
    return others if len(others) < len(devices) else ()


class Question:
    """See the head of this file.

    Args:
        plan: the formula's.
        prompts: what terms with a prompt of their own read.
        history: what is known of earlier tokens.
        prefixes, positions, starts, allowed: as in `Distribution.logits`.
        base: what the base gives, where somebody else has asked it: float, (batch, positions, rows), nats.
    Attributes:
        is_careful: look at each token of each term and say what is wrong, because something is.
    Raises:
        ModelError: the formula depends on where the prompts end, and `starts` is missing, or a position lies before it.
    """

    def __init__(
        self,
        plan: Plan,
        prompts: TermPrompts,
        history: History,
        prefixes: Sequence[Sequence[int]],
        positions: int,
        starts: Sequence[int],
        allowed: Allowed | None = None,
        base: Tensor | None = None,
    ) -> None:
        self.plan = plan
        self.positions = positions
        self.is_careful = False
        self._prompts = prompts
        self._history = history
        self._prefixes = prefixes
        self._starts = starts
        self._allowed = allowed
        self._left: Tensor | None = None
        self._logits: dict[Read, Tensor] = {} if base is None else {plan.formula.base: _cut(base, plan.width)}
        self._logprobs: dict[Read, Tensor] = {}
        self._sums: dict[Read, Tensor] = {}
        self._once: dict[Hashable, Tensor] = {}
        if plan.formula.knows_the_place:
            self._require_starts()
        for source in plan.early:
            if not any(read in self._logits for read in plan.groups[source]):
                self._ask(source)
        self._device = self._logits_of(plan.formula.base).device

    @property
    def device(self) -> torch.device:
        """Where everything is moved to."""
        return self._device

    def base(self) -> Tensor:
        """Log-probabilities of the formula's base: float, (batch, positions, width)."""
        return self.read(self.plan.formula.base)

    def read(self, read: Read) -> Tensor:
        """Log-probabilities of a term, on the device of the base: float32 or float64, (batch, positions, width)."""
        if read not in self._logprobs:
            self._logprobs[read] = self.logits(read).log_softmax(-1)
        return self._logprobs[read]

    def logits(self, read: Read) -> Tensor:
        """The same up to a constant at each position."""
        found = self._logits_of(read)
        if found.device != self._device:
            found = self._logits[read] = found.to(self._device)
        return found

    def sums(self, read: Read) -> Tensor:
        """What a term gives to all that was generated so far: float64, (batch, positions), nats."""
        if read not in self._sums:
            self._ask(read.source)
        return self._sums[read].to(self._device)

    def special(self) -> Tensor:
        """The special tokens: int64, (count,)."""
        return self.plan.special(self.device)

    def allowed(self) -> Tensor | None:
        """The tokens that a constraint leaves, without one all: bool, (batch, positions, width) or (width,).

        None for all rows. Those of padding are no tokens, and count in no truncation.
        """
        if self._allowed is None:
            return self.plan.tokens(self._device)
        if self._left is None:
            self._left = self._allowed(self._device)[..., : self.plan.width]
        return self._left

    def allow_all(self) -> None:
        """Go on as if there were no constraint."""
        self._allowed = self._left = None

    def once(self, key: Hashable, find: Callable[[], Tensor]) -> Tensor:
        """What was found under this key before, else what is found now."""
        if key not in self._once:
            self._once[key] = find()
        return self._once[key]

    def generated(self, row: int, place: int, *, has_prompt: bool) -> list[int]:
        """The tokens before a position, with those of the prompt or without."""
        prefix = self._prefixes[row]
        return list(prefix[0 if has_prompt else self._starts[row] : len(prefix) - (self.positions - 1 - place)])

    def elapsed(self) -> list[list[int]]:
        """How many tokens were generated before each position: (batch, positions)."""
        return [
            [len(prefix) - start - back for back in range(self.positions - 1, -1, -1)]
            for prefix, start in zip(self._prefixes, self._starts, strict=True)
        ]

    def full(self, value: float) -> Tensor:
        """The same value at each position: float64, (batch, positions)."""
        return torch.full((len(self._prefixes), self.positions), value, dtype=torch.float64, device=self.device)

    def where(self, row: int, place: int) -> str:
        """A position in words."""
        before = len(self._prefixes[row]) - (self.positions - 1 - place)
        if not self._starts:
            return f" (row {row}, after {before} tokens)"
        return f" (row {row}, after {before - self._starts[row]} generated tokens)"

    def _logits_of(self, read: Read) -> Tensor:
        """Logits of a term, where its model is."""
        if read not in self._logits:
            self._ask(read.source)
        return self._logits[read]

    def _ask(self, source: Source) -> None:
        """Ask a model for all terms that it stands in, and with it those that share its weights."""
        reads = self.plan.groups[source]
        sources = [read.source for read in reads for _ in self._prefixes]
        rows: list[Sequence[int]] = []
        starts: list[int] = []
        for read in reads:
            for number, prefix in enumerate(self._prefixes):
                start = self._starts[number] if self._starts else 0
                if read.context is None:
                    rows.append(prefix)
                    starts.append(start)
                else:
                    prompt = self._prompts.of(read, prefix[:start])
                    rows.append([*prompt, *prefix[start:]])
                    starts.append(len(prompt))
        scored = [read in self.plan.scored for read in reads]
        count = len(self._prefixes)
        sums = torch.empty(0)
        if any(scored):
            block, sums = self._history.answer(sources, rows, starts, self.positions, self.plan.width)
        else:
            block = asked(sources, rows, self.positions, starts if self._starts else ())
        block = _cut(block, self.plan.width)
        for place, read in enumerate(reads):
            self._logits.setdefault(read, block[place * count : (place + 1) * count])
            if scored[place]:
                self._sums[read] = sums[place * count : (place + 1) * count]

    def _require_starts(self) -> None:
        """See that every position lies after its prompt."""
        if len(self._starts) != len(self._prefixes):
            raise ModelError(
                f"the formula {self.plan.formula} depends on where the prompts end; give `starts`, one a prefix"
            )
        if min(map(min, self.elapsed())) < 0:
            raise ModelError(
                f"{self.positions} positions asked for, of which some lie within the prompt; the formula "
                f"{self.plan.formula} says what follows after it"
            )


def _cut(logits: Tensor, width: int) -> Tensor:
    """Logits over the first rows: float32, or float64 of what is that."""
    logits = logits[..., :width]
    return logits if logits.dtype == torch.float64 else logits.float()
