"""Train draft heads on the hidden states of a frozen model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import torch
from torch import Tensor
from torch.nn.functional import kl_div

from guidance_kit.errors import OptionError
from guidance_kit.models.draft_heads import DraftHeads
from guidance_kit.models.prefix_classifier import token_digest
from guidance_kit.models.transformers_model import TransformersModel

__all__ = ["train_draft_heads"]

DECAY = 0.8
"""Weight of the loss of a head relative to that of the one before it, as in Medusa."""


def train_draft_heads(
    model: TransformersModel,
    texts: Sequence[str | tuple[str, str]],
    *,
    heads: int = 4,
    epochs: int = 4,
    batch_size: int = 16,
    learning_rate: float = 2e-3,
    max_tokens: int = 512,
    seed: int = 0,
    on_epoch: Callable[[int, float], None] = lambda epoch, loss: None,
) -> DraftHeads:
    """Train draft heads of a model, which is not changed.

    The loss is the Kullback-Leibler divergence of a head's distribution from that of the model after the same tokens: a
    draft is accepted as often as its distribution is that of the model, whatever the texts say. The result is a
    function of the arguments, up to the order of floating-point sums.

    Args:
        model: the model (`model.language_model` of a `Model`), trained on its device.
        texts: as it would generate them; or pairs of a prompt and its continuation, of which the latter is learnt.
        heads: number of heads, at least 1: tokens that they predict after a text.
        epochs: number of times that each text is read.
        batch_size: texts in one step.
        learning_rate: the greatest; it rises and falls once.
        max_tokens: texts are cut after so many.
        seed: of the weights and of the order of the texts.
        on_epoch: called with the number of each epoch, from 1, and its mean loss in nats.
    Returns:
        The heads; `save` writes them.
    Raises:
        OptionError: no language model; no text of at least three tokens; a number out of range.
        ModelError: the model has no tokenizer, an adapter, or no output embeddings.
    Source: see `DraftHeads`; Zhou et al. 2024, DistillSpec, section 4, for the loss.
    """
    if not isinstance(cast(object, model), TransformersModel):
        raise OptionError(f"a {type(model).__name__} is no TransformersModel; of a Model, give model.language_model")
    least_one = {"heads": heads, "epochs": epochs, "batch_size": batch_size, "max_tokens": max_tokens}
    for name, value in least_one.items():
        if value < 1:
            raise OptionError(f"{name} must be at least 1, not {value}")
    if not learning_rate > 0:
        raise OptionError(f"learning_rate must be greater than 0, not {learning_rate}")
    if isinstance(texts, str):
        raise OptionError("texts must be a list of texts, not one")
    rows = [row for row in (_encoded(model, text, max_tokens) for text in texts) if len(row[0]) > 2]
    if not rows:
        raise OptionError("draft heads are trained on texts of at least three tokens, and there is none")
    embed, score = model.embeddings
    dtype = model.model.dtype
    width = int(embed.weight.shape[1])
    generator = torch.Generator().manual_seed(seed)
    weights = [
        (torch.randn(width, 2 * width, generator=generator) * 1e-2 / width**0.5).to(model.device).requires_grad_()
        for _ in range(heads)
    ]
    biases = [torch.zeros(width, device=model.device).requires_grad_() for _ in range(heads)]
    made = DraftHeads(tuple(weights), tuple(biases), token_digest(model.vocabulary))
    optimizer = torch.optim.AdamW([*weights, *biases], lr=learning_rate, weight_decay=0.0)
    steps = epochs * -(-len(rows) // batch_size)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, learning_rate, total_steps=steps)
    for epoch in range(1, epochs + 1):
        losses: list[float] = []
        for some in torch.randperm(len(rows), generator=generator).split(batch_size):
            chosen = [rows[place] for place in some]
            tokens = torch.zeros(len(chosen), max(len(row) for row, _ in chosen), dtype=torch.int64)
            is_learnt = torch.zeros_like(tokens, dtype=torch.bool)
            for place, (row, begin) in enumerate(chosen):
                tokens[place, : len(row)] = torch.tensor(row)
                is_learnt[place, begin : len(row)] = True
            tokens, is_learnt = tokens.to(model.device), is_learnt.to(model.device)
            with torch.no_grad():
                found: Any = model.model(input_ids=tokens, output_hidden_states=True, use_cache=False)
                states, embedded = found.hidden_states[-1].float(), embed(tokens).float()
                wanted = found.logits.float().log_softmax(-1)
            loss = _loss(made, states, embedded, wanted, is_learnt, lambda state: score(state.to(dtype)).float())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            losses.append(float(loss.detach()))
        on_epoch(epoch, sum(losses) / len(losses))
    parts = [tuple(part.detach() for part in some) for some in (weights, biases)]
    return DraftHeads(parts[0], parts[1], made.digest)


def _encoded(model: TransformersModel, text: str | tuple[str, str], most: int) -> tuple[list[int], int]:
    """Token ids of a text, and the number of those of its prompt."""
    if isinstance(text, str):
        return model.encode(text)[:most], 0
    prompt = model.encode(text[0])
    return [*prompt, *model.encode(text[1], with_special_tokens=False)][:most], len(prompt)


def _loss(
    heads: DraftHeads,
    states: Tensor,
    embedded: Tensor,
    wanted: Tensor,
    is_learnt: Tensor,
    score: Callable[[Tensor], Tensor],
) -> Tensor:
    """Mean divergence of all heads, each weighted by `DECAY` relative to the one before.

    Args:
        states: hidden states: float, (batch, length, width).
        embedded: input embeddings of the tokens, of the same shape.
        wanted: log-probabilities of the model after each token: float, (batch, length, rows).
        is_learnt: bool, (batch, length): after which tokens the heads learn.
        score: output embeddings.
    """
    total, weight = states.new_zeros(()), 0.0
    current = states
    for head in range(min(len(heads), states.shape[1] - 1)):
        current = heads.advance(head, current[:, :-1], embedded[:, head + 1 :])
        target = wanted[:, head + 1 :]
        is_text = is_learnt[:, head + 1 :]
        if bool(is_text.any()):
            divergence = kl_div(
                score(current[is_text]).log_softmax(-1), target[is_text], log_target=True, reduction="batchmean"
            )
            total = total + DECAY**head * divergence
            weight += DECAY**head
    return total / max(weight, 1e-9)
