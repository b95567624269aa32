"""The import law: which part may import which, and through which file each foreign library comes in.

Every import statement counts, wherever it stands: at the top, in a function, under TYPE_CHECKING.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from sources import statements

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "guidance_kit"

# Part -> the modules it may import besides its own, without the leading "guidance_kit.". "fsm" alone is the door of the
# part (its __init__), "fsm.*" everything in it. The same table stands in docs/architecture.md.
EVERYTHING = (
    "errors", "model_source", "prompt", "vocabulary", "fsm", "fsm.*", "grammars", "grammars.*", "guides", "guides.*",
    "models", "models.*", "decoding", "decoding.*", "steering", "steering.*", "text_model", "tasks", "tasks.*", "model",
    "async_model", "thinking", "confidence", "analysis", "analysis.*", "mixture_of_agents", "reports", "reports.*",
    "extraction", "extraction.*", "evaluation", "evaluation.*", "integrations", "integrations.*",
)  # fmt: skip
PARTS: dict[str, tuple[str, ...]] = {
    "errors": (),
    "model_source": ("errors",),
    "prompt": ("errors",),
    "vocabulary": ("errors",),
    "fsm": ("vocabulary", "errors"),
    "grammars": ("fsm", "fsm.*", "reports.drawing", "vocabulary", "errors"),
    "guides": (
        "grammars", "grammars.constraint", "fsm", "fsm.matcher", "fsm.mask_batch", "fsm.bitmask", "errors",
    ),
    "models": ("model_source", "prompt", "vocabulary", "errors"),
    "decoding": ("guides", "guides.*", "models", "models.*", "reports.trace", "prompt", "vocabulary", "errors"),
    "steering": (
        "decoding.distribution", "decoding.drafts.*", "decoding.padding_rows", "decoding.sampling",
        "decoding.speculation", "decoding.tree_logits", "models.token_tree", "prompt", "vocabulary", "errors",
    ),
    "text_model": ("decoding.distribution", "vocabulary"),
    "thinking": ("text_model", "grammars.*", "decoding.*", "prompt", "vocabulary", "errors"),
    "confidence": ("grammars.constraint", "fsm.matcher", "decoding.*", "vocabulary", "errors"),
    "tasks": (
        "text_model", "grammars.argument", "grammars.constraint", "grammars.json_schema", "grammars.region",
        "fsm.matcher", "guides.*", "decoding.*", "steering.*", "models.prompts", "confidence", "thinking", "prompt",
        "vocabulary", "errors",
    ),
    "model": (
        "tasks.*", "text_model", "grammars.argument", "guides.guide", "decoding.*", "models", "models.*", "async_model",
        "model_source", "thinking", "prompt", "errors",
    ),
    "async_model": (
        "model", "grammars.argument", "grammars.constraint", "guides.guide", "decoding.*", "thinking", "prompt",
        "errors",
    ),
    "analysis": (
        "model", "model_source", "grammars.argument", "grammars.constraint", "fsm.matcher", "guides.constraint",
        "decoding", "decoding.*", "models", "models.*", "reports.detection", "steering.classified", "prompt",
        "vocabulary", "errors",
    ),
    "mixture_of_agents": (
        "model", "grammars.argument", "guides.guide", "decoding.*", "prompt", "errors",
    ),
    "extraction": (
        "model", "grammars", "grammars.constraint", "grammars.json_schema", "decoding", "decoding.*", "models",
        "models.*", "vocabulary", "errors",
    ),
    "evaluation": (
        "model", "grammars.constraint", "grammars.json_schema", "grammars.text", "decoding", "decoding.*", "steering",
        "steering.*", "models", "models.*", "thinking", "prompt", "vocabulary", "errors",
    ),
    "reports": tuple(name for name in EVERYTHING if not name.startswith(("reports", "integrations"))),
    "integrations": (*EVERYTHING, "<root>"),
    "cli": (*EVERYTHING, "<root>"),
    "__main__": ("cli",),
    "<root>": (),
}  # fmt: skip

# Foreign library -> the files that may import it. A library that is not here is not a dependency.
FOREIGN: dict[str, tuple[str, ...]] = {
    "numpy": ("*",),
    "lazy_loader": ("__init__.py",),
    "greenlet": ("decoding/continuous_batch.py",),
    "numba": (
        "fsm/kernels/atomics.py",
        "fsm/kernels/code_libraries.py",
        "fsm/kernels/compiling.py",
        "fsm/kernels/handles.py",
        "fsm/kernel_cache.py",
    ),
    "llvmlite": ("fsm/kernels/code_libraries.py", "fsm/kernels/compiling.py"),
    "regex": ("grammars/regular/*",),
    "lark": (
        "grammars/lark.py",
        "grammars/lark_captures.py",
        "grammars/lark_reader.py",
        "grammars/lark_scanners.py",
        "grammars/lark_terminals.py",
    ),
    "jsonschema": ("grammars/json_schema/*", "evaluation/records.py"),
    "jsonschema_specifications": ("grammars/json_schema/*",),
    "referencing": ("grammars/json_schema/*", "grammars/comparison.py"),
    "pydantic": (
        "grammars/json_schema/*",
        "grammars/python_type.py",
        "grammars/python_schema.py",
        "integrations/vllm/engine_model.py",
        "integrations/vllm/request_matcher.py",
        "integrations/vllm/steering_request.py",
    ),
    "pydantic_core": (
        "grammars/json_schema/partial.py",
        "grammars/python_scalars.py",
        "grammars/python_schema.py",
    ),
    "typing_extensions": ("grammars/python_type.py",),
    "vllm": ("integrations/vllm/*",),
    "ray": ("integrations/ray_jobs/*",),
    "sglang": ("integrations/sglang/*",),
    "llama_cpp": ("models/gguf/*", "integrations/llama_cpp_python.py"),
    "lm_eval": ("integrations/lm_eval/*",),
    "datasets": ("integrations/lm_eval/*",),
    "tqdm": ("integrations/lm_eval/*",),
    "torch": (
        "guides/*",
        "models/*",
        "decoding/*",
        "steering/*",
        "integrations/*",
        "analysis/*",
        "confidence/*",
        "evaluation/judges.py",
    ),
    "triton": ("guides/triton_mask.py",),
    "transformers": ("model.py", "models/*", "integrations/transformers.py", "integrations/continuous_batching.py"),
    "safetensors": ("models/*",),
    "peft": ("models/*",),
    "typer": ("cli/*",),
    "rich": ("cli/*", "reports/*"),
    "pygraphviz": ("reports/*",),
    "railroad": ("reports/pattern_words.py",),
    "matplotlib": ("reports/plots.py",),
    "sacrebleu": ("decoding/utilities.py",),
    "sklearn": ("evaluation/judges.py",),
    "pyarrow": ("extraction/parquet_table.py", "extraction/documents/parquet_file.py"),
    "platformdirs": ("*",),
}


def part_of(module: str) -> str:
    """The part to which a module belongs; the package's own __init__ is "<root>"."""
    return module.split(".")[0] if module else "<root>"


