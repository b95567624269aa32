"""Hash-consed twin of `expression.py`: expressions with conditions as integers, simplified on construction.

Every expression here describes a *future*: the rest of the text from the current position. Conditions need two ideas.

* A condition on the future is derived along with it: after `c`, "the rest belongs to T" becomes "the rest belongs to
  the derivative of T". AHEAD(T) is such a condition that has not been reached yet, and does not change until then;
  PENDING(T) is one that has been reached, and is derived by every character. At the end of the text it holds if T is
  nullable.
* A condition on the past: BEHIND(S) has S derived by all characters up to the current position, reached or not; it
  holds where S is nullable. S may be pending on conditions of its own, which then become the condition.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

from guidance_kit.errors import LimitError
from guidance_kit.fsm.network import UNBOUNDED
from guidance_kit.grammars.regular.expression import (
    ANYTHING,
    EPSILON,
    NOTHING,
    Alternation,
    Characters,
    Complement,
    Concatenation,
    Deferred,
    Expression,
    Intersection,
    Lookahead,
    Lookbehind,
    Repetition,
    alternate,
    characters,
    concatenate,
    repeat,
)
from guidance_kit.grammars.regular.partition import Partition

__all__ = [
    "AHEAD", "ALT", "AND", "BEHIND", "CONCAT", "EMPTY", "EPS", "LATER", "NOT", "PENDING", "REPEAT", "SET",
    "WHERE", "Nodes",
]  # fmt: skip

MAX_NODES = 1_000_000
"""Expressions of one automaton, over all derivatives taken so far; some hundred bytes each."""

WHERE = "a pattern with lookarounds, or a conjunction of patterns"
"""Cause of reaching the limits, in words."""

SET, CONCAT, ALT, REPEAT, AHEAD, PENDING, BEHIND, AND, NOT, EMPTY, EPS, LATER = range(12)


class Nodes:
    """Interned expressions over the classes of a partition.

    Nodes are small integers. The key of a node is one of

        (SET, mask)                  one character of the classes in a mask
        (CONCAT, head, tail)         one after the other; the head is no CONCAT
        (ALT, parts)                 one of at least two, ascending
        (REPEAT, body, m, n)         between m and n times, n may be UNBOUNDED
        (AHEAD, rest)                nothing, if the rest of the text belongs to `rest`; not reached yet
        (PENDING, rest)              the same, reached
        (BEHIND, past, is_negated)   nothing, if `past`, derived by the text up to here, is nullable (or is not)
        (AND, parts)                 all of at least two, ascending
        (NOT, body)                  texts that do not belong to `body`
        (EMPTY,)                     no text at all
        (EPS,)                       the empty text
        (LATER, part)                a Deferred; `body` is its node

    Attributes:
        keys: of each node.
        is_plain: of each node, whether it has no condition, intersection or complement.
        is_fixed: of each node, whether no part of it changes with characters before it is reached.
        everything: mask of all classes.
        nothing, epsilon, anything: nodes of no text, the empty text, all texts.
    """

    def __init__(self, partition: Partition) -> None:
        self.partition = partition
        self.everything = (1 << partition.count) - 1
        self.keys: list[tuple] = []
        self.is_plain: list[bool] = []
        self.is_fixed: list[bool] = []
        self._ids: dict[tuple, int] = {}
        self._accepts: dict[int, bool] = {}
        self._empty_if: dict[int, int] = {}
        self._expressions: dict[int, Expression] = {}
        self._bodies: dict[int, int] = {}
        self._denied: dict[int, frozenset[int]] = {}  # of an AND the bodies of its parts that are NOT
        self.nothing = self._node((EMPTY,))
        self.epsilon = self._node((EPS,))
        self.anything = self._node((REPEAT, self._node((SET, self.everything)), 0, UNBOUNDED))

    def of(self, expression: Expression) -> int:
        """The node of an expression over the sets of the partition."""
        if isinstance(expression, Characters):
            return self._node((SET, self.partition.masks[expression.charset]))
        if isinstance(expression, Concatenation):
            result = self.epsilon
            for part in reversed(expression.parts):
                result = self.concatenate(self.of(part), result)
        elif isinstance(expression, Alternation):
            result = self.alternate([self.of(part) for part in expression.parts])
        elif isinstance(expression, Repetition):
            if expression is ANYTHING:
                return self.anything
            result = self.repeat(self.of(expression.body), expression.minimum, expression.maximum)
        elif isinstance(expression, Lookahead):
            result = self.ahead(self.of(expression.rest))
        elif isinstance(expression, Lookbehind):
            result = self.behind(self.of(expression.past), expression.is_negated)
        elif isinstance(expression, Intersection):
            result = self.intersect([self.of(part) for part in expression.parts])
        elif isinstance(expression, Complement):
            result = self.complement(self.of(expression.body))
        elif isinstance(expression, Deferred):
            return self._node((LATER, expression))
        else:
            return self.nothing if expression is NOTHING else self.epsilon
        return result

    def body(self, node: int) -> int:
        """Expression of a LATER node, as a node."""
        found = self._bodies.get(node)
        if found is None:
            found = self._bodies[node] = self.of(self.keys[node][1].body)
        return found

    def expression(self, node: int) -> Expression:
        """The expression of a plain node."""
        known = self._expressions.get(node)
        if known is not None:
            return known
        kind, *fields = self.keys[node]
        if kind == SET:
            result = characters(self.partition.charset(fields[0]))
        elif kind == CONCAT:
            parts = []
            rest = node
            while self.keys[rest][0] == CONCAT:
                parts.append(self.expression(self.keys[rest][1]))
                rest = self.keys[rest][2]
            result = concatenate([*parts, self.expression(rest)])
        elif kind == ALT:
            result = alternate([self.expression(part) for part in fields[0]])
        elif kind == REPEAT:
            result = repeat(self.expression(fields[0]), fields[1], fields[2])
        elif kind == LATER:
            result = fields[0]
        else:
            result = NOTHING if kind == EMPTY else EPSILON
        self._expressions[node] = result
        return result

    def concatenate(self, head: int, tail: int) -> int:
        """One after the other."""
        nothing, epsilon, anything, keys = self.nothing, self.epsilon, self.anything, self.keys
        if head == nothing or tail == nothing:
            return nothing
        if head == epsilon:
            return tail
        if tail == epsilon:
            return head
        heads = [head]
        if keys[head][0] == CONCAT:
            heads = []
            while keys[head][0] == CONCAT:
                heads.append(keys[head][1])
                head = keys[head][2]
            heads.append(head)
        for part in reversed(heads):
            first = keys[tail][1] if keys[tail][0] == CONCAT else tail
            if part == anything and first == anything:
                continue
            if keys[part][0] == PENDING and keys[first][0] == PENDING:
                both = self.pending(self.intersect((keys[part][1], keys[first][1])))
                rest = keys[tail][2] if keys[tail][0] == CONCAT else epsilon
                tail = self.concatenate(both, rest)
            else:
                tail = self._node((CONCAT, part, tail))
            if tail == nothing:
                return nothing
        return tail

    def alternate(self, parts: Iterable[int]) -> int:
        """One of any number."""
        flat = set(parts)
        flat.discard(self.nothing)
        if len(flat) < 2:
            return flat.pop() if flat else self.nothing
        for part in [part for part in flat if self.keys[part][0] == ALT]:
            flat.remove(part)
            flat.update(self.keys[part][1])
        if self.anything in flat:
            return self.anything
        flat = self._joined_repetitions(flat)
        if any(self._condition_of(part) is not None for part in flat):
            flat = self._joined_conditions(flat)
        masks = [self.keys[part][1] for part in flat if self.keys[part][0] == SET]
        if len(masks) > 1:
            flat = {part for part in flat if self.keys[part][0] != SET}
            mask = 0
            for other in masks:
                mask |= other
            flat.add(self._node((SET, mask)))
        if len(flat) < 2:
            return flat.pop() if flat else self.nothing
        return self._node((ALT, tuple(sorted(flat))))

    def _joined_repetitions(self, parts: set[int]) -> set[int]:
        """`x{a,b} y` or `x{c,d} y` as `x{a,d} y` if the ranges overlap or touch; under the same condition too."""
        groups: dict[tuple[int, int, int], list[tuple[int, float, int]]] = {}
        for part in parts:
            condition, rest = self.anything, part
            if self.keys[rest][0] == CONCAT and self.keys[self.keys[rest][1]][0] == PENDING:
                _, condition, rest = self.keys[rest]
            _, head, tail = self.keys[rest] if self.keys[rest][0] == CONCAT else (CONCAT, rest, self.epsilon)
            kind, *fields = self.keys[head]
            if kind == REPEAT:
                body, minimum, maximum = fields
                most = inf if maximum == UNBOUNDED else maximum
                groups.setdefault((condition, body, tail), []).append((minimum, most, part))
        for (condition, body, tail), turns in groups.items():
            if len(turns) < 2:
                continue
            turns.sort()
            joined = [turns[0][:2]]
            for minimum, most, _ in turns[1:]:
                if minimum <= joined[-1][1] + 1:
                    joined[-1] = joined[-1][0], max(joined[-1][1], most)
                else:
                    joined.append((minimum, most))
            if len(joined) < len(turns):
                parts = parts.difference(part for *_, part in turns)
                for minimum, most in joined:
                    repetition = self.repeat(body, minimum, UNBOUNDED if most == inf else int(most))
                    whole = self.concatenate(repetition, tail)
                    parts.add(whole if condition == self.anything else self.concatenate(condition, whole))
        return parts

    def _condition_of(self, node: int) -> int | None:
        """T, if the node is `if T: x`."""
        key = self.keys[node]
        if key[0] == CONCAT:
            key = self.keys[key[1]]
        return key[1] if key[0] == PENDING else None

    def _joined_conditions(self, parts: set[int]) -> set[int]:
        """`if T: x` or `if U: x` is `if T or U: x`."""
        conditions: dict[int, list[int]] = {}
        for part in parts:
            condition = self._condition_of(part)
            if condition is None:
                conditions.setdefault(part, []).append(self.anything)
            else:
                rest = self.keys[part][2] if self.keys[part][0] == CONCAT else self.epsilon
                conditions.setdefault(rest, []).append(condition)
        return {self.guarded(self.alternate(found), rest) for rest, found in conditions.items()}

    def intersect(self, parts: Iterable[int]) -> int:
        """All of any number."""
        flat = set(parts)
        flat.discard(self.anything)
        if self.nothing in flat:
            return self.nothing
        if len(flat) < 2:
            return flat.pop() if flat else self.anything
        denied: set[int] = set()
        for part in [*flat]:
            key = self.keys[part]
            if key[0] == AND:
                flat.remove(part)
                flat.update(key[1])
                denied.update(self._denied[part])
            elif key[0] == NOT:
                denied.add(key[1])
        if not denied.isdisjoint(flat):
            return self.nothing
        node = self._node((AND, tuple(sorted(flat))))
        self._denied.setdefault(node, frozenset(denied))
        return node

    def complement(self, body: int) -> int:
        """Complement of `body`."""
        if body == self.nothing:
            return self.anything
        if body == self.anything:
            return self.nothing
        return self.keys[body][1] if self.keys[body][0] == NOT else self._node((NOT, body))

    def repeat(self, body: int, minimum: int, maximum: int) -> int:
        """Between `minimum` and `maximum` times; `maximum` may be UNBOUNDED."""
        if maximum == 0 or body == self.epsilon:
            return self.epsilon
        if body == self.nothing:
            return self.epsilon if minimum == 0 else self.nothing
        if minimum == maximum == 1:
            return body
        if minimum > 0 and self.is_fixed[body] and self.empty_if(body) == self.anything:
            minimum = 0  # some turns may read nothing, wherever they begin
        return self._node((REPEAT, body, minimum, maximum))

    def ahead(self, rest: int) -> int:
        """Nothing, where the rest of the text belongs to `rest`; not reached yet."""
        if rest == self.nothing:
            return rest
        return self.epsilon if rest == self.anything else self._node((AHEAD, rest))

    def pending(self, rest: int) -> int:
        """Nothing, where the rest of the text belongs to `rest`; reached."""
        if rest == self.nothing:
            return rest
        return self.epsilon if rest == self.anything else self._node((PENDING, rest))

    def behind(self, past: int, is_negated: bool) -> int:
        """Nothing, if `past`, derived by the text up to here, is nullable, or is not if `is_negated`."""
        if past in (self.nothing, self.anything):
            return self.epsilon if (past == self.anything) != is_negated else self.nothing
        return self._node((BEHIND, past, is_negated))

    def guarded(self, condition: int, node: int) -> int:
        """`node` where the rest belongs to `condition`."""
        return self.concatenate(self.pending(condition), node)

    def empty_if(self, node: int) -> int:
        """Condition on the rest of the text under which `node` matches the empty text here."""
        known = self._empty_if.get(node)
        if known is not None:
            return known
        kind, *fields = self.keys[node]
        if kind == CONCAT:
            conditions = []
            rest = node
            while self.keys[rest][0] == CONCAT:
                conditions.append(self.empty_if(self.keys[rest][1]))
                if conditions[-1] == self.nothing:
                    break
                rest = self.keys[rest][2]
            else:
                conditions.append(self.empty_if(rest))
            result = self.intersect(conditions)
        elif kind == ALT:
            result = self.alternate([self.empty_if(part) for part in fields[0]])
        elif kind == AND:
            result = self.intersect([self.empty_if(part) for part in fields[0]])
        elif kind == NOT:
            result = self.complement(self.empty_if(fields[0]))
        elif kind == REPEAT:
            result = self.anything if fields[1] == 0 else self.empty_if(fields[0])
        elif kind in (AHEAD, PENDING):
            result = fields[0]
        elif kind == BEHIND:
            result = self.empty_if(fields[0])
            if fields[1]:
                result = self.complement(result)
        else:
            result = self.anything if kind == EPS else self.nothing
        self._empty_if[node] = result
        return result

    def accepts_end(self, node: int) -> bool:
        """Test whether the text may end here."""
        known = self._accepts.get(node)
        if known is not None:
            return known
        kind, *fields = self.keys[node]
        if kind == CONCAT:
            result = True
            rest = node
            while result and self.keys[rest][0] == CONCAT:
                result = self.accepts_end(self.keys[rest][1])
                rest = self.keys[rest][2]
            result = result and self.accepts_end(rest)
        elif kind == ALT:
            result = any(self.accepts_end(part) for part in fields[0])
        elif kind == AND:
            result = all(self.accepts_end(part) for part in fields[0])
        elif kind == NOT:
            result = not self.accepts_end(fields[0])
        elif kind == REPEAT:
            result = fields[1] == 0 or self.accepts_end(fields[0])
        elif kind in (AHEAD, PENDING):
            result = self.accepts_end(fields[0])
        elif kind == BEHIND:
            result = self.accepts_end(fields[0]) != fields[1]
        else:
            result = kind == EPS
        self._accepts[node] = result
        return result

    def _node(self, key: tuple) -> int:
        """Node of a key in simplified form."""
        node = self._ids.get(key)
        if node is not None:
            return node
        node = len(self.keys)
        if node >= MAX_NODES:
            raise LimitError("max_derivatives", MAX_NODES, where=WHERE)
        kind = key[0]
        if kind in (SET, EMPTY, EPS, LATER):
            is_plain = is_fixed = True
        elif kind in (ALT, AND):
            is_plain = kind == ALT and all(self.is_plain[part] for part in key[1])
            is_fixed = all(self.is_fixed[part] for part in key[1])
        elif kind == CONCAT:
            is_plain = self.is_plain[key[1]] and self.is_plain[key[2]]
            is_fixed = self.is_fixed[key[1]] and self.is_fixed[key[2]]
        else:
            is_plain = kind == REPEAT and self.is_plain[key[1]]
            is_fixed = kind not in (PENDING, BEHIND) and self.is_fixed[key[1]]
        self.keys.append(key)
        self.is_plain.append(is_plain)
        self.is_fixed.append(is_fixed)
        self._ids[key] = node
        return node
