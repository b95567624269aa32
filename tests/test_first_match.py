"""Which texts a terminal takes: as `re.match`, whole, and what must not follow them."""

from __future__ import annotations

import random
import re
import warnings
from itertools import product

import pytest
from marks import slow
from patterns import random_pattern

from guidance_kit.errors import LimitError, UnsupportedFeature
from guidance_kit.grammars.context_free.first_match import longest_texts, texts_of_all_lengths
from guidance_kit.grammars.context_free.lexeme import Lexeme

# A pattern, texts that it takes, texts that it does not take whole.
TABLE = [
    ("a|ab", ["a"], ["ab"]),
    ("ab|a", ["a", "ab"], ["b"]),
    ('".*?"', ['""', '"a"'], ['"a"b"', '"']),
    (r'".*?(?<!\\)(\\\\)*?"', [r'"a\"b"', r'"\\"', '""'], [r'"\"', '"a""']),
    (r"/\*(.|\n)*?\*/", ["/**/", "/* \n */"], ["/**/*/"]),
    ("(?:a|ab)(?:c|bcd)?", ["ac", "abcd", "a"], ["abc"]),
    ("(?:|a)+b?", ["", "b"], ["a", "ab"]),
    ("(?:a?b?)*?c", ["c", "abac"], ["cc"]),
    ("(?i:if)", ["if", "IF"], ["i"]),
    ("a{2,3}?", ["aa"], ["aaa"]),
    (r"[a-z]+(?<!b)", ["a", "abc"], ["ab"]),
    (r"\w+\b", ["ab"], [""]),
    (r"(?!if|do)[a-z]+", ["of", "in", "i", "d"], ["if", "iff", "done"]),
    (r"a\bb|c", ["c"], ["ab"]),
    (r"(?m:a$)", ["a"], ["a\n"]),
    (r"a(?=b\b)b[.]", ["ab."], ["ab", "abb"]),
]


@pytest.mark.parametrize(("pattern", "taken", "others"), TABLE, ids=[row[0] for row in TABLE])
def test_table(pattern, taken, others):
    lexeme = texts_of_all_lengths(pattern)
    assert [text for text in taken if not lexeme.accepts(text)] == []
    assert [text for text in others if lexeme.accepts(text)] == []
    assert [text for text in taken if re.match(pattern, text).end() != len(text)] == []


# Where a text of a pattern ends, what must not follow.
FOLLOWING = [
    (texts_of_all_lengths, "[+*]|[?](?![a-z])", "?", "az", "+A?"),
    (texts_of_all_lengths, "[+*]|[?](?![a-z])", "+", "", "az"),
    (texts_of_all_lengths, r'"(?!"").*?"', '""', '"', "a "),
    (texts_of_all_lengths, "0(?:_?0)*(?![1-9])", "00", "19", "0_a"),
    (texts_of_all_lengths, "a+", "aa", "", "ab"),
    (longest_texts, "a+", "aa", "a", "b"),
    (longest_texts, "#[^\n]*", "#a", "ab#", "\n"),
    (longest_texts, "a|b", "a", "", "ab"),
    (longest_texts, "a+?", "a", "", "ab"),
    (longest_texts, "(?:\r?\n)+", "\n", "\n", "\ra"),
    (longest_texts, "(?m:#.*$)", "#a", "a", "\n"),
    (longest_texts, r"(?!(?:if|else)\b)[a-z]\w*", "iff", "a_1", "- "),
    (longest_texts, r"(?!(?:if|else)\b)[a-z]\w*", "els", "a_e", "- "),
    (longest_texts, r"select\b", "select", "a1_", " ,"),
]


@pytest.mark.parametrize(("texts_of", "pattern", "text", "never", "others"), FOLLOWING)
def test_what_must_not_follow(texts_of, pattern, text, never, others):
    lexeme = texts_of(pattern)
    state = 0
    for character in text:
        state = lexeme.after(state, ord(character))
    forbidden = lexeme.endings[state]
    assert all(ord(character) in forbidden for character in never)
    assert not any(ord(character) in forbidden for character in others)


def test_words_but_some():
    lexeme = longest_texts(r"(?!(?:if|else)\b)[a-z]\w*")
    assert [word for word in ["i", "iff", "els", "elsewhere", "of"] if not lexeme.accepts(word)] == []
    assert [word for word in ["if", "else", "", "1"] if lexeme.accepts(word)] == []


REFUSED = [
    (r"^a", "looks before"),
    (r"\ba", "looks before"),
    (r"(?<=x)a", "looks before"),
    (r"a(?=b)", "wants something to follow"),
    (r"a(?!bc)", "more than a character"),
    (r"a$", "more than a character"),
    (r"(?!if\b)[a-z]+", "more than a character"),
    (r"(?:(?!aab)a+)|aabx", "more than a character"),
    (r"(?!a\bb)[a-z]+", "a condition of more than a character within"),
    (r"(?!else)[a-z]+", "more than a character"),
    (r"a(?<=a\Z)", "a lookahead within a lookbehind"),
    (r"(a)\1", "groupref"),
    (r"(?>a|ab)", "atomic group"),
]


@pytest.mark.parametrize(("pattern", "message"), REFUSED)
def test_refused_by_name(pattern, message):
    with pytest.raises(UnsupportedFeature, match=message) as caught:
        texts_of_all_lengths(pattern)
    assert pattern in str(caught.value) or repr(pattern) in str(caught.value)


@pytest.mark.slow
def test_limits():
    with pytest.raises(LimitError, match="max_places"):
        texts_of_all_lengths("a{60000}")
    with pytest.raises(LimitError, match="max_product_states"):
        texts_of_all_lengths("(?:a|b)*a(?:a|b){14}")


def disagreements(pattern: str, lexeme: Lexeme, most: int = 3) -> list[str]:
    """Short texts about which the automaton and `re` differ."""
    compiled = re.compile(pattern)
    texts = ("".join(letters) for size in range(most + 1) for letters in product("ab1 \n", repeat=size))
    found = []
    for text in texts:
        match = compiled.match(text)
        if lexeme.accepts(text) != (match is not None and match.end() == len(text)):
            found.append(text)
    return found


def check_random_patterns(seeds: range) -> None:
    tried = 0
    for seed in seeds:
        pattern = random_pattern(random.Random(seed), conditions=(0, 0, 0.25)[seed % 3], depth=2 + (seed % 10 == 0))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                lexeme = texts_of_all_lengths(pattern)
                assert disagreements(pattern, lexeme) == [], (seed, pattern)
        except (UnsupportedFeature, LimitError):
            continue
        tried += 1
    assert tried > 0.7 * len(seeds)


@pytest.mark.parametrize("count", [40, *slow(300)])
def test_random_patterns_as_re(count):
    check_random_patterns(range(count))


@pytest.mark.slow
def test_many_random_patterns_as_re():
    check_random_patterns(range(1000, 2000))
