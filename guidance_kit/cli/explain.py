"""`guidance-kit explain`: a constraint in English and as a picture, on one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from guidance_kit.cli.arguments import (
    Digits,
    Escapes,
    Lexer,
    Order,
    Regex,
    SchemaArgument,
    Start,
    Whitespace,
    require_writable,
)
from guidance_kit.cli.constraints import GrammarReading, JsonForm, constraint_maker
from guidance_kit.cli.terminal import Debug, note
from guidance_kit.cli.warmup import compile_kernels

__all__ = ["explain"]


def explain(
    schema: SchemaArgument = None,
    regex: Regex = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Page to write; the words alone if left out.", show_default=False
        ),
    ] = None,
    start: Start = None,
    lexer: Lexer = "dynamic_complete",
    whitespace: Whitespace = None,
    order: Order = None,
    escapes: Escapes = None,
    digits: Digits = None,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Seed of the examples.")] = 0,
    debug: Debug = False,
) -> None:
    """Explain a schema, grammar or pattern in English, with valid texts and near misses.

    The page has the fields as boxes, and syntax diagrams of patterns and grammars. It is one HTML file without external
    resources. Near misses differ from a valid text in one place, and say why they are invalid.

    \b
    Exit status: 0 done, 2 wrong usage, 3 it could not go on.

    \b
    Examples:
      guidance-kit explain ticket.json -o ticket.html
      guidance-kit explain calculator.lark
      guidance-kit explain --regex '[0-9]{4}-[0-9]{2}'
    """
    form = JsonForm(whitespace, order, escapes, digits)
    make = constraint_maker(schema, regex, form, GrammarReading(start, lexer))
    if output is not None:
        require_writable(output)
    from guidance_kit.reports.explanation import explain as explained

    constraint = make()
    compile_kernels()
    found = explained(constraint, seed=seed)
    typer.echo(str(found))
    if output is not None:
        output.write_text(found.to_html(), encoding="utf-8")
        note(f"{output}: {len(found.fields) + len(found.rules)} parts, {len(found.near_misses)} near misses")
