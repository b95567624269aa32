"""Text model over a GGUF file: a distribution that is a pure function of the prefix."""

# pyright: reportMissingImports=false

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import llama_cpp
import torch
from torch import Tensor

from guidance_kit.errors import ModelError, OptionError, VocabularyError
from guidance_kit.models.chat import reasoning_tags, template_text
from guidance_kit.models.checked_prefixes import checked_prefixes
from guidance_kit.models.gguf.gguf_file import GgufFile
from guidance_kit.models.gguf.gguf_vocabulary import gguf_vocabulary
from guidance_kit.models.gguf.sequence_cache import SequenceCache
from guidance_kit.models.spelled_text import require_text, spell
from guidance_kit.vocabulary import Vocabulary

__all__ = ["GgufModel", "load_gguf"]

CacheDtype = Literal["float16", "float32"]

_CACHE_KINDS: dict[str, int] = {"float16": llama_cpp.GGML_TYPE_F16, "float32": llama_cpp.GGML_TYPE_F32}

PROMPT_KEY = "guidance_kit.prompt"
"""Key of the metadata with the style of prompts; without it "instruction"."""


class GgufModel:
    """Next-token logits of a causal language model in a GGUF file, computed by llama.cpp.

    `logits` answers for any prefixes at any time, as `TransformersModel` does; see `SequenceCache`. Calls from several
    threads wait for each other. Adapters, hidden states and trees of tokens are not possible.

    Args:
        path: the file; of a model in parts the first of them.
        cache_tokens: most tokens of all rows whose keys and values are kept, at least 1; also the longest text.
        cache_dtype: data type of keys and values.
        threads: number of threads; by default those of torch.
        gpu_layers: number of layers on a GPU; None as llama.cpp has it, all where it was built for a GPU.
        name: what to call the model in messages; by default the name of the file.
    Attributes:
        prompt_style, start_token, vocabulary: see `TextModel`; as the file has them.
    Raises:
        ModelError: see `GgufFile`.
        VocabularyError: see `gguf_vocabulary`.
        OptionError: a number out of range.
    """

    has_full_support = True
    """No softmax is 0; see `decoding.distribution.has_full_support`."""

    def __init__(
        self,
        path: str | Path,
        *,
        cache_tokens: int = 32768,
        cache_dtype: CacheDtype = "float16",
        threads: int | None = None,
        gpu_layers: int | None = None,
        name: str = "",
    ) -> None:
        for option, value, least in (
            ("cache_tokens", cache_tokens, 1),
            ("threads", threads, 1),
            ("gpu_layers", gpu_layers, 0),
        ):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < least):
                raise OptionError(f"{option} must be an integer, at least {least}, not {value!r}")
        if cache_dtype not in _CACHE_KINDS:
            raise OptionError.unknown(cache_dtype, tuple(_CACHE_KINDS), what="cache_dtype")
        self._file = GgufFile(path, gpu_layers=gpu_layers)
        self.name = name or self._file.path.name
        self.rows = self._file.rows
        self.context_length = min(self._file.context_length, cache_tokens)
        self.prompt_style = self._file.metadata(PROMPT_KEY) or "instruction"
        start: Any = llama_cpp.llama_vocab_bos(self._file.vocab)
        self.start_token: int | None = start if 0 <= start < self.rows else None
        self._template = self._file.chat_template
        self.vocabulary: Vocabulary = gguf_vocabulary(self._file.model, name=self.name)
        self._cache = SequenceCache(
            self._file,
            tokens=cache_tokens,
            kind=_CACHE_KINDS[cache_dtype],
            threads=threads or torch.get_num_threads(),
        )
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"GgufModel({self.name}, {self.rows} rows, context {self.context_length})"

    @property
    def has_chat_template(self) -> bool:
        """True if the file says how the model writes conversations."""
        return self._template is not None

    @property
    def reasoning_tags(self) -> tuple[str, str, str] | None:
        """Texts around thoughts in the chat template; None without a template, or one without thoughts."""
        return reasoning_tags(self._template)

    def encode(self, text: str, *, with_special_tokens: bool = True) -> list[int]:
        """Token ids of a prompt; special tokens that it spells are recognised.

        Args:
            with_special_tokens: add those that the file asks for at the start of a sequence, never those at its end.
        Raises:
            OptionError: it is no text, or has a lone surrogate.
        """
        tokens = self._file.tokenize(require_text(text), with_special_tokens=with_special_tokens)
        if with_special_tokens and llama_cpp.llama_vocab_get_add_eos(self._file.vocab) and tokens:
            return tokens[:-1]
        return tokens

    def spell(self, text: str) -> list[int]:
        """Token ids that add up to a text in the middle of another one.

        Raises:
            UnspellableError: there are none; names the characters at fault.
            OptionError: as `encode`.
        """
        return spell(text, lambda one: self.encode(one, with_special_tokens=False), self.vocabulary)

    def chat(self, messages: Sequence[Mapping[str, Any]], **template_options: Any) -> list[int]:
        """Token ids of a conversation, up to where the model answers.

        Args:
            messages: `{"role": "user", "content": "..."}` each.
            template_options: what the template itself knows, e.g. `enable_thinking=False`.
        Raises:
            ModelError: there is no chat template; the template refuses the messages.
        """
        if self._template is None:
            raise ModelError(f"{self.name} has no chat template; write the prompt as a text")
        ends = {"bos_token": self.start_token, "eos_token": llama_cpp.llama_vocab_eos(self._file.vocab)}
        names = {key: "" if token is None else self._file.token_name(token) for key, token in ends.items()}
        written = template_text(self.name, self._template, messages, {**names, **template_options})
        return self.encode(written, with_special_tokens=False)

    def room(self, prompt: Sequence[int]) -> int | None:
        """Number of tokens that fit after a prompt; see `Distribution.room`."""
        return self.context_length - len(prompt)

    def clear(self) -> None:
        """Let go of what was computed."""
        with self._lock:
            self._cache.clear()

    def logits(
        self,
        prefixes: Sequence[Sequence[int]],
        positions: int = 1,
        *,
        starts: Sequence[int] = (),
        allowed: Callable[[torch.device], Tensor] | None = None,
    ) -> Tensor:
        """Unnormalised log-probabilities of the token after each of the last `positions` prefixes.

        See `decoding.Distribution.logits`.

        Args:
            prefixes: token ids, of any lengths, none of them empty.
            positions: at least 1, at most the length of the shortest prefix.
            starts, allowed: make no difference.
        Returns:
            Float32, (batch, positions, rows), nats.
        Raises:
            OptionError, ModelError, ContextLengthError: as `checked_prefixes`; llama.cpp fails.
            VocabularyError: a token that the model does not have.
        """
        lists = checked_prefixes(prefixes, positions, self.context_length)
        for prefix in lists:
            if not 0 <= min(prefix) <= max(prefix) < self.rows:
                wrong = next(token for token in prefix if not 0 <= token < self.rows)
                raise VocabularyError(f"there is no token {wrong} in a model of {self.rows}")
        places: dict[tuple[int, ...], int] = {}
        found = [places.setdefault(tuple(prefix), len(places)) for prefix in lists]
        with self._lock:
            logits = torch.from_numpy(self._cache.logits([list(prefix) for prefix in places], positions))
        return logits if len(places) == len(lists) else logits[torch.tensor(found)]


