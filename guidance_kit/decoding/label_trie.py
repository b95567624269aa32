"""Trie of the token sequences of labels, so that shared prefixes are scored once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

__all__ = ["LabelTrie", "Node"]


@dataclass(slots=True, kw_only=True)
class Node:
    """Node of the trie.

    Attributes:
        path: tokens from the root to the node.
        parent: number of the parent, -1 for the root.
        children: from the next token to the number of a node.
        label: number of the label that ends here, None if none does.
        owner: number of the longest label that is a prefix of `path`, None if none is.
    """

    path: tuple[int, ...]
    parent: int = -1
    children: dict[int, int] = field(default_factory=dict[int, int])
    label: int | None = None
    owner: int | None = None


class LabelTrie:
    """Trie of token sequences.

    Args:
        sequences: tokens of each label; none is empty, and no two are equal.
    Attributes:
        nodes: parents before their children; the first is the root.
        count: number of labels.
        longest: number of tokens of the longest label.
    """

    def __init__(self, sequences: Sequence[Sequence[int]]) -> None:
        self.count = len(sequences)
        self.longest = max(map(len, sequences))
        self.nodes = [Node(path=())]
        for label, sequence in enumerate(sequences):
            number = 0
            for token in sequence:
                node = self.nodes[number]
                if token not in node.children:
                    node.children[token] = len(self.nodes)
                    self.nodes.append(Node(path=(*node.path, token), parent=number))
                number = node.children[token]
            self.nodes[number].label = label
        for node in self.nodes[1:]:
            node.owner = self.nodes[node.parent].owner if node.label is None else node.label

    def branches(self, *, with_ends: bool) -> dict[int, list[list[int]]]:
        """Paths from the root that cover every node whose next-token distribution is needed, besides the root.

        Args:
            with_ends: include labels that no other label continues, whose end has to be scored.
        Returns:
            From a length in tokens, ascending, to the paths of that length: numbers of nodes, without the root.
        """
        needed = [with_ends or bool(node.children) for node in self.nodes]
        found: dict[int, list[list[int]]] = {}
        for number, node in enumerate(self.nodes):
            if number and needed[number] and not any(needed[child] for child in node.children.values()):
                path: list[int] = []
                while number:
                    path.append(number)
                    number = self.nodes[number].parent
                found.setdefault(len(path), []).append(path[::-1])
        return dict(sorted(found.items()))
