"""The evaluations on the bundled models and data sets."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal

from guidance_kit.evaluation import sets
from guidance_kit.evaluation.ablation import tasks_of
from guidance_kit.evaluation.calibration import evaluate_calibration
from guidance_kit.evaluation.extraction import evaluate_extraction
from guidance_kit.evaluation.intents import evaluate_intents
from guidance_kit.evaluation.judges import WordClassifier
from guidance_kit.evaluation.proxy_tuning import evaluate_proxy_tuning
from guidance_kit.evaluation.reasoning import Budgets, evaluate_reasoning
from guidance_kit.evaluation.results import Evaluation, Progress
from guidance_kit.evaluation.schema_variants import VARIANTS
from guidance_kit.evaluation.shuffled_objects import LENGTHS, held_out
from guidance_kit.evaluation.toxicity import evaluate_toxicity
from guidance_kit.model import Model, load
from guidance_kit.models.prefix_classifier import PrefixClassifier

__all__ = ["FURTHER_JOBS", "JOBS", "Family", "Job"]

Job = Literal["extraction", "toxicity", "proxy_tuning", "intents", "calibration", "reasoning"]

JOBS: tuple[Job, ...] = ("extraction", "toxicity", "proxy_tuning", "intents")
"""The four jobs of the library."""

FURTHER_JOBS: tuple[Job, ...] = ("calibration", "reasoning")
"""Evaluations that run only if they are named."""


class Family:
    """Bundled models, loaded when needed, and their evaluations.

    Args:
        folder: retrained models: its subfolders NAME/model replace bundled ones.
        device: as in `load`.
        on_step: callback with a description of the next step.
    """

    def __init__(
        self, folder: Path | None = None, *, device: str | None = None, on_step: Progress = lambda step: None
    ) -> None:
        self._folder = folder
        self._device = device
        self._on_step = on_step
        self._loaded: dict[str, Model] = {}

    def model(self, name: str) -> Model:
        """Model of the family by name."""
        if name not in self._loaded:
            self._loaded[name] = load(self._where(name), device=self._device)
        return self._loaded[name]

    @cached_property
    def rudeness(self) -> PrefixClassifier:
        """Classifier of rude and civil replies."""
        return PrefixClassifier.load(self._where("rudeness"), device=self._device)

    def _where(self, name: str) -> str | Path:
        trained = None if self._folder is None else self._folder / name / "model"
        return name if trained is None or not trained.is_dir() else trained

    def evaluate(self, job: Job, number: int, *, is_brief: bool = False, model: Model | None = None) -> Evaluation:
        """Run one of the evaluations.

        Args:
            number: maximum number of texts.
            is_brief: fewer strengths and samples, for a quick run.
            model: model for "extraction", "calibration" and "reasoning" in place of the bundled one.
        """
        if job == "extraction":
            return self._extraction(number, is_brief, model)
        if job == "calibration":
            own = self.model("support-2m") if model is None else model
            return evaluate_calibration(own, _some_tickets(number), on_step=self._on_step)
        if job == "reasoning":
            return self._reasoning(number, model)
        if job == "toxicity":
            return self._toxicity(number, is_brief)
        if job == "proxy_tuning":
            return self._proxy_tuning(number, is_brief)
        return self._intents(number, is_brief)

    def _extraction(self, number: int, is_brief: bool, model: Model | None) -> Evaluation:
        some = _some_tickets(number)
        extractor = self.model("support-2m") if model is None else model
        names = () if model is not None else ("base-small",) if is_brief else ("base-small", "base-large")
        untuned = {f"base model ({name})": self.model(name) for name in names}
        variants = [name for name in VARIANTS if not is_brief or name != "reversed order"]
        tasks = tasks_of(extractor, some[:number], untuned, variants)
        return evaluate_extraction(extractor, some, sets.outsiders(), tasks=tasks, on_step=self._on_step)

    def _reasoning(self, number: int, model: Model | None) -> Evaluation:
        problems = held_out(-(-number // len(LENGTHS)))
        if model is None:
            return evaluate_reasoning(self.model("tracker"), problems, on_step=self._on_step)
        budgets = Budgets(thoughts=1024, sketch=512, record=128)
        return evaluate_reasoning(model, problems, is_trained=False, budgets=budgets, on_step=self._on_step)

    def _toxicity(self, number: int, is_brief: bool) -> Evaluation:
        rude = [one.text for one in sets.messages() if one.tone == "rude"][:number]
        alphas: Sequence[float] = (0.25, 1.0) if is_brief else (0.05, 0.1, 0.25, 0.5, 1.0, 2.0)
        strengths: Sequence[float] = (1.0,) if is_brief else (0.25, 0.5, 1.0, 2.0, 4.0)
        return evaluate_toxicity(
            self.model("base-large"), self.model("polite"), self.model("rude"), self.rudeness.of("civil"), rude,
            WordClassifier.of_rudeness(sets.answered()), sets.World.bundled(), samples=3 if is_brief else 5,
            alphas=alphas, strengths=strengths, on_step=self._on_step,
        )  # fmt: skip

    def _proxy_tuning(self, number: int, is_brief: bool) -> Evaluation:
        alphas: Sequence[float] = (1.0,) if is_brief else (0.25, 0.5, 0.75, 1.0, 1.25, 1.5)
        large, large_tuned, small, small_tuned = map(
            self.model, ("base-large", "large-tuned", "base-small", "small-tuned")
        )
        return evaluate_proxy_tuning(
            large, large_tuned, small, small_tuned, sets.messages()[:number], sets.World.bundled(), alphas=alphas,
            on_step=self._on_step,
        )  # fmt: skip

    def _intents(self, number: int, is_brief: bool) -> Evaluation:
        topics = sets.World.bundled().topics
        conversations = [sets.Labelled(text=one.text, label=topics[one.intent]) for one in sets.answered()]
        conversations = conversations[: 1000 if is_brief else None]
        filings = sets.filed()[: 2000 if is_brief else None]
        return evaluate_intents(
            {name: self.model(name) for name in ("large-intents", "base-large", "base-small")},
            [sets.Labelled(text=one.text, label=topics[one.intent]) for one in sets.messages()[:number]],
            {f"{len(conversations):,} conversations": conversations, f"{len(filings):,} filings": filings},
            further={"sentences of another writer": sets.sentences()[:number]},
            prompt=sets.FILING.format,
            label_text=lambda label: f" {label}",
            on_step=self._on_step,
        )


def _some_tickets(number: int) -> list[sets.Wanted]:
    """The first texts of each source."""
    tickets = sets.tickets()
    sources = dict.fromkeys(one.source for one in tickets)
    return [one for source in sources for one in [one for one in tickets if one.source == source][:number]]
