"""Comparison of two constraints: equal, one within the other, or different, with a shortest counterexample."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

from guidance_kit.errors import ConstraintError, LimitError, MatchError, OptionError
from guidance_kit.fsm.opcodes import FRESH, RECALL
from guidance_kit.grammars.argument import ConstraintArgument, constraint_of
from guidance_kit.grammars.argument_checks import as_number
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.grammars.json_schema.formats.table import FormatMode

if TYPE_CHECKING:
    from referencing import Registry

    from guidance_kit.grammars.json_schema.inclusion.schema_pair import SchemaPair

__all__ = ["STEPS", "Comparison", "Counterexample", "Inclusion", "compare"]

Relation = Literal["equal", "within", "contains", "differ", "unknown"]

STEPS = 20_000
"""Steps of a proof, unless the caller says otherwise."""

_MOST_PAIRS = 10_000
"""Pairs of configurations that a search for a text visits: about a second."""

_DRAWN = 100
"""Random texts that are tried where a search ends without a decision."""

_OF_INSTANCES = ("digits", "max_digits", "excerpts_of")
"""Options of `json_schema` that restrict instances, beside the schema."""

_WORDS: dict[Relation, str] = {
    "equal": "equal",
    "within": "{left} is within {right}",
    "contains": "{right} is within {left}",
    "differ": "different, and neither is within the other",
    "unknown": "unknown",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Counterexample:
    """An instance of one constraint that is none of the other.

    Args:
        text: of JSON Schemas the JSON text, without white space; of other constraints the text.
        value: of JSON Schemas the value; of others the text.
        is_shortest: whether no shorter text, in bytes of UTF-8, is a counterexample.
        is_confirmed: whether another implementation agrees: the `jsonschema` package on instances of schemas, Python's
            `re` on texts of patterns; of other constraints, whether membership agrees.
    """

    text: str
    value: Any
    is_shortest: bool
    is_confirmed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Inclusion:
    """Answer to the question whether all that one constraint takes, another takes.

    Args:
        holds: None if that is unknown.
        counterexample: an instance of the one that is none of the other, if it does not hold; else None.
        reason: of an unknown answer, with the number of instances that were tried.
    """

    holds: bool | None
    counterexample: Counterexample | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Result of `compare`.

    Args:
        left_in_right: whether the first constraint takes only what the second one takes.
        right_in_left: the opposite.
        notes: limits of the answer, in words.
    """

    left_in_right: Inclusion
    right_in_left: Inclusion
    notes: tuple[str, ...] = ()

    @property
    def relation(self) -> Relation:
        """The answer in a word: "equal"; "within", the first in the second; "contains"; "differ"; "unknown"."""
        answers = self.left_in_right.holds, self.right_in_left.holds
        if None in answers:
            return "unknown"
        known: dict[tuple[bool | None, bool | None], Relation] = {
            (True, True): "equal",
            (True, False): "within",
            (False, True): "contains",
            (False, False): "differ",
        }
        return known[answers]

    @property
    def is_equal(self) -> bool | None:
        """True if both take the same; None if that is unknown."""
        answers = self.left_in_right.holds, self.right_in_left.holds
        return False if False in answers else None if None in answers else True

    def as_dict(self) -> dict[str, Any]:
        """Result as a dictionary of JSON types."""
        return {
            "relation": self.relation,
            "equal": self.is_equal,
            "left_in_right": _as_dict(self.left_in_right),
            "right_in_left": _as_dict(self.right_in_left),
            "notes": list(self.notes),
        }

    def told(self, left: str, right: str) -> str:
        """The result in words, a line for each part.

        Args:
            left, right: names of the two.
        """
        lines = [_WORDS[self.relation].format(left=left, right=right)]
        for inclusion, side, other in ((self.left_in_right, left, right), (self.right_in_left, right, left)):
            if inclusion.counterexample is not None:
                lines.append(f"only {side}: {_shown(inclusion.counterexample)}")
            elif inclusion.reason:
                lines.append(f"whether {side} is within {other} is unknown: {inclusion.reason}")
        return "\n".join([*lines, *self.notes])

    def __str__(self) -> str:
        return self.told("the first", "the second")


