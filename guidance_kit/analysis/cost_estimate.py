"""Estimate of memory and speed of models, alone or as an ensemble, from their configurations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from guidance_kit.analysis.machine import Machine
from guidance_kit.decoding.sampling import require_integer, require_number
from guidance_kit.errors import ContextLengthError, ModelError, OptionError
from guidance_kit.model import Model
from guidance_kit.models.model_shape import ModelShape
from guidance_kit.models.transformers_model import TransformersModel
from guidance_kit.steering.classified import Classified

__all__ = ["CostEstimate", "ModelCost", "estimate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCost:
    """Cost of one model of an ensemble.

    Attributes:
        name: of the model.
        rows: rows of its batch: texts, times the terms that share the weights.
        parameters: number of parameters.
        weights: bytes of parameters and buffers; those that an earlier model has too are left out.
        cache: bytes of keys, values and states of all rows at the end of the texts.
        reserved: bytes that the library's cache holds at most for them, with its room for more tokens.
        read: bytes that a step reads in the middle of the generated tokens: weights, and the cache.
        operations: floating-point operations of that step.
        prompt_read: bytes of weights that reading the prompts reads.
        prompt_operations: floating-point operations of reading the prompts.
    """

    name: str
    rows: int
    parameters: int
    weights: int
    cache: int
    reserved: int
    read: int
    operations: int
    prompt_read: int
    prompt_operations: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CostEstimate:
    """Memory and speed of generation with an ensemble of models.

    The times are bounds by the two resources, without the work of the processor that calls the kernels. So are tokens
    a second: no implementation of these passes is faster on the machine.

    Attributes:
        models: cost of each; the passes of a step run one after the other.
        batch: number of texts.
        prompt_tokens, max_tokens: of each text.
        machine: speed of the machine; None for memory alone.
    """

    models: tuple[ModelCost, ...]
    batch: int
    prompt_tokens: int
    max_tokens: int
    machine: Machine | None

    @property
    def weights(self) -> int:
        """Bytes of the weights of all models."""
        return sum(one.weights for one in self.models)

    @property
    def cache(self) -> int:
        """Bytes of the caches of all models at the end of the texts."""
        return sum(one.cache for one in self.models)

    @property
    def memory(self) -> int:
        """Bytes of weights and caches, with the room that the library reserves; activations and logits come on top."""
        return sum(one.weights + one.reserved for one in self.models)

    @property
    def tokens_per_second_by_bandwidth(self) -> float:
        """Bound on generated tokens a second, of all texts, by the bytes that a step reads."""
        return self.batch / sum(self._seconds(one.read, 0) for one in self.models)

    @property
    def tokens_per_second_by_compute(self) -> float:
        """Bound on generated tokens a second, of all texts, by the operations of a step."""
        return self.batch / sum(self._seconds(0, one.operations) for one in self.models)

    @property
    def tokens_per_second(self) -> float:
        """Bound on generated tokens a second, of all texts, by the scarcer resource of each model."""
        return self.batch / sum(self._seconds(one.read, one.operations) for one in self.models)

    @property
    def seconds_to_first_token(self) -> float:
        """Bound on the time to read the prompts."""
        return sum(self._seconds(one.prompt_read, one.prompt_operations) for one in self.models)

    def on(self, machine: Machine) -> CostEstimate:
        """The same costs on another machine."""
        return replace(self, machine=machine)

    def _seconds(self, read: int, operations: int) -> float:
        """Time of a pass.

        Raises:
            OptionError: no machine.
        """
        if self.machine is None:
            raise OptionError("speed needs a machine: estimate(..., machine=gk.Machine.measured())")
        return max(read / self.machine.bandwidth, operations / self.machine.compute)


Estimated = str | Path | TransformersModel | Model
"""Model whose cost is estimated: a folder, a `config.json`, a name, or a loaded model."""


def estimate(
    *models: Estimated,
    prompt_tokens: int = 512,
    max_tokens: int = 512,
    batch: int = 1,
    dtype: str | None = None,
    weight_bits: float | None = None,
    cache_bits: float | None = None,
    machine: Machine | None = None,
    **options: Any,
) -> CostEstimate:
    """Estimate memory and speed of generation, without weights and without running anything.

    Sizes are those of modules and caches on torch's meta device, so grouped queries, latent attention, sliding windows
    and recurrent states count as transformers has them, and operations are counted in a pass there. The weights of a
    loaded model count as they are.

    Args:
        models: models of an ensemble: a folder, a `config.json`, a name on the model hub or of a bundled model, or a
            loaded model, whose formula is taken apart. What is named twice has its weights once, and a batch twice as
            large. None for the bundled model.
        prompt_tokens: length of each prompt, at least 1.
        max_tokens: number of generated tokens of each text, at least 1.
        batch: number of texts.
        dtype: of weights and caches of configurations; None for that of each.
        weight_bits: bits of a weight of the layers, scales included (4.5 for 4 bits and a scale of 16 bits for 32
            weights); None for those of the dtype. Embeddings and output embeddings keep the dtype.
        cache_bits: bits of a number in the cache, scales included; None for those of the dtype. The library's own cache
            keeps the dtype; engines have quantised ones.
        machine: speed of the machine, see `Machine.measured`; None for memory alone.
        options: as of `load`: revision, token, trust_remote_code, ...
    Raises:
        ModelError: a model is not known to transformers, or is none of transformers; its pass depends on numbers; its
            weights are quantised, there are no files of them, and `weight_bits` is not given.
        ContextLengthError: the texts are longer than the context of a model.
        OptionError: a value out of range; a formula with classifiers.
    """
    for name, value in (("prompt_tokens", prompt_tokens), ("max_tokens", max_tokens), ("batch", batch)):
        require_integer(name, value, least=1)
    for name, bits in (("weight_bits", weight_bits), ("cache_bits", cache_bits)):
        if bits is not None:
            require_number(name, bits, "a number of bits, from 1 to 64", lambda b: 1 <= b <= 64)
    groups: dict[object, tuple[ModelShape, float, int]] = {}
    counted: set[int] = set()
    for key, source in _terms(models):
        shape, own, count = groups.get(key, (None, 0.0, 0))
        if isinstance(source, TransformersModel):
            own = own if shape else _own_share(source, counted)
            groups[key] = (shape or ModelShape.of_model(source), own, count + 1)
        else:
            groups[key] = (shape or ModelShape.of_config(source, dtype, **options), 1.0, count + 1)
    costs = [
        _cost(shape, own, batch * count, prompt_tokens, max_tokens, weight_bits, cache_bits)
        for shape, own, count in groups.values()
    ]
    return CostEstimate(
        models=tuple(costs), batch=batch, prompt_tokens=prompt_tokens, max_tokens=max_tokens, machine=machine
    )


def _terms(models: Sequence[Estimated]) -> Iterator[tuple[object, str | Path | TransformersModel | None]]:
    """For each term its model, and what it shares with other terms: the weights and their cache.

    Raises:
        ModelError: a model is none of transformers.
    """
    for model in models or (None,):
        if model is None or isinstance(model, str | Path):
            yield str(model), model
            continue
        for source in _sources(model):
            if not isinstance(source, TransformersModel):
                raise ModelError(f"costs are estimated for models of transformers, and {source!r} is none")
            yield id(source.weights), source


def _own_share(model: TransformersModel, counted: set[int]) -> float:
    """Share of the bytes of a model that no earlier model has; those are counted from now on."""
    tensors = {id(tensor): tensor.nbytes for tensor in (*model.model.parameters(), *model.model.buffers())}
    own = sum(size for key, size in tensors.items() if key not in counted)
    counted.update(tensors)
    return own / max(1, sum(tensors.values()))


def _sources(model: object) -> list[object]:
    """Models of the terms of a model.

    Raises:
        OptionError: a term is no model.
    """
    if not isinstance(model, Model):
        return [model]
    classified = next((atom for atom in model.formula.atoms if isinstance(atom, Classified)), None)
    if classified is not None:
        raise OptionError(f"the cost of {classified} depends on its candidates: estimate the models without it")
    return [term.source for term in model.formula.model_terms]


def _cost(
    shape: ModelShape,
    own: float,
    rows: int,
    prompt: int,
    generated: int,
    weight_bits: float | None,
    cache_bits: float | None,
) -> ModelCost:
    """Cost of one model.

    Args:
        own: share of its weights that no earlier model has.
    Raises:
        ModelError: its weights are quantised in an unknown size; its pass depends on numbers.
        ContextLengthError: the texts are too long.
    """
    if shape.quantisation and weight_bits is None:
        raise ModelError(
            f"{shape.name} has weights quantised by {shape.quantisation}, and no files of them here: give weight_bits, "
            "as 4.5 for 4 bits and a scale of 16 bits for 32 weights"
        )
    end, middle = prompt + generated, prompt + generated // 2
    if shape.context_length is not None and end > shape.context_length:
        raise ContextLengthError(tokens=end, context_length=shape.context_length)
    factor = 1.0 if cache_bits is None else cache_bits / (8 * shape.itemsize)
    return ModelCost(
        name=shape.name,
        rows=rows,
        parameters=shape.parameters,
        weights=round(own * shape.weights(weight_bits)),
        cache=round(shape.cache(rows, end) * factor),
        reserved=round(shape.reserved(rows, end) * factor),
        read=shape.read(rows, weight_bits) + round(shape.cache(rows, middle) * factor),
        operations=shape.step(rows, middle).operations,
        prompt_read=shape.read(rows * prompt, weight_bits),
        prompt_operations=shape.prefill(rows, prompt).operations,
    )
