"""GBNF and EBNF: what is read, what is refused, and the same grammars in three notations."""

from __future__ import annotations

import random
from itertools import product

import pytest
from grammars import lark_accepts, lark_of

from guidance_kit.errors import ConstraintError, GrammarError, OptionError, UnsatisfiableError, UnsupportedFeature
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.grammars.grammar import grammar


def acceptor(source: str, dialect: str):
    automaton = Automaton(grammar(source, dialect=dialect).network())

    def accepts(text: str) -> bool:
        path = automaton.advance(automaton.start, text.encode())
        is_read = len(path) == len(text.encode())
        return is_read and automaton.is_complete(int(path[-1]) if text else automaton.start)

    return accepts


GBNF = [
    ('root ::= "a" | "b" root # a comment\n', ["a", "bba"], ["", "ab"]),
    ('root ::= root "," item | item\nitem ::= [a-c]+', ["a", "ab,c"], ["", "a,", "d"]),
    ('root ::= (\n  "a"\n  | "b" # or\n)* "c"', ["c", "abac"], ["ab"]),
    ("root ::= | x\nx ::= .", ["", "\n", "é"], ["ab"]),
    (r'root ::= "\x41\u00e9\U0001F600\"\\\n\t"', ['Aé😀"\\\n\t'], ["A"]),
    (r"root ::= [^\]\x61-z\\] [-a] [a-] [\[]", ["A--["], ["a--[", "\\a-[", "Ab-["]),
    (r'root ::= [+\-]+ [\^\.] "\b\0\e"', ["+-^\b\0\x1b", "-.\b\0\x1b"], ["+\\.\b\0\x1b"]),
    ('root ::= Token("b")\nToken ::= "a"', ["ab"], ["b"]),
    ('root ::= "a"{2} "b"{1,2} "c"{0,} "d"{2,}', ["aabdd", "aabbcccddd"], ["aabd", "abdd", "aabbbdd"]),
    ('root ::= "a"{100,200} b{0,1000}\nb ::= "b" [0-9]', ["a" * 100, "a" * 200 + "b1" * 1000], ["a" * 99, "a" * 201]),
    ('root ::= ("a"?)+ "b"{0}', ["", "aaa"], ["b"]),
    ('root ::= "a" x{0,100}\nx ::= x "b"', ["a"], ["ab"]),
    ('root ::= ("a" "b"?){0,100} "c"', ["c", "ab" * 100 + "c"], ["a" * 101 + "c"]),
    ('root ::=\n  "a"\nws-1 ::= " "', ["a"], ["a "]),
    ('root ::= "a"?*', ["", "aa"], ["b"]),
]  # fmt: skip


@pytest.mark.parametrize(("source", "accepted", "rejected"), GBNF, ids=[row[0] for row in GBNF])
def test_gbnf(source, accepted, rejected):
    accepts = acceptor(source, "gbnf")
    assert [text for text in accepted if not accepts(text)] == []
    assert [text for text in rejected if accepts(text)] == []


EBNF = [
    ("a ::= 'x' | \"y\" a", ["x", "yyx"], ["", "xy"]),
    ("[1] a ::= b+ [#x30-#x39] #xE9 /* é */ [wfc: all]\n[2a] b ::= [^b'] ", ["a1é", '"x9é'], ["b1é", "'1é"]),
    ("a ::= ('x' 'y'?)* b\n\nb ::=\n 'z'", ["z", "xyxz"], ["yz"]),
    ("a ::= Char - 'x'\nChar ::= [a-z]", ["a", "z"], ["x", "aa"]),
    ("a ::= '<?' (c* - (c* '?>' c*)) '?>'\nc ::= [#x20-#x7E]", ["<??>", "<?a?b>?>"], ["<??>?>"]),
    ("a ::= n - (('X' | 'x') ('M' | 'm'))\nn ::= [A-z]+", ["xmM", "X", "m"], ["xm", "Xm", "XM", ""]),
    ("a ::= (n - 'ab') - 'c'\nn ::= [a-c]*", ["", "a", "abc"], ["ab", "c"]),
    ("a ::= [a-]", ["-"], ["b"]),
    ("a ::= 'x' - 'x' | 'y'", ["y"], ["x"]),
]  # fmt: skip


@pytest.mark.parametrize(("source", "accepted", "rejected"), EBNF, ids=[row[0] for row in EBNF])
def test_ebnf(source, accepted, rejected):
    accepts = acceptor(source, "ebnf")
    assert [text for text in accepted if not accepts(text)] == []
    assert [text for text in rejected if accepts(text)] == []


