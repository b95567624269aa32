"""OpenAI's conventions: request bodies as calls of the library, completions as response bodies."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from marks import slow

import guidance_kit as gk
from guidance_kit.decoding.completion import Completion
from guidance_kit.integrations.openai_request import ChatRequest, read_chat_request
from guidance_kit.integrations.openai_response import ChatChunks, chat_response

chat = pytest.importorskip("openai.types.chat", reason="needs the openai client")

MESSAGES = [{"role": "user", "content": "Hello"}]
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": False}


def tool(name: str, **extra: Any) -> dict[str, Any]:
    """Description of a tool with one argument."""
    schema = {**SCHEMA, "properties": {"a": {"enum": [1, 2, "x"]}}}
    return {"type": "function", "function": {"name": name, "parameters": schema, **extra}}


def allowed(mode: str, *names: str) -> dict[str, Any]:
    """A choice among some of the tools."""
    tools = [{"type": "function", "function": {"name": name}} for name in names]
    return {"type": "allowed_tools", "allowed_tools": {"mode": mode, "tools": tools}}


def call(name: str, value: Any = 1) -> str:
    """A call in the format of hermes."""
    return f'<tool_call>\n{{"name": "{name}", "arguments": {{"a": {json.dumps(value)}}}}}\n</tool_call>'


def read(**fields: Any) -> ChatRequest:
    """Request with these fields."""
    return read_chat_request({"model": "m", "messages": MESSAGES, **fields}, tool_format="hermes")


def matches(constraint: gk.Constraint | None, text: str) -> bool:
    """Test for a text of a constraint."""
    assert constraint is not None
    try:
        constraint.parse(text)
    except gk.MatchError:
        return False
    return True


def form(schema: Any, **extra: Any) -> dict[str, Any]:
    """`response_format` with a schema."""
    return {"type": "json_schema", "json_schema": {"name": "x", "schema": schema, **extra}}


FORMATS: list[tuple[dict[str, Any], list[str], list[str]]] = [
    ({"response_format": form(SCHEMA, strict=True)}, ['{"a": 1}'], ["{}", '{"a": "x"}', "1"]),
    ({"response_format": form(SCHEMA, strict=False)}, ['{"a": 1}'], ["{}"]),
    ({"response_format": {"type": "json_object"}}, ["{}", '{"b": [1]}'], ["[]", "1"]),
    ({"structured_outputs": {"json": SCHEMA}}, ['{"a": 1}'], ["{}"]),
    ({"structured_outputs": {"json": json.dumps(SCHEMA)}}, ['{"a": 1}'], ["{}"]),
    ({"structured_outputs": {"regex": "[ab]+"}}, ["ab"], ["", "c"]),
    ({"structured_outputs": {"choice": ["yes", "no"]}}, ["no"], ["maybe"]),
    ({"structured_outputs": {"grammar": 'root ::= "x" [0-9]'}}, ["x1"], ["x"]),
    ({"structured_outputs": {"json_object": True}}, ["{}"], ["[]"]),
    ({"structured_outputs": {"structural_tag": {"type": "structural_tag", "format": {
        "type": "const_string", "value": "yes"}}}}, ["yes"], ["no"]),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "accepted", "rejected"), FORMATS)
def test_formats_of_the_answer(fields, accepted, rejected):
    constraint = read(**fields).constraint
    for text in accepted:
        assert matches(constraint, text), text
    for text in rejected:
        assert not matches(constraint, text), text


def test_no_constraint():
    for fields in ({}, {"response_format": {"type": "text"}}, {"tools": [tool("f")], "tool_choice": "none"}):
        assert read(**fields).constraint is None
    assert read(tools=[tool("f")], tool_choice="none").tools == (tool("f"),)
    both = read(tools=[tool("f")], tool_choice="none", response_format=form(SCHEMA))
    assert matches(both.constraint, '{"a": 3}')


TOOLS: list[tuple[dict[str, Any], list[str], list[str]]] = [
    ({}, ["Hi", call("f"), f"Hi {call('f')} and {call('g', 'x')}"], [call("h"), call("f", 3)]),
    ({"tool_choice": "auto", "parallel_tool_calls": False}, ["Hi", call("f")], [call("f") + call("g")]),
    ({"tool_choice": "required"}, [call("g"), f"{call('f')}\n{call('g')}"], ["Hi", f"Hi {call('f')}"]),
    ({"tool_choice": "required", "parallel_tool_calls": False}, [call("g")], [f"{call('f')}\n{call('g')}", ""]),
    ({"tool_choice": {"type": "function", "function": {"name": "g"}}}, [call("g", 2)], [call("f"), "Hi"]),
    ({"tool_choice": allowed("auto", "g")}, ["Hi", call("g"), f"{call('g')}\n{call('g')}"], [call("f")]),
    ({"tool_choice": allowed("required", "g", "f")}, [call("f"), call("g")], ["Hi"]),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "accepted", "rejected"), TOOLS)
def test_tools(fields, accepted, rejected):
    request = read(tools=[tool("f", strict=True), tool("g")], **fields)
    assert request.has_tool_calls
    for text in accepted:
        assert matches(request.constraint, text), text
    for text in rejected:
        assert not matches(request.constraint, text), text


def test_options_and_guides():
    request = read(
        temperature=0.5, top_p=0.9, top_k=-1, min_p=0.1, max_completion_tokens=7, stop=["a", "b"], seed=3, n=2,
        logprobs=True, top_logprobs=4, logit_bias={"5": -100}, presence_penalty=1, frequency_penalty=-0.5,
        repetition_penalty=1.2, user="someone", stream=True, stream_options={"include_usage": True},
        tools=None, response_format=None,
    )  # fmt: skip
    assert request.options == {
        "temperature": 0.5, "top_p": 0.9, "min_p": 0.1, "max_tokens": 7, "stop": ["a", "b"], "seed": 3, "logprobs": 4,
    }  # fmt: skip
    bias, penalties = request.guides
    assert isinstance(bias, gk.LogitBias)
    assert bias.biases == {(5,): -100.0}
    assert penalties == gk.Penalties(presence=1, frequency=-0.5, repetition=1.2)
    assert (request.n, request.is_stream, request.include_usage, request.has_logprobs) == (2, True, True, True)
    assert read().options == {"temperature": 1.0, "max_tokens": None}
    assert read(max_tokens=3).options["max_tokens"] == 3


def test_messages():
    parts = [{"type": "text", "text": "He"}, {"type": "text", "text": "llo"}]
    messages = [{"role": "developer", "content": "Be brief"}, {"role": "user", "content": parts}]
    found = read_chat_request({"messages": messages}).messages
    assert found == [{"role": "system", "content": "Be brief"}, {"role": "user", "content": "Hello"}]
    answered = [{"role": "assistant", "content": None, "tool_calls": []}, {"role": "tool", "content": "1"}]
    assert read_chat_request({"messages": answered}).messages == answered


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"temprature": 1}, "temprature: unknown field 'temprature'; did you mean 'temperature'?"),
    ({"guided_json": {}}, "guided_json: unknown field"),
    ({"functions": []}, "functions: not supported; use tools"),
    ({"audio": {}}, "audio: not supported"),
    ({"reasoning_effort": "low"}, "reasoning_effort: not supported"),
    ({"temperature": 3}, "temperature: a number from 0 to 2"),
    ({"top_p": 0}, "top_p: "),
    ({"stop": [""]}, "stop: "),
    ({"seed": -1}, "seed: "),
    ({"n": 0}, "n: an integer, at least 1"),
    ({"n": True}, "n: an integer, at least 1"),
    ({"max_tokens": 0}, "max_tokens: "),
    ({"max_tokens": 5, "max_completion_tokens": 5}, "exclude each other"),
    ({"top_logprobs": 3}, "top_logprobs: needs logprobs"),
    ({"logprobs": True, "top_logprobs": 21}, "top_logprobs: an integer, at least 0 and at most 20"),
    ({"logit_bias": {"x": 1}}, "logit_bias: "),
    ({"logit_bias": {"1": 101}}, "logit_bias: "),
    ({"stream_options": {"include_usage": True}}, "stream_options: needs stream"),
    ({"response_format": {"type": "xml"}}, "response_format.type: "),
    ({"response_format": {"type": "json_schema"}}, "response_format.json_schema.name: "),
    ({"response_format": form(SCHEMA, strikt=True)}, "response_format.json_schema.strikt: unknown field"),
    ({"structured_outputs": {"regex": "a", "choice": ["b"]}}, "regex and choice exclude each other"),
    ({"structured_outputs": {"regex": 5}}, "structured_outputs.regex: a text is needed"),
    ({"structured_outputs": {"whitespace_pattern": " "}}, "structured_outputs.whitespace_pattern: unknown field"),
    ({"structured_outputs": {"regex": "a"}, "response_format": form(SCHEMA)}, "exclude each other"),
    ({"tools": [{"type": "custom"}]}, 'tools[0].type: "function" alone'),
    ({"tools": [tool("f"), tool("f")]}, "tools[1].function.name: 'f' has the name of another tool"),
    ({"tools": [tool("f", extra=1)]}, "tools[0].function.extra: unknown field"),
    ({"tool_choice": "required"}, "tool_choice: there are no tools"),
    ({"tools": [tool("f")], "tool_choice": "any"}, "tool_choice: "),
    ({"tools": [tool("find")], "tool_choice": allowed("auto", "fin")}, "mean 'find'?"),
    ({"tools": [tool("f")], "tool_choice": allowed("any", "f")}, "tool_choice.allowed_tools.mode: "),
    ({"tools": [tool("f")], "tool_choice": allowed("auto")}, "tool_choice.allowed_tools.tools: a list"),
    ({"tools": [tool("find")], "tool_choice": {"type": "function", "function": {"name": "fin"}}}, "mean 'find'?"),
    ({"tools": [tool("f")], "response_format": form(SCHEMA)}, "tools: a format of the answer (response_format)"),
    ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, "messages[0].content[0]: 'image_url'"),
    ({"messages": "Hello"}, "messages: a list of messages"),
    ({"messages": []}, "messages: "),
]  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "message"), REFUSED, ids=lambda value: None if isinstance(value, str) else str(value)
)
def test_refusals_name_the_field(fields, message):
    with pytest.raises(gk.OptionError) as caught:
        read(**fields)
    assert message in str(caught.value)


def test_tools_need_a_format():
    with pytest.raises(gk.OptionError, match="tool_format is one of"):
        read_chat_request({"messages": MESSAGES, "tools": [tool("f")]})


@pytest.mark.parametrize(
    ("fields", "kind", "note"),
    [
        ({"response_format": form({"type": "strin"})}, gk.SchemaError, "in response_format.json_schema.schema"),
        ({"structured_outputs": {"regex": "("}}, gk.PatternError, "in structured_outputs.regex"),
        ({"tools": [tool("f", parameters={"type": "x"})]}, gk.SchemaError, "in tools"),
    ],
)
def test_errors_of_constraints_have_the_path(fields, kind, note):
    with pytest.raises(kind) as caught:
        read(**fields)
    assert note in caught.value.__notes__


def completion(text: str, reason: Any = "complete") -> Completion:
    return Completion(text=text, tokens=(1, 2, 3), finish_reason=reason, prompt_tokens=4, seed=0)


ONE, X = '{"a": 1}', '{"a": "x"}'

ANSWERS: list[tuple[str, Any, str | None, list[Any], str]] = [
    ("Hi", "complete", "Hi", [], "stop"),
    ("Hi", "stop", "Hi", [], "stop"),
    ("Hi", "length", "Hi", [], "length"),
    (call("f"), "complete", None, [("f", ONE)], "tool_calls"),
    (f"Hi {call('f')} or {call('g', 'x')}", "budget", "Hi  or ", [("f", ONE), ("g", X)], "tool_calls"),
    (f"Hi {call('f')} or {call('g', 2)[:-4]}", "length", "Hi  or ", [("f", ONE), ("g", '{"a": 2')], "length"),
    (f"Hi {call('f')}\n{call('g', 'x')[:-16]}", "length", "Hi \n", [("f", ONE), ("g", '{"a": "x')], "length"),
    (f"Hi {call('f')[:39]}", "length", "Hi ", [("f", "")], "length"),
    ("Hi <tool_c", "length", "Hi ", [], "length"),
]


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize(("text", "reason", "content", "calls", "finish"), ANSWERS)
def test_answers_whole_and_streamed(text, reason, content, calls, finish, size):
    """The official client's types accept both, and its stream state assembles the chunks to the whole response."""
    request = read(tools=[tool("f"), tool("g")])
    answer = completion(text, reason)
    body = json.loads(json.dumps(chat_response(request, answer, id="chatcmpl-1", created=5)))
    whole = chat.ChatCompletion.model_validate(body, strict=True)
    for found in (whole, assembled(request, answer, size)):
        message = found.choices[0].message
        assert (message.content or None) == content
        assert [(one.function.name, one.function.arguments) for one in message.tool_calls or []] == calls
        assert len({one.id for one in message.tool_calls or []}) == len(calls)
        assert found.choices[0].finish_reason == finish
        assert (found.usage.prompt_tokens, found.usage.completion_tokens, found.usage.total_tokens) == (4, 3, 7)
        assert found.model == "m"


