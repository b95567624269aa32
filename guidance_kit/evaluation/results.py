"""Results of an evaluation as data: tables, curves and samples; `reports.evaluation` renders them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from guidance_kit.decoding.completion import Completion

__all__ = ["Cell", "Column", "Curve", "Evaluation", "Plot", "Progress", "Sample", "Table", "Traced"]

Cell = str | float | int | None
"""Cell of a table; None is shown as a dash."""

Progress = Callable[[str], None]
"""Callback with a description of the next step."""


@dataclass(frozen=True, slots=True)
class Column:
    """Column of a table.

    Args:
        name: heading.
        kind: format of the cells: "share" as a percentage, "count" as a whole number, "number" with two decimals.
    """

    name: str
    kind: Literal["text", "share", "number", "count"] = "text"

    def shown(self, cell: Cell) -> str:
        """Formatted cell.

        >>> Column("rude", "share").shown(0.125), Column("rude", "share").shown(None)
        ('12.5 %', '–')
        """
        if cell is None:
            return "–"
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
class Sample:
    """Sample for the reader: a heading, and pairs of a name and a text."""

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
    """

    name: str
    title: str
    summary: tuple[str, ...]
    figures: Mapping[str, float]
    settings: Mapping[str, str]
    tables: tuple[Table, ...]
    plots: tuple[Plot, ...] = ()
    samples: tuple[Sample, ...] = ()
    traced: Traced | None = field(default=None, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """All fields but `traced`, as JSON values."""
        names = ("name", "title", "summary", "figures", "settings")
        listed = {part: [asdict(one) for one in getattr(self, part)] for part in ("tables", "plots", "samples")}
        return {name: getattr(self, name) for name in names} | listed
