"""Model of the LM Evaluation Harness over `Model`: any formula, under guides and constraints.

The interface is `lm_eval.api.model.TemplateLM`, not the harness's model of transformers: all logits come from
`Model`, so that formulas and guides act on scores of given texts as on generated ones.

Source: Gao et al., A framework for few-shot language model evaluation (lm-evaluation-harness, version 0.4.13).
"""

# pyright: reportMissingImports=false

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import torch
from lm_eval.api.instance import Instance
from lm_eval.api.model import TemplateLM
from lm_eval.api.registry import register_model
from lm_eval.models.utils import normalize_gen_kwargs
from lm_eval.utils import get_rolling_token_windows, make_disjoint_window
from tqdm import tqdm

from guidance_kit.decoding.options import Options
from guidance_kit.errors import ModelError, OptionError
from guidance_kit.grammars.argument import ConstraintArgument
from guidance_kit.guides.guide import Guide
from guidance_kit.integrations.openai_request import structured_outputs
from guidance_kit.model import Model, load

__all__ = ["HarnessModel"]

_LOG = logging.getLogger("guidance_kit.lm_eval")

_OWN = ("until", "do_sample", "max_gen_toks", "structured_outputs", "structured_outputs_field")
"""Settings of a task that are not options of `Model.generate`."""