def compare(
    left: ConstraintArgument | bool,
    right: ConstraintArgument | bool,
    *,
    formats: FormatMode = "assert",
    registry: Registry | None = None,
    steps: int = STEPS,
) -> Comparison:
    """Compare two constraints: are they equal, is one within the other, and if not, what is a shortest counterexample.

    JSON Schemas are compared by their instances, not by their JSON texts: white space, escapes and order say nothing.
    The answer is exact: the difference of two schemas is a schema, which is satisfiable or not. Other constraints are
    compared by their texts, exactly where they are regular; of grammars a difference is found, equality mostly not.
    What cannot be decided is "unknown", after a search among random instances, with the reason.

    Args:
        left, right: JSON Schemas (dict or boolean), Python types, patterns, or constraints of any kind. Validators of
            Python types are not compared, only their schemas.
        formats: of JSON Schemas: "assert", `format` restricts values; "annotate", it does not.
        registry: of JSON Schemas: other documents that they refer to.
        steps: counted work for each of the proofs, of which there are two, and as much to find each counterexample; a
            step takes some 50 microseconds. What is counted does not depend on the machine.
    Returns:
        The result, with notes on what it leaves out.
    Raises:
        SchemaError, UnsupportedFeature: one is malformed, or cannot be read.
        OptionError: one is a `json_schema` with an option that restricts instances, as `digits`; `steps` is not
            positive; an unknown value of `formats`.

    >>> print(compare({"type": "integer", "minimum": 1}, {"type": "number"}))
    the first is within the second
    only the second: 0
    """
    if formats not in ("assert", "annotate"):
        raise OptionError.unknown(str(formats), ("assert", "annotate"), "formats")
    if as_number(steps, "steps") < 1:
        raise OptionError(f"steps must be positive, not {steps!r}")
    sides = [_Side.of(given, name) for given, name in ((left, "the first"), (right, "the second"))]
    if all(side.schema is not None for side in sides):
        return _compare_schemas(sides, formats, registry, steps)
    return _compare_texts([side.constraint() for side in sides])


@dataclass(frozen=True, slots=True)
class _Side:
    """One of two constraints: the schema of an instance, as a list of one; or a constraint of texts."""

    schema: list[Any] | None
    texts: Constraint | None
    documents: tuple[tuple[str, Any], ...] = ()
    validators: tuple[str, ...] = ()

    @classmethod
    def of(cls, given: object, name: str) -> _Side:
        if isinstance(given, bool):
            return cls([given], None)
        if isinstance(given, Mapping) and cast("Mapping[str, Any]", given).get("type") != "structural_tag":
            return cls([dict(cast("Mapping[str, Any]", given))], None)
        constraint = constraint_of(given, f"{name} constraint")
        if constraint.kind != "json_schema":
            return cls(None, constraint)
        options = dict(constraint.options)
        for option in _OF_INSTANCES:
            if option in options:
                raise OptionError(
                    f"{name} constraint has {option}={options[option]!r:.40}, which restricts instances beside its "
                    "schema; compare the schemas"
                )
        documents = tuple(
            (key.removeprefix("document "), json.loads(value))
            for key, value in constraint.options
            if key.startswith("document ")
        )
        assert isinstance(constraint.source, str)
        return cls([json.loads(constraint.source)], constraint, documents, tuple(constraint.report.validators))

    def constraint(self) -> Constraint:
        """Constraint of the texts."""
        if self.texts is not None:
            return self.texts
        assert self.schema is not None
        return json_schema(self.schema[0])


def _compare_schemas(sides: list[_Side], formats: FormatMode, registry: Registry | None, steps: int) -> Comparison:
    from guidance_kit.grammars.json_schema.inclusion.schema_pair import SchemaPair, documents_in

    registry = documents_in(registry, [document for side in sides for document in side.documents])
    schemas = [side.schema[0] for side in sides if side.schema is not None]
    pair = SchemaPair(*schemas, registry=registry, formats=formats)
    notes = [
        f"validators of the Python type are not compared: {', '.join(side.validators)}"
        for side in sides
        if side.validators
    ]
    named = sorted({name for side in pair.sides for name in side.open_formats})
    if named and formats != "annotate":
        notes.append(f"some strings of the format {', '.join(named)} are left out, as in json_schema()")
    found = [_inclusion(pair, inner, steps) for inner in (0, 1)]
    return Comparison(left_in_right=found[0], right_in_left=found[1], notes=tuple(notes))


