"""Settings and fixtures that all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent

os.environ["GUIDANCE_KIT_CACHE_DIR"] = ""  # nothing that a test makes goes to the user's folder, or comes from there

# Derandomised: what fails on one machine fails on every machine. HYPOTHESIS_PROFILE=explore looks further.
settings.register_profile(
    "fixed",
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=100,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("explore", settings.get_profile("fixed"), derandomize=False, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests marked `gpu` where there is no CUDA device."""
    marked = [item for item in items if "gpu" in item.keywords]
    if not marked:
        return
    import torch

    if not torch.cuda.is_available():
        for item in marked:
            item.add_marker(pytest.mark.skip(reason="needs a CUDA device"))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real tokenizers, models and suites, which the project does not contain.

    GUIDANCE_KIT_DATA names it; the default is ../shared/data beside the repository. Tests that ask for it are skipped
    where it is absent.
    """
    folder = Path(os.environ.get("GUIDANCE_KIT_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(
            f"real data absent: set GUIDANCE_KIT_DATA to a folder with tokenizers/ and models/ (looked in {folder})"
        )
    return folder
