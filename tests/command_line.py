"""The command as the tests run it, and what they give it. Tests only."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import typer.testing
from typer.main import get_command
from typer.testing import CliRunner, Result

from guidance_kit.cli.application import app

typer.testing._get_command = cache(get_command)  # a runner builds the command for each call, most of which are faster

TICKET = {
    "title": "Ticket",
    "type": "object",
    "properties": {
        "kind": {"enum": ["order", "refund", "praise"]},
        "count": {"type": "integer", "minimum": 0, "maximum": 99},
        "is_urgent": {"type": "boolean"},
    },
    "required": ["kind", "count", "is_urgent"],
    "additionalProperties": False,
}

MODULE = """
from typing import Literal
from pydantic import BaseModel, field_validator

class Ticket(BaseModel):
    kind: Literal["order", "refund", "praise"]
    is_urgent: bool

class Picky(Ticket):
    @field_validator("kind")
    @classmethod
    def never(cls, value):
        raise ValueError("not in the mood")

LIMIT = 3
"""


def run(*arguments: str, given: str | bytes | None = None) -> Result:
    """The command in this process, with `given` on standard input."""
    return CliRunner().invoke(app, list(arguments), input=given)


def command(*arguments: str, **options) -> subprocess.CompletedProcess[str]:
    """The real command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "guidance_kit", *arguments], capture_output=True, text=True, timeout=120, **options
    )


def lines(path: Path) -> list[dict]:
    """What a file of JSON lines holds."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
