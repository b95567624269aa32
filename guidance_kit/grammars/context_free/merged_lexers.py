"""Contextual lexers, merged: a lexer for more terminals takes the place of those that find the same in all texts.

Behind each state of a parser stands a lexer for the terminals that the parser expects there. Fewer lexers make fewer
conditions and fewer copies of rules. A larger lexer may replace a smaller one if none of its further terminals changes
what is read as one of the smaller one. A further terminal that only begins where the other one ends, as `+=` does
behind `+`, changes nothing if no terminal that is expected behind the other one begins with the next character: the
smaller lexer reads `+`, and finds nothing behind it; the larger one reads `+=`, which the parser does not expect.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from itertools import combinations

from guidance_kit.grammars.context_free.scanner import MATCHED, TerminalDfa

__all__ = ["merged_lexers"]


def merged_lexers(
    terminals: Mapping[str, TerminalDfa],
    keywords: Mapping[str, Iterable[str]],
    first: Mapping[str, int],
    following: Mapping[str, int],
    looked_for: Iterable[frozenset[str]],
) -> list[tuple[frozenset[str], list[frozenset[str]]]]:
    """Sets of terminals of the lexers, each with the smaller sets that it replaces.

    Args:
        terminals: all of them, by priority.
        keywords: for a terminal the keywords that replace it.
        first: first set of each terminal: classes of characters (a mask).
        following: classes of characters (a mask) with which what may follow each terminal begins.
        looked_for: sets of terminals that lexers look for.
    """
    disturbing = _disturbing(terminals, keywords, first, following)
    found: list[tuple[frozenset[str], frozenset[str], list[frozenset[str]]]] = []
    for names in sorted(set(looked_for), key=lambda names: (-len(names), sorted(names))):
        others = frozenset(other for name in names for other in disturbing[name]) - names
        for k, (union, kept_out, members) in enumerate(found):
            if not ((union | names) & (kept_out | others)):
                found[k] = union | names, kept_out | others, [*members, names]
                break
        else:
            found.append((names, others, [names]))
    return [(union, members) for union, _, members in found]


def _disturbing(
    terminals: Mapping[str, TerminalDfa],
    keywords: Mapping[str, Iterable[str]],
    first: Mapping[str, int],
    following: Mapping[str, int],
) -> Mapping[str, AbstractSet[str]]:
    """For each terminal the others that change the texts which a lexer reads as it."""
    found: dict[str, set[str]] = {name: set() for name in terminals}
    meeting: dict[str, set[str]] = {name: set() for name in terminals}
    for (one, a), (other, b) in combinations(terminals.items(), 2):  # one is tried before the other
        if first[one] & first[other] and _meet(a, b):
            meeting[one].add(other)
            meeting[other].add(one)
            if _changes(a, b, following[other]):
                found[other].add(one)
    for name, words in keywords.items():
        for word in words:
            found[name].add(word)
            found[word] |= {name, *meeting[word]}
    return found


def _meet(one: TerminalDfa, other: TerminalDfa) -> bool:
    """Test whether some text has prefixes of both terminals."""
    todo = [(one.start, other.start)]
    seen = set(todo)
    while todo:
        here, there = todo.pop()
        ways = [(-1, MATCHED)] if here == MATCHED else one.until_match(here)
        others = [(-1, MATCHED)] if there == MATCHED else other.until_match(there)
        reached = {(after, behind) for mask, after in ways for chars, behind in others if mask & chars}
        if (MATCHED, MATCHED) in reached:
            return True
        todo += reached - seen
        seen |= reached
    return False


def _changes(one: TerminalDfa, other: TerminalDfa, following: int) -> bool:
    """Test whether a lexer that tries one terminal first may lose a text of another one that a parser accepts.

    It does if the first one matches before the other has ended, or goes on behind that with a character that may
    follow the other.

    Args:
        one: the terminal of higher priority.
        other: the other one.
        following: classes of characters (a mask) that may follow the other one.
    """
    todo = [(one.start, other.start)]
    seen = set(todo)
    while todo:
        here, there = todo.pop()
        if any(one.matches(here)):
            return True
        ways = [(mask, after) for mask, after, _ in one.steps(here) if after >= 0]
        if any(other.matches(there)) and any(mask & following for mask, _ in ways):
            return True
        others = [(mask, after) for mask, after, _ in other.steps(there) if after >= 0]
        reached = {(after, behind) for mask, after in ways for chars, behind in others if mask & chars}
        todo += reached - seen
        seen |= reached
    return False
