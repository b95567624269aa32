"""Mixture of agents: several models propose answers, and one reads the proposals and answers under the constraint."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar, Unpack, cast

from guidance_kit.decoding.completion import Completion
from guidance_kit.decoding.options import GenerateOptions, Options
from guidance_kit.decoding.partial_results import results_of
from guidance_kit.decoding.sampling import require_integer, row_seeds
from guidance_kit.errors import BatchError, GuidanceKitError, OptionError
from guidance_kit.grammars.argument import ConstraintArgument, constraints_of
from guidance_kit.guides.guide import Guide
from guidance_kit.model import Model
from guidance_kit.prompt import Prompt, is_conversation, read_prompts

__all__ = ["MixtureOfAgents", "aggregation_prompt"]

T = TypeVar("T")

PromptWriter = Callable[[Prompt, Sequence[Completion]], Prompt]
"""Function from a prompt and the proposals to it to the prompt of their reader."""

_INSTRUCTION = (
    "Several models have answered the query that follows. Some of their answers may be wrong or biased: weigh them "
    "critically, and give one accurate answer of your own.\n\nAnswers of the models:\n"
)


class MixtureOfAgents:
    """Several models whose proposals one model reads before it answers.

    The proposals may be free texts while the answer keeps a constraint; or they keep one too. A proposal that fails is
    left out, with a warning; a prompt fails if all of its proposals do.

    Args:
        models: the models that propose, at least one. A model may occur twice: each draws with a seed of its own.
        aggregator: the model that answers; it may be one of them.
        constraint: constraint of the proposals, None for free texts.
        n: number of proposals of each model to a prompt, at least 1.
        layers: number of rounds of proposals, at least 1: after the first the models read the proposals of the round
            before, as the aggregator reads the last ones.
        options: options of the proposals, as in `Model.generate`.
        prompt: writer of the prompts with proposals, `aggregation_prompt` by default.
    Raises:
        OptionError: no model, or none at a place; a value out of range; an unknown option.
    Source:
        Wang et al. 2024, Mixture-of-Agents Enhances Large Language Model Capabilities, section 2.2. There every text
        is free.
    """

    def __init__(
        self,
        models: Sequence[Model],
        aggregator: Model,
        *,
        constraint: ConstraintArgument | None = None,
        n: int = 1,
        layers: int = 1,
        options: GenerateOptions | None = None,
        prompt: PromptWriter | None = None,
    ) -> None:
        if not isinstance(models, Sequence) or not models:
            raise OptionError(f"a mixture of agents needs a list of models, at least one, not {models!r}")
        for place, model in enumerate([*models, aggregator]):
            if not isinstance(model, Model):
                name = f"model {place}" if place < len(models) else "the aggregator"
                raise OptionError(f"{name} of the mixture must be a Model, not {model!r}")
        require_integer("n", n, least=1)
        require_integer("layers", layers, least=1)
        if prompt is not None and not callable(prompt):
            raise OptionError(f"prompt must be a function of a prompt and its proposals, not {prompt!r}")
        self.models = tuple(models)
        self.aggregator = aggregator
        self._constraint = constraint
        self._n, self._layers = n, layers
        self._options: Mapping[str, Any] = dict(options or {})
        self._seed = Options.from_keywords(self._options).sampling.seed
        self._write = prompt or aggregation_prompt

    def propose(self, prompts: Prompt | Iterable[Prompt], *, batch_size: int = 32) -> list[list[Completion]]:
        """Proposals of the last round to each prompt, those of the first model first.

        Args:
            prompts: one prompt or several, as in `Model.generate`.
        Raises:
            GuidanceKitError: as `Model.generate`, for the only prompt.
            BatchError: no model has a proposal to one of several prompts; `results` has the proposals to the others.
        """
        several, _ = read_prompts(prompts)
        texts: list[list[Completion]] = [[] for _ in several]
        failed: dict[int, Exception] = {}
        seeds = iter(row_seeds(self._seed, len(self.models) * self._layers))
        for _ in range(self._layers):
            places = [place for place in range(len(several)) if place not in failed]
            asked = [self._asked(several[place], texts[place]) for place in places]
            texts = [[] for _ in several]
            for number, model in enumerate(self.models):
                found, errors = self._proposals(model, asked, batch_size, next(seeds))
                for place, own in zip(places, found, strict=True):
                    texts[place] += own
                for at, error in errors.items():
                    warnings.warn(
                        f"model {number} has no proposal to prompt {places[at]}: {error}", RuntimeWarning, stacklevel=2
                    )
                    if number == len(self.models) - 1 and not texts[places[at]]:
                        failed[places[at]] = error
            if len(failed) == len(several) == 1:
                raise failed[0]
        if failed:
            results = [own or None for own in texts]
            raise BatchError(failed, results) from failed[min(failed)]
        return texts

    def generate(
        self,
        prompts: Prompt | Iterable[Prompt],
        constraint: ConstraintArgument | Iterable[ConstraintArgument] | None = None,
        *,
        guides: Guide[Any] | Iterable[Guide[Any]] = (),
        batch_size: int = 32,
        **options: Unpack[GenerateOptions],
    ) -> Completion | list[Completion]:
        """Answer one prompt, or each of several.

        Args:
            prompts: as in `propose`.
            constraint, guides, options: of the answer, as in `Model.generate`.
        Returns:
            A completion of the aggregator; a list of them for several prompts.
        Raises:
            GuidanceKitError: as `propose` and `Model.generate`.
        """
        several, is_single = read_prompts(prompts)
        Options.from_keywords(cast("Mapping[str, Any]", options))
        constraints = constraints_of(constraint, len(several))
        texts, errors = _results(lambda: self.propose(several, batch_size=batch_size), len(several))
        places = [place for place, own in enumerate(texts) if own]
        asked = [self._asked(several[place], texts[place] or []) for place in places]
        left = [constraints[place] for place in places] if isinstance(constraints, list) else constraints
        answers, further = _results(
            lambda: self.aggregator.generate(asked, left, guides=guides, batch_size=batch_size, **options), len(asked)
        )
        errors |= {places[at]: error for at, error in further.items()}
        if errors and len(several) == 1:
            raise errors[0]
        if errors:
            found = dict(zip(places, answers, strict=True))
            raise BatchError(errors, [found.get(place) for place in range(len(several))]) from errors[min(errors)]
        whole = cast("list[Completion]", list(answers))
        return whole[0] if is_single else whole

    def _asked(self, prompt: Prompt, proposals: Sequence[Completion]) -> Prompt:
        """Prompt with its proposals; the prompt itself without any."""
        return self._write(prompt, proposals) if proposals else prompt

    def _proposals(
        self, model: Model, prompts: list[Prompt], batch_size: int, seed: int
    ) -> tuple[list[list[Completion]], dict[int, Exception]]:
        """Proposals of one model to each prompt, and the errors of the prompts to which it has none."""
        options = {**self._options, "seed": seed}
        found, errors = _results(
            lambda: model.generate(prompts, self._constraint, n=self._n, batch_size=batch_size, **options), len(prompts)
        )
        texts = [[one for one in own or () if one is not None] for own in found]
        return texts, {place: error for place, error in errors.items() if not texts[place]}


def _results(call: Callable[[], Sequence[T]], count: int) -> tuple[Sequence[T | None], dict[int, Exception]]:
    """Results of a call for `count` prompts, and the errors of those that failed; a single prompt has no batch."""
    try:
        return results_of(call)
    except GuidanceKitError as error:
        if count != 1:
            raise  # an error of the call: those of texts come in a BatchError
        return [None], {0: error}


def aggregation_prompt(prompt: Prompt, proposals: Sequence[Completion]) -> Prompt:
    """Prompt with proposals before the query, for models that follow instructions.

    Args:
        prompt: a text; or a conversation, in which the proposals join the system message.
        proposals: texts that were proposed.
    Raises:
        OptionError: the prompt is token ids, around which no text can be written.

    >>> aggregation_prompt("Where is Rome?", [])[-14:]
    'Where is Rome?'
    """
    listed = "\n".join(f"{number}. {one.text.strip()}" for number, one in enumerate(proposals, 1))
    if isinstance(prompt, str):
        return f"{_INSTRUCTION}{listed}\n\n{prompt}"
    if not is_conversation(prompt):
        raise OptionError("proposals to a prompt of token ids need a `prompt` function that writes them into it")
    first, *rest = prompt
    if first["role"] != "system" or not isinstance(first.get("content"), str):
        return [{"role": "system", "content": f"{_INSTRUCTION}{listed}"}, *prompt]
    return [{**first, "content": f"{first['content']}\n\n{_INSTRUCTION}{listed}"}, *rest]
