"""Aligned decoders in batches, over models with caches and through the front door; and what is refused."""

from __future__ import annotations

import math
import re
from collections import Counter

import numpy as np
import pytest
import torch
from loop_runs import MODEL, run
from marks import slow
from small_models import random_model, recomputed, small_llama
from test_aligned_sampling import BIAS, Case, draw
from toy_models import AB, ABC, A, B, Counting, speakable

from guidance_kit.decoding.asap import Asap
from guidance_kit.decoding.batching import generate_in_batches
from guidance_kit.decoding.completion import Completion
from guidance_kit.decoding.importance import Importance
from guidance_kit.decoding.options import Options
from guidance_kit.decoding.population import is_degenerate, resampling_counts
from guidance_kit.decoding.sample import Sample
from guidance_kit.decoding.sampling import Sampling
from guidance_kit.errors import ConstraintError, OptionError
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.grammars.regex import regex
from guidance_kit.guides.constraint import ConstraintGuide
from guidance_kit.guides.penalties import Penalties
from guidance_kit.model import Model
from guidance_kit.models.transformers_model import TransformersModel

BOTH = [Importance(particles=6), Asap(samples=4)]


@pytest.mark.parametrize("decoder", BOTH)
def test_a_batch_gives_what_its_prompts_give_alone(decoder):
    prompts = [[A], [B, AB], [B], [A, A, A]]
    constraints = ["ab|abb|b|bbbbb", "(ab)+", "(a|b){2,4}", "a*b?"]
    matchers = [Matcher(regex(pattern).compile(ABC)) for pattern in constraints]
    options = Options(decoder=decoder, sampling=Sampling(seed=5), max_tokens=7)
    guides = (BIAS, Penalties(presence=0.4, repetition=1.2))

    def all_of(batch_size: int) -> list[Completion]:
        found = generate_in_batches(
            MODEL, ABC, prompts, batch_size=batch_size, options=options, constraint=ConstraintGuide(matchers),
            guides=guides,
        )  # fmt: skip
        return [completion for _, completion in sorted(found)]

    together = all_of(64)
    assert together == all_of(1)
    for prompt, matcher, completion in zip(prompts, matchers, together, strict=True):
        again = Options(decoder=decoder, sampling=Sampling(seed=completion.seed), max_tokens=7)
        alone = generate_in_batches(
            MODEL, ABC, [prompt], batch_size=1, options=again, constraint=ConstraintGuide(matcher), guides=guides
        )
        assert next(alone)[1] == completion


def test_all_particles_are_one_batch_and_ended_ones_cost_nothing():
    asked = Counting(MODEL)
    case = Case("(a|b)+", model=asked, max_tokens=8)
    (completion,) = draw(case, Importance(particles=10, resample_below=0), 1)
    assert asked.batches[0] == 10
    assert asked.batches == sorted(asked.batches, reverse=True)
    assert asked.batches[-1] < 10
    assert len(asked.batches) <= 8
    assert completion.aligned.effective_size <= 10


@pytest.mark.parametrize("decoder", BOTH)
def test_where_no_text_ends_in_time_the_text_is_cut(decoder):
    (completion,) = draw(Case("(ab){9}", max_tokens=4), decoder, 1)
    assert completion.finish_reason == "length"
    assert re.fullmatch("(ab)+a?", completion.text)
    assert completion.aligned.log_probability == -math.inf
    assert completion.aligned.probability == completion.aligned.effective_size == 0
    assert completion.aligned.candidates == ()


@pytest.mark.parametrize("decoder", BOTH)
def test_a_constraint_that_truncation_forbids_is_refused(decoder):
    likeliest = int(np.argmax(MODEL.probabilities([A]) * speakable(ABC)))
    pattern = "b" if likeliest in (A, AB) else "a"
    with pytest.raises(ConstraintError, match=r"prompt 0: .*no probability"):
        draw(Case(pattern, sampling=Sampling(seed=0, top_k=1)), decoder, 1)


REFUSED = [
    ({"sampling": Sampling(temperature=0)}, "decoder='importance' draws texts, so it needs a temperature above 0"),
    ({"complete": True}, "complete=True and decoder='importance' exclude each other"),
    ({"stop": ("a",)}, "stop and decoder='importance' exclude each other"),
    ({"logprobs": 0}, "logprobs and decoder='importance' exclude each other"),
]


@pytest.mark.parametrize(("options", "message"), REFUSED)
def test_what_an_alignment_does_not_go_with(options, message):
    with pytest.raises(OptionError, match=re.escape(message)):
        Options(decoder=Importance(), **options)


def test_settings_out_of_range_are_refused():
    for wrong in ({"particles": 0}, {"resample_below": 1.5}, {"resampling": "resudual"}):
        with pytest.raises(OptionError):
            Importance(**wrong)
    for wrong in ({"samples": 0}, {"memory": {}}):
        with pytest.raises(OptionError):
            Asap(**wrong)
    with pytest.raises(OptionError, match="did you mean 'importance'"):
        Options.from_keywords({"decoder": "importence"})
    assert Options.from_keywords({"decoder": "sample"}).decoder == Sample()
    assert Options.from_keywords({"decoder": "asap"}).decoder == Asap()


def test_there_must_be_a_constraint_and_no_pieces():
    with pytest.raises(OptionError, match="there is no constraint"):
        next(generate_in_batches(MODEL, ABC, [[A]], batch_size=1, options=Options(decoder=Asap())))
    with pytest.raises(OptionError, match="there is no constraint"):
        run(MODEL, [[A]], decoder=Asap())


