"""Validation of prompts and texts given by a caller, one or several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any, TypeGuard, cast

from guidance_kit.errors import OptionError

__all__ = [
    "Conversation",
    "Message",
    "Prompt",
    "is_conversation",
    "prompt_tokens",
    "read_prompt",
    "read_prompts",
    "read_texts",
]

Message = Mapping[str, Any]
"""`{"role": "user", "content": "..."}`."""
Conversation = Sequence[Message]
"""Messages for the model's chat template."""
Prompt = str | Sequence[int] | Conversation
"""A text, token ids, or a conversation."""

_EXPECTED = "a prompt is a text (str), token ids (integers) or a conversation (a list of messages with a role)"


def read_prompts(given: object) -> tuple[list[Prompt], bool]:
    """Normalise one prompt or several to a list, and validate each.

    Args:
        given: a text; token ids, in a list or in an array or tensor of integers of one dimension; a conversation; or
            any iterable of these, a matrix of token ids among them. A list of messages is one conversation, a list of
            integers one prompt.
    Returns:
        The prompts, arrays as lists; and True for a single prompt.
    Raises:
        OptionError: an invalid prompt; the message has its position and a remedy.
    """
    if isinstance(given, str):
        return [given], True
    entries = _listed(given, "the prompt", _EXPECTED)
    if any(_is_integer(entry) or isinstance(entry, Mapping) for entry in entries):
        return [_of_entries(entries, "the prompt")], True
    return [read_prompt(entry, f"prompt {number}") for number, entry in enumerate(entries)], False


def read_prompt(given: object, where: str = "the prompt") -> Prompt:
    """Validate a single prompt.

    Args:
        where: name of the prompt in messages.
    Raises:
        OptionError: it is no prompt.
    """
    return given if isinstance(given, str) else _of_entries(_listed(given, where, _EXPECTED), where)


def read_texts(given: object, what: str = "text") -> tuple[list[str], bool]:
    """Normalise one text or several to a list, and validate each.

    Args:
        given: a str, or any iterable of them.
        what: name of a text in messages.
    Returns:
        The texts, and True for a single one.
    Raises:
        OptionError: an entry that is no str; the message has its position.
    """
    if isinstance(given, str):
        return [given], True
    expected = f"a {what} is a str"
    entries = _listed(given, f"the {what}", expected)
    for number, entry in enumerate(entries):
        if not isinstance(entry, str):
            raise _refusal(entry, f"{what} {number}", expected)
    return cast("list[str]", entries), False


def is_conversation(prompt: Prompt) -> TypeGuard[Conversation]:
    """Test for a conversation among valid prompts."""
    return not isinstance(prompt, str) and len(prompt) > 0 and isinstance(prompt[0], Mapping)


def prompt_tokens(model: object, tokens: Sequence[int]) -> list[int]:
    """Token ids of a prompt as prefixes of a model begin with them: those given, for most models.

    Args:
        model: its `prompt_tokens`, if it has that method, adds what comes between the prompt and the text, as the token
            with which the decoder of an encoder-decoder model begins.
        tokens: encoded prompt.
    """
    method: Callable[[Sequence[int]], list[int]] | None = getattr(model, "prompt_tokens", None)
    return list(tokens) if method is None else method(tokens)


def _of_entries(entries: list[Any], where: str) -> Prompt:
    """Token ids or messages from the entries of a list, validated."""
    if any(isinstance(entry, Mapping) for entry in entries):
        for number, entry in enumerate(entries):
            if not _is_message(entry):
                raise OptionError(
                    f"message {number} of {where} is {_shortened(entry)}; a message has a role and a content, both "
                    'texts: {"role": "user", "content": "..."}'
                )
        return entries
    for number, entry in enumerate(entries):
        if not _is_integer(entry):
            raise OptionError(f"token {number} of {where} is {_shortened(entry)}; {_EXPECTED}")
    return [int(entry) for entry in entries]


def _is_message(entry: object) -> bool:
    """Test for a message: a role, and a content that a chat template does not render by its `repr`.

    The content may be a list of parts, or missing beside other keys, such as tool calls.
    """
    if not isinstance(entry, Mapping):
        return False
    message = cast("Mapping[str, Any]", entry)
    content = message.get("content")
    if not isinstance(message.get("role"), str) or (content is None and len(message) == len(message.keys() & _USUAL)):
        return False
    return content is None or isinstance(content, str | list | tuple)


_USUAL = {"role", "content"}


def _listed(given: object, where: str, expected: str) -> list[Any]:
    """Entries of a list, of another ordered iterable, or of an array."""
    if isinstance(given, list | tuple):
        return list(cast("Sequence[Any]", given))
    is_refused = isinstance(given, str | bytes | bytearray | memoryview | Mapping | set | frozenset)
    if is_refused or not isinstance(given, Iterable):
        raise _refusal(given, where, expected)
    array: Any = given
    if not hasattr(array, "ndim") or not hasattr(array, "tolist"):
        return list(cast("Iterable[Any]", given))
    if array.ndim == 0:
        raise _refusal(given, where, expected)
    return list(array.tolist())


def _is_integer(entry: object) -> bool:
    """Test for an integer, or a tensor of one: neither a bool nor a float of integral value."""
    if isinstance(entry, Integral):
        return not isinstance(entry, bool)
    scalar: Any = entry
    if getattr(scalar, "ndim", None) != 0 or not hasattr(scalar, "tolist"):
        return False
    return type(scalar.tolist()) is int  # a tensor of one token


def _refusal(given: object, where: str, expected: str) -> OptionError:
    """Error for a value that is no prompt or text, with a hint for common cases."""
    hint = ""
    if isinstance(given, bytes | bytearray | memoryview):
        hint = '; decode it first, as with bytes(...).decode("utf-8")'
    elif isinstance(given, Mapping) and "role" in given:
        hint = "; put the message into a list, which is a conversation"
    elif isinstance(given, Mapping) and "input_ids" in given:
        hint = '; give its "input_ids", without padding'
    elif isinstance(given, set | frozenset):
        hint = "; a set has no order, so sort it into a list"
    return OptionError(f"{where} is {_shortened(given)}; {expected}{hint}")


def _shortened(value: object, length: int = 60) -> str:
    """Value with its type, for messages."""
    shown = repr(value)
    shown = shown if len(shown) <= length else shown[: length - 1] + "…"
    return shown if value is None else f"{shown} ({type(value).__name__})"
