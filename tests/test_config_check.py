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
