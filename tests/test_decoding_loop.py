"""The generation loop on a model whose distribution is known exactly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
import torch
from networks import repeated, words_of
from statistics_of_samples import chi_square
from toy_models import (
    AB,
    ABC,
    EOS,
    HOLE,
    PADDING,
    SPECIAL,
    A,
    B,
    Counting,
    constrained,
    matcher_of,
    speakable,
    unconstrained,
)

from guidance_kit.decoding.completion import Completion
from guidance_kit.decoding.loop import generate
from guidance_kit.decoding.options import Options
from guidance_kit.decoding.sampling import Sampling, Uniforms, row_seeds
from guidance_kit.decoding.tabular import TabularModel
from guidance_kit.errors import ConstraintError, ContextLengthError, ModelError, OptionError, VocabularyError
from guidance_kit.fsm import bitmask
from guidance_kit.guides.constraint import ConstraintGuide
from guidance_kit.guides.guide import Stage
from guidance_kit.vocabulary import Vocabulary

torch.set_num_threads(1)

MODEL = TabularModel.random(ABC, order=2, seed=1)
GREEDY = Sampling(temperature=0)


def run(distribution, prompts: Sequence[Sequence[int]], *, network=None, guides=(), seeds=None, **options):
    """The completions, in the order of the prompts, and the pieces of each."""
    vocabulary = getattr(distribution, "inner", distribution).vocabulary
    constraint = None if network is None else ConstraintGuide(matcher_of(network, vocabulary))
    completions: dict[int, Completion] = {}
    pieces: list[list[str]] = [[] for _ in prompts]
    for piece in generate(
        distribution,
        vocabulary,
        prompts,
        options=Options(**options),
        constraint=constraint,
        guides=guides,
        seeds=seeds,
    ):
        assert piece.row not in completions, "a piece after the last one"
        pieces[piece.row].append(piece.text)
        if piece.completion is not None:
            completions[piece.row] = piece.completion
    assert sorted(completions) == list(range(len(prompts)))
    for row, completion in completions.items():
        assert "".join(pieces[row]) == completion.text
    return [completions[row] for row in range(len(prompts))], pieces


def complete(distribution, prompts, **options) -> list[Completion]:
    return run(distribution, prompts, **options)[0]


NETWORKS = {
    "finite": lambda: words_of([b"ab", b"abb", b"b", b"bbbbb"]),
    "counted": lambda: repeated(b"ab", 2, 3),
    "unbounded": lambda: repeated(b"ab", 1),
}


# Distributions


@pytest.mark.parametrize("temperature", [1.0, 0.6])
def test_texts_have_the_exact_distribution(temperature):
    sharpened = TabularModel(ABC, MODEL.table / temperature)
    expected = unconstrained(sharpened, [A], 3)
    prompts = [[A]] * 12_000
    sampling = Sampling(temperature=temperature, seed=11)
    samples = [c.tokens for c in complete(MODEL, prompts, sampling=sampling, max_tokens=3)]
    statistic, limit = chi_square(samples, expected)
    assert statistic < limit
    # Negative control: a model that differs by a tenth of a nat here and there.
    noise = np.random.Generator(np.random.PCG64(0)).normal(scale=0.1, size=MODEL.table.shape)
    wrong = unconstrained(TabularModel(ABC, (MODEL.table + noise) / temperature), [A], 3)
    assert chi_square(samples, wrong)[0] > chi_square(samples, wrong)[1]


@pytest.mark.parametrize("name", NETWORKS)
def test_constrained_texts_have_the_exact_distribution(name):
    """At each step the model's distribution, renormalised over what is allowed."""
    expected = constrained(MODEL, matcher_of(NETWORKS[name]()), [B], 4)
    assert sum(expected.values()) == pytest.approx(1)
    prompts = [[B]] * 8_000
    samples = [
        c.tokens for c in complete(MODEL, prompts, network=NETWORKS[name](), sampling=Sampling(seed=3), max_tokens=4)
    ]
    statistic, limit = chi_square(samples, expected)
    assert statistic < limit
    # Negative control: the other reading, the model's distribution over texts conditioned on the constraint as a whole.
    wrong = unconstrained(MODEL, [B], 4)
    wrong = {tokens: wrong.get(tokens, 0) or wrong.get((*tokens, EOS), 0) for tokens in expected}
    total = sum(wrong.values())
    wrong = {tokens: probability / total for tokens, probability in wrong.items()}
    assert chi_square(samples, wrong)[0] > chi_square(samples, wrong)[1]


