"""Walk: running texts under a distribution, its guides and a constraint, in blocks of positions.

The logits of a position pass six stages, always in this order:

    1. base         the distribution's own logits (a model, or a formula of models and classifiers)
    2. biases       guides of Stage.BIAS: logit bias, penalties
    3. mask         the constraint; padding rows are always forbidden
    4. sampling     temperature, then truncation: top-k, top-p, typical and others, see `Sampling`
    5. watermark    guides of Stage.WATERMARK; forbidden tokens stay forbidden
    6. draw         greedy, or one random number a row

Truncation comes after the mask: before it, it could remove every allowed token. For the same reason a formula that
truncates one of its models, or classifies its most likely tokens (1), considers only allowed tokens.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, NoReturn, cast

import torch
from torch import Tensor

from guidance_kit.decoding.attribution import records
from guidance_kit.decoding.block import Block, block_of
from guidance_kit.decoding.distribution import Allowed, Distribution, has_full_support
from guidance_kit.decoding.drafts.draft import NOTHING
from guidance_kit.decoding.drafts.verification import verify
from guidance_kit.decoding.draw import Draw
from guidance_kit.decoding.no_token import raise_no_token
from guidance_kit.decoding.padding_rows import padding_rows
from guidance_kit.decoding.row import Row
from guidance_kit.decoding.sampling import Sampling, shape
from guidance_kit.decoding.tree_block import drawn_tree_block, observe_paths
from guidance_kit.errors import FormulaError, OptionError
from guidance_kit.guides.constraint import ConstraintGuide, ConstraintState
from guidance_kit.guides.guide import Guide, Stage, always_may_forbid, in_order, may_forbid
from guidance_kit.vocabulary import Vocabulary

if TYPE_CHECKING:
    from guidance_kit.decoding.speculation import Speculator

__all__ = ["Walk"]


class Walk:
    """Running texts of a batch, with the states of their guides and of the constraint.

    Args:
        distribution: next-token distribution.
        vocabulary: vocabulary of the distribution.
        rows: one row a prompt, without generated tokens.
        sampling: temperature and truncation.
        draw: draw of the tokens.
        constraint: constraint of the texts.
        guides: further guides; applied in the order of their stages, those of one stage as given.
        speculator: speculation by a draft; None to draw one token a row in each call of the distribution.
    Attributes:
        vocabulary: as given.
        token_draw: as `draw`.
        rows: running rows. A decoder changes them by `keep`, `take` and `take_forced` alone.
    """

    def __init__(
        self,
        distribution: Distribution,
        vocabulary: Vocabulary,
        rows: Sequence[Row],
        *,
        sampling: Sampling,
        draw: Draw,
        constraint: ConstraintGuide | None,
        guides: Sequence[Guide[Any]],
        speculator: Speculator | None = None,
    ) -> None:
        self.vocabulary = vocabulary
        self.rows = list(rows)
        self._distribution = distribution
        self._sampling = sampling
        self.token_draw = draw
        self._speculator = speculator
        self._constraint = constraint
        prompts = [row.prefix for row in rows]
        self._matchers: ConstraintState = () if constraint is None else constraint.start(prompts)
        self._guides = in_order(guides)
        self._states = [guide.start(prompts) for guide in self._guides]
        self._never_forced = constraint is None or any(map(always_may_forbid, self._guides))
        self._early = sum(guide.stage < Stage.WATERMARK for guide in self._guides)
        self._padding = padding_rows(vocabulary)
        self._step = 0
        for row in rows:
            row.draw_state = draw.start(row.seed)

    @property
    def has_full_support(self) -> bool:
        """Test for a distribution that gives no token the probability 0, see `distribution.has_full_support`."""
        return has_full_support(self._distribution)

    def has_room(self, count: int) -> bool:
        """Test for room for `count` tokens after each row, in the context of the model."""
        rooms = [self._distribution.room(row.prefix) for row in self.rows]
        return all(room is None or room >= count for room in rooms)

    @property
    def is_constrained(self) -> bool:
        """Test for a constraint."""
        return self._constraint is not None

    def fork(self) -> Walk:
        """Independent copy, with forks of the rows."""
        other = copy.copy(self)
        other.rows = [row.fork() for row in self.rows]
        return other

    def under(self, distribution: Distribution, speculator: Speculator | None = None) -> Walk:
        """Fork under another distribution with the same number of rows, as that of a draft."""
        other = self.fork()
        other._distribution = distribution
        other._speculator = speculator
        return other

    @classmethod
    def joined(cls, walks: Sequence[Walk]) -> Walk:
        """Walk over the rows of several walks of one call, one or more, in their order. They are used no more."""
        walk = copy.copy(walks[0])
        walk._matchers = tuple(matcher for one in walks for matcher in one._matchers)
        walk._states = [guide.join([one._states[place] for one in walks]) for place, guide in enumerate(walk._guides)]
        walk.rows = [row for one in walks for row in one.rows]
        for index, row in enumerate(walk.rows):
            row.index = index
        return walk

    def keep(self, rows: Sequence[Row]) -> None:
        """Go on with the given rows in the given order: rows of this walk or forks of them, each object once."""
        places = [row.index for row in rows]
        if places != list(range(len(self.rows))):
            self._select(places)
        self.rows = list(rows)
        for index, row in enumerate(rows):
            row.index = index

    def take(self, tokens: Sequence[Sequence[int]]) -> None:
        """Append allowed tokens to each row, none, one or several, up to the end of its text."""
        self._advance(tokens)
        for row, taken, is_end in zip(self.rows, tokens, self._are_ends(tokens), strict=True):
            for position, token in enumerate(taken, 1):
                row.take(token, self._piece(token), is_end=is_end and position == len(taken))
                if not row.is_running:
                    del row.records[row.length :]
                    break

    def take_forced(self) -> bool:
        """Append forced tokens, equally many to each row; return whether there were any.

        Tokens are forced where the constraint allows no other and no guide may forbid one of them.
        """
        if self._constraint is None or self._never_forced:
            return False
        tokens = self._constraint.forced(self._matchers, min(row.left for row in self.rows))
        guides = zip(self._guides, self._states, strict=True)
        if not tokens or any(may_forbid(guide, state, tokens) for guide, state in guides):
            return False
        self.take(tokens)
        return True

    def forced_tokens(self, counts: Sequence[int]) -> list[list[int]]:
        """Next tokens of each row that are the only ones the constraint allows, up to a number of tokens.

        Args:
            counts: maximum number of each row.
        """
        if self._constraint is None:
            return [[] for _ in counts]
        pairs = zip(self._matchers, counts, strict=True)
        return [tokens[0] if (tokens := self._constraint.forced((matcher,), count)) else [] for matcher, count in pairs]

    def settle(self, *, needs_end: bool = False) -> None:
        """End the texts that nothing can follow, and those at their token limit.

        Args:
            needs_end: texts that nothing can follow go on too, for their end-of-sequence token counts.
        """
        over = [False] * len(self.rows)
        if self._constraint is not None and not needs_end:
            over = self._constraint.is_over(self._matchers)
        for place, (row, is_over) in enumerate(zip(self.rows, over, strict=True)):
            row.settle(is_over=is_over)
            if row.reason == "complete" and self._constraint is not None:
                row.reason = "budget" if self._constraint.is_restricted(self._matchers, place) else "complete"

    def mask_keys(self) -> list[tuple[int, int, int]]:
        """Mask key of each row, see `Matcher.mask_key`; none without a constraint."""
        return [matcher.mask_key for matcher in self._matchers]

    def small_masks(self, most: int) -> list[bytes | None]:
        """Mask of each row whose constraint allows at most so many tokens, packed; None for another row."""
        return (
            [None] * len(self.rows) if self._constraint is None else self._constraint.small_masks(self._matchers, most)
        )

    @torch.inference_mode()
    def draw(self, *, logprobs: int | None = None) -> list[list[int]]:
        """Draw the next tokens of each row with one call of the distribution: one, or several with a draft.

        Proposed tokens are verified, see `drafts.verification.verify`, so that the law of each text is the one without
        a draft.

        Args:
            logprobs: record log-probabilities with so many alternatives a token.
        Returns:
            One or several tokens a row, not yet taken; an end-of-sequence token is the last. The rows have the states
            of the draw after these tokens.
        Raises:
            ModelError: the distribution returned NaN or +inf.
            FormulaError: a formula gives no distribution (a note has the step and the prompt).
            ConstraintError: a row has no possible token.
        """
        return self.draw_block(logprobs=logprobs).tokens

    @torch.inference_mode()
    def draw_block(self, *, logprobs: int | None = None) -> Block:
        """Logits of a block with its drawn tokens; see `draw`."""
        self._step += 1
        speculator = self._speculator
        proposals = [NOTHING] * len(self.rows) if speculator is None else speculator.propose(self)

        def fail(block: Block, place: int, row: int, position: int) -> NoReturn:
            given = self.rows[row]
            where = f"step {self._step} (prompt {given.number}, after {given.length + position} tokens)"
            allowed = block.walk._masked(block.base)
            raise_no_token(block.base[place], block.masked[place], allowed[place], where)

        observe = None if speculator is None else getattr(speculator.draft, "observe", None)
        if any(proposal.tree is not None for proposal in proposals):
            block, widths = drawn_tree_block(self, proposals, fail, observe, is_decomposed=logprobs is not None)
        else:
            block = block_of(self, proposals, is_decomposed=logprobs is not None)
            widths = block.counts
            if observe is not None:
                observe_paths(block, self.rows, proposals, observe)
            block.tokens = verify(
                block.shaped,
                block.firsts,
                block.counts,
                proposals,
                self.rows,
                self.token_draw,
                lambda row, position: fail(block, block.firsts[row] + position, row, position),
            )
        if speculator is not None:
            speculator.note(self, proposals, block.tokens, widths)
        if logprobs is not None:
            self._record(block, logprobs)
        return block

    @torch.inference_mode()
    def log_probabilities(self) -> Tensor:
        """Log-probabilities, without the constraint, of the next tokens that it allows.

        They are those of the distribution from which tokens are drawn without a constraint: after guides, temperature,
        truncation and watermark. So truncation counts all tokens here, and may remove every allowed one. At temperature
        0, at which nothing is drawn, they are those of temperature 1 without truncation.

        Returns:
            Float64, (batch, rows), nats; -inf for masked tokens. The probabilities sum to the mass that the mask keeps,
            which may be 0.
        Raises:
            ModelError, FormulaError: as `draw`.
            ConstraintError: the guides forbid every token, even without the constraint.
        """
        self._step += 1
        base = self._logits([row.prefix for row in self.rows], 1, None)[:, -1].float()
        steered = self._without_padding(self._steered(base))
        free = self._watermarked(steered if self._sampling.is_greedy else shape(steered, self._sampling))
        exact = free.double()
        total = exact.logsumexp(-1, keepdim=True)
        if not bool(total.isfinite().all()):
            row = int(total[:, 0].isfinite().logical_not().nonzero()[0])
            where = f"step {self._step} (prompt {self.rows[row].number})"
            raise_no_token(base[row], free[row], base[row], where)
        left = exact if self._constraint is None else self._masked(free).double()
        return left - total

    def completion_weights(self, measure: Literal["count", "mass"]) -> tuple[Tensor, Tensor]:
        """Ln of the number, or of the model-free mass, of the completions of each row, and after each next token.

        There must be a constraint.

        Returns:
            Float64, (batch,), and float64, (batch, rows), nats; -inf for forbidden tokens.
        Raises:
            UnsupportedFeature: the completions cannot be counted.
        """
        assert self._constraint is not None
        here, after = self._constraint.completion_weights(self._matchers, measure, self._distribution.rows)
        return torch.from_numpy(here), torch.from_numpy(after)

    def hidden_states(self, prefixes: Sequence[Sequence[int]], positions: int = 1) -> Tensor:
        """Hidden states of the model at the last tokens of prefixes: float, (batch, positions, width).

        Raises:
            OptionError: the distribution has none, as that of a formula.
        """
        if not hasattr(self._distribution, "hidden_states"):
            name = getattr(self._distribution, "name", type(self._distribution).__name__)
            raise OptionError(f"hidden states are read of a single model of transformers, not of {name}")
        return cast(Any, self._distribution).hidden_states(prefixes, positions)

    @torch.inference_mode()
    def log_probabilities_along(self, texts: Sequence[Sequence[int]]) -> Iterator[tuple[Tensor, Tensor]]:
        """Log-probabilities of the tokens after each prefix of given texts, without temperature and truncation.

        One call of the model computes all; the rows stay. Shorter texts are filled up behind their ends, for a formula
        may say nothing about positions within a prompt.

        Args:
            texts: tokens of each row; there is room for the longest behind every row, see `has_room`.
        Yields:
            For each row, before the mask and after it: float64, (tokens, rows), nats, at the positions of its tokens;
            the same tensor twice without a constraint. The mask does not renormalise; after a token that it forbids it
            forbids all.
        Raises:
            ModelError, FormulaError: as `draw`.
            ConstraintError: the guides forbid every token, even without the constraint.
        """
        positions = max(1, *map(len, texts))
        prefixes = [
            [*row.prefix, *some[:-1], *[row.prefix[-1]] * (positions - max(1, len(some)))]
            for row, some in zip(self.rows, texts, strict=True)
        ]
        for place, (tokens, block) in enumerate(zip(texts, self._logits(prefixes, positions, None), strict=True)):
            if not tokens:
                nothing = block[:0].double()
                yield nothing, nothing
                continue
            walk = copy.copy(self)
            walk._select([place] * len(tokens))
            yield walk._log_probabilities_of_one(block[: len(tokens)].float(), tokens)

    def _log_probabilities_of_one(self, base: Tensor, tokens: Sequence[int]) -> tuple[Tensor, Tensor]:
        """The same of one row; this walk has the row once for each of its tokens, before the first."""
        pairs = zip(self._guides, self._states, strict=True)
        before = [tokens[:end] for end in range(len(tokens))]
        self._states = [guide.advance(state, before) for guide, state in pairs]
        free = self._watermarked(self._without_padding(self._steered(base)))
        total = free.double().logsumexp(-1, keepdim=True)
        if not bool(total.isfinite().all()):
            raise_no_token(base[0], free[0], base[0], f"a given text (prompt {self.rows[0].number})")
        whole = free.double() - total
        if self._constraint is None:
            return whole, whole
        following = [self._matchers[0], *self._matchers[0].follow(tokens)][: len(tokens)]
        known = [place for place, matcher in enumerate(following) if matcher is not None]
        masked = torch.full_like(whole, -torch.inf)
        left = self._constraint.adjust(free[known], tuple(matcher for matcher in following if matcher is not None))
        masked[known] = left.double() - total[known]
        return whole, masked

    def start_of_draws(self, seed: int) -> Any:
        """State of the draws of a text with this seed."""
        return self.token_draw.start(seed)

    def _logits(self, prefixes: Sequence[Sequence[int]], positions: int, allowed: Allowed | None) -> Tensor:
        """Logits of the distribution; float, (batch, positions, rows), nats."""
        starts = [row.prompt_tokens for row in self.rows]
        try:
            return self._distribution.logits(prefixes, positions, starts=starts, allowed=allowed)
        except FormulaError as error:
            error.add_note(f"step {self._step}, prompt {self.rows[error.row].number}")
            raise

    def _record(self, block: Block, count: int) -> None:
        """Append the log-probabilities of the drawn tokens to the records of the rows."""
        places = [
            first + step for first, own in zip(block.firsts, block.tokens, strict=True) for step in range(len(own))
        ]
        is_whole = len(places) == len(block.base)
        free, left, masked, sums = block.steered, block.masked, block.masked, block.partial_sums
        if sums[-1].logits is not block.base:  # which may have been truncated among what the mask leaves
            free = block.walk._steered(sums[-1].logits.float())
            left = block.walk._masked(free)
        if not is_whole:
            free, left, masked = free[places], left[places], masked[places]
            sums = [partial_sum.at(places) for partial_sum in sums]
        found = records(sums, free, left, masked, list(itertools.chain.from_iterable(block.tokens)), count)
        for row, tokens in zip(self.rows, block.tokens, strict=True):
            row.records.extend(itertools.islice(found, len(tokens)))

    def masked_after(self, places: Sequence[int], texts: Sequence[Sequence[int]], logits: Tensor) -> Tensor:
        """Logits under the mask after rows that go on with further tokens.

        Args:
            places: rows, each any number of times.
            texts: further tokens of each.
            logits: float, (count, rows), nats.
        Returns:
            New logits; all -inf where the constraint does not allow the tokens, or nothing can follow them.
        """
        if self._constraint is None:
            return self._without_padding(logits)
        after = [
            self._matchers[place].follow(text)[-1] if text else self._matchers[place]
            for place, text in zip(places, texts, strict=True)
        ]
        found = torch.full_like(logits, -torch.inf)
        known = [number for number, matcher in enumerate(after) if matcher is not None and not matcher.is_over]
        if known:
            matchers = tuple(matcher for matcher in after if matcher is not None and not matcher.is_over)
            found[known] = self._constraint.adjust(logits[known], matchers)
        return found

    def _steered(self, logits: Tensor) -> Tensor:
        """Stage 2; and 3, for guides that mask."""
        for guide, state in zip(self._guides[: self._early], self._states, strict=False):
            logits = guide.adjust(logits, state)
        return logits

    def _masked(self, logits: Tensor) -> Tensor:
        """Stage 3."""
        if self._constraint is not None:
            return self._constraint.adjust(logits, self._matchers)
        return self._without_padding(logits)

    def _without_padding(self, logits: Tensor) -> Tensor:
        """Logits with -inf for padding rows."""
        if not len(self._padding):
            return logits
        self._padding = self._padding.to(logits.device)
        return logits.index_fill(-1, self._padding, -torch.inf)

    def _watermarked(self, logits: Tensor) -> Tensor:
        """Stage 5."""
        marked = logits
        for guide, state in zip(self._guides[self._early :], self._states[self._early :], strict=True):
            marked = guide.adjust(marked, state)
        return logits if marked is logits else marked.masked_fill(logits == -torch.inf, -torch.inf)

    def _select(self, places: Sequence[int]) -> None:
        """States of the given rows, in that order."""
        if self._constraint is not None:
            self._matchers = self._constraint.select(self._matchers, places)
        pairs = zip(self._guides, self._states, strict=True)
        self._states = [guide.select(state, places) for guide, state in pairs]

    def _advance(self, tokens: Sequence[Sequence[int]]) -> None:
        """States after the tokens of each row."""
        if self._constraint is not None:
            self._matchers = self._constraint.advance(self._matchers, tokens)
        pairs = zip(self._guides, self._states, strict=True)
        self._states = [guide.advance(state, tokens) for guide, state in pairs]

    def _piece(self, token: int) -> bytes:
        """Bytes that a token adds to the text; under a constraint special tokens add their names."""
        return self.vocabulary.text_of([token]) if self._constraint is None else self.vocabulary.shown(token)

    def _are_ends(self, tokens: Sequence[Sequence[int]]) -> list[bool]:
        """Test, for each row, for a last token that ended the text."""
        if self._constraint is None:
            return [bool(taken) and taken[-1] in self.vocabulary.eos for taken in tokens]
        return self._constraint.is_finished(self._matchers)
