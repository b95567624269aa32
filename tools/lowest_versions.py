"""Pins of the lowest versions that pyproject.toml allows, for `pip install -c`: `python -m tools.lowest_versions`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement

PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"
EXTRAS = ("peft", "sentencepiece", "tiktoken")
"""The extras whose libraries meet the code that the tests run; what else tests need is as new as it may be."""


def lowest_versions(project: Path = PROJECT) -> Iterator[str]:
    """Yield `name==version` for each dependency, and for those of `EXTRAS`.

    Raises:
        ValueError: a dependency has no lower bound.
    """
    table = tomllib.loads(project.read_text(encoding="utf-8"))["project"]
    extras = table["optional-dependencies"]
    for line in (*table["dependencies"], *(line for extra in EXTRAS for line in extras[extra])):
        requirement = Requirement(line)
        bounds = [bound.version for bound in requirement.specifier if bound.operator == ">="]
        if len(bounds) != 1:
            raise ValueError(f"{line!r} in {project} has no lower bound, or several")
        yield f"{requirement.name}=={bounds[0]}"


if __name__ == "__main__":
    print("\n".join(lowest_versions()))
