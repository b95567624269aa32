"""Evaluation of a formula at a batch of prefixes: each of its models runs once, and only if it is needed."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from guidance_kit.decoding.distribution import Allowed
from guidance_kit.decoding.padding_rows import padding_rows
from guidance_kit.errors import ModelError, VocabularyError
from guidance_kit.steering.atoms import batched_logits, sharing_key
from guidance_kit.steering.prefix_scores import PrefixScores
from guidance_kit.steering.term_prompts import TermPrompts
from guidance_kit.vocabulary import Vocabulary

if TYPE_CHECKING:
    from guidance_kit.steering.atoms import ModelTerm, Source
    from guidance_kit.steering.formula import Formula

__all__ = ["EvaluationPlan", "FormulaEvaluation"]


class EvaluationPlan:
    """Evaluation plan of a formula: batches of model terms, and the order in which models run.

    Attributes:
        formula: the formula.
        groups: for each model the terms that run with it, as rows of one batch: its own terms, with several prompts,
            and those of other models that share its weights. The cache keeps them all.
        early: models that run before all others. If some models are on a CPU, these are the ones on other devices that
            are always needed: a pass on a GPU is only queued, so both work at the same time.
        prefix_scored: terms whose log-probability of the generated tokens is needed.
        vocabulary: the joint vocabulary of the models.
        width: number of rows that all models have; the others are padding.
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
        padding = padding_rows(self.vocabulary)
        padding = padding[padding < self.width]
        is_token = torch.ones(self.width, dtype=torch.bool).index_fill(0, padding, False)
        self._tokens = is_token if len(padding) else None
        self._special = torch.tensor(sorted(token for token in self.vocabulary.special if token < self.width)).long()

    @cached_property
    def prefix_scores(self) -> PrefixScores:
        """Log-probabilities of generated tokens under the terms that need them, with a memory."""
        return PrefixScores()

    def special(self, device: torch.device) -> Tensor:
        """Special tokens: int64, (count,)."""
        self._special = self._special.to(device)
        return self._special

    def tokens(self, device: torch.device) -> Tensor | None:
        """Rows that stand for a token: bool, (width,); None if all do."""
        self._tokens = None if self._tokens is None else self._tokens.to(device)
        return self._tokens


def _early(model_terms: Sequence[ModelTerm]) -> tuple[Source, ...]:
    """See `EvaluationPlan.early`."""
    devices = {term.source: torch.device(getattr(term.source, "device", "cpu")) for term in model_terms}
    others = tuple(source for source, device in devices.items() if device.type != "cpu")
    return others if len(others) < len(devices) else ()


class FormulaEvaluation:
    """Evaluation of a formula at a batch of prefixes, with the results of its models cached.

    Args:
        plan: the plan of the formula.
        prompts: prompts of the terms that have one of their own.
        prefixes, positions, starts, allowed: as in `Distribution.logits`.
        base: logits of the base if they are known already: float, (batch, positions, rows), nats.
    Attributes:
        is_careful: check each token of each term, to name the one at fault; set after a sum that is no distribution.
    Raises:
        ModelError: the formula depends on the ends of the prompts, and `starts` is missing or beyond a position.
    """

    def __init__(
        self,
        plan: EvaluationPlan,
        prompts: TermPrompts,
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


_SHOWN = 3
"""Maximum number of differing tokens in the message of an error."""


def joint_vocabulary(named: Sequence[tuple[str, Vocabulary]]) -> Vocabulary:
    """Joint vocabulary of a formula's models.

    Tokens with text must be the same in all of them. Rows beyond the shortest vocabulary are padding in it; they must
    be padding in the others too, and no formula ever generates them. A special token of one model is a special token
    of the formula, so a text ends where any of the models ends it.

    Args:
        named: names and vocabularies of the models, the base first.
    Returns:
        A vocabulary with the tokens and rows of the base; that of the base itself if there is nothing to add.
    Raises:
        VocabularyError: two vocabularies differ (the message shows the first tokens that do), or every end-of-sequence
            token of the base is padding in another model.
    """
    base_name, base = named[0]
    special, eos = set(base.special), list(base.eos)
    width = min(vocabulary.rows for _, vocabulary in named)
    for name, other in named[1:]:
        if other == base:
            continue
        differences = list(islice(_differences(base, other), _SHOWN + 1))
        if differences:
            shown = [f"{token} is {_shown(one)} and {_shown(two)}" for token, one, two in differences[:_SHOWN]]
            more = ", and others" if len(differences) > _SHOWN else ""
            raise VocabularyError(
                f"the tokens of {base_name} and {name} differ: token {'; '.join(shown)}{more}. Only models with one "
                "tokenizer can be combined"
            )
        special |= {token for token in other.special if token < width}
        eos += [token for token in other.eos if token < width]
    if eos and min(eos) >= width:
        raise VocabularyError(
            f"no text of {base_name} could end: its end-of-sequence tokens {eos} lie beyond the {width} rows that all "
            "models of the formula have"
        )
    if special == base.special and len(set(eos)) == len(base.eos):
        return base
    return replace(base, special=frozenset(special), eos=tuple(eos))


def _differences(first: Vocabulary, second: Vocabulary) -> Iterator[tuple[int, bytes, bytes]]:
    """Ids whose bytes differ, with the bytes in the first and in the second vocabulary."""
    if first.token_bytes == second.token_bytes:
        return
    for token in range(max(len(first), len(second))):
        one = first.token_bytes[token] if token < len(first) else b""
        other = second.token_bytes[token] if token < len(second) else b""
        if one != other:
            yield token, one, other


def _shown(text: bytes) -> str:
    return repr(text) if text else "no text"