def imports(source: str, module: str, *, is_package: bool) -> Iterator[tuple[int, str, str | None]]:
    """Every import in `source`: its line, the absolute module, and the name taken from it (None for `import m`)."""
    here = ["guidance_kit", *module.split(".")] if module else ["guidance_kit"]
    for node in statements(source):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name, None
        elif isinstance(node, ast.ImportFrom):
            base = here[: len(here) - node.level + is_package] if node.level else []
            target = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                yield node.lineno, target, alias.name


def is_module(package: Path, dotted: str) -> bool:
    """Test whether `dotted` (without the leading package name) is a module file or a package folder."""
    path = package.joinpath(*dotted.split("."))
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def violations(package: Path) -> list[str]:
    """Every breach of the law in the tree at `package`, as "file:line: what"."""
    found = []
    for file in sorted(package.rglob("*.py")):
        relative = file.relative_to(package)
        is_package = file.name == "__init__.py"
        module = ".".join(relative.parent.parts if is_package else relative.with_suffix("").parts)
        part = part_of(module)
        if part not in PARTS:
            found.append(f"{relative}: {part!r} is not a part of the house")
            continue
        for line, target, name in imports(file.read_text(encoding="utf-8"), module, is_package=is_package):
            top = target.split(".")[0]
            if top != "guidance_kit":
                if top in sys.stdlib_module_names:
                    continue
                allowed = FOREIGN.get(top, ())
                if not any(fnmatchcase(relative.as_posix(), pattern) for pattern in allowed):
                    found.append(f"{relative}:{line}: {top} may be imported only by {', '.join(allowed) or 'nobody'}")
                continue
            inner = target.removeprefix("guidance_kit").removeprefix(".")
            if name is not None:
                member = f"{inner}.{name}" if inner else name
                if is_module(package, member):
                    inner = member
            if part_of(inner) == part:
                continue
            if not any(fnmatchcase(inner or "<root>", pattern) for pattern in PARTS[part]):
                found.append(f"{relative}:{line}: {part} may not import {inner or 'the package root'}")
    return found


def test_the_package_keeps_the_law():
    assert violations(PACKAGE) == []


BREACHES = [
    ("errors.py", "from guidance_kit import vocabulary"),
    ("vocabulary.py", "import torch"),
    ("vocabulary.py", "from guidance_kit.fsm.network import Network"),
    ("fsm/automaton.py", "def f():\n    import numba"),
    ("fsm/kernels/steps.py", "from numba import njit"),
    ("fsm/automaton.py", "from ..grammars import regex"),
    ("grammars/regex.py", "if TYPE_CHECKING:\n    from guidance_kit.models import TransformersModel"),
    ("guides/constraint.py", "from guidance_kit.fsm.kernels import walk"),
    ("guides/constraint.py", "from guidance_kit.fsm import kernels"),
    ("guides/constraint.py", "from ..fsm.network import Network"),
    ("models/loading.py", "from guidance_kit.decoding.generation import generate"),
    ("decoding/walk.py", "import transformers.generation"),
    ("decoding/walk.py", "import guidance_kit.fsm.matcher"),
    ("decoding/walk.py", "import guidance_kit"),
    ("integrations/vllm.py", "from guidance_kit.cli import main"),
    ("guides/constraint.py", "import triton.language as tl"),
    ("fsm/automaton.py", "import unheard_of"),
    ("drawer.py", ""),
]

