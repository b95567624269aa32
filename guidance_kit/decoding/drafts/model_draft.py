"""Draft by a model or a formula, which draws tokens one after the other, or in blocks of a draft of its own."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from guidance_kit.decoding.distribution import Allowed, Distribution, has_full_support
from guidance_kit.decoding.drafts.draft import NOTHING, Draft, Proposal
from guidance_kit.decoding.draw import PROPOSAL, InverseTransform
from guidance_kit.errors import OptionError

if TYPE_CHECKING:
    from guidance_kit.decoding.row import Row
    from guidance_kit.decoding.speculation import Speculator
    from guidance_kit.decoding.walk import Walk

__all__ = ["ModelDraft"]


@dataclass(frozen=True, slots=True)
class ModelDraft:
    """Draft that draws from a distribution under the guides, the mask, the temperature and truncation of the target.

    At temperature 0, and with a draw of the caller's, it uses the draw of the target with its state, so that proposals
    are what the target would draw if it had the distribution of the draft.

    Args:
        distribution: distribution with the tokens of the target, and any number of rows.
        name: name for messages and statistics.
        term: the draft as a term of the target formula, which then takes its logits from here.
        speculator: speculation of the draft itself, by another draft: hierarchical speculation.
    """

    distribution: Distribution
    name: str = "model"
    term: Hashable = None
    speculator: Speculator | None = field(default=None, kw_only=True)

    @property
    def drafts(self) -> tuple[Draft, ...]:
        """Drafts that it asks."""
        return () if self.speculator is None else (self.speculator.draft,)

    def check(self, rows: Sequence[Row]) -> None:
        """See `Draft.check`: each text fits into the context of the draft."""
        for row in rows:
            room = self.distribution.room(row.prefix)
            if room is not None and (row.room is None or room < row.room):
                needed = "without a limit" if row.room is None else f"of {len(row.prefix) + row.room} tokens"
                raise OptionError(
                    f"the draft {self.name} has a context of {len(row.prefix) + room} tokens, too short for the text "
                    f"{needed} after prompt {row.number}; lower max_tokens, or take another draft"
                )
        if self.speculator is not None:
            self.speculator.check(rows)

    def fitted(self, walk: Walk) -> Distribution:
        """Distribution with the rows of the target."""
        return _fitted(self.distribution, walk.vocabulary.rows)

    def propose(self, walk: Walk, counts: Sequence[int]) -> list[Proposal]:
        """See `Draft.propose`."""
        is_sampled = isinstance(walk.token_draw, InverseTransform)
        own = walk.under(self.fitted(walk), self.speculator)
        places = {id(row): place for place, row in enumerate(own.rows)}
        if is_sampled:
            for row in own.rows:
                row.draw_state = row.draw_state.stream(PROPOSAL)
        tokens: list[list[int]] = [[] for _ in counts]
        shaped: list[list[Tensor]] = [[] for _ in counts]
        known: list[list[Tensor]] = [[] for _ in counts]
        has_ended = [False] * len(counts)
        own.keep([row for row in own.rows if counts[places[id(row)]]])
        while own.rows:
            block = own.draw_block()
            own.take(block.tokens)
            own.settle()
            for number, row in enumerate(own.rows):
                place = places[id(row)]
                new = block.tokens[number][: counts[place] - len(tokens[place])]
                positions = slice(block.firsts[number], block.firsts[number] + len(new))
                tokens[place] += new
                shaped[place].append(block.shaped[positions])
                known[place].append(block.base[positions])
                has_ended[place] = not row.is_running and len(tokens[place]) == row.length - walk.rows[place].length
            own.keep([
                row for row in own.rows if row.is_running and len(tokens[places[id(row)]]) < counts[places[id(row)]]
            ])  # fmt: skip
        if self.term is not None:
            self._complete(walk, tokens, has_ended, known)
        return [
            Proposal(
                tokens=tokens[place],
                logits=torch.cat(shaped[place]) if is_sampled else None,
                known=torch.cat(known[place]) if self.term is not None else None,
                term=self.term,
                is_end=has_ended[place],
                draft=self.name,
            )
            if tokens[place]
            else NOTHING
            for place in range(len(counts))
        ]

    def _complete(self, walk: Walk, tokens: list[list[int]], has_ended: list[bool], known: list[list[Tensor]]) -> None:
        """Append the logits after the last token of each proposal."""
        places = [place for place, some in enumerate(tokens) if some and not has_ended[place]]
        if places:
            rows = [walk.rows[place] for place in places]
            prefixes = [[*row.prefix, *tokens[place]] for row, place in zip(rows, places, strict=True)]
            last = self.distribution.logits(prefixes, starts=[row.prompt_tokens for row in rows])
            for place, logits in zip(places, _to_width(last, walk.vocabulary.rows).float(), strict=True):
                known[place].append(logits)


class _Fitted:
    """Distribution with the rows of another one: missing rows have probability 0, further ones are padding."""

    def __init__(self, inner: Distribution, rows: int) -> None:
        self.inner = inner
        self.rows = rows
        self.room = inner.room
        self.has_full_support = has_full_support(inner) and inner.rows >= rows

    def logits(
        self,
        prefixes: Sequence[Sequence[int]],
        positions: int = 1,
        *,
        starts: Sequence[int] = (),
        allowed: Allowed | None = None,
    ) -> Tensor:
        """See `Distribution.logits`."""

        def own(device: torch.device) -> Tensor:
            assert allowed is not None
            mask = allowed(device)
            missing = max(0, self.inner.rows - self.rows)
            return torch.nn.functional.pad(mask, (0, missing), value=False)[..., : self.inner.rows]

        found = self.inner.logits(prefixes, positions, starts=starts, allowed=None if allowed is None else own)
        return _to_width(found, self.rows)


def _fitted(distribution: Distribution, rows: int) -> Distribution:
    """Distribution with so many rows."""
    return distribution if distribution.rows == rows else _Fitted(distribution, rows)


def _to_width(logits: Tensor, rows: int) -> Tensor:
    """Logits cut, or padded by -inf, to a number of rows."""
    missing = rows - logits.shape[-1]
    return torch.nn.functional.pad(logits, (0, missing), value=-torch.inf) if missing > 0 else logits[..., :rows]
