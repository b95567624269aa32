"""The limit on the tokens of a field: records whose model repeats itself."""

from __future__ import annotations

import json
import random
from itertools import pairwise

import pytest
from command_line import lines, run
from hypothesis import given
from hypothesis import strategies as st

from guidance_kit.decoding.cut_field import cut_field
from guidance_kit.decoding.field_limit import MAX_FIELD_TOKENS, FieldCounter, record_options
from guidance_kit.decoding.options import Options
from guidance_kit.decoding.sample import Sample
from guidance_kit.errors import BatchError, IncompleteError, OptionError
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.grammars.regex import regex
from guidance_kit.model import load

NOTE = {
    "type": "object",
    "properties": {
        "kind": {"enum": ["order", "refund"]},
        "notes": {
            "type": "array",
            "items": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
            "minItems": 1,
        },
        "count": {"type": "integer"},
    },
    "required": ["kind", "notes", "count"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def model(llama):
    return load(llama)


def repeating(model, text: str = "a"):
    """A guide after which the model writes `text` wherever it may."""
    return model.logit_bias({text: 60.0})


def test_a_string_that_repeats_itself_ends_the_record_and_names_the_field(model):
    with pytest.raises(IncompleteError) as caught:
        model.extract("Hello", NOTE, max_field_tokens=20, guides=repeating(model))
    error = caught.value
    assert (error.finish_reason, error.pointer, error.limit) == ("field", "/notes/0/text", 20)
    assert error.text.endswith("aaaaaa")
    assert error.tokens < 60  # of a context of 512
    assert "the field /notes/0/text took more than 20 of them; raise max_field_tokens, or bound the field" in str(error)


def test_the_other_texts_of_a_batch_have_their_records(model):
    short = json_schema(
        {"type": "object", "properties": {"kind": {"const": "order"}}, "required": ["kind"], "maxProperties": 1}
    )
    completions = model.generate(
        ["Hello", "Bye"], [json_schema(NOTE), short], max_field_tokens=20, temperature=0, guides=repeating(model)
    )
    assert [one.finish_reason for one in completions] == ["field", "complete"]
    assert completions[1].value["kind"] == "order"
    with pytest.raises(BatchError) as caught:
        model.extract(["Hello", "Bye"], NOTE, max_field_tokens=20, guides=repeating(model))
    assert [type(error) for error in caught.value.errors.values()] == [IncompleteError] * 2


def test_extraction_has_the_limit_unless_it_promises_records(model):
    assert record_options({})["max_field_tokens"] == MAX_FIELD_TOKENS == 1024
    assert record_options({"max_field_tokens": 7})["max_field_tokens"] == 7
    for options in ({"complete": True}, {"decoder": "importance"}, {"max_field_tokens": None}):
        assert record_options(options)["max_field_tokens"] is None
    whole = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    value = model.extract("Hello", whole, complete=True, max_tokens=40, guides=repeating(model))
    assert value["text"].startswith("aaaaaaaaaa")


def test_the_limit_is_the_same_with_and_without_log_probabilities_and_in_a_stream(model):
    options = {"max_field_tokens": 12, "temperature": 0, "guides": repeating(model)}
    plain = model.generate("Hello", json_schema(NOTE), **options)
    recorded = model.generate("Hello", json_schema(NOTE), logprobs=0, **options)
    stream = model.stream("Hello", json_schema(NOTE), **options)
    assert plain.text == recorded.text == "".join(stream)
    assert plain.tokens == recorded.tokens == stream.completion.tokens
    assert [one.finish_reason for one in (plain, recorded, stream.completion)] == ["field"] * 3


def test_what_has_no_fields_has_no_limit(model):
    with pytest.raises(OptionError, match=r"not of regex\(\)"):
        model.generate("a", regex("a+"), max_field_tokens=5)
    with pytest.raises(OptionError, match=r"not of regex\(\)"):
        model.stream("a", regex("a+"), max_field_tokens=5)
    with pytest.raises(OptionError, match="no constraint"):
        model.generate("a", max_field_tokens=5)
    with pytest.raises(OptionError, match="max_field_tokens and decoder='importance' exclude each other"):
        Options.from_keywords({"max_field_tokens": 5, "decoder": "importance"})
    for value in (0, 1.5, True):
        with pytest.raises(OptionError, match="max_field_tokens must be an integer, at least 1"):
            Options(max_field_tokens=value)
    assert model.extract([], NOTE) == []


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(alphabet='a"\\{}[],é', max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(alphabet='b{,"/~0', max_size=4), inner),
    max_leaves=12,
)


def spelled(value) -> list[tuple[str, bool]]:
    """Pieces of `json.dumps` of a value, and whether a field begins with each, by recursion over the value."""
    if isinstance(value, dict):
        pieces = [("{", True)]
        for number, (key, inner) in enumerate(value.items()):
            pieces += [(",", True), (" ", False)] if number else []
            pieces += [(json.dumps(key), False), (": ", False), *spelled(inner)]
        return [*pieces, ("}", True)]
    if isinstance(value, list):
        items = [[(", ", False)] * (number > 0) + spelled(inner) for number, inner in enumerate(value)]
        return [("[", False), *(piece for item in items for piece in item), ("]", False)]
    return [(json.dumps(value), False)]


@given(VALUES, st.integers(1, 12))
def test_fields_are_counted_as_a_walk_over_the_value_counts_them(value, limit):
    pieces = spelled(value)
    assert "".join(text for text, _ in pieces) == json.dumps(value)
    expected, tokens = [], 0
    for text, is_border in pieces:
        for _ in text.encode():  # each byte is a token
            tokens = 1 if is_border else tokens + 1
            expected.append(tokens > limit)
    counter = FieldCounter(limit)
    assert [counter.take(bytes([byte])) for byte in json.dumps(value).encode()] == expected


@given(VALUES, st.randoms(use_true_random=False))
def test_a_token_counts_once_however_many_bytes_it_has(value, chance: random.Random):
    text = json.dumps(value).encode()
    cuts = sorted({0, len(text), *(chance.randrange(len(text) + 1) for _ in range(4))})
    pieces = [text[begin:end] for begin, end in pairwise(cuts)]
    counter = FieldCounter(100)
    assert not any(counter.take(piece) for piece in pieces)


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        ('{"a": "x', "/a"),
        ('{"a": [1, [2, 3', "/a"),
        ('{"a": [{"b/~": [1', "/a/0/b~1~0"),
        ('{"a": [{"b": 1}, {"lo', "/a/1"),
        ("[[1, 2", ""),
        ('[{"a": 1}, {"3": [1', "/1/3"),
    ],
)
def test_the_field_is_the_innermost_member_of_an_object(text, pointer):
    assert cut_field(text) == pointer


