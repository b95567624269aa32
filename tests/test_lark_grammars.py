"""The grammars that come with lark, and what the real files of one of them look like."""

from __future__ import annotations

import itertools
import random
import re
from pathlib import Path

import lark
import pytest
from interegular import parse_pattern

from guidance_kit.errors import GrammarError, UnsupportedFeature
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.grammars.context_free.report import GrammarReport
from guidance_kit.grammars.grammar import grammar

FOLDER = Path(lark.__file__).parent / "grammars"


def read(automaton: Automaton, text: str) -> bool:
    path = automaton.advance(automaton.start, text.encode())
    return len(path) == len(text.encode()) and automaton.is_complete(int(path[-1]))


def test_the_grammar_of_grammars_reads_all_of_them():
    automaton = Automaton(grammar(FOLDER / "lark.lark").network())
    for file in FOLDER.glob("*.lark"):
        assert read(automaton, file.read_text()), file
    assert not read(automaton, "start: (")


# Terminals without which others are written, which have the empty text, so that no rule may use them.
EMPTY = {"_STRING_INNER", "_STRING_ESC_INNER"}


@pytest.mark.parametrize("file", ["common", "unicode"])
def test_all_terminals_can_be_used(file):
    names = re.findall(r"(?m)^([A-Z_]+)\s*:", (FOLDER / f"{file}.lark").read_text())
    for name in names:
        if name in EMPTY:
            with pytest.raises(GrammarError, match="has the empty text"):
                grammar(f"%import {file}.{name}\nstart: {name}")
        else:
            assert grammar(f"%import {file}.{name}\nstart: {name}").kind == "grammar"


def test_python_but_for_its_indentation():
    """Expressions are read; what needs _INDENT, which only a lexer with a memory can make, is refused by name."""
    with pytest.raises(UnsupportedFeature, match="%declare _INDENT"):
        grammar(FOLDER / "python.lark", start="file_input")
    automaton = Automaton(grammar(FOLDER / "python.lark", start="eval_input").network())
    assert read(automaton, "1+2")
    assert read(automaton, "lambda x, *y: x[1:2, ...] if f(a=1, **k) else {1: \"a\" 'b'}  # c")
    assert read(automaton, "[x async for x in y if not z]")
    assert read(automaton, 'f("""a"b"""  "" "c")')
    assert not read(automaton, '"""a"')
    assert not read(automaton, "a b")
    assert not read(automaton, "1 +")


def test_cost_does_not_grow_with_the_text():
    automaton = Automaton(grammar(FOLDER / "python.lark", start="eval_input").network())
    row = "f(1, x.y[2:], a=3*2+(3,)), "
    path = automaton.advance(automaton.start, ("[" + row * 2000).encode())
    assert len(path) == 1 + 2000 * len(row)
    assert automaton.statistics()["configurations"] < 200


def test_report():
    report = grammar('start: x | "if" | NAME\nx: y\ny: y "a"\nother: "b"\nNAME: /[a-z]+/\nEND: ";"').report
    assert isinstance(report, GrammarReport)
    assert (report.rules, report.terminals) == (3, 3)
    assert report.unused == ("other",)
    assert report.without_texts == ("x", "y")
    assert report.collisions == {("A", "NAME"): "a", ("IF", "NAME"): "if"}


@pytest.mark.parametrize("dialect", ["gbnf", "ebnf"])
def test_report_of_other_notations(dialect):
    source = 'root ::= "a" | [a-c]\nx ::= "d"'
    report = grammar(source, dialect=dialect).report
    assert report.unused == ("x",)
    assert list(report.collisions.values()) == ["a"]


def test_collisions_are_those_that_interegular_finds():
    """For terminals of which `re.match` takes the longest text."""
    pieces = ["a", "b", "c", "if", "[ab]", "[b-d]", "[a-z]"]
    found = 0
    for seed in range(60):
        rng = random.Random(seed)
        patterns = {
            f"T{number}": "".join(rng.choices(pieces, k=rng.randint(1, 3))) + rng.choice(["", "[a-c]+", "x?", "d*"])
            for number in range(5)
        }
        rules = " | ".join(patterns)
        terminals = "".join(f"\n{name}: /{pattern}/" for name, pattern in patterns.items())
        shared = {frozenset(pair) for pair in grammar(f"start: {rules}{terminals}\n").report.collisions}
        expected = {
            frozenset(pair)
            for pair in itertools.combinations(patterns, 2)
            if not parse_pattern(patterns[pair[0]]).to_fsm().isdisjoint(parse_pattern(patterns[pair[1]]).to_fsm())
        }
        assert shared == expected, patterns
        found += len(shared)
    assert found > 50
