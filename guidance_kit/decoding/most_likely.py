"""Exact search for the most likely texts: best-first search with the probability of a prefix as its bound."""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from guidance_kit.decoding.beam import MOST_BEAMS
from guidance_kit.decoding.ranked_texts import ScoredText, check_search, completion_of, no_text, ranked_piece
from guidance_kit.decoding.row import Piece, Row
from guidance_kit.decoding.sampling import require_integer
from guidance_kit.decoding.walk import Walk
from guidance_kit.errors import ConstraintError

if TYPE_CHECKING:
    from guidance_kit.decoding.options import Options

__all__ = ["MostLikely"]

_AT_ONCE = 16
"""Number of prefixes that one call of the model extends."""


@dataclass(frozen=True, slots=True)
class MostLikely:
    """Exact search: the k most likely texts of all under the formula and the constraint, or an error.

    The probability of a prefix bounds that of every text with this prefix, so the prefixes are extended in descending
    order of it, and a text that is next in this order is the next most likely one. It suits constraints with finitely
    many texts, such as a choice among 100,000 names, of which it looks at few; for free text `max_prefixes` is soon
    reached. The score is that of `Beam`, without a length penalty. The prompts of a batch run one after the other.

    Args:
        k: number of texts, from 1 to `MOST_BEAMS`. Fewer are found where the constraint has fewer.
        max_prefixes: number of prefixes that may be extended for a prompt, at least 1. A prompt that needs more fails
            with a `ConstraintError`: a result would not be the most likely texts of all.
    Raises:
        OptionError: a value is out of range.
    Source:
        Hart, Nilsson and Raphael 1968, A Formal Basis for the Heuristic Determination of Minimum Cost Paths, with the
        heuristic 0; Meister, Vieira and Cotterell 2020, Best-First Beam Search, without a limit of the beam.
    """

    k: int = 1
    max_prefixes: int = 10_000

    def __post_init__(self) -> None:
        require_integer("k", self.k, least=1, most=MOST_BEAMS)
        require_integer("max_prefixes", self.max_prefixes, least=1)

    @property
    def rows_per_prompt(self) -> int:
        """See `Decoder`."""
        return _AT_ONCE

    @property
    def texts_per_prompt(self) -> int:
        """See `Decoder`."""
        return self.k

    def check(self, options: Options) -> None:
        """See `Decoder.check`."""
        check_search(options)

    def decode(self, walk: Walk, options: Options) -> Iterator[Piece]:
        """See `Decoder.decode`.

        Yields:
            One piece a prompt, the most likely text with the others; or a ConstraintError if `max_prefixes` is reached,
            or truncation removes every text.
        """
        for place in range(len(walk.rows)):
            own = walk.fork()
            own.keep([own.rows[place]])
            row = own.rows[0]
            try:
                texts = _Frontier(own, self).texts()
            except ConstraintError as error:
                yield Piece(row.place, "", error=error)
                continue
            yield ranked_piece(row.place, texts, bound=-math.inf) if texts else no_text(row)


class _Node:
    """Extended prefix: its walk of one row, and the tokens after it from the most likely one on.

    Attributes:
        walk: the row with the states of its guides and constraint.
        tokens: int64, (N,): possible tokens in descending order, of equally likely ones the lowest first.
        totals: float64, (N,), nats: log-probabilities of the longer prefixes.
    """

    def __init__(self, walk: Walk, start: float, scores: np.ndarray, eos: Sequence[int]) -> None:
        self.walk = walk
        ends = [token for token in eos if scores[token] > -math.inf]
        if ends:
            best = max(ends, key=lambda token: (scores[token], -token))
            total = np.logaddexp.reduce(scores[ends])
            scores[ends] = -math.inf
            scores[best] = total
        possible = np.flatnonzero(scores > -math.inf)
        order = np.argsort(-scores[possible], kind="stable")
        self.tokens = possible[order]
        self.totals = scores[self.tokens] + start


class _Frontier:
    """Prefixes and texts of one prompt that are not known to be less likely than a result."""

    def __init__(self, walk: Walk, how: MostLikely) -> None:
        self._how = how
        self._vocabulary = walk.vocabulary
        self._root: Row = walk.rows[0]
        self._extended = 0
        self._numbers = itertools.count()
        self._heap: list[tuple[float, int, _Node | ScoredText, int]] = []
        self._extend([(walk, 0.0)])

    def texts(self) -> list[ScoredText]:
        """The most likely texts in descending order, each of another text.

        Raises:
            ConstraintError: too many prefixes.
        """
        found: dict[str, ScoredText] = {}
        while self._heap and len(found) < self._how.k:
            waiting: list[tuple[Walk, float]] = []
            while self._heap and len(waiting) < _AT_ONCE:
                entry = heapq.heappop(self._heap)
                total, _, one, rank = entry
                if isinstance(one, ScoredText):
                    if waiting:  # whose texts may be more likely
                        heapq.heappush(self._heap, entry)
                        break
                    found.setdefault(one.completion.text, one)
                    if len(found) == self._how.k:
                        break
                    continue
                self._push(one, rank + 1)
                longer = self._longer(one, rank, -total)
                if longer is not None:
                    waiting.append((longer, -total))
            if waiting:
                self._extend(waiting)
        return list(found.values())

    def _longer(self, node: _Node, rank: int, total: float) -> Walk | None:
        """Walk of a longer prefix; None if that has ended, and is put on the heap, or was cut."""
        walk = node.walk.fork()
        walk.take([[int(node.tokens[rank])]])
        walk.settle(needs_end=True)
        row = walk.rows[0]
        if row.is_running:
            return walk
        text = ScoredText(completion_of(row, self._vocabulary), total, total)
        if text.has_ended:
            heapq.heappush(self._heap, (-total, next(self._numbers), text, 0))
        return None

    def _extend(self, walks: Sequence[tuple[Walk, float]]) -> None:
        """Compute the tokens after some prefixes in one call of the model."""
        self._extended += len(walks)
        if self._extended > self._how.max_prefixes:
            raise ConstraintError(
                f"prompt {self._root.number}: the {self._how.k} most likely texts are not known after "
                f"{self._how.max_prefixes} prefixes; raise max_prefixes of MostLikely, or search by Beam, which proves "
                "less"
            )
        joined = Walk.joined([walk for walk, _ in walks])
        scores = joined.log_probabilities().cpu().numpy()
        for (walk, start), row in zip(walks, scores, strict=True):
            self._push(_Node(walk, start, row.copy(), self._vocabulary.eos), 0)

    def _push(self, node: _Node, rank: int) -> None:
        """Put the next extension of a prefix on the heap."""
        if rank < len(node.tokens):
            heapq.heappush(self._heap, (-float(node.totals[rank]), next(self._numbers), node, rank))
