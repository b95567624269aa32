"""`guidance-kit generate`: continue one prompt, under a constraint if there is one."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from guidance_kit.cli.arguments import (
    Adapter,
    Complete,
    Device,
    Dtype,
    Lexer,
    ModelName,
    Seed,
    Start,
    Temperature,
    Whitespace,
    constraint_maker,
    is_grammar_file,
    load_model,
)
from guidance_kit.cli.exit_status import Exit
from guidance_kit.cli.terminal import Debug, note, warn
from guidance_kit.cli.warmup import compile_kernels
from guidance_kit.errors import OptionError

if TYPE_CHECKING:
    from guidance_kit.grammars.constraint import Constraint

__all__ = ["generate"]


def generate(
    prompt: Annotated[str, typer.Argument(metavar="PROMPT", help="The text to continue; - reads standard input.")],
    regex: Annotated[
        str | None,
        typer.Option(metavar="PATTERN", help="The text matches this regular expression of Python.", show_default=False),
    ] = None,
    schema: Annotated[
        str | None,
        typer.Option(
            "--schema",
            "-s",
            metavar="SCHEMA",
            help="The text is JSON of this schema: a file, or a Python type as module:Class.",
            show_default=False,
        ),
    ] = None,
    grammar: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="The text is one of this grammar: a file in .lark, .gbnf or .ebnf.", show_default=False
        ),
    ] = None,
    start: Start = None,
    lexer: Lexer = "dynamic_complete",
    choice: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help="The text is one of these; give it several times.", show_default=False),
    ] = None,
    whitespace: Whitespace = "flexible",
    chat: Annotated[bool, typer.Option("--chat", help="Put the prompt to the model as a user's message.")] = False,
    stream: Annotated[bool, typer.Option("--stream", help="Print the text while it is written.")] = False,
    model: ModelName = None,
    device: Device = None,
    dtype: Dtype = None,
    adapter: Adapter = None,
    max_tokens: Annotated[int, typer.Option(metavar="N", min=1, help="Longest text.")] = 512,
    complete: Complete = False,
    temperature: Temperature = 1.0,
    top_k: Annotated[
        int | None, typer.Option(metavar="K", min=1, help="Draw from the K likeliest tokens.", show_default=False)
    ] = None,
    top_p: Annotated[
        float | None,
        typer.Option(
            metavar="P", min=0.0, max=1.0, help="Draw from the likeliest that add up to P.", show_default=False
        ),
    ] = None,
    min_p: Annotated[
        float | None,
        typer.Option(
            metavar="P",
            min=0.0,
            max=1.0,
            help="Draw from those at least P times as likely as the likeliest.",
            show_default=False,
        ),
    ] = None,
    seed: Seed = None,
    stop: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help="End before this text; may be given several times.", show_default=False),
    ] = None,
    debug: Debug = False,
) -> None:
    """Continue a prompt.

    \b
    Exit status: 0 done, 1 cut short before it satisfied the constraint,
    2 wrong usage, 3 it could not go on, 130 interrupted.

    \b
    Examples:
      guidance-kit generate "The answer is" --choice yes --choice no
      guidance-kit generate "Call me at " --regex '\\d{3}-\\d{4}' --seed 7
    """
    constraint = _constraint(regex, schema, grammar, choice, whitespace=whitespace, start=start, lexer=lexer)
    if complete and constraint is None:
        raise OptionError("--complete needs a constraint: --regex, --schema, --grammar or --choice")
    if prompt == "-":
        prompt = _standard_input()
    options: dict[str, Any] = {
        "max_tokens": max_tokens, "complete": complete, "temperature": temperature, "top_k": top_k, "top_p": top_p,
        "min_p": min_p, "seed": seed, "stop": stop or None,
    }  # fmt: skip
    if constraint is not None:
        compile_kernels()
    loaded = load_model(model, device, dtype, adapter)
    given: Any = loaded.language_model.chat([{"role": "user", "content": prompt}]) if chat else prompt
    if stream:
        pieces = loaded.stream(given, constraint, **options)
        for piece in pieces:
            typer.echo(piece, nl=False)
        typer.echo()
        completion = pieces.completion
    else:
        completion = loaded.generate(given, constraint, **options)
        typer.echo(completion.text)
    if completion.finish_reason == "budget":
        note(f"Completed after {len(completion.tokens)} tokens for lack of room")
    elif constraint is not None and completion.finish_reason != "complete":
        why = f"{len(completion.tokens)} tokens" if completion.finish_reason == "length" else "a stop text"
        warn(f"cut short by {why}, so the text may not satisfy the constraint")
        raise typer.Exit(Exit.FAILED)


def _standard_input() -> str:
    """The prompt on standard input, without the line end that closes it.

    Raises:
        OptionError: it is not UTF-8.
    """
    raw = sys.stdin.buffer.read()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise OptionError(f"standard input is not UTF-8 at byte {error.start}") from None
    return text.replace("\r\n", "\n").removesuffix("\n")


def _constraint(
    regex: str | None, schema: str | None, grammar: str | None, choice: list[str] | None, **options: Any
) -> Constraint | None:
    """The constraint that was asked for.

    Raises:
        OptionError: several were.
    """
    asked = {"--regex": regex, "--schema": schema, "--grammar": grammar, "--choice": choice or None}
    given = [name for name, value in asked.items() if value is not None]
    if len(given) > 1:
        raise OptionError(f"{' and '.join(given)} exclude each other")
    if choice:
        from guidance_kit.grammars.constraint import choice as choice_constraint

        return choice_constraint(choice)
    if grammar is not None and not is_grammar_file(grammar):
        raise OptionError(f"--grammar {grammar}: the file of a grammar ends in .lark, .gbnf or .ebnf")
    return constraint_maker(schema=schema or grammar, regex=regex, **options)() if given else None
