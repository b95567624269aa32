"""Masks, bit for bit, against trying every token; rollback and fork against replay."""

from __future__ import annotations

import json
import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from networks import random_network
from oracles import Interpreter

from guidance_kit.errors import MatchError, UnspellableError
from guidance_kit.fsm import bitmask, mask_store
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.fsm.limits import Limits
from guidance_kit.fsm.matcher import Matcher, fill_masks
from guidance_kit.fsm.network import UNBOUNDED, Network
from guidance_kit.fsm.token_index import TokenIndex
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.grammars.regex import regex_network
from guidance_kit.vocabulary import Vocabulary

EOS, SPECIAL = 1, 2


def random_vocabulary(seed: int, alphabet: bytes = b"abc") -> Vocabulary:
    """End of sequence, a special token, all bytes of the alphabet, longer tokens, duplicates, an empty one."""
    rng = random.Random(seed)
    texts = [b"", b"", b"abc", *(bytes([b]) for b in alphabet)]
    texts += [bytes(rng.choices(alphabet, k=rng.randint(2, 4))) for _ in range(60)]
    texts += [texts[3], texts[10], b"z", b"\xff\xfe"]
    return Vocabulary(
        token_bytes=tuple(texts), special=frozenset({0, EOS, SPECIAL}), eos=(EOS,), rows=len(texts) + rng.randint(0, 40)
    )


def brute_force(vocabulary: Vocabulary, twin: Interpreter, items) -> np.ndarray:
    """Every token tried byte by byte: bool, (rows,)."""
    allowed = np.zeros(vocabulary.rows, dtype=bool)
    for token, text in enumerate(vocabulary.token_bytes):
        if token in vocabulary.eos:
            allowed[token] = None in items
        elif text and token not in vocabulary.special:
            after = items
            for byte in text:
                after = twin.step(after, byte)
            allowed[token] = bool(after)
    return allowed


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_masks_are_exact(first):
    compared = 0
    for seed in range(first, first + 20):
        network, vocabulary = random_network(seed), random_vocabulary(seed)
        index, twin = TokenIndex(Automaton(network), vocabulary), Interpreter(network)
        rng = random.Random(seed)
        for _ in range(4):
            matcher, items = Matcher(index), twin.start
            for _ in range(6):
                if len(items) > 60:  # the twin does not merge stacks: ambiguity costs it exponential time
                    break
                mask = matcher.allowed()
                assert mask.shape == (bitmask.words(vocabulary.rows),)
                expected = brute_force(vocabulary, twin, items)
                np.testing.assert_array_equal(bitmask.unpack(mask, vocabulary.rows), expected)
                assert expected.any(), "dead end"
                compared += vocabulary.rows
                assert not bitmask.unpack(mask, len(mask) * 32)[len(vocabulary.token_bytes) :].any()
                token = rng.choice(np.flatnonzero(expected).tolist())
                matcher.advance(token)
                if token == EOS:
                    assert matcher.is_finished
                    assert not matcher.allowed().any()
                    break
                for byte in vocabulary.token_bytes[token]:
                    items = twin.step(items, byte)
    assert compared > 10_000


def json_like_network() -> Network:
    """A list of strings over all of Unicode, one of them at most 5 characters long."""
    network = Network()

    def characters(source: int, target: int) -> None:
        for lo, hi in ((0x20, 0x21), (0x23, 0x5B), (0x5D, 0x7F)):
            network.byte(source, lo, hi, target)
        one, two, three, e0, ed, f0, f4 = network.states(7)
        for here, lo, hi, there in (
            (source, 0xC2, 0xDF, one), (source, 0xE0, 0xE0, e0), (source, 0xE1, 0xEC, two), (source, 0xED, 0xED, ed),
            (source, 0xEE, 0xEF, two), (source, 0xF0, 0xF0, f0), (source, 0xF1, 0xF3, three), (source, 0xF4, 0xF4, f4),
            (one, 0x80, 0xBF, target), (two, 0x80, 0xBF, one), (three, 0x80, 0xBF, two),
            (e0, 0xA0, 0xBF, one), (ed, 0x80, 0x9F, one), (f0, 0x90, 0xBF, two), (f4, 0x80, 0x8F, two),
        ):  # fmt: skip
            network.byte(here, lo, hi, there)

    def body(end: int) -> int:
        start = network.state()
        characters(start, end)
        return start

    def root() -> int:
        start, inside, middle, short, after, end = network.states(6)
        network.final(end)
        network.byte(start, 0x22, 0x22, inside)
        characters(inside, inside)
        network.byte(inside, 0x22, 0x22, middle)
        network.byte(middle, 0x2C, 0x2C, start)
        network.byte(middle, 0x3A, 0x3A, short)
        network.call(short, counted, after)
        network.byte(after, 0x2E, 0x2E, end)
        return start

    network.root = network.rule(root, nullable=False)
    counted = network.repeat(body, 2, 5)
    return network


