"""Log-probabilities of what was generated, against direct computation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from loop_runs import MODEL, NETWORKS, complete
from toy_models import AB, ABC, A, B, constrained, matcher_of, speakable

from guidance_kit.decoding.sampling import Sampling
from guidance_kit.fsm import bitmask


@pytest.mark.parametrize("name", [None, *NETWORKS])
def test_logprobs_are_those_of_direct_computation(name):
    network = None if name is None else NETWORKS[name]()
    prompts = [[A], [B, AB]] * 10
    # Temperature and truncation do not enter.
    completions = complete(
        MODEL, prompts, network=network, sampling=Sampling(seed=8, temperature=1.5, top_k=4), max_tokens=5, logprobs=3
    )
    for prompt, completion in zip(prompts, completions, strict=True):
        matcher = None if network is None else matcher_of(NETWORKS[name]())
        assert completion.logprobs is not None
        assert [record.token for record in completion.logprobs] == list(completion.tokens)
        for place, record in enumerate(completion.logprobs):
            before = completion.tokens[:place]
            probabilities = MODEL.probabilities([*prompt, *before])
            allowed = speakable(ABC) if matcher is None else bitmask.unpack(matcher.allowed(), ABC.rows)
            kept = probabilities[allowed].sum()
            assert record.logprob == pytest.approx(math.log(probabilities[record.token]), abs=1e-5)
            assert record.guided_logprob == pytest.approx(math.log(probabilities[record.token] / kept), abs=1e-5)
            assert record.removed_mass == pytest.approx(1 - kept, abs=1e-6)
            assert record.divergence == pytest.approx(-math.log(kept), abs=1e-5)  # KL of p conditioned to p
            assert record.choices == allowed.sum()
            assert record.terms == ()
            order = np.argsort(-probabilities)[:3]
            assert [other.token for other in record.top] == order.tolist()
            assert [other.is_allowed for other in record.top] == allowed[order].tolist()
            for other in record.top:
                assert other.logprob == pytest.approx(math.log(probabilities[other.token]), abs=1e-5)
            if matcher is not None:
                matcher.advance(record.token)


def test_guided_logprobs_sum_to_the_probability_of_the_text():
    expected = constrained(MODEL, matcher_of(NETWORKS["finite"]()), [A], 9)
    for completion in complete(MODEL, [[A]] * 50, network=NETWORKS["finite"](), sampling=Sampling(seed=1), logprobs=0):
        total = sum(record.guided_logprob for record in completion.logprobs or ())
        assert total == pytest.approx(math.log(expected[completion.tokens]), abs=1e-5)


def test_without_asking_there_are_none():
    assert complete(MODEL, [[A]])[0].logprobs is None
