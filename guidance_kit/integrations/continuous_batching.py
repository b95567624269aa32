"""Guides, formulas and constraints in continuous batching of transformers. Experimental: its interface may change.

`generate_batch` calls no logits processor with the tokens of a text, so a processor of `generate` has no effect there.
Its own kind of processor sees the requests of a step on the host before the model runs; this is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import torch
from torch import Tensor
from transformers import ContinuousBatchingConfig, ContinuousBatchingManager, GenerationConfig, PreTrainedModel
from transformers.generation.continuous_batching.cb_logits_processors import ContinuousBatchingLogitsProcessor

from guidance_kit.decoding.padding_rows import padding_rows
from guidance_kit.decoding.sampling import require_integer
from guidance_kit.errors import ConstraintError, MatchError, ModelError, OptionError
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.grammars.argument import ConstraintArgument, constraints_of
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.region import require_no_regions
from guidance_kit.guides.constraint import ConstraintGuide
from guidance_kit.guides.guide import Guide, Stage, in_order
from guidance_kit.integrations.prefix_states import PrefixStates, RowStates
from guidance_kit.model import Model
from guidance_kit.models.source_encoder import is_encoder_decoder
from guidance_kit.models.transformers_model import TransformersModel
from guidance_kit.prompt import Prompt, read_prompts
from guidance_kit.steering.ensemble import Ensemble

__all__ = ["RequestGuide", "guided_batch", "guided_manager"]


class RequestGuide(ContinuousBatchingLogitsProcessor):
    """Processor of continuous batching that steers all requests, and holds each one to its own constraint.

    States are a function of a request and its tokens, see `PrefixStates`: so requests may be preempted, taken up again
    and forked (`num_return_sequences`).

    Args:
        formula: a `Model`, whose base is the model that runs.
        guides: guides of all texts.
    Raises:
        OptionError: a watermark guide, which must run after truncation.
    """

    supported_kwargs = {"constraint": Constraint}  # noqa: RUF012, as transformers declares it
    ignored_kwargs = ()

    def __init__(self, formula: Model, guides: Guide[Any] | Iterable[Guide[Any]] = ()) -> None:
        self._guides = in_order(guides)
        if any(guide.stage > Stage.MASK for guide in self._guides):
            raise OptionError("a watermark comes after truncation, a logits processor before it; use `Model.generate`")
        self._vocabulary = formula.vocabulary
        is_single = formula.formula.source is formula.language_model
        self._ensemble = None if is_single else Ensemble(formula.formula)
        self._padding = padding_rows(self._vocabulary)
        self._states = PrefixStates(self._guides)
        self._requests: dict[str, Any] = {}
        self._prefixes: list[tuple[list[int], list[int]]] = []
        self._constrained: list[int] = []
        self._rows = RowStates([], (), [])

    def fill_defaults(self, int32_tensor: Tensor) -> None:
        """Nothing travels in the tensor of arguments: rows are known on the host."""
        int32_tensor.zero_()

    def prepare_tensor_args(self, requests_with_new_token: Sequence[Any]) -> Tensor:
        """Take up the requests of a step: their tokens so far.

        Raises:
            MatchError: a request has a token that its constraint forbids.
            OptionError: a constraint with regions.
        """
        for name in [name for name, state in self._requests.items() if state.status.name == "FINISHED"]:
            self._states.close(name)
            del self._requests[name]
        self._prefixes, keys, self._constrained = [], list[str](), []
        for row, request in enumerate(requests_with_new_token):
            state = request.state
            end = state._true_initial_tokens or len(state.initial_tokens)  # a preempted text comes back as a prompt
            prompt, text = state.initial_tokens[:end], [*state.initial_tokens[end:], *state.generated_tokens]
            constraint = state.logit_processor_kwargs.get("constraint")
            if state.request_id not in self._requests:
                self._states.open(state.request_id, prompt, self._matcher(constraint))
            self._requests[state.request_id] = state
            self._prefixes.append((prompt, text))
            keys.append(state.request_id)
            if constraint is not None:
                self._constrained.append(row)
        texts = [text for _, text in self._prefixes]
        self._rows = self._states.at(list(zip(keys, texts, strict=True)))
        if self._rows.forbidden:
            raise MatchError(
                f"request {keys[self._rows.forbidden[0]]} went on with a token that its constraint forbids"
            )
        return torch.zeros(len(keys), dtype=torch.int32)

    def _matcher(self, constraint: Constraint | None) -> Matcher | None:
        if constraint is None:
            return None
        require_no_regions(constraint)
        return Matcher(constraint.compile(self._vocabulary))

    @torch.inference_mode()
    def __call__(self, scores: Tensor, tensor_arg: Tensor) -> Tensor:
        """Guided scores of the rows that get a token: float, (rows, vocabulary), nats.

        Raises:
            ConstraintError: the guides forbid all that a constraint allows.
            FormulaError, ContextLengthError: as the formula.
        """
        count = len(self._prefixes)
        if not count:
            return scores  # parts of prompts alone
        guided = scores[:count].float()
        if self._ensemble is not None:
            guided = self._composed(self._ensemble, guided)
        for guide, state in zip(self._guides, self._rows.guides, strict=True):
            guided = guide.adjust(guided, state)
        guided = self._masked(guided)
        if not bool((guided.amax(-1) > -torch.inf).all()):
            raise ConstraintError("no token is left: the guides, or the formula, forbid all that a constraint allows")
        return torch.cat([guided.to(scores.dtype), scores[count:]])

    def _composed(self, ensemble: Ensemble, scores: Tensor) -> Tensor:
        """Log-probabilities of the formula, from the scores of its base."""

        def allowed(device: torch.device) -> Tensor:
            return (self._masked(torch.zeros(len(scores), ensemble.rows, device=device)) == 0)[:, None]

        logits = ensemble.logits(
            [[*prompt, *text] for prompt, text in self._prefixes],
            starts=[len(prompt) for prompt, _ in self._prefixes],
            allowed=allowed,
            known={ensemble.formula.base: scores[:, None]},
        )
        return logits[:, -1].float().log_softmax(-1).to(scores.device)

    def _masked(self, logits: Tensor) -> Tensor:
        """Logits with -inf for padding, and for tokens that the constraint of a row forbids."""
        masked = logits.index_fill(-1, self._padding.to(logits.device), -torch.inf)
        if self._constrained:
            matchers = self._rows.matchers
            guide = ConstraintGuide(list(matchers))
            masked[self._constrained] = guide.adjust(masked[self._constrained], matchers)
        return masked


@contextmanager
def guided_manager(
    formula: Model,
    *,
    guides: Guide[Any] | Iterable[Guide[Any]] = (),
    generation_config: GenerationConfig | None = None,
    continuous_batching_config: ContinuousBatchingConfig | None = None,
) -> Iterator[ContinuousBatchingManager]:
    """Manager of continuous batching for a model, or for a formula over it. Experimental.

        with guided_manager(model, generation_config=settings) as manager:
            manager.add_request(model.language_model.encode("Is it late? "), constraint=gk.choice(["yes", "no"]))
            manager.get_result(timeout=60).generated_tokens

    Each request may have a `constraint`; temperature and truncation of the generation configuration act after it. The
    manager starts and ends with the context. Steps wait for the tokens of the step before, since masks depend on them:
    batching is not asynchronous, and no CUDA graph is captured.

    Args:
        formula: a model of transformers, or a formula whose base is one.
        guides: guides of all texts.
        generation_config, continuous_batching_config: as of `init_continuous_batching` of transformers.
    Raises:
        OptionError: the base is no model of transformers, has an encoder, or is another term of the formula too, whose
            attention is not paged; a configuration with asynchronous batching or CUDA graphs; a watermark guide.
    """
    plain = _plain(formula)
    settings = continuous_batching_config or ContinuousBatchingConfig()
    if settings.use_async_batching or settings.use_cuda_graph:
        raise OptionError("masks depend on the last token: set use_async_batching=False and use_cuda_graph=False")
    settings.use_async_batching = settings.use_cuda_graph = False
    settings.per_request_processors = True
    made: Any = plain
    manager: ContinuousBatchingManager = made.init_continuous_batching(
        generation_config=generation_config, continuous_batching_config=settings
    )
    processors = manager.logit_processor
    processors.logits_processor.insert(0, cast(Any, RequestGuide(formula, guides)))
    processors.tensors_required += 1
    processors.do_processing = True
    processors._retrieve_processors_kwargs()
    manager.start()
    try:
        yield manager
    finally:
        manager.stop(block=True)
        manager.destroy()


def guided_batch(
    formula: Model,
    prompts: Prompt | Iterable[Prompt],
    constraint: ConstraintArgument | Iterable[ConstraintArgument] | None = None,
    *,
    guides: Guide[Any] | Iterable[Guide[Any]] = (),
    max_new_tokens: int,
    generation_config: GenerationConfig | None = None,
    continuous_batching_config: ContinuousBatchingConfig | None = None,
    timeout: float = 600.0,
) -> list[list[int]]:
    """Texts of many prompts by continuous batching of transformers, in place of its `generate_batch`. Experimental.

    Args:
        formula, guides, generation_config, continuous_batching_config: as in `guided_manager`.
        prompts: texts, token ids or conversations, or one of them.
        constraint: constraint of the texts: one for all prompts, or one for each.
        max_new_tokens: greatest number of tokens of a text, at least 1.
        timeout: seconds to wait for the next text.
    Returns:
        Token ids of each text, with the end of the sequence.
    Raises:
        ModelError: the manager ended before all texts, or a request failed; with its error.
        OptionError: an invalid prompt; an option out of range; a constraint with regions.
        As `guided_manager`.
    """
    require_integer("max_new_tokens", max_new_tokens, least=1)
    read, _ = read_prompts(prompts)
    held = constraints_of(constraint, len(read))
    several = held if isinstance(held, list) else [held] * len(read)
    for one in several:
        if one is not None:
            require_no_regions(one)
    extras: list[dict[str, Any]] = [{} if one is None else {"constraint": one} for one in several]
    if not read:
        return []
    finished: dict[str, list[int]] = {}
    with guided_manager(
        formula,
        guides=guides,
        generation_config=generation_config,
        continuous_batching_config=continuous_batching_config,
    ) as manager:
        names = [
            manager.add_request(formula.distribution_after(prompt)[1], max_new_tokens=max_new_tokens, **extra)
            for prompt, extra in zip(read, extras, strict=True)
        ]
        while len(finished) < len(names):
            result = manager.get_result(timeout=timeout)
            if result is None or result.error is not None:
                raise ModelError(f"continuous batching ended: {'no more results' if result is None else result.error}")
            if result.is_finished():
                finished[result.request_id] = list(result.generated_tokens)
    return [finished[cast(str, name)] for name in names]


def _plain(formula: Model) -> PreTrainedModel:
    """Model of transformers that runs: the base of the formula.

    Raises:
        OptionError: see `guided_manager`.
    """
    base = formula.language_model
    if not isinstance(base, TransformersModel) or base.adapter is not None:
        raise OptionError(f"continuous batching is for models of transformers without an adapter, not for {base.name}")
    if is_encoder_decoder(base.model):
        raise OptionError(f"continuous batching of transformers is for causal models, and {base.name} has an encoder")
    first = formula.formula.base
    others = [term for term in formula.formula.model_terms if term is not first]
    if first.context is not None or any(getattr(term.source, "model", None) is base.model for term in others):
        raise OptionError(
            f"the base of {formula.formula} runs with paged attention, so it cannot be a term with another prompt or "
            "adapter too; load it a second time for that term"
        )
    return base.model
