"""LoRA adapters: whatever is asked, the answer is that of peft with one adapter at a time, without any cache."""

from __future__ import annotations

import copy
import json
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import peft
import pytest
import torch
from marks import slow, thinned
from random_questions import script
from safetensors.torch import load_file, save_file
from small_models import byte_tokenizer, random_weights, saved_adapter, small_llama

import guidance_kit as gk
from guidance_kit.errors import ModelError, OptionError
from guidance_kit.models import TransformersModel, kv_buffers

# Logits have a standard deviation of about 1. The adapters below move them by 0.3 and more.
TOLERANCE = 3e-5
TARGETS = {
    "GPT-2": (["c_attn"], ["c_attn", "c_fc", "lm_head"]),
    "Phi 3, LongRoPE": (["qkv_proj"], "all-linear"),
    "Mamba": (["in_proj"], ["in_proj", "x_proj"]),
    "Qwen 3 Next": (["q_proj", "v_proj"], ["q_proj", "in_proj_qkvz", "out_proj"]),
}
ALONE = [{"use_dora": True}, {"modules_to_save": ["lm_head"]}]
"""Settings with which rows cannot stand in a batch with others."""


def close(actual: torch.Tensor, expected: torch.Tensor, tolerance: float = TOLERANCE) -> None:
    assert actual.shape == expected.shape
    assert (actual - expected).abs().max() <= tolerance


def by_peft(weights, folder: Path | None):
    """The slow twin: the logits of one prefix with one adapter, by peft's own loader."""
    model = copy.deepcopy(weights)
    if folder is not None:
        model = peft.PeftModel.from_pretrained(model, folder, autocast_adapter_dtype=False)
    model.eval()

    @torch.inference_mode()
    def logits(prefix: list[int], positions: int) -> torch.Tensor:
        rows = [prefix[: len(prefix) - back] for back in range(positions - 1, -1, -1)]
        return torch.stack([model(input_ids=torch.tensor([row]), use_cache=False).logits[0, -1] for row in rows])

    return logits


class Family:
    """A base with adapters, and the slow twin of each."""

    def __init__(self, weights, folders: list[Path]) -> None:
        self.base = TransformersModel(copy.deepcopy(weights), byte_tokenizer())
        self.members = [self.base, *map(self.base.with_adapter, folders)]
        self.twins = [by_peft(weights, folder) for folder in (None, *folders)]

    def check(self, seed: int, questions: int, tolerance: float = TOLERANCE) -> None:
        """Ask as decoders may, each row of any member."""
        rng = random.Random(seed)
        chosen = [0, 1, 2]
        for prefixes, positions in script(seed, questions):
            if len(chosen) != len(prefixes) or rng.random() < 0.3:
                chosen = [rng.randrange(len(self.members)) for _ in prefixes]
            adapters = [self.members[one].adapter for one in chosen]
            found = self.base.weights.logits(prefixes, positions, adapters=adapters)
            for row, one, prefix in zip(found, chosen, prefixes, strict=True):
                close(row, self.twins[one](prefix, positions), tolerance)


@pytest.mark.parametrize("name", ["Llama", *slow("Mamba", "Gemma 3", "GPT-2", "OPT", "Phi 3, LongRoPE", "Qwen 3 Next")])
def test_random_questions(name, tmp_path, monkeypatch):
    """Rows of the base and of two adapters in one batch: in any order, of any lengths, going on, going back."""
    monkeypatch.setattr(kv_buffers, "MARGIN", 2)
    weights = random_weights(name)
    some, more = TARGETS.get(name, (["q_proj", "v_proj"], "all-linear"))
    first = saved_adapter(weights, tmp_path / "a", seed=1, target_modules=some)
    second = saved_adapter(weights, tmp_path / "b", seed=2, target_modules=more, use_rslora=True)
    is_linear = name in ("Mamba", "Qwen 3 Next")
    Family(weights, [first, second]).check(seed=len(name), questions=20, tolerance=5e-4 if is_linear else TOLERANCE)


@pytest.mark.parametrize("seed", [0, *slow(*range(1, 23))])
def test_adapters_of_all_kinds_on_one_model(tmp_path, seed):
    """Those that cannot be mixed have a pass of their own, and leave no trace in the others."""
    weights = random_weights("Llama")
    kinds = [
        {"target_modules": ["embed_tokens", "o_proj"]},
        {"target_modules": ["q_proj", "up_proj"], "rank_pattern": {"up_proj": 5}, "layers_to_transform": [0, 2]},
        *({"target_modules": ["q_proj", "down_proj"]} | settings for settings in ALONE),
    ]
    random.Random(seed).shuffle(kinds)
    folders = [saved_adapter(weights, tmp_path / str(n), seed=n, **settings) for n, settings in enumerate(kinds)]
    family = Family(weights, folders)
    adapters = family.base.weights.forward.adapters
    for member, settings in zip(family.members[1:], kinds, strict=True):
        assert adapters.is_mixable(member.adapter) != any(alone.keys() <= settings.keys() for alone in ALONE)
    family.check(seed=seed, questions=20)
    inputs = torch.tensor([[1, 2, 3]])
    with torch.inference_mode():  # whoever calls the model itself meets the base
        assert torch.equal(family.base.model(inputs).logits, weights(inputs).logits)


