"""Derivatives: lazy automata of expressions with lookarounds, intersections and complements.

The derivative of a language by a character is the set of suffixes that may follow that character. Here derivatives are
taken of *expressions*, by classes of characters; the finitely many derivatives of an expression (up to the
simplifications of `Nodes`) are the states of a deterministic automaton.

Source: Brzozowski, "Derivatives of regular expressions", 1964; for lookarounds, of which they allow fewer combinations,
Varatalu, Veanes and Ernits, "RE#: High performance derivative-based regex matching", PLDI 2025.
"""

from __future__ import annotations

from guidance_kit.fsm.network import Work
from guidance_kit.grammars.regular.expression import Expression
from guidance_kit.grammars.regular.nodes import (
    AHEAD,
    ALT,
    AND,
    BEHIND,
    CONCAT,
    EMPTY,
    EPS,
    LATER,
    NOT,
    PENDING,
    REPEAT,
    SET,
    WHERE,
    Nodes,
)
from guidance_kit.grammars.regular.partition import partition_of

__all__ = ["Derivatives", "is_member"]


_NONE: frozenset[int] = frozenset()


class Derivatives:
    """Lazy automaton of an expression.

    Attributes:
        nodes: its states.
        root: the start state.
        partition: classes of characters.
        work: bound on the number of derivatives; None: there is none.
    """

    def __init__(self, expression: Expression) -> None:
        self.partition = partition_of(expression)
        self.nodes = Nodes(self.partition)
        self.root = self.nodes.of(expression)
        self.work: Work | None = None
        self._derived: dict[tuple[int, int], int] = {}
        self._reads: dict[tuple[int, int, int], int] = {}
        self._moved: dict[tuple[int, int], int] = {}
        self._steps: dict[int, list[tuple[int, int]]] = {}
        self._looked_at: dict[int, frozenset[int]] = {}
        self._moving: dict[int, frozenset[int]] = {}
        self._sets: dict[frozenset[int], frozenset[int]] = {}  # of masks, each once: thousands of nodes have the same
        self._unions: dict[frozenset[int], frozenset[int]] = {}  # of such sets, by their id()
        self._groups: dict[frozenset[int], list[int]] = {}  # what such sets separate

    @property
    def size(self) -> int:
        """Number of its states so far, and of the parts of these."""
        return len(self.nodes.keys)

    def steps(self, node: int) -> list[tuple[int, int]]:
        """Derivatives by disjoint sets of character classes: (mask of classes, derivative).

        Empty derivatives are left out where that is obvious; `Liveness` decides the others.
        """
        nodes = self.nodes
        known = self._steps.get(node)
        if known is not None:
            return known
        watched = self._watched(node)
        groups = self._groups.get(watched)
        if groups is None:
            groups = [nodes.everything]
            for mask in watched:
                groups = [part for group in groups for part in (group & mask, group & ~mask) if part]
            self._groups[watched] = groups
        found: dict[int, int] = {}
        for group in groups:
            derivative = self.derivative(node, (group & -group).bit_length() - 1)
            if derivative != nodes.nothing:
                found[derivative] = found.get(derivative, 0) | group
        result = self._steps[node] = [(mask, derivative) for derivative, mask in found.items()]
        return result

    def is_final(self, node: int) -> bool:
        """Test whether a text may end in a node."""
        return self.nodes.accepts_end(node)

    def path(self, text: str) -> list[int]:
        """States along a text, from the start state on, up to the first that is plainly empty."""
        nodes = self.nodes
        found = [self.root]
        for character in text:
            place = nodes.partition.class_of(ord(character))
            if place is None or found[-1] == nodes.nothing:
                break
            found.append(self.derivative(found[-1], place))
        return found

    def contains(self, text: str) -> bool:
        """Test whether a text belongs to the expression."""
        path = self.path(text)
        return len(path) == len(text) + 1 and self.nodes.accepts_end(path[-1])

    def derivative(self, node: int, c: int) -> int:
        """Derivative by a character of class `c`."""
        nodes = self.nodes
        key = node, c
        known = self._derived.get(key)
        if known is not None:
            return known
        fields = nodes.keys[node]
        kind = fields[0]
        if self.work is not None:
            self.work.spend(len(fields[1]) if kind in (ALT, AND) else 1, WHERE)
        if kind in (ALT, AND):
            found = []
            for part in fields[1]:  # nearly all of which are known
                one = self._derived.get((part, c))
                found.append(self.derivative(part, c) if one is None else one)
            result = nodes.alternate(found) if kind == ALT else nodes.intersect(found)
        elif kind == NOT:
            result = nodes.complement(self.derivative(fields[1], c))
        else:
            result = self._read(node, nodes.epsilon, c)
        self._derived[key] = result
        return result

    def _read(self, node: int, rest: int, c: int) -> int:
        """Derivative by a character of class `c` that is read within `node`, followed by `rest`."""
        nodes = self.nodes
        kind = nodes.keys[node][0]
        if kind == SET:
            return self._advanced(rest, c) if nodes.keys[node][1] >> c & 1 else nodes.nothing
        if kind == LATER:
            return self._read(nodes.body(node), rest, c)
        if kind not in (CONCAT, ALT, REPEAT):
            return nodes.nothing  # EPS, EMPTY, and conditions, which read nothing
        key = node, rest, c
        known = self._reads.get(key)  # the turns of nested repetitions meet the same parts again and again
        if known is not None:
            return known
        _, *fields = nodes.keys[node]
        if self.work is not None:
            self.work.spend(len(fields[0]) if kind == ALT else 1, WHERE)
        if kind == CONCAT:
            result = self._read_sequence(node, rest, c)
        elif kind == ALT:
            result = nodes.alternate([self._read(part, rest, c) for part in fields[0]])
        else:
            body, minimum, maximum = fields
            fewer = maximum - 1 if maximum > 0 else maximum
            following = nodes.repeat(body, max(minimum - 1, 0), fewer) if fewer else nodes.epsilon
            result = self._read(body, nodes.concatenate(following, rest), c)
            condition = nodes.empty_if(body)
            if minimum > 1 and condition != nodes.nothing:
                # Some turns may be empty, all at this place and under the same condition; then the others may be few.
                following = nodes.repeat(body, 0, maximum - 2 if maximum > 0 else maximum)
                others = self._read(body, nodes.concatenate(following, rest), c)
                result = nodes.alternate((result, nodes.guarded(self.derivative(condition, c), others)))
        self._reads[key] = result
        return result

    def _read_sequence(self, node: int, rest: int, c: int) -> int:
        """`_read` of a CONCAT: of its head, and of the tail behind nullable heads."""
        nodes = self.nodes
        found = []
        guard = nodes.anything
        while True:
            is_concat = nodes.keys[node][0] == CONCAT
            head, tail = nodes.keys[node][1:3] if is_concat else (node, nodes.epsilon)
            key = nodes.keys[head]
            can_read = key[0] != SET or key[1] >> c & 1  # most heads are sets without the character
            following = self._read(head, nodes.concatenate(tail, rest), c) if can_read else nodes.nothing
            if following != nodes.nothing:
                is_free = guard == nodes.anything
                found.append(following if is_free else nodes.guarded(self.derivative(guard, c), following))
            if not is_concat:
                break
            guard = nodes.intersect((guard, nodes.empty_if(head)))
            if guard == nodes.nothing:
                break
            node = tail
        return nodes.alternate(found)

    def _advanced(self, node: int, c: int) -> int:
        """`node`, not reached yet, after a character of class `c` before it."""
        nodes = self.nodes
        if nodes.is_fixed[node]:
            return node
        key = node, c
        known = self._moved.get(key)
        if known is not None:
            return known
        kind, *fields = nodes.keys[node]
        if kind == CONCAT:
            parts = []
            rest = node
            while nodes.keys[rest][0] == CONCAT and not nodes.is_fixed[rest]:
                parts.append(nodes.keys[rest][1])
                rest = nodes.keys[rest][2]
            result = self._advanced(rest, c)
            for part in reversed(parts):
                result = nodes.concatenate(self._advanced(part, c), result)
        elif kind == ALT:
            result = nodes.alternate([self._advanced(part, c) for part in fields[0]])
        elif kind == AND:
            result = nodes.intersect([self._advanced(part, c) for part in fields[0]])
        elif kind == NOT:
            result = nodes.complement(self._advanced(fields[0], c))
        elif kind == REPEAT:
            result = nodes.repeat(self._advanced(fields[0], c), fields[1], fields[2])
        elif kind == AHEAD:
            result = nodes.ahead(self._advanced(fields[0], c))
        elif kind == PENDING:
            result = nodes.pending(self.derivative(fields[0], c))
        else:
            result = nodes.behind(self.derivative(fields[0], c), fields[1])
        self._moved[key] = result
        return result

    def _watched(self, node: int) -> frozenset[int]:
        """Masks that separate the characters by which the derivatives of `node` may differ."""
        nodes = self.nodes
        known = self._looked_at.get(node)
        if known is not None:
            return known
        kind, *fields = nodes.keys[node]
        if kind == SET:
            result = frozenset(fields)
        elif kind == CONCAT:
            parts = [self._moves(node)]
            rest = node
            while True:
                is_concat = nodes.keys[rest][0] == CONCAT
                head = nodes.keys[rest][1] if is_concat else rest
                parts.append(self._watched(head))
                if not is_concat or nodes.empty_if(head) == nodes.nothing:
                    break
                rest = nodes.keys[rest][2]
            result = self._union(parts)
        elif kind in (ALT, AND):
            result = self._union([self._watched(part) for part in fields[0]])
        elif kind in (EPS, EMPTY):
            result = frozenset()
        elif kind == LATER:
            result = self._watched(nodes.body(node))
        else:
            result = self._watched(fields[0])
        result = self._looked_at[node] = self._sets.setdefault(result, result)
        return result

    def _moves(self, node: int) -> frozenset[int]:
        """Masks that separate the characters by which `_advanced` may differ."""
        nodes = self.nodes
        if nodes.is_fixed[node]:
            return _NONE
        known = self._moving.get(node)
        if known is not None:
            return known
        kind, *fields = nodes.keys[node]
        if kind == CONCAT:
            parts: list[frozenset[int]] = []
            rest = node
            while nodes.keys[rest][0] == CONCAT:
                parts.append(self._moves(nodes.keys[rest][1]))
                rest = nodes.keys[rest][2]
            result = self._union([*parts, self._moves(rest)])
        elif kind in (ALT, AND):
            result = self._union([self._moves(part) for part in fields[0]])
        elif kind in (PENDING, BEHIND):
            result = self._watched(fields[0])
        else:
            result = self._moves(fields[0])
        result = self._moving[node] = self._sets.setdefault(result, result)
        return result

    def _union(self, sets: list[frozenset[int]]) -> frozenset[int]:
        """Union of sets of masks, each of which is there once: many nodes have the same parts."""
        parts = {id(one): one for one in sets}
        key = frozenset(parts)
        known = self._unions.get(key)
        if known is None:
            union = frozenset[int]().union(*parts.values())
            known = self._unions[key] = self._sets.setdefault(union, union)
        return known


def is_member(text: str, expression: Expression) -> bool:
    """Test whether a text belongs to the expression."""
    return Derivatives(expression).contains(text)
