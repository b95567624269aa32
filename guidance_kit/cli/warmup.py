"""`guidance-kit warmup`: compile the kernels now and keep them, so that no later process has to."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from rich import progress as bars

from guidance_kit.cli.terminal import Debug, console, note

__all__ = ["compile_kernels", "warmup"]


def warmup(debug: Debug = False) -> None:
    """Compile the kernels and store them on disk.

    The first constraint in a fresh installation takes many seconds, because the kernels are compiled then; this does
    it ahead of time, when a container image is built, say. NUMBA_CACHE_DIR names another folder.
    """
    begin = time.perf_counter()
    compiled = compile_kernels()
    seconds = time.perf_counter() - begin
    folder = kept_in()
    if folder is None:
        note(
            f"The kernels work ({seconds:.1f} s), but every process compiles them again: their folder cannot be written"
        )
    elif compiled:
        note(f"Compiled the kernels in {seconds:.1f} s; stored in {folder}")
    else:
        note(f"The kernels are compiled already ({seconds:.1f} s); stored in {folder}")


def compile_kernels() -> int:
    """Compile what is not compiled yet, with a progress bar on a terminal.

    Returns:
        Number of kernels that were compiled, not found on the disk.
    """
    columns = bars.SpinnerColumn(), bars.TextColumn("{task.description}"), bars.BarColumn(), bars.TimeElapsedColumn()
    with bars.Progress(*columns, console=console(), transient=True, disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task("Preparing the kernels", total=None)
        from guidance_kit.grammars.warm_up import compiled_kernels, steps  # and so numba, which takes a while

        calls = list(steps())
        before, is_told = compiled_kernels(), False
        for done, (name, call) in enumerate(calls):
            if compiled_kernels() > before and not is_told:
                is_told = True
                note("Compiling the kernels; this takes half a minute, once")
            verb = "Compiling" if is_told else "Preparing"
            progress.update(task, total=len(calls), completed=done, description=f"{verb} {name}")
            call()
    return compiled_kernels() - before


def kept_in() -> Path | None:
    """The folder of the compiled kernels, None if they cannot be kept."""
    from guidance_kit.fsm.kernels import compiling

    return compiling.cache_folder
