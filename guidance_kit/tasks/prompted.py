"""Language models and formulas with the tokens of their prompts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Self, cast

from guidance_kit.decoding.classification import (
    described_labels,
)
from guidance_kit.decoding.distribution import Distribution
from guidance_kit.decoding.field_limit import require_records
from guidance_kit.decoding.options import Options
from guidance_kit.errors import ModelError, OptionError
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.grammars.argument import ConstraintArgument, constraint_of
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.json_schema import MAX_RECORD_DIGITS, json_schema
from guidance_kit.grammars.region import require_no_regions
from guidance_kit.guides.constraint import ConstraintGuide
from guidance_kit.guides.logit_bias import LogitBias, mapping
from guidance_kit.models.prompts import classification_prompt, extraction_prompt
from guidance_kit.prompt import Prompt, is_conversation, prompt_tokens, read_prompt, read_texts
from guidance_kit.steering.ensemble import Ensemble
from guidance_kit.steering.formula import Formula, Operand
from guidance_kit.text_model import TextModel
from guidance_kit.vocabulary import Vocabulary

__all__ = ["PromptedModel", "record_of"]


class PromptedModel(Operand):
    """Language model, or a formula over several models, see `steering.formula.Operand`, and its prompts.

    Args:
        language_model: the model with its tokenizer and cache; see `guidance_kit.models`. For a formula its base, whose
            tokenizer encodes the prompts.
        formula: formula over language models; by default the model alone.
    """

    def __init__(self, language_model: TextModel, formula: Formula | None = None) -> None:
        self.language_model = language_model
        self._formula = Formula.of(language_model) if formula is None else formula

    @property
    def formula(self) -> Formula:
        """Formula of the model; for a single model that model alone."""
        return self._formula

    def _with(self, formula: Formula) -> Self:
        return type(self)(cast(TextModel, formula.base.source), formula)

    @cached_property
    def _ensemble(self) -> Ensemble | None:
        """Distribution of the formula; None for a single model."""
        return None if self._formula.source is self.language_model else Ensemble(self._formula)

    @property
    def vocabulary(self) -> Vocabulary:
        """Vocabulary of the model, for a formula the joint vocabulary of its models.

        Raises:
            VocabularyError: two models have different tokens; names the first of them.
        """
        return self.language_model.vocabulary if self._ensemble is None else self._ensemble.vocabulary

    def distribution_after(self, prompt: Prompt) -> tuple[Distribution, list[int]]:
        """Next-token distribution of the model for texts after a prompt, and the tokens of the prompt.

        Raises:
            ModelError: an empty prompt for a model without a beginning-of-sequence token.
            VocabularyError: the models of a formula have different tokens.
        """
        read = read_prompt(prompt)
        tokens = self._tokens(read)
        return self._distribution([read], [tokens]), tokens

    def _distribution(self, prompts: Sequence[Prompt], tokens: Sequence[Sequence[int]]) -> Distribution:
        """Next-token distribution of the model for a batch of prompts."""
        return self.language_model if self._ensemble is None else self._ensemble.bound_to(prompts, tokens)

    def _tokens(self, prompt: Prompt) -> list[int]:
        """Token ids of a prompt; for an empty text the beginning-of-sequence token, if the model has one."""
        if is_conversation(prompt):
            tokens = self.language_model.chat(prompt)
        elif isinstance(prompt, str):
            tokens = self.language_model.encode(prompt)
        else:
            tokens = list(cast("Sequence[int]", prompt))
        tokens = prompt_tokens(self.language_model, tokens)
        if tokens or not isinstance(prompt, str):
            return tokens
        start = self.language_model.start_token
        if start is None:
            raise ModelError("the prompt is empty, and the model has no beginning-of-sequence token to go on from")
        return [start]

    def _compile(
        self, constraint: Constraint | list[Constraint] | None, count: int, options: Options
    ) -> tuple[ConstraintGuide | None, list[Constraint | None]]:
        """Constraint guide, and the constraint of each text."""
        several = [constraint] if isinstance(constraint, Constraint) else constraint
        kinds = None if several is None else [one.kind for one in several]
        require_records(options.max_field_tokens, kinds)
        if constraint is None:
            return None, [None] * count
        if isinstance(constraint, Constraint):
            return ConstraintGuide(self._matcher(constraint)), [constraint] * count
        return ConstraintGuide([self._matcher(one) for one in constraint]), list(constraint)

    def _matcher(self, constraint: Constraint) -> Matcher:
        require_no_regions(constraint)
        return Matcher(constraint.compile(self.vocabulary))

    def min_tokens_to_complete(self, constraint: ConstraintArgument) -> int | None:
        """Least `max_tokens` with which `complete=True` completes a text; see `Matcher.min_tokens_to_complete`.

        Raises:
            ConstraintError: the constraint cannot be used with this vocabulary.
        """
        return self._matcher(constraint_of(constraint)).min_tokens_to_complete()

    def logit_bias(self, biases: Mapping[str | int | tuple[int, ...], float]) -> LogitBias:
        """Guide that adds a bias to tokens, or to the last tokens of token sequences.

        Args:
            biases: from texts, names of special tokens, token ids or sequences of these to nats; -inf forbids. A text
                is encoded as in the middle of another one: "word" and " word" differ, and a text of several tokens is a
                sequence; see `LogitBias`.
        Raises:
            OptionError: no mapping; an invalid key, as an empty text; a bias that is no number, or too large for
                float32.
            UnspellableError: the vocabulary cannot spell a text; a note names it.
        """
        special = {name: token for token, name in self.vocabulary.special_names.items()}

        def tokens(key: str | int | tuple[int, ...]) -> int | tuple[int, ...]:
            if isinstance(key, str):
                return (special[key],) if key in special else tuple(self.language_model.spell(key))
            return key

        return LogitBias({tokens(key): bias for key, bias in mapping(biases, "biases").items()})

    def extraction_prompt(self, text: str, schema: Any) -> list[int]:
        """Prompt for the record of `text`: token ids.

        Args:
            schema: as in `extract`.
        """
        return self._instruct(self._record_text(text, record_of(schema)))

    def _record_text(self, text: str, constraint: Constraint) -> str:
        schema = json.loads(cast(str, constraint.source))
        return extraction_prompt(_text(text), schema, self.language_model.prompt_style)

    def thinking_prompt(self, text: str, schema: Any) -> Prompt:
        """Prompt for thoughts and the record of `text`: a conversation, if the model has a template for it.

        Args:
            schema: as in `extract`.
        """
        written = self._record_text(text, record_of(schema))
        model = self.language_model
        if model.prompt_style == "instruction" and model.has_chat_template:
            return [{"role": "user", "content": written}]
        return self._instruct(written)

    def classification_prompt(self, text: str, labels: Sequence[str] | Mapping[str, str]) -> list[int]:
        """Prompt for the label of `text`: token ids.

        Args:
            labels: as in `classify`.
        Raises:
            OptionError: no labels, an empty one, two equal ones.
        """
        return self._instruct(
            classification_prompt(_text(text), described_labels(labels), self.language_model.prompt_style)
        )

    def _instruct(self, written: str) -> list[int]:
        """Token ids of a prompt written by the library, in the chat template of an instruction model."""
        if self.language_model.prompt_style != "instruction":
            return self.language_model.encode(written, with_special_tokens=False)
        if self.language_model.has_chat_template:
            return self.language_model.chat([{"role": "user", "content": written}])
        return self.language_model.encode(written)


def _text(given: object) -> str:
    """Validate a single text."""
    texts, is_single = read_texts(given)
    if not is_single:
        raise OptionError(f"a prompt is written for one text (str), not for a list of {len(texts)}")
    return texts[0]


def record_of(schema: Any) -> Constraint:
    """Constraint of a record, from a schema, a type or a constraint."""
    if schema is None:
        raise OptionError("a record is described by json_schema(), a type or a JSON Schema, not by None")
    if not isinstance(schema, Constraint):
        return json_schema(schema, max_digits=MAX_RECORD_DIGITS)
    if schema.kind != "json_schema":
        raise OptionError(f"a record is described by json_schema() or a type, not by {schema.kind}()")
    return schema
