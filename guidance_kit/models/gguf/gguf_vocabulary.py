"""Vocabulary of a GGUF file, from its own tokenizer."""

# pyright: reportMissingImports=false

from __future__ import annotations

import ctypes
from typing import Any

import llama_cpp

from guidance_kit.errors import VocabularyError
from guidance_kit.vocabulary import Vocabulary

__all__ = ["gguf_vocabulary"]

_JOINING = {
    llama_cpp.LLAMA_VOCAB_TYPE_NONE: "no tokenizer",
    llama_cpp.LLAMA_VOCAB_TYPE_WPM: "a WordPiece tokenizer, whose tokens depend on their neighbours",
}
"""Kinds of tokenizers without a text for each token."""

_SPECIAL = llama_cpp.LLAMA_TOKEN_ATTR_CONTROL | llama_cpp.LLAMA_TOKEN_ATTR_UNKNOWN


def gguf_vocabulary(model: Any, *, name: str) -> Vocabulary:
    """Read the vocabulary of a model that llama.cpp has loaded.

    Control tokens and the unknown token never match text. All tokens that end a generation in llama.cpp end a sequence.

    Args:
        model: pointer of llama.cpp.
        name: of the model, for messages.
    Raises:
        VocabularyError: the tokens have no texts of their own.
    """
    vocab: Any = llama_cpp.llama_model_get_vocab(model)
    lack = _JOINING.get(llama_cpp.llama_vocab_type(vocab))
    if lack is not None:
        raise VocabularyError(f"{name} has {lack}; no constraint on its texts could be exact")
    rows: int = llama_cpp.llama_vocab_n_tokens(vocab)
    kinds = [int(llama_cpp.llama_vocab_get_attr(vocab, token)) for token in range(rows)]
    special = {token for token, kind in enumerate(kinds) if kind & _SPECIAL}
    unused = {token for token, kind in enumerate(kinds) if kind & llama_cpp.LLAMA_TOKEN_ATTR_UNUSED}
    size = max((token for token in range(rows) if token not in unused), default=-1) + 1
    piece, silent = _PieceReader(vocab), special | unused
    eos = tuple(token for token in range(rows) if llama_cpp.llama_vocab_is_eog(vocab, token))
    own = llama_cpp.llama_vocab_eos(vocab)
    return Vocabulary(
        token_bytes=tuple(piece(token) if token not in silent else b"" for token in range(size)),
        special=frozenset(special),
        eos=tuple(sorted(eos, key=lambda token: token != own)),
        rows=rows,
        special_names={token: llama_cpp.llama_vocab_get_text(vocab, token).decode() for token in special},
    )


class _PieceReader:
    """Reader of the bytes that each token adds in the middle of a text."""

    def __init__(self, vocab: Any) -> None:
        self._vocab = vocab
        self._buffer = ctypes.create_string_buffer(256)

    def __call__(self, token: int) -> bytes:
        size = len(self._buffer)
        length = llama_cpp.llama_token_to_piece(self._vocab, token, self._buffer, size, 0, False)
        if length < 0:
            self._buffer = ctypes.create_string_buffer(-length)
            return self(token)
        return self._buffer.raw[:length]
