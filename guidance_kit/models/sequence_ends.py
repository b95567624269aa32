"""Tokens with which sequences end: those that end a text, and those that a tokenizer puts behind a prompt."""

from __future__ import annotations

from transformers import PreTrainedTokenizerBase

__all__ = ["end_tokens", "trailing_tokens"]


def trailing_tokens(tokenizer: PreTrainedTokenizerBase) -> list[int]:
    """Special tokens that a tokenizer puts at the end of a sequence."""
    framed, bare = list(tokenizer.encode("a")), list(tokenizer.encode("a", add_special_tokens=False))
    starts = range(len(framed) - len(bare) + 1)
    return next((framed[at + len(bare) :] for at in starts if framed[at : at + len(bare)] == bare), [])


def end_tokens(*sources: object) -> list[int]:
    """All end-of-sequence ids that settings name: those of the generation, the model and the tokenizer, say.

    Args:
        sources: objects that may have `eos_token_id`, one id or several; None for one that there is not.
    """
    named: list[int] = []
    for source in sources:
        ends = getattr(source, "eos_token_id", None)
        named.extend([ends] if isinstance(ends, int) else ends or [])
    return list(dict.fromkeys(named))
