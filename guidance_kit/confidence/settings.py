"""`Confidence`: settings of the confidence in fields."""

from __future__ import annotations

from dataclasses import dataclass

from guidance_kit.decoding.field_confidence import GivenText
from guidance_kit.decoding.sampling import require_integer, require_number
from guidance_kit.errors import OptionError

__all__ = ["Confidence", "confidence_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Confidence:
    """Settings of the confidence in the fields of a record.

    Args:
        given: text that a probability is conditioned on: "before" for the text before the field; "record" also weighs
            how likely the rest of the record is after each value, see `docs/confidence.md`.
        max_values: maximum number of values of a field whose probabilities are summed; a field with more of them, as a
            free string has, takes samples or the probability of its text.
        max_prefixes: maximum number of prefixes computed for a field; if they do not suffice for all tokenisations, the
            field is "canonical".
        tolerance: share of the probability that may be left unsummed in an "exact" field; its bounds include it.
        samples: number of values drawn for a field that has too many of them; 0 for the probability of its text.
        max_sample_tokens: maximum number of tokens of such a draw; longer values count as one other value.
        alternatives: maximum number of values that are listed.
        seed: seed of the samples.
    Raises:
        OptionError: a value out of range.
    """

    given: GivenText = "before"
    max_values: int = 64
    max_prefixes: int = 512
    tolerance: float = 1e-6
    samples: int = 0
    max_sample_tokens: int = 64
    alternatives: int = 5
    seed: int = 0

    def __post_init__(self) -> None:
        if self.given not in ("before", "record"):
            raise OptionError.unknown(str(self.given), ("before", "record"), "text that a confidence is given")
        for name in ("max_values", "max_prefixes", "max_sample_tokens", "alternatives"):
            require_integer(name, getattr(self, name), least=1)
        for name in ("samples", "seed"):
            require_integer(name, getattr(self, name), least=0)
        require_number("tolerance", self.tolerance, "a number from 0 to 0.1", lambda value: 0 <= value <= 0.1)


def confidence_of(given: object) -> Confidence | None:
    """Settings from an argument `confidence=`: True, "before", "record", or settings; None for False.

    Raises:
        OptionError: it is none of these.
    """
    if given is None or given is False:
        return None
    if given is True:
        return Confidence()
    if isinstance(given, str):
        return Confidence(given=given)  # pyright: ignore[reportArgumentType]
    if isinstance(given, Confidence):
        return given
    raise OptionError(f'confidence is True, "before", "record" or a Confidence, not {given!r}')
