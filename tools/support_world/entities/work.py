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
    wide="""parking spaces, bonus scheme, canteen, data protection, quality control, exhibition stand, server upgrade,
    cleaning contract, image film, photo shoot, staff party, intern programme, winter sale, delivery times, return
    rate, insurance, tax audit, fire drill, rebranding, user interviews, holiday cover, meeting rooms, phone system,
    rental cars, recycling, christmas market, press release, board meeting, spare parts, delivery vans, opening hours,
    code review, market entry, patent application, dress code, wage round, works council, product photos, beta test,
    help centre, search function, stock count, coffee corner, legal questions, partner network""",
)
_VERBS = lists(
    "send, prepare, review, update, check, finish, write, share, test, order, present, sign, print, translate, correct",
    "collect, approve, compare, archive, schedule",
    ",",
    wide="""call, ask, book, buy, cancel, clean, close, copy, count, design, draw up, estimate, explain, fetch, fill in,
    find, fix, forward, hand over, hire, install, invite, list, look into, measure, move, negotiate, organise, pack,
    pay, plan, post, publish, read, rebuild, record, remind, rename, repair, replace, request, return, revise, scan,
    sell, set up, sort, store, talk about, tidy up, train, upload, verify, visit, weigh""",
)
_OBJECTS = lists(
    """the draft, the slides, the contract, the invoice, the numbers, the agenda, the report, the offer, the mock-ups,
    the figures, the plan, the samples, the documents, the minutes, the floor plan, a summary, a first version, the
    price list""",
    "the checklist, the estimates, the cover letter, the signed forms, a shortlist, the old files",
    ",",
    wide="""the keys, the guest list, the floor, two quotes, three candidates, the logo, the video, the landlord, the
    flyers, the posters, the room, the badges, the coffee machine, the questionnaire, the timetable, the tickets, a
    hotel, a replacement, the spreadsheet, the database, the backup, the press kit, the sign, the receipts, the bank
    details, the photos, a proposal, an overview, the results, the translation, the address list, new chairs, the
    screen, the banner, the menu, the licence, the lease, the speaker, an interview, the catering""",
)
_BETWEEN = ("", "", "", "of the ", "for ", "and ", "in the ", "with a ", "to the ", "on ", "from ", "the ", "about ")


def task(random: Random, side: Side) -> str:
    """Something that somebody has to do, as a phrase that begins with a verb in lower case."""
    verb = pick(random, _VERBS, side) if random.random() < 0.6 else word(random, side)
    if side == "wide" and random.random() < 0.4:
        return f"{verb} {_winding(random, side)}"
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


def _winding(random: Random, side: Side) -> str:
    """Two to five words with little ones between some of them, such as nobody can guess but only copy."""
    text = word(random, side)
    for _ in range(random.randint(1, 4)):
        text += f" {random.choice(_BETWEEN)}{word(random, side)}"
    return text


def topic(random: Random, side: Side) -> Mention:
    """What a meeting is about."""
    if side == "wide" and random.random() < 0.3:
        return verbatim(_winding(random, side))
    subject = phrase(random, _SUBJECTS, side)
    form = random.random()
    if form < 0.4:
        return verbatim(subject)
    if form < 0.6:
        return verbatim(f"{subject} {random.choice(('review', 'kick-off', 'planning', 'follow-up', '2026'))}")
    if form < 0.8:
        return verbatim(f"{subject[0].upper()}{subject[1:]}")
    return verbatim(f"{company(random, side).surface} {subject}")
