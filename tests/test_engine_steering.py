"""Steering in a running vLLM: token for token our own loop, whatever the engine does with rows; bad requests.

Needs vLLM 0.32, on a GPU or a CPU; `make test-engines`. The bundled models are served.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from engine_servers import SETTINGS, serving

import guidance_kit as gk
from guidance_kit.model_source import bundled_folder

pytestmark = [pytest.mark.engines, pytest.mark.timeout(900)]

os.environ.update(SETTINGS)
vllm = pytest.importorskip("vllm", reason="needs vLLM: make test-engines")

import openai  # noqa: E402
from vllm import LLM, SamplingParams  # noqa: E402
from vllm.exceptions import VLLMValidationError  # noqa: E402
from vllm.sampling_params import StructuredOutputsParams  # noqa: E402
from vllm.v1.sample.logits_processor import _load_logitsprocs_by_fqcns  # noqa: E402
from vllm.v1.worker.gpu.sample.logits_processor import LogitsContext, LogitsProcRequestState  # noqa: E402
from vllm.v1.worker.gpu.sample.logits_processor.loader import _load_v2_logitsprocs_by_fqcns  # noqa: E402

BUNDLED = bundled_folder()
SERVED = BUNDLED / "base-large"
PROCESSOR = "guidance_kit.integrations.vllm.steering:SteeringProcessor"
TERMS = {
    "polite": {"kind": "experts", "expert": "polite", "anti_expert": "rude"},
    "tuned": {"kind": "experts", "expert": "small-tuned", "anti_expert": "base-small"},
    "civil": {
        "kind": "prefix_classifier",
        "classifier": str(BUNDLED / "rudeness"),
        "labels": ["civil"],
        "top_k": 20,
    },
}
STEERING = json.dumps({"terms": TERMS, "dtype": "float32"})

PROMPTS = ["This is ", "The printer in room 12 is broken. You are", "Dear support, ", "I am very angry, because"]
CONSTRAINTS = ["[a-z ,.]{20,60}!", "(never|always|thank you|damn)( [a-z]{2,8}){8,14}[.!?]", None]


@pytest.fixture(scope="module")
def models() -> dict[str, Any]:
    """The served model, and those of the terms, in our own loop."""
    names = ("base-large", "base-small", "small-tuned", "polite", "rude")
    found: dict[str, Any] = {name: gk.load(name, dtype="float32") for name in names}
    found["civil"] = gk.PrefixClassifier.load(BUNDLED / "rudeness", dtype="float32").of("civil")
    return found


def own(models: dict[str, Any], asked: dict[str, Any]) -> gk.Model:
    """A request's steering as a formula of our own loop."""
    base, weights = models["base-large"], asked.get("weights", {})
    formula = base.keep(**asked["keep"]) if "keep" in asked else base
    if "polite" in weights:
        formula = formula + weights["polite"] * (models["polite"] - models["rude"])
    if "tuned" in weights:
        formula = formula + weights["tuned"] * (models["small-tuned"] - models["base-small"])
    if "civil" in weights:
        formula = gk.classifier_guided(formula, models["civil"], alpha=weights["civil"], top_k=20)
    return formula


def guides(asked: dict[str, Any]) -> list[Any]:
    made: list[Any] = [gk.Penalties(presence=asked.get("presence", 0.0), frequency=asked.get("frequency", 0.0))]
    return [*made, gk.LogitBias.from_openai(asked.get("logit_bias", {}))]


def require_same(models: dict[str, Any], prompt: list[int], asked: Any, ours: list[int], theirs: list[int]) -> bool:
    """Require equal tokens; at a difference, that the two tokens are nearly equally likely in our own loop.

    Returns:
        Whether all tokens are equal.
    """
    if ours == theirs:
        return True
    place = next(place for place, pair in enumerate(zip(ours, theirs, strict=False)) if len({*pair}) == 2)
    formula, prefix = own(models, asked), ours[:place]
    logits = formula._distribution([prompt], [prompt]).logits([[*prompt, *prefix]], starts=[len(prompt)])[0]
    for guide in guides(asked):
        logits = guide.adjust(logits.float(), guide.advance(guide.start([prompt]), [prefix]))
    gap = float((logits[0, ours[place]] - logits[0, theirs[place]]).abs())
    assert gap < 1e-3, f"{asked}: {ours} and {theirs} differ at {place}, where the logits differ by {gap}"
    return False


ASKED: list[dict[str, Any]] = [
    {"weights": {"polite": 2.0}, "keep": {"top_p": 0.9}},
    {"weights": {"tuned": 1.0}, "presence": 0.3},
    {"weights": {"civil": 3.0}},
    {"weights": {"civil": 2.0, "tuned": 1.0}},
    {"weights": {"polite": -1.0, "tuned": 0.5}, "frequency": 0.2},
    {"logit_bias": {"300": 4.0, "301": -100}},
    {"weights": {"polite": 0.7}},
]


