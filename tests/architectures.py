"""Every causal architecture that transformers has, built small with random weights. Tests only."""

from __future__ import annotations

import warnings
from typing import Any

import torch
import transformers
from transformers.models.auto.configuration_auto import CONFIG_MAPPING
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

from guidance_kit.errors import ModelError
from guidance_kit.models import LanguageModel
from guidance_kit.vocabulary import Vocabulary
from tests.random_questions import script
from tests.small_models import recomputed

ROWS = 260
PADDING = 1
"""Token id of padding; in no text of the tests, since some architectures give it a position of its own."""
MAX_PARAMETERS = 4_000_000
TOLERANCE = 1e-4
"""Largest difference in standard deviations of the logits: rounding gives up to 2e-5, a wrong position 0.04."""

FAMILIES: dict[str, str] = dict(MODEL_FOR_CAUSAL_LM_MAPPING_NAMES)
"""Name of the architecture in `config.json` -> its causal class in transformers."""

_SIZES: dict[str, Any] = {
    "vocab_size": ROWS, "pad_token_id": PADDING, "bos_token_id": 256, "eos_token_id": 257, "is_decoder": True,
    # widths
    "hidden_size": 32, "d_model": 32, "n_embd": 32, "emb_dim": 32, "embedding_size": 32, "input_embedding_size": 32,
    "output_embedding_size": 32, "word_embed_proj_dim": 32, "lru_width": 32, "attention_hidden_size": 32,
    "embedding_dim": 32, "dim_model": 32,
    "intermediate_size": 48, "ffn_dim": 48, "decoder_ffn_dim": 48, "encoder_ffn_dim": 48, "n_inner": 48,
    "d_inner": 48, "dff": 48, "ffn_hidden_size": 48, "dim_ff": 48,
    # depth
    "num_hidden_layers": 2, "n_layer": 2, "n_layers": 2, "num_layers": 2, "decoder_layers": 2, "encoder_layers": 2,
    "num_decoder_layers": 2, "num_encoder_layers": 2,
    # heads
    "num_attention_heads": 4, "n_head": 4, "n_heads": 4, "num_heads": 4, "decoder_attention_heads": 4,
    "encoder_attention_heads": 4, "num_decoder_attention_heads": 4, "num_encoder_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 8, "attention_head_dim": 8, "dim_head": 8, "rotary_dim": 8,
    "q_lora_rank": 16, "kv_lora_rank": 16, "qk_rope_head_dim": 8, "qk_nope_head_dim": 8, "v_head_dim": 8,
    "qk_head_dim": 16, "index_n_heads": 2, "index_head_dim": 8, "index_topk": 160,
    # length
    "max_position_embeddings": 160, "n_positions": 160, "max_seq_len": 160, "n_ctx": 160, "context_length": 160,
    "sliding_window": 6, "attention_window_size": 8, "chunk_size": 16, "mamba_chunk_size": 16,
    # mixtures of experts
    "num_experts": 4, "num_local_experts": 4, "n_routed_experts": 4, "moe_num_experts": 4, "num_experts_per_tok": 2,
    "num_experts_per_token": 2, "moe_top_k": 2, "moe_topk": 2, "moe_k": 2, "moe_intermediate_size": 16,
    "shared_expert_intermediate_size": 16, "n_shared_experts": 1, "n_group": 1, "topk_group": 1,
    "moe_layer_start_index": 1, "first_k_dense_replace": 1,
    # states
    "state_size": 8, "time_step_rank": 4, "mamba_d_state": 8, "mamba_n_heads": 8, "mamba_d_head": 8,
    "mamba_n_groups": 1, "mamba_expand": 2, "mamba_dt_rank": 4, "mamba_headdim": 8, "n_mamba_heads": 2,
    "mamba_num_heads": 8, "mamba_head_dim": 8, "ssm_state_size": 8, "n_groups": 1, "conv_kernel": 4,
    "linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 8, "linear_value_head_dim": 8,
    "vocab_size_per_layer_input": ROWS, "hidden_size_per_layer_input": 8, "num_memory_blocks": 1,
}  # fmt: skip
"""Fields of configurations, whatever the architecture: each is used where a configuration has it and sets it."""

