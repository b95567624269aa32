"""Least solutions of Horn clauses, against rounds of naive inference, and the comparisons that they take."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from guidance_kit.grammars.json_schema.facts.satisfaction import HornClauses, _Clause


class Goal:
    """A proposition that counts comparisons."""

    compared = 0

    def __init__(self, number: int) -> None:
        self.number = number

    def __eq__(self, other: object) -> bool:
        Goal.compared += 1
        return isinstance(other, Goal) and self.number == other.number

    def __hash__(self) -> int:
        Goal.compared += 1
        return self.number


class Given(HornClauses):
    """Clauses by the number of their head: (needs, choices, threshold)."""

    def __init__(self, clauses: dict[int, list[tuple[list[int], list[int], int]]]) -> None:
        super().__init__(None)  # type: ignore[arg-type]
        self.given = clauses

    def _clauses(self, goal) -> Iterator[_Clause]:
        for needs, choices, threshold in self.given.get(goal.number, []):
            yield _Clause(goal, list(map(Goal, needs)), list(map(Goal, choices)), threshold)


def least_solution(clauses: dict[int, list[tuple[list[int], list[int], int]]]) -> set[int]:
    true: set[int] = set()
    while True:
        more = {
            head
            for head, several in clauses.items()
            for needs, choices, threshold in several
            if true.issuperset(needs) and sum(choice in true for choice in choices) >= threshold
        }
        if more <= true:
            return true
        true |= more


def test_the_least_solution_of_random_clauses():
    proven = 0
    for seed in range(400):
        chance = random.Random(seed)
        count = chance.randrange(2, 9)
        clauses = {
            head: [
                (
                    chance.choices(range(count), k=chance.randrange(3)),  # a premise may come twice
                    choices := chance.choices(range(count), k=chance.randrange(4)),
                    chance.randrange(len(choices) + 2),
                )
                for _ in range(chance.randrange(3))
            ]
            for head in range(count)
        }
        expected = least_solution(clauses)
        proven += len(expected)
        solver = Given(clauses)
        for goal in chance.sample(range(count), count):
            assert solver.hold(Goal(goal)) == (goal in expected), seed
    assert 200 < proven < 2000


@pytest.mark.parametrize("kind", ["needs", "choices"])
def test_work_is_linear_in_the_premises(kind):
    """An object of many required keys, or one that asks for many of them, with values that come true one by one."""

    def comparisons(count: int) -> int:
        many = list(range(1, count + 1))
        clauses = {number: [([count + number], [], 0)] for number in many}  # known after those of the object
        clauses |= {count + number: [([], [], 0)] for number in many}
        clauses[0] = [(many, [], 0)] if kind == "needs" else [([], many, count)]
        Goal.compared = 0
        assert Given(clauses).hold(Goal(0))
        return Goal.compared

    few, many = comparisons(200), comparisons(800)
    assert few > 200
    assert many < 4.5 * few
