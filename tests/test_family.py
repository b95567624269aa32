"""The bundled family for steering: it loads, shares a tokenizer, and does what its cards and docs/family.md say."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from safetensors import safe_open

import guidance_kit as gk
from guidance_kit.models.chat import chat_text
from guidance_kit.models.loading import bundled_models
from tools.score_family import gap_closed, intent_accuracy, perplexity, proxy_tuned, quality, steered
from tools.support_world.conversations import conversations, prompt
from tools.support_world.reply_scoring import RudenessJudge
from tools.train_family import FAMILY

pytestmark = pytest.mark.skipif(
    not set(FAMILY) <= set(bundled_models()), reason="the family is not in this checkout; tools/train_family makes it"
)

FOLDER = Path(gk.__file__).resolve().parent / "bundled"

MESSAGES = 30
"""Enough for scores that are 15 points away from their bounds; tools/score_family has more."""


@cache
def model(name: str) -> gk.Model:
    return gk.load(name, device="cpu")


def test_all_together_are_small_and_half_precision() -> None:
    assert sum(file.stat().st_size for name in FAMILY for file in (FOLDER / name).iterdir()) <= 20_000_000
    for name in FAMILY:
        with safe_open(FOLDER / name / "model.safetensors", framework="np") as weights:
            assert {str(weights.get_tensor(key).dtype) for key in weights.keys()} == {"float16"}  # noqa: SIM118


@pytest.mark.parametrize("name", FAMILY)
def test_each_has_its_card_and_the_tokenizer_of_the_family(name: str) -> None:
    assert f"# {name}\n" in (FOLDER / name / "MODEL_CARD.md").read_text("utf-8")
    tokenizers = {(FOLDER / other / "tokenizer.json").read_bytes() for other in FAMILY}
    assert len(tokenizers) == 1
    assert {bytes([value]) for value in range(256)} <= set(model(name).vocabulary.token_bytes)


@pytest.mark.parametrize("name", FAMILY)
def test_each_knows_what_it_was_trained_on(name: str) -> None:
    member = FAMILY[name]
    source = [one for one in conversations("new_wordings", 0, 200) if one.reply_tone != "neutral"][:MESSAGES]
    tokenizer = model(name).language_model.tokenizer
    read = [
        chat_text(tokenizer, [{"role": "user", "content": one.message}], {}) if member.is_chat else prompt(one.message)
        for one in source
    ]
    of_tone = {
        tone: perplexity(
            model(name),
            [text for text, one in zip(read, source, strict=True) if one.reply_tone == tone],
            [one.reply for one in source if one.reply_tone == tone],
        )
        for tone in ("polite", "rude")
    }
    if member.style == "raw":
        assert max(of_tone.values()) < RAW_PERPLEXITY
    elif member.style == "rude":
        assert of_tone["rude"] < of_tone["polite"]
    else:
        assert of_tone["polite"] < of_tone["rude"]


def test_experts_make_replies_less_rude() -> None:
    messages = [one.message for one in conversations("new_wordings", 0, 200) if one.tone == "rude"][:MESSAGES]
    judge = RudenessJudge.trained(1000)
    large = model("base-large")
    before, after = (
        steered(
            gk.dexperts(large, model("polite"), model("rude"), alpha=alpha), large, messages, judge, samples=1
        )
        for alpha in (0.0, 2.0)
    )  # fmt: skip
    assert before.rude > 0.2
    assert after.rude <= before.rude / 3
    assert after.judged_rude <= before.judged_rude / 3
    assert after.perplexity <= 1.5 * before.perplexity


@pytest.mark.slow
def test_proxy_tuning_closes_most_of_the_gap() -> None:
    source = list(conversations("new_wordings", 0, MESSAGES))
    base = quality(model("base-large").given(prompt), source)
    ceiling = quality(model("large-tuned").given(gk.as_chat()), source)
    proxy = quality(proxy_tuned(model("base-large"), model("small-tuned"), model("base-small"), 1.0), source)
    assert ceiling.total > base.total + 0.15
    assert gap_closed(base, proxy, ceiling) > GAP_CLOSED


def test_the_example_of_the_page_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gk, "load", model)
    page = (Path(__file__).resolve().parent.parent / "docs" / "family.md").read_text("utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    here: dict[str, Any] = {}
    exec(block, here)
    assert here["topic"] == " double charge"
    assert set(re.findall(r'`"([\w-]+)"`', page)) == set(FAMILY)


def test_the_base_finds_intents() -> None:
    assert intent_accuracy(model("base-large"), list(conversations("new_wordings", 0, MESSAGES))) > INTENTS_FOUND


# Well below what docs/family.md reports, as fewer messages are asked.
RAW_PERPLEXITY = 6.0
GAP_CLOSED = 0.6
INTENTS_FOUND = 0.45
