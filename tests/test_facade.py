"""The front door, on a small random model with a tokenizer of its own: from a text to a text, or to a record."""

from __future__ import annotations

import json
import pickle
import re
from functools import partial
from typing import Literal

import pytest
import torch
from marks import slow
from pydantic import BaseModel, Field, ValidationError, field_validator
from small_models import small_llama

from guidance_kit.decoding.completion import Completion
from guidance_kit.errors import (
    BatchError,
    ContextLengthError,
    IncompleteError,
    MatchError,
    ModelError,
    OptionError,
    SchemaError,
    UnsatisfiableError,
    UnspellableError,
    VocabularyError,
)
from guidance_kit.grammars.choice import choice
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.grammars.regex import regex
from guidance_kit.guides.guide import Stage
from guidance_kit.model import Model, load
from guidance_kit.models.prompts import support_prompt


@pytest.fixture(scope="module")
def model() -> Model:
    return Model(small_llama())


@pytest.fixture
def forwards(model, monkeypatch) -> list[int]:
    """Batch sizes of the questions to the model."""
    asked: list[int] = []
    real = model.language_model.logits

    def counted(prefixes, positions=1, **where):
        asked.append(len(prefixes))
        return real(prefixes, positions, **where)

    monkeypatch.setattr(model.language_model, "logits", counted)
    return asked


class Ticket(BaseModel):
    kind: Literal["refund", "praise", "other"]
    count: int = Field(ge=0, le=9)
    urgent: bool | None


# Generate


def test_one_prompt_one_completion_several_prompts_a_list(model):
    tokens = model.language_model.encode("the cat")
    one = model.generate("the cat", max_tokens=5, seed=1)
    assert isinstance(one, Completion)
    assert model.generate(tokens, max_tokens=5, seed=1) == one
    assert model.generate(["the cat"], max_tokens=5, seed=1) == [one]
    assert model.generate([tokens], max_tokens=5, seed=1) == [one]
    assert model.generate([], max_tokens=5) == []
    assert one.prompt_tokens == len(tokens)


PROMPTS = ["the cat", "hello", "", "the cat sat on the mat, hello world", '{"name": '] * 2


@pytest.mark.parametrize(
    "options",
    [
        *slow({"seed": 3, "max_tokens": 12}),
        *slow({"seed": 3, "max_tokens": 12, "temperature": 0.7, "top_k": 40, "top_p": 0.9, "min_p": 0.01}),
        {
            "seed": 3,
            "max_tokens": 12,
            "temperature": 0.7,
            "top_k": 40,
            "top_p": 0.9,
            "min_p": 0.01,
            "stop": ["e", "the"],
        },
        *slow({"seed": 3, "max_tokens": 12, "stop": ["e", "the"]}, {"seed": 3, "temperature": 0, "max_tokens": 12}),
    ],
)
@pytest.mark.parametrize("constraint", [None, *slow(regex(r"[a-z ]{5,12}|\d{3}(-\d{4})+")), json_schema(Ticket)])
def test_a_batch_a_stream_and_single_prompts_agree(model, options, constraint):
    together = model.generate(PROMPTS, constraint, **options)
    assert together == model.generate(PROMPTS, constraint, batch_size=4, **options)
    for prompt, completion in zip(PROMPTS, together, strict=True):
        alone = {**options, "seed": completion.seed}
        assert model.generate(prompt, constraint, **alone) == completion
        stream = model.stream(prompt, constraint, **alone)
        pieces = list(stream)
        assert "".join(pieces) == completion.text
        assert all(pieces)
        assert stream.completion == completion


def test_greedy_is_that_of_transformers(model):
    """Rows that stand for no token are left out here, so they are left out there too."""
    inner = model.language_model
    padding = list(range(len(inner.tokenizer), inner.rows))
    for prompt in ("the cat", "hello world", "x"):
        tokens = inner.encode(prompt)
        expected = inner.model.generate(
            torch.tensor([tokens]), do_sample=False, max_new_tokens=25, suppress_tokens=padding, pad_token_id=0
        )[0, len(tokens) :].tolist()
        assert list(model.generate(prompt, temperature=0, max_tokens=25).tokens) == expected


