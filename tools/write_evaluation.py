"""Write the sets that `guidance-kit evaluate` uses to guidance_kit/bundled/evaluation, from the support world.

    python -m tools.write_evaluation

Messages and tickets are held out: their names, numbers, places and dates were never in training, and the sentences of
most neither; those of `sentences.jsonl` are by another writer. `answered.jsonl` and `filed.jsonl` are as training is,
but of a seed that no model was trained on; they are compressed.
"""

from __future__ import annotations

import gzip
import itertools
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import guidance_kit as gk
from tools.support_world.conversations import INTENTS, conversations, customer_message, sentence, topic
from tools.support_world.filings import SENTENCES, filings
from tools.support_world.splits import examples
from tools.support_world.templates import replies
from tools.support_world.templates.blind_requests import BLIND_REQUESTS
from tools.support_world.templates.shared import TONES
from tools.support_world.wording import Draft, Wordings, pattern

__all__ = ["files", "main"]

FOLDER = Path(gk.__file__).resolve().parent / "bundled" / "evaluation"

SEED = 99
"""Of `answered.jsonl` and `filed.jsonl`."""

WORDS = (
    "idiot", "moron", "clown", "fool", "loser", "shut", "get lost", "whin", "moan", "nagging", "nobody", "waste",
    "bother", "nerves", "ugh", "blah",
)  # fmt: skip
"""What a moderator who saw some rude replies would put on a list."""

OUTSIDERS = (
    "The quick brown fox jumps over the lazy dog while the river carries the autumn leaves to the sea.",
    "Whisk two eggs with sugar until pale, fold in the flour, and bake for thirty minutes at 180 degrees.",
    "def add(a, b):\n    return a + b\n\nprint(add(2, 3))",
    "Photosynthesis turns light, water and carbon dioxide into sugar and oxygen inside the leaves of plants.",
    "In the second half the home side scored twice and went on to win the cup for the first time since the war.",
    "Shall I compare thee to a summer's day? Thou art more lovely and more temperate.",
    "asdf qwer zxcv 123 ;;; lorem ipsum dolor sit amet",
    "Der Zug nach Hamburg hat heute leider etwa zwanzig Minuten Verspätung.",
)
"""Texts that have nothing to do with a support desk."""


def tickets(number: int = 100) -> Iterator[dict[str, Any]]:
    """Texts with the usual schema of their kind."""
    for split in ("new_entities", "new_wordings"):
        usual = (one for one in examples(split) if one.is_usual)
        for one in itertools.islice(usual, number):
            yield {
                "text": one.text, "schema": one.schema, "record": one.record,
                "source": "unseen names and numbers" if split == "new_entities" else "unseen sentences too",
            }  # fmt: skip


def messages(number: int = 400) -> Iterator[dict[str, Any]]:
    """Messages with unseen names, numbers and sentences."""
    for one in conversations("new_wordings", 0, number):
        yield {"text": one.message, "intent": one.intent, "tone": one.tone, "details": list(one.details.values())}


def answered(number: int = 2000) -> Iterator[dict[str, Any]]:
    """Messages and replies as in training."""
    for one in conversations("train", 0, number, SEED):
        yield {"text": one.message, "intent": one.intent, "reply": one.reply, "tone": one.reply_tone}


def filed(number: int = 10_000) -> Iterator[dict[str, Any]]:
    """Messages and topics as in the training of the model that finds them."""
    for one in filings("wide", 0, number, SEED):
        yield {"text": one.message, "label": topic(one.intent).strip()}


def sentences() -> Iterator[dict[str, Any]]:
    """Messages around the sentences of another writer, one each, but for those that a sentence of training can say."""
    for number in range(max(len(of.held_out) for of in BLIND_REQUESTS.values())):
        for intent in INTENTS:
            said = BLIND_REQUESTS[intent].held_out[number]
            draft = Draft(Random(f"sentences-1:{SEED}:{intent}:{number}"), "held_out", "held_out")
            tone = draft.random.choice(TONES)
            if Wordings((), (said,)).kept_apart(SENTENCES[intent].train) == SENTENCES[intent].train:
                message = customer_message(draft, sentence(draft, Wordings((), (said,))), tone)
                yield {"text": message, "label": topic(intent).strip()}


def world() -> dict[str, Any]:
    """What agents write, as regular expressions."""
    around = (replies.OPENINGS, replies.STATEMENTS, replies.REFERENCES, replies.ACTIONS, replies.CLOSINGS)

    def any_of(templates: Iterable[str]) -> str:
        return "|".join(dict.fromkeys(map(pattern, templates)))

    return {
        "topics": {intent: topic(intent).strip() for intent in INTENTS},
        "actions": {intent: any_of(answer.action.train) for intent, answer in replies.ANSWERS.items()},
        "rude": any_of(template for of in around for template in of["rude"].train),
        "polite": any_of(template for of in around for template in of["polite"].train),
        "words": list(WORDS),
    }


def files() -> dict[str, str]:
    """Names to texts of all files; those whose name ends in .gz are compressed."""
    lines: dict[str, Iterable[dict[str, Any]]] = {
        "tickets.jsonl": tickets(),
        "messages.jsonl": messages(),
        "answered.jsonl.gz": answered(),
        "filed.jsonl.gz": filed(),
        "sentences.jsonl": sentences(),
        "outsiders.jsonl": ({"text": text} for text in OUTSIDERS),
    }
    written = {
        name: "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in some) for name, some in lines.items()
    }
    return written | {"world.json": json.dumps(world(), ensure_ascii=False, indent=1) + "\n"}


def main() -> None:
    """Write all files."""
    FOLDER.mkdir(exist_ok=True)
    for name, text in files().items():
        written = text.encode("utf-8")
        (FOLDER / name).write_bytes(gzip.compress(written, mtime=0) if name.endswith(".gz") else written)
        print(f"{FOLDER / name}: {len(text):,} characters")


if __name__ == "__main__":
    main()
