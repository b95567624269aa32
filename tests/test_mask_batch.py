"""Masks of batches: those of each text alone, however constraints, threads, room and rules are mixed."""

from __future__ import annotations

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from marks import slow
from vocabularies import gpt2_like_vocabulary

import guidance_kit as gk
from guidance_kit.fsm import arenas, bitmask, mask_batch, mask_store, token_index
from guidance_kit.fsm.kernels.codes import (
    ALONE,
    ANSWERED,
    BLOCK,
    FREE,
    HELPING,
    LEADING,
    NEED_RULES,
    OFFERED,
    PENDING,
    STOPPED,
)
from guidance_kit.fsm.kernels.columns import REQUEST
from guidance_kit.fsm.kernels.masks import find_masks
from guidance_kit.fsm.limits import Limits
from guidance_kit.fsm.mask_batch import fill_masks
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.token_index import TokenIndex
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.vocabulary import Vocabulary

_OBJECT = {
    "type": "object",
    "properties": {"a": {"type": "number", "minimum": 0.5}, "b": {"type": "string", "maxLength": 30}, "c": {}},
    "required": ["a", "b"],
}

CONSTRAINTS: list[tuple[Constraint, bytes]] = [
    (gk.regex('[a-h]{60}x|[^ß]+0|"([^"\\n]|é)*"'), b'"ab 1'),
    (gk.regex("(a|b)*c{0,300}"), b"abba"),
    (gk.json_schema(_OBJECT), b'{"a": 17.5, "b": "abc \\n", "c": [true, {"d": 1}]}'),
    (gk.json_schema(_OBJECT, order="any"), b'{"b":"h","c":null,"a":2e3}'),
    (gk.json_schema({"type": "object", "additionalProperties": {"type": "integer"}}), b'{"a":1,"ab":2,"b":3}'),
    (
        gk.json_schema({"type": "array", "items": {"type": "string", "maxLength": 6}, "uniqueItems": True}),
        b'["a","ab","b',
    ),
    (gk.json_schema({"type": "array", "items": {"enum": ["a", "b", 1]}}, escapes="all"), b'["a", 1, "b"]'),
    (gk.sequence("a", gk.any_token([65, 66, 200, 900]), gk.optional("b")), b"a"),
    (gk.json_schema({"type": "string", "format": "regex"}, formats="recall"), b'"(?<a>x)(?<b>'),
]
"""Each with the beginning of a text."""


def _vocabularies() -> list[Vocabulary]:
    """Two of the same width, the second of which has tokens that no trie holds."""
    base = gpt2_like_vocabulary()
    overlong = (*base.token_bytes, b"a" * 300, b"1" + b"a" * 280)
    return [base, Vocabulary(token_bytes=overlong, special=base.special, eos=base.eos, rows=len(overlong))]


def _at(index: TokenIndex, prefix: bytes, tokens: list[int], left: int | None, eos: list[int] | None) -> Matcher:
    matcher = Matcher(index, eos=eos)
    matcher.advance_bytes(prefix)
    matcher.advance_all(tokens)
    return matcher.within(left)


def _check_batches(rng: random.Random, *, count: int, pool: ThreadPoolExecutor | None) -> Counter[str]:
    """Compare batches over shared constraints with the masks of matchers of other indexes, one by one."""
    met: Counter[str] = Counter()
    choices = [(which, vocabulary) for which in range(len(CONSTRAINTS)) for vocabulary in _vocabularies()]
    networks = [CONSTRAINTS[which][0].network for which, _ in choices]
    indexes, twins = (
        [TokenIndex.build(network(), choice[1]) for network, choice in zip(networks, choices, strict=True)]
        for _ in range(2)
    )
    for _ in range(count):
        matchers: list[Matcher | None] = []
        expected: list[np.ndarray] = []
        for _ in range(rng.randint(1, 24)):
            place = rng.choice(range(len(choices)))
            _, text = CONSTRAINTS[choices[place][0]]
            eos = [0] if rng.random() < 0.9 else []
            prefix, tokens = text[: rng.randint(0, len(text))], []
            twin = _at(twins[place], prefix, tokens, None, eos)
            for _ in range(rng.choice([0, 0, 1, 3])):
                allowed = twin.allowed_tokens().tolist()
                if not allowed:
                    break
                tokens.append(0 if 0 in allowed and rng.random() < 0.3 else rng.choice(allowed))
                twin.advance(tokens[-1])
            left = None
            if twin.can_be_bounded and rng.random() < 0.3:
                least = twin.min_tokens_to_complete()
                assert least is not None
                left = least + rng.choice([0, 1, 30])
            matcher = _at(indexes[place], prefix, tokens, left, eos)
            twin = twin.within(left)
            met["over"] += matcher.mask_config < 0
            met["own masks"] += matcher.has_own_mask
            matchers += [None] if rng.random() < 0.05 else [matcher] * rng.choice([1, 1, 1, 2])
            expected += [
                np.zeros_like(twin.allowed()) if one is None else twin.allowed() for one in matchers[len(expected) :]
            ]
        if rng.random() < 0.5:
            rng.choice(indexes).forget()
        known = sum(index.statistics()["misses"] for index in indexes)
        rows = rng.sample(range(len(matchers) + 3), k=len(matchers))
        out = np.full((len(matchers) + 3, indexes[0].words), 85, dtype=np.int32)
        assert fill_masks(matchers, out, rows=rows, threads=pool) == {}
        np.testing.assert_array_equal(out[rows], expected)
        assert (np.delete(out, rows, axis=0) == 85).all()
        met["new"] += sum(index.statistics()["misses"] for index in indexes) - known
        met["texts"] += len(matchers)
    return met


