"""Excerpts in llguidance's dialect: `%regex` with the chunks of a text, and the automaton of their runs.

Source: Blumer et al., "The smallest automaton recognizing the subwords of a text", 1985.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from guidance_kit.grammars.llguidance.syntax import Excerpts
from guidance_kit.grammars.regular.charset import CharSet
from guidance_kit.grammars.regular.expression import EPSILON, Expression, alternate, concatenate, deferred, literal

__all__ = ["chunks_of", "excerpts"]

_FIELDS = ("substring_chunks", "substring_words", "substring_chars")


def chunks_of(value: Any, wrong: Callable[[str], Exception]) -> Excerpts:
    """The chunks that `%regex` names.

    Args:
        value: the JSON behind `%regex`.
        wrong: function from a message to an error.
    """
    if not isinstance(value, dict) or len(value) != 1 or (name := next(iter(value))) not in _FIELDS:
        raise wrong(f"%regex takes an object with one field, which is one of {', '.join(_FIELDS)}")
    found = value[name]
    is_right = isinstance(found, str) if name != "substring_chunks" else isinstance(found, list)
    if not is_right or not all(isinstance(chunk, str) for chunk in found):
        raise wrong(f"{name} takes {'a list of texts' if name == 'substring_chunks' else 'a text'}")
    if name == "substring_words":
        found = ["".join(group) for _, group in itertools.groupby(found, _kind)]
    return Excerpts(tuple(chunk for chunk in found if chunk))


def _kind(character: str) -> str:
    """Kind of a character: words are runs of one kind."""
    return "space" if character.isspace() else "word" if character.isalnum() or character == "_" else "other"


def excerpts(chunks: Sequence[str]) -> Expression:
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
