"""Whether samples come from a known distribution. Tests only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping


def chi_square(samples: Iterable[Hashable], expected: Mapping[Hashable, float]) -> tuple[float, float]:
    """Pearson's statistic, and the value that it exceeds with probability 1e-6 if the samples are as expected.

    Outcomes with fewer than 5 expected samples are counted together; a single outcome has the statistic 0 up to
    rounding. The quantile is Wilson and Hilferty's (1931) approximation; 4.753 is the normal quantile of 1 - 1e-6. An
    outcome that is not in `expected` gives infinity.
    """
    counts = Counter(samples)
    total = sum(counts.values())
    if any(expected.get(outcome, 0) <= 0 for outcome in counts):
        return float("inf"), 0.0
    cells, rest = [], [0.0, 0.0]
    for outcome, probability in expected.items():
        pair = (float(counts[outcome]), probability * total)
        if pair[1] >= 5:
            cells.append(pair)
        else:
            rest = [rest[0] + pair[0], rest[1] + pair[1]]
    if rest[1] > 0:
        cells.append((rest[0], rest[1]))
    degrees = len(cells) - 1
    statistic = sum((seen - wanted) ** 2 / wanted for seen, wanted in cells)
    if not degrees:
        return statistic, 1e-6
    spread = 2 / (9 * degrees)
    return statistic, degrees * (1 - spread + 4.753 * spread**0.5) ** 3
