"""Products of few rows: the same values as in the usual form, alone and in models with caches and adapters."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
from random_questions import script
from small_models import byte_tokenizer, random_weights, recomputed, saved_adapter
from torch.nn.functional import linear
from transformers.pytorch_utils import Conv1D

from guidance_kit.models import TransformersModel, few_rows
from guidance_kit.models.few_rows import FewRows, gains_from_few_rows, has_large_weights, store_by_outputs

FORMS = {2: few_rows._transposed, 3: few_rows._in_strips, 4: None, 8: few_rows._in_strips, 16: few_rows._transposed}


@pytest.fixture
def products(monkeypatch) -> list[int]:
    """The numbers of rows of all products that take another form, whatever the size of their weights."""
    counts: list[int] = []

    def tried(number):
        form = FORMS.get(number, few_rows._in_strips)
        return form and (lambda rows, weight: counts.append(len(rows)) or form(rows, weight))

    monkeypatch.setattr(few_rows, "_LEAST_WEIGHT", 0)
    monkeypatch.setattr(few_rows, "_LEAST_SUM", 0)
    monkeypatch.setattr(few_rows, "_STRIP", 2)
    monkeypatch.setattr(few_rows, "_tried", tried)
    return counts


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


def test_products_are_those_of_addmm(products):
    """Of weights that are stored by columns; others are left alone, and so are factors."""
    generator = torch.Generator().manual_seed(0)
    for count in (1, 2, 3, 4, 9, 16, 40):
        rows, bias = torch.randn(count, 5, generator=generator), torch.randn(7, generator=generator)
        by_columns = torch.randn(7, 5, generator=generator).t()
        products.clear()
        with FewRows():
            found = torch.addmm(bias, rows, by_columns)
            others = torch.addmm(bias, rows, by_columns.contiguous()), torch.addmm(bias, rows, by_columns, alpha=2)
        torch.testing.assert_close(found, bias + rows @ by_columns, atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(others[0], found, atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(others[1], 2 * found - bias, atol=1e-5, rtol=1e-5)
        assert products == [count] * (count in (2, 3, 9, 16))


def test_weights_of_gpt2_keep_their_values(products):
    model: Any = copy.deepcopy(random_weights("GPT-2"))
    before = {name: weight.clone() for name, weight in model.named_parameters()}
    store_by_outputs(model)
    layer = model.transformer.h[0].mlp.c_fc
    assert layer.weight.t().is_contiguous()
    assert before.keys() == dict(model.named_parameters()).keys()
    assert all(torch.equal(weight, before[name]) for name, weight in model.named_parameters())
    store_by_outputs(model)  # nothing is left to do
    assert layer.weight.t().is_contiguous()


def test_weights_made_in_inference_mode(products):
    """A model may be loaded in inference mode, and be wrapped twice."""
    with torch.inference_mode():
        weights = copy.deepcopy(random_weights("GPT-2"))
    models = [TransformersModel(weights, byte_tokenizer()) for _ in range(2)]
    for prefixes, positions in script(seed=4, questions=3):
        expected = recomputed(models[0], prefixes, positions)
        for model in models:
            torch.testing.assert_close(model.logits(prefixes, positions), expected, atol=2e-5, rtol=2e-5)


@pytest.mark.parametrize("name", ["Llama", "OPT", "GPT-2"])
def test_models_answer_as_before(name, products):
    model = TransformersModel(copy.deepcopy(random_weights(name)), byte_tokenizer())
    for prefixes, positions in script(seed=3, questions=15):
        expected = recomputed(model, prefixes, positions)
        torch.testing.assert_close(model.logits(prefixes, positions), expected, atol=2e-5, rtol=2e-5)
    assert set(products) >= {2, 3}


def test_rows_with_adapters_too(products, tmp_path):
    weights = random_weights("Llama")
    base = TransformersModel(copy.deepcopy(weights), byte_tokenizer())
    folder = saved_adapter(weights, tmp_path / "a", seed=1, target_modules="all-linear")
    adapted = base.with_adapter(folder)
    products.clear()
    both = base.weights.logits([[7]] * 2, adapters=[None, adapted.adapter])
    assert 2 in products
    for row, model in zip(both, (base, adapted), strict=True):
        model.clear()
        torch.testing.assert_close(row[None], model.logits([[7]]), atol=2e-5, rtol=2e-5)


def test_models_that_may_gain():
    assert not has_large_weights(random_weights("Llama"))
    layers = [torch.nn.Linear(1024, 1024) for _ in range(4)]
    assert not has_large_weights(torch.nn.Sequential(*layers[:3]))
    large = torch.nn.Sequential(*layers)
    assert has_large_weights(large)
    assert not has_large_weights(large.to(torch.bfloat16))
    transposed = torch.nn.Sequential(Conv1D(4096, 1024))
    store_by_outputs(transposed)
    assert has_large_weights(transposed)


def test_numbers_of_rows_are_like_those_that_were_tried(monkeypatch):
    tried: list[int] = []
    monkeypatch.setattr(few_rows, "_tried", lambda rows: tried.append(rows) or few_rows._in_strips)
    assert [gains_from_few_rows(rows) for rows in (0, 1, 33, 500)] == [False] * 4
    assert tried == []
    assert all(gains_from_few_rows(rows) for rows in (2, 3, 4, 7, 8, 15, 16, 31, 32))
    assert tried == [2, 3, 4, 4, 8, 8, 16, 16, 32]


def test_forms_are_timed():
    """Whichever is taken, it is one of those that there are."""
    assert few_rows._tried(2) in (None, few_rows._transposed, few_rows._in_strips)
