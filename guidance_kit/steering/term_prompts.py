"""The prompts that the terms of a formula read, for each prompt of the caller."""

from __future__ import annotations

from collections.abc import Sequence

from guidance_kit.errors import ModelError, OptionError
from guidance_kit.prompt import Prompt
from guidance_kit.steering.atoms import ModelTerm
from guidance_kit.steering.context import OnePerPrompt

__all__ = ["TermPrompts"]


class TermPrompts:
    """From the tokens of a caller's prompt to those that a term reads instead. They are found once and kept.

    Args:
        reads: the terms with a prompt of their own.
    """

    def __init__(self, model_terms: Sequence[ModelTerm]) -> None:
        self._model_terms = [term for term in model_terms if term.context is not None]
        self._found: dict[tuple[int, ...], dict[ModelTerm, list[int]]] = {}

    def bound_to(self, prompts: Sequence[Prompt], tokens: Sequence[Sequence[int]]) -> TermPrompts:
        """Those for prompts that are known as they were given, texts among them.

        Args:
            prompts: what the caller gave.
            tokens: the ids that stand for them.
        Raises:
            OptionError: contexts for another number of prompts; two equal prompts with different contexts.
            ModelError: a term has nothing to read, or no tokenizer to read a text with.
        """
        made = TermPrompts(self._model_terms)
        for term in self._model_terms:
            if isinstance(term.context, OnePerPrompt) and len(term.context.contexts) != len(prompts):
                raise OptionError(
                    f"{len(prompts)} prompts, and {len(term.context.contexts)} contexts in the term {term}"
                )
        for number, (prompt, ids) in enumerate(zip(prompts, tokens, strict=True)):
            own = made._all(prompt, ids, number)
            known = made._found.setdefault(tuple(ids), own)
            if known != own:
                raise OptionError(
                    f"prompt {number} equals an earlier one, and a term has another context for it; generate them in "
                    "calls of their own"
                )
        return made

    def of(self, term: ModelTerm, prompt: Sequence[int]) -> list[int]:
        """What a term reads in place of a prompt."""
        key = tuple(prompt)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._all(prompt, prompt, None)
        return found[term]

    def _all(self, prompt: Prompt, tokens: Sequence[int], number: int | None) -> dict[ModelTerm, list[int]]:
        """What each term reads."""
        found: dict[ModelTerm, list[int]] = {}
        for term in self._model_terms:
            context = term.context
            assert context is not None
            if number is None and isinstance(context, OnePerPrompt):
                raise OptionError(f"the term {term} has contexts for other prompts than this one")
            found[term] = context.tokens(term.source, prompt, tokens, number or 0)
            if not found[term]:
                raise ModelError(f"the term {term} has an empty prompt; a model needs at least one token to go on from")
        return found
