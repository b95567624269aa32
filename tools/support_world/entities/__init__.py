"""Entities: the names, numbers, places and dates of the world, each as a surface (what a text says) and a value.

Two sources, mixed: word lists, of which a fixed part is held out; and generators that build new names letter group by
letter group, so that a model cannot learn the names by heart and has to copy. Which side a generated string belongs to
is decided by a checksum of the string itself: what the held-out side shows was never shown in training, provably and
without keeping a record.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tools.support_world.entities import goods, identifiers, moments, people, places, quantities, work
from tools.support_world.entities.mention import Mention, Side

__all__ = ["ENTITIES", "make_entity"]

# Slot -> maker. A template's {slot} without a number draws from here; {slot_2} is a second, different one of the kind.
ENTITIES: dict[str, Callable[[Random, Side], Mention]] = {
    "name": people.name,
    "staff": people.name,
    "organizer": people.name,
    "other_person": people.name,
    "city": places.city,
    "other_city": places.city,
    "product": goods.product,
    "replacement": goods.product,
    "other_product": goods.product,
    "company": goods.company,
    "order_id": identifiers.order_id,
    "tracking": identifiers.tracking,
    "customer_id": identifiers.customer_id,
    "other_number": identifiers.order_id,
    "postal_code": identifiers.postal_code,
    "phone": identifiers.phone,
    "email": people.email,
    "street": places.street,
    "amount": quantities.amount,
    "total": quantities.amount,
    "other_amount": quantities.amount,
    "date": moments.date,
    "delivery_date": moments.date,
    "other_date": moments.date,
    "next_date": moments.date,
    "time": moments.time,
    "other_time": moments.time,
    "quantity": quantities.quantity,
    "guests": quantities.guests,
    "nights": quantities.nights,
    "duration": quantities.minutes,
    "topic": work.topic,
    "place": places.room,
    "hotel": places.hotel,
    "service": goods.service,
    "code": identifiers.discount_code,
}


def make_entity(slot: str, random: Random, side: Side) -> Mention:
    """Draw a fresh entity for a slot.

    Args:
        slot: a key of `ENTITIES`.
        random: source of randomness; the draw is a function of its state.
        side: "train", "wide", or "held_out" for entities that neither shows.
    """
    return ENTITIES[slot](random, side)
