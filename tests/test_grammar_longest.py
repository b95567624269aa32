"""Grammars with lexer="longest": what is accepted and what can be begun, compared with lark's LALR parser."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

import lark
import numpy as np
import pytest
from grammars import LexingLark, Texts, brute_force_by_bytes, random_lexed_grammar
from lark.exceptions import LarkError
from marks import slow
from vocabularies import random_vocabulary

from guidance_kit.errors import ConstraintError, GrammarError, LimitError, UnsatisfiableError, UnsupportedFeature
from guidance_kit.fsm import bitmask
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.grammars.grammar import bundled_grammar, grammar

FOLDER = Path(lark.__file__).parent / "grammars"

WORDS = '\nNAME: /[a-z]+/\nINT: /[0-9]+/\nNUM: /[0-9]+\\.[0-9]+/\n%ignore " "\n'

# A grammar, texts that it has, texts that it does not have.
TABLE = [
    ('start: "if" NAME | NAME "=" INT' + WORDS, ["if x", "ifx=1", "a = 1", "if if"], ["ifx", "if=1", "=1", "a="]),
    ('start: NAME "." NAME | INT' + WORDS, ["a.if", "12", " 1 "], ["1 2", "a."]),
    ('start: "if" NAME "then" NAME' + WORDS, ["if then then then", "ifa thenb"], ["if a then", "if 1 then b"]),
    ('start: (INT | NUM | ".")+' + WORDS, ["1.5", "1 . 5", "1.", ".1"], ["a"]),
    ('start: INT "." INT | NUM NAME' + WORDS, ["1 .5", "1. 5", "1.5a"], ["1.5"]),
    ('start: (A | B)+\nA: "a"\nB: "ab"', ["a", "ab", "aab"], ["b", ""]),
    ('start: A "b" | B\nA: "a"\nB: "ab"', ["ab"], ["abb", "a"]),
    ('start: A B\nA: "a"+\nB: "ab"', [], ["aab", "ab"]),
    ("start: A | B\nA.2: /a/\nB: /ab/", ["a"], ["ab"]),
    ("start: (A | B)+\nA: /a|ab/\nB: /b/", ["ab", "a"], ["c"]),
    ('start: S+\nS: /"[^"]*?"/\n', ['""', '"a""b"'], ['"a', '"a"b"']),
    (
        'start: "a" ("/" "*"? "a")*\nCOMMENT: /\\/\\*(.|\\n)*?\\*\\//\n%ignore COMMENT',
        ["a/a", "a/*a", "a/**//a", "a/*a/a"],
        ["a/", "a/*/a", "a/*a*/a", "a/*a*/*a"],
    ),
    ('start: s\ns: "x" s "e" s | "x" s | "y"', ["xyey", "xxyey", "xy"], ["yey"]),
    ('start: e\ne: e "+" e | e "*" e | "1"', ["1", "1+1*1"], ["1+", "11"]),
    ('start: a "b" | a "c" "d"\na: a "c" | "x"', ["xb", "xcb", "xcd"], ["xcc", "xccdd"]),
    ('start: x\nx: "a" x | y "b"\ny.2: "a" "c"\n  |', ["b", "ab", "acb"], ["a", "ac", "aacbb"]),
    ("start: NAME KEY NAME\nKEY: /as/i\nNAME: /[a-z]+/i\n%ignore /\\s+/", ["a AS b", "as as as"], ["a is b", "a as"]),
    ('start: NAME "as"i NAME\nNAME: /[a-z]+/i\n%ignore /\\s+/', ["a as b", "a AS b", "as as as", "a asb"], ["a b as"]),
    ('start: NAME "as"i NAME\nNAME: /[a-z]+/\n%ignore /\\s+/', ["a AS b", "a as as"], ["A AS b"]),
    ("start: (A | B)+\nA: /a(?=b)/\nB: /b/", ["ab", "b", "abab"], ["a", "aa"]),
    ("start: (A | B)+\nA: /a(?!b*c)/\nB: /[bc]/", ["ab", "c", "abb"], ["abc", "abbc"]),
    ('start: WS "a" | "a"\nWS: /[ ]+/\n%ignore WS', ["a", "  a "], ["b"]),
    ('start: ("a" "\\n")*\n%ignore /#[^\\n]*/', ["a\n", "a# x\n", ""], ["a", "a#\n\n"]),
]  # fmt: skip


@pytest.mark.parametrize(("source", "accepted", "rejected"), TABLE, ids=[row[0][:40] for row in TABLE])
def test_table(source, accepted, rejected):
    try:
        found = Texts(grammar(source, lexer="longest"))
    except UnsatisfiableError:
        found = Texts(None)
    judge = LexingLark(source)
    assert [text for text in accepted if not found.accepts(text)] == []
    assert [text for text in rejected if found.accepts(text)] == []
    assert [text for text in accepted if not judge.accepts(text)] == []
    assert [text for text in rejected if judge.accepts(text)] == []


LETTERS = 'ab1c ."-/*>#'
"""Those of `random_lexed_grammar`."""

SHORT = ["".join(letters) for size in range(3) for letters in product(LETTERS, repeat=size)]


def walked(found: Texts, rng: random.Random) -> str:
    """A random text that can be begun."""
    text = ""
    for _ in range(rng.randint(1, 9)):
        following = [letter for letter in LETTERS if found.after(text + letter)]
        if not following:
            break
        text += rng.choice(following)
    return text


def check_random_grammars(seeds: range, *, texts: int) -> dict[str, int]:
    """Compare texts of each grammar with lark: short ones, random ones, ours, and ours with a mistake."""
    count = {"grammars": 0, "without texts": 0, "unsupported": 0, "texts": 0, "accepted": 0, "refused by both": 0}
    for seed in seeds:
        rng = random.Random(seed)
        source = random_lexed_grammar(rng)
        try:
            judge = LexingLark(source)
        except LarkError:
            with pytest.raises((GrammarError, UnsatisfiableError)):
                grammar(source, lexer="longest")
            count["refused by both"] += 1
            continue
        try:
            found = Texts(grammar(source, lexer="longest"))
        except UnsatisfiableError:
            found = Texts(None)
            count["without texts"] += 1
        except UnsupportedFeature:
            count["unsupported"] += 1
            continue
        count["grammars"] += 1
        tried = rng.sample(SHORT, texts)
        tried += ["".join(rng.choices(LETTERS[: rng.choice([3, 5, 12])], k=rng.randint(3, 7))) for _ in range(texts)]
        for begun in {walked(found, rng) for _ in range(texts // 2)}:
            if found.after(begun):
                whole = found.finished(begun)
                assert judge.accepts(whole), (seed, source, begun, whole)
                place = rng.randrange(len(whole) + 1)
                tried += [whole, whole[:-1], whole[:place] + rng.choice(LETTERS) + whole[place:]]
        for text in tried:
            accepts = found.accepts(text)
            assert accepts == judge.accepts(text), (seed, source, text)
            assert not accepts or all(found.after(text[:k]) for k in range(len(text))), (seed, source, text)
            count["texts"] += 1
            count["accepted"] += accepts
    return count


@pytest.mark.parametrize("count", [15, *slow(60)])
def test_random_grammars_as_lark(count):
    found = check_random_grammars(range(count), texts=16)
    assert found["grammars"] > count // 2
    assert found["refused by both"] > count // 4
    assert found["accepted"] > 4 * count
    assert found["texts"] - found["accepted"] > 16 * count


@pytest.mark.slow
def test_many_random_grammars_as_lark():
    assert check_random_grammars(range(1000, 2000), texts=16)["grammars"] > 500


def test_masks_bit_for_bit():
    """Every token of a vocabulary along random texts, as the automaton reads it byte by byte."""
    tried = 0
    for seed in range(100, 140):
        try:
            constraint = grammar(random_lexed_grammar(random.Random(seed)), lexer="longest")
        except ConstraintError:
            continue
        vocabulary = random_vocabulary(seed, alphabet=LETTERS.encode())
        automaton = Automaton(constraint.network())
        matcher, rng, text = Matcher(constraint.compile(vocabulary)), random.Random(seed), b""
        for _ in range(6):
            allowed = bitmask.unpack(matcher.allowed()[None], vocabulary.rows)[0]
            assert np.array_equal(allowed, brute_force_by_bytes(vocabulary, automaton, text)), (seed, text)
            assert allowed.any(), (seed, text)
            tried += 1
            following = [token for token in np.flatnonzero(allowed).tolist() if token not in vocabulary.eos]
            if not following:
                break
            token = rng.choice(following)
            matcher.advance(token)
            text += vocabulary.token_bytes[token]
    assert tried > 60


BAD = [
    ('start: x | y\nx: "a"\ny: "a"', GrammarError, "Reduce collision .* <x : A>, <y : A>; .* .at line 2, column 1"),
    ("start: /a*/", GrammarError, "empty text, which no terminal may have"),
    ('start: start "a"', UnsatisfiableError, "the rule 'start' always leads back to itself"),
    ('start: A B\nA: /a+/\nB: "a"', UnsatisfiableError, "may not follow them"),
    ("%declare X\nstart: X", UnsupportedFeature, "%declare X .* .at the rule start.*; .* a constraint by rules=$"),
    ('start: "a" X\nX: /\\bx/', UnsupportedFeature, "looks before its terminal.*'X'"),
    ("start: A\nA: /(a)\\1/", UnsupportedFeature, "groupref.*terminal A"),
]  # fmt: skip


TOO_MANY_STATES = ('start: /(?:a|b)*a(?:a|b){13}/ "c"', LimitError, "max_product_states")


@pytest.mark.parametrize(("source", "error", "message"), [*BAD, *slow(TOO_MANY_STATES)])
def test_bad_grammars_are_told_at_once(source, error, message):
    with pytest.raises(error, match=message):
        grammar(source, lexer="longest")


def test_collisions_and_who_wins():
    source = 'start: "if" NAME | NAME "=" (INT | NUM) | (CALL | NAME) "(" ")"\nCALL.2: /[a-z]+!?/'
    report = grammar(source + WORDS.replace("NUM: /[0-9]+\\.", "NUM: /[0-9]+\\.?"), lexer="longest").report
    assert report.has_lexer
    assert dict(report.collisions) == {("CALL", "IF"): "if", ("CALL", "NAME"): "a", ("IF", "NAME"): "if"} | {
        ("NUM", "INT"): "00"
    }
    assert (report.rules, report.terminals) == (1, 8)


def test_the_grammar_of_grammars_reads_all_of_them():
    source = (FOLDER / "lark.lark").read_text()
    found, judge = Texts(grammar(FOLDER / "lark.lark", lexer="longest")), LexingLark(source)
    for file in FOLDER.glob("*.lark"):
        assert found.accepts(file.read_text()), file
        assert judge.accepts(file.read_text()), file
    assert not found.accepts("start: (")


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("json", ['{"a": [1, -2.5e3, null]}', '"\\u00e9"', '{"a" 1}', "01", "[1,]"]),
        ("arithmetic", ["-(a + 2.5e3)*f(x, y)^2", "1 2", "f(,)", "2 ** 3", "1.5.5"]),
        ("dates", ["2024-02-29", "2023-02-29", "23:59:59.5", "2000-02-29T00:00:00Z"]),
    ],
)
def test_bundled_grammars_as_lark(name, texts):
    file = Path(bundled_grammar(name).options[-1][1])
    found, judge = Texts(grammar(file, lexer="longest")), LexingLark(file.read_text())
    assert [text for text in texts if found.accepts(text) != judge.accepts(text)] == []


@pytest.mark.slow
def test_python_but_for_its_indentation():
    with pytest.raises(UnsupportedFeature, match="%declare _INDENT"):
        grammar(FOLDER / "python.lark", start="file_input", lexer="longest")
    found = Texts(grammar(FOLDER / "python.lark", start="eval_input", lexer="longest"))
    judge = LexingLark((FOLDER / "python.lark").read_text(), start="eval_input", source_path=str(FOLDER / "x"))
    texts = ["1+2", "lambda x, *y: x[1:2, ...] if f(a=1, **k) else {1: \"a\" 'b'}  # c", "a b", "1 +", "ifx", "not in"]
    texts += ['"""a"', "[x async for x in y if not z]", 'f("""a"b"""  "" "c")', "1if 2else 3", "x.if", "0x1f.real"]
    assert [text for text in texts if found.accepts(text) != judge.accepts(text)] == []
    assert found.accepts(texts[1])
    row = "f(1, x.y[2:], a=3*2+(3,)), "
    automaton = found.automaton
    assert automaton is not None
    path = automaton.advance(automaton.start, ("[" + row * 500).encode())
    assert len(path) == 1 + 500 * len(row)
    assert automaton.statistics()["configurations"] < 300


