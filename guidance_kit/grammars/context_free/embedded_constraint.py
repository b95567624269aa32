"""Embedded constraints: other constraints as rules of a grammar."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from guidance_kit.errors import UnsupportedFeature
from guidance_kit.fsm.network import Network
from guidance_kit.fsm.token_set import TokenSet
from guidance_kit.grammars.context_free.lexeme import Lexeme
from guidance_kit.grammars.regular.charset import CharSet
from guidance_kit.grammars.regular.encoding import utf8_template

__all__ = ["EmbeddedConstraint"]


class EmbeddedConstraint:
    """Another constraint as a rule of a grammar.

    While the grammar is compiled it is a terminal of one private character, see `Lexeme.of_embedded`. Ignored text may
    precede it as any terminal, but not interrupt it.

    Args:
        name: name of the rule.
        declare: function that declares the rule of its texts in a network and returns its number.
        is_token: whether it is one token, whatever the text of that.
    """

    def __init__(self, name: str, declare: Callable[[Network], int], *, is_token: bool = False) -> None:
        self.name = name
        self.declare = declare
        self.is_token = is_token

    @classmethod
    def of_tokens(cls, name: str, tokens: TokenSet) -> EmbeddedConstraint:
        """One token of a set."""
        return cls(name, lambda network: network.tokens(tokens), is_token=True)

    @cached_property
    def _network(self) -> Network:
        network = Network()
        network.root = self.declare(network)
        return network

    @property
    def is_nullable(self) -> bool:
        """True if it has the empty text."""
        return self._network.rules[self._network.root].nullable

    def check(self, never: CharSet, longer: Lexeme | None) -> None:
        """Check that it may follow a terminal behind which some characters, and perhaps longer texts, are excluded.

        Raises:
            UnsupportedFeature: a text of it begins with one of the characters, or it has the empty text.
        """
        chars = never if longer is None else never | longer.first
        if chars and (self.is_nullable or self._begins_with(chars)):
            raise UnsupportedFeature(
                "a constraint that begins with what must not follow the terminal, or what is ignored, before it",
                where=f"the rule {self.name}",
                hint="let them be told apart by the first character of the constraint, which may not be empty",
            )

    def _begins_with(self, chars: CharSet) -> bool:
        from guidance_kit.fsm.automaton import Automaton  # brings numba, which a grammar alone does not need

        network = self._network
        network.as_text = frozenset(name for name, or_text in network.specials.items() if or_text)
        automaton = Automaton(network)
        del self.__dict__["_network"]  # it belongs to the automaton now

        def can_read(config: int, ways: list[tuple[int, int]]) -> bool:
            live = automaton.live_bytes(config)
            for op, target in ways:
                for byte in range(op & 255, (op >> 8) + 1):
                    if live[byte]:
                        after = int(automaton.advance(config, bytes([byte]))[0])
                        if target == 0 or can_read(after, inner[target - 1]):
                            return True
            return False

        ascii_bytes = np.array([byte in chars for byte in range(0x80)])
        if bool((automaton.live_bytes(automaton.start)[:0x80] & ascii_bytes).any()):
            return True
        beyond = chars.beyond_ascii
        first, inner = utf8_template(beyond) if beyond else ([], [])
        return can_read(automaton.start, first)
