"""Binding of drafts to a target: models and formulas with the tokens of the target, and terms that it has itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from guidance_kit.decoding.distribution import Distribution
from guidance_kit.decoding.drafts.draft import Draft, is_draft
from guidance_kit.decoding.drafts.draft_sequence import DraftSequence
from guidance_kit.decoding.drafts.forced_tokens import ForcedTokens
from guidance_kit.decoding.drafts.mask_lookup import MaskLookup
from guidance_kit.decoding.drafts.model_draft import ModelDraft
from guidance_kit.decoding.drafts.prompt_lookup import PromptLookup
from guidance_kit.decoding.drafts.text_lookup import TextLookup
from guidance_kit.decoding.speculation import Speculator
from guidance_kit.errors import OptionError
from guidance_kit.prompt import Prompt
from guidance_kit.steering.ensemble import Ensemble, require_same_tokens
from guidance_kit.steering.formula import Formula, Operand
from guidance_kit.steering.terms import Term, Weight
from guidance_kit.vocabulary import Vocabulary

__all__ = ["DraftBinding", "FormulaBinding", "Share", "expert_of"]


@dataclass(frozen=True, slots=True)
class FormulaBinding:
    """Binding of the formula of a draft to prompts. Bindings of equal formulas are equal.

    Attributes:
        formula: the formula.
        ensemble: its distribution, without prompts.
    """

    formula: Formula
    ensemble: Ensemble = field(compare=False)

    def __call__(self, prompts: Sequence[Prompt], tokens: Sequence[Sequence[int]]) -> Distribution:
        """Distribution for prompts and their tokens: of a single model without a prompt of its own, the model."""
        term = self.formula.model_term
        return term.source if term is not None and term.context is None else self.ensemble.bound_to(prompts, tokens)


Share = Callable[[Distribution, FormulaBinding], Distribution]
"""Function from the distribution of a draft, and its binding, to the one that the draft asks in its place."""


class DraftBinding:
    """Binding of the drafts of a call to its target and prompts.

    Args:
        formula: formula of the target.
        vocabulary: its vocabulary.
        prompts: prompts as given.
        tokens: their token ids.
        ahead: number of proposed tokens, see `Speculator`.
        share: for concurrent calls, which share the passes of their drafts; None for a call of its own.
    """

    def __init__(
        self,
        formula: Formula,
        vocabulary: Vocabulary,
        prompts: Sequence[Prompt],
        tokens: Sequence[Sequence[int]],
        ahead: int | None,
        share: Share | None = None,
    ) -> None:
        self.formula = formula
        self.vocabulary = vocabulary
        self._prompts = prompts
        self._tokens = tokens
        self._ahead = ahead
        self._share = share

    @property
    def source(self) -> Any:
        """Model of the call; None for a formula."""
        return self.formula.source

    def bind(self, given: Any) -> Draft:
        """Draft from what the caller gives.

        Args:
            given: a model or a formula; "expert", the first positive term of the target beside its base; "lookup",
                `PromptLookup()`; "forced", `ForcedTokens()`; "excerpts", `ForcedTokens()`, `MaskLookup()` and
                `TextLookup()` in turn; a draft, or a value with a method `bound` that makes one,
                as `ModelTree`; or a list of these, a chain in which each is the draft of the next, and the last that of
                the target.
        Raises:
            OptionError: it is none of these; a draft within a chain that runs no model; a model on another device.
            VocabularyError: a model with other tokens; names the first of them.
        """
        if isinstance(given, str):
            if given not in _NAMED:
                raise OptionError.unknown(given, _NAMED, "draft")
            given = _NAMED[given](self.formula)
        if isinstance(given, DraftSequence):
            return given.bound(self.bind)
        if isinstance(given, Operand):
            return self._of_formula(given.formula)
        if isinstance(given, list | tuple) and given:
            return self._chain(given)
        if is_draft(given):
            return cast(Draft, given)
        bound = None if isinstance(given, type) else getattr(given, "bound", None)
        if callable(bound):
            return cast(Draft, bound(self))
        raise OptionError(
            f"a draft is a model, a formula, one of {', '.join(map(repr, _NAMED))}, or a list of these as a chain, "
            f"not {given!r}"
        )

    def _chain(self, given: Sequence[Any]) -> Draft:
        """Chain of drafts, the smallest first."""
        first, *others = map(self.bind, given)
        chain = first
        for draft in others:
            if not isinstance(draft, ModelDraft):
                raise OptionError(f"in a chain of drafts only the first may run no model, and {draft.name} runs none")
            if isinstance(chain, ModelDraft):
                chain = replace(chain, term=None)  # a term of the target, and not of the next draft
            chain = replace(draft, speculator=Speculator(chain, self._ahead))
        return chain

    def _of_formula(self, formula: Formula) -> ModelDraft:
        """Draft by a model or a formula."""
        ensemble = Ensemble(formula)
        require_same_tokens(str(self.formula), self.vocabulary, str(formula), ensemble.vocabulary)
        devices = [getattr(one.base.source, "device", None) for one in (self.formula, formula)]
        if None not in devices and devices[0] != devices[1]:
            raise OptionError(f"the draft {formula} is on {devices[1]}, and {self.formula} on {devices[0]}; move one")
        term = formula.model_term
        is_term = self.formula.source is None and term in self.formula.model_terms
        binding = FormulaBinding(formula, ensemble)
        distribution = binding(self._prompts, self._tokens)
        if self._share is not None:
            distribution = self._share(distribution, binding)
        return ModelDraft(distribution, str(formula), term if is_term else None)


def expert_of(formula: Formula) -> Formula:
    """First positive term of a formula beside its base: in base + w (expert - antiexpert) the expert.

    Raises:
        OptionError: there is none.
    """
    base = formula.base
    for term in formula.active:
        if term.weight.coefficient > 0 and base not in Formula((term,)).model_terms:
            return Formula((Term(Weight(1.0), term.atom),))
    raise OptionError(f"the formula {formula} has no positive term beside its base {base}, which could be the draft")


_NAMED: dict[str, Callable[[Formula], Any]] = {
    "expert": expert_of,
    "lookup": lambda formula: PromptLookup(),
    "forced": lambda formula: ForcedTokens(),
    "excerpts": lambda formula: DraftSequence((ForcedTokens(), MaskLookup(), TextLookup())),
}
"""Drafts by name."""
