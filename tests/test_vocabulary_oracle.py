"""The bytes of every token are what decoding adds in context, on trained tokenizers and on published ones.

The oracle is the tokenizer's own decoder. A token may hold only a part of a character; then it is put between single
bytes that complete the character, so that the decoder shows all of it.
"""

from __future__ import annotations

import itertools
import json
import random
from base64 import b64decode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trained_tokenizers import ADDED, FAST, SLOW, WORDS, lines

from guidance_kit.vocabulary import Vocabulary

# Every part of a character can be completed by one of these in front and one of those behind.
LEADS = "c2 e1 e180 e0 e0a0 ed ed80 f1 f180 f18080 f0 f090 f09080 f4 f480 f48080"
BEFORE = [b"", *map(bytes.fromhex, LEADS.split())]
BEHIND = [b"".join(parts) for n in range(4) for parts in itertools.product([b"\x80", b"\x90", b"\xa0"], repeat=n)]


def completion(text: bytes) -> tuple[bytes, bytes] | None:
    """Bytes before and behind that make `text` a run of whole characters; None if it is in no valid text."""
    for before, behind in sorted(itertools.product(BEFORE, BEHIND), key=lambda pair: len(pair[0]) + len(pair[1])):
        try:
            (before + text + behind).decode()
        except UnicodeDecodeError:
            continue
        return before, behind
    return None


def check_in_context(vocabulary: Vocabulary, decode_batch, single_byte, tokens, context: int) -> int:
    """Compare the text of each of `tokens` with what decoding shows between two `context` tokens.

    Returns:
        The number of tokens that are not part of any valid text and were found to decode to replacement characters.
    """
    left, both = decode_batch([[context], [context, context]])
    right = both[len(left) :]
    broken, cases, expected = 0, [], []
    for token in tokens:
        text = vocabulary.token_bytes[token]
        found = completion(text) if not text.isascii() else (b"", b"")
        if found is None:
            cases.append([context, token, context])
            expected.append(None)
            continue
        before, behind = found
        ids = [*map(single_byte, before), token, *map(single_byte, behind)]
        cases.append([context, *ids, context])
        expected.append(left + (before + text + behind).decode() + right)
    for case, wanted, got in zip(cases, expected, decode_batch(cases), strict=True):
        if wanted is None:
            assert "\ufffd" in got, case
            broken += 1
        else:
            assert got == wanted, (case, got, wanted)
    return broken


def byte_ids(vocabulary: Vocabulary) -> dict[int, int]:
    """Byte -> one token for it. (A wrong one would show in the characters that the decoder makes of it.)"""
    return {text[0]: token for token, text in enumerate(vocabulary.token_bytes) if len(text) == 1}


def text_tokens(vocabulary: Vocabulary) -> list[int]:
    return [token for token, text in enumerate(vocabulary.token_bytes) if text and token not in vocabulary.special]


def check_fast(tokenizer, vocabulary: Vocabulary, *, skip: frozenset[int] = frozenset()) -> int:
    backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
    singles = byte_ids(vocabulary)
    return check_in_context(
        vocabulary,
        lambda cases: backend.decode_batch(cases, skip_special_tokens=False),
        singles.__getitem__,
        [token for token in text_tokens(vocabulary) if token not in skip],
        context=singles[ord("c")],
    )


@pytest.fixture(scope="module", params=sorted(FAST))
def fast(request, tmp_path_factory):
    tokenizer = FAST[request.param](tmp_path_factory.mktemp(request.param))
    return request.param, tokenizer, Vocabulary.from_tokenizer(tokenizer)


@pytest.fixture(scope="module", params=sorted(SLOW))
def slow(request, tmp_path_factory):
    tokenizer = SLOW[request.param](tmp_path_factory.mktemp(request.param))
    return tokenizer, Vocabulary.from_tokenizer(tokenizer)


