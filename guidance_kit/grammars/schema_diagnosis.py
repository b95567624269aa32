"""Diagnosis of a JSON Schema: parts that do nothing or something else than was meant, each with a mend."""

from __future__ import annotations

import contextlib
import difflib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

from guidance_kit.errors import ConstraintError, UnsatisfiableError
from guidance_kit.grammars.comparison import Comparison, compare
from guidance_kit.grammars.json_schema import json_schema

if TYPE_CHECKING:
    from guidance_kit.grammars.json_schema.documents.drafts import SchemaDraft

__all__ = ["Finding", "diagnose"]

Problem = Literal[
    "impossible",
    "idle",
    "misspelt",
    "open object",
    "unanchored pattern",
    "overlapping oneOf",
    "large enumeration",
    "counted properties",
]

_MOST_COMPARED = 150
"""Keywords whose effect is decided by comparison."""

_STEPS = 5_000
"""Steps of each proof."""

_LARGE = 5_000
"""Members of an enumeration: numbers, or strings under a condition, of which more take 0.05 s before the first mask."""

_MANY = 200
"""Properties that are counted: from here on a text may take 20,000 rules, and masks several times as long."""

_TESTED = ("pattern", "format")
"""Keywords against which each listed string is tested by an automaton."""

_STRUCTURE = frozenset((
    "properties", "$defs", "definitions", "$ref", "$schema", "$id", "id", "type", "allOf", "then", "else",
))  # fmt: skip
"""Keywords that are there to name something, or do their work together with others."""

_MAPS = frozenset(("properties", "patternProperties", "$defs", "definitions", "dependentSchemas"))
_LISTS = frozenset(("allOf", "anyOf", "oneOf", "prefixItems"))
_SINGLE = frozenset(
    (
        "items", "additionalProperties", "contains", "not", "if", "then", "else", "propertyNames", "unevaluatedItems",
        "unevaluatedProperties", "additionalItems",
    )
)  # fmt: skip
_COMPOSED = frozenset(("allOf", "anyOf", "oneOf", "if", "then", "else", "not", "dependentSchemas"))
"""Keywords in whose schemas undeclared properties are often declared elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One part of a schema that deserves a look.

    Args:
        pointer: JSON pointer of the schema or keyword.
        problem: kind of finding.
        message: in words.
        mend: what to do, in words.
        mended: the schema at that place after the mend; None where only the author can tell.
        change: the schema at that place compared with the mended one; None without one, or where that was refused.
    """

    pointer: str
    problem: Problem
    message: str
    mend: str
    mended: Any = None
    change: Comparison | None = None

    def __str__(self) -> str:
        changes = "" if self.change is None else f" ({_told(self.change)})"
        return f"{self.pointer or 'the root'}: {self.message}; {self.mend}{changes}"


def diagnose(schema: Any) -> tuple[Finding, ...]:
    """Find parts of a JSON Schema that do nothing, or something else than was probably meant.

    Found are parts without instances; keywords without effect, decided by `compare` with the schema without them;
    misspelt keywords; objects that take undeclared properties; patterns that are found anywhere in a string; branches
    of `oneOf` that overlap, so that common instances are refused; and enumerations and bounds on the number of
    properties that cost time.

    Args:
        schema: a JSON Schema (dict) or a Python type.
    Raises:
        SchemaError, UnsupportedFeature, LimitError: the schema is malformed, or cannot be read.

    >>> print(diagnose({"type": "integer", "minLength": 3})[0])
    /minLength: minLength has no effect; leave it out (equal)
    """
    from guidance_kit.grammars.json_schema.inclusion.schema_pair import draft_of_schema

    if not isinstance(schema, Mapping):
        schema = json.loads(cast(str, json_schema(schema).source))
    whole = dict(cast("Mapping[str, Any]", schema))
    return tuple(_Doctor(whole, draft_of_schema(whole)).findings())


