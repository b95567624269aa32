"""Prompts of the terms of a formula, for each prompt of the caller."""

from __future__ import annotations

from collections.abc import Sequence

from guidance_kit.errors import ModelError, OptionError
from guidance_kit.prompt import Prompt, prompt_tokens
from guidance_kit.steering.context import OnePerPrompt
from guidance_kit.steering.terms import ModelTerm

__all__ = ["TermPrompts"]


class TermPrompts:
    """Map from a caller's prompt to the prompts of the terms that have one of their own, computed once each.

    Args:
        model_terms: terms of the formula; those without a context are ignored.
    """

    def __init__(self, model_terms: Sequence[ModelTerm]) -> None:
        self._model_terms = [term for term in model_terms if term.context is not None]
        self._found: dict[tuple[int, ...], dict[ModelTerm, list[int]]] = {}

    def bound_to(self, prompts: Sequence[Prompt], tokens: Sequence[Sequence[int]]) -> TermPrompts:
        """Map for prompts that are known as given, texts among them.

        Args:
            prompts: as the caller gave them.
            tokens: their token ids.
        Raises:
            OptionError: contexts for another number of prompts; two equal prompts with different contexts.
            ModelError: the prompt of a term is empty, or a text and its model has no tokenizer.
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
        """Token ids of the prompt of a term, for a prompt of the caller."""
        key = tuple(prompt)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._all(prompt, prompt, None)
        return found[term]

    def _all(self, prompt: Prompt, tokens: Sequence[int], number: int | None) -> dict[ModelTerm, list[int]]:
        """Token ids of the prompt of each term."""
        found: dict[ModelTerm, list[int]] = {}
        for term in self._model_terms:
            context = term.context
            assert context is not None
            if number is None and isinstance(context, OnePerPrompt):
                raise OptionError(f"the term {term} has contexts for other prompts than this one")
            found[term] = prompt_tokens(term.source, context.tokens(term.source, prompt, tokens, number or 0))
            if not found[term]:
                raise ModelError(f"the term {term} has an empty prompt; a model needs at least one token to go on from")
        return found
