"""The support world: texts that people send to a shop, a practice or a hotel, each with a schema and its record.

    entities/   names, numbers, places, dates; word lists with held-out parts, and coined ones split by checksum
    wording     the notation of templates, and the draft that remembers what a text mentions
    templates/  what people write: one file for each kind of text; more_texts and more_requests have what only the
                later stages of training and the model that finds intents see, blind_requests what nothing does
    kinds       how a text of each kind is put together
    noise       typing errors, lower case, layout
    fields      under which names and types a record may hold what a text says
    records     a schema drawn for a text, and its record
    splits      which entities and templates each part shows; the stream of examples. Its wide side has all of training
                and more, for the later stages of training
    conversations   messages of customers and replies of agents, with an intent and tones
    filings     messages of customers and their topics, in many more sentences

Values are copied character by character, with these normalisations: dates become YYYY-MM-DD, times HH:MM (24 hours),
prices and counts JSON numbers (1,299.00 and 49,90 are 1299.0 and 49.9; "three" is 3), currencies ISO 4217 codes. Labels
(intent, tone, urgency, payment method, room type, ...) are decided by what the text means.
"""

from __future__ import annotations

from tools.support_world.splits import SPLITS, Example, Split, example, examples, record_text

__all__ = ["SPLITS", "Example", "Split", "example", "examples", "record_text"]
