"""Token sequences that spell the value of a field under a constraint, and the values themselves."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterator
from typing import NamedTuple

from guidance_kit.confidence.json_spans import value_end, value_key
from guidance_kit.decoding.path_sums import PathStep
from guidance_kit.errors import MatchError
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.vocabulary import Vocabulary

__all__ = ["ValuePaths", "ValueState", "finite_values"]

MOST_BYTES = 8192
"""Most bytes that `finite_values` reads, over all beginnings of values."""


class ValueState(NamedTuple):
    """State of a token sequence before its value is decided.

    Attributes:
        tokens: its tokens.
        text: their bytes.
        before: state before the last token; None at the start.
    """

    tokens: tuple[int, ...]
    text: bytes
    before: ValueState | None


class ValuePaths:
    """Token sequences after a text that the constraint allows, up to the token that decides the value of a field.

    Tokens may cross the beginning and the end of the value: a sequence begins at the last boundary of tokens before the
    value, writes the text that stands between, and ends with the token that has the last byte of the value, or for a
    number the byte after it. So each text has exactly one of these sequences, and their probabilities add up.

    Args:
        vocabulary: the tokens.
        matcher: at the boundary; not changed.
        overhang: text between the boundary and the value.
    """

    def __init__(self, vocabulary: Vocabulary, matcher: Matcher, overhang: bytes) -> None:
        self._vocabulary = vocabulary
        self._overhang = overhang
        self.start = ValueState((), b"", None)
        self._matchers: dict[tuple[int, ...], Matcher] = {(): matcher}

    def tokens(self, state: ValueState) -> tuple[int, ...]:
        """See `TokenPaths.tokens`."""
        return state.tokens

    def steps(self, state: ValueState) -> Iterator[PathStep[Hashable, ValueState]]:
        """See `TokenPaths.steps`; outcomes are keys of values, see `value_key`."""
        for token in self.matcher(state).allowed_tokens().tolist():
            text = state.text + self._vocabulary.shown(token)
            is_end = token in self._vocabulary.eos
            if is_end:
                text = state.text
            size = min(len(text), len(self._overhang))
            if text[:size] != self._overhang[:size] or text[len(self._overhang) :][:1].isspace():
                continue  # another text before the value
            end = value_end(text, len(self._overhang), is_whole=is_end)
            if end is not None:
                yield PathStep((token,), value_key(text[len(self._overhang) : end]), None)
            elif not is_end:
                yield PathStep((token,), None, ValueState((*state.tokens, token), text, state))

    def matcher(self, state: ValueState) -> Matcher:
        """Matcher after the tokens of a state; not to be changed."""
        found = self._matchers.get(state.tokens)
        if found is None:
            assert state.before is not None
            found = self.matcher(state.before).fork()
            found.advance(state.tokens[-1])
            self._matchers[state.tokens] = found
        return found


def finite_values(matcher: Matcher, most: int) -> dict[Hashable, list[bytes]] | None:
    """All values that can be written next, with their spellings; None if there are more than can be listed.

    Args:
        matcher: before the value; not changed.
        most: maximum number of values.
    Returns:
        By key of the value, see `value_key`, the texts that spell it.
    """
    found: dict[Hashable, list[bytes]] = {}
    waiting: deque[tuple[Matcher, bytes]] = deque([(matcher, b"")])
    read = 0
    while waiting:
        place, text = waiting.popleft()
        if place.is_complete and (end := value_end(text, 0, is_whole=True)) is not None:
            _add(found, text[:end])
        for byte in place.next_bytes():
            if not text and bytes([byte]).isspace():
                continue
            read += 1
            if read > MOST_BYTES:
                return None
            longer = text + bytes([byte])
            end = value_end(longer, 0)
            if end is not None:
                _add(found, longer[:end])
                continue
            after = place.fork()
            try:
                after.advance_bytes(longer[-1:])
            except MatchError:
                continue
            waiting.append((after, longer))
        if len(found) > most:
            return None
    return found


def _add(found: dict[Hashable, list[bytes]], text: bytes) -> None:
    texts = found.setdefault(value_key(text), [])
    if text not in texts:
        texts.append(text)