def test_truncation_comes_after_the_mask():
    """The likeliest token is forbidden: truncated first, nothing would be left."""
    table = np.array([0.0, 0, 9, 1, 0, 0, 0])
    model = TabularModel(ABC, table)
    for sampling in (Sampling(top_k=1), Sampling(top_p=0.1), Sampling(min_p=0.9), GREEDY):
        assert complete(model, [[A]], network=words_of([b"bbb"]), sampling=sampling)[0].text == "bbb"
        (completion,) = complete(model, [[A]], network=repeated(b"b", 2), sampling=sampling, max_tokens=5)
        assert completion.text == "bbbbb"


# Greedy


def greedy_oracle(model: TabularModel, prompt: Sequence[int], length: int) -> list[int]:
    tokens: list[int] = []
    while len(tokens) < length and (not tokens or tokens[-1] != EOS):
        tokens.append(int(np.where(speakable(ABC), model.row([*prompt, *tokens]), -np.inf).argmax()))
    return tokens


def test_greedy_takes_the_likeliest():
    prompts = [[A], [B, A], [SPECIAL, B], [AB]]
    for prompt, completion in zip(prompts, complete(MODEL, prompts, sampling=GREEDY, max_tokens=7), strict=True):
        assert list(completion.tokens) == greedy_oracle(MODEL, prompt, 7)


# Batches and streams


OPTIONS = [
    {"sampling": Sampling(seed=5), "max_tokens": 6},
    {"sampling": GREEDY, "max_tokens": 6},
    {"sampling": Sampling(seed=5, top_k=3, temperature=0.8), "max_tokens": 6, "stop": ("bab", "aa")},
    {"sampling": Sampling(seed=5, top_p=0.9, min_p=0.05), "max_tokens": 6, "logprobs": 2},
]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("name", [None, *NETWORKS])
def test_a_batch_equals_its_prompts_alone(options, name):
    prompts = [[A], [B, B, A], [AB], [SPECIAL, A], [A]] * 4

    def network():
        return None if name is None else NETWORKS[name]()

    together = complete(MODEL, prompts, network=network(), **options)
    seeds = row_seeds(options["sampling"].seed, len(prompts)) if options["sampling"].seed is not None else None
    for row, prompt in enumerate(prompts):
        alone = complete(
            MODEL, [prompt], network=network(), seeds=None if seeds is None else seeds[row : row + 1], **options
        )[0]
        if options["sampling"].is_greedy:
            assert alone.tokens == together[row].tokens
            continue
        assert alone == together[row]
        again = dict(options, sampling=Sampling(**{**vars_of(options["sampling"]), "seed": together[row].seed}))
        assert complete(MODEL, [prompt], network=network(), **again)[0] == alone


def vars_of(sampling: Sampling) -> dict:
    return {name: getattr(sampling, name) for name in Sampling.__dataclass_fields__}


def test_logprobs_do_not_change_what_is_drawn():
    """Forced tokens go through the distribution then; the random numbers stay with their places."""
    network = words_of([b"bbab", b"bbba", b"abbb"])
    prompts = [[A], [B]] * 20
    plain = complete(MODEL, prompts, network=network, sampling=Sampling(seed=2))
    detailed = complete(MODEL, prompts, network=network, sampling=Sampling(seed=2), logprobs=0)
    assert [c.tokens for c in plain] == [c.tokens for c in detailed]


def test_seeds():
    def texts(seed):
        return [c.tokens for c in complete(MODEL, [[A]] * 30, sampling=Sampling(seed=seed), max_tokens=8)]

    assert texts(1) == texts(1)
    assert texts(1) != texts(2)
    assert len(set(texts(1))) > 10, "equal prompts are drawn independently"
    assert texts(None) != texts(None)


def test_pieces_come_as_soon_as_they_are_certain():
    pieces = generate(MODEL, ABC, [[A]], options=Options(sampling=Sampling(seed=4), max_tokens=50))
    counting = Counting(MODEL)
    pieces = generate(counting, ABC, [[A]], options=Options(sampling=Sampling(seed=4), max_tokens=50))
    first = next(pieces)
    assert first.text
    assert len(counting.batches) <= 2
    pieces.close()


