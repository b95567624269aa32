"""Write a small Llama of transformers as a GGUF file, for tests and benchmarks; others need llama.cpp's converter.

python -m tools.write_gguf support-2m out/support-2m.gguf --type q4_0
"""

# pyright: reportMissingImports=false

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaForCausalLM

from guidance_kit.model_source import located
from guidance_kit.models.gguf.gguf_model import PROMPT_KEY

TYPES = {
    "f32": (gguf.GGMLQuantizationType.F32, gguf.LlamaFileType.ALL_F32),
    "f16": (gguf.GGMLQuantizationType.F16, gguf.LlamaFileType.MOSTLY_F16),
    "q8_0": (gguf.GGMLQuantizationType.Q8_0, gguf.LlamaFileType.MOSTLY_Q8_0),
    "q4_0": (gguf.GGMLQuantizationType.Q4_0, gguf.LlamaFileType.MOSTLY_Q4_0),
}
"""Types of matrices, and of files in which they have it."""


def write_gguf(source: str | Path, file: Path, *, kind: str = "f32") -> None:
    """Write a model with its tokenizer, a byte-level BPE.

    Texts are divided before merging as GPT-2 does it, whatever the tokenizer says, since llama.cpp knows a fixed list
    of such rules. So texts of a tokenizer with other rules may have other tokens.

    Args:
        source: folder or name of a Llama of transformers.
        file: where to.
        kind: type of matrices, a key of `TYPES`.
    """
    folder = located(source)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype="float32")
    assert isinstance(model, LlamaForCausalLM)
    writer = gguf.GGUFWriter(file, "llama")
    _add_sizes(writer, model, kind)
    _add_tokenizer(writer, Path(folder), model)
    _add_weights(writer, model, TYPES[kind][0])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _add_sizes(writer: gguf.GGUFWriter, model: LlamaForCausalLM, kind: str) -> None:
    config: Any = model.config
    writer.add_file_type(TYPES[kind][1])
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_key_length(config.head_dim)
    writer.add_value_length(config.head_dim)
    writer.add_rope_dimension_count(config.head_dim)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
    writer.add_vocab_size(config.vocab_size)
    if hasattr(config, "guidance_kit_prompt"):
        writer.add_string(PROMPT_KEY, config.guidance_kit_prompt)


def _add_tokenizer(writer: gguf.GGUFWriter, folder: Path, model: LlamaForCausalLM) -> None:
    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    state = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    names = {token: name for name, token in state["model"]["vocab"].items()}
    names |= {added["id"]: added["content"] for added in state["added_tokens"]}
    kinds = dict.fromkeys(names, gguf.TokenType.NORMAL)
    for added in state["added_tokens"]:
        kinds[added["id"]] = gguf.TokenType.CONTROL if added["special"] else gguf.TokenType.USER_DEFINED
    rows = range(model.config.vocab_size)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list([names.get(token, f"[PAD{token}]") for token in rows])
    writer.add_token_types([kinds.get(token, gguf.TokenType.UNUSED) for token in rows])
    merges = state["model"]["merges"]
    writer.add_token_merges([one if isinstance(one, str) else " ".join(one) for one in merges])
    ends = (writer.add_bos_token_id, "bos"), (writer.add_eos_token_id, "eos"), (writer.add_pad_token_id, "pad")
    for add, end in ends:
        token = getattr(tokenizer, f"{end}_token_id")
        if token is not None:
            add(token)
    framed = tokenizer.encode("a")
    writer.add_add_bos_token(framed[0] == tokenizer.bos_token_id)
    writer.add_add_eos_token(framed[-1] == tokenizer.eos_token_id)
    if tokenizer.chat_template is not None:
        writer.add_chat_template(tokenizer.chat_template)


def _add_weights(writer: gguf.GGUFWriter, model: LlamaForCausalLM, kind: gguf.GGMLQuantizationType) -> None:
    config: Any = model.config
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, config.num_hidden_layers)
    heads = {"q_proj.weight": config.num_attention_heads, "k_proj.weight": config.num_key_value_heads}
    for name, tensor in model.state_dict().items():
        if name == "lm_head.weight" and config.tie_word_embeddings:
            continue
        weights = tensor.numpy()
        for ending, count in heads.items():
            if name.endswith(ending):
                weights = _interleaved(weights, count)
        place = names.get_name(name, try_suffixes=(".weight",))
        if weights.ndim == 1:
            writer.add_tensor(place, np.ascontiguousarray(weights))
        else:
            writer.add_tensor(place, gguf.quants.quantize(np.ascontiguousarray(weights), kind), raw_dtype=kind)


def _interleaved(weights: np.ndarray[Any, Any], heads: int) -> np.ndarray[Any, Any]:
    """Rows of a projection with the two halves of each head interleaved, as llama.cpp rotates them."""
    halves = weights.reshape(heads, 2, weights.shape[0] // heads // 2, *weights.shape[1:])
    return halves.swapaxes(1, 2).reshape(weights.shape)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", help="a bundled model, or a folder with a Llama of transformers")
    parser.add_argument("file", type=Path)
    parser.add_argument("--type", choices=TYPES, default="f32")
    arguments = parser.parse_args()
    arguments.file.parent.mkdir(parents=True, exist_ok=True)
    write_gguf(arguments.source, arguments.file, kind=arguments.type)


if __name__ == "__main__":
    main()