def test_constraints_hold(model):
    pattern = r"(\d{3}-\d{4}|[a-f]{2,9}) é€\."
    for completion in model.generate(PROMPTS, regex(pattern), seed=0, max_tokens=60):
        assert completion.finish_reason == "complete"
        assert re.fullmatch(pattern, completion.text)
        assert completion.value == completion.text
    assert {c.text for c in model.generate(PROMPTS, choice(["yes", "no"]), seed=0)} <= {"yes", "no"}


def test_one_constraint_a_prompt(model):
    first, second = model.generate(["a", "b"], [regex(r"\d{3}"), json_schema({"const": [1, True]})], seed=0)
    assert re.fullmatch(r"\d{3}", first.value)
    assert second.value == [1, True]


@pytest.mark.parametrize("constraint", [None, regex(r"[a-z ]{5,12}"), json_schema(Ticket)])
def test_several_samples_of_a_prompt(model, constraint):
    options = {"seed": 3, "max_tokens": 12}
    one = model.generate("the cat", constraint, **options)
    four = model.generate("the cat", constraint, n=4, **options)
    assert four[0] == one
    assert len({completion.tokens for completion in four}) > 1
    assert [model.generate("the cat", constraint, **{**options, "seed": c.seed}) for c in four] == four
    assert model.generate("the cat", constraint, n=2, **options) == four[:2]
    assert model.generate("the cat", constraint, n=1, **options) == [one]
    assert model.generate(["the cat"], constraint, n=4, **options) == [four]


def test_several_samples_of_several_prompts(model):
    patterns = ["[a-f]{2,9}", "[0-9]{2,9}", r"[123](\.0+)?"]
    constraints = [regex(patterns[0]), regex(patterns[1]), json_schema({"enum": [1, 2, 3]})]
    for options in ({}, {"complete": True, "max_tokens": 5}, {"decoder": "importance"}):
        options = {"seed": 3, "max_tokens": 12, **options}
        lists = model.generate(PROMPTS[:3], constraints, n=4, **options)
        smaller = model.generate(PROMPTS[:3], constraints, n=4, batch_size=5, **options)
        assert [[c.tokens for c in one] for one in lists] == [[c.tokens for c in one] for one in smaller]
        assert [len(one) for one in lists] == [4, 4, 4]
        firsts = model.generate(PROMPTS[:3], constraints, **options)
        assert [one[0].tokens for one in lists] == [c.tokens for c in firsts]
        for texts, pattern in zip(lists, patterns, strict=True):
            assert all(re.fullmatch(pattern, c.text) for c in texts if c.finish_reason in ("complete", "budget"))
    assert all(c.value in (1, 2, 3) for c in lists[2])
    assert model.generate([], n=4) == []


def test_samples_of_a_formula_with_a_context_for_each_prompt(model):
    """Contexts go with the prompts that the caller gave, not with their samples."""
    formula = model + 0.5 * (model.given(["polite: ", "rude: "]) - model)
    lists = formula.generate(["the cat", "hello"], n=3, seed=1, max_tokens=4)
    assert [one[0] for one in lists] == formula.generate(["the cat", "hello"], seed=1, max_tokens=4)
    with pytest.raises(OptionError, match="2 contexts"):
        formula.generate("the cat", n=2, max_tokens=4)


def test_samples_are_refused_without_chance(model, forwards):
    with pytest.raises(OptionError, match=r"n=3 texts of a prompt are all the same at temperature 0"):
        model.generate("the cat", n=3, temperature=0)
    with pytest.raises(OptionError, match=r"n must be an integer, at least 1, not 0"):
        model.generate("the cat", n=0)
    with pytest.raises(OptionError, match=r"n must be an integer"):
        model.chat([{"role": "user", "content": "x"}], n=0)
    assert not forwards
    assert len(model.generate("the cat", n=1, temperature=0, max_tokens=2)) == 1


