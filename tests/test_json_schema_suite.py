"""The official suite and real schemas: whatever compiles is judged right, and what does not is refused by name."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from json_texts import Judge, dumps
from marks import slow
from referencing import Registry
from referencing.jsonschema import DRAFT202012
from schemas import maskbench

from guidance_kit.errors import ConstraintError, LimitError, SchemaError, UnsatisfiableError, UnsupportedFeature
from guidance_kit.grammars.json_schema import json_schema

DRAFTS = {"draft4": "4", "draft6": "6", "draft7": "7", "draft2019-09": "2019-09", "draft2020-12": "2020-12"}
URIS = {
    "draft4": "http://json-schema.org/draft-04/schema#",
    "draft6": "http://json-schema.org/draft-06/schema#",
    "draft7": "http://json-schema.org/draft-07/schema#",
    "draft2019-09": "https://json-schema.org/draft/2019-09/schema",
    "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
}
NOT_BASE64 = {f"Kubernetes---kb_{number}_Normalized.json" for number in (75, 105, 1147, 1151)}
"""Schemas of MaskBench with an instance, called valid, whose text for the format `byte` is not base64."""


def suite(folder: Path, draft: str) -> Iterator[tuple[str, dict, list[dict]]]:
    """(name, schema, cases) of the required part of a draft."""
    for file in sorted((folder / draft).glob("*.json")):
        for group in json.loads(file.read_text()):
            yield f"{file.stem}: {group['description']}", group["schema"], group["tests"]


def remotes(folder: Path) -> Registry:
    """The documents to which the suite refers, at the addresses where it expects them."""
    found = [
        (f"http://localhost:1234/{file.relative_to(folder).as_posix()}", json.loads(file.read_text()))
        for file in sorted(folder.rglob("*.json"))
    ]
    return Registry().with_contents(found, default_specification=DRAFT202012)


def dated(schema: Any, draft: str) -> Any:
    """The schema with its draft written in."""
    return {"$schema": URIS[draft], **schema} if isinstance(schema, dict) and "$schema" not in schema else schema


@pytest.mark.parametrize("draft", ["draft2020-12", *slow("draft7", "draft4", "draft6", "draft2019-09")])
def test_the_official_suite_is_judged_right_where_it_is_supported(draft, shared_data: Path, record_property):
    counts: Counter[str] = Counter()
    wrong = []
    registry = remotes(shared_data / "json-schema-test-suite/remotes")
    for name, schema, cases in suite(shared_data / "json-schema-test-suite/tests", draft):
        try:
            judge = Judge(json_schema(dated(schema, draft), registry=registry, order="any"))
        except UnsatisfiableError:
            counts["unsatisfiable"] += len(cases)
            wrong += [(name, case["description"]) for case in cases if case["valid"]]
            continue
        except UnsupportedFeature:
            counts["refused"] += len(cases)
            continue
        for case in cases:
            counts["judged"] += 1
            if judge.accepts(dumps(case["data"])) != case["valid"]:
                wrong.append((name, case["description"], case["data"], case["valid"]))
    record_property("counts", dict(counts))
    unexplained = [entry for entry in wrong if not is_documented(entry)]
    assert unexplained == []
    assert counts["refused"] < 0.05 * counts["judged"], counts


def is_documented(entry: tuple) -> bool:
    """Whether a judgement differs because integers are written as digits alone, or formats are enforced."""
    is_integral = any(isinstance(part, float) and part == int(part) for part in entry[2:])
    return is_integral or "is only an annotation by default" in entry[1]


def judge_maskbench(rows: Iterator[dict]) -> tuple[Counter[str], list[tuple]]:
    """(counts, wrong judgements): how many schemas compiled, how many were refused for what."""
    counts: Counter[str] = Counter()
    wrong = []
    for row in rows:
        counts["schemas"] += 1
        try:
            judge = Judge(json_schema(row["schema"], order="any"))
        except (UnsupportedFeature, UnsatisfiableError, SchemaError, LimitError) as error:
            counts[getattr(error, "feature", type(error).__name__).split()[0]] += 1
            continue
        except ConstraintError as error:
            wrong.append((row["file"], "error", str(error)))
            continue
        counts["compiled"] += 1
        for case in row["tests"]:
            counts["instances"] += 1
            if judge.accepts(dumps(case["data"])) != case["valid"]:
                wrong.append((row["file"], case["valid"], case["description"]))
    return counts, wrong


@pytest.mark.parametrize("step", [160, *slow(80)])
def test_a_sample_of_real_schemas_is_judged_right(shared_data: Path, step: int):
    counts, wrong = judge_maskbench(row for n, row in enumerate(maskbench(shared_data)) if n % step == 11)
    assert wrong == []
    assert counts["compiled"] > 0.96 * counts["schemas"], counts


@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_real_schemas_are_judged_right(shared_data: Path, record_property):
    counts, wrong = judge_maskbench(maskbench(shared_data))
    record_property("counts", dict(counts))
    assert {name for name, *_ in wrong} == NOT_BASE64, wrong
    assert len(wrong) == len(NOT_BASE64)
    assert counts["compiled"] > 0.97 * counts["schemas"], counts
