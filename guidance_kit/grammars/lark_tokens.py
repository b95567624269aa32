"""Tokens of a vocabulary in rules of Lark's notation, which lark itself does not support.

The syntax is that of llguidance. For lark each token is replaced by the name of a terminal of the same length, so that
positions in its errors hold.
"""

from __future__ import annotations

import itertools
import re
from typing import NamedTuple

from guidance_kit.errors import GrammarError
from guidance_kit.fsm.token_set import TokenSet
from guidance_kit.grammars.context_free.token_notation import TOKENS, token_set

__all__ = ["LarkTokens", "read_tokens"]

_PARTS = re.compile(
    rf'//[^\n]*|#[^\n]*|"(?:\\.|[^"\\\n])*"|/(?!/)(?:\\.|[^/\\])*/|(?P<token>{TOKENS.pattern})', re.DOTALL
)
"""Comments, texts and patterns of Lark's notation, in which nothing is a token; and tokens."""


class LarkTokens(NamedTuple):
    """A grammar with terminals in place of tokens.

    Attributes:
        text: the grammar for lark.
        named: for each of these terminals the spelling of its token, and the token.
    """

    text: str
    named: dict[str, tuple[str, TokenSet]]

    def told(self, message: str) -> str:
        """Message of lark, in the words of the grammar."""
        for name, (written, _) in self.named.items():
            message = message.replace(name, written)
        return message


def read_tokens(text: str, path: str) -> LarkTokens:
    """The grammar that lark can read instead of one that names tokens.

    Raises:
        GrammarError: numbers of tokens are malformed.
    """
    if TOKENS.search(text) is None:
        return LarkTokens(text, {})
    names: dict[str, str] = {}
    sets: dict[str, TokenSet] = {}
    taken = text.upper()

    def named(match: re.Match[str]) -> str:
        written = match["token"]
        if written is None:
            return match[0]

        def wrong(message: str, offset: int) -> GrammarError:
            place = match.start() + offset
            line, column = text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place)
            return GrammarError(message, source=text, line=line, column=column, path=path)

        if written not in names:
            sets[written] = token_set(written, wrong)
            numbers = (f"T{number:0{len(written) - 1}X}" for number in itertools.count())
            names[written] = next(name for name in numbers if name not in taken and name not in names.values())
        return names[written]

    rewritten = _PARTS.sub(named, text)
    if names:
        rewritten += f"\n%declare {' '.join(names.values())}\n"
    return LarkTokens(rewritten, {name: (written, sets[written]) for written, name in names.items()})
