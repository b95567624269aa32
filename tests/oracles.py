"""Slow, obvious twins of the fast code. Tests only."""

from __future__ import annotations

import numpy as np

from guidance_kit.fsm.network import UNBOUNDED, Network, marked
from guidance_kit.fsm.opcodes import (
    CALL,
    EPSILON,
    FINAL,
    FRESH,
    JUMP,
    LOOP,
    NONE_LEFT,
    SOME_LEFT,
    TAKE,
    TURN,
    WITHIN,
)
from guidance_kit.vocabulary import Vocabulary

Frame = tuple  # () or (return_state, count of turns or keys that were taken, rule, outer Frame)


class Interpreter:
    """Run a network byte by byte with explicit stacks: a set of (state, frame), no merging, no memory.

    The twin of `fsm.automaton.Automaton`. Left recursion is not handled (it would not end).
    """

    def __init__(self, network: Network) -> None:
        self.network = network
        start = network.ensure_built(network.root)
        self.start = self._close({(start, (-1, self._at_first(network.root), network.root, ()))})
        if network.rules[network.root].nullable:
            self.start = self.start | {None}

    def _close(self, items):
        """All (state, frame) reachable without reading; None stands for "the whole text is complete"."""
        todo, seen = list(items), set(items)

        def add(item):
            if item not in seen:
                seen.add(item)
                todo.append(item)

        while todo:
            item = todo.pop()
            if item is None:
                continue
            state, frame = item
            for op, a, b in self.network.edges[state]:
                if op in (EPSILON, FRESH):  # names may come again: that they do not is judged by whole texts
                    add((a, frame))
                elif op == CALL:
                    start = self.network.ensure_built(a)
                    add((start, (b, self._at_first(a), a, frame)))
                    if self.network.rules[a].nullable:
                        add((b, frame))
                elif op == FINAL:
                    add(self._pop(frame))
                elif op == JUMP:
                    add((self.network.ensure_built(a) + b, frame))
                elif op == WITHIN:
                    if frame[1] + b <= self.network.rules[frame[2]].maximum:
                        add((a, frame))
                elif op == TURN:
                    target, count, number, outer = frame
                    add((a, (target, count + 1, number, outer)))
                elif op == SOME_LEFT:
                    if not frame[1].issuperset(range(b & 0xFFFF, b >> 16)):
                        add((a, frame))
                elif op == TAKE:
                    target, taken, number, outer = frame
                    add((a, (target, taken | {b}, number, outer)))
                elif op == NONE_LEFT:
                    required = self.network.rules[frame[2]].key_set.required
                    if all(required >> key & 1 == 0 or key in frame[1] for key in range(required.bit_length())):
                        add((a, frame))
                elif op == LOOP:
                    rule = self.network.rules[a]
                    target, count, number, outer = frame
                    count += 1
                    if rule.maximum == UNBOUNDED or count < rule.maximum:
                        clamped = min(count, rule.minimum) if rule.maximum == UNBOUNDED else count
                        add((rule.start, (target, clamped, number, outer)))
                    if count >= rule.minimum:
                        add(self._pop(frame))
        return frozenset(seen)

    def _at_first(self, rule: int):
        """Count of turns, or set of taken keys, at the start of a rule."""
        return frozenset() if self.network.rules[rule].keys else 0

    @staticmethod
    def _pop(frame):
        target, _, _, outer = frame
        return None if target == -1 else (target, outer)

    def step(self, items, byte: int):
        """The configuration after reading `byte`; empty if it cannot be read."""
        following = set()
        for item in items:
            if item is None:
                continue
            state, frame = item
            for op, a, _ in self.network.edges[state]:
                if op >= 0 and op & 255 <= byte <= op >> 8:
                    following.add((a, frame))
        return self._close(following)

    def run(self, text: bytes):
        items = self.start
        for byte in text:
            items = self.step(items, byte)
        return items

    def accepts(self, text: bytes) -> bool:
        """Membership of `text` in the language."""
        return None in self.run(text)

    def is_viable(self, text: bytes) -> bool:
        """Test for a prefix of something in the language (the network being free of dead states)."""
        return bool(self.run(text))


def brute_force(vocabulary: Vocabulary, twin: Interpreter, items) -> np.ndarray:
    """Every token tried byte by byte, each step from a configuration taken once: bool, (rows,)."""
    allowed = np.zeros(vocabulary.rows, dtype=bool)
    steps: dict = {}
    for token, text in enumerate(vocabulary.token_bytes):
        if token in vocabulary.special_names:
            text = marked(vocabulary.special_names[token])
        elif token in vocabulary.special or b"\xff" in text:
            text = b""
        if token in vocabulary.eos:
            allowed[token] = None in items
        if text and not allowed[token]:
            after = items
            for byte in text:
                if (after, byte) not in steps:
                    steps[after, byte] = twin.step(after, byte)
                after = steps[after, byte]
            allowed[token] = bool(after)
    return allowed
