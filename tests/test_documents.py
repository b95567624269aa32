"""Documents from files, folders and standard input; what is wrong with one of them stays with it."""

from __future__ import annotations

import codecs
import csv
import io
import os
import socket
import sys
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from guidance_kit.errors import DocumentError, OptionError
from guidance_kit.extraction.documents import Document, Reading, Unreadable, count, digest_of, find, read

PLAIN = Reading()
BODY = Reading(field="body")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder, **files: str | bytes):
    """Files whose names have "_" for "." and "__" for "/"."""
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def all_of(*inputs: str, reading: Reading = PLAIN, but=()):
    """What is read, as (source, text) or (source, error); `count` must agree."""
    sources = find(inputs, reading, but=but)
    found = list(read(sources, reading))
    assert count(sources, reading) == len(found)
    return [(one.source, one.text if isinstance(one, Document) else one.error) for one in found]


def texts(*inputs: str, **options):
    """What is read, with errors as their messages."""
    return [(source, str(text)) for source, text in all_of(*inputs, **options)]


def test_a_text_file_is_one_document(folder):
    write(folder, a_txt="\ufeffHello\r\nthere\n", b_md="# Title\n")
    assert texts("a.txt", "b.md") == [("a.txt", "Hello\nthere\n"), ("b.md", "# Title\n")]


def test_folders_are_read_in_the_order_of_paths_and_known_suffixes_only(folder):
    write(folder, in__z_txt="z", in__a__b_md="b", in__a_txt="a", in__c_png="x", in__A_TXT="A", in__out_txt="out")
    write(folder, **{"in__.hidden": "x", "in__.git__x_txt": "x"})
    assert [name for name, _ in texts("in", but=["in/out.txt"])] == ["in/A.TXT", "in/a/b.md", "in/a.txt", "in/z.txt"]


def test_a_file_given_twice_is_read_once(folder):
    write(folder, in__a_txt="a", in__b_txt="b")
    (folder / "link.txt").symlink_to("in/b.txt")
    assert [name for name, _ in texts("in/b.txt", "in", "./in/a.txt", "link.txt")] == ["in/b.txt", "in/a.txt"]


def test_an_unknown_suffix_is_text_if_it_is_named(folder):
    write(folder, notes_rst="Hello")
    assert texts("notes.rst") == [("notes.rst", "Hello")]


def test_lines_of_json(folder):
    write(
        folder,
        a_jsonl='\ufeff{"body": "one"}\r\n\n{"body": "two\\nlines", "x": 1}\n"three"\n{"x": 1}\n{"body": null}\n[1]\n'
        '{"body": "torn\n{"body": "\\ud800"}\n{"body": ""}\n{"body": "last"}',
    )
    found = texts("a.jsonl", reading=BODY)
    assert found[:3] == [("a.jsonl#1", "one"), ("a.jsonl#3", "two\nlines"), ("a.jsonl#4", "three")]
    assert found[3:6] == [
        ("a.jsonl#5", "a.jsonl#5: no field 'body'; there are 'x'"),
        ("a.jsonl#6", "a.jsonl#6: the field 'body' is null, not a text"),
        ("a.jsonl#7", "a.jsonl#7: the line is an array, not an object"),
    ]
    assert found[6][1].startswith("a.jsonl#8: the line is not JSON: Invalid control character at: line 1 column 15")
    assert found[7:] == [
        ("a.jsonl#9", "a.jsonl#9: the text has a lone surrogate at character 0"),
        ("a.jsonl#10", "a.jsonl#10: the document is empty"),
        ("a.jsonl#11", "last"),
    ]


def test_a_field_inside_an_object(folder):
    write(folder, a_jsonl='{"m": {"body": "deep"}}\n{"m.body": "flat", "m": {"body": "deep"}}\n{"m": "text"}\n')
    found = texts("a.jsonl", reading=Reading(field="m.body"))
    assert [text for _, text in found][:2] == ["deep", "flat"]
    assert "no field 'm.body'" in found[2][1]


