"""Options of one generation, validated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypedDict, cast

from guidance_kit.decoding.asap import Asap
from guidance_kit.decoding.beam import Beam
from guidance_kit.decoding.best_of import BestOf
from guidance_kit.decoding.decoder import Decoder, takes_drafts
from guidance_kit.decoding.draw import Draw
from guidance_kit.decoding.importance import Importance
from guidance_kit.decoding.mbr import MBR
from guidance_kit.decoding.most_likely import MostLikely
from guidance_kit.decoding.sample import Sample
from guidance_kit.decoding.sample_among_beams import SampleAmongBeams
from guidance_kit.decoding.sampling import Sampling, TemperatureRule, require_integer
from guidance_kit.decoding.stochastic_beam import StochasticBeam
from guidance_kit.decoding.truncation import TruncationRule
from guidance_kit.decoding.watermark import Watermark
from guidance_kit.errors import OptionError

__all__ = ["DecoderName", "GenerateOptions", "Options"]

DecoderName = Literal[
    "sample", "importance", "asap", "beam", "sample_among_beams", "stochastic_beam", "most_likely", "best_of", "mbr"
]
"""Name of a decoder with its default settings."""

_NAMED: Mapping[str, Decoder] = {
    "sample": Sample(),
    "importance": Importance(),
    "asap": Asap(),
    "beam": Beam(),
    "sample_among_beams": SampleAmongBeams(),
    "stochastic_beam": StochasticBeam(),
    "most_likely": MostLikely(),
    "best_of": BestOf(),
    "mbr": MBR(),
}


class GenerateOptions(TypedDict, total=False):
    """Options of generation as flat keyword arguments; see `Options` and `Sampling`."""

    max_tokens: int | None
    max_field_tokens: int | None
    complete: bool
    min_tokens: int
    temperature: float | TemperatureRule
    top_n_sigma: float | None
    top_k: int | None
    top_p: float | None
    min_p: float | None
    top_a: float | None
    typical_p: float | None
    epsilon_cutoff: float | None
    eta_cutoff: float | None
    truncation: TruncationRule | None
    seed: int | None
    stop: str | Sequence[str] | None
    logprobs: int | None
    decoder: DecoderName | Decoder
    draw: Draw | None
    watermark: Watermark | None
    draft: Any
    ahead: int | None


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
        min_tokens: minimum number of generated tokens, at least 0: before, end-of-sequence tokens are forbidden. A stop
            string, or a constraint after which nothing can follow, still ends a text.
        stop: strings before which the text ends.
        logprobs: record log-probabilities, with this many alternatives a token, at least 0; None records nothing.
        decoder: decoding method.
        draw: draw of a token from the processed logits; None for inverse transform sampling, greedy at temperature 0.
        watermark: watermark of the texts, for decoders that draw tokens: `Sample`, `BestOf` and `MBR`.
        draft: draft that proposes tokens, so that a call of the model gives several: a model or a formula, "expert",
            a `Draft`, or a list of these as a chain; see `steering.drafts.DraftBinding`. The law of texts is the same
            without it.
        ahead: number of tokens that the draft proposes in a block, at least 0; None to choose it by measured times.
    Raises:
        OptionError: a value is out of range, or options exclude each other.
    """

    sampling: Sampling = field(default_factory=Sampling)
    max_tokens: int | None = 512
    max_field_tokens: int | None = None
    complete: bool = False
    min_tokens: int = 0
    stop: tuple[str, ...] = ()
    logprobs: int | None = None
    decoder: Decoder = field(default_factory=Sample)
    draw: Draw | None = None
    watermark: Watermark | None = None
    draft: Any = None
    ahead: int | None = None

    def __post_init__(self) -> None:
        if self.max_tokens is not None:
            require_integer("max_tokens", self.max_tokens, least=1)
        if self.max_field_tokens is not None:
            require_integer("max_field_tokens", self.max_field_tokens, least=1)
        if not isinstance(self.complete, bool):
            raise OptionError(f"complete must be True or False, not {self.complete!r}")
        require_integer("min_tokens", self.min_tokens, least=0)
        if self.max_tokens is not None and self.min_tokens > self.max_tokens:
            raise OptionError(f"min_tokens is {self.min_tokens}, more than max_tokens, {self.max_tokens}")
        if self.logprobs is not None:
            require_integer("logprobs", self.logprobs, least=0)
        if any(not isinstance(stop, str) or not stop for stop in self.stop):
            raise OptionError(f"stop must be strings that are not empty, not {list(self.stop)!r}")
        if any("\ud800" <= character <= "\udfff" for character in "".join(self.stop)):
            raise OptionError(f"stop has a lone surrogate, which no text can contain: {list(self.stop)!r}")
        if self.draw is not None and self.sampling.is_greedy:
            raise OptionError("a draw needs a temperature above 0: at 0 the most likely token is taken")
        if self.watermark is not None:
            self._check_watermark(self.watermark)
        if self.ahead is not None:
            require_integer("ahead", self.ahead, least=0)
            if self.draft is None:
                raise OptionError("ahead is for a draft, and there is none")
        if self.draft is not None and not takes_drafts(self.decoder):
            name = type(self.decoder).__name__.lower()
            raise OptionError(f"a draft is for decoders that draw token by token, and decoder={name!r} does not")
        self.decoder.check(self)

    def _check_watermark(self, watermark: object) -> None:
        """Check that texts can be marked.

        Raises:
            OptionError: the argument is no watermark; an option that excludes it.
        """
        if not isinstance(watermark, Watermark):
            raise OptionError(f"watermark must be a Watermark(key, ...), not {type(watermark).__name__}")
        if self.draw is not None:
            raise OptionError("watermark and draw exclude each other: each decides how a token is drawn")
        if _is_lossy(self.draft):
            raise OptionError("watermark and acceptance= of a draft exclude each other: accepted tokens have no mark")
        if self.sampling.is_greedy and watermark.kind != "green":
            raise OptionError(
                f"a {watermark.kind} watermark needs a temperature above 0: at 0 the most likely token is taken"
            )
        if not isinstance(self.decoder, Sample | BestOf | MBR):
            name = type(self.decoder).__name__
            raise OptionError(
                f"{name} draws no tokens one by one, so that it cannot mark a text; use Sample, BestOf or MBR"
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
        if "decoder" in chosen:
            chosen["decoder"] = _decoder(chosen["decoder"])
        sampling = Sampling(**{name: value for name, value in keywords.items() if name in drawing})
        return cls(sampling=sampling, **chosen)


def _is_lossy(draft: Any) -> bool:
    """Test for a draft, or one among several, whose tokens are accepted without a draw of the target."""
    several = draft if isinstance(draft, list | tuple) else getattr(draft, "drafts", ())
    return getattr(draft, "acceptance", None) is not None or any(map(_is_lossy, several))


def _decoder(given: object) -> Decoder:
    """Decoder from its name, or as given.

    Raises:
        OptionError: there is no such decoder.
    """
    if isinstance(given, str) and given in _NAMED:
        return _NAMED[given]
    if isinstance(given, str | type) or not hasattr(given, "decode"):
        raise OptionError.unknown(str(given), _NAMED, "decoder")
    return cast(Decoder, given)


def _stops(stop: object) -> tuple[str, ...]:
    """Stop strings from one string, a sequence of strings, or None."""
    if stop is None:
        return ()
    if isinstance(stop, str):
        return (stop,)
    if isinstance(stop, Sequence):
        return tuple(stop)
    raise OptionError(f"stop must be a string or a list of strings, not {stop!r}")
