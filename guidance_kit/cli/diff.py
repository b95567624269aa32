"""`guidance-kit diff`: compare two schemas, grammars or types, for changes of a schema in continuous integration."""

from __future__ import annotations

import json
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.text import Text

from guidance_kit.cli.constraints import compared
from guidance_kit.cli.exit_status import Exit
from guidance_kit.cli.terminal import Debug
from guidance_kit.cli.warmup import compile_kernels
from guidance_kit.errors import OptionError

__all__ = ["diff"]

_REQUIRED = ("equal", "within", "contains")

_SIDE = (
    "JSON Schema file, grammar file (.lark, .gbnf, .ebnf), or module:Name or path/to/file.py:Name of a Python type, a "
    "constraint or a JSON Schema (dict)."
)


def diff(
    left: Annotated[str, typer.Argument(metavar="A", help=_SIDE, show_default=False)],
    right: Annotated[str, typer.Argument(metavar="B", help="The same.", show_default=False)],
    require: Annotated[
        str,
        typer.Option(
            metavar="RELATION",
            help="Relation with exit status 0. equal; within: B takes all that A takes; contains: the opposite.",
        ),
    ] = "equal",
    formats: Annotated[
        str, typer.Option(metavar="HOW", help="format in JSON Schemas: assert (it restricts values) or annotate.")
    ] = "assert",
    steps: Annotated[
        int, typer.Option(metavar="N", help="Counted work for each of the two proofs, and for each counterexample.")
    ] = 20_000,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    debug: Debug = False,
) -> None:
    """Compare two schemas, types or grammars; show a shortest instance that only one of them takes.

    JSON Schemas are compared by their instances: order, white space, annotations and ways of writing say nothing.

    \b
    Exit status: 0 the required relation holds, 1 it does not, 2 wrong usage, 3 unknown.

    \b
    Examples:
      guidance-kit diff ticket.json ticket_v2.json
      guidance-kit diff ticket.json ticket_v2.json --require within
      guidance-kit diff examples/ticket.py:Ticket ticket.json --json
    """
    if require not in _REQUIRED:
        raise OptionError.unknown(require, _REQUIRED, "--require")
    from guidance_kit.grammars.comparison import compare

    mode: Literal["assert", "annotate"] = "annotate" if formats == "annotate" else "assert"
    if formats != mode:
        raise OptionError.unknown(formats, ("assert", "annotate"), "--formats")
    compile_kernels()
    result = compare(compared(left), compared(right), formats=mode, steps=steps)
    if as_json:
        typer.get_text_stream("stdout").write(json.dumps(result.as_dict(), ensure_ascii=False) + "\n")
    else:
        out = Console(file=typer.get_text_stream("stdout"), highlight=False)
        out.print(Text(result.told(left, right)), soft_wrap=True)
    held = {
        "equal": result.is_equal,
        "within": result.left_in_right.holds,
        "contains": result.right_in_left.holds,
    }[require]
    if held is not True:
        raise typer.Exit(Exit.STOPPED if held is None else Exit.FAILED)
