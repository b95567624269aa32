"""The command line, on a small random model in a folder: what it writes, what it says, its exit status."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from typer.testing import CliRunner, Result

from guidance_kit import __version__
from guidance_kit.cli.application import app
from guidance_kit.cli.warmup import compile_kernels
from tests.fake_extractor import SCHEMA, FakeExtractor

ROOT = Path(__file__).resolve().parent.parent

TICKET = {
    "title": "Ticket",
    "type": "object",
    "properties": {
        "kind": {"enum": ["order", "refund", "praise"]},
        "count": {"type": "integer", "minimum": 0, "maximum": 99},
        "is_urgent": {"type": "boolean"},
    },
    "required": ["kind", "count", "is_urgent"],
    "additionalProperties": False,
}

MODULE = """
from typing import Literal
from pydantic import BaseModel, field_validator

class Ticket(BaseModel):
    kind: Literal["order", "refund", "praise"]
    is_urgent: bool

class Picky(Ticket):
    @field_validator("kind")
    @classmethod
    def never(cls, value):
        raise ValueError("not in the mood")

LIMIT = 3
"""


@pytest.fixture(scope="session")
def tiny(tmp_path_factory) -> str:
    """A folder with a random Llama, as `save_pretrained` writes it."""
    from tests.test_facade import language_model

    compile_kernels()  # the commands in processes of their own then find them
    folder = tmp_path_factory.mktemp("tiny")
    made = language_model()
    made.model.save_pretrained(folder)
    made.tokenizer.save_pretrained(folder)
    return str(folder)


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """The current folder, with a schema, a module and a few messages."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name in ("things", "records"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    (tmp_path / "ticket.json").write_text(json.dumps(TICKET))
    (tmp_path / "things.py").write_text(MODULE)
    (tmp_path / "messages").mkdir()
    for number in range(5):
        (tmp_path / "messages" / f"{number}.txt").write_text(f"Please send {number} mats. Hello!")
    return tmp_path


def run(*arguments: str, given: str | None = None) -> Result:
    return CliRunner().invoke(app, list(arguments), input=given)


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def fake(monkeypatch) -> FakeExtractor:
    """Instead of a model."""
    model = FakeExtractor()
    monkeypatch.setattr("guidance_kit.model.load", lambda *names, **options: model)
    return model


def test_extract_writes_a_valid_record_for_each_document(folder, tiny):
    result = run("extract", "-s", "ticket.json", "messages", "-o", "out.jsonl", "-m", tiny, "-b", "2")
    assert result.exit_code == 0, result.stderr
    found = lines(folder / "out.jsonl")
    assert [line["source"] for line in found] == [f"messages/{number}.txt" for number in range(5)]
    for line in found:
        Draft202012Validator(TICKET).validate(line["record"])
        assert line["finish_reason"] == "complete"
    assert result.stdout == ""
    assert re.search(r"^5 records in [\d.]+ s, [\d.]+ documents/s, \d+ tokens/s; see out.jsonl$", result.stderr, re.M)


def test_the_records_do_not_depend_on_batches_and_match_the_library(folder, tiny):
    from guidance_kit.model import load

    for size in ("1", "4"):
        assert (
            run("extract", "-s", "ticket.json", "messages", "-o", f"{size}.jsonl", "-m", tiny, "-b", size).exit_code
            == 0
        )
    assert (folder / "1.jsonl").read_bytes() == (folder / "4.jsonl").read_bytes()
    texts = [(folder / "messages" / f"{number}.txt").read_text() for number in range(5)]
    assert [line["record"] for line in lines(folder / "1.jsonl")] == load(tiny).extract(texts, TICKET)


TYPES = ["things:Ticket", "things.py:Ticket", "./things.py:Ticket", "pack.records:Ticket", "pack/records.py:Ticket"]


@pytest.mark.parametrize("name", TYPES)
def test_schemas_are_python_types_too(folder, tiny, name):
    (folder / "pack").mkdir()
    (folder / "pack" / "__init__.py").touch()
    (folder / "pack" / "records.py").write_text(MODULE)
    sys.modules.pop("pack", None)
    sys.modules.pop("pack.records", None)
    result = run("extract", "-s", name, "messages/1.txt", "-m", tiny)
    assert result.exit_code == 0, result.stderr
    assert set(json.loads(result.stdout)["record"]) == {"kind", "is_urgent"}


