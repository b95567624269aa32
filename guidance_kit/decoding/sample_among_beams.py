"""Sample among beams: a text drawn among the results of a beam search."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from guidance_kit.decoding.beam import MOST_BEAMS, Beam
from guidance_kit.decoding.completion import Completion
from guidance_kit.decoding.ranked_texts import check_drawn_texts
from guidance_kit.decoding.ranking import Ranking
from guidance_kit.decoding.row import Piece
from guidance_kit.decoding.sampling import require_integer
from guidance_kit.decoding.walk import Walk

if TYPE_CHECKING:
    from guidance_kit.decoding.options import Options

__all__ = ["SampleAmongBeams"]


@dataclass(frozen=True, slots=True)
class SampleAmongBeams:
    """Draw among the texts of a beam search in proportion to their probability under the formula.

    It is no sample of the model: a text that the beam does not find has the probability 0, so the law depends on
    `width`, favours likely texts, and supports no estimate of what the model would write. Some call it stochastic beam
    search; the sampling without replacement of that name, with inclusion probabilities, is `StochasticBeam`. It suits
    variety among good texts. Where the beam holds all texts of a constraint, the law is the model's given the
    constraint.

    `n=` draws several texts without replacement. `Ranking.score` is ln of the share of a text in the probability of
    all texts of the beam.

    Args:
        width: see `Beam`.
    Raises:
        OptionError: a value is out of range.
    """

    width: int = 4

    def __post_init__(self) -> None:
        require_integer("width", self.width, least=1, most=MOST_BEAMS)

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
        check_drawn_texts(options)

    def decode(self, walk: Walk, options: Options) -> Iterator[Piece]:
        """See `Decoder.decode`.

        Yields:
            One piece a prompt, the text that was drawn first with the others; or an error as `Beam.decode`.
        """
        seeds = {row.place: row.seed for row in walk.rows}
        for piece in Beam(self.width).decode(walk, options):
            found = piece.completion
            yield piece if found is None else _in_drawn_order(piece.row, [found, *piece.others], seeds[piece.row])


def _in_drawn_order(place: int, texts: list[Completion], seed: int) -> Piece:
    """Piece with the texts of a prompt in an order drawn without replacement, by the Gumbel-top-k trick."""
    rankings = [one.ranking for one in texts if one.ranking is not None]
    logs = np.array([ranking.log_probability for ranking in rankings])
    shares = logs - np.logaddexp.reduce(logs)
    perturbed = shares + np.random.Generator(np.random.PCG64(seed)).gumbel(size=len(shares))
    drawn = [
        replace(
            texts[one],
            ranking=Ranking(rank=rank, score=float(shares[one]), log_probability=rankings[one].log_probability),
        )
        for rank, one in enumerate(np.argsort(-perturbed, kind="stable").tolist())
    ]
    return Piece(place, drawn[0].text, drawn[0], others=tuple(drawn[1:]))
