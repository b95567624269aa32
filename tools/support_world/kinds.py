"""Kinds of text: how a ticket, an order, meeting notes, an appointment or a booking is put together.

Each writer takes a draft, chooses wordings and returns the text as blocks of pieces; the draft then knows what the text
mentions (`mentions`) and what it means (`labels`).
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tools.support_world.entities import make_entity
from tools.support_world.entities.mention import Mention
from tools.support_world.entities.moments import write_date
from tools.support_world.entities.people import person_name
from tools.support_world.entities.quantities import count
from tools.support_world.entities.work import task
from tools.support_world.templates import appointments, bookings, meetings, orders, tickets
from tools.support_world.templates.more_requests import MORE_REQUESTS
from tools.support_world.templates.requests import REQUESTS
from tools.support_world.templates.shared import (
    CLOSINGS,
    CONTACT,
    DISTRACTORS,
    FILLERS,
    GREETINGS,
    INTRODUCTIONS,
    POLITE,
    RUDE,
    TONES,
    URGENCY,
)
from tools.support_world.wording import Draft, Piece, Wordings

__all__ = ["WRITERS", "Blocks", "Composition", "write_text"]

Blocks = list[list[Piece]]

REQUESTED = {
    intent: of.widened(REQUESTS[intent].train + MORE_REQUESTS[intent].train) for intent, of in tickets.INTENTS.items()
}
"""For each intent of a ticket, the sentences that say it."""


@dataclass(frozen=True, slots=True)
class Composition:
    """The body of a text, and whether a letter's greeting, signature and small talk go around it."""

    body: Blocks
    is_letter: bool = True


def _contact(draft: Draft, slots: dict[str, float]) -> Blocks:
    """Sentences with contact details, each with its probability, unless the text already has that slot or is short."""
    blocks = []
    if draft.is_short:
        return blocks
    for slot, probability in slots.items():
        first = "street" if slot == "address" else slot
        if (
            draft.chance(probability)
            and first not in draft.mentions
            and not (slot == "city" and "street" in draft.mentions)
        ):
            blocks.append(draft.choose(CONTACT[slot]))
    return blocks


def _distinct(draft: Draft, of: Wordings, number: int) -> Blocks:
    """Up to `number` sentences, no two of them the same."""
    blocks = {"".join(piece.text for piece in block): block for block in (draft.choose(of) for _ in range(number))}
    return list(blocks.values())


def write_ticket(draft: Draft) -> Composition:
    """A customer's message with one intent."""
    intent = draft.random.choice(tuple(tickets.INTENTS))
    draft.labels["intent"] = intent
    core = draft.choose(REQUESTED[intent])
    extra = _contact(
        draft,
        {"order_id": 0.35, "product": 0.2, "date": 0.2, "amount": 0.15, "tracking": 0.06, "customer_id": 0.12,
         "email": 0.2, "phone": 0.2, "address": 0.12, "city": 0.08},
    )  # fmt: skip
    level = draft.random.choices(("low", "normal", "high"), (0.15, 0.6, 0.25))[0]
    draft.labels |= {"urgency": level, "urgent": level == "high"}
    if level != "normal":
        extra.append(draft.choose(URGENCY[level]))
    draft.random.shuffle(extra)
    return Composition([core, *extra] if draft.chance(0.75) else [*extra, core])


def _items(draft: Draft) -> tuple[Mention, str]:
    """What is ordered, as words in a sentence or as a list."""
    random = draft.random
    number = draft.length((0.3, 0.35, 0.25, 0.1), wide=(0.15, 0.2, 0.2, 0.2, 0.15, 0.1))
    style = random.choice(("plain", "x", "times", "of"))
    with_price = draft.chance(0.25)
    lines, value = [], []
    taken: set[str] = set()
    currency = None
    while len(value) < number:
        product = make_entity("product", random, draft.entities)
        if product.surface.lower() in taken:
            continue
        taken.add(product.surface.lower())
        amount = count(random, 1, random.choice((4, 12, 60)), words=0.3 if style in ("plain", "of") else 0.0)
        template = {"plain": "{} {}", "x": "{} x {}", "times": "{}x {}", "of": "{} pieces of {}"}[style]
        line = template.format(amount.surface, product.surface)
        item: dict[str, Any] = {"product": product.value, "quantity": amount.value, "price": None}
        if with_price:
            price = _price(draft, currency)
            currency = price.implied["currency"]
            line += random.choice((" at {} each", " ({} each)", " for {} each", " @ {}")).format(price.surface)
            item["price"] = price.value
        lines.append(line)
        value.append(item)
    implied = {"currency": currency} if currency else {}
    return Mention(surface=enumerated(draft, lines), value=value, verbatim=True, implied=implied), bulleted(
        draft, lines
    )


