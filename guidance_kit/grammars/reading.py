"""What the parts of a text are: a text is cut where the parts of a constraint begin and end, and each part is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from guidance_kit.errors import MatchError
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.recent import Recent

__all__ = ["Reader", "Span"]

Span = tuple[int, int]
"""Where a part begins and ends, in bytes of UTF-8."""


class Reader:
    """Reads one text, in which special tokens stand by their names.

    Args:
        text: the text.
    """

    def __init__(self, text: str) -> None:
        self.data = text.encode(errors="surrogatepass")

    def ends(self, part: Constraint, begin: int = 0) -> list[int]:
        """Where a text of `part` that begins at a place may end, ascending."""
        automaton = _AUTOMATA.get(part, lambda: _automaton(part))
        path = automaton.advance(automaton.start, self.data[begin:])
        found = (begin + 1 + np.flatnonzero(automaton.are_complete(path))).tolist()
        return [begin, *found] if automaton.is_complete(automaton.start) else found

    def is_text_of(self, part: Constraint) -> bool:
        """Whether the whole text is one of `part`."""
        return len(self.data) in self.ends(part)[-1:]

    def value(self, part: Constraint, span: Span | None = None) -> Any:
        """What a span, by default the whole text, stands for as a text of `part`."""
        text = self.data[slice(*(span or (0, len(self.data))))].decode(errors="surrogatepass")
        return text if part.parse is None else part.parse(text)

    def sequence(self, parts: Sequence[Constraint]) -> list[Span]:
        """The parts one after the other; of several ways that in which earlier ones take as much as possible.

        Raises:
            MatchError: the text is not one of them.
        """
        return self._cut(lambda place: parts[place] if place < len(parts) else None, len(parts))

    def turns(self, part: Constraint, minimum: int, maximum: int | None) -> list[Span]:
        """The same for one part that comes `minimum` to `maximum` (None: any number of) times."""
        return self._cut(lambda place: part if maximum is None or place < maximum else None, minimum)

    def _cut(self, part_of: Callable[[int], Constraint | None], minimum: int) -> list[Span]:
        begins, left = [0], list[list[int]]()
        hopeless = set[Span]()
        while begins:
            place, here = len(begins) - 1, begins[-1]
            if len(left) == place:
                if here == len(self.data) and place >= minimum:
                    return list(pairwise(begins))
                part = None if (place, here) in hopeless else part_of(place)
                ends = [] if part is None else self.ends(part, here)
                left.append(ends[ends[:1] == [here] and place >= minimum :])  # an empty turn more leads nowhere
            if left[-1]:
                begins.append(left[-1].pop())
            else:
                hopeless.add((place, here))
                left.pop()
                begins.pop()
        raise MatchError("the text does not belong to the constraint")


_AUTOMATA: Recent[Constraint, Automaton] = Recent(64, 32 * 2**20, lambda automaton: automaton.size)
"""What constraints are read by."""


def _automaton(constraint: Constraint) -> Automaton:
    network = constraint.network()
    network.as_text = frozenset(network.specials)
    return Automaton(network)