@pytest.mark.slow
def test_half_precision(tmp_path):
    weights = copy.deepcopy(random_weights("Llama")).to(torch.bfloat16)
    folders = [saved_adapter(weights, tmp_path / str(n), seed=n, target_modules="all-linear") for n in (1, 2)]
    family = Family(weights, folders)
    family.check(seed=5, questions=15, tolerance=0.15)  # a unit in the last place of 4 is 0.03
    tokens = [[3, 1, 4, 1, 5]]
    for member, twin in zip(family.members, family.twins, strict=True):
        assert torch.equal(member.logits(tokens, 1)[0], twin(tokens[0], 1))
        member.clear()


@pytest.fixture
def llama(tmp_path) -> tuple[gk.Model, gk.Model, gk.Model]:
    """A model that can chat, and two adapters on it."""
    made = small_llama()
    base = gk.Model(made)
    folders = [saved_adapter(made.model, tmp_path / name, seed=len(name), target_modules="all-linear")
               for name in ("polite", "terse")]  # fmt: skip
    return base, *map(base.with_adapter, folders)


def logs(model: gk.Model, prefix: list[int]) -> torch.Tensor:
    """Log-probabilities of one model, asked alone."""
    return model.language_model.logits([prefix])[0, 0].log_softmax(-1)


def test_a_step_of_all_members_is_one_pass(llama, blocks):
    base, polite, terse = llama
    steered = base + 1.5 * (polite - base) - 0.5 * terse.given("Rudely: ")
    prompts = ["the cat", "hello world,"]
    completions = steered.generate(prompts, max_tokens=6, temperature=0)
    steps = max(len(one.tokens) for one in completions)
    assert blocks[-(steps - 1) :] == [(6, 1)] * (steps - 1)
    for prompt, one in zip(prompts, completions, strict=True):
        prefix, other = (base.language_model.encode(text) for text in (prompt, f"Rudely: {prompt}"))
        for token in one.tokens:
            values = logs(base, prefix) + 1.5 * (logs(polite, prefix) - logs(base, prefix)) - 0.5 * logs(terse, other)
            assert token == int(values[: len(base.vocabulary)].argmax())
            prefix, other = [*prefix, token], [*other, token]


def test_an_adapter_that_cannot_be_mixed_has_a_pass_of_its_own(llama, tmp_path, blocks):
    base, polite, _ = llama
    weights = small_llama().model
    dora = base.with_adapter(
        saved_adapter(weights, tmp_path / "dora", seed=9, target_modules=["q_proj"], use_dora=True)
    )
    (base + polite - 0.5 * dora).generate("the cat", max_tokens=4, temperature=0)
    assert blocks[-6:] == [(2, 1), (1, 1)] * 3


def test_others_who_call_the_model_meanwhile_meet_the_base(llama):
    """Whichever adapters are at work in another thread."""
    base, polite, terse = (model.language_model for model in llama)
    tokens = torch.tensor([[1, 2, 3], [4, 5, 6]])

    def elsewhere() -> torch.Tensor:
        with torch.inference_mode(), ThreadPoolExecutor(1) as pool:
            return pool.submit(lambda: base.model(tokens).logits.detach()).result()

    expected = elsewhere()
    for adapters in ([polite.adapter] * 3, [polite.adapter, None, terse.adapter], [terse.adapter, polite.adapter]):
        with base.weights.forward.adapters.applied(adapters):
            close(elsewhere(), expected)


def test_an_adapter_is_a_model(llama):
    """Seeds, batches, streams, constraints, labels and attribution, alone and in a formula."""
    base, polite, _ = llama
    for model in (polite, base + 1.5 * (polite - base)):
        several = model.generate(["the cat", "hello", "a"], gk.regex("[a-z ]{5,9}"), max_tokens=12, seed=4)
        for prompt, one in zip(["the cat", "hello", "a"], several, strict=True):
            assert model.generate(prompt, gk.regex("[a-z ]{5,9}"), max_tokens=12, seed=one.seed).text == one.text
            pieces = model.stream(prompt, gk.regex("[a-z ]{5,9}"), max_tokens=12, seed=one.seed)
            assert "".join(pieces) == one.text
        found = model.classify("the cat", ["good", "bad"], prompt=lambda text: f"{text}: ")
        assert sum(score.probability for score in found.scores) == pytest.approx(1)
    record = (base + 1.5 * (polite - base)).generate("the cat", max_tokens=1, temperature=0, logprobs=1).logprobs[0]
    prefix = base.language_model.encode("the cat")
    names = [term.term for term in record.terms]
    assert names == [base.language_model.name, "1.5 * LlamaForCausalLM with polite", "-1.5 * LlamaForCausalLM"]
    assert record.terms[1].own_logprob == pytest.approx(float(logs(polite, prefix)[record.token]), abs=1e-4)


