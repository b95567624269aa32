"""Tokens, prompts and context of a model that a vLLM engine runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any, NoReturn

from guidance_kit.errors import ModelError
from guidance_kit.models.chat import chat_text, reasoning_tags
from guidance_kit.models.sequence_ends import end_tokens, trailing_tokens
from guidance_kit.models.spelled_text import require_text, spell
from guidance_kit.vocabulary import Vocabulary

__all__ = ["EngineTokens"]


class EngineTokens:
    """Text model of an engine without its logits, which never leave the engine.

    Args:
        config: vLLM's `ModelConfig` of the engine.
        tokenizer: of the engine.
    Attributes:
        name, prompt_style, has_chat_template, start_token, reasoning_tags: see `TextModel`.
        vocabulary: tokens with their bytes; the ends of sequence are those that a model of transformers has.
        rows: width of the logits.
        context_length: most tokens of prompt and text, `max_model_len` of the engine.
    """

    def __init__(self, config: Any, tokenizer: Any) -> None:
        self.name: str = config.model
        self.rows: int = config.get_vocab_size()
        self.context_length: int = config.max_model_len
        self.prompt_style: str = getattr(config.hf_config, "guidance_kit_prompt", "instruction")
        self.start_token: int | None = tokenizer.bos_token_id
        self._template: str | None = getattr(tokenizer, "chat_template", None)
        self.has_chat_template = self._template is not None
        self.reasoning_tags = reasoning_tags(self._template)
        self._tokenizer = tokenizer
        generation = SimpleNamespace(eos_token_id=config.try_get_generation_config().get("eos_token_id"))
        ends = end_tokens(generation, config.hf_config, tokenizer)
        self.vocabulary = Vocabulary.from_tokenizer(tokenizer, rows=self.rows, eos=ends or None)
        self._trailing = len(trailing_tokens(tokenizer))

    def encode(self, text: str, *, with_special_tokens: bool = True) -> list[int]:
        """Token ids of a prompt; see `TextModel.encode`.

        Raises:
            OptionError: it is no text, or has a lone surrogate.
        """
        tokens = list(self._tokenizer.encode(require_text(text), add_special_tokens=with_special_tokens))
        return tokens[: len(tokens) - self._trailing] if with_special_tokens else tokens

    def spell(self, text: str) -> list[int]:
        """Token ids that add up to a text in the middle of another one.

        Raises:
            UnspellableError: there are none; names the characters at fault.
            OptionError: as `encode`.
        """
        return spell(text, lambda one: self.encode(one, with_special_tokens=False), self.vocabulary)

    def chat(self, messages: Sequence[Mapping[str, Any]], **template_options: Any) -> list[int]:
        """Token ids of a conversation; see `TextModel.chat`.

        Raises:
            ModelError: there is no chat template; it refuses the messages.
        """
        return self.encode(chat_text(self._tokenizer, messages, template_options), with_special_tokens=False)

    def room(self, prompt: Sequence[int]) -> int | None:
        """Number of tokens that fit after a prompt; see `Distribution.room`."""
        return self.context_length - len(prompt)

    def logits(self, *arguments: Any, **options: Any) -> NoReturn:
        """Refuse: an engine returns tokens.

        Raises:
            ModelError: always.
        """
        raise ModelError(f"{self.name} runs in vLLM, whose logits stay there; load it with guidance_kit.load instead")
