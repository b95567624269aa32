"""A schema that was read, checked and found satisfiable: ready to be written as networks."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from guidance_kit.errors import LimitError, SchemaError, UnsatisfiableError
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.json_schema.arrays.written_items import ArrayItemTracker
from guidance_kit.grammars.json_schema.documents.document import Node, SchemaDocument
from guidance_kit.grammars.json_schema.documents.drafts import DEFAULT_DRAFT, LAST_WITH_TUPLES
from guidance_kit.grammars.json_schema.documents.equal_schemas import equal_schemas
from guidance_kit.grammars.json_schema.documents.survey import Survey, TupleItemsError
from guidance_kit.grammars.json_schema.facts.dry_run import dry_run, dry_run_everything
from guidance_kit.grammars.json_schema.facts.explanation import explain
from guidance_kit.grammars.json_schema.facts.schema_facts import SchemaFacts
from guidance_kit.grammars.json_schema.formats.table import FormatMode
from guidance_kit.grammars.json_schema.layout import Layout
from guidance_kit.grammars.json_schema.normal_forms.expansion import MAX_REFERENCES
from guidance_kit.grammars.json_schema.numbers.digits import Digits
from guidance_kit.grammars.json_schema.objects.members import Order
from guidance_kit.grammars.json_schema.objects.written_keys import ObjectKeyTracker
from guidance_kit.grammars.json_schema.report import Report
from guidance_kit.grammars.json_schema.strings.encoding import JsonString
from guidance_kit.grammars.json_schema.writer import ValueWriter

if TYPE_CHECKING:
    from referencing import Registry

__all__ = ["CompiledSchema"]


class CompiledSchema:
    """Compiled schema: checked, normalised, and ready to declare networks.

    A schema that names no draft follows 2020-12, unless `items` is an array somewhere: then 2019-09.

    Args:
        schema: an object or a boolean.
        registry: other documents that it may refer to.
        formats: what `format` says about values.
        excerpts_of: a text of which strings are excerpts; None for any strings.
        order: in which properties are written.
        digits: in what form numbers are written.
        max_digits: digits of a number before and after the point, where the schema does not need more.
    Raises:
        SchemaError: it is no valid schema.
        UnsupportedFeature: something in it cannot be enforced exactly.
        UnsatisfiableError: no value satisfies it.
        LimitError: it is too deep or too involved.
    """

    def __init__(
        self,
        schema: Any,
        *,
        registry: Registry | None = None,
        formats: FormatMode = "assert",
        excerpts_of: str | None = None,
        order: Order = "declared",
        digits: Digits | None = None,
        max_digits: int | None = None,
    ) -> None:
        self._make_document = partial(
            SchemaDocument, schema, registry=registry, formats=formats, excerpts_of=excerpts_of
        )
        self.draft_from = "$schema" if isinstance(schema, dict) and "$schema" in schema else ""
        try:
            self._read()
        except TupleItemsError as error:
            self._read_tuples(error.location.pointer)
        if self.survey.has_dynamic:
            self._make_document = partial(self._make_document, is_dynamic=True)
            self._read()
        self._make_facts = partial(SchemaFacts, digits=digits, max_digits=max_digits, order=order)
        self.facts = self._make_facts(self.document)
        self.root: Node = () if schema in (True, {}) else (self.document.root,)
        try:
            if self.survey.involved and self.document.is_large:
                self._join_equal_schemas()
            if self.survey.involved:
                dry_run(self.facts, self.survey.involved)
            if self.survey.has_rule_formats or "uniqueItems" in self.survey.enforced:
                dry_run_everything(self.facts, self.document.root)
            self.facts.shape(self.root)  # whose limits are those of the schema, even if its keywords decide
            is_satisfiable = self.facts.is_satisfiable(self.root)
        except RecursionError:
            raise LimitError("max_references", MAX_REFERENCES, where="the expansion of a schema") from None
        if not is_satisfiable:
            clash = explain(self.facts, self.root)
            message = clash.message
            if digits is not None and SchemaFacts(self.document, order=order).is_satisfiable(self.root):
                message += f", where numbers are written with {digits}"
            raise UnsatisfiableError(message, where=clash.where, keywords=clash.keywords)

    def _read(self) -> None:
        self.document = self._make_document(joins_equal=True)
        self.survey = Survey(self.document)

    def _join_equal_schemas(self) -> None:
        """Let equal schemas be one location, so that each is looked at once."""
        equal = equal_schemas(self.document.located)
        self.document.replace(equal)
        self.survey.involved = dict.fromkeys(equal.get(one, one) for one in self.survey.involved)

    def _read_tuples(self, pointer: str) -> None:
        """Read the schema by the last draft that has arrays under `items`, as one is found there.

        Raises:
            SchemaError: the schema has keywords of 2020-12, too.
        """
        self.draft_from = f"{pointer}/items"
        self._make_document = partial(self._make_document, draft=LAST_WITH_TUPLES)
        self._read()
        for keyword in ("prefixItems", "$dynamicRef", "$dynamicAnchor"):
            if keyword in self.survey.unknown:
                raise SchemaError(
                    f"an array as items belongs to drafts up to {LAST_WITH_TUPLES.name}, {keyword} (at "
                    f"{self.survey.unknown[keyword][0].pointer or 'the root'}) to {DEFAULT_DRAFT.name}: write "
                    "prefixItems for the array and items for what follows, or name the draft with $schema",
                    pointer=self.draft_from,
                )

    def declare(self, network: Network, layout: Layout, encoding: JsonString) -> int:
        """Declare the rule of the JSON texts of all values that satisfy the schema; return its number."""
        network.key_tracker = network.key_tracker or ObjectKeyTracker()
        network.needs_names = network.needs_names or self.facts.needs_keys
        network.needs_exhaustible_keys = network.needs_exhaustible_keys or self.facts.has_exhaustible_keys
        network.has_many_sets = network.has_many_sets or self.facts.has_many_sets
        if self.facts.compares_items:
            network.item_tracker = network.item_tracker or ArrayItemTracker()
        if not self.survey.recalls:
            return ValueWriter(network, self.facts, layout, encoding).value(self.root)
        network.has_recalls = True  # there is something to be known about each text, which goes with the network
        document = self._make_document(joins_equal=True)
        return ValueWriter(network, self._make_facts(document), layout, encoding).value(self.root and (document.root,))

    def network(self, layout: Layout, encoding: JsonString) -> Network:
        """A fresh network of the same."""
        network = Network()
        network.root = self.declare(network, layout, encoding)
        return network

    def report(
        self, layout: Layout, encoding: JsonString, options: tuple[str, ...], validators: tuple[str, ...] = ()
    ) -> Report:
        """Report of enforced, weakened and ignored keywords; see `Report`."""
        survey, facts = self.survey, self.facts
        if self.document.has_equal:  # a report has all places
            document = self._make_document()
            survey, facts = Survey(document), self._make_facts(document)
        return Report(
            survey,
            facts,
            lambda: self.network(layout, encoding),
            options,
            draft_from=self.draft_from,
            validators=validators,
        )


def check_kind(schema: Any) -> None:
    """Refuse values that are neither objects nor booleans.

    Raises:
        SchemaError: it is neither an object nor a boolean.
    """
    if not isinstance(schema, dict | bool):
        raise SchemaError(f"a schema is an object or a boolean, not {type(schema).__name__}", pointer="")
