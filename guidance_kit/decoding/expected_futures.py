"""How much of the model's mass after a beginning can still become a text of the constraint: upper bounds, learnt."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from guidance_kit.errors import OptionError

__all__ = ["AsapMemory", "AsapSample"]

_CLOSE = 0.5
"""Nats by which the mass that the mask keeps may differ for one prompt, for want of precision."""


class _Node:
    """A beginning that was met.

    Attributes:
        kept: ln of the mass that the mask kept here when it was met first.
        rest: ln of the mass of the tokens that were allowed here and never taken.
        children: for each token that was taken, ln of its probability and what comes after it.
        bound: ln of an upper bound of the probability that the model completes the text as the constraint wants.
    """

    __slots__ = ("bound", "children", "kept", "rest")

    def __init__(self, bound: float = 0.0) -> None:
        self.bound = bound
        self.kept: float | None = None
        self.rest = 0.0
        self.children: dict[int, tuple[float, _Node]] = {}

    def renew(self) -> None:
        """The bound from those of the children."""
        self.bound = _log_sum([self.rest, *(logprob + child.bound for logprob, child in self.children.values())])


class AsapMemory:
    """What `Asap` has learnt about prompts: a trie of the beginnings that it met, with bounds.

    Give it to several calls on one model, and later texts are nearer to the target. Each prompt has its own trie, and
    so has each constraint, `max_tokens`, temperature and truncation. `len` is the number of beginnings.

    Not for several threads at once.
    """

    def __init__(self) -> None:
        self._roots: dict[Hashable, _Node] = {}

    def __len__(self) -> int:
        todo, count = list(self._roots.values()), 0
        for node in todo:  # grows meanwhile
            count += 1
            todo.extend(child for _, child in node.children.values())
        return count

    def draw(self, key: Hashable) -> AsapSample:
        """A text to be drawn.

        Args:
            key: all that the probabilities of its tokens depend on, besides the model and the guides.
        """
        return AsapSample(path=[self._roots.setdefault(key, _Node())])


@dataclass(slots=True, kw_only=True)
class AsapSample:
    """One text while it is drawn.

    Attributes:
        path: the beginnings that it went through.
        log_weight: ln of the probability of its tokens under the model over that with which they were drawn.
    """

    path: list[_Node]
    log_weight: float = 0.0

    def weighted(self, allowed: Tensor) -> Tensor:
        """What to draw the next token from.

        Args:
            allowed: float64, (rows,), nats: log-probabilities of the model, -inf for what the mask forbids.
        Returns:
            The same with what can be completed after each token, as far as that is known; unnormalised.
        Raises:
            OptionError: another model had the memory before.
        """
        node = self.path[-1]
        kept = float(allowed.logsumexp(-1))
        if node.kept is None:
            node.kept = kept
        elif len(self.path) == 1 and abs(node.kept - kept) > _CLOSE:
            raise OptionError(
                "the memory of Asap comes from another model, or other guides: the mask keeps "
                f"{math.exp(kept):.3g} of the probability after the prompt, and kept {math.exp(node.kept):.3g}"
            )
        if not node.children:
            return allowed
        tokens = torch.tensor(list(node.children), device=allowed.device)
        bounds = torch.tensor([child.bound for _, child in node.children.values()], dtype=allowed.dtype)
        return allowed.index_add(-1, tokens, bounds.to(allowed.device))

    def take(self, token: int, allowed: Tensor, weighted: Tensor) -> None:
        """Go on with a token that was drawn.

        Args:
            allowed, weighted: what `weighted` was given, and what it returned.
        """
        node = self.path[-1]
        if token not in node.children:
            node.children[token] = (float(allowed[token]), _Node())
        child = node.children[token][1]
        self.log_weight += float(weighted.logsumexp(-1)) - child.bound
        taken = torch.tensor(list(node.children), device=allowed.device)
        node.rest = float(allowed.index_fill(-1, taken, -torch.inf).logsumexp(-1))
        self.path.append(child)

    def end(self, *, is_complete: bool) -> None:
        """Learn from the text: it satisfies the constraint, or cannot be completed."""
        self.path[-1].bound = 0.0 if is_complete else -math.inf
        for node in reversed(self.path[:-1]):
            node.renew()

    @property
    def log_bound(self) -> float:
        """ln of an upper bound of the probability of the constraint."""
        return self.path[0].bound


def _log_sum(values: Sequence[float]) -> float:
    """ln of a sum of exponentials."""
    greatest = max(values)
    if greatest == -math.inf:
        return greatest
    return greatest + math.log(math.fsum(math.exp(value - greatest) for value in values))
