"""Captures of groups and rules in beginnings of texts, against all texts that begin so."""

from __future__ import annotations

import itertools
import random
import re
from pathlib import Path

import pytest
from grammars import Texts, lark_of, random_grammar
from marks import slow
from small_models import small_llama
from test_grammar_captures import EarleyGrammar

import guidance_kit as gk
from guidance_kit.errors import UnsupportedFeature
from guidance_kit.grammars.lark_captures import named
from guidance_kit.grammars.regex_captures import GroupReader

TEXTS = ["".join(text) for size in range(7) for text in itertools.product("ab", repeat=size)]


def random_pattern(rng: random.Random, depth: int = 3) -> str:
    """A small pattern over a and b, with groups x, y and z, each at most once."""
    free = ["x", "y", "z"]

    def expression(depth: int) -> str:
        return "|".join(sequence(depth) for _ in range(rng.choice([1, 1, 1, 2])))

    def sequence(depth: int) -> str:
        return "".join(item(depth) for _ in range(rng.choice([0, 1, 2, 2, 3])))

    def item(depth: int) -> str:
        kind = rng.random()
        if kind < 0.15:
            return rng.choice(["^", "$", r"\b", r"(?=a)", "(?!b)", "(?<=a)", "(?<!a)", "(?!ab)", r"\Z", "(?=a*$)"])
        if kind < 0.55 or depth == 0:
            base = rng.choice(["a", "b", "[ab]", ".", "ab"])
            base = f"(?:{base})" if len(base) == 2 else base
        elif kind < 0.9 and free:
            name = free.pop(0)
            base = f"(?P<{name}>{expression(depth - 1)})"
        else:
            base = f"(?:{expression(depth - 1)})"
        return base + rng.choice(["", "", "", "*", "+", "?", "*?", "+?", "??", "{1,2}"])

    return expression(depth)


def common(spans: set[tuple[int, int]], text: str) -> str | None:
    """Captures that groups with some spans share, as far as a beginning of the text goes."""
    begins = {begin for begin, _ in spans}
    begin = min(begins, default=-1)
    if len(begins) != 1 or not 0 <= begin <= len(text):
        return None
    return text[begin : min(len(text), *(end for _, end in spans))]


def check_patterns(seeds: range) -> dict[str, int]:
    """Each beginning of up to three characters of random patterns, against all texts of up to six."""
    count = {"exact": 0, "less": 0, "refused": 0, "said": 0}
    for seed in seeds:
        pattern = random_pattern(random.Random(seed))
        found = {text: match for text in TEXTS if (match := re.fullmatch(pattern, text))}
        names = re.compile(pattern).groupindex
        for text in sorted({text[:k] for text in found for k in range(4)}):
            reader = None
            try:
                reader = GroupReader(pattern, 0, None)
                reader.read(text)
                shown = reader.captures()
            except UnsupportedFeature:
                count["refused"] += 1
                continue
            for name in names:
                spans = {match.span(name) for whole, match in found.items() if whole.startswith(text)}
                expected = common(spans, text)
                assert shown[name] is None or (expected or "").startswith(shown[name]), (seed, pattern, text, name)
                assert shown[name] is None or expected is not None, (seed, pattern, text, name)
                count["exact" if shown[name] == expected else "less"] += 1
                count["said"] += bool(shown[name])
    return count


def test_groups_of_random_patterns():
    count = check_patterns(range(45))
    assert count["exact"] > 180
    assert count["said"] > 50
    assert count["less"] < count["exact"] / 15  # texts of more than six characters are not looked at
    assert count["refused"] < count["exact"] / 10


def clipped(spans: frozenset[tuple[str, int, int]], text: str) -> dict[tuple[str, int], list[int]]:
    """For each name and beginning where what is matched ends, as far as a beginning of the text goes, descending."""
    found: dict[tuple[str, int], set[int]] = {}
    for name, begin, end in spans:
        if begin < len(text):
            found.setdefault((name, begin), set()).add(min(end, len(text)))
    return {key: sorted(ends, reverse=True) for key, ends in found.items()}


