"""Documents in Parquet: columns, nested fields, rows, and what is wrong with a file, a row group or a row."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from command_line import lines, run

from guidance_kit.errors import OptionError
from guidance_kit.extraction.documents import Document, Reading, count, find, read
from tests.fake_extractor import SCHEMA

BODY = Reading(field="body")


@pytest.fixture
def parquet(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return pytest.importorskip("pyarrow.parquet")


def write(parquet, name: str, columns: dict, **options) -> None:
    import pyarrow  # pyright: ignore[reportMissingImports]

    parquet.write_table(pyarrow.table(columns), name, **options)


def found(*inputs: str, reading: Reading = BODY) -> list[tuple[str, str]]:
    """Documents read, with errors as their messages; `count` must agree."""
    sources = find(inputs, reading)
    documents = list(read(sources, reading))
    assert count(sources, reading) == len(documents)
    return [(one.source, one.text if isinstance(one, Document) else str(one.error)) for one in documents]


def test_a_column_has_a_document_in_each_row(parquet):
    write(parquet, "mails.parquet", {"n": [1, 2, 3], "body": ["One\r\nmore", "Zwei ü", "drei"]}, row_group_size=2)
    assert found("mails.parquet") == [
        ("mails.parquet#1", "One\nmore"), ("mails.parquet#2", "Zwei ü"), ("mails.parquet#3", "drei"),
    ]  # fmt: skip


def test_folders_have_files_in_parquet_too(parquet):
    Path("in/mails.parquet").mkdir(parents=True)  # as Spark and Ray write them
    write(parquet, "in/mails.parquet/part-1.parquet", {"body": ["b"]})
    write(parquet, "in/mails.parquet/part-0.snappy.parquet", {"body": ["a"]})
    Path("in/mails.parquet/_SUCCESS").touch()
    assert [text for _, text in found("in")] == ["a", "b"]


@pytest.mark.parametrize("kind", ["string", "large_string", "dictionary", "binary", "string_view"])
def test_kinds_of_texts(parquet, kind):
    import pyarrow  # pyright: ignore[reportMissingImports]

    texts = ["ä", "b"]
    arrays = {
        "dictionary": lambda: pyarrow.array(texts).dictionary_encode(),
        "binary": lambda: pyarrow.array([text.encode() for text in texts]),
    }
    made = arrays[kind]() if kind in arrays else pyarrow.array(texts, getattr(pyarrow, kind)())
    write(parquet, "a.parquet", {"body": made})
    assert [text for _, text in found("a.parquet")] == texts


def test_bytes_are_decoded_as_the_encoding_says(parquet):
    write(parquet, "a.parquet", {"body": ["ä".encode("cp1252"), b"b"]})
    assert [text for _, text in found("a.parquet", reading=Reading(field="body", encoding="cp1252"))] == ["ä", "b"]
    assert found("a.parquet")[0][1].startswith("a.parquet#1: byte 0 (0xe4) is not utf-8")
    assert found("a.parquet")[1] == ("a.parquet#2", "b")


def test_fields_of_structs_are_named_with_dots(parquet):
    rows = [{"body": {"text": "a"}}, {"body": None}, {"body": {"text": None}}]
    write(parquet, "a.parquet", {"message": rows, "message.subject": ["x", "y", "z"]})
    reading = Reading(field="message.body.text")
    null = "the column 'message.body.text' is null, not a text"
    assert found("a.parquet", reading=reading) == [
        ("a.parquet#1", "a"), ("a.parquet#2", f"a.parquet#2: {null}"), ("a.parquet#3", f"a.parquet#3: {null}"),
    ]  # fmt: skip
    assert [text for _, text in found("a.parquet", reading=Reading(field="message.subject"))] == ["x", "y", "z"]


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("absent", "no column 'absent'; there are 'n', 'body', 'deep', 'many'"),
        ("n", "the column 'n' has values of the type int64, not texts"),
        ("deep.x", "the column 'deep.x' has values of the type int64, not texts"),
        ("deep.y", "no column 'deep.y': 'deep' is a column of struct<x: int64>"),
        ("many", "the column 'many' has values of the type list<"),
        ("body.x", "no column 'body.x': 'body' is a column of string"),
    ],
)
def test_columns_without_texts(parquet, field, said):
    write(parquet, "a.parquet", {"n": [1], "body": ["a"], "deep": [{"x": 1}], "many": [["a"]]})
    [(source, message)] = found("a.parquet", reading=Reading(field=field))
    assert source == "a.parquet"
    assert message.startswith(f"a.parquet: {said}")


def test_two_columns_of_one_name(parquet):
    import pyarrow  # pyright: ignore[reportMissingImports]

    table = pyarrow.Table.from_arrays([pyarrow.array(["a"]), pyarrow.array(["b"])], names=["body", "body"])
    parquet.write_table(table, "a.parquet")
    assert "2 columns are named 'body'; rename all but one" in found("a.parquet")[0][1]


def test_rows_without_texts(parquet):
    write(parquet, "a.parquet", {"body": ["a", None, "", "b\0"]})
    assert [text.partition(": ")[2] or text for _, text in found("a.parquet")] == [
        "a", "the column 'body' is null, not a text", "the document is empty",
        "character 1 is NUL, which no text has; perhaps --encoding utf-16-le",
    ]  # fmt: skip


@pytest.mark.parametrize("content", [b"", b"PAR1", b"no such thing " * 9, b"PAR1" + b"\0" * 99 + b"PAR1"])
def test_files_that_are_no_parquet(parquet, content):
    Path("a.parquet").write_bytes(content)
    write(parquet, "b.parquet", {"body": ["b"]})
    first, second = found("a.parquet", "b.parquet")
    assert first[1].startswith("a.parquet: not a Parquet file, or a damaged one: ")
    assert second == ("b.parquet#1", "b")


def test_a_damaged_row_group_costs_its_own_rows(parquet):
    texts = [f"text {number:02}" * 20 for number in range(9)]
    options = {"row_group_size": 3, "compression": "gzip", "use_dictionary": False, "write_statistics": False}
    write(parquet, "a.parquet", {"body": texts}, **options)
    column = parquet.ParquetFile("a.parquet").metadata.row_group(1).column(0)
    content = bytearray(Path("a.parquet").read_bytes())
    end = column.data_page_offset + column.total_compressed_size
    content[end - 12 : end] = b"\xff" * 12
    Path("a.parquet").write_bytes(content)
    rows = found("a.parquet")
    assert [text for _, text in rows[:3] + rows[4:]] == texts[:3] + texts[6:]
    assert rows[3][0] == "a.parquet#4"
    assert rows[3][1].startswith("a.parquet#4: rows 4 to 6 cannot be read: ")
    assert rows[4][0] == "a.parquet#7"


def test_standard_input_is_read_whole(parquet, monkeypatch):
    write(parquet, "a.parquet", {"body": ["a", "b"]})
    stream = SimpleNamespace(buffer=io.BytesIO(Path("a.parquet").read_bytes()))
    monkeypatch.setattr(sys, "stdin", stream)
    reading = Reading(field="body", format="parquet")
    sources = find(["-"], reading)
    assert count(sources, reading) is None
    assert [(one.source, one.text) for one in read(sources, reading)] == [("-#1", "a"), ("-#2", "b")]


def test_a_field_must_be_named_and_pyarrow_be_there(parquet, monkeypatch):
    write(parquet, "a.parquet", {"n": [1], "body": ["a"]})
    with pytest.raises(OptionError, match="Name it with --field: 'n', 'body'"):
        find(["a.parquet"], Reading())
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(OptionError, match=r"files in \.parquet need pyarrow: pip install 'guidance-kit\[parquet\]'"):
        find(["a.parquet"], BODY)


def test_the_command_reads_and_writes_parquet_and_resumes(parquet, fake_model):
    write(parquet, "mails.parquet", {"body": ["a", None, "c", "d"]}, row_group_size=2)
    Path("s.json").write_text(json.dumps(SCHEMA))
    arguments = ["extract", "-s", "s.json", "mails.parquet", "--field", "body", "-b", "1"]
    result = run(*arguments, "-o", "all.parquet")
    assert result.exit_code == 1, result.stderr
    rows = parquet.read_table("all.parquet").to_pylist()
    assert [row["source"] for row in rows] == [f"mails.parquet#{number}" for number in range(1, 5)]
    assert [row["text"] for row in rows] == ["a", None, "c", "d"]
    assert rows[1]["error"] == "DocumentError: mails.parquet#2: the column 'body' is null, not a text"
    whole = Path("all.parquet.jsonl").read_text()
    assert run(*arguments, "-o", "part.jsonl").exit_code == 1
    assert Path("part.jsonl").read_text() == whole
    Path("part.jsonl").write_text("".join(whole.splitlines(keepends=True)[:2]))
    assert run(*arguments, "-o", "part.jsonl", "--resume").exit_code == 0
    assert [line["source"] for line in lines(Path("part.jsonl"))] == [row["source"] for row in rows]
