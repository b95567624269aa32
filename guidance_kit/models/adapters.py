"""LoRA adapters on a model that stays what it is: each row of a batch goes through the adapter that it names."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, NamedTuple

import torch
from safetensors import SafetensorError
from torch.nn.functional import linear
from transformers import PreTrainedModel

from guidance_kit.errors import ModelError
from guidance_kit.models.source_encoder import is_encoder_decoder

__all__ = ["Adapters"]

_BASE = "__base__"
"""Name that peft has for the model without any adapter."""

_REFUSED = {
    "bias": ("none", "trains biases of the model itself, so that there would be no base any more"),
    "layer_replication": (None, "repeats layers of the model"),
    "target_parameters": (None, "adapts parameters that are no layers"),
    "trainable_token_indices": (None, "trains tokens of the model itself"),
    "alora_invocation_tokens": (None, "begins in the middle of a text (aLoRA)"),
    "arrow_config": (None, "routes between other adapters (Arrow)"),
    "megatron_config": (None, "has the module run that it names (Megatron)"),
}
"""Setting of peft -> the value that is fine, and what any other one does. None stands for nothing at all."""
_HARMLESS = (True, False, "gaussian", "orthogonal", "eva")
"""Ways to begin the training of an adapter that leave the weights of the model as they are."""


class _LinearLayer(NamedTuple):
    """A linear layer of peft with what every step asks of it, which modules are slow to find.

    Attributes:
        module: the layer.
        base: that of the model, which it replaces.
        loras: for each adapter its two factors, and by what their product is multiplied.
    """

    module: Any
    base: Any
    loras: Mapping[str, tuple[Any, Any, float]]

    @classmethod
    def of(cls, module: Any) -> _LinearLayer:
        """A layer with the adapters that it has now."""
        names = module.lora_A.keys()
        loras = {name: (module.lora_A[name], module.lora_B[name], module.scaling[name]) for name in names}
        return cls(module, module.base_layer, loras)


class Adapters:
    """The LoRA adapters on a model, in peft's own layers, which replace those that they adapt.

    Outside of `applied`, and for whoever calls the model itself, no adapter acts; but modules that an adapter has saved
    whole are in place for all threads while it is applied.

    Several adapters, and the model without any, run in one batch: exactly for plain LoRA on linear and embedding layers
    that get batches; not for DoRA and other variants, nor for modules that are saved whole. Rows of those need a pass
    of their own; `is_mixable` tells.

    Args:
        model: any causal language model of transformers.
    """

    def __init__(self, model: PreTrainedModel) -> None:
        self._model: Any = model
        self._is_ours = False  # the layers of peft in the model
        self._mixable: dict[str, bool] = {}
        self._layers: list[Any] = []
        self._wrappers: list[Any] = []
        # While several are applied, the adapter of each row; while one is applied to all rows, that one. They act in
        # the thread that applied them: others may be calling the model itself.
        self._thread = 0
        self._rows: list[str] = []
        self._places: list[tuple[str, slice | list[int]]] = []  # of those with an adapter
        self._asked: frozenset[str] = frozenset()
        self._only: str | None = None
        self._set_on_layers = ""

    def is_mixable(self, adapter: str | None) -> bool:
        """Test whether rows with this adapter, None for none, may stand in one batch with others."""
        return adapter is None or self._mixable[adapter]

    def load(self, source: str | Path) -> str:
        """Load an adapter from a folder or from the model hub; give the name by which rows ask for it.

        Raises:
            ModelError: peft is not installed; there is no such adapter, it is no LoRA adapter, it was made for a model
                of another shape, or it changes the model itself; the model has adapters of its own already.
        """
        if find_spec("peft") is None:
            raise ModelError("adapters need the peft library: pip install guidance-kit[peft]")
        from peft import PeftConfig
        from peft.functional import delete_adapter, inject_adapter_in_model, set_peft_model_state_dict
        from peft.tuners.tuners_utils import BaseTunerLayer
        from peft.utils import load_peft_weights

        if not self._is_ours and any(isinstance(module, BaseTunerLayer) for module in self._model.modules()):
            raise ModelError("the model has adapters of its own already; give the model without them")
        folder = Path(source).expanduser()
        where = str(folder) if folder.is_dir() else str(source)
        try:
            config: Any = PeftConfig.from_pretrained(where)
            saved = load_peft_weights(where, device="cpu")
        except UnpicklingError as error:
            raise ModelError(
                f"cannot load the adapter {where!r}: its weights are a pickle file that holds more than tensors; "
                "nothing of it was run. Convert it to safetensors where it was made"
            ) from error
        except (OSError, ValueError, TypeError, KeyError, RuntimeError, SafetensorError) as error:
            raise ModelError(f"cannot load the adapter {where!r}: {_first_line(error)}") from error
        weights = {name.removeprefix("base_model.model."): tensor for name, tensor in saved.items()}
        self._require_fitting(where, config, weights)
        name = f"adapter{len(self._mixable)}"
        config.inference_mode = True
        self._is_ours = True
        try:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message="Already found a `peft_config`")  # several are meant
                inject_adapter_in_model(config, self._model, name)
            self._adopt()
            self._require_known_layers(name)
            result = set_peft_model_state_dict(self._model, weights, adapter_name=name)
            wrong = [*result.unexpected_keys, *(key for key in result.missing_keys if name in key.split("."))]
            if wrong:
                raise ValueError(f"its weights and its layers differ, first at {wrong[0]}")
        except (ValueError, TypeError, RuntimeError, KeyError) as error:
            delete_adapter(self._model, name, "lora_")
            getattr(self._model, "peft_config", {}).pop(name, None)
            self._adopt()
            raise ModelError(f"the adapter {where!r} does not fit the model: {_first_line(error)}") from error
        self._model.eval()
        self._mixable[name] = self._can_be_mixed(name)
        return name

    @contextmanager
    def applied(self, adapters: Sequence[str | None]) -> Iterator[None]:
        """Let each row of a batch go through an adapter, None for none.

        Args:
            adapters: one a row, all the same unless they are mixable; empty for none at all.
        """
        distinct = set(adapters)
        self._thread = threading.get_ident()
        if len(distinct) > 1:
            self._rows = [adapter or _BASE for adapter in adapters]
            self._asked = frozenset(self._rows)
            self._places = [(name, _places(self._rows, name)) for name in sorted(self._asked - {_BASE})]
        elif distinct:
            self._only = distinct.pop()
        try:
            if self._only is not None:
                self._set(self._only)
            yield
        finally:
            if self._only is not None:
                self._rest()
            self._thread, self._rows, self._places, self._asked, self._only = 0, [], [], frozenset(), None

    def _set(self, adapter: str) -> None:
        """Make an adapter that of all layers."""
        if self._set_on_layers != adapter:
            self._set_on_layers = ""
            for layer in self._layers:
                layer.set_adapter([adapter], inference_mode=True)
            self._set_on_layers = adapter
        for wrapper in self._wrappers:
            if adapter in wrapper.modules_to_save:
                wrapper.set_adapter([adapter], inference_mode=True)

    def _rest(self) -> None:
        """Make modules that adapters have saved whole those of the model again."""
        for wrapper in self._wrappers:
            wrapper.set_adapter([], inference_mode=True)

    def _adopt(self) -> None:
        """Take the layers that peft has put in under control."""
        from peft.tuners.lora import Embedding, Linear
        from peft.utils import ModulesToSaveWrapper

        known = set(map(id, self._layers))
        modules = list(self._model.modules())
        self._wrappers = [module for module in modules if isinstance(module, ModulesToSaveWrapper)]
        self._layers = [module for module in modules if type(module) in (Linear, Embedding)]
        for layer in self._layers:
            if isinstance(layer, Linear):
                layer.forward = partial(self._linear, _LinearLayer.of(layer))
            elif id(layer) not in known:
                layer.register_forward_pre_hook(self._tell, with_kwargs=True)
        self._set_on_layers = ""
        self._rest()

    def _linear(self, layer: _LinearLayer, x: torch.Tensor, *args: Any, **settings: Any) -> torch.Tensor:
        """Output of a linear layer of peft: for several adapters in less time than by its own way."""
        is_applied = threading.get_ident() == self._thread
        if is_applied and self._only is not None:
            return type(layer.module).forward(layer.module, x, *args, **settings)
        result = layer.base(x, *args, **settings)
        if not is_applied:
            return result
        for adapter, rows in self._places:
            lora = layer.loras.get(adapter)
            if lora is not None:
                if len(x) != len(self._rows):
                    raise ValueError(f"a layer got {len(x)} rows, and there are adapters for {len(self._rows)}")
                first, second, scale = lora
                added = linear(linear(x[rows].to(first.weight.dtype), first.weight), second.weight, second.bias)
                part = result[rows].add_(added, alpha=scale)
                if not isinstance(rows, slice):
                    result[rows] = part
        return result

    def _tell(self, layer: Any, args: tuple[Any, ...], settings: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Tell an embedding of peft which rows it gets, before it runs."""
        is_applied = threading.get_ident() == self._thread
        if not is_applied or self._only is None:
            is_asked = is_applied and not self._asked.isdisjoint((*layer.lora_A, *layer.lora_embedding_A))
            settings["adapter_names"] = self._rows if is_asked else [_BASE] * len(args[0])
        return args, settings

    def _can_be_mixed(self, adapter: str) -> bool:
        """Test whether peft runs the adapter in one batch with others."""
        if any(adapter in layer.lora_variant for layer in self._layers):
            return False
        if any(adapter in wrapper.modules_to_save for wrapper in self._wrappers):
            return False
        tokens = torch.zeros((3, 2), dtype=torch.long, device=self._model.device)
        decoder = {"decoder_input_ids": tokens} if is_encoder_decoder(self._model) else {}
        try:
            # A layer that gets the tokens of all rows in one dimension refuses three names for six.
            with torch.inference_mode(), self.applied([adapter, None, adapter]):
                self._model(input_ids=tokens, use_cache=False, **decoder)
        except ValueError:
            return False
        return True

    def _require_known_layers(self, adapter: str) -> None:
        """See that nothing else is adapted than the layers whose rows can be told from each other."""
        from peft.tuners.lora import LoraLayer

        for module in self._model.modules():
            if isinstance(module, LoraLayer) and adapter in module.r and module not in self._layers:
                kind = type(module.get_base_layer()).__name__
                raise ValueError(f"it adapts a {kind}, and only linear and embedding layers can be adapted")

    def _require_fitting(self, where: str, config: Any, weights: dict[str, torch.Tensor]) -> None:
        """See that it is a LoRA adapter, that it leaves the model as it is, and for which model it was made."""
        kind = str(getattr(config.peft_type, "value", config.peft_type))
        if kind != "LORA":
            raise ModelError(f"the adapter {where!r} is of the kind {kind}; only LoRA adapters can be used")
        for setting, (fine, does) in _REFUSED.items():
            if (getattr(config, setting, None) or fine) != fine:
                raise ModelError(f"the adapter {where!r} {does}: {setting} in its adapter_config.json")
        if config.init_lora_weights not in _HARMLESS:
            raise ModelError(
                f"the adapter {where!r} goes with other weights of its model than those that were loaded: "
                f"init_lora_weights is {config.init_lora_weights!r}; convert it with save_pretrained"
                "(path_initial_model_for_weight_conversion=...) of peft"
            )
        own = {
            name.replace(".base_layer.", ".").replace(".original_module.", "."): tensor
            for name, tensor in self._model.state_dict().items()
        }
        for key in list(weights):
            name = key.replace(".base_layer.", ".")
            if name not in own or any(f".{module}." in f".{name}" for module in config.modules_to_save or ()):
                continue
            given, kept = weights.pop(key), own[name]
            if given.shape != kept.shape or not torch.equal(given.to(kept), kept):
                grown = f": {list(given.shape)} in place of {list(kept.shape)}" if given.shape != kept.shape else ""
                raise ModelError(
                    f"the adapter {where!r} would change the model itself, at {name}{grown}. If it adds tokens, "
                    "save it and the model that it was trained on as one, and load that"
                )
        made_for, ours = (str(name or "") for name in (config.base_model_name_or_path, self._model.name_or_path))
        if made_for and ours and Path(made_for).name.lower() != Path(ours).name.lower():
            warnings.warn(
                f"the adapter {where!r} was made for {made_for}, and the model is {ours}", RuntimeWarning, stacklevel=5
            )


def _places(rows: Sequence[str], name: str) -> slice | list[int]:
    """Places of a name: a slice where they follow each other, which is faster."""
    found = [place for place, other in enumerate(rows) if other == name]
    first, last = found[0], found[-1]
    return slice(first, last + 1) if last - first + 1 == len(found) else found


def _first_line(error: Exception) -> str:
    """First line of an error, without its report."""
    lines = [line.strip() for line in str(error).strip().splitlines()] or [type(error).__name__]
    return " ".join(lines[:2]) if lines[0].endswith(":") else lines[0]
