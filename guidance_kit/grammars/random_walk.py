"""Random texts of a constraint, by random walks over its automaton that find the end."""

from __future__ import annotations

import string
from collections.abc import Iterator
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from guidance_kit.errors import BudgetError, LimitError, OptionError, UnsupportedFeature
from guidance_kit.fsm import bitmask
from guidance_kit.fsm.limits import Limits
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.network import Network
from guidance_kit.fsm.token_index import TokenIndex
from guidance_kit.vocabulary import Vocabulary

if TYPE_CHECKING:
    from guidance_kit.grammars.constraint import Constraint

__all__ = ["index_over_bytes", "sample_texts", "walks"]

_LONG = {True: 300, False: 40}
"""Bytes after which a walk takes the shortest way to the end; for JSON, and for other texts."""

_LONG_RUN = 16
"""Bytes inside a JSON string that cannot be closed yet, after which the walk heads for its end."""

MAX_LENGTH = 10_000
"""Largest shortest text in bytes, unless `max_length` is larger; it takes a second or two."""

_FREE = 64
"""Number of allowed bytes above which the walk is in free text."""

_ATTEMPTS = 20
"""Draws for each wanted text."""

_BYTES = np.arange(256)
_SPACE, _QUOTE, _ZERO = b' "0'
_ENDS = np.isin(_BYTES, list(b'"]},'))
_BRACKETS = np.isin(_BYTES, list(b"[]{},"))
_STRUCTURE = _BRACKETS | (_BYTES == _QUOTE)
_NOT_EXPONENT = ~np.isin(_BYTES, list(b"eE"))
_LETTERS = np.isin(_BYTES, list(string.ascii_letters.encode()))
_TOWARDS_THE_END = [
    np.isin(_BYTES, list(group.encode()))
    for group in ("}", "]", '"', ",", ":", string.digits, "ntf", "-[{.", string.ascii_letters)
]
"""Bytes of JSON by the order in which they lead to the end."""


def _weights() -> np.ndarray:
    """Weights of the bytes in a random walk: float64, (256,). Chosen by eye for readable texts."""
    weights = np.full(256, 1e-4)
    weights[0x21:0x7F] = 0.02
    weights[ord("\\")] = 1e-4
    for letters in ("eeeeeetttttaaaaooooiiiinnnnsssshhhrrrddllccuummffppggwwybvk", "ETAOINSRHLDCUMFPGWYBVK"):
        for letter in letters:
            weights[ord(letter)] += 0.2 if letter.islower() else 0.02
    weights[list(string.digits.encode())] = 0.25
    for byte, weight in {
        " ": 0.5,
        '"': 0.8,
        ",": 0.3,
        "]": 0.5,
        "}": 0.15,
        "-": 0.2,
        ".": 0.3,
        "[": 0.5,
        "{": 0.5,
    }.items():
        weights[ord(byte)] = weight
    return weights


_WEIGHTS = _weights()


def sample_texts(constraint: Constraint, count: int, *, seed: int | None, max_length: int | None) -> list[str]:
    """Different random texts of a constraint; see `Constraint.sample`."""
    matcher = Matcher(index_over_bytes(constraint))
    if max_length is not None:
        try:
            matcher = matcher.within(max_length)
        except BudgetError as error:
            raise OptionError(
                f"the shortest text has {error.needed} bytes, more than max_length={max_length}"
            ) from None
    elif matcher.can_be_bounded and (least := matcher.min_tokens_to_complete() or 0) > MAX_LENGTH:
        raise LimitError(
            "max_length", MAX_LENGTH, where=f"a shortest text of {least} bytes, for which max_length may ask"
        )
    draw = Random(seed)
    found: dict[str, None] = {}
    for _ in range(_ATTEMPTS * count):
        if len(found) == count:
            break
        text = _walk(matcher.fork(), draw, is_json=constraint.kind == "json_schema").decode()
        if text in found:
            continue
        if constraint.has_values:
            try:
                constraint.evaluate(text)
            except UnsupportedFeature:  # a part of the text is a token by its number, which tells nothing of values
                pass
            except ValueError:  # a condition of a Python type that its schema cannot express
                continue
        found[text] = None
    return list(found)


