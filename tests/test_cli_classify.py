"""`guidance-kit classify`: the lines that it writes, and what it refuses before a model is loaded."""

from __future__ import annotations

import json
import re

import pytest
from command_line import lines, run
from marks import slow

from guidance_kit.model import load
from guidance_kit.models.transformers_model import TransformersModel

LABELS = {"order": "wants something", "refund": "", "refund request": "wants money back", "praise": ""}


@pytest.fixture
def labelled(inbox):
    (inbox / "labels.json").write_text(json.dumps(LABELS))
    return inbox


def test_each_document_gets_what_the_library_gives(labelled, llama):
    result = run("classify", "--labels", "labels.json", "messages", "-o", "out.jsonl", "-m", llama, "-b", "2")
    assert result.exit_code == 0, result.stderr
    assert result.stdout == ""
    assert re.search(r"^5 labels in [\d.]+ s, [\d.]+ documents/s; see out.jsonl$", result.stderr, re.M)
    found = lines(labelled / "out.jsonl")
    texts = [(labelled / "messages" / f"{number}.txt").read_text() for number in range(5)]
    for number, (line, one) in enumerate(zip(found, load(llama).classify(texts, LABELS), strict=True)):
        assert line["source"] == f"messages/{number}.txt"
        assert line["label"] == one.label
        assert line["probability"] == pytest.approx(one.probability, abs=1e-4)
        assert line["mass"] == pytest.approx(one.mass, abs=1e-4)
        assert line["scores"] == pytest.approx({score.label: score.probability for score in one.scores}, abs=1e-4)
        assert list(line["scores"]) == [score.label for score in one.scores]


def test_options_reach_the_library(inbox, llama):
    arguments = ["classify", "-", "-l", "order", "-l", "refund", "-l", "a=b", "-m", llama]
    given = "Please send it back."
    options = ["--calibrate", "--bias", "a=b=2.5", "--top-k", "2", "--end", "eos"]
    result = run(*arguments, *options, given=given)
    assert result.exit_code == 0, result.stderr
    line = json.loads(result.stdout)
    found = load(llama).classify(
        given, ["order", "refund", "a=b"], calibration="contextual", biases={"a=b": 2.5}, top_k=2, end="eos"
    )
    assert line["scores"] == pytest.approx({score.label: score.probability for score in found.scores}, abs=1e-4)
    assert line["label"] == found.label is not None
    for option in ("--threshold", "--margin"):
        assert json.loads(run(*arguments, option, "1", given=given).stdout)["label"] is None


def test_bad_documents_are_lines_and_a_job_is_resumed_with_the_same_labels(labelled, llama):
    (labelled / "messages" / "bad.txt").write_bytes(b"caf\xe9")
    (labelled / "messages" / "long.txt").write_text("word " * 2000)
    arguments = ["classify", "messages", "-o", "out.jsonl", "-m", llama]
    result = run(*arguments, "--labels", "labels.json")
    assert result.exit_code == 1
    assert "5 labels, 2 failed" in result.stderr
    errors = {line["source"]: line["error"]["type"] for line in lines(labelled / "out.jsonl") if "error" in line}
    assert errors == {"messages/bad.txt": "DocumentError", "messages/long.txt": "ContextLengthError"}
    (labelled / "messages" / "new.txt").write_text("Thank you!")
    result = run(*arguments, "--labels", "labels.json", "--resume")
    assert result.exit_code == 0
    assert "1 label, 7 done before" in result.stderr
    assert len(lines(labelled / "out.jsonl")) == 8
    other = run(*arguments, "-l", "order", "-l", "praise", "--resume")
    assert other.exit_code == 2
    assert "was made with other settings: another labels" in other.stderr


@pytest.fixture
def unsound(monkeypatch):
    """A model that gives NaN where a prompt has the word `unsound`."""
    sound = TransformersModel.logits

    def logits(self, prefixes, *others, **named):
        found = sound(self, prefixes, *others, **named).clone()
        for row, prefix in enumerate(prefixes):
            if "unsound" in self.tokenizer.decode(prefix):
                found[row] = float("nan")
        return found

    monkeypatch.setattr(TransformersModel, "logits", logits)


@pytest.mark.parametrize("size", ["3", *slow("1", "32")])
def test_a_document_that_the_model_fails_at_costs_no_other(labelled, llama, unsound, size):
    (labelled / "messages" / "2.txt").write_text("This is unsound.")
    for command in (("classify", "--labels", "labels.json"), ("extract", "-s", "ticket.json")):
        result = run(*command, "messages", "-o", f"{command[0]}.jsonl", "-m", llama, "-b", size)
        assert result.exit_code == 1, result.stderr
        found = {line["source"]: line for line in lines(labelled / f"{command[0]}.jsonl")}
        assert [source for source, line in found.items() if "error" in line] == ["messages/2.txt"]
        assert found["messages/2.txt"]["error"]["type"] == "ModelError"
        assert "NaN" in found["messages/2.txt"]["error"]["message"]
        assert "4 " in result.stderr
        assert "1 failed" in result.stderr


WRONG = [
    ([], "Error: name the labels either with --label, once for each, or with --labels FILE"),
    (["-l", "a", "--labels", "labels.json"], "Error: name the labels either with --label"),
    (["-l", "a", "-l", "a"], "Error: label 'a' is given twice"),
    (["-l", "a", "-l", ""], "Error: label 1 is empty"),
    (["--labels", "none.json"], "Error: there is no labels file none.json"),
    (["--labels", "bad.json"], "Error: the labels in bad.json are not JSON: Expecting property name"),
    (["--labels", "messages"], "Error: the labels file messages cannot be read: is a directory"),
    (["--labels", "binary.json"], "Error: the labels file binary.json is not UTF-8 at byte 1"),
    (["--labels", "blank.json"], "Error: the labels file blank.json is empty"),
    (["--labels", "number.json"], "Error: number.json must have a list of labels, or an object from labels to desc"),
    (["--labels", "empty.json"], "Error: --labels must be a list of texts"),
    (["--labels", "twice.json"], "Error: label 'a' is given twice"),
    (["-l", "a", "--bias", "a"], "Error: --bias is LABEL=NATS, with a number, not 'a'"),
    (["-l", "a", "--bias", "a=much"], "Error: --bias is LABEL=NATS, with a number, not 'a=much'"),
    (["-l", "a", "--bias", "b=1"], "Error: unknown label with a bias 'b'"),
    (["-l", "a", "--bias", "a=-inf"], "Error: the biases forbid all labels"),
    (["-l", "a", "--threshold", "2"], "less than or equal to 1"),
    (["-l", "a", "--end", "eof"], "'eos'"),
    (["-l", "a", "--resume"], "Error: --resume needs the file of an earlier run"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG, ids=[" ".join(arguments) for arguments, _ in WRONG])
def test_wrong_usage_is_one_message_before_any_model_is_loaded(labelled, monkeypatch, arguments, message):
    def never(*names, **options):
        raise AssertionError("a model was loaded")

    monkeypatch.setattr("guidance_kit.model.load", never)
    for name, text in {"bad": "{", "number": "3", "empty": "[]", "twice": '{"a": "", "a": "x"}'}.items():
        (labelled / f"{name}.json").write_text(text)
    (labelled / "binary.json").write_bytes(b"{\xff}")
    (labelled / "blank.json").write_text("\n")
    result = run("classify", "messages", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
