"""A model that is loaded already, with the tokenizer that belongs to it."""

from __future__ import annotations

from typing import Any

from torch.nn import Module
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from guidance_kit.errors import ModelError, OptionError
from guidance_kit.models.loading import load_tokenizer
from guidance_kit.models.transformers_model import TransformersModel

__all__ = ["is_loaded", "wrap"]


def is_loaded(given: object) -> bool:
    """Test whether something is a model, and no name of one."""
    return isinstance(given, TransformersModel | Module)


def wrap(model: object, *, tokenizer: object = None, **options: Any) -> TransformersModel:
    """Make a language model of one that is loaded.

    Args:
        model: a causal language model of transformers; a `TransformersModel` stays what it is.
        tokenizer: its tokenizer; by default the one of the folder or name that the model was loaded from.
        options: none, as they are for loading.
    Raises:
        ModelError: it is no model of transformers; there is no tokenizer where it was loaded from.
        OptionError: an option for loading; something else than a tokenizer.
    """
    if options:
        raise OptionError(f"{', '.join(options)}: for loading, and the model is loaded already")
    if isinstance(model, TransformersModel):
        if tokenizer is not None:
            raise OptionError(
                "a TransformersModel has its tokenizer; make another one with TransformersModel(model, tokenizer)"
            )
        return model
    if not isinstance(model, PreTrainedModel):
        raise ModelError(
            f"a {type(model).__name__} is no model of transformers; TransformersModel takes a PreTrainedModel"
        )
    if tokenizer is None:
        tokenizer = _tokenizer_of(model)
    if not isinstance(tokenizer, PreTrainedTokenizerBase):
        raise OptionError(f"tokenizer must be a tokenizer of transformers, not {tokenizer!r}")
    return TransformersModel(model, tokenizer)


def _tokenizer_of(model: PreTrainedModel) -> PreTrainedTokenizerBase:
    """The tokenizer that lies where a model was loaded from."""
    hint = "give it: load(model, tokenizer=tokenizer), or TransformersModel(model, vocabulary=...)"
    source = model.name_or_path
    if not source:
        raise ModelError(f"the {type(model).__name__} does not say where its tokenizer is; {hint}")
    try:
        tokenizer = load_tokenizer(source)
    except ModelError as error:
        raise ModelError(f"no tokenizer was found at {source!r}, where the model was loaded from; {hint}") from error
    if not tokenizer.encode("a", add_special_tokens=False):
        raise ModelError(f"no tokenizer was found at {source!r}, where the model was loaded from; {hint}")
    return tokenizer