def test_an_imported_grammar_that_changes_is_another_one(tmp_path):
    """A text is a key word, a pattern with the same texts is none, and then names come first."""
    source = '%import .words (KEY, NAME)\nstart: KEY "!" | NAME "?"'
    found = []
    for key in ('"if"', "/if/"):
        (tmp_path / "words.lark").write_text(f"KEY: {key}\nNAME: /i[a-z]|x/\n")
        (tmp_path / "whole.lark").write_text(source)
        found.append(grammar(tmp_path / "whole.lark", lexer="longest"))
    assert found[0] != found[1]
    assert [[text for text in ("if!", "if?") if Texts(one).accepts(text)] for one in found] == [["if!"], ["if?"]]


def test_cost_does_not_grow_with_the_text():
    source = 'start: stmt*\nstmt: "if" e "{" stmt* "}" | NAME "=" e ";"\ne: e "+" e | NAME | INT | NUM | "(" e ")"'
    automaton = Automaton(grammar(source + WORDS, lexer="longest").network())
    unit = b"if a + 1.5 { x = (b + 22); } ifs = 1; "
    path = automaton.advance(automaton.start, unit * 1000)
    assert len(path) == 1000 * len(unit)
    assert automaton.is_complete(int(path[-1]))
    assert automaton.statistics()["configurations"] < 60
