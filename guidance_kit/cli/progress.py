"""Progress of a job: a bar with rate and time left on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

from rich import progress as bars
from rich.text import Text

from guidance_kit.cli.terminal import console, note

if TYPE_CHECKING:
    from guidance_kit.extraction.entry import Failure, Tally

__all__ = ["Progress"]

_SECONDS_BETWEEN_LINES = 10.0
_MOST_FAILURES = 5


class Progress:
    """The progress of one job on standard error; a context.

    Args:
        total: number of documents, None if it is not known.
        is_shown: whether to draw while it runs; the summary comes anyway.
        noun: what each document gets.
    """

    def __init__(self, total: int | None, *, is_shown: bool = True, noun: str = "record") -> None:
        self.total = total
        self._noun = noun
        self._is_shown = is_shown
        self._begin = self._last = time.monotonic()
        self._documents = self._failures = 0
        self._bar = bars.Progress(
            bars.BarColumn(bar_width=None),
            bars.MofNCompleteColumn(),
            bars.TextColumn("{task.description}"),
            console=console(),
            transient=True,
            disable=not (is_shown and sys.stderr.isatty()),
            expand=True,
        )
        self._task = self._bar.add_task("", total=total)

    def __enter__(self) -> Progress:
        self._begin = self._last = time.monotonic()
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()
        if kind is not None and self._is_shown and self._documents:
            total = "" if self.total is None else f" of {self.total}"
            note(f"{self._documents}{total} documents are done; continue with --resume")

    def update(self, tally: Tally) -> None:
        """Show a new tally, and the first documents that failed."""
        self._documents = tally.documents
        for failure in tally.failures:
            self._show(failure)
        self._bar.update(self._task, completed=tally.documents, description=self._rate(tally))
        now = time.monotonic()
        if self._bar.disable and self._is_shown and now - self._last >= _SECONDS_BETWEEN_LINES:
            self._last = now
            done = f"{tally.documents}" + ("" if self.total is None else f" of {self.total}")
            note(f"{done} documents, {self._rate(tally)}")

    def summary(self, tally: Tally, *outputs: str | None) -> str:
        """The job in one line, with the files that were written."""
        seconds = max(time.monotonic() - self._begin, 1e-9)
        parts = [_counted(tally.records, self._noun)]
        if tally.unsure:
            parts.append(f"{tally.unsure} of them unsure")
        if tally.failed:
            parts.append(f"{tally.failed} failed")
        if tally.known:
            parts.append(f"{tally.known} done before")
        new = tally.records + tally.failed
        pace = f" in {_duration(seconds)}, {new / seconds:.1f} documents/s"
        if tally.tokens:
            pace += f", {tally.tokens / seconds:.0f} tokens/s"
        files = " and ".join(name for name in outputs if name not in (None, "-"))
        return ", ".join(parts) + (pace if new else "") + (f"; see {files}" if files else "")

    def _rate(self, tally: Tally) -> str:
        """Rate and time left, in words."""
        new = tally.records + tally.failed
        pace = new / max(time.monotonic() - self._begin, 1e-9)
        parts = [f"{pace:.1f}/s"] if new else []
        if new and self.total is not None:
            parts.append(f"{_duration(max(0, self.total - tally.documents) / pace)} left")
        if tally.failed:
            parts.append(f"{tally.failed} failed")
        return ", ".join(parts)

    def _show(self, failure: Failure) -> None:
        self._failures += 1
        if self._failures <= _MOST_FAILURES:
            why = failure.message
            note(Text(why if why.startswith(failure.source) else f"{failure.source}: {why}", "yellow"))
        elif self._failures == _MOST_FAILURES + 1:
            note(Text("More documents failed; their errors are in the output only", "yellow"))


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")


def _duration(seconds: float) -> str:
    """Seconds as people write them: 8.2 s, 3:05, 1:02:03."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
