"""The pool of masks on a device: with whatever history, the masks are those of the matchers."""

from __future__ import annotations

import random
import weakref
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from networks import regex_network
from triton_cases import same_bits

from guidance_kit.fsm import bitmask
from guidance_kit.fsm.mask_batch import fill_masks
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.token_index import TokenIndex
from guidance_kit.guides import mask_pool
from guidance_kit.guides.apply_mask import forbid
from guidance_kit.guides.constraint import ConstraintGuide
from guidance_kit.guides.mask_pool import MaskPool, pool_for
from guidance_kit.vocabulary import Vocabulary

CPU = torch.device("cpu")
EOS = 0
TEXTS = [b"", *(bytes([byte]) for byte in b"abc0"), b"ab", b"ba", b"abc", b"cc", b"00", b"a0"]
VOCABULARY = Vocabulary(token_bytes=tuple(TEXTS), special=frozenset({EOS}), eos=(EOS,), rows=75)
PATTERNS = ["[abc]{2,5}", "(a|b)*c", "a{3,300}b?", "0(ab|c)*", "[abc0]{60,90}", "a?"]


def index_of(pattern: str) -> TokenIndex:
    return TokenIndex.build(regex_network(pattern), VOCABULARY)


def pool_of(masks: int, device: torch.device = CPU) -> MaskPool:
    """A pool with room for so many masks besides the empty one."""
    words = bitmask.words(VOCABULARY.rows)
    return MaskPool(words, device, memory=4 * words * masks)


