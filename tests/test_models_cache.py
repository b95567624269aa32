"""The caches: whatever was asked before, the answer is that of a computation from the start, without any padding."""

from __future__ import annotations

import random
import warnings

import pytest
import torch
from marks import slow, thinned
from random_questions import script
from small_models import ATTENTION, FORWARD_ONLY, WINDOW, random_model, random_weights, recomputed

from guidance_kit.models import kv_buffers, kv_cache
from guidance_kit.models.forward import Forward
from guidance_kit.models.forward_only_cache import ForwardOnlyCache
from guidance_kit.models.kv_cache import KVCache
from guidance_kit.models.prefix_matches import common_length, longest_matches

# Logits have a standard deviation of about 1.1. Rounding alone gives 1e-6 to 1e-5 where sums are the same; chunked
# and stepwise linear attention differ by up to 1e-4. A wrong position or mask shifts logits by 0.04 to 3.
TOLERANCE = 2e-5
LINEAR_TOLERANCE = 5e-4


def close(actual: torch.Tensor, expected: torch.Tensor, tolerance: float = TOLERANCE) -> None:
    assert actual.shape == expected.shape
    assert (actual - expected).abs().max() <= tolerance


@pytest.mark.parametrize("questions", [6, *slow(40)])
@pytest.mark.parametrize("name", thinned(ATTENTION, 2))
@pytest.mark.parametrize(("tokens_per_forward", "margin", "floor"), [*slow((8192, 256, 128)), (7, 2, 0)])
def test_random_questions(monkeypatch, name, tokens_per_forward, margin, floor, questions):
    """At once, and in pieces that are as small and a memory that is as short as can be."""
    monkeypatch.setattr(kv_buffers, "MARGIN", margin)
    monkeypatch.setattr(kv_cache, "FLOOR", floor)
    model = random_model(name, tokens_per_forward=tokens_per_forward)
    for prefixes, positions in script(seed=len(name), questions=questions):
        close(model.logits(prefixes, positions), recomputed(model, prefixes, positions))


@pytest.mark.parametrize("questions", [5, *slow(20)])
@pytest.mark.parametrize("name", thinned(FORWARD_ONLY, 2))
def test_random_questions_to_models_that_cannot_go_back(name, questions, recwarn):
    model = random_model(name)
    for prefixes, positions in script(seed=len(name), questions=questions):
        close(model.logits(prefixes, positions), recomputed(model, prefixes, positions), LINEAR_TOLERANCE)
    assert not [warning for warning in recwarn if "does not go on rightly" in str(warning.message)]


@pytest.mark.parametrize("name", ["Mistral", "Gemma 3"])
def test_long_texts_through_a_short_window(name, monkeypatch):
    """What is out of a window's sight is let go of, and computed again when a row goes back so far."""
    monkeypatch.setattr(kv_buffers, "MARGIN", 4)
    model = random_model(name)
    rng = random.Random(5)
    rows = [[rng.randrange(256) for _ in range(n)] for n in (30, 21)]
    model.logits(rows)
    for _ in range(110):
        rows = [[*row, rng.randrange(256)] for row in rows]
        last = model.logits(rows)
    close(last, recomputed(model, rows))
    sizes = model.weights._caches[None][0]._buffers.sliding_sizes
    assert max(sizes) <= WINDOW + 4 + 64  # window, margin, room to grow; the texts have 140 tokens
    for back in (1, 3, 30, 80):
        rows = [row[: len(row) - back] for row in rows]
        close(model.logits(rows, 2), recomputed(model, rows, 2))


