"""Drawings of automata, laid out by Graphviz."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from guidance_kit.errors import OptionError
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.random_walk import index_over_bytes
from guidance_kit.reports.automaton_graph import AutomatonGraph, graph_of
from guidance_kit.reports.fontconfig import font_messages

__all__ = ["FORMATS", "constraint_svg", "draw"]

FORMATS = ("svg", "png", "pdf", "dot")

_INK, _PLACE, _GREY = "#1f2937", "#f59e0b", "#9ca3af"


def draw(graph: AutomatonGraph, path: Path, *, title: str, notes: Sequence[str] = ()) -> None:
    """Write a drawing: accepting nodes are double circles, the node after the given text is filled.

    Args:
        path: file to write; its suffix, one of FORMATS, is the format.
        title: line above the drawing.
        notes: lines below the drawing.
    Warns:
        RuntimeWarning: no fonts were found.
    Raises:
        OptionError: the suffix is none of FORMATS, Graphviz is not installed, or the file cannot be written.
    """
    form = path.suffix[1:].lower()
    if form not in FORMATS:
        raise OptionError.unknown(form, FORMATS, "format")
    drawing = _drawing(graph, title, notes)
    try:
        if form == "dot":
            path.write_text(drawing.string(), encoding="utf-8")
        else:
            path.write_bytes(_drawn(drawing, form))
    except OSError as error:
        raise OptionError(f"{path} cannot be written: {(error.strerror or str(error)).lower()}") from None


def constraint_svg(constraint: Constraint, *, most: int = 40) -> str:
    """Picture of the automaton of a constraint, as SVG.

    Args:
        most: about the greatest number of nodes.
    Raises:
        OptionError: Graphviz is not installed.
        ConstraintError: the constraint names tokens, which bytes do not have, or is beyond a limit.
    """
    graph = graph_of(index_over_bytes(constraint).automaton, most=most)
    return _drawn(_drawing(graph, constraint.kind), "svg").decode()


def _drawn(drawing: Any, form: str) -> bytes:
    """The drawing in a format of Graphviz.

    Warns:
        RuntimeWarning: no fonts were found.
    """
    with font_messages() as errors:
        drawn = drawing.draw(format=form, prog="dot")
    if errors:
        warnings.warn(
            f"letters of the drawing may be missing or of another width, as fonts were not found ({errors[0]}); "
            "install the package fontconfig with a font, or have FONTCONFIG_FILE name its configuration",
            RuntimeWarning,
            stacklevel=3,
        )
    return drawn


def _drawing(graph: AutomatonGraph, title: str, notes: Sequence[str] = ()) -> Any:
    """The graph with its looks, for Graphviz.

    Raises:
        OptionError: Graphviz is not installed.
    """
    try:
        import pygraphviz  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise OptionError("drawing needs Graphviz: pip install 'guidance-kit[draw]'") from None
    drawing: Any = pygraphviz.AGraph(directed=True, strict=False)
    drawing.graph_attr.update(
        rankdir="LR", fontname="Helvetica", fontsize="12", fontcolor=_INK, labelloc="b", labeljust="l", nodesep="0.25",
        ranksep="0.35", pad="0.3", bgcolor="white", label=_lines(notes),
    )  # fmt: skip
    drawing.node_attr.update(
        shape="circle", label="", width="0.22", fixedsize="true", color=_INK, style="filled", fillcolor="white"
    )
    drawing.edge_attr.update(fontname="DejaVu Sans Mono", fontsize="10", color=_INK, fontcolor=_INK, arrowsize="0.6")
    for node in graph.nodes:
        look: dict[str, str] = {"tooltip": f"configuration {node}"}
        if node in graph.complete:
            look |= {"shape": "doublecircle", "width": "0.18"}
        if node in graph.unexplored:
            look |= {"style": "dashed", "label": "…", "color": _GREY, "fontcolor": _GREY, "fixedsize": "false"}
        if node == graph.place:
            look |= {"fillcolor": _PLACE}
        drawing.add_node(node, **look)
    drawing.add_node("start", shape="none", width="0.01", height="0.01", tooltip="start")
    drawing.add_edge("start", graph.start)
    for source, targets in graph.edges.items():
        for target, label in targets.items():
            drawing.add_edge(source, target, label=_lines(label.split("\n")), tooltip=_lines([label]))
    drawing.add_subgraph(
        ["start", *graph.nodes], name="cluster", label=_lines([title]), labelloc="t", pencolor="none", fontsize="13"
    )
    return drawing


def _lines(lines: Sequence[str]) -> str:
    """Lines as a label, with escapes and HTML entities of Graphviz quoted."""
    return "".join(line.replace("\\", "\\\\").replace("&", "&amp;") + "\\l" for line in lines)
