"""Tables of LALR(1) parsers, compared with those of lark."""

from __future__ import annotations

import random

import pytest
from grammars import random_lexed_grammar
from lark import Lark
from lark.exceptions import GrammarError as LarkGrammarError
from lark.grammar import Rule
from marks import slow

import guidance_kit as gk
from guidance_kit.errors import GrammarError, LimitError
from guidance_kit.grammars.context_free import lalr_table
from guidance_kit.grammars.context_free.lalr_table import ParseTable, ReduceConflict, Transitions
from guidance_kit.grammars.lark import read_lark
from guidance_kit.grammars.lark_scanners import LarkScanners, by_priority

Actions = list[dict[str, tuple[str, object]]]
"""For each state of a parser, numbered along a walk: symbol -> shift and next state, or reduce and production."""


def actions_of_lark(parser: Lark) -> Actions:
    conf = parser.parse_interactive().parser_state.parse_conf
    numbers = {conf.start_state: 0}
    todo = [conf.start_state]
    found: Actions = []
    for state in todo:
        row: dict[str, tuple[str, object]] = {}
        for name, (_, what) in sorted(conf.parse_table.states[state].items()):
            if isinstance(what, Rule):
                row[str(name)] = "reduce", (str(what.origin.name), tuple(str(one.name) for one in what.expansion))
                continue
            if what not in numbers:
                numbers[what] = len(todo)
                todo.append(what)
            row[str(name)] = "shift", numbers[what]
        found.append(row)
    assert len(found) == len(conf.parse_table.states)
    return found


def actions_of(table: ParseTable) -> Actions:
    transitions = table.transitions
    numbers = {0: 0}
    todo = [0]
    found: Actions = []
    for state in todo:
        row: dict[str, tuple[str, object]] = {}
        for name, following in sorted(transitions.shifts[state].items()):
            if following not in numbers:
                numbers[following] = len(todo)
                todo.append(following)
            row[name] = "shift", numbers[following]
        for number, mask in table.ends[state].items():
            for name in transitions.names(mask):
                assert name not in row
                row[name] = "reduce", transitions.productions[number]
        assert table.expected(state) == {name for name in row if name not in transitions.rules}
        found.append(row)
    assert len(found) == len(transitions.shifts)
    return found


def table_of(parser: Lark) -> ParseTable:
    productions = tuple(
        (str(rule.origin.name), tuple(str(symbol.name) for symbol in rule.expansion)) for rule in parser.rules
    )
    return ParseTable.of(productions, [rule.options.priority or 0 for rule in parser.rules], "start")


@pytest.mark.parametrize("count", [60, *slow(1500)])
def test_random_grammars_have_the_table_of_lark(count):
    tried = refused = 0
    for seed in range(count):
        source = random_lexed_grammar(random.Random(seed))
        try:
            parser = Lark(source, parser="lalr", lexer="contextual")
        except LarkGrammarError as error:
            if "collision" in str(error):
                refused += 1
                with pytest.raises(ReduceConflict):
                    table_of(Lark(source, parser="earley"))
            continue
        tried += 1
        assert actions_of(table_of(parser)) == actions_of_lark(parser), seed
    assert min(tried, refused) > count // 5


CONFLICTS = [
    ('start: x | y\nx: "a"\ny: "a"', {("$END", ("x", "y"))}),
    ('start: x "b" | y "b" | y "c"\nx: "a"\ny: "a"', {("B", ("x", "y"))}),
    ('start: x | y | z\nx: "a"\ny.2: "a"\nz.2: "a"', {("$END", ("x", "y", "z"))}),
    ('start: x | y | z\nx: "a"\ny.2: "a"\nz: "a"', set()),
]


@pytest.mark.parametrize(("source", "expected"), CONFLICTS)
def test_conflicts_have_all_productions_before_a_terminal(source, expected):
    found: set[tuple[str, tuple[str, ...]]] = set()
    try:
        table_of(Lark(source, parser="earley"))
    except ReduceConflict as error:
        found = {(name, tuple(sorted(rule for rule, _ in ways))) for name, ways in error.conflicts}
    assert found == expected


def test_states_in_which_the_same_rules_begin_share_the_search(monkeypatch):
    """An expression begins behind each operator: its rules are searched once."""
    made = 0
    bits_of = lalr_table.bits_of

    def counted(mask):
        nonlocal made
        made += 1
        return bits_of(mask)

    monkeypatch.setattr(lalr_table, "bits_of", counted)
    operators = [f"O{k}" for k in range(100)]
    productions = [("start", ("start", name, "part")) for name in operators] + [("start", ("part",))]
    productions += [("part", ("A",)), ("part", ("B", "start", "C"))]
    shifts = lalr_table._shifts(productions, "start")
    assert len(shifts) > 200
    assert made < 10


