"""The declared dependencies and the pinned versions agree."""

from __future__ import annotations

import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent


def pinned() -> dict[str, str]:
    """Library -> version, from constraints.txt; vLLM's from engines.txt, where it is a build for CPUs."""
    lines = [line for file in ("constraints.txt", "engines.txt") for line in (ROOT / file).read_text().splitlines()]
    pairs = [line.split("--hash")[0].strip().split("==") for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(name).removesuffix("-cpu"): version for name, version in pairs}


def declared() -> list[Requirement]:
    """All dependencies of pyproject.toml, extras too, but for the project itself."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    everything = map(Requirement, [*project["dependencies"], *(entry for extra in extras for entry in extra)])
    return [requirement for requirement in everything if requirement.name != project["name"]]


def test_every_dependency_is_pinned_within_its_range():
    versions = pinned()
    assert len(declared()) > 20
    for requirement in declared():
        assert versions[canonicalize_name(requirement.name)] in requirement.specifier, requirement


def test_the_installed_torch_is_the_pinned_one():
    from importlib.metadata import version

    assert version("torch").split("+")[0] == pinned()["torch"]
