"""`tool_calls`: tool calls in the formats of families of open models, their parser and their writer."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, cast

from guidance_kit.errors import OptionError, UnsupportedFeature
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.argument_checks import as_items
from guidance_kit.grammars.choice import choice
from guidance_kit.grammars.composition import optional, sequence
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.grammars.language import Language
from guidance_kit.grammars.regex import regex
from guidance_kit.grammars.tag import Tag, silent, spelled, tag
from guidance_kit.grammars.tagged import Tagged
from guidance_kit.grammars.tags import pieces, tags
from guidance_kit.grammars.text import unchecked_text
from guidance_kit.grammars.tool_arguments import as_schema, resolved
from guidance_kit.grammars.tool_formats import CallFormat, Channel, ToolFormat, tool_format

__all__ = ["Tool", "tool_calls"]

Tool = Callable[..., Any] | Mapping[str, Any] | Any
"""A function, whose signature declares its arguments; a description in the format of chat APIs; or a tool of MCP."""

_GROUP = "\0"
"""Name of the tag around a group of calls, which no tool has."""


def tool_calls(
    tools: Iterable[Tool] | Any,
    style: ToolFormat,
    *,
    minimum: int = 0,
    maximum: int | None = None,
    free_text: bool = True,
) -> Constraint:
    """Text with tool calls in the format of a family of models.

    `parse` returns a list of pieces: texts as str, calls as `Tagged` with the name of the tool and its arguments, which
    are validated by the types of a function's parameters. In formats with channels (harmony, cohere), thoughts and
    answers are messages of their own and `Tagged` with the name of their channel. `write` is the inverse: the text of
    such pieces, with arguments as JSON values; without free text it puts calls together as the model's template does.

    Args:
        tools: functions, or descriptions as in `{"type": "function", "function": {"name": ..., "parameters": {...}}}`,
            or the inner object of such, also with `input_schema`, as the Claude API has it; or tools of an MCP server,
            in a list or as the server's result of `tools/list`.
        style: format of the calls, one of `TOOL_FORMATS`; docs/tags.md shows them.
        minimum, maximum: number of calls; None: any number that the format allows.
        free_text: allow text around the calls; without it a text consists of calls, behind thoughts in formats with
            channels.
    Raises:
        OptionError: an unknown style; a tool without a name, or two with the same; other numbers.
        UnsupportedFeature: the arguments of a tool have no schema, or one that cannot be enforced exactly; the format
            cannot write the name of a tool.

    >>> def weather(city: str, days: int = 1): ...
    >>> calls = tool_calls([weather], "llama3")
    >>> calls.parse('{"name": "weather", "parameters": {"city": "Oslo"}}')
    [Tagged(name='weather', value={'city': 'Oslo', 'days': 1})]
    >>> calls.write([Tagged("weather", {"city": "Rome"})])
    '{"name": "weather", "parameters": {"city": "Rome"}}'
    """
    form = tool_format(style)
    several = tuple(as_items(_listed(tools), "tool_calls()", "tools"))
    origin = (tool_calls, (several, style), {"minimum": minimum, "maximum": maximum, "free_text": free_text})
    described = [_described(one, number) for number, one in enumerate(several)]
    if len({name for name, _ in described}) < len(described) or not described:
        raise OptionError("there must be tools, each with a name of its own")
    for name, _ in described:
        if form.names and not re.fullmatch(form.names, name):
            raise UnsupportedFeature(f"the name {name!r}", where=f"a tool in the style {style}", hint=form.names)
    most = form.most if maximum is None else maximum
    if form.most is not None and not max(1, minimum) <= (most or 0) <= form.most:
        raise OptionError(f"the style {style!r} has at most {form.most} call; it cannot be {minimum} to {maximum}")
    calls = [form.call(name, arguments) for name, arguments in described]
    minimum = minimum if free_text else max(1, minimum)
    whole = _texts(form, calls, minimum, most, free_text)
    schemas = {name: as_schema(arguments) for name, arguments in described}
    return replace(whole, language=_ToolCalls(whole.language, form, schemas, free_text), origin=origin)


def _texts(form: CallFormat, calls: list[Tag], minimum: int, most: int | None, free_text: bool) -> Constraint:
    """Texts of a format; the values of groups of calls are those of tags with the name `_GROUP`."""
    if form.group is None and form.answer is None:
        around: dict[str, Any] = {"triggers": [form.trigger]} if free_text else {"separator": form.between}
        return tags(calls, minimum=minimum, maximum=most, **around)
    if form.group is None:
        group = calls
    else:
        begin, separator, end = form.group
        inside = tags(calls, separator=separator, minimum=max(1, minimum), maximum=most)
        group = [tag(begin, inside, end, name=_GROUP)]
    if form.answer is not None:
        return _messages(form, group, is_call_needed=minimum > 0)
    if form.closing:
        return _closed(form, group[0], minimum, free_text)
    if free_text and not form.trigger and not minimum:
        opener = re.escape(spelled(form.group[0])) if form.group else ""
        plain = sequence(regex(f"(?!{opener})."), unchecked_text())
        return choice([tags(group, minimum=1, maximum=1, separator=""), optional(plain)])
    apart = None if free_text and form.trigger else ""
    return tags(group, minimum=min(1, minimum), maximum=1, separator=apart)


def _closed(form: CallFormat, group: Tag, minimum: int, free_text: bool) -> Constraint:
    """Text up to its end, then at most one group of calls; a tail may follow."""
    answer = tag(form.closing[0], silent(sequence(*form.closing[1:])), (), name=_GROUP)
    members = [group] if minimum else [group, answer]
    around: dict[str, Any] = {"free_text": "before"} if free_text else {"separator": ""}
    return sequence(tags(members, minimum=1, maximum=1, **around), silent(optional(sequence(*form.tail))))


def _messages(form: CallFormat, calls: list[Tag], *, is_call_needed: bool) -> Constraint:
    """Messages of channels: any number of thoughts, then calls or the answer."""
    assert form.thoughts is not None
    assert form.answer is not None
    following = sequence(*form.following)
    members = calls if is_call_needed else [*calls, _channel(form.answer)]
    last = tags(members, separator="", minimum=1, maximum=1)
    thoughts = tags([_channel(form.thoughts)], separator=following, minimum=1)
    return choice([last, sequence(thoughts, sequence(silent(following), last))])


def _channel(channel: Channel) -> Tag:
    return tag(channel.begin, None, channel.end, name=channel.name)


@dataclass(frozen=True, slots=True)
class _ToolCalls(Language):
    """Texts with calls, whose value is a flat list of pieces.

    Attributes:
        nested: the texts, with groups of calls in tags of their own.
        form: the format.
        schemas: JSON Schema of the arguments of each tool.
        free_text: whether there is text around the calls.
    """

    nested: Language
    form: CallFormat
    schemas: Mapping[str, Any]
    free_text: bool
    has_values = True

    def declare(self, network: Network) -> int:
        return self.nested.declare(network)

    def to_value(self, text: str) -> list[str | Tagged]:
        return list(_ungrouped(self.nested.to_value(text)))

    def to_partial_value(self, text: str, is_whole: bool) -> list[str | Tagged]:
        return list(_ungrouped(self.nested.to_partial_value(text, is_whole)))

    def to_text(self, value: Any) -> str:
        form, parts = self.form, as_items(value, "the value of tool calls", "texts and calls")
        channels = {one.name: one for one in (form.thoughts, form.answer) if one is not None}
        written: list[str] = []
        number, is_grouped = 0, False
        for is_call, alike in groupby(parts, lambda part: isinstance(part, Tagged) and part.name in self.schemas):
            members = list(cast("Iterable[Any]", alike))
            if is_call:
                calls = [self._call(one, number + place) for place, one in enumerate(members)]
                number, is_grouped = number + len(calls), True
                written.append(self._together(calls))
                continue
            for part in members:
                if isinstance(part, Tagged) and part.name in channels and isinstance(part.value, str):
                    channel = channels[part.name]
                    end = channel.end + (form.following if channel is form.thoughts else ())
                    written.append(spelled(channel.begin) + part.value + spelled(end))
                elif isinstance(part, str):
                    written.append(part)
                else:
                    known = ", ".join((*self.schemas, *channels))
                    raise OptionError(f"{part!r} is neither a text nor Tagged with a name of {known}")
        closing = () if is_grouped else form.closing
        return "".join(written) + spelled((*closing, *form.tail))

    def _together(self, calls: list[str]) -> str:
        """Text of calls that follow each other."""
        if self.form.group is None:
            return ("" if self.free_text else self.form.between).join(calls)
        begin, separator, end = self.form.group
        return spelled(begin) + separator.join(calls) + spelled(end)

    def _call(self, call: Tagged, number: int) -> str:
        if not isinstance(call.value, Mapping):
            raise OptionError(f"the arguments of {call.name} are a dict, not {call.value!r}")
        return self.form.text(call.name, self._arranged(call.value, self.schemas[call.name], {}), number)

    def _arranged(self, value: Any, schema: Any, definitions: Mapping[str, Any]) -> Any:
        """A value with the members of each object in the order in which they are written."""
        if isinstance(schema, Mapping):
            definitions = {**definitions, **{key: schema[key] for key in ("$defs", "definitions") if key in schema}}
        schema = resolved(schema, definitions)
        if isinstance(value, list):
            return [self._arranged(one, schema.get("items"), definitions) for one in cast("list[Any]", value)]
        if not isinstance(value, Mapping):
            return value
        given, properties = cast("Mapping[str, Any]", value), schema.get("properties", {})
        names = [key for key in self.form.arguments.arranged(properties) if key in given]
        order = names + [key for key in given if key not in properties]
        return {key: self._arranged(given[key], properties.get(key), definitions) for key in order}


def _ungrouped(value: Any) -> Iterator[str | Tagged]:
    """Pieces of a nested value, with the calls of a group in its place."""
    for piece in pieces(value):
        if isinstance(piece, Tagged) and piece.name == _GROUP:
            yield from pieces(piece.value)
        else:
            yield piece


_SCHEMAS = "parameters", "inputSchema", "input_schema"
"""Names of the schema of the arguments: OpenAI's, MCP's, and that of the Claude API and of the MCP SDK from 2.0 on."""


def _listed(tools: Any) -> Any:
    """Tools of a list, or of a server's result with such a list."""
    if isinstance(tools, Mapping) and isinstance(cast("Mapping[str, Any]", tools).get("tools"), list):
        return cast("Mapping[str, Any]", tools)["tools"]
    return getattr(tools, "tools", tools)


def _described(tool: Tool, number: int) -> tuple[str, Constraint]:
    """Name of a tool, and the constraint of its arguments; `number` is that of the tool, for messages."""
    schema: Any = tool
    if isinstance(tool, Mapping):
        given = cast("Mapping[str, Any]", tool)
        inner = given.get("function", given)
        schema = next((inner[key] for key in _SCHEMAS if key in inner), {"type": "object"})
        name = inner.get("name")
    elif found := [key for key in _SCHEMAS[1:] if hasattr(tool, key)]:
        name, schema = tool.name, getattr(tool, found[0])
    else:
        name = getattr(tool, "__name__", None)
    if name is None:
        raise OptionError(
            f"tools[{number}] has no name: {tool!r:.80}; give functions, dictionaries with name and parameters, or the "
            "tools of an MCP server"
        )
    if not isinstance(name, str) or json.dumps(name, ensure_ascii=False) != f'"{name}"' or not name:
        raise OptionError(
            f"tools[{number}]: the name of a tool is a text that JSON writes without escapes, not {name!r}"
        )
    return name, json_schema(schema)
