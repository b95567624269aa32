"""Validation of structured outputs and steering in vLLM's front end."""

# pyright: reportMissingImports=false

from __future__ import annotations

from functools import lru_cache
from typing import Any, cast

from vllm.exceptions import VLLMValidationError
from vllm.v1.structured_output.request import get_structured_output_key

from guidance_kit.errors import OptionError, VocabularyError
from guidance_kit.integrations.vllm.checker import ConstraintChecker
from guidance_kit.integrations.vllm.named_matchers import named_matcher
from guidance_kit.integrations.vllm.plugin import PROCESSOR
from guidance_kit.integrations.vllm.request_matcher import Kind, engine_options
from guidance_kit.integrations.vllm.steering_request import read_request, settings_of_environment
from guidance_kit.vocabulary import Vocabulary

__all__ = ["validate", "validate_steering"]

_REFUSED = ("whitespace_pattern", "disable_any_whitespace", "disable_additional_properties")
"""Options of a request that vLLM's backends read, if at all, from the options of the engine."""


def validate(sampling_params: Any, model_config: Any, structured_outputs_config: Any, tokenizer: Any) -> None:
    """Refuse what is asked for if it cannot be enforced exactly.

    Args:
        sampling_params: of the request, with structured outputs.
        model_config, structured_outputs_config, tokenizer: of the engine.
    Raises:
        VLLMValidationError: with the reason, which a server sends with status 400.
    """
    asked = sampling_params.structured_outputs
    if model_config.is_diffusion:
        raise VLLMValidationError("structured outputs need a model that writes from left to right")
    if tokenizer is None:
        raise VLLMValidationError("structured outputs need a tokenizer, and the engine has none (skip_tokenizer_init)")
    if asked.json_object is False:
        raise VLLMValidationError("json_object=False asks for nothing; leave it out")
    for name in _REFUSED:
        if getattr(asked, name):
            raise VLLMValidationError(
                f"with guidance_kit's backend {name} is an option of the engine, not of a request"
            )
    try:
        kind, source = get_structured_output_key(asked)
        source.encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise VLLMValidationError(f"the structured outputs cannot be read: {error}") from None
    if named_matcher(source) is not None:  # compiled in this process
        asked._backend = "guidance_kit"
        return
    options = engine_options(structured_outputs_config)
    checker = _checker(tokenizer, model_config.get_vocab_size())
    refusal = checker.refusal(cast(Kind, kind.name.lower()), source, options, sampling_params.all_stop_token_ids)
    if refusal is not None:
        raise VLLMValidationError(refusal)
    asked._backend = "guidance_kit"


def validate_steering(sampling_params: Any, model_config: Any) -> None:
    """Refuse steering that this engine cannot do; `SteeringProcessor.validate_params` refuses what no engine can.

    Args:
        sampling_params: of the request.
        model_config: of the engine.
    Raises:
        VLLMValidationError: with the reason, which a server sends with status 400.
    """
    names = [
        one if isinstance(one, str) else f"{one.__module__}:{one.__name__}"
        for one in model_config.logits_processors or ()
    ]
    if PROCESSOR not in names:
        raise VLLMValidationError(f"the server was started without --logits-processors {PROCESSOR}, which steers")
    try:
        request = read_request(sampling_params, settings_of_environment())
    except OptionError as error:
        raise VLLMValidationError(str(error)) from None
    rows = model_config.get_vocab_size()
    if request is not None and request.greatest_token >= rows:
        raise VLLMValidationError(f"a bias for token {request.greatest_token}, but the model has {rows} rows")


@lru_cache(maxsize=2)
def _checker(tokenizer: Any, rows: int) -> ConstraintChecker:
    try:
        return ConstraintChecker(Vocabulary.from_tokenizer(tokenizer, rows=rows))
    except VocabularyError as error:
        raise VLLMValidationError(f"no constraint can be used with this tokenizer: {error}") from None
