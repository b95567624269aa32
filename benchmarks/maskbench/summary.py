"""Figures of MaskBench from the files of its runner: a table in Markdown, and a line a schema and engine."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterable
from pathlib import Path
from typing import Any

__all__ = ["summarize"]

PERCENTILES = (25, 50, 75, 90, 95, 99, 99.9, 100)

KEPT = ("ttfm_us", "max_mask_us", "masks_us", "num_tokens", "num_tests", "num_valid_tests", "num_invalid_tests",
        "compile_error", "validation_error")  # fmt: skip
"""What a line has of a schema; single masks would be two million numbers."""


def summarize(engines: Iterable[str], names: set[str], output: Path) -> str:
    """Write `table.md` and `results.jsonl.xz` beside the engines' folders.

    Args:
        engines: names of folders of `output`.
        names: of the schemas to count.
    Returns:
        The table.
    """
    columns: dict[str, dict[str, str]] = {}
    with lzma.open(output / "results.jsonl.xz", "wt", encoding="utf-8", preset=9) as lines:
        for engine in engines:
            meta = json.loads((output / engine / "meta.txt").read_text())
            results = [_result(path) for path in sorted((output / engine).glob("*.json")) if path.stem in names]
            columns[f"{engine} {meta['module_version']}"] = figures(results, meta["time_limit"] * 1_000_000)
            for result in results:
                line = {key: result[key] for key in ("schema", "timeout", *KEPT) if key in result}
                lines.write(json.dumps({"engine": engine, **line}) + "\n")
    rows = [["", *columns], [":--", *("--:" for _ in columns)]]
    rows += [[name, *(column[name] for column in columns.values())] for name in next(iter(columns.values()), {})]
    table = "".join("| " + " | ".join(row) + " |\n" for row in rows)
    (output / "table.md").write_text(table)
    return table


def _result(path: Path) -> dict[str, Any]:
    """What the runner wrote of a schema; a process that was ended by the time limit, or died, leaves a mark only."""
    result = json.loads(path.read_text())
    return {"schema": path.stem, **({"timeout": True} if "num_tests" not in result else result)}


def figures(results: list[dict[str, Any]], limit: int) -> dict[str, str]:
    """Rows of the table for one engine, as MaskBench counts: times in microseconds, wall clock.

    Args:
        results: see `_result`.
        limit: microseconds that a schema counts whose process was ended.
    """
    done = [result for result in results if not result.get("timeout")]
    compiled = [result for result in done if "compile_error" not in result]
    errors = [result["validation_error"] for result in compiled if "validation_error" in result]
    ended = len(results) - len(done)
    found: dict[str, str] = {}
    masks = [us for result in compiled for us in result["all_mask_us"]]
    first = [result["ttfm_us"] for result in compiled] + [limit] * ended
    for title, values in (("TBM", sorted(masks)), ("TTFM", sorted(first))):
        found[f"{title} avg"] = f"{sum(values) / max(1, len(values)):,.0f}"
        for p in PERCENTILES:
            place = min(len(values) - 1, int(len(values) * p / 100))
            found[f"{title} p{p:g}"] = f"{values[place]:,}" if values else "-"
    counts = {
        "masks": len(masks),
        "schemas": len(results),
        "passing": len(compiled) - len(errors),
        "compile error": len(done) - len(compiled),
        "time limit, or died": ended,
        "validation error": sum("should reject" not in error for error in errors),
        "invalidation error": sum("should reject" in error for error in errors),
    }
    return found | {name: f"{count:,}" for name, count in counts.items()}
