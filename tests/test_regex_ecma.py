"""Patterns of ECMA-262 as JSON Schema uses them: searched for, with the flag u."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest
from oracles import Interpreter

from guidance_kit.errors import GuidanceKitError, OptionError, PatternError, UnsupportedFeature
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.regular import declare, parse, parse_search

# Pattern, texts in which it is found, texts in which it is not: as `new RegExp(pattern, "u").test(text)` has it.
TABLE = [
    (r"^\d+$", ["123"], ["", "12\n", "١٢"]),
    (r"^\w$", ["a", "_", "0"], ["é", "-"]),
    (r"^\s$", ["\ufeff", "\xa0", "\u2028", "\t"], ["\x1c", "\x85", "a"]),
    (r"^.$", ["a", "😀", "\x85"], ["\n", "\r", "\u2028", "\u2029", "ab"]),
    (r"^[^]$", ["\n", "a"], ["", "ab"]),
    (r"^[]$|x", ["x"], ["", "a"]),
    (r"a$", ["a", "ba"], ["a\n", "ab"]),
    (r"^[[&&~~]+$", ["[&~"], ["", "]"]),
    (r"^[\w.-]+$", ["a.b-c"], ["a b"]),
    (r"^[a\-z]$", ["a", "-", "z"], ["b"]),
    (r"^[\b]$", ["\b"], ["b"]),
    (r"^[\d-x]$", ["1", "-", "x"], ["a"]),
    (r"^[x-\d]$", ["1", "-", "x"], ["a"]),
    (r"^\/a\-b\.$", ["/a-b."], ["ab"]),
    (r"^\cJ\x41\u0042\u{43}\ud83d\ude00\u{1F600}\0$", ["\nABC😀😀\0"], []),
    (r"^[\u{1F600}-\u{1F64F}]$", ["😀"], ["a"]),
    (r"^(?<year>\d{4})-(?<month>\d\d)$", ["2024-05"], ["24-5"]),
    (r"^(?=.*x)(?!.*y).*$", ["axb"], ["axy", "b"]),
    (r"(?<=a)b", ["ab", "xaby"], ["b", "cb"]),
    (r"(?<!a)b", ["b", "cb"], ["ab"]),
    (r"\bfoo\b", ["foo", "a foo b", "éfoo"], ["foobar", "afoo"]),
    (r"^\B$", [""], ["a"]),
    (r"^\Boo|o\B", ["ox", "oo"], ["o", "x"]),
    (r"^\p{Lu}\P{L}\p{Script=Greek}$", ["A1α"], ["a1α"]),
    (r"^[\p{L}\d]+$", ["aé1"], ["a b"]),
    (r"^a{2,3}?b{,2}$", ["aab{,2}", "aaab{,2}"], ["aabb"]),
    (r"^{}]$", ["{}]"], []),
    (r"^(?:a|b)??c$", ["c", "ac"], ["abc"]),
    (r"^\$\^\\\(\)\[\]\{\}\|\*\+\?$", ["$^\\()[]{}|*+?"], []),
    (r"^#  x$", ["#  x"], ["x"]),
    (r"a||b", [""], []),
]


def accepts(pattern: str, text: str) -> bool:
    network = Network()
    network.root = declare(network, parse_search(pattern, 0, "ecma"))
    return Interpreter(network).accepts(text.encode())


@pytest.mark.parametrize(("pattern", "found", "not_found"), TABLE, ids=[row[0] for row in TABLE])
def test_table(pattern, found, not_found):
    assert [text for text in found if not accepts(pattern, text)] == []
    assert [text for text in not_found if accepts(pattern, text)] == []


JUDGE = """
const rows = JSON.parse(require("fs").readFileSync(0, "utf8"));
const judge = ([pattern, texts]) => {
  let expression;
  try { expression = new RegExp(pattern, "u"); } catch { expression = new RegExp(pattern); }
  return texts.map((text) => expression.test(text));
};
console.log(JSON.stringify(rows.map(judge)));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node, the judge of what ECMA-262 means")
def test_the_table_says_what_node_says():
    rows = [(pattern, [*found, *not_found]) for pattern, found, not_found in TABLE]
    answer = subprocess.run(
        ["node", "-e", JUDGE], input=json.dumps(rows), capture_output=True, text=True, check=True, timeout=60
    )
    wanted = [[True] * len(found) + [False] * len(not_found) for _, found, not_found in TABLE]
    for row, want, verdict in zip(rows, wanted, json.loads(answer.stdout), strict=True):
        assert verdict == want, row


@pytest.mark.parametrize(
    ("pattern", "error", "place"),
    [
        ("a(", PatternError, 1),
        ("*a", PatternError, 0),
        ("a++", PatternError, 2),
        ("a{2}{3}", PatternError, 4),
        ("[z-a]", PatternError, 1),
        ("[a", PatternError, 0),
        (r"ab\A", PatternError, 2),
        (r"ab\Z", PatternError, 2),
        (r"\x4", PatternError, 0),
        (r"\u{110000}", PatternError, 0),
        (r"\07", PatternError, 0),
        ("\\", PatternError, 0),
        (r"x\p{Nonsense}", PatternError, 1),
        ("(?P<a>b)", PatternError, 0),
        ("(?i)a", PatternError, 0),
        ("(?#c)", PatternError, 0),
        ("(?<>a)", PatternError, 0),
        (r"[a-b]x\d\.(", PatternError, 10),
        (r"(a)\1", UnsupportedFeature, "position 3"),
        (r"(?<n>a)\k<n>", UnsupportedFeature, "position 7"),
    ],
)
def test_errors_tell_the_place(pattern, error, place):
    with pytest.raises(GuidanceKitError) as caught:
        parse(pattern, 0, "ecma")
    assert type(caught.value) is error
    assert getattr(caught.value, "position", None) == place or getattr(caught.value, "where", None) == place


def test_dialects_are_named():
    with pytest.raises(OptionError, match="python"):
        parse("a", 0, "pyton")
    with pytest.raises(OptionError):
        parse("a", 2, "ecma")


def test_what_needs_no_escape_may_have_one():
    """As without the flag u: real schemas escape whatever is no letter or digit of ASCII."""
    assert accepts(r"^\_[\_\-]\@\é$", "__@é")
    assert not accepts(r"^\_$", "\\_")
    with pytest.raises(PatternError, match="bad escape"):
        parse_search(r"\a", 0, "ecma")
