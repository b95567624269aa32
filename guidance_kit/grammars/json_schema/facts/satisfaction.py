"""Satisfiability of nodes, by Horn clauses.

A node is satisfiable if one of its alternatives is, and an object or array is if its required properties and items are.
So this is a system of Horn clauses with a least solution; it is solved from the node that is asked for, by counting
what each alternative still waits for. Recursion that never ends (a required property whose schema is the whole schema)
is unsatisfiable by itself: nothing ever comes true. Where properties or items have to be planned, the places of the
plan are goals beside the nodes: a place is reached well if the array or object can be completed from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from guidance_kit.errors import UnsupportedFeature
from guidance_kit.grammars.json_schema.arrays.distinct_plan import DistinctPlan
from guidance_kit.grammars.json_schema.arrays.plan import ArrayPlan
from guidance_kit.grammars.json_schema.documents.document import Node
from guidance_kit.grammars.json_schema.facts.values import Domains
from guidance_kit.grammars.json_schema.normal_forms.expansion import Expansion
from guidance_kit.grammars.json_schema.normal_forms.records import Arrays, Objects, Strings
from guidance_kit.grammars.json_schema.objects.members import Order
from guidance_kit.grammars.json_schema.objects.witness_plan import WitnessPlan
from guidance_kit.grammars.json_schema.strings.languages import has_text, rule_format, string_expression
from guidance_kit.grammars.regular.expression import Expression

__all__ = ["Goal", "PlanState", "Satisfaction"]


class PlanState(NamedTuple):
    """Proposition that an array or object can be completed from a state of its plan."""

    plan: ArrayPlan | WitnessPlan
    place: Any


Goal = Node | PlanState
"""Proposition of the fixed point: a node is satisfiable, or a completion exists."""


class Satisfaction:
    """Satisfiability of the nodes of one document, cached.

    Where several undeclared keys have to come, one of them is taken for any number, since few ones are listed.

    Args:
        expansion: of the document.
        order: in which properties are written: it decides how they are planned, not what is satisfiable.

    Attributes:
        recalls: whether something may depend on the text so far: items have to be different of which there are too many
            to list, as `dry_run` finds out, or there are formats that ask what the text says.
        needs_keys: whether an undeclared key may have to come after another one; likewise.
        has_scarce: whether there are conditions on these keys; likewise.
        has_many_sets: whether arrays with different items have too many sets of them; likewise.
    """

    def __init__(self, expansion: Expansion, order: Order = "declared") -> None:
        self.expansion = expansion
        self.order: Order = order
        expansion.has_values = self.is_satisfiable
        self.nothing: Node = (expansion.document.nothing,)
        self._known: dict[Goal, bool] = {(): True}
        self.recalls = self.needs_keys = self.has_scarce = self.has_many_sets = False
        self._strings: dict[Strings, bool] = {}
        self._plans: dict[Objects | Arrays, ArrayPlan | WitnessPlan] = {}
        self._distinct: dict[Arrays, DistinctPlan] = {}

    @cached_property
    def domains(self) -> Domains:
        """Finite sets of values; made where `uniqueItems` first needs them."""
        return Domains(self)

    def is_satisfiable(self, goal: Goal) -> bool:
        """Test whether a node is satisfiable, or an array or object can be completed from a state."""
        known = self._known.get(goal)
        if known is None:
            self._solve(goal)
            known = self._known[goal]
        return known

    def has_string(self, strings: Strings) -> bool:
        """Test whether a string record is satisfiable."""
        if not strings.conditions and (strings.maximum is None or not strings.excluded):
            return True
        known = self._strings.get(strings)
        if known is None:
            known = rule_format(strings) is not None or has_text(string_expression(strings))
            self._strings[strings] = known
        return known

    def length(self, arrays: Arrays) -> tuple[int, int | None]:
        """Bounds on the number of items, cut before the first unsatisfiable one; empty if the greatest is less than the
        least."""
        maximum = arrays.maximum
        for index, node in enumerate(arrays.prefix):
            if maximum is not None and index >= maximum:
                return arrays.minimum, maximum
            if not self.is_satisfiable(node):
                return arrays.minimum, index
        if not self.is_satisfiable(arrays.items):
            maximum = len(arrays.prefix) if maximum is None else min(maximum, len(arrays.prefix))
        return arrays.minimum, maximum

    def array_plan(self, arrays: Arrays) -> ArrayPlan:
        """The plan of an array with `contains`."""
        plan = self._plans.get(arrays)
        if plan is None:
            plan = self._plans[arrays] = ArrayPlan(self.expansion.document, arrays)
        assert isinstance(plan, ArrayPlan)
        return plan

    def distinct_plan(self, arrays: Arrays) -> DistinctPlan | None:
        """Plan of an array with `uniqueItems`; None without the keyword, or if it is implied.

        Raises:
            UnsupportedFeature: it says something, and has no plan.
        """
        if not arrays.unique:
            return None
        plan = self._distinct.get(arrays)
        if plan is None:
            plan = self._distinct[arrays] = DistinctPlan(self, arrays)
        if plan.is_plain:
            return None
        if arrays.contains:
            raise UnsupportedFeature("uniqueItems beside contains", where="")
        return plan

    def witness_plan(self, objects: Objects) -> WitnessPlan:
        """Plan of an object with witnesses."""
        plan = self._plans.get(objects)
        if plan is None:
            plan = self._plans[objects] = WitnessPlan(self.expansion, objects, self.order)
        assert isinstance(plan, WitnessPlan)
        return plan

    def note_needed(self, others: Iterable[tuple[Expression | None, Node]]) -> None:
        """Note that a new undeclared key may be needed after others, and whether these have conditions."""
        self.needs_keys = True
        self.has_scarce = self.has_scarce or any(keys is not None for keys, _ in others)

    # Horn clauses -------------------------------------------------------------------------------------------------

    def _solve(self, root: Goal) -> None:
        known = self._known
        waiting: dict[Goal, list[_Clause]] = {}
        seen: set[Goal] = {root}
        todo: list[Goal] = [root]
        while todo and root not in known:
            node = todo.pop()
            if node in known:
                if known[node]:  # it came true while the clauses of another one were looked up
                    self._came_true(node, waiting)
                continue
            for clause in self._clauses(node):
                open_nodes = [need for need in (*clause.needs, *clause.choices) if need not in known]
                clause.met += sum(known.get(need, False) for need in clause.choices)
                if any(known.get(need) is False for need in clause.needs):
                    continue
                clause.needs = [need for need in clause.needs if need not in known]
                if not clause.needs and clause.met >= clause.threshold:
                    self._came_true(node, waiting)
                    break
                for need in open_nodes:
                    waiting.setdefault(need, []).append(clause)
                    if need not in seen:
                        seen.add(need)
                        todo.append(need)
        if root not in known:
            for node in seen:
                known.setdefault(node, False)

    def _came_true(self, node: Goal, waiting: dict[Goal, list[_Clause]]) -> None:
        todo = [node]
        while todo:
            node = todo.pop()
            self._known[node] = True
            for clause in waiting.pop(node, ()):
                if node in clause.needs:
                    clause.needs.remove(node)
                if node in clause.choices:
                    clause.met += clause.choices.count(node)
                    clause.choices = [choice for choice in clause.choices if choice != node]
                if not clause.needs and clause.met >= clause.threshold:
                    todo.append(clause.head)

    def _clauses(self, goal: Goal) -> Iterator[_Clause]:
        """Clauses that imply a goal, the simplest first."""
        if isinstance(goal, PlanState):
            yield from self._plan_clauses(goal)
        else:
            yield from self._node_clauses(goal)

    def _plan_clauses(self, goal: PlanState) -> Iterator[_Clause]:
        plan, place = goal
        if plan.may_end(place):
            yield _Clause(goal)
            return
        for step in plan.steps(place):
            yield _Clause(goal, list(dict.fromkeys((step.node, PlanState(plan, step.then)))))

    def _node_clauses(self, node: Node) -> Iterator[_Clause]:
        shape = self.expansion.shape(node)
        if shape.nulls or shape.booleans or shape.numbers or any(self.has_string(strings) for strings in shape.strings):
            yield _Clause(node)
            return
        for arrays in shape.arrays:
            if arrays.contains:
                plan = self.array_plan(arrays)
                yield _Clause(node, [PlanState(plan, plan.start)])
                continue
            if arrays.unique and arrays.minimum > 1:
                distinct = self.distinct_plan(arrays)
                if distinct is not None and not distinct.completes(frozenset(), 0):
                    continue
            needs = dict.fromkeys(arrays.item(index) for index in range(min(arrays.minimum, len(arrays.prefix) + 1)))
            yield _Clause(node, list(needs))
        for objects in shape.objects:
            asks_for_several = objects.minimum > len(objects.required) + 1
            counts_others = asks_for_several and bool(self.expansion.members.of(objects).others)
            if objects.witnesses:
                plan = self.witness_plan(objects)
                yield _Clause(node, [PlanState(plan, plan.start)])
                continue
            if not objects.required and not objects.minimum:
                yield _Clause(node)
                continue
            members = self.expansion.members.of(objects)
            needs = dict.fromkeys(members.properties[key] for key in objects.required)
            threshold = objects.minimum - len(objects.required)
            choices: list[Goal] = []
            if threshold > 0:
                required = set(objects.required)
                choices = [value for key, value in members.properties.items() if key not in required]
                choices += [value for _, value in members.others]
            if counts_others:
                for _, value in members.others:
                    yield _Clause(node, [*needs, value])
            yield _Clause(node, list(needs), choices, max(threshold, 0))


@dataclass(slots=True)
class _Clause:
    """Horn clause: `head` holds if all `needs` hold, and `threshold` of the `choices`; `met` of them are known to."""

    head: Goal
    needs: list[Goal] = field(default_factory=list)
    choices: list[Goal] = field(default_factory=list)
    threshold: int = 0
    met: int = 0
