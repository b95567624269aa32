"""Guides against repetition, and minimal length: against transformers and the definitions, token by token."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from loop_runs import MODEL, complete
from small_models import small_llama
from toy_models import EOS, A

import guidance_kit as gk
from guidance_kit.decoding.sampling import Sampling
from guidance_kit.errors import ConstraintError, OptionError
from guidance_kit.guides.dry import Dry
from guidance_kit.guides.no_repeat_ngrams import NoRepeatNgrams

ROWS = 6


def texts(count: int, most: int = 40) -> list[list[int]]:
    generator = np.random.Generator(np.random.PCG64(3))
    return [generator.integers(0, 3, size=generator.integers(1, most)).tolist() for _ in range(count)]


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_no_repeat_ngrams_is_that_of_transformers(size):
    processors = pytest.importorskip("transformers.generation.logits_process")
    theirs = processors.NoRepeatNGramLogitsProcessor(size)
    guide = NoRepeatNgrams(size)
    forbidden = 0
    for text in texts(60):
        scores = torch.randn(1, ROWS)
        cut = len(text) // 2
        state = guide.advance(guide.start([text[:cut]]), [text[cut:]])
        found = guide.adjust(scores, state)
        assert torch.equal(found, theirs(torch.tensor([text]), scores.clone()))
        forbidden += int(found.isinf().sum())
        for token in range(ROWS):
            assert guide.may_forbid(state, [[token]]) == bool(found[0, token].isinf())
    assert forbidden > 20


def repetition(text: list[int], token: int, breakers: frozenset[int]) -> int:
    """Length of the longest end of the text that came before and was followed by the token there."""
    if token in breakers:
        return 0
    longest = 0
    for end in range(1, len(text)):
        length = 0
        while length < end and text[end - 1 - length] == text[-1 - length] and text[-1 - length] not in breakers:
            length += 1
        if text[end] == token:
            longest = max(longest, length)
    return longest


@pytest.mark.parametrize("breakers", [frozenset(), frozenset({0}), frozenset({2})])
@pytest.mark.parametrize("last", [None, 9])
@pytest.mark.parametrize("base", [1.0, 1.75])
def test_dry_is_its_definition(breakers, last, base):
    guide = Dry(multiplier=0.8, base=base, allowed_length=2, last=last, breakers=breakers)
    penalised = 0
    for text in [*texts(60), [4] * 30, [3, 4] * 20]:
        state = guide.advance(guide.start([text[:1]]), [text[1:]])
        found = guide.adjust(torch.zeros(1, ROWS), state)[0]
        seen = text if last is None else text[-last:]
        lengths = [repetition(seen, token, breakers) for token in range(ROWS)]
        wanted = [0.8 * base ** (length - 2) if length >= 2 else 0.0 for length in lengths]
        assert (-found).tolist() == pytest.approx(wanted, rel=1e-5)
        penalised += sum(penalty > 0 for penalty in wanted)
    assert penalised > 4


def test_a_long_repetition_costs_bounded_work_and_stays_finite():
    guide = Dry()
    state = guide.start([[A] * 5000])
    assert guide._longest(state[0]) < 200
    assert -1e30 <= float(guide.adjust(torch.zeros(1, ROWS), state)[0, A]) < -1e29
    assert guide.adjust(torch.zeros(1, ROWS), state)[0, A] == pytest.approx(
        -0.8 * 1.75 ** (guide._longest(state[0]) - 2), rel=1e-3
    )
    assert not guide.may_forbid(state, [[A]])


def test_breakers_are_tokens_that_contain_a_text():
    model = gk.Model(small_llama())
    guide = Dry.with_breakers(model.vocabulary, ["\n", "e"], allowed_length=3)
    spelled = {token: model.vocabulary.token_bytes[token] for token in guide.breakers}
    assert spelled
    assert all(b"\n" in one or b"e" in one for one in spelled.values())
    assert guide.allowed_length == 3
    for wrong in ("\n", ["x", ""]):
        with pytest.raises(OptionError, match="breakers are"):
            Dry.with_breakers(model.vocabulary, wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        {"multiplier": 0}, {"multiplier": float("nan")}, {"base": 0.5}, {"base": True}, {"allowed_length": 0},
        {"last": 0}, {"last": 1.5},
    ],
)  # fmt: skip
def test_dry_out_of_range_is_named(wrong):
    with pytest.raises(OptionError, match=next(iter(wrong))):
        Dry(**wrong)


@pytest.mark.parametrize("size", [0, 1.5, True, "2"])
def test_sizes_of_ngrams_out_of_range_are_named(size):
    with pytest.raises(OptionError, match="size must be an integer"):
        NoRepeatNgrams(size)


def test_no_text_ends_before_its_minimal_length():
    """And without it some do: the negative control."""
    for least in (0, 3):
        found = complete(MODEL, [[A]] * 200, sampling=Sampling(seed=1), max_tokens=8, min_tokens=least)
        ended = [one.tokens.index(EOS) for one in found if EOS in one.tokens]
        assert ended
        assert (min(ended) >= 3) == bool(least)


def test_minimal_length_is_that_of_transformers():
    processors = pytest.importorskip("transformers.generation.logits_process")
    from guidance_kit.guides.minimum_length import MinimumLength

    theirs = processors.MinNewTokensLengthLogitsProcessor(2, 3, [0, 4])
    guide = MinimumLength(3, (0, 4))
    state = guide.start([[1, 1]])
    for text in ([1, 1], [1, 1, 2], [1, 1, 2, 2], [1, 1, 2, 2, 2]):
        scores = torch.randn(1, ROWS)
        assert torch.equal(guide.adjust(scores, state), theirs(torch.tensor([text]), scores))
        assert guide.may_forbid(state, [[2, 0]]) == (len(text) < 4)
        state = guide.advance(state, [[2]])


def test_a_constraint_ends_a_text_below_the_minimal_length():
    model = gk.Model(small_llama())
    assert model.generate("the", gk.regex("abc"), min_tokens=9, max_tokens=20).text == "abc"
    found = model.generate("the", gk.regex("a{1,9}"), min_tokens=6, max_tokens=20, seed=1)
    assert len(found.tokens) >= 6
    with pytest.raises(OptionError, match="min_tokens is 9, more than max_tokens, 5"):
        model.generate("the", min_tokens=9, max_tokens=5)
    with pytest.raises(OptionError, match="min_tokens must be an integer"):
        model.generate("the", min_tokens=-1)


def test_no_repeat_ngrams_in_the_loop():
    model = gk.Model(small_llama())
    prompts = ["the cat", "a"]
    options = {"seed": 2, "max_tokens": 30, "guides": gk.NoRepeatNgrams(1)}
    together = model.generate(prompts, **options)
    for prompt, one in zip(prompts, together, strict=True):
        assert len(set(one.tokens)) == len(one.tokens)
        assert "".join(model.stream(prompt, seed=one.seed, max_tokens=30, guides=gk.NoRepeatNgrams(1))) == one.text
    with pytest.raises(ConstraintError, match="the guides forbid all"):
        model.generate("the", gk.regex("[a]{5}"), **options)
