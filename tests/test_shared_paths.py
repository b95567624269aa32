"""Paths of several states to the same ones: equal to those that an encoding writes for each state."""

from __future__ import annotations

import json
from functools import reduce
from operator import or_
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guidance_kit.fsm.network import Network
from guidance_kit.fsm.opcodes import CALL
from guidance_kit.grammars.json_schema.strings.encoding import ENCODINGS
from guidance_kit.grammars.json_schema.strings.spelt_characters import spellings
from guidance_kit.grammars.regular.charset import ALL, NONE, CharSet
from guidance_kit.grammars.regular.encoding import UTF8, SharedPaths
from guidance_kit.grammars.regular.partition import Partition

POINTS = [0, 0x1F, 0x22, 0x5C, 0x61, 0x62, 0x7A, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF]
RANGES = st.tuples(st.sampled_from(POINTS), st.integers(0, 3)).map(lambda pair: (pair[0], pair[0] + pair[1]))
WIDE = st.tuples(st.sampled_from(POINTS), st.sampled_from(POINTS)).map(lambda pair: (min(pair), max(pair)))
SETS = st.lists(RANGES | WIDE, min_size=1, max_size=4).map(CharSet.of).filter(bool) | st.just(ALL)
STATES = 4
"""First states of a network, between which paths lead."""


def paths(network: Network, state: int) -> Any:
    """Edges from a state on to the first ones, as nested tuples."""
    if state < STATES:
        return state
    return edges_from(network, state)


def edges_from(network: Network, state: int) -> Any:
    edges = sorted(network.edges[state])
    return [(op, a, paths(network, b)) if op == CALL else (op, paths(network, a)) for op, a, b in edges]


def edge_sets(network: Network) -> list[list[str]]:
    return [sorted(map(repr, edges_from(network, state))) for state in range(STATES)]


def promises(network: Network) -> list[int]:
    """Slices that each of the first states treats alike."""
    found = [0] * STATES
    for source, slices in zip(network.alike[::2], network.alike[1::2], strict=True):
        found[source] |= slices
    return found


@given(st.data(), st.sampled_from([UTF8, *ENCODINGS.values()]))
def test_paths_are_those_of_the_encoding(data: st.DataObject, encoding: Any) -> None:
    sets = data.draw(st.lists(SETS, min_size=1, max_size=3))
    places = st.integers(0, STATES - 1)
    ways = data.draw(st.lists(st.tuples(places, st.sampled_from(sets), places), min_size=1, max_size=12))
    shared, plain = Network(), Network()
    shared.states(STATES), plain.states(STATES)
    writer = SharedPaths(shared, encoding)
    for source, charset, target in ways:
        writer.add(source, charset, target)
        encoding.add(plain, source, charset, target)
    assert edge_sets(shared) == edge_sets(plain)
    assert promises(shared) == promises(plain)
    assert [rule.name for rule in shared.rules] == [rule.name for rule in plain.rules]


def test_states_behind_first_bytes_are_shared() -> None:
    network = Network()
    states = network.states(STATES)
    writer = SharedPaths(network, ENCODINGS["all"])
    writer.add(states[0], CharSet.single(0x61), states[3])
    size = network.size
    for source in states[1:]:
        writer.add(source, CharSet.single(0x61), states[3])
    assert network.size == size > STATES
    writer.add(states[0], CharSet.single(0x61), states[2])
    assert network.size > size


def texts_between(network: Network, source: int, target: int) -> set[bytes]:
    """All texts that single bytes read between two states; there are no other edges."""
    if source == target:
        return {b""}
    found = set[bytes]()
    for op, after, _ in network.edges[source]:
        rests = texts_between(network, after, target)
        found |= {bytes([byte]) + rest for byte in range(op & 255, (op >> 8) + 1) for rest in rests}
    return found


SPELT = {
    "all": lambda character: {*spellings(character)},
    "minimal": lambda character: {json.dumps(character, ensure_ascii=False)[1:-1].encode()},
    "ascii": lambda character: {json.dumps(character)[1:-1].encode()},
    "utf-8": lambda character: {character.encode()},
}


@pytest.mark.parametrize("name", SPELT)
def test_paths_of_a_character_are_its_spellings(name: str) -> None:
    for character in 'a09~é\u20ac\U0001f600"\\/\n\x00\x7f\x80':
        network = Network()
        writer = SharedPaths(network, ENCODINGS.get(name, UTF8))
        sources, target = network.states(3), network.state()
        for source in sources:
            writer.add(source, CharSet.single(ord(character)), target)
        for source in sources:
            assert texts_between(network, source, target) == SPELT[name](character), character


@given(st.lists(SETS, max_size=6), st.data())
def test_set_of_classes_is_their_union(sets: list[CharSet], data: st.DataObject) -> None:
    partition = Partition({*sets})
    mask = data.draw(st.integers(0, (1 << partition.count) - 1))
    found = partition.charset(mask)
    alone = [partition.charset(1 << number) for number in range(partition.count) if mask >> number & 1]
    assert found == reduce(or_, alone, NONE)
    points = [point for point in (*POINTS, *(point + 1 for point in POINTS)) if partition.class_of(point) is not None]
    assert all((point in found) == bool(mask >> (partition.class_of(point) or 0) & 1) for point in points)
    for charset, classes in partition.masks.items():
        assert all((point in charset) == bool(classes >> (partition.class_of(point) or 0) & 1) for point in points)
