"""Labels of the outputs of a classifier of transformers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from guidance_kit.errors import OptionError

__all__ = ["ChosenLabels", "ClassLabels"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassLabels:
    """The labels of a classifier, and how its outputs become probabilities.

    Args:
        names: the label of each output.
        kind: "one" where exactly one label holds (softmax), "any" where any number of them may (a sigmoid each),
            "score" where the only output is no probability but a score, such as a reward.
    """

    names: tuple[str, ...]
    kind: Literal["one", "any", "score"]

    @classmethod
    def of(cls, config: Any) -> ClassLabels:
        """Labels that the configuration of a model of transformers names."""
        names = tuple(str(config.id2label[number]) for number in range(config.num_labels))
        if config.problem_type == "multi_label_classification":
            return cls(names=names, kind="any")
        return cls(names=names, kind="score" if len(names) == 1 else "one")

    def chosen(self, labels: Sequence[str], *, is_without: bool = False) -> ChosenLabels:
        """Some of them.

        Raises:
            OptionError: an unknown label, naming the nearest; none, or all of which one always holds.
        """
        for label in labels:
            if label not in self.names:
                raise OptionError.unknown(label, self.names, "label of the classifier")
        places = tuple(place for place, name in enumerate(self.names) if name in labels)
        if self.kind == "score":
            places = (0,)
        elif not places or (self.kind == "one" and len(places) == len(self.names)):
            raise OptionError(f"name one label or several, but not all, of {', '.join(self.names)}")
        return ChosenLabels(self, places, is_without)


@dataclass(frozen=True, slots=True)
class ChosenLabels:
    """Event that one of some labels holds, or that none of them does.

    Args:
        labels: all that there are.
        places: the outputs of those that were chosen.
        is_without: whether none is to hold.
    """

    labels: ClassLabels
    places: tuple[int, ...]
    is_without: bool

    @property
    def has_full_support(self) -> bool:
        """True if that is possible whatever a model gives: not that none of all labels holds, one of which must."""
        return not (self.labels.kind == "one" and self.is_without and len(self.places) == len(self.labels.names))

    def logprobs(self, outputs: Tensor) -> Tensor:
        """Logarithm of the probability of that, nats; of a score, itself, or its negative for none.

        Args:
            outputs: float, (..., labels), what the model gives.
        Returns:
            Float64, (...).
        """
        outputs = outputs.double()
        chosen = outputs[..., list(self.places)]
        if self.labels.kind == "score":
            return -chosen[..., 0] if self.is_without else chosen[..., 0]
        if self.labels.kind == "one":
            others = [place for place in range(outputs.shape[-1]) if place not in self.places]
            chosen = outputs[..., others] if self.is_without else chosen
            return chosen.logsumexp(-1) - outputs.logsumexp(-1)
        if len(self.places) == 1:
            return logsigmoid(-chosen if self.is_without else chosen)[..., 0]
        none = logsigmoid(-chosen).sum(-1)
        if self.is_without:
            return none
        likeliest = logsigmoid(chosen).amax(-1)  # which is at most that one of them holds, where the rest underflows
        return torch.maximum(torch.log(-torch.expm1(none)), likeliest)

    def __str__(self) -> str:
        named = " or ".join(self.labels.names[place] for place in self.places)
        return f"not {named}" if self.is_without else named
