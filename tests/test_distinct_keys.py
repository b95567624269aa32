"""No key of an object comes twice, however it is spelt; masks, budgets and counts agree, and there are no dead ends."""

from __future__ import annotations

import json
import random
from typing import Any

import jsonschema
import numpy as np
import pytest
from json_texts import judge, live_bytes
from marks import thinned

from guidance_kit.errors import UnsupportedFeature
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.fsm.duplicate_key_filter import DuplicateKeyFilter
from guidance_kit.fsm.mask_batch import fill_masks
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.token_index import TokenIndex
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.grammars.json_schema.objects import written_keys
from guidance_kit.grammars.json_schema.objects.written_keys import ObjectKeyTracker
from guidance_kit.vocabulary import Vocabulary

NUMBER = {"type": "integer"}
OPEN = {"type": "object", "additionalProperties": NUMBER}
NESTED = {"type": "object", "properties": {"ab": NUMBER}, "additionalProperties": {"anyOf": [NUMBER, OPEN]}}
PATTERNS = {
    "type": "object",
    "patternProperties": {"^(a|b.*)$": NUMBER, "^c": {"type": "string"}},
    "additionalProperties": False,
}
SCHEMAS = [
    OPEN,
    NESTED,
    {"anyOf": [{**OPEN, "properties": {"a": {}}}, {**OPEN, "properties": {"b": NUMBER}}]},
    {"type": "array", "items": OPEN},
]


@pytest.mark.parametrize("order", ["declared", "any"])
@pytest.mark.parametrize(
    ("schema", "accepted", "rejected"),
    [
        (
            OPEN,
            ["{}", '{"a":1,"b":2}', '{"ab":1,"a":2,"":3,"abc":4}', r'{"\\":1,"\"":2,"\\\"":3}'],
            ['{"a":1,"a":2}', r'{"a":1,"\u0061":2}', '{"":1,"b":1,"":1}', r'{"/":1,"\/":2}', r'{"é":1,"\u00E9":2}'],
        ),
        (
            OPEN,
            [r'{"😀":1,"\ud83D\uDE01":2}', r'{"\ud83d\ude00":1,"\\ud83d\\ude00":2}'],
            [r'{"😀":1,"\ud83D\uDE00":2}', '{"a":1,"b":2,"c":3,"b":4}', r'{"\n":1,"\u000a":2}'],
        ),
        (
            NESTED,
            ['{"x":{"x":1,"ab":1},"y":{"x":1}}', '{"ab":1,"x":{}}', '{"x":{"y":1},"y":2}'],
            ['{"x":{"y":1,"y":2}}', '{"x":{"y":1},"x":2}', '{"x":{"z":1,"y":2},"y":{"y":1,"z":2,"y":3}}'],
        ),
        (PATTERNS, ['{"a":1,"b":2,"ba":3,"ca":"x","cb":""}'], ['{"a":1,"a":2}', '{"ca":"","b":1,"ca":""}']),
        (
            {"type": "object", "minProperties": 3},
            ['{"a":1,"b":2,"c":3}', '{"a":1,"":2,"aa":3,"d":4}'],
            ['{"a":1,"b":2}', '{"a":1,"b":2,"a":3}'],
        ),
        (
            {"type": "object", "not": {"maxProperties": 1}, "properties": {"a": NUMBER}, "maxProperties": 2},
            ['{"a":1,"b":2}', '{"x":1,"y":2}'],
            ['{"a":1}', '{"x":1,"x":2}', '{"a":1,"b":2,"c":3}'],
        ),
        (
            {"type": "object", "propertyNames": {"pattern": "^[ab]$"}, "minProperties": 2},
            ['{"a":1,"b":2}', '{"b":1,"a":2}'],
            ['{"a":1}', '{"a":1,"a":2}'],
        ),
    ],
)
def test_texts(schema, accepted, rejected, order):
    judged = judge(schema, whitespace="compact", order=order)
    for text in accepted:
        assert judged.accepts(text), text
    for text in rejected:
        assert not judged.accepts(text), text