def test_greedy_texts_are_those_of_our_own_loop(models, monkeypatch, record_property):
    """48 requests in 12 rows, with forced preemption and chunked prefill, in float32."""
    monkeypatch.setenv("GUIDANCE_KIT_VLLM", "1")
    monkeypatch.setenv("GUIDANCE_KIT_VLLM_STEERING", STEERING)
    llm = LLM(
        str(SERVED),
        dtype="float32",
        enforce_eager=True,
        max_model_len=256,
        max_num_seqs=12,
        max_num_batched_tokens=32,
        num_gpu_blocks_override=14,
        block_size=32,
        enable_prefix_caching=False,
        disable_log_stats=False,
        logits_processors=[PROCESSOR],
    )
    try:
        cases = []
        for number in range(48):
            asked = ASKED[number % len(ASKED)]
            prompt = models["base-large"].language_model.encode(PROMPTS[number % 4] * (1 + number % 3))
            cases.append((prompt, asked, CONSTRAINTS[number % 3]))
        parameters = [
            SamplingParams(
                max_tokens=60,
                temperature=0,
                structured_outputs=None if regex is None else StructuredOutputsParams(regex=regex),
                extra_args={"guidance_kit": asked},
            )
            for _, asked, regex in cases
        ]
        inputs: list[Any] = [{"prompt_token_ids": prompt} for prompt, _, _ in cases]
        outputs = [one.outputs[0] for one in llm.generate(inputs, parameters, use_tqdm=False)]
        counts = {one.name: getattr(one, "value", 0) for one in llm.get_metrics()}
        with pytest.raises(VLLMValidationError, match="unknown term"):
            llm.generate(["x"], SamplingParams(extra_args={"guidance_kit": {"weights": {"rude": 1}}}), use_tqdm=False)
    finally:
        llm.llm_engine.engine_core.shutdown()
    equal = 0
    for (prompt, asked, regex), output in zip(cases, outputs, strict=True):
        constraint = None if regex is None else gk.regex(regex)
        done = own(models, asked).generate(prompt, constraint, guides=guides(asked), temperature=0, max_tokens=60)
        ends = models["base-large"].vocabulary.eos
        theirs = [token for token in output.token_ids if token not in ends]
        ours = [token for token in done.tokens if token not in ends]
        equal += require_same(models, prompt, asked, ours, theirs)
        if regex is not None and output.finish_reason == "stop":
            assert re.fullmatch(regex, output.text)
    record_property("counts", {"preemptions": counts["vllm:num_preemptions"], "equal": equal, "of": len(cases)})
    assert counts["vllm:num_preemptions"] > 0
    assert equal >= len(cases) - 2
    plain = [models["base-large"].generate(prompt, temperature=0, max_tokens=60).tokens for prompt, *_ in cases[:4]]
    assert plain != [list(output.token_ids) for output in outputs[:4]]  # the steering does something


def test_both_model_runners_take_the_class():
    """The V2 runner does not start without Triton, so its loader is asked, and its interface driven, without it."""
    (found,) = _load_v2_logitsprocs_by_fqcns([PROCESSOR])
    assert _load_logitsprocs_by_fqcns([PROCESSOR]) == [found]


def test_the_interface_of_the_second_runner(models, monkeypatch):
    """Not run on its engine: rows in any order, with drafts some of which are rejected; equal to our own loop."""
    monkeypatch.setenv("GUIDANCE_KIT_VLLM_STEERING", STEERING)
    (kind,) = _load_v2_logitsprocs_by_fqcns([PROCESSOR])
    vocabulary = models["base-large"].vocabulary

    def buffer(*shape: int) -> Any:
        return SimpleNamespace(gpu=torch.zeros(*shape, dtype=torch.int32), np=np.zeros(shape, np.int32))

    state = LogitsProcRequestState(
        device=torch.device("cpu"),
        max_num_reqs=8,
        vocab_size=vocabulary.rows,
        all_token_ids=buffer(8, 128),
        prompt_len=buffer(8),
        prefill_len=buffer(8),
        total_len=buffer(8),
    )
    config = SimpleNamespace(
        model_config=SimpleNamespace(
            get_vocab_size=lambda: vocabulary.rows,
            max_model_len=256,
            tokenizer=str(SERVED),
            skip_tokenizer_init=False,
            runner_type="generate",
            tokenizer_mode="auto",
            trust_remote_code=False,
            tokenizer_revision=None,
        )
    )
    monkeypatch.setattr(
        "guidance_kit.integrations.vllm.steering.cached_tokenizer_from_config",
        lambda model: models["base-large"].language_model.tokenizer,
    )
    processor: Any = kind(config, state)  # pyright: ignore[reportArgumentType]
    rng = random.Random(3)
    prompts = {slot: models["base-large"].language_model.encode(PROMPTS[slot % 4]) for slot in (5, 0, 3, 6)}
    asked = {5: ASKED[0], 0: ASKED[1], 3: None, 6: ASKED[3]}
    texts: dict[int, list[int]] = {slot: [] for slot in prompts}
    for slot, prompt in prompts.items():
        state.prompt_len.np[slot] = state.prefill_len.np[slot] = len(prompt)
        extra = {} if asked[slot] is None else {"guidance_kit": asked[slot]}
        assert processor.add_request(slot, SamplingParams(extra_args=extra)) == (asked[slot] is not None)
    for _ in range(12):
        order = rng.sample(sorted(prompts), len(prompts))
        layout, prefixes = [], []
        for slot in order:
            tokens = [*prompts[slot], *texts[slot]]
            state.all_token_ids.gpu[slot, : len(tokens)] = torch.tensor(tokens, dtype=torch.int32)
            drafts = [rng.randrange(300, 400) for _ in range(rng.randint(0, 2))]
            for offset in range(1 + len(drafts)):
                prefixes.append([*tokens, *drafts[:offset]])
                layout.append((slot, offset, len(prefixes[-1]) - 1, prefixes[-1][-1]))
        logits = models["base-large"].language_model.logits(prefixes)[:, 0].clone()
        columns = [torch.tensor(column) for column in zip(*layout, strict=True)]
        context = LogitsContext(
            expanded_idx_mapping=columns[0],
            idx_mapping=torch.tensor(order),
            idx_mapping_np=np.array(order),
            expanded_local_pos=columns[1],
            input_ids=columns[3],
            pos=columns[2],
            seq_lens_upper_bound_np=np.array([len(prompts[slot]) + len(texts[slot]) for slot in order]),
        )
        steered = processor.apply(logits, context)
        for row, (slot, offset, _, _) in enumerate(layout):
            if offset == 0:
                texts[slot].append(int(steered[row].argmax()))
    for slot, prompt in prompts.items():
        request = asked[slot] or {}
        done = own(models, request).generate(prompt, guides=guides(request), temperature=0, max_tokens=12)
        assert texts[slot][: len(done.tokens)] == list(done.tokens)


