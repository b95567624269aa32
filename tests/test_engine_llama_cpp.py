"""Models in GGUF files, and our guides in llama-cpp-python, in the environment of `make test-engines`."""

# pyright: reportMissingImports=false

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest
import torch

pytestmark = pytest.mark.engines
llama_cpp = pytest.importorskip("llama_cpp", reason="needs llama-cpp-python: make test-engines")
pytest.importorskip("gguf", reason="needs gguf: make test-engines")

from engine_models import write_model  # noqa: E402
from typer.testing import CliRunner  # noqa: E402

import guidance_kit as gk  # noqa: E402
from guidance_kit.cli.application import app  # noqa: E402
from guidance_kit.errors import (  # noqa: E402
    ConstraintError,
    ContextLengthError,
    ModelError,
    OptionError,
    VocabularyError,
)
from guidance_kit.integrations.llama_cpp_python import LlamaProcessor, vocabulary_of  # noqa: E402
from guidance_kit.models.gguf.gguf_model import GgufModel  # noqa: E402
from tools.write_gguf import write_gguf  # noqa: E402

TICKET = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "order_id": {"type": "string"}, "amount": {"type": ["number", "null"]}},
    "required": ["name", "order_id", "amount"],
    "additionalProperties": False,
}
MESSAGES = [
    "My order 48213 never arrived. I paid 49.90 EUR for it. Laura Smith",
    "Thank you for the quick help with order 99120! Best regards, Tom Baker",
    "Where is my parcel?",
]


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> dict[str, Path]:
    """The bundled model by type of its matrices, and a random one with a tokenizer that llama.cpp knows."""
    folder = tmp_path_factory.mktemp("gguf")
    found = {kind: folder / f"{kind}.gguf" for kind in ("f32", "f16", "q8_0", "q4_0")}
    for kind, file in found.items():
        write_gguf("support-2m", file, kind=kind)
    write_model(folder / "random")
    write_gguf(folder / "random", folder / "random.gguf")
    return {**found, "random": folder / "random.gguf", "folder": folder / "random"}


@pytest.fixture(scope="module")
def ours(files) -> gk.Model:
    return gk.load(files["f32"], cache_dtype="float32")


@pytest.fixture(scope="module")
def theirs() -> gk.Model:
    return gk.load("support-2m", dtype="float32")


def test_the_vocabulary_is_that_of_the_tokenizer(files, ours, theirs):
    assert ours.vocabulary == theirs.vocabulary
    random_model = gk.load(files["random"])
    assert random_model.vocabulary == gk.load(files["folder"]).vocabulary
    padded = next(token for token in range(ours.vocabulary.rows) if b" " in ours.vocabulary.shown(token))
    assert ours.vocabulary.shown(padded).startswith(b" ")


@pytest.mark.parametrize(("kind", "most"), [("f32", 1e-3), ("f16", 0.1), ("q8_0", 0.6), ("q4_0", 6.0)])
def test_logits_are_those_of_transformers_within_the_quantisation(files, theirs, kind, most):
    """Bounds are on the largest difference of any logit; their standard deviation is about 2."""
    prompts = [theirs.extraction_prompt(text, TICKET) for text in MESSAGES]
    expected = theirs.language_model.logits(prompts, 8)
    found = gk.load(files[kind], cache_dtype="float32").language_model.logits(prompts, 8)
    assert found.shape == expected.shape
    assert (found - expected).abs().max() < most
    if kind == "q4_0":  # the bound is no empty one
        assert (found - expected).abs().max() > 1e-2


def test_texts_are_those_of_transformers_token_for_token(ours, theirs):
    prompts = [theirs.extraction_prompt(text, TICKET) for text in MESSAGES]
    constraint = gk.json_schema(TICKET)
    for options in ({"temperature": 0}, {"seed": 3}, {"seed": 4, "top_p": 0.9, "n": 3}):
        expected = theirs.generate(prompts, constraint, max_tokens=80, **options)
        found = ours.generate(prompts, constraint, max_tokens=80, **options)
        assert _tokens(found) == _tokens(expected)
    beams = [model.generate(prompts[0], constraint, decoder="beam", max_tokens=60) for model in (ours, theirs)]
    assert beams[0].tokens == beams[1].tokens


def _tokens(found) -> list:
    return [_tokens(one) if isinstance(one, list) else one.tokens for one in found]


