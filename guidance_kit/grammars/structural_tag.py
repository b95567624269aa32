"""`structural_tag`: the JSON format of XGrammar, vLLM and SGLang for texts with constrained regions.

Source: XGrammar 0.2.8, "Structural Tag Usage", https://xgrammar.mlc.ai/docs/structural_tag/structural_tag.html. The
form with `structures` and `triggers` at the top is the older one. Unknown fields and formats are refused.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, cast

from guidance_kit.errors import LimitError, OptionError, SchemaError, UnsupportedFeature
from guidance_kit.grammars.choice import Part, choice
from guidance_kit.grammars.composition import optional, repeat, sequence
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.grammar import grammar
from guidance_kit.grammars.json_schema import BoundedWhitespace, json_schema
from guidance_kit.grammars.json_schema.objects.members import Order
from guidance_kit.grammars.parameter_styles import STYLES, styled_object
from guidance_kit.grammars.regex import regex
from guidance_kit.grammars.region import has_regions, units_of
from guidance_kit.grammars.structural_object import FormatObject, TagEnd
from guidance_kit.grammars.structural_tokens import (
    any_tokens,
    dispatched_tokens,
    other_token,
    read_token,
    token_dispatch,
)
from guidance_kit.grammars.tag import Tag, tag
from guidance_kit.grammars.tags import tags
from guidance_kit.grammars.text import text

__all__ = ["structural_tag"]

MAX_NESTING = 100
"""Nested formats that can be read without exhausting Python's stack; only named in errors."""

_FREE = ("any_text", "triggered_tags", "token_triggered_tags", "dispatch", "token_dispatch", "any_tokens")
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
        found = _read(top.object("format", only=("type", "format")))
        _check_regions(found)
        return found
    top.only("type", "structures", "triggers")
    with top.told():
        members = [
            tag(item.text("begin"), _schema(item, "schema"), item.text("end"))
            for item in (each.only("begin", "schema", "end") for each in top.objects("structures"))
        ]
        return tags(members, triggers=top.texts("triggers"))


def _check_regions(constraint: Constraint) -> None:
    """Refuse budgets of tokens where no region can stand."""
    if has_regions(constraint):
        try:
            units_of(constraint)
        except OptionError as error:
            hint = "bound it by max_chars"
            raise UnsupportedFeature(
                "max_tokens of any_text", where=f"the structural tag: {error}", hint=hint
            ) from None


def _read(format_: FormatObject) -> Constraint:
    """The constraint of a format."""
    kind = format_.kind()
    reader = _READERS.get(kind)
    if reader is None:
        raise UnsupportedFeature(f"the format {kind!r}", where=format_.pointer, hint="XGrammar 0.2.8 has none either")
    with format_.told():
        return reader(format_)


def _schema(format_: FormatObject, name: str, *, order: Order = "declared", most: int | None = None) -> Constraint:
    """JSON of a schema, with white space of at most so many characters in a gap."""
    found = format_.fields.get(name)
    if not isinstance(found, dict | bool | str):
        raise format_.wrong(name, "a schema")
    try:
        return json_schema(found, order=order, whitespace="flexible" if most is None else BoundedWhitespace(most))
    except SchemaError as error:
        raise SchemaError(error.message, pointer=f"{format_.pointer}/{name}{error.pointer}") from None


def _const_string(format_: FormatObject) -> Constraint:
    return choice([format_.only("type", "value").text("value")])


def _json_schema(format_: FormatObject) -> Constraint:
    format_.only("type", "json_schema", "style", "any_order", "max_whitespace_cnt", "excludes")
    format_.refuse("excludes", [], "give the strings in the schema a pattern, as ^(?!.*text)")
    style = format_.get("style", str, "a string", "json")
    is_any = format_.get("any_order", bool, "true or false", False)
    most = format_.budget("max_whitespace_cnt")
    schema = _schema(format_, "json_schema", order="any" if is_any else "declared", most=most)
    if style == "json":
        return schema
    if style not in STYLES:
        raise format_.wrong("style", " or ".join(map(repr, ("json", *STYLES))))
    if is_any:
        hint = "leave it out: the arguments stand in the order of their declaration"
        raise UnsupportedFeature(f"any_order of {style}", where=format_.pointer, hint=hint)
    return styled_object(schema, style, most, f"the schema at {format_.pointer}/json_schema")


def _qwen_parameters(format_: FormatObject) -> Constraint:
    """The older name of a style."""
    schema = _schema(format_.only("type", "json_schema"), "json_schema")
    return styled_object(schema, "qwen_xml", None, f"the schema at {format_.pointer}/json_schema")


def _regex(format_: FormatObject) -> Constraint:
    return regex(format_.only("type", "pattern").text("pattern"))


