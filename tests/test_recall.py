"""Rules that depend on the text so far: masks, forks, batches and drafts agree with reading byte by byte."""

from __future__ import annotations

import json
import random
from typing import Any

import jsonschema
import numpy as np
import pytest
from json_texts import judge
from marks import slow, thinned

from guidance_kit.errors import UnsupportedFeature
from guidance_kit.fsm import bitmask, duplicate_item_filter, token_index
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.fsm.caches import BoundedCache
from guidance_kit.fsm.duplicate_filter import DuplicateFilter
from guidance_kit.fsm.mask_batch import fill_masks
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.network import Network
from guidance_kit.fsm.token_index import TokenIndex
from guidance_kit.grammars import constraint
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.vocabulary import Vocabulary

PIECES = [
    '["', '","', '", "', '"]', 'a","', 'a","a', 'b","a","', '"a"', '","a"]', "[1", ",1", "1,", "1,2", "2,1", "1,2,",
    ",12", "[[1],", "],[", "1],[1", '{"a":', '},{"', '1},{"a"', ",\n", ',\n  "', '" ,"', "1, 1", "]]", "true,",
    'a", "b', "\\u00", '61","', '\\"', '["a","b","c', "a" * 300,
]  # fmt: skip


def vocabulary() -> Vocabulary:
    """All bytes, and pieces that reach over the ends of items; two of them twice, and one that is very long."""
    texts = [*(bytes([byte]) for byte in range(256)), *(piece.encode() for piece in PIECES), b'","', b"1,"]
    return Vocabulary(token_bytes=(b"", *texts), special=frozenset({0}), eos=(0,), rows=len(texts) + 1)


def unique(items: Any, **others: Any) -> dict[str, Any]:
    return {"type": "array", "uniqueItems": True, "items": items, **others}


SCHEMAS = [
    unique({"type": "string"}),
    unique({"type": "integer"}, minItems=2, maxItems=4),
    unique({"type": "string"}, prefixItems=[{"enum": ["a", "b"]}, {"type": ["integer", "string"]}], minItems=3),
    unique({"type": "array", "items": {"type": "integer"}, "uniqueItems": True, "maxItems": 2}, maxItems=3),
    unique({"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": False}, minItems=2),
    {"anyOf": [unique({"type": "string"}), {"type": "array", "items": {"type": "string"}, "maxItems": 2}]},
    {"type": "object", "properties": {"a": unique({"type": "integer"}), "b": unique({"type": "boolean"})}},
]
OPTIONS = [{"whitespace": "flexible"}, {"whitespace": "compact"}, {"whitespace": "json"}]


def matcher_of(schema: Any, **options: Any) -> Matcher:
    return Matcher(TokenIndex.build(json_schema(schema, **{"escapes": "all", **options}).network(), vocabulary()))


def likely(tokens: np.ndarray, chance: random.Random) -> int:
    """A token, of the long ones or of letters, digits and structure mostly."""
    texts = vocabulary().token_bytes
    good = [t for t in tokens.tolist() if len(texts[t]) > 1 or texts[t] in b'",[]{}:12ab' or not texts[t]]
    return chance.choice(good if good and chance.random() < 0.95 else tokens.tolist())


@pytest.mark.parametrize("number", [0, 6, *slow(1, 2, 3, 4, 5)])
def test_masks_are_those_of_reading_each_token(number):
    """From the start, by another automaton: the token belongs to the mask if the whole text can be read."""
    chance = random.Random(number)
    schema = SCHEMAS[number]
    validator = jsonschema.Draft202012Validator(schema)
    checked = 0
    for options in OPTIONS:
        matcher, fresh = matcher_of(schema, **options), judge(schema, **options).automaton
        texts = matcher.index.vocabulary.token_bytes
        text = b""
        for _ in range(9):
            allowed = matcher.allowed_tokens()
            assert len(allowed)
            whole = [text + token for token in texts]
            expected = [t for t in range(1, len(texts)) if len(fresh.advance(1, whole[t])) == len(whole[t])]
            path = fresh.advance(1, text)
            is_complete = bool(text) and fresh.is_complete(int(path[-1]))
            assert allowed.tolist() == [0] * is_complete + expected, text
            assert [matcher.can_advance(t) for t in expected] == [True] * len(expected)
            if is_complete:
                assert validator.is_valid(json.loads(text))
            checked += len(texts)
            token = likely(allowed, chance)
            matcher.advance(token)
            if matcher.is_finished:
                break
            text += texts[token]
            forced = text + matcher.forced_text()
            assert len(fresh.advance(1, forced)) == len(forced)
    assert checked > 3_000


@pytest.mark.parametrize("number", thinned(range(len(SCHEMAS)), 2))
def test_forks_batches_drafts_and_rollbacks_agree_with_fresh_replay(number):
    chance = random.Random(number)
    origin = matcher_of(SCHEMAS[number])
    walkers = [(origin.fork(), []) for _ in range(6)]
    keys: dict[Any, bytes] = {}
    for _ in range(12):
        masks = np.empty((len(walkers), origin.index.words), dtype=np.int32)
        fill_masks([walker for walker, _ in walkers], masks)
        for (walker, taken), mask in zip(walkers, masks, strict=True):
            replay = origin.fork()
            replay.advance_all(taken)
            np.testing.assert_array_equal(mask, replay.allowed())
            key = walker.canonical_mask_key()
            assert keys.setdefault(key, mask.tobytes()) == mask.tobytes()  # equal keys mean equal masks
            tokens = bitmask.tokens_of(mask)
            if not len(tokens):
                continue
            draft = [likely(tokens, chance), likely(tokens, chance)]
            drafted = walker.follow(draft, parents=[-1, 0])
            assert drafted[0] is not None
            replay.advance(draft[0])
            assert (drafted[1] is None) == (not replay.can_advance(draft[1]))
            walker.advance(draft[0])
            taken.append(draft[0])
            if chance.random() < 0.2:
                walker.rollback(1)
                taken.pop()


