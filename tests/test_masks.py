"""Masks, bit for bit, against trying every token."""

from __future__ import annotations

import json
import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from marks import slow
from networks import counted_network, random_network, regex_network, words_of
from oracles import Interpreter, brute_force
from vocabularies import EOS, gpt2_like_vocabulary, random_vocabulary

from guidance_kit.errors import MatchError
from guidance_kit.fsm import bitmask
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.fsm.kernels import codes
from guidance_kit.fsm.kernels.columns import STATE, USED
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.network import Network
from guidance_kit.fsm.opcodes import CALL, EPSILON, JUMP
from guidance_kit.fsm.slices import SLICES, TEXT
from guidance_kit.fsm.token_index import TokenIndex
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.grammars.regular.product_automaton import ProductAutomaton
from guidance_kit.vocabulary import Vocabulary


@pytest.mark.parametrize("make", [random_network, counted_network])
@pytest.mark.parametrize("first", [0, *slow(10, 20, 30, 40, 50)])
def test_masks_are_exact(first, make):
    compared = 0
    for seed in range(first, first + 10):
        network, vocabulary = make(seed), random_vocabulary(seed)
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
    assert compared > 5_000


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


def test_slices_give_the_masks_of_the_whole_walk():
    vocabulary = gpt2_like_vocabulary()
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
"""Schema, escapes, and the ways in which masks have to be found (see `fill_mask`)."""


@pytest.mark.parametrize(("schema", "escapes", "ways"), [FREE_STRINGS[0], *slow(*FREE_STRINGS[1:])])
def test_masks_of_free_strings(schema, escapes, ways):
    vocabulary = gpt2_like_vocabulary()
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


@pytest.mark.parametrize("escapes", ["all", *slow("minimal")])
def test_masks_within_keys_differ_from_those_of_free_text_by_a_few_first_bytes(escapes):
    vocabulary = gpt2_like_vocabulary()
    names = ["ab", "abba", "a:", 'b"c', "b\\", "é1", "漢字", "\u007f", " a"]
    constraint = json_schema({"properties": {name: {"type": "integer"} for name in names}}, escapes=escapes)
    index, twin = TokenIndex.build(constraint.network(), vocabulary), Interpreter(constraint.network())
    mask, alike = np.empty(index.words, dtype=np.int32), 0
    written = [f"{{{json.dumps(name, ensure_ascii=False)}".encode()[:-1] for name in names]
    for text in sorted({begun[:cut] for begun in written for cut in range(2, len(begun) + 1)}):
        config = int(index.automaton.advance(index.automaton.start, text)[-1])
        index.fill_mask(config, mask)
        alike += index.automaton.arena.used[USED.like] > codes.DEAD
        expected = brute_force(vocabulary, twin, twin.run(text))
        np.testing.assert_array_equal(bitmask.unpack(mask, vocabulary.rows), expected)
    assert alike >= 10


FREE_TEXTS = [
    r'"[^"\\\x00-\x1f]*"',
    r'"(?:[^"\\\x00-\x1f]|\\["\\n])*"',
    r'"[^"\\\x00-\x1f]{0,3}",?',
    r'"(?:[a-h]|[^"\\\x00-\x1f]){2,40}"',
    r"[^a]*a",
    r".*",
    r"[^\n\r\u2028\u2029]*",
    r"[^\n\r\u2028\u2029]*[.]x",
    r"[^\u2028]*",
    r"(?:[^\u2028\n]|\u2028x)*",
    r"(?s:.)*x",
    r"(?s:.){5}",
    r"(?!.*ab)[^\x00-\x1f]*",
    r'(?:"[^"\\\n]*"|[^"\\\n]*) ',
    r"[^\x80-\u07ff]+",
    r"(?:[ -~]|[\u0080-\uffff])*",
    r"(?:[^\n\U00010000-\U0010ffff]|[\U00010000-\U0010ffff])*\n",
]


@pytest.mark.parametrize("count", [1, *slow(4)])
@pytest.mark.parametrize("pattern", FREE_TEXTS)
def test_masks_of_free_text(pattern, count):
    vocabulary = gpt2_like_vocabulary()
    index = TokenIndex.build(regex_network(pattern), vocabulary)
    twin = Interpreter(regex_network(pattern))
    rng = random.Random(pattern)
    for _ in range(count):
        matcher, text = Matcher(index), b""
        for _ in range(6):
            expected = brute_force(vocabulary, twin, twin.run(text))
            np.testing.assert_array_equal(bitmask.unpack(matcher.allowed(), vocabulary.rows), expected)
            tokens = [token for token in matcher.allowed_tokens().tolist() if token]
            if not tokens:
                break
            token = rng.choice(tokens)
            matcher.advance(token)
            text += vocabulary.token_bytes[token]


