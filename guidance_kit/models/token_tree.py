"""Tree of tokens that may follow a text: several continuations that share their beginnings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

__all__ = ["ROOT", "TokenTree", "ancestor_mask"]

ROOT = -1
"""Parent of the tokens that come first."""


@dataclass(frozen=True)
class TokenTree:
    """Tree of tokens: a node is one token after those of its ancestors.

    Args:
        tokens: token ids of the nodes, each after its parent; siblings differ.
        parents: node before each node, `ROOT` for the first ones.
    Raises:
        ValueError: as many parents as tokens are needed, each before its children; two siblings are equal.

    >>> tree = TokenTree.of([[5, 6], [5, 7, 8]])
    >>> tree.tokens, tree.parents, tree.depths
    ((5, 6, 7, 8), (-1, 0, 0, 2), (1, 2, 2, 3))
    >>> tree.descend([5, 7, 9])
    [0, 2]
    """

    tokens: tuple[int, ...] = ()
    parents: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if len(self.tokens) != len(self.parents):
            raise ValueError(f"a tree has one parent a token, not {len(self.parents)} for {len(self.tokens)}")
        if any(not ROOT <= parent < node for node, parent in enumerate(self.parents)):
            raise ValueError(f"nodes of a tree come after their parents, not {list(self.parents)}")
        if len(set(zip(self.parents, self.tokens, strict=True))) < len(self.tokens):
            raise ValueError(f"siblings are different tokens: {list(self.tokens)} under {list(self.parents)}")

    @classmethod
    def of(cls, texts: Iterable[Sequence[int]]) -> TokenTree:
        """Tree of several continuations, each a path from the root; nodes are in the order in which they come."""
        nodes: dict[tuple[int, int], int] = {}
        for text in texts:
            node = ROOT
            for token in text:
                node = nodes.setdefault((node, token), len(nodes))
        return cls(tuple(token for _, token in nodes), tuple(parent for parent, _ in nodes))

    def __len__(self) -> int:
        return len(self.tokens)

    @cached_property
    def depths(self) -> tuple[int, ...]:
        """Number of tokens up to each node, itself included."""
        depths: list[int] = []
        for parent in self.parents:
            depths.append(1 if parent == ROOT else depths[parent] + 1)
        return tuple(depths)

    @cached_property
    def leaves(self) -> tuple[int, ...]:
        """Nodes without children."""
        inner = set(self.parents)
        return tuple(node for node in range(len(self)) if node not in inner)

    @cached_property
    def _children(self) -> dict[tuple[int, int], int]:
        """Node under a parent with a token."""
        pairs = zip(self.parents, self.tokens, strict=True)
        return {pair: node for node, pair in enumerate(pairs)}

    def child(self, node: int, token: int) -> int | None:
        """Child of a node, or of `ROOT`, with a token; None if there is none."""
        return self._children.get((node, token))

    def children(self, node: int) -> list[int]:
        """Children of a node, or of `ROOT`, in their order."""
        return [child for child, parent in enumerate(self.parents) if parent == node]

    def nodes_to(self, node: int) -> list[int]:
        """Nodes from the first one to a node; none for `ROOT`."""
        nodes: list[int] = []
        while node != ROOT:
            nodes.append(node)
            node = self.parents[node]
        return nodes[::-1]

    def text(self, node: int) -> list[int]:
        """Tokens from the first one to a node; none for `ROOT`."""
        return [self.tokens[one] for one in self.nodes_to(node)]

    def descend(self, text: Sequence[int]) -> list[int]:
        """Nodes of the tokens of a text, up to the first token that the tree does not have."""
        nodes: list[int] = []
        node: int | None = ROOT
        for token in text:
            node = self.child(node, token)
            if node is None:
                break
            nodes.append(node)
        return nodes

    def kept(self, nodes: Iterable[int]) -> tuple[TokenTree, list[int]]:
        """Tree of some of the nodes, those below removed ones removed too, and the nodes that it has, in order."""
        wanted = set(nodes)
        places: dict[int, int] = {ROOT: ROOT}
        order: list[int] = []
        for node, parent in enumerate(self.parents):
            if node in wanted and parent in places:
                places[node] = len(order)
                order.append(node)
        tokens = tuple(self.tokens[node] for node in order)
        return TokenTree(tokens, tuple(places[self.parents[node]] for node in order)), order


def ancestor_mask(trees: Sequence[TokenTree], width: int) -> Tensor:
    """For each node its ancestors and itself: bool, (batch, width, width)."""
    seen = torch.zeros(len(trees), width, width, dtype=torch.bool)
    for own, tree in zip(seen, trees, strict=True):
        for node, parent in enumerate(tree.parents):
            if parent >= 0:
                own[node] = own[parent]
            own[node, node] = True
    return seen
