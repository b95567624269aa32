"""The vocabulary as a value: what it holds, what it refuses, what its fingerprint sees."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from types import SimpleNamespace

import pytest
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models

from guidance_kit.errors import GuidanceKitError, VocabularyError
from guidance_kit.vocabulary import Vocabulary


def small(**changes) -> Vocabulary:
    fields = {"token_bytes": (b"", b"a", b"b", b"ab", b"a", b""), "special": frozenset({0}), "eos": (0,), "rows": 8}
    return Vocabulary(**fields | changes)


def table(decoder, vocab=None, **model) -> Tokenizer:
    """A tokenizer over a fixed table with the given decoder."""
    tokenizer = Tokenizer(models.BPE(vocab=vocab or {"a": 0, "▁b": 1, "<0x0A>": 2, "é": 3}, merges=[], **model))
    if decoder is not None:
        tokenizer.decoder = decoder
    return tokenizer


def test_the_fields():
    vocabulary = small(eos=(3, 0, 3))
    assert len(vocabulary) == 6
    assert vocabulary.eos == (3, 0)
    assert vocabulary.special == {0, 3}
    assert vocabulary.token_bytes[3] == b""  # what ends a sequence is not text
    assert vocabulary.spellable_bytes == {ord("a"), ord("b")}


def test_raw_bytes():
    vocabulary = Vocabulary.from_bytes()
    assert vocabulary.rows == 257
    assert len(vocabulary) == 256
    assert vocabulary.eos == (256,)
    assert vocabulary.text_of(b"\x00caf\xc3\xa9\xff") == b"\x00caf\xc3\xa9\xff"
    zero = Vocabulary.from_bytes(eos=0)
    assert (zero.rows, zero.token_bytes[0], len(zero.spellable_bytes)) == (256, b"", 255)
    assert Vocabulary.from_bytes(rows=512).rows == 512
    with pytest.raises(VocabularyError):
        Vocabulary.from_bytes(rows=256)


def test_text_of():
    vocabulary = small()
    assert vocabulary.text_of([1, 3, 0, 5, 6, 7, 2]) == b"aabb"  # special, empty and padding ids add nothing
    assert vocabulary.text_of([]) == b""
    for token in (-1, 8):
        with pytest.raises(VocabularyError, match=str(token)):
            vocabulary.text_of([1, token])


def test_frozen_and_copied():
    vocabulary = small()
    with pytest.raises(dataclasses.FrozenInstanceError):
        vocabulary.rows = 9  # type: ignore[misc]
    for twin in (copy.deepcopy(vocabulary), pickle.loads(pickle.dumps(vocabulary))):
        assert twin == vocabulary
        assert hash(twin) == hash(vocabulary)
        assert twin.token_bytes == vocabulary.token_bytes
    assert len(repr(Vocabulary.from_bytes())) < 120


@pytest.mark.parametrize(
    "changes",
    [
        {"token_bytes": (b"", b"a", b"b", b"aba", b"", b"")},
        {"token_bytes": (b"", b"a", b"ba", b"b", b"a", b"")},  # the same bytes, cut elsewhere
        {"special": frozenset({0, 5})},
        {"eos": (5,), "special": frozenset({0})},
        {"eos": (0, 5), "special": frozenset({0, 5})},
        {"rows": 9},
    ],
)
def test_the_fingerprint_sees_every_field(changes):
    assert small(**changes) != small()
    assert small(**changes).fingerprint != small().fingerprint


def test_the_fingerprint_is_stable():
    assert small() == small()
    assert small() != "something else"
    assert Vocabulary.from_bytes().fingerprint == Vocabulary.from_bytes().fingerprint
    assert len(small().fingerprint) == 64


@pytest.mark.parametrize(
    "changes",
    [{"rows": 5}, {"eos": (8,)}, {"eos": (-1,)}, {"special": frozenset({99})}],
)
def test_what_does_not_fit_the_rows_is_refused(changes):
    with pytest.raises(VocabularyError, match="rows"):
        small(**changes)


REFUSED = [
    (table(None), "declares no decoder"),
    (table(decoders.WordPiece()), "WordPiece.*neighbours"),
    (table(decoders.BPEDecoder()), "BPEDecoder.*neighbours"),
    (table(decoders.CTC()), "CTC.*neighbours"),
    (table(decoders.ByteLevel(), end_of_word_suffix="</w>"), "end of words"),
    (table(decoders.ByteLevel(), continuing_subword_prefix="##"), "inside or the end"),
    (table(decoders.Sequence([decoders.ByteLevel(), decoders.Metaspace()])), "mixes a byte-level decoder"),
    (table(decoders.Replace(Regex("a+"), "b")), "not understood.*Regex"),
    (table(decoders.Sequence([decoders.Fuse(), decoders.Replace("ab", "c")])), "replaces 'ab' across tokens"),
    (object(), "does not say which bytes"),
    (SimpleNamespace(name_or_path="org/strange", get_vocab=dict), "org/strange"),
]


@pytest.mark.parametrize(("tokenizer", "message"), REFUSED)
def test_tokenizers_without_a_text_per_token_are_refused(tokenizer, message):
    with pytest.raises(VocabularyError, match=message) as caught:
        Vocabulary.from_tokenizer(tokenizer)
    assert isinstance(caught.value, GuidanceKitError)
    assert isinstance(caught.value, ValueError)


def test_wordpiece_of_transformers_is_refused(tmp_path):
    from transformers import BertTokenizer

    (tmp_path / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "##b"]))
    with pytest.raises(VocabularyError, match=r"BertTokenizer.*(WordPiece|inside)"):
        Vocabulary.from_tokenizer(BertTokenizer.from_pretrained(tmp_path))


BYTES = [
    (decoders.ByteLevel(), (b"a", "▁b".encode(), b"<0x0A>", b"\xe9")),
    (decoders.Metaspace(), (b"a", b" b", b"<0x0A>", b"\xc3\xa9")),
    (decoders.Replace("▁", "_"), (b"a", b"_b", b"<0x0A>", b"\xc3\xa9")),
    (decoders.ByteFallback(), (b"a", "▁b".encode(), b"\n", b"\xc3\xa9")),
    (decoders.Sequence([decoders.Metaspace(), decoders.Strip(" ", 1, 0)]), (b"a", b"b", b"<0x0A>", b"\xc3\xa9")),
    (
        decoders.Sequence([decoders.Metaspace(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]),
        (b"a", b" b", b"<0x0A>", b"\xc3\xa9"),
    ),
    (decoders.Sequence([decoders.Sequence([decoders.ByteFallback()])]), (b"a", "▁b".encode(), b"\n", b"\xc3\xa9")),
]


@pytest.mark.parametrize(("decoder", "expected"), BYTES)
def test_the_declared_decoder_decides(decoder, expected):
    assert Vocabulary.from_tokenizer(table(decoder)).token_bytes == expected


def test_byte_fallback_that_only_the_model_declares():
    vocabulary = Vocabulary.from_tokenizer(table(decoders.Metaspace(), byte_fallback=True))
    assert vocabulary.token_bytes == (b"a", b" b", b"\n", b"\xc3\xa9")


def test_what_only_looks_like_a_byte_is_text():
    odd = {"<0xZZ>": 0, "<0x1>": 1, "<0x012>": 2, "<0xfF>": 3, "<0x+A>": 4}
    vocabulary = Vocabulary.from_tokenizer(table(decoders.ByteFallback(), odd))
    assert vocabulary.token_bytes[:4] == (b"<0xZZ>", b"<0x1>", b"<0x012>", b"\xff")


def test_the_whole_byte_table():
    """Against the construction in GPT-2's published encoder, as transformers keeps it."""
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    letters = bytes_to_unicode()
    vocab = {letters[byte] + letters[255 - byte]: byte for byte in range(256)}
    vocabulary = Vocabulary.from_tokenizer(table(decoders.ByteLevel(), vocab))
    assert vocabulary.token_bytes == tuple(bytes([byte, 255 - byte]) for byte in range(256))


