"""The documentation site: every page and public name has its place, and the examples of its guides run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from marks import slow

import guidance_kit as gk
from guidance_kit.models.loading import bundled_models
from tools.family import FAMILY

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"


def test_every_page_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2].partition("\nmarkdown")[0]
    named = re.findall(r" (\S+\.md)$", navigation, re.MULTILINE)
    assert sorted(named) == sorted(str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md"))


def test_every_public_name_is_in_the_reference_once() -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in (DOCS / "reference").glob("*.md"))
    named = re.findall(r"^::: guidance_kit\.(\w+)$", pages, re.MULTILINE)
    named.remove("errors")
    assert sorted(named) == sorted(gk.__all__)


@pytest.mark.skipif(
    not set(FAMILY) <= set(bundled_models()), reason="the family is not in this checkout; tools/train_family makes it"
)
@pytest.mark.parametrize("name", ["quickstart", *slow("constrain", "extract")])
def test_the_examples_of_a_guide_run(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    page = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    here: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(compile(block, f"{name}.md", "exec", dont_inherit=True), here)
        lines = capsys.readouterr().out.splitlines()
        assert len(lines) >= block.count("print("), block
    assert here["gk"] is gk


def test_the_examples_of_every_page_run_in_a_test() -> None:
    tests = "".join(file.read_text(encoding="utf-8") for file in Path(__file__).parent.glob("test_*.py"))
    for page in [ROOT / "README.md", *DOCS.rglob("*.md")]:
        if "```python" in page.read_text(encoding="utf-8"):
            assert f'"{page.name}"' in tests or f'"{page.stem}"' in tests, f"no test runs the examples of {page}"
