"""`guidance-kit detect`: test a text for a watermark."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from guidance_kit.cli.arguments import (
    Adapter,
    Device,
    Digits,
    Dtype,
    Escapes,
    Lexer,
    ModelName,
    Order,
    Start,
    Temperature,
    TrustRemoteCode,
    Whitespace,
    load_model,
    require_writable,
)
from guidance_kit.cli.constraints import GrammarReading, JsonForm
from guidance_kit.cli.exit_status import Exit
from guidance_kit.cli.generation import (
    Choices,
    GrammarFile,
    Pattern,
    SchemaFile,
    StructuralTagFile,
    TopK,
    TopP,
    constraint_of,
    prompt_of,
)
from guidance_kit.cli.terminal import Debug, note
from guidance_kit.cli.warmup import compile_kernels
from guidance_kit.errors import OptionError

__all__ = ["detect"]


def detect(
    file: Annotated[str, typer.Argument(metavar="FILE", help="File with the text; - reads standard input.")],
    watermark: Annotated[
        str, typer.Option("--watermark", metavar="KEYFILE", help="Key file of watermark-key.", show_default=False)
    ],
    significance: Annotated[float, typer.Option(metavar="P", help="P-value at which a text counts as marked.")] = 1e-5,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Page with the tokens coloured by evidence.", show_default=False
        ),
    ] = None,
    prompt: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Prompt of the text, for the weights.", show_default=False)
    ] = None,
    regex: Pattern = None,
    schema: SchemaFile = None,
    grammar: GrammarFile = None,
    start: Start = None,
    lexer: Lexer = "dynamic_complete",
    structural_tag: StructuralTagFile = None,
    choice: Choices = None,
    whitespace: Whitespace = None,
    order: Order = None,
    escapes: Escapes = None,
    digits: Digits = None,
    model: ModelName = None,
    device: Device = None,
    dtype: Dtype = None,
    adapter: Adapter = None,
    trust_remote_code: TrustRemoteCode = False,
    temperature: Temperature = 1.0,
    top_k: TopK = None,
    top_p: TopP = None,
    debug: Debug = False,
) -> None:
    """Test a text for a watermark, with an exact p-value.

    The model reads the text, and weights its tokens by the choice that was left at each. Give the constraint,
    prompt, temperature and truncation with which it was generated: p-values are exact without them too, but greater.

    \b
    Exit status: 0 marked, 1 not marked, 2 wrong usage, 3 stopped by an error:
    a text that is too short, or that the constraint does not allow.

    \b
    Examples:
      guidance-kit detect letter.txt --watermark key.json -o letter.html
      guidance-kit detect record.json --watermark key.json --schema ticket.json
    """
    form, reading = JsonForm(whitespace, order, escapes, digits), GrammarReading(start, lexer)
    constraint = constraint_of(regex, schema, grammar, structural_tag, choice, form, reading, complete=False)
    if output is not None:
        require_writable(output)
    from guidance_kit.decoding.watermark import Watermark

    key = Watermark.load(watermark)
    text = prompt_of("-") if file == "-" else _read(file)
    if constraint is not None:
        compile_kernels()
    from guidance_kit.analysis.detection import detect as detect_watermark

    loaded = load_model(model, device, dtype, adapter, trust_remote_code=trust_remote_code)
    given: dict[str, Any] = {"temperature": temperature, "top_k": top_k, "top_p": top_p}
    found = detect_watermark(
        text, key, loaded, constraint=constraint, prompt=prompt, significance=significance, **given
    )
    typer.echo(f"{'marked' if found.is_marked else 'not marked'}\tp = {found.p_value:.3g}\tscored {found.scored}")
    if found.part is not None:
        typer.echo(f"part {found.part.start} to {found.part.stop}\tp = {found.part.p_value:.3g}")
    if output is not None:
        output.write_text(found.to_html(), encoding="utf-8")
        note(f"{output}: evidence of {len(found.tokens):,} tokens")
    if not found.is_marked:
        raise typer.Exit(Exit.FAILED)


def _read(file: str) -> str:
    """Text of a file, without the line end that closes it.

    Raises:
        OptionError: it cannot be read, or is not UTF-8.
    """
    try:
        return Path(file).read_text(encoding="utf-8-sig").removesuffix("\n")
    except OSError as error:
        raise OptionError(f"{file} cannot be read: {(error.strerror or str(error)).lower()}") from None
    except UnicodeDecodeError as error:
        raise OptionError(f"{file} is not UTF-8 at byte {error.start}") from None
