"""A causal language model of transformers as a distribution that is a pure function of the prefix."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from guidance_kit.errors import ContextLengthError, ModelError
from guidance_kit.models.kv_cache import KVCache
from guidance_kit.vocabulary import Vocabulary

__all__ = ["LanguageModel"]

PREFILL = 1024
"""Columns of one forward pass at most, so that a long prompt does not need memory for all its positions at once."""

_ATTENTION = {"full_attention", "sliding_attention", "chunked_attention"}
"""Layers whose keys and values can be cut anywhere. Models with other ones are computed without a cache."""


class LanguageModel:
    """Next-token logits of a causal language model, with a key-value cache that is never wrong.

    `logits` answers for any prefixes at any time; what they share with the prefixes asked for last is not computed
    again. The caller need not say which rows went on, went back, branched or ended.

    Calls from several threads wait for each other. On more than one device (`device_map`), the model's own hooks move
    what they need.

    Args:
        model: any causal model of transformers.
        tokenizer: its tokenizer.
        vocabulary: the tokens with their bytes; read from the tokenizer by default.
    """

    def __init__(
        self, model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, *, vocabulary: Vocabulary | None = None
    ) -> None:
        self.model = model.eval()
        self.tokenizer = tokenizer
        self.cache = KVCache()
        config = model.config.get_text_config()
        head = model.get_output_embeddings()
        self.rows = int(config.vocab_size if head is None else head.weight.shape[0])
        self.context_length: int | None = getattr(config, "max_position_embeddings", None)
        self.vocabulary = vocabulary or Vocabulary.from_tokenizer(
            tokenizer, rows=self.rows, eos=_ends(model, tokenizer)
        )
        accepted = inspect.signature(model.forward).parameters
        self._takes_positions = "position_ids" in accepted
        self._takes_keep = "logits_to_keep" in accepted
        layers = set(getattr(config, "layer_types", None) or ())
        self.is_cached = "past_key_values" in accepted and layers <= _ATTENTION
        self._lock = threading.RLock()

    @property
    def device(self) -> torch.device:
        """Where tokens go in."""
        weight = self.model.get_input_embeddings().weight
        assert isinstance(weight, Tensor)
        return weight.device

    @property
    def prompt_style(self) -> str:
        """How prompts for extraction are written for this model, see `models.prompts`."""
        return getattr(self.model.config, "guidance_kit_prompt", "instruction")

    def encode(self, text: str, *, with_special_tokens: bool = True) -> list[int]:
        """Token ids of `text`; special tokens that it spells are recognised.

        Args:
            with_special_tokens: add those that the tokenizer puts at the start of a sequence, and at its end.
        """
        return list(self.tokenizer.encode(text, add_special_tokens=with_special_tokens))

    def decode(self, tokens: Sequence[int]) -> str:
        """Text of token ids, special ones left out; broken characters become U+FFFD."""
        return self.vocabulary.text_of(tokens).decode(errors="replace")

    @property
    def has_chat_template(self) -> bool:
        """Whether the tokenizer knows how the model writes conversations."""
        return getattr(self.tokenizer, "chat_template", None) is not None

    def chat(self, messages: Sequence[Mapping[str, Any]]) -> list[int]:
        """Token ids of a conversation, up to where the model answers.

        Args:
            messages: `{"role": ..., "content": ...}` each.
        Raises:
            ModelError: the tokenizer has no chat template.
        """
        if not self.has_chat_template:
            raise ModelError(
                f"{self.model.name_or_path or type(self.model).__name__} has no chat template; "
                "write the prompt as a text, or set `tokenizer.chat_template`"
            )
        conversation = [dict(message) for message in messages]
        tokens: Any = self.tokenizer.apply_chat_template(conversation, add_generation_prompt=True, return_dict=False)
        return [int(token) for token in tokens]

    def logits(self, prefixes: Sequence[Sequence[int]], positions: int = 1) -> Tensor:
        """See `decoding.Distribution.logits`.

        Raises:
            ModelError: an empty prefix, or one shorter than `positions`.
            ContextLengthError: a prefix longer than the context.
        """
        if not prefixes:
            raise ValueError("logits of no prefix")
        lengths = [len(prefix) for prefix in prefixes]
        if positions < 1 or min(lengths) < positions:
            raise ModelError(f"{positions} positions asked for, but a prefix has {min(lengths)} tokens")
        if self.context_length is not None and max(lengths) > self.context_length:
            raise ContextLengthError(tokens=max(lengths), context_length=self.context_length)
        with self._lock, torch.inference_mode():
            if not self.is_cached:
                return self._recomputed(prefixes, positions)
            try:
                return self._extended(prefixes, positions)
            except BaseException:
                self.cache.clear()  # half of a step may be in it
                raise

    def _extended(self, prefixes: Sequence[Sequence[int]], positions: int) -> Tensor:
        """Keep what the cache shares with the prefixes, compute the rest."""
        cache = self.cache
        held = cache.prefixes
        lengths = [len(prefix) for prefix in prefixes]
        rows, shared = _sources(prefixes, held)
        # One block of columns for all: rows that need fewer read some of their tokens again.
        width = max(positions, *(length - common for length, common in zip(lengths, shared, strict=True)))
        keep = [max(0, length - width) for length in lengths]
        is_same = len(held) == len(prefixes) and all(map(_is_whole, rows, range(len(rows)), held, keep))
        if not is_same:
            cache.arrange(rows, keep)
        past = max(keep)
        if cache.columns != past:  # pads that no row needs any more
            cache.arrange(range(len(prefixes)), keep)
        total = past + width
        pads = [total - length for length in lengths]
        block = torch.tensor(
            [
                [0] * (pad - past) + list(prefix[max(0, past - pad) :])
                for prefix, pad in zip(prefixes, pads, strict=True)
            ]
        )
        answers: list[Tensor] = []
        done = 0
        while done < width:
            step = min(PREFILL, width - done)
            wanted = min(step, max(0, positions - (width - done - step)))
            logits = self._forward(block[:, done : done + step], pads, past + done, max(wanted, 1))
            if wanted:
                answers.append(logits[:, -wanted:])
            done += step
        for row, prefix in zip(cache.prefixes or [[] for _ in prefixes], prefixes, strict=True):
            row.extend(prefix[len(row) :])
        if not cache.prefixes:
            cache.prefixes = [list(prefix) for prefix in prefixes]
        return answers[0] if len(answers) == 1 else torch.cat(answers, dim=1)

    def _forward(self, block: Tensor, pads: Sequence[int], past: int, positions: int) -> Tensor:
        """Run the model on columns past, past + 1, ... and extend the cache; logits of the last `positions`."""
        device = self.device
        width = block.shape[1]
        inputs: dict[str, Any] = {
            "input_ids": block.to(device),
            "past_key_values": self.cache.layers,
            "use_cache": True,
        }
        columns = torch.arange(past, past + width, device=device)
        if any(pads):
            starts = torch.tensor(pads, device=device)[:, None]
            inputs["attention_mask"] = (torch.arange(past + width, device=device) >= starts).long()
            if self._takes_positions:
                inputs["position_ids"] = (columns - starts).clamp_min(0)
        elif self._takes_positions:
            inputs["position_ids"] = columns.expand(block.shape[0], -1)
        if self._takes_keep:
            inputs["logits_to_keep"] = positions
        return self.model(**inputs).logits[:, -positions:]

    def _recomputed(self, prefixes: Sequence[Sequence[int]], positions: int) -> Tensor:
        """Without a cache and row by row: a recurrent state can neither be cut nor begin with pads."""
        answers: list[Tensor] = []
        for prefix in prefixes:
            inputs: dict[str, Any] = {"input_ids": torch.tensor([list(prefix)], device=self.device), "use_cache": False}
            if self._takes_keep:
                inputs["logits_to_keep"] = positions
            answers.append(self.model(**inputs).logits[:, -positions:])
        return torch.cat(answers)


def _is_whole(source: int, row: int, held: Sequence[int], keep: int) -> bool:
    """Whether a row stays where it is, with all that it holds."""
    return source == row and len(held) == keep


def _sources(prefixes: Sequence[Sequence[int]], held: list[list[int]]) -> tuple[list[int], list[int]]:
    """For each prefix the row that shares most with it, and how many tokens; its own row if that holds nothing else."""
    rows: list[int] = []
    shared: list[int] = []
    for number, prefix in enumerate(prefixes):
        best, most = 0, -1
        for row in (number, *range(len(held))):
            if row < len(held):
                common = _common(prefix, held[row])
                if common > most:
                    best, most = row, common
                if common == len(held[row]) and common > 0 and common >= len(prefix) - 1:
                    break
        rows.append(best)
        shared.append(max(most, 0))
    return rows, shared


def _common(one: Sequence[int], other: Sequence[int]) -> int:
    """Length of the longest common prefix."""
    most = min(len(one), len(other))
    if list(one[:most]) == list(other[:most]):
        return most
    low = 0
    while low < most:  # one[:low] is common, one[:most] is not
        middle = (low + most + 1) // 2
        if list(one[low:middle]) == list(other[low:middle]):
            low = middle
        else:
            most = middle - 1
    return low


def _ends(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> list[int]:
    """All end-of-sequence ids that the model's and the tokenizer's settings name."""
    named: list[int] = []
    for source in (model.generation_config, model.config, tokenizer):
        ends = getattr(source, "eos_token_id", None)
        named.extend([ends] if isinstance(ends, int) else ends or [])
    return list(dict.fromkeys(named))
