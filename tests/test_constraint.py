"""Constraints as values, and what they compile to: masks, bit for bit."""

from __future__ import annotations

import random
import re
import subprocess
import sys

import numpy as np
import pytest
from oracles import Interpreter

from guidance_kit.errors import LimitError, OptionError, PatternError, UnsatisfiableError, UnspellableError
from guidance_kit.fsm import bitmask
from guidance_kit.fsm.limits import Limits
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.grammars.choice import choice
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.regex import regex
from guidance_kit.vocabulary import Vocabulary


def small_vocabulary(extra: list[str], *, bytes_of: str | None = None) -> Vocabulary:
    """Single bytes (all, or those of `bytes_of`), `extra`, one end-of-sequence token, and two rows beyond."""
    singles = range(256) if bytes_of is None else sorted(set(bytes_of.encode()))
    tokens = [bytes([byte]) for byte in singles] + [text.encode() for text in extra]
    return Vocabulary(
        token_bytes=(*tokens, b""), special=frozenset([len(tokens)]), eos=(len(tokens),), rows=len(tokens) + 3
    )


TOKENS = [
    "ab",
    "abc",
    "  ",
    "12",
    "é",
    "éé",
    "\n\n",
    "foo",
    "bar",
    "foobar",
    "Foo",
    "a1",
    " a",
    "-",
    "…",
    "日本",
    "true",
    "false",
]
PATTERNS = [
    r"\w+", r"[a-z]{2,4}", r"(foo|bar)+", r"(?=.*\d)\w{3,}", r"(?!.*foo)[a-z]*", r"\bfoo\b.*", r".*(?<!b)",
    r"\d{1,1000}",
    r"(?:ab){20,30}c", r"(?i)foo\s*", r"é+|日本…", r"(?s).*", r"[^\W\d]+(?:-[^\W\d]+)*", r"(?:a(?=b)|b)*", "true|false",
]  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
def test_masks_bit_for_bit(pattern):
    """Every token of the vocabulary, along random texts, against the interpreter of the network."""
    vocabulary = small_vocabulary(TOKENS)
    constraint = regex(pattern)
    interpreter = Interpreter(constraint.network())
    rng = random.Random(len(pattern))
    for _ in range(4):
        matcher, items = Matcher(constraint.compile(vocabulary)), interpreter.start
        for _ in range(8):
            wanted = np.zeros(vocabulary.rows, dtype=bool)
            following = {}
            for token, text in enumerate(vocabulary.token_bytes):
                reached = items
                for byte in text:
                    reached = interpreter.step(reached, byte) if reached else reached
                if text and reached:
                    wanted[token] = True
                    following[token] = reached
            wanted[list(vocabulary.eos)] = None in items
            assert np.array_equal(bitmask.unpack(matcher.allowed()[None], vocabulary.rows)[0], wanted)
            assert wanted.any()
            if not following:
                break
            token = rng.choice([*following][-6:] if rng.random() < 0.7 else [*following])
            matcher.advance(token)
            items = following[token]


def test_a_vocabulary_that_cannot_spell_everything():
    """Lazily built rules are restricted as the others are."""
    vocabulary = small_vocabulary(["ab"], bytes_of="ab1")
    index = regex(r"(?!.*aa)(?=.*[a\d])(?:[a-c]|é|\d)*").compile(vocabulary)
    matcher = Matcher(index)
    seen = set()
    rng = random.Random(1)
    for _ in range(200):
        allowed = np.flatnonzero(bitmask.unpack(matcher.allowed()[None], vocabulary.rows)[0])
        assert len(allowed)
        token = int(rng.choice(allowed))
        seen.add(token)
        if token in vocabulary.eos:
            matcher = Matcher(index)
        else:
            matcher.advance(token)
    assert seen == {0, 1, 2, 3, 4}
    with pytest.raises(UnspellableError):
        regex("é+").compile(vocabulary)
    with pytest.raises(UnspellableError):
        choice(["xyz", "z"]).compile(vocabulary)
    assert Matcher(choice(["xyz", "ab"]).compile(vocabulary)).forced_text() == b"ab"