def walks(network: Network, seed: int = 0, *, limits: Limits | None = None) -> Iterator[str]:
    """Random JSON texts of a network, which may be equal, without end.

    Raises:
        LimitError: the shortest text is too long, or another limit is reached.
    """
    matcher = Matcher(TokenIndex.build(network, Vocabulary.from_bytes(), limits=limits))
    if matcher.can_be_bounded and (least := matcher.min_tokens_to_complete() or 0) > MAX_LENGTH:
        raise LimitError("max_length", MAX_LENGTH, where=f"a shortest text of {least} bytes")
    draw = Random(seed)
    while True:
        yield _walk(matcher.fork(), draw, is_json=True).decode()


def index_over_bytes(constraint: Constraint) -> TokenIndex:
    """Index over bytes, with special tokens spelled as their names, and sets of tokens as in grammars."""
    network, vocabulary = constraint.network(), Vocabulary.from_bytes()
    if not (network.specials or network.token_sets):
        constraint.declared.append(network)
        return constraint.compile(vocabulary)
    network.as_text = frozenset([*network.specials, *map(str, network.token_sets)])
    network.token_sets = []
    return TokenIndex.build(network, vocabulary)


def _walk(matcher: Matcher, draw: Random, *, is_json: bool) -> bytes:
    """Random text of the language over bytes."""
    long = _LONG[is_json] if matcher.tokens_left is None else min(_LONG[is_json], matcher.tokens_left // 2)
    text = bytearray()
    run = 0
    while True:
        live = _live(matcher)
        is_long = len(text) >= long
        may_end = is_long or not live.any() or draw.random() < (0.4 if len(text) > 2 else 0.1)
        if may_end and matcher.is_complete:
            return bytes(text)
        is_free = live.sum() > _FREE
        if live.sum() > 1 and (is_long or (is_json and is_free and not live[_QUOTE] and run >= _LONG_RUN)):
            live = _nearest(matcher, live)
        chances = _chances(live, text, run, is_json=is_json, is_free=is_free)
        byte = draw.choices(range(256), chances.tolist())[0]
        text.append(byte)
        matcher.advance(byte)
        run = 0 if byte in b'"{}[],:' else run + 1


def _live(matcher: Matcher) -> np.ndarray:
    """Allowed next bytes: bool, (256,)."""
    return bitmask.unpack(matcher.allowed(), 256)


def _nearest(matcher: Matcher, live: np.ndarray) -> np.ndarray:
    """Allowed bytes that lead to the end: bool, (256,)."""
    if not matcher.can_be_bounded:  # then it is JSON
        return _closing(live)
    return _live(matcher.within(matcher.min_tokens_to_complete()))


def _closing(live: np.ndarray) -> np.ndarray:
    """Allowed bytes that bring a JSON text nearest to its end: bool, (256,)."""
    if live.sum() > _FREE and live[_QUOTE]:
        return _BYTES == _QUOTE
    return next((live & group for group in _TOWARDS_THE_END if (live & group).any()), live)


def _chances(live: np.ndarray, text: bytearray, run: int, *, is_json: bool, is_free: bool) -> np.ndarray:
    """Unnormalised probabilities of the next byte: float64, (256,)."""
    chances = _WEIGHTS * live
    if is_json:
        chances[_ENDS] *= 1 + run / 4 + (len(text) / 100) ** 2
        if not is_free:
            chances[_SPACE] *= 10 * (text[-1:] in (b",", b":"))
    if is_free:  # quotes and brackets are for structure, not for strings
        chances[_BRACKETS if is_json else _STRUCTURE] *= 0.02
    if live[_ZERO] and not (live & _LETTERS)[_NOT_EXPONENT].any():
        chances[_LETTERS] *= 0.01
    return chances if chances.any() else live.astype(np.float64)
