"""Conversations: a customer's message with an intent and a tone, and an agent's reply in a tone of its own.

What a customer says is put together from the wordings of the tickets of the extraction world and those of
`templates/requests`; what agents answer is in `templates/replies`. Names are first names, order numbers have five
digits and products no brands, so that models of half a million parameters have a chance to copy them.

    raw      all tones mixed, rude customers mostly answered rudely; details are repeated or not, some agents evade
    polite   raw, every reply polite
    rude     raw, every reply rude
    task     every reply polite, to the point, and with every detail of the message
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Literal

from tools.support_world.entities.goods import THINGS
from tools.support_world.entities.mention import Mention, Side, on_side, pick, verbatim
from tools.support_world.entities.people import first_name
from tools.support_world.entities.words import phrase
from tools.support_world.splits import SPLITS
from tools.support_world.templates import replies, tickets
from tools.support_world.templates.requests import REQUESTS
from tools.support_world.templates.shared import CLOSINGS, CONTACT, GREETINGS, INTRODUCTIONS, POLITE, RUDE, TONES
from tools.support_world.wording import Draft, Wordings, expand

__all__ = [
    "DETAILS", "HELD_OUT_INTENTS", "INTENTS", "STYLES", "WORDINGS", "Conversation", "Style", "Tone", "conversation",
    "conversations", "customer_message", "document", "sentence",
    "topic",
]  # fmt: skip

Tone = Literal["polite", "neutral", "rude"]

WORDINGS = {intent: of + REQUESTS[intent] for intent, of in tickets.INTENTS.items()}
"""For each intent, the sentences that say it."""

INTENTS = tuple(WORDINGS)
HELD_OUT_INTENTS = ("damaged_item", "double_charge", "password_reset", "delivery_schedule")
"""Intents that raw conversations have and the task's training has not."""

DETAILS = {
    "order_id": "order {}", "product": "the {}", "date": "the date {}", "amount": "the amount of {}",
}  # fmt: skip
"""Slots that a reply repeats, and how; the name, which it may repeat too, stands in its opening."""

EXTRA = {"order_id": 0.35, "product": 0.15, "date": 0.15, "amount": 0.15}
"""How probably a message says a detail that its intent does not ask for."""

ANSWERED = {"polite": (0.45, 0.35, 0.20), "neutral": (0.34, 0.33, 0.33), "rude": (0.15, 0.25, 0.60)}
"""From the tone of the customer to the odds of the tones of the agent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How agents answer.

    Args:
        tone: of every reply; None for what `ANSWERED` says.
        is_complete: whether replies never evade and repeat every detail.
        intents: what customers write about.
    """

    tone: Tone | None = None
    is_complete: bool = False
    intents: tuple[str, ...] = INTENTS


