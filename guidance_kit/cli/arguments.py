"""Options that several commands share, and how their values are read."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from guidance_kit.errors import OptionError

if TYPE_CHECKING:
    from guidance_kit.grammars.constraint import Constraint
    from guidance_kit.model import Model

__all__ = [
    "Adapter", "Complete", "Device", "DigitsOption", "Dtype", "EscapesOption", "Lexer", "ModelName", "Order", "Regex",
    "SchemaArgument", "Seed", "Start", "Temperature", "Whitespace", "constraint_maker", "is_grammar_file", "load_model",
    "text_of",
]  # fmt: skip

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
Whitespace = Annotated[
    str,
    typer.Option(metavar="HOW", help="White space in the JSON text: flexible, compact, json, any, or indent=N."),
]
Order = Annotated[
    str, typer.Option(metavar="HOW", help="Properties in JSON: declared, as in the schema, or in any order.")
]
EscapesOption = Annotated[
    str, typer.Option(metavar="HOW", help="Escapes in JSON strings: all, minimal, or ascii for what is beyond ASCII.")
]
DigitsOption = Annotated[
    str | None,
    typer.Option(
        metavar="N.M",
        help="JSON numbers without exponent, at most N digits before the point and M after it; both may be left out.",
        show_default=False,
    ),
]


def constraint_maker(
    *,
    schema: str | None = None,
    regex: str | None = None,
    whitespace: str,
    order: str,
    escapes: str,
    digits: str | None,
    start: str | None = None,
    lexer: str = "dynamic_complete",
) -> Callable[[], Constraint]:
    """What makes the constraint that was asked for: the options are read here, the schema or pattern when it is called.

    Args:
        schema: path of a JSON or grammar file, a JSON object itself, `package.module:Class` or `path/to/file.py:Class`.
        regex: a pattern, instead of a schema.
        whitespace, order, escapes, digits: as the options for JSON have them.
        start, lexer: as `grammar` takes them.
    Raises:
        OptionError: not exactly one of the two is given; there is no such file, module, class, white space or form of
            numbers; when it is called also if there is no such order, or no such escapes.
    """
    if (schema is None) == (regex is None):
        raise OptionError("name either a schema or, with --regex, a pattern")
    from guidance_kit.grammars.constraint import regex as regex_constraint
    from guidance_kit.grammars.json_schema import json_schema

    form = {
        "whitespace": _read_whitespace(whitespace),
        "order": order,
        "escapes": escapes,
        "digits": _read_digits(digits),
    }
    is_grammar = schema is not None and is_grammar_file(schema)
    if not is_grammar and (start is not None or lexer != "dynamic_complete"):
        raise OptionError("--start and --lexer are for grammar files: .lark, .gbnf, .ebnf")
    if regex is not None:
        return partial(regex_constraint, regex)
    if is_grammar:
        from guidance_kit.grammars.grammar import grammar

        return partial(grammar, Path(str(schema)), start=start, lexer=lexer)  # pyright: ignore[reportArgumentType]
    return partial(json_schema, _read_schema(str(schema)), **form)


def is_grammar_file(name: str) -> bool:
    """Whether SCHEMA names a grammar: by its ending, as there is nothing else that tells one from a schema."""
    return name.lower().endswith((".lark", ".gbnf", ".ebnf"))


def _read_whitespace(how: str) -> Any:
    """The value of --whitespace as `json_schema` takes it."""
    from guidance_kit.grammars.json_schema import Indent

    if match := re.fullmatch(r"indent=(\d{1,3})", how):
        return Indent(int(match[1]))
    known = ("flexible", "compact", "json", "any", "indent=2")
    if how not in known:
        raise OptionError.unknown(how, known, "whitespace")
    return how


def _read_digits(how: str | None) -> Any:
    """The value of --digits as `json_schema` takes it."""
    from guidance_kit.grammars.json_schema import Digits

    if how is None:
        return None
    match = re.fullmatch(r"(\d{0,3})\.(\d{0,3})", how)
    if match is None:
        raise OptionError(f"--digits takes numbers of digits before and after the point, as 9.2, not {how!r}")
    whole, fraction = (int(count) if count else None for count in match.groups())
    return Digits(whole, fraction)


def _read_schema(schema: str) -> Any:
    """What SCHEMA names: the text of a JSON Schema, or a Python type."""
    if schema.lstrip().startswith("{"):
        return schema
    place, colon, name = schema.rpartition(":")
    if colon and re.fullmatch(r"[^\W\d]\w*(\.[^\W\d]\w*)*", name) and not Path(schema).exists():
        return _member(_module(place), name, place)
    hint = "" if schema.endswith(".json") else "; a Python type is named as module:Class or path/to/file.py:Class"
    return text_of(schema, "schema", hint)


def text_of(file: str, what: str, hint: str = "") -> str:
    """The text of a file.

    Args:
        file: its path.
        what: it is for, and a hint if it is not there; for messages.
    Raises:
        OptionError: there is no such file, or it cannot be read.
    """
    try:
        return Path(file).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise OptionError(f"there is no {what} file {file}{hint}") from None
    except OSError as error:
        raise OptionError(f"the {what} file {file} cannot be read: {(error.strerror or '').lower()}") from None
    except UnicodeDecodeError as error:
        raise OptionError(f"the {what} file {file} is not UTF-8 at byte {error.start}") from None


def _module(place: str) -> Any:
    """The module at a path or of a name; modules beside it, or in the current folder, can be imported by it."""
    is_file = place.endswith(".py") or "/" in place or "\\" in place
    folder = str(Path(place).resolve().parent) if is_file else str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        if not is_file:
            return importlib.import_module(place)
        if not Path(place).is_file():
            raise OptionError(f"there is no file {place}")
        name = Path(place).stem
        spec = importlib.util.spec_from_file_location(name, place)
        if spec is None or spec.loader is None:
            raise OptionError(f"{place} is not a Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module  # where pydantic looks up names in annotations
        spec.loader.exec_module(module)
        return module
    except OptionError:
        raise
    except ModuleNotFoundError as error:
        if error.name == place.partition(".")[0]:
            raise OptionError(f"there is no module {place} in {Path.cwd()} or among the installed packages") from error
        raise OptionError(f"importing {place} failed: {error}") from error
    except Exception as error:  # whatever the user's module raises
        raise OptionError(f"importing {place} failed: {type(error).__name__}: {error}") from error


def _member(module: Any, name: str, place: str) -> Any:
    found = module
    for part in name.split("."):
        if not hasattr(found, part):
            known = [key for key, value in vars(found).items() if inspect.isclass(value) and not key.startswith("_")]
            raise (
                OptionError.unknown(part, known, f"class in {place}:")
                if known
                else OptionError(f"there is no {part!r} in {place}")
            )
        found = getattr(found, part)
    return found


def load_model(model: str | None, device: str | None, dtype: str | None = None, adapter: str | None = None) -> Model:
    """Load a model, telling that it takes a while.

    Raises:
        ModelError: it cannot be loaded.
    """
    from guidance_kit.cli.terminal import console, note

    is_remote = model is not None and not Path(model).exists()
    if is_remote and sys.stderr.isatty():  # the bars of a download are welcome there
        note(f"Loading {model}")
        return _load(model, device, dtype, adapter)
    os.environ.setdefault("TQDM_DISABLE", "1")
    with console().status(f"Loading {model or 'the bundled model'}"):
        return _load(model, device, dtype, adapter)


def _load(model: str | None, device: str | None, dtype: str | None, adapter: str | None) -> Model:
    from guidance_kit import model as front_door

    return front_door.load(model, device=device, dtype=dtype, adapter=adapter)
