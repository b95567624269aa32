"""`guidance-kit extract`: documents in, records out."""

from __future__ import annotations

import json
from contextlib import nullcontext
from dataclasses import asdict
from typing import Annotated, Any, Literal

import typer

from guidance_kit.cli.arguments import (
    Adapter,
    Complete,
    Device,
    Digits,
    Dtype,
    Escapes,
    ModelName,
    Order,
    Seed,
    Temperature,
    TrustRemoteCode,
    Whitespace,
    check_options,
    refuse_trust_with_standard_input,
)
from guidance_kit.cli.constraints import JsonForm, constraint_maker
from guidance_kit.cli.drafts import Ahead, DraftOption
from guidance_kit.cli.engines import Engine, EngineOption, EngineOptions
from guidance_kit.cli.exit_status import Exit
from guidance_kit.cli.extraction_runs import ModelOptions, batches_here, batches_on_ray
from guidance_kit.cli.generation import SketchTokens, ThoughtTokens, thoughts_of
from guidance_kit.cli.jobs import (
    BatchSize,
    Encoding,
    Field,
    FileFormat,
    Inputs,
    Output,
    Resume,
    files_of,
    is_record_file,
    job_settings,
    opened,
)
from guidance_kit.cli.progress import Progress
from guidance_kit.cli.regions import ThoughtSampling
from guidance_kit.cli.terminal import Debug, explained, note
from guidance_kit.errors import OptionError

__all__ = ["extract"]


