"""Guides in the loop: their order, what they see, what they cannot do."""

from __future__ import annotations

import math

import numpy as np
import pytest
from loop_runs import GREEDY, MODEL, Note, complete
from networks import repeated, words_of
from toy_models import AB, ABC, A, B, speakable

from guidance_kit.decoding.sampling import Sampling
from guidance_kit.guides.guide import Stage


def test_stages_come_in_their_order():
    calls: list = []
    guides = [Note(stage, calls) for stage in (Stage.WATERMARK, Stage.MASK, Stage.BIAS)]
    complete(MODEL, [[A]], network=repeated(b"b", 2, 3), guides=guides, sampling=Sampling(seed=1))
    complete(MODEL, [[A]], guides=guides, sampling=GREEDY, max_tokens=1)
    steps, rest = divmod(len(calls), 3)
    assert (steps > 3, rest) == (True, 0)
    assert [(stage, is_masked) for stage, is_masked, _ in calls] == [
        (Stage.BIAS, False), (Stage.MASK, False), (Stage.WATERMARK, True)
    ] * steps  # fmt: skip


def test_a_watermark_cannot_raise_what_is_forbidden():
    guide = Note(Stage.WATERMARK, [], token=A, bias=1e12)
    for sampling in (GREEDY, Sampling(seed=0), Sampling(seed=0, top_k=2)):
        (completion,) = complete(MODEL, [[A]], network=repeated(b"b", 2, 3), guides=[guide], sampling=sampling)
        assert set(completion.text) == {"b"}


def test_guides_see_every_token_of_their_rows():
    calls: list = []
    completions = complete(
        MODEL,
        [[A], [B], [AB]],
        network=words_of([b"bbab", b"bbbab", b"abbb", b"a"]),
        guides=[Note(Stage.BIAS, calls)],
        sampling=Sampling(seed=6),
    )
    paths = {(*prompt, *c.tokens) for prompt, c in zip([(A,), (B,), (AB,)], completions, strict=True)}
    for _, _, state in calls:
        for prefix in state:
            assert any(path[: len(prefix)] == prefix for path in paths)


def test_a_bias_moves_the_probability_and_not_the_models_own():
    bias = Note(Stage.BIAS, [], token=B, bias=2.0)
    (completion,) = complete(MODEL, [[A]], guides=[bias], sampling=GREEDY, max_tokens=1, logprobs=0)
    (record,) = completion.logprobs or ()
    weights = MODEL.probabilities([A]) * speakable(ABC) * np.exp([0, 0, 0, 2, 0, 0, 0])
    assert record.guided_logprob == pytest.approx(math.log(weights[record.token] / weights.sum()), abs=1e-5)
    assert record.logprob == pytest.approx(math.log(MODEL.probabilities([A])[record.token]), abs=1e-5)
