"""What is published: the wheel has the whole package and the right metadata, and works without the checkout."""

from __future__ import annotations

import email
import json
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import guidance_kit

ROOT = Path(__file__).resolve().parent.parent

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "--quiet"]
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", folder, ROOT], check=True)
    [built] = folder.glob("*.whl")
    return built


def test_the_wheel_has_the_package_and_nothing_else(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    package = ROOT / "guidance_kit"
    expected = {
        str(path.relative_to(ROOT)) for path in package.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    }
    assert names == expected
    assert {"guidance_kit/py.typed", "guidance_kit/__init__.pyi"} <= names


def test_the_metadata(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
    metadata = email.message_from_bytes(archive.read(name))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (metadata["Name"], metadata["Version"]) == ("guidance-kit", guidance_kit.__version__)
    assert metadata["License-Expression"] == "Apache-2.0"
    assert set(metadata.get_all("Provides-Extra")) == set(project["optional-dependencies"])
    assert metadata.get_payload().startswith("# guidance_kit\n")
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in archive.namelist())


@pytest.mark.timeout(1800)  # it installs torch and all else
def test_the_wheel_works_in_an_empty_environment(wheel: Path, tmp_path: Path) -> None:
    """Installed with its pinned dependencies, run in a folder of its own: a record, and the demo's pages."""
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    binaries = tmp_path / "venv" / "bin"
    constraints = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    torch = next(line for line in constraints if line.startswith("torch=="))
    pip = [binaries / "python", "-m", "pip", "--disable-pip-version-check", "--no-input", "--quiet", "install"]
    subprocess.run([*pip, "-c", ROOT / "constraints.txt", torch, f"{wheel}[evaluate]"], check=True)
    (tmp_path / "ticket.json").write_text(
        json.dumps({"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]})
    )
    (tmp_path / "message.txt").write_text("Hello, my order 48213 never arrived. I paid 49.90 EUR for it. Laura Smith\n")
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    [installed] = (tmp_path / "venv" / "lib").glob("*/site-packages/guidance_kit/fsm")
    for kernel in (ROOT / "guidance_kit" / "fsm" / "__pycache__").glob("*.kernel"):
        shutil.copy(kernel, installed / "__pycache__")  # of the same sources, which saves minutes

    def run(*arguments: str) -> str:
        command = [binaries / "guidance-kit", *arguments]
        ran = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    assert "48213" in run("extract", "-s", "ticket.json", "message.txt")
    pages = run("demo").splitlines()
    assert len(pages) >= 4
    assert all((tmp_path / page).is_file() for page in pages)
    where = [binaries / "python", "-c", "import guidance_kit; print(guidance_kit.__file__)"]
    assert (
        Path(subprocess.check_output(where, cwd=tmp_path, env=variables, text=True).strip()).parent == installed.parent
    )
