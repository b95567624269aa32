"""Documents and judges of the tasks in this folder: the bundled evaluation sets, without a network.

The harness imports this file by its path, from the YAML files beside it.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from datasets import Dataset

from guidance_kit.evaluation.records import score
from guidance_kit.evaluation.sets import World, messages, tickets
from guidance_kit.models.prompts import extraction_prompt

__all__ = ["judge_record", "message_topics", "ticket_records"]


def message_topics(**_: Any) -> dict[str, Dataset]:
    """Messages, each with the names of all topics and the index of its own."""
    topics = World.bundled().topics
    names = list(topics.values())
    documents = [{"text": one.text, "topics": names, "topic": names.index(topics[one.intent])} for one in messages()]
    return {"test": Dataset.from_list(documents)}


def ticket_records(**_: Any) -> dict[str, Dataset]:
    """Prompts for records, each with its record, and its schema as `structured_outputs`."""
    documents = [
        {
            "prompt": extraction_prompt(one.text, one.schema, "support-v1"),
            "record": json.dumps(one.record),
            "structured_outputs": json.dumps({"json": one.schema}),
        }
        for one in tickets()
    ]
    return {"test": Dataset.from_list(documents)}


def judge_record(document: Mapping[str, Any], answers: Sequence[str]) -> dict[str, float]:
    """Exact match of the whole record, and share of its fields that are right."""
    found = score(answers[0], json.loads(document["record"]))
    return {"record_exact": found.record_accuracy, "field_accuracy": found.field_accuracy}
