"""Complements of expressions; those of fixed texts, and of their prefixes, are written out along their trie."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from guidance_kit.grammars.regular.charset import ALL, CharSet, union
from guidance_kit.grammars.regular.expression import (
    ANYTHING,
    EPSILON,
    NOTHING,
    Alternation,
    Characters,
    Complement,
    Concatenation,
    Expression,
    Repetition,
    alternate,
    characters,
    concatenate,
    single,
)

__all__ = ["complement"]

_LONGEST_IN_TRIE = 64
"""Characters of the texts whose complement is written out."""


def complement(body: Expression) -> Expression:
    """All texts that do not belong to the body; plain if the body is a set of texts or of their prefixes."""
    if body is NOTHING:
        return ANYTHING
    if body is ANYTHING:
        return NOTHING
    if type(body) is Complement:
        return body.body
    root = _trie(body)
    return Complement(body) if root is None else _outside(root)


@dataclass(slots=True)
class _CharsetNode:
    """A node of a trie of character sets; `is_open` if anything may follow."""

    children: dict[CharSet, _CharsetNode] = field(default_factory=dict)
    is_text: bool = False
    is_open: bool = False


def _trie(expression: Expression) -> _CharsetNode | None:
    """Trie of an expression that is a set of fixed texts, or of prefixes of texts; None otherwise."""
    root = _CharsetNode()
    if type(expression) is Repetition and (expression.minimum, expression.maximum) == (0, 1):
        root.is_text = True
        expression = expression.body
    ways = expression.parts if type(expression) is Alternation else (expression,)
    if any(type(way) is Characters and len(way.charset) < _LONGEST_IN_TRIE for way in ways):
        # `alternate` has joined the texts of one character, of which longer ones may begin with one.
        joined = [way for way in ways if type(way) is Characters]
        ways = [way for way in ways if type(way) is not Characters]
        ways += [single(point) for way in joined for lo, hi in way.charset.ranges for point in range(lo, hi + 1)]
    nodes = [root]
    for way in ways:
        parts = way.parts if type(way) is Concatenation else (way,)
        if len(parts) > _LONGEST_IN_TRIE:
            return None
        node = root
        for place, part in enumerate(parts, 1):
            if part is ANYTHING and place == len(parts):
                node.is_open = True
            elif type(part) is Characters:
                child = node.children.get(part.charset)
                if child is None:
                    child = node.children[part.charset] = _CharsetNode()
                    nodes.append(child)
                node = child
            elif part is not EPSILON:
                return None
        node.is_text = True
    for node in nodes:
        if len(node.children) > 1 and len(union(node.children)) < sum(map(len, node.children)):
            return None  # some sets overlap, so that texts may go several ways
    return root


def _outside(node: _CharsetNode) -> Expression:
    """The texts that a trie does not hold."""
    if node.is_open:
        return NOTHING
    return _none_of(tuple([(charset, _outside(child)) for charset, child in node.children.items()]), node.is_text)


@lru_cache(maxsize=4096)
def _none_of(ways: tuple[tuple[CharSet, Expression], ...], is_text: bool) -> Expression:
    """Texts that take no way of a node, or one and then a given rest. Names of different objects end alike."""
    shorter = [] if is_text else [EPSILON]
    others = _beyond(tuple([charset for charset, _ in ways]))
    return alternate([*shorter, *(concatenate([Characters(charset), rest]) for charset, rest in ways), others])


@lru_cache(maxsize=512)
def _beyond(charsets: tuple[CharSet, ...]) -> Expression:
    """Texts that begin with a character of no set."""
    return concatenate([characters(~union(charsets) if charsets else ALL), ANYTHING])
