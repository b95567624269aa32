"""Tokens that a constraint leaves as the only ones: free where nothing can forbid them, and forbidden like others."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

import numpy as np
import pytest
import torch
from loop_runs import GREEDY, MODEL, Note, complete
from marks import slow
from networks import words_of
from small_models import small_llama
from toy_models import AB, ABC, EOS, A, B, Counting

from guidance_kit.decoding.completion import Completion
from guidance_kit.decoding.sampling import Sampling
from guidance_kit.decoding.tabular import TabularModel
from guidance_kit.errors import ConstraintError, FormulaError
from guidance_kit.grammars.regex import regex
from guidance_kit.guides.guide import Stage
from guidance_kit.guides.logit_bias import LogitBias
from guidance_kit.guides.penalties import Penalties
from guidance_kit.model import Model
from guidance_kit.steering.classifiers import on_tokens
from guidance_kit.steering.ensemble import Ensemble
from guidance_kit.steering.formula import Formula, minimum
from guidance_kit.steering.named import classifier_guided, gedi
from guidance_kit.steering.schedules import first_tokens

FLAT = TabularModel(ABC, np.zeros(ABC.rows), name="flat")
OTHER = TabularModel(ABC, TabularModel.random(ABC, order=1, seed=5).table, name="other")
NEVER_B = TabularModel(ABC, np.where(np.arange(ABC.rows) == B, -np.inf, 0.0), name="never b")


def outcome(distribution, network, guides, logprobs, seed=0) -> tuple:
    """The tokens, or the kind of error."""
    options = {"sampling": Sampling(seed=seed), "max_tokens": 8, "logprobs": logprobs}
    try:
        (found,) = complete(distribution, [[A, B]], network=network, guides=guides, **options)
    except (ConstraintError, FormulaError) as error:
        return (type(error),)
    return found.tokens, found.finish_reason


def random_biases(rng: random.Random) -> LogitBias:
    sequences = [tuple(rng.choices([A, B, AB], k=rng.randint(1, 3))) for _ in range(rng.randint(1, 4))]
    return LogitBias({tokens: rng.choice([-math.inf, -math.inf, 2.0]) for tokens in sequences})


def random_model(rng: random.Random) -> TabularModel:
    """With zeros here and there, and always an end."""
    table = np.random.default_rng(rng.randrange(10**6)).normal(size=(ABC.rows + 1, ABC.rows))
    table[np.random.default_rng(rng.randrange(10**6)).random(table.shape) < rng.choice([0.0, 0.1, 0.3])] = -np.inf
    table[:, EOS] = 0.0
    return TabularModel(ABC, table, name=f"model {rng.random()}")


def random_distribution(rng: random.Random):
    models = [random_model(rng) for _ in range(3)]
    one, two, three = map(Formula.of, models)
    scores = {token: rng.choice([-math.inf, -1.0, 0.0]) for token in range(ABC.rows)}
    judge = on_tokens(lambda rows: [scores[row[-1]] for row in rows])
    formulas = [
        one + two, one + two.keep(top_k=2), minimum(one, two), 0.5 * one + 0.3 * (two - three),
        one.with_special_tokens_of(two), classifier_guided(one, judge), first_tokens(2) * one,
        first_tokens(3) * one + two, one.normalised(), gedi(one, two, three), one.keep(top_p=0.5) + two,
    ]  # fmt: skip
    return rng.choice([models[0], *map(Ensemble, formulas)])


@pytest.mark.parametrize("part", [0, *slow(*range(1, 12))])
def test_the_text_does_not_depend_on_what_is_recorded(part):
    """With log-probabilities every token is looked up; without, only those that must be."""
    forbidden = 0
    for seed in range(part * 50, part * 50 + 50):
        rng = random.Random(seed)
        words = {"".join(rng.choices("ab", k=rng.randint(1, 6))).encode() for _ in range(rng.randint(1, 3))}
        distribution = random_distribution(rng)
        guides = [random_biases(rng)] if rng.random() < 0.5 else []
        found = [outcome(distribution, words_of(sorted(words)), guides, logprobs, seed) for logprobs in (None, 0)]
        assert found[0] == found[1], (seed, words)
        forbidden += len(found[0]) == 1
    assert 5 < forbidden < 45


@dataclass(frozen=True)
class Ban:
    """A guide of somebody else's making, which does not say what it may forbid."""

    stage: Stage
    token: int

    def start(self, prompts):
        return None

    def adjust(self, logits, state):
        return logits.index_fill(-1, torch.tensor([self.token]), -torch.inf)

    def advance(self, state, tokens):
        return None

    def select(self, state, rows):
        return None

    def join(self, states):
        return None


