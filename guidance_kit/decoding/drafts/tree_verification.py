"""Verification of trees of proposed tokens: recursive rejection sampling, and equality with what the target draws."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NoReturn

import torch
from torch import Tensor

from guidance_kit.decoding.drafts.typical_acceptance import TypicalAcceptance
from guidance_kit.decoding.drafts.verification import residual
from guidance_kit.decoding.draw import ACCEPTANCE, Draw
from guidance_kit.decoding.row import Row
from guidance_kit.models.token_tree import ROOT, TokenTree

__all__ = ["verify_tree"]


def verify_tree(
    logits: Tensor,
    places: Sequence[int | None],
    tree: TokenTree,
    laws: Tensor | None,
    row: Row,
    draw: Draw,
    fail: Callable[[int, int], NoReturn],
    acceptance: TypicalAcceptance | None = None,
) -> tuple[list[int], list[int]]:
    """Tokens that a row takes: those of a path that the target accepts, and one that it draws itself.

    Children of a node that are a function of the prefix are compared with what the draw of the target gives there, so
    the text is the one without a draft. Children that were drawn without replacement are accepted one after the other
    with probability min(1, p / q), where p becomes max(p - q, 0) normalised after a rejection, and q the law of the
    next child: without the rejected one. The token after the last rejection has that p. So each token has the law p of
    the target.

    Args:
        logits: float, (places, rows), nats: processed logits of the target.
        places: places in `logits` after the prefix, and after each node; None for a node that nothing can follow.
        tree: proposed tokens.
        laws: processed logits of the draft from which the children of `ROOT`, and then of each node, were drawn
            without replacement, in their order: float, (1 + nodes, rows), nats. None for tokens that are a function of
            the prefix.
        row: its draw state is changed to that after the tokens.
        draw: draw of the target.
        fail: raises for a place without a possible token, from the place and the number of tokens before it.
        acceptance: lossy rule by which the longest path of accepted tokens is taken instead; None for the above.
    Returns:
        At least one token; and the places of the laws of the tokens.
    Source: Miao et al. 2024, SpecInfer, algorithm 2; Jeon et al. 2024, Recursive Speculative Decoding, algorithm 3, for
        children without replacement.
    """
    tokens: list[int] = []
    path: list[int] = []
    node: int | None = ROOT
    if acceptance is not None:
        nodes = _typical(logits, places, tree, acceptance)
        tokens = [tree.tokens[one] for one in nodes]
        path = [place for one in (ROOT, *nodes[:-1]) if (place := places[1 + one]) is not None][: len(tokens)]
        node, laws = (nodes[-1] if nodes else ROOT), None
        tree = TokenTree()
    while node is not None and (place := places[1 + node]) is not None:
        path.append(place)
        target = logits[place]
        if laws is None:
            token = _drawn(target, tokens, row, draw, lambda place=place: fail(place, len(tokens)))
            tokens.append(token)
            node = tree.child(node, token)
            continue
        children = tree.children(node)
        accepted, target = _accepted(target, laws[1 + node], [tree.tokens[child] for child in children], tokens, row)
        if target is None:
            fail(place, len(tokens))
        if accepted is None:
            tokens.append(_drawn(target, tokens, row, draw, lambda place=place: fail(place, len(tokens))))
            break
        node = children[accepted]
        tokens.append(tree.tokens[node])
    return tokens, path


def _typical(logits: Tensor, places: Sequence[int | None], tree: TokenTree, acceptance: TypicalAcceptance) -> list[int]:
    """Nodes of the longest path of which all tokens are accepted."""
    accepted: set[int] = {ROOT}
    for node, parent in enumerate(tree.parents):
        place = places[1 + parent]
        if parent in accepted and place is not None and acceptance.accepts(logits[place], tree.tokens[node]):
            accepted.add(node)
    accepted.discard(ROOT)
    return tree.nodes_to(max(sorted(accepted), key=tree.depths.__getitem__)) if accepted else []


def _accepted(
    target: Tensor, law: Tensor, children: Sequence[int], taken: Sequence[int], row: Row
) -> tuple[int | None, Tensor | None]:
    """Number of the accepted child, None if all are rejected; and logits of the token after that.

    No logits if the target is no distribution.
    """
    uniforms = row.draw_state.stream(ACCEPTANCE)
    for number, token in enumerate(children):
        p = float(target[token] - target.logsumexp(-1))
        q = float(law[token] - law.logsumexp(-1))
        if math.isnan(p):
            return None, None
        if uniforms.stream(number)[row.length + len(taken)] < math.exp(min(0.0, p - q)):
            return number, target
        target = residual(target, law)
        law = law.index_fill(-1, torch.tensor([token], device=law.device), -torch.inf)
    return None, target


def _drawn(target: Tensor, taken: Sequence[int], row: Row, draw: Draw, fail: Callable[[], NoReturn]) -> int:
    """Token that the target draws."""
    found = draw.draw(target[None], [row.draw_state], [[*row.prefix, *taken]], [row.prompt_tokens])
    if not found.checks[0] > -math.inf:  # NaN compares false
        fail()
    row.draw_state = found.states[0]
    return found.tokens[0]