@pytest.mark.parametrize("count", [5, *slow(20)])
@pytest.mark.parametrize("is_residual", [False, True])
def test_resampling_takes_each_as_often_as_its_weight_says(is_residual, count):
    """On average over the random number exactly, and each time to less than one (two for what residual leaves)."""
    rng = np.random.Generator(np.random.PCG64(3))
    for _ in range(count):
        weights = rng.dirichlet(np.full(7, 0.5))
        counts = np.array([resampling_counts(weights, (u + 0.5) / 1000, is_residual=is_residual) for u in range(1000)])
        assert (counts.sum(1) == 7).all()
        assert np.allclose(counts.mean(0), 7 * weights, atol=8e-3)
        assert (np.abs(counts - 7 * weights) < 1 + is_residual).all()


def rounded(weights: list[float], seed: int) -> np.ndarray:
    """Weights as another processor might have computed them."""
    noise = np.random.Generator(np.random.PCG64(seed)).normal(scale=1e-7, size=len(weights))
    changed = np.array(weights) * (1 + noise)
    return changed / changed.sum()


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("count", [1, 3, 5, 16])
def test_rounding_decides_nothing_about_resampling(count, seed):
    """Weights of k / N: their effective size and their numbers of copies are determined."""
    assert not is_degenerate(rounded([1.0] * count, seed), 1.0)
    assert not is_degenerate(rounded([1.0, 0.0] * count, seed), 0.5)
    assert is_degenerate(rounded([1.0, 0.0] * count, seed), 0.5 + 1e-3)
    wanted = [1] * count + [2, 0, 3, 0, 0]
    weights = rounded([copies / len(wanted) for copies in wanted], seed)
    for uniform in (0.0, 1e-12, 0.37, 1 - 2**-53):
        for is_residual in (False, True):
            assert resampling_counts(weights, uniform, is_residual=is_residual).tolist() == wanted


# Over models with a cache


class Recomputed:
    """A model that is asked for a batch and answers as if it had no cache; see that both agree.

    What texts are drawn is left to one of them: where random numbers meet a boundary, the last bit of a logit decides.
    """

    def __init__(self, model: TransformersModel) -> None:
        self.model, self.rows, self.room = model, model.rows, model.room
        self.asked: list[list[list[int]]] = []

    def logits(self, prefixes, positions=1, *, starts=(), allowed=None):
        self.asked.append([list(prefix) for prefix in prefixes])
        plain = recomputed(self.model, self.asked[-1], positions)
        cached = self.model.logits(prefixes, positions, starts=starts, allowed=allowed)
        torch.testing.assert_close(cached, plain, atol=2e-4, rtol=0)
        return plain


@pytest.mark.parametrize("decoder", [Importance(particles=5, resample_below=1), Asap(samples=4)])
@pytest.mark.parametrize("name", ["Llama", *slow("Mamba", "Mistral")])
def test_caches_follow_the_particles(name, decoder):
    """Texts that branch, end and change places: logits are as without a cache."""
    model = random_model(name)
    constraint = ConstraintGuide(Matcher(regex("[0-9]{1,3}(,[a-c]+)?").compile(model.vocabulary)))
    options = Options(decoder=decoder, sampling=Sampling(seed=4), max_tokens=9)
    prompts = [list(b"the cat"), list(b"x"), list(b"the cat")]
    checked = Recomputed(model)
    found = generate_in_batches(
        checked, model.vocabulary, prompts, batch_size=32, options=options, constraint=constraint
    )
    assert len(list(found)) == 3
    sizes = [len(batch) for batch in checked.asked]
    assert min(sizes) < max(sizes)
    if isinstance(decoder, Importance):
        parents = [Counter(map(tuple, batch)) for batch in checked.asked[2:]]
        assert max(count for batch in parents for count in batch.values()) > 1


PLAIN = Model(small_llama())
MODES = [*slow("importance", "asap"), Importance(particles=3), Asap(samples=2)]


@pytest.mark.parametrize("decoder", MODES)
@pytest.mark.parametrize("model", [PLAIN, 1.5 * PLAIN - 0.5 * PLAIN.given("Say: ")], ids=["model", "formula"])
def test_the_front_door(model, decoder):
    prompts = ["the cat", "hello", "the cat sat"]
    constraint = json_schema({"enum": ["yes", 12, [True]]}, whitespace="compact", escapes="minimal")
    together = model.generate(prompts, constraint, decoder=decoder, seed=3, max_tokens=12)
    again = model.generate(prompts, constraint, decoder=decoder, seed=3, max_tokens=12)
    assert [one.tokens for one in together] == [one.tokens for one in again]
    for prompt, completion in zip(prompts, together, strict=True):
        assert completion.value in ["yes", 12, [True]]
        assert completion.tokens[-1] in model.vocabulary.eos
        assert sum(one.weight for one in completion.aligned.candidates) == pytest.approx(1)
        alone = model.generate(prompt, constraint, decoder=decoder, seed=completion.seed, max_tokens=12)
        assert alone.tokens == completion.tokens
        assert completion.aligned.log_probability < 0


def test_extraction_takes_an_alignment():
    options = {"decoder": "importance", "temperature": 1.0, "seed": 1, "max_tokens": 200}
    assert PLAIN.extract("the cat", {"enum": ["yes", 12]}, **options) in ["yes", 12]
    with pytest.raises(OptionError, match="needs a temperature above 0"):
        PLAIN.extract("the cat", {"enum": ["yes", 12]}, decoder="asap")


def test_a_stream_cannot_be_aligned():
    with pytest.raises(OptionError, match="has no pieces: generate gives the whole text"):
        PLAIN.stream("the cat", regex("a+"), decoder="asap")
