"""The model wrapper: cached equals recomputed, and greedy decoding that of transformers, on several architectures."""

from __future__ import annotations

import random

import pytest
import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from guidance_kit.errors import ContextLengthError, ModelError, OptionError
from guidance_kit.models import KVCache, LanguageModel, load

ROWS = 260
SMALL = {
    "vocab_size": ROWS,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "max_position_embeddings": 96,
    "bos_token_id": 256,
    "eos_token_id": 257,
    "pad_token_id": 258,
}
GPT2 = {
    "vocab_size": ROWS,
    "n_embd": 32,
    "n_layer": 2,
    "n_head": 4,
    "n_positions": 96,
    "bos_token_id": 256,
    "eos_token_id": 257,
}
ARCHITECTURES = {
    "GPT2": GPT2,
    "Llama": SMALL,
    "Qwen2": SMALL,
    "Qwen3": SMALL,
    "Mistral": SMALL | {"sliding_window": 6},
    "Gemma2": SMALL | {"sliding_window": 6, "query_pre_attn_scalar": 8},
    "Gemma3Text": SMALL | {"sliding_window": 6, "sliding_window_pattern": 2},
}


def byte_tokenizer() -> transformers.PreTrainedTokenizerFast:
    """Bytes as tokens, and three special ones."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    inner = Tokenizer(models.BPE(vocab={letter: number for number, letter in enumerate(alphabet)}, merges=[]))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=inner, bos_token="<s>", eos_token="</s>", pad_token="<pad>"
    )


def random_model(name: str, seed: int = 0) -> LanguageModel:
    config = getattr(transformers, f"{name}Config")(**ARCHITECTURES[name])
    torch.manual_seed(seed)
    kind = {"GPT2": "GPT2LMHeadModel", "Gemma3Text": "Gemma3ForCausalLM"}.get(name, f"{name}ForCausalLM")
    model = getattr(transformers, kind)(config).float()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(3)  # far from uniform, so that a wrong position shows
    return LanguageModel(model, byte_tokenizer())


def recomputed(model: LanguageModel, prefix: list[int], positions: int) -> torch.Tensor:
    """One row, no cache, no padding."""
    with torch.inference_mode():
        return model.model(input_ids=torch.tensor([prefix]), use_cache=False).logits[0, -positions:]


@pytest.fixture(params=ARCHITECTURES)
def model(request) -> LanguageModel:
    return random_model(request.param)


def test_any_questions_get_the_answers_of_a_recomputation(model):
    """Random scripts: rows go on by one or several tokens, go back, branch, end, come anew, in blocks of positions."""
    assert model.is_cached
    rng = random.Random(1)
    prefixes = [[rng.randrange(256) for _ in range(rng.randint(3, 14))] for _ in range(3)]
    for _ in range(40):
        positions = rng.choice([1, 1, 1, 2, 3])
        answer = model.logits(prefixes, positions)
        assert answer.shape == (len(prefixes), positions, ROWS)
        for row, prefix in enumerate(prefixes):
            torch.testing.assert_close(answer[row], recomputed(model, prefix, positions), rtol=2e-4, atol=2e-4)
        change = rng.choice(["step", "step", "step", "ragged", "back", "branch", "drop", "new", "all new"])
        if change == "step":
            for prefix in prefixes:
                prefix.append(rng.randrange(256))
        elif change == "ragged":
            for prefix in prefixes:
                prefix.extend(rng.randrange(256) for _ in range(rng.randint(0, 4)))
        elif change == "back":
            for prefix in prefixes:
                del prefix[max(3, len(prefix) - rng.randint(0, 5)) :]
        elif change == "branch":
            prefixes.append([*rng.choice(prefixes), rng.randrange(256)])
        elif change == "drop" and len(prefixes) > 1:
            prefixes.pop(rng.randrange(len(prefixes)))
        elif change == "new":
            prefixes.insert(rng.randint(0, len(prefixes)), [rng.randrange(256) for _ in range(rng.randint(3, 20))])
        elif change == "all new":
            rng.shuffle(prefixes)
        prefixes = [prefix[:60] for prefix in prefixes[:5]]


def test_greedy_decoding_is_that_of_transformers(model):
    prompts = [[7, 8, 9, 10, 11, 12, 13, 14, 15], [100, 101, 102], [50] * 20]
    rows = [list(prompt) for prompt in prompts]
    for _ in range(24):
        for row, token in zip(rows, model.logits(rows)[:, -1].argmax(-1).tolist(), strict=True):
            row.append(token)
    for prompt, row in zip(prompts, rows, strict=True):
        with torch.inference_mode():
            expected = model.model.generate(
                input_ids=torch.tensor([prompt]), do_sample=False, max_new_tokens=24, eos_token_id=-1, pad_token_id=0
            )
        assert row == expected[0].tolist()


def test_a_step_reads_one_column(model, monkeypatch):
    """The cache is used: after the first question each step runs over one new column, also when rows end."""
    widths = []
    forward = model._forward
    monkeypatch.setattr(model, "_forward", lambda block, *rest: widths.append(block.shape) or forward(block, *rest))
    rows = [[1, 2, 3, 4, 5], [9, 8, 7], [4, 4, 4, 4]]
    model.logits(rows)
    for _ in range(4):
        for row in rows:
            row.append(len(row))
        model.logits(rows)
    del rows[0]
    for row in rows:
        row.append(3)
    model.logits(rows)
    assert [tuple(shape) for shape in widths] == [(3, 5), (3, 1), (3, 1), (3, 1), (3, 1), (2, 1)]
    assert model.cache.columns == max(map(len, rows))  # the pads of the longer row are gone with it
    assert model.cache.bytes > 0


def test_prefill_in_pieces(model, monkeypatch):
    monkeypatch.setattr("guidance_kit.models.language_model.PREFILL", 7)
    prefixes = [[random.Random(k).randrange(256) for k in range(n)] for n in (40, 23)]
    for positions in (1, 5, 12):
        model.cache.clear()
        answer = model.logits(prefixes, positions)
        for row, prefix in enumerate(prefixes):
            torch.testing.assert_close(answer[row], recomputed(model, prefix, positions), rtol=2e-4, atol=2e-4)


def test_cache_forks_and_rolls_back():
    model = random_model("Llama")
    model.logits([[1, 2, 3, 4, 5], [6, 7, 8]])
    twin = model.cache.fork()
    assert isinstance(twin, KVCache)
    assert twin.bytes == model.cache.bytes
    model.cache.arrange([1, 0, 1], [2, 4, 3])
    assert model.cache.prefixes == [[6, 7], [1, 2, 3, 4], [6, 7, 8]]
    assert twin.prefixes == [[1, 2, 3, 4, 5], [6, 7, 8]]
    answer = model.logits([[6, 7, 1], [1, 2, 3, 4, 9], [6, 7, 8, 2]])
    for row, prefix in enumerate([[6, 7, 1], [1, 2, 3, 4, 9], [6, 7, 8, 2]]):
        torch.testing.assert_close(answer[row], recomputed(model, prefix, 1), rtol=2e-4, atol=2e-4)
    model.cache = twin
    torch.testing.assert_close(
        model.logits([[1, 2, 3, 4, 5, 6]])[0], recomputed(model, [1, 2, 3, 4, 5, 6], 1), rtol=2e-4, atol=2e-4
    )


def test_recurrent_models_are_computed_without_a_cache():
    config = transformers.RecurrentGemmaConfig(
        vocab_size=ROWS, hidden_size=32, intermediate_size=48, num_hidden_layers=3, num_attention_heads=4, lru_width=32,
        attention_window_size=8, eos_token_id=257, bos_token_id=256, pad_token_id=258,
    )  # fmt: skip
    torch.manual_seed(0)
    model = LanguageModel(transformers.RecurrentGemmaForCausalLM(config).float(), byte_tokenizer())
    assert not model.is_cached
    prefixes = [[1, 2, 3, 4, 5, 6], [9, 8, 7]]
    for _ in range(3):
        answer = model.logits(prefixes, 2)
        for row, prefix in enumerate(prefixes):
            torch.testing.assert_close(answer[row], recomputed(model, prefix, 2), rtol=1e-4, atol=1e-4)
        for prefix in prefixes:
            prefix.append(5)


def test_half_precision():
    model = random_model("Llama")
    exact = model.logits([[1, 2, 3], [4, 5, 6, 7]])
    model.cache.clear()
    model.model = model.model.bfloat16()
    rough = model.logits([[1, 2, 3], [4, 5, 6, 7]])
    assert rough.dtype == torch.bfloat16
    assert (rough.float().softmax(-1) - exact.softmax(-1)).abs().max() < 0.2


def test_what_the_vocabulary_says():
    model = random_model("Llama")
    assert model.rows == model.vocabulary.rows == ROWS
    assert model.vocabulary.eos == (257,)
    assert model.decode(model.encode("Grüße")) == "Grüße"


def test_questions_that_cannot_be_answered():
    model = random_model("Llama")
    with pytest.raises(ModelError, match="0 tokens"):
        model.logits([[1], []])
    with pytest.raises(ContextLengthError, match="97 tokens do not fit the model's context of 96"):
        model.logits([[1] * 97])
    with pytest.raises(ModelError, match="no chat template"):
        model.chat([{"role": "user", "content": "Hi"}])


def test_an_error_leaves_no_half_step_behind(monkeypatch):
    model = random_model("Llama")
    model.logits([[1, 2, 3]])
    forward = model.model.forward

    def broken(*args, **kwargs):
        forward(*args, **kwargs)
        raise RuntimeError("out of luck")

    monkeypatch.setattr(model.model, "forward", broken)
    with pytest.raises(RuntimeError, match="out of luck"):
        model.logits([[1, 2, 3, 4]])
    monkeypatch.undo()
    torch.testing.assert_close(
        model.logits([[1, 2, 3, 4]])[0], recomputed(model, [1, 2, 3, 4], 1), rtol=2e-4, atol=2e-4
    )


def test_chat_template():
    model = random_model("Llama")
    model.tokenizer.chat_template = "{% for m in messages %}[{{ m.role }}] {{ m.content }}\n{% endfor %}[assistant] "
    assert model.decode(model.chat([{"role": "user", "content": "Hi"}])) == "[user] Hi\n[assistant] "


def test_loading_a_folder(tmp_path):
    model = random_model("Llama")
    model.model.half().save_pretrained(tmp_path)
    model.tokenizer.save_pretrained(tmp_path)
    loaded = load(tmp_path)
    assert loaded.model.dtype == (torch.float32 if loaded.device.type == "cpu" else torch.float16)
    assert loaded.vocabulary == model.vocabulary
    assert load(str(tmp_path), dtype="bfloat16", device="cpu").model.dtype == torch.bfloat16


def test_bad_requests_for_a_model(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ModelError, match="folder that holds the model, or use a bundled one"):
        load("nobody/no-such-model", local_files_only=True)
    with pytest.raises(ModelError, match=r"no config\.json"):
        load(tmp_path)
    with pytest.raises(ModelError, match="there is no folder"):
        load("./nowhere")
    with pytest.raises(OptionError, match="did you mean 'device'"):
        load(devcie="cpu")
    with pytest.raises(OptionError, match="did you mean 'bfloat16'"):
        load(dtype="bfloat")


@pytest.mark.parametrize("name", ["stories260k", "tinystories-656k"])
def test_real_models(shared_data, name):
    model = load(shared_data / "models" / name, device="cpu")
    prompts = [model.encode("Once upon a time"), model.encode("The little dog was")]
    rows = [list(prompt) for prompt in prompts]
    for _ in range(20):
        for row, token in zip(rows, model.logits(rows)[:, -1].argmax(-1).tolist(), strict=True):
            row.append(token)
    for prompt, row in zip(prompts, rows, strict=True):
        with torch.inference_mode():
            expected = model.model.generate(
                input_ids=torch.tensor([prompt]), do_sample=False, max_new_tokens=20, eos_token_id=-1, pad_token_id=0
            )
        assert row == expected[0].tolist()


@pytest.mark.gpu
def test_gpu_equals_cpu():
    model = random_model("Llama")
    prefixes = [[1, 2, 3, 4], [5, 6]]
    expected = model.logits(prefixes)
    model.cache.clear()
    model.model = model.model.to("cuda")
    torch.testing.assert_close(model.logits(prefixes).cpu(), expected, rtol=1e-3, atol=1e-3)