def test_trained_fast_tokenizers(fast):
    name, tokenizer, vocabulary = fast
    assert len(text_tokens(vocabulary)) > 90
    # The documented exception: `decode` reads the letters of an added byte-level token as bytes.
    misread = {tokenizer.convert_tokens_to_ids("über")} if name == "byte-level" else set()
    broken = check_fast(tokenizer, vocabulary, skip=frozenset(misread))
    assert broken == (13 if b"\xff" in vocabulary.token_bytes else 0)  # C0, C1, F5..FF are in no valid text


def test_the_oracle_can_fail(fast):
    _, tokenizer, vocabulary = fast
    rng = random.Random(1)
    texts = list(vocabulary.token_bytes)
    victim = rng.choice([token for token in text_tokens(vocabulary) if texts[token].isalpha() and texts[token] != b"c"])
    texts[victim] = b" " + texts[victim]
    wrong = Vocabulary(token_bytes=tuple(texts), special=vocabulary.special, eos=vocabulary.eos, rows=vocabulary.rows)
    with pytest.raises(AssertionError):
        check_fast(tokenizer, wrong)


def test_trained_slow_tokenizers(slow):
    tokenizer, vocabulary = slow
    added = {token for token, entry in tokenizer.added_tokens_decoder.items() if token >= tokenizer.vocab_size}
    singles = byte_ids(vocabulary)
    check_in_context(
        vocabulary,
        lambda cases: [tokenizer.sp_model.decode(case) for case in cases],  # transformers shows "<0x41>" for a byte
        singles.__getitem__,
        [token for token in text_tokens(vocabulary) if token not in added],
        context=singles[ord("c")],
    )
    for text in ADDED:
        assert vocabulary.token_bytes[tokenizer.convert_tokens_to_ids(text)] == text.encode()


@pytest.mark.parametrize("kind", ["llama-bpe", "gpt-sw3", "byte-level", "t5", "gemma"])
def test_special_tokens_are_not_text(kind, tmp_path):
    tokenizer = {**FAST, **SLOW}[kind](tmp_path)
    vocabulary = Vocabulary.from_tokenizer(tokenizer)
    assert set(tokenizer.all_special_ids) <= vocabulary.special
    assert tokenizer.convert_tokens_to_ids("<|late|>") in vocabulary.special
    assert all(vocabulary.token_bytes[token] == b"" for token in vocabulary.special)
    if tokenizer.unk_token_id is not None:
        assert tokenizer.unk_token_id in vocabulary.special
    for text in ADDED:
        token = tokenizer.convert_tokens_to_ids(text)
        assert token not in vocabulary.special
        assert vocabulary.token_bytes[token] == text.encode()


# What is encoded comes back: on text as it is, or with the space that SentencePiece puts in front.
IN_FRONT = {"byte-level": b"", "llama-bpe": b" ", "llama-unigram": b" ", "gemma": b""}
TRAINED: dict[str, tuple] = {}


@pytest.fixture(scope="module", autouse=True)
def trained(tmp_path_factory):
    for kind in IN_FRONT:
        tokenizer = FAST[kind](tmp_path_factory.mktemp(f"round-{kind}"))
        TRAINED[kind] = tokenizer, Vocabulary.from_tokenizer(tokenizer)
    yield
    TRAINED.clear()


@pytest.mark.parametrize("kind", sorted(IN_FRONT))
@given(
    text=st.lists(st.one_of(st.sampled_from([*WORDS, *ADDED, " ", "  "]), st.text(max_size=5)), max_size=8).map("".join)
)
def test_round_trip(kind, text):
    tokenizer, vocabulary = TRAINED[kind]
    text = text.replace("▁", "_")  # SentencePiece cannot tell it from a space
    for special in tokenizer.all_special_tokens:
        text = text.replace(special, "")
    ids = tokenizer.encode(text, add_special_tokens=False)
    if not text.startswith(" ") and text and not text.startswith(tuple(ADDED)):
        assert vocabulary.text_of(ids) == IN_FRONT[kind] + text.encode()
    else:
        assert vocabulary.text_of(ids).lstrip(b" ") == text.lstrip(" ").encode()


