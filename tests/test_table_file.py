"""Tables of records: rows of CSV and Parquet, made of a file of records that survives a crash."""

from __future__ import annotations

import csv
import errno
import json
import os
import sys

import pytest
from command_line import run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from guidance_kit.errors import OptionError
from guidance_kit.extraction.table_columns import Columns, columns_in
from guidance_kit.extraction.table_file import TableFile, kind_of, records_path
from tests.fake_extractor import SCHEMA

COLUMNS = Columns(fields=("a", "b"), others=("finish_reason", "tokens"))
SETTINGS = {"model": None}


def line(number: int, record) -> str:
    return json.dumps(
        {"source": f"f#{number}", "digest": "00", "record": record, "finish_reason": "complete", "tokens": 7},
        ensure_ascii=False,
    )


def failed(number: int, message: str) -> str:
    return json.dumps({"source": f"f#{number}", "digest": "", "error": {"type": "DocumentError", "message": message}})


def table(path, *lines: str, columns: Columns = COLUMNS):
    """The rows of a table made of these lines, the header first."""
    with TableFile.create(path, SETTINGS, columns) as file:
        file.append(lines)
    with open(path, encoding="utf-8", newline="") as made:
        return list(csv.reader(made, delimiter="\t" if path.suffix == ".tsv" else ",", strict=True))


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".CSV"])
def test_a_row_a_document_with_a_column_a_field(tmp_path, suffix):
    written = (
        '{"source": "f#2", "digest": "00", "record": {"a": 1.10, "b": [1e2, {"x": "\\n"}], "c": true}, "tokens": 3}'
    )
    found = table(
        tmp_path / f"out{suffix}", line(1, {"b": None, "a": 'He said "no",\t\nand left'}), written, failed(3, "empty")
    )
    assert found == [
        ["source", "digest", "a", "b", "c", "finish_reason", "tokens", "error"],
        ["f#1", "00", 'He said "no",\t\nand left', "", "", "complete", "7", ""],
        ["f#2", "00", "1.10", '[1e2, {"x": "\\n"}]', "true", "", "3", ""],
        ["f#3", "", "", "", "", "", "", "DocumentError: empty"],
    ]


def test_fields_with_names_of_other_columns_have_columns_of_their_own(tmp_path):
    record = {"source": "x", "error": "y", "record.source": "z", "tokens": 1}
    header, row = table(tmp_path / "out.csv", line(1, record), columns=Columns(others=("tokens",)))
    assert header == [
        "source", "digest", "record.source", "record.error", "record.record.source", "record.tokens", "tokens", "error",
    ]  # fmt: skip
    assert row == ["f#1", "00", "x", "y", "z", "1", "7", ""]


def test_records_that_are_no_objects_are_one_column(tmp_path):
    found = table(tmp_path / "out.csv", line(1, [1, "a"]), line(2, "b"), columns=Columns())
    assert found == [
        ["source", "digest", "record", "error"],
        ["f#1", "00", '[1, "a"]', ""],
        ["f#2", "00", "b", ""],
    ]


def test_the_declared_columns_are_there_without_any_record(tmp_path):
    assert table(tmp_path / "out.csv") == [["source", "digest", "a", "b", "finish_reason", "tokens", "error"]]


SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
)


