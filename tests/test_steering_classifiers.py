"""Classifiers in formulas: Bayes' rule, candidates, gates, constraints, attribution, texts cut within characters."""

from __future__ import annotations

import math
import re
import warnings
from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest
import torch
from loop_runs import GREEDY, NETWORKS, complete, run
from networks import words_of
from steered_models import ANTI, BASE, EXPERT, anti, base, expert, logs, softmax
from toy_models import ABC, EOS, A, B, matcher_of, speakable

from guidance_kit.decoding.sampling import Sampling
from guidance_kit.decoding.tabular import TabularModel
from guidance_kit.errors import ContextLengthError, FormulaError, ModelError, OptionError
from guidance_kit.fsm import bitmask
from guidance_kit.steering.classifiers import OfTexts, on_tokens, whole_texts
from guidance_kit.steering.ensemble import Ensemble
from guidance_kit.steering.formula import Formula
from guidance_kit.steering.named import classifier_guided
from guidance_kit.steering.schedules import entropy_gate, every
from guidance_kit.vocabulary import Vocabulary

FULL = Vocabulary(token_bytes=(b"", b"a", b"b", b"ab", b"c"), special=frozenset(), eos=(0,), rows=5)
"""Every row is a token."""

PROMPTS = [[A], [B, B], [A, EOS, A], [B]]


def score(tokens) -> float:
    """Any function of the tokens: the logarithm of a probability that differs for each."""
    return -((hash(tuple(tokens)) % 1009) / 250)


CALLS: list[int] = []


@on_tokens
def judge(rows):
    CALLS.append(len(rows))
    return [score(row) for row in rows]


def guided(values: np.ndarray, tokens, *, top_k: int, alpha: float, others="removed", allowed=None) -> np.ndarray:
    """The slow twin: what the formula comes to after some tokens, from the logarithms of the base."""
    seen = np.where(speakable(ABC) if allowed is None else allowed, values, -np.inf)
    order = [token for token in np.argsort(-seen, kind="stable")[:top_k] if seen[token] > -np.inf]
    scores = {int(token): score([*tokens, int(token)]) for token in order}
    least = -np.inf if others == "removed" else min(scores.values())
    return values + alpha * np.array([scores.get(token, least) for token in range(len(values))])


class Mixture(TabularModel):
    """What comes next if one of two models was drawn before the first generated token."""

    priors = (0.3, 0.7)

    def posterior(self, prompt, tokens) -> np.ndarray:
        weights = np.array(self.priors)
        for place, token in enumerate(tokens):
            weights = weights * [model.probabilities([*prompt, *tokens[:place]])[token] for model in (EXPERT, ANTI)]
        return weights / weights.sum()

    def logits(self, prefixes, positions=1, *, starts=(), allowed=None):
        block = []
        for prefix, start in zip(prefixes, starts, strict=True):
            rows = []
            for end in range(len(prefix) - positions + 1, len(prefix) + 1):
                weights = self.posterior(prefix[:start], prefix[start:end])
                each = np.stack([model.probabilities(prefix[:end]) for model in (EXPERT, ANTI)])
                rows.append(np.log(weights @ each))
            block.append(rows)
        return torch.tensor(np.array(block))


def test_an_exact_classifier_makes_the_conditional_model():
    """Bayes, to 1e-10; and with fewer tokens asked about, the same among these."""
    mixture = Mixture(ABC, BASE.table, name="mixture")
    rng = np.random.Generator(np.random.PCG64(1))
    for _ in range(60):
        prompt = rng.integers(0, ABC.rows, size=rng.integers(1, 4)).tolist()
        classifier = on_tokens(lambda rows, p=prompt: np.log([mixture.posterior(p, row)[0] for row in rows]))
        prefix = [*prompt, *rng.integers(0, ABC.rows, size=rng.integers(0, 6)).tolist()]
        expected = EXPERT.probabilities(prefix)
        for top_k in (ABC.rows, 3):
            formula = classifier_guided(Formula.of(mixture), classifier, top_k=top_k)
            found = Ensemble(formula).logits([prefix], starts=[len(prompt)]).softmax(-1)[0, 0].numpy()
            mixed = mixture.logits([prefix], starts=[len(prompt)])[0, 0].numpy()
            kept = [token for token in np.argsort(-mixed) if speakable(ABC)[token]][:top_k]
            among = np.zeros(ABC.rows)
            among[kept] = expected[kept] / expected[kept].sum()
            np.testing.assert_allclose(found, among, atol=1e-10)