def test_adapters_as_classes(llama):
    """Scores of what was generated are kept apart by adapter."""
    base, polite, terse = llama
    steered = gk.gedi(base, polite, terse, omega=2.0, is_averaged=False)
    prompt = base.language_model.encode("the cat")
    new: list[int] = []
    for token in steered.generate("the cat", max_tokens=5, temperature=0).tokens:
        scores = []
        for model in (polite, terse):
            passed = sum(float(logs(model, [*prompt, *new[:n]])[new[n]]) for n in range(len(new)))
            scores.append(passed + logs(model, [*prompt, *new]))
        values = logs(base, [*prompt, *new]) + 2 * torch.stack(scores).log_softmax(0)[0]
        assert token == int(values[: len(base.vocabulary)].argmax())
        new.append(token)


def test_a_common_beginning_is_computed_once_for_each_adapter(llama, blocks):
    base, polite, _ = (model.language_model for model in llama)
    begin = list(range(50))
    prefixes = [[*begin, 3], [*begin, 4, 4], [*begin, 5], [*begin, 6]]
    adapters = [None, polite.adapter, None, polite.adapter]
    logits = base.weights.logits(prefixes, adapters=adapters)
    assert blocks == [(2, 50), (4, 2)]
    for row, prefix, adapter in zip(logits, prefixes, adapters, strict=True):
        base.clear()
        assert torch.allclose(row, base.weights.logits([prefix], adapters=[adapter])[0], atol=TOLERANCE)


def test_loading_a_model_with_an_adapter(tmp_path):
    weights = copy.deepcopy(random_weights("Llama"))
    weights.save_pretrained(tmp_path / "base")
    byte_tokenizer().save_pretrained(tmp_path / "base")
    folder = saved_adapter(weights, tmp_path / "polite", seed=1, target_modules="all-linear")
    model = gk.load(tmp_path / "base", adapter=folder, device="cpu").language_model
    close(model.logits([[1, 2, 3]])[0], by_peft(weights, folder)([1, 2, 3], 1))
    assert model.name.endswith("base with polite")
    with pytest.raises(ModelError, match="put the other one on the model without it"):
        model.with_adapter(folder)
    with pytest.raises(ModelError, match=r"cannot load the adapter '.*base'"):
        gk.load(tmp_path / "base", adapter=tmp_path / "base", device="cpu")
    with pytest.raises(ModelError, match="holds an adapter; load the model it was made for"):
        gk.load(folder)


REFUSED = [
    ({"bias": "lora_only"}, "trains biases of the model itself"),
    ({"bias": "all"}, "trains biases of the model itself"),
    ({"init_lora_weights": "pissa"}, "init_lora_weights is 'pissa'; convert it"),
    ({"layer_replication": [[0, 3], [1, 3]]}, "repeats layers"),
    ({"alora_invocation_tokens": [1, 2]}, r"begins in the middle of a text \(aLoRA\)"),
    ({"trainable_token_indices": [1, 2]}, "trains tokens"),
    ({"target_modules": ["nowhere"]}, "does not fit the model: .*nowhere"),
    ({"peft_type": "IA3"}, "of the kind IA3; only LoRA adapters"),
    ({"r": 5}, "does not fit the model: .*size mismatch"),
    ({"target_modules": ["q_proj", "k_proj"]}, "its weights and its layers differ, first at .*k_proj"),
    ({"target_modules": ["v_proj"]}, "its weights and its layers differ, first at .*q_proj"),
]


@pytest.mark.parametrize(("settings", "message"), thinned(REFUSED, 4))
def test_adapters_that_are_refused(settings, message, tmp_path):
    """And the model goes on as if nothing had been."""
    weights = random_weights("Llama")
    folder = saved_adapter(weights, tmp_path / "a", seed=1, target_modules=["q_proj"])
    path = folder / "adapter_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | settings))
    good = saved_adapter(weights, tmp_path / "b", seed=2, target_modules=["q_proj", "o_proj"])
    model = TransformersModel(copy.deepcopy(weights), byte_tokenizer())
    for _ in range(2):
        with pytest.raises(ModelError, match=message):
            model.with_adapter(folder)
        close(model.logits([[1, 2, 3]])[0], by_peft(weights, None)([1, 2, 3], 1))
        model.clear()
    close(model.with_adapter(good).logits([[1, 2, 3]])[0], by_peft(weights, good)([1, 2, 3], 1))


