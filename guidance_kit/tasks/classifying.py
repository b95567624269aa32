"""Classification of texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Unpack, overload

import numpy as np

from guidance_kit.decoding.classification import (
    Classification,
    ClassifyOptions,
    DecisionRule,
    LabelClassifier,
    described_labels,
)
from guidance_kit.decoding.label_paths import score_label_paths
from guidance_kit.decoding.label_scores import score_labels
from guidance_kit.decoding.label_trie import LabelTrie
from guidance_kit.decoding.sampling import require_integer
from guidance_kit.errors import OptionError
from guidance_kit.models.prompts import label_text
from guidance_kit.prompt import Prompt, read_prompt, read_texts
from guidance_kit.tasks.prompted import PromptedModel

__all__ = ["ClassifyingModel", "LabelScorer"]

LabelScorer = Callable[[Sequence[Prompt], Sequence[Sequence[int]]], np.ndarray]
"""Function from prompts and their token ids to the log-probabilities of labels: float64, (prompts, labels), nats."""


class ClassifyingModel(PromptedModel):
    """Model that classifies texts."""

    @overload
    def classify(
        self,
        texts: str,
        labels: Sequence[str] | Mapping[str, str],
        *,
        prompt: Callable[[str], Prompt] | None = None,
        batch_size: int = 32,
        **options: Unpack[ClassifyOptions],
    ) -> Classification: ...
    @overload
    def classify(
        self,
        texts: Iterable[str],
        labels: Sequence[str] | Mapping[str, str],
        *,
        prompt: Callable[[str], Prompt] | None = None,
        batch_size: int = 32,
        **options: Unpack[ClassifyOptions],
    ) -> list[Classification]: ...
    def classify(
        self,
        texts: str | Iterable[str],
        labels: Sequence[str] | Mapping[str, str],
        *,
        prompt: Callable[[str], Prompt] | None = None,
        batch_size: int = 32,
        **options: Unpack[ClassifyOptions],
    ) -> Classification | list[Classification]:
        """Classify a text, or each of several, with exact label probabilities.

        The probability of a label is that of its tokens after the prompt, renormalised over the labels; see
        `decoding.label_scores.score_labels` for labels that are prefixes of others.

        Args:
            texts: one text, or several, in a list or any other iterable.
            labels: the labels; as a mapping, with descriptions for the prompt.
            prompt: function from a text to the prompt that the label follows, a text or token ids; by default
                `classification_prompt`. Labels are encoded exactly as given, with a leading space if they need one.
            batch_size: number of sequences that run at once, one for each branch of the label trie and text. Reduced,
                with a warning, if memory runs out.
            options: see `decoding.classification.DecisionRule`.
        Returns:
            A classification for one text, a list of them for a list.
        Raises:
            OptionError: no labels, an empty one, two equal ones; an unknown option (the message has the nearest one); a
                value out of range; batch calibration of one text; a `prompt` that is no function.
            UnspellableError: the vocabulary cannot spell a label; a note names it.
            ContextLengthError: a prompt leaves no room for the longest label; before the model runs.
            ModelError: NaN from the model; no label is possible after a text; too little memory for one text alone.
            VocabularyError, FormulaError: as `generate`.
            BatchError: one of several texts fails while the model runs; it has the classifications of the others.
        """
        classifier = self.classifier(labels, prompt=prompt, batch_size=batch_size, **options)
        several, is_single = read_texts(texts)
        return classifier(several)[0] if is_single else classifier(several)

    def classifier(
        self,
        labels: Sequence[str] | Mapping[str, str],
        *,
        prompt: Callable[[str], Prompt] | None = None,
        batch_size: int = 32,
        **options: Unpack[ClassifyOptions],
    ) -> LabelClassifier:
        """Classifier behind `classify`, for repeated calls: the prior of the labels is computed once.

        Args:
            labels, prompt, batch_size, options: as in `classify`.
        Raises:
            OptionError, UnspellableError: errors in labels and options, as in `classify`.
        """
        rule = DecisionRule.from_keywords(options)
        require_integer("batch_size", batch_size, least=1)
        described = described_labels(labels)
        if prompt is not None and not callable(prompt):
            raise OptionError(
                f"prompt is a function from a text to a prompt, such as '... {{}} ...'.format, not {prompt!r}"
            )
        style = self.language_model.prompt_style
        written = [label_text(label, style) if prompt is None else label for label in described]
        score = self._label_scorer(written, rule, batch_size)

        def logprobs(texts: Sequence[str]) -> np.ndarray:
            prompts: list[Prompt] = [
                self.classification_prompt(text, described)
                if prompt is None
                else read_prompt(prompt(text), f"the prompt of text {number}")
                for number, text in enumerate(texts)
            ]
            return score(prompts, [self._tokens(one) for one in prompts])

        return LabelClassifier(list(described), logprobs, rule)

    def _label_scorer(self, labels: Sequence[str], rule: DecisionRule, batch_size: int) -> LabelScorer:
        """Function that scores labels, as they follow the prompts.

        Raises:
            UnspellableError: the vocabulary cannot spell a label.
        """
        trie = LabelTrie([self.language_model.spell(label) for label in labels])

        def score(prompts: Sequence[Prompt], tokens: Sequence[Sequence[int]]) -> np.ndarray:
            asked = (self._distribution(prompts, tokens), self.vocabulary, tokens)
            if rule.tokenizations == "all":
                return score_label_paths(*asked, labels, end=rule.end, batch_size=batch_size)
            return score_labels(*asked, trie, end=rule.end, batch_size=batch_size)

        return score
