"""Options that several commands share, and the model that they name."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from guidance_kit.errors import OptionError

if TYPE_CHECKING:
    from guidance_kit.grammars.constraint import Constraint
    from guidance_kit.model import Model

__all__ = [
    "Adapter", "Complete", "Device", "Digits", "Dtype", "DumpedWhitespace", "Escapes", "Lexer",
    "ModelName", "Order", "Regex", "SchemaArgument", "Seed", "Start", "Temperature", "TrustRemoteCode", "Whitespace",
    "check_options", "finite", "load_model", "refuse_trust_with_standard_input", "require_writable",
]  # fmt: skip


_STANDARD_INPUT = ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")


def finite(value: float | None) -> float | None:
    """The value of an option that takes a number, which may be infinite for typer.

    Raises:
        typer.BadParameter: it is not finite.
    """
    if value is not None and not math.isfinite(value):
        raise typer.BadParameter(f"{value} is not a finite number.")
    return value


def _checked(check: str) -> Callable[[str | None], str | None]:
    """Callback of an option whose value, if it has one, is checked by a function of `model_source`."""

    def callback(value: str | None) -> str | None:
        if value is not None:
            from guidance_kit import model_source

            getattr(model_source, check)(value)
        return value

    return callback


def _form(metavar: str, help: str, *names: str) -> typer.models.OptionInfo:
    """An option whose value is None where nothing is said."""
    return typer.Option(*names, metavar=metavar, help=help, show_default=False)


SchemaArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="SCHEMA",
        help="JSON Schema file, grammar file (.lark, .gbnf, .ebnf), or module:Name or path/to/file.py:Name of a Python "
        "type, a constraint or a JSON Schema (dict).",
        show_default=False,
    ),
]
Regex = Annotated[
    str | None,
    typer.Option(metavar="PATTERN", help="Python regular expression, in place of SCHEMA.", show_default=False),
]
Start = Annotated[
    str | None,
    typer.Option(
        metavar="RULE",
        help="Start rule of the grammar; start in Lark, root in GBNF, the first rule in EBNF if left out.",
        show_default=False,
    ),
]
Lexer = Annotated[
    str,
    typer.Option(
        metavar="HOW",
        help="Lexer of a .lark grammar. dynamic_complete: terminals of all lengths; dynamic: terminals as re.match "
        "finds them; longest: the contextual lexer of an LALR parser.",
    ),
]

ModelName = Annotated[
    str | None,
    typer.Option(
        "--model",
        "-m",
        metavar="MODEL",
        help="Folder or hub name of a transformers model, file in GGUF, or name of a bundled model. support-2m if left "
        "out: bundled, trained on short English business messages.",
        show_default=False,
        callback=_checked("require_model"),
    ),
]
Device = Annotated[
    str | None,
    typer.Option(
        metavar="DEVICE",
        help="cpu, cuda, cuda:1, ...; if left out the first GPU, or cpu without one.",
        show_default=False,
        callback=_checked("require_device"),
    ),
]
Dtype = Annotated[
    str | None,
    typer.Option(
        metavar="DTYPE",
        help="float32, bfloat16 or float16; that of the stored weights if left out.",
        show_default=False,
        callback=_checked("require_dtype"),
    ),
]
Adapter = Annotated[
    str | None,
    typer.Option(
        metavar="ADAPTER",
        help="Folder or hub name of a peft adapter for the model.",
        show_default=False,
        callback=_checked("require_folder"),
    ),
]
TrustRemoteCode = Annotated[
    bool,
    typer.Option(
        "--trust-remote-code",
        help="Run Python code of the model's repository. It is refused otherwise.",
    ),
]
Complete = Annotated[
    bool,
    typer.Option("--complete", help="Complete each text within --max-tokens and the context; never cut it off."),
]
Temperature = Annotated[
    float,
    typer.Option(
        metavar="T", min=0.0, callback=finite, help="0 is greedy decoding, 1 samples from the model's distribution."
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(metavar="N", min=0, help="Seed of sampling, for repeatable texts.", show_default=False),
]
_WHITESPACE = "White space in the JSON text: flexible, compact, json, any, or indent=N; {} if left out."
Whitespace = Annotated[str | None, _form("HOW", _WHITESPACE.format("flexible"))]
DumpedWhitespace = Annotated[str | None, _form("HOW", _WHITESPACE.format("json"), "--whitespace")]
Order = Annotated[
    str | None, _form("HOW", "Order of properties in JSON: declared (as in the schema) or any; declared if left out.")
]
Escapes = Annotated[
    str | None,
    _form("HOW", "Escapes in JSON strings: minimal, ascii (all characters beyond ASCII) or all; minimal if left out."),
]
Digits = Annotated[
    str | None,
    _form(
        "N.M",
        "JSON numbers without exponent, at most N digits before the point and M after it; either may be left out.",
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


def check_options(options: dict[str, Any], constraint: Constraint | None = None) -> None:
    """See that a model would take these options of `generate` with this constraint, before there is one.

    Raises:
        OptionError: it would not.
    """
    from guidance_kit.decoding.options import Options
    from guidance_kit.grammars.region import has_regions, units_of
    from guidance_kit.tasks.regions import unit_options

    given = Options.from_keywords(options)
    if constraint is not None and has_regions(constraint):
        for unit in units_of(constraint):
            unit_options(given, unit)


def require_writable(file: Path) -> None:
    """See that a file can be written, before what it is to have is made.

    Raises:
        OptionError: it cannot.
    """
    if not file.parent.is_dir():
        raise OptionError(f"there is no folder {file.parent} for {file.name}")
    if file.is_dir():
        raise OptionError(f"{file} is a folder; name a file in it")
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise OptionError(f"{file} cannot be written: permission denied")


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
        OptionError: its name is empty.
        ModelError: it cannot be loaded.
    """
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")  # read when transformers is imported
    from guidance_kit import model as front_door
    from guidance_kit.cli.terminal import console, note

    def load() -> Model:
        return front_door.load(model, device=device, dtype=dtype, adapter=adapter, trust_remote_code=trust_remote_code)

    if model == "":
        raise OptionError("--model is empty; name a folder with a model, or a model of the hub")
    is_remote = model is not None and not Path(model).exists()
    if is_remote and sys.stderr.isatty():  # the bars of a download are welcome there
        note(f"Loading {model}")
        return load()
    os.environ.setdefault("TQDM_DISABLE", "1")
    with console().status(f"Loading {model or 'the bundled model'}"):
        return load()
