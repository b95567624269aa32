"""Lexers of a grammar that one with more terminals replaces, compared with lark, which has one for each state."""

from __future__ import annotations

import random
from itertools import product

import pytest
from grammars import LexingLark, Texts
from lark.exceptions import LarkError

from guidance_kit.errors import UnsatisfiableError
from guidance_kit.grammars.grammar import grammar
from guidance_kit.grammars.lark import read_lexed

TERMINALS = ['"a"', '"ab"', '"b"', '"bc"', '"c"', '"abc"', "/a+/", "/ab*/", "/b(?=c)/", "/[ab]c/", '"ca"', "/c+b/"]

TEXTS = ["".join(letters) for size in range(7) for letters in product("abc", repeat=size)]


def lexers(source: str) -> int:
    """Number of lexers of a grammar."""
    return len(read_lexed(source).maximal_munch._rows)


def drawn(rng: random.Random) -> str:
    """A grammar of a few rules over terminals that begin with each other."""
    names = [f"T{number}" for number in range(rng.randint(3, 6))]
    patterns = rng.sample(TERMINALS, len(names))

    def sequence(symbols: list[str]) -> str:
        return " ".join(rng.choice(symbols) + rng.choice(["", "", "", "?", "*"]) for _ in range(rng.randint(1, 3)))

    rules = {"start": [*names, "x", "y"], "x": [*names, "y"], "y": names}
    lines = [f"{name}: {sequence(symbols)} | {sequence(symbols)}" for name, symbols in rules.items()]
    lines += [f"{name}: {pattern}" for name, pattern in zip(names, patterns, strict=True)]
    return "\n".join([*lines, *rng.choice([[], [], ["%ignore /c/"], ['%ignore "b"']])])


def checked(seeds: range) -> tuple[int, int]:
    """Compare all short texts of drawn grammars with lark; return how many grammars and how many accepted texts."""
    grammars = accepted = 0
    for seed in seeds:
        source = drawn(random.Random(seed))
        try:
            judge = LexingLark(source)
        except LarkError:
            continue
        try:
            found = Texts(grammar(source, lexer="longest"))
        except UnsatisfiableError:
            found = Texts(None)
        grammars += 1
        for text in random.Random(seed).sample(TEXTS, 250):
            accepts = found.accepts(text)
            assert accepts == judge.accepts(text), (seed, source, text)
            accepted += accepts
    return grammars, accepted


@pytest.mark.parametrize("count", [60, pytest.param(2_000, marks=pytest.mark.slow)])
def test_drawn_grammars_as_lark(count):
    grammars, accepted = checked(range(count))
    assert grammars > count // 4
    assert accepted > count


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ('start: A "+" A ";" A ("=" | "+=") A\nA: /[a-z]/', 1),  # nothing behind + begins with =
        ('start: A "+" B ";" A ("=" | "+=") A\nA: /[a-z]/\nB: /=[a-z]/', 2),
        ('start: A "+" A ";" A ("=" | "+=") A\nA: /[a-z]/\n%ignore /=/', 2),
        ('start: "x" A ";" | "y" B ";"\nA: /[a-z]+/\nB: "ab"', 2),  # B ends before A
    ],
)  # fmt: skip
def test_lexers_that_find_the_same_are_one(source, count):
    assert lexers(source) == count


def test_terminals_before_equal_obligations_have_one_name():
    """Names differ in the obligations that are left, not in all that may follow."""
    munch = read_lexed('start: "(" N ("if" | "in") N ")" | "[" N "if" N "]" | N "." N\nN: /[a-z]+/').maximal_munch
    names = {name for name in munch.names if munch.read_of(name).terminal == "N"}
    assert len(names) == 2


def test_expressions_have_one_rule_wherever_they_stand():
    """Behind a name, `=` may follow in brackets alone, and `+=` elsewhere."""
    source = """
        start: (line ";")*
        line: sum | sum "+=" sum
        sum: item | sum "+" item
        item: NAME | "(" argument ")"
        argument: sum | NAME "=" sum
        NAME: /[a-z]+/
    """
    assert read_lexed(source).ways.keys() == {"start", "__start_0", "line", "sum", "item", "argument"}
