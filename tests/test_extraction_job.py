"""The batch job over documents, with a model that fails on request."""

from __future__ import annotations

import io
import json
import random

import pytest
from pydantic import BaseModel

from guidance_kit.errors import BatchError, BudgetError, ModelError, OptionError, UnspellableError
from guidance_kit.extraction.careful_work import MOST_UNEXPECTED
from guidance_kit.extraction.documents import Document, Reading, digest_of, find, read
from guidance_kit.extraction.entry import one_line
from guidance_kit.extraction.job import run
from guidance_kit.extraction.output import RecordFile, StandardOutput
from guidance_kit.grammars.json_schema import json_schema
from tests.fake_extractor import SCHEMA, FakeExtractor

CONSTRAINT = json_schema(SCHEMA)


def documents(*texts: str) -> list[Document]:
    return [
        Document(source=f"f#{number}", text=text, digest=digest_of(text)) for number, text in enumerate(texts, start=1)
    ]


def lines_of(model, texts, **options):
    """The lines of a job, parsed, and its tally."""
    stream = io.BytesIO()
    given = documents(*texts) if isinstance(texts, list) else texts
    tally = run(given, model, options.pop("constraint", CONSTRAINT), StandardOutput(stream), **options)
    return [json.loads(line) for line in stream.getvalue().decode().splitlines()], tally


def test_one_line_a_document_in_their_order():
    texts = [f"text {number}" for number in range(10)]
    model = FakeExtractor()
    tallies = []
    lines, tally = lines_of(model, texts, batch_size=4, on_batch=tallies.append)
    assert [line["record"]["text"] for line in lines] == texts
    assert [line["source"] for line in lines] == [f"f#{number}" for number in range(1, 11)]
    assert lines[0] == {
        "source": "f#1", "digest": digest_of("text 0"), "record": {"text": "text 0", "length": 6},
        "finish_reason": "complete", "tokens": lines[0]["tokens"],
    }  # fmt: skip
    assert model.calls == [4, 4, 2]
    assert [one.documents for one in tallies] == [4, 8, 10]
    assert (tally.records, tally.failed, tally.known) == (10, 0, 0)
    assert tally.tokens == sum(line["tokens"] for line in lines) > 0


def test_no_documents_at_all():
    assert lines_of(FakeExtractor(), []) == ([], run([], FakeExtractor(), CONSTRAINT, StandardOutput(io.BytesIO())))


ERRORS = {
    "LONG": ("ContextLengthError", "5000 tokens do not fit the model's context of 1024"),
    "TIGHT": ("BudgetError", "it takes 24 tokens to complete the text, and there are 3"),
    "NAN": ("ModelError", "the model returned NaN"),
    "CUT": ("IncompleteError", "the text is incomplete"),
    "MEMORY": ("MemoryError", "DefaultCPUAllocator: out of memory"),
}


@pytest.mark.filterwarnings("ignore:out of memory")
@pytest.mark.parametrize("batch_size", [1, 2, 3, 8, 100])
@pytest.mark.parametrize("seed", range(4))
def test_a_bad_document_fails_alone(batch_size, seed):
    draw = random.Random(seed)
    texts = [draw.choice([*ERRORS, "", "", ""]) + f" good {number}" for number in range(40)]
    lines, tally = lines_of(FakeExtractor(), texts, batch_size=batch_size)
    assert [line["source"] for line in lines] == [f"f#{number}" for number in range(1, 41)]
    for line, text in zip(lines, texts, strict=True):
        kind = text.split(" ")[0]
        if kind in ERRORS:
            assert line["error"]["type"] == ERRORS[kind][0]
            assert line["error"]["message"].startswith(ERRORS[kind][1])
            assert "record" not in line
        else:
            assert line["record"] == {"text": text[:12], "length": len(text)}
    assert tally.failed == sum(not text.startswith(" ") for text in texts)
    assert tally.records == 40 - tally.failed


def test_finding_one_bad_document_costs_a_logarithm():
    model = FakeExtractor()
    texts = ["good"] * 63 + ["LONG"]
    lines_of(model, texts, batch_size=64)
    assert len(model.calls) == 1 + 2 * 6


class Partial(FakeExtractor):
    """A model that says which of several prompts fail, as `Model.generate` does."""

    def generate(self, prompts, constraint=None, **options):
        bad = [number for number, prompt in enumerate(prompts) if bytes(prompt).startswith(b"NAN")]
        if len(prompts) == 1 or not bad:
            return super().generate(prompts, constraint, **options)
        good = [prompt for number, prompt in enumerate(prompts) if number not in bad]
        written = iter(super().generate(good, constraint, **options) if good else [])
        results = [None if number in bad else next(written) for number in range(len(prompts))]
        raise BatchError({number: ModelError(f"NaN at prompt {number}") for number in bad}, results)


