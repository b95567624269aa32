"""llguidance's dialect of Lark's notation: tables, slow twins, and the engine itself where it is installed."""

from __future__ import annotations

import itertools
import json
import re

import pytest
from membership import matches

import guidance_kit as gk
from guidance_kit.grammars.grammar import grammar

PERMUTATIONS = """
    start: row::0 "."
    row::_: ""                    %if is_ones([0:3])
          | "x" row::set_bit(0)   %if bit_clear(0)
          | "y" row::set_bit(1)   %if bit_clear(1)
          | "z" row::set_bit(2)   %if bit_clear(2)
"""

# Grammar, texts that belong to it, texts that do not. llguidance agrees on each.
TEXTS: list[tuple[str, list[str], list[str]]] = [
    ("start: digit{2,3}\ndigit: /[0-9]/", ["12", "123"], ["1", "1234", ""]),
    ("start: digit{2}\ndigit: /[0-9]/", ["12"], ["1", "123"]),
    ("start: digit{,2}\ndigit: /[0-9]/", ["", "1", "12"], ["123"]),
    ('start: "a"{2,}', ["aa", "aaaa"], ["a"]),
    ('start: "a"~2..3 "b"\nx[lazy]: "a"', ["aab", "aaab"], ["ab", "aaaab"]),
    ("start: NAME\nNAME: /[a-z]+/ & ~/(?s:.*)xx(?s:.*)/", ["abc", "x"], ["axxb", "xx", "A"]),
    ("start: A\nA: /[ab]+/ | /[bc]+/ & /[cd]+/", ["ab", "cc"], ["bc", "d", "ac"]),
    ('start: word ";"\nword[lazy]: /[a-z]*!/', ["ab!;", "!;"], ["ab;", "a!!;"]),
    ('start: word "b"\nword[suffix="<e>"]: /.*/', ["a<e>b", "<e>b"], ["ab", "a<e><e>b"]),
    ('start: word "b"\nword[stop="<e>", stop_capture="s"]: /.*/', ["a<e>b"], ["ab"]),
    ('start: word\nword[stop=""]: /[a-z]*/', ["", "ab"], ["a1"]),
    ('start: word " kg"\nword[stop="", capture="w"]: /[0-9]+/', ["12 kg"], ["12kg", " kg"]),
    ('start: word "!"\nword[max_tokens=0]: /[a-z]+/', ["!"], ["a!"]),
    ('start: "<" word ">"\nword[capture, suffix=/[.;]/]: /[a-z ]+/', ["<a b.>", "<a;>"], ["<a>", "<a.b;>"]),
    (PERMUTATIONS, ["xyz.", "zxy."], ["xy.", "xxyz.", "xyz"]),
    ("start: n::0x2\nn::_: /a/ n::decr(_) %if gt(_, 0)\n | /b/ %if eq([0:4], 0)", ["aab"], ["ab", "aaab"]),
    ('start: %json {"type": "integer"} "!"', ["12!", "-1!"], ["1.5!", "1", "!"]),
    ('start: "n=" body\nbody: %json {"type": "array", "items": {"type": "boolean"}}', ["n=[true , false]"], ["n=[1]"]),
    (
        'start: %json {"type": "object", "x-guidance": {"whitespace_flexible": false}}',
        ['{"a":1}', "{}"],
        ['{"a": 1}', "{ }"],
    ),
    ('start: "A" %regex {"substring_words": "one two. six"} "B"', ["AB", "Aone twoB", "A. sixB"], ["AtwB", "A oneB"]),
    ('start: %regex {"substring_chars": "abcab"}', ["", "cab", "ab"], ["ba", "ac"]),
    ('start: %regex {"substring_chunks": ["ab", "c", "ab"]} "!"', ["!", "cab!", "abcab!"], ["a!", "abab!"]),
    (
        'start: "B" inner "E"\ninner: %lark {\n  start: "a" "b"\n  %ignore "_"\n}\n%ignore " "',
        ["BabE", "Ba_bE", "Bab E"],
        ["B abE", "B_abE", "Ba bE", "Bab_E"],
    ),
    ('start: "a" "b"\n%ignore / +/\n%llguidance {}', ["ab", "a  b"], [" ab", "ab ", "a b "]),
    ('start: "a"? "b"\n%ignore " "\n%llguidance {}', ["b", "a b"], [" b"]),
    ('start: "a" "b"\n%ignore " "\n%llguidance {"ignore_once": true}', ["ab", "a b"], ["a  b"]),
    ('start: "a" "b"\n%ignore " "\n%llguidance {"allow_initial_skip": true}', [" ab"], ["ab "]),
    ('start: two  // a comment\ntwo[capture]: "a" [ "b" ] # another\n    | "c" -> named', ["a", "ab", "c"], ["b"]),
    ('start: "\\x41\\u0042" "c"i\n%llguidance {}', ["ABc", "ABC"], ["abc"]),
    ('start: "a".."f"+\n%llguidance {}', ["face"], ["g", ""]),
    ("start: /(?<y>[[:digit:]]{4})-\\x{41}\\u{1F600}/\n%llguidance {}", ["2026-A\U0001f600"], ["2026-A"]),
    ("start: /a[]^]b/i /\\./s\n%llguidance {}", ["A]b.", "a^B."], ["aab."]),
    ("%import common.INT -> COUNT\n%import common (WORD, WS)\nstart[capture]: COUNT WS WORD", ["12 kg"], ["12kg"]),
    ("start: TEXT | /x/+ /y/\nTEXT: /[a-w]*/\n%llguidance {}", ["", "abc", "xxy"], ["ax", "xx"]),
    # a terminal reads all it can
    ('start: /a*/ "ab"\n%llguidance {}', ["ab"], ["aab", "aaab"]),
    ("start: /[a-z]+/ /[a-z]+/\n%llguidance {}", [], ["ab"]),
]


