"""What a generation returns."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from guidance_kit.decoding.alignment import Aligned
from guidance_kit.decoding.cut_field import CutField
from guidance_kit.errors import IncompleteError
from guidance_kit.vocabulary import Vocabulary

__all__ = ["Alternative", "Completion", "FinishReason", "TermLogprob", "TokenLogprob"]

FinishReason = Literal["complete", "budget", "stop", "length", "field"]
"""Why a text ended: it was complete (nothing could follow, or the model chose to end it); it was completed for lack of
room, so that the model had less choice than the constraint leaves (option `complete`); a stop string came up; there was
no room for more tokens (`max_tokens`, or the model's context); or a field of a record had too many of them
(`max_field_tokens`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """A token that could have come.

    Attributes:
        token: its id.
        logprob: under the model, in nats.
        is_allowed: whether it was left over by the constraint and the other guides.
    """

    token: int
    logprob: float
    is_allowed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TermLogprob:
    """What one term of a formula made of a generated token. All before guides, mask, temperature and truncation.

    Attributes:
        term: its name, as errors have it.
        weight: by which it was multiplied at this step.
        own_logprob: of the token under the term itself, in nats; None where its weight is 0. The weight times
            this, minus the same for another token, is by how much the term favoured the token over that.
        logprob: of the token after this term and those before it, renormalised, in nats; NaN if these alone are no
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
    """How likely one generated token was. All before temperature and truncation.

    Attributes:
        token: its id.
        logprob: under the model alone, of a formula under its base, in nats.
        guided_logprob: with all guides and the constraint, renormalised, in nats. Summed over the tokens of a
            complete text it is the log-probability with which that text is generated at temperature 1.
        log_kept: ln of the probability that the mask left at this step, in nats, at most 0.
        choices: how many tokens could have come, at least 1: those that the formula, the guides and the constraint left
            a chance.
        divergence: KL from the model, or the base, to the distribution of `guided_logprob`, in nats: how far all
            that was done moved this step.
        terms: for a formula, how it came about: the base, then each term as it is written.
        top: the likeliest tokens under the model, the likeliest first; as many as were asked for.
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
        """The probability that the mask took away at this step, in [0, 1]."""
        return -math.expm1(self.log_kept)


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """One generated text.

    Attributes:
        text: the text, without the stop string; bytes that are not UTF-8 are U+FFFD. Special tokens that the constraint
            names show their names.
        tokens: the tokens that were generated. An end-of-sequence token is one of them if the model chose it; where
            nothing else could follow, none is generated, unless the text is aligned with the model. After a stop
            string the last tokens spell more than `text`.
        finish_reason: why it ended. With "complete" and "budget" a constrained text satisfies the constraint; with
            "length" and "field" it was cut, and may not.
        prompt_tokens: number of tokens in the prompt.
        seed: give it as `seed` to draw this text again from the same prompt alone.
        logprobs: one record a token, None if they were not asked for.
        cut_field: the field that had too many tokens, if that is why the text ended.
        aligned: how the text was drawn, if `alignment` was asked for.
        vocabulary: what its tokens are.
    """

    text: str
    tokens: tuple[int, ...]
    finish_reason: FinishReason
    prompt_tokens: int
    seed: int
    logprobs: tuple[TokenLogprob, ...] | None = None
    cut_field: CutField | None = None
    aligned: Aligned | None = field(default=None, repr=False)
    vocabulary: Vocabulary | None = field(default=None, repr=False, compare=False)
    parse: Callable[[str], Any] | None = field(default=None, repr=False, compare=False)

    @property
    def log_weight(self) -> float | None:
        """ln of the mass that the mask left, over all steps: the sum of `log_kept`, in nats; None without `logprobs`.

        At temperature 1 and without truncation it is ln of the model's probability of the tokens over that with which
        they were drawn: the importance weight of the text.
        """
        return None if self.logprobs is None else sum(record.log_kept for record in self.logprobs)

    @property
    def value(self) -> Any:
        """What the text stands for under its constraint (JSON is parsed, types are validated), else the text itself.

        Raises:
            IncompleteError: if the text was cut short. A number or a list that was cut may look like a whole one, so
                a text that ended for lack of room never has a value.
            ValueError: if the type has conditions of its own, which its schema cannot express, and they fail; or what
                else its validators raise.
        """
        if self.parse is None:
            return self.text
        if self.finish_reason not in ("complete", "budget"):
            cut = {} if self.cut_field is None else {"pointer": self.cut_field.pointer, "limit": self.cut_field.limit}
            raise IncompleteError(text=self.text, finish_reason=self.finish_reason, tokens=len(self.tokens), **cut)
        return self.parse(self.text)

    def to_html(self, *, prompt: str | None = None) -> str:
        """Show how likely each token was, and what made it so, as an HTML page; see `trace_html`.

        Args:
            prompt: what to show before the text.
        Returns:
            The whole page, to be written to a file in UTF-8.
        Raises:
            OptionError: it was generated without `logprobs`.
        """
        from guidance_kit.reports.trace import trace_html  # which is rarely needed

        return trace_html([self], prompts=None if prompt is None else [prompt])

    def __str__(self) -> str:
        return self.text
