"""Our backend in a running vLLM: what it writes, the seam with reasoning and speculation, and bad requests.

Needs vLLM 0.32, on a GPU or a CPU; `make test-engines`.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import random
import re
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal

import jsonschema
import pytest
from engine_models import write_model
from engine_servers import SETTINGS, serving
from pydantic import BaseModel, Field

import guidance_kit as gk
from guidance_kit.integrations.conformance import RULES, ConformanceReport, check

pytestmark = [pytest.mark.engines, pytest.mark.timeout(900)]

os.environ.update(SETTINGS)
vllm = pytest.importorskip("vllm", reason="needs vLLM: make test-engines")

import openai  # noqa: E402
from vllm import LLM, SamplingParams  # noqa: E402
from vllm.engine.arg_utils import EngineArgs  # noqa: E402
from vllm.exceptions import VLLMValidationError  # noqa: E402
from vllm.sampling_params import StructuredOutputsParams  # noqa: E402
from vllm.tokenizers import get_tokenizer  # noqa: E402
from vllm.v1.structured_output import StructuredOutputManager  # noqa: E402
from vllm.v1.structured_output.backend_guidance import GuidanceBackend  # noqa: E402
from vllm.v1.structured_output.backend_types import StructuredOutputOptions  # noqa: E402
from vllm.v1.structured_output.backend_xgrammar import XgrammarBackend  # noqa: E402
from vllm.v1.structured_output.request import StructuredOutputRequest  # noqa: E402

from guidance_kit.integrations.vllm.backend import MatcherBackend  # noqa: E402
from guidance_kit.integrations.vllm.plugin import _grammar_bitmask  # noqa: E402


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    write_model(folder)
    return folder


@contextlib.contextmanager
def engine(model: Path, *, is_ours: bool = True, **options: Any) -> Iterator[LLM]:
    """An engine in processes of its own."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("GUIDANCE_KIT_VLLM", "1" if is_ours else "0")
        settings = {"dtype": "float32", "enforce_eager": True, "max_model_len": 512, "max_num_seqs": 16} | options
        llm = LLM(str(model), **settings)
        try:
            yield llm
        finally:
            llm.llm_engine.engine_core.shutdown()


def written(llm: LLM, asked: list[dict[str, Any]], *, prompt: str = "the quick brown fox", **options: Any) -> list[Any]:
    """The first output of each request, with seeds 0, 1, ..."""
    settings = {"max_tokens": 250, "temperature": 1.0} | options
    parameters = [
        SamplingParams(seed=number, structured_outputs=StructuredOutputsParams(**one), **settings)
        for number, one in enumerate(asked)
    ]
    return [output.outputs[0] for output in llm.generate([prompt] * len(asked), parameters, use_tqdm=False)]


def written_by_xgrammar(model: Path, asked: list[dict[str, Any]]) -> list[list[int]]:
    """Tokens of the outputs of an engine with XGrammar's backend."""
    with engine(model, is_ours=False, structured_outputs_config={"backend": "xgrammar"}) as llm:
        return [list(output.token_ids) for output in written(llm, asked)]


BACKENDS = [MatcherBackend, XgrammarBackend, GuidanceBackend]


@pytest.mark.parametrize("backend", BACKENDS)
def test_conformance(model, backend, record_property):
    """Ours conforms; the answers of all are in the report of `--junitxml`."""
    tokenizer = get_tokenizer(str(model))
    vocabulary = gk.Vocabulary.from_tokenizer(tokenizer)
    config = SimpleNamespace(
        structured_outputs_config=SimpleNamespace(disable_any_whitespace=False, disable_additional_properties=False),
        speculative_config=SimpleNamespace(num_speculative_tokens=16),
        model_config=SimpleNamespace(hf_config=SimpleNamespace(model_type="llama")),
    )
    made = backend(config, tokenizer, vocabulary.rows)
    logging.disable(logging.CRITICAL)
    try:
        report: ConformanceReport = check(
            lambda texts: made.compile_grammar(StructuredOutputOptions.REGEX, "|".join(texts), {*vocabulary.eos}),
            vocabulary,
            schedules=100,
        )
    finally:
        logging.disable(logging.NOTSET)
    record_property(backend.__name__, {"right": dict(report.right), "wrong": dict(report.wrong), "first": report.first})
    assert set(report.right) == set(RULES)
    if backend is MatcherBackend:
        assert report.conforms, str(report)


