"""Messages of a load: one line of ours that names the folder, and nothing of what transformers writes itself."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import torch
from command_line import command
from safetensors.torch import load_file, save_file


def without_a_layer(folder: Path) -> None:
    weights = load_file(folder / "model.safetensors")
    kept = {name: tensor for name, tensor in weights.items() if ".layers.1." not in name}
    assert len(kept) < len(weights)
    save_file(kept, folder / "model.safetensors", {"format": "pt"})


def with_other_weights(folder: Path) -> None:
    weights = load_file(folder / "model.safetensors") | {"other.weight": torch.zeros(3)}
    save_file(weights, folder / "model.safetensors", {"format": "pt"})


def with_another_width(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    config["intermediate_size"] += 8
    (folder / "config.json").write_text(json.dumps(config))


def with_unknown_settings(folder: Path) -> None:
    flags = {"do_sample": False, "temperature": 0.5, "top_p": 0.3}
    (folder / "generation_config.json").write_text(json.dumps(flags))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("damage", "status", "said"),
    [
        (without_a_layer, 3, "Error: {folder} is not a whole LlamaForCausalLM; weights are missing: model.layers.1."),
        (
            with_another_width,
            3,
            "Error: cannot load '{folder}': the weights do not fit config.json: model.layers.0.mlp",
        ),
        (with_other_weights, 0, "Warning: {folder} has weights that a LlamaForCausalLM with its config.json"),
        (with_unknown_settings, 0, ""),
    ],
)
def test_nothing_of_other_libraries_is_on_standard_error(llama, tmp_path, damage, status, said):
    folder = tmp_path / "model"
    shutil.copytree(llama, folder)
    damage(folder)
    done = command("generate", "x", "--choice", "a", "--choice", "b", "--device", "cpu", "-m", str(folder))
    assert done.returncode == status
    written = done.stderr.splitlines()
    assert len(written) == bool(said)
    assert "".join(written).startswith(said.format(folder=folder))
