"""A grammar file in each dialect, on the command line."""

from __future__ import annotations

import json
import re

import pytest
from command_line import run
from marks import thinned

# Name of the file, the grammar, and a pattern of its texts.
FILES = [
    ("lark.lark", 'start: "x" DIGIT~2 ["!"]\nDIGIT: /[0-9]/', "x[0-9]{2}!?"),
    ("llama.gbnf", 'root ::= "x" [0-9]{2} "!"?', "x[0-9]{2}!?"),
    ("w3c.ebnf", "text ::= 'x' [0-9] [0-9] #x21?", "x[0-9]{2}!?"),
    ("llguidance.lark", 'start: x "!"?\nx[capture]: "x" /[0-9]/{2}', "x[0-9]{2}!?"),
    ("llguidance_json.lark", 'start: "x" %json {"type": "integer", "minimum": 10, "maximum": 99}', "x[0-9]{2}"),
    ("xgrammar.gbnf", 'root ::= Regex("x[0-9]{2}") | y\ny[lazy] ::= "x" [0-9]{2,5}', "x[0-9]{2}"),
    ("xgrammar.ebnf", 'root ::= Substring("x", "0") "1"', "(x|x?0)?1"),
    ("budget.lark", 'start: "x" y "!"\ny[max_tokens=3, temperature=0.5]: /[0-9]+/', "x[0-9]+!"),
    ("budget.gbnf", 'root ::= "x" y "!"\ny[max_tokens=3] ::= [0-9]+', "x[0-9]+!"),
]


@pytest.mark.parametrize(("name", "source", "pattern"), thinned(FILES, 2), ids=[row[0] for row in FILES])
def test_files(inbox, llama, name, source, pattern):
    (inbox / name).write_text(source)
    drawn = run("sample", name, "-n", "3", "--max-length", "8")
    assert drawn.exit_code == 0, drawn.stderr
    assert all(re.fullmatch(pattern, line) for line in drawn.stdout.splitlines())
    checked = run("check", name, "-m", llama)
    assert checked.exit_code == 0, checked.stderr
    assert re.search(r"(?m)^ *fits +(\S+)", checked.stdout), checked.stdout
    written = run("generate", "the cat", "-m", llama, "--grammar", name, "--max-tokens", "9", "--complete", "--json")
    assert written.exit_code == 0, written.stderr
    assert re.fullmatch(pattern, json.loads(written.stdout))


def test_a_refusal_says_what_to_write(inbox, llama):
    (inbox / "g.lark").write_text("start: x*\nx[max_tokens=3]: /[0-9]+/")
    refused = run("generate", "x", "-m", llama, "--grammar", "g.lark")
    assert refused.exit_code == 2
    assert "max_tokens of the rule 'x' is not supported" in refused.stderr
    assert "let it be a part of the start rule" in refused.stderr
