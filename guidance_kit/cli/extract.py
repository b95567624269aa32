"""`guidance-kit extract`: documents in, records out."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from guidance_kit.cli.arguments import (
    Adapter,
    Complete,
    Device,
    Dtype,
    ModelName,
    Seed,
    Temperature,
    Whitespace,
    constraint_maker,
    load_model,
)
from guidance_kit.cli.exit_status import Exit
from guidance_kit.cli.progress import Progress
from guidance_kit.cli.terminal import Debug, note
from guidance_kit.cli.warmup import compile_kernels
from guidance_kit.errors import OptionError

__all__ = ["extract"]


def extract(
    inputs: Annotated[
        list[str],
        typer.Argument(metavar="INPUT", help="Files (.txt, .md, .jsonl, .csv), folders, or - for standard input."),
    ],
    schema: Annotated[
        str,
        typer.Option(
            "--schema",
            "-s",
            metavar="SCHEMA",
            help="What a record looks like: a JSON Schema file, or a Python type as module:Class or "
            "path/to/file.py:Class.",
        ),
    ],
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Where the records go, one JSON line a document; - prints."
        ),
    ] = "-",
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with FILE where an earlier run stopped; begin it if there is none.")
    ] = False,
    field: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="The field of JSON lines, or column of CSV, that is the text.", show_default=False
        ),
    ] = None,
    format: Annotated[
        Literal["text", "jsonl", "csv"] | None,
        typer.Option(
            metavar="FORMAT", help="Read all inputs as text, jsonl or csv, whatever their names.", show_default=False
        ),
    ] = None,
    encoding: Annotated[str, typer.Option(metavar="NAME", help="Encoding of the inputs.")] = "utf-8",
    model: ModelName = None,
    device: Device = None,
    dtype: Dtype = None,
    adapter: Adapter = None,
    batch_size: Annotated[
        int, typer.Option("--batch-size", "-b", metavar="N", min=1, help="Documents at once; fewer if memory runs out.")
    ] = 32,
    max_tokens: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Longest record; as long as the context allows.", show_default=False),
    ] = None,
    complete: Complete = False,
    temperature: Temperature = 0.0,
    seed: Seed = None,
    whitespace: Whitespace = "flexible",
    debug: Debug = False,
) -> None:
    """Read a record out of each document.

    A document that cannot be read, or gets no record, has its error in its line, and the others go on. The records of
    every finished batch are safe: --resume continues after an interruption, without repeating a document.

    \b
    Exit status: 0 all have records, 1 some have errors, 2 wrong usage,
    3 it could not go on, 130 interrupted.

    \b
    Examples:
      guidance-kit extract -s ticket.json mails/ -o tickets.jsonl
      guidance-kit extract -s examples/ticket.py:Ticket mails.csv \\
        --field body -o tickets.jsonl --resume
    """
    from guidance_kit.extraction.documents import Reading, count, find, read
    from guidance_kit.extraction.job import run

    is_file = output != "-" and (not Path(output).exists() or Path(output).is_file())
    if resume and not is_file:
        raise OptionError("--resume needs the file of an earlier run: name it with --output")
    reading = Reading(field=field, encoding=encoding, format=format)
    constraint = constraint_maker(schema=schema, whitespace=whitespace)()
    sources = find(inputs, reading, but=[output] if is_file else [])
    options: dict[str, Any] = {
        "max_tokens": max_tokens, "complete": complete, "temperature": temperature, "seed": seed,
    }  # fmt: skip
    settings = _settings(
        constraint.source, model, dtype=dtype, adapter=adapter, whitespace=whitespace, field=field, **options
    )
    with _output(output, settings, is_file=is_file, is_resumed=resume) as file:
        if getattr(file, "torn", 0):
            note(f"Cut off the line that the earlier run left unfinished ({file.torn} bytes)")
        compile_kernels()
        loaded = load_model(model, device, dtype, adapter)
        with Progress(count(sources, reading), is_shown=is_file) as progress:
            tally = run(
                read(sources, reading),
                loaded,
                constraint,
                file,
                batch_size=batch_size,
                options=options,
                on_batch=progress.update,
            )
    note(progress.summary(tally, output))
    if tally.failed:
        raise typer.Exit(Exit.FAILED)


def _output(path: str, settings: dict[str, Any], *, is_file: bool, is_resumed: bool) -> Any:
    """Where the lines go, as a context."""
    from guidance_kit.extraction.output import RecordFile, StandardOutput

    if is_file:
        return RecordFile.resume(path, settings) if is_resumed else RecordFile.create(path, settings)
    if path == "-":
        return nullcontext(StandardOutput())
    try:
        return nullcontext(StandardOutput(open(path, "ab")))
    except OSError as error:
        raise OptionError(f"{path} cannot be written: {(error.strerror or str(error)).lower()}") from None


def _settings(schema: Any, model: str | None, **others: Any) -> dict[str, Any]:
    """What the records depend on: another run may add to them only if it is the same."""
    import json

    is_folder = model is not None and Path(model).is_dir()
    return {"schema": json.loads(schema), "model": str(Path(str(model)).resolve()) if is_folder else model, **others}
