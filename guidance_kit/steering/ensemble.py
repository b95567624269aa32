"""Formula as a distribution for the generation loop, with a key-value cache for each of its models."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import Any, cast

import torch
from torch import Tensor

from guidance_kit.decoding.distribution import Allowed, PartialSum
from guidance_kit.decoding.padding_rows import padding_rows
from guidance_kit.decoding.tree_logits import has_trees
from guidance_kit.errors import ContextLengthError, FormulaError, ModelError, OptionError, VocabularyError
from guidance_kit.models.token_tree import TokenTree
from guidance_kit.prompt import Prompt
from guidance_kit.steering.formula import Formula
from guidance_kit.steering.formula_evaluation import (
    FormulaEvaluation,
    Part,
    Source,
    combine,
    is_sound,
    normalised,
    rows_of,
    sharing_key,
)
from guidance_kit.steering.prefix_scores import PrefixScores
from guidance_kit.steering.term_prompts import TermPrompts
from guidance_kit.steering.terms import ModelTerm
from guidance_kit.vocabulary import Vocabulary

__all__ = ["Ensemble", "EvaluationPlan", "require_same_tokens"]


class Ensemble:
    """Distribution of a formula: the softmax of its sum, a pure function of the prefix.

    Each model keeps its own cache, keyed by prefix, so prefixes may come in any order: steps, blocks, beams, rollbacks.
    The terms of one model are rows of one batch. A model other than the base is not run where its weight is 0 at every
    position; it computes the skipped tokens when it is needed again.

    Sums are float32, or float64 if a model returns that, on the device of the base. If all terms are models and all
    weights numbers, logits are added, as constants make no difference; else log-probabilities. Rows that one of the
    models lacks are padding, and forbidden.

    Args:
        formula: over models with one vocabulary.
    Raises:
        VocabularyError: two models have different tokens; names the first of them.
        OptionError: terms whose models begin texts differently read one prompt.
    """

    def __init__(self, formula: Formula) -> None:
        self.formula = formula
        self._plan = EvaluationPlan(formula)
        self.vocabulary = self._plan.vocabulary
        self.rows = self.vocabulary.rows
        self.name = str(formula)

    @property
    def has_full_support(self) -> bool:
        """See `decoding.distribution.has_full_support`."""
        is_padded = any(token >= self._plan.width for token in self.vocabulary.special)  # which a constraint may name
        return self.formula.has_full_support and not is_padded

    def bound_to(self, prompts: Sequence[Prompt], tokens: Sequence[Sequence[int]]) -> Ensemble:
        """Copy that knows the caller's prompts as given, for terms with contexts that need their texts.

        Args:
            prompts: texts, token ids or conversations.
            tokens: their token ids.
        Raises:
            OptionError: contexts for another number of prompts; two equal prompts with different contexts.
            ModelError: the prompt of a term is empty, or a text and its model has no tokenizer.
        """
        made = copy.copy(self)
        made._plan = self._plan.bound_to(prompts, tokens)
        return made

    def room(self, prompt: Sequence[int]) -> int | None:
        """Number of tokens that fit after a prompt into the context of every model, None without a limit.

        Raises:
            ContextLengthError: none fit, naming the term.
        """
        least: int | None = None
        for term in self.formula.model_terms:
            own = prompt if term.context is None else self._plan.prompts.of(term, prompt)
            room = term.source.room(own)
            if room is None:
                continue
            if room <= 0:
                raise ContextLengthError(tokens=len(own) + 1, context_length=len(own) + room, model=str(term))
            least = room if least is None else min(least, room)
        for atom in self.formula.atoms:
            room = atom.room(prompt)
            if room is not None:
                if room <= 0:
                    raise ContextLengthError(tokens=len(prompt) + 1, context_length=len(prompt) + room, model=str(atom))
                least = room if least is None else min(least, room)
        return least

    def logits(
        self,
        prefixes: Sequence[Sequence[int]],
        positions: int = 1,
        *,
        starts: Sequence[int] = (),
        allowed: Allowed | None = None,
        known: Mapping[ModelTerm, Tensor] | None = None,
    ) -> Tensor:
        """See `Distribution.logits`.

        Args:
            known: logits of terms that need not be computed, (batch, positions, rows), nats, by term.
        Raises:
            FormulaError: a term is NaN or divides by 0, or no token is left; names the term.
            ModelError: `starts` is needed, see `FormulaEvaluation`; or as the models.
        """
        evaluation = self._evaluate(prefixes, positions, starts, allowed, known)
        return self._checked(self.formula.logits(evaluation), evaluation)

    @property
    def can_have_trees(self) -> bool:
        """True if `tree_logits` is possible: a sum of models with numbers for weights, each with a cache of its own."""
        groups = [{term.source for term in group} for group in self._plan.groups.values()]
        return self.formula.is_linear and all(len(group) == 1 and has_trees(*group) for group in groups)

    def tree_logits(
        self,
        prefixes: Sequence[Sequence[int]],
        trees: Sequence[TokenTree],
        *,
        starts: Sequence[int] = (),
        allowed: Allowed | None = None,
    ) -> Tensor:
        """See `TreeDistribution.tree_logits`: each model computes its trees in one pass.

        Raises:
            FormulaError, ModelError: as `logits`.
        """
        count, known = len(prefixes), dict[ModelTerm, Tensor]()
        for source, model_terms in self._plan.groups.items():
            pairs = [rows_of(self._plan, term, prefixes, starts) for term in model_terms]
            block = cast(Any, source).tree_logits(
                [row for rows, _ in pairs for row in rows],
                list(trees) * len(pairs),
                starts=[start for _, own in pairs for start in own],
            )
            known |= {term: block[at * count : (at + 1) * count] for at, term in enumerate(model_terms)}
        positions = next(iter(known.values())).shape[1]
        # A sum with numbers for weights reads nothing of the prefixes, which only have to be long enough.
        lengthened = [[*prefix, *[0] * (positions - 1)] for prefix in prefixes]
        evaluation = FormulaEvaluation(self._plan, lengthened, positions, starts, known=known)
        return self._checked(self.formula.logits(evaluation), evaluation)

    def partial_sums(
        self,
        prefixes: Sequence[Sequence[int]],
        positions: int = 1,
        *,
        starts: Sequence[int] = (),
        allowed: Allowed | None = None,
        known: Mapping[ModelTerm, Tensor] | None = None,
    ) -> tuple[Tensor, list[PartialSum]]:
        """See `Decomposable.partial_sums`: the base alone, then the sum up to each term, in the order of the formula.

        Raises:
            As `logits`.
        """
        evaluation = self._evaluate(prefixes, positions, starts, allowed, known)
        whole = self._checked(self.formula.logits(evaluation), evaluation)
        evaluation.allow_all()
        base = self._widened(evaluation.base())
        parts = self.formula.parts(evaluation)
        first = str(self.formula.base)
        made = [PartialSum(term=first, weight=evaluation.full(1.0), own=base, logits=base)]
        for end, part in enumerate(parts, 1):
            if end == 1 and part.name == first:
                continue
            factor = part.factor if isinstance(part.factor, Tensor) else evaluation.full(part.factor)
            logits = self._widened(_partial(parts[:end], evaluation))
            made.append(
                PartialSum(
                    term=part.name,
                    weight=factor,
                    own=None if part.value is None else self._widened(part.value),
                    logits=logits,
                )
            )
        if self.formula.is_linear:  # no constraint changes it, so the whole is its last layer, with the same zero
            made[-1] = replace(made[-1], logits=whole)
        return whole, made

    def _evaluate(
        self,
        prefixes: Sequence[Sequence[int]],
        positions: int,
        starts: Sequence[int],
        allowed: Allowed | None,
        known: Mapping[ModelTerm, Tensor] | None,
    ) -> FormulaEvaluation:
        lengths = [len(prefix) for prefix in prefixes]
        if not lengths or not 1 <= positions <= min(lengths):
            shortest = f"a prefix has {min(lengths)} tokens" if lengths else "there is no prefix"
            raise ModelError(f"{positions} positions asked for, but {shortest}")
        return FormulaEvaluation(self._plan, prefixes, positions, starts, allowed, known)

    def _checked(self, total: Tensor, evaluation: FormulaEvaluation) -> Tensor:
        """The sum over all rows; computed again with checks of each term if it is no distribution."""
        if not is_sound(total):
            evaluation.is_careful = True
            total = self.formula.logprobs(evaluation)
            normalised(total, evaluation, self.name)
        return self._widened(total)

    def _widened(self, values: Tensor) -> Tensor:
        """Values padded to all rows by -inf."""
        missing = self.rows - values.shape[-1]
        return torch.nn.functional.pad(values, (0, missing), value=-torch.inf) if missing else values

    def __repr__(self) -> str:
        return f"Ensemble({self.name})"


def _partial(parts: Sequence[Part], evaluation: FormulaEvaluation) -> Tensor:
    """Sum of the first terms; NaN if they alone are no distribution."""
    evaluated = [part for part in parts if part.value is not None]
    if evaluated:
        with suppress(FormulaError):
            return combine(evaluated, evaluation)
    return torch.full_like(evaluation.base(), torch.nan)


class EvaluationPlan:
    """Evaluation plan of a formula: batches of model terms, and the order in which models run.

    Attributes:
        formula: the formula.
        groups: for each model the terms that run with it, as rows of one batch: its own terms, with several prompts,
            and those of other models that share its weights. The cache keeps them all.
        early: models that run before all others. If some models are on a CPU, these are the ones on other devices that
            are always needed: a pass on a GPU is only queued, so both work at the same time.
        prefix_scored: terms whose log-probability of the generated tokens is needed.
        vocabulary: the joint vocabulary of the models.
        width: number of rows that all models have; the others are padding.
    """

    def __init__(self, formula: Formula) -> None:
        self.formula = formula
        sharing: dict[object, list[ModelTerm]] = {}
        for term in formula.model_terms:
            sharing.setdefault(sharing_key(term.source), []).append(term)
        self.groups: dict[Source, list[ModelTerm]] = {
            term.source: model_terms for model_terms in sharing.values() for term in model_terms
        }
        sources = list(dict.fromkeys(term.source for term in formula.model_terms))
        _require_one_form(formula)
        self.vocabulary = joint_vocabulary([(source.name, source.vocabulary) for source in sources])
        self.early = _early([formula.base, *formula.unscheduled])
        self.prefix_scored = frozenset(term for atom in formula.atoms for term in atom.prefix_scored)
        self.width = min(source.rows for source in sources)
        padding = padding_rows(self.vocabulary)
        padding = padding[padding < self.width]
        is_token = torch.ones(self.width, dtype=torch.bool).index_fill(0, padding, False)
        self._tokens = is_token if len(padding) else None
        self._special = torch.tensor(sorted(token for token in self.vocabulary.special if token < self.width)).long()

    @cached_property
    def prompts(self) -> TermPrompts:
        """Prompts of the terms that have one of their own."""
        return TermPrompts(self.formula.model_terms)

    def bound_to(self, prompts: Sequence[Prompt], tokens: Sequence[Sequence[int]]) -> EvaluationPlan:
        """Copy that knows the caller's prompts as given; see `TermPrompts.bound_to`."""
        made = copy.copy(self)
        made.prompts = self.prompts.bound_to(prompts, tokens)
        return made

    @cached_property
    def prefix_scores(self) -> PrefixScores:
        """Log-probabilities of generated tokens under the terms that need them, with a memory."""
        return PrefixScores()

    def special(self, device: torch.device) -> Tensor:
        """Special tokens: int64, (count,)."""
        self._special = self._special.to(device)
        return self._special

    def tokens(self, device: torch.device) -> Tensor | None:
        """Rows that stand for a token: bool, (width,); None if all do."""
        self._tokens = None if self._tokens is None else self._tokens.to(device)
        return self._tokens


