"""Watermark: secret keys and the rule by which they mark the choice of tokens."""

from __future__ import annotations

import json
import math
import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, cast, get_args

import numpy as np

from guidance_kit.decoding.keyed_words import context_key, words_of_all, words_of_tokens
from guidance_kit.decoding.sampling import require_integer, require_number
from guidance_kit.errors import OptionError, VocabularyError
from guidance_kit.vocabulary import Vocabulary

__all__ = ["MOST_LAYERS", "Watermark", "WatermarkKind"]

WatermarkKind = Literal["green", "gumbel", "tournament"]
"""Rule of a watermark, see `Watermark`."""

MOST_LAYERS = 64
"""Number of bits of a word."""

_OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "green": {"green_share": 0.25, "bias": 2.0, "hashing": "left"},
    "gumbel": {},
    "tournament": {"layers": 30},
}
"""For each kind its own options, with their defaults."""

_HALF = np.uint64(32)
_LEAST_KEY, _MOST_KEY, _MOST_KEYS = 16, 64, 65536


@dataclass(frozen=True, slots=True)
class Watermark:
    """Watermark of generated texts: `model.generate(..., watermark=Watermark(key, "gumbel"))`.

    The `width` generated tokens before a token are its context. Key and context give each token of the vocabulary a
    word of 64 random bits, see `keyed_words`, which favours some tokens after mask and truncation:

    * "green": a token is green with probability `green_share`; `bias` nats are added to the logits of green tokens, and
      an infinite one forbids all others, unless no green token is allowed. With `hashing="self"` the context is one
      token: of the `width` tokens before, that whose word of the token is the least.
    * "gumbel": the token with the greatest ln p + Gumbel noise. Over random keys it is distributed as without a mark.
    * "tournament": `layers` rounds in which a token of two drawn ones wins by its bit, as in SynthID. Over random keys
      tokens are distributed as without a mark.

    The last two mark a context once in a text, and draw as without a watermark where it returns: the same noise twice
    would make a text repeat itself. Nor is any token marked whose context reaches into the prompt, which a detector
    does not have, or that has no alternative.

    Args:
        key: secret key, 16 to 64 bytes, or hexadecimal digits; `Watermark.random` draws one. Or several keys, of which
            the seed of a text selects one, so that texts of one prompt differ more.
        kind: see above.
        width: tokens of context, at least 1, with "green" at least 0. A changed token spoils the marks of so many after
            it; a smaller width gives fewer contexts, and others more chances to learn them.
        green_share: share of green tokens, in (0, 1); 0.25 by default.
        bias: nats, greater than 0; 2 by default.
        hashing: "left" or "self".
        layers: rounds, 1 to 64; 30 by default.
        vocabulary: fingerprint of the vocabulary for which the watermark is; others are then refused. See `bound_to`.
    Raises:
        OptionError: no key, or one that is too short; a value out of range; an option of another kind.
    Source: Kirchenbauer et al. 2023, A Watermark for Large Language Models (green, left); Kirchenbauer et al. 2024, On
        the Reliability of Watermarks, algorithm 1 (green, self); Aaronson 2022, lecture (Gumbel); Dathathri et al.
        2024, Scalable Watermarking for Identifying Large Language Model Outputs (tournament, two draws a match). Green
        tokens are drawn independently, not as a set of fixed size, so that their number is exactly binomial.
    """

    key: bytes | str | Sequence[bytes | str] = field(repr=False)
    kind: WatermarkKind = "gumbel"
    width: int = 4
    green_share: float | None = None
    bias: float | None = None
    hashing: Literal["left", "self"] | None = None
    layers: int | None = None
    vocabulary: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", _keys(self.key))
        if self.kind not in get_args(WatermarkKind):
            raise OptionError.unknown(str(self.kind), get_args(WatermarkKind), "kind of watermark")
        for kind, options in _OPTIONS.items():
            for name, default in options.items():
                if kind == self.kind and getattr(self, name) is None:
                    object.__setattr__(self, name, default)
                elif kind != self.kind and getattr(self, name) is not None:
                    raise OptionError(f"{name} is for a {kind} watermark, not for {self.kind}")
        require_integer("width", self.width, least=0 if self.kind == "green" and self.hashing == "left" else 1)
        if self.kind == "green":
            require_number(
                "green_share", self.green_share, "a number between 0 and 1, and neither", lambda p: 0 < p < 1
            )
            require_number("bias", self.bias, "a number greater than 0", lambda b: b > 0)
            if self.hashing not in ("left", "self"):
                raise OptionError.unknown(str(self.hashing), ("left", "self"), "hashing")
        if self.kind == "tournament":
            require_integer("layers", self.layers, least=1, most=MOST_LAYERS)
        if self.vocabulary is not None and not isinstance(self.vocabulary, str):
            raise OptionError("vocabulary is the fingerprint of one; bound_to(vocabulary) sets it")

    @classmethod
    def random(cls, kind: WatermarkKind = "gumbel", *, keys: int = 1, **options: Any) -> Watermark:
        """Watermark with keys from the random numbers of the operating system, of 256 bits.

        Args:
            keys: number of keys, at least 1.
            options: of `Watermark`.
        """
        require_integer("keys", keys, least=1, most=_MOST_KEYS)
        return cls([secrets.token_bytes(32) for _ in range(keys)], kind, **options)

    @property
    def keys(self) -> tuple[bytes, ...]:
        """Secret keys."""
        return cast("tuple[bytes, ...]", self.key)

    @property
    def marks_repeated(self) -> bool:
        """Test for marks in contexts that were seen before in the text."""
        return self.kind == "green"

    @property
    def is_hard(self) -> bool:
        """Test for a hard green list."""
        return self.kind == "green" and self.bias == math.inf

    def bound_to(self, vocabulary: Vocabulary) -> Watermark:
        """Watermark that refuses any other vocabulary."""
        return replace(self, vocabulary=vocabulary.fingerprint)

    def check_vocabulary(self, vocabulary: Vocabulary) -> None:
        """Check that the watermark is for a vocabulary.

        Raises:
            VocabularyError: it is bound to another one.
        """
        if self.vocabulary is not None and self.vocabulary != vocabulary.fingerprint:
            raise VocabularyError(
                f"the watermark is for another tokenizer: its vocabulary has the fingerprint {self.vocabulary[:12]}…, "
                f"this one {vocabulary.fingerprint[:12]}…"
            )

    def words(self, key: bytes, context: Sequence[int], rows: int) -> np.ndarray:
        """Words of all tokens after a context: uint64, (rows,).

        Args:
            key: one of the keys.
            context: the `width` tokens before.
        """
        if self.hashing == "self":
            each = [words_of_all(self._context_key(key, [token]), rows) for token in context]
            return np.take_along_axis(np.array(each), np.argmin(np.array(each) >> _HALF, axis=0)[None], axis=0)[0]
        return words_of_all(self._context_key(key, context), rows)

    def words_of(
        self, key: bytes, contexts: Sequence[Sequence[int]], tokens: Sequence[int]
    ) -> tuple[np.ndarray, list[tuple[int, ...]]]:
        """Words of single tokens after their contexts, and the part of each context that they depend on.

        Returns:
            uint64, (count,); and token ids.
        """
        if self.hashing == "self":
            pairs = [(row, token) for row, context in enumerate(contexts) for token in context]
            keys = {token: self._context_key(key, [token]) for token in {token for _, token in pairs}}
            each = words_of_tokens([keys[token] for _, token in pairs], [tokens[row] for row, _ in pairs])
            each = each.reshape(len(contexts), self.width)
            least = (each >> _HALF).argmin(1)
            anchors = [(context[place],) for context, place in zip(contexts, least, strict=True)]
            return np.take_along_axis(each, least[:, None], axis=1)[:, 0], anchors
        keys_of = [self._context_key(key, context) for context in contexts]
        return words_of_tokens(keys_of, tokens), [tuple(context) for context in contexts]

    def is_green(self, words: np.ndarray) -> np.ndarray:
        """Test words for green tokens: bool, of the same shape. The lower half of the word decides.

        With `hashing="self"` the upper half, by which the least word was selected, is independent of it.
        """
        low = (words & np.uint64(0xFFFFFFFF)).astype(np.float64)
        return low < cast(float, self.green_share) * 2.0**32

    def uniforms(self, words: np.ndarray) -> np.ndarray:
        """Uniform random numbers in (0, 1) from words: float64, of the same shape."""
        return ((words >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52

    def bits(self, words: np.ndarray) -> np.ndarray:
        """Bits of the layers: bool, (..., layers); bit i of the word is that of layer i."""
        places = np.arange(cast(int, self.layers), dtype=np.uint64)
        return (words[..., None] >> places & np.uint64(1)).astype(bool)

    def save(self, path: str | Path) -> None:
        """Write a key file, which its owner alone can read. An existing file is not overwritten.

        Raises:
            OptionError: the file exists, or cannot be written.
        """
        own = {name: getattr(self, name) for name in _OPTIONS[self.kind]}
        if own.get("bias") == math.inf:
            own["bias"] = "inf"
        written = {"kind": self.kind, "width": self.width, **own, "keys": [key.hex() for key in self.keys]}
        if self.vocabulary is not None:
            written["vocabulary"] = self.vocabulary
        try:
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
                file.write(json.dumps(written, indent=2) + "\n")
        except FileExistsError:
            raise OptionError(f"{path} exists; texts marked with its keys are found with them alone") from None
        except OSError as error:
            raise OptionError(f"{path} cannot be written: {(error.strerror or str(error)).lower()}") from None

    @classmethod
    def load(cls, path: str | Path) -> Watermark:
        """Read a key file.

        Raises:
            OptionError: it is none; names the file and the fault.
        """
        try:
            read = json.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise OptionError(f"{path} cannot be read: {(error.strerror or str(error)).lower()}") from None
        except ValueError:
            raise OptionError(f"{path} is no key file: it is not JSON; guidance-kit watermark-key makes one") from None
        known = {entry.name for entry in fields(cls)} - {"key"}
        if not isinstance(read, dict) or not isinstance(read.get("keys"), list):
            raise OptionError(f"{path} is no key file: it has no list of keys; guidance-kit watermark-key makes one")
        if unknown := set(read) - known - {"keys"}:
            raise OptionError(f"{path} is no key file: unknown field {sorted(unknown)[0]!r}")
        if read.get("bias") == "inf":
            read["bias"] = math.inf
        try:
            return cls(read.pop("keys"), **read)
        except OptionError as error:
            raise OptionError(f"{path}: {error}") from None

    def _context_key(self, key: bytes, context: Sequence[int]) -> bytes:
        return context_key(key, context, f"gk {self.kind}")


def _keys(given: object) -> tuple[bytes, ...]:
    """Validate keys.

    Raises:
        OptionError: there is none, or one that is too short or too long, or not hexadecimal; two are equal.
    """
    several = [given] if isinstance(given, bytes | str) else list(given) if isinstance(given, Sequence) else None
    if not several:
        raise OptionError(
            f"a key is {_LEAST_KEY} to {_MOST_KEY} bytes, or several of these, not {type(given).__name__}"
        )
    keys: list[bytes] = []
    for one in several:
        if isinstance(one, str):
            try:
                one = bytes.fromhex(one)
            except ValueError:
                raise OptionError(
                    "a key given as a string has hexadecimal digits; Watermark.random draws one"
                ) from None
        if not isinstance(one, bytes) or not _LEAST_KEY <= len(one) <= _MOST_KEY:
            size = f"{len(one)} byte{'s' * (len(one) != 1)}" if isinstance(one, bytes) else type(one).__name__
            raise OptionError(f"a key has {_LEAST_KEY} to {_MOST_KEY} bytes, not {size}; Watermark.random draws one")
        keys.append(one)
    if len(set(keys)) < len(keys) or len(keys) > _MOST_KEYS:
        raise OptionError(f"keys differ, and are {_MOST_KEYS} at most")
    return tuple(keys)