@pytest.mark.parametrize("name", ["Llama", "Mistral"])
def test_explicit_moves(name):
    """The rows of a KVCache are extended, selected, taken back and forked by hand."""
    model = random_model(name)
    cache = KVCache(Forward(random_weights(name)))
    close(cache.extend([[1, 2, 3, 4, 5, 6, 7, 8], [9, 8, 7]], 2), recomputed(model, [[*range(1, 9)], [9, 8, 7]], 2))
    cache.select([1, 0, 1])
    assert cache.tokens == [[9, 8, 7], [1, 2, 3, 4, 5, 6, 7, 8], [9, 8, 7]]
    cache.rollback([0, 3, 1])
    assert cache.tokens == [[9, 8, 7], [1, 2, 3, 4, 5], [9, 8]]
    twin = cache.fork()
    close(cache.extend([[5], [6, 7], [1, 1, 1]]), recomputed(model, [[9, 8, 7, 5], [*range(1, 8)], [9, 8, 1, 1, 1]]))
    assert twin.tokens == [[9, 8, 7], [1, 2, 3, 4, 5], [9, 8]]
    close(twin.extend([[40]] * 3), recomputed(model, [[9, 8, 7, 40], [1, 2, 3, 4, 5, 40], [9, 8, 40]]))
    assert twin.bytes > 0
    with pytest.raises(ValueError, match="cannot take back"):
        cache.rollback([5, 0, 0])
    cache.clear()
    assert cache.bytes == 0
    close(cache.extend([[3, 4]]), recomputed(model, [[3, 4]]))


@pytest.mark.parametrize("name", ["GPT-2", "Llama", "OPT"])
def test_siblings_after_explicit_moves(name, blocks, monkeypatch):
    """They see what the rows are now; many of them go in several blocks, and leave nothing behind."""
    monkeypatch.setattr(kv_cache, "WIDEST", 5)
    model = random_model(name)
    cache = KVCache(Forward(random_weights(name)), tokens_per_forward=10)
    cache.extend([[1, 2, 3, 4, 5, 6], [9, 8, 7]])
    rng = random.Random(3)

    def check(count: int) -> None:
        candidates = torch.tensor([[rng.randrange(256) for _ in range(count)] for _ in cache.tokens])
        before = len(blocks)
        found = cache.siblings(candidates)
        assert max(rows * columns for rows, columns in blocks[before:]) <= 10
        for tokens, row, answers in zip(cache.tokens, candidates.tolist(), found, strict=True):
            close(answers, recomputed(model, [[*tokens, token] for token in row])[:, 0])

    check(13)
    cache.rollback([4, 0])
    check(3)
    cache.rollback([1, 1])
    close(cache.extend([[5], [6, 7, 8]]), recomputed(model, [[1, 5], [9, 8, 6, 7, 8]]))
    check(7)
    cache.select([1, 1, 0])
    twin = cache.fork()
    cache.rollback([0, 2, 1])
    check(6)
    with pytest.raises(ValueError, match="siblings for 2 rows, and there are 3"):
        cache.siblings(torch.zeros(2, 4, dtype=torch.int64))
    close(twin.extend([[4]] * 3), recomputed(model, [[9, 8, 6, 7, 8, 4]] * 2 + [[1, 5, 4]]))


def test_layers_that_cannot_go_back_are_refused():
    with pytest.raises(ValueError, match="cannot be taken back"):
        KVCache(Forward(random_weights("Mamba")))


def test_a_step_computes_one_column(blocks):
    """Also where rows differ in length, and where some end."""
    model = random_model("Llama")
    rows = [[1, 2, 3, 4, 5], [9, 8, 7], [4, 4, 4, 4]]
    model.logits(rows)
    for number in range(3):
        rows = [[*row, number] for row in rows]
        model.logits(rows)
    rows = [[*row, 9] for row in rows[1:]]
    model.logits(rows)
    rows = [[*rows[1], 9], [*rows[0], 9], [*rows[1], 8]]  # a beam
    model.logits(rows)
    assert blocks == [(3, 5), (3, 1), (3, 1), (3, 1), (2, 1), (3, 1)]


