"""`tool_calls`: tool calls in the formats of common families of open models; the formats are data."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from guidance_kit.errors import OptionError
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.argument_checks import as_items
from guidance_kit.grammars.choice import Part, choice
from guidance_kit.grammars.composition import sequence
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.grammars.language import Language
from guidance_kit.grammars.regex import regex
from guidance_kit.grammars.special_token import special_token
from guidance_kit.grammars.tag import Tag, silent, tag
from guidance_kit.grammars.tagged import Tagged
from guidance_kit.grammars.tags import pieces, tags
from guidance_kit.grammars.tool_arguments import tagged_arguments

__all__ = ["TOOL_FORMATS", "Tool", "ToolFormat", "tool_calls"]

Tool = Callable[..., Any] | Mapping[str, Any]
"""A function, whose signature declares its arguments, or a description in the format of chat APIs."""

ToolFormat = Literal[
    "hermes", "llama3", "mistral", "mistral_v11", "deepseek_v3", "deepseek_v3_1", "kimi_k2", "qwen3_coder", "glm4_5",
    "glm4_7", "granite3", "phi4_mini", "harmony",
]  # fmt: skip
"""Families of models by their format of calls."""


def _token(name: str) -> Constraint:
    return special_token(name, or_text=True)


_NUMBER = regex("[0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Format:
    """Format of tool calls.

    Attributes:
        begin: parts before the arguments; texts have "%s" for the name of the tool.
        end: parts behind them.
        between: text between calls that follow each other without free text.
        argument: text before and behind each argument, the first with "%s" for its name, in formats with a tag for each
            argument; None in formats with a JSON object.
        trigger: string that opens a call, or a group of calls, in free text; "" if there is no free text.
        group: parts before a group of calls, the separator of calls, and parts behind the group; None if there is free
            text between calls.
        most: greatest number of calls; None: any.
        source: documentation or implementation of the format.
    """

    begin: tuple[Part, ...]
    end: tuple[Part, ...]
    trigger: str
    group: tuple[tuple[Part, ...], str, tuple[Part, ...]] | None = None
    most: int | None = None
    between: str = "\n"
    argument: tuple[str, str] | None = None
    source: str

    def call(self, name: str, arguments: Constraint) -> Tag:
        """The tag of the calls of one tool."""
        if self.argument is not None:
            arguments = tagged_arguments(arguments, name, *self.argument)
        begin = tuple(part.replace("%s", name) if isinstance(part, str) else part for part in self.begin)
        return tag(begin, arguments, self.end, name=name)


TOOL_FORMATS: Mapping[str, _Format] = {
    "hermes": _Format(
        begin=('<tool_call>\n{"name": "%s", "arguments": ',),
        end=("}\n</tool_call>",),
        trigger="<tool_call>",
        source="Qwen documentation, Function Calling (https://qwen.readthedocs.io/en/latest/framework/function_call.html)",
    ),
    "llama3": _Format(
        begin=('{"name": "%s", "parameters": ',),
        end=("}",),
        trigger='{"name": ',
        most=1,
        source="chat template of Llama 3.1 Instruct",
    ),
    "mistral": _Format(
        begin=('{"name": "%s", "arguments": ',),
        end=("}",),
        trigger="[TOOL_CALLS]",
        group=((_token("[TOOL_CALLS]"), " ["), ", ", ("]",)),
        source="vLLM's tests of its mistral tool parser",
    ),
    "mistral_v11": _Format(
        begin=(_token("[TOOL_CALLS]"), "%s", _token("[ARGS]")),
        end=(),
        trigger="[TOOL_CALLS]",
        between="",
        source="vLLM's tests of its mistral tool parser, for tokenizers from version 11 on",
    ),
    "deepseek_v3": _Format(
        begin=(_token("<｜tool▁call▁begin｜>"), "function", _token("<｜tool▁sep｜>"), "%s\n```json\n"),
        end=("\n```", _token("<｜tool▁call▁end｜>")),
        trigger="<｜tool▁calls▁begin｜>",
        group=((_token("<｜tool▁calls▁begin｜>"),), "\n", (_token("<｜tool▁calls▁end｜>"),)),
        source="chat template of DeepSeek-R1; SGLang's tests of its DeepSeekV3Detector",
    ),
    "deepseek_v3_1": _Format(
        begin=(_token("<｜tool▁call▁begin｜>"), "%s", _token("<｜tool▁sep｜>")),
        end=(_token("<｜tool▁call▁end｜>"),),
        trigger="<｜tool▁calls▁begin｜>",
        group=((_token("<｜tool▁calls▁begin｜>"),), "", (_token("<｜tool▁calls▁end｜>"),)),
        source="vLLM's tests of its deepseek_v31 tool parser (https://github.com/vllm-project/vllm/pull/25405)",
    ),
    "kimi_k2": _Format(
        begin=(_token("<|tool_call_begin|>"), "functions.%s:", _NUMBER, _token("<|tool_call_argument_begin|>")),
        end=(_token("<|tool_call_end|>"),),
        trigger="<|tool_calls_section_begin|>",
        group=((_token("<|tool_calls_section_begin|>"),), "", (_token("<|tool_calls_section_end|>"),)),
        source="Kimi-K2, docs/tool_call_guidance.md (https://huggingface.co/moonshotai/Kimi-K2-Instruct)",
    ),
    "qwen3_coder": _Format(
        begin=("<tool_call>\n<function=%s>\n",),
        end=("</function>\n</tool_call>",),
        trigger="<tool_call>",
        argument=("<parameter=%s>\n", "\n</parameter>\n"),
        source="chat template of Qwen3-Coder (https://huggingface.co/Qwen/Qwen3-Coder-480B-A35B-Instruct)",
    ),
    "glm4_5": _Format(
        begin=("<tool_call>%s\n",),
        end=("</tool_call>",),
        trigger="<tool_call>",
        argument=("<arg_key>%s</arg_key>\n<arg_value>", "</arg_value>\n"),
        source="chat template of GLM-4.5 (https://huggingface.co/zai-org/GLM-4.5)",
    ),
    "glm4_7": _Format(
        begin=("<tool_call>%s",),
        end=("</tool_call>",),
        trigger="<tool_call>",
        between="",
        argument=("<arg_key>%s</arg_key><arg_value>", "</arg_value>"),
        source="chat template of GLM-4.7; XGrammar's structural tag for it",
    ),
    "granite3": _Format(
        begin=('{"name": "%s", "arguments": ',),
        end=("}",),
        trigger="<|tool_call|>",
        group=((_token("<|tool_call|>"), "["), ", ", ("]",)),
        source="vLLM's granite tool parser",
    ),
    "phi4_mini": _Format(
        begin=('{"name": "%s", "arguments": ',),
        end=("}",),
        trigger="functools[",
        group=(("functools[",), ", ", ("]",)),
        source="vLLM's phi4_mini_json tool parser",
    ),
    "harmony": _Format(
        begin=(
            _token("<|channel|>"),
            "commentary to=functions.%s ",
            _token("<|constrain|>"),
            "json",
            _token("<|message|>"),
        ),
        end=(_token("<|call|>"),),
        trigger="",
        most=1,
        source="OpenAI harmony response format (https://cookbook.openai.com/articles/openai-harmony)",
    ),
}


def tool_calls(
    tools: Iterable[Tool],
    style: ToolFormat,
    *,
    minimum: int = 0,
    maximum: int | None = None,
    free_text: bool = True,
) -> Constraint:
    """Text with tool calls in the format of a family of models.

    `parse` returns a list of pieces: texts as str, calls as `Tagged` with the name of the tool and its arguments, which
    are validated by the types of a function's parameters. In harmony, thoughts and answers are messages of their own
    and `Tagged` with the name of their channel.

    Args:
        tools: functions, or descriptions as in `{"type": "function", "function": {"name": ..., "parameters": {...}}}`,
            or the inner object of such.
        style: format of the calls, one of `TOOL_FORMATS`; docs/tags.md shows them.
        minimum, maximum: number of calls; None: any number that the format allows.
        free_text: allow text around the calls; without it a text consists of calls, in harmony of thoughts and a call.
    Raises:
        OptionError: an unknown style; a tool without a name, or two with the same; other numbers.
        UnsupportedFeature: the arguments of a tool have no schema, or one that cannot be enforced exactly.

    >>> def weather(city: str, days: int = 1): ...
    >>> tool_calls([weather], "llama3").parse('{"name": "weather", "parameters": {"city": "Oslo"}}')
    [Tagged(name='weather', value={'city': 'Oslo', 'days': 1})]
    """
    if not isinstance(style, str) or style not in TOOL_FORMATS:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise OptionError.unknown(str(style), TOOL_FORMATS, "style of tool calls")
    form = TOOL_FORMATS[style]
    tools = tuple(as_items(tools, "tool_calls()", "tools"))
    origin = (tool_calls, (tools, style), {"minimum": minimum, "maximum": maximum, "free_text": free_text})
    described = [_described(one) for one in tools]
    if len({name for name, _ in described}) < len(described) or not described:
        raise OptionError("there must be tools, each with a name of its own")
    most = form.most if maximum is None else maximum
    if form.most is not None and not max(1, minimum) <= (most or 0) <= form.most:
        raise OptionError(f"the style {style!r} has at most {form.most} call; it cannot be {minimum} to {maximum}")
    calls = [form.call(name, arguments) for name, arguments in described]
    if not free_text:
        minimum = max(1, minimum)
    if not form.trigger:
        return replace(_messages(calls, is_call_needed=minimum > 0), origin=origin)
    if form.group is None:
        around: dict[str, Any] = {"triggers": [form.trigger]} if free_text else {"separator": form.between}
        return replace(tags(calls, minimum=minimum, maximum=most, **around), origin=origin)
    begin, separator, end = form.group
    inside = tags(calls, separator=separator, minimum=max(1, minimum), maximum=most)
    apart = None if free_text else ""
    whole = tags([tag(begin, inside, end, name=_GROUP)], minimum=min(1, minimum), maximum=1, separator=apart)
    return replace(whole, language=_Ungrouped(whole.language), origin=origin)


_GROUP = ""
"""Name of the tag around a group of calls."""


@dataclass(frozen=True, slots=True)
class _Ungrouped(Language):
    """Texts of tags around groups of calls, whose value has the calls in place of the groups."""

    grouped: Language
    has_values = True

    def declare(self, network: Network) -> int:
        return self.grouped.declare(network)

    def to_value(self, text: str) -> list[str | Tagged]:
        return list(_ungrouped(self.grouped.to_value(text)))

    def to_partial_value(self, text: str, is_whole: bool) -> list[str | Tagged]:
        return list(_ungrouped(self.grouped.to_partial_value(text, is_whole)))


def _ungrouped(found: Iterable[Any]) -> Iterator[Any]:
    for piece in found:
        if isinstance(piece, Tagged):
            yield from piece.value
        else:
            yield piece


def _messages(calls: list[Tag], *, is_call_needed: bool) -> Constraint:
    """Messages of harmony: any number of thoughts, then a call or the answer."""
    channel, message = _token("<|channel|>"), _token("<|message|>")
    thought = tag((channel, "analysis", message), None, _token("<|end|>"), name="analysis")
    answer = tag((channel, "final", message), None, _token("<|return|>"), name="final")
    following = sequence(_token("<|start|>"), "assistant")
    last = tags(calls if is_call_needed else [*calls, answer], separator="", minimum=1, maximum=1)
    thoughts = tags([thought], separator=following, minimum=1)
    behind = sequence(silent(following), last)
    whole = choice([last, sequence(thoughts, behind)])
    return replace(whole, language=_Messages(whole.language))


@dataclass(frozen=True, slots=True)
class _Messages(Language):
    """Texts of several tags, whose value is a flat list of pieces."""

    nested: Language
    has_values = True

    def declare(self, network: Network) -> int:
        return self.nested.declare(network)

    def to_value(self, text: str) -> list[str | Tagged]:
        return list(pieces(self.nested.to_value(text)))

    def to_partial_value(self, text: str, is_whole: bool) -> list[str | Tagged]:
        return list(pieces(self.nested.to_partial_value(text, is_whole)))


def _described(tool: Tool) -> tuple[str, Constraint]:
    """Name of a tool, and the constraint of its arguments."""
    if isinstance(tool, Mapping):
        inner = tool.get("function", tool)
        name, schema = inner.get("name"), inner.get("parameters", {"type": "object"})
    else:
        name, schema = getattr(tool, "__name__", None), tool
    if not isinstance(name, str) or json.dumps(name, ensure_ascii=False) != f'"{name}"' or not name:
        raise OptionError(f"a tool has a name, which {name!r} is not")
    return name, json_schema(schema)
