"""Contrastive search: likely tokens whose hidden state is unlike those before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import torch
from torch import Tensor

from guidance_kit.decoding.row import Piece, Row
from guidance_kit.decoding.sampling import TIE, require_integer, require_number
from guidance_kit.decoding.truncation import keep_top_k
from guidance_kit.decoding.walk import Walk
from guidance_kit.errors import ConstraintError, OptionError

if TYPE_CHECKING:
    from guidance_kit.decoding.options import Options

__all__ = ["ContrastiveSearch"]


@dataclass(frozen=True, slots=True)
class ContrastiveSearch:
    """Take, of the k most likely tokens, the one with the greatest (1 - alpha) p(token) - alpha max similarity.

    The similarity is the cosine of the hidden state of the token, as the next one, with that of a token so far, prompt
    included. p is the model's probability with guides, temperature and truncation, not renormalised over what the
    constraint allows; only allowed tokens are candidates. Nothing is drawn: a text depends on no seed. Of scores that
    are equal up to `TIE` the lowest token is taken. A step runs the model on the text and on its k continuations.

    Args:
        k: number of candidates, at least 1; those as likely as the last one are candidates too.
        alpha: weight of the penalty, in [0, 1]; 0 is greedy decoding.
    Raises:
        OptionError: a value is out of range.
    Source: Su et al. 2022, A Contrastive Framework for Neural Text Generation, section 4.
    """

    is_incremental: ClassVar[bool] = True

    k: int = 5
    alpha: float = 0.6

    def __post_init__(self) -> None:
        require_integer("k", self.k, least=1)
        require_number("alpha", self.alpha, "a number between 0 and 1", lambda alpha: 0 <= alpha <= 1)

    @property
    def rows_per_prompt(self) -> int:
        """See `Decoder`."""
        return self.k

    def check(self, options: Options) -> None:
        """See `Decoder.check`."""
        if options.sampling.is_greedy:
            raise OptionError("temperature 0 leaves contrastive search one candidate; it takes the best one at 1 too")
        if options.draw is not None:
            raise OptionError("draw and decoder='contrastivesearch' exclude each other: it draws nothing")
        if options.logprobs is not None:
            raise OptionError("logprobs and decoder='contrastivesearch' exclude each other: tokens are taken by score")

    def decode(self, walk: Walk, options: Options) -> Iterator[Piece]:
        """See `Decoder.decode`. Pieces come whenever a row has new text."""
        known: dict[int, Tensor] = {}
        while walk.rows:
            walk.settle()
            for row in walk.rows:
                piece = row.piece(walk.vocabulary, has_logprobs=False)
                if piece is not None:
                    yield piece
            walk.keep([row for row in walk.rows if row.is_running])
            if walk.rows:
                walk.take([[token] for token in self._best(walk, known)])

    @torch.inference_mode()
    def _best(self, walk: Walk, known: dict[int, Tensor]) -> list[int]:
        """Best token of each row.

        Args:
            known: hidden states of the tokens so far, (length, width) of norm 1, by place of the prompt; extended.
        """
        candidates: list[tuple[Row, int, float]] = []
        for row, allowed in zip(walk.rows, keep_top_k(walk.log_probabilities(), self.k), strict=True):
            if row.place not in known:
                known[row.place] = _directions(walk.hidden_states([row.prefix], len(row.prefix)))[0]
            tokens = (allowed > -torch.inf).nonzero()[:, 0]
            if not len(tokens):
                raise ConstraintError(f"prompt {row.number}: truncation left no token that the constraint allows")
            candidates += [
                (row, token, value)
                for token, value in zip(tokens.tolist(), allowed[tokens].exp().tolist(), strict=True)
            ]
        states = _directions(walk.hidden_states([[*row.prefix, token] for row, token, _ in candidates]))[:, 0]
        best: list[int] = []
        for row in walk.rows:
            own = [place for place, (of, _, _) in enumerate(candidates) if of is row]
            similarity = (states[own] @ known[row.place].T).amax(-1).double().cpu()
            likely = torch.tensor([candidates[place][2] for place in own], dtype=torch.float64)
            scores = (1 - self.alpha) * likely - self.alpha * similarity
            first = int((scores >= scores.max() - TIE).int().argmax())
            best.append(candidates[own[first]][1])
            known[row.place] = torch.cat([known[row.place], states[own[first]][None]])
        return best


def _directions(states: Tensor) -> Tensor:
    """Hidden states divided by their norm: float32."""
    return torch.nn.functional.normalize(states.float(), dim=-1)
