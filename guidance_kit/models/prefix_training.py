"""Train a small prefix classifier from labelled texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import cast

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy
from transformers import LlamaConfig, LlamaForSequenceClassification

from guidance_kit.errors import OptionError
from guidance_kit.models.prefix_classifier import PrefixClassifier
from guidance_kit.models.transformers_model import TransformersModel
from guidance_kit.vocabulary import Vocabulary

__all__ = ["train_prefix_classifier"]

_HEAD = 32
"""The width of a head."""
_NONE = -100
"""The label of padding, which `cross_entropy` leaves out."""


def train_prefix_classifier(
    model: TransformersModel,
    texts: Sequence[str],
    labels: Sequence[str],
    *,
    layers: int = 2,
    width: int = 128,
    epochs: int = 4,
    batch_size: int = 32,
    learning_rate: float = 2e-3,
    max_tokens: int = 256,
    respelled: float = 0.0,
    seed: int = 0,
    on_epoch: Callable[[int, float], None] = lambda epoch, loss: None,
) -> PrefixClassifier:
    """Train a small Llama to tell, after every token of a text, what class the whole of it is of.

    The loss is the cross-entropy of the label at every prefix, the empty one and the whole with its end among them: so
    it learns P(label | prefix), which is what a text is steered by. Labels are as frequent as in the texts, and that
    prior is part of what is learnt. The result is a function of the arguments, up to the order of floating-point sums.

    Args:
        model: the language model that is to be steered (`model.language_model` of a `Model`); its tokens are used, and
            the classifier is trained on its device.
        texts: as they would be generated.
        labels: one a text, of at least two kinds.
        layers, width: of the classifier, which has a head for each 32 of the width, a multiple of 32.
        epochs: how often each text is seen.
        batch_size: texts in one step.
        learning_rate: the greatest; it rises and falls once.
        max_tokens: texts are cut after so many.
        respelled: the share of tokens that are written as two shorter ones, anew in each epoch, these again with the
            same chance. Under a constraint a model may spell texts otherwise than its tokenizer does, above all if it
            is small; a classifier that never saw such spellings does not understand them.
        seed: of the weights and of the order of the texts.
        on_epoch: is told the number of each epoch, from 1, and its mean loss in nats.
    Returns:
        The classifier; `save` writes it.
    Raises:
        OptionError: no language model; no texts; another number of labels; fewer than two kinds; a number out of range.
        ModelError: the model has no tokenizer.
    Source: Yang and Klein 2021, FUDGE: Controlled Text Generation With Future Discriminators, section 3; a transformer
        in place of its LSTM.
    """
    if not isinstance(cast(object, model), TransformersModel):
        raise OptionError(f"a {type(model).__name__} is no TransformersModel; of a Model, give model.language_model")
    if isinstance(texts, str) or len(texts) != len(labels):
        raise OptionError(f"{len(texts)} texts and {len(labels)} labels; there must be one a text")
    names = list(dict.fromkeys(labels))
    if len(names) < 2:
        raise OptionError(f"a classifier tells labels from each other, and there are only {names}")
    least_one = {
        "layers": layers, "width": width, "epochs": epochs, "batch_size": batch_size, "max_tokens": max_tokens,
    }  # fmt: skip
    for name, value in least_one.items():
        if value < 1:
            raise OptionError(f"{name} must be at least 1, not {value}")
    if width % _HEAD:
        raise OptionError(f"width must be a multiple of {_HEAD}, the width of a head, not {width}")
    if not 0 <= respelled < 1:
        raise OptionError(f"respelled must be at least 0 and less than 1, not {respelled}")
    if not learning_rate > 0:
        raise OptionError(f"learning_rate must be greater than 0, not {learning_rate}")
    start = model.rows  # a token of its own
    rows = [model.encode(text, with_special_tokens=False)[:max_tokens] for text in texts]
    spelling = _Spelling(model.vocabulary, respelled, Random(seed))
    classes = [names.index(label) for label in labels]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        made = LlamaForSequenceClassification(_config(names, model, layers, width))
    cast(torch.nn.Module, made).to(model.device)
    order = torch.Generator().manual_seed(seed)
    steps = epochs * -(-len(rows) // batch_size)
    optimizer = torch.optim.AdamW(made.parameters(), lr=learning_rate)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, learning_rate, total_steps=steps)
    made.train()
    for epoch in range(1, epochs + 1):
        losses: list[float] = []
        for some in torch.randperm(len(rows), generator=order).split(batch_size):
            framed = [[start, *spelling.of(rows[place]), *model.vocabulary.eos[:1]] for place in some]
            tokens, wanted = _padded(framed, [classes[place] for place in some])
            hidden = made.model(input_ids=tokens.to(model.device), use_cache=False).last_hidden_state
            loss = cross_entropy(made.score(hidden).flatten(0, 1), wanted.flatten().to(model.device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            losses.append(float(loss.detach()))
        on_epoch(epoch, sum(losses) / len(losses))
    return PrefixClassifier(made, model.vocabulary, name="the trained classifier")


class _Spelling:
    """Writes some tokens as two shorter ones, see `train_prefix_classifier`."""

    def __init__(self, vocabulary: Vocabulary, share: float, rng: Random) -> None:
        self._texts = vocabulary.token_bytes
        self._tokens = {text: token for token, text in enumerate(self._texts) if text} if share else {}
        self._share = share
        self._rng = rng

    def of(self, tokens: Sequence[int]) -> Iterator[int]:
        """Tokens with the same text."""
        for token in tokens:
            text = self._texts[token] if token < len(self._texts) else b""
            if len(text) > 1 and self._rng.random() < self._share:
                cut = self._rng.randrange(1, len(text))
                parts = [self._tokens.get(part) for part in (text[:cut], text[cut:])]
                if None not in parts:
                    yield from self.of([part for part in parts if part is not None])
                    continue
            yield token


def _config(names: Sequence[str], model: TransformersModel, layers: int, width: int) -> LlamaConfig:
    """A Llama over the tokens of a model, and one more to start with."""
    heads = width // _HEAD
    return LlamaConfig(
        vocab_size=model.rows + 1,
        bos_token_id=model.rows,
        eos_token_id=None,
        hidden_size=width,
        intermediate_size=2 * width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=heads,
        max_position_embeddings=(model.context_length or 4096) + 1,
        id2label=dict(enumerate(names)),
        label2id={name: number for number, name in enumerate(names)},
        problem_type="single_label_classification",
    )


def _padded(rows: Sequence[Sequence[int]], classes: Sequence[int]) -> tuple[Tensor, Tensor]:
    """Tokens and their labels, padded on the right, where no token before sees it: int64, (batch, length)."""
    longest = max(map(len, rows))
    tokens = torch.tensor([[*row, *[0] * (longest - len(row))] for row in rows])
    lengths = torch.tensor([len(row) for row in rows])
    wanted = torch.tensor(classes)[:, None].expand_as(tokens)
    return tokens, wanted.masked_fill(torch.arange(longest) >= lengths[:, None], _NONE)
