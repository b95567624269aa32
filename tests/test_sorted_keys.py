"""Keys of an object by their beginnings, shared by texts that begin alike, against lists."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

from hypothesis import given
from hypothesis import strategies as st

from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.token_index import TokenIndex
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.grammars.json_schema.objects.key_tokens import KeyTokens
from guidance_kit.grammars.json_schema.objects.sorted_keys import FirstKeys, SortedKeys
from guidance_kit.grammars.json_schema.objects.written_keys import WrittenKey
from guidance_kit.vocabulary import Vocabulary

keys = st.text("ab\U0010ffff\ud7ff", max_size=3)


def agree(written: WrittenKey, prefixes: list[str]) -> None:
    before = {one.key: one for one in written.of_object()}
    for prefix in prefixes:
        found = written.siblings.beginning_with(prefix)
        assert found == sorted((key, one) for key, one in before.items() if key.startswith(prefix))
        assert len(found) <= written.siblings.most_beginning_with(prefix)
        assert (prefix in written.siblings) == (prefix in before)


@given(st.data(), st.lists(keys, min_size=1, max_size=12))
def test_texts_that_fork_have_their_own_keys(data, drawn):
    known: list[WrittenKey] = []
    for key in drawn:
        before = data.draw(st.sampled_from([None, *known]))
        if before is None or all(one.key != key for one in before.of_object()):
            known.append(WrittenKey(key, 0, before, before))
            if data.draw(st.booleans()):
                agree(known[-1], [key])
    for written in data.draw(st.permutations(known)):
        agree(written, ["", "a", "b", "\U0010ffff", "a\U0010ffff", "ab", *drawn])


def test_a_key_that_a_forked_thread_had_not_added_yet_does_not_count():
    keys: SortedKeys[WrittenKey] = SortedKeys()
    first = WrittenKey("b", 0, None, None)
    second = WrittenKey("a", 0, first, first)
    assert keys.append(1, "b", first)
    keys.numbers["half"] = 2
    assert keys.append(2, "a", second)
    assert "half" not in FirstKeys(keys, 2)
    assert FirstKeys(keys, 2).beginning_with("") == [("a", second), ("b", first)]


def test_texts_in_threads_see_no_keys_of_each_other():
    before = None
    for number in range(50):
        before = WrittenKey(f"key{number}", 0, before, before)

    def branch(name: int) -> bool:
        written, said = before, []
        for number in range(100):
            written = WrittenKey(f"{name}-{number}", 0, written, written)
            said.append(written.key)
            found = [key for key, _ in written.siblings.beginning_with(f"{name}-")]
            others = written.siblings.beginning_with("key")
            if found != sorted(said) or len(others) != 50 or f"{1 - name}-{number}" in written.siblings:
                return False
        return True

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(2) as pool:
            assert all(pool.map(branch, range(2)))
    finally:
        sys.setswitchinterval(interval)


def test_each_key_of_a_long_object_is_sorted_in_once_and_few_are_looked_at(monkeypatch):
    """The work of the masks of one key does not grow with the number of keys before it."""
    appended, walked = [], []
    append, walk = SortedKeys.append, KeyTokens._walk
    monkeypatch.setattr(SortedKeys, "append", lambda self, *args: appended.append(args) or append(self, *args))
    monkeypatch.setattr(KeyTokens, "_walk", lambda self, *args: walked.append(args) or walk(self, *args))
    schema = {"type": "object", "additionalProperties": {"const": 1}}
    constraint = json_schema(schema, whitespace="compact", escapes="minimal")
    matcher = Matcher(TokenIndex.build(constraint.network(), Vocabulary.from_bytes()))
    matcher.advance_bytes(b"{")
    for number in range(300):
        for byte in f'"k{number:03}"'.encode():
            assert byte in matcher.allowed_tokens()
            matcher.advance(byte)
        matcher.advance_bytes(b":1,")
    assert (len(appended), len(walked)) == (299, 0)  # nothing was asked after the last
    matcher.advance_bytes(b'"k000')
    assert ord('"') not in matcher.allowed_tokens()