def test_bad_documents_are_lines_and_the_status_is_1(folder, tiny):
    (folder / "messages" / "bad.txt").write_bytes(b"caf\xe9")
    (folder / "messages" / "empty.txt").touch()
    (folder / "messages" / "long.txt").write_text("word " * 2000)
    result = run("extract", "-s", "ticket.json", "messages", "missing.txt", "-o", "out.jsonl", "-m", tiny)
    assert result.exit_code == 1
    errors = {line["source"]: line["error"] for line in lines(folder / "out.jsonl") if "error" in line}
    assert {source: error["type"] for source, error in errors.items()} == {
        "messages/bad.txt": "DocumentError",
        "messages/empty.txt": "DocumentError",
        "messages/long.txt": "ContextLengthError",
        "missing.txt": "DocumentError",
    }
    assert "byte 3 (0xe9) is not utf-8" in result.stderr
    assert "5 records, 4 failed" in result.stderr
    assert run("extract", "-s", "ticket.json", "messages/bad.txt", "--encoding", "cp1252", "-m", tiny).exit_code == 0


def test_conditions_of_a_type_are_checked(folder, tiny):
    result = run("extract", "-s", "things:Picky", "messages/1.txt", "-m", tiny)
    assert result.exit_code == 1
    error = json.loads(result.stdout)["error"]
    assert error["type"] == "ValidationError"
    assert "not in the mood" in error["message"]


def test_rows_and_standard_input(folder, fake):
    (folder / "s.json").write_text(json.dumps(SCHEMA))
    (folder / "rows.csv").write_text("id,body\n1,one\n2,two\n")
    result = run("extract", "-s", "s.json", "rows.csv", "-", "--field", "body", given="a text on standard input")
    assert result.exit_code == 0, result.stderr
    found = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(line["source"], line["record"]["text"]) for line in found] == [
        ("rows.csv#1", "one"), ("rows.csv#2", "two"), ("-", "a text on st"),
    ]  # fmt: skip
    given = '{"body": "one"}\n{"body": "two"}\n'
    result = run("extract", "-s", "s.json", "-", "--format", "jsonl", "--field", "body", given=given)
    assert [json.loads(line)["source"] for line in result.stdout.splitlines()] == ["-#1", "-#2"]


def test_resume_continues_and_nothing_is_overwritten(folder, fake):
    (folder / "s.json").write_text(json.dumps(SCHEMA))
    arguments = ["extract", "-s", "s.json", "messages", "-o", "out.jsonl", "-b", "2"]
    assert run(*arguments).exit_code == 0
    whole = (folder / "out.jsonl").read_bytes()
    again = run(*arguments)
    assert again.exit_code == 2
    assert again.stderr.startswith("Error: out.jsonl exists; resume it (--resume)")
    (folder / "out.jsonl").write_bytes(whole[:-20])
    fake.calls.clear()
    result = run(*arguments, "--resume")
    assert result.exit_code == 0
    assert "Cut off the line that the earlier run left unfinished" in result.stderr
    assert "1 record, 4 done before" in result.stderr
    assert fake.calls == [1]
    assert (folder / "out.jsonl").read_bytes() == whole
    assert run(*arguments, "--resume").stderr == "0 records, 5 done before; see out.jsonl\n"
    other = run(*arguments, "--resume", "--max-tokens", "9", "--whitespace", "compact")
    assert other.exit_code == 2
    assert 'whitespace was "flexible", now "compact"; max_tokens was null, now 9' in other.stderr
    assert (folder / "out.jsonl").read_bytes() == whole
    assert run("extract", "-s", "s.json", "messages", "--resume").exit_code == 2


def test_the_output_inside_the_input_folder_is_not_read(folder, fake):
    (folder / "s.json").write_text(json.dumps(SCHEMA))
    for _ in range(2):
        arguments = ["extract", "-s", "s.json", "messages", "-o", "messages/out.jsonl", "--resume"]
        assert run(*arguments).exit_code == 0
    assert len(lines(folder / "messages" / "out.jsonl")) == 5


def test_a_job_that_cannot_begin_leaves_nothing_behind(folder):
    result = run("extract", "-s", "ticket.json", "messages", "-o", "out.jsonl", "-m", "./nowhere")
    assert result.exit_code == 3
    assert result.stderr == "Error: there is no folder ./nowhere\n"
    assert not list(folder.glob("out.jsonl*"))


