"""One call of a transformers model, with the differences between architectures taken out."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from operator import attrgetter
from typing import Any, cast

import torch
from torch import Tensor
from transformers import DynamicCache, PreTrainedModel
from transformers.cache_utils import Cache, DynamicLayer, DynamicSlidingWindowLayer, LinearAttentionCacheLayerMixin

from guidance_kit.errors import ModelError, OptionError, VocabularyError
from guidance_kit.models.adapters import Adapters
from guidance_kit.models.few_rows import FewRows, gains_from_few_rows, has_large_weights, store_by_outputs
from guidance_kit.models.row_reading import EncodedSource, RowReading
from guidance_kit.models.source_encoder import SourceEncoder, decoder_config, is_encoder_decoder

__all__ = ["Forward", "context_length", "first_position"]

_LIMITS = ("max_position_embeddings", "n_positions", "max_seq_len", "seq_length")
_ENCODER_LIMITS = ("max_encoder_position_embeddings", *_LIMITS)
_DECODER_LIMITS = ("max_decoder_position_embeddings", *_LIMITS)
_NAMES = ("input_ids", "attention_mask", "position_ids")
"""Arguments that a decoder beside an encoder has under names of its own."""


def context_length(config: Any, names: Sequence[str] = _LIMITS) -> int | None:
    """The greatest number of tokens that a model was made for, None if its configuration does not say.

    Doge selects `keep_window_size` of its keys before it masks those of later tokens, so that its logits depend on
    these in longer texts. Positions of T5's kind are distances, which have no limit: the number in its configuration is
    that of its training texts, and texts of any length are usual.

    Args:
        names: fields of the configuration that may say it, the first of them counts.
    """
    if _has_distances(config):
        return None
    limits = (getattr(config, name, None) for name in names)
    first = next((limit for limit in limits if isinstance(limit, int) and limit > 0), None)
    causal = getattr(config, "keep_window_size", None)
    return min((limit for limit in (first, causal) if isinstance(limit, int)), default=None)


def _has_distances(config: Any) -> bool:
    """Test for positions as biases of the attention by distance, as T5 has them: those of tokens need not be told."""
    return getattr(config, "relative_attention_num_buckets", None) is not None and hasattr(config, "d_kv")


def _limits_time_steps(module: torch.nn.Module) -> bool:
    """Test whether a layer clamps its time steps, which transformers does in whole texts and not in single steps."""
    low, high = getattr(module, "time_step_limit", None) or (0.0, math.inf)
    return low > 0 or high < math.inf


def first_position(model: PreTrainedModel) -> int:
    """Position of the first token of a text: 0, but `padding_idx` + 1 in models of RoBERTa's kind.

    These have position embeddings for as many texts' places less than their configuration says, because the position
    `padding_idx` is that of padding, and those before it are never used.
    """
    for module in model.modules():
        padding, table = getattr(module, "padding_idx", None), getattr(module, "position_embeddings", None)
        if isinstance(padding, int) and getattr(table, "padding_idx", None) == padding:
            return padding + 1
    return 0


class Forward:
    """The forward pass of a causal language model, or of the decoder of an encoder-decoder model: tokens in, logits
    out, a cache filled on the way.

    Args:
        model: any causal or encoder-decoder model of transformers; it is put into evaluation mode.
        head: from what the model returns to what stands for logits, (batch, length, any width); its logits by default.
        options: further arguments of the model's forward pass.
        ending, tokens_per_forward: of the encoder, see `SourceEncoder`; without one they make no difference.
    Attributes:
        encoder: encoder of an encoder-decoder model; None for causal models.
    Raises:
        ModelError: if the model has no logits over a vocabulary.
    """

    def __init__(
        self,
        model: PreTrainedModel,
        head: Callable[[Any], Tensor] = attrgetter("logits"),
        options: Mapping[str, Any] | None = None,
        *,
        ending: Sequence[int] = (),
        tokens_per_forward: int = 8192,
    ) -> None:
        self.model = model.eval()
        self._head = head
        self._options = options or {}
        self._adapters: Adapters | None = None
        has_encoder = is_encoder_decoder(model)
        self.config: Any = decoder_config(model) if has_encoder else model.config.get_text_config(decoder=True)
        known = inspect.signature(model.forward).parameters
        self._names = {name: f"decoder_{name}" if has_encoder else name for name in _NAMES}
        self._takes_positions = self._names["position_ids"] in known
        self._has_distances = _has_distances(self.config)
        self._takes_mask = self._names["attention_mask"] in known
        self._takes_keep = "logits_to_keep" in known
        self._first_position = first_position(model)
        self._embeddings: Any = model.get_input_embeddings()
        self.embedded = int(getattr(self._embeddings, "num_embeddings", None) or self.rows)
        self._has_large_weights = has_large_weights(model)
        store_by_outputs(model)
        self._cache_name = next((name for name in ("past_key_values", "cache_params") if name in known), None)
        self.encoder: SourceEncoder | None = None
        if has_encoder:
            self.encoder = SourceEncoder(
                model,
                ending=ending,
                applied=self._applied,
                tokens_per_forward=tokens_per_forward,
                limit=context_length(getattr(model.get_encoder(), "config", model.config), _ENCODER_LIMITS),
            )

    @property
    def adapters(self) -> Adapters:
        """Adapters on the model; made for the first one."""
        if self._adapters is None:
            self._adapters = Adapters(self.model)
        return self._adapters

    @property
    def device(self) -> torch.device:
        """Device of the input embeddings."""
        return self.model.device if self._embeddings is None else self._embeddings.weight.device

    @property
    def is_coarse(self) -> bool:
        """True if the model computes in half precision, or with quantised weights."""
        is_exact = self.model.dtype in (torch.float32, torch.float64)
        return not is_exact or getattr(self.model, "hf_quantizer", None) is not None

    @property
    def rows(self) -> int:
        """Width of the logits."""
        head = self.model.get_output_embeddings()
        width = getattr(head, "out_features", None) or getattr(self.config, "vocab_size", None)
        if not isinstance(width, int):
            raise ModelError(
                f"{type(self.model).__name__} is not a causal language model: it has no logits over tokens"
            )
        return width

    @property
    def context_length(self) -> int | None:
        """The greatest number of tokens that the model was made for, None if nothing says."""
        length = context_length(self.config, _LIMITS if self.encoder is None else _DECODER_LIMITS)
        return None if length is None else length - self._first_position

    @property
    def rope_boundary(self) -> int | None:
        """The length beyond which all positions are encoded in another way (LongRoPE), None if there is none."""
        rope = getattr(self.config, "rope_parameters", None) or {}
        kinds = [entry for entry in (rope, *rope.values()) if isinstance(entry, dict)]
        found = [kind["original_max_position_embeddings"] for kind in kinds if kind.get("rope_type") == "longrope"]
        return min(found, default=None)

    def new_layers(self) -> list[Any] | None:
        """Empty cache layers of transformers for this model; None if it has none that can be handed over."""
        if self._cache_name is None or any(map(_limits_time_steps, self.model.modules())):
            return None
        try:
            layers = DynamicCache(config=self.config).layers
        except AttributeError:  # of a configuration that counts its layers in parts
            return None
        is_inside = getattr(self.model, "_is_stateful", False)
        if is_inside and not any(isinstance(layer, LinearAttentionCacheLayerMixin) for layer in layers):
            return None  # the model keeps its state in its own modules
        return layers

    @property
    def windows(self) -> list[int | None] | None:
        """For each layer the width of its attention window, None for all that came before, 0 if it keeps nothing.

        None instead if padded batches or going back are not possible: there are layers that keep a recurrent state, or
        positions cannot be told to the model.
        """
        layers = self.new_layers()
        if layers is None or not (self._takes_positions or self._has_distances) or not self._takes_mask:
            return None
        if getattr(self.model, "_is_stateful", False):
            return None
        found: list[int | None] = []
        for layer in layers:
            if type(layer) is DynamicLayer:
                found.append(None)
            elif type(layer) is DynamicSlidingWindowLayer:
                found.append(layer.sliding_window)
            elif type(layer).__name__ == "DummyLayer":  # uses the keys of another layer; newer than transformers 5.16
                found.append(0)
            else:
                return None
        return found

    def tensor(self, rows: Sequence[Sequence[int]]) -> Tensor:
        """Token ids of equal lengths as int64 (batch, length), where the model takes them.

        Raises:
            OptionError: something that is no integer, or one beyond int64.
            VocabularyError: if the model has no such token; a GPU would stop working for the whole process.
        """
        try:
            made = torch.tensor(rows)
        except (TypeError, ValueError, RuntimeError):
            raise OptionError(f"token ids are integers below {self.embedded}, not {list(rows[0])[:8]!r}") from None
        if made.dtype != torch.int64:
            raise OptionError(f"token ids are integers, not {str(made.dtype).removeprefix('torch.')}")
        least, greatest = int(made.min()), int(made.max())
        if least < 0 or greatest >= self.embedded:
            token = least if least < 0 else greatest
            raise VocabularyError(f"there is no token {token} in a model of {self.embedded}")
        return made.to(self.device)

    def __call__(
        self,
        tokens: Tensor,
        *,
        cache: Cache | None = None,
        mask: Tensor | None = None,
        positions: Tensor | None = None,
        keep: int = 1,
        readings: Sequence[RowReading] = (),
    ) -> Tensor:
        """Run the model on a block of tokens; the caller sees to `torch.inference_mode`.

        Args:
            tokens: int64, (batch, length).
            cache: what came before; grows by `length`. None keeps nothing.
            mask: int64, (batch, length so far), 1 for a token and 0 for padding; None for no padding. Or what is added
                to the attention of each new token to each so far: float, (batch, 1, length, length so far).
            positions: int64, (batch, length), from 0; None for consecutive ones.
            keep: number of last positions to answer for, at least 1.
            readings: manner in which each row is read; empty for the plain one, which models without an encoder have.
        Returns:
            Logits of the model's dtype, (batch, keep, rows), nats.
        """
        given: dict[str, Any] = {self._names["input_ids"]: tokens, "use_cache": cache is not None, **self._options}
        if cache is not None:
            given[cast(str, self._cache_name)] = cache
        if mask is not None and self._takes_mask:
            given[self._names["attention_mask"]] = mask
        if positions is not None and self._takes_positions:
            given[self._names["position_ids"]] = positions + self._first_position
        if self.encoder is not None:
            sources = [cast(EncodedSource, reading.source) for reading in readings]
            given |= self.encoder.arguments(sources, cache)
        if self._takes_keep:
            given["logits_to_keep"] = keep
        are_few = self._has_large_weights and gains_from_few_rows(tokens.numel())
        with self._applied([reading.adapter for reading in readings]), FewRows() if are_few else nullcontext():
            logits = self._head(self.model(**given))
        return logits if self._takes_keep else logits[:, -keep:]

    def _applied(self, adapters: Sequence[str | None]) -> AbstractContextManager[Any]:
        """Context in which each row of a batch goes through an adapter, None for none."""
        return nullcontext() if self._adapters is None else self._adapters.applied(adapters)