@pytest.mark.parametrize("others", ["removed", "least"])
@pytest.mark.parametrize("top_k", [1, 3, 7, 100])
def test_the_likeliest_tokens_are_rescored(top_k, others):
    rng = np.random.Generator(np.random.PCG64(top_k))
    body = base + 0.7 * (expert - anti)
    ensemble = Ensemble(classifier_guided(body, judge, alpha=1.5, top_k=top_k, others=others))
    for _ in range(20):
        prompts = [rng.integers(0, ABC.rows, size=rng.integers(2, 5)).tolist() for _ in range(3)]
        starts = [int(rng.integers(1, len(prompt))) for prompt in prompts]
        found = ensemble.logits(prompts, 2, starts=starts)
        for row, (prompt, start) in enumerate(zip(prompts, starts, strict=True)):
            for back in (0, 1):
                prefix = prompt[: len(prompt) - back]
                values = logs(BASE)(prefix) + 0.7 * (logs(EXPERT)(prefix) - logs(ANTI)(prefix))
                twin = guided(values, prefix[start:], top_k=top_k, alpha=1.5, others=others)
                np.testing.assert_allclose(found[row, 1 - back].softmax(-1), softmax(twin), atol=1e-12)


def test_of_equally_likely_tokens_those_with_the_lowest_ids_are_asked_about():
    flat = Formula.of(TabularModel(ABC, np.zeros((ABC.rows + 1, ABC.rows))))
    found = Ensemble(classifier_guided(flat, judge, top_k=4)).logits([[A]], starts=[1])[0, 0]
    assert (found > -torch.inf).tolist() == [True] * 4 + [False] * (ABC.rows - 4)


def test_the_prompt_is_read_if_that_is_asked_for():
    found = Ensemble(classifier_guided(base, judge, has_prompt=True)).logits([[A, B]])[0, 0]
    twin = guided(logs(BASE)([A, B]), [A, B], top_k=100, alpha=1.0)
    np.testing.assert_allclose(found.softmax(-1), softmax(twin), atol=1e-12)
    with pytest.raises(ModelError, match="depends on where the prompts end"):
        Ensemble(classifier_guided(base, judge)).logits([[A, B]])


def test_alpha_0_is_the_base():
    found = Ensemble(classifier_guided(base, judge, alpha=0.0, top_k=2)).logits([[A, B]], starts=[1])
    assert torch.equal(found, Ensemble(base).logits([[A, B]]))


def test_closed_gates_leave_the_base_bit_for_bit_and_ask_nothing():
    gate = entropy_gate(1.4)
    ensemble = Ensemble(classifier_guided(base, judge, alpha=2.0 * gate * every(2), top_k=3))
    prefixes = [[A, *tail] for length in range(4) for tail in product(range(ABC.rows), repeat=length)][:200]
    prefixes = [prefix for prefix in prefixes if len(prefix) == 3]
    opened = 0
    CALLS.clear()
    found = ensemble.logits(prefixes, 3, starts=[1] * len(prefixes))
    for prefix, block in zip(prefixes, found, strict=True):
        for place, row in enumerate(block):
            before = prefix[: place + 1]
            chances = BASE.probabilities(before)
            is_open = place % 2 == 0 and -(chances * np.log(chances)).sum() >= 1.4
            opened += is_open
            values = logs(BASE)(before)
            if is_open:
                twin = guided(values, before[1:], top_k=3, alpha=2.0)
                np.testing.assert_allclose(row.softmax(-1), softmax(twin), atol=1e-12)
            else:
                assert torch.equal(row, Ensemble(base).logits([before])[0, 0].log_softmax(-1))
    assert 0 < opened < 3 * len(prefixes)
    assert sum(CALLS) == 3 * opened
    assert len(CALLS) == 1


@pytest.mark.parametrize("others", ["removed", "least"])
@pytest.mark.parametrize("network", [None, *NETWORKS])
def test_texts_have_the_exact_probability(network, others):
    """Under constraints the candidates are those that are allowed; so there is always one."""
    formula = classifier_guided(base, judge, alpha=1.5, top_k=2, others=others)
    made = None if network is None else NETWORKS[network]()
    completions = complete(
        Ensemble(formula), PROMPTS * 6, network=made, sampling=Sampling(seed=2), max_tokens=5, logprobs=0
    )
    for prompt, completion in zip(PROMPTS * 6, completions, strict=True):
        matcher = None if network is None else matcher_of(NETWORKS[network]())
        for place, (token, record) in enumerate(zip(completion.tokens, completion.logprobs or (), strict=True)):
            passed = completion.tokens[:place]
            values = logs(BASE)([*prompt, *passed])
            allowed = speakable(ABC) if matcher is None else bitmask.unpack(matcher.allowed(), ABC.rows)
            twin = guided(values, passed, top_k=2, alpha=1.5, others=others, allowed=allowed)
            chances = softmax(np.where(allowed, twin, -np.inf))
            assert record.guided_logprob == pytest.approx(math.log(chances[token]), abs=2e-6)
            free = softmax(guided(values, passed, top_k=2, alpha=1.5, others=others))
            assert record.removed_mass == pytest.approx(free[~allowed].sum(), abs=1e-6)
            if matcher is not None:
                matcher.advance(token)


