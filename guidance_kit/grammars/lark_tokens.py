"""Tokens of a vocabulary in rules of Lark's notation, which lark itself does not know.

They are written as llguidance has them. lark reads the grammar with a name of a terminal in the place of each, as long
as what it stands for: so what lark says of places holds.
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
"""Comments, texts and patterns of Lark's notation, within which no tokens are named; and tokens."""


class LarkTokens(NamedTuple):
    """A grammar in which terminals stand for tokens.

    Attributes:
        text: the grammar as lark can read it.
        named: for each of these terminals what is written there, and what it means.
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
