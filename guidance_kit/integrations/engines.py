"""Engines that run the models of batch jobs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, get_args

from guidance_kit.errors import OptionError
from guidance_kit.model import load

__all__ = ["EngineName", "load_on"]

EngineName = Literal["transformers", "vllm"]
"""Engine of a model: "transformers", our own loop over transformers (or llama.cpp), or "vllm"."""


def load_on(engine: EngineName, name: str | Path | None, engine_options: Mapping[str, Any], **options: Any) -> Any:
    """Model of a job on an engine.

    Args:
        name: of a model, see `gk.load`.
        engine_options: of `EngineModel.load` in vLLM, its own as `max_model_len` among them; none for our own loop.
        options: of `gk.load`; in vLLM dtype and trust_remote_code, and others that are None.
    Returns:
        A `Model`, or an `EngineModel`.
    Raises:
        OptionError: no such engine, or it is not installed; an option that it does not have.
        ModelError: the model cannot be loaded.
    """
    if engine not in get_args(EngineName):
        raise OptionError.unknown(str(engine), get_args(EngineName), "engine")
    if engine == "transformers":
        if engine_options:
            raise OptionError(f"engine_options are for engine='vllm': {', '.join(engine_options)}")
        return load(name, **options)
    given = {option: value for option, value in options.items() if value is not None}
    for option in given:
        if option not in ("dtype", "trust_remote_code"):
            raise OptionError(f"engine='vllm' does not have {option}; leave it out, or see engine_options")
    try:
        from guidance_kit.integrations.vllm.engine_model import EngineModel  # which needs an optional library
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "vllm":
            raise
        raise OptionError("engine='vllm' needs vLLM 0.32 here: pip install 'guidance-kit[vllm]'") from None
    return EngineModel.load(name, **given, **engine_options)