@pytest.mark.parametrize(("source", "accepted", "rejected"), TEXTS)
def test_texts(source, accepted, rejected):
    try:
        constraint = grammar(source)
    except gk.UnsatisfiableError:
        assert not accepted
        return
    assert constraint.options == (("dialect", "llguidance"),), "the dialect was not recognised"
    assert {text: matches(constraint, text) for text in [*accepted, *rejected]} == {
        **dict.fromkeys(accepted, True),
        **dict.fromkeys(rejected, False),
    }


@pytest.mark.parametrize(("source", "accepted", "rejected"), TEXTS)
def test_the_engine_agrees(source, accepted, rejected):
    pytest.importorskip("llguidance")
    from benchmarks.dialects.engines import llguidance_verdict

    verdicts = {text: llguidance_verdict(source, text)[0] for text in [*accepted, *rejected]}
    assert {text: verdict == "whole" for text, verdict in verdicts.items()} == {
        **dict.fromkeys(accepted, True),
        **dict.fromkeys(rejected, False),
    }


def texts(alphabet: str, longest: int) -> list[str]:
    return ["".join(text) for size in range(longest + 1) for text in itertools.product(alphabet, repeat=size)]


def test_conjunctions_and_negations_equal_sets():
    constraint = grammar("start: A\nA: /[ab]*a/ & ~/(?s:.*)aa(?s:.*)/ | /b{2,3}/")
    wanted = {t for t in texts("ab", 5) if (re.fullmatch("[ab]*a", t) and "aa" not in t) or re.fullmatch("b{2,3}", t)}
    assert {t for t in texts("ab", 5) if matches(constraint, t)} == wanted


def test_excerpts_equal_runs_of_chunks():
    chunks = ["a", "ab", "b", "a", "ab"]
    wanted = {"".join(chunks[i:k]) for i in range(6) for k in range(i, 6)}
    constraint = grammar(f'start: "<" %regex {{"substring_chunks": {json.dumps(chunks)}}} ">"')
    assert {t for t in texts("ab", 7) if matches(constraint, f"<{t}>")} == wanted


CONDITIONS = [
    ("lt(_, 3)", lambda p: p < 3),
    ("and(ge([1:3], 1), not(bit_set(0)))", lambda p: (p >> 1 & 3) >= 1 and not p & 1),
    ("or(bit_count_eq([0:3], 2), ne([0:2], 1))", lambda p: (p & 7).bit_count() == 2 or p & 3 != 1),
    ("is_zeros([1:2])", lambda p: not p & 2),
    ("true", lambda p: True),
]

