"""Real constraints through the loop: what is generated satisfies them, whatever the model says."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networks import words_of
from toy_models import ABC, A, constrained, matcher_of

from guidance_kit.decoding.generation import generate
from guidance_kit.decoding.options import Options
from guidance_kit.decoding.sampling import Sampling
from guidance_kit.decoding.tabular import TabularModel
from guidance_kit.errors import BudgetError
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.grammars.choice import choice
from guidance_kit.grammars.regex import regex
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


def texts(constraint, *, count: int, sampling: Sampling, max_tokens: int = 60, complete: bool = False):
    guide = ConstraintGuide(Matcher(constraint.compile(VOCABULARY)))
    options = Options(sampling=sampling, max_tokens=max_tokens, complete=complete)
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
@settings(max_examples=settings.default.max_examples // 5)
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


class TestComplete:
    """Option `complete`: texts satisfy their constraints within `max_tokens`, whatever the model says."""

    @pytest.mark.parametrize("pattern", PATTERNS)
    @pytest.mark.parametrize("more", [0, 1, 3, 20])
    def test_every_text_matches(self, pattern, more):
        constraint = regex(pattern)
        needed = Matcher(constraint.compile(VOCABULARY)).min_tokens_to_complete()
        for completion in texts(
            constraint, count=12, sampling=Sampling(seed=1), max_tokens=max(1, needed + more), complete=True
        ):
            assert re.fullmatch(pattern, completion.text)
            assert completion.finish_reason in ("complete", "budget")
            assert len(completion.tokens) <= max(1, needed + more)

    def test_the_reason_says_whether_there_was_room(self):
        """Without a limit that comes near, nothing changes; the same text is cut without the option."""
        constraint = regex("(the ?)+!")
        plenty = {"count": 20, "sampling": Sampling(seed=5), "max_tokens": 400}
        assert texts(constraint, **plenty, complete=True) == texts(constraint, **plenty)
        scarce = {"count": 20, "sampling": Sampling(seed=5), "max_tokens": 6}
        reasons = set()
        for cut, whole in zip(texts(constraint, **scarce), texts(constraint, **scarce, complete=True), strict=True):
            reasons.add((cut.finish_reason, whole.finish_reason))
            assert (whole.finish_reason == "budget") or cut == whole
        assert ("length", "budget") in reasons
        assert all(whole != "length" for _, whole in reasons)

    def test_a_text_that_could_go_on_is_completed_too(self):
        (completion,) = texts(regex("a+"), count=1, sampling=Sampling(seed=0), max_tokens=2, complete=True)
        assert set(completion.text) == {"a"}
        assert completion.finish_reason == "budget" if len(completion.tokens) == 2 else "complete"

    def test_too_little_room_is_refused_before_the_model_is_asked(self):
        with pytest.raises(BudgetError, match=r"it takes \d+ tokens to complete the text, and there are 3") as error:
            texts(regex("x{40}"), count=2, sampling=Sampling(), max_tokens=3, complete=True)
        assert error.value.__notes__ == ["prompt 0"]

    def test_the_room_is_that_of_each_prompt(self):
        model = TabularModel(VOCABULARY, MODEL.table, context_length=12)
        guide = ConstraintGuide(Matcher(regex("1*x").compile(VOCABULARY)))
        options = Options(sampling=Sampling(seed=0), max_tokens=None, complete=True)
        prompts = [[65] * 4, [65] * 11]
        found = {
            piece.row: piece.completion
            for piece in generate(model, VOCABULARY, prompts, options=options, constraint=guide)
            if piece.completion is not None
        }
        assert found[1].text == "x"
        assert found[1].finish_reason == "budget"
        assert found[0].text.endswith("x")
        with pytest.raises(BudgetError):
            generate(model, VOCABULARY, [[65] * 11], options=options, constraint=ConstraintGuide(
                Matcher(regex("1*xyz").compile(VOCABULARY))
            ))  # fmt: skip

    def test_exactly_the_distribution_of_what_is_left(self):
        """The masks under the budget are all that changes: each text has the probability that they leave it."""
        matcher = matcher_of(words_of([b"ab", b"abab", b"b", b"bbbb"]))
        model = TabularModel.random(ABC, order=1, seed=8)
        exact = constrained(model, matcher.within(3), [A], 3)
        guide, count = ConstraintGuide(matcher), 4000
        options = Options(sampling=Sampling(seed=3), max_tokens=3, complete=True)
        pieces = generate(model, ABC, [[A]] * count, options=options, constraint=guide)
        found = Counter(piece.completion.tokens for piece in pieces if piece.completion is not None)
        assert found.keys() <= exact.keys()
        for tokens, probability in exact.items():
            assert (
                abs(found[tokens] / count - probability) < 4 * (probability * (1 - probability) / count) ** 0.5 + 1e-9
            )
