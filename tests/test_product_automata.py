"""Products of sets of positions: members are those of `re`, answers and automata those of derivatives."""

from __future__ import annotations

import random

import pytest
from marks import slow
from patterns import random_pattern
from test_regex_expressions import TEXTS, random_expression

from guidance_kit.errors import LimitError
from guidance_kit.fsm.network import Work
from guidance_kit.grammars.regular import (
    Expression,
    alternate,
    complement,
    intersect,
    is_empty,
    length,
    parse,
    parse_search,
)
from guidance_kit.grammars.regular import liveness as liveness_module
from guidance_kit.grammars.regular import minimal_automaton as minimal_module
from guidance_kit.grammars.regular import position_sets as positions_module
from guidance_kit.grammars.regular import product_automaton as product_module
from guidance_kit.grammars.regular.derivative import Derivatives
from guidance_kit.grammars.regular.liveness import Liveness
from guidance_kit.grammars.regular.minimal_automaton import MinimalAutomaton, minimal_automaton
from guidance_kit.grammars.regular.position_sets import PositionSets
from guidance_kit.grammars.regular.product_automaton import ProductAutomaton, product_automaton

HOST = r"(?!.*://)(?:.{1,63}\.)+(?![0-9]*\Z)[a-z0-9-]+\.?"


def product_of(expression: Expression) -> ProductAutomaton | None:
    return product_automaton(expression, minimal_automaton)


def accepts(product: ProductAutomaton, text: str) -> bool:
    state = product.root
    for character in text:
        letter = product.partition.class_of(ord(character))
        following = [target for mask, target in product.steps(state) if letter is not None and mask >> letter & 1]
        if not following:
            return False
        (state,) = following
    return product.is_final(state)


def has_text(expression: Expression) -> bool:
    derivatives = Derivatives(expression)
    return Liveness(derivatives).is_live(derivatives.root)


def by_derivatives(expression: Expression) -> MinimalAutomaton:
    derivatives = Derivatives(expression)
    found = minimal_module._automaton_of(derivatives, derivatives.partition, Work(100_000))
    assert found is not None
    return found


@pytest.mark.parametrize("seeds", [range(40), *slow(range(40, 1000))])
def test_random_combinations(seeds):
    products = empty = 0
    for seed in seeds:
        expression, members = random_expression(random.Random(seed), depth=3)
        product = product_of(expression)
        if product is None:
            continue
        products += 1
        assert {text for text in TEXTS if accepts(product, text)} == members, seed
        is_live = has_text(expression)
        empty += not is_live
        assert product.is_live(product.root) == is_live != is_empty(expression), seed
        assert is_live or not product.has_witness(), seed
        ours, theirs = minimal_automaton(expression), by_derivatives(expression)
        assert ours is not None
        assert len(ours.edges) == len(theirs.edges), seed
        assert ours.least[ours.root :][:1] == theirs.least[theirs.root :][:1], seed
    assert products > len(seeds) // 2
    assert empty > 0


@pytest.mark.parametrize(
    ("pattern", "has_product"),
    [
        (r"(?=a)[ab]*", True),
        (r"(?:a|b(?!c)).*", False),  # more is read after the condition, in other alternatives too
        (r"a(?!b)[ab]*", True),
        (r"a*(?=b(?<=ab)\Z)b", False),  # that condition looks behind
        (r"a(?=b)(?!bb)[ab]*|c", True),
        (r"[ab]*(?=c)[ab]+|b", True),  # nothing can follow
        (HOST, True),
        (r"(?:.{1,63}\.){1,127}", False),  # thousands of positions
    ],
)
def test_conditions_on_the_rest(pattern, has_product):
    expression = parse(pattern)
    product = product_of(expression)
    assert (product is not None) == has_product
    if product is not None:
        automaton = Derivatives(expression)
        texts = [
            *TEXTS,
            "b",
            "c",
            "bb",
            "ab",
            "bac",
            "a.b",
            "a.1",
            "x://a.b",
            "a.b.",
            "a" * 64 + ".b",
            "a." * 127 + "b",
        ]
        assert [accepts(product, text) for text in texts] == [automaton.contains(text) for text in texts]


def test_steps_by_position_are_those_by_letter(monkeypatch):
    several = 0
    for seed in range(60):
        expression = parse_search(random_pattern(random.Random(seed), conditions=0, depth=3))
        steps = []
        for letters in (0, 1_000):
            monkeypatch.setattr(positions_module, "_LETTERS_PER_POSITION", letters)
            automaton = PositionSets(expression, minimal_automaton)
            states = [automaton.root]
            for state in states:  # grows meanwhile
                states += {target for _, target in automaton.steps(state)} - {*states}
            steps.append({state: sorted(automaton.steps(state)) for state in states})
        assert steps[0] == steps[1], seed
        several += any(len(found) > 2 for found in steps[0].values())
    assert several > 10


