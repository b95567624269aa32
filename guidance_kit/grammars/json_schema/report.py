"""Report on the keywords of a schema: enforced, weakened, ignored or unknown."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from guidance_kit.fsm.network import Network
from guidance_kit.grammars.json_schema.documents.document import Location
from guidance_kit.grammars.json_schema.documents.survey import Survey
from guidance_kit.grammars.json_schema.facts.explanation import Clash, explain
from guidance_kit.grammars.json_schema.facts.schema_facts import SchemaFacts

__all__ = ["Instance", "Report"]

Places = Mapping[str, tuple[str, ...]]
"""Keyword or format -> JSON pointers of the schemas that contain it."""


class Instance(NamedTuple):
    """Valid instance, with its JSON text."""

    text: str
    value: Any


class Report:
    """Handling of the keywords of all reachable subschemas, as data.

    Whatever is not enforced is listed here; whatever should be and cannot be has raised UnsupportedFeature before. It
    is found out when it is asked for.

    Args:
        survey: of the schema.
        facts: of the schema, which some value satisfies.
        network: makes a network of its texts.
        options: of the texts' form, those that are not the default, in words.
        draft_from: what says which draft it is: "$schema"; the JSON pointer of `items` with an array; "" for nothing.
        validators: names of functions within a Python type of which only `Constraint.parse` knows what they refuse.
    """

    def __init__(
        self,
        survey: Survey,
        facts: SchemaFacts,
        network: Callable[[], Network],
        options: tuple[str, ...] = (),
        *,
        draft_from: str = "",
        validators: tuple[str, ...] = (),
    ) -> None:
        self._survey = survey
        self._facts = facts
        self._network = network
        self.options = options
        self.draft_from = draft_from
        self.validators = validators

    @property
    def draft(self) -> str:
        """Name of the draft that the schema follows."""
        return self._survey.document.draft.name

    @property
    def enforced(self) -> Mapping[str, int]:
        """Keyword -> number of places."""
        return dict(+self._survey.enforced)

    @cached_property
    def weakened(self) -> Places:
        """Keywords that the caller's options have weakened."""
        return _places(self._survey.weakened)

    @cached_property
    def annotations(self) -> Places:
        """Annotation keywords, which assert nothing."""
        return _places(self._survey.annotations)

    @cached_property
    def unknown(self) -> Places:
        """Unknown keywords, which are annotations."""
        return _places(self._survey.unknown)

    @cached_property
    def unknown_formats(self) -> Places:
        """Values of `format` that are not enforced."""
        return _places(self._survey.formats)

    @cached_property
    def narrowed(self) -> Places:
        """Keywords and formats of which some spellings or valid strings are never generated.

        `integer`: each of them, but only as digits, neither as 1.0 nor as 1e2; `multipleOf`: each of the numbers, but
        only as a plain decimal; a value of `format`: not all strings, to which `formats="recall"` adds.
        """
        return _places(self._survey.narrowed)

    @cached_property
    def ignored(self) -> Places:
        """Keywords without effect at their position: siblings of `$ref` up to draft 7; `$schema` inside a resource."""
        return _places(self._survey.ignored)

    @cached_property
    def impossible(self) -> Mapping[str, Clash]:
        """JSON pointer of each unsatisfiable subschema -> contradiction; `false` itself is left out.

        That is no error where something else can be written: without the property, say, or by another branch.
        """
        is_satisfiable, nothing = self._facts.is_satisfiable, self._facts.nothing
        return {
            location.pointer: explain(self._facts, (location,))
            for location in self._survey.reached
            if (location,) != nothing and not is_satisfiable((location,))
        }

    @cached_property
    def shortest(self) -> Instance | None:
        """Valid instance with the shortest text under the options.

        None if that takes thousands of bytes, or if items must differ of which there are too many to list.
        """
        from guidance_kit.fsm.shortest import shortest_text  # brings numba, which a constraint alone does not need

        text = shortest_text(self._network())
        return None if text is None else Instance(text, json.loads(text))

    def as_dict(self) -> dict[str, Any]:
        """Report as a dictionary of JSON types."""
        return {
            "draft": self.draft,
            "draft_from": self.draft_from,
            "enforced": dict(self.enforced),
            **{
                name: {word: list(pointers) for word, pointers in getattr(self, name).items()}
                for name in ("weakened", "annotations", "unknown", "unknown_formats", "narrowed", "ignored")
            },
            "impossible": {pointer: clash._asdict() for pointer, clash in self.impossible.items()},
            "shortest": None if self.shortest is None else self.shortest._asdict(),
            "options": list(self.options),
            "validators": list(self.validators),
        }


def _places(found: Mapping[str, list[Location]]) -> Places:
    return {word: tuple(location.pointer for location in locations) for word, locations in found.items()}