def logits_of(batch: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn(batch, VOCABULARY.rows).to(dtype)


def without_pool(logits: torch.Tensor, matchers: Sequence[Matcher | None]) -> torch.Tensor:
    mask = bitmask.allocate(len(matchers), VOCABULARY.rows)
    fill_masks(matchers, mask)
    return forbid(logits, mask)


def agree(pool: MaskPool, logits: torch.Tensor, matchers: Sequence[Matcher | None]) -> None:
    before = logits.clone()
    masked = pool.forbid(logits, matchers)
    assert masked.dtype == logits.dtype
    same_bits(masked.cpu(), without_pool(logits.cpu(), matchers))
    assert torch.equal(logits, before)


def step(rng: random.Random, matcher: Matcher) -> Matcher:
    """The matcher one token on; at the end of its text it starts anew, within a budget or not, or stays."""
    if matcher.is_finished or matcher.tokens_left == 0:
        anew = Matcher(matcher.index)
        needed = anew.min_tokens_to_complete()
        assert needed is not None
        return rng.choice([matcher, anew, anew.within(needed + rng.randint(0, 4))])
    after = matcher.fork()
    tokens = after.allowed_tokens().tolist()
    after.advance(EOS if EOS in tokens and rng.random() < 0.3 else rng.choice(tokens))
    return after


@given(st.randoms(use_true_random=False), st.integers(0, 12), st.sampled_from([torch.float32, torch.bfloat16]))
@settings(max_examples=settings.default.max_examples // 5)
def test_random_scripts(rng, masks, dtype):
    pool = pool_of(masks)
    indexes = [index_of(pattern) for pattern in rng.choices(PATTERNS, k=3)]
    matchers = [Matcher(rng.choice(indexes)) for _ in range(rng.randint(1, 8))]
    for _ in range(15):
        matchers = [step(rng, matcher) for matcher in matchers]
        if rng.random() < 0.2:
            indexes[0] = index_of(rng.choice(PATTERNS))  # the old one goes with the last matcher that has it
            matchers = [Matcher(indexes[0]) if rng.random() < 0.7 else matcher for matcher in matchers]
        rng.shuffle(matchers)
        agree(pool, logits_of(len(matchers), dtype), [m if rng.random() < 0.9 else None for m in matchers])
        statistics = pool.statistics()
        assert statistics["masks"] <= masks
        assert statistics["bytes"] <= 4 * 3 * (masks + 1)
        assert statistics["masks"] + statistics["evictions"] <= statistics["misses"]


def test_budgets():
    """With fewer tokens left a configuration has another mask, if that makes a difference; else the same one."""
    pool, matcher = pool_of(10), Matcher(index_of("a(bb|b{9})?"))
    matcher.advance_bytes(b"a")
    matchers = [matcher, *(matcher.within(left) for left in (0, 1, 2, 3, 9, 10, 50))]
    agree(pool, logits_of(len(matchers)), matchers)
    assert [m.canonical_mask_key() == matcher.canonical_mask_key() for m in matchers] == [
        True,
        *[False] * 2,
        *[True] * 5,
    ]
    assert pool.statistics()["masks"] == 2


def recorded(monkeypatch) -> list[int]:
    """Bytes of each copy to the device from now on."""
    sizes: list[int] = []
    upload = mask_pool.upload

    def record(array, device):
        sizes.append(array.nbytes)
        return upload(array, device)

    monkeypatch.setattr(mask_pool, "upload", record)
    return sizes


def test_what_is_sent(monkeypatch):
    """Once: a place and a mask for each that is new, and the places of the rows."""
    sizes = recorded(monkeypatch)
    pool, one, other = pool_of(10), Matcher(index_of("[abc]{2,5}")), Matcher(index_of("0ab"))
    ended = Matcher(index_of("a"))
    ended.advance_all([1, EOS])
    assert ended.is_finished
    for matchers in ([one] * 4, [one, other, one], [other, one, None, ended, None], [None], []):
        agree(pool, logits_of(len(matchers)), matchers)
    assert sizes == [4 * (4 + 1 + 3), 4 * (3 + 1 + 3), 4 * 5, 4, 0]
    assert pool.statistics() | {"bytes": 0} == {
        "masks": 2,
        "bytes": 0,
        "hits": 3 + 2 + 5 + 1,
        "misses": 2,
        "evictions": 0,
    }


def places_of(pattern: str, count: int) -> list[Matcher]:
    """Matchers with `count` different masks: at the first texts of a pattern that reads one byte after the other."""
    index, matchers = index_of(pattern), []
    for length in range(count):
        matchers.append(Matcher(index))
        matchers[-1].advance_bytes(pattern.encode()[:length])
    assert len({m.canonical_mask_key() for m in matchers}) == count
    return matchers


def test_masks_used_least_recently_go_first(monkeypatch):
    sizes = recorded(monkeypatch)
    pool, matchers = pool_of(3), places_of("abc0abc0", 5)

    def is_there(*which: int) -> bool:
        agree(pool, logits_of(len(which)), [matchers[i] for i in which])
        return sizes[-1] == 4 * len(which)

    assert not is_there(0, 1, 2)
    assert is_there(0, 2)
    assert not is_there(3)  # in the place of 1
    assert is_there(0, 2, 3)
    assert not is_there(1, 3)  # 3 is needed and stays; 0 goes, which was used before 2
    assert is_there(2, 3, 1)
    assert pool.statistics()["evictions"] == 2


def test_a_batch_that_needs_every_place():
    pool, matchers = pool_of(4), places_of("abc0abc0", 8)
    for batch in (matchers[:4], matchers[3:7], matchers[4:8], matchers[:4] * 3):
        agree(pool, logits_of(len(batch)), batch)
        assert pool.statistics()["masks"] == 4
    assert pool.statistics()["evictions"] == 3 + 1 + 4


@pytest.mark.parametrize("masks", [0, 1, 3])
def test_a_batch_that_is_larger_than_the_pool(masks):
    pool, matchers = pool_of(masks), places_of("abc0abc0", 5)
    agree(pool, logits_of(1), matchers[:1])
    before = pool.statistics()
    agree(pool, logits_of(6), [*matchers, None])
    assert pool.statistics() == before | {"misses": before["misses"] + 6}
    agree(pool, logits_of(1), matchers[:1])


def test_the_pool_grows_to_its_bound():
    pool, matchers = pool_of(150), places_of("abc0" * 50, 200)
    sizes = []
    for matcher in matchers:
        agree(pool, logits_of(1), [matcher])
        sizes.append(pool.statistics()["bytes"] // (4 * 3))
    assert sorted(set(sizes)) == [64, 128, 151]
    assert pool.statistics()["evictions"] == 50


def test_far_counters_share_a_mask():
    pool, matcher = pool_of(100), Matcher(index_of("a{200,300}b"))
    for _ in range(150):
        agree(pool, logits_of(1), [matcher])
        matcher.advance(1)
    assert pool.statistics()["masks"] < 10


def test_what_is_remembered_of_mask_keys_is_bounded(monkeypatch):
    monkeypatch.setattr(mask_pool, "_MOST_KEYS", 3)
    pool = pool_of(100)
    for matchers in (places_of("abc0abc0", 8), places_of("abc0abc0", 8)[::-1]):
        for matcher in matchers:
            agree(pool, logits_of(1), [matcher])
            assert len(pool._keys) <= 3


def test_constraints_that_are_gone():
    """Their masks keep nothing alive, and are not taken for those of constraints that get the same memory."""
    pool, keys = pool_of(200), set()
    for turn in range(60):
        index = index_of(PATTERNS[turn % len(PATTERNS)])
        agree(pool, logits_of(2), [Matcher(index), None])
        keys.add(Matcher(index).canonical_mask_key())
        gone = weakref.ref(index)
        del index
        assert gone() is None
    assert len(keys) == 60


@pytest.mark.parametrize("name", ["upload", "fill_masks", "_zeros"])
def test_a_failure_in_the_middle_spoils_nothing(name, monkeypatch):
    """As when there is no memory, or a limit of a constraint is reached."""
    pool, matchers = pool_of(100), places_of("abc0" * 30, 100)
    agree(pool, logits_of(63), matchers[:63])  # all places that it has at first
    with monkeypatch.context() as patched:

        def fail(*arguments):
            raise MemoryError

        patched.setattr(mask_pool, name, fail)
        with pytest.raises(MemoryError):
            pool.forbid(logits_of(20), matchers[60:80])
    for batch in (matchers[60:80], matchers[:100], matchers[40:90]):
        agree(pool, logits_of(len(batch)), batch)
    assert pool.statistics()["masks"] == 100


def test_a_failed_copy_frees_the_places_of_those_that_had_to_go(monkeypatch):
    pool, matchers = pool_of(2), places_of("abc0abc0", 4)
    agree(pool, logits_of(2), matchers[:2])
    with monkeypatch.context() as patched:
        patched.setattr(mask_pool, "upload", lambda array, device: torch.tensor(array[:3]))
        with pytest.raises(RuntimeError, match="split"):
            pool.forbid(logits_of(2), matchers[2:])
    assert pool.statistics()["masks"] == 0
    for batch in (matchers[:2], matchers[2:], matchers[1:3]):
        agree(pool, logits_of(2), batch)


def test_matchers_that_do_not_fit():
    pool, matcher = pool_of(4), Matcher(index_of("a*"))
    with pytest.raises(ValueError, match="2 of them, do not fit logits"):
        pool.forbid(logits_of(3), [matcher, None])
    with pytest.raises(ValueError, match="do not fit logits"):
        pool.forbid(torch.zeros(1, 32), [matcher])
    wider = TokenIndex.build(
        regex_network("a"), Vocabulary(token_bytes=tuple(TEXTS), special=frozenset({EOS}), eos=(EOS,), rows=200)
    )
    with pytest.raises(ValueError, match="words do not fit the vocabulary"):
        pool.forbid(logits_of(1), [Matcher(wider)])
    agree(pool, logits_of(2), [matcher, None])


def test_in_and_out_of_inference_mode():
    matchers = places_of("abc0" * 40, 150)
    for modes in ((True, False), (False, True)):
        pool = None
        for turn, batch in enumerate((matchers[:3], matchers[:30], matchers[:80], matchers)):
            with torch.inference_mode(modes[turn % 2]):
                pool = pool or pool_of(200)
                agree(pool, logits_of(len(batch)), batch)


def test_many_threads():
    pool, matchers = pool_of(5), places_of("abc0abc0", 8)

    def work(seed: int) -> None:
        rng = random.Random(seed)
        for _ in range(40):
            batch = rng.sample(matchers, 3)
            agree(pool, logits_of(3), batch)

    with ThreadPoolExecutor(8) as threads:
        for _ in threads.map(work, range(8)):
            pass
    assert pool.statistics()["evictions"] > 50


def test_guides_share_the_pool_of_a_device():
    assert pool_for(torch.zeros(1, 64)) is pool_for(torch.zeros(5, 33))
    assert pool_for(torch.zeros(1, 64)) is not pool_for(torch.zeros(1, 65))


@pytest.mark.parametrize(("device", "misses"), [("cpu", 0), ("meta", 1)])
def test_guides_use_it_everywhere_but_on_the_cpu(device, misses):
    """On the device that has shapes and no numbers, for want of another one."""
    guide, logits = ConstraintGuide(Matcher(index_of("a*"))), torch.zeros(3, VOCABULARY.rows, device=device)
    before = pool_for(logits).statistics()["misses"]
    assert guide.adjust(logits, guide.start([[1]] * 3)).shape == logits.shape
    assert pool_for(logits).statistics()["misses"] == before + misses


@pytest.mark.gpu
@given(st.randoms(use_true_random=False), st.integers(0, 12))
def test_random_scripts_on_a_gpu(rng, masks):
    pool, indexes = pool_of(masks, torch.device("cuda:0")), [index_of(pattern) for pattern in PATTERNS]
    matchers = [Matcher(rng.choice(indexes)) for _ in range(rng.randint(1, 8))]
    for dtype in [torch.float32, torch.float16, torch.bfloat16, torch.float64] * 4:
        matchers = [step(rng, matcher) for matcher in matchers]
        rows = [m if rng.random() < 0.9 else None for m in matchers]
        agree(pool, logits_of(len(rows), dtype).cuda(), rows)


@pytest.mark.gpu
def test_the_guide_on_a_gpu_is_that_on_the_cpu():
    guide = ConstraintGuide([Matcher(index_of(pattern)) for pattern in PATTERNS])
    state, rng = guide.start([[1]] * len(PATTERNS)), random.Random(0)
    before = None
    for _ in range(12):
        logits = logits_of(len(state))
        same_bits(guide.adjust(logits.cuda(), state).cpu(), guide.adjust(logits, state))
        before = before or pool_for(logits.cuda()).statistics()
        tokens = [matcher.allowed_tokens().tolist() for matcher in state]
        state = guide.advance(state, [[rng.choice(row)] if row else [] for row in tokens])
    assert pool_for(logits.cuda()).statistics()["hits"] > before["hits"]


@pytest.mark.gpu
def test_each_stream_has_its_pool():
    """Two streams with work of their own before them, which replace each other's masks if they share any."""
    matchers, logits = places_of("abc0abc0", 8), logits_of(8).cuda()
    expected = without_pool(logits.cpu(), matchers)
    first = pool_for(logits)
    with torch.cuda.stream(torch.cuda.Stream()):
        torch.cuda._sleep(10_000_000)
        assert pool_for(logits) is not first
        other = pool_for(logits).forbid(logits, matchers)
    same_bits(first.forbid(logits, matchers).cpu(), expected)
    torch.cuda.synchronize()
    same_bits(other.cpu(), expected)
