"""Runs of the chunks of a text.

Source: Blumer et al., "The smallest automaton recognizing the subwords of a text", 1985.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from guidance_kit.grammars.regular.charset import CharSet
from guidance_kit.grammars.regular.expression import EPSILON, Expression, alternate, concatenate, deferred, literal

__all__ = ["chunk_runs"]


def chunk_runs(chunks: Sequence[str]) -> Expression:
    """Expression of the runs of some chunks, the empty one among them."""
    ways = _suffix_automaton(chunks)
    known: dict[int, Expression] = {}
    charsets = [CharSet.characters("".join(dict.fromkeys("".join(chunks))))] if chunks else []
    charsets += [CharSet.single(ord(character)) for character in dict.fromkeys("".join(chunks))]
    left = max(map(len, chunks), default=0)

    def after(state: int) -> Expression:
        """Expression of the chunks that may follow in a state, or nothing."""
        if state not in known:
            known[state] = EPSILON
            if ways[state]:
                least = min(map(len, ways[state]))
                further = deferred(partial(further_of, state), least, left, charsets, is_common=False)
                known[state] = alternate((EPSILON, further))
        return known[state]

    def further_of(state: int) -> Expression:
        return alternate([concatenate((literal(chunk), after(target))) for chunk, target in ways[state].items()])

    return after(0)


def _suffix_automaton(chunks: Sequence[str]) -> list[dict[str, int]]:
    """Transitions of the smallest automaton of all runs; each of its states is final."""
    ways: list[dict[str, int]] = [{}]
    links, lengths, last = [-1], [0], 0
    for chunk in chunks:
        state, current = last, len(ways)
        ways.append({})
        links.append(0)
        lengths.append(lengths[last] + 1)
        while state >= 0 and chunk not in ways[state]:
            ways[state][chunk] = current
            state = links[state]
        if state >= 0:
            target = ways[state][chunk]
            if lengths[target] == lengths[state] + 1:
                links[current] = target
            else:
                clone = len(ways)
                ways.append(dict(ways[target]))
                links.append(links[target])
                lengths.append(lengths[state] + 1)
                while state >= 0 and ways[state].get(chunk) == target:
                    ways[state][chunk] = clone
                    state = links[state]
                links[target] = links[current] = clone
        last = current
    return ways
