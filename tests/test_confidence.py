"""Confidence in fields against the enumeration of every token sequence of small models, whose tokens cross values."""

from __future__ import annotations

import json
import math
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
import pytest
from marks import slow
from pydantic import BaseModel

import guidance_kit as gk
from guidance_kit.confidence import ConfidenceEstimator
from guidance_kit.confidence.json_spans import field_spans, value_end, value_key
from guidance_kit.confidence.value_paths import ValuePaths, finite_values
from guidance_kit.decoding.completion import Completion
from guidance_kit.decoding.path_sums import sum_paths
from guidance_kit.decoding.tabular import TabularModel
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.vocabulary import Vocabulary

PIECES = [
    b"", b'{"a":', b'{"', b'a":', b'{"a":"', b'"', b"x", b"y", b"xy", b'x"', b'"x', b'"xy"', b',"', b',', b'",',
    b'","n":', b'"n":', b'n":', b'n":1', b"{", b"a", b"1", b"2", b"12", b"2}", b"}", b"1}", b':', b'","n":1', b"n",
]  # fmt: skip
EOS = 0
CROSSING = Vocabulary(token_bytes=tuple(PIECES), special=frozenset({EOS}), eos=(EOS,), rows=len(PIECES) + 1)
"""Tokens that cross quotes, commas and the ends of numbers."""

VALUES = {"a": ["x", "xy", "y"], "n": [1, 2, 12]}
SCHEMA = {
    "properties": {"a": {"enum": VALUES["a"]}, "n": {"enum": VALUES["n"]}},
    "type": "object", "required": ["a", "n"], "additionalProperties": False,
}  # fmt: skip
COMPACT = gk.json_schema(SCHEMA, whitespace=gk.Separators(",", ":"))
RECORDS = [f'{{"a":"{a}","n":{n}}}'.encode() for a in VALUES["a"] for n in VALUES["n"]]


def spans(record: bytes) -> dict[str, tuple[int, int, int]]:
    """Begin and end of the two values, and the place at which each is decided; by search, not by a parser."""
    comma, end = record.index(b","), len(record) - 1
    number = record.index(b"n") + 3
    return {"/a": (5, comma, comma), "/n": (number, end, end + 1)}


def spell(text: str) -> list[int]:
    """The longest tokens first."""
    rest, found = text.encode(), []
    while rest:
        token = max(
            (one for one in range(1, len(PIECES)) if rest.startswith(PIECES[one])), key=lambda one: len(PIECES[one])
        )
        found.append(token)
        rest = rest[len(PIECES[token]) :]
    return found


def tokenised(rng: random.Random, text: bytes) -> list[int]:
    """Random tokenisation of a record."""
    rest, found = text, []
    while rest:
        token = rng.choice([one for one in range(1, len(PIECES)) if rest.startswith(PIECES[one])])
        found.append(token)
        rest = rest[len(PIECES[token]) :]
    return found


def probabilities(model: TabularModel, prefix: Sequence[int]) -> np.ndarray:
    """Probability of the next token without the padding row."""
    weights = model.probabilities(prefix) * [*[True] * len(PIECES), False]
    return weights / weights.sum()


def decided(
    model: TabularModel, before: Sequence[int], record: bytes, pointer: str
) -> dict[bytes, list[tuple[float, list[int]]]]:
    """Every token sequence that decides the value of a field, with its probability, by the text of the value.

    It goes over all tokens at each step and asks which records begin with the text.
    """
    begin = spans(record)[pointer][0]
    found: defaultdict[bytes, list[tuple[float, list[int]]]] = defaultdict(list)

    def extend(tokens: list[int], text: bytes, probability: float) -> None:
        chances = probabilities(model, [1, *before, *tokens])
        for token in range(1, len(PIECES)):
            longer = text + PIECES[token]
            possible = [one for one in RECORDS if one.startswith(longer) and one[:begin] == record[:begin]]
            if not possible:
                continue
            own, number = [*tokens, token], probability * float(chances[token])
            begin_of, end, place = spans(possible[0])[pointer]
            if len(longer) >= place:
                found[possible[0][begin_of:end]].append((number, own))
            else:
                extend(own, longer, number)

    extend([], b"".join(PIECES[token] for token in before), 1.0)
    return found


def estimator(model: TabularModel, **settings: object) -> ConfidenceEstimator:
    return ConfidenceEstimator(model, CROSSING, spell, gk.Confidence(tolerance=0, **settings), batch_size=3)  # pyright: ignore[reportArgumentType]


