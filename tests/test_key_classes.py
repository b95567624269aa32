"""Classes of keys against enumeration by `re`, and the automata that are made for them."""

from __future__ import annotations

import random
import re
from itertools import product

import pytest
from marks import thinned

from guidance_kit.errors import UnsupportedFeature
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.grammars.json_schema.objects import key_classes as classes_of_keys
from guidance_kit.grammars.json_schema.objects.key_classes import key_classes
from guidance_kit.grammars.json_schema.strings import languages
from guidance_kit.grammars.json_schema.strings.languages import none_of, pattern_expression
from guidance_kit.grammars.regular import is_member, parse_search
from guidance_kit.grammars.regular.complements import complement
from guidance_kit.grammars.regular.derivative import Derivatives
from guidance_kit.grammars.regular.expression import ANYTHING, intersect
from guidance_kit.vocabulary import Vocabulary

KEYS = ["".join(letters) for size in range(4) for letters in product("abx", repeat=size)]
PATTERNS = [
    "^a", "b$", "^[ab]{1,2}$", "^(a|b|ab)$", "^x", "^x$", "^xa*$", "a", "^$", "^[^a]*$", "(?=.*a)(?=.*b)", "^.{2,3}$",
    "^(?!a)", "^(a|b.*)$", "",
]  # fmt: skip


@pytest.mark.parametrize("is_joint", [True, False])
@pytest.mark.parametrize("seed", thinned(range(60), 6))
def test_classes_partition_the_undeclared_keys(monkeypatch, seed, is_joint):
    """Each class is a set of patterns; all keys of up to three letters tell which there must be."""
    if not is_joint:
        monkeypatch.setattr(classes_of_keys, "joint_automaton", lambda *_: None)
    chance = random.Random(seed)
    patterns = tuple(chance.sample(PATTERNS, chance.randrange(1, 5)))
    limit = chance.choice([None, "^[abx]{0,3}$", "^a?b?$"])
    allowed = ANYTHING if limit is None else parse_search(limit, dialect="ecma")
    declared = chance.sample(KEYS, chance.choice([0, 3, 30, len(KEYS)]))
    classes = key_classes(allowed, patterns, declared)
    found = {frozenset(one.patterns): one.keys for one in classes}
    assert len(found) == len(classes)
    expected: dict[frozenset[str], set[str]] = {}
    for key in set(KEYS).difference(declared):
        if limit is None or re.search(limit, key):
            signature = frozenset(pattern for pattern in patterns if re.search(pattern, key))
            expected.setdefault(signature, set()).add(key)
    for signature, keys in found.items():
        assert {key for key in KEYS if is_member(key, keys)} == expected.get(signature, set())
    assert set(expected) <= set(found)
    if limit is not None:  # then there are no other keys
        assert set(expected) == set(found)
        assert all(one.least <= len(expected[frozenset(one.patterns)]) for one in classes)


@pytest.mark.parametrize("is_joint", [True, False])
def test_too_many_classes_are_refused(monkeypatch, is_joint):
    if not is_joint:
        monkeypatch.setattr(classes_of_keys, "joint_automaton", lambda *_: None)
    monkeypatch.setattr(classes_of_keys, "MAX_KEY_CLASSES", 4)
    assert len(key_classes(ANYTHING, ("a", "b"), ())) == 4
    # The third pattern has what the first two have: there are five classes until the empty ones are dropped.
    assert len(key_classes(ANYTHING, ("^a$", "^b$", "^(a|b)$", r"^[^ab]|[\s\S]{2}|^$"), ())) == 3
    with pytest.raises(UnsupportedFeature, match="overlapping patterns"):
        key_classes(ANYTHING, ("a", "b", "c"), ())


