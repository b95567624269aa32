"""Walks through networks of JSON texts, and what the tests of the JSON Schema front end share."""

from __future__ import annotations

import heapq
import itertools
import json
import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from guidance_kit.fsm.automaton import Automaton
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.json_schema import json_schema


class Judge:
    """Says whether texts belong to a constraint."""

    def __init__(self, constraint: Constraint) -> None:
        self.automaton = Automaton(constraint.network())

    def reads(self, text: str | bytes) -> int:
        """How many bytes of a text are allowed."""
        return len(self.automaton.advance(self.automaton.start, text.encode() if isinstance(text, str) else text))

    def accepts(self, text: str | bytes) -> bool:
        """Whether the whole text is in the language."""
        text = text.encode() if isinstance(text, str) else text
        path = self.automaton.advance(self.automaton.start, text)
        return bool(text) and len(path) == len(text) and self.automaton.is_complete(int(path[-1]))

    def accepts_value(self, value: Any) -> bool:
        """Whether the text of a value, as `json.dumps` writes it, is accepted for some order of its keys."""
        return any(self.accepts(json.dumps(other, ensure_ascii=False)) for other in orders(value))


def judge(schema: Any, **options: Any) -> Judge:
    """The judge of a schema, written compactly or as `options` say."""
    return Judge(json_schema(schema, **options))


def orders(value: Any) -> Iterator[Any]:
    """The value with the keys of its objects in all orders."""
    if isinstance(value, dict):
        for keys in itertools.permutations(value):
            for items in itertools.product(*(list(orders(value[key])) for key in keys)):
                yield dict(zip(keys, items, strict=True))
    elif isinstance(value, list):
        for items in itertools.product(*(list(orders(item)) for item in value)):
            yield list(items)
    else:
        yield value


def walk(automaton: Automaton, chance: random.Random, *, patience: int = 60) -> bytes:
    """A random text of the language: at random first, then by a short way to the end.

    Raises:
        AssertionError: if there is a dead end, or no end in sight.
    """
    config = automaton.start
    text = bytearray()
    while len(text) < patience:
        live = np.flatnonzero(automaton.live_bytes(config)).tolist()
        if automaton.is_complete(config) and (not live or chance.random() < 0.5):
            return bytes(text)
        assert live, f"a dead end after {bytes(text)!r}"
        if chance.random() < 0.7:
            # ASCII mostly: a uniform byte is nearly always one that begins a long character
            live = [byte for byte in live if 0x20 < byte < 0x7F] or live
        byte = chance.choice(live)
        text.append(byte)
        config = int(automaton.advance(config, bytes([byte]))[0])
    return bytes(text) + finish(automaton, config)


_COSTS = {**dict.fromkeys(b'"}]', 0), **dict.fromkeys(b"{[", 8), **dict.fromkeys(b"\\ \t\r\n", 20)}


def finish(automaton: Automaton, config: int, *, most: int = 100_000) -> bytes:
    """A text that leads from `config` to the end: cheap bytes first, long texts first, no situation twice."""
    queue: list[tuple[int, bytes, int]] = [(0, b"", config)]
    seen: set[int] = set()
    while queue and len(seen) < most:
        cost, text, config = heapq.heappop(queue)
        if config in seen:
            continue
        seen.add(config)
        if automaton.is_complete(config):
            return text
        live = np.flatnonzero(automaton.live_bytes(config))
        assert len(live), f"a dead end {text!r}"
        _, firsts = np.unique(automaton.arena.byte_class[live], return_index=True)
        for byte in live[firsts].tolist():
            extra = -1 if len(firsts) == 1 else _COSTS.get(byte, 1)
            step = bytes([byte])
            heapq.heappush(queue, (cost + extra, text + step, int(automaton.advance(config, step)[0])))
    raise AssertionError(f"no end in sight within {len(seen)} situations")
