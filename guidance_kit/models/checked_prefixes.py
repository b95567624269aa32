"""Validation of the prefixes that a model is asked about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from guidance_kit.errors import ContextLengthError, ModelError, OptionError
from guidance_kit.prompt import is_conversation, read_prompt

__all__ = ["checked_prefixes"]


def checked_prefixes(prefixes: Sequence[Sequence[int]], positions: int, context_length: int | None) -> list[list[int]]:
    """Prefixes as lists, of lengths that a model can answer for.

    Args:
        prefixes, positions: as in `Distribution.logits`.
        context_length: of the model, None without a limit.
    Raises:
        OptionError: a prefix is something else than token ids, as a text or bytes.
        ModelError: no prefix; an empty one, or one shorter than `positions`.
        ContextLengthError: a prefix longer than the context.
    """
    lists = [prefix if type(prefix) is list else _token_ids(prefix, row) for row, prefix in enumerate(prefixes)]
    lengths = [len(prefix) for prefix in lists]
    if not lengths or not 1 <= positions <= min(lengths):
        shortest = f"a prefix has {min(lengths)} tokens" if lengths else "there is no prefix"
        raise ModelError(f"{positions} positions asked for, but {shortest}")
    if context_length is not None and max(lengths) > context_length:
        raise ContextLengthError(tokens=max(lengths), context_length=context_length)
    return lists


def _token_ids(prefix: object, row: int) -> list[int]:
    """A prefix that is no list of integers as one."""
    found = read_prompt(prefix, f"prefix {row}")
    if isinstance(found, str) or is_conversation(found):
        raise OptionError(f"prefix {row} is {prefix!r}; a model reads token ids: encode it first")
    return list(cast("Sequence[int]", found))
