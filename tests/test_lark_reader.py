"""Our reader of Lark's notation against lark's loader."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from grammars import random_grammar
from lark.exceptions import LarkError
from lark.load_grammar import load_grammar

from guidance_kit.grammars.context_free.productions import productions_of
from guidance_kit.grammars.lark_reader import read_plain

ROOT = Path(__file__).resolve().parent.parent

PLAIN = [
    'start: "a"',
    'start: a+ b* c?\na: "a"\nb: "b" |\nc: ("c" | a b)+',
    'start: ("a" ("b" | "c")*)* "->" (";" "->")+ ("=>" | "!=" ("==" "<=")?)\n',
    "start: A B\nA.3: /a+/i\nB.-1: A /b/ | \"c\"i+ | (A | \"longer\")?\nC: [A] \"c\"..\"f\"",
    "?start: x -> one | x x -> two\n!x.2: /y/\n_unused: _unused start\n",
    'start : X // comment\n  | "if"i "IF" "If" # another\n\n // third\n  | "\\x41\\n" "\\"" "\\\\"\n\n\nX: "x"\n',
    '%ignore " "\n%ignore /\\t/\n%ignore W\n%ignore "a" | W\nstart: "(" start ")" | "é" | "["\nW: /\\r/\n',
    "%import common.WS\n%import common (INT, CNAME, ESCAPED_STRING)\n%import common.NUMBER -> N\n%ignore WS\n"
    "start: (INT CNAME | N ESCAPED_STRING)+ WORD\nWORD: INT CNAME",
    "%declare SOME OTHER\nstart: SOME /a/ /a/s \"a\"\n",
    'start: ["a" [b ">="]] ["c"] ("e"["e" "!="])+\nb: [/d/ | "<="] "=="',
    'start: "\\r\\n" "\\t" "_" "_a" "1a" "a-b" "." ".." "+" PLUS\nPLUS: "p"',
    "start: \"a\" \\\n \"b\"\n",
    'start: "ab" | AB\nAB: "ab"\nX: "x"\nY: "x"\n',
    "start: /\\//x /[\\/\\n ]\n/x /\"/ \"/\"",
    "start:\n  | a\n  | a start\na: \"'\"",
]  # fmt: skip

NOT_PLAIN = [
    'start: "a"~3', 'A: "a"~2\nstart: A', 'start: x{"a"}\nx{y}: y', "start: a -> x | a -> y\na: /a/",
    'start: "a"\n%extend start: "b"', 'start: "a"\n%override start: "b"', "%import python (name)\nstart: name",
    "%import .other (A)\nstart: A",
]  # fmt: skip

UNDEFINED_START = ["", "a: /a/"]

WRONG = [
    "start: b", "start: B", 'start: ""', 'A: "a"\nA: "b"\nstart: A', 'start: "a"\nstart: "b"', "start: (A\nA: /a/",
    'start: "a" -> A', 'start: "a', "start: /a", "A: B\nB: A\nstart: A", "A: start\nstart: A", "A: \nstart: A",
    "start: A?? \nA: /a/", "?_a: /a/\nstart: _a", "_a: /a/ -> b\nstart: _a", "start: (/a/ -> b) /c/",
    "%ignore X\nstart: /a/", "start: (a)\na: b", "%import common.NOTHING\nstart: NOTHING", 'start: "\\u12"',
    'start: "aa".."b"', 'start: "a"i.."b"', "start: /a\nb/", "A: /a/ -> b\nstart: A", "start: (\n/a/)",
    "%declare X\nA: X\nstart: A", "start: %", "__x: /a/\nstart: __x", "%import common.INT\nINT: /a/\nstart: INT",
    "%import common.INT\n%import common.INT -> X\nstart: X INT", "start: /a/ |\n/b/", "start: /a/ -> x | /a/ -> y",
]  # fmt: skip

SPOILERS = [
    " ", "\n", "\n\n ", "|", "\n | ", "// x\n", "\n # y", "?", "*", "+", "(", ")", '"', "/", "i", "\\", ".", ":",
    "-> a", "\t", "..", "A", "b", "_", "1", '"a"', "/b/x", ' "a".."b" ',
]  # fmt: skip

OUR_GRAMMARS = sorted(
    path for folder in ("benchmarks", "guidance_kit/bundled") for path in (ROOT / folder).rglob("grammars/*.lark")
)


def by_lark(text: str):
    """Terminals, ignored ones, productions and priorities of reachable rules, as lark has them."""
    loaded, _ = load_grammar(text, "<string>", [], False)
    terminals, productions, ignored = loaded.compile(["start"], set())
    found = [(str(one.origin.name), tuple(str(symbol.name) for symbol in one.expansion)) for one in productions]
    priorities = {str(one.origin.name): one.options.priority for one in productions if one.options}
    return terminals, ignored, found, {name: value for name, value in priorities.items() if value}


def shown(terminals, ignored, productions, priorities):
    """All that decides the texts of a grammar, without the names of repetitions."""
    rules = {}
    for rule, parts in productions:
        rules.setdefault(rule, []).append(parts)

    def symbol(name):
        if not name.startswith("__") or name not in rules:
            return name
        return frozenset(tuple(map(symbol, parts)) for parts in rules[name] if parts[:1] != (name,))

    used, todo = {}, ["start"]
    for rule in todo:
        if rule in rules and rule not in used:
            used[rule] = frozenset(tuple(map(symbol, parts)) for parts in rules[rule])
            todo += [name for parts in rules[rule] for name in parts]
    read = {name for rule in used for parts in rules[rule] for name in parts}
    written = {rule: ways for rule, ways in used.items() if not rule.startswith("__")}
    kept = [(one.name, one.pattern, one.priority) for one in terminals if one.name in {*read, *ignored}]
    return written, kept, ignored, {rule: value for rule, value in priorities.items() if rule in written and value}


def ours(text: str):
    found = read_plain(text, "start", ())
    if found is None:
        return None
    return found.terminals, found.ignored, productions_of(found.rules), found.priorities


def compare(text: str) -> bool:
    """Compare what we read with lark; return whether we read it."""
    mine = ours(text)
    if mine is not None:
        assert shown(*mine) == shown(*by_lark(text)), text
    return mine is not None


@pytest.mark.parametrize("text", PLAIN)
def test_plain_grammars_are_read_as_lark_reads_them(text):
    assert compare(text)


@pytest.mark.parametrize("path", OUR_GRAMMARS, ids=lambda path: path.stem)
def test_our_grammars_are_read_as_lark_reads_them(path):
    assert compare(path.read_text())


@pytest.mark.parametrize("text", NOT_PLAIN)
def test_others_are_left_to_lark(text):
    assert read_plain(text, "start", ()) is None


@pytest.mark.parametrize("text", WRONG)
def test_what_lark_refuses_is_not_read(text):
    assert read_plain(text, "start", ()) is None
    with pytest.raises((LarkError, AssertionError, ValueError, KeyError)):
        by_lark(text)


@pytest.mark.parametrize("text", UNDEFINED_START)
def test_the_start_rule_must_be_there(text):
    assert read_plain(text, "start", ()) is None


def test_files_of_a_user_hide_those_of_lark(tmp_path):
    text = "%import common.INT\nstart: INT"
    assert read_plain(text, "start", (tmp_path,)) is not None
    (tmp_path / "common.lark").write_text("INT: /a/")
    assert read_plain(text, "start", (tmp_path,)) is None


def mutated(text: str, rng: random.Random) -> str:
    """A text with a few characters changed."""
    for _ in range(rng.choice([0, 1, 1, 2])):
        place = rng.randrange(len(text))
        text = text[:place] + rng.choice(SPOILERS) + text[place + rng.choice([0, 0, 1]) :]
    return text


def check(first: int, last: int) -> int:
    """Compare random grammars, whole and damaged; return how many we read."""
    count = 0
    for seed in range(first, last):
        rng = random.Random(seed)
        text = mutated(re.sub(r"~\S+", "", random_grammar(rng)), rng)
        count += compare(text)
    return count


def test_random_grammars():
    assert check(0, 400) > 100


@pytest.mark.slow
def test_more_random_grammars():
    assert check(400, 20_000) > 5_000


def test_the_comparison_sees_differences():
    one, other = by_lark('start: "a" "b"'), by_lark('start: "a" "c"')
    assert shown(*one) != shown(*other)
    assert shown(*by_lark("start: /a/+")) != shown(*by_lark("start: /a/*"))