def common_rules(readings: list[frozenset[tuple[str, int, int]]], text: str) -> dict[tuple[str, int], list[int]]:
    """Captures that several readings share: of what begins at one place the longest of each, the next, and so on."""
    first, *others = [clipped(reading, text) for reading in readings]
    for other in others:
        first = {key: list(map(min, ends, other[key])) for key, ends in first.items() if key in other}
    return first


def shown_of(found: dict[tuple[str, int], list[int]], names: list[str], text: str) -> dict[str, tuple[str, ...]]:
    return {
        name: tuple(text[begin:end] for (one, begin), ends in sorted(found.items()) if one == name for end in ends)
        for name in names
    }


def is_within(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    """True if texts come up in others in order, each as what another one begins with."""
    rest = iter(whole)
    return all(any(other.startswith(one) for other in rest) for one in part)


def check_grammars(seeds: range, lexer: str) -> dict[str, int]:
    """Each beginning of up to two characters of random grammars, against all readings of all texts of up to four."""
    texts = ["".join(text) for size in range(5) for text in itertools.product("abc ", repeat=size)]
    count = {"exact": 0, "less": 0, "said": 0}
    for seed in seeds:
        source = random_grammar(random.Random(seed))
        lark = lark_of(source, lexer)
        try:
            constraint = gk.grammar(source, lexer=lexer)
        except gk.GuidanceKitError:
            continue
        twin = EarleyGrammar(lark)
        language = Texts(constraint)
        found = {text: twin.of(text) for text in texts if language.accepts(text)}
        names = named(lark, None)
        for text in sorted({text[:k] for text, readings in found.items() if readings for k in range(3)}):
            shown = constraint.partial_captures(text)
            readings = [one for whole, several in found.items() if whole.startswith(text) for one in several]
            expected = shown_of(common_rules(readings, text), names, text)
            for name in names:
                assert is_within(shown[name], expected[name]), (seed, source, text, name, shown, expected)
                for one in readings:
                    listed = shown_of(clipped(one, text), names, text)[name]
                    assert is_within(shown[name], listed), (seed, source, text, name, shown, listed)
                count["exact" if shown[name] == expected[name] else "less"] += 1
                count["said"] += bool(shown[name])
    return count


LEXERS = ["dynamic", "dynamic_complete"]


@pytest.mark.parametrize("seeds", [8, *slow(24)])
@pytest.mark.parametrize("lexer", LEXERS)
def test_rules_of_random_grammars(lexer, seeds):
    count = check_grammars(range(seeds), lexer)
    assert count["said"] > seeds // 2
    assert count["exact"] > 2 * seeds
    assert count["less"] < count["exact"] / 20  # of what is ignored behind a rule it is not said that it goes on


@pytest.mark.slow
@pytest.mark.parametrize("lexer", LEXERS)
def test_rules_of_many_random_grammars(lexer):
    assert check_grammars(range(24, 80), lexer)["said"] > 100


def check_growth(constraint: gk.Constraint, text: str, names: list[str] | None = None) -> None:
    """All beginnings of a text: each continues the one before, and the captures of the whole continue the last."""
    final = constraint.captures(text, names)
    reader, before = constraint.capture_reader(names), None
    for end, character in enumerate(text, start=1):
        reader.read(character)
        shown = reader.captures()
        if end % 9 == 0:
            assert constraint.partial_captures(text[:end], names) == shown
        for name, found in shown.items():
            assert is_within(found, final[name]), (text[:end], name, found, final[name])
            assert before is None or is_within(before[name], found), (text[:end], name, before[name], found)
        before = shown
    assert reader.captures(is_whole=True) == final


@pytest.mark.parametrize("name", ["json", "arithmetic", "dates", "csv", *slow("sql_select")])
def test_rules_of_the_bundled_grammars(name):
    constraint = gk.bundled_grammar(name)
    for text in constraint.sample(2, seed=1):
        check_growth(constraint, text)


@pytest.mark.parametrize("name", ["json", "arithmetic", "dates"])
def test_rules_behind_a_lexer(name):
    path = Path(gk.__file__).parent / "bundled" / "grammars" / f"{name}.lark"
    constraint = gk.grammar(path, lexer="longest")
    for text in constraint.sample(2, seed=1):
        check_growth(constraint, text)


STATEMENTS = """
start: (statement ";")+
?statement: "let" NAME "=" sum | "if" sum "{" statement "}" -> branch
?sum: NAME | sum "+" NAME
NAME: /[a-z]+/
NUMBER: /[0-9]+(\\.[0-9]+)?/
%ignore " "
%ignore /#[^\\n]*\\n/
"""


@pytest.mark.parametrize("lexer", ["dynamic", "longest"])
def test_what_is_under_way(lexer):
    constraint = gk.grammar(STATEMENTS.replace("NUMBER: /[0-9]+(\\.[0-9]+)?/\n", ""), lexer=lexer)
    text = "let a = b + cd; if x { let y = z };"
    check_growth(constraint, text, ["statement", "sum", "NAME"])
    for end, statements, sums, names in [
        (0, (), (), ()),
        (2, ("le",), (), ()),
        (4, ("let",), (), ()),
        (5, ("let a",), (), ("a",)),
        (9, ("let a = b",), ("b",), ("a", "b")),
        (10, ("let a = b",), ("b",), ("a", "b")),
        (11, ("let a = b +",), ("b +", "b"), ("a", "b")),
        (13, ("let a = b + c",), ("b + c", "b"), ("a", "b", "c")),
        (15, ("let a = b + cd",), ("b + cd", "b"), ("a", "b", "cd")),
        (20, ("let a = b + cd", "if x"), ("b + cd", "b", "x"), ("a", "b", "cd", "x")),
    ]:
        found = constraint.partial_captures(text[:end], ["statement", "sum", "NAME"])
        assert found == {"statement": statements, "sum": sums, "NAME": names}, text[:end]


def test_a_comment_is_no_part_of_what_it_stands_in():
    constraint = gk.grammar(STATEMENTS.replace("NUMBER: /[0-9]+(\\.[0-9]+)?/\n", ""), lexer="longest")
    assert constraint.partial_captures("let a # let", ["statement"]) == {"statement": ("let a",)}


def test_of_an_ambiguous_text_there_is_what_all_readings_have_in_common():
    both = gk.grammar('start: a b\na: "x"*\nb: "x"* END\nEND: "!"')
    assert both.partial_captures("xx") == {"start": ("xx",), "a": (), "b": ()}
    assert both.partial_captures("xx!", ["a", "END"]) == {"a": (), "END": ("!",)}
    either = gk.grammar("start: x y\nx: /a+/\ny: /a*b/")
    assert either.partial_captures("aa") == {"start": ("aa",), "x": ("a",), "y": ()}
    sums = gk.grammar('start: sum\nsum: sum "+" sum | "1"')
    assert sums.partial_captures("1+1+1") == {"start": ("1+1+1",), "sum": ("1+1+1", "1", "1", "1")}
    cyclic = gk.grammar('start: a\na: a | "x" | "y" "z"')
    assert cyclic.partial_captures("y") == {"start": ("y",), "a": ("y",)}


PARTS = [
    (r"(?P<year>\d{4})-(?P<month>\d\d)", "20", {"year": "20", "month": None}),
    (r"(?P<year>\d{4})-(?P<month>\d\d)", "2024-", {"year": "2024", "month": ""}),
    (r"(?P<key>\w+)=(?P<value>.*)", "a", {"key": "a", "value": None}),
    (r"(?P<key>\w+)=(?P<value>.*)", "a=b=", {"key": "a", "value": "b="}),
    (r"(?P<a>.*)-(?P<b>.*)", "x-y", {"a": "x", "b": None}),
    (r"(?P<a>.*?)-(?P<b>.*)", "x-y", {"a": "x", "b": "y"}),
    (r"(?:(?P<word>\w+),)*;", "ab,c,", {"word": None}),
    (r"(?:(?P<word>\w+),)*;", "ab,c,;", {"word": "c"}),
    (r"(?P<a>a)|(?P<b>ab)", "a", {"a": None, "b": None}),
    (r"^(?P<k>\w+)\b=(?P<v>(?!no\b).*)$", "key=no", {"k": "key", "v": "no"}),
    (r"(?P<name>\p{Lu}\p{Ll}*) .*", "Än", {"name": "Än"}),
]


@pytest.mark.parametrize(("pattern", "text", "value"), PARTS)
def test_groups_under_way(pattern, text, value):
    assert gk.regex(pattern).partial_captures(text) == value


def test_a_long_text_is_read_piece_by_piece():
    reader = gk.regex(r"(?P<thought>[^<]*)</think>(?P<answer>(?s:.*))").capture_reader(["answer", "thought"])
    for _ in range(3000):
        reader.read("some words ")
        assert reader.captures()["answer"] is None
    reader.read("</think>yes")
    assert reader.captures() == {"answer": "yes", "thought": "some words " * 3000}


@pytest.mark.parametrize(
    ("constraint", "text", "names", "error", "said"),
    [
        (gk.regex("(?P<x>a)b"), "b", None, gk.MatchError, "begins with 'b'"),
        (gk.regex("(?P<x>a)b"), "a", ["y"], gk.OptionError, "unknown group 'y'"),
        (gk.regex("(?P<x>(?>a+))b"), "a", None, gk.UnsupportedFeature, "atomic group while a text is written"),
        (gk.regex("(?P<x>(?=a*$)a+)"), "a", None, gk.UnsupportedFeature, "within a condition while a text is written"),
        (gk.grammar('start: "a" "b"'), "b", None, gk.MatchError, "begins with 'b'"),
        (gk.grammar('start: "a" "b"'), "a", ["stat"], gk.OptionError, "did you mean 'start'"),
        (gk.grammar('root ::= "a"', dialect="gbnf"), "a", None, gk.OptionError, "Lark's notation"),
        (gk.json_schema(True), "1", None, gk.OptionError, "not json_schema"),
    ],
)
def test_what_has_no_captures(constraint, text, names, error, said):
    with pytest.raises(error, match=said):
        constraint.partial_captures(text, names)


@pytest.mark.slow
def test_too_many_product_states():
    with pytest.raises(gk.LimitError, match="max_product_states"):
        gk.regex("(?P<x>a*)(?:a|b)*a(?:a|b){14}").partial_captures("aaab")


def test_a_stream_shows_its_captures_as_it_grows():
    model = gk.Model(small_llama())
    constraint = gk.regex(r"(?P<word>[a-z]{3,8}) (?P<number>[0-9]{2,})")
    stream = model.stream("the cat", constraint, seed=1, max_tokens=40, complete=True)
    before = {"word": "", "number": None}
    for _ in stream:
        shown = stream.partial_captures()
        assert shown["word"].startswith(before["word"])
        assert (shown["number"] or "").startswith(before["number"] or "")
        assert stream.partial == stream.text
        before = shown
    assert stream.partial_captures() == constraint.captures(stream.completion.text)
    rows = gk.grammar('start: row+\nrow: WORD "=" WORD ";"\nWORD: /[a-z]+/', lexer="dynamic")
    stream = model.stream("the cat", rows, seed=2, max_tokens=60, complete=True)
    for _ in stream:
        stream.partial_captures(["WORD"])
    assert stream.partial_captures(["WORD"]) == rows.captures(stream.text, ["WORD"])
    assert stream.partial_captures() == rows.captures(stream.text)
    with pytest.raises(gk.OptionError, match="without a constraint"):
        model.stream("the cat", max_tokens=2).partial_captures()


def test_a_stream_that_has_ended_has_the_whole_value():
    model = gk.Model(small_llama())
    stream = model.stream("the cat", gk.json_schema({"type": "integer"}), seed=1, max_tokens=20, complete=True)
    for _ in stream:
        assert stream.partial is None or stream.text
    assert stream.partial == stream.completion.value
