"""Classifiers for guidance: functions of texts or of token ids, and the protocol that they share."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast, runtime_checkable

import torch
from torch import Tensor

from guidance_kit.decoding.distribution import has_full_support
from guidance_kit.errors import ModelError, OptionError
from guidance_kit.vocabulary import Vocabulary

__all__ = ["Classifier", "OfTexts", "OfTokens", "as_classifier", "on_tokens", "whole_texts"]


@runtime_checkable
class Classifier(Protocol):
    """Classifier of prefixes extended by one candidate token each.

    A classifier whose scores are never -inf may declare it by an attribute `has_full_support = True`.
    """

    def logprobs(self, prefixes: Sequence[Sequence[int]], candidates: Tensor, vocabulary: Vocabulary) -> Tensor:
        """Log-probability of the class given a prefix and a token after it; or any other score in nats.

        Args:
            prefixes: token ids; they may be empty.
            candidates: int64, (batch, count): the tokens that could come next.
            vocabulary: bytes of the tokens.
        Returns:
            Float, (batch, count), nats, on any device.
        """
        ...

    def room(self, tokens: int) -> int | None:
        """Number of tokens that may follow a text of `tokens` tokens, None without a limit."""
        ...


@dataclass(frozen=True, slots=True)
class OfTexts:
    """Classifier from a function of texts to scores. Equal texts are classified once.

    A text ends with its last complete character: the bytes of a token count once their character is complete. Invalid
    bytes are U+FFFD. Special tokens add nothing.
    """

    function: Callable[[list[str]], Any]

    @property
    def has_full_support(self) -> bool:
        """Full support as declared by the function."""
        return has_full_support(self.function)

    def logprobs(self, prefixes: Sequence[Sequence[int]], candidates: Tensor, vocabulary: Vocabulary) -> Tensor:
        """See `Classifier.logprobs`."""
        places: dict[str, int] = {}
        which = [
            [places.setdefault(text, len(places)) for text in whole_texts(prefix, tokens, vocabulary)]
            for prefix, tokens in zip(prefixes, candidates.tolist(), strict=True)
        ]
        return _scores(self.function(list(places)), len(places), "texts", str(self))[torch.tensor(which)]

    def room(self, tokens: int) -> None:
        """See `Classifier.room`: it is not known."""

    def __str__(self) -> str:
        return _name(self.function)


@dataclass(frozen=True, slots=True)
class OfTokens:
    """Classifier from a function of token ids to scores."""

    function: Callable[[list[list[int]]], Any]

    def logprobs(self, prefixes: Sequence[Sequence[int]], candidates: Tensor, vocabulary: Vocabulary) -> Tensor:
        """See `Classifier.logprobs`."""
        rows = [[*prefix, token] for prefix, row in zip(prefixes, candidates.tolist(), strict=True) for token in row]
        return _scores(self.function(rows), len(rows), "sequences of tokens", str(self)).view(candidates.shape)

    def room(self, tokens: int) -> None:
        """See `Classifier.room`: it is not known."""

    def __str__(self) -> str:
        return _name(self.function)


def on_tokens(function: Callable[[list[list[int]]], Any]) -> OfTokens:
    """A classifier that reads token ids.

    Args:
        function: from lists of token ids to one score each: log-probability of the class, or another score in nats.
    """
    return OfTokens(function)


def as_classifier(given: Classifier | Callable[[list[str]], Any]) -> Classifier:
    """A classifier as it is, a function of texts as one.

    Raises:
        OptionError: it is neither.
    """
    if isinstance(given, Classifier):
        return given
    if callable(given):
        return OfTexts(given)
    raise OptionError(
        f"a classifier is a function from texts to scores, or one class of a classifier (`classifier.of(label)`), "
        f"not a {type(given).__name__}"
    )


def whole_texts(prefix: Sequence[int], tokens: Sequence[int], vocabulary: Vocabulary) -> list[str]:
    """Texts of a prefix extended by each token, without an incomplete last character.

    >>> bytes_only = Vocabulary.from_bytes()
    >>> whole_texts([0x61, 0xE2, 0x82], [0xAC, 0x62, 256], bytes_only)
    ['a€', 'a�b', 'a']
    """
    raw = vocabulary.text_of(prefix)
    head, read = codecs.utf_8_decode(raw, "replace", False)
    left = raw[read:]
    return [head + codecs.utf_8_decode(left + vocabulary.text_of([token]), "replace", False)[0] for token in tokens]


def _scores(given: Any, count: int, what: str, name: str) -> Tensor:
    """Scores that a function returned, as a tensor: float, (count,), on the CPU.

    Raises:
        ModelError: no numbers, or another number of them.
    """
    try:
        scores = torch.as_tensor(given, dtype=None if isinstance(given, Tensor) else torch.float64).detach().cpu()
    except (TypeError, ValueError, RuntimeError) as error:
        raise ModelError(f"the classifier {name} returned a {type(given).__name__}, not scores: {error}") from error
    if scores.shape != (count,):
        raise ModelError(f"the classifier {name} returned scores of shape {tuple(scores.shape)} for {count} {what}")
    return scores


def _name(function: Callable[..., Any]) -> str:
    return cast(str, getattr(function, "__name__", None) or str(function))
