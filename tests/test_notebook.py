"""Notebooks: examples/quickstart.ipynb runs, completions show their trace and constraints their picture."""

from __future__ import annotations

import ast
import json
import re
import sys
import xml.etree.ElementTree as ElementTree
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from small_models import small_llama

import guidance_kit as gk
from guidance_kit.models.loading import bundled_models
from tools.family import FAMILY

NOTEBOOK = Path(__file__).resolve().parent.parent / "examples" / "quickstart.ipynb"


def shown(cells: list[str]) -> list[Any]:
    """Values of the last expressions of cells that run one after the other, as a notebook shows them."""
    here: dict[str, Any] = {}
    values: list[Any] = []
    for cell in cells:
        tree = ast.parse(cell)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, str(NOTEBOOK), "exec", dont_inherit=True), here)
        values.append(None if last is None else eval(compile(ast.Expression(last.value), str(NOTEBOOK), "eval"), here))
    return values


@pytest.mark.skipif(
    not set(FAMILY) <= set(bundled_models()), reason="the family is not in this checkout; tools/train_family makes it"
)
@pytest.mark.slow
def test_the_quick_start_runs():
    written = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert (written["nbformat"], written["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in written["cells"]}) == len(written["cells"])
    cells = [cell for cell in written["cells"] if cell["cell_type"] == "code"]
    assert not any(cell["outputs"] for cell in cells)
    loaded, date, met, ticket, steered = shown(["".join(cell["source"]) for cell in cells])
    assert loaded is None
    assert re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", met.text)
    assert isinstance(date, gk.Constraint)
    assert (ticket.name, ticket.order_id, ticket.amount) == ("Laura Smith", "48213", 49.9)
    for completion in (met, steered):
        assert "Why these tokens?" in completion._repr_html_()


def test_a_completion_shows_its_trace_in_a_frame():
    """Nothing of the page or the text leaves the attribute that holds it."""
    model = gk.Model(small_llama())
    completion = model.generate("x", gk.choice(['"><script>alert(1)</script>']), logprobs=1)
    frame = completion._repr_html_()
    assert frame is not None
    tag = re.fullmatch(r'<iframe srcdoc="([^"]*)" sandbox="allow-scripts" [^<>]*></iframe>', frame)
    assert tag is not None
    assert unescape(tag[1]) == completion.to_html()
    assert model.generate("x", gk.choice(["a"]))._repr_html_() is None


@pytest.mark.parametrize(
    "constraint",
    [
        gk.regex("a+b"),
        gk.choice(["yes", "no"]),
        gk.json_schema({"type": "object"}),
        gk.sequence("a", gk.text(until="b")),
    ],
    ids=lambda constraint: constraint.kind,
)
def test_a_constraint_shows_its_automaton(constraint):
    pytest.importorskip("pygraphviz")
    root = ElementTree.fromstring(constraint._repr_svg_())
    assert root.tag.endswith("svg")
    assert len(root.findall(".//{*}g[@class='node']")) > 2


def test_a_constraint_shows_its_text_without_graphviz(monkeypatch):
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    assert gk.regex("a+b")._repr_svg_() is None
