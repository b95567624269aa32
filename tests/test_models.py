"""The model wrapper: greedy decoding equals that of transformers; texts, conversations, loading, what goes wrong."""

from __future__ import annotations

import json
import threading
from importlib.util import find_spec
from pathlib import Path

import pytest
import torch
import transformers
from marks import slow
from packaging.version import Version
from safetensors.torch import load_file, save_file
from small_models import ATTENTION, FORWARD_ONLY, ROWS, byte_tokenizer, random_model, random_weights, recomputed

from guidance_kit.errors import ContextLengthError, ModelError, OptionError, VocabularyError
from guidance_kit.models import BUNDLED, TransformersModel, bundled_models, load
from guidance_kit.vocabulary import Vocabulary


def greedy(model: TransformersModel, prompts: list[list[int]], count: int) -> list[list[int]]:
    """Greedy decoding through `logits`, all prompts at once."""
    rows = [list(prompt) for prompt in prompts]
    for _ in range(count):
        for row, token in zip(rows, model.logits(rows)[:, -1].argmax(-1).tolist(), strict=True):
            row.append(token)
    return rows


def generated(model: TransformersModel, prompt: list[int], count: int) -> list[int]:
    """What transformers itself makes of one prompt."""
    with torch.inference_mode():
        tokens = model.model.generate(
            input_ids=torch.tensor([prompt]), do_sample=False, max_new_tokens=count, eos_token_id=-1, pad_token_id=0
        )
    return tokens[0].tolist()


MODELS = [name for name in (*ATTENTION, *FORWARD_ONLY) if name != "RWKV"]
QUICK = MODELS[::4]


@pytest.mark.parametrize("name", [*QUICK, *slow(*(name for name in MODELS if name not in QUICK))])
def test_greedy_decoding_is_that_of_transformers(name):
    """Ragged prompts together, against each by itself. (RWKV has no `generate` that runs in transformers 5.)"""
    if name == "Phi 3, LongRoPE" and Version(transformers.__version__) < Version("5.20"):
        pytest.skip("transformers before 5.20 generates otherwise than its forward pass says")
    model = random_model(name)
    prompts = [[7, 8, 9, 10, 11, 12, 13, 14, 15], [100, 101, 102], [50] * 20]
    assert greedy(model, prompts, 20) == [generated(model, prompt, 20) for prompt in prompts]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision(dtype):
    """Close to float32: about 8 and 11 bits, over three layers."""
    exact = random_model("Llama")
    half = TransformersModel(type(exact.model)(exact.model.config), byte_tokenizer())
    half.model.load_state_dict(exact.model.state_dict())
    half.model.to(dtype)
    rows = [[1, 2, 3, 4, 5, 6, 7], [4, 5, 6, 7], [9]]
    for token in range(12):
        rough, right = half.logits(rows), exact.logits(rows)
        assert rough.dtype == dtype
        assert (rough.float() - right).abs().max() < (0.15 if dtype == torch.bfloat16 else 0.02)  # of about 4
        rows = [[*row, token] for row in rows]


@pytest.mark.parametrize("name", ["stories260k", *slow("tinystories-656k")])
def test_real_models(shared_data, name):
    model = load(shared_data / "models" / name, device="cpu")
    prompts = [model.encode("Once upon a time"), model.encode("The little dog was"), model.encode("One")]
    rows = greedy(model, prompts, 40)
    assert rows == [generated(model, prompt, 40) for prompt in prompts]
    assert model.decode(rows[0]).strip().startswith("Once upon a time")


def test_a_real_recurrent_model(shared_data):
    """RWKV-4 on raw bytes, without a tokenizer."""
    from transformers import AutoModelForCausalLM

    folder = shared_data / "models" / "tiny-rwkv4-660k"
    with pytest.raises(ModelError, match="has no tokenizer"):
        load(folder, device="cpu")
    weights = AutoModelForCausalLM.from_pretrained(folder).float()
    model = TransformersModel(weights, vocabulary=Vocabulary.from_bytes(eos=0, rows=256))
    prompts = [list(b"int main("), list(b"for (")]
    for row, prompt in zip(greedy(model, prompts, 12), prompts, strict=True):
        alone = list(prompt)
        for _ in range(12):
            alone.append(int(recomputed(model, [alone]).argmax()))
        assert row == alone
    with pytest.raises(ModelError, match="without a tokenizer"):
        model.encode("a")


def test_what_the_vocabulary_says():
    model = random_model("Llama")
    assert model.rows == model.vocabulary.rows == ROWS
    assert model.vocabulary.eos == (257,)
    assert model.context_length == 160
    assert model.decode(model.encode("Grüße")) == "Grüße"
    assert model.decode([*model.encode("ü")[:1], 257]) == "\ufffd"
    with pytest.raises(VocabularyError, match="256 rows for a model of 260"):
        TransformersModel(random_weights("Llama"), vocabulary=Vocabulary.from_bytes(eos=0, rows=256))
    with pytest.raises(ModelError, match="tokenizer or a vocabulary"):
        TransformersModel(random_weights("Llama"))


