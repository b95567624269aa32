"""A causal classifier: what class a text is of, said after each of its tokens, over a key-value cache."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor
from transformers import PreTrainedModel

from guidance_kit.errors import ContextLengthError, ModelError, VocabularyError
from guidance_kit.models.class_labels import ChosenLabels, ClassLabels
from guidance_kit.models.forward import Forward
from guidance_kit.models.kv_cache import KVCache
from guidance_kit.models.loading import load_sequence_model, quietly
from guidance_kit.models.spot_checks import SpotChecks
from guidance_kit.models.trial import has_exact_siblings
from guidance_kit.vocabulary import Vocabulary

__all__ = ["PrefixClass", "PrefixClassifier", "token_digest"]


class PrefixClassifier:
    """A classifier over the tokens of a language model that answers for every prefix.

    What a prefix shares with those asked about last is not computed again, and all tokens that could follow a prefix
    are computed in one forward pass, as siblings that do not see each other; see `KVCache.siblings`.

    Args:
        model: a decoder of transformers that classifies sequences (`GPT2ForSequenceClassification`,
            `LlamaForSequenceClassification`, ...), whose tokens are those of the language model that is to be steered.
        vocabulary: what its tokens are; without one, only their number can be compared.
        start: the token before each text; by default the beginning-of-sequence token of the model's configuration.
        name: what to call it in messages; by default where it was loaded from.
    Raises:
        ModelError: it is no decoder that keeps candidates apart which are computed together; there is no token to
            start with.
    """

    def __init__(
        self,
        model: PreTrainedModel,
        vocabulary: Vocabulary | None = None,
        *,
        start: int | None = None,
        name: str = "",
    ) -> None:
        self.model = model.eval()
        self.name = name or model.name_or_path or type(model).__name__
        self._labels = ClassLabels.of(model.config)
        head = getattr(model, "score", None)
        if not isinstance(head, torch.nn.Module):
            raise ModelError(
                f"{self.name} ({type(model).__name__}) does not classify from its last token; take a decoder, or use "
                "it as a SequenceClassifier"
            )
        self._forward = Forward(cast(PreTrainedModel, model.base_model), lambda found: head(found.last_hidden_state))
        if not has_exact_siblings(Forward(self._forward.model, attrgetter("last_hidden_state"))):
            raise ModelError(
                f"{self.name} ({type(model).__name__}) has recurrent layers, attention windows, a mask of its own or "
                "positions that cannot be told to it; use it as a SequenceClassifier"
            )
        self.start = model.config.get_text_config().bos_token_id if start is None else start
        if self.start is None:
            raise ModelError(f"{self.name} names no beginning-of-sequence token; give `start`")
        if vocabulary is not None:
            model.config.guidance_kit_tokens = token_digest(vocabulary)
        self._digest: str | None = getattr(model.config, "guidance_kit_tokens", None)
        self._cache = KVCache(self._forward)
        self._checks = SpotChecks()
        self._lock = threading.RLock()

    @classmethod
    def load(cls, name: str | Path, *, start: int | None = None, **options: Any) -> PrefixClassifier:
        """Load one from a folder, or from the model hub.

        Args:
            start: as above.
            options: as in `models.load`: device, dtype, revision, ...
        Raises:
            ModelError: there is none, or it cannot be used.
            OptionError: an unknown option, naming the nearest.
        """
        return cls(load_sequence_model(name, **options), start=start, name=str(name))

    def save(self, folder: str | Path) -> None:
        """Write the configuration and the weights, as safetensors, into a folder."""
        with quietly(is_local=True):
            self.model.save_pretrained(folder)

    @property
    def labels(self) -> tuple[str, ...]:
        """Classes of the classifier."""
        return self._labels.names

    def of(self, *labels: str) -> PrefixClass:
        """The class of the texts that have one of some labels, to steer towards.

        Raises:
            OptionError: an unknown label, naming the nearest; none, or all of them.
        """
        return PrefixClass(self, self._labels.chosen(labels))

    def without(self, *labels: str) -> PrefixClass:
        """The class of the texts that have none of some labels.

        Raises:
            OptionError: as `of`.
        """
        return PrefixClass(self, self._labels.chosen(labels, is_without=True))

    @torch.inference_mode()
    def outputs(self, prefixes: Sequence[Sequence[int]], candidates: Tensor) -> Tensor:
        """Outputs of the model for prefixes, each continued by each of some tokens.

        Args:
            prefixes: token ids; they may be empty.
            candidates: int64, (batch, count).
        Returns:
            Float, (batch, count, labels), unnormalised.
        Raises:
            ContextLengthError: a prefix fills the context.
            VocabularyError: a token that the classifier does not have.
            ModelError: the model does not keep siblings apart.
        """
        rows = [[*([] if prefix[:1] == [self.start] else [self.start]), *prefix] for prefix in map(list, prefixes)]
        longest, limit = max(map(len, rows)) + 1, self._forward.context_length
        if limit is not None and longest > limit:
            raise ContextLengthError(tokens=longest, context_length=limit, model=self.name)
        if int(candidates.max()) >= self._forward.embedded:
            raise VocabularyError(f"{self.name} has {self._forward.embedded} tokens, and not {int(candidates.max())}")
        with self._lock:
            candidates = candidates.to(self._forward.device)
            self._cache.logits(rows)
            found = self._cache.siblings(candidates)
            row = max(range(len(rows)), key=lambda place: len(rows[place]))
            self._checks.note(len(rows), len(rows[row]))
            if candidates.shape[1] > 1 and self._checks.is_due(len(rows[row])):
                self._check(rows[row], candidates[row], found[row])
        return found

    def clear(self) -> None:
        """Let go of what is kept for later questions."""
        with self._lock:
            self._cache.clear()

    def room(self, tokens: int) -> int | None:
        """Number of tokens that may follow a number of tokens, None if there is no limit."""
        limit = self._forward.context_length
        return None if limit is None else limit - 1 - tokens

    def require(self, vocabulary: Vocabulary) -> None:
        """See that the classifier was made for these tokens.

        Raises:
            VocabularyError: it was not.
        """
        if self._digest is not None and self._digest != token_digest(vocabulary):
            raise VocabularyError(
                f"the classifier {self.name} was made for other tokens than those of the model; train one for these"
            )

    def _check(self, row: list[int], candidates: Tensor, found: Tensor) -> None:
        """Compare two siblings with texts of their own."""
        texts = self._forward.tensor([[*row, token] for token in candidates[-2:].tolist()])
        alone = self._forward(texts)[:, -1]
        tolerance = 0.1 if self._forward.is_coarse else 1e-3
        if not bool(((found[-2:] - alone).abs() <= tolerance * (1 + alone.abs())).all()):
            raise ModelError(
                f"{self.name} ({type(self.model).__name__}) does not keep candidates apart that are computed together; "
                "use it as a SequenceClassifier"
            )

    def __repr__(self) -> str:
        return f"PrefixClassifier({self.name}, {', '.join(self.labels)})"


@dataclass(frozen=True, slots=True)
class PrefixClass:
    """Some labels of a prefix classifier: what a formula steers towards; see `steering.classifiers.Classifier`."""

    classifier: PrefixClassifier
    chosen: ChosenLabels

    @property
    def has_full_support(self) -> bool:
        """See `ChosenLabels.has_full_support`."""
        return self.chosen.has_full_support

    def logprobs(self, prefixes: Sequence[Sequence[int]], candidates: Tensor, vocabulary: Vocabulary) -> Tensor:
        """Log-probability of the class after each candidate: float64, (batch, count), nats.

        Raises:
            VocabularyError: the classifier was made for other tokens.
            As `PrefixClassifier.outputs`.
        """
        self.classifier.require(vocabulary)
        return self.chosen.logprobs(self.classifier.outputs(prefixes, candidates))

    def room(self, tokens: int) -> int | None:
        """See `PrefixClassifier.room`."""
        return self.classifier.room(tokens)

    def __str__(self) -> str:
        return f"{self.chosen} by {self.classifier.name}"


@lru_cache(maxsize=16)
def token_digest(vocabulary: Vocabulary) -> str:
    """SHA-256 of the texts of all tokens, hexadecimal. Which tokens are special makes no difference."""
    texts = b"".join(len(text).to_bytes(4, "little") + text for text in vocabulary.token_bytes)
    return hashlib.sha256(texts).hexdigest()