PUBLISHED = {"tokenizers/gpt2": 13, "tokenizers/qwen2.5": 13, "models/stories260k": 13, "models/tinystories-656k": 0}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if "qwen" in name else name for name in PUBLISHED]
)
def test_published_fast_tokenizers(name, shared_data):
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(shared_data / name)
    vocabulary = Vocabulary.from_tokenizer(tokenizer)
    assert check_fast(tokenizer, vocabulary) == PUBLISHED[name]
    for line in lines(20):
        text = vocabulary.text_of(tokenizer.encode(line, add_special_tokens=False))
        if "tinystories" not in name:
            assert text.removeprefix(b" " if "stories" in name else b"").decode() == tokenizer.backend_tokenizer.decode(
                tokenizer.encode(line, add_special_tokens=False)
            )
    assert vocabulary.eos == (tokenizer.eos_token_id,)
    assert vocabulary.rows == len(tokenizer)


@pytest.fixture(scope="module")
def o200k_base(shared_data):
    import tiktoken

    # Not by tiktoken's own loader: that of 0.9 reads local files with another package only.
    lines = (shared_data / "tokenizers/o200k_base/o200k_base.tiktoken").read_text().splitlines()
    return tiktoken.Encoding(
        "o200k_base",
        pat_str=r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        mergeable_ranks={b64decode(text): int(rank) for text, rank in map(str.split, lines)},
        special_tokens={"<|endoftext|>": 199_999, "<|endofprompt|>": 200_018},
    )


@pytest.mark.slow
def test_tiktoken(o200k_base):
    vocabulary = Vocabulary.from_tiktoken(o200k_base)
    holes = [199_998, *range(200_000, 200_018)]
    assert len(vocabulary) == vocabulary.rows == 200_019
    assert vocabulary.eos == (199_999,)
    assert vocabulary.special == {199_999, 200_018}
    assert [token for token, text in enumerate(vocabulary.token_bytes) if not text] == sorted(
        [*holes, *vocabulary.special]
    )
    assert len(vocabulary.spellable_bytes) == 256
    for token in text_tokens(vocabulary):
        assert o200k_base.decode_bytes([64, token]) == o200k_base.decode_bytes([64]) + vocabulary.token_bytes[token]
    for line in lines(20):
        assert vocabulary.text_of(o200k_base.encode(line)) == line.encode()


def test_tiktoken_with_more_rows(o200k_base):
    vocabulary = Vocabulary.from_tiktoken(o200k_base, rows=201_088, eos=[200_018, 199_999])
    assert (vocabulary.rows, vocabulary.eos, len(vocabulary)) == (201_088, (200_018, 199_999), 200_019)


def test_every_part_of_a_character_can_be_completed():
    for character in ["é", "ह", "퟿", "\ue000", "漢", "🙂", "\U00010000", "\U0010ffff", "\u0800", "\u0080"]:
        data = character.encode()
        for start, stop in itertools.combinations(range(len(data) + 1), 2):
            assert completion(data[start:stop]) is not None
    assert completion(b"\xc0") is None
    assert completion(b"\xff") is None
    assert completion(b"\xe0\x80") is None


@pytest.mark.parametrize("name", ["gpt2", pytest.param("qwen2.5", marks=pytest.mark.slow)])
def test_the_json_form_without_merges_is_the_same_but_for_them(shared_data, name):
    from tokenizers import Tokenizer

    from guidance_kit.vocabulary import _without_merges

    text = Tokenizer.from_file(str(shared_data / "tokenizers" / name / "tokenizer.json")).to_str()
    whole = json.loads(text)
    del whole["model"]["merges"]
    assert json.loads(_without_merges(text)) == whole
