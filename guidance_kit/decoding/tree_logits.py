"""Logits of trees of tokens behind prefixes: by one pass of a model, or by rows of their own for each leaf."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from guidance_kit.models.token_tree import ROOT, TokenTree

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    from guidance_kit.decoding.distribution import Allowed, Distribution

__all__ = ["LeafRows", "TreeDistribution", "has_trees", "leaf_rows"]


@runtime_checkable
class TreeDistribution(Protocol):
    """Distribution that computes trees in one pass, if `can_have_trees`."""

    @property
    def can_have_trees(self) -> bool: ...

    def tree_logits(
        self,
        prefixes: Sequence[Sequence[int]],
        trees: Sequence[TokenTree],
        *,
        starts: Sequence[int] = (),
        allowed: Allowed | None = None,
    ) -> Tensor:
        """Logits after each prefix and after each node: float, (batch, 1 + most nodes, rows), nats.

        Args:
            prefixes, starts: as in `Distribution.logits`.
            trees: tokens behind each prefix.
            allowed: as in `Distribution.logits`, by nodes in place of positions.
        """
        ...


def has_trees(distribution: Distribution) -> bool:
    """Test for a distribution that computes trees in one pass."""
    return isinstance(distribution, TreeDistribution) and distribution.can_have_trees


@dataclass(frozen=True, slots=True)
class LeafRows:
    """Rows of a call of `Distribution.logits` that cover all nodes: one for each leaf of each tree.

    Attributes:
        owners: tree of each row.
        prefixes: tokens of each row.
        positions: positions of the call.
        index: row and position of each place: after the prefix of the first tree, after its nodes, and so on.
    """

    owners: list[int]
    prefixes: list[list[int]]
    positions: int
    index: tuple[list[int], list[int]]

    def spread(self, allowed: Callable[[torch.device], Tensor]) -> Callable[[torch.device], Tensor]:
        """Allowed tokens by rows and positions, from those by places: bool, (places, rows)."""

        def spread(device: torch.device) -> Tensor:
            given = allowed(device)
            blocks = given.new_ones(len(self.prefixes), self.positions, given.shape[-1])
            blocks[self.index] = given
            return blocks

        return spread


def leaf_rows(prefixes: Sequence[Sequence[int]], trees: Sequence[TokenTree]) -> list[LeafRows]:
    """Calls that cover all nodes of the trees: one, or one for each place if a prefix has fewer tokens than positions.

    A node on the paths of several leaves is read from the first of them, so a row may compute positions that another
    one has too.
    """
    owners: list[int] = []
    ends: list[int] = []
    for owner, tree in enumerate(trees):
        leaves = tree.leaves or (ROOT,)
        owners += [owner] * len(leaves)
        ends += leaves
    rows = [[*prefixes[owner], *trees[owner].text(end)] for owner, end in zip(owners, ends, strict=True)]
    positions = 1 + max(len(row) - len(prefixes[owner]) for row, owner in zip(rows, owners, strict=True))
    if positions > min(map(len, rows)):
        return [
            LeafRows([owner], [[*prefixes[owner], *tree.text(node)]], 1, ([0], [0]))
            for owner, tree in enumerate(trees)
            for node in range(ROOT, len(tree))
        ]
    places: dict[tuple[int, int], tuple[int, int]] = {}
    for row, (owner, end) in enumerate(zip(owners, ends, strict=True)):
        nodes = [ROOT, *trees[owner].nodes_to(end)]
        for depth, node in enumerate(nodes):
            places.setdefault((owner, node), (row, positions - len(nodes) + depth))
    found: list[Any] = [places[owner, node] for owner, tree in enumerate(trees) for node in range(ROOT, len(tree))]
    return [LeafRows(owners, rows, positions, ([row for row, _ in found], [position for _, position in found]))]