def test_transitions_through_the_same_states_are_one():
    """Rules with each other in first position begin behind each operator, and pass through the same states there."""
    chain = [(f"rule{k}", (f"rule{k + 1}",)) for k in range(30)]
    chain += [(f"rule{k}", (f"rule{k}", f"O{k}", f"rule{k + 1}")) for k in range(30)]
    table = ParseTable.of([*chain, ("rule30", ("A",)), ("rule30", ("B", "rule0", "C"))], [0] * 62, "rule0")
    transitions = table.transitions
    assert sum(len(transitions.rules.keys() & steps.keys()) for steps in transitions.shifts) > 500
    assert len(transitions.ways) < 100


@pytest.mark.parametrize("count", [60, *slow(1500)])
def test_transitions_of_a_class_pass_through_the_same_states(count):
    """From each of them the parser follows the same states, compared production by production."""
    found = 0
    for seed in range(count):
        try:
            transitions = table_of(Lark(random_lexed_grammar(random.Random(seed)), parser="earley")).transitions
        except (LarkGrammarError, ReduceConflict):
            continue
        begins = [
            (state, rule) for state, steps in enumerate(transitions.shifts) for rule in transitions.rules.keys() & steps
        ]
        for state, rule in begins:
            other, same = transitions.alike(state, rule)
            found += state != other
            assert same == rule
            assert states_of(transitions, state, rule) == states_of(transitions, other, rule), seed
    assert found > count // 5


def states_of(transitions: Transitions, start: int, rule: str) -> dict[tuple[str, ...], list[int]]:
    """States behind the symbols of all productions that may begin where a rule begins."""
    found: dict[tuple[str, ...], list[int]] = {}
    todo = {rule}
    seen: set[str] = set()
    while todo:
        name = todo.pop()
        seen.add(name)
        for number in transitions.rules[name]:
            parts = transitions.productions[number][1]
            state, states = start, []
            for symbol in parts:
                state = transitions.shifts[state][symbol]
                states.append(state)
            found[name, *parts] = states or [start]
            todo |= {*parts[:1]} & transitions.rules.keys() - seen
    return found


def test_rules_that_end_with_each_other_may_be_many():
    """lark's own parser nests too deep for them, which captures need."""
    rules = "\n".join(f'r{k}: "a" r{7 * (k + 1) % 600} | "b" r{(13 * k + 5) % 600} | "c"' for k in range(600))
    constraint = gk.grammar(f"start: r0\n{rules}", lexer="longest")
    matcher = gk.Matcher(constraint.compile(gk.Vocabulary.from_bytes()))
    matcher.advance_bytes(b"abbac")
    assert matcher.is_complete
    with pytest.raises(LimitError, match="or rules that end with each other for lexer='longest'"):
        constraint.captures("abbac")


SCANNED = """start: (NAME | INT | "if" | "IF"i | "1" | WORD | "x")+
NAME: /[a-z]+/
WORD.2: /[x-z]/
INT: /[0-9]+/
"""


def test_scanners_are_those_of_lark():
    parser = Lark(SCANNED, parser="lalr", lexer="contextual")
    scanners = LarkScanners(by_priority(parser.terminals))
    lexers = [*parser.parser.lexer.lexers.values(), parser.parser.lexer.root_lexer]
    assert len(lexers) > 2
    for lexer in lexers:
        found = scanners(frozenset(terminal.name for terminal in lexer.terminals))
        assert found.order == tuple(terminal.name for terminal in lexer.scanner.terminals)
        assert found.keywords == {
            name: tuple(terminal.name for terminal in one.scanner.terminals) for name, one in lexer.callback.items()
        }
    assert any(scanners(frozenset(terminal.name for terminal in parser.terminals)).keywords)


@pytest.mark.parametrize("count", [40, *slow(400)])
def test_random_scanners_are_those_of_lark(count):
    keywords = 0
    for seed in range(count):
        try:
            parser = Lark(random_lexed_grammar(random.Random(seed)), parser="lalr", lexer="basic")
        except LarkGrammarError:
            continue
        lexer = parser.parser.lexer
        found = LarkScanners(by_priority(parser.terminals))(frozenset(terminal.name for terminal in parser.terminals))
        assert found.order == tuple(terminal.name for terminal in lexer.scanner.terminals), seed
        words = {name: tuple(one.name for one in word.scanner.terminals) for name, word in lexer.callback.items()}
        assert found.keywords == words, seed
        keywords += len(words)
    assert keywords


def test_the_loader_of_lark_gives_what_the_front_end_reads():
    """The parts of lark that its documentation does not list: a release that moves them fails here."""
    grammar = read_lark('start: a "b"\na.2: A?\nA.3: /x/i\nunused: A\n%ignore " "')
    assert grammar.start == "start"
    assert set(grammar.rules) == {"start", "a"}
    assert set(grammar.terminals) == {"A", "B"}
    assert len(grammar.ignored) == 1
    assert grammar.unused == ("unused",)
    with pytest.raises(GrammarError, match="'c' is used but not defined"):
        read_lark("start: c")
