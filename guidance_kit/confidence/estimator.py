"""Probabilities of the values that a model has written in the fields of a record."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from guidance_kit.confidence.json_spans import FieldSpan, field_spans, value_end, value_key
from guidance_kit.confidence.settings import Confidence
from guidance_kit.confidence.value_paths import ValuePaths, finite_values
from guidance_kit.decoding.completion import Completion
from guidance_kit.decoding.distribution import Distribution
from guidance_kit.decoding.field_confidence import (
    ConfidenceMethod,
    FieldConfidence,
    GivenText,
    RecordConfidence,
    ValueProbability,
)
from guidance_kit.decoding.label_scores import score_labels
from guidance_kit.decoding.label_trie import LabelTrie
from guidance_kit.decoding.padding_rows import padding_rows
from guidance_kit.decoding.path_sums import TokenPath, log_sum, next_logprobs, sum_paths
from guidance_kit.errors import IncompleteError, MatchError, OptionError
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.vocabulary import Vocabulary

__all__ = ["ConfidenceEstimator"]

MOST_WEIGHED = 64
"""Most token sequences of a field after which the rest of the record is scored; every value has at least one."""


class ConfidenceEstimator:
    """Confidence in the fields of records of one model.

    Args:
        distribution: distribution of the formula for prefixes that begin with the tokens before a record; without
            guides and masks.
        vocabulary: its tokens.
        spell: function from a text to its usual tokens in the middle of another one.
        settings: the settings.
        batch_size: number of sequences that run at once.
    """

    def __init__(
        self,
        distribution: Distribution,
        vocabulary: Vocabulary,
        spell: Callable[[str], list[int]],
        settings: Confidence,
        *,
        batch_size: int = 32,
    ) -> None:
        self.distribution = distribution
        self.vocabulary = vocabulary
        self.spell = spell
        self.settings = settings
        self.batch_size = batch_size
        self._padding = padding_rows(vocabulary)
        self._values: dict[tuple[int, ...], dict[Hashable, list[bytes]] | None] = {}

    @torch.inference_mode()
    def estimate(self, completion: Completion) -> RecordConfidence:
        """Confidence in each field of a record.

        Args:
            completion: record under a constraint of `json_schema`.
        Raises:
            OptionError: the text is no record of a JSON Schema.
            IncompleteError: the record was cut short.
            ModelError, FormulaError: as generation.
        """
        constraint = completion.constraint
        if not isinstance(constraint, Constraint) or constraint.kind != "json_schema":
            raise OptionError(
                "confidence is that of the fields of a record, whose constraint is a type or json_schema()"
            )
        if completion.finish_reason not in ("complete", "budget"):
            raise IncompleteError(
                text=completion.text, finish_reason=completion.finish_reason, tokens=len(completion.tokens)
            )
        if not completion.prefix:
            raise OptionError("the completion has no `prefix`, the tokens that it was generated after")
        record = _Record(self, completion, Matcher(constraint.compile(self.vocabulary)))
        return RecordConfidence(tuple(_Field(record, span).confidence() for span in field_spans(record.text)))

    def logprobs_after(self, prefix: Sequence[int], texts: Sequence[Sequence[int]]) -> Tensor:
        """Log-probabilities of the token after each text: float64, (texts, rows), nats."""
        prefixes = [[*prefix, *tokens] for tokens in texts]
        logits = self.distribution.logits(prefixes, 1, starts=[len(prefix)] * len(prefixes))
        return next_logprobs(logits[:, -1], self._padding)

    def logprobs_along(self, prefix: Sequence[int], before: Sequence[int], tokens: Sequence[int]) -> Tensor:
        """Log-probabilities before each token of a text behind another: float64, (tokens, rows), nats."""
        whole = [*prefix, *before, *tokens[:-1]]
        logits = self.distribution.logits([whole], len(tokens), starts=[len(prefix)])
        return next_logprobs(logits[0], self._padding)

    def text_logprobs(
        self, prefix: Sequence[int], before: Sequence[Sequence[int]], texts: Sequence[Sequence[int]]
    ) -> list[float]:
        """Ln of the probability of each text behind another one, nats; none is empty."""
        wholes = [[*prefix, *some, *text[:-1]] for some, text in zip(before, texts, strict=True)]
        positions = max(map(len, texts))
        if positions > min(map(len, wholes)):  # a short prefix before a long text
            pairs = zip(before, texts, strict=True)
            return [self.text_logprobs(prefix, [some], [text])[0] for some, text in pairs]
        logits = self.distribution.logits(wholes, positions, starts=[len(prefix)] * len(wholes))
        found: list[float] = []
        for text, block in zip(texts, logits, strict=True):
            rows = next_logprobs(block[-len(text) :], self._padding)
            found.append(float(rows[torch.arange(len(text)), torch.tensor(text)].sum()))
        return found

    def values(self, matcher: Matcher) -> dict[Hashable, list[bytes]] | None:
        """Values that can be written next, found once for each state of a constraint; see `finite_values`."""
        key = matcher.mask_key
        if key not in self._values:
            self._values[key] = finite_values(matcher, self.settings.max_values)
        return self._values[key]


class _Record:
    """Record with the boundaries of its tokens."""

    def __init__(self, estimator: ConfidenceEstimator, completion: Completion, matcher: Matcher) -> None:
        vocabulary = estimator.vocabulary
        self.estimator = estimator
        self.prefix = completion.prefix
        self.tokens = tuple(token for token in completion.tokens if token not in vocabulary.eos)
        pieces = [vocabulary.shown(token) for token in self.tokens]
        self.text = b"".join(pieces)
        self.ends = [0, *itertools.accumulate(map(len, pieces))]
        self.matchers = [matcher]
        for token in self.tokens:
            matcher = matcher.fork()
            matcher.advance(token)
            self.matchers.append(matcher)


class _Weighed(NamedTuple):
    """Token sequence of a value: ln of its weight, and the sequence with the text that it spells beyond the value."""

    key: Hashable
    weight: float
    tokens: tuple[int, ...]


class _Field:
    """Field of a record."""

    def __init__(self, record: _Record, span: FieldSpan) -> None:
        self.record = record
        self.span = span
        self.estimator = record.estimator
        self.settings = record.estimator.settings
        place = int(np.searchsorted(record.ends, span.begin, side="right")) - 1
        self.matcher = record.matchers[place]
        self.before = record.tokens[:place]
        self.boundary = record.ends[place]
        self.overhang = record.text[self.boundary : span.begin]
        self.text = record.text[span.begin : span.end]
        self.key = value_key(self.text)

    def confidence(self) -> FieldConfidence:
        """Probability of the value, by the best method that the field allows."""
        at_value = self.matcher.fork()
        if self.overhang:
            at_value.advance_bytes(self.overhang)
        values = self.estimator.values(at_value)
        if values is None:
            return self._sampled() if self.settings.samples else self._of_text()
        if len(values) == 1:
            return self._result({self.key: 0.0}, "exact", bounds=(1.0, 1.0), texts=values)
        kept = MOST_WEIGHED if self.settings.given == "record" else 1
        sums = sum_paths(
            ValuePaths(self.estimator.vocabulary, self.matcher, self.overhang),
            self._logprobs,
            most_prefixes=self.settings.max_prefixes,
            tolerance=self.settings.tolerance,
            batch_size=self.estimator.batch_size,
            kept=kept,
        )
        is_exact = sums.left <= sums.total + math.log(self.settings.tolerance or math.ulp(0.0))
        logs = {key: sums.logs.get(key, -math.inf) for key in values} if is_exact else self._canonical(values)
        weighed = self._given_record(logs, sums.paths) if self.settings.given == "record" else None
        bounds = sums.bounds(self.key)
        if weighed is None:
            return self._result(logs, "exact" if is_exact else "canonical", bounds=bounds, texts=values)
        return self._result(weighed, "canonical", given="record", bounds=None, texts=values)

    def _logprobs(self, texts: Sequence[tuple[int, ...]]) -> Tensor:
        return self.estimator.logprobs_after(self.record.prefix, [(*self.before, *tokens) for tokens in texts])

    def _canonical(self, values: dict[Hashable, list[bytes]]) -> dict[Hashable, float]:
        """Ln of the probability of each value by the usual tokens of its spellings, nats."""
        pairs = [(key, text) for key, texts in values.items() for text in texts]
        spelt = [self.estimator.spell((self.overhang + text).decode()) for _, text in pairs]
        scores = score_labels(
            self.estimator.distribution,
            self.estimator.vocabulary,
            [[*self.record.prefix, *self.before]],
            LabelTrie(spelt),
            batch_size=self.estimator.batch_size,
        )[0]
        logs: dict[Hashable, float] = {}
        for (key, _), score in zip(pairs, scores.tolist(), strict=True):
            logs[key] = float(np.logaddexp(logs.get(key, -math.inf), score))
        return logs

    def _given_record(
        self, logs: dict[Hashable, float], paths: dict[Hashable, list[TokenPath]]
    ) -> dict[Hashable, float]:
        """Ln of the weight of each value with the rest of the record behind it, nats.

        The probability of a value is divided over its most likely sequences, each of which weighs the rest.
        """
        listed = [(path.logprob, key, path) for key, some in paths.items() for path in some]
        first = {id(some[0]) for some in paths.values()}
        listed.sort(key=lambda one: (id(one[2]) not in first, -one[0]))
        chosen = listed[: max(MOST_WEIGHED, len(paths))]
        rests = self._rests([path.tokens for _, _, path in chosen])
        weights: dict[Hashable, float] = {}
        for key in paths:
            pairs = zip(chosen, rests, strict=True)
            own = [(path.logprob, rest) for (_, other, path), rest in pairs if other == key and rest is not None]
            whole = log_sum(logprob for logprob, _ in own)
            weights[key] = logs.get(key, -math.inf) + log_sum(logprob - whole + rest for logprob, rest in own)
        return weights

    def _rests(self, paths: Sequence[tuple[int, ...]]) -> list[float | None]:
        """Ln of the probability of the rest of the record, in its usual tokens, after sequences that decide a value.

        It is -inf after one that goes on with another text than the record, or with whose value the constraint refuses
        the record; None after one that ends within a character.
        """
        found: list[float | None] = [-math.inf] * len(paths)
        texts: list[tuple[int, list[int]]] = []
        for place, tokens in enumerate(paths):
            left = self._rest(tokens)
            if left is None:
                continue
            try:
                spelt = self.estimator.spell(left.decode()) if left else []
            except UnicodeDecodeError:
                found[place] = None
                continue
            found[place] = 0.0
            if spelt:
                texts.append((place, spelt))
        size = self.estimator.batch_size
        for first in range(0, len(texts), size):
            some = texts[first : first + size]
            before = [(*self.before, *paths[place]) for place, _ in some]
            for (place, _), logprob in zip(
                some,
                self.estimator.text_logprobs(self.record.prefix, before, [spelt for _, spelt in some]),
                strict=True,
            ):
                found[place] = logprob
        return found

    def _rest(self, tokens: tuple[int, ...]) -> bytes | None:
        """Rest of the record after a sequence that decides a value; None if the record cannot follow it."""
        rest = self.record.text[self.span.end :]
        text = self.estimator.vocabulary.text_of(tokens)
        end = value_end(text, len(self.overhang), is_whole=True)
        assert end is not None
        if not rest.startswith(text[end:]):
            return None
        left = rest[len(text) - end :]
        matcher = self.matcher.fork()
        try:
            matcher.advance_all(tokens)
            matcher.advance_bytes(left)
        except MatchError:
            return None
        return left if matcher.is_complete else None

    def _of_text(self) -> FieldConfidence:
        """Probability with which the tokens of the value are drawn under the constraint."""
        ends, start = self.record.ends, len(self.before)
        is_number = self.text[:1] not in (b'"', b"t", b"f", b"n")
        last = start + 1
        while last < len(ends) - 1 and ends[last] < self.span.end + is_number:
            last += 1
        tokens = self.record.tokens[start:last]
        rows = self.estimator.logprobs_along(self.record.prefix, self.before, tokens)
        total = 0.0
        for row, matcher, token in zip(rows, self.record.matchers[start:last], tokens, strict=True):
            allowed = torch.from_numpy(matcher.allowed_tokens()).to(row.device)
            total += float(row[token] - row[allowed].logsumexp(-1))
        return self._made(math.exp(min(0.0, total)), "text", "before", None, ())

    def _sampled(self) -> FieldConfidence:
        """Self-normalised estimate from values drawn under the mask, weighted by what it removed."""
        paths = ValuePaths(self.estimator.vocabulary, self.matcher, self.overhang)
        rng = np.random.Generator(np.random.PCG64([self.settings.seed, self.span.begin]))
        drawn = [self._draw(paths, rng) for _ in range(self.settings.samples)]
        given: GivenText = "before"
        if self.settings.given == "record":
            given = "record"
            drawn = [one for one in drawn if one.key is not None]
            rests = self._rests([one.tokens for one in drawn])
            pairs = zip(drawn, rests, strict=True)
            drawn = [one._replace(weight=one.weight + rest) for one, rest in pairs if rest is not None]
        top = max((one.weight for one in drawn), default=-math.inf)
        if top == -math.inf:
            return self._of_text()
        weights = np.exp(np.array([one.weight for one in drawn]) - top)
        shares = weights / weights.sum()
        is_own = np.array([one.key == self.key for one in drawn])
        probability = float(shares[is_own].sum())
        error = 2 * float(np.sqrt((shares**2 * (is_own - probability) ** 2).sum()))
        texts = {self.key: [self.text]}
        logs: dict[Hashable, float] = {}
        for one, share in zip(drawn, shares.tolist(), strict=True):
            if one.key is not None and share:
                logs[one.key] = float(np.logaddexp(logs.get(one.key, -math.inf), math.log(share)))
                texts.setdefault(one.key, [_value_text(self.estimator.vocabulary, one.tokens, len(self.overhang))])
        bounds = max(0.0, probability - error), min(1.0, probability + error)
        return self._made(probability, "samples", given, bounds, self._alternatives(logs, texts))

    def _draw(self, paths: ValuePaths, rng: np.random.Generator) -> _Weighed:
        """One value drawn under the mask, with ln of the probability that the mask left; the key None if too long."""
        state, weight = paths.start, 0.0
        for _ in range(self.settings.max_sample_tokens):
            steps = list(paths.steps(state))
            row = self._logprobs([state.tokens])[0].cpu().numpy()
            chances = row[[step.tokens[0] for step in steps]]
            kept = float(np.logaddexp.reduce(chances))
            if kept == -math.inf:
                return _Weighed(None, -math.inf, state.tokens)
            weight += kept
            place = int(np.searchsorted(np.cumsum(np.exp(chances - kept)), rng.random(), side="right"))
            step = steps[min(place, len(steps) - 1)]
            if step.state is None:
                return _Weighed(step.outcome, weight, (*state.tokens, *step.tokens))
            state = step.state
        return _Weighed(None, weight, state.tokens)

    def _result(
        self,
        logs: dict[Hashable, float],
        method: ConfidenceMethod,
        *,
        texts: dict[Hashable, list[bytes]],
        given: GivenText = "before",
        bounds: tuple[float, float] | None,
    ) -> FieldConfidence:
        """Confidence from ln of the weight of each value."""
        total = log_sum(logs.values())
        if total == -math.inf:
            return self._of_text()
        shares = {key: value - total for key, value in logs.items()}
        own = math.exp(shares.get(self.key, -math.inf))
        return self._made(min(1.0, own), method, given, bounds, self._alternatives(shares, texts))

    def _alternatives(
        self, shares: dict[Hashable, float], texts: dict[Hashable, list[bytes]]
    ) -> tuple[ValueProbability, ...]:
        """The most likely values, and the written one."""
        order = sorted(shares, key=lambda key: -shares[key])
        listed = order[: self.settings.alternatives]
        if self.key in shares and self.key not in listed:
            listed[-1] = self.key
        return tuple(
            ValueProbability(value=json.loads(texts[key][0]), probability=min(1.0, math.exp(shares[key])))
            for key in listed
        )

    def _made(
        self,
        probability: float,
        method: ConfidenceMethod,
        given: GivenText,
        bounds: tuple[float, float] | None,
        alternatives: Iterable[ValueProbability],
    ) -> FieldConfidence:
        low, high = (None, None) if bounds is None else bounds
        value: Any = json.loads(self.text)
        return FieldConfidence(
            pointer=self.span.pointer,
            value=value,
            probability=probability,
            method=method,
            given=given,
            low=low,
            high=high,
            alternatives=tuple(alternatives),
            begin=self.span.begin,
            end=self.span.end,
        )


def _value_text(vocabulary: Vocabulary, tokens: Sequence[int], begin: int) -> bytes:
    """Text of a value among the tokens that decide it."""
    text = vocabulary.text_of(tokens)
    end = value_end(text, begin, is_whole=True)
    assert end is not None
    return text[begin:end]
