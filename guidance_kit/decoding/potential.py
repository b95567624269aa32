"""Potentials: scores of partial texts by any Python function, in batches, each text once."""

from __future__ import annotations

import codecs
import math
from collections.abc import Callable, Iterable, Sequence
from numbers import Real
from typing import Any

import numpy as np

from guidance_kit.errors import OptionError, PotentialError
from guidance_kit.vocabulary import Vocabulary

__all__ = ["CachedPotential", "PotentialFunction", "partial_text", "require_potential"]

PotentialFunction = Callable[[list[str]], Iterable[Any]]
"""Function from texts to a value for each: True or False, or ln of a factor in nats, -inf for 0."""


class CachedPotential:
    """Potential with a memory: every text is evaluated once, all new ones in one call.

    If the call of several texts fails, each is evaluated on its own, so that the error belongs to one of them.

    Args:
        function: the potential.
        name: name of the option for messages.
        is_predicate: only True and False are values.
    """

    def __init__(self, function: PotentialFunction, name: str, *, is_predicate: bool = False) -> None:
        self._function = function
        self._name = name
        self._is_predicate = is_predicate
        self._known: dict[str, float | PotentialError] = {}
        self.evaluated = 0

    def values(self, texts: Sequence[str]) -> list[float | PotentialError]:
        """Value of each text, ln of a factor in nats, or the error of a text on which the potential failed."""
        new = list(dict.fromkeys(text for text in texts if text not in self._known))
        if new:
            self.evaluated += len(new)
            found = self._call(new)
            if isinstance(found, PotentialError) and len(new) > 1:
                for text in new:
                    self._known.update(zip([text], _listed(self._call([text])), strict=True))
            else:
                self._known.update(zip(new, _listed(found), strict=True))
        return [self._known[text] for text in texts]

    def _call(self, texts: list[str]) -> list[float | PotentialError] | PotentialError:
        """Values of one call; an error if it raises or returns another number of values."""
        try:
            returned = list(self._function(list(texts)))
        except Exception as error:  # whatever a function of the caller's raises
            failure = PotentialError(
                f"{self._name} raised {type(error).__name__} on {texts[0]!r}: {error}", text=texts[0]
            )
            failure.__cause__ = error
            return failure
        if len(returned) != len(texts):
            return PotentialError(
                f"{self._name} returned {len(returned)} values for {len(texts)} texts, the first of them {texts[0]!r}; "
                "it gets a list of texts and returns a value for each",
                text=texts[0],
            )
        return [self._value(value, text) for value, text in zip(returned, texts, strict=True)]

    def _value(self, value: Any, text: str) -> float | PotentialError:
        """Value in nats."""
        if isinstance(value, bool | np.bool_):
            return 0.0 if value else -math.inf
        if self._is_predicate:
            return PotentialError(
                f"{self._name} returned {value!r} for {text!r}: rejection needs a predicate, True or False; a "
                "potential with other values is for the proposal by masks",
                text=text,
            )
        value = value.item() if hasattr(value, "item") else value
        if not isinstance(value, Real) or math.isnan(value) or value == math.inf:
            return PotentialError(
                f"{self._name} returned {value!r} for {text!r}; a value is True, False, or ln of a factor in nats, "
                "below inf",
                text=text,
            )
        return float(value)


def partial_text(vocabulary: Vocabulary, tokens: Sequence[int], *, is_end: bool = False) -> str:
    """Text of tokens in whole characters: a last one that is incomplete is left out, unless the text has ended."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    return decoder.decode(vocabulary.text_of(tokens), final=is_end)


def require_potential(name: str, function: object) -> None:
    """Require a function, or None, as the value of an option.

    Raises:
        OptionError: another value.
    """
    if function is not None and not callable(function):
        raise OptionError(f"{name} must be a function from a list of texts to a value for each, not {function!r}")


def _listed(found: list[float | PotentialError] | PotentialError) -> list[float | PotentialError]:
    return [found] if isinstance(found, PotentialError) else found
