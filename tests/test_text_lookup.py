"""Lookups by text and by mask: naive twins, texts that stay as they are, and records that take fewer calls."""

from __future__ import annotations

import random

import pytest
from marks import slow
from toy_models import ABC

import guidance_kit as gk
from guidance_kit.decoding.drafts.text_lookup import BoundTextLookup, text_places
from guidance_kit.errors import OptionError

DOCUMENT = (
    "From: Maria Delgado. Order number 48213-AX-2291. The blue electric kettle with the long cable arrived broken. "
    "Please send another one to 17 Rue des Marronniers, 69002 Lyon, France."
)
NAMES = ("customer_name", "order_number", "product", "delivery_address")
SCHEMA = {"type": "object", "properties": {name: {"type": "string"} for name in NAMES}, "required": list(NAMES)}


def naive_places(text: bytes, longest: int, shortest: int) -> list[int]:
    """All ends of earlier occurrences, as `text_places` orders them."""
    sizes = [longest]
    while sizes[-1] > shortest:
        sizes.append(max(shortest, sizes[-1] // 2))
    found: list[int] = []
    for size in sizes:
        if size >= len(text):
            continue
        ends = [end for end in range(len(text) - 1, size - 1, -1) if text[end - size : end] == text[-size:]]
        is_inside = {end: text[end - size - 1 : end - size].isalnum() for end in ends}
        if not text[-size - 1 : -size].isalnum():
            ends.sort(key=lambda end: is_inside[end])
        found += [end for end in ends if end not in found]
    return found


def test_places_are_the_naive_ones():
    rng = random.Random(4)
    for _ in range(500):
        text = bytes(rng.choice(b"ab -") for _ in range(rng.randint(1, 30)))
        longest = rng.randint(1, 9)
        shortest = rng.randint(1, longest)
        assert text_places(text, longest, shortest, 1000) == naive_places(text, longest, shortest)
        few = text_places(text, longest, shortest, 2)
        assert set(few) <= set(naive_places(text, longest, shortest))


def test_continuations_spell_what_follows():
    """Whatever the tokens: the path is a prefix of the bytes behind an occurrence."""
    rng = random.Random(5)
    draft = BoundTextLookup(gk.TextLookup(branches=3, length=6))
    count = 0
    for _ in range(300):
        tokens = [rng.randrange(3) for _ in range(rng.randint(2, 12))]
        text = ABC.text_of(tokens)
        after = [text[place:] for place in naive_places(text, 32, 1)]
        for path in draft.continuations(ABC, tokens, rng.randint(1, 6)):
            assert any(rest.startswith(ABC.text_of(path)) for rest in after)
            count += 1
    assert count > 300


@pytest.fixture(scope="module")
def model() -> gk.Model:
    return gk.load()


def test_a_record_with_excerpts_takes_less_than_half_of_the_calls(model):
    prompt, record = model.extraction_prompt(DOCUMENT, SCHEMA), gk.json_schema(SCHEMA).excerpts_of(DOCUMENT)
    options = {"temperature": 0, "max_tokens": 120}
    single = model.generate(prompt, record, draft="forced", ahead=0, **options)
    found = model.generate(prompt, record, draft="excerpts", ahead=12, **options)
    assert found.tokens == single.tokens
    assert 2.2 * found.speculation.blocks < single.speculation.blocks
    assert found.speculation.drafts["mask lookup"].rejected == 0
    assert found.speculation.drafts["text lookup"].accepted > 20
    assert model.extract(DOCUMENT, SCHEMA, excerpts=True, draft="excerpts") == found.value


@pytest.mark.parametrize("temperature", [*slow(0.0), 1.0])
def test_texts_of_a_batch_are_those_without_a_draft(model, temperature):
    documents = [DOCUMENT, "Ann Lee, order 77, a lamp, Rome.", "My name is Bo. The toaster of order 9914 to Paris."]
    constraints = [gk.json_schema(SCHEMA).excerpts_of(document) for document in documents]
    prompts = [model.extraction_prompt(document, SCHEMA) for document in documents]
    options = {"temperature": temperature, "max_tokens": 60, "seed": 3}
    expected = model.generate(prompts, constraints, **options)
    for draft in ("excerpts", gk.DraftSequence((gk.MaskLookup(), gk.TextLookup(branches=1)))):
        found = model.generate(prompts, constraints, draft=draft, ahead=6, **options)
        assert [one.tokens for one in found] == [one.tokens for one in expected]


def test_a_mask_is_remembered_by_all_rows_of_a_call(model):
    """Keys of a fixed layout are forced; the separators are the only choices, and are the same in each record."""
    schema = {"type": "object", "properties": {"a": {"const": 1}, "b": {"const": 2}, "c": {"const": 3}}}
    schema |= {"required": ["a", "b", "c"], "additionalProperties": False}
    (one, *_) = model.generate(["x"], gk.json_schema(schema), draft=gk.MaskLookup(), ahead=1, temperature=0)
    counts = one.speculation.drafts["mask lookup"]
    assert counts.accepted >= 2
    assert one.text == model.generate("x", gk.json_schema(schema), temperature=0).text


def test_bad_numbers_are_refused():
    with pytest.raises(OptionError, match="shortest is 9, more than longest, 4"):
        gk.TextLookup(longest=4, shortest=9)
    with pytest.raises(OptionError, match="branches must be an integer, at least 1"):
        gk.TextLookup(branches=0)
    with pytest.raises(OptionError, match="most must be an integer, at least 2"):
        gk.MaskLookup(1)
