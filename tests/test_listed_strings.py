"""Long enumerations: the tree of strings that is written block by block has the masks of the whole one."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from json_texts import judge

import guidance_kit as gk
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.token_index import TokenIndex
from guidance_kit.grammars.json_schema import writer
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


def index_of(texts: list[str], at_once: int, monkeypatch: pytest.MonkeyPatch) -> TokenIndex:
    """Index of an enumeration whose tree is written as a whole up to so many strings."""
    gk.caches.clear("fragments")
    monkeypatch.setattr(writer, "MOST_AT_ONCE", at_once)
    eos = len(TOKENS)
    vocabulary = Vocabulary(token_bytes=(*TOKENS, b""), special=frozenset([eos]), eos=(eos,), rows=eos + 1)
    index = TokenIndex.build(gk.json_schema({"enum": texts}, escapes="all").network(), vocabulary)
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
