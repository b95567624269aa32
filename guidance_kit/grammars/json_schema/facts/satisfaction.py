"""Satisfiability by Horn clauses.

A node is satisfiable if one of its alternatives is, and an object or array is if its required properties and items are.
So this is a system of Horn clauses with a least solution; it is solved from the node that is asked for, by counting
the premises that each clause still misses, in time linear in the clauses that are looked up. Recursion that never ends
(a required property whose schema is the whole schema) is unsatisfiable by itself: nothing ever comes true. Where
properties or items have to be planned, the states of the plan are goals beside the nodes: the array or object can be
completed from such a state.

Source: Dowling and Gallier, "Linear-time algorithms for testing the satisfiability of propositional Horn formulae",
1984; here a clause may also need only some of its premises.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from guidance_kit.grammars.json_schema.arrays.plan import ArrayPlan
from guidance_kit.grammars.json_schema.documents.document import Node
from guidance_kit.grammars.json_schema.objects.witness_plan import WitnessPlan

if TYPE_CHECKING:
    from guidance_kit.grammars.json_schema.facts.schema_facts import SchemaFacts

__all__ = ["Goal", "HornClauses", "PlanState"]


class PlanState(NamedTuple):
    """Proposition that an array or object can be completed from a state of its plan."""

    plan: ArrayPlan | WitnessPlan
    place: Any


Goal = Node | PlanState
"""Proposition of the fixed point: a node is satisfiable, or a completion exists."""


class HornClauses:
    """Horn clauses about the nodes of one document, with the propositions that are decided.

    Where several undeclared keys have to come, one of them is taken for any number, since few ones are listed.

    Args:
        facts: of the document.
    """

    def __init__(self, facts: SchemaFacts) -> None:
        self._facts = facts
        self._known: dict[Goal, bool] = {(): True}

    def hold(self, goal: Goal) -> bool:
        """Test whether a proposition follows from the clauses."""
        goal = _essential(goal)
        known = self._known.get(goal)
        if known is None:
            self._solve(goal)
            known = self._known[goal]
        return known

    def _solve(self, root: Goal) -> None:
        known = self._known
        waiting: dict[Goal, list[_Premise]] = {}
        seen: set[Goal] = {root}
        todo: list[Goal] = [root]
        while todo and root not in known:
            node = todo.pop()
            if node in known:
                if known[node]:  # it came true while the clauses of another one were looked up
                    self._came_true(node, waiting)
                continue
            for clause in self._clauses(node):
                if any(known.get(need) is False for need in clause.needs):
                    continue
                premises = [_Premise(need, clause, False) for need in clause.needs if need not in known]
                clause.needs_left = len(premises)
                clause.choices_left = clause.threshold - sum(known.get(choice, False) for choice in clause.choices)
                if clause.holds:
                    self._came_true(node, waiting)
                    break
                premises += [_Premise(choice, clause, True) for choice in clause.choices if choice not in known]
                for premise in premises:
                    waiting.setdefault(premise.goal, []).append(premise)
                    if premise.goal not in seen:
                        seen.add(premise.goal)
                        todo.append(premise.goal)
        if root not in known:
            for node in seen:
                known.setdefault(node, False)

    def _came_true(self, node: Goal, waiting: dict[Goal, list[_Premise]]) -> None:
        todo = [node]
        while todo:
            node = todo.pop()
            self._known[node] = True
            for _, clause, is_choice in waiting.pop(node, ()):
                if is_choice:
                    clause.choices_left -= 1
                else:
                    clause.needs_left -= 1
                if clause.holds:
                    todo.append(clause.head)

    def _clauses(self, goal: Goal) -> Iterator[_Clause]:
        """Clauses that imply a goal, the simplest first."""
        if isinstance(goal, PlanState):
            yield from self._plan_clauses(goal)
        else:
            yield from self._node_clauses(goal)

    def _plan_clauses(self, goal: PlanState) -> Iterator[_Clause]:
        self._facts.spend(1)
        plan, place = goal
        if plan.may_end(place):
            yield _Clause(goal)
            return
        for step in plan.steps(place):
            yield _Clause(goal, list(dict.fromkeys((step.node, _essential(PlanState(plan, step.then))))))

    def _node_clauses(self, node: Node) -> Iterator[_Clause]:
        facts = self._facts
        if facts.is_plainly_satisfiable(node):
            yield _Clause(node)
            return
        shape = facts.shape(node)
        if facts.has_plain_value(shape):
            yield _Clause(node)
            return
        for arrays in chain.from_iterable(map(facts.without_repetition, shape.arrays)):
            if arrays.contains:
                plan = facts.array_plan(arrays)
                yield _Clause(node, [PlanState(plan, plan.start)])
                continue
            if arrays.unique and arrays.minimum > 1:
                distinct = facts.distinct_plan(arrays)
                if distinct is not None and not distinct.completes(frozenset(), 0):
                    continue
            needs = dict.fromkeys(arrays.item(index) for index in range(min(arrays.minimum, len(arrays.prefix) + 1)))
            yield _Clause(node, list(needs))
        for objects in shape.objects:
            asks_for_several = objects.minimum > len(objects.required) + 1
            counts_others = asks_for_several and bool(facts.members.of(objects).others)
            if objects.witnesses:
                plan = facts.witness_plan(objects)
                yield _Clause(node, [_essential(PlanState(plan, plan.start))])
                continue
            needs = dict.fromkeys(facts.members.required(objects))
            threshold = objects.minimum - len(objects.required)
            choices: list[Goal] = []
            if threshold > 0:
                members, required = facts.members.of(objects), set(objects.required)
                choices = [value for key, value in members.properties.items() if key not in required]
                choices += [value for _, value in members.others]
            if counts_others:
                for _, value in facts.members.of(objects).others:
                    yield _Clause(node, [*needs, value])
            yield _Clause(node, list(needs), choices, max(threshold, 0))


def _essential(goal: Goal) -> Goal:
    """Equivalent goal, the same for many states of a plan."""
    if isinstance(goal, PlanState) and isinstance(goal.plan, WitnessPlan):
        return goal._replace(place=goal.plan.essential(goal.place))
    return goal


@dataclass(slots=True)
class _Clause:
    """Horn clause: `head` holds if all `needs` hold, and `threshold` of the `choices`.

    `needs_left` and `choices_left` of them are not known to hold yet.
    """

    head: Goal
    needs: list[Goal] = field(default_factory=list)
    choices: list[Goal] = field(default_factory=list)
    threshold: int = 0
    needs_left: int = 0
    choices_left: int = 0

    @property
    def holds(self) -> bool:
        """True if what is known implies the head."""
        return not self.needs_left and self.choices_left <= 0


class _Premise(NamedTuple):
    """Goal that a clause waits for, as one of its choices or as a need."""

    goal: Goal
    clause: _Clause
    is_choice: bool
