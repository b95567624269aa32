"""Prompts and texts as a caller gives them: checked, and told apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any, TypeGuard, cast

from guidance_kit.errors import OptionError

__all__ = ["Conversation", "Message", "Prompt", "is_conversation", "read_prompt", "read_prompts", "read_texts"]

Message = Mapping[str, Any]
"""`{"role": "user", "content": "..."}`."""
Conversation = Sequence[Message]
"""Messages, which the model's chat template turns into a text."""
Prompt = str | Sequence[int] | Conversation
"""A text, token ids, or a conversation."""

_EXPECTED = "a prompt is a text (str), token ids (integers) or a conversation (a list of messages with a role)"


def read_prompts(given: object) -> tuple[list[Prompt], bool]:
    """Tell one prompt from several, and check each.

    Args:
        given: a text; token ids, in a list or in an array or tensor of integers of one dimension; a conversation; or
            any iterable of these, a matrix of token ids among them. A list of messages is one conversation, a list of
            integers one prompt.
    Returns:
        The prompts, arrays as lists; and whether it was a single one.
    Raises:
        OptionError: something else, naming the place and what can be done.
    """
    if isinstance(given, str):
        return [given], True
    entries = _listed(given, "the prompt", _EXPECTED)
    if any(_is_integer(entry) or isinstance(entry, Mapping) for entry in entries):
        return [_of_entries(entries, "the prompt")], True
    return [read_prompt(entry, f"prompt {number}") for number, entry in enumerate(entries)], False


def read_prompt(given: object, where: str = "the prompt") -> Prompt:
    """Check a single prompt.

    Args:
        where: what messages call it.
    Raises:
        OptionError: it is none.
    """
    return given if isinstance(given, str) else _of_entries(_listed(given, where, _EXPECTED), where)


def read_texts(given: object, what: str = "text") -> tuple[list[str], bool]:
    """Tell one text from several, and check each.

    Args:
        given: a str, or any iterable of them.
        what: what messages call one of them.
    Returns:
        The texts, and whether it was a single one.
    Raises:
        OptionError: something else, naming the place.
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
    """Whether a prompt that was checked is a conversation."""
    return not isinstance(prompt, str) and len(prompt) > 0 and isinstance(prompt[0], Mapping)


def _of_entries(entries: list[Any], where: str) -> Prompt:
    """Token ids, or messages."""
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
    """Whether an entry has a role, and a content that templates do not write by its `repr`.

    The content may be a list of parts, or missing where there is something else, as calls of tools.
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
    """The entries of a list, of another iterable that has an order, or of an array."""
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
    """Whether an entry is an integer: not a bool, and no float that happens to be whole."""
    if isinstance(entry, Integral):
        return not isinstance(entry, bool)
    scalar: Any = entry
    if getattr(scalar, "ndim", None) != 0 or not hasattr(scalar, "tolist"):
        return False
    return type(scalar.tolist()) is int  # a tensor of one token


def _refusal(given: object, where: str, expected: str) -> OptionError:
    """The error for something that is no prompt or text."""
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
    """A value with its type, for messages."""
    shown = repr(value)
    shown = shown if len(shown) <= length else shown[: length - 1] + "…"
    return shown if value is None else f"{shown} ({type(value).__name__})"
