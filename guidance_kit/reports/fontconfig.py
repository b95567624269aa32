"""Messages of Fontconfig, which finds the fonts of drawings and writes to standard error past Python."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["font_messages"]

_HEAD, _ERROR = b"Fontconfig ", b"Fontconfig error"


@contextmanager
def font_messages() -> Iterator[list[str]]:
    """Keep messages of Fontconfig from standard error, of this process and of those that it starts; others stay.

    Its warnings are about the syntax of its configuration, of which it leaves out what it does not know, so that they
    tell a user nothing about a drawing.

    Yields:
        A list that has its errors at the end: without a configuration it may have found no fonts.
    """
    errors: list[str] = []
    sys.stderr.flush()
    try:
        kept = os.dup(2)
    except OSError:  # there is no standard error
        yield errors
        return
    with tempfile.TemporaryFile() as written:
        os.dup2(written.fileno(), 2)
        try:
            yield errors
        finally:
            sys.stderr.flush()
            os.dup2(kept, 2)
            os.close(kept)
            written.seek(0)
            lines = written.read().splitlines(keepends=True)
            own = [line for line in lines if line.startswith(_HEAD)]
            errors += [line.decode(errors="replace").strip() for line in own if line.startswith(_ERROR)]
            with open(2, "wb", closefd=False) as stderr:
                stderr.writelines(line for line in lines if line not in own)
