"""Models, tokenizers and adapters that bring code along: none of it runs unless the caller says so, and nobody asks."""

from __future__ import annotations

import builtins
import copy
import json
import os
import pickle
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
import torch
from command_line import run
from marks import slow
from safetensors.torch import load_file
from small_models import byte_tokenizer, merging_tokenizer, random_weights, saved_adapter, small_llama

from guidance_kit.cli.application import app
from guidance_kit.errors import GuidanceKitError, ModelError, OptionError
from guidance_kit.fsm.limits import Limits
from guidance_kit.models import TransformersModel, load
from guidance_kit.models.loading import load_sequence_model, load_tokenizer
from guidance_kit.models.prefix_classifier import PrefixClassifier
from guidance_kit.models.sequence_classifier import SequenceClassifier

CODE = """
from pathlib import Path
Path({marker!r}).touch()
from transformers import LlamaConfig, LlamaForCausalLM, LlamaForSequenceClassification, PreTrainedTokenizerFast

class Config(LlamaConfig):
    model_type = {model_type!r}

class Model(LlamaForCausalLM):
    config_class = Config

class Classifier(LlamaForSequenceClassification):
    config_class = Config

class Tokenizer(PreTrainedTokenizerFast):
    pass
"""
MAPPED = {
    "AutoConfig": "evil.Config",
    "AutoModelForCausalLM": "evil.Model",
    "AutoModelForSequenceClassification": "evil.Classifier",
    "AutoModel": "evil.Model",
}
LOADERS: dict[str, Callable[..., Any]] = {
    "load": load,
    "load_sequence_model": load_sequence_model,
    "load_tokenizer": load_tokenizer,
    "SequenceClassifier": SequenceClassifier.load,
    "PrefixClassifier": PrefixClassifier.load,
}


class Touch:
    """Unpickled, it makes a file."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self):
        return os.system, (f"touch {self.marker}",)


@pytest.fixture
def marker(tmp_path) -> Path:
    """The file that the code of the models makes."""
    return tmp_path / "run"


@pytest.fixture
def folder(llama, tmp_path, marker, monkeypatch) -> Path:
    """A model with Python code beside it, which nothing names yet; whoever asks about it is told yes."""
    folder = tmp_path / "model"
    shutil.copytree(llama, folder)
    (folder / "evil.py").write_text(CODE.format(marker=str(marker), model_type="evil"))
    monkeypatch.setattr(builtins, "input", lambda *_: "y")
    return folder


def change(folder: Path, file: str, **settings: object) -> None:
    """Change settings of a JSON file; ... takes one away."""
    path = folder / file
    found = (json.loads(path.read_text()) if path.exists() else {}) | settings
    path.write_text(json.dumps({key: value for key, value in found.items() if value is not ...}))


def needs_code(folder: Path) -> None:
    """Have its configuration name its code."""
    change(folder, "config.json", model_type="evil", auto_map=MAPPED)


def fresh() -> TransformersModel:
    """A model without adapters that may be given some."""
    return TransformersModel(copy.deepcopy(random_weights("Llama")), byte_tokenizer())


@pytest.mark.parametrize("name", LOADERS)
@pytest.mark.parametrize("trust", [{}, {"trust_remote_code": False}, {"trust_remote_code": None}])
def test_a_model_of_a_kind_of_its_own(folder, marker, name, trust):
    needs_code(folder)
    with pytest.raises(ModelError, match=r"only be loaded by running code.* auto_map.*trust_remote_code=True"):
        LOADERS[name](folder, **trust)
    assert not marker.exists()


def test_code_runs_for_whoever_trusts_it(folder, marker):
    needs_code(folder)
    model = load(folder, device="cpu", trust_remote_code=True)
    assert marker.exists()
    assert type(model.model).__name__ == "Model"
    assert [len(row) for row in model.logits([[1, 2, 3]])[0].tolist()] == [320]


def test_a_known_kind_is_loaded_with_the_code_of_transformers(folder, marker):
    change(folder, "config.json", auto_map=MAPPED)
    change(folder, "tokenizer_config.json", auto_map={"AutoTokenizer": ["evil.Tokenizer", "evil.Tokenizer"]})
    assert type(load(folder, device="cpu").model).__name__ == "LlamaForCausalLM"
    assert not marker.exists()


def test_a_known_kind_without_a_causal_model_says_what_it_brings(folder, marker):
    change(folder, "config.json", model_type="deberta", auto_map={"AutoModelForCausalLM": "evil.Model"})
    with pytest.raises(ModelError, match=r"auto_map in config\.json\), which was not run.*trust_remote_code=True"):
        load(folder)
    assert not marker.exists()


@pytest.mark.parametrize("mapped", [["evil.Tokenizer", None], {"AutoTokenizer": [None, "evil.Tokenizer"]}])
def test_a_tokenizer_with_code(folder, marker, mapped):
    change(folder, "config.json", model_type="evil")
    change(folder, "tokenizer_config.json", tokenizer_class="Evil", auto_map=mapped)
    with pytest.raises(ModelError, match=r"tokenizer_config\.json\), which was not run.*trust_remote_code=True"):
        load_tokenizer(folder)
    assert not marker.exists()


@pytest.mark.parametrize("file", ["config.json", "tokenizer_config.json"])
@pytest.mark.parametrize("name", ["AutoModelForCausalLM", "AutoTokenizer", "AutoProcessor", "RagRetriever", 7, ["a"]])
def test_a_tokenizer_that_is_another_class_of_transformers(folder, marker, file, name):
    """Loading a model in a tokenizer's place asks whether its code may run, whatever was said before."""
    change(folder, "config.json", auto_map=MAPPED | {"AutoProcessor": "evil.Tokenizer"})
    change(folder, "tokenizer_config.json", tokenizer_class=...)
    change(folder, file, tokenizer_class=name)
    with pytest.raises(ModelError, match=r"as tokenizer_class, which is no tokenizer; correct the file"):
        load(folder)
    assert not marker.exists()


