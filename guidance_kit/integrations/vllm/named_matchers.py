"""Matchers of this process that a request to an engine in it names, in place of a constraint that it spells out.

A request to vLLM describes its constraint by a text, which has no room for a token budget, excerpts of a document or
the options of one schema. Where the engine's scheduler runs in this process, the matcher itself can be handed over.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from guidance_kit.fsm.matcher import Matcher

__all__ = ["named_matcher", "naming"]

_HEAD = "guidance_kit matcher "
"""Start of each name, which starts no grammar."""

_numbers = itertools.count()
_named: dict[str, Matcher] = {}
_lock = threading.Lock()


@contextmanager
def naming(matchers: Sequence[Matcher | None]) -> Iterator[list[str | None]]:
    """Names of matchers for the `grammar` of requests, as long as the context lasts.

    Args:
        matchers: at the start of their texts; None for a text without a constraint.
    """
    names = [None if matcher is None else f"{_HEAD}{next(_numbers)}" for matcher in matchers]
    made = {
        name: matcher for name, matcher in zip(names, matchers, strict=True) if name is not None and matcher is not None
    }
    with _lock:
        _named.update(made)
    try:
        yield names
    finally:
        with _lock:
            for name in made:
                del _named[name]


def named_matcher(name: str) -> Matcher | None:
    """Copy of the matcher with a name; None if there is none, as for any grammar."""
    if not name.startswith(_HEAD):
        return None
    with _lock:
        found = _named.get(name)
    return None if found is None else found.fork()
