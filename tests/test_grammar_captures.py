"""Matches of rules in a text, against all ways of reading it, found by trying until nothing changes."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from grammars import Recogniser, Texts, lark_of, random_grammar

import guidance_kit as gk
from guidance_kit.errors import MatchError, OptionError, UnsupportedFeature
from guidance_kit.grammars.lark_captures import captures_of_rules

SUMS = """
start: sum
?sum: product | sum "+" product
?product: atom | product "*" atom
?atom: NUMBER | "(" sum ")" | _call
_call: NAME "(" sum ")"
NUMBER: /[0-9]+/
NAME: /[a-z]+/
%ignore " "
"""


@pytest.mark.parametrize("lexer", ["dynamic", "longest"])
def test_rules_that_leave_no_node_in_a_tree_are_found_too(lexer):
    sums = gk.grammar(SUMS, lexer=lexer)
    found = sums.captures(" f( 1 + 22 )*(3 ) ")
    assert list(found) == ["_call", "atom", "product", "start", "sum"]
    assert found["start"] == ("f( 1 + 22 )*(3 )",)
    assert found["_call"] == ("f( 1 + 22 )",)
    assert found["sum"] == ("f( 1 + 22 )*(3 )", "1 + 22", "1", "3")
    assert found["atom"] == ("f( 1 + 22 )", "1", "22", "(3 )", "3")
    assert sums.captures("1+2", ["NUMBER", "NAME"]) == {"NUMBER": ("1", "2"), "NAME": ()}


def test_imported_rules_and_empty_ones():
    source = '%import json.value\n%ignore " "\nstart: name "=" value\nname: /[a-z]+/ |'
    assert gk.grammar(source).captures('= [1, "a"]') == {
        "json__array": ('[1, "a"]',),
        "json__number": ("1",),
        "json__object": (),
        "json__pair": (),
        "json__string": ('"a"',),
        "name": (),
        "start": ('= [1, "a"]',),
        "value": ('[1, "a"]', "1", '"a"'),
    }


def test_a_long_text():
    rows = gk.grammar('start: row+\nrow: KEY "=" /[0-9]+/ ";"\nKEY: /[a-z]+/', lexer="dynamic")
    assert rows.captures("".join(f"k={k};" for k in range(1200)), ["row"])["row"][-1] == "k=1199;"


@pytest.mark.parametrize(
    ("source", "lexer", "text", "names", "error", "said"),
    [
        (SUMS, "longest", "1+", None, MatchError, "'1.' does not match"),
        (SUMS, "dynamic", "1 2", None, MatchError, "does not match"),
        (SUMS, "dynamic", "1", ["summ"], OptionError, "unknown rule 'summ'; did you mean 'sum'"),
        ('start: a | b\na: "x"\nb: "x"', "dynamic", "x", None, UnsupportedFeature, "the rule [ab], of which 'x'"),
        ('start: a a\na: "x"*', "dynamic", "xxx", ["a"], UnsupportedFeature, "several ways .*the rule a"),
        ('start: a\na: a | "x"', "dynamic", "x", None, UnsupportedFeature, "several ways"),
    ],
)
def test_texts_without_captures(source, lexer, text, names, error, said):
    with pytest.raises(error, match=said):
        gk.grammar(source, lexer=lexer).captures(text, names)


def test_readings_that_differ_elsewhere_are_no_matter():
    both = gk.grammar('start: a b\na: "x"*\nb: "x"* END\nEND: "!"')
    assert both.captures("xx!", ["start", "END"]) == {"start": ("xx!",), "END": ("!",)}
    with pytest.raises(UnsupportedFeature):
        both.captures("xx!", ["b"])
    assert both.captures("!", ["b"]) == {"b": ("!",)}


def test_grammars_that_lark_does_not_read_have_none():
    for grammar in (
        gk.grammar('root ::= "a"', dialect="gbnf"),
        gk.grammar("%declare A\nstart: A", rules={"A": "a"}),
    ):
        with pytest.raises(OptionError, match="Lark's notation"):
            grammar.captures("a")


def test_the_examples_in_the_documentation():
    page = (Path(__file__).resolve().parent.parent / "docs" / "grammars.md").read_text(encoding="utf-8")
    _, narrowed, indented, captured, streamed, dialect, macros, settings, tokens = re.findall(
        r"```python\n(.*?)```", page, re.DOTALL
    )
    found = Texts(eval(indented))
    assert found.accepts("if a:\n    if b:\n        c\n    d\nif e:\n    f\n")
    assert not found.accepts("if a:\n    if b:\n    c\n")
    assert Texts(eval(dialect)).accepts("so</think>Answer: 12")
    assert not any(map(Texts(eval(dialect)).accepts, ["so</think>Answer: 1.5", "so</think></think>Answer: 12"]))
    assert Texts(eval(macros)).accepts("so <sum>1+2</sum>.")
    assert not any(map(Texts(eval(macros)).accepts, ["<sum>1+</sum>", "<pad>"]))
    here: dict = {"gk": gk}
    exec(narrowed + settings + tokens, here)
    assert Texts(here["worked"]).accepts("Working: 6 + 9\nResult: 15")
    assert not Texts(here["worked"]).accepts("Working: 6 + 9\n\nResult: 15")
    assert Texts(here["names"]).accepts("a_, if_x")
    assert not any(map(Texts(here["names"]).accepts, ["if_", "ab", "a_,in_"]))
    assert here["thinking"].sample(1, seed=0)[0].startswith("<think>")
    exec(captured, here)
    shown = re.findall(r"^(assignments\.captures.*)  # (.*)$", captured, re.MULTILINE)
    assert [eval(source, here) for source, _ in shown] == [eval(value) for _, value in shown]
    assert len(shown) == 2
    shown = re.findall(r"^(.*partial_captures.*)  # (.*)$", streamed, re.MULTILINE)
    assert [eval(source, here) for source, _ in shown] == [eval(value) for _, value in shown]
    assert len(shown) == 3


class EarleyGrammar(Recogniser):
    """All ways of reading a text, each as what the rules have matched."""

    def of(self, text: str) -> set[frozenset[tuple[str, int, int]]]:
        size = len(text)
        skips = [{k} for k in range(size + 1)]
        for k in range(size, -1, -1):
            for name in self.ignored:
                found = self.patterns[name].match(text, k)
                if found:
                    skips[k] |= skips[found.end()]
        # for each rule and place: (where it ends, where its first token begins, its last one ends, what has matched)
        known: dict[tuple[str, int], set[tuple[int, int, int, frozenset]]] = {}

        def ways(symbol: str, is_terminal: bool, k: int) -> Iterator[tuple[int, int, int, frozenset]]:
            if not is_terminal:
                yield from tuple(known.get((symbol, k), ()))
                return
            for begin in skips[k]:
                yield from ((end, begin, end, frozenset()) for end in self._ends(symbol, text, begin))

        changed = True
        while changed:
            changed = False
            for name, expansion in self.productions:
                for k in range(size + 1):
                    partial = {(k, -1, -1, frozenset())}
                    for symbol, is_terminal in expansion:
                        partial = {
                            (end, first if first >= 0 else begin, last if last >= 0 else before, spans | more)
                            for here, first, before, spans in partial
                            for end, begin, last, more in ways(symbol, is_terminal, here)
                        }
                    found = known.setdefault((name, k), set())
                    for end, begin, last, spans in partial:
                        is_named = begin >= 0 and not name.startswith("__")
                        whole = end, begin, last, spans | {(name, begin, last)} if is_named else spans
                        changed = changed or whole not in found
                        found.add(whole)
        return {spans for end, _, _, spans in known.get(("start", 0), ()) if size in skips[end]}


def check_random_grammars(seeds: range, lexer: str) -> dict[str, int]:
    count = {"one reading": 0, "several": 0, "refused though one": 0, "no text": 0}
    for seed in seeds:
        rng = random.Random(seed)
        source = random_grammar(rng)
        lark = lark_of(source, lexer)
        if lark is None:
            continue
        twin = EarleyGrammar(lark)
        for _ in range(6):
            text = "".join(rng.choices("aabc ", k=rng.randint(0, 4)))
            readings = twin.of(text)
            try:
                found = captures_of_rules(lark, text, None)
            except MatchError:
                assert not readings, (seed, source, text)
                count["no text"] += 1
            except UnsupportedFeature:
                count["several" if len(readings) > 1 else "refused though one"] += 1
            else:
                expected: dict[str, list[str]] = {name: [] for name in found}
                assert len(readings) == 1, (seed, source, text, found, readings)
                for name, begin, end in sorted(next(iter(readings)), key=lambda span: (span[1], -span[2])):
                    expected[name].append(text[begin:end])
                assert found == {name: tuple(texts) for name, texts in expected.items()}, (seed, source, text)
                count["one reading"] += 1
    return count


@pytest.mark.parametrize("lexer", ["dynamic", "dynamic_complete"])
def test_random_grammars(lexer):
    count = check_random_grammars(range(40), lexer)
    assert count["one reading"] > 15
    assert count["several"] > 8
    assert count["no text"] > 50
