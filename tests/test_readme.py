"""The four jobs in README.md run as they stand, and do what is said of them."""

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


def jobs() -> list[dict[str, Any]]:
    """What the blocks of the section define, after they ran."""
    section = README.read_text("utf-8").partition("## The four jobs")[2].partition("\n## ")[0]
    blocks = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    assert all(len(block.splitlines()) <= 20 for block in blocks)
    found: list[dict[str, Any]] = []
    for block in blocks:
        found.append({})
        exec(block, found[-1])
    return found


def test_the_four_jobs() -> None:
    extraction, steering, tuning, intents = jobs()
    assert extraction["record"] == {"order_id": "48213", "amount": 49.9}
    assert set(steering["replies"]) == {"not steered", "DExperts", "classifier"}
    assert "48213" in tuning["reply"].text
    assert intents["found"][0].label == " double charge"
    assert intents["found"][1].label == " password reset"