class NanAfter:
    """A guide whose rows are NaN after some first tokens."""

    stage = Stage.BIAS

    def __init__(self, tokens):
        self.tokens = set(tokens)

    def start(self, prompts):
        return (False,) * len(prompts)

    def adjust(self, logits, state):
        return torch.where(torch.tensor(state)[:, None], torch.nan, logits)

    def advance(self, state, tokens):
        return tuple(failed or not self.tokens.isdisjoint(new) for failed, new in zip(state, tokens, strict=True))

    def select(self, state, rows):
        return tuple(state[row] for row in rows)

    def join(self, states):
        return tuple(row for state in states for row in state)


def test_a_sample_that_fails_does_not_cost_the_others(model):
    """A guide that makes NaN of a token's continuation fails some of the samples."""
    guide = NanAfter(model.generate("the cat", n=4, seed=3, max_tokens=3)[2].tokens[:1])
    with pytest.raises(BatchError) as caught:
        model.generate("the cat", n=4, seed=3, max_tokens=3, guides=guide)
    single = caught.value
    assert 2 in single.errors
    assert [result is None for result in single.results] == [number in single.errors for number in range(4)]
    with pytest.raises(BatchError) as caught:
        model.generate(["the cat", "the cat"], n=4, seed=3, max_tokens=3, guides=guide)
    first = caught.value.errors[0]
    assert isinstance(first, BatchError)
    assert list(first.errors) == list(single.errors)
    assert first.results == single.results == caught.value.results[0]
    assert len(caught.value.results[1]) == 4


def test_logprobs(model):
    completion = model.generate("the cat", regex(r"\d{4}"), seed=1, logprobs=2)
    assert completion.logprobs is not None
    for record, token in zip(completion.logprobs, completion.tokens, strict=True):
        assert record.token == token
        assert record.guided_logprob >= record.logprob
        assert 0 < record.removed_mass < 1
        assert len(record.top) == 2


def test_an_empty_prompt_starts_at_the_beginning(model):
    assert model.generate("", max_tokens=3, seed=0).prompt_tokens == 1
    bare = Model(small_llama(bos=None))
    with pytest.raises(ModelError, match="no beginning-of-sequence token"):
        bare.generate("", max_tokens=3)
    with pytest.raises(ModelError, match="prompt 1 is empty"):
        model.generate([[5], []])


# Stream


def test_a_stream_is_lazy_and_whole_only_at_its_end(model, forwards):
    stream = model.stream("the cat", max_tokens=30, seed=5)
    assert forwards == []
    next(stream)
    assert len(forwards) < 5
    with pytest.raises(ValueError, match="not ended"):
        _ = stream.completion
    rest = "".join(stream)
    assert stream.completion.text.endswith(rest)
    assert list(stream) == []


def test_the_value_of_a_stream(model):
    stream = model.stream("x", json_schema(Ticket), seed=2)
    text = "".join(stream)
    assert stream.completion.value == Ticket.model_validate_json(text)


# Extract


def test_extract_gives_instances(model):
    ticket = model.extract("I want my money back", Ticket)
    assert isinstance(ticket, Ticket)
    tickets = model.extract(["I want my money back", "Thanks!"], Ticket)
    assert tickets[0] == ticket
    assert all(isinstance(one, Ticket) for one in tickets)
    assert model.extract([], Ticket) == []


def test_extract_by_schema(model):
    schema = {
        "type": "object",
        "properties": {"ok": {"type": "boolean"}, "n": {"enum": [1, "two", None]}},
        "required": ["ok", "n"],
        "additionalProperties": False,
    }
    record = model.extract("text", schema)
    assert set(record) == {"ok", "n"}
    assert model.extract("text", json_schema(schema)) == record
    assert model.extract("text", bool) in (True, False)
    with pytest.raises(OptionError, match="not by regex"):
        model.extract("text", regex("a"))


