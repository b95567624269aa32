"""Linear layers for a few rows: the same values as in the usual form, alone and in models with caches and adapters."""

from __future__ import annotations

import copy

import pytest
import torch
from random_questions import script
from small_models import byte_tokenizer, random_weights, recomputed, saved_adapter
from torch.nn.functional import linear

from guidance_kit.models import LanguageModel, few_rows
from guidance_kit.models.few_rows import FewRows, gains_from_few_rows, has_large_layers

torch.set_num_threads(1)


@pytest.fixture
def products(monkeypatch) -> list[int]:
    """The numbers of rows of all products that take the other form, whatever the size of their weights."""
    rows: list[int] = []
    real = torch.mm

    def counted(weight, columns):
        rows.append(columns.shape[1])
        return real(weight, columns)

    monkeypatch.setattr(torch, "mm", counted)
    monkeypatch.setattr(few_rows, "_LEAST_WEIGHT", 0)
    monkeypatch.setattr(few_rows, "_is_faster", lambda rows: rows != 4)
    return rows


class Quantised(torch.Tensor):
    """What libraries of quantisation put in the place of a weight."""


def test_products_are_those_of_linear(products):
    """Of any shapes and strides; what is not meant is left alone, bit for bit."""
    generator = torch.Generator().manual_seed(0)
    for case in range(300):
        draw = lambda *size, dtype=torch.float32: torch.randn(*size, generator=generator, dtype=dtype)  # noqa: E731
        wide, high = 1 + case % 7, 1 + case % 5
        dtype = torch.float64 if case % 10 == 9 else torch.float32
        shape = [(case % 37 + 1, wide), (2, case % 3 + 1, wide), (wide,), (1, 1, wide)][case % 4]
        rows, weight = draw(*shape, dtype=dtype), draw(high, wide, dtype=dtype)
        if case % 3 == 1:
            rows = rows.flip(-1).transpose(0, -1).contiguous().transpose(0, -1)
        if case % 11 == 10:
            weight = draw(wide, high, dtype=dtype).t()
        if case % 13 == 12:
            weight = weight.as_subclass(Quantised)
        bias = [[], [None], [draw(high, dtype=dtype)]][case % 3]
        products.clear()
        with FewRows():
            found = linear(rows, weight, *bias)
        expected = linear(rows, weight, *bias)
        torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)
        assert found.is_contiguous()
        count = rows.numel() // wide
        is_faster = count in (2, 3) or 8 <= count <= 32  # 4 stands for itself and for 5, 6, 7
        is_meant = is_faster and dtype == torch.float32 and weight.is_contiguous() and case % 13 != 12
        assert products == [count] * is_meant
        assert is_meant or torch.equal(found, expected)


@pytest.mark.parametrize("name", ["Llama", "OPT", "GPT-2"])
def test_models_answer_as_before(name, products):
    model = LanguageModel(random_weights(name), byte_tokenizer())
    for prefixes, positions in script(seed=3, questions=15):
        expected = recomputed(model, prefixes, positions)
        torch.testing.assert_close(model.logits(prefixes, positions), expected, atol=2e-5, rtol=2e-5)
    assert set(products) >= {2, 3}


def test_rows_with_adapters_too(products, tmp_path):
    weights = random_weights("Llama")
    base = LanguageModel(copy.deepcopy(weights), byte_tokenizer())
    folder = saved_adapter(weights, tmp_path / "a", seed=1, target_modules="all-linear")
    adapted = base.with_adapter(folder)
    products.clear()
    both = base.weights.logits([[7]] * 2, adapters=[None, adapted.adapter])
    assert 2 in products
    for row, model in zip(both, (base, adapted), strict=True):
        model.clear()
        torch.testing.assert_close(row[None], model.logits([[7]]), atol=2e-5, rtol=2e-5)


def test_models_that_may_gain():
    assert not has_large_layers(random_weights("Llama"))
    large = torch.nn.Sequential(torch.nn.Linear(1024, 512))
    assert has_large_layers(large)
    assert not has_large_layers(large.to(torch.bfloat16))
    assert not has_large_layers(torch.nn.Sequential(torch.nn.Embedding(1024, 1024)))


def test_numbers_of_rows_are_like_those_that_were_tried(monkeypatch):
    tried: list[int] = []
    monkeypatch.setattr(few_rows, "_is_faster", lambda rows: not tried.append(rows))
    assert [gains_from_few_rows(rows) for rows in (0, 1, 33, 500)] == [False] * 4
    assert tried == []
    assert all(gains_from_few_rows(rows) for rows in (2, 3, 4, 7, 8, 15, 16, 31, 32))
    assert tried == [2, 3, 4, 4, 8, 8, 16, 16, 32]
