"""SGLang's grammar backend over `Matcher`.

Written for SGLang 0.5.23, whose interface is `sglang.srt.constrained.base_grammar_backend`.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import torch
from sglang.srt.constrained.base_grammar_backend import (
    BaseGrammarBackend,
    BaseGrammarObject,
    GrammarStats,
    InvalidGrammarObject,
)
from sglang.srt.runtime_context import get_serving
from torch import Tensor

from guidance_kit.errors import GuidanceKitError
from guidance_kit.fsm import bitmask
from guidance_kit.fsm.caches import caches
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.grammars.warm_up import warm_up
from guidance_kit.guides.apply_mask import forbid_rows
from guidance_kit.integrations.vllm.request_grammar import MatcherGrammar, fill_rows
from guidance_kit.integrations.vllm.request_matcher import BackendOptions, Kind, request_matcher
from guidance_kit.models.prefix_matches import common_length
from guidance_kit.vocabulary import Vocabulary

__all__ = ["OPTIONS", "SglangBackend", "SglangGrammar", "make_backend"]

OPTIONS = "GUIDANCE_KIT_SGLANG"
"""Environment variable with a JSON object of `BackendOptions`."""

_ANY_JSON = "$$ANY$$"
"""SGLang's name of a schema that allows all JSON."""


def make_backend(tokenizer: Any, vocab_size: int, eos: Collection[int]) -> BaseGrammarBackend:
    """Make the backend of an engine, in SGLang's wrapper for models that reason if the engine has a reasoning parser.

    SGLang wraps its own backends and no registered one, so this does what its `create_grammar_backend` does.

    Args:
        tokenizer: of transformers.
        vocab_size: width of the logits.
        eos: ends of sequence of the model; none: those of the tokenizer.
    Raises:
        VocabularyError: the tokens of the tokenizer have no texts of their own.
    """
    serving = get_serving()
    options = BackendOptions.model_validate_json(os.environ.get(OPTIONS, "{}"))
    if serving.constrained_json_disable_any_whitespace:
        options = options.model_copy(update={"whitespace": "compact"})
    vocabulary = Vocabulary.from_tokenizer(tokenizer, rows=vocab_size, eos=sorted(eos) or None)
    warm_up(vocabulary, **options.model_dump())
    backend = SglangBackend(vocabulary, options)
    if not serving.reasoning_parser:
        return backend
    from sglang.srt.constrained.reasoner_grammar_backend import ReasonerGrammarBackend
    from sglang.srt.parser.reasoning_parser import ReasoningParser

    parser = ReasoningParser(model_type=serving.reasoning_parser, stream_reasoning=False, tokenizer=tokenizer)
    return ReasonerGrammarBackend(backend, parser, tokenizer, enable_strict_thinking=serving.enable_strict_thinking)


def allocate_masks(vocab_size: int, batch_size: int, device: Any) -> Tensor:
    """Masks that allow everything: int32, (batch_size, words), on the CPU."""
    shape = batch_size, bitmask.words(vocab_size)
    return torch.full(shape, -1, dtype=torch.int32, pin_memory=torch.cuda.is_available())


def move_masks(vocab_mask: Tensor, device: Any) -> Tensor:
    """Masks on the device of the logits."""
    return vocab_mask.to(device, non_blocking=True)


def apply_masks(logits: Tensor, vocab_mask: Tensor) -> None:
    """Set the logits of forbidden tokens to -inf, in place.

    Args:
        logits: float, (batch, rows).
        vocab_mask: int32, (batch, words).
    """
    logits.copy_(forbid_rows(logits, vocab_mask))


