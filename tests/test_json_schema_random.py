"""Random schemas against random values: a text is accepted exactly if `jsonschema` finds its value valid."""

from __future__ import annotations

import json
import random
from fractions import Fraction

import jsonschema
import pytest
from json_texts import Judge, walk
from marks import slow
from schemas import random_value, whole_schema

from guidance_kit.errors import SchemaError, UnsatisfiableError, UnsupportedFeature
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.grammars.json_schema.documents import document as document_module


def compare(seed: int, schemas: int, values: int) -> tuple[int, int]:
    """Compare judgements; return how many schemas were compiled, and how many values were accepted."""
    chance = random.Random(seed)
    compiled = accepted = 0
    for _ in range(schemas):
        schema = whole_schema(chance)
        samples = [random_value(chance) for _ in range(values)]
        # exact numbers, since the judge would divide floats
        validator = jsonschema.Draft202012Validator(json.loads(json.dumps(schema), parse_float=Fraction))
        try:
            judge = Judge(json_schema(schema))
        except UnsupportedFeature:
            continue
        except SchemaError as error:
            if "leads back to itself" not in str(error):
                raise
            continue
        except UnsatisfiableError as error:
            found = [value for value in samples if validator.is_valid(value)]
            if found:
                raise AssertionError(f"{json.dumps(schema)} has values: {found}") from error
            continue
        compiled += 1
        for value in samples:
            is_valid = validator.is_valid(value)
            assert judge.accepts_value(value) == is_valid, f"{json.dumps(schema)} {json.dumps(value)} is {is_valid}"
            accepted += is_valid
        for _ in range(2):
            text = walk(judge.automaton, chance)
            # a float would round what has many digits
            assert validator.is_valid(json.loads(text, parse_float=Fraction)), (
                f"{json.dumps(schema)} lets through {text!r}"
            )
    return compiled, accepted


@pytest.mark.parametrize(("seed", "schemas"), [(0, 60), *slow((0, 150), (1, 150), (2, 150), (3, 150))])
def test_texts_are_accepted_exactly_if_valid(seed, schemas):
    compiled, accepted = compare(seed, schemas, values=25)
    assert compiled > 0.4 * schemas
    assert accepted > 0.6 * schemas


@pytest.mark.parametrize(("seed", "schemas"), [(7, 40), *slow((8, 300), (9, 300))])
def test_equal_schemas_are_judged_as_if_they_were_apart(monkeypatch, seed, schemas):
    monkeypatch.setattr(document_module, "LEAST_COMPARED", 0)
    compiled, accepted = compare(seed, schemas, values=25)
    assert compiled > 0.4 * schemas
    assert accepted > 0.6 * schemas


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 120))
def test_texts_are_accepted_exactly_if_valid_at_length(seed):
    compiled, _ = compare(seed, schemas=1000, values=40)
    assert compiled > 400
