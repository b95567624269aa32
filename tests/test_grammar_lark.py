"""Grammars in Lark's notation: what is accepted and what can be begun, compared with lark itself."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest
from grammars import (
    Recogniser,
    Texts,
    brute_force_by_bytes,
    is_left_recursive,
    lark_accepts,
    lark_of,
    random_grammar,
)
from marks import slow
from oracles import Interpreter, brute_force
from vocabularies import random_vocabulary

from guidance_kit.errors import (
    ConstraintError,
    GrammarError,
    LimitError,
    OptionError,
    UnsatisfiableError,
    UnsupportedFeature,
)
from guidance_kit.fsm import bitmask
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.grammars.grammar import grammar

SCANNERLESS = ["dynamic_complete", "dynamic"]

# A grammar, texts that it has, texts that it does not have.
TABLE = [
    ('start: "a" | start "b"', ["a", "abb"], ["", "b", "aba"]),
    ('start: x "a" | "b"\nx: start "c" |', ["b", "a", "bca", "aca"], ["", "bc", "ba"]),
    ('start: x start "c" | "a"\nx: "b"?', ["a", "ac", "bac", "bbaccc"], ["c", "ba"]),
    ('start: start start | "a" |', ["", "a", "aaaa"], ["b"]),
    ('start: start | x | "a"\nx: start', ["a"], ["", "aa"]),
    ('start: "a"~2..4', ["aa", "aaa", "aaaa"], ["a", "aaaaa"]),
    ('start: "a"~3 ["b"] ("c" | "d")*', ["aaa", "aaabcd"], ["aa", "aaabb"]),
    ("start: A B\nA: /a+/\nB: /ab/", ["aab", "aaab"], ["ab"]),
    ('start: /"[^"]*"/i -> text\n  | "NULL"i -> none', ['"x"', "null", "Null"], ['"', ""]),
    ("%import common.ESCAPED_STRING\nstart: ESCAPED_STRING+", ['"a"', r'"\"""b"'], ['"', r'"\"']),
    ('pair{a, b}: a "," b\nstart: pair{X, pair{Y, X}}\nX: "x"\nY: "y"', ["x,y,x"], ["x,y"]),
    ('?start: _x\n_x.2: y\n!y.5: "a" "b"', ["ab"], ["a"]),
    ('start: "if" NAME | NAME\nNAME.2: /[a-z]+/', ["ifx", "if", "x"], [""]),
    ('%import common (INT, WS_INLINE)\n%ignore WS_INLINE\nstart: INT+', ["1", " 1 22 ", "12"], [" ", "a"]),
    ('%ignore /[ ]+/\nstart: "a" " b" | "c"', ["a b", " c "], ["a  b", "ab"]),
    ('%ignore " "\nstart: "a" " b" | "c"', ["a b", "a  b", " c "], ["ab"]),
    ('%ignore /#[^\\n]*/\n%ignore /\\s+/\nstart: "a"+', ["a#a\na", "#a\n\na # "], ["#a"]),
    ('%ignore /ab?/\nstart: "b"*', ["", "a", "ab", "abb", "bab"], ["c"]),
    ("%ignore /(?:\\r?\\n)+/\nstart: /a/+", ["a\r\na\n", "\n\r\na"], ["a\ra"]),
    ('start: X (",") X\nX: "x" | "y" "z"', ["x,yz"], ["x,y", "yx"]),
    ('start: "\\u00e9" "\\n"', ["é\n"], ["e\n"]),
    ('start: OP NAME?\nOP: /[?](?![a-z])/\nNAME: /[a-z]+|[A-Z]+/', ["?", "?A"], ["?a"]),
    ('start: x "a"\nx: OP?\nOP: /[?](?![ab])/', ["a"], ["?a", "?"]),
    ('%ignore " "\nstart: OP "a"\nOP: /[?](?![a])/', ["? a", " ?  a"], ["?a"]),
    ("start: /\\p{Lu}+/", ["ÄB"], ["ä"]),
]  # fmt: skip


@pytest.mark.parametrize(("source", "accepted", "rejected"), TABLE, ids=[row[0] for row in TABLE])
def test_table(source, accepted, rejected):
    found = Texts(grammar(source))
    assert [text for text in accepted if not found.accepts(text)] == []
    assert [text for text in rejected if found.accepts(text)] == []


@pytest.mark.parametrize(("source", "accepted", "rejected"), TABLE[:-1], ids=[row[0] for row in TABLE[:-1]])
def test_the_table_says_what_lark_says(source, accepted, rejected):
    lark = lark_of(source)
    assert [text for text in accepted if not lark_accepts(lark, text)] == []
    assert [text for text in rejected if lark_accepts(lark, text)] == []


SHORT = ["".join(letters) for size in range(5) for letters in product("abc ", repeat=size)]
"""All texts of up to four of the letters of `random_grammar`."""


def check_random_grammars(seeds: range, lexer: str, *, texts: int) -> dict[str, int]:
    """Compare so many texts of each grammar with lark and with the slow recogniser; what can be begun as well."""
    count = {"grammars": 0, "without texts": 0, "refused": 0, "texts": 0, "accepted": 0}
    for seed in seeds:
        rng = random.Random(seed)
        source = random_grammar(rng)
        lark = lark_of(source, lexer)
        if lark is None:
            continue
        try:
            found = Texts(grammar(source, lexer=lexer))
        except UnsatisfiableError:
            found = Texts(None)
            count["without texts"] += 1
        except UnsupportedFeature:
            count["refused"] += 1
            continue
        count["grammars"] += 1
        recogniser = Recogniser(lark)
        ours = [text for text in SHORT if found.accepts(text)]
        for text in {*rng.sample(ours, min(texts // 2, len(ours))), *rng.sample(SHORT, texts // 2)}:
            accepts = found.accepts(text)
            assert accepts == lark_accepts(lark, text), (seed, source, text)
            assert accepts == recogniser.accepts(text), (seed, source, text)
            count["texts"] += 1
            count["accepted"] += accepts
            assert not accepts or all(found.after(text[:k]) for k in range(len(text))), (seed, source, text)
        begun = [text for text in SHORT if len(text) < 4 and found.after(text)]
        for text in rng.sample(begun, min(texts // 5, len(begun))):
            whole = found.finished(text)
            assert recogniser.accepts(whole), (seed, source, text, whole)
    return count


@pytest.mark.parametrize("seeds", [12, *slow(150)])
@pytest.mark.parametrize("lexer", SCANNERLESS)
def test_random_grammars_as_lark(lexer, seeds):
    count = check_random_grammars(range(seeds), lexer, texts=20)
    assert count["grammars"] > 0.55 * seeds
    assert count["accepted"] > 2 * seeds
    assert count["texts"] - count["accepted"] > 5 * seeds


@pytest.mark.slow
@pytest.mark.parametrize("lexer", SCANNERLESS)
def test_5000_random_grammars_as_lark(lexer):
    assert check_random_grammars(range(1000, 8700), lexer, texts=6)["grammars"] > 5000


@pytest.mark.parametrize("seeds", [10, *slow(30)])
def test_masks_bit_for_bit(seeds):
    """Every token of a vocabulary, along random texts, against the interpreter of the network."""
    tried = recursive = 0
    for seed in range(5000, 5000 + seeds):
        source = random_grammar(random.Random(seed))
        if lark_of(source) is None:
            continue
        try:
            constraint = grammar(source)
        except (UnsatisfiableError, UnsupportedFeature):
            continue
        vocabulary = random_vocabulary(seed, alphabet=b"abcAd ")
        network = constraint.network()
        is_recursive = is_left_recursive(network)
        interpreter = None if is_recursive else Interpreter(network)
        automaton = Automaton(constraint.network())
        recursive += is_recursive
        rng = random.Random(seed)
        matcher = Matcher(constraint.compile(vocabulary))
        text = b""
        for _ in range(6):
            allowed = bitmask.unpack(matcher.allowed()[None], vocabulary.rows)[0]
            if interpreter is not None:
                wanted = brute_force(vocabulary, interpreter, interpreter.run(text))
            else:
                wanted = brute_force_by_bytes(vocabulary, automaton, text)
            assert np.array_equal(allowed, wanted), (seed, source, text)
            tried += 1
            following = [token for token in np.flatnonzero(allowed).tolist() if token not in vocabulary.eos]
            if not following:
                break
            token = rng.choice(following)
            matcher.advance(token)
            text += vocabulary.token_bytes[token]
    assert tried > 2 * seeds
    assert recursive >= 2 * (seeds // 30)


def check_walks(seeds: range, walks: int) -> int:
    """Random tokens, as long as there are any: a walk ends only where its text is complete."""
    done = 0
    for seed in seeds:
        try:
            source = random_grammar(random.Random(seed))
            constraint = grammar(source, lexer=SCANNERLESS[seed % 2])
        except ConstraintError:
            continue
        vocabulary = random_vocabulary(seed, alphabet=b"abcAd ")
        index, rng = constraint.compile(vocabulary), random.Random(seed)
        for _ in range(walks):
            matcher = Matcher(index)
            for _ in range(12):
                tokens = matcher.allowed_tokens().tolist()
                assert tokens, (seed, source)
                token = rng.choice(tokens)
                if token in vocabulary.eos:
                    break
                matcher.advance(token)
            assert matcher.min_tokens_to_complete() is not None, (seed, source)
            done += 1
    return done


def test_no_dead_ends():
    assert check_walks(range(8000, 8040), 10) > 200


@pytest.mark.slow
def test_no_dead_ends_on_20000_walks():
    assert check_walks(range(9000, 9700), 50) > 20_000


BAD = [
    ('start: "a" valu\nvalue: "b"', GrammarError, r"'valu' is used.*did you mean 'value'\?.*line 1, column 12"),
    ('start: ("a"\n', GrammarError, "line 1, column 12"),
    ('start: "a"\nx: b??', GrammarError, r"(?s)line 2, column 6.*\n  x: b\?\?\n       \^"),
    ('stat: "a"', GrammarError, "start rule 'start' is not defined; did you mean 'stat'"),
    ("start: /a(/", GrammarError, "malformed: missing \\)"),
    ("%import foo.BAR\nstart: BAR", GrammarError, "there is no grammar foo.lark"),
    ("start: /a*/", GrammarError, "empty text, which no terminal may have"),
    ('start: start "a"', UnsatisfiableError, "the rule 'start' always leads back to itself"),
    ('start: "a" x\nx: y "b"\ny: x | x "c"', UnsatisfiableError, "the rule 'x' always"),
    ('start: A "b"\nA: /[?](?!b)/', UnsatisfiableError, "may not follow them"),
    ("%declare X\nstart: X", UnsupportedFeature, "%declare X .* .at the rule start.*; .* or a constraint by rules=$"),
    ('start: "a" X\nX: /x(?=y)/', UnsupportedFeature, "wants something to follow.*terminal X: x"),
    ('%ignore /(?:a+b)+/\nstart: "a" "c"', UnsupportedFeature, "may go on through what follows it"),
    ("start: /a{1000000}/", LimitError, "max_places"),
    ("start: " + "(" * 1000 + '"a"' + ")" * 1000, LimitError, "max_nesting"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "error", "message"), BAD, ids=[row[0] for row in BAD])
def test_bad_grammars_are_told_at_once(source, error, message):
    with pytest.raises(error, match=message):
        grammar(source)


def test_files(tmp_path):
    (tmp_path / "words.lark").write_text('WORD: /[a-z]+/\npair: WORD "-" WORD\n')
    file = tmp_path / "main.lark"
    file.write_text('%import .words (pair, WORD)\n%override pair: WORD "+" WORD\n%extend WORD: /[0-9]/\nmain: pair\n')
    found = Texts(grammar(file, start="main"))
    assert found.accepts("a+1")
    assert not found.accepts("a-b")
    before = grammar(file, start="main")
    assert before == grammar(file, start="main")
    (tmp_path / "words.lark").write_text("WORD: /[a-z]/\npair: WORD\n")
    assert before != grammar(file, start="main")  # the file is the same, what it imports is not
    (tmp_path / "words.lark").write_text("WORD: /[a-z]+/")
    elsewhere = grammar("%import words.WORD\nstart: WORD", folders=[tmp_path])
    assert Texts(elsewhere).accepts("abc")
    with pytest.raises(OptionError, match="there is no grammar file"):
        grammar(tmp_path / "none.lark")
    with pytest.raises(OptionError, match="unknown dialect 'txt'"):
        (tmp_path / "x.txt").write_text("")
        grammar(tmp_path / "x.txt")


def test_equality(tmp_path):
    source = 'start: "a"\nother: "b"'
    assert grammar(source) == grammar(source)
    assert hash(grammar(source)) == hash(grammar(source))
    assert grammar(source) != grammar(source, start="other")
    assert grammar(source).network() is not grammar(source).network()


@pytest.mark.parametrize(
    ("source", "unit", "tail"),
    [
        ('start: "a" start | "b"', "a", "b"),
        ('start: start "a" | "b"', "a", ""),
        ('start: item+ "b"?\nitem: "a" ";"', "a;", "b"),
        ('start: sum\nsum: sum "+" sum | sum "*" sum | "1"', "1+1*", "1"),
        ('start: (x | y)*\nx: "a" y\ny: "b" | "c" x "d"', "b", ""),
    ],
)
def test_long_texts_cost_the_same_everywhere(source, unit, tail):
    """Situations come again: there are no more of them after many turns than after a few."""
    automaton = Automaton(grammar(source).network())
    start = [automaton.start] if not source.startswith('start: start "a"') else automaton.advance(1, b"b").tolist()
    path = automaton.advance(start[-1], unit.encode() * 2000)
    assert len(path) == 2000 * len(unit)
    assert automaton.statistics()["configurations"] < 30
    assert automaton.is_complete(int(automaton.advance(int(path[-1]), tail.encode())[-1]) if tail else int(path[-1]))


@pytest.mark.parametrize(
    ("source", "line", "column"),
    [
        ('start: "a"\n%override value: "x"', 2, 11),
        ('start: "a"\nb: "c"\nb: "d"', 3, 1),
        ('pair{a, b}: a b\nstart: pair{X}\nX: "x"', 2, 8),
        ('start: a\na{x}: x "a"', 1, 8),
        ('start: "a" B\nB: "b" start', 2, 8),
        ('start: "a"\n%ignore FOO', 2, 9),
        ("start: A\nA: /x(/", 2, 7),
        ("start: A\nA: /x(/i", 2, 7),
    ],
)
def test_places_of_what_lark_refuses(source, line, column):
    with pytest.raises(GrammarError, match=rf"(?s)line {line}, column {column}\).*\n {{{column + 1}}}\^$"):
        grammar(source)