def test_texts_that_are_no_tokens_and_forced_ones():
    matcher = matcher_of(
        unique({"enum": ["aaa", True]}, prefixItems=[{"type": "string"}], minItems=3),
        whitespace="compact",
        escapes="minimal",
    )
    matcher.advance_bytes(b'["x')
    matcher.advance_bytes(b'","')
    assert matcher.forced_text() == b'aaa",true]'
    matcher.rollback(1)
    matcher.advance_bytes(b'",t')
    assert matcher.forced_text() == b'rue,"aaa"]'


def test_budgets_are_refused_by_name():
    matcher = matcher_of(unique({"type": "string"}))
    with pytest.raises(UnsupportedFeature, match="budget"):
        matcher.within(20)
    with pytest.raises(UnsupportedFeature, match="budget"):
        matcher.min_tokens_to_complete()
    assert matcher_of(unique({"type": "boolean"})).within(20).tokens_left == 20


def test_a_compiled_constraint_that_has_read_too_many_texts_is_begun_anew(monkeypatch):
    compiled = BoundedCache(64, 2**30, lambda index: index.automaton.size, constraint._is_spent)
    monkeypatch.setattr(constraint, "_COMPILED", compiled)
    recalling = json_schema({"type": "string", "format": "regex"}, formats="recall")
    listed = json_schema(unique({"type": "boolean"}))
    before = recalling.compile(vocabulary()), listed.compile(vocabulary())
    assert recalling.compile(vocabulary()) is before[0]
    monkeypatch.setattr(constraint, "_MOST_BYTES", 1)
    assert listed.compile(vocabulary()) is before[1]
    assert recalling.compile(vocabulary()) is not before[0]


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"type": "string", "format": "regex"}, r'"(?<a>x)\\k<a>(?<b>y)\\k<b>"'),
        (unique({"type": "string"}, maxItems=9), '["a","b","c","d","e","f","g"]'),
    ],
)
def test_what_is_known_about_configurations_is_forgotten(schema, text, monkeypatch):
    monkeypatch.setattr(token_index, "_MOST_TEXTS", 4)
    monkeypatch.setattr(duplicate_item_filter, "_MOST_KNOWN", 4)
    matcher = matcher_of(schema, whitespace="compact", formats="recall")
    masks = []
    for byte in text.encode():
        masks.append(matcher.allowed())
        matcher.advance_bytes(bytes([byte]))
        names = matcher.index.names
        assert len(matcher.index._crossings) <= 4
        assert not isinstance(names, DuplicateFilter) or len(names._items._crossing) <= 4
    for mask in reversed(masks):
        matcher.rollback(1)
        np.testing.assert_array_equal(matcher.allowed(), mask)


def test_vocabularies_that_cannot_spell_all_are_refused_by_name():
    texts = (b"", *(bytes([byte]) for byte in range(0x20, 0x7F)))
    small = Vocabulary(token_bytes=texts, special=frozenset({0}), eos=(0,), rows=len(texts))
    with pytest.raises(UnsupportedFeature, match="no token for some bytes"):
        TokenIndex.build(json_schema(unique({"type": "string"})).network(), small)
    matcher = Matcher(TokenIndex.build(json_schema(unique({"type": "boolean"})).network(), small))
    matcher.advance_bytes(b"[true,")
    assert matcher.forced_text() == b""
    matcher.advance_bytes(b"f")
    assert matcher.forced_text() == b"alse"


def test_a_network_that_recalls():
    """Texts of the form x=x: what follows `=` is what came before it."""
    network = Network()

    def echo(text: bytes) -> int:
        word = text[:-1]

        def build() -> int:
            start, end = network.states(2)
            network.literal(start, word, end)
            network.final(end)
            return start

        return network.rule(build, nullable=False)

    def build() -> int:
        start, word, beyond = network.states(3)
        network.byte(start, 0x61, 0x7A, word)
        network.byte(word, 0x61, 0x7A, word)
        network.byte(word, 0x3D, 0x3D, beyond)
        network.recall(beyond, echo)
        return start

    network.root = network.rule(build, nullable=False)
    network.has_recalls = True
    automaton = Automaton(network)
    for text in (b"ab=ab", b"x=x", b"abc=abc"):
        path = automaton.advance(automaton.start, text)
        assert len(path) == len(text)
        assert automaton.is_complete(int(path[-1]))
    for text in (b"ab=ax", b"x=y", b"abc=abcd"):
        assert len(automaton.advance(automaton.start, text)) == len(text) - 1
    middle = automaton.advance(automaton.start, b"ab")
    assert len(automaton.advance(int(middle[-1]), b"=ab", b"ab")) == 3
