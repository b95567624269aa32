"""Masks that a request will probably need, computed ahead of its text in a thread of their own."""

from __future__ import annotations

import json
import logging
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.token_index import TokenIndex
from guidance_kit.grammars.json_schema.likely_instance import likely_instance

__all__ = ["MasksAhead"]

_LOG = logging.getLogger("guidance_kit.vllm")

_MOST_TOKENS = 256
"""Masks of one schema that are computed ahead, at most."""


class MasksAhead:
    """Follow a likely instance of each new schema, so that its rules are written before an engine's step needs them.

    A request may start meanwhile: an automaton answers one thread at a time, and the masks are the same whoever asks
    first. The instance is a guess; where the schema forbids it, the rest is left to the request itself.

    Args:
        encode: tokens of a text, without special tokens.
    """

    def __init__(self, encode: Callable[[str], Sequence[int]]) -> None:
        self._encode = encode
        self._followed: weakref.WeakSet[TokenIndex] = weakref.WeakSet()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="guidance_kit masks ahead")

    def follow(self, matcher: Matcher, schema: str, *, is_compact: bool = False) -> None:
        """Start on a schema, unless that was done before; returns at once.

        Args:
            matcher: at the start of a text; it is not changed.
            schema: JSON Schema that the matcher was made of.
            is_compact: whether its texts have no white space.
        """
        if matcher.index not in self._followed:
            self._followed.add(matcher.index)
            self._thread.submit(self._run, matcher.fork(), schema, is_compact)

    def close(self, *, wait: bool = False) -> None:
        """End the thread; what has not begun is dropped, unless `wait`."""
        self._thread.shutdown(wait=wait, cancel_futures=not wait)

    def _run(self, matcher: Matcher, schema: str, is_compact: bool) -> None:
        try:
            separators = (",", ":") if is_compact else (", ", ": ")
            text = json.dumps(likely_instance(json.loads(schema)), ensure_ascii=False, separators=separators)
            for token in self._encode(text)[:_MOST_TOKENS]:
                if not matcher.try_advance(int(token)):
                    return
                matcher.allowed()
        except Exception:  # of any kind: the request will meet it itself, if at all
            _LOG.debug("masks of a schema were not computed ahead", exc_info=True)
