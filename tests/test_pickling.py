"""Constraints, guides, options, schedules and errors go through pickle and copy, as workers need it."""

from __future__ import annotations

import copy
import dataclasses
import enum
import inspect
import math
import pickle
import re
from multiprocessing import get_context
from typing import Annotated, Literal, TypedDict

import numpy as np
import pytest
import referencing
from pydantic import BaseModel, Field
from vocabularies import special_vocabulary

import guidance_kit as gk
from guidance_kit import errors
from guidance_kit.decoding.classification import DecisionRule
from guidance_kit.decoding.options import Options
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.token_index import TokenIndex
from guidance_kit.grammars.grammar import _GRAMMARS
from guidance_kit.grammars.tool_formats import TOOL_FORMATS

BYTES = special_vocabulary()


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Order(BaseModel):
    colour: Colour
    count: int = Field(ge=0, le=20)


class Entry(TypedDict):
    name: str


@dataclasses.dataclass
class Point:
    x: int


def weather(city: str, days: int = 1) -> None:
    """A tool."""


ITEM = {"type": "object", "properties": {"n": {"$ref": "urn:n"}}, "required": ["n"]}
REGISTRY = referencing.Registry().with_resource(
    "urn:n",
    referencing.Resource.from_contents(
        {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "integer", "maximum": 7}
    ),
)
TAG = {
    "type": "structural_tag",
    "format": {
        "type": "triggered_tags",
        "triggers": ["<f"],
        "tags": [
            {"begin": "<f>", "content": {"type": "json_schema", "json_schema": {"type": "integer"}}, "end": "</f>"}
        ],
    },
}
TOOL = {"type": "function", "function": {"name": "find", "parameters": {"type": "object", "properties": {"q": {"type": "string"}}}}}  # fmt: skip # noqa: E501

CONSTRAINTS = {
    "llguidance": gk.grammar("start: word{2}\nword[lazy]: /[a-z]*!/"),
    "regex": gk.regex("(?P<word>[a-z]+)!"),
    "regex with flags": gk.regex(re.compile("[a-z]+", re.I)),
    "choice": gk.choice(iter(["yes", "no", "yes"])),
    "choice of constraints": gk.choice(["yes", gk.regex("n+"), gk.json_schema({"type": "boolean"})]),
    "region": gk.sequence(gk.text(max_tokens=9, temperature=0.5), "!", gk.region(gk.regex("a"), max_tokens=3)),
    "schema": gk.json_schema({"type": "object", "properties": {"a": {"type": "number"}}}, whitespace="compact"),
    "schema as text": gk.json_schema('{"type": "number", "maximum": 1.5}', digits=gk.Digits(2, 1)),
    "schema with a registry": gk.json_schema(ITEM, registry=REGISTRY),
    "schema true": gk.json_schema(True, escapes="ascii", order="any", whitespace=gk.Indent(2)),
    "excerpts": gk.json_schema({"type": "string"}, excerpts_of="Ann Lee here"),
    "pydantic": gk.json_schema(Order),
    "typed dict": gk.json_schema(Entry),
    "dataclass": gk.json_schema(list[Point]),
    "annotated": gk.json_schema(Annotated[int, Field(gt=3)]),
    "literal": gk.json_schema(Literal["a", 1] | None),
    "function": gk.json_schema(weather),
    "lark": gk.grammar('start: "(" start ")" | "x"'),
    "longest": gk.grammar("start: A+\nA: /[a-z]/", lexer="longest"),
    "gbnf": gk.grammar('root ::= "a" root | "b"', dialect="gbnf"),
    "ebnf": gk.grammar("top ::= 'a' top | 'b'", dialect="ebnf"),
    "grammar with rules": gk.grammar("%declare N\nstart: N+", rules={"N": gk.regex("[0-9]")}),
    "bundled grammar": gk.bundled_grammar("arithmetic"),
    "text": gk.text(until=["</a>", "</b>"], without="x", max_length=9),
    "any token": gk.any_token([range(3), 9, "<tool>"]),
    "any token but some": gk.any_token(without=["<tool>"]),
    "special token": gk.special_token("<tool>"),
    "special token or text": gk.special_token("<nowhere>", or_text=True),
    "sequence": gk.sequence("n = ", gk.json_schema({"type": "integer"}), gk.optional(";")),
    "optional": gk.optional(gk.regex("a+")),
    "repeat": gk.repeat(gk.sequence("x", gk.optional("y")), 1, 3),
    "tags": gk.tags(
        [gk.tag("<a>", None, "</a>"), gk.tag(gk.special_token("<tool>"), gk.regex("b"), "c", name="n")],
        without="no", maximum=2, free_text="after",
    ),
    "tags with triggers": gk.tags([gk.tag("<a>", gk.regex("b"), "</a>")], triggers=iter(["<a"])),
    "tags with a separator": gk.tags([gk.tag("<a>", gk.regex("b"), "</a>")], separator=gk.regex(",+"), minimum=1),
    "structural tag": gk.structural_tag(TAG),
    **{f"tool calls, {style}": gk.tool_calls([weather, TOOL], style) for style in TOOL_FORMATS},
}  # fmt: skip


