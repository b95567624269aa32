"""A chat server in the format of OpenAI's API, with FastAPI: concurrent requests share one batch of the model.

    pip install fastapi uvicorn
    uvicorn --factory examples.chat_server:make_app

It has one route and no keys, and is an example of the parts: `AsyncModel`, `read_chat_request` and `ChatChunks`.
"""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, StreamingResponse

import guidance_kit as gk
from guidance_kit.grammars.tool_formats import ToolFormat
from guidance_kit.integrations.openai_request import ChatRequest, read_chat_request
from guidance_kit.integrations.openai_response import ChatChunks, chat_response


def make_app(model: gk.Model | None = None, tool_format: ToolFormat = "hermes") -> FastAPI:
    """Application for a model; by default the bundled chat model."""
    served = gk.AsyncModel(model or gk.load("small-tuned"), max_rows=32, max_calls=256)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with served:
            yield

    app = FastAPI(lifespan=lifespan)

    @app.exception_handler(gk.GuidanceKitError)
    async def refuse(request: Request, error: gk.GuidanceKitError) -> JSONResponse:
        message = "\n".join([str(error), *getattr(error, "__notes__", [])])
        kind = "invalid_request_error" if isinstance(error, gk.OptionError | gk.ConstraintError) else "server_error"
        status = 400 if isinstance(error, gk.OptionError | gk.ConstraintError | gk.ContextLengthError) else 500
        return JSONResponse({"error": {"message": message, "type": kind, "param": None, "code": None}}, status)

    @app.post("/v1/chat/completions", response_model=None)
    async def complete(body: dict[str, Any]) -> dict[str, Any] | JSONResponse | StreamingResponse:
        if served.is_full:
            return JSONResponse({"error": {"message": "busy", "type": "rate_limit_error"}}, 429)
        request = read_chat_request(body, tool_format=tool_format)
        id, created = f"chatcmpl-{uuid.uuid4().hex}", int(time.time())
        prompt = request.prompt(served.model)
        if request.is_stream:
            streams = [
                served.stream(prompt, request.constraint, guides=request.guides, **options)
                for options in _options_of_each(request)
            ]
            first = await asyncio.gather(*(anext(stream, "") for stream in streams))  # errors come before the headers
            events = _events(request, streams, list(first), id, created)
            return StreamingResponse(events, media_type="text/event-stream")
        options = request.options
        answers = await served.generate(prompt, request.constraint, n=request.n, guides=request.guides, **options)
        return chat_response(request, answers, id=id, created=created)

    return app


def _options_of_each(request: ChatRequest) -> list[dict[str, Any]]:
    """Options of each of `n` streams, with seeds of their own."""
    seed = request.options.get("seed")
    options = [dict(request.options) for _ in range(request.n)]
    for number, one in enumerate(options):
        one["seed"] = None if seed is None else seed + number
    return options


async def _events(
    request: ChatRequest, streams: list[gk.AsyncStream], first: list[str], id: str, created: int
) -> AsyncIterator[str]:
    """Events of the answers, one answer after the other."""
    for index, (stream, piece) in enumerate(zip(streams, first, strict=True)):
        chunks = ChatChunks(request, id=id, created=created, index=index)
        yield _event(chunks.start())
        for chunk in chunks.take(piece):
            yield _event(chunk)
        async for piece in stream:
            for chunk in chunks.take(piece):
                yield _event(chunk)
        for chunk in chunks.finish(stream.completion):
            yield _event(chunk)
        if request.include_usage and index == len(streams) - 1:
            yield _event(chunks.usage([one.completion for one in streams]))
    yield "data: [DONE]\n\n"


def _event(chunk: dict[str, Any]) -> str:
    return f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n"
