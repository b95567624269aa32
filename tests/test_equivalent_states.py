"""Equivalent states by hashes and by order, compared with Moore's refinement of all states."""

from __future__ import annotations

import random
from functools import reduce
from operator import or_

import pytest

from guidance_kit.grammars.regular import equivalent_states as module
from guidance_kit.grammars.regular import minimal_automaton as minimal_module
from guidance_kit.grammars.regular.charset import CharSet
from guidance_kit.grammars.regular.equivalent_states import equivalent_by_hashes, equivalent_by_order, equivalent_states
from guidance_kit.grammars.regular.minimal_automaton import MinimalAutomaton
from guidance_kit.grammars.regular.partition import Partition


def of_moore(edges, endings):
    """Blocks of equivalent states, refined until nothing changes."""
    keys, count = list(endings), 0
    while True:
        numbers: dict = {}
        block = [numbers.setdefault(key, len(numbers)) for key in keys]
        if len(numbers) == count:
            return block
        count, keys = len(numbers), []
        for number, steps in zip(block, edges, strict=True):
            into: dict = {}
            for mask, target in steps:
                into[block[target]] = into.get(block[target], 0) | mask
            keys.append((number, frozenset(into.items())))


def in_order(block):
    numbers: dict = {}
    return [numbers.setdefault(each, len(numbers)) for each in block]


def drawn(rng):
    """Edges of a random automaton: of each state disjoint masks of five classes, several of which may lead to one."""
    size = rng.randint(2, 9)
    edges = []
    for _ in range(size):
        masks: dict = {}
        for bit in range(rng.randint(0, 5)):
            group = rng.randrange(3)
            masks[group] = masks.get(group, 0) | 1 << bit
        edges.append([(mask, rng.randrange(size)) for mask in masks.values()])
    return edges, [rng.choice([0, 0, 0, 1, 5]) for _ in range(size)]


def with_one_exit(size):
    """A cycle of states with a way to an end, and one of them with another way there; none is equivalent to another."""
    edges = [[(1, (state + 1) % size), (2 if state else 6, size)] for state in range(size)]
    return [*edges, []], [1] * size + [0]


def test_states_with_equal_hashes_are_equivalent():
    rng = random.Random(1)
    for _ in range(2000):
        edges, endings = drawn(rng)
        assert in_order(equivalent_by_hashes(edges, endings)) == of_moore(edges, endings)


def test_states_are_merged_in_the_order_of_what_they_lead_to():
    rng = random.Random(3)
    merged = refused = 0
    for _ in range(3000):
        edges, endings = drawn(rng)
        if rng.random() < 0.7:  # no way leads back
            edges = [[(mask, max(state, target)) for mask, target in steps] for state, steps in enumerate(edges)]
        found = equivalent_by_order(edges, endings)
        assert (found is None) == has_long_cycle(edges)
        refused += found is None
        if found is not None:
            assert in_order(found) == of_moore(edges, endings)
            merged += len({*found}) < len(edges)
    assert merged > 300
    assert refused > 300


def has_long_cycle(edges):
    """Test whether a state leads back to itself through others."""
    reached = [{target for _, target in steps} - {state} for state, steps in enumerate(edges)]
    for _ in edges:
        reached = [members.union(*(reached[member] for member in members)) for members in reached]
    return any(state in members for state, members in enumerate(reached))


def test_states_with_an_equal_hash_by_chance_are_told_apart(monkeypatch):
    monkeypatch.setattr(module, "_weights", lambda masks: {mask: mask.bit_count() for mask in masks})
    rng = random.Random(2)
    refused = 0
    for _ in range(500):
        edges, endings = drawn(rng)
        found = equivalent_by_hashes(edges, endings)
        refused += found is None
        assert found is None or in_order(found) == of_moore(edges, endings)
    assert 0 < refused < 500


@pytest.mark.parametrize(("size", "is_hashed"), [(20, True), (200, True), (500, False)])
def test_automata_that_take_many_rounds_are_refined_block_by_block(monkeypatch, size, is_hashed):
    edges, endings = with_one_exit(size)
    assert (equivalent_by_hashes(edges, endings) is not None) == is_hashed
    monkeypatch.setattr(minimal_module, "_LEAST_HASHED", 0)
    calls = []
    monkeypatch.setattr(
        minimal_module, "equivalent_states", lambda *given: calls.append(0) or equivalent_states(*given)
    )
    partition = Partition([CharSet.single(97), CharSet.single(98), CharSet.single(99)])
    automaton = MinimalAutomaton(partition, edges, [not ending for ending in endings])
    assert len(calls) == (not is_hashed)
    assert len(automaton.edges) == size + 1


@pytest.mark.parametrize("least", [0, 60])
def test_minimal_automata_have_the_states_that_refinement_finds(monkeypatch, least):
    monkeypatch.setattr(minimal_module, "_LEAST_HASHED", least)
    rng = random.Random(3)
    partition = Partition([CharSet.single(97 + bit) for bit in range(4)])
    merged = 0
    for _ in range(500):
        edges, endings = drawn(rng)
        is_final = [not ending for ending in endings]
        automaton = MinimalAutomaton(partition, edges, is_final)
        live = alive(edges, is_final)
        kept = [[(mask, target) for mask, target in steps if target in live] for steps in edges]
        blocks = of_moore(kept, is_final)
        assert len(automaton.edges) == len({blocks[state] for state in live})
        merged += len(automaton.edges) < len(live)
        assert automaton.root >= 0 or 0 not in live
        place, pairs = {0: automaton.root}, [0]
        for state in pairs if 0 in live else ():
            here = place[state]
            assert automaton.is_final[here] == is_final[state]
            union = reduce(or_, (mask for mask, _ in kept[state]), 0)
            assert union == reduce(or_, (mask for mask, _ in automaton.edges[here]), 0)
            for mask, target in kept[state]:
                (to,) = (other for edge, other in automaton.edges[here] if edge & mask)
                assert place.setdefault(target, to) == to
                if target not in pairs:
                    pairs.append(target)
    assert merged > 20


def alive(edges, is_final):
    """States from which a final one can be reached."""
    found = {state for state, may_end in enumerate(is_final) if may_end}
    while True:
        more = {state for state, steps in enumerate(edges) if any(target in found for _, target in steps)} - found
        if not more:
            return found
        found |= more
