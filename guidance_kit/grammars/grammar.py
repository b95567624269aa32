"""`grammar`: the constraint of the texts of a context-free grammar."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from guidance_kit.errors import OptionError
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.context_free import CompiledGrammar, Grammar

__all__ = ["NOTATIONS", "Notation", "grammar"]

Notation = Literal["lark", "gbnf", "ebnf"]

NOTATIONS: tuple[str, ...] = ("lark", "gbnf", "ebnf")
"""How grammars are written; the files of each are named after it."""


def grammar(
    source: str | os.PathLike[str],
    *,
    start: str | None = None,
    notation: Notation | None = None,
    folders: Iterable[str | os.PathLike[str]] = (),
) -> Constraint:
    r"""Texts of a context-free grammar, all of them and no others.

    Rules may be recursive in any way, may have the empty text, and may be ambiguous. No lexer cuts the text into tokens
    first: a terminal is tried wherever a rule wants one, at every length that it can have there.

    Args:
        source: the grammar, or a path (`pathlib.Path`) of its file.
        start: the rule that the whole text must match; None: "start" in Lark, "root" in GBNF, the first one in EBNF.
        notation: "lark"; "gbnf", that of llama.cpp; "ebnf", that of the W3C. None: that after which the file is named,
            "lark" for a text.
        folders: where `%import` of Lark looks for other grammars.
    Raises:
        GrammarError: the grammar is malformed, or uses what it does not define.
        UnsupportedFeature: something in it cannot be enforced exactly; nothing is ever dropped silently.
        UnsatisfiableError: it has no text.
        LimitError: it is too large.
        OptionError: there is no such file or notation.

    >>> grammar('start: "(" start ")" | "x"').kind
    'grammar'
    """
    text, path = (source, None) if isinstance(source, str) else _file(Path(source))
    if notation is None:
        notation = path.suffix[1:].lower() if path is not None else "lark"  # pyright: ignore
    if notation not in NOTATIONS:
        raise OptionError.unknown(str(notation), NOTATIONS, "notation")
    folders = tuple(Path(folder) for folder in folders)
    compiled = CompiledGrammar(_read(text, notation, start, path, folders))
    options = tuple(
        (name, value)
        for name, value in (
            ("notation", None if notation == "lark" else notation),
            ("start", start),
            ("path", None if path is None else str(path)),
            ("folders", tuple(map(str, folders)) or None),
        )
        if value is not None
    )
    return Constraint(kind="grammar", source=text, options=options, build=compiled.network)


def _file(path: Path) -> tuple[str, Path]:
    try:
        return path.read_text(encoding="utf-8-sig"), path
    except FileNotFoundError:
        raise OptionError(f"there is no grammar file {path}") from None
    except OSError as error:
        raise OptionError(f"the grammar file {path} cannot be read: {(error.strerror or '').lower()}") from None
    except UnicodeDecodeError as error:
        raise OptionError(f"the grammar file {path} is not UTF-8 at byte {error.start}") from None


def _read(text: str, notation: str, start: str | None, path: Path | None, folders: tuple[Path, ...]) -> Grammar:
    shown = "" if path is None else str(path)
    if notation == "gbnf":
        from guidance_kit.grammars.context_free.gbnf import read_gbnf

        return read_gbnf(text, start=start or "root", path=shown)
    if notation == "ebnf":
        from guidance_kit.grammars.context_free.ebnf import read_ebnf

        return read_ebnf(text, start=start, path=shown)
    from guidance_kit.grammars.lark import read_lark

    return read_lark(text, start=start or "start", path=path, folders=folders)
