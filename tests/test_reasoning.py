"""Evaluation of thoughts and sketches: its task against a simulation, and whole runs with models of known answers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, cast

import numpy as np
import pytest
from command_line import run

import guidance_kit as gk
from guidance_kit.decoding.tabular import TabularModel
from guidance_kit.evaluation import Rate, evaluate_reasoning
from guidance_kit.evaluation.reasoning import Budgets
from guidance_kit.evaluation.records import is_valid
from guidance_kit.evaluation.shuffled_objects import (
    LENGTHS,
    MODES,
    SCHEMA,
    Mode,
    ShuffledObject,
    held_out,
    training_problems,
)
from guidance_kit.models.loading import bundled_models
from guidance_kit.thinking import BEGIN, BETWEEN, END, SKETCHED
from tools.train_tracker import RECIPE, balanced, train_tokenizer

bundled = pytest.mark.skipif("tracker" not in bundled_models(), reason="no bundled model in this checkout")

SENTINEL = 256
"""End of the sequence after the bytes."""

VOCABULARY = gk.Vocabulary(
    token_bytes=tuple([bytes([byte]) for byte in range(256)] + [b""]),
    special=frozenset({SENTINEL}),
    eos=(SENTINEL,),
    rows=257,
    special_names={SENTINEL: "<end>"},
)


BYTES = Budgets(thoughts=300, sketch=120, record=240)
"""Budgets of texts whose tokens are bytes."""


class Scripted(TabularModel):
    """Model that continues known texts as they go on, and ends any other one."""

    start_token = 32
    has_chat_template = False
    reasoning_tags = None

    def __init__(self, texts: Iterable[str]) -> None:
        super().__init__(VOCABULARY, np.zeros((258, 257)), name="scripted")
        self.following: dict[bytes, int] = {}
        for text in texts:
            spelled = text.encode()
            for place, byte in enumerate(spelled):
                self.following.setdefault(spelled[:place], byte)
            self.following.setdefault(spelled, SENTINEL)

    def row(self, prefix: Sequence[int]) -> np.ndarray:
        logits = np.zeros(257)
        logits[self.following.get(bytes(prefix), SENTINEL)] = 20.0
        return logits

    def encode(self, text: str, *, with_special_tokens: bool = True) -> list[int]:
        return list(text.encode())

    def spell(self, text: str) -> list[int]:
        return list(text.encode())


def written(one: ShuffledObject, mode: Mode, *, record: str | None = None) -> list[str]:
    """Texts of an answer from the prompt on."""
    record = one.record_text if record is None else record
    if mode == "schema at once":
        return [one.prompt(mode) + record]
    if mode == "thoughts first":
        return [f"{one.prompt(mode)}{BEGIN}{one.thoughts}{END}{BETWEEN}{record}"]
    return [one.prompt(mode) + one.sketch, f"{one.prompt(mode)}{one.sketch}{SKETCHED}{record}"]


def test_problems_agree_with_a_simulation() -> None:
    for one in [*held_out(5), *training_problems(0, 40)]:
        contents = {place: place == one.start for place in "ABCDE"}
        path = [one.start]
        shown: list[str] = []
        for first, second in one.swaps:
            contents[first], contents[second] = contents[second], contents[first]
            (place,) = [place for place, has_coin in contents.items() if has_coin]
            path += [place] if place != path[-1] else []
            shown.append(f"{first} {second}: {place}\n")
        assert one.record == {"place": path[-1], "moves": len(path) - 1, "path": path}
        assert one.thoughts == "".join(shown)
        assert is_valid(one.record_text, SCHEMA)
        gk.json_schema(SCHEMA).parse(one.record_text)


def test_held_out_problems_are_fixed_and_never_trained_on() -> None:
    found = held_out(30)
    assert found == held_out(30)
    assert held_out(10) == [one for first in range(0, 120, 30) for one in found[first : first + 10]]
    assert len(set(found)) == 120
    ranges = [sum(low <= len(one.swaps) <= high for one in found) for low, high in LENGTHS]
    assert ranges == [30, 30, 30, 30]
    trained = training_problems(0, 400)
    assert trained[100:120] == training_problems(100, 120)
    assert not any(one.is_held_out for one in trained)
    assert not set(trained) & set(found)


def test_modes_are_trained_on_equal_numbers_of_tokens() -> None:
    tokenizer = train_tokenizer(RECIPE, problems=50)
    end = tokenizer.get_vocab()["<|end|>"]
    seen = dict.fromkeys(MODES, 0)
    for mode, rows in balanced(training_problems(0, 300), tokenizer, end):
        seen[mode] += sum(len(tokens) for tokens, _ in rows)
    assert max(seen.values()) - min(seen.values()) <= RECIPE.context
    one = training_problems(3, 4)[0]
    for mode, rows in balanced([one], tokenizer, end):
        assert [tokenizer.decode(tokens) for tokens, _ in rows] == [f"{text}<|end|>" for text in written(one, mode)]


def test_answers_are_judged() -> None:
    problems = held_out(1)[:3]
    wrong = json.dumps({"place": "A", "moves": 0, "path": ["A"]})
    texts = [text for one in problems for mode in MODES for text in written(one, mode)]
    right = evaluate_reasoning(gk.Model(cast(Any, Scripted(texts))), problems, budgets=BYTES)
    assert set(right.figures.values()) == {1.0}
    texts = [
        text
        for one in problems
        for mode in MODES
        for text in written(one, mode, record={"schema at once": wrong, "sketch first": "{no"}.get(mode))
    ]
    found = evaluate_reasoning(gk.Model(cast(Any, Scripted(texts))), problems, budgets=BYTES)
    share = sum(one.record["place"] == "A" for one in problems) / 3
    assert share < 1
    assert found.figures["place right, schema at once, schema"] == share
    assert found.figures["valid, schema at once, none"] == 1
    assert found.figures["record right, thoughts first, schema"] == 1
    assert found.figures["valid, sketch first, none"] == 0
    assert found.figures["valid, sketch first, schema"] == 1
    assert found.headline is not None
    rows = {row[:2]: row for row in found.headline.rows}
    assert rows["thoughts first", "schema"][4] == Rate(3, 3)
    assert rows["schema at once", "schema"][5] == 0
    assert rows["thoughts first", "schema"][5] > rows["sketch first", "schema"][5] > 0
    assert found.traced is not None
    assert [one.thoughts is not None for one in found.traced.completions] == [False, True, True]


@pytest.mark.slow
def test_other_models_are_asked_in_full() -> None:
    problems = held_out(1)[:2]
    asked = [f"{one.question}\n" for one in problems]
    texts = [prompt + one.record_text for prompt, one in zip(asked, problems, strict=True)]
    found = evaluate_reasoning(gk.Model(cast(Any, Scripted(texts))), problems, is_trained=False, budgets=BYTES)
    assert found.figures["record right, schema at once, none"] == 1
    assert found.figures["valid, thoughts first, schema"] == 1


@bundled
@pytest.mark.slow
def test_the_bundled_model_follows_the_coin_in_its_thoughts(tmp_path: Any) -> None:
    out = tmp_path / "out"
    found = run("evaluate", "reasoning", "--number", "40", "-o", str(out))
    assert found.exit_code == 0
    assert {path.name for path in out.iterdir()} == {
        "reasoning.html", "reasoning.json", "reasoning_1.svg", "reasoning_tokens.html", "results.md",
    }  # fmt: skip
    figures = json.loads((out / "reasoning.json").read_text())["figures"]
    assert figures["place right, thoughts first, schema"] > figures["place right, schema at once, schema"] + 0.2
    assert all(figures[f"valid, {mode}, schema"] == 1 for mode in MODES)