FUNCTIONS = [
    ("incr([0:2])", lambda p: p if p & 3 == 3 else p + 1),
    ("decr([1:3])", lambda p: p if not p >> 1 & 3 else p - 2),
    ("set_bit(1)", lambda p: p | 2),
    ("clear_bit(1)", lambda p: p & ~2),
    ("bit_and(5)", lambda p: p & 5),
    ("bit_or(0x4)", lambda p: p | 4),
]


@pytest.mark.parametrize(("function", "step"), FUNCTIONS)
@pytest.mark.parametrize(("condition", "holds"), CONDITIONS)
def test_parameters_equal_their_definition(condition, holds, function, step):
    """Texts of a's, each of which applies a function, and an end where a condition holds."""
    for first in (0, 1, 5, 6):
        source = f'start: n::{first}\nn::_: "a" n::{function} | "." %if {condition}'
        wanted, value = set[int](), first
        for turns in range(7):
            if holds(value):
                wanted.add(turns)
            value = step(value)
        try:
            constraint = grammar(source)
        except gk.UnsatisfiableError:
            assert not wanted
            continue
        assert {turns for turns in range(7) if matches(constraint, "a" * turns + ".")} == wanted


def test_other_grammars_are_given_by_rules_or_by_a_list():
    source = 'start: "call " @arguments | @empty'
    given = {"arguments": gk.json_schema({"type": "array"}), "empty": "nothing"}
    listed = json.dumps(
        {
            "grammars": [
                {"lark_grammar": source},
                {"name": "arguments", "json_schema": {"type": "array"}},
                {"name": "empty", "lark_grammar": 'start: "no" "thing"'},
            ]
        }
    )
    for constraint in (gk.grammar(source, rules=given), gk.grammar(listed)):
        assert matches(constraint, "call [1]")
        assert matches(constraint, "nothing")
        assert not matches(constraint, "call 1")
    schema_alone = gk.grammar('{"grammars": [{"json_schema": {"type": "boolean"}}]}')
    assert matches(schema_alone, "true")


def test_tokens():
    names = {256: "<eos>", 257: "<|call|>", 258: "<|end|>"}
    vocabulary = gk.Vocabulary(
        token_bytes=(*(bytes([byte]) for byte in range(256)), b"", b"", b""),
        special=frozenset(names),
        eos=(256,),
        rows=259,
        special_names=names,
    )
    index = gk.grammar('start: /[a-z]*/ <|call|> "b"{1,2} <[258]>').compile(vocabulary)

    def is_text(tokens: list[int]) -> bool:
        matcher = gk.Matcher(index)
        return all(map(matcher.try_advance, tokens)) and matcher.is_complete

    assert is_text([*b"ab", 257, *b"bb", 258])
    assert is_text([257, *b"b", 258])
    assert not is_text([*b"ab<|call|>b", 258])


