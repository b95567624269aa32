"""What people work on: tasks and topics."""

from __future__ import annotations

from random import Random

from tools.support_world.entities.goods import company
from tools.support_world.entities.mention import Mention, Side, lists, pick, verbatim
from tools.support_world.entities.people import first_name
from tools.support_world.entities.words import phrase, word

__all__ = ["task", "topic"]

_SUBJECTS = lists(
    """budget, website relaunch, hiring plan, summer campaign, office move, data migration, product roadmap, supplier
    contract, customer survey, security audit, price list, annual report, training programme, warehouse layout, mobile
    app, spring catalogue, onboarding guide, test results, trade fair, newsletter, sales forecast, shift schedule""",
    "packaging redesign, loyalty programme, travel policy, pilot project, energy costs, job fair, loading dock",
    ",",
)
_VERBS = lists(
    "send, prepare, review, update, check, finish, write, share, test, order, present, sign, print, translate, correct",
    "collect, approve, compare, archive, schedule",
    ",",
)
_OBJECTS = lists(
    """the draft, the slides, the contract, the invoice, the numbers, the agenda, the report, the offer, the mock-ups,
    the figures, the plan, the samples, the documents, the minutes, the floor plan, a summary, a first version, the
    price list""",
    "the checklist, the estimates, the cover letter, the signed forms, a shortlist, the old files",
    ",",
)


def task(random: Random, side: Side) -> str:
    """Something that somebody has to do, as a phrase that begins with a verb in lower case."""
    verb = pick(random, _VERBS, side) if random.random() < 0.6 else word(random, side)
    what = pick(random, _OBJECTS, side)
    if random.random() < 0.6:
        what = f"{random.choice(('the', 'the', 'a', 'all'))} {phrase(random, _SUBJECTS, side)}"
    text = f"{verb} {what}"
    form = random.random()
    if form < 0.25:
        text += f" for the {phrase(random, _SUBJECTS, side)}"
    elif form < 0.4:
        text += f" to {company(random, side).surface}"
    elif form < 0.5:
        text += f" with {first_name(random, side)}"
    return text


def topic(random: Random, side: Side) -> Mention:
    """What a meeting is about."""
    subject = phrase(random, _SUBJECTS, side)
    form = random.random()
    if form < 0.4:
        return verbatim(subject)
    if form < 0.6:
        return verbatim(f"{subject} {random.choice(('review', 'kick-off', 'planning', 'follow-up', '2026'))}")
    if form < 0.8:
        return verbatim(f"{subject[0].upper()}{subject[1:]}")
    return verbatim(f"{company(random, side).surface} {subject}")