@pytest.mark.parametrize(("escapes", "count"), [("minimal", 1), *slow(("all", 1), ("all", 4), ("minimal", 4))])
def test_masks_within_keys(escapes, count):
    """Undeclared keys are free text but for the declared ones, which the vocabulary spells in many ways."""
    vocabulary = gpt2_like_vocabulary()
    rng = random.Random(11)
    texts = [text.decode() for text in vocabulary.token_bytes if text.isalpha() and text.isascii()]
    for _ in range(count):
        keys = {"".join(rng.choices(texts, k=rng.randint(1, 3))) for _ in range(8)} | {"é", "", 'a"b', "ab"}
        schema = {
            "type": "object",
            "properties": {key: {"const": 1} for key in sorted(keys)},
            "additionalProperties": {"const": 2},
        }
        network = json_schema(schema, whitespace="compact", escapes=escapes).network
        index, twin = TokenIndex.build(network(), vocabulary), Interpreter(network())
        for key in sorted(keys):
            matcher, text = Matcher(index), b""
            spelt = json.dumps(key, ensure_ascii=escapes == "all").encode()[1:-1]
            for piece in (b'{"', *(bytes([byte]) for byte in spelt[:5])):
                matcher.advance_bytes(piece)
                text += piece
                expected = brute_force(vocabulary, twin, twin.run(text))
                np.testing.assert_array_equal(bitmask.unpack(matcher.allowed(), vocabulary.rows), expected)


@pytest.mark.parametrize(("escapes", "is_free"), [("all", True), ("minimal", True), ("ascii", False)])
def test_other_keys_are_free_where_characters_stand_for_themselves(escapes, is_free):
    network = json_schema({"properties": {"abc": {}, "abd": {}}}, escapes=escapes).network()
    for rule, _ in enumerate(network.rules):  # grows meanwhile
        network.ensure_built(rule)
    assert any(rule.is_free for rule in network.rules) == is_free


def test_the_reach_of_free_text_goes_on_where_a_rule_was_missing(monkeypatch):
    """Keys other than those of a counted pattern, not known to be free: a rule is missing every few characters."""
    monkeypatch.setattr(ProductAutomaton, "is_free", lambda *_: False)
    monkeypatch.setattr(ProductAutomaton, "is_free_part", lambda *_: False)
    monkeypatch.setattr(Network, "ends_part", lambda *_: None)
    reached, make_room = [], Automaton.make_room

    def noting(self, code):
        reached.append((code, int(self.arena.used[USED.reach])))
        make_room(self, code)

    schema = {"type": "object", "patternProperties": {"^/[a-z/]{0,40}$": {"const": 1}}}
    vocabulary = gpt2_like_vocabulary()
    network = json_schema(schema, whitespace="compact").network
    matcher, twin = Matcher(TokenIndex.build(network(), vocabulary)), Interpreter(network())
    matcher.advance_bytes(b'{"/')
    monkeypatch.setattr(Automaton, "make_room", noting)
    mask = matcher.allowed()
    assert len({reach for code, reach in reached if code == codes.NEED_RULES and reach > 0}) > 1
    expected = brute_force(vocabulary, twin, twin.run(b'{"/'))
    np.testing.assert_array_equal(bitmask.unpack(mask, vocabulary.rows), expected)


BOUNDED = [
    ({"maxLength": 200}, '"'),
    ({"maxLength": 60}, '"h'),
    ({"maxLength": 60, "minLength": 3}, '"hé'),
    ({"minLength": 70, "maxLength": 170}, '"ab'),
    ({"maxLength": 70}, '"' + 64 * "a"),
    ({"maxLength": 12}, '"' + 5 * "a"),
    ({"maxLength": 1}, '"'),
    ({"maxLength": 1}, '"a'),
]


@pytest.mark.parametrize("escapes", ["minimal", "all"])
@pytest.mark.parametrize(("bounds", "text"), BOUNDED)
def test_masks_of_bounded_strings_take_few_steps(bounds, text, escapes):
    """All characters lead to the same, so one of them is looked at for each place in a token."""
    vocabulary = gpt2_like_vocabulary()
    network = json_schema({"type": "string", **bounds}, escapes=escapes).network
    index, twin = TokenIndex.build(network(), vocabulary), Interpreter(network())
    config = int(index.automaton.advance(index.automaton.start, text.encode())[-1])
    before, mask = index.automaton.statistics()["steps"], np.empty(index.words, dtype=np.int32)
    index.fill_mask(config, mask)
    assert index.automaton.statistics()["steps"] - before < 100
    expected = brute_force(vocabulary, twin, twin.run(text.encode()))
    np.testing.assert_array_equal(bitmask.unpack(mask, vocabulary.rows), expected)


