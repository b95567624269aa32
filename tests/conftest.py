"""Settings of all tests, and fixtures that several files of them share."""

from __future__ import annotations

import gc
import json
import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent

os.environ["GUIDANCE_KIT_CACHE_DIR"] = ""  # nothing that a test makes goes to the user's folder, or comes from there

gc.disable()  # while libraries and tests are loaded

# One thread, unless the caller says otherwise, and before torch is imported, which reads it.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Derandomised: what fails on one machine fails on every machine. `make slow` runs these tests again with more examples;
# HYPOTHESIS_PROFILE=explore looks further.
settings.register_profile(
    "fixed",
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("thorough", settings.get_profile("fixed"), max_examples=200)
settings.register_profile("explore", settings.get_profile("fixed"), derandomize=False, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests marked `gpu` where there is no CUDA device."""
    marked = [item for item in items if item.get_closest_marker("gpu")]  # keywords have the names of folders too
    if not marked:
        return
    import torch

    if not torch.cuda.is_available():
        for item in marked:
            item.add_marker(pytest.mark.skip(reason="needs a CUDA device"))


def pytest_collection_finish() -> None:
    """Collect garbage again, but not among the libraries and the collected tests, which stay to the end."""
    gc.freeze()
    gc.enable()


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


@pytest.fixture(scope="session")
def llama(tmp_path_factory) -> str:
    """A folder with a random Llama, as `save_pretrained` writes it."""
    from small_models import small_llama

    from guidance_kit.cli.warmup import compile_kernels

    compile_kernels()  # the commands in processes of their own then find them
    folder = tmp_path_factory.mktemp("llama")
    made = small_llama()
    made.model.save_pretrained(folder)
    made.tokenizer.save_pretrained(folder)
    return str(folder)


@pytest.fixture
def inbox(tmp_path, monkeypatch) -> Path:
    """The current folder, with a schema, a module and a few messages."""
    from command_line import MODULE, TICKET

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name in ("things", "records"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    (tmp_path / "ticket.json").write_text(json.dumps(TICKET))
    (tmp_path / "things.py").write_text(MODULE)
    (tmp_path / "messages").mkdir()
    for number in range(5):
        (tmp_path / "messages" / f"{number}.txt").write_text(f"Please send {number} mats. Hello!")
    return tmp_path


@pytest.fixture
def fake_model(monkeypatch):
    """A `FakeExtractor` instead of any model."""
    from tests.fake_extractor import FakeExtractor

    model = FakeExtractor()
    monkeypatch.setattr("guidance_kit.model.load", lambda *names, **options: model)
    return model


@pytest.fixture
def blocks(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Shapes of all blocks that go through a model."""
    from guidance_kit.models.forward import Forward

    shapes: list[tuple[int, int]] = []
    real = Forward.__call__

    def counted(self, tokens, **settings):
        shapes.append(tuple(tokens.shape))
        return real(self, tokens, **settings)

    monkeypatch.setattr(Forward, "__call__", counted)
    return shapes
