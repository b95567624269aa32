"""Messages to the user: errors and warnings, one clear message each, on standard error."""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Annotated, Any, TextIO

import typer
from rich.console import Console
from rich.text import Text
from typer.core import TyperGroup

from guidance_kit.cli.exit_status import Exit
from guidance_kit.cli.flags import flags_of, in_flags
from guidance_kit.errors import ConstraintError, GuidanceKitError, OptionError

__all__ = ["Debug", "ReportingGroup", "console", "explained", "note", "said", "warn"]

_flags: dict[str, str] = {}
"""The flags of the command that runs, see `said`; set once, when it is known."""


@cache
def console() -> Console:
    """Standard error; one for all, so that messages and progress bars make room for each other."""
    return Console(stderr=True, highlight=False)


def note(message: str | Text) -> None:
    """Say something on standard error. Lines wrap at the width of a terminal, and not at all elsewhere."""
    out = console()
    out.print(Text(message) if isinstance(message, str) else message, soft_wrap=not out.is_terminal)


def warn(message: str) -> None:
    """Say something on standard error that the user should look at."""
    note(Text.assemble(("Warning: ", "yellow"), message))


def said(message: str) -> str:
    """A message of the library in the words of the command that runs; see `in_flags`."""
    return in_flags(message, _flags)


def explained(error: Exception) -> str:
    """The message of an error of one document in the words of the command that runs, in one line."""
    from guidance_kit.extraction.entry import message_of

    return said(message_of(error))


def _remember_debug(context: typer.Context, is_asked: bool) -> bool:
    if is_asked:
        context.find_root().meta["debug"] = True
    return is_asked


Debug = Annotated[
    bool,
    typer.Option("--debug", callback=_remember_debug, is_eager=True, help="Show the traceback of an error."),
]


class ReportingGroup(TyperGroup):
    """Commands whose errors become one message and an exit status."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        with _reported(ctx), _shown_warnings():
            return super().invoke(ctx)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command, and note its flags."""
        found = super().resolve_command(ctx, args)
        _flags.clear()
        _flags.update(flags_of(found[1]))
        return found


@contextmanager
def _reported(context: Any) -> Iterator[None]:
    """Turn errors into messages and statuses."""
    try:
        yield
    except KeyboardInterrupt as error:
        raise typer.Exit(Exit.INTERRUPTED) from _shown(error, "Interrupted", "", context)
    except BrokenPipeError:  # `| head` has seen enough
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - else the interpreter complains when it flushes at its end
        raise typer.Exit(Exit.STOPPED) from None
    except (ConstraintError, OptionError) as error:
        raise typer.Exit(Exit.USAGE) from _shown(error, "Error: ", str(error), context)
    except GuidanceKitError as error:
        raise typer.Exit(Exit.STOPPED) from _shown(error, "Error: ", str(error), context)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        message = where + (error.strerror or str(error)).lower()
        raise typer.Exit(Exit.STOPPED) from _shown(error, "Error: ", message, context)
    except (typer.Exit, typer.Abort):
        raise
    except Exception as error:
        if hasattr(error, "exit_code"):  # a usage error of typer, which shows itself
            raise
        message = f"{type(error).__name__}: {error}"
        raise typer.Exit(Exit.STOPPED) from _shown(error, "Error: ", f"{message} (--debug shows where)", context)


def _shown(error: BaseException, head: str, message: str, context: Any) -> None:
    """Print the message of an error, with its notes, or all there is to know about it."""
    if context.find_root().meta.get("debug"):
        traceback.print_exception(error)
    lines = [message, *getattr(error, "__notes__", ())]
    note(Text.assemble((head, "red"), said("\n".join(lines))))


@contextmanager
def _shown_warnings() -> Iterator[None]:
    """Print warnings as messages to a user, not to a programmer, each once."""
    seen: set[str] = set()

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if str(message) not in seen:
            seen.add(str(message))
            warn(said(str(message)))

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield
