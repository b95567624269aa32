"""Parsers of tool calls of others, as a reference: vLLM's, cohere-melody, and OpenAI's of harmony. Tests only.

Importing it needs vLLM; see `make test-engines`.
"""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

os.environ.update(VLLM_LOGGING_LEVEL="ERROR", HF_HUB_OFFLINE="1", VLLM_NO_USAGE_STATS="1", DO_NOT_TRACK="1")

import openai_harmony
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast
from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
from vllm.tool_parsers import ToolParserManager

from guidance_kit.grammars.tool_formats import TOOL_FORMATS

__all__ = ["FORBIDDEN", "PARSERS", "read_calls"]

PARSERS = {
    "hermes": "hermes", "llama3": "llama3_json", "llama4_pythonic": "llama4_pythonic", "mistral": "mistral",
    "mistral_v11": "mistral", "deepseek_v3": "deepseek_v3", "deepseek_v3_1": "deepseek_v31",
    "deepseek_v3_2": "deepseek_v32", "deepseek_v4": "deepseek_v4", "kimi_k2": "kimi_k2", "kimi_k3": "kimi_k3",
    "qwen3_coder": "qwen3_coder", "glm4_5": "glm45", "glm4_7": "glm47", "minimax_m2": "minimax_m2",
    "minimax_m3": "minimax_m3", "gemma4": "gemma4", "cohere": "cohere-melody", "exaone4": "hermes",
    "granite3": "granite", "phi4_mini": "phi4_mini_json", "harmony": "openai-harmony",
}  # fmt: skip
"""Parser of each style: its name in vLLM, or the package."""

FORBIDDEN = {"phi4_mini": ("]",)}
"""Strings within a call at which a parser cuts it short."""


def read_calls(style: str, text: str, tools: list[dict[str, Any]]) -> list[tuple[str, Any]]:
    """Names and arguments of the calls in a text, as the public parser of the style reads them."""
    if style == "cohere":
        from cohere_melody import PyFilter, PyFilterOptions

        read = PyFilter(PyFilterOptions().cmd3()).process_full_text(text).tool_calls
        return [(one.name, json.loads(one.arguments or "{}")) for one in read]  # "" for none
    if style == "harmony":
        encoding = _harmony()
        tokens = encoding.encode(text, allowed_special="all")
        messages = encoding.parse_messages_from_completion_tokens(tokens, openai_harmony.Role.ASSISTANT)
        called = [one for one in messages if one.recipient]
        return [(one.recipient.removeprefix("functions."), json.loads(one.content[0].text)) for one in called]
    request = ChatCompletionRequest(model="m", messages=[{"role": "user", "content": "x"}], tools=tools)
    options = {"chat_template_kwargs": {"thinking": False}} if style == "deepseek_v4" else {}
    parser = ToolParserManager.get_tool_parser(PARSERS[style])(_tokenizer(style), request.tools, **options)
    thought = "</think>" if style == "minimax_m2" else ""  # which its parser waits for
    found = parser.extract_tool_calls(thought + text, request)
    return [(one.function.name, json.loads(one.function.arguments)) for one in found.tool_calls]


@cache
def _harmony() -> Any:
    folder = Path(os.environ["GUIDANCE_KIT_DATA"]) / "tokenizers" / "o200k_base"
    os.environ["TIKTOKEN_ENCODINGS_BASE"] = str(folder)
    return openai_harmony.load_harmony_encoding(openai_harmony.HarmonyEncodingName.HARMONY_GPT_OSS)


@cache
def _tokenizer(style: str) -> PreTrainedTokenizerFast:
    """Bytes, and the special tokens of a style."""
    made = Tokenizer(models.BPE(vocab={one: n for n, one in enumerate(sorted(_alphabet()))}, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    form = TOOL_FORMATS[style]
    group = form.group or ((), "", ())
    parts = [*form.begin, *form.end, *group[0], *group[2]]
    names = {str(part.source) for part in parts if not isinstance(part, str) and part.kind == "special_token"}
    names |= {"<think>", "</think>", "<tool_call>", "</tool_call>", "<|python_tag|>"}
    made.add_special_tokens([AddedToken(name, special=True) for name in sorted(names)])
    return PreTrainedTokenizerFast(tokenizer_object=made)


def _alphabet() -> list[str]:
    return pre_tokenizers.ByteLevel.alphabet()
