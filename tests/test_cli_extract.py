"""`guidance-kit extract`: the records that it writes."""

from __future__ import annotations

import json
import re
import sys

import pytest
from command_line import MODULE, TICKET, lines, run
from jsonschema import Draft202012Validator
from typer.main import get_command

from guidance_kit.cli.application import app
from guidance_kit.cli.jobs import job_settings
from guidance_kit.decoding.classification import Classification, LabelScore
from guidance_kit.extraction.documents import Reading
from tests.fake_extractor import SCHEMA

FOUND = Classification(
    label="praise", probability=0.75, scores=(LabelScore(label="praise", probability=0.75, logprob=-1.0),), mass=0.5
)


def test_extract_writes_a_valid_record_for_each_document(inbox, llama):
    result = run("extract", "-s", "ticket.json", "messages", "-o", "out.jsonl", "-m", llama, "-b", "2")
    assert result.exit_code == 0, result.stderr
    found = lines(inbox / "out.jsonl")
    assert [line["source"] for line in found] == [f"messages/{number}.txt" for number in range(5)]
    for line in found:
        Draft202012Validator(TICKET).validate(line["record"])
        assert line["finish_reason"] == "complete"
    assert result.stdout == ""
    assert re.search(r"^5 records in [\d.]+ s, [\d.]+ documents/s, \d+ tokens/s; see out.jsonl$", result.stderr, re.M)


def test_the_records_do_not_depend_on_batches_and_match_the_library(inbox, llama):
    from guidance_kit.model import load

    for size in ("1", "4"):
        assert (
            run("extract", "-s", "ticket.json", "messages", "-o", f"{size}.jsonl", "-m", llama, "-b", size).exit_code
            == 0
        )
    assert (inbox / "1.jsonl").read_bytes() == (inbox / "4.jsonl").read_bytes()
    texts = [(inbox / "messages" / f"{number}.txt").read_text() for number in range(5)]
    assert [line["record"] for line in lines(inbox / "1.jsonl")] == load(llama).extract(texts, TICKET)


TYPES = ["things:Ticket", "things.py:Ticket", "./things.py:Ticket", "pack.records:Ticket", "pack/records.py:Ticket"]


@pytest.mark.parametrize("name", TYPES)
def test_schemas_are_python_types_too(inbox, llama, name):
    (inbox / "pack").mkdir()
    (inbox / "pack" / "__init__.py").touch()
    (inbox / "pack" / "records.py").write_text(MODULE)
    sys.modules.pop("pack", None)
    sys.modules.pop("pack.records", None)
    result = run("extract", "-s", name, "messages/1.txt", "-m", llama)
    assert result.exit_code == 0, result.stderr
    assert set(json.loads(result.stdout)["record"]) == {"kind", "is_urgent"}


def test_bad_documents_are_lines_and_the_status_is_1(inbox, llama):
    (inbox / "messages" / "bad.txt").write_bytes(b"caf\xe9")
    (inbox / "messages" / "empty.txt").touch()
    (inbox / "messages" / "long.txt").write_text("word " * 2000)
    result = run("extract", "-s", "ticket.json", "messages", "missing.txt", "-o", "out.jsonl", "-m", llama)
    assert result.exit_code == 1
    errors = {line["source"]: line["error"] for line in lines(inbox / "out.jsonl") if "error" in line}
    assert {source: error["type"] for source, error in errors.items()} == {
        "messages/bad.txt": "DocumentError",
        "messages/empty.txt": "DocumentError",
        "messages/long.txt": "ContextLengthError",
        "missing.txt": "DocumentError",
    }
    assert "byte 3 (0xe9) is not utf-8" in result.stderr
    assert "5 records, 4 failed" in result.stderr
    assert run("extract", "-s", "ticket.json", "messages/bad.txt", "--encoding", "cp1252", "-m", llama).exit_code == 0