def test_it_extracts_classifies_and_scores_as_transformers_does(files):
    """With the random model, whose texts llama.cpp divides as its tokenizer does."""
    own, judge = gk.load(files["random"], cache_dtype="float32"), gk.load(files["folder"], dtype="float32")
    schema = {**TICKET, "properties": {**TICKET["properties"], "name": {"enum": ["Laura", "Tom"]}}}
    options = {"max_tokens": 60, "complete": True}
    for text in MESSAGES:
        assert own.language_model.encode(text) == judge.language_model.encode(text)
        assert own.extract(text, schema, **options) == judge.extract(text, schema, **options)
        labels = [model.classify(text, ["late", "thanks", "question"]) for model in (own, judge)]
        assert labels[0].label == labels[1].label
        assert labels[0].probability == pytest.approx(labels[1].probability, abs=1e-4)
    scores = [model.score(["the quick"], ["hello "])[0].log_probability for model in (own, judge)]
    assert scores[0] == pytest.approx(scores[1], abs=1e-3)
    conversation = [{"role": "user", "content": "hello"}]
    assert own.language_model.chat(conversation) == judge.language_model.chat(conversation)
    assert own.language_model.encode("<s>x</s>") == judge.language_model.encode("<s>x</s>")
    assert own.vocabulary.text_of(own.language_model.spell(" näive")) == " näive".encode()


def test_a_quantised_model_extracts(files):
    model = gk.load(str(files["q4_0"]), threads=1)
    assert model.language_model.prompt_style == "support-v1"
    record = model.extract(MESSAGES[0], TICKET)
    assert set(record) == {"name", "order_id", "amount"}


def test_commands_take_the_file(files, ours):
    with_model = [
        "-m",
        str(files["f32"]),
        "--regex",
        "[a-z]{3,9}",
        "--temperature",
        "0",
        "--complete",
        "--max-tokens",
        "9",
    ]
    written = CliRunner().invoke(app, ["generate", MESSAGES[0], *with_model])
    expected = ours.generate(MESSAGES[0], gk.regex("[a-z]{3,9}"), temperature=0, complete=True, max_tokens=9).text
    assert written.exit_code == 0, written.stderr
    assert written.stdout == expected + "\n"
    labels = CliRunner().invoke(
        app, ["classify", "-l", "refund", "-l", "praise", "-", "-m", str(files["f32"])], MESSAGES[0]
    )
    assert json.loads(labels.stdout)["label"] in ("refund", "praise")


def test_formulas_mix_it_with_transformers(files, ours, theirs):
    """A quantised base with what tuning gave a model of transformers; and terms that cancel out."""
    prompts = [theirs.extraction_prompt(text, TICKET) for text in MESSAGES]
    constraint = gk.json_schema(TICKET)
    quantised = gk.load(files["q8_0"])
    same = quantised + 1.0 * (theirs - quantised)
    found = same.generate(prompts, constraint, temperature=0, max_tokens=60)
    assert _tokens(found) == _tokens(theirs.generate(prompts, constraint, temperature=0, max_tokens=60))
    steered = [0.5 * first + 0.5 * second for first, second in ((ours, theirs), (theirs, ours))]
    texts = [model.generate(prompts, constraint, seed=1, max_tokens=60) for model in steered]
    assert _tokens(texts[0]) == _tokens(texts[1])


def test_any_order_of_calls_gives_the_logits_of_a_fresh_model(files):
    """Rows that go on, go back, branch, return, repeat; more tokens than the memory has at first, and at last."""
    rng = random.Random(0)
    model = GgufModel(files["f32"], cache_tokens=6000, cache_dtype="float32")
    judge = gk.load("support-2m", dtype="float32").language_model
    pool = [[rng.randrange(20, 2000) for _ in range(rng.choice([2, 5, 40, 700]))] for _ in range(6)]
    for _ in range(25):
        rows = []
        for _ in range(rng.choice([1, 3, 20])):
            start = rng.choice(pool)
            cut = rng.randint(1, len(start))
            rows.append([*start[:cut], *(rng.randrange(20, 2000) for _ in range(rng.randint(0, 3)))])
        positions = rng.randint(1, min(map(len, rows)))
        found, expected = model.logits(rows, min(positions, 4)), judge.logits(rows, min(positions, 4))
        assert (found - expected).abs().max() < 5e-3
        pool[rng.randrange(len(pool))] = rng.choice(rows)
    many = [[*pool[0][:1], token] for token in range(20, 320)]  # more rows than llama.cpp has sequences
    assert (model.logits(many) - judge.logits(many)).abs().max() < 5e-3
    long = [[token, *(rng.randrange(20, 2000) for _ in range(1500))] for token in range(20, 30)]  # than all cells hold
    assert (model.logits(long) - judge.logits(long)).abs().max() < 5e-3
    with pytest.raises(ContextLengthError):
        model.logits([[20] * 2049])


