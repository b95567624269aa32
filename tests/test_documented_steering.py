"""The examples of docs/steering.md run, one after the other, and its tables are true."""

from __future__ import annotations

import copy
import re
from pathlib import Path

import pytest
from small_models import byte_tokenizer, random_weights, saved_adapter
from steered_models import anti, base, expert

import guidance_kit as gk

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "steering.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_examples_run(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    models = {"big": "Llama", "small-tuned": "GPT-2", "small": "Mistral"}

    def load(name: str) -> gk.Model:
        return gk.Model(gk.TransformersModel(copy.deepcopy(random_weights(models[name])), byte_tokenizer()))

    monkeypatch.setattr(gk, "load", load)
    saved_adapter(random_weights("Mistral"), tmp_path / "polite", seed=1, target_modules="all-linear")
    here: dict = {}
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) == 9
    for block in blocks:
        exec(block, here)
    assert {answer.text for answer in here["answers"]} <= {"yes", "no"}
    assert "so far" in capsys.readouterr().out
    assert (tmp_path / "trace.html").read_text(encoding="utf-8").count('tabindex="0"') == 3
    for name in ("found", "beams", "steered"):
        said = here["tokenizer"].decode(here[name][0], skip_special_tokens=True)
        assert said in ("Is it late? yes", "Is it late? no")
    for name in ("focused", "opposite", "kinder", "early", "unsure", "gentle", "kind", "loud", "short"):
        assert here[name].generate("Hello", max_tokens=4).finish_reason in ("length", "complete")


NAMED = {
    "dexperts(base, expert, anti)": gk.dexperts(base, expert, anti),
    "proxy_tuning(base, tuned, untuned)": gk.proxy_tuning(base, expert, anti),
    "contrastive(expert, amateur)": gk.contrastive(expert, anti),
    "emulated_fine_tuning(reference, (tuned, untuned), ...)": gk.emulated_fine_tuning(base, (expert, anti)),
}


@pytest.mark.parametrize("call", NAMED)
def test_the_table_of_names_shows_their_formulas(call):
    written = re.search(rf"\| `gk\.{re.escape(call)}` \| `(.*?)` \|", PAGE)[1].replace(" + ...", "")
    models = {"base": base, "reference": base, "expert": expert, "tuned": expert}
    models |= dict.fromkeys(("anti", "untuned", "amateur"), anti)
    assert str(eval(written, models)) == str(NAMED[call])


def test_every_public_function_of_formulas_is_described():
    for name in gk.__all__:
        thing = getattr(gk, name)
        if getattr(thing, "__module__", "").startswith("guidance_kit.steering") and name != "Formula":
            assert f"gk.{name}(" in PAGE
