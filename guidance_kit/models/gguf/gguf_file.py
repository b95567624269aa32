"""Model in a GGUF file, opened by llama.cpp: weights, metadata and tokenizer."""

# pyright: reportMissingImports=false

from __future__ import annotations

import ctypes
import logging
import weakref
from functools import cache
from pathlib import Path
from typing import Any

import llama_cpp

from guidance_kit.errors import ModelError

__all__ = ["GgufFile"]

_MAGIC = b"GGUF"
_LOGGER = "llama-cpp-python"


class GgufFile:
    """Open GGUF file. The weights stay in the file, mapped into memory, and are shared by all contexts.

    Args:
        path: the file; of a model in parts the first of them.
        gpu_layers: number of layers on a GPU; None as llama.cpp has it, all where it was built for a GPU.
    Attributes:
        model, vocab: pointers of llama.cpp.
        rows: width of the logits.
        context_length: number of tokens that the model was trained on.
    Raises:
        ModelError: there is no such file; it is no GGUF file, or llama.cpp cannot load it; it is no causal language
            model.
    """

    def __init__(self, path: str | Path, *, gpu_layers: int | None = None) -> None:
        self.path = Path(path).expanduser()
        _require_gguf(self.path)
        _start_backend()
        parameters = llama_cpp.llama_model_default_params()
        if gpu_layers is not None:
            parameters.n_gpu_layers = gpu_layers
        self.model: Any = llama_cpp.llama_model_load_from_file(str(self.path).encode(), parameters)
        if not self.model:
            raise ModelError(
                f"llama.cpp cannot load {self.path}; its messages are shown by "
                f"logging.getLogger({_LOGGER!r}).setLevel('DEBUG')"
            )
        self._close = weakref.finalize(self, llama_cpp.llama_model_free, self.model)
        if llama_cpp.llama_model_has_encoder(self.model) or not llama_cpp.llama_model_has_decoder(self.model):
            raise ModelError(f"{self.path} is a model with an encoder; only causal language models generate here")
        self.vocab: Any = llama_cpp.llama_model_get_vocab(self.model)
        self.rows: int = llama_cpp.llama_vocab_n_tokens(self.vocab)
        self.context_length: int = llama_cpp.llama_model_n_ctx_train(self.model)

    @property
    def cuts_anywhere(self) -> bool:
        """True if a cache of the model can be cut after any token: not of recurrent layers."""
        return not (llama_cpp.llama_model_is_recurrent(self.model) or llama_cpp.llama_model_is_hybrid(self.model))

    @property
    def chat_template(self) -> str | None:
        """Template of conversations, None without one."""
        found = llama_cpp.llama_model_chat_template(self.model, None)
        return None if found is None else found.decode()

    def metadata(self, key: str) -> str | None:
        """Value of a key of the metadata as text, None without one."""
        size = 64
        while True:
            buffer: Any = ctypes.create_string_buffer(size)  # which llama_cpp declares as bytes
            length = llama_cpp.llama_model_meta_val_str(self.model, key.encode(), buffer, size)
            if length < size:
                return None if length < 0 else buffer.value.decode()
            size = length + 1

    def token_name(self, token: int) -> str:
        """Name of a token in the file; empty for a token that there is not."""
        return llama_cpp.llama_vocab_get_text(self.vocab, token).decode() if 0 <= token < self.rows else ""

    def tokenize(self, text: str, *, with_special_tokens: bool) -> list[int]:
        """Token ids of a text; special tokens that it spells are recognised.

        Args:
            with_special_tokens: with those that the file asks for at both ends.
        """
        written = text.encode()
        size = len(written) + 16
        while True:
            tokens = (llama_cpp.llama_token * size)()
            count = llama_cpp.llama_tokenize(self.vocab, written, len(written), tokens, size, with_special_tokens, True)
            if count >= 0:
                return list(tokens[:count])
            size = -count


def _require_gguf(path: Path) -> None:
    try:
        with path.open("rb") as file:
            magic = file.read(len(_MAGIC))
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {(error.strerror or str(error)).lower()}") from None
    if magic != _MAGIC:
        raise ModelError(f"{path} is no GGUF file: it begins with {magic!r}")


@cache
def _start_backend() -> None:
    """Start llama.cpp once, which by default writes dozens of lines about each model."""
    logger = logging.getLogger(_LOGGER)
    if logger.level == logging.NOTSET:
        logger.setLevel(logging.CRITICAL)
    llama_cpp.llama_backend_init()