def test_equal_prompts_are_computed_once(blocks):
    """However many rows have them, whatever stands beside them, and not again when more rows take them later."""
    model = random_model("Llama")
    rng = random.Random(5)
    first, second = ([rng.randrange(256) for _ in range(length)] for length in (50, 40))
    rows = [first, first, first, second, second]
    close(model.logits(rows, 2), recomputed(model, rows, 2))
    assert sum(count * width for count, width in blocks) <= 2 * 50
    rows = [[*row, number] for number, row in enumerate(rows)]
    close(model.logits(rows), recomputed(model, rows))
    assert blocks[-1] == (5, 1)
    blocks.clear()
    rows = [first, *([*second, number] for number in range(9))]
    close(model.logits(rows), recomputed(model, rows))
    assert sum(count * width for count, width in blocks) <= 2 * len(rows)


def test_a_step_of_a_recurrent_model_computes_one_column(blocks):
    model = random_model("Qwen 3 Next")
    rows = [[1, 2, 3, 4, 5], [9, 8, 7], [4, 4, 4, 4, 4]]
    model.logits(rows)
    blocks.clear()
    for number in range(3):
        rows = [[*row, number] for row in rows]
        model.logits(rows)
    # Rows of one length run together; continuations 1, 2 and 4 are computed from the start too.
    checked = {0: (2, 6), 1: (1, 4), 3: (1, 5)}
    expected = []
    for number in range(6):
        expected += [(1 + (number + 1) % 2, 1), *([checked[number]] if number in checked else [])]
    assert blocks == expected


def test_equal_prefixes_are_computed_once(blocks):
    model = random_model("Llama")
    rows = [[1, 2, 3, 4]] * 5 + [[7, 7, 7]]
    logits = model.logits(rows)
    close(logits, recomputed(model, rows))
    assert blocks[0] == (2, 4)


def test_a_common_beginning_is_computed_once(blocks):
    model = random_model("Llama")
    begin = [number % 250 for number in range(50)]
    rows = [[*begin, 3, 3, 3], [*begin, 4, 4], [*begin, 5, 5, 5, 5]]
    logits = model.logits(rows)
    assert blocks == [(1, 50), (3, 4)]
    rows = [[*begin, 6], [*begin, 7, 8, 9]]
    assert model.logits(rows).shape[0] == 2
    assert blocks[2:] == [(2, 3)]  # the next batch goes on from what the last one left
    close(logits, recomputed(model, [[*begin, 3, 3, 3], [*begin, 4, 4], [*begin, 5, 5, 5, 5]]))


def test_a_new_row_does_not_make_the_others_wait(blocks, monkeypatch):
    """A long prompt beside rows that take one token each is computed by itself."""
    model = random_model("Llama")
    rows = [[1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1]]
    model.logits(rows)
    rows = [[*rows[0], 1], [number % 256 for number in range(140)], [*rows[1], 1]]
    close(model.logits(rows), recomputed(model, rows))
    assert sorted(blocks[1:]) == [(1, 1), (1, 1), (1, 140)]


def test_long_prompts_are_divided(blocks):
    model = random_model("Llama", tokens_per_forward=16)
    rows = [[number % 256 for number in range(70)], [9, 8, 7]]
    for positions in (1, 3):
        model.clear()
        close(model.logits(rows, positions), recomputed(model, rows, positions))
    assert max(count * width for count, width in blocks) <= 70  # recomputed() runs through the model, not through here
    assert max(count * width for count, width in blocks) <= 16


@pytest.mark.parametrize("name", ["Llama", "Mistral"])
def test_out_of_memory_is_met_with_smaller_blocks(name, monkeypatch):
    model = random_model(name)
    real = Forward.__call__

    def short_of_memory(self, tokens, **settings):
        if tokens.numel() > 4:
            real(self, tokens, **settings)  # keys are written, then it fails
            raise torch.OutOfMemoryError("out of memory")
        return real(self, tokens, **settings)

    monkeypatch.setattr(Forward, "__call__", short_of_memory)
    rows = [[1, 2, 3, 4, 5, 6, 7], [9, 8, 7], [5] * 9, [1, 2]]
    with pytest.warns(RuntimeWarning, match="out of memory; going on with"):
        logits = model.logits(rows)
    close(logits, recomputed(model, rows))
    for token in (1, 2):
        rows = [[*row, token] for row in rows]
        close(model.logits(rows), recomputed(model, rows))
    rows = [*rows, [3, 3], [4, 4]]  # six rows: not even one column of them fits
    close(model.logits(rows), recomputed(model, rows))
    rows = [[*row, 5] for row in rows]
    close(model.logits(rows), recomputed(model, rows))


