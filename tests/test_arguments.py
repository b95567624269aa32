"""What stands for a constraint, for guides, for biases and for a model in an argument, and what is refused."""

from __future__ import annotations

import dataclasses
import math
import re
from enum import Enum
from typing import Annotated, Literal, NamedTuple, Optional, TypedDict

import pytest
import torch
from pydantic import BaseModel
from small_models import small_llama

from guidance_kit.errors import ConstraintError, ModelError, OptionError
from guidance_kit.grammars.argument import constraint_of, constraints_of
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.grammars.regex import regex
from guidance_kit.grammars.structural_tag import structural_tag
from guidance_kit.guides.logit_bias import LogitBias
from guidance_kit.guides.penalties import Penalties
from guidance_kit.model import Model, load

torch.set_num_threads(1)


class Order(BaseModel):
    count: int


@dataclasses.dataclass
class Point:
    x: int


class Row(NamedTuple):
    x: int


class Entry(TypedDict):
    x: int


class Colour(Enum):
    RED = "red"


@pytest.fixture(scope="module")
def model() -> Model:
    return Model(small_llama())


TAG = {"type": "structural_tag", "format": {"type": "const_string", "value": "yes"}}


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (regex("a+"), regex("a+")),
        (re.compile("a+", re.I), regex("a+", re.I)),
        ({"type": "integer"}, json_schema({"type": "integer"})),
        (TAG, structural_tag(TAG)),
        *((kind, json_schema(kind)) for kind in (Order, Point, Row, Entry, list[int], dict[str, int], tuple[int, str])),
        (Annotated[list[int], "of numbers"], json_schema(list[int])),
    ],
)
def test_what_can_only_stand_for_one_constraint_does(given, meant):
    assert constraint_of(given) == meant
    assert constraints_of(given, 3) == meant
    assert constraints_of([given, regex("b")], 2) == [meant, regex("b")]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("a+", r"regex\(.*choice\(.*grammar\(.*json_schema\("),
        (b"a+", "bytes"),
        (["a", "b"], r"choice\(\[\.\.\.\]\)"),
        ([], "empty list"),
        ({"a", "b"}, "choice"),
        (Colour, r"choice\(.*json_schema\(Colour\)"),
        (Literal["a", "b"], "choice.*json_schema"),
        (str, r"json_schema\(str\).*in quotes"),
        (Optional[int], "json_schema"),  # noqa: UP045
        (int, "json_schema"),
        (load, r"json_schema\(load\).*tool_calls\(\[load\]"),
        (Order(count=1), "give the class Order"),
        (5, "a constraint is made by"),
        ([regex("a"), regex("b")], "2 constraints for 1 prompts"),
        (["a", regex("b")], "choice"),
        ([5], "constraint 0 is 5"),
    ],
)
def test_what_may_mean_several_things_is_refused(model, given, message):
    with pytest.raises(OptionError, match=message):
        model.generate(["a"], given)
    with pytest.raises(OptionError, match=message):
        model.stream("a", given)


def test_a_pattern_of_bytes_is_no_pattern_of_texts():
    with pytest.raises((OptionError, ConstraintError)):
        constraint_of(re.compile(b"a"))


def test_generate_takes_types_patterns_and_guides_alone(model):
    options = {"max_tokens": 12, "seed": 1}
    assert model.generate("a", Order, **options) == model.generate("a", json_schema(Order), **options)
    assert model.generate("a", re.compile("ab?"), **options) == model.generate("a", regex("ab?"), **options)
    assert model.min_tokens_to_complete(re.compile("a")) == model.min_tokens_to_complete(regex("a"))
    bias = model.logit_bias({"a": 4.0})
    expected = model.generate(["a", "b"], guides=[bias], batch_size=1, **options)
    assert model.generate(["a", "b"], guides=bias, batch_size=1, **options) == expected
    assert model.generate(["a", "b"], guides=iter([bias]), batch_size=1, **options) == expected
    assert "".join(model.stream("a", guides=bias, **options)) == expected[0].text
    assert model.generate(["a", "b"], **options) != expected


@pytest.mark.parametrize("guides", [None, 5, "x", [None], LogitBias, Penalties, [Penalties]])
def test_what_is_no_guide_is_refused(model, guides):
    with pytest.raises(OptionError, match="guides are"):
        model.generate("a", guides=guides)


@pytest.mark.parametrize(
    "schema", [None, 5, 1.5, ["a"], b"{}", {1}, re.compile("a"), regex("a"), Order(count=1), Point(x=1)]
)
def test_a_record_is_described_by_a_schema_or_a_type(model, schema):
    with pytest.raises(OptionError, match=r"a schema is|a record is described"):
        model.extract("a text", schema)


@pytest.mark.parametrize(
    "biases", [None, [("a", 1.0)], "a", {"a": 1e308}, {"a": -1e308}, {"a": 10**400}, {"a": 3e38, "b": 3e38},
               {"a": None}, {"a": True}, {"a": math.nan}, {"a": math.inf}, {1.5: 1.0}, {True: 1.0}, {(1, "a"): 1.0},
               {"": 1.0},
               {b"a": 1.0}, {-1: 1.0}],
)  # fmt: skip
def test_biases_that_cannot_be_added_are_refused(model, biases):
    with pytest.raises(OptionError):
        model.logit_bias(biases)
    with pytest.raises(OptionError):
        LogitBias(biases)


def test_a_bias_is_for_a_token_or_a_sequence():
    assert LogitBias({5: 1.0, (3, 7): -math.inf}).biases == {(5,): 1.0, (3, 7): -math.inf}
    with pytest.raises(OptionError, match="must be a mapping"):
        LogitBias.from_openai(None)


# Models that are loaded already


def test_load_takes_models(model, tmp_path):
    language_model = model.language_model
    plain, tokenizer = language_model.model, language_model.tokenizer
    assert load(model) is model
    assert load(language_model).language_model is language_model
    expected = model.generate("the cat", max_tokens=4, seed=1)
    assert load(plain, tokenizer=tokenizer).generate("the cat", max_tokens=4, seed=1) == expected
    plain.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    again = type(plain).from_pretrained(tmp_path)
    assert load(again).generate("the cat", max_tokens=4, seed=1).tokens == expected.tokens


def test_load_asks_for_a_tokenizer(model, tmp_path):
    plain = model.language_model.model
    with pytest.raises(ModelError, match=r"load\(model, tokenizer=tokenizer\)"):
        load(plain)
    plain.save_pretrained(tmp_path)
    with pytest.raises(ModelError, match=r"no tokenizer was found.*load\(model, tokenizer=tokenizer\)"):
        load(type(plain).from_pretrained(tmp_path))


def test_load_refuses_what_is_no_model(model):
    plain, tokenizer = model.language_model.model, model.language_model.tokenizer
    with pytest.raises(ModelError, match="Linear"):
        load(torch.nn.Linear(1, 1))
    with pytest.raises(OptionError, match="by its name or folder"):
        load(5)
    for given in (model, model.language_model, plain):
        with pytest.raises(OptionError, match="loaded already"):
            load(given, dtype="float32")
    with pytest.raises(OptionError, match="must be a tokenizer"):
        load(plain, tokenizer="name")
    with pytest.raises(OptionError, match="has its tokenizer"):
        load(model.language_model, tokenizer=tokenizer)
