"""Running text of a batch, and the pieces in which a decoder returns its texts."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from guidance_kit.decoding.completion import Completion, Evaluator, FinishReason, TokenLogprob
from guidance_kit.decoding.cut_field import CutField, cut_field
from guidance_kit.decoding.field_limit import FieldCounter
from guidance_kit.decoding.marked_draw import MarkState
from guidance_kit.decoding.speculation import Speculation
from guidance_kit.decoding.transcript import Transcript
from guidance_kit.errors import GuidanceKitError
from guidance_kit.vocabulary import Vocabulary

__all__ = ["Piece", "Row"]

_FAR = 4096
"""Maximum number of tokens taken at once by a row without a token limit."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Piece of the text of one prompt.

    Attributes:
        row: index of the prompt in the batch.
        text: new text, in whole characters and without any part of a stop string. The pieces of a prompt join to the
            text of its completion.
        completion: the completion, with the last piece; else None. Of a decoder that ranks texts, the best.
        error: the error, with the last piece of a prompt that failed while the others continue; else None.
        others: with the completion, further texts of the prompt in descending order, of a decoder that ranks texts.
    """

    row: int
    text: str
    completion: Completion | None = None
    error: GuidanceKitError | None = None
    others: tuple[Completion, ...] = ()


class Row:
    """Running text of one prompt. A prompt may have several: particles, beams.

    Attributes:
        place: index of the prompt in the batch.
        number: number of the prompt in error messages.
        prefix: token ids of the prompt and the generated tokens.
        prompt_tokens: length of the prompt.
        seed: seed of the text.
        room: maximum number of generated tokens; None without a limit.
        evaluator: constraint of the text, which gives its value; None without one.
        index: index of the row in its `Walk`.
        draw_state: state of the `Draw` by which its tokens are drawn.
        log_potential: ln of the potential of the tokens so far, for decoders that have one.
        log_weight: ln of the unnormalised importance weight, for decoders with weighted rows.
        records: log-probabilities of the generated tokens, if they are recorded.
        reason: reason of its end; None while it runs.
        speculation: statistics of its drafts, if there are any.
    """

    __slots__ = (
        "_field", "_transcript", "draw_state", "evaluator", "index", "log_potential", "log_weight", "number", "place",
        "prefix", "prompt_tokens", "reason", "records", "room", "seed", "speculation",
    )  # fmt: skip

    def __init__(
        self,
        place: int,
        number: int,
        prompt: Sequence[int],
        *,
        seed: int,
        room: int | None,
        stop: Sequence[str] = (),
        max_field_tokens: int | None = None,
        evaluator: Evaluator | None = None,
    ) -> None:
        self.place = self.index = place
        self.number = number
        self.prefix = list(prompt)
        self.prompt_tokens = len(prompt)
        self.seed = seed
        self.room = room
        self.evaluator = evaluator
        self.draw_state: Any = None
        self.log_potential = 0.0
        self.log_weight = 0.0
        self.records: list[TokenLogprob] = []
        self.reason: FinishReason | None = None
        self.speculation: Speculation | None = None
        self._transcript = Transcript(tuple(one.encode() for one in stop))
        self._field = None if max_field_tokens is None else FieldCounter(max_field_tokens)

    def fork(self) -> Row:
        """Independent copy: same prompt, tokens, weight and state of the draws."""
        other = copy.copy(self)
        other.prefix = list(self.prefix)
        other.records = list(self.records)
        other._transcript = self._transcript.fork()
        other._field = None if self._field is None else self._field.fork()
        return other

    @property
    def length(self) -> int:
        """Number of generated tokens."""
        return len(self.prefix) - self.prompt_tokens

    @property
    def tokens(self) -> tuple[int, ...]:
        """Generated tokens."""
        return tuple(self.prefix[self.prompt_tokens :])

    @property
    def is_running(self) -> bool:
        """Test for a text that has not ended."""
        return self.reason is None

    @property
    def left(self) -> int:
        """Number of tokens that may still follow."""
        if self.reason is not None:
            return 0
        return _FAR if self.room is None else self.room - self.length

    def take(self, token: int, piece: bytes, *, is_end: bool) -> None:
        """Append a token and its bytes, and note an end of the text.

        Args:
            is_end: the token is the end-of-sequence token, and adds no text.
        """
        self.prefix.append(token)
        if is_end:
            self.reason = "complete"
            return
        self._transcript.append(piece)
        if self._transcript.is_stopped:
            self.reason = "stop"
        elif self._field is not None and self._field.take(piece):
            self.reason = "field"

    def settle(self, *, is_over: bool) -> None:
        """End the text if nothing can follow or the token limit is reached."""
        if self.reason is None:
            if is_over:
                self.reason = "complete"
            elif self.left <= 0:
                self.reason = "length"

    def piece(self, vocabulary: Vocabulary, *, has_logprobs: bool) -> Piece | None:
        """Piece with the new text, or with the completion at the end; None if there is neither."""
        if self.reason is None:
            text = self._transcript.release()
            return Piece(self.place, text) if text else None
        text, field = self._transcript.text, self._field if self.reason == "field" else None
        completion = Completion(
            text=text,
            tokens=self.tokens,
            finish_reason=self.reason,
            prompt_tokens=self.prompt_tokens,
            seed=self.seed,
            logprobs=tuple(self.records) if has_logprobs else None,
            cut_field=CutField(pointer=cut_field(text), limit=field.limit) if field is not None else None,
            marks=self.draw_state.counts if isinstance(self.draw_state, MarkState) else None,
            speculation=self.speculation,
            vocabulary=vocabulary,
            constraint=self.evaluator,
            prefix=tuple(self.prefix[: self.prompt_tokens]),
        )
        return Piece(self.place, self._transcript.release_rest(), completion)