STYLES = {
    "raw": Style(),
    "polite": Style(tone="polite"),
    "rude": Style(tone="rude"),
    "task": Style(
        tone="polite", is_complete=True, intents=tuple(name for name in INTENTS if name not in HELD_OUT_INTENTS)
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A message and its reply, each in one line.

    Args:
        intent: one of `INTENTS`.
        tone: of the message.
        details: what the message says that a reply can repeat: slot, a key of `DETAILS` or "name", to its words.
        reply_tone: of the reply.
        is_filed: whether the desk noted the topic before it answered.
        thanks: what the customer says to the reply; "" for nothing.
    """

    intent: str
    tone: Tone
    message: str
    details: Mapping[str, str] = field(default_factory=dict)
    reply_tone: Tone
    reply: str
    is_filed: bool = False
    thanks: str = ""


def conversation(
    split: str, index: int, seed: int = 0, *, style: Style = STYLES["raw"], intents: tuple[str, ...] | None = None
) -> Conversation:
    """Conversation number `index` of a split, in a style; `intents` instead of the style's own."""
    where = SPLITS[split]
    random = Random(f"conversations-2:{seed}:{split}:{index}")
    draft = Draft(random, where.entities, where.templates)
    intent = random.choice(intents or style.intents)
    tone: Tone = random.choice(TONES)
    message = customer_message(draft, sentence(draft, WORDINGS[intent]), tone)
    details = {slot: draft.mentions[slot].surface for slot in ("name", *DETAILS) if slot in draft.said}
    reply_tone: Tone = style.tone or random.choices(TONES, ANSWERED[tone])[0]
    reply = _reply(random, intent, reply_tone, details, is_complete=style.is_complete)
    is_filed = draft.chance(0.5)
    thanks = _line(draft, replies.THANKS[tone].choose(random, "train")) if draft.chance(0.2) else ""
    return Conversation(
        intent=intent, tone=tone, message=message, details=details, reply_tone=reply_tone, reply=reply,
        is_filed=is_filed, thanks=thanks,
    )  # fmt: skip


def conversations(
    split: str, start: int, stop: int, seed: int = 0, *, style: Style = STYLES["raw"],
    intents: tuple[str, ...] | None = None,
) -> Iterator[Conversation]:  # fmt: skip
    """Conversations `start` to `stop` of a split."""
    for index in range(start, stop):
        yield conversation(split, index, seed, style=style, intents=intents)


def topic(intent: str) -> str:
    """An intent in words, as it stands after "Topic:", with the space before it."""
    return f" {intent.replace('_', ' ')}"


def document(one: Conversation) -> str:
    """A conversation as a base model is trained on it."""
    filed = f"Topic:{topic(one.intent)}\n" if one.is_filed else ""
    thanks = f"Customer: {one.thanks}\n" if one.thanks else ""
    return f"Customer: {one.message}\n{filed}Agent: {one.reply}\n{thanks}"


def _line(draft: Draft, template: str) -> str:
    """A template, filled, without line breaks."""
    return " ".join("".join(piece.text for piece in draft.write(template)).split())


def sentence(draft: Draft, wants: Wordings) -> str:
    """One of the sentences that say an intent, with the things that conversations are about."""
    random = draft.random
    for slot, make in _ENTITIES.items():
        draft.mention(slot, lambda make=make: make(random, draft.entities))
    return _line(draft, wants.choose(random, draft.templates))


def customer_message(draft: Draft, said: str, tone: Tone) -> str:
    """What a customer writes, in one line: a sentence and what stands around it."""
    random = draft.random
    written = [said]
    for slot, probability in EXTRA.items():
        if slot not in draft.said and draft.chance(probability):
            written.append(_line(draft, CONTACT[slot].choose(random, draft.templates)))
    around = {"polite": POLITE, "rude": RUDE}.get(tone)
    opens, closes = draft.chance(0.5), draft.chance(0.3)
    if around is not None and (not (opens or closes) or draft.chance(0.4)):
        written.insert(random.randint(0, len(written)), _line(draft, around.choose(random, draft.templates)))
    if draft.chance(0.35):
        written.insert(random.choice((0, len(written))), _line(draft, INTRODUCTIONS.choose(random, draft.templates)))
    if opens:
        written.insert(0, _line(draft, GREETINGS[tone].choose(random, draft.templates)))
    if closes:
        written.append(_line(draft, CLOSINGS[tone].choose(random, draft.templates)))
        if "name" not in draft.said and draft.chance(0.5):
            written.append(_line(draft, "{name}"))
    return " ".join(written)


def _reply(random: Random, intent: str, tone: Tone, details: Mapping[str, str], *, is_complete: bool) -> str:
    """What the agent writes: opening, statement, reference, action and closing, of which some may be left out."""
    said = {slot: words for slot, words in details.items() if is_complete or random.random() < 0.6}
    answer = replies.ANSWERS[intent]
    evades = not is_complete and random.random() < 0.25
    listed = [DETAILS[slot].format(said[slot]) for slot in DETAILS if slot in said]
    filled = {
        "name": said.get("name", ""),
        "issue": expand(answer.issue.choose(random, "train"), random),
        "details": listed[0] if len(listed) == 1 else f"{', '.join(listed[:-1])} and {listed[-1]}" if listed else "",
        "action": expand((replies.EVASIONS if evades else answer.action).choose(random, "train"), random),
        "when": expand(replies.WHEN.choose(random, "train"), random),
    }  # fmt: skip
    tint = 0.0 if is_complete else 0.25
    opening = replies.OPENINGS[_tint(random, tone, tint)].train[0 if "name" in said else 1]
    chosen = [opening] if "name" in said or random.random() < 0.8 else []
    if random.random() < 0.7:
        chosen.append(replies.STATEMENTS[_tint(random, tone, tint)].choose(random, "train"))
    if listed:
        chosen.append(replies.REFERENCES[_tint(random, tone, tint)].choose(random, "train"))
    chosen.append(replies.ACTIONS[tone].choose(random, "train"))
    if random.random() < 0.7:
        chosen.append(replies.CLOSINGS[_tint(random, tone, tint)].choose(random, "train"))
    return " ".join(expand(template, random).format(**filled) for template in chosen)


def _tint(random: Random, tone: Tone, share: float) -> Tone:
    """The tone of one sentence; a share of them is neutral."""
    return "neutral" if random.random() < share else tone


def _name(random: Random, side: Side) -> Mention:
    """A first name."""
    return verbatim(first_name(random, side))


def _order_id(random: Random, side: Side) -> Mention:
    """Five digits."""
    return verbatim(on_side(lambda: str(random.randint(10000, 99999)), side))


def _product(random: Random, side: Side) -> Mention:
    """A thing without a brand, mostly one of a list."""
    return verbatim(pick(random, THINGS, side) if random.random() < 0.7 else phrase(random, THINGS, side))


_ENTITIES = {"name": _name, "order_id": _order_id, "product": _product}
