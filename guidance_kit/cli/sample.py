"""`guidance-kit sample`: random valid texts of a schema, grammar or pattern, without a model."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.text import Text

from guidance_kit.cli.arguments import (
    Digits,
    DumpedWhitespace,
    Escapes,
    Lexer,
    Order,
    Regex,
    SchemaArgument,
    Start,
)
from guidance_kit.cli.constraints import GrammarReading, JsonForm, constraint_maker
from guidance_kit.cli.exit_status import Exit
from guidance_kit.cli.terminal import Debug, note
from guidance_kit.cli.warmup import compile_kernels

__all__ = ["sample"]


def sample(
    schema: SchemaArgument = None,
    regex: Regex = None,
    number: Annotated[int, typer.Option("--number", "-n", metavar="N", min=1, help="Number of distinct texts.")] = 5,
    max_length: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="Maximum length in bytes of UTF-8.", show_default=False)
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="Seed, for repeatable texts; random if left out.", show_default=False),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print each text as a JSON string, with escaped line ends.")
    ] = False,
    start: Start = None,
    lexer: Lexer = "dynamic_complete",
    whitespace: DumpedWhitespace = None,
    order: Order = None,
    escapes: Escapes = None,
    digits: Digits = None,
    debug: Debug = False,
) -> None:
    """Print random valid texts of a schema, grammar or pattern, one a line.

    No model is needed, and the distribution is unspecified. The white space of JSON is that of json.dumps, unless
    --whitespace is given.

    \b
    Exit status: 0 done, 1 no text was found that passes the conditions of a Python type, 2 wrong usage.

    \b
    Examples:
      guidance-kit sample calculator.lark
      guidance-kit sample examples/ticket.py:Ticket -n 3 --seed 1
      guidance-kit sample --regex '[0-9]{4}-[0-9]{2}-[0-9]{2}'
    """
    form = JsonForm(whitespace, order, escapes, digits, is_dumped=True)
    make = constraint_maker(schema, regex, form, GrammarReading(start, lexer))
    constraint = make()
    compile_kernels()
    texts = constraint.sample(number, seed=seed, max_length=max_length)
    out = typer.get_text_stream("stdout")  # which writes UTF-8 where ASCII is meant
    for text in texts:
        out.write(f"{json.dumps(text, ensure_ascii=False) if as_json else text}\n")
    if not texts:
        note(Text.assemble(("Error: ", "red"), "no text was found that passes the conditions of the type"))
        raise typer.Exit(Exit.FAILED)
    if len(texts) < number:
        note("Only one text was found" if len(texts) == 1 else f"Only {len(texts)} distinct texts were found")