def test_complete_gives_every_document_a_record_that_has_room_for_one(inbox, llama):
    from guidance_kit.grammars.json_schema import json_schema
    from guidance_kit.model import load

    model, constraint = load(llama), json_schema(TICKET)
    needed = model.min_tokens_to_complete(constraint)
    context = model.language_model.context_length
    text = "Mats."
    while len(model.extraction_prompt(text, constraint)) <= context - needed:
        text += "!"
    (inbox / "messages" / "tight.txt").write_text(text)
    (inbox / "messages" / "fits.txt").write_text(text[:-1])
    arguments = ["extract", "-s", "ticket.json", "messages", "-o", "out.jsonl", "-m", llama, "--complete"]
    refused = run(*arguments, "--max-tokens", str(needed - 1))
    assert refused.exit_code == 2
    message = f"Error: it takes {needed} tokens to complete the text, and there are {needed - 1}; raise --max-tokens"
    assert refused.stderr.startswith(message)
    assert not list(inbox.glob("out.jsonl*"))
    result = run(*arguments, "--max-tokens", str(needed))
    assert result.exit_code == 1
    found = {line.pop("source"): line for line in lines(inbox / "out.jsonl")}
    error = found.pop("messages/tight.txt")["error"]
    assert error["type"] == "BudgetError"
    assert error["message"].startswith(f"it takes {needed} tokens to complete the text, and there are {needed - 1}")
    assert len(found) == 6
    for line in found.values():
        Draft202012Validator(TICKET).validate(line["record"])
        assert (line["finish_reason"], line["tokens"]) == ("budget", needed)
    again = run(*arguments[:-1], "--max-tokens", str(needed), "--resume")
    assert again.exit_code == 2
    assert "complete was true, now false" in again.stderr


def test_conditions_of_a_type_are_checked(inbox, llama):
    result = run("extract", "-s", "things:Picky", "messages/1.txt", "-m", llama)
    assert result.exit_code == 1
    error = json.loads(result.stdout)["error"]
    assert error["type"] == "MatchError"
    assert "not in the mood" in error["message"]


def test_rows_and_standard_input(inbox, fake_model):
    (inbox / "s.json").write_text(json.dumps(SCHEMA))
    (inbox / "rows.csv").write_text("id,body\n1,one\n2,two\n")
    result = run("extract", "-s", "s.json", "rows.csv", "-", "--field", "body", given="a text on standard input")
    assert result.exit_code == 0, result.stderr
    found = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(line["source"], line["record"]["text"]) for line in found] == [
        ("rows.csv#1", "one"), ("rows.csv#2", "two"), ("-", "a text on st"),
    ]  # fmt: skip
    given = '{"body": "one"}\n{"body": "two"}\n'
    result = run("extract", "-s", "s.json", "-", "--format", "jsonl", "--field", "body", given=given)
    assert [json.loads(line)["source"] for line in result.stdout.splitlines()] == ["-#1", "-#2"]


def test_resume_continues_and_nothing_is_overwritten(inbox, fake_model):
    (inbox / "s.json").write_text(json.dumps(SCHEMA))
    arguments = ["extract", "-s", "s.json", "messages", "-o", "out.jsonl", "-b", "2"]
    assert run(*arguments).exit_code == 0
    whole = (inbox / "out.jsonl").read_bytes()
    again = run(*arguments)
    assert again.exit_code == 2
    assert again.stderr.startswith("Error: out.jsonl exists; resume it (--resume)")
    (inbox / "out.jsonl").write_bytes(whole[:-20])
    fake_model.calls.clear()
    result = run(*arguments, "--resume")
    assert result.exit_code == 0
    assert "Removed an incomplete line of the earlier run" in result.stderr
    assert "1 record, 4 done before" in result.stderr
    assert fake_model.calls == [1]
    assert (inbox / "out.jsonl").read_bytes() == whole
    assert run(*arguments, "--resume").stderr == "0 records, 5 done before; see out.jsonl\n"
    other = run(*arguments, "--resume", "--max-tokens", "9", "--whitespace", "compact")
    assert other.exit_code == 2
    assert 'whitespace was "flexible", now "compact"; --max-tokens was null, now 9' in other.stderr
    assert (inbox / "out.jsonl").read_bytes() == whole
    assert run("extract", "-s", "s.json", "messages", "--resume").exit_code == 2


