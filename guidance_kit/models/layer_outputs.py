"""Forward passes that answer with logits and hidden states, or with the logits of early layers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from transformers import PreTrainedModel

from guidance_kit.errors import ModelError, OptionError
from guidance_kit.models.forward import Forward

__all__ = ["early_exit_forward", "hidden_state_forward"]

_OPTIONS = {"output_hidden_states": True}


def hidden_state_forward(model: PreTrainedModel) -> Forward:
    """Forward pass that returns logits with the hidden states of the last layer: (batch, positions, rows + width)."""
    return Forward(model, head=lambda output: torch.cat([output.logits, _of_layer(output, -1)], -1), options=_OPTIONS)


def early_exit_forward(model: PreTrainedModel, layers: Sequence[int]) -> Forward:
    """Forward pass that returns the logits of early layers; see `TransformersModel.early_exit`.

    Raises:
        OptionError, ModelError: as there.
    """
    count = model.config.get_text_config(decoder=True).num_hidden_layers
    chosen = list(dict.fromkeys(layers))
    if not chosen or any(isinstance(layer, bool) or layer not in range(count) for layer in chosen):
        raise OptionError(f"early layers are numbers from 0 to {count - 1} of a model of {count}, not {list(layers)!r}")
    embeddings = model.get_output_embeddings()
    if embeddings is None:
        raise ModelError(f"{type(model).__name__} has no output embeddings, so its early layers have no logits")

    def head(output: Any) -> Tensor:
        early = [embeddings(_of_layer(output, layer)) for layer in chosen]
        if len(early) == 1:
            return early[0]
        divergences = torch.stack([_divergence(output.logits, logits) for logits in early])
        best = divergences.argmax(0)
        return torch.stack(early).gather(0, best[None, ..., None].expand(1, *early[0].shape))[0]

    return Forward(model, head=head, options=_OPTIONS)


def _of_layer(output: Any, layer: int) -> Tensor:
    """Hidden states of a layer at the positions for which the model gave logits."""
    return output.hidden_states[layer][:, -output.logits.shape[1] :]


def _divergence(one: Tensor, other: Tensor) -> Tensor:
    """Jensen-Shannon divergence of two distributions: float32, (batch, positions), nats."""
    p, q = one.float().log_softmax(-1), other.float().log_softmax(-1)
    middle = torch.logaddexp(p, q) - math.log(2)
    return ((p.exp() * (p - middle)).sum(-1) + (q.exp() * (q - middle)).sum(-1)) / 2
