"""A small random model with a tokenizer, for tests of serving engines. Tests only."""

from __future__ import annotations

from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

__all__ = ["write_model"]

_TEXTS = [
    '{"name": "Ada Lovelace", "age": 36, "tags": ["x", "y"], "at": "2024-05-01"}',
    "the quick brown fox jumps over the lazy dog 0123456789",
    "true false null []{},: yes no maybe",
]
_SPECIAL = ["<unk>", "<s>", "</s>", "<pad>", "<think>", "</think>"]
_TEMPLATE = (
    "{% for m in messages %}<s>{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}assistant: {% endif %}"
)


def write_model(folder: Path, *, seed: int = 0, bias: dict[str, float] | None = None) -> PreTrainedTokenizerFast:
    """Write a Llama of two layers with random weights, and a byte-level BPE tokenizer.

    Args:
        folder: where to.
        seed: of the weights.
        bias: added to the logits of tokens at all times, so that the model writes them more often.
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=_SPECIAL,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_TEXTS * 50, trainer)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", unk_token="<unk>", pad_token="<pad>"
    )
    fast.chat_template = _TEMPLATE
    fast.save_pretrained(folder)
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(fast),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        head_dim=32,
        max_position_embeddings=1024,
        bos_token_id=1,
        eos_token_id=2,
        pad_token_id=3,
        tie_word_embeddings=False,
        dtype="float32",
    )
    model = LlamaForCausalLM(config).eval()
    with torch.no_grad():
        for token, amount in (bias or {}).items():
            # the last state has about unit variance, and its mean is not 0: a column of the head along its mean
            model.lm_head.weight[fast.convert_tokens_to_ids(token)] += amount / config.hidden_size
    model.generation_config.pad_token_id = 3
    model.save_pretrained(folder)
    return fast
