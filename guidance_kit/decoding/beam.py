"""Beam search, with diverse groups: texts of high probability under the formula and the constraint."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from torch import Tensor

from guidance_kit.decoding.extensions import Extensions, renormalised
from guidance_kit.decoding.kept_places import continued, in_kept_places
from guidance_kit.decoding.ranked_texts import (
    BestTexts,
    ScoredText,
    check_search,
    completion_of,
    descending,
    no_text,
    ranked_piece,
)
from guidance_kit.decoding.row import Piece, Row
from guidance_kit.decoding.sampling import TIE, require_integer, require_number
from guidance_kit.decoding.walk import Walk
from guidance_kit.errors import OptionError

if TYPE_CHECKING:
    from guidance_kit.decoding.options import Options
    from guidance_kit.vocabulary import Vocabulary

__all__ = ["MOST_BEAMS", "Beam"]

MOST_BEAMS = 100_000
"""Maximum number of texts that a search for one prompt runs at once or returns."""


@dataclass(frozen=True, slots=True)
class Beam:
    """Beam search: the most likely prefixes of each length run on, and the best texts that ended are the result.

    The score of a text is ln of its probability under the formula (with guides, temperature and truncation of the
    call), the end-of-sequence token included: a mask forbids tokens and does not renormalise the others, so a text is
    not preferred because the constraint forced it. Nothing is drawn: temperature 0 stands for temperature 1 without
    truncation, and the seed has no effect.

    A text ends where the end of the sequence is among the `width` most likely continuations of all beams. Of one text
    in several tokenizations the most likely one counts. Texts that ended come before texts that were cut at
    `max_tokens`. The search stops when no running prefix can lead to a better text; `Ranking.is_proven` says whether
    the prefixes that were dropped could have.

    Args:
        width: number of prefixes that run at once, and of texts that are kept, from 1 to `MOST_BEAMS`. At 1 without a
            constraint the text is that of greedy decoding.
        length_penalty: exponent a of the score log-probability / length^a, with the length in tokens. 0 ranks by
            probability, and prefers short texts; 1 by the mean log-probability of a token.
        groups: number of groups, a divisor of `width`, each with a beam of its own. At each step a group avoids the
            tokens that earlier groups have just taken.
        diversity: nats by which a token counts less in a group for each time an earlier group took it at the same step,
            at least 0. It acts on the choice of prefixes and is no part of the score.
        early: stop as soon as `width` texts have ended, though running prefixes may lead to better ones.
        local: score by the probabilities as they are drawn, renormalised over the allowed tokens at each step. It
            favours texts that the constraint forced.
    Raises:
        OptionError: a value is out of range.
    Source:
        Lowerre 1976, The HARPY Speech Recognition System (beam search); Vijayakumar et al. 2018, Diverse Beam Search,
        algorithm 1 with Hamming diversity. There a text that ends takes the place of a running prefix; here it does
        not. transformers adds the penalties of all steps to the score.
    """

    width: int = 4
    length_penalty: float = 0.0
    groups: int = 1
    diversity: float = 0.5
    early: bool = False
    local: bool = False

    def __post_init__(self) -> None:
        require_integer("width", self.width, least=1, most=MOST_BEAMS)
        require_number("length_penalty", self.length_penalty, "a finite number", math.isfinite)
        require_integer("groups", self.groups, least=1, most=self.width)
        if self.width % self.groups:
            raise OptionError(f"groups must divide width, and {self.width} is no multiple of {self.groups}")
        require_number("diversity", self.diversity, "a number, at least 0", lambda nats: 0 <= nats < math.inf)
        for name in ("early", "local"):
            if not isinstance(getattr(self, name), bool):
                raise OptionError(f"{name} must be True or False, not {getattr(self, name)!r}")

    @property
    def rows_per_prompt(self) -> int:
        """See `Decoder`."""
        return self.width

    @property
    def texts_per_prompt(self) -> int:
        """See `Decoder`."""
        return self.width

    def check(self, options: Options) -> None:
        """See `Decoder.check`."""
        check_search(options)

    def score(self, log_probability: float, length: int) -> float:
        """Score of a text of `length` tokens."""
        return log_probability / length**self.length_penalty

    def bound(self, log_probability: float, length: int, longest: int | None) -> float:
        """Greatest score of the texts with a prefix of `length` tokens, at most `longest` tokens long."""
        if self.length_penalty <= 0:
            return self.score(log_probability, length + 1)
        return 0.0 if longest is None else self.score(log_probability, max(longest, length + 1))

    def decode(self, walk: Walk, options: Options) -> Iterator[Piece]:
        """See `Decoder.decode`. The beams of all prompts are one batch.

        Yields:
            One piece a prompt, the best text with the others; or a ConstraintError if truncation removes every allowed
            token in all beams of the prompt.
        """
        searches = [_BeamSearch(row, self) for row in walk.rows]
        while searches:
            walk.keep([beam.row for search in searches for beam in search.distinct])
            scores = walk.log_probabilities()
            children, tokens = self._extended(searches, renormalised(scores) if self.local else scores, walk.vocabulary)
            if children:
                walk.keep([beam.row for beam in children])
                walk.take([[token] for token in tokens])
                walk.settle(needs_end=True)
            for search in searches:
                search.finish_step(walk.vocabulary)
                if not search.is_running:
                    yield search.piece()
            searches = [search for search in searches if search.is_running]

    def _extended(
        self, searches: Sequence[_BeamSearch], scores: Tensor, vocabulary: Vocabulary
    ) -> tuple[list[_Beam], list[int]]:
        """Extend all searches by a token; their new beams, and the tokens that these take."""
        extensions = Extensions(scores, vocabulary.eos, self.width + 1)
        children: list[_Beam] = []
        tokens: list[int] = []
        first = 0
        for search in searches:
            own = search.extend(extensions, first)
            first += len(search.distinct)
            search.replace_beams([beam for beam, _ in own])
            children += [beam for beam, _ in own]
            tokens += [token for _, token in own]
        return children, tokens


@dataclass(frozen=True, slots=True)
class _Beam:
    """Prefix in a group, with ln of its probability."""

    row: Row
    log_probability: float
    group: int


class _BeamSearch:
    """Beams and finished texts of one prompt.

    Attributes:
        distinct: running beams, each with a row of its own; at first one for all groups.
        bound: greatest score that a text with a dropped prefix may have.
    """

    def __init__(self, row: Row, how: Beam) -> None:
        self._root, self._how = row, how
        self._groups = [BestTexts(how.width // how.groups) for _ in range(how.groups)]
        self._length = 0
        self.distinct = [_Beam(row, 0.0, 0)]
        self.bound = -math.inf

    @property
    def is_running(self) -> bool:
        """Test for a prefix that may lead to a better text."""
        return bool(self.distinct)

    def extend(self, extensions: Extensions, first: int) -> list[tuple[_Beam, int]]:
        """Best extensions of the beams of each group.

        Args:
            extensions: of all rows; those of this search begin at row `first`.
        Returns:
            Beams, and the token that each takes next; those that end the text come last.
        """
        found: list[tuple[Row, float, int, int]] = []
        ending: list[tuple[Row, float, int, int]] = []
        taken: dict[int, int] = {}
        is_first = self._length == 0
        self._length += 1
        for group, texts in enumerate(self._groups):
            places = [place for place, beam in enumerate(self.distinct) if is_first or beam.group == group]
            if not places:
                continue
            starts = np.array([self.distinct[place].log_probability for place in places])
            chosen = extensions.best(
                [first + place for place in places],
                starts,
                texts.capacity,
                penalties={token: count * self._how.diversity for token, count in taken.items()},
            )
            self._drop(chosen.greatest_dropped)
            self.bound = max(self.bound, self._how.score(chosen.greatest_dropped_end, self._length))
            for parent, token, total, is_end in chosen.extensions:
                limit = self._how.score(total, self._length) if is_end else self._limit(total)
                if limit > texts.least + TIE:
                    row = self.distinct[places[parent]].row
                    (ending if is_end else found).append((row, total, group, token))
                    taken[token] = taken.get(token, 0) + 1
                elif not is_end:
                    self._drop(total)
        order = in_kept_places([row for row, *_ in found], first)
        children = [*(found[number] for number in order), *ending]
        rows = continued([row for row, *_ in children])
        return [(_Beam(row, total, group), token) for row, (_, total, group, token) in zip(rows, children, strict=True)]

    def replace_beams(self, beams: Sequence[_Beam]) -> None:
        """Go on with the given beams."""
        self.distinct = list(beams)

    def finish_step(self, vocabulary: Vocabulary) -> None:
        """Collect the texts that ended, and drop the prefixes that cannot lead to a better one."""
        running: list[_Beam] = []
        for beam in self.distinct:
            if beam.row.is_running:
                running.append(beam)
                continue
            score = self._how.score(beam.log_probability, self._length)
            text = ScoredText(completion_of(beam.row, vocabulary), score, beam.log_probability)
            self._groups[beam.group].add(text)
        self.distinct = []
        for beam in running:
            texts = self._groups[beam.group]
            is_full = len(texts.ended) == texts.capacity
            limit = self._limit(beam.log_probability)
            if is_full and (self._how.early or limit <= texts.least + TIE):
                self._drop(beam.log_probability)
            else:
                self.distinct.append(beam)

    def piece(self) -> Piece:
        """Texts of all groups: their best ones first, then their second ones, and so on."""
        lists = [texts.ended for texts in self._groups]
        if not any(lists):
            lists = [texts.cut for texts in self._groups]
        found: dict[str, ScoredText] = {}
        for rank in range(self._groups[0].capacity):
            level = [texts[rank] for texts in lists if rank < len(texts)]
            for place in descending(np.array([text.score for text in level])):
                found.setdefault(level[place].completion.text, level[place])
        return ranked_piece(self._root.place, found.values(), bound=self.bound) if found else no_text(self._root)

    def _limit(self, log_probability: float) -> float:
        """Greatest score of the texts with a prefix one token longer than the beams."""
        return self._how.bound(log_probability, self._length, self._root.room)

    def _drop(self, log_probability: float) -> None:
        """Record the bound of a dropped prefix."""
        if log_probability > -math.inf:
            self.bound = max(self.bound, self._limit(log_probability))