def _require_one_form(formula: Formula) -> None:
    """Refuse prompts that one model reads in an encoder and another one before the text.

    Raises:
        OptionError: a term without a prompt of its own begins texts with other tokens than the base.
    """
    base = formula.base.source
    for term in formula.model_terms:
        if term.context is None and _decoder_start(term.source) != _decoder_start(base):
            raise OptionError(
                f"{base.name} and {term.source.name} read prompts in different forms: an encoder-decoder model has the "
                "prompt in its encoder, and the text begins with tokens of its own. Give one of them the prompt as its "
                f"own tokenizer encodes it: the term {term} .given(lambda prompt: prompt)"
            )


def _decoder_start(source: Source) -> list[int]:
    """Tokens with which the decoder of an encoder-decoder model begins; none for other models."""
    return getattr(source, "decoder_start", [])


def _early(model_terms: Sequence[ModelTerm]) -> tuple[Source, ...]:
    """See `EvaluationPlan.early`."""
    devices = {term.source: torch.device(getattr(term.source, "device", "cpu")) for term in model_terms}
    others = tuple(source for source, device in devices.items() if device.type != "cpu")
    return others if len(others) < len(devices) else ()


_SHOWN = 3
"""Maximum number of differing tokens in the message of an error."""


def joint_vocabulary(named: Sequence[tuple[str, Vocabulary]]) -> Vocabulary:
    """Joint vocabulary of a formula's models.

    Tokens with text must be the same in all of them. Rows beyond the shortest vocabulary are padding in it; they must
    be padding in the others too, and no formula ever generates them. A special token of one model is a special token
    of the formula, so a text ends where any of the models ends it.

    Args:
        named: names and vocabularies of the models, the base first.
    Returns:
        A vocabulary with the tokens and rows of the base; that of the base itself if there is nothing to add.
    Raises:
        VocabularyError: two vocabularies differ (the message shows the first tokens that do), or every end-of-sequence
            token of the base is padding in another model.
    """
    base_name, base = named[0]
    special, eos = set(base.special), list(base.eos)
    width = min(vocabulary.rows for _, vocabulary in named)
    for name, other in named[1:]:
        if other == base:
            continue
        require_same_tokens(base_name, base, name, other)
        special |= {token for token in other.special if token < width}
        eos += [token for token in other.eos if token < width]
    if eos and min(eos) >= width:
        raise VocabularyError(
            f"no text of {base_name} could end: its end-of-sequence tokens {eos} lie beyond the {width} rows that all "
            "models of the formula have"
        )
    if special == base.special and len(set(eos)) == len(base.eos):
        return base
    return replace(base, special=frozenset(special), eos=tuple(eos))


def require_same_tokens(name: str, vocabulary: Vocabulary, other_name: str, other: Vocabulary) -> None:
    """Check that tokens with text are the same in two vocabularies.

    Raises:
        VocabularyError: they differ; shows the first tokens that do.
    """
    differences = list(islice(_differences(vocabulary, other), _SHOWN + 1))
    if differences:
        shown = [f"{token} is {_shown(one)} and {_shown(two)}" for token, one, two in differences[:_SHOWN]]
        more = ", and others" if len(differences) > _SHOWN else ""
        raise VocabularyError(
            f"the tokens of {name} and {other_name} differ: token {'; '.join(shown)}{more}. Only models with one "
            "tokenizer can be combined"
        )


def _differences(first: Vocabulary, second: Vocabulary) -> Iterator[tuple[int, bytes, bytes]]:
    """Ids whose bytes differ, with the bytes in the first and in the second vocabulary."""
    if first.token_bytes == second.token_bytes:
        return
    for token in range(max(len(first), len(second))):
        one = first.token_bytes[token] if token < len(first) else b""
        other = second.token_bytes[token] if token < len(second) else b""
        if one != other:
            yield token, one, other


def _shown(text: bytes) -> str:
    return repr(text) if text else "no text"