def test_an_adapter_for_a_model_of_another_width(tmp_path):
    folder = saved_adapter(small_llama().model, tmp_path / "a", seed=1, target_modules=["up_proj"])
    with pytest.raises(ModelError, match=r"does not fit the model: .*size mismatch"):
        TransformersModel(copy.deepcopy(random_weights("Llama")), byte_tokenizer()).with_adapter(folder)


def test_an_adapter_of_a_convolution(tmp_path):
    weights = random_weights("LFM 2")
    folder = saved_adapter(weights, tmp_path / "a", seed=1, target_modules=["conv.conv"], r=32)
    model = TransformersModel(copy.deepcopy(weights), byte_tokenizer())
    for _ in range(2):
        with pytest.raises(ModelError, match="it adapts a Conv1d, and only linear and embedding layers"):
            model.with_adapter(folder)
        close(model.logits([[1, 2, 3]])[0], by_peft(weights, None)([1, 2, 3], 1))
        model.clear()


def test_an_adapter_that_adds_tokens(tmp_path):
    weights = copy.deepcopy(random_weights("Llama"))
    weights.resize_token_embeddings(270)
    folder = saved_adapter(weights, tmp_path / "a", seed=1, target_modules=["q_proj"])
    made = peft.PeftModel.from_pretrained(weights, folder)
    made.save_pretrained(tmp_path / "grown", save_embedding_layers=True)
    whole = saved_adapter(weights, tmp_path / "whole", seed=1, target_modules=["q_proj"], modules_to_save=["lm_head"])
    model = TransformersModel(copy.deepcopy(random_weights("Llama")), byte_tokenizer())
    with pytest.raises(ModelError, match=r"change the model itself, at .*\[270, 32\] in place of \[260, 32\]"):
        model.with_adapter(tmp_path / "grown")
    with pytest.raises(ModelError, match=r"does not fit the model: .*size mismatch"):
        model.with_adapter(whole)


def test_embeddings_beside_an_adapter(tmp_path):
    """peft may save the model's own embeddings with an adapter: fine if they are these, refused if not."""
    weights = random_weights("Llama")
    folder = saved_adapter(weights, tmp_path / "a", seed=1, target_modules=["embed_tokens", "q_proj"])
    path = folder / "adapter_model.safetensors"
    tensors = load_file(path)
    own = next(name for name in tensors if name.endswith("embed_tokens.base_layer.weight"))
    model = TransformersModel(copy.deepcopy(weights), byte_tokenizer())
    adapted = model.with_adapter(folder)
    close(adapted.logits([[1, 2, 3]])[0], by_peft(weights, folder)([1, 2, 3], 1))
    tensors[own][7] += 1
    save_file(tensors, path, metadata={"format": "pt"})
    for _ in range(2):
        with pytest.raises(ModelError, match=r"would change the model itself, at model\.embed_tokens\.weight"):
            model.with_adapter(folder)


def test_bad_requests_for_adapters(llama, tmp_path, monkeypatch):
    base, polite, _ = llama
    with pytest.raises(OptionError, match="put on a single model"):
        (base + polite).with_adapter("terse")
    with pytest.raises(OptionError, match="put on a single model"):
        (2 * base).with_adapter("terse")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelError, match="cannot load the adapter"):
        base.with_adapter(tmp_path / "empty")
    injected = peft.inject_adapter_in_model(
        peft.LoraConfig(target_modules=["q_proj"]), copy.deepcopy(random_weights("Llama"))
    )
    with pytest.raises(ModelError, match="has adapters of its own"):
        TransformersModel(injected, byte_tokenizer()).with_adapter("polite")
    monkeypatch.setattr("guidance_kit.models.adapters.find_spec", lambda name: None)
    with pytest.raises(ModelError, match=r"pip install guidance-kit\[peft\]"):
        base.with_adapter("terse")


def test_an_adapter_made_for_another_model_is_told(tmp_path):
    weights = copy.deepcopy(random_weights("Llama"))
    folder = saved_adapter(weights, tmp_path / "a", seed=1, target_modules=["q_proj"])
    path = folder / "adapter_config.json"
    settings = json.loads(path.read_text())
    path.write_text(json.dumps(settings | {"base_model_name_or_path": "someone/Other-7B"}))
    weights.name_or_path = "/models/small-1B"
    with pytest.warns(RuntimeWarning, match=r"was made for someone/Other-7B, and the model is /models/small-1B"):
        TransformersModel(weights, byte_tokenizer()).with_adapter(folder)
