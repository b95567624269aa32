"""Conjunctions with a maximal length, whose characters are counted along a minimal automaton of the rest.

Membership is that of `re`, masks are those of `Interpreter`, byte for byte.
"""

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

from guidance_kit.errors import UnsatisfiableError
from guidance_kit.fsm import bitmask
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.network import Network
from guidance_kit.fsm.token_index import TokenIndex
from guidance_kit.grammars.regular import Expression, complement, declare, intersect, length, parse, parse_search
from guidance_kit.grammars.regular.bounded_length import as_counted, counted_language
from guidance_kit.grammars.regular.minimal_automaton import minimal_automaton
from guidance_kit.vocabulary import Vocabulary

LETTERS = "ab1é"
TEXTS = ["".join(letters) for n in range(6) for letters in product(LETTERS, repeat=n)]


@lru_cache(maxsize=1)
def cases(count: int = 120) -> list[tuple[tuple[str, ...], str, int, int, Expression]]:
    """Patterns to be found, one not to be found, and bounds."""
    found = []
    rng = random.Random(2)
    while len(found) < count:
        patterns = tuple(random_pattern(rng, conditions=0.1, depth=2) for _ in range(rng.randint(1, 2)))
        denied = rng.choice(["^$", "ab", "1$", "^é"])
        minimum, maximum = rng.choice([0, 0, 1, 2, 3]), rng.randint(1, 5)
        whole = intersect(*map(parse_search, patterns), complement(parse_search(denied)), length(minimum, maximum))
        if minimum <= maximum and as_counted(whole) is None and counted_language(whole) is not None:
            found.append((patterns, denied, minimum, maximum, whole))
    return found


def network_of(expression: Expression) -> Network | None:
    network = Network()
    try:
        network.root = declare(network, expression)
    except UnsatisfiableError:
        return None
    return network


def is_complete(automaton: Automaton, text: str) -> bool:
    path = automaton.advance(automaton.start, text.encode())
    return len(path) == len(text.encode()) and automaton.is_complete(int(path[-1]) if len(path) else automaton.start)


def counted_states(pattern: str) -> int | None:
    """Number of the states of an automaton whose characters are counted."""
    language = counted_language(parse_search(pattern))
    if language is None:
        return None
    states = [language.root]
    for state in states:  # grows meanwhile
        states += {following for _, following in language.steps(state)} - {*states}
    return len(states)


@pytest.mark.parametrize("step", [25, *slow(1)])
def test_they_accept_what_re_accepts(step):
    members = 0
    for patterns, denied, minimum, maximum, expression in cases()[::step]:
        network = network_of(expression)
        automaton = None if network is None else Automaton(network)
        fitting = {
            text
            for text in TEXTS
            if minimum <= len(text) <= maximum
            and all(re.search(pattern, text) for pattern in patterns)
            and not re.search(denied, text)
        }
        begun = {text[:end] for text in fitting for end in range(len(text) + 1)}
        members += len(fitting)
        if automaton is None:
            assert not fitting, patterns
            continue
        for text in TEXTS:
            data = text.encode()
            path = automaton.advance(automaton.start, data)
            is_read = len(path) == len(data)
            config = int(path[-1]) if len(path) else automaton.start
            assert (is_read and automaton.is_complete(config)) == (text in fitting), (patterns, denied, text)
            assert is_read or text not in begun
    assert members > 10_000 // step


