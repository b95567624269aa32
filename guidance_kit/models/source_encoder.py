"""Encoder of an encoder-decoder model: the prompt is its source, which it reads once, and the text is the decoder's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence
from transformers import DynamicCache, EncoderDecoderCache, PreTrainedModel
from transformers.cache_utils import Cache
from transformers.modeling_outputs import MoEModelOutput

from guidance_kit.errors import ContextLengthError, ModelError
from guidance_kit.models.row_reading import EncodedSource

__all__ = ["SourceEncoder", "decoder_config", "is_encoder_decoder"]

KEPT_BYTES = 2**28
"""Memory for sources that the last call did not need. Those that it needed are kept in any case."""


def is_encoder_decoder(model: PreTrainedModel) -> bool:
    """Test whether a model reads prompts in an encoder and writes texts in a decoder that attends to it."""
    return bool(getattr(model.config, "is_encoder_decoder", False))


def decoder_config(model: Any) -> Any:
    """Configuration of the decoder beside an encoder."""
    return getattr(model.get_decoder(), "config", model.config)


class _SourceBatch(NamedTuple):
    """Sources of the rows of a batch, padded at their ends.

    Attributes:
        sources: one a row.
        hidden: output of the encoder: float, (batch, longest, width).
        mask: int64, (batch, longest), 0 for padding.
        layers: keys and values of the cross attention: float, (batch, heads, longest, width) each; None where no call
            had a cache.
    """

    sources: list[EncodedSource]
    hidden: Tensor
    mask: Tensor
    layers: list[tuple[Tensor, Tensor]] | None


class SourceEncoder:
    """Encoder of a model with what it computed, by source.

    A prefix is the source, then the decoder's start token, then the text. The first start token behind the first token
    of a prefix ends the source. The encoder reads the source with the tokens that the tokenizer puts at the end of a
    sequence, whether or not the source has them: prompts come without them.

    Args:
        model: encoder-decoder model of transformers.
        ending: tokens with which the encoder expects a source to end, as `</s>`.
        applied: context in which each row of a batch goes through an adapter, None for none.
        tokens_per_forward: about how many tokens the encoder reads at once.
        limit: greatest number of tokens of a source; None if nothing says.
    Raises:
        ModelError: encoder and decoder have vocabularies of their own; the configuration names no start token.
    """

    def __init__(
        self,
        model: PreTrainedModel,
        *,
        ending: Sequence[int],
        applied: Callable[[Sequence[str | None]], AbstractContextManager[Any]],
        tokens_per_forward: int,
        limit: int | None,
    ) -> None:
        self._limit = limit
        self.tokens_per_forward = tokens_per_forward
        self._model: Any = model
        self._config = decoder_config(model)
        self._ending = tuple(ending)
        self._applied = applied
        self._sources: dict[tuple[str | None, tuple[int, ...]], EncodedSource] = {}
        self._batch: _SourceBatch | None = None
        _require_one_vocabulary(model)
        _ = self.start

    @property
    def start(self) -> int:
        """Token with which the decoder begins, as `generate` of transformers finds it.

        Raises:
            ModelError: there is none, or one for each row of a batch.
        """
        for settings in (self._model.generation_config, self._model.config, self._model.config.get_text_config()):
            for name in ("decoder_start_token_id", "bos_token_id"):
                token = getattr(settings, name, None)
                if isinstance(token, int):
                    return token
        raise ModelError(
            f"{type(self._model).__name__} has no decoder_start_token_id: set it in model.generation_config"
        )

    @property
    def forced(self) -> list[int]:
        """Token that the decoder is given behind its start, as `</s>` is followed by `<s>` in BART; mostly none."""
        token = getattr(self._model.generation_config, "forced_bos_token_id", None)
        return [] if token is None else [int(token)]

    @property
    def bytes(self) -> int:
        """Memory held for encoded sources."""
        return sum(source.bytes for source in self._sources.values())

    def clear(self) -> None:
        """Forget everything."""
        self._sources.clear()
        self._batch = None

    def prompt_tokens(self, tokens: Sequence[int]) -> list[int]:
        """Source and the decoder's first tokens, from the tokens of a prompt.

        A prompt that has a start token already, and more behind it, is one whose text has begun: it stays as it is. An
        empty source is the ending alone.

        Raises:
            ModelError: the source is empty, and the encoder expects no ending.
        """
        start, given = self.start, list(tokens)
        if given in ([], [start]):
            if not self._ending:
                raise ModelError("the prompt is empty, and an encoder has to read at least one token")
            given = [*self._ending]
        if start not in given[1:]:
            given.append(start)
        return [*given, *self.forced] if given.index(start, 1) == len(given) - 1 else given

    def split(self, prefix: Sequence[int], adapter: str | None) -> tuple[EncodedSource, list[int]]:
        """Source of a prefix, and what the decoder reads.

        Raises:
            ModelError: there is no start token behind the first token.
            ContextLengthError: the source is longer than the encoder can read.
        """
        source, text = self.parts(prefix)
        self.require_room(source)
        return self._sources.setdefault((adapter, source), EncodedSource(source, adapter)), text

    def require_room(self, source: Sequence[int]) -> None:
        """Refuse a source that is longer than the encoder can read.

        Raises:
            ContextLengthError: it is.
        """
        if self._limit is not None and len(source) > self._limit:
            raise ContextLengthError(tokens=len(source), context_length=self._limit, model="the encoder")

    def parts(self, prefix: Sequence[int]) -> tuple[tuple[int, ...], list[int]]:
        """Tokens that the encoder reads, with their ending, and those that the decoder reads.

        Raises:
            ModelError: there is no start token behind the first token.
        """
        start = self.start
        try:
            end = list(prefix).index(start, 1)
        except ValueError:
            raise ModelError(
                f"a prefix has no token {start}, with which the decoder begins, behind the tokens for the encoder; "
                "prompt_tokens of the model adds it"
            ) from None
        source = tuple(prefix[:end])
        return source if source[-len(self._ending) :] == self._ending else source + self._ending, list(prefix[end:])

    def arguments(self, sources: Sequence[EncodedSource], cache: Cache | None) -> dict[str, Any]:
        """Arguments of a forward pass of the decoder.

        Args:
            sources: one a row.
            cache: keys and values of the self attention; None keeps nothing.
        """
        known = self._batch
        is_known = known is not None and known.sources == list(sources)
        if known is None or not is_known or (cache is not None and known.layers is None):
            known = self._batch = self._batch_of(list(sources), with_layers=cache is not None)
        given: dict[str, Any] = {
            "encoder_outputs": _output(known.hidden),
            "attention_mask": known.mask,
        }
        if cache is not None:
            given["past_key_values"] = EncoderDecoderCache(cache, DynamicCache(known.layers))
        return given

    def _batch_of(self, sources: list[EncodedSource], *, with_layers: bool) -> _SourceBatch:
        """Batch that rows attend to: computed for new sources, and copied for each row of different ones."""
        distinct = list(dict.fromkeys(sources))
        if new := [source for source in distinct if source.hidden is None]:
            self._encode(new)
            self._forget(distinct)
        if with_layers and (new := [source for source in distinct if source.layers is None]):
            self._project(new)
        rows = distinct if len(distinct) == 1 else sources
        hidden, mask = _padded(rows)
        layers = _padded_layers(rows, hidden.shape[1]) if with_layers else None
        if len(distinct) == 1:  # many rows of one source, as beams, share its memory
            hidden, mask = hidden.expand(len(sources), -1, -1), mask.expand(len(sources), -1)
            layers = layers and [
                (keys.expand(len(sources), -1, -1, -1), values.expand(len(sources), -1, -1, -1))
                for keys, values in layers
            ]
        return _SourceBatch(sources, hidden, mask, layers)

    def _encode(self, sources: list[EncodedSource]) -> None:
        """Run the encoder, shorter sources first, so that there is little padding."""
        encoder, device = self._model.get_encoder(), self._model.get_input_embeddings().weight.device
        for part in self._parts(sources):
            rows = [torch.tensor(source.tokens, device=device) for source in part]
            lengths = torch.tensor([len(row) for row in rows], device=device)
            tokens = pad_sequence(rows, batch_first=True)
            mask = (torch.arange(tokens.shape[1], device=device) < lengths[:, None]).long()
            with self._applied([source.adapter for source in part]):
                hidden = encoder(input_ids=tokens, attention_mask=mask).last_hidden_state
            for source, found in zip(part, hidden, strict=True):
                source.hidden = found[: len(source.tokens)].clone()

    def _project(self, sources: list[EncodedSource]) -> None:
        """Compute keys and values of the cross attention, by a step of the decoder."""
        for part in self._parts(sources):
            hidden, mask = _padded(part)
            cache = EncoderDecoderCache(DynamicCache(config=self._config), DynamicCache())
            with self._applied([source.adapter for source in part]):
                self._model(
                    decoder_input_ids=torch.full((len(part), 1), self.start, device=mask.device),
                    encoder_outputs=_output(hidden),
                    attention_mask=mask,
                    past_key_values=cache,
                    use_cache=True,
                )
            found: list[Any] = cache.cross_attention_cache.layers
            for row, source in enumerate(part):
                length = len(source.tokens)
                source.layers = [
                    (layer.keys[row, :, :length].clone(), layer.values[row, :, :length].clone()) for layer in found
                ]

    def _parts(self, sources: list[EncodedSource]) -> list[list[EncodedSource]]:
        """Sources in batches of about `tokens_per_forward` tokens, by length."""
        parts: list[list[EncodedSource]] = []
        for source in sorted(sources, key=lambda source: len(source.tokens)):
            if parts and (len(parts[-1]) + 1) * len(source.tokens) <= self.tokens_per_forward:
                parts[-1].append(source)
            else:
                parts.append([source])
        return parts

    def _forget(self, needed: Sequence[EncodedSource]) -> None:
        """Let go of the oldest sources beyond `KEPT_BYTES` that are not needed."""
        kept = set(needed)
        held = sum(source.bytes for source in self._sources.values() if source not in kept)
        for key, source in list(self._sources.items()):
            if held <= KEPT_BYTES:
                break
            if source not in kept:
                held -= source.bytes
                del self._sources[key]


def _output(hidden: Tensor) -> MoEModelOutput:
    """Output of an encoder as decoders take it; those of mixtures of experts ask for its router too."""
    return MoEModelOutput(last_hidden_state=hidden)  # pyright: ignore[reportArgumentType]


def _padded(sources: Sequence[EncodedSource]) -> tuple[Tensor, Tensor]:
    """Outputs of the encoder, (batch, longest, width), and their mask, int64 (batch, longest)."""
    hidden = pad_sequence([source.hidden for source in sources if source.hidden is not None], batch_first=True)
    lengths = torch.tensor([len(source.tokens) for source in sources], device=hidden.device)
    return hidden, (torch.arange(hidden.shape[1], device=hidden.device) < lengths[:, None]).long()


def _padded_layers(sources: Sequence[EncodedSource], length: int) -> list[tuple[Tensor, Tensor]]:
    """Keys and values of the cross attention of each layer: (batch, heads, length, width) each."""

    def stacked(parts: Sequence[Tensor]) -> Tensor:
        return torch.stack([torch.nn.functional.pad(part, (0, 0, 0, length - part.shape[1])) for part in parts])

    by_layer = zip(*(source.layers or () for source in sources), strict=True)
    return [(stacked([keys for keys, _ in layer]), stacked([values for _, values in layer])) for layer in by_layer]


def _require_one_vocabulary(model: Any) -> None:
    """Refuse models whose encoder reads other tokens than the decoder writes."""
    config = model.config
    has_two = getattr(config, "share_encoder_decoder_embeddings", True) is False or hasattr(config, "tgt_vocab_size")
    if not has_two:
        sides = (side.get_input_embeddings() for side in (model.get_encoder(), model.get_decoder()))
        has_two = len({getattr(side, "num_embeddings", None) for side in sides}) > 1
    if has_two:
        raise ModelError(
            f"{type(model).__name__} has a vocabulary for its encoder and another one for its decoder; models with one "
            "vocabulary for both can be used"
        )
