"""Rules for given strings, of which many begin at one place and each ends in a place of its own."""

from __future__ import annotations

from collections.abc import Iterable

from guidance_kit.fsm.network import Network
from guidance_kit.grammars.json_schema.string_encoding import JsonString

__all__ = ["TextRules"]


class TextRules:
    """A rule for each string: all its spellings behind the first quote, with the last one.

    Args:
        network: where to write.
        encoding: how strings are spelt.
    """

    def __init__(self, network: Network, encoding: JsonString) -> None:
        self._network = network
        self._encoding = encoding
        self._rules: dict[str, int] = {}
        self._starts: dict[str, int] = {}

    def rule(self, text: str, others: Iterable[str]) -> int:
        """The rule of a text; `others` are needed where it is, and written with it."""
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
