"""`TOOL_FORMATS`: the formats of tool calls of families of open models, as data.

A format is one record, from which the constraint of the calls, their parser and their writer are made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from guidance_kit.errors import OptionError
from guidance_kit.grammars.choice import Part
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.regex import regex
from guidance_kit.grammars.special_token import special_token
from guidance_kit.grammars.tag import Tag, spelled, tag
from guidance_kit.grammars.tool_arguments import ArgumentSyntax, JsonArguments, TaggedArguments
from guidance_kit.grammars.tool_values import DelimitedString, NestedArguments, PythonString

__all__ = ["TOOL_FORMATS", "CallFormat", "Channel", "ToolFormat", "dsml_arguments", "tool_format"]

ToolFormat = Literal[
    "hermes", "llama3", "llama4_pythonic", "mistral", "mistral_v11", "deepseek_v3", "deepseek_v3_1", "deepseek_v3_2",
    "deepseek_v4", "kimi_k2", "kimi_k3", "qwen3_coder", "glm4_5", "glm4_7", "minimax_m2", "minimax_m3", "gemma4",
    "cohere", "exaone4", "granite3", "phi4_mini", "harmony",
]  # fmt: skip
"""Families of models by their format of calls."""


def token(name: str) -> Constraint:
    """A special token, or its name as text in a vocabulary without it."""
    return special_token(name, or_text=True)


NUMBER = regex("[0-9]+")
"""Number of a call, in formats that count them."""


_JSON = JsonArguments()


@dataclass(frozen=True, slots=True)
class Channel:
    """Message of a channel of its own, of free text.

    Attributes:
        name: name in `Tagged`.
        begin, end: parts around the text.
    """

    name: str
    begin: tuple[Part, ...]
    end: tuple[Part, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFormat:
    """Format of tool calls.

    Attributes:
        begin: parts before the arguments; texts have "%s" for the name of the tool; `NUMBER` is that of the call.
        end: parts behind them.
        between: text between calls that follow each other without free text.
        arguments: notation of the arguments.
        trigger: string that opens a call, or a group of calls, in free text; "" if there is no text beside calls but in
            channels, or none at all.
        group: parts before a group of calls, the separator of calls, and parts behind the group; None if there is free
            text between calls.
        thoughts, answer: channels of thoughts, which precede calls, and of the answer, in place of calls; None without
            channels.
        following: parts between a thought and what follows it.
        closing: parts behind a text without a group, in formats where the group follows the end of the answer.
        tail: parts that may end the whole text.
        most: greatest number of calls; None: any.
        first: number of the first call.
        names: pattern of the names that a tool may have; "" for any.
        source: documentation or implementation of the format.
    """

    begin: tuple[Part, ...]
    end: tuple[Part, ...]
    trigger: str
    arguments: ArgumentSyntax = _JSON
    group: tuple[tuple[Part, ...], str, tuple[Part, ...]] | None = None
    thoughts: Channel | None = None
    answer: Channel | None = None
    following: tuple[Part, ...] = ()
    closing: tuple[Part, ...] = ()
    tail: tuple[Part, ...] = ()
    most: int | None = None
    between: str = "\n"
    first: int = 0
    names: str = ""
    source: str

    def call(self, name: str, arguments: Constraint) -> Tag:
        """Tag of the calls of one tool.

        Raises:
            UnsupportedFeature: the notation cannot write the arguments exactly.
        """
        return tag(self._begin(name), self.arguments.constraint(arguments, name), self.end, name=name)

    def text(self, name: str, arguments: Mapping[str, Any], number: int) -> str:
        """Text of a call.

        Args:
            name: name of the tool.
            arguments: JSON values, in the order in which they are written.
            number: of the call within its text, from 0.
        """
        counted = [str(self.first + number) if part is NUMBER else part for part in self._begin(name)]
        return spelled(counted) + self.arguments.text(arguments) + spelled(self.end)

    def _begin(self, name: str) -> tuple[Part, ...]:
        return tuple(part.replace("%s", name) if isinstance(part, str) else part for part in self.begin)


def tool_format(style: str) -> CallFormat:
    """The format with a name.

    Raises:
        OptionError: there is none; names the nearest.
    """
    if not isinstance(style, str) or style not in TOOL_FORMATS:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise OptionError.unknown(str(style), TOOL_FORMATS, "style of tool calls")
    return TOOL_FORMATS[style]


_VLLM = "https://github.com/vllm-project/vllm, vllm/"
_TEMPLATES = "https://github.com/ggml-org/llama.cpp, models/templates/"


_DSML = "｜DSML｜"


def dsml_arguments(parameter: str, *following: str) -> TaggedArguments:
    """Arguments in DeepSeek's markup language, with the name of their tags and texts behind each."""
    return TaggedArguments(
        before=(f'<{_DSML}{parameter} name="%s" string="%t">',),
        after=(f"</{_DSML}{parameter}>", *following),
        kinds={"true": ("string",), "false": ("number", "boolean", "null", "object", "array")},
    )