@pytest.mark.parametrize(
    ("constraint", "named"),
    [
        (choice(["é", "ü"]), "éü"),
        (regex("[é-ü]"), "éêë"),  # of a range the first three
        (regex("(ab)*[äöü]+x"), "abxäöü"),
        (regex("[\U0001f600\U0001f6fc]"), "\U0001f600\U0001f6fc"),
        (regex(r"(?a:(?![a-c])\w)"), "012ABC_def"),
    ],
    ids=lambda value: value.source if isinstance(value, Constraint) else "",
)
def test_missing_characters_are_named_however_they_are_written(constraint, named):
    with pytest.raises(UnspellableError) as caught:
        constraint.compile(small_vocabulary(["ab", "cé"], bytes_of=""))
    assert caught.value.characters == tuple(named)


@pytest.mark.parametrize("pattern", [r"\d", ".", r"[^\x00-\x7f]+"])
def test_of_many_missing_characters_some_are_named(pattern):
    with pytest.raises(UnspellableError, match="and others") as caught:
        regex(pattern).compile(small_vocabulary(["ab", "cé"], bytes_of=""))
    assert len(caught.value.characters) < 30
    assert all(re.fullmatch(pattern, character) for character in caught.value.characters)


def test_equality():
    assert regex(r"\d+") == regex(r"\d+") == regex(re.compile(r"\d+"))
    assert hash(regex(r"\d+")) == hash(regex(r"\d+"))
    assert regex("a") != regex("a", re.IGNORECASE) == regex(re.compile("a", re.IGNORECASE))
    assert regex("a") != regex("b") != choice(["b"])
    assert choice(["a", "b", "a"]) == choice(["a", "b"]) != choice(["b", "a"])
    assert regex("a").parse("a") == "a"
    assert not regex("a").has_values


def test_compiled_once():
    vocabulary = small_vocabulary(TOKENS)
    assert regex("a+b").compile(vocabulary) is regex("a+b").compile(vocabulary)
    assert regex("a+b").compile(vocabulary) is not regex("a+c").compile(vocabulary)
    assert regex("a+b").compile(vocabulary) is not regex("a+b").compile(small_vocabulary(TOKENS[1:]))
    limits = Limits(max_items=100)
    assert regex("a+b").compile(vocabulary, limits=limits) is regex("a+b").compile(vocabulary, limits=limits)
    assert regex("a+b").network() is not regex("a+b").network()


def test_limits_are_parameters():
    vocabulary = Vocabulary.from_bytes()
    assert regex("(?:abc|def|ghi)+x").compile(vocabulary).mask(1).any()
    with pytest.raises(LimitError, match=r"max_states=5 reached.*Limits\(max_states=\.\.\.\)"):
        regex("(?:abc|def|ghi)+x").compile(vocabulary, limits=Limits(max_states=5)).mask(1)


def test_bad_input_is_told_at_once():
    with pytest.raises(PatternError) as caught:
        regex("a(b")
    assert caught.value.position == 1
    with pytest.raises(UnsatisfiableError):
        regex("a(?!.*)")
    with pytest.raises(UnsatisfiableError):
        choice([])
    with pytest.raises(OptionError):
        regex("a", re.DEBUG)
    with pytest.raises(OptionError):
        regex(re.compile(b"a"))


def test_a_constraint_needs_neither_numba_nor_torch():
    code = (
        "import sys, guidance_kit as gk; gk.choice([gk.regex('(?=a).+'), 'a']); gk.tags([gk.tag('<a>', None, '<b>')]);"
        "print([name for name in ('numba', 'torch', 'pydantic', 'jsonschema', 'transformers') if name in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_constraint_is_a_plain_value():
    constraint = regex("a", re.IGNORECASE)
    assert isinstance(constraint, Constraint)
    assert repr(constraint).startswith("Constraint(kind='regex', source='a', options=(('flags', 2),)")
    with pytest.raises(AttributeError):
        constraint.source = "b"