@pytest.mark.parametrize("bounds", [(0, 500), (30, 500), (40, UNBOUNDED), (120, 120), (60, 70)])
@pytest.mark.parametrize("words", [(b"a", b"b", b"c"), (b"ab", b"c"), (b"a", b"aa", b"bc")])
def test_far_counters_share_their_masks(bounds, words):
    """Masks under a horizon against those without one: a repetition in a repetition, followed by a letter."""
    vocabulary = random_vocabulary(3, b"abc(.)")

    def network() -> Network:
        network = Network()

        def turn(end: int) -> int:
            start = network.state()
            for word in words:
                network.literal(start, word, end)
            return start

        def group(end: int) -> int:
            start, inside, after = network.states(3)
            network.byte(start, 40, 40, inside)
            network.call(inside, inner, after)
            network.byte(after, 41, 41, end)
            return start

        inner = network.repeat(turn, *bounds)
        network.root = network.repeat(group, 1, 300)
        return network

    def follow(index: TokenIndex, seed: int) -> list[np.ndarray]:
        rng, matcher, masks = random.Random(seed), Matcher(index), []
        for _ in range(100):
            masks.append(matcher.allowed())
            tokens = [token for token in matcher.allowed_tokens().tolist() if token != EOS]
            closing = [token for token in tokens if b")" in vocabulary.token_bytes[token]]
            matcher.advance(rng.choice(closing if closing and rng.random() < 0.3 else tokens))
        return masks

    plain = TokenIndex(Automaton(network()), vocabulary)
    index = TokenIndex.build(network(), vocabulary)
    for seed in range(5):
        for one, other in zip(follow(plain, seed), follow(index, seed), strict=True):
            np.testing.assert_array_equal(one, other)
    assert index.statistics()["misses"] < plain.statistics()["misses"] / 2


def walked(index: TokenIndex, rng: random.Random) -> tuple[Matcher, list[int]]:
    """A matcher at some place of some text, which may be over, and the tokens up to there."""
    matcher, tokens = Matcher(index), []
    for _ in range(rng.randint(0, 12)):
        if not matcher.is_finished:
            tokens.append(rng.choice(matcher.allowed_tokens().tolist()))
            matcher.advance(tokens[-1])
    return matcher, tokens


def replayed(index: TokenIndex, tokens: list[int]) -> Matcher:
    matcher = Matcher(index)
    matcher.advance_all(tokens)
    return matcher


@pytest.mark.parametrize("workers", [0, 3])
def test_masks_of_many_texts_are_those_of_each(workers):
    vocabulary = random_vocabulary(7, b'abc{}[]", :')
    patterns = ["[abc]{2,5}", "(a|b)*c", r'"[^"]*"', "a{0,300}b?", "x?a"]
    rng = random.Random(5)
    indexes, twins = ([TokenIndex.build(regex_network(p), vocabulary) for p in patterns] for _ in range(2))
    with ThreadPoolExecutor(workers or 1) as pool:
        for _ in range(20):
            places = [(which, *walked(indexes[which], rng)) for which in rng.choices(range(5), k=17)]
            matchers = [matcher if rng.random() < 0.9 else None for _, matcher, _ in places]
            if rng.random() < 0.5:
                rng.choice(indexes).forget()
            masks = np.full((17, indexes[0].words), -1, dtype=np.int32)
            fill_masks(matchers, masks, threads=pool if workers else None)
            for matcher, (which, _, tokens), mask in zip(matchers, places, masks, strict=True):
                expected = 0 if matcher is None else replayed(twins[which], tokens).allowed()
                np.testing.assert_array_equal(mask, expected)


