"""Splits: which entities and templates a part of the world shows, and the stream of its examples.

Example `i` of a split is a pure function of (seed, split, i): streams can be cut, resumed and read in parallel.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tools.support_world.entities.mention import Side
from tools.support_world.fields import KINDS
from tools.support_world.kinds import write_text
from tools.support_world.noise import join, reworded, spoil, thinned
from tools.support_world.records import draw_schema, known_facts, label_schema, usual_schema
from tools.support_world.wording import Draft

__all__ = ["SPLITS", "Example", "Split", "example", "examples", "record_text"]

# How often each kind of text occurs.
WEIGHTS = {"ticket": 0.40, "order": 0.20, "meeting": 0.16, "appointment": 0.12, "booking": 0.12}

USUAL = 0.65
"""Share of plain texts with the usual schema of their kind; the others are noisy, with schemas drawn at random."""

USUAL_WEIGHTS = {"ticket": 0.5, "order": 0.25, "meeting": 0.25}
LABEL_WEIGHTS = {"ticket": 0.7, "order": 0.14, "appointment": 0.08, "booking": 0.08}
WIDE_WEIGHTS = {"ticket": 0.3, "order": 0.3, "meeting": 0.4}


@dataclass(frozen=True, slots=True)
class Split:
    """A part of the world.

    Args:
        entities: "held_out" has names, places, products, numbers, dates and addresses that training never shows.
        templates: "held_out" has wordings that training never shows, for every sentence of the text that has any.
        usual: how often each kind occurs among the plain texts with their usual schema.
        labels: share of short texts of which labels alone are asked, the intent, the tone and so on.
    """

    name: str
    entities: Side
    templates: Side
    usual: Mapping[str, float] = field(default_factory=lambda: USUAL_WEIGHTS)
    labels: float = 0.0


SPLITS = {
    split.name: split
    for split in (
        Split("train", "train", "train"),
        Split("wide", "wide", "wide", WIDE_WEIGHTS),
        Split("labels", "wide", "wide", WIDE_WEIGHTS, labels=0.4),
        Split("new_entities", "held_out", "train"),
        Split("new_wordings", "held_out", "held_out"),
    )
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A text, a schema and the record that is right under the schema.

    Args:
        kind: kind of text, a key of `KINDS`.
        is_usual: whether it is a plain text with the usual schema of its kind.
        facts: all that the text says, slot to JSON value; the record is a part of it.
    """

    kind: str
    is_usual: bool
    text: str
    schema: dict[str, Any]
    record: dict[str, Any]
    facts: dict[str, Any]


def example(split: str, index: int, seed: int = 0) -> Example:
    """Example number `index` of a split."""
    where = SPLITS[split]
    random = Random(f"support-world-1:{seed}:{split}:{index}")
    if where.labels and random.random() < where.labels:
        return _label_example(random, where)
    is_usual = random.random() < USUAL
    weights = where.usual if is_usual else WEIGHTS
    kind = random.choices(tuple(weights), tuple(weights.values()))[0]
    draft = Draft(random, where.entities, where.templates, is_plain=is_usual)
    blocks = write_text(draft, kind)
    if draft.is_wide and kind in ("meeting", "order") and draft.chance(0.3):
        blocks = reworded(blocks, draft)
    text = join(blocks if is_usual else spoil(blocks, draft), draft)
    facts = known_facts(draft)
    schema, record = (usual_schema if is_usual else draw_schema)(random, KINDS[kind], facts)
    return Example(kind=kind, is_usual=is_usual, text=text, schema=schema, record=record, facts=facts)


def _label_example(random: Random, where: Split) -> Example:
    """A short text, in half of them without some of its words, and labels that are asked."""
    kind = random.choices(tuple(LABEL_WEIGHTS), tuple(LABEL_WEIGHTS.values()))[0]
    draft = Draft(random, where.entities, where.templates, is_plain=True, is_short=True)
    blocks = write_text(draft, kind)
    text = join(thinned(blocks, draft) if draft.chance(0.5) else blocks, draft)
    facts = known_facts(draft)
    schema, record = label_schema(random, KINDS[kind], facts)
    return Example(kind=kind, is_usual=False, text=text, schema=schema, record=record, facts=facts)


def examples(split: str, start: int = 0, stop: int | None = None, seed: int = 0) -> Iterator[Example]:
    """Examples `start` to `stop` of a split; without `stop`, for ever."""
    index = start
    while stop is None or index < stop:
        yield example(split, index, seed)
        index += 1


def record_text(record: dict[str, Any]) -> str:
    """A record as the model writes it."""
    return json.dumps(record, ensure_ascii=False)