REFUSED = [
    ('start: A\nA: "b" ~/c+/', gk.UnsupportedFeature, "& or ~ as a part", "A: B & ~C"),
    ("start: /a(?=b)/ x\nx[lazy]: /b/", gk.UnsupportedFeature, "a lookaround", "write it as rules"),
    ("start: x\nx[lazy]: /a\\bb?/", gk.UnsupportedFeature, "an anchor", "by & and ~"),
    ("start: /[a&&b]/\n%llguidance {}", gk.UnsupportedFeature, "'&&' in a class", "write the characters out"),
    ("start: x{y}\nx[lazy]: /a/", gk.UnsupportedFeature, "a template", "dialect='lark'"),
    ("start.2: /a/{2}", gk.UnsupportedFeature, "a priority", "leave it out"),
    ("%import python.NAME\nstart: NAME{2}", gk.UnsupportedFeature, "%import of files", "dialect='lark'"),
    ("%declare X\nstart: X{2}", gk.UnsupportedFeature, "%declare", "refuses it, too"),
    ('start: "a"\n%llguidance {"allow_invalid_utf8": true}', gk.UnsupportedFeature, "allow_invalid_utf8", "UTF-8"),
    (
        'start: %json {"x-guidance": {"json_allowed_escapes": "n"}}',
        gk.UnsupportedFeature,
        "json_allowed_escapes",
        "leave it out",
    ),
    ("start: x::0\nx::_: x::incr(_) | /a/ /b/ /c/ x::incr(_) | /a/", gk.LimitError, "max_instances", "20000"),
    ('start: "a"\nb[lazy] "c"', gk.GrammarError, "expected", "line 2"),
    ('start: "a" & "b"', gk.GrammarError, "& joins terminals", "line 1"),
    ("start: A\nA: B & C\nB: C\nC: B", gk.GrammarError, "contains itself", ""),
    ("start: A\nA: x & /b/\nx: /a/", gk.GrammarError, "'x' is a rule", ""),
    ("start: A\nA: <[5]> & /b/", gk.GrammarError, "no rules, tokens", ""),
    ("start: x::1\nx: /a/", gk.GrammarError, "takes no parameter", ""),
    ("start: x\nx::_: /a/ x::_", gk.GrammarError, "takes a parameter", ""),
    ("start: x::_\nx::_: /a/", gk.GrammarError, "has no parameter", ""),
    ('start: "a" %if true', gk.GrammarError, "%if is for rules with a parameter", ""),
    ('start: A\nA: "a" %if true', gk.GrammarError, "%if is for rules", ""),
    ("start: x::0\nx::_: /a/ %if eq([3:3], 0)", gk.GrammarError, "the bits end at 3", ""),
    ("start: x::0\nx::_: /a/ %if odd(_, 0)", gk.GrammarError, "no condition 'odd'", ""),
    ("start: x::twice(_)\nx::_: /a/", gk.GrammarError, "no function 'twice'", ""),
    ("start: x\nx[colour=3]: /a/{2}", gk.GrammarError, "no attribute 'colour'", ""),
    ('start: x\nx[stop="a", suffix="b"]: /a/', gk.GrammarError, "several ends", ""),
    ('start: @other "a"', gk.GrammarError, "there is no grammar 'other'", "rules="),
    ("start: %json {", gk.GrammarError, "the JSON is malformed", ""),
    ('start: %regex {"substring": "a"}', gk.GrammarError, "%regex takes", ""),
    ('start: %regex {"substring_words": 3}', gk.GrammarError, "takes a text", ""),
    ('start: "a"\n%llguidance {"colour": true}', gk.GrammarError, "no option 'colour'", ""),
    ("start: /a/{3,2}", gk.GrammarError, "between 3 and 2", ""),
    ("start: x\nx[lazy]: /(a/", gk.GrammarError, "the pattern is malformed", ""),
    ('start: %lark { begin: "a" }', gk.GrammarError, "'start' is not defined", ""),
    ('{"grammars": []}', gk.GrammarError, "a list of grammars", ""),
    ('{"grammars": [{"name": "a"}]}', gk.GrammarError, "grammars[0]", ""),
]


@pytest.mark.parametrize(("source", "error", "what", "more"), REFUSED)
def test_errors_say_what_and_where(source, error, what, more):
    with pytest.raises(error) as caught:
        grammar(source)
    assert what in str(caught.value)
    assert more in str(caught.value)


def test_grammars_of_lark_are_still_read_by_lark():
    for source in (
        'start: pair{"a", "b"}\npair{x, y}: x "&" y',
        "start: /a{2,3}/ // x[lazy]: @y",
        'start: "a"~2 "::" <|end|>',
    ):
        assert grammar(source).options == ()


def test_files_and_options(tmp_path):
    path = tmp_path / "digits.lark"
    path.write_text("begin: /[0-9]/{3}")
    constraint = gk.grammar(path, start="begin")
    assert matches(constraint, "123")
    assert ("dialect", "llguidance") in constraint.options
    with pytest.raises(gk.OptionError, match="lexer='dynamic' is for grammars in Lark's notation"):
        gk.grammar("start: /a/{3}", lexer="dynamic")
