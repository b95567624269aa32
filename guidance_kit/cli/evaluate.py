"""`guidance-kit evaluate` and `guidance-kit demo`: the four jobs of the library, measured, as pages to look at."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from guidance_kit.cli.arguments import Device, ModelName, TrustRemoteCode, load_model
from guidance_kit.cli.terminal import Debug, note
from guidance_kit.cli.warmup import compile_kernels
from guidance_kit.errors import OptionError

if TYPE_CHECKING:
    from guidance_kit.evaluation.results import Evaluation
    from guidance_kit.model import Model

__all__ = ["demo", "evaluate"]

Output = Annotated[Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where the pages go.")]


def evaluate(
    jobs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[JOB]...",
            help="extraction, toxicity, proxy_tuning, intents; all of these by default. Or calibration, reasoning.",
        ),
    ] = None,
    output: Output = Path("out/evaluation"),
    number: Annotated[int, typer.Option(metavar="N", min=1, help="How many texts of each set.")] = 100,
    family: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Models that tools/train_family has trained.", show_default=False),
    ] = None,
    model: ModelName = None,
    trust_remote_code: TrustRemoteCode = False,
    texts: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help='Texts for intents: lines {"text": ..., "label": ...}.', show_default=False),
    ] = None,
    train: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Such lines that the classifier on words learns from.", show_default=False),
    ] = None,
    read: Annotated[
        str | None,
        typer.Option(metavar="PROMPT", help="What the model reads before a label; {} is the text.", show_default=False),
    ] = None,
    device: Device = None,
    debug: Debug = False,
) -> None:
    """Measure how well the bundled models do the four jobs, and write a page for each.

    Calibration is that of the confidence in fields; reasoning compares records at once with records after thoughts or
    a sketch. Extraction, calibration and reasoning take another model with -m; intents another model and other texts,
    with -m and --texts.

    \b
    Exit status: 0 done, 2 wrong usage, 3 it could not go on, 130 interrupted.

    \b
    Examples:
      guidance-kit evaluate -o out/evaluation
      guidance-kit evaluate intents -m Qwen/Qwen3-0.6B --texts test.jsonl --train train.jsonl
    """
    chosen = _chosen(jobs, model=model, texts=texts, train=train, read=read)
    from guidance_kit.evaluation.family import Family

    _prepare(output)
    compile_kernels()
    load = partial(load_model, model, device, trust_remote_code=trust_remote_code)
    measured = Family(family, device=device, on_step=note)
    found: list[Evaluation] = []
    for job in chosen:
        if texts is not None:
            found.append(_own_intents(load, str(model), texts, train, read, number))
        else:
            own = None if model is None else load()
            found.append(measured.evaluate(job, number, model=own))
        _tell(found[-1], _write(found[-1], output))
    results = output / "results.md"
    results.write_text("\n".join(_sections(found)), encoding="utf-8")
    typer.echo(str(results))


def demo(
    output: Output = Path("out/demo"),
    device: Device = None,
    debug: Debug = False,
) -> None:
    """Do the four jobs on a few texts each, with the bundled models, and write a page for each.

    Takes less than two minutes on two cores, and needs nothing from a model hub.

    \b
    Exit status: 0 done, 2 wrong usage, 3 it could not go on, 130 interrupted.
    """
    from guidance_kit.evaluation.family import JOBS, Family

    _prepare(output)
    compile_kernels()
    begin = time.monotonic()
    family = Family(device=device)
    pages: list[Path] = []
    for number, job in enumerate(JOBS, 1):
        note(f"{number} of {len(JOBS)}: {job.replace('_', '-')} ...")
        evaluation = family.evaluate(job, 12, is_brief=True)
        written = _write(evaluation, output)
        pages += written
        _tell(evaluation, ())
    note(f"{time.monotonic() - begin:.0f} seconds; the pages open in any browser:")
    for page in pages:
        typer.echo(str(page))


def _chosen(jobs: Sequence[str] | None, **own: Any) -> list[Any]:
    """The jobs, where the options fit them.

    Raises:
        OptionError: an unknown job; an option that none of them, or not all of them, have a use for.
    """
    from guidance_kit.evaluation.family import FURTHER_JOBS, JOBS

    chosen = list(dict.fromkeys(jobs)) if jobs else list(JOBS)
    known = (*JOBS, *FURTHER_JOBS)
    for job in chosen:
        if job not in known:
            raise OptionError.unknown(job, known, "job")
    given = [f"--{name}" for name, value in own.items() if value is not None]
    if own["texts"] is not None:
        if chosen != ["intents"] or own["model"] is None:
            raise OptionError("--texts is for intents alone, with a model: evaluate intents --texts FILE -m MODEL")
    elif given and (given != ["--model"] or len(chosen) > 1 or chosen[0] not in ("extraction", *FURTHER_JOBS)):
        raise OptionError(
            f"{' and '.join(given)}: another model needs `evaluate extraction -m MODEL` (or "
            "calibration, or reasoning), or `evaluate intents -m MODEL --texts FILE`"
        )
    return chosen


def _own_intents(
    load: Callable[[], Model], name: str, texts: Path, train: Path | None, read: str | None, number: int
) -> Evaluation:
    """Intents of another model on other texts."""
    from guidance_kit.evaluation.intents import evaluate_intents
    from guidance_kit.evaluation.sets import labelled

    if read is not None and "{}" not in read:
        raise OptionError("--read has no {} where the text goes")
    source, learnt = labelled(texts)[:number], {}
    if train is not None:
        known = labelled(train)
        learnt[f"{len(known):,} texts"] = known
    reads = None if read is None else lambda text: read.replace("{}", text)
    return evaluate_intents({name: load()}, source, learnt, prompt=reads, on_step=note)


def _prepare(output: Path) -> None:
    """See that plots can be drawn and pages written, before anything is measured.

    Raises:
        OptionError: they cannot.
    """
    from guidance_kit.evaluation.judges import WordClassifier
    from guidance_kit.evaluation.results import Plot
    from guidance_kit.reports.plots import plot_svg

    WordClassifier(["a", "b"], ["a", "b"])
    plot_svg(Plot(title="", x="", y="", curves=()))
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OptionError(f"cannot make the folder {output}: {error.strerror}") from None


def _write(evaluation: Evaluation, folder: Path) -> list[Path]:
    """The pages of an evaluation, its data, and its plots; returns the pages."""
    from guidance_kit.reports.evaluation import evaluation_html
    from guidance_kit.reports.plots import plot_svg
    from guidance_kit.reports.trace import trace_html

    page = folder / f"{evaluation.name}.html"
    pages, links = [page], []
    traced = evaluation.traced
    if traced is not None:
        tokens = folder / f"{evaluation.name}_tokens.html"
        shown = trace_html(traced.completions, prompts=traced.prompts, title=evaluation.title)
        tokens.write_text(shown, encoding="utf-8")
        pages.append(tokens)
        links.append(("Token by token: what moved each token of some replies", tokens.name))
    page.write_text(evaluation_html(evaluation, links=links), encoding="utf-8")
    data = json.dumps(evaluation.to_dict(), ensure_ascii=False, indent=1)
    (folder / f"{evaluation.name}.json").write_text(data + "\n", encoding="utf-8")
    for name, plot in zip(_images(evaluation), evaluation.plots, strict=True):
        (folder / name).write_text(plot_svg(plot) + "\n", encoding="utf-8")
    return pages


def _images(evaluation: Evaluation) -> list[str]:
    return [f"{evaluation.name}_{number}.svg" for number in range(1, len(evaluation.plots) + 1)]


def _sections(found: Sequence[Evaluation]) -> Iterator[str]:
    from guidance_kit.reports.evaluation import evaluation_markdown

    for evaluation in found:
        yield evaluation_markdown(evaluation, _images(evaluation))


def _tell(evaluation: Evaluation, pages: Sequence[Path]) -> None:
    note(f"{evaluation.title}: {' '.join(evaluation.summary)}")
    for page in pages:
        typer.echo(str(page))