def test_characters_of_several_tokens_are_streamed_whole():
    euro = "€".encode()
    vocabulary = Vocabulary(
        token_bytes=(b"", euro[:1], euro[1:2], euro[2:], b"x"), special=frozenset({0}), eos=(0,), rows=5
    )
    model = TabularModel.random(vocabulary, order=1, seed=0)
    network = words_of([b"x" + euro + euro + b"x"])
    (completion,), (pieces,) = run(model, [[4]], network=network, logprobs=0)  # token by token
    assert pieces == ["x", "€", "€", "x"]
    assert completion.text == "x€€x"
    (cut,), (pieces,) = run(model, [[4]], network=network, max_tokens=3)
    assert (cut.text, cut.finish_reason) == ("x\ufffd", "length")


# How texts end


def chain(*tokens: int) -> TabularModel:
    """A model that is nearly sure of `tokens`, whatever comes before the n-th place, after a prompt of one token."""

    class Chain(TabularModel):
        def row(self, prefix):
            logits = np.zeros(ABC.rows)
            logits[tokens[min(len(prefix) - 1, len(tokens) - 1)]] = 50
            return logits

    return Chain(ABC, np.zeros((ABC.rows + 1, ABC.rows)))


ENDS = [
    # tokens of the model, options, text, tokens, reason
    ((A, B, EOS), {}, "ab", (A, B, EOS), "complete"),
    ((EOS,), {}, "", (EOS,), "complete"),
    ((A, B, A, B), {"max_tokens": 3}, "aba", (A, B, A), "length"),
    ((A, B, EOS), {"max_tokens": 2}, "ab", (A, B), "length"),  # the end was not taken
    ((A, B, EOS), {"max_tokens": 3}, "ab", (A, B, EOS), "complete"),
    ((A, AB, B, A), {"stop": ("abb",)}, "a", (A, AB, B), "stop"),
    ((A, AB, B, A), {"stop": ("ba",), "max_tokens": 4}, "aab", (A, AB, B, A), "stop"),
    ((AB, AB, AB), {"stop": ("ba",)}, "a", (AB, AB), "stop"),  # in the middle of a token
    ((A, A, A, B), {"stop": ("aab",)}, "a", (A, A, A, B), "stop"),
    ((A, B, EOS), {"stop": ("abc",)}, "ab", (A, B, EOS), "complete"),  # only its beginning
    ((A, B), {"stop": ("b",), "max_tokens": 2}, "a", (A, B), "stop"),  # both at once: the stop string was there
    ((A, SPECIAL, B, EOS), {"stop": ("ab",)}, "", (A, SPECIAL, B), "stop"),  # special tokens add no text
]


@pytest.mark.parametrize(("tokens", "options", "text", "generated", "reason"), ENDS)
def test_ends(tokens, options, text, generated, reason):
    for stream in ({}, {"logprobs": 1}):
        (completion,), (pieces,) = run(chain(*tokens), [[A]], sampling=GREEDY, **options, **stream)
        assert (completion.text, completion.tokens, completion.finish_reason) == (text, generated, reason)
        assert completion.prompt_tokens == 1
        if "stop" in options and reason == "stop":
            assert not any(stop in "".join(pieces) for stop in options["stop"])


CONSTRAINED_ENDS = [
    # texts of the constraint, options, text, tokens, reason, questions asked
    ([b"b"], {}, "b", (B,), "complete", 0),  # nothing to ask: one token, then the end
    ([b"b"], {"max_tokens": 1}, "b", (B,), "complete", 0),
    ([b"bbb"], {"max_tokens": 2}, "bb", (B, B), "length", 0),
    ([b"bbb"], {"stop": ("bb",)}, "", (B, B), "stop", 0),
    ([b"a", b"b"], {}, "b", (B,), "complete", 1),
    ([b"ab", b"bb"], {}, "bb", (B, B), "complete", 1),
    ([b"b", b"bb"], {}, "bb", (B, B), "complete", 1),  # "b" may end; after "bb" nothing else can come
    ([b""], {}, "", (), "complete", 0),
]


@pytest.mark.parametrize(("texts", "options", "text", "generated", "reason", "questions"), CONSTRAINED_ENDS)
def test_constrained_ends(texts, options, text, generated, reason, questions):
    counting = Counting(chain(B, B, B, B, EOS))
    (completion,), _ = run(counting, [[A]], network=words_of(texts), sampling=GREEDY, **options)
    assert (completion.text, completion.tokens, completion.finish_reason) == (text, generated, reason)
    assert len(counting.batches) == questions


def test_an_end_that_is_chosen_is_a_token():
    (completion,), _ = run(chain(B, EOS), [[A]], network=words_of([b"b", b"bb"]), sampling=GREEDY)
    assert (completion.text, completion.tokens, completion.finish_reason) == ("b", (B, EOS), "complete")


