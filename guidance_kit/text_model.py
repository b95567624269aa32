"""Text model protocol: what `Model` needs of a backend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from guidance_kit.decoding.distribution import Distribution
from guidance_kit.vocabulary import Vocabulary

__all__ = ["TextModel"]


class TextModel(Distribution, Protocol):
    """Language model of some backend: a next-token distribution, its tokens, and the encoding of prompts.

    `TransformersModel` is the implementation for transformers. Another one is one class with these members:
    `Model(backend)` then generates, extracts and classifies with it, alone and in formulas, under constraints.

    Attributes:
        name: name for messages.
        vocabulary: tokens of the model.
        prompt_style: style of prompts for extraction and classification, a key of `models.prompts.PROMPTS`;
            "instruction" for a model that follows instructions.
        has_chat_template: `chat` writes conversations.
        start_token: beginning-of-sequence token, which stands for an empty prompt; None if there is none.

    A backend may have `reasoning_tags` as well, see `models.chat.reasoning_tags`; without it, or where it is None,
    thoughts before an answer are asked for.
    """

    @property
    def name(self) -> str: ...

    @property
    def vocabulary(self) -> Vocabulary: ...

    @property
    def prompt_style(self) -> str: ...

    @property
    def has_chat_template(self) -> bool: ...

    @property
    def start_token(self) -> int | None: ...

    def encode(self, text: str, *, with_special_tokens: bool = True) -> list[int]:
        """Token ids of a prompt.

        Args:
            with_special_tokens: with those that the tokenizer adds at the start of a sequence, never those at its end.
        Raises:
            ModelError: there is no tokenizer.
            OptionError: the argument is no text, or has a lone surrogate.
        """
        ...

    def spell(self, text: str) -> list[int]:
        """Token ids whose bytes are those of a text, as in the middle of another one.

        Raises:
            UnspellableError: there are none; names the characters at fault.
        """
        ...

    def chat(self, messages: Sequence[Mapping[str, Any]], **template_options: Any) -> list[int]:
        """Token ids of a conversation, up to the answer of the model.

        Raises:
            ModelError: there is no chat template; the template refuses the messages.
        """
        ...