SAME = [
    {"regex": "[0-9]{4}-[0-9]{2}-[0-9]{2}"},
    {"regex": "(yes|no|maybe)( [a-z]{1,4}){2,3}!"},
    {"choice": ["true", "false", "the quick", "fox"]},
    {"grammar": 'root ::= "a" item ("," item){0,3}\nitem ::= [0-9]+ "b"'},
]
"""What all backends read alike."""

DROPPED = {
    "type": "object",
    "properties": {
        "number": {"type": "integer", "multipleOf": 7, "minimum": -70, "maximum": 700},
        "set": {"type": "array", "items": {"enum": ["x", "y", "tag"]}, "uniqueItems": True, "minItems": 2},
        "some": {
            "type": "array",
            "items": {"type": "integer", "minimum": 0, "maximum": 9},
            "contains": {"const": 7},
            "maxItems": 4,
        },
        "word": {"type": "string", "pattern": "^[a-z]+$", "minLength": 3, "maxLength": 5},
        "map": {"type": "object", "patternProperties": {"^[ab]$": {"type": "boolean"}}, "additionalProperties": False},
        "at": {"type": "string", "format": "json-pointer-uri-fragment"},
    },
    "required": ["number", "set", "some", "word", "map"],
    "additionalProperties": False,
}
"""Keywords that vLLM does not send to XGrammar, as it drops them."""


def test_outputs_are_valid_and_those_of_xgrammar(model):
    asked = [one for one in SAME for _ in range(6)]
    tag = {"type": "structural_tag", "format": {"type": "sequence", "elements": [
        {"type": "const_string", "value": "<b>"},
        {"type": "json_schema", "json_schema": {"type": "integer", "minimum": 5, "maximum": 50}},
        {"type": "const_string", "value": "</b>"},
    ]}}  # fmt: skip
    schemas = [{"json": DROPPED}] * 12 + [{"json_object": True}] * 4
    others = [{"grammar": 'start: "x" /[0-9]{2}/ ["!"]'}, {"structural_tag": json.dumps(tag)}]
    with engine(model) as llm:
        ours = written(llm, asked)
        objects = written(llm, schemas, max_tokens=480)
        lark, tagged = written(llm, others)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:  # the plugin stays in this process
        theirs = pool.submit(written_by_xgrammar, model, asked).result()
    for one, output, tokens in zip(asked, ours, theirs, strict=True):
        assert output.finish_reason == "stop"
        assert list(output.token_ids) == tokens, one
        if "regex" in one:
            assert re.fullmatch(one["regex"], output.text)
        elif "choice" in one:
            assert output.text in one["choice"]
        else:
            assert re.fullmatch("a[0-9]+b(,[0-9]+b){0,3}", output.text)
    ended = [(one, output) for one, output in zip(schemas, objects, strict=True) if output.finish_reason == "stop"]
    assert len(ended) > 8
    for one, output in ended:
        jsonschema.validate(json.loads(output.text), one.get("json", {"type": "object"}))
    assert re.fullmatch("x[0-9]{2}!?", lark.text)
    assert 5 <= int(re.fullmatch("<b>([0-9]+)</b>", tagged.text)[1]) <= 50


