"""The page about the command line says what the command says of itself."""

from __future__ import annotations

import json
import re

import pytest

from examples.ticket import Ticket
from guidance_kit.cli.application import app
from guidance_kit.cli.exit_status import Exit
from guidance_kit.models.loading import BUNDLED, bundled_models
from tools.document_cli import COMMANDS, PAGE, ROOT, with_options


def test_the_page_shows_the_options_of_every_command():
    page = PAGE.read_text(encoding="utf-8")
    assert page == with_options(page), "run: python tools/document_cli.py"
    assert {command.callback.__name__ for command in app.registered_commands} == set(COMMANDS)
    for command in COMMANDS:
        assert f"<!-- {command}: begin -->\n```text\n" in page


def test_the_page_lists_the_exit_statuses():
    table = PAGE.read_text(encoding="utf-8").partition("## Exit statuses")[2].partition("## ")[0]
    assert [int(status) for status in re.findall(r"(?m)^\| (\d+) \|", table)] == list(Exit)


def test_the_page_shows_the_record_that_the_bundled_model_writes():
    from guidance_kit.model import load

    if BUNDLED not in bundled_models():
        pytest.skip("there is no bundled model")
    shown = json.loads(PAGE.read_text(encoding="utf-8").partition("$ head -n 1 tickets.jsonl\n")[2].splitlines()[0])
    written = load().extract((ROOT / shown["source"]).read_text(encoding="utf-8"), Ticket)
    assert shown["record"] == written.model_dump(mode="json"), "run: python tools/document_cli.py --run"