def test_extract_copies_strings_on_request(model):
    schema = {"type": "object", "properties": {"who": {"type": "string"}}, "required": ["who"]}
    schema["additionalProperties"] = False
    texts = ["Ann Lee, from Rome", "no more than this"]
    for seed in range(3):
        records = model.extract(texts, schema, excerpts=True, temperature=2.0, seed=seed)
        assert all(record["who"] in text for record, text in zip(records, texts, strict=True))
    assert model.extract(texts[0], schema, excerpts=True)["who"] in texts[0]


def test_a_text_that_is_too_short_for_excerpts_is_named(model):
    schema = {
        "type": "object", "properties": {"who": {"type": "string", "minLength": 9}}, "required": ["who"],
        "additionalProperties": False,
    }  # fmt: skip
    with pytest.raises(UnsatisfiableError) as caught:
        model.extract(["a long enough text", "short"], schema, excerpts=True)
    assert caught.value.__notes__ == ["of text 1"]


def test_extract_takes_the_likeliest_unless_told_otherwise(model):
    assert model.extract("text", Ticket) == model.extract("text", Ticket)
    records = {model.extract("text", Ticket, temperature=2.0, seed=seed).model_dump_json() for seed in range(4)}
    assert len(records) > 1


def test_a_record_that_is_cut_short_is_an_error(model):
    with pytest.raises(IncompleteError, match="max_tokens") as caught:
        model.extract("text", Ticket, max_tokens=4)
    assert caught.value.tokens == 4
    with pytest.raises(BatchError, match="2 of 2 failed") as several:
        model.extract(["text", "text"], Ticket, max_tokens=4)
    assert [type(error) for error in several.value.errors.values()] == [IncompleteError] * 2
    assert several.value.results == [None, None]


def test_one_bad_record_does_not_cost_the_others(model):
    class Short(BaseModel):
        word: str

        @field_validator("word")
        @classmethod
        def refuse(cls, value: str) -> str:
            if value == words[1]:
                raise ValueError("not this one")
            return value

    texts = ["the cat", "hello", "a third text"]
    options = {"temperature": 1.0, "max_tokens": 200, "complete": True}
    words: list[str] = ["", "\n never \n"]
    words = [record.word for record in model.extract(texts, Short, seed=3, **options)]
    assert len(set(words)) == 3
    with pytest.raises(BatchError, match=r"(?s)1 of 3 failed.*not this one") as caught:
        model.extract(texts, Short, seed=3, **options)
    assert [record and record.word for record in caught.value.results] == [words[0], None, words[2]]
    assert isinstance(caught.value.errors[1], MatchError)
    again = pickle.loads(pickle.dumps(BatchError({1: ValueError("x")}, [1, None])))
    assert (str(again.errors[1]), again.results) == ("x", [1, None])


def test_conditions_that_no_schema_has_are_the_types_own(model):
    class Picky(Ticket):
        @field_validator("count")
        @classmethod
        def refuse(cls, value: int) -> int:
            raise ValueError("never right")

    with pytest.raises(MatchError, match="/count: Value error, never right") as caught:
        model.extract("text", Picky)
    assert isinstance(caught.value.__cause__, ValidationError)


def test_the_prompt_of_an_extraction_is_the_models_own(model, monkeypatch):
    inner = model.language_model
    decode = partial(inner.tokenizer.decode, clean_up_tokenization_spaces=False)
    schema = {**Ticket.model_json_schema(), "additionalProperties": False}  # as types are closed for writing
    prompt = decode(model.extraction_prompt("Some text.", Ticket))
    assert prompt.startswith("<|user|>")
    assert "Some text." in prompt
    assert json.loads(re.findall(r"\{.*\}", prompt)[0]) == schema
    monkeypatch.setattr(inner.tokenizer, "chat_template", None)
    assert not decode(model.extraction_prompt("Some text.", Ticket)).startswith("<|user|>")
    monkeypatch.setattr(inner.model.config, "guidance_kit_prompt", "support-v1", raising=False)
    prompt = decode(model.extraction_prompt("Some text.", Ticket))
    assert prompt == support_prompt("Some text.", json.loads(str(json_schema(Ticket).source)))


