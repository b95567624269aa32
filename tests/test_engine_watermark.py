"""Watermarks in a running vLLM: its texts are detected with the key, under a constraint too.

Needs vLLM 0.32, on a GPU or a CPU; `make test-engines`. A bundled model is served.
"""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from engine_servers import SETTINGS

import guidance_kit as gk
from guidance_kit.model_source import bundled_folder

pytestmark = [pytest.mark.engines, pytest.mark.timeout(900)]

os.environ.update(SETTINGS)
vllm = pytest.importorskip("vllm", reason="needs vLLM: make test-engines")

from vllm import LLM, SamplingParams  # noqa: E402
from vllm.exceptions import VLLMValidationError  # noqa: E402
from vllm.sampling_params import StructuredOutputsParams  # noqa: E402

KINDS: dict[str, dict[str, Any]] = {
    "green": {"kind": "green", "bias": 4.0},
    "gumbel": {"kind": "gumbel"},
    "tournament": {"kind": "tournament"},
}
PROMPT = "Dear support, "
FORM = r"(name: [a-z]{8}; place: [a-z]{8}; ){8}"


def test_texts_of_the_engine_are_detected(tmp_path, monkeypatch):
    watermarks = {name: gk.Watermark.random(width=2, **options) for name, options in KINDS.items()}
    for name, one in watermarks.items():
        one.save(tmp_path / name)
    settings = {"watermarks": {name: str(tmp_path / name) for name in KINDS}}
    monkeypatch.setenv("GUIDANCE_KIT_VLLM", "1")
    monkeypatch.setenv("GUIDANCE_KIT_VLLM_STEERING", json.dumps(settings))
    llm = LLM(
        str(bundled_folder() / "base-large"),
        dtype="float32",
        enforce_eager=True,
        max_model_len=512,
        logits_processors=["guidance_kit.integrations.vllm.steering:SteeringProcessor"],
    )
    model = gk.load("base-large", dtype="float32")
    cases: list[tuple[str | None, str | None]] = [(name, regex) for name in (*KINDS, None) for regex in (None, FORM)]
    parameters = [
        SamplingParams(
            max_tokens=250,
            min_tokens=0 if regex else 200,
            temperature=0.9,
            seed=5,
            structured_outputs=None if regex is None else StructuredOutputsParams(regex=regex),
            extra_args=None if name is None else {"guidance_kit": {"watermark": name}},
        )
        for name, regex in cases
    ]
    try:
        outputs = llm.generate([PROMPT] * len(cases), parameters, use_tqdm=False)
        for asked, reason in (({"watermark": "none"}, "unknown watermark"), ({"watermark": "gumbel"}, "temperature")):
            with pytest.raises(VLLMValidationError, match=reason):
                llm.generate(["x"], SamplingParams(temperature=0, extra_args={"guidance_kit": asked}), use_tqdm=False)
    finally:
        llm.llm_engine.engine_core.shutdown()
    eos = set(model.vocabulary.eos)
    for (name, regex), output in zip(cases, outputs, strict=True):
        tokens = [token for token in output.outputs[0].token_ids if token not in eos]
        constraint = None if regex is None else gk.regex(regex)
        for kind, watermark in watermarks.items():
            found = gk.detect(
                tokens, watermark, model, constraint=constraint, prompt=PROMPT, temperature=0.9, significance=1e-2
            )
            if kind == name:
                assert found.p_value < 1e-4, (name, regex)
            else:
                assert found.p_value > 1e-4, (name, kind, regex)
