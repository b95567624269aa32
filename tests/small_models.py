"""Small random models: of many architectures, with a tokenizer of bytes; and a Llama that can chat. Tests only."""

from __future__ import annotations

import copy
from functools import cache
from pathlib import Path

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from guidance_kit.models import TransformersModel

ROWS = 260
WINDOW = 6
"""Shorter than the texts of the tests."""

_LLAMA = {
    "vocab_size": ROWS, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 3, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 8, "max_position_embeddings": 160, "bos_token_id": 256, "eos_token_id": 257,
    "pad_token_id": 258,
}  # fmt: skip
_GPT = {
    "vocab_size": ROWS, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 160, "bos_token_id": 256,
    "eos_token_id": 257,
}  # fmt: skip
_MAMBA = {
    "vocab_size": ROWS, "hidden_size": 32, "num_hidden_layers": 2, "state_size": 8, "bos_token_id": 256,
    "eos_token_id": 257, "pad_token_id": 258,
}  # fmt: skip
_MIXTURE = {"num_experts_per_tok": 2, "moe_intermediate_size": 16}
_SHORT = [0.7, 0.9, 1.0, 1.2]

# Name -> (configuration class, model class, settings).
ATTENTION = {
    "GPT-2": ("GPT2Config", "GPT2LMHeadModel", _GPT),
    "Llama": ("LlamaConfig", "LlamaForCausalLM", _LLAMA),
    "Qwen 2": ("Qwen2Config", "Qwen2ForCausalLM", _LLAMA),
    "Qwen 3": ("Qwen3Config", "Qwen3ForCausalLM", _LLAMA),
    "Mistral": ("MistralConfig", "MistralForCausalLM", _LLAMA | {"sliding_window": WINDOW}),
    "Gemma 2": ("Gemma2Config", "Gemma2ForCausalLM", _LLAMA | {"sliding_window": WINDOW, "query_pre_attn_scalar": 8}),
    "Gemma 3": (
        "Gemma3TextConfig",
        "Gemma3ForCausalLM",
        _LLAMA
        | {
            "sliding_window": WINDOW,
            "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
            "rope_parameters": {
                "sliding_attention": {"rope_type": "default", "rope_theta": 10.0},
                "full_attention": {"rope_type": "default", "rope_theta": 1000.0},
            },
        },
    ),
    "GPT-OSS": (
        "GptOssConfig",
        "GptOssForCausalLM",
        _LLAMA | {"sliding_window": WINDOW, "num_local_experts": 4, "num_experts_per_tok": 2},
    ),
    "Phi 3, LongRoPE": (
        "Phi3Config",
        "Phi3ForCausalLM",
        _LLAMA
        | {
            "original_max_position_embeddings": 12,
            "rope_parameters": {
                "rope_type": "longrope",
                "rope_theta": 100.0,
                "short_factor": _SHORT,
                "long_factor": [3 * factor for factor in _SHORT],
                "original_max_position_embeddings": 12,
            },
        },
    ),
    "OPT": (
        "OPTConfig",
        "OPTForCausalLM",
        {"vocab_size": ROWS, "hidden_size": 32, "word_embed_proj_dim": 32, "ffn_dim": 48, "num_hidden_layers": 2,
         "num_attention_heads": 4, "max_position_embeddings": 160, "eos_token_id": 257},
    ),
}  # fmt: skip
"""Padded batches, a cache that can be cut anywhere."""

FORWARD_ONLY = {
    "Qwen 3 Next": (
        "Qwen3NextConfig",
        "Qwen3NextForCausalLM",
        _LLAMA | _MIXTURE
        | {"num_hidden_layers": 4, "linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 8,
           "linear_value_head_dim": 8, "num_experts": 4, "shared_expert_intermediate_size": 16},
    ),
    "Mamba": ("MambaConfig", "MambaForCausalLM", _MAMBA),
    "Bamba": (
        "BambaConfig",
        "BambaForCausalLM",
        _LLAMA | {"mamba_n_heads": 4, "mamba_d_head": 16, "mamba_n_groups": 1, "mamba_d_state": 8,
                  "mamba_chunk_size": 16, "attn_layer_indices": [1]},
    ),
    "LFM 2": ("Lfm2Config", "Lfm2ForCausalLM", _LLAMA | {"full_attn_idxs": [1]}),
    "Bloom": ("BloomConfig", "BloomForCausalLM", {"vocab_size": ROWS, "hidden_size": 32, "n_layer": 2, "n_head": 4}),
    "RecurrentGemma": (
        "RecurrentGemmaConfig",
        "RecurrentGemmaForCausalLM",
        {key: value for key, value in _LLAMA.items() if key != "max_position_embeddings"}
        | {"lru_width": 32, "attention_window_size": 8},
    ),
    "RWKV": (
        "RwkvConfig",
        "RwkvForCausalLM",
        {"vocab_size": ROWS, "hidden_size": 32, "attention_hidden_size": 32, "num_hidden_layers": 2,
         "context_length": 160, "eos_token_id": 257},
    ),
}  # fmt: skip
"""Recurrent, linear or hybrid layers, or positions that cannot be told to the model."""