def test_reasoning_speculation_chunks_and_preemption(model, record_property):
    """Drafts cross the end of the reasoning, and of the text; rows are rolled back, and requests come back."""
    person = {
        "type": "object",
        "properties": {"name": {"enum": ["Ada", "fox"]}, "age": {"type": "integer", "maximum": 99}},
    }
    asked = [
        {"regex": "(the quick brown fox ){2,4}jumps"},
        {"json": person | {"required": ["name", "age"], "additionalProperties": False}},
        {"regex": "[0-9]{20,30}"},
    ]
    prompts = ["the quick brown fox jumps over the lazy dog " * 3, "</think>the quick brown fox the quick brown "]
    with engine(
        model,
        max_num_batched_tokens=64,
        num_gpu_blocks_override=24,
        block_size=32,
        enable_prefix_caching=False,
        disable_log_stats=False,
        structured_outputs_config={"reasoning_parser": "deepseek_r1"},
        speculative_config={
            "method": "ngram",
            "num_speculative_tokens": 4,
            "prompt_lookup_min": 1,
            "prompt_lookup_max": 3,
        },
    ) as llm:
        parameters, texts = [], []
        for number in range(96):
            structured = StructuredOutputsParams(**asked[number % 3])
            settings = {"max_tokens": 400, "temperature": 1.3 if number % 4 else 0.7}
            parameters.append(SamplingParams(structured_outputs=structured, **settings))
            texts.append(prompts[number % 2])
        outputs = [one.outputs[0] for one in llm.generate(texts, parameters, use_tqdm=False)]
        tokenizer = llm.get_tokenizer()
        end_of_reasoning = tokenizer.convert_tokens_to_ids("</think>")
        counts = {one.name: getattr(one, "value", 0) for one in llm.get_metrics()}
    preemptions = counts["vllm:num_preemptions"]
    accepted = counts["vllm:spec_decode_num_accepted_tokens"]
    drafted = counts["vllm:spec_decode_num_draft_tokens"]
    ended = crossed = 0
    for number, output in enumerate(outputs):
        assert output.finish_reason in ("stop", "length")
        tokens = list(output.token_ids)
        is_reasoning = number % 2 == 0
        if output.finish_reason == "length" or (is_reasoning and end_of_reasoning not in tokens):
            continue  # cut off, or ended while the model reasoned
        begin = tokens.index(end_of_reasoning) + 1 if is_reasoning else 0
        text = tokenizer.decode(tokens[begin:], skip_special_tokens=True)
        ended += 1
        crossed += is_reasoning
        one = asked[number % 3]
        if "regex" in one:
            assert re.fullmatch(one["regex"], text), text
        else:
            jsonschema.validate(json.loads(text), one["json"])
    counted = {"preemptions": preemptions, "accepted": accepted, "drafted": drafted, "ended": ended, "crossed": crossed}
    record_property("counts", counted)
    assert preemptions > 0
    assert 0 < accepted < drafted
    assert ended > 20
    assert crossed > 5


