"""Words and phrases: from a list, or coined."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from tools.support_world.entities.mention import Side, lists, on_side, pick

__all__ = ["coined", "phrase", "word"]

_ONSETS = [
    "b", "br", "c", "ch", "d", "dr", "f", "fl", "g", "gr", "h", "j", "k", "kl", "l", "m", "n", "p", "pr", "qu", "r",
    "s", "sh", "sk", "sl", "st", "t", "tr", "v", "w", "y", "z",
]  # fmt: skip
_VOWELS = ["a", "e", "i", "o", "u", "a", "e", "i", "o", "ai", "ea", "ie", "io", "ou"]
_CODAS = ["", "", "", "n", "r", "l", "s", "m", "t", "k", "nd", "rt", "x", "th"]
_WORDS = lists(
    """alpine, amber, apple, autumn, bamboo, barley, basket, berry, birch, blue, border, brass, brick, bridge,
    bronze, bubble, butter, button, cable, candle, canvas, carbon, cedar, ceramic, chain, cherry, classic,
    cloud, coastal, cocoa, compact, copper, coral, corner, cotton, country, cream, crystal, curved, dark, deep,
    denim, desert, digital, dotted, double, dragon, dry, eagle, eastern, electric, engine, evening, express,
    fabric, family, feather, felt, fibre, flat, flower, foam, foldable, forest, fresh, frost, gallery, ginger,
    glass, gold, grain, granite, green, grey, hammer, handy, harbour, hazel, heavy, hidden, honey, ice, indoor,
    iron, island, ivory, jungle, kitchen, ladder, lake, large, lava, leaf, lemon, light, linen, little, lunar,
    magnet, maple, marble, market, meadow, metal, milk, mint, modern, moon, morning, moss, mountain, narrow,
    night, northern, oak, ocean, olive, open, orange, orchard, organic, oval, paper, pearl, pepper, pine,
    pocket, polar, porcelain, prairie, purple, quartz, quick, quiet, rain, rapid, red, ribbon, river, rock,
    rope, round, royal, rubber, sand, satin, school, sea, secret, shadow, sharp, shell, silent, silk, silver,
    slim, small, smooth, snow, soft, solar, spice, spiral, spring, square, star, steel, stone, storm, striped,
    sugar, summer""",
    """sunny, swift, tall, thermal, timber, tiny, tropical, tulip, twin, urban, valley, vanilla, velvet, vintage,
    violet, walnut, wave, western, white, willow, wind, winter, wooden, yellow, zigzag, acorn, beech, cobalt,
    dune, ember, falcon, glacier, hollow, indigo, juniper, kelp, lantern, magenta, nectar, opal""",
    ",",
)


def coined(random: Random, syllables: int) -> str:
    """A word that is in no dictionary, with a capital letter."""
    parts = (random.choice(_ONSETS) + random.choice(_VOWELS) + random.choice(_CODAS) for _ in range(syllables))
    return "".join(parts).capitalize()


def word(random: Random, side: Side) -> str:
    """A word in lower case: one of many, or one that is coined now, which can only be copied."""
    if random.random() < 0.4:
        return pick(random, _WORDS, side)
    return on_side(lambda: coined(random, random.choice((1, 2, 2, 3))).lower(), side)


def phrase(random: Random, words: dict[Side, Sequence[str]], side: Side) -> str:
    """One of the list as it is, or with a word before it, or one or two words of other kinds."""
    form = random.random()
    if form < 0.3:
        return pick(random, words, side)
    if form < 0.6:
        return f"{word(random, side)} {pick(random, words, side)}"
    return word(random, side) if form < 0.75 else f"{word(random, side)} {word(random, side)}"
