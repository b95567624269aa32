"""Steering of the rows of an engine's step, as a function of the tokens of each row."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor

from guidance_kit.decoding.distribution import Allowed
from guidance_kit.errors import ModelError
from guidance_kit.integrations.prefix_states import PrefixStates
from guidance_kit.integrations.vllm.row_mark import RowMark, key_file
from guidance_kit.integrations.vllm.steering_request import (
    ClassifierTerm,
    ExpertTerm,
    SteeringRequest,
    SteeringSettings,
)
from guidance_kit.models.loading import load
from guidance_kit.models.prefix_classifier import PrefixClassifier
from guidance_kit.models.sequence_classifier import SequenceClassifier
from guidance_kit.steering.classifiers import Classifier
from guidance_kit.steering.ensemble import Ensemble, joint_vocabulary
from guidance_kit.steering.formula import Formula
from guidance_kit.steering.formula_evaluation import Source
from guidance_kit.steering.named import classifier_guided
from guidance_kit.vocabulary import Vocabulary

__all__ = ["SteeredRow", "SteeredText", "Steering", "TermModels"]

_LOG = logging.getLogger("guidance_kit.vllm")

_MOST_FORMULAS = 256
"""Formulas that differ in a weight or a truncation, kept with their plans."""


class SteeredText:
    """One request.

    Attributes:
        request: what it asks for.
        prompt: its token ids; None if the engine has none, as for prompts of embeddings.
        ends: its ends of sequence.
        mark: its watermark; None without one.
        error: why its steering failed; None while it has not.
    """

    def __init__(
        self,
        request: SteeringRequest,
        prompt: Sequence[int] | None,
        ends: Sequence[int],
        mark: RowMark | None = None,
    ) -> None:
        self.request = request
        self.mark = mark
        self.prompt = None if prompt is None else list(prompt)
        self.ends = sorted(ends)
        self.error: Exception | None = None
        self.states = PrefixStates(request.guides, capacity=64)
        self.states.open(None, self.prompt or [])


@dataclass(frozen=True, slots=True)
class SteeredRow:
    """Row of logits of a request.

    Attributes:
        row: its number.
        text: the request.
        generated: tokens after the prompt, before the one that the row is for.
    """

    row: int
    text: SteeredText
    generated: Sequence[int]

    @property
    def prefix(self) -> list[int]:
        """Prompt and generated tokens."""
        assert self.text.prompt is not None
        return [*self.text.prompt, *self.generated]


@dataclass(frozen=True)
class TermModels:
    """Models and classifiers of the terms, by the names in their settings."""

    experts: dict[str, Source]
    classifiers: dict[str, Classifier | Callable[[list[str]], Any]]

    @classmethod
    def load(cls, settings: SteeringSettings, device: torch.device) -> TermModels:
        """Load all models of the settings, each of them once.

        Raises:
            ModelError: there is no such model, or it cannot be used.
            OptionError: a classifier lacks a label.
        """
        experts: dict[str, Source] = {}
        loaded: dict[tuple[str, str], PrefixClassifier | SequenceClassifier] = {}
        classifiers: dict[str, Classifier | Callable[[list[str]], Any]] = {}
        for name, term in settings.terms.items():
            if isinstance(term, ExpertTerm):
                for model in {term.expert, term.anti_expert} - {None, *experts}:
                    assert model is not None
                    experts[model] = load(model, device=device, dtype=settings.dtype)
                continue
            kind = PrefixClassifier if term.kind == "prefix_classifier" else SequenceClassifier
            key = term.kind, term.classifier
            if key not in loaded:
                loaded[key] = kind.load(term.classifier, device=device, dtype=settings.dtype)
            classifiers[name] = loaded[key].of(*term.labels)
        return cls(experts, classifiers)


class Steering:
    """Steer rows of an engine's logits by the models of its settings, whatever order the rows come in.

    Rows are a function of their tokens, so an engine may reorder, roll back, preempt and repeat them. Each expert runs
    once in a step, for all rows that need it; rows of one formula are evaluated together. A row whose steering fails
    gets its ends of sequence alone, as engines let no processor end a request.

    Args:
        settings: of the engine.
        models: those of the settings.
        vocabulary: of the served model; `rows` is the width of its logits.
        longest: number of tokens of a prompt and its text, at most; None without a limit.
    Raises:
        VocabularyError: an expert has other tokens than the served model; a watermark is for another vocabulary.
        OptionError: a key file cannot be read.
        ModelError: an expert, or a classifier that reads tokens, cannot read texts as long as the engine can write.
    """

    def __init__(
        self, settings: SteeringSettings, models: TermModels, vocabulary: Vocabulary, *, longest: int | None = None
    ) -> None:
        named = [(name, expert.vocabulary) for name, expert in models.experts.items()]
        joint_vocabulary([("the served model", vocabulary), *named])
        self.vocabulary = vocabulary
        self._settings = settings
        self._models = models
        self._experts = {name: _StepExpert(model, vocabulary) for name, model in models.experts.items()}
        self._base = _ServedModel(vocabulary)
        self._ensemble = lru_cache(maxsize=_MOST_FORMULAS)(self._new_ensemble)
        self._require_room(longest)
        for path in settings.watermarks.values():
            key_file(path).check_vocabulary(vocabulary)

    @torch.inference_mode()
    def adjust(self, logits: Tensor, rows: Sequence[SteeredRow]) -> None:
        """Steer some rows of the logits in place.

        Args:
            logits: float32, (rows, vocabulary), nats; -inf for what a constraint forbids.
            rows: those to steer; each number once.
        """
        left = [row for row in rows if row.text.error is None]
        if left:
            self._adjust(logits, left)
        for row in rows:
            if row.text.error is not None:
                logits[row.row] = -torch.inf
                logits[row.row, row.text.ends] = 0.0

    def _adjust(self, logits: Tensor, rows: Sequence[SteeredRow]) -> None:
        """Steer rows; if that fails, in halves, until the one at fault is alone."""
        places = [row.row for row in rows]
        try:
            steered = self._steered(logits[places], rows)
        except Exception as error:  # of any kind: the engine and the other requests go on
            if len(rows) > 1:
                half = len(rows) // 2
                self._adjust(logits, rows[:half])
                self._adjust(logits, rows[half:])
            else:
                rows[0].text.error = error
                _LOG.error("the steering of a request fails, and its text ends: %s", error, exc_info=error)
            return
        logits[places] = steered.to(logits)

    def _steered(self, logits: Tensor, rows: Sequence[SteeredRow]) -> Tensor:
        """Steered logits: float, (rows, vocabulary)."""
        groups: dict[_FormulaKey, list[int]] = defaultdict(list)
        for number, row in enumerate(rows):
            if row.text.prompt is None or -1 in row.generated:
                raise ModelError("steering needs the tokens of the prompt and of the text, and the engine has none")
            if row.text.request.is_formula:
                groups[_formula_key(row.text.request)].append(number)
        self._run_experts(groups, rows)
        found = logits.float().clone()
        for key, numbers in groups.items():
            members = [rows[number] for number in numbers]
            found[numbers] = self._composed(self._ensemble(key), logits[numbers].float(), members).to(found)
        for number, row in enumerate(rows):
            if row.text.request.guides:
                states = row.text.states.at([(None, row.generated)])
                for guide, state in zip(row.text.request.guides, states.guides, strict=True):
                    found[number] = guide.adjust(found[number : number + 1], state)[0]
        if not bool((found.amax(-1) > -torch.inf).all()):
            raise ModelError("no token is left: the formula forbids all that the constraint allows")
        for number, row in enumerate(rows):
            if row.text.mark is not None:
                found[number] = row.text.mark.mark(found[number], row.text.prompt or (), row.generated)
        return found

    def _run_experts(self, groups: dict[_FormulaKey, list[int]], rows: Sequence[SteeredRow]) -> None:
        """Run each expert once, for the rows of all formulas that have it."""
        needed: dict[str, list[list[int]]] = defaultdict(list)
        for (weights, _), numbers in groups.items():
            prefixes = [rows[number].prefix for number in numbers]
            for name in self._experts_of(weights):
                needed[name] += prefixes
        for name, prefixes in needed.items():
            self._experts[name].run(prefixes)

    def _composed(self, ensemble: Ensemble, logits: Tensor, rows: Sequence[SteeredRow]) -> Tensor:
        """Logits of a formula from those of its base: float, (rows, vocabulary)."""

        def allowed(device: torch.device) -> Tensor:
            return (logits > -torch.inf)[:, None].to(device)

        starts = [len(row.text.prompt or ()) for row in rows]
        masked: Allowed = allowed
        known = {ensemble.formula.base: logits[:, None]}
        return ensemble.logits([row.prefix for row in rows], starts=starts, allowed=masked, known=known)[:, -1]

    def _new_ensemble(self, key: _FormulaKey) -> Ensemble:
        """Ensemble of the formula that `SteeringRequest` describes."""
        weights, keep = dict(key[0]), {name: value for name, value in key[1] if value is not None}
        base = Formula.of(self._base)
        formula = base.keep(**keep) if keep else base
        for name, term in self._settings.terms.items():
            if isinstance(term, ExpertTerm) and name in weights:
                expert = base if term.expert is None else Formula.of(self._experts[term.expert])
                formula = formula + weights[name] * (expert - Formula.of(self._experts[term.anti_expert]))
        for name, term in self._settings.terms.items():
            if isinstance(term, ClassifierTerm) and name in weights:
                formula = classifier_guided(
                    formula,
                    self._models.classifiers[name],
                    alpha=weights[name],
                    top_k=term.top_k,
                    others=term.others,
                    has_prompt=term.has_prompt,
                )
        return Ensemble(formula)

    def _experts_of(self, weights: Sequence[tuple[str, float]]) -> set[str]:
        """Names of the experts of some terms."""
        terms = [self._settings.terms[name] for name, _ in weights]
        pairs = [(term.expert, term.anti_expert) for term in terms if isinstance(term, ExpertTerm)]
        return {name for pair in pairs for name in pair if name is not None}

    def _require_room(self, longest: int | None) -> None:
        """Raise a ModelError for a model that reads less than `longest` tokens."""
        rooms = [(name, expert.room([])) for name, expert in self._models.experts.items()]
        for name, classifier in self._models.classifiers.items():
            rooms.append((name, classifier.room(0) if isinstance(classifier, Classifier) else None))
        for name, room in rooms:
            if longest is not None and room is not None and room < longest:
                raise ModelError(
                    f"{name} reads {room} tokens, and texts of this engine may have {longest}; set "
                    f"--max-model-len {room}"
                )


_FormulaKey = tuple[tuple[tuple[str, float], ...], tuple[tuple[str, Any], ...]]
"""Weights by name, those of 0 left out, and the truncation."""


def _formula_key(request: SteeringRequest) -> _FormulaKey:
    keep = () if request.keep is None else tuple(request.keep.model_dump().items())
    return tuple(sorted((name, weight) for name, weight in request.weights.items() if weight)), keep


class _ServedModel:
    """Served model as the base of formulas. The engine runs it; `Ensemble.logits` is given its logits."""

    name = "the served model"

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.rows = vocabulary.rows

    def room(self, prompt: Sequence[int]) -> int | None:
        """See `Distribution.room`: the engine keeps to it."""
        return None

    def logits(
        self,
        prefixes: Sequence[Sequence[int]],
        positions: int = 1,
        *,
        starts: Sequence[int] = (),
        allowed: Allowed | None = None,
    ) -> Tensor:
        """Never called."""
        raise AssertionError("the engine computes the logits of the served model")


class _StepExpert:
    """Expert whose logits after the prefixes of a step are computed in one call, and read by several formulas."""

    def __init__(self, model: Source, vocabulary: Vocabulary) -> None:
        self.name = model.name
        self.vocabulary = vocabulary
        self.rows = model.rows
        self._model = model
        self._places: dict[tuple[int, ...], int] = {}
        self._computed = torch.empty(0)

    @property
    def device(self) -> torch.device:
        """Device of the model."""
        return getattr(self._model, "device", torch.device("cpu"))

    def run(self, prefixes: Sequence[Sequence[int]]) -> None:
        """Compute the logits after some prefixes, and forget the others."""
        self._places = {}
        for prefix in prefixes:
            self._places.setdefault(tuple(prefix), len(self._places))
        self._computed = self._model.logits([list(prefix) for prefix in self._places])

    def room(self, prompt: Sequence[int]) -> int | None:
        """See `Distribution.room`."""
        return self._model.room(prompt)

    def logits(
        self,
        prefixes: Sequence[Sequence[int]],
        positions: int = 1,
        *,
        starts: Sequence[int] = (),
        allowed: Allowed | None = None,
    ) -> Tensor:
        """See `Distribution.logits`; one position, of prefixes given to `run`."""
        assert positions == 1
        return self._computed[[self._places[tuple(prefix)] for prefix in prefixes]]
