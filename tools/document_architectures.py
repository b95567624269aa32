"""Compare every causal and encoder-decoder architecture of transformers with itself, and write
docs/architectures.md.

python -m tools.document_architectures      # minutes
"""

from __future__ import annotations

import sys
from pathlib import Path

import transformers

from tests.architectures import FAMILIES, has_siblings, support

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "architectures.md"
MODULE = ROOT / "guidance_kit" / "models" / "architectures.py"
BEGIN, END = "<!-- begin architectures -->", "<!-- end architectures -->"
SHOWN = {
    "any": "exact, with a cache that is cut anywhere",
    "forward": "exact, with a state that continues from the end of a text",
    "none": "exact, computed from the start of the text at every token",
    "refused": "refused",
    "not compared": "not compared",
}


def rows() -> dict[str, tuple[str, str]]:
    """Support of each architecture."""
    transformers.logging.set_verbosity_error()
    found = {}
    for family in sorted(FAMILIES):
        found[family] = support(family)
        sys.stderr.write(f"{family}: {found[family][0]}\n")
    return found


def table(found: dict[str, tuple[str, str]]) -> str:
    """The table of the page."""
    lines = [f"transformers {transformers.__version__}: {len(found)} architectures.", ""]
    for kind, words in SHOWN.items():
        names = [name for name, (each, _) in found.items() if each == kind]
        lines += [f"### {words[0].upper()}{words[1:]} ({len(names)})", ""]
        if kind in ("refused", "not compared"):
            lines += ["| architecture | reason |", "|---|---|"]
            lines += [f"| `{name}` | {found[name][1].replace('|', ' ')} |" for name in names]
        else:
            lines.append(", ".join(f"`{name}`" for name in names))
        lines.append("")
    return "\n".join(lines)


def module(found: dict[str, tuple[str, str]], siblings: list[str]) -> str:
    """The lists of the module."""
    kinds = {name: kind for name, (kind, _) in found.items() if kind in ("any", "forward", "none")}
    return "\n".join([
        "CACHES: dict[str, CacheKind] = {",
        *[f'    "{name}": "{kind}",' for name, kind in kinds.items()],
        "}",
        '"""Name of an architecture -> the cache with which it is exact."""',
        "",
        "SIBLINGS: frozenset[str] = frozenset(",
        "    {",
        *[f'        "{name}",' for name in siblings],
        "    }",
        ")",
        '"""Architectures that keep tokens apart which are computed beside each other; see `KVCache.siblings`."""',
        "",
    ])  # fmt: skip


def main() -> None:
    """Write both files."""
    found = rows()
    siblings = [name for name, (kind, _) in found.items() if kind == "any" and has_siblings(name)]
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n{table(found)}{END}{rest.partition(END)[2]}", "utf-8")
    head = MODULE.read_text("utf-8").partition("CACHES: dict")[0]
    MODULE.write_text(head + module(found, siblings), "utf-8")


if __name__ == "__main__":
    main()
