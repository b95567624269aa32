"""Integration with llama-cpp-python: a logits processor for its `Llama`."""

# pyright: reportMissingImports=false

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import torch
from llama_cpp import Llama, LogitsProcessorList, StoppingCriteriaList

from guidance_kit.decoding.padding_rows import padding_rows
from guidance_kit.errors import ConstraintError, MatchError, ModelError, OptionError
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.grammars.argument import ConstraintArgument, constraint_of
from guidance_kit.grammars.region import require_no_regions
from guidance_kit.guides.constraint import ConstraintGuide
from guidance_kit.guides.guide import Guide, Stage, in_order
from guidance_kit.integrations.prefix_states import PrefixStates
from guidance_kit.models.gguf.gguf_vocabulary import gguf_vocabulary
from guidance_kit.vocabulary import Vocabulary

__all__ = ["LlamaProcessor", "vocabulary_of"]


class LlamaProcessor:
    """Steer one completion of llama-cpp-python by guides, and hold it to a constraint.

        llama = Llama("model.gguf")
        processor = LlamaProcessor(llama, constraint=gk.json_schema(Ticket))
        llama.create_completion(prompt, max_tokens=200, **processor.arguments)

    Guides act in the order of their stages, then the constraint; penalties, temperature and truncation of llama.cpp
    come after them. A text that satisfies the constraint and cannot continue is ended by an end-of-sequence token; one
    that is cut by `max_tokens` may not satisfy it.

    llama.cpp calls processors from C, where an exception would be lost and the text would go on without a mask. So
    after an error the text is ended, and the error is raised by the stopping criterion of `arguments`, or, where there
    is none (`create_chat_completion`), by `check`.

    Args:
        llama: the model. One with a draft model shows its processors tokens that it has not verified, and is refused.
        vocabulary: that of the model, from `vocabulary_of`; read from it by default, which takes a second for large
            vocabularies.
        constraint: of the text.
        guides: further guides.
    Raises:
        OptionError: a model with a draft model; a watermark guide, which must run after truncation; a constraint with
            regions.
        ConstraintError: a constraint that cannot be used with this vocabulary.
        VocabularyError: the tokens of the model have no texts of their own.
    """

    def __init__(
        self,
        llama: Llama,
        vocabulary: Vocabulary | None = None,
        *,
        constraint: ConstraintArgument | None = None,
        guides: Guide[Any] | Iterable[Guide[Any]] = (),
    ) -> None:
        if llama.draft_model is not None:
            raise OptionError("a Llama with draft_model shows processors unverified tokens; make it without")
        self._guides = in_order(guides)
        if any(guide.stage > Stage.MASK for guide in self._guides):
            raise OptionError("a watermark comes after truncation, a logits processor before it; use `gk.load(path)`")
        held = None if constraint is None else constraint_of(constraint)
        if held is not None:
            require_no_regions(held)
        vocabulary = vocabulary_of(llama) if vocabulary is None else vocabulary
        self._eos = vocabulary.eos
        self._padding = padding_rows(vocabulary)
        self._states = PrefixStates(self._guides, capacity=1)
        self._matcher = None if held is None else Matcher(held.compile(vocabulary))
        self._mask = None if self._matcher is None else ConstraintGuide(self._matcher)
        self._prompt: list[int] | None = None
        self._error: Exception | None = None

    @property
    def arguments(self) -> dict[str, Any]:
        """Arguments of `Llama.create_completion`: this processor, and a stopping criterion that raises its errors."""

        def stop(input_ids: np.ndarray[Any, Any], scores: np.ndarray[Any, Any]) -> bool:
            self.check()
            return False

        return {
            "logits_processor": LogitsProcessorList([self]),
            "stopping_criteria": StoppingCriteriaList([stop]),
        }

    def check(self) -> None:
        """Raise the error that ended the text, if there was one.

        Raises:
            ModelError: tokens that do not begin with the prompt of the first call.
            MatchError: a generated token that the constraint forbids.
            ConstraintError: the guides forbid all that the constraint allows.
        """
        if self._error is not None:
            raise self._error

    def __call__(self, input_ids: np.ndarray[Any, Any], scores: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Guided scores; after an error the end of the sequence alone, see `check`.

        Args:
            input_ids: int32, (length,): the prompt with the generated tokens; on the first call the prompt alone.
            scores: float32, (vocabulary,), nats.
        Returns:
            Float32, (vocabulary,).
        """
        try:
            return self._guided(input_ids.tolist(), scores)
        except Exception as error:  # of any kind: C would pass over it
            self._error = error
            end = np.full_like(scores, -np.inf)
            end[list(self._eos)] = 0.0
            return end

    @torch.inference_mode()
    def _guided(self, tokens: list[int], scores: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        if self._prompt is None:
            self._prompt = tokens
            self._states.open(0, tokens, self._matcher)
        size = len(self._prompt)
        if tokens[:size] != self._prompt:
            raise ModelError("a processor is for one completion, and this is another prompt; make a new one")
        states = self._states.at([(0, tokens[size:])])
        if states.forbidden:
            raise MatchError(
                "the text went on with a token that the constraint forbids: another processor undid the mask"
            )
        guided = torch.from_numpy(np.ascontiguousarray(scores))[None]
        for guide, state in zip(self._guides, states.guides, strict=True):
            guided = guide.adjust(guided, state)
        if self._mask is None:
            guided = guided.index_fill(-1, self._padding, -torch.inf)
        else:
            guided = self._mask.adjust(guided, states.matchers)
        if not bool((guided > -torch.inf).any()):
            raise ConstraintError(
                f"no token is left after {len(tokens) - size} tokens: the guides forbid all that the constraint allows"
            )
        return guided[0].numpy()


def vocabulary_of(llama: Llama) -> Vocabulary:
    """Vocabulary of a model of llama-cpp-python, from the tokenizer in its file.

    Raises:
        VocabularyError: the tokens have no texts of their own.
    """
    return gguf_vocabulary(llama.model, name=llama.model_path)
