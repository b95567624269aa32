"""Grammars that are made once for a process, and those that must be read anew."""

from __future__ import annotations

import pytest
from vocabularies import texts_of

import guidance_kit as gk
from guidance_kit.errors import GrammarError
from guidance_kit.grammars import lark
from guidance_kit.grammars.grammar import LEXERS

LANGUAGE = """start: (statement ";")*
statement: NAME "=" sum | "print" sum
sum: (sum "+")? item
item: NAME | INT | "(" sum ")"
NAME: /[a-z]+/
INT: /[0-9]+/
%ignore " "
"""


@pytest.mark.parametrize("lexer", LEXERS)
def test_a_text_is_read_once(monkeypatch, lexer):
    loaded = []
    read = lark.read_plain
    monkeypatch.setattr(lark, "read_plain", lambda *args: loaded.append(args) or read(*args))
    source = f"{LANGUAGE}// {lexer}"
    first = gk.grammar(source, lexer=lexer)
    assert gk.grammar(source, lexer=lexer) is first
    assert len(loaded) == 1
    assert gk.grammar(source, lexer=lexer, start="sum") != first
    assert gk.grammar(source + "\n", lexer=lexer) != first
    assert len(loaded) == 3


def test_errors_are_raised_again():
    for _ in range(2):
        with pytest.raises(GrammarError, match="'b' is used but not defined"):
            gk.grammar("start: b")


def test_imported_files_may_change(tmp_path):
    main, part = tmp_path / "main.lark", tmp_path / "part.lark"
    main.write_text("start: A\n%import .part (A)")
    shared = "start: A\n%import part (A)"
    for word in ("ab", "cd"):
        part.write_text(f'A: "{word}"')
        for constraint in (gk.grammar(main), gk.grammar(shared, folders=[tmp_path])):
            assert texts_of(constraint, ["ab", "cd"]) == {word}


def test_files_of_equal_text_in_other_folders_import_their_own(tmp_path):
    made = []
    for word in ("ab", "cd"):
        folder = tmp_path / word
        folder.mkdir()
        (folder / "part.lark").write_text(f'A: "{word}"')
        (folder / "main.lark").write_text("start: A\n%import .part (A)")
        made.append(texts_of(gk.grammar(folder / "main.lark"), ["ab", "cd"]))
    assert made == [{"ab"}, {"cd"}]


def test_other_constraints_as_rules_are_not_confused():
    source = 'start: "<" PART ">"\n%declare PART'
    for word in ("ab", "cd"):
        constraint = gk.grammar(source, rules={"PART": gk.choice([word])})
        assert texts_of(constraint, ["<ab>", "<cd>"]) == {f"<{word}>"}
