"""Liveness of derivatives: expressions without any text, and shortest texts."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from heapq import heappop, heappush

from guidance_kit.errors import LimitError
from guidance_kit.fsm.network import Work
from guidance_kit.grammars.regular.charset import typical
from guidance_kit.grammars.regular.derivative import Derivatives
from guidance_kit.grammars.regular.expression import NOTHING, Expression
from guidance_kit.grammars.regular.minimal_automaton import minimal_automaton
from guidance_kit.grammars.regular.nodes import AHEAD, ALT, AND, BEHIND, CONCAT, LATER, PENDING, REPEAT, SET, WHERE
from guidance_kit.grammars.regular.product_automaton import ProductAutomaton, product_automaton

__all__ = ["Liveness", "is_empty", "search", "shortest"]

MAX_SEARCH = 20_000
"""Derivatives searched for a text of a language, large ones counting for several; a few seconds."""


_MOST_STEPS = 2_000
"""Steps of a product that are taken to find a text, before derivatives are; 5 milliseconds."""


class Liveness:
    """Lazily computed set of live states: states of an automaton from which a text can be completed.

    Attributes:
        derivatives: the automaton.
    """

    def __init__(self, derivatives: Derivatives) -> None:
        self.derivatives = derivatives
        self._live: dict[int, bool] = {}
        self._distances: dict[int, int] = {}

    def is_live(self, node: int) -> bool:
        """Test whether some text belongs to the language.

        Raises:
            LimitError: if that takes too many derivatives.
        """
        known = self._live.get(node)
        if known is not None:
            return known
        if self._has_text_of_parts(node):
            return True
        # The most promising first: in the order of their number, there may be exponentially many before a live one.
        origin: dict[int, int] = {node: -1}
        todo = [(0, 0, node)]
        most = MAX_SEARCH + min(2 * self._distance(node), 10 * MAX_SEARCH)  # long texts need long searches
        while todo:
            here = heappop(todo)[2]
            known = self._live.get(here)
            if known is None:
                known = self._is_surely_live(here)
            if known:
                while here >= 0:
                    self._live[here] = True
                    here = origin[here]
                return True
            if known is None:
                most -= self._size(here)
                if most < 0:
                    raise LimitError("max_search", MAX_SEARCH, where=WHERE)
                for _, following in self.derivatives.steps(here):
                    if following not in origin:
                        origin[following] = here
                        heappush(todo, (self._distance(following), -len(origin), following))
        for dead in origin:
            self._live[dead] = False
        return False

    def _has_text_of_parts(self, node: int) -> bool:
        """Test whether a conjunction has a text composed of shortest texts of its parts, one part after the other.

        A conjunction has up to the product of the numbers of derivatives of its parts. This search visits only those
        along one text; False is no proof.
        """
        derivatives, nodes = self.derivatives, self.derivatives.nodes
        path: list[int] = []
        part = nodes.nothing
        for _ in range(2 * self._distance(node) + 1):
            path.append(node)
            known = self._live.get(node)
            if known is None:
                known = self._is_surely_live(node)
            if known is not None:
                self._live.update(dict.fromkeys(path, True) if known else {})
                return known
            if self._distance(part) == 0:
                part = max(self._plain_parts(node), key=self._distance, default=nodes.nothing)
            left = self._distance(part)
            mask, part = next(
                (way for way in derivatives.steps(part) if self._distance(way[1]) < left), (0, nodes.nothing)
            )
            if not mask:
                return False
            node = derivatives.derivative(node, (mask & -mask).bit_length() - 1)
        return False

    def _plain_parts(self, node: int) -> Iterator[int]:
        """Plain languages whose intersection contains all texts of a node."""
        nodes = self.derivatives.nodes
        todo = [node]
        while todo:
            kind, *fields = nodes.keys[here := todo.pop()]
            if kind == AND:
                todo += fields[0]
            elif kind == CONCAT and nodes.keys[fields[0]][0] == PENDING:
                todo += (nodes.keys[fields[0]][1], fields[1])
            elif nodes.is_plain[here]:
                yield here

    def _is_surely_live(self, node: int) -> bool | None:
        """Quick test for a text of the language; None if undecided."""
        nodes = self.derivatives.nodes
        if nodes.is_plain[node] or nodes.accepts_end(node):
            return node != nodes.nothing
        kind, *fields = nodes.keys[node]
        if kind != AND or len(fields[0]) != 2:
            return None
        # A plain language whose length is bounded: its shortest texts have the length that is their distance.
        for part, bound in (fields[0], fields[0][::-1]):
            key = nodes.keys[bound]
            if nodes.is_plain[part] and key[0] == REPEAT and nodes.keys[key[1]] == (SET, nodes.everything):
                shortest = self._distance(part)
                if 0 <= key[3] < shortest:
                    return False
                if key[2] <= shortest:
                    return True
        return None

    def least(self, node: int) -> int:
        """Length of a shortest text: of a plain language, or of one with a minimal length and extensible texts."""
        nodes = self.derivatives.nodes
        parts = nodes.keys[node][1] if nodes.keys[node][0] == AND else (node,)
        return max(map(self._distance, parts))

    def _size(self, node: int) -> int:
        """Approximate cost of the derivatives of a node: 1, and more for one of many parts."""
        nodes = self.derivatives.nodes
        kind, *fields = nodes.keys[node]
        return 1 + len(fields[0]) // 8 if kind in (ALT, AND) else 1

    def _distance(self, node: int) -> int:
        """Estimated number of characters to the end of a text; exact for a plain language."""
        nodes = self.derivatives.nodes
        known = self._distances.get(node)
        if known is not None:
            return known
        kind, *fields = nodes.keys[node]
        if kind == CONCAT:
            tails = []
            rest = node
            while nodes.keys[rest][0] == CONCAT and rest not in self._distances:
                tails.append(rest)
                rest = nodes.keys[rest][2]
            result = self._distance(rest)
            for tail in reversed(tails):
                result = self._distances[tail] = result + self._distance(nodes.keys[tail][1])
        elif kind == ALT:
            result = min(self._distance(part) for part in fields[0])
        elif kind == AND:
            result = sum(self._distance(part) for part in fields[0])
        elif kind == REPEAT:
            result = fields[1] * self._distance(fields[0])
        elif kind in (AHEAD, PENDING):
            result = self._distance(fields[0])
        elif kind == BEHIND:
            result = 0 if fields[1] else self._distance(fields[0])
        elif kind == LATER:
            result = fields[0].least
        else:
            result = 1 if kind == SET else 0
        self._distances[node] = result
        return result

    def shortest(self, node: int) -> str | None:
        """A shortest text of the language; None if there is none."""
        nodes = self.derivatives.nodes
        origin: dict[int, tuple[int, str]] = {node: (-1, "")}
        todo = deque([node])
        while todo:
            here = todo.popleft()
            if nodes.accepts_end(here):
                text = []
                while here >= 0:
                    here, character = origin[here]
                    text.append(character)
                return "".join(reversed(text))
            for mask, following in self.derivatives.steps(here):
                if following not in origin and (nodes.is_plain[following] or self.is_live(following)):
                    origin[following] = here, typical(nodes.partition.charset(mask))
                    todo.append(following)
        return None


def is_empty(expression: Expression, work: Work | None = None) -> bool:
    """Test whether no text belongs to the expression.

    Args:
        work: bounds the derivatives that are taken; None: only MAX_SEARCH does.
    Raises:
        LimitError: if that takes too many derivatives.
    """
    return not search(expression, work)[0]


def search(expression: Expression, work: Work | None = None) -> tuple[bool, Liveness | None]:
    """Test whether some text belongs to the expression; with the derivatives that were searched, if any were.

    Arguments and errors are those of `is_empty`.
    """
    if expression.is_plain:
        return expression is not NOTHING, None
    product = product_automaton(expression, minimal_automaton)
    if product is not None and (is_live := _is_soon_live(product, work)) is not None:
        return is_live, None
    liveness = Liveness(Derivatives(expression))
    liveness.derivatives.work = work
    found = liveness.is_live(liveness.derivatives.root)
    liveness.derivatives.work = None
    return found, liveness


def _is_soon_live(product: ProductAutomaton, work: Work | None) -> bool | None:
    """Test whether a product has texts; None if its first states do not tell."""
    if product.has_witness():
        return True
    product.work = Work(_MOST_STEPS if work is None else min(_MOST_STEPS, work.left))
    try:
        return product.is_live(product.root)
    except LimitError:
        return None
    finally:
        if work is not None:
            work.spend(min(product.states, work.left), WHERE)


def shortest(expression: Expression) -> str | None:
    """A shortest text of the expression, of simple characters if possible; None if there is none."""
    derivatives = Derivatives(expression)
    return Liveness(derivatives).shortest(derivatives.root)