def test_masks_of_many_texts_that_do_not_fit():
    index = TokenIndex.build(regex_network("a*"), random_vocabulary(1))
    with pytest.raises(ValueError, match="2 matchers do not fit"):
        fill_masks([Matcher(index), None], bitmask.allocate(3, index.vocabulary.rows))
    with pytest.raises(ValueError, match="words do not fit the vocabulary"):
        fill_masks([Matcher(index)], bitmask.allocate(1, index.vocabulary.rows + 32))


def test_drafts_lead_where_their_tokens_do():
    vocabulary, rng = random_vocabulary(2), random.Random(3)
    index = TokenIndex.build(regex_network("(ab|ba|c){1,4}"), vocabulary)
    refused = 0
    for _ in range(60):
        matcher, before = walked(index, rng)
        count = rng.randint(0, 8)
        tokens = [rng.choice(range(len(vocabulary) + 1)) for _ in range(count)]
        parents = [rng.randint(-1, number - 1) for number in range(count)] if rng.random() < 0.7 else None
        found = matcher.follow(tokens, parents)
        assert len(matcher) == len(before)
        for number, after in enumerate(found):
            path, place = [], number
            while place >= 0:
                path.insert(0, tokens[place])
                place = place - 1 if parents is None else parents[place]
            try:
                replay = replayed(index, before + path)
            except MatchError:
                assert after is None
                refused += 1
                continue
            assert after is not None
            assert len(after) == len(replay)
            np.testing.assert_array_equal(after.allowed(), replay.allowed())
    assert 50 < refused < 230
    with pytest.raises(ValueError, match="parent of token 1 is 1"):
        matcher.follow([3, 3], [-1, 1])


def test_masks_are_forgotten_when_memory_is_short(gpt2_like_vocabulary):
    vocabulary = gpt2_like_vocabulary
    indexes = [TokenIndex.build(regex_network(f"{k}[a-z]{{50}}"), vocabulary) for k in range(10)]
    size = 4 * mask_store.BLOCK * (indexes[0].words + 1)
    words = [
        (token, len(text))
        for token, text in enumerate(vocabulary.token_bytes)
        if text.isascii() and text.isalpha() and text.islower()
    ]
    before = mask_store.memory_for_masks()
    try:
        mask_store.memory_for_masks(8 * size)
        for _ in range(2):
            for k, index in enumerate(indexes):
                matcher = Matcher(index)
                matcher.advance_bytes(b"%d" % k)
                for left in range(50, 20, -1):
                    expected = [token for token, length in words if length <= left]
                    assert matcher.allowed_tokens().tolist() == expected
                    matcher.advance_bytes(b"a")
                assert sum(other.statistics()["bytes"] for other in indexes) <= 8 * size
        assert sum(index.statistics()["forgotten"] for index in indexes) > 100
        with pytest.raises(ValueError, match="-1 bytes"):
            mask_store.memory_for_masks(-1)
    finally:
        mask_store.memory_for_masks(before)


def test_an_index_begins_anew_when_its_own_memory_is_full(gpt2_like_vocabulary):
    index = TokenIndex.build(regex_network("[a-z]{60}"), gpt2_like_vocabulary, limits=Limits(mask_cache_bytes=1))
    twin = TokenIndex.build(regex_network("[a-z]{60}"), gpt2_like_vocabulary)
    one, other = Matcher(index), Matcher(twin)
    for _ in range(60):
        np.testing.assert_array_equal(one.allowed(), other.allowed())
        one.advance_bytes(b"x")
        other.advance_bytes(b"x")
    assert index.statistics()["masks"] < mask_store.BLOCK
    assert index.statistics()["forgotten"] > 30
    assert twin.statistics()["forgotten"] == 0