def test_a_dead_device_stops_the_job(folder, fake):
    (folder / "s.json").write_text(json.dumps(SCHEMA))
    rows = "".join(json.dumps({"x": text}) + "\n" for text in ["fine"] * 4 + ["CRASH"] * 20)
    (folder / "rows.jsonl").write_text(rows)
    result = run("extract", "-s", "s.json", "rows.jsonl", "--field", "x", "-o", "out.jsonl", "-b", "2")
    assert result.exit_code == 3
    assert "Error: RuntimeError: device-side assert triggered (--debug shows where)" in result.stderr
    assert "the last 8 documents failed alike, so the job was stopped" in result.stderr
    assert len(lines(folder / "out.jsonl")) >= 4


def test_a_full_disk_stops_the_job_and_what_was_written_stays(folder, fake, monkeypatch):
    (folder / "s.json").write_text(json.dumps(SCHEMA))
    arguments = ["extract", "-s", "s.json", "messages", "-o", "out.jsonl", "-b", "2"]
    write = os.write

    def full(descriptor, content):
        if len(fake.calls) > 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(descriptor, content)

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        result = run(*arguments)
    assert result.exit_code == 3
    assert (
        result.stderr == "2 of 5 documents are done; go on with --resume\nError: out.jsonl: no space left on device\n"
    )
    assert run(*arguments, "--resume").exit_code == 0
    assert len(lines(folder / "out.jsonl")) == 5


def test_running_out_of_memory_is_said_once(folder, fake):
    (folder / "s.json").write_text(json.dumps(SCHEMA))
    rows = "".join(json.dumps({"x": text}) + "\n" for text in ["fine", "MEMORY", "fine", "fine"] * 3)
    (folder / "rows.jsonl").write_text(rows)
    result = run("extract", "-s", "s.json", "rows.jsonl", "--field", "x", "-o", "out.jsonl")
    assert result.exit_code == 1
    assert result.stderr.count("Warning: out of memory; going on with less\n") == 1
    assert [("record" in line) for line in lines(folder / "out.jsonl")] == [True, False, True, True] * 3


@pytest.mark.parametrize("most", [2, 0])
def test_out_of_memory_a_smaller_batch_is_tried_and_it_is_said(folder, tiny, monkeypatch, most):
    from guidance_kit.models.language_model import LanguageModel

    logits = LanguageModel.logits

    def cramped(self, prefixes, positions=1):
        if len(prefixes) > most:
            raise RuntimeError("[enforce fail at alloc_cpu.cpp:127] DefaultCPUAllocator: can't allocate memory")
        return logits(self, prefixes, positions)

    monkeypatch.setattr(LanguageModel, "logits", cramped)
    result = run("extract", "-s", "ticket.json", "messages", "-o", "out.jsonl", "-m", tiny)
    assert "Warning: out of memory with 5 texts at once; going on with 2\n" in result.stderr
    found = lines(folder / "out.jsonl")
    assert len(found) == 5
    if most:
        assert result.exit_code == 0
        assert all("record" in line for line in found)
    else:
        assert result.exit_code == 1
        assert {line["error"]["type"] for line in found} == {"ModelError"}
        assert "messages/0.txt: out of memory, even with one text at a time; shorten it, lower" in result.stderr


def test_a_killed_job_is_resumed(folder, tiny):
    (folder / "rows.jsonl").write_text("".join(json.dumps({"x": f"text {n}"}) + "\n" for n in range(60)))
    arguments = ["extract", "-s", "ticket.json", "rows.jsonl", "--field", "x", "-b", "2", "-m", tiny]
    child = subprocess.Popen([sys.executable, "-m", "guidance_kit", *arguments, "-o", "out.jsonl"])
    deadline = time.monotonic() + 200
    while not ((folder / "out.jsonl").exists() and (folder / "out.jsonl").stat().st_size > 0):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    child.kill()
    child.wait(timeout=60)
    written = (folder / "out.jsonl").read_bytes().count(b"\n")
    assert 0 < written < 60
    result = run(*arguments, "-o", "out.jsonl", "--resume")
    assert result.exit_code == 0
    assert f"{60 - written} records, {written} done before" in result.stderr
    assert run(*arguments, "-o", "whole.jsonl").exit_code == 0
    assert (folder / "out.jsonl").read_bytes() == (folder / "whole.jsonl").read_bytes()