def test_out_of_memory_with_a_single_token_is_an_error_and_harmless(monkeypatch):
    model = random_model("Llama")
    model.logits([[1, 2, 3], [4, 5]])
    real = Forward.__call__

    def no_memory(self, tokens, **settings):
        real(self, tokens, **settings)
        raise torch.OutOfMemoryError("out of memory")

    with monkeypatch.context() as patch, pytest.raises(torch.OutOfMemoryError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patch.setattr(Forward, "__call__", no_memory)
        model.logits([[1, 2, 3, 4], [4, 5, 6]])
    close(model.logits([[1, 2, 3, 4], [4, 5, 6]]), recomputed(model, [[1, 2, 3, 4], [4, 5, 6]]))


@pytest.mark.parametrize("name", ["Llama", "Qwen 3 Next"])
@pytest.mark.parametrize("rows", [[[1, 2, 3, 4], [7, 8, 1]], [[1, 2, 3, 9, 9, 9], [7]]])
def test_an_error_leaves_no_half_step_behind(name, rows, monkeypatch):
    model = random_model(name)
    model.logits([[1, 2, 3], [7, 8]])
    real = Forward.__call__

    def broken(self, tokens, **settings):
        real(self, tokens, **settings)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Forward, "__call__", broken)
        with pytest.raises(KeyboardInterrupt):
            model.logits(rows)
    close(model.logits(rows), recomputed(model, rows), LINEAR_TOLERANCE)


def test_a_state_that_is_not_right_is_not_believed():
    """A model that does not go on rightly from its own cache is found out at the first continuation."""
    cache = ForwardOnlyCache(Forward(random_weights("Mamba")))
    cache.logits([[1, 2, 3, 4]])
    with torch.inference_mode():
        for layer in cache._groups[0].cache.layers:
            layer.recurrent_states[0].mul_(-3)
    model = random_model("Mamba")
    with pytest.warns(RuntimeWarning, match="does not go on rightly"):
        close(cache.logits([[1, 2, 3, 4, 5]]), recomputed(model, [[1, 2, 3, 4, 5]]))
    close(cache.logits([[1, 2, 3, 4, 5, 6]]), recomputed(model, [[1, 2, 3, 4, 5, 6]]))


def test_memory_is_accounted_for_and_let_go_of():
    model = random_model("Llama")
    assert model.bytes == 0
    model.logits([[1] * 30, [2] * 20])
    # 3 layers, keys and values, 2 rows, 2 heads of 8 float32, 30 columns and the room for 64 more
    assert model.bytes == 3 * 2 * 2 * 2 * 8 * 4 * (30 + 64)
    model.logits([[2] * 20])
    assert model.bytes < 3 * 2 * 2 * 8 * 4 * 30 * 4
    model.clear()
    assert model.bytes == 0


def test_matching_against_brute_force():
    rng = random.Random(3)
    for _ in range(300):
        known = [[rng.randrange(2) for _ in range(rng.randint(0, 6))] for _ in range(rng.randint(0, 4))]
        asked = [[rng.randrange(2) for _ in range(rng.randint(1, 6))] for _ in range(3)]
        parents, counts = longest_matches(asked, known)
        for prefix, parent, count in zip(asked, parents, counts, strict=True):
            best = max(
                (next((i for i, (a, b) in enumerate(zip(prefix, row, strict=False)) if a != b),
                      min(len(prefix), len(row))) for row in known),
                default=0,
            )  # fmt: skip
            assert count == best or count >= len(prefix) - 1
            if known:
                assert common_length(prefix, known[parent]) >= count
