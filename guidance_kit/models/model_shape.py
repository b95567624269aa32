"""Shape of a model: its modules on torch's meta device, which have sizes and no numbers.

Its forward pass computes nothing. The cache that it fills has the sizes of a real one, and the operations of the pass
are counted; so no table of architectures is needed.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode
from transformers import AutoModelForCausalLM, DynamicCache, PreTrainedModel

from guidance_kit.errors import ModelError
from guidance_kit.model_source import BUNDLED, located
from guidance_kit.models.architectures import CacheKind
from guidance_kit.models.forward import Forward
from guidance_kit.models.forward_only_cache import cache_tensors
from guidance_kit.models.kv_cache import KVCache
from guidance_kit.models.loading import load_config, quietly
from guidance_kit.models.transformers_model import TransformersModel
from guidance_kit.models.trial import FOREIGN, known_cache

__all__ = ["ForwardCount", "ModelShape"]

_LENGTH_DEPENDENT = ("dynamic", "longrope")
"""Position encodings that ask for the greatest position; no size depends on the encoding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForwardCount:
    """Cost of one forward pass.

    Attributes:
        operations: floating-point operations of matrix products, a multiplication and an addition counted as two.
        by_module: the same by name of the module, nested ones included.
    """

    operations: int
    by_module: dict[str, int]


