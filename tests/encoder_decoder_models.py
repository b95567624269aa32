"""Small random encoder-decoder models with bytes as tokens, and what transformers generates with them. Tests only."""

from __future__ import annotations

from functools import cache
from typing import Any

import torch
import transformers
from architectures import small_config
from small_models import byte_tokenizer
from tokenizers.processors import TemplateProcessing

from guidance_kit.models import TransformersModel

ROWS = 259
BEGIN, END, PAD = 256, 257, 258
_T5 = {"decoder_start_token_id": PAD}
_BART = {"decoder_start_token_id": END, "forced_bos_token_id": BEGIN}

KINDS: dict[str, tuple[str, dict[str, int], str]] = {
    "T5": ("T5ForConditionalGeneration", _T5, "$A </s>"),
    "BART": ("BartForConditionalGeneration", _BART, "<s> $A </s>"),
    "mT5": ("MT5ForConditionalGeneration", _T5, "$A </s>"),
    "UMT5": ("UMT5ForConditionalGeneration", _T5, "$A </s>"),
    "Pegasus": ("PegasusForConditionalGeneration", _T5, "$A </s>"),
    "Marian": ("MarianMTModel", _T5, "$A </s>"),
    "mBART": ("MBartForConditionalGeneration", {"decoder_start_token_id": END, "forced_bos_token_id": 7}, "$A </s>"),
}
"""Name -> class, the tokens with which its decoder begins, and the form of its sources."""


@cache
def source_tokenizer(form: str) -> transformers.PreTrainedTokenizerFast:
    """Bytes as tokens; special tokens around sources as a template has them."""
    inner = byte_tokenizer().backend_tokenizer.from_str(byte_tokenizer().backend_tokenizer.to_str())
    inner.post_processor = TemplateProcessing(single=form, special_tokens=[("<s>", BEGIN), ("</s>", END)])
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=inner, bos_token="<s>", eos_token="</s>", pad_token="<pad>"
    )


def small_weights(name: str, seed: int = 0, **settings: Any) -> transformers.PreTrainedModel:
    """Random weights so large that a wrong position or mask shows."""
    kind, start, _ = KINDS[name]
    common = {"vocab_size": ROWS, "pad_token_id": PAD, "bos_token_id": BEGIN, "eos_token_id": END}
    torch.manual_seed(seed)
    model = getattr(transformers, kind)(small_config(kind, **common, **settings)).float().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim > 1:
                parameter.normal_(0, 0.3)
    for setting, token in start.items():
        setattr(model.generation_config, setting, token)
    return model


def small(name: str, seed: int = 0, **settings: Any) -> TransformersModel:
    """A small model, wrapped."""
    return TransformersModel(small_weights(name, seed, **settings), source_tokenizer(KINDS[name][2]), name=name)


def generated(model: TransformersModel, prompts: list[str], count: int, **options: Any) -> list[list[int]]:
    """Tokens that `generate` of transformers makes, up to the end of the sequence, for a padded batch of prompts."""
    inputs = model.tokenizer(prompts, return_tensors="pt", padding=True)
    start = model.decoder_start
    found: Any = model.model.generate(
        **inputs,
        **({"do_sample": False} | options),
        max_new_tokens=count + len(start) - 1,
        return_dict_in_generate=False,
    )
    rows = [row[len(start) :] for row in found.tolist()]
    return [row[: row.index(END)] if END in row else row for row in rows]