def load_gguf(
    path: str | Path,
    *,
    device: str | torch.device | None = None,
    dtype: str | torch.dtype | None = None,
    adapter: str | Path | None = None,
    trust_remote_code: bool = False,
    **options: Any,
) -> GgufModel:
    """Load a model from a GGUF file, with the arguments of `models.loading.load` as far as they have a meaning.

    Args:
        device: "cpu" puts no layer on a GPU; see `gpu_layers` for others.
        trust_remote_code: makes no difference, as such a file holds no code.
        options: of `GgufModel`.
    Raises:
        OptionError: dtype, adapter or another device; an unknown option.
        ModelError, VocabularyError: as `GgufModel`.
    """
    for option in options:
        if option not in _OPTIONS:
            raise OptionError.unknown(option, _OPTIONS)
    if dtype is not None:
        raise OptionError(f"the data types of {path} are those of the file; leave dtype out, or convert it anew")
    if adapter is not None:
        raise OptionError(f"adapters are for models of transformers; merge {adapter} before the model is converted")
    if device is not None and str(device) != "cpu":
        raise OptionError(f"llama.cpp chooses devices; give gpu_layers=N instead of device={str(device)!r}")
    if device is not None:
        options.setdefault("gpu_layers", 0)
    return GgufModel(path, **options)


_OPTIONS = ("cache_tokens", "cache_dtype", "threads", "gpu_layers", "name")
