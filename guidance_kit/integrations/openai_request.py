"""Requests in the format of OpenAI's chat completions, as prompts, constraints, guides and options.

Plain dicts in, values of the library out; there is no server here. Fields that cannot be honoured, and unknown ones,
are refused with their paths.

Sources: OpenAI, API reference, Create chat completion; vLLM, documentation of structured outputs, for the fields
`structured_outputs`, `top_k`, `min_p` and `repetition_penalty`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from guidance_kit.decoding.options import GenerateOptions, Options
from guidance_kit.errors import ConstraintError, OptionError
from guidance_kit.grammars.choice import choice
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.grammar import grammar
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.grammars.regex import regex
from guidance_kit.grammars.structural_tag import structural_tag
from guidance_kit.grammars.tool_calls import tool_calls
from guidance_kit.grammars.tool_formats import TOOL_FORMATS, ToolFormat
from guidance_kit.guides.guide import Guide
from guidance_kit.guides.logit_bias import LogitBias
from guidance_kit.guides.penalties import Penalties
from guidance_kit.prompt import Conversation, is_conversation, read_prompt

if TYPE_CHECKING:
    from guidance_kit.model import Model

__all__ = ["ChatRequest", "read_chat_request", "structured_outputs"]

_READ = {
    "frequency_penalty", "logit_bias", "logprobs", "max_completion_tokens", "max_tokens", "messages", "min_p", "model",
    "n", "parallel_tool_calls", "presence_penalty", "repetition_penalty", "response_format", "seed", "stop", "stream",
    "stream_options", "structured_outputs", "temperature", "tool_choice", "tools", "top_k", "top_logprobs", "top_p",
}  # fmt: skip

_WITHOUT_EFFECT = {
    "metadata", "prompt_cache_key", "safety_identifier", "service_tier", "store", "user",
}  # fmt: skip
"""Fields about accounts, billing and storage, which change no text."""

_REFUSED = {
    "audio": "texts alone are generated",
    "functions": "use tools",
    "function_call": "use tool_choice",
    "modalities": "texts alone are generated",
    "prediction": "predicted outputs are not supported",
    "reasoning_effort": "a local model has its own template for that; write it into the messages",
    "verbosity": "a local model has no such setting",
    "web_search_options": "there is no search",
}
"""Fields of OpenAI that are not honoured, and why."""

_STRUCTURED = ("json", "regex", "choice", "grammar", "json_object", "structural_tag")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """Request for a chat completion, in terms of the library.

    Attributes:
        messages: conversation for `Model.generate`, or the chat template with `tools`.
        tools: descriptions of tools for the chat template, as given; empty for none.
        constraint: constraint of the answer; None without one.
        guides: logit bias and penalties.
        options: keyword arguments of `Model.generate`.
        n: number of answers.
        model: name of the model, which the response repeats.
        has_tool_calls: the value of an answer is a list of texts and `Tagged` calls.
        tool_names: names of the tools that may be called.
        has_logprobs: log-probabilities are asked for.
        is_stream: the answer is asked for in chunks.
        include_usage: a last chunk with the usage is asked for.
    """

    messages: Conversation
    tools: tuple[Mapping[str, Any], ...] = ()
    constraint: Constraint | None = None
    guides: tuple[Guide[Any], ...] = ()
    options: GenerateOptions = field(default_factory=lambda: cast(GenerateOptions, {}))
    n: int = 1
    model: str = ""
    has_tool_calls: bool = False
    tool_names: tuple[str, ...] = ()
    has_logprobs: bool = False
    is_stream: bool = False
    include_usage: bool = False

    def prompt(self, model: Model) -> list[int]:
        """Token ids of the conversation in the chat template of a model, with the descriptions of the tools.

        Raises:
            ModelError: there is no chat template, or it refuses the messages.
        """
        options = {"tools": [dict(tool) for tool in self.tools]} if self.tools else {}
        return model.language_model.chat(self.messages, **options)


def read_chat_request(body: Mapping[str, Any], *, tool_format: ToolFormat | None = None) -> ChatRequest:
    """Read the body of a request for a chat completion.

    Args:
        body: as of `POST /v1/chat/completions`. Fields that are null count as missing, as in OpenAI's API.
        tool_format: format in which the model writes calls of tools; needed for requests with `tools`.
    Raises:
        OptionError: an unknown field, one that is not honoured, or an invalid value; begins with its path.
        ConstraintError: as `json_schema` and others; a note has the path of the field.
    """
    if not isinstance(body, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise OptionError(f"the body of a request is an object, not {body!r}")
    given = {name: value for name, value in body.items() if value is not None}
    for name in given:
        if name in _REFUSED:
            raise OptionError(f"{name}: not supported; {_REFUSED[name]}")
        if name not in _READ | _WITHOUT_EFFECT:
            raise OptionError(f"{name}: {OptionError.unknown(name, _READ, 'field')}")
    messages = _messages(given)
    tools, names, calls = _tools(given, tool_format)
    answer = _answer(given)
    if calls is not None and answer is not None:
        raise OptionError(
            f"tools: a format of the answer ({answer[0]}) beside tools that may be called is not supported; set "
            'tool_choice to "none" for the answer'
        )
    has_logprobs = _boolean(given, "logprobs")
    if "top_logprobs" in given and not has_logprobs:
        raise OptionError("top_logprobs: needs logprobs")
    stream_options = _object(given, "stream_options", {"include_usage", "include_obfuscation"})
    is_stream = _boolean(given, "stream")
    if stream_options and not is_stream:
        raise OptionError("stream_options: needs stream")
    return ChatRequest(
        messages=messages,
        tools=tools,
        constraint=calls if answer is None else answer[1],
        guides=_guides(given),
        options=_options(given, has_logprobs),
        n=_integer(given, "n", 1, 128),
        model=str(given.get("model", "")),
        has_tool_calls=calls is not None,
        tool_names=names,
        has_logprobs=has_logprobs,
        is_stream=is_stream,
        include_usage=_boolean(stream_options, "include_usage", "stream_options."),
    )


def _messages(given: Mapping[str, Any]) -> Conversation:
    """Conversation of a request; text parts of a content are joined, the role "developer" is "system"."""
    if "messages" not in given:
        raise OptionError("messages: missing")
    try:
        found = read_prompt(given["messages"], "messages")
    except OptionError as error:
        raise OptionError(f"messages: {error}") from None
    if not is_conversation(found):
        raise OptionError('messages: a list of messages, [{"role": "user", "content": "..."}]')
    made: list[dict[str, Any]] = []
    for number, message in enumerate(found):
        written = dict(message)
        if written["role"] == "developer":
            written["role"] = "system"
        if isinstance(written.get("content"), list | tuple):
            written["content"] = "".join(
                _text_part(part, f"messages[{number}].content[{place}]")
                for place, part in enumerate(written["content"])
            )
        made.append(written)
    return made


def _text_part(part: object, path: str) -> str:
    kind = part.get("type") if isinstance(part, Mapping) else part
    if kind != "text" or not isinstance(text := cast("Mapping[str, Any]", part).get("text"), str):
        raise OptionError(f"{path}: {kind!r} is not supported; a model of texts takes parts of the type 'text'")
    return text


def _answer(given: Mapping[str, Any]) -> tuple[str, Constraint] | None:
    """Path of the field that constrains the answer, and the constraint; None without one."""
    found: dict[str, Constraint] = {}
    form = _object(given, "response_format", {"type", "json_schema"})
    if form and form.get("type") != "text":
        found["response_format"] = _response_format(form)
    found |= _structured_outputs(given)
    if len(found) > 1:
        raise OptionError(f"{' and '.join(found)} exclude each other")
    return next(iter(found.items()), None)


def structured_outputs(value: Mapping[str, Any]) -> Constraint:
    """Constraint of an object like vLLM's `structured_outputs`: one of json, regex, choice, grammar and others.

    Raises:
        OptionError: none of these fields or several, an unknown one, or an invalid value; begins with its path.
        ConstraintError: as `json_schema` and others; a note has the path of the field.
    """
    found = _structured_outputs({"structured_outputs": value})
    if not found:
        raise OptionError(f"structured_outputs: one of {', '.join(_STRUCTURED)} is needed")
    return next(iter(found.values()))


def _structured_outputs(given: Mapping[str, Any]) -> dict[str, Constraint]:
    """Constraint of the field `structured_outputs` by its path; empty without one."""
    structured = _object(given, "structured_outputs", set(_STRUCTURED))
    set_fields = [name for name in _STRUCTURED if structured.get(name) not in (None, False)]
    if len(set_fields) > 1:
        raise OptionError(f"structured_outputs: {' and '.join(set_fields)} exclude each other")
    paths = {name: f"structured_outputs.{name}" for name in set_fields}
    return {path: _made(path, name, structured[name]) for name, path in paths.items()}


def _response_format(form: Mapping[str, Any]) -> Constraint:
    """Constraint of `response_format`, other than text."""
    if form.get("type") == "json_object":
        return json_schema({"type": "object"})
    if form.get("type") != "json_schema":
        raise OptionError(f'response_format.type: "text", "json_object" or "json_schema", not {form.get("type")!r}')
    path = "response_format.json_schema"
    wrapped = _object(form, "json_schema", {"name", "description", "schema", "strict"}, "response_format.")
    if not isinstance(wrapped.get("name"), str):
        raise OptionError(f"{path}.name: a text is needed")
    _boolean(wrapped, "strict", f"{path}.")  # strict or not, the schema is enforced as it is
    return _made(f"{path}.schema", "json", wrapped.get("schema", {"type": "object"}))


def _made(path: str, kind: str, value: Any) -> Constraint:
    """Constraint of one kind of `structured_outputs`; errors have its path."""
    try:
        if kind == "json":
            return json_schema(value)
        if kind == "json_object":
            return json_schema({"type": "object"})
        if kind == "choice":
            return choice(value)
        if not isinstance(value, str | Mapping) or (kind != "structural_tag" and not isinstance(value, str)):
            raise OptionError(f"a text is needed, not {value!r}")
        if kind == "structural_tag":
            return structural_tag(cast(Any, value))
        return regex(cast(str, value)) if kind == "regex" else grammar(cast(str, value))
    except ConstraintError as error:
        error.add_note(f"in {path}")
        raise
    except OptionError as error:
        raise OptionError(f"{path}: {error}") from error


def _tools(
    given: Mapping[str, Any], tool_format: ToolFormat | None
) -> tuple[tuple[Mapping[str, Any], ...], tuple[str, ...], Constraint | None]:
    """Descriptions of the tools for the template, names of those to call, and the constraint of the calls."""
    tools = given.get("tools", [])
    if not isinstance(tools, Sequence) or isinstance(tools, str):
        raise OptionError(f"tools: a list of tools, not {tools!r}")
    described: dict[str, Mapping[str, Any]] = {}
    for number, tool in enumerate(cast("Sequence[Any]", tools)):
        path = f"tools[{number}]"
        if not isinstance(tool, Mapping) or tool.get("type") != "function":
            raise OptionError(f'{path}.type: "function" alone is supported')
        function = _object(tool, "function", {"name", "description", "parameters", "strict"}, f"{path}.")
        name = function.get("name")
        if not isinstance(name, str):
            raise OptionError(f"{path}.function.name: a text is needed")
        if name in described:
            raise OptionError(f"{path}.function.name: {name!r} has the name of another tool")
        described[name] = cast("Mapping[str, Any]", tool)
    wanted = given.get("tool_choice", "auto" if described else "none")
    is_parallel = _boolean(given, "parallel_tool_calls", default=True)
    if wanted == "none":
        return tuple(described.values()), (), None
    if not described:
        raise OptionError("tool_choice: there are no tools")
    names = list(described)
    if isinstance(wanted, Mapping) and wanted.get("type") == "allowed_tools":
        wanted, names = _allowed_tools(_object(given, "tool_choice", {"type", "allowed_tools"}), described)
    elif isinstance(wanted, Mapping):
        chosen = _object(given, "tool_choice", {"type", "function"})
        name = _object(chosen, "function", {"name"}, "tool_choice.").get("name")
        if chosen.get("type") != "function":
            raise OptionError(f'tool_choice.type: "function" or "allowed_tools", not {chosen.get("type")!r}')
        if name not in described:
            raise OptionError(f"tool_choice.function.name: {OptionError.unknown(str(name), described, 'tool')}")
        names = [cast(str, name)]
    elif wanted not in ("auto", "required"):
        raise OptionError(f'tool_choice: "none", "auto", "required", a function or allowed_tools, not {wanted!r}')
    if tool_format is None:
        raise OptionError(
            f"tools: the format of the model's calls is not known; tool_format is one of {[*TOOL_FORMATS]}"
        )
    is_named = isinstance(wanted, Mapping)
    has_one = is_named or not is_parallel or TOOL_FORMATS[tool_format].most == 1
    try:
        calls = tool_calls(
            [described[name] for name in names],
            tool_format,
            minimum=0 if wanted == "auto" else 1,
            maximum=1 if has_one else None,
            free_text=wanted == "auto",
        )
    except ConstraintError as error:
        error.add_note("in tools")
        raise
    return tuple(described.values()), tuple(names), calls


def _allowed_tools(chosen: Mapping[str, Any], described: Mapping[str, Any]) -> tuple[str, list[str]]:
    """Mode, and names of the tools that may be called, of a `tool_choice` of the type "allowed_tools"."""
    allowed = _object(chosen, "allowed_tools", {"mode", "tools"}, "tool_choice.")
    mode, tools = allowed.get("mode"), allowed.get("tools")
    if mode not in ("auto", "required"):
        raise OptionError(f'tool_choice.allowed_tools.mode: "auto" or "required", not {mode!r}')
    if not isinstance(tools, Sequence) or isinstance(tools, str) or not tools:
        raise OptionError(f"tool_choice.allowed_tools.tools: a list of tools, not {tools!r}")
    names: list[str] = []
    for number, tool in enumerate(cast("Sequence[Any]", tools)):
        path = f"tool_choice.allowed_tools.tools[{number}]"
        if not isinstance(tool, Mapping) or tool.get("type") != "function":
            raise OptionError(f'{path}.type: "function" alone is supported')
        name = _object(tool, "function", {"name"}, f"{path}.").get("name")
        if name not in described:
            raise OptionError(f"{path}.function.name: {OptionError.unknown(str(name), described, 'tool')}")
        names.append(cast(str, name))
    return mode, [name for name in described if name in names]


def _guides(given: Mapping[str, Any]) -> tuple[Guide[Any], ...]:
    """Logit bias and penalties of a request."""
    guides: list[Guide[Any]] = []
    if given.get("logit_bias"):
        try:
            guides.append(LogitBias.from_openai(given["logit_bias"]))
        except OptionError as error:
            raise OptionError(f"logit_bias: {error}") from None
    penalties: dict[str, float] = {}
    for name in ("presence_penalty", "frequency_penalty"):
        value = _number(given, name, -2, 2, 0.0)
        if value:
            penalties[name.removesuffix("_penalty")] = value
    repetition = _number(given, "repetition_penalty", 1e-6, 1e6, 1.0)
    if repetition != 1:
        penalties["repetition"] = repetition
    if penalties:
        guides.append(cast("Guide[Any]", Penalties(**penalties)))
    return tuple(guides)


def _options(given: Mapping[str, Any], has_logprobs: bool) -> GenerateOptions:
    """Options of generation of a request."""
    if "max_tokens" in given and "max_completion_tokens" in given:
        raise OptionError("max_tokens and max_completion_tokens exclude each other")
    limit = "max_completion_tokens" if "max_completion_tokens" in given else "max_tokens"
    options: dict[str, Any] = {
        "max_tokens": _integer(given, limit, 1) if limit in given else None,
        "temperature": _number(given, "temperature", 0, 2, 1.0),
    }
    for name in ("top_p", "top_k", "min_p", "seed", "stop"):
        if name in given and not (name == "top_k" and given[name] in (0, -1)):  # of vLLM: no truncation
            options[name] = given[name]
    if has_logprobs:
        options["logprobs"] = _integer(given, "top_logprobs", 0, 20) if "top_logprobs" in given else 0
    for name, value in options.items():
        try:
            Options.from_keywords({name: value})
        except OptionError as error:
            raise OptionError(f"{name}: {error}") from None
    return cast(GenerateOptions, options)


def _object(given: Mapping[str, Any], name: str, known: set[str], within: str = "") -> Mapping[str, Any]:
    """Object in a field, without its null fields; empty if it is missing."""
    value = given.get(name)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise OptionError(f"{within}{name}: an object, not {value!r}")
    for key in value:
        if key not in known:
            raise OptionError(f"{within}{name}.{key}: {OptionError.unknown(str(key), known, 'field')}")
    return {key: entry for key, entry in value.items() if entry is not None}


def _boolean(given: Mapping[str, Any], name: str, within: str = "", *, default: bool = False) -> bool:
    value = given.get(name, default)
    if not isinstance(value, bool):
        raise OptionError(f"{within}{name}: true or false, not {value!r}")
    return value


def _integer(given: Mapping[str, Any], name: str, least: int, most: int | None = None) -> int:
    """Integer in a field; its least value if it is missing."""
    value = given.get(name, least)
    if not isinstance(value, int) or isinstance(value, bool) or value < least or (most is not None and value > most):
        to = "" if most is None else f" and at most {most}"
        raise OptionError(f"{name}: an integer, at least {least}{to}, not {value!r}")
    return value


def _number(given: Mapping[str, Any], name: str, least: float, most: float, default: float) -> float:
    value = given.get(name, default)
    if not isinstance(value, int | float) or isinstance(value, bool) or not least <= value <= most:
        raise OptionError(f"{name}: a number from {least:g} to {most:g}, not {value!r}")
    return value
