"""The commands put together."""

from __future__ import annotations

from typing import Annotated

import typer

from guidance_kit import __version__
from guidance_kit.cli.check import check
from guidance_kit.cli.classify import classify
from guidance_kit.cli.detect import detect
from guidance_kit.cli.diff import diff
from guidance_kit.cli.draw import draw
from guidance_kit.cli.estimate import estimate
from guidance_kit.cli.evaluate import demo, evaluate
from guidance_kit.cli.explain import explain
from guidance_kit.cli.extract import extract
from guidance_kit.cli.generate import generate
from guidance_kit.cli.infer_settings import infer_settings
from guidance_kit.cli.lower import lower
from guidance_kit.cli.sample import sample
from guidance_kit.cli.terminal import ReportingGroup
from guidance_kit.cli.trace import trace
from guidance_kit.cli.warmup import warmup
from guidance_kit.cli.watermark_key import watermark_key

__all__ = ["app"]

app = typer.Typer(
    name="guidance-kit",
    cls=ReportingGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
)


def _print_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"guidance-kit {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Constrain and steer language models: structured output, extraction, classification."""


app.command()(extract)
app.command()(classify)
app.command()(generate)
app.command()(check)
app.command()(diff)
app.command()(lower)
app.command()(explain)
app.command()(sample)
app.command()(trace)
app.command()(draw)
app.command()(evaluate)
app.command()(demo)
app.command()(watermark_key)
app.command()(detect)
app.command()(infer_settings)
app.command()(estimate)
app.command()(warmup)