BAD = [
    ("gbnf", 'root ::= "a', GrammarError, "no end .at line 1, column 10"),
    ("gbnf", 'root ::= "a"\nx ::= [a', GrammarError, "class has no end .at line 2, column 7"),
    ("gbnf", "root ::= [a-", GrammarError, "class has no end .at line 1, column 10"),
    ("gbnf", 'root ::= rot\nrop ::= "a"', GrammarError, "'rot' is used but not defined; did you mean 'ro"),
    ("gbnf", 'rot ::= "a"', GrammarError, "start rule 'root' is not defined; did you mean 'rot'"),
    ("gbnf", 'root = "a"', GrammarError, "expected ::="),
    ("gbnf", 'root ::= "a" )', GrammarError, "expected the end of the rule"),
    ("gbnf", 'root ::= ("a"', GrammarError, "closing parenthesis"),
    ("gbnf", r'root ::= "\q"', GrammarError, "unknown escape .at line 1, column 11"),
    ("gbnf", r'root ::= "\uD800"', GrammarError, "no character"),
    ("gbnf", 'root ::= "a"{x}', GrammarError, "expected {m}"),
    ("gbnf", 'root ::= "a"{3,2}', GrammarError, "between 3 and 2"),
    ("gbnf", "root ::= [z-a]", GrammarError, "range from 'z' to 'a'"),
    ("gbnf", 'root ::= "a"\nroot ::= "b"', GrammarError, "defined twice .at line 2"),
    ("gbnf", '::= "a"', GrammarError, "expected the name"),
    ("gbnf", 'root ::= ("b"?){2,100}', UnsupportedFeature, "a counted repetition of what may be empty"),
    ("gbnf", 'root ::= root "a"', UnsatisfiableError, "no text matches"),
    ("gbnf", "root ::= " + "(" * 300 + '"a"', ConstraintError, "max_nesting"),
    ("gbnf", 'root ::= "a" Regex("b+")', GrammarError, "'Regex' is used but not defined"),
    ("gbnf", 'root ::= Regex "b"', GrammarError, "'Regex' is used but not defined"),
    ("ebnf", "", GrammarError, "there are no rules"),
    ("ebnf", "a ::= 'x", GrammarError, "no end"),
    ("ebnf", "a ::= 'x' ^", GrammarError, "expected a part of the rule"),
    ("ebnf", "a ::= 'x' -", GrammarError, "what is excluded"),
    ("ebnf", "a ::= [b-a]", GrammarError, "range"),
    ("ebnf", "a ::= b", GrammarError, "'b' is used but not defined"),
    ("ebnf", "a ::= 'a' - ('b' ('c' - 'd'))", UnsupportedFeature, "a difference of what contains"),
    ("ebnf", "a ::= b - 'x'\nb ::= 'y' b | 'x'", UnsupportedFeature, "a difference of recursive rules .*at the rule b"),
]


@pytest.mark.parametrize(("dialect", "source", "error", "message"), BAD, ids=[row[1][:30] for row in BAD])
def test_bad_grammars(dialect, source, error, message):
    with pytest.raises(error, match=message):
        grammar(source, dialect=dialect)


def random_rules(rng: random.Random) -> list[tuple[str, object]]:
    """Rules as (name, tree); a tree is a letter, a name, or (operation, trees)."""
    names = ["start", "x", "y"][: rng.randint(1, 3)]

    def tree(depth: int):
        kind = rng.random()
        if kind < 0.3 or depth == 0:
            return rng.choice(["a", "b", "ab"])
        if kind < 0.5:
            return rng.choice(names)
        if kind < 0.75:
            return "sequence", [tree(depth - 1) for _ in range(rng.choice([1, 2, 2, 3]))]
        if kind < 0.9:
            return "choice", [tree(depth - 1) for _ in range(rng.choice([2, 2, 3]))]
        return rng.choice("*+?"), [tree(depth - 1)]

    return [(name, tree(3)) for name in names]


def written(tree, quote: str = '"') -> str:
    """A tree in any of the notations."""
    if isinstance(tree, str):
        return tree if tree in ("start", "x", "y") else f"{quote}{tree}{quote}"
    operation, parts = tree
    if operation == "sequence":
        return "(" + " ".join(written(part, quote) for part in parts) + ")"
    if operation == "choice":
        return "(" + " | ".join(written(part, quote) for part in parts) + ")"
    return f"({written(parts[0], quote)}){operation}"


def check_notations(seeds: range) -> int:
    tried = 0
    texts = ["".join(letters) for size in range(6) for letters in product("ab", repeat=size)]
    for seed in seeds:
        rng = random.Random(seed)
        rules = random_rules(rng)
        sources = {
            "gbnf": "\n".join(f"{name} ::= {written(tree)}" for name, tree in rules).replace("start", "root"),
            "ebnf": "\n".join(f"{name} ::= {written(tree, chr(39))}" for name, tree in rules),
        }
        lark = lark_of("\n".join(f"{name}: {written(tree)}" for name, tree in rules))
        if lark is None:  # it finds the same alternative twice
            continue
        for dialect, source in sources.items():
            try:
                accepts = acceptor(source, dialect)
            except UnsatisfiableError:
                accepts = bool
                texts_here = texts[1:]
            else:
                texts_here = texts
            for text in rng.sample(texts_here, 12):
                wanted = lark_accepts(lark, text)
                assert (accepts is not bool and accepts(text)) == wanted, (seed, dialect, source, text)
        tried += 1
    return tried


def test_the_same_in_three_notations():
    assert check_notations(range(120)) > 90


@pytest.mark.slow
def test_many_grammars_in_three_notations():
    assert check_notations(range(1000, 3000)) > 1500


@pytest.mark.parametrize(
    ("source", "dialect"),
    [
        ('start: "a"+', "lark"),
        ('start: "root ::= x"', "lark"),
        ('root ::= "a"+', "gbnf"),
        ('# a comment\nitem ::= "b"\n  root ::= item+', "gbnf"),
        ('text ::= item+\nitem ::= "b" | #x41', "ebnf"),
    ],
)
def test_the_dialect_of_a_text_is_found(source, dialect):
    found, told = grammar(source), grammar(source, dialect=dialect)
    assert found.sample(5, seed=1) == told.sample(5, seed=1)
    assert found.report == told.report


@pytest.mark.parametrize("source", ["root ::= [#x20-#x7E]+", 'root ::= "a" /* or more */'])
def test_a_text_in_either_of_two_notations_is_refused(source):
    with pytest.raises(OptionError, match=r'GBNF or EBNF, which read .* say dialect="gbnf"'):
        grammar(source)
