"""Are tool calls of every style read as they were written, by us and by the style's public parser?

    python -m benchmarks.tool_calls                       10,000 calls of each style
    python -m benchmarks.tool_calls --calls 1000 hermes

Tools and calls are drawn, with strings that look like markup; each text is written by `Constraint.write` and read by
`Constraint.parse`. Where vLLM, openai-harmony and cohere-melody are installed, the parser of each style reads it too.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from drawn_calls import UNWRITABLE, draw_calls, draw_tools

import guidance_kit as gk
from guidance_kit.grammars.tool_formats import TOOL_FORMATS

try:
    import public_parsers
except ImportError:
    public_parsers = None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("styles", nargs="*", default=[*TOOL_FORMATS])
    parser.add_argument("--calls", type=int, default=10_000, help="of each style")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print("| style | calls | parsed alike | public parser | calls | read alike |")
    print("|---|--:|--:|---|--:|--:|")
    for style in given.styles:
        print(row(style, given.calls, given.seed), flush=True)


def row(style: str, wanted: int, seed: int) -> str:
    """Row of the table: numbers of calls."""
    rng, counts = random.Random(seed), {"all": 0, "ours": 0, "compared": 0, "theirs": 0}
    name = "" if public_parsers is None else public_parsers.PARSERS[style]
    forbidden = () if public_parsers is None else public_parsers.FORBIDDEN.get(style, ())
    left_out = (*forbidden, *UNWRITABLE.get(style, ()))
    while counts["all"] < wanted:
        tools = draw_tools(rng)
        constraint = gk.tool_calls(tools, style, free_text=False)
        for _ in range(50):
            calls = draw_calls(rng, tools, TOOL_FORMATS[style].most or 3, left_out)
            text = constraint.write(calls)
            counts["all"] += len(calls)
            counts["ours"] += len(calls) * (constraint.parse(text) == calls)
            if name and not any(text.count(one) > 1 for one in forbidden):
                counts["compared"] += len(calls)
                counts["theirs"] += len(calls) * (read_by_other(style, text, tools) == calls)
    theirs = f"{name} | {counts['compared']:,} | {counts['theirs']:,}" if name else " | | "
    return f"| `{style}` | {counts['all']:,} | {counts['ours']:,} | {theirs} |"


def read_by_other(style: str, text: str, tools: list[dict[str, Any]]) -> list[gk.Tagged]:
    """Calls as the public parser reads them."""
    assert public_parsers is not None
    return [gk.Tagged(name, arguments) for name, arguments in public_parsers.read_calls(style, text, tools)]


if __name__ == "__main__":
    main()
