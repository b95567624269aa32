"""Any sequence classifier of transformers as a function of texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from guidance_kit.errors import ContextLengthError, ModelError, OptionError
from guidance_kit.models.class_labels import ChosenLabels, ClassLabels
from guidance_kit.models.forward import context_length, first_position
from guidance_kit.models.loading import load_sequence_model, load_tokenizer

__all__ = ["SequenceClassifier", "TextClass"]


class SequenceClassifier:
    """A sequence classifier of transformers, encoder or decoder, with its own tokenizer.

    Args:
        model: it is put into evaluation mode.
        tokenizer: the classifier's own.
        batch_size: how many texts run at once.
        name: what to call it in messages; by default where it was loaded from.
    Raises:
        OptionError: a batch size below 1.
    """

    def __init__(
        self, model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, *, batch_size: int = 64, name: str = ""
    ) -> None:
        if batch_size < 1:
            raise OptionError(f"batch_size must be at least 1, not {batch_size}")
        self.model = model.eval()
        self.tokenizer = tokenizer
        self.batch_size = batch_size
        self.name = name or model.name_or_path or type(model).__name__
        self._labels = ClassLabels.of(model.config)
        positions = context_length(model.config)
        longest = None if positions is None else positions - first_position(model)
        limits = (longest, getattr(tokenizer, "model_max_length", None))
        self._limit = min((limit for limit in limits if limit is not None), default=None)

    @classmethod
    def load(cls, name: str | Path, *, batch_size: int = 64, **options: Any) -> SequenceClassifier:
        """Load one with its tokenizer from a folder, or from the model hub.

        Args:
            batch_size: as above.
            options: as in `models.load`: device, dtype, revision, ...
        Raises:
            ModelError: there is none, or it cannot be loaded whole.
            OptionError: an unknown option, naming the nearest.
        """
        model = load_sequence_model(name, **options)
        return cls(model, load_tokenizer(name, **options), batch_size=batch_size, name=str(name))

    @property
    def labels(self) -> tuple[str, ...]:
        """Classes of the classifier."""
        return self._labels.names

    def of(self, *labels: str) -> TextClass:
        """The class of the texts that have one of some labels, to steer towards.

        Raises:
            OptionError: an unknown label, naming the nearest; none, or all of them.
        """
        return TextClass(self, self._labels.chosen(labels))

    def without(self, *labels: str) -> TextClass:
        """The class of the texts that have none of some labels.

        Raises:
            OptionError: as `of`.
        """
        return TextClass(self, self._labels.chosen(labels, is_without=True))

    @torch.inference_mode()
    def outputs(self, texts: Sequence[str]) -> Tensor:
        """Outputs of the model for texts: float, (texts, labels), unnormalised.

        Raises:
            ContextLengthError: a text is too long for the classifier.
            ModelError: an empty text, of which the tokenizer makes nothing.
        """
        encoded = [self._encode(text) for text in texts]
        order = sorted(range(len(texts)), key=lambda place: len(encoded[place]))
        found: list[Tensor] = []
        for first in range(0, len(order), self.batch_size):
            found.append(self._run([encoded[place] for place in order[first : first + self.batch_size]]))
        return torch.cat(found)[torch.tensor(order).argsort().to(found[0].device)]

    def _encode(self, text: str) -> list[int]:
        tokens = list(self.tokenizer.encode(text))
        if not tokens:
            special = cast("tuple[int | None, ...]", (self.tokenizer.bos_token_id, self.tokenizer.eos_token_id))
            start = next((token for token in special if token is not None), None)
            if start is None:
                raise ModelError(f"the tokenizer of the classifier {self.name} makes nothing of {text!r}")
            return [start]
        if self._limit is not None and len(tokens) > self._limit:
            raise ContextLengthError(tokens=len(tokens), context_length=self._limit, model=self.name)
        return tokens

    def _run(self, rows: Sequence[Sequence[int]]) -> Tensor:
        """One forward pass, padded on the right; one for each text where model and tokenizer agree on no padding."""
        pad = cast("int | None", self.tokenizer.pad_token_id)
        if pad is None or pad != self.model.config.get_text_config().pad_token_id:
            return torch.cat([self._forward([row], [len(row)]) for row in rows])
        longest = max(map(len, rows))
        return self._forward([[*row, *[pad] * (longest - len(row))] for row in rows], list(map(len, rows)))

    def _forward(self, rows: Sequence[Sequence[int]], lengths: Sequence[int]) -> Tensor:
        tokens = torch.tensor(rows, device=self.model.device)
        columns = torch.arange(tokens.shape[1], device=tokens.device)
        mask = (columns < torch.tensor(lengths, device=tokens.device)[:, None]).long()
        return self.model(input_ids=tokens, attention_mask=mask).logits

    def __repr__(self) -> str:
        return f"SequenceClassifier({self.name}, {', '.join(self.labels)})"


@dataclass(frozen=True, slots=True)
class TextClass:
    """Some labels of a sequence classifier: a function from texts to log-probabilities."""

    classifier: SequenceClassifier
    chosen: ChosenLabels

    @property
    def has_full_support(self) -> bool:
        """See `ChosenLabels.has_full_support`."""
        return self.chosen.has_full_support

    def __call__(self, texts: Sequence[str]) -> Tensor:
        """Log-probability of the class for each text: float64, (texts,), nats."""
        return self.chosen.logprobs(self.classifier.outputs(texts))

    def __str__(self) -> str:
        return f"{self.chosen} by {self.classifier.name}"
