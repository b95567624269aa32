"""Model that a vLLM engine in this process runs, for jobs over many texts: records, labels and steered texts.

    model = EngineModel.load("Qwen/Qwen3-0.6B", max_model_len=4096)
    model.generate(["Dear support, "], gk.regex("[a-z ]+"), temperature=0)

The scheduler of the engine runs in this process too, so that constraints reach it as they are (`named_matchers`).
"""

# pyright: reportMissingImports=false

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any, NoReturn, Self

import numpy as np
from pydantic import ValidationError
from vllm.entrypoints.llm import LLM
from vllm.exceptions import VLLMValidationError
from vllm.sampling_params import MAX_LOGPROB_TOKEN_IDS, SamplingParams, StructuredOutputsParams

from guidance_kit.decoding.batch_results import completions_of
from guidance_kit.decoding.classification import DecisionRule
from guidance_kit.decoding.completion import Completion
from guidance_kit.decoding.generation import check_prompts, room_for, with_token_budgets
from guidance_kit.decoding.label_scores import NextLogprobs, TrieScores, check_label_room
from guidance_kit.decoding.label_trie import LabelTrie, Node
from guidance_kit.decoding.options import Options
from guidance_kit.decoding.row import Row
from guidance_kit.decoding.sampling import Sampling, TemperatureRule, row_seeds
from guidance_kit.errors import BatchError, ModelError, OptionError
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.grammars.argument import ConstraintArgument, constraints_of
from guidance_kit.integrations.vllm.engine_tokens import EngineTokens
from guidance_kit.integrations.vllm.named_matchers import naming
from guidance_kit.integrations.vllm.plugin import KEY, PROCESSOR, STEERING, SWITCH, register
from guidance_kit.integrations.vllm.steering_request import read_settings
from guidance_kit.model_source import located
from guidance_kit.prompt import Prompt, read_prompts
from guidance_kit.tasks.classifying import ClassifyingModel, LabelScorer

__all__ = ["EngineModel"]

_OFFERED = {
    "sampling", "temperature", "top_k", "top_p", "min_p", "seed", "max_tokens", "max_field_tokens", "complete",
}  # fmt: skip
"""Options of `Model.generate` that an engine has."""

_ELSEWHERE = {
    "think": "thoughts before an answer are those of our own loop",
    "sketch": "thoughts before an answer are those of our own loop",
    "guides": "biases and penalties are fields of steering={...}",
    "n": "repeat the prompt with other seeds",
}
"""Arguments of `Model.generate` beside its options, and what there is in their place."""