UNSTEERED = """
from types import SimpleNamespace
from vllm.exceptions import VLLMValidationError
from vllm.sampling_params import SamplingParams
from guidance_kit.integrations.vllm.plugin import is_steering_checked, register
register()
assert is_steering_checked()
model = SimpleNamespace(logits_processors=None, get_vocab_size=lambda: 10)
SamplingParams(extra_args={"other": 1})._validate_logit_bias(model)
try:
    SamplingParams(extra_args={"guidance_kit": {}})._validate_logit_bias(model)
except VLLMValidationError as error:
    print(error)
"""


def test_an_engine_without_the_processor_refuses_steering():
    """In a process of its own, which the plugin changes as it does a server's front end."""
    environment = {**os.environ, "GUIDANCE_KIT_VLLM": "1", "GUIDANCE_KIT_VLLM_STEERING": "0"}
    done = subprocess.run([sys.executable, "-c", UNSTEERED], env=environment, capture_output=True, text=True)
    assert "the server was started without --logits-processors guidance_kit" in done.stdout, done.stderr


BAD = [
    ({"weights": {"polit": 1.0}}, "did you mean 'polite'"),
    ({"weights": {"civil": -1}}, "to steer away from a class"),
    ({"logit_bias": {"2048": 1.0}}, "a bias for token 2048, but the model has 2048 rows"),
    ({"repetition": 1.5, "weights": {"polite": 1.0}}, "take presence and frequency"),
    ({"nothing": 1}, "nothing: Extra inputs"),
]


def test_bad_requests_are_refused_and_others_go_on(tmp_path):
    environment = {"GUIDANCE_KIT_VLLM": "1", "GUIDANCE_KIT_VLLM_STEERING": STEERING}
    with serving(SERVED, tmp_path / "log", environment=environment, logits_processors=PROCESSOR) as url:
        client = openai.OpenAI(base_url=url, api_key="none", max_retries=0)

        def ask(asked: Any, **options: Any) -> str:
            xargs = {} if asked is None else {"guidance_kit": json.dumps(asked)}
            body = {"vllm_xargs": xargs, "structured_outputs": {"regex": "[a-z ]{40}"}} | options.pop("extra", {})
            settings = {"prompt": "This is ", "max_tokens": 60, "temperature": 0} | options
            return client.completions.create(model="tiny", extra_body=body, **settings).choices[0].text

        plain, steered = ask(None), ask(ASKED[0])
        assert plain != steered
        with ThreadPoolExecutor(4) as pool:
            running = [pool.submit(ask, ASKED[0]) for _ in range(4)]
            for asked, reason in BAD:
                with pytest.raises(openai.BadRequestError) as caught:
                    ask(asked)
                assert reason in str(caught.value)
            with pytest.raises(openai.BadRequestError, match="presence_penalty beside guidance_kit"):
                ask(ASKED[0], presence_penalty=0.5)
            assert {one.result() for one in running} == {steered}
        assert ask(None) == plain


def test_speculation_beside_steering_is_refused_by_the_engine(monkeypatch):
    """By vLLM itself, at its start, with the V1 runner."""
    monkeypatch.setenv("GUIDANCE_KIT_VLLM_STEERING", "1")
    with pytest.raises(Exception, match="initialization failed"):
        LLM(
            str(SERVED),
            dtype="float32",
            enforce_eager=True,
            max_model_len=256,
            logits_processors=[PROCESSOR],
            speculative_config={"method": "ngram", "num_speculative_tokens": 4, "prompt_lookup_max": 3},
        )
