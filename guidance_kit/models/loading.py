"""Load a model: the bundled one, a folder, or a name on the model hub."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.utils import logging

from guidance_kit.errors import ModelError, OptionError
from guidance_kit.models.language_model import LanguageModel

__all__ = ["BUNDLED", "bundled_models", "load"]

BUNDLED = "support-2m"
"""The model that `load()` gives."""

_SHARED = ("revision", "token", "trust_remote_code", "local_files_only", "cache_dir", "subfolder")
"""Options that concern the tokenizer too."""

_FOLDER = Path(__file__).resolve().parent.parent / "bundled"


def bundled_models() -> list[str]:
    """Names of the models that come with the package."""
    return sorted(path.parent.name for path in _FOLDER.glob("*/config.json"))


def load(
    name: str | Path | None = None,
    *,
    device: str | torch.device | None = None,
    dtype: str | torch.dtype | None = None,
    device_map: str | dict[str, Any] | None = None,
    adapter: str | Path | None = None,
    **options: Any,
) -> LanguageModel:
    """Load a causal language model with its tokenizer.

    Args:
        name: a bundled model, a folder, or a name on the model hub; None for the bundled one.
        device: "cpu", "cuda", "cuda:1", ...; by default the first GPU if there is one.
        dtype: "float32", "bfloat16", ...; by default the checkpoint's own, on a CPU float32 instead of float16.
        device_map: how transformers spreads the layers over devices, e.g. "auto" (needs accelerate).
        adapter: folder or hub name of an adapter to put on the model (needs peft).
        options: further options of `AutoModelForCausalLM.from_pretrained`: `quantization_config`, `revision`,
            `attn_implementation`, `subfolder`, `token`, `trust_remote_code`, `local_files_only`, `cache_dir`.
    Raises:
        ModelError: there is no such model, or it cannot be loaded.
        OptionError: an unknown option, naming the nearest.
    """
    known = {
        "quantization_config", "revision", "attn_implementation", "subfolder", "token", "trust_remote_code",
        "local_files_only", "cache_dir", "max_memory", "offload_folder",
    }  # fmt: skip
    for option in options:
        if option not in known:
            own = set(inspect.signature(load).parameters) - {"options"}
            raise OptionError.unknown(option, known | own)
    if device is not None and device_map is not None:
        raise OptionError("device and device_map exclude each other")
    chosen = _dtype(dtype)
    source = _located(name)
    try:
        tokenizer = AutoTokenizer.from_pretrained(source, **{key: options[key] for key in _SHARED if key in options})
        with _quietly(is_local=Path(source).is_dir()):
            model: Any = AutoModelForCausalLM.from_pretrained(source, dtype=chosen, device_map=device_map, **options)
    except (OSError, ValueError, ImportError) as error:
        raise ModelError(_explained(str(name), error)) from error
    if adapter is not None:
        model = _adapted(model, adapter)
    if device_map is None:
        target = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
        if dtype is None and target.type == "cpu" and model.dtype == torch.float16:
            model = model.float()
        try:
            model = model.to(target)
        except (RuntimeError, AssertionError) as error:
            raise ModelError(f"cannot move the model to {target}: {str(error).splitlines()[0]}") from error
    return LanguageModel(model, tokenizer)


@contextmanager
def _quietly(*, is_local: bool) -> Iterator[None]:
    """Without the bar that counts the weights of a folder, which takes no time."""
    was_shown = logging.is_progress_bar_enabled()
    if is_local:
        logging.disable_progress_bar()
    try:
        yield
    finally:
        if was_shown:
            logging.enable_progress_bar()


def _located(name: str | Path | None) -> str:
    """Where transformers finds the model."""
    if name is None:
        name = BUNDLED
    if isinstance(name, Path) or Path(name).is_dir():
        if not (Path(name) / "config.json").is_file():
            raise ModelError(f"the folder {name} has no config.json; it does not hold a model of transformers")
        return str(name)
    if (_FOLDER / name / "config.json").is_file():
        return str(_FOLDER / name)
    if name == BUNDLED:
        raise ModelError(f"the bundled model {name} is missing from {_FOLDER}; install the package again")
    if name.startswith((".", "/", "~")):
        raise ModelError(f"there is no folder {name}")
    return name


def _dtype(dtype: str | torch.dtype | None) -> str | torch.dtype:
    """What `from_pretrained` understands."""
    if dtype is None:
        return "auto"
    if isinstance(dtype, torch.dtype) or dtype == "auto":
        return dtype
    found = getattr(torch, dtype, None)
    if not isinstance(found, torch.dtype):
        raise OptionError.unknown(dtype, ["float32", "float16", "bfloat16", "auto"], what="dtype")
    return found


def _explained(name: str, error: Exception) -> str:
    """What went wrong, and what can be done."""
    first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    bundled = ", ".join(bundled_models()) or "none"
    return (
        f"cannot load {name!r}: {first} "
        f"Without a connection to the model hub, give a folder that holds the model, or use a bundled one ({bundled})."
    )


def _adapted(model: Any, adapter: str | Path) -> Any:
    """The model with an adapter merged into how it computes."""
    if find_spec("peft") is None:
        raise ModelError("adapters need the peft library; install guidance-kit[peft]")
    from peft import PeftModel  # pyright: ignore[reportMissingImports]

    try:
        return PeftModel.from_pretrained(model, str(adapter))
    except (OSError, ValueError) as error:
        raise ModelError(f"cannot load the adapter {str(adapter)!r}: {error}") from error