def test_slices_give_the_masks_of_the_whole_walk(gpt2_like_vocabulary):
    vocabulary = gpt2_like_vocabulary
    network = json_like_network()
    index, twin = TokenIndex(Automaton(network), vocabulary), Interpreter(network)
    used, mask = set(), np.empty(index.words, dtype=np.int32)
    for text in ("", '"', '"h', '"héllo wörld ', '"a",', '"a":', '"a":1', '"a":12', '"a":123', '"a":1234', '"a":12345'):
        data = text.encode()
        for cut in range(max(0, len(data) - 2), len(data) + 1):
            matcher = Matcher(index)
            matcher.advance_bytes(data[:cut])
            items = twin.run(data[:cut])
            expected = brute_force(vocabulary, twin, items)
            index.forget()
            used.add(index.fill_mask(matcher._place.config, mask))
            np.testing.assert_array_equal(bitmask.unpack(mask, vocabulary.rows), expected)
    assert used == {1, 2}


FREE_STRINGS = [
    ({"type": "string"}, "all", {1, 3}),
    ({"type": "string"}, "minimal", {1, 4}),
    ({"type": "string", "minLength": 2, "maxLength": 700}, "all", {1, 2, 3}),
    ({"type": ["string", "null"], "maxLength": 2}, "all", {1, 2}),
    ({"properties": {"héllo": True, "help": {"const": "x"}}}, "all", {1, 2, 3}),
    ({"enum": ["hé", "h\n", "\U0001f600/"]}, "all", {1}),
    ({"type": "string", "pattern": "^h.*"}, "all", {1, 2}),
]
"""Schema, escapes, and the ways in which masks have to be found (see `kernels.fill_mask`)."""


@pytest.mark.parametrize(("schema", "escapes", "ways"), FREE_STRINGS)
def test_masks_of_free_strings(schema, escapes, ways, gpt2_like_vocabulary):
    vocabulary = gpt2_like_vocabulary
    constraint = json_schema(schema, escapes=escapes)
    index, twin = TokenIndex.build(constraint.network(), vocabulary), Interpreter(constraint.network())
    used, mask = set(), np.empty(index.words, dtype=np.int32)
    texts = ['"hello', r'"h\u00', r'"\ud83d\ude', '"hé', '"h\U0001f600', '{"hé', r'{"help":"\u0078"', r'{"h\u00e9l']
    for text in map(str.encode, texts):
        for cut in range(len(text) + 1):
            matcher = Matcher(index)
            try:
                matcher.advance_bytes(text[:cut])
            except MatchError:
                break
            used.add(index.fill_mask(matcher._place.config, mask))
            expected = brute_force(vocabulary, twin, twin.run(text[:cut]))
            np.testing.assert_array_equal(bitmask.unpack(mask, vocabulary.rows), expected)
    assert ways <= used


FREE_TEXTS = [
    r'"[^"\\\x00-\x1f]*"',
    r'"(?:[^"\\\x00-\x1f]|\\["\\n])*"',
    r'"[^"\\\x00-\x1f]{0,3}",?',
    r'"(?:[a-h]|[^"\\\x00-\x1f]){2,40}"',
    r"[^a]*a",
    r".*",
    r"(?s:.)*x",
    r"(?s:.){5}",
    r"(?!.*ab)[^\x00-\x1f]*",
    r'(?:"[^"\\\n]*"|[^"\\\n]*) ',
    r"[^\x80-\u07ff]+",
    r"(?:[ -~]|[\u0080-\uffff])*",
    r"(?:[^\n\U00010000-\U0010ffff]|[\U00010000-\U0010ffff])*\n",
]


@pytest.mark.parametrize("pattern", FREE_TEXTS)
def test_masks_of_free_text(pattern, gpt2_like_vocabulary):
    index = TokenIndex.build(regex_network(pattern), gpt2_like_vocabulary)
    twin = Interpreter(regex_network(pattern))
    rng = random.Random(pattern)
    for _ in range(3):
        matcher, text = Matcher(index), b""
        for _ in range(6):
            expected = brute_force(gpt2_like_vocabulary, twin, twin.run(text))
            np.testing.assert_array_equal(bitmask.unpack(matcher.allowed(), gpt2_like_vocabulary.rows), expected)
            tokens = [token for token in matcher.allowed_tokens().tolist() if token]
            if not tokens:
                break
            token = rng.choice(tokens)
            matcher.advance(token)
            text += gpt2_like_vocabulary.token_bytes[token]