class SglangBackend(BaseGrammarBackend):
    """Compile the constraints of requests, in the threads of the base class.

    Args:
        vocabulary: of the model.
        options: of JSON.
    """

    def __init__(self, vocabulary: Vocabulary, options: BackendOptions | None = None) -> None:
        super().__init__()
        self._vocabulary = vocabulary
        self._options = options or BackendOptions()

    @property
    def cache_memory_bytes(self) -> int:
        """Memory of compiled constraints and masks of this process, within the bound of `gk.caches`."""
        return sum(one.bytes for name, one in caches.statistics().items() if name != "grammar files")

    @property
    def is_support_token_filter(self) -> bool:
        """True: reasoning can be held to a budget (`--enable-strict-thinking`)."""
        return True

    def set_cache(self, key: tuple[str, str], value: BaseGrammarObject) -> None:
        """Keep nothing: compiled constraints are in `gk.caches`, which has a bound and the cache of the base none."""

    def reset(self) -> None:
        """Drop compiled constraints and masks; requests that run keep theirs."""
        caches.clear("indexes", "masks")

    def dispatch_json(self, key_string: str) -> BaseGrammarObject:
        """Grammar of a JSON Schema; an `InvalidGrammarObject` says why there is none, and SGLang fails the request."""
        return self._grammar("json", "{}" if key_string == _ANY_JSON else key_string)

    def dispatch_regex(self, key_string: str) -> BaseGrammarObject:
        """Grammar of a pattern."""
        return self._grammar("regex", key_string)

    def dispatch_ebnf(self, key_string: str) -> BaseGrammarObject:
        """Grammar of a grammar, in the notations of `gk.grammar`."""
        return self._grammar("grammar", key_string)

    def dispatch_structural_tag(self, key_string: str) -> BaseGrammarObject:
        """Grammar of a structural tag."""
        return self._grammar("structural_tag", key_string)

    allocate_vocab_mask = staticmethod(allocate_masks)  # without a grammar, while a model reasons
    move_vocab_mask = staticmethod(move_masks)
    apply_vocab_mask = staticmethod(apply_masks)

    def set_token_filter(
        self,
        vocab_mask: Tensor,
        token_ids: Sequence[int],
        batch_idx: int,
        is_allowed: bool = True,
        reset_vocab_mask: bool = True,
    ) -> None:
        """Allow or forbid tokens in a row of a mask; after a reset, these alone are allowed, or all others."""
        row = vocab_mask[batch_idx].numpy()
        if reset_vocab_mask:
            row[:] = 0 if is_allowed else -1
        for token in token_ids:
            bit = np.int32(np.uint32(1 << (token & 31)).view(np.int32))
            row[token >> 5] = row[token >> 5] | bit if is_allowed else row[token >> 5] & ~bit

    def _grammar(self, kind: Kind, source: str) -> BaseGrammarObject:
        try:
            matcher = request_matcher(kind, source, self._options, self._vocabulary)
        except GuidanceKitError as error:
            return InvalidGrammarObject(f"{type(error).__name__}: {error}")
        return SglangGrammar(matcher, kind)


class SglangGrammar(BaseGrammarObject):
    """State of one request.

    Args:
        matcher: at the start of the text.
        kind: field of the request.
    """

    def __init__(self, matcher: Matcher, kind: Kind) -> None:
        super().__init__()
        self.state = MatcherGrammar(matcher)
        self.kind: Kind = kind
        self.grammar_stats = GrammarStats(dispatch_type=kind)

    def accept_token(self, token: int) -> None:
        """Take a token; those after the end of the sequence are ignored.

        Raises:
            ValueError: the constraint forbids it, or the request has failed; SGLang aborts the request.
        """
        self.current_token = token
        if not self.state.accept_tokens("", [token]):
            why = self.state.error or f"the constraint forbids it after {len(self.state.matcher)} tokens"
            raise ValueError(f"token {token} is not accepted: {why}")

    def rollback(self, k: int) -> None:
        """Take back the last tokens that were accepted."""
        self.state.rollback(k)

    def is_terminated(self) -> bool:
        """Test whether the end of the sequence was accepted."""
        return self.state.is_terminated()

    def copy(self) -> SglangGrammar:
        """Grammar of another request in the same state."""
        return SglangGrammar(self.state.matcher.fork(), self.kind)

    allocate_vocab_mask = staticmethod(allocate_masks)
    move_vocab_mask = staticmethod(move_masks)
    apply_vocab_mask = staticmethod(apply_masks)

    def fill_vocab_mask(self, vocab_mask: Tensor, idx: int) -> None:
        """Write the mask of the next token into a row."""
        self.state.fill_bitmask(vocab_mask, idx)

    @staticmethod
    def fill_vocab_mask_batched(entries: Sequence[Any], vocab_mask: Tensor) -> None:
        """Write the masks of several requests at once; the other rows stay."""
        ours = [entry for entry in entries if isinstance(entry.grammar, SglangGrammar)]
        if ours:
            masks = np.empty((len(ours), vocab_mask.shape[1]), np.int32)
            fill_rows([(entry.grammar.state, entry.grammar.state.matcher) for entry in ours], masks)
            vocab_mask[[entry.row for entry in ours]] = torch.from_numpy(masks)
        for entry in entries:
            if not isinstance(entry.grammar, SglangGrammar):  # in the wrapper for reasoning
                entry.grammar.fill_vocab_mask(vocab_mask, entry.row)

    @staticmethod
    def reset_vocab_mask(vocab_mask: Tensor) -> None:
        """Allow everything."""
        vocab_mask.fill_(-1)

    def try_jump_forward(self, tokenizer: Any) -> tuple[list[int], str] | None:
        """Text that must come next, None without one."""
        text = self.state.jump_forward_string()
        return ([], text) if text else None

    def jump_forward_str_state(self, helper: tuple[list[int], str]) -> tuple[str, int]:
        """Text to jump over, and no state."""
        return helper[1], -1

    def jump_and_retokenize(
        self, old_output_ids: Sequence[int], new_output_ids: Sequence[int], next_state: int
    ) -> None:
        """Go on from the tokens of the text after a jump."""
        same = common_length(old_output_ids, new_output_ids)
        self.state.rollback(len(old_output_ids) - same)
        for token in new_output_ids[same:]:
            self.accept_token(token)
