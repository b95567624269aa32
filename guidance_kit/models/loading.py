"""Load a model: a bundled one, a folder, or a name on the model hub."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from logging import CRITICAL, WARNING
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, NamedTuple, cast

import torch
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoModelForSeq2SeqLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)
from transformers.models.auto.modeling_auto import MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES
from transformers.utils import logging

from guidance_kit.errors import ModelError, OptionError
from guidance_kit.model_source import BUNDLED, bundled_folder, located, require_dtype
from guidance_kit.models.config_check import check_config
from guidance_kit.models.remote_code import (
    code_hint,
    configuration_file,
    never_asking,
    refuse_remote_code,
    require_trust,
)
from guidance_kit.models.tokenizer_check import check_tokenizer
from guidance_kit.models.transformers_model import TransformersModel

__all__ = ["BUNDLED", "bundled_models", "load", "load_config", "load_sequence_model", "load_tokenizer", "quietly"]

_OWN = ("name", "device", "dtype", "device_map", "adapter")
_WHERE = ("revision", "token", "trust_remote_code", "local_files_only", "cache_dir", "subfolder")
"""Options that concern the tokenizer too."""
_REPORTING = {"output_loading_info": True, "ignore_mismatched_sizes": True}
"""Options with which transformers returns a report on weights instead of logging it; see `_require_whole`."""
_PASSED_ON = (*_WHERE, "attn_implementation", "max_memory", "offload_folder", "quantization_config")


def bundled_models() -> list[str]:
    """Names of the language models that come with the package."""
    return sorted(path.parent.name for path in bundled_folder().glob("*/generation_config.json"))


def load(
    name: str | Path | None = None,
    *,
    device: str | torch.device | None = None,
    dtype: str | torch.dtype | None = None,
    device_map: str | dict[str, Any] | None = None,
    adapter: str | Path | None = None,
    **options: Any,
) -> TransformersModel:
    """Load a causal language model, or an encoder-decoder model, with its tokenizer.

    Args:
        name: a bundled model (`bundled_models` lists them), a folder, or a name on the model hub; None for `BUNDLED`.
        device: "cpu", "cuda", "cuda:1", ...; by default the first GPU if there is one.
        dtype: "float32", "bfloat16", ...; by default the checkpoint's own, on a CPU float32 instead of float16.
        device_map: how to spread the layers over devices, e.g. "auto" (needs accelerate); instead of `device`.
        adapter: folder or hub name of a LoRA adapter to put on the model (needs peft); see
            `TransformersModel.with_adapter`.
        options: further options of `from_pretrained`: quantization_config, attn_implementation, max_memory,
            offload_folder, revision, token, local_files_only, cache_dir, subfolder; trust_remote_code=True runs the
            Python code that the model brings along, which is refused without it.
    Raises:
        ModelError: there is no such model, it cannot be loaded whole, or only by running code that it brings along.
        OptionError: an unknown option, naming the nearest; options that exclude each other.
    """
    for option in options:
        if option not in _PASSED_ON:
            raise OptionError.unknown(option, (*_OWN, *_PASSED_ON))
    if device is not None and device_map is not None:
        raise OptionError("device and device_map exclude each other")
    chosen = _dtype(dtype)
    target = None if device_map is not None else _device(device)
    origin = _Origin.of(name, options)
    source = origin.source
    tokenizer = _tokenizer(origin, options)
    with _explaining(origin), quietly(is_local=Path(source).is_dir()):
        loaded: Any = _auto_class(origin, options).from_pretrained(
            source, dtype=chosen, device_map=device_map, **_REPORTING, **origin.trusting(options)
        )
    model, report = loaded
    if not tokenizer.encode("a", add_special_tokens=False):
        raise ModelError(
            f"{source} has no tokenizer; load the model with transformers and wrap it: "
            "TransformersModel(model, tokenizer) or TransformersModel(model, vocabulary=Vocabulary.from_bytes())"
        )
    _require_whole(source, model, report)
    if target is not None:
        _move(model, target, keeps_dtype=dtype is not None)
    made = TransformersModel(model, tokenizer, name=BUNDLED if name is None else str(name))
    return made if adapter is None else made.with_adapter(adapter)


def load_sequence_model(
    name: str | Path,
    *,
    device: str | torch.device | None = None,
    dtype: str | torch.dtype | None = None,
    **options: Any,
) -> PreTrainedModel:
    """Load a model of transformers that classifies sequences.

    Args:
        name: a folder, or a name on the model hub.
        device, dtype, options: as in `load`.
    Raises:
        ModelError, OptionError: as `load`.
    """
    for option in options:
        if option not in _PASSED_ON:
            raise OptionError.unknown(option, ("device", "dtype", *_PASSED_ON))
    chosen, target, origin = _dtype(dtype), _device(device), _Origin.of(name, options)
    with _explaining(origin), quietly(is_local=Path(origin.source).is_dir()):
        loaded: Any = AutoModelForSequenceClassification.from_pretrained(
            origin.source, dtype=chosen, **_REPORTING, **origin.trusting(options)
        )
    model, report = loaded
    _require_whole(origin.source, model, report)
    _move(model, target, keeps_dtype=dtype is not None)
    return model


def load_config(name: str | Path | None, **options: Any) -> PreTrainedConfig:
    """Load the configuration of a model; its weights are not needed.

    Args:
        name: as in `load`.
        options: as in `load`; those that concern the weights alone make no difference.
    Raises:
        ModelError: there is none, or transformers does not know the architecture.
        OptionError: an unknown option, naming the nearest.
    """
    for option in options:
        if option not in _PASSED_ON:
            raise OptionError.unknown(option, _PASSED_ON)
    origin = _Origin.of(name, options)
    place = {key: options[key] for key in _WHERE if key in options}
    with _explaining(origin), quietly(is_local=Path(origin.source).is_dir()):
        return AutoConfig.from_pretrained(origin.source, **origin.trusting(place))


def load_tokenizer(name: str | Path, **options: Any) -> PreTrainedTokenizerBase:
    """Load a tokenizer of transformers.

    Args:
        name: a folder, or a name on the model hub.
        options: as in `load`; those that concern the model alone make no difference.
    Raises:
        ModelError: there is none, or it cannot be loaded.
    """
    return _tokenizer(_Origin.of(name, options), options)


class _Origin(NamedTuple):
    """A model to be loaded.

    Attributes:
        source: where transformers finds it.
        files: its configuration files, by name.
        is_trusted: whether the code that it brings along may run.
    """

    source: str
    files: dict[str, dict[str, Any]]
    is_trusted: bool

    @classmethod
    def of(cls, name: str | Path | None, options: dict[str, Any]) -> _Origin:
        """Find a model, and refuse one that brings code along unless the options trust it.

        Raises:
            ModelError: there is no such model; its configuration cannot be read; it brings code along.
            OptionError: the options name code on the model hub, without trusting it.
        """
        is_trusted, source = require_trust(options), located(name)
        place = {key: options[key] for key in _WHERE if key in options and key != "trust_remote_code"}
        origin = cls(source, {}, is_trusted)
        with _explaining(origin):
            for file in ("config.json", "tokenizer_config.json", "adapter_config.json"):
                if (found := configuration_file(source, file, place)) is not None:
                    origin.files[file] = found
        config = origin.files.get("config.json", {})
        if "adapter_config.json" in origin.files:
            where = "an adapter beside a model" if config else "an adapter"
            raise ModelError(
                f"{source!r} holds {where}; load the model it was made for from a place of its own, with "
                f"adapter={source!r}"
            )
        check_config(source, config)
        if not is_trusted:
            refuse_remote_code(source, config, origin.files.get("tokenizer_config.json", {}))
        return origin

    def trusting(self, options: dict[str, Any]) -> dict[str, Any]:
        """Options of `from_pretrained` that say whether code may run."""
        return options | {"trust_remote_code": self.is_trusted}


def _tokenizer(origin: _Origin, options: dict[str, Any]) -> PreTrainedTokenizerBase:
    with _explaining(origin), quietly(is_local=Path(origin.source).is_dir()):
        place = {key: options[key] for key in _WHERE if key in options}
        where = {key: value for key, value in place.items() if key != "trust_remote_code"}
        check_tokenizer(origin.source, origin.files.get("tokenizer_config.json", {}), where)
        return AutoTokenizer.from_pretrained(origin.source, **origin.trusting(place))


def _auto_class(origin: _Origin, options: dict[str, Any]) -> Any:
    """Class of transformers that loads a model with a language-model head: with its encoder, if it has one."""
    config = origin.files.get("config.json", {})
    has_causal_head = any(name.endswith("ForCausalLM") for name in config.get("architectures") or ())
    if has_causal_head or config.get("model_type") not in MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES:
        return AutoModelForCausalLM
    place = {key: options[key] for key in _WHERE if key in options}
    found = AutoConfig.from_pretrained(origin.source, **origin.trusting(place))
    return AutoModelForSeq2SeqLM if found.is_encoder_decoder else AutoModelForCausalLM


@contextmanager
def _explaining(origin: _Origin) -> Iterator[None]:
    """Say what can be done where transformers cannot load something, which it is not asked to do by a question."""
    try:
        with never_asking():
            yield
    except ModelError:
        raise
    except UnpicklingError as error:
        raise ModelError(
            f"cannot load {origin.source!r}: its weights are a pickle file that holds more than tensors; nothing of "
            "it was run. Convert it to safetensors where it was made"
        ) from error
    except Exception as error:  # files that do not hold what transformers expects fail with anything
        raise ModelError(_explained(origin.source, error) + code_hint(origin.files)) from error


def _require_whole(source: str, model: PreTrainedModel, report: dict[str, Any]) -> None:
    """See that no weights were made up; warn of those that the model does not use.

    Raises:
        ModelError: weights are missing, or have other shapes than the configuration says.
    """
    kind = type(model).__name__
    if report["mismatched_keys"]:
        name, stored, expected = min(report["mismatched_keys"])
        raise ModelError(
            f"cannot load {source!r}: the weights do not fit config.json: {name} is {tuple(stored)}, and a {kind} of "
            f"these sizes has {tuple(expected)}; correct config.json"
        )
    missing = sorted(report["missing_keys"]) if getattr(model, "hf_quantizer", None) is None else []
    if missing:
        raise ModelError(f"{source} is not a whole {kind}; weights are missing: {_some(missing)}")
    if report["unexpected_keys"]:
        warnings.warn(
            f"{source} has weights that a {kind} with its config.json does not use: "
            f"{_some(sorted(report['unexpected_keys']))}; if they are layers of the model, config.json is not its own",
            UserWarning,
            stacklevel=3,
        )


def _some(names: list[str]) -> str:
    """The first names of many."""
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


@contextmanager
def quietly(*, is_local: bool) -> Iterator[None]:
    """Without what transformers logs while it loads or writes a model, as its report on weights, and without the bar
    that counts the weights of a folder, which take no time.

    Errors are still raised. A verbosity that the caller has set remains.
    """
    was_shown, verbosity = logging.is_progress_bar_enabled(), logging.get_verbosity()
    if is_local:
        logging.disable_progress_bar()
    if verbosity == WARNING:
        logging.set_verbosity(CRITICAL)
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if was_shown:
            logging.enable_progress_bar()


def _dtype(dtype: str | torch.dtype | None) -> str | torch.dtype:
    """Form of a dtype that `from_pretrained` takes."""
    if dtype is None or isinstance(dtype, torch.dtype):
        return "auto" if dtype is None else dtype
    return "auto" if require_dtype(dtype) == "auto" else cast(torch.dtype, getattr(torch, dtype))


def _device(device: str | torch.device | None) -> torch.device:
    """A device that this machine has."""
    if device is None:
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        found = torch.device(device)
        torch.empty(0, device=found)
    except (RuntimeError, AssertionError) as error:
        raise ModelError(f"there is no device {str(device)!r}: {str(error).splitlines()[0]}") from error
    return found


def _move(model: PreTrainedModel, device: torch.device, *, keeps_dtype: bool) -> None:
    """Bring the model to a device. CPUs are slow in float16, and what they do in it overflows."""
    if device.type == "cpu" and model.dtype == torch.float16 and not keeps_dtype:
        model.float()
    if getattr(model, "hf_quantizer", None) is not None:
        return  # placed where its kernels run
    try:
        cast(torch.nn.Module, model).to(device)
    except torch.OutOfMemoryError as error:
        size = sum(parameter.nbytes for parameter in model.parameters()) / 2**30
        raise ModelError(
            f"the model has {size:.1f} GiB, which {device} has not free; try device_map='auto', another dtype, "
            "or a quantization_config"
        ) from error


def _explained(source: str, error: Exception) -> str:
    """Message of a failure: its cause, and a remedy."""
    lines = [line.strip() for line in str(error).strip().splitlines()] or [type(error).__name__]
    said = " ".join(lines) if lines[0].endswith(":") else lines[0]
    if isinstance(error, LookupError | AttributeError | TypeError):  # whose texts are a key, or parts of code
        said = f"its files do not have what transformers expects ({type(error).__name__}: {said})"
    what = f"cannot load {source!r}: {said}"
    if Path(source).is_dir():
        return what
    return (
        f"{what} Without a connection to the model hub, give a folder that holds the model, or use a bundled one "
        f"({', '.join(bundled_models()) or 'none'})."
    )
