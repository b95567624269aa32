"""Rows and slots of an engine's batch, and the steered requests in them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from guidance_kit.integrations.vllm.steered_texts import SteeredRow, SteeredText

__all__ = ["MovedSlots", "Opening", "TokenSlots"]

Opening = Callable[[Sequence[int] | None], SteeredText]
"""Request whose prompt is yet to be known: a function of its token ids."""


class MovedSlots:
    """Requests of vLLM's V1 model runner, which tells how the rows of its batch change.

    Row i of the logits is that of the request at index i. The list of a request's generated tokens is the engine's own,
    and grows.
    """

    def __init__(self) -> None:
        self._texts: dict[int, tuple[SteeredText, Sequence[int]]] = {}

    def update(
        self,
        removed: Iterable[int],
        added: Iterable[tuple[int, Opening | None, Sequence[int] | None, Sequence[int]]],
        moved: Iterable[tuple[int, int, Any]],
    ) -> None:
        """Follow the changes of a step, in this order.

        Args:
            removed: indices.
            added: index, request (None if it is not steered), prompt and generated tokens, some of which are there
                already if the request was preempted. An index may have been another request's.
            moved: two indices and a `MoveDirectionality`: the first takes the place of the second, or both change
                places.
        """
        for index in removed:
            self._texts.pop(index, None)
        for index, opening, prompt, generated in added:
            self._texts.pop(index, None)
            if opening is not None:
                self._texts[index] = opening(prompt), generated
        for first, second, direction in moved:
            one, other = self._texts.pop(first, None), self._texts.pop(second, None)
            if one is not None:
                self._texts[second] = one
            if other is not None and direction.name == "SWAP":
                self._texts[first] = other

    def rows(self) -> list[SteeredRow]:
        """Rows of the requests that are steered."""
        return [SteeredRow(index, text, list(generated)) for index, (text, generated) in sorted(self._texts.items())]


class TokenSlots:
    """Requests of vLLM's V2 model runner, which keeps their tokens in slots and tells the slot of each row.

    A request with drafted tokens has several rows. Committed tokens are read from the device once; drafted ones are the
    inputs of the rows.

    Args:
        state: vLLM's `LogitsProcRequestState`.
    """

    def __init__(self, state: Any) -> None:
        self._state = state
        self._openings: dict[int, Opening] = {}
        self._texts: dict[int, SteeredText] = {}
        self._committed: dict[int, list[int]] = {}

    def add(self, slot: int, opening: Opening | None) -> bool:
        """Put a request into a slot in place of what was there; test whether it is steered."""
        self._texts.pop(slot, None)
        self._openings.pop(slot, None)
        self._committed[slot] = []
        if opening is not None:
            self._openings[slot] = opening
        return opening is not None

    def rows(self, context: Any) -> list[SteeredRow]:
        """Rows of the requests that are steered and have read their prompts.

        Args:
            context: vLLM's `LogitsContext` of the step.
        """
        if not self._openings or not {*self._openings} & {*np.asarray(context.idx_mapping_np).tolist()}:
            return []
        numbers: dict[int, list[int]] = defaultdict(list)
        for row, slot in enumerate(context.expanded_idx_mapping.tolist()):
            if slot in self._openings:
                numbers[slot].append(row)
        offsets, places, inputs = (
            values.tolist() for values in (context.expanded_local_pos, context.pos, context.input_ids)
        )
        found: list[SteeredRow] = []
        for slot, rows in numbers.items():
            rows.sort(key=offsets.__getitem__)
            length = places[rows[0]] + 1
            if length < int(self._state.prefill_len.np[slot]):
                continue  # a part of the prompt, or of a text that comes back; nothing is sampled
            tokens = self._tokens(slot, length)
            text = self._text(slot, tokens)
            start = len(text.prompt or ())
            drafted: list[int] = []
            for number, row in enumerate(rows):
                drafted += [inputs[row]] if number else []
                found.append(SteeredRow(row, text, [*tokens[start:], *drafted]))
        return found

    def _tokens(self, slot: int, length: int) -> list[int]:
        """Committed tokens of a slot, prompt included."""
        known = self._committed[slot]
        if len(known) < length:
            known += self._state.all_token_ids.gpu[slot, len(known) : length].tolist()
        return known[:length]

    def _text(self, slot: int, tokens: list[int]) -> SteeredText:
        if slot not in self._texts:
            self._texts[slot] = self._openings[slot](tokens[: int(self._state.prompt_len.np[slot])])
        return self._texts[slot]
