"""Automaton of an object with witnesses, without dead states."""

from __future__ import annotations

from collections.abc import Iterator

from guidance_kit.grammars.json_schema.documents.document import Node
from guidance_kit.grammars.json_schema.facts.satisfaction import PlanState
from guidance_kit.grammars.json_schema.facts.schema_facts import SchemaFacts
from guidance_kit.grammars.json_schema.normal_forms.records import Objects
from guidance_kit.grammars.json_schema.objects.witness_plan import WitnessPlace

__all__ = ["LivePlan"]


class LivePlan:
    """Automaton over whole properties, as `ObjectPlan`, of an object with witnesses."""

    def __init__(self, facts: SchemaFacts, objects: Objects) -> None:
        self._holds = facts.is_satisfiable
        self._plan = facts.witness_plan(objects)
        self.start = self._plan.start
        self.keys = self._plan.keys
        self.others = self._plan.others
        self.has_nearly_all = self._plan.has_nearly_all
        self.taken = self._plan.taken
        self._live: dict[WitnessPlace, bool] = {}

    def may_end(self, place: WitnessPlace) -> bool:
        """Test whether the object may end in a state."""
        return self._plan.may_end(place)

    def may_go_on(self, place: WitnessPlace) -> bool:
        """Test whether another property may follow in an object that can still be completed."""
        here: WitnessPlace | None = place
        while here is not None:
            if next(self.choices(here), None) is not None:
                return True
            here = self._plan.left_out(here)
        return False

    def choices(self, place: WitnessPlace) -> Iterator[tuple[str | int, Node, WitnessPlace]]:
        """Transitions from a state: (key, node of its value, next state); for other keys the number of their kind."""
        for key, node, then in self._plan.choices(place):
            if key is not None and self._holds(node) and self._is_live(then):
                yield key, node, then

    def _is_live(self, place: WitnessPlace) -> bool:
        """Test whether the object can be completed from a state; most states share their essential one with others."""
        place = self._plan.essential(place)
        known = self._live.get(place)
        if known is None:
            known = self._live[place] = self._holds(PlanState(self._plan, place))
        return known

    def skip(self, place: WitnessPlace) -> WitnessPlace | None:
        """State after skipping the next ordered key, if it may be left out, whether a property may follow or not."""
        return self._plan.left_out(place)
