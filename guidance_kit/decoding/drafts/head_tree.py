"""Trees of drafts by the draft heads of a model, pruned by transition probability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from guidance_kit.decoding.drafts.draft import NOTHING, Binding, Proposal
from guidance_kit.decoding.drafts.typical_acceptance import TypicalAcceptance
from guidance_kit.decoding.sampling import require_integer
from guidance_kit.errors import OptionError
from guidance_kit.models.draft_heads import DraftHeads
from guidance_kit.models.token_tree import ROOT, TokenTree
from guidance_kit.models.transformers_model import TransformersModel

if TYPE_CHECKING:
    from guidance_kit.decoding.row import Row
    from guidance_kit.decoding.walk import Walk

__all__ = ["BoundHeadTree", "HeadTree"]


@dataclass(frozen=True, slots=True)
class HeadTree:
    """Draft of trees by draft heads: the nodes with the greatest product of transition probabilities.

    Args:
        heads: draft heads of the model of the call.
        size: number of nodes of a tree, at least 1.
        width: number of tokens that a head proposes after a node, and of nodes that are continued at each depth.
        acceptance: a lossy rule of acceptance; None for exact verification.
    Raises:
        OptionError: a number out of range.
    """

    heads: DraftHeads
    size: int = 12
    width: int = 6
    acceptance: TypicalAcceptance | None = None

    def __post_init__(self) -> None:
        require_integer("size", self.size, least=1)
        require_integer("width", self.width, least=1)

    def bound(self, binding: Binding) -> BoundHeadTree:
        """Draft of a call.

        Raises:
            OptionError: the call is one of a formula, or of another backend; the model has another width.
            VocabularyError: the heads were trained for other tokens.
            ModelError: the model has an adapter.
        """
        model = binding.source
        if not isinstance(model, TransformersModel):
            raise OptionError("draft heads are for a single model of transformers, whose hidden states they read")
        self.heads.require(model)
        return BoundHeadTree(self.heads.on(model.embeddings[1].weight), model, self.size, self.width, self.acceptance)


@dataclass(frozen=True, slots=True)
class BoundHeadTree:
    """Draft of the nodes with the greatest probability under the heads, the product of transition probabilities.

    The heads read hidden states of the pass that verified the last block, so they cost no pass of the model. Trees are
    functions of the prefix, so texts are those without a draft.

    Args:
        heads: draft heads, on the device of the model.
        model: model of the call.
        size, width, acceptance: see `HeadTree`.
    Source: Cai et al. 2024, Medusa, section 2.1.2; Li et al. 2024, EAGLE-2, section 4, for the choice of nodes.
    """

    heads: DraftHeads
    model: TransformersModel
    size: int
    width: int
    acceptance: TypicalAcceptance | None = None

    @property
    def name(self) -> str:
        """See `Draft`."""
        return "heads" if self.acceptance is None else "heads, typical acceptance"

    @property
    def reads_states(self) -> bool:
        """See `draft.reads_states`."""
        return True

    @property
    def depth(self) -> int:
        """Greatest number of tokens of a path."""
        return len(self.heads)

    def nodes(self, ahead: int) -> int:
        """Number of nodes of a tree of so many tokens in depth."""
        return self.size if ahead else 0

    def check(self, rows: Sequence[Row]) -> None:
        """See `Draft.check`: heads have no context of their own."""

    def propose(self, walk: Walk, counts: Sequence[int]) -> list[Proposal]:
        """See `Draft.propose`; a count limits the depth."""
        places = [place for place, row in enumerate(walk.rows) if counts[place] and len(row.prefix) > 1]
        proposals = [NOTHING] * len(counts)
        if places:
            for place, tree in zip(places, self._trees(walk, places, [counts[place] for place in places]), strict=True):
                if len(tree):
                    proposals[place] = Proposal(
                        tokens=tree.tokens, tree=tree, acceptance=self.acceptance, draft=self.name
                    )
        return proposals

    def _trees(self, walk: Walk, places: Sequence[int], counts: Sequence[int]) -> list[TokenTree]:
        """Trees of some rows."""
        embed, score = self.model.embeddings
        prefixes = [walk.rows[place].prefix for place in places]
        states = self.model.hidden_states([prefix[:-1] for prefix in prefixes])[:, 0]
        tokens = torch.tensor([prefix[-1] for prefix in prefixes], device=states.device)
        count = len(places)
        growing = [_Growing() for _ in places]
        owners, nodes = list(range(count)), [ROOT] * count
        logs = states.new_zeros(count, dtype=torch.float32)
        for head in range(min(len(self.heads), max(counts))):
            states = self.heads.advance(head, states, embed(tokens))
            texts = [growing[owner].text(node) for owner, node in zip(owners, nodes, strict=True)]
            laws = score(states).float().log_softmax(-1)[:, : walk.vocabulary.rows]
            laws = walk.masked_after([places[owner] for owner in owners], texts, laws)
            best, found = (logs[:, None] + laws).topk(min(self.width, laws.shape[-1]))
            pairs = [
                (value, at, token)
                for at, (values, some) in enumerate(zip(best.tolist(), found.tolist(), strict=True))
                for value, token in zip(values, some, strict=True)
                if value > -torch.inf and head < counts[owners[at]]
            ]
            chosen: list[tuple[int, int, int, float]] = []
            for owner in range(count):
                own = sorted((pair for pair in pairs if owners[pair[1]] == owner), key=lambda pair: -pair[0])
                for value, at, token in own[: self.width]:
                    chosen.append((owner, growing[owner].add(nodes[at], token, value), at, value))
            chosen = [one for one in chosen if growing[one[0]].tokens[one[1]] not in walk.vocabulary.eos]
            if not chosen:
                break
            owners, nodes = [owner for owner, _, _, _ in chosen], [node for _, node, _, _ in chosen]
            states = states[[at for _, _, at, _ in chosen]]
            logs = logs.new_tensor([value for _, _, _, value in chosen])
            ends = [growing[owner].tokens[node] for owner, node in zip(owners, nodes, strict=True)]
            tokens = torch.tensor(ends, device=states.device)
        return [one.best(self.size) for one in growing]


class _Growing:
    """Tree of one row with the log-probability of each node."""

    def __init__(self) -> None:
        self.tokens: list[int] = []
        self._parents: list[int] = []
        self._logs: list[float] = []

    def add(self, parent: int, token: int, log: float) -> int:
        """Add a node."""
        self.tokens.append(token)
        self._parents.append(parent)
        self._logs.append(log)
        return len(self.tokens) - 1

    def text(self, node: int) -> list[int]:
        """Tokens up to a node."""
        found: list[int] = []
        while node != ROOT:
            found.append(self.tokens[node])
            node = self._parents[node]
        return found[::-1]

    def best(self, size: int) -> TokenTree:
        """Tree of the most likely nodes: none is more likely than its parent."""
        order = sorted(range(len(self.tokens)), key=lambda node: -self._logs[node])[:size]
        return TokenTree(tuple(self.tokens), tuple(self._parents)).kept(order)[0]