# Chat


def test_chat(model):
    answer = model.chat([{"role": "user", "content": "hello"}], choice(["yes", "no"]), seed=0)
    assert answer.text in ("yes", "no")
    assert answer.prompt_tokens == len(model.language_model.tokenizer("<|user|>hello<|end|>")["input_ids"])
    with pytest.raises(OptionError, match="lone surrogate"):
        model.chat([{"role": "user", "content": "caf\udce9"}])


# What is refused, and that it costs nothing


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (("x",), {"max_token": 3}, OptionError, "did you mean 'max_tokens'?"),
        (("x",), {"temperature": -1}, OptionError, "temperature"),
        (("x",), {"batch_size": 0}, OptionError, "batch_size"),
        (("caf\udce9",), {}, OptionError, "the prompt has a lone surrogate at character 3"),
        (("x", r"\d+"), {}, OptionError, "say what it is: regex(...) a pattern"),
        (("x", {"type": "objet"}), {}, SchemaError, "not a valid schema"),
        ((["x", "y"], [regex("a")]), {}, OptionError, "1 constraints for 2 prompts"),
        (([[1, 2], [1, 999]],), {}, VocabularyError, "prompt 1"),
        (("the cat " * 1200,), {}, ContextLengthError, "context of 1024"),
    ],
)
def test_refusals_come_before_the_model_runs(model, forwards, arguments, options, error, message):
    with pytest.raises(error) as caught:
        model.generate(*arguments, **options)
    assert message in str(caught.value)
    if "batch_size" not in options and isinstance(arguments[0], str):
        with pytest.raises(error):
            model.stream(*arguments, **options)
    assert forwards == []


def test_what_cannot_be_spelled_is_said_before_the_model_runs(shared_data):
    """The vocabulary of this model has no braces."""
    path = shared_data / "models" / "tinystories-656k"
    if not path.is_dir():
        pytest.skip(f"{path} is absent")
    model = load(path)
    with pytest.raises(UnspellableError, match=r"'\{'"):
        model.extract("Once upon a time", Ticket)
    completion = model.generate("Once upon a time", regex(r"[A-Za-z ,]{20,60}\."), temperature=0)
    assert re.fullmatch(r"[A-Za-z ,]{20,60}\.", completion.text)


def test_a_real_model_with_byte_fallback_writes_json(shared_data):
    path = shared_data / "models" / "stories260k"
    if not path.is_dir():
        pytest.skip(f"{path} is absent")
    model = load(path, dtype="float32")
    constraint = json_schema(Ticket)
    for completion in model.generate(["Once upon a time", "Lily"] * 3, constraint, seed=1, max_tokens=300):
        assert completion.finish_reason == "length" or isinstance(completion.value, Ticket)
        if completion.finish_reason == "complete":
            json.loads(completion.text)


def test_unknown_loading_options_are_named():
    with pytest.raises(OptionError, match="did you mean 'device'"):
        load("anything", devise="cpu")


def test_records_have_no_endless_numbers(model):
    """A model that repeats a digit gets to the end of the number; whoever brings a constraint has what that says."""
    schema = {"type": "integer", "minimum": 1}
    zeros = [model.logit_bias({"0": 1000.0})]
    value = model.extract("x", schema, guides=zeros)
    assert len(str(value)) == 40
    assert str(value)[1:] == 39 * "0"
    with pytest.raises(IncompleteError):
        model.extract("x", json_schema(schema), guides=zeros, max_tokens=60)
