"""Key sets: objects whose keys come in any order, and arrays of different strings, beside the same without key sets."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from marks import slow

from guidance_kit import Indent
from guidance_kit.errors import GuidanceKitError
from guidance_kit.fsm import bitmask
from guidance_kit.fsm.kernels.columns import CONFIG
from guidance_kit.fsm.key_set import KeySet
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.network import Network
from guidance_kit.fsm.token_index import TokenIndex
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.vocabulary import Vocabulary

KEYS = ["", "a", "ab", "abc", "b", "ba", "é", '"', "\\", "\U0001f600", "a\n", "A", "/", "bb"]
"""Keys that begin others, and keys with escapes."""

PIECES = [
    "ab",
    '"a',
    'a"',
    '":',
    '": 1',
    '","',
    '", "',
    '{"',
    '1, "',
    '"}',
    'a":',
    "\\u00",
    "61",
    "}}",
    '1, "a',
    "true",
]
VOCABULARY = Vocabulary(
    token_bytes=tuple([bytes([byte]) for byte in range(256)] + [piece.encode() for piece in PIECES] + [b""]),
    special=frozenset({256 + len(PIECES)}),
    eos=(256 + len(PIECES),),
    rows=257 + len(PIECES),
)


def drawn_value(chance: random.Random, depth: int) -> Any:
    kind = chance.randrange(7) if depth else 0
    if kind < 3:
        return chance.choice([{"type": "integer"}, {"enum": ["a", "ab", 1]}, {"type": "boolean"}, {"const": "x"}])
    if kind == 3 and chance.random() < 0.5:
        return drawn_selection(chance)
    if kind == 3:
        return {"type": "array", "items": drawn_value(chance, depth - 1), "maxItems": 2}
    if kind == 4:
        return {"anyOf": [drawn_object(chance, depth - 1), drawn_object(chance, depth - 1)]}
    return drawn_object(chance, depth - 1)


def drawn_selection(chance: random.Random) -> dict[str, Any]:
    """Array of different strings of a list."""
    schema = {"type": "array", "items": {"enum": chance.sample(KEYS, chance.randrange(1, 7))}, "uniqueItems": True}
    bounds = chance.choice([{}, {"minItems": 1}, {"maxItems": 6}, {"minItems": 2}, {"maxItems": 2}])
    return {**schema, **bounds}


def drawn_object(chance: random.Random, depth: int) -> dict[str, Any]:
    keys = chance.sample(KEYS, chance.randrange(6))
    schema: dict[str, Any] = {"type": "object", "properties": {key: drawn_value(chance, depth) for key in keys}}
    schema["required"] = chance.sample(keys, chance.randrange(len(keys) + 1)) + ["z"] * (chance.random() < 0.2)
    if chance.random() < 0.6:
        schema["additionalProperties"] = chance.choice([False, False, {"type": "integer"}])
    if chance.random() < 0.15:
        schema["patternProperties"] = {"^[ab]{3}$": {"type": "integer"}}
    return schema


def without_key_sets(network: Network) -> Network:
    """The same network, whose keyed rules are to be written plainly."""

    def keyed(build: Callable[[], int], keys: KeySet, *, name: str = "") -> int:
        return network.rule(keys.write_plainly, nullable=False, name=name)

    network.keyed = keyed  # pyright: ignore
    return network


def indexes(schema: Any, vocabulary: Vocabulary, **options: Any) -> tuple[TokenIndex, TokenIndex]:
    """Indexes with key sets and without."""
    constraint = json_schema(schema, order="any", **options)
    plain = without_key_sets(constraint.network())
    return TokenIndex.build(constraint.network(), vocabulary), TokenIndex.build(plain, vocabulary)


def drawn(seed: int) -> tuple[random.Random, Any, dict[str, Any]]:
    chance = random.Random(seed)
    schema = drawn_object(chance, 2)
    layout = chance.choice(["compact", "json", "flexible", "any", Indent(2)])
    return chance, schema, {"whitespace": layout, "escapes": chance.choice(["minimal", "all", "ascii"])}


def compare(matchers: list[Matcher], chance: random.Random, steps: int) -> int:
    """Walk at random with both matchers, comparing masks; return their number."""
    for step in range(steps):
        mask, other = (matcher.allowed() for matcher in matchers)
        assert np.array_equal(mask, other)
        tokens = bitmask.tokens_of(mask).tolist()
        if not tokens or (token := chance.choice(tokens[-8:] if chance.random() < 0.3 else tokens)) in VOCABULARY.eos:
            return step + 1
        for matcher in matchers:
            matcher.advance(token)
    return steps


@pytest.mark.parametrize("count", [30, *slow(1500)])
def test_masks_are_those_without_key_sets(count):
    masks = keyed = 0
    for seed in range(count):
        chance, schema, options = drawn(seed)
        try:
            both = indexes(schema, VOCABULARY, **options)
        except GuidanceKitError:
            continue
        masks += sum(compare([*map(Matcher, both)], chance, 50) for _ in range(3))
        keyed += bool(both[0].automaton.network.keyed_starts)
    assert masks > 60 * count
    assert keyed > count // 2


@pytest.mark.parametrize("count", [20, *slow(400)])
def test_byte_budgets_are_those_without_key_sets(count):
    """Tokens of one byte: budgets count least lengths, which do not depend on how a network is written."""
    vocabulary, masks = Vocabulary.from_bytes(eos=len(VOCABULARY.token_bytes) - 1), 0
    for seed in range(count):
        chance, schema, options = drawn(seed)
        try:
            both = indexes(schema, vocabulary, **options)
            fewest = [Matcher(index).min_tokens_to_complete() for index in both]
        except GuidanceKitError:
            continue
        assert fewest[0] is not None
        assert fewest[0] == fewest[1], schema
        for extra in (0, chance.randrange(1, 12)):
            masks += compare([Matcher(index).within(fewest[0] + extra) for index in both], chance, 80)
    assert masks > 20 * count


def test_budgets_end_texts_in_time():
    for seed in range(40):
        chance, schema, options = drawn(seed)
        try:
            index = TokenIndex.build(json_schema(schema, order="any", **options).network(), VOCABULARY)
        except GuidanceKitError:
            continue
        fewest = Matcher(index).min_tokens_to_complete()
        assert fewest is not None
        matcher = Matcher(index).within(fewest + 3)
        while not matcher.is_complete or chance.random() < 0.3:
            tokens = [token for token in matcher.allowed_tokens() if token not in VOCABULARY.eos]
            if not tokens:
                break
            matcher.advance(int(chance.choice(tokens)))
        assert matcher.is_complete, schema


def test_vocabularies_without_some_bytes():
    """A required key that cannot be spelled leaves no text, an optional one cannot be written."""
    vocabulary = Vocabulary(
        token_bytes=tuple([bytes([byte]) for byte in b'{}":,ab1 '] + [b""]), special=frozenset({9}), eos=(9,), rows=10
    )
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {key: {"const": 1} for key in ("a", "b", "c")},
        "required": ["b"],
        "additionalProperties": False,
    }
    index = TokenIndex.build(json_schema(schema, order="any", whitespace="compact").network(), vocabulary)
    matcher = Matcher(index)
    for byte in b'{"a":1,"b":1':
        matcher.advance(vocabulary.token_bytes.index(bytes([byte])))
    assert [vocabulary.token_bytes[token] for token in matcher.allowed_tokens()] == [b"}"]
    schema["required"] = ["c"]
    with pytest.raises(GuidanceKitError):
        TokenIndex.build(json_schema(schema, order="any", whitespace="compact").network(), vocabulary)


def many_keys(count: int) -> tuple[dict[str, Any], bytes]:
    """Schema with many required keys, and a text with them in another order."""
    chance = random.Random(count)
    keys = [f"{chance.choice(['name', 'size', 'unit'])}_{number}" for number in range(count)]
    schema = {
        "type": "object",
        "properties": {key: {"type": "integer"} for key in keys},
        "required": keys,
        "additionalProperties": False,
    }
    chance.shuffle(keys)
    return schema, json.dumps(dict.fromkeys(keys, 7), separators=(",", ":")).encode()


@pytest.mark.parametrize("count", [5, 64, 65, 400])
def test_no_rules_are_written_after_the_first_property(count):
    schema, text = many_keys(count)
    index = TokenIndex.build(
        json_schema(schema, order="any", whitespace="compact", escapes="minimal").network(), VOCABULARY
    )
    automaton = index.automaton
    first = text.index(b",") + 1
    path = automaton.advance(automaton.start, text[:first])
    before = automaton.statistics()
    rest = automaton.advance(int(path[-1]), text[first:])
    assert len(rest) == len(text) - first
    assert automaton.is_complete(int(rest[-1]))
    after = automaton.statistics()
    assert after["rules"] == before["rules"]
    assert after["states"] - before["states"] <= 3 * count  # the colons of keys
    assert after["states"] < 40 * count + 200
    configurations = automaton.arena.configs[rest]
    items = configurations[:, CONFIG.end] - configurations[:, CONFIG.first]
    assert items.max() <= 11  # ten digits, and the end of a key


def test_keys_beyond_one_word_come_once():
    schema, text = many_keys(200)
    index = TokenIndex.build(json_schema(schema, order="any", whitespace="compact").network(), VOCABULARY)
    automaton = index.automaton
    begun = b"{"
    parts = text[1:-1].split(b",")
    for part in parts:
        begun += part
        assert len(automaton.advance(automaton.start, begun)) == len(begun)
        is_last = part == parts[-1]
        assert len(automaton.advance(automaton.start, begun + b"}")) == len(begun) + is_last
        again = begun + b"," + part.split(b":")[0]
        assert len(automaton.advance(automaton.start, again)) < len(again)
        begun += b","


def test_budget_of_many_keys():
    """The shortest text has each key once, whatever their order."""
    schema, text = many_keys(120)
    constraint = json_schema(schema, order="any", whitespace="compact")
    matcher = Matcher(TokenIndex.build(constraint.network(), Vocabulary.from_bytes()))
    assert matcher.min_tokens_to_complete() == len(text)
    matcher = matcher.within(len(text))
    for byte in text:
        matcher.advance(byte)
    assert matcher.is_complete


def test_selections_need_no_rules_for_sets() -> None:
    """300 different strings: the work does not grow with those that have been written."""
    texts = [f"feature {number}" for number in range(300)]
    schema = {"type": "array", "items": {"enum": texts}, "uniqueItems": True}
    index, _ = indexes(schema, Vocabulary.from_bytes())
    matcher = Matcher(index)
    rules = []
    for text in ["[" + ", ".join(f'"{text}"' for text in texts[:10]), ", " + ", ".join(map(json.dumps, texts[10:250]))]:
        matcher.advance_bytes(text.encode())
        matcher.allowed()
        rules.append(index.automaton.statistics()["rules"])
    assert rules[0] == rules[1]