WRONG = [
    (["extract", "messages", "-s", "none.json"], "Error: there is no schema file none.json"),
    (["extract", "messages", "-s", "messages"], "Error: the schema file messages cannot be read: is a directory"),
    (["extract", "messages", "-s", "bad.json"], "Error: the schema is not JSON: Expecting property name"),
    (["extract", "messages", "-s", "latin.json"], "Error: the schema file latin.json is not UTF-8 at byte 1"),
    (["extract", "messages", "-s", '{"type": "objekt"}'], "'objekt'"),
    (["extract", "messages", "-s", "things:Tikket"], "unknown class in things: 'Tikket'; did you mean 'Ticket'?"),
    (["extract", "messages", "-s", "things:LIMIT"], "Error: "),
    (["extract", "messages", "-s", "thinks:Ticket"], "Error: there is no module thinks in "),
    (["extract", "messages", "-s", "nowhere/things.py:Ticket"], "Error: there is no file nowhere/things.py"),
    (["extract", "messages", "-s", "raising.py:Ticket"], "Error: importing raising.py failed: ZeroDivisionError: "),
    (["extract", "messages", "-s", "ticket.json", "--whitespace", "compakt"], "did you mean 'compact'?"),
    (["check", "--regex", "a", "--whitespace", "compakt"], "did you mean 'compact'?"),
    (
        ["extract", "messages", "-s", "ticket.json", "--encoding", "utf-9"],
        "unknown encoding 'utf-9'; did you mean 'utf-8'?",
    ),
    (["extract", "messages", "-s", "ticket.json", "--format", "jsn"], "'jsonl'"),
    (["extract", "messages", "-s", "ticket.json", "--batch-size", "0"], "greater than or equal to 1"),
    (["extract", "messages", "-s", "ticket.json", "--shema", "x"], "--schema"),
    (["extract", "messages", "-s", "ticket.json", "-o", "no/folder/out.jsonl"], "cannot be written: no such file"),
    (["extract", "messages", "-s", "ticket.json", "-o", "messages"], "Error: messages cannot be written: is a dir"),
    (["extract", "missing", "-s", "ticket.json"], "Error: missing: no such file or directory"),
    (
        ["extract", "rows.jsonl", "-s", "ticket.json"],
        "Error: which field of rows.jsonl is the text? Name it with --field: 'body'",
    ),
    (["extract", "messages"], "--schema"),
    (["extrakt"], "extract"),
    (["generate", "x", "--regex", "a(b"], "Error: missing ), unterminated subpattern at position 1"),
    (["generate", "x", "--regex", "a", "--choice", "b"], "Error: --regex and --choice exclude each other"),
    (["generate", "x", "--tempreature", "1"], "--temperature"),
    (["check"], "Error: name either a schema or, with --regex, a pattern"),
    (["check", "ticket.json", "--regex", "a"], "Error: name either a schema or, with --regex, a pattern"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG, ids=[" ".join(arguments) for arguments, _ in WRONG])
def test_wrong_usage_is_one_message_before_any_model_is_loaded(folder, monkeypatch, arguments, message):
    def never(*names, **options):
        raise AssertionError("a model was loaded")

    monkeypatch.setattr("guidance_kit.model.load", never)
    (folder / "bad.json").write_text("{,}")
    (folder / "latin.json").write_bytes(b"\x22\xe9\x22")
    (folder / "raising.py").write_text("1 / 0\n")
    (folder / "rows.jsonl").write_text('{"body": "x"}\n')
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""
    assert not (folder / "out.jsonl").exists()


def test_debug_shows_where_an_error_came_from(folder):
    result = run("extract", "messages", "-s", "raising.py:Ticket", "--debug")
    assert "Error: there is no file raising.py" in result.stderr
    assert "Traceback" in result.stderr


def test_generate_continues_a_prompt(folder, tiny):
    plain = run("generate", "the cat", "-m", tiny, "--max-tokens", "12", "--seed", "3")
    assert plain.exit_code == 0, plain.stderr
    streamed = run("generate", "-", "-m", tiny, "--max-tokens", "12", "--seed", "3", "--stream", given="the cat\n")
    assert streamed.stdout == plain.stdout
    assert run("generate", "the cat", "-m", tiny, "--max-tokens", "12", "--seed", "4").stdout != plain.stdout


def test_a_prompt_that_is_no_text_is_refused(folder, tiny):
    result = CliRunner().invoke(app, ["generate", "-", "-m", tiny], input=b"caf\xe9")
    assert result.exit_code == 2
    assert result.stderr == "Error: standard input is not UTF-8 at byte 3\n"
    result = run("generate", "caf\udce9", "-m", tiny)  # what Python makes of such an argument
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: the prompt has a lone surrogate at character 3")


def test_generate_under_constraints(folder, tiny):
    chosen = run("generate", "the cat", "-m", tiny, "--choice", "yes", "--choice", "no", "--temperature", "0")
    assert chosen.stdout in ("yes\n", "no\n")
    matched = run("generate", "Call ", "-m", tiny, "--regex", r"\d{3}-\d{4}", "--chat", "--stream")
    assert re.fullmatch(r"\d{3}-\d{4}\n", matched.stdout)
    record = run("generate", "A record: ", "-m", tiny, "-s", "ticket.json", "--whitespace", "indent=2")
    Draft202012Validator(TICKET).validate(json.loads(record.stdout))
    assert [line[:3] for line in record.stdout.splitlines()] == ["{", *['  "'] * 3, "}"]
    cut = run("generate", "x", "-m", tiny, "--regex", "a{500}", "--max-tokens", "3", "--stream")
    assert cut.exit_code == 1
    assert cut.stderr == "Warning: cut short by 3 tokens, so the text may not satisfy the constraint\n"


def test_check_reports_what_is_enforced_and_what_it_costs(folder, tiny):
    schema = {**TICKET, "description": "x", "x-y": 1, "$comment": "c"}
    schema["properties"] = {**TICKET["properties"], "color": {"type": "string", "format": "colour"}}
    (folder / "s.json").write_text(json.dumps(schema))
    result = run("check", "s.json", "-m", tiny, "--samples", "20")
    assert result.exit_code == 0, result.stderr
    rows = [line.split(maxsplit=1) for line in result.stdout.splitlines()[1:]]
    assert result.stdout.startswith("s.json: supported\n")
    shown = {name: value for name, value in rows if name != "fits"}
    assert "type ×4" in shown["enforced"]
    assert shown["unknown"] == "x-y at the root"
    assert shown["format"] == "ignored  colour at /properties/color".replace("  ", " " * 2)
    assert re.search(r"first [\d.]+ \w+, then p50", shown["masks"])
    texts = [value for name, value in rows if name == "fits"]
    assert len(texts) == 20
    for text in texts:
        Draft202012Validator(schema).validate(json.loads(text))
    assert run("check", "s.json", "-m", tiny).stdout.splitlines()[:6] == result.stdout.splitlines()[:6]


REFUSED = [
    (["--regex", r"(a)\1"], "backreference is not supported"),
    (["--regex", "a(b"], "at position 1"),
    (["--regex", "a(?!a)a"], ""),
    (['{"type": "string", "minLength": 5, "maxLength": 4}'], ""),
    (['{"type": "strng"}'], "'null', 'number', 'object', 'string'] (at /type)"),
]


@pytest.mark.parametrize(("arguments", "message"), REFUSED)
def test_check_says_what_cannot_be_used(folder, arguments, message):
    result = run("check", *arguments)
    assert result.exit_code == 1
    assert "cannot be used" in result.stdout
    assert result.stderr.startswith("Error: ")
    assert message in result.stderr


@pytest.fixture(scope="session")
def without_braces(tmp_path_factory) -> str:
    """A folder with a random Llama whose tokenizer knows neither braces nor what is not ASCII."""
    import transformers
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    folder = str(tmp_path_factory.mktemp("without_braces"))
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    letters = sorted(letter for letter in alphabet if letter.isascii() and letter not in "{}")
    inner = Tokenizer(models.BPE(vocab={letter: number for number, letter in enumerate([*letters, "Ġ"])}, merges=[]))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=inner, eos_token="</s>")
    config = transformers.LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32
    )
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def test_what_the_vocabulary_cannot_spell_is_said_with_its_characters(folder, without_braces):
    missing = re.compile(r"^Error: the vocabulary cannot spell .* it has no tokens for .*'\{' '\}'\. Use a model", re.M)
    extracted = run("extract", "-s", "ticket.json", "messages", "-o", "out.jsonl", "-m", without_braces)
    assert extracted.exit_code == 2
    assert missing.search(extracted.stderr)
    assert not list(folder.glob("out.jsonl*"))
    generated = run("generate", "x", "--regex", "aé+", "-m", without_braces)
    assert generated.exit_code == 2
    assert "it has no tokens for 'é'. Use" in generated.stderr
    checked = run("check", "ticket.json", "-m", without_braces)
    assert checked.exit_code == 1
    assert checked.stdout.startswith("ticket.json: supported\n")
    assert checked.stdout.endswith(f"ticket.json: cannot be used with {without_braces}\n")
    assert missing.search(checked.stderr)


