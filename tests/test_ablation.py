"""Ablation of the constraint: variants of schemas, intervals, quotes and model calls against oracles."""

from __future__ import annotations

import json
from typing import Any

import pytest

import guidance_kit as gk
from guidance_kit.evaluation import sets
from guidance_kit.evaluation.ablation import Task, ablation_summary, ablation_table, free_strings, measure_ablation
from guidance_kit.evaluation.ablation import measured as metrics
from guidance_kit.evaluation.record_runs import RUNS, write_records
from guidance_kit.evaluation.records import is_valid, leaves
from guidance_kit.evaluation.results import Rate
from guidance_kit.evaluation.schema_variants import SYNONYMS, VARIANTS
from guidance_kit.models.loading import BUNDLED, bundled_models
from tools.support_world.fields import KINDS, Field

bundled = pytest.mark.skipif(BUNDLED not in bundled_models(), reason="no bundled model in this checkout")

NULLABLE = {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]}
SMALL = sets.Wanted(
    text="x",
    schema={
        "title": "T",
        "type": "object",
        "properties": {"date": NULLABLE, "tone": {"type": "string", "enum": ["very_rude"]}, "name": {"type": "string"}},
        "required": ["date", "tone", "name"],
        "additionalProperties": False,
    },
    record={"date": "2024-12-19", "tone": "very_rude", "name": "very_rude"},
    source="s",
)


@pytest.fixture(scope="module")
def model() -> gk.Model:
    return gk.load(device="cpu")


def names_of(fields: tuple[Field, ...]) -> set[str]:
    return {name for one in fields for name in (*one.names, *names_of(one.parts))}


def values_of(record: Any) -> list[str]:
    return sorted(json.dumps(value) for _, value in leaves(record))


@pytest.mark.parametrize("name", VARIANTS)
def test_a_variant_keeps_the_record_valid_and_refuses_the_old_one(name: str) -> None:
    for one in sets.tickets()[::25]:
        changed = VARIANTS[name](one)
        assert is_valid(json.dumps(changed.record), changed.schema)
        assert changed.text == one.text
        if name in ("other keys", "nested"):
            assert values_of(changed.record) == values_of(one.record)
            assert not is_valid(json.dumps(one.record), changed.schema)


@pytest.mark.parametrize(
    ("name", "record"),
    [
        ("other keys", {"day_mentioned": "2024-12-19", "manners": "very_rude", "written_by": "very_rude"}),
        ("reversed order", SMALL.record),
        ("other labels", {"date": "2024-12-19", "tone": "VERY RUDE", "name": "very_rude"}),
        ("other date format", {"date": "19.12.2024", "tone": "very_rude", "name": "very_rude"}),
        ("nested", {"first": {"date": "2024-12-19"}, "second": {"tone": "very_rude", "name": "very_rude"}}),
    ],
)
def test_variants_of_a_small_record(name: str, record: dict[str, Any]) -> None:
    changed = VARIANTS[name](SMALL)
    assert changed.record == record
    assert is_valid(json.dumps(record), changed.schema)
    if name == "reversed order":
        assert list(changed.schema["properties"]) == ["name", "tone", "date"]
    absent = VARIANTS[name](sets.Wanted(text="", schema=SMALL.schema, record={**SMALL.record, "date": None}, source=""))
    assert is_valid(json.dumps(absent.record), absent.schema)
    assert "null" in values_of(absent.record)


def test_synonyms_cover_all_keys_and_were_never_in_training() -> None:
    used = {name for one in sets.tickets() for path, _ in leaves(one.record) for name in path.split("/") if name}
    assert {name for name in used if name != "#" and not name.isdigit()} <= set(SYNONYMS)
    trained = set().union(*(names_of(kind.fields) for kind in KINDS.values()))
    assert not set(SYNONYMS.values()) & trained
    assert len(set(SYNONYMS.values())) == len(SYNONYMS)


@pytest.mark.parametrize(
    ("count", "total", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (5, 10, 0.2366, 0.7634), (81, 263, 0.2553, 0.3662), (0, 0, 0.0, 1.0)],
)
def test_wilson_intervals(count: int, total: int, low: float, high: float) -> None:
    """Newcombe 1998, Two-sided Confidence Intervals for the Single Proportion, has 81 of 263."""
    assert Rate(count, total).interval == pytest.approx((low, high), abs=1e-4)


def test_rates_are_apart_where_their_intervals_are() -> None:
    assert Rate(0, 10).is_apart_from(Rate(10, 10))
    assert Rate(10, 10).is_apart_from(Rate(0, 10))
    assert not Rate(5, 10).is_apart_from(Rate(6, 10))
    with pytest.raises(ValueError, match="2 of 1"):
        Rate(2, 1)


def test_free_strings_are_those_that_the_schema_leaves_open() -> None:
    record = {"date": "2024-12-19", "tone": "very_rude", "name": "Ann", "other": "x", "items": ["y"]}
    assert list(free_strings(record, SMALL.schema)) == ["Ann"]
    lists = {"type": "object", "properties": {"of": {"type": "array", "items": {"type": ["string", "null"]}}}}
    assert list(free_strings({"of": ["a", None, 1, "b"]}, lists)) == ["a", "b"]
    assert list(free_strings(["a"], SMALL.schema)) == []


@bundled
@pytest.mark.slow
def test_model_calls_are_those_of_a_text_alone(model: gk.Model) -> None:
    source = sets.tickets()[1:2]
    for run in RUNS:
        completions = write_records(model, source, run, batch_size=1, max_tokens=200)
        prompts = [model.extraction_prompt(one.text, one.schema) for one in source]
        calls = 0

        def count(*_: object) -> None:
            nonlocal calls
            calls += 1

        handle = model.language_model.model.register_forward_pre_hook(count)
        for prompt, one, completion in zip(prompts, source, completions, strict=True):
            excerpts = one.text if run == "schema, excerpts" else None
            constraint = None if run == "none" else gk.json_schema(one.schema, excerpts_of=excerpts)
            options = {"complete": constraint is not None, "max_tokens": 200, "temperature": 0}
            assert model.generate(prompt, constraint, **options).tokens == completion.tokens
        handle.remove()
        assert metrics(completions, source).calls * len(source) == calls


@pytest.mark.slow
@bundled
def test_other_keys_are_valid_under_the_schema_alone(model: gk.Model) -> None:
    source = [VARIANTS["other keys"](one) for one in sets.tickets()[:2]]
    task = Task(name="keys", model=model, source=source, max_tokens=150, has_excerpts=True)
    found = measure_ablation([task])
    assert list(found) == [("keys", run) for run in RUNS]
    free, bound, quoted = found.values()
    assert (free.valid.count, bound.valid.count, quoted.valid.count) == (0, 2, 2)
    assert quoted.quoted.count == quoted.quoted.total
    assert bound.fields.share > free.fields.share
    rows = ablation_table(found).rows
    assert [row[:2] for row in rows] == list(found)
    assert ablation_summary(found)[0] == "Valid records: no difference beyond the intervals with keys."