def masks(constraint: gk.Constraint) -> list[bytes]:
    """Masks along a text of the constraint: where it begins, and behind each token up to eight."""
    matcher = Matcher(TokenIndex.build(constraint.network(), BYTES))  # none that was compiled before
    found = [matcher.allowed().tobytes()]
    for _ in range(8):
        allowed = np.flatnonzero(np.unpackbits(np.frombuffer(found[-1], np.uint8), bitorder="little"))
        tokens = [int(token) for token in allowed if token not in BYTES.eos]
        if not tokens or matcher.is_over:
            break
        matcher.advance(tokens[len(tokens) // 2])
        found.append(matcher.allowed().tobytes())
    return found


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_constraints_go_through_pickle(name):
    constraint = CONSTRAINTS[name]
    pickled = pickle.dumps(constraint)
    _GRAMMARS.clear()  # which has the same object
    again = pickle.loads(pickled)
    assert again is not constraint
    assert again == constraint
    assert hash(again) == hash(constraint)
    assert repr(again) == repr(constraint)
    assert again.has_values == constraint.has_values
    assert pickle.loads(pickle.dumps(again)) == constraint
    assert masks(again) == masks(constraint)


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_constraints_are_values(name):
    constraint = CONSTRAINTS[name]
    assert copy.copy(constraint) is constraint
    assert copy.deepcopy([constraint])[0] is constraint


def test_values_are_parsed_alike():
    for name, text in {
        "pydantic": '{"colour": "red", "count": 3}',
        "sequence": "n = 12;",
        "tags": "<a>hm</a> and so on",
        "tool calls, llama3": '{"name": "weather", "parameters": {"city": "Oslo"}}',
        "tool calls, granite3": '<|tool_call|>[{"name": "weather", "arguments": {"city": "Oslo"}}]',
    }.items():
        again = pickle.loads(pickle.dumps(CONSTRAINTS[name]))
        assert again.parse(text) == CONSTRAINTS[name].parse(text)
        assert again.partial(text[:9]) == CONSTRAINTS[name].partial(text[:9])
    groups = pickle.loads(pickle.dumps(CONSTRAINTS["regex"])).captures("ab!")
    assert groups == {"word": "ab"}


def test_a_grammar_is_pickled_with_its_text(tmp_path):
    (tmp_path / "words.lark").write_text('word: "b"')
    path = tmp_path / "top.lark"
    path.write_text("%import .words.word\nstart: word+")
    written = pickle.dumps(gk.grammar(path))
    path.write_text('start: "other"')
    assert pickle.loads(written).sample(1, seed=0, max_length=1) == ["b"]
    (tmp_path / "words.lark").write_text('word: "c"')
    with pytest.raises(gk.ConstraintError, match="has changed"):
        pickle.loads(written)


def test_a_schema_that_was_changed_is_not_pickled_as_another_one():
    schema = {"type": "integer", "minimum": 3}
    constraint = gk.json_schema(schema)
    schema["minimum"] = 4
    with pytest.raises(gk.ConstraintError, match="has changed"):
        pickle.loads(pickle.dumps(constraint))


def test_types_that_cannot_be_imported_are_named():
    class Local(BaseModel):
        x: int

    with pytest.raises((pickle.PicklingError, AttributeError), match="Local"):
        pickle.dumps(gk.json_schema(Local))
    assert copy.deepcopy(gk.json_schema(Local)) == gk.json_schema(Local)


VALUES = {
    "penalties": gk.Penalties(presence=1.0, repetition=1.2),
    "sampling": gk.Sampling(temperature=0.5, top_k=3),
    "options": Options(max_tokens=3, stop=("a",)),
    "deciding": DecisionRule(calibration="contextual", biases={"a": 1.0}),
    "limits": gk.Limits(),
    "importance": gk.Importance(),
    "asap": gk.Asap(samples=5),
    "particles": gk.Particles(8, potential=len, final=max),
    "cars": gk.Cars(attempts=9, predicate=len),
    "contrastive search": gk.ContrastiveSearch(k=3),
    "mirostat": gk.Mirostat(3.0, measure="kept"),
    "dynamic temperature": gk.Sampling(temperature=gk.DynamicTemperature(0.5, 1.5), typical_p=0.9),
    "dry": gk.Dry(breakers={3}, last=9),
    "no-repeat n-grams": gk.NoRepeatNgrams(3),
    "digits": gk.Digits(3, 2),
    "tag": gk.tag("<a>", gk.regex("b"), "</a>"),
    "tagged": gk.Tagged("a", 1),
    "first_tokens": gk.first_tokens(3),
    "every": gk.every(2),
    "decay": gk.decay(4.0),
    "ramp": gk.ramp(4, start=2.0),
    "entropy_gate": gk.entropy_gate(1.0),
    "weight": 2.0 * gk.first_tokens(3),
}


@pytest.mark.parametrize("name", VALUES)
def test_options_guides_and_schedules_go_through_pickle(name):
    value = VALUES[name]
    assert pickle.loads(pickle.dumps(value)) == value
    assert copy.deepcopy(value) == value


def test_biases_go_through_pickle():
    import torch

    bias = gk.LogitBias({(5,): 2.0, (3, 7): -math.inf})
    logits = torch.zeros(2, 9)
    expected = bias.adjust(logits, bias.start([[3], [1]]))
    for again in (pickle.loads(pickle.dumps(bias)), copy.deepcopy(bias)):
        assert again.biases == bias.biases
        assert torch.equal(again.adjust(logits, again.start([[3], [1]])), expected)


def test_schedules_are_functions_of_the_place():
    def along(schedule):
        return [schedule.function(place) for place in range(5)]

    assert along(gk.first_tokens(2)) == [1.0, 1.0, 0.0, 0.0, 0.0]
    assert along(gk.every(2)) == [1.0, 0.0, 1.0, 0.0, 1.0]
    assert along(gk.decay(2)) == [0.5 ** (place / 2) for place in range(5)]
    assert along(gk.ramp(4, start=1.0, end=0.0)) == [1.0, 0.75, 0.5, 0.25, 0.0]


def test_a_budget_stays_one_budget():
    """Terms share a budget by its identity, which one pickle keeps."""
    budget = gk.kl_budget(0.5)
    one, other = pickle.loads(pickle.dumps((2.0 * budget, 1.0 * budget)))
    assert one.budget is other.budget
    assert (one.budget.nats, one.budget.at_most) == (0.5, 1.0)


ERRORS = {
    "UndecidableError": errors.UndecidableError(scored=3, tokens=9, needed=40, significance=1e-5),
    "PatternError": errors.PatternError("wrong", pattern="a(", position=1),
    "SchemaError": errors.SchemaError("wrong", pointer="/a"),
    "GrammarError": errors.GrammarError("wrong", source="a\nb", line=2, column=1, path="x.lark"),
    "UnsupportedFeature": errors.UnsupportedFeature("this", where="/a", hint="do that"),
    "UnsatisfiableError": errors.UnsatisfiableError("none", where="/a", keywords=("/b",)),
    "UnspellableError": errors.UnspellableError("ab"),
    "LimitError": errors.LimitError("max", 3, where="here", is_adjustable=True),
    "BudgetError": errors.BudgetError(tokens=3, needed=None),
    "IncompleteError": errors.IncompleteError(text="ab", finish_reason="length", tokens=2),
    "ContextLengthError": errors.ContextLengthError(tokens=3, context_length=2, model="m"),
    "PotentialError": errors.PotentialError("wrong", text="ab"),
    "FormulaError": errors.FormulaError("NaN", term="a", row=1),
    "BatchError": errors.BatchError({1: errors.PatternError("wrong", pattern="a(", position=1)}, ["a", None]),
    "unknown option": errors.OptionError.unknown("tmperature", ["temperature"]),
}


def every_error() -> list[Exception]:
    kinds = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, gk.GuidanceKitError)]
    assert {kind.__name__ for kind in kinds} == set(errors.__all__)
    return [ERRORS.get(kind.__name__) or kind("a message") for kind in kinds] + [ERRORS["unknown option"]]


