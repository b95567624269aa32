"""Marks for cases of parametrised tests. Tests only."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def slow(*cases: Any) -> list[Any]:
    """Parameters that run with the slow tests only; a tuple is one case of several parameters."""
    if any(getattr(case, "__name__", "").startswith("test") for case in cases):
        raise TypeError("slow(...) marks cases; a decorated test would never run: take @pytest.mark.slow")
    return [pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow) for case in cases]


def thinned(cases: Iterable[Any], step: int) -> list[Any]:
    """The first of each `step` cases, and the others as `slow` parameters."""
    return [case if index % step == 0 else slow(case)[0] for index, case in enumerate(cases)]
