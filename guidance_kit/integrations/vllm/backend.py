"""vLLM's structured-output backend over `Matcher`.

Written for vLLM 0.32, whose interface is `vllm.v1.structured_output.backend_types`.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

import sys
from collections.abc import Collection
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor
from vllm.v1.structured_output.backend_types import (
    StructuredOutputBackend,
    StructuredOutputGrammar,
    StructuredOutputOptions,
)

from guidance_kit.fsm import bitmask
from guidance_kit.grammars.warm_up import warm_up
from guidance_kit.integrations.vllm.masks_ahead import MasksAhead
from guidance_kit.integrations.vllm.named_matchers import named_matcher
from guidance_kit.integrations.vllm.request_grammar import MatcherGrammar
from guidance_kit.integrations.vllm.request_matcher import Kind, engine_options, request_matcher
from guidance_kit.vocabulary import Vocabulary

__all__ = ["MatcherBackend"]

_SWITCH_INTERVAL = 0.0005
"""Seconds after which a thread that compiles gives way to the one that runs the engine's steps, at most."""

StructuredOutputGrammar.register(MatcherGrammar)


@dataclass
class MatcherBackend(StructuredOutputBackend):
    """Compile the constraints of an engine's requests, in the threads of its `StructuredOutputManager`."""

    def __post_init__(self) -> None:
        self.options = engine_options(self.vllm_config.structured_outputs_config)
        self.vocabulary = Vocabulary.from_tokenizer(self.tokenizer, rows=self.vocab_size)
        self._switch_interval = sys.getswitchinterval()
        sys.setswitchinterval(min(self._switch_interval, _SWITCH_INTERVAL))
        self._ahead = MasksAhead(lambda text: self.tokenizer.encode(text, add_special_tokens=False))
        warm_up(self.vocabulary, **self.options.model_dump())

    def compile_grammar(
        self,
        request_type: StructuredOutputOptions,
        grammar_spec: str,
        stop_token_ids: Collection[int] | None = None,
    ) -> MatcherGrammar:
        """Compile a constraint, and its first mask. Those along a likely instance of a schema follow in a thread.

        Args:
            request_type: the field of the request.
            grammar_spec: its text.
            stop_token_ids: ends of sequence of the request; None or none: those of the tokenizer.
        Raises:
            GuidanceKitError: the constraint cannot be used; vLLM fails this request alone.
        """
        named = named_matcher(grammar_spec)
        if named is not None:
            return MatcherGrammar(named)
        kind = cast(Kind, request_type.name.lower())
        matcher = request_matcher(kind, grammar_spec, self.options, self.vocabulary, stop_token_ids or ())
        if kind == "json":
            self._ahead.follow(matcher, grammar_spec, is_compact=self.options.whitespace == "compact")
        return MatcherGrammar(matcher)

    def allocate_token_bitmask(self, max_num_seqs: int) -> Tensor:
        """Masks that allow everything: int32, (max_num_seqs, words), on the CPU."""
        return torch.full((max_num_seqs, bitmask.words(self.vocab_size)), -1, dtype=torch.int32)

    def destroy(self) -> None:
        """Let threads switch as seldom as before, and end the one of `MasksAhead`."""
        self._ahead.close()
        sys.setswitchinterval(self._switch_interval)
