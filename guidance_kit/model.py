"""Model: generate, stream, extract and classify, under constraints and with formulas."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, Unpack

from guidance_kit.decoding.completion import Completion
from guidance_kit.errors import ModelError, OptionError
from guidance_kit.grammars.argument import ConstraintArgument
from guidance_kit.guides.guide import Guide
from guidance_kit.model_source import is_gguf
from guidance_kit.models import loading
from guidance_kit.models.transformers_model import TransformersModel
from guidance_kit.models.wrapping import is_loaded, wrap
from guidance_kit.prompt import Prompt
from guidance_kit.tasks.classifying import ClassifyingModel
from guidance_kit.tasks.extracting import ExtractingModel
from guidance_kit.tasks.scoring import ScoringModel
from guidance_kit.text_model import TextModel
from guidance_kit.thinking import AnswerOptions

if TYPE_CHECKING:
    from transformers import PreTrainedModel

    from guidance_kit.async_model import AsyncModel
    from guidance_kit.decoding.async_stream import AsyncStream

__all__ = ["Model", "load"]


class Model(ExtractingModel, ScoringModel, ClassifyingModel):
    """Language model for constrained generation, or a formula over several models, see `steering.formula.Operand`.

    `big + 1.0 * (tuned - untuned)` of three models is a model too. What it does is in `tasks`, one file a task.

    Args:
        language_model: the model with its tokenizer and cache; see `guidance_kit.models`. For a formula its base, whose
            tokenizer encodes the prompts.
        formula: formula over language models; by default the model alone.
    """

    _asynchronous: tuple[weakref.ref[asyncio.AbstractEventLoop], AsyncModel] | None = None

    def __repr__(self) -> str:
        return f"Model({self._formula})"

    def with_adapter(self, source: str | Path) -> Self:
        """Model with a LoRA adapter, which shares the weights of this one. This model stays unchanged.

        In a formula, `base + 1.5 * (base.with_adapter("polite") - base)`, models that share weights are rows of one
        forward pass; see `TransformersModel.with_adapter` for the exceptions.

        Args:
            source: a folder, or a name on the model hub, with an adapter in the format of peft.
        Raises:
            OptionError: this is a formula, adapters are added to its models; the model is of another backend.
            ModelError: peft is not installed; there is no such adapter, or its shapes do not match; this model has an
                adapter already.
        """
        if self._ensemble is not None:
            raise OptionError(f"an adapter is put on a single model, not on {self.formula}")
        if not isinstance(self.language_model, TransformersModel):
            raise OptionError(f"adapters are for models of transformers, and {self.language_model.name} is none")
        return type(self)(self.language_model.with_adapter(source))

    def early_exit(self, layers: Sequence[int]) -> Self:
        """Model with the logits of its early layers, for `dola`; see `TransformersModel.early_exit`.

        Raises:
            OptionError: this is a formula; the model is of another backend; a layer that it does not have.
            ModelError: the model has an adapter, or no output embeddings.
        """
        return type(self)(self._single("early layers are read of").early_exit(layers))

    def early_layers(self, count: int) -> Self:
        """First layers of the model with its norm and head, a smaller model; see `TransformersModel.early_layers`.

        Raises:
            OptionError: this is a formula; the model is of another backend; a count out of range.
            ModelError: the model has an adapter; its first layers do not run alone.
        """
        return type(self)(self._single("early layers are read of").early_layers(count))

    def bounded_cache(self, *, sinks: int = 4, window: int) -> Self:
        """Model over attention sinks and a recent window, approximate; see `TransformersModel.bounded_cache`.

        Args:
            sinks: number of first tokens of a text that a token attends to, at least 0.
            window: number of last tokens that it attends to, at least 1.
        Raises:
            OptionError: this is a formula; the model is of another backend; a number out of range.
            ModelError: the model has an adapter, or layers without full attention.
        """
        return type(self)(self._single("a bounded cache is for").bounded_cache(sinks=sinks, window=window))

    def _single(self, purpose: str) -> TransformersModel:
        """Model of transformers, of which there is no formula."""
        if self._ensemble is not None or not isinstance(self.language_model, TransformersModel):
            raise OptionError(f"{purpose} a single model of transformers, not {self.formula}")
        return self.language_model

    async def agenerate(
        self,
        prompt: Prompt,
        constraint: ConstraintArgument | None = None,
        *,
        n: int | None = None,
        guides: Guide[Any] | Iterable[Guide[Any]] = (),
        **options: Unpack[AnswerOptions],
    ) -> Completion | list[Completion]:
        """Continue one prompt without blocking the event loop; concurrent calls run in one batch.

        The text is that of `generate` for the same seed. See `AsyncModel`, which has bounds and a clean end.

        Args:
            prompt, constraint, n, guides, options: as in `generate`.
        Returns:
            A completion; with `n` a list of them.
        Raises:
            GuidanceKitError: as `AsyncModel.generate`.
        """
        return await self._in_loop().generate(prompt, constraint, n=n, guides=guides, **options)  # pyright: ignore[reportCallIssue, reportArgumentType, reportUnknownVariableType]

    def astream(
        self,
        prompt: Prompt,
        constraint: ConstraintArgument | None = None,
        *,
        guides: Guide[Any] | Iterable[Guide[Any]] = (),
        **options: Unpack[AnswerOptions],
    ) -> AsyncStream:
        """Continue one prompt, piece by piece: `async for piece in model.astream(...)`; see `AsyncModel.stream`.

        Args:
            prompt, constraint, guides, options: as in `generate`.
        """
        return self._in_loop().stream(prompt, constraint, guides=guides, **options)

    def _in_loop(self) -> AsyncModel:
        """Asynchronous calls of the running event loop, with the default bounds."""
        from guidance_kit.async_model import AsyncModel  # which many programs never need

        loop = asyncio.get_running_loop()
        if self._asynchronous is None or self._asynchronous[0]() is not loop:
            self._asynchronous = weakref.ref(loop), AsyncModel(self)
        return self._asynchronous[1]


def load(name: str | Path | Model | TransformersModel | PreTrainedModel | None = None, **options: Any) -> Model:
    """Load a model to generate with.

    Args:
        name: a name on the model hub, or a folder; None for the bundled model, which needs no network. Or a file in
            .gguf, which llama.cpp runs. Or a loaded model of transformers, with the tokenizer of its folder or name
            unless `tokenizer=` gives another; or a `TransformersModel`, or a `Model`.
        options: as in `guidance_kit.models.loading.load`: device, dtype, device_map, adapter, ...; of a file in .gguf
            as in `models.gguf.gguf_model.load_gguf`: cache_tokens, cache_dtype, threads, gpu_layers.
    Raises:
        ModelError: the model cannot be loaded, or has no tokenizer; llama-cpp-python is not installed.
        OptionError: an unknown option (the message has the nearest one); an option for loading beside a loaded model.
    """
    if isinstance(name, Model):
        if options:
            raise OptionError(f"{', '.join(options)}: for loading, and the model is loaded already")
        return name
    if is_loaded(name):
        return Model(wrap(name, **options))
    if name is not None and not isinstance(name, str | Path):
        raise OptionError(f"a model is loaded by its name or folder, or is one of transformers, not {name!r}")
    if name is not None and is_gguf(name):
        return Model(_load_gguf(name, **options))
    return Model(loading.load(name, **options))


def _load_gguf(path: str | Path, **options: Any) -> TextModel:
    """See `load`."""
    try:
        from guidance_kit.models.gguf.gguf_model import load_gguf  # which needs an optional library
    except ModuleNotFoundError as error:
        if error.name != "llama_cpp":
            raise
        raise ModelError(f"{path} needs llama-cpp-python: pip install 'guidance-kit[llama-cpp]'") from None
    return load_gguf(path, **options)