class ModelShape:
    """Model on the meta device.

    Args:
        model: its parameters are on the meta device.
        name: for messages.
        weights: bytes of the weights where these are known, as of a loaded model; None to count them by shapes.
        quantisation: of the weights, which shapes do not show; empty if there is none, or `weights` is given.
    """

    def __init__(
        self, model: PreTrainedModel, name: str, *, weights: int | None = None, quantisation: str = ""
    ) -> None:
        self.name = name
        self.quantisation = quantisation
        self._model = model.eval()
        self._forward = Forward(model)
        self._weights = weights

    @classmethod
    def of_config(cls, source: str | Path | None, dtype: str | None = None, **options: Any) -> ModelShape:
        """Read the configuration of a model; its weights are not needed.

        The bytes of quantised weights are those of the safetensors files beside the configuration, if there are any.

        Args:
            source: a bundled model, a folder, a `config.json`, or a name on the model hub.
            dtype: of the weights; None for that of the configuration, float32 where it names none.
            options: as of `load`.
        Raises:
            ModelError: there is no configuration; transformers does not know the architecture.
        """
        place = Path(source) if source is not None else None
        if place is not None and place.name == "config.json" and place.is_file():
            source = place.parent
        config = load_config(source, **options)
        found = getattr(config, "dtype", None) if dtype in (None, "auto") else getattr(torch, str(dtype))
        quantisation = _quantisation_name(getattr(config, "quantization_config", None))
        weights = _stored(Path(located(source))) if quantisation else None
        name = str(source or BUNDLED)
        model = _on_meta(None, config, found or torch.float32, name)
        return cls(model, name, weights=weights, quantisation=quantisation if weights is None else "")

    @classmethod
    def of_model(cls, model: TransformersModel) -> ModelShape:
        """Shape of a loaded model, with the bytes that its weights have.

        Raises:
            ModelError: its cache is of bounded size.
        """
        if model.weights.has_bounded_cache:
            raise ModelError(f"{model.name} has a bounded cache: estimate the model itself, for texts of that length")
        loaded = model.model
        weights = sum(tensor.nbytes for tensor in (*loaded.parameters(), *loaded.buffers()))
        return cls(_on_meta(type(loaded), loaded.config, loaded.dtype, model.name), model.name, weights=weights)

    @cached_property
    def parameters(self) -> int:
        """Number of parameters; shared ones count once."""
        return sum(parameter.numel() for parameter in self._model.parameters())

    def weights(self, bits: float | None = None) -> int:
        """Bytes of parameters and buffers.

        Args:
            bits: bits of a weight of the layers, scales included; None for those of the dtype. Embeddings, the output
                embeddings, norms and biases keep the dtype, as in the usual quantisations.
        """
        if bits is None and self._weights is not None:
            return self._weights
        parts = [part.nbytes for part in self._model.buffers()]
        parts += [_bytes(parameter, bits if name in self._layers else None) for name, parameter in self._named]
        return sum(parts)

    def read(self, batch: int, bits: float | None = None) -> int:
        """Bytes of weights that a step of a batch reads.

        Of embeddings it reads a row a text. Of the experts of a mixture it reads those that a token of the batch
        selects: of a share s of them a token, 1 - (1 - s)^batch, as if tokens selected independently and evenly.

        Args:
            batch: number of rows of a step, one token each.
            bits: as in `weights`.
        """
        total = self.weights(bits)
        for name, parameter in self._named:
            stored = _bytes(parameter, bits if name in self._layers else None)
            if name in self._tables:
                total -= stored - min(stored, batch * parameter[0].nbytes)
            elif (share := self._shares.get(name.rpartition(".")[0], 1.0)) < 1:
                total -= round(stored * (1 - share) ** batch)
        return max(0, total)

    @cached_property
    def kind(self) -> CacheKind:
        """Cache that the library has for the architecture; for an unknown one that which its layers allow."""
        if (known := known_cache(self._forward)) is not None:
            return known
        if self._forward.windows is not None:
            return "any"
        return "none" if self._forward.new_layers() is None else "forward"

    @property
    def context_length(self) -> int | None:
        """Greatest number of tokens that the model was made for; None if nothing says."""
        return self._forward.context_length

    @property
    def itemsize(self) -> int:
        """Bytes of a number in the cache."""
        return self._model.dtype.itemsize

    def cache(self, rows: int, length: int) -> int:
        """Bytes of keys, values and states of rows of equal length; 0 where nothing can be kept.

        Args:
            rows: number of rows.
            length: tokens of each.
        Raises:
            ModelError: the forward pass depends on numbers, which shapes do not have.
        """
        return 0 if self.kind == "none" else self._read(rows, length)[0]

    def reserved(self, rows: int, length: int) -> int:
        """Bytes that the library's cache holds for rows of equal length, with its room for more tokens.

        Args:
            rows, length: as in `cache`.
        Raises:
            ModelError: as `cache`.
        """
        if self.kind != "any":
            return self.cache(rows, length)
        cache = KVCache(self._forward, tokens_per_forward=length)
        self._counted(lambda: cache.logits([[0] * length]))
        return rows * cache.bytes

    def prefill(self, rows: int, length: int) -> ForwardCount:
        """Cost of reading prompts.

        Args:
            rows, length: as in `cache`.
        Raises:
            ModelError: as `cache`.
        """
        return self._read(rows, length)[1]

    def step(self, rows: int, length: int) -> ForwardCount:
        """Cost of one more token in each row; of all tokens where nothing can be kept of them.

        Args:
            rows, length: as in `cache`.
        Raises:
            ModelError: as `cache`.
        """
        if self.kind == "none":
            return self.prefill(rows, length + 1)
        filled = self._new_cache()
        self._counted(lambda: self._forward(_tokens(rows, length), cache=filled))
        return self._counted(lambda: self._forward(_tokens(rows, 1), cache=filled))

    def _read(self, rows: int, length: int) -> tuple[int, ForwardCount]:
        """Bytes of a cache after texts, and the cost of reading them."""
        filled = None if self.kind == "none" else self._new_cache()
        counted = self._counted(lambda: self._forward(_tokens(rows, length), cache=filled))
        layers: list[Any] = [] if filled is None else filled.layers
        return sum(tensor.nbytes for layer in layers for tensor in cache_tensors(layer)), counted

    def _new_cache(self) -> DynamicCache:
        return DynamicCache(config=self._forward.config)

    def _counted(self, call: Any) -> ForwardCount:
        """Run a forward pass and count its operations.

        Raises:
            ModelError: it depends on numbers.
        """
        try:
            with torch.inference_mode(), FlopCounterMode(display=False) as counter:
                call()
        except FOREIGN as error:
            raise ModelError(
                f"{self.name}: the forward pass of {type(self._model).__name__} cannot be counted without weights: "
                f"{_reason(error)}"
            ) from error
        found = {name: sum(counts.values()) for name, counts in counter.get_flop_counts().items()}
        return ForwardCount(operations=found.get("Global", 0), by_module=found)

    @cached_property
    def _named(self) -> list[tuple[str, Tensor]]:
        """Parameters by name, shared ones once."""
        return list(self._model.named_parameters())

    @cached_property
    def _layers(self) -> set[str]:
        """Names of the weights that a quantisation stores with fewer bits: matrices but embeddings and head."""
        kept = {id(parameter) for module in self._embeddings() for parameter in module.parameters()}
        return {name for name, one in self._named if one.ndim > 1 and id(one) not in kept}

    @cached_property
    def _tables(self) -> set[str]:
        """Names of the weights of which a step reads single rows: embeddings that are not output embeddings too."""
        head = self._model.get_output_embeddings()
        used = {id(parameter) for parameter in ([] if head is None else head.parameters())}
        tables = {
            id(parameter)
            for module in self._model.modules()
            if isinstance(module, torch.nn.Embedding)
            for parameter in module.parameters()
        }
        return {name for name, one in self._named if id(one) in tables - used}

    def _embeddings(self) -> Iterator[torch.nn.Module]:
        """Embeddings and output embeddings."""
        head = self._model.get_output_embeddings()
        if head is not None:
            yield head
        yield from (module for module in self._model.modules() if isinstance(module, torch.nn.Embedding))

    @cached_property
    def _shares(self) -> dict[str, float]:
        """Share of the weights that a token uses, of modules that hold experts, by name."""
        experts = {
            name: sum(one.numel() for one in module.parameters(recurse=False) if one.ndim == 3)
            for name, module in self._model.named_modules()
        }
        if not any(experts.values()):
            return {}
        root, counted = type(self._model).__name__, self.step(1, 1)
        return {
            name: min(1.0, counted.by_module.get(f"{root}.{name}", 2 * count) / (2 * count))
            for name, count in experts.items()
            if count
        }


