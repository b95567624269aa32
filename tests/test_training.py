"""How bundled models are trained: what is predicted, at which rate, and that a run can be repeated and resumed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
import typer
from transformers import PreTrainedTokenizerFast
from typer.testing import CliRunner

from guidance_kit.evaluation.sets import transcript
from guidance_kit.models.loading import load
from guidance_kit.models.prefix_classifier import PrefixClassifier
from guidance_kit.models.prompts import support_prompt
from tools import train_bundled, train_family
from tools.family import COPIER, FAMILY, FILINGS, Member
from tools.family_cards import card
from tools.support_world import examples, record_text
from tools.support_world.conversations import STYLES, conversations, document
from tools.train_family import BUNDLED, USER, averaged, begun, rows_of, tokenizer_of_family, train_classifier
from tools.training import END, Recipe, Run, batches, build_model, export, learning_rate, load_checkpoint, train

RECIPE = Recipe(tokens=4000, vocabulary=400, hidden=16, layers=1, heads=1, context=256, batch_tokens=1024)


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    """Models of a few thousand parameters wait longer for a second thread than it saves."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def tokenizer():
    return tokenizer_of_family()


def test_the_learning_rate_rises_stays_and_falls() -> None:
    rates = [learning_rate(RECIPE, step / 1000) for step in range(1001)]
    assert max(rates) == RECIPE.peak
    assert rates[0] == pytest.approx(RECIPE.peak / 100)
    assert rates[:20] == sorted(rates[:20])
    assert set(rates[20:600]) == {RECIPE.peak}
    assert rates[600:] == sorted(rates[600:], reverse=True)
    assert rates[-1] == 0


@pytest.mark.parametrize("name", [name for name, member in FAMILY.items() if not member.files])
def test_what_a_member_is_to_predict(name: str, tokenizer) -> None:
    member = FAMILY[name]
    source = conversations("train", 3, 9, member.recipe.seed, style=STYLES[member.style])
    for (ids, begin), one in zip(rows_of(member, tokenizer)(3, 9), source, strict=True):
        read, predicted = tokenizer.decode(ids[:begin]), tokenizer.decode(ids[begin:])
        if member.is_chat:
            assert read == tokenizer.apply_chat_template(
                [{"role": "user", "content": one.message}], tokenize=False, add_generation_prompt=True
            )
            assert read.startswith(USER)
            assert predicted == f"{one.reply}{END}"
        elif not member.is_base:
            assert (read, predicted) == (transcript(one.message), f"{one.reply}\n{END}")
        else:
            assert begin == 1
            assert read + predicted == f"{document(one)}{END}"


def test_rows_are_not_padded_even_where_the_tokenizer_was_told_to(tokenizer) -> None:
    rows = rows_of(FAMILY["base-small"], tokenizer)
    before = rows(0, 20)
    tokenizer(["a", "b c d"], padding=True)
    assert rows(0, 20) == before
    assert len({len(ids) for ids, _ in before}) > 5


@pytest.mark.parametrize("stage", [2, 3])
def test_a_later_stage_goes_on_with_what_it_is_given_on_its_own_texts(stage: int) -> None:
    split, recipe = train_bundled.STAGES[stage]
    run = train_bundled.begun(recipe, BUNDLED / COPIER)
    for one, other in zip(load(COPIER, device="cpu").model.parameters(), run.model.parameters(), strict=True):
        torch.testing.assert_close(one.float(), other)
    assert {weights.dtype for weights in run.model.parameters()} == {torch.float32}
    run.tokenizer(["a", "b c d"], padding=True)  # as when it is judged; no row may be padded after it
    rows = train_bundled.rows_of(run.recipe, run.tokenizer, split)(3, 9)
    for (ids, begin), one in zip(rows, examples(split, 3, 9, run.recipe.seed), strict=True):
        read, predicted = run.tokenizer.decode(ids[:begin]), run.tokenizer.decode(ids[begin:])
        assert read == support_prompt(one.text, one.schema)
        assert predicted == f"{record_text(one.record)}{END}"


@pytest.mark.parametrize("arguments", [["--stage", "2"], ["--from", "somewhere"]])
def test_a_stage_begins_with_the_one_before_it_or_with_nothing(arguments: list[str]) -> None:
    application = typer.Typer()
    application.command()(train_bundled.main)
    found = CliRunner().invoke(application, [*arguments, "--fast"])
    assert found.exit_code == 2
    assert "stage" in found.output


def test_tokenizers_are_written_without_a_trace_of_their_last_use(tokenizer, tmp_path: Path) -> None:
    tokenizer(["a", "b c d"], padding=True)
    export(build_model(RECIPE, tokenizer), tokenizer, tmp_path)
    assert json.loads((tmp_path / "tokenizer.json").read_text("utf-8"))["padding"] is None
    again = PreTrainedTokenizerFast.from_pretrained(tmp_path)
    again(["a", "b c d"], padding=True)
    export(build_model(RECIPE, tokenizer), again, tmp_path / "again")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        assert (tmp_path / "again" / name).read_text("utf-8") == (tmp_path / name).read_text("utf-8")


def test_batches_hold_every_row_once(tokenizer) -> None:
    rows = rows_of(FAMILY["polite"], tokenizer)
    found = []
    for batch in batches(rows, RECIPE, tokenizer.pad_token_id, 0, chunk=64):
        assert batch.tokens.numel() <= RECIPE.batch_tokens or len(batch.tokens) == 1
        assert batch.count == int((batch.tokens != tokenizer.pad_token_id).sum())
        for tokens, targets in zip(batch.tokens, batch.targets, strict=True):
            length = int((tokens != tokenizer.pad_token_id).sum())
            begin = int(targets.long().argmax())
            assert targets[begin:length].all()
            assert not targets[length:].any()
            found.append((tokens[:length].tolist(), begin))
        if batch.next_index == 64:
            break
    assert sorted(found) == sorted(rows(0, 64))