def test_letters_outside_the_byte_table_stand_for_themselves():
    vocab = {"a b": 0, "｜": 1, "\x80": 2, "\xad": 3, "Ġ\xa0": 4, "Ń": 5, "ń": 6, "": 7}
    vocabulary = Vocabulary.from_tokenizer(table(decoders.ByteLevel(), vocab))
    assert vocabulary.token_bytes[:5] == (b"a b", "｜".encode(), b"\xc2\x80", b"\xc2\xad", "Ġ\xa0".encode())
    assert vocabulary.token_bytes[5:] == (b"\xad", "ń".encode(), b"")


def with_added(*contents: str) -> Tokenizer:
    """The four letters of `table`, byte-level, and added tokens from id 4 on; "<x>" is special."""
    tokenizer = table(decoders.ByteLevel())
    for content in contents:
        tokenizer.add_tokens([AddedToken(content, special=content == "<x>", normalized=False)])
    return tokenizer


def test_more_rows_than_tokens_and_fewer():
    tokenizer = with_added("<x>", "naïve", "Ġx")
    assert Vocabulary.from_tokenizer(tokenizer, rows=64).rows == 64
    whole = Vocabulary.from_tokenizer(tokenizer)
    assert (whole.rows, whole.special, whole.eos) == (7, {4}, ())
    assert whole.token_bytes[4:] == (b"", "naïve".encode(), "Ġx".encode())
    cut = Vocabulary.from_tokenizer(tokenizer, rows=4)  # a model without rows for the added tokens
    assert (cut.rows, len(cut), cut.special) == (4, 4, frozenset())
    with pytest.raises(VocabularyError, match="do not belong together"):
        Vocabulary.from_tokenizer(tokenizer, rows=3)
    with pytest.raises(VocabularyError, match="do not belong together"):
        Vocabulary.from_tokenizer(tokenizer, rows=4, eos=4)


