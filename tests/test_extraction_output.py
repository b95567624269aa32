"""The file of records: what is written stays, what a crash tore is cut off, what does not fit is refused."""

from __future__ import annotations

import errno
import io
import json
import multiprocessing
import os

import pytest

from guidance_kit.errors import OptionError
from guidance_kit.extraction.output import PartialBatchError, RecordFile, StandardOutput, settings_path

SETTINGS = {"model": None, "schema": {"type": "object", "properties": {"a": {}, "b": {}}}, "max_tokens": 5}


def line(number: int, text: str = "x") -> str:
    return json.dumps({"source": f"f#{number}", "digest": f"{number:04x}", "record": text}, ensure_ascii=False)


def test_lines_are_appended_and_known_to_the_next_run(tmp_path):
    path = tmp_path / "out.jsonl"
    with RecordFile.create(path, SETTINGS) as file:
        file.append([line(1), line(2, "Grüße\u2028")])
        assert not file.has("f#1", "0001")  # of this run; documents of one run are distinct
    with RecordFile.resume(path, SETTINGS) as file:
        assert (file.lines, file.torn) == (2, 0)
        assert file.has("f#1", "0001")
        assert file.has("f#2", "0002")
        assert not file.has("f#2", "0001")
        file.append([line(3)])
    assert path.read_text(encoding="utf-8") == f"{line(1)}\n{line(2, 'Grüße' + chr(0x2028))}\n{line(3)}\n"


def test_an_existing_file_is_never_overwritten(tmp_path):
    path = tmp_path / "out.jsonl"
    path.write_text("precious")
    with pytest.raises(OptionError, match=r"out.jsonl exists; resume it"):
        RecordFile.create(path, SETTINGS)
    assert path.read_text() == "precious"
    assert not settings_path(path).exists()


def test_resuming_nothing_begins(tmp_path):
    with RecordFile.resume(tmp_path / "out.jsonl", SETTINGS) as file:
        assert file.lines == 0
    with RecordFile.resume(tmp_path / "out.jsonl", SETTINGS):
        pass
    (tmp_path / "empty.jsonl").touch()  # a crash right after it was created
    with RecordFile.resume(tmp_path / "empty.jsonl", SETTINGS):
        pass
    assert json.loads(settings_path(tmp_path / "empty.jsonl").read_text())["settings"] == SETTINGS


def test_whatever_a_crash_leaves_of_a_batch_is_cut_off(tmp_path):
    path = tmp_path / "out.jsonl"
    with RecordFile.create(path, SETTINGS) as file:
        file.append([line(1), line(2)])
    safe = path.read_bytes()
    batch = f"{line(3)}\n{line(4, 'ü' * 9)}\n".encode()
    for cut in range(len(batch) + 1):
        path.write_bytes(safe + batch[:cut])
        whole = batch[:cut].rfind(b"\n") + 1
        with RecordFile.resume(path, SETTINGS) as file:
            assert file.torn == cut - whole
            assert file.lines == 2 + batch[:cut].count(b"\n")
        assert path.read_bytes() == safe + batch[:whole]


def full_after(monkeypatch, room: int) -> None:
    """Let the disk take so many bytes more, seven at a time."""
    left = room
    write = os.write

    def limited(descriptor, content):
        nonlocal left
        taken = min(left, len(content), 7)
        if taken == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        left -= taken
        return write(descriptor, content[:taken])

    monkeypatch.setattr(os, "write", limited)


def test_a_full_disk_leaves_whole_lines_and_counts_them(tmp_path, monkeypatch):
    batch = [line(3), line(4, "ü" * 9), line(5)]
    size = len("".join(f"{one}\n" for one in batch).encode())
    for room in range(size):
        path = tmp_path / f"{room}.jsonl"
        with RecordFile.create(path, SETTINGS) as file:
            file.append([line(1), line(2)])
            before = path.stat().st_size
            with monkeypatch.context() as patch:
                full_after(patch, room)
                with pytest.raises(PartialBatchError) as caught:
                    file.append(batch)
            assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, str(path))
            assert path.read_text().splitlines() == [line(1), line(2), *batch[: caught.value.lines]]
            assert path.stat().st_size <= before + room
            room_for_next = len(f"{batch[caught.value.lines]}\n".encode())
            assert before + room < path.stat().st_size + room_for_next
        with RecordFile.resume(path, SETTINGS) as file:
            assert (file.lines, file.torn) == (2 + caught.value.lines, 0)


