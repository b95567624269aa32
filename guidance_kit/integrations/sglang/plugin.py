"""Plugin of SGLang that registers the grammar backend `guidance_kit`: `--grammar-backend guidance_kit`.

SGLang loads it in each of its processes by the entry point `sglang.srt.plugins`.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

from typing import Any

__all__ = ["NAME", "register"]

NAME = "guidance_kit"
"""Value of `--grammar-backend`."""


def register() -> None:
    """Add the backend to SGLang's registry, and its name to those of the command line. May be called again."""
    from sglang.srt.arg_groups import choices
    from sglang.srt.constrained.base_grammar_backend import register_grammar_backend

    register_grammar_backend(NAME, _backend)
    if NAME not in choices.GRAMMAR_BACKEND_CHOICES:
        choices.add_grammar_backend_choices([NAME])


def _backend(server_args: Any, tokenizer: Any, vocab_size: int, eos_token_ids: set[int] | None) -> Any:
    from guidance_kit.integrations.sglang.backend import make_backend  # with torch, which a command line waits for

    return make_backend(tokenizer, vocab_size, eos_token_ids or ())
