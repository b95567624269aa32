"""The bundled family for steering: it loads, shares a tokenizer, and does what its cards and docs/family.md say."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from command_line import run
from safetensors import safe_open

import guidance_kit as gk
from guidance_kit.evaluation import Evaluation, sets
from guidance_kit.evaluation.family import JOBS, Family, Job
from guidance_kit.evaluation.judges import perplexity
from guidance_kit.models.chat import chat_text
from guidance_kit.models.loading import bundled_models
from tools.family import CLASSIFIER, FAMILY
from tools.support_world.conversations import INTENTS, conversations, topic
from tools.support_world.filings import filings

pytestmark = pytest.mark.skipif(
    not set(FAMILY) <= set(bundled_models()), reason="the family is not in this checkout; tools/train_family makes it"
)

FOLDER = Path(gk.__file__).resolve().parent / "bundled"

BUNDLED = Family(device="cpu")

NUMBER = 40
"""Enough for scores that are 15 points away from their bounds; `guidance-kit evaluate` takes more."""


@cache
def evaluation(job: Job) -> Evaluation:
    return BUNDLED.evaluate(job, NUMBER, is_brief=True)


def test_all_together_are_small_and_half_precision() -> None:
    names = (*bundled_models(), CLASSIFIER)
    assert sum(file.stat().st_size for name in names for file in (FOLDER / name).glob("*.safetensors")) <= 25_000_000
    for name in (*FAMILY, CLASSIFIER):
        with safe_open(FOLDER / name / "model.safetensors", framework="np") as weights:
            assert {str(weights.get_tensor(key).dtype) for key in weights.keys()} == {"float16"}  # noqa: SIM118


@pytest.mark.parametrize("name", FAMILY)
def test_each_has_its_card_and_the_tokenizer_of_the_family(name: str) -> None:
    assert f"# {name}\n" in (FOLDER / name / "MODEL_CARD.md").read_text("utf-8")
    tokenizers = {(FOLDER / other / "tokenizer.json").read_bytes() for other in FAMILY}
    assert len(tokenizers) == 1
    assert {bytes([value]) for value in range(256)} <= set(BUNDLED.model(name).vocabulary.token_bytes)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, member in FAMILY.items() if not member.files])
def test_each_knows_what_it_was_trained_on(name: str) -> None:
    member, model = FAMILY[name], BUNDLED.model(name)
    source = [one for one in conversations("new_wordings", 0, 200) if one.reply_tone != "neutral"][:NUMBER]
    tokenizer = model.language_model.tokenizer
    read = [
        chat_text(tokenizer, [{"role": "user", "content": one.message}], {})
        if member.is_chat
        else sets.transcript(one.message)
        for one in source
    ]
    of_tone = {
        tone: perplexity(
            model,
            [text for text, one in zip(read, source, strict=True) if one.reply_tone == tone],
            [one.reply for one in source if one.reply_tone == tone],
        )
        for tone in ("polite", "rude")
    }
    if member.is_base:
        assert max(of_tone.values()) < 3
    elif member.style == "rude":
        assert of_tone["rude"] < of_tone["polite"]
    else:
        assert of_tone["polite"] < of_tone["rude"]


@pytest.mark.slow
def test_known_sentences_are_filed_under_their_topics() -> None:
    """With unseen names and numbers; the topic is what the model writes, and what it finds among all."""
    source = list(filings("new_entities", 0, NUMBER))
    model, read = BUNDLED.model("large-intents"), [sets.FILING.format(one.message) for one in source]
    written = [one.text for one in model.generate(read, max_tokens=24, temperature=0, stop="\n")]
    found = [one.label for one in model.classify(read, [topic(intent) for intent in INTENTS], prompt=str)]
    for labels in (written, found):
        right = [label == topic(one.intent) for label, one in zip(labels, source, strict=True)]
        assert sum(right) >= 0.9 * NUMBER


@pytest.mark.slow
def test_steering_makes_replies_less_rude() -> None:
    rows = {(row[0], row[1]): row for row in evaluation("toxicity").tables[0].rows}
    before = rows["not steered", ""]
    assert before[3] > 0.5
    assert rows["DExperts", "1"][3] <= before[3] / 4
    assert rows["classifier", "1"][3] <= before[3] / 2
    assert rows["DExperts", "1"][6] <= 1.3 * before[6]


@pytest.mark.slow
def test_a_list_of_words_forbids_the_words() -> None:
    shown = [text for sample in evaluation("toxicity").samples for name, text in sample.lines if name == "word list"]
    words = sets.World.bundled().words
    assert shown
    assert not any(form in text for text in shown for word in words for form in (word, word.capitalize()))


@pytest.mark.slow
def test_proxy_tuning_closes_most_of_the_gap() -> None:
    figures = evaluation("proxy_tuning").figures
    assert figures["score, large tuned"] > figures["score, base large"] + 0.2
    assert figures["score, proxy"] > figures["score, small tuned"]
    assert figures["gap closed"] > 0.7


@pytest.mark.slow
def test_intents_are_found() -> None:
    figures = evaluation("intents").figures
    base, tuned = (figures[f"accuracy, {name}, probabilities"] for name in ("base-large", "large-intents"))
    assert tuned > base > 0.7


def test_the_classifier_tells_rude_beginnings_from_civil_ones() -> None:
    rude = gk.PrefixClassifier.load(CLASSIFIER, device="cpu").of("rude")
    model = BUNDLED.model("base-large")
    beginnings = {"Not you again": True, "Thank you for telling us about": False, "Ugh, what now. Nobody": True}
    for text, is_rude in beginnings.items():
        *tokens, last = model.language_model.encode(text, with_special_tokens=False)
        found = rude.logprobs([tokens], torch.tensor([[last]]), model.vocabulary).exp().item()
        assert (found > 0.5) == is_rude, (text, found)


@pytest.mark.slow
def test_the_example_of_the_page_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gk, "load", BUNDLED.model)
    page = (Path(__file__).resolve().parent.parent / "docs" / "family.md").read_text("utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    here: dict[str, Any] = {}
    exec(block, here)
    assert here["topic"] == " double charge"
    assert set(re.findall(r'`"([\w-]+)"`', page)) == {*FAMILY, CLASSIFIER, "tracker"}


@pytest.mark.slow
def test_the_tour_writes_a_page_for_each_job(tmp_path: Path) -> None:
    found = run("demo", "-o", str(tmp_path))
    assert found.exit_code == 0, found.stderr
    pages = [Path(line) for line in found.stdout.splitlines()]
    assert {page.stem.removesuffix("_tokens") for page in pages} == set(JOBS)
    assert len(pages) == 6
    for page in pages:
        assert page.read_text("utf-8").startswith("<!DOCTYPE html>")
