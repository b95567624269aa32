"""`guidance-kit classify`: documents in, labels out."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

import typer

from guidance_kit.cli.arguments import (
    Adapter,
    Device,
    Dtype,
    ModelName,
    TrustRemoteCode,
    refuse_trust_with_standard_input,
)
from guidance_kit.cli.constraints import text_of
from guidance_kit.cli.engines import Engine, EngineOption, EngineOptions
from guidance_kit.cli.exit_status import Exit
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
from guidance_kit.cli.terminal import Debug, explained, note
from guidance_kit.errors import OptionError

__all__ = ["classify"]


def classify(
    inputs: Inputs,
    label: Annotated[
        list[str] | None,
        typer.Option("--label", "-l", metavar="LABEL", help="Label; repeat for each.", show_default=False),
    ] = None,
    labels: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="JSON file: list of labels, or object from labels to descriptions.", show_default=False
        ),
    ] = None,
    calibrate: Annotated[
        bool,
        typer.Option(
            "--calibrate",
            help="Contextual calibration: divide by probabilities after content-free texts (Zhao et al. 2021).",
        ),
    ] = False,
    bias: Annotated[
        list[str] | None,
        typer.Option(metavar="LABEL=NATS", help="Add nats to the log-probability of a label.", show_default=False),
    ] = None,
    threshold: Annotated[
        float, typer.Option(metavar="P", min=0.0, max=1.0, help="Abstain if the most likely label is below P.")
    ] = 0.0,
    margin: Annotated[
        float,
        typer.Option(metavar="P", min=0.0, max=1.0, help="Abstain if it is less than P above the second label."),
    ] = 0.0,
    top_k: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Number of scores to write; all if left out.", show_default=False),
    ] = None,
    end: Annotated[
        Literal["any", "eos"],
        typer.Option(metavar="END", help="Text after a label: any (but no longer label), or eos, the end of the text."),
    ] = "any",
    tokenizations: Annotated[
        Literal["usual", "all"],
        typer.Option(metavar="KIND", help="Tokenisations of a label that count: usual, or all (slower)."),
    ] = "usual",
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
    engine: EngineOption = "transformers",
    engine_options: EngineOptions = None,
    debug: Debug = False,
) -> None:
    """Classify each document by the exact probabilities of labels.

    The label is null if the model abstains (--threshold, --margin). A failed document has an error in its line; the
    others continue.

    \b
    Exit status: 0 all documents have labels, 1 some have errors, 2 wrong
    usage, 3 stopped by an error, 130 interrupted.

    \b
    Examples:
      guidance-kit classify -l praise -l complaint mails/ -o labels.jsonl
      guidance-kit classify --labels intents.json --threshold 0.8 mails.csv \\
        --field body -o labels.jsonl --resume
    """
    from guidance_kit.decoding.classification import DecisionRule, described_labels
    from guidance_kit.extraction.classification import run
    from guidance_kit.extraction.documents import Reading, count, find, read
    from guidance_kit.extraction.table_columns import Columns

    refuse_trust_with_standard_input(inputs, trust_remote_code=trust_remote_code)
    served = Engine.of(engine, engine_options, {"device": device, "adapter": adapter})
    is_file = is_record_file(output, is_resumed=resume)
    reading = Reading(field=field, encoding=encoding, format=format)
    described = described_labels(_labels(label or [], labels))
    options: dict[str, Any] = {
        "calibration": "contextual" if calibrate else None, "biases": _biases(bias or []), "threshold": threshold,
        "margin": margin, "top_k": top_k, "end": end,
        "tokenizations": tokenizations,
    }  # fmt: skip
    DecisionRule(**options).biases_of(list(described))
    sources = find(inputs, reading, but=files_of(output) if is_file else [])
    settings = job_settings(
        model,
        adapter,
        reading,
        labels=described,
        dtype=dtype,
        trust_remote_code=trust_remote_code,
        **options,
        **served.settings,
    )
    columns = Columns(others=("label", "probability", "scores", "mass"))
    with opened(output, settings, columns, is_resumed=resume) as file:
        loaded = served.load(model, device, dtype, adapter, trust_remote_code=trust_remote_code)
        classifier = loaded.classifier(described, batch_size=batch_size, **options)
        with Progress(count(sources, reading), is_shown=is_file, noun="label") as progress:
            tally = run(
                read(sources, reading),
                classifier,
                file,
                batch_size=batch_size,
                on_batch=progress.update,
                explain=explained,
            )
    note(progress.summary(tally, output))
    if tally.failed:
        raise typer.Exit(Exit.FAILED)


def _labels(given: list[str], path: str | None) -> Any:
    """The labels of --label or --labels.

    Raises:
        OptionError: not exactly one of them is given; the file cannot be read.
    """
    if bool(given) == (path is not None):
        raise OptionError("name the labels either with --label, once for each, or with --labels FILE")
    if path is None:
        return given
    try:
        found = json.loads(text_of(path, "labels"), object_pairs_hook=_without_repetition)
    except ValueError as error:
        raise OptionError(f"the labels in {path} are not JSON: {error}") from None
    if not isinstance(found, list | dict):
        raise OptionError(f"{path} must have a list of labels, or an object from labels to descriptions")
    return found  # pyright: ignore[reportUnknownVariableType]


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise OptionError(f"label {next(name for name in names if names.count(name) > 1)!r} is given twice")
    return found


def _biases(given: list[str]) -> dict[str, float]:
    """The values of --bias.

    Raises:
        OptionError: one is not LABEL=NATS.
    """
    found: dict[str, float] = {}
    for text in given:
        label, equals, nats = text.rpartition("=")
        try:
            found[label] = float(nats)
        except ValueError:
            equals = ""
        if not equals:
            raise OptionError(f"--bias is LABEL=NATS, with a number, not {text!r}")
    return found
