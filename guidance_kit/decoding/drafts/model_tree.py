"""Tree of drafts by a model or a formula: several tokens for each place, verified in one pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from guidance_kit.decoding.drafts.draft import NOTHING, Binding, Proposal
from guidance_kit.decoding.drafts.model_draft import ModelDraft
from guidance_kit.decoding.draw import PROPOSAL, InverseTransform, Uniforms, choose
from guidance_kit.decoding.sampling import require_integer
from guidance_kit.decoding.tree_block import tree_block_of
from guidance_kit.errors import OptionError
from guidance_kit.models.token_tree import ROOT, TokenTree

if TYPE_CHECKING:
    from guidance_kit.decoding.row import Row
    from guidance_kit.decoding.walk import Walk

__all__ = ["BoundModelTree", "ModelTree"]


@dataclass(frozen=True, slots=True)
class ModelTree:
    """Draft of trees by a model: several tokens for each place, verified in one pass of the target.

    Children of a node are drawn without replacement, or at temperature 0 the most likely ones.

    Args:
        model: a model or a formula, as `draft=` takes it.
        branches: number of children of a node at each depth, at least 1 each.
    Raises:
        OptionError: no branches, or some that are no positive integers.
    Source: Miao et al. 2024, SpecInfer; Jeon et al. 2024, Recursive Speculative Decoding, for children without
        replacement.
    """

    model: Any
    branches: Sequence[int] = (3, 2, 1, 1)

    def __post_init__(self) -> None:
        if isinstance(self.branches, str) or not self.branches:
            raise OptionError(f"branches are numbers of children, one a depth, not {self.branches!r}")
        for count in self.branches:
            require_integer("each of branches", count, least=1)

    def bound(self, binding: Binding) -> BoundModelTree:
        """Draft of a call.

        Raises:
            OptionError: the model is no model or formula.
        """
        draft = binding.bind(self.model)
        if not isinstance(draft, ModelDraft) or draft.speculator is not None:
            raise OptionError(f"a tree of drafts needs one model or formula, not {self.model!r}")
        return BoundModelTree(draft, tuple(self.branches))


@dataclass(frozen=True, slots=True)
class BoundModelTree:
    """Draft of trees from a distribution under the guides, the mask, the temperature and truncation of the target.

    Children of a node are drawn without replacement, or at temperature 0, and with a draw of the caller's, are the most
    likely tokens.

    Args:
        draft: the distribution with its name.
        branches: number of children of a node at each depth, as far as there are so many possible tokens.
    """

    draft: ModelDraft
    branches: tuple[int, ...]

    @property
    def name(self) -> str:
        """See `Draft`."""
        return self.draft.name

    @property
    def drafts(self) -> tuple[ModelDraft]:
        """Drafts that it asks."""
        return (self.draft,)

    @property
    def depth(self) -> int:
        """Greatest number of tokens of a path."""
        return len(self.branches)

    def nodes(self, ahead: int) -> int:
        """Greatest number of nodes of a tree of so many tokens in depth."""
        count, total = 1, 0
        for branch in self.branches[:ahead]:
            count *= branch
            total += count
        return total

    def check(self, rows: Sequence[Row]) -> None:
        """See `Draft.check`."""
        self.draft.check(rows)

    def propose(self, walk: Walk, counts: Sequence[int]) -> list[Proposal]:
        """See `Draft.propose`; a count limits the depth."""
        is_sampled = isinstance(walk.token_draw, InverseTransform)
        own = walk.under(self.draft.fitted(walk))
        uniforms = [row.draw_state.stream(PROPOSAL) if is_sampled else None for row in own.rows]
        trees = [TokenTree()] * len(counts)
        laws: list[list[Tensor | None]] = [[None] for _ in counts]
        for depth, branch in enumerate(self.branches):
            if all(depth >= count for count in counts):
                break
            block, places = tree_block_of(own, trees)
            for row, (tree, some) in enumerate(zip(trees, places, strict=True)):
                if depth >= counts[row]:
                    continue
                tokens, parents = list(tree.tokens), list(tree.parents)
                for node in range(ROOT, len(tree)):
                    place = some[1 + node]
                    if place is None or (node != ROOT and tree.depths[node] != depth) or (node == ROOT and depth):
                        continue
                    law = block.shaped[place]
                    laws[row][1 + node] = law
                    position = own.rows[row].length + depth
                    for token in _children(law, branch, uniforms[row], position):
                        tokens.append(token)
                        parents.append(node)
                        laws[row].append(None)
                trees[row] = TokenTree(tuple(tokens), tuple(parents))
        return [
            Proposal(
                tokens=tree.tokens,
                tree=tree,
                logits=_stacked(some) if is_sampled else None,
                draft=self.name,
            )
            if len(tree)
            else NOTHING
            for tree, some in zip(trees, laws, strict=True)
        ]


def _children(law: Tensor, count: int, uniforms: Uniforms | None, position: int) -> list[int]:
    """Tokens drawn without replacement, or without random numbers the most likely ones; fewer if no more are possible.

    Numbers of a position are those of its children in turn, the same in all subtrees: of these, one at most is reached.
    """
    possible = min(count, int((law > -torch.inf).sum()))
    if uniforms is None:
        return law.topk(possible).indices.tolist()
    found: list[int] = []
    left = law.clone()
    for number in range(possible):
        tokens, _ = choose(left[None], [uniforms.stream(number)[position]])
        found += tokens
        left[tokens[0]] = -torch.inf
    return found


def _stacked(laws: Sequence[Tensor | None]) -> Tensor:
    """Laws of the children of each node; 0 for nodes without."""
    some = next(law for law in laws if law is not None)
    return torch.stack([torch.zeros_like(some) if law is None else law for law in laws])
