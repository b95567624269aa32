"""Walks through networks of JSON texts, and what the tests of the JSON Schema front end share."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

from guidance_kit.fsm.automaton import Automaton
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.token_index import TokenIndex
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.vocabulary import Vocabulary


class Judge:
    """Says whether texts belong to a constraint."""

    def __init__(self, constraint: Constraint) -> None:
        self.automaton = Automaton(constraint.network())

    def reads(self, text: str | bytes) -> int:
        """Number of bytes at the beginning of a text that are allowed."""
        return len(self.automaton.advance(self.automaton.start, encoded(text)))

    def accepts(self, text: str | bytes) -> bool:
        """Test whether the whole text is in the language."""
        text = encoded(text)
        path = self.automaton.advance(self.automaton.start, text)
        return bool(text) and len(path) == len(text) and self.automaton.is_complete(int(path[-1]))

    def accepts_value(self, value: Any) -> bool:
        """Test whether the text of a value, as `json.dumps` writes it, is accepted for some order of its keys."""
        assert not self.automaton.network.has_recalls  # they would have to be told what came before each part
        return any(map(self.automaton.is_complete, self._ends(self.automaton.start, value)))

    def _ends(self, state: int, value: Any) -> Iterator[int]:
        """The states after a value, for all orders of its keys."""
        if isinstance(value, dict):
            for inside in self._step(state, "{"):
                yield from self._object_ends(inside, value, frozenset(), set())
        elif isinstance(value, list):
            for inside in self._step(state, "["):
                yield from self._array_ends(inside, value, 0, set())
        else:
            yield from self._step(state, dumps(value))

    def _array_ends(self, state: int, items: list, count: int, seen: set) -> Iterator[int]:
        if count == len(items):
            yield from self._step(state, "]")
        elif (state, count) not in seen:
            seen.add((state, count))
            for start in self._step(state, ", " if count else ""):
                for end in self._ends(start, items[count]):
                    yield from self._array_ends(end, items, count + 1, seen)

    def _object_ends(self, state: int, items: dict, written: frozenset, seen: set) -> Iterator[int]:
        if len(written) == len(items):
            yield from self._step(state, "}")
        elif (state, written) not in seen:
            seen.add((state, written))
            for key in (key for key in items if key not in written):
                for start in self._step(state, f"{', ' if written else ''}{dumps(key)}: "):
                    for end in self._ends(start, items[key]):
                        yield from self._object_ends(end, items, written | {key}, seen)

    def _step(self, state: int, text: str) -> Iterator[int]:
        """The state after a text, if the text is allowed."""
        path = self.automaton.advance(state, encoded(text))
        if len(path) == len(encoded(text)):
            yield int(path[-1]) if text else state


def encoded(text: str | bytes) -> bytes:
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text


def dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def shuffled(value: Any, chance: random.Random) -> Any:
    """The value with the keys of its objects in a random order."""
    if isinstance(value, list):
        return [shuffled(item, chance) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: shuffled(value[key], chance) for key in chance.sample(list(value), len(value))}


def judge(schema: Any, **options: Any) -> Judge:
    """The judge of a schema, of every spelling unless `options` say otherwise."""
    return Judge(json_schema(schema, **{"escapes": "all", **options}))


def walk(automaton: Automaton, chance: random.Random, *, patience: int = 60) -> bytes:
    """A random text of the language: at random first, then by a short way to the end.

    Raises:
        AssertionError: if there is a dead end, or no end in sight.
    """
    matcher = Matcher(TokenIndex(automaton, Vocabulary.from_bytes()))
    text = bytearray()
    while len(text) < patience:
        live = live_bytes(matcher)
        if matcher.is_complete and (not live or chance.random() < 0.5):
            return bytes(text)
        assert live, f"a dead end after {bytes(text)!r}"
        if chance.random() < 0.7:
            # ASCII mostly: a uniform byte is nearly always one that begins a long character
            live = [byte for byte in live if 0x20 < byte < 0x7F] or live
        text.append(chance.choice(live))
        matcher.advance(text[-1])
    if matcher.can_be_bounded:
        matcher = matcher.within(matcher.min_tokens_to_complete())
    while not matcher.is_complete:
        live = live_bytes(matcher)
        assert live, f"a dead end after {bytes(text[-300:])!r}"
        assert len(text) < 100_000, f"no end in sight after {bytes(text[-300:])!r}"
        # without budgets the nearest byte may lead to a key that is there already, again and again
        is_sure = matcher.can_be_bounded or chance.random() < 0.9
        text.append(min(live, key=lambda byte: nearness(matcher, byte)) if is_sure else chance.choice(live))
        matcher.advance(text[-1])
    return bytes(text)


_CLOSING = b'"]},:0123456789abcdefghijklmnopqrstuvwxyz-['


def nearness(matcher: Matcher, byte: int) -> tuple[int, int]:
    """Distance to the end behind a byte, where there are no budgets; and its rank, in which closing bytes are first."""
    index = matcher.index
    after = matcher.follow([byte])[0]
    assert after is not None
    is_known = matcher.can_be_bounded or after.is_complete or index.automaton.network.has_recalls
    needed = 0 if is_known else index.min_tokens_to_complete(after.mask_key[1]) or 0
    return needed, (_CLOSING + bytes([byte])).index(byte)


def live_bytes(matcher: Matcher) -> list[int]:
    return [byte for byte in matcher.allowed_tokens().tolist() if byte < 256]
