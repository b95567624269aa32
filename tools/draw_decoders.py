"""Draw the picture of docs/decoding.md: `python -m tools.draw_decoders`.

Each panel has the same tree of prefixes over the tokens a and b, three tokens deep, with the probabilities of a small
model. What a decoder evaluates is drawn in colour, what it drops in grey, and what it returns is filled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import product
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "docs" / "images" / "decoders.svg"

FIRST = {"": 0.6, "a": 0.55, "b": 0.9, "aa": 0.6, "ab": 0.5, "ba": 0.9, "bb": 0.5}
"""Probability of the token a after each prefix."""

WIDTH, HEIGHT, STEP, GAP = 268, 204, 36, 31
"""Size of a panel, and distance of levels and of texts, in pixels."""

INK, LOOKED, GREY, DEAD = "#1f2937", "#6366f1", "#cbd5e1", "#dc2626"

TEXTS = ["".join(tokens) for tokens in product("ab", repeat=3)]


def probability(prefix: str) -> float:
    """Probability of a prefix.

    >>> round(probability("baa"), 3)
    0.324
    """
    share = 1.0
    for place, token in enumerate(prefix):
        first = FIRST[prefix[:place]]
        share *= first if token == "a" else 1 - first
    return share


@dataclass(frozen=True, slots=True)
class Panel:
    """Decoder in the tree.

    Args:
        name: call that makes the decoder.
        caption: two lines below the tree.
        looked: prefixes that it goes on from or returns, those on the way to them included.
        dropped: prefixes that it evaluates and drops.
        returned: texts of its result.
        notes: labels of texts, as weights and counts.
        dead: prefixes that a predicate or the constraint forbids.
    """

    name: str
    caption: tuple[str, str]
    looked: Sequence[str]
    dropped: Sequence[str] = ()
    returned: Sequence[str] = ()
    notes: dict[str, str] = field(default_factory=dict)
    dead: Sequence[str] = ()

    def drawn(self, left: float, top: float) -> Iterator[str]:
        """Elements of the panel."""
        yield f'<text x="{left + WIDTH / 2}" y="{top + 16}" {_MONO}>{escape(self.name)}</text>'
        looked = {prefix[:end] for prefix in self.looked for end in range(len(prefix) + 1)}
        prefixes = ["".join(tokens) for depth in range(1, 4) for tokens in product("ab", repeat=depth)]
        for prefix in prefixes:
            (x, y), (x_before, y_before) = _place(prefix, left, top), _place(prefix[:-1], left, top)
            colour = LOOKED if prefix in looked else INK if prefix in self.dropped else GREY
            dash = ' stroke-dasharray="3 3"' if prefix in self.dropped else ""
            width = 1 + 3 * probability(prefix) if prefix in looked else 1
            yield (
                f'<line x1="{x_before:g}" y1="{y_before:g}" x2="{x:g}" y2="{y:g}" stroke="{colour}"'
                f' stroke-width="{width:.1f}"{dash}/>'
            )
        for prefix in ["", *prefixes]:
            x, y = _place(prefix, left, top)
            colour = LOOKED if prefix in looked else GREY
            fill = LOOKED if prefix in self.returned else "#ffffff"
            yield f'<circle cx="{x:g}" cy="{y:g}" r="4.5" fill="{fill}" stroke="{colour}" stroke-width="1.5"/>'
            if prefix in self.dead:
                yield f'<path d="M{x - 5:g} {y - 5:g}l10 10m0 -10l-10 10" stroke="{DEAD}" stroke-width="2"/>'
        for text in TEXTS:
            x, y = _place(text, left, top)
            yield f'<text x="{x:g}" y="{y + 18:g}" {_SMALL} fill="{INK}">{text}</text>'
            yield f'<text x="{x:g}" y="{y + 30:g}" {_SMALL} fill="#6b7280">{probability(text):.2f}</text>'
            if text in self.notes:
                look = f'{_SMALL} fill="{LOOKED}" font-weight="bold"'
                yield f'<text x="{x:g}" y="{y + 42:g}" {look}>{escape(self.notes[text])}</text>'
        for line, words in enumerate(self.caption):
            yield f'<text x="{left + WIDTH / 2}" y="{top + HEIGHT - 2 + 15 * line}" {_WORDS}>{escape(words)}</text>'


_MONO = f'text-anchor="middle" font-family="monospace" font-weight="bold" font-size="13" fill="{INK}"'
_SMALL = 'text-anchor="middle" font-size="10.5"'
_WORDS = 'text-anchor="middle" font-size="12" fill="#374151"'

PANELS = (
    Panel(
        '"sample"', ("draws a token at each step;", "at temperature 0 takes the most likely one"),
        ["aab"], returned=["aab"],
    ),
    Panel(
        "Beam(2)", ("the 2 most likely prefixes go on;", "the score of a text is its probability"),
        ["aaa", "baa"], dropped=["ab", "bb", "aab", "bab"], returned=["baa", "aaa"],
    ),
    Panel(
        "MostLikely(1)", ("best first: ends when no prefix", "can lead to a better text, with a proof"),
        ["baa", "aa"], dropped=["ab", "bb", "aaa", "aab", "bab"], returned=["baa"],
    ),
    Panel(
        "StochasticBeam(2)", ("draws 2 different texts, in proportion", "to their probability among those left"),
        ["baa", "abb", "aa"], dropped=["bb", "aaa", "aab", "aba", "bab"], returned=["baa", "abb"],
    ),
    Panel(
        "BestOf(4), MBR(4)", ("draws 4 texts, and returns the most likely,", "the best by reward, vote or utility"),
        ["baa", "aaa", "abb"], returned=["baa"], notes={"baa": "2", "aaa": "1", "abb": "1"},
    ),
    Panel(
        "Particles(4, potential=f)", ("texts in proportion to p times f,", "weighted and drawn again at each step"),
        ["baa", "aba", "abb"], dropped=["aa"], dead=["aa"], returned=["baa"],
        notes={"baa": "2", "aba": "1", "abb": "1"},
    ),
)  # fmt: skip


def _place(prefix: str, left: float, top: float) -> tuple[float, float]:
    """Place of a prefix: the middle of its texts, at the level of its length."""
    own = [number for number, text in enumerate(TEXTS) if text.startswith(prefix)]
    return left + WIDTH / 2 + GAP * (sum(own) / len(own) - 3.5), top + 32 + STEP * len(prefix)


def picture() -> str:
    """All panels, three in a row."""
    across, down = 3, 2
    width, height = across * WIDTH, down * (HEIGHT + 34)
    elements = [
        element
        for number, panel in enumerate(PANELS)
        for element in panel.drawn(number % across * WIDTH, number // across * (HEIGHT + 34) + 4)
    ]
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" role="img">',
        "<title>What decoders look at in the tree of prefixes, and what they return</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        *elements,
        "</svg>",
        "",
    ])  # fmt: skip


def main() -> None:
    TARGET.write_text(picture(), encoding="utf-8")


if __name__ == "__main__":
    main()
