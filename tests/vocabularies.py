"""Small vocabularies. Tests only."""

from __future__ import annotations

import random
from collections.abc import Iterable
from functools import cache

from guidance_kit.errors import MatchError
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.vocabulary import Vocabulary

EOS, SPECIAL = 1, 2
"""Tokens of `random_vocabulary`."""


def random_vocabulary(seed: int, alphabet: bytes = b"abc") -> Vocabulary:
    """End of sequence, a special token, all bytes of the alphabet, longer tokens, duplicates, an empty one."""
    rng = random.Random(seed)
    texts = [b"", b"", b"abc", *(bytes([b]) for b in alphabet)]
    texts += [bytes(rng.choices(alphabet, k=rng.randint(2, 4))) for _ in range(60)]
    texts += [texts[3], texts[10], b"z", b"\xff\xfe"]
    return Vocabulary(
        token_bytes=tuple(texts), special=frozenset({0, EOS, SPECIAL}), eos=(EOS,), rows=len(texts) + rng.randint(0, 40)
    )


TOOL, END = 256, 257
"""Special tokens of `special_vocabulary`, the second of which ends a sequence."""


@cache
def special_vocabulary() -> Vocabulary:
    """All bytes, special tokens `<tool>` and `<end>`, one without a name, and pieces of text, two of them with 0xFF."""
    pieces = [b"ab", b"ba", b"aab", b"<tool>", b"<to", b"ol>", b"\xff<tool>\xff", b"b\xff"]
    texts = [bytes([byte]) for byte in range(256)] + [b"", b"", b"", *pieces]
    return Vocabulary(
        token_bytes=tuple(texts),
        special=frozenset({TOOL, END, 258}),
        eos=(END,),
        rows=len(texts) + 3,
        special_names={TOOL: "<tool>", END: "<end>"},
    )


def texts_of(constraint: Constraint, words: Iterable[str]) -> set[str]:
    """Those of some words that a constraint accepts, over the vocabulary with special tokens."""
    index = constraint.compile(special_vocabulary())
    found = set()
    for word in words:
        matcher = Matcher(index)
        try:
            matcher.advance_bytes(word.encode())
        except MatchError:
            continue
        if matcher.is_complete:
            found.add(word)
    return found


@cache
def letter_vocabulary() -> Vocabulary:
    """Tokens a, b, x, y, ab, and the special token `<e>`, which ends a sequence."""
    texts = [b"a", b"b", b"x", b"y", b"ab", b""]
    return Vocabulary(token_bytes=tuple(texts), special=frozenset({5}), eos=(5,), rows=6, special_names={5: "<e>"})


@cache
def gpt2_like_vocabulary() -> Vocabulary:
    """All bytes, and many pieces of text with letters of one to four bytes, spaces, quotes and broken characters."""
    rng = random.Random(5)
    letters = 'abcdefgh  "\\\n.,:1234éßж漢字🙂\u007f'
    texts = {bytes([b]) for b in range(256)}
    while len(texts) < 1500:
        text = "".join(rng.choices(letters, k=rng.randint(1, 8))).encode()
        texts.add(text[rng.randint(0, 2) : len(text) - rng.choice([0, 0, 0, 1, 2])] or b"x")
    ordered = sorted(texts)
    rng.shuffle(ordered)
    return Vocabulary(token_bytes=(b"", *ordered), special=frozenset({0}), eos=(0,), rows=len(ordered) + 1)