@pytest.mark.parametrize("network", [None, *NETWORKS])
def test_a_batch_is_its_rows_and_pieces_add_up(network):
    formula = classifier_guided(base + 0.5 * expert, judge, alpha=entropy_gate(1.2) * every(2), top_k=3)
    made = None if network is None else NETWORKS[network]()
    seeds = list(range(20))
    whole, _ = run(Ensemble(formula), PROMPTS * 5, network=made, seeds=seeds, max_tokens=6)
    for prompt, seed, one in zip(PROMPTS * 5, seeds, whole, strict=True):
        assert complete(Ensemble(formula), [prompt], network=made, seeds=[seed], max_tokens=6)[0].tokens == one.tokens


def test_the_term_is_accounted_for_and_asked_once():
    model = TabularModel.random(FULL, order=2, seed=7)
    formula = classifier_guided(Formula.of(model), judge, alpha=1.5, top_k=3)
    CALLS.clear()
    (one,) = complete(Ensemble(formula), [[1]], sampling=Sampling(seed=5), max_tokens=4, logprobs=0)
    assert [3] * len(one.tokens) == CALLS
    for place, (token, record) in enumerate(zip(one.tokens, one.logprobs, strict=True)):
        first, term = record.terms
        assert (first.term, term.term) == ("table", "1.5 * classifier(judge, top_k=3)")
        assert term.own_logprob == pytest.approx(score([*one.tokens[:place], token]), abs=1e-12)
        values = logs(model)([1, *one.tokens[:place]])
        chances = softmax(guided(values, one.tokens[:place], top_k=3, alpha=1.5, allowed=True))
        assert term.logprob == pytest.approx(math.log(chances[token]), abs=1e-9)
        kept = chances > 0
        moved = (chances[kept] * (np.log(chances[kept]) - values[kept])).sum()
        assert term.divergence == pytest.approx(moved, abs=1e-9)


def test_records_of_a_batch_are_those_of_its_rows():
    """Also where a gate is open in some rows only: what was not asked has no log-probability."""
    formula = classifier_guided(base, judge, alpha=entropy_gate(1.4), top_k=3)
    options = {"sampling": Sampling(seed=1), "max_tokens": 3, "logprobs": 0}
    seeds = list(range(20))
    weights = set()
    for prompt, seed, one in zip(
        PROMPTS * 5, seeds, complete(Ensemble(formula), PROMPTS * 5, seeds=seeds, **options), strict=True
    ):
        alone = complete(Ensemble(formula), [prompt], seeds=[seed], **options)[0]
        terms = [[(term.weight, term.own_logprob) for term in record.terms] for record in one.logprobs]
        assert terms == [[(term.weight, term.own_logprob) for term in record.terms] for record in alone.logprobs]
        weights |= {weight for (_, (weight, own)) in terms if (weight == 0) == (own is None)}
    assert weights == {0.0, 1.0}


