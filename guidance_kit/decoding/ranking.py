"""Score and rank of a text among the texts of its prompt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["Ranking"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """Score and rank of a text, of a decoder that ranks the texts of a prompt.

    Attributes:
        rank: 0 for the best text.
        score: number by which texts are ranked, greatest first; its unit is that of the decoder. With `groups` of
            `Beam` the best texts of all groups come before the second ones.
        log_probability: ln of the probability of the tokens under the formula, with guides, temperature and truncation
            as in the call without the constraint, the end-of-sequence token included; nats. Masks do not renormalise
            it. None for a decoder that does not compute it.
        is_proven: no text within `max_tokens` that is not among the ranked ones has a greater score (up to
            `decoding.sampling.TIE`), whatever `n` is. So the first k texts are the k best of all if all are proven.
        inclusion: of `StochasticBeam`: probability in (0, 1] that the text is drawn, given the threshold.
        agreement: of a vote: share of the samples with the same value, in [0, 1], by JSON pointer; the pointer of the
            whole value is "".
    """

    rank: int
    score: float
    log_probability: float | None = None
    is_proven: bool = False
    inclusion: float | None = None
    agreement: Mapping[str, float] | None = field(default=None, hash=False)
