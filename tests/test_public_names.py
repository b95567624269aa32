"""The public names: what `__init__.pyi` promises is there, lazily, and importing the package costs nothing."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import guidance_kit
from guidance_kit import errors

STUB = Path(guidance_kit.__file__).with_suffix(".pyi")


def stub_names() -> dict[str, str]:
    """Public name -> module that defines it, as the stub has them."""
    names = {}
    for node in ast.parse(STUB.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            names.update({alias.asname or alias.name: node.module for alias in node.names})
    return names


def stub_all() -> list[str]:
    """The literal `__all__` of the stub."""
    for node in ast.parse(STUB.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return ast.literal_eval(node.value)
    raise AssertionError("the stub has no __all__")


def run(code: str) -> str:
    """Run `code` in a fresh interpreter and return what it printed."""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


@pytest.mark.parametrize("name", sorted(stub_names()))
def test_every_name_resolves(name):
    assert getattr(guidance_kit, name) is not None


def test_the_lists_agree():
    assert sorted(stub_names()) == sorted(stub_all()) == sorted(guidance_kit.__all__)
    assert set(stub_all()) <= set(dir(guidance_kit))


def test_every_error_is_public_and_stands_in_the_tree():
    defined = {name for name, thing in vars(errors).items() if isinstance(thing, type) and issubclass(thing, Exception)}
    assert defined == set(errors.__all__)
    assert defined <= set(stub_all())
    assert defined == set(re.findall(r"(?m)^[ │├└─]+(\w+)", errors.__doc__))


def test_an_unknown_name_raises():
    with pytest.raises(AttributeError):
        guidance_kit.no_such_name  # noqa: B018


def test_every_public_thing_says_what_it_is():
    nameless = [name for name in stub_all() if not (getattr(guidance_kit, name).__doc__ or "").strip()]
    assert nameless == []


def test_import_loads_nothing_heavy():
    heavy = "{'torch', 'numba', 'transformers', 'numpy', 'pydantic', 'rich', 'typer'}"
    assert run(f"import sys, guidance_kit; print(sorted({heavy} & set(sys.modules)))") == "[]"


@pytest.mark.parametrize("name", sorted({"VocabularyError", "Vocabulary"} & set(stub_all())))
def test_errors_and_vocabulary_load_neither_torch_nor_numba(name):
    heavy = "{'torch', 'numba', 'transformers'}"
    assert run(f"import sys, guidance_kit; guidance_kit.{name}; print(sorted({heavy} & set(sys.modules)))") == "[]"


def test_the_version_is_the_installed_one():
    from importlib.metadata import version

    assert guidance_kit.__version__ == version("guidance-kit")
