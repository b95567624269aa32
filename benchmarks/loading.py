"""What benchmarks read from the folder of real data: the vocabulary of Qwen 2.5 and the schemas of MaskBench."""

from __future__ import annotations

import json
import lzma
import os
import sys
from pathlib import Path
from typing import Any

import guidance_kit as gk

__all__ = ["DATA", "QWEN", "load_qwen", "maskbench", "maskbench_rows"]

DATA = Path(os.environ.get("GUIDANCE_KIT_DATA", Path(__file__).parents[2] / "shared" / "data"))

QWEN = DATA / "tokenizers" / "qwen2.5"


def load_qwen() -> tuple[Any, gk.Vocabulary]:
    """The tokenizer of Qwen 2.5, and its vocabulary with the 151,936 rows of the models; ends the run without them."""
    if not QWEN.is_dir():
        sys.exit(f"no tokenizer in {QWEN}; set GUIDANCE_KIT_DATA")
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(str(QWEN))
    return tokenizer, gk.Vocabulary.from_tokenizer(tokenizer, rows=151_936)


def maskbench_rows() -> list[dict[str, Any]]:
    """The schemas of MaskBench, as "file", "schema" and "tests"; of these "data" and "valid"."""
    with lzma.open(DATA / "maskbench" / "development.jsonl.xz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def maskbench(count: int | None = None) -> list[tuple[str, dict, Any]]:
    """Schemas of MaskBench with a valid instance, as (name, schema, instance), spread evenly over the file.

    Args:
        count: how many; None: all.
    """
    cases = []
    for row in maskbench_rows():
        valid = [test["data"] for test in row["tests"] if test["valid"]]
        if valid and len(json.dumps(valid[0])) < 4000:
            cases.append((row["file"], row["schema"], valid[0]))
    return cases if count is None else cases[:: max(1, len(cases) // count)][:count]