def test_documents_beside_a_bad_one_are_written_once():
    model = Partial()
    texts = ["good"] * 5 + ["NAN"] + ["good"] * 3 + ["NAN"] + ["good"] * 54
    lines, tally = lines_of(model, texts, batch_size=64)
    assert model.calls == [62, 1, 1]
    assert [number for number, line in enumerate(lines) if "error" in line] == [5, 9]
    assert all(line["error"]["message"] == "the model returned NaN" for line in lines if "error" in line)
    assert (tally.records, tally.failed) == (62, 2)


def test_a_model_that_fails_for_every_document_ends_the_job():
    model = Partial()
    with pytest.raises(ModelError, match="the model returned NaN"):
        lines_of(model, ["NAN"] * 100, batch_size=64)
    assert model.calls == [1] * 8
    assert len(lines_of(Partial(), ["good", *["NAN"] * 7] * 8, batch_size=64)[0]) == 64


class Careless(BaseModel):
    text: str
    length: int

    def model_post_init(self, context):
        _ = {4: "a"}[self.length]


def test_a_validator_that_raises_anything_costs_its_record():
    lines, tally = lines_of(FakeExtractor(), ["good", "longer", "fine"], constraint=json_schema(Careless))
    assert [line.get("error", {}).get("type") for line in lines] == [None, "KeyError", None]
    assert (tally.records, tally.failed) == (2, 1)


class Short(BaseModel):
    text: str
    length: int

    def model_post_init(self, context):
        if self.length > 9:
            raise ValueError("too long for this world")


def test_a_record_that_breaks_the_type_is_kept_beside_the_error():
    lines, tally = lines_of(FakeExtractor(), ["short", "a longer text", "CUT"], constraint=json_schema(Short))
    assert lines[0]["record"] == {"text": "short", "length": 5}
    assert lines[1]["error"]["type"] == "MatchError"
    assert "too long for this world" in lines[1]["error"]["message"]
    assert "\n" not in lines[1]["error"]["message"]
    assert json.loads(lines[1]["error"]["text"]) == {"text": "a longer tex", "length": 13}
    assert lines[2]["error"]["text"] == '{\n "text"'
    assert (tally.records, tally.failed) == (1, 2)
    assert tally.tokens > lines[0]["tokens"]


def test_unreadable_documents_are_lines_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.jsonl").write_bytes(b'{"x": "one"}\n{"x": "\xff"}\n{"x": ""}\n{"x": "two"}\n')
    reading = Reading(field="x")
    tallies = []
    lines, _ = lines_of(FakeExtractor(), read(find(["a.jsonl", "b.txt"], reading), reading), on_batch=tallies.append)
    assert [line.get("record", {}).get("text") for line in lines] == ["one", None, None, "two", None]
    assert [line["error"]["type"] for line in lines if "error" in line] == ["DocumentError"] * 3
    assert [failure.source for failure in tallies[0].failures] == ["a.jsonl#2", "a.jsonl#3", "b.txt"]


def test_file_names_that_are_not_utf8_are_escaped():
    name = "caf\udce9.txt"
    lines, _ = lines_of(FakeExtractor(), iter([Document(source=name, text="x", digest=digest_of("x"))]))
    assert lines[0]["source"] == name


def test_a_dead_device_ends_the_job_and_keeps_what_was_written(tmp_path):
    texts = [f"text {number}" for number in range(10)] + ["CRASH"] + ["text"] * 90
    path = tmp_path / "out.jsonl"
    with RecordFile.create(path, {}) as file, pytest.raises(RuntimeError, match="device-side assert") as caught:
        run(documents(*texts), FakeExtractor(), CONSTRAINT, file, batch_size=5)
    assert f"the last {MOST_UNEXPECTED} documents failed alike" in caught.value.__notes__[0]
    written = [json.loads(line) for line in path.read_text().splitlines()]
    assert all("record" in line for line in written[:10])
    assert len(written) < 10 + MOST_UNEXPECTED


def test_a_single_strange_failure_does_not_end_the_job():
    texts = ["NAN", "fine"] * 3 * MOST_UNEXPECTED
    _, tally = lines_of(FakeExtractor(), texts, batch_size=7)
    assert tally.records == tally.failed == 3 * MOST_UNEXPECTED


def test_documents_that_leave_too_little_room_do_not_end_the_job():
    texts = ["TIGHT"] * 3 * MOST_UNEXPECTED + ["fine"]
    lines, tally = lines_of(FakeExtractor(), texts, options={"complete": True})
    assert (tally.records, tally.failed) == (1, 3 * MOST_UNEXPECTED)
    assert lines[-1]["record"]["text"] == "fine"