PIECES = [
    '{"a', '{"a":', '"a"', '"a":1', ',"a":', 'a":', 'a":1,"a', 'a":1,"a":2', ',"a":1,"a"', '":1,"', '","', '":', 'ab',
    '"ab', 'b":1', '{"a":1,"a":2}', '{"a":1,"b":2}', '},"a":', '},{"a":1', '\\u00', '61', '61":', '\\u0061":', '\\',
    'u0061', '""', '"":', ', "a"', '": 1, "', "\\u006", "1}", "{}", "a" * 300,
]  # fmt: skip


def vocabulary() -> Vocabulary:
    """All bytes, and pieces in which keys begin and end; two of them twice, and one that is very long."""
    texts = [*(bytes([byte]) for byte in range(256)), *(piece.encode() for piece in PIECES), b'a":', b'"a":1']
    return Vocabulary(token_bytes=(b"", *texts), special=frozenset({0}), eos=(0,), rows=len(texts) + 1)


def has_duplicate(text: bytes) -> bool:
    """Test whether a key comes twice in what is there of a JSON text, character by character."""
    objects: list[set[str] | None] = []
    is_key, place = False, 0
    while place < len(text):
        character = text[place : place + 1]
        place += 1
        if character in b"{[":
            objects.append(set() if character == b"{" else None)
            is_key = character == b"{"
        elif character in b"}]":
            objects.pop()
        elif character == b",":
            is_key = objects[-1] is not None
        elif character == b'"':
            begin = place - 1
            while text[place : place + 1] != b'"':
                if place >= len(text):
                    return False
                place += 2 if text[place : place + 1] == b"\\" else 1
            place += 1
            if place > len(text):
                return False
            if is_key:
                key = json.loads(text[begin:place])
                keys = objects[-1]
                assert keys is not None
                if key in keys:
                    return True
                keys.add(key)
            is_key = False
    return False


def likely(tokens: list[int], chance: random.Random) -> int:
    texts = vocabulary().token_bytes
    good = [t for t in tokens if len(texts[t]) > 1 or texts[t] in b'",{}:a1']
    return chance.choice(good if good and chance.random() < 0.97 else tokens)


@pytest.mark.parametrize("number", thinned(range(len(SCHEMAS)), 2))
def test_masks_are_those_without_a_look_at_keys_less_the_tokens_that_repeat_one(number):
    chance = random.Random(number)
    index = TokenIndex.build(json_schema(SCHEMAS[number]).network(), vocabulary())
    network = json_schema(SCHEMAS[number]).network()
    network.key_tracker = None
    loose, texts = Automaton(network), vocabulary().token_bytes
    forbidden = 0
    keys: dict[Any, bytes] = {}
    for _ in range(12):
        matcher, text = Matcher(index), b""
        for _ in range(14):
            allowed = matcher.allowed()
            path = loose.advance(loose.start, text)
            config = int(path[-1]) if text else loose.start
            can = [t for t in range(1, len(texts)) if len(loose.advance(config, texts[t])) == len(texts[t])]
            expected = [t for t in can if not has_duplicate(text + texts[t])]
            forbidden += len(can) - len(expected)
            found = matcher.allowed_tokens().tolist()
            assert found == [0] * loose.is_complete(config) + expected, text
            assert [matcher.can_advance(t) for t in can] == [t in expected for t in can]
            assert keys.setdefault(matcher.canonical_mask_key(), allowed.tobytes()) == allowed.tobytes()
            batch = np.empty((1, index.words), dtype=np.int32)
            fill_masks([matcher], batch)
            np.testing.assert_array_equal(batch[0], allowed)
            token = likely(found, chance)
            matcher.advance(token)
            if matcher.is_finished:
                break
            text += texts[token]
            if chance.random() < 0.1:
                matcher.rollback(1)
                text = text[: len(text) - len(texts[token])]
    assert forbidden > 20


def unique_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    assert len(dict(pairs)) == len(pairs), pairs
    return dict(pairs)


