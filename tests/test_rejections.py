"""Caches after rejected tokens: they leave no trace, bit by bit, and what was accepted is not computed again."""

from __future__ import annotations

import random

import pytest
import torch
from marks import slow
from small_models import ATTENTION, FORWARD_ONLY, random_model, recomputed

from guidance_kit.models import TransformersModel
from guidance_kit.models.forward_only_cache import MOST_CHECKPOINTED
from guidance_kit.models.kv_buffers import LayerStore
from guidance_kit.models.token_tree import TokenTree

AHEAD = 3
ACCEPTED = [[0, 2, 3], [1, 1, 0], [3, 3, 3], [0, 0, 0], [2, 0, 1], [3, 0, 0]]
"""Accepted tokens of each row in each block."""
TOLERANCE = {True: 2e-5, False: 5e-4}
"""For attention, and for recurrent layers, whose states are computed in another order."""
CHUNKED = ("Qwen 3 Next",)
"""Architectures whose pass over a whole text rounds its first tokens by the others of their chunk."""
GROUPED = ("GPT-OSS",)
"""Architectures whose experts compute all tokens that chose them at once; their number may show in the last bits."""
RESTARTING = ("RecurrentGemma", "RWKV")
"""Architectures that keep no state which can be handed over: all is computed from the start, as without a draft."""


def speculated(model: TransformersModel, seed: int, accepted=ACCEPTED) -> tuple[list[torch.Tensor], list[list[int]]]:
    """Logits of the verified positions in each block, and the texts; rejected tokens depend on the seed, no others."""
    texts = [[1, 2, 3, 4, 5], [9, 8, 7], [4, 4, 4, 4]]
    right, wrong = random.Random(1), random.Random(seed)
    found: list[torch.Tensor] = []
    for counts in accepted:
        proposed = [
            [right.randrange(256) if place < count else wrong.randrange(256) for place in range(AHEAD)]
            for count in counts
        ]
        prefixes = [[*text, *tokens] for text, tokens in zip(texts, proposed, strict=True)]
        logits = model.logits(prefixes, 1 + AHEAD)
        found += [row[: 1 + count].clone() for row, count in zip(logits, counts, strict=True)]
        texts = [
            [*text, *tokens[:count], right.randrange(256)]
            for text, tokens, count in zip(texts, proposed, counts, strict=True)
        ]
    return found, texts


@pytest.mark.parametrize("name", ["GPT-2", "Llama", "Mistral", "Gemma 3", "Mamba", *slow(*ATTENTION, *FORWARD_ONLY)])
def test_rejected_tokens_leave_no_trace(name):
    """In float32 on a CPU, where the passes are the same: the logits are equal bit by bit, whatever was rejected."""
    one, other = random_model(name), random_model(name)
    found, texts = speculated(one, seed=2)
    again, same = speculated(other, seed=3)
    assert texts == same
    if name in (*CHUNKED, *GROUPED):
        most = TOLERANCE[name in ATTENTION]
        assert all((row - twin).abs().max() <= most for row, twin in zip(found, again, strict=True))
    else:
        assert all(map(torch.equal, found, again))
        assert torch.equal(one.logits(texts), other.logits(texts))
    assert (one.logits(texts) - recomputed(one, texts)).abs().max() <= TOLERANCE[name in ATTENTION]


def test_rows_that_do_not_move_with_their_tokens_are_noticed(monkeypatch):
    monkeypatch.setattr(LayerStore, "shift", lambda *arguments: None)
    model = random_model("Llama")
    _, texts = speculated(model, seed=2)
    assert (model.logits(texts) - recomputed(model, texts)).abs().max() > 0.01


@pytest.mark.parametrize("name", ["Llama", "GPT-2"])
def test_rejected_nodes_of_trees_leave_no_trace(name):
    def run(seed: int) -> tuple[list[torch.Tensor], list[list[int]]]:
        model, texts = random_model(name), [[1, 2, 3, 4, 5], [9, 8, 7]]
        right, wrong = random.Random(1), random.Random(seed)
        found: list[torch.Tensor] = []
        for counts in ([0, 2], [1, 0], [2, 2], [0, 1]):
            paths = [[right.randrange(100) for _ in range(2)] for _ in texts]
            trees = [
                TokenTree.of([
                    path[:count] + [100 + wrong.randrange(100) for _ in range(2 - count)],
                    [200 + wrong.randrange(50)] * 2,
                ])
                for path, count in zip(paths, counts, strict=True)
            ]  # fmt: skip
            logits = model.tree_logits(texts, trees)
            found += [row[: 1 + count].clone() for row, count in zip(logits, counts, strict=True)]
            texts = [
                [*text, *path[:count], right.randrange(256)]
                for text, path, count in zip(texts, paths, counts, strict=True)
            ]
        found.append(model.logits(texts))
        assert (found[-1] - recomputed(model, texts)).abs().max() <= TOLERANCE[True]
        return found, texts

    (found, texts), (again, same) = run(2), run(3)
    assert texts == same
    assert all(map(torch.equal, found, again))


@pytest.mark.parametrize("name", ["Mamba", *slow(*(name for name in FORWARD_ONLY if name not in RESTARTING))])
def test_recurrent_models_go_on_from_before_the_proposed_tokens(name, blocks):
    """One computation from the start finds out that texts go back; then no block computes a whole text again."""
    model = random_model(name)
    texts = [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]]
    for number in range(6):
        model.logits([[*texts[0], 100, 101, 102]], 1 + AHEAD)
        texts = [[*texts[0], 100, number]]  # the first of three is accepted
        if number == 2:
            blocks.clear()
    widths = [columns for _, columns in blocks if columns < 12]  # the others are checks from the start
    assert set(widths) == {1}
    assert len(widths) == 3 * 5  # an accepted token, the one behind it, and three proposed ones
    assert (model.logits(texts) - recomputed(model, texts)).abs().max() <= TOLERANCE[False]


def test_a_recurrent_model_reads_long_texts_at_once(blocks):
    """Scores of long texts are no proposals."""
    model = random_model("Mamba")
    text = [number % 200 for number in range(60)]
    model.logits([text], 50)
    model.logits([[*text[:10], *[7] * 50]], 50)
    assert MOST_CHECKPOINTED < 50
    assert [columns for _, columns in blocks] == [60, 60]