def test_lines_that_do_not_reach_the_disk_are_not_counted(tmp_path, monkeypatch):
    path = tmp_path / "out.jsonl"

    def fail(descriptor):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with RecordFile.create(path, SETTINGS) as file:
        file.append([line(1)])
        monkeypatch.setattr(os, "fsync", fail)
        with pytest.raises(PartialBatchError) as caught:
            file.append([line(2), line(3)])
    assert caught.value.lines == 0
    assert path.read_text() == f"{line(1)}\n"


def test_a_disk_too_full_to_begin_leaves_nothing(tmp_path, monkeypatch):
    def fail(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match=r"out.jsonl.job.json"):
        RecordFile.create(tmp_path / "out.jsonl", SETTINGS)
    assert list(tmp_path.iterdir()) == []


def test_blocks_that_never_reached_the_disk_are_cut_off(tmp_path):
    path = tmp_path / "out.jsonl"
    with RecordFile.create(path, SETTINGS) as file:
        file.append([line(1)])
    safe = path.read_bytes()
    path.write_bytes(safe + bytes(30) + f"7}}\n{line(9)}\n".encode())
    with RecordFile.resume(path, SETTINGS) as file:
        assert file.lines == 1
    assert path.read_bytes() == safe


@pytest.mark.parametrize("strange", ["hello", "[1]", '{"source": "a"}', '{"source": [], "digest": "x"}', ""])
def test_a_file_of_something_else_is_refused_and_kept(tmp_path, strange):
    path = tmp_path / "out.jsonl"
    with RecordFile.create(path, SETTINGS) as file:
        file.append([line(1)])
    content = path.read_text() + f"{strange}\n{line(2)}\n"
    path.write_text(content)
    with pytest.raises(OptionError, match="line 2 is not a record"):
        RecordFile.resume(path, SETTINGS)
    assert path.read_text() == content


CHANGES = [
    ({"max_tokens": 6}, "max_tokens was 5, now 6"),
    ({"model": "other", "seed": 1}, 'model was null, now "other"; seed was null, now 1'),
    ({"schema": {"type": "object", "properties": {"b": {}, "a": {}}}}, "another schema"),
]


@pytest.mark.parametrize(("change", "message"), CHANGES)
def test_other_settings_are_refused_by_name(tmp_path, change, message):
    path = tmp_path / "out.jsonl"
    with RecordFile.create(path, SETTINGS) as file:
        file.append([line(1)])
    with pytest.raises(OptionError) as caught:
        RecordFile.resume(path, {**SETTINGS, **change})
    assert f"was made with other settings: {message}. Choose another output" in str(caught.value)
    with RecordFile.resume(path, SETTINGS):
        pass


@pytest.mark.parametrize("content", [None, "", "{}", '{"version": 1, "settings": 3}', '{"version": 2, "settings": {}}'])
def test_lost_settings_are_refused(tmp_path, content):
    path = tmp_path / "out.jsonl"
    with RecordFile.create(path, SETTINGS) as file:
        file.append([line(1)])
    settings_path(path).unlink()
    if content is not None:
        settings_path(path).write_text(content)
    with pytest.raises(OptionError, match="cannot be resumed"):
        RecordFile.resume(path, SETTINGS)


def test_a_place_that_cannot_be_written_is_refused(tmp_path):
    for path in (tmp_path / "no" / "folder.jsonl", tmp_path):
        for begin in (RecordFile.create, RecordFile.resume):
            with pytest.raises(OptionError, match=r"cannot be written|exists"):
                begin(path, SETTINGS)


def _resume_elsewhere(path, answers):
    try:
        RecordFile.resume(path, SETTINGS).close()
        answers.put("resumed")
    except OptionError as error:
        answers.put(str(error))


def test_two_processes_do_not_write_the_same_file(tmp_path):
    pytest.importorskip("fcntl")
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    path = tmp_path / "out.jsonl"

    def ask() -> str:
        child = context.Process(target=_resume_elsewhere, args=(path, answers))
        child.start()
        answer = answers.get(timeout=60)
        child.join()
        return answer

    with RecordFile.create(path, SETTINGS):
        assert ask() == f"another process is writing {path}"
    assert ask() == "resumed"


def test_standard_output_takes_lines_and_knows_nothing():
    stream = io.BytesIO()
    output = StandardOutput(stream)
    output.append([line(1), line(2, "ü")])
    assert not output.has("f#1", "0001")
    assert stream.getvalue().decode() == f"{line(1)}\n{line(2, 'ü')}\n"
