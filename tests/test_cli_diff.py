"""`guidance-kit diff`: schemas compared for continuous integration."""

from __future__ import annotations

import json

import pytest
from command_line import TICKET, run

WIDER = {**TICKET, "properties": {**TICKET["properties"], "note": {"type": "string"}}}


@pytest.fixture(autouse=True)
def files(inbox):
    (inbox / "wider.json").write_text(json.dumps(WIDER))
    (inbox / "same.json").write_text(json.dumps(dict(reversed(TICKET.items()))))
    (inbox / "never.json").write_text('{"allOf": [{"type": "null"}, {"type": "string"}]}')
    (inbox / "no.json").write_text("false")
    (inbox / "broken.json").write_text("{")
    (inbox / "a.lark").write_text('start: "a" start "b" | "c"')
    (inbox / "b.lark").write_text('start: "a" start "b" | "c" | "d"')


CASES = [
    # arguments, exit status, a line of the output
    (["ticket.json", "same.json"], 0, "equal"),
    (["never.json", "no.json"], 0, "equal"),
    (["no.json", "ticket.json"], 1, "no.json is within ticket.json"),
    (["no.json", "ticket.json", "--require", "within"], 0, "no.json is within ticket.json"),
    (["ticket.json", "no.json", "--require", "contains"], 0, "no.json is within ticket.json"),
    (["ticket.json", "no.json", "--require", "within"], 1, "no.json is within ticket.json"),
    (["a.lark", "b.lark", "--steps", "20000"], 1, "only b.lark: 'd'"),
    (["a.lark", "b.lark", "--steps", "20000", "--require", "within"], 3, "unknown"),
]


@pytest.mark.parametrize(("arguments", "status", "line"), CASES)
def test_the_answer_is_the_exit_status(arguments: list[str], status: int, line: str) -> None:
    result = run("diff", *arguments)
    assert result.exit_code == status, result.stderr
    assert line in result.stdout.splitlines()


def test_the_result_is_json_on_demand(inbox):
    result = run("diff", "ticket.json", "wider.json", "--json")
    assert result.exit_code in (0, 1)
    found = json.loads(result.stdout)
    assert found["relation"] in ("within", "contains", "differ")
    example = found["left_in_right"]["counterexample"] or found["right_in_left"]["counterexample"]
    assert json.loads(example["text"]) == example["value"]


REFUSED = [
    (["ticket.json", "missing.json"], "there is no schema file missing.json"),
    (["ticket.json", "broken.json"], "broken.json is not JSON"),
    (["ticket.json", "no.json", "--require", "wider"], "unknown --require 'wider'"),
    (["ticket.json", "no.json", "--formats", "recall"], "unknown --formats 'recall'"),
    (["ticket.json", "no.json", "--steps", "0"], "must be positive"),
]


@pytest.mark.parametrize(("arguments", "message"), REFUSED)
def test_wrong_usage(arguments: list[str], message: str) -> None:
    result = run("diff", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