@cache
def byte_tokenizer() -> transformers.PreTrainedTokenizerFast:
    """Bytes as tokens, and three special ones."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    inner = Tokenizer(models.BPE(vocab={letter: number for number, letter in enumerate(alphabet)}, merges=[]))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=inner, bos_token="<s>", eos_token="</s>", pad_token="<pad>"
    )


@cache
def random_weights(name: str) -> transformers.PreTrainedModel:
    """A model with weights so large that a wrong position, window or mask shows. It is shared: do not change it."""
    config, kind, settings = (ATTENTION | FORWARD_ONLY)[name]
    torch.manual_seed(0)
    with torch.inference_mode(False), torch.no_grad():  # whoever asks first
        model = getattr(transformers, kind)(getattr(transformers, config)(**settings)).float().eval()
        for parameter in model.parameters():
            if parameter.ndim > 1:
                parameter.normal_(0, 0.2)
    return model


def random_model(name: str, **settings) -> TransformersModel:
    """One of the architectures above, wrapped."""
    return TransformersModel(random_weights(name), byte_tokenizer(), **settings)


def recomputed(model: TransformersModel, prefixes: list[list[int]], positions: int = 1) -> torch.Tensor:
    """The slow twin of `TransformersModel.logits`: row by row, place by place, without cache and padding."""
    with torch.inference_mode():
        return torch.stack([
            torch.stack([
                model.model(**_inputs(model, prefix[: len(prefix) - back]), use_cache=False).logits[0, -1]
                for back in range(positions - 1, -1, -1)
            ])
            for prefix in prefixes
        ])  # fmt: skip


def _inputs(model: TransformersModel, prefix: list[int]) -> dict[str, torch.Tensor]:
    """One prefix as a model of transformers takes it."""
    encoder = model.weights.forward.encoder
    if encoder is None:
        return {"input_ids": torch.tensor([prefix])}
    source, text = encoder.parts(prefix)
    return {"input_ids": torch.tensor([source]), "decoder_input_ids": torch.tensor([text])}


_TEXT = 'the cat sat on the mat {"name": "Ann", "count": 12} hello hello world, ' * 20


def merging_tokenizer(bos: str | None) -> transformers.PreTrainedTokenizerFast:
    """Byte-level BPE with a few merges, and a chat template."""
    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=300, special_tokens=["<|end|>", "<|user|>"], initial_alphabet=alphabet)
    inner.train_from_iterator([_TEXT], trainer)
    made = transformers.PreTrainedTokenizerFast(tokenizer_object=inner, eos_token="<|end|>", bos_token=bos)
    made.chat_template = "{% for m in messages %}<|user|>{{ m['content'] }}{% endfor %}<|end|>"
    return made


def small_llama(*, bos: str | None = "<|end|>") -> TransformersModel:
    """A random Llama whose logits differ enough from each other to be sure of something."""
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=320,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        intermediate_size=64,
        max_position_embeddings=1024,
        initializer_range=0.3,
        eos_token_id=0,
        bos_token_id=0,
    )
    return TransformersModel(transformers.LlamaForCausalLM(config), merging_tokenizer(bos))


def saved_adapter(weights: transformers.PreTrainedModel, folder: Path, *, seed: int, **settings) -> Path:
    """A folder with a random LoRA adapter for a model, which it leaves as it is."""
    import peft  # takes long

    torch.manual_seed(seed)
    made = peft.get_peft_model(copy.deepcopy(weights), peft.LoraConfig(**({"r": 3, "lora_alpha": 6} | settings)))
    with torch.no_grad():
        for name, parameter in made.named_parameters():
            if "lora_" in name or "modules_to_save" in name:
                parameter.add_(torch.randn_like(parameter) * 0.1)
    made.save_pretrained(folder)
    return folder
