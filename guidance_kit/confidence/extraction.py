"""`Extraction`: a record that was read out of a text, with the confidence in each of its fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from guidance_kit.decoding.completion import Completion
from guidance_kit.decoding.field_confidence import RecordConfidence

__all__ = ["Extraction"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction(Generic[T]):
    """Record of a text with the confidence in its fields; `Model.extract` returns it with `confidence`.

    Attributes:
        value: the record: an instance of a type, or parsed JSON.
        completion: the text of the record with its tokens.
        confidence: probability of the value of each field, by JSON pointer.
    """

    value: T
    completion: Completion
    confidence: RecordConfidence
