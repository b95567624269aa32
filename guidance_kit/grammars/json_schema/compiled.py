"""A schema that was read, checked and found satisfiable: ready to be written as networks."""

from __future__ import annotations

from typing import Any

from guidance_kit.errors import SchemaError, UnsatisfiableError, UnsupportedFeature
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.json_schema.document import Document, Location, Node
from guidance_kit.grammars.json_schema.expansion import Expansion
from guidance_kit.grammars.json_schema.explanation import explain
from guidance_kit.grammars.json_schema.layout import Layout
from guidance_kit.grammars.json_schema.report import Report
from guidance_kit.grammars.json_schema.satisfaction import Satisfaction
from guidance_kit.grammars.json_schema.shapes import Objects, conjoin
from guidance_kit.grammars.json_schema.string_encoding import JsonString
from guidance_kit.grammars.json_schema.survey import Survey
from guidance_kit.grammars.json_schema.writer import Writer

__all__ = ["CompiledSchema"]


class CompiledSchema:
    """What is known about one schema; networks are written from it.

    Args:
        schema: an object or a boolean.
    Raises:
        SchemaError: it is no valid schema.
        UnsupportedFeature: something in it cannot be enforced exactly.
        UnsatisfiableError: no value satisfies it.
        LimitError: it is too deep or too involved.
    """

    def __init__(self, schema: Any) -> None:
        self.document = Document(schema)
        self.survey = Survey(self.document)
        self.satisfaction = Satisfaction(Expansion(self.document))
        for location in self.survey.one_ofs:
            self._check_one_of(location)
        self.root: Node = () if schema in (True, {}) else (self.document.root,)
        if not self.satisfaction.is_satisfiable(self.root):
            message, where = explain(self.satisfaction, self.root)
            raise UnsatisfiableError(message, where=where)

    def network(self, layout: Layout, encoding: JsonString) -> Network:
        """A fresh network of the JSON texts of all values that satisfy the schema."""
        network = Network()
        network.root = Writer(network, self.satisfaction, layout, encoding).value(self.root)
        return network

    def report(self, options: tuple[str, ...] = ()) -> Report:
        """What is enforced and what is not."""
        return self.survey.report(options)

    def _check_one_of(self, location: Location) -> None:
        """Refuse a `oneOf` unless no value can satisfy two of its branches."""
        document = self.document
        rest = {keyword: value for keyword, value in location.schema.items() if keyword != "oneOf"}
        context: Node = (document.beside(location, rest),) if rest else ()
        branches = [
            document.node(location, branch, "oneOf", index) for index, branch in enumerate(location.schema["oneOf"])
        ]
        for second, later in enumerate(branches):
            for first, earlier in enumerate(branches[:second]):
                if self._are_disjoint(earlier, later, context):
                    continue
                raise UnsupportedFeature(
                    f"oneOf whose branches {first} and {second} can hold together",
                    where=f"{location.pointer}/oneOf",
                    hint="use anyOf, or set them apart by a required property with a const",
                )

    def _are_disjoint(self, a: Node, b: Node, context: Node) -> bool:
        shape = self.satisfaction.expansion.shape
        left, right = shape(a), shape(b)
        if not (left.arrays and right.arrays) and all(
            self._are_told_apart(one, other) for one in left.objects for other in right.objects
        ):
            flat = conjoin(left, right)
            if not (flat.nulls or flat.booleans or flat.numbers or flat.strings):
                return True
        return not self.satisfaction.is_satisfiable(context + a + b)

    def _are_told_apart(self, a: Objects, b: Objects) -> bool:
        """Whether a property that both require has values that exclude each other; quicker than a conjunction."""
        both = set(a.required).intersection(b.required)
        if not both:
            return False
        shape = self.satisfaction.expansion.shape
        left, right = self.satisfaction.members(a).properties, self.satisfaction.members(b).properties
        return any(conjoin(shape(left[key]), shape(right[key])).is_empty for key in both)


def check_kind(schema: Any) -> None:
    """Refuse what is no schema at all.

    Raises:
        SchemaError: it is neither an object nor a boolean.
    """
    if not isinstance(schema, dict | bool):
        raise SchemaError(f"a schema is an object or a boolean, not {type(schema).__name__}", pointer="")