class EngineModel(ClassifyingModel):
    """Model in a vLLM engine: what a batch job needs of a `Model`, with the same texts, labels and errors.

    Greedy texts are those of `Model.generate`, up to rounding of the logits; drawn ones have the same distribution,
    with draws of vLLM's own. A text ends at a field that exceeds `max_field_tokens` too, but the engine writes it to
    its end before that is seen.

    Args:
        llm: the engine, see `load`.
        is_steered: it was started with `SteeringProcessor`.
    """

    language_model: EngineTokens

    def __init__(self, llm: LLM, *, is_steered: bool = False) -> None:
        super().__init__(EngineTokens(llm.model_config, llm.get_tokenizer()))
        self._llm = llm
        self._is_steered = is_steered

    @classmethod
    def load(
        cls,
        name: str | Path | None = None,
        *,
        dtype: str | None = None,
        trust_remote_code: bool = False,
        steering: Mapping[str, Any] | str | Path | None = None,
        **options: Any,
    ) -> Self:
        """Start an engine; a process can have one with steering, since its settings are in the environment.

        Sets GUIDANCE_KIT_VLLM and VLLM_ENABLE_V1_MULTIPROCESSING in the environment of this process, and
        GUIDANCE_KIT_VLLM_STEERING if there is `steering`.

        Args:
            name: a name on the model hub, a folder, or a bundled model; None for the bundled one.
            dtype: of the weights, see `gk.load`; None for that of the checkpoint.
            steering: the terms and watermarks that texts may use, see `SteeringSettings`: a file of JSON or its
                content; {} for biases and penalties alone. None: no text is steered.
            options: of vLLM's `LLM`, as `max_model_len`, `gpu_memory_utilization`, `enforce_eager`.
        Raises:
            ModelError: there is no such model; the engine does not start, with the reason.
            OptionError: an option that vLLM does not know, or a value that it does not take; settings that cannot be
                read.
        """
        if os.environ.get(SWITCH, "0") in ("", "0"):
            os.environ[SWITCH] = "1"
        os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"
        if steering is not None:
            value = str(steering) if isinstance(steering, str | Path) else json.dumps(steering)
            read_settings(value)
            os.environ[STEERING] = value
            options["logits_processors"] = [*options.get("logits_processors", ()), PROCESSOR]
        register()
        place = located(name)
        given = {"dtype": dtype or "auto", "trust_remote_code": trust_remote_code, **options}
        try:
            with _hidden("llvmlite.binding.ffi"):
                return cls(LLM(place, **given), is_steered=steering is not None)
        except (TypeError, ValidationError) as error:
            raise OptionError(f"vLLM does not take these options: {_first_line(error)}") from error
        except (RuntimeError, ValueError, OSError) as error:
            raise ModelError(f"vLLM does not start with {place!r}: {_first_line(error)}") from error

    def close(self) -> None:
        """End the engine, and free its memory."""
        self._llm.llm_engine.engine_core.shutdown()

    def _with(self, formula: object) -> NoReturn:
        raise OptionError(
            f"{self.language_model.name} runs in vLLM, where a formula is one of terms: load it with steering={{...}}"
        )

    def confidence(self, completion: Completion, given: Any = True, *, batch_size: int = 32) -> NoReturn:
        """Refuse: the probabilities of fields are those of logits.

        Raises:
            OptionError: always.
        """
        raise OptionError("confidence needs the logits of a model, which stay in vLLM; run it in our own loop")

    def generate(
        self,
        prompts: Prompt | Sequence[Prompt],
        constraint: ConstraintArgument | Sequence[ConstraintArgument | None] | None = None,
        *,
        batch_size: int = 32,
        steering: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Completion | list[Completion]:
        """Continue one prompt, or each of several, as `Model.generate` does.

        Args:
            prompts, constraint: as in `Model.generate`.
            batch_size: makes no difference: the engine makes its own batches (`max_num_seqs`).
            steering: weights of terms, biases, penalties, watermark: fields of a `SteeringRequest`.
            options: temperature, top_k, top_p, min_p, seed, max_tokens, max_field_tokens, complete.
        Raises:
            OptionError: an option of `Model.generate` that an engine does not have; steering that it does not have.
            ConstraintError, ContextLengthError, VocabularyError: as `Model.generate`, before the engine runs.
            ModelError: the engine gives up on a text; its log says why.
            BatchError: it gives up on one of several; with the completions of the others.
        """
        chosen = _offered(options)
        several, is_single = read_prompts(prompts)
        tokens = [self._tokens(prompt) for prompt in several]
        check_prompts(self.language_model, tokens)
        guide, evaluators = self._compile(constraints_of(constraint, len(several)), len(several), chosen)
        guide = with_token_budgets(guide, self.language_model, tokens, chosen)
        matchers = [None] * len(several) if guide is None else list(guide.start(tokens))
        seeds = row_seeds(chosen.sampling.seed, len(several))
        rows = [
            Row(
                number,
                number,
                prompt,
                seed=seed,
                room=room_for(self.language_model, prompt, chosen.max_tokens),
                max_field_tokens=chosen.max_field_tokens,
                evaluator=evaluator,
            )
            for number, (prompt, seed, evaluator) in enumerate(zip(tokens, seeds, evaluators, strict=True))
        ]
        with naming(matchers) as names:
            parameters = [
                self._parameters(chosen.sampling, row, name, steering) for row, name in zip(rows, names, strict=True)
            ]
            written = self._run(tokens, parameters)
        completions = completions_of(self._completions(rows, matchers, written), len(rows))
        return completions[0] if is_single else completions

    def _parameters(
        self, sampling: Sampling, row: Row, name: str | None, steering: Mapping[str, Any] | None
    ) -> SamplingParams:
        """Request for one text.

        Raises:
            OptionError: steering of an engine without it.
        """
        if steering is not None and not self._is_steered:
            raise OptionError("this engine was started without steering; load it with steering={}, or with terms")
        return SamplingParams(
            temperature=sampling.temperature,
            top_k=sampling.top_k or 0,
            top_p=1.0 if sampling.top_p is None else sampling.top_p,
            min_p=sampling.min_p or 0.0,
            seed=None if sampling.is_greedy else row.seed,
            max_tokens=row.room,
            stop_token_ids=list(self.vocabulary.eos),
            structured_outputs=None if name is None else StructuredOutputsParams(grammar=name),
            extra_args=None if steering is None else {KEY: dict(steering)},
            detokenize=False,
        )

    def _run(self, prompts: Sequence[Sequence[int]], parameters: Sequence[SamplingParams]) -> list[Any]:
        """First output of each request.

        Raises:
            OptionError: the engine refuses a request.
        """
        inputs: list[Any] = [{"prompt_token_ids": list(prompt)} for prompt in prompts]
        try:
            return [one.outputs[0] for one in self._llm.generate(inputs, list(parameters), use_tqdm=False)]
        except VLLMValidationError as error:
            raise OptionError(f"vLLM refuses the request: {error}") from None

    def _completions(
        self, rows: Sequence[Row], matchers: Sequence[Matcher | None], written: Sequence[Any]
    ) -> Iterator[tuple[int, Completion]]:
        """Numbers of texts and their completions; those that failed raise at the end."""
        failed: dict[int, Exception] = {}
        for row, matcher, output in zip(rows, matchers, written, strict=True):
            self._follow(row, matcher, output.token_ids)
            piece = row.piece(self.vocabulary, has_logprobs=False)
            if piece is None or piece.completion is None:
                failed[row.number] = ModelError(
                    f"vLLM gave up on prompt {row.number} after {row.length} tokens ({output.finish_reason}); its log "
                    "says why"
                )
            else:
                yield row.number, piece.completion
        if failed:
            first = failed[min(failed)]
            raise first if len(rows) == 1 else BatchError(failed, [None] * len(rows))

    def _follow(self, row: Row, matcher: Matcher | None, tokens: Sequence[int]) -> None:
        """Append the tokens of the engine to a row, up to where our own loop ends the text."""
        state = None if matcher is None else matcher.fork()
        row.settle(is_over=state is not None and state.is_over)
        for token in tokens:
            if not row.is_running:
                break
            if state is None:
                row.take(token, self.vocabulary.text_of([token]), is_end=token in self.vocabulary.eos)
            else:
                state.advance(token)
                row.take(token, self.vocabulary.shown(token), is_end=state.is_finished)
            row.settle(is_over=state is not None and state.is_over)
        if row.reason == "complete" and state is not None and state.is_restricted:
            row.reason = "budget"

    def _label_scorer(self, labels: Sequence[str], rule: DecisionRule, batch_size: int) -> LabelScorer:
        """See `ClassifyingModel._label_scorer`. A node of the trie is one request of one token; prefixes are cached."""
        if rule.tokenizations != "usual":
            raise OptionError('tokenizations="all" needs the logits of a model, which stay in vLLM; leave it out')
        trie = LabelTrie([self.language_model.spell(label) for label in labels])
        is_eos = rule.end == "eos"
        ends = self.vocabulary.eos if is_eos else ()
        asked = [
            (number, [*node.children, *(ends if node.label is not None else ())])
            for number, node in enumerate(trie.nodes)
            if node.children or is_eos
        ]

        def score(prompts: Sequence[Prompt], tokens: Sequence[Sequence[int]]) -> np.ndarray:
            check_label_room(self.language_model, tokens, trie.longest + is_eos)
            scores = TrieScores(trie, self.vocabulary, rule.end)
            places = [(row, number, wanted) for row in range(len(tokens)) for number, wanted in asked]
            found = self._next_logprobs(
                [[*tokens[row], *trie.nodes[number].path] for row, number, _ in places],
                [wanted for _, _, wanted in places],
            )
            for (row, number, _), logprobs in zip(places, found, strict=True):
                scores.put(row, number, _after(trie.nodes[number], logprobs, ends))
            return np.array([scores.scores(row) for row in range(len(tokens))]).reshape(len(tokens), trie.count)

        return score

    def _next_logprobs(
        self, prefixes: Sequence[Sequence[int]], wanted: Sequence[Sequence[int]]
    ) -> list[dict[int, float]]:
        """Log-probabilities, in nats, of some next tokens after each prefix."""
        parts = [
            (place, list(tokens[first : first + MAX_LOGPROB_TOKEN_IDS]))
            for place, tokens in enumerate(wanted)
            for first in range(0, len(tokens), MAX_LOGPROB_TOKEN_IDS)
        ]
        parameters = [
            SamplingParams(temperature=0.0, max_tokens=1, logprob_token_ids=tokens, detokenize=False)
            for _, tokens in parts
        ]
        found: list[dict[int, float]] = [{} for _ in prefixes]
        outputs = self._run([prefixes[place] for place, _ in parts], parameters)
        for (place, tokens), output in zip(parts, outputs, strict=True):
            values = output.logprobs[0]
            found[place] |= {token: float(values[token].logprob) for token in tokens}
            if not all(math.isfinite(value) or value == -math.inf for value in found[place].values()):
                raise ModelError("the model returned NaN in vLLM; half precision may overflow, try a wider dtype")
        return found


def _offered(options: Mapping[str, Any]) -> Options:
    """Options of texts, validated.

    Raises:
        OptionError: one that an engine does not have, unless it makes no difference.
    """
    for name, instead in _ELSEWHERE.items():
        if options.get(name) is not None and options[name] != ():
            raise OptionError(f"vLLM does not have the option {name}: {instead}")
    chosen = Options.from_keywords({name: value for name, value in options.items() if name not in _ELSEWHERE})
    for given, plain in ((chosen, Options()), (chosen.sampling, Sampling())):
        for field in fields(given):
            if field.name not in _OFFERED and getattr(given, field.name) != getattr(plain, field.name):
                raise OptionError(f"vLLM does not have the option {field.name}; our own loop does (gk.load)")
    if isinstance(chosen.sampling.temperature, TemperatureRule):
        raise OptionError("vLLM takes a number for temperature; rules are those of our own loop (gk.load)")
    return chosen


def _after(node: Node, logprobs: Mapping[int, float], ends: Sequence[int]) -> NextLogprobs:
    """Log-probabilities after a node, from those of its children and of the ends of sequence."""
    children = {token: logprobs[token] for token in node.children}
    if ends:
        some = [logprobs[token] for token in ends if token in logprobs]
        return NextLogprobs(children, float(np.logaddexp.reduce(some)) if some else -math.inf)
    if node.owner is None:
        return NextLogprobs(children, -math.inf)
    left = -math.expm1(float(np.logaddexp.reduce(list(children.values()))))
    return NextLogprobs(children, math.log(left) if left > 0 else -math.inf)


@contextmanager
def _hidden(name: str) -> Iterator[None]:
    """Hide a module from vLLM, which reads `__dict__` of all that modules have where it runs without Triton.

    llvmlite has an object there that answers to any name, `__dict__` too.
    """
    module = sys.modules.pop(name, None)
    try:
        yield
    finally:
        if module is not None:
            sys.modules[name] = module


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
