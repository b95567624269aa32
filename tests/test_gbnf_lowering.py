"""Schemas as grammars of llama.cpp: texts against `jsonschema`, instances against the grammar, and its own parser."""

from __future__ import annotations

import contextlib
import itertools
import json
import random
import re
from typing import Any

import jsonschema
import pytest
from marks import slow
from schemas import whole_schema

import guidance_kit as gk
from guidance_kit.grammars.json_schema.lowering.gbnf_writer import MOST_REPETITIONS

NODE = {
    "type": "object",
    "properties": {"value": {"type": "integer"}, "children": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
    "required": ["value"],
    "additionalProperties": False,
}
SCHEMAS: list[Any] = [
    {"enum": ["a\"b", "é\\", None, 3, True]},
    {"type": ["string", "null"], "minLength": 1, "maxLength": 4},
    {"type": "string", "pattern": "^T-[0-9]{2,4}$", "maxLength": 5},
    {"type": "string", "pattern": "[x-z\"]"},
    {"type": "string", "format": "date"},
    {"type": "integer", "minimum": -12, "maximum": 345},
    {"type": "integer", "multipleOf": 7, "exclusiveMinimum": 0},
    {"type": "number", "minimum": -0.5, "exclusiveMaximum": 2},
    {"type": "array", "items": {"type": "boolean"}, "minItems": 2, "maxItems": 4},
    {"type": "array", "prefixItems": [{"const": 1}, {"type": "integer"}], "items": {"type": "string"}, "minItems": 1},
    {"type": "array", "prefixItems": [{"type": "null"}], "items": False},
    {"type": "object", "properties": {"a": {"type": "null"}, "b": {"type": "null"}, "c": {"type": "null"}},
     "required": ["b"], "additionalProperties": False},
    {"type": "object", "properties": {"a": {"type": "null"}}, "additionalProperties": {"type": "integer"}},
    {"type": "object", "required": ["x y"], "properties": {"n": {"type": "null"}}},
    {"anyOf": [{"const": 1}, {"type": "object", "additionalProperties": False}]},
    {"$ref": "#/$defs/node", "$defs": {"node": NODE}},
    {},
]  # fmt: skip


def written(text: str, schema: Any) -> str:
    """An instance as the grammar writes it: 1.0 as 1, and members of the root in its order."""
    value = json.loads(text, parse_float=lambda digits: int(float(digits)) if float(digits) % 1 == 0 else float(digits))
    if isinstance(value, dict):
        order = [*schema.get("properties", ()), *schema.get("required", ())]
        value = dict(sorted(value.items(), key=lambda pair: order.index(pair[0]) if pair[0] in order else len(order)))
    return json.dumps(value, ensure_ascii=False)


def check(schema: Any, seed: int = 0) -> None:
    """Compare a grammar with the lowered schema, both ways."""
    lowered = gk.lower(schema, "gbnf")
    assert lowered.grammar is not None
    grammar = gk.grammar(lowered.grammar, dialect="gbnf")
    validator = jsonschema.Draft202012Validator(
        lowered.schema, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER
    )
    for text in grammar.sample(12, seed=seed):
        assert validator.is_valid(json.loads(text)), text
    has_orders = lowered.schema.keys() & {"anyOf", "$ref"} and "required" in str(lowered.schema)  # of members, unsorted
    for text in [] if has_orders else gk.json_schema(lowered.schema).sample(12, seed=seed):
        grammar.parse(written(text, lowered.schema))
    bounds = [int(bound) for bound in re.findall(r"\{(?:\d+,)?(\d+)\}", lowered.grammar)]
    assert all(bound <= MOST_REPETITIONS for bound in bounds)


@pytest.mark.parametrize("schema", SCHEMAS)
def test_the_grammar_has_the_instances_of_the_schema(schema):
    check(schema)
    assert gk.lower(schema, "gbnf").is_equivalent


@pytest.mark.parametrize("seed", [*range(4), *slow(*range(4, 60))])
def test_drawn_schemas(seed):
    schema = whole_schema(random.Random(seed))
    try:
        lowered = gk.lower(schema, "gbnf")
    except gk.ConstraintError:
        pytest.skip("is refused")
    try:
        gk.json_schema(lowered.schema)
    except gk.ConstraintError:
        pytest.skip("has no instances, or is not supported")
    check(schema, seed)


def test_a_wrong_grammar_is_found():
    """Negative control: with another bound the comparison fails."""
    lowered = gk.lower({"type": "integer", "minimum": 1, "maximum": 3}, "gbnf")
    assert lowered.grammar is not None
    grammar = gk.grammar(lowered.grammar.replace("[1-3]", "[1-4]"), dialect="gbnf")
    validator = jsonschema.Draft202012Validator(lowered.schema)
    assert not all(validator.is_valid(json.loads(text)) for text in grammar.sample(4, seed=0))


KEY_CHARACTERS = 'ab/"\\\n\x1fé'


@pytest.mark.parametrize("seed", range(4))
def test_other_keys_are_all_but_the_declared_ones(seed):
    chance = random.Random(seed)
    texts = ["".join(text) for size in range(3) for text in itertools.product(KEY_CHARACTERS, repeat=size)]
    names = chance.sample(texts, 6)
    schema = {"properties": {name: {"type": "null"} for name in names}, "additionalProperties": {"type": "boolean"}}
    lowered = gk.lower({"type": "object", **schema}, "gbnf")
    assert lowered.is_equivalent
    held = gk.grammar(lowered.grammar or "", dialect="gbnf")
    for text in texts:
        usual = json.dumps(text, ensure_ascii=False)
        for spelled in (usual, json.dumps(text), usual.replace("/", r"\/"), usual.replace(r"\n", r"\u000A")):
            assert is_in(held, f"{{{spelled}:null}}") == (text in names and spelled == usual)
            if text in names or spelled == usual:
                assert is_in(held, f"{{{spelled}:true}}") == (text not in names)


def is_in(held: gk.Constraint, text: str) -> bool:
    """Test whether a text belongs to a constraint."""
    with contextlib.suppress(gk.MatchError):
        held.parse(text)
        return True
    return False


def test_many_names_make_no_refusal():
    names = [f"https://example.org/schemas/part-{number}" for number in range(300)]
    schema = {"type": "object", "properties": {name: {"type": "null"} for name in names}}
    lowered = gk.lower(schema, "gbnf")
    assert lowered.is_equivalent
    held = gk.grammar(lowered.grammar or "", dialect="gbnf")
    assert is_in(held, json.dumps({names[7] + "0": 1, names[7]: None})) is False, "declared ones come first"
    assert is_in(held, json.dumps({names[7]: None, names[7] + "x": 1}))
    assert not is_in(held, json.dumps({names[7]: 1}))


def test_large_bounds_are_split_and_hold():
    grammar = gk.lower({"type": "string", "minLength": 1001, "maxLength": 3500}, "gbnf").grammar
    assert grammar is not None
    held = gk.grammar(grammar, dialect="gbnf")
    for length, is_valid in ((1000, False), (1001, True), (2000, True), (3500, True), (3501, False)):
        text = json.dumps("x" * length)
        if is_valid:
            held.parse(text)
        else:
            with pytest.raises(gk.MatchError):
                held.parse(text)


def test_what_takes_too_many_rules_is_a_residue():
    lowered = gk.lower({"type": "string", "pattern": "^(a|b)*a(a|b){12}$"}, "gbnf")
    assert [residue.keyword for residue in lowered.residue] == ["pattern"]
    assert lowered.residue[0].let_through is not None
    assert "pattern" not in lowered.schema
    uniform = gk.lower({"type": "array", "items": {"type": "null"}, "uniqueItems": True}, "gbnf")
    assert [residue.keyword for residue in uniform.residue] == ["uniqueItems"]


def test_schemas_without_instances_are_refused():
    for schema in ({"type": "string", "minLength": 2, "maxLength": 1}, {"type": "integer", "minimum": 2, "maximum": 1}):
        with pytest.raises(gk.UnsatisfiableError):
            gk.lower(schema, "gbnf")


def test_references_without_text_between_are_refused():
    with pytest.raises(gk.ConstraintError):
        gk.lower({"$ref": "#/$defs/a", "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}, {"type": "null"}]}}}, "gbnf")


def drawn(count):
    """Drawn schemas that have a grammar."""
    found = []
    for seed in range(count):
        schema = whole_schema(random.Random(seed))
        with contextlib.suppress(gk.ConstraintError):
            gk.lower(schema, "gbnf")
            found.append(schema)
    return found


@pytest.mark.slow
def test_llama_cpp_parses_grammars_of_drawn_schemas():
    llama = pytest.importorskip("llama_cpp")
    schemas = drawn(150)
    assert len(schemas) > 75
    for schema in schemas:
        grammar = gk.lower(schema, "gbnf").grammar
        assert grammar is not None
        assert llama.llama_sampler_init_grammar(None, grammar.encode(), b"root"), schema


@pytest.mark.parametrize("schema", [*SCHEMAS, {"type": "string", "maxLength": 100_000}])
def test_llama_cpp_parses_the_grammar(schema):
    llama = pytest.importorskip("llama_cpp")
    grammar = gk.lower(schema, "gbnf").grammar
    assert grammar is not None
    assert llama.llama_sampler_init_grammar(None, grammar.encode(), b"root")
    assert not llama.llama_sampler_init_grammar(None, grammar.replace("root ::=", "root ::= (").encode(), b"root")
