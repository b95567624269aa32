"""Rows of the table in docs/encoder_decoder.md: each feature in a small T5 or BART, or its refusal."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path

import pytest
import torch
from command_line import run
from encoder_decoder_models import KINDS, ROWS, generated, small, small_weights, source_tokenizer
from marks import slow
from small_models import recomputed, saved_adapter

import guidance_kit as gk
from guidance_kit.models import TransformersModel
from guidance_kit.steering.classifiers import on_tokens
from tools.document_decoders import COMPOSES, DECODERS, PAGE, composes

ROOT = Path(__file__).resolve().parent.parent
BOTH = ["T5", *slow("BART")]
WORDS = gk.regex("(cat|mat|hat)( (cat|mat|hat))*")
SCHEMA = {
    "type": "object",
    "properties": {"n": {"type": "integer"}, "ok": {"type": "boolean"}},
    "required": ["n", "ok"],
}


@pytest.fixture(scope="module", params=BOTH)
def folder(request, tmp_path_factory) -> Path:
    """A saved model with its tokenizer."""
    place = tmp_path_factory.mktemp("models") / request.param
    longer = {"max_position_embeddings": 2048} if request.param == "BART" else {}
    small_weights(request.param, **longer).save_pretrained(place)
    source_tokenizer(KINDS[request.param][2]).save_pretrained(place)
    return place


def test_a_folder_is_loaded(folder):
    loaded = gk.load(folder)
    model = loaded.language_model
    assert model.has_encoder
    assert model.decoder_start == small(folder.name).decoder_start
    (expected,) = generated(model, ["say it"], 12)
    found = list(loaded.generate("say it", max_tokens=12, temperature=0).tokens)
    assert found[: len(expected)] == expected


def test_records_are_extracted(folder):
    model = gk.load(folder)
    found = model.extract(["five and true", "nothing"], SCHEMA, max_tokens=40, temperature=0, complete=True)
    assert all(set(one) == {"n", "ok"} for one in found)


def test_streams_and_concurrent_calls():
    model = gk.Model(small("BART"))
    options = {"max_tokens": 20, "seed": 3}
    expected = [model.generate(prompt, WORDS, **options) for prompt in ("ab", "another prompt")]
    stream = model.stream("ab", WORDS, **options)
    assert "".join(stream) == expected[0].text

    async def together():
        return await asyncio.gather(*(model.agenerate(prompt, WORDS, **options) for prompt in ("ab", "another prompt")))

    assert [one.text for one in asyncio.run(together())] == [one.text for one in expected]


@pytest.mark.slow
def test_decoders_compose_as_with_causal_models():
    """The rows of docs/decoding.md but for contrastive search, which reads hidden states of the prompt.

    In T5: the small BART writes nearly always the same text, so that there are no two best ones.
    """
    model, page = gk.Model(small("T5")), PAGE.read_text("utf-8")
    for shown, decoder in DECODERS.items():
        if shown == "ContrastiveSearch":
            continue
        marks = ("✓" if composes(model, decoder, check) else "–" for check in COMPOSES.values())
        assert f"{shown}` | {' | '.join(marks)} |" in page


@pytest.mark.parametrize("name", BOTH)
def test_adapters_are_those_of_peft(name, tmp_path):
    peft = pytest.importorskip("peft")
    weights = small_weights(name)
    modules = ["q", "k", "v"] if name == "T5" else ["q_proj", "k_proj", "v_proj"]
    place = saved_adapter(weights, tmp_path / "adapter", seed=1, target_modules=modules, task_type="SEQ_2_SEQ_LM")
    base = TransformersModel(small_weights(name), source_tokenizer(KINDS[name][2]), name=name)
    adapted = base.with_adapter(place)
    twin = TransformersModel(weights, base.tokenizer)
    twin.model = peft.PeftModel.from_pretrained(weights, str(place)).eval()
    prefixes = [[*base.prompt_tokens(base.encode(text)), 65, 66] for text in ("one", "another one")]
    found = base.weights.logits([*prefixes, *prefixes], adapters=[None, None, adapted.adapter, adapted.adapter])
    expected = recomputed(twin, prefixes)
    assert torch.allclose(found[2:], expected, atol=2e-4)
    assert (found[:2] - found[2:]).abs().max() > 0.05
    formula = gk.Model(base) + 1.5 * (gk.Model(adapted) - gk.Model(base))
    assert formula.generate("one", WORDS, max_tokens=12, temperature=0).text


def test_terms_with_prompts_of_their_own():
    """Context-aware decoding, a rewritten prompt, and the unconditional model of classifier-free guidance."""
    model = gk.Model(small("BART"))
    base = model.language_model
    distribution, prompt = (model + 0.5 * model.given("before: ")).distribution_after("ab")
    prefix = [*prompt, 65]
    found = distribution.logits([prefix], starts=[len(prompt)]).double().log_softmax(-1)
    other = [*base.prompt_tokens(base.encode("before: ab")), 65]
    parts = [recomputed(base, [one]).double().log_softmax(-1) for one in (prefix, other)]
    assert torch.allclose(found, (parts[0] + 0.5 * parts[1]).log_softmax(-1), atol=1e-4)
    guided = gk.classifier_free(model)
    assert guided.generate("ab", WORDS, max_tokens=12, temperature=0).text


def test_classifiers_steer():
    """Bayes' rule over all tokens, with a classifier that is a function of the generated tokens."""
    model = gk.Model(small("T5"))
    wanted = model.language_model.spell("h")[0]

    @on_tokens
    def judge(rows):
        return [3.0 * row.count(wanted) for row in rows]

    formula = gk.classifier_guided(model, judge, top_k=ROWS)
    distribution, prompt = formula.distribution_after("ab")
    prefix = [*prompt, 65]
    found = distribution.logits([prefix], starts=[len(prompt)]).double().log_softmax(-1)
    expected = recomputed(model.language_model, [prefix]).double().log_softmax(-1)
    expected[0, 0, wanted] += 3.0
    kept = found.isfinite()
    expected = expected.masked_fill(~kept, -torch.inf).log_softmax(-1)
    assert kept.sum() >= 256
    assert torch.allclose(found[kept], expected[kept], atol=1e-4)


