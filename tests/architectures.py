"""Every causal and encoder-decoder architecture of transformers, built small with random weights. Tests only."""

from __future__ import annotations

from random import Random
from typing import Any

import torch
import transformers
from transformers.models.auto.configuration_auto import CONFIG_MAPPING
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES,
)

from guidance_kit.errors import ModelError
from guidance_kit.models import TransformersModel
from guidance_kit.models.architectures import CacheKind
from guidance_kit.models.forward import Forward
from guidance_kit.models.kv_cache import KVCache
from guidance_kit.models.trial import tried_cache
from guidance_kit.vocabulary import Vocabulary
from tests.random_questions import script
from tests.small_models import recomputed

ROWS = 260
PADDING = 1
"""Token id of padding; in no text of the tests, since some architectures give it a position of its own."""
MAX_PARAMETERS = 8_000_000
TOLERANCE = 1e-4
"""Largest difference in standard deviations of the logits: rounding gives up to 2e-5, a wrong position 0.04."""

ENCODER_DECODERS: dict[str, str] = {
    kind: family
    for family, kind in MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES.items()
    if CONFIG_MAPPING[family].is_encoder_decoder
}
"""Encoder-decoder class -> name of its architecture in `config.json`."""
FAMILIES: dict[str, str] = {**MODEL_FOR_CAUSAL_LM_MAPPING_NAMES, **{kind: kind for kind in ENCODER_DECODERS}}
"""Name of the architecture in `config.json`, or an encoder-decoder class -> its class in transformers."""
START = 258
"""Token id with which decoders beside an encoder begin."""

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
    "qk_head_dim": 16,
    # indexers: with few heads, scores that are exactly 0 tie, and which of them is selected is arbitrary
    "index_n_heads": 32, "index_head_dim": 8, "indexer_n_heads": 32, "indexer_kv_heads": 1,
    "indexer_head_dim": 8,
    # length
    "max_position_embeddings": 160, "n_positions": 160, "max_seq_len": 160, "n_ctx": 160, "context_length": 160,
    "chunk_size": 16, "mamba_chunk_size": 16,
    # what a token attends to: less than the texts of the tests have
    "sliding_window": 6, "sliding_window_size": 6, "attention_window_size": 8, "attention_chunk_size": 6,
    "index_topk": 6, "index_block_size": 4, "index_topk_blocks": 2, "indexer_budget": 6, "indexer_compress_ratio": 1,
    "block_size": 4, "local_attention_window_len": 6,
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
    "encoder_hash_byte_group_vocab": 500,
    "vocab_size_per_layer_input": ROWS, "hidden_size_per_layer_input": 8, "num_memory_blocks": 1,
}  # fmt: skip
"""Fields of configurations, whatever the architecture: each is used where a configuration has it and sets it."""

