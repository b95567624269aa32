"""What is sold, and by whom: products, services, companies."""

from __future__ import annotations

from random import Random

from tools.support_world.entities.mention import Mention, Side, lists, on_side, pick, verbatim
from tools.support_world.entities.words import coined, phrase

__all__ = ["THINGS", "company", "product", "service"]

THINGS = lists(
    """desk lamp, office chair, coffee maker, water bottle, phone case, running shoes, rain jacket, wool scarf,
    backpack, laptop stand, keyboard, wireless mouse, monitor, headphones, charger, power bank, camera, tripod, tent,
    sleeping bag, yoga mat, bicycle pump, helmet, kettle, toaster, blender, frying pan, knife set, cutting board, mug,
    dinner plate, bath towel, pillow, blanket, curtain, rug, bookshelf, side table, mirror, wall clock, vacuum
    cleaner, iron, hair dryer, toothbrush, sunglasses, wallet, belt, leather boots, T-shirt, hoodie, jeans, socks,
    puzzle, board game, teddy bear, notebook, fountain pen, printer, ink cartridge, router, USB cable, smart watch,
    e-reader, tablet""",
    """garden hose, rice cooker, bath mat, hiking poles, desk fan, label printer, picture frame, cork board, swim
    goggles, snow boots, bread knife, salad bowl, night light, door mat, tool box, travel mug, webcam, SSD drive, baby
    monitor, bird feeder""",
    ",",
    wide="""alarm clock, apron, armchair, bathrobe, bean bag, bed sheet, binoculars, bottle opener, bowl, bracelet,
    broom, bucket, cake tin, candle holder, cap, car seat, carpet, chess set, chopping knife, clothes rack, coat, coat
    hanger, coffee grinder, colander, compass, cooler, corkscrew, dishwasher, drawing pad, dress, drill, dumbbell,
    duvet, ear plugs, egg timer, envelope, extension lead, flower pot, football, fork, freezer, gloves, graphics card,
    grill, guitar strings, hammer, hammock, hand mixer, handbag, hat, heater, hinge, ironing board, jewellery box, juice
    press, key ring, ladder, lawn mower, lunch box, magnifier, mattress, measuring tape, microphone, microwave,
    napkins, necklace, oven glove, paint brush, pan lid, paper shredder, pencil case, pepper mill, pizza stone,
    playing cards, plunger, projector, racket, raincoat, razor, remote control, rucksack, saddle, sandals, saucepan,
    scanner, scissors, screwdriver, sewing machine, shelf, shower curtain, skateboard, skirt, slippers, soap dish,
    soldering iron, speaker, spoon, stapler, stool, suitcase, sweater, tablecloth, teapot, thermometer, thermos, tie,
    towel rail, trousers, umbrella, vase, vest, waffle iron, washing machine, watering can, wheelbarrow, whisk,
    wine glass, wrench, yoga block""",
)
_COMPANIES = lists(
    """Northwind, Brightline, Acme, Bluefin, Lumen Labs, Harbor Foods, Kestrel, Oakridge, Silverlake, Redstone,
    Pixelworks, Greenleaf, Summit Partners, Ironwood, Clearwater""",
    "Stonebridge, Foxglove, Meridian Works, Tidewater, Halcyon, Juniper Group",
    ",",
    wide="""Alder & Sons, Blackthorn, Bluebird Media, Cobblestone, Copperfield, Eastgate, Evergreen Foods, Fairview,
    Goldfinch, Highland Tools, Larkspur, Maplewood, Nightingale, Orbit Systems, Paragon, Quayside, Riverbend, Sandpiper,
    Thistle Works, Windmill Bakery, Zenith Labs""",
)
_SERVICES = lists(
    """haircut, dental check-up, eye test, massage, car inspection, tyre change, piano lesson, consultation,
    vaccination, manicure, bike repair, flat viewing, boiler service, physiotherapy, passport photo, phone repair, tax
    advice, test drive""",
    "beard trim, hearing test, oil change, guitar lesson, skin check, chimney sweep, laptop repair",
    ",",
)
_PRODUCT_ENDS = [" Pro", " Mini", " X", " Plus", " 2", " 300", " Lite", " One", "", "", "", ""]


def product(random: Random, side: Side) -> Mention:
    """Something to order, with or without a brand."""
    form = random.random()
    if form < 0.45:
        return verbatim(phrase(random, THINGS, side))
    brand = on_side(lambda: coined(random, 2) + random.choice(_PRODUCT_ENDS), side)
    if form < 0.75:
        return verbatim(f"{brand} {phrase(random, THINGS, side)}")
    return verbatim(brand)


def company(random: Random, side: Side) -> Mention:
    """The name of a company."""
    if random.random() < 0.4:
        return verbatim(pick(random, _COMPANIES, side))
    ends = ("", "", " GmbH", " Ltd", " Inc", " Group", " & Co")
    return verbatim(on_side(lambda: coined(random, 2) + random.choice(ends), side))


def service(random: Random, side: Side) -> Mention:
    """Something to make an appointment for."""
    return verbatim(phrase(random, _SERVICES, side))
