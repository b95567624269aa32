"""Values of one property, told apart by the conditions of witnesses that they satisfy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from guidance_kit.errors import LimitError
from guidance_kit.grammars.json_schema.documents.document import Node
from guidance_kit.grammars.json_schema.normal_forms.records import join_nodes
from guidance_kit.grammars.json_schema.normal_forms.shapes import Shape

if TYPE_CHECKING:
    from guidance_kit.grammars.json_schema.facts.schema_facts import SchemaFacts

__all__ = ["Conditions", "ServiceTable"]

MAX_SERVICES = 256
"""Greatest number of combinations of conditions that the value of one property may satisfy or violate."""

Conditions = tuple[tuple[Node, bool], ...]
"""Nodes, and for each whether the value has to satisfy it unless it is sure to."""

Service = tuple[Node, tuple[int, ...]]
"""Node of a value, with the positions of the conditions that it satisfies."""


class ServiceTable:
    """Cache of the sets of conditions that values of properties may satisfy in the objects of one document.

    Many objects of one document ask the same of a property: each branch of a `oneOf` beside the negations of others.
    """

    def __init__(self, facts: SchemaFacts) -> None:
        self._facts = facts
        self._services: dict[tuple[Node, Conditions], list[Service]] = {}
        self._firsts: dict[Shape, Node] = {}
        self._alike: dict[Node, Node] = {}

    def alike(self, node: Node) -> Node:
        """The first node that was met with the shape of a node; itself if its shape is undecided."""
        found = self._alike.get(node)
        if found is None:
            shape = self._facts.expansion.peek(node)
            if shape is None:
                return node
            found = self._alike[node] = self._firsts.setdefault(shape, node)
        return found

    def of(self, node: Node, conditions: Conditions, key: str) -> list[Service]:
        """Nodes for the value of a property, one for each set of conditions that some value may satisfy.

        Args:
            node: what the value must satisfy in any case.
            key: of the property, for the message.

        Raises:
            LimitError: there are more than MAX_SERVICES.
        """
        found = self._services.get((node, conditions))
        if found is None:
            found = self._find(node, conditions, key)
            if not self._facts.expansion.depth:  # before, whether a value is possible may be undecided
                self._services[node, conditions] = found
        return found

    def _find(self, node: Node, conditions: Conditions, key: str) -> list[Service]:
        is_nothing, negation = self._facts.expansion.is_plainly_nothing, self._facts.document.negation
        ways: list[tuple[Node, tuple[int, ...], Node]] = [(node, (), node)]  # the last: what satisfies no more
        for place, (wanted, is_due) in enumerate(conditions):
            is_certain = set(node).issuperset(wanted) or is_nothing(join_nodes(node, negation(wanted)))
            if is_certain:
                ways = [(asked, (*served, place), least) for asked, served, least in ways]
                continue
            serving = [(join_nodes(asked, wanted), (*served, place), least) for asked, served, least in ways]
            serving = [way for way in serving if not is_nothing(way[0])]
            if not is_due:
                denied = [(asked, served, join_nodes(least, negation(wanted))) for asked, served, least in ways]
                serving = [*(way for way in denied if not is_nothing(way[2])), *serving]
            ways = serving
            if len(ways) > MAX_SERVICES:
                raise LimitError("max_services", MAX_SERVICES, where=f"the property {key!r}")
        return [(asked, served) for asked, served, _ in ways]
