"""How many fields does the bundled model extract rightly, with and without the constraint?

    python benchmarks/extraction_accuracy.py [--number 200] [--batch 25] [--model support-2m]

The texts are written by tools/support_world, each with a schema of its own: "new_entities" has names, numbers, places
and dates that training never showed, "new_wordings" also sentences that it never showed. Both runs are greedy and
start from the same prompts. "free" is whatever the model writes up to its end of sequence; "constrained" is written
under the example's schema. Scored by exact match: every field, and whole records; text that is not a JSON object has
every field wrong. "schema" is the share of texts that are valid under their schema, judged by jsonschema.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from collections import Counter
from pathlib import Path

import jsonschema
import torch
from rich.console import Console
from rich.table import Table

import guidance_kit as gk

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from tools.support_world import Example, examples
from tools.support_world.scoring import Score, leaves, score


def conforms(text: str, schema: dict) -> bool:
    """Whether a text is JSON that is valid under the schema, formats included."""
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    try:
        jsonschema.validate(json.loads(text), schema, format_checker=checker)
    except (ValueError, jsonschema.ValidationError):
        return False
    return True


def misses(text: str, truth: dict) -> Counter[str]:
    """Names of the fields that are wrong."""
    try:
        given = dict(leaves(json.loads(text)))
    except ValueError:
        given = {}
    expected = dict(leaves(truth))
    wrong = (path for path in expected.keys() | given.keys() if expected.get(path, ...) != given.get(path, ...))
    return Counter("/".join(part for part in path.split("/") if not part.isdigit())[1:] for path in wrong)


def run(model: gk.Model, source: list[Example], *, batch: int, constrained: bool) -> tuple[list[str], int, float]:
    """The texts that the model writes, the number of tokens it spent, and seconds."""
    prompts = [model.extraction_prompt(one.text, one.schema) for one in source]
    constraints = [gk.json_schema(one.schema) for one in source] if constrained else None
    started = time.perf_counter()
    completions = model.generate(prompts, constraints, batch_size=batch, max_tokens=400, temperature=0)
    seconds = time.perf_counter() - started
    return [one.text for one in completions], sum(len(one.tokens) for one in completions), seconds


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--number", type=int, default=200, help="texts of each split")
    parser.add_argument("--batch", type=int, default=25)
    parser.add_argument("--model", default=None, help="bundled name, folder or hub name; default: the bundled model")
    parser.add_argument("--misses", type=int, default=0, help="also list the fields that are wrong most often")
    options = parser.parse_args()
    console = Console(width=120)
    model = gk.load(options.model)
    table = Table(
        title=f"{options.number} texts a split · {platform.machine()}, {torch.get_num_threads()} threads · greedy"
    )
    for column in ("split", "run", "fields right", "records right", "JSON", "schema", "tokens/text", "texts/s"):
        table.add_column(column, justify="left" if column in ("split", "run") else "right")
    for split in ("new_entities", "new_wordings"):
        source = list(examples(split, 0, options.number))
        for constrained in (False, True):
            texts, tokens, seconds = run(model, source, batch=options.batch, constrained=constrained)
            pairs = list(zip(texts, source, strict=True))
            total = sum((score(text, one.record) for text, one in pairs), Score())
            valid = sum(conforms(text, one.schema) for text, one in pairs) / len(pairs)
            table.add_row(
                split,
                "constrained" if constrained else "free",
                f"{total.field_accuracy:.1%}",
                f"{total.record_accuracy:.1%}",
                f"{total.valid_rate:.1%}",
                f"{valid:.1%}",
                f"{tokens / len(pairs):.1f}",
                f"{len(pairs) / seconds:.2f}",
            )
            if options.misses:
                wrong = sum((misses(text, one.record) for text, one in pairs), Counter())
                shown = ", ".join(f"{name} {count}" for name, count in wrong.most_common(options.misses))
                console.print(f"{split}, {'constrained' if constrained else 'free'}: {shown}")
    console.print(table)


if __name__ == "__main__":
    main()
