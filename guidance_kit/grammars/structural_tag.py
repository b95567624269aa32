"""`structural_tag`: the JSON format of XGrammar, vLLM and SGLang for texts with constrained regions.

Source: XGrammar 0.2.6, "Structural Tag Usage", https://xgrammar.mlc.ai/docs/structural_tag/structural_tag.html. The
form with `structures` and `triggers` at the top is the older one. Unknown fields and formats are refused.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

from guidance_kit.errors import LimitError, SchemaError, UnsupportedFeature
from guidance_kit.grammars.any_token import any_token
from guidance_kit.grammars.choice import Part, choice
from guidance_kit.grammars.composition import optional, repeat, sequence
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.grammar import grammar
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.grammars.json_schema.objects.members import Order
from guidance_kit.grammars.regex import regex
from guidance_kit.grammars.special_token import special_token
from guidance_kit.grammars.structural_object import FormatObject
from guidance_kit.grammars.tag import Tag, tag
from guidance_kit.grammars.tags import tags
from guidance_kit.grammars.text import text

__all__ = ["structural_tag"]

MAX_NESTING = 100
"""Nested formats that can be read without exhausting Python's stack; only named in errors."""

_FREE = ("any_text", "triggered_tags", "token_triggered_tags", "dispatch")
"""Formats of unbounded length, which within a tag extend to its end."""


def structural_tag(source: Mapping[str, Any] | str) -> Constraint:
    """Texts of a structural tag of XGrammar, vLLM and SGLang: `{"type": "structural_tag", ...}`.

    Special tokens at the begin and end of tags are given by their text, not by their number. `parse` returns the values
    of `tags`, `sequence` and the other constraints that it is composed of.

    Args:
        source: the object, or its JSON text; in the current form with a `format`, or in the older one with `structures`
            and `triggers`. As in XGrammar, "type" may be missing at the top, and in a format with telling fields.
    Raises:
        SchemaError: it is malformed; names the place.
        UnsupportedFeature: a part of it cannot be enforced exactly; names it and the place.
        UnsatisfiableError: a part of it has no text.
        LimitError: it is too deep, or a part of it is too large.

    >>> structural_tag({"type": "structural_tag", "format": {"type": "const_string", "value": "yes"}}).kind
    'choice'
    """
    try:
        return _structural_tag(source)
    except RecursionError:
        raise LimitError("max_nesting", MAX_NESTING, where="formats of a structural tag") from None


def _structural_tag(source: Mapping[str, Any] | str) -> Constraint:
    if isinstance(source, str):
        try:
            source = json.loads(source)
        except ValueError as error:
            if "integer string conversion" in str(error):
                limit = sys.get_int_max_str_digits()
                raise LimitError("max_digits", limit, where="a number in a structural tag") from None
            raise SchemaError(f"the structural tag is not JSON: {error}", pointer="") from None
    top = FormatObject(source, "")
    if top.fields.get("type", "structural_tag") != "structural_tag":
        raise SchemaError('"type" is not "structural_tag"', pointer="/type")
    if "structures" not in top.fields:
        return _read(top.object("format", only=("type", "format")))
    top.only("type", "structures", "triggers")
    with top.told():
        members = [
            tag(item.text("begin"), _schema(item, "schema"), item.text("end"))
            for item in (each.only("begin", "schema", "end") for each in top.objects("structures"))
        ]
        return tags(members, triggers=top.texts("triggers"))


def _read(format_: FormatObject) -> Constraint:
    """The constraint of a format."""
    kind = format_.kind()
    reader = _READERS.get(kind)
    if reader is None:
        raise UnsupportedFeature(f"the format {kind!r}", where=format_.pointer)
    with format_.told():
        return reader(format_)


def _nonempty(format_: FormatObject, name: str) -> str:
    found = format_.text(name)
    if not found:
        raise format_.wrong(name, "a string that is not empty")
    return found


def _schema(format_: FormatObject, name: str, *, order: Order = "declared") -> Constraint:
    found = format_.fields.get(name)
    if not isinstance(found, dict | bool | str):
        raise format_.wrong(name, "a schema")
    try:
        return json_schema(found, order=order)
    except SchemaError as error:
        raise SchemaError(error.message, pointer=f"{format_.pointer}/{name}{error.pointer}") from None


def _const_string(format_: FormatObject) -> Constraint:
    return choice([format_.only("type", "value").text("value")])


def _json_schema(format_: FormatObject) -> Constraint:
    format_.only("type", "json_schema", "style", "any_order", "max_whitespace_cnt", "excludes")
    format_.refuse("style", "json")
    format_.refuse("max_whitespace_cnt", None)
    format_.refuse("excludes", [])
    is_any = format_.get("any_order", bool, "true or false", False)
    return _schema(format_, "json_schema", order="any" if is_any else "declared")