def completion_of(
    tokens: Sequence[int], constraint: gk.Constraint = COMPACT, vocabulary: Vocabulary = CROSSING
) -> Completion:
    return Completion(
        text=vocabulary.text_of(tokens).decode(), tokens=tuple(tokens), finish_reason="complete", prompt_tokens=1,
        seed=0, vocabulary=vocabulary, constraint=constraint, prefix=(1,),
    )  # fmt: skip


def before_field(tokens: Sequence[int], begin: int) -> list[int]:
    """Tokens that end before a place."""
    found: list[int] = []
    for token in tokens:
        if len(CROSSING.text_of([*found, token])) > begin:
            break
        found.append(token)
    return found


def shares(sums: dict[bytes, float]) -> dict[object, float]:
    total = sum(sums.values())
    return {json.loads(text): value / total for text, value in sums.items()}


def cases(seed: int) -> tuple[TabularModel, bytes, list[int]]:
    rng = random.Random(seed)
    model = TabularModel.random(CROSSING, order=1 + seed % 2, seed=seed, scale=2.0)
    record = rng.choice(RECORDS)
    return model, record, tokenised(rng, record)


@pytest.mark.parametrize("seed", [*range(6), *slow(*range(6, 60))])
def test_finite_fields_equal_the_enumeration_of_every_tokenisation(seed):
    model, record, tokens = cases(seed)
    found = estimator(model, alternatives=3).estimate(completion_of(tokens))
    assert list(found) == ["/a", "/n"]
    for pointer, one in found.items():
        ways = decided(model, before_field(tokens, one.begin), record, pointer)
        expected = shares({text: sum(number for number, _ in some) for text, some in ways.items()})
        assert one.method == "exact"
        assert one.probability == pytest.approx(expected[one.value], abs=1e-12)
        assert {way.value: pytest.approx(way.probability, abs=1e-12) for way in one.alternatives} == expected
        assert one.low == pytest.approx(one.probability) == one.high


def test_usual_tokens_alone_or_tokens_within_the_value_alone_give_other_numbers():
    """Negative controls of the test above: each simplification is seen."""
    far = {"usual": 0, "within": 0}
    for seed in range(6):
        model, record, tokens = cases(seed)
        for pointer in ("/a", "/n"):
            begin = spans(record)[pointer][0]
            before = before_field(tokens, begin)
            ways = decided(model, before, record, pointer)
            exact = shares({text: sum(number for number, _ in some) for text, some in ways.items()})
            overhang = record[:begin][len(CROSSING.text_of(before)) :]
            for name, keeps in (
                ("usual", lambda text, own, some, rest=overhang: number_of(some) == own[0]),
                ("within", lambda text, own, some, rest=overhang: CROSSING.text_of(own[1]) == rest + text),
            ):
                sums = {text: sum(one[0] for one in some if keeps(text, one, some)) for text, some in ways.items()}
                other = shares(sums) if sum(sums.values()) else {}
                far[name] += any(abs(other.get(value, 0.0) - chance) > 0.01 for value, chance in exact.items())
    assert far["usual"] > 3
    assert far["within"] > 3


def number_of(ways: Sequence[tuple[float, list[int]]]) -> float:
    """Probability of the most likely of some token sequences."""
    return max(number for number, _ in ways)


@pytest.mark.parametrize("seed", [*range(4), *slow(*range(4, 40))])
def test_the_rest_of_the_record_weighs_each_value(seed, monkeypatch):
    model, record, tokens = cases(seed)
    few = estimator(model, alternatives=3, given="record").estimate(completion_of(tokens))
    monkeypatch.setattr("guidance_kit.confidence.estimator.MOST_WEIGHED", 100_000)
    found = estimator(model, alternatives=3, given="record").estimate(completion_of(tokens))
    for pointer, one in few.items():
        assert one.probability == pytest.approx(found[pointer].probability, abs=2e-3)
    for pointer, one in found.items():
        before = before_field(tokens, one.begin)
        rest = record[one.end :]
        sums: dict[bytes, float] = {}
        for text, some in decided(model, before, record, pointer).items():
            sums[text] = 0.0
            for number, own in some:
                spelt = CROSSING.text_of([*before, *own])
                whole = record[: one.begin] + text + rest
                if whole in RECORDS and whole.startswith(spelt):
                    after = spell(whole[len(spelt) :].decode())
                    for place, token in enumerate(after):
                        number *= float(probabilities(model, [1, *before, *own, *after[:place]])[token])
                    sums[text] += number
        expected = shares(sums)
        assert one.given == "record"
        assert one.method == "canonical"
        assert one.probability == pytest.approx(expected[one.value], abs=1e-9)
        assert {way.value: pytest.approx(way.probability, abs=1e-9) for way in one.alternatives} == expected


