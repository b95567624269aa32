"""Conversations as one text, written as the model's own template has it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from transformers import PreTrainedTokenizerBase
from transformers.utils.chat_template_utils import render_jinja_template

from guidance_kit.errors import ModelError

__all__ = ["chat_text", "reasoning_tags", "template_text"]

_REASONING: tuple[tuple[str, str, str, str], ...] = (
    (
        "<|channel|>analysis",
        "<|channel|>analysis<|message|>",
        "<|end|>",
        "<|start|>assistant<|channel|>final<|message|>",
    ),
    ("open_tag('think'", "<|open|>think<|sep|>", "<|close|>think<|sep|>", "<|open|>response<|sep|>"),
    ("<|START_THINKING|>", "<|START_THINKING|>", "<|END_THINKING|>", "<|START_RESPONSE|>"),
    ("<|channel>thought", "<|channel>thought\n", "<channel|>", ""),
    ("<seed:think>", "<seed:think>", "</seed:think>", ""),
    ("<mm:think>", "<mm:think>", "</mm:think>", ""),
    ("[THINK]", "[THINK]", "[/THINK]", ""),
    ("<think>", "<think>\n", "</think>", "\n\n"),
)
"""Sign of a style in a chat template; texts around the thoughts, and between their end and the answer. As the templates
of gpt-oss, Kimi K3, Command A, Gemma 4, Seed-OSS, MiniMax M3, Magistral, and Qwen 3 and DeepSeek have them."""


def reasoning_tags(template: str | None) -> tuple[str, str, str] | None:
    """Texts around the thoughts of a model, and between their end and its answer, by its chat template.

    >>> reasoning_tags("{{ '<think>' }}")
    ('<think>\\n', '</think>', '\\n\\n')
    """
    found = (tags for sign, *tags in _REASONING if isinstance(template, str) and sign in template)
    return cast("tuple[str, str, str] | None", next(map(tuple, found), None))


def chat_text(
    tokenizer: PreTrainedTokenizerBase, messages: Sequence[Mapping[str, Any]], template_options: Mapping[str, Any]
) -> str:
    """Write a conversation, up to where the model answers.

    Args:
        messages: `{"role": "user", "content": "..."}` each.
        template_options: passed on to the template.
    Raises:
        ModelError: the tokenizer has no chat template, or it refuses the messages.
    """
    name = tokenizer.name_or_path or type(tokenizer).__name__
    if not getattr(tokenizer, "chat_template", None):
        raise ModelError(f"{name} has no chat template; write the prompt as a text, or set `tokenizer.chat_template`")

    def write(conversation: list[dict[str, Any]]) -> str:
        return cast(
            str,
            tokenizer.apply_chat_template(conversation, tokenize=False, add_generation_prompt=True, **template_options),
        )

    return _written(name, write, messages)


def template_text(
    name: str, template: str, messages: Sequence[Mapping[str, Any]], template_options: Mapping[str, Any]
) -> str:
    """Write a conversation with a template of its own, up to where the model answers.

    Args:
        name: of the model, for messages.
        template: in the language of transformers' templates (Jinja).
        messages: as in `chat_text`.
        template_options: passed on to the template, with `bos_token` and `eos_token`, as texts.
    Raises:
        ModelError: the template refuses the messages.
    """

    def write(conversation: list[dict[str, Any]]) -> str:
        written = render_jinja_template(
            conversations=[conversation], chat_template=template, add_generation_prompt=True, **template_options
        )
        return written[0][0]

    return _written(name, write, messages)


def _written(name: str, write: Callable[[list[dict[str, Any]]], str], messages: Sequence[Mapping[str, Any]]) -> str:
    try:
        return write([dict(message) for message in messages])
    except Exception as error:
        # Templates fail with errors of jinja2, which transformers brings along and which is no dependency of ours.
        if not isinstance(error, KeyError | TypeError | ValueError) and not _is_template_error(error):
            raise
        raise ModelError(f"the chat template of {name} refuses the messages: {error}") from error


def _is_template_error(error: Exception) -> bool:
    """Test whether a template raised it, or cannot be compiled."""
    return any(kind.__name__ == "TemplateError" for kind in type(error).__mro__)
