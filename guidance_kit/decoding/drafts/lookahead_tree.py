"""Lookahead decoding: the model's own answers at places that were not taken, as drafts of later ones."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from guidance_kit.decoding.drafts.draft import NOTHING, Binding, Proposal
from guidance_kit.decoding.sampling import require_integer
from guidance_kit.models.token_tree import ROOT, TokenTree

if TYPE_CHECKING:
    from guidance_kit.decoding.row import Row
    from guidance_kit.decoding.walk import Walk

__all__ = ["BoundLookaheadTree", "LookaheadTree"]

_POOL = 65536
"""Contexts of two tokens whose answers are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LookaheadTree:
    """Draft by Jacobi iteration: no second model, no training.

    A block of guesses goes through the model with the text; where a guess is wrong, the model's answers behind it are
    the guesses of the next block. The answers after each two tokens, in whatever block, are kept in a pool of n-grams,
    and its continuations of the text are further paths of the tree. Texts are those without a draft.

    Args:
        window: number of guesses, at least 1.
        branches: number of answers kept for two tokens, at least 1.
    Raises:
        OptionError: a number out of range.
    Source: Santilli et al. 2023, Accelerating Transformer Inference for Translation via Parallel Decoding, for Jacobi
        iteration; Fu et al. 2024, Break the Sequential Dependency of LLM Inference Using Lookahead Decoding, for the
        pool. Their n-grams come from a window of several iterations, ours from all nodes of the trees.
    """

    window: int = 5
    branches: int = 2

    def __post_init__(self) -> None:
        require_integer("window", self.window, least=1)
        require_integer("branches", self.branches, least=1)

    def bound(self, binding: Binding) -> BoundLookaheadTree:
        """Draft of a call, with an empty pool."""
        return BoundLookaheadTree(self.window, self.branches)


@dataclass(slots=True)
class BoundLookaheadTree:
    """Lookahead in one call. What it keeps changes proposals alone, and no text."""

    window: int
    branches: int
    name: str = "lookahead"
    _guesses: dict[tuple[int, int], tuple[int, list[int]]] = field(default_factory=dict)
    _pool: OrderedDict[tuple[int, int], list[int]] = field(default_factory=OrderedDict)

    @property
    def depth(self) -> int:
        """Greatest number of tokens of a path."""
        return self.window

    def nodes(self, ahead: int) -> int:
        """Greatest number of nodes of a tree of so many tokens in depth."""
        return (1 + self.branches) * min(ahead, self.window)

    def check(self, rows: Sequence[Row]) -> None:
        """See `Draft.check`: there is no context of its own."""

    def propose(self, walk: Walk, counts: Sequence[int]) -> list[Proposal]:
        """See `Draft.propose`; a count limits the depth."""
        proposals: list[Proposal] = []
        for row, count in zip(walk.rows, counts, strict=True):
            count = min(count, self.window)
            tree = TokenTree.of(self._paths(row, count)) if count else TokenTree()
            proposals.append(Proposal(tokens=tree.tokens, tree=tree, draft=self.name) if len(tree) else NOTHING)
        return proposals

    def observe(self, row: Row, tree: TokenTree, answers: Sequence[int | None]) -> None:
        """Note the most likely token after the text of a row, and after each node of its tree.

        Args:
            answers: None after a node that nothing can follow.
        """
        before = row.prefix[-1]
        chain: list[int] = []
        node: int | None = ROOT
        while node is not None:
            answer = answers[1 + node]
            if answer is None:
                break
            chain.append(answer)
            children = tree.children(node)  # the guesses are the first path
            node = children[0] if children else None
        self._guesses[row.place, row.seed] = len(row.prefix), chain
        for node in range(ROOT, len(tree)):
            answer = answers[1 + node]
            if answer is None:
                continue
            parent = ROOT if node == ROOT else tree.parents[node]
            if node == ROOT:
                if len(row.prefix) < 2:
                    continue
                context = row.prefix[-2], before
            else:
                context = (before if parent == ROOT else tree.tokens[parent]), tree.tokens[node]
            known = self._pool.pop(context, [])
            self._pool[context] = [answer, *(one for one in known if one != answer)][: self.branches]
            if len(self._pool) > _POOL:
                self._pool.popitem(last=False)

    def _paths(self, row: Row, count: int) -> list[list[int]]:
        """Guesses for the next tokens of a row, and continuations from the pool."""
        length, chain = self._guesses.get((row.place, row.seed), (0, []))
        taken = len(row.prefix) - length
        guesses = chain[taken:][:count]
        tail = [*row.prefix[-2:], *guesses]
        while len(guesses) < count:
            known = self._pool.get((tail[-2], tail[-1])) if len(tail) > 1 else None
            guesses.append(known[0] if known else tail[-1])
            tail.append(guesses[-1])
        paths = [guesses]
        for first in self._pool.get((row.prefix[-2], row.prefix[-1]), ()) if len(row.prefix) > 1 else ():
            path = [first]
            context = row.prefix[-1], first
            while len(path) < count and (known := self._pool.get(context)):
                path.append(known[0])
                context = context[1], known[0]
            paths.append(path)
        return paths
