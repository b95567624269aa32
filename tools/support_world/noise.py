"""Noise: what hurried people do to a text. It never touches an entity, except that it may lower the case of all."""

from __future__ import annotations

import re
from random import Random

from tools.support_world.entities.words import word
from tools.support_world.kinds import Blocks
from tools.support_world.wording import Draft, Piece

__all__ = ["join", "reworded", "spoil", "thinned", "typos"]

_WORD = re.compile(r"[A-Za-z]{4,}")


def spoil(blocks: Blocks, draft: Draft) -> Blocks:
    """Add typing errors to some texts, and write some in lower case, entities and record included."""
    random = draft.random
    if draft.chance(0.2):
        blocks = [[piece if piece.slot else Piece(typos(piece.text, random)) for piece in block] for block in blocks]
    if draft.chance(0.08):
        draft.lower()
        blocks = [[Piece(piece.text.lower(), piece.slot) for piece in block] for block in blocks]
    return blocks


def reworded(blocks: Blocks, draft: Draft, rate: float = 0.25) -> Blocks:
    """Put other words in the place of about `rate` of the longer ones around entities.

    Who reads such texts learns to tell by everything that is left what an entity is there for, as in sentences that
    are new to it. Blocks without entities stay as they are: what they mean is in their words alone.
    """

    def other(match: re.Match[str]) -> str:
        if not draft.chance(rate):
            return match.group()
        drawn = word(draft.random, draft.entities)
        return drawn.capitalize() if match.group()[0].isupper() else drawn

    return [
        [piece if piece.slot else Piece(_WORD.sub(other, piece.text)) for piece in block]
        if any(piece.slot for piece in block)
        else block
        for block in blocks
    ]


def thinned(blocks: Blocks, draft: Draft) -> Blocks:
    """Leave out up to a third of the words of four letters and more, but no entity, and no block altogether.

    Who has to tell what a text means from what is left learns from every word. Short words stay, "not" among them.
    """
    rate = draft.random.random() / 3

    def kept(text: str) -> str:
        left = _WORD.sub(lambda match: "" if draft.chance(rate) else match.group(), text)
        return re.sub(r" +", " ", left)

    left = [[piece if piece.slot else Piece(kept(piece.text)) for piece in block] for block in blocks]
    return [
        some if any(piece.slot or re.search(r"\w", piece.text) for piece in some) else block
        for some, block in zip(left, blocks, strict=True)
    ]


def typos(text: str, random: Random, rate: float = 0.12) -> str:
    """Swap, drop or double a letter in about `rate` of the longer words."""

    def spoiled(match: re.Match[str]) -> str:
        word = match.group()
        if random.random() > rate:
            return word
        at = random.randint(1, len(word) - 2)
        return random.choice(
            (
                word[:at] + word[at + 1] + word[at] + word[at + 2 :],
                word[:at] + word[at + 1 :],
                word[: at + 1] + word[at:],
            )
        )

    return _WORD.sub(spoiled, text)


def join(blocks: Blocks, draft: Draft) -> str:
    """Set the blocks one after the other: as paragraphs, as lines, or as one running text."""
    separator = draft.random.choice((" ", " ", "\n", "\n\n"))
    written = ["".join(piece.text for piece in block).strip() for block in blocks]
    text = written[0]
    for block in written[1:]:
        # A line such as "Phone: 123" without a full stop, a greeting's comma and lists need a line break after them.
        loose = separator == " " and (text[-1].isalnum() or text[-1] in ")," or "\n" in block or ": " in block[:20])
        text += ("\n" if loose else separator) + block
    return text