@settings(max_examples=settings.default.max_examples // 4, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.dictionaries(st.sampled_from(["a", "b", "source", "é"]), VALUES), min_size=1, max_size=5))
def test_no_value_is_lost_in_a_table(tmp_path, records):
    path = tmp_path / "out.csv"
    path.unlink(missing_ok=True)
    records_path(path).unlink(missing_ok=True)
    header, *rows = table(path, *(line(number, record) for number, record in enumerate(records)))
    for row, record in zip(rows, records, strict=True):
        cells = dict(zip(header, row, strict=True))
        for name, value in record.items():
            cell = cells["record.source" if name == "source" else name]
            if isinstance(value, str):
                assert cell == value
            elif value is None:
                assert cell == ""
            else:
                assert json.loads(cell) == value


def test_a_table_is_resumed_from_its_records(tmp_path):
    path = tmp_path / "out.csv"
    with pytest.raises(KeyboardInterrupt), TableFile.create(path, SETTINGS, COLUMNS) as file:
        file.append([line(1, {"a": 1})])
        raise KeyboardInterrupt
    assert not path.exists()
    for number in (2, 3):
        with TableFile.resume(path, SETTINGS, COLUMNS) as file:
            assert file.has(f"f#{number - 1}", "00")
            file.append([line(number, {"a": number})])
        with open(path, encoding="utf-8") as made:
            assert [row["a"] for row in csv.DictReader(made)] == [str(n) for n in range(1, number + 1)]
    with pytest.raises(OptionError, match="was made with other settings"):
        TableFile.resume(path, {"model": "other"}, COLUMNS)


def test_a_table_without_its_records_is_not_resumed(tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("precious")
    with pytest.raises(OptionError, match=r"its records \(out.csv.jsonl\) are missing"):
        TableFile.resume(path, SETTINGS, COLUMNS)
    with pytest.raises(OptionError, match=r"out.csv exists"):
        TableFile.create(path, SETTINGS, COLUMNS)
    assert path.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [path]


def test_a_disk_too_full_for_the_table_leaves_the_records_and_the_table_before(tmp_path, monkeypatch):
    path = tmp_path / "out.csv"
    table(path, line(1, {"a": 1}))
    before = path.read_bytes()

    def full(*paths):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with (
        monkeypatch.context() as patch,
        pytest.raises(OSError, match=r"out\.csv'$"),
        TableFile.resume(path, SETTINGS, COLUMNS) as file,
    ):
        file.append([line(2, {"a": 2})])
        patch.setattr(os, "replace", full)
    assert path.read_bytes() == before
    assert sorted(one.name for one in tmp_path.iterdir()) == ["out.csv", "out.csv.jsonl", "out.csv.jsonl.job.json"]
    with TableFile.resume(path, SETTINGS, COLUMNS) as file:
        assert file.has("f#2", "00")
    assert path.read_text().count("\n") == 3


@pytest.mark.parametrize("name", ["out.xlsx", "out.txt", "out.json", "a/b.sqlite"])
def test_other_endings_are_refused_with_those_that_there_are(name):
    with pytest.raises(
        OptionError, match=r"cannot be written; .jsonl \(a JSON line a document\), .csv, .tsv and .parq"
    ):
        kind_of(name)


def test_extract_and_classify_write_tables(inbox, fake_model):
    (inbox / "s.json").write_text(json.dumps(SCHEMA))
    (inbox / "messages" / "empty.txt").touch()
    arguments = ["extract", "-s", "s.json", "messages", "-o", "messages/out.csv", "-b", "2"]
    result = run(*arguments)
    assert result.exit_code == 1, result.stderr
    with open("messages/out.csv", encoding="utf-8") as made:
        rows = list(csv.DictReader(made))
    assert list(rows[0]) == ["source", "digest", "text", "length", "finish_reason", "tokens", "error"]
    assert [row["text"] for row in rows] == ["Please send "] * 5 + [""]
    assert rows[5]["error"] == "DocumentError: messages/empty.txt: the document is empty"
    again = run(*arguments, "--resume", "--field", "text")
    assert again.exit_code == 2  # a setting that the records depend on
    again = run(*arguments, "--resume")
    assert "0 records, 6 done before" in again.stderr
    assert run(*arguments).exit_code == 2


def test_tables_and_their_records_are_no_documents(inbox, fake_model):
    (inbox / "s.json").write_text(json.dumps(SCHEMA))
    arguments = ["extract", "-s", "s.json", ".", "--field", "text", "-o", "out.csv"]
    assert run(*arguments).exit_code == 0
    again = run(*arguments, "--resume")
    assert again.exit_code == 0, again.stderr
    assert "0 records, 5 done before" in again.stderr


def test_parquet_without_pyarrow_is_refused_before_anything(inbox, fake_model, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    result = run("extract", "-s", "ticket.json", "messages", "-o", "out.parquet")
    assert result.exit_code == 2
    assert "files in .parquet need pyarrow: pip install 'guidance-kit[parquet]'" in result.stderr
    assert not list(inbox.glob("out*"))


def test_parquet_has_the_types_of_the_values(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "out.parquet"
    records = [
        {"i": 1, "f": 1, "big": 2**70, "s": "a", "b": True, "mixed": 1, "nested": [1, {"x": 2}], "none": None},
        {"i": -(2**60), "f": 0.5, "big": 1, "s": "ü", "b": None, "mixed": "x", "nested": [], "none": None},
    ]
    with TableFile.create(path, SETTINGS, Columns(others=("tokens",))) as file:
        file.append([*(line(number, record) for number, record in enumerate(records)), failed(3, "empty")])
    read = parquet.read_table(path)
    assert {field.name: str(field.type) for field in read.schema} == {
        "source": "string", "digest": "string", "i": "int64", "f": "double", "big": "string", "s": "string",
        "b": "bool", "mixed": "string", "nested": "string", "none": "string", "tokens": "int64", "error": "string",
    }  # fmt: skip
    rows = read.to_pylist()
    assert [row["i"] for row in rows] == [1, -(2**60), None]
    assert [row["f"] for row in rows] == [1.0, 0.5, None]
    assert [row["big"] for row in rows] == [str(2**70), "1", None]
    assert [row["mixed"] for row in rows] == ["1", '"x"', None]
    assert [row["nested"] for row in rows] == ['[1, {"x": 2}]', "[]", None]
    assert [row["b"] for row in rows] == [True, None, None]
    assert rows[2]["error"] == "DocumentError: empty"


def test_columns_are_those_declared_and_those_found(tmp_path):
    file = tmp_path / "out.jsonl"
    file.write_text(f"{line(1, {'z': 1, 'b': 2})}\n{line(2, {'y': 1})}\n")
    assert columns_in(file, COLUMNS).fields == ("a", "b", "z", "y")
