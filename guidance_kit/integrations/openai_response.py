"""Completions in the format of OpenAI's chat completions: whole responses, and chunks of a stream.

Source: OpenAI, API reference, The chat completion object, and The chat completion chunk object.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from guidance_kit.decoding.completion import Completion, TokenLogprob
from guidance_kit.errors import ModelError
from guidance_kit.grammars.tagged import Tagged
from guidance_kit.grammars.tool_formats import TOOL_FORMATS
from guidance_kit.vocabulary import Vocabulary

if TYPE_CHECKING:
    from guidance_kit.integrations.openai_request import ChatRequest

__all__ = ["ChatChunks", "chat_response"]

_FINISH = {"complete": "stop", "budget": "stop", "stop": "stop", "length": "length", "field": "length"}
"""Finish reasons of OpenAI; that of an answer with whole calls of tools is "tool_calls"."""


def chat_response(
    request: ChatRequest, completions: Completion | Sequence[Completion], *, id: str, created: int
) -> dict[str, Any]:
    """Response to a request for a chat completion.

    A call of a tool that was cut off has the certain part of its arguments, which is no JSON; the finish reason is then
    that of the text, as "length". Thoughts of formats with channels are in `reasoning_content`.

    Args:
        request: the request.
        completions: `request.n` completions; or one.
        id: identifier of the response.
        created: time of the response, in seconds since 1970.
    Returns:
        A body of the type `chat.completion`.
    """
    several = [completions] if isinstance(completions, Completion) else list(completions)
    return {
        "id": id,
        "object": "chat.completion",
        "created": created,
        "model": request.model,
        "choices": [_choice(request, one, index, id) for index, one in enumerate(several)],
        "usage": _usage(several),
    }


_ANSWERS = {form.answer.name for form in TOOL_FORMATS.values() if form.answer is not None}
"""Channels of answers."""


class ChatChunks:
    """Chunks of a streamed chat completion.

    Text comes as it is written, without what may be the beginning of a call. Of a call of a tool the first chunk has
    the name, and each further one what has become certain of its arguments, as JSON.

    Args:
        request: the request.
        id, created: as in `chat_response`.
        index: number of the answer among `n`.
    """

    def __init__(self, request: ChatRequest, *, id: str, created: int, index: int = 0) -> None:
        self._request = request
        self._id = id
        self._created = created
        self._index = index
        self._text = ""
        self._sent = ChatAnswer("", "", ())

    def start(self) -> dict[str, Any]:
        """First chunk, with the role."""
        return self._chunk({"role": "assistant", "content": None if self._request.has_tool_calls else ""})

    def take(self, piece: str) -> list[dict[str, Any]]:
        """Chunks of a piece of the text; none, one or several."""
        self._text += piece
        if not self._request.has_tool_calls:
            return [self._chunk({"content": piece})] if piece else []
        constraint = self._request.constraint
        assert constraint is not None
        return list(self._deltas(_message_of(constraint.partial(self._text), is_whole=False)))

    def finish(self, completion: Completion) -> list[dict[str, Any]]:
        """Last chunks of an answer: what is left of it, and its finish reason with the log-probabilities."""
        message, reason = _message_and_reason(self._request, completion)
        chunks = list(self._deltas(message)) if self._request.has_tool_calls else []
        last = self._chunk({}, reason)
        if self._request.has_logprobs:
            last["choices"][0]["logprobs"] = _logprobs(completion)
        return [*chunks, last]

    def usage(self, completions: Sequence[Completion]) -> dict[str, Any]:
        """Chunk with the usage of all answers, the last of a stream with `include_usage`."""
        return {**self._frame(), "choices": [], "usage": _usage(completions)}

    def _deltas(self, message: ChatAnswer) -> Iterator[dict[str, Any]]:
        """Chunks with what no earlier chunk had of a message."""
        sent, self._sent = self._sent, message
        for name, before, now in (
            ("reasoning_content", sent.thoughts, message.thoughts),
            ("content", sent.content, message.content),
        ):
            if len(now) > len(before):
                yield self._chunk({name: now[len(before) :]})
        for number, call in enumerate(message.calls):
            before = ""
            if number < len(sent.calls):
                before = sent.calls[number].arguments
            else:
                begun = {**_call(ToolCall(call.name, ""), self._id, self._index, number)}
                yield self._chunk({"tool_calls": [{"index": number, **begun}]})
            if len(call.arguments) > len(before):
                more = {"arguments": call.arguments[len(before) :]}
                yield self._chunk({"tool_calls": [{"index": number, "function": more}]})

    def _chunk(self, delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        choice: dict[str, Any] = {"index": self._index, "delta": delta, "logprobs": None, "finish_reason": reason}
        return {**self._frame(), "choices": [choice]}

    def _frame(self) -> dict[str, Any]:
        return {
            "id": self._id,
            "object": "chat.completion.chunk",
            "created": self._created,
            "model": self._request.model,
        }


def _choice(request: ChatRequest, completion: Completion, index: int, id: str) -> dict[str, Any]:
    message, reason = _message(request, completion, id, index)
    logprobs = _logprobs(completion) if request.has_logprobs else None
    return {"index": index, "message": message, "logprobs": logprobs, "finish_reason": reason}


@dataclass(frozen=True, slots=True)
class ToolCall:
    """Call of a tool; its arguments are JSON, or a prefix of it."""

    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """Answer in the terms of OpenAI's API.

    Attributes:
        thoughts: thoughts in channels of their own, joined.
        content: texts, joined.
        calls: calls of tools.
    """

    thoughts: str
    content: str
    calls: tuple[ToolCall, ...]


def _message(request: ChatRequest, completion: Completion, id: str, index: int) -> tuple[dict[str, Any], str]:
    """Message of an answer, and its finish reason."""
    found, reason = _message_and_reason(request, completion)
    message: dict[str, Any] = {"role": "assistant", "content": found.content, "refusal": None}
    if found.thoughts:
        message["reasoning_content"] = found.thoughts
    if found.calls:
        message["content"] = found.content or None
        message["tool_calls"] = [_call(one, id, index, number) for number, one in enumerate(found.calls)]
    return message, reason


def _message_and_reason(request: ChatRequest, completion: Completion) -> tuple[ChatAnswer, str]:
    """Answer, and its finish reason."""
    reason, constraint = _FINISH[completion.finish_reason], request.constraint
    if not request.has_tool_calls or constraint is None:
        return ChatAnswer("", completion.text, ()), reason
    if completion.finish_reason not in ("complete", "budget"):
        return _message_of(constraint.partial(completion.text), is_whole=False), reason
    found = _message_of(constraint.parse(completion.text), is_whole=True)
    return found, "tool_calls" if found.calls else reason


def _message_of(pieces: Sequence[str | Tagged], *, is_whole: bool) -> ChatAnswer:
    """Answer of pieces. Messages of channels are tagged with their names: of these, the answer is text.

    Args:
        is_whole: whether the text ends here; else the arguments of a last call may go on.
    """
    thoughts: list[str] = []
    content: list[str] = []
    calls: list[ToolCall] = []
    for place, piece in enumerate(pieces):
        if isinstance(piece, str):
            content.append(piece)
        elif isinstance(piece.value, str):
            (content if piece.name in _ANSWERS else thoughts).append(piece.value)
        elif is_whole or place < len(pieces) - 1:
            calls.append(ToolCall(piece.name, json.dumps(piece.value, ensure_ascii=False)))
        else:
            calls.append(ToolCall(piece.name, open_json(piece.value)))
    return ChatAnswer("".join(thoughts), "".join(content), tuple(calls))


def open_json(value: Any) -> str:
    """Longest common prefix of the JSON of all continuations of a partial value; see `Constraint.partial`.

    >>> open_json({"city": "Oslo", "days": [1, 2]})
    '{"city": "Oslo", "days": [1, 2'
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)[:-1]
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        keys = [*members]
        written = [f"{json.dumps(key, ensure_ascii=False)}: {_closed(members[key])}" for key in keys[:-1]]
        if keys:
            written.append(f"{json.dumps(keys[-1], ensure_ascii=False)}: {_open_member(members[keys[-1]])}")
        return "{" + ", ".join(written)
    if isinstance(value, list):
        items = cast("list[Any]", value)
        return "[" + ", ".join([*map(_closed, items[:-1]), *map(_open_member, items[-1:])])
    return json.dumps(value)


