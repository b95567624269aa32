"""Integration with `generate` of transformers: a logits processor, and our loop as a custom generation function."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import torch
from torch import Tensor
from transformers import (
    EosTokenCriteria,
    EpsilonLogitsWarper,
    EtaLogitsWarper,
    GenerationConfig,
    LogitNormalization,
    LogitsProcessor,
    LogitsProcessorList,
    MaxLengthCriteria,
    MinLengthLogitsProcessor,
    MinNewTokensLengthLogitsProcessor,
    MinPLogitsWarper,
    NoRepeatNGramLogitsProcessor,
    PreTrainedModel,
    StoppingCriteriaList,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
    TypicalLogitsWarper,
)
from transformers.generation.configuration_utils import GenerationMode
from transformers.generation.utils import GenerateDecoderOnlyOutput

from guidance_kit.decoding.options import GenerateOptions
from guidance_kit.decoding.padding_rows import padding_rows
from guidance_kit.errors import ConstraintError, FormulaError, MatchError, ModelError, OptionError, VocabularyError
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.grammars.argument import ConstraintArgument, constraints_of
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.region import require_no_regions
from guidance_kit.guides.constraint import ConstraintGuide
from guidance_kit.guides.guide import Guide, Stage, guides_of, in_order
from guidance_kit.guides.no_repeat_ngrams import NoRepeatNgrams
from guidance_kit.integrations.prefix_states import PrefixStates, RowStates
from guidance_kit.model import Model
from guidance_kit.models.source_encoder import is_encoder_decoder
from guidance_kit.models.transformers_model import TransformersModel
from guidance_kit.prompt import prompt_tokens
from guidance_kit.steering.ensemble import Ensemble
from guidance_kit.vocabulary import Vocabulary

__all__ = ["GuideProcessor", "guided_generate"]

_Prefix = tuple[int, tuple[int, ...]]
"""Number of a prompt, and the tokens generated after it, up to the end of the sequence."""


class GuideProcessor(LogitsProcessor):
    """Steer `generate` of a language model of transformers by guides and formulas, and hold it to a constraint.

        inputs = tokenizer(["Is it late? ", "Is it early? "], return_tensors="pt", padding=True)
        processor = GuideProcessor(inputs, vocabulary, constraint=gk.choice(["yes", "no"]))
        model.generate(**inputs, logits_processor=[processor], max_new_tokens=8)

    With `formula=big + 1.0 * (tuned - untuned)`, in `generate` of the model of `big`, the input scores are the logits
    of `big`, and the other models run with caches of their own; the output scores are log-probabilities.

    The scores are a function of the tokens so far, see `PrefixStates`. So rows may be reordered (beams),
    repeated (`num_return_sequences`) or rolled back (assisted generation), and a processor may be used again for the
    same prompts. Guides act in the order of their stages, then the constraint; temperature and truncation of `generate`
    come after it. Under beam search penalties act on log-probabilities, not logits, as its scores are these.

    A text that satisfies the constraint and cannot continue is ended by an end-of-sequence token. A text that is cut by
    `max_new_tokens` may not satisfy it.

    Args:
        inputs: inputs of `generate`: a mapping with `input_ids` and `attention_mask`, or the ids alone, int64,
            (batch, length). Prompts are padded on the left, those of an encoder-decoder model on either side.
        vocabulary: vocabulary of the model, `Vocabulary.from_tokenizer(tokenizer, rows=...)`, without a formula.
        decoder_start: tokens with which the decoder of an encoder-decoder model begins: its `decoder_start_token_id`,
            then its `forced_bos_token_id` if it has one; a formula knows them.
        formula: a `Model` whose base is the model of `generate`.
        constraint: constraint of the texts: one for all prompts, or one for each.
        guides: further guides.
    Raises:
        OptionError: prompts that are not padded on the left; a watermark guide, which must run after truncation;
            different numbers of constraints and prompts; neither a formula nor a vocabulary, or both; a formula whose
            base has a prompt of its own.
        ConstraintError: a constraint that cannot be used with this vocabulary.
    """

    def __init__(
        self,
        inputs: Mapping[str, Tensor] | Tensor,
        vocabulary: Vocabulary | None = None,
        *,
        formula: Model | None = None,
        constraint: ConstraintArgument | Iterable[ConstraintArgument] | None = None,
        guides: Guide[Any] | Iterable[Guide[Any]] = (),
        decoder_start: Sequence[int] = (),
    ) -> None:
        base = None if formula is None else formula.language_model
        begins = list(decoder_start) if base is None else getattr(base, "decoder_start", [])
        self._given, self._prompts = _prompts(inputs, has_encoder=bool(begins))
        if begins:
            self._given = torch.tensor([begins] * len(self._prompts))
            self._prompts = [
                [*prompt, *begins] if base is None else prompt_tokens(base, prompt) for prompt in self._prompts
            ]
        self._ensemble: Ensemble | None = None
        if formula is not None and vocabulary is None:
            if formula.formula.base.context is not None:
                raise OptionError(
                    f"the base of {formula.formula} has a prompt of its own; `generate` reads another one"
                )
            self._ensemble = Ensemble(formula.formula).bound_to(self._prompts, self._prompts)
            vocabulary = formula.vocabulary
        elif formula is not None or vocabulary is None:
            raise OptionError("give a GuideProcessor either formula=..., a Model, or the vocabulary of the model alone")
        self._vocabulary = vocabulary
        self._guides = in_order(guides)
        if any(guide.stage > Stage.MASK for guide in self._guides):
            raise OptionError("a watermark comes after truncation, a logits processor before it; use our `generate`")
        self._constraint = _guide(constraint, vocabulary, len(self._prompts))
        self._padding = padding_rows(vocabulary)
        self._states = PrefixStates(self._guides)
        matchers = () if self._constraint is None else self._constraint.start(self._prompts)
        for number, prompt in enumerate(self._prompts):
            self._states.open(number, prompt, matchers[number] if matchers else None)

    @torch.inference_mode()
    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Guided scores.

        Args:
            input_ids: int64, (rows, length): prompts with generated tokens; equally many rows for each prompt.
            scores: float, (rows, vocabulary), nats.
        Raises:
            ModelError: rows that do not begin with the prompts.
            FormulaError, ContextLengthError: as the formula.
            VocabularyError: the width of the scores differs from the vocabulary.
            MatchError: a row has a token that the constraint forbids.
            ConstraintError: the guides forbid all that the constraint allows.
        """
        if scores.shape[1] != self._vocabulary.rows:
            raise VocabularyError(f"{self._vocabulary.rows} rows in the vocabulary, {scores.shape[1]} in the scores")
        if input_ids.shape[1] < self._given.shape[1]:
            return scores  # `generate` itself forces the tokens with which a decoder begins
        prefixes = self._prefixes(input_ids)
        copies = len(prefixes) // len(self._prompts)
        states = self._states.at(prefixes)
        dead = states.forbidden
        if dead and copies == 1:
            raise MatchError(
                f"prompt {prefixes[dead[0]][0]} went on with a token that the constraint forbids: another processor, "
                "or a setting of `generate` such as forced_eos_token_id, undid the mask"
            )
        guided = scores.float() if self._ensemble is None else self._composed(self._ensemble, prefixes, states, scores)
        for guide, state in zip(self._guides, states.guides, strict=True):
            guided = guide.adjust(guided, state)
        guided = self._masked(guided, states.matchers)
        is_left = (guided.amax(-1) > -torch.inf).tolist()
        for row, (number, tokens) in enumerate(prefixes):
            if row in dead:  # beam search keeps rows of probability 0 if there are too few others
                guided[row] = -torch.inf
            elif self._has_ended(tokens):
                guided[row] = -torch.inf
                guided[row, tokens[-1]] = 0.0
            elif not is_left[row]:
                raise ConstraintError(
                    f"no token is left after prompt {number} and {len(tokens)} tokens: the guides, or the formula, "
                    "forbid all that the constraint allows"
                )
        return guided.to(scores.dtype)

    def _composed(self, ensemble: Ensemble, prefixes: list[_Prefix], states: RowStates, scores: Tensor) -> Tensor:
        """Log-probabilities of a formula from the scores of its base: float32, (rows, vocabulary); ended rows as is."""
        ended = [row for row, (_, tokens) in enumerate(prefixes) if self._has_ended(tokens)]
        rows = sorted(set(range(len(prefixes))) - {*states.forbidden, *ended})
        composed = scores.float()
        if not rows:
            return composed
        prompts = [self._prompts[prefixes[row][0]] for row in rows]

        def allowed(device: torch.device) -> Tensor:
            matchers = [states.matchers[row] for row in rows] if states.matchers else []
            return (self._masked(torch.zeros(len(rows), ensemble.rows, device=device), matchers) == 0)[:, None]

        try:
            logits = ensemble.logits(
                [[*prompt, *prefixes[row][1]] for prompt, row in zip(prompts, rows, strict=True)],
                starts=list(map(len, prompts)),
                allowed=allowed,
                known={ensemble.formula.base: scores[rows][:, None]},
            )
        except FormulaError as error:
            error.add_note(f"prompt {prefixes[rows[error.row]][0]}")
            raise
        composed = composed.clone()
        composed[rows] = logits[:, -1].float().log_softmax(-1).to(composed.device)
        return composed

    def _masked(self, logits: Tensor, matchers: Sequence[Matcher]) -> Tensor:
        """Logits with -inf for tokens that the constraint forbids, and for padding."""
        if self._constraint is None:
            return logits.index_fill(-1, self._padding.to(logits.device), -torch.inf)
        return self._constraint.adjust(logits, tuple(matchers))

    def _has_ended(self, tokens: Sequence[int]) -> bool:
        return bool(tokens) and tokens[-1] in self._vocabulary.eos

    def _prefixes(self, input_ids: Tensor) -> list[_Prefix]:
        """Prompt number and generated tokens of each row."""
        rows, (count, width) = input_ids.tolist(), self._given.shape
        copies = len(rows) // count
        prompts = self._given.tolist()
        if len(rows) != copies * count or any(row[:width] != prompts[r // copies] for r, row in enumerate(rows)):
            raise ModelError(
                f"the {len(rows)} rows of `generate` do not begin with the {count} prompts that the processor was made "
                "for; make one with the very inputs of the call"
            )
        return [(r // copies, self._until_eos(row[width:])) for r, row in enumerate(rows)]

    def _until_eos(self, tokens: list[int]) -> tuple[int, ...]:
        ends = [place for place, token in enumerate(tokens) if token in self._vocabulary.eos]
        return tuple(tokens[: ends[0] + 1] if ends else tokens)


def guided_generate(
    model: PreTrainedModel,
    input_ids: Tensor,
    logits_processor: LogitsProcessorList,
    stopping_criteria: StoppingCriteriaList,
    generation_config: GenerationConfig,
    formula: Model | None = None,
    vocabulary: Vocabulary | None = None,
    constraint: ConstraintArgument | Iterable[ConstraintArgument] | None = None,
    guides: Guide[Any] | Iterable[Guide[Any]] = (),
    complete: bool = False,
    **model_kwargs: Any,
) -> Tensor | GenerateDecoderOnlyOutput:
    """Generation function for `custom_generate` of transformers: our loop, with formulas, constraints and guides.

        proxy = big + 1.0 * (tuned - untuned)
        plain = big.language_model.model
        plain.generate(**inputs, custom_generate=guided_generate, formula=proxy, constraint=gk.choice(["yes", "no"]))

    `generate` prepares the first five arguments and the last. Of its settings these have an effect: `max_length` and
    `max_new_tokens`, `min_length`, `min_new_tokens`, `do_sample`, `temperature`, `top_k`, `top_p`, `min_p`,
    `typical_p`, `epsilon_cutoff`, `eta_cutoff`, `no_repeat_ngram_size`, `num_return_sequences`, `pad_token_id` and
    `return_dict_in_generate`; others that would change the result are refused. The end-of-sequence tokens are those of
    the formula. Sampling depends on torch's random state. `generate` passes on neither a `streamer`, which gets no
    tokens and no end (see `Model.stream`), nor an `assistant_model`, which would change no text.

    Args:
        model: the base of the formula.
        input_ids: int64, (batch, length): prompts, padded on the left.
        formula: the formula; by default the model alone.
        vocabulary: vocabulary of the model, without a formula.
        constraint: constraint of the texts: one for all rows, or one for each.
        guides: further guides.
        complete: complete texts within their length, see `decoding.options.Options`.
    Returns:
        Int64, (batch, length): prompts, generated tokens, an end-of-sequence token where there is room for one, and
        padding; in the field `sequences` of an output with `return_dict_in_generate`.
    Raises:
        OptionError: an encoder-decoder model; a refused setting, by name; end-of-sequence tokens that differ from those
            of the vocabulary; prompts that are not padded on the left; neither a formula nor a vocabulary, or both.
        ModelError: the model is not the base of the formula.
        As `Model.generate`.
    """
    if is_encoder_decoder(model):
        raise OptionError(
            f"guided_generate is for causal models, and a {type(model).__name__} has an encoder; take a GuideProcessor "
            "in `generate`, or `Model.generate`"
        )
    if (formula is None) == (vocabulary is None):
        raise OptionError("give guided_generate either formula=..., a Model, or vocabulary=... for the model alone")
    if formula is None:
        formula = Model(TransformersModel(model, vocabulary=vocabulary))
    base = formula.language_model
    if not isinstance(base, TransformersModel) or base.model is not model:
        raise ModelError(
            f"`generate` of a {type(model).__name__} that is not the base of the formula {formula.formula}; call it on "
            "that, formula.language_model.model"
        )
    _refuse(generation_config, model_kwargs)
    ends = _criteria(stopping_criteria)
    if set(ends) != set(formula.vocabulary.eos):
        raise OptionError(
            f"texts end with the tokens {sorted(ends)} for `generate`, with {sorted(formula.vocabulary.eos)} in the "
            f"vocabulary; give generate eos_token_id={sorted(formula.vocabulary.eos)}, or another vocabulary"
        )
    mask = model_kwargs.get("attention_mask")
    ids, prompts = _prompts(input_ids if mask is None else {"input_ids": input_ids, "attention_mask": mask})
    room = cast(int, stopping_criteria.max_length) - ids.shape[1]
    drawing, repetition = _sampling(logits_processor, ids.shape[1], do_sample=bool(generation_config.do_sample))
    guides = [*guides_of(guides), *repetition]
    options = cast(GenerateOptions, {"max_tokens": room, "complete": complete, **drawing})
    rows: list[list[int]] = []
    for one in formula.generate(prompts, constraint, guides=guides, batch_size=len(prompts), **options):
        is_ended = bool(one.tokens) and one.tokens[-1] in ends
        is_to_end = one.finish_reason in ("complete", "budget") and not is_ended and len(one.tokens) < room
        rows.append([*one.tokens, *([formula.vocabulary.eos[0]] if is_to_end else [])])
    longest = max(map(len, rows))
    pad = generation_config.pad_token_id
    pad = formula.vocabulary.eos[0] if pad is None else pad
    new = torch.tensor([[*row, *[pad] * (longest - len(row))] for row in rows])
    sequences: Any = torch.cat([ids, new], dim=1).to(input_ids.device)
    return GenerateDecoderOnlyOutput(sequences=sequences) if generation_config.return_dict_in_generate else sequences


_OUTPUTS = ("output_scores", "output_logits", "output_attentions", "output_hidden_states")
_PREPARED = ("attention_mask", "position_ids", "past_key_values", "use_cache", "logits_to_keep")
"""Arguments that `generate` itself prepares for the forward pass of a decoder."""

_SHAPING: dict[type[LogitsProcessor], tuple[str, str]] = {
    TemperatureLogitsWarper: ("temperature", "temperature"),
    TopKLogitsWarper: ("top_k", "top_k"),
    TopPLogitsWarper: ("top_p", "top_p"),
    MinPLogitsWarper: ("min_p", "min_p"),
    TypicalLogitsWarper: ("typical_p", "mass"),
    EpsilonLogitsWarper: ("epsilon_cutoff", "epsilon"),
    EtaLogitsWarper: ("eta_cutoff", "epsilon"),
}
"""Processors that our sampler implements, in its order, with the field of `Sampling` and the attribute of its value."""


def _refuse(config: Any, model_kwargs: Mapping[str, Any]) -> None:
    """Raise an OptionError for settings that the loop does not implement, apart from processors and criteria."""
    mode = config.get_generation_mode()
    if mode not in (GenerationMode.SAMPLE, GenerationMode.GREEDY_SEARCH):
        raise OptionError(
            f"guided_generate samples or decodes greedily; these settings of `generate` ask for {mode.value} "
            f"(num_beams={config.num_beams}); leave custom_generate out and use a GuideProcessor"
        )
    wanted = [name for name in _OUTPUTS if config.return_dict_in_generate and getattr(config, name, None)]
    if wanted:
        raise OptionError(f"guided_generate gives no {', '.join(wanted)}; `Model.generate` has logprobs")
    given = [name for name, value in model_kwargs.items() if value is not None and name not in _PREPARED]
    if given:
        raise OptionError(f"guided_generate passes nothing on to the model but tokens, and not {', '.join(given)}")
    cache = model_kwargs.get("past_key_values")
    if cache is not None and cache.get_seq_length():
        raise OptionError("guided_generate keeps caches of its own; leave past_key_values out and give all tokens")


def _criteria(criteria: StoppingCriteriaList) -> list[int]:
    """End-of-sequence tokens of the stopping criteria; criteria other than these and a length are refused."""
    ends: list[int] = []
    for criterion in cast("list[Any]", criteria):
        if isinstance(criterion, EosTokenCriteria):
            ends += criterion.eos_token_id.tolist()
        elif not isinstance(criterion, MaxLengthCriteria):
            raise OptionError(
                f"a {type(criterion).__name__} cannot end texts in guided_generate; `Model.generate` has stop"
            )
    return ends


def _sampling(
    processors: LogitsProcessorList, width: int, *, do_sample: bool
) -> tuple[dict[str, Any], list[NoRepeatNgrams]]:
    """Sampling options and guides from the logits processors.

    Args:
        width: length of the padded prompts, which transformers counts in `min_length`.
    Raises:
        OptionError: a processor that is not in `_SHAPING`, or in another order; by name.
    """
    options: dict[str, Any] = {"seed": int(torch.randint(2**62, ()))} if do_sample else {}
    guides: list[NoRepeatNgrams] = []
    least, last = 0, -1
    ranks = {kind: rank for rank, kind in enumerate(_SHAPING)}
    for processor in cast("list[Any]", processors):
        kind = type(processor)
        if kind is LogitNormalization:
            continue
        if last < 0 and kind is NoRepeatNGramLogitsProcessor:
            guides.append(NoRepeatNgrams(processor.ngram_size))
        elif last < 0 and kind is MinLengthLogitsProcessor:
            least = max(least, processor.min_length - width)
        elif last < 0 and kind is MinNewTokensLengthLogitsProcessor:
            least = max(least, processor.min_new_tokens)
        elif ranks.get(kind, -1) <= last or getattr(processor, "min_tokens_to_keep", 1) != 1:
            raise OptionError(
                f"a {kind.__name__} cannot act in guided_generate; take a guide (Penalties, LogitBias), a constraint "
                "or a formula, and leave out the setting of `generate` that it comes from"
            )
        else:
            last = ranks[kind]
            name, attribute = _SHAPING[kind]
            value = getattr(processor, attribute)
            options[name] = value.item() if isinstance(value, Tensor) else value
    return {**(options if do_sample else {"temperature": 0.0}), "min_tokens": least}, guides


def _prompts(inputs: Mapping[str, Tensor] | Tensor, *, has_encoder: bool = False) -> tuple[Tensor, list[list[int]]]:
    """Token ids of the prompts with padding, and without."""
    given: Any = inputs
    ids = given.get("input_ids") if isinstance(given, Mapping) else given
    if not isinstance(ids, Tensor) or ids.ndim != 2 or ids.dtype not in (torch.int64, torch.int32):
        shape = f"{str(ids.dtype).removeprefix('torch.')} {tuple(ids.shape)}" if isinstance(ids, Tensor) else repr(ids)
        raise OptionError(
            'inputs are what `generate` gets, tokenizer(texts, return_tensors="pt"): input_ids of integers, '
            f"(batch, length), not {shape:.80}"
        )
    mask = given.get("attention_mask") if isinstance(given, Mapping) else None
    mask = torch.ones_like(ids) if mask is None else mask
    if has_encoder:
        pairs = zip(ids.tolist(), mask.tolist(), strict=True)
        return ids.cpu(), [[token for token, is_read in zip(*pair, strict=True) if is_read] for pair in pairs]
    if bool((mask[:, 1:] < mask[:, :-1]).any()):
        raise OptionError('prompts are padded on the left to be continued: tokenizer.padding_side = "left"')
    rows = zip(ids.tolist(), mask.sum(-1).tolist(), strict=True)
    return ids.cpu(), [row[len(row) - length :] for row, length in rows]


def _guide(
    constraint: ConstraintArgument | Iterable[ConstraintArgument] | None, vocabulary: Vocabulary, prompts: int
) -> ConstraintGuide | None:
    """Guide of the constraint, None without one."""
    held = constraints_of(constraint, prompts)
    if held is None:
        return None
    for one in held if isinstance(held, list) else [held]:
        require_no_regions(one)
    if isinstance(held, Constraint):
        return ConstraintGuide(Matcher(held.compile(vocabulary)))
    return ConstraintGuide([Matcher(one.compile(vocabulary)) for one in held])