def written(matcher: Matcher, chance: random.Random) -> str:
    """A text of few different keys."""
    text = bytearray()
    while True:
        live = live_bytes(matcher)
        if matcher.is_complete and (not live or chance.random() < 0.1):
            return text.decode()
        assert live, f"a dead end after {bytes(text)!r}"
        structure = [byte for byte in live if byte in b'{}":,ab1'] or [byte for byte in live if byte in b"cd\\n"]
        byte = chance.choice(structure or live)
        text.append(byte)
        matcher.advance(byte)
        if len(text) == 90 and matcher.tokens_left is None:
            matcher = matcher.within(matcher.min_tokens_to_complete())


BOUNDED = [
    OPEN,
    NESTED,
    PATTERNS,
    {"type": "object", "minProperties": 3, "additionalProperties": NUMBER},
    {"type": "object", "propertyNames": {"maxLength": 1}, "additionalProperties": NUMBER},
    {"type": "object", "required": ["ab"], "properties": {"ab": NUMBER}, "additionalProperties": NUMBER},
    {"type": "object", "not": {"additionalProperties": {"type": "string"}}, "additionalProperties": NUMBER},
]


@pytest.mark.parametrize("number", range(len(BOUNDED)))
def test_texts_end_within_budgets_and_without(number):
    schema, chance = BOUNDED[number], random.Random(number)
    validator = jsonschema.Draft202012Validator(schema)
    most = 0
    for options in ({"whitespace": "compact"}, {"whitespace": "compact", "order": "any"}):
        index = json_schema(schema, **options).compile(Vocabulary.from_bytes())
        for turn in range(25):
            matcher = Matcher(index)
            if turn % 2:
                needed = matcher.min_tokens_to_complete()
                assert needed is not None
                matcher = matcher.within(needed + chance.randrange(30))
            value = json.loads(written(matcher, chance), object_pairs_hook=unique_pairs)
            assert validator.is_valid(value), value
            most = max(most, len(value))
    assert most > 1


def test_a_budget_given_within_a_key_that_has_to_be_prolonged():
    matcher = Matcher(json_schema(OPEN, whitespace="compact").compile(Vocabulary.from_bytes()))
    matcher.advance_bytes(b'{"":1,"a":2,"')
    assert matcher.min_tokens_to_complete() == 5  # one character, and ":0}
    assert ord('"') not in matcher.within(5).allowed_tokens()
    assert ord("a") not in matcher.within(5).allowed_tokens()
    assert ord("a") in matcher.within(6).allowed_tokens()
    matcher.advance_bytes(b"a")
    assert matcher.min_tokens_to_complete() == 5


def test_a_key_with_few_ways_to_go_on():
    matcher = Matcher(json_schema(PATTERNS, whitespace="compact", escapes="minimal").compile(vocabulary()))
    matcher.advance_bytes(b'{"a":1,"')
    assert ord("a") + 1 not in matcher.allowed_tokens()
    assert not matcher.can_advance(ord("a") + 1)
    assert matcher.can_advance(ord("b") + 1)


def test_a_vocabulary_with_few_characters():
    texts = [bytes([byte]) for byte in b'{}":,1a'] + [b'"a"', b'a":1']
    few = Vocabulary(token_bytes=(b"", *texts), special=frozenset({0}), eos=(0,), rows=len(texts) + 1)
    index, chance = json_schema(OPEN, whitespace="compact").compile(few), random.Random(0)
    for turn in range(30):
        matcher, text = Matcher(index), b""
        if turn % 2:
            matcher = matcher.within((matcher.min_tokens_to_complete() or 0) + chance.randrange(20))
        for _ in range(60):
            tokens = matcher.allowed_tokens().tolist()
            if not tokens:
                break
            token = chance.choice(tokens)
            matcher.advance(token)
            text += few.token_bytes[token]
            if matcher.is_finished:
                break
        assert turn % 2 == 0 or matcher.is_complete
        if matcher.is_complete:
            json.loads(text, object_pairs_hook=unique_pairs)


