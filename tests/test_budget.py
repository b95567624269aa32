"""Budgets: the fewest tokens against a search over all texts, masks under a budget bit for bit, and that texts end."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable

import numpy as np
import pytest
from marks import slow
from networks import counted_network, random_network, words_of
from vocabularies import EOS, random_vocabulary

from guidance_kit.errors import BudgetError, MatchError
from guidance_kit.fsm import bitmask, budget
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.fsm.mask_batch import fill_masks
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.network import Network
from guidance_kit.fsm.token_index import TokenIndex
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.grammars.regex import regex
from guidance_kit.vocabulary import Vocabulary

MANY = 10**9
TOO_FAR = 300
"""So many configurations are searched for the end of a text."""


class TooFarError(Exception):
    """There are too many ways to try."""


class Search:
    """Shortest texts, and the fewest tokens for one of them, by trying everything. The twin of `fsm.budget`.

    Args:
        most: what is MOST_PLACES there.
    """

    def __init__(
        self, automaton: Automaton, vocabulary: Vocabulary, *, alphabet: bytes = b"abc", most: int = MANY
    ) -> None:
        self.automaton = automaton
        self.texts = sorted(
            {text for token, text in enumerate(vocabulary.token_bytes) if text and token not in vocabulary.special}
        )
        self.alphabet = alphabet
        self.most = most
        self._bytes: dict[int, int] = {}
        self._tokens: dict[int, int] = {}

    def bytes(self, config: int) -> int:
        """Bytes of the shortest completion, breadth first."""
        if config not in self._bytes:
            layer, seen, distance = {config}, {config}, 0
            while not any(self.automaton.is_complete(here) for here in layer):
                layer = {self.read(here, bytes([byte])) for here in layer for byte in self.alphabet} - seen - {0}
                seen |= layer
                distance += 1
                if len(seen) > TOO_FAR:
                    raise TooFarError
            self._bytes[config] = distance
        return self._bytes[config]

    def tokens(self, config: int) -> int:
        """The fewest tokens that make up one of the shortest completions."""
        if self.automaton.is_complete(config):
            return 0
        if config not in self._tokens:
            nearer = self.nearer(config)
            if len(self.places(config)) > self.most:
                nearer = [min(nearer, key=self.bytes)]
            self._tokens[config] = 1 + min(map(self.tokens, nearer), default=MANY)
        return self._tokens[config]

    def nearer(self, config: int) -> list[int]:
        """Where the tokens lead that begin one of the shortest completions, in the order of their texts."""
        distance = self.bytes(config)
        afters = [(self.read(config, text), distance - len(text)) for text in self.texts if len(text) <= distance]
        return [after for after, left in afters if after and self.bytes(after) == left]

    def places(self, config: int) -> set[int]:
        """All places to which tokens lead along the shortest completions."""
        found, todo = {config}, [config]
        while todo:
            fresh = set(self.nearer(todo.pop())) - found
            found |= fresh
            todo += fresh
        return found

    def read(self, config: int, text: bytes) -> int:
        """The configuration after a text, 0 if it is not allowed."""
        path = self.automaton.advance(config, text)
        return int(path[-1]) if len(path) == len(text) else 0


def compare(network: Network, vocabulary: Vocabulary, rng: random.Random) -> tuple[int, int]:
    """Compare masks under budgets along a random text; return how many bits, and how many a budget has cleared."""
    automaton = Automaton(network)
    matcher = Matcher(TokenIndex(automaton, vocabulary))
    search = Search(automaton, vocabulary, most=budget.MOST_PLACES)
    config = automaton.start
    compared = restricted = 0
    for _ in range(5):
        free = bitmask.unpack(matcher.allowed(), vocabulary.rows)
        tokens = [token for token in np.flatnonzero(free).tolist() if token != EOS]
        try:
            fewest = search.tokens(config)
            needed = {token: search.tokens(search.read(config, vocabulary.token_bytes[token])) for token in tokens}
        except TooFarError:
            break
        assert matcher.min_tokens_to_complete() == fewest
        for left in range(max(1, fewest), fewest + 3):
            expected = free.copy()
            for token in tokens:
                expected[token] = needed[token] < left
            limited = matcher.within(left)
            np.testing.assert_array_equal(bitmask.unpack(limited.allowed(), vocabulary.rows), expected)
            for token in range(vocabulary.rows):
                assert limited.can_advance(token) == expected[token]
            compared += vocabulary.rows
            restricted += int((free != expected).sum())
        token = rng.choice([*tokens, EOS] if free[EOS] else tokens)
        if token == EOS:
            break
        matcher.advance(token)
        config = search.read(config, vocabulary.token_bytes[token])
    return compared, restricted


def compare_many(seeds: Iterable[int]) -> tuple[int, int]:
    """`compare` for the random networks and vocabularies of some seeds."""
    found = [
        compare(make(seed), random_vocabulary(seed), random.Random(seed))
        for seed in seeds
        for make in (random_network, counted_network)
    ]
    return sum(compared for compared, _ in found), sum(restricted for _, restricted in found)


@pytest.mark.parametrize("first", [0, *slow(30, 60)])
@pytest.mark.parametrize("most", [*slow(budget.MOST_PLACES), 3])
def test_masks_under_a_budget_are_exact(first, most, monkeypatch):
    monkeypatch.setattr(budget, "MOST_PLACES", most)
    compared, restricted = compare_many(range(first, first + 30))
    assert compared > 10_000
    assert restricted > 500


@pytest.mark.slow
def test_masks_under_a_budget_are_exact_on_many_networks(record_property):
    compared, restricted = compare_many(range(1000, 4000))
    record_property("counts", {"bits": compared, "cleared by a budget": restricted})
    assert compared > 2_000_000
    assert restricted > 100_000


def left_recursive() -> Network:
    """Sums of `a`: S = S b S | a b b b | S c."""
    network = Network()

    def build() -> int:
        start, middle, after, end = network.states(4)
        network.call(start, 0, middle)
        network.byte(middle, 0x62, 0x62, after)
        network.call(after, 0, end)
        network.byte(middle, 0x63, 0x63, end)
        network.literal(start, b"abbb", end)
        network.final(end)
        return start

    network.root = network.rule(build, nullable=False)
    return network


def test_left_recursion():
    vocabulary = random_vocabulary(3)
    matcher = Matcher(TokenIndex(Automaton(left_recursive()), vocabulary))
    assert matcher.min_tokens_to_complete() == fewest_parts(vocabulary, b"abbb")
    matcher.advance_bytes(b"abbbb")
    assert matcher.min_tokens_to_complete() == fewest_parts(vocabulary, b"abbb")
    matcher.advance_bytes(b"abbbc")
    assert matcher.min_tokens_to_complete() == 0


def fewest_parts(vocabulary: Vocabulary, text: bytes) -> int:
    """The fewest tokens into which a text can be cut."""
    texts = {spelled for token, spelled in enumerate(vocabulary.token_bytes) if token not in vocabulary.special}
    fewest = [0] + [MANY] * len(text)
    for end in range(1, len(text) + 1):
        fewest[end] = 1 + min(fewest[begin] for begin in range(end) if text[begin:end] in texts)
    return fewest[-1]


BYTES = Vocabulary(
    token_bytes=(
        b"", *(bytes([byte]) for byte in range(256)), b'{"', b'":', b'","', b'"}', b"00", b"0000", b"true", b"aaaaaaaa",
        "é".encode(), b"\xc3", b"x" * 300,
    ),
    special=frozenset({0}),
    eos=(0,),
    rows=300,
)  # fmt: skip

RECURSIVE = {
    "$defs": {
        "node": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "minLength": 2, "maxLength": 40},
                "size": {"type": "integer", "minimum": 100},
                "children": {"type": "array", "items": {"$ref": "#/$defs/node"}, "maxItems": 3},
            },
            "required": ["name", "size"],
        }
    },
    "$ref": "#/$defs/node",
}

CONSTRAINTS: list[Callable] = [
    lambda: regex("[a-z]{3,8}( [a-z]{3,8}){2,9}"),
    lambda: regex("(x{300}|ab)+c"),
    lambda: regex("é{2,}!"),
    lambda: json_schema(RECURSIVE),
    lambda: json_schema({"type": "array", "items": {"enum": ["red", "green", 12, None]}, "minItems": 3}),
    lambda: json_schema({"type": "object", "additionalProperties": {"type": "boolean"}, "minProperties": 1}),
    lambda: json_schema({"type": "string", "minLength": 600}),
]


@pytest.mark.parametrize("number", range(len(CONSTRAINTS)))
def test_texts_are_complete_within_any_budget_that_suffices(number):
    index = CONSTRAINTS[number]().compile(BYTES)
    start = Matcher(index)
    needed = start.min_tokens_to_complete()
    assert needed is not None
    rng = random.Random(number)
    restricted = 0
    for tokens in (needed, needed + 1, needed + 2, needed + 5, needed + 30):
        for _ in range(4 if needed < 100 else 1):
            matcher = start.within(tokens)
            while matcher.tokens_left:
                left = matcher.tokens_left
                allowed = matcher.allowed_tokens().tolist()
                assert allowed, "nothing is allowed"
                matcher.advance(rng.choice(allowed))
                assert matcher.tokens_left == left - 1
                if matcher.is_finished:
                    break
            assert matcher.is_complete
            assert not matcher.allowed().any()
            restricted += matcher.is_restricted
    assert restricted


def test_long_texts_take_the_longest_tokens():
    matcher = Matcher(regex("a{1000}").compile(BYTES))
    assert matcher.min_tokens_to_complete() == 125
    matcher = Matcher(regex("[ab]{1003}").compile(BYTES))
    assert matcher.min_tokens_to_complete() == 125 + 3
    assert budget.MOST_PLACES < 1000


@pytest.mark.slow
def test_where_shortest_texts_are_too_many_not_all_are_tried():
    """Each letter doubles the places to which texts have led."""
    index = regex("[ab]*a[ab]{200}").compile(BYTES)
    matcher = Matcher(index).within(60)
    while matcher.tokens_left:
        matcher.advance(matcher.allowed_tokens().tolist()[-1])
    assert matcher.is_complete
    assert index.automaton.statistics()["configurations"] < 100_000


def test_numbers_do_not_depend_on_what_was_asked_before(monkeypatch):
    monkeypatch.setattr(budget, "MOST_PLACES", 5)
    for seed in range(40):
        vocabulary = random_vocabulary(seed)
        one, other = (TokenIndex(Automaton(random_network(seed)), vocabulary) for _ in range(2))
        texts = [bytes(letters) for length in range(5) for letters in itertools.product(b"abc", repeat=length)]
        readable = [text for text in texts if len(one.automaton.advance(one.automaton.start, text)) == len(text)]
        forwards = [number_after(one, text) for text in readable]
        backwards = [number_after(other, text) for text in reversed(readable)]
        assert forwards == backwards[::-1]


def number_after(index: TokenIndex, text: bytes) -> int | None:
    matcher = Matcher(index)
    matcher.advance_bytes(text)
    return matcher.min_tokens_to_complete()


def test_costs_beyond_all_bounds():
    matcher = Matcher(regex("((a{30000}){30000}){30000}|b{70}").compile(BYTES))
    assert matcher.min_tokens_to_complete() == 70
    assert not matcher.within(70).can_advance(1 + ord("a"))


class TestMatcher:
    @pytest.fixture
    def matcher(self):
        return Matcher(TokenIndex(Automaton(words_of([b"abc", b"cab", b"abcabca", b"abcbbbb"])), self.vocabulary))

    vocabulary = Vocabulary(
        token_bytes=(b"", b"", b"", b"a", b"b", b"c", b"ab", b"ca"), special=frozenset({0, 1, 2}), eos=(EOS,), rows=8
    )

    def test_a_budget_is_part_of_the_place(self, matcher):
        limited = matcher.within(3)
        assert (matcher.tokens_left, limited.tokens_left) == (None, 3)
        limited.advance(6)
        fork = limited.fork()
        limited.advance(5)
        assert (limited.tokens_left, fork.tokens_left) == (1, 2)
        limited.rollback(2)
        assert limited.tokens_left == 3
        assert len(limited) == 0
        assert fork.within(None).tokens_left is None

    def test_text_without_tokens_costs_nothing_but_must_leave_enough(self, matcher):
        limited = matcher.within(3)
        limited.advance_bytes(b"")
        limited.advance_bytes(b"a")
        assert limited.tokens_left == 3
        limited.advance_bytes(b"bc")
        with pytest.raises(MatchError, match="2 tokens left would not complete"):
            matcher.within(2).advance_bytes(b"abcb")
        assert limited.min_tokens_to_complete() == 0

    def test_too_small(self, matcher):
        assert matcher.min_tokens_to_complete() == 2
        with pytest.raises(BudgetError, match="it takes 2 tokens to complete the text, and there are 1") as error:
            matcher.within(1)
        assert (error.value.tokens, error.value.needed) == (1, 2)

    def test_the_end(self, matcher):
        limited = matcher.within(2)
        limited.advance_all([6, 5])
        assert limited.is_complete
        assert not limited.allowed().any()
        assert not limited.can_advance(EOS)
        with pytest.raises(MatchError, match="there are no tokens left"):
            limited.advance(EOS)
        finished = matcher.within(3)
        finished.advance_all([6, 5, EOS])
        assert finished.is_finished
        assert finished.min_tokens_to_complete() == 0

    def test_refusals_say_why(self, matcher):
        limited = matcher.within(3)
        limited.advance_all([6, 5])
        with pytest.raises(MatchError, match=r"b'a'\) is not allowed here: 1 tokens, it included, would not complete"):
            limited.advance(3)
        assert limited.follow([3, EOS], [-1, -1])[0] is None
        assert limited.allowed_tokens().tolist() == [EOS]

    def test_what_was_restricted(self, matcher):
        limited = matcher.within(4)
        limited.advance(6)
        assert not limited.is_restricted
        limited.advance(5)
        assert limited.is_restricted
        limited.advance(EOS)
        assert limited.is_restricted
        plenty = matcher.within(30)
        plenty.advance_all([6, 5, EOS])
        assert not plenty.is_restricted
        exact = matcher.within(2)
        exact.advance_all([6, 5])
        assert exact.is_restricted
        spent = matcher.fork()
        spent.advance_all([6, 5])
        spent = spent.within(0)
        assert spent.is_restricted
        spent.advance_bytes(b"")
        assert not spent.within(None).is_restricted  # no token was to be chosen while none were left

    def test_batches(self, matcher):
        places = [matcher, matcher.within(2), None, matcher.within(3), matcher.within(4)]
        places[3].advance_all([6, 5])
        places[4].advance(6)
        places.append(places[1].fork())
        places[-1].advance_all([6, 5])
        masks = bitmask.allocate(len(places), self.vocabulary.rows)
        fill_masks(places, masks)
        for place, mask in zip(places, masks, strict=True):
            np.testing.assert_array_equal(mask, np.zeros_like(mask) if place is None else place.allowed())
