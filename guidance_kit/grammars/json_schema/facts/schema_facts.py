"""Facts about the nodes of a schema: the one object that the parts of compilation ask."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator
from functools import cached_property

from guidance_kit.errors import LimitError, UnsupportedFeature
from guidance_kit.fsm.network import Work
from guidance_kit.grammars.json_schema.arrays.distinct_plan import DistinctPlan
from guidance_kit.grammars.json_schema.arrays.plan import ArrayPlan
from guidance_kit.grammars.json_schema.documents.document import Node, SchemaDocument
from guidance_kit.grammars.json_schema.facts.plain_satisfaction import PlainSatisfaction, plain_type
from guidance_kit.grammars.json_schema.facts.satisfaction import Goal, HornClauses, PlanState
from guidance_kit.grammars.json_schema.facts.values import Domains
from guidance_kit.grammars.json_schema.normal_forms.evaluation import AnnotationCases
from guidance_kit.grammars.json_schema.normal_forms.expansion import Expansion
from guidance_kit.grammars.json_schema.normal_forms.records import Arrays, Objects, Strings
from guidance_kit.grammars.json_schema.normal_forms.shapes import Shape
from guidance_kit.grammars.json_schema.numbers.digits import Digits
from guidance_kit.grammars.json_schema.objects.members import MemberTable, Order
from guidance_kit.grammars.json_schema.objects.services import ServiceTable
from guidance_kit.grammars.json_schema.objects.witness_plan import WitnessPlan
from guidance_kit.grammars.json_schema.strings.languages import rule_format, string_expression
from guidance_kit.grammars.regular.expression import Expression
from guidance_kit.grammars.regular.liveness import Liveness, search

__all__ = ["SchemaFacts"]

MAX_REPETITION_PREFIX = 20
"""Items with nodes of their own among which two equal ones are sought."""

_LARGE_SEARCH, _MOST_SEARCHES = 500, 4
"""Derivatives from which on a search for a string is kept for the rules of the string, and number of those kept."""


class SchemaFacts:
    """Normal forms, members, satisfiability, plans and values of the nodes of one document, cached.

    Each kind of fact is found by a part of its own, made on first use. A part refers to this object, weakly, and asks
    it for the facts of the other parts; no part knows another one.

    Args:
        document: the schemas.
        digits: form of numbers; values with others are never written, so they count as none.
        max_digits: digits of a number before and after the point, where the schema does not need more.
        order: order of the properties of an object; it decides how they are planned, not what is satisfiable.

    Attributes:
        document, digits, max_digits, order: as given.
        nothing: node of the schema `false`.
        compares_items: whether items must differ of which there are too many to list, as `dry_run` finds out.
        needs_keys: whether an undeclared key may have to come after another one; likewise.
        has_exhaustible_keys: whether there are conditions on these keys; likewise.
        has_many_sets: whether arrays with different items have too many sets of them; likewise.
        work: steps that may still be taken: one for each shape that is needed, for each pair of alternatives that are
            conjoined, and for each derivative in a search for a string; None for any number.
    """

    def __init__(
        self,
        document: SchemaDocument,
        *,
        digits: Digits | None = None,
        max_digits: int | None = None,
        order: Order = "declared",
    ) -> None:
        self.document = document
        self.digits = digits
        self.max_digits = max_digits
        self.order: Order = order
        self.nothing: Node = (document.nothing,)
        self.compares_items = self.needs_keys = self.has_exhaustible_keys = self.has_many_sets = False
        self.work: Work | None = None
        self._lent: SchemaFacts = weakref.proxy(self)  # for parts: without cycles, all is freed by reference counts
        self._plain = PlainSatisfaction(document)
        self._known: dict[Goal, bool] = {(): True}
        self._strings: dict[Strings, bool] = {}
        self._searches: dict[Strings, Liveness] = {}
        self._plans: dict[Objects | Arrays, ArrayPlan | WitnessPlan] = {}
        self._distinct: dict[Arrays, DistinctPlan] = {}

    # Normal forms -------------------------------------------------------------------------------------------------

    @cached_property
    def expansion(self) -> Expansion:
        """Normal forms of schemas."""
        return Expansion(self._lent)

    @cached_property
    def evaluation(self) -> AnnotationCases:
        """Combinations of branches with their evaluated properties and items, for `unevaluated...` keywords."""
        return AnnotationCases(self._lent)

    @cached_property
    def members(self) -> MemberTable:
        """Possible properties of objects."""
        return MemberTable(self._lent)

    @cached_property
    def services(self) -> ServiceTable:
        """Conditions of witnesses that values of properties satisfy."""
        return ServiceTable(self._lent)

    def shape(self, node: Node) -> Shape:
        """Normal form of a node; see `Expansion.shape`.

        Raises:
            LimitError: no work is left.
        """
        self.spend(1)
        return self.expansion.shape(node)

    def spend(self, steps: int) -> None:
        """Take steps of the work.

        Raises:
            LimitError: fewer are left.
        """
        if self.work is not None:
            self.work.spend(steps, "a schema")

    def strings(self, node: Node) -> tuple[Strings, ...]:
        """Alternatives of the strings that a node allows as keys; extraction does not restrict keys."""
        return tuple(strings.freed() for strings in self.shape(node).strings)

    # Satisfiability -----------------------------------------------------------------------------------------------

    @cached_property
    def clauses(self) -> HornClauses:
        """Horn clauses of satisfiability; not needed for nodes with a plain value."""
        return HornClauses(self._lent)

    def is_satisfiable(self, goal: Goal) -> bool:
        """Test whether a node is satisfiable, or an array or object can be completed from a state."""
        known = self._known.get(goal)
        if known is None:
            is_plain = not isinstance(goal, PlanState) and self._is_plain(goal)
            known = self._known[goal] = is_plain or self.clauses.hold(goal)
        return known

    def _is_plain(self, node: Node) -> bool:
        """Test for a plain value, without the normal form of the node where its keywords decide."""
        return self.is_plainly_satisfiable(node) or self.has_plain_value(self.shape(node))

    def is_plainly_satisfiable(self, node: Node) -> bool:
        """Test for a value by the keywords of a node alone; False if undecided."""
        return len(node) == 1 and self.document.excerpts_of is None and self._plain.holds(node[0])

    def plain_type(self, node: Node) -> str:
        """Type of a node that has all values of one type, or at least the simplest ones; "" if undecided."""
        return plain_type(node[0]) if len(node) == 1 and self.document.excerpts_of is None else ""

    def has_plain_value(self, shape: Shape) -> bool:
        """Test for a value without required items and properties; False if undecided."""
        if shape.nulls or shape.booleans or shape.numbers or any(map(self.has_string, shape.strings)):
            return True
        if any(not arrays.minimum and not arrays.contains for arrays in shape.arrays):
            return True
        return any(not (one.required or one.minimum or one.witnesses) for one in shape.objects)

    def has_string(self, strings: Strings) -> bool:
        """Test whether a string record is satisfiable."""
        has_conditions = strings.conditions or strings.clauses
        if not has_conditions and (strings.maximum is None or not strings.excluded):
            return True
        known = self._strings.get(strings)
        if known is None:
            known = self._strings[strings] = rule_format(strings) is not None or self._has_text(strings)
        return known

    def _has_text(self, strings: Strings) -> bool:
        """`has_string` by a search, which is kept if it was large."""
        found, liveness = search(string_expression(strings), self.work)
        if found and liveness is not None and liveness.derivatives.size >= _LARGE_SEARCH:
            self._searches[strings] = liveness
            if len(self._searches) > _MOST_SEARCHES:
                del self._searches[next(iter(self._searches))]
        return found

    def has_search(self, strings: Strings) -> bool:
        """Test whether there is a search to be taken."""
        return strings in self._searches

    def take_search(self, strings: Strings) -> Liveness | None:
        """The search that found a string, once, if it was large: rules are written on with what it knows.

        It may be used by one thread at a time, and its memory is that of its user from then on.
        """
        return self._searches.pop(strings, None)

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

    # Plans --------------------------------------------------------------------------------------------------------

    def array_plan(self, arrays: Arrays) -> ArrayPlan:
        """The plan of an array with `contains`."""
        plan = self._plans.get(arrays)
        if plan is None:
            plan = self._plans[arrays] = ArrayPlan(self.document, arrays)
        assert isinstance(plan, ArrayPlan)
        return plan

    def repetitions(self, arrays: Arrays) -> Iterator[tuple[int, int, Arrays]]:
        """Positions of two equal items, with the arrays that could have them; see `Arrays.repetitions`.

        Raises:
            UnsupportedFeature: items are counted, too.
            LimitError: there are too many positions.
        """
        if arrays.contains:
            raise UnsupportedFeature("uniqueItems under not beside contains", where="")
        if len(arrays.prefix) > MAX_REPETITION_PREFIX:
            raise LimitError("max_repetition_prefix", MAX_REPETITION_PREFIX, where="equal items")
        return arrays.repetitions()

    def without_repetition(self, arrays: Arrays) -> Iterator[Arrays]:
        """Arrays of which one is satisfiable if the record is: itself, unless two items must be equal."""
        if not arrays.repeated:
            return iter((arrays,))
        return (one for _, _, one in self.repetitions(arrays))

    def distinct_plan(self, arrays: Arrays) -> DistinctPlan | None:
        """Plan of an array with `uniqueItems`; None without the keyword, or if it is implied.

        Raises:
            UnsupportedFeature: it says something, and has no plan.
        """
        if not arrays.unique:
            return None
        plan = self._distinct.get(arrays)
        if plan is None:
            plan = self._distinct[arrays] = DistinctPlan(self._lent, arrays)
        if plan.is_plain:
            return None
        if arrays.contains:
            raise UnsupportedFeature("uniqueItems beside contains", where="")
        return plan

    def witness_plan(self, objects: Objects) -> WitnessPlan:
        """Plan of an object with witnesses."""
        plan = self._plans.get(objects)
        if plan is None:
            plan = self._plans[objects] = WitnessPlan(self._lent, objects)
        assert isinstance(plan, WitnessPlan)
        return plan

    # Values -------------------------------------------------------------------------------------------------------

    @cached_property
    def domains(self) -> Domains:
        """Finite sets of values."""
        return Domains(self._lent)

    def note_needed(self, others: Iterable[tuple[Expression | None, Node]]) -> None:
        """Note that a new undeclared key may be needed after others, and whether these have conditions."""
        self.needs_keys = True
        self.has_exhaustible_keys = self.has_exhaustible_keys or any(keys is not None for keys, _ in others)