def _regex(format_: FormatObject) -> Constraint:
    return regex(format_.only("type", "pattern").text("pattern"))


def _grammar(format_: FormatObject) -> Constraint:
    source = format_.only("type", "grammar").text("grammar")
    return grammar(source, notation="xgrammar")


def _any_text(format_: FormatObject) -> Constraint:
    return text(without=format_.texts("excludes"), max_length=_most(format_))


def _most(format_: FormatObject) -> int | None:
    format_.only("type", "excludes", "max_tokens", "max_chars")
    format_.refuse("max_tokens", None)
    return None if format_.fields.get("max_chars") is None else format_.get("max_chars", int, "a number")


def _sequence(format_: FormatObject) -> Constraint:
    return sequence(*map(_read, format_.only("type", "elements").objects("elements")))


def _or(format_: FormatObject) -> Constraint:
    return choice(list(map(_read, format_.only("type", "elements").objects("elements"))))


def _optional(format_: FormatObject) -> Constraint:
    return optional(_read(format_.object("content", only=("type", "content"))))


def _star(format_: FormatObject) -> Constraint:
    return repeat(_read(format_.object("content", only=("type", "content"))))


def _plus(format_: FormatObject) -> Constraint:
    return repeat(_read(format_.object("content", only=("type", "content"))), 1)


def _repeat(format_: FormatObject) -> Constraint:
    format_.only("type", "min", "max", "content")
    least, most = format_.get("min", int, "a number"), format_.get("max", int, "a number")
    if least < 0 or (most < max(1, least) and most != -1):
        raise format_.wrong("max", "-1, or a number from 1 that is not less than 'min'")
    return repeat(_read(format_.object("content")), least, None if most == -1 else most)


def _token(format_: FormatObject) -> Constraint:
    number = format_.only("type", "token").fields.get("token")
    if isinstance(number, int):
        return any_token([number])
    return special_token(_nonempty(format_, "token"))


def _other_token(format_: FormatObject) -> Constraint:
    return any_token(without=_excluded(format_.only("type", "exclude_tokens")))


def _any_tokens(format_: FormatObject) -> Constraint:
    other = any_token(without=_excluded(format_.only("type", "exclude_tokens", "max_tokens")))
    most = None if format_.fields.get("max_tokens") is None else format_.get("max_tokens", int, "a number")
    return choice([""]) if most == 0 else repeat(other, 0, most)


def _excluded(format_: FormatObject) -> list[int | str]:
    found = format_.get("exclude_tokens", list, "a list of numbers and names of tokens", [])
    if not all(isinstance(one, int | str) for one in found):
        raise format_.wrong("exclude_tokens", "a list of numbers and names of tokens")
    return found


def _alone(format_: FormatObject) -> Constraint:
    member = _tag(format_)
    return tags([member], minimum=1, maximum=1, separator="")


def _tag(format_: FormatObject) -> Tag:
    """A tag; free text in it extends to its end."""
    if format_.fields.get("type", "tag") != "tag":
        raise format_.wrong("type", '"tag"')
    with format_.told():
        return _told_tag(format_.only("type", "begin", "content", "end"))


def _told_tag(format_: FormatObject) -> Tag:
    begin, end = _side(format_, "begin"), _side(format_, "end")
    content = format_.object("content")
    kind = content.kind()
    if kind == "any_text":
        return _tag_of_text(begin, content, end)
    if kind in _FREE:
        stops = _stops(end)
        _check_limited(stops, content)
        _check_ends(stops, content)
        return tag(begin, _read(_with_excludes(content, stops)), end)
    last = content
    while last.kind() in ("sequence", "optional", "plus", "star", "repeat", "or"):
        inner = last.objects("elements") if "elements" in last.fields else [last.object("content")]
        if any(one.kind() in _FREE for one in inner):
            raise UnsupportedFeature(
                "free text in a composed content of a tag", where=last.pointer, hint="let it be the content of a tag"
            )
        last = inner[-1]
    return tag(begin, _read(content), end)


def _tag_of_text(begin: Part, content: FormatObject, end: Part) -> Tag:
    """A tag around free text, which extends to its end."""
    without, most = content.texts("excludes"), _most(content)
    stops = _stops(end)
    if most is None:
        _check_limited(stops, content)
        if not without:
            return tag(begin, None, end)
    _check_ends(stops, content)
    return tag(begin, text(without=[*without, *stops], max_length=most), end)


def _with_excludes(content: FormatObject, stops: tuple[str, ...]) -> FormatObject:
    excludes = [*content.texts("excludes"), *stops]
    return FormatObject({**content.fields, "excludes": excludes}, content.pointer)


