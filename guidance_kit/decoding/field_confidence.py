"""Confidence in the fields of a record, as results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["ConfidenceMethod", "FieldConfidence", "GivenText", "RecordConfidence", "ValueProbability"]

ConfidenceMethod = Literal["exact", "canonical", "samples", "text"]
"""Origin of a probability: "exact" (all allowed values, each summed over all its spellings and tokenisations);
"canonical" (all allowed values, of which one tokenisation each was computed); "samples" (drawn values, weighted);
"text" (probability with which the written tokens are drawn under the constraint)."""

GivenText = Literal["before", "record"]
"""Text that a probability is conditioned on: what stands "before" the field, or the rest of the "record" as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueProbability:
    """Probability of one value of a field.

    Attributes:
        value: the value, as `json.loads` reads it.
        probability: its probability among the values that the constraint allows there.
    """

    value: Any
    probability: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldConfidence:
    """Probability of the value of one field of a record.

    Attributes:
        pointer: JSON pointer (RFC 6901) of the field.
        value: the value that was written, as `json.loads` reads it.
        probability: probability of that value, in [0, 1].
        method: origin of the probability.
        given: text that it is conditioned on; "before" too where the rest of the record could not be weighed.
        low, high: bounds of the probability. With "exact" and "canonical" they are certain, for the text before the
            field: whatever was not summed cannot move it further. With "samples" they are two standard errors apart
            from it. None where there are none.
        alternatives: values with their probabilities, in descending order, the written one among them; empty with the
            method "text". One with less than what may be left unsummed may have the probability 0.
        begin, end: place of the value in the text, in bytes of UTF-8.
    """

    pointer: str
    value: Any
    probability: float
    method: ConfidenceMethod
    given: GivenText = "before"
    low: float | None = None
    high: float | None = None
    alternatives: tuple[ValueProbability, ...] = ()
    begin: int = 0
    end: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Probability, method and alternatives as JSON values."""
        found: dict[str, Any] = {"probability": self.probability, "method": self.method, "given": self.given}
        if self.low is not None and self.high is not None:
            found["bounds"] = [self.low, self.high]
        if self.alternatives:
            others = [{"value": one.value, "probability": one.probability} for one in self.alternatives]
            found["alternatives"] = others
        return found


@dataclass(frozen=True, slots=True)
class RecordConfidence(Mapping[str, FieldConfidence]):
    """Confidence in each field of a record, by the JSON pointer of the field, in the order of the text.

    Fields are the strings, numbers, booleans and nulls of the record, at any depth.

    Attributes:
        fields: the fields.
    """

    fields: tuple[FieldConfidence, ...]

    def __getitem__(self, pointer: str) -> FieldConfidence:
        for one in self.fields:
            if one.pointer == pointer:
                return one
        raise KeyError(pointer)

    def __iter__(self) -> Iterator[str]:
        return (one.pointer for one in self.fields)

    def __len__(self) -> int:
        return len(self.fields)

    @property
    def least(self) -> FieldConfidence | None:
        """Field of the lowest probability, the first of several; None of a record without fields."""
        return min(self.fields, key=lambda one: one.probability, default=None)

    def to_dict(self) -> dict[str, Any]:
        """Fields as JSON values, by pointer."""
        return {one.pointer: one.to_dict() for one in self.fields}
