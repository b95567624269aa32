"""Logits of a block of trees: before and after each proposed token of all rows of a walk, with a draw along them."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NoReturn

import torch
from torch import Tensor

from guidance_kit.decoding.block import Block, joined, staged
from guidance_kit.decoding.distribution import Decomposable, PartialSum
from guidance_kit.decoding.drafts.draft import Proposal
from guidance_kit.decoding.drafts.tree_verification import verify_tree
from guidance_kit.decoding.tree_logits import TreeDistribution, has_trees, leaf_rows
from guidance_kit.errors import FormulaError
from guidance_kit.models.token_tree import ROOT, TokenTree

if TYPE_CHECKING:
    from guidance_kit.decoding.row import Row
    from guidance_kit.decoding.walk import Walk

__all__ = ["Observe", "drawn_tree_block", "observe_paths", "tree_block_of"]

Observe = Callable[["Row", TokenTree, list[int | None]], None]
"""Method of a draft that learns: a row, proposed tokens, and the most likely tokens after the row and each of them."""

Places = list[int | None]
"""Places in a block after a prefix, and after each node of its tree; None after a node that nothing can follow."""


def tree_block_of(walk: Walk, trees: Sequence[TokenTree], *, is_decomposed: bool = False) -> tuple[Block, list[Places]]:
    """Logits after each row, and after each node of its tree that another token can follow.

    Args:
        trees: tokens behind each row.
        is_decomposed: with the partial sums of a formula.
    Returns:
        The block; and the places of each row in it.
    Raises:
        FormulaError: as the distribution; a note has the step and the prompt.
    """
    pairs = [_passed(walk, place, tree) for place, tree in enumerate(trees)]
    counts = [1 + len(passed) for passed, _ in pairs]
    ends = list(itertools.accumulate(counts))
    firsts = [end - count for end, count in zip(ends, counts, strict=True)]
    states = walk
    if max(counts) > 1:
        states = copy.copy(walk)
        states._select([place for place, count in enumerate(counts) for _ in range(count)])
        states._advance([passed.text(node) for passed, _ in pairs for node in range(ROOT, len(passed))])
    base, partial_sums = _base(walk, states, [passed for passed, _ in pairs], is_decomposed=is_decomposed)
    if is_decomposed and not partial_sums:
        partial_sums = [PartialSum(term="", weight=base.new_ones(len(base)), own=base, logits=base)]
    block = staged(states, base, partial_sums, firsts, counts)
    places: list[Places] = []
    for first, tree, (_, order) in zip(firsts, trees, pairs, strict=True):
        own: Places = [first, *[None] * len(tree)]
        for number, node in enumerate(order, 1):
            own[1 + node] = first + number
        places.append(own)
    return block, places


def drawn_tree_block(
    walk: Walk,
    proposals: Sequence[Proposal],
    fail: Callable[[Block, int, int, int], NoReturn],
    observe: Observe | None = None,
    *,
    is_decomposed: bool,
) -> tuple[Block, list[int]]:
    """Block of the positions whose tokens were drawn, and the number of positions that each row had.

    Args:
        proposals: of each row, some of them trees.
        fail: raises for a place without a possible token, from the block, the place in it, the row, and the number of
            tokens before.
        observe: see `Observe`.
    """
    trees = [proposal.tree or TokenTree.of([proposal.tokens]) for proposal in proposals]
    block, places = tree_block_of(walk, trees, is_decomposed=is_decomposed)
    if observe is not None:
        best = block.shaped.argmax(-1).tolist()
        for row, tree, own in zip(walk.rows, trees, places, strict=True):
            observe(row, tree, [None if place is None else best[place] for place in own])
    tokens: list[list[int]] = []
    paths: list[list[int]] = []
    for number, (row, tree, own, proposal) in enumerate(zip(walk.rows, trees, places, proposals, strict=True)):
        taken, path = verify_tree(
            block.shaped,
            own,
            tree,
            proposal.logits,
            row,
            walk.token_draw,
            lambda place, before, number=number: fail(block, place, number, before),
            proposal.acceptance,
        )
        tokens.append(taken)
        paths.append(path)
    widths = block.counts
    drawn = block.at(paths)
    drawn.tokens = tokens
    return drawn, widths


def observe_paths(block: Block, rows: Sequence[Row], proposals: Sequence[Proposal], observe: Observe) -> None:
    """Let a draft learn from a block without trees."""
    best = block.shaped.argmax(-1).tolist()
    for row, proposal, first, count in zip(rows, proposals, block.firsts, block.counts, strict=True):
        tokens = proposal.tokens[: count - 1]
        observe(row, TokenTree.of([tokens]) if tokens else TokenTree(), best[first : first + count])


def _passed(walk: Walk, place: int, tree: TokenTree) -> tuple[TokenTree, list[int]]:
    """Nodes that another token can follow: not one that ends the text, or that the row cannot take."""
    if not len(tree):
        return tree, []
    row, ends = walk.rows[place], walk.vocabulary.eos
    paths = [tree.nodes_to(leaf) for leaf in tree.leaves]
    texts: list[Sequence[int]] = [[tree.tokens[node] for node in path] for path in paths]
    if walk._constraint is not None:
        texts = walk._constraint.allowed_proposals((walk._matchers[place],) * len(texts), texts)
    kept = {
        node
        for path, text in zip(paths, texts, strict=True)
        for node in path[: min(len(text), row.left - 1)]
        if tree.tokens[node] not in ends
    }
    return tree.kept(kept)


def _base(
    walk: Walk, states: Walk, trees: Sequence[TokenTree], *, is_decomposed: bool
) -> tuple[Tensor, list[PartialSum]]:
    """Logits of the distribution at all places, float32, and their partial sums; none of what has no parts."""
    distribution = walk._distribution
    prefixes = [row.prefix for row in walk.rows]
    starts = [row.prompt_tokens for row in walk.rows]
    has_parts = is_decomposed and isinstance(distribution, Decomposable)

    def mask(device: torch.device) -> Tensor:
        count = sum(1 + len(tree) for tree in trees)
        return states._masked(torch.zeros(count, distribution.rows, device=device)) == 0

    if not has_parts and has_trees(distribution) and any(map(len, trees)):
        assert isinstance(distribution, TreeDistribution)
        rows = [row for row, tree in enumerate(trees) for _ in range(1 + len(tree))]
        nodes = [node for tree in trees for node in range(1 + len(tree))]
        try:
            return distribution.tree_logits(prefixes, trees, starts=starts)[rows, nodes].float(), []
        except FormulaError as error:
            error.add_note(f"step {walk._step}, prompt {walk.rows[error.row].number}")
            raise
    bases: list[Tensor] = []
    sums: list[list[PartialSum]] = []
    place = 0
    for call in leaf_rows(prefixes, trees):
        span = slice(place, place := place + len(call.index[0]))
        allowed = call.spread(lambda device, span=span: mask(device)[span])
        own = [starts[owner] for owner in call.owners]
        try:
            if has_parts:
                assert isinstance(distribution, Decomposable)
                whole, parts = distribution.partial_sums(call.prefixes, call.positions, starts=own, allowed=allowed)
                sums.append([part.at(call.index) for part in parts])
            else:
                whole = distribution.logits(call.prefixes, call.positions, starts=own, allowed=allowed)
        except FormulaError as error:
            error.add_note(f"step {walk._step}, prompt {walk.rows[call.owners[error.row]].number}")
            raise
        bases.append(whole[call.index].float())
    whole_sums = [joined(parts) for parts in zip(*sums, strict=True)]
    return torch.cat(bases), whole_sums
