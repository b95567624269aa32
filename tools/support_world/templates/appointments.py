# ruff: noqa: E501 - a template stays on one line
"""Appointments: somebody books, moves or cancels one."""

from __future__ import annotations

from tools.support_world.templates.more_texts import appointments as more_appointments
from tools.support_world.wording import wordings

__all__ = ["ACTIONS", "DURATION", "STAFF"]

ACTIONS = {
    "book": wordings(
        """
        I [would like to book|want to book|need|would like to make] [an appointment for a {service}|a {service}][ on {date} at {time}| on {date}|].
        [Can I|Could I|May I] [come in|get an appointment][ for a {service}|] on {date}[ at {time}|]?
        [Do you have|Is there] [a free slot|an appointment|time] for a {service} on {date}[ at {time}| around {time}|]?
        [Booking|New appointment]: {service}, {date}, {time}
        ! Put me in your calendar for a {service} on {date} at {time}, if that is free.
        ! A {service} on {date} would suit me.
        """
    ).widened(more_appointments.ACTIONS["book"]),
    "move": wordings(
        """
        [Can we move|Please move|I need to move|I have to reschedule|Could you reschedule] my [appointment|{service}|{service} appointment] to {date}[ at {time}|].
        [I cannot come|Something came up|I am ill], [can we move my {service} to|please reschedule the {service} to] {date}[, {time}|]?
        [Instead of {other_date}|Not on {other_date} but], [I would like to come|can I come] on {date}[ at {time}|] for the {service}.
        ! Would it be possible to shift the {service} to {date} at {time}?
        ! Let us postpone my {service}; {date} is better.
        """
    ).widened(more_appointments.ACTIONS["move"]),
    "cancel": wordings(
        """
        [Please cancel|I have to cancel|I need to cancel|I want to cancel] my [appointment|{service}|appointment for a {service}] on {date}[ at {time}|].
        I [cannot make it|will not come] to [the|my] {service} on {date}[ at {time}|], please cancel it.
        [Cancel|Cancellation:] {service}, {date}[, {time}|]
        ! Count me out for the {service} on {date}, I cancel.
        ! My {service} on {date} must be cancelled.
        """
    ).widened(more_appointments.ACTIONS["cancel"]),
    "confirm": wordings(
        """
        I [confirm|would like to confirm|hereby confirm] my [appointment|{service}|appointment for a {service}] on {date}[ at {time}|].
        [Yes, I will come|I will be there] [for the {service} |]on {date}[ at {time}|].
        [Confirmed|I confirm]: {service}, {date}, {time}
        ! The {service} on {date} at {time} is fine for me, confirmed.
        ! You can count on me for the {service} on {date}.
        """
    ).widened(more_appointments.ACTIONS["confirm"]),
}

STAFF = wordings(
    """
    [I would like to see|If possible with|I would prefer|Please book me with|I always go to] {staff}.
    [With|Staff|Doctor|Stylist]: {staff}
    ! {staff} knows my case.
    """
).widened(more_appointments.STAFF)

DURATION = wordings(
    """
    [I need about|It should take|Please plan|It will take] {duration} minutes.
    Duration: {duration} [min|minutes]
    ! {duration} minutes should be enough.
    """
).widened(more_appointments.DURATION)
