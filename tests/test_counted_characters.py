"""Patterns with a greatest length, whose characters are counted in the stack frame."""

from __future__ import annotations

import random
import re
from functools import lru_cache
from itertools import product

import numpy as np
import pytest
from marks import slow
from oracles import Interpreter, brute_force
from patterns import random_pattern

from guidance_kit.errors import LimitError, UnsatisfiableError, UnspellableError
from guidance_kit.fsm import bitmask
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.network import Network
from guidance_kit.fsm.token_index import TokenIndex
from guidance_kit.grammars.json_schema.strings.encoding import ENCODINGS
from guidance_kit.grammars.regular import Expression, complement, declare, intersect, length, parse, parse_search
from guidance_kit.grammars.regular.bounded_length import as_counted, outside_of_bounds
from guidance_kit.grammars.regular.derivative import Derivatives
from guidance_kit.grammars.regular.encoding import UTF8, Encoding
from guidance_kit.grammars.regular.liveness import Liveness
from guidance_kit.vocabulary import Vocabulary

LETTERS = "ab1é"
TEXTS = ["".join(letters) for n in range(5) for letters in product(LETTERS, repeat=n)]


@lru_cache(maxsize=1)
def cases(count: int = 240) -> list[tuple[str, bool, int, int, Expression]]:
    """Patterns, whether they may be found anywhere, and bounds, all of whose characters are counted."""
    found = []
    rng = random.Random(0)
    while len(found) < count:
        pattern = random_pattern(rng, conditions=0)
        is_search, minimum, maximum = rng.random() < 0.3, rng.choice([0, 0, 1, 2, 3]), rng.randint(1, 5)
        parsed = parse_search(pattern) if is_search else parse(pattern)
        expression = intersect(parsed, length(minimum, maximum))
        if minimum <= maximum and as_counted(expression) is not None:
            found.append((pattern, is_search, minimum, maximum, expression))
    return found


def network_of(expression: Expression, encoding: Encoding = UTF8) -> Network | None:
    network = Network()
    try:
        network.root = declare(network, expression, encoding)
    except UnsatisfiableError:
        return None
    return network


def last_of(automaton: Automaton, data: bytes) -> int:
    """The configuration after a text; -1 if it is not read."""
    path = automaton.advance(automaton.start, data)
    if len(path) < len(data):
        return -1
    return int(path[-1]) if data else automaton.start


def test_they_are_counted_with_and_without_a_least_length():
    assert sum(minimum > parse(pattern).least for pattern, _, minimum, _, _ in cases()) > 50
    assert sum(minimum <= parse(pattern).least for pattern, _, minimum, _, _ in cases()) > 50


@pytest.mark.parametrize("step", [10, *slow(1)])
def test_they_accept_what_re_accepts(step):
    texts = 0
    for pattern, is_search, minimum, maximum, expression in cases()[::step]:
        compiled = re.compile(pattern)
        matches = compiled.search if is_search else compiled.fullmatch
        members = {text for text in TEXTS if minimum <= len(text) <= maximum and matches(text)}
        network = network_of(expression)
        if network is None:
            assert not members
            continue
        automaton, twin = Automaton(network), Interpreter(network)
        begun = {text[:end] for text in members for end in range(len(text) + 1)}
        for text in TEXTS:
            data = text.encode()
            path = automaton.advance(automaton.start, data)
            is_read = len(path) == len(data)
            config = int(path[-1]) if len(path) else automaton.start
            assert (is_read and automaton.is_complete(config)) == twin.accepts(data) == (text in members), pattern
            if text in begun:
                assert is_read
            texts += text in members
    assert texts > 5_000 // step


@pytest.mark.parametrize("step", [4, *slow(1)])
def test_the_least_lengths_are_exact_and_within_the_slack(step):
    compared = 0
    for pattern, _, _, _, expression in cases()[::step]:
        counted = as_counted(expression)
        derivatives = Derivatives(counted.expression)
        liveness = Liveness(derivatives)
        nodes = [derivatives.root]
        for node in nodes:
            assert liveness.least(node) == len(liveness.shortest(node)), pattern
            assert liveness.is_live(node)
            if node != derivatives.root:
                assert 1 + liveness.least(node) <= counted.slack, pattern
            compared += 1
            if len(nodes) < 30:
                nodes += {following for _, following in derivatives.steps(node)} - set(nodes)
    assert compared > 2_000 // step


