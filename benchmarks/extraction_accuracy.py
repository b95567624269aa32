"""How many fields does the bundled model extract rightly, with and without the constraint?

    python benchmarks/extraction_accuracy.py [--number 200] [--batch 25] [--model support-2m]

The texts are written by tools/support_world: "new entities" has names, numbers, places and dates that training never
showed, "new wordings" also sentences that it never showed. "usual" are plain texts with the usual schema of their kind
(ticket, order, meeting), as in examples/; "drawn" are noisy texts, each with a schema drawn at random. All runs are
greedy and start from the same prompts. "free" is whatever the model writes up to its end of sequence; "constrained" is
written under the example's schema. Scored by exact match: every field, and whole records; text that is not a JSON
object has every field wrong. "schema" is the share of texts that are valid under their schema, judged by jsonschema.
"messages" are the hand-written ones of examples/messages. The second table is "new entities, usual", field by field.
"""

from __future__ import annotations

import argparse
import itertools
import json
import platform
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import torch
from rich.console import Console
from rich.table import Table

import guidance_kit as gk

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from examples.ticket import Ticket
from guidance_kit.evaluation.records import Score, is_same, is_valid, leaves, score
from tools.support_world import Example, examples

ROOT = Path(__file__).resolve().parent.parent


def by_field(pairs: list[tuple[str, Example]]) -> dict[str, list[int]]:
    """For each field of the right records: how many are right, and how many there are."""
    found: dict[str, list[int]] = {}
    for text, one in pairs:
        try:
            given = dict(leaves(json.loads(text)))
        except ValueError:
            given = {}
        for path, value in leaves(one.record):
            name = ".".join(part for part in path.split("/")[1:] if not part.isdigit()).replace("#", "length")
            counts = found.setdefault(name, [0, 0])
            counts[0] += path in given and is_same(value, given[path])
            counts[1] += 1
    return found


def sources(number: int) -> Iterator[tuple[str, str, list[Example]]]:
    """Texts, schemas and examples of each sort."""
    lines = (ROOT / "examples" / "expected.jsonl").read_text("utf-8").splitlines()
    expected = [json.loads(line) for line in lines]
    yield (
        "messages",
        "Ticket",
        [
            Example(
                kind="ticket",
                is_usual=True,
                text=(ROOT / "examples" / one["file"]).read_text("utf-8"),
                schema=Ticket.model_json_schema(),
                record=one["record"],
                facts={},
            )
            for one in expected
        ],
    )
    for split in ("new_entities", "new_wordings"):
        for is_usual in (True, False):
            chosen = (one for one in examples(split) if one.is_usual == is_usual)
            yield split.replace("_", " "), "usual" if is_usual else "drawn", list(itertools.islice(chosen, number))


def run(model: gk.Model, source: list[Example], *, batch: int, constrained: bool) -> tuple[list[str], int, float]:
    """The texts that the model writes, the number of tokens it spent, and seconds."""
    prompts = [model.extraction_prompt(one.text, one.schema) for one in source]
    constraints = [gk.json_schema(one.schema) for one in source] if constrained else None
    started = time.perf_counter()
    completions = model.generate(prompts, constraints, batch_size=batch, max_tokens=400, temperature=0)
    seconds = time.perf_counter() - started
    return [one.text for one in completions], sum(len(one.tokens) for one in completions), seconds


def main() -> None:
    """Print a table of all texts, and two of the fields of usual ones."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--number", type=int, default=200, help="texts of each sort")
    parser.add_argument("--batch", type=int, default=25)
    parser.add_argument("--model", default=None, help="bundled name, folder or hub name; default: the bundled model")
    options = parser.parse_args()
    console = Console(width=120)
    model = gk.load(options.model)
    table = Table(
        title=f"{options.number} texts of each sort · {platform.machine()}, {torch.get_num_threads()} threads · greedy"
    )
    for column in ("texts", "schemas", "run"):
        table.add_column(column)
    for column in ("fields right", "records right", "JSON", "schema", "tokens/text", "texts/s"):
        table.add_column(column, justify="right")
    fields: dict[str, dict[str, dict[str, list[int]]]] = {}
    for texts, schemas, source in sources(options.number):
        for name in ("free", "constrained"):
            written, tokens, seconds = run(model, source, batch=options.batch, constrained=name == "constrained")
            pairs = list(zip(written, source, strict=True))
            total = sum((score(text, one.record) for text, one in pairs), Score())
            valid = sum(is_valid(text, one.schema) for text, one in pairs) / len(pairs)
            table.add_row(
                texts,
                schemas,
                name,
                f"{total.field_accuracy:.1%}",
                f"{total.record_accuracy:.1%}",
                f"{total.valid_rate:.1%}",
                f"{valid:.1%}",
                f"{tokens / len(pairs):.1f}",
                f"{len(pairs) / seconds:.2f}",
            )
            if schemas == "usual":
                fields.setdefault(texts, {})[name] = by_field(pairs)
    console.print(table)
    for texts, found in fields.items():
        of = Table(title=f"{texts}, usual schemas: fields right")
        for column in ("field", "asked", "free", "constrained"):
            of.add_column(column, justify="left" if column == "field" else "right")
        for name, (right, count) in found["free"].items():
            of.add_row(name, str(count), f"{right / count:.1%}", f"{found['constrained'][name][0] / count:.1%}")
        console.print(of)


if __name__ == "__main__":
    main()