def _stops(end: Part) -> tuple[str, ...]:
    """Strings that the free text before the end does not contain; an empty end allows an end anywhere."""
    if isinstance(end, str):
        return (end,) if end else ()
    return tuple(one for one in end.source if one) if isinstance(end.source, tuple) else (end.source,)


def _check_limited(stops: tuple[str, ...], content: FormatObject) -> None:
    """Check that free text has a terminator: an end that is not empty, or excluded strings."""
    if not stops and not content.fields.get("excludes"):
        raise SchemaError("free text needs an 'end' that is not empty, or 'excludes'", pointer=content.pointer)


def _check_ends(stops: tuple[str, ...], content: FormatObject) -> None:
    """See that no end can begin within the text before another one, so that text without ends stops at the first."""
    for one in stops:
        for other in stops:
            if any(one.endswith(other[:k]) for k in range(1, min(len(one), len(other)))):
                raise UnsupportedFeature(
                    f"free text with limits before the end {other!r}", where=content.pointer, hint="it overlaps itself"
                )


def _side(format_: FormatObject, name: str) -> Part:
    """Begin or end of a tag."""
    value = format_.fields.get(name)
    if isinstance(value, dict):
        inner = format_.object(name)
        if inner.fields.get("type", "token") != "token":
            raise format_.wrong(name, "a string or a token")
        if isinstance(inner.fields.get("token"), int):
            raise UnsupportedFeature("a token by its number", where=inner.pointer, hint="name the special token")
        return _token(inner)
    if name == "end" and isinstance(value, list):
        found = format_.texts(name)
        if not found:
            raise format_.wrong(name, "a list that is not empty")
        return found[0] if len(found) == 1 else choice(found)
    return format_.text(name)


def _triggered_tags(format_: FormatObject) -> Constraint:
    format_.only("type", "triggers", "tags", "at_least_one", "stop_after_first", "excludes")
    return _dispatched(format_, format_.texts("triggers"), format_.texts("excludes"))


def _token_triggered_tags(format_: FormatObject) -> Constraint:
    format_.only("type", "trigger_tokens", "tags", "at_least_one", "stop_after_first", "exclude_tokens", "excludes")
    format_.refuse("exclude_tokens", [])
    return _dispatched(format_, format_.texts("trigger_tokens"), format_.texts("excludes"))


def _dispatched(format_: FormatObject, triggers: list[str], without: list[str]) -> Constraint:
    is_first = format_.get("at_least_one", bool, "true or false", False)
    is_last = format_.get("stop_after_first", bool, "true or false", False)
    where = {(False, False): "anywhere", (False, True): "before", (True, False): "after", (True, True): "between"}
    return tags(
        map(_tag, format_.objects("tags")),
        triggers=triggers,
        without=without,
        minimum=int(is_first),
        maximum=1 if is_last else None,
        free_text=where[is_first, is_last],  # pyright: ignore[reportArgumentType]
    )


def _tags_with_separator(format_: FormatObject) -> Constraint:
    format_.only("type", "tags", "separator", "at_least_one", "stop_after_first")
    return tags(
        map(_tag, format_.objects("tags")),
        separator=format_.text("separator"),
        minimum=int(format_.get("at_least_one", bool, "true or false", False)),
        maximum=1 if format_.get("stop_after_first", bool, "true or false", False) else None,
    )


def _dispatch(format_: FormatObject) -> Constraint:
    format_.only("type", "rules", "loop", "excludes")
    members: list[Tag] = []
    for place, rule in enumerate(format_.get("rules", list, "a list of pairs")):
        if not isinstance(rule, list) or len(rule) != 2 or not isinstance(rule[0], str) or not rule[0]:
            raise format_.wrong("rules", "a list of pairs of a string and a format")
        inner = FormatObject(rule[1], f"{format_.pointer}/rules/{place}/1")
        members.append(tag(rule[0], _read(inner), ""))
    is_loop = format_.get("loop", bool, "true or false", True)
    return tags(
        members,
        without=format_.texts("excludes"),
        maximum=None if is_loop else 1,
        free_text="anywhere" if is_loop else "before",
    )


_READERS: dict[str, Callable[[FormatObject], Constraint]] = {
    "const_string": _const_string,
    "json_schema": _json_schema,
    "regex": _regex,
    "grammar": _grammar,
    "any_text": _any_text,
    "sequence": _sequence,
    "or": _or,
    "optional": _optional,
    "star": _star,
    "plus": _plus,
    "repeat": _repeat,
    "token": _token,
    "exclude_token": _other_token,
    "any_tokens": _any_tokens,
    "tag": _alone,
    "triggered_tags": _triggered_tags,
    "token_triggered_tags": _token_triggered_tags,
    "tags_with_separator": _tags_with_separator,
    "dispatch": _dispatch,
}