@pytest.mark.parametrize(("eos", "expected"), [(4, (4,)), ([4, 2], (4, 2)), (None, ()), ((), ()), (range(2), (0, 1))])
def test_end_of_sequence_sets(eos, expected):
    vocabulary = Vocabulary.from_tokenizer(with_added("<x>"), eos=eos)
    assert vocabulary.eos == expected
    assert vocabulary.special == {4, *expected}


def test_the_tokenizer_names_its_own_end():
    from transformers import PreTrainedTokenizerFast

    tokenizer = PreTrainedTokenizerFast(tokenizer_object=with_added("<x>", "<y>"), eos_token="<x>", pad_token="<y>")
    assert Vocabulary.from_tokenizer(tokenizer).eos == (4,)
    assert Vocabulary.from_tokenizer(tokenizer).special == {4, 5}
    assert Vocabulary.from_tokenizer(tokenizer, eos=[5, 4]).eos == (5, 4)


def test_a_hole_in_the_ids_is_neither_text_nor_special():
    vocabulary = Vocabulary.from_tokenizer(table(decoders.ByteLevel(), {"a": 0, "b": 4}))
    assert vocabulary.token_bytes == (b"a", b"", b"", b"", b"b")
    assert vocabulary.special == frozenset()


def test_slow_tokenizers_with_a_byte_table():
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    letters = bytes_to_unicode()
    tokenizer = SimpleNamespace(
        byte_decoder={letter: byte for byte, letter in letters.items()},
        get_vocab=lambda: {"Ġthe": 0, letters[0xC3]: 1, "é": 2, "<end>": 3, "naïve": 4},
        added_tokens_decoder={3: AddedToken("<end>", special=True), 4: AddedToken("naïve")},
        all_special_ids=[3],
        eos_token_id=3,
    )
    vocabulary = Vocabulary.from_tokenizer(tokenizer)
    assert vocabulary.token_bytes == (b" the", b"\xc3", b"\xe9", b"", "naïve".encode())
    assert (vocabulary.eos, vocabulary.special) == ((3,), {3})
    tokenizer.get_vocab = lambda: {"漢": 0}
    with pytest.raises(VocabularyError, match="漢"):
        Vocabulary.from_tokenizer(tokenizer)


def test_tokenizers_of_mistral_common():
    """The shape that transformers' MistralCommonBackend has for a Tekken file; special tokens come first there."""
    texts = {3: b"Hi", 4: b"\xc3", 5: b" there"}
    tekken = SimpleNamespace(special_ids={0, 1, 2}, n_words=6, id_to_byte_piece=lambda token: texts.get(token, b""))
    tekken.id_to_piece = ["<s>", "<unk>", "</s>"].__getitem__
    nested = SimpleNamespace(instruct_tokenizer=SimpleNamespace(tokenizer=tekken))
    tokenizer = SimpleNamespace(tokenizer=nested, all_special_ids=[0, 1, 2], eos_token_id=2)
    vocabulary = Vocabulary.from_tokenizer(tokenizer)
    assert vocabulary.token_bytes == (b"", b"", b"", b"Hi", b"\xc3", b" there")
    assert (vocabulary.eos, vocabulary.special, vocabulary.rows) == ((2,), {0, 1, 2}, 6)
    assert vocabulary.special_names == {0: "<s>", 1: "<unk>", 2: "</s>"}


def test_tiktoken_without_an_end_token():
    import tiktoken

    ranks = {bytes([byte]): byte for byte in range(256)}
    encoding = tiktoken.Encoding("bytes", pat_str=r"[\s\S]", mergeable_ranks=ranks, special_tokens={"<s>": 300})
    vocabulary = Vocabulary.from_tiktoken(encoding)
    assert (vocabulary.eos, vocabulary.special, vocabulary.rows) == ((), {300}, 301)
    assert Vocabulary.from_tiktoken(encoding, rows=256).special == frozenset()
    with pytest.raises(VocabularyError):
        Vocabulary.from_tiktoken(encoding, rows=255)
