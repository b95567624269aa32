"""Long enumerations: the tree of strings that is written block by block has the masks of the whole one."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import replace
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from json_texts import judge

import guidance_kit as gk
from guidance_kit.fsm import bitmask
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.token_index import TokenIndex
from guidance_kit.grammars.json_schema import writer
from guidance_kit.grammars.json_schema.documents.document import SchemaDocument
from guidance_kit.grammars.json_schema.facts import plain_satisfaction
from guidance_kit.grammars.json_schema.keywords import readers
from guidance_kit.grammars.json_schema.keywords.readers import enumeration
from guidance_kit.grammars.json_schema.normal_forms.shapes import Shape
from guidance_kit.grammars.json_schema.strings import listed_strings
from guidance_kit.grammars.regular.charset import is_spellable
from guidance_kit.vocabulary import Vocabulary

WORDS = [
    "",
    "a",
    "ab",
    "abc",
    "abd",
    "b",
    "é",
    "éa",
    "\U0001f600",
    "\U0001f600b",
    '"',
    "\\n",
    "\n",
    "a long text of words",
]
TOKENS = [bytes([byte]) for byte in range(256)] + [b'"a', b'ab"', b"abc", b'"', b"\\u00", b"61", b"long text", b'd"']


def vocabulary_of(tokens: list[bytes]) -> Vocabulary:
    """The tokens, and an end."""
    eos = len(tokens)
    return Vocabulary(token_bytes=(*tokens, b""), special=frozenset([eos]), eos=(eos,), rows=eos + 1)


def index_of(
    texts: list[str], at_once: int, monkeypatch: pytest.MonkeyPatch, tokens: list[bytes] = TOKENS
) -> TokenIndex:
    """Index of an enumeration whose tree is written as a whole up to so many strings, in small blocks beyond that."""
    gk.caches.clear("fragments")
    monkeypatch.setattr(writer, "MOST_AT_ONCE", at_once)
    for name, value in (("_NODES", 6), ("_CELLS", 24), ("_STRINGS", 3)):
        monkeypatch.setattr(listed_strings, name, value)
    index = TokenIndex.build(gk.json_schema({"enum": texts}, escapes="all").network(), vocabulary_of(tokens))
    Matcher(index).allowed()  # which writes the rule
    return index


@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=6).map("".join), min_size=1, max_size=40, unique=True))
def test_masks_are_those_of_the_whole_tree(texts: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        blocks = index_of(texts, 0, patch)
        whole = index_of(texts, len(texts), patch)
    for text in texts[:5]:
        matchers = [Matcher(blocks), Matcher(whole)]
        for byte in json.dumps(text, ensure_ascii=False).encode():
            first, second = (matcher.allowed() for matcher in matchers)
            assert np.array_equal(first, second)
            assert matchers[0].min_tokens_to_complete() == matchers[1].min_tokens_to_complete()
            for matcher in matchers:
                matcher.advance(byte)
        assert all(matcher.is_complete for matcher in matchers)


@pytest.mark.parametrize("seed", range(8))
def test_masks_of_a_vocabulary_that_lacks_a_byte_are_those_of_the_whole_tree(seed: int) -> None:
    """All blocks are written at once then, and what cannot be spelt is removed."""
    chance = random.Random(seed)
    texts = sorted({"".join(chance.choices("abcé", k=chance.randrange(1, 8))) for _ in range(40)} | {"ac"})
    tokens = [token for token in TOKENS if b"b" not in token and b"\\" not in token]
    with pytest.MonkeyPatch.context() as patch:
        blocks = index_of(texts, 0, patch, tokens)
        whole = index_of(texts, len(texts), patch, tokens)
    matchers = [Matcher(blocks), Matcher(whole)]
    while not matchers[0].is_complete:
        first, second = (matcher.allowed() for matcher in matchers)
        assert np.array_equal(first, second)
        assert matchers[0].min_tokens_to_complete() == matchers[1].min_tokens_to_complete()
        token = chance.choice(bitmask.tokens_of(first).tolist())
        for matcher in matchers:
            matcher.advance(token)
    assert matchers[1].is_complete


def test_a_mask_behind_the_quote_takes_few_rounds() -> None:
    """However many strings there are, and though most of their beginnings are within reach of a token."""
    chance = random.Random(11)
    letters = "abcdefghijklmnopqrstuvwxyz"
    texts = ["".join(chance.choices(letters, k=20)) for _ in range(20_000)]
    tokens = [*TOKENS, *("".join(chance.choices(letters, k=4)).encode() for _ in range(5_000))]
    index = TokenIndex.build(gk.json_schema({"enum": texts}, escapes="all").network(), vocabulary_of(tokens))
    matcher = Matcher(index)
    matcher.advance(ord('"'))
    matcher.allowed()
    built = sum(rule.start >= 0 for rule in index.automaton.network.rules if rule.name == "listed strings")
    assert built <= 1 + 20_000 / 1_024


@given(st.lists(st.sampled_from([*WORDS, "\ud800", "a\udfff", "\ud83d", "\ude00"]), max_size=12))
def test_strings_are_those_that_a_list_with_a_number_has(texts: list[str]) -> None:
    """The strings of such a list are looked at one by one."""
    plain, mixed = (shape_of([*texts, *others]) for others in ([], [1]))
    assert plain.strings == mixed.strings
    assert plain == replace(mixed, numbers=())


def shape_of(values: list[Any]) -> Shape:
    """Shape of an enumeration."""
    document = SchemaDocument({"enum": values})
    return enumeration(document, document.root, "enum")


def test_strings_are_checked_together(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = Counter[str]()

    def counted(module: ModuleType, text: str) -> bool:
        calls[module.__name__] += 1
        return is_spellable(text)

    for module in (plain_satisfaction, readers):
        monkeypatch.setattr(module, "is_spellable", partial(counted, module))
    gk.json_schema({"enum": [str(number) for number in range(1_000)]})
    assert calls == {plain_satisfaction.__name__: 1, readers.__name__: 1}


def test_all_texts_and_no_others() -> None:
    chance = random.Random(7)
    texts = {"".join(chance.choices("abcé", k=chance.randrange(1, 30))) for _ in range(2000)}
    found = judge({"enum": [*texts]})
    for text in sorted(texts)[::20]:
        assert found.accepts(json.dumps(text))
        assert found.accepts(json.dumps(text, ensure_ascii=False))
        for other in (text + "a", text[:-1], "b" + text):
            assert found.accepts(json.dumps(other)) == (other in texts)


def test_work_does_not_grow_with_the_enumeration() -> None:
    vocabulary = Vocabulary.from_bytes()
    states = []
    for count in (1_000, 100_000):
        texts = [f"item number {number} of a long list" for number in range(count)]
        index = TokenIndex.build(gk.json_schema({"enum": texts}, escapes="all").network(), vocabulary)
        matcher = Matcher(index)
        matcher.allowed()
        matcher.advance(ord('"'))
        matcher.allowed()
        states.append(index.automaton.statistics()["states"])
    assert states[1] <= 1.5 * states[0] < 10_000
