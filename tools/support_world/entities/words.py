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
    wide="""account, address, advance, affair, agency, airport, alarm, album, angle, animal, answer, archive, area,
    arena, arrow, article, artist, assembly, asset, atlas, attic, audience, author, balance, ballot, banner,
    barrel, basin, battery, beacon, bench, benefit, bishop, blossom, boiler, bonus, bottle, boulder, branch,
    bright, brief, broken, brother, bucket, bulk, bundle, bureau, cabin, cabinet, calendar, camel, campus, canal,
    canyon, capital, captain, cargo, carpet, castle, cattle, central, century, chapter, charter, chimney, choice,
    circle, citizen, claim, clean, clinic, coach, collar, colony, colour, column, comfort, common, concert,
    contact, content, contest, control, council, counter, couple, course, court, cover, craft, crane, credit, crew,
    crop, current, custom, daily, dairy, damage, debate, debt, decade, defence, degree, demand, depot, detail,
    diary, dinner, direct, display, district, doctor, domain, donor, dream, drive, drum, early, earth, edge,
    editor, effort, element, empty, energy, entry, equal, error, estate, event, exact, exhibit, expert, export,
    extra, factory, faculty, fairy, farm, fault, fence, ferry, festival, field, figure, filter, final, finance,
    finger, fleet, flight, flood, focus, folder, foreign, formal, fossil, found, frame, frequent, front, fuel,
    function, funding, future, garage, gentle, giant, global, grand, graph, gravity, ground, group, growth, guard,
    guest, guide, habit, half, handle, happy, heart, heritage, hobby, holiday, honest, horizon, hospital, housing,
    human, idea, image, impact, income, index, inner, insect, interest, issue, jacket, joint, journal, journey,
    judge, junior, kernel, kingdom, labour, lawyer, league, lecture, legal, leisure, lesson, level, library,
    licence, limit, liquid, local, logic, lower, loyal, machine, mammal, manual, margin, master, matter, medal,
    memory, mental, merger, method, middle, mineral, minor, mixed, model, monthly, motion, motor, museum, music,
    mutual, native, nature, neutral, noble, normal, notice, novel, number, nursery, object, office, opera, option,
    outer, output, oxygen, packet, palace, panel, parade, parent, partner, patent, patient, pattern, pension,
    people, period, permit, phase, piano, pilgrim, plain, planet, plastic, plate, player, plenty, poetry, police,
    poster, powder, power, prime, print, prison, private, profit, proper, public, pupil, quarter, queen, question,
    quota, radio, random, ratio, record, reform, region, regular, remote, rental, repair, rescue, reserve, result,
    retail, return, rice, rival, robot, rocket, route, routine, rural, safety, salary, sample, scale, scheme,
    science, screen, script, season, second, sector, senior, series, service, session, shelter, shift, ship,
    signal, simple, single, sister, sketch, skill, social, source, space, special, speech, speed, spirit, staff,
    stage, standard, station, statue, stock, strategy, stream, street, strike, strong, studio, style, surface,
    survey, system, talent, target, teacher, team, temple, tender, theatre, theory, ticket, title, token, total,
    tourist, tower, trade, traffic, tram, transfer, transport, travel, treasure, trend, trial, trophy, tunnel,
    uncle, union, upper, useful, vacuum, value, vendor, venture, vessel, victory, village, virtual, vision,
    visitor, vital, volume, voucher, wagon, warm, water, weather, weekly, welcome, wheel, wholesale, window,
    winner, wisdom, witness, worker, workshop, yearly, young, youth, zebra, zero""",
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