def _price(draft: Draft, currency: str | None) -> Mention:
    """An amount, in the given currency if there is one."""
    while True:
        price = make_entity("amount", draft.random, draft.entities)
        if currency is None or price.implied["currency"] == currency:
            return price


def enumerated(draft: Draft, words: list[str]) -> str:
    """One, two and three; or with commas alone."""
    if len(words) == 1:
        return words[0]
    last = draft.random.choice((" and ", " and ", ", ", " plus " if len(words) == 2 else ", and "))
    return ", ".join(words[:-1]) + last + words[-1]


def bulleted(draft: Draft, lines: list[str]) -> str:
    """The lines one under the other, with one kind of mark before each."""
    mark = draft.random.choice(("- ", "* ", "• ", "", "1"))
    return "\n".join(f"{i}. {line}" if mark == "1" else mark + line for i, line in enumerate(lines, 1))


def write_order(draft: Draft) -> Composition:
    """An order by mail."""
    mention, as_list = _items(draft)
    draft.mentions["items"] = mention
    draft.mentions["list"] = Mention(surface=as_list, value=mention.value, verbatim=True)
    body = [draft.choose(orders.OPENINGS)]
    draft.labels |= {"payment": None, "express": False, "gift": False}
    extra = _contact(draft, {"customer_id": 0.15, "email": 0.25, "phone": 0.25, "address": 0.5})
    if draft.chance(0.4):
        extra.append(draft.choose(orders.DELIVERY))
    if draft.chance(0.4):
        draft.labels["payment"] = draft.random.choice(tuple(orders.PAYMENT))
        extra.append(draft.choose(orders.PAYMENT[draft.labels["payment"]]))
    if draft.chance(0.3):
        draft.labels["express"] = True
        extra.append(draft.choose(orders.EXPRESS))
    if draft.chance(0.2):
        draft.labels["gift"] = True
        extra.append(draft.choose(orders.GIFT))
    if draft.chance(0.25):
        draft.mention("total", lambda: _price(draft, mention.implied.get("currency")))
        extra.append(draft.choose(orders.TOTALS))
    draft.random.shuffle(extra)
    return Composition(body + extra)


def _attendees(draft: Draft) -> Mention:
    names: list[str] = []
    longest = draft.random.randint(1, 6) if draft.is_wide else 0
    while len(names) < (longest or draft.random.choice((1, 2, 3, 3, 4, 5))):
        name = person_name(draft.random, draft.entities)
        if name not in names:
            names.append(name)
    return Mention(surface=enumerated(draft, names), value=names, verbatim=True)


def _actions(draft: Draft, names: list[str]) -> Mention:
    """Who does what until when, one line each, all in one form."""
    random = draft.random
    form = random.choice(
        ("{owner}: {task}", "{owner} will {task}", "{owner} to {task}", "{task} ({owner})", "{task} - {owner}")
    )
    until = random.choice((" by {}", " until {}", ", due {}", " before {}"))
    with_due = random.choice((0.0, 0.5, 1.0))
    lines, value = [], []
    for _ in range(draft.length((0.35, 0.4, 0.25), wide=(0.25, 0.25, 0.25, 0.15, 0.1))):
        owner = random.choice(names) if names and draft.chance(0.6) else person_name(random, draft.entities)
        what = task(random, draft.entities)
        due = make_entity("date", random, draft.entities) if draft.chance(with_due) else None
        lines.append(form.format(owner=owner, task=what) + (until.format(due.surface) if due else ""))
        value.append({"owner": owner, "task": what, "due": due.value if due else None})
    return Mention(surface=bulleted(draft, lines), value=value, verbatim=True)