def test_masks_within_keys(gpt2_like_vocabulary):
    """Undeclared keys are free text but for the declared ones, which the vocabulary spells in many ways."""
    rng = random.Random(11)
    texts = [text.decode() for text in gpt2_like_vocabulary.token_bytes if text.isalpha() and text.isascii()]
    for _ in range(4):
        keys = {"".join(rng.choices(texts, k=rng.randint(1, 3))) for _ in range(8)} | {"é", "", 'a"b', "ab"}
        schema = {
            "type": "object",
            "properties": {key: {"const": 1} for key in sorted(keys)},
            "additionalProperties": {"const": 2},
        }
        network = json_schema(schema, whitespace="compact").network
        index, twin = TokenIndex.build(network(), gpt2_like_vocabulary), Interpreter(network())
        for key in sorted(keys):
            matcher, text = Matcher(index), b""
            for piece in (b'{"', *(bytes([byte]) for byte in json.dumps(key).encode()[1:-1][:5])):
                matcher.advance_bytes(piece)
                text += piece
                expected = brute_force(gpt2_like_vocabulary, twin, twin.run(text))
                np.testing.assert_array_equal(bitmask.unpack(matcher.allowed(), gpt2_like_vocabulary.rows), expected)


def test_constraints_over_one_vocabulary_in_many_threads(gpt2_like_vocabulary):
    def masks(letter: str) -> list[np.ndarray]:
        matcher = Matcher(TokenIndex.build(regex_network(rf"(?:[^{letter}\n]|\d{letter})*"), gpt2_like_vocabulary))
        found = []
        for byte in b"x1" * 4:
            found.append(matcher.allowed())
            matcher.advance_bytes(bytes([byte]))
        return found

    letters = "abcdefgh" * 8
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(masks, letters))
    for letter, found in zip(letters, together, strict=True):
        np.testing.assert_array_equal(found, masks(letter))


@pytest.fixture(scope="module")
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


class MatcherMachine(RuleBasedStateMachine):
    """Random scripts of advance, rollback and fork; every matcher must equal a fresh one that replays its tokens."""

    @initialize(seed=st.integers(0, 40))
    def begin(self, seed):
        self.index = TokenIndex(Automaton(random_network(seed)), random_vocabulary(seed))
        self.pairs = [(Matcher(self.index), [])]

    @rule(which=st.integers(0, 9), choice=st.integers(0, 10_000))
    def advance(self, which, choice):
        matcher, tokens = self.pairs[which % len(self.pairs)]
        allowed = matcher.allowed_tokens()
        if len(allowed):
            token = int(allowed[choice % len(allowed)])
            assert matcher.can_advance(token)
            matcher.advance(token)
            tokens.append(token)

    @rule(which=st.integers(0, 9), token=st.integers(-2, 120))
    def refuse(self, which, token):
        matcher, _ = self.pairs[which % len(self.pairs)]
        if token not in matcher.allowed_tokens():
            assert not matcher.can_advance(token)
            before = len(matcher)
            with pytest.raises(MatchError):
                matcher.advance(token)
            assert len(matcher) == before

    @rule(which=st.integers(0, 9), steps=st.integers(0, 4))
    def rollback(self, which, steps):
        matcher, tokens = self.pairs[which % len(self.pairs)]
        steps = min(steps, len(tokens))
        matcher.rollback(steps)
        del tokens[len(tokens) - steps :]

    @precondition(lambda self: len(self.pairs) < 5)
    @rule(which=st.integers(0, 9))
    def fork(self, which):
        matcher, tokens = self.pairs[which % len(self.pairs)]
        self.pairs.append((matcher.fork(), list(tokens)))

    @rule()
    def compare(self):
        for matcher, tokens in self.pairs:
            fresh = Matcher(self.index)
            fresh.advance_all(tokens)
            np.testing.assert_array_equal(matcher.allowed(), fresh.allowed())
            assert (matcher.is_complete, matcher.is_finished) == (fresh.is_complete, fresh.is_finished)


