"""Places: towns, streets, rooms and hotels."""

from __future__ import annotations

from random import Random

from tools.support_world.entities.mention import Mention, Side, lists, on_side, pick, verbatim
from tools.support_world.entities.words import coined

__all__ = ["city", "hotel", "room", "street"]

_CITIES = lists(
    """Berlin, Hamburg, Munich, Cologne, Leipzig, Vienna, Zurich, Geneva, Paris, Lyon, Nice, Madrid, Seville,
    Valencia, Lisbon, Porto, Rome, Milan, Turin, Naples, London, Leeds, Bristol, Glasgow, Cardiff, Belfast, Dublin,
    Cork, Amsterdam, Utrecht, Brussels, Ghent, Copenhagen, Aarhus, Oslo, Bergen, Stockholm, Malmö, Helsinki, Warsaw,
    Kraków, Gdańsk, Prague, Brno, Budapest, Athens, Istanbul, Ankara, Chicago, Boston, Seattle, Denver, Austin,
    Portland, Toronto, Montreal, Vancouver, New York, San Diego, Salt Lake City, Kansas City, Mumbai, Delhi, Pune,
    Tokyo, Osaka, Seoul, Singapore, Sydney, Perth, Cape Town, Durban, Lagos, Accra, Nairobi, Cairo, Bath, York, Bad
    Homburg""",
    """Dresden, Freiburg, Graz, Basel, Bordeaux, Bilbao, Granada, Bologna, Palermo, Sheffield, Edinburgh, Galway,
    Rotterdam, Antwerp, Odense, Trondheim, Uppsala, Tampere, Wrocław, Ostrava, Thessaloniki, Izmir, Houston, Atlanta,
    San Antonio, Calgary, Chennai, Kyoto, Busan, Brisbane, Johannesburg, Kumasi, Mombasa, Las Vegas, Bad Ems""",
    ",",
)
_TOWN_ENDS = ["ville", "burg", "ford", "ham", "stad", "mouth", "dorf", "field", "", "", " Bay", " Hill"]
_STREET_ENDS = ["Street", "Road", "Avenue", "Lane", "Way", "Square", "Court", "straße", "weg", "gatan"]


def city(random: Random, side: Side) -> Mention:
    """A town."""
    if random.random() < 0.45:
        return verbatim(pick(random, _CITIES, side))
    return verbatim(on_side(lambda: coined(random, random.choice((1, 2, 2))) + random.choice(_TOWN_ENDS), side))


def street(random: Random, side: Side) -> Mention:
    """A street with a number."""
    end = random.choice(_STREET_ENDS)
    name = on_side(lambda: coined(random, random.choice((1, 2, 2))), side)
    number = f"{random.randint(1, 199)}{random.choice(('', '', '', '', 'a', 'b'))}"
    if end[0].islower():
        return verbatim(f"{name}{end} {number}")
    return verbatim(f"{number} {name} {end}" if random.random() < 0.8 else f"{name} {end} {number}")


def room(random: Random, side: Side) -> Mention:
    """Where a meeting takes place."""
    name = on_side(lambda: coined(random, 2), side)
    forms = (
        f"Room {random.randint(1, 499)}",
        f"room {random.choice('ABCDEFG')}{random.randint(1, 30)}",
        f"{name} Hall",
        f"meeting room {name}",
        f"the {name} office",
        "Zoom",
        "Teams",
        f"Building {random.randint(1, 20)}",
    )
    return verbatim(random.choice(forms))


def hotel(random: Random, side: Side) -> Mention:
    """The name of a hotel."""
    name = on_side(lambda: coined(random, 2), side)
    forms = (
        f"Hotel {name}",
        f"{name} Inn",
        f"Grand {name}",
        f"{name} Resort",
        f"the {name} Hotel",
        f"{name} Lodge",
    )
    return verbatim(random.choice(forms))
