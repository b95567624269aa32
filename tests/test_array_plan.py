"""Nodes of the items of arrays with `contains`, against a walk over all states."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from guidance_kit.grammars.json_schema.arrays.plan import ArrayPlan
from guidance_kit.grammars.json_schema.normal_forms.records import Arrays, Contains


class Negations:
    """Document that names the negation of a node."""

    def negation(self, node: Any) -> Any:
        return (("not", *node),)


@st.composite
def arrays(draw: st.DrawFn) -> Arrays:
    length = draw(st.integers(0, 3))
    minimum = draw(st.integers(0, 4))
    maximum = draw(st.none() | st.integers(minimum, 6))
    counted = []
    for number in range(draw(st.integers(1, 3))):
        least = draw(st.integers(0, 3))
        most = draw(st.none() | st.integers(least, 4))
        start = draw(st.integers(0, 3))
        counted.append(Contains((f"c{number}",), minimum=least, maximum=most, start=start))  # pyright: ignore
    prefix: Any = tuple((f"p{index}",) for index in range(length))
    return Arrays(prefix=prefix, items=("rest",), minimum=minimum, maximum=maximum, contains=tuple(counted))  # pyright: ignore


@given(arrays())
def test_nodes_are_those_of_all_transitions(arrays: Arrays) -> None:
    plan = ArrayPlan(Negations(), arrays)  # pyright: ignore[reportArgumentType]
    walked, todo, seen = set(), [plan.start], {plan.start}
    while todo:
        for node, then in plan.steps(todo.pop()):
            walked.add(node)
            if then not in seen:
                seen.add(then)
                todo.append(then)
    assert set(plan.nodes()) == walked


def test_nodes_of_many_counts_are_found_without_their_combinations(monkeypatch: Any) -> None:
    """Ten kinds of items that must occur have 1,024 states, and 59,049 transitions."""
    calls = []
    ways = ArrayPlan._ways  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(ArrayPlan, "_ways", lambda *arguments: calls.append(arguments) or ways(*arguments))
    counted: Any = tuple(Contains((f"c{number}",), minimum=1, maximum=None, start=0) for number in range(10))  # pyright: ignore
    found = list(ArrayPlan(Negations(), Arrays(contains=counted)).nodes())  # pyright: ignore[reportArgumentType]
    assert len(set(found)) == 2**10
    assert len(found) <= 2 * 2**10
    assert len(calls) <= 30