@pytest.mark.parametrize(
    "encoding", [pytest.param(UTF8, id="utf8"), pytest.param(ENCODINGS["all"], id="json", marks=pytest.mark.slow)]
)
def test_masks_are_exact_and_lead_to_no_dead_end(encoding):
    """Also with vocabularies that cannot spell all characters, of which the spelled ones need more bytes or fewer."""
    rng = random.Random(1)
    compared = unspellable = 0
    for _, _, _, _, expression in cases()[:20]:
        letters = rng.sample(LETTERS + "c\n_", rng.randint(1, 7))
        texts = {letter.encode() for letter in letters} | {b"\xc3", b"a\xc3", b"\\u00", b"61", b"\\n"}
        texts |= {"".join(rng.choices(letters, k=rng.randint(2, 4))).encode() for _ in range(8)}
        if rng.random() < 0.5:
            texts |= {bytes([byte]) for byte in (*range(0x20, 0x7F), *range(0x80, 0xC0))}
        vocabulary = Vocabulary(
            token_bytes=(b"", *sorted(texts)), special=frozenset({0}), eos=(0,), rows=len(texts) + 1
        )
        network = network_of(expression, encoding)
        if network is None:
            continue
        try:
            index = TokenIndex.build(network, vocabulary)
        except UnspellableError:
            unspellable += 1
            continue
        for _ in range(2):
            matcher = Matcher(index)
            twin = Interpreter(index.automaton.network)
            items = twin.start
            while not matcher.is_finished:
                allowed = bitmask.unpack(matcher.allowed(), vocabulary.rows)
                expected = brute_force(vocabulary, twin, items)
                silent = [token for token, text in enumerate(vocabulary.token_bytes) if text[-1:] == b"\xc3"]
                if b"\xa9" not in texts:
                    expected[silent] = False
                np.testing.assert_array_equal(allowed, expected)
                assert allowed.any(), "dead end"
                token = rng.choice(np.flatnonzero(allowed).tolist())
                matcher.advance(token)
                for byte in vocabulary.token_bytes[token]:
                    items = twin.step(items, byte)
                compared += vocabulary.rows
            least = Matcher(index).min_tokens_to_complete()
            matcher = Matcher(index).within(least)
            while not matcher.is_finished and matcher.tokens_left:
                matcher.advance(rng.choice(matcher.allowed_tokens().tolist()))
            assert matcher.is_complete
    assert compared > 2_000
    assert unspellable > 1


def test_a_rule_whose_building_was_cut_short_is_built_wholly_later():
    for most in range(1, 7):
        network = Network(max_states=most)
        network.root = declare(network, intersect(parse(r"[a-z]+([0-9][a-z]+)*"), length(0, 1000)))
        with pytest.raises(LimitError):
            network.ensure_built(network.root)
        network.max_states = 10_000
        automaton = Automaton(network)
        assert len(automaton.advance(automaton.start, b"abc1d2e")) == 7
        assert len(automaton.advance(automaton.start, b"abc1d22")) == 6


def test_a_length_costs_no_states():
    sizes = []
    for maximum in (100, 100_000):
        network = network_of(intersect(parse(r"(\w+ )*\w+"), length(1, maximum)))
        automaton = Automaton(network)
        automaton.advance(automaton.start, b"some words and more " * 4)
        sizes.append(network.size)
    assert sizes[0] == sizes[1]


def test_nothing_is_counted_where_the_least_length_is_not_known():
    assert as_counted(intersect(parse("(?:ab)*"), length(3, 9))) is None  # no text has three characters
    assert as_counted(intersect(parse("(?=a)[ab]+c"), length(0, 9))) is None
    assert as_counted(intersect(parse("a+b"), parse("[ab]+"), length(0, 9))) is None


@pytest.mark.parametrize("encoding", [UTF8, ENCODINGS["all"]])
@pytest.mark.parametrize(
    "pattern",
    ["[ab]{0,70}", "[ab]{1,70}", "[ab]{69,70}", "1[ab]{0,70}", "[1a][ab]{3,70}", "é1[^1]{2,66}", "[^é]{5,99}"],
)
def test_texts_outside_of_a_counted_number_of_turns_are_those_that_re_refuses(pattern, encoding):
    outside = outside_of_bounds(complement(parse(pattern)))
    assert outside is not None
    network = network_of(complement(parse(pattern)), encoding)
    automaton = Automaton(network)
    assert automaton.statistics()["rules"] <= 8
    rng = random.Random(0)
    texts = ["", *LETTERS, "1a", "é1", "é1a", "aé"]
    for count in (2, 3, 4, 5, 6, 64, 65, 66, 67, 68, 69, 70, 71, 72, 98, 99, 100, 101, 140):
        for before in ("", "1", "a", "é1"):
            text = before + "".join(rng.choices("ab", k=count))
            place = rng.randrange(count)
            texts += [text, text[:place] + rng.choice("1é") + text[place:]]
    found = [text for text in texts if automaton.is_complete(last_of(automaton, text.encode()))]
    assert found == [text for text in texts if not re.fullmatch(pattern, text)]


@pytest.mark.parametrize(
    "pattern", ["[ab]*", "[ab]{0,9}", "(?:ab){0,70}", "(?:a|1)?[ab]{0,70}", "[ab]{0,70}1", "[ab]{70,}"]
)
def test_other_complements_are_not_of_a_counted_number_of_turns(pattern):
    assert outside_of_bounds(complement(parse(pattern))) is None
    assert outside_of_bounds(parse(pattern)) is None
