"""Sizes of a configuration are checked before anything is allocated."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import guidance_kit as gk
from guidance_kit.errors import ModelError


@pytest.fixture
def damaged(llama, tmp_path):
    """A copy of a model's folder, with some settings changed."""

    def change(**settings) -> Path:
        folder = tmp_path / "model"
        shutil.copytree(llama, folder)
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps(config | settings))
        return folder

    return change


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("vocab_size", 10_000_000),
        ("num_hidden_layers", 1_000_000_000),
        ("num_attention_heads", 0),
        ("hidden_size", -5),
        ("intermediate_size", 10**30),
    ],
)
def test_sizes_that_no_model_has_are_refused_by_name(damaged, monkeypatch, name, value):
    monkeypatch.setattr("transformers.AutoModelForCausalLM.from_pretrained", None)  # nothing is built
    with pytest.raises(ModelError, match=rf"{name} in config.json is {value}, and must be from [01] to"):
        gk.load(damaged(**{name: value}))


def test_sizes_within_other_configurations_are_checked(damaged):
    with pytest.raises(ModelError, match=r"text_config\.vocab_size in config.json is -1"):
        gk.load(damaged(text_config={"vocab_size": -1}))


def test_an_activation_that_does_not_exist_is_refused_by_name(damaged):
    with pytest.raises(ModelError, match=r"hidden_act in config\.json names '__import__'"):
        gk.load(damaged(hidden_act="__import__"))


@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("tokenizer.json", lambda found: found["model"]["vocab"].update({"far": 1_000_000_000})),
        ("tokenizer.json", lambda found: found["added_tokens"].append({"id": 5_000_000_000, "content": "far"})),
        ("tokenizer_config.json", lambda found: found.update(added_tokens_decoder={"1000000000": {"content": "far"}})),
    ],
)
def test_token_ids_that_no_vocabulary_has_are_refused_before_room_is_made(llama, tmp_path, monkeypatch, file, change):
    folder = tmp_path / "model"
    shutil.copytree(llama, folder)
    found = json.loads((folder / file).read_text())
    change(found)
    (folder / file).write_text(json.dumps(found))
    monkeypatch.setattr("transformers.AutoTokenizer.from_pretrained", None)
    with pytest.raises(
        ModelError, match=rf"{file} gives the token '\w+' the id \d000000000, and an id is at most 4,194"
    ):
        gk.load(folder)


def test_large_numbers_in_other_places_of_a_tokenizer_are_no_ids(llama, tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(llama, folder)
    found = json.loads((folder / "tokenizer.json").read_text())
    found["model"]["vocab"]['": 123456789'] = len(found["model"]["vocab"]) + len(found["added_tokens"])
    found["truncation"] = {"direction": "Right", "max_length": 10_000_000, "strategy": "LongestFirst", "stride": 0}
    (folder / "tokenizer.json").write_text(json.dumps(found))
    assert gk.models.loading.load_tokenizer(folder).encode("a")