def _trained(tokenizer, folder: Path, recipe: Recipe, *, resume: bool = False) -> Run:
    run = Run(recipe, tokenizer, build_model(recipe, tokenizer))
    rows = rows_of(FAMILY["base-small"], tokenizer)
    line = train(run, rows, folder, judge=lambda _, final: {"final": final}, resume=resume)
    assert line["final"]
    assert line["tokens"] >= recipe.tokens
    return run


@pytest.mark.slow
def test_a_run_can_be_repeated_and_resumed(tokenizer, tmp_path: Path) -> None:
    first, second = (_trained(tokenizer, tmp_path / name, RECIPE) for name in ("a", "b"))
    for one, other in zip(first.model.parameters(), second.model.parameters(), strict=True):
        torch.testing.assert_close(one, other)
    kept = load_checkpoint(tmp_path / "a", build_model)
    assert all(map(torch.equal, first.model.parameters(), kept.model.parameters()))
    _trained(tokenizer, tmp_path / "a", replace(RECIPE, tokens=6000), resume=True)
    lines = [json.loads(line) for line in (tmp_path / "a" / "log.jsonl").read_text().splitlines()]
    assert [line["step"] for line in lines] == sorted(line["step"] for line in lines)
    assert lines[-1]["step"] > lines[0]["step"]
    assert lines[0]["loss"] > lines[-1]["loss"]


@pytest.mark.slow
def test_tuned_members_begin_with_the_weights_of_their_base(tokenizer, tmp_path: Path) -> None:
    with pytest.raises(typer.BadParameter, match="begins with unknown"):
        begun("rude", Member(style="rude", base="unknown", recipe=RECIPE), tmp_path)
    trained = _trained(tokenizer, tmp_path / "base-small", RECIPE)
    run = begun("rude", Member(style="rude", base="base-small", recipe=RECIPE), tmp_path)
    for one, other in zip(trained.model.parameters(), run.model.parameters(), strict=True):
        torch.testing.assert_close(one.half().float(), other)
    assert run.tokenizer.get_vocab() == tokenizer.get_vocab()


@pytest.mark.slow
def test_several_runs_are_averaged(tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train_family, "NUMBER", 4)
    _trained(tokenizer, tmp_path / "base-small", RECIPE)
    member = Member(style=FILINGS, base="base-small", runs=2, shared=1000, recipe=replace(RECIPE, tokens=2000))
    began = list[list[torch.Tensor]]()

    def work(run: Run, *rest, **options):
        began.append([weights.clone() for weights in run.model.parameters()])
        return train(run, *rest, **options)

    run, line = averaged("mean", member, tmp_path, work)
    shared = [weights.half() for weights in load(tmp_path / "mean/shared/model", device="cpu").model.parameters()]
    assert not any(map(torch.equal, began[0], began[1]))
    for of_run in began[1:]:
        for weights, both in zip(of_run, shared, strict=True):
            assert torch.equal(weights.half(), both)
    models = [load(tmp_path / "mean" / part, device="cpu").model for part in ("run-0/model", "run-1/model", "model")]
    first, second, mean = (list(model.parameters()) for model in models)
    assert not any(map(torch.equal, first, second))
    for one, other, both, exact in zip(first, second, mean, run.model.parameters(), strict=True):
        torch.testing.assert_close((one + other) / 2, both, atol=1e-3, rtol=1e-2)
        torch.testing.assert_close(exact.half().float(), both.float())
    assert line["tokens"] >= 5000
    assert 0 <= line["scores"]["intents found"] <= 1


@pytest.mark.slow
def test_the_large_base_begins_as_the_model_that_copies(tokenizer, tmp_path: Path) -> None:
    run = begun("base-large", FAMILY["base-large"], tmp_path)
    copier = load(COPIER, device="cpu")
    for one, other in zip(copier.model.parameters(), run.model.parameters(), strict=True):
        torch.testing.assert_close(one, other)
    text = "Order 48213 of Zoë, 49.90 EUR"
    assert tokenizer(text)["input_ids"] == copier.encode(text)


def test_what_was_not_trained_anew_is_begun_as_bundled(tokenizer, tmp_path: Path) -> None:
    run = begun("large-intents", FAMILY["large-intents"], tmp_path)
    base = load("base-large", device="cpu")
    assert all(map(torch.equal, base.model.float().parameters(), run.model.parameters()))


def test_members_come_after_their_base() -> None:
    names = [COPIER, *FAMILY]
    assert all(names.index(of.base) < names.index(name) for name, of in FAMILY.items() if of.base)


@pytest.mark.slow
def test_the_classifier_is_trained_and_written(tmp_path: Path) -> None:
    assert train_classifier(tmp_path, 600) > 0.7
    assert set(PrefixClassifier.load(tmp_path, device="cpu").labels) == {"rude", "civil"}
    assert "| right |" in (tmp_path / "MODEL_CARD.md").read_text("utf-8")


def test_cards_say_what_a_model_was_trained_on(tokenizer) -> None:
    run = Run(RECIPE, tokenizer, build_model(RECIPE, tokenizer))
    line = {"tokens": 4321, "scores": {"perplexity of held-out replies": 5.5, "rude, of sampled replies": 0.25}}
    for name in FAMILY:
        written = card(name, run, line)
        assert f"# {name}\n" in written
        assert "4,321 tokens" in written
        assert "| 5.50 |" in written
        assert "| 25.0% |" in written
        assert not any(mark in written for mark in "{}")
