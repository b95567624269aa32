"""Decoding that reads hidden states: contrastive search and DoLa, against plain forward passes without a cache."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from loop_runs import MODEL
from marks import slow
from small_models import random_model, small_llama
from toy_models import A, speakable

import guidance_kit as gk
from guidance_kit.decoding.generation import generate
from guidance_kit.decoding.options import Options
from guidance_kit.errors import ConstraintError, ModelError, OptionError

LLAMA = small_llama()
PLAIN = gk.Model(LLAMA)
SPEAKABLE = speakable(LLAMA.vocabulary)
PROMPTS = ["the cat", "a", "so it is"]


def read(tokens: list[int]):
    """Logits and hidden states of a text, without a cache: float64."""
    with torch.inference_mode():
        found = LLAMA.model(torch.tensor([tokens]), output_hidden_states=True, use_cache=False)
    return found.logits[0].double(), [states[0].double() for states in found.hidden_states]


def searched(prompt: list[int], k: int, alpha: float, length: int) -> list[int]:
    """Contrastive search as the paper has it."""
    tokens = list(prompt)
    for _ in range(length):
        logits = read(tokens)[0][-1].masked_fill(~torch.from_numpy(SPEAKABLE), -torch.inf)
        probabilities = logits.softmax(-1).numpy()
        order = np.argsort(-probabilities, kind="stable")
        candidates = [token for token in order if SPEAKABLE[token]][:k]
        scores = []
        for token in candidates:
            states = torch.nn.functional.normalize(read([*tokens, int(token)])[1][-1], dim=-1)
            scores.append((1 - alpha) * probabilities[token] - alpha * float((states[:-1] @ states[-1]).max()))
        tokens.append(int(candidates[int(np.argmax(scores))]))
        if tokens[-1] in LLAMA.vocabulary.eos:
            break
    return tokens[len(prompt) :]


@pytest.mark.parametrize(("k", "alpha"), [(4, 0.6), *slow((3, 0.2), (5, 1.0))])
def test_contrastive_search_is_its_definition(k, alpha):
    decoder = gk.ContrastiveSearch(k=k, alpha=alpha)
    found = PLAIN.generate(PROMPTS, decoder=decoder, max_tokens=10)
    for prompt, one in zip(PROMPTS, found, strict=True):
        assert list(one.tokens) == searched(LLAMA.encode(prompt), k, alpha, 10)
        assert "".join(PLAIN.stream(prompt, decoder=decoder, max_tokens=10)) == one.text
    greedy = PLAIN.generate(PROMPTS, temperature=0, max_tokens=10)
    assert [one.tokens for one in found] != [one.tokens for one in greedy]


def test_without_a_penalty_contrastive_search_is_greedy():
    for decoder in (gk.ContrastiveSearch(k=4, alpha=0.0), gk.ContrastiveSearch(k=1)):
        found = PLAIN.generate(PROMPTS, decoder=decoder, max_tokens=8, seed=1)
        greedy = PLAIN.generate(PROMPTS, temperature=0, max_tokens=8)
        assert [one.tokens for one in found] == [one.tokens for one in greedy]


def test_contrastive_search_keeps_a_constraint_and_any_batch():
    constraint = gk.regex("[a-z ]{6,9}")
    options = {"decoder": gk.ContrastiveSearch(), "max_tokens": 20}
    together = PLAIN.generate(PROMPTS, constraint, **options)
    assert [one.tokens for one in together] == [
        one.tokens for one in PLAIN.generate(PROMPTS, constraint, batch_size=1, seed=9, **options)
    ]
    assert all(constraint.parse(one.text) == one.text for one in together)


def test_what_contrastive_search_cannot_do_is_named():
    decoder = gk.ContrastiveSearch()
    for options, message in (
        ({"temperature": 0}, "temperature 0 leaves"), ({"draw": gk.Mirostat()}, "draw and decoder="),
        ({"logprobs": 1}, "logprobs and decoder="),
    ):  # fmt: skip
        with pytest.raises(OptionError, match=message):
            PLAIN.generate("x", decoder=decoder, **options)
    with pytest.raises(OptionError, match=r"hidden states are read of a single model of transformers, not of 1\.5"):
        (1.5 * PLAIN).generate("x", decoder=decoder, max_tokens=3)
    with pytest.raises(OptionError, match="hidden states are read of a single model"):
        list(generate(MODEL, MODEL.vocabulary, [[A]], options=Options(decoder=decoder)))
    with pytest.raises(ConstraintError, match="truncation left no token"):
        PLAIN.generate("x", gk.regex("[0-9]{9}"), decoder=decoder, top_k=1, max_tokens=20)
    for wrong in ({"k": 0}, {"alpha": 1.5}, {"alpha": math.nan}):
        with pytest.raises(OptionError, match=next(iter(wrong))):
            gk.ContrastiveSearch(**wrong)


@pytest.mark.parametrize("name", ["Llama", "GPT-2", "Mamba"])
def test_hidden_states_are_those_of_a_plain_pass(name):
    """In any order of prefixes, with the cache that branches and goes back."""
    model = random_model(name)
    text = list(range(3, 15))
    with torch.inference_mode():
        expected = model.model(torch.tensor([text]), output_hidden_states=True, use_cache=False).hidden_states[-1][0]
    torch.testing.assert_close(model.hidden_states([text], 12)[0], expected, atol=2e-4, rtol=0)
    several = model.hidden_states([text[:5], [*text[:4], 9], text[:9]], 2)
    torch.testing.assert_close(several[0], expected[3:5], atol=2e-4, rtol=0)
    torch.testing.assert_close(several[2], expected[7:9], atol=2e-4, rtol=0)
    assert not torch.allclose(several[1][-1], expected[4], atol=1e-2)


def early_logits(tokens: list[int], layers: list[int]) -> torch.Tensor:
    """Logits of the layer that differs most from the last one, at each position: float64."""
    logits, states = read(tokens)
    weight = LLAMA.model.get_output_embeddings().weight.detach().double()
    final = logits.softmax(-1)
    found, chosen = [], []
    for position in range(len(tokens)):
        best = None
        for layer in layers:
            own = states[layer][position] @ weight.T
            p, q = final[position], own.softmax(-1)
            middle = (p + q) / 2
            divergence = float((p * (p / middle).log()).sum() + (q * (q / middle).log()).sum()) / 2
            if best is None or divergence > best[0]:
                best = (divergence, layer, own)
        found.append(best[2])
        chosen.append(best[1])
    return torch.stack(found).detach(), set(chosen)


def test_early_layers_are_chosen_by_their_divergence():
    tokens = np.random.Generator(np.random.PCG64(0)).integers(3, 300, size=40).tolist()
    early = PLAIN.early_exit([0, 1])
    expected, chosen = early_logits(tokens, [0, 1])
    assert len(chosen) == 2, "one layer is always chosen, and the test shows nothing"
    found = early.language_model.logits([tokens], len(tokens))[0].double()
    torch.testing.assert_close(found, expected, atol=2e-4, rtol=0)
    one = PLAIN.early_exit([1]).language_model.logits([tokens], len(tokens))[0].double()
    torch.testing.assert_close(one, early_logits(tokens, [1])[0], atol=2e-4, rtol=0)


def test_dola_contrasts_the_last_layer_with_early_ones():
    """Greedy, token by token; as one row of a batch, and under a constraint."""
    model = gk.dola(PLAIN, PLAIN.early_exit([0, 1]), plausibility=0.2)
    for prompt, one in zip(PROMPTS, model.generate(PROMPTS, temperature=0, max_tokens=8), strict=True):
        tokens = LLAMA.encode(prompt)
        for token in one.tokens:
            p = read(tokens)[0][-1].masked_fill(~torch.from_numpy(SPEAKABLE), -torch.inf).log_softmax(-1)
            scores = p - early_logits(tokens, [0, 1])[0][-1].log_softmax(-1)
            assert token == int(scores.masked_fill(p < p.max() + math.log(0.2), -torch.inf).argmax())
            tokens.append(token)
    constraint = gk.regex("[a-z]{4}")
    text = model.generate("the", constraint, seed=1).text
    assert constraint.parse(text) == text


def test_early_layers_out_of_range_are_named():
    for layers in ([], [9], [-1], [True], [0.5]):
        with pytest.raises(OptionError, match="early layers are numbers from 0 to"):
            PLAIN.early_exit(layers)
    with pytest.raises(OptionError, match="early layers are read of a single model"):
        (2.0 * PLAIN).early_exit([1])
    adapted = small_llama()
    adapted.adapter = "some"
    for read_layers in (lambda: adapted.early_exit([1]), lambda: adapted.hidden_states([[1]])):
        with pytest.raises(ModelError, match="has an adapter"):
            read_layers()
