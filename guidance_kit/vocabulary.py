"""Vocabulary: the bytes that each token of a model adds to the text.

A tokenizer's own `decode` maps whole sequences to strings; constraints need the bytes of ONE token. They are read from
the decoder that the tokenizer declares, never guessed from a name:

    byte-level BPE (GPT-2, Qwen, Llama 3)      each character of a token stands for one byte, by GPT-2's table
    SentencePiece (Llama 2, Gemma, T5)         "▁" is a space, "<0x0A>" is the byte 10 where byte fallback is declared
    tiktoken, Mistral's Tekken, raw bytes      the bytes are given

`decode` also trims the ends of the whole text: Llama 2 drops one space before the first token, so that "▁the" alone
decodes to "the". In the middle of a text the same token adds " the", and these are its bytes here, as a generation
continues a prompt. A text generated after an empty prompt therefore begins with the space that `decode` would trim.

Tokenizers whose decoder is not a function of the single token (WordPiece, BPE with an end-of-word suffix, CTC) are
refused: they join words by rules about neighbours, so that no text constraint could be exact.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from guidance_kit.errors import VocabularyError

__all__ = ["Vocabulary"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Vocabulary:
    """Bytes of every token, and the special tokens. Vocabularies are equal if their fingerprints are.

    Attributes:
        token_bytes: bytes that each token adds to the text; the index is the token id. b"" for special tokens and for
            unused ids. Two ids may have the same bytes.
        special: ids that never match text, whatever their names look like; includes all of `eos`.
        eos: ids that end a sequence, without repetition; may be empty, or lie beyond `token_bytes`.
        rows: width of the model's logits, at least `len(token_bytes)`; the ids between are padding and add nothing.
        special_names: names by id of special tokens with an entry in `token_bytes`; constraints cannot refer to special
            tokens without a name.
        fingerprint: SHA-256 of all of the above, hexadecimal.

    >>> vocabulary = Vocabulary.from_bytes()
    >>> vocabulary.text_of([72, 105, 256])
    b'Hi'
    """

    token_bytes: tuple[bytes, ...]
    special: frozenset[int]
    eos: tuple[int, ...]
    rows: int
    special_names: Mapping[int, str] = field(default_factory=dict[int, str])
    fingerprint: str = field(init=False)

    def __post_init__(self) -> None:
        size = len(self.token_bytes)
        if self.rows < size:
            raise VocabularyError(f"{size} tokens do not fit a model with {self.rows} rows of logits")
        eos = tuple(dict.fromkeys(self.eos))
        special = self.special | frozenset(eos)
        outside = sorted(token for token in special if not 0 <= token < self.rows)
        if outside:
            raise VocabularyError(
                f"end-of-sequence or special tokens {outside} lie outside the {self.rows} rows of the model; "
                "the tokenizer and the model do not belong together"
            )
        token_bytes = self.token_bytes
        if any(token < size and token_bytes[token] for token in special):
            token_bytes = tuple(b"" if token in special else text for token, text in enumerate(token_bytes))
        named = sorted(token for token in special & self.special_names.keys() if token < size)
        names = {token: self.special_names[token] for token in named}
        object.__setattr__(self, "token_bytes", token_bytes)
        object.__setattr__(self, "special", special)
        object.__setattr__(self, "eos", eos)
        object.__setattr__(self, "special_names", {token: name for token, name in names.items() if name})
        object.__setattr__(self, "fingerprint", _fingerprint(self))

    @classmethod
    def from_tokenizer(
        cls, tokenizer: Any, *, rows: int | None = None, eos: int | Iterable[int] | None = None
    ) -> Vocabulary:
        """Read the vocabulary of a `transformers` tokenizer, fast or slow, or of a `tokenizers.Tokenizer`.

        Special tokens, the unknown token and the end-of-sequence tokens never match text. Added tokens that are not
        special do match text, as they are written (where a byte-level tokenizer's `decode` would take the letters of
        such a token for GPT-2's byte table, "naïve" becoming b"na\\xefve", the encoder's reading counts).

        Args:
            tokenizer: not changed.
            rows: width of the model's logits; by default the number of ids. Added tokens that lie beyond, which the
                model cannot produce, are left out.
            eos: end-of-sequence ids, all of the model's generation config; by default the tokenizer's own.
        Raises:
            VocabularyError: the bytes of the tokens cannot be determined exactly, or tokens lie beyond `rows`.
        """
        backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
        if hasattr(backend, "to_str"):
            texts, special, added, names = _read_declared(
                json.loads(_without_merges(backend.to_str())), _name(tokenizer)
            )
        elif hasattr(tokenizer, "sp_model") and hasattr(tokenizer, "convert_ids_to_tokens"):
            texts, special, added, names = _read_sentencepiece(tokenizer)
        elif isinstance(getattr(tokenizer, "byte_decoder", None), Mapping) and hasattr(tokenizer, "get_vocab"):
            texts, special, added, names = _read_byte_table(tokenizer)
        elif hasattr(tekken := _inner_tekken(tokenizer), "id_to_byte_piece"):
            texts, special, added, names = _read_tekken(tekken)
        else:
            raise VocabularyError(
                f"{_name(tokenizer)} does not say which bytes its tokens are: it has neither a fast backend nor a "
                "SentencePiece model nor a byte table. Load its fast version, or build Vocabulary(token_bytes=...)"
            )
        more = {token for token in getattr(tokenizer, "all_special_ids", ()) if token is not None} - special
        special |= more
        names |= {token: str(tokenizer.convert_ids_to_tokens(token)) for token in more}
        if eos is None:
            eos = getattr(tokenizer, "eos_token_id", None)
        return cls._assemble(texts, special, added, names, rows=rows, eos=eos, name=_name(tokenizer))

    @classmethod
    def from_tiktoken(
        cls, encoding: Any, *, rows: int | None = None, eos: int | Iterable[int] | None = None
    ) -> Vocabulary:
        """Read the vocabulary of a `tiktoken.Encoding`.

        Args:
            encoding: not changed. Its ids may have gaps.
            rows: width of the model's logits; by default `encoding.n_vocab`.
            eos: end-of-sequence ids; by default the encoding's end-of-text token, if it has one.
        Raises:
            VocabularyError: tokens lie beyond `rows`.
        """
        names = {encoding.encode_single_token(name): name for name in encoding.special_tokens_set}
        special = set(names)
        texts: dict[int, bytes] = {}
        for token in range(encoding.n_vocab):
            try:
                texts[token] = encoding.decode_single_token_bytes(token)
            except KeyError:
                continue
        if eos is None:
            eos = encoding.eot_token if "<|endoftext|>" in encoding.special_tokens_set else ()
        rows = rows or encoding.n_vocab
        return cls._assemble(texts, special, special, names, rows=rows, eos=eos, name=encoding.name)

    @classmethod
    def from_bytes(cls, *, eos: int = 256, rows: int | None = None) -> Vocabulary:
        """Vocabulary of a byte-level model: 256 bytes, each its own id, and one end-of-sequence id.

        Args:
            eos: the end-of-sequence id; below 256 it replaces that byte.
            rows: width of the model's logits; by default the number of ids.
        """
        texts = tuple(bytes([byte]) for byte in range(256))
        enough = max(256, eos + 1) if rows is None else rows
        return cls(token_bytes=texts, special=frozenset({eos}), eos=(eos,), rows=enough)

    def with_eos(self, eos: Iterable[int]) -> Vocabulary:
        """Vocabulary with the same tokens and other ends of sequence, which spell no text.

        Raises:
            VocabularyError: an id lies outside the rows.
        """
        ends = tuple(eos)
        return Vocabulary(
            token_bytes=self.token_bytes,
            special=self.special | set(ends),
            eos=ends,
            rows=self.rows,
            special_names=self.special_names,
        )

    @classmethod
    def _assemble(
        cls,
        texts: Mapping[int, bytes],
        special: set[int],
        added: set[int],
        names: Mapping[int, str],
        *,
        rows: int | None,
        eos: int | Iterable[int] | None,
        name: str,
    ) -> Vocabulary:
        """Build the vocabulary from bytes by id, limited to the rows."""
        size = max([-1, *texts, *(token for token in names if rows is None or token < rows)]) + 1
        if rows is None:
            rows = max(size, max(special, default=-1) + 1)
        beyond = sorted(token for token in texts if token >= rows)
        lost = [token for token in beyond if token not in added and token not in special]
        if lost:
            raise VocabularyError(
                f"{name} has tokens up to {lost[-1]}, but the model has only {rows} rows of logits; "
                "the tokenizer and the model do not belong together"
            )
        laid_out = [b""] * min(size, rows)
        for token, text in texts.items():
            if token < rows:
                laid_out[token] = text
        ends = () if eos is None else (eos,) if isinstance(eos, int) else tuple(eos)
        within = frozenset(token for token in special if token < rows)
        return cls(token_bytes=tuple(laid_out), special=within, eos=ends, rows=rows, special_names=names)

    def __len__(self) -> int:
        """Number of ids with an entry in `token_bytes`."""
        return len(self.token_bytes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        return (
            f"Vocabulary({len(self)} tokens, {len(self.special)} special, eos={self.eos}, rows={self.rows}, "
            f"fingerprint={self.fingerprint[:12]}…)"
        )

    @property
    def spellable_bytes(self) -> frozenset[int]:
        """Bytes with a token of their own; with all 256 every text can be spelled."""
        return frozenset(text[0] for text in self.token_bytes if len(text) == 1)

    def shown(self, token: int) -> bytes:
        """Bytes of a token, 0..rows-1, or the name of a special token in UTF-8."""
        text = self.token_bytes[token] if token < len(self.token_bytes) else b""
        return text or self.special_names.get(token, "").encode()

    def text_of(self, tokens: Iterable[int]) -> bytes:
        """Concatenated bytes of `tokens`, as in the middle of a text; special and padding ids add nothing.

        Raises:
            VocabularyError: an id is not in 0..rows-1.
        """
        texts, size = self.token_bytes, len(self.token_bytes)
        parts: list[bytes] = []
        for token in tokens:
            if 0 <= token < size:
                parts.append(texts[token])
            elif not size <= token < self.rows:
                raise VocabularyError(f"there is no token {token} in a vocabulary of {self.rows} rows")
        return b"".join(parts)


def _fingerprint(vocabulary: Vocabulary) -> str:
    """SHA-256 of everything that a mask depends on."""
    texts, names = vocabulary.token_bytes, list(vocabulary.special_names.items())
    header = [vocabulary.rows, list(vocabulary.eos), sorted(vocabulary.special), names, list(map(len, texts))]
    digest = hashlib.sha256(json.dumps(header).encode())
    digest.update(b"".join(texts))
    return digest.hexdigest()


def _name(tokenizer: Any) -> str:
    """Name of a tokenizer for messages."""
    name = getattr(tokenizer, "name_or_path", "")
    return f"{type(tokenizer).__name__}({name!r})" if name else type(tokenizer).__name__


_Read = tuple[dict[int, bytes], set[int], set[int], dict[int, str]]
"""Bytes by id; special ids; added ids; names of special ids."""


def _without_merges(state: str) -> str:
    """JSON form of a tokenizer without its BPE merges, which are most of it and irrelevant for bytes.

    Quotes inside strings are escaped, so the first `,"merges":[` is the key itself; if other keys follow it, the form
    is returned unchanged.
    """
    start = state.find(',"merges":[')
    return state[:start] + "}}" if start >= 0 and state.endswith("]}}") else state


def _read_declared(state: Mapping[str, Any], name: str) -> _Read:
    """Read the JSON form of a `tokenizers.Tokenizer`."""
    model: Mapping[str, Any] = state["model"]
    spell, is_byte_level = _speller(state["decoder"], model, name)
    vocab: Mapping[str, int] | Sequence[tuple[str, float]] = model["vocab"]
    if isinstance(vocab, Mapping):
        pieces = {token: piece for piece, token in vocab.items()}
        unknown = vocab.get(model.get("unk_token", ""))
    else:  # Unigram: [piece, score] in the order of ids
        pieces = {token: piece for token, (piece, _) in enumerate(vocab)}
        unknown = model.get("unk_id")
    names = {} if unknown is None else {unknown: pieces[unknown]}
    texts = dict(zip(pieces, map(spell, pieces.values()), strict=True))
    added: set[int] = set()
    for entry in state["added_tokens"]:
        token, content = entry["id"], entry["content"]
        if entry["special"]:
            names[token] = content
        if pieces.get(token) != content:
            added.add(token)
            texts[token] = content.encode() if is_byte_level else spell(content)
    return texts, set(names), added, names


def _speller(
    decoder: Mapping[str, Any] | None, model: Mapping[str, Any], name: str
) -> tuple[Callable[[str], bytes], bool]:
    """Function from a token to its bytes inside a text, from a declared decoder; and True if that is byte-level."""
    if decoder is None:
        raise VocabularyError(f"{name} declares no decoder, so its tokens are not text")
    if model.get("end_of_word_suffix") or model.get("continuing_subword_prefix"):
        raise VocabularyError(
            f"{name} marks the inside or the end of words ({model['type']} with a subword prefix or suffix); "
            "what its tokens add depends on their neighbours"
        )
    steps = list(_flattened(decoder))
    kinds = [step["type"] for step in steps]
    if "ByteLevel" in kinds:
        if set(kinds) - {"ByteLevel", "Fuse"}:
            raise VocabularyError(f"{name} mixes a byte-level decoder with others: {', '.join(kinds)}")
        return _spell_byte_level, True
    edits: list[Callable[[str], str]] = []
    bytes_at = 0 if model.get("byte_fallback") else None  # the edits from here on see bytes as characters
    is_fused = False
    for step in steps:
        kind = step["type"]
        if kind == "Fuse":
            is_fused = True
        elif kind == "ByteFallback":
            bytes_at = len(edits)
        elif kind == "Metaspace":
            edits.append(_replacement(step["replacement"], " "))
        elif kind == "Replace" and "String" in step["pattern"]:
            pattern: str = step["pattern"]["String"]
            if is_fused and len(pattern) > 1:
                raise VocabularyError(f"{name} replaces {pattern!r} across tokens, so no token has a text of its own")
            edits.append(_replacement(pattern, step["content"]))
        elif kind == "Strip":
            if not is_fused:  # else it trims the ends of the whole text: see the top of this file
                edits.append(_trimming(step["content"], step["start"], step["stop"]))
        else:
            raise VocabularyError(
                f"{name} has a decoder of type {kind}; what its tokens add depends on their neighbours"
                if kind in ("WordPiece", "BPEDecoder", "CTC")
                else f"{name} has a decoder step that is not understood: {json.dumps(step)}"
            )
    first, then = edits[:bytes_at], edits[bytes_at:] if bytes_at is not None else []

    def spell(piece: str) -> bytes:
        for edit in first:
            piece = edit(piece)
        if bytes_at is not None and len(piece) == 6 and (byte := _fallback_byte(piece)) is not None:
            if byte >= b"\x80":
                return byte
            piece = byte.decode()
        for edit in then:
            piece = edit(piece)
        return piece.encode()

    return spell, False


def _flattened(decoder: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    """Steps of a decoder, with nested sequences flattened."""
    if decoder["type"] == "Sequence":
        for inner in decoder["decoders"]:
            yield from _flattened(inner)
    else:
        yield decoder


def _replacement(old: str, new: str) -> Callable[[str], str]:
    """Replace all of `old`."""
    return lambda piece: piece.replace(old, new)


def _trimming(content: str, start: int, stop: int) -> Callable[[str], str]:
    """Remove up to `start` times `content` in front and up to `stop` times at the end."""

    def trim(piece: str) -> str:
        left = 0
        while left < min(start, len(piece)) and piece[left] == content:
            left += 1
        right = len(piece)
        while right > max(left, len(piece) - stop) and piece[right - 1] == content:
            right -= 1
        return piece[left:right]

    return trim


def _fallback_byte(piece: str) -> bytes | None:
    """Byte of a byte-fallback piece like "<0x0A>"; None for another piece."""
    if piece.startswith("<0x") and piece.endswith(">"):
        try:
            return bytes.fromhex(piece[3:5])
        except ValueError:
            return None
    return None


def _byte_table() -> dict[int, str]:
    """GPT-2's byte alphabet as a table for `str.translate`: from its 256 letters to the characters 0..255.

    Printable Latin-1 characters map to themselves, and the characters from U+0100 on to all other bytes, in order. A
    character below U+0100 that is no letter of the alphabet maps to U+FFFF, which Latin-1 cannot encode.

    Source: Radford et al. 2019, `bytes_to_unicode` in the published encoder.
    """
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    table = {byte: chr(byte) if byte in printable else "\uffff" for byte in range(256)}
    others = (byte for byte in range(256) if byte not in printable)
    return table | {0x100 + number: chr(byte) for number, byte in enumerate(others)}


_BYTE_TABLE = _byte_table()


def _spell_byte_level(piece: str) -> bytes:
    """Bytes of a byte-level piece; one with other letters is its own UTF-8, as in the `tokenizers` library."""
    try:
        return piece.translate(_BYTE_TABLE).encode("latin-1")
    except UnicodeEncodeError:
        return piece.encode()


def _read_sentencepiece(tokenizer: Any) -> _Read:
    """Read a slow tokenizer over a SentencePiece model, whose ids may differ from those of the model."""
    model = tokenizer.sp_model
    texts: dict[int, bytes] = {}
    names: dict[int, str] = {}
    for token in range(tokenizer.vocab_size):
        piece: str | None = tokenizer.convert_ids_to_tokens(token)
        if piece is None:
            continue
        number: int = model.piece_to_id(piece)
        is_named = model.id_to_piece(number) != piece  # by the tokenizer, like "<mask>", not by the model
        if is_named or model.is_control(number) or model.is_unknown(number):
            names[token] = piece
        elif model.is_byte(number):
            texts[token] = _fallback_byte(piece) or b""
        elif not model.is_unused(number):
            texts[token] = piece.replace("▁", " ").encode()
    return _with_added(tokenizer, texts, names)


def _read_byte_table(tokenizer: Any) -> _Read:
    """Read a slow tokenizer with GPT-2's table as `byte_decoder`: letter -> byte."""
    table: Mapping[str, int] = tokenizer.byte_decoder
    texts: dict[int, bytes] = {}
    added: Mapping[int, Any] = tokenizer.added_tokens_decoder
    for piece, token in tokenizer.get_vocab().items():
        if token not in added:
            try:
                texts[token] = bytes(table[letter] for letter in piece)
            except KeyError as error:
                raise VocabularyError(
                    f"{_name(tokenizer)}: token {token} ({piece!r}) has {error.args[0]!r}, which stands for no byte"
                ) from None
    return _with_added(tokenizer, texts, {})


def _inner_tekken(tokenizer: Any) -> Any:
    """Tokenizer inside the wrapper that transformers makes of a `mistral_common` file, or None."""
    for name in ("tokenizer", "instruct_tokenizer", "tokenizer"):
        tokenizer = getattr(tokenizer, name, None)
    return tokenizer


def _read_tekken(tekken: Any) -> _Read:
    """Read Mistral's Tekken, which declares bytes; its special tokens come first."""
    special: set[int] = set(tekken.special_ids)
    texts = {token: tekken.id_to_byte_piece(token) for token in range(tekken.n_words) if token not in special}
    return texts, special, set(), {token: str(tekken.id_to_piece(token)) for token in special}


def _with_added(tokenizer: Any, texts: dict[int, bytes], names: dict[int, str]) -> _Read:
    """Include the added tokens of a slow tokenizer: special ones as such, others as their UTF-8."""
    added: set[int] = set()
    for token, entry in tokenizer.added_tokens_decoder.items():
        if entry.special:
            names[token] = entry.content
        if token not in texts:
            added.add(token)
            texts[token] = entry.content.encode()
    return texts, set(names), added, names
