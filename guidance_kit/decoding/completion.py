"""Completions: generated texts with their tokens, log-probabilities, finish reasons and values."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from html import escape
from typing import Any, Literal, Protocol

from guidance_kit.decoding.aligned import Aligned
from guidance_kit.decoding.cut_field import CutField
from guidance_kit.decoding.field_confidence import RecordConfidence
from guidance_kit.decoding.mark_counts import MarkCounts
from guidance_kit.decoding.ranking import Ranking
from guidance_kit.decoding.speculation import Speculation
from guidance_kit.errors import IncompleteError
from guidance_kit.vocabulary import Vocabulary

__all__ = ["Alternative", "Completion", "Evaluator", "FinishReason", "TermLogprob", "TokenLogprob"]

FinishReason = Literal["complete", "budget", "stop", "length", "field"]
"""Reason for the end of a text: "complete" (nothing can follow, or the model ended it); "budget" (completed within
`max_tokens` by option `complete`, which restricted the model's choice); "stop" (a stop string); "length" (`max_tokens`
or the model's context was reached); "field" (a field of a record exceeded `max_field_tokens`)."""


class Evaluator(Protocol):
    """Values of texts; `Constraint` is one."""

    @property
    def has_values(self) -> bool:
        """True if texts stand for something else than themselves."""
        ...

    def evaluate(self, text: str) -> Any:
        """The value of a whole text that matches."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """Alternative to a generated token.

    Attributes:
        token: its id.
        logprob: under the model, in nats.
        is_allowed: neither the constraint nor another guide forbids it.
    """

    token: int
    logprob: float
    is_allowed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TermLogprob:
    """Log-probability of a generated token under one term of a formula, before guides, mask, temperature, truncation.

    Attributes:
        term: its name, as in error messages.
        weight: factor of the term at this step.
        own_logprob: of the token under the term itself, in nats; None where its weight is 0. The difference of two
            tokens times the weight is the log-odds that the term adds to the first.
        logprob: of the token under the sum of this term and those before it, renormalised, in nats; NaN if that is no
            distribution.
        divergence: KL from the base to that distribution, sum of p log(p / p_base), in nats.
    """

    term: str
    weight: float
    own_logprob: float | None
    logprob: float
    divergence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenLogprob:
    """Log-probabilities of one generated token, before temperature and truncation.

    Attributes:
        token: its id.
        logprob: under the model alone, of a formula under its base, in nats.
        guided_logprob: with all guides and the constraint, renormalised, in nats. Summed over the tokens of a
            complete text it is the log-probability with which that text is generated at temperature 1.
        log_kept: ln of the probability that the mask left at this step, in nats, at most 0.
        choices: number of possible tokens, at least 1: those with a probability above 0 after formula, guides and
            constraint.
        divergence: KL from the model, or the base, to the distribution of `guided_logprob`, in nats: the effect of all
            steering and masking on this step.
        terms: for a formula, its attribution: the base, then each term in the order of the formula.
        top: most likely tokens under the model, in descending order; as many as option `logprobs` asks for.
    """

    token: int
    logprob: float
    guided_logprob: float
    log_kept: float
    choices: int
    divergence: float
    terms: tuple[TermLogprob, ...] = ()
    top: tuple[Alternative, ...] = ()

    @property
    def removed_mass(self) -> float:
        """Probability removed by the mask at this step, in [0, 1]."""
        return -math.expm1(self.log_kept)


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """Generated text.

    Attributes:
        text: the text, without the stop string; bytes that are not UTF-8 are U+FFFD. Special tokens that the constraint
            names appear by their names.
        tokens: generated tokens. They include an end-of-sequence token if the model chose it; where nothing else can
            follow, none is generated, unless the text is aligned. After a stop string the last tokens spell more than
            `text`.
        finish_reason: reason for the end. With "complete" and "budget" a constrained text satisfies the constraint;
            with "length" and "field" it was cut, and may not.
        prompt_tokens: number of tokens in the prompt.
        seed: seed with which the same prompt alone gives this text again.
        logprobs: one record a token, None without the option `logprobs`.
        cut_field: the field that had too many tokens, with the finish reason "field".
        aligned: statistics of the samples, of a decoder with weighted texts.
        marks: numbers of tokens by what the watermark did with them; None without one.
        ranking: score and rank among the texts of the prompt, of a decoder that ranks them.
        speculation: statistics of the drafts, with the option `draft`.
        thoughts: text that the model wrote before this one, with option `think` or `sketch`, without the tag that ends
            it; its tokens are between the prompt and those of this text.
        vocabulary: vocabulary of the tokens.
        constraint: constraint of the text, which gives its value; None without one.
        prefix: token ids that the text was generated after: the prompt, and the thoughts with their tag.
        confidence: how sure the model is of each field of a record, if it was computed; see `Model.confidence`.
    """

    text: str
    tokens: tuple[int, ...]
    finish_reason: FinishReason
    prompt_tokens: int
    seed: int
    logprobs: tuple[TokenLogprob, ...] | None = None
    cut_field: CutField | None = None
    marks: MarkCounts | None = field(default=None, repr=False)
    aligned: Aligned | None = field(default=None, repr=False)
    ranking: Ranking | None = field(default=None, repr=False)
    speculation: Speculation | None = field(default=None, repr=False, compare=False)
    thoughts: Completion | None = field(default=None, repr=False)
    vocabulary: Vocabulary | None = field(default=None, repr=False, compare=False)
    constraint: Evaluator | None = field(default=None, repr=False, compare=False)
    prefix: tuple[int, ...] = field(default=(), repr=False, compare=False)
    confidence: RecordConfidence | None = field(default=None, repr=False, compare=False)

    @property
    def log_weight(self) -> float | None:
        """Log importance weight of the text: the sum of `log_kept` over all steps, in nats; None without `logprobs`.

        At temperature 1 and without truncation it is ln of the model's probability of the tokens over their probability
        under the mask.
        """
        return None if self.logprobs is None else sum(record.log_kept for record in self.logprobs)

    @property
    def value(self) -> Any:
        """Value of the text under its constraint (JSON is parsed, types are validated), else the text itself.

        Raises:
            IncompleteError: the text was cut short. A number or a list that was cut may look complete, so a cut text
                never has a value.
            MatchError: validation by the type fails on a condition that its schema cannot express.
            Exception: any other error that its validators raise.
        """
        if self.constraint is None or not self.constraint.has_values:
            return self.text
        if self.finish_reason not in ("complete", "budget"):
            cut = {} if self.cut_field is None else {"pointer": self.cut_field.pointer, "limit": self.cut_field.limit}
            raise IncompleteError(text=self.text, finish_reason=self.finish_reason, tokens=len(self.tokens), **cut)
        return self.constraint.evaluate(self.text)

    def to_html(self, *, prompt: str | None = None) -> str:
        """Trace of the log-probabilities of the tokens and their attribution, as an HTML page; see `trace_html`.

        Args:
            prompt: prompt shown before the text.
        Returns:
            The whole page, to be written to a file in UTF-8.
        Raises:
            OptionError: the text was generated without `logprobs`.
        """
        from guidance_kit.reports.trace import trace_html  # which is rarely needed

        return trace_html([self], prompts=None if prompt is None else [prompt])

    def _repr_html_(self) -> str | None:
        """The trace, in a frame of its own, for notebooks; None without `logprobs`, and they show the text."""
        if self.logprobs is None or self.vocabulary is None:
            return None
        return (
            f'<iframe srcdoc="{escape(self.to_html())}" sandbox="allow-scripts" title="Trace" '
            'style="width: 100%; height: 32em; border: 0"></iframe>'
        )

    def __str__(self) -> str:
        return self.text
