"""Length of drafts: the number of proposed tokens that takes the least time per token, by measured times."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["DraftLength", "expected_tokens"]

_MOST = 16
"""Maximum number of proposed tokens."""

_TRIED = 4
"""Number of tokens proposed at first."""

_WEIGHT = 0.3
"""Weight of a new measurement in a running mean of seconds."""

_KEPT = 0.96
"""Factor of earlier acceptances when a block is noted: about 25 blocks count."""

_PRIOR = (3.0, 1.0)
"""Accepted and rejected tokens assumed at first."""

_WIDENED = 0.15
"""Time of a further position in a call, as a share of a call for one token, until it is measured."""

_LEAST_GAIN = 0.05
"""Share of the time per token that proposals must save in a batch, which lasts as long as its slowest row."""

_FIRST_PROBE, _LAST_PROBE = 32, 512
"""Blocks without proposals before the first try again; the number is doubled after each up to the last."""


def expected_tokens(acceptance: float, ahead: int) -> float:
    """Expected number of tokens of a block: (1 - b^(g+1)) / (1 - b).

    Args:
        acceptance: probability b of a proposed token to be accepted, in [0, 1].
        ahead: number g of proposed tokens.
    Source: Leviathan et al. 2023, Fast Inference from Transformers via Speculative Decoding, equation 1.
    """
    return ahead + 1.0 if acceptance >= 1 else (1 - acceptance ** (ahead + 1)) / (1 - acceptance)


class DraftLength:
    """Number of proposed tokens g that minimises (v(g+1) + g d) (1 - b) / (1 - b^(g+1)).

    v(k) is the measured time of a call of the target for k positions, the models among its terms included, d that of a
    proposed token, and b the acceptance. A draft that does not pay is not asked, but for rare probes.

    Rows of a batch that took different numbers of tokens are moved in the caches of their models by the next call. The
    time of that is part of v(k) for k > 1, and not of v(1): without a draft nothing would move.

    Args:
        nodes: for a draft of trees the number of nodes of a tree of g tokens in depth, so that a call has v(nodes + 1).
        most: maximum of g.
    Attributes:
        step_seconds: time of a call of the target for one position, nothing moved; None until it was measured.
    """

    def __init__(self, nodes: Callable[[int], int] | None = None, most: int | None = None) -> None:
        self._nodes = nodes or (lambda ahead: ahead)
        self._most = _MOST if most is None else min(most, _MOST)
        self._calls: dict[int, float] = {}
        self._moved: dict[int, float] = {}
        self._draft: float | None = None
        self._accepted, self._rejected = _PRIOR
        self._noted = 0
        self._idle = 0
        self._next_probe = _FIRST_PROBE

    @property
    def step_seconds(self) -> float | None:
        """See the attributes."""
        return self._calls.get(1)

    @property
    def acceptance(self) -> float:
        """Estimated probability of a proposed token to be accepted."""
        return self._accepted / (self._accepted + self._rejected)

    def choose(self, rows: int = 1) -> int:
        """Number of tokens to propose next.

        Args:
            rows: number of rows. Several start without proposals, so that v(1) is known before any of them moves.
        """
        if self.step_seconds is None:
            return _TRIED if rows == 1 and not self._noted else 0
        if self._draft is None:
            return _TRIED
        best = min(range(self._most + 1), key=self.seconds_per_token)
        least = _LEAST_GAIN if rows > 1 else 0.0
        if best and self.seconds_per_token(best) < (1 - least) * self.seconds_per_token(0):
            self._idle, self._next_probe = 0, _FIRST_PROBE
            return best
        self._idle += 1
        if self._idle <= self._next_probe:
            return 0
        self._idle, self._next_probe = 0, min(2 * self._next_probe, _LAST_PROBE)
        self._accepted, self._rejected = self._accepted / 2, self._rejected / 2  # the text may have changed since
        return 2

    def seconds_per_token(self, ahead: int) -> float:
        """Expected time per token with so many proposed ones."""
        return (self.call_seconds(self._nodes(ahead) + 1) + ahead * (self._draft or 0.0)) / expected_tokens(
            self.acceptance, ahead
        )

    def call_seconds(self, width: int) -> float:
        """Time of a call of the target for a number of positions: measured, or estimated from measured ones.

        For several positions of a batch, whose rows are moved, it is what the nearest such call took, more or less by
        the difference of the calls in which nothing moved.
        """
        if width == 1 or not self._moved:
            return self._still_seconds(width)
        near = min(self._moved, key=lambda one: (abs(one - width), one))
        return max(self._moved[near] + self._still_seconds(width) - self._still_seconds(near), 0.25 * self._moved[near])

    def _still_seconds(self, width: int) -> float:
        """Time of a call in which no row is moved: measured, or on a line between measured ones."""
        known = self._calls
        if width in known:
            return known[width]
        below = max((one for one in known if one < width), default=None)
        above = min((one for one in known if one > width), default=None)
        if below is None or above is None:
            near = below if above is None else above
            assert near is not None, "no call was measured"
            first = min(known)
            slope = _WIDENED * known[first]
            if above is None and near > first:  # further on as on the way there
                slope = max(0.0, known[near] - known[first]) / (near - first)
            return max(known[near] + slope * (width - near), 0.25 * known[near])
        share = (width - below) / (above - below)
        return known[below] + share * (known[above] - known[below])

    def note(
        self,
        *,
        width: int,
        proposed: int,
        draft_seconds: float,
        target_seconds: float,
        accepted: int,
        rejected: int,
        is_moved: bool = False,
    ) -> None:
        """Note a block.

        Args:
            width: number of positions of the call of the target.
            proposed: number of tokens of the longest proposal.
            draft_seconds, target_seconds: time of the proposals, and of the call with its draws.
            accepted, rejected: tokens of all rows.
            is_moved: the rows took different numbers of tokens before.
        """
        self._noted += 1
        calls = self._moved if is_moved and self._calls else self._calls
        calls[width] = _running(calls.get(width), target_seconds)
        if proposed:
            self._draft = _running(self._draft, draft_seconds / proposed)
        if accepted or rejected:
            self._accepted = self._accepted * _KEPT + accepted
            self._rejected = self._rejected * _KEPT + rejected


def _running(mean: float | None, value: float) -> float:
    """Running mean with a new value; a lower value replaces it, for interruptions only add time."""
    if mean is None or value < mean:
        return value
    return mean + _WEIGHT * (value - mean)
