"""`guidance-kit check`: what it says of schemas and patterns."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest
from command_line import TICKET, run
from jsonschema import Draft202012Validator


def test_check_reports_what_is_enforced_and_what_it_costs(inbox, llama):
    schema = {**TICKET, "description": "x", "x-y": 1, "$comment": "c"}
    schema["properties"] = {**TICKET["properties"], "color": {"type": "string", "format": "colour"}}
    (inbox / "s.json").write_text(json.dumps(schema))
    result = run("check", "s.json", "-m", llama, "--samples", "20")
    assert result.exit_code == 0, result.stderr
    rows = [line.split(maxsplit=1) for line in result.stdout.splitlines()[1:]]
    assert result.stdout.startswith("s.json: supported\n")
    shown = {name: value for name, value in rows if name != "fits"}
    assert "type ×4" in shown["enforced"]
    assert shown["unknown"] == "x-y at the root"
    Draft202012Validator(schema).validate(json.loads(shown["shortest"]))
    assert shown["format"] == "ignored  colour at /properties/color"
    assert re.search(r"first [\d.]+ \w+, then p50", shown["masks"])
    texts = [value for name, value in rows if name == "fits"]
    assert len(texts) == 20
    for text in texts:
        Draft202012Validator(schema).validate(json.loads(text))
    assert run("check", "s.json", "-m", llama).stdout.splitlines()[:6] == result.stdout.splitlines()[:6]


def test_check_says_what_can_never_be_written(inbox, llama):
    schema = {"properties": {"a": {"type": "string", "minLength": 5, "maxLength": 3}}}
    rows = [line.split(maxsplit=1) for line in run("check", json.dumps(schema), "-m", llama).stdout.splitlines()[1:]]
    assert dict(rows)["never"] == 'type "string", minLength 5 and maxLength 3 cannot hold together (at /properties/a)'


REFUSED = [
    (["--regex", r"(a)\1"], "backreference is not supported"),
    (["--regex", "a(b"], "at position 1"),
    (["--regex", "a(?!a)a"], ""),
    (['{"type": "string", "minLength": 5, "maxLength": 4}'], ""),
    (['{"type": "strng"}'], "'null', 'number', 'object', 'string'] (at /type)"),
]


@pytest.mark.parametrize(("arguments", "message"), REFUSED)
def test_check_says_what_cannot_be_used(inbox, arguments, message):
    result = run("check", *arguments)
    assert result.exit_code == 1
    assert "cannot be used" in result.stdout
    assert result.stderr.startswith("Error: ")
    assert message in result.stderr


@pytest.mark.parametrize("name", ["os:system", "os:path", "os:sep", "things:LIMIT"])
def test_a_name_that_describes_no_texts_is_said_to_be_what_it_is(inbox, name):
    (inbox / "things.py").write_text("LIMIT = 3")
    found = run("check", name)
    assert found.exit_code == 2
    shown = " ".join(found.stderr.split())
    assert name in shown
    assert "it must be a Python type" in shown


def test_a_constraint_is_checked_by_its_name(inbox, llama):
    (inbox / "things.py").write_text(
        "import guidance_kit as gk\nCODE = gk.regex('[a-c]{2}')\nJSON = {'type': 'boolean'}"
    )
    assert run("check", "things:CODE", "--samples", "1").exit_code == 0
    assert run("check", "things:JSON", "--samples", "1").exit_code == 0
    assert run("check", "things:CODE", "--order", "any").exit_code == 2


@pytest.mark.slow
def test_texts_are_written_where_only_ascii_is_expected(inbox, llama):
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [sys.executable, "-m", "guidance_kit", "check", '{"const": "Grüße"}', "-m", llama],
        env=environment,
        capture_output=True,
        timeout=120,
    )
    assert done.returncode == 0
    assert '"Grüße"' in done.stdout.decode()


def test_check_shows_texts_that_pass_the_conditions_of_a_type(inbox, llama):
    assert "fits            no short text was found" in run("check", "things:Picky", "-m", llama).stdout


def test_check_says_what_is_odd_about_a_grammar(inbox, llama):
    (inbox / "g.lark").write_text('start: "a" x | NAME | "if"\nx: "b" | y\ny: y "c"\nz: "d"\nNAME: /[a-z]+/\n')
    result = run("check", "g.lark", "-m", llama)
    assert result.exit_code == 0, result.stderr
    rows = [re.split(r"\s{2,}", line.strip(), maxsplit=1) for line in result.stdout.splitlines()[1:]]
    shown = {row[0]: row[1] for row in rows}
    assert shown["grammar"] == "3 rules, 5 terminals"
    assert shown["not used"] == "z"
    assert shown["without texts"] == "y"
    assert "'if' is IF and NAME" in shown["ambiguous"]
    assert re.fullmatch("[a-z]+", shown["fits"])
    lexed = run("check", "g.lark", "-m", llama, "--lexer", "longest")
    assert re.search("collisions +.*'if' is IF not NAME", lexed.stdout)
    assert run("check", "g.lark", "-m", llama, "--start", "z").exit_code == 0
    refused = run("check", "g.lark", "--start", "y")
    assert refused.exit_code == 1
    assert "the rule 'y' always leads back to itself" in refused.stderr


def test_check_shows_what_a_grammar_with_tokens_is_though_the_model_has_none_of_them(inbox, llama):
    (inbox / "g.gbnf").write_text('root ::= <[5-7]> "a"\n')
    assert "fits            <[5-7]>a\n" in run("check", "g.gbnf", "-m", llama).stdout
    (inbox / "g.gbnf").write_text('root ::= <[999999]> "a"\n')
    result = run("check", "g.gbnf", "-m", llama)
    assert result.exit_code == 1
    assert "fits            <[999999]>a\n" in result.stdout
    assert f"g.gbnf: cannot be used with {llama}\n" in result.stdout
    assert "<[999999]> names token 999999, but the vocabulary has" in result.stderr
    assert run("draw", "g.gbnf", "-o", "g.dot").exit_code == 0
    assert "<[999999]>a" in (inbox / "g.dot").read_text(encoding="utf-8")