CHANGES = [
    (["--encoding", "cp1252"], 'encoding was "utf-8", now "cp1252"'),
    (["--format", "text"], 'format was null, now "text"'),
    (["--field", "body"], 'field was null, now "body"'),
    (["--excerpts"], "excerpts was false, now true"),
    (["--seed", "3"], "seed was null, now 3"),
    (["--temperature", "1"], "temperature was 0.0, now 1.0"),
    (["--dtype", "float32"], 'dtype was null, now "float32"'),
]


@pytest.mark.parametrize("command", ["extract", "classify"])
def test_a_job_is_resumed_with_what_its_lines_depend_on_only(inbox, fake_model, command, monkeypatch):
    (inbox / "s.json").write_text(json.dumps(SCHEMA))
    what = ("-s", "s.json") if command == "extract" else ("-l", "praise", "-l", "order")
    monkeypatch.setattr(
        type(fake_model), "classifier", lambda *_, **__: lambda texts: [FOUND] * len(texts), raising=False
    )
    arguments = [command, *what, "messages", "-o", "out.jsonl"]
    assert run(*arguments).exit_code == 0
    whole = (inbox / "out.jsonl").read_bytes()
    options = {option.name: option for option in get_command(app).commands[command].params}
    for flags, message in CHANGES:
        if flags[0].removeprefix("--") in options:
            refused = run(*arguments, "--resume", *flags)
            assert (refused.exit_code, refused.stdout) == (2, "")
            assert message in refused.stderr
    assert (inbox / "out.jsonl").read_bytes() == whole
    for flags in (["--encoding", "UTF8"], ["-b", "3"], ["--device", "cpu"]):
        assert run(*arguments, "--resume", *flags).exit_code == 0


def test_a_job_is_not_resumed_with_a_model_that_was_trained_further(inbox, fake_model):
    (inbox / "s.json").write_text(json.dumps(SCHEMA))
    (inbox / "model").mkdir()
    (inbox / "model" / "config.json").write_text("{}")
    (inbox / "model" / "model.safetensors").write_bytes(b"1")
    arguments = ["extract", "-s", "s.json", "messages", "-o", "out.jsonl", "-m", "model"]
    assert run(*arguments).exit_code == 0
    (inbox / "model" / "notes.md").write_text("It is good.")
    assert run(*arguments, "--resume").exit_code == 0
    (inbox / "model" / "model.safetensors").write_bytes(b"12")
    refused = run(*arguments, "--resume")
    assert refused.exit_code == 2
    assert "another content of the folder of the model" in refused.stderr


def test_the_output_inside_the_input_folder_is_not_read(inbox, fake_model):
    (inbox / "s.json").write_text(json.dumps(SCHEMA))
    for _ in range(2):
        arguments = ["extract", "-s", "s.json", "messages", "-o", "messages/out.jsonl", "--resume"]
        assert run(*arguments).exit_code == 0
    assert len(lines(inbox / "messages" / "out.jsonl")) == 5


def test_strings_are_excerpts_on_request(inbox, llama):
    schema = {"type": "object", "properties": {"who": {"type": "string"}}, "required": ["who"]}
    (inbox / "who.json").write_text(json.dumps({**schema, "additionalProperties": False}))
    (inbox / "who.txt").write_text("Ann Lee, from Rome")
    result = run("extract", "-s", "who.json", "who.txt", "-m", llama, "--excerpts", "--temperature", "2", "--seed", "3")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["record"]["who"] in "Ann Lee, from Rome"
    run("extract", "-s", "who.json", "who.txt", "-m", llama, "-o", "out.jsonl")
    result = run("extract", "-s", "who.json", "who.txt", "-m", llama, "-o", "out.jsonl", "--resume", "--excerpts")
    assert result.exit_code == 2
    assert "excerpts" in result.stderr