def test_a_field_of_too_many_tokenisations_says_so_and_its_bounds_hold():
    model, _record, tokens = cases(3)
    exact = estimator(model).estimate(completion_of(tokens))
    for most in (1, 2, 3, 5):
        found = estimator(model, max_prefixes=most).estimate(completion_of(tokens))
        for pointer, one in found.items():
            assert one.low is not None
            assert one.high is not None
            assert one.low - 1e-12 <= exact[pointer].probability <= one.high + 1e-12
            if one.method == "canonical":
                assert one.high > one.low
                assert len(one.alternatives) > 1
    few = estimator(model, max_prefixes=1).estimate(completion_of(tokens))
    assert [one.method for one in few.values()] == ["canonical", "canonical"]


WORDS = gk.json_schema({"type": "string", "pattern": "^[xy]+$"})
LETTERS = Vocabulary(
    token_bytes=(b"", b'"', b"x", b"y", b"xy", b'y"'), special=frozenset({0}), eos=(0,), rows=6
)  # fmt: skip


def masked_law(model: TabularModel, matcher: Matcher, tokens: Sequence[int]) -> tuple[float, float]:
    """Ln of the probability of tokens, without the mask and under it."""
    free = guided = 0.0
    for place, token in enumerate(tokens):
        chances = model.probabilities([1, *tokens[:place]])
        free += math.log(chances[token])
        guided += math.log(chances[token] / chances[matcher.allowed_tokens()].sum())
        matcher.advance(token)
    return free, guided


def test_free_strings_have_the_probability_of_their_text_or_of_samples():
    model = TabularModel.random(LETTERS, seed=5, scale=0.7)
    completion = completion_of([1, 4, 5], WORDS, LETTERS)
    matcher = Matcher(WORDS.compile(LETTERS))
    (one,) = ConfidenceEstimator(model, LETTERS, spell, gk.Confidence()).estimate(completion).values()
    assert one.method == "text"
    assert one.low is None
    assert not one.alternatives
    assert one.probability == pytest.approx(math.exp(masked_law(model, matcher.fork(), [1, 4, 5])[1]))
    settings = gk.Confidence(samples=600, seed=1)
    (drawn,) = ConfidenceEstimator(model, LETTERS, spell, settings).estimate(completion).values()
    finite = Matcher(gk.json_schema({"type": "string", "pattern": "^[xy]{1,9}$"}).compile(LETTERS))
    sums = sum_paths(
        ValuePaths(LETTERS, finite, b""),
        lambda texts: ConfidenceEstimator(model, LETTERS, spell, settings).logprobs_after((1,), texts),
        most_prefixes=100_000,
        tolerance=1e-5,
    )
    exact = math.exp(sums.logs[value_key(b'"xyy"')] - sums.total)
    assert drawn.method == "samples"
    assert drawn.low is not None
    assert drawn.high is not None
    assert drawn.low <= exact <= drawn.high
    assert drawn.low < drawn.probability < drawn.high
    assert abs(drawn.probability - exact) < 0.03  # 3 standard errors of 600 draws of a share near 0.06


@pytest.mark.parametrize(
    ("schema", "values"),
    [
        ({"enum": ["low", "high", None, 3]}, {'"low"', '"high"', "null", "3"}),
        ({"type": "boolean"}, {"true", "false"}),
        ({"type": "integer", "minimum": -1, "maximum": 11}, {str(number) for number in range(-1, 12)}),
        ({"const": [1, {"a": "é"}]}, {'[1,{"a":"é"}]', '[1, {"a":"é"}]'}),
        ({"type": "string", "pattern": "^[ab]{2}$"}, {'"aa"', '"ab"', '"ba"', '"bb"'}),
        ({"type": "string"}, None),
        ({"type": "integer", "minimum": 0, "maximum": 100}, None),
    ],
)
def test_values_are_listed_where_they_are_few(schema, values):
    vocabulary = Vocabulary.from_bytes()
    compact = gk.json_schema(schema, whitespace=gk.Separators(",", ":"))
    found = finite_values(Matcher(compact.compile(vocabulary)), 64)
    if values is None:
        assert found is None
        return
    assert found is not None
    assert {value_key(text.encode()) for text in values} == set(found)


