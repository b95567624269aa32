"""Tries on disk: the same masks as those built anew, whatever becomes of the files."""

from __future__ import annotations

import os
import random
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from marks import slow

from guidance_kit.fsm import token_trie, trie_cache
from guidance_kit.fsm.token_trie import TokenTrie
from guidance_kit.vocabulary import Vocabulary


def large_vocabulary(seed: int) -> Vocabulary:
    rng = random.Random(seed)
    words = sorted({bytes(rng.choices(b'abcdef "\\\n\xc3\xa9', k=rng.randint(2, 7))) for _ in range(12_000)})
    texts = (*(bytes([byte]) for byte in range(256)), *words, words[0])
    return Vocabulary(token_bytes=(*texts, b""), special=frozenset(), eos=(len(texts),), rows=len(texts) + 40)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.setenv("GUIDANCE_KIT_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache" / "tries"


def same(one: TokenTrie, other: TokenTrie) -> bool:
    return all(np.array_equal(a, b) and a.dtype == b.dtype for a, b in zip(one.arrays, other.arrays, strict=True))


def test_tries_come_back_as_they_were(folder, monkeypatch):
    vocabulary = large_vocabulary(1)
    built = TokenTrie(vocabulary)
    assert [path.suffix for path in folder.iterdir()] == [".npz"]
    monkeypatch.setattr(token_trie, "_built", None)  # so that building would fail
    assert same(TokenTrie(vocabulary), built)
    with pytest.raises(TypeError):
        TokenTrie(large_vocabulary(2))


@pytest.mark.parametrize("damage", [*slow(b"", b"PK\x03\x04 and no more"), "half", "other arrays"])
def test_damaged_files_are_replaced(folder, damage):
    vocabulary = large_vocabulary(1)
    built = TokenTrie(vocabulary)
    (path,) = folder.iterdir()
    whole = path.read_bytes()
    if damage == "half":
        path.write_bytes(whole[: len(whole) // 2])
    elif damage == "other arrays":
        np.savez(path, whole=built.arrays.whole)
    else:
        path.write_bytes(damage)
    assert same(TokenTrie(vocabulary), built)
    assert path.stat().st_size == len(whole)


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
@pytest.mark.parametrize("place", ["folder", "file"])
def test_what_others_can_write_is_not_read(folder, place):
    trie_cache.save("a", {"a": np.arange(3)})
    assert trie_cache.load("a") is not None
    (file,) = folder.iterdir()
    (folder if place == "folder" else file).chmod(0o777)
    assert trie_cache.load("a") is None


def test_no_folder_to_write_to(tmp_path, monkeypatch):
    vocabulary = large_vocabulary(1)
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("GUIDANCE_KIT_CACHE_DIR", str(tmp_path / "file"))
    with pytest.warns(RuntimeWarning, match="cannot be kept on disk"):
        one = TokenTrie(vocabulary)
    monkeypatch.setenv("GUIDANCE_KIT_CACHE_DIR", "")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert same(TokenTrie(vocabulary), one)
    assert trie_cache.folder() is None


def test_many_at_once(folder):
    vocabulary = large_vocabulary(1)
    with ThreadPoolExecutor(8) as pool:
        tries = list(pool.map(TokenTrie, [vocabulary] * 16))
    assert all(same(trie, tries[0]) for trie in tries)
    assert len(list(folder.iterdir())) == 1


def test_the_oldest_go_first(folder, monkeypatch):
    monkeypatch.setattr(trie_cache, "_MOST_FILES", 2)
    for seed in range(4):
        trie_cache.save(f"{seed}", {"a": np.arange(seed)})
    assert sorted(path.name.partition("-")[0] for path in folder.iterdir()) == ["2", "3"]
    assert trie_cache.load("0") is None
    assert trie_cache.load("3")["a"].tolist() == [0, 1, 2]


def test_small_vocabularies_are_not_kept(folder):
    TokenTrie(Vocabulary.from_bytes())
    assert not folder.exists()
