"""Logit bias and penalties: against closed forms, and against transformers where it is right."""

from __future__ import annotations

import math
import random
from itertools import pairwise

import pytest
import torch
import transformers
from loop_runs import GREEDY, MODEL, complete
from small_models import random_model, small_llama
from toy_models import AB, ABC, A, B
from trained_tokenizers import metaspace

from guidance_kit.errors import OptionError, UnspellableError
from guidance_kit.guides.logit_bias import LogitBias
from guidance_kit.guides.penalties import Penalties
from guidance_kit.model import Model
from guidance_kit.models import TransformersModel

ROWS = 12


def texts(seed: int, count: int = 4):
    """Prompts and what was generated after each."""
    rng = random.Random(seed)
    prompts = [[rng.randrange(ROWS) for _ in range(rng.randint(3, 6))] for _ in range(count)]
    return prompts, [[rng.randrange(ROWS) for _ in range(rng.randint(0, 9))] for _ in range(count)]


def adjusted(guide, logits, prompts, tokens):
    """Generated tokens taken one by one, then several at once."""
    state = guide.start(prompts)
    for place in range(4):
        state = guide.advance(state, [new[place : place + 1] for new in tokens])
    return guide.adjust(logits, guide.advance(state, [new[4:] for new in tokens]))


def logits(seed: int) -> torch.Tensor:
    return 3 * torch.randn(4, ROWS, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("seed", range(30))
def test_sequences_are_biased_as_in_transformers(seed):
    rng = random.Random(seed)
    biases = {tuple(rng.randrange(4) for _ in range(rng.randint(1, 3))): rng.uniform(-3, 3) for _ in range(12)}
    prompts, tokens = texts(seed)
    prompts = [[token % 4 for token in prompt] for prompt in prompts]
    tokens = [[token % 4 for token in new] for new in tokens]
    found = adjusted(LogitBias(biases), logits(seed), prompts, tokens)
    theirs = transformers.SequenceBiasLogitsProcessor([[list(tokens), bias] for tokens, bias in biases.items()])
    for row, (prompt, new) in enumerate(zip(prompts, tokens, strict=True)):
        expected = theirs(torch.tensor([[*prompt, *new]]), logits(seed)[[row]])[0]
        torch.testing.assert_close(found[row], expected)


@pytest.mark.parametrize("seed", range(30))
def test_repetition_is_penalised_as_in_transformers(seed):
    prompts, tokens = texts(seed)
    found = adjusted(Penalties(repetition=1.3), logits(seed), prompts, tokens)
    theirs = transformers.RepetitionPenaltyLogitsProcessor(1.3)
    for row, (prompt, new) in enumerate(zip(prompts, tokens, strict=True)):
        torch.testing.assert_close(found[row], theirs(torch.tensor([[*prompt, *new]]), logits(seed)[[row]])[0])


@pytest.mark.parametrize("seed", range(30))
def test_presence_and_frequency_count_generated_tokens(seed):
    prompts, tokens = texts(seed)
    found = adjusted(Penalties(presence=0.7, frequency=-0.3, repetition=1.2), logits(seed), prompts, tokens)
    for row, (prompt, new) in enumerate(zip(prompts, tokens, strict=True)):
        for token in range(ROWS):
            value, count = float(logits(seed)[row, token]), new.count(token)
            if token in prompt or count:
                value = value / 1.2 if value > 0 else value * 1.2
            value -= 0.7 * (count > 0) - 0.3 * count
            assert float(found[row, token]) == pytest.approx(value, abs=1e-5)


def test_the_map_of_openai():
    guide = LogitBias.from_openai({"3": -100, "5": 7.5})
    assert guide.biases == {(3,): -100.0, (5,): 7.5}
    assert LogitBias.from_openai({3: 1}).biases == {(3,): 1.0}


def test_a_sequence_is_forbidden_and_its_beginning_is_not():
    guide = LogitBias({(A, B): -math.inf, (AB,): -math.inf, (B, A): 50.0})
    completions = complete(MODEL, [[A], [B]] * 20, guides=[guide], max_tokens=6)
    assert any(A in completion.tokens for completion in completions)
    for prompt, completion in zip([[A], [B]] * 20, completions, strict=True):
        whole = [*prompt, *completion.tokens]
        assert AB not in completion.tokens
        assert (A, B) not in pairwise(whole)
        assert all(second == A for first, second in pairwise(whole) if first == B)


def test_a_penalty_in_the_loop():
    often = complete(MODEL, [[A]], guides=[Penalties(frequency=-100.0)], sampling=GREEDY, max_tokens=5)[0].tokens
    assert len(set(often)) == 1
    never = complete(MODEL, [[A]], guides=[Penalties(presence=100.0)], sampling=GREEDY, max_tokens=3)[0].tokens
    assert len(set(never)) == len(never)


def test_texts_at_the_front_door():
    model = Model(random_model("Llama"))
    guide = model.logit_bias({"x": 100.0, "yz": -math.inf, 7: 1.0, (1, 2): 3.0})
    encode = model.language_model.encode
    assert guide.biases == {
        tuple(encode("x")): 100.0, tuple(encode("yz")): -math.inf, (7,): 1.0, (1, 2): 3.0,
    }  # fmt: skip
    assert model.generate("a", guides=[guide], max_tokens=3, temperature=0).text == "xxx"


def test_texts_are_biased_as_they_stand_in_the_middle_of_another(tmp_path):
    """Also where the tokenizer puts a space before whatever it encodes, and has one token for all that it lacks."""
    language_model = TransformersModel(small_llama().model, metaspace("always")(tmp_path))
    model = Model(language_model)
    for text in ("the", " the", "cat sat", "cat"):
        ((tokens, _),) = model.logit_bias({text: 1.0}).biases.items()
        assert model.vocabulary.text_of(tokens) == text.encode()
    with pytest.raises(UnspellableError) as caught:
        model.logit_bias({"漢": 1.0})
    assert caught.value.__notes__ == ["in '漢'"]


def test_special_tokens_are_biased_by_their_names():
    model = Model(random_model("Llama"))
    assert model.logit_bias({"</s>": -math.inf}).biases == {(model.language_model.tokenizer.eos_token_id,): -math.inf}


@pytest.mark.parametrize("guides", [Penalties, [{"a": 1.0}], {"a": 1.0}], ids=repr)
def test_guides_are_guides(guides):
    with pytest.raises(OptionError, match="guides are what"):
        complete(MODEL, [[A]], guides=guides)


@pytest.mark.parametrize(
    "make",
    [
        lambda: LogitBias({(): 1.0}),
        lambda: LogitBias({(-1,): 1.0}),
        lambda: LogitBias({(1,): math.inf}),
        lambda: LogitBias({(1,): math.nan}),
        lambda: LogitBias({(ABC.rows,): 1.0}).adjust(torch.zeros(1, ABC.rows), ((),)),
        lambda: LogitBias.from_openai({"the": 1}),
        lambda: LogitBias.from_openai({"3": 101}),
        lambda: Penalties(presence=math.nan),
        lambda: Penalties(frequency="x"),
        lambda: Penalties(repetition=0),
    ],
)
def test_what_is_refused(make):
    with pytest.raises(OptionError):
        make()
