"""Draft protocol: proposals of the tokens that the rows of a walk may take next."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from torch import Tensor

from guidance_kit.models.token_tree import TokenTree

if TYPE_CHECKING:
    from guidance_kit.decoding.drafts.typical_acceptance import TypicalAcceptance
    from guidance_kit.decoding.row import Row
    from guidance_kit.decoding.walk import Walk

__all__ = ["NOTHING", "Binding", "Draft", "Proposal", "is_draft", "reads_states"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Proposed tokens of one row.

    Attributes:
        tokens: token ids, in order; of a tree those of its nodes.
        tree: the tokens as a tree, of which one path is taken; None for a sequence.
        logits: float, (number of tokens, rows), nats, unnormalised: those from which each token was drawn, by random
            numbers that the target does not use. None for tokens that are a function of the prefix, or were drawn by
            the draw of the target itself.
            Of a tree: those from which the children of `ROOT`, and then of each node, were drawn without replacement,
            in their order: (1 + number of nodes, rows).
        known: for a term of the target, its logits at the positions before each token and after the last one: float,
            (positions, rows), nats. None if the draft is no term.
        term: that term.
        is_end: the text ends after these tokens.
        acceptance: lossy rule that accepts tokens of a tree; None for exact verification.
        draft: name of the draft, under which the row counts accepted tokens.
    """

    tokens: Sequence[int]
    tree: TokenTree | None = None
    logits: Tensor | None = None
    known: Tensor | None = None
    term: Hashable = None
    is_end: bool = False
    acceptance: TypicalAcceptance | None = None
    draft: str = ""

    def __bool__(self) -> bool:
        return bool(self.tokens)


NOTHING = Proposal(tokens=())
"""Proposal without tokens."""


class Binding(Protocol):
    """Target of a call, to which a draft given as a value is bound by its method `bound`."""

    @property
    def source(self) -> Any:
        """Model of the call; None for a formula."""
        ...

    def bind(self, given: Any) -> Draft:
        """Draft from what the caller gives; see `Options.draft`."""
        ...


class Draft(Protocol):
    """Draft of a call. It proposes tokens for each row; the target verifies them, so no draft changes the law of texts.

    Contract, checked for every draft in tests/test_drafts.py:

    * The rows of the walk, and their states, stay as they are.
    * A proposal has at most the number of tokens asked for. It may have fewer, for a reason that is a function of the
      tokens before the proposed ones: one that is cut because of a token in it (as for its probability) would bias the
      text, unless its tokens are a function of the prefix.
    * Tokens of a proposal with `logits` are drawn from them; see `Proposal`.

    A draft of trees declares by `depth` and `nodes(ahead)` the greatest number of tokens of a path, and of all nodes if
    paths have at most `ahead` tokens. The numbers of tokens that it is asked for are those of a path. One that learns
    from the answers of the target has a method `observe(row, tree, answers)`, see `tree_block.Observe`. One that reads
    hidden states declares it by `reads_states`, and one that asks others has them in `drafts`.
    """

    @property
    def name(self) -> str:
        """Name for messages and statistics."""
        ...

    def check(self, rows: Sequence[Row]) -> None:
        """Check that the draft can propose up to the ends of rows.

        Raises:
            OptionError: it cannot; names the prompt.
        """
        ...

    def propose(self, walk: Walk, counts: Sequence[int]) -> list[Proposal]:
        """Proposals for each row.

        Args:
            walk: running rows, their guides and constraint.
            counts: maximum number of tokens of each row, at least 0.
        """
        ...


def is_draft(given: Any) -> bool:
    """Test for an instance with the methods of `Draft`."""
    return not isinstance(given, type) and callable(getattr(given, "propose", None))


def reads_states(draft: Draft) -> bool:
    """Test for a draft that reads hidden states of the model, which concurrent calls do not share, or asks one."""
    return bool(getattr(draft, "reads_states", False)) or any(map(reads_states, getattr(draft, "drafts", ())))
