"""Masks over the vocabulary of a real tokenizer, bit for bit, against trying every token."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from json_texts import dumps, encoded, walk
from oracles import Interpreter
from patterns import random_pattern
from schemas import maskbench, whole_schema

from guidance_kit.errors import ConstraintError
from guidance_kit.fsm import bitmask
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.grammars.regex import regex
from guidance_kit.vocabulary import Vocabulary

pytestmark = pytest.mark.slow


class EveryToken:
    """Tries every token of a vocabulary byte by byte, those that begin alike at once."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._root: dict = {}  # byte -> (the same for what follows it, tokens that end with it)
        for token, text in enumerate(vocabulary.token_bytes):
            if text and token not in vocabulary.special:
                following = self._root
                for byte in text:
                    following, ending = following.setdefault(byte, ({}, []))
                ending.append(token)

    def allowed(self, twin: Remembering, items: frozenset) -> np.ndarray:
        """The tokens that can come where the twin is: bool, (rows,)."""
        allowed = np.zeros(self.vocabulary.rows, dtype=bool)
        allowed[list(self.vocabulary.eos)] = None in items
        todo = [(self._root, items)]
        while todo:
            following, here = todo.pop()
            for byte, (beyond, ending) in following.items():
                after = twin.step(here, byte)
                if after:
                    allowed[ending] = True
                    todo.append((beyond, after))
        return allowed


class Remembering(Interpreter):
    """An interpreter that makes each step once."""

    def __init__(self, constraint: Constraint) -> None:
        super().__init__(constraint.network())
        self._steps: dict[tuple[frozenset, int], frozenset] = {}

    def step(self, items: frozenset, byte: int) -> frozenset:
        key = items, byte
        if key not in self._steps:
            self._steps[key] = super().step(items, byte)
        return self._steps[key]


@pytest.fixture(scope="module")
def every_token(shared_data) -> EveryToken:
    from transformers import AutoTokenizer

    return EveryToken(Vocabulary.from_tokenizer(AutoTokenizer.from_pretrained(shared_data / "tokenizers" / "qwen2.5")))


def compare(every_token: EveryToken, constraint: Constraint, text: bytes, rng: random.Random) -> Counter[str]:
    """Compare the masks before `text` and at up to three random places of it, which may lie within a character.

    Returns:
        How many masks and bits were compared, and how many of the masks allow a thousand tokens or more.
    """
    vocabulary, counts = every_token.vocabulary, Counter(constraints=1)
    index, twin = constraint.compile(vocabulary), Remembering(constraint)
    for cut in sorted({0, *rng.choices(range(len(text) + 1), k=3)}):
        matcher = Matcher(index)
        matcher.advance_bytes(text[:cut])
        found = bitmask.unpack(matcher.allowed(), vocabulary.rows)
        expected = every_token.allowed(twin, twin.run(text[:cut]))
        np.testing.assert_array_equal(found, expected, f"{constraint.source} after {text[:cut]}")
        counts.update(masks=1, bits=vocabulary.rows, wide=int(expected.sum() >= 1000))
    return counts


@pytest.mark.parametrize(
    ("make", "seeds", "masks", "wide"),
    [
        pytest.param(lambda rng: regex(random_pattern(rng)), 300, 400, 150, id="patterns"),
        pytest.param(lambda rng: json_schema(whole_schema(rng)), 150, 200, 30, id="schemas"),
    ],
)
def test_masks_of_random_constraints(make, seeds, masks, wide, every_token, record_property):
    counts: Counter[str] = Counter()
    for seed in range(seeds):
        rng = random.Random(seed)
        try:
            constraint = make(rng)
        except ConstraintError as error:
            counts[type(error).__name__] += 1
            continue
        counts += compare(every_token, constraint, walk(Automaton(constraint.network()), rng, patience=25), rng)
    record_property("counts", dict(counts))
    assert counts["masks"] > masks, counts
    assert counts["wide"] > wide, counts


def test_masks_of_real_schemas(every_token, shared_data, record_property):
    counts: Counter[str] = Counter()
    for number, row in enumerate(maskbench(shared_data)):
        texts = [encoded(dumps(case["data"])) for case in row["tests"] if case["valid"]]
        if number % 150 != 11 or not texts:
            continue
        try:
            constraint = json_schema(row["schema"])
        except ConstraintError as error:
            counts[type(error).__name__] += 1
            continue
        automaton = Automaton(constraint.network())
        read = len(automaton.advance(automaton.start, texts[0]))  # keys may stand in another order than the schema's
        counts += compare(every_token, constraint, texts[0][:read], random.Random(number))
    record_property("counts", dict(counts))
    assert counts["masks"] > 80, counts
    assert counts["wide"] > 20, counts
