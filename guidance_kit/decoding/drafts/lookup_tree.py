"""Tree of drafts by prompt lookup: what followed earlier occurrences of the last tokens of a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from guidance_kit.decoding.drafts.draft import NOTHING, Proposal
from guidance_kit.decoding.drafts.prompt_lookup import occurrences
from guidance_kit.decoding.sampling import require_integer
from guidance_kit.errors import OptionError
from guidance_kit.models.token_tree import TokenTree

if TYPE_CHECKING:
    from guidance_kit.decoding.row import Row
    from guidance_kit.decoding.walk import Walk

__all__ = ["LookupTree"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LookupTree:
    """Draft of trees of the continuations of n-grams in the prompt and the text so far.

    The last n tokens are sought, n from `longest` to `shortest`, until there are `branches` occurrences; of each n the
    latest come first. Their continuations are paths of one tree. No model runs, and texts are those without a draft.

    Args:
        longest, shortest: number of tokens that are sought, at least 1.
        branches: maximum number of continuations.
        length: maximum number of tokens of each.
    Raises:
        OptionError: a number out of range.
    Source: Saxena 2023, Prompt Lookup Decoding, with several continuations in place of one.
    """

    longest: int = 3
    shortest: int = 1
    branches: int = 3
    length: int = 8

    def __post_init__(self) -> None:
        for name in ("longest", "shortest", "branches", "length"):
            require_integer(name, getattr(self, name), least=1)
        if self.shortest > self.longest:
            raise OptionError(f"shortest is {self.shortest}, more than longest, {self.longest}")

    @property
    def name(self) -> str:
        """See `Draft`."""
        return "lookup tree"

    @property
    def depth(self) -> int:
        """Greatest number of tokens of a path."""
        return self.length

    def nodes(self, ahead: int) -> int:
        """Greatest number of nodes of a tree of so many tokens in depth."""
        return self.branches * min(ahead, self.length)

    def check(self, rows: Sequence[Row]) -> None:
        """See `Draft.check`: a lookup has no context of its own."""

    def propose(self, walk: Walk, counts: Sequence[int]) -> list[Proposal]:
        """See `Draft.propose`; a count limits the depth."""
        return [self._proposal(row.prefix, count) for row, count in zip(walk.rows, counts, strict=True)]

    def _proposal(self, prefix: Sequence[int], count: int) -> Proposal:
        """Proposal for one row."""
        count = min(count, self.length)
        tree = TokenTree.of(self.continuations(prefix, count)) if count else TokenTree()
        return Proposal(tokens=tree.tokens, tree=tree, draft=self.name) if len(tree) else NOTHING

    def continuations(self, tokens: Sequence[int], count: int) -> list[list[int]]:
        """Continuations of at most `count` tokens, the first ones first.

        >>> LookupTree(branches=2).continuations([5, 6, 7, 5, 6, 8, 9, 5, 6], 2)
        [[8, 9], [7, 5]]
        """
        tokens = list(tokens)
        found: list[list[int]] = []
        for place in occurrences(tokens, self.longest, self.shortest):
            following = tokens[place : place + count]
            if following not in found:
                found.append(following)
            if len(found) == self.branches:
                break
        return found
