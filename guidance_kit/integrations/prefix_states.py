"""Guide and matcher states by prefix, for engines that ask for rows in an order of their own."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from guidance_kit.fsm.matcher import Matcher
from guidance_kit.guides.guide import Guide

__all__ = ["PrefixStates", "RowStates"]

Tokens = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RowStates:
    """States of the rows of one call.

    Attributes:
        guides: the state of each guide for the batch.
        matchers: matcher of each row, if there is a constraint; of a forbidden row the last one before the violation.
        forbidden: rows with a token that the constraint forbids.
    """

    guides: list[Any]
    matchers: tuple[Matcher, ...]
    forbidden: list[int]


@dataclass(frozen=True, slots=True)
class _PrefixState:
    """States after one prefix: of each guide for a batch of this row alone, and the matcher."""

    guides: list[Any]
    matcher: Matcher | None


@dataclass(frozen=True, slots=True)
class _OpenPrompt:
    """Open prompt: its states, and how many known prefixes have each length."""

    start: _PrefixState
    lengths: dict[int, int]


class PrefixStates:
    """States of guides and a constraint, as a function of prompt and generated tokens.

    An engine may reorder rows (beams), repeat them (several samples of a prompt), roll them back (speculation), drop
    them and bring them back (preemption), and open and close prompts at any time. The states of a row continue those of
    the longest known prefix of its tokens, at worst those of its prompt.

    Args:
        guides: guides of all texts; adjusted by the caller, in the order of their stages.
        capacity: maximum number of known prefixes beside the prompts, at least 1, and more if one call has more rows;
            those that were asked for longest ago are forgotten first, and computed again if they come back.
    """

    def __init__(self, guides: Sequence[Guide[Any]], *, capacity: int = 4096) -> None:
        if capacity < 1:
            raise ValueError(f"capacity must be at least 1, not {capacity}")
        self._guides = list(guides)
        self._capacity = capacity
        self._texts: dict[Hashable, _OpenPrompt] = {}
        self._known: OrderedDict[tuple[Hashable, Tokens], _PrefixState] = OrderedDict()
        self._advanced = self._found = 0

    def open(self, key: Hashable, prompt: Sequence[int], matcher: Matcher | None = None) -> None:
        """Start the texts of a prompt.

        Args:
            key: identifies the prompt in other calls; one that is open already starts anew.
            prompt: token ids.
            matcher: constraint of its texts; copied.
        """
        self.close(key)
        start = _PrefixState(
            [guide.start([prompt]) for guide in self._guides], None if matcher is None else matcher.fork()
        )
        self._texts[key] = _OpenPrompt(start, {})

    def close(self, key: Hashable) -> None:
        """Forget a prompt and all prefixes of its texts."""
        text = self._texts.pop(key, None)
        if text is not None and text.lengths:
            for known in [one for one in self._known if one[0] == key]:
                del self._known[known]

    def at(self, rows: Sequence[tuple[Hashable, Sequence[int]]]) -> RowStates:
        """States of rows, each the key of an open prompt and the tokens generated after it.

        Raises:
            KeyError: a prompt is not open.
        """
        parents: list[_PrefixState] = []
        new: list[Tokens] = []
        prefixes = [(key, tuple(tokens)) for key, tokens in rows]
        for key, tokens in prefixes:
            length, parent = self._longest(key, tokens)
            parents.append(parent)
            new.append(tokens[length:])
        states = [
            guide.advance(guide.join([parent.guides[number] for parent in parents]), new) if rows else guide.start([])
            for number, guide in enumerate(self._guides)
        ]
        matchers: list[Matcher] = []
        forbidden: list[int] = []
        for row, (prefix, parent, tokens) in enumerate(zip(prefixes, parents, new, strict=True)):
            matcher = parent.matcher
            if matcher is not None:
                following = _advanced(matcher, tokens)
                matchers.append(matcher if following is None else following)
                if following is None:
                    forbidden.append(row)
                    continue
                matcher = following
            if tokens:
                guides = zip(self._guides, states, strict=True)
                self._remember(prefix, _PrefixState([guide.select(state, [row]) for guide, state in guides], matcher))
        self._advanced += sum(map(len, new))
        self._found += sum(not tokens for tokens in new)
        while len(self._known) > max(self._capacity, len(rows)):
            self._forget()
        return RowStates(states, tuple(matchers), forbidden)

    def statistics(self) -> dict[str, int]:
        """Work and memory so far: open prompts, known prefixes, rows that were known, and tokens advanced by."""
        return {
            "prompts": len(self._texts),
            "prefixes": len(self._known),
            "found": self._found,
            "advanced": self._advanced,
        }

    def _longest(self, key: Hashable, tokens: Tokens) -> tuple[int, _PrefixState]:
        """Longest known prefix of a row: its length and states."""
        text = self._texts[key]
        for length in self._lengths(len(tokens), text):
            known = self._known.get((key, tokens[:length]))
            if known is not None:
                self._known.move_to_end((key, tokens[:length]))
                return length, known
        return 0, text.start

    def _lengths(self, length: int, text: _OpenPrompt) -> Iterator[int]:
        """Lengths at which a prefix of a row may be known, the greatest first; nearly always one of the first two."""
        yield length
        yield length - 1
        yield from sorted((known for known in text.lengths if known < length - 1), reverse=True)

    def _remember(self, prefix: tuple[Hashable, Tokens], known: _PrefixState) -> None:
        if prefix not in self._known:
            lengths = self._texts[prefix[0]].lengths
            lengths[len(prefix[1])] = lengths.get(len(prefix[1]), 0) + 1
        self._known[prefix] = known

    def _forget(self) -> None:
        (key, tokens), _ = self._known.popitem(last=False)
        lengths = self._texts[key].lengths
        lengths[len(tokens)] -= 1
        if not lengths[len(tokens)]:
            del lengths[len(tokens)]


def _advanced(matcher: Matcher, tokens: Sequence[int]) -> Matcher | None:
    """Matcher after some tokens, None if the constraint forbids one of them."""
    if not tokens:
        return matcher
    return matcher.follow(tokens)[-1]
