"""Plots of evaluations, drawn by matplotlib as SVG."""

from __future__ import annotations

import io
from typing import Any

from guidance_kit.errors import OptionError
from guidance_kit.evaluation.results import Plot
from guidance_kit.reports.fontconfig import font_messages

__all__ = ["plot_svg"]

_COLOURS = (
    "#2563eb",
    "#ea580c",
    "#059669",
    "#9333ea",
    "#db2777",
    "#ca8a04",
    "#0891b2",
    "#475569",
    "#65a30d",
    "#7f1d1d",
    "#0f172a",
    "#c4956a",
)
_MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")


def plot_svg(plot: Plot) -> str:
    """Plot as an SVG element, with text as text elements; equal plots give equal elements.

    Raises:
        OptionError: matplotlib is not installed.
    """
    try:
        with font_messages():  # matplotlib brings the fonts with it that the plot needs
            import matplotlib
            from matplotlib.backends.backend_svg import FigureCanvasSVG
            from matplotlib.figure import Figure
    except ImportError:
        raise OptionError("plots need matplotlib: pip install 'guidance-kit[evaluate]'") from None
    look: Any = {"svg.fonttype": "none", "svg.hashsalt": "guidance-kit", "font.family": "sans-serif", "font.size": 10}
    with matplotlib.rc_context(look):
        figure = Figure(figsize=(7.2, 4.8), layout="constrained")
        FigureCanvasSVG(figure)
        axes: Any = figure.subplots()
        if plot.has_diagonal:
            axes.plot([0, 1], [0, 1], color="#94a3b8", linewidth=1, linestyle=":", label="x = y")
        for number, curve in enumerate(plot.curves):
            colour, mark = _COLOURS[number % len(_COLOURS)], _MARKS[number % len(_MARKS)]
            axes.plot(curve.x, curve.y, color=colour, marker=mark, markersize=4, linewidth=1.5, label=curve.name)
            for x, y, label in zip(curve.x, curve.y, curve.labels, strict=False):
                axes.annotate(label, (x, y), textcoords="offset points", xytext=(6, 4), fontsize=8, color=colour)
        axes.set_xlabel(plot.x)
        axes.set_ylabel(plot.y)
        if plot.is_from_zero:
            axes.set_ylim(bottom=min(0, axes.get_ylim()[0]))
        axes.grid(color="#e2e8f0", linewidth=0.8)
        axes.spines[["top", "right"]].set_visible(False)
        if plot.curves:
            figure.legend(loc="outside lower center", ncols=3, fontsize=8, frameon=False)
        written = io.StringIO()
        figure.savefig(written, format="svg", metadata={"Date": None, "Creator": None})
    text = written.getvalue()
    return text[text.index("<svg") :].strip()
