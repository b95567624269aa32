"""Detection of a watermark: exact p-values, the constraint replayed, and the evidence token by token."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from guidance_kit.analysis.null_laws import gamma_tail, lattice_tail
from guidance_kit.analysis.remaining_choice import RemainingChoice, remaining_choice
from guidance_kit.analysis.token_scores import exponentials, null_law, tokens_needed, unit_scores
from guidance_kit.decoding.completion import Completion
from guidance_kit.decoding.sampling import Sampling, require_number
from guidance_kit.decoding.watermark import Watermark
from guidance_kit.errors import OptionError, UndecidableError, VocabularyError
from guidance_kit.grammars.argument import ConstraintArgument, constraint_of
from guidance_kit.model import Model
from guidance_kit.prompt import Prompt
from guidance_kit.vocabulary import Vocabulary

__all__ = ["Detection", "MarkedPart", "TokenEvidence", "TokenStatus", "detect"]

TokenStatus = Literal["scored", "context", "repeated", "forced"]
"""Use of a token in a test: "scored"; "context" (its context reaches before the text); "repeated" (it was scored before
in the same context, or its context was); "forced" (constraint or truncation left no other)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenEvidence:
    """Evidence of one token.

    Attributes:
        token: its id.
        status: use of the token in the test.
        weight: weight in the test, 0 to 8 if a model was given, else 1; 0 for tokens that are not scored.
        p_value: probability of so high a score, or a higher one, without the mark; 1 for tokens that are not scored.
    """

    token: int
    status: TokenStatus
    weight: int
    p_value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedPart:
    """Part of a text with the strongest evidence.

    Attributes:
        start, stop: its tokens, `tokens[start:stop]`.
        p_value: corrected for the number of parts that were searched.
    """

    start: int
    stop: int
    p_value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Detection:
    """Result of a test for a watermark.

    Attributes:
        p_value: probability that a text which does not depend on the keys has as much evidence, exactly: at most a of
            such texts have a p-value of a or less. Corrected for the number of keys.
        significance: p-value at which a text counts as marked.
        key: index of the key with the strongest evidence.
        tokens: evidence of each token under that key.
        part: part with the strongest evidence, found by a scan; None for a text that is too short for parts.
        vocabulary: vocabulary of the tokens.
    """

    p_value: float
    significance: float
    key: int
    tokens: tuple[TokenEvidence, ...]
    part: MarkedPart | None
    vocabulary: Vocabulary

    @property
    def is_marked(self) -> bool:
        """Test for a p-value of the whole text, or of its strongest part, at most half the significance each."""
        least = self.p_value if self.part is None else min(self.p_value, self.part.p_value)
        return least <= self.significance / (1 if self.part is None else 2)

    @property
    def scored(self) -> int:
        """Number of tokens with a weight above 0."""
        return sum(one.weight > 0 for one in self.tokens)

    def to_html(self, *, title: str = "Which tokens are marked?") -> str:
        """Page that colours the tokens by their evidence; see `detection_html`."""
        from guidance_kit.reports.detection import detection_html  # which is rarely needed

        return detection_html(self, title=title)