def _closed(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _open_member(value: Any) -> str:
    """Prefix of a member, which is there and therefore null if it is None."""
    return "null" if value is None else open_json(value)


def _call(call: ToolCall, id: str, index: int, number: int) -> dict[str, Any]:
    """A call of a tool."""
    return {
        "id": f"call_{id.removeprefix('chatcmpl-')}_{index}_{number}",
        "type": "function",
        "function": {"name": call.name, "arguments": call.arguments},
    }


def _usage(completions: Sequence[Completion]) -> dict[str, int]:
    """Numbers of tokens; the prompt, which is read once, counts once."""
    prompt = completions[0].prompt_tokens if completions else 0
    written = sum(len(one.tokens) for one in completions)
    return {"prompt_tokens": prompt, "completion_tokens": written, "total_tokens": prompt + written}


def _logprobs(completion: Completion) -> dict[str, Any]:
    """Log-probabilities of an answer: of its tokens with steering and constraint, of alternatives under the model."""
    if completion.logprobs is None or completion.vocabulary is None:
        raise ModelError("the completion was generated without log-probabilities, which the request asks for")
    vocabulary = completion.vocabulary
    return {"content": [_token(one, vocabulary) for one in completion.logprobs], "refusal": None}


def _token(record: TokenLogprob, vocabulary: Vocabulary) -> dict[str, Any]:
    top = [{**_shown(one.token, vocabulary), "logprob": _finite(one.logprob)} for one in record.top]
    return {**_shown(record.token, vocabulary), "logprob": _finite(record.guided_logprob), "top_logprobs": top}


def _shown(token: int, vocabulary: Vocabulary) -> dict[str, Any]:
    """Text and bytes of a token; special tokens have their names."""
    written = vocabulary.shown(token)
    return {"token": written.decode(errors="replace"), "bytes": list(written)}


def _finite(logprob: float) -> float:
    """JSON has no infinity; -9999 stands for it, as in OpenAI's API."""
    return max(logprob, -9999.0)
