"""Keyed random words: 64 random bits for each context and token, equal on every machine and device.

A context is hashed with BLAKE2b under the secret key; its 128 bits are the key of Philox4x64-10, whose output number v
is the word of token v. BLAKE2b is a keyed cryptographic hash, so words that become known tell nothing of other
contexts; Philox is a counter, so one word costs as little as the first. Both are integer arithmetic on the CPU.

Source: RFC 7693 (BLAKE2b); Salmon et al. 2011, Parallel Random Numbers: As Easy as 1, 2, 3 (Philox).
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence

import numpy as np

__all__ = ["context_key", "philox_words", "words_of_all", "words_of_tokens"]

_MULTIPLIERS = (np.uint64(0xD2E7470EE14C6C93), np.uint64(0xCA5A826395121157))
_WEYL = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBB67AE8584CAA73B))
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_ROUNDS = 10


def context_key(key: bytes, context: Sequence[int], purpose: str) -> bytes:
    """Philox key of a context: 16 bytes.

    Args:
        key: secret key, 16 to 64 bytes.
        context: token ids.
        purpose: name that separates the words of different uses of one key, at most 16 ASCII characters.
    """
    message = struct.pack(f"<{len(context)}Q", *context)
    return hashlib.blake2b(message, digest_size=16, key=key, person=purpose.encode()).digest()


def words_of_all(key: bytes, count: int) -> np.ndarray:
    """Words of the tokens 0, 1, ... of one context: uint64, (count,).

    Args:
        key: Philox key of the context, see `context_key`.
    """
    generator = np.random.Philox(key=np.frombuffer(key, dtype="<u8").astype(np.uint64), counter=0)
    return generator.random_raw(count)


def words_of_tokens(keys: Sequence[bytes], tokens: Sequence[int]) -> np.ndarray:
    """Word of one token in each of several contexts: uint64, (count,); those of `words_of_all` at the token.

    Args:
        keys: Philox keys of the contexts.
        tokens: one token id a context.
    """
    pairs = np.frombuffer(b"".join(keys), dtype="<u8").astype(np.uint64).reshape(-1, 2)
    places = np.asarray(tokens, dtype=np.uint64)
    blocks = philox_words(pairs, places // np.uint64(4) + np.uint64(1))  # the generator counts before each block
    return np.take_along_axis(blocks, (places % np.uint64(4)).astype(np.int64)[:, None], axis=1)[:, 0]


def philox_words(keys: np.ndarray, counters: np.ndarray) -> np.ndarray:
    """Blocks of Philox4x64-10: uint64, (count, 4).

    Args:
        keys: uint64, (count, 2).
        counters: uint64, (count,): lowest of the four words of the counter; the others are 0.
    """
    first, second = keys[:, 0].copy(), keys[:, 1].copy()
    zero = np.zeros_like(first)
    x0, x1, x2, x3 = counters.astype(np.uint64), zero, zero, zero
    for number in range(_ROUNDS):
        if number:
            first, second = first + _WEYL[0], second + _WEYL[1]
        high0, low0 = _product(_MULTIPLIERS[0], x0)
        high1, low1 = _product(_MULTIPLIERS[1], x2)
        x0, x1, x2, x3 = high1 ^ x1 ^ first, low1, high0 ^ x3 ^ second, low0
    return np.stack([x0, x1, x2, x3], axis=1)


def _product(factor: np.uint64, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """High and low words of the 128-bit products of a factor and each value."""
    factor_high, factor_low = factor >> _HALF, factor & _LOW
    high, low = values >> _HALF, values & _LOW
    lowest = low * factor_low
    middle = high * factor_low + (lowest >> _HALF)
    crossed = low * factor_high + (middle & _LOW)
    return high * factor_high + (middle >> _HALF) + (crossed >> _HALF), values * factor
