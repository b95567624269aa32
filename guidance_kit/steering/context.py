"""Prompts of a term's own: text before the caller's prompt, a rewritten prompt, or its last token alone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast, runtime_checkable

from guidance_kit.errors import ModelError, OptionError
from guidance_kit.prompt import Conversation, Prompt, is_conversation, read_prompt

__all__ = ["Before", "Context", "LastToken", "OnePerPrompt", "Rewrite", "Rewritten", "as_chat"]

Rewrite = Callable[[Prompt], Prompt]
"""Function from the caller's prompt, as given, to a text, token ids, or the messages of a conversation."""


@runtime_checkable
class _Encodes(Protocol):
    """Source with a tokenizer."""

    def encode(self, text: str, *, with_special_tokens: bool = True) -> list[int]: ...

    def chat(self, messages: Sequence[Mapping[str, Any]], **template_options: Any) -> list[int]: ...


class Context(ABC):
    """Map from the caller's prompt to the prompt of a term. The generated tokens follow both."""

    @abstractmethod
    def tokens(self, source: object, prompt: Prompt, tokens: Sequence[int], number: int) -> list[int]:
        """Token ids of the prompt of a term.

        Args:
            source: the term's model; its tokenizer encodes texts.
            prompt: as the caller gave it.
            tokens: its token ids.
            number: index of the prompt in the caller's list.
        Raises:
            ModelError: the model has no tokenizer.
        """


@dataclass(frozen=True, slots=True)
class Before(Context):
    """Text before the prompt.

    If the prompt is a text, both are encoded as one. If it is token ids or a conversation, its ids follow those of
    `text`, without a second beginning-of-sequence token between them.
    """

    text: str

    def tokens(self, source: object, prompt: Prompt, tokens: Sequence[int], number: int) -> list[int]:
        """See `Context.tokens`."""
        if isinstance(prompt, str):
            return _encoding(source).encode(self.text + prompt)
        before = _encoding(source).encode(self.text)
        bos = getattr(getattr(source, "tokenizer", None), "bos_token_id", None)
        repeats = bool(before) and before[0] == bos == tokens[0]
        return [*before, *tokens[repeats:]]

    def __str__(self) -> str:
        return repr(_shortened(self.text))


@dataclass(frozen=True, slots=True)
class Rewritten(Context):
    """Prompt computed by a function of the caller's prompt."""

    function: Rewrite

    def tokens(self, source: object, prompt: Prompt, tokens: Sequence[int], number: int) -> list[int]:
        """See `Context.tokens`; also raises OptionError if the function returns no prompt."""
        made = read_prompt(self.function(prompt), f"what a term reads, made by {self} of {_shortened(repr(prompt))},")
        if isinstance(made, str):
            return _encoding(source).encode(made)
        if is_conversation(made):
            return _encoding(source).chat(made)
        return list(cast("Sequence[int]", made))

    def __str__(self) -> str:
        return getattr(self.function, "__name__", repr(self.function))


@dataclass(frozen=True, slots=True)
class LastToken(Context):
    """Last token of the prompt alone: the unconditional distribution of classifier-free guidance."""

    def tokens(self, source: object, prompt: Prompt, tokens: Sequence[int], number: int) -> list[int]:
        """See `Context.tokens`."""
        return list(tokens[-1:])

    def __str__(self) -> str:
        return "the last token"


@dataclass(frozen=True, slots=True)
class OnePerPrompt(Context):
    """One context for each of the caller's prompts."""

    contexts: tuple[Context, ...]

    def tokens(self, source: object, prompt: Prompt, tokens: Sequence[int], number: int) -> list[int]:
        """See `Context.tokens`."""
        return self.contexts[number].tokens(source, prompt, tokens, number)

    def __str__(self) -> str:
        return f"one of {len(self.contexts)} contexts"


@dataclass(frozen=True, slots=True)
class _AsChat:
    """Rewrite of a text into a user message; conversations stay as they are."""

    system: str | None

    def __call__(self, prompt: Prompt) -> Conversation:
        messages: list[Mapping[str, Any]]
        if isinstance(prompt, str):
            messages = [{"role": "user", "content": prompt}]
        elif is_conversation(prompt):
            messages = list(prompt)
        else:
            raise OptionError("as_chat makes a message of a text; the prompt was given as token ids")
        if self.system is None:
            return messages
        if messages[0]["role"] == "system":
            raise OptionError("the conversation has a system message, and as_chat is given another one")
        return [{"role": "system", "content": self.system}, *messages]

    def __repr__(self) -> str:
        return "as_chat" if self.system is None else f"as_chat with {_shortened(self.system)!r}"


def as_chat(system: str | None = None) -> Rewrite:
    """Context for `given`: the prompt as a user message in the chat template of the term's own model.

    A prompt that is a conversation stays one, in that template.

    Args:
        system: a system message before it.
    """
    return _AsChat(system)


def _encoding(source: object) -> _Encodes:
    """The source if it has a tokenizer, else a ModelError."""
    if not isinstance(source, _Encodes):
        raise ModelError(f"{getattr(source, 'name', source)} has no tokenizer; give token ids in place of a text")
    return source


def _shortened(text: str, length: int = 40) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
