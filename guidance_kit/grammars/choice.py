"""One of given texts, as a minimal acyclic automaton over bytes."""

from __future__ import annotations

from collections.abc import Iterable

from guidance_kit.errors import ConstraintError, OptionError, UnsatisfiableError
from guidance_kit.fsm.network import Network

__all__ = ["choice_network"]

_LONG = 16
"""An ending of one text alone is written into the network only when a text gets there if it has more bytes."""


def choice_network(texts: Iterable[str]) -> Network:
    """The network of exactly the given texts in UTF-8.

    100,000 words take about half a second; common beginnings and endings are shared.

    Raises:
        UnsatisfiableError: if there are no texts.
        OptionError: if one of them is not a str.
        ConstraintError: if one of them has a lone surrogate, which has no UTF-8.
    """
    if isinstance(texts, str):
        raise OptionError("choices must be several texts, not one str")
    words = sorted({_encoded(text, place) for place, text in enumerate(texts)})
    if not words:
        raise UnsatisfiableError("there is nothing to choose from")
    network = Network()
    network.root = network.rule(lambda: _Dictionary(network).add(words), nullable=words[0] == b"", name="choice")
    return network


def _encoded(text: object, place: int) -> bytes:
    if not isinstance(text, str):
        raise OptionError(f"choice {place} must be a str, not {type(text).__name__}")
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise ConstraintError(f"choice {place} has a lone surrogate at position {error.start}: {text!r}") from None


class _Dictionary:
    """States for sets of endings, the same state for the same set (Daciuk et al. 2000, for sorted words)."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.known: dict[tuple[bool, tuple[tuple[int, int], ...]], int] = {}
        self.endings: dict[bytes, int] = {}
        self.end = self.node(True, ())
        self.endings[b""] = self.end

    def add(self, words: list[bytes]) -> int:
        """The state from which exactly the sorted, distinct words can be read."""
        # For each prefix that the current word shares with the one before or after: is it a word, and its edges.
        is_word = [False]
        edges: list[list[tuple[int, int]]] = [[]]
        for word, following in zip(words, [*words[1:], b""], strict=True):
            shared = _common_length(word, following)
            while len(edges) <= shared:
                is_word.append(False)
                edges.append([])
            depth = len(edges) - 1
            if depth == len(word):
                is_word[depth] = True
            else:
                edges[depth].append((word[depth], self.ending(word[depth + 1 :])))
            while depth > shared:
                state = self.node(is_word.pop(), tuple(edges.pop()))
                depth -= 1
                edges[depth].append((word[depth], state))
        return self.node(is_word[0], tuple(edges[0]))

    def node(self, is_word: bool, ways: tuple[tuple[int, int], ...]) -> int:
        """The state with these edges (byte, state), in ascending order of bytes."""
        key = is_word, ways
        state = self.known.get(key)
        if state is None:
            state = self.known[key] = self.network.state()
            k = 0
            while k < len(ways):
                first = last = ways[k][0]
                target = ways[k][1]
                while k + 1 < len(ways) and ways[k + 1] == (last + 1, target):
                    k += 1
                    last += 1
                self.network.byte(state, first, last, target)
                k += 1
            if is_word:
                self.network.final(state)
        return state

    def ending(self, text: bytes) -> int:
        """The state from which exactly `text` can be read."""
        state = self.endings.get(text)
        if state is None:
            if len(text) > _LONG:
                rule = self.network.rule(lambda: self.literal(text), nullable=False, name="choice")
                state = self.network.state()
                self.network.call(state, rule, self.end)
            else:
                state = self.node(False, ((text[0], self.ending(text[1:])),))
            self.endings[text] = state
        return state

    def literal(self, text: bytes) -> int:
        start = self.network.state()
        self.network.literal(start, text, self.end)
        return start


def _common_length(a: bytes, b: bytes) -> int:
    """Length of the longest common beginning."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[:middle] == b[:middle]:
            low = middle
        else:
            high = middle - 1
    return low