def test_all_ends_of_sequence_count():
    """What generation_config, config and tokenizer name, together."""
    from transformers import LlamaForCausalLM

    weights = LlamaForCausalLM(random_weights("Llama").config)
    weights.generation_config.eos_token_id = [258, 100]
    assert set(TransformersModel(weights, byte_tokenizer()).vocabulary.eos) == {100, 257, 258}


def test_a_prompt_gets_what_begins_a_sequence_and_not_what_ends_it():
    import copy

    from tokenizers.processors import TemplateProcessing

    tokenizer = copy.deepcopy(byte_tokenizer())
    tokenizer.backend_tokenizer.post_processor = TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 256), ("</s>", 257)]
    )
    model = TransformersModel(random_weights("Llama"), tokenizer)
    bare = byte_tokenizer().encode("ab")
    assert tokenizer.encode("ab") == [256, *bare, 257]
    assert model.encode("ab") == [256, *bare]
    assert model.encode("ab", with_special_tokens=False) == bare
    assert model.encode("<s>ab", with_special_tokens=False) == [256, *bare]


QUESTIONS = [
    ([], 1, ModelError, "there is no prefix"),
    ([[1], []], 1, ModelError, "0 tokens"),
    ([[1, 2], [1, 2, 3]], 3, ModelError, "3 positions asked for, but a prefix has 2 tokens"),
    ([[1, 2]], 0, ModelError, "0 positions"),
    ([[1] * 161], 1, ContextLengthError, "161 tokens do not fit the model's context of 160"),
    ([[1, ROWS]], 1, VocabularyError, "no token 260"),
    ([[1, -1]], 1, VocabularyError, "no token -1"),
]


@pytest.mark.parametrize(("prefixes", "positions", "error", "message"), QUESTIONS)
def test_questions_that_cannot_be_answered(prefixes, positions, error, message):
    model = random_model("Llama")
    model.logits([[1]])
    with pytest.raises(error, match=message):
        model.logits(prefixes, positions)
    assert torch.allclose(model.logits([[1, 2]]), recomputed(model, [[1, 2]]), atol=1e-5)


def test_prefixes_stay_the_callers():
    model = random_model("Llama")
    row = [1, 2, 3]
    model.logits([row])
    row[0] = 9
    row.append(4)
    assert torch.allclose(model.logits([row]), recomputed(model, [row]), atol=1e-5)
    assert torch.allclose(model.logits([tuple(row)]), recomputed(model, [row]), atol=1e-5)


def test_threads_wait_for_each_other():
    model = random_model("Llama")
    rows = [[[start, start + 1, start + 2]] for start in range(4)]
    expected = [greedy(model, prompts, 15) for prompts in rows]
    found: dict[int, list[list[int]]] = {}
    threads = [
        threading.Thread(target=lambda number=number: found.update({number: greedy(model, rows[number], 15)}))
        for number in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[number] for number in range(4)] == expected


TEMPLATE = (
    "{% if messages[0].role != 'user' %}{{ raise_exception('Begin with a user') }}{% endif %}"
    "{% for m in messages %}<s>[{{ m.role }}] {{ m.content }}\n{% endfor %}"
    "{% if add_generation_prompt %}<s>[{{ who | default('assistant') }}] {% endif %}"
)


def test_conversations(monkeypatch):
    model = random_model("Llama")
    with pytest.raises(ModelError, match="no chat template"):
        model.chat([{"role": "user", "content": "Hi"}])
    assert not model.has_chat_template
    monkeypatch.setattr(model.tokenizer, "chat_template", TEMPLATE)
    assert model.has_chat_template
    tokens = model.chat([{"role": "user", "content": "Hi"}])
    assert model.decode(tokens) == "[user] Hi\n[assistant] "
    assert tokens.count(256) == 2
    assert model.decode(model.chat([{"role": "user", "content": "Hi"}], who="bot")) == "[user] Hi\n[bot] "
    with pytest.raises(ModelError, match="refuses the messages: Begin with a user"):
        model.chat([{"role": "system", "content": "Hi"}])


@pytest.fixture
def folder(tmp_path) -> Path:
    """A saved Llama in float16."""
    from transformers import LlamaForCausalLM

    weights = LlamaForCausalLM(random_weights("Llama").config)
    weights.load_state_dict(random_weights("Llama").state_dict())
    weights.half().save_pretrained(tmp_path)
    byte_tokenizer().save_pretrained(tmp_path)
    return tmp_path


def test_loading_a_folder(folder):
    loaded = load(folder)
    assert loaded.model.dtype == (torch.float32 if loaded.device.type == "cpu" else torch.float16)
    assert loaded.vocabulary == random_model("Llama").vocabulary
    assert not loaded.model.training
    assert load(str(folder), dtype="bfloat16", device="cpu").model.dtype == torch.bfloat16
    assert load(folder, dtype=torch.float16, device="cpu").model.dtype == torch.float16
    assert repr(load(folder, attn_implementation="eager")).startswith("TransformersModel(")


