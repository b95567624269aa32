"""Marked texts of the bundled model base-large, each with a key of its own. For the benchmarks of watermarks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import guidance_kit as gk

__all__ = ["KINDS", "LEVEL", "PROMPT", "keyed", "logs", "marked_texts", "own_key", "share_found", "z_of"]

PROMPT = "Customer:"
LEVEL = 1e-5
KINDS: dict[str, dict[str, Any]] = {
    "green": {"kind": "green"},
    "green, width 1": {"kind": "green", "width": 1},
    "gumbel": {"kind": "gumbel"},
    "gumbel, width 1": {"kind": "gumbel", "width": 1},
    "tournament": {"kind": "tournament"},
}


def keyed(number: int, **options: Any) -> gk.Watermark:
    """Watermark with a number of keys, the same ones in every run."""
    generator = np.random.Generator(np.random.PCG64(2026))
    return gk.Watermark([generator.bytes(32) for _ in range(number)], **options)


def own_key(watermark: gk.Watermark, text: gk.Completion) -> gk.Watermark:
    """Watermark with the key of one text alone."""
    assert text.seed is not None
    return replace(watermark, key=[watermark.keys[text.seed % len(watermark.keys)]])


def marked_texts(
    model: gk.Model,
    number: int,
    watermark: gk.Watermark | None,
    constraint: gk.Constraint | None = None,
    **options: Any,
) -> list[gk.Completion]:
    """Texts after `PROMPT` from the seeds 0, 1, ...; without a watermark those of the same seeds."""
    given = options if watermark is None else {**options, "watermark": watermark}
    (found,) = model.generate([PROMPT], constraint, n=number, seed=0, **given)
    return found


def share_found(p_values: Sequence[float]) -> float:
    """Share of texts with a p-value of `LEVEL` or less."""
    return sum(p <= LEVEL for p in p_values) / len(p_values)


def logs(p_values: Sequence[float]) -> float:
    """Median of -log10 p."""
    return float(np.median([-math.log10(max(p, 1e-300)) for p in p_values]))


def z_of(p: float) -> float:
    """Standard normal quantile with the upper tail p."""
    from statistics import NormalDist

    return -NormalDist().inv_cdf(min(max(p, 1e-300), 1 - 1e-12))
