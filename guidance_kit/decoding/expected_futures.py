"""Expected futures: learnt upper bounds of the probability that the model completes a prefix as the constraint asks."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from guidance_kit.errors import OptionError

__all__ = ["AsapMemory", "AsapSample"]

_CLOSE = 0.5
"""Nats by which rounding may change the mass that the mask keeps for one prompt."""


class _VisitedPrefix:
    """Visited prefix.

    Attributes:
        kept: ln of the mass that the mask kept here at the first visit.
        rest: ln of the mass of the allowed tokens that were never taken here.
        children: from a taken token to ln of its probability and the node after it.
        bound: ln of an upper bound of the probability that the model completes the prefix as the constraint asks.
    """

    __slots__ = ("bound", "children", "kept", "rest")

    def __init__(self, bound: float = 0.0) -> None:
        self.bound = bound
        self.kept: float | None = None
        self.rest = 0.0
        self.children: dict[int, tuple[float, _VisitedPrefix]] = {}

    def renew(self) -> None:
        """Update the bound from those of the children."""
        self.bound = _log_sum([self.rest, *(logprob + child.bound for logprob, child in self.children.values())])


class AsapMemory:
    """Memory of `Asap`: tries of visited prefixes with upper bounds of their expected futures.

    Shared by several calls on one model it brings later texts nearer to the target. There is one trie for each prompt,
    constraint, `max_tokens`, temperature and truncation. `len` is the number of visited prefixes.

    Not thread-safe.
    """

    def __init__(self) -> None:
        self._roots: dict[Hashable, _VisitedPrefix] = {}

    def __len__(self) -> int:
        todo, count = list(self._roots.values()), 0
        for node in todo:  # grows meanwhile
            count += 1
            todo.extend(child for _, child in node.children.values())
        return count

    def draw(self, key: Hashable) -> AsapSample:
        """Start a sample.

        Args:
            key: all that the probabilities of its tokens depend on, besides the model and the guides.
        """
        return AsapSample(path=[self._roots.setdefault(key, _VisitedPrefix())])


@dataclass(slots=True, kw_only=True)
class AsapSample:
    """Sample of Asap while it is drawn.

    Attributes:
        path: nodes of its prefixes, the root first.
        log_weight: ln of the importance weight: probability of its tokens under the model over that under the proposal.
    """

    path: list[_VisitedPrefix]
    log_weight: float = 0.0

    def weighted(self, allowed: Tensor) -> Tensor:
        """Proposal for the next token.

        Args:
            allowed: float64, (rows,), nats: log-probabilities of the model, -inf for masked tokens.
        Returns:
            `allowed` plus the known bounds of the expected futures; unnormalised.
        Raises:
            OptionError: the memory comes from another model or other guides.
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
        """Append a drawn token and update the weight.

        Args:
            allowed, weighted: argument and result of `weighted` at this step.
        """
        node = self.path[-1]
        if token not in node.children:
            node.children[token] = (float(allowed[token]), _VisitedPrefix())
        child = node.children[token][1]
        self.log_weight += float(weighted.logsumexp(-1)) - child.bound
        taken = torch.tensor(list(node.children), device=allowed.device)
        node.rest = float(allowed.index_fill(-1, taken, -torch.inf).logsumexp(-1))
        self.path.append(child)

    def end(self, *, is_complete: bool) -> None:
        """Back up the bounds along the path of a finished sample.

        Args:
            is_complete: the sample satisfies the constraint; otherwise it cannot be completed.
        """
        self.path[-1].bound = 0.0 if is_complete else -math.inf
        for node in reversed(self.path[:-1]):
            node.renew()

    @property
    def log_bound(self) -> float:
        """Upper bound of the probability of the constraint: its ln."""
        return self.path[0].bound


def _log_sum(values: Sequence[float]) -> float:
    """Log-sum-exp."""
    greatest = max(values)
    if greatest == -math.inf:
        return greatest
    return greatest + math.log(math.fsum(math.exp(value - greatest) for value in values))