def test_deep_nesting_spoils_only_its_line(folder):
    write(folder, a_jsonl="[" * 100_000 + '\n{"body": "fine"}\n')
    found = texts("a.jsonl", reading=BODY)
    assert "not JSON" in found[0][1]
    assert found[1] == ("a.jsonl#2", "fine")


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_records_of_csv(folder, delimiter):
    rows = ['"id"|body|"x"', '1|"He said ""a|b""\r\nand left"|y', "", "2|plain|z", "3", '4|"  "|z']
    write(folder, a_csv="\ufeff" + "\r\n".join(rows).replace("|", delimiter) + "\r\n")
    found = texts("a.csv", reading=BODY)
    assert found == [
        ("a.csv#1", f'He said "a{delimiter}b"\nand left'),
        ("a.csv#2", "plain"),
        ("a.csv#3", "a.csv#3: the record ends after cell 1; 'body' would be 2"),
        ("a.csv#4", "a.csv#4: the document is empty"),
    ]


def test_csv_without_the_column_says_what_there_is(folder):
    write(folder, a_csv="id;text\n1;x\n", b_csv="id,body\n1,x\n", c_csv="")
    found = texts("a.csv", "b.csv", "c.csv", reading=BODY)
    assert found == [
        ("a.csv", "a.csv: no column 'body'; there are 'id', 'text'"),
        ("b.csv#1", "x"),
        ("c.csv", "c.csv: no column 'body'; there are none"),
    ]


def test_a_csv_header_and_cells_over_several_lines_and_long_cells(folder):
    write(folder, a_csv='"a\nb",body\n1,"' + "x" * 300_000 + '"\n')
    assert texts("a.csv", reading=BODY) == [("a.csv#1", "x" * 300_000)]


def test_an_unclosed_quote_is_an_error_that_names_its_line_and_what_is_not_read(folder):
    write(folder, a_csv='id,body\n1,"two\nlines"\n2,plain\n3,"never closed\n4,lost\n5,lost\n')
    assert texts("a.csv", reading=BODY) == [
        ("a.csv#1", "two\nlines"),
        ("a.csv#2", "plain"),
        (
            "a.csv#3",
            "a.csv#3: the quote that opens cell 2 in line 5 is never closed; nothing in lines 5 to 7 is read; "
            "a quote inside a cell in quotes is written twice",
        ),
    ]


def test_a_quote_that_closes_within_another_record_joins_no_records(folder):
    write(folder, a_csv='id,body\n1,"never closed\n2,x\n3,"good"\n4,fine\n5,"a "word" b"\n6,5" wide\n')
    assert texts("a.csv", reading=BODY) == [
        (
            "a.csv#1",
            "a.csv#1: the quote that opens cell 2 in line 2 is closed before a text; nothing in lines 2 to 4 is read; "
            "a quote inside a cell in quotes is written twice",
        ),
        ("a.csv#2", "fine"),
        (
            "a.csv#3",
            "a.csv#3: the quote that opens cell 2 in line 6 is closed before a text; nothing in line 6 is read; "
            "a quote inside a cell in quotes is written twice",
        ),
        ("a.csv#4", '5" wide'),
    ]


def test_a_header_with_an_unclosed_quote_is_an_error_of_the_file(folder):
    write(folder, a_csv='id,"body\n1,x\n2,y\n', b_csv='id,5" body\n1,x\n')
    assert texts("a.csv", "b.csv", reading=Reading(field='5" body')) == [
        (
            "a.csv",
            "a.csv: the header: the quote that opens cell 2 in line 1 is never closed; "
            "nothing in lines 1 to 3 is read; a quote inside a cell in quotes is written twice",
        ),
        ("b.csv#1", "x"),
    ]


def test_a_record_with_other_cells_than_the_header_is_no_text_cut_short(folder):
    write(
        folder,
        a_csv="id,body,x\n1,Hello, world,y\n2,fine,y,,\n3,short\n4,the file ends he",
        b_csv="id,body,body\n1,a,b\n",
        c_csv="body\none\ntwo",
    )
    assert texts("a.csv", "b.csv", "c.csv", reading=BODY) == [
        (
            "a.csv#1",
            "a.csv#1: the record in line 2 has 4 cells, the header 3; a cell with ',' in it is written in quotes",
        ),
        ("a.csv#2", "fine"),
        ("a.csv#3", "short"),
        ("a.csv#4", "a.csv#4: the file ends within the record: after 2 of 3 cells, without a line end"),
        ("b.csv", "b.csv: the columns 2 and 3 are both named 'body'; rename one"),
        ("c.csv#1", "one"),
        ("c.csv#2", "two"),
    ]


CELLS = st.text(alphabet='ab"\n,; ü', max_size=6)
ROWS = st.lists(st.tuples(CELLS, CELLS, st.just("z")), min_size=1, max_size=6)


