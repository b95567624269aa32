"""Two schemas in one document, and the instances of one that the other refuses."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from guidance_kit.errors import ConstraintError, LimitError
from guidance_kit.fsm.limits import Limits
from guidance_kit.fsm.network import Network, Work
from guidance_kit.grammars.json_schema.documents.document import Location, Node, SchemaDocument
from guidance_kit.grammars.json_schema.documents.drafts import LAST_WITH_TUPLES, SchemaDraft
from guidance_kit.grammars.json_schema.documents.survey import Survey, TupleItemsError
from guidance_kit.grammars.json_schema.facts.schema_facts import SchemaFacts
from guidance_kit.grammars.json_schema.formats.table import FORMATS, RULE_FORMATS, FormatMode
from guidance_kit.grammars.json_schema.inclusion.judge import InstanceJudge, value_without_repeated_keys
from guidance_kit.grammars.json_schema.inclusion.renamed_resources import addresses, with_suffix
from guidance_kit.grammars.json_schema.inclusion.shared_parts import equal_parts
from guidance_kit.grammars.json_schema.inclusion.shrinking import shrunk
from guidance_kit.grammars.json_schema.layout import layout_of
from guidance_kit.grammars.json_schema.normal_forms.expansion import MAX_REFERENCES
from guidance_kit.grammars.json_schema.strings.encoding import ENCODINGS
from guidance_kit.grammars.json_schema.writer import ValueWriter

__all__ = ["WORK", "SchemaPair", "SchemaSide", "compact", "documents_in", "draft_of_schema"]

_HOSTS = "https://left.invalid/", "https://right.invalid/"
"""Addresses of the two schemas; the top-level domain is reserved for names that do not exist (RFC 2606)."""

_SUFFIX = ".right.invalid"

WORK = "work"
"""Name of the limit in errors of a proof that took too many steps."""

_NETWORKS = Limits(max_states=50_000, max_configurations=50_000)
"""Limits of the networks in which shortest counterexamples are sought."""

_WALKED = replace(_NETWORKS, max_work=50_000)
"""Limits of those over which random walks lead; there are several of them, and what was too much once is so again."""

_DRAWN = 40
"""Random texts of a difference, or of a schema, of which the shortest counterexample is taken."""

_DRAWN_BYTES = 10_000
"""Bytes of these texts, after which no further one is drawn: a second."""

_MOST_SHOWN = 300
"""Values that a schema shows which are tried; of more of them, some in equal distances."""

_MOST_SMALLER = 300
"""Smaller values that are tried for a counterexample."""


@dataclass(frozen=True, slots=True)
class SchemaSide:
    """One of two compared schemas, with its draft and its judge.

    Args:
        schema: an object or a boolean, valid.
        draft: by which it is read.
        judge: of its instances.
        open_formats: formats of which some strings belong neither to the format nor to its negation in automata.
    """

    schema: Any
    draft: SchemaDraft
    judge: InstanceJudge
    open_formats: tuple[str, ...]


class SchemaPair:
    """Two schemas in one document.

    Args:
        left, right: objects or booleans.
        registry: other documents that they may refer to.
        formats: what `format` says about values.

    Attributes:
        sides: the two, read and checked.

    Raises:
        SchemaError: one is no valid schema.
        UnsupportedFeature: one names an unknown draft, or has a keyword that is not enforced exactly.
        LimitError: one is too deep.
    """

    def __init__(
        self, left: Any, right: Any, *, registry: Registry | None = None, formats: FormatMode = "assert"
    ) -> None:
        self._formats: FormatMode = formats
        self._is_same = json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)
        shared = addresses(left) & addresses(right)
        if shared:
            right = with_suffix(right, addresses(right), _SUFFIX)
        documents = [_read(schema, registry, formats) for schema in (left, right)]
        surveys = [survey for _, survey in documents]
        self.sides = tuple(_side(document, survey, registry) for document, survey in documents)
        self._registry = (registry or Registry()).with_resources(
            (host, Resource(contents=_with_draft(side), specification=DRAFT202012))
            for host, side in zip(_HOSTS, self.sides, strict=True)
        )
        is_dynamic = any(survey.has_dynamic for survey in surveys)
        self._document = SchemaDocument(
            True,
            registry=self._registry,
            formats=formats,
            is_dynamic=is_dynamic,
        )
        if not is_dynamic and self.sides[0].draft == self.sides[1].draft:
            self._share_parts()
        self._facts = SchemaFacts(self._document)
        self._instances: dict[int, list[str]] = {}

    def is_within(self, inner: int, steps: int) -> bool:
        """Test whether each instance of a side is one of the other side.

        Args:
            inner: number of the side, 0 or 1.
            steps: work that this may take, see `SchemaFacts`.
        Raises:
            UnsupportedFeature: their difference has no normal form.
            LimitError: it has too many alternatives, or takes more steps (limit WORK).
        """
        if self._is_same:
            return True
        self._facts.work = Work(steps, name=WORK)
        try:
            return not self._facts.is_satisfiable(self._difference(inner))
        except RecursionError:
            raise LimitError("max_references", MAX_REFERENCES, where="the difference of two schemas") from None

    def counterexample(self, inner: int, steps: int) -> tuple[str | None, bool]:
        """JSON text, without white space, of an instance that only a side has, and whether it is a shortest one.

        Keys and items are first taken as if they could repeat, which bounds the length from below; a text of this
        length in which no key is repeated, and on which the judges agree, is a shortest one. Otherwise the shortest of
        some random texts is taken, and made smaller.

        Returns:
            None where no text was found, on which the judges agree, in so many steps.
        """
        from guidance_kit.fsm.shortest import shortest_text  # brings numba

        self._facts.work = Work(steps, name=WORK)
        try:
            network = self._network(self._difference(inner))
            text = shortest_text(network, _NETWORKS)
        except (ConstraintError, RecursionError):
            return None, False
        if text is not None and self.is_counterexample(inner, text):
            return text, True
        return self._shortest_of(inner, self._walks(self._difference(inner))), False

    def searched(self, inner: int, steps: int) -> tuple[str | None, int]:
        """A counterexample among random instances of both sides and values that the schemas show; how many these were.

        Args:
            steps: work that each of the two may take to be compiled.
        """
        texts: list[str] = []
        for shown in (list(_shown_values(side.schema)) for side in self.sides):
            texts += shown[:: -(-len(shown) // _MOST_SHOWN) or 1]
        for side in (inner, 1 - inner):
            if side not in self._instances:
                self._facts.work = Work(steps, name=WORK)
                self._instances[side] = self._walks((self._root(side),))
            texts += self._instances[side]
        texts = list(dict.fromkeys(texts))
        return self._shortest_of(inner, texts), len(texts)

    def is_counterexample(self, inner: int, text: str) -> bool:
        """Test by the judges whether a text is an instance of one side only."""
        is_proper, _ = value_without_repeated_keys(text)
        accepted, refused = self.sides[inner].judge.accepts(text), self.sides[1 - inner].judge.accepts(text)
        return is_proper and accepted is True and refused is False

    def _share_parts(self) -> None:
        """Let equal parts of the two schemas be one location, whose conjunction with its negation is empty at once."""
        left, right = self._root(0), self._root(1)
        if not (_has_addresses(left.schema) or _has_addresses(right.schema)):
            for part in equal_parts(left.schema, right.schema):
                if part.path:
                    location = self._document.below(left, part.left, *part.path)
                    self._document.share(right, part.right, location)

    def _root(self, side: int) -> Location:
        document = self._document
        return document.referred(document.beside(document.root, {"$ref": _HOSTS[side]}), "$ref")

    def _difference(self, inner: int) -> Node:
        return (self._root(inner), *self._document.negation((self._root(1 - inner),)))

    def _network(self, node: Node) -> Network:
        """Network of the compact texts of a node, in which keys and items may repeat."""
        network = Network()
        writer = ValueWriter(network, self._facts, layout_of("compact"), ENCODINGS["minimal"])
        network.root = writer.value(node)
        return network

    def _walks(self, node: Node) -> list[str]:
        """Random texts of the network of a node; fewer, or none, where it cannot be built in so many steps."""
        from guidance_kit.grammars.random_walk import walks  # brings numba

        found: list[str] = []
        try:
            if self._facts.is_satisfiable(node):
                for text in islice(walks(self._network(node), limits=_WALKED), _DRAWN):
                    found.append(text)
                    if sum(map(len, found)) > _DRAWN_BYTES:
                        break
        except (ConstraintError, RecursionError):
            pass
        return found

    def _shortest_of(self, inner: int, texts: list[str]) -> str | None:
        """The shortest counterexample among texts, without parts that it need not have."""
        proper = [text for text in texts if self.is_counterexample(inner, text)]
        if not proper:
            return None
        value = json.loads(min(proper, key=lambda text: (len(text.encode()), text)))
        return compact(shrunk(value, lambda smaller: self.is_counterexample(inner, compact(smaller)), _MOST_SMALLER))


def compact(value: Any) -> str:
    """JSON text of a value, without white space."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def documents_in(registry: Registry | None, documents: Iterable[tuple[str, Any]]) -> Registry | None:
    """A registry with further documents, by their addresses."""
    resources = [(address, Resource(contents=schema, specification=DRAFT202012)) for address, schema in documents]
    return (registry or Registry()).with_resources(resources) if resources else registry


