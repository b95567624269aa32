"""Normalisation: shapes of schemas, computed lazily, once each."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from itertools import islice
from math import prod
from typing import TYPE_CHECKING, Any, TypeVar

from guidance_kit.errors import LimitError, UnsupportedFeature
from guidance_kit.grammars.json_schema.documents.document import Location, Node, SchemaDocument
from guidance_kit.grammars.json_schema.keywords.checks import TYPES
from guidance_kit.grammars.json_schema.keywords.readers import read_strings
from guidance_kit.grammars.json_schema.keywords.table import keywords_of
from guidance_kit.grammars.json_schema.normal_forms.clauses import Clause, branches, one_of
from guidance_kit.grammars.json_schema.normal_forms.complement import complement
from guidance_kit.grammars.json_schema.normal_forms.evaluation import UNEVALUATED
from guidance_kit.grammars.json_schema.normal_forms.exclusive_branches import ExclusiveBranches
from guidance_kit.grammars.json_schema.normal_forms.plain_lists import PlainLists
from guidance_kit.grammars.json_schema.normal_forms.pruning import sole_condition, without_implied
from guidance_kit.grammars.json_schema.normal_forms.records import (
    ANY_ARRAY,
    ANY_NUMBER,
    ANY_OBJECT,
    ANY_STRING,
    Arrays,
    Numbers,
    Objects,
    Witness,
    join_nodes,
)
from guidance_kit.grammars.json_schema.normal_forms.shapes import (
    ANY,
    MAX_ALTERNATIVES,
    NOTHING,
    EntangledError,
    Shape,
    conjoin,
    is_number_list,
    products,
    unite,
)

if TYPE_CHECKING:
    from guidance_kit.grammars.json_schema.facts.schema_facts import SchemaFacts

__all__ = ["MAX_REFERENCES", "Expansion", "local_shape"]

MAX_REFERENCES = 150
"""Greatest depth of in-place applicators and references for one value: $ref, allOf, anyOf, oneOf, ..."""

_NUMBERS_A_STEP = 32
"""Listed numbers that are looked up in the time of a step of the work."""

_MOST_PEEKS = 3
"""Depth of nested values in the test for plainly empty alternatives."""

_MOST_TRIED, _SHARE_TRIED = 64, 8
"""Products of objects that are tried before all are made: at most so many, and at most an eighth of them."""

_ONLY_INTEGERS = Numbers(is_integer=True)

Record = TypeVar("Record", Arrays, Objects)


class Expansion:
    """Shapes of the schemas of a document, computed lazily, once each.

    Args:
        facts: of the document; asked for the members of objects, and whether branches of `oneOf` have common values.

    Attributes:
        document: of the facts.
    """

    def __init__(self, facts: SchemaFacts) -> None:
        self.document = facts.document
        self._facts = facts
        self._anything = self._written(ANY)
        self._shapes: dict[Location, Shape] = {}
        self._joined: dict[Node, Shape] = {}
        self._clauses: dict[tuple[Location, str], tuple[Clause, ...]] = {}
        self._exemplified: set[Node] = set()
        self._tags: dict[tuple[Objects, str], frozenset[str] | None] = {}
        self._open: list[Location] = []
        self._peeks = 0
        self._lock = threading.RLock()

    @cached_property
    def exclusive(self) -> ExclusiveBranches:
        """Branches of `oneOf`."""
        return ExclusiveBranches(weakref.proxy(self), self._facts)

    @cached_property
    def _lists(self) -> PlainLists:
        """Strings that schemas list."""
        return PlainLists()

    @property
    def depth(self) -> int:
        """Number of nested normalisations that are unfinished."""
        return len(self._open)

    def shape(self, node: Node) -> Shape:
        """Shape of a node: the conjunction of its schemas.

        Raises:
            SchemaError: if a reference leads nowhere, or back to itself without any progress in the value.
            LimitError: if more than MAX_REFERENCES schemas are entangled, or a schema has too many alternatives.
        """
        if not node:
            return self._anything
        if len(node) == 1:
            return self._shapes.get(node[0]) or self._locked(node[0])
        shape = self._joined.get(node)
        if shape is None and any(location.denies in node for location in node if location.denies is not None):
            return self._joined.setdefault(node, NOTHING)
        if shape is None:
            known = len(node) - 1  # nodes often differ in the last conditions only
            while known > 1 and node[:known] not in self._joined:
                known -= 1
            shape = self._joined[node[:known]] if known > 1 else self.shape(node[:1])
            for end in range(known, len(node)):
                location = node[end]
                shape = self._conjoined(shape, self._shapes.get(location) or self._locked(location), location)
                self._joined[node[: end + 1]] = shape
        return shape

    def _locked(self, location: Location) -> Shape:
        """Shape of a location, under the lock: networks in several threads share the cache."""
        with self._lock:
            return self._of(location)

    def _of(self, location: Location) -> Shape:
        shape = self._shapes.get(location)
        if shape is None:
            if location in self._open:
                raise EntangledError("a reference that leads back to itself", pointer=location.pointer)
            if len(self._open) >= MAX_REFERENCES:
                raise LimitError("max_references", MAX_REFERENCES, where=location.pointer)
            self._open.append(location)
            try:
                shape = self._written(self._expand(location))
            finally:
                self._open.pop()
            self._shapes[location] = shape
        return shape

    def _written(self, shape: Shape) -> Shape:
        """A shape without the numbers that are not written."""
        digits = self._facts.digits
        if digits is None:
            return shape
        found = (numbers.conjoin(digits.numbers) for numbers in shape.numbers)
        return replace(shape, numbers=tuple(numbers for numbers in found if numbers is not None))

    def _expand(self, location: Location) -> Shape:
        if location.denies is not None:
            return self._denied(location.denies)
        if location.ways is not None:
            return unite([self.shape(way) for way in location.ways])
        schema = location.schema
        if not isinstance(schema, dict):
            return ANY if schema else NOTHING
        if "$ref" in schema and location.draft.ref_overrides:
            return self._of(self.document.referred(location, "$ref"))
        if not UNEVALUATED.isdisjoint(schema) and location.draft.number >= 8:
            return unite([self.shape(way) for way in self.clauses(location, "unevaluated")[0].ways])
        known = keywords_of(location.draft)
        if known.last.isdisjoint(schema):
            if known.in_order.isdisjoint(schema):
                return local_shape(self.document, location)
            if len(schema) == 1:
                return self._applied(location, next(iter(schema)), ANY)
        return self._conjunction(location)

    def _conjunction(self, location: Location) -> Shape:
        """Conjunction of the keywords of a schema; its own properties keep their position among those of
        applicators."""
        schema = location.schema
        known = keywords_of(location.draft)
        shape, is_local_done = ANY, False
        for keyword in schema:
            if keyword in known.in_order:
                shape = self._applied(location, keyword, shape)
            elif not is_local_done and keyword in known.placing:
                is_local_done = True
                shape = self._conjoined(shape, local_shape(self.document, location), location)
        if not is_local_done:
            shape = self._conjoined(shape, local_shape(self.document, location), location)
        for keyword in schema:
            if keyword in known.last:
                shape = self._applied(location, keyword, shape)
        return shape

    def _applied(self, location: Location, keyword: str, shape: Shape) -> Shape:
        """Conjunction of `shape` with one applicator, `enum` or `const`."""
        row = keywords_of(location.draft).rows.get(keyword)
        if row is None:
            return shape
        if row.shape is not None:
            return self._conjoined(shape, row.shape(self.document, location, keyword), location)
        for clause in self.clauses(location, keyword):
            shape = self._conjoined(shape, self._united(clause.ways, location), location)
        return shape

    def _united(self, ways: Iterable[Node], location: Location) -> Shape:
        """Union of the shapes of nodes."""
        shapes: list[Shape] = []
        count = 0
        for way in ways:
            shapes.append(self.shape(way))
            count += len(shapes[-1].objects) + len(shapes[-1].arrays)
            if count > 8 * MAX_ALTERNATIVES:
                raise LimitError("max_alternatives", MAX_ALTERNATIVES, where=location.pointer)
        return unite(shapes)

    def clauses(self, location: Location, keyword: str) -> tuple[Clause, ...]:
        """Clauses of an applicator of a schema; of both keywords together for "unevaluated"."""
        found = self._clauses.get((location, keyword))
        if found is None:
            if keyword == "unevaluated":
                found = (self._facts.evaluation.clause(location),)
            else:
                read = keywords_of(location.draft).rows[keyword].clauses
                found = () if read is None else tuple(read(self, location, keyword))
            self._clauses[location, keyword] = found
        return found

    def _conjoined(self, a: Shape, b: Shape, location: Location) -> Shape:
        """Conjunction of two shapes, pruned of plainly empty alternatives if it has more than either."""
        if a.is_empty:
            return NOTHING
        pairs = [(a.arrays, b.arrays), (a.objects, b.objects)]
        if is_number_list(a.numbers) or is_number_list(b.numbers):
            listed = sum(len(one.values or ()) for one in (*a.numbers, *b.numbers))
            self._facts.spend(1 + (listed + len(a.numbers) + len(b.numbers)) // _NUMBERS_A_STEP)
        else:
            pairs.append((a.numbers, b.numbers))
        for left, right in pairs:
            if len(left) * len(right) > 8 * MAX_ALTERNATIVES:
                raise LimitError("max_alternatives", MAX_ALTERNATIVES, where=location.pointer)
            self._facts.spend(len(left) * len(right))
        shape = conjoin(a, b, self._object_products)
        if any(one.contains for one in shape.arrays) and not (a is ANY or b is ANY):
            settled = (self._settled(one) for one in shape.arrays)
            shape = replace(shape, arrays=without_implied([one for one in settled if one is not None]))
        if len(shape.arrays) > max(len(a.arrays), len(b.arrays)):
            shape = replace(shape, arrays=tuple(one for one in shape.arrays if not self._is_plainly_empty(one)))
        if max(map(len, (shape.numbers, shape.strings, shape.arrays, shape.objects))) > MAX_ALTERNATIVES:
            raise LimitError("max_alternatives", MAX_ALTERNATIVES, where=location.pointer)
        return shape

    def _is_plainly_empty(self, record: Objects | Arrays) -> bool:
        """Test whether a required property or item has a shape without alternatives; False if undecided."""
        if isinstance(record, Objects):
            asked = len(record.required) + sum(len(witness.present) for witness in record.witnesses)
            value = self._facts.members.values(record.layers, asked)
            if any(self._is_plainly_unmet(record, witness, value) for witness in record.witnesses):
                return True
            needed = map(value, record.required)
        else:
            needed = (record.item(index) for index in range(min(record.minimum, len(record.prefix) + 1)))
        return any(map(self.is_plainly_nothing, needed))

    def _object_products(self, left: tuple[Objects, ...], right: tuple[Objects, ...]) -> tuple[Objects, ...]:
        """Intersections of two unions of objects; of several without those that are plainly empty or in others."""
        if min(len(left), len(right)) < 2:
            return products(left, right, ANY_OBJECT)
        lists, found = self._lists, list[Objects]()
        tests = [sole_condition(other) or self._listing(other) for other in right]
        for one in left:
            for other, (key, node, is_sole) in zip(right, tests, strict=True):
                listed = self._listed(one, key) if node else None
                if listed is not None and not lists.narrowed(listed, node):
                    continue
                if listed is not None and is_sole and one.has(key) and lists.allows(listed, node):
                    found.append(one)
                    continue
                both = one.conjoin(other)
                if both is not None and not self._is_plainly_empty(both):
                    found.append(both)
        return without_implied(found)

    def _listing(self, objects: Objects) -> tuple[str, Node, bool]:
        """A required key of a record whose value is a listed string, with its node; that is empty if there is none."""
        key = next((key for key in objects.required if self._listed(objects, key) is not None), "")
        return key, self._facts.members.value(objects.layers, key) if key in objects.required else (), False

    def _listed(self, objects: Objects, key: str) -> frozenset[str] | None:
        """Strings that the value of a property can be in the objects of a record that have it; None without a list."""
        place = objects, key
        if place not in self._tags:
            self._tags[place] = self._lists.of(self._facts.members.value(objects.layers, key))
        return self._tags[place]

    def _settled(self, arrays: Arrays) -> Arrays | None:
        """Equal record without the counts that all items or none of them fulfil; None if it is plainly empty."""
        is_nothing, negation = self.is_surely_nothing, self.document.negation
        for counted in arrays.contains:
            if counted.start < len(arrays.prefix) or counted.maximum is not None or not counted.minimum:
                continue
            if is_nothing(join_nodes(arrays.items, counted.node)):
                return None
            if is_nothing(join_nodes(arrays.items, negation(counted.node))):
                rest = tuple(other for other in arrays.contains if other is not counted)
                minimum = max(arrays.minimum, counted.start + counted.minimum)
                fewer = replace(arrays, minimum=minimum, contains=rest).reduced()
                return None if fewer is None else self._settled(fewer)
        return arrays

    def _is_plainly_unmet(self, objects: Objects, witness: Witness, value: Callable[[str], Node]) -> bool:
        """Test whether no property, of which `value` gives the node, can satisfy a witness; False if undecided."""
        if witness.others or any(key not in objects.required for key in witness.absent):
            return False
        return all(self.is_plainly_nothing(join_nodes(value(key), node)) for key, node in witness.present)

    def is_plainly_nothing(self, node: Node) -> bool:
        """Test whether a node has a shape without alternatives; False if undecided."""
        if self.document.nothing in node:
            return True
        if len(node) < 2:
            return False
        listed = self._lists.of(node)
        if listed is not None and not listed:
            return True
        if self._has_example(node):
            return False
        shape = self.peek(node)
        return shape is not None and shape.is_empty

    def _has_example(self, node: Node) -> bool:
        """Test whether one of the first products of the objects of the schemas of a node is not plainly empty.

        That is much less than all of them, which the shape of the node has.
        """
        if node in self._exemplified:
            return True
        if self._peeks == _MOST_PEEKS or node in self._joined:
            return False
        self._peeks += 1
        try:
            records = [(self._shapes.get(location) or self._locked(location)).objects for location in node]
            most = min(prod(map(len, records)) // _SHARE_TRIED, _MOST_TRIED)
            if any(islice(self._examples(records), most)):
                self._exemplified.add(node)
                return True
        except (EntangledError, LimitError, UnsupportedFeature):
            pass  # of a product that may be left out where all are made
        finally:
            self._peeks -= 1
        return False

    def _examples(self, alternatives: list[tuple[Objects, ...]]) -> Iterator[bool]:
        """Search of the products of one record of each list, depth first: True for one that is not plainly empty, False
        for one of the first lists that is, and with it all that begin so."""
        todo = [(ANY_OBJECT, iter(alternatives[0]))]
        while todo:
            joined, rest = todo[-1]
            record = next(rest, None)
            if record is None:
                todo.pop()
                continue
            self._facts.spend(1)
            both = joined.conjoin(record)
            if both is None or self._is_plainly_empty(both):
                yield False
            elif len(todo) == len(alternatives):
                yield True
            else:
                todo.append((both, iter(alternatives[len(todo)])))

    def is_surely_nothing(self, node: Node) -> bool:
        """Test as `is_plainly_nothing`; False also where a shape has too many alternatives or cannot be found."""
        try:
            return self.is_plainly_nothing(node)
        except (LimitError, UnsupportedFeature):
            return False

    def peek(self, node: Node) -> Shape | None:
        """Shape of a node; None if its computation is unfinished or nested too deeply."""
        if self._peeks == _MOST_PEEKS:
            return None
        self._peeks += 1
        try:
            return self.shape(node)
        except EntangledError:
            return None
        finally:
            self._peeks -= 1

    # Negation -----------------------------------------------------------------------------------------------------

    def _denied(self, location: Location) -> Shape:
        """Complement of a schema: the union of the complements of its keywords."""
        schema, document = location.schema, self.document
        if not isinstance(schema, dict):
            return NOTHING if schema else ANY
        if "$ref" in schema and location.draft.ref_overrides:
            return self.shape(document.negation((document.referred(location, "$ref"),)))
        if not UNEVALUATED.isdisjoint(schema) and location.draft.number >= 8:
            return self._all_denied(self.clauses(location, "unevaluated")[0].ways, location)
        local = complement(local_shape(document, location), document.negation, self._facts.strings)
        return unite([local, *self._denied_keywords(location)])

    def _denied_keywords(self, location: Location) -> Iterator[Shape]:
        document, known = self.document, keywords_of(location.draft)
        for keyword in location.schema:
            row = known.rows.get(keyword)
            if row is None:
                continue
            if row.shape is not None:
                yield complement(row.shape(document, location, keyword), document.negation, self._facts.strings)
            elif row.clauses is one_of:
                nodes = branches(document, location, keyword)
                yield self._all_denied(nodes, location)
                for first, second in self.exclusive.overlaps(location, nodes):
                    yield self.shape(join_nodes(nodes[first], nodes[second]))
            elif row.clauses is not None:
                for clause in self.clauses(location, keyword):
                    yield self._all_denied(clause.ways, location)

    def _all_denied(self, nodes: Iterable[Node], location: Location) -> Shape:
        shape = ANY
        for node in nodes:
            shape = self._conjoined(shape, self.shape(self.document.negation(node)), location)
        return shape


def local_shape(document: SchemaDocument, location: Location) -> Shape:
    """Shape of the keywords of a schema, without references, applicators and enumerations."""
    schema, known = location.schema, keywords_of(location.draft)
    named = schema.get("type", TYPES)
    types = (named,) if isinstance(named, str) else named
    readers: dict[str, dict[Any, None]] = {}
    if document.excerpts_of is not None:
        readers["string"] = {read_strings: None}
    for keyword in schema:
        row = known.rows.get(keyword)
        if row is not None:
            for kind, reader in row.readers:
                readers.setdefault(kind, {})[reader] = None

    def read(kind: str, record: Any) -> tuple[Any, ...]:
        for reader in readers.get(kind, ()):
            found = reader(document, location)
            record = None if found is None else record.conjoin(found)
            if record is None:
                return ()
        return (record,)

    is_number = "number" in types
    return Shape(
        (None,) if "null" in types else (),
        (False, True) if "boolean" in types else (),
        read("number", ANY_NUMBER if is_number else _ONLY_INTEGERS) if is_number or "integer" in types else (),
        read("string", ANY_STRING) if "string" in types else (),
        read("array", ANY_ARRAY) if "array" in types else (),
        read("object", ANY_OBJECT) if "object" in types else (),
    )
