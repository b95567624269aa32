"""Cost of large schemas, counted in steps and rules: never in seconds."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import numpy as np
import pytest
from json_texts import Judge, judge
from vocabularies import gpt2_like_vocabulary, special_vocabulary

import guidance_kit as gk
from guidance_kit.errors import LimitError
from guidance_kit.fsm import automaton as automaton_module
from guidance_kit.fsm import fragment
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.fsm.limits import Limits
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.json_schema.compiled import CompiledSchema
from guidance_kit.grammars.json_schema.inclusion import schema_pair
from guidance_kit.grammars.json_schema.layout import layout_of
from guidance_kit.grammars.json_schema.objects import key_classes
from guidance_kit.grammars.json_schema.objects.live_plan import LivePlan
from guidance_kit.grammars.json_schema.objects.witness_plan import WitnessPlan
from guidance_kit.grammars.json_schema.strings.encoding import ENCODINGS
from guidance_kit.grammars.json_schema.writer import ValueWriter
from guidance_kit.grammars.regular.derivative import Derivatives
from guidance_kit.grammars.regular.expression import Expression
from guidance_kit.grammars.regular.position_sets import PositionSets


def test_patterns_of_keys_that_may_overlap_are_counted(monkeypatch):
    monkeypatch.setattr(key_classes, "MAX_KEY_WORK", 20_000)

    def first_mask(count: int) -> list[int]:
        patterns = {f"p{k}.*x": {"type": "integer"} for k in range(count)}
        schema = {"type": "object", "patternProperties": patterns}
        return Matcher(gk.json_schema(schema).compile(special_vocabulary())).allowed_tokens()

    with pytest.raises(LimitError, match=r"max_key_work=20000 reached .* as 40 patterns of keys are\); simplify"):
        first_mask(40)
    assert ord("{") in first_mask(4)


def test_classes_of_overlapping_patterns_take_no_derivatives_of_conjunctions(monkeypatch):
    """Eight patterns make 192 classes: one automaton a pattern, and one of all."""
    made = []
    make = Derivatives.__init__

    def counting(self, expression):
        made.append(expression)
        make(self, expression)

    patterns = ["^(?!x-)", "s$", "url", "(_|-)(min|max)$", r"^\w+$", "^.{3,20}$", "^[a-z]+$", "^[a-z]+_[a-z]+$"]
    layers = [{"patternProperties": {pattern: {"minimum": k}}} for k, pattern in enumerate(patterns)]
    monkeypatch.setattr(Derivatives, "__init__", counting)
    constraint = gk.json_schema({"type": "object", "allOf": layers})
    assert ord("{") in Matcher(constraint.compile(special_vocabulary())).allowed_tokens()
    assert len(made) <= len(patterns) + 1


def test_constant_rules_are_written_once_in_a_process(monkeypatch):
    """Numbers, exponents, escapes, words and white space depend on no schema: clearing all caches leaves them."""
    parts = {"a": {"type": ["number", "null", "string", "boolean"]}, "b": {"type": "number", "format": "double"}}
    schema = {"type": "object", "properties": parts}

    def read() -> None:
        matcher = Matcher(gk.json_schema(schema).compile(special_vocabulary()))
        for byte in b'{"a": 1.5e3, "b": 7}':
            matcher.allowed_tokens()
            matcher.advance_bytes(bytes([byte]))
        assert matcher.is_complete

    read()
    recorded = []

    def counting(*args):
        recorded.append(args)
        return record(*args)

    record = fragment._record
    monkeypatch.setattr(fragment, "_record", counting)
    gk.caches.clear()
    read()
    assert not recorded
    monkeypatch.setattr(fragment, "_CONSTANTS", fragment._cache(256, 2**20))
    gk.caches.clear()
    read()
    assert recorded


def test_host_names_are_written_once_in_a_process(monkeypatch):
    """Labels and the whole name are counted, so there are 128 states, which are copied at once from then on."""
    schema = {"type": "array", "items": {"format": "hostname", "type": "string"}}

    def read() -> Network:
        matcher = Matcher(gk.json_schema(schema).compile(special_vocabulary()))
        for byte in b'["www.example-1.org", "localhost"]':
            matcher.allowed_tokens()
            matcher.advance_bytes(bytes([byte]))
        assert matcher.is_complete
        return matcher.index.automaton.network

    read()
    steps = []
    take = PositionSets.steps
    monkeypatch.setattr(PositionSets, "steps", lambda self, state: steps.append(state) or take(self, state))
    gk.caches.clear()
    assert sum(rule.maximum == 253 for rule in read().rules) == 1
    assert not steps
    monkeypatch.setattr(fragment, "_CONSTANTS", fragment._cache(256, 2**20))
    gk.caches.clear()
    read()
    assert len(steps) == 128


def test_transitions_of_ten_thousand_configurations_are_not_copied(monkeypatch):
    copied = []
    monkeypatch.setattr(automaton_module.Automaton, "_extend_transitions", lambda self, rows: copied.append(rows))
    matcher = Matcher(gk.regex("[ab]*a[ab]{13}").compile(gpt2_like_vocabulary()))
    automaton = matcher.index.automaton
    text = bytes(random.Random(0).choices(b"ab", k=12_000))
    assert len(automaton.advance(automaton.start, text)) == len(text)
    assert 8_000 < automaton.statistics()["configurations"] < 16_000
    assert automaton.is_complete(int(automaton.advance(automaton.start, text)[-1])) == (text[-14] == ord("a"))
    assert not copied


def test_a_string_whose_automaton_has_many_rules_is_not_recorded(monkeypatch):
    """Rules that are recorded in vain are written twice."""
    built = []

    def counting(self, rule):
        built.append(rule)
        return ensure_built(self, rule)

    ensure_built = automaton_module.Network.ensure_built
    monkeypatch.setattr(automaton_module.Network, "ensure_built", counting)
    recorded = []
    record = fragment._record

    def recording(*args):
        before = len(built)
        found = record(*args)
        recorded.append((found, len(built) - before))
        return found

    monkeypatch.setattr(fragment, "_record", recording)
    gk.caches.clear()
    schema = {"type": "string", "allOf": [{"pattern": f"{chr(97 + k)}{chr(98 + k)}"} for k in range(5)]}
    matcher = Matcher(gk.json_schema(schema).compile(gpt2_like_vocabulary()))
    matcher.advance_bytes(b'"ab')
    matcher.allowed_tokens()
    assert any(found is None for found, _ in recorded)
    assert max(rules for _, rules in recorded) <= 2


def rounds_of(monkeypatch, matcher: Matcher) -> tuple[int, int]:
    """Number of waits of the next mask for rules, and of the rules that are built for it."""
    rounds, before = [], len(matcher.index.automaton.network.built)
    make_room = automaton_module.Automaton.make_room

    def counting(self, code):
        rounds.append(code)
        return make_room(self, code)

    with monkeypatch.context() as patch:
        patch.setattr(automaton_module.Automaton, "make_room", counting)
        matcher.allowed()
    return len(rounds), len(matcher.index.automaton.network.built[before:]) // 2


def test_the_mask_of_a_first_key_waits_for_few_rules(monkeypatch):
    """Undeclared keys are one rule, and their values, of any kind, are copied with all rules in them.

    Only what follows the first digit of a number, and an exponent, is copied when a text gets there.
    """
    names = ["name", "address", "phone", "email", "items"]
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in names}}
    matcher = Matcher(gk.json_schema(schema).compile(gpt2_like_vocabulary()))
    rounds, built = 0, 0
    for byte in b'{"x": [':
        more, others = rounds_of(monkeypatch, matcher)
        rounds, built = rounds + more, built + others
        if byte == ord("x"):  # so a value may begin within a token
            assert not any(
                rule.name == "rest of a number" and rule.start >= 0 for rule in matcher.index.automaton.network.rules
            )
        matcher.advance_bytes(bytes([byte]))
    assert rounds <= 6
    network = matcher.index.automaton.network
    assert sum(rule.name == "rest of a number" and rule.start >= 0 for rule in network.rules) == 1
    assert sum(rule.name == "other string" and rule.start >= 0 for rule in network.rules) <= 3
    assert rounds_of(monkeypatch, matcher)[0] <= 1
    assert built < 30


def test_a_value_is_built_in_the_round_of_its_key(monkeypatch):
    """From the colon to the first quote of the object behind it a token may read everything."""
    inner = {"type": "object", "properties": {"b": {"type": "number", "minimum": 3}}}
    outer = {"type": "object", "properties": {"a": {"anyOf": [inner, {"type": "integer"}]}}}
    schema = {"type": "object", "properties": {"o": outer}}  # what is in the first object is built ahead
    matcher = Matcher(gk.json_schema(schema).compile(gpt2_like_vocabulary()))
    matcher.advance_bytes(b'{"o": {"a')
    rounds = []
    make_room = automaton_module.Automaton.make_room
    monkeypatch.setattr(automaton_module.Automaton, "make_room", lambda *args: (rounds.append(args), make_room(*args)))
    matcher.advance_bytes(b'": {')
    assert len(rounds) == 1
    matcher.advance_bytes(b'"b": 3}}}')
    assert matcher.is_complete


@pytest.mark.parametrize("order", ["declared", "any"])
def test_the_longest_value_of_the_first_object_is_built_before_the_first_mask(order):
    """The mask before it builds nothing, that before another value does."""
    record = {"type": "object", "properties": {"b": {"type": "integer"}}}
    plain = {name: {"type": "string", "maxLength": 3} for name in "pqr"}
    schema = {"type": "object", "properties": {**plain, "x": record}}
    constraint = gk.json_schema(schema, order=order)
    index = constraint.compile(gpt2_like_vocabulary())
    built = {}
    for key in "px":
        matcher = Matcher(index)
        matcher.allowed()
        matcher.advance_bytes(b'{"')
        matcher.allowed()
        before = len(index.automaton.network.built)
        matcher.advance_bytes(key.encode() + b'"')
        matcher.allowed()  # a token may have the colon and a part of the value
        built[key] = len(index.automaton.network.built) - before
    assert built["p"] > 0
    assert built["x"] == 0


@pytest.mark.parametrize("order", ["declared", "any"])
def test_properties_are_written_where_a_text_has_their_first_quote(order):
    """A token with a colon ends at that quote, and the mask before it costs the same however many keys follow."""

    def states(keys: int) -> tuple[int, int]:
        inner = {"type": "object", "properties": {f"k{number}": {"type": "integer"} for number in range(keys)}}
        schema = {"type": "object", "properties": {"a": inner}, "additionalProperties": False}
        matcher = Matcher(gk.json_schema(schema, order=order).compile(vocabulary))
        matcher.advance_bytes(b'{"a')
        network = matcher.index.automaton.network
        before = network.size
        assert vocabulary.token_bytes.index(b'":{"') in matcher.allowed_tokens()
        between = network.size
        matcher.advance_bytes(b'":{"')
        return between - before, network.size - between

    plain = gpt2_like_vocabulary()
    vocabulary = replace(plain, token_bytes=(*plain.token_bytes, b'":{"'), rows=plain.rows + 1)
    few, many = states(3), states(60)
    assert few[0] == many[0]
    assert few[1] < many[1]


def test_leap_seconds_are_written_a_minute_at_a_time(monkeypatch):
    matcher = Matcher(gk.json_schema({"format": "date-time", "type": "string"}).compile(special_vocabulary()))
    network = matcher.index.automaton.network
    for byte in b'"2024-02-29T12:3':
        matcher.allowed()
        matcher.advance_bytes(bytes([byte]))
    size = network.size
    assert rounds_of(monkeypatch, matcher)[0] <= 1
    assert network.size - size < 400
    matcher.advance_bytes(b'4:60.5-11:25"')
    assert matcher.is_complete


def test_rules_of_leap_seconds_and_exponents_are_kept(monkeypatch):
    schema = {"type": "array", "prefixItems": [{"type": "string", "format": "date-time"}, {"type": "number"}]}

    def read() -> None:
        matcher = Matcher(gk.json_schema(schema).compile(special_vocabulary()))
        for byte in b'["2024-02-29T12:34:60.5-11:25", 1e5]':
            matcher.allowed()
            matcher.advance_bytes(bytes([byte]))
        assert matcher.is_complete

    read()
    recorded = []
    record = fragment._record

    def counting(shared, network):
        recorded.append(shared.key)
        return record(shared, network)

    monkeypatch.setattr(fragment, "_record", counting)
    gk.caches.clear()
    read()
    assert not [key for key in recorded if key[0] != "string"]


def test_keys_that_are_alike_are_left_out_together():
    """Of 300 keys two matter to the condition that some property has another value."""
    names = [f"k{number}" for number in range(300)]
    constants = {"k0": {"const": 1}, "k1": {"const": 2}}
    schema = {"type": "object", "properties": {name: {"type": "integer"} for name in names}}
    facts = CompiledSchema({**schema, "additionalProperties": False, "not": {"properties": constants}}).facts
    (objects,) = facts.shape((facts.document.root,)).objects
    plan = facts.witness_plan(objects)
    assert len(plan._optional) == 2
    assert plan.essential(plan.start).left == 0b11


def test_each_key_is_looked_at_once_for_each_rule_of_an_object_with_conditions(monkeypatch):
    """One of twenty properties has to have another value than is denied."""
    names = [f"k{number}" for number in range(20)]
    strings, denied = ({name: {"type": "string"} for name in names}, {name: {"maxLength": 5} for name in names})
    schema = {"type": "object", "properties": strings, "additionalProperties": False}
    facts = CompiledSchema({**schema, "not": {"properties": denied}}).facts
    (objects,) = facts.shape((facts.document.root,)).objects
    seen = []
    steps = WitnessPlan.steps
    monkeypatch.setattr(WitnessPlan, "steps", lambda plan, place: (seen.append(place), steps(plan, place))[1])
    writer = ValueWriter(Network(), facts, layout_of("compact"), ENCODINGS["minimal"])
    plan = LivePlan(facts, objects)
    writer._build_next(plan, plan.start, 0)
    asked = [place for place in seen if place.met == plan.start.met]
    assert len({*asked}) == 20
    assert len(asked) <= 40  # and once for whether it may come true


def test_a_comparison_gives_up_after_so_much_work_in_networks(monkeypatch):
    """Derivatives in the networks of a counterexample and of random instances are counted, too."""
    stamp = {
        "type": "string",
        "format": "date-time",
        "pattern": r".+T[^Z+\-]+",
    }  # of 12,000 states
    left = {"type": "object", "properties": {"a": stamp, "b": stamp}, "required": ["a", "b"]}
    derived = 0
    derivative = Derivatives.derivative

    def counted(self: Derivatives, *arguments: int) -> int:
        nonlocal derived
        derived += 1
        return derivative(self, *arguments)

    monkeypatch.setattr(Derivatives, "derivative", counted)
    for limits in ("_NETWORKS", "_WALKED"):
        monkeypatch.setattr(schema_pair, limits, Limits(max_states=50_000, max_work=5_000))
    result = gk.compare(left, {**left, "required": ["a", "b", "c"]})
    assert result.left_in_right.holds is None
    assert "no instance of it was confirmed" in result.left_in_right.reason
    assert derived < 20_000  # of 470,000 without a limit


def test_a_large_search_for_a_string_is_made_once(monkeypatch):
    """The rule goes on with the derivatives of the test for a text; another network has its own, and the same texts."""
    made: list[Derivatives] = []
    initialise = Derivatives.__init__

    def note(self: Derivatives, expression: Expression) -> None:
        initialise(self, expression)
        made.append(self)

    monkeypatch.setattr(Derivatives, "__init__", note)
    conditions = [{"pattern": "^(?:[a-z][0-9])+$"}, {"pattern": "^c1d3"}, {"pattern": "(t|8){10}$"}]
    constraint = gk.json_schema({"type": "string", "minLength": 1_100, "allOf": conditions})
    automata = [Automaton(constraint.network())]
    assert [one.size > 1_000 for one in made].count(True) == 1
    automata.append(Automaton(constraint.network()))
    assert [one.size > 1_000 for one in made].count(True) > 1
    text = ('"c1d3' + "t8" * 560 + '"').encode()
    configs = [automaton.start for automaton in automata]
    for byte in text:
        live = [automaton.live_bytes(config) for automaton, config in zip(automata, configs, strict=True)]
        assert np.array_equal(*live)
        configs = [
            int(automaton.advance(config, bytes([byte]))[0])
            for automaton, config in zip(automata, configs, strict=True)
        ]
    assert all(automaton.is_complete(config) for automaton, config in zip(automata, configs, strict=True))


def test_many_properties_and_large_enumerations_are_quick():
    properties = {f"property number {n}": {"type": "string"} for n in range(2000)}
    constraint = judge({"type": "object", "properties": properties, "additionalProperties": False})
    assert constraint.accepts('{"property number 3":"","property number 1999":""}')
    assert not constraint.accepts('{"property number 1999":"","property number 3":""}')
    names = judge({"enum": [f"choice {n * n}" for n in range(5000)] + list(range(0, 50_000, 7))})
    assert names.accepts('"choice 144"')
    assert names.accepts("49")
    assert not names.accepts('"choice 145"')
    assert not names.accepts("50")


def test_long_arrays_are_counted_not_unrolled():
    constraint = gk.json_schema({"type": "array", "items": {"const": 1}, "minItems": 1000, "maxItems": 100_000})
    network = constraint.network()
    arrays = Judge(constraint)
    assert arrays.accepts(json.dumps([1] * 1000))
    assert arrays.accepts(json.dumps([1] * 100_000))
    assert not arrays.accepts(json.dumps([1] * 999))
    assert not arrays.accepts(json.dumps([1] * 100_001))
    assert network.size < 100


def test_only_what_a_text_reaches_is_written():
    schema = {
        "$defs": {f"d{n}": {"type": "object", "properties": {f"p{k}": {"$ref": f"#/$defs/d{n + 1}"} for k in range(5)}}
                  for n in range(500)} | {"d500": {"type": "integer"}},
        "$ref": "#/$defs/d0",
    }  # fmt: skip
    constraint = judge(schema)
    assert constraint.accepts('{"p0":{"p1":{"p4":{}}}}')
    assert constraint.automaton.network.size < 3000
