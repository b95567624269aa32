"""The table and the picture of docs/decoding.md are what decoders do."""

from __future__ import annotations

import numpy as np
import pytest
from ranked_texts import ranked
from small_models import small_llama
from toy_models import ABC, EOS, SPECIAL, A, B

import guidance_kit as gk
from guidance_kit.decoding.tabular import TabularModel
from tools.document_decoders import PAGE, composes, table, with_table
from tools.draw_decoders import FIRST, PANELS, TARGET, picture, probability


@pytest.mark.slow
def test_the_page_is_what_decoders_do():
    page = PAGE.read_text(encoding="utf-8")
    assert with_table(page, table(gk.Model(small_llama()))) == page


def test_a_wrong_result_is_no_refusal():
    model = gk.Model(small_llama())
    with pytest.raises(AssertionError):
        composes(model, "sample", lambda model, decoder: False)


def test_the_picture_is_drawn_anew():
    assert TARGET.read_text(encoding="utf-8") == picture(), "run: python -m tools.draw_decoders"


@pytest.mark.parametrize("decoder", [gk.Beam(2), gk.MostLikely(1)])
def test_the_picture_shows_what_searches_find(decoder):
    rows = ABC.rows
    logits = np.full((rows + 1,) * 3 + (rows,), -np.inf)
    logits[..., EOS] = 0.0
    ids = {"a": A, "b": B}
    for prefix, first in FIRST.items():
        last = [rows, rows, SPECIAL, *(ids[token] for token in prefix)][-3:]
        logits[tuple(last)] = -np.inf
        logits[(*last, [A, B])] = np.log([first, 1 - first])
    panel = next(panel for panel in PANELS if panel.name == f"{type(decoder).__name__}({decoder.texts_per_prompt})")
    (found,) = ranked(decoder, None, [[SPECIAL]], decoder.texts_per_prompt, model=TabularModel(ABC, logits))
    assert [one.text for one in found] == list(panel.returned)
    assert [np.exp(one.ranking.log_probability) for one in found] == pytest.approx(
        list(map(probability, panel.returned))
    )