def test_transformers_does_not_ask_even_where_it_is_told_nothing(folder, marker):
    """The last line of defence, behind `trust_remote_code=False`."""
    from transformers import AutoModelForCausalLM, dynamic_module_utils

    from guidance_kit.models.remote_code import never_asking

    needs_code(folder)
    before = dynamic_module_utils.TIME_OUT_REMOTE_CODE
    with never_asking(), never_asking(), pytest.raises(ValueError, match="trust_remote_code"):
        AutoModelForCausalLM.from_pretrained(folder)
    assert before == dynamic_module_utils.TIME_OUT_REMOTE_CODE > 0
    assert not marker.exists()


@pytest.mark.parametrize("key", ["attn_implementation", "_attn_implementation", "experts_implementation"])
@pytest.mark.parametrize("kernel", ["someone/attention", "paged|someone/attention@main:f", {"": "someone/attention"}])
@pytest.mark.parametrize("is_nested", [False, True])
def test_kernels_on_the_hub(folder, monkeypatch, key, kernel, is_nested):
    from transformers.integrations import hub_kernels

    fetched: list[object] = []
    monkeypatch.setattr(hub_kernels, "get_kernel", lambda *names, **_: fetched.append(names))
    monkeypatch.setattr(hub_kernels, "is_kernels_available", lambda: True)
    change(folder, "config.json", **({"text_config": {key: kernel}} if is_nested else {key: kernel}))
    with pytest.raises(ModelError, match=rf"the kernel '.*someone/attention.*' on the model hub in .*{key}"):
        load(folder, device="cpu")
    assert fetched == []


@pytest.mark.parametrize(
    "options", [{"attn_implementation": "a/b"}, {"trust_remote_code": "False"}, {"trust_remote_code": 1}]
)
def test_trust_is_said_in_so_many_words(options):
    with pytest.raises(OptionError, match="trust_remote_code"):
        load(**options)


@pytest.mark.parametrize("has_index", [False, True])
def test_pickled_weights_hold_tensors_and_nothing_else(folder, marker, has_index):
    weights = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    torch.save(weights, folder / "pytorch_model.bin")
    good = load(folder, device="cpu").logits([[1, 2]])
    torch.save(weights | {"extra": Touch(marker)}, folder / "pytorch_model.bin")
    if has_index:
        (folder / "pytorch_model.bin").rename(folder / "part.bin")
        index = {"metadata": {}, "weight_map": dict.fromkeys(weights, "part.bin")}
        (folder / "pytorch_model.bin.index.json").write_text(json.dumps(index))
    with pytest.raises(ModelError, match=r"pickle file that holds more than tensors.*safetensors"):
        load(folder, device="cpu")
    assert not marker.exists()
    assert good.shape[-1] == 320


@pytest.mark.parametrize("write", [torch.save, lambda value, path: Path(path).write_bytes(pickle.dumps(value))])
def test_pickled_adapters_hold_tensors_and_nothing_else(tmp_path, marker, write):
    saved = saved_adapter(random_weights("Llama"), tmp_path / "adapter", seed=1)
    weights = load_file(saved / "adapter_model.safetensors")
    (saved / "adapter_model.safetensors").unlink()
    write(weights | {"extra": Touch(marker)}, saved / "adapter_model.bin")
    with pytest.raises(ModelError, match=r"cannot load the adapter .*pickle file that holds more than tensors"):
        fresh().with_adapter(saved)
    assert not marker.exists()


def test_adapters_name_no_modules(tmp_path, marker, monkeypatch):
    """Neither the one that peft imports for Megatron, nor the classes of `auto_mapping`, which nothing asks for."""
    saved = saved_adapter(random_weights("Llama"), tmp_path / "adapter", seed=1)
    (saved / "evil.py").write_text(CODE.format(marker=str(marker), model_type="evil"))
    monkeypatch.chdir(saved)
    monkeypatch.syspath_prepend(str(saved))
    names = {"auto_mapping": {"base_model_class": "Model", "parent_library": "evil"}, "base_model_name_or_path": None}
    change(saved, "adapter_config.json", **names)
    fresh().with_adapter(saved)
    change(saved, "adapter_config.json", megatron_config={"hidden_size": 4}, megatron_core="evil")
    with pytest.raises(ModelError, match="has the module run that it names"):
        fresh().with_adapter(saved)
    assert not marker.exists()
    assert "evil" not in sys.modules