def test_trees_are_rows():
    """A tree of drafts is verified by a row for each of its leaves, since no mask makes them siblings."""
    model = gk.Model(small("T5"))
    assert not model.language_model.can_have_trees
    plain = model.generate("ab", WORDS, max_tokens=16, temperature=0)
    drafted = model.generate("ab", WORDS, max_tokens=16, temperature=0, draft=gk.LookaheadTree())
    assert drafted.tokens == plain.tokens


def test_commands(folder, tmp_path):
    """Commands that read a model write what the library gives."""
    model, name = gk.load(folder), str(folder)
    written = run("generate", "say it", "-m", name, "--regex", "(cat|hat)", "--temperature", "0")
    assert written.exit_code == 0, written.stderr
    assert written.stdout == model.generate("say it", gk.regex("(cat|hat)"), temperature=0).text + "\n"
    labelled = run("classify", "-", "-l", "order", "-l", "refund", "-m", name, given="Please send it back.")
    assert labelled.exit_code == 0, labelled.stderr
    expected = model.classify("Please send it back.", ["order", "refund"])
    assert json.loads(labelled.stdout)["probability"] == pytest.approx(expected.probability, abs=1e-4)
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA))
    (tmp_path / "one.txt").write_text("five and true")
    places = ["-s", str(tmp_path / "schema.json"), str(tmp_path / "one.txt"), "-o", str(tmp_path / "out.jsonl")]
    extracted = run("extract", *places, "-m", name, "--max-tokens", "40", "--complete")
    assert extracted.exit_code == 0, extracted.stderr
    assert set(json.loads((tmp_path / "out.jsonl").read_text())["record"]) == {"n", "ok"}


def test_examples_of_the_page_run(monkeypatch):
    """With a small random model in place of the named one."""
    page = (ROOT / "docs" / "encoder_decoder.md").read_text("utf-8")
    monkeypatch.setattr(gk, "load", lambda name: gk.Model(small("T5")))
    scope: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(block, scope)
