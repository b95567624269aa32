"""Reports of an evaluation: an HTML page, and Markdown.

The page is a single file without external resources: its plots are SVG elements, and its content security policy
forbids scripts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import takewhile
from pathlib import Path

from guidance_kit.evaluation.results import Cell, Column, Evaluation, Example, Plot, Rate, Table
from guidance_kit.reports.plots import plot_svg

__all__ = ["evaluation_html", "evaluation_markdown"]

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def evaluation_html(evaluation: Evaluation, *, links: Sequence[tuple[str, str]] = ()) -> str:
    """HTML page, to be written to a file in UTF-8.

    Args:
        links: texts and addresses, relative to the page, listed below the summary.
    Raises:
        OptionError: the evaluation has plots, and matplotlib is not installed.
    """
    style = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
    summary = "\n".join(f"<li>{escape(sentence)}</li>" for sentence in evaluation.summary)
    further = "".join(f'<p class="link"><a href="{escape(where)}">{escape(name)}</a></p>\n' for name, where in links)
    parts = [
        "" if evaluation.headline is None else _table(evaluation.headline),
        *(_plot(number, plot) for number, plot in enumerate(evaluation.plots)),
        *map(_table, evaluation.tables),
        _samples(evaluation.samples),
        _settings(evaluation),
    ]
    body = "\n".join(filter(None, parts))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(evaluation.title)}</title>
<style>{style}</style>
</head>
<body>
<main>
<header>
<h1>{escape(evaluation.title)}</h1>
<ul class="summary">
{summary}
</ul>
{further}</header>
{body}
</main>
</body>
</html>
"""


def evaluation_markdown(evaluation: Evaluation, images: Sequence[str] = ()) -> str:
    """Markdown section of second level: summary, images of the plots, tables and settings.

    Args:
        images: addresses of the plots, in their order; empty for none.
    """
    lines = [f"## {evaluation.title}", "", " ".join(evaluation.summary), ""]
    if evaluation.headline is not None:
        lines += _markdown_table(evaluation.headline)
    for plot, image in zip(evaluation.plots, images, strict=bool(images)):
        lines += [f"![{plot.title}]({image})", ""]
    for table in evaluation.tables:
        lines += _markdown_table(table)
    settings = "; ".join(f"{name}: {value}" for name, value in evaluation.settings.items())
    return "\n".join([*lines, f"Settings: {settings}.", ""])


def _markdown_table(table: Table) -> list[str]:
    note = [table.note, ""] if table.note else []
    return [f"### {table.title}", "", *_markdown_rows(table), "", *note]


def _markdown_rows(table: Table) -> Iterable[str]:
    yield _markdown_row(column.name for column in table.columns)
    yield _markdown_row("---" if column.kind == "text" else "--:" for column in table.columns)
    for row in table.rows:
        yield _markdown_row(
            column.shown(cell).replace("|", "\\|") for column, cell in zip(table.columns, row, strict=True)
        )


def _markdown_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _table(table: Table) -> str:
    head = "".join(f"<th{_side(column)}>{escape(column.name)}</th>" for column in table.columns)
    rows = "\n".join(_row(table, number) for number in range(len(table.rows)))
    return f"""<section>
<h2>{escape(table.title)}</h2>
<div class="wide"><table>
<thead><tr>{head}</tr></thead>
<tbody>
{rows}
</tbody>
</table></div>
{_note(table.note)}</section>"""


def _row(table: Table, number: int) -> str:
    """Row of a table; equal texts of the first column, in rows one below the other, share a cell."""
    row = table.rows[number]
    cells = [f"<td{_side(column)}>{_cell(column, cell)}</td>" for column, cell in zip(table.columns, row, strict=True)]
    if isinstance(row[0], str):
        if number and table.rows[number - 1][0] == row[0]:
            return f"<tr>{''.join(cells[1:])}</tr>"
        height = sum(1 for _ in takewhile(lambda other: other[0] == row[0], table.rows[number:]))
        cells[0] = f'<td rowspan="{height}">{_cell(table.columns[0], row[0])}</td>'
    return f"<tr>{''.join(cells)}</tr>"


def _cell(column: Column, cell: Cell) -> str:
    """Cell; a rate has a bar above its numbers, with its interval as a line."""
    if not isinstance(cell, Rate) or not cell.total:
        return escape(column.shown(cell))
    low, high = (100 * bound for bound in cell.interval)
    share, detail = column.shown(cell).split(" (", 1)
    return (
        f'<span class="share">{escape(share)}</span> <small>({escape(detail)}</small>'
        '<svg class="rate" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="all" width="100" height="6"/>'
        f'<rect class="part" width="{100 * cell.share:.1f}" height="6"/>'
        f'<rect class="interval" x="{low:.1f}" y="2" width="{high - low:.1f}" height="2"/></svg>'
    )


def _side(column: Column) -> str:
    return "" if column.kind == "text" else ' class="figure"'


def _note(note: str) -> str:
    return f'<p class="note">{escape(note)}</p>\n' if note else ""


def _plot(number: int, plot: Plot) -> str:
    """Section of a plot, with a prefix on the identifiers of its SVG, so that those of several plots differ."""
    svg = plot_svg(plot)
    for mark in ('id="', "url(#", 'href="#'):
        svg = svg.replace(mark, f"{mark}p{number}-")
    return f"""<section>
<h2>{escape(plot.title)}</h2>
<figure role="img" aria-label="{escape(plot.title)}">
{svg}
</figure>
{_note(plot.note)}</section>"""


def _samples(samples: Sequence[Example]) -> str:
    if not samples:
        return ""
    shown = "\n".join(
        f"<article>\n<h3>{escape(sample.heading)}</h3>\n<dl>"
        + "".join(f'<dt>{escape(name)}</dt><dd dir="auto">{escape(text)}</dd>' for name, text in sample.lines)
        + "</dl>\n</article>"
        for sample in samples
    )
    return f"<section>\n<h2>To look at</h2>\n{shown}\n</section>"


def _settings(evaluation: Evaluation) -> str:
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in evaluation.settings.items())
    return f'<section>\n<h2>How it was measured</h2>\n<dl class="settings">{rows}</dl>\n</section>'
