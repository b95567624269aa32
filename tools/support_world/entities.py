"""Entities: the names, numbers, places and dates of the world, each as a surface (what a text says) and a value.

Two sources, mixed: word lists, of which a fixed part is held out; and generators that build new names letter group by
letter group, so that a model cannot learn the names by heart and has to copy. Which side a generated string belongs to
is decided by a checksum of the string itself: what the held-out side shows was never shown in training, provably and
without keeping a record.
"""

from __future__ import annotations

import calendar
import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Literal
from zlib import crc32

__all__ = ["ENTITIES", "Mention", "Side", "is_held_out", "make_entity", "person_name"]

Side = Literal["train", "held_out"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """What a text says about one slot, and what a record says for it.

    Args:
        surface: the words in the text.
        value: the JSON value in the record.
        verbatim: whether `value` is `surface`, character by character (else a documented normalisation of it).
        implied: further slots that the same words settle, e.g. the currency by the sign before an amount.
    """

    surface: str
    value: Any
    verbatim: bool = False
    implied: dict[str, Any] = field(default_factory=dict)


def is_held_out(text: str) -> bool:
    """Whether a generated string belongs to the held-out side: one in eight, by checksum, whatever its case."""
    return crc32(text.casefold().encode()) % 8 == 0


def _on_side(make: Callable[[], str], side: Side) -> str:
    """Draw from `make` until the string belongs to `side`."""
    while True:
        text = make()
        if is_held_out(text) == (side == "held_out"):
            return text


def _pick(random: Random, words: dict[Side, Sequence[str]], side: Side) -> str:
    return random.choice(words[side])


def _lists(train: str, held_out: str, separator: str | None = None) -> dict[Side, tuple[str, ...]]:
    def split(text: str) -> tuple[str, ...]:
        return tuple(" ".join(word.split()) for word in text.split(separator) if word.strip())

    return {"train": split(train), "held_out": split(held_out)}


FIRST_NAMES = _lists(
    """Anna Peter Maria Tom Laura Ben Sofia Max Emma Paul Julia Lukas Nina Felix Clara David Sarah Jonas Lea Simon Alice
    Robert Karen Michael Linda James Patricia John Susan Daniel Nancy Mark Lisa Steven Betty Andrew Sandra Kevin Ashley
    Brian Donna George Carol Edward Ruth Ronald Sharon Anthony Michelle Ravi Priya Arjun Ananya Wei Ling Hiroshi Yuki
    Kenji Aiko Ahmed Fatima Omar Layla Yusuf Zainab Carlos Lucia Diego Elena Javier Carmen Pablo Rosa João Inês Pedro
    Beatriz Giulia Marco Chiara Luca Pierre Camille Antoine Élodie Noémie Björn Astrid Lars Ingrid Søren Freja Łukasz
    Agnieszka Paweł Zofia Ivan Olga Dmitri Natalia Kwame Ama Chidi Ngozi Thabo Zanele Mehmet Ayşe Emre Elif Nikos Eleni
    Matteo Jürgen Zoë Chloe Oliver Amelia Harry Isla Jack Ava Noah Mia Liam Grace Ethan Lily""",
    """Marta Tobias Henrik Bianca Rafael Simone Viktor Adele Cem Dalia Finn Greta Hugo Iris Jasper Katarzyna
    Leon Mireille
    Nadia Otto Petra Quentin Renata Stefan Tamara Ulrich Vera Wanda Xavier Yvonne Zara Émile Øyvind Jacek Thandiwe
    Nkechi Rajesh Sunita Haruto Mei Farid Samira Graham Philippa Desmond""",
)
LAST_NAMES = _lists(
    """Müller Schmidt Fischer Weber Wagner Becker Hoffmann Koch Richter Klein Wolf Schröder Neumann Smith Johnson
    Williams Brown Jones Miller Davis Wilson Moore Taylor Anderson Thomas Jackson White Harris Martin Thompson Robinson
    Clark Lewis Lee Walker Hall Allen Young King Wright Hill Scott Green Adams Baker Nelson Carter Mitchell Roberts
    Turner Phillips Campbell Parker Evans Edwards Collins Stewart Morris Rogers Reed Cook Bell Murphy Bailey Cooper
    Patel Sharma Singh Kumar Gupta Chen Wang Zhang Liu Tanaka Suzuki Sato Kim Park Nguyen Tran Hassan Ali Khan García
    Martínez López Fernández Rossi Russo Ferrari Dubois Lefèvre Moreau Larsen Hansen Nilsson Virtanen Kowalski Nowak
    Novák Horvat Popescu Ivanov Okafor Mensah Dlamini Yılmaz Papadopoulos O'Brien O'Connor McCarthy van Dijk de
    Vries""",
    """Zimmermann Hartmann Vogel Lindqvist Bergström Castellano Montoya Delacroix Fournier Wiśniewska Svoboda Petrov
    Adeyemi Botha Kaya Demir Nakamura Watanabe Choi Pham Rahman Siddiqui Iyer Banerjee Fitzgerald Gallagher Whitaker
    Thornton Ashworth Pemberton Blackwood Hawthorne Sandoval Quintero Marchetti Bellini Jansen Visser""",
)
CITIES = _lists(
    """Berlin, Hamburg, Munich, Cologne, Leipzig, Vienna, Zurich, Geneva, Paris, Lyon, Nice, Madrid, Seville, Valencia,
    Lisbon, Porto, Rome, Milan, Turin, Naples, London, Leeds, Bristol, Glasgow, Cardiff, Belfast, Dublin, Cork,
    Amsterdam, Utrecht, Brussels, Ghent, Copenhagen, Aarhus, Oslo, Bergen, Stockholm, Malmö, Helsinki, Warsaw, Kraków,
    Gdańsk, Prague, Brno, Budapest, Athens, Istanbul, Ankara, Chicago, Boston, Seattle, Denver, Austin, Portland,
    Toronto, Montreal, Vancouver, New York, San Diego, Salt Lake City, Kansas City, Mumbai, Delhi, Pune, Tokyo, Osaka,
    Seoul, Singapore, Sydney, Perth, Cape Town, Durban, Lagos, Accra, Nairobi, Cairo, Bath, York, Bad Homburg""",
    """Dresden, Freiburg, Graz, Basel, Bordeaux, Bilbao, Granada, Bologna, Palermo, Sheffield, Edinburgh, Galway,
    Rotterdam, Antwerp, Odense, Trondheim, Uppsala, Tampere, Wrocław, Ostrava, Thessaloniki, Izmir, Houston, Atlanta,
    San Antonio, Calgary, Chennai, Kyoto, Busan, Brisbane, Johannesburg, Kumasi, Mombasa, Las Vegas, Bad Ems""",
    ",",
)
THINGS = _lists(
    """desk lamp, office chair, coffee maker, water bottle, phone case, running shoes, rain jacket, wool scarf,
    backpack,
    laptop stand, keyboard, wireless mouse, monitor, headphones, charger, power bank, camera, tripod, tent,
    sleeping bag,
    yoga mat, bicycle pump, helmet, kettle, toaster, blender, frying pan, knife set, cutting board, mug, dinner plate,
    bath towel, pillow, blanket, curtain, rug, bookshelf, side table, mirror, wall clock, vacuum cleaner, iron, hair
    dryer, toothbrush, sunglasses, wallet, belt, leather boots, T-shirt, hoodie, jeans, socks, puzzle, board game,
    teddy bear, notebook, fountain pen, printer, ink cartridge, router, USB cable, smart watch, e-reader, tablet""",
    """garden hose, rice cooker, bath mat, hiking poles, desk fan, label printer, picture frame, cork board, swim
    goggles, snow boots, bread knife, salad bowl, night light, door mat, tool box, travel mug, webcam, SSD drive,
    baby monitor, bird feeder""",
    ",",
)
COMPANIES = _lists(
    """Northwind, Brightline, Acme, Bluefin, Lumen Labs, Harbor Foods, Kestrel, Oakridge, Silverlake, Redstone,
    Pixelworks,
    Greenleaf, Summit Partners, Ironwood, Clearwater""",
    "Stonebridge, Foxglove, Meridian Works, Tidewater, Halcyon, Juniper Group",
    ",",
)

_ONSETS = [
    "b", "br", "c", "ch", "d", "dr", "f", "fl", "g", "gr", "h", "j", "k", "kl", "l", "m", "n", "p", "pr", "qu", "r",
    "s", "sh", "sk", "sl", "st", "t", "tr", "v", "w", "y", "z",
]  # fmt: skip
_VOWELS = ["a", "e", "i", "o", "u", "a", "e", "i", "o", "ai", "ea", "ie", "io", "ou"]
_CODAS = ["", "", "", "n", "r", "l", "s", "m", "t", "k", "nd", "rt", "x", "th"]
_SURNAME_ENDS = ["son", "sen", "ski", "ova", "berg", "mann", "ez", "ini", "wood", "ley", "ton", "er", "", "", ""]
_TOWN_ENDS = ["ville", "burg", "ford", "ham", "stad", "mouth", "dorf", "field", "", "", " Bay", " Hill"]
_STREET_ENDS = ["Street", "Road", "Avenue", "Lane", "Way", "Square", "Court", "straße", "weg", "gatan"]
_PRODUCT_ENDS = [" Pro", " Mini", " X", " Plus", " 2", " 300", " Lite", " One", "", "", "", ""]


def _coined(random: Random, syllables: int) -> str:
    """A word that is in no dictionary, with a capital letter."""
    parts = (random.choice(_ONSETS) + random.choice(_VOWELS) + random.choice(_CODAS) for _ in range(syllables))
    return "".join(parts).capitalize()


def _first_name(random: Random, side: Side) -> str:
    if random.random() < 0.5:
        return _pick(random, FIRST_NAMES, side)
    return _on_side(lambda: _coined(random, random.choice((2, 2, 3))), side)


def _last_name(random: Random, side: Side) -> str:
    if random.random() < 0.4:
        return _pick(random, LAST_NAMES, side)
    return _on_side(lambda: _coined(random, random.choice((1, 2, 2))) + random.choice(_SURNAME_ENDS), side)


def person_name(random: Random, side: Side) -> str:
    """A person's name: mostly first and last, sometimes with an initial, a title or a double name."""
    first, last = _first_name(random, side), _last_name(random, side)
    form = random.random()
    if form < 0.70:
        return f"{first} {last}"
    if form < 0.84:
        return first
    if form < 0.89:
        return f"{first[0]}. {last}"
    if form < 0.93:
        return f"{first} {random.choice('ABCDEFGHJKLMNPRSTW')}. {last}"
    if form < 0.97:
        return f"{first} {last}-{_last_name(random, side)}".replace(" de ", " ").replace(" van ", " ")
    return f"{random.choice(('Dr.', 'Mr.', 'Ms.', 'Mrs.', 'Prof.'))} {last}"


def _verbatim(surface: str) -> Mention:
    return Mention(surface=surface, value=surface, verbatim=True)


def _name(random: Random, side: Side) -> Mention:
    return _verbatim(person_name(random, side))


def _city(random: Random, side: Side) -> Mention:
    if random.random() < 0.45:
        return _verbatim(_pick(random, CITIES, side))
    return _verbatim(_on_side(lambda: _coined(random, random.choice((1, 2, 2))) + random.choice(_TOWN_ENDS), side))


def _product(random: Random, side: Side) -> Mention:
    form = random.random()
    if form < 0.45:
        return _verbatim(_phrase(random, THINGS, side))
    brand = _on_side(lambda: _coined(random, 2) + random.choice(_PRODUCT_ENDS), side)
    if form < 0.75:
        return _verbatim(f"{brand} {_phrase(random, THINGS, side)}")
    return _verbatim(brand)


WORDS = _lists(
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


def _word(random: Random, side: Side) -> str:
    """A word in lower case: one of many, or one that is coined now, which can only be copied."""
    if random.random() < 0.4:
        return _pick(random, WORDS, side)
    return _on_side(lambda: _coined(random, random.choice((1, 2, 2, 3))).lower(), side)


def _phrase(random: Random, words: dict[Side, Sequence[str]], side: Side) -> str:
    """One of the list as it is, or with a word before it, or one or two words of other kinds."""
    form = random.random()
    if form < 0.3:
        return _pick(random, words, side)
    if form < 0.6:
        return f"{_word(random, side)} {_pick(random, words, side)}"
    return _word(random, side) if form < 0.75 else f"{_word(random, side)} {_word(random, side)}"


def _company(random: Random, side: Side) -> Mention:
    if random.random() < 0.4:
        return _verbatim(_pick(random, COMPANIES, side))
    ends = ("", "", " GmbH", " Ltd", " Inc", " Group", " & Co")
    return _verbatim(_on_side(lambda: _coined(random, 2) + random.choice(ends), side))


# Shapes of numbers that identify something: # a digit, % a digit but 0, ? a capital letter; the rest stands for itself.
_ORDER_SHAPES: dict[Side, tuple[str, ...]] = {
    "train": (
        "%###", "%####", "%####", "%#####", "%######", "?-#####", "?-####", "??-#####", "ORD-#####", "ORD######",
        "??####", "??#####", "####-####", "####-?", "???-####-?", "SO-####", "2025-#####", "W-###-###", "?#####",
    ),
    "held_out": ("%####", "%#####", "?-#####", "??#####", "ORD-#####", "???/####", "###-###-###",
                 "PO-#####?", "?###-??"),
}  # fmt: skip
_TRACKING_SHAPES: dict[Side, tuple[str, ...]] = {
    "train": ("1Z########", "??#########", "??#########??", "JD##########", "TRK-######"),
    "held_out": ("??#########", "TRK-######", "RX#######??"),
}
_CUSTOMER_SHAPES: dict[Side, tuple[str, ...]] = {
    "train": ("C-####", "%####", "KD-#####", "CUST####", "K######"),
    "held_out": ("C-####", "%####", "MB-####"),
}
_POSTAL_SHAPES: dict[Side, tuple[str, ...]] = {
    "train": ("%####", "%####", "%###", "?%# %??", "%### ??", "%## ##", "##-###"),
    "held_out": ("%####", "%###", "??# %??"),
}
_PHONE_SHAPES: dict[Side, tuple[str, ...]] = {
    "train": (
        "+49 %## %#####", "+44 %### ######", "+1 %##-###-####", "0%## ######", "0%##/#######", "(%##) ###-####",
        "%##-###-####", "+33 % ## ## ## ##", "0%#########", "%########", "+48 ### ### ###",
    ),
    "held_out": ("+49 %## %#####", "+1 %##-###-####", "0%## ######", "+41 %# ### ## ##", "%##.###.####"),
}  # fmt: skip


def _shaped(random: Random, shape: str) -> str:
    draw = {"#": "0123456789", "%": "123456789", "?": "ABCDEFGHJKLMNPQRSTVWXYZ"}
    return "".join(random.choice(draw[c]) if c in draw else c for c in shape)


def _identifier(shapes: dict[Side, tuple[str, ...]]) -> Callable[[Random, Side], Mention]:
    """Maker of numbers of the given shapes; held-out ones have shapes of their own too."""

    def make(random: Random, side: Side) -> Mention:
        return _verbatim(_on_side(lambda: _shaped(random, random.choice(shapes[side])), side))

    return make


def _email(random: Random, side: Side) -> Mention:
    def make() -> str:
        first, last = _first_name(random, side), _last_name(random, side)
        first, last = (
            "".join(c for c in part.casefold() if "a" <= c <= "z") or _coined(random, 2).casefold()
            for part in (first, last)
        )
        local = random.choice(
            (
                f"{first}.{last}", f"{first}{last}", f"{first[0]}.{last}", f"{first}_{last}",
                f"{last}.{first[0]}", first,
                f"{first}{random.randint(1, 99)}", f"{last}{random.randint(60, 2009)}", f"{first}-{last}",
            )
        )  # fmt: skip
        domain = random.choice(
            ("gmail.com", "mail.com", "example.com", "web.de", "gmx.net", "outlook.com", "yahoo.com", "proton.me")
            if random.random() < 0.5
            else (
                f"{_coined(random, 2).lower()}.{random.choice(('com', 'org', 'net', 'de', 'co.uk', 'io', 'eu', 'fr'))}",
            )
        )
        return f"{local}@{domain}"

    return _verbatim(_on_side(make, side))


def _street(random: Random, side: Side) -> Mention:
    end = random.choice(_STREET_ENDS)
    name = _on_side(lambda: _coined(random, random.choice((1, 2, 2))), side)
    number = f"{random.randint(1, 199)}{random.choice(('', '', '', '', 'a', 'b'))}"
    if end[0].islower():
        return _verbatim(f"{name}{end} {number}")
    return _verbatim(f"{number} {name} {end}" if random.random() < 0.8 else f"{name} {end} {number}")


_SIGNS = {"€": "EUR", "$": "USD", "£": "GBP"}
_CODES = ("EUR", "USD", "GBP", "CHF", "SEK", "PLN", "CAD", "AUD")
_WORDS = {"euros": "EUR", "euro": "EUR", "dollars": "USD", "pounds": "GBP", "francs": "CHF", "zloty": "PLN"}


def _numeral(random: Random) -> tuple[str, float]:
    """A price as digits, and its number: 1,299.00 is 1299.0; 49,90 is 49.9; 120 is 120."""
    whole = random.choice(
        (random.randint(2, 99), random.randint(2, 99), random.randint(100, 999), random.randint(1000, 4999))
    )
    form = random.random()
    if form < 0.3:
        return str(whole), whole
    cents = random.choice((0, 50, 90, 95, 99, random.randint(1, 99), random.randint(1, 99)))
    number = float(f"{whole}.{cents:02d}")
    if whole >= 1000 and form < 0.7:
        return f"{whole:,}.{cents:02d}", number
    if whole < 1000 and form > 0.9:
        return f"{whole},{cents:02d}", number
    return f"{whole}.{cents:02d}", number


def _amount(random: Random, side: Side) -> Mention:
    numeral, number = _numeral(random)
    form = random.random()
    if form < 0.4:
        sign = random.choice(tuple(_SIGNS))
        return Mention(surface=f"{sign}{numeral}", value=number, implied={"currency": _SIGNS[sign]})
    if form < 0.5:
        return Mention(surface=f"{numeral} €", value=number, implied={"currency": "EUR"})
    if form < 0.8:
        code = random.choice(_CODES)
        surface = f"{numeral} {code}" if random.random() < 0.7 else f"{code} {numeral}"
        return Mention(surface=surface, value=number, implied={"currency": code})
    word = random.choice(tuple(_WORDS))
    return Mention(surface=f"{numeral} {word}", value=number, implied={"currency": _WORDS[word]})


def _ordinal(day: int) -> str:
    end = "th" if 11 <= day <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{end}"


def write_date(random: Random, day: datetime.date) -> str:
    """One of the spellings of a date, each of which determines it (no 03/04/2025)."""
    month, short = calendar.month_name[day.month], calendar.month_abbr[day.month]
    forms = (
        (0.34, day.isoformat()),
        (0.20, f"{day.day} {month} {day.year}"),
        (0.12, f"{month} {day.day}, {day.year}"),
        (0.10, f"{day.day} {short} {day.year}"),
        (0.10, f"{day.day:02d}.{day.month:02d}.{day.year}"),
        (0.07, f"{_ordinal(day.day)} of {month} {day.year}"),
        (0.07, f"{short} {_ordinal(day.day)}, {day.year}"),
    )
    return random.choices([form for _, form in forms], [weight for weight, _ in forms])[0]


def _day(random: Random) -> datetime.date:
    return datetime.date(2023, 1, 1) + datetime.timedelta(days=random.randrange(4 * 365))


def _date(random: Random, side: Side) -> Mention:
    day = _day(random)
    return Mention(surface=write_date(random, day), value=day.isoformat())


def _time(random: Random, side: Side) -> Mention:
    hour, minute = random.randint(7, 20), random.choice((0, 0, 15, 30, 45, random.randint(0, 59)))
    form = random.random()
    value = f"{hour:02d}:{minute:02d}"
    if form < 0.65:
        return Mention(surface=value, value=value)
    half, twelve = ("am" if hour < 12 else "pm"), (hour - 1) % 12 + 1
    if minute == 0 and form < 0.85:
        return Mention(surface=f"{twelve} {half}", value=value)
    return Mention(surface=f"{twelve}:{minute:02d} {half}", value=value)


_NUMBER_WORDS = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
]  # fmt: skip


def count(random: Random, low: int, high: int, words: float = 0.35) -> Mention:
    """A small number, as digits or (up to twelve, with probability `words`) as a word."""
    number = random.randint(low, high)
    surface = _NUMBER_WORDS[number] if number <= 12 and random.random() < words else str(number)
    return Mention(surface=surface, value=number)


def _quantity(random: Random, side: Side) -> Mention:
    return count(random, 2, random.choice((5, 12, 40)))


def _people(random: Random, side: Side) -> Mention:
    return count(random, 2, 9)


def _nights(random: Random, side: Side) -> Mention:
    return count(random, 2, 12)


def _minutes(random: Random, side: Side) -> Mention:
    return Mention(
        surface=str(number := random.choice((10, 15, 20, 25, 30, 40, 45, 50, 60, 75, 90, 120))), value=number
    )


_SUBJECTS = _lists(
    """budget, website relaunch, hiring plan, summer campaign, office move, data migration, product roadmap, supplier
    contract, customer survey, security audit, price list, annual report, training programme, warehouse layout, mobile
    app, spring catalogue, onboarding guide, test results, trade fair, newsletter, sales forecast, shift schedule""",
    "packaging redesign, loyalty programme, travel policy, pilot project, energy costs, job fair, loading dock",
    ",",
)
_VERBS = _lists(
    "send, prepare, review, update, check, finish, write, share, test, order, present, sign, print, translate, correct",
    "collect, approve, compare, archive, schedule",
    ",",
)
_OBJECTS = _lists(
    """the draft, the slides, the contract, the invoice, the numbers, the agenda, the report, the offer,
    the mock-ups, the
    figures, the plan, the samples, the documents, the minutes, the floor plan, a summary, a first version,
    the price list""",
    "the checklist, the estimates, the cover letter, the signed forms, a shortlist, the old files",
    ",",
)


def task(random: Random, side: Side) -> str:
    """Something that somebody has to do, as a phrase that begins with a verb in lower case."""
    verb = _pick(random, _VERBS, side) if random.random() < 0.6 else _word(random, side)
    what = _pick(random, _OBJECTS, side)
    if random.random() < 0.6:
        what = f"{random.choice(('the', 'the', 'a', 'all'))} {_phrase(random, _SUBJECTS, side)}"
    phrase = f"{verb} {what}"
    form = random.random()
    if form < 0.25:
        phrase += f" for the {_phrase(random, _SUBJECTS, side)}"
    elif form < 0.4:
        phrase += f" to {_company(random, side).surface}"
    elif form < 0.5:
        phrase += f" with {_first_name(random, side)}"
    return phrase


def _topic(random: Random, side: Side) -> Mention:
    subject = _phrase(random, _SUBJECTS, side)
    form = random.random()
    if form < 0.4:
        return _verbatim(subject)
    if form < 0.6:
        return _verbatim(f"{subject} {random.choice(('review', 'kick-off', 'planning', 'follow-up', '2026'))}")
    if form < 0.8:
        return _verbatim(f"{subject[0].upper()}{subject[1:]}")
    return _verbatim(f"{_company(random, side).surface} {subject}")


def _room(random: Random, side: Side) -> Mention:
    coined = _on_side(lambda: _coined(random, 2), side)
    forms = (
        f"Room {random.randint(1, 499)}",
        f"room {random.choice('ABCDEFG')}{random.randint(1, 30)}",
        f"{coined} Hall",
        f"meeting room {coined}",
        f"the {coined} office",
        "Zoom",
        "Teams",
        f"Building {random.randint(1, 20)}",
    )
    return _verbatim(random.choice(forms))


def _hotel(random: Random, side: Side) -> Mention:
    coined = _on_side(lambda: _coined(random, 2), side)
    forms = (
        f"Hotel {coined}",
        f"{coined} Inn",
        f"Grand {coined}",
        f"{coined} Resort",
        f"the {coined} Hotel",
        f"{coined} Lodge",
    )
    return _verbatim(random.choice(forms))


_SERVICES = _lists(
    """haircut, dental check-up, eye test, massage, car inspection, tyre change, piano lesson, consultation,
    vaccination,
    manicure, bike repair, flat viewing, boiler service, physiotherapy, passport photo, phone repair,
    tax advice, test drive""",
    "beard trim, hearing test, oil change, guitar lesson, skin check, chimney sweep, laptop repair",
    ",",
)


def _service(random: Random, side: Side) -> Mention:
    return _verbatim(_phrase(random, _SERVICES, side))


def _discount_code(random: Random, side: Side) -> Mention:
    def make() -> str:
        word = random.choice(("SAVE", "WELCOME", "SPRING", "VIP", "HELLO", _coined(random, 1).upper()))
        return f"{word}{random.choice(('', '-'))}{random.randint(5, 99)}"

    return _verbatim(_on_side(make, side))


# Slot -> maker. A template's {slot} without a number draws from here; {slot_2} is a second, different one of the kind.
ENTITIES: dict[str, Callable[[Random, Side], Mention]] = {
    "name": _name,
    "staff": _name,
    "organizer": _name,
    "other_person": _name,
    "city": _city,
    "other_city": _city,
    "product": _product,
    "replacement": _product,
    "other_product": _product,
    "company": _company,
    "order_id": _identifier(_ORDER_SHAPES),
    "tracking": _identifier(_TRACKING_SHAPES),
    "customer_id": _identifier(_CUSTOMER_SHAPES),
    "other_number": _identifier(_ORDER_SHAPES),
    "postal_code": _identifier(_POSTAL_SHAPES),
    "phone": _identifier(_PHONE_SHAPES),
    "email": _email,
    "street": _street,
    "amount": _amount,
    "total": _amount,
    "other_amount": _amount,
    "date": _date,
    "delivery_date": _date,
    "other_date": _date,
    "next_date": _date,
    "time": _time,
    "other_time": _time,
    "quantity": _quantity,
    "guests": _people,
    "nights": _nights,
    "duration": _minutes,
    "topic": _topic,
    "place": _room,
    "hotel": _hotel,
    "service": _service,
    "code": _discount_code,
}


def make_entity(slot: str, random: Random, side: Side) -> Mention:
    """Draw a fresh entity for a slot.

    Args:
        slot: a key of `ENTITIES`.
        random: source of randomness; the draw is a function of its state.
        side: "train", or "held_out" for entities that training never shows.
    """
    return ENTITIES[slot](random, side)