PERMITTED = [
    ("fsm/kernels/compiling.py", "import numba\nfrom numba import njit"),
    ("fsm/matcher.py", "from . import bitmask\nfrom .network import Network\nfrom ..errors import MatchError"),
    ("guides/constraint.py", "from guidance_kit.fsm import Matcher, bitmask\nimport torch"),
    ("guides/constraint.py", "from guidance_kit.grammars import Constraint"),
    ("grammars/json_schema/strings.py", "from guidance_kit.fsm.network import Network\nimport jsonschema.validators"),
    ("decoding/walk.py", "from guidance_kit.models.transformers_model import TransformersModel\nimport numpy as np"),
    ("cli/check.py", "import typer\nfrom guidance_kit import __version__, extraction\nimport os.path"),
]


def house(folder: Path) -> Path:
    """An empty tree with the modules that the tables above name."""
    package = folder / "guidance_kit"
    names = [
        "errors.py",
        "vocabulary.py",
        "cli/__init__.py",
        "extraction/__init__.py",
        "fsm/matcher.py",
        "fsm/kernels/__init__.py",
    ]
    for name in [*names, "fsm/bitmask.py", "fsm/network.py", "grammars/regex.py", "models/transformers_model.py"]:
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).touch()
    return package


@pytest.mark.parametrize(("file", "source"), BREACHES)
def test_a_breach_is_caught(tmp_path, file, source):
    package = house(tmp_path)
    (package / file).parent.mkdir(parents=True, exist_ok=True)
    (package / file).write_text(source)
    assert len(violations(package)) == 1


@pytest.mark.parametrize(("file", "source"), PERMITTED)
def test_what_is_permitted_passes(tmp_path, file, source):
    package = house(tmp_path)
    (package / file).parent.mkdir(parents=True, exist_ok=True)
    (package / file).write_text(source)
    assert violations(package) == []


def as_text(pattern: str) -> str:
    """A pattern as it is shown in the documentation."""
    return "every file" if pattern == "*" else f"`{pattern}`"


def tables() -> str:
    """The law as the two tables of docs/architecture.md."""
    rows = ["| part | may import |", "|---|---|"]
    for part, allowed in PARTS.items():
        if part == "<root>":
            continue
        if set(allowed) >= set(EVERYTHING):
            shown = "everything" if part == "cli" else "everything but `cli`"
        elif part == "reports":
            shown = "what it draws: everything but `cli` and `integrations`"
        else:
            shown = ", ".join(map(as_text, allowed)) or "-"
        rows.append(f"| `{part}` | {shown} |")
    rows += ["", "| foreign library | comes in through |", "|---|---|"]
    rows += [f"| {library} | {', '.join(map(as_text, files))} |" for library, files in FOREIGN.items()]
    return "\n".join(rows)


def with_tables(page: str) -> str:
    """The page with the tables as the law has them now."""
    begin, end = "<!-- begin import law -->\n", "\n<!-- end import law -->"
    return page[: page.index(begin) + len(begin)] + tables() + page[page.index(end) :]


ARCHITECTURE = ROOT / "docs" / "architecture.md"


def test_the_documentation_shows_the_law():
    page = ARCHITECTURE.read_text(encoding="utf-8")
    assert page == with_tables(page), "run: python tests/test_import_law.py"


def dependencies() -> set[str]:
    """Import names of what is installed with the package."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {re.match(r"[\w-]+", line)[0].replace("-", "_") for line in project["dependencies"]}


def test_every_foreign_library_is_declared():
    extras = {
        "llama_cpp", "lm_eval", "matplotlib", "peft", "pyarrow", "pygraphviz", "railroad", "ray", "sacrebleu", "sglang",
        "sklearn", "vllm",
    }  # fmt: skip
    brought = {"triton", "llvmlite"} | {"datasets", "tqdm"}  # by torch and numba, and by lm_eval
    assert set(FOREIGN) - dependencies() == extras | brought


def test_every_dependency_has_a_reason():
    section = ARCHITECTURE.read_text(encoding="utf-8").partition("## Why each dependency")[2]
    head, *rows = re.findall(r"(?m)^\| (\w+) \|", section)
    assert head == "library"
    assert sorted(rows) == sorted(dependencies())


if __name__ == "__main__":
    ARCHITECTURE.write_text(with_tables(ARCHITECTURE.read_text(encoding="utf-8")), encoding="utf-8")