def write_meeting(draft: Draft) -> Composition:
    """Meeting notes."""
    head = draft.choose(meetings.HEADINGS)
    parts: Blocks = []
    if draft.chance(0.8):
        parts.append(draft.choose(meetings.WHEN))
    if draft.chance(0.45):
        parts.append(draft.choose(meetings.WHERE))
    if draft.chance(0.25):
        parts.append(draft.choose(meetings.ORGANIZER))
    if draft.chance(0.75):
        draft.mention("attendees", lambda: _attendees(draft))
        parts.append(draft.choose(meetings.ATTENDEES))
    draft.random.shuffle(parts)
    rest = _distinct(draft, meetings.CHATTER, draft.random.choice((0, 0, 1, 1, 2)))
    if draft.chance(0.25):
        rest.append(draft.choose(meetings.BUDGET))
    draft.random.shuffle(rest)
    if draft.chance(0.6):
        names = draft.mentions["attendees"].value if "attendees" in draft.mentions else []
        draft.mention("actions", lambda: _actions(draft, names))
        rest.append(draft.choose(meetings.ACTIONS))
    if draft.chance(0.3):
        rest.append(draft.choose(meetings.NEXT))
    return Composition([head, *parts, *rest], is_letter=False)


def write_appointment(draft: Draft) -> Composition:
    """Somebody books, moves, cancels or confirms an appointment."""
    action = draft.random.choice(tuple(appointments.ACTIONS))
    draft.labels["action"] = action
    body = [draft.choose(appointments.ACTIONS[action])]
    if draft.chance(0.3):
        body.append(draft.choose(appointments.STAFF))
    if draft.chance(0.25):
        body.append(draft.choose(appointments.DURATION))
    return Composition(body + _contact(draft, {"email": 0.25, "phone": 0.4}))


def write_booking(draft: Draft) -> Composition:
    """Somebody books a room in a hotel."""
    random = draft.random
    start = datetime.date(2023, 1, 1) + datetime.timedelta(days=random.randrange(4 * 365))
    nights = random.randint(1, 14)
    end = start + datetime.timedelta(days=nights)
    draft.mentions["check_in"] = Mention(surface=write_date(random, start), value=start.isoformat())
    draft.mentions["check_out"] = Mention(surface=write_date(random, end), value=end.isoformat())
    room = random.choice(tuple(bookings.ROOMS))
    draft.mentions["room"] = Mention(surface=random.choice(bookings.ROOMS[room]), value=room)
    body = [draft.choose(bookings.OPENINGS)]
    draft.labels |= {"room_type": room if "room" in draft.said else None, "breakfast": None}
    extra = _contact(draft, {"email": 0.25, "phone": 0.3})
    if draft.chance(0.45):
        draft.labels["breakfast"] = draft.chance(0.6)
        extra.append(draft.choose(bookings.BREAKFAST[draft.labels["breakfast"]]))
    if draft.chance(0.25):
        draft.mentions["nights"] = count(random, nights, nights)
        extra.append(draft.choose(bookings.NIGHTS))
    if draft.chance(0.25):
        extra.append(draft.choose(bookings.PRICE))
    random.shuffle(extra)
    return Composition(body + extra)


WRITERS: dict[str, Callable[[Draft], Composition]] = {
    "ticket": write_ticket,
    "order": write_order,
    "meeting": write_meeting,
    "appointment": write_appointment,
    "booking": write_booking,
}


def write_text(draft: Draft, kind: str) -> Blocks:
    """Write a whole text of a kind: the body, and around it, in a letter, greeting, tone, name and closing."""
    composition = WRITERS[kind](draft)
    if not composition.is_letter:
        return composition.body
    random = draft.random
    tone = random.choices(TONES, (0.35, 0.4, 0.25))[0]
    draft.labels["tone"] = tone
    body = list(composition.body)
    signs = draft.chance(0.5)
    if draft.chance(0.15 if signs else 0.5):
        body.insert(random.choice((0, 0, len(body))), draft.choose(INTRODUCTIONS))
    for distractor in _distinct(draft, DISTRACTORS, random.choices((0, 1, 2), draft.distractors)[0]):
        body.insert(random.randint(1, len(body)), distractor)
    if not draft.is_plain and draft.chance(0.02):
        for filler in _distinct(draft, FILLERS, random.randint(4, 20)):
            body.insert(random.randint(0, len(body)), filler)
    shown = 0
    if draft.chance(0.6):
        body.insert(0, draft.choose(GREETINGS[tone]))
        shown += 1
    if draft.chance(0.45) and not signs:
        body.append(draft.choose(CLOSINGS[tone]))
        shown += 1
    if tone == "rude" and (not shown or draft.chance(0.5)):
        body.insert(random.randint(1, len(body)), draft.choose(RUDE))
    if tone == "polite" and (not shown or draft.chance(0.3)):
        body.insert(random.randint(1, len(body)), draft.choose(POLITE))
    if signs:
        if draft.chance(0.8):
            body.append(draft.choose(CLOSINGS[tone]))
        body.append(draft.write("[|- ]{name}"))
    return body
