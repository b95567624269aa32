"""Least numbers of bytes to the end of a rule: by fixed point over all states, and the work that searches share."""

from __future__ import annotations

import random

import pytest
from networks import counted_network, random_network
from schemas import whole_schema

from guidance_kit.errors import ConstraintError
from guidance_kit.fsm import least
from guidance_kit.fsm.least import LeastBytes
from guidance_kit.fsm.network import Network
from guidance_kit.fsm.opcodes import CALL, JUMP, TURN
from guidance_kit.grammars.json_schema import json_schema

FAR = 1 << 100
TURNS = 1 << 64


def by_fixed_point(network: Network) -> list[int]:
    """Costs of all states, as `LeastBytes.of` has them: least turns first, then least bytes; by repeated relaxation."""
    for number, rule in enumerate(network.rules):
        if rule.start == -1:
            network.ensure_built(number)
    costs = [FAR] * network.size

    def along(edge: tuple[int, int, int]) -> int:
        op, a, b = edge
        if op >= 0:
            return 1 + costs[a]
        if op == TURN:
            return TURNS + costs[a]
        if op == JUMP:
            return costs[network.rules[a].start + b]
        if op == CALL:
            rule = network.rules[a]
            if rule.nullable:
                return costs[b]
            if rule.key_set is not None and rule.key_set.in_order is not None:
                rule = network.rules[rule.key_set.in_order]
            start = costs[rule.start]
            if start == FAR:
                return FAR
            return start % TURNS * (1 if rule.slack >= 0 else rule.minimum) + costs[b]
        return costs[a] if op in least._EMPTY else 0

    edges = network.edges
    changed = True
    while changed:
        changed = False
        for state in range(network.size):
            cost = min(map(along, edges[state]), default=FAR)
            if cost < costs[state]:
                costs[state], changed = cost, True
    return [cost if cost == FAR else cost % TURNS for cost in costs]


def check(network: Network, seed: int) -> None:
    """Compare the costs of all states, asked for in random order, with those of the fixed point."""
    costs = by_fixed_point(network)
    states = [state for state, cost in enumerate(costs) if cost < FAR]
    random.Random(seed).shuffle(states)
    found = LeastBytes(network)
    assert {state: found.of(state) for state in states} == {state: costs[state] for state in states}


@pytest.mark.parametrize("seed", range(60))
def test_costs_of_random_networks(seed: int) -> None:
    check(random_network(seed, far_bounds=seed % 2 == 1), seed)
    check(counted_network(seed, far_bounds=seed % 2 == 1), seed)


def test_costs_of_drawn_schemas() -> None:
    checked = 0
    for seed in range(60):
        try:
            network = json_schema(whole_schema(random.Random(seed)), whitespace="compact").network()
        except ConstraintError:
            continue
        if network.needs_names:
            continue
        for number in range(40):  # a network of a recursive schema has no end
            if number < len(network.rules):
                network.ensure_built(number)
        if len(network.rules) < 40:
            check(network, seed)
            checked += 1
    assert checked > 15


@pytest.mark.slow
def test_a_search_is_led_by_earlier_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind each key of a chain of optional ones, a search visits its own value, not the chain anew."""
    visits = 0
    pop = least.heappop

    def counted(todo: list[tuple[int, ...]]) -> tuple[int, ...]:
        nonlocal visits
        visits += 1
        return pop(todo)

    monkeypatch.setattr(least, "heappop", counted)
    keys = {f"k{number:03}": {"type": ["integer", "object"]} for number in range(100)}
    schema = {"properties": keys, "additionalProperties": False, "minProperties": 30}
    network = json_schema({"type": "object", **schema}, whitespace="compact").network()
    found = LeastBytes(network)
    found.of(network.ensure_built(network.root))
    first, states = visits, list(range(0, network.size, 50))
    for state in states:
        if network.edges[state]:
            found.of(state)
    assert visits < 3 * first, (first, visits, len(states))
