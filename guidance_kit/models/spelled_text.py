"""Tokens of a text in the middle of another one."""

from __future__ import annotations

from collections.abc import Callable

from guidance_kit.errors import OptionError, UnspellableError
from guidance_kit.vocabulary import Vocabulary

__all__ = ["require_text", "spell"]

_ANCHORS = ("", "\n", ":", "a")
"""Texts before the one to spell; some tokenizers put a space before whatever comes first."""


def spell(text: str, encode: Callable[[str], list[int]], vocabulary: Vocabulary) -> list[int]:
    """Token ids whose bytes are those of a text.

    Args:
        encode: the tokenizer, without special tokens around the text.
    Raises:
        UnspellableError: there are none; names the characters at fault.
    """
    tokens = _spelled(text, encode, vocabulary)
    if tokens is not None:
        return tokens
    error = UnspellableError(dict.fromkeys(one for one in text if _spelled(one, encode, vocabulary) is None))
    error.add_note(f"in {text!r}")
    raise error


def require_text(text: object) -> str:
    """Text that a tokenizer takes.

    Raises:
        OptionError: it is no text, or has a lone surrogate, which no tokenizer takes.
    """
    if not isinstance(text, str):
        raise OptionError(f"a text to encode is a str, not {text!r}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise OptionError(
            f"the prompt has a lone surrogate at character {error.start}; it was not decoded with its encoding"
        ) from None
    return text


def _spelled(text: str, encode: Callable[[str], list[int]], vocabulary: Vocabulary) -> list[int] | None:
    for anchor in _ANCHORS:
        before, tokens = encode(anchor), encode(anchor + text)
        own = tokens[len(before) :]
        if tokens[: len(before)] == before and vocabulary.text_of(own) == text.encode():
            return own
    return None