@pytest.mark.parametrize("count", [0, 10, 200])
def test_one_automaton_a_pattern_is_made_before_the_first_mask(monkeypatch, count):
    """And one of the keys that no pattern matches; none for any of the declared names."""
    made = []
    make = Derivatives.__init__

    def counting(self, expression):
        made.append(expression)
        make(self, expression)

    patterns = [f"^(x|key{count})_(aa|bb)+$", f"^y{count}-", f"^z{count}(a|b)*c"]
    names = [f"name_{number}" for number in range(count)]
    schema = {
        "type": "object",
        "properties": {name: {} for name in [*names, "x_aa"]},
        "patternProperties": {pattern: {"type": "integer"} for pattern in patterns},
    }
    constraint = json_schema(schema)
    monkeypatch.setattr(Derivatives, "__init__", counting)
    assert ord("{") in Matcher(constraint.compile(Vocabulary.from_bytes())).allowed_tokens()
    assert len(made) == len(patterns) + 1


def test_a_class_is_written_by_the_patterns_that_tell_it_from_others():
    """All keys of letters are words."""
    patterns = (r"^\w*$", "^[a-z]*$", "a", "^[0-9]")
    found = {one.patterns: one.keys for one in key_classes(ANYTHING, patterns, ())}
    assert len(found) == 10
    words, letters, with_a, numbered = map(pattern_expression, patterns)
    assert str(found[patterns[:3]]) == str(intersect(letters, with_a))
    assert str(found[patterns[0], patterns[3]]) == str(intersect(words, numbered, complement(with_a)))


@pytest.mark.parametrize(("size", "searches"), [(3, 0), (33, 2)])
def test_classes_of_short_keys_are_counted_without_a_search(monkeypatch, size, searches):
    """A class of two keys has another one beside the declared one, and none beside both."""
    made = []
    make = classes_of_keys.LanguageAutomaton

    def counting(language):
        made.append(language)
        return make(language)

    monkeypatch.setattr(classes_of_keys, "LanguageAutomaton", counting)
    pattern = f"^a(a{{{size - 1}}}|b{{{size - 1}}})$"
    keys = ["a" * size, "a" + "b" * (size - 1)]
    one, both = (key_classes(ANYTHING, (pattern, "^a"), keys[:count]) for count in (1, 2))
    assert [is_member(keys[1], found.keys) for found in one if pattern in found.patterns] == [True]
    assert len(one) == 3
    assert not any(pattern in found.patterns for found in both)
    assert len(made) == searches


def test_classes_are_known_to_have_keys_without_a_search(monkeypatch):
    """Of endlessly many keys some are left, and short ones are listed."""
    monkeypatch.setattr(classes_of_keys, "LanguageAutomaton", None)
    classes = key_classes(ANYTHING, ("^(a|b)$", "^x-"), ("a", "x-1", "other"))
    assert {one.patterns: one.language.most >= 0 for one in classes} == {(): False, ("^(a|b)$",): True, ("^x-",): False}
    names = parse_search("^(a|b|cc)$", dialect="ecma")
    assert [one.keys is names for one in key_classes(names, (), ())] == [True]
    assert [is_member("cc", one.keys) for one in key_classes(names, (), ("a", "b"))] == [True]
    assert key_classes(names, (), ("a", "b", "cc")) == []


@pytest.mark.parametrize(("additional", "written"), [(False, []), ({"type": "integer"}, [("a1", "a2")])])
def test_keys_without_values_are_not_written(monkeypatch, additional, written):
    texts = []

    def noting(taken):
        texts.append(taken)
        return none_of(taken)

    monkeypatch.setattr(classes_of_keys, "none_of", noting)
    schema = {
        "type": "object",
        "properties": {"a1": {}, "a2": {}},
        "patternProperties": {"^x-": {"type": "integer"}},
        "additionalProperties": additional,
    }
    Matcher(json_schema(schema).compile(Vocabulary.from_bytes())).advance(ord("{"))
    assert texts == written


@pytest.mark.parametrize("pattern", PATTERNS)
def test_keys_of_a_pattern_are_those_of_its_derivatives(pattern):
    expression = pattern_expression(pattern)
    for key in [*KEYS, "\ud800", "a\ud800", "\U0001f600"]:
        assert languages.is_member(key, expression) == is_member(key, expression)