def _dsml(group: str) -> CallFormat:
    """Format of DeepSeek's markup language with a name for the group of calls."""
    return CallFormat(
        begin=(f'<{_DSML}invoke name="%s">\n',),
        end=(f"</{_DSML}invoke>",),
        arguments=dsml_arguments("parameter", "\n"),
        trigger=f"<{_DSML}{group}>",
        group=((f"<{_DSML}{group}>\n",), "\n", (f"\n</{_DSML}{group}>",)),
        source=f"{_TEMPLATES}DeepSeek-V3.2.jinja; {_VLLM}tokenizers/deepseek_v4_encoding.py, parser/deepseek_v4.py",
    )


def _kimi_block(*inside: Part) -> tuple[Part, ...]:
    """Tag of Kimi K3 that opens a block."""
    return (token("<|open|>"), *inside, token("<|sep|>"))


def _kimi_end(name: str) -> tuple[Part, ...]:
    """Tag of Kimi K3 that closes a block."""
    return (token("<|close|>"), name, token("<|sep|>"))


_M3 = "]<]minimax[>["

TOOL_FORMATS: Mapping[str, CallFormat] = {
    "hermes": CallFormat(
        begin=('<tool_call>\n{"name": "%s", "arguments": ',),
        end=("}\n</tool_call>",),
        trigger="<tool_call>",
        source="Qwen documentation, Function Calling (https://qwen.readthedocs.io/en/latest/framework/function_call.html)",
    ),
    "llama3": CallFormat(
        begin=('{"name": "%s", "parameters": ',),
        end=("}",),
        trigger='{"name": ',
        most=1,
        source="chat template of Llama 3.1 Instruct",
    ),
    "llama4_pythonic": CallFormat(
        begin=("%s(",),
        end=(")",),
        arguments=NestedArguments(
            argument=(("%s=",), ()),
            member=(('"%s": ',), ()),
            separator=", ",
            objects=("{", "}"),
            arrays=("[", "]"),
            constants=("True", "False", "None"),
            string=PythonString(),
            name=r"(?!(?:as|assert|async|await|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|"
            r"import|in|is|lambda|nonlocal|not|or|and|pass|raise|return|try|while|with|yield)\Z)[a-zA-Z][a-zA-Z0-9_]*",
        ),
        trigger="",
        group=(("[",), ", ", ("]",)),
        names="[a-zA-Z][a-zA-Z0-9_]*",
        source=f"{_VLLM}tool_parsers/llama4_pythonic_tool_parser.py, examples/tool_chat_template_llama4_pythonic.jinja",
    ),
    "mistral": CallFormat(
        begin=('{"name": "%s", "arguments": ',),
        end=("}",),
        trigger="[TOOL_CALLS]",
        group=((token("[TOOL_CALLS]"), " ["), ", ", ("]",)),
        source="vLLM's tests of its mistral tool parser",
    ),
    "mistral_v11": CallFormat(
        begin=(token("[TOOL_CALLS]"), "%s", token("[ARGS]")),
        end=(),
        trigger="[TOOL_CALLS]",
        between="",
        source="vLLM's tests of its mistral tool parser, for tokenizers from version 11 on",
    ),
    "deepseek_v3": CallFormat(
        begin=(token("<｜tool▁call▁begin｜>"), "function", token("<｜tool▁sep｜>"), "%s\n```json\n"),
        end=("\n```", token("<｜tool▁call▁end｜>")),
        trigger="<｜tool▁calls▁begin｜>",
        group=((token("<｜tool▁calls▁begin｜>"),), "\n", (token("<｜tool▁calls▁end｜>"),)),
        source="chat template of DeepSeek-R1; SGLang's tests of its DeepSeekV3Detector",
    ),
    "deepseek_v3_1": CallFormat(
        begin=(token("<｜tool▁call▁begin｜>"), "%s", token("<｜tool▁sep｜>")),
        end=(token("<｜tool▁call▁end｜>"),),
        trigger="<｜tool▁calls▁begin｜>",
        group=((token("<｜tool▁calls▁begin｜>"),), "", (token("<｜tool▁calls▁end｜>"),)),
        source="vLLM's tests of its deepseek_v31 tool parser (https://github.com/vllm-project/vllm/pull/25405)",
    ),
    "deepseek_v3_2": _dsml("function_calls"),
    "deepseek_v4": _dsml("tool_calls"),
    "kimi_k2": CallFormat(
        begin=(token("<|tool_call_begin|>"), "functions.%s:", NUMBER, token("<|tool_call_argument_begin|>")),
        end=(token("<|tool_call_end|>"),),
        trigger="<|tool_calls_section_begin|>",
        group=((token("<|tool_calls_section_begin|>"),), "", (token("<|tool_calls_section_end|>"),)),
        source="Kimi-K2, docs/tool_call_guidance.md (https://huggingface.co/moonshotai/Kimi-K2-Instruct)",
    ),
    "kimi_k3": CallFormat(
        begin=_kimi_block('call tool="%s" index="', NUMBER, '"'),
        end=_kimi_end("call"),
        arguments=TaggedArguments(
            before=_kimi_block('argument key="%s" type="%t"'),
            after=_kimi_end("argument"),
            kinds={one: (one,) for one in ("string", "number", "boolean", "null", "object", "array")},
            escapes=(("&", "&amp;"), ('"', "&quot;")),
        ),
        trigger="<|close|>",
        group=((*_kimi_end("response"), *_kimi_block("tools")), "", _kimi_end("tools")),
        closing=_kimi_end("response"),
        tail=_kimi_end("message"),
        first=1,
        source=f"{_TEMPLATES}Kimi-K3.jinja; {_VLLM}tool_parsers/kimi_k3_tool_parser.py",
    ),
    "qwen3_coder": CallFormat(
        begin=("<tool_call>\n<function=%s>\n",),
        end=("</function>\n</tool_call>",),
        trigger="<tool_call>",
        arguments=TaggedArguments(before=("<parameter=%s>\n",), after=("\n</parameter>\n",)),
        source="chat template of Qwen3-Coder (https://huggingface.co/Qwen/Qwen3-Coder-480B-A35B-Instruct)",
    ),
    "glm4_5": CallFormat(
        begin=("<tool_call>%s\n",),
        end=("</tool_call>",),
        trigger="<tool_call>",
        arguments=TaggedArguments(before=("<arg_key>%s</arg_key>\n<arg_value>",), after=("</arg_value>\n",)),
        source="chat template of GLM-4.5 (https://huggingface.co/zai-org/GLM-4.5)",
    ),
    "glm4_7": CallFormat(
        begin=("<tool_call>%s",),
        end=("</tool_call>",),
        trigger="<tool_call>",
        between="",
        arguments=TaggedArguments(before=("<arg_key>%s</arg_key><arg_value>",), after=("</arg_value>",)),
        source="chat template of GLM-4.7; XGrammar's structural tag for it",
    ),
    "minimax_m2": CallFormat(
        begin=('<invoke name="%s">\n',),
        end=("</invoke>\n",),
        arguments=TaggedArguments(before=('<parameter name="%s">',), after=("</parameter>\n",)),
        trigger="<minimax:tool_call>",
        group=((token("<minimax:tool_call>"), "\n"), "", (token("</minimax:tool_call>"),)),
        source=f"{_TEMPLATES}unsloth-MiniMax-M2.jinja; {_VLLM}parser/minimax_m2.py",
    ),
    "minimax_m3": CallFormat(
        begin=(f'{_M3}<invoke name="%s">',),
        end=(f"{_M3}</invoke>\n",),
        arguments=NestedArguments(
            argument=((f"{_M3}<%s>",), (f"{_M3}</%s>",)),
            member=((f"{_M3}<%s>",), (f"{_M3}</%s>",)),
            item=((f"{_M3}<item>",), (f"{_M3}</item>",)),
            separator="",
            objects=("", ""),
            arrays=("", ""),
            string=DelimitedString("", stop=_M3),
            name=r"[^<>/\s][^<>\s]*",
        ),
        trigger=f"{_M3}<tool_call>",
        group=((f"{_M3}<tool_call>\n",), "", (f"{_M3}</tool_call>",)),
        source=f"{_VLLM}parser/minimax_m3.py; XGrammar's structural tag for MiniMax M3",
    ),
    "gemma4": CallFormat(
        begin=(token("<|tool_call>"), "call:%s{"),
        end=("}", token("<tool_call|>")),
        between="",
        arguments=NestedArguments(
            argument=(("%s:",), ()),
            member=(("%s:",), ()),
            separator=",",
            objects=("{", "}"),
            arrays=("[", "]"),
            string=DelimitedString('<|"|>'),
            name="[a-zA-Z_][a-zA-Z0-9_-]*",
            is_sorted=True,
        ),
        trigger="<|tool_call>",
        names="[a-zA-Z0-9_.-]+",
        source=f"{_TEMPLATES}gemma4.jinja; {_VLLM}parser/gemma4.py",
    ),
    "cohere": CallFormat(
        begin=('    {"tool_call_id": "', NUMBER, '", "tool_name": "%s", "parameters": '),
        end=("}",),
        trigger="",
        group=((token("<|START_ACTION|>"), "[\n"), ",\n", ("\n]", token("<|END_ACTION|>"))),
        thoughts=Channel("thinking", (token("<|START_THINKING|>"),), (token("<|END_THINKING|>"),)),
        answer=Channel("response", (token("<|START_RESPONSE|>"),), (token("<|END_RESPONSE|>"),)),
        source=f"{_TEMPLATES}CohereForAI-c4ai-command-r7b-12-2024-tool_use.jinja; cohere-melody, which vLLM uses",
    ),
    "exaone4": CallFormat(
        begin=('<tool_call>{"name": "%s", "arguments": ',),
        end=("}</tool_call>",),
        trigger="<tool_call>",
        source="XGrammar's structural tag for EXAONE 4.0 (https://huggingface.co/LGAI-EXAONE/EXAONE-4.0-32B); read by "
        "vLLM's hermes tool parser",
    ),
    "granite3": CallFormat(
        begin=('{"name": "%s", "arguments": ',),
        end=("}",),
        trigger="<|tool_call|>",
        group=((token("<|tool_call|>"), "["), ", ", ("]",)),
        source="vLLM's granite tool parser",
    ),
    "phi4_mini": CallFormat(
        begin=('{"name": "%s", "arguments": ',),
        end=("}",),
        trigger="functools[",
        group=(("functools[",), ", ", ("]",)),
        source="vLLM's phi4_mini_json tool parser",
    ),
    "harmony": CallFormat(
        begin=(
            token("<|channel|>"),
            "commentary to=functions.%s ",
            token("<|constrain|>"),
            "json",
            token("<|message|>"),
        ),
        end=(token("<|call|>"),),
        trigger="",
        thoughts=Channel("analysis", (token("<|channel|>"), "analysis", token("<|message|>")), (token("<|end|>"),)),
        answer=Channel("final", (token("<|channel|>"), "final", token("<|message|>")), (token("<|return|>"),)),
        following=(token("<|start|>"), "assistant"),
        most=1,
        source="OpenAI harmony response format (https://cookbook.openai.com/articles/openai-harmony)",
    ),
}
