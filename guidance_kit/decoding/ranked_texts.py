"""Texts of one prompt in descending order of a score, for the decoders that rank them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from guidance_kit.decoding.completion import Completion
from guidance_kit.decoding.ranking import Ranking
from guidance_kit.decoding.row import Piece, Row
from guidance_kit.decoding.sampling import TIE
from guidance_kit.errors import ConstraintError, OptionError
from guidance_kit.vocabulary import Vocabulary

if TYPE_CHECKING:
    from guidance_kit.decoding.options import Options

__all__ = [
    "BestTexts", "ScoredText", "check_drawn_texts", "check_search", "completion_of", "descending", "no_text",
    "ranked_piece", "refuse_logprobs",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class ScoredText:
    """Finished text with its score and log-probability in nats."""

    completion: Completion
    score: float
    log_probability: float

    @property
    def has_ended(self) -> bool:
        """Test for a text that was not cut."""
        return self.completion.finish_reason not in ("length", "field")


class BestTexts:
    """Best finished texts of a prompt, each of another text, in descending order.

    Texts that ended come before texts that were cut. Scores that differ by at most `TIE` are equal, and the earlier
    text stays the better one.

    Args:
        capacity: number of texts to keep.
    Attributes:
        ended: texts that ended.
        cut: texts that were cut, at most `capacity` too.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.ended: list[ScoredText] = []
        self.cut: list[ScoredText] = []

    @property
    def least(self) -> float:
        """Score that a further text must exceed to be kept; -inf as long as there is room for any."""
        return self.ended[-1].score if len(self.ended) == self.capacity else -math.inf

    def add(self, text: ScoredText) -> None:
        """Keep a text if it is among the best."""
        kept = self.ended if text.has_ended else self.cut
        same = next((place for place, one in enumerate(kept) if one.completion.text == text.completion.text), None)
        if same is not None:
            if text.score <= kept[same].score + TIE:
                return
            del kept[same]
        place = len(kept)
        while place and text.score > kept[place - 1].score + TIE:
            place -= 1
        kept.insert(place, text)
        del kept[self.capacity :]


def check_search(options: Options) -> None:
    """Check options that exclude a decoder without draws.

    Raises:
        OptionError: an option that such a decoder would ignore.
    """
    name = type(options.decoder).__name__.lower()
    if options.draw is not None:
        raise OptionError(f"draw and decoder={name!r} exclude each other: a search draws no tokens")
    refuse_logprobs(options)


def check_drawn_texts(options: Options) -> None:
    """Check options that exclude a decoder that draws whole texts.

    Raises:
        OptionError: temperature 0; an option that such a decoder would ignore.
    """
    name = type(options.decoder).__name__.lower()
    if options.sampling.is_greedy:
        raise OptionError(f"decoder={name!r} draws texts, so it needs a temperature above 0")
    if options.draw is not None:
        raise OptionError(f"draw and decoder={name!r} exclude each other: it draws whole texts")
    refuse_logprobs(options)


def refuse_logprobs(options: Options) -> None:
    """Refuse log-probabilities of the steps, which belong to a text that is drawn token by token.

    Raises:
        OptionError: they are asked for.
    """
    if options.logprobs is not None:
        name = type(options.decoder).__name__.lower()
        raise OptionError(
            f"logprobs and decoder={name!r} exclude each other: Completion.ranking has the log-probability of a text, "
            "and Model.score those of its tokens"
        )


def descending(scores: np.ndarray) -> np.ndarray:
    """Places of scores in descending order; runs of scores, each within `TIE` of the next one, keep their order.

    Args:
        scores: float64, (N,), above -inf.
    Returns:
        Int64, (N,).
    """
    order = np.argsort(-scores, kind="stable")
    run = np.concatenate(([0], np.cumsum(-np.diff(scores[order]) > TIE)))
    return order[np.lexsort((order, run))] if len(order) else order


def completion_of(row: Row, vocabulary: Vocabulary) -> Completion:
    """Completion of a row that has ended."""
    piece = row.piece(vocabulary, has_logprobs=bool(row.records))
    assert piece is not None
    assert piece.completion is not None
    return piece.completion


def ranked_piece(place: int, texts: Iterable[ScoredText], *, bound: float = math.inf) -> Piece:
    """Piece of a prompt with its texts in the given order.

    Args:
        place: index of the prompt in the batch.
        texts: at least one.
        bound: greatest score that a text which is not among them may have.
    """
    ranked: Sequence[Completion] = [
        replace(
            text.completion,
            ranking=Ranking(
                rank=rank,
                score=text.score,
                log_probability=text.log_probability,
                is_proven=text.has_ended and text.score >= bound - TIE,
            ),
        )
        for rank, text in enumerate(texts)
    ]
    return Piece(place, ranked[0].text, ranked[0], others=tuple(ranked[1:]))


def no_text(row: Row) -> Piece:
    """Piece with the error of a prompt all of whose prefixes came to where no allowed token has a probability."""
    error = ConstraintError(
        f"prompt {row.number}: all texts came to where the model gives what the constraint allows no probability; "
        "truncate less (top_k, top_p, min_p), or search more of them"
    )
    return Piece(row.place, "", error=error)
