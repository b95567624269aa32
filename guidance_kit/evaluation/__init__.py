"""Evaluation of models on the four tasks of the library, as tables, curves and samples."""

from __future__ import annotations

from guidance_kit.evaluation.calibration import evaluate_calibration
from guidance_kit.evaluation.extraction import evaluate_extraction
from guidance_kit.evaluation.intents import evaluate_intents
from guidance_kit.evaluation.proxy_tuning import evaluate_proxy_tuning
from guidance_kit.evaluation.reasoning import evaluate_reasoning
from guidance_kit.evaluation.results import Column, Curve, Evaluation, Example, Plot, Rate, Table
from guidance_kit.evaluation.toxicity import evaluate_toxicity

__all__ = [
    "Column",
    "Curve",
    "Evaluation",
    "Example",
    "Plot",
    "Rate",
    "Table",
    "evaluate_calibration",
    "evaluate_extraction",
    "evaluate_intents",
    "evaluate_proxy_tuning",
    "evaluate_reasoning",
    "evaluate_toxicity",
]  # fmt: skip
