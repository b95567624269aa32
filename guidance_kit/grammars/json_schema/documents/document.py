"""Schema document: subschemas, their positions, and references between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urldefrag, urljoin

from guidance_kit.errors import SchemaError
from guidance_kit.grammars.json_schema.documents.drafts import DEFAULT_DRAFT, SchemaDraft, draft_of
from guidance_kit.grammars.json_schema.documents.interning import InternedSchemas
from guidance_kit.grammars.json_schema.documents.metaschemas import metaschema
from guidance_kit.grammars.json_schema.formats.table import FormatMode
from guidance_kit.grammars.json_schema.keywords.table import keywords_of

if TYPE_CHECKING:
    from referencing import Registry

__all__ = ["Location", "Node", "SchemaDocument"]

LEAST_COMPARED = 200
"""Number of schemas in a document from which on equal ones are sought."""

Scope = tuple[tuple[str, str], ...]
"""(dynamic anchor, address of a resource) pairs, each anchor once."""


class Location:
    """Subschema of a document, with its position. Compared by identity.

    Attributes:
        schema: an object or a boolean.
        base: base URI, against which references in it are resolved; "" if nothing gave one.
        draft: the draft that it follows.
        scope: for each dynamic anchor the address of the first resource on the way here that has it; None if that does
            not matter.
        denies: if not None, this stands for the values that another schema does not allow.
        ways: if not None, this stands for the values that at least one of some nodes allows.
    """

    __slots__ = ("_parent", "_step", "base", "denies", "draft", "schema", "scope", "ways")

    def __init__(
        self,
        schema: Any,
        *,
        base: str,
        draft: SchemaDraft,
        scope: Scope | None = None,
        parent: Location | None = None,
        step: tuple[str | int, ...] = (),
    ) -> None:
        self.schema = schema
        self.base = base
        self.draft = draft
        self.scope = scope
        self.denies: Location | None = None
        self.ways: tuple[Node, ...] | None = None
        self._parent = parent
        self._step = step

    @property
    def pointer(self) -> str:
        """JSON pointer from the root of the document."""
        steps: list[str | int] = []
        here: Location | None = self
        while here is not None:
            steps += reversed(here._step)
            here = here._parent
        return "".join(f"/{escape_pointer(step)}" for step in reversed(steps))

    def below(self, *step: str | int) -> str:
        """JSON pointer of something inside the schema."""
        return "".join((self.pointer, *(f"/{escape_pointer(one)}" for one in step)))

    def __repr__(self) -> str:
        return f"Location({self.pointer!r})"

    @property
    def is_derived(self) -> bool:
        """True for a negation or a union of nodes, which is not a schema of the document."""
        return self.denies is not None or self.ways is not None


Node = tuple[Location, ...]
"""Conjunction of subschemas on one value. The empty one allows every value."""


class SchemaDocument:
    """A schema with everything in it that references can name.

    Args:
        schema: an object or a boolean.
        registry: other documents that it may refer to.
        formats: what `format` says about values.
        excerpts_of: a text from which strings are copied; None where they need not be.
        is_dynamic: whether there are dynamic references; then each schema has a location for every way to get there
            that matters to them.
        draft: of schemas that do not name one; None for the one that `draft_of` says.
        joins_equal: whether equal schemas of a large document have one location.

    Attributes:
        is_draft_open: whether neither the schema nor the caller says which draft it follows.
    """

    def __init__(
        self,
        schema: Any,
        *,
        registry: Registry | None = None,
        formats: FormatMode = "assert",
        excerpts_of: str | None = None,
        is_dynamic: bool = False,
        draft: SchemaDraft | None = None,
        joins_equal: bool = False,
    ) -> None:
        self.is_draft_open = draft is None and not (isinstance(schema, dict) and "$schema" in schema)
        if draft is None:
            draft = DEFAULT_DRAFT if self.is_draft_open else draft_of(schema)
        self.draft = draft
        self.registry = registry
        self.formats: FormatMode = formats
        self.excerpts_of = excerpts_of
        self.is_dynamic = is_dynamic
        self.used: dict[str, Any] = {}
        self._joins_equal = joins_equal
        self._interned: InternedSchemas | None = None
        self._located: dict[tuple[int, str, Scope | None], Location] = {}
        self._foreign: list[Any] = []  # keeps schemas alive whose id() is a key above
        self._names: dict[str, Location] | None = None
        self._dynamic: dict[str, dict[str, None]] = {}
        self._targets: dict[tuple[str, str], Location] = {}  # of references, by the base URI they are resolved against
        self._denials: dict[Location, Location] = {}
        self._choices: dict[tuple[Node, ...], Location] = {}
        self.nothing = Location(False, base="", draft=self.draft)
        self.root = self._resource(schema, "", self.draft)
        if is_dynamic:
            self.root = self._within(self.root, self._entered((), self.root.base))

    def below(self, parent: Location, schema: Any, *step: str | int) -> Location:
        """Location of a schema inside that of `parent`: one object for each position, or for each of equal schemas."""
        base, draft, scope = parent.base, parent.draft, parent.scope
        if not isinstance(schema, dict):
            return Location(schema, base=base, draft=draft, scope=scope, parent=parent, step=step)
        key = (id(schema), base, scope)
        found = self._located.get(key)
        if found is None:
            found = self._equal(schema, parent) if self._joins_equal and self.is_large else None
            if found is None:
                found = Location(schema, base=base, draft=draft, scope=scope, parent=parent, step=step)
                if draft.id_keyword in schema:
                    found.base = self._base_within(found)
                    if scope is not None:
                        found.scope = self._entered(scope, found.base)
            self._located[key] = found
        return found

    def _equal(self, schema: dict[str, Any], parent: Location) -> Location | None:
        """Location of an equal schema that was met before, and is read as one inside that of `parent`."""
        if self._interned is None:
            self._interned = InternedSchemas()
        first = self._interned.first(schema)
        found = None if first is schema else self._located.get((id(first), parent.base, parent.scope))
        if found is None or found.draft is not parent.draft:
            return None
        self._foreign.append(schema)
        return found

    def node(self, parent: Location, schema: Any, *step: str | int) -> Node:
        """As `below`, as a node: empty for a schema that allows everything."""
        if schema is True or schema == {}:
            return ()
        return (self.nothing,) if schema is False else (self.below(parent, schema, *step),)

    def constant(self, parent: Location, value: Any, *step: str | int) -> Node:
        """Node of the values equal to `value`, a member of an enumeration at `parent`."""
        schema = {"enum": [value]}
        self._foreign.append(schema)
        return (Location(schema, base=parent.base, draft=parent.draft, scope=parent.scope, parent=parent, step=step),)

    def beside(self, location: Location, schema: dict[str, Any]) -> Location:
        """Location of a derived schema, such as a part of one, at the position of `location`."""
        self._foreign.append(schema)
        return Location(schema, base=location.base, draft=location.draft, scope=location.scope, parent=location)

    def adopted(self, parent: Location, location: Location) -> Any:
        """Schema of `location`, which is found as `location` from now on, also inside a schema beside `parent`."""
        if isinstance(location.schema, dict):
            self.share(parent, location.schema, location)
        return location.schema

    def share(self, parent: Location, schema: dict[str, Any], location: Location) -> None:
        """Let a schema inside `parent` be found as `location`, which has the same instances."""
        self._located[id(schema), parent.base, parent.scope] = location
        self._targets.clear()

    def replace(self, equal: dict[Location, Location]) -> None:
        """Let schemas be found as others from now on, which have the same instances."""
        for key, location in self._located.items():
            self._located[key] = equal.get(location, location)
        self._targets.clear()

    @property
    def has_equal(self) -> bool:
        """True if some location is that of several equal schemas."""
        return self._interned is not None and self._interned.has_equal

    @property
    def is_large(self) -> bool:
        """True if so many schemas were met that equal ones among them are worth finding."""
        return len(self._located) >= LEAST_COMPARED

    @property
    def located(self) -> Iterable[tuple[int, Location]]:
        """Schemas that were met so far and are objects: the id() of each, and its location."""
        return ((identity, location) for (identity, _, _), location in self._located.items())

    def negation(self, node: Node) -> Node:
        """The node of the values that `node` does not allow."""
        if len(node) != 1:
            return self.choice(tuple(self.negation((location,)) for location in node))
        (location,) = node
        if location is self.nothing:
            return ()
        if location.denies is not None:
            return (location.denies,)
        if location.ways is not None:
            return tuple(dict.fromkeys(one for way in location.ways for one in self.negation(way)))
        denial = self._denials.get(location)
        if denial is None:
            denial = self.beside(location, {"not": location.schema})
            denial.denies = location
            self._denials[location] = denial
        return (denial,)

    def choice(self, ways: tuple[Node, ...]) -> Node:
        """The node of the values that at least one of some nodes allows."""
        ways = tuple(dict.fromkeys(way for way in ways if self.nothing not in way))
        if len(ways) < 2 or () in ways:
            return () if () in ways else ways[0] if ways else (self.nothing,)
        found = self._choices.get(ways)
        if found is None:
            shown = [{"allOf": [location.schema for location in way]} for way in ways]
            found = self.beside(ways[0][0], {"anyOf": shown})
            found.ways = ways
            self._choices[ways] = found
        return (found,)

    def referred(self, location: Location, keyword: str) -> Location:
        """The schema that a `$ref`, `$dynamicRef` or `$recursiveRef` at `location` means.

        Raises:
            SchemaError: if there is none, or it is no schema.
        """
        reference = location.schema[keyword]
        if not isinstance(reference, str):
            raise SchemaError(f"{keyword} must be a string, not {reference!r}", pointer=f"{location.pointer}/{keyword}")
        place = location.base, reference
        target = self._targets.get(place)
        if target is None:
            target = self._targets[place] = self._resolve(location, keyword, reference)
        if not self.is_dynamic or isinstance(target.schema, bool):
            return target
        anchor = _dynamic_anchor(target) if keyword != "$ref" else None
        is_by_name = keyword == "$recursiveRef" or urldefrag(reference)[1] == anchor
        if anchor is not None and is_by_name:
            address = dict(location.scope or ()).get(anchor)
            if address is not None:
                target = self._resources()[f"{address}#{anchor}" if anchor else address]
        return self._within(target, self._entered(location.scope or (), target.base))

    def _resolve(self, location: Location, keyword: str, reference: str) -> Location:
        if reference == "#" and not location.base:
            return self.root
        address, fragment = _split(location.base, reference)
        if not address and fragment.startswith("/") and not location.base:
            return self._follow(self.root, unquote(fragment), location, reference)
        names = self._resources()
        resource = names.get(address) or self._fetched(address)
        if resource is None:
            raise SchemaError(
                f"{keyword} {reference!r} leads outside the schema, and references are never fetched; "
                "put the schema it names under $defs, or pass a registry",
                pointer=f"{location.pointer}/{keyword}",
            )
        fragment = unquote(fragment)
        if not fragment:
            return resource
        if fragment.startswith("/"):
            return self._follow(resource, fragment, location, reference)
        anchored = names.get(f"{address}#{fragment}") or names.get(f"{resource.base}#{fragment}")
        if anchored is None:
            raise SchemaError(
                f"{keyword} {reference!r}: there is no such anchor", pointer=f"{location.pointer}/{keyword}"
            )
        return anchored

    def _fetched(self, address: str) -> Location | None:
        """Document of the registry, or a metaschema, or a vocabulary of one; every schema may refer to the latter."""
        if self.registry is not None and address in self.registry:
            schema = self.registry.contents(address)
            draft = self.draft if not isinstance(schema, dict) or "$schema" not in schema else draft_of(schema)
            self.used[address] = schema
        else:
            schema = metaschema(address)
            if schema is None:
                return None
            draft = draft_of(schema)
        resource = self._resource(schema, address, draft, step=(address,))
        self._scan(resource)
        assert self._names is not None
        self._names.setdefault(address, resource)
        return resource

    def _resource(self, schema: Any, address: str, draft: SchemaDraft, *, step: tuple[str, ...] = ()) -> Location:
        """The location of a whole document."""
        resource = Location(schema, base=address, draft=draft, step=step)
        if isinstance(schema, dict):
            resource.base = self._base_within(resource)
            self._located[id(schema), resource.base, None] = resource
        return resource

    def _within(self, location: Location, scope: Scope) -> Location:
        """The same schema, reached through other resources."""
        if location.scope == scope:
            return location
        key = (id(location.schema), location.base, scope)
        found = self._located.get(key)
        if found is None:
            found = Location(location.schema, base=location.base, draft=location.draft, scope=scope, parent=location)
            self._located[key] = found
        return found

    def _entered(self, scope: Scope, address: str) -> Scope:
        """The scope after a resource was entered."""
        self._resources()
        known = dict(scope)
        fresh = [(anchor, address) for anchor in self._dynamic.get(address, ()) if anchor not in known]
        return tuple(sorted((*scope, *fresh)))

    def _follow(self, start: Location, pointer: str, source: Location, reference: str) -> Location:
        """The schema at a JSON pointer below `start`."""
        value, here = start.schema, start
        pending: list[str | int] = []
        for token in pointer.split("/")[1:]:
            token = token.replace("~1", "/").replace("~0", "~")
            step: str | int = token
            if isinstance(value, list) and token.isascii() and token.isdigit() and int(token) < len(value):
                step = int(token)
                value = value[step]
            elif isinstance(value, dict) and token in value:
                value = value[token]
            else:
                raise SchemaError(
                    f"$ref {reference!r}: there is nothing at {pointer!r}", pointer=f"{source.pointer}/$ref"
                )
            pending.append(step)
            if isinstance(value, dict):
                here = self.below(here, value, *pending)
                pending.clear()
        if isinstance(value, bool):
            return Location(value, base=here.base, draft=here.draft, parent=here, step=tuple(pending))
        if not isinstance(value, dict):
            raise SchemaError(f"$ref {reference!r} does not name a schema", pointer=f"{source.pointer}/$ref")
        return here

    def _resources(self) -> dict[str, Location]:
        """All addresses and anchors in the document; found on first use, since few schemas have any."""
        if self._names is None:
            self._names = {}
            self._scan(self.root)
            self._names.setdefault("", self.root)
        return self._names

    def _scan(self, root: Location) -> None:
        """Record the addresses and anchors of `root` and of the schemas inside."""
        assert self._names is not None
        self._names.setdefault(root.base, root)
        todo, seen = [root], set()
        while todo:
            location = todo.pop()
            schema = location.schema
            if id(location) in seen or not isinstance(schema, dict):
                continue
            seen.add(id(location))
            draft = location.draft
            identifier = schema.get(draft.id_keyword)
            if isinstance(identifier, str) and not (draft.ref_overrides and "$ref" in schema):
                if identifier.startswith("#"):
                    self._names.setdefault(f"{location.base}{identifier}", location)
                else:
                    self._names.setdefault(location.base, location)
            for keyword in ("$anchor", "$dynamicAnchor"):
                anchor = schema.get(keyword)
                if isinstance(anchor, str) and draft.number >= (8 if keyword == "$anchor" else 9):
                    self._names.setdefault(f"{location.base}#{anchor}", location)
            dynamic = _dynamic_anchor(location)
            if dynamic is not None:
                self._dynamic.setdefault(location.base, {})[dynamic] = None
            todo += [self.below(location, inner, *step) for inner, *step in subschemas(location)]

    def _base_within(self, location: Location) -> str:
        """Base URI of the subschemas of `location`, with its own `$id` applied."""
        schema, draft = location.schema, location.draft
        identifier = schema.get(draft.id_keyword)
        if not isinstance(identifier, str) or (draft.ref_overrides and "$ref" in schema):
            return location.base
        return _split(location.base, identifier)[0]


def _split(base: str, reference: str) -> tuple[str, str]:
    """Address and fragment of a reference, resolved against a base URI of any scheme, `urn:` included (RFC 3986,
    section 5.2)."""
    if reference.startswith("#"):
        return urldefrag(base)[0], reference[1:]
    return urldefrag(urljoin(base, reference))


def _dynamic_anchor(location: Location) -> str | None:
    """Dynamic anchor of a schema; "" for the drafts that have only one (`$recursiveAnchor`)."""
    schema, number = location.schema, location.draft.number
    if number == 8:
        return "" if schema.get("$recursiveAnchor") is True else None
    anchor = schema.get("$dynamicAnchor") if number >= 9 else None
    return anchor if isinstance(anchor, str) else None


def subschemas(location: Location) -> Iterator[tuple[Any, ...]]:
    """Direct subschemas of a schema, those under `$defs` included, as (schema, step, ...)."""
    known = keywords_of(location.draft).rows
    for name, value in location.schema.items():
        row = known.get(name)
        shape = row.value if row is not None else ""
        if shape in ("schema", "schema or schemas") and isinstance(value, dict | bool):
            yield value, name
        elif shape in ("schemas", "schema or schemas") and isinstance(value, list):
            for index, inner in enumerate(value):
                yield inner, name, index
        elif shape in ("schema map", "dependencies") and isinstance(value, dict):
            for key, inner in value.items():
                if isinstance(inner, dict | bool):
                    yield inner, name, key


def escape_pointer(step: str | int) -> str:
    """A step of a JSON pointer, escaped as RFC 6901 wants it."""
    return str(step).replace("~", "~0").replace("/", "~1")
