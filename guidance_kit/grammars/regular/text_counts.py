"""Numbers of texts of derivatives, saturated."""

from __future__ import annotations

from typing import NamedTuple

from guidance_kit.grammars.regular.derivative import Derivatives
from guidance_kit.grammars.regular.liveness import Liveness

__all__ = ["TextCounts"]


class _Count(NamedTuple):
    """Number of texts, or a lower bound of it."""

    number: int
    is_exact: bool


class TextCounts:
    """Numbers of texts of the states of an automaton, each computed as far as it is asked for.

    Each prefix that leads to a live state begins at least one text. So prefixes are extended character by character,
    all of one length at once, until there are enough of them: infinite languages need no care, and a few characters
    decide about large ones.

    Args:
        derivatives: the automaton.
        liveness: of its states.
    """

    def __init__(self, derivatives: Derivatives, liveness: Liveness) -> None:
        self._derivatives = derivatives
        self._liveness = liveness
        self._known: dict[int, _Count] = {}

    def up_to(self, node: int, most: int) -> int:
        """Number of texts of a state; `most` if there are more.

        Raises:
            LimitError: the search takes too many derivatives.
        """
        known = self._known.get(node)
        if known is None or (known.number < most and not known.is_exact):
            known = self._known[node] = self._count(node, most)
        return min(known.number, most)

    def along(self, text: str, most: int) -> list[int]:
        """Numbers of texts that begin with a text, with all but its last character, and so on to the empty text.

        The list ends with the first that is `most`, as then they all are.

        Args:
            most: greatest number that is told from greater ones.
        Raises:
            LimitError: see `up_to`.
        """
        path = self._derivatives.path(text)
        counts = [0] * (len(text) + 1 - len(path))
        for node in reversed(path):  # a state is quickly counted after its successors
            counts.append(self.up_to(node, most))
            if counts[-1] >= most:
                break
        return counts

    def _count(self, node: int, most: int) -> _Count:
        """The number, or a lower bound that is at least `most`."""
        nodes, is_live = self._derivatives.nodes, self._liveness.is_live
        prefixes = {node: 1} if is_live(node) else {}  # state -> number of prefixes that lead there
        found, begun = 0, len(prefixes)  # shorter texts; texts that begin with the prefixes, at least
        while prefixes:
            if found + begun >= most:
                return _Count(found + begun, is_exact=False)
            longer: dict[int, int] = {}
            begun = 0
            for here, number in prefixes.items():
                found += number * nodes.accepts_end(here)
                for mask, following in self._derivatives.steps(here):
                    if found + begun >= most:
                        return _Count(found + begun, is_exact=False)
                    if not is_live(following):
                        continue
                    ways = number * len(nodes.partition.charset(mask))
                    known = self._known.get(following)
                    if known is not None and known.is_exact:
                        found += ways * known.number
                    else:
                        begun += ways * (known.number if known else 1)
                        longer[following] = longer.get(following, 0) + ways
            prefixes = longer
        return _Count(found, is_exact=True)
