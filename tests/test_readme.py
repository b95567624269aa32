"""The Python blocks of README.md run as they stand, and print what is said."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from guidance_kit.models.loading import bundled_models
from tools.family import FAMILY

pytestmark = pytest.mark.skipif(
    not set(FAMILY) <= set(bundled_models()), reason="the family is not in this checkout; tools/train_family makes it"
)

README = Path(__file__).resolve().parent.parent / "README.md"


def blocks(section: str = "") -> list[str]:
    """Python blocks of a section; by default those before the first."""
    text = README.read_text("utf-8")
    text = text.partition(f"\n## {section}\n")[2] if section else text
    return re.findall(r"```python\n(.*?)```", text.partition("\n## ")[0], re.DOTALL)


def jobs() -> list[dict[str, Any]]:
    """Definitions of each block of the section, after it ran."""
    section = blocks("The four jobs")
    assert all(len(block.splitlines()) <= 20 for block in section)
    found: list[dict[str, Any]] = []
    for block in section:
        found.append({})
        exec(block, found[-1])
    return found


def test_the_first_block_prints_what_the_readme_shows(capsys: pytest.CaptureFixture[str]) -> None:
    [block] = blocks()
    shown = README.read_text("utf-8").partition(block)[2].split("```")[2].strip()
    assert shown.startswith("name=")
    exec(block, {})
    assert capsys.readouterr().out.strip() == shown


@pytest.mark.slow
def test_constraints(capsys: pytest.CaptureFixture[str]) -> None:
    [block] = blocks("Constrain")
    defined: dict[str, Any] = {}
    exec(block, defined)
    *_, last = capsys.readouterr().out.splitlines()
    assert last.endswith(str(defined["stream"].partial))
    assert isinstance(defined["stream"].completion.value, defined["Payment"])


def test_the_four_jobs() -> None:
    extraction, steering, tuning, intents = jobs()
    assert extraction["record"] == {"order_id": "48213", "amount": 49.9}
    assert set(steering["replies"]) == {"not steered", "DExperts", "classifier"}
    assert "48213" in tuning["reply"].text
    assert intents["found"][0].label == " double charge"
    assert intents["found"][1].label == " password reset"