def draft_of_schema(schema: Any) -> SchemaDraft:
    """Draft by which a schema is read, after it was checked.

    Raises:
        SchemaError, UnsupportedFeature, LimitError: as `SchemaPair`.
    """
    return _read(schema, None, "assert")[0].draft


def _read(schema: Any, registry: Registry | None, formats: FormatMode) -> tuple[SchemaDocument, Survey]:
    """Document of a schema, checked; by the last draft with arrays under `items` if it has one and names no draft."""
    document = SchemaDocument(schema, registry=registry, formats=formats)
    try:
        survey = Survey(document)
    except TupleItemsError:
        document = SchemaDocument(schema, registry=registry, formats=formats, draft=LAST_WITH_TUPLES)
        survey = Survey(document)
    if survey.has_dynamic:
        document = SchemaDocument(schema, registry=registry, formats=formats, draft=document.draft, is_dynamic=True)
        survey = Survey(document)
    return document, survey


def _side(document: SchemaDocument, survey: Survey, registry: Registry | None) -> SchemaSide:
    schema, draft = document.root.schema, document.draft
    judge = InstanceJudge(schema, draft, registry, document.formats)
    open_formats = sorted({*survey.narrowed} & {*FORMATS, *RULE_FORMATS})
    return SchemaSide(schema, draft, judge, tuple(open_formats))


