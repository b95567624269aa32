"""The table of docs/decoding.md is what decoders do: each pair of a decoder and an option is run."""

from __future__ import annotations

import pytest
from small_models import small_llama

import guidance_kit as gk
from tools.document_decoders import PAGE, composes, table, with_table


def test_the_page_is_what_decoders_do():
    page = PAGE.read_text(encoding="utf-8")
    assert with_table(page, table(gk.Model(small_llama()))) == page


def test_a_wrong_result_is_no_refusal():
    model = gk.Model(small_llama())
    with pytest.raises(AssertionError):
        composes(model, "sample", lambda model, decoder: False)