TestMatcherMachine = MatcherMachine.TestCase
TestMatcherMachine.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)


def test_overlong_tokens():
    long = b"ab" * 200
    vocabulary = Vocabulary(token_bytes=(b"a", b"b", long, long[:254], b""), special=frozenset({4}), eos=(4,), rows=5)
    for text, expected in ((long, [0, 2, 3]), (long[:-1], [0, 3]), (b"b", [1])):
        assert Matcher(TokenIndex.build(literal_network(text), vocabulary)).allowed_tokens().tolist() == expected


def literal_network(*texts: bytes) -> Network:
    network = Network()

    def build() -> int:
        start, end = network.states(2)
        network.final(end)
        for text in texts:
            network.literal(start, text, end)
        return start

    network.root = network.rule(build, nullable=b"" in texts)
    return network


def test_forced_text_and_tokens():
    matcher = Matcher(TokenIndex.build(literal_network(b"hello world", b"hello there"), Vocabulary.from_bytes()))
    assert matcher.forced_text() == b"hello "
    assert matcher.forced_tokens() == list(b"hello ")
    matcher.advance_bytes(b"hello t")
    assert matcher.forced_text() == b"here"
    assert matcher.forced_tokens() == [*b"here", 256]
    matcher.advance_all([*b"here", 256])
    assert matcher.is_finished
    assert matcher.forced_text() == b""
    assert matcher.forced_tokens() == []


def test_advance_all_is_all_or_nothing():
    matcher = Matcher(TokenIndex.build(literal_network(b"abc"), Vocabulary.from_bytes()))
    with pytest.raises(MatchError, match="not allowed here"):
        matcher.advance_all(b"abx")
    assert len(matcher) == 0
    with pytest.raises(MatchError, match="byte 2"):
        matcher.advance_bytes(b"abx")
    with pytest.raises(MatchError, match="not complete"):
        matcher.advance(256)
    with pytest.raises(ValueError, match="cannot take back"):
        matcher.rollback(1)


def letters_vocabulary(*texts: str) -> Vocabulary:
    return Vocabulary(
        token_bytes=(b"", *(text.encode() for text in texts)), special=frozenset({0}), eos=(0,), rows=len(texts) + 1
    )


def test_what_cannot_be_spelled_is_never_begun():
    # "ax" is open at first, but x has no token; nor has the second byte of é, except as part of the whole letter
    vocabulary = letters_vocabulary("a", "b", "é", "ab", "aé")
    index = TokenIndex.build(literal_network(b"ax", "aé".encode(), b"bb", "ßa".encode()), vocabulary)
    matcher = Matcher(index)
    assert matcher.allowed_tokens().tolist() == [1, 2, 5]
    matcher.advance(1)
    assert matcher.allowed_tokens().tolist() == [3]


def test_a_constraint_that_cannot_be_spelled_names_the_characters():
    with pytest.raises(UnspellableError) as caught:
        TokenIndex.build(literal_network(b'{"a": 1}', "[ß]".encode()), letters_vocabulary("a", "1", " ", ":", "[", "]"))
    assert caught.value.characters == ('"', "{", "}", "ß")


def test_packing_round_trips():
    rng = np.random.default_rng(0)
    for rows in (1, 31, 32, 33, 64, 1000):
        allowed = rng.random((3, rows)) < 0.5
        mask = bitmask.pack(allowed)
        assert mask.dtype == np.int32
        assert mask.shape == (3, bitmask.words(rows))
        np.testing.assert_array_equal(bitmask.unpack(mask, rows), allowed)
        np.testing.assert_array_equal(bitmask.count(mask), allowed.sum(-1))
        np.testing.assert_array_equal(bitmask.tokens_of(mask[0]), np.flatnonzero(allowed[0]))
        logits = rng.standard_normal((3, rows)).astype(np.float32)
        expected = np.where(allowed, logits, -np.inf)
        bitmask.apply(logits, mask)
        np.testing.assert_array_equal(logits, expected)
    with pytest.raises(ValueError, match="does not fit"):
        bitmask.apply(np.zeros((1, 33), dtype=np.float32), bitmask.allocate(1, 32))
