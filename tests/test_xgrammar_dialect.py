"""XGrammar's EBNF: tables, slow twins, and the engine itself where it is installed."""

from __future__ import annotations

import itertools
import json

import pytest
from membership import matches

import guidance_kit as gk
from guidance_kit.grammars.grammar import grammar

CALLS = """root ::= calls "</s>"
calls ::= TagDispatch(("<a>", a), ("<b>", b), excludes=("</s>", "no"))
a ::= [0-9]+ "."
b ::= "(" b? ")"
"""

# Grammar, texts that belong to it, texts that do not. XGrammar agrees on each.
TEXTS: list[tuple[str, list[str], list[str]]] = [
    (CALLS, ["</s>", "x<a>12.y</s>", "<b>(())<a>1.</s>", "<c</s>"], ["x", "<a>x</s>", "no</s>", "<b>(</s>"]),
    ('root ::= TagDispatch(("<a>", a), loop_after_dispatch=false)\na ::= "1"', ["", "x<a>1"], ["<a>1x", "<a>"]),
    ('root ::= TagDispatch(("ab", r), ("b", r))\nr ::= "1"', ["xab1", "xb1y", "a"], ["ab", "b"]),
    ('root ::= TagDispatch(excludes=("ab",))', ["", "acb"], ["ab", "xaby"]),
    (r'root ::= Regex("\\d{2}(?<n>a|\\u{42})")', ["12a", "12B"], ["1a", "12b"]),
    ('root ::= Regex("a.c") | Regex("b.d", flags="i")', ["a\nc", "bxd", "BxD"], ["b\nd", "AxC"]),
    ('root ::= Substring("ab", "c", "ab") "!"', ["!", "cab!", "abcab!"], ["a!", "abab!"]),
    ('root ::= word "b"\nword[lazy] ::= [a-z]+', ["ab"], ["aab", "b"]),
    ('root ::= "<" word ">"\nword[max_chars=3, capture="w"] ::= [a-z]*', ["<abc>", "<>"], ["<abcd>"]),
    ('root ::= word\nword[max_chars=3] ::= pair*\npair ::= "ab"', ["ab", "abab"], ["ababab", "a"]),
    ('root ::= a.b x-y\n\na.b ::= "1" |\n  "2" (= "y")\nx-y ::= [\\-+]', ["1-", "2+"], ["1y"]),
    ('root ::= a "x"\na ::= "b" (= "y")', ["bx"], ["by"]),
    ('root ::= "\\x1F600" [^] | Substring("\\/\\?")', ["\U0001f600\n", "/?"], ["\x1f600x"]),
    ('root ::= word "!"\nword[max_chars=2] ::= Substring("ab", "c", "ab")', ["!", "ab!", "cab!"], ["abc!", "a!"]),
    ('root ::= word "!"\nword[lazy] ::= Regex("a+b?")', ["a!"], ["ab!", "aa!"]),
    ('root ::= "a"{2,-1}\nx[lazy] ::= "c"', ["aa", "aaaa"], ["a"]),
    ('root ::= [] | "a"{2} | ("b")?\nx[lazy] ::= "c"', ["", "aa", "b"], ["a"]),
]


@pytest.mark.parametrize(("source", "accepted", "rejected"), TEXTS)
def test_texts(source, accepted, rejected):
    constraint = grammar(source)
    assert constraint.options == (("dialect", "xgrammar"),), "the dialect was not recognised"
    assert {text: matches(constraint, text) for text in [*accepted, *rejected]} == {
        **dict.fromkeys(accepted, True),
        **dict.fromkeys(rejected, False),
    }


@pytest.mark.parametrize(("source", "accepted", "rejected"), TEXTS)
def test_the_engine_agrees(source, accepted, rejected):
    xgrammar = pytest.importorskip("xgrammar")
    testing = pytest.importorskip("xgrammar.testing")

    read = xgrammar.Grammar.from_ebnf(source)
    assert {text: testing._is_grammar_accept_string(read, text) for text in [*accepted, *rejected]} == {
        **dict.fromkeys(accepted, True),
        **dict.fromkeys(rejected, False),
    }


def test_dispatch_equals_its_definition():
    """All texts of three characters' alphabet: after each first tag its rule, and none of the excluded texts."""
    constraint = grammar('root ::= TagDispatch(("ab", r), excludes=("bb",))\nr ::= "c" | "ac"')

    def is_text(text: str) -> bool:
        for k in range(len(text) + 1):
            if text[:k].endswith("ab"):
                rest = text[k:]
                return any(rest.startswith(one) and is_text(rest[len(one) :]) for one in ("c", "ac"))
            if text[:k].endswith("bb"):
                return False
        return True

    texts = ["".join(text) for size in range(7) for text in itertools.product("abc", repeat=size)]
    assert {text for text in texts if matches(constraint, text)} == set(filter(is_text, texts))


