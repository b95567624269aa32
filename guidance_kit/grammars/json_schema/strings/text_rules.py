"""Rules of given strings, and of all other strings."""

from __future__ import annotations

from collections.abc import Iterable

from guidance_kit.fsm.network import Network
from guidance_kit.grammars.json_schema.strings.encoding import JsonString

__all__ = ["TextRules"]

_QUOTE = 0x22


class TextRules:
    """Rules of strings after the opening quote, in all spellings, closing quote included.

    Args:
        network: where to write.
        encoding: how strings are spelt.
    """

    def __init__(self, network: Network, encoding: JsonString) -> None:
        self._network = network
        self._encoding = encoding
        self._rules: dict[str, int] = {}
        self._starts: dict[str, int] = {}
        self._others: dict[tuple[tuple[str, ...], int], int] = {}

    def rule(self, text: str, others: Iterable[str]) -> int:
        """Rule of a string; those of `others` are written with it."""
        rule = self._rules.get(text)
        if rule is None:
            rule = self._network.rule(lambda: self._start(text, others), nullable=False, name=f"text {text}")
            self._rules[text] = rule
        return rule

    def _start(self, text: str, others: Iterable[str]) -> int:
        if text not in self._starts:
            network = self._network
            fresh = [other for other in dict.fromkeys((text, *others)) if other not in self._starts]
            starts, end = network.states(len(fresh)), network.state()
            network.final(end)
            self._encoding.closed(network, [(start, one, end) for start, one in zip(starts, fresh, strict=True)])
            self._starts.update(zip(fresh, starts, strict=True))
        return self._starts[text]

    def others(self, taken: tuple[str, ...], read: int = 0) -> int:
        """Rule of all strings except `taken`, after their common first `read` characters."""
        rule = self._others.get((taken, read))
        if rule is None:

            def build() -> int:
                if not taken:
                    return self._encoding.anything(self._network)[0]
                start = self._network.state()
                self._write_others(start, taken, read)
                return start

            rule = self._network.rule(build, nullable=False, is_free=True, name="other string")
            self._others[taken, read] = rule
        return rule

    def _write_others(self, source: int, taken: tuple[str, ...], read: int) -> None:
        """Write all continuations except those of the strings in `taken`, closing quote included."""
        network = self._network
        if len(taken) == 1:
            self._encoding.all_but(network, source, taken[0][read:])
            return
        _, end = self._encoding.anything(network)
        branches: dict[str, list[str]] = {}
        for text in taken:
            branches.setdefault(text[read : read + 1], []).append(text)
        if branches.pop("", None) is None:
            network.byte(source, _QUOTE, _QUOTE, end)
        ways: dict[str, int] = {}
        for character, texts in branches.items():
            ways[character] = network.state()
            network.call(ways[character], self.others(tuple(texts), read + 1), end)
        self._encoding.fork(network, source, ways)
