"""Watermarks in vLLM without vLLM: rows are marked as in our own loop, and texts are detected."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from marks import thinned
from small_models import small_llama
from toy_models import ABC

import guidance_kit as gk
from guidance_kit.decoding.draw import Drawn
from guidance_kit.decoding.marked_draw import MarkedDraw
from guidance_kit.decoding.sampling import Sampling, shape
from guidance_kit.errors import OptionError, VocabularyError
from guidance_kit.integrations.vllm.row_mark import RowMark, key_file
from guidance_kit.integrations.vllm.steered_texts import SteeredRow, SteeredText, Steering, TermModels
from guidance_kit.integrations.vllm.steering_request import SteeringRequest, SteeringSettings, read_request, row_mark

KEY, OTHER = b"0123456789abcdef", b"another key 1234"
KINDS: dict[str, dict[str, Any]] = {
    "green": {"kind": "green"},
    "hard": {"kind": "green", "bias": float("inf"), "hashing": "self"},
    "gumbel": {"kind": "gumbel"},
    "tournament": {"kind": "tournament", "layers": 6},
}
WIDTH = 2


def params(asked: dict[str, Any] | None = None, **fields: Any) -> SimpleNamespace:
    """vLLM's parameters of a request."""
    neutral = {"temperature": 1.0, "top_k": 0, "top_p": 1.0, "min_p": 0.0, "seed": None}
    return SimpleNamespace(extra_args={"guidance_kit": asked or {"watermark": "ours"}}, **neutral | fields)


@pytest.fixture
def settings(tmp_path):
    """Settings of a server with one watermark of each kind."""
    key_file.cache_clear()
    for name, options in KINDS.items():
        gk.Watermark(KEY, width=WIDTH, **options).save(tmp_path / name)
    return SteeringSettings(watermarks={name: str(tmp_path / name) for name in KINDS})


class Seen:
    """Draw that keeps the logits which it is given."""

    depends_on_history = False
    logits: torch.Tensor

    def start(self, seed):
        return None

    def draw(self, logits, states, prefixes, starts):
        self.logits = logits
        return Drawn([0] * len(logits), [0.0] * len(logits), [None] * len(logits))


@pytest.mark.parametrize("temperature", [1.0, 0.6])
@pytest.mark.parametrize("name", KINDS)
def test_a_row_has_the_law_of_our_own_draw(name, temperature):
    """After the engine's division by the temperature; contexts of 3 tokens, short ones and repeated ones among them."""
    watermark = gk.Watermark(KEY, width=WIDTH, **KINDS[name])
    sampling, inner = Sampling(temperature=temperature, top_k=9), Seen()
    mark, draw = RowMark(watermark, sampling, 3), MarkedDraw(watermark, inner)
    generator = torch.Generator().manual_seed(4)
    logits = torch.randn(30, 20, generator=generator) * 2
    generated = torch.randint(0, 3, (30,), generator=generator).tolist()
    state, statuses = draw.start(3), []
    for place, row in enumerate(logits):
        shaped = shape(row[None], sampling)
        drawn = draw.draw(shaped, [state], [[7, *generated[:place]]], [1])
        found = mark.mark(row, [7], generated[:place])
        before, state = state, drawn.states[0]
        is_marked = state.counts.marked > before.counts.marked
        statuses.append(is_marked)
        if is_marked and name == "gumbel":
            assert (found > -torch.inf).nonzero().tolist() == [[drawn.tokens[0]]]
        elif is_marked:
            torch.testing.assert_close((found / temperature).softmax(-1), inner.logits[0].softmax(-1))
        else:
            assert torch.equal(found, row)
    assert statuses.count(True) >= 5
    assert not statuses[0]
    assert name in ("green", "hard") or not all(statuses[WIDTH:])


def written(steering: Steering, mark: RowMark, model: Any, length: int) -> list[int]:
    """Text of an engine that draws from the rows that the processor returns, at the temperature of the request."""
    prompt = model.encode("the cat")
    text, generator = (
        SteeredText(SteeringRequest(), prompt, model.vocabulary.eos, mark),
        torch.Generator().manual_seed(1),
    )
    generated: list[int] = []
    ends = sorted(model.vocabulary.eos)
    for _ in range(length):
        logits = model.logits([[*prompt, *generated]])[0].float().index_fill(1, torch.tensor(ends), -torch.inf)
        rows = torch.cat([logits, logits])
        steering.adjust(rows, [SteeredRow(1, text, generated)])
        assert torch.equal(rows[0], logits[0])
        generated.append(int(torch.multinomial((rows[1] / 0.9).softmax(-1), 1, generator=generator)))
    return generated


@pytest.mark.parametrize("name", thinned(KINDS, 2))
def test_a_text_is_detected(name, settings):
    """And not with another key, nor is an unmarked one: the controls."""
    model = small_llama()
    steering = Steering(settings, TermModels({}, {}), model.vocabulary)
    asked = params({"watermark": name}, temperature=0.9)
    mark = row_mark(read_request(asked, settings), settings, asked)
    tokens = written(steering, mark, model, 80)
    assert gk.detect(tokens, mark.watermark, model.vocabulary).p_value < 1e-6
    assert gk.detect(tokens, gk.Watermark(OTHER, width=WIDTH, **KINDS[name]), model.vocabulary).p_value > 1e-3
    plain = written(steering, None, model, 80)
    assert gk.detect(plain, mark.watermark, model.vocabulary).p_value > 1e-3


def test_the_seed_or_the_prompt_selects_the_key():
    watermark = gk.Watermark([KEY, OTHER], "gumbel")
    assert [RowMark(watermark, Sampling(), seed).key([1]) for seed in (0, 1, 2)] == [KEY, OTHER, KEY]
    keys = {RowMark(watermark, Sampling()).key([prompt]) for prompt in range(20)}
    assert keys == {KEY, OTHER}


def test_what_cannot_be_marked_is_refused(settings):
    for asked, fields, reason in (
        ("gumble", {}, "unknown watermark of this server 'gumble'; did you mean 'gumbel'?"),
        ("gumbel", {"temperature": 0.0}, "a gumbel watermark needs a temperature above 0"),
        ("green", {"top_p": 0.9}, "top_p beside a green watermark"),
        ("tournament", {"min_p": 0.1}, "min_p beside a tournament watermark"),
        (3, {}, "watermark: Input should be a valid string"),
    ):
        with pytest.raises(OptionError) as caught:
            read_request(params({"watermark": asked}, **fields), settings)
        assert reason in str(caught.value)
        assert KEY.hex() not in str(caught.value)
    for asked, fields in (("gumbel", {"top_p": 0.9}), ("green", {"temperature": 0.0}), ("tournament", {"top_k": 5})):
        assert read_request(params({"watermark": asked}, **fields), settings) is not None


def test_key_files_are_read_when_the_engine_starts(settings, tmp_path):
    gk.Watermark(KEY).bound_to(small_llama().vocabulary).save(tmp_path / "bound")
    with pytest.raises(VocabularyError, match="another tokenizer"):
        Steering(SteeringSettings(watermarks={"a": str(tmp_path / "bound")}), TermModels({}, {}), ABC)
    with pytest.raises(OptionError, match="nothing cannot be read"):
        Steering(SteeringSettings(watermarks={"a": str(tmp_path / "nothing")}), TermModels({}, {}), ABC)
