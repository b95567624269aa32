"""Draft heads: small layers on the hidden states of a model that predict several tokens ahead."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor
from torch.nn.functional import linear, silu

from guidance_kit.errors import ModelError, OptionError, VocabularyError
from guidance_kit.model_source import bundled_folder
from guidance_kit.models.prefix_classifier import token_digest

if TYPE_CHECKING:
    from guidance_kit.models.transformers_model import TransformersModel

__all__ = ["DraftHeads"]

FILE = "draft_heads/heads.safetensors"
"""File of the heads of a bundled model; in a folder within its own, where vLLM takes any .safetensors for weights."""


@dataclass(frozen=True, eq=False)
class DraftHeads:
    """Heads that predict the tokens after a text from a hidden state of the model and the tokens since.

    Let h be the hidden state of the last layer before the last token x of a text. Head k computes
    s_k = s_(k-1) + silu(W_k [s_(k-1); e] + b_k), with s_0 = h and e the input embedding of the token before the one
    that it predicts: x for the first head, a proposed token for the others. The output embeddings of the model give
    the logits of s_k. So a proposed token depends on those before it, and the weights of a head are few.

    Args:
        weights: W_k, one a head: float, (width, 2 width).
        biases: b_k: float, (width,).
        digest: digest of the tokens of the model for which the heads were trained.
    Source: Cai et al. 2024, Medusa, section 2.1.1, for heads on a frozen model; Ankner et al. 2024, Hydra, section 3,
        for heads that read the tokens before. Medusa has output embeddings for each head; ours share the model's.
    """

    weights: tuple[Tensor, ...]
    biases: tuple[Tensor, ...]
    digest: str

    def __len__(self) -> int:
        return len(self.weights)

    def __repr__(self) -> str:
        return f"DraftHeads({len(self)} heads of width {self.width})"

    @property
    def width(self) -> int:
        """Width of the hidden states."""
        return len(self.biases[0])

    def advance(self, head: int, states: Tensor, embedded: Tensor) -> Tensor:
        """States after one more token.

        Args:
            head: number of the head, from 0.
            states: s_(k-1): float, (..., width).
            embedded: input embeddings of the tokens: float, (..., width).
        Returns:
            s_k, of the shape of `states`.
        """
        weight, bias = (part[head].to(states) for part in (self.weights, self.biases))
        return states + silu(linear(torch.cat([states, embedded], -1), weight, bias))

    def require(self, model: TransformersModel) -> None:
        """Check that the heads were trained for the tokens and the width of a model.

        Raises:
            VocabularyError: the model has other tokens.
            OptionError: its hidden states have another width.
        """
        if self.digest != token_digest(model.vocabulary):
            raise VocabularyError(f"the draft heads were trained for other tokens than those of {model.name}")
        width = int(model.embeddings[0].weight.shape[1])
        if width != self.width:
            raise OptionError(
                f"the draft heads have the width {self.width}, and {model.name} has {width}; train others"
            )

    def save(self, path: str | Path) -> None:
        """Write the heads to a file, as safetensors in float16."""
        tensors = {f"{number}.weight": weight.half().contiguous() for number, weight in enumerate(self.weights)}
        tensors |= {f"{number}.bias": bias.half().contiguous() for number, bias in enumerate(self.biases)}
        save_file(tensors, path, metadata={"draft_heads": json.dumps({"digest": self.digest, "heads": len(self)})})

    @classmethod
    def load(cls, source: str | Path) -> DraftHeads:
        """Read the heads of a file, or those of a bundled model by its name.

        Raises:
            ModelError: there is no such file, or it has no draft heads.
        """
        bundled = bundled_folder() / str(source) / FILE
        path = bundled if bundled.is_file() else Path(source).expanduser()
        if not path.is_file():
            raise ModelError(f"there are no draft heads at {source}; give a file, or a bundled model that has some")
        try:
            with safe_open(path, "pt") as file:
                known = json.loads(file.metadata()["draft_heads"])
                weights, biases = (
                    tuple(file.get_tensor(f"{number}.{part}").float() for number in range(known["heads"]))
                    for part in ("weight", "bias")
                )
        except (SafetensorError, LookupError, TypeError, ValueError) as error:
            raise ModelError(f"{path} has no draft heads; DraftHeads.save writes them") from error
        return cls(weights, biases, known["digest"])

    def on(self, tensor: Tensor) -> DraftHeads:
        """Heads of the device and dtype of a tensor; these ones if nothing changes."""
        if self.weights[0].device == tensor.device and self.weights[0].dtype == tensor.dtype:
            return self
        moved: Sequence[tuple[Tensor, ...]] = [
            tuple(part.to(tensor) for part in parts) for parts in (self.weights, self.biases)
        ]
        return DraftHeads(moved[0], moved[1], self.digest)