def _inclusion(pair: SchemaPair, inner: int, steps: int) -> Inclusion:
    """Decide an inclusion of schemas, or search for a counterexample."""
    from guidance_kit.grammars.json_schema.inclusion.schema_pair import WORK

    try:
        if pair.is_within(inner, steps):
            return Inclusion(holds=True)
    except ConstraintError as error:
        text, count = pair.searched(inner, steps)
        if text is not None:
            return Inclusion(holds=False, counterexample=_instance(text, is_shortest=False))
        gave_up = isinstance(error, LimitError) and error.limit == WORK
        reason = f"gave up after {steps:,} steps" if gave_up else str(error)
        return Inclusion(holds=None, reason=f"{reason}; none of {count} instances is a counterexample")
    text, is_shortest = pair.counterexample(inner, steps)
    if text is None:
        text, _ = pair.searched(inner, steps)
    if text is not None:
        return Inclusion(holds=False, counterexample=_instance(text, is_shortest=is_shortest))
    return Inclusion(
        holds=None, reason=f"the difference is not empty, but no instance of it was confirmed in {steps:,} steps"
    )


def _instance(text: str, *, is_shortest: bool) -> Counterexample:
    return Counterexample(text=text, value=json.loads(text), is_shortest=is_shortest, is_confirmed=True)


def _compare_texts(constraints: list[Constraint]) -> Comparison:
    left, right = constraints
    return Comparison(left_in_right=_text_inclusion(left, right), right_in_left=_text_inclusion(right, left))


def _text_inclusion(left: Constraint, right: Constraint) -> Inclusion:
    """Decide an inclusion of texts by the product of their automata, or search for a counterexample."""
    from guidance_kit.grammars.text_inclusion import search_product

    if left == right:
        return Inclusion(holds=True)
    try:
        found = search_product(left, right, _MOST_PAIRS)
        if found.text is not None:
            text = found.text.decode()
            if _is_member(left, text) and not _is_member(right, text):
                return _texts_differ(left, right, text, is_shortest=True)
            reason = f"the text {text!r} repeats a key, an item or a name; texts beyond it were not searched"
        elif not found.is_whole:
            reason = f"gave up after {found.pairs:,} pairs of states"
        elif _depends_on_texts(left) or _depends_on_texts(right):
            reason = "keys or items must differ, which no automaton tells"
        else:
            return Inclusion(holds=True)
    except ConstraintError as error:
        reason = str(error)
    return _drawn(left, right, reason)


def _drawn(left: Constraint, right: Constraint, reason: str) -> Inclusion:
    """Counterexample among random texts; the reason without one."""
    try:
        texts = left.sample(_DRAWN, seed=0)
    except ConstraintError:
        texts = []
    found = [text for text in texts if _is_member(left, text) and not _is_member(right, text)]
    if found:
        return _texts_differ(left, right, min(found, key=lambda text: (len(text.encode()), text)), is_shortest=False)
    return Inclusion(holds=None, reason=f"{reason}; none of {len(texts)} texts is a counterexample")


def _texts_differ(left: Constraint, right: Constraint, text: str, *, is_shortest: bool) -> Inclusion:
    is_confirmed = _judged(left)(text) and not _judged(right)(text)
    return Inclusion(
        holds=False,
        counterexample=Counterexample(text=text, value=text, is_shortest=is_shortest, is_confirmed=is_confirmed),
    )


def _judged(constraint: Constraint) -> Callable[[str], bool]:
    """Membership by another implementation where there is one."""
    if constraint.kind == "regex" and isinstance(constraint.source, str) and not constraint.options:
        try:
            compiled = re.compile(constraint.source)
        except re.error:  # what the package `regex` has beyond `re`
            pass
        else:
            return lambda text: compiled.fullmatch(text) is not None
    return lambda text: _is_member(constraint, text)


def _is_member(constraint: Constraint, text: str) -> bool:
    from guidance_kit.grammars.membership import require_match

    try:
        require_match(constraint, text)
    except MatchError:
        return False
    return True


def _depends_on_texts(constraint: Constraint) -> bool:
    """Test whether the automaton, as far as it was built, leaves conditions open: keys or items that must differ."""
    from guidance_kit.grammars.segmentation import automaton_of

    edges = automaton_of(constraint).network.edges
    return any(op in (FRESH, RECALL) for found in edges for op, _, _ in found)


def _as_dict(inclusion: Inclusion) -> dict[str, Any]:
    example = inclusion.counterexample
    shown = None
    if example is not None:
        shown = {
            "text": example.text,
            "value": example.value,
            "shortest": example.is_shortest,
            "confirmed": example.is_confirmed,
        }
    return {"holds": inclusion.holds, "counterexample": shown, "reason": inclusion.reason}


def _shown(example: Counterexample) -> str:
    doubt = "" if example.is_confirmed else " (another implementation disagrees)"
    return f"{repr(example.text) if example.value == example.text else example.text}{doubt}"
