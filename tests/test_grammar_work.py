"""Work to compile a grammar, counted: each part is made once for all the places that have it in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from guidance_kit.fsm.network import Network
from guidance_kit.fsm.opcodes import CALL, FINAL, JUMP, LOOP
from guidance_kit.grammars.context_free import CompiledGrammar
from guidance_kit.grammars.context_free.condition_product import ConditionProduct
from guidance_kit.grammars.context_free.lalr_table import Transitions
from guidance_kit.grammars.context_free.lexeme import Lexeme
from guidance_kit.grammars.context_free.lexer_graph import LexerGraph
from guidance_kit.grammars.context_free.maximal_munch import MaximalMunch
from guidance_kit.grammars.context_free.scannerless import Scannerless
from guidance_kit.grammars.context_free.writer import _GrammarWriter
from guidance_kit.grammars.lark import read_lark, read_lexed

PROGRAM = """
start: (statement? NEWLINE)*
statement: "return" test? | "assert" test | "pass" | "for" NAME "in" test ":" statement | test ("=" test)?
test: either | either "if" either "else" test | "lambda" NAME ":" test
either: both | either "or" both
both: negation | both "and" negation
negation: comparison | "not" negation
comparison: sum | comparison ("<" | ">" | "==" | "in" | "is") sum
sum: product | sum ("+" | "-") product
product: factor | product ("*" | "/" | "//") factor
factor: power | "-" factor
power: primary | primary "**" factor
primary: atom | primary "." NAME | primary "(" (test ("," test)*)? ")" | primary "[" test "]"
atom: NAME | NUMBER | STRING | "True" | "None" | "(" test ")" | "[" (test ("," test)*)? "]"
NAME: /[a-zA-Z_][a-zA-Z_0-9]*/
NUMBER: /[0-9]+(\\.[0-9]*)?/
STRING: /"([^"\\\\\\n]|\\\\[^\\n])*"/
NEWLINE: /\\n/
COMMENT: /#[^\\n]*/
SPACE: /[ \\t]+/
%ignore COMMENT
%ignore SPACE
"""


def counted(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, run: Callable[[], object]) -> int:
    """Number of calls of a method while a function runs."""
    calls = 0
    method = owner.__dict__[name]
    function = method.__func__ if isinstance(method, classmethod) else method

    def counting(*args: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        return function(*args, **options)

    with monkeypatch.context() as patch:
        patch.setattr(owner, name, classmethod(counting) if isinstance(method, classmethod) else counting)
        run()
    return calls


@pytest.mark.parametrize(
    ("owner", "name", "most"),
    [
        (Lexeme, "of_classes", 60),  # terminals, each of them in few lexers with other texts
        (LexerGraph, "_following", 200),  # states of all lexers
        (MaximalMunch, "_ways", 30),  # obligations, in each set of them
        (Transitions, "_rest", 100),  # productions behind their first symbols
        (ConditionProduct, "_expand", 150),  # pairs of a state of a diagram and a condition
        (_GrammarWriter, "_write", 100),  # terminals, for each state behind them
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_parts_are_made_once(monkeypatch, owner, name, most):
    found = counted(monkeypatch, owner, name, lambda: network_of(read_lexed(PROGRAM)))
    assert most // 4 < found <= most, found


def test_what_a_terminal_leaves_pending_is_found_once(monkeypatch):
    found = counted(monkeypatch, Scannerless, "_apart", lambda: network_of(read_lark(PROGRAM)))
    assert 60 < found <= 150  # terminals behind the conditions before them


def network_of(grammar: Any) -> Network:
    """All rules of a grammar, written."""
    network = Network()
    CompiledGrammar(grammar).declare(network)
    built = 0
    while built < len(network.rules):
        network.ensure_built(built)
        built += 1
    return network


@pytest.mark.parametrize(("read", "most"), [(read_lark, 200), (read_lexed, 700)], ids=["scannerless", "lexer"])
def test_states_of_rules_are_shared(read, most):
    """A rule that begins behind many terminals is written once but for its first state."""
    assert network_of(read(PROGRAM)).size <= most


@pytest.mark.parametrize("read", [read_lark, read_lexed], ids=["scannerless", "lexer"])
def test_no_state_of_a_rule_is_a_dead_end(read):
    """A rule is copied for each condition behind it without the states from which it cannot end so."""
    network = network_of(read(PROGRAM))
    edges = network.edges
    for rule in network.rules:
        reached = [rule.start]
        following: dict[int, set[int]] = {}
        for state in reached:  # grows meanwhile
            targets = (b if op == CALL else a for op, a, b in edges[state] if op not in (FINAL, JUMP, LOOP))
            following[state] = set(targets)
            reached += following[state] - set(reached)
        alive = {state for state in reached if any(op in (FINAL, JUMP, LOOP) for op, _, _ in edges[state])}
        while more := {state for state in reached if following[state] & alive} - alive:
            alive |= more
        assert alive == set(reached), rule.name