@pytest.mark.parametrize("error", every_error(), ids=lambda error: type(error).__name__)
def test_errors_go_through_pickle(error):
    error.add_note("prompt 3")
    for again in (pickle.loads(pickle.dumps(error)), copy.deepcopy(error), copy.copy(error)):
        assert type(again) is type(error)
        assert (str(again), again.args) == (str(error), error.args)
        assert repr(vars(again)) == repr(vars(error))  # errors within errors are equal to themselves alone
        assert again.__notes__ == ["prompt 3"]


def test_nesting_without_end_is_refused_before_anything_is_computed():
    for nest in (gk.optional, gk.sequence, gk.repeat, lambda part: gk.choice([part, "b"])):
        part = gk.regex("a")
        with pytest.raises(gk.LimitError, match=r"max_nesting=100 .*101 constraints deep"):
            for _ in range(3000):
                part = nest(part)
        assert part.depth == 100
        assert pickle.loads(pickle.dumps(part)) == part
    part = gk.regex("a")
    with pytest.raises(gk.LimitError, match="max_nesting"):
        for _ in range(3000):
            part = gk.tags([gk.tag("<a>", part, "</a>")])


def masks_of(constraint: gk.Constraint) -> list[bytes]:
    """For workers."""
    return masks(constraint)


@pytest.mark.slow
def test_workers_get_constraints():
    chosen = [CONSTRAINTS[name] for name in ("pydantic", "lark", "tags", "tool calls, hermes")]
    with get_context("spawn").Pool(1) as pool:
        assert pool.map(masks_of, chosen) == [masks(constraint) for constraint in chosen]
        with pytest.raises(gk.PatternError) as raised:
            pool.apply(gk.regex, ("a(",))
    assert raised.value.pattern == "a("
