"""Options that several commands share, and the model that they name."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from guidance_kit.errors import OptionError

if TYPE_CHECKING:
    from guidance_kit.model import Model

__all__ = [
    "Adapter", "Complete", "Device", "Digits", "Dtype", "DumpedWhitespace", "Escapes", "Lexer",
    "ModelName", "Order", "Regex", "SchemaArgument", "Seed", "Start", "Temperature", "TrustRemoteCode", "Whitespace",
    "load_model", "refuse_trust_with_standard_input",
]  # fmt: skip


_STANDARD_INPUT = ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")


def _form(metavar: str, help: str, *names: str) -> typer.models.OptionInfo:
    """An option whose value is None where nothing is said."""
    return typer.Option(*names, metavar=metavar, help=help, show_default=False)


SchemaArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="SCHEMA",
        help="A JSON Schema file, a grammar file (.lark, .gbnf, .ebnf), or a Python type as module:Class or "
        "path/to/file.py:Class.",
        show_default=False,
    ),
]
Regex = Annotated[
    str | None,
    typer.Option(metavar="PATTERN", help="A regular expression of Python instead of a schema.", show_default=False),
]
Start = Annotated[
    str | None,
    typer.Option(metavar="RULE", help="The rule of a grammar that the whole text must match.", show_default=False),
]
Lexer = Annotated[
    str,
    typer.Option(
        metavar="HOW",
        help="How terminals of a .lark grammar are found: dynamic_complete: tried at all lengths; dynamic: as re.match "
        "takes them; longest: by a lexer, before an LALR parser.",
    ),
]

ModelName = Annotated[
    str | None,
    typer.Option(
        "--model",
        "-m",
        metavar="MODEL",
        help="A folder with a model of transformers, or its name on the model hub. The one that comes with the "
        "package if left out; it reads short English business messages.",
        show_default=False,
    ),
]
Device = Annotated[
    str | None,
    typer.Option(metavar="DEVICE", help="cpu, cuda, cuda:1, ...; the first GPU if there is one.", show_default=False),
]
Dtype = Annotated[
    str | None,
    typer.Option(metavar="DTYPE", help="float32, bfloat16 or float16; as the model was stored.", show_default=False),
]
Adapter = Annotated[
    str | None,
    typer.Option(metavar="ADAPTER", help="Folder or hub name of an adapter for the model (peft).", show_default=False),
]
TrustRemoteCode = Annotated[
    bool,
    typer.Option(
        "--trust-remote-code",
        help="Run the Python code that the model's folder or repository brings along; without this it is refused.",
    ),
]
Complete = Annotated[
    bool,
    typer.Option("--complete", help="Complete texts within --max-tokens and the context instead of cutting them."),
]
Temperature = Annotated[
    float, typer.Option(metavar="T", min=0.0, help="0 takes the likeliest token, 1 draws as the model says.")
]
Seed = Annotated[
    int | None, typer.Option(metavar="N", help="Makes drawing repeatable (temperature above 0).", show_default=False)
]
_WHITESPACE = "White space in the JSON text: flexible, compact, json, any, or indent=N; {} if left out."
Whitespace = Annotated[str | None, _form("HOW", _WHITESPACE.format("flexible"))]
DumpedWhitespace = Annotated[str | None, _form("HOW", _WHITESPACE.format("json"), "--whitespace")]
Order = Annotated[
    str | None, _form("HOW", "Properties in JSON: declared, as in the schema, or in any order; declared if left out.")
]
Escapes = Annotated[
    str | None,
    _form("HOW", "Escapes in JSON strings: minimal, ascii for what is beyond ASCII, or all; minimal if left out."),
]
Digits = Annotated[
    str | None,
    _form(
        "N.M",
        "JSON numbers without exponent, at most N digits before the point and M after it; both may be left out.",
    ),
]


def refuse_trust_with_standard_input(inputs: Iterable[str], *, trust_remote_code: bool) -> None:
    """See that code of a model does not share standard input with documents or a prompt.

    Raises:
        OptionError: it would.
    """
    if trust_remote_code and any(given in _STANDARD_INPUT for given in inputs):
        raise OptionError(
            "--trust-remote-code and texts on standard input exclude each other, as the model's code could read them, "
            "or take them for answers; put the texts into a file"
        )


def load_model(
    model: str | None,
    device: str | None,
    dtype: str | None = None,
    adapter: str | None = None,
    *,
    trust_remote_code: bool = False,
) -> Model:
    """Load a model, telling that it takes a while.

    Raises:
        ModelError: it cannot be loaded.
    """
    from guidance_kit import model as front_door
    from guidance_kit.cli.terminal import console, note

    def load() -> Model:
        return front_door.load(model, device=device, dtype=dtype, adapter=adapter, trust_remote_code=trust_remote_code)

    is_remote = model is not None and not Path(model).exists()
    if is_remote and sys.stderr.isatty():  # the bars of a download are welcome there
        note(f"Loading {model}")
        return load()
    os.environ.setdefault("TQDM_DISABLE", "1")
    with console().status(f"Loading {model or 'the bundled model'}"):
        return load()