def test_a_cache_that_goes_on_from_other_tokens_would_be_seen(files, monkeypatch):
    """Negative control of the comparison above."""
    from guidance_kit.models.gguf import sequence_cache

    model = GgufModel(files["f32"], cache_dtype="float32")
    first, second = [20, 30, 40, 50], [20, 31, 41, 51]
    expected = model.logits([second])
    model.clear()
    monkeypatch.setattr(sequence_cache, "longest_matches", lambda prefixes, known: ([0], [3 if known else 0]))
    model.logits([first])
    assert (model.logits([second]) - expected).abs().max() > 1e-2


def test_a_processor_holds_texts_of_llama_to_a_constraint(files, theirs):
    llama = llama_cpp.Llama(str(files["f32"]), n_ctx=1024, n_threads=1, verbose=False, type_k=0, type_v=0)
    vocabulary = vocabulary_of(llama)
    prompt = theirs.extraction_prompt(MESSAGES[0], TICKET)
    processor = LlamaProcessor(llama, vocabulary, constraint=gk.json_schema(TICKET))
    made = llama.create_completion(prompt, max_tokens=80, temperature=0, **processor.arguments)["choices"][0]
    expected = theirs.generate(prompt, gk.json_schema(TICKET), temperature=0, max_tokens=80)
    assert made["text"] == expected.text
    assert made["finish_reason"] == "stop"
    for seed in range(5):
        processor = LlamaProcessor(llama, vocabulary, constraint=gk.regex("[a-z]{3}[0-9]{2}"))
        made = llama.create_completion(prompt, max_tokens=20, temperature=1.0, seed=seed, **processor.arguments)
        assert re.fullmatch("[a-z]{3}[0-9]{2}", made["choices"][0]["text"])
    q = theirs.language_model.spell("q")[0]
    processor = LlamaProcessor(llama, vocabulary, constraint=gk.regex("[a-z]"), guides=theirs.logit_bias({q: 90.0}))
    made = llama.create_completion(prompt, max_tokens=4, temperature=0, **processor.arguments)
    assert made["choices"][0]["text"] == "q"


def test_errors_of_a_processor_are_not_lost(files, theirs):
    llama = llama_cpp.Llama(str(files["f32"]), n_ctx=1024, n_threads=1, verbose=False)
    vocabulary = vocabulary_of(llama)
    spelled = theirs.logit_bias(dict.fromkeys(range(20, vocabulary.rows), -torch.inf))
    processor = LlamaProcessor(llama, vocabulary, constraint=gk.regex("[a-z]{9}"), guides=spelled)
    with pytest.raises(ConstraintError, match="no token is left"):
        llama.create_completion("hello", max_tokens=20, **processor.arguments)
    processor = LlamaProcessor(llama, vocabulary, constraint=gk.regex("[a-z]{2}"))
    llama.create_completion("hello", max_tokens=8, **processor.arguments)
    llama.create_completion("other", max_tokens=8, logits_processor=processor.arguments["logits_processor"])
    with pytest.raises(ModelError, match="another prompt"):
        processor.check()
    with pytest.raises(OptionError, match="regions are generated by generate"):
        LlamaProcessor(llama, constraint=gk.sequence("x", gk.region("a", max_tokens=3)))


def test_refusals_name_the_remedy(files, tmp_path):
    with pytest.raises(ModelError, match="no such file"):
        gk.load("absent.gguf")
    (tmp_path / "text.gguf").write_text("hello")
    with pytest.raises(ModelError, match="is no GGUF file: it begins with b'hell'"):
        gk.load(tmp_path / "text.gguf")
    (tmp_path / "cut.gguf").write_bytes(files["f32"].read_bytes()[:5000])
    with pytest.raises(ModelError, match="cannot load"):
        gk.load(tmp_path / "cut.gguf")
    for option, message in (
        ({"dtype": "float16"}, "those of the file"),
        ({"adapter": "polite"}, "adapters are for models of transformers"),
        ({"device": "cuda"}, "gpu_layers=N"),
        ({"cache_token": 5}, "cache_tokens"),
        ({"cache_tokens": 0}, "at least 1"),
        ({"cache_dtype": "float64"}, "cache_dtype"),
    ):
        with pytest.raises(OptionError, match=message):
            gk.load(files["f32"], **option)
    model = gk.load(files["f32"], device="cpu")
    with pytest.raises(VocabularyError, match="there is no token 2048"):
        model.language_model.logits([[2048]])
    with pytest.raises(ModelError, match="no chat template"):
        model.generate([{"role": "user", "content": "x"}])
    with pytest.raises(OptionError, match="lone surrogate"):
        model.language_model.encode("\udcff")
