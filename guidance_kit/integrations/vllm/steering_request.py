"""Steering that a request to vLLM asks for, and the terms that its server offers."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from guidance_kit.decoding.sampling import Sampling
from guidance_kit.errors import GuidanceKitError, OptionError
from guidance_kit.guides.guide import Guide, guides_of
from guidance_kit.guides.logit_bias import LogitBias
from guidance_kit.guides.penalties import Penalties
from guidance_kit.integrations.vllm.plugin import KEY, STEERING
from guidance_kit.integrations.vllm.row_mark import RowMark, key_file, read_sampling
from guidance_kit.steering.classified import Others
from guidance_kit.steering.terms import Weight

__all__ = [
    "ClassifierTerm", "ExpertTerm", "SteeringRequest", "SteeringSettings", "read_request", "read_settings",
    "row_mark", "settings_of_environment",
]  # fmt: skip


class ExpertTerm(BaseModel, frozen=True, extra="forbid"):
    """Term `expert - anti_expert` of a formula.

    Attributes:
        expert: folder or hub name of a causal language model with the tokens of the served one; None for that itself.
        anti_expert: the same.
    """

    kind: Literal["experts"]
    expert: str | None = None
    anti_expert: str


class ClassifierTerm(BaseModel, frozen=True, extra="forbid"):
    """Term of classifier guidance; see `classifier_guided`.

    Attributes:
        classifier: folder or hub name of a `PrefixClassifier` or a `SequenceClassifier`.
        labels: its labels to steer towards.
        top_k: number of classified tokens.
        others, has_prompt: as in `classifier_guided`.
    """

    kind: Literal["prefix_classifier", "sequence_classifier"]
    classifier: str
    labels: tuple[str, ...] = Field(min_length=1)
    top_k: int = Field(default=100, ge=1)
    others: Others = "removed"
    has_prompt: bool = False


class SteeringSettings(BaseModel, frozen=True, extra="forbid"):
    """Terms that requests to an engine may name.

    Attributes:
        terms: by name; all of them are loaded when the engine starts.
        dtype: of their models, see `load`; None for that of each checkpoint.
        watermarks: key files of `Watermark.save`, by the names that requests give.
    """

    terms: dict[str, Annotated[ExpertTerm | ClassifierTerm, Field(discriminator="kind")]] = {}
    dtype: str | None = None
    watermarks: dict[str, str] = {}


class Truncation(BaseModel, frozen=True, extra="forbid"):
    """Truncation of the served model before steering, see `Operand.keep`."""

    model_config = ConfigDict(strict=True)

    top_k: int | None = None
    top_p: float | None = None
    min_p: float | None = None


class SteeringRequest(BaseModel, frozen=True, extra="forbid"):
    """Steering of the texts of one request.

    The logits are those of `base.keep(...)`, plus weight times term for the experts and then for the classifiers, in
    the order of the settings; then the penalties and biases.

    Attributes:
        weights: of terms, by name; those of classifiers, and of terms without an expert, are not negative.
        keep: truncation of the served model before steering.
        logit_bias: from token ids, also as strings, to nats in [-100, 100].
        presence, frequency, repetition: as in `Penalties`.
        watermark: name of a watermark of the server; None for unmarked texts. The key never leaves the server.
    """

    model_config = ConfigDict(strict=True)

    weights: dict[str, float] = {}
    keep: Truncation | None = None
    logit_bias: dict[str | int, float] = {}
    presence: float = 0.0
    frequency: float = 0.0
    repetition: float = 1.0
    watermark: str | None = None

    @property
    def is_formula(self) -> bool:
        """Test for anything besides biases and penalties."""
        return bool(self.keep) or any(self.weights.values())

    @property
    def greatest_token(self) -> int:
        """Greatest token with a bias; -1 without one."""
        return max(map(int, self.logit_bias), default=-1)

    @cached_property
    def guides(self) -> tuple[Guide[Any], ...]:
        """Penalties and biases, those without effect left out.

        Raises:
            OptionError: a value is out of range.
        """
        penalties = Penalties(presence=self.presence, frequency=self.frequency, repetition=self.repetition)
        bias = LogitBias.from_openai(cast("Mapping[str, float]", self.logit_bias))
        chosen: list[Any] = [*([] if penalties == Penalties() else [penalties]), *([bias] if bias.biases else [])]
        return guides_of(chosen)


@lru_cache(maxsize=4)
def read_settings(value: str) -> SteeringSettings:
    """Settings from the value of the environment variable.

    Raises:
        OptionError: there is no such file; it has no settings, with the place at fault.
    """
    if value == "1":
        return SteeringSettings()
    try:
        text = value if value.lstrip().startswith("{") else Path(value).read_text()
        return SteeringSettings.model_validate_json(text)
    except OSError as error:
        raise OptionError(f"{STEERING} names a file of settings, and {value!r} cannot be read: {error}") from None
    except ValidationError as error:
        raise OptionError(f"{STEERING}: {_first_fault(error)}") from None


def settings_of_environment() -> SteeringSettings | None:
    """Settings of this process; None if the variable is not set."""
    value = os.environ.get(STEERING, "0")
    return None if value in ("", "0") else read_settings(value)


def read_request(params: Any, settings: SteeringSettings | None) -> SteeringRequest | None:
    """Steering that a request asks for; None if it asks for none.

    Args:
        params: vLLM's `SamplingParams`.
        settings: of the engine; None if it has none.
    Raises:
        OptionError: the steering cannot be read, or not be done as asked; names the field at fault.
    """
    asked = (params.extra_args or {}).get(KEY)
    if asked is None:
        return None
    if settings is None:
        raise OptionError(f"{KEY} asks for steering, and the environment variable {STEERING} of the server is not set")
    try:
        if isinstance(asked, str):  # over HTTP the values of vllm_xargs are texts, numbers and lists of these
            asked = json.loads(asked)
        request = SteeringRequest.model_validate(asked)
        _check_terms(request, settings)
        _ = request.guides
        _ = row_mark(request, settings, params)
    except ValidationError as error:
        raise OptionError(f"{KEY}: {_first_fault(error)}") from None
    except RecursionError:
        raise OptionError(f"{KEY} is nested too deeply") from None
    except (ValueError, GuidanceKitError) as error:
        raise OptionError(f"{KEY}: {error}") from None
    given = [name for name, neutral in _OF_VLLM.items() if (getattr(params, name, None) or neutral) != neutral]
    if given:
        raise OptionError(
            f"{', '.join(given)} beside {KEY}: vLLM applies them before the steering or after it, depending on its "
            f"model runner; give biases and penalties in {KEY}"
        )
    return request


def row_mark(request: SteeringRequest, settings: SteeringSettings, params: Any) -> RowMark | None:
    """Watermark of the texts of a request; None without one.

    Args:
        params: vLLM's `SamplingParams`.
    Raises:
        OptionError: the server has no watermark of this name; it cannot mark texts drawn in this way.
    """
    if request.watermark is None:
        return None
    if request.watermark not in settings.watermarks:
        raise OptionError.unknown(request.watermark, list(settings.watermarks), "watermark of this server")
    watermark = key_file(settings.watermarks[request.watermark])
    return RowMark(watermark, read_sampling(params, watermark), getattr(params, "seed", None))


_OF_VLLM: dict[str, Any] = {
    "logit_bias": {},
    "presence_penalty": 0.0,
    "frequency_penalty": 0.0,
    "repetition_penalty": 1.0,
}
"""Fields of a request that vLLM applies itself, with the value that has no effect."""


def _check_terms(request: SteeringRequest, settings: SteeringSettings) -> None:
    """Raise an OptionError for a weight or a truncation that the terms do not allow."""
    for name, weight in request.weights.items():
        term = settings.terms.get(name)
        if term is None:
            raise OptionError.unknown(name, list(settings.terms), "term of this server")
        Weight(weight)
        if weight < 0 and isinstance(term, ClassifierTerm):
            raise OptionError(f"the weight of {name} is {weight}; to steer away from a class, steer towards the others")
        if weight < 0 and term.kind == "experts" and term.expert is None:
            raise OptionError(
                f"the weight of {name} is {weight}, and its expert is the served model, whose logits vLLM has masked; "
                "a model's own logits can only be added"
            )
    if request.keep is not None:
        Sampling(**request.keep.model_dump())
    if request.repetition != 1 and request.is_formula:
        raise OptionError(
            "repetition beside weights or keep: a repetition penalty depends on the zero of the logits, which a "
            "formula and the masks of vLLM move; take presence and frequency"
        )


def _first_fault(error: ValidationError) -> str:
    """Place and reason of the first fault, and how many more there are."""
    first, *others = error.errors(include_url=False, include_context=False)
    place = ".".join(map(str, first["loc"]))
    return f"{place + ': ' if place else ''}{first['msg']}{f' (and {len(others)} more)' if others else ''}"