def as_csv(rows) -> str:
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows([("id", "body", "end"), *rows])
    return written.getvalue()


def read_as_csv(folder, content: str) -> list[Document | Unreadable]:
    (folder / "rows.csv").write_text(content, encoding="utf-8")
    return list(read(find(["rows.csv"], BODY), BODY))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ROWS)
def test_what_the_csv_module_writes_is_read_as_it_was(folder, rows):
    found = read_as_csv(folder, as_csv(rows))
    assert len(found) == len(rows)
    for one, (_, body, _) in zip(found, rows, strict=True):
        assert (one.text == body) if body.strip() else isinstance(one, Unreadable)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ROWS, st.integers(0, 200))
def test_a_csv_file_that_is_cut_off_gives_no_text_that_is_cut_short(folder, rows, place):
    whole = as_csv(rows)
    found = read_as_csv(folder, whole[: place % (len(whole) + 1)])
    for one, (_, body, _) in zip(found, rows, strict=False):
        assert isinstance(one, Unreadable) or one.text == body


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text("ab ", min_size=1, max_size=5), min_size=2, max_size=8), st.data())
def test_a_stray_quote_loses_no_record_without_an_error(folder, bodies, data):
    rows = [f"{number},{body},z" for number, body in enumerate(bodies)]
    stray = data.draw(st.integers(0, len(rows) - 1))
    rows[stray] = rows[stray].replace(",", ',"', 1)
    found = read_as_csv(folder, "id,body,end\n" + "".join(f"{row}\n" for row in rows))
    good = [one.text for one in found if isinstance(one, Document)]
    assert good == [body for body in bodies[:stray] if body.strip()]
    assert f"in line {stray + 2} is never closed" in str(found[-1].error)


def test_a_field_that_is_there_twice_is_an_error_of_its_line(folder):
    write(folder, a_jsonl='{"body": "a", "body": "b"}\n{"body": "fine", "x": {"y": 1, "y": 2}}\n{"body": "c"}\n')
    assert texts("a.jsonl", reading=BODY) == [
        ("a.jsonl#1", "a.jsonl#1: duplicate field 'body'"),
        ("a.jsonl#2", "a.jsonl#2: duplicate field 'y'"),
        ("a.jsonl#3", "c"),
    ]


def test_a_nul_is_in_no_text(folder):
    write(folder, a_txt="Hi\0", b_txt="Hello".encode("utf-16-le"), c_jsonl=b'{"body": "a\\u0000"}\n{"body": "b"}\0\n')
    found = texts("a.txt", "b.txt", "c.jsonl", reading=BODY)
    hint = "which no text has; perhaps --encoding utf-16-le"
    assert found[:3] == [
        ("a.txt", f"a.txt: character 2 is NUL, {hint}"),
        ("b.txt", f"b.txt: character 1 is NUL, {hint}"),
        ("c.jsonl#1", f"c.jsonl#1: character 1 is NUL, {hint}"),
    ]
    assert found[3][1].startswith("c.jsonl#2: the line is not JSON: Extra data")


MARKED = [
    (codecs.BOM_UTF8 + b"body\nx\n", "cp1252", "UTF-8"),
    (codecs.BOM_UTF8 + b"body\nx\n", "utf-16", "UTF-8"),
    ("body\nx\n".encode("utf-16"), "latin-1", "UTF-16"),
    ("body\nx\n".encode("utf-32"), "utf-8", "UTF-32"),
]


@pytest.mark.parametrize(("raw", "encoding", "marked"), MARKED)
def test_a_byte_order_mark_of_another_encoding_is_an_error_of_the_file(folder, raw, encoding, marked):
    write(folder, a_txt=raw, a_csv=raw, a_jsonl=raw)
    found = texts("a.txt", "a.csv", "a.jsonl", reading=Reading(field="body", encoding=encoding))
    said = f"it begins with the byte order mark of {marked}; read it with --encoding {marked.lower()}"
    assert found == [(name, f"{name}: {said}") for name in ("a.txt", "a.csv", "a.jsonl")]