@pytest.fixture(scope="module")
def server(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """URL of a server with our backend."""
    log = tmp_path_factory.mktemp("server") / "log"
    with serving(model, log, environment={"GUIDANCE_KIT_VLLM": "1"}, reasoning_parser="deepseek_r1") as url:
        yield url


BAD = [
    ({"json": {"type": "strin"}}, "(at /type)"),
    ({"json": {"type": "array", "items": {"type": "string", "minLength": 2, "maxLength": 1}, "minItems": 1}}, "(at"),
    ({"json": {"$ref": "https://example.com/s"}}, "(at /$ref)"),
    ({"json": {"anyOf": [{"type": "integer", "minimum": "x"}]}}, "/anyOf/0/minimum"),
    ({"regex": "(("}, "position 1"),
    ({"regex": "(a)\\1"}, "backreference"),
    ({"grammar": "start: x"}, "line 1, column 8"),
    ({"grammar": "root ::= undefined"}, "undefined"),
    ({"grammar": 'start: "x" y\ny[max_tokens=3]: /[0-9]+/'}, "regions"),
    ({"choice": []}, "nothing to choose from"),
    ({"json": {"type": "object"}, "whitespace_pattern": " "}, "whitespace_pattern is an option of the engine"),
    ({"structural_tag": json.dumps({"type": "structural_tag", "format": {"type": "nope"}})}, "nope"),
]  # fmt: skip


def test_bad_requests_are_refused_and_others_go_on(server):
    client = openai.OpenAI(base_url=server, api_key="none", max_retries=0)

    def ask(structured: dict[str, Any], **options: Any) -> str:
        settings = {"prompt": "</think>the quick", "max_tokens": 60, "seed": 1} | options
        done = client.completions.create(model="tiny", extra_body={"structured_outputs": structured}, **settings)
        return done.choices[0].text

    expected = ask({"regex": "[0-9]{30}"})
    with ThreadPoolExecutor(4) as pool:
        running = [pool.submit(ask, {"regex": "[0-9]{30}"}) for _ in range(4)]
        for structured, reason in BAD:
            with pytest.raises(openai.BadRequestError) as caught:
                ask(structured)
            assert reason in str(caught.value)
        assert [one.result() for one in running] == [expected] * 4
    assert re.fullmatch("[0-9]{30}", expected)


TAG = {"type": "tag", "begin": "<n>", "content": {"type": "grammar", "grammar": 'root ::= Substring("a", "b")'}}
DIALECTS = [
    ({"grammar": 'start: x{2}\nx[capture]: /[a-z]/ | %json {"const": 7}'}, "([a-z]|7){2}"),
    ({"grammar": 'root ::= Regex("[0-9]{2}") tail\ntail[lazy] ::= "a" [ab]*'}, "[0-9]{2}a"),
    ({"structural_tag": json.dumps({"type": "structural_tag", "format": TAG | {"end": "</n>"}})}, "<n>(a?b?)</n>"),
]
"""Requests in the dialects of llguidance and XGrammar, and patterns of their texts."""


@pytest.mark.parametrize(("structured", "pattern"), DIALECTS, ids=["llguidance", "xgrammar", "structural tag"])
def test_requests_in_dialects_of_other_engines(server, structured, pattern):
    client = openai.OpenAI(base_url=server, api_key="none", max_retries=0)
    for seed in range(3):
        settings = {"model": "tiny", "prompt": "</think>the quick", "max_tokens": 60, "seed": seed}
        done = client.completions.create(extra_body={"structured_outputs": structured}, **settings)
        assert done.choices[0].finish_reason == "stop"
        assert re.fullmatch(pattern, done.choices[0].text)


class Person(BaseModel):
    """The answer of a model."""

    name: Literal["Ada", "Grace"]
    age: int = Field(ge=0, le=120)
    tags: list[Literal["x", "y"]] = Field(min_length=1, max_length=2)


def test_an_openai_client_streams_into_a_pydantic_class(server):
    client = openai.OpenAI(base_url=server, api_key="none", max_retries=0)
    schema = {"name": "person", "schema": Person.model_json_schema(), "strict": True}
    parts = client.chat.completions.create(
        model="tiny",
        messages=[{"role": "user", "content": "Who? </think>"}],
        response_format={"type": "json_schema", "json_schema": schema},
        max_tokens=300,
        seed=3,
        stream=True,
        extra_body={"chat_template_kwargs": {"enable_thinking": False}, "include_reasoning": True},
    )
    text = "".join(part.choices[0].delta.content or "" for part in parts if part.choices)
    assert isinstance(Person.model_validate_json(text), Person)


MALFORMED = [
    {"json": {"type": "strin"}},
    {"json": {"type": "array", "items": {"type": "string", "minLength": 2, "maxLength": 1}, "minItems": 1}},
    {"json": "[" * 50_000},
    {"regex": "(("},
    {"regex": "(a)\\1"},
    {"grammar": "start: x"},
    {"grammar": "root ::= root"},
    {"structural_tag": json.dumps({"type": "structural_tag", "format": {"type": "nope"}})},
]
"""Constraints that the front end refuses."""

SLOW = {
    "type": "object",
    "properties": {f"key{i}": {"type": "string", "pattern": f"^[a-z]{{{i % 7 + 1}}}{i}$"} for i in range(1500)},
    "required": [f"key{i}" for i in range(1500)],
}
"""A schema that takes seconds to read."""


def test_malformed_and_slow_constraints_in_a_running_core(model, monkeypatch):
    """Not checked in the front end, they fail alone, in the core; the other requests get the texts they get alone."""
    good = [{"regex": "[0-9]{30}"}, {"choice": ["true", "false"]}, {"regex": "(fox ){3}"}]
    with engine(model) as llm:
        expected = [list(one.token_ids) for one in written(llm, good)]

        def unchecked(self: Any, *arguments: Any) -> None:
            if self.structured_outputs is not None:
                self.structured_outputs._backend = "guidance_kit"

        monkeypatch.setattr(SamplingParams, "_validate_structured_outputs", unchecked)
        asked = [*good, *MALFORMED, {"json": SLOW}]
        for _ in range(2):
            outputs = written(llm, asked, max_tokens=60)
            assert [list(one.token_ids) for one in outputs[:3]] == expected
            assert [one.finish_reason for one in outputs[3:-1]] == ["error"] * 8
            assert outputs[-1].finish_reason == "length"
            assert outputs[-1].text.lstrip().startswith("{")


def test_masks_of_a_step_are_those_of_vllms_own_loop(model):
    """Batches of requests, some of which reason, with drafts that cross its end, the end of a text, or are refused."""
    config = EngineArgs(
        model=str(model),
        dtype="float32",
        max_model_len=512,
        max_num_seqs=16,
        speculative_config={"method": "ngram", "num_speculative_tokens": 5, "prompt_lookup_max": 3},
        structured_outputs_config={"reasoning_parser": "deepseek_r1"},
    ).create_engine_config()
    manager = StructuredOutputManager(config)
    manager.backend = MatcherBackend(config, manager.tokenizer, config.model_config.get_vocab_size())
    rng = random.Random(2)
    end, rows = manager.tokenizer.convert_tokens_to_ids("</think>"), config.model_config.get_vocab_size()
    kinds = ["[0-9]{1,3}", "(the|fox)( quick)?", "(yes|no|maybe){1,2}"]
    crossed = 0
    for _ in range(60):
        requests: dict[str, Any] = {}
        drafts: dict[str, list[int]] = {}
        for number in range(rng.randint(1, 6)):
            asked = StructuredOutputsParams(regex=rng.choice(kinds))
            asked._backend = "guidance_kit"
            parameters = SamplingParams(structured_outputs=asked)
            parameters._all_stop_token_ids.add(manager.tokenizer.eos_token_id)
            request = SimpleNamespace(
                request_id=str(number),
                sampling_params=parameters,
                structured_output_request=StructuredOutputRequest(asked),
                use_structured_output=True,
                prompt_token_ids=[5, end] if rng.random() < 0.5 else [5, 6],
                all_token_ids=[5, 6, 7],
            )
            manager.grammar_init(request)
            grammar = request.structured_output_request._grammar.result()
            request.structured_output_request._grammar = grammar
            probe, drafted = grammar.matcher.fork(), list[int]()
            if request.prompt_token_ids[-1] != end and rng.random() < 0.7:
                drafted += [*rng.choices(range(300), k=rng.randint(0, 2)), end]
                crossed += 1
            while len(drafted) < 5 and rng.random() < 0.8:
                allowed = probe.allowed_tokens().tolist()
                token = rng.choice(allowed) if allowed and rng.random() < 0.8 else rng.randrange(rows)
                drafted.append(token)
                probe.try_advance(token)
            requests[request.request_id] = request
            drafts[request.request_id] = [*drafted, *[-1] * rng.choice([0, 0, 5 - len(drafted)])]
        ours = _grammar_bitmask(manager, requests, [*requests], drafts).copy()
        theirs = StructuredOutputManager.grammar_bitmask(manager, requests, [*requests], drafts)
        assert (ours == theirs).all()
    assert crossed > 20


def test_the_engine_survives_what_fails_inside(model):
    """A constraint that reaches a limit in a text, one that cannot be compiled, and a request that stops at text."""
    with engine(model) as llm:
        endless = {
            "$ref": "#/$defs/a",
            "$defs": {"a": {"type": "array", "items": {"$ref": "#/$defs/a"}, "minItems": 1}},
        }
        with pytest.raises(VLLMValidationError, match="without end"):
            written(llm, [{"json": endless}])
        digits = StructuredOutputsParams(regex="[a-z]{1,30}[0-9]{3}")
        seven = llm.get_tokenizer().convert_tokens_to_ids("7")
        stopped = SamplingParams(max_tokens=60, seed=1, stop_token_ids=[seven], structured_outputs=digits)
        output = llm.generate(["the fox"], stopped, use_tqdm=False)[0].outputs[0]
        assert output.finish_reason == "stop"
        assert re.fullmatch("[a-z]{1,30}[0-9]{3}7?", output.text)
        ignoring = SamplingParams(max_tokens=60, seed=1, ignore_eos=True, structured_outputs=digits)
        output = llm.generate(["the fox"], ignoring, use_tqdm=False)[0].outputs[0]
        assert output.finish_reason == "length"
        assert re.match("[a-z]{1,30}[0-9]{3}", output.text)