def test_too_little_room_for_any_record_ends_the_job_before_a_line_is_written():
    stream, model = io.BytesIO(), FakeExtractor()
    documents_that_fail = [Document(source="f", text="LONG", digest="")]
    with pytest.raises(BudgetError, match="it takes 24 tokens to complete the text, and there are 23"):
        run(
            documents_that_fail, model, CONSTRAINT, StandardOutput(stream), options={"max_tokens": 23, "complete": True}
        )
    assert stream.getvalue() == b""
    assert model.calls == []
    for options in ({"max_tokens": 23}, {"max_tokens": 24, "complete": True}, {"complete": True}):
        _, tally = lines_of(model, ["fine"], options=options)
        assert tally.records == 1


@pytest.mark.parametrize("error", [OptionError("unknown option 'max_token'"), UnspellableError("{}")])
def test_what_is_wrong_with_the_job_ends_it_before_a_line_is_written(error):
    class Wrong(FakeExtractor):
        def generate(self, *args, **options):
            raise error

    stream = io.BytesIO()
    with pytest.raises(type(error)):
        run(documents("a", "b"), Wrong(), CONSTRAINT, StandardOutput(stream))
    assert stream.getvalue() == b""
    with pytest.raises(OptionError, match="batch_size"):
        run(documents("a"), FakeExtractor(), CONSTRAINT, StandardOutput(stream), batch_size=0)


def test_known_documents_are_passed_over(tmp_path):
    path = tmp_path / "out.jsonl"
    texts = [f"text {number}" for number in range(20)]
    with RecordFile.create(path, {}) as file:
        run(documents(*texts[:7]), FakeExtractor(), CONSTRAINT, file)
    texts[3] = "changed"
    model = FakeExtractor()
    with RecordFile.resume(path, {}) as file:
        tally = run(documents(*texts), model, CONSTRAINT, file, batch_size=5)
    assert (tally.known, tally.records, tally.documents) == (6, 14, 20)
    assert model.calls == [5, 5, 4]
    written = [json.loads(line)["record"]["text"] for line in path.read_text().splitlines()]
    assert written == [*(f"text {number}" for number in range(7)), "changed", *texts[7:]]


def test_passing_over_many_known_documents_is_told(tmp_path):
    path = tmp_path / "out.jsonl"
    texts = [f"text {number}" for number in range(2500)]
    with RecordFile.create(path, {}) as file:
        run(documents(*texts), FakeExtractor(), CONSTRAINT, file, batch_size=500)
    tallies = []
    with RecordFile.resume(path, {}) as file:
        run(documents(*texts), FakeExtractor(), CONSTRAINT, file, on_batch=tallies.append)
    assert [tally.known for tally in tallies] == [1000, 2000, 2500]


def test_a_seed_draws_the_same_whatever_the_batches():
    texts = [f"text {number}" for number in range(9)]
    options = {"temperature": 1.0, "seed": 5}
    wanted, _ = lines_of(FakeExtractor(), texts, batch_size=9, options=options)
    found, _ = lines_of(FakeExtractor(), texts, batch_size=2, options=options)
    other, _ = lines_of(FakeExtractor(), texts, batch_size=2, options={**options, "seed": 6})
    assert found == wanted != other


SPACED = ['{"a":[1,2.50,1e400],"b" : "x, y: {}\\" ,z"}', " [ ] ", '"\\ud800"', "-0.0", '{"a\\\\":{"b":[{}]}}', "true"]


@pytest.mark.parametrize("text", SPACED)
def test_one_line_changes_only_spaces(text):
    compact = json.dumps(json.loads(text, parse_float=str), ensure_ascii=True, separators=(",", ":"))
    assert json.loads(one_line(text), parse_float=str) == json.loads(compact)
    assert one_line(json.dumps(json.loads(text, parse_float=str), indent=3)) == json.dumps(
        json.loads(text, parse_float=str)
    )
    assert "\n" not in one_line(text)


def test_strings_are_copied_from_each_document_on_request():
    class Copying(FakeExtractor):
        def _completion(self, text, constraint, options):
            assert constraint == CONSTRAINT.excerpts_of(text)
            return super()._completion(text, constraint, options)

    texts = ["Ann, Rome", "Bob", ""]
    for options in ({}, {"seed": 1, "temperature": 1.0}):
        lines, tally = lines_of(Copying(), texts, excerpts=True, options=options)
        assert [line["record"]["text"] for line in lines] == texts
        assert tally.failed == 0


def test_a_document_without_excerpts_that_are_long_enough_fails_alone():
    schema = {"type": "object", "properties": {"text": {"type": "string", "minLength": 5}}, "required": ["text"]}
    texts = ["short", "no", "longer text", *["x"] * MOST_UNEXPECTED]
    lines, tally = lines_of(FakeExtractor(), texts, constraint=json_schema(schema), excerpts=True)
    assert [line.get("error", {}).get("type") for line in lines[:3]] == [None, "UnsatisfiableError", None]
    assert tally.failed == 1 + MOST_UNEXPECTED