def assembled(request: ChatRequest, answer: Completion, size: int) -> Any:
    """Answer that the official client assembles from chunks, for pieces of a size."""
    from openai.lib.streaming.chat import ChatCompletionStreamState

    chunks = ChatChunks(request, id="chatcmpl-1", created=5)
    made = [chunks.start()]
    for first in range(0, len(answer.text), size):
        made += chunks.take(answer.text[first : first + size])
    made += [*chunks.finish(answer), chunks.usage([answer])]
    state = ChatCompletionStreamState()
    for one in made:
        state.handle_chunk(chat.ChatCompletionChunk.model_validate(json.loads(json.dumps(one)), strict=True))
    return state.current_completion_snapshot


def test_arguments_are_streamed_as_they_are_written():
    """The first chunk of a call has its name, and the arguments follow in several."""
    request = read(tools=[tool("f"), tool("g")])
    chunks = ChatChunks(request, id="chatcmpl-1", created=5)
    deltas = [one for character in call("f", "x") for one in chunks.take(character)]
    calls = [one["choices"][0]["delta"]["tool_calls"][0] for one in deltas]
    assert [one["function"].get("name") for one in calls] == ["f"] + [None] * (len(calls) - 1)
    assert [one["function"]["arguments"] for one in calls] == ["", "{", '"a": "', "x"]