def extract(
    inputs: Inputs,
    schema: Annotated[
        str,
        typer.Option(
            "--schema",
            "-s",
            metavar="SCHEMA",
            help="Schema of a record: JSON Schema file, or module:Name or path/to/file.py:Name of a Python type, "
            "dict or json_schema().",
        ),
    ],
    output: Output = "-",
    resume: Resume = False,
    field: Field = None,
    format: FileFormat = None,
    encoding: Encoding = "utf-8",
    model: ModelName = None,
    device: Device = None,
    dtype: Dtype = None,
    adapter: Adapter = None,
    trust_remote_code: TrustRemoteCode = False,
    batch_size: BatchSize = 32,
    max_tokens: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Maximum number of tokens of a record; the room in the context if left out.",
            show_default=False,
        ),
    ] = None,
    max_field_tokens: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Maximum number of tokens of a field; 1024 if left out, with --complete that of a record.",
            show_default=False,
        ),
    ] = None,
    complete: Complete = False,
    temperature: Temperature = 0.0,
    seed: Seed = None,
    excerpts: Annotated[
        bool,
        typer.Option(
            "--excerpts",
            help="Extractive: strings without pattern, format, enum or const are spans of the document (names and "
            "addresses, not summaries).",
        ),
    ] = False,
    draft: DraftOption = None,
    ahead: Ahead = None,
    think: ThoughtTokens = None,
    sketch: SketchTokens = None,
    thought_sampling: ThoughtSampling = None,
    confidence: Annotated[
        Literal["before", "record"] | None,
        typer.Option(
            metavar="GIVEN",
            help="Write the probability of each field: given the text before it (before), or the rest of the record "
            "as well (record).",
            show_default=False,
        ),
    ] = None,
    min_confidence: Annotated[
        float | None,
        typer.Option(
            metavar="P",
            min=0.0,
            max=1.0,
            help="Records with a field below P go to the file of --unsure.",
            show_default=False,
        ),
    ] = None,
    unsure: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Output of the records below --min-confidence.", show_default=False),
    ] = None,
    ray: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Run on a Ray cluster: HOST:PORT of its head, auto for that of this machine, local for a new one.",
            show_default=False,
        ),
    ] = None,
    actors: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Models on the Ray cluster; one for each GPU, or without any for each machine, if left out.",
            show_default=False,
        ),
    ] = None,
    engine: EngineOption = "transformers",
    engine_options: EngineOptions = None,
    whitespace: Whitespace = None,
    order: Order = None,
    escapes: Escapes = None,
    digits: Digits = None,
    debug: Debug = False,
) -> None:
    """Extract a JSON record from each document.

    A failed document has an error in its line; the others continue. Records of finished batches are on disk: --resume
    continues after an interruption and repeats no document. Numbers have
    at most 40 digits before the point and 40 after it, if the schema needs no more. A record whose field has more than
    --max-field-tokens ends there, with an error that names the field. With --min-confidence, records that have a field
    of a lower probability go to a second file; with --confidence all lines have the probabilities. With --ray the
    documents are read and the records written here, and models run on the machines of a cluster. With --engine vllm
    each of them is an engine of vLLM.

    \b
    Exit status: 0 all documents have records, 1 some have errors, 2 wrong
    usage, 3 stopped by an error, 130 interrupted.

    \b
    Examples:
      guidance-kit extract -s ticket.json mails/ -o tickets.jsonl
      guidance-kit extract -s examples/ticket.py:Ticket mails.csv \\
        --field body -o tickets.jsonl --resume
      guidance-kit extract -s ticket.json mails/ --excerpts --draft excerpts
      guidance-kit extract -s ticket.json mails/ -o sure.jsonl \\
        --min-confidence 0.9 --unsure review.jsonl
      guidance-kit extract -s ticket.json mails/ -o tickets.jsonl \\
        --think 400 --thought-sampling temperature=0.6,top_p=0.95
    """
    from guidance_kit.decoding.field_limit import record_options
    from guidance_kit.extraction.documents import Reading, count, find, read
    from guidance_kit.extraction.job import process
    from guidance_kit.extraction.record_work import RecordWork
    from guidance_kit.extraction.table_columns import Columns
    from guidance_kit.grammars.json_schema import MAX_RECORD_DIGITS

    if (min_confidence is None) != (unsure is None):
        raise OptionError("--min-confidence P needs --unsure FILE, where records below P go, and the other way round")
    if actors is not None and ray is None:
        raise OptionError("--actors N needs --ray ADDRESS, the cluster of the actors")
    if unsure is not None and unsure == output:
        raise OptionError(f"--output and --unsure name one file, {unsure}; they need two")
    refused = {
        "device": device, "adapter": adapter, "draft": draft, "ahead": ahead, "think": think, "sketch": sketch,
        "confidence": confidence, "min_confidence": min_confidence,
    }  # fmt: skip
    served = Engine.of(engine, engine_options, refused)
    is_file = is_record_file(output, is_resumed=resume)
    outputs = files_of(output) if is_file else []
    if unsure is not None and is_record_file(unsure, is_resumed=resume):
        outputs += files_of(unsure)
    reading = Reading(field=field, encoding=encoding, format=format)
    refuse_trust_with_standard_input(inputs, trust_remote_code=trust_remote_code)
    form = JsonForm(whitespace, order, escapes, digits, max_digits=MAX_RECORD_DIGITS)
    constraint = constraint_maker(schema, None, form)()
    if constraint.kind != "json_schema":
        raise OptionError(
            f"a record is described by a schema or type, and {schema} is a constraint of {constraint.kind}()"
        )
    sources = find(inputs, reading, but=outputs)
    given: dict[str, Any] = {
        "max_tokens": max_tokens, "complete": complete, "temperature": temperature, "seed": seed,
        "draft": draft, "ahead": ahead,
    }  # fmt: skip
    options = record_options(given if max_field_tokens is None else {**given, "max_field_tokens": max_field_tokens})
    check_options(options)
    thoughts = thoughts_of(think, sketch, thought_sampling)
    described = json.loads(str(constraint.source))
    columns = Columns(fields=_properties(described), others=("finish_reason", "tokens"))
    given_text = confidence or (None if min_confidence is None else "before")
    if given_text is not None:
        columns = Columns(fields=columns.fields, others=(*columns.others, "confidence"))
    settings = job_settings(
        model,
        adapter,
        reading,
        schema=described,
        dtype=dtype,
        trust_remote_code=trust_remote_code,
        excerpts=excerpts,
        **({} if given_text is None else {"confidence": given_text, "min_confidence": min_confidence}),
        **form.settings(),
        **served.settings,
        **{name: value for name, value in options.items() if temperature or name not in ("draft", "ahead")},
        **{name: value if isinstance(value, int) else asdict(value) for name, value in thoughts.items()},
    )
    with (
        opened(output, settings, columns, is_resumed=resume) as file,
        nullcontext() if unsure is None else opened(unsure, settings, columns, is_resumed=resume) as second,
    ):
        work = RecordWork(
            constraint=constraint,
            options={**options, **thoughts},
            excerpts=excerpts,
            confidence=given_text,
            minimum=min_confidence or 0.0,
            explain=explained,
        )
        loading = ModelOptions(model, device, dtype, adapter, draft, trust_remote_code, served)
        here_or_there = (
            batches_here(loading, work) if ray is None else batches_on_ray(ray, actors, loading, work, schema)
        )
        with here_or_there as run_batches, Progress(count(sources, reading), is_shown=is_file) as progress:
            tally = process(
                read(sources, reading),
                run_batches,
                file,
                unsure=second,
                batch_size=batch_size,
                on_batch=progress.update,
            )
    note(progress.summary(tally, output, unsure))
    if tally.failed:
        raise typer.Exit(Exit.FAILED)


def _properties(schema: Any) -> tuple[str, ...]:
    """The properties that a schema declares at its root."""
    declared = schema.get("properties") if isinstance(schema, dict) else None
    return tuple(declared) if isinstance(declared, dict) else ()