def test_tokens():
    vocabulary = gk.Vocabulary.from_bytes()
    index = gk.grammar(
        "root ::= TokenTagDispatch((65, r), excludes=(66,)) \nr ::= ExcludeToken(67, 68) Token(69)"
    ).compile(vocabulary)

    def is_text(text: bytes) -> bool:
        matcher = gk.Matcher(index)
        return all(map(matcher.try_advance, text)) and matcher.is_complete

    assert all(map(is_text, [b"", b"xy", b"xAxExAAE"]))
    assert not any(map(is_text, [b"B", b"A", b"AxF", b"ACE", b"AxEB"]))


def test_structural_tags_have_grammars_and_any_order():
    schema = {"type": "object", "properties": {"a": {"const": 1}, "b": {"const": 2}}, "required": ["a", "b"]}
    elements = [
        {"type": "grammar", "grammar": 'root ::= Regex("[a-c]{2,3}") "\\x1F600"'},
        {"type": "json_schema", "json_schema": schema | {"additionalProperties": False}, "any_order": True},
    ]
    constraint = gk.structural_tag({"type": "structural_tag", "format": {"type": "sequence", "elements": elements}})
    assert matches(constraint, 'ab\U0001f600{"a": 1, "b": 2}')
    assert matches(constraint, 'abc\U0001f600{"b": 2, "a": 1}')
    assert not matches(constraint, 'a\U0001f600{"b": 2, "a": 1}')
    assert not matches(constraint, 'ab\U0001f600{"b": 2}')


def test_large_repetitions_are_counted():
    constraint = grammar('root ::= "<" Regex("(ab){2,50000}") ">"')
    assert matches(constraint, f"<{'ab' * 300}>")
    assert not matches(constraint, "<ab>")


@pytest.mark.parametrize(
    ("pattern", "flags"),
    [(r"\S+", "s"), (".+", "s"), (r"(?:a[^b]|\x22c?){1,2}", "i"), ('"?a*', "s"), (".{2,50000}", "s")],
)
def test_regex_of_json_strings_has_the_texts_without_escapes(pattern, flags):
    plain, held = (
        grammar(f'root ::= Regex({json.dumps(pattern)}, flags="{flags}", json_string={given})')
        for given in ("false", "true")
    )
    texts = ["".join(text) for size in range(4) for text in itertools.product('aB"\\\n', repeat=size)]
    expected = [text for text in texts if matches(plain, text) and not set(text) & set('"\\\n')]
    assert expected
    assert [text for text in texts if matches(held, text)] == expected


REFUSED = [
    ('root ::= Regex("a(?=b)b")', gk.UnsupportedFeature, "a lookaround", "as rules"),
    ('root ::= Regex("(")', gk.GrammarError, "malformed", "line 1, column 10"),
    ('root ::= Regex("a", flags="x")', gk.GrammarError, "no flags 'x'", ""),
    ('root ::= Regex("a", size=3)', gk.GrammarError, "no argument 'size'", ""),
    ("root ::= Token()", gk.GrammarError, "by their numbers", ""),
    ('root ::= TagDispatch(("a", 3))', gk.GrammarError, "the name of a rule", ""),
    ('root ::= TagDispatch(("a", b))', gk.GrammarError, "'b' is used but not defined", ""),
    ('root ::= TagDispatch(("ab", root), excludes=("a",))', gk.GrammarError, "begins with an excluded text", ""),
    ("root[lazy] ::= root | Token(5)", gk.GrammarError, "no recursion", ""),
    ("root[lazy, max_chars=3] ::= [a-z]", gk.GrammarError, "lazy and max_chars", ""),
    ("root[max_chars=3, size=5] ::= [a-z]", gk.GrammarError, "no option 'size'", ""),
    ('root[lazy] ::= "a"++', gk.GrammarError, "expected an element", ""),
    ('root[lazy] ::= "\\d"', gk.GrammarError, "unknown escape", ""),
]


@pytest.mark.parametrize(("source", "error", "what", "more"), REFUSED)
def test_errors_say_what_and_where(source, error, what, more):
    with pytest.raises(error) as caught:
        grammar(source)
    assert what in str(caught.value)
    assert more in str(caught.value)


def test_grammars_of_llama_cpp_and_the_w3c_are_read_as_before(tmp_path):
    assert grammar('root ::= "Token(5)" # Regex("a")').options == (("dialect", "gbnf"),)
    assert grammar("start ::= Token (Token)?\nToken ::= 'a'").options == (("dialect", "ebnf"),)
    path = tmp_path / "x.gbnf"
    path.write_text('root ::= Substring("a")')
    assert ("dialect", "xgrammar") in gk.grammar(path).options
