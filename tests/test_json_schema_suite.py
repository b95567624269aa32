"""The official suite and real schemas: whatever compiles is judged right, and what does not is refused by name."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
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

DRAFTS = {
    "draft4": "http://json-schema.org/draft-04/schema#",
    "draft6": "http://json-schema.org/draft-06/schema#",
    "draft7": "http://json-schema.org/draft-07/schema#",
    "draft2019-09": "https://json-schema.org/draft/2019-09/schema",
    "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
}
NOT_BASE64 = {f"Kubernetes---kb_{number}_Normalized.json" for number in (75, 105, 1147, 1151)}
"""Schemas of MaskBench with an instance, called valid, whose text for the format `byte` is not base64."""


PARTS = {"*.json": "annotate", "optional/*.json": "annotate", "optional/format/*.json": "recall"}
"""Files of a draft, and the option `formats` for them."""
RATCHET = Path(__file__).with_name("json_schema_suite.txt")
"""For each file of the suite the numbers of instances that are judged right, refused with their schema, and in all."""


def remotes(folder: Path) -> Registry:
    """The documents to which the suite refers, at the addresses where it expects them."""
    found = [
        (f"http://localhost:1234/{file.relative_to(folder).as_posix()}", json.loads(file.read_text()))
        for file in sorted(folder.rglob("*.json"))
    ]
    return Registry().with_contents(found, default_specification=DRAFT202012)


def dated(schema: Any, draft: str) -> Any:
    """The schema with its draft written in."""
    return {"$schema": DRAFTS[draft], **schema} if isinstance(schema, dict) and "$schema" not in schema else schema


@dataclass
class Verdicts:
    """Judgements of the instances of one file."""

    right: int = 0
    refused: int = 0
    cases: int = 0
    valid_rejected: list[str] = field(default_factory=list)
    invalid_accepted: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.right} {self.refused} {self.cases}"


def judged(folder: Path, draft: str, parts: Sequence[str] = tuple(PARTS)) -> dict[str, Verdicts]:
    """Judgements of a draft by file: the required part, optional and optional/format."""
    registry = remotes(folder / "remotes")
    found: dict[str, Verdicts] = {}
    for pattern in parts:
        for file in sorted((folder / "tests" / draft).glob(pattern)):
            of_file = found[file.relative_to(folder / "tests").as_posix()] = Verdicts()
            for group in json.loads(file.read_text(encoding="utf-8")):
                judge_group(of_file, dated(group["schema"], draft), group, registry=registry, formats=PARTS[pattern])
    return found


def judge_group(verdicts: Verdicts, schema: Any, group: dict[str, Any], **options: Any) -> None:
    """Add the judgements of the instances of one schema."""
    verdicts.cases += len(group["tests"])
    try:
        judge = Judge(json_schema(schema, order="any", **options))
    except UnsatisfiableError:
        judge = None
    except (UnsupportedFeature, LimitError, SchemaError):
        verdicts.refused += len(group["tests"])
        return
    for case in group["tests"]:
        is_accepted = judge is not None and any(map(judge.accepts, spellings(case["data"])))
        wrong = verdicts.invalid_accepted if is_accepted else verdicts.valid_rejected
        if is_accepted == case["valid"]:
            verdicts.right += 1
        else:
            wrong.append(f"{group['description']}: {case['description']}")


def spellings(value: Any) -> Iterator[str]:
    """Texts of an instance: an integral number is an integer also if it is written with a fraction, as 1.0."""
    yield dumps(value)
    if isinstance(value, float) and value.is_integer():
        yield str(int(value))


@pytest.mark.parametrize("parts", [["*.json"], *slow(["optional/*.json", "optional/format/*.json"])])
@pytest.mark.parametrize("draft", ["draft2020-12", *slow("draft7", "draft4", "draft6", "draft2019-09")])
def test_the_official_suite_is_judged_right_where_it_is_supported(draft, parts, shared_data: Path):
    """The counts of `RATCHET` may only rise: `python tests/test_json_schema_suite.py FOLDER` writes higher ones."""
    is_optional = parts != ["*.json"]
    recorded = {
        file: counts
        for file, counts in ratchet().items()
        if file.startswith(f"{draft}/") and ("/optional/" in file) == is_optional
    }
    found = judged(shared_data / "json-schema-test-suite", draft, parts)
    assert {file: str(verdicts) for file, verdicts in found.items()} == recorded, {
        file: verdicts for file, verdicts in found.items() if str(verdicts) != recorded.get(file)
    }
    if not is_optional:
        assert [name for verdicts in found.values() for name in verdicts.invalid_accepted] == []
        assert sum(verdicts.refused for verdicts in found.values()) < 0.01 * sum(v.cases for v in found.values())


def ratchet() -> dict[str, str]:
    """The counts of each file as they were written last."""
    rows = (line.split(" ", 1) for line in RATCHET.read_text(encoding="utf-8").splitlines())
    return dict(rows)


def write_ratchet(folder: Path) -> None:
    """Write the counts of all drafts, unless fewer instances of a file are judged right than before."""
    before = ratchet() if RATCHET.exists() else {}
    found = {file: verdicts for draft in DRAFTS for file, verdicts in judged(folder, draft).items()}
    worse = [file for file, verdicts in found.items() if verdicts.right < int(before.get(file, "0").split()[0])]
    if worse:
        sys.exit(f"fewer instances are judged right than before: {', '.join(worse)}")
    lines = [f"{file} {verdicts}\n" for file, verdicts in found.items()]
    RATCHET.write_text("".join(lines), encoding="utf-8")


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


if __name__ == "__main__":
    write_ratchet(Path(sys.argv[1]))
