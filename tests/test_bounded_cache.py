"""LRU caches bounded by entries and bytes."""

from __future__ import annotations

import pytest

import guidance_kit as gk
from guidance_kit.grammars import segmentation
from guidance_kit.grammars.bounded_cache import BoundedCache


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


@pytest.mark.parametrize(("most_bytes", "count"), [(2**20, 2), (0, 4)])
def test_automata_that_read_texts_are_kept_as_memory_allows(monkeypatch, most_bytes, count):
    made: list[gk.Constraint] = []
    make = segmentation._automaton
    monkeypatch.setattr(segmentation, "_AUTOMATA", BoundedCache(64, most_bytes, lambda automaton: automaton.size))
    monkeypatch.setattr(segmentation, "_automaton", lambda part: made.append(part) or make(part))
    whole = gk.sequence("a", gk.json_schema({"type": "integer"}))
    assert [whole.evaluate(text) for text in ("a1", "a23")] == [("a", 1), ("a", 23)]
    assert len(made) == count
