"""The generation loop on a model whose distribution is known exactly: draws, batches, streams, costs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from loop_runs import GREEDY, MODEL, NETWORKS, complete, run
from marks import slow, thinned
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

from guidance_kit.decoding.draw import Uniforms
from guidance_kit.decoding.generation import generate
from guidance_kit.decoding.options import Options
from guidance_kit.decoding.sampling import Sampling, row_seeds
from guidance_kit.decoding.tabular import TabularModel
from guidance_kit.vocabulary import Vocabulary

# Distributions


@pytest.mark.parametrize("temperature", [0.6, *slow(1.0)])
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


@pytest.mark.parametrize("name", ["finite", *slow(*(name for name in NETWORKS if name != "finite"))])
def test_constrained_texts_have_the_exact_distribution(name):
    """At each step the model's distribution, renormalised over what is allowed."""
    expected = constrained(MODEL, matcher_of(NETWORKS[name]()), [B], 4)
    assert sum(expected.values()) == pytest.approx(1)
    prompts = [[B]] * 4_000
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


def test_rows_without_a_token_are_never_generated():
    table = np.zeros(ABC.rows)
    table[[PADDING, HOLE]] = 30
    model = TabularModel(ABC, table)
    for sampling in (GREEDY, Sampling(seed=0)):
        completions = complete(model, [[A]] * 20, sampling=sampling, max_tokens=20)
        assert {token for c in completions for token in c.tokens} <= {EOS, SPECIAL, A, B, AB}


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
@pytest.mark.parametrize("name", [None, *thinned(NETWORKS, 2)])
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


def test_uniforms_belong_to_places():
    """The n-th token of a row is drawn with the n-th number, whatever was forced before it."""
    seed = 21
    model = TabularModel(ABC, np.zeros(ABC.rows))
    (completion,) = complete(model, [[A]], network=words_of([b"bb" + t for t in (b"ba", b"aa")]), seeds=[seed])
    assert completion.tokens[:2] == (B, B)
    assert completion.tokens[2] == (A if Uniforms(seed)[2] < 0.5 else B)


def test_pieces_come_as_soon_as_they_are_certain():
    counting = Counting(MODEL)
    pieces = generate(counting, ABC, [[A]], options=Options(sampling=Sampling(seed=4), max_tokens=50))
    first = next(pieces)
    assert first.text
    assert len(counting.batches) <= 2
    pieces.close()


def test_characters_of_several_tokens_are_streamed_whole():
    euro = "€".encode()
    others = sorted({bytes([byte]) for byte in range(0x80, 0xC0)} - {euro[1:2], euro[2:]})
    texts = (b"", euro[:1], euro[1:2], euro[2:], b"x", *others)
    vocabulary = Vocabulary(token_bytes=texts, special=frozenset({0}), eos=(0,), rows=len(texts))
    model = TabularModel.random(vocabulary, order=1, seed=0)
    network = words_of([b"x" + euro + euro + b"x"])
    (completion,), (pieces,) = run(model, [[4]], network=network, logprobs=0)  # token by token
    assert pieces == ["x", "€", "€", "x"]
    assert completion.text == "x€€x"
    (cut,), (pieces,) = run(model, [[4]], network=network, max_tokens=3)
    assert (cut.text, cut.finish_reason) == ("x\ufffd", "length")


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
