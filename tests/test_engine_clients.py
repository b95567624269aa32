"""Clients of others against `vllm serve` with our backend: the openai client, instructor and pydantic-ai.

Needs vLLM 0.32, instructor and pydantic-ai; `make test-engines`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any, Literal

import pytest
from engine_models import write_model
from engine_servers import serving
from pydantic import BaseModel, Field

pytestmark = [pytest.mark.engines, pytest.mark.timeout(900)]

pytest.importorskip("vllm", reason="needs vLLM: make test-engines")

import instructor  # noqa: E402
import openai  # noqa: E402
from pydantic_ai import Agent, NativeOutput  # noqa: E402
from pydantic_ai.models.openai import OpenAIChatModel  # noqa: E402
from pydantic_ai.providers.openai import OpenAIProvider  # noqa: E402

OPTIONS = {"GUIDANCE_KIT_VLLM": '{"whitespace": "compact"}'}


class Person(BaseModel):
    """A person; a random model writes nothing else, as the schema is enforced."""

    name: Literal["Ada", "Grace"]
    age: int = Field(ge=0, le=120, multiple_of=10)
    tags: list[Literal["x", "y"]] = Field(min_length=1, max_length=2)


MESSAGES: list[Any] = [{"role": "user", "content": "Who wrote the first program?"}]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """URL of vLLM's server with our backend."""
    folder = tmp_path_factory.mktemp("model")
    write_model(folder)
    with serving(folder, folder / "log", environment=OPTIONS) as url:
        yield url


def test_openai_parses_and_streams_into_a_class(server):
    client = openai.OpenAI(base_url=server, api_key="none", max_retries=0)
    for seed in range(4):
        done = client.chat.completions.parse(
            model="tiny", messages=MESSAGES, response_format=Person, max_tokens=300, seed=seed
        )
        assert isinstance(done.choices[0].message.parsed, Person)
    with client.chat.completions.stream(
        model="tiny", messages=MESSAGES, response_format=Person, max_tokens=300, seed=7
    ) as stream:
        snapshots = [event.parsed for event in stream if event.type == "content.delta"]
        person = stream.get_final_completion().choices[0].message.parsed
    assert isinstance(person, Person)
    assert len(snapshots) > 3
    assert snapshots[-1] == person.model_dump()


def test_instructor_parses_and_streams_partial_objects(server):
    client = openai.OpenAI(base_url=server, api_key="none", max_retries=0)
    asking = instructor.from_openai(client, mode=instructor.Mode.JSON_SCHEMA)
    options: dict[str, Any] = {"model": "tiny", "messages": MESSAGES, "max_tokens": 300, "max_retries": 0}
    for seed in range(4):
        assert isinstance(asking.create(response_model=Person, seed=seed, **options), Person)
    partials = list(asking.create_partial(response_model=Person, seed=7, **options))
    assert len(partials) > 3
    assert isinstance(Person.model_validate(partials[-1].model_dump()), Person)


def test_pydantic_ai_parses_and_streams(server):
    async def main() -> None:
        provider = OpenAIProvider(base_url=server, api_key="none")
        agent = Agent(
            OpenAIChatModel("tiny", provider=provider),
            output_type=NativeOutput(Person),
            retries=0,
            model_settings={"max_tokens": 300, "seed": 3},
        )
        done = await agent.run("Who wrote the first program?")
        assert isinstance(done.output, Person)
        async with agent.run_stream("Who wrote the first program?") as result:
            streamed = [output async for output in result.stream_output(debounce_by=None)]
        assert streamed[-1] == done.output

    asyncio.run(main())