def free_places(network: Network) -> list[set[int]]:
    """Places of TEXT at which any of its texts can be read from each state, by the greatest set that says so itself."""
    edges, rules = network.edges, network.rules
    own = [set(range(len(SLICES[TEXT]))) for _ in edges]
    while True:
        free = [set(places) for places in own]
        before = None
        while before != free:
            before = [set(places) for places in free]
            for state, ways in enumerate(edges):
                for op, a, b in ways:
                    if op == EPSILON:
                        free[state] |= before[a]
                    elif op in (CALL, JUMP):
                        start = rules[a].start
                        known = before[start + b * (op == JUMP)] if start >= 0 else {0} if rules[a].is_free else set()
                        free[state] |= known & {0}
        kept = [{place for place in places if leads_on(edges[state], place, free)} for state, places in enumerate(own)]
        if kept == own:
            return free
        own = kept


def leads_on(ways: list[tuple[int, int, int]], place: int, free: list[set[int]]) -> bool:
    """Test whether each byte that can follow a place leads to where any text can follow the next one."""
    return all(
        following < 0 or any(op >= 0 and op & 255 <= byte <= op >> 8 and following in free[to] for op, to, _ in ways)
        for byte, following in enumerate(SLICES[TEXT][place].tolist())
    )


@pytest.mark.parametrize(
    "pattern", [*FREE_TEXTS, r"[^a]{3,9}b?(?s:.)*", r"((?s:.){0,5}x)*(?s:.)*", r"(?s:.){20}(?s:.)*"]
)
def test_states_of_free_text_are_the_greatest_set(pattern):
    network = regex_network(pattern)
    number = 0
    while number < len(network.rules):
        network.ensure_built(number)
        number += 1
    automaton = Automaton(network)
    found = automaton.arena.states[: network.size, STATE.free]
    places = range(len(SLICES[TEXT]))
    assert [{place for place in places if bits >> place & 1} for bits in found.tolist()] == free_places(network)


def test_overlong_tokens():
    long = b"ab" * 200
    vocabulary = Vocabulary(token_bytes=(b"a", b"b", long, long[:254], b""), special=frozenset({4}), eos=(4,), rows=5)
    for text, expected in ((long, [0, 2, 3]), (long[:-1], [0, 3]), (b"b", [1])):
        assert Matcher(TokenIndex.build(words_of([text]), vocabulary)).allowed_tokens().tolist() == expected


def test_constraints_over_one_vocabulary_in_many_threads():
    vocabulary = gpt2_like_vocabulary()

    def masks(letter: str) -> list[np.ndarray]:
        matcher = Matcher(TokenIndex.build(regex_network(rf"(?:[^{letter}\n]|\d{letter})*"), vocabulary))
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


@pytest.mark.parametrize("seed", range(40))
def test_no_dead_end_within_a_character(seed):
    """Vocabularies of characters and of texts that are cut anywhere, with some bytes: each walk can be completed."""
    rng = random.Random(seed)
    letters = "aé€😀"
    texts = {letter.encode() for letter in letters}
    while len(texts) < 16:
        text = "".join(rng.choices(letters, k=3)).encode()
        texts.add(text[rng.randrange(3) : len(text) - rng.randrange(4)])
    texts |= {bytes([byte]) for byte in range(0x80, 0xC0) if seed % 2 or rng.random() < 0.5}
    vocabulary = Vocabulary(token_bytes=(b"", *sorted(texts)), special=frozenset({0}), eos=(0,), rows=len(texts) + 1)
    index = TokenIndex.build(regex_network(f"[{letters}]{{1,6}}"), vocabulary)
    for _ in range(20):
        matcher = Matcher(index).within(24)
        while not matcher.is_finished and matcher.tokens_left:
            allowed = matcher.allowed_tokens().tolist()
            assert allowed
            matcher.advance(rng.choice(allowed))
        assert matcher.is_complete
        unlimited = Matcher(index)
        while not unlimited.is_finished:
            unlimited.advance(rng.choice(unlimited.allowed_tokens().tolist()))


def test_a_token_that_ends_within_a_character_is_taken_only_if_it_can_be_finished():
    texts = (b"", b"a", "é".encode(), b"a\xc3")
    matcher = Matcher(TokenIndex.build(regex_network("aé"), vocabulary_of(texts)))
    assert matcher.allowed_tokens().tolist() == [1]
    bytes_too = (*texts, *(bytes([byte]) for byte in range(0x80, 0xC0)))
    matcher = Matcher(TokenIndex.build(regex_network("aé"), vocabulary_of(bytes_too)))
    assert matcher.allowed_tokens().tolist() == [1, 3]


def vocabulary_of(texts: tuple[bytes, ...]) -> Vocabulary:
    return Vocabulary(token_bytes=texts, special=frozenset({0}), eos=(0,), rows=len(texts))