def _with_draft(side: SchemaSide) -> Any:
    """A schema that names its draft, since it stands beside one of another draft."""
    return {**side.schema, "$schema": side.draft.uri} if isinstance(side.schema, dict) else side.schema


def _has_addresses(schema: Any) -> bool:
    """Test whether a part of a schema, other than the whole, has an address of its own."""
    if isinstance(schema, dict):
        return any(
            isinstance(value, dict | list) and (_is_addressed(value) or _has_addresses(value))
            for value in schema.values()
        )
    return isinstance(schema, list) and any(_is_addressed(value) or _has_addresses(value) for value in schema)


def _is_addressed(schema: Any) -> bool:
    return isinstance(schema, dict) and any(isinstance(schema.get(name), str) for name in ("$id", "id"))


def _shown_values(schema: Any) -> Iterator[str]:
    """JSON texts of the values that a schema shows: defaults, examples, constants and enumerations."""
    todo: list[Any] = [schema]
    while todo:
        part = todo.pop()
        if isinstance(part, list):
            todo += part
        elif isinstance(part, dict):
            for keyword, value in part.items():
                if keyword in ("default", "const"):
                    yield json.dumps(value)
                elif keyword in ("examples", "enum") and isinstance(value, list):
                    yield from map(json.dumps, value)
                else:
                    todo.append(value)
