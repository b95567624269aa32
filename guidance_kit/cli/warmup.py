"""`guidance-kit warmup`: compile the kernels now and keep them, so that no later process has to."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
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
        steps = list(_steps())  # imports numba, which takes a while itself
        before, is_told = _misses(), False
        for done, (name, step) in enumerate(steps):
            if _misses() > before and not is_told:
                is_told = True
                note("Compiling the kernels; this takes about a minute, once")
            verb = "Compiling" if is_told else "Preparing"
            progress.update(task, total=len(steps), completed=done, description=f"{verb} {name}")
            step()
    return _misses() - before


def _misses() -> int:
    """Number of kernels that this process has compiled so far."""
    from guidance_kit.fsm.kernels.compiling import KERNELS

    return sum(len(kernel.stats.cache_misses) for kernel in KERNELS.values())


def kept_in() -> Path | None:
    """The folder of the compiled kernels, None if they cannot be kept."""
    from guidance_kit.fsm.kernels import compiling

    return compiling.cache_folder


def _steps() -> Iterator[tuple[str, Callable[[], object]]]:
    """Calls that make numba compile each kernel: name of a part, and a call that uses it for the first time."""
    import numpy as np

    from guidance_kit.fsm import bitmask
    from guidance_kit.fsm.mask_batch import fill_masks
    from guidance_kit.fsm.matcher import Matcher
    from guidance_kit.fsm.token_index import TokenIndex
    from guidance_kit.fsm.token_trie import TokenTrie
    from guidance_kit.grammars.any_token import any_token
    from guidance_kit.grammars.choice import choice
    from guidance_kit.grammars.composition import sequence
    from guidance_kit.grammars.constraint import Constraint
    from guidance_kit.grammars.json_schema import json_schema
    from guidance_kit.grammars.regex import regex
    from guidance_kit.vocabulary import Vocabulary

    vocabulary = Vocabulary.from_bytes()
    matchers: list[Matcher] = []

    def begin(constraint: Constraint) -> None:
        matchers.append(Matcher(TokenIndex.build(constraint.network(), vocabulary)))

    def read(text: bytes) -> None:
        matchers[-1].advance_bytes(text)

    def apply() -> None:
        mask = matchers[-1].allowed()
        for dtype in (np.float32, np.float64):
            bitmask.apply(np.zeros((1, vocabulary.rows), dtype=dtype), mask[None])

    def recall() -> None:
        begin(json_schema({"type": "string", "format": "regex"}, formats="recall"))
        read(b'"(?<a>x)(?<b')
        matchers[-1].allowed()

    def item() -> None:
        begin(json_schema({"type": "array", "items": {"type": "string"}, "uniqueItems": True}))
        read(b'["a","a')
        matchers[-1].can_advance(ord('"'))

    def name() -> None:
        begin(json_schema({"type": "object"}))
        matchers[-1].advance(ord("{"))
        read(b'"a":1,"a')
        matchers[-1].can_advance(ord('"'))

    def number() -> None:
        begin(choice([sequence(any_token([ord("a")]), "b"), "ab"]))
        matchers[-1].within(2).allowed()
        matchers[-1].advance(ord("a"))

    yield "the token trie", lambda: TokenTrie(vocabulary)
    yield "the first step", lambda: begin(regex('"[^"\\\\]{0,5000}"'))
    yield "further steps", lambda: read(b'"')
    yield "masks", lambda: matchers[-1].allowed()
    yield "masks of batches", lambda: fill_masks(matchers, np.empty((1, matchers[-1].index.words), dtype=np.int32))
    yield "numbers of masks", lambda: matchers[-1].canonical_mask_key()
    yield "masks within budgets", lambda: matchers[-1].within(2).allowed()
    yield "tokens", lambda: matchers[-1].can_advance(0)
    yield "forced texts", lambda: matchers[-1].forced_text()
    yield "the growth of arrays", lambda: read(b"a" * 5000)
    yield "the use of masks", apply
    yield "masks that depend on the text", recall
    yield "names that come once", name
    yield "items that come once", item
    yield "tokens by number", number
