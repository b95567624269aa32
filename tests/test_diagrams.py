"""Diagrams of rules: equivalent states are merged, and recursion that repeats becomes a loop."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guidance_kit.grammars.context_free.diagram import Diagram, _blocks


@st.composite
def automata(draw):
    """Rows of a deterministic automaton whose edges lead to later states, and whether each is final."""
    count = draw(st.integers(1, 8))
    rows = [
        draw(st.dictionaries(st.integers(0, 2), st.integers(state + 1, count - 1))) if state < count - 1 else {}
        for state in range(count)
    ]
    return rows, draw(st.lists(st.booleans(), min_size=count, max_size=count))


@given(automata())
def test_states_with_the_same_texts_are_one(automaton):
    rows, ends = automaton

    @cache
    def texts(state: int) -> frozenset[tuple[int, ...]]:
        read = {(label, *rest) for label, target in rows[state].items() for rest in texts(target)}
        return frozenset(read | ({()} if ends[state] else set()))

    alive = [state for state in range(len(rows)) if texts(state)]
    number = {state: alive.index(state) for state in alive}
    kept = [{label: number[to] for label, to in rows[state].items() if to in number} for state in alive]
    block = _blocks(kept, [ends[state] for state in alive])
    for one in alive:
        for other in alive:
            assert (block[number[one]] == block[number[other]]) == (texts(one) == texts(other))


def test_states_in_circles_are_merged():
    first, second, third, fourth = _blocks([{0: 2}, {0: 2}, {0: 3}, {0: 1}], [False, False, True, True])
    assert first == second
    assert len({first, third, fourth}) == 3


RULE, OTHER, SIGN = range(3)


@pytest.mark.parametrize(
    ("edges", "finals", "calls"),
    [
        ([{RULE: 1, OTHER: 3}, {SIGN: 2}, {OTHER: 3}, {}], {3}, 0),  # rule: rule "+" other | other
        ([{OTHER: 1}, {SIGN: 2}, {RULE: 3}, {}], {1, 3}, 0),  # rule: other "+" rule | other
        ([{OTHER: 3, SIGN: 1}, {RULE: 2}, {SIGN: 3}, {}], {3}, 1),  # rule: "(" rule "(" | other
        ([{OTHER: 3, SIGN: 1}, {RULE: 2}, {SIGN: 3}, {RULE: 4}, {}], {3, 4}, 1),  # the same, and again
    ],
)
def test_calls_of_a_rule_in_its_first_or_last_position_become_loops(edges, finals, calls):
    assert Diagram(tuple(edges), frozenset(finals)).without_own_recursion(RULE).uses[RULE] == calls