def test_a_damaged_folder(folder):
    path = folder / "model.safetensors"
    weights = load_file(path)
    del weights["model.layers.1.mlp.up_proj.weight"]
    save_file(weights, path, metadata={"format": "pt"})
    with pytest.raises(ModelError, match=r"not a whole LlamaForCausalLM; .* model\.layers\.1\.mlp\.up_proj\.weight"):
        load(folder)
    path.write_bytes(b"not safetensors at all")
    with pytest.raises(ModelError, match="cannot load"):
        load(folder)
    path.unlink()
    with pytest.raises(ModelError, match="cannot load"):
        load(folder)
    (folder / "config.json").write_text("{", encoding="utf-8")
    with pytest.raises(ModelError, match="cannot load"):
        load(folder)


def test_a_folder_without_a_tokenizer_is_told_in_whole_sentences(folder):
    for file in folder.glob("tokenizer*"):
        file.unlink()
    with pytest.raises(ModelError, match=r"backend tokenizer from one of: .* need to have sentencepiece or tiktoken"):
        load(folder)


def test_a_key_that_transformers_does_not_know_is_told_in_a_sentence(folder):
    settings = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    settings["rope_parameters"] = settings["rope_scaling"] = {"rope_type": "magic", "factor": 2.0, "rope_theta": 1e4}
    (folder / "config.json").write_text(json.dumps(settings))
    with pytest.raises(ModelError, match=r"do not have what transformers expects \(KeyError: 'magic'\)"):
        load(folder)


def test_an_encoder_is_not_a_language_model(folder):
    settings = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps(settings | {"model_type": "clip", "architectures": ["CLIPModel"]}))
    with pytest.raises(ModelError, match="cannot load"):
        load(folder)


def test_bad_requests_for_a_model(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ModelError, match="give a folder that holds the model, or use a bundled one"):
        load("nobody/no-such-model", local_files_only=True)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelError, match=r"no config\.json"):
        load(tmp_path / "empty")
    (tmp_path / "empty" / "adapter_config.json").touch()
    with pytest.raises(ModelError, match="holds an adapter"):
        load(tmp_path / "empty")
    with pytest.raises(ModelError, match="there is no folder"):
        load("./nowhere")
    with pytest.raises(OptionError, match="did you mean 'device'"):
        load(devcie="cpu")
    with pytest.raises(OptionError, match="did you mean 'bfloat16'"):
        load(dtype="bfloat")
    with pytest.raises(ModelError, match="no device 'cuda:99'"):
        load(folder, device="cuda:99")
    with pytest.raises(OptionError, match="exclude each other"):
        load(folder, device="cpu", device_map="auto")


@pytest.mark.skipif(find_spec("accelerate") is None, reason="accelerate is not installed: pip install accelerate")
def test_a_model_spread_over_devices(folder):
    model = load(folder, device_map={"model.embed_tokens": "cpu", "model.layers": "cpu", "": "cpu"}, dtype="float32")
    rows = [[1, 2, 3, 4], [5, 6]]
    assert torch.allclose(model.logits(rows), random_model("Llama").logits(rows), atol=0.05)


@pytest.mark.skipif(not bundled_models(), reason="no bundled model in this checkout")
def test_the_bundled_model():
    model = load(device="cpu")
    assert model.name.endswith(BUNDLED)
    assert model.prompt_style != "instruction"
    prompts = [model.encode("Hello, this is Ann."), model.encode("Refund")]
    assert greedy(model, prompts, 10) == [generated(model, prompt, 10) for prompt in prompts]


@pytest.mark.gpu
@pytest.mark.parametrize("name", ATTENTION)
def test_gpu_equals_cpu(name):
    """The same questions, ragged and in steps; TF32 is off by default."""
    on_cpu = random_model(name)
    weights = type(on_cpu.model)(on_cpu.model.config)
    weights.load_state_dict(on_cpu.model.state_dict())
    on_gpu = TransformersModel(weights.to("cuda"), byte_tokenizer())
    rows = [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], [5, 6], [8, 9, 10, 11]]
    for token in range(20):
        torch.testing.assert_close(on_gpu.logits(rows).cpu(), on_cpu.logits(rows), rtol=1e-3, atol=1e-3)
        rows = [[*row, token] for row in (rows if token % 5 else rows[::-1])]


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_on_a_gpu(dtype):
    exact = random_model("Llama")
    weights = type(exact.model)(exact.model.config)
    weights.load_state_dict(exact.model.state_dict())
    half = TransformersModel(weights.to("cuda", dtype), byte_tokenizer())
    rows = [[1, 2, 3, 4, 5, 6, 7], [4, 5, 6, 7], [9]]
    for token in range(12):
        assert (half.logits(rows).float().cpu() - exact.logits(rows)).abs().max() < 0.2
        rows = [[*row, token] for row in rows]
