"""The plain mask interface, as "other_tools.md" shows it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

import guidance_kit as gk

PAGE = Path(__file__).resolve().parent.parent / "docs" / "other_tools.md"


def test_the_example_of_masks_runs():
    (block,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    model: Any = gk.load().language_model
    rng = np.random.default_rng(0)

    def draw(bits: np.ndarray) -> int:
        return int(rng.choice(np.flatnonzero(np.unpackbits(bits.view(np.uint8), bitorder="little"))))

    here: dict[str, Any] = {"tokenizer": model.tokenizer, "rows": model.rows, "draw": draw}
    exec(compile(block, "other_tools.md", "exec", dont_inherit=True), here)
    assert re.fullmatch("[0-9]{4}", model.decode(here["tokens"]))
    assert here["tokens"][-1] in here["vocabulary"].eos
