"""Items that must differ and are too many to list: comparison while they are written, exact masks, bounded work."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import product
from typing import Any

import jsonschema
import numpy as np
import pytest
from json_texts import judge
from marks import slow

import guidance_kit as gk
from guidance_kit.errors import LimitError, MatchError
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.token_index import TokenIndex
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.grammars.json_schema.arrays import distinct_plan
from guidance_kit.grammars.json_schema.arrays.equal_items import OLD, Decimal, ItemComparison, value_of
from guidance_kit.grammars.json_schema.arrays.written_items import ArrayItemTracker
from guidance_kit.vocabulary import Vocabulary


def unique(items: Any, **others: Any) -> dict[str, Any]:
    return {"type": "array", "uniqueItems": True, "items": items, **others}


# ItemComparison -------------------------------------------------------------------------------------------------------

STRINGS = ["", "a", "ab", "é", "\U0001f600", '"', "\\", "a/b", "\n"]
NUMBERS = [0, 1, 10, 12, -1, 1.5, 100, 0.1, 1200]


def drawn(chance: random.Random, depth: int = 2) -> Any:
    kind = chance.randrange(8 if depth else 6)
    if kind == 0:
        return chance.choice([None, True, False])
    if kind < 3:
        return chance.choice(NUMBERS)
    if kind < 6:
        return chance.choice(STRINGS)
    if kind == 6:
        return [drawn(chance, depth - 1) for _ in range(chance.randrange(3))]
    return {chance.choice(["a", "b", "ab"]): drawn(chance, depth - 1) for _ in range(chance.randrange(3))}


def spelt(value: Any, chance: random.Random) -> str:
    """One of the texts of a value: any order of keys, escapes, forms of numbers and white space."""

    def blank() -> str:
        return chance.choice(["", "", "", " ", "\n"])

    if isinstance(value, str):
        units = [value.encode("utf-16-be")[i : i + 2].hex() for i in range(0, len(value.encode("utf-16-be")), 2)]
        escaped = "".join(f"\\u{unit}" for unit in units)
        return chance.choice([json.dumps(value), json.dumps(value, ensure_ascii=False), f'"{escaped}"'])
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, list):
        return f"[{blank()}" + f"{blank()},{blank()}".join(spelt(item, chance) for item in value) + f"{blank()}]"
    if isinstance(value, dict):
        keys = chance.sample(list(value), len(value))
        members = [f"{spelt(key, chance)}{blank()}:{blank()}{spelt(value[key], chance)}" for key in keys]
        return f"{{{blank()}" + f"{blank()},{blank()}".join(members) + f"{blank()}}}"
    forms = [repr(value), f"{value}e0", f"{value}E+00", f"{float(value)!r}00", f"{10 * value:.0f}e-1"]
    if value % 10 == 0:
        forms.append(f"{value // 10}e1")
    return chance.choice(forms)


def ends_as(text: str, items: list[Any]) -> tuple[bool, int]:
    """Verdict whether an item is an earlier one, and the number of bytes that were compared."""
    comparison: Any = ItemComparison.of([value_of(json.dumps(item).encode()) for item in items])
    whole = text.encode() + b"," * text[-1].isdigit()  # a number ends behind it
    for count, byte in enumerate(whole):
        after = comparison.read(byte)
        assert after is None or byte in comparison.following(), (text, items, count)
        if after is None or after is OLD:
            assert after is None or count == len(whole) - 1, (text, items)
            return after is OLD, count
        comparison = after
    return False, len(whole)


@pytest.mark.parametrize("cases", [1_000, *slow(30_000)])
def test_items_are_equal_exactly_if_their_values_are(cases):
    chance = random.Random(cases)
    equal = 0
    for _ in range(cases):
        items = [drawn(chance) for _ in range(chance.randrange(1, 4))]
        item = chance.choice(items) if chance.random() < 0.5 else drawn(chance)
        text = spelt(item, chance)
        is_old = value_of(text.encode()) in [value_of(json.dumps(one).encode()) for one in items]
        assert ends_as(text, items)[0] == is_old, (text, items)
        equal += is_old
    assert cases / 3 < equal < cases


@pytest.mark.parametrize(
    ("text", "items", "compared"),
    [
        ('{"name": "b"', [{"name": "a"}, {"name": "ac"}], 10),
        ('{"other": 1}', [{"name": "a"}], 2),
        ("123456", [124, 13], 2),
        ("1e7", [1, 10], 2),
        ('"abcdef"', ["abx", "b"], 3),
        ("[1, [2, 3]]", [[1, [2, 4]], [1, []]], 8),
    ],
)
def test_an_item_is_compared_up_to_where_it_differs(text, items, compared):
    assert ends_as(text, items) == (False, compared)


def test_numbers_with_any_exponent():
    assert Decimal.of("1e999999999999") == Decimal.of("10.0E+999999999998") != Decimal.of("1")
    assert Decimal.of("-0.0e7") == Decimal.of("0")
    with pytest.raises(LimitError, match="exponent"):
        Decimal.of("1e" + 5_000 * "9")


# Masks ------------------------------------------------------------------------------------------------------------

PIECES = [
    '","', '", "', 'a","', "},{", '},{"', '":', "1,", ",1", "1,1", "1,2", "[[", "]],", "true,", '"a"', '"a","a"', "1}",
]  # fmt: skip


def pieces() -> Vocabulary:
    """All bytes, and pieces that reach over the ends of items."""
    texts = [*(bytes([byte]) for byte in range(256)), *(piece.encode() for piece in PIECES)]
    return Vocabulary(token_bytes=(b"", *texts), special=frozenset({0}), eos=(0,), rows=len(texts) + 1)


LETTERS = {"type": "string", "pattern": "^[ab]$"}
BOOLEAN = {"type": "boolean"}


def flags(*keys: str, required: list[str] | None = None) -> dict[str, Any]:
    schema = {"type": "object", "properties": dict.fromkeys(keys, BOOLEAN), "additionalProperties": False}
    return schema if required is None else {**schema, "required": required}


SMALL = [
    unique(LETTERS),
    unique({"type": "integer", "minimum": 1, "maximum": 2}),
    unique({"anyOf": [LETTERS, {"type": "integer", "minimum": 0, "maximum": 1}]}),
    unique(flags("a")),
    unique({"type": "array", "items": LETTERS, "maxItems": 1}),
    unique({"type": "object", "properties": {"t": unique(LETTERS)}, "additionalProperties": False}, maxItems=3),
    unique(LETTERS, prefixItems=[{"enum": ["a", None]}]),
    {"type": "array", "items": unique(LETTERS), "maxItems": 2},
    {"type": "object", "properties": {"x": unique(LETTERS), "y": unique(BOOLEAN)}, "additionalProperties": False},
]

LARGER = [
    unique(flags("a", "b", required=["a", "b"])),
    unique({"type": "array", "items": LETTERS, "uniqueItems": True, "maxItems": 2}),
]


def texts_of(schema: dict[str, Any], most: int) -> Iterator[str]:
    """All compact texts of a small schema: those of all values that `jsonschema` accepts."""

    def values_of(part: dict[str, Any]) -> list[Any]:
        if "anyOf" in part:
            return [value for option in part["anyOf"] for value in values_of(option)]
        if "enum" in part:
            return part["enum"]
        if part["type"] == "boolean":
            return [True, False]
        if part["type"] == "string":
            return ["a", "b"]
        if part["type"] == "integer":
            return list(range(part["minimum"], part["maximum"] + 1))
        if part["type"] == "object":
            options = [[(key, one) for one in values_of(inner)] + [None] for key, inner in part["properties"].items()]
            return [dict(pair for pair in way if pair) for way in product(*options)]
        found: list[Any] = [[]]
        for length in range(1, part.get("maxItems", most) + 1):
            prefix = part.get("prefixItems", [])
            places = [values_of(prefix[at] if at < len(prefix) else part["items"]) for at in range(length)]
            found += (list(way) for way in product(*places) if is_valid(list(way), {**part, "items": {}}))
        return found

    def is_valid(value: Any, part: dict[str, Any]) -> bool:
        return jsonschema.Draft202012Validator(part).is_valid(value)

    return (json.dumps(value, separators=(",", ":")) for value in values_of(schema) if is_valid(value, schema))


@pytest.mark.parametrize("schema", [*SMALL, *slow(*LARGER)])
def test_a_token_is_allowed_exactly_if_a_text_goes_on_with_it(schema, monkeypatch):
    """Brute force: of each beginning, with each token, there is a text of the language or not. Nothing is listed, as if
    the items had many values, so that whether a new item is left is found out while the text is written."""
    monkeypatch.setattr(distinct_plan.DistinctPlan, "_lists", False)
    everything = [text.encode() for text in texts_of(schema, most=5)]
    beginnings = {text[:end] for text in everything for end in range(len(text) + 1)}
    vocabulary = pieces()
    index = TokenIndex.build(json_schema(schema, whitespace="compact", escapes="minimal").network(), vocabulary)
    todo, seen = [(b"", Matcher(index))], {b""}
    while todo:
        text, matcher = todo.pop()
        expected = [
            token
            for token, piece in enumerate(vocabulary.token_bytes)
            if (piece and text + piece in beginnings) or (not piece and text in everything)
        ]
        assert matcher.allowed_tokens().tolist() == expected, text
        structure = {*expected, *range(257, len(vocabulary.token_bytes)), *(byte + 1 for byte in b'",]}ab12')}
        assert sorted(token for token in structure if matcher.can_advance(token)) == expected, text
        for token in expected:
            after = text + vocabulary.token_bytes[token]
            if after not in seen:
                seen.add(after)
                following = matcher.fork()
                following.advance(token)
                todo.append((after, following))
    assert len(seen) == len(beginnings)


def test_a_search_for_a_new_item_follows_one_byte_before_it_reads_others(monkeypatch):
    """As many bytes are read behind a brace where twenty old items may go on as where eight may."""
    monkeypatch.setattr(distinct_plan.DistinctPlan, "_lists", False)
    counts = []
    for keys in ("abcdefgh", "abcdefghijklmnopqrst"):
        texts = [*(bytes([byte]) for byte in range(256)), b',{"']
        vocabulary = Vocabulary(token_bytes=(b"", *texts), special=frozenset({0}), eos=(0,), rows=len(texts) + 1)
        network = json_schema(unique(flags(*keys)), whitespace="compact").network()
        matcher = Matcher(TokenIndex.build(network, vocabulary))
        matcher.advance_bytes(b"[" + b",".join(b'{"%c":true}' % ord(key) for key in keys))
        bytes_read = []
        with monkeypatch.context() as patched:
            read = Automaton.read
            patched.setattr(Automaton, "read", lambda *args, kept=bytes_read, read=read: kept.append(1) or read(*args))
            assert matcher.allowed()[257 // 32] >> 257 % 32 & 1
        counts.append(len(bytes_read))
    assert counts[0] == counts[1] > 0


def test_tokens_are_read_together_up_to_the_comma_and_a_way_to_a_new_item_is_kept(monkeypatch):
    monkeypatch.setattr(distinct_plan.DistinctPlan, "_lists", False)
    keys = "abcdefghijklmnopqrst"
    texts = [*(bytes([byte]) for byte in range(256)), *(b'},{"%c' % ord(key) for key in keys)]
    vocabulary = Vocabulary(token_bytes=(b"", *texts), special=frozenset({0}), eos=(0,), rows=len(texts) + 1)
    index = TokenIndex.build(json_schema(unique(flags(*keys)), whitespace="compact").network(), vocabulary)
    entered, read = [], []
    counts = []
    enter, read_bytes = ArrayItemTracker.enter, Automaton.read
    monkeypatch.setattr(ArrayItemTracker, "enter", lambda *args: entered.append(1) or enter(*args))
    monkeypatch.setattr(Automaton, "read", lambda *args: read.append(1) or read_bytes(*args))
    for text in (b'[{"a":true},{"b":true', b'[{"b":true},{"a":true'):
        matcher = Matcher(index)
        matcher.advance_bytes(text)
        del entered[:], read[:]
        assert {*range(257, len(texts) + 1)} <= {*matcher.allowed_tokens().tolist()}
        assert len(entered) == 1
        counts.append(len(read))
    assert len(keys) < counts[1] < counts[0]


def test_a_text_without_a_new_item_is_refused(monkeypatch):
    monkeypatch.setattr(distinct_plan.DistinctPlan, "_lists", False)
    schema = unique(flags("a", required=["a"]))
    matcher = Matcher(TokenIndex.build(json_schema(schema, whitespace="compact").network(), pieces()))
    matcher.advance_bytes(b'[{"a":true},{"a":false}')
    with pytest.raises(MatchError, match="no new key or item"):
        matcher.advance_bytes(b",")


@pytest.mark.parametrize(
    ("schema", "accepted", "rejected"),
    [
        (
            unique({"type": "object", "properties": {"a": unique({"type": "object"})}}),
            ['[{"a":[{},{"b":1}]},{"a":[{"b":1},{}]}]'],
            ['[{"a":[{},{}]}]', '[{"a":[{},{"b":1}]},{"a":[{},{"b":1.0}]}]'],
        ),
        (
            unique({"type": "array"}, minItems=5),
            ["[[],[1],[2],[[]],[3]]"],
            ["[[],[1],[2],[[]]]", "[[],[1],[2],[3],[1]]"],
        ),
        (unique(unique({"type": "integer"})), ["[[1,2],[2,1],[]]"], ["[[1,1]]", "[[1,2],[1,2]]", "[[],[]]"]),
        (unique({"enum": list(range(700))}), [json.dumps([*range(700)], separators=(",", ":"))], ["[7,70,7]"]),
        (
            {"anyOf": [unique({"type": "string"}), {"type": "array", "items": {"const": "a"}, "maxItems": 2}]},
            ['["a","a"]', '["a","b"]'],
            ['["b","b"]', '["a","a","a"]'],
        ),
    ],
)
def test_texts(schema, accepted, rejected):
    judged = judge(schema, whitespace="compact", order="any")
    for text in accepted:
        assert judged.accepts(text), text
    for text in rejected:
        assert not judged.accepts(text), text


# Bounded work -----------------------------------------------------------------------------------------------------


def test_nothing_is_written_for_later_items():
    """The rules of the second item are those of the hundredth, and masks are the same, once an item is new."""
    schema = unique({"type": "object", "properties": {"id": {"type": "integer"}, "name": {"type": "string"}}})
    vocabulary = pieces()
    index = TokenIndex.build(json_schema(schema, whitespace="compact").network(), vocabulary)
    matcher = Matcher(index)
    network, sizes = index.automaton.network, list[tuple[int, int, int]]()
    matcher.advance_bytes(b"[")
    for number in range(100):
        for byte in json.dumps({"id": 1000 + number, "name": "x"}, separators=(",", ":")).encode() + b",":
            matcher.allowed()
            matcher.advance_bytes(bytes([byte]))
        sizes.append((network.size, len(network.rules), index.statistics()["misses"]))
    assert sizes[1] == sizes[99]


def test_a_new_item_is_not_compared_any_more(monkeypatch):
    """Behind the byte with which an item becomes new, no token is tried, and nothing is searched."""
    schema = unique({"type": "object", "properties": {"id": {"type": "integer"}, "text": {"type": "string"}}})
    matcher = Matcher(TokenIndex.build(json_schema(schema, whitespace="compact").network(), pieces()))
    matcher.advance_bytes(b'[{"id":7,"text":"x"},{"id":8,"text":"')
    read = 0
    tracker: Any = matcher.index.automaton.network.item_tracker
    counted = tracker.read

    def reading(levels: Any, byte: int) -> Any:
        nonlocal read
        read += 1
        return counted(levels, byte)

    monkeypatch.setattr(tracker, "read", reading)
    for byte in b"a long text":
        matcher.allowed()
        matcher.advance_bytes(bytes([byte]))
    assert read == 0


def test_the_work_of_a_mask_does_not_grow_with_the_strings_before_it(monkeypatch):
    """Of the tokens along earlier strings only those with a closing quote can end one, if strings can be prolonged."""
    reads, read = [], ArrayItemTracker.read
    monkeypatch.setattr(ArrayItemTracker, "read", lambda self, *args: reads.append(args) or read(self, *args))
    letters = [bytes([byte]) for byte in range(97, 123)]
    texts = [*(bytes([byte]) for byte in range(256)), *(one + other for one, other in product(letters, repeat=2))]
    texts += [b'",', b'"]', b'","', b'","a', b', "', b'a"', b'","x","']
    vocabulary = Vocabulary(token_bytes=(b"", *texts), special=frozenset({0}), eos=(0,), rows=len(texts) + 1)
    matcher = Matcher(TokenIndex.build(json_schema(unique({"type": "string"})).network(), vocabulary))
    matcher.advance_bytes(b"[")
    most = []
    for first, second in product(letters[:12], letters):
        needed = []
        for piece in (b'"', first, second, b'"', b","):
            reads.clear()
            assert piece[0] + 1 in matcher.allowed_tokens()
            needed.append(len(reads))
            matcher.advance_bytes(piece)
        most.append(max(needed))
    assert max(most[-100:]) <= max(most[20:40])
    matcher.advance_bytes(b'"a')
    allowed = matcher.allowed_tokens()
    assert ord("a") + 1 in allowed
    assert texts.index(b'a"') + 1 not in allowed
    matcher.advance_bytes(b"b")
    assert ord('"') + 1 not in matcher.allowed_tokens()


def test_masks_do_not_depend_on_the_order_in_which_texts_are_asked_for():
    schema = unique({"type": "string"})
    index = TokenIndex.build(json_schema(schema, whitespace="compact").network(), pieces())
    texts = [b'["a","b","', b'["a","', b'["b","a', b'["a","b","b', b'["a","a']
    masks: dict[bytes, np.ndarray] = {}
    for text in [*texts, *reversed(texts)]:
        matcher = Matcher(index)
        matcher.advance_bytes(text)
        np.testing.assert_array_equal(masks.setdefault(text, matcher.allowed()), matcher.allowed())


def test_items_are_remembered_across_a_rollback():
    constraint = gk.json_schema(unique({"type": "integer"}), whitespace="compact")
    matcher = Matcher(constraint.compile(pieces()))
    matcher.advance_bytes(b"[1")
    matcher.advance_bytes(b",12")
    matcher.rollback(1)
    matcher.advance_bytes(b",13,12,")
    with pytest.raises(MatchError):
        matcher.advance_bytes(b"13]")