def test_masks_are_exact_and_lead_to_no_dead_end():
    rng = random.Random(1)
    compared = 0
    for *_, expression in cases()[:20]:
        texts = {bytes([byte]) for byte in range(256)} | {b"a\xc3", b"\xa9b"}
        texts |= {"".join(rng.choices(LETTERS, k=rng.randint(2, 4))).encode() for _ in range(8)}
        vocabulary = Vocabulary(
            token_bytes=(b"", *sorted(texts)), special=frozenset({0}), eos=(0,), rows=len(texts) + 1
        )
        network = network_of(expression)
        if network is None:
            continue
        index = TokenIndex.build(network, vocabulary)
        matcher, twin = Matcher(index), Interpreter(index.automaton.network)
        items = twin.start
        while not matcher.is_finished:
            allowed = bitmask.unpack(matcher.allowed(), vocabulary.rows)
            np.testing.assert_array_equal(allowed, brute_force(vocabulary, twin, items))
            assert allowed.any(), "dead end"
            token = rng.choice(np.flatnonzero(allowed).tolist())
            matcher.advance(token)
            for byte in vocabulary.token_bytes[token]:
                items = twin.step(items, byte)
            compared += vocabulary.rows
    assert compared > 500


def test_no_two_states_are_equivalent_and_least_lengths_are_exact():
    """Languages of short texts from each state: all different, and of the state's least length."""
    found = 0
    for patterns, denied, minimum, _, _ in cases()[::4]:
        parts = [*map(parse_search, patterns), complement(parse_search(denied))]
        automaton = minimal_automaton(intersect(*parts)).of_length_from(minimum, 100)
        depth = len(automaton.edges)
        levels = [[{state for state, is_final in enumerate(automaton.is_final) if is_final}]]
        for _ in range(depth):
            last = levels[-1][0]
            levels.append(
                [{state for state, edges in enumerate(automaton.edges) if any(to in last for _, to in edges)}]
            )
        for state, least in enumerate(automaton.least):
            assert least == next(n for n, (states,) in enumerate(levels) if state in states)
        signatures = [*automaton.is_final]
        while True:
            refined = [
                (signatures[state], frozenset(joined(edges, signatures).items()))
                for state, edges in enumerate(automaton.edges)
            ]
            numbers: dict = {}
            following = [numbers.setdefault(one, len(numbers)) for one in refined]
            if len(set(following)) == len(set(signatures)):
                break
            signatures = following
        assert len(set(signatures)) == depth
        found += depth
    assert found > 100


def test_states_with_numbers_of_characters_are_those_of_the_layers_of_an_automaton():
    compared = 0
    for patterns, denied, _, _, _ in cases()[::2]:
        parts = [*map(parse_search, patterns), complement(parse_search(denied))]
        for minimum, maximum in ((2, 4), (3, 90), (5, 5)):
            automaton = minimal_automaton(intersect(*parts))
            if not automaton.is_padded or automaton.least[automaton.root] >= minimum:
                continue
            layers = automaton.of_length_from(minimum, maximum)
            counted = counted_language(intersect(*parts, length(minimum, maximum)))
            if layers.root < 0:
                assert counted is None or counted.least(counted.root) > maximum
                continue
            todo = [(layers.root, counted.root, 0)]
            seen = set(todo)
            for here, there, count in todo:  # grows meanwhile
                assert counted.is_final(there) == layers.is_final[here]
                assert counted.least(there) == layers.least[here]
                assert count == 0 or counted.least(there) < counted.slack
                for letter in LETTERS:
                    after, then = following(layers, here, letter), following(counted, there, letter)
                    if after is None:
                        assert then is None or min(count + 1, minimum) + counted.least(then) > maximum
                        continue
                    place = after, then, min(count + 1, minimum)
                    todo += {place} - seen
                    seen.add(place)
            compared += len(todo)
    assert compared > 300


def following(automaton, state, letter):
    """State after a letter; None if it cannot be read."""
    return next((target for charset, target in automaton.steps(state) if ord(letter) in charset), None)


