"""Steering in vLLM, as one logits processor for both of its model runners.

Given to vLLM by its name, `--logits-processors guidance_kit.integrations.vllm.steering:SteeringProcessor`. Written for
vLLM 0.32, whose interfaces are `vllm.v1.sample.logits_processor` (V1) and `vllm.v1.worker.gpu.sample.logits_processor`
(V2).
"""

# pyright: reportMissingImports=false

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from vllm.exceptions import VLLMValidationError
from vllm.sampling_params import SamplingParams
from vllm.tokenizers import cached_tokenizer_from_config
from vllm.v1.sample.logits_processor import BatchUpdate
from vllm.v1.sample.logits_processor import LogitsProcessor as ProcessorV1
from vllm.v1.worker.gpu.sample.logits_processor import LogitsProcessor as ProcessorV2

from guidance_kit.errors import OptionError
from guidance_kit.integrations.vllm.plugin import STEERING, is_steering_checked
from guidance_kit.integrations.vllm.steered_texts import SteeredText, Steering, TermModels
from guidance_kit.integrations.vllm.steering_request import read_request, row_mark, settings_of_environment
from guidance_kit.integrations.vllm.text_slots import MovedSlots, Opening, TokenSlots
from guidance_kit.vocabulary import Vocabulary

__all__ = ["SteeringProcessor"]


class SteeringProcessor(ProcessorV2, ProcessorV1):
    """Add biases, penalties, experts and classifiers to the logits of the requests that ask for them.

    Args:
        vllm_config: of the engine.
        place: V1: the device; V2: the `LogitsProcRequestState`.
        is_pin_memory: given by V1 alone.
    Raises:
        OptionError, ModelError, VocabularyError: the settings are missing, or cannot be used with this model; the
            engine does not start.
    """

    def __init__(self, vllm_config: Any, place: Any, is_pin_memory: bool | None = None) -> None:
        settings = settings_of_environment()
        if settings is None:
            raise OptionError(f"SteeringProcessor needs the environment variable {STEERING}: a file, or 1 for no terms")
        model = vllm_config.model_config
        device: torch.device = place if isinstance(place, torch.device) else place.device
        tokenizer = cached_tokenizer_from_config(model)
        vocabulary = Vocabulary.from_tokenizer(tokenizer, rows=model.get_vocab_size())
        models = TermModels.load(settings, device)
        self._settings = settings
        self._steering = Steering(settings, models, vocabulary, longest=model.max_model_len)
        self._moved = MovedSlots()
        self._slots = None if is_pin_memory is not None else TokenSlots(place)

    @classmethod
    def validate_params(cls, sampling_params: SamplingParams) -> None:
        """Refuse steering that cannot be done as asked; called where requests arrive.

        Raises:
            VLLMValidationError: with the reason, which a server sends with status 400.
        """
        try:
            request = read_request(sampling_params, settings_of_environment())
        except OptionError as error:
            raise VLLMValidationError(str(error)) from None
        if request is not None and not is_steering_checked():
            raise VLLMValidationError(
                "steering needs guidance_kit's plugin for vLLM, which is not loaded: see VLLM_PLUGINS"
            )

    def is_argmax_invariant(self) -> bool:
        """False: the most likely token may change (V1)."""
        return False

    def update_state(self, batch_update: BatchUpdate | None) -> None:
        """Follow the requests of a batch (V1)."""
        if batch_update is not None:
            added = [(row, self._opening(params), prompt, out) for row, params, prompt, out in batch_update.added]
            self._moved.update(batch_update.removed, added, batch_update.moved)

    def add_request(self, req_idx: int, sampling_params: SamplingParams) -> bool:
        """Put a request into a slot, and test whether it is steered (V2)."""
        assert self._slots is not None
        return self._slots.add(req_idx, self._opening(sampling_params))

    def apply(self, logits: Tensor, ctx: Any = None) -> Tensor:
        """Steer the rows of a step in place.

        Args:
            logits: float32, (rows, vocabulary), nats; the grammar's mask was applied.
            ctx: V2: the `LogitsContext` of the step.
        """
        rows = self._moved.rows() if self._slots is None else self._slots.rows(ctx)
        if rows:
            self._steering.adjust(logits, rows)
        return logits

    def _opening(self, params: SamplingParams) -> Opening | None:
        """Request of some parameters, checked where it arrived; None if it is not steered."""
        request = read_request(params, self._settings)
        if request is None:
            return None
        ends = params.all_stop_token_ids or self._steering.vocabulary.eos
        mark = row_mark(request, self._settings, params)
        return lambda prompt: SteeredText(request, prompt, ends, mark)