def test_the_context_ends_a_text():
    model = TabularModel(ABC, MODEL.table, context_length=5)
    (completion,) = complete(model, [[A, B]], network=repeated(b"ab", 9), max_tokens=None)
    assert completion.finish_reason == "length"
    assert len(completion.tokens) == 3
    assert complete(model, [[A]], network=repeated(b"b", 9), max_tokens=None)[0].tokens == (B,) * 4
    for length in (5, 6):
        with pytest.raises(ContextLengthError) as caught:
            complete(model, [[A], [A] * length])
        assert caught.value.context_length == 5


# What it costs


def test_rows_that_end_cost_nothing_more():
    counting = Counting(MODEL)
    prompts = [[A], [B], [AB], [B, B]] * 10
    completions = complete(counting, prompts, sampling=Sampling(seed=0), max_tokens=12)
    assert sum(counting.batches) == sum(len(c.tokens) for c in completions)
    assert counting.batches == sorted(counting.batches, reverse=True)
    assert counting.batches[-1] < counting.batches[0]


def test_forced_tokens_cost_nothing():
    """Of "bbab" and "bbba", only the third token is a choice."""
    counting = Counting(TabularModel(ABC, np.zeros(ABC.rows)))
    completions = complete(counting, [[A]] * 20, network=words_of([b"bbab", b"bbba"]), sampling=Sampling(seed=1))
    assert sum(counting.batches) == 20
    assert set(counting.prefixes) == {(A, B, B)}
    assert {c.tokens for c in completions} == {(B, B, A, B), (B, B, AB), (B, B, B, A)}


def test_rows_stay_in_step():
    """A row does not run ahead of the others: what is asked about is equally long for equally long prompts."""
    counting = Counting(MODEL)
    complete(counting, [[A]] * 30, network=words_of([b"bbbbbbbbb", b"abab", b"bbbba"]), sampling=Sampling(seed=1))
    questions = iter(counting.prefixes)
    for batch in counting.batches:
        assert len({len(next(questions)) for _ in range(batch)}) == 1
    alone = Counting(MODEL)
    complete(alone, [[A]], network=words_of([b"bbbbbbbbb", b"bba"]), sampling=Sampling(seed=1))
    assert [len(prefix) for prefix in alone.prefixes] == [3]


def test_no_prompts_no_work():
    counting = Counting(MODEL)
    assert complete(counting, []) == []
    assert counting.batches == []


# Log-probabilities


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


# Guides and their order


@dataclass(frozen=True)
class Note:
    """A guide that notes when it is called, and adds a fixed bias."""

    stage: Stage
    calls: list
    token: int = A
    bias: float = 0.0

    def start(self, prompts):
        return [tuple(prompt) for prompt in prompts]

    def adjust(self, logits, state):
        self.calls.append((self.stage, bool((logits == -torch.inf).any()), list(state)))
        adjusted = logits.clone()
        adjusted[:, self.token] = adjusted[:, self.token].clamp(min=-1e9) + self.bias
        return adjusted

    def advance(self, state, tokens):
        return [(*taken, *new) for taken, new in zip(state, tokens, strict=True)]

    def select(self, state, rows):
        return [state[row] for row in rows]


def test_stages_come_in_their_order():
    calls: list = []
    guides = [Note(stage, calls) for stage in (Stage.WATERMARK, Stage.CLASSIFIER, Stage.BIAS)]
    complete(MODEL, [[A]], network=repeated(b"b", 2, 3), guides=guides, sampling=Sampling(seed=1))
    complete(MODEL, [[A]], guides=guides, sampling=GREEDY, max_tokens=1)
    assert [(stage, is_masked) for stage, is_masked, _ in calls] == [
        (Stage.BIAS, False), (Stage.CLASSIFIER, False), (Stage.WATERMARK, True)
    ] * 2  # fmt: skip


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


# What is refused


class Broken(TabularModel):
    """A model that is right until a given prefix length."""

    value = float("nan")

    def row(self, prefix):
        return MODEL.row(prefix) if len(prefix) < 4 else np.full(ABC.rows, self.value)


