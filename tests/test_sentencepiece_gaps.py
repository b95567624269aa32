"""T5 with a Unigram vocabulary that has the gaps of the real one: no braces, no line break and the like."""

from __future__ import annotations

import json
from functools import cache

import pytest
import torch
import transformers
from architectures import small_config
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

import guidance_kit as gk
from guidance_kit.errors import UnspellableError
from guidance_kit.models import TransformersModel

TEXTS = [
    "translate English to German: the house is wonderful, isn't it?",
    "Order 48213 arrived on 2024-05-01; I paid 19.99 EUR (VAT included).",
    'He said "yes" [twice] & left: 7/8 of 100% = 87.5 + more * 2 @ home #1 $5 _ever_',
    "refund praise question name Ann Bob Das Haus ist wunderbar true false null",
]
GAPS = "{}~^<`\\|\n\t"
"""Characters that the vocabulary of T5 and flan-T5 does not have, as far as JSON and patterns meet them."""


@cache
def t5() -> gk.Model:
    """A small T5 with random weights."""
    characters = [chr(code) for code in range(0x21, 0x7F) if chr(code) not in GAPS]
    words = sorted({"▁" + word for text in TEXTS for word in text.split() if word.isalpha()})
    pieces = [(piece, 0.0) for piece in ["<pad>", "</s>", "<unk>", "<extra_id_0>"]]
    pieces += [("▁", -5.0)] + [(character, -6.0) for character in characters] + [(word, -7.0) for word in words]
    inner = Tokenizer(models.Unigram(pieces, unk_id=2))
    # As the normalizer of T5: what is white space is a space, once.
    inner.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace("\n", " ")])
    inner.pre_tokenizer = pre_tokenizers.Metaspace()
    inner.decoder = decoders.Metaspace()
    inner.add_special_tokens(["<pad>", "</s>", "<unk>", "<extra_id_0>"])
    inner.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=inner, eos_token="</s>", unk_token="<unk>", pad_token="<pad>"
    )
    torch.manual_seed(0)
    ends = {"pad_token_id": 0, "eos_token_id": 1, "decoder_start_token_id": 0}
    model = transformers.T5ForConditionalGeneration(
        small_config("T5ForConditionalGeneration", vocab_size=len(tokenizer), **ends)
    ).eval()
    return gk.Model(TransformersModel(model, tokenizer, name="t5"))


def test_the_vocabulary_has_the_gaps():
    """Negative control: every other printable character can be spelled."""
    for code in range(0x21, 0x7F):
        is_gap = chr(code) in GAPS
        if is_gap:
            with pytest.raises(UnspellableError):
                t5().language_model.spell(chr(code))
        else:
            assert t5().vocabulary.text_of(t5().language_model.spell(chr(code))) == chr(code).encode()


OBJECT = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


@pytest.mark.parametrize(
    ("constraint", "characters"),
    [
        (gk.json_schema(OBJECT), "{}"),
        (gk.json_schema({"type": "array", "items": OBJECT, "minItems": 1}), "{}"),
        (gk.regex(r"a\nb"), "\n"),
        (gk.choice(["<b>", "<i>"]), "<"),
        (gk.regex(r"[\t~]{2}"), "\t~"),
    ],
)
def test_what_needs_a_missing_character_is_refused_by_its_name(constraint, characters):
    with pytest.raises(UnspellableError) as caught:
        t5().generate("summarize: x", constraint)
    assert {*caught.value.characters} == {*characters}
    for character in characters:
        assert repr(character) in str(caught.value)
    assert "Use a model whose tokenizer has byte-level or byte-fallback tokens" in str(caught.value)
    assert ("an array of the values (prefixItems, a tuple in Python)" in str(caught.value)) == (characters == "{}")


def test_extraction_says_so_before_the_model_runs():
    with pytest.raises(UnspellableError, match=r"no tokens for '\{' '\}'.*or ask for texts without braces: an array"):
        t5().extract("I am Ann.", OBJECT)


def test_records_as_arrays_labels_numbers_and_patterns_are_written():
    """Characters that the message names in place of objects."""
    row = tuple[str, int, bool | None]
    found = t5().extract(["I am Ann, 7.", "Bob, 8"], row, complete=True, max_tokens=40)
    assert [[type(value) for value in one[:2]] for one in found] == [[str, int]] * 2
    schema = {
        "type": "array",
        "prefixItems": [{"enum": ["Ann", "Bob"]}, {"type": "integer", "minimum": 0, "maximum": 99}],
        "minItems": 2,
        "items": False,
    }
    name, age = t5().extract("I am Ann, 7.", schema)
    assert name in ("Ann", "Bob")
    assert 0 <= age <= 99
    assert t5().generate("How much?", gk.regex(r" [0-9]{2}\.[0-9]{2} EUR"), max_tokens=30).text.endswith(" EUR")
    assert t5().classify("I want my money back", {" refund": "", " praise": ""}).label in (" refund", " praise")


def test_strings_have_no_characters_that_cannot_be_spelled():
    """Free strings are possible; those with a missing character, or an escape by a backslash, are not written."""
    items = {"type": "string", "minLength": 1, "maxLength": 12}
    constraint = gk.json_schema({"type": "array", "items": items, "minItems": 1, "maxItems": 2})
    texts = [t5().generate("x", constraint, seed=seed, complete=True, max_tokens=60).text for seed in range(8)]
    assert not {*"".join(texts)} & {*GAPS}
    assert all(1 <= len(json.loads(text)) <= 2 and all(json.loads(text)) for text in texts)


def test_a_byte_fallback_vocabulary_has_no_gaps():
    assert gk.json_schema(OBJECT).compile(gk.load().vocabulary) is not None
