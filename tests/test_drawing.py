"""Drawings of automata: the graph has the language of the pattern, and Graphviz makes a picture of it."""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from typer.testing import CliRunner

from guidance_kit.cli.application import app
from guidance_kit.errors import OptionError
from guidance_kit.grammars.choice import choice
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.grammars.regex import regex
from guidance_kit.grammars.regular.charset import CharSet
from guidance_kit.reports.automaton_graph import AutomatonGraph, graph_of, label_of
from guidance_kit.vocabulary import Vocabulary

pygraphviz = pytest.importorskip("pygraphviz")


def graph(constraint, text: str | None = None, most: int = 200) -> AutomatonGraph:
    return graph_of(constraint.compile(Vocabulary.from_bytes()).automaton, text, most=most)


def words_of(drawn: AutomatonGraph, alphabet: str, longest: int) -> set[str]:
    """The texts that a reader of the graph would accept; labels are words, or sets like `a–c x`."""

    def readings(label: str) -> set[str]:
        found: set[str] = set()
        for line in label.split("\n"):
            parts = line.split(" ")
            if all(len(part) == 1 or (len(part) == 3 and part[1] == "–") for part in parts):
                found |= {c for part in parts for c in alphabet if part[0] <= c <= part[-1]}
            else:
                found.add(line)
        return found

    accepted: set[str] = set()
    todo = [(drawn.start, "")]
    seen = set(todo)
    while todo:
        node, text = todo.pop()
        if node in drawn.complete:
            accepted.add(text)
        for target, label in drawn.edges.get(node, {}).items():
            for reading in readings(label):
                longer = (target, text + reading)
                if len(longer[1]) <= longest and longer not in seen:
                    seen.add(longer)
                    todo.append(longer)
    return accepted


@pytest.mark.parametrize(
    "pattern",
    [
        "abc",
        "a*",
        "(ab|ba)*c?",
        "[a-c]{2,4}",
        "a(bc)+",
        "(a|b)*abb",
        "abcabc|abc",
        "(?:a|ab)(?:c|bcd)",
        "a?b?c?",
        "cab+",
    ],
)
def test_the_graph_has_the_language_of_the_pattern(pattern):
    alphabet, longest = "abcd", 6
    expected = {
        text
        for length in range(longest + 1)
        for text in map("".join, itertools.product(alphabet, repeat=length))
        if re.fullmatch(pattern, text)
    }
    assert words_of(graph(regex(pattern)), alphabet, longest) == expected


def test_runs_without_a_choice_are_one_edge():
    drawn = graph(choice(["refund", "refuse", "delivery"]))
    assert sorted(label for targets in drawn.edges.values() for label in targets.values()) == [
        "delivery",
        "nd\nse",
        "refu",
    ]
    stands = graph(choice(["refund", "refuse", "delivery"]), "re")
    assert "fu" in set(stands.edges[stands.place].values())
    assert graph(regex("abc")).place is None


def test_escapes_are_one_edge():
    drawn = graph(json_schema({"type": "string"}, escapes="minimal"))
    inside = next(iter(drawn.edges[drawn.start]))
    assert drawn.edges[inside] == {inside: 'any but " \\ controls\n\\…', next(iter(drawn.complete)): '"'}


def test_large_automata_are_cut():
    schema = {"properties": {"again": {"$ref": "#"}}, "required": ["again"], "additionalProperties": False}
    drawn = graph(json_schema({**schema, "required": []}), most=10)
    assert drawn.unexplored
    assert len(drawn.nodes) < 60


@pytest.mark.parametrize(
    ("ranges", "label"),
    [
        ([(48, 57)], "0–9"),
        ([(32, 32), (97, 98), (0x7F, 0x7F)], "␣ a b U+007F"),
        ([(0, 0xD7FF), (0xE000, 0x10FFFF)], "any"),
        ([(0, 9), (11, 0xD7FF), (0xE000, 0x10FFFF)], "any but controls"),
        ([(32, 96), (98, 0xD7FF), (0xE000, 0x10FFFF)], "any but a controls"),
        ([(65, 0xD7FF), (0xE000, 0x10FFFF)], "any but ␣–@ controls"),
        ([(2 * k, 2 * k) for k in range(40, 60)], "P R T V X Z \\ ^ … (20 characters)"),
    ],
)
def test_labels(ranges, label):
    assert label_of(CharSet.of(ranges)) == label


def test_classes_have_their_names():
    assert next(iter(graph(regex(r"\d\W\s")).edges.values())).popitem()[1] == "\\d"
    assert {label for targets in graph(regex(r"\w|\S\d")).edges.values() for label in targets.values()} >= {
        "\\w",
        "\\d",
    }


@pytest.mark.parametrize("form", ["svg", "png", "pdf", "dot"])
def test_pictures(tmp_path: Path, form):
    path = tmp_path / f"a.{form}"
    done = CliRunner().invoke(app, ["draw", "--regex", r'"<&\\>"|é+', "-o", str(path), "--text", '"<&'])
    assert done.exit_code == 0, done.output
    beginning = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF", "dot": b"digraph"}[form]
    assert path.read_bytes().startswith(beginning)
    if form == "svg":
        texts = {node.text for node in ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}text")}
        assert {'"<&', '\\>"', "é"} <= texts, texts
        assert any("of 2,048 tokens of the bundled model" in str(text) for text in texts)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--regex", "a", "-o", "a.gif"], "unknown format 'gif'"),
        (["--regex", "a", "-o", "none/a.svg"], "there is no folder none for a.svg"),
        (["--regex", "ab", "--text", "ax"], "--text: character 1 of the text, 'x', is not allowed there"),
        (["--regex", "(a"], "missing )"),
        ([], "give either SCHEMA or --regex PATTERN"),
    ],
)
def test_what_cannot_be_drawn(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["draw", *arguments])
    assert done.exit_code != 0
    assert message in done.output
    assert not list(tmp_path.iterdir())


def test_without_graphviz(tmp_path, monkeypatch):
    from guidance_kit.reports import drawing

    monkeypatch.setitem(__import__("sys").modules, "pygraphviz", None)
    with pytest.raises(OptionError, match=r"guidance-kit\[draw\]"):
        drawing.draw(graph(regex("a")), tmp_path / "a.svg", title="a")
