"""Real constraints through the loop: what is generated satisfies them, whatever the model says."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guidance_kit.decoding.loop import generate
from guidance_kit.decoding.options import Options
from guidance_kit.decoding.sampling import Sampling
from guidance_kit.decoding.tabular import TabularModel
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.grammars.constraint import choice, regex
from guidance_kit.guides.constraint import ConstraintGuide
from guidance_kit.vocabulary import Vocabulary

WORDS = ["the", " the", "ab", "1", "12", "é", "é€", "€"[:1], '": "', "\n", "2024-", "😀", "aa", "aaa"]
VOCABULARY = Vocabulary(
    token_bytes=(*(bytes([byte]) for byte in range(256)), *(word.encode() for word in WORDS), b""),
    special=frozenset({256 + len(WORDS)}),
    eos=(256 + len(WORDS),),
    rows=300,
)
MODEL = TabularModel.random(VOCABULARY, order=1, scale=2, seed=0)

PATTERNS = [
    r"\d{4}-\d{2}-\d{2}",
    r"(?i)[a-f]{3,9}|the( the)*",
    r"[é€😀]{2,6}",
    r"(\w+ ){2}\w{1,5}",
    r'"name": "[^"\\\n]{1,20}"',
    r"(?s).{3,12}",
    r"a{2,3}(?=b)b|1(?!2)\d",
    r"(yes|no|maybe)?",
]


def texts(constraint, *, count: int, sampling: Sampling, max_tokens: int = 60):
    guide = ConstraintGuide(Matcher(constraint.compile(VOCABULARY)))
    options = Options(sampling=sampling, max_tokens=max_tokens)
    pieces = generate(MODEL, VOCABULARY, [[65]] * count, options=options, constraint=guide)
    return [piece.completion for piece in pieces if piece.completion is not None]


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize(
    "sampling", [Sampling(seed=1), Sampling(seed=1, temperature=3.0, top_p=0.95), Sampling(temperature=0)]
)
def test_every_complete_text_matches(pattern, sampling):
    completions = texts(regex(pattern), count=12, sampling=sampling)
    compiled = re.compile(pattern)
    for completion in completions:
        if completion.finish_reason == "complete":
            assert compiled.fullmatch(completion.text), completion
        assert VOCABULARY.text_of(completion.tokens).decode("utf-8", "replace") == completion.text
    if "+" not in pattern and "*" not in pattern:
        assert all(completion.finish_reason == "complete" for completion in completions)


@given(st.lists(st.text(max_size=8), min_size=1, max_size=6, unique=True), st.integers(0, 2**32))
def test_a_choice_is_one_of_them(options, seed):
    for completion in texts(choice(options), count=3, sampling=Sampling(seed=seed)):
        assert completion.text in options
        assert completion.finish_reason == "complete"


def test_a_text_that_is_cut_can_be_completed():
    """What is generated before the limit is always the beginning of a text that satisfies the constraint."""
    constraint = regex(r"[é€😀]{40}!")
    for completion in texts(constraint, count=10, sampling=Sampling(seed=4), max_tokens=9):
        assert completion.finish_reason == "length"
        matcher = Matcher(constraint.compile(VOCABULARY))
        matcher.advance_all(completion.tokens)
