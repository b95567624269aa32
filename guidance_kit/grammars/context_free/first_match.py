r"""First matches of a pattern: the prefixes of longer texts that `re.match` finds.

A lexer takes the match of `re.match`, which has the highest priority of all matches. So `a|ab` never takes "ab", and
`".*?"` ends at the first quote. These texts are found by prioritised threads (`threads`).

They do not depend on the surrounding text, unless the pattern has lookarounds:

* A lookbehind, `\b` or `^` is decided by the characters read; one that needs characters before the terminal is refused.
* A lookahead, `\b` or `$` is carried by its thread. Behind the end of a terminal it may exclude certain characters, as
  in `[?](?![a-z])`; any further condition is refused.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any, NamedTuple

from guidance_kit.errors import LimitError
from guidance_kit.grammars.context_free.lexeme import Lexeme
from guidance_kit.grammars.context_free.pattern_nfa import MATCH, PatternNfa
from guidance_kit.grammars.context_free.threads import PendingLookahead, ThreadList, Threads
from guidance_kit.grammars.regular.charset import NONE, CharSet
from guidance_kit.grammars.regular.parse import TreeReader, read_tree

__all__ = ["longest_texts", "texts_of_all_lengths"]

MAX_PRODUCT_STATES = 10_000
"""States of the automaton of one pattern."""


@lru_cache(maxsize=1024)
def texts_of_all_lengths(pattern: str, flags: int = 0) -> Lexeme:
    """Texts that a scannerless parser may take for a terminal.

    A parser that tries every length calls `re.match` on the rest of the text, and then on each prefix of the match. So
    these are the texts that `re.match` matches as a whole, before any text with which it matches them or longer ones.

    Raises:
        PatternError: malformed.
        UnsupportedFeature: it looks before its beginning or too far beyond its end, or it is not regular.
        LimitError: it is too large.
    """
    return read_tree(pattern, flags, partial(_lexeme, pattern=pattern, is_longest=False))


@lru_cache(maxsize=256)
def longest_texts(pattern: str, flags: int = 0) -> Lexeme:
    """Texts that a parser takes for a terminal if it does not try every length.

    No text may follow with which `re.match` finds a longer match. A character that leads to one only with certain
    characters after it is not excluded; the automaton has an edge with it from the end.

    Raises:
        What `texts_of_all_lengths` raises.
    """
    return read_tree(pattern, flags, partial(_lexeme, pattern=pattern, is_longest=True))


def _lexeme(reader: TreeReader, tree: Any, flags: int, *, pattern: str, is_longest: bool) -> Lexeme:
    return _lexeme_of(Threads(PatternNfa(reader, tree, flags), pattern), pattern, is_longest=is_longest)


class _End(NamedTuple):
    """Condition under which a thread list matches.

    Attributes:
        never: mask of the characters before which it does not match.
        is_good_at_last: whether it matches at the end of the text.
    """

    never: int
    is_good_at_last: bool


def _lexeme_of(threads: Threads, pattern: str, *, is_longest: bool) -> Lexeme:
    """DFA of the first matches."""
    numbers = {threads.start: 0}
    todo = [threads.start]
    edges: list[list[tuple[int, int]]] = []
    for current in todo:  # grows meanwhile
        steps: list[tuple[int, int]] = []
        for mask in threads.kinds(current):
            following = threads.step(current, mask & -mask)
            if not following.threads:
                continue
            number = numbers.setdefault(following, len(todo))
            if number == len(todo):
                if number >= MAX_PRODUCT_STATES:
                    raise LimitError("max_product_states", MAX_PRODUCT_STATES, where=f"the terminal {pattern!r}")
                todo.append(following)
            steps.append((mask, number))
        edges.append(steps)
    ends = [_end(threads, current, is_longest) for current in todo]
    sure = _sure(edges, ends)
    conditional = _leading_to(edges, {state for state, end in enumerate(ends) if end is not None and end.never})
    endings: list[CharSet | None] = []
    for end, steps in zip(ends, edges, strict=True):
        if end is None:
            endings.append(None)
            continue
        never = end.never
        for mask, target in steps:
            if target not in sure and (never & mask == 0 and target in conditional if is_longest else never & mask):
                raise threads.refused("a lookahead that looks more than a character beyond its terminal")
            if target in sure:  # `re` takes a longer text
                never = never | mask if is_longest else never & ~mask
        if not end.is_good_at_last and never != threads.everything:
            raise threads.refused("a lookahead, \\b or $ that wants something to follow its terminal")
        is_possible = end.is_good_at_last or never != threads.everything
        endings.append((threads.partition.charset(never) if never else NONE) if is_possible else None)
    return Lexeme.of_classes(edges, endings, threads.partition)


def _end(threads: Threads, current: ThreadList, is_longest: bool) -> _End | None:
    """Condition under which `re` matches here, if nothing longer matches; None if it never does."""
    found: _End | None = None
    for k, (state, lookaheads) in enumerate(current.threads):
        if state != MATCH:
            continue
        ahead = current._replace(threads=current.threads[:k])
        below = current._replace(threads=current.threads[k + 1 :])
        never = 0
        for bit in (1 << kind for kind in range(threads.partition.count if lookaheads else 0)):
            left = threads.kept(lookaheads, bit)
            if left and not (
                # if the lookaheads hold, something longer matches; if not, nothing does that was tried later
                is_longest and _matches_if(left, threads.step(ahead, bit)) and not threads.step(below, bit).threads
            ):
                raise threads.refused("a lookahead that looks more than a character beyond its terminal")
            if left is None or left:
                never |= bit
        is_good = all(
            is_negated and not any(threads.matches_before(number, 0) for number in body)
            for is_negated, body in lookaheads
        )
        if is_good or never != threads.everything:
            found = (
                _End(never, is_good) if found is None else _End(found.never & never, found.is_good_at_last or is_good)
            )
    return found


def _matches_if(lookaheads: frozenset[PendingLookahead], current: ThreadList) -> bool:
    """Test whether a longer text matches if some lookaheads hold."""
    return any(state == MATCH and others <= lookaheads for state, others in current.threads)


def _sure(edges: list[list[tuple[int, int]]], ends: list[_End | None]) -> set[int]:
    """States from which `re` matches there or later, whatever follows."""
    sure = {state for state, end in enumerate(ends) if end is not None and end.is_good_at_last}
    while True:
        unsure = set()
        for state in sure:
            end = ends[state]
            never = 0 if end is None else end.never
            for mask, target in edges[state]:
                if target in sure:
                    never &= ~mask
            if never:
                unsure.add(state)
        if not unsure:
            return sure
        sure -= unsure


def _leading_to(edges: list[list[tuple[int, int]]], goals: set[int]) -> set[int]:
    """States from which one of `goals` can be reached."""
    before: dict[int, list[int]] = {}
    for state, steps in enumerate(edges):
        for _, target in steps:
            before.setdefault(target, []).append(state)
    found, todo = set(goals), list(goals)
    while todo:
        for state in before.get(todo.pop(), ()):
            if state not in found:
                found.add(state)
                todo.append(state)
    return found
