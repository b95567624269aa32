"""Conversations as one text, written as the model's own template has it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from transformers import PreTrainedTokenizerBase

from guidance_kit.errors import ModelError

__all__ = ["chat_text"]


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
    try:
        written = tokenizer.apply_chat_template(
            [dict(message) for message in messages], tokenize=False, add_generation_prompt=True, **template_options
        )
    except Exception as error:
        # Templates fail with errors of jinja2, which transformers brings along and which is no dependency of ours.
        if not isinstance(error, KeyError | TypeError | ValueError) and not _is_template_error(error):
            raise
        raise ModelError(f"the chat template of {name} refuses the messages: {error}") from error
    return cast(str, written)


def _is_template_error(error: Exception) -> bool:
    """Test whether a template raised it, or cannot be compiled."""
    return any(kind.__name__ == "TemplateError" for kind in type(error).__mro__)