def test_places_of_values():
    text = b' {"a b": [1, {"c": "x,\\"}"}, []], "": -2.5e3, "d": {} ,"e~/": true } '
    found = {span.pointer: text[span.begin : span.end].decode() for span in field_spans(text)}
    assert found == {"/a b/0": "1", "/a b/1/c": '"x,\\"}"', "/": "-2.5e3", "/e~0~1": "true"}
    assert [value_end(some, 0) for some in (b'"a', b'"a"', b"1", b"1 ", b"tru", b"true", b"[1", b'["]"]x')] == [
        None, 3, None, 1, None, 4, None, 5,
    ]  # fmt: skip


class Claim(BaseModel):
    urgency: Literal["low", "high"]
    refund: bool
    note: str


@pytest.fixture(scope="module")
def model() -> gk.Model:
    return gk.load()


TEXTS = ["My order 48213 never arrived.", "Thank you for the quick help!"]


def test_extractions_carry_their_confidence(model):
    first, second = model.extract(TEXTS, Claim, confidence=True, max_tokens=80)
    plain = model.extract(TEXTS, Claim, max_tokens=80)
    assert [first.value, second.value] == plain
    assert list(first.confidence) == ["/urgency", "/refund", "/note"]
    assert first.completion.confidence is first.confidence
    again = model.confidence(first.completion)
    for pointer, one in again.items():
        assert one.probability == pytest.approx(first.confidence[pointer].probability, abs=1e-5)
    assert first.confidence["/refund"].method == "exact"
    assert first.confidence["/note"].method == "text"
    chances = [one.probability for one in first.confidence["/refund"].alternatives]
    assert sum(chances) == pytest.approx(1, abs=1e-5)
    least = first.confidence.least
    assert least is not None
    assert least.probability == min(one.probability for one in first.confidence.values())
    assert json.loads(json.dumps(first.confidence.to_dict()))["/refund"]["method"] == "exact"


def test_the_trace_page_marks_fields_and_lists_them(model):
    completion = model.generate("A ticket: ", Claim, max_tokens=120, seed=3, logprobs=2, complete=True)
    plain = completion.to_html()
    assert 'class="confidence"' not in plain
    assert "field below 50 %" not in plain
    found = model.confidence(completion)
    page = replace(completion, confidence=found).to_html()
    assert "field below 50 %" in page
    for pointer, one in found.items():
        level = sum(one.probability >= bound for bound in (0.5, 0.7, 0.9, 0.99))
        assert f'<th scope="row">{pointer}</th><td class="sure{level}">' in page
        assert f"<dt>field {pointer}</dt>" in page


def test_thoughts_and_formulas_have_confidence_too(model):
    schema = gk.json_schema({"type": "object", "properties": {"refund": {"type": "boolean"}}, "required": ["refund"],
                             "additionalProperties": False})  # fmt: skip
    formula = model + 0.5 * (model - model)
    found = model.extract(TEXTS[0], schema, confidence="record", think=8, max_tokens=20, seed=1)
    assert found.completion.thoughts is not None
    assert found.confidence["/refund"].given == "record"
    plain = model.extract(TEXTS[0], schema, confidence=True, max_tokens=20).confidence["/refund"]
    same = formula.extract(TEXTS[0], schema, confidence=True, max_tokens=20).confidence["/refund"]
    assert same.probability == pytest.approx(plain.probability, abs=1e-4)


def test_confidence_of_other_texts_is_refused(model):
    free = model.generate("Hello", max_tokens=3)
    with pytest.raises(gk.OptionError, match="json_schema"):
        model.confidence(free)
    cut = model.generate("Hello", Claim, max_tokens=3)
    with pytest.raises(gk.IncompleteError):
        model.confidence(cut)
    with pytest.raises(gk.OptionError, match="before"):
        model.extract(TEXTS[0], Claim, confidence="befor")
    with pytest.raises(gk.OptionError, match="tolerance"):
        gk.Confidence(tolerance=2)
    with pytest.raises(gk.OptionError, match="Confidence"):
        model.extract(TEXTS[0], Claim, confidence=3)
