"""Trees of tokens behind prefixes, computed in one pass, against texts that are read alone."""

from __future__ import annotations

from random import Random

import pytest
import torch
from architectures import small_model, wrapped
from marks import slow
from small_models import random_model, recomputed

from guidance_kit.errors import ContextLengthError, VocabularyError
from guidance_kit.models.kv_cache import KVCache
from guidance_kit.models.token_tree import ROOT, TokenTree

LLAMA = random_model("Llama")


def random_tree(rng: Random, size: int, tokens: int = 5) -> TokenTree:
    """Tree of few different tokens, so that texts follow its paths."""
    texts = [[3 + rng.randrange(tokens) for _ in range(rng.randint(1, 4))] for _ in range(size)]
    return TokenTree.of(texts)


def expected_logits(model, prefix: list[int], tree: TokenTree) -> torch.Tensor:
    """Logits after the prefix and after each node, each from a text of its own: (1 + nodes, rows)."""
    texts = [prefix, *([*prefix, *tree.text(node)] for node in range(len(tree)))]
    return recomputed(model, texts)[:, 0]


def test_trees_are_of_texts():
    tree = TokenTree.of([[5, 6], [5, 7, 8], [9]])
    assert tree.tokens == (5, 6, 7, 8, 9)
    assert tree.parents == (ROOT, 0, 0, 2, ROOT)
    assert tree.leaves == (1, 3, 4)
    assert tree.children(0) == [1, 2]
    assert tree.text(3) == [5, 7, 8]
    assert tree.nodes_to(ROOT) == []
    assert tree.descend([5, 6, 6]) == [0, 1]
    assert tree.kept([2, 3, 4, 0]) == (TokenTree((5, 7, 8, 9), (ROOT, 0, 1, ROOT)), [0, 2, 3, 4])
    assert tree.kept([3]) == (TokenTree(), [])
    for tokens, parents in (((1, 2), (ROOT,)), ((1, 2), (1, ROOT)), ((1, 1), (ROOT, ROOT))):
        with pytest.raises(ValueError, match=r"tree|siblings"):
            TokenTree(tokens, parents)


@pytest.mark.parametrize("name", ["Llama", *slow("GPT-2", "Qwen 3", "OPT", "Qwen 2")])
def test_nodes_have_the_logits_of_texts_of_their_own(name):
    """A walk that takes paths, goes back, branches, and mixes trees with blocks and single steps."""
    model, rng = random_model(name), Random(4)
    assert model.can_have_trees
    texts = [[3 + rng.randrange(5) for _ in range(length)] for length in (1, 7, 3)]
    for step in range(12):
        trees = [random_tree(rng, rng.randint(0 if step % 3 else 1, 4)) for _ in texts]
        found = model.tree_logits(texts, trees)
        for row, text, tree in zip(found, texts, trees, strict=True):
            expected = expected_logits(model, text, tree)
            torch.testing.assert_close(row[: len(expected)], expected, atol=3e-4, rtol=3e-4)
        grown = []
        for text, tree in zip(texts, trees, strict=True):
            node = rng.randrange(-1, len(tree)) if len(tree) else ROOT
            grown.append([*text, *tree.text(node), 3 + rng.randrange(5)])
        texts = grown
        if step == 4:
            texts = [texts[2], texts[0][:-1], texts[2][:4]]
        if step in (2, 5, 8):
            positions = 1 if step == 5 else min(map(len, texts))
            torch.testing.assert_close(
                model.logits(texts, positions), recomputed(model, texts, positions), atol=3e-4, rtol=3e-4
            )


