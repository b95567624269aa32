"""Draft heads: hidden states by the pass that gives logits, training, files."""

from __future__ import annotations

from random import Random

import pytest
import torch
from safetensors.torch import save_file
from small_models import random_model, recomputed
from test_token_trees import random_tree
from torch.nn.functional import kl_div

from guidance_kit.errors import ModelError, OptionError, VocabularyError
from guidance_kit.models import TransformersModel
from guidance_kit.models.draft_heads import DraftHeads
from guidance_kit.models.draft_training import train_draft_heads
from guidance_kit.models.forward import Forward
from guidance_kit.vocabulary import Vocabulary

TEXTS = ["the cat sat on the mat", "so it is", "a cat is a cat", "on the mat it sat"] * 4


def read(model: TransformersModel, text: list[int]) -> torch.Tensor:
    """Hidden states of a text, without a cache."""
    with torch.inference_mode():
        return model.model.model(torch.tensor([text]), use_cache=False).last_hidden_state[0]


def test_states_and_logits_come_from_one_pass(monkeypatch):
    model, rng = random_model("Llama"), Random(1)
    passes = []
    run = Forward.__call__
    monkeypatch.setattr(Forward, "__call__", lambda self, *args, **given: passes.append(1) or run(self, *args, **given))
    texts = [[3 + rng.randrange(5) for _ in range(length)] for length in (6, 3)]
    model.hidden_states(texts)
    for step in range(8):
        passes.clear()
        if step % 2:
            trees = [random_tree(rng, 3) for _ in texts]
            found = model.tree_logits(texts, trees)[:, 0]
            ends = [rng.randrange(-1, len(tree)) for tree in trees]
            longer = [[*text, *tree.text(end)] for text, tree, end in zip(texts, trees, ends, strict=True)]
        else:
            longer = texts
            found = model.logits(texts, 2)[:, -1]
        torch.testing.assert_close(found, recomputed(model, texts)[:, 0], atol=3e-4, rtol=3e-4)
        assert len(passes) == 1
        states = model.hidden_states(longer)[:, 0]
        assert len(passes) == 1
        for state, text in zip(states, longer, strict=True):
            torch.testing.assert_close(state, read(model, text)[-1], atol=3e-4, rtol=3e-4)
        states = model.hidden_states([text[:-1] for text in texts])[:, 0]
        assert len(passes) == (2 if step % 2 else 1)
        torch.testing.assert_close(states[0], read(model, texts[0])[-2], atol=3e-4, rtol=3e-4)
        texts = [[*text, 3 + rng.randrange(5)] for text in longer]
    model.clear()
    torch.testing.assert_close(model.logits(texts), recomputed(model, texts), atol=3e-4, rtol=3e-4)


def divergence_of(expected: torch.Tensor, logits: torch.Tensor) -> float:
    """Mean Kullback-Leibler divergence, from log-probabilities and from logits."""
    return float(kl_div(logits.log_softmax(-1), expected, log_target=True, reduction="batchmean"))


@pytest.fixture(scope="module")
def trained() -> tuple[TransformersModel, DraftHeads, list[float]]:
    model = random_model("Llama")
    losses: list[float] = []
    before = [weight.clone() for weight in model.model.parameters()]
    heads = train_draft_heads(
        model, TEXTS, heads=2, epochs=15, batch_size=8, on_epoch=lambda _, loss: losses.append(loss)
    )
    assert all(torch.equal(one, other) for one, other in zip(before, model.model.parameters(), strict=True))
    return model, heads, losses


def test_training_lowers_the_divergence_from_the_model(trained):
    model, heads, losses = trained
    assert losses[-1] < 0.9 * losses[0]
    embed, score = model.embeddings
    text = model.encode("the cat sat")
    with torch.inference_mode():
        expected = model.model(torch.tensor([text]), use_cache=False).logits[0].log_softmax(-1)
        state = read(model, text)[:-2]
        divergence = []
        for head, end in ((0, -1), (1, None)):
            state = heads.advance(head, state, embed(torch.tensor(text[1 + head : end])))
            divergence.append(divergence_of(expected[1 + head : end], score(state)))
        untrained = divergence_of(expected[1:-1], score(read(model, text)[:-2]))
    assert divergence[0] < 0.9 * untrained
    assert divergence[1] < untrained


def test_training_is_a_function_of_its_arguments(trained):
    model, _, _ = trained
    one, same, other = (train_draft_heads(model, TEXTS[:4], heads=1, epochs=1, seed=seed) for seed in (1, 1, 2))
    assert torch.equal(one.weights[0], same.weights[0])
    assert not torch.equal(one.weights[0], other.weights[0])


def test_files_hold_the_heads_in_half_precision(trained, tmp_path):
    model, heads, _ = trained
    heads.save(tmp_path / "heads.safetensors")
    found = DraftHeads.load(tmp_path / "heads.safetensors")
    assert repr(found) == "DraftHeads(2 heads of width 32)"
    for one, other in zip((*heads.weights, *heads.biases), (*found.weights, *found.biases), strict=True):
        torch.testing.assert_close(one, other, atol=1e-3, rtol=1e-3)
    found.require(model)


def test_heads_of_something_else_are_refused(trained, tmp_path):
    model, heads, _ = trained
    with pytest.raises(ModelError, match="there are no draft heads at nowhere"):
        DraftHeads.load("nowhere")
    save_file({"a": torch.zeros(1)}, tmp_path / "a.safetensors")
    (tmp_path / "b.safetensors").write_bytes(b"no tensors")
    for name in ("a", "b"):
        with pytest.raises(ModelError, match="has no draft heads"):
            DraftHeads.load(tmp_path / f"{name}.safetensors")
    other = TransformersModel(model.model, vocabulary=Vocabulary.from_bytes(rows=260, eos=256))
    with pytest.raises(VocabularyError, match="trained for other tokens"):
        DraftHeads(heads.weights, heads.biases, "0").require(other)
    with pytest.raises(OptionError, match="have the width 3, and"):
        DraftHeads(heads.weights, (torch.zeros(3),), heads.digest).require(model)


def test_prompts_are_read_and_not_learnt(trained):
    """A continuation of one token leaves nothing to learn for the second head."""
    model, _, _ = trained
    pairs = [("the cat ", "s"), ("so it i", "s")]
    found = train_draft_heads(model, pairs, heads=2, epochs=2, seed=1)
    fresh = train_draft_heads(model, [("", "abc")], heads=2, epochs=1, learning_rate=1e-12, seed=1)
    assert not torch.allclose(found.weights[0], fresh.weights[0], atol=1e-6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"heads": 0}, "heads must be at least 1"),
        ({"learning_rate": 0}, "learning_rate must be greater than 0"),
        ({"texts": "one"}, "a list of texts"),
        ({"texts": ["", "a"]}, "at least three tokens"),
    ],
)
def test_arguments_out_of_range(trained, options, message):
    with pytest.raises(OptionError, match=message):
        train_draft_heads(trained[0], **{"texts": TEXTS, **options})


def test_training_needs_a_model():
    with pytest.raises(OptionError, match="is no TransformersModel"):
        train_draft_heads("model", TEXTS)  # type: ignore[arg-type]
    adapted = random_model("Llama")
    adapted.adapter = "some"
    with pytest.raises(ModelError, match="has an adapter"):
        train_draft_heads(adapted, TEXTS)