_SETTINGS: dict[str, dict[str, Any]] = {
    "falcon_h1": {"mamba_d_ssm": 64},
    "cohere_compass_text": {"rope_parameters": {"full_attention": {"rope_type": "default", "rope_theta": 1000.0}}},
    "dbrx": {"attn_config": {"kv_n_heads": 2, "rope_theta": 1000.0, "clip_qkv": 8.0},
             "ffn_config": {"ffn_hidden_size": 48, "moe_num_experts": 4, "moe_top_k": 2}},
    "deepseek_v2": {"num_experts_per_tok": 2},
    "dots1": {"n_routed_experts": 4, "n_shared_experts": 1, "num_experts_per_tok": 2},
    "dots3_note": {"per_layer_config": {}, "head_dim": 16},
    "dots3_note_text": {"per_layer_config": {}, "head_dim": 16},
    "gemma3n_text": {"num_hidden_layers": 4, "num_kv_shared_layers": 2, "activation_sparsity_pattern": [0.5] * 4,
                     "intermediate_size": [48] * 4,
                     "layer_types": ["sliding_attention", "full_attention"] * 2},
    "gpt_neo": {"num_layers": 2, "attention_types": [[["global", "local"], 1]], "window_size": 6},
    "hunyuan_v1_dense": {"head_dim": 8},
    "hunyuan_v1_moe": {"head_dim": 8},
    "laguna": {"layer_types": ["full_attention", "sliding_attention"]},
    "lfm2": {"layer_types": ["conv", "full_attention"]},
    "lfm2_moe": {"layer_types": ["conv", "full_attention"], "num_dense_layers": 1},
    "llama4": {"num_hidden_layers": 4},
    "llama4_text": {"num_hidden_layers": 4},
    "mamba2": {"num_heads": 8, "head_dim": 8, "expand": 2},
    "mellum": {"layer_types": ["full_attention", "sliding_attention"]},
    "minimax_m3_vl_text": {"layer_types": ["minimax_m3_sparse"] * 2, "index_n_heads": 2},
    "ministral": {"head_dim": 8},
    "nemotron": {"num_key_value_heads": 2},
    "reformer": {"axial_pos_embds_dim": [16, 16], "axial_pos_shape": [10, 16], "attn_layers": ["local", "local"],
                 "attention_head_size": 8, "local_attn_chunk_length": 16, "feed_forward_size": 48},
    "roc_bert": {"pronunciation_vocab_size": 20, "shape_vocab_size": 20, "pronunciation_embed_dim": 8,
                 "shape_embed_dim": 8},
    "xlstm": {"qk_dim_factor": 0.5, "v_dim_factor": 1.0, "num_blocks": 2, "head_dim": 16},
    "zamba": {"num_hidden_layers": 4, "layers_block_type": ["mamba", "hybrid"] * 2, "n_mamba_heads": 2,
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
    **{name: {"indexer_n_heads": 32, "indexer_kv_heads": 1, "indexer_head_dim": 8, "indexer_budget": 6,
              "indexer_compress_ratio": 1} for name in ("qwen4_exp", "qwen4_exp_text")},
    "zaya": {"num_experts_per_tok": 1},
}  # fmt: skip
"""What else an architecture needs in order to be small."""

_DEPTH = {"num_hidden_layers", "layer_types", "layers_block_type"}


class NotBuilt(Exception):
    """An architecture that cannot be built small from sizes alone; the text says what stands in the way."""


def small_config(family: str, **settings: Any) -> transformers.PreTrainedConfig:
    """Configuration of a small model, which has a layer of each kind that its layers are of by default."""
    if family == "EncoderDecoderModel":
        sides = small_config("bert", is_decoder=False), small_config("bert")
        made = transformers.EncoderDecoderConfig.from_encoder_decoder_configs(*sides, **settings)
        made.decoder_start_token_id, made.pad_token_id = START, PADDING
        return made
    usual = CONFIG_MAPPING[ENCODER_DECODERS.get(family, family)]()
    if family in ENCODER_DECODERS:
        settings = {"decoder_start_token_id": START, "is_decoder": False, "forced_eos_token_id": None} | settings
    return _shrunk(usual, _SETTINGS.get(family, {}) | settings)


def _shrunk(usual: transformers.PreTrainedConfig, settings: dict[str, Any]) -> transformers.PreTrainedConfig:
    """A configuration with the common sizes, also in those within it; the settings are those of its text model."""
    text = _text_part(usual)
    given = _sizes(usual)
    if text is usual:
        given |= ({} if _DEPTH & settings.keys() else _layers(usual)) | settings
    for name, part in vars(usual).items():
        if isinstance(part, transformers.PreTrainedConfig) and name not in given:
            given[name] = _shrunk(part, settings if part is text else {}).to_dict()
    return type(usual)(**given)


def _text_part(usual: transformers.PreTrainedConfig) -> transformers.PreTrainedConfig:
    """The configuration of the text model: one of those within a configuration, or itself."""
    text = usual.get_text_config(decoder=True)
    return text if any(part is text for part in vars(usual).values()) else usual


def _layers(usual: transformers.PreTrainedConfig) -> dict[str, Any]:
    """As few layers as hold one of each kind of attention and of feed-forward network, two at least."""
    kinds = {
        name: list(dict.fromkeys(layers))
        for name in ("layer_types", "mlp_layer_types")
        if not isinstance(getattr(type(usual), type(usual).attribute_map.get(name, name), None), property)
        and isinstance(layers := getattr(usual, name, None), list)
        and layers
    }
    if not kinds:
        return {}
    depth = max(2, *map(len, kinds.values()))
    return {"num_hidden_layers": depth} | {name: (few * depth)[:depth] for name, few in kinds.items()}


def small_model(family: str, **settings: Any) -> transformers.PreTrainedModel:
    """A small model with weights so large that a wrong position, window or mask shows.

    Args:
        settings: of its text model.
    Raises:
        NotBuilt: sizes alone do not make this architecture small.
    """
    try:
        config = small_config(family, **settings)
        kind = getattr(transformers, FAMILIES[family])
        if kind.config_class is type(text := _text_part(config)):
            config = text
        with torch.device("meta"):
            model = kind(config)
        size = sum(parameter.numel() for parameter in model.parameters())
        if size > MAX_PARAMETERS:
            raise NotBuilt(f"{size / 1e6:.0f} million parameters: its sizes are elsewhere")
        torch.manual_seed(0)
        model = kind(config).float().eval()
    except NotBuilt:
        raise
    except Exception as error:  # what a foreign constructor raises, whatever it is, is the reason
        raise NotBuilt(f"{type(error).__name__}: {' '.join(str(error).split())}"[:200]) from error
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "dt_bias" in name:
                parameter.normal_(-7, 1)  # steps of time on both sides of 0.001, the usual least one
            elif parameter.ndim > 1 and not any(word in name for word in ("A_log", "conv1d")):
                parameter.normal_(0, 0.2)
    return model


def support(family: str) -> tuple[str, str]:
    """Support of an architecture by the wrapper, found out by questions whose answers are compared.

    Returns:
        "any", "forward" or "none", the most that can be kept of a text, with no reason; "refused" or "not compared"
        with the reason.
    Raises:
        AssertionError: an answer that is computed from the start is not right.
    """
    try:
        weights = small_model(family)
    except NotBuilt as error:
        return "not compared", str(error)
    try:
        model = wrapped(weights)
    except ModelError as error:
        return "refused", str(error)
    asked = []
    for prefixes, positions in script(seed=3, questions=12):
        texts = [[2 + token % 250 for token in prefix] for prefix in prefixes]
        if family in ENCODER_DECODERS:
            texts = [[*_source(text), START, *text] for text in texts]
        try:
            asked.append((texts, positions, recomputed(model, texts, positions).float()))
        except Exception as error:
            return "not compared", f"transformers itself: {error}"[:160]
    try:
        tried_cache(Forward(weights))
    except ModelError as error:
        return "refused", str(error)
    kinds: list[CacheKind] = ["any", "forward", "none"]
    for kind in kinds:
        if _is_exact(weights, kind, asked):
            return kind, ""
    raise AssertionError(family)


def _source(text: list[int]) -> list[int]:
    """Source before a text: one of two, of different lengths, as the first token of the text says."""
    length = 3 if text[0] % 2 else 9
    return [2 + (place * 37 + length) % 250 for place in range(length)]


def has_siblings(family: str) -> bool:
    """Test whether siblings of a row get the logits of texts of their own, in texts longer than any mask is wide.

    An architecture whose layers can have windows is built without them. Encoder-decoder models are not asked.
    """
    if family in ENCODER_DECODERS:
        return False
    model = small_model(family)
    if any(Forward(model).windows or ()):
        config = Forward(model).config
        is_mixed = getattr(config, "layer_types", None) is not None
        full = {"layer_types": ["full_attention"] * config.num_hidden_layers} if is_mixed else {"sliding_window": None}
        try:
            model = small_model(family, **full)
        except NotBuilt:
            return False
    forward = Forward(model)
    if forward.windows is None or any(window is not None for window in forward.windows):
        return False
    cache, rng = KVCache(forward), Random(1)
    cache.can_have_siblings = True
    for lengths in ((5, 3), (20,), (100, 61)):
        rows = [[rng.randrange(2, 250) for _ in range(length)] for length in lengths]
        tokens = [[rng.randrange(2, 250) for _ in range(40)] for _ in rows]
        cache.logits(rows)
        found = cache.siblings(torch.tensor(tokens))
        texts = [[*row, token] for row, line in zip(rows, tokens, strict=True) for token in line[::13]]
        expected = recomputed(wrapped(model), texts)[:, 0]
        if _difference(found[:, ::13].flatten(0, 1), expected) > TOLERANCE:
            return False
    return True


def wrapped(model: transformers.PreTrainedModel) -> TransformersModel:
    """A language model with bytes as tokens."""
    rows = getattr(model.get_output_embeddings(), "out_features", ROWS)
    return TransformersModel(model, vocabulary=Vocabulary.from_bytes(rows=rows, eos=257))


def _is_exact(
    weights: transformers.PreTrainedModel, kind: CacheKind, asked: list[tuple[list[list[int]], int, torch.Tensor]]
) -> bool:
    """Test whether one kind of cache gives all answers."""
    model = wrapped(weights)
    model.weights._kind = kind
    try:
        answers = [(model.logits(texts, count), expected) for texts, count, expected in asked]
    except Exception:  # what a foreign model raises where it cannot do what is asked for
        if kind == "none":
            raise
        return False
    are_right = all(_difference(answer, expected) <= TOLERANCE for answer, expected in answers)
    return are_right and model.weights.cache_kind == kind


def _difference(logits: torch.Tensor, expected: torch.Tensor) -> float:
    """Largest difference in standard deviations."""
    return float((logits.float() - expected.float()).abs().max() / expected.float().std())


def _sizes(usual: transformers.PreTrainedConfig) -> dict[str, Any]:
    """The common sizes that a configuration has."""
    known = usual.to_dict()
    named = {**{name: known.get(target) for name, target in type(usual).attribute_map.items()}, **known}
    sizes = {name: value for name, value in _SIZES.items() if named.get(name) is not None or name == "pad_token_id"}
    if "kv_lora_rank" in sizes and "num_key_value_heads" in sizes:
        sizes["num_key_value_heads"] = sizes["num_attention_heads"]  # latent attention has keys for every head
    return sizes