def test_a_least_length_makes_no_automaton_larger():
    """Ten thousand states are the most that layers may have."""
    asked = parse_search("a.{6}b"), complement(parse_search("ba"))
    states = len(minimal_automaton(intersect(*asked)).edges)
    assert counted_language(intersect(*asked, length(1 + 10_000 // states, 20_000))) is not None
    exact = parse("(?:a[^b]b)*"), complement(parse("a.{6}b.*"))  # no text can be made longer by one character
    assert not minimal_automaton(intersect(*exact)).is_padded
    assert counted_language(intersect(*exact, length(15_000, 20_000))) is None


def joined(edges, signatures):
    """Masks of the edges to states of each signature."""
    masks: dict = {}
    for mask, target in edges:
        masks[signatures[target]] = masks.get(signatures[target], 0) | mask
    return masks


def test_texts_that_cannot_be_made_longer_are_counted():
    parts = parse("(?:ab)*"), complement(parse("a?b?"))
    whole = intersect(*parts, length(3, 5))  # no text has three characters
    assert counted_language(whole) is not None
    automaton = Automaton(network_of(whole))
    assert [text for text in TEXTS if is_complete(automaton, text)] == ["abab"]
    assert network_of(intersect(*parts, length(5, 5))) is None


@pytest.mark.parametrize("step", [10, *slow(1)])
def test_conditions_at_the_start_and_lengths_of_one_set_are_parts(step):
    rng = random.Random(3)
    counted = members = 0
    for _ in range(0, 200, step):
        asked, denied, body = (random_pattern(rng, conditions=0.1, flags=0, depth=1) for _ in range(3))
        least, most = rng.randint(0, 3), rng.randint(3, 4)
        letters = rng.choice(["[ab]", "[^1]", "."])
        pattern = rf"^(?=(?:{asked})b*\Z)(?!(?:{denied})1)(?={letters}{{{least},{most}}}\Z)(?:{body})+{letters}*\Z"
        whole = parse_search(pattern)
        counted += counted_language(whole) is not None
        network = network_of(whole)
        fitting = [text for text in TEXTS if re.search(pattern, text)]
        members += len(fitting)
        automaton = None if network is None else Automaton(network)
        assert [text for text in TEXTS if automaton is not None and is_complete(automaton, text)] == fitting, pattern
    assert counted > 120 // step
    assert members > 300 // step


def test_turns_that_a_length_implies_are_not_counted():
    drawn = random.Random(4)
    dropped = 0
    for _ in range(60):
        turns, least, most = drawn.randint(1, 3), drawn.randint(0, 1), drawn.randint(1, 5)
        pattern = rf"^(?=[^é]{{0,{most}}}\Z)(?!a1)(?:[ab]{{1,2}}1){{{least},{turns}}}b?(?!a)[ab1]+\Z"
        whole = parse_search(pattern)
        network = network_of(whole)
        automaton = None if network is None else Automaton(network)
        fitting = [text for text in TEXTS if re.search(pattern, text)]
        assert [text for text in TEXTS if automaton is not None and is_complete(automaton, text)] == fitting, pattern
        dropped += 2 * (turns + 1) + 1 > most
    assert 20 < dropped < 60


def test_implied_turns_cost_no_states():
    def states(turns: int, most: int) -> int | None:
        return counted_states(rf"^(?=.{{1,{most}}}\Z)(?!.*//)(.{{1,9}}\.){{1,{turns}}}[ab]+\Z")

    assert states(30, 61) == states(300, 601) == states(30, 62) == 30
    few = states(30, 63)  # there is room for one turn more, which has to be counted
    assert few is None or few > 300


def test_nothing_is_counted_where_there_are_many_derivatives():
    parts = [parse_search(f"{chr(97 + k)}.*{chr(98 + k)}") for k in range(12)]
    assert counted_language(intersect(*parts, length(0, 90))) is None
    assert counted_language(intersect(*parts[:4], length(0, 90))) is not None


def test_a_length_costs_no_states():
    sizes = []
    for maximum in (60, 60_000):
        parts = parse_search("a.*b"), complement(parse_search("ba"))
        network = network_of(intersect(*parts, length(2, maximum)))
        automaton = Automaton(network)
        assert len(automaton.advance(automaton.start, b"xxaxxb" * 9)) == 54
        sizes.append(network.size)
    assert sizes[0] == sizes[1]