@register_model("guidance_kit")
class HarnessModel(TemplateLM):
    """Model for `lm_eval.simple_evaluate(model=...)`, and for its command line under the name "guidance_kit".

        steered = gk.load("large") + 1.0 * (gk.load("small-tuned") - gk.load("small"))
        lm_eval.simple_evaluate(model=HarnessModel(steered), tasks=["lambada_openai"])

    Tasks with answers to choose from are scored under the formula and the guides. Generated answers satisfy the
    constraint too: that of the argument; or of the task, `generation_kwargs: {structured_outputs: {regex: ...}}`, with
    the fields of `openai_request.structured_outputs`; or of each document, `{structured_outputs_field: NAME}`, where
    the field NAME of the document has such an object as JSON.

    A context that does not fit loses its first tokens, as in the harness's own models; a warning says how many did.

    Args:
        pretrained: a model or formula, or the name of a model for `load`.
        expert, anti_expert: names of further models: the logits of `pretrained` plus `weight` * (expert - anti_expert);
            either may be missing.
        weight: factor of that difference.
        constraint: constraint of generated answers, where a task has none of its own.
        guides: guides, as in `Model.generate`.
        batch_size: number of texts that run at once, at least 1.
        max_gen_toks: maximum number of tokens of an answer where the task has none.
        dtype, device: as in `load`. A CUDA device where there is none is left out with a warning: it is the default of
            the harness's command line.
        max_batch_size: not used; the harness passes it.
    Raises:
        OptionError: a batch size that is no number: "auto" is not supported; experts beside a loaded model.
        ModelError: as `load`.
    """

    def __init__(
        self,
        pretrained: Model | str | None = None,
        *,
        expert: str | None = None,
        anti_expert: str | None = None,
        weight: float = 1.0,
        constraint: ConstraintArgument | None = None,
        guides: Guide[Any] | Iterable[Guide[Any]] = (),
        batch_size: int | str | None = None,
        max_gen_toks: int = 256,
        dtype: str = "float32",
        device: str | None = None,
        max_batch_size: int | None = None,
    ) -> None:
        super().__init__()
        given = 8 if batch_size is None else batch_size
        if not str(given).isdecimal() or int(given) < 1:
            raise OptionError(f"batch_size must be an integer, at least 1, not {batch_size!r}")
        self.batch_size = int(given)
        self.max_gen_toks = max_gen_toks
        self.constraint = constraint
        self.guides = guides
        if device is not None and device.startswith("cuda") and not torch.cuda.is_available():
            _LOG.warning("there is no %s; the model runs on the default device", device)
            device = None
        self.model = _model(pretrained, expert, anti_expert, weight, {"dtype": dtype, "device": device})
        self.tokenizer = getattr(self.model.language_model, "tokenizer", None)

    @property
    def eot_token_id(self) -> int:
        """First end-of-sequence token of the vocabulary."""
        return self.model.vocabulary.eos[0]

    @property
    def prefix_token_id(self) -> int:
        """Token before an empty context: the beginning-of-sequence token, or an end of sequence if there is none."""
        start = self.model.language_model.start_token
        return self.eot_token_id if start is None else start

    @property
    def tokenizer_name(self) -> str:
        """Name for caches of requests."""
        return self.model.language_model.name.replace("/", "__")

    def apply_chat_template(self, chat_history: list[dict[str, str]], add_generation_prompt: bool = True) -> str:
        """Text of a conversation in the chat template of the model.

        Raises:
            ModelError: there is no chat template.
        """
        if self.tokenizer is None or not self.model.language_model.has_chat_template:
            raise ModelError(
                f"{self.model.language_model.name} has no chat template; run without --apply_chat_template"
            )
        return self.tokenizer.apply_chat_template(
            chat_history,
            tokenize=False,
            add_generation_prompt=add_generation_prompt,
            continue_final_message=not add_generation_prompt,
        )

    def tok_encode(self, string: str, add_special_tokens: bool | None = None, **_: Any) -> list[int]:
        """Token ids of a text; by default with a beginning of sequence where the text does not spell one."""
        start = getattr(self.tokenizer, "bos_token", None)
        if add_special_tokens is None:
            add_special_tokens = not (start and string.startswith(start))
        return self.model.language_model.encode(string, with_special_tokens=add_special_tokens)

    def loglikelihood_rolling(self, requests: list[Instance], disable_tqdm: bool = False) -> list[float]:
        """Log-probabilities of whole texts, nats; longer ones than the context in windows, each token once."""
        windows: list[tuple[int, list[int], list[int]]] = []
        for number, (text,) in enumerate(request.args for request in requests):
            tokens = self.tok_encode(text, add_special_tokens=False)
            longest = len(tokens) if (room := self._room(self.prefix_token_id)) is None else room
            pairs = get_rolling_token_windows(tokens, self.prefix_token_id, max(1, longest), 1)
            windows += [(number, *make_disjoint_window(pair)) for pair in pairs]
        asked = [(("", ""), context, tokens) for _, context, tokens in windows]
        scored = self._loglikelihood_tokens(asked, disable_tqdm=disable_tqdm)
        sums = [0.0] * len(requests)
        for (number, *_), (logprob, _) in zip(windows, scored, strict=True):
            sums[number] += logprob
        for request, found in zip(requests, sums, strict=True):
            self.cache_hook.add_partial("loglikelihood_rolling", request.args, found)
        return sums

    def _loglikelihood_tokens(
        self, requests: Sequence[tuple[tuple[str, str], list[int], list[int]]], disable_tqdm: bool = False, **_: Any
    ) -> list[tuple[float, bool]]:
        """Log-probability of each continuation after its context, nats, and whether it is the most likely one."""
        fitting = [(self._shortened(context, len(tokens) - 1), tokens) for _, context, tokens in requests]
        order = sorted(range(len(fitting)), key=lambda place: -sum(map(len, fitting[place])))
        found: dict[int, tuple[float, bool]] = {}
        with tqdm(total=len(fitting), disable=disable_tqdm, desc="Scoring continuations") as bar:
            for first in range(0, len(order), self.batch_size):
                places = order[first : first + self.batch_size]
                contexts = [fitting[place][0] for place in places]
                texts = [fitting[place][1] for place in places]
                scores = self.model.score(texts, contexts, guides=self.guides, batch_size=len(places))
                for place, score in zip(places, scores, strict=True):
                    found[place] = score.log_probability, all(score.is_greedy)
                    self.cache_hook.add_partial("loglikelihood", requests[place][0], found[place])
                bar.update(len(places))
        return [found[place] for place in range(len(fitting))]

    def generate_until(self, requests: list[Instance], disable_tqdm: bool = False) -> list[str]:
        """Texts after the contexts, up to a string of "until", greedy unless the task samples.

        Raises:
            OptionError: a setting of the task that `Model.generate` does not have.
        """
        asked: list[tuple[str, dict[str, Any]]] = [cast(Any, request.args) for request in requests]
        groups: dict[str, list[int]] = {}
        for place, (_, settings) in enumerate(asked):
            groups.setdefault(json.dumps(settings, sort_keys=True, default=repr), []).append(place)
        found: dict[int, str] = {}
        with tqdm(total=len(requests), disable=disable_tqdm, desc="Generating") as bar:
            for places in groups.values():
                settings = normalize_gen_kwargs(asked[places[0]][1], self.max_gen_toks)
                options = _options(settings)
                prompts = [self._shortened(self.tok_encode(asked[at][0]), options["max_tokens"]) for at in places]
                constraints = self._constraints(settings, [requests[place].doc for place in places])
                for first in range(0, len(places), self.batch_size):
                    part = slice(first, first + self.batch_size)
                    own = None if constraints is None else constraints[part]
                    texts = self.model.generate(prompts[part], own, guides=self.guides, **options)
                    for place, completion in zip(places[part], texts, strict=True):
                        found[place] = completion.text
                        self.cache_hook.add_partial("generate_until", requests[place].args, completion.text)
                    bar.update(len(texts))
        return [found[place] for place in range(len(requests))]

    def _constraints(self, settings: Mapping[str, Any], documents: Sequence[Any]) -> list[ConstraintArgument] | None:
        """Constraint of the answer to each document; None without any."""
        of_task, field = settings.get("structured_outputs"), settings.get("structured_outputs_field")
        if of_task is not None and field is not None:
            raise OptionError("structured_outputs and structured_outputs_field exclude each other")
        if field is None:
            shared = self.constraint if of_task is None else structured_outputs(of_task)
            return None if shared is None else [shared] * len(documents)
        if any(field not in document for document in documents):
            raise OptionError(f"structured_outputs_field: a document has no field {field!r}")
        read = {text: structured_outputs(json.loads(text)) for text in {document[field] for document in documents}}
        return [read[document[field]] for document in documents]

    def _room(self, *prompt: int) -> int | None:
        """Number of tokens that fit after a prompt; None without a limit."""
        distribution, start = self.model.distribution_after(list(prompt))
        return distribution.room(start)

    def _shortened(self, context: list[int], following: int) -> list[int]:
        """Last tokens of a context, with room for further tokens after it."""
        room = self._room(*context)
        if room is None or room >= following:
            return context
        lost = following - room
        if lost >= len(context):
            raise OptionError(f"{following} tokens do not fit into the context of {self.model.language_model.name}")
        _LOG.warning("a context of %d tokens loses its first %d", len(context), lost)
        return context[lost:]


def _options(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Options of `Model.generate` for the settings of a task.

    Raises:
        OptionError: an unknown setting, or an invalid value.
    """
    until = settings.get("until") or []
    options = {name: value for name, value in settings.items() if name not in _OWN and value is not None}
    options["max_tokens"] = settings["max_gen_toks"]
    if not settings.get("do_sample"):
        options["temperature"] = 0
    if stops := [one for one in ([until] if isinstance(until, str) else until) if one]:
        options["stop"] = stops
    Options.from_keywords(options)
    return options


def _model(
    pretrained: Model | str | None,
    expert: str | None,
    anti_expert: str | None,
    weight: float,
    options: dict[str, Any],
) -> Model:
    """Model or formula of the arguments."""
    if isinstance(pretrained, Model):
        if expert is not None or anti_expert is not None:
            raise OptionError("expert and anti_expert are for a model given by name; write the formula itself")
        return pretrained
    model = load(pretrained, **options)
    if expert is not None:
        model = model + weight * load(expert, **options)
    if anti_expert is not None:
        model = model - weight * load(anti_expert, **options)
    return model
