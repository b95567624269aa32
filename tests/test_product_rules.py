"""Rules of products of sets of positions: members are those of `re`, masks those of an interpreter."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import numpy as np
import pytest
from marks import slow
from oracles import Interpreter, brute_force
from patterns import random_pattern
from test_regex_expressions import TEXTS, accepted

from guidance_kit.errors import LimitError, UnsatisfiableError
from guidance_kit.fsm import bitmask
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.network import Network, Work
from guidance_kit.fsm.token_index import TokenIndex
from guidance_kit.grammars.regular import (
    Expression,
    alternate,
    complement,
    declare,
    intersect,
    is_member,
    parse,
    parse_search,
)
from guidance_kit.grammars.regular import derived_rules as module
from guidance_kit.grammars.regular.bounded_length import counted_language
from guidance_kit.grammars.regular.encoding import SLICE_CHARACTERS
from guidance_kit.grammars.regular.minimal_automaton import minimal_automaton
from guidance_kit.grammars.regular.partition import Partition
from guidance_kit.grammars.regular.position_sets import position_sets
from guidance_kit.grammars.regular.product_automaton import is_plain_combination, product_automaton
from guidance_kit.vocabulary import Vocabulary

Steps = Callable[[int], list[tuple[int, int]]]

NAMES = ["one", "other", "once", "no"]
CASES = [
    intersect(parse_search("(one|ten|eleven|once)$"), complement(parse("|".join(NAMES)))),
    intersect(parse_search("[eo]n"), complement(parse("(one)*")), complement(parse_search("nn|^t"))),
    alternate([parse_search("tt"), intersect(parse_search("e.{2,4}$"), complement(parse_search("n")))]),
    intersect(parse_search("e.{2,4}$"), parse_search("^(n|o|e)"), complement(parse("|".join(NAMES)))),
]


def has_product_rules(expression: Expression) -> bool:
    if expression.is_plain or counted_language(expression) is not None or not is_plain_combination(expression):
        return False
    found = product_automaton(expression, minimal_automaton)
    return found is not None and not found.has_counter


def network_of(expression: Expression) -> Network:
    network = Network()
    network.root = declare(network, expression)
    return network


def random_combination(rng: random.Random) -> tuple[Expression, set[str]]:
    """A conjunction of patterns to be found and others not to be found, and the texts that belong to it."""
    expressions: list[Expression] = []
    members = {*TEXTS}
    for _ in range(rng.randint(2, 4)):
        pattern = random_pattern(rng, conditions=0, depth=1).replace("(?a:", "(?:")
        found = {text for text in TEXTS if re.search(pattern, text)}
        if rng.random() < 0.4:
            expressions.append(complement(parse_search(pattern)))
            members -= found
        elif rng.random() < 0.2:
            other, denied = rng.choice(["ab", "1$", "^a"]), rng.choice(["bb", "^a1", "b"])
            both = intersect(parse_search(other), complement(parse_search(denied)))
            expressions.append(alternate([parse_search(pattern), both]))
            members &= found | {text for text in TEXTS if re.search(other, text) and not re.search(denied, text)}
        elif rng.random() < 0.3:
            other = rng.choice(["ab", "1$", "^a"])
            expressions.append(alternate([parse_search(pattern), complement(parse_search(other))]))
            members &= found | {text for text in TEXTS if not re.search(other, text)}
        else:
            expressions.append(parse_search(pattern))
            members &= found
    return intersect(*expressions), members


@pytest.mark.parametrize("eager", [1, 4])
@pytest.mark.parametrize("seeds", [range(40), *slow(range(40, 1000))])
def test_random_combinations(seeds, eager, monkeypatch):
    monkeypatch.setattr(module, "_EAGER", eager)
    monkeypatch.setattr(module, "_EAGER_POSITIONS", 50 * eager - 49)
    written = some = 0
    for seed in seeds:
        expression, members = random_combination(random.Random(seed))
        if has_product_rules(expression):
            written += 1
            some += bool(members)
            assert accepted(expression) == members, seed
    assert written > len(seeds) // 2
    assert some > len(seeds) // 4


@pytest.mark.parametrize("most_steps", [*slow(2_000), 0])
@pytest.mark.parametrize("expression", CASES)
def test_masks_are_exact_and_lead_to_no_dead_end(expression, most_steps, monkeypatch):
    """Also where no search for a text of a product ends, so that derivatives tell which states are live."""
    monkeypatch.setattr(module, "_MOST_STEPS", most_steps)
    assert has_product_rules(expression)
    rng = random.Random(1)
    texts = {"".join(rng.choices("netol", k=rng.randint(2, 4))).encode() for _ in range(20)} | {
        name.encode() for name in NAMES
    }
    texts |= {bytes([byte]) for byte in range(256)} | {b"a\xc3", b"\xa9b"}
    vocabulary = Vocabulary(token_bytes=(b"", *sorted(texts)), special=frozenset({0}), eos=(0,), rows=len(texts) + 1)
    network = network_of(expression)
    index = TokenIndex.build(network, vocabulary)
    likely = [token for token, data in enumerate(vocabulary.token_bytes) if set(data) <= set(b"netol")]
    finished = 0
    for _ in range(10):
        matcher, twin = Matcher(index), Interpreter(index.automaton.network)
        items, text = twin.start, b""
        while len(text) < 20 and not matcher.is_finished:
            allowed = bitmask.unpack(matcher.allowed(), vocabulary.rows)
            np.testing.assert_array_equal(allowed, brute_force(vocabulary, twin, items))
            assert allowed.any(), "dead end"
            if allowed[0] and rng.random() < 0.5:
                matcher.advance(0)
                break
            token = rng.choice([token for token in likely if allowed[token]] or np.flatnonzero(allowed).tolist())
            matcher.advance(token)
            text += vocabulary.token_bytes[token]
            for byte in vocabulary.token_bytes[token]:
                items = twin.step(items, byte)
        finished += matcher.is_finished
        assert not matcher.is_finished or is_member(text.decode(), expression)
    assert finished > 0


def is_free_by_search(steps: Steps, letters: list[int], state: int, is_live: Callable[[int], bool]) -> bool:
    """Test whether all states that some letters lead to are live; `letters` are masks, of which any bit will do."""
    found = [state]
    for here in found:  # grows meanwhile
        if not is_live(here):
            return False
        ways = steps(here)
        if any(not any(mask & letter for mask, _ in ways) for letter in letters):
            return False
        targets = {target for mask, target in ways if any(mask & letter for letter in letters)}
        found += sorted(targets - {*found})
    return True


def letters_of_slice(partition: Partition) -> list[int]:
    masks = [1 << number for number in range(partition.count)]
    return [mask for mask in masks if partition.charset(mask) & SLICE_CHARACTERS]


@pytest.mark.parametrize("seeds", [range(25), *slow(range(25, 1500))])
def test_states_that_are_said_to_be_free_lead_to_no_dead_end(seeds):
    """No answer is wrong, of products and of their parts; a third of the free ones is known."""
    known = [0, 0]
    free = [0, 0]
    for seed in seeds:
        rng = random.Random(seed)
        expression, _ = random_combination(rng)
        names = ["a", "ab1", "b1b", "1"][: rng.randint(0, 4)]
        if names:
            expression = intersect(expression, complement(parse("|".join(names))))
        product = product_automaton(expression, minimal_automaton)
        if product is None:
            continue
        letters = letters_of_slice(product.partition)
        for state in range(10):
            if state < product.states:
                product.steps(state)
                is_free = is_free_by_search(product.steps, letters, state, product.is_live)
                assert is_free or not product.is_free(state), (seed, state)
                known[0] += product.is_free(state)
                free[0] += is_free
        for part in product._parts:
            letters = letters_of_slice(part.letters)
            for state in {part.root, *(target for _, target in part.steps(part.root))}:
                is_free = is_free_by_search(part.steps, letters, state, bool)
                assert is_free or not product.is_free_part(part, state), (seed, state)
                known[1] += product.is_free_part(part, state)
                free[1] += is_free
    for some, all_ in zip(known, free, strict=True):
        assert all_ > len(seeds)
        assert some > all_ / 3


@pytest.mark.parametrize(
    ("expression", "is_free"),
    [
        (intersect(parse_search("one|ten"), complement(parse("|".join(NAMES)))), True),
        (complement(parse("one(_[a-z]+)*|ten[0-9]*")), True),
        (intersect(parse_search("one"), parse_search("ten")), False),  # so it is, but by both together
        (intersect(parse_search("one"), complement(parse_search("ten"))), False),
        (intersect(parse("[^\n]*a"), complement(parse("[^\n]*b"))), False),  # so it is; no loop reads the line feed
        (intersect(parse("[^\n]*a"), complement(parse("[^\n]*"))), False),
        (intersect(parse("[a-z]*x"), *(complement(parse(f"[^a-z]{{{n}}}")) for n in (1, 2))), False),
        (intersect(parse("(?s:.)x"), complement(parse("ab"))), False),
    ],
)
def test_what_is_said_to_be_free(expression, is_free):
    product = product_automaton(expression, minimal_automaton)
    assert product is not None
    assert product.is_free(product.root) == is_free


@pytest.mark.parametrize(
    ("pattern", "point", "loops"),
    [
        ("(?s:.)*x", "\n", True),
        ("[^\n]*a", "b", True),
        ("[^\n]*a", "\n", False),
        ("[a-z]*x", "b", False),
        ("(?s:.)x", "b", False),
        ("(?s:..)*x", "b", False),
    ],
)
def test_a_loop_reads_the_slice_and_one_more_character(pattern, point, loops):
    automaton = position_sets(parse(pattern), minimal_automaton)
    assert automaton is not None
    assert bool(automaton.loops(ord(point)) & automaton.root) == loops


def test_a_mask_of_free_keys_needs_few_states():
    """Tokens without controls and the like can all be read, and are not followed one by one."""
    names = ["north", "east", "south", "west", "inner", "outer", "upper", "lower", "middle", "center", "corner"]
    beginnings = [name[:length] for name in names for length in range(1, len(name))]
    texts = [*(one + other for one in beginnings for other in beginnings), "abc\n"]
    data = [*(bytes([byte]) for byte in range(256)), *(text.encode() for text in texts)]
    vocabulary = Vocabulary(token_bytes=(b"", *data), special=frozenset({0}), eos=(0,), rows=len(data) + 1)
    network = network_of(intersect(parse_search("|".join(names)), complement(parse("|".join(names)))))
    matcher = Matcher(TokenIndex.build(network, vocabulary))
    assert bitmask.unpack(matcher.allowed(), vocabulary.rows)[257:].all()
    assert network.size < 90


def test_states_from_which_nothing_follows_are_left_out(monkeypatch):
    """Nothing can follow `b`: that takes a search, as neither part shows it."""
    expression = intersect(parse("a|b(cc)*c"), complement(parse("b(ccc)*(c|cc|ccc)")))
    for most_steps in (2_000, 0):
        monkeypatch.setattr(module, "_MOST_STEPS", most_steps)
        assert has_product_rules(expression)
        twin = Interpreter(network_of(expression))
        assert accepted(expression, ["a", "b", "bc", "bcc"]) == {"a"}
        assert twin.step(twin.start, ord("a"))
        assert not twin.step(twin.start, ord("b"))
        with pytest.raises(UnsatisfiableError):
            network_of(intersect(expression, complement(parse("a"))))


def test_one_expression_that_is_left_is_written_once():
    """It begins anew behind each beginning of a name that a text may leave; its states are shared."""
    names = [f"{first}{second}" for first in "abcdefgh" for second in "abcdefgh"]
    expression = intersect(
        parse_search("(" + "|".join(20 * letter for letter in "xyz") + ")$"), complement(parse("|".join(names)))
    )
    network = network_of(expression)
    network.ensure_built(network.root)
    for rule in range(len(network.rules)):  # grows meanwhile
        network.ensure_built(rule)
    assert has_product_rules(expression)
    assert len(network.edges) < 250


def test_states_are_made_where_a_text_gets_in_growing_numbers():
    network = network_of(intersect(parse(200 * "ab"), complement(parse("one"))))
    network.ensure_built(network.root)
    assert network.size < 60
    for rule, _ in enumerate(network.rules):  # grows meanwhile
        network.ensure_built(rule)
    assert network.size > 400
    assert len(network.rules) < 8


def test_a_repetition_that_is_counted_stays_counted(monkeypatch):
    monkeypatch.setattr(module, "_ProductWriter", None)
    expression = intersect(parse("([a-z]{3}){1,200}"), complement(parse("one|ten")))
    assert product_automaton(expression, minimal_automaton) is not None
    assert accepted(expression, ["one", "two", "tenten", "te"]) == {"two", "tenten"}


def test_work_is_limited():
    network = network_of(CASES[0])
    network.work = Work(3)
    with pytest.raises(LimitError):
        network.ensure_built(network.root)
    network.work.limit = 1000
    network.work.renew()
    twin = Interpreter(network)
    assert not twin.accepts(b"one")
    assert twin.accepts(b"oone")
