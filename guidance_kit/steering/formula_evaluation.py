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
from guidance_kit.steering.prefix_scores import PrefixScores
from guidance_kit.steering.sharing import batched_logits, sharing_key
from guidance_kit.steering.term_prompts import TermPrompts

if TYPE_CHECKING:
    from guidance_kit.steering.atoms import ModelTerm, Source
    from guidance_kit.steering.formula import Formula

__all__ = ["EvaluationPlan", "FormulaEvaluation"]


class EvaluationPlan:
    """Which models a formula needs, and with which prompts.

    Attributes:
        formula: the formula.
        groups: for each model the terms that are asked with it, as rows of one batch: those in which it stands with
            several prompts, and those of other models that share its weights. The cache keeps them all.
        early: the models that are asked before all others: where models are on a CPU and on other devices, those on the
            others that are needed in any case. A pass on a GPU is only put in its queue, so both work at a time.
        prefix_scored: the terms of which it matters what they gave to all that was generated so far.
        vocabulary: the tokens of the formula.
        width: number of rows that all models have; those beyond are padding.
    """

    def __init__(self, formula: Formula) -> None:
        self.formula = formula
        sharing: dict[object, list[ModelTerm]] = {}
        for term in formula.model_terms:
            sharing.setdefault(sharing_key(term.source), []).append(term)
        self.groups: dict[Source, list[ModelTerm]] = {
            term.source: model_terms for model_terms in sharing.values() for term in model_terms
        }
        sources = list(dict.fromkeys(term.source for term in formula.model_terms))
        self.vocabulary = joint_vocabulary([(source.name, source.vocabulary) for source in sources])
        self.early = _early([formula.base, *formula.unscheduled])
        self.prefix_scored = frozenset(term for atom in formula.atoms for term in atom.prefix_scored)
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


def _early(model_terms: Sequence[ModelTerm]) -> tuple[Source, ...]:
    """See `EvaluationPlan.early`; of some reads."""
    devices = {term.source: torch.device(getattr(term.source, "device", "cpu")) for term in model_terms}
    others = tuple(source for source, device in devices.items() if device.type != "cpu")
    return others if len(others) < len(devices) else ()


class FormulaEvaluation:
    """See the head of this file.

    Args:
        plan: the formula's.
        prompts: what terms with a prompt of their own read.
        prefix_scores: what is known of earlier tokens.
        prefixes, positions, starts, allowed: as in `Distribution.logits`.
        base: what the base gives, where somebody else has asked it: float, (batch, positions, rows), nats.
    Attributes:
        is_careful: look at each token of each term and say what is wrong, because something is.
    Raises:
        ModelError: the formula depends on where the prompts end, and `starts` is missing, or a position lies before it.
    """

    def __init__(
        self,
        plan: EvaluationPlan,
        prompts: TermPrompts,
        prefix_scores: PrefixScores,
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
        self._prefix_scores = prefix_scores
        self._prefixes = prefixes
        self._starts = starts
        self._allowed = allowed
        self._left: Tensor | None = None
        self._logits: dict[ModelTerm, Tensor] = {} if base is None else {plan.formula.base: _cut(base, plan.width)}
        self._logprobs: dict[ModelTerm, Tensor] = {}
        self._scores: dict[ModelTerm, Tensor] = {}
        self._once: dict[Hashable, Tensor] = {}
        if plan.formula.depends_on_prompt_end:
            self._require_starts()
        for source in plan.early:
            if not any(term in self._logits for term in plan.groups[source]):
                self._run(source)
        self._device = self._logits_of(plan.formula.base).device

    @property
    def device(self) -> torch.device:
        """Where everything is moved to."""
        return self._device

    def base(self) -> Tensor:
        """Log-probabilities of the formula's base: float, (batch, positions, width)."""
        return self.logprobs(self.plan.formula.base)

    def logprobs(self, term: ModelTerm) -> Tensor:
        """Log-probabilities of a term, on the device of the base: float32 or float64, (batch, positions, width)."""
        if term not in self._logprobs:
            self._logprobs[term] = self.logits(term).log_softmax(-1)
        return self._logprobs[term]

    def logits(self, term: ModelTerm) -> Tensor:
        """The same up to a constant at each position."""
        found = self._logits_of(term)
        if found.device != self._device:
            found = self._logits[term] = found.to(self._device)
        return found

    def prefix_scores(self, term: ModelTerm) -> Tensor:
        """What a term gives to all that was generated so far: float64, (batch, positions), nats."""
        if term not in self._scores:
            self._run(term.source)
        return self._scores[term].to(self._device)

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

    def _logits_of(self, term: ModelTerm) -> Tensor:
        """Logits of a term, where its model is."""
        if term not in self._logits:
            self._run(term.source)
        return self._logits[term]

    def _run(self, source: Source) -> None:
        """Ask a model for all terms that it stands in, and with it those that share its weights."""
        model_terms = self.plan.groups[source]
        sources = [term.source for term in model_terms for _ in self._prefixes]
        rows: list[Sequence[int]] = []
        starts: list[int] = []
        for term in model_terms:
            for number, prefix in enumerate(self._prefixes):
                start = self._starts[number] if self._starts else 0
                if term.context is None:
                    rows.append(prefix)
                    starts.append(start)
                else:
                    prompt = self._prompts.of(term, prefix[:start])
                    rows.append([*prompt, *prefix[start:]])
                    starts.append(len(prompt))
        prefix_scored = [term in self.plan.prefix_scored for term in model_terms]
        count = len(self._prefixes)
        sums = torch.empty(0)
        if any(prefix_scored):
            block, sums = self._prefix_scores.logits_and_scores(sources, rows, starts, self.positions, self.plan.width)
        else:
            block = batched_logits(sources, rows, self.positions, starts if self._starts else ())
        block = _cut(block, self.plan.width)
        for place, term in enumerate(model_terms):
            self._logits.setdefault(term, block[place * count : (place + 1) * count])
            if prefix_scored[place]:
                self._scores[term] = sums[place * count : (place + 1) * count]

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
