"""Near misses of a constraint: small changes of valid texts that make them invalid, with the reason."""

from __future__ import annotations

import copy
import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, cast

from guidance_kit.errors import MatchError
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.json_schema.inclusion.judge import InstanceJudge
from guidance_kit.grammars.json_schema.inclusion.schema_pair import draft_of_schema

__all__ = ["NearMiss", "near_misses"]

_LONGEST = 200
"""Characters of a reason."""

_BOUNDS = {
    "minLength": "lengths", "maxLength": "lengths", "minItems": "counts", "maxItems": "counts",
    "minimum": "numbers", "maximum": "numbers", "exclusiveMinimum": "numbers", "exclusiveMaximum": "numbers",
}  # fmt: skip
"""Keywords of bounds, with what they bound; see `_Bounds`."""

_MOST_WRITTEN = 1_000
"""Greatest length, and number of items, that is written to exceed a bound."""

_MOST = 10
"""Near misses that are listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NearMiss:
    """Invalid text that differs from a valid one in one place.

    Args:
        text: the invalid text.
        change: the difference from the valid text, in words.
        reason: why it is invalid, in words.
    """

    text: str
    change: str
    reason: str


def near_misses(constraint: Constraint, examples: list[str], *, most: int = _MOST) -> list[NearMiss]:
    """Near misses of valid texts, judged by the constraint itself; of JSON by the `jsonschema` package as well.

    Args:
        examples: valid texts.
        most: maximum number.
    """
    if constraint.kind == "json_schema":
        candidates = partial(_changed_values, bounds=_bounds(json.loads(str(constraint.source))))
    else:
        candidates = _changed_texts
    found: dict[str, NearMiss] = {}
    for example in examples:
        for change, text in candidates(example):
            if len(found) >= most:
                return list(found.values())
            if change in found or text in examples or any(one.text == text for one in found.values()):
                continue
            reason = _reason(constraint, text)
            if reason is not None:
                found[change] = NearMiss(text=text, change=change, reason=reason)
    return list(found.values())


def _reason(constraint: Constraint, text: str) -> str | None:
    """Reason for which a text is invalid; None if it is valid."""
    try:
        constraint.parse(text)
    except MatchError as error:
        if constraint.kind == "json_schema":
            said = _judge(constraint).reason(text)
            if said is not None:
                return said if len(said) <= _LONGEST else said[:_LONGEST] + "…"
        return str(error).split(": ", 1)[-1]
    return None


def _judge(constraint: Constraint) -> InstanceJudge:
    schema = json.loads(str(constraint.source))
    return InstanceJudge(schema, draft_of_schema(schema), None, "assert")


@dataclass(slots=True)
class _Bounds:
    """Bounds on the values of a property: of lengths of texts, of numbers of items, and of numbers."""

    lengths: list[int] = field(default_factory=list[int])
    counts: list[int] = field(default_factory=list[int])
    numbers: list[int] = field(default_factory=list[int])


def _bounds(schema: Any) -> dict[str, _Bounds]:
    """Bounds that a schema names, by the property in which they are; "" for those outside all properties."""
    found: dict[str, _Bounds] = defaultdict(_Bounds)
    todo: list[tuple[Any, str]] = [(schema, "")]
    while todo:
        part, name = todo.pop()
        if isinstance(part, list):
            todo += [(one, name) for one in cast("list[Any]", part)]
        elif isinstance(part, dict):
            for keyword, value in cast("dict[str, Any]", part).items():
                if isinstance(value, int) and keyword in _BOUNDS:
                    bounds: list[int] = getattr(found[name], _BOUNDS[keyword])
                    bounds.append(value)
                elif keyword == "properties" and isinstance(value, dict):
                    todo += [(one, key) for key, one in cast("dict[str, Any]", value).items()]
                else:
                    todo.append((value, name))
    return found


def _changed_values(example: str, bounds: dict[str, _Bounds]) -> Iterator[tuple[str, str]]:
    """Changes of a JSON text in words, and the changed texts: one at each place, then further ones."""
    whole = json.loads(example)
    rounds: dict[int, list[tuple[str, str]]] = {}
    for path, value in _places(whole):
        own = bounds[next((step for step in reversed(path) if isinstance(step, str)), "")]
        for number, (words, changed) in enumerate(_changes(value, own)):
            name = ".".join(map(str, path)) or "the whole"
            text = json.dumps(_replaced(whole, path, changed), ensure_ascii=False)
            rounds.setdefault(number, []).append((words.format(name=name), text))
    for number in sorted(rounds):
        yield from rounds[number]


def _places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    yield path, value
    if isinstance(value, dict):
        for name, one in cast("dict[str, Any]", value).items():
            yield from _places(one, (*path, name))
    elif isinstance(value, list) and value:
        yield from _places(cast("list[Any]", value)[0], (*path, 0))


def _changes(value: Any, bounds: _Bounds) -> Iterator[tuple[str, Any]]:
    """Changes of one value: words with {name} for its place, and the new value; the most telling first."""
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        for name in fields:
            yield f"without {_braced(name)}", {other: one for other, one in fields.items() if other != name}
        yield "{name} with another field", {**fields, "another": 1}
        yield "{name} is a list", [fields]
    elif isinstance(value, list):
        items = cast("list[Any]", value)
        yield "{name} is empty", []
        for count in _beside(bounds.counts, _MOST_WRITTEN):
            yield f"{{name}} has {count} items", (items * (count + 1))[:count] if items else [0] * count
        yield "{name} has one item twice", [*items, *items[:1]]
        yield "{name} is one text", "text"
    elif isinstance(value, bool):
        yield "{name} is a text", str(value).lower()
        yield "{name} is null", None
    elif isinstance(value, int | float):
        for number in _beside(bounds.numbers):
            yield f"{{name}} is {number}", number
        yield "{name} is greater", value + 10 ** len(str(abs(int(value))))
        yield "{name} is less", value - 10 ** len(str(abs(int(value))))
        yield "{name} is not whole", value + 0.5
        yield "{name} is a text", str(value)
    elif isinstance(value, str):
        for length in _beside(bounds.lengths, _MOST_WRITTEN):
            yield f"{{name}} has {length} characters", ((value or "a") * (length + 1))[:length]
        yield "{name} is another text", value + "?"
        yield "{name} is empty", ""
        yield "{name} is a number", 1
        yield "{name} is twice as long", value * 2
    else:
        yield "{name} is a text", "none"


def _beside(bounds: list[int], most: int | None = None) -> Iterator[int]:
    """Numbers next to bounds; with `most`, only those from 0 up to it."""
    for bound in bounds:
        yield from (one for one in (bound - 1, bound + 1) if most is None or 0 <= one <= most)


def _braced(name: str) -> str:
    return name.replace("{", "{{").replace("}", "}}")


def _replaced(whole: Any, path: tuple[str | int, ...], value: Any) -> Any:
    if not path:
        return value
    changed = copy.deepcopy(whole)
    place = changed
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return changed


def _changed_texts(example: str) -> Iterator[tuple[str, str]]:
    """Changes of a text at its end, its beginning, and at places between, in words with the changed texts."""
    yield f"{example!r} with a further character", example + (example[-1:] or "x")
    for place in sorted(range(len(example)), key=lambda one: (one not in (0, len(example) - 1), one)):
        sign = example[place]
        yield f"{example!r} without {sign!r} at {place}", example[:place] + example[place + 1 :]
        other = "x" if not sign.isalpha() else "7"
        yield f"{example!r} with {other!r} for {sign!r} at {place}", example[:place] + other + example[place + 1 :]