def test_steps_class_by_class_are_those_part_by_part(monkeypatch):
    several = 0
    for seed in range(100):
        expression, members = random_expression(random.Random(seed), depth=3)
        sizes = []
        for classes in (0, 1_000):
            monkeypatch.setattr(product_module, "_CLASSES_PER_PART", classes)
            product = product_of(expression)
            if product is None:
                break
            assert {text for text in TEXTS if accepts(product, text)} == members, (seed, classes)
            automaton = minimal_module._automaton_of(product, product.partition, Work(100_000))
            assert automaton is not None
            sizes.append((len(automaton.edges), sum(map(len, automaton.edges)), sum(automaton.least)))
        assert len(set(sizes)) <= 1, seed
        several += bool(sizes) and sizes[0][0] > 2
    assert several > 20


def test_the_formula_is_evaluated_once_for_equal_states_of_the_parts(monkeypatch):
    met = []
    number = ProductAutomaton._number

    def counted(self, following, state, mask):
        met.append(following)
        return number(self, following, state, mask)

    monkeypatch.setattr(ProductAutomaton, "_number", counted)
    either = alternate([complement(parse_search("ab1")), intersect(parse_search("b12"), parse_search("1.*2"))])
    product = product_of(intersect(either, parse_search("[ab][12].*z")))
    assert product is not None
    work = Work(100_000)
    minimal_module._automaton_of(product, product.partition, work)
    assert not product._is_flat
    assert len(met) == len(set(met))
    assert 4 * len(met) < 100_000 - work.left


def test_states_without_a_difference_are_one():
    """States differ in one alternative alone: they are equal where the other one holds whatever follows."""
    expression = alternate([intersect(parse_search("abc"), complement(parse_search("ac"))), parse_search("ba")])
    product, least = product_of(expression), minimal_automaton(expression)
    assert product is not None
    assert least is not None
    states = [product.root]
    for state in states:  # grows meanwhile
        states += {target for _, target in product.steps(state)} - {*states}
    assert len(states) <= 1.5 * len(least.edges)


def test_one_repeated_set_needs_a_state_for_each_turn():
    """Overlapping occurrences of `.{0,30}` would have states for each set of turns."""
    expression = parse_search("a.{0,30}b\\Z")
    product = product_of(expression)
    assert product is not None
    assert minimal_module._automaton_of(product, product.partition, Work(1000)) is not None
    assert product.states < 80


def test_distances_are_lengths_of_shortest_texts():
    compared = 0
    for seed in range(60):
        expression = parse(random_pattern(random.Random(seed), conditions=0, depth=2).replace("(?a:", "(?:"))
        sets = positions_module.position_sets(expression, minimal_automaton)
        if sets is None or sets.root == positions_module.DEAD:
            continue
        states = [sets.root]
        for state in states:  # grows meanwhile
            states += {target for _, target in sets.steps(state)}.difference(states)
        least = {state: 0 for state in states if sets.is_final(state)}
        for length_so_far in range(len(states)):  # states that need one character more
            for state in states:
                if state not in least and any(least.get(target) == length_so_far for _, target in sets.steps(state)):
                    least[state] = length_so_far + 1
        assert {state: sets.distance(state) for state in states} == least, seed
        compared += len(states)
    assert compared > 100


def test_a_search_that_takes_long_is_left_to_derivatives(monkeypatch):
    """Neither answer depends on the bound, and none is given up that derivatives find."""
    expressions = [
        intersect(parse("(?:aaa)*a"), parse("(?:aaaaa)*aa"), length(3, 40)),
        intersect(parse("(?:aaa)*a"), parse("(?:aaaaa)*aa"), length(8, 20)),
    ]
    assert [is_empty(one) for one in expressions] == [False, True]
    monkeypatch.setattr(liveness_module, "_MOST_STEPS", 2)
    assert [is_empty(one) for one in expressions] == [False, True]
    with pytest.raises(LimitError):
        is_empty(expressions[1], Work(5))


def test_a_shortest_text_of_one_part_shows_that_others_have_it_too(monkeypatch):
    """No automaton is built to find that a format and a pattern have a common text."""
    monkeypatch.setattr(ProductAutomaton, "steps", None)
    monkeypatch.setattr(liveness_module, "Derivatives", None)
    assert not is_empty(intersect(parse("[a-z]+://[^ ]*"), parse_search("^https://example\\.(com|org)/.*x")))
