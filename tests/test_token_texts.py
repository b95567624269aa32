"""Texts of tokens against a search of all of them."""

from __future__ import annotations

import random

import pytest

from guidance_kit.fsm.kernels import codes
from guidance_kit.fsm.token_texts import SortedTexts, TokenTexts
from guidance_kit.fsm.token_trie import TokenTrie
from guidance_kit.vocabulary import Vocabulary


@pytest.mark.parametrize("seed", range(4))
def test_tokens_are_found_by_their_beginnings(seed):
    """Some tokens are alike, some are too long for a trie, and some have no text."""
    chance = random.Random(seed)
    long = b"a" * (codes.MOST_BYTES + 1)
    texts = [bytes(chance.choices(b'ab"\xff', k=chance.randrange(5))) for _ in range(200)] + [long, long, long + b"b"]
    chance.shuffle(texts)
    trie = TokenTrie(Vocabulary(token_bytes=tuple(texts), special=frozenset(), eos=(), rows=len(texts)))
    found = TokenTexts(trie)
    sorted_texts = SortedTexts((text, token) for token, text in enumerate(trie.texts) if text)
    prefixes = {text[:end] for text in texts for end in range(1, len(text) + 1)}
    for prefix in [*prefixes, b"c", b"aac", b"\x00", long + b"bb"]:
        beginning = {token for token, text in enumerate(trie.texts) if text.startswith(prefix)}
        equal = {token for token, text in enumerate(trie.texts) if text == prefix}
        for one in (found, sorted_texts):
            assert one.has_beginning(prefix) == bool(beginning)
            assert sorted(one.beginning_with(prefix)) == sorted(beginning)
            assert sorted(one.equal_to(prefix)) == sorted(equal)
