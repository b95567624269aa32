r"""Derivatives: expressions with lookarounds, intersections and complements, as automata built while they are used.

The derivative of a language by a character is the set of what can follow that character. Here it is taken of
*expressions*, one character class at a time, and the finitely many derivatives of an expression (up to the
simplifications of the constructors below) are the states of a deterministic automaton.

Every expression here is about a *future*: the rest of the text from the current place. Conditions need two ideas.

* A condition about the future travels along: after `c`, "the rest belongs to T" has become "the rest belongs to the
  derivative of T". AHEAD(T) is such a condition that has not been reached yet, and is left alone until then; PENDING(T)
  is one that has been reached, and is derived by every character that is read. At the end of the text it holds if the
  empty text belongs to T.
* A condition about the past has read it: BEHIND(S) holds S, derived by all characters up to the current place, reached
  or not; so it holds where S has the empty text. S may be pending on conditions of its own, in which case these become
  the condition. (Brzozowski 1964; lookarounds in derivatives: Varatalu, Veanes and Ernits, PLDI 2025, who allow
  fewer combinations of them.)

Characters are grouped into the classes that the sets in the expression cannot tell apart; sets of classes are int
bit masks. Nodes are small integers, interned, so equal expressions are equal numbers.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable
from functools import lru_cache
from heapq import heappop, heappush

from guidance_kit.errors import LimitError
from guidance_kit.fsm.network import UNBOUNDED, Network
from guidance_kit.grammars.regular.charset import CharSet
from guidance_kit.grammars.regular.encoding import Encoding
from guidance_kit.grammars.regular.expression import (
    ANYTHING,
    EPSILON,
    NOTHING,
    Alternation,
    Characters,
    Complement,
    Concatenation,
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

__all__ = ["Derivatives", "is_empty", "is_member", "shortest"]

MAX_NODES = 1_000_000
"""Expressions of one automaton, over all derivatives taken so far; some hundred bytes each."""

MAX_SEARCH = 20_000
"""Derivatives looked at to find out whether a language has any text, large ones counting for several; a few seconds."""

_ADVICE = "a pattern with lookarounds, or a conjunction of patterns"

_EAGER = 16
"""States that are built at once when a rule is built."""

SET, CONCAT, ALT, REPEAT, AHEAD, PENDING, BEHIND, AND, NOT, EMPTY, EPS = range(11)


class Derivatives:
    """The automaton of one or more expressions over common character classes.

    Args:
        expressions: those that `root` will be asked for.
    """

    def __init__(self, expressions: Iterable[Expression]) -> None:
        expressions = list(expressions)
        self.partition = _partition(frozenset(_charsets(expressions)))
        self._all = (1 << self.partition.count) - 1
        self._nodes: list[tuple] = []
        self._ids: dict[tuple, int] = {}
        self._is_plain: list[bool] = []  # neither condition nor intersection nor complement within
        self._is_fixed: list[bool] = []  # nothing within that changes with characters before it is reached
        self._accepts: dict[int, bool] = {}
        self._empty_if: dict[int, int] = {}
        self._looked_at: dict[int, frozenset[int]] = {}
        self._moving: dict[int, frozenset[int]] = {}
        self._derived: dict[tuple[int, int], int] = {}
        self._reads: dict[tuple[int, int, int], int] = {}
        self._moved: dict[tuple[int, int], int] = {}
        self._steps: dict[int, list[tuple[int, int]]] = {}
        self._live: dict[int, bool] = {}
        self._distances: dict[int, int] = {}
        self._expressions: dict[int, Expression] = {}
        self.nothing = self._node((EMPTY,))
        self.epsilon = self._node((EPS,))
        self.anything = self._node((REPEAT, self._node((SET, self._all)), 0, UNBOUNDED))

    # The language -------------------------------------------------------------------------------------------------

    def root(self, expression: Expression) -> int:
        """The node of an expression, at the beginning of a text."""
        return self._converted(expression)

    def accepts_end(self, node: int) -> bool:
        """Whether the text may end here."""
        known = self._accepts.get(node)
        if known is not None:
            return known
        kind, *fields = self._nodes[node]
        if kind == CONCAT:
            result = True
            rest = node
            while result and self._nodes[rest][0] == CONCAT:
                result = self.accepts_end(self._nodes[rest][1])
                rest = self._nodes[rest][2]
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

    def steps(self, node: int) -> list[tuple[int, int]]:
        """What can follow: (mask of character classes, derivative by them), the masks being disjoint.

        Derivatives without any text are left out where that can be seen at once; ask `is_live` about the others.
        """
        known = self._steps.get(node)
        if known is not None:
            return known
        groups = [self._all]
        for mask in self._watched(node):
            groups = [part for group in groups for part in (group & mask, group & ~mask) if part]
        found: dict[int, int] = {}
        for group in groups:
            derivative = self.derivative(node, (group & -group).bit_length() - 1)
            if derivative != self.nothing:
                found[derivative] = found.get(derivative, 0) | group
        result = self._steps[node] = [(mask, derivative) for derivative, mask in found.items()]
        return result

    def is_live(self, node: int) -> bool:
        """Whether some text belongs to the language.

        Raises:
            LimitError: if that takes too many derivatives.
        """
        known = self._live.get(node)
        if known is not None:
            return known
        # The most promising first: in the order of their number, there may be exponentially many before a live one.
        origin: dict[int, int] = {node: -1}
        todo = [(0, 0, node)]
        most = MAX_SEARCH + min(2 * self._distance(node), 10 * MAX_SEARCH)  # long texts need long searches
        while todo:
            here = heappop(todo)[2]
            known = self._live.get(here)
            if known is None and (self._is_plain[here] or self.accepts_end(here)):
                known = here != self.nothing
            if known:
                while here >= 0:
                    self._live[here] = True
                    here = origin[here]
                return True
            if known is None:
                most -= self._size(here)
                if most < 0:
                    raise LimitError("max_search", MAX_SEARCH, where=_ADVICE)
                for _, following in self.steps(here):
                    if following not in origin:
                        origin[following] = here
                        heappush(todo, (self._distance(following), -len(origin), following))
        for dead in origin:
            self._live[dead] = False
        return False

    def _size(self, node: int) -> int:
        """What the derivatives of a node cost, roughly: 1, and more for one of many parts."""
        kind, *fields = self._nodes[node]
        return 1 + len(fields[0]) // 8 if kind in (ALT, AND) else 1

    def _distance(self, node: int) -> int:
        """A guess of how much must be read to the end of a text."""
        known = self._distances.get(node)
        if known is not None:
            return known
        kind, *fields = self._nodes[node]
        if kind == CONCAT:
            tails = []
            rest = node
            while self._nodes[rest][0] == CONCAT and rest not in self._distances:
                tails.append(rest)
                rest = self._nodes[rest][2]
            result = self._distance(rest)
            for tail in reversed(tails):
                result = self._distances[tail] = result + self._distance(self._nodes[tail][1])
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
        else:
            result = 1 if kind == SET else 0
        self._distances[node] = result
        return result

    def contains(self, node: int, text: str) -> bool:
        """Whether a text belongs to the language."""
        for character in text:
            place = self.partition.class_of(ord(character))
            if place is None or node == self.nothing:
                return False
            node = self.derivative(node, place)
        return self.accepts_end(node)

    def shortest(self, node: int) -> str | None:
        """A shortest text of the language, None if there is none."""
        origin: dict[int, tuple[int, str]] = {node: (-1, "")}
        todo = deque([node])
        while todo:
            here = todo.popleft()
            if self.accepts_end(here):
                text = []
                while here >= 0:
                    here, character = origin[here]
                    text.append(character)
                return "".join(reversed(text))
            for mask, following in self.steps(here):
                if following not in origin and (self._is_plain[following] or self.is_live(following)):
                    origin[following] = here, _typical(self.partition.charset(mask))
                    todo.append(following)
        return None

    # The network ---------------------------------------------------------------------------------------------------

    def declare(self, network: Network, node: int, encoding: Encoding, *, name: str = "") -> int:
        """Declare the rule of a live node; what follows from it is built where texts lead to it."""
        return _Lowering(self, network, encoding, name).rule(node)

    def plain(self, node: int) -> Expression | None:
        """The node as an expression, if it is plain."""
        return self._expression(node) if self._is_plain[node] else None

    def _expression(self, node: int) -> Expression:
        known = self._expressions.get(node)
        if known is not None:
            return known
        kind, *fields = self._nodes[node]
        if kind == SET:
            result = characters(self.partition.charset(fields[0]))
        elif kind == CONCAT:
            parts = []
            rest = node
            while self._nodes[rest][0] == CONCAT:
                parts.append(self._expression(self._nodes[rest][1]))
                rest = self._nodes[rest][2]
            result = concatenate([*parts, self._expression(rest)])
        elif kind == ALT:
            result = alternate([self._expression(part) for part in fields[0]])
        elif kind == REPEAT:
            result = repeat(self._expression(fields[0]), fields[1], fields[2])
        else:
            result = NOTHING if kind == EMPTY else EPSILON
        self._expressions[node] = result
        return result

    # Making nodes --------------------------------------------------------------------------------------------------

    def _node(self, key: tuple) -> int:
        node = self._ids.get(key)
        if node is not None:
            return node
        node = len(self._nodes)
        if node >= MAX_NODES:
            raise LimitError("max_derivatives", MAX_NODES, where=_ADVICE)
        kind = key[0]
        if kind in (SET, EMPTY, EPS):
            is_plain = is_fixed = True
        elif kind in (ALT, AND):
            is_plain = kind == ALT and all(self._is_plain[part] for part in key[1])
            is_fixed = all(self._is_fixed[part] for part in key[1])
        elif kind == CONCAT:
            is_plain = self._is_plain[key[1]] and self._is_plain[key[2]]
            is_fixed = self._is_fixed[key[1]] and self._is_fixed[key[2]]
        else:
            is_plain = kind == REPEAT and self._is_plain[key[1]]
            is_fixed = kind not in (PENDING, BEHIND) and self._is_fixed[key[1]]
        self._nodes.append(key)
        self._is_plain.append(is_plain)
        self._is_fixed.append(is_fixed)
        self._ids[key] = node
        return node

    def _concat(self, head: int, tail: int) -> int:
        nothing, epsilon, anything, nodes = self.nothing, self.epsilon, self.anything, self._nodes
        if head == nothing or tail == nothing:
            return nothing
        if head == epsilon:
            return tail
        if tail == epsilon:
            return head
        heads = [head]
        if nodes[head][0] == CONCAT:
            heads = []
            while nodes[head][0] == CONCAT:
                heads.append(nodes[head][1])
                head = nodes[head][2]
            heads.append(head)
        for part in reversed(heads):
            first = nodes[tail][1] if nodes[tail][0] == CONCAT else tail
            if part == anything and first == anything:
                continue
            if nodes[part][0] == PENDING and nodes[first][0] == PENDING:
                both = self._pending(self._and((nodes[part][1], nodes[first][1])))
                rest = nodes[tail][2] if nodes[tail][0] == CONCAT else epsilon
                tail = self._concat(both, rest)
            else:
                tail = self._node((CONCAT, part, tail))
            if tail == nothing:
                return nothing
        return tail

    def _alt(self, parts: Iterable[int]) -> int:
        flat: set[int] = set()
        for part in parts:
            if self._nodes[part][0] == ALT:
                flat.update(self._nodes[part][1])
            else:
                flat.add(part)
        flat.discard(self.nothing)
        if self.anything in flat:
            return self.anything
        if any(self._condition_of(part) is not None for part in flat):
            flat = self._joined_conditions(flat)
        masks = [self._nodes[part][1] for part in flat if self._nodes[part][0] == SET]
        if len(masks) > 1:
            flat = {part for part in flat if self._nodes[part][0] != SET}
            mask = 0
            for other in masks:
                mask |= other
            flat.add(self._node((SET, mask)))
        if len(flat) < 2:
            return flat.pop() if flat else self.nothing
        return self._node((ALT, tuple(sorted(flat))))

    def _condition_of(self, node: int) -> int | None:
        key = self._nodes[node]
        if key[0] == CONCAT:
            key = self._nodes[key[1]]
        return key[1] if key[0] == PENDING else None

    def _joined_conditions(self, parts: set[int]) -> set[int]:
        """`if T: x` or `if U: x` is `if T or U: x`."""
        conditions: dict[int, list[int]] = {}
        for part in parts:
            condition = self._condition_of(part)
            if condition is None:
                conditions.setdefault(part, []).append(self.anything)
            else:
                rest = self._nodes[part][2] if self._nodes[part][0] == CONCAT else self.epsilon
                conditions.setdefault(rest, []).append(condition)
        return {self._guarded(self._alt(found), rest) for rest, found in conditions.items()}

    def _and(self, parts: Iterable[int]) -> int:
        flat: set[int] = set()
        for part in parts:
            if self._nodes[part][0] == AND:
                flat.update(self._nodes[part][1])
            else:
                flat.add(part)
        flat.discard(self.anything)
        if self.nothing in flat or any(self._nodes[part][0] == NOT and self._nodes[part][1] in flat for part in flat):
            return self.nothing
        if len(flat) < 2:
            return flat.pop() if flat else self.anything
        return self._node((AND, tuple(sorted(flat))))

    def _not(self, body: int) -> int:
        if body == self.nothing:
            return self.anything
        if body == self.anything:
            return self.nothing
        return self._nodes[body][1] if self._nodes[body][0] == NOT else self._node((NOT, body))

    def _repeat(self, body: int, minimum: int, maximum: int) -> int:
        if maximum == 0 or body == self.epsilon:
            return self.epsilon
        if body == self.nothing:
            return self.epsilon if minimum == 0 else self.nothing
        if minimum == maximum == 1:
            return body
        if minimum > 0 and self._is_fixed[body] and self.empty_if(body) == self.anything:
            minimum = 0  # some turns may read nothing, wherever they begin
        return self._node((REPEAT, body, minimum, maximum))

    def _ahead(self, rest: int) -> int:
        if rest == self.nothing:
            return rest
        return self.epsilon if rest == self.anything else self._node((AHEAD, rest))

    def _pending(self, rest: int) -> int:
        if rest == self.nothing:
            return rest
        return self.epsilon if rest == self.anything else self._node((PENDING, rest))

    def _behind(self, past: int, is_negated: bool) -> int:
        if past in (self.nothing, self.anything):
            return self.epsilon if (past == self.anything) != is_negated else self.nothing
        return self._node((BEHIND, past, is_negated))

    def _guarded(self, condition: int, node: int) -> int:
        """`node` where the rest belongs to `condition`."""
        return self._concat(self._pending(condition), node)

    def _converted(self, expression: Expression) -> int:
        if isinstance(expression, Characters):
            return self._node((SET, self.partition.masks[expression.charset]))
        if isinstance(expression, Concatenation):
            result = self.epsilon
            for part in reversed(expression.parts):
                result = self._concat(self._converted(part), result)
        elif isinstance(expression, Alternation):
            result = self._alt([self._converted(part) for part in expression.parts])
        elif isinstance(expression, Repetition):
            if expression is ANYTHING:
                return self.anything
            result = self._repeat(self._converted(expression.body), expression.minimum, expression.maximum)
        elif isinstance(expression, Lookahead):
            result = self._ahead(self._converted(expression.rest))
        elif isinstance(expression, Lookbehind):
            result = self._behind(self._converted(expression.past), expression.is_negated)
        elif isinstance(expression, Intersection):
            result = self._and([self._converted(part) for part in expression.parts])
        elif isinstance(expression, Complement):
            result = self._not(self._converted(expression.body))
        else:
            return self.nothing if expression is NOTHING else self.epsilon
        return result

    # Derivatives ---------------------------------------------------------------------------------------------------

    def empty_if(self, node: int) -> int:
        """The condition on the rest of the text under which `node` matches the empty text here."""
        known = self._empty_if.get(node)
        if known is not None:
            return known
        kind, *fields = self._nodes[node]
        if kind == CONCAT:
            conditions = []
            rest = node
            while self._nodes[rest][0] == CONCAT:
                conditions.append(self.empty_if(self._nodes[rest][1]))
                if conditions[-1] == self.nothing:
                    break
                rest = self._nodes[rest][2]
            else:
                conditions.append(self.empty_if(rest))
            result = self._and(conditions)
        elif kind == ALT:
            result = self._alt([self.empty_if(part) for part in fields[0]])
        elif kind == AND:
            result = self._and([self.empty_if(part) for part in fields[0]])
        elif kind == NOT:
            result = self._not(self.empty_if(fields[0]))
        elif kind == REPEAT:
            result = self.anything if fields[1] == 0 else self.empty_if(fields[0])
        elif kind in (AHEAD, PENDING):
            result = fields[0]
        elif kind == BEHIND:
            result = self.empty_if(fields[0])
            if fields[1]:
                result = self._not(result)
        else:
            result = self.anything if kind == EPS else self.nothing
        self._empty_if[node] = result
        return result

    def derivative(self, node: int, c: int) -> int:
        """What can follow a character of class `c`."""
        key = node, c
        known = self._derived.get(key)
        if known is not None:
            return known
        kind, *fields = self._nodes[node]
        if kind == ALT:
            result = self._alt([self.derivative(part, c) for part in fields[0]])
        elif kind == AND:
            result = self._and([self.derivative(part, c) for part in fields[0]])
        elif kind == NOT:
            result = self._not(self.derivative(fields[0], c))
        else:
            result = self._read(node, self.epsilon, c)
        self._derived[key] = result
        return result

    def _read(self, node: int, rest: int, c: int) -> int:
        """What can follow a character of class `c` that is read within `node`, which is followed by `rest`."""
        kind, *fields = self._nodes[node]
        if kind == SET:
            return self._advanced(rest, c) if fields[0] >> c & 1 else self.nothing
        if kind not in (CONCAT, ALT, REPEAT):
            return self.nothing  # EPS, EMPTY, and conditions, which read nothing
        key = node, rest, c
        known = self._reads.get(key)  # the turns of nested repetitions meet the same parts again and again
        if known is not None:
            return known
        if kind == CONCAT:
            result = self._read_sequence(node, rest, c)
        elif kind == ALT:
            result = self._alt([self._read(part, rest, c) for part in fields[0]])
        else:
            body, minimum, maximum = fields
            fewer = maximum - 1 if maximum > 0 else maximum
            following = self._repeat(body, max(minimum - 1, 0), fewer) if fewer else self.epsilon
            result = self._read(body, self._concat(following, rest), c)
            condition = self.empty_if(body)
            if minimum > 1 and condition != self.nothing:
                # Some turns may be empty, all at this place and under the same condition; then the others may be few.
                following = self._repeat(body, 0, maximum - 2 if maximum > 0 else maximum)
                others = self._read(body, self._concat(following, rest), c)
                result = self._alt((result, self._guarded(self.derivative(condition, c), others)))
        self._reads[key] = result
        return result

    def _read_sequence(self, node: int, rest: int, c: int) -> int:
        found = []
        guard = self.anything
        while True:
            is_concat = self._nodes[node][0] == CONCAT
            head, tail = self._nodes[node][1:3] if is_concat else (node, self.epsilon)
            following = self._read(head, self._concat(tail, rest), c)
            if following != self.nothing:
                found.append(self._guarded(self.derivative(guard, c), following))
            if not is_concat:
                break
            guard = self._and((guard, self.empty_if(head)))
            if guard == self.nothing:
                break
            node = tail
        return self._alt(found)

    def _advanced(self, node: int, c: int) -> int:
        """`node`, which has not been reached, after a character of class `c` before it."""
        if self._is_fixed[node]:
            return node
        key = node, c
        known = self._moved.get(key)
        if known is not None:
            return known
        kind, *fields = self._nodes[node]
        if kind == CONCAT:
            parts = []
            rest = node
            while self._nodes[rest][0] == CONCAT and not self._is_fixed[rest]:
                parts.append(self._nodes[rest][1])
                rest = self._nodes[rest][2]
            result = self._advanced(rest, c)
            for part in reversed(parts):
                result = self._concat(self._advanced(part, c), result)
        elif kind == ALT:
            result = self._alt([self._advanced(part, c) for part in fields[0]])
        elif kind == AND:
            result = self._and([self._advanced(part, c) for part in fields[0]])
        elif kind == NOT:
            result = self._not(self._advanced(fields[0], c))
        elif kind == REPEAT:
            result = self._repeat(self._advanced(fields[0], c), fields[1], fields[2])
        elif kind == AHEAD:
            result = self._ahead(self._advanced(fields[0], c))
        elif kind == PENDING:
            result = self._pending(self.derivative(fields[0], c))
        else:
            result = self._behind(self.derivative(fields[0], c), fields[1])
        self._moved[key] = result
        return result

    def _watched(self, node: int) -> frozenset[int]:
        """Masks that tell apart the characters by which the derivatives of `node` can differ."""
        known = self._looked_at.get(node)
        if known is not None:
            return known
        kind, *fields = self._nodes[node]
        if kind == SET:
            result = frozenset(fields)
        elif kind == CONCAT:
            result = self._moves(node)
            rest = node
            while True:
                is_concat = self._nodes[rest][0] == CONCAT
                head = self._nodes[rest][1] if is_concat else rest
                result |= self._watched(head)
                if not is_concat or self.empty_if(head) == self.nothing:
                    break
                rest = self._nodes[rest][2]
        elif kind in (ALT, AND):
            result = frozenset().union(*(self._watched(part) for part in fields[0]))
        elif kind in (EPS, EMPTY):
            result = frozenset()
        else:
            result = self._watched(fields[0])
        self._looked_at[node] = result
        return result

    def _moves(self, node: int) -> frozenset[int]:
        """Masks that tell apart the characters by which `_advanced` can differ."""
        if self._is_fixed[node]:
            return frozenset()
        known = self._moving.get(node)
        if known is not None:
            return known
        kind, *fields = self._nodes[node]
        if kind == CONCAT:
            result: frozenset[int] = frozenset()
            rest = node
            while self._nodes[rest][0] == CONCAT:
                result |= self._moves(self._nodes[rest][1])
                rest = self._nodes[rest][2]
            result |= self._moves(rest)
        elif kind in (ALT, AND):
            result = frozenset().union(*(self._moves(part) for part in fields[0]))
        elif kind in (PENDING, BEHIND):
            result = self._watched(fields[0])
        else:
            result = self._moves(fields[0])
        self._moving[node] = result
        return result


class _Lowering:
    """One automaton of derivatives written into one network in one encoding."""

    def __init__(self, derivatives: Derivatives, network: Network, encoding: Encoding, name: str) -> None:
        self.derivatives = derivatives
        self.network = network
        self.encoding = encoding
        self.name = name
        self.end = -1
        self.rules: dict[int, int] = {}
        self.states: dict[int, int] = {}  # nodes whose states have all their edges
        self.stubs: dict[int, int] = {}  # states that call the rule of a node

    def rule(self, node: int) -> int:
        """The rule of a node, declared."""
        number = self.rules.get(node)
        if number is None:
            nullable = self.derivatives.accepts_end(node)
            number = self.network.rule(lambda: self._build(node), nullable=nullable, name=self.name)
            self.rules[node] = number
        return number

    def _build(self, node: int) -> int:
        """The state of a node, made together with those of some nodes that follow."""
        if self.end < 0:
            self.end = self.network.state()
            self.network.final(self.end)
        if node not in self.states:
            fresh: dict[int, int] = {node: self.network.state()}
            todo = deque([node])
            while todo:
                self._add_edges(todo.popleft(), fresh, todo)
            self.states.update(fresh)
        return self.states[node]

    def _add_edges(self, node: int, fresh: dict[int, int], todo: deque[int]) -> None:
        derivatives, network = self.derivatives, self.network
        source = fresh[node]
        if derivatives.accepts_end(node):
            network.final(source)
        for mask, following in derivatives.steps(node):
            if not derivatives.is_live(following):
                continue
            target = fresh.get(following, self.states.get(following, -1))
            if target < 0:
                plain = derivatives.plain(following)
                if plain is EPSILON:
                    target = self.end
                elif plain is None and len(fresh) < _EAGER:
                    target = fresh[following] = network.state()
                    todo.append(following)
                else:
                    target = self._stub(following, plain)
            self.encoding.add(network, source, derivatives.partition.charset(mask), target)

    def _stub(self, node: int, plain: Expression | None) -> int:
        """A state that calls the rule of a node, as the last thing its own rule does."""
        state = self.stubs.get(node, -1)
        if state < 0:
            if plain is not None and node not in self.rules:
                from guidance_kit.grammars.regular.lower import declare

                self.rules[node] = declare(self.network, plain, self.encoding, name=self.name)
            state = self.stubs[node] = self.network.state()
            self.network.call(state, self.rule(node), self.end)
        return state


def is_empty(expression: Expression) -> bool:
    """Whether no text belongs to the expression.

    Raises:
        LimitError: if that takes too many derivatives.
    """
    if expression.is_plain:
        return expression is NOTHING
    derivatives = Derivatives([expression])
    return not derivatives.is_live(derivatives.root(expression))


def is_member(text: str, expression: Expression) -> bool:
    """Whether a text belongs to the expression."""
    derivatives = Derivatives([expression])
    return derivatives.contains(derivatives.root(expression), text)


def shortest(expression: Expression) -> str | None:
    """A shortest text of the expression, of simple characters where there is a choice; None if there is no text."""
    derivatives = Derivatives([expression])
    return derivatives.shortest(derivatives.root(expression))


def _typical(charset: CharSet) -> str:
    """A member that reads well: a letter, a digit, else printable ASCII, else the first."""
    for lo, hi in ((0x61, 0x7A), (0x30, 0x39), (0x21, 0x7E), (0x20, 0x20)):
        within = charset & CharSet.of([(lo, hi)])
        if within:
            return chr(within.bounds[0])
    return chr(charset.bounds[0])


def _charsets(expressions: Iterable[Expression]) -> Iterable[CharSet]:
    todo = list(expressions)
    while todo:
        expression = todo.pop()
        if isinstance(expression, Characters):
            yield expression.charset
        elif isinstance(expression, Concatenation | Alternation | Intersection):
            todo += expression.parts
        elif isinstance(expression, Repetition | Complement):
            todo.append(expression.body)
        elif isinstance(expression, Lookahead):
            todo.append(expression.rest)
        elif isinstance(expression, Lookbehind):
            todo.append(expression.past)


class _Partition:
    """Classes of characters that are in the same of some sets.

    Attributes:
        masks: for each set the mask of its classes.
        count: number of classes.
    """

    def __init__(self, charsets: Iterable[CharSet]) -> None:
        ordered = sorted(charsets, key=lambda charset: charset.bounds)
        events: list[tuple[int, int]] = [(0, 0), (0xD800, 0), (0xE000, 0)]
        for number, charset in enumerate(ordered):
            events += [(bound, 1 << number) for bound in charset.bounds]
        events.sort()
        classes: dict[int, list[tuple[int, int]]] = {}
        signature = 0
        for k, (place, toggled) in enumerate(events):
            signature ^= toggled
            following = events[k + 1][0] if k + 1 < len(events) else 0x110000
            if place < following and not 0xD800 <= place < 0xE000:
                classes.setdefault(signature, []).append((place, following - 1))
        self.masks = dict.fromkeys(ordered, 0)
        for k, members in enumerate(classes):
            for number, charset in enumerate(ordered):
                if members >> number & 1:
                    self.masks[charset] |= 1 << k
        self.count = len(classes)
        self._ranges = list(classes.values())
        self._charsets = {mask: charset for charset, mask in self.masks.items()}
        self._starts: tuple[list[int], list[tuple[int, int]]] | None = None

    def class_of(self, point: int) -> int | None:
        """The number of the class of a code point; None if that is a surrogate."""
        if self._starts is None:
            pieces = sorted((lo, hi, k) for k, ranges in enumerate(self._ranges) for lo, hi in ranges)
            self._starts = [lo for lo, _, _ in pieces], [(hi, k) for _, hi, k in pieces]
        starts, ends = self._starts
        hi, number = ends[bisect_right(starts, point) - 1]
        return number if point <= hi else None

    def charset(self, mask: int) -> CharSet:
        """The set of some classes."""
        found = self._charsets.get(mask)
        if found is None:
            members = [self._ranges[k] for k in range(mask.bit_length()) if mask >> k & 1]
            found = self._charsets[mask] = CharSet.of(pair for ranges in members for pair in ranges)
        return found


@lru_cache(maxsize=128)
def _partition(charsets: frozenset[CharSet]) -> _Partition:
    return _Partition(charsets)
