"""Estimates of memory and speed, compared with models that really hold their weights and caches."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path

import pytest
import torch
from architectures import small_model, wrapped
from command_line import run
from marks import slow
from small_models import small_llama
from transformers import DynamicCache

import guidance_kit as gk
from guidance_kit.errors import ContextLengthError, ModelError, OptionError
from guidance_kit.model_source import bundled_folder
from guidance_kit.models.forward_only_cache import cache_tensors
from guidance_kit.models.model_shape import ModelShape

BUILT = ["mamba2"]
"""A recurrent state; the tests below count caches of keys and values."""
MORE = [
    "qwen3", "gemma3_text", "deepseek_v3", "mixtral", "gpt2", "falcon_h1", "gpt_oss", "gemma4_text", "phi3", "bloom",
    "olmo2", "qwen3_next", "jamba", "mistral",
]  # fmt: skip
PROMPT, GENERATED = 40, 50


def held_weights(model: torch.nn.Module) -> int:
    """Slow twin: bytes of the storages of all parameters and buffers."""
    tensors = [*model.parameters(), *model.buffers()]
    return sum({one.untyped_storage().data_ptr(): one.untyped_storage().nbytes() for one in tensors if one.numel()}.values())  # fmt: skip # noqa: E501


@torch.inference_mode()
def held_cache(model: torch.nn.Module, rows: int, length: int) -> int:
    """Bytes of the cache of transformers after a real forward pass."""
    cache = DynamicCache(config=model.config.get_text_config(decoder=True))
    name = "cache_params" if "cache_params" in inspect.signature(model.forward).parameters else "past_key_values"
    model(input_ids=torch.randint(2, 250, (rows, length)), use_cache=True, **{name: cache})
    return sum(tensor.nbytes for layer in cache.layers for tensor in cache_tensors(layer))


def check(model: gk.TransformersModel, found: gk.CostEstimate) -> None:
    """Compare an estimate for 3 rows with a model."""
    (cost,) = found.models
    assert cost.weights == held_weights(model.model)
    assert cost.parameters == sum(one.numel() for one in model.model.parameters())
    assert cost.cache == held_cache(model.model, 3, PROMPT + GENERATED)
    model.logits([[5 + row, *[6] * (PROMPT + GENERATED - 1)] for row in range(3)])
    assert cost.reserved == model.bytes
    assert found.memory == cost.weights + cost.reserved


ASKED = {"prompt_tokens": PROMPT, "max_tokens": GENERATED, "batch": 3}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["base-small", "support-2m", "base-large"])
def test_bundled_models_hold_what_is_estimated(name):
    """Exactly, from the configuration alone, and from the loaded model."""
    model = gk.load(name, dtype="float32").language_model
    for source in (name, bundled_folder() / name / "config.json", model):
        check(model, gk.estimate(source, dtype="float32", **ASKED))


@pytest.mark.parametrize("family", [*BUILT, *slow(*MORE)])
def test_architectures_hold_what_is_estimated(family, tmp_path):
    model = wrapped(small_model(family))
    check(model, gk.estimate(model, **ASKED))
    model.model.config.save_pretrained(tmp_path)
    check(model, gk.estimate(tmp_path, dtype="float32", **ASKED))


def test_operations_and_bytes_of_a_step_are_those_of_its_products():
    """By hand for a Llama: 2 operations a weight of a product, and 4 times the width of the heads for a token seen."""
    model = small_llama()
    config, length = model.model.config, PROMPT + GENERATED // 2
    products = sum(one.numel() for name, one in model.model.named_parameters() if one.ndim == 2 and "embed" not in name)
    heads = config.num_attention_heads * config.head_dim * config.num_hidden_layers
    (cost,) = gk.estimate(model, **ASKED).models
    assert cost.operations == 3 * (2 * products + 4 * heads * (length + 1))
    embeddings = model.model.get_input_embeddings().weight
    assert cost.read == cost.weights - embeddings.nbytes + 3 * embeddings[0].nbytes + held_cache(model.model, 3, length)


def test_a_mixture_reads_the_experts_that_are_selected():
    """2 of 4 experts a token: half of them for one row, 1 - (1/2)^rows for more."""
    shape = ModelShape.of_model(wrapped(small_model("mixtral")))
    experts = sum(one.nbytes for name, one in shape._named if one.ndim == 3)
    assert experts > 0
    read = [shape.read(rows) for rows in (1, 2, 50)]
    assert read[1] - read[0] - shape._named[0][1][0].nbytes == pytest.approx(experts / 4, abs=8)
    assert read[2] <= shape.weights()


@pytest.mark.slow
def test_bits_of_weights_and_caches():
    """Matrices of the layers with 4.5 bits; and a control: the embeddings stay as they are."""
    model = small_llama()
    exact, found = (gk.estimate(model, weight_bits=bits, cache_bits=bits, **ASKED) for bits in (None, 4.5))
    inner = sum(one.numel() for name, one in model.model.named_parameters() if one.ndim == 2 and "layers" in name)
    assert exact.weights - found.weights == inner * 4 - inner * 4.5 / 8
    assert found.cache == exact.cache * 4.5 / 32
    assert gk.estimate(model, weight_bits=32, **ASKED).weights == exact.weights


@pytest.mark.slow
def test_an_ensemble_shares_what_it_shares():
    big, small = gk.load("base-large"), gk.load("base-small")
    single = {model: gk.estimate(model, **ASKED) for model in (big, small)}
    formula = big + 0.5 * (small.given("a") - small)
    found = gk.estimate(formula, **ASKED)
    assert [one.rows for one in found.models] == [3, 6]
    assert found.weights == single[big].weights + single[small].weights
    assert found.cache == single[big].cache + 2 * single[small].cache
    assert gk.estimate("base-small", "base-small", **ASKED).cache == 2 * gk.estimate("base-small", **ASKED).cache


@pytest.mark.slow
def test_layers_of_a_model_have_its_weights():
    """Weights that several terms share count once; what a step reads counts for each."""
    model = gk.Model(small_llama())
    whole = gk.estimate(model, **ASKED)
    found = gk.estimate(model + 0.5 * model.early_exit([1]), **ASKED)
    assert found.weights == whole.weights
    assert [one.weights for one in found.models] == [whole.weights, 0]
    assert found.models[1].read == whole.models[0].read
    assert found.cache == 2 * whole.cache
    check(model.early_layers(1).language_model, gk.estimate(model.early_layers(1), **ASKED))


def test_speed_is_the_scarcer_resource():
    machine = gk.Machine(bandwidth=1e9, compute=1e12)
    found = gk.estimate(small_llama(), machine=machine, **ASKED)
    (cost,) = found.models
    assert found.tokens_per_second_by_bandwidth == pytest.approx(3e9 / cost.read)
    assert found.tokens_per_second_by_compute == pytest.approx(3e12 / cost.operations)
    slower = min(found.tokens_per_second_by_bandwidth, found.tokens_per_second_by_compute)
    assert found.tokens_per_second == pytest.approx(slower)
    assert found.seconds_to_first_token == pytest.approx(max(cost.prompt_read / 1e9, cost.prompt_operations / 1e12))
    assert cost.read - found.cache < cost.prompt_read <= cost.weights
    with pytest.raises(OptionError, match="speed needs a machine"):
        _ = gk.estimate(small_llama(), **ASKED).tokens_per_second


def quantised(folder: Path) -> Path:
    """Folder of a configuration that names a quantisation, without weights."""
    model = small_llama().model
    model.config.save_pretrained(folder)
    written = json.loads((folder / "config.json").read_text())
    written["quantization_config"] = {"quant_method": "gptq", "bits": 4}
    (folder / "config.json").write_text(json.dumps(written))
    return folder


@pytest.mark.slow
def test_quantised_weights_are_those_of_their_files(tmp_path):
    from safetensors.torch import save_file

    folder = quantised(tmp_path)
    with pytest.raises(ModelError, match="quantised by gptq, and no files of them here: give weight_bits"):
        gk.estimate(folder, **ASKED)
    assert gk.estimate(folder, weight_bits=4.5, **ASKED).weights < gk.estimate(small_llama(), **ASKED).weights
    save_file({"a": torch.zeros(100, dtype=torch.int32), "b": torch.zeros(7, dtype=torch.float16)}, folder / "model.safetensors")  # fmt: skip # noqa: E501
    assert gk.estimate(folder, **ASKED).weights == 414


def test_what_does_not_fit_is_named(tmp_path):
    model = small_llama()
    (tmp_path / "config.json").write_text('{"model_type": "no such thing"}')
    for arguments, options, error, message in (
        ((model,), {"batch": 0}, OptionError, "batch"),
        ((model,), {"max_tokens": 1.5}, OptionError, "max_tokens"),
        ((model,), {"weight_bits": 0.5}, OptionError, "weight_bits"),
        ((model,), {"prompt_tokens": 10**6}, ContextLengthError, "1000512"),
        ((model.bounded_cache(window=20),), {}, ModelError, "a bounded cache"),
        ((5,), {}, ModelError, "models of transformers, and 5 is none"),
        ((tmp_path,), {}, ModelError, "no such thing"),
        ((tmp_path / "nothing",), {}, ModelError, "there is no folder"),
        (("support-2m",), {"revison": "a"}, OptionError, "revision"),
    ):
        with pytest.raises(error, match=message):
            gk.estimate(*arguments, **options)
    for options, message in (({"bandwidth": 0, "compute": 1}, "bandwidth"), ({"bandwidth": 1, "compute": "a"}, "compute")):  # fmt: skip # noqa: E501
        with pytest.raises(OptionError, match=message):
            gk.Machine(**options)
    with pytest.raises(OptionError, match="no data type"):
        gk.Machine.measured(dtype="number")
    with pytest.raises(ModelError, match="there is no device 'nowhere'"):
        gk.Machine.measured("nowhere")


@pytest.mark.slow
def test_on_the_command_line(inbox):
    options = ["--prompt-tokens", "40", "--max-tokens", "50", "--bandwidth", "10", "--compute", "0.1"]
    found = run("estimate", "base-large", "base-small", "--json", *options)
    assert found.exit_code == 0, found.stderr
    read = json.loads(found.stdout)
    machine = gk.Machine(bandwidth=1e10, compute=1e11)
    expected = gk.estimate("base-large", "base-small", prompt_tokens=40, max_tokens=50, machine=machine)
    assert read["memory"] == expected.memory
    assert read["tokens_per_second"] == expected.tokens_per_second
    shown = run("estimate", "base-large", *options)
    assert [line.split("\t")[0] for line in shown.stdout.splitlines()] == [
        "model", "base-large", "memory", "tokens a second", "by bandwidth", "by compute", "first token",
    ]  # fmt: skip
    refused = run("estimate", "none/of/these")
    assert (refused.exit_code, refused.stdout) == (3, "")
    assert "there is no folder none/of/these" in refused.stderr


@pytest.mark.slow
def test_the_machine_is_measured():
    found = gk.Machine.measured()
    assert found.bandwidth > 1e8
    assert found.compute > 1e8


@pytest.mark.slow
def test_the_example_of_costs_runs():
    page = (Path(__file__).resolve().parent.parent / "docs" / "costs.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    here: dict = {}
    exec(block, here)
    assert here["found"].memory > here["found"].weights + here["found"].cache


def test_a_quantised_cache_of_transformers():
    """4 bits, and a scale and a shift in float32 for 64 numbers: 5 bits each."""
    pytest.importorskip("optimum.quanto", reason="needs optimum-quanto")
    from transformers import QuantizedCache

    model = small_llama()
    cache = QuantizedCache("quanto", config=model.model.config, nbits=4, q_group_size=64, residual_length=8)
    with torch.inference_mode():
        model.model(input_ids=torch.randint(2, 250, (3, 96)), past_key_values=cache, use_cache=True)
    stored = [part for layer in cache.layers for part in (layer._quantized_keys, layer._quantized_values)]
    held = sum(part._data._data.nbytes + part._scale.nbytes + part._shift.nbytes for part in stored)
    (cost,) = gk.estimate(model, prompt_tokens=48, max_tokens=48, batch=3, cache_bits=5).models
    assert cost.cache == held