NESTED_TOOL = {
    "type": "function",
    "function": {
        "name": "order",
        "parameters": {
            "type": "object",
            "properties": {
                "items": {"type": "array", "items": {"type": "object", "properties": {
                        "count": {"type": "integer"}, "gift": {"type": ["boolean", "null"]}, "sku": {"type": "string"},
                }, "required": ["sku"], "additionalProperties": False}},
                "note": {"type": "string"},
            },
            "required": ["note", "items"],
            "additionalProperties": False,
        },
    },
}  # fmt: skip


@pytest.mark.parametrize("style", ["gemma4", *slow("hermes", "harmony", "deepseek_v4", "kimi_k3", "cohere")])
def test_streamed_arguments_add_up_in_every_notation(style):
    items = [{"count": 12, "sku": ""}, {"gift": None, "sku": "ü"}, {"gift": True, "sku": "x"}]
    value = {"items": items, "note": 'a "b"\n'}  # sorted, as Gemma writes them
    request = read_chat_request({"messages": MESSAGES, "tools": [NESTED_TOOL]}, tool_format=style)
    assert request.constraint is not None
    pieces: list[Any] = [gk.Tagged("order", value)]
    name = {"harmony": "analysis", "cohere": "thinking"}.get(style)
    if name:
        pieces.insert(0, gk.Tagged(name, "Hm."))
    answer = completion(request.constraint.write(pieces))
    message = chat_response(request, answer, id="chatcmpl-1", created=5)["choices"][0]["message"]
    assert message.get("reasoning_content") == ("Hm." if name else None)
    for size in (1, 7):
        found = assembled(request, answer, size).choices[0].message
        assert [one.function.arguments for one in found.tool_calls] == [json.dumps(value, ensure_ascii=False)]
        assert getattr(found, "reasoning_content", None) == message.get("reasoning_content")


def test_several_answers_and_log_probabilities():
    model = gk.load()
    request = read(logprobs=True, top_logprobs=2, n=2, seed=1, max_tokens=5, logit_bias={"7": -100})
    answers = model.generate("Dear ", n=request.n, guides=request.guides, **request.options)
    response = chat.ChatCompletion.model_validate(chat_response(request, answers, id="x", created=1), strict=True)
    assert [one.index for one in response.choices] == [0, 1]
    for ours, theirs in zip(answers, response.choices, strict=True):
        assert theirs.message.content == ours.text
        assert len(theirs.logprobs.content) == len(ours.tokens)
        for record, token in zip(ours.logprobs, theirs.logprobs.content, strict=True):
            assert math.isclose(token.logprob, record.guided_logprob)
            assert len(token.top_logprobs) == 2
            assert bytes(token.bytes) == model.vocabulary.shown(record.token)
    chunk = ChatChunks(request, id="x", created=1).finish(answers[0])[-1]
    streamed = chat.ChatCompletionChunk.model_validate(chunk, strict=True).choices[0]
    assert len(streamed.logprobs.content) == len(answers[0].tokens)
    with pytest.raises(gk.ModelError, match="without log-probabilities"):
        chat_response(request, completion("x"), id="x", created=1)
