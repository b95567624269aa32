"""The bundled model: small enough to ship, loadable by transformers alone, and able to do its job."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
from marks import slow

import guidance_kit as gk
from examples.meeting import Meeting
from examples.order import Order
from examples.ticket import Intent, Ticket
from guidance_kit.evaluation.records import Score, score
from tools.support_world import examples
from tools.support_world.fields import INTENT_NAMES

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "guidance_kit" / "bundled" / "support-2m"
EXPECTED = [json.loads(line) for line in (ROOT / "examples" / "expected.jsonl").read_text("utf-8").splitlines()]


@cache
def model() -> gk.Model:
    return gk.load()


def test_it_is_small_and_half_precision() -> None:
    from safetensors import safe_open

    assert sum(file.stat().st_size for file in FOLDER.iterdir()) <= 6_000_000
    with safe_open(FOLDER / "model.safetensors", framework="np") as weights:
        assert {str(weights.get_tensor(name).dtype) for name in weights.keys()} == {"float16"}  # noqa: SIM118


def test_transformers_loads_it_alone() -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    loaded = AutoModelForCausalLM.from_pretrained(FOLDER)
    tokenizer = AutoTokenizer.from_pretrained(FOLDER)
    assert loaded.config.guidance_kit_prompt == "support-v1"
    assert loaded.config.vocab_size == len(tokenizer)
    text = 'Zoë paid 49,90 € — 你好\n\t{"a": [1, 2]}'
    assert tokenizer.decode(tokenizer(text)["input_ids"]) == text


def test_every_byte_has_a_token() -> None:
    tokens = set(model().vocabulary.token_bytes)
    assert {bytes([value]) for value in range(256)} <= tokens


def test_the_example_schema_names_the_intents_of_the_world() -> None:
    assert set(Intent.__args__) == set(INTENT_NAMES)


@pytest.mark.slow
def test_it_extracts_the_example_messages() -> None:
    """Held-out names, numbers and hand-written sentences; the threshold is below what it does, above chance."""
    prompts = [model().extraction_prompt((ROOT / "examples" / e["file"]).read_text("utf-8"), Ticket) for e in EXPECTED]
    completions = model().generate(prompts, gk.json_schema(Ticket), temperature=0, max_tokens=400)
    assert all(isinstance(one.value, Ticket) for one in completions)
    total = sum((score(c.text, e["record"]) for c, e in zip(completions, EXPECTED, strict=True)), Score())
    assert total.field_accuracy > MESSAGES_AT_LEAST


@pytest.mark.parametrize(("folder", "kind"), [("orders", Order), *slow(("meetings", Meeting))])
def test_it_extracts_nested_records(folder: str, kind: type) -> None:
    for file in sorted((ROOT / "examples" / folder).glob("*.txt")):
        assert isinstance(model().extract(file.read_text("utf-8"), kind), kind)


@pytest.mark.slow
def test_it_extracts_from_unseen_names_and_numbers() -> None:
    source = [one for one in examples("new_entities", 0, 60) if one.is_usual]
    prompts = [model().extraction_prompt(one.text, one.schema) for one in source]
    completions = model().generate(
        prompts, [gk.json_schema(one.schema) for one in source], temperature=0, max_tokens=400
    )
    total = sum((score(c.text, one.record) for c, one in zip(completions, source, strict=True)), Score())
    assert total.valid >= 0.95 * len(source)  # now and then a text goes round in circles until it is cut off
    assert total.field_accuracy > UNSEEN_AT_LEAST


# Some fields below what docs/benchmarks.md reports: sums in another order may turn a close decision.
MESSAGES_AT_LEAST = 0.9
UNSEEN_AT_LEAST = 0.93


def test_it_is_called_by_its_name() -> None:
    assert str((model() + model()).formula) == "support-2m + support-2m"