@pytest.mark.slow
def test_a_draft_changes_no_record(inbox, llama):
    plain = ["extract", "-s", "ticket.json", "messages", "-m", llama, "--excerpts"]
    assert run(*plain, "-o", "plain.jsonl").exit_code == 0
    for number, draft in enumerate(("lookup", "forced", "excerpts", llama)):
        found = run(*plain, "-o", f"{number}.jsonl", "--draft", draft, "--ahead", "3")
        assert found.exit_code == 0, found.stderr
        assert (inbox / f"{number}.jsonl").read_bytes() == (inbox / "plain.jsonl").read_bytes()
    resumed = run(*plain, "-o", "plain.jsonl", "--resume", "--draft", "lookup")
    assert resumed.exit_code == 0, resumed.stderr  # greedy records depend on no draft
    refused = run(*plain, "-o", "other.jsonl", "--ahead", "3")
    assert (refused.exit_code, refused.stderr) == (2, "Error: --ahead is for a draft, and there is none\n")
    refused = run(*plain, "-o", "other.jsonl", "--draft", "expert")
    assert "has no positive term beside its base" in refused.stderr


def test_records_with_an_unsure_field_go_to_a_second_file(inbox, llama):
    plain = run("extract", "-s", "ticket.json", "messages", "-o", "all.jsonl", "-m", llama, "--confidence", "before")
    assert plain.exit_code == 0, plain.stderr
    least = {
        line["source"]: min(one["probability"] for one in line["confidence"].values())
        for line in lines(inbox / "all.jsonl")
    }
    bound = sum(sorted(least.values())[1:3]) / 2
    options = ["--min-confidence", str(bound), "--unsure", "unsure.jsonl"]
    result = run("extract", "-s", "ticket.json", "messages", "-o", "sure.jsonl", "-m", llama, *options)
    assert result.exit_code == 0, result.stderr
    sure, unsure = lines(inbox / "sure.jsonl"), lines(inbox / "unsure.jsonl")
    assert [line["source"] for line in unsure] == [name for name, value in least.items() if value < bound]
    assert {line["source"] for line in sure} == {name for name, value in least.items() if value >= bound}
    assert "2 of them unsure" in result.stderr
    assert result.stderr.endswith("; see sure.jsonl and unsure.jsonl\n")
    before = (inbox / "sure.jsonl").read_bytes(), (inbox / "unsure.jsonl").read_bytes()
    (inbox / "unsure.jsonl").write_bytes(before[1].splitlines(keepends=True)[0])  # a run that was interrupted
    again = run("extract", "-s", "ticket.json", "messages", "-o", "sure.jsonl", "-m", llama, *options, "--resume")
    assert again.exit_code == 0, again.stderr
    assert ((inbox / "sure.jsonl").read_bytes(), (inbox / "unsure.jsonl").read_bytes()) == before


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--min-confidence", "0.5"], "--unsure"),
        (["--unsure", "two.jsonl"], "--min-confidence"),
        (["--min-confidence", "0.5", "--unsure", "one.jsonl"], "need two"),
    ],
)
def test_routes_need_two_files_and_a_bound(inbox, options, said):
    result = run("extract", "-s", "ticket.json", "messages", "-o", "one.jsonl", *options)
    assert result.exit_code == 2
    assert said in result.stderr


@pytest.mark.parametrize("option", ["--think", "--sketch"])
def test_records_may_come_behind_thoughts_or_a_sketch(inbox, llama, option):
    result = run("extract", "-s", "ticket.json", "messages/1.txt", "-m", llama, option, "5", "--seed", "1")
    assert result.exit_code == 0, result.stderr
    Draft202012Validator(TICKET).validate(json.loads(result.stdout)["record"])
    both = run("extract", "-s", "ticket.json", "messages/1.txt", "-m", llama, "--think", "5", "--sketch", "5")
    assert both.exit_code == 2
    assert "exclude each other" in both.stderr


def test_another_file_of_weights_is_another_setting(tmp_path):
    file = tmp_path / "model.gguf"
    file.write_bytes(b"GGUF")
    before = job_settings(str(file), None, Reading())
    assert job_settings(str(file), None, Reading()) == before
    file.write_bytes(b"GGUF of another training")
    assert job_settings(str(file), None, Reading()) != before