def test_texts_are_written_where_only_ascii_is_expected(folder, tiny):
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [sys.executable, "-m", "guidance_kit", "check", '{"const": "Grüße"}', "-m", tiny],
        env=environment,
        capture_output=True,
        timeout=120,
    )
    assert done.returncode == 0
    assert '"Grüße"' in done.stdout.decode()


def test_check_shows_texts_that_pass_the_conditions_of_a_type(folder, tiny):
    assert "fits            no short text was found" in run("check", "things:Picky", "-m", tiny).stdout


def test_version():
    assert run("--version").stdout == f"guidance-kit {__version__}\n"


def command(*arguments: str, **options) -> subprocess.CompletedProcess[str]:
    """The real command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "guidance_kit", *arguments], capture_output=True, text=True, timeout=120, **options
    )


def test_what_needs_no_model_is_answered_without_torch(folder):
    script = (
        "import sys; from guidance_kit.cli.application import app\n"
        "try: app(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "print([name for name in ('torch', 'transformers', 'numba') if name in sys.modules])"
    )
    for arguments in (["--help"], ["extract", "--help"], ["extract", "messages", "-s", "none.json"]):
        done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, timeout=120)
        assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("width", [80, 120])
def test_help_and_errors_keep_to_the_width_of_the_terminal(width):
    environment = {**os.environ, "COLUMNS": str(width)}
    for name in ("extract", "generate", "check", "warmup"):
        done = command(name, "--help", env=environment)
        assert done.returncode == 0
        assert max(map(len, done.stdout.splitlines())) <= width


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_interrupting_keeps_what_was_written_and_says_130(folder, tiny):
    script = (
        "import sys; from guidance_kit import model; from guidance_kit.cli import main\n"
        "from tests.fake_extractor import FakeExtractor\n"
        "model.load = lambda *names, **options: FakeExtractor(0.05)\n"
        "main()"
    )
    (folder / "s.json").write_text(json.dumps(SCHEMA))
    (folder / "rows.jsonl").write_text("".join(json.dumps({"x": f"text {n}"}) + "\n" for n in range(500)))
    arguments = ["extract", "-s", "s.json", "rows.jsonl", "--field", "x", "-o", "out.jsonl", "-b", "1"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    child = subprocess.Popen(
        [sys.executable, "-c", script, *arguments], env=environment, stderr=subprocess.PIPE, text=True
    )
    output = folder / "out.jsonl"
    deadline = time.monotonic() + 200
    while not (output.exists() and output.stat().st_size > 0):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=60)
    assert child.returncode == 130
    assert re.search(r"^\d+ of 500 documents are done; go on with --resume\nInterrupted$", said, re.MULTILINE)
    assert "Traceback" not in said
    assert 0 < len(lines(output)) < 500


@pytest.mark.parametrize("module", ["guidance_kit.cli.application", "typer", "guidance_kit.cli.extract", "numpy"])
def test_interrupting_before_anything_is_imported_says_130(module):
    script = (
        "import runpy, sys\n"
        "class Finder:\n"
        "    def find_spec(name, path=None, target=None):\n"
        f"        if name == {module!r}: raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Finder)\n"
        "runpy.run_module('guidance_kit', run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", script, "--version"], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Interrupted\n")


def test_a_closed_pipe_ends_it_quietly(folder, tiny):
    done = subprocess.run(
        f"{sys.executable} -m guidance_kit extract -s ticket.json messages -m {tiny} -b 1 | head -c 5",
        shell=True,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stdout == '{"sou'
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr
