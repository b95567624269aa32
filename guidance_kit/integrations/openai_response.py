"""Completions in the format of OpenAI's chat completions: whole responses, and chunks of a stream.

Source: OpenAI, API reference, The chat completion object, and The chat completion chunk object.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

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

    A call of a tool that was cut off is left out; the finish reason is then that of the text, as "length".

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

    Text comes as it is written, without what may be the beginning of a call; a call of a tool comes in one chunk, as
    soon as it is whole.

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
        self._written = 0
        self._calls = 0

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
        return list(self._deltas(*_content_and_calls(_certain(constraint.partial(self._text)))))

    def finish(self, completion: Completion) -> list[dict[str, Any]]:
        """Last chunks of an answer: what is left of it, and its finish reason with the log-probabilities."""
        pieces, reason = _pieces(self._request, completion)
        chunks = list(self._deltas(*_content_and_calls(pieces))) if self._request.has_tool_calls else []
        last = self._chunk({}, reason)
        if self._request.has_logprobs:
            last["choices"][0]["logprobs"] = _logprobs(completion)
        return [*chunks, last]

    def usage(self, completions: Sequence[Completion]) -> dict[str, Any]:
        """Chunk with the usage of all answers, the last of a stream with `include_usage`."""
        return {**self._frame(), "choices": [], "usage": _usage(completions)}

    def _deltas(self, content: str, calls: list[Tagged]) -> Iterator[dict[str, Any]]:
        """Chunks with what no earlier chunk had of the content and the calls so far."""
        if len(content) > self._written:
            yield self._chunk({"content": content[self._written :]})
            self._written = len(content)
        for number in range(self._calls, len(calls)):
            call = _call(calls[number], self._id, self._index, number)
            yield self._chunk({"tool_calls": [{"index": number, **call}]})
        self._calls = max(self._calls, len(calls))

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


def _message(request: ChatRequest, completion: Completion, id: str, index: int) -> tuple[dict[str, Any], str]:
    """Message of an answer, and its finish reason."""
    pieces, reason = _pieces(request, completion)
    content, calls = _content_and_calls(pieces)
    message: dict[str, Any] = {"role": "assistant", "content": content, "refusal": None}
    if calls:
        message["content"] = content or None
        message["tool_calls"] = [_call(one, id, index, number) for number, one in enumerate(calls)]
    return message, reason


def _pieces(request: ChatRequest, completion: Completion) -> tuple[Sequence[str | Tagged], str]:
    """Texts and calls of an answer, and its finish reason."""
    reason, constraint = _FINISH[completion.finish_reason], request.constraint
    if not request.has_tool_calls or constraint is None:
        return [completion.text], reason
    if completion.finish_reason not in ("complete", "budget"):
        return _certain(constraint.partial(completion.text)), reason
    pieces = constraint.parse(completion.text)
    return pieces, "tool_calls" if _content_and_calls(pieces)[1] else reason


def _certain(pieces: Sequence[str | Tagged]) -> Sequence[str | Tagged]:
    """Pieces of an unfinished text without a call at its end, which may go on."""
    is_open = bool(pieces) and isinstance(pieces[-1], Tagged) and not isinstance(pieces[-1].value, str)
    return pieces[:-1] if is_open else pieces


def _content_and_calls(pieces: Sequence[str | Tagged]) -> tuple[str, list[Tagged]]:
    """Texts, joined, and calls. Messages of channels are tagged with their names: of these, the answer is text."""
    content: list[str] = []
    calls: list[Tagged] = []
    for piece in pieces:
        if isinstance(piece, str):
            content.append(piece)
        elif not isinstance(piece.value, str):
            calls.append(piece)
        elif piece.name in _ANSWERS:
            content.append(piece.value)
    return "".join(content), calls


def _call(call: Tagged, id: str, index: int, number: int) -> dict[str, Any]:
    """A call of a tool; its arguments are JSON."""
    arguments = json.dumps(call.value, ensure_ascii=False)
    return {
        "id": f"call_{id.removeprefix('chatcmpl-')}_{index}_{number}",
        "type": "function",
        "function": {"name": call.name, "arguments": arguments},
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