def test_there_are_no_budgets_where_several_keys_of_few_kinds_are_needed():
    schema = {"type": "object", "patternProperties": {"^a+$": {}}, "additionalProperties": False, "minProperties": 2}
    matcher = Matcher(json_schema(schema).compile(Vocabulary.from_bytes()))
    assert not matcher.can_be_bounded
    with pytest.raises(UnsupportedFeature, match="budget"):
        matcher.within(40)


def test_keys_of_which_there_are_enough_are_not_searched(monkeypatch):
    """The slow search, after all prefixes of old keys, finds the same masks."""
    schema = {"type": "object", "patternProperties": {"^[ab]+$": NUMBER, "^c": {}}, "additionalProperties": False}
    text = b'{"a":1,"ab":2,"ca":3,"a'
    vocabulary = Vocabulary.from_bytes()
    network = json_schema(schema, escapes="all").network
    fast, slow = (Matcher(TokenIndex.build(network(), vocabulary)) for _ in range(2))
    monkeypatch.setattr(
        DuplicateKeyFilter,
        "_prefixes_without_budget",
        property(lambda self: "any" if self is slow.index.names else "exhausted"),
    )
    for end in range(len(text)):
        assert fast.allowed().tolist() == slow.allowed().tolist(), text[:end]
        for matcher in (fast, slow):
            matcher.advance_bytes(text[end : end + 1])
    assert set(fast.allowed_tokens().tolist()) == set(slow.allowed_tokens().tolist()) == set(b"ab\\")


KEYS = ["a", "b", 'c"', "d\\", "e,", "f:", "é", "{"]
TEXTS = ["", 'a"', "\\", "b,", ":c", "{", '","a":', "}"]


def test_the_key_before_is_looked_for_once_while_tokens_are_tried(monkeypatch):
    """Each token with the key "k" of the text is tried; all of them end the key that begins in the text."""
    tokens = [b'":{"k":' + b"1" * count for count in range(20)]
    texts = [*(bytes([byte]) for byte in range(256)), *tokens]
    vocabulary = Vocabulary(token_bytes=(b"", *texts), special=frozenset({0}), eos=(0,), rows=len(texts) + 1)
    matcher = Matcher(json_schema(NESTED, whitespace="compact").compile(vocabulary))
    text = b'{"x":{"k":1},"'
    matcher.advance_bytes(text + b"y")
    openings = []
    before = written_keys._before
    monkeypatch.setattr(written_keys, "_before", lambda *args: openings.append(args[2]) or before(*args))
    mask = matcher.allowed()
    assert all(mask[token >> 5] >> (token & 31) & 1 for token in range(257, 277))
    assert openings.count(len(text) - 1) == 1
    assert len(openings) == 1 + len(tokens)  # and of the key within each of them


def test_keys_are_those_of_the_same_object():
    """A tracker that hears most keys of random documents, as it does not of declared ones, against their writer."""
    chance, compared = random.Random(7), 0

    def space() -> str:
        return chance.choice(["", "", " ", "\n\t"])

    def write(depth: int) -> None:
        nonlocal text, written, compared
        kind = chance.choice("tttna{{" if depth else "tn") if text else "{"
        if kind == "a":
            text += "["
            for number in range(chance.randrange(4)):
                text += "," + space() if number else space()
                write(depth - 1)
            text += space() + "]"
        elif kind == "{":
            text += "{"
            heard: list[str] = []
            for number, key in enumerate(chance.sample(KEYS, chance.randrange(6))):
                text += space() + ("," if number else "") + space() + json.dumps(key)
                if chance.random() < 0.7:
                    written = tracker.enter(written, text.encode())
                    assert written is not None
                    heard.insert(0, key)
                    assert [one.key for one in written.of_object()] == heard
                    compared += 1
                text += space() + ":" + space()
                write(depth - 1)
            text += space() + "}"
        else:
            text += json.dumps(chance.choice(TEXTS)) if kind == "t" else chance.choice(["-1.5e3", "null", "0"])

    for _ in range(200):
        tracker, written, text = ObjectKeyTracker(), None, ""
        write(5)
        json.loads(text)
    assert compared > 500