def detect(
    text: str | Sequence[int] | Completion,
    watermark: Watermark,
    source: Model | Vocabulary,
    *,
    constraint: ConstraintArgument | None = None,
    prompt: Prompt | None = None,
    significance: float = 1e-5,
    **sampling: Any,
) -> Detection:
    """Test whether a text was marked with the keys of a watermark.

    A token counts once in the same context, for its score does not change. With the constraint under which the text was
    generated, tokens without alternative carry no weight; with a model, tokens are weighted by the gain that the
    entropy left allows. None of that depends on the keys, so p-values stay exact whether or not the constraint, prompt
    and settings are those of the text. A text of which a part is marked has more evidence in that part, which a scan
    over windows of doubling lengths finds.

    Args:
        text: the generated text without its prompt; better its tokens, for a tokenizer may write a text in other ones.
        watermark: as for generation.
        source: vocabulary of the tokens; or a model, which reads a `str`, and weights tokens.
        constraint: constraint of the text.
        prompt: prompt of the text, for the weights; by default none.
        significance: p-value at which a text counts as marked, in (0, 1).
        sampling: temperature and truncation of the text, for the weights, see `Sampling`.
    Raises:
        UndecidableError: too few tokens can be scored to reach the significance.
        MatchError: the constraint does not allow the text: it was generated under another one.
        VocabularyError: the watermark, or the completion, is of another tokenizer; a token is not in the vocabulary.
        OptionError: no watermark; a `str`, a prompt or settings without a model; a value out of range.
        ContextLengthError: the text does not fit into the context of the model.
    """
    if not isinstance(watermark, Watermark):
        raise OptionError(f"a text is tested for a Watermark(key, ...), not for {type(watermark).__name__}")
    require_number("significance", significance, "a number between 0 and 1, and neither", lambda a: 0 < a < 1)
    model = source if isinstance(source, Model) else None
    vocabulary = source.vocabulary if isinstance(source, Model) else source
    if not isinstance(vocabulary, Vocabulary):
        raise OptionError(f"tokens are read by a model or a vocabulary, not by {type(source).__name__}")
    if model is None and (prompt is not None or sampling):
        raise OptionError("prompt and sampling settings give weights by a model; give the model for the vocabulary")
    settings = Sampling(**sampling)
    watermark.check_vocabulary(vocabulary)
    tokens = _tokens(text, model, vocabulary)
    limit = None if constraint is None else constraint_of(constraint)
    choice = remaining_choice(tokens, watermark, vocabulary, model, limit, prompt, settings)
    tests = [_Test.of(watermark, key, tokens, choice) for key in watermark.keys]
    needed = tokens_needed(watermark, significance / len(tests))
    scored = min(len(test.places) for test in tests)
    if scored < needed:
        raise UndecidableError(scored=scored, tokens=len(tokens), needed=needed, significance=significance)
    p_values = [test.p_value(0, len(test.places)) for test in tests]
    best = int(np.argmin(p_values))
    part = tests[best].strongest_part(max(4, needed // 2), len(tests))
    return Detection(
        p_value=1.0 if p_values[best] >= 1 else -math.expm1(len(tests) * math.log1p(-p_values[best])),
        significance=significance,
        key=best,
        tokens=tests[best].evidence(tokens, choice),
        part=part,
        vocabulary=vocabulary,
    )


@dataclass(frozen=True, slots=True)
class _Test:
    """Scored tokens of a text under one key.

    Attributes:
        places: positions of the scored tokens with a weight above 0.
        words: word of each of them.
        statuses: of every token of the text.
    """

    watermark: Watermark
    law: np.ndarray
    places: tuple[int, ...]
    weights: tuple[int, ...]
    words: np.ndarray
    statuses: tuple[TokenStatus, ...]
    is_plain: bool

    @classmethod
    def of(cls, watermark: Watermark, key: bytes, tokens: Sequence[int], choice: RemainingChoice) -> _Test:
        """Scored tokens under a key: each context once, or each token once in its context."""
        width = watermark.width
        statuses: list[TokenStatus] = [
            _status(place, width, is_forced=is_forced) for place, is_forced in enumerate(choice.is_forced)
        ]
        places = [place for place, status in enumerate(statuses) if status == "scored"]
        contexts = [tuple(tokens[place - width : place]) for place in places]
        words, used = watermark.words_of(key, contexts, [tokens[place] for place in places])
        seen: set[tuple[int, ...]] = set()
        kept: list[int] = []
        for number, (place, part) in enumerate(zip(places, used, strict=True)):
            mark = (*part, tokens[place]) if watermark.marks_repeated else part
            if mark in seen:
                statuses[place] = "repeated"
            elif choice.weights[place]:
                kept.append(number)
            seen.add(mark)
        return cls(
            watermark,
            null_law(watermark),
            tuple(places[number] for number in kept),
            tuple(choice.weights[places[number]] for number in kept),
            words[kept],
            tuple(statuses),
            choice.is_plain,
        )

    def p_value(self, start: int, stop: int) -> float:
        """Exact p-value of the scored tokens from one to another."""
        if self.watermark.kind == "gumbel" and self.is_plain:
            return gamma_tail(stop - start, float(exponentials(self.watermark, self.words[start:stop]).sum()))
        scores = unit_scores(self.watermark, self.words[start:stop])
        weights = self.weights[start:stop]
        return lattice_tail(self.law, Counter(weights), int((scores * weights).sum()))

    def strongest_part(self, least: int, keys: int) -> MarkedPart | None:
        """Window with the least p-value: lengths double from `least`, and windows overlap by half."""
        windows: list[tuple[int, int]] = []
        length, count = least, len(self.places)
        while length < count:
            windows += [(start, min(start + length, count)) for start in range(0, count - length // 2, length // 2)]
            length *= 2
        if not windows:
            return None
        p_values = [self.p_value(*window) for window in windows]
        best = int(np.argmin(p_values))
        start, stop = windows[best]
        return MarkedPart(
            start=self.places[start],
            stop=self.places[stop - 1] + 1,
            p_value=min(1.0, len(windows) * keys * p_values[best]),
        )

    def evidence(self, tokens: Sequence[int], choice: RemainingChoice) -> tuple[TokenEvidence, ...]:
        """Evidence of every token of the text."""
        tails = np.cumsum(self.law[::-1])[::-1]
        p_values = dict(
            zip(self.places, tails[unit_scores(self.watermark, self.words)].clip(0, 1).tolist(), strict=True)
        )
        weights = dict(zip(self.places, self.weights, strict=True))
        return tuple(
            TokenEvidence(token=token, status=status, weight=weights.get(place, 0), p_value=p_values.get(place, 1.0))
            for place, (token, status) in enumerate(zip(tokens, self.statuses, strict=True))
        )


def _status(place: int, width: int, *, is_forced: bool) -> TokenStatus:
    """Use of a token, but for repetitions."""
    return "context" if place < width else "forced" if is_forced else "scored"


def _tokens(text: object, model: Model | None, vocabulary: Vocabulary) -> list[int]:
    """Tokens of a text.

    Raises:
        OptionError: it is no text and no tokens; a str without a model.
        VocabularyError: the tokens are of another vocabulary.
    """
    if isinstance(text, Completion):
        if text.vocabulary is not None and text.vocabulary.fingerprint != vocabulary.fingerprint:
            raise VocabularyError("the completion has tokens of another tokenizer than the model or vocabulary given")
        return list(text.tokens)
    if isinstance(text, str):
        if model is None:
            raise OptionError("a vocabulary cannot read a str: give tokens, or the model whose tokenizer wrote them")
        return model.language_model.encode(text, with_special_tokens=False)
    if not isinstance(text, Sequence | np.ndarray) or not all(isinstance(token, int | np.integer) for token in text):
        raise OptionError(f"a text is a str, token ids, or a completion, not {type(text).__name__}")
    tokens = [int(token) for token in text]
    wrong = next((token for token in tokens if not 0 <= token < vocabulary.rows), None)
    if wrong is not None:
        raise VocabularyError(f"token {wrong} is not among the {vocabulary.rows:,} rows of the vocabulary")
    return tokens
