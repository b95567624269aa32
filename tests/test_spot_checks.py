"""Spot checks: caches that go wrong late, in late texts or in half precision are noticed, at a bounded cost."""

from __future__ import annotations

import copy
import warnings

import pytest
import torch
import transformers
from marks import slow
from small_models import random_weights

from guidance_kit.models.forward import Forward
from guidance_kit.models.forward_only_cache import ForwardOnlyCache
from guidance_kit.models.spot_checks import SHARE, SpotChecks, are_close
from guidance_kit.models.weights import Weights


class WrongLlama(transformers.LlamaForCausalLM):
    """A Llama from elsewhere, whose answers over a cache are wrong for texts beyond some length."""

    right_up_to = 40

    def forward(self, *arguments, past_key_values=None, **named):
        found = super().forward(*arguments, past_key_values=past_key_values, **named)
        if past_key_values is not None and past_key_values.get_seq_length() > self.right_up_to:
            found.logits = found.logits.roll(1, -1)
        return found


def wrong_llama() -> WrongLlama:
    weights = random_weights("Llama")
    made = WrongLlama(weights.config).eval()
    made.load_state_dict(weights.state_dict())
    return made


def text(length: int, seed: int = 0) -> list[int]:
    return torch.randint(0, 256, (length,), generator=torch.Generator().manual_seed(seed)).tolist()


def test_keys_and_values_that_go_wrong_in_long_texts_are_not_believed():
    weights = Weights(wrong_llama())
    whole = text(120)
    answers = lambda: [weights.logits([whole[:length]]) for length in range(4, 100)]  # noqa: E731
    with pytest.warns(RuntimeWarning, match="WrongLlama does not go on rightly"):
        answer = answers()[-1]
    assert weights.cache_kind == "none"
    assert are_close(answer[0], Weights(random_weights("Llama")).logits([whole[:99]])[0])


@pytest.mark.slow
def test_keys_and_values_that_go_wrong_in_late_texts_are_not_believed():
    """Texts of one length: only the share of the work that goes to checks finds it."""
    model = wrong_llama()
    model.right_up_to = 1000
    weights = Weights(model)

    def ask(seed: int) -> None:
        for length in range(5, 30):
            weights.logits([text(30, seed)[:length]])

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for seed in range(30):
            ask(seed)
    model.right_up_to = 0
    with pytest.warns(RuntimeWarning, match="WrongLlama does not go on rightly"):
        list(map(ask, range(30, 30 + 3 * SHARE)))


def test_a_state_that_goes_wrong_in_late_texts_is_not_believed(monkeypatch):
    """Each text is one token longer than its prompt, as a classification is."""
    forward = Forward(random_weights("Mamba"))
    cache = ForwardOnlyCache(forward)
    real, is_wrong = Forward.__call__, [False]

    def wrong(self, tokens, **given):
        logits = real(self, tokens, **given)
        is_continued = given.get("cache") is not None and tokens.shape[1] == 1
        return logits.roll(1, -1) if is_wrong[0] and is_continued else logits

    monkeypatch.setattr(Forward, "__call__", wrong)

    def ask(seed: int) -> None:
        cache.logits([text(20, seed)])
        cache.logits([text(21, seed)])

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for seed in range(100):
            ask(seed)
    is_wrong[0] = True
    with pytest.warns(RuntimeWarning, match="does not go on rightly"):
        list(map(ask, range(100, 100 + SHARE)))
    assert not cache.keeps


def test_checks_take_a_bounded_share_of_the_work():
    checks = SpotChecks()
    computed = checked = count = 0
    for seed in range(300):
        for length in range(50 + seed % 40, 150):
            new = length if length == 50 + seed % 40 else 1
            checks.note(new, length)
            computed += new
            if checks.is_due(length):
                checked += length
                count += 1
    assert checked <= 1.1 * computed / SHARE + 150 * 15 + 300  # the first, powers of two, and doublings
    assert checked >= 0.5 * computed / SHARE


def test_checks_are_spread_over_the_places_of_texts():
    checks, places = SpotChecks(), []
    for _ in range(3000):
        for length in range(20, 120):
            checks.note(20 if length == 20 else 1, length)
            if length > 20 and checks.is_due(length):
                places.append(length)
    assert all(any(first <= place < first + 10 for place in places) for first in range(21, 111, 10))


@pytest.mark.parametrize("name", ["Mamba", *slow("Bamba", "Qwen 3 Next")])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_a_plainly_wrong_state_is_noticed(name, dtype):
    """The state of another text; and the right one is believed."""
    forward = Forward(copy.deepcopy(random_weights(name)).to(dtype))
    right, wrong = ForwardOnlyCache(forward), ForwardOnlyCache(forward)
    first, other = text(40), text(40, seed=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for length in range(20, 40):
            right.logits([first[:length]])
    assert right.keeps
    wrong.logits([other[:30]])
    wrong._groups[0].tokens = [first[:30]]
    with pytest.warns(RuntimeWarning, match="does not go on rightly"):
        wrong.logits([first[:31]])
