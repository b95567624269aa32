"""First layers of a model with its final norm and head: a smaller model that shares the weights."""

from __future__ import annotations

import copy
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from guidance_kit.errors import ModelError, OptionError
from guidance_kit.models.trial import FOREIGN, trial_text
from guidance_kit.models.weights import Weights

if TYPE_CHECKING:
    from collections.abc import Iterator

    from guidance_kit.models.forward import Forward

__all__ = ["early_layers"]


def early_layers(forward: Forward, count: int) -> PreTrainedModel:
    """Model of the first layers of another one, whose modules it shares.

    The modules around the layers are copied without their weights, with a configuration of fewer layers. A trial on a
    few tokens shows that the last of the layers computes what it does in the whole model, and that no later one runs.

    Args:
        forward: the whole model.
        count: number of layers, at least 1 and less than the whole model has.
    Raises:
        OptionError: a count out of range.
        ModelError: the layers are no single list of modules, or the model does not run with fewer of them.
    """
    model, depth = forward.model, int(forward.config.num_hidden_layers)
    if isinstance(count, bool) or count not in range(1, depth):
        raise OptionError(
            f"early layers are a number from 1 to {depth - 1} of a model of {depth} layers, not {count!r}"
        )
    lists = [name for name, part in model.named_modules() if isinstance(part, nn.ModuleList) and len(part) == depth]
    outermost = [name for name in lists if not any(name.startswith(f"{other}.") for other in lists)]
    if len(outermost) != 1:
        raise ModelError(
            f"{type(model).__name__} has no single list of its {depth} layers, so that its first ones cannot run alone"
        )
    path = outermost[0].split(".")
    made = _cut(model, path, count, _configurations(forward, count))
    layers = cast(nn.ModuleList, model.get_submodule(outermost[0]))
    if not _is_same(forward, cast(PreTrainedModel, made), layers, count):
        raise ModelError(f"{type(model).__name__} does not run with its first {count} layers alone")
    return cast(PreTrainedModel, made)


def _configurations(forward: Forward, count: int) -> dict[int, Any]:
    """Configurations of fewer layers, by the id of the one that each replaces."""
    whole = forward.model.config
    fewer = copy.deepcopy(whole)
    text: Any = fewer.get_text_config(decoder=True)
    depth = int(text.num_hidden_layers)
    for name, value in list(vars(text).items()):
        if isinstance(value, list) and len(cast("list[Any]", value)) == depth:
            vars(text)[name] = value[:count]  # unchecked: depth and lists agree only after the last of them
    name = type(text).attribute_map.get("num_hidden_layers", "num_hidden_layers")
    vars(text)[name] = count
    return {id(whole): fewer, id(forward.config): text}


def _cut(module: nn.Module, path: list[str], count: int, configurations: dict[int, Any]) -> nn.Module:
    """Copy of a module that shares all parts but those on the path; at its end are the first layers."""
    if isinstance(module, nn.ModuleList) and not path:
        return nn.ModuleList(list(module)[:count])
    made = copy.copy(module)
    parts = dict(module._modules)
    cast(Any, made)._modules = parts
    config = getattr(module, "config", None)
    if id(config) in configurations:
        cast(Any, made).config = configurations[id(config)]
    parts[path[0]] = _cut(cast(nn.Module, module._modules[path[0]]), path[1:], count, configurations)
    return made


@torch.inference_mode()
def _is_same(forward: Forward, made: PreTrainedModel, layers: nn.ModuleList, count: int) -> bool:
    """Test for equal outputs of the last early layer, for no later layer in the smaller model, and for its cache."""
    tokens = forward.tensor([trial_text(forward)])
    with _outputs(layers) as whole:
        forward.model(input_ids=tokens, use_cache=False)
    try:
        with _outputs(layers) as early:
            found = made(input_ids=tokens, use_cache=False).logits
        Weights(made).logits(tokens.tolist())  # the masks of hybrids ask the cache of a layer with attention
    except torch.OutOfMemoryError:
        raise
    except FOREIGN:
        return False
    last = count - 1
    return (
        found.shape[:2] == tokens.shape
        and sorted(early) == list(range(count))
        and last in whole
        and torch.equal(early[last], whole[last])
    )


@contextmanager
def _outputs(layers: nn.ModuleList) -> Iterator[dict[int, Tensor]]:
    """Outputs of the layers that run in this thread, by their numbers, filled while the block runs."""
    found: dict[int, Tensor] = {}
    thread = threading.get_ident()

    def note(number: int, output: Any) -> None:
        if threading.get_ident() == thread:
            found[number] = output if isinstance(output, Tensor) else output[0]

    hooks = [
        layer.register_forward_hook(lambda _module, _args, output, number=number: note(number, output))
        for number, layer in enumerate(layers)
    ]
    try:
        yield found
    finally:
        for hook in hooks:
            hook.remove()