@pytest.fixture
def helped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let two threads help, whatever the machine has and however few constraints there are."""
    monkeypatch.setattr(mask_batch, "_EACH", 1)
    monkeypatch.setattr(mask_batch, "_MOST_HELPERS", 2)


@pytest.mark.usefixtures("helped")
@pytest.mark.parametrize(
    ("seed", "workers", "is_tiny"), [(3, 2, False), (50, 0, True), *slow((16, 0, False), (1, 2, True))]
)
def test_masks_of_a_batch_are_those_of_each_text(monkeypatch, seed, workers, is_tiny):
    if is_tiny:
        monkeypatch.setattr(arenas, "_ROWS", 4)
        monkeypatch.setattr(arenas, "_MANY", 0)
        monkeypatch.setattr(token_index, "_FIRST_ROWS", 1)
    with ThreadPoolExecutor(workers or 1) as pool:
        met = _check_batches(random.Random(seed), count=6, pool=pool if workers else None)
    assert met["new"] > 20
    assert min(met["own masks"], met["texts"] - met["new"]) > 10
    assert met["over"] > 0


@pytest.mark.slow
@pytest.mark.usefixtures("helped")
@pytest.mark.parametrize("workers", [0, 2])
def test_masks_of_many_batches_are_those_of_each_text(workers):
    with ThreadPoolExecutor(workers or 1) as pool:
        for seed in range(20):
            _check_batches(random.Random(seed), count=10, pool=pool if workers else None)


def test_two_threads_may_fill_masks_over_the_same_constraints():
    vocabulary, rng = gpt2_like_vocabulary(), random.Random(4)
    with ThreadPoolExecutor(2) as pool:
        for _ in range(4):
            chosen = rng.choices(range(len(CONSTRAINTS)), k=24)
            places = [(which, CONSTRAINTS[which][1][: rng.randint(0, 20)]) for which in chosen]
            indexes, twins = (
                [TokenIndex.build(constraint.network(), vocabulary) for constraint, _ in CONSTRAINTS] for _ in range(2)
            )
            matchers = [_at(indexes[which], prefix, [], None, None) for which, prefix in places]
            masks = np.empty((2, len(places), indexes[0].words), dtype=np.int32)
            assert [*pool.map(fill_masks, (matchers, [one.fork() for one in matchers]), masks)] == [{}, {}]
            expected = [_at(twins[which], prefix, [], None, None).allowed() for which, prefix in places]
            np.testing.assert_array_equal(masks, [expected, expected])


def test_a_request_waits_for_the_one_before_it_of_the_same_arena():
    index = TokenIndex.build(gk.json_schema(_OBJECT).network(), gpt2_like_vocabulary())
    twin = TokenIndex.build(gk.json_schema(_OBJECT).network(), gpt2_like_vocabulary())
    prefixes = b'{"a": 1', b"{", b'{"a": 1'
    matchers = [_at(index, prefix, [], None, None) for prefix in prefixes]
    requests = np.concatenate([index.request] * 3)
    requests[:, REQUEST.config] = [matcher.mask_config for matcher in matchers]
    requests[:, REQUEST.first] = index.words * np.arange(3)
    requests[:, REQUEST.answer] = PENDING
    masks = np.empty(3 * index.words, dtype=np.int32)
    assert find_masks(requests, masks, ALONE) == NEED_RULES
    assert requests[:, REQUEST.answer].tolist() == [NEED_RULES, PENDING, PENDING]
    while find_masks(requests, masks, ALONE) < 0:
        answers = requests[:, REQUEST.answer].tolist()
        (waited_for,) = [answer for answer in answers if answer < PENDING]
        index.make_room(waited_for, is_new=False)
    assert requests[2, REQUEST.answer] == 0  # known by then
    for prefix, mask in zip(prefixes, masks.reshape(3, -1), strict=True):
        np.testing.assert_array_equal(mask, _at(twin, prefix, [], None, None).allowed())


def test_a_limit_stops_no_other_text_of_the_same_constraint():
    """Two that reach it, before and after one whose mask is found."""
    vocabulary = gpt2_like_vocabulary()
    pattern = gk.regex("x|(?:a|b[a-h]{3}){0,300}c")
    index = TokenIndex.build(pattern.network(), vocabulary, limits=Limits(max_configurations=8))
    matchers = [Matcher(index) for _ in range(3)]
    matchers[1].advance_bytes(b"x")
    out = bitmask.allocate(3, vocabulary.rows)
    failed = fill_masks(matchers, out)
    assert {text: error.limit for text, error in failed.items()} == dict.fromkeys([0, 2], "max_configurations")
    np.testing.assert_array_equal(bitmask.count(out), [0, 1, 0])


def _different(count: int) -> list[Matcher]:
    """Matchers of so many constraints at places whose masks are not known."""
    vocabulary = gpt2_like_vocabulary()
    schemas = [{**_OBJECT, "required": ["a"], "maxProperties": 3 + number} for number in range(count)]
    indexes = [TokenIndex.build(gk.json_schema(schema).network(), vocabulary) for schema in schemas]
    return [_at(index, b'{"a": 1', [], None, None) for index in indexes]


def test_new_masks_of_many_constraints_take_few_calls_of_a_kernel(monkeypatch):
    calls = []
    monkeypatch.setattr(mask_batch, "find_masks", lambda *arguments: calls.append(1) or find_masks(*arguments))
    matchers = _different(64)
    fill_masks(matchers, bitmask.allocate(64, matchers[0].index.vocabulary.rows))
    assert len(calls) <= 5


def test_a_thread_that_helps_leaves_what_cannot_go_on_to_the_one_that_leads():
    matchers = _different(3)
    words = matchers[0].index.words
    requests = np.concatenate([matcher.index.request for matcher in matchers])
    requests[:, REQUEST.config] = [matcher.mask_config for matcher in matchers]
    requests[:, REQUEST.first] = words * np.arange(3)
    requests[:, REQUEST.answer], requests[:, REQUEST.need] = PENDING, 0
    requests[:, REQUEST.state] = [ANSWERED, FREE, FREE]
    masks = np.empty(3 * words, dtype=np.int32)
    assert find_masks(requests, masks, HELPING) == 0
    assert requests[:, REQUEST.state].tolist() == [ANSWERED, STOPPED, STOPPED]
    assert requests[:, REQUEST.need].tolist() == [0, 0, 0]
    assert find_masks(requests, masks, LEADING) < 0
    assert requests[:, REQUEST.state].tolist() == [ANSWERED, OFFERED, OFFERED]
    assert requests[:, REQUEST.need].tolist() == [0, NEED_RULES, NEED_RULES]
    requests[:, REQUEST.need] = 0
    for matcher in matchers[1:]:
        matcher.index.make_room(NEED_RULES, is_new=True)
    while find_masks(requests, masks, LEADING) < 0:
        for place in np.flatnonzero(requests[:, REQUEST.need]).tolist():
            matchers[place].index.make_room(int(requests[place, REQUEST.need]), is_new=False)
            requests[place, REQUEST.need] = 0
    assert requests[:, REQUEST.state].tolist() == [ANSWERED] * 3
    assert requests[0, REQUEST.answer] == PENDING
    for matcher, mask in list(zip(matchers, masks.reshape(3, -1), strict=True))[1:]:
        np.testing.assert_array_equal(mask, matcher.allowed())


@pytest.mark.usefixtures("helped")
def test_an_error_while_rules_are_written_ends_the_work_of_all_threads(monkeypatch):
    matchers = _different(12)
    out = bitmask.allocate(12, matchers[0].index.vocabulary.rows)
    with ThreadPoolExecutor(2) as pool:
        with monkeypatch.context() as patch:
            patch.setattr(matchers[5].index.automaton.network, "ensure_built", lambda rule: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                fill_masks(matchers, out, threads=pool)
        assert not any(matcher.index.automaton.is_shared for matcher in matchers)
        assert fill_masks(matchers, out, threads=pool) == {}
    for matcher, twin, mask in zip(matchers, _different(12), out, strict=True):
        np.testing.assert_array_equal(mask, twin.allowed())
        assert matcher.index.try_forget()


@pytest.mark.usefixtures("helped")
def test_masks_that_another_thread_may_be_at_are_not_forgotten(monkeypatch):
    """There is memory for the blocks of two of them; each needs one."""
    patterns = [f"[^ab]{{{number},}}" for number in range(20, 27)]
    vocabulary = gpt2_like_vocabulary()
    matchers = [Matcher(TokenIndex.build(gk.regex(pattern).network(), vocabulary)) for pattern in patterns]
    words = matchers[0].index.words
    out = bitmask.allocate(7, matchers[0].index.vocabulary.rows)
    ours = {matcher.index for matcher in matchers}
    asked = []
    try_forget = TokenIndex.try_forget

    def noted(index: TokenIndex) -> bool:
        has_forgotten = try_forget(index)
        if index in ours:
            asked.append(has_forgotten)
        return has_forgotten

    monkeypatch.setattr(TokenIndex, "try_forget", noted)
    before = mask_store.memory_for_masks()
    try:
        mask_store.memory_for_masks(2 * 4 * BLOCK * words)
        with ThreadPoolExecutor(2) as pool:
            assert fill_masks(matchers, out, threads=pool) == {}
    finally:
        mask_store.memory_for_masks(before)
    assert asked
    assert not any(asked)
    for pattern, mask in zip(patterns, out, strict=True):
        twin = TokenIndex.build(gk.regex(pattern).network(), vocabulary)
        np.testing.assert_array_equal(mask, Matcher(twin).allowed())
