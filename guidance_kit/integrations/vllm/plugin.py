"""Plugin of vLLM that puts `MatcherBackend` in the place of its structured-output backends, and checks steering.

vLLM has no registry of such backends (https://github.com/vllm-project/vllm/issues/50966), so four places are
replaced in each of its processes: the manager's `__init__`, which makes the backend, its `grammar_bitmask`, which fills
the masks of a batch one by one, and in the front end the validation of requests, and of structural tags by XGrammar.
For steering, vLLM's check of logit biases is followed by one of ours, which needs to know the model too.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from typing import Any

__all__ = ["KEY", "PROCESSOR", "STEERING", "VERSIONS", "is_steering_checked", "register"]

SWITCH = "GUIDANCE_KIT_VLLM"
"""Environment variable that turns the backend on; see `request_matcher`, which most processes of vLLM never import."""

STEERING = "GUIDANCE_KIT_VLLM_STEERING"
"""Environment variable of `SteeringSettings`: a file of JSON, the JSON itself, or "1" for no terms."""

KEY = "guidance_kit"
"""Key of a `SteeringRequest` in `extra_args` of a request, which is `vllm_xargs` over HTTP."""

PROCESSOR = "guidance_kit.integrations.vllm.steering:SteeringProcessor"
"""Name of the logits processor that steers."""

VERSIONS = ((0, 32),)
"""Versions of vLLM that this was written for, and run with."""


def register() -> None:
    """Install the backend, and the check of steering, if the environment asks for them. May be called again.

    Raises:
        RuntimeError: this vLLM is not one of VERSIONS, or differs from them at a place that is wrapped.
    """
    if _is_set(SWITCH):
        _install_backend()
    if (_is_set(SWITCH) or _is_set(STEERING)) and not is_steering_checked():  # also where requests cannot be steered
        from vllm.sampling_params import SamplingParams

        _check_version()
        _require(SamplingParams._validate_logit_bias, "self", "model_config")
        SamplingParams._validate_logit_bias = _checking_steering(SamplingParams._validate_logit_bias)


def is_steering_checked() -> bool:
    """Test whether requests for steering are checked in this process."""
    from vllm.sampling_params import SamplingParams

    return getattr(SamplingParams._validate_logit_bias, "checks_steering", False)


def _is_set(variable: str) -> bool:
    return os.environ.get(variable, "0") not in ("", "0")


def _install_backend() -> None:
    """Replace the places of vLLM that make, use and check constraints."""
    from vllm.sampling_params import SamplingParams
    from vllm.v1.structured_output import StructuredOutputManager as Manager
    from vllm.v1.structured_output import backend_xgrammar

    if Manager.grammar_bitmask is _grammar_bitmask:
        return
    _check_version()
    init, fill, validate = Manager.__init__, Manager.grammar_bitmask, SamplingParams._validate_structured_outputs
    _require(init, "self", "vllm_config")
    _require(fill, "self", "requests", "structured_output_request_ids", "scheduled_spec_decode_tokens")
    _require(Manager._get_constraint_bounds, "self", "request", "spec_tokens", "spec_tokens_committed")
    _require(validate, "self", "model_config", "structured_outputs_config", "tokenizer")
    _require(backend_xgrammar.validate_xgrammar_grammar, "sampling_params")
    Manager.__init__ = _making_the_backend(init)
    Manager.grammar_bitmask = _grammar_bitmask
    SamplingParams._validate_structured_outputs = _validate
    backend_xgrammar.validate_xgrammar_grammar = _leave_to_validate


def _check_version() -> None:
    from vllm import __version__ as found  # pyright: ignore[reportAttributeAccessIssue]

    if tuple(map(int, found.split("+")[0].split(".")[:2])) not in VERSIONS:
        known = ", ".join(".".join(map(str, each)) for each in VERSIONS)
        raise RuntimeError(
            f"guidance_kit's backend and steering are written for vLLM {known}, and this is {found}; use that, or "
            f"unset {SWITCH} and {STEERING}"
        )


def _require(function: Callable[..., Any], *names: str) -> None:
    """Raise the error of a function that has other parameters."""
    found = tuple(inspect.signature(function).parameters)
    if found != names:
        raise RuntimeError(
            f"vLLM's {function.__qualname__} takes ({', '.join(found)}), where guidance_kit expects "
            f"({', '.join(names)}); unset {SWITCH} and {STEERING}, or use a version that it is written for"
        )


def _making_the_backend(init: Callable[..., None]) -> Callable[..., None]:
    """`StructuredOutputManager.__init__`, after which the backend is there, and its kernels are loaded."""

    @functools.wraps(init)
    def making(self: Any, vllm_config: Any) -> None:
        init(self, vllm_config)
        if vllm_config.model_config.skip_tokenizer_init:
            return
        from guidance_kit.integrations.vllm.backend import MatcherBackend

        self.backend = MatcherBackend(vllm_config, self.tokenizer, vllm_config.model_config.get_vocab_size())

    return making


def _grammar_bitmask(
    self: Any,
    requests: dict[str, Any],
    structured_output_request_ids: list[str],
    scheduled_spec_decode_tokens: dict[str, list[int]],
) -> Any:
    """`StructuredOutputManager.grammar_bitmask`, with all masks of a step in one call; see `draft_rows`."""
    from vllm.v1.structured_output.utils import strip_speculative_padding

    from guidance_kit.integrations.vllm.request_grammar import MaskRow, draft_rows, fill_rows

    if not structured_output_request_ids:
        return None
    if self._grammar_bitmask is None:
        most = self.vllm_config.scheduler_config.max_num_seqs * (1 + self.vllm_config.num_speculative_tokens)
        self._grammar_bitmask = self.backend.allocate_token_bitmask(most)
    rows: list[MaskRow] = []
    for name in structured_output_request_ids:
        drafted = scheduled_spec_decode_tokens.get(name, [])
        bounds = self._get_constraint_bounds(requests[name], strip_speculative_padding(drafted))
        rows += draft_rows(
            requests[name].structured_output_request.grammar,
            drafted,
            grammar_start=bounds.grammar_start,
            constraint_start=bounds.constraint_start,
            has_bonus=not (drafted and self.vllm_config.model_config.is_diffusion),
        )
    masks = self._grammar_bitmask.numpy()[: len(rows)]
    fill_rows(rows, masks)
    return masks


def _validate(self: Any, model_config: Any, structured_outputs_config: Any, tokenizer: Any) -> None:
    """`SamplingParams._validate_structured_outputs`: refuse what we cannot enforce, with HTTP status 400."""
    if structured_outputs_config is None or self.structured_outputs is None:
        return
    from guidance_kit.integrations.vllm.validation import validate

    validate(self, model_config, structured_outputs_config, tokenizer)


def _leave_to_validate(sampling_params: Any) -> None:
    """`validate_xgrammar_grammar`, which the server calls for structural tags before `_validate` gets the request."""


def _checking_steering(validate: Callable[..., None]) -> Callable[..., None]:
    """`SamplingParams._validate_logit_bias`, and what steering needs to know of the model."""

    @functools.wraps(validate)
    def checking(self: Any, model_config: Any) -> None:
        validate(self, model_config)
        if not self.extra_args or KEY not in self.extra_args:
            return
        from guidance_kit.integrations.vllm.validation import validate_steering

        validate_steering(self, model_config)

    vars(checking)["checks_steering"] = True
    return checking