def test_a_wrong_byte_is_named_by_its_place_in_the_file(folder):
    write(
        folder,
        a_txt="Grüße".encode("cp1252"),
        b_jsonl=b'{"body": "fine"}\n{"body": "' + b'\xe9"}\n{"body": "fine"}\n',
        c_csv=b"body,x\nfine,1\nna\xefve,2\nfine,3\n",
        d_txt="Hello".encode("utf-16"),
        e_txt=b"%PDF-1.7\n\xe2\xe3",
        f_txt="good",
    )
    found = texts(*(f"{name}" for name in ("a.txt", "b.jsonl", "c.csv", "d.txt", "e.txt", "f.txt")), reading=BODY)
    assert found == [
        ("a.txt", "a.txt: byte 2 (0xfc) is not utf-8; name its encoding with --encoding, perhaps cp1252"),
        ("b.jsonl#1", "fine"),
        ("b.jsonl#2", "b.jsonl#2: byte 27 (0xe9) is not utf-8; name its encoding with --encoding, perhaps cp1252"),
        ("b.jsonl#3", "fine"),
        ("c.csv#1", "fine"),
        ("c.csv#2", "c.csv#2: byte 16 (0xef) is not utf-8; name its encoding with --encoding, perhaps cp1252"),
        ("c.csv#3", "fine"),
        ("d.txt", "d.txt: it begins with the byte order mark of UTF-16; read it with --encoding utf-16"),
        ("e.txt", "e.txt: byte 9 (0xe2) is not utf-8; it looks like a PDF, office or compressed file, not a text"),
        ("f.txt", "good"),
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-16-le", "utf-32", "shift_jis"])
def test_every_encoding_reads_the_same(folder, encoding):
    write(
        folder,
        a_txt="one\r\ntwo".encode(encoding),
        b_jsonl='{"body": "one"}\r\n{"body": "a\u2028b"}\n'.encode(
            encoding if encoding[:3] == "utf" else "ascii", "replace"
        ),
        c_csv='x;body\n1;one\n2;"two\r\nlines"\n'.encode(encoding),
    )
    found = texts("a.txt", "b.jsonl", "c.csv", reading=Reading(field="body", encoding=encoding))
    assert found[:2] == [("a.txt", "one\ntwo"), ("b.jsonl#1", "one")]
    assert found[2][1] in ("a\u2028b", "a?b")
    assert found[3:] == [("c.csv#1", "one"), ("c.csv#2", "two\nlines")]


def test_a_file_that_is_not_utf16_is_one_error(folder):
    write(folder, a_jsonl=b"odd", b_csv=b"odd", c_txt=b"odd", d_txt="fine".encode("utf-16"))
    found = all_of("a.jsonl", "b.csv", "c.txt", "d.txt", reading=Reading(field="body", encoding="utf-16"))
    assert [source for source, _ in found] == ["a.jsonl", "b.csv", "c.txt", "d.txt"]
    assert [isinstance(text, DocumentError) for _, text in found] == [True, True, True, False]


def test_missing_files_are_errors_of_their_own(folder):
    write(folder, a_txt="a")
    assert texts("a.txt", "b.txt") == [("a.txt", "a"), ("b.txt", "b.txt: no such file or directory")]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the superuser may read everything")
def test_forbidden_files_and_folders_are_errors_of_their_own(folder):
    write(folder, in__a_txt="a", in__b_txt="b", in__sub__c_txt="c")
    (folder / "in/a.txt").chmod(0)
    (folder / "in/sub").chmod(0)
    found = texts("in")
    (folder / "in/sub").chmod(0o700)
    assert found == [
        ("in/a.txt", "in/a.txt: permission denied"),
        ("in/b.txt", "b"),
        ("in/sub", "in/sub: permission denied"),
    ]


def test_a_file_that_vanishes_is_an_error_of_its_own(folder):
    write(folder, a_txt="a", b_jsonl='{"body": "b"}')
    sources = find(["a.txt", "b.jsonl"], BODY)
    (folder / "a.txt").unlink()
    (folder / "b.jsonl").unlink()
    assert [type(one) for one in read(sources, BODY)] == [Unreadable, Unreadable]
    assert count(sources, BODY) == 2


def test_standard_input(folder, monkeypatch):
    def given(content: str):
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content.encode())))

    given("Hello\r\nthere")
    assert texts("-") == [("-", "Hello\nthere")]
    given('{"body": "one"}\n{"body": "two"}\n')
    reading = Reading(field="body", format="jsonl")
    sources = find(["-"], reading)
    assert count(sources, reading) is None
    assert [(one.source, one.text) for one in read(sources, reading) if isinstance(one, Document)] == [
        ("-#1", "one"),
        ("-#2", "two"),
    ]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_read_once(folder):
    import threading

    os.mkfifo(folder / "pipe")
    reading = Reading(field="body", format="jsonl")
    writer = threading.Thread(target=lambda: (folder / "pipe").write_text('{"body": "one"}\n'))
    writer.start()
    sources = find(["pipe"], reading)
    assert count(sources, reading) is None
    assert [one.source for one in read(sources, reading)] == ["pipe#1"]
    writer.join()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_what_is_no_regular_file_is_left_out_of_folders_and_said(folder):
    write(folder, in__a_txt="a", other__b_txt="b")
    os.mkfifo(folder / "in/pipe.txt")
    (folder / "in/linked.csv").symlink_to("pipe.txt")
    (folder / "in/zero.md").symlink_to("/dev/zero")
    (folder / "in/more").symlink_to("../other")
    (folder / "in/loop.txt").symlink_to("loop.txt")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("in/socket.txt")
        with pytest.warns(UserWarning, match="not read") as caught:
            found = texts("in", reading=BODY)
    assert found == [
        ("in/a.txt", "a"),
        ("in/loop.txt", "in/loop.txt: too many levels of symbolic links"),
    ]
    assert str(caught[0].message) == (
        "not read: in/linked.csv (named pipe), in/more (link to a folder), in/pipe.txt (named pipe), "
        "in/socket.txt (socket), in/zero.md (device); name them to read them"
    )


