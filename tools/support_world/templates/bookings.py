# ruff: noqa: E501 - a template stays on one line
"""Hotel bookings: who stays where, from when to when, and with how many."""

from __future__ import annotations

from tools.support_world.templates.more_texts import bookings as more_bookings
from tools.support_world.wording import wordings

__all__ = ["BREAKFAST", "NIGHTS", "OPENINGS", "PRICE", "ROOMS"]

OPENINGS = wordings(
    """
    [I would like to book|Please book|I want to reserve|We need] a {room} [at|in] {hotel}[ in {city}|] from {check_in} to {check_out}[ for {guests} people| for {guests} guests|].
    [Please reserve|Can you reserve|Could you hold] a {room} [at|in] {hotel} for {guests} [guests|people|adults], [arriving on|arrival] {check_in}[, leaving on {check_out}|, departure {check_out}|].
    [Booking request|Reservation]: {hotel}[, {city}|]\\n[Check-in|Arrival]: {check_in}\\n[Check-out|Departure]: {check_out}\\n[Guests|Persons]: {guests}[\\nRoom: {room}|]
    [We are|There will be] {guests} [people|guests] and [need|would like] a {room} in {city} from {check_in} until {check_out}.
    ! We arrive at {hotel} on {check_in} and leave on {check_out}; a {room} for {guests} people, please.
    ! Is there a {room} left at {hotel} between {check_in} and {check_out}?
    """
).widened(more_bookings.OPENINGS)

ROOMS = {
    "single": ("single room", "room for one"),
    "double": ("double room", "room with a double bed"),
    "twin": ("twin room", "room with two beds"),
    "suite": ("suite", "junior suite"),
    "family": ("family room", "large family room"),
}

BREAKFAST = {
    True: wordings(
        """
        [With breakfast, please|Breakfast included, please|We would like breakfast|Please add breakfast].
        ! Breakfast should be part of it.
        """
    ).widened(more_bookings.BREAKFAST[True]),
    False: wordings(
        """
        [No breakfast, please|We do not need breakfast|Without breakfast, please].
        ! We will skip the breakfast.
        """
    ).widened(more_bookings.BREAKFAST[False]),
}

NIGHTS = wordings(
    """
    [That is|That makes|We stay] {nights} nights.
    Nights: {nights}
    ! We will sleep there {nights} nights.
    """
).widened(more_bookings.NIGHTS)

PRICE = wordings(
    """
    [Your website says|The price was|You offered|I saw a price of] {amount}[ in total| for the stay|].
    [Price|Rate|Total price]: {amount}
    ! We were quoted {amount}.
    """
).widened(more_bookings.PRICE)