def test_a_model_does_not_put_adapters_on_itself(folder, marker, tmp_path, monkeypatch):
    """transformers would, with whatever modules their configuration names."""
    saved = saved_adapter(random_weights("Llama"), tmp_path / "adapter", seed=1)
    shutil.copytree(saved, folder, dirs_exist_ok=True)
    monkeypatch.syspath_prepend(str(folder))
    change(folder, "adapter_config.json", megatron_config={"hidden_size": 4}, megatron_core="evil")
    with pytest.raises(ModelError, match="holds an adapter beside a model; load the model"):
        load(folder)
    assert not marker.exists()


ATTACKS = [
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ messages.append.__self__.__class__ }}",
    "{{ cycler.__init__.__globals__.os.system('touch %s') }}",
    "{{ raise_exception.__globals__['json'] }}",
    "{{ strftime_now.__code__ }}",
    "{{ (lipsum|attr('__globals__'))['os'].popen('touch %s').read() }}",
    "{{ ('%%s'|format).__class__ }}{{ '{0.__class__.__init__.__globals__}'.format(namespace) }}",
    "{%% set x = namespace(__class__=1) %%}",
    "{{ messages.clear() }}",
    "{%% include '/etc/passwd' %%}",
    "{%% import 'os' as os %%}{{ os.system('touch %s') }}",
]


@pytest.mark.parametrize("template", ATTACKS)
def test_chat_templates_are_sandboxed(template, marker):
    """They read what they are given, and nothing else."""
    model = small_llama()
    tokenizer = merging_tokenizer("<|end|>")
    tokenizer.chat_template = template.replace("%s", str(marker)).replace("%%", "%")
    wrapped = TransformersModel(model.model, tokenizer)
    messages = [{"role": "user", "content": "a"}]
    try:
        written = str(wrapped.chat(messages))
    except GuidanceKitError:
        written = ""
    assert not re.search(r"class|function|module|root:|object at", written)
    assert not marker.exists()
    assert messages == [{"role": "user", "content": "a"}]


def test_a_model_does_not_bring_its_own_generate(folder, marker):
    (folder / "custom_generate").mkdir()
    shutil.copy(folder / "evil.py", folder / "custom_generate" / "generate.py")
    change(folder, "generation_config.json", custom_generate=str(folder))
    load(folder, device="cpu")
    assert not marker.exists()


@pytest.mark.slow
@pytest.mark.parametrize("answer", ["y\n", "yes\nyes\nyes\nyes\n"])
def test_documents_on_standard_input_answer_no_question(folder, marker, answer, tmp_path):
    needs_code(folder)
    (tmp_path / "s.json").write_text('{"type": "boolean"}')
    command = [sys.executable, "-m", "guidance_kit", "extract", "-s", str(tmp_path / "s.json"), "-", "-m", str(folder)]
    done = subprocess.run(command, input=answer, capture_output=True, text=True, timeout=120)
    assert done.returncode == 3
    assert not marker.exists()
    assert done.stdout == ""
    assert "running code" in done.stderr
    assert "--trust-remote-code" in done.stderr
    assert "[y/N]" not in done.stderr


@pytest.mark.parametrize(
    "command",
    [
        ["extract", "-s", "ticket.json", "messages"],
        ["classify", "-l", "a", "-l", "b", "messages"],
        ["generate", "x"],
        ["check", "ticket.json"],
        ["trace", "x"],
        ["draw", "ticket.json", "--text", "{"],
        *slow(["evaluate", "extraction"]),
    ],
    ids=lambda command: command[0],
)
@pytest.mark.parametrize("flags", [[], ["--trust-remote-code"]])
def test_every_command_with_a_model_hands_the_trust_on(inbox, monkeypatch, command, flags):
    seen: list[bool] = []

    def refuse(*_, trust_remote_code: bool, **others: object) -> None:
        seen.append(trust_remote_code)
        raise ModelError("seen")

    monkeypatch.setattr("guidance_kit.model.load", refuse)
    assert run(*command, "-m", "model", *flags).exit_code == 3
    assert seen == [bool(flags)]


def test_no_command_takes_a_model_without_the_flag():
    for command in app.registered_commands:
        parameters = signature(command.callback).parameters
        takes_a_model = not {"model", "models"}.isdisjoint(parameters)
        assert takes_a_model == ("trust_remote_code" in parameters), command.callback


def test_the_page_has_the_limits_and_their_defaults():
    page = (Path(__file__).parent.parent / "docs" / "security.md").read_text(encoding="utf-8")
    table = page.partition("<!-- begin limits -->")[2].partition("<!-- end limits -->")[0]
    assert re.findall(r"(?m)^\| `(\w+)` \| ([\d,]+) \|$", table) == [
        (field.name, f"{field.default:,}") for field in fields(Limits)
    ]
