"""Walks that take whole subtrees of a trie at once, against the step for each byte of each token."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from marks import thinned

import guidance_kit as gk
from guidance_kit.fsm.byte_kinds import ANY_KIND, KINDS, kinds_below
from guidance_kit.fsm.kernels import codes
from guidance_kit.fsm.kernels.columns import CHAIN
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.token_index import TokenIndex
from guidance_kit.fsm.token_trie import TokenTrie
from guidance_kit.vocabulary import Vocabulary

PIECES = [
    *"aeflzAEFLZ059_-./: \"\\\n", "é", "ß", "\u00a0", "\u2028", "\u2068", "中", "\U0001f600",
    b"\xc3", b"\xa9", b"\xe4\xb8", b"\x80", b"\xff",
]  # fmt: skip


def byte_string(piece: str | bytes) -> bytes:
    """UTF-8 of a piece, which may be part of a character."""
    return piece if isinstance(piece, bytes) else piece.encode()


def drawn_tokens(seed: int, count: int) -> list[bytes]:
    """Different tokens, most of them letters and digits."""
    random = np.random.default_rng(seed)
    pieces = [byte_string(piece) for piece in PIECES]
    weights = np.array([12.0] * 8 + [4.0] * 5 + [1.0] * (len(pieces) - 13))
    chosen = {bytes([byte]) for byte in range(256)}
    while len(chosen) < count:
        length = int(random.integers(1, 12))
        chosen.add(b"".join(pieces[k] for k in random.choice(len(pieces), length, p=weights / weights.sum())))
    return sorted(chosen)


TOKENS = drawn_tokens(7, 6000)

VOCABULARY = Vocabulary(
    token_bytes=(*TOKENS, b""), special=frozenset({len(TOKENS)}), eos=(len(TOKENS),), rows=len(TOKENS) + 1
)


def node_texts(nodes: np.ndarray) -> list[bytes]:
    """Text from the root of a trie to each of its nodes."""
    path: list[bytes] = [b""]
    texts: list[bytes] = []
    for node in nodes.tolist():
        depth = node >> 8 & 255
        texts.append(path[depth] + bytes([node & 255]))
        path[depth + 1 :] = [texts[-1]]
    return texts


def characters_of(text: bytes) -> str | None:
    """Characters of a text, of which the last may be unfinished; None if it is no such text of those of the slices."""
    found = text.decode("utf-8", errors="ignore")
    if not {"\u2028", "\u2029"}.isdisjoint(found):
        return None
    rest = text[len(found.encode()) :]
    ends = [b"", b"\x80", b"\x80\x80", b"\xa0", b"\xa0\x80", b"\x90\x80\x80", b"\x80\x80\x80"]
    for end in ends:
        try:
            return (text + end).decode() if rest else text.decode()
        except UnicodeDecodeError:
            continue
    return None


def test_kinds_of_letters_and_digits_come_first():
    """The kernels know them by their numbers."""
    for byte in range(0x80):
        assert (KINDS[byte] < codes.WORD_KINDS) == chr(byte).isalnum()


def number_of_characters(text: bytes) -> int:
    """Bytes that are no continuation of another."""
    return sum(byte & 0xC0 != 0x80 for byte in text)


def test_kinds_and_heights_are_those_of_the_texts_below():
    """A slow twin gathers the texts below each node."""
    nodes = TokenTrie(VOCABULARY).arrays.whole
    below, counts, heights = kinds_below(nodes)
    texts = node_texts(nodes)
    unusable = 0
    for i, size in enumerate((nodes >> 40).tolist()):
        longer = texts[i + 1 : i + size]
        characters = number_of_characters(texts[i])
        assert counts[i] == characters
        assert heights[i] == max(map(number_of_characters, longer), default=characters) - characters
        is_whole = not texts[i].decode("utf-8", errors="replace").endswith("\ufffd")
        inner = [characters_of(text) for text in longer]
        if not is_whole or characters_of(texts[i]) is None or None in inner:
            assert below[i] >> ANY_KIND & 1
            unusable += 1
            continue
        firsts = {character.encode()[0] for text in inner for character in (text or "")[len(texts[i].decode()) :]}
        assert below[i] == sum(1 << kind for kind in {int(KINDS[byte]) for byte in firsts})
    assert 0 < unusable < len(nodes) / 2


def follow_and_compare(network, text: bytes) -> int:
    """Compare the mask after each byte of a text with a step for each byte of each token; return how many differ from
    both the empty and the full one."""
    matcher = Matcher(TokenIndex.build(network, VOCABULARY))
    automaton = TokenIndex.build(network, VOCABULARY).automaton
    config, telling = automaton.start, 0
    for place in range(len(text) + 1):
        wanted = {k for k, token in enumerate(TOKENS) if len(automaton.advance(config, token)) == len(token)}
        if automaton.is_complete(config):
            wanted.add(len(TOKENS))
        assert set(matcher.allowed_tokens().tolist()) == wanted, text[:place]
        telling += 20 < len(wanted) < len(TOKENS) - 20
        if place < len(text):
            matcher.advance_bytes(text[place : place + 1])
            config = int(automaton.advance(config, text[place : place + 1])[-1])
    return telling


TEXTS = {
    "[a-z0-9]{8}-[a-z]{4}": b"ab1",
    "[A-Za-z]{2,5}": b"ab",
    "[A-Z][a-z]*_?[a-z]*": b"A",
    r"[\w.:-]+": b"a",
    r"[^:\s]+:[^:\s]*": "aé:".encode(),
    "[a-z]{1,30}": b"a",
    "[^/]*/e*": b"a/",
    "(le|la|[a-f]{3})+": b"lea",
    "e{3}": b"e",
    "[^é]{2}": b"a",
    "[a-f]{2,}z": b"aa",
    "[^0-9]+": "中".encode(),
    "[a-z]{3}[a-f]{2}": b"a",
    "....-..-..T": "é".encode(),
    "[^:]{3}:.{2}": b"a",
    "E[aef]{1,3}(z|_)[A-Z]*": b"Eae",
    ".*[.]E+": b"a.",
    "[^\u2028\u2029]*": b"a",
}
"""Patterns, each with the beginning of a text."""


@pytest.mark.parametrize("pattern", thinned(TEXTS, 3))
def test_masks_within_classes_are_exact(pattern):
    as_string = gk.json_schema({"type": "string", "pattern": f"^({pattern})$"}, escapes="all").network()
    telling = follow_and_compare(gk.regex(pattern).network(), TEXTS[pattern])
    telling += follow_and_compare(as_string, b'"' + TEXTS[pattern])
    assert telling or pattern == "e{3}"


def test_all_characters_with_a_first_byte_are_looked_at():
    """A class without A8 as last byte behind any second one, which the slice of text lacks behind 80 alone."""
    missing = "".join(chr(0x2028 + 64 * k) for k in range(64))
    assert follow_and_compare(gk.regex(f"[^{missing}]+").network(), b"a")
    assert follow_and_compare(gk.regex(f"[^{missing}]*:e+").network(), b"a")


CLASSES = [
    "[a-f]", "[a-z]", "[A-Za-z0-9]", "[^:]", r"\w", "[^aé]", "[ -~]", "[e-l_]", "[^\u2028]", "[^\u2028\u2029]",
]  # fmt: skip

classes = st.sampled_from(CLASSES)
parts = st.tuples(
    classes, st.sampled_from(["", "+", "*", "{3}", "{1,4}", "{2,20}", "{17}"]), st.sampled_from(["", "-", "e", "é"])
)


@settings(max_examples=settings.default.max_examples // 4)
@given(st.lists(parts, min_size=1, max_size=3))
def test_masks_within_drawn_classes_are_exact(chosen):
    pattern = "".join(map("".join, chosen))
    follow_and_compare(gk.regex(pattern).network(), b"")


@pytest.mark.parametrize(
    ("pattern", "reach"),
    [("[a-z]+", [codes.MOST_BYTES]), ("x?[A-Z]{6}", [6, 5, 4, 3, 2, 1, 0]), ("[a-f]{9}", []), ("(ab|[a-z]e)+", [])],
)
def test_chains_are_those_of_long_classes_of_letters(pattern, reach):
    """Others would save no steps."""
    index = TokenIndex.build(gk.regex(pattern).network(), VOCABULARY)
    index.automaton.arena.chain[:] = -1
    Matcher(index).allowed()
    chain = index.automaton.arena.chain
    found = chain[chain[:, CHAIN.reach] >= 0, CHAIN.reach].tolist()
    assert found[-len(reach) :] == reach if reach else not found


@pytest.mark.parametrize("pattern", ["[a-z]+", "[a-z]{1,200}", "[a-z]{8}"])
def test_work_within_a_class_is_that_of_its_chain(pattern):
    """Steps: those of the chain and of what ends it, not of each token, nor of each length of a token."""
    index = TokenIndex.build(gk.regex(pattern).network(), VOCABULARY)
    Matcher(index).allowed()
    longest = max(len(token) for token in TOKENS if token.isalpha() and token.islower())
    assert index.automaton.statistics()["steps"] <= 2 * max(longest, 17)
