"""Confidence in the fields of records that a model has written under a JSON Schema."""

from __future__ import annotations

from guidance_kit.confidence.estimator import ConfidenceEstimator
from guidance_kit.confidence.extraction import Extraction
from guidance_kit.confidence.settings import Confidence, confidence_of
from guidance_kit.decoding.field_confidence import FieldConfidence, RecordConfidence, ValueProbability

__all__ = [
    "Confidence", "ConfidenceEstimator", "Extraction", "FieldConfidence", "RecordConfidence", "ValueProbability",
    "confidence_of",
]  # fmt: skip
