"""Validation pass over a schema before compilation: validity, and the support of each keyword."""

from __future__ import annotations

from collections import Counter
from typing import Any

from guidance_kit.errors import LimitError, SchemaError, UnsupportedFeature
from guidance_kit.grammars.json_schema.documents.document import Location, SchemaDocument, escape_pointer
from guidance_kit.grammars.json_schema.documents.drafts import draft_of
from guidance_kit.grammars.json_schema.keywords.table import Keyword, keywords_of
from guidance_kit.grammars.json_schema.normal_forms.expansion import MAX_REFERENCES, local_shape
from guidance_kit.grammars.json_schema.normal_forms.shapes import Shape

__all__ = ["Survey", "TupleItemsError"]


class TupleItemsError(Exception):
    """Schema without `$schema` that has an array under `items`, as in drafts up to 2019-09.

    Args:
        location: of the schema with these `items`.
    """

    def __init__(self, location: Location) -> None:
        self.location = location


class Survey:
    """Validation pass over a schema, with its findings.

    Each schema that a value can reach is checked against the keyword table. Definitions that nothing refers to must be
    valid, but may use anything. Nothing is expanded, so the cost is linear in the size of the schema.

    Attributes:
        enforced: keyword -> number of places.
        annotations, unknown, formats, narrowed, ignored, weakened: see `Report`; with the schemas themselves.
        reached: the schemas that a value can reach.
        involved: those whose alternatives do not simply stand in them.
        counted: those whose undeclared keys or different items have to be counted.
        has_dynamic: whether there are dynamic references.
        has_rule_formats: whether there are formats without expressions.
        recalls: whether some of these ask what the text says.

    Args:
        document: what to walk.
    Raises:
        SchemaError: not a valid schema, or a reference leads nowhere or round in a circle.
        UnsupportedFeature: a keyword that is not enforced exactly.
        LimitError: references that are entangled too deeply.
        TupleItemsError: the schema has to be read by an older draft.
    """

    def __init__(self, document: SchemaDocument) -> None:
        self.document = document
        self.involved: dict[Location, None] = {}
        self.enforced: Counter[str] = Counter()
        self.annotations: dict[str, list[Location]] = {}
        self.unknown: dict[str, list[Location]] = {}
        self.formats: dict[str, list[Location]] = {}
        self.narrowed: dict[str, list[Location]] = {}
        self.ignored: dict[str, list[Location]] = {}
        self.weakened: dict[str, list[Location]] = {}
        self.reached: dict[Location, None] = {}
        self._in_place: dict[Location, list[Location]] = {}
        self._of_values = {document.root}
        self._narrowing: dict[
            Location, set[Location]
        ] = {}  # branches of allOf, and the schemas that also have required
        self.counted: list[Location] = []
        self.has_dynamic = False
        self.has_rule_formats = self.recalls = False
        self._is_proven = False
        self._has_references = False
        self._walk()
        if self._has_references:
            self._check_circles()
        self._leave_narrowed()
        if self.counted:
            self.involved.update(dict.fromkeys(self._around(self.counted)))

    def _walk(self) -> None:
        self._todo = [(self.document.root, True)]
        checked: set[Location] = set()
        reached = self.reached
        while self._todo:
            location, is_reached = self._todo.pop()
            if location in reached or (not is_reached and location in checked):
                continue
            checked.add(location)
            schema = location.schema
            if not isinstance(schema, dict):
                if not isinstance(schema, bool) or (location is self.document.root and location.draft.number == 4):
                    self._ask_metaschema()
                continue
            if is_reached:
                reached[location] = None
            self._visit(location, schema, is_reached)

    def _visit(self, location: Location, schema: dict[str, Any], is_reached: bool) -> None:
        known = keywords_of(location.draft).rows
        if "$schema" in schema and is_reached and location is not self.document.root:
            self._check_inner_draft(location, schema)
        is_overridden = "$ref" in schema and location.draft.ref_overrides
        for keyword, value in schema.items():
            row = known.get(keyword)
            if row is None:
                if is_reached:
                    self.unknown.setdefault(keyword, []).append(location)
                continue
            if not row.accepts(value):
                if keyword == "items" and isinstance(value, list) and self.document.is_draft_open:
                    raise TupleItemsError(location)
                self._ask_metaschema()
            support, is_live = row.support, False
            if not is_reached or (is_overridden and keyword != "$ref"):
                if is_reached and support != "structure":
                    self.ignored.setdefault(keyword, []).append(location)
            elif support == "annotation":
                self.annotations.setdefault(keyword, []).append(location)
            elif support == "refused":
                raise UnsupportedFeature(keyword, where=location.below(keyword))
            elif support == "enforced" and not row.is_idle(schema):
                is_live = True
                self.enforced[keyword] += 1
                if row.check is not None:
                    row.check(self, location, keyword, value)
            if row.has_schemas:
                self._push(location, row, value, is_live)

    def _check_inner_draft(self, location: Location, schema: dict[str, Any]) -> None:
        """Check `$schema` inside a schema: it has a meaning only in the root of a resource."""
        if location.draft.id_keyword not in schema:
            self.ignored.setdefault("$schema", []).append(location)
            return
        draft = draft_of(schema, pointer=location.pointer)
        if draft is not location.draft:
            raise UnsupportedFeature(
                f"draft {draft.name} inside draft {location.draft.name}", where=f"{location.pointer}/$schema"
            )

    def refer(self, location: Location, target: Location) -> None:
        """Queue the target of a reference, which holds in place."""
        self._has_references = True
        self._in_place.setdefault(location, []).append(target)
        self._todo.append((target, True))

    def local_shape(self, location: Location) -> Shape:
        """Shape of the assertions of one schema."""
        return local_shape(self.document, location)

    def _leave_narrowed(self) -> None:
        """Let the dry run look at a `oneOf` only within the schemas whose required properties tell its branches apart.

        By itself it has each branch without all others; see `clauses.all_of`.
        """
        narrowed = [
            location
            for location in self._narrowing
            if location in self.involved and keywords_of(location.draft).say_only(location.schema, "oneOf")
        ]
        if narrowed:
            above = self._applying()
            narrowed = [one for one in narrowed if self._narrowing[one].issuperset(above[one])]
            self.involved.update(dict.fromkeys(self._around(narrowed)))
            for location in narrowed:
                if location not in self._of_values:
                    del self.involved[location]

    def _applying(self) -> dict[Location, list[Location]]:
        """Schemas that apply each schema in place."""
        above: dict[Location, list[Location]] = {}
        for outer, inner in self._in_place.items():
            for location in inner:
                above.setdefault(location, []).append(outer)
        return above

    def _around(self, locations: list[Location]) -> list[Location]:
        """Schemas of root, items and properties that apply some schemas in place, at any depth, or are among them."""
        above = self._applying()
        todo, seen = list(locations), set(locations)
        for location in todo:
            fresh = [outer for outer in above.get(location, ()) if outer not in seen]
            seen.update(fresh)
            todo += fresh
        return [location for location in todo if location in self._of_values]

    def _push(self, location: Location, row: Keyword, value: Any, is_live: bool) -> None:
        """Queue the subschemas of a keyword."""
        below, keyword = self.document.below, row.name
        if isinstance(value, list):
            inner = [below(location, item, keyword, index) for index, item in enumerate(value)]
        elif isinstance(value, dict) and row.value in ("schema map", "dependencies"):
            is_mixed = row.value == "dependencies"
            inner = []
            for key, item in value.items():
                if not isinstance(key, str):
                    raise SchemaError(f"the key {key!r} is not a string", pointer=f"{location.pointer}/{keyword}")
                if not (is_mixed and isinstance(item, list)):
                    inner.append(below(location, item, keyword, key))
        else:
            inner = [below(location, value, keyword)]
        takes_booleans = location.draft.number > 4 or keyword in ("additionalProperties", "additionalItems")
        if not takes_booleans and any(isinstance(one.schema, bool) for one in inner):
            self._ask_metaschema()
        if is_live and keyword == "allOf" and "required" in location.schema:
            for one in inner:
                self._narrowing.setdefault(one, set()).add(location)
        if is_live and keyword in keywords_of(location.draft).in_place:
            self._in_place.setdefault(location, []).extend(inner)
        elif is_live:
            self._of_values.update(inner)
        self._todo += [(one, is_live) for one in inner]

    def _ask_metaschema(self) -> None:
        """Validate against the metaschema, whose verdict and message count; our own checks are faster, and may be too
        strict."""
        if self._is_proven:
            return
        self._is_proven = True
        from jsonschema.exceptions import best_match  # imported late: it takes longer than everything else here
        from jsonschema.validators import validator_for

        validator = validator_for({"$schema": self.document.draft.uri})
        try:
            error = best_match(validator(validator.META_SCHEMA).iter_errors(self.document.root.schema))
        except RecursionError:
            raise LimitError("max_schema_depth", 300, where="the metaschema's check") from None
        if error is not None:
            # best_match stops above alternatives; of those of `type`, the list of names is the one that helps
            error = next((inner for inner in error.context or () if inner.validator == "enum"), error)
            pointer = "".join(f"/{escape_pointer(step)}" for step in error.absolute_path)
            raise SchemaError(f"not a valid schema: {error.message}", pointer=pointer)

    def _check_circles(self) -> None:
        """Refuse cycles of in-place references, and chains that are too long."""
        depths: dict[Location, int] = {}
        for root in self._in_place:
            if root in depths:
                continue
            path: list[tuple[Location, int]] = [(root, 0)]
            on_path = {root}
            while path:
                location, index = path.pop()
                following = self._in_place.get(location, ())
                if index < len(following):
                    path.append((location, index + 1))
                    inner = following[index]
                    if inner in on_path:
                        raise SchemaError("a reference that leads back to itself", pointer=location.pointer)
                    if inner not in depths:
                        on_path.add(inner)
                        path.append((inner, 0))
                    continue
                on_path.discard(location)
                depths[location] = 1 + max((depths[inner] for inner in following), default=0)
                if depths[location] > MAX_REFERENCES:
                    raise LimitError("max_references", MAX_REFERENCES, where=location.pointer)
