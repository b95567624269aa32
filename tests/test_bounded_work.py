"""Cost of hostile constraints, counted in steps: never in seconds."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import numpy as np
import pytest
from marks import slow
from vocabularies import gpt2_like_vocabulary, special_vocabulary, texts_of

import guidance_kit as gk
from guidance_kit.errors import LimitError
from guidance_kit.fsm import automaton as automaton_module
from guidance_kit.fsm import fragment
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.fsm.limits import Limits
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.network import Network, Work
from guidance_kit.grammars.context_free import lexeme, writer
from guidance_kit.grammars.context_free.lexeme import Lexeme
from guidance_kit.grammars.json_schema.compiled import CompiledSchema
from guidance_kit.grammars.json_schema.inclusion import schema_pair
from guidance_kit.grammars.json_schema.objects import key_classes
from guidance_kit.grammars.regular import parse
from guidance_kit.grammars.regular.charset import NONE, CharSet, union
from guidance_kit.grammars.regular.derivative import Derivatives
from guidance_kit.grammars.regular.equivalent_states import equivalent_states
from guidance_kit.grammars.regular.expression import Expression
from guidance_kit.grammars.regular.liveness import Liveness
from guidance_kit.grammars.regular.position_sets import PositionSets


def lookaheads(count: int) -> str:
    """A pattern of so many conditions, each with two letters of its own; their states multiply."""
    return "".join(f"(?=.*{chr(97 + k)}.*{chr(98 + k)})" for k in range(count)) + ".*"


def test_a_text_of_many_lookaheads_is_found_along_one_path():
    derivatives = Derivatives(parse(lookaheads(20)))
    derivatives.work = Work(20_000)  # there are 3 ** 20 states
    assert Liveness(derivatives).is_live(derivatives.root)


def test_many_lookaheads_reach_a_named_limit():
    matcher = Matcher(gk.regex(lookaheads(20)).compile(gpt2_like_vocabulary(), limits=Limits(max_work=20_000)))
    with pytest.raises(LimitError, match=r"max_work=20000 reached \(at a pattern with lookarounds.*Limits\(max_work="):
        matcher.allowed_tokens()


def test_the_limit_holds_for_budgets():
    matcher = Matcher(gk.regex(lookaheads(20)).compile(gpt2_like_vocabulary(), limits=Limits(max_work=20_000)))
    with pytest.raises(LimitError, match=r"max_work=20000 reached \(at a pattern with lookarounds"):
        matcher.within(40)


def test_the_limit_holds_for_networks_that_a_vocabulary_restricts():
    vocabulary = replace(gpt2_like_vocabulary(), token_bytes=without_zero())
    with pytest.raises(LimitError, match=r"max_work=20000 reached .* the vocabulary has no token for some bytes\)"):
        gk.regex(lookaheads(20)).compile(vocabulary, limits=Limits(max_work=20_000))
    matcher = Matcher(gk.regex(lookaheads(2)).compile(vocabulary, limits=Limits(max_work=20_000)))
    matcher.advance_bytes(b"abc")
    assert matcher.is_complete


def without_zero() -> tuple[bytes, ...]:
    return tuple(b"" if text == b"\0" else text for text in gpt2_like_vocabulary().token_bytes)


def test_work_is_counted_for_each_mask():
    """Work for a long text altogether is not bounded: a limit that suffices for each of its masks suffices."""

    def steps(limit: int) -> list[int]:
        matcher = Matcher(gk.regex(lookaheads(6)).compile(gpt2_like_vocabulary(), limits=Limits(max_work=limit)))
        counted, spent = matcher.index.automaton.work, []
        for letter in b"abcdefg":
            counted.renew()
            matcher.allowed_tokens()
            spent.append(counted.limit - counted.left)
            matcher.advance_bytes(bytes([letter]))
        return spent

    found = steps(10**9)
    assert sum(found) > max(found) > 0
    assert steps(max(found)) == found


def of_moore(edges, endings):
    """Blocks of equivalent states, refined until nothing changes."""
    keys = list(endings)
    count = 0
    while True:
        numbers: dict = {}
        block = [numbers.setdefault(key, len(numbers)) for key in keys]
        if len(numbers) == count:
            return block
        count = len(numbers)
        keys = []
        for state, steps in enumerate(edges):
            into: dict = {}
            for chars, target in steps:
                into.setdefault(block[target], []).append(chars)
            keys.append((block[state], frozenset((target, union(sets)) for target, sets in into.items())))


def in_order(block):
    numbers: dict = {}
    return [numbers.setdefault(each, len(numbers)) for each in block]


def test_equal_states_are_found_as_by_refining_all_blocks():
    rng = random.Random(0)
    for _ in range(3000):
        size = rng.randint(1, 9)
        edges = []
        for _ in range(size):
            letters = rng.sample(range(97, 101), rng.randint(0, 4))
            edges.append([(CharSet.single(letter), rng.randrange(size)) for letter in letters])
        endings = [rng.choice([None, None, NONE, CharSet.single(120)]) for _ in range(size)]
        assert in_order(equivalent_states(edges, endings, union)) == of_moore(edges, endings)


@pytest.mark.parametrize("period", ["a", "ab", "abcdefgh"])
def test_periodic_texts_are_made_small_in_steps_that_grow_with_their_length(monkeypatch, period):
    counted = [0]

    def counting(sets):
        counted[0] += 1
        return union(sets)

    monkeypatch.setattr(lexeme, "union", counting)
    size = 1600
    text = (period * size)[:size]
    edges = [[(CharSet.single(ord(letter)), k + 1)] for k, letter in enumerate(text)] + [[]]
    made = Lexeme.smallest(edges, [None] * size + [NONE])
    assert made == Lexeme.of_literal([CharSet.single(ord(letter)) for letter in text])
    assert counted[0] < 11 * size  # log2(1600) = 10.6; 1.3 million if all blocks are refined each time


def test_texts_of_a_million_characters_are_not_drawn():
    with pytest.raises(LimitError, match="a shortest text of 1000000 bytes"):
        gk.regex("a{1000000}").sample(1)
    with pytest.raises(gk.OptionError, match="1000000 bytes, more than max_length=100"):
        gk.regex("a{1000000}").sample(1, max_length=100)
    assert gk.regex("a{1000}").sample(1) == ["a" * 1000]


def test_of_a_long_terminal_only_what_texts_reach_is_written():
    rng = random.Random(0)
    words = ["".join(rng.choices("abcdefgh", k=650)) for _ in range(40)]
    named = "\n".join(f'T{k}: "{word}"' for k, word in enumerate(words))
    matcher = Matcher(
        gk.grammar(f"start: {' | '.join(f'T{k}' for k in range(40))}\n{named}").compile(special_vocabulary())
    )
    matcher.allowed_tokens()
    network = matcher.index.automaton.network
    assert network.size < 40 * 80  # there are 26,000 characters
    matcher.advance_bytes(words[7][:-1].encode())
    assert not matcher.is_complete
    assert set(matcher.allowed_tokens()) == {ord(words[7][-1])}
    matcher.advance_bytes(words[7][-1].encode())
    assert matcher.is_complete
    assert network.size < 40 * 80 + 1000


@pytest.mark.parametrize("count", [200, *slow(500)])
@pytest.mark.parametrize(
    "pattern", ["abcdeé", "(x|yy?)abcd", "a?b?c?de", "(ab)*cdef", "[ab]cd|[ab]ce", "x*yabcdef", "(a|b)bcd(e|f)ghi"]
)
def test_terminals_whose_tails_are_written_later_have_the_same_texts(monkeypatch, pattern, count):
    monkeypatch.setattr(writer, "_AT_ONCE", 2)
    rng = random.Random(pattern)
    words = {"".join(rng.choices("abcdefghixyé", k=rng.randint(0, 8))) for _ in range(count)}
    words |= set(gk.regex(pattern).sample(count // 10, seed=1))
    words |= {f"{word}{word}" for word in words}
    expected = {word for word in words if re.fullmatch(f"(?:{pattern})(?:{pattern})?", word)}
    assert len(expected) > 1
    assert texts_of(gk.grammar(f"start: T T?\nT: /{pattern}/"), words) == expected


@pytest.mark.parametrize("lexer", ["dynamic_complete", "dynamic", "longest"])
def test_no_parser_of_lark_is_made_of_a_grammar_that_is_only_written(monkeypatch, lexer):
    """lark's parsers compute all the rules with which each rule can begin, tables, and lexers for each state."""

    def refuse(*args, **options):
        raise AssertionError

    monkeypatch.setattr("lark.Lark.__init__", refuse)
    assert texts_of(gk.grammar('start: a "b"\na: a "c" | "d"', lexer=lexer), ["db", "dcb", "dcc"]) == {"db", "dcb"}


