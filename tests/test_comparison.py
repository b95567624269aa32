"""Comparison of constraints: answers by enumeration, by an independent validator, and by construction."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import jsonschema
import pytest
from referencing import Registry
from referencing.jsonschema import DRAFT202012
from schemas import random_schema, random_value, whole_schema

import guidance_kit as gk
from guidance_kit.grammars.comparison import Comparison, Inclusion
from guidance_kit.grammars.json_schema.documents.drafts import DEFAULT_DRAFT
from guidance_kit.grammars.json_schema.inclusion.judge import InstanceJudge
from guidance_kit.grammars.json_schema.normal_forms.records import ANY_NUMBER, Numbers
from guidance_kit.grammars.json_schema.normal_forms.shapes import number_products, products

ARRAY = {"type": "array"}
DRAFT_4 = {"$schema": "http://json-schema.org/draft-04/schema#"}

PAIRS: list[tuple[Any, Any, str, str | None, str | None]] = [
    # left, right, relation, shortest text of the left alone, of the right alone
    ({"type": "integer"}, {"type": "number"}, "within", None, "0.1"),
    ({"type": "integer", "minimum": 1}, {"type": "integer", "exclusiveMinimum": 0}, "equal", None, None),
    ({"enum": [1, 2, 3]}, {"type": "integer", "minimum": 1, "maximum": 3}, "equal", None, None),
    ({"enum": ["a", "b"]}, {"enum": ["b", "c"]}, "differ", '"a"', '"c"'),
    ({"type": "string", "pattern": "^a+$"}, {"type": "string", "pattern": "^(?:a|aa)+$"}, "equal", None, None),
    ({"type": "string", "maxLength": 3}, {"type": "string", "maxLength": 2}, "contains", '"aaa"', None),
    ({"not": {"not": {"type": "null"}}}, {"type": "null"}, "equal", None, None),
    ({"required": ["a"]}, {}, "within", None, "{}"),
    ({"type": "object", "required": ["a"]}, {"type": "object"}, "within", None, "{}"),
    ({"properties": {"a": {"type": "null"}}}, {"properties": {"a": {"type": ["null", "boolean"]}}}, "within", None,
     '{"a":true}'),
    ({"type": "object", "additionalProperties": False}, {"type": "object", "maxProperties": 0}, "equal", None, None),
    ({"type": "object", "additionalProperties": False}, {"type": "object"}, "within", None, '{"":0}'),
    ({**ARRAY, "items": {"type": "null"}, "uniqueItems": True}, {**ARRAY, "items": {"type": "null"}, "maxItems": 1},
     "equal", None, None),
    ({**ARRAY, "uniqueItems": True}, ARRAY, "within", None, "[0,0]"),
    ({**ARRAY, "prefixItems": [{"type": "integer"}, {"type": "string"}], "items": False}, {"uniqueItems": True},
     "within", None, "0"),
    ({**ARRAY, "prefixItems": [{"enum": [5, 16]}, {"type": "string"}, {"minimum": 7}], "minItems": 3},
     {"uniqueItems": True}, "differ", '[5,"",""]', "0"),
    ({**ARRAY, "contains": {"const": 1}}, {**ARRAY, "minItems": 1}, "within", None, "[0]"),
    ({"oneOf": [{"type": "integer"}, {"type": "string"}]}, {"type": ["integer", "string"]}, "equal", None, None),
    ({"oneOf": [{"minimum": 2}, {"maximum": 5}]}, {"anyOf": [{"minimum": 2}, {"maximum": 5}]}, "within", None, "2"),
    ({"if": {"type": "integer"}, "then": {"minimum": 3}}, {"not": {"type": "integer", "maximum": 2}}, "equal", None,
     None),
    (True, {}, "equal", None, None),
    (False, {"allOf": [{"type": "null"}, {"type": "string"}]}, "equal", None, None),
    (False, {"type": "null"}, "within", None, "null"),
    ({"type": "string", "format": "date"}, {"type": "string", "format": "email"}, "differ", '"0001-01-01"', '"!@0"'),
    ({"$id": "https://a.example/x", "$ref": "#/$defs/n", "$defs": {"n": {"type": "null"}}},
     {"$id": "https://a.example/x", "$ref": "https://a.example/x#/$defs/n", "$defs": {"n": {"type": "boolean"}}},
     "differ", "null", "true"),
    ({**DRAFT_4, "type": "integer", "minimum": 0, "exclusiveMinimum": True}, {"type": "integer", "minimum": 1}, "equal",
     None, None),
    ({"items": [{"type": "null"}]}, {"prefixItems": [{"type": "null"}]}, "equal", None, None),
    ({"properties": {"next": {"$ref": "#"}, "n": {"type": "integer"}}},
     {"properties": {"n": {"type": "integer", "minimum": 0}, "next": {"$ref": "#"}}}, "contains", '{"n":-1}', None),
    ({"$recursiveAnchor": True, "$schema": "https://json-schema.org/draft/2019-09/schema",
      "properties": {"next": {"$recursiveRef": "#"}}, "type": "object"}, {"type": "object"}, "within", None,
     '{"next":0}'),
    ({"unevaluatedProperties": False, "properties": {"a": {}}},
     {"additionalProperties": False, "properties": {"a": {}}}, "equal", None, None),
]  # fmt: skip


@pytest.mark.parametrize(("left", "right", "relation", "only_left", "only_right"), PAIRS)
def test_schemas(left: Any, right: Any, relation: str, only_left: str | None, only_right: str | None) -> None:
    result = gk.compare(left, right, steps=1_000_000)
    assert result.relation == relation
    assert result.is_equal is (relation == "equal")
    for inclusion, text in ((result.left_in_right, only_left), (result.right_in_left, only_right)):
        example = inclusion.counterexample
        assert inclusion.holds is (example is None)
        if example is not None:
            assert example.is_confirmed
            assert json.loads(example.text) == example.value
            if text is not None:
                assert example.is_shortest
                assert len(example.text) == len(text), example.text
        else:
            assert text is None
    check_by_validator(left, right, result, [json.loads(found) for found in (only_left, only_right) if found])


def check_by_validator(left: Any, right: Any, result: Comparison, values: list[Any]) -> None:
    """Judge an answer by `jsonschema`: counterexamples are some, and no value contradicts an inclusion."""
    formats = jsonschema.FormatChecker()
    judges = []
    for schema in (left, right):
        is_tuple = isinstance(schema, dict) and isinstance(schema.get("items"), list)
        draft = jsonschema.Draft201909Validator if is_tuple else jsonschema.Draft202012Validator
        judges.append(jsonschema.validators.validator_for(schema, draft)(schema, format_checker=formats))
    for inner, outer, inclusion in (
        (judges[0], judges[1], result.left_in_right),
        (judges[1], judges[0], result.right_in_left),
    ):
        if inclusion.counterexample is not None:
            value = inclusion.counterexample.value
            assert inner.is_valid(value)
            assert not outer.is_valid(value)
        if inclusion.holds:
            assert not [value for value in values if inner.is_valid(value) and not outer.is_valid(value)]


def changed(schema: Any, chance: random.Random) -> Any:
    """A schema with another part somewhere, so that the two have something in common."""
    if not isinstance(schema, dict) or not schema or chance.random() < 0.3:
        return random_schema(chance, 1)
    keyword = chance.choice([*schema])
    inner = schema[keyword]
    if isinstance(inner, dict) and keyword not in ("properties", "patternProperties", "$defs", "dependentRequired"):
        return {**schema, keyword: changed(inner, chance)}
    return {other: value for other, value in schema.items() if other != keyword or other == "$defs"}


def drawn_pair(seed: int) -> tuple[Any, Any]:
    """Two schemas that have something in common."""
    chance = random.Random(seed)
    left = whole_schema(chance)
    return left, changed(left, chance) if chance.random() < 0.8 else whole_schema(chance)


def check_drawn(seed: int) -> Comparison | None:
    """Compare a drawn pair and judge the answer by the validator, on values of the stock and random instances."""
    left, right = drawn_pair(seed)
    chance = random.Random(seed)
    defined = left.get("$defs") if isinstance(left, dict) else None
    if isinstance(right, dict) and "$defs" not in right and defined is not None:
        right["$defs"] = defined
    try:
        result = gk.compare(left, right, steps=1_000_000)
    except (gk.SchemaError, gk.UnsupportedFeature, gk.LimitError):  # of a schema by itself
        return None
    values = [random_value(chance) for _ in range(40)]
    for inclusion in (result.left_in_right, result.right_in_left):
        if inclusion.counterexample is not None:
            values.append(inclusion.counterexample.value)
    check_by_validator(left, right, result, values)
    return result


def test_drawn_schemas_are_judged_by_the_validator() -> None:
    results = [check_drawn(seed) for seed in range(60)]
    relations = [result.relation for result in results if result is not None]
    assert len(relations) > 50
    assert {"equal", "within", "contains", "differ"} <= set(relations)
    assert relations.count("unknown") < len(relations) / 10


@pytest.mark.slow
def test_many_drawn_schemas_are_judged_by_the_validator() -> None:
    for seed in range(1_000, 2_500):
        check_drawn(seed)


def test_a_wrong_answer_is_found_by_the_validator() -> None:
    holds = Inclusion(holds=True)
    with pytest.raises(AssertionError):
        check_by_validator(
            {"type": "number"},
            {"type": "integer"},
            Comparison(left_in_right=holds, right_in_left=holds),
            [random_value(random.Random(seed)) for seed in range(40)],
        )


def json_texts(size: int) -> Iterator[str]:
    """Compact JSON texts of few bytes over few characters, by size."""
    alphabet = ["0", "1", "2", "-", ".", '""', '"a"', '"b"', "[", "]", "{", "}", ",", ":", "null", "true", "false"]
    found: dict[str, None] = {}
    for count in range(1, 7):
        for pieces in product(alphabet, repeat=count) if count < 5 else ():
            text = "".join(pieces)
            if len(text) <= size:
                found[text] = None
    for text in sorted(found, key=len):
        try:
            json.loads(text)
        except ValueError:
            continue
        yield text


def test_no_shorter_counterexample_exists() -> None:
    texts = list(json_texts(8))
    compared = 0
    for seed in range(40):
        left, right = drawn_pair(seed)
        if isinstance(right, dict) and isinstance(left, dict):
            right.setdefault("$defs", left["$defs"])
        try:
            result = gk.compare(left, right, steps=1_000_000)
        except gk.ConstraintError:
            continue
        judges = [jsonschema.Draft202012Validator(schema) for schema in (left, right)]
        for (inner, outer), inclusion in (
            (judges, result.left_in_right),
            (reversed(judges), result.right_in_left),
        ):
            example = inclusion.counterexample
            if example is not None and example.is_shortest:
                shorter = (text for text in texts if len(text) < len(example.text.encode()))
                values = map(json.loads, shorter)
                assert not [value for value in values if inner.is_valid(value) and not outer.is_valid(value)]
                compared += 1
    assert compared > 25


def rewritten(schema: Any, chance: random.Random) -> Any:
    """An equivalent schema: other order, other writing."""
    if not isinstance(schema, dict):
        return schema
    copy = {}
    for keyword in chance.sample([*schema], len(schema)):
        value = schema[keyword]
        if keyword in ("properties", "$defs", "dependentSchemas", "patternProperties"):
            value = {name: rewritten(value[name], chance) for name in chance.sample([*value], len(value))}
        elif keyword in ("allOf", "anyOf", "oneOf"):
            value = [rewritten(part, chance) for part in chance.sample(value, len(value))]
        elif keyword in ("enum", "required"):
            value = chance.sample(value, len(value))
        elif keyword in ("not", "if", "then", "else", "items", "additionalProperties", "contains"):
            value = rewritten(value, chance)
        copy[keyword] = value
    way = chance.randrange(4)
    if way == 0 and "$defs" not in copy and not any(keyword.startswith("unevaluated") for keyword in copy):
        return chance.choice([{"allOf": [copy, True]}, {"anyOf": [copy, False]}, {"not": {"not": copy}}])
    return copy


def test_rewritten_schemas_are_equal() -> None:
    equal = 0
    for seed in range(60):
        chance = random.Random(seed)
        schema = whole_schema(chance)
        try:
            result = gk.compare(schema, rewritten(schema, chance), steps=1_000_000)
        except gk.ConstraintError:
            continue
        assert result.is_equal is not False, (schema, result)
        equal += result.relation == "equal"
    assert equal > 45


def test_inlined_references_are_equal() -> None:
    inner = {"type": "object", "properties": {"a": {"enum": [1, "x"]}}, "required": ["a"]}
    referring = {"items": {"$ref": "#/$defs/n"}, "$defs": {"n": inner}}
    assert gk.compare(referring, {"items": inner}).relation == "equal"


def test_the_document_of_a_registry_is_followed() -> None:
    registry = Registry().with_resource("https://a.example/n", DRAFT202012.create_resource({"type": "null"}))
    left = {"$ref": "https://a.example/n"}
    assert gk.compare(left, {"type": "null"}, registry=registry).relation == "equal"
    constraint = gk.json_schema(left, registry=registry)
    assert gk.compare(constraint, {"type": "null"}).relation == "equal"
    with pytest.raises(gk.SchemaError, match="leads outside"):
        gk.compare(left, {"type": "null"})


def test_formats_are_annotations_on_demand() -> None:
    left, right = {"format": "date"}, {"format": "email"}
    assert gk.compare(left, right).relation == "differ"
    assert gk.compare(left, right, formats="annotate").relation == "equal"
    assert gk.compare({"format": "hostname"}, right).notes == (
        "some strings of the format hostname are left out, as in json_schema()",
    )


def test_python_types_are_compared_by_their_schemas() -> None:
    assert gk.compare(list[int], {"type": "array", "items": {"type": "integer"}}).relation == "equal"
    assert gk.compare(gk.json_schema(list[int], whitespace="compact"), gk.json_schema(list[int])).relation == "equal"


REFUSED = [
    ({"left": {"type": "text"}, "right": {}}, gk.SchemaError, "not a valid schema"),
    ({"left": "a", "right": {}}, gk.OptionError, "the first constraint is the text 'a'"),
    ({"left": {}, "right": 3}, gk.OptionError, "the second constraint is 3"),
    ({"left": {}, "right": {}, "formats": "recall"}, gk.OptionError, "unknown formats 'recall'"),
    ({"left": {}, "right": {}, "steps": 0}, gk.OptionError, "steps must be positive, not 0"),
    (
        {"left": gk.json_schema({}, digits=gk.Digits(3, 2)), "right": {}},
        gk.OptionError,
        "the first constraint has digits=.* restricts instances",
    ),
]


@pytest.mark.parametrize(("arguments", "error", "message"), REFUSED)
def test_bad_arguments(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        gk.compare(**arguments)


def test_work_that_takes_too_long_is_given_up_by_name() -> None:
    names = [f"k{number}" for number in range(30)]
    left = {"properties": {name: {"enum": [name, 1]} for name in names}, "additionalProperties": False}
    right = {**left, "required": names[:1]}
    result = gk.compare(left, right, steps=1)
    assert result.right_in_left.reason.startswith("gave up after 1 steps; none of ")
    assert result.relation == "unknown"
    assert result.is_equal is (False if result.left_in_right.holds is False else None)
    assert gk.compare(left, right, steps=1) == result
    assert gk.compare(left, right, steps=1_000_000).relation == "contains"


PATTERNS = ["(?:ab)*a", "a(?:ba)*", "a+", "a*", "a{2,9}", "[ab]+", "(a|b)*a", "b|a+b?", "(?=a)[ab]*", "a(?!b).*", ""]


def test_patterns_are_compared_by_their_texts() -> None:
    texts = ["".join(letters) for size in range(6) for letters in product("ab", repeat=size)]
    for left, right in product(PATTERNS, repeat=2):
        ours = [bool(re.fullmatch(left, text)) for text in texts]
        theirs = [bool(re.fullmatch(right, text)) for text in texts]
        result = gk.compare(re.compile(left), re.compile(right))
        for inclusion, mine, other in (
            (result.left_in_right, ours, theirs),
            (result.right_in_left, theirs, ours),
        ):
            found = [text for text, a, b in zip(texts, mine, other, strict=True) if a and not b]
            example = inclusion.counterexample
            if example is None:
                assert inclusion.holds is True
                assert not found
            else:
                assert example.is_confirmed
                assert example.is_shortest
                assert not found or len(example.text) <= len(found[0])


def test_other_constraints_are_compared_by_their_texts() -> None:
    assert gk.compare(gk.regex("a|b"), gk.choice(["b", "a"])).relation == "equal"
    numbers = gk.json_schema({"type": "integer"}, whitespace="compact")
    told = str(gk.compare(numbers, gk.regex("-?(0|[1-9][0-9]*)")))
    assert told == "the first is within the second\nonly the second: '-0'"
    lists = gk.compare(
        gk.json_schema({"type": "object", "maxProperties": 2, "additionalProperties": {"const": 1}}), gk.text()
    )
    assert lists.left_in_right.holds is None
    assert "must differ" in lists.left_in_right.reason


def test_grammars_differ_or_are_unknown() -> None:
    left, right = gk.grammar('start: "(" start ")" | "x"'), gk.grammar('start: "(" start ")" | "x" | "yy"')
    result = gk.compare(left, right, steps=2_000)
    assert result.relation == "unknown"
    assert result.is_equal is False
    assert "gave up after" in result.left_in_right.reason
    example = result.right_in_left.counterexample
    assert example is not None
    assert (example.text, example.is_shortest) == ("yy", True)
    assert gk.compare(left, left).relation == "equal"


def test_a_result_is_plain_json() -> None:
    result = gk.compare({"enum": [1, 2]}, {"enum": [1]})
    assert json.loads(json.dumps(result.as_dict())) == {
        "relation": "contains",
        "equal": False,
        "left_in_right": {
            "holds": False,
            "counterexample": {"text": "2", "value": 2, "shortest": True, "confirmed": True},
            "reason": "",
        },
        "right_in_left": {"holds": True, "counterexample": None, "reason": ""},
        "notes": [],
    }


def test_long_lists_of_numbers_are_compared_number_by_number() -> None:
    listed = [*range(0, 12_000, 3), 0.5, -7]
    result = gk.compare({"enum": listed}, {"enum": [*listed[::-1], 1]})
    assert result.relation == "within"
    assert result.right_in_left.counterexample is not None
    assert result.right_in_left.counterexample.value == 1
    assert gk.compare({"enum": listed}, {"enum": listed[::-1]}).is_equal
    assert gk.compare({"enum": listed}, {"minimum": -7, "exclusiveMaximum": 11_998}).relation == "within"


def drawn_numbers(chance: random.Random) -> tuple[tuple[Numbers, ...], tuple[Numbers, ...]]:
    """A list of numbers, and a union of intervals that may touch or overlap, or of a list among them."""
    values = tuple(chance.sample([Fraction(number, 2) for number in range(-12, 13)], chance.randrange(1, 9)))
    others: list[Numbers] = []
    bound = -7
    while bound < 7 and len(others) < 5:
        lower, upper = bound, bound + chance.randrange(0, 4)
        numbers = Numbers(
            lower=None if bound == -7 and chance.random() < 0.5 else lower,
            upper=upper,
            lower_open=lower < upper and chance.random() < 0.5,
            upper_open=lower < upper and chance.random() < 0.5,
            is_integer=chance.random() < 0.3,
            unless=(2,) if chance.random() < 0.2 else (),
        )
        others.append(numbers)
        bound = upper + chance.choice([-1, 0, 0, 1])
    if chance.random() < 0.3:
        others.append(Numbers(values=(1, 2, Fraction(5, 2))))
    chance.shuffle(others)
    if chance.random() < 0.3:
        return (Numbers(values=tuple(map(int, values)), is_integer=True),), tuple(others)
    return (Numbers(values=values),), tuple(others)


def test_products_of_listed_numbers() -> None:
    """A list filtered by a union of intervals, against the products of all pairs; integers are written otherwise."""
    for seed in range(600):
        listed, others = drawn_numbers(random.Random(seed))
        for left, right in ((listed, others), (others, listed)):
            expected, found = (
                {(one.is_integer, value) for one in union for value in one.values or ()}
                for union in (products(left, right, ANY_NUMBER), number_products(left, right))
            )
            assert found == expected


def test_the_judge_reads_enumerations_as_jsonschema_does() -> None:
    stock = [0, 1, 1.0, True, False, None, "", "1", "a", 0.5, [], [1], [True], {}, {"a": 1}, {"a": True}, 2**70]
    chance = random.Random(0)
    answers = set()
    for _ in range(100):
        schema = {"enum": chance.sample(stock, chance.randrange(1, 6))}
        ours = InstanceJudge(schema, DEFAULT_DRAFT, None, "assert")
        theirs = jsonschema.Draft202012Validator(schema)
        for value in stock:
            assert ours.accepts(json.dumps(value)) is theirs.is_valid(value), (schema, value)
            answers.add(theirs.is_valid(value))
    assert answers == {True, False}
