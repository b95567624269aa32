"""The example of a chat server, through the official client over ASGI: no socket is opened."""

from __future__ import annotations

import ast
import asyncio
import importlib.util
import json
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

import guidance_kit as gk

httpx = pytest.importorskip("httpx")
openai = pytest.importorskip("openai")
pytest.importorskip("fastapi")

TEMPLATE = (
    "{% for tool in tools or [] %}{{ tool['function']['name'] }} {% endfor %}"
    "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}Agent: "
)
WEATHER = {
    "type": "function",
    "function": {
        "name": "weather",
        "parameters": {
            "type": "object",
            "properties": {"city": {"enum": ["Oslo", "Rome"]}, "days": {"type": "integer", "minimum": 1, "maximum": 9}},
            "required": ["city", "days"],
            "additionalProperties": False,
        },
    },
}
ASKED: dict[str, Any] = {"model": "small", "messages": [{"role": "user", "content": "Hello"}]}


class Item(BaseModel):
    name: str
    count: int


@pytest.fixture(scope="module")
def model() -> gk.Model:
    loaded = gk.load("small-tuned")
    loaded.language_model.tokenizer.chat_template = TEMPLATE
    return loaded


def served(model: gk.Model, use: Callable[[Any], Awaitable[Any]]) -> Any:
    """Result of a coroutine with a client of the example's application."""
    path = Path(__file__).parents[1] / "examples" / "chat_server.py"
    spec = importlib.util.spec_from_file_location("chat_server", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    async def main() -> Any:
        app = module.make_app(model)
        transport = httpx.ASGITransport(app=app)
        async with app.router.lifespan_context(app), httpx.AsyncClient(transport=transport) as http:
            client = openai.AsyncOpenAI(base_url="http://test/v1", api_key="none", http_client=http, max_retries=0)
            return await use(client)

    return asyncio.run(main())


def test_concurrent_requests(model):
    async def use(client: Any) -> Any:
        texts = [client.chat.completions.create(**ASKED, seed=seed, max_tokens=12) for seed in range(4)]
        typed = client.chat.completions.parse(**ASKED, seed=9, max_tokens=200, temperature=0.5, response_format=Item)
        return await asyncio.gather(*texts, typed)

    *texts, typed = served(model, use)
    prompt = model.language_model.chat(ASKED["messages"])
    for seed, answer in enumerate(texts):
        alone = model.generate(prompt, seed=seed, max_tokens=12)
        assert answer.choices[0].message.content == alone.text
        assert answer.usage.completion_tokens == len(alone.tokens)
        assert answer.usage.prompt_tokens == len(prompt)
    if typed.choices[0].finish_reason == "stop":
        assert isinstance(typed.choices[0].message.parsed, Item)


def test_streams_are_assembled_by_the_client(model):
    asked = {**ASKED, "tools": [WEATHER], "tool_choice": "required", "parallel_tool_calls": False, "seed": 4}

    async def use(client: Any) -> Any:
        whole = await client.chat.completions.create(**asked)
        async with client.chat.completions.stream(**asked) as stream:
            async for _ in stream:
                pass
            return whole, await stream.get_final_completion()

    whole, assembled = served(model, use)
    ours, theirs = whole.choices[0], assembled.choices[0]
    assert ours.finish_reason == theirs.finish_reason == "tool_calls"
    calls = [(one.function.name, json.loads(one.function.arguments)) for one in ours.message.tool_calls]
    assert calls == [(one.function.name, json.loads(one.function.arguments)) for one in theirs.message.tool_calls]
    assert all(name == "weather" and set(arguments) == {"city", "days"} for name, arguments in calls)
    assert (ours.message.content or "") == (theirs.message.content or "")


def test_the_examples_of_the_page_run(model, capsys):
    """Top-level `await` is allowed, as in a notebook."""
    page = (Path(__file__).parents[1] / "docs" / "serving.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    body = {**ASKED, "max_tokens": 6, "tools": [WEATHER], "tool_choice": "none"}
    names: dict[str, Any] = {"Item": Item, "body": body}

    async def main() -> None:
        for block in blocks:
            code = compile(block, "docs/serving.md", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            running = eval(code, names)
            if running is not None:
                await running
            if "main" in names:
                await names.pop("main")()
            names["served"] = gk.AsyncModel(model)  # the page's own has ended

    asyncio.run(main())
    assert len(blocks) == 3
    assert names["response"]["choices"][0]["finish_reason"] == "length"
    assert capsys.readouterr().out.strip()


def test_errors_are_bad_requests(model):
    bad = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "strin"}}}

    async def use(client: Any) -> list[Any]:
        return await asyncio.gather(
            client.chat.completions.create(**ASKED, response_format=bad),
            client.chat.completions.create(**ASKED, response_format=bad, stream=True),
            client.chat.completions.create(**ASKED, extra_body={"temprature": 0}),
            client.chat.completions.create(**ASKED, seed=0, max_tokens=4),
            return_exceptions=True,
        )

    schema, streamed, unknown, good = served(model, use)
    for error in (schema, streamed):
        assert isinstance(error, openai.BadRequestError)
        assert "(at /type)" in str(error)
        assert "in response_format.json_schema.schema" in str(error)
    assert "temprature: unknown field" in str(unknown)
    assert good.choices[0].finish_reason == "length"
