"""`guidance-kit lower`: a schema in the subset that another engine or service enforces, and what is lost."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from guidance_kit.cli.constraints import compared
from guidance_kit.cli.exit_status import Exit
from guidance_kit.cli.terminal import Debug, note
from guidance_kit.cli.warmup import compile_kernels
from guidance_kit.errors import OptionError

__all__ = ["lower"]


def lower(
    schema: Annotated[
        str,
        typer.Argument(
            metavar="SCHEMA",
            help="JSON Schema file, or module:Name or path/to/file.py:Name of a Python type or a JSON Schema (dict).",
            show_default=False,
        ),
    ],
    target: Annotated[
        str,
        typer.Option(
            "--for",
            metavar="TARGET",
            help="openai, gemini, anthropic, bedrock, llguidance, xgrammar, outlines or gbnf.",
            show_default=False,
        ),
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the schema, what is lost and the notes as one JSON object.")
    ] = False,
    debug: Debug = False,
) -> None:
    """Write a schema in the subset that an engine or service enforces; tell what is lost, with instances.

    The schema, or for gbnf the grammar, goes to standard output, what is lost to standard error.

    \b
    Exit status: 0 nothing is lost, 1 something is, 2 wrong usage.

    \b
    Examples:
      guidance-kit lower ticket.json --for openai > ticket_openai.json
      guidance-kit lower examples/ticket.py:Ticket --for anthropic
      guidance-kit lower ticket.json --for gbnf > ticket.gbnf
    """
    from guidance_kit.grammars.constraint import Constraint
    from guidance_kit.grammars.lowered_schema import lower as lower_schema

    given = compared(schema)
    if isinstance(given, Constraint):
        if given.kind != "json_schema" or not isinstance(given.source, str):
            raise OptionError(f"{schema} is no JSON Schema, and only these can be lowered")
        given = json.loads(given.source)
    if not isinstance(given, dict):
        raise OptionError(f"{schema} is {json.dumps(given)}; a schema to be lowered is an object")
    compile_kernels()
    lowered = lower_schema(given, target)
    out = typer.get_text_stream("stdout")
    shown = lowered.as_dict() if as_json else lowered.schema
    is_grammar = lowered.grammar is not None and not as_json
    out.write(str(lowered.grammar) if is_grammar else json.dumps(shown, indent=2, ensure_ascii=False) + "\n")
    if not as_json:
        for residue in lowered.residue:
            note(f"Lost: {residue}")
        for line in lowered.notes:
            note(f"Note: {line}")
    if not lowered.is_equivalent:
        raise typer.Exit(Exit.FAILED)
