"""`guidance-kit sample`: texts to look at."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest
from command_line import TICKET, run
from jsonschema import Draft202012Validator


def test_texts_of_a_schema_stand_one_a_line(inbox):
    result = run("sample", "ticket.json", "-n", "4", "--seed", "1")
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert len(set(lines)) == 4
    for line in lines:
        Draft202012Validator(TICKET).validate(json.loads(line))
        assert line == json.dumps(json.loads(line))
    assert run("sample", "ticket.json", "-n", "4", "--seed", "1").stdout == result.stdout
    assert run("sample", "ticket.json", "-n", "4", "--seed", "2").stdout != result.stdout


def test_texts_of_a_grammar_and_of_a_pattern(inbox):
    (inbox / "g.lark").write_text('start: "a" start "\\n" | "b"\nz: "zz"')
    assert run("sample", "g.lark", "--max-length", "3", "--json").stdout in ('"b"\n"ab\\n"\n', '"ab\\n"\n"b"\n')
    assert run("sample", "g.lark", "--start", "z").stdout == "zz\n"
    result = run("sample", "--regex", r"\d{3}-\d{4}")
    assert re.fullmatch(r"(\d{3}-\d{4}\n){5}", result.stdout)


def test_the_form_of_json_is_an_option(inbox):
    pair = {"type": "array", "items": False, "prefixItems": [{"type": "number", "minimum": 9.5}, {"const": "é"}]}
    (inbox / "pair.json").write_text(json.dumps({**pair, "minItems": 2}), encoding="utf-8")
    result = run("sample", "pair.json", "-n", "20", "--digits", "1.1", "--escapes", "ascii")
    assert result.exit_code == 0, result.stderr
    assert sorted(result.stdout.split("\n")) == ["", *(rf'[9.{digit}, "\u00e9"]' for digit in "56789")]
    (inbox / "two.json").write_text(json.dumps({
        "type": "object", "properties": {"a": {"const": 1}, "b": {"const": 2}}, "additionalProperties": False,
        "required": ["a", "b"],
    }), encoding="utf-8")  # fmt: skip
    for order, count in (("declared", 1), ("any", 2)):
        assert len(run("sample", "two.json", "--order", order, "--digits", ".0").stdout.splitlines()) == count


def test_fewer_texts_than_asked_for_are_told(inbox):
    result = run("sample", "--regex", "yes|no", "-n", "3")
    assert sorted(result.stdout.split()) == ["no", "yes"]
    assert result.exit_code == 0
    assert result.stderr == "Only 2 distinct texts were found\n"


REFUSED = [
    (["--regex", "a(b"], "at position 1"),
    (["--regex", "a{9}", "--max-length", "8"], "the shortest text has 9 bytes, more than --max-length 8"),
    (["missing.lark"], "there is no grammar file missing.lark"),
    ([], "give either SCHEMA or --regex PATTERN"),
    (["ticket.json", "--whitespace", "jsn"], "did you mean 'json'?"),
    (["ticket.json", "--order", "anny"], "did you mean 'any'?"),
    (["ticket.json", "--escapes", "asci"], "did you mean 'ascii'?"),
    (["ticket.json", "--digits", "9"], "as 9.2, not '9'"),
    (["ticket.json", "--digits", "99.2"], "from 1 to 40, not 99"),
]


@pytest.mark.parametrize(("arguments", "message"), REFUSED)
def test_wrong_usage(inbox, arguments, message):
    result = run("sample", *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ")
    assert message in result.stderr


def test_a_type_whose_conditions_no_text_passes(inbox):
    result = run("sample", "things:Picky")
    assert result.exit_code == 1
    assert result.stderr == "Error: no text was found that passes the conditions of the type\n"


@pytest.mark.slow
def test_texts_are_written_where_only_ascii_is_expected():
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [sys.executable, "-m", "guidance_kit", "sample", "--regex", "Grüße"],
        env=environment,
        capture_output=True,
        timeout=120,
    )
    assert done.stdout.decode() == "Grüße\n"
