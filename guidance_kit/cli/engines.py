"""Options of the engine that runs the model of a job."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import typer

from guidance_kit.cli.arguments import load_model
from guidance_kit.errors import OptionError

__all__ = ["Engine", "EngineOption", "EngineOptions"]

EngineOption = Annotated[
    Literal["transformers", "vllm"],
    typer.Option("--engine", metavar="NAME", help="Engine of the model: transformers, or vllm, which needs vLLM 0.32."),
]
EngineOptions = Annotated[
    str | None,
    typer.Option(
        metavar="JSON",
        help="""Options of vLLM, e.g. '{"max_model_len": 4096}'.""",
        show_default=False,
    ),
]


@dataclass(frozen=True, slots=True)
class Engine:
    """Engine of the model of a job, and its options."""

    name: Literal["transformers", "vllm"]
    options: dict[str, Any]

    @classmethod
    def of(cls, name: Literal["transformers", "vllm"], options: str | None, refused: dict[str, Any]) -> Engine:
        """Engine that the command names.

        Args:
            options: an object of JSON.
            refused: options of the command that vLLM does not have, by name; None or False where they are not given.
        Raises:
            OptionError: one of them is given; the options are no object, or for no engine.
        """
        found: object = {}
        if options is not None:
            try:
                found = json.loads(options)
            except ValueError as error:
                raise OptionError(f"--engine-options is no JSON: {error}") from None
            if not isinstance(found, dict):
                raise OptionError(f"--engine-options is an object of JSON, not {options}")
        assert isinstance(found, dict)
        if name == "transformers":
            if options is not None:
                raise OptionError("--engine-options needs --engine vllm, whose options they are")
            return cls(name, {})
        for option, value in refused.items():
            if value is not None and value is not False:
                raise OptionError(f"--engine vllm does not have --{option.replace('_', '-')}; leave one of them out")
        return cls(name, found)

    @property
    def settings(self) -> dict[str, str]:
        """Settings on which lines depend; none for the usual engine."""
        return {} if self.name == "transformers" else {"engine": self.name}

    def load(
        self, model: str | None, device: str | None, dtype: str | None, adapter: str | None, *, trust_remote_code: bool
    ) -> Any:
        """The model.

        Raises:
            OptionError: the engine is not installed, or does not have an option.
            ModelError: it cannot be loaded.
        """
        if self.name == "transformers":
            return load_model(model, device, dtype, adapter, trust_remote_code=trust_remote_code)
        from guidance_kit.integrations.engines import load_on

        for name, value in (("VLLM_LOGGING_LEVEL", "WARNING"), ("TQDM_DISABLE", "1")):
            os.environ.setdefault(name, value)  # read when vLLM is imported
        return load_on("vllm", model, self.options, dtype=dtype, trust_remote_code=trust_remote_code)
