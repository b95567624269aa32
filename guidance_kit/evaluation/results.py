"""What an evaluation found, as data: tables, curves, samples; `reports.evaluation` makes pages of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from guidance_kit.decoding.completion import Completion

__all__ = ["Cell", "Column", "Curve", "Evaluation", "Plot", "Progress", "Sample", "Table", "Traced"]

Cell = str | float | int | None
"""None is shown as a dash."""

Progress = Callable[[str], None]
"""Is told what comes next."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Args:
        name: its heading.
        kind: how its cells are shown: "share" as percent of 1, "count" as a whole number, "number" with two decimals.
    """

    name: str
    kind: Literal["text", "share", "number", "count"] = "text"

    def shown(self, cell: Cell) -> str:
        """A cell as it is read.

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
    """Rows under columns, with a sentence or two on how to read them."""

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
    """Points joined by lines, in the order given.

    Args:
        labels: beside the points; none or one for each.
    """

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """Curves over two axes.

    Args:
        x, y: what the axes show, with units.
        has_diagonal: whether to draw where both are equal, for comparison.
        is_from_zero: whether the y axis begins at zero.
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
    """Texts to look at: what each is, and the text."""

    heading: str
    lines: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Traced:
    """Completions with log-probabilities, each after its prompt, for a page of their tokens."""

    prompts: tuple[str, ...]
    completions: tuple[Completion, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """What one evaluation found.

    Args:
        name: of its files, e.g. "toxicity".
        summary: sentences for a reader in a hurry.
        figures: what it comes to, for whoever compares runs.
        settings: what was evaluated, and how.
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
        """Everything but `traced`, as JSON values."""
        names = ("name", "title", "summary", "figures", "settings")
        listed = {part: [asdict(one) for one in getattr(self, part)] for part in ("tables", "plots", "samples")}
        return {name: getattr(self, name) for name in names} | listed
