"""The page about the command line says what the command says of itself."""

from __future__ import annotations

import json
import re
import shlex

import pytest
import typer

from examples.ticket import Ticket
from guidance_kit.cli.application import app
from guidance_kit.cli.exit_status import Exit
from guidance_kit.models.loading import BUNDLED, bundled_models
from tools.document_cli import COMMANDS, PAGE, ROOT, with_options


def test_the_page_shows_the_options_of_every_command():
    page = PAGE.read_text(encoding="utf-8")
    assert page == with_options(page), "run: python tools/document_cli.py"
    assert {command.callback.__name__.replace("_", "-") for command in app.registered_commands} == set(COMMANDS)
    for command in COMMANDS:
        assert f"<!-- {command}: begin -->\n```text\n" in page


def command_lines() -> list[str]:
    """Calls of guidance-kit in the code blocks of README and of all pages, without pipes and redirections."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    blocks = [block for page in pages for block in re.findall(r"```.*?\n(.*?)```", page.read_text("utf-8"), re.DOTALL)]
    lines = "\n".join(blocks).replace("\\\n", " ")
    return re.findall(r"^(?:\$ )?(?:\S+ \| )?guidance-kit ([a-z].*?)(?: [|>] .*)?$", lines, re.MULTILINE)


def test_every_command_line_that_is_shown_has_known_options():
    commands = typer.main.get_command(app)
    lines = command_lines()
    assert len(lines) > 15
    for line in lines:
        name, *arguments = shlex.split(line, comments=True)
        context = commands.make_context("guidance-kit", [name], resilient_parsing=True)
        commands.get_command(context, name).make_parser(context).parse_args(arguments)


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
