"""CONTRIBUTING.md and docs/architecture.md: each file, name, flag and make target in code font exists.

A name must be defined in the file that the sentence gives ("`NAME` of `FILE`"), else in one of the files and folders
that its recipe names, else it must be public. An import does not define a name.
"""

from __future__ import annotations

import ast
import builtins
import functools
import re
from pathlib import Path

import pytest

import guidance_kit as gk
from tools.draw_architecture import PICTURES

ROOT = Path(__file__).resolve().parent.parent
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
DECISIONS = ARCHITECTURE.partition("## Why each dependency")[0]
SEAMS = (
    "JSON Schema keyword",
    "constraint front end",
    "guide",
    "truncation to the sampler",
    "draw",
    "decoder",
    "engine",
    "model backend",
)

SPAN = re.compile(r"`([^`]+)`")
FILE = re.compile(r"[\w.*/-]+/|(?:[\w.-]+/)*[\w.-]+\.(?:py|pyi|md|toml|txt|yml|ipynb)|(?:[\w.-]+/)+[\w.*-]+")
GROUP = re.compile(r"(?:`[^`]+`(?:,\s|\sand\s|\sor\s|,\sand\s)+)*`[^`]+`\s(?:of|in)\s`([^`]+)`")


def recipes(page: str) -> dict[str, str]:
    """Text of each recipe, by its title."""
    section = page.partition("\n## Recipes\n")[2].partition("\n## ")[0]
    return dict(re.findall(r"^\*\*(.*?)\.\*\*\s(.*?)(?=^\*\*|\Z)", section, re.MULTILINE | re.DOTALL))


def is_file(span: str) -> bool:
    return FILE.fullmatch(span) is not None


def named_paths(spans: list[str]) -> tuple[dict[str, list[Path]], list[str]]:
    """Paths of the spans that are files or folders, and the spans without any.

    A path is relative to the root, to the package, or to a folder that was named before it.
    """
    folders = [ROOT, ROOT / "guidance_kit"]
    paths: dict[str, list[Path]] = {}
    missing = []
    for span in filter(is_file, spans):
        found = next(filter(None, ([*folder.glob(span.rstrip("/"))] for folder in reversed(folders))), [])
        paths[span] = found
        if not found:
            missing.append(span)
        folders += [path if path.is_dir() else path.parent for path in found]
    return paths, missing


@functools.cache
def definitions(path: Path) -> frozenset[str]:
    """Names that a file, or any Python file of a folder, defines: classes, functions, parameters, variables, fields."""
    if path.is_dir():
        return frozenset().union(*map(definitions, path.rglob("*.py")))
    if path.suffix not in (".py", ".pyi"):
        return frozenset(re.findall(r"\w+", path.read_text(encoding="utf-8")))
    names: set[str] = {path.stem}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.arg(arg=name):
                names.add(name)
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                names.add(name)
            case ast.Constant(value=str(text)) if len(text) < 40:
                names.add(repr(text))  # a value of an option, distinct from every identifier
            case _:
                pass
    return frozenset(names)


def is_foreign(name: str) -> bool:
    """Name of a builtin, or of something in an installed library, as `re.match`."""
    first = name.partition(".")[0]
    return hasattr(builtins, first) or first in ("jsonschema", "lark", "numpy", "re", "tokenizers", "torch")


def is_command(span: str) -> bool:
    return span.startswith(("make ", "python ", "guidance-kit ", "tools/", "-", ".ci/")) or "=" in span.split("(")[0]


def stale_command(span: str) -> bool:
    """Missing target, module, script, command or flag of a shell command."""
    first, *rest = span.split()
    if first == "make":
        return f"\n{rest[0]}:" not in (ROOT / "Makefile").read_text(encoding="utf-8")
    if first == "python":
        return not (ROOT / (rest[1].replace(".", "/") + ".py" if rest[0] == "-m" else rest[0])).exists()
    if first == "guidance-kit":
        return not (ROOT / "guidance_kit" / "cli" / f"{rest[0]}.py").exists()
    if first.startswith("-"):
        defined = definitions(ROOT / "guidance_kit" / "cli") | definitions(ROOT / "tools")
        return not {first.lstrip("-").replace("-", "_"), repr(first)} & defined
    return False


def stale(text: str) -> list[str]:
    """Spans in code font that name nothing."""
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    spans = [" ".join(span.split()) for span in SPAN.findall(text)]
    paths, missing = named_paths(spans)
    near = [path for found in paths.values() for path in found]
    known = frozenset(gk.__all__).union(*map(definitions, near))
    owners: dict[str, frozenset[str]] = {}
    for group in GROUP.finditer(text):
        *names, owner = (" ".join(span.split()) for span in SPAN.findall(group[0]))
        for name in names:
            if paths.get(owner):
                owners[name] = frozenset().union(*map(definitions, paths[owner]))
    for span in spans:
        if is_file(span):
            continue
        if is_command(span) and not re.match(r"\w+ = |\w+=\"", span):
            missing += [span] if stale_command(span) else []
            continue
        words = re.findall(r"\"\w+\"|[A-Za-z_]\w*", span)
        defined = owners.get(span, known)
        if not is_foreign(span) and not all(
            word in defined or repr(word.strip('"')) in defined or hasattr(builtins, word) for word in words
        ):
            missing.append(span)
    return missing


def test_each_seam_has_a_recipe() -> None:
    titles = set(recipes(CONTRIBUTING))
    assert [seam for seam in SEAMS if not {f"Add a {seam}", f"Add an {seam}"} & titles] == []


@pytest.mark.parametrize("title", recipes(CONTRIBUTING))
def test_each_name_of_a_recipe_exists(title: str) -> None:
    assert stale(recipes(CONTRIBUTING)[title]) == []


def test_each_name_of_the_architecture_exists() -> None:
    law = ARCHITECTURE.partition("<!-- begin import law -->")[2].partition("<!-- end import law -->")[0]
    assert stale(DECISIONS.replace(law, "")) == []


@pytest.mark.parametrize("name", PICTURES)
def test_each_name_of_a_picture_exists(name: str) -> None:
    package = definitions(ROOT / "guidance_kit")
    assert [box.name for box in PICTURES[name].boxes if box.is_code and box.name not in package] == []
    drawn = (ROOT / "docs" / "images" / name).read_text(encoding="utf-8")
    assert drawn == PICTURES[name].svg(), "run: python -m tools.draw_architecture"
    assert f"](images/{name})" in ARCHITECTURE


def test_each_make_target_is_described() -> None:
    named = re.findall(r"^make (\w+) ", CONTRIBUTING, re.MULTILINE)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^(\w+):.*## ", makefile, re.MULTILINE))
    assert set(named) == targets - {"help", "demo", "clean", "distclean"}


@pytest.mark.parametrize(
    "text",
    [
        "One row in `Constraint` of `guidance_kit/grammars/json_schema/absent.py`.",
        "An option that `constraint_maker` of `guidance_kit/cli/arguments.py` reads.",  # imported there
        "In `guidance_kit/cli/`, the function `absent_function`.",
        "Then `make absent`.",
        "Then `python tools/absent.py` with `--absent-flag`.",
        "A field `absent_field`, a class with `absent_method(...)`, and `Constraint(absent=...)`.",
    ],
)
def test_a_stale_name_is_found(text: str) -> None:
    spans = [span for span in SPAN.findall(text) if "absent" in span or span == "constraint_maker"]
    assert sorted(stale(text)) == sorted(spans)
