"""Masks of a batch: known ones are copied at once, new ones are found for several constraints in one call of a kernel.

Kernels work without the interpreter's lock, rules are written with it. To hand it over takes as long as to find some
masks, so a thread does that a few times for several constraints, not a few times for each mask.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np

from guidance_kit.errors import LimitError
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.fsm.kernels import handles
from guidance_kit.fsm.kernels.codes import FINISHED, PENDING
from guidance_kit.fsm.kernels.columns import REQUEST
from guidance_kit.fsm.kernels.mask_cache import copy_masks
from guidance_kit.fsm.kernels.masks import find_masks
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.token_index import TokenIndex

__all__ = ["fill_masks"]

_AT_ONCE = 32
"""Texts with new masks, at least, that a thread takes at once."""


def fill_masks(
    matchers: Sequence[Matcher | None],
    out: np.ndarray,
    *,
    rows: Sequence[int] | None = None,
    threads: ThreadPoolExecutor | None = None,
) -> dict[int, LimitError]:
    """The masks of many texts at once, which may have different constraints.

    Args:
        matchers: over vocabularies of the same width; the mask of None allows nothing.
        out: int32, (rows, words), contiguous.
        rows: row of `out` for each matcher, all different; the other rows stay as they are. None: all rows in order.
        threads: to find the new masks of different constraints side by side.
    Returns:
        By their places in `matchers`, the errors of those at which a limit of their constraint is reached; their masks
        allow nothing.
    Raises:
        ValueError: if the shape of `out`, or a row, does not fit.
    """
    if (len(out) if rows is None else len(rows)) != len(matchers):
        raise ValueError(f"{len(matchers)} matchers do not fit masks of shape {out.shape}")
    indexes = {matcher.index for matcher in matchers if matcher is not None}
    if any(index.words != out.shape[1] for index in indexes):
        raise ValueError(f"masks of {out.shape[1]} words do not fit the vocabulary")
    targets = np.arange(len(out), dtype=np.int32) if rows is None else np.array(rows, dtype=np.int32)
    if len(targets) and not 0 <= targets.min() <= targets.max() < len(out):
        raise ValueError(f"rows from {targets.min()} to {targets.max()} do not fit masks of shape {out.shape}")
    configs = np.array([FINISHED if one is None else one.mask_config for one in matchers], dtype=np.int32)
    missing = np.empty(len(matchers), dtype=np.int32)
    with _held({index.automaton for index in indexes}):
        caches = handles.addresses([0 if matcher is None else matcher.index.cache_address for matcher in matchers])
        count = copy_masks(caches, configs, targets, out, missing)
    for index in indexes:
        index.touch()
    new: dict[Automaton, list[tuple[int, TokenIndex]]] = {}
    alone: set[int] = set()  # of vocabularies with tokens that kernels do not know
    for text in missing[:count].tolist():
        matcher = matchers[text]
        assert matcher is not None
        if matcher.index.trie.overlong:
            alone.add(text)
        else:
            new.setdefault(matcher.index.automaton, []).append((text, matcher.index))

    def find(part: Sequence[tuple[int, TokenIndex]]) -> dict[int, LimitError]:
        texts, of = zip(*part, strict=True)
        chosen = list(texts)
        requests = np.concatenate([index.request for index in of])
        requests[:, REQUEST.config] = configs[chosen]
        requests[:, REQUEST.first] = out.shape[1] * targets[chosen].astype(np.int64)
        requests[:, REQUEST.answer] = PENDING
        return {texts[place]: error for place, error in _find(of, requests, out.reshape(-1)).items()}

    failed: dict[int, LimitError] = {}
    for errors in (map if threads is None else threads.map)(find, _parts(new.values())):
        failed |= errors
    for text, (matcher, config) in enumerate(zip(matchers, configs.tolist(), strict=True)):
        if matcher is None or config == FINISHED or text in failed:
            continue
        try:
            if text in alone:
                matcher.index.fill_mask(config, out[targets[text]])
            if matcher.has_own_mask:
                matcher.adapt_mask(out[targets[text]])
        except LimitError as error:
            failed[text] = error
    for text in failed:
        out[targets[text]] = 0
    return failed


def _parts(new: Iterable[list[tuple[int, TokenIndex]]]) -> Iterator[list[tuple[int, TokenIndex]]]:
    """Parts for a thread, each with all texts of some automata."""
    part: list[tuple[int, TokenIndex]] = []
    for texts in new:
        part += texts
        if len(part) >= _AT_ONCE:
            yield part
            part = []
    if part:
        yield part


def _find(indexes: Sequence[TokenIndex], requests: np.ndarray, masks: np.ndarray) -> dict[int, LimitError]:
    """Answer requests; return the limits that were reached, by their places.

    Args:
        indexes: for each request.
        requests, masks: see `find_masks`.
    """
    failed: dict[int, LimitError] = {}
    answers = requests[:, REQUEST.answer]
    begun: set[int] = set()
    with _held({index.automaton for index in indexes}):
        while find_masks(requests, masks) < 0:
            for place in np.flatnonzero(answers < PENDING).tolist():
                try:
                    indexes[place].make_room(int(answers[place]), is_new=place not in begun)
                except LimitError as error:
                    failed[place] = error
                    answers[place] = 0
                begun.add(place)
        for index, answer in zip(indexes, answers.tolist(), strict=True):
            if answer > 0:
                index.note_found()
    return failed


@contextmanager
def _held(automata: set[Automaton]) -> Iterator[None]:
    """Hold the locks of automata, taken in one order, so that nobody waits in a circle."""
    locks = [automaton.lock for automaton in sorted(automata, key=id)]
    held = 0
    try:
        for lock in locks:
            lock.acquire()
            held += 1
        yield
    finally:
        for lock in locks[:held]:
            lock.release()