def test_terminals_too_large_for_any_lexer_are_refused_before_their_lexers_are_made(monkeypatch):
    def refuse(*args, **options):
        raise AssertionError

    monkeypatch.setattr("guidance_kit.grammars.context_free.lalr.MaximalMunch", refuse)
    rng = random.Random(0)
    named = "\n".join(f'T{k}: "{"".join(rng.choices("abcdefgh", k=650))}"' for k in range(100))
    with pytest.raises(LimitError, match=r"max_places=50000 reached \(at the terminals of a grammar, at T\d+\)"):
        gk.grammar(f"start: {' | '.join(f'T{k}' for k in range(100))}\n{named}", lexer="longest")


HUGE = "9" * 5000


@pytest.mark.parametrize(
    ("make", "where"),
    [
        (lambda: gk.regex(f"a{{{HUGE}}}"), "max_digits=.* a number in a pattern"),
        (lambda: gk.regex(f"a{{1,{HUGE[:22]}}}"), "max_turns=.* a repetition in a pattern"),
        (lambda: gk.grammar(f'start: "a"~{HUGE}'), "max_digits=.* a number in a grammar"),
        (lambda: gk.grammar(f'start: "a"~1..{HUGE}'), "max_digits=.* a number in a grammar"),
        (lambda: gk.grammar(f"start: /a{{{HUGE}}}/"), "max_digits=.* a number in a grammar"),
        (lambda: gk.grammar(f"start: /a{{{HUGE}}}/", lexer="longest"), "max_digits=.* a number in a grammar"),
        (lambda: gk.grammar(f"start: /a{{{HUGE[:22]}}}/"), "max_turns=.* a repetition in a pattern of a grammar"),
        (lambda: gk.grammar(f"start: /a{{{HUGE[:22]}}}/", lexer="longest"), "max_turns=.* a pattern of a grammar"),
        (lambda: gk.grammar(f'root ::= "a"{{{HUGE}}}', dialect="gbnf"), "max_turns=.* a repetition in a grammar"),
        (lambda: gk.structural_tag(f'{{"format": {{"min": {HUGE}}}}}'), "max_digits=.* a number in a structural tag"),
        (lambda: gk.text(min_length=10**5000), "max_turns=.* min_length"),
        (lambda: gk.text(until="a", max_length=10**22), "max_turns=.* max_length"),
        (lambda: gk.repeat("a", 0, 10**22), "max_turns=.* maximum"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_numbers_that_are_never_counted_to_are_refused_by_name(make, where):
    with pytest.raises(LimitError, match=where):
        make()


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
            assert not any(rule.name == "digits" and rule.start >= 0 for rule in matcher.index.automaton.network.rules)
        matcher.advance_bytes(bytes([byte]))
    assert rounds <= 6
    network = matcher.index.automaton.network
    assert sum(rule.name == "digits" and rule.start >= 0 for rule in network.rules) == 1
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
def test_the_longest_values_of_the_first_object_are_built_before_the_first_mask(order):
    """They are two; the mask before them builds nothing, that before another value does."""
    record = {"type": "object", "properties": {"b": {"type": "integer"}}}
    plain = {name: {"type": "string", "maxLength": 3} for name in "pqr"}
    schema = {"type": "object", "properties": {**plain, "x": record, "y": {"type": "array", "items": record}, **plain}}
    constraint = gk.json_schema(schema, order=order)
    index = constraint.compile(gpt2_like_vocabulary())
    built = {}
    for key in "pxy":
        matcher = Matcher(index)
        matcher.allowed()
        matcher.advance_bytes(b'{"')
        matcher.allowed()
        before = len(index.automaton.network.built)
        matcher.advance_bytes(key.encode() + b'"')
        matcher.allowed()  # a token may have the colon and a part of the value
        built[key] = len(index.automaton.network.built) - before
    assert built["p"] > 0
    assert built["x"] == built["y"] == 0


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
