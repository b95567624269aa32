"""LRU caches bounded by entries and bytes."""

from __future__ import annotations

from importlib import import_module

import pytest

import guidance_kit as gk
from guidance_kit.fsm.caches import BoundedCache
from guidance_kit.grammars import segmentation


def test_the_most_recently_used_values_are_kept():
    made: list[str] = []
    cache = BoundedCache[str, list[int]](3, 100, sum)

    def get(key: str, *sizes: int) -> list[int]:
        def make() -> list[int]:
            made.append(key)
            return list(sizes)

        return cache.get(key, make)

    for key in "abc":
        get(key, 10)
    assert get("a") is get("a")
    get("d", 10)  # too many: b goes
    for key in "acd":
        get(key)
    assert "".join(made) == "abcd"
    get("b", 10)  # a goes
    get("c").append(80)  # it grows
    assert get("d") == get("b") == [10]
    get("e", 10)  # too much: c goes
    assert get("d") == get("b") == get("e") == [10]
    get("big", 1000)
    assert get("big") == [1000]  # alone
    assert "".join(made) == "abcdbebig"


def test_an_addition_reads_few_sizes_however_many_values_there_are():
    values = [[1] for _ in range(500)]
    read: list[int] = []

    def size_of(value: list[int]) -> int:
        read.append(1)
        return sum(value)

    cache = BoundedCache[int, list[int]](1000, 10_000, size_of)
    for number, value in enumerate(values):
        before = len(read)
        cache.add(number, value)
        assert len(read) - before <= 5
    for value in values[-50:]:
        value.append(180)  # within the bound, with nothing to spare
    assert cache.statistics().bytes == 9_500
    values[0].append(5_000)
    for number in range(500, 626):  # as many as it takes until each value has had its turn
        cache.add(number, [1])
    assert list(cache) == list(range(1, 626))  # it was the least recently used one, and without it there is room
    assert cache.statistics().bytes == 9_499 + 126


@pytest.mark.parametrize(("most_bytes", "count"), [(2**20, 2), (0, 4)])
def test_automata_that_read_texts_are_kept_as_memory_allows(monkeypatch, most_bytes, count):
    made: list[gk.Constraint] = []
    make = segmentation._automaton
    monkeypatch.setattr(segmentation, "_AUTOMATA", BoundedCache(64, most_bytes, lambda automaton: automaton.size))
    monkeypatch.setattr(segmentation, "_automaton", lambda part: made.append(part) or make(part))
    whole = gk.sequence("a", gk.json_schema({"type": "integer"}))
    assert [whole.evaluate(text) for text in ("a1", "a23")] == [("a", 1), ("a", 23)]
    assert len(made) == count


def test_fixed_sizes_are_counted_as_read_ones():
    read, fixed = (BoundedCache[int, bytes](5, 100, len, has_fixed_sizes=fixed) for fixed in (False, True))
    for number, size in enumerate((10, 20, 30, 40, 50, 5, 5, 90, 200, 1)):
        for cache in (read, fixed):
            cache.get(number, lambda size=size: bytes(size))
            cache.find(number - 1)
        assert list(read) == list(fixed)
        assert read.statistics() == fixed.statistics()


def test_hits_misses_and_evictions_are_counted():
    cache = BoundedCache[str, int](2, 100, lambda value: value)
    for key in "aabca":
        cache.get(key, lambda: 10)
    found = cache.statistics()
    assert (found.entries, found.bytes, found.bound) == (2, 20, 100)
    assert (found.hits, found.misses, found.evictions) == (1, 4, 2)
    cache.clear()
    assert (len(cache), cache.statistics().bytes) == (0, 0)
    assert cache.statistics().misses == 4


@pytest.fixture
def _same_limit():
    before = gk.caches.limit()
    yield
    gk.caches.limit(before)


@pytest.mark.usefixtures("_same_limit")
def test_every_cache_of_the_process_is_listed_bounded_and_emptied():
    vocabulary = gk.Vocabulary.from_bytes()
    constraints = [gk.json_schema({"const": f"value {n}"}) for n in range(5)]

    def masks() -> list[list[int]]:
        return [gk.Matcher(one.compile(vocabulary)).allowed().tolist() for one in constraints]

    expected = masks()
    assert gk.sequence("a", constraints[0]).evaluate('a"value 0"') == ("a", "value 0")
    written = gk.grammar('start: "a" /b+/')
    import_module("guidance_kit.grammars.regular.bounded_length")  # a cache is listed as soon as its module is loaded
    names = {"arenas", "automata", "bounded languages", "fragments", "grammars", "indexes", "languages", "masks"}
    names |= {"position sets", "vocabularies"}
    before = gk.caches.statistics()
    assert set(before) == names | {"grammar files"}
    assert before["indexes"].entries >= 5
    assert before["automata"].entries >= 1
    assert before["vocabularies"].bytes > 0
    assert before["grammars"].bytes > 0
    assert gk.grammar('start: "a" /b+/') is written
    assert masks() == expected
    assert gk.caches.statistics()["indexes"].hits >= before["indexes"].hits + 5
    gk.caches.clear()
    after = gk.caches.statistics()
    assert all(after[name].entries == 0 for name in names - {"arenas", "masks"})
    again = gk.grammar('start: "a" /b+/')
    assert again == written
    assert again is not written
    assert masks() == expected
    gk.caches.limit(0)
    bounds = {name: one.bound for name, one in gk.caches.statistics().items()}
    assert bounds == dict.fromkeys(names - {"arenas"}, 0) | {"arenas": None, "grammar files": 64 * 2**20}
    assert masks() == expected
    assert gk.caches.statistics()["indexes"].entries == 1
    gk.caches.limit(512 * 2**20)
    assert gk.caches.statistics()["masks"].bound == 192 * 2**20
    with pytest.raises(ValueError, match="at least 0"):
        gk.caches.limit(-1)


def test_named_caches_are_emptied_and_no_others():
    gk.json_schema({"const": "some value"}).compile(gk.Vocabulary.from_bytes())
    gk.grammar('start: "a" /b+/')
    before = gk.caches.statistics()
    assert before["indexes"].entries
    assert before["vocabularies"].entries
    with pytest.raises(ValueError, match=r"no cache 'index'; there are .*indexes"):
        gk.caches.clear("grammars", "index")
    assert gk.caches.statistics()["grammars"].entries == before["grammars"].entries
    gk.caches.clear("indexes", "grammars")
    after = gk.caches.statistics()
    assert after["indexes"].entries == after["grammars"].entries == 0
    assert after["vocabularies"].entries == before["vocabularies"].entries
