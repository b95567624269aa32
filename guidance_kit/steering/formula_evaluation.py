"""Evaluation of a formula at a batch of prefixes: its models, each run once and only if needed, and weighted sums.

Weighted sums of log-probabilities have rules for probability 0, and errors for undefined results.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import torch
from torch import Tensor

from guidance_kit.decoding.distribution import Allowed, Distribution
from guidance_kit.errors import FormulaError, ModelError
from guidance_kit.vocabulary import Vocabulary

if TYPE_CHECKING:
    from guidance_kit.steering.ensemble import EvaluationPlan
    from guidance_kit.steering.terms import ModelTerm

__all__ = [
    "FormulaEvaluation", "Part", "SharedWeights", "Sharing", "Source", "batched_logits", "combine", "is_sound",
    "normalised", "sharing_key",
]  # fmt: skip


class Source(Distribution, Protocol):
    """Model in a formula: a distribution with a name and a vocabulary. Sources are compared by identity."""

    @property
    def name(self) -> str:
        """Name for messages."""
        ...

    @property
    def vocabulary(self) -> Vocabulary:
        """Tokens of the model."""
        ...


class SharedWeights(Protocol):
    """Weights of several models that differ in their adapters."""

    def logits(
        self, prefixes: Sequence[Sequence[int]], positions: int = 1, *, adapters: Sequence[str | None] = ()
    ) -> Tensor:
        """See `Distribution.logits`; each prefix runs with its adapter, None for the model without one."""
        ...


@runtime_checkable
class Sharing(Protocol):
    """Source whose weights other sources may share."""

    @property
    def weights(self) -> SharedWeights:
        """Shared weights: one object for all sources that share them."""
        ...

    @property
    def adapter(self) -> str | None:
        """Name of the adapter; None for the model without one."""
        ...


def sharing_key(source: Source) -> object:
    """Batching key of a source: sources with equal keys run in one batch."""
    return source.weights if isinstance(source, Sharing) else source


def batched_logits(
    sources: Sequence[Source], prefixes: Sequence[Sequence[int]], positions: int, starts: Sequence[int]
) -> Tensor:
    """Logits of each source after its prefix, in one batch; see `Distribution.logits`.

    Args:
        sources: one a prefix, with equal `sharing_key`.
    """
    first = sources[0]
    if any(source is not first for source in sources) and isinstance(first, Sharing):
        adapters = [source.adapter for source in sources if isinstance(source, Sharing)]
        return first.weights.logits(prefixes, positions, adapters=adapters)
    return first.logits(prefixes, positions, starts=starts)


def rows_of(
    plan: EvaluationPlan, term: ModelTerm, prefixes: Sequence[Sequence[int]], starts: Sequence[int]
) -> tuple[list[Sequence[int]], list[int]]:
    """Prefixes that a term reads, with its own prompt in place of the caller's, and the lengths of the prompts.

    Args:
        starts: lengths of the caller's prompts; empty if unknown, where no term has a prompt of its own.
    """
    rows: list[Sequence[int]] = []
    ends: list[int] = []
    for number, prefix in enumerate(prefixes):
        start = starts[number] if starts else 0
        if term.context is None:
            rows.append(prefix)
            ends.append(start)
        else:
            prompt = plan.prompts.of(term, prefix[:start])
            rows.append([*prompt, *prefix[start:]])
            ends.append(len(prompt))
    return rows, ends


class FormulaEvaluation:
    """Evaluation of a formula at a batch of prefixes, with the results of its models cached.

    Args:
        plan: the plan of the formula.
        prefixes, positions, starts, allowed: as in `Distribution.logits`.
        known: logits of terms that need not be computed: float, (batch, positions, rows), nats.
    Attributes:
        is_careful: check each token of each term, to name the one at fault; set after a sum that is no distribution.
    Raises:
        ModelError: the formula depends on the ends of the prompts, and `starts` is missing or beyond a position.
    """

    def __init__(
        self,
        plan: EvaluationPlan,
        prefixes: Sequence[Sequence[int]],
        positions: int,
        starts: Sequence[int],
        allowed: Allowed | None = None,
        known: Mapping[ModelTerm, Tensor] | None = None,
    ) -> None:
        self.plan = plan
        self.positions = positions
        self.is_careful = False
        self._prefixes = prefixes
        self._starts = starts
        self._allowed = allowed
        self._left: Tensor | None = None
        self._logits = {term: _cut(logits, plan.width) for term, logits in (known or {}).items()}
        self._logprobs: dict[ModelTerm, Tensor] = {}
        self._scores: dict[ModelTerm, Tensor] = {}
        self._once: dict[Hashable, Tensor] = {}
        if plan.formula.depends_on_prompt_end:
            self._require_starts()
        for source in plan.early:
            if not all(term in self._logits for term in plan.groups[source]):
                self._run(source)
        self._device = self._logits_of(plan.formula.base).device

    @property
    def device(self) -> torch.device:
        """Device of the base, to which all values are moved."""
        return self._device

    def base(self) -> Tensor:
        """Log-probabilities of the base: float32 or float64, (batch, positions, width)."""
        return self.logprobs(self.plan.formula.base)

    def logprobs(self, term: ModelTerm) -> Tensor:
        """Log-probabilities of a term, on the device of the base: float32 or float64, (batch, positions, width)."""
        if term not in self._logprobs:
            self._logprobs[term] = self.logits(term).log_softmax(-1)
        return self._logprobs[term]

    def logits(self, term: ModelTerm) -> Tensor:
        """Logits of a term: its log-probabilities up to a constant at each position."""
        found = self._logits_of(term)
        if found.device != self._device:
            found = self._logits[term] = found.to(self._device)
        return found

    def prefix_scores(self, term: ModelTerm) -> Tensor:
        """Log-probability that a term gives to the tokens generated so far: float64, (batch, positions), nats."""
        if term not in self._scores:
            self._run(term.source)
        return self._scores[term].to(self._device)

    def special(self) -> Tensor:
        """Special tokens: int64, (count,)."""
        return self.plan.special(self.device)

    def allowed(self) -> Tensor | None:
        """Tokens allowed by the constraint; without one all tokens, padding excluded.

        Returns:
            Bool, (batch, positions, width) or (width,); None if every row is allowed.
        """
        if self._allowed is None:
            return self.plan.tokens(self._device)
        if self._left is None:
            self._left = self._allowed(self._device)[..., : self.plan.width]
        return self._left

    def allow_all(self) -> None:
        """Drop the constraint from here on."""
        self._allowed = self._left = None

    def once(self, key: Hashable, find: Callable[[], Tensor]) -> Tensor:
        """Cached value of a key; computed by `find` the first time."""
        if key not in self._once:
            self._once[key] = find()
        return self._once[key]

    def generated(self, row: int, place: int, *, has_prompt: bool) -> list[int]:
        """Tokens before a position, with or without the prompt."""
        prefix = self._prefixes[row]
        return list(prefix[0 if has_prompt else self._starts[row] : len(prefix) - (self.positions - 1 - place)])

    def elapsed(self) -> list[list[int]]:
        """Number of generated tokens before each position: (batch, positions)."""
        return [
            [len(prefix) - start - back for back in range(self.positions - 1, -1, -1)]
            for prefix, start in zip(self._prefixes, self._starts, strict=True)
        ]

    def full(self, value: float) -> Tensor:
        """Constant value at each position: float64, (batch, positions)."""
        return torch.full((len(self._prefixes), self.positions), value, dtype=torch.float64, device=self.device)

    def where(self, row: int, place: int) -> str:
        """Description of a position for messages."""
        before = len(self._prefixes[row]) - (self.positions - 1 - place)
        if not self._starts:
            return f" (row {row}, after {before} tokens)"
        return f" (row {row}, after {before - self._starts[row]} generated tokens)"

    def _logits_of(self, term: ModelTerm) -> Tensor:
        """Logits of a term on the device of its model."""
        if term not in self._logits:
            self._run(term.source)
        return self._logits[term]

    def _run(self, source: Source) -> None:
        """Run a model for all its terms and for those of models that share its weights, in one batch."""
        scored = self.plan.prefix_scored
        model_terms = [term for term in self.plan.groups[source] if term in scored or term not in self._logits]
        sources = [term.source for term in model_terms for _ in self._prefixes]
        rows: list[Sequence[int]] = []
        starts: list[int] = []
        for term in model_terms:
            own, ends = rows_of(self.plan, term, self._prefixes, self._starts)
            rows += own
            starts += ends
        prefix_scored = [term in scored for term in model_terms]
        count = len(self._prefixes)
        sums = torch.empty(0)
        if any(prefix_scored):
            block, sums = self.plan.prefix_scores.logits_and_scores(
                sources, rows, starts, self.positions, self.plan.width
            )
        else:
            block = batched_logits(sources, rows, self.positions, starts if self._starts else ())
        block = _cut(block, self.plan.width)
        for place, term in enumerate(model_terms):
            self._logits.setdefault(term, block[place * count : (place + 1) * count])
            if prefix_scored[place]:
                self._scores[term] = sums[place * count : (place + 1) * count]

    def _require_starts(self) -> None:
        """Raise a ModelError unless every position lies after its prompt."""
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
    """Logits of the first `width` rows: float32, or float64 if they were."""
    logits = logits[..., :width]
    return logits if logits.dtype == torch.float64 else logits.float()


@dataclass(frozen=True, slots=True)
class Part:
    """Evaluated term of a formula.

    Attributes:
        name: the term as it is written, for messages.
        factor: the weight; float64, (batch, positions), if it differs between positions.
        value: float, (batch, positions, width), nats; None where the factor is 0 everywhere.
    """

    name: str
    factor: float | Tensor
    value: Tensor | None


def combine(parts: Sequence[Part], evaluation: FormulaEvaluation) -> Tensor:
    """Sum of factor times value over the parts.

    A token with the value -inf has probability 0. Then a positive factor forbids the token, whatever the other terms
    give; a factor of 0 ignores the value; a negative factor divides by 0, an error unless another term forbids the
    token.

    Returns:
        Float, (batch, positions, width), nats, unnormalised. Undefined entries are NaN or inf, unless
        `evaluation.is_careful`.
    Raises:
        FormulaError: every factor is 0 at a position. If `evaluation.is_careful` also NaN, +inf or a division by 0,
            naming the term.
    """
    evaluated = [part for part in parts if part.value is not None]
    if all(isinstance(part.factor, Tensor) for part in parts):
        _require_a_weight(parts, evaluation)
    if evaluation.is_careful:
        return _combine_carefully(evaluated, evaluation)
    total: Tensor | None = None
    for part in evaluated:
        value = part.value
        assert value is not None
        if isinstance(part.factor, Tensor):
            value = value * part.factor[..., None].to(value.dtype)
            total = value if total is None else total + value
        elif total is None:
            total = value if part.factor == 1 else value * part.factor
        else:
            total = torch.add(total, value, alpha=part.factor)
    assert total is not None
    return total


def is_sound(total: Tensor) -> bool:
    """Test for a distribution at each position: no NaN, no +inf, and at least one token above -inf."""
    return bool(total.amax(-1).isfinite().all())  # NaN is greater than anything


def normalised(total: Tensor, evaluation: FormulaEvaluation, name: str) -> Tensor:
    """Log-softmax of a sum; if `evaluation.is_careful`, a FormulaError where every token is forbidden."""
    if evaluation.is_careful:
        left = (total > -torch.inf).any(-1)
        if not bool(left.all()):
            row, place = (~left).nonzero()[0].tolist()
            raise FormulaError(
                f"no token is left in {name}: its terms forbid all of them{evaluation.where(row, place)}",
                term=name,
                row=row,
            )
    return total.log_softmax(-1)


def _combine_carefully(parts: Sequence[Part], evaluation: FormulaEvaluation) -> Tensor:
    """The sum of `combine`, with a check of each token of each term."""
    total: Tensor | None = None
    forbidden: Tensor | None = None
    divided: list[tuple[Part, Tensor]] = []
    for part in parts:
        value = part.value
        assert value is not None
        factor = part.factor if isinstance(part.factor, Tensor) else evaluation.full(part.factor)
        factor = factor[..., None].to(value.dtype)
        broken = (value.isnan() | value.isposinf()) & (factor != 0)
        if bool(broken.any()):
            row, place, token = broken.nonzero()[0].tolist()
            raise FormulaError(
                f"the term {part.name} is {float(value[row, place, token])} for token {token}"
                f"{evaluation.where(row, place)}; half precision may overflow, try a wider dtype",
                term=part.name,
                row=row,
            )
        impossible = value == -torch.inf
        banned = impossible & (factor > 0)
        divided.append((part, impossible & (factor < 0)))
        added = torch.where(impossible, 0.0, value * factor)
        total = added if total is None else total + added
        forbidden = banned if forbidden is None else forbidden | banned
    assert total is not None
    assert forbidden is not None
    for part, zero in divided:
        infinite = zero & ~forbidden
        if bool(infinite.any()):
            row, place, token = infinite.nonzero()[0].tolist()
            raise FormulaError(
                f"the formula cannot be normalised: the term {part.name} divides by the probability of token {token}, "
                f"which is 0{evaluation.where(row, place)}; forbid the token by keep() of the base, or see why",
                term=part.name,
                row=row,
            )
    return total.masked_fill(forbidden, -torch.inf)


def _require_a_weight(parts: Sequence[Part], evaluation: FormulaEvaluation) -> None:
    """Raise a FormulaError at the first position where all factors are 0."""
    sums = sum((part.factor.abs() for part in parts if isinstance(part.factor, Tensor)), torch.zeros(()))
    if not bool((sums > 0).all()):
        row, place = (sums == 0).nonzero()[0].tolist()
        name = " + ".join(part.name for part in parts)
        raise FormulaError(
            f"every weight in {name} is 0{evaluation.where(row, place)}; there is no distribution to sample from",
            term=name,
            row=row,
        )