def test_the_help_states_the_limit():
    said = " ".join(run("extract", "--help").stdout.split())
    assert f"Maximum number of tokens of a field; {MAX_FIELD_TOKENS} if left out," in said


def test_the_command_writes_the_error_and_goes_on(inbox, llama):
    schema = {"type": "object", "properties": {"text": {"type": "string", "minLength": 200}}, "required": ["text"]}
    (inbox / "long.json").write_text(json.dumps(schema))
    given = ("extract", "-s", "long.json", "messages", "-m", llama)
    result = run(*given, "-o", "out.jsonl", "--max-field-tokens", "9")
    assert result.exit_code == 1
    errors = [line["error"] for line in lines(inbox / "out.jsonl")]
    assert len(errors) == 5
    for error in errors:
        assert error["type"] == "IncompleteError"
        assert "the field /text took more than 9 of them; raise --max-field-tokens" in error["message"]
        assert error["text"].startswith('{"text"')
    resumed = run(*given, "-o", "out.jsonl", "--max-field-tokens", "10", "--resume")
    assert resumed.exit_code == 2
    assert "--max-field-tokens was 9, now 10" in resumed.stderr


def test_a_decoder_as_a_value_keeps_the_default():
    assert record_options({"decoder": Sample()}) == {**record_options({}), "decoder": Sample()}
