"""Batch jobs on a vLLM engine: lines, labels and steered texts equal to those of our own loop; what is refused.

Needs vLLM 0.32, on a GPU or a CPU; `make test-engines`.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from engine_servers import SETTINGS

import guidance_kit as gk
from guidance_kit.errors import ContextLengthError, ModelError, OptionError, VocabularyError
from guidance_kit.extraction.careful_work import CarefulWork
from guidance_kit.extraction.documents.document import document
from guidance_kit.extraction.record_work import RecordWork

pytestmark = [pytest.mark.engines, pytest.mark.timeout(900)]

os.environ.update(SETTINGS)
pytest.importorskip("vllm", reason="needs vLLM: make test-engines")

from guidance_kit.integrations.engines import load_on  # noqa: E402
from guidance_kit.integrations.ray_jobs.dataset import ClassifyTexts, ExtractRecords  # noqa: E402
from guidance_kit.integrations.vllm.engine_model import EngineModel  # noqa: E402
from tools.support_world import examples  # noqa: E402

SMALL = {"enforce_eager": True, "max_num_seqs": 8}
TICKET = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "order_id": {"type": ["string", "null"]},
        "amount": {"type": ["number", "null"]},
    },
    "required": ["name", "order_id", "amount"],
    "additionalProperties": False,
}
TEXTS = [one.text for one in examples("new_entities", 0, 24)]
LABELS = ["refund request", "refund request late", "praise", "late delivery"]


@pytest.fixture(scope="module")
def served() -> Iterator[EngineModel]:
    """The bundled model in an engine with steering."""
    terms = {"less": {"kind": "experts", "anti_expert": "large-intents"}}
    with pytest.MonkeyPatch.context() as patched:
        for name in ("GUIDANCE_KIT_VLLM", "GUIDANCE_KIT_VLLM_STEERING", "VLLM_ENABLE_V1_MULTIPROCESSING"):
            patched.setenv(name, "0")
        steering = {"terms": terms, "dtype": "float32"}
        made = load_on("vllm", None, {**SMALL, "steering": steering}, dtype="float32")
        yield made
        made.close()


@pytest.fixture(scope="module")
def own() -> gk.Model:
    return gk.load(dtype="float32")


def lines(model: Any, texts: list[str], **settings: Any) -> list[str]:
    work = RecordWork(constraint=gk.json_schema(TICKET), **settings)
    documents = [document(f"{number}.txt", text) for number, text in enumerate(texts)]
    return [entry.line for entry in CarefulWork(work.on(model)).entries(documents)]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"excerpts": True},
        {"options": {"complete": True, "max_tokens": 40}},
        {"options": {"max_tokens": 12}},
        {"options": {"max_field_tokens": 4}},
    ],
    ids=["plain", "excerpts", "budget", "length", "field"],
)
def test_lines_are_those_of_our_own_loop(served, own, settings):
    """Byte for byte, with their numbers of tokens, ends and errors."""
    texts = [*TEXTS, "word " * 2000, ""]
    found = lines(served, texts, **settings)
    assert found == lines(own, texts, **settings)
    assert json.loads(found[-2])["error"]["type"] == "ContextLengthError"


def test_completions_have_values_tokens_and_ends(served, own):
    prompts = [own.extraction_prompt(text, TICKET) for text in TEXTS[:4]]
    found = served.generate(prompts, gk.json_schema(TICKET), temperature=0)
    expected = own.generate(prompts, gk.json_schema(TICKET), temperature=0)
    assert [(one.tokens, one.finish_reason, one.value) for one in found] == [
        (one.tokens, one.finish_reason, one.value) for one in expected
    ]
    free = served.generate(TEXTS[0], temperature=0, max_tokens=20)
    assert free.tokens == own.generate(TEXTS[0], temperature=0, max_tokens=20).tokens


@pytest.mark.parametrize("end", ["any", "eos"])
def test_labels_are_those_of_our_own_loop(served, own, end):
    prompt = 'Text: {}\nLabel: "'.format
    found = served.classify(TEXTS, LABELS, end=end, prompt=prompt)
    expected = own.classify(TEXTS, LABELS, end=end, prompt=prompt)
    assert [one.label for one in found] == [one.label for one in expected]
    for one, other in zip(found, expected, strict=True):
        assert [score.logprob for score in one.scores] == pytest.approx(
            [score.logprob for score in other.scores], abs=2e-3
        )


def test_more_labels_than_vllm_scores_at_once(served, own):
    """The first tokens of these are more than vLLM returns log-probabilities of in a request."""
    several = [chr(code) for code in range(0x21, 0x7F)] + [f" {chr(code)}" for code in range(0x41, 0x7B)]
    found, expected = (model.classify(TEXTS[0], several, end="eos") for model in (served, own))
    assert found.label == expected.label
    assert found.mass == pytest.approx(expected.mass, rel=1e-4)


def test_drawn_texts_repeat_by_their_seed_and_keep_the_constraint(served):
    first, second = (served.generate([TEXTS[0]] * 6, gk.regex("[a-z ]{5,9}"), seed=7) for _ in range(2))
    assert [one.text for one in first] == [one.text for one in second]
    assert len({one.text for one in first}) > 1
    assert all(re.fullmatch("[a-z ]{5,9}", one.text) for one in first)


@pytest.mark.parametrize("weight", [0.0, 0.5])
def test_steered_texts_are_those_of_the_formula(served, own, weight):
    formula = own + weight * (own - gk.load("large-intents", dtype="float32"))
    asked = {"weights": {"less": weight}, "presence": 0.3}
    found = served.generate(TEXTS[:6], gk.regex("[a-z ,.]{20,40}"), temperature=0, steering=asked)
    guides = gk.Penalties(presence=0.3)
    expected = formula.generate(TEXTS[:6], gk.regex("[a-z ,.]{20,40}"), temperature=0, guides=guides)
    assert [one.text for one in found] == [one.text for one in expected]
    plain = own.generate(TEXTS[:6], gk.regex("[a-z ,.]{20,40}"), temperature=0)
    assert [one.text for one in found] != [one.text for one in plain]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"decoder": "beam"}, "vLLM does not have the option decoder"),
        ({"draft": "lookup"}, "vLLM does not have the option draft"),
        ({"think": 20}, "thoughts before an answer are those of our own loop"),
        ({"guides": [gk.Penalties(presence=1.0)]}, "fields of steering"),
        ({"stop": "x"}, "vLLM does not have the option stop"),
        ({"temperatur": 1}, "did you mean 'temperature'"),
        ({"steering": {"weights": {"les": 1.0}}}, "unknown term"),
    ],
)
def test_what_an_engine_cannot_do_is_refused_by_name(served, options, said):
    with pytest.raises(OptionError, match=said):
        served.generate([TEXTS[0]], gk.choice(["a", "b"]), **options)


def test_other_refusals(served, own):
    with pytest.raises(OptionError, match="a formula is one of terms"):
        _ = served + 1.0 * own
    with pytest.raises(OptionError, match="confidence needs the logits"):
        served.confidence(own.generate("a", gk.choice(["b"])))
    with pytest.raises(OptionError, match="tokenizations"):
        served.classify(TEXTS[0], LABELS, tokenizations="all")
    with pytest.raises(ContextLengthError):
        served.generate(["word " * 2000], gk.choice(["a"]))
    with pytest.raises(VocabularyError, match="<absent>"):
        served.generate(["a"], gk.special_token("<absent>"))


def test_callables_for_ray_data_start_an_engine(own):
    rows = {"body": np.array([*TEXTS[:3], None], dtype=object)}
    settings = {**SMALL, "dtype": "float32"}
    extract = ExtractRecords(schema=TICKET, text="body", engine="vllm", engine_options=settings)
    found = extract(rows)
    assert [json.loads(record) for record in found["record"][:3]] == own.extract(TEXTS[:3], TICKET)
    assert [error is None for error in found["error"]] == [True, True, True, False]
    labels = ClassifyTexts("large-intents", LABELS, text="body", engine="vllm", engine_options=settings)(rows)
    expected = gk.load("large-intents", dtype="float32").classify(TEXTS[:3], LABELS)
    assert list(labels["label"]) == [*(one.label for one in expected), None]
    assert list(labels["probability"][:3]) == pytest.approx([one.probability for one in expected], abs=1e-4)
    with pytest.raises(OptionError, match="engine is for a model that is given by its name"):
        ClassifyTexts(lambda: own, LABELS, engine="vllm")


def test_engines_that_do_not_start(tmp_path: Path):
    with pytest.raises(ModelError, match="there is no folder"):
        EngineModel.load("./absent")
    with pytest.raises(OptionError, match="vLLM does not take these options"):
        EngineModel.load(None, max_model_length=100)
    with pytest.raises(OptionError, match="engine='vllm' does not have adapter"):
        load_on("vllm", None, {}, adapter="x")
    with pytest.raises(OptionError, match="names a file of settings"):
        EngineModel.load(None, steering=str(tmp_path / "absent.json"))