def test_devices_and_sockets_are_refused_and_pipes_are_read_where_they_are_named(folder):
    write(folder, a_txt="a")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket.txt")
        assert texts("a.txt", "/dev/zero", "socket.txt") == [
            ("a.txt", "a"),
            ("/dev/zero", "/dev/zero: it is a device, not a file"),
            ("socket.txt", "socket.txt: it is a socket, not a file"),
        ]
    reading_end, writing_end = os.pipe()
    os.write(writing_end, b"through a pipe")
    os.close(writing_end)
    assert texts(f"/dev/fd/{reading_end}") == [(f"/dev/fd/{reading_end}", "through a pipe")]
    os.close(reading_end)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_not_read_for_an_error(folder):
    os.mkfifo(folder / "pipe")
    with pytest.raises(OptionError, match="which field of pipe is the text"):
        find(["pipe"], Reading(format="jsonl"))


REFUSED = [
    ((), Reading(), "no documents in no input"),
    (("empty",), Reading(), "no documents in empty; files with these endings are read: .txt, .md, .jsonl"),
    (("x.txt", "y.txt"), Reading(), "x.txt: no such file or directory; y.txt: no such file or directory"),
    (("a.jsonl",), Reading(), "which field of a.jsonl is the text? Name it with --field: 'id', 'body'"),
    (("b.csv",), Reading(), "which field of b.csv is the text? Name it with --field: 'id', 'body'"),
    (("-",), Reading(format="jsonl"), "which field of - is the text? Name it with --field"),
]


@pytest.mark.parametrize(("inputs", "reading", "message"), REFUSED)
def test_nothing_to_read_is_refused_before_anything_is_done(folder, inputs, reading, message):
    write(folder, a_jsonl='{"id": 1, "body": "x"}\n', b_csv="id;body\n1;x\n", empty__c_png="")
    with pytest.raises(OptionError) as caught:
        find(inputs, reading)
    assert str(caught.value).startswith(message)


def test_options_of_reading():
    with pytest.raises(OptionError, match="unknown encoding 'utf9'; did you mean 'utf"):
        Reading(encoding="utf9")
    with pytest.raises(OptionError, match="unknown encoding 'base64'"):
        Reading(encoding="base64")
    with pytest.raises(OptionError, match="unknown format 'json'; did you mean 'jsonl'"):
        Reading(format="json")  # type: ignore[arg-type]


def test_a_document_that_changes_is_another_one(folder):
    write(folder, a_txt="one", b_txt=b"\xff")
    first = list(read(find(["a.txt", "b.txt"], Reading()), Reading()))
    write(folder, a_txt="two", b_txt=b"\xfe")
    second = list(read(find(["a.txt", "b.txt"], Reading()), Reading()))
    assert [one.source for one in first] == [one.source for one in second]
    assert len({one.digest for one in first + second}) == 4
    assert first[0].digest == digest_of("one")
