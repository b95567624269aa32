"""Check of the sizes in a model's configuration, before anything of them is allocated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from transformers.activations import ACT2FN

from guidance_kit.errors import ModelError

__all__ = ["GREATEST_VOCABULARY", "check_config"]

GREATEST_VOCABULARY = 2**22
_LAYERS, _HEADS, _WIDTH = 10_000, 100_000, 2**20
"""Bounds some ten times above the largest models that there are: beyond them a file is damaged or hostile."""

_GREATEST = {
    **dict.fromkeys(("num_hidden_layers", "n_layer", "n_layers", "num_layers", "decoder_layers"), _LAYERS),
    **dict.fromkeys(("num_attention_heads", "num_key_value_heads", "n_head", "n_heads", "num_heads"), _HEADS),
    **dict.fromkeys(("hidden_size", "d_model", "n_embd", "intermediate_size", "ffn_dim", "head_dim"), _WIDTH),
    "vocab_size": GREATEST_VOCABULARY,
}
"""Name of a size -> the greatest that is taken. A size that is null or no number is left to transformers."""

_AT_LEAST_ONE = {"num_attention_heads", "n_head", "n_heads", "hidden_size", "d_model", "n_embd", "vocab_size"}
"""Sizes by which something is divided; others are 0 in architectures that lack a part."""

_ACTIVATIONS = ("hidden_act", "activation_function", "hidden_activation")


def check_config(source: str, config: Mapping[str, Any]) -> None:
    """Refuse a configuration with sizes or activations that no model has.

    Args:
        source: where the model is, for the message.
        config: its config.json; configurations within it are checked too.
    Raises:
        ModelError: names the setting, its value and what it may be.
    """
    for path, name, value in _settings(config):
        least, greatest = int(name in _AT_LEAST_ONE), _GREATEST.get(name)
        if greatest is not None and isinstance(value, int | float) and not least <= value <= greatest:
            raise ModelError(
                f"cannot load {source!r}: {path} in config.json is {value!r:.40}, and must be from {least} to "
                f"{greatest:,}; correct the file"
            )
        if name in _ACTIVATIONS and isinstance(value, str) and value not in ACT2FN:
            raise ModelError(
                f"cannot load {source!r}: {path} in config.json names {value!r:.40}, which is no activation function "
                "of transformers; correct the file"
            )


def _settings(config: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, str, Any]]:
    """Settings at any depth: their path, name and value."""
    for name, value in config.items():
        place = f"{path}.{name}" if path else name
        if isinstance(value, Mapping):
            yield from _settings(cast("Mapping[str, Any]", value), place)
        else:
            yield place, name, value
