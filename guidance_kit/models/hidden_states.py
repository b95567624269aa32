"""Hidden states of a model together with its logits, by one forward pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from transformers import PreTrainedModel

from guidance_kit.models.layer_outputs import hidden_state_forward
from guidance_kit.models.token_tree import ROOT, TokenTree
from guidance_kit.models.weights import Weights

__all__ = ["HiddenStates"]


@dataclass(frozen=True, slots=True)
class _Known:
    """Hidden states of one row of the last pass.

    Attributes:
        prefix: its tokens.
        tree: tokens behind them.
        states: float, (positions or 1 + nodes, width): of the last positions, or of the last token and each node.
    """

    prefix: list[int]
    tree: TokenTree | None
    states: Tensor

    def of(self, prefix: Sequence[int]) -> Tensor | None:
        """Hidden state of the last token of a prefix: float, (width,); None if it is not known."""
        shared = min(len(prefix), len(self.prefix))
        if list(prefix[:shared]) != self.prefix[:shared]:
            return None
        back = len(self.prefix) - len(prefix)
        if self.tree is None:
            return self.states[-1 - back] if 0 <= back < len(self.states) else None
        nodes = self.tree.descend(prefix[shared:])
        if back > 0 or len(nodes) < -back:
            return None
        return self.states[1 + (nodes[-1] if nodes else ROOT)]


class HiddenStates:
    """Logits and hidden states of a model, over a cache of their own; those of the last pass are kept.

    Args:
        model: causal language model.
        rows: width of its logits.
    """

    def __init__(self, model: PreTrainedModel, rows: int) -> None:
        self._weights = Weights(model, forward=hidden_state_forward(model))
        self._rows = rows
        self._known: list[_Known] = []

    @property
    def bytes(self) -> int:
        """Memory held for what was computed."""
        return self._weights.bytes

    def logits(self, prefixes: Sequence[Sequence[int]], positions: int) -> Tensor:
        """See `TransformersModel.logits`."""
        found = self._weights.logits(prefixes, positions)
        self._note(prefixes, None, found)
        return found[..., : self._rows]

    def tree_logits(self, prefixes: Sequence[Sequence[int]], trees: Sequence[TokenTree]) -> Tensor:
        """See `TransformersModel.tree_logits`."""
        found = self._weights.tree_logits(prefixes, trees)
        self._note(prefixes, trees, found)
        return found[..., : self._rows]

    def of(self, prefixes: Sequence[Sequence[int]], positions: int) -> Tensor:
        """See `TransformersModel.hidden_states`."""
        if positions == 1:
            known = self._known
            states = [next((state for one in known if (state := one.of(row)) is not None), None) for row in prefixes]
            found = [state for state in states if state is not None]
            if found and len(found) == len(prefixes):
                return torch.stack(found)[:, None]
        found = self._weights.logits(prefixes, positions)
        self._note(prefixes, None, found)
        return found[..., self._rows :]

    def _note(self, prefixes: Sequence[Sequence[int]], trees: Sequence[TokenTree] | None, found: Tensor) -> None:
        """Keep the hidden states of a pass."""
        self._known = [
            _Known(list(prefix), None if trees is None else trees[row], found[row, :, self._rows :])
            for row, prefix in enumerate(prefixes)
        ]