NOTHING = "the guides forbid all that the constraint allows"
ZERO = "gives probability 0 to all that is allowed"
IMPOSSIBLE = {
    "bias": (MODEL, [LogitBias({(B,): -math.inf})], NOTHING),
    "sequence": (MODEL, [LogitBias({(B, B, B): -math.inf})], NOTHING),
    "sequence with the prompt": (MODEL, [LogitBias({(AB, B, B): -math.inf})], NOTHING),
    "guide": (MODEL, [Ban(Stage.BIAS, B)], NOTHING),
    "mask": (MODEL, [Ban(Stage.MASK, B)], NOTHING),
    "watermark": (MODEL, [Ban(Stage.WATERMARK, B)], NOTHING),
    "model": (NEVER_B, [], ZERO),
    "sum": (Ensemble(Formula.of(FLAT) + Formula.of(NEVER_B)), [], ZERO),
}


@pytest.mark.parametrize("sampling", [GREEDY, Sampling(seed=1)], ids=["greedy", "sampled"])
@pytest.mark.parametrize("logprobs", [None, 0])
@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_what_is_impossible_is_not_written(name, logprobs, sampling):
    distribution, guides, message = IMPOSSIBLE[name]
    with pytest.raises(ConstraintError, match=message):
        complete(distribution, [[AB]], network=words_of([b"bbbb"]), guides=guides, sampling=sampling, logprobs=logprobs)


CHEAP = {
    "none": [],
    "bias of others": [LogitBias({(A,): -math.inf, (AB, AB): -math.inf, (B,): -3.0})],
    "penalties": [Penalties(presence=1.0, frequency=0.5, repetition=1.3)],
}


@pytest.mark.parametrize("guides", CHEAP.values(), ids=CHEAP)
def test_they_cost_nothing_where_nothing_can_forbid_them(guides):
    counting = Counting(MODEL)
    (found,) = complete(counting, [[A]], network=words_of([b"bbbbb"]), guides=guides)
    assert found.tokens == (B,) * 5
    assert counting.batches == []


def test_they_cost_a_step_under_a_guide_that_does_not_say():
    counting = Counting(MODEL)
    calls: list = []
    complete(counting, [[A]], network=words_of([b"bbbbb"]), guides=[Note(Stage.BIAS, calls)])
    assert len(counting.batches) == len(calls) == 5


def test_formulas_say_whether_they_may_forbid():
    flat, never, other = map(Formula.of, (FLAT, NEVER_B, OTHER))
    scores = on_tokens(lambda rows: [0.0] * len(rows))
    full = [
        flat, flat + other, flat - other, flat.keep(top_k=1), flat.normalised(), minimum(flat, other),
        flat.with_special_tokens_of(other), gedi(flat, other, flat), flat + first_tokens(1) * other,
    ]  # fmt: skip
    partial = [
        never, flat + never, flat - never, never.keep(top_k=1), never.normalised(), minimum(flat, never),
        flat.with_special_tokens_of(never), gedi(flat, never, flat), flat + first_tokens(1) * never,
        first_tokens(1) * flat, classifier_guided(flat, scores),
    ]  # fmt: skip
    assert [Ensemble(formula).has_full_support for formula in full] == [True] * len(full)
    assert [Ensemble(formula).has_full_support for formula in partial] == [False] * len(partial)
    assert Ensemble(flat + 0.0 * never).has_full_support


def test_a_sure_end_leaves_other_tokens_a_chance():
    """p(end) = 1 - e^-40: the rest is e^-40, not 0, where a constraint lets the text go on."""
    sure = TabularModel(ABC, np.where(np.arange(ABC.rows) == EOS, 40.0, 0.0), name="sure")
    formula = Ensemble(Formula.of(OTHER).with_special_tokens_of(Formula.of(sure)))
    logprobs = formula.logits([[A]])[0, 0].double().log_softmax(-1)
    special = sorted(ABC.special)
    rest = logprobs.index_fill(0, torch.tensor(special), -torch.inf).logsumexp(0)
    assert float(rest) == pytest.approx(math.log(ABC.rows - len(special)) - 40, abs=1e-4)


def test_the_front_door():
    """Log-probabilities or none: the same text, the same error."""
    model = Model(small_llama())

    def written(bias: LogitBias, **options) -> Completion:
        return model.generate(
            "the cat", regex(r"[0-9]{2}-[0-9]{2}"), guides=[bias], temperature=0, max_tokens=9, **options
        )

    dash = [(token,) for token, text in enumerate(model.vocabulary.token_bytes) if text.startswith(b"-")]
    for options in ({}, {"logprobs": 0}):
        with pytest.raises(ConstraintError, match=NOTHING):
            written(LogitBias(dict.fromkeys(dash, -math.inf)), **options)
    letter = LogitBias({(ord("x"),): -math.inf})
    assert written(letter).text == written(letter, logprobs=0).text