def _on_meta(kind: type[PreTrainedModel] | None, config: Any, dtype: torch.dtype, name: str) -> PreTrainedModel:
    """Build a model on the meta device.

    Args:
        kind: its class; None for the causal class of the configuration.
    Raises:
        ModelError: the configuration makes none.
    """
    config = copy.deepcopy(config)
    for part in {id(part): part for part in (config, config.get_text_config(decoder=True))}.values():
        part.pad_token_id = None  # else the forward pass asks for values of tokens
        _take_default_positions(part)
    if getattr(config, "quantization_config", None) is not None:
        del config.quantization_config
    build: Any = AutoModelForCausalLM.from_config if kind is None else cast(Any, kind)._from_config
    try:
        with quietly(is_local=True), torch.device("meta"):
            return build(config, dtype=dtype, experts_implementation="batched_mm")  # the others select by values
    except FOREIGN as error:
        raise ModelError(f"{name}: its configuration makes no causal language model: {_reason(error)}") from error


def _stored(folder: Path) -> int | None:
    """Bytes of the tensors in the safetensors files of a folder; None without such files."""
    files = [file for file in folder.glob("*.safetensors") if file.is_file()]
    sizes: list[int] = []
    for file in files:
        with file.open("rb") as opened:
            sizes.append(file.stat().st_size - 8 - int.from_bytes(opened.read(8), "little"))
    return sum(sizes) if files else None


def _tokens(rows: int, length: int) -> Tensor:
    return torch.zeros(rows, length, dtype=torch.int64, device="meta")


def _bytes(parameter: Tensor, bits: float | None) -> int:
    return parameter.nbytes if bits is None else round(parameter.numel() * bits / 8)


def _take_default_positions(config: Any) -> None:
    """Replace position encodings that ask for the greatest position."""
    rope = getattr(config, "rope_parameters", None)
    if not isinstance(rope, dict):
        return
    for entry in (rope, *rope.values()):
        if isinstance(entry, dict) and entry.get("rope_type") in _LENGTH_DEPENDENT:
            entry["rope_type"] = "default"


def _quantisation_name(given: Any) -> str:
    """Name of the quantisation of a configuration; empty if it has none."""
    if not given:
        return ""
    method = given.get("quant_method") if isinstance(given, dict) else getattr(given, "quant_method", None)
    return str(getattr(method, "value", method) or "an unnamed method")


def _reason(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
