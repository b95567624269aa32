"""Results of an evaluation as data: tables, curves and samples; `reports.evaluation` renders them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from guidance_kit.decoding.completion import Completion

__all__ = ["Cell", "Column", "Curve", "Evaluation", "Example", "Plot", "Progress", "Rate", "Table", "Traced"]


@dataclass(frozen=True, slots=True)
class Rate:
    """Share of successes in a number of trials."""

    count: int
    total: int

    def __post_init__(self) -> None:
        if not 0 <= self.count <= self.total:
            raise ValueError(f"{self.count} of {self.total}")

    @property
    def share(self) -> float:
        """Share in [0, 1]; 0 without trials."""
        return self.count / max(self.total, 1)

    @property
    def interval(self) -> tuple[float, float]:
        """95 % score interval of the probability, for independent trials; all of [0, 1] without any.

        Source: Wilson 1927, Probable Inference, the Law of Succession, and Statistical Inference.

        >>> [round(bound, 2) for bound in Rate(12, 12).interval]
        [0.76, 1.0]
        """
        if not self.total:
            return 0.0, 1.0
        z, n, p = 1.959964, self.total, self.share
        centre = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return max(0.0, centre - half), min(1.0, centre + half)

    def is_apart_from(self, other: Rate) -> bool:
        """Test for intervals that do not overlap."""
        (low, high), (other_low, other_high) = self.interval, other.interval
        return high < other_low or other_high < low


Cell = str | float | int | Rate | None
"""Cell of a table; None is shown as a dash."""

Progress = Callable[[str], None]
"""Callback with a description of the next step."""


@dataclass(frozen=True, slots=True)
class Column:
    """Column of a table.

    Args:
        name: heading.
        kind: format of the cells: "share" as a percentage, "count" as a whole number, "number" with two decimals,
            "rate" for a `Rate` as percentage, counts and interval.
    """

    name: str
    kind: Literal["text", "share", "number", "count", "rate"] = "text"

    def shown(self, cell: Cell) -> str:
        """Formatted cell.

        >>> Column("rude", "share").shown(0.125), Column("rude", "share").shown(None)
        ('12.5 %', '–')
        >>> Column("valid", "rate").shown(Rate(12, 12))
        '100 % (12/12; 76–100)'
        >>> Column("valid", "rate").shown(Rate(398, 400))  # not all
        '99.5 % (398/400; 98–100)'
        """
        if cell is None:
            return "–"
        if isinstance(cell, Rate):
            low, high = cell.interval
            if not cell.total:
                return "–"
            percent = 100 * cell.share
            digits = 1 if 0 < percent < 0.5 or 99.5 <= percent < 100 else 0
            return f"{percent:.{digits}f} % ({cell.count}/{cell.total}; {100 * low:.0f}–{100 * high:.0f})"
        if isinstance(cell, str) or self.kind == "text":
            return str(cell)
        return {"share": f"{100 * cell:.1f} %", "number": f"{cell:.2f}", "count": f"{cell:,.0f}"}[self.kind]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Table with a note on how to read it."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"{self.title}: {len(self.columns)} columns, but a row of {len(row)}: {row}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """Curve through points, in the order given.

    Args:
        labels: labels of the points; none or one for each.
    """

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """Curves over two axes.

    Args:
        x, y: titles of the axes, with units.
        has_diagonal: draw the line x = y for comparison.
        is_from_zero: start the y axis at zero.
    """

    title: str
    x: str
    y: str
    curves: tuple[Curve, ...]
    note: str = ""
    has_diagonal: bool = False
    is_from_zero: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """Example for the reader: a heading, and pairs of a name and a text."""

    heading: str
    lines: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Traced:
    """Completions with log-probabilities and their prompts, for a trace page."""

    prompts: tuple[str, ...]
    completions: tuple[Completion, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """Results of one evaluation.

    Args:
        name: base name of its files, e.g. "toxicity".
        summary: sentences with the main results.
        figures: main metrics by name, for the comparison of runs.
        settings: models, data and options.
        headline: table at the head, before the plots.
    """

    name: str
    title: str
    summary: tuple[str, ...]
    figures: Mapping[str, float]
    settings: Mapping[str, str]
    tables: tuple[Table, ...]
    headline: Table | None = None
    plots: tuple[Plot, ...] = ()
    samples: tuple[Example, ...] = ()
    traced: Traced | None = field(default=None, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """All fields but `traced`, as JSON values."""
        names = ("name", "title", "summary", "figures", "settings")
        listed = {part: [asdict(one) for one in getattr(self, part)] for part in ("tables", "plots", "samples")}
        headline = None if self.headline is None else asdict(self.headline)
        return {name: getattr(self, name) for name in names} | {"headline": headline} | listed