def test_a_mask_that_shows_siblings_to_each_other_is_noticed(monkeypatch):
    tree = TokenTree.of([[5, 6], [7]])
    expected = expected_logits(LLAMA, [3, 4], tree)
    LLAMA.clear()
    torch.testing.assert_close(LLAMA.tree_logits([[3, 4]], [tree])[0], expected, atol=3e-4, rtol=3e-4)
    LLAMA.clear()
    causal = torch.ones(3, 3, dtype=torch.bool).tril()[None]
    monkeypatch.setattr("guidance_kit.models.kv_cache.ancestor_mask", lambda trees, width: causal)
    wrong = LLAMA.tree_logits([[3, 4]], [tree])[0]
    torch.testing.assert_close(wrong[:3], expected[:3], atol=3e-4, rtol=3e-4)
    assert (wrong[3] - expected[3]).abs().max() > 1e-2


def test_a_path_is_kept_and_other_nodes_are_forgotten(monkeypatch):
    cache = KVCache(LLAMA.weights.forward)
    widths = []
    run = type(LLAMA.weights.forward).__call__
    monkeypatch.setattr(
        "guidance_kit.models.forward.Forward.__call__",
        lambda self, tokens, **given: widths.append(tokens.shape[1]) or run(self, tokens, **given),
    )
    trees = [TokenTree.of([[5, 6, 7], [8, 9]]), TokenTree.of([[6], [5]])]
    cache.tree([[3, 4, 5], [4, 4]], trees)
    found = cache.logits([[3, 4, 5, 8, 9, 3], [4, 4, 5, 3]])
    assert widths == [3 + 5, 1]  # the prompts with their trees, then the last token alone
    fresh = KVCache(LLAMA.weights.forward)
    expected = fresh.logits([[3, 4, 5, 8, 9, 3], [4, 4, 5, 3]])
    torch.testing.assert_close(found, expected, atol=1e-4, rtol=1e-4)
    for own, other in zip(cache._buffers._stores, fresh._buffers._stores, strict=True):
        for row, padding in enumerate(fresh._buffers.padding):
            span = slice(padding, fresh._buffers.columns)
            torch.testing.assert_close(own.keys[row, :, span], other.keys[row, :, span], atol=1e-5, rtol=1e-4)
            torch.testing.assert_close(own.values[row, :, span], other.values[row, :, span], atol=1e-5, rtol=1e-4)
    assert cache.tokens == fresh.tokens


def test_trees_after_long_prompts_and_in_small_passes():
    cache = KVCache(LLAMA.weights.forward, tokens_per_forward=40)
    rng = Random(2)
    texts = [[3 + rng.randrange(200) for _ in range(length)] for length in (120, 4, 60, 60)]
    texts[3] = texts[2]
    trees = [random_tree(rng, 5) for _ in texts]
    for _ in range(2):
        found = cache.tree(texts, trees)
        for row, text, tree in zip(found, texts, trees, strict=True):
            expected = expected_logits(LLAMA, text, tree)
            torch.testing.assert_close(row[: len(expected)], expected, atol=3e-4, rtol=3e-4)
        assert cache.fork().tokens == cache.tokens
        texts = [[*text, *tree.text(len(tree) - 1)] for text, tree in zip(texts, trees, strict=True)]
    cache.tree(texts, trees)
    cache.rollback([1] * len(texts))
    cache.select([1, 0])
    texts = [texts[1], texts[0]]
    torch.testing.assert_close(cache.logits(texts), recomputed(LLAMA, texts), atol=3e-4, rtol=3e-4)


def test_trees_that_cannot_be():
    for name in ("Mistral", "Mamba", "Phi 3, LongRoPE"):
        assert not random_model(name).can_have_trees
    assert not LLAMA.bounded_cache(window=8).can_have_trees
    assert LLAMA.early_layers(1).can_have_trees
    assert not wrapped(small_model("gpt_neo")).can_have_trees
    with pytest.raises(ContextLengthError):
        LLAMA.tree_logits([[3] * 158], [TokenTree.of([[1, 2, 3]])])
    with pytest.raises(VocabularyError):
        LLAMA.tree_logits([[3]], [TokenTree.of([[1, 9999]])])
    cache = KVCache(wrapped(small_model("gpt_neo")).weights.forward)
    with pytest.raises(ValueError, match="does not keep siblings apart"):
        cache.tree([[3]], [TokenTree.of([[4]])])
