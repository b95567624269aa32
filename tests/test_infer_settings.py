"""Settings of a sampler, recovered from its draws; and what cannot be told apart."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from command_line import run
from marks import slow
from small_models import small_llama

import guidance_kit as gk
from guidance_kit.analysis.sampler_likelihood import DrawnTokens, fit_at
from guidance_kit.analysis.settings import infer_settings_of_draws
from guidance_kit.decoding.sampling import Sampling, shape
from guidance_kit.decoding.tabular import TabularModel
from guidance_kit.errors import OptionError, UndecidableError

ROWS = 40


def draws(count: int, *, seed: int = 0, fixed: bool = False, **options) -> tuple[np.ndarray, list[int]]:
    """Known distributions, and a draw from each after the library's own temperature and truncation."""
    import torch

    generator = np.random.Generator(np.random.PCG64(seed))
    scales = np.full((count, 1), 1.0) if fixed else generator.uniform(0.5, 4, (count, 1))
    logits = generator.normal(size=(1 if fixed else count, ROWS)) * scales
    shaped = shape(torch.from_numpy(logits), Sampling(**options)).softmax(-1).numpy()
    tokens = [int(generator.choice(ROWS, p=row / row.sum())) for row in shaped]
    p = np.exp(logits - logits.max(1, keepdims=True))
    return p / p.sum(1, keepdims=True), tokens


@pytest.mark.parametrize(
    "options",
    [{"temperature": 1.3, "top_k": 9}, {"min_p": 0.1}, *slow({"temperature": 0.8}, {"temperature": 0.8, "top_p": 0.8})],
    ids=str,
)
def test_settings_are_recovered(options):
    """Each true value is in its interval, and no other setting is found."""
    found = infer_settings_of_draws(*draws(300, **options))
    assert found.temperature.low < options.get("temperature", 1.0) < found.temperature.high
    assert set(found.truncations) == set(options) - {"temperature"}
    for name, estimate in found.truncations.items():
        assert estimate.low <= options[name] <= estimate.high
    assert found.options.keys() == {"temperature", *found.truncations}
    assert found.penalties == {}


def test_the_likelihood_is_its_definition():
    """Likelihood under the library's own truncations in their order; and no token is possible outside."""
    import torch

    options = {"temperature": 0.8, "top_k": 12, "top_p": 0.85, "min_p": 0.02}
    p, tokens = draws(100, **options)
    bounds = {name: options[name] for name in ("top_k", "top_p", "min_p")}
    found = fit_at(DrawnTokens.of(np.log(p), tokens), 0.8, tuple(bounds), bounds)
    logs = shape(torch.from_numpy(np.log(p)), Sampling(**options)).log_softmax(-1).numpy()
    assert found.log_likelihood == pytest.approx(float(logs[np.arange(100), tokens].sum()))
    assert fit_at(DrawnTokens.of(np.log(p), tokens), 0.8, ("top_k",), {"top_k": 1}).log_likelihood == -math.inf


def test_what_cannot_be_told_apart_is_refused():
    """One distribution again and again: top-k and top-p leave the same tokens."""
    found = infer_settings_of_draws(*draws(300, fixed=True, top_k=8))
    assert found.alternatives
    with pytest.raises(OptionError, match="cannot be told apart from"):
        _ = found.options


def test_greedy_texts_have_temperature_0():
    p, _ = draws(100)
    assert infer_settings_of_draws(p, p.argmax(1).tolist()).options == {"temperature": 0.0}


def test_what_does_not_fit_is_named():
    p, tokens = draws(60)
    for arguments, error, message in (
        ((p[:10], tokens[:10]), UndecidableError, "needs about 50"),
        ((p, tokens[:-1]), OptionError, "for 59 draws"),
        ((np.eye(60), [*range(59), 3]), OptionError, "token 3 at place 59 has probability 0"),
    ):
        with pytest.raises(error, match=message):
            infer_settings_of_draws(*arguments)
    model = gk.Model(small_llama())
    for texts, message in (([("a", "b")], "no tokens"), (["ab c"], "is no pair")):
        with pytest.raises(OptionError, match=message):
            gk.infer_settings(texts, model)
    with pytest.raises(UndecidableError):
        gk.infer_settings([("a", [5, 6])], model)


def test_texts_of_a_model_on_the_command_line(inbox, llama):
    model = gk.load(llama)
    texts = model.generate(["the cat", "a dog"], n=3, max_tokens=40, temperature=0.7, top_k=12, seed=1)
    lines = [
        json.dumps({"prompt": prompt, "tokens": one.tokens})
        for prompt, several in zip(["the cat", "a dog"], texts, strict=True)
        for one in several
    ]
    Path("texts.jsonl").write_text("\n".join(lines), encoding="utf-8")
    found = run("infer-settings", "texts.jsonl", "-m", llama, "--no-penalties")
    assert found.exit_code == 0, found.stderr
    names = [line.split("\t")[0] for line in found.stdout.splitlines()]
    assert names == ["temperature", "top_k"]
    assert found.stdout.splitlines()[1].split("\t")[1].startswith(("11 ", "12 "))
    for written, message in (("[]", "line 1"), ('{"prompt": "a"}', "line 1"), ("{", "line 1")):
        Path("bad.jsonl").write_text(written, encoding="utf-8")
        refused = run("infer-settings", "bad.jsonl", "-m", llama)
        assert (refused.exit_code, refused.stdout) == (2, "")
        assert message in refused.stderr


@pytest.mark.slow
def test_where_a_text_could_not_end_its_tokens_were_more_likely():
    """A model that would mostly end; control: without `min_tokens` the temperature is another one."""
    vocabulary = gk.Vocabulary.from_bytes(rows=260, eos=257)
    table = np.random.Generator(np.random.PCG64(3)).normal(size=(261, 260))
    table[:, 257] = 6.0
    model = gk.Model(TabularModel(vocabulary, table))
    options = {"max_tokens": 100, "min_tokens": 100, "temperature": 0.7, "seed": 3}
    texts = [(prompt, model.generate(prompt, **options)) for prompt in ([5], [6], [7])]
    found = gk.infer_settings(texts, model, penalties=False, min_tokens=100)
    assert found.temperature.low < 0.7 < found.temperature.high
    without = gk.infer_settings(texts, model, penalties=False)
    assert not without.temperature.low < 0.7 < without.temperature.high


@pytest.mark.slow
@pytest.mark.parametrize("penalty", [{"presence": 1.0}, {"frequency": 0.6}, {"repetition": 1.3}], ids=str)
def test_penalties_of_a_model_are_recovered(penalty):
    model = gk.Model(small_llama())
    prompts = ["the cat", "a dog", "so it is", "hello"]
    options = {"max_tokens": 100, "min_tokens": 100, "temperature": 0.8, "seed": 2}
    texts = model.generate(prompts, guides=gk.Penalties(**penalty), **options)
    found = gk.infer_settings(list(zip(prompts, texts, strict=True)), model)
    ((name, value),) = penalty.items()
    assert name in found.penalties
    assert found.penalties[name].low <= value <= found.penalties[name].high
    assert found.temperature.low <= 0.8 <= found.temperature.high
