"""Generation of records: without a constraint, under the schema, and under the schema with extractive strings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from guidance_kit.decoding.completion import Completion
from guidance_kit.evaluation.sets import Wanted
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.json_schema import json_schema

if TYPE_CHECKING:
    from guidance_kit.model import Model

__all__ = ["RUNS", "Run", "record_constraint", "write_records"]

Run = Literal["none", "schema", "schema, excerpts"]
"""Constraint of a run; "excerpts" are extractive strings, see `json_schema`."""

RUNS: tuple[Run, ...] = ("none", "schema", "schema, excerpts")


def record_constraint(one: Wanted, run: Run) -> Constraint | None:
    """Constraint on the record of a text."""
    if run == "none":
        return None
    return json_schema(one.schema, excerpts_of=one.text if run == "schema, excerpts" else None)


def write_records(
    model: Model, source: Sequence[Wanted], run: Run, *, batch_size: int, max_tokens: int
) -> list[Completion]:
    """Records of texts, generated greedily; constrained ones are completed within `max_tokens`."""
    prompts = [model.extraction_prompt(one.text, one.schema) for one in source]
    options: dict[str, Any] = {"batch_size": batch_size, "max_tokens": max_tokens, "temperature": 0, "logprobs": 0}
    constraints = [constraint for one in source if (constraint := record_constraint(one, run)) is not None]
    if not constraints:
        return model.generate(prompts, **options)
    return model.generate(prompts, constraints, complete=True, **options)