def test_scores_may_come_with_gradients():
    factor = torch.ones(1, requires_grad=True)
    formula = classifier_guided(base, lambda texts: factor * torch.zeros(len(texts)), top_k=3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = Ensemble(formula).logits([[A]], starts=[1])
    assert not found.requires_grad


def test_candidates_that_only_the_constraint_leaves_are_asked_about_once_more():
    """The records show what the formula would be without it."""
    CALLS.clear()
    (one,) = complete(
        Ensemble(classifier_guided(base, judge, top_k=1)), [[A]], network=words_of([b"b"]), sampling=GREEDY, logprobs=0
    )
    assert one.text == "b"
    assert one.logprobs[0].terms[1].own_logprob == -math.inf
    assert one.logprobs[0].guided_logprob == 0
    assert CALLS == [1, 1]


# Texts

BYTES = Vocabulary.from_bytes()
SPELLED = ["a", "é", "€", "😀", "b"]


def test_texts_end_with_a_whole_character():
    """Against decoding each sequence bit by bit, over random bytes that are mostly characters."""
    rng = np.random.Generator(np.random.PCG64(2))
    for _ in range(400):
        whole = "".join(rng.choice(SPELLED, size=6)).encode()
        noise = bytes(rng.integers(0, 256, size=rng.integers(0, 3)).tolist())
        prefix = [*noise, *whole[: rng.integers(0, len(whole))]]
        tokens = [*rng.integers(0, 256, size=20).tolist(), 256]
        for token, text in zip(tokens, whole_texts(prefix, tokens, BYTES), strict=True):
            raw = bytes([*prefix, *([token] if token < 256 else [])])
            cuts = [raw[: len(raw) - back] for back in range(4)]
            assert text in [cut.decode(errors="replace") for cut in cuts]
            rest = raw.decode(errors="replace")[len(text) :]
            assert rest in ("", "�")  # what is left is at most one character that has only begun
            if rest:
                begun = next(cut for cut in cuts if cut.decode(errors="replace") == text)
                assert any((raw[len(begun) :] + tail).decode(errors="ignore") for tail in ENDS)


ENDS = [bytes(tail) for n in (1, 2, 3) for tail in product((0x80, 0x90, 0xA0, 0xBF), repeat=n)]


def test_equal_texts_are_asked_about_once():
    asked: list[list[str]] = []

    def length(texts):
        asked.append(list(texts))
        return [-len(text) for text in texts]

    candidates = torch.tensor([[0x82, 0xE2, 0x61], [0x61, 0x62, 256]])
    found = OfTexts(length).logprobs([[0xE2], [0x61]], candidates, BYTES)
    assert asked == [["", "�", "�a", "aa", "ab", "a"]]
    assert found.tolist() == [[0, -1, -2], [-2, -2, -1]]


# What is wrong

BAD = [
    (on_tokens(lambda rows: [0.0]), ModelError, "returned scores of shape (1,) for 3 sequences of tokens"),
    (lambda texts: [[0.0] * 2 for _ in texts], ModelError, "returned scores of shape (2, 2) for 2 texts"),
    (lambda texts: [0.0] * (len(texts) + 1), ModelError, "returned scores of shape (3,) for 2 texts"),
    (lambda texts: "no", ModelError, "returned a str, not scores"),
    (lambda texts: None, ModelError, "returned a NoneType, not scores"),
    (on_tokens(lambda rows: [0.0, float("nan"), 0.0]), FormulaError, "returned nan for token"),
    (on_tokens(lambda rows: [0.0, 0.0, float("inf")]), FormulaError, "returned inf for token"),
    (on_tokens(lambda rows: [-float("inf")] * 3), FormulaError, "no token is left"),
]


@pytest.mark.parametrize(("function", "kind", "message"), BAD)
def test_bad_scores_name_the_term_and_the_place(function, kind, message):
    formula = classifier_guided(base, function, alpha=2.0, top_k=3)
    with pytest.raises(kind, match=re.escape(message)) as caught:
        complete(Ensemble(formula), [[A]], sampling=GREEDY, max_tokens=2)
    said = "\n".join([str(caught.value), *getattr(caught.value, "__notes__", [])])
    assert "classifier(" in said
    if kind is FormulaError:
        assert "step 1, prompt 0" in said


@dataclass
class Matrix:
    """A classifier that keeps no contract, and cannot be hashed."""

    returned: object = None

    def logprobs(self, prefixes, candidates, vocabulary):
        return torch.zeros(len(prefixes), 1) if self.returned is None else self.returned

    def room(self, tokens):
        return 2 - tokens

    def __str__(self):
        return "matrix"


def test_classifiers_of_their_own_kind_are_held_to_the_shape_and_limit_the_text():
    ensemble = Ensemble(classifier_guided(base, Matrix(), top_k=3))
    with pytest.raises(ModelError, match=re.escape("(1, 1) for candidates of shape (1, 3)")):
        ensemble.logits([[A]], starts=[1])
    with pytest.raises(ModelError, match=re.escape("a list for candidates of shape (1, 3)")):
        Ensemble(classifier_guided(base, Matrix([0.0] * 3), top_k=3)).logits([[A]], starts=[1])
    assert ensemble.room([A]) == 2
    with pytest.raises(ContextLengthError, match=re.escape("context of classifier(matrix, top_k=3), which is 2")):
        Ensemble(classifier_guided(base, Matrix(), top_k=3, has_prompt=True)).room([A, B])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"top_k": 0}, "top_k must be an integer, at least 1, not 0"),
        ({"others": "remove"}, "unknown rule for other tokens 'remove'; did you mean 'removed'?"),
        ({"alpha": -1.0}, "alpha is -1.0; to steer away from a class, steer towards the others"),
        ({"alpha": -0.5 * every(2)}, "steer towards the others"),
        ({"alpha": float("nan")}, "a weight must be a finite number, at most 1e+30, not nan"),
        ({"classifier": 3}, "a classifier is a function from texts to scores, or one class of a classifier"),
    ],
    ids=str,
)
def test_bad_options(given, message):
    with pytest.raises(OptionError, match=re.escape(message)):
        classifier_guided(base, **{"classifier": judge, **given})
    with pytest.raises(OptionError, match="period must be an integer, at least 1"):
        every(0)
