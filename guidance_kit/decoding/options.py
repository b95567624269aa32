"""Options of one generation, validated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, TypedDict

from guidance_kit.decoding.alignment import Alignment, Asap, Importance, alignment_of
from guidance_kit.decoding.sampling import Sampling, require_integer
from guidance_kit.errors import OptionError

__all__ = ["GenerateOptions", "Options"]


class GenerateOptions(TypedDict, total=False):
    """Options of generation as flat keyword arguments; see `Options` and `Sampling`."""

    max_tokens: int | None
    max_field_tokens: int | None
    complete: bool
    temperature: float
    top_k: int | None
    top_p: float | None
    min_p: float | None
    seed: int | None
    stop: str | Sequence[str] | None
    logprobs: int | None
    alignment: Alignment


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options of one generation besides the model, the prompts and the guides.

    Args:
        sampling: temperature, truncation and seed.
        max_tokens: maximum number of generated tokens, at least 1; None for the rest of the context.
        max_field_tokens: maximum number of tokens of one field of a record, at least 1, see `FieldCounter`; a text with
            a longer field ends there and has no value. None for no limit.
        complete: complete constrained texts within `max_tokens`: tokens after which too little room would be left are
            forbidden, which makes a difference near the end only. Otherwise texts are cut.
        stop: strings before which the text ends.
        logprobs: record log-probabilities, with this many alternatives a token, at least 0; None records nothing.
        alignment: alignment mode of constrained texts; None masks token by token.
    Raises:
        OptionError: a value is out of range, or an option is incompatible with the alignment.
    """

    sampling: Sampling = field(default_factory=Sampling)
    max_tokens: int | None = 512
    max_field_tokens: int | None = None
    complete: bool = False
    stop: tuple[str, ...] = ()
    logprobs: int | None = None
    alignment: Importance | Asap | None = None

    def __post_init__(self) -> None:
        if self.max_tokens is not None:
            require_integer("max_tokens", self.max_tokens, least=1)
        if self.max_field_tokens is not None:
            require_integer("max_field_tokens", self.max_field_tokens, least=1)
        if not isinstance(self.complete, bool):
            raise OptionError(f"complete must be True or False, not {self.complete!r}")
        if self.logprobs is not None:
            require_integer("logprobs", self.logprobs, least=0)
        if any(not isinstance(stop, str) or not stop for stop in self.stop):
            raise OptionError(f"stop must be strings that are not empty, not {list(self.stop)!r}")
        if any("\ud800" <= character <= "\udfff" for character in "".join(self.stop)):
            raise OptionError(f"stop has a lone surrogate, which no text can contain: {list(self.stop)!r}")
        if self.alignment is not None:
            self._check_alignment(type(self.alignment).__name__.lower())

    def _check_alignment(self, mode: str) -> None:
        """Raise an OptionError for options that are incompatible with an alignment."""
        if self.sampling.is_greedy:
            raise OptionError(f"alignment={mode!r} draws texts, so it needs a temperature above 0")
        if self.complete:
            raise OptionError(
                f"complete=True and alignment={mode!r} exclude each other: texts that are aligned with the model end "
                "within max_tokens, those that would not are left out"
            )
        if self.max_field_tokens is not None:
            raise OptionError(
                f"max_field_tokens and alignment={mode!r} exclude each other: texts that are aligned with the model "
                "are bounded by max_tokens"
            )
        if self.stop:
            raise OptionError(f"stop and alignment={mode!r} exclude each other: a text ends where the model ends it")
        if self.logprobs is not None:
            raise OptionError(
                f"logprobs and alignment={mode!r} exclude each other: Completion.aligned has the weights of the texts"
            )

    @classmethod
    def from_keywords(cls, keywords: Mapping[str, Any]) -> Options:
        """Options from flat keyword arguments: the fields of `Options` and those of `Sampling`.

        Raises:
            OptionError: an unknown name, with the nearest one in the message; a value out of range.
        """
        own = {entry.name for entry in fields(cls)} - {"sampling"}
        drawing = {entry.name for entry in fields(Sampling)}
        for name in keywords:
            if name not in own | drawing:
                raise OptionError.unknown(name, own | drawing)
        chosen = {name: value for name, value in keywords.items() if name in own}
        if "stop" in chosen:
            chosen["stop"] = _stops(chosen["stop"])
        if "alignment" in chosen:
            chosen["alignment"] = alignment_of(chosen["alignment"])
        sampling = Sampling(**{name: value for name, value in keywords.items() if name in drawing})
        return cls(sampling=sampling, **chosen)


def _stops(stop: object) -> tuple[str, ...]:
    """Stop strings from one string, a sequence of strings, or None."""
    if stop is None:
        return ()
    if isinstance(stop, str):
        return (stop,)
    if isinstance(stop, Sequence):
        return tuple(stop)
    raise OptionError(f"stop must be a string or a list of strings, not {stop!r}")
