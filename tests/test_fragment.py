"""Rules that are copied say the same as rules that are written."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import Interpreter

from guidance_kit.fsm import fragment
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.fsm.caches import BoundedCache
from guidance_kit.fsm.fragment import joint_rule, shared_rule
from guidance_kit.fsm.network import Network
from guidance_kit.fsm.rule import Rule, row
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.grammars.json_schema.strings.encoding import ENCODINGS
from guidance_kit.grammars.regular import lower
from guidance_kit.grammars.regular.encoding import UTF8
from guidance_kit.grammars.regular.parse import parse


def write_list(network: Network) -> int:
    """(x{2,70}), or (y, lists): counted and plain rules inside, and itself."""
    start, open_, close, middle, end = network.states(5)
    network.byte(start, ord("("), ord("("), open_)

    def body(turn_end: int) -> int:
        first = network.state()
        network.byte(first, ord("x"), ord("x"), turn_end)
        return first

    network.call(open_, network.repeat(body, 2, 70), close)

    def build_y() -> int:
        first, last = network.states(2)
        network.byte(first, ord("y"), ord("y"), last)
        network.final(last)
        return first

    network.call(open_, network.rule(build_y, nullable=False), middle)
    network.call(middle, shared_list(network), middle)
    network.epsilon(middle, close)
    network.byte(close, ord(")"), ord(")"), end)
    network.final(end)
    return start


def shared_list(network: Network) -> int:
    return shared_rule(network, "test_fragment.list", write_list)


def plain_list(network: Network) -> int:
    """The same, without a copy: what `write_list` is, with itself in place of the shared rule."""
    number = len(network.rules)
    network.shared["test_fragment.list"] = number
    return network.rule(lambda: write_list(network), nullable=False)


def grammar(declare) -> Network:
    """A list after some states and rules of its own, so that no number is what it was when the rule was recorded."""
    network = Network()

    def build() -> int:
        start, middle, end = network.states(3)
        network.literal(start, b"z", middle)
        network.call(middle, declare(network), end)
        network.final(end)
        return start

    network.rule(lambda: network.states(7).start, nullable=False)
    network.root = network.rule(build, nullable=False)
    return network


def fragments(most: int) -> BoundedCache:
    return BoundedCache(most, 2**20, lambda one: one.edges.nbytes, has_fixed_sizes=True)


@pytest.fixture(autouse=True)
def _no_fragments(monkeypatch):
    monkeypatch.setattr(fragment, "_FRAGMENTS", fragments(1024))


@pytest.mark.parametrize("most_edges", [0, 8192])
def test_a_copy_is_what_was_written(monkeypatch, most_edges):
    monkeypatch.setattr(fragment, "_MOST_EDGES", most_edges)
    twin = Interpreter(grammar(plain_list))
    copies = [Automaton(grammar(shared_list)) for _ in range(2)]
    seen = 0
    for text in map(bytes, itertools.product(b"(xy)", repeat=6)):
        items = twin.run(b"z" + text)
        for automaton in copies:
            path = automaton.advance(automaton.start, b"z" + text)
            assert (len(path) == 7) == bool(items)
            if items:
                assert automaton.is_complete(int(path[-1])) == (None in items)
        seen += bool(items)
    assert seen == 8
    assert bool(len(fragment._FRAGMENTS)) == bool(most_edges)
    for count in (1, 2, 70, 71):
        text = b"z(y(" + b"x" * count + b"))"
        for automaton in copies:
            assert (len(automaton.advance(automaton.start, text)) == len(text)) == (2 <= count <= 70)


def test_a_rule_is_declared_once_and_written_when_it_is_reached():
    network = Network()
    first, again = shared_list(network), shared_list(network)
    assert first == again
    assert (network.size, len(fragment._FRAGMENTS)) == (0, 0)
    network.ensure_built(first)
    assert (network.size > 0, len(fragment._FRAGMENTS)) == (True, 1)


def test_no_more_than_so_many_are_kept(monkeypatch):
    monkeypatch.setattr(fragment, "_FRAGMENTS", fragments(3))

    def write(network: Network, byte: int) -> int:
        start, end = network.states(2)
        network.byte(start, byte, byte, end)
        network.final(end)
        return start

    for byte in (1, 2, 3, 1, 4, 1):
        network = Network()
        number = shared_rule(network, ("test_fragment.byte", byte), lambda other, byte=byte: write(other, byte))
        start = network.ensure_built(number)
        assert network.edges[start] == [(byte | byte << 8, start + 1, 0)]
    assert [byte for _, byte in fragment._FRAGMENTS] == [3, 4, 1]


def test_rules_that_declare_many_are_built_as_far_as_a_text_gets():
    """Alone, 63 rules of derivatives would be built with the first."""
    conditions = [{"pattern": "ab1"}, {"pattern": r"^[\w]*$"}, {"pattern": "[c|a]"}]
    network = json_schema({"type": "string", "minLength": 10, "maxLength": 20, "allOf": conditions}).network()
    automaton = Automaton(network)
    assert len(automaton.advance(automaton.start, b'"abc')) == 4
    assert sum(rule.start >= 0 for rule in network.rules) < 10
    for text in (b'"xab1cdefgh"', b'"xab1"', b'"xab2cdefgh"'):
        assert (len(automaton.advance(automaton.start, text)) == len(text)) == (text == b'"xab1cdefgh"')


def ping(network: Network) -> int:
    return joint_rule(network, "test", "test_fragment.ping", lambda other: write_call(other, b"a", pong))


def pong(network: Network) -> int:
    return joint_rule(network, "test", "test_fragment.pong", lambda other: write_call(other, b"b", ping))


def write_call(network: Network, byte: bytes, declare) -> int:
    """The byte, or the byte and a text of another rule, in a rule of its own."""
    start, middle, end = network.states(3)
    network.literal(start, byte, middle)
    network.epsilon(middle, end)

    def build() -> int:
        first, last = network.states(2)
        network.call(first, declare(network), last)
        network.final(last)
        return first

    network.call(middle, network.rule(build, nullable=False), end)
    network.final(end)
    return start


def test_joint_rules_are_copied_with_all_that_they_call(monkeypatch):
    monkeypatch.setattr(fragment, "_CONSTANTS", fragments(8))
    for times in range(2):
        network = grammar(ping)
        later = pong(network)
        automaton = Automaton(network)
        assert len(automaton.advance(automaton.start, b"za")) == 2
        assert network.rules[later].start >= 0  # nothing but the byte before it was asked for
        assert len(fragment._CONSTANTS) == 1
        for text, is_whole in ((b"za", True), (b"zab", True), (b"zabab", True), (b"zb", False), (b"zaa", False)):
            path = automaton.advance(automaton.start, text)
            assert (len(path) == len(text) and automaton.is_complete(int(path[-1]))) == is_whole, (times, text)
    automaton = Automaton(grammar(pong))
    assert len(automaton.advance(automaton.start, b"zbab")) == 4
    assert len(fragment._CONSTANTS) == 2


def test_a_joint_rule_that_is_there_already_is_not_written_again(monkeypatch):
    monkeypatch.setattr(fragment, "_CONSTANTS", fragments(8))
    network = Network()
    first = network.ensure_built(ping(network))
    start = network.rules[pong(network)].start
    size, built = network.size, len(network.built)
    assert network.ensure_built(ping(network)) == first
    assert network.ensure_built(pong(network)) == start >= 0
    assert (network.size, len(network.built)) == (size, built)


def test_columns_of_rules_are_those_of_the_rules():
    """Rules that are declared alone, and copied ones; the automaton reads the columns alone."""
    properties = {"a": {"type": "string", "maxLength": 70}, "b": {}, "c": {"items": {"type": "number"}, "minItems": 90}}
    constraint = json_schema({"type": "object", "properties": properties, "required": ["a", "b"]}, order="any")
    for _ in range(2):
        network = constraint.network()
        rule = 0
        while rule < min(len(network.rules), 60):  # which may grow
            network.ensure_built(rule)
            rule += 1
        columns_of_one = len(row(Rule(False, None)))
        assert len(network.rows) == columns_of_one * len(network.rules)
        copied = 0
        for number, rule in enumerate(network.rules):
            start, *columns = network.rows[number * columns_of_one :][:columns_of_one]
            assert columns == [int(column) for column in row(rule)[1:]]
            assert start in (-1, rule.start)
            copied += start >= 0
        assert copied
        assert any(rule.keys for rule in network.rules)
        assert network.most_turns == max(max(rule.minimum, rule.maximum) for rule in network.rules) == 89


REPEATED = st.sampled_from(["a", ".", "[^\\n]", r"\w", "é|ab|[x-z]", "(?:[0-9]{13}x)?b", r"(?:ab{200})?c", ".*é"])


def turns_written(pattern, encoding, network):
    """Edges, promises, built rules and sizes of a network after a rule of a pattern has been written."""
    network.states(7)
    lower.declare(network, parse(pattern), encoding)
    for number in range(2):
        network.ensure_built(number % len(network.rules))
    return network.flat, network.alike, network.built, network.size, len(network.rules)


@given(REPEATED, st.integers(0, 20), st.integers(0, 20), st.sampled_from([UTF8, *ENCODINGS.values()]))
def test_turns_that_are_copied_are_those_that_are_written(body, minimum, more, encoding):
    pattern = f"<(?:{body}){{{minimum},{minimum + more}}}>"
    copied = turns_written(pattern, encoding, Network())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lower, "copy_in_a_row", lambda *args: None)
        assert turns_written(pattern, encoding, Network()) == copied


def test_turns_that_declare_no_rules_are_copied(monkeypatch):
    written = []
    whole = lower.copy_in_a_row
    monkeypatch.setattr(lower, "copy_in_a_row", lambda *args: written.append(end := whole(*args)) or end)
    turns_written("[a-c]{15,30}", UTF8, Network())
    assert len(written) == 2
    assert None not in written
