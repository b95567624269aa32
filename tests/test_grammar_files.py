"""Compiled grammars on disk: the same masks as those compiled, whatever becomes of the files."""

from __future__ import annotations

import ast
import hashlib
import os
import random
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from grammars import random_grammar, random_lexed_grammar
from marks import slow
from vocabularies import random_vocabulary

import guidance_kit as gk
from guidance_kit.fsm.caches import caches
from guidance_kit.fsm.disk_cache import DiskCache
from guidance_kit.grammars import grammar as grammar_module
from guidance_kit.grammars import grammar_files as module
from guidance_kit.grammars.context_free import CompiledGrammar
from guidance_kit.grammars.context_free.stored_grammar import StoredGrammar
from guidance_kit.grammars.grammar_files import grammar_files, source_files

ROOT = Path(__file__).resolve().parent.parent

LARK = """
start: statement+
statement: NAME "=" sum ";" | "if" sum "{" statement* "}" | "print" "(" [sum ("," sum)~0..40] ")" ";"
sum: sum ("+" | "-") atom | atom
atom: NAME | NUMBER | STRING | "(" sum ")"
NAME: /[a-zé_][a-z0-9_]*/
NUMBER: /[0-9]+(\\.[0-9]+)?/
STRING: /"[^"]*"/
%ignore /[ \\n]+/
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch) -> Path:
    """An empty folder of files, which even the smallest grammars are written to, at once."""
    monkeypatch.setenv("GUIDANCE_KIT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(module, "_LEAST_BYTES", 0)
    monkeypatch.setattr(module, "_PAUSE", 0.0)
    caches.clear()
    return tmp_path / "cache" / "grammars"


def compiled(*args, **options) -> gk.Constraint:
    """Constraint of a grammar that no cache of the process has, once its file is written."""
    caches.clear()
    constraint = gk.grammar(*args, **options)
    grammar_files.wait()
    return constraint


def is_found(constraint: gk.Constraint) -> bool:
    return isinstance(constraint.language.compiled, StoredGrammar)


def masks(constraint: gk.Constraint, vocabulary: gk.Vocabulary, seed: int, texts: int = 3) -> list[np.ndarray]:
    """Masks along random texts of a constraint."""
    caches.clear()  # of equal constraints, which share indexes
    rng, found = random.Random(seed), []
    index = constraint.compile(vocabulary)
    for _ in range(texts):
        matcher = gk.Matcher(index)
        for _ in range(25):
            found.append(matcher.allowed().copy())
            bits = np.unpackbits(found[-1].view(np.uint8), bitorder="little")
            matcher.advance(rng.choice(np.flatnonzero(bits).tolist()))
            if matcher.is_over:
                break
    return found


def same(one: list[np.ndarray], other: list[np.ndarray]) -> bool:
    return len(one) == len(other) and all(map(np.array_equal, one, other))


@pytest.mark.parametrize("lexer", [*slow("dynamic_complete"), "dynamic", "longest"])
def test_masks_of_generated_grammars_are_those_of_compiled_ones(folder, lexer):
    rng = random.Random(7)
    vocabulary = random_vocabulary(7, alphabet=b'abc1./*"# -<>A')
    draw = random_lexed_grammar if lexer == "longest" else random_grammar
    found = 0
    for seed in range(30):
        text = draw(rng)
        try:
            one = compiled(text, lexer=lexer)
            expected = masks(one, vocabulary, seed)
        except gk.GuidanceKitError:
            continue
        other = compiled(text, lexer=lexer)
        assert not is_found(one)
        found += is_found(other)
        assert same(masks(other, vocabulary, seed), expected), text
        within = [masks(gk.sequence("<", part, ">"), vocabulary, seed) for part in (one, other)]
        assert same(*within), text
    assert found > 10


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (LARK, {"lexer": "longest"}),
        *slow((LARK, {"lexer": "dynamic_complete"})),
        (LARK, {"start": "sum"}),
        ('root ::= ("a" | [^b-é]){2,300} "ü"? root?', {"dialect": "gbnf"}),
        ("s ::= #x41 s? | [a-z]+", {"dialect": "ebnf"}),
        ("start: WORD (WS WORD)*\n%import common (WORD, WS)", {"lexer": "longest"}),
    ],
)
def test_masks_reports_and_captures_of_found_grammars(folder, text, options):
    vocabulary = random_vocabulary(3, alphabet=bytes(range(128)) + "éü".encode())
    one = compiled(text, **options)
    other = compiled(text, **options)
    assert (is_found(one), is_found(other)) == (False, True)
    assert one == other
    assert same(masks(other, vocabulary, 1, texts=10), masks(one, vocabulary, 1, texts=10))
    for name in ("rules", "terminals", "unused", "without_texts", "has_lexer", "collisions", "run_together"):
        assert getattr(other.report, name) == getattr(one.report, name)
    if "dialect" not in options and "start" not in options and text is LARK:
        assert other.captures("a=1+b;") == one.captures("a=1+b;")


def test_a_found_grammar_is_neither_read_nor_compiled(folder, monkeypatch):
    before = caches.statistics()["grammar files"]
    compiled(LARK, lexer="longest")
    monkeypatch.setattr(grammar_module, "_read", None)
    monkeypatch.setattr(grammar_module, "CompiledGrammar", None)
    constraint = compiled(LARK, lexer="longest")
    matcher = gk.Matcher(constraint.compile(gk.Vocabulary.from_bytes()))
    matcher.advance_bytes(b'if a { b = "x" + 1; }')
    assert matcher.is_complete
    after = caches.statistics()["grammar files"]
    assert (after.hits - (before.hits or 0), after.misses - (before.misses or 0)) == (1, 1)
    assert (after.entries, after.bytes) == (1, next(folder.iterdir()).stat().st_size)
    for others in ({"lexer": "dynamic"}, {"lexer": "longest", "start": "sum"}):
        with pytest.raises(TypeError):
            compiled(LARK, **others)
    with pytest.raises(TypeError):
        compiled(LARK + " ", lexer="longest")


def test_a_grammar_of_other_sources_is_not_found(folder, monkeypatch):
    compiled(LARK)
    assert is_found(compiled(LARK))
    monkeypatch.setattr(module, "_versions", lambda: ("another",))
    assert not is_found(compiled(LARK))
    assert is_found(compiled(LARK))
    assert len(list(folder.iterdir())) == 2


def test_sources_are_told_apart_by_every_file(tmp_path, monkeypatch):
    files = [tmp_path / name for name in "ab"]
    for file in files:
        file.write_text("1")
    monkeypatch.setattr(module, "source_files", lambda: files)
    first = module._versions.__wrapped__()
    assert module._versions.__wrapped__() == first
    for file in files:
        file.write_text("2")
        changed = module._versions.__wrapped__()
        assert changed != first
        first = changed


def test_all_that_a_grammar_is_compiled_by_is_among_the_sources():
    package = ROOT / "guidance_kit"
    sources = set(source_files())
    begun = [package / "grammars" / "context_free" / f"{name}.py" for name in ("stored_grammar", "gbnf", "ebnf")]
    todo, seen = [*begun, package / "grammars" / "lark.py"], set()
    while todo:
        path = todo.pop()
        if path in seen:
            continue
        seen.add(path)
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("guidance_kit.grammars"):
                place = ROOT.joinpath(*node.module.split("."))
                todo += [file for file in (place.with_suffix(".py"), place / "__init__.py") if file.exists()]
                todo += [file for name in node.names if (file := place / f"{name.name}.py").exists()]
    assert len(seen) > 30
    assert sorted(str(path) for path in seen - sources) == []


@pytest.mark.parametrize(
    "damage", ["half", "a bit", "another grammar", *slow("empty", "other bytes", "other arrays", "no JSON")]
)
def test_damaged_files_are_replaced(folder, damage):
    vocabulary = gk.Vocabulary.from_bytes()
    expected = masks(compiled(LARK, lexer="longest"), vocabulary, 5)
    (path,) = folder.iterdir()
    whole = path.read_bytes()
    body = whole[32:]
    line = body[: body.index(b"\n") + 1]
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 4
    foreign = {"other bytes": b"no line", "other arrays": line + b"\x00" * 7, "no JSON": b"{\n" + body[len(line) :]}
    named = path.stem.encode() + b"\n"
    contents = {name: hashlib.sha256(named + content).digest() + content for name, content in foreign.items()}
    contents |= {"empty": b"", "half": whole[: len(whole) // 2], "a bit": bytes(flipped)}
    if damage == "another grammar":
        compiled(LARK, lexer="dynamic")
        (other,) = {*folder.iterdir()} - {path}
        contents[damage] = other.read_bytes()
    path.write_bytes(contents[damage])
    assert grammar_files._files.load(path.stem) == foreign.get(damage)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = compiled(LARK, lexer="longest")
    assert not is_found(again)
    assert same(masks(again, vocabulary, 5), expected)
    assert path.read_bytes() == whole


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
@pytest.mark.parametrize("place", ["folder", "file"])
def test_what_others_can_write_is_not_read(folder, place):
    compiled(LARK)
    (file,) = folder.iterdir()
    (folder if place == "folder" else file).chmod(0o777)
    assert not is_found(compiled(LARK))


def test_no_folder_to_write_to(folder, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("not a folder")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for named in (str(tmp_path / "file"), ""):
            monkeypatch.setenv("GUIDANCE_KIT_CACHE_DIR", named)
            assert not is_found(compiled(LARK))
            assert not is_found(compiled(LARK))
            assert caches.statistics()["grammar files"].entries == 0
    assert not folder.exists()


def test_what_depends_on_more_than_the_text_is_not_kept(folder, tmp_path):
    (tmp_path / "words.lark").write_text("WORD: /[a-z]+/")
    (tmp_path / "g.lark").write_text("start: WORD\n%import .words.WORD")
    for _ in range(2):
        assert not is_found(compiled(tmp_path / "g.lark"))
        assert not is_found(compiled("start: WORD\n%import words.WORD", folders=[tmp_path]))
        assert not is_found(compiled("start: X\n%declare X", rules={"X": "a"}))
        assert not is_found(compiled('root ::= "a" <[5]>', dialect="gbnf"))
    assert not folder.exists()


def test_small_grammars_are_not_kept(folder, monkeypatch):
    monkeypatch.undo()
    monkeypatch.setenv("GUIDANCE_KIT_CACHE_DIR", str(folder.parent))
    compiled('start: "a"')
    assert not folder.exists()


@pytest.mark.slow
def test_processes_at_once_find_and_write_the_same_file(folder):
    program = (
        "import sys, guidance_kit as gk\n"
        "from guidance_kit.grammars import grammar_files as module\n"
        "module._LEAST_BYTES = 0\n"
        "print(type(gk.grammar(sys.argv[1], lexer='longest').language.compiled).__name__)\n"  # written at its end
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}

    def processes(count: int) -> list[str]:
        command = [sys.executable, "-c", program, LARK]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        started = [subprocess.Popen(command, env=environment, **pipes) for _ in range(count)]
        ended = [process.communicate(timeout=120) for process in started]
        assert [error for _, error in ended] == [""] * count
        return [output.strip() for output, _ in ended]

    processes(2)
    assert [path.suffix for path in folder.iterdir()] == [".grammars"]
    assert processes(2) == ["StoredGrammar"] * 2
    one, other = (
        compiled(LARK, lexer="longest"),
        CompiledGrammar(compiled(LARK, lexer="longest").language.reading.grammar),
    )
    assert is_found(one)
    assert one.language.compiled.to_bytes() == StoredGrammar.of(other).to_bytes()


def test_a_large_grammar_is_not_stored(monkeypatch):
    monkeypatch.setattr("guidance_kit.grammars.context_free.stored_grammar._MOST_EDGES", 10)
    monkeypatch.setenv("GUIDANCE_KIT_CACHE_DIR", "")
    assert StoredGrammar.of(CompiledGrammar(gk.grammar(LARK).language.reading.grammar)) is None


def test_the_files_used_least_recently_go_first(tmp_path, monkeypatch):
    monkeypatch.setenv("GUIDANCE_KIT_CACHE_DIR", str(tmp_path))
    files = DiskCache("things", most=3, most_bytes=400)

    def use(name: str, time: int) -> None:
        os.utime(tmp_path / "things" / f"{name}.things", (time, time))

    for time, name in enumerate("abc"):
        files.save(name, name.encode() * 10)
        use(name, time)
    use("a", 5)
    files.save("d", b"d" * 10)  # too many
    assert {name: files.load(name) for name in "abcd"} == {"a": b"a" * 10, "b": None, "c": b"c" * 10, "d": b"d" * 10}
    files.save("e", b"e" * 350)  # too large
    assert [name for name in "abcde" if files.load(name)] == ["e"]
    files.save("f", b"f" * 1000)  # alone
    assert [name for name in "ef" if files.load(name)] == ["f"]
    assert files.statistics().entries == 1
    assert files.statistics().evictions == 5