def _grammar(format_: FormatObject) -> Constraint:
    source = format_.only("type", "grammar").text("grammar")
    return grammar(source, dialect="xgrammar")


def _any_text(format_: FormatObject) -> Constraint:
    format_.only("type", "excludes", "max_tokens", "max_chars")
    tokens, characters = format_.budget("max_tokens"), format_.budget("max_chars")
    without = [*format_.texts("excludes"), *format_.end.texts]
    return choice([""]) if tokens == 0 else text(without=without, max_length=characters, max_tokens=tokens)


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
    if least < 0 or (most < least and most != -1):
        raise format_.wrong("max", "-1, or a number that is not less than 'min'")
    content = _read(format_.object("content"))
    return choice([""]) if most == 0 else repeat(content, least, None if most == -1 else most)


class _TagParts(NamedTuple):
    """Begin, content (None: any text up to the end) and end of a tag."""

    begin: Part
    content: Constraint | None
    end: Part

    @property
    def is_numbered(self) -> bool:
        """True if the tag begins with a token by its number, which `tags` does not know."""
        return isinstance(self.begin, Constraint) and self.begin.kind == "any_token"

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts of its texts."""
        return (self.begin, text() if self.content is None else self.content, self.end)


def _alone(format_: FormatObject) -> Constraint:
    content = format_.fields.get("content")
    if isinstance(content, dict) and content.get("max_tokens") and content.get("type", "any_text") == "any_text":
        return _budgeted(format_)
    found = _tag(format_)
    return sequence(*found.parts) if found.is_numbered else _one(tag(*found))


def _one(member: Tag) -> Constraint:
    """One tag, as a list of its value."""
    return tags([member], minimum=1, maximum=1, separator="")


def _budgeted(format_: FormatObject) -> Constraint:
    """A tag around free text with a budget of tokens: a sequence with a region."""
    begin, _ = _side(format_, "begin")
    end, closing = _side(format_, "end")
    content = format_.only("type", "begin", "content", "end").object("content", end=closing)
    content.only("type", "excludes", "max_tokens", "max_chars")
    if closing.tokens or not closing.texts or not isinstance(begin, str):
        hint = "end it with a text, or bound it by max_chars"
        raise UnsupportedFeature("max_tokens in a tag without texts around it", where=format_.pointer, hint=hint)
    if not isinstance(end, str) and "" in end.source:
        hint = "end it with one text, or bound it by max_chars"
        raise UnsupportedFeature("max_tokens before an end that may be empty", where=format_.pointer, hint=hint)
    bounds = {"max_tokens": content.budget("max_tokens"), "max_length": content.budget("max_chars")}
    with format_.told():
        return _region_in_tag(begin, end, tuple(content.texts("excludes")), bounds)


def _region_in_tag(begin: str, end: Part, without: tuple[str, ...], bounds: Mapping[str, Any]) -> Constraint:
    """Sequence of a text and a region that an end ends; its value is that of a tag."""
    stops = (end,) if isinstance(end, str) else tuple(end.source)
    ended = text(without=without, until=stops, **bounds)
    unbounded = text(without=(*without, *stops), max_length=bounds["max_length"])
    language = _one(tag(begin, unbounded, end)).language
    origin = (_region_in_tag, (begin, end, without, dict(bounds)), {})
    return replace(sequence(begin, ended), language=language, origin=origin)


def _tag(format_: FormatObject) -> _TagParts:
    """A tag; free text in it extends to its end."""
    if format_.fields.get("type", "tag") != "tag":
        raise format_.wrong("type", '"tag"')
    with format_.told():
        format_.only("type", "begin", "content", "end")
        begin, _ = _side(format_, "begin")
        end, closing = _side(format_, "end")
        content = format_.object("content", end=closing)
        kind = content.kind()
        is_limited = bool(content.fields.get("excludes") or content.fields.get("exclude_tokens"))
        if kind in _FREE and not (is_limited or closing.texts or closing.tokens):
            raise SchemaError("free text needs an 'end' that is not empty, or 'excludes'", pointer=content.pointer)
        is_plain = kind == "any_text" and content.fields.keys() <= {"type", "excludes"} and not is_limited
        if is_plain and closing.texts and not _overlap(closing.texts):
            return _TagParts(begin, None, end)
        return _TagParts(begin, _read(content), end)


def _overlap(stops: tuple[str, ...]) -> bool:
    """Test whether one of some strings can begin within another one."""
    return any(one.endswith(other[:k]) for one in stops for other in stops for k in range(1, min(len(one), len(other))))


def _side(format_: FormatObject, name: str) -> tuple[Part, TagEnd]:
    """Begin or end of a tag, and what formats within a tag with this end exclude."""
    value = format_.fields.get(name)
    if isinstance(value, dict):
        inner = format_.object(name)
        if inner.fields.get("type", "token") != "token":
            raise format_.wrong(name, "a string or a token")
        token = read_token(inner)
        number = inner.fields["token"]
        return token, TagEnd(tokens=(number,), texts=(number,) if isinstance(number, str) else ())
    if name == "end" and isinstance(value, list):
        found = format_.texts(name)
        if not found:
            raise format_.wrong(name, "a list that is not empty")
        return found[0] if len(found) == 1 else choice(found), TagEnd(tuple(filter(None, found)))
    found = format_.text(name)
    return found, TagEnd((found,) if found else ())


def _triggered_tags(format_: FormatObject) -> Constraint:
    format_.only("type", "triggers", "tags", "at_least_one", "stop_after_first", "excludes")
    return _dispatched(format_, format_.texts("triggers"), [*format_.texts("excludes"), *format_.end.texts])


def _token_triggered_tags(format_: FormatObject) -> Constraint:
    format_.only("type", "trigger_tokens", "tags", "at_least_one", "stop_after_first", "exclude_tokens", "excludes")
    triggers = format_.tokens("trigger_tokens")
    if not triggers:
        raise format_.wrong("trigger_tokens", "a list that is not empty")
    members = format_.objects("tags")
    for member in members:
        begin = member.fields.get("begin")
        if not isinstance(begin, dict) or cast("dict[str, Any]", begin).get("token") not in triggers:
            raise member.wrong("begin", 'one of \'trigger_tokens\', as {"type": "token", "token": 5}')
    if format_.fields.get("exclude_tokens") or any(isinstance(one, int) for one in (*triggers, *format_.end.tokens)):
        format_.refuse("excludes", [], "exclude tokens by 'exclude_tokens'")
        turns = [_tag(member).parts for member in members]
        is_first, is_last = _flags(format_)
        return dispatched_tokens(format_, turns, is_first=is_first, is_last=is_last)
    return _dispatched(format_, format_.texts("trigger_tokens"), [*format_.texts("excludes"), *format_.end.texts])


def _flags(format_: FormatObject) -> tuple[bool, bool]:
    """Flags of a format: whether there is at least one tag, and whether it ends after the first."""
    is_first = format_.get("at_least_one", bool, "true or false", False)
    return is_first, format_.get("stop_after_first", bool, "true or false", False)


def _dispatched(format_: FormatObject, triggers: list[str], without: list[str]) -> Constraint:
    is_first, is_last = _flags(format_)
    where = {(False, False): "anywhere", (False, True): "before", (True, False): "after", (True, True): "between"}
    return tags(
        [tag(*_tag(one)) for one in format_.objects("tags")],
        triggers=triggers,
        without=without,
        minimum=int(is_first),
        maximum=1 if is_last else None,
        free_text=where[is_first, is_last],  # pyright: ignore[reportArgumentType]
    )


def _tags_with_separator(format_: FormatObject) -> Constraint:
    format_.only("type", "tags", "separator", "at_least_one", "stop_after_first")
    members = [_tag(one) for one in format_.objects("tags")]
    separator = format_.text("separator")
    is_first, is_last = _flags(format_)
    if any(member.is_numbered for member in members):
        one = choice([sequence(*member.parts) for member in members])
        some = one if is_last else sequence(one, repeat(sequence(separator, one)))
        return some if is_first else optional(some)
    return tags(
        [tag(*member) for member in members],
        separator=separator,
        minimum=int(is_first),
        maximum=1 if is_last else None,
    )


def _dispatch(format_: FormatObject) -> Constraint:
    format_.only("type", "rules", "loop", "excludes")
    is_loop = format_.get("loop", bool, "true or false", True)
    return tags(
        [tag(trigger, _read(inner), "") for trigger, inner in format_.pairs("rules", str, "a string")],
        without=format_.texts("excludes"),
        maximum=None if is_loop else 1,
        free_text="anywhere" if is_loop else "before",
    )


_READERS: dict[str, Callable[[FormatObject], Constraint]] = {
    "const_string": _const_string,
    "json_schema": _json_schema,
    "qwen_xml_parameter": _qwen_parameters,
    "regex": _regex,
    "grammar": _grammar,
    "any_text": _any_text,
    "sequence": _sequence,
    "or": _or,
    "optional": _optional,
    "star": _star,
    "plus": _plus,
    "repeat": _repeat,
    "token": read_token,
    "exclude_token": other_token,
    "any_tokens": any_tokens,
    "tag": _alone,
    "triggered_tags": _triggered_tags,
    "token_triggered_tags": _token_triggered_tags,
    "tags_with_separator": _tags_with_separator,
    "dispatch": _dispatch,
    "token_dispatch": lambda format_: token_dispatch(format_, _read),
}