class _Doctor:
    """Search for findings in one schema, place by place."""

    def __init__(self, whole: dict[str, Any], draft: SchemaDraft) -> None:
        from guidance_kit.grammars.json_schema.keywords.table import keywords_of

        self._whole = whole
        self._draft = draft
        self._known = keywords_of(draft).rows
        self._left = _MOST_COMPARED
        self._definitions = {name: whole[name] for name in ("$defs", "definitions") if name in whole}
        self._definitions["$schema"] = draft.uri

    def findings(self) -> Iterator[Finding]:
        """All findings: impossible parts first, then in the order of the schema."""
        yield from self._impossible()
        for pointer, part, is_composed in _schemas(self._whole):
            yield from self._misspelt(pointer, part)
            yield from self._idle(pointer, part)
            yield from self._overlapping(pointer, part)
            yield from self._unanchored(pointer, part)
            if not is_composed:
                yield from self._open(pointer, part)
            yield from self._large(pointer, part)
            yield from self._counted(pointer, part)

    def _impossible(self) -> Iterator[Finding]:
        try:
            impossible = json_schema(self._whole).report.impossible
        except UnsatisfiableError as error:
            yield Finding(pointer=error.where, problem="impossible", message=str(error), mend="nothing is valid")
            return
        except ConstraintError:  # the parts are looked at one by one all the same
            return
        for pointer, clash in impossible.items():
            yield Finding(
                pointer=pointer,
                problem="impossible",
                message=f"nothing is valid here: {clash.message}",
                mend="write false, if that is meant, or drop one of the keywords",
            )

    def _misspelt(self, pointer: str, part: dict[str, Any]) -> Iterator[Finding]:
        for keyword, value in part.items():
            if keyword in self._known or keyword.startswith(("$", "x-")):
                continue
            near = difflib.get_close_matches(keyword, self._known, n=1, cutoff=0.8)
            if near and near[0] not in part:
                mended = {near[0] if key == keyword else key: one for key, one in part.items()}
                mend = f"write {near[0]}: {_short(value)}"
                yield self._mended(pointer, keyword, "misspelt", part, mended, f"{keyword} is no keyword", mend)

    def _idle(self, pointer: str, part: dict[str, Any]) -> Iterator[Finding]:
        for keyword in part:
            row = self._known.get(keyword)
            if row is None or row.support != "enforced" or keyword in _STRUCTURE or self._left <= 0:
                continue
            if _is_explicit(keyword, part[keyword]):
                continue
            mended = {key: value for key, value in part.items() if key != keyword}
            finding = self._mended(pointer, keyword, "idle", part, mended, f"{keyword} has no effect", "leave it out")
            if finding.change is not None and finding.change.is_equal:
                yield finding

    def _overlapping(self, pointer: str, part: dict[str, Any]) -> Iterator[Finding]:
        if "oneOf" not in part or "anyOf" in part:
            return
        mended = {"anyOf" if key == "oneOf" else key: value for key, value in part.items()}
        message = "branches of oneOf overlap, and what two of them take is refused"
        finding = self._mended(pointer, "oneOf", "overlapping oneOf", part, mended, message, "write anyOf")
        if finding.change is not None and finding.change.right_in_left.holds is False:
            yield finding

    def _unanchored(self, pointer: str, part: dict[str, Any]) -> Iterator[Finding]:
        pattern = part.get("pattern")
        if not isinstance(pattern, str) or re.search(r"^\(*\^|\$\)*$|^\.\*|\.\*$", pattern):
            return
        mended = {**part, "pattern": f"^(?:{pattern})$"}
        message = "the pattern is looked for anywhere in the string"
        finding = self._mended(
            pointer, "pattern", "unanchored pattern", part, mended, message, "put it between ^ and $"
        )
        if finding.change is not None and finding.change.is_equal is False:
            yield finding

    def _open(self, pointer: str, part: dict[str, Any]) -> Iterator[Finding]:
        closing = ("additionalProperties", "unevaluatedProperties", "patternProperties", "$ref", *_COMPOSED)
        if not part.get("properties") or any(keyword in part for keyword in closing):
            return
        mended = {**part, "additionalProperties": False}
        message = "the object takes undeclared properties, as misspelt ones"
        mend = "set additionalProperties to false, if that is not meant"
        yield self._mended(pointer, "", "open object", part, mended, message, mend)

    def _large(self, pointer: str, part: dict[str, Any]) -> Iterator[Finding]:
        values = part.get("enum", ())
        numbers = sum(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
        if numbers > _LARGE:
            yield Finding(
                pointer=f"{pointer}/enum",
                problem="large enumeration",
                message=f"the digits of {numbers:,} numbers are written out before the first mask",
                mend="use bounds and multipleOf, if they say the same",
            )
        tested = [keyword for keyword in _TESTED if keyword in part]
        strings = sum(isinstance(value, str) for value in values)
        if strings > _LARGE and tested:
            from guidance_kit.grammars.json_schema.inclusion.judge import InstanceJudge

            judge = InstanceJudge({**part, **self._definitions}, self._draft, None, "assert")
            kept = [value for value in values if judge.accepts(json.dumps(value))]
            mended = {key: value for key, value in part.items() if key not in tested} | {"enum": kept}
            names = " and ".join(tested)
            message = f"{strings:,} strings are tested against {names} before the first mask"
            mend = f"list those that pass, without {names}"
            yield self._mended(pointer, "enum", "large enumeration", part, mended, message, mend)

    def _counted(self, pointer: str, part: dict[str, Any]) -> Iterator[Finding]:
        count, required = len(part.get("properties", ())), len(part.get("required", ()))
        most = part.get("maxProperties")
        bounds = {
            "minProperties": part.get("minProperties", 0) > required,
            "maxProperties": most is not None and (most < count or part.get("additionalProperties") is not False),
        }
        for keyword, is_counted in bounds.items():
            if count >= _MANY and is_counted:
                mended = {key: value for key, value in part.items() if key != keyword}
                rules = f"up to {count * (count + 1) // 2:,} in a text"
                message = f"{keyword} counts properties, each with rules for all of {count} that may follow, {rules}"
                mend = f"leave {keyword} out, if that is not meant"
                yield self._mended(pointer, keyword, "counted properties", part, mended, message, mend)

    def _mended(
        self, pointer: str, keyword: str, problem: Problem, part: dict[str, Any], mended: Any, message: str, mend: str
    ) -> Finding:
        """A finding with the effect of its mend."""
        change = None
        if self._left > 0:
            self._left -= 1
            with contextlib.suppress(ConstraintError):
                change = compare({**part, **self._definitions}, {**mended, **self._definitions}, steps=_STEPS)
        place = f"{pointer}/{keyword.replace('~', '~0').replace('/', '~1')}" if keyword else pointer
        return Finding(pointer=place, problem=problem, message=message, mend=mend, mended=mended, change=change)


def _schemas(schema: Any, pointer: str = "", is_composed: bool = False) -> Iterator[tuple[str, dict[str, Any], bool]]:
    """Schemas that are objects, with their pointers, and whether they are parts of a composition."""
    if not isinstance(schema, dict):
        return
    yield pointer, schema, is_composed
    for keyword, value in schema.items():
        inner: list[tuple[str, Any]] = []
        if keyword in _MAPS and isinstance(value, dict):
            inner = [(key.replace("~", "~0").replace("/", "~1"), one) for key, one in value.items()]
        elif keyword in _LISTS and isinstance(value, list):
            inner = [(str(index), one) for index, one in enumerate(value)]
        elif keyword in _SINGLE:
            yield from _schemas(value, f"{pointer}/{keyword}", keyword in _COMPOSED)
        for step, one in inner:
            yield from _schemas(one, f"{pointer}/{keyword}/{step}", keyword in _COMPOSED)


def _is_explicit(keyword: str, value: Any) -> bool:
    """Test for a value with which a keyword has no effect on purpose, or which takes long to compare."""
    if isinstance(value, list) and len(value) > _LARGE:
        return True
    return value is True or value in ({}, []) or (keyword in ("minItems", "minLength", "minProperties") and value == 0)


def _told(change: Comparison) -> str:
    """Effect of a mend, in words."""
    if change.is_equal:
        return "equal"
    parts: list[str] = []
    for inclusion, verb in ((change.left_in_right, "no longer valid"), (change.right_in_left, "valid then")):
        if inclusion.counterexample is not None:
            parts.append(f"{verb}: {inclusion.counterexample.text}")
    return "; ".join(parts) or "the change is unknown"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else text[:39] + "…"