@pytest.mark.parametrize("sampling", [GREEDY, Sampling(seed=0), Sampling(seed=0, temperature=0.7, top_k=2, top_p=0.5)])
@pytest.mark.parametrize("network", [None, repeated(b"ab", 30, 40)])
def test_nan_is_an_error_that_names_the_step(sampling, network):
    model = Broken(ABC, MODEL.table)
    with pytest.raises(ModelError, match=r"NaN at step 2 \(prompt 1, after 1 tokens\)"):
        complete(model, [[A], [A, B, B]], network=network or repeated(b"ab", 30, 40), sampling=sampling)


@pytest.mark.parametrize("sampling", [GREEDY, Sampling(seed=0)])
def test_infinite_logits_are_an_error(sampling):
    class Infinite(Broken):
        value = float("-inf")

    with pytest.raises(ModelError, match="infinite logits at step 1 "):
        complete(Infinite(ABC, MODEL.table), [[A] * 4], sampling=sampling)


@pytest.mark.parametrize("sampling", [GREEDY, Sampling(seed=0), Sampling(seed=0, top_p=0.5)])
def test_when_nothing_is_left_it_is_said(sampling):
    @dataclass(frozen=True)
    class Ban(Note):
        def adjust(self, logits, state):
            return logits.index_fill(-1, torch.tensor([A, B, AB]), -torch.inf)

    with pytest.raises(ConstraintError, match="no token is left at step 1 "):
        complete(MODEL, [[A]], network=repeated(b"ab", 2), guides=[Ban(Stage.BIAS, [])], sampling=sampling)


def test_an_empty_prompt_is_refused():
    with pytest.raises(ModelError, match="prompt 1 is empty"):
        complete(MODEL, [[A], []])


@pytest.mark.parametrize("token", [-1, ABC.rows])
def test_a_prompt_of_other_tokens_is_refused(token):
    with pytest.raises(VocabularyError, match="prompt 1 has tokens"):
        complete(MODEL, [[A], [A, token]])


def test_another_vocabulary_is_refused():
    with pytest.raises(VocabularyError, match="256"):
        generate(MODEL, Vocabulary.from_bytes(eos=10), [[A]])


def test_refusals_come_before_any_computation():
    counting = Counting(TabularModel(ABC, MODEL.table, context_length=3))
    for prompts in ([[A], []], [[A], [A, B, A]]):
        with pytest.raises(ModelError):
            generate(counting, ABC, prompts)
    assert counting.batches == []


def test_rows_without_a_token_are_never_generated():
    table = np.zeros(ABC.rows)
    table[[PADDING, HOLE]] = 30
    model = TabularModel(ABC, table)
    for sampling in (GREEDY, Sampling(seed=0)):
        completions = complete(model, [[A]] * 20, sampling=sampling, max_tokens=20)
        assert {token for c in completions for token in c.tokens} <= {EOS, SPECIAL, A, B, AB}


# Options


def test_options_from_keywords():
    options = Options.from_keywords({"max_tokens": 7, "stop": "x", "temperature": 0.5, "seed": 3})
    assert options == Options(max_tokens=7, stop=("x",), sampling=Sampling(temperature=0.5, seed=3))
    assert Options.from_keywords({"stop": ["a", "b"]}).stop == ("a", "b")
    assert Options.from_keywords({"stop": None}).stop == ()


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"max_token": 5}, "unknown option 'max_token'; did you mean 'max_tokens'?"),
        ({"temprature": 5}, "did you mean 'temperature'?"),
        ({"sampling": GREEDY}, "unknown option 'sampling'"),
        ({"max_tokens": 0}, "max_tokens must be an integer, at least 1"),
        ({"max_tokens": 2.5}, "max_tokens"),
        ({"stop": ""}, "stop"),
        ({"stop": ["a", 3]}, "stop"),
        ({"stop": 3}, "stop"),
        ({"stop": ["a", "\udce9"]}, "stop has a lone surrogate"),
        ({"logprobs": -1}, "logprobs"),
        ({"logprobs": True}, "logprobs"),
        ({"top_p": "x"}, "top_p"),
    ],
)
def test_wrong_options_are_named(keywords, message):
    with pytest.raises(OptionError) as caught:
        Options.from_keywords(keywords)
    assert message in str(caught.value)


def test_uniforms_belong_to_places():
    """The n-th token of a row is drawn with the n-th number, whatever was forced before it."""
    seed = 21
    model = TabularModel(ABC, np.zeros(ABC.rows))
    (completion,) = complete(model, [[A]], network=words_of([b"bb" + t for t in (b"ba", b"aa")]), seeds=[seed])
    assert completion.tokens[:2] == (B, B)
    assert completion.tokens[2] == (A if Uniforms(seed)[2] < 0.5 else B)