_SETTINGS: dict[str, dict[str, Any]] = {
    "falcon_h1": {"mamba_d_ssm": 64},
    "gpt_neo": {"num_layers": 2, "attention_types": [[["global", "local"], 1]], "window_size": 6},
    "hunyuan_v1_dense": {"head_dim": 8},
    "hunyuan_v1_moe": {"head_dim": 8},
    "lfm2_moe": {"layer_types": ["conv", "full_attention"], "num_dense_layers": 1},
    "mamba2": {"num_heads": 8, "head_dim": 8, "expand": 2},
    "ministral": {"head_dim": 8},
    "nemotron": {"num_key_value_heads": 2},
    "reformer": {"axial_pos_embds_dim": [16, 16], "axial_pos_shape": [10, 16], "attn_layers": ["local", "local"],
                 "attention_head_size": 8, "local_attn_chunk_length": 16, "feed_forward_size": 48},
    "roc_bert": {"pronunciation_vocab_size": 20, "shape_vocab_size": 20, "pronunciation_embed_dim": 8,
                 "shape_embed_dim": 8},
    "xlstm": {"qk_dim_factor": 0.5, "v_dim_factor": 1.0, "num_blocks": 2, "head_dim": 16},
    "zamba": {"num_hidden_layers": 3, "layers_block_type": ["mamba", "hybrid", "mamba"], "n_mamba_heads": 2,
              "attention_hidden_size": 64, "attention_head_dim": 16, "num_key_value_heads": 4},
    "zamba2": {"num_hidden_layers": 3, "layers_block_type": ["mamba", "hybrid", "mamba"], "hybrid_layer_ids": [1],
               "n_mamba_heads": 8, "mamba_ngroups": 1, "num_mem_blocks": 1, "attention_hidden_size": 64,
               "attention_head_dim": 16, "num_key_value_heads": 4, "adapter_rank": 8},
    "git": {"vision_config": {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 1,
                              "num_attention_heads": 4, "image_size": 16, "patch_size": 8}},
    "xmod": {"languages": ["en_XX"], "default_language": "en_XX"},
    "bamba": {"attn_layer_indices": [1]},
    "granitemoehybrid": {"layer_types": ["mamba", "attention"], "layers_block_type": ["mamba", "attention"]},
    "jamba": {"attn_layer_period": 2, "attn_layer_offset": 1, "expert_layer_period": 2, "expert_layer_offset": 1},
    "recurrent_gemma": {"num_hidden_layers": 3},
    **{name: {"num_hidden_layers": 4} for name in (
        "bailing_hybrid", "lfm3", "qwen3_5_text", "qwen3_5_moe_text", "qwen3_next", "qwen4_exp_text")},
}  # fmt: skip
"""What else an architecture needs in order to be small."""


class NotBuilt(Exception):
    """An architecture that cannot be built small from sizes alone; the text says what stands in the way."""


def small_config(family: str) -> transformers.PreTrainedConfig:
    """Configuration of a small model."""
    kind = CONFIG_MAPPING[family]
    usual = kind()
    inner = usual.get_text_config(decoder=True)
    parts = [name for name, value in vars(usual).items() if value is inner]
    if parts:
        text = type(inner)(**_sizes(inner) | _SETTINGS.get(family, {}))
        return kind(**{parts[0]: text.to_dict()})
    return kind(**_sizes(usual) | _SETTINGS.get(family, {}))


def small_model(family: str) -> transformers.PreTrainedModel:
    """A small model with weights so large that a wrong position, window or mask shows.

    Raises:
        NotBuilt: sizes alone do not make this architecture small.
    """
    try:
        config = small_config(family)
        kind = getattr(transformers, FAMILIES[family])
        with torch.device("meta"):
            size = sum(parameter.numel() for parameter in kind(config).parameters())
        if size > MAX_PARAMETERS:
            raise NotBuilt(f"{size / 1e6:.0f} million parameters: its sizes are elsewhere")
        torch.manual_seed(0)
        model = kind(config).float().eval()
    except NotBuilt:
        raise
    except Exception as error:  # what a foreign constructor raises, whatever it is, is the reason
        reason = (str(error).strip().splitlines() or [""])[0]
        raise NotBuilt(f"{type(error).__name__}: {reason}"[:160]) from error
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "dt_bias" in name:
                parameter.normal_(-7, 1)  # steps of time on both sides of 0.001, the usual least one
            elif parameter.ndim > 1 and not any(word in name for word in ("A_log", "conv1d")):
                parameter.normal_(0, 0.2)
    return model


def support(family: str) -> tuple[str, str]:
    """How the wrapper serves an architecture, found out by questions whose answers are compared.

    Returns:
        "any", "forward" or "none", the kind of cache, with no reason; "refused" or "not compared" with the reason.
    Raises:
        AssertionError: an answer is not that of a computation from the start.
    """
    try:
        weights = small_model(family)
    except NotBuilt as error:
        return "not compared", str(error)
    head = weights.get_output_embeddings()
    rows = getattr(head, "out_features", ROWS)
    model = LanguageModel(weights, vocabulary=Vocabulary.from_bytes(rows=rows, eos=257))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "(?s).*does not continue exactly.*", RuntimeWarning)
        for prefixes, positions in script(seed=3, questions=12):
            texts = [[2 + token % 250 for token in prefix] for prefix in prefixes]
            try:
                expected = recomputed(model, texts, positions).float()
            except Exception as error:
                return "not compared", f"transformers itself: {error}"[:160]
            try:
                answer = model.logits(texts, positions).float()
            except ModelError as error:
                return "refused", str(error)
            difference = float((answer - expected).abs().max() / expected.std())
            assert difference <= TOLERANCE, (family, difference)
    return model.weights.cache_kind, ""


def _sizes(usual: transformers.PreTrainedConfig) -> dict[str, Any]:
    """The common sizes that a configuration has."""
    known = usual.to_dict()
    named = {**{name: known.get(target) for name, target in type(usual).attribute_map.items()}, **known}
    sizes = {name: value for name, value in _SIZES.items() if named.get(name) is not None or name == "pad_token_id"}
    if "kv_lora_rank" in sizes and "num_key_value_heads" in sizes:
        sizes["num_key_value_heads"] = sizes["num_attention_heads"]  # latent attention has keys for every head
    return sizes
